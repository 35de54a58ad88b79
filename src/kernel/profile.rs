//! The privacy profile of a dominating pair, as something that can be enclosed at any point.
//!
//! For a pair (P, Q), P without the record and Q with it, the privacy loss is L = log dQ/dP and
//!
//! * δ(u) = sup_E Q(E) − u·P(E) = E_Q[(1 − u·e^{−L})⁺] for u = e^ε > 0: convex, decreasing, from 1 to Q(L = ∞);
//! * s(u) = P(L > log u), the null's tail: −s(u) is a slope (subgradient) of δ at u;
//! * Q(L > log u) = δ(u) + u·s(u).
//!
//! The point (α, β) = (s(u), 1 − δ(u) − u·s(u)) lies on the trade-off curve T(P, Q).

use std::sync::Arc;

use rug::{Float, Rational};

use super::interval::{larger_of, smaller_of};
use super::{Budget, CellPlaces, Cells, Failure, Interval};

/// A place on the loss axis: ε and u = e^ε, each enclosed, with the exact value where it is known.
///
/// Invariant: some real ε lies in `log()` with e^ε in `exp()`; if an exact value is present it is that ε or u.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    log: Interval,
    exp: Interval,
    exact_log: Option<Rational>,
    exact_exp: Option<Rational>,
    accuracy: Accuracy,
}

/// How much work a profile may spend on an evaluation; never how true the answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accuracy {
    /// Small relative width even far out in the tail (slow there).
    Relative,
    /// About 2^-140 absolute width is enough (a table of the normal law may be used).
    Absolute,
}

impl Point {
    /// The point at an exact ε.
    pub fn at_epsilon(epsilon: &Rational, bits: u32) -> Self {
        let log = Interval::from_rational(epsilon, bits);
        let exact_exp = (*epsilon == 0).then(|| Rational::from(1));
        Self {
            exp: log.exp(),
            log,
            exact_log: Some(epsilon.clone()),
            exact_exp,
            accuracy: Accuracy::Relative,
        }
    }

    /// The point at an exact u > 0.
    ///
    /// Requires: `u > 0` (otherwise ε is the whole line from −∞).
    pub fn at_exp_epsilon(u: &Rational, bits: u32) -> Self {
        let exp = Interval::from_rational(u, bits);
        let exact_log = (*u == 1).then(Rational::new);
        Self {
            log: exp.ln(),
            exp,
            exact_log,
            exact_exp: Some(u.clone()),
            accuracy: Accuracy::Relative,
        }
    }

    /// The point at a real ε known by enclosure.
    pub fn at_log(log: Interval) -> Self {
        Self {
            exp: log.exp(),
            log,
            exact_log: None,
            exact_exp: None,
            accuracy: Accuracy::Relative,
        }
    }

    /// The point with both coordinates known by enclosure.
    ///
    /// Requires: the same real ε is in `log` and has e^ε in `exp`.
    pub fn at_both(log: Interval, exp: Interval) -> Self {
        Self {
            log,
            exp,
            exact_log: None,
            exact_exp: None,
            accuracy: Accuracy::Relative,
        }
    }

    /// The same point, evaluated with the given effort.
    #[must_use]
    pub fn with_accuracy(mut self, accuracy: Accuracy) -> Self {
        self.accuracy = accuracy;
        self
    }

    /// The mirrored point: −ε and 1/u.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self {
            log: self.log.neg(),
            exp: self.exp.recip(),
            exact_log: self.exact_log.clone().map(|e| -e),
            exact_exp: self
                .exact_exp
                .as_ref()
                .filter(|u| **u != 0)
                .map(|u| u.clone().recip()),
            accuracy: self.accuracy,
        }
    }

    /// The point at ε − loss, for an exact loss (u·e^{−loss}).
    #[must_use]
    pub fn minus_exact(&self, loss: &Rational) -> Self {
        if *loss == 0 {
            return self.clone();
        }
        match &self.exact_log {
            Some(e) => Self::at_epsilon(&Rational::from(e - loss), self.bits()),
            None => self.minus(&Interval::from_rational(loss, self.bits())),
        }
        .with_accuracy(self.accuracy)
    }

    /// The point at ε − loss, for a loss known by enclosure.
    #[must_use]
    pub fn minus(&self, loss: &Interval) -> Self {
        Self::at_log(self.log.sub(loss)).with_accuracy(self.accuracy)
    }

    /// Enclosure of ε.
    pub fn log(&self) -> &Interval {
        &self.log
    }

    /// Enclosure of u = e^ε.
    pub fn exp(&self) -> &Interval {
        &self.exp
    }

    /// ε, where it is known exactly.
    pub fn exact_log(&self) -> Option<&Rational> {
        self.exact_log.as_ref()
    }

    /// u, where it is known exactly.
    pub fn exact_exp(&self) -> Option<&Rational> {
        self.exact_exp.as_ref()
    }

    /// The effort asked for.
    pub fn accuracy(&self) -> Accuracy {
        self.accuracy
    }

    /// Working precision in bits.
    pub fn bits(&self) -> u32 {
        self.log.bits()
    }
}

/// Enclosures of δ(u) and of the null's tail s(u) = P(L > log u) at one point.
#[derive(Debug, Clone)]
pub struct ProfilePoint {
    /// δ(u), in [0, 1].
    pub delta: Interval,
    /// A number s with −s a subgradient of δ at u; P(L > log u) or P(L ≥ log u) or between. In [0, 1].
    pub null_tail: Interval,
}

impl ProfilePoint {
    /// A knot from supporting lines (value at the point, null's tail) of a profile and an upper bound of its value.
    ///
    /// Requires: δ' is nowhere below any of the lines, and at the point not above `upper` and the largest line.
    /// The lines 0 and 1 − u support every profile and take part.
    /// Ensures: `delta` encloses the larger of δ' and those two lines; `null_tail` covers the slope of every line that
    /// may be the largest, so that (null_tail, 1 − delta − u·null_tail) bounds the trade-off curve from above.
    pub fn on_lines(
        lines: impl IntoIterator<Item = (Interval, Interval)>,
        upper: &Interval,
        u: &Interval,
    ) -> Self {
        let bits = u.bits().max(upper.bits());
        let (zero, one) = (Interval::zero(bits), Interval::one(bits));
        let mut all = vec![(zero.clone(), zero.clone()), (u.one_minus(), one.clone())];
        all.extend(lines);
        let values = || all.iter().map(|(value, _)| value);
        let least = values().fold(zero.lo(), |most, value| larger_of(most, value.lo()));
        let most = values().fold(zero.hi(), |most, value| larger_of(most, value.hi()));
        let mut tails = all.iter().filter(|(value, _)| value.hi() >= least);
        let tail = match tails.next() {
            Some((_, first)) => {
                let first = (first.lo(), first.hi());
                let (lo, hi) = tails.fold(first, |(lo, hi), (_, tail)| {
                    (smaller_of(lo, tail.lo()), larger_of(hi, tail.hi()))
                });
                Interval::between_or_line(lo.clone(), hi.clone())
            }
            None => zero.hull(&one),
        };
        // The ends cannot cross: the upper one is not below what is at least as large as the lower one.
        let most = larger_of(most, upper.hi());
        let delta = Interval::between_or_line(least.clone(), most.clone());
        Self {
            delta: delta.in_unit(),
            null_tail: tail.at_least_zero(),
        }
    }
}

/// An end of the support of the finite part of the privacy loss.
#[derive(Debug, Clone)]
pub enum LossBound {
    /// The loss never goes beyond this value.
    Finite {
        /// Enclosure of the bound, which is attained or approached.
        value: Interval,
        /// The bound itself, where it is rational.
        exact: Option<Rational>,
    },
    /// The loss is unbounded on this side.
    Unbounded,
}

impl LossBound {
    /// The bound on the other side of the losses of the pair in the other order.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Finite { value, exact } => Self::Finite {
                value: value.neg(),
                exact: exact.map(|x| -x),
            },
            Self::Unbounded => Self::Unbounded,
        }
    }

    /// The largest of several ends; unbounded if one is, or there is none.
    pub fn largest(ends: impl IntoIterator<Item = Self>) -> Self {
        Self::farthest(ends, Interval::max, Rational::max)
    }

    /// The smallest of several ends; unbounded if one is, or there is none.
    pub fn smallest(ends: impl IntoIterator<Item = Self>) -> Self {
        Self::farthest(ends, Interval::min, Rational::min)
    }

    fn farthest(
        ends: impl IntoIterator<Item = Self>,
        farther: impl Fn(&Interval, &Interval) -> Interval,
        exactly: impl Fn(Rational, Rational) -> Rational,
    ) -> Self {
        let join = |a, b| match (a, b) {
            (
                Self::Finite { value, exact },
                Self::Finite {
                    value: other,
                    exact: also,
                },
            ) => Self::Finite {
                value: farther(&value, &other),
                exact: exact.zip(also).map(|(a, b)| exactly(a, b)),
            },
            (Self::Unbounded, _) | (_, Self::Unbounded) => Self::Unbounded,
        };
        ends.into_iter().reduce(join).unwrap_or(Self::Unbounded)
    }

    /// The bound of a largest loss: no pair has one below 0, as δ(u) ≥ 1 − u.
    #[must_use]
    pub fn at_least_zero(self) -> Self {
        match self {
            Self::Finite { value, exact } => Self::Finite {
                value: value.at_least_zero(),
                exact: exact.map(|x| x.max(Rational::new())),
            },
            Self::Unbounded => Self::Unbounded,
        }
    }
}

/// How finely a profile is to be enclosed that is only known between others; never how truly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fineness {
    /// Cells across the bulk of a law.
    pub cells: u32,
    /// Masses below about 2^−(this) may be given up.
    pub depth: u32,
}

/// A profile above and a profile below one.
#[derive(Clone)]
pub struct Between {
    /// Nowhere below.
    pub upper: Arc<dyn Profile>,
    /// Nowhere above.
    pub lower: Arc<dyn Profile>,
}

/// The privacy profile of one dominating pair (P, Q).
///
/// Ensures, for every implementation: `at(p).delta` contains δ at every point that satisfies `p`,
/// likewise `null_tail`; both shrink to the truth as `p.bits()` grows and `p` narrows.
pub trait Profile: Send + Sync {
    /// Encloses δ and the null's tail at a point.
    fn at(&self, point: &Point) -> ProfilePoint;

    /// The profile of the swapped pair (Q, P): δ_(Q,P)(u) = 1 − u + u·δ_(P,Q)(1/u) (theory, Conventions).
    fn swapped(&self) -> Arc<dyn Profile>;

    /// Least upper bound of the finite values of L = log dQ/dP under Q.
    fn max_loss(&self, bits: u32) -> LossBound;

    /// Greatest lower bound of the finite values of L = log dQ/dP under Q.
    fn min_loss(&self, bits: u32) -> LossBound;

    /// Q(L = +∞), the mass that Q has where P has none: the limit of δ as u → ∞.
    fn infinite_mass(&self, bits: u32) -> Interval;

    /// About the ε > 0 where δ falls to this level: a place to look at first, of which nothing is believed.
    fn about(&self, _level: &Float) -> Option<Float> {
        None
    }

    /// About the ε > 0 where the null's tail falls to this level, likewise.
    fn about_tail(&self, _level: &Float) -> Option<Float> {
        None
    }

    /// At least δ at the point, where that is known for a small part of the price of an evaluation.
    fn delta_up(&self, _point: &Point) -> Option<Float> {
        None
    }

    /// Does the pair in the other order have a δ that is clearly larger at the point, as far as floats see? Nothing is believed of it.
    fn trails(&self, _point: &Point) -> bool {
        false
    }

    /// Profiles of which this one is the larger at every point, if it is such a one.
    fn either(&self) -> Option<[Arc<dyn Profile>; 2]> {
        None
    }

    /// δ at the point as an exact rational, where it is one and that is known (claims that hold with equality).
    fn exact_delta(&self, _point: &Point) -> Option<Rational> {
        None
    }

    /// Q(L = +∞) as an exact rational, where it is known.
    fn exact_infinite_mass(&self) -> Option<Rational> {
        None
    }

    /// The pair itself as exact probability vectors (p, q) of equal length, where it is finite and rational.
    fn exact_pair(&self) -> Option<Arc<(Vec<Rational>, Vec<Rational>)>> {
        None
    }

    /// Bounds for all cells between some places at once, where the pair has a fast way to them.
    ///
    /// An empty answer is always allowed: the places may be out of the fast way's range.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] when the budget ends.
    fn cells(&self, _places: &CellPlaces<'_>, _budget: &Budget) -> Result<Option<Cells>, Failure> {
        Ok(None)
    }

    /// Is an evaluation cheap to any number of digits? If not, [`Profile::between`] has profiles above and below.
    fn is_closed_form(&self) -> bool {
        true
    }

    /// Profiles above and below this one, each of a law of its own, where nothing but such profiles is computed; the finer, the dearer.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] when the budget ends.
    fn between(&self, _fineness: Fineness, _budget: &Budget) -> Result<Option<Between>, Failure> {
        Ok(None)
    }

    /// Is the pair known to be as informative in one order as in the other, f = f⁻¹?
    fn is_symmetric(&self) -> bool {
        false
    }

    /// The rate r and μ² of the pair N(0, 1) against (1 − r)·N(0, 1) + r·N(μ, 1), if it is that one.
    fn sampled_gaussian(&self) -> Option<(Rational, Rational)> {
        None
    }

    /// The same for that pair in the other order.
    fn swapped_sampled_gaussian(&self) -> Option<(Rational, Rational)> {
        None
    }

    /// The rate r and μ² of the pair (1 − r)·N(0, 1) + r·N(−μ, 1) against (1 − r)·N(0, 1) + r·N(μ, 1), if it is that one.
    fn replaced_gaussian(&self) -> Option<(Rational, Rational)> {
        None
    }

    /// μ² > 0, if the pair is N(0, 1) against N(μ, 1).
    fn mu_squared(&self) -> Option<&Rational> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_losses_are_not_below_zero() {
        for (end, expected) in [(-2, 0), (0, 0), (3, 3)] {
            let bound = LossBound::Finite {
                value: Interval::from_i64(end, 20),
                exact: Some(Rational::from(end)),
            };
            let LossBound::Finite { value, exact } = bound.at_least_zero() else {
                panic!("unbounded")
            };
            assert_eq!(value, Interval::from_i64(expected, 20));
            assert_eq!(exact, Some(Rational::from(expected)));
        }
    }

    /// An upper bound with a lower end of its own, which counts for nothing.
    #[test]
    fn only_the_upper_end_of_the_upper_bound_counts() {
        let at = |lo: i64, hi: i64| {
            let [lo, hi] = [lo, hi].map(|n| Interval::from_rational(&Rational::from((n, 16)), 20));
            lo.hull(&hi)
        };
        let line = || [(at(4, 5), at(8, 8))];
        let u = at(16, 16);
        for (upper, most) in [(at(0, 6), 6), (at(6, 6), 6), (at(0, 1), 5)] {
            let found = ProfilePoint::on_lines(line(), &upper, &u);
            assert_eq!(found.delta, at(4, most));
            assert_eq!(found.null_tail, at(8, 8));
        }
    }

    /// Beside what is enclosed, what is exact moves along.
    #[test]
    fn points_that_are_moved() {
        let third = Rational::from((1, 3));
        let mirrored = Point::at_exp_epsilon(&third, 40).mirrored();
        assert_eq!(mirrored.exact_exp(), Some(&Rational::from(3)));
        assert!(mirrored.exp().intersect(&Interval::from_i64(3, 40)).is_ok());
        let nowhere = Point {
            exact_exp: Some(Rational::new()),
            ..Point::at_log(Interval::whole_line(40))
        };
        assert!(nowhere.mirrored().exact_exp().is_none());
        let one = Rational::from(1);
        let exact = Point::at_epsilon(&third, 40);
        let enclosed = Point::at_log(Interval::from_rational(&third, 40));
        for point in [&exact, &enclosed] {
            let moved = point.minus_exact(&one);
            let expected = Interval::from_rational(&Rational::from((-2, 3)), 60);
            assert!(moved.log().intersect(&expected).is_ok());
            assert!(*moved.log().hi() < 0);
            assert!(
                point
                    .minus_exact(&Rational::new())
                    .log()
                    .intersect(point.log())
                    .is_ok()
            );
        }
        assert_eq!(
            exact.minus_exact(&third).exact_log(),
            Some(&Rational::new())
        );
    }
}
