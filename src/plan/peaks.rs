//! Where floats see the Bayes errors of two mechanisms differ most.

use rug::Float;

use crate::float::{Curve, peaks};
use crate::kernel::Budget;
use crate::mechanism::{Adjacency, Mechanism};

/// More places than these are noise.
const MOST_PEAKS: usize = 8;

/// Bits of a place: a double has as many.
const BITS: u32 = 53;

/// A mechanism as floats see it, if they do.
pub struct Glance(Option<Curve>);

impl Glance {
    /// Prepares a mechanism, if there is time for that.
    pub fn at(mechanism: &Mechanism, adjacency: Adjacency, budget: &Budget) -> Self {
        Self(Curve::at_a_glance(mechanism, adjacency, budget).ok())
    }

    /// Of what floats know nothing.
    pub fn nothing() -> Self {
        Self(None)
    }

    /// ε at which R_A − R_B or R_B − R_A is locally largest, the most promising first; none where floats know nothing.
    pub fn peaks_against(&self, other: &Self) -> Vec<Float> {
        let (Some(a), Some(b)) = (&self.0, &other.0) else {
            return Vec::new();
        };
        let ways = peaks(a, b).into_iter();
        ways.flat_map(|places| places.into_iter().take(MOST_PEAKS))
            .filter(|epsilon| epsilon.is_finite())
            .map(|epsilon| Float::with_val(BITS, epsilon))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of discrete Gaussians whose losses are on a fine lattice a glance lists fewer, and sees the difference to a Gaussian peak where it is about as large as anywhere.
    #[test]
    fn a_glance_sees_the_largest_differences() {
        let parts = [("2.2359", 10u64), ("8.276", 10), ("21.3687", 10)];
        let parts = parts.map(|(sigma, times)| {
            let one = Mechanism::discrete_gaussian(sigma, 1);
            (one.unwrap(), times)
        });
        let discrete = Mechanism::compose(parts.to_vec()).unwrap();
        let gaussian = Mechanism::gaussian("0.6791", 1).unwrap();
        let both = Adjacency::AddRemove;
        let budget = Budget::unlimited();
        let [a, b] = [&discrete, &gaussian].map(|of| Curve::new(of, both).unwrap());
        let [c, d] = [&discrete, &gaussian].map(|of| Curve::at_a_glance(of, both, &budget));
        let difference = |epsilon: f64| {
            let prior = 1.0 / (1.0 + (-epsilon).exp());
            a.bayes_error(prior) - b.bayes_error(prior)
        };
        let fine = peaks(&a, &b).into_iter();
        let seen = peaks(&c.unwrap(), &d.unwrap()).into_iter();
        let mut most = 0f64;
        for ((fine, seen), sign) in fine.zip(seen).zip([1.0, -1.0]) {
            let largest = |places: Vec<f64>| {
                let values = places.into_iter().take(MOST_PEAKS);
                values.map(|at| sign * difference(at)).fold(0.0, f64::max)
            };
            let (fine, seen) = (largest(fine), largest(seen));
            assert!(seen >= 0.98 * fine - 1e-9, "{seen} {fine}");
            most = most.max(fine);
        }
        assert!(most > 1e-6, "{most}");
    }
}
