//! What a query returns, and how narrow it was asked to be.

use rug::{Float, Rational};

use crate::kernel::directed as d;
use crate::kernel::{Budget, Interval, InvariantViolation};

/// The width a query is asked to reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// This fraction of max(|value|, 1e-12).
    Relative(Rational),
    /// This width.
    Absolute(Rational),
}

/// How much work a query may do.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    /// Working precision to start with; raised when rounding stands in the way of the target.
    pub bits: u32,
    /// Width at which to stop.
    pub target: &'a Target,
    /// Width of an answer with which all would be done, if that is wider: a search need not look everywhere for the last digit then.
    pub goal: Option<&'a Target>,
    /// When it ends, the best certified enclosure so far is returned.
    pub budget: &'a Budget,
}

/// A certified enclosure of one number.
///
/// Invariant: `lower ≤ upper`, and an exact value, where it is known, lies between them. An end may be
/// infinite, where that is the bound known (or the value).
#[derive(Debug, Clone, PartialEq)]
pub struct Enclosure {
    lower: Float,
    upper: Float,
    exact: Option<Rational>,
    /// A number that it is at most, and that is at most `upper`.
    most: Option<Box<Rational>>,
}

/// Working precision is never raised beyond this many bits, nor beyond this many doublings.
const MOST_BITS: u32 = 1 << 14;
const MOST_DOUBLINGS: u32 = 5;

impl Target {
    /// Is the interval between these bounds of one value narrow enough?
    pub fn is_met(&self, lower: &Float, upper: &Float) -> bool {
        let bits = lower.prec().max(upper.prec());
        *lower == *upper || d::sub_up(upper, lower, bits) <= self.allowed_width(lower, upper, bits)
    }

    /// About the width allowed for a value between these bounds: it says when to stop, and no bound depends on it.
    pub fn allowed_width(&self, lower: &Float, upper: &Float, bits: u32) -> Float {
        match self {
            Self::Absolute(width) => d::rational_down(width, bits),
            Self::Relative(fraction) => {
                let floor = d::rational_down(&Rational::from((1, 1_000_000_000_000u64)), bits);
                let least = if *lower > 0 {
                    Float::with_val(bits, lower)
                } else if *upper < 0 {
                    -Float::with_val(bits, upper)
                } else {
                    Float::new(bits)
                };
                let size = if least > floor && least.is_finite() {
                    d::float_down(&least, bits)
                } else {
                    floor
                };
                d::mul_down(&d::rational_down(fraction, bits), &size, bits)
            }
        }
    }
}

impl Effort<'_> {
    /// Would all be done with an enclosure between these bounds?
    pub(super) fn is_enough(&self, lower: &Float, upper: &Float) -> bool {
        self.goal.is_some_and(|goal| goal.is_met(lower, upper))
    }

    /// Has the time run out?
    pub(super) fn is_over(&self) -> bool {
        self.budget.check().is_err()
    }

    /// Repeats a computation with twice the precision, as long as that brings it nearer to the target.
    ///
    /// Ensures: the result is the intersection of enclosures that `attempt` returned.
    pub(super) fn raising_bits(
        &self,
        mut attempt: impl FnMut(u32) -> Result<Enclosure, InvariantViolation>,
    ) -> Result<Enclosure, InvariantViolation> {
        let mut bits = self.bits.max(64);
        let mut best = attempt(bits)?;
        for _ in 0..MOST_DOUBLINGS {
            let done = best.exact.is_some() || best.meets(self.target);
            if done || self.is_over() || bits >= MOST_BITS {
                break;
            }
            bits = bits.saturating_mul(2);
            let before = best.width_up();
            best = best.intersect(&attempt(bits)?)?;
            let halved = Float::with_val(before.prec(), &before >> 1u32);
            if before.is_finite() && best.width_up() > halved {
                break;
            }
        }
        Ok(best)
    }
}

impl Enclosure {
    /// The enclosure between two bounds.
    ///
    /// # Errors
    /// If they cross: then one of them is false, which is an internal error.
    pub fn new(lower: Float, upper: Float) -> Result<Self, InvariantViolation> {
        Ok(Self::from_interval(&Interval::new(lower, upper)?))
    }

    /// The enclosure that an interval is.
    pub fn from_interval(interval: &Interval) -> Self {
        Self {
            lower: interval.lo().clone(),
            upper: interval.hi().clone(),
            exact: None,
            most: None,
        }
    }

    /// A value known exactly, with its bounds in `bits` bits.
    pub fn exactly(value: Rational, bits: u32) -> Self {
        Self {
            exact: Some(value.clone()),
            ..Self::from_interval(&Interval::from_rational(&value, bits))
        }
    }

    /// A value in an interval that is also at most `most`.
    ///
    /// # Errors
    /// If that is below the interval: an internal error.
    pub(crate) fn up_to(interval: &Interval, most: Rational) -> Result<Self, InvariantViolation> {
        let bound = Interval::from_rational(&most, interval.bits());
        let value = Self::from_interval(interval).at_most(bound.hi())?;
        Ok(Self {
            most: Some(Box::new(most)).filter(|most| value.upper >= **most),
            ..value
        })
    }

    /// Lower bound, rounded down.
    pub fn lower(&self) -> &Float {
        &self.lower
    }

    /// Upper bound, rounded up.
    pub fn upper(&self) -> &Float {
        &self.upper
    }

    /// The value itself, where it is rational and known.
    pub fn exact(&self) -> Option<&Rational> {
        self.exact.as_ref()
    }

    /// An exact number that the value is at most, where one is known: the value itself, or a bound of which [`Self::upper`] is rounded up.
    pub(crate) fn most(&self) -> Option<&Rational> {
        self.exact.as_ref().or(self.most.as_deref())
    }

    /// Both bounds as an interval.
    pub fn interval(&self) -> Interval {
        Interval::spanning(self.lower.clone(), self.upper.clone())
    }

    /// Upper bound of the width.
    pub fn width_up(&self) -> Float {
        self.interval().width_up()
    }

    /// Is it as narrow as asked?
    pub fn meets(&self, target: &Target) -> bool {
        target.is_met(&self.lower, &self.upper)
    }

    /// What both enclosures of one value say together.
    ///
    /// # Errors
    /// If they are disjoint, or their exact values differ: an internal error.
    pub fn intersect(&self, other: &Self) -> Result<Self, InvariantViolation> {
        let common = self.interval().intersect(&other.interval())?;
        let exact = match (&self.exact, &other.exact) {
            (Some(a), Some(b)) if a != b => {
                return Err(InvariantViolation(format!(
                    "one quantity has two exact values, {a} and {b}"
                )));
            }
            (Some(a), _) | (None, Some(a)) => Some(a.clone()),
            (None, None) => None,
        };
        let most = self.most.iter().chain(&other.most).min();
        if let Some(outside) = exact.as_ref().filter(|exact| !common.contains(exact)) {
            return Err(InvariantViolation(format!(
                "the exact value {outside} is outside its bounds"
            )));
        }
        Ok(Self {
            exact,
            most: most.filter(|most| *common.hi() >= ***most).cloned(),
            ..Self::from_interval(&common)
        })
    }

    /// The same value, now also known to be at least `bound`.
    ///
    /// # Errors
    /// If that contradicts the upper bound: an internal error.
    pub(super) fn at_least(self, bound: &Float) -> Result<Self, InvariantViolation> {
        let known = Self::new(bound.clone(), d::infinity(bound.prec()))?;
        self.intersect(&known)
    }

    /// The same value, now also known to be at most `bound`.
    ///
    /// # Errors
    /// If that contradicts the lower bound: an internal error.
    pub(super) fn at_most(self, bound: &Float) -> Result<Self, InvariantViolation> {
        let known = Self::new(d::neg_infinity(bound.prec()), bound.clone())?;
        self.intersect(&known)
    }

    /// The value bounded below by `low` and above by `high`, each an enclosure of a bound of it: exactly known where both bounds are the same number.
    ///
    /// # Errors
    /// If the bounds cross: an internal error.
    pub(crate) fn between(low: &Self, high: &Self) -> Result<Self, InvariantViolation> {
        let exact = low.exact.clone().filter(|_| low.exact == high.exact);
        Ok(Self {
            exact,
            most: high.most().cloned().map(Box::new),
            ..Self::new(low.lower.clone(), high.upper.clone())?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};

    /// An exact bound is kept for as long as it is the better one, and never passes for a float below it.
    #[test]
    fn bounds_that_are_exact() {
        let float = |x: f64| Float::with_val(64, x);
        let third = Rational::from((1, 3));
        let all = Interval::new(float(0.0), float(9.0)).unwrap();
        let known = Enclosure::up_to(&all, third.clone()).unwrap();
        assert_eq!(known.most(), Some(&third));
        assert!(*known.upper() > third && *known.upper() < 0.334);
        let within =
            |upper: f64| known.intersect(&Enclosure::new(float(0.0), float(upper)).unwrap());
        assert_eq!(within(0.5).unwrap().most(), Some(&third));
        let below = within(0.25).unwrap();
        assert!(below.most().is_none() && *below.upper() == 0.25);
        let small = Interval::new(float(0.0), float(0.25)).unwrap();
        assert!(
            Enclosure::up_to(&small, third.clone())
                .unwrap()
                .most()
                .is_none()
        );
        let whole = Enclosure::exactly(third.clone(), 64);
        let between = Enclosure::between(&below, &whole).unwrap();
        assert_eq!(between.most(), Some(&third));
    }

    /// No wider than was asked for, relative to the smallest number that the value can be.
    #[test]
    fn widths_at_few_bits() {
        let mut random = Random(1);
        for _ in 0..2000 {
            let bits = 2 + u32::try_from(random.below(20)).unwrap();
            let (a, b) = (random.float(40), random.float(40));
            let (lower, upper) = if a <= b { (a, b) } else { (b, a) };
            let fraction = Rational::from((1 + random.below(100), 1000));
            let relative = Target::Relative(fraction.clone());
            let found = at_most_bits(bits, || relative.allowed_width(&lower, &upper, 64));
            let least = if lower > 0 {
                lower.to_rational().unwrap()
            } else if upper < 0 {
                -upper.to_rational().unwrap()
            } else {
                Rational::new()
            };
            let size = least.max(Rational::from((1, 1_000_000_000_000u64)));
            assert!(
                found.to_rational().unwrap() <= size * &fraction,
                "{lower} {upper} {fraction}"
            );
            let absolute = Target::Absolute(fraction.clone());
            let found = at_most_bits(bits, || absolute.allowed_width(&lower, &upper, 64));
            assert!(found.to_rational().unwrap() <= fraction);
            let met = at_most_bits(bits, || relative.is_met(&lower, &upper));
            let width = upper.to_rational().unwrap() - lower.to_rational().unwrap();
            let allowed = relative
                .allowed_width(&lower, &upper, 200)
                .to_rational()
                .unwrap();
            assert!(!met || width <= allowed, "{lower} {upper} {fraction}");
        }
    }

    /// Widths next to the one that is allowed, ends of different lengths, and a fraction of the smaller end.
    #[test]
    fn targets_next_to_a_width() {
        let (one, small) = (Float::with_val(53, 1), Float::with_val(53, 1) >> 50u32);
        let more = Float::with_val(53, &one + &small);
        let met = |target: &Target, a: &Float, b: &Float| {
            let enclosure = Enclosure::new(a.clone(), b.clone()).unwrap();
            assert_eq!(enclosure.meets(target), target.is_met(a, b));
            assert_eq!(
                enclosure.interval(),
                Interval::new(a.clone(), b.clone()).unwrap()
            );
            target.is_met(a, b)
        };
        let exactly = Target::Absolute(more.to_rational().unwrap());
        let zero = Float::new(2);
        assert!(met(&exactly, &zero, &more));
        assert!(met(&exactly, &Float::with_val(53, -&more), &zero));
        let below = Target::Absolute(one.to_rational().unwrap());
        let next = Float::with_val(53, &one << 0u32) - (Float::with_val(53, 1) >> 60u32);
        assert!(met(&below, &zero, &next));
        // The width is 1 and a little that no number of this length holds.
        let tiny = Float::with_val(53, 1) >> 100u32;
        assert!(!met(&below, &Float::with_val(53, -1), &tiny));
        let half = Target::Relative(Rational::from((1, 2)));
        assert!(!met(&half, &one, &Float::with_val(53, 1.75)));
        assert!(met(&half, &one, &Float::with_val(53, 1.5)));
        assert!(!met(
            &half,
            &Float::with_val(53, -1.75),
            &Float::with_val(53, -1)
        ));
        assert!(!met(&half, &zero, &one));
    }

    #[test]
    fn a_goal_is_reached_or_not() {
        let (target, goal) = (
            Target::Absolute(Rational::new()),
            Target::Absolute(Rational::from(1)),
        );
        let budget = Budget::unlimited();
        let with = |goal| Effort {
            bits: 64,
            target: &target,
            goal,
            budget: &budget,
        };
        let (zero, half, two) = (
            Float::new(64),
            Float::with_val(64, 0.5),
            Float::with_val(64, 2),
        );
        assert!(with(Some(&goal)).is_enough(&zero, &half));
        assert!(!with(Some(&goal)).is_enough(&zero, &two));
        assert!(!with(None).is_enough(&zero, &zero));
    }

    /// As long as every doubling halves the width, and never beyond the most bits.
    #[test]
    fn doublings_go_on_while_they_help() {
        let (target, budget) = (Target::Absolute(Rational::new()), Budget::unlimited());
        let attempts = |bits: u32, shift: u32| {
            let effort = Effort {
                bits,
                target: &target,
                goal: None,
                budget: &budget,
            };
            let mut asked = Vec::new();
            let found = effort.raising_bits(|bits| {
                let times = shift * u32::try_from(asked.len()).unwrap();
                asked.push(bits);
                Enclosure::new(Float::new(64), Float::with_val(64, 1) >> times)
            });
            assert!(found.is_ok());
            asked
        };
        assert_eq!(attempts(8, 1), [64, 128, 256, 512, 1024, 2048]);
        assert_eq!(attempts(100, 0), [100, 200]);
        assert_eq!(attempts(MOST_BITS, 1), [MOST_BITS]);
        assert_eq!(attempts(MOST_BITS / 2, 1), [MOST_BITS / 2, MOST_BITS]);
    }

    /// Only what both sides know exactly, and agree on, is known exactly.
    #[test]
    fn exact_between_two() {
        let at = |n: i64| Enclosure::exactly(Rational::from(n), 60);
        let near = Enclosure::new(Float::with_val(60, 1), Float::with_val(60, 2)).unwrap();
        let exact =
            |low: &Enclosure, high: &Enclosure| Enclosure::between(low, high).unwrap().exact;
        assert_eq!(exact(&at(1), &at(1)), Some(Rational::from(1)));
        assert_eq!(exact(&at(1), &at(2)), None);
        assert_eq!(exact(&at(1), &near), None);
        assert_eq!(exact(&near, &at(2)), None);
        assert!(Enclosure::between(&at(2), &at(1)).is_err());
    }
}
