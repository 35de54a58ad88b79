//! The minimax risk R* = max_π R(π): the fixed point f(α) = α of the trade-off function.

use rug::Float;

use super::curve::{CurvePoint, mix_up};
use super::enclosure::{Effort, Enclosure};
use super::sandwich::{Cut, CutSide, Vertex, cross};
use super::two_sided::TwoSided;
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation, Pick};

/// Encloses R* = max over π of the Bayes error = max over u of (1 − δ(u))/(1 + u), in [0, 1/2].
///
/// R* is where the trade-off curve meets the diagonal (theory, Conventions).
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn minimax_risk(sides: &TwoSided, effort: &Effort) -> Result<Enclosure, InvariantViolation> {
    let mut found = sides.falling(|curve| {
        effort.raising_bits(|bits| Ok(cross(curve, &Diagonal { bits }, effort, bits)?.enclosure))
    })?;
    let range = &sides.known_range;
    for end in [range.max.clone(), range.min.as_ref().map(Interval::neg)]
        .into_iter()
        .flatten()
    {
        let one = Interval::one(effort.bits);
        found = found.at_least(one.add(&end.exp()).recip().at_least_zero().lo())?;
    }
    Ok(found)
}

/// The diagonal α = β.
struct Diagonal {
    bits: u32,
}

impl Cut for Diagonal {
    fn side(&self, point: &CurvePoint) -> CutSide {
        CutSide::of_distance(&point.alpha.sub(&point.beta))
    }

    fn by_support_down(&self, point: &CurvePoint) -> Float {
        point.diagonal_down()
    }

    /// Any mixture (x, y) of two points lies on or above the curve, and then R* ≤ max(x, y): if x ≥ y then
    /// f(x) ≤ y ≤ x, and if y > x then f(y) ≤ f(x) ≤ y. The share t only has to be good.
    fn by_chord_up(&self, left: &Vertex, right: &Vertex) -> Float {
        let bits = self.bits;
        let above = Float::with_val(bits, &right.beta_up - &right.alpha_up);
        let below = Float::with_val(bits, &left.alpha_up - &left.beta_up);
        let both = Float::with_val(bits, &above + &below);
        let zero = Float::new(bits);
        let mut t = Float::with_val(bits, &above / &both);
        if !t.is_finite() {
            t = Float::new(bits);
        }
        let t = t.larger(&zero).smaller(&Float::with_val(bits, 1));
        let x = mix_up(&t, &left.alpha_up, &right.alpha_up, bits);
        let y = mix_up(&t, &left.beta_up, &right.beta_up, bits);
        // R* ≤ 1/2 always, because f(α) ≤ 1 − α.
        x.larger(&y)
            .smaller(&d::float_up(&(Float::with_val(bits, 1) >> 1u32), bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::LossRange;
    use crate::bounds::exact::ExactCurve;
    use crate::bounds::testing::with_effort;
    use crate::bounds::testing::{Finite, Gaussian, contains, finite_pair, is_near, meets};
    use crate::mechanism::Adjacency;
    use proptest::prelude::*;
    use rug::Rational;

    proptest! {
        #[test]
        fn contains_the_exact_value(pair in finite_pair()) {
            let truth = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove).minimax_risk();
            let found = with_effort(12, 64, |e| minimax_risk(&pair.sides(), e)).unwrap();
            prop_assert!(contains(&found, &truth) && meets(&found, 12), "{truth} {found:?}");
        }
    }

    /// R* = Φ(−μ/2).
    #[test]
    fn gaussian() {
        let found = with_effort(12, 128, |e| minimax_risk(&Gaussian::sides(2, 1), e)).unwrap();
        let text = "0.1586552539314570514147674543679620775221";
        assert!(is_near(&found, text, 13) && meets(&found, 12), "{found:?}");
    }

    #[test]
    fn extremes() {
        let nothing = Finite::new(&[(1, 2), (1, 2)], &[(1, 2), (1, 2)]);
        let found = with_effort(12, 64, |e| minimax_risk(&nothing.sides(), e)).unwrap();
        assert!(contains(&found, &Rational::from((1, 2))) && meets(&found, 12));
        let all = Finite::new(&[(1, 1), (0, 1)], &[(0, 1), (1, 1)]);
        let found = with_effort(12, 64, |e| minimax_risk(&all.sides(), e)).unwrap();
        assert!(contains(&found, &Rational::new()) && meets(&found, 12));
    }

    /// The range of the loss bounds the risk where the upper profile does not: R* ≥ 1/(1 + e^end) for either end.
    #[test]
    fn ends_of_the_loss_bound_the_risk() {
        let response = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let all = Finite::new(&[(1, 1), (0, 1)], &[(0, 1), (1, 1)]);
        let at = |n: i64| Interval::from_i64(n, 64);
        let quarter = Rational::from((1, 4));
        let find = |range: LossRange, bits: u32| {
            let sides = TwoSided::between(all.sides().upper, response.sides().lower, range);
            with_effort(12, bits, |e| minimax_risk(&sides, e)).unwrap()
        };
        for (max, min, end) in [
            (Some(at(2)), None, 2f64),
            (None, Some(at(-3)), 3.0),
            (Some(at(2)), Some(at(-3)), 2.0),
            (Some(at(4)), Some(at(-3)), 3.0),
        ] {
            let found = find(LossRange { max, min }, 64);
            let least = 1.0 / (1.0 + end.exp());
            assert!(contains(&found, &quarter), "{found:?}");
            assert!((found.lower().to_f64() - least).abs() < 1e-12, "{found:?}");
        }
        // The end itself, known at a few bits.
        for bits in 4..=24 {
            let three = at(3).ln();
            for range in [
                LossRange {
                    max: Some(three.clone()),
                    min: None,
                },
                LossRange {
                    max: None,
                    min: Some(three.neg()),
                },
            ] {
                assert!(contains(&find(range, bits), &quarter), "{bits}");
            }
        }
    }

    /// Beyond both points the curve may be flat: the chord is not followed there.
    #[test]
    fn chords_end_at_their_points() {
        let at = |alpha: f64, beta: f64| Vertex {
            alpha_up: Float::with_val(64, alpha),
            beta_up: Float::with_val(64, beta),
        };
        let cut = Diagonal { bits: 64 };
        assert!(cut.by_chord_up(&at(0.25, 0.375), &at(0.125, 0.5)) >= 0.375);
        assert!(cut.by_chord_up(&at(0.5, 0.125), &at(0.375, 0.25)) >= 0.375);
    }
}
