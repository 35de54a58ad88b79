//! Tests that a source names: points that the trade-off function of a mechanism is not above (I3 of `proofs/FORMAT.md`).

use crate::profile::Place;
use crate::source::Basis;
use crate::*;

/// Tests of a mechanism, and their mixtures: for each dataset the corners of the smallest concave curve above its tests, from (0, 0) to (1, 1), type-I
/// errors and powers in units of 2^-288.
pub struct Tests(Vec<Power>);

impl Tests {
    /// Of a law all its tests, else those at the ε that are named; in an order of the pair that is not the claim's `own`, each is one of that
    /// order, read the other way round.
    pub fn of(source: &Source, mechanism: &Mechanism, own: bool) -> Result<Self> {
        let both = mechanism.adjacency.is_both();
        let basis = source.basis(mechanism, Side::Lower)?;
        let malformed = || Rejected::malformed("tests are given by a law, or by epsilons");
        // Where each ε has its worst dataset, tests at two of them may be of two datasets (M8).
        let is_of_one = mechanism.has_convex_curve();
        let points: Vec<_> = match (basis, source.epsilons.is_empty()) {
            (Basis::Law(law), true) if own => law.tests()?,
            (Basis::Test(q, p), true) => vec![(p, q)],
            (Basis::Closed(pair), false) => {
                let at = |epsilon| Place::of(epsilon).and_then(|place| pair.at(&place));
                let points = source.epsilons.iter().map(at).collect::<Result<Vec<_>>>()?;
                points.into_iter().map(|point| (point.null.clone(), point.power())).collect()
            }
            (Basis::Law(_) | Basis::Test(..) | Basis::Guarantee(..), _) | (Basis::Closed(_), true) => {
                return Err(malformed());
            }
        };
        Ok(Self::new(points, own, both || !own, is_of_one))
    }

    pub fn new(points: Vec<(Real, Real)>, own: bool, turned: bool, is_of_one: bool) -> Self {
        // No type-I error is above 1.
        let one = Real::int(1).lo;
        let rounded = |(size, power): (Real, Real)| (size.hi.min(one.clone()), power.lo);
        let points: Vec<_> = points.into_iter().map(rounded).collect();
        Self(match is_of_one {
            true => vec![hull(points, own, turned)],
            false => points.into_iter().map(|point| hull(vec![point], own, turned)).collect(),
        })
    }

    /// A lower bound, in units of 2^-288, of the power of a test of size α.
    pub fn power(&self, alpha: &BigRational) -> Result<BigInt> {
        let most = BigRational::from(Real::of(alpha).lo);
        let powers = self.0.iter().map(|curve| curve.at(&most)).collect::<Result<Vec<_>>>()?;
        Ok(powers.into_iter().max().unwrap_or_default().floor().to_integer())
    }
}

/// Of tests that are claimed (`own`), read the other way round (`turned`) or both.
fn hull(tests: Vec<(BigInt, BigInt)>, own: bool, turned: bool) -> Power {
    let one = Real::int(1).lo;
    let mut points = vec![(BigInt::zero(), BigInt::zero()), (one.clone(), one.clone())];
    points.extend(tests.iter().filter(|_| turned).map(|(size, power)| (&one - power, &one - size)));
    points.extend(tests.into_iter().filter(|_| own));
    points.sort_unstable();
    let whole = |(size, power): (BigInt, BigInt)| (BigRational::from(size), BigRational::from(power));
    Power::around(points.into_iter().map(whole).collect())
}

#[cfg(test)]
#[path = "power_tests.rs"]
mod tests;
