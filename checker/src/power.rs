//! Tests that a source names: points that the trade-off function of a mechanism is not above (I3 of `proofs/FORMAT.md`).

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

use crate::curve::Power;
use crate::law::{self, Law, Side};
use crate::profile::Place;
use crate::real::{Real, w};
use crate::reason::Rejected;
use crate::source::{Basis, Source};
use crate::step::Mechanism;

/// Tests of a mechanism, and their mixtures.
pub enum Tests {
    /// Of both orders of the pair, or of one.
    Law(Law, bool),
    /// For each dataset the corners of the smallest concave curve above its tests, from (0, 0) to (1, 1): type-I errors and powers, in units of 2^-288.
    Hulls(Vec<Power>),
}

impl Tests {
    /// Of a law all its tests, else those at the ε that are named; in an order of the pair that is not the claim's `own`, each is one of that
    /// order, read the other way round.
    pub fn of(source: &Source, mechanism: &Mechanism, own: bool, steps: &mut Vec<String>) -> Result<Self, Rejected> {
        let both = mechanism.adjacency.is_both();
        let basis = source.basis(mechanism, Side::Lower, steps)?;
        let malformed = || Rejected::malformed("tests are given by a law, or by epsilons");
        // Where each ε has its worst dataset, tests at two of them may be of two datasets (M8).
        let is_of_one = mechanism.has_convex_curve();
        let points: Vec<_> = match (basis, source.epsilons.is_empty()) {
            (Basis::Law(law), true) if own => return Ok(Self::Law(law, both)),
            (Basis::Test(q, p), true) => vec![(Real::of(p), Real::of(q))],
            (Basis::Closed(pair), false) => {
                let at = |epsilon| Place::of(epsilon).and_then(|place| pair.at(&place));
                let points = source.epsilons.iter().map(at).collect::<Result<Vec<_>, _>>()?;
                points.into_iter().map(|point| (point.null.clone(), point.power())).collect()
            }
            (Basis::Law(_) | Basis::Test(..) | Basis::Guarantee(..), _) | (Basis::Closed(_), true) => {
                return Err(malformed());
            }
        };
        // No type-I error is above 1.
        let one = Real::int(1).lo;
        let rounded = |(size, power): (Real, Real)| (size.hi.min(one.clone()), power.lo);
        let points: Vec<_> = points.into_iter().map(rounded).collect();
        let hull = |points| hull(points, own, both || !own);
        Ok(Self::Hulls(match is_of_one {
            true => vec![hull(points)],
            false => points.into_iter().map(|point| hull(vec![point])).collect(),
        }))
    }

    /// A lower bound, in units of 2^-288, of the power of a test of size α.
    pub fn power(&self, alpha: &BigRational) -> Result<BigInt, Rejected> {
        match self {
            Self::Law(law, both) => {
                let (one, most) = (BigInt::one() << law::bits(), Real::of(alpha).floor_units(law::bits()));
                let alone = law.power_at(alpha, false)?.0;
                let (power, size) = law.power_at(alpha, true)?;
                let turned = (&power + &most - &size).min(one - &size);
                Ok((if *both && size <= most { alone.max(turned) } else { alone }) << (w() - law::bits()))
            }
            Self::Hulls(hulls) => {
                let most = BigRational::from(Real::of(alpha).lo);
                let powers = hulls.iter().map(|curve| curve.at(&most)).collect::<Result<Vec<_>, _>>()?;
                Ok(powers.into_iter().max().unwrap_or_default().floor().to_integer())
            }
        }
    }
}

/// Of tests that are claimed (`own`), read the other way round (`turned`) or both.
fn hull(tests: Vec<(BigInt, BigInt)>, own: bool, turned: bool) -> Power {
    let one = Real::int(1).lo;
    let mut points = vec![(BigInt::zero(), BigInt::zero()), (one.clone(), one.clone())];
    points.extend(tests.iter().filter(|_| turned).map(|(size, power)| (&one - power, &one - size)));
    points.extend(tests.into_iter().filter(|_| own));
    points.sort();
    let whole = |(size, power): (BigInt, BigInt)| (BigRational::from(size), BigRational::from(power));
    Power::around(points.into_iter().map(whole).collect())
}

#[cfg(test)]
#[path = "power_tests.rs"]
mod tests;
