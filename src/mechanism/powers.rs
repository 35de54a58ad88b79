//! Powers of one number below 1, for laws that have thousands of them: a product of two that are known instead of an exponential each.

use std::sync::Arc;

use rug::Rational;

use super::evaluate::Cache;
use crate::kernel::Interval;

/// Bits that are lost in the tables: two products of some 2^10 factors at most, each factor and each product rounded.
const GUARD_BITS: u32 = 16;

/// x^k with x = e^step, for whole numbers k.
#[derive(Debug, Clone)]
pub(super) struct Powers {
    /// log x, below 0.
    step: Rational,
    /// How many powers a table has.
    root: u64,
    tables: Arc<Cache<u32, Tables>>,
}

/// At one precision.
#[derive(Debug)]
struct Tables {
    /// x^0, x^1, … x^(root − 1).
    low: Vec<Interval>,
    /// x^(root·j).
    high: Vec<Interval>,
    /// 1 − x, of small relative width.
    complement: Interval,
}

impl Powers {
    /// Powers up to x^`usual` are products of two that are kept; those beyond are exponentials.
    ///
    /// Requires: `step < 0`.
    pub(super) fn new(step: &Rational, usual: u64) -> Self {
        Self {
            step: step.clone(),
            root: usual.min(1 << 20).isqrt() + 1,
            tables: Arc::default(),
        }
    }

    /// Encloses x^k.
    pub(super) fn at(&self, k: u64, bits: u32) -> Interval {
        let tables = self.tables(bits);
        let index = |k: Option<u64>| k.and_then(|k| usize::try_from(k).ok());
        let kept = |table: &[Interval], k: Option<u64>| table.get(index(k)?).cloned();
        let low = kept(&tables.low, k.checked_rem(self.root));
        let high = kept(&tables.high, k.checked_div(self.root));
        match (low, high) {
            (Some(low), Some(high)) => low.mul(&high).at_bits(bits),
            _ => self.exponential(k, bits),
        }
    }

    /// Encloses 1 − x.
    pub(super) fn complement(&self, bits: u32) -> Interval {
        self.tables(bits).complement.at_bits(bits)
    }

    fn tables(&self, bits: u32) -> Arc<Tables> {
        self.tables.get_or(&bits, || {
            let work = bits.saturating_add(GUARD_BITS);
            let table = |factor: u64| {
                let first = self.exponential(factor, work);
                let next = |last: &Interval| Some(last.mul(&first));
                let powers = std::iter::successors(Some(Interval::one(work)), next);
                powers.zip(0..self.root).map(|(power, _)| power).collect()
            };
            Tables {
                low: table(1),
                high: table(self.root),
                complement: Interval::from_rational(&self.step, work).exp_m1().neg(),
            }
        })
    }

    /// The rounded exponent is off by its own size times 2^-bits: so many more bits as its whole part has.
    fn exponential(&self, k: u64, bits: u32) -> Interval {
        let exponent = Rational::from(&self.step * k);
        let (top, bottom) = (exponent.numer(), exponent.denom());
        let whole = top
            .significant_bits()
            .saturating_sub(bottom.significant_bits());
        let work = bits.saturating_add(whole).saturating_add(2);
        Interval::from_rational(&exponent, work).exp().at_bits(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against exponentials at many more bits: each power is enclosed, to almost as many bits as are asked for.
    #[test]
    fn powers_are_enclosed_narrowly() {
        for (step, usual) in [
            ((-1, 1), 10_001),
            ((-1, 1_000_000), 20_000),
            ((-700, 3), 50),
            ((-1, 7), 0),
            ((-1, 7), 1),
        ] {
            let step = Rational::from(step);
            let powers = Powers::new(&step, usual);
            for bits in [64, 200, 1100] {
                for k in [
                    0, 1, 2, 3, 7, 99, 100, 101, 9_999, 10_000, 10_001, 1_000_000,
                ] {
                    let truth =
                        Interval::from_rational(&Rational::from(&step * k), 4 * bits + 64).exp();
                    let found = powers.at(k, bits);
                    assert!(
                        *found.lo() <= *truth.hi() && *truth.lo() <= *found.hi(),
                        "{step} {k} {bits}"
                    );
                    let least = rug::Float::with_val(bits, found.lo() >> (bits - 4));
                    assert!(found.width_up() <= least, "{step} {k} {bits}");
                }
                let truth = Interval::from_rational(&step, 4 * bits).exp().one_minus();
                assert!(
                    powers.complement(bits).intersect(&truth).is_ok(),
                    "{step} {bits}"
                );
            }
        }
    }
}
