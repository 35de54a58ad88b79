//! The trade-off function f(α): the least type-II error at type-I error α.

use rug::{Float, Rational};

use super::curve::{Curve, CurvePoint, mix_up, unit_interval};
use super::enclosure::{Effort, Enclosure};
use super::sandwich::{Crossing, Cut, CutSide, Vertex, cross};
use super::two_sided::{LossRange, TwoSided};
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation};

/// Encloses f(α), the least false negative rate of a test with false positive rate at most α.
///
/// Below by the supporting lines f(α) ≥ 1 − δ(u) − uα of the upper profile, any u > 0; above by chords of
/// the curve of the lower profile (f is convex and non-increasing). α ≤ 0 and α ≥ 1 mean the ends of the
/// curve.
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn tradeoff(
    sides: &TwoSided,
    alpha: &Rational,
    effort: &Effort,
) -> Result<Enclosure, InvariantViolation> {
    if *alpha >= 1 {
        return Ok(Enclosure::exactly(Rational::new(), effort.bits));
    }
    let found = if *alpha <= 0 {
        sides.falling(|curve| effort.raising_bits(|bits| at_zero(curve, bits)))?
    } else {
        sides.falling(|curve| {
            effort.raising_bits(|bits| Ok(crossing(curve, alpha, effort, bits)?.enclosure))
        })?
    };
    by_known_range(sides, alpha, found, effort.bits)
}

/// The place where the trade-off curve of one profile meets the vertical line at α, 0 < α < 1.
pub(super) fn crossing(
    curve: &Curve,
    alpha: &Rational,
    effort: &Effort,
    bits: u32,
) -> Result<Crossing, InvariantViolation> {
    cross(curve, &Vertical::at(alpha, bits), effort, bits)
}

/// f(0) = 1 − Q(∞).
fn at_zero(curve: &Curve, bits: u32) -> Result<Enclosure, InvariantViolation> {
    Ok(match curve.forward.exact_infinite_mass() {
        Some(mass) => Enclosure::exactly(1 - mass, bits),
        None => {
            let mass = curve.forward.infinite_mass(bits).in_unit();
            Enclosure::from_interval(&mass.one_minus())
        }
    })
}

/// The supporting lines at the ends of the loss: δ(e^max) = 0 gives f ≥ 1 − e^max·α, and
/// δ_(Q,P)(e^−min) = 0 gives f ≥ e^min·(1 − α).
fn by_known_range(
    sides: &TwoSided,
    alpha: &Rational,
    mut found: Enclosure,
    bits: u32,
) -> Result<Enclosure, InvariantViolation> {
    for line in RangeOdds::of(&sides.known_range).lines_down(&unit_interval(alpha, bits)) {
        found = found.at_least(&line)?;
    }
    Ok(found)
}

/// e^max and e^min of the range of the loss, where there are ends.
pub(super) struct RangeOdds {
    max: Option<Interval>,
    min: Option<Interval>,
}

impl RangeOdds {
    pub(super) fn of(range: &LossRange) -> Self {
        Self {
            max: range.max.as_ref().map(Interval::exp),
            min: range.min.as_ref().map(Interval::exp),
        }
    }

    /// Lower bounds of f(α) by the supporting lines at the ends.
    pub(super) fn lines_down(&self, alpha: &Interval) -> impl Iterator<Item = Float> {
        let (max, min) = (self.max.as_ref(), self.min.as_ref());
        let lines = [
            max.map(|max| max.mul(alpha).one_minus()),
            min.map(|min| min.mul(&alpha.one_minus())),
        ];
        lines.into_iter().flatten().map(|line| line.lo().clone())
    }
}

/// The vertical line at a given type-I error.
pub(super) struct Vertical {
    alpha: Interval,
}

impl Vertical {
    /// Requires: 0 < α < 1.
    pub fn at(alpha: &Rational, bits: u32) -> Self {
        Self {
            alpha: unit_interval(alpha, bits),
        }
    }
}

impl Cut for Vertical {
    /// Right only where the whole enclosure is at or below α (compared with its lower end).
    fn side(&self, point: &CurvePoint) -> CutSide {
        let alpha = Interval::point(self.alpha.lo().clone());
        CutSide::of_distance(&point.alpha.sub(&alpha))
    }

    fn by_support_down(&self, point: &CurvePoint) -> Float {
        point.support_down(&self.alpha)
    }

    /// The share t of the left point is rounded down, so the mixture has a type-I error of at most α, and
    /// f(α) is at most f there (f is non-increasing).
    fn by_chord_up(&self, left: &Vertex, right: &Vertex) -> Float {
        let alpha = self.alpha.lo();
        let bits = self.alpha.bits();
        if left.alpha_up <= *alpha {
            return left.beta_up.clone();
        }
        if right.alpha_up > *alpha {
            return Float::with_val(bits, 1);
        }
        let run = d::sub_up(&left.alpha_up, &right.alpha_up, bits);
        let share = d::sub_down(alpha, &right.alpha_up, bits);
        let t = d::div_down(&share, &run, bits);
        mix_up(&t, &left.beta_up, &right.beta_up, bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::exact::ExactCurve;
    use crate::bounds::testing::{Finite, Gaussian, contains, finite_pair, is_near, meets};
    use crate::bounds::testing::{power_of_ten, unit_rational, with_effort};
    use crate::kernel::coarse::{Random, at_most_bits};
    use crate::mechanism::Adjacency;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn contains_the_exact_value(pair in finite_pair(), alpha in unit_rational()) {
            let truth = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove).tradeoff(&alpha);
            let found = with_effort(12, 64, |e| tradeoff(&pair.sides(), &alpha, e)).unwrap();
            prop_assert!(contains(&found, &truth) && meets(&found, 12), "{truth} {found:?}");
        }

        /// α at a vertex of the curve, where one supporting line passes into the next.
        #[test]
        fn at_vertices(pair in finite_pair(), which in 0usize..7) {
            let curve = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
            if let Some(vertex) = curve.vertices().get(which) {
                let found = with_effort(12, 64, |e| tradeoff(&pair.sides(), &vertex.alpha, e));
                let found = found.unwrap();
                prop_assert!(contains(&found, &vertex.beta) && meets(&found, 12), "{found:?}");
            }
        }
    }

    #[test]
    fn gaussian() {
        let found = |mu: (i64, i64), alpha: Rational| {
            with_effort(12, 128, |e| {
                tradeoff(&Gaussian::sides(mu.0, mu.1), &alpha, e)
            })
            .unwrap()
        };
        let usual = found((10, 3), Rational::from((1, 100)));
        assert!(
            is_near(&usual, "0.1569708809167599511075269746682314512454", 12),
            "{usual:?}"
        );
        for alpha in [power_of_ten(9), power_of_ten(300), 1 - power_of_ten(30)] {
            let value = found((1, 1), alpha.clone());
            assert!(meets(&value, 12), "{alpha} {value:?}");
        }
        // Smaller than any width asked for: the bounds are still near each other.
        let tiny = found((20, 1), Rational::from((1, 2)));
        assert!(is_near(&tiny, "2.753624118606233695e-89", 24), "{tiny:?}");
    }

    /// Two digits of a value far below the floor of the relative target, by an absolute one.
    #[test]
    fn tiny_values_by_absolute_target() {
        let target = crate::bounds::Target::Absolute(power_of_ten(95));
        let budget = crate::kernel::Budget::unlimited();
        let effort = Effort {
            bits: 128,
            target: &target,
            goal: None,
            budget: &budget,
        };
        let half = Rational::from((1, 2));
        let tiny = tradeoff(&Gaussian::sides(20, 1), &half, &effort).unwrap();
        let text = "2.753624118606233695075622780857465332807e-89";
        assert!(is_near(&tiny, text, 94), "{tiny:?}");
    }

    #[test]
    fn ends() {
        let pair = Finite::new(&[(0, 1), (1, 2), (1, 2)], &[(1, 5), (4, 5), (0, 1)]);
        let value =
            |alpha: Rational| with_effort(12, 64, |e| tradeoff(&pair.sides(), &alpha, e)).unwrap();
        assert_eq!(
            value(Rational::new()).exact(),
            Some(&Rational::from((4, 5)))
        );
        assert_eq!(value(Rational::from(1)).exact(), Some(&Rational::new()));
        assert!(contains(&value(Rational::from((3, 4))), &Rational::new()));
    }

    /// The range says more than an upper law with mass at infinity.
    #[test]
    fn known_range_helps() {
        let pair = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let upper = Finite::new(&[(1, 4), (3, 4), (0, 1)], &[(74, 100), (25, 100), (1, 100)]);
        let three = Interval::from_i64(3, 200).ln();
        let range = LossRange {
            max: Some(three.clone()),
            min: Some(three.neg()),
        };
        let sides = TwoSided::between(upper.sides().upper, pair.sides().lower, range);
        let alpha = Rational::from((1, 10));
        let found = with_effort(12, 128, |e| tradeoff(&sides, &alpha, e)).unwrap();
        assert!(
            contains(&found, &Rational::from((7, 10))) && meets(&found, 12),
            "{found:?}"
        );
    }

    /// The same at a few bits, where the lines of the ends pass through the curve itself.
    #[test]
    fn known_ranges_at_few_bits() {
        let pair = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let three = Interval::from_i64(3, 200).ln();
        let known = [
            (Some(three.clone()), None, (1, 10)),
            (None, Some(three.neg()), (6, 10)),
        ];
        for (max, min, alpha) in known {
            let range = LossRange { max, min };
            let sides = TwoSided::between(pair.sides().upper, pair.sides().lower, range);
            let alpha = Rational::from(alpha);
            let truth = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove).tradeoff(&alpha);
            for bits in 4..=24 {
                let found = with_effort(12, bits, |e| tradeoff(&sides, &alpha, e)).unwrap();
                assert!(contains(&found, &truth), "{bits} bits: {found:?}");
            }
        }
    }

    /// The chord at α, rounded up.
    #[test]
    fn chords_at_few_bits() {
        let mut random = Random(7);
        for _ in 0..2000 {
            let mut number = || 1 + random.below((1 << 16) - 2);
            let mut alphas = [number(), number(), number()];
            alphas.sort_unstable();
            let (mut betas, [a, b, c]) = ([number(), number()], alphas);
            betas.sort_unstable();
            if a == b || b == c {
                continue;
            }
            let unit = |n: u64| Float::with_val(64, n) >> 16u32;
            let at = |alpha: u64, beta: u64| Vertex {
                alpha_up: unit(alpha),
                beta_up: unit(beta),
            };
            let (left, right) = (at(c, betas[0]), at(a, betas[1]));
            let share = Rational::from((b - a, c - a));
            let fall = Rational::from(betas[1] - betas[0]);
            let truth = (Rational::from(betas[1]) - share * fall) >> 16u32;
            for bits in [2, 3, 4, 6, 9, 64] {
                let cut = Vertical {
                    alpha: Interval::point(unit(b)),
                };
                let found = at_most_bits(bits, || cut.by_chord_up(&left, &right));
                assert!(found >= truth, "{bits} bits: {found} {truth}");
            }
        }
    }
}
