//! How much mass the ends of a law may lose (a hint: any value is sound).

use rug::{Float, Integer};

use super::Lattice;

/// Mass that may be cut off at each end of a law, as an absolute probability.
#[derive(Debug, Clone)]
pub struct TailBudget {
    /// Probability under Q (both ends) and under P (left end).
    pub mass: Float,
}

impl TailBudget {
    /// A budget of this probability; nothing is trimmed if it is not a positive number.
    pub fn new(mass: Float) -> Self {
        Self {
            mass: if mass > 0 { mass } else { Float::new(64) },
        }
    }

    /// A share `steps/total` of the budget.
    #[must_use]
    pub fn share(&self, steps: u64, total: u64) -> Self {
        let scaled = Float::with_val(64, &self.mass * steps) / total.max(1);
        Self { mass: scaled }
    }

    /// How many atoms from the right weigh no more than the budget.
    pub(super) fn count_right(&self, masses: &[Integer], bits: u32) -> usize {
        let limit = self.limit(bits);
        count_light(masses.iter().rev().map(|n| Float::with_val(64, n)), &limit)
    }

    /// How many atoms from the left weigh no more than the budget, under Q and under P.
    ///
    /// The P-mass of an atom is its Q-mass times e^{−y}: far on the left it is the larger of the two, and the swapped
    /// direction lives on it.
    pub(super) fn count_left(
        &self,
        masses: &[Integer],
        lattice: &Lattice,
        first: i64,
        bits: u32,
    ) -> usize {
        let limit = self.limit(bits);
        let positions = lattice.positions(64);
        let weight = masses.iter().zip(first..).map(|(n, index)| {
            if *n == 0 {
                return Float::new(64);
            }
            let loss = positions.at(index).middle();
            let tilt = Float::with_val(64, -loss).exp();
            let count = Float::with_val(64, n);
            if tilt > 1 { count * tilt } else { count }
        });
        count_light(weight, &limit)
    }

    fn limit(&self, bits: u32) -> Float {
        Float::with_val(64, &self.mass << bits)
    }
}

fn count_light(weights: impl Iterator<Item = Float>, limit: &Float) -> usize {
    let mut total = Float::new(64);
    weights
        .take_while(|w| {
            total += w;
            total <= *limit
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Offset;
    use rug::Rational;

    #[test]
    fn counts_what_fits_the_budget() {
        let masses: Vec<Integer> = [1, 2, 100, 2, 1, 1]
            .into_iter()
            .map(Integer::from)
            .collect();
        let budget = TailBudget {
            mass: Float::with_val(64, 4) >> 10u32,
        };
        assert_eq!(budget.count_right(&masses, 10), 3);
        let flat = Lattice::new(Offset::default(), Rational::from((1, 1_000_000)));
        assert_eq!(budget.count_left(&masses, &flat, 0, 10), 2);
        let steep = Lattice::new(Offset::default(), Rational::from(1));
        assert_eq!(budget.count_left(&masses, &steep, -6, 10), 0);
        assert_eq!(budget.share(1, 4).count_right(&masses, 10), 1);
    }
}
