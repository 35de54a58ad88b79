//! Compositions of Rényi guarantees: they add up, order by order.

use std::collections::BTreeMap;
use std::sync::Arc;

use rug::{Integer, Rational};

use super::parts::{Composition, PairKind, PoweredPair, RenyiKind, gaussian};
use crate::kernel::Profile;
use crate::mechanism::renyi_class::RenyiClass;

/// The `zcdp` and `rdp` guarantees of a composition.
#[derive(Debug, Clone, Default)]
pub(super) struct Classes {
    /// Σ ρ.
    rho: Rational,
    /// ε(t) of each `rdp` part, and how often it runs.
    tables: Vec<(BTreeMap<Rational, Rational>, u64)>,
    /// Runs of both kinds.
    runs: u64,
}

impl Classes {
    pub fn is_empty(&self) -> bool {
        self.runs == 0
    }

    pub fn add_zcdp(&mut self, rho: &Rational, times: u64) {
        self.rho += whole(rho, times);
        self.runs = self.runs.saturating_add(times);
    }

    pub fn add_rdp(&mut self, orders: &[(Rational, Rational)], times: u64) {
        let mut table: BTreeMap<Rational, Rational> = BTreeMap::new();
        for (order, epsilon) in orders {
            let least = table
                .entry(order.clone())
                .or_insert_with(|| epsilon.clone());
            if *epsilon < *least {
                least.clone_from(epsilon);
            }
        }
        self.tables.push((table, times));
        self.runs = self.runs.saturating_add(times);
    }

    /// The class of all compositions of one mechanism of each class and a Gaussian one.
    ///
    /// D_t of a composition is at most the sum of the D_t (Mironov 2017, Proposition 1; Bun and Steinke 2016, Lemma 1.7),
    /// and a μ-GDP mechanism has D_t ≤ tμ²/2. Of each class the Gaussian mechanism with μ² = 2·inf ε(t)/t is a member.
    pub fn close(self, square: &Rational) -> Composition {
        let linear = Rational::from(square / 2u32) + &self.rho;
        let Some((kind, upper)) = self.guarantee(&linear) else {
            return Composition::Unsupported(
                "the rdp guarantees have no order in common, so none adds up".to_owned(),
            );
        };
        let upper = PoweredPair {
            profile: upper,
            times: 1,
            kind: PairKind::Class(kind),
        };
        if self.runs == 1 && *square == 0 {
            return Composition::Closed(upper);
        }
        let tables = self.tables.iter().map(|(table, times)| {
            let ratios = table
                .iter()
                .map(|(order, epsilon)| Rational::from(epsilon / order));
            whole(&ratios.min().unwrap_or_default(), *times)
        });
        let member = tables.fold(linear, |sum, rho| sum + rho) * 2u32;
        Composition::Class {
            upper,
            lower: gaussian(member),
        }
    }

    /// Σ ε(t) at the orders of all tables.
    fn guarantee(&self, linear: &Rational) -> Option<(RenyiKind, Arc<dyn Profile>)> {
        let Some(((first, _), _)) = self.tables.split_first() else {
            return Some((RenyiKind::Zcdp, Arc::new(RenyiClass::zcdp(linear))));
        };
        let orders: Vec<(Rational, Rational)> = first
            .keys()
            .filter_map(|order| {
                let start = Rational::from(linear * order);
                let sum = self.tables.iter().try_fold(start, |sum, (table, times)| {
                    Some(sum + whole(table.get(order)?, *times))
                })?;
                Some((order.clone(), sum))
            })
            .collect();
        Some((RenyiKind::Rdp, Arc::new(RenyiClass::rdp(&orders)?)))
    }
}

fn whole(x: &Rational, times: u64) -> Rational {
    Rational::from(x * Integer::from(times))
}
