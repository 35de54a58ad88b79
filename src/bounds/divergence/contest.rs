//! Two mechanisms whose Bayes errors are compared, each known from both sides.

use rug::Float;

use crate::bounds::curve::{Curve, CurvePoint};
use crate::bounds::two_sided::TwoSided;
use crate::kernel::{Interval, InvariantViolation, LossBound, Pick};
use crate::mechanism::Prior;

/// Two mechanisms whose Bayes errors are compared, and the density on the prior.
pub(super) struct Contest<'a> {
    pub first: Sides,
    pub second: Sides,
    pub weight: &'a Prior,
    /// Places where the difference may be large.
    pub hints: &'a [Float],
}

/// The Bayes errors of one mechanism, from above and from below.
pub(super) struct Sides {
    /// The profile nowhere above: it leaves the attacker more error.
    pub lower: Curve,
    /// The profile nowhere below.
    pub upper: Curve,
    /// Are both the same profile?
    pub is_closed_form: bool,
    /// δ(ε) = 0 from here on.
    pub harmless_from: Option<Float>,
    /// δ(ε) = 1 − e^ε up to here.
    pub harmless_to: Option<Float>,
}

impl Sides {
    pub(super) fn of(sides: &TwoSided) -> Self {
        let bits = 256;
        let upper = Curve::new(sides.upper.clone());
        let lower = if sides.is_closed_form() {
            upper.clone()
        } else {
            Curve::new(sides.lower.clone())
        };
        let known = &sides.known_range;
        let harmless_from = known
            .max
            .as_ref()
            .map(|end| end.hi().clone())
            .or_else(|| upper.largest_loss(bits));
        let harmless_to = known
            .min
            .as_ref()
            .map(|end| end.lo().clone())
            .or_else(|| upper.mirrored().largest_loss(bits).map(|end| -end));
        Self {
            lower,
            upper,
            is_closed_form: sides.is_closed_form(),
            harmless_from,
            harmless_to,
        }
    }
}

impl<'a> Contest<'a> {
    pub(super) fn new(
        first: &TwoSided,
        second: &TwoSided,
        weight: &'a Prior,
        hints: &'a [Float],
    ) -> Self {
        Self {
            first: Sides::of(first),
            second: Sides::of(second),
            weight,
            hints,
        }
    }

    /// Is all that is known of both errors, and the weight, the same at π and 1 − π?
    pub(super) fn is_symmetric(&self) -> bool {
        self.weight.is_uniform() && self.first.is_symmetric() && self.second.is_symmetric()
    }

    /// Encloses R_A − R_B at ε.
    fn gap(&self, epsilon: &Float, bits: u32) -> Result<Interval, InvariantViolation> {
        let first = self.first.error(epsilon, bits)?;
        Ok(first.sub(&self.second.error(epsilon, bits)?))
    }
}

impl Sides {
    /// δ(ε) = 1 − e^ε + e^ε·δ(−ε) for both profiles, and the range of the loss is that of its negative: R(π) = R(1 − π).
    fn is_symmetric(&self) -> bool {
        let mirrored = self
            .harmless_to
            .as_ref()
            .map(|end| Float::with_val(end.prec(), -end));
        let curves = [&self.lower, &self.upper];
        mirrored == self.harmless_from && curves.iter().all(|curve| curve.forward.is_symmetric())
    }

    /// Encloses the Bayes error at the prior with odds e^ε.
    fn error(&self, epsilon: &Float, bits: u32) -> Result<Interval, InvariantViolation> {
        Place::at(self, epsilon, bits).error()
    }

    /// [`Self::error`], where the point of the lower profile's curve is known.
    pub(super) fn error_with(
        &self,
        lower: &CurvePoint,
        upper: impl Fn(&Curve) -> CurvePoint,
    ) -> Result<Interval, InvariantViolation> {
        let low = if self.is_closed_form {
            self.error_down(lower)
        } else {
            self.error_down(&upper(&self.upper))
        };
        between(low, lower.bayes_error().hi().clone())
    }

    /// [`Self::error`], where the point of the upper profile's curve is known.
    pub(super) fn error_from(
        &self,
        upper: &CurvePoint,
        lower: impl Fn(&Curve) -> CurvePoint,
    ) -> Result<Interval, InvariantViolation> {
        let high = if self.is_closed_form {
            upper.bayes_error()
        } else {
            lower(&self.lower).bayes_error()
        };
        between(self.error_down(upper), high.hi().clone())
    }

    /// Lower bound of the Bayes error at a point of the upper profile's curve.
    pub(super) fn error_down(&self, point: &CurvePoint) -> Float {
        let least = point.diagonal_down();
        let epsilon = &point.epsilon;
        let harmless = self
            .harmless_from
            .as_ref()
            .is_some_and(|end| epsilon >= end)
            || self.harmless_to.as_ref().is_some_and(|end| epsilon <= end);
        if !harmless {
            return least;
        }
        // No test beats guessing: R = min(π, 1 − π).
        let (small, _) = point.odds_shares();
        least.larger(small.lo())
    }
}

impl Contest<'_> {
    /// The certain sign of R_A − R_B, if there is one: true is positive.
    ///
    /// # Errors
    /// If the two profiles of a mechanism contradict each other.
    pub(super) fn sign(
        &self,
        epsilon: &Float,
        bits: u32,
    ) -> Result<Option<bool>, InvariantViolation> {
        Ok(sign_of(&self.gap(epsilon, bits)?))
    }
}

/// The certain sign of a number, if there is one: true is positive.
pub(super) fn sign_of(gap: &Interval) -> Option<bool> {
    if *gap.lo() > 0 {
        Some(true)
    } else if *gap.hi() < 0 {
        Some(false)
    } else {
        None
    }
}

/// One mechanism at a place, from both sides.
pub(super) struct Place {
    /// The point of the lower profile's curve.
    pub(super) lower: CurvePoint,
    /// The Bayes error is at least this.
    pub(super) error_down: Float,
}

impl Place {
    pub(super) fn at(sides: &Sides, epsilon: &Float, bits: u32) -> Self {
        let lower = sides.lower.point(epsilon, bits);
        let error_down = if sides.is_closed_form {
            sides.error_down(&lower)
        } else {
            sides.error_down(&sides.upper.point(epsilon, bits))
        };
        Self { lower, error_down }
    }

    /// Encloses the Bayes error.
    pub(super) fn error(&self) -> Result<Interval, InvariantViolation> {
        between(
            self.error_down.clone(),
            self.lower.bayes_error().hi().clone(),
        )
    }
}

/// Bounds of one Bayes error from two profiles; what is no number bounds nothing.
fn between(low: Float, high: Float) -> Result<Interval, InvariantViolation> {
    if low.is_nan() || high.is_nan() {
        return Ok(Interval::whole_line(low.prec().max(high.prec())));
    }
    Interval::new(low, high)
}

impl Curve {
    /// The loss beyond which δ is certainly 0, if there is one.
    pub(super) fn largest_loss(&self, bits: u32) -> Option<Float> {
        if *self.forward.infinite_mass(bits).hi() > 0 {
            return None;
        }
        match self.forward.max_loss(bits) {
            LossBound::Finite { value, .. } if value.hi().is_finite() => Some(value.hi().clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::bounds::LossRange;
    use crate::bounds::testing::{Finite, Gaussian};

    fn at(n: i64) -> Interval {
        Interval::from_i64(n, 60)
    }

    /// Ends that are known by intervals count with the farther one.
    #[test]
    fn ranges_of_the_loss() {
        let pair = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]).sides();
        let range = LossRange {
            max: Some(at(1).hull(&at(2))),
            min: Some(at(-3).hull(&at(-2))),
        };
        let sides = Sides::of(&TwoSided::between(pair.upper, pair.lower, range));
        assert_eq!(
            (sides.harmless_from, sides.harmless_to),
            (Some(Float::with_val(8, 2)), Some(Float::with_val(8, -3)))
        );
    }

    /// Errors of a pair that is known between two others, and beyond the range of its loss those of guessing.
    #[test]
    fn errors_between_two_profiles() {
        let lower = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let upper = Finite::new(&[(1, 4), (3, 4), (0, 1)], &[(74, 100), (25, 100), (1, 100)]);
        let range = LossRange {
            max: Some(at(2)),
            min: Some(at(-2)),
        };
        let sides = Sides::of(&TwoSided::between(
            upper.sides().upper,
            lower.sides().lower,
            range,
        ));
        let zero = Float::new(60);
        let error = |epsilon: &Float| sides.error(epsilon, 60).unwrap();
        // (1 − δ(0))/2, with δ(0) = 1/2 and 0.49 + 0.01.
        let found = error(&Float::with_val(60, 0.5));
        let exact = |delta: f64, e: f64| (1.0 - delta) / (1.0 + e);
        let e = 0.5f64.exp();
        let (low, high) = (exact(0.74 - 0.25 * e + 0.01, e), exact(0.75 - 0.25 * e, e));
        assert!(
            found.lo().to_f64() <= low + 1e-12 && found.hi().to_f64() >= high - 1e-12,
            "{found:?} {low} {high}"
        );
        assert!(found.width_up() < 0.01, "{found:?}");
        assert!(error(&zero).contains(&Rational::from((1, 4))));
        for (epsilon, is_guess) in [(-3, true), (-2, true), (2, true), (3, true)] {
            let found = error(&Float::with_val(60, epsilon));
            let guess = 1.0 / (1.0 + f64::from(epsilon).abs().exp());
            assert_eq!(
                (found.lo().to_f64() - guess).abs() < 1e-12,
                is_guess,
                "{epsilon}: {found:?} {guess}"
            );
        }
    }

    /// Who is better at guessing.
    #[test]
    fn signs_of_gaps() {
        let uniform = Prior::uniform();
        let zero = Float::new(60);
        let (one, two) = (Gaussian::sides(1, 1), Gaussian::sides(2, 1));
        let sign =
            |a: &TwoSided, b: &TwoSided| Contest::new(a, b, &uniform, &[]).sign(&zero, 60).unwrap();
        assert_eq!(sign(&one, &two), Some(true));
        assert_eq!(sign(&two, &one), Some(false));
        assert_eq!(sign(&one, &one), None);
    }

    #[test]
    fn what_is_no_number_bounds_nothing() {
        let nan = || Float::with_val(20, rug::float::Special::Nan);
        let one = || Float::with_val(50, 1);
        for found in [between(nan(), one()), between(one(), nan())] {
            assert_eq!(found.unwrap(), Interval::whole_line(50));
        }
        assert!(between(one(), Float::new(50)).is_err());
    }

    /// What is known of a pair by an upper profile alone is the upper profile's, and both have to be symmetric.
    #[test]
    fn each_side_has_its_profile() {
        let (near, far) = (
            Finite::new(&[(1, 2), (1, 2)], &[(1, 4), (3, 4)]).sides(),
            Finite::new(&[(1, 8), (7, 8)], &[(3, 4), (1, 4)]).sides(),
        );
        let both = |upper: &TwoSided, lower: &TwoSided| {
            TwoSided::between(
                upper.upper.clone(),
                lower.upper.clone(),
                LossRange::default(),
            )
        };
        let sides = Sides::of(&both(&far, &near));
        let log = |n: i64, d: i64| Interval::from_rational(&Rational::from((n, d)), 256).ln();
        assert_eq!(sides.harmless_from.as_ref(), Some(log(6, 1).hi()));
        assert_eq!(sides.harmless_to.as_ref(), Some(log(2, 7).lo()));
        let delta = |curve: &Curve| curve.point(&Float::new(60), 60).knot.delta;
        assert!(delta(&sides.upper).contains(&Rational::from((5, 8))));
        assert!(delta(&sides.lower).contains(&Rational::from((1, 4))));
        let plain = Gaussian::sides(1, 1);
        let of = crate::mechanism::symmetrised::Symmetrised::new(plain.upper.clone());
        let symmetric = TwoSided::closed_form(std::sync::Arc::new(of));
        let is = |upper, lower| Sides::of(&both(upper, lower)).is_symmetric();
        assert!(is(&symmetric, &symmetric));
        assert!(!is(&symmetric, &plain) && !is(&plain, &symmetric));
    }

    /// A loss ends only where no mass may be at infinity.
    #[test]
    fn largest_losses() {
        let pair = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let three = Interval::from_i64(3, 60).ln();
        let curve = Curve::new(pair.sides().upper);
        assert_eq!(curve.largest_loss(60).as_ref(), Some(three.hi()));
        let blurred = crate::bounds::testing::Blurred {
            pair,
            delta: Rational::from((1, 10)),
            null_tail: Rational::new(),
        };
        assert_eq!(
            Curve::new(std::sync::Arc::new(blurred)).largest_loss(60),
            None
        );
    }

    /// Where P has mass that Q has none of, only the range tells that nothing beats guessing at its lower end.
    #[test]
    fn errors_at_the_lower_end() {
        let lower = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let upper = Finite::new(&[(25, 100), (74, 100), (1, 100)], &[(3, 4), (1, 4), (0, 1)]);
        let range = LossRange {
            max: None,
            min: Some(at(-2)),
        };
        let sides = Sides::of(&TwoSided::between(
            upper.sides().upper,
            lower.sides().lower,
            range,
        ));
        let guess = |epsilon: f64| 1.0 / (1.0 + epsilon.abs().exp());
        for (epsilon, is_guess) in [(-3.0, true), (-2.0, true), (-1.75, false)] {
            let found = sides.error(&Float::with_val(60, epsilon), 60).unwrap();
            assert_eq!(
                (found.lo().to_f64() - guess(epsilon)).abs() < 1e-12,
                is_guess,
                "{epsilon}: {found:?}"
            );
        }
    }

    /// Beyond the range of the loss the error is that of guessing, rounded down.
    #[test]
    fn guesses_at_few_bits() {
        let pair = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]).sides();
        let sides = Sides::of(&pair);
        for bits in 2..=20 {
            for eighths in (9..60).chain(-60..=-9) {
                let epsilon = Float::with_val(60, eighths) >> 3u32;
                let found = crate::kernel::coarse::at_most_bits(bits, || {
                    sides.error_down(&sides.upper.point(&epsilon, 60))
                });
                let odds = Float::with_val(200, epsilon.abs_ref()).exp();
                assert!(
                    found <= (odds + 1u32).recip(),
                    "{bits} bits: {eighths} {found}"
                );
            }
        }
    }

    /// Of a pair that reveals more no error is larger, at any place and few bits; where enough is known, and both losses are within their ranges, it is smaller.
    #[test]
    fn signs_at_random_places() {
        use crate::kernel::coarse::{Random, at_most_bits};
        let weak = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]).sides();
        let strong = Finite::new(&[(1, 8), (7, 8)], &[(7, 8), (1, 8)]).sides();
        let uniform = Prior::uniform();
        let contests = [
            (Contest::new(&strong, &weak, &uniform, &[]), false),
            (Contest::new(&weak, &strong, &uniform, &[]), true),
        ];
        let mut random = Random(78);
        for _ in 0..5_000 {
            let bits = 3 + u32::try_from(random.below(60)).unwrap();
            let n = i64::try_from(random.below(321)).unwrap() - 160;
            let epsilon = Float::with_val(64, n) / 64u32;
            for (contest, sign) in &contests {
                let found = at_most_bits(bits, || contest.sign(&epsilon, 64)).unwrap();
                assert_ne!(found, Some(!sign), "{epsilon} {bits}");
                // Both laws are told from guessing up to log 3.
                let is_known = bits > 20 && n.abs() <= 70;
                assert!(!is_known || found == Some(*sign), "{epsilon} {bits}");
            }
        }
    }

    /// Errors that are the same, exactly, have no sign, and do not cross.
    #[test]
    fn no_difference_has_no_sign() {
        let all = Finite::new(&[(1, 1), (0, 1)], &[(0, 1), (1, 1)]).sides();
        let uniform = Prior::uniform();
        let contest = Contest::new(&all, &all, &uniform, &[]);
        for epsilon in [-2, 0, 1] {
            let epsilon = Float::with_val(60, epsilon);
            assert_eq!(contest.sign(&epsilon, 60).unwrap(), None);
        }
    }
}
