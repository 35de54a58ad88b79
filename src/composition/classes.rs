//! Compositions of Rényi guarantees: they add up, order by order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rug::{Integer, Rational};

use super::parts::{Composition, PairKind, PoweredPair, RenyiKind, gaussian};
use crate::kernel::Profile;
use crate::mechanism::closed::Largest;
use crate::mechanism::renyi_class::RenyiClass;
use crate::mechanism::{Step, Steps};
use crate::renyi::class::between;
use crate::renyi::concentrated_at_most;

/// The `zcdp` and `rdp` guarantees of a composition.
#[derive(Debug, Clone, Default)]
pub(super) struct Classes {
    /// Σ ρ.
    rho: Rational,
    /// ε(t) of each `rdp` part, and how often it runs.
    tables: Vec<(BTreeMap<Rational, Rational>, u64)>,
    /// Runs of both kinds.
    runs: u64,
    /// The largest ρ of one run.
    largest_rho: Rational,
}

/// So many tables are looked at alone.
const MOST_TABLES: usize = 4;
/// Divergences at orders of one table are looked at between those of the others, if they are no more than this together.
const MOST_ORDERS: usize = 256;
/// And so many steps beside them.
const MOST_PARTS: usize = 4;

impl Classes {
    pub fn is_empty(&self) -> bool {
        self.runs == 0
    }

    pub fn add_zcdp(&mut self, rho: &Rational, times: u64) {
        self.rho += whole(rho, times);
        if *rho > self.largest_rho {
            self.largest_rho.clone_from(rho);
        }
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
    /// and a μ-GDP mechanism has D_t ≤ tμ²/2. Of each class the Gaussian mechanism with μ² = 2·inf ε(t)/t is a member. A composition reveals no less than a part of it,
    /// so that at every ε the δ of one class alone is that of some members, too (C1 and C6 of `proofs/README.md`).
    /// What else runs beside them has D_t ≤ `rest`·t, and reveals no less than each of `known`; the Gaussian member leaves it out.
    pub fn close(
        self,
        square: &Rational,
        rest: &Rational,
        known: Vec<Arc<dyn Profile>>,
    ) -> Composition {
        let linear = Rational::from(square / 2u32) + &self.rho;
        let Some((kind, upper)) = self.guarantee(&Rational::from(&linear + rest)) else {
            return Composition::Unsupported(
                "the rdp guarantees are of many orders, and have none in common".to_owned(),
            );
        };
        let upper = PoweredPair {
            profile: upper,
            times: 1,
            kind: PairKind::Class(kind),
        };
        if self.runs == 1 && *square == 0 && *rest == 0 {
            return Composition::Closed(upper);
        }
        let alone = self.alone();
        let tables = self.tables.iter().map(|(table, times)| {
            let ratios = table
                .iter()
                .map(|(order, epsilon)| Rational::from(epsilon / order));
            whole(&ratios.min().unwrap_or_default(), *times)
        });
        let member = tables.fold(linear, |sum, rho| sum + rho) * 2u32;
        let lower = gaussian(member);
        let mut least = alone;
        least.push(Arc::clone(&lower.profile));
        least.extend(known);
        Composition::Class {
            upper,
            lower,
            least: Arc::new(Largest::new(least)),
        }
    }

    /// Is P = Q of all members, as some D_t of each is 0?
    pub fn say_nothing(&self) -> bool {
        let is_zero = |(table, _): &(BTreeMap<Rational, Rational>, u64)| {
            table.values().any(|epsilon| *epsilon == 0)
        };
        self.rho == 0 && self.tables.iter().all(is_zero)
    }

    /// The profiles of the classes of single runs, each exact.
    fn alone(&self) -> Vec<Arc<dyn Profile>> {
        let mut all: Vec<Arc<dyn Profile>> = Vec::new();
        if self.largest_rho > 0 {
            all.push(Arc::new(RenyiClass::zcdp(&self.largest_rho)));
        }
        for (table, _) in self.tables.iter().take(MOST_TABLES) {
            let orders: Vec<(Rational, Rational)> = table
                .iter()
                .map(|(order, epsilon)| (order.clone(), epsilon.clone()))
                .collect();
            if let Some(class) = RenyiClass::rdp(&orders) {
                all.push(Arc::new(class));
            }
        }
        all
    }

    /// Σ of what each table says, at the orders of any.
    fn guarantee(&self, linear: &Rational) -> Option<(RenyiKind, Arc<dyn Profile>)> {
        if self.tables.is_empty() {
            return Some((RenyiKind::Zcdp, Arc::new(RenyiClass::zcdp(linear))));
        }
        let tables = self.tables.iter().map(|(table, times)| {
            let table = table
                .iter()
                .map(|(order, most)| (order.clone(), most.clone()));
            (table.collect::<Vec<_>>(), *times)
        });
        let tables: Vec<(Vec<(Rational, Rational)>, u64)> = tables.collect();
        let all = self.tables.iter().flat_map(|(table, _)| table.keys());
        let is_common = |order: &&Rational| {
            self.tables
                .iter()
                .all(|(table, _)| table.contains_key(*order))
        };
        let count = tables.iter().map(|(table, _)| table.len()).sum::<usize>();
        // Of many orders those that all have do.
        let chosen: BTreeSet<&Rational> = match count <= MOST_ORDERS {
            true => all.collect(),
            false => all.filter(is_common).collect(),
        };
        let sum = |order: &Rational| {
            let start = Rational::from(linear * order);
            tables.iter().try_fold(start, |sum, (table, times)| {
                Some(sum + whole(&between(table, order)?, *times))
            })
        };
        let orders: Vec<(Rational, Rational)> = chosen
            .into_iter()
            .filter_map(|order| Some((order.clone(), sum(order)?)))
            .collect();
        Some((RenyiKind::Rdp, Arc::new(RenyiClass::rdp(&orders)?)))
    }
}

/// ρ with D_t ≤ ρt for all t > 1 of what runs beside classes and Gaussian noise; `None` where no theorem has it.
pub(super) fn concentrated_beside_classes(steps: &Steps) -> Option<Rational> {
    let start = Rational::new();
    steps.list().iter().try_fold(start, |sum, (step, times)| {
        Some(match step {
            Step::Gaussian { .. } | Step::Zcdp { .. } | Step::Rdp { .. } => sum,
            Step::Laplace { .. }
            | Step::DiscreteGaussian { .. }
            | Step::Finite(_)
            | Step::Sampled(_)
            | Step::Shifted(_)
            | Step::Labelled(_)
            | Step::Closed(_) => sum + whole(&concentrated_at_most(step)?, *times),
        })
    })
}

/// Profiles of single steps beside classes and Gaussian noise, each exact: the whole reveals no less than each of them.
pub(super) fn known_beside_classes(steps: &Steps) -> Vec<Arc<dyn Profile>> {
    // Of what is only bounded the steps are the bound.
    if steps.is_bound() {
        return Vec::new();
    }
    let known = steps.list().iter().filter_map(|(step, _)| match step {
        Step::Gaussian { .. } | Step::Zcdp { .. } | Step::Rdp { .. } => None,
        Step::Laplace { .. }
        | Step::DiscreteGaussian { .. }
        | Step::Finite(_)
        | Step::Sampled(_)
        | Step::Shifted(_)
        | Step::Labelled(_)
        | Step::Closed(_) => step.profile().filter(|profile| profile.is_closed_form()),
    });
    known.take(MOST_PARTS).collect()
}

fn whole(x: &Rational, times: u64) -> Rational {
    Rational::from(x * Integer::from(times))
}
