//! Poisson subsampling of any pair: (P, Q) becomes (P, (1 − r)P + rQ).

use std::sync::Arc;

use rug::{Integer, Rational};

use super::evaluate::refined;
use super::gaussian_cells::{self, Mixing};
use crate::kernel::{
    Budget, CellPlaces, Cells, Failure, Interval, LossBound, Point, Profile, ProfilePoint,
};

/// The pair (P, (1 − r)·P + r·Q) with 0 < r < 1, Q' − u·P = r·(Q − v·P) for v = (u − 1 + r)/r:
///
/// δ'(u) = r·δ(v), s'(u) = s(v) for u > 1 − r; δ'(u) = 1 − u, s' = 1 below
/// (Balle, Barthe and Gaboardi 2018, Theorem 2: advanced joint convexity).
pub struct Subsampled {
    rate: Rational,
    of: Arc<dyn Profile>,
}

/// The swapped pair ((1 − r)·P + r·Q, P), P − u·Q' = w·(P − v·Q) for w = 1 − u(1 − r) > 0, v = ur/w:
///
/// δ'(u) = w·δ̃(v), s'(u) = (1 − r)(δ̃(v) + v·s̃(v)) + r·s̃(v), where δ̃, s̃ belong to (Q, P); both 0 for w ≤ 0.
struct SubsampledSwapped {
    rate: Rational,
    of: Arc<dyn Profile>,
}

/// Poisson subsampling at the given rate; the profile itself at rate 1.
///
/// Requires: `0 < rate ≤ 1`.
pub fn subsampled(rate: &Rational, of: Arc<dyn Profile>) -> Arc<dyn Profile> {
    if *rate == 1 {
        return of;
    }
    Arc::new(Subsampled {
        rate: rate.clone(),
        of,
    })
}

impl Subsampled {
    /// Where the original profile is needed: v = (u − 1 + r)/r, or `None` if v ≤ 0 for certain.
    ///
    /// Requires: u − 1 in `growth`.
    fn inner(&self, point: &Point, growth: &Interval) -> Option<Point> {
        let bits = point.bits();
        let rate = Interval::from_rational(&self.rate, bits);
        if let Some(u) = point.exact_exp() {
            let v = (Rational::from(u - 1) + &self.rate) / &self.rate;
            return (v > 0).then(|| at_exact_exp(&v, point));
        }
        let scaled = growth.div(&rate);
        let v = scaled.add(&Interval::one(bits));
        if v.is_not_positive() {
            return None;
        }
        let inner = Point::at_both(scaled.ln_1p(), v.at_least_zero());
        Some(inner.with_accuracy(point.accuracy()))
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let growth = point.log().exp_m1();
        let all = || growth.neg().in_unit();
        let Some(inner) = self.inner(point, &growth) else {
            return ProfilePoint {
                delta: all(),
                null_tail: Interval::one(bits),
            };
        };
        let rate = Interval::from_rational(&self.rate, bits);
        let knot = self.of.at(&inner);
        let scaled = rate.mul(&knot.delta);
        if inner.log().lo().is_finite() {
            // δ' ≥ 1 − u for every pair; the maximum only sharpens the lower end.
            return ProfilePoint {
                delta: scaled.max(&all()),
                null_tail: knot.null_tail,
            };
        }
        // v may be ≤ 0: there δ' = 1 − u and s' = 1, while δ' ≥ r·δ(v) holds at every u.
        ProfilePoint {
            delta: scaled.hull(&all()),
            null_tail: knot.null_tail.hull(&Interval::one(bits)),
        }
    }
}

impl Profile for Subsampled {
    fn at(&self, point: &Point) -> ProfilePoint {
        refined(point, |p| self.knot(p))
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(SubsampledSwapped {
            rate: self.rate.clone(),
            of: Arc::clone(&self.of),
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        mapped(&self.rate, self.of.max_loss(bits), bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        // Mass of P where Q has none becomes the finite loss log(1 − r).
        if self.of.swapped().infinite_mass(bits).is_zero()
            && let bound @ LossBound::Finite { .. } = self.of.min_loss(bits)
        {
            return mapped(&self.rate, bound, bits);
        }
        let rate = Interval::from_rational(&self.rate, bits);
        LossBound::Finite {
            value: rate.neg().ln_1p(),
            exact: None,
        }
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        let rate = Interval::from_rational(&self.rate, bits);
        rate.mul(&self.of.infinite_mass(bits))
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let Some(inner) = self.inner(point, &point.log().exp_m1()) else {
            return point.exact_exp().map(|u| Rational::from(1 - u));
        };
        if inner.log().lo().is_infinite() {
            return None;
        }
        Some(self.of.exact_delta(&inner)? * &self.rate)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(self.of.exact_infinite_mass()? * &self.rate)
    }

    fn sampled_gaussian(&self) -> Option<(Rational, Rational)> {
        self.of
            .mu_squared()
            .map(|square| (self.rate.clone(), square.clone()))
    }

    fn cells(&self, places: &CellPlaces<'_>, budget: &Budget) -> Result<Option<Cells>, Failure> {
        let Some(square) = self.of.mu_squared() else {
            return Ok(None);
        };
        gaussian_cells::cells(square, &Mixing::Alternative(&self.rate), places, budget)
    }
}

impl SubsampledSwapped {
    /// w = 1 − u(1 − r) and where the original profile is needed, v = ur/w; `None` if w ≤ 0 for certain.
    fn inner(&self, point: &Point) -> Option<(Interval, Point)> {
        let bits = point.bits();
        let rate = Interval::from_rational(&self.rate, bits);
        if let Some(u) = point.exact_exp() {
            let w = 1 - Rational::from(1 - &self.rate) * u;
            if w <= 0 {
                return None;
            }
            let v = Rational::from(u * &self.rate) / &w;
            return Some((Interval::from_rational(&w, bits), at_exact_exp(&v, point)));
        }
        let w = point.log().add(&rate.neg().ln_1p()).exp_m1().neg();
        if w.is_not_positive() {
            return None;
        }
        let w = w.at_least_zero();
        let log = point.log().add(&rate.ln()).sub(&w.ln());
        let v = if w.is_positive() {
            point.exp().mul(&rate).div(&w)
        } else {
            log.exp()
        };
        let inner = Point::at_both(log, v).with_accuracy(point.accuracy());
        Some((w, inner))
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let zero = Interval::zero(bits);
        let Some((w, inner)) = self.inner(point) else {
            return ProfilePoint {
                delta: zero.clone(),
                null_tail: zero,
            };
        };
        if !w.is_positive() {
            // The end of the support may lie on either side: δ' ≤ w and s' ≤ 1 are what is left.
            return ProfilePoint {
                delta: zero.hull(&w).in_unit(),
                null_tail: zero.hull(&Interval::one(bits)),
            };
        }
        let rate = Interval::from_rational(&self.rate, bits);
        let knot = self.of.swapped().at(&inner);
        let upper_tail = knot.delta.add(&inner.exp().mul(&knot.null_tail)).in_unit();
        let null_tail = rate
            .one_minus()
            .mul(&upper_tail)
            .add(&rate.mul(&knot.null_tail));
        ProfilePoint {
            delta: w.mul(&knot.delta).max(&point.exp().one_minus()).in_unit(),
            null_tail: null_tail.in_unit(),
        }
    }

    fn stated(&self) -> Subsampled {
        Subsampled {
            rate: self.rate.clone(),
            of: Arc::clone(&self.of),
        }
    }
}

impl Profile for SubsampledSwapped {
    fn at(&self, point: &Point) -> ProfilePoint {
        refined(point, |p| self.knot(p))
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.stated())
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        mirrored(self.stated().min_loss(bits))
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        mirrored(self.stated().max_loss(bits))
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        // (1 − r)P + rQ has mass wherever P has.
        Interval::zero(bits)
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let Some((_, inner)) = self.inner(point) else {
            return Some(Rational::new());
        };
        let delta = self.of.swapped().exact_delta(&inner)?;
        if delta == 0 {
            return Some(delta);
        }
        let w = 1 - Rational::from(1 - &self.rate) * point.exact_exp()?;
        Some(delta * w)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }

    fn swapped_sampled_gaussian(&self) -> Option<(Rational, Rational)> {
        self.stated().sampled_gaussian()
    }

    fn cells(&self, places: &CellPlaces<'_>, budget: &Budget) -> Result<Option<Cells>, Failure> {
        let Some(square) = self.of.mu_squared() else {
            return Ok(None);
        };
        gaussian_cells::cells(square, &Mixing::Null(&self.rate), places, budget)
    }
}

/// log(1 − r + r·e^bound), increasing in the bound.
fn mapped(rate: &Rational, bound: LossBound, bits: u32) -> LossBound {
    let LossBound::Finite { value, exact } = bound else {
        return LossBound::Unbounded;
    };
    let rate = Interval::from_rational(rate, bits);
    LossBound::Finite {
        value: rate.mul(&value.exp_m1()).ln_1p(),
        exact: exact.filter(|e| *e == 0),
    }
}

fn mirrored(bound: LossBound) -> LossBound {
    match bound {
        LossBound::Finite { value, exact } => LossBound::Finite {
            value: value.neg(),
            exact: exact.map(|e| -e),
        },
        LossBound::Unbounded => LossBound::Unbounded,
    }
}

/// The exact point v, with log v accurate also close to v = 1.
fn at_exact_exp(v: &Rational, like: &Point) -> Point {
    let bits = like.bits();
    let near_one = Rational::from(v - 1).abs() < Rational::from((1, 2)) && *v != 1;
    if near_one {
        // Cancellation in log v costs as many bits as v − 1 has leading zeros.
        let lost = leading_zeros(&Rational::from(v - 1));
        return Point::at_exp_epsilon(v, bits.saturating_add(lost)).with_accuracy(like.accuracy());
    }
    Point::at_exp_epsilon(v, bits).with_accuracy(like.accuracy())
}

/// About −log2|x| for 0 < |x| < 1, at most 4096.
fn leading_zeros(x: &Rational) -> u32 {
    let bits = |n: &Integer| n.significant_bits();
    bits(x.denom()).saturating_sub(bits(x.numer())).min(4096)
}

#[cfg(test)]
#[path = "subsampled_tests.rs"]
mod tests;
