//! μ*: the least μ for which the mechanism is μ-GDP, strictly, up to a tolerance or above an error floor.

use rug::{Float, Rational};

use super::curve::Curve;
use super::enclosure::{Effort, Enclosure};
use super::gdp_below::seen_from_above;
use super::gdp_search::{Outcome, search};
use super::two_sided::{LossRange, TwoSided};
use crate::kernel::InvariantViolation;
use crate::mechanism::GdpForm;

/// An enclosure of μ*, and the point that shows its lower bound.
#[derive(Debug, Clone, PartialEq)]
pub struct GdpMu {
    /// μ* ≥ 0; the upper end may be +∞.
    pub mu: Enclosure,
    /// Every smaller μ fails at this point; absent where the lower bound is the trivial 0.
    pub witness: Option<GdpWitness>,
}

/// A point on or above the trade-off curve, f(alpha) ≤ beta, and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct GdpWitness {
    /// Type-I error.
    pub alpha: Float,
    /// Upper bound of f there.
    pub beta: Float,
    /// ε for which −e^ε is a slope of the curve there; ±∞ at the ends of the curve.
    pub epsilon: Float,
}

/// Encloses the least μ ≥ 0 for which the statement `form` holds.
///
/// The lower bound comes from points of the lower profile's curve; the upper bound from the upper profile,
/// by branch and bound over intervals of ε: on an interval δ lies below the chord of its ends, which is the
/// line 1 − β − uα of a single point (α, β). Let H be the curve to stay above (G_μ, or G_μ(α + τ) − τ), convex
/// like f. Where H − f is largest both have a common slope −u; if H > f there, then δ_H(u) < δ(u) ≤ chord(u),
/// so H(α) ≥ 1 − δ_H(u) − uα > β at the point of the interval that contains u. Hence H(α) ≤ β for the points
/// of all intervals proves H ≤ f.
///
/// Requires: τ ≥ 0, e ≥ 0.
///
/// The strict μ* is +∞ unless the loss is bounded and free of infinite parts; a finite strict μ* of a
/// mechanism with unbounded loss is beyond this search, and the upper bound is then +∞. μ* is 0 for
/// τ ≥ 1/2 or e ≥ 1/2.
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn gdp_mu(
    sides: &TwoSided,
    form: &GdpForm,
    effort: &Effort,
) -> Result<GdpMu, InvariantViolation> {
    let half = Rational::from((1, 2));
    match form {
        GdpForm::Tolerance(x) | GdpForm::ErrorFloor(x) if *x >= half => {
            return Ok(GdpMu {
                mu: Enclosure::exactly(Rational::new(), effort.bits),
                witness: None,
            });
        }
        _ => {}
    }
    // No allowance at all is the strict statement.
    let form = match form {
        GdpForm::Tolerance(x) | GdpForm::ErrorFloor(x) if *x == 0 => &GdpForm::Strict,
        _ => form,
    };
    let above = search(
        &Curve::new(sides.upper.clone()),
        &sides.known_range,
        form,
        effort,
    )?;
    let below = if sides.is_closed_form() {
        above.clone()
    } else {
        let seen = seen_from_above(sides, &above, form, effort)?;
        if effort.is_enough(&seen.lower, &above.upper) {
            seen
        } else {
            let curve = Curve::new(sides.lower.clone());
            search(&curve, &LossRange::default(), form, effort)?
        }
    };
    combine(above, below)
}

fn combine(above: Outcome, below: Outcome) -> Result<GdpMu, InvariantViolation> {
    Ok(GdpMu {
        mu: Enclosure::new(below.lower, above.upper)?,
        witness: below.witness,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::enclosure::Target;
    use crate::bounds::exact::ExactCurve;
    use crate::bounds::testing::{Finite, Gaussian, Laplace, finite_pair, is_near, meets};
    use crate::bounds::testing::{decimal, power_of_ten, surrounded, with_effort};
    use crate::kernel::coarse::at_most_bits;
    use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint, normal};
    use crate::mechanism::Adjacency;
    use crate::mechanism::symmetrised::Symmetrised;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn z(p: &Rational) -> Interval {
        normal::survival_inverse(&Interval::from_rational(p, 300))
    }

    /// μ* of a polygon: the largest over its vertices (and the cut points), straight from the definition.
    fn by_vertices(pair: &Finite, form: &GdpForm) -> Interval {
        by_vertices_of(&ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove), form)
    }

    fn by_vertices_of(curve: &ExactCurve, form: &GdpForm) -> Interval {
        let mut points: Vec<(Rational, Rational)> = Vec::new();
        match form {
            GdpForm::Strict | GdpForm::Tolerance(_) => {
                let tau = match form {
                    GdpForm::Tolerance(tau) => tau.clone(),
                    _ => Rational::new(),
                };
                for v in curve.vertices() {
                    points.push((
                        Rational::from(&v.alpha + &tau),
                        Rational::from(&v.beta + &tau),
                    ));
                }
                points.retain(|(a, b)| *a < 1 && *b < 1);
            }
            GdpForm::ErrorFloor(e) => {
                points.push((e.clone(), curve.tradeoff(e).max(e.clone())));
                points.push((inverse_at(curve, e).max(e.clone()), e.clone()));
                for v in curve.vertices() {
                    points.push((v.alpha.clone(), v.beta.clone()));
                }
                points.retain(|(a, b)| a >= e && b >= e);
            }
        }
        points
            .iter()
            .map(|(a, b)| z(a).add(&z(b)))
            .fold(Interval::zero(300), |a, b| a.max(&b))
    }

    /// The least α with f(α) ≤ β, on the polygon through the vertices.
    fn inverse_at(curve: &ExactCurve, beta: &Rational) -> Rational {
        let vertices = curve.vertices();
        let mut least = Rational::from(1);
        for (a, b) in vertices.iter().zip(vertices.iter().skip(1)) {
            let (high, low) = if a.beta >= b.beta { (a, b) } else { (b, a) };
            if low.beta <= *beta && *beta < high.beta {
                let share =
                    Rational::from(&high.beta - beta) / Rational::from(&high.beta - &low.beta);
                let run = Rational::from(&low.alpha - &high.alpha);
                least = least.min(run * share + &high.alpha);
            }
        }
        let at_start = vertices.iter().filter(|v| v.alpha == 0 && v.beta <= *beta);
        if at_start.count() > 0 {
            return Rational::new();
        }
        least
    }

    fn assert_encloses(found: &GdpMu, truth: &Interval, digits: u32) -> Result<(), TestCaseError> {
        prop_assert!(
            found.mu.lower() <= truth.hi() && truth.lo() <= found.mu.upper(),
            "{truth:?} {found:?}"
        );
        prop_assert!(meets(&found.mu, digits), "{truth:?} {found:?}");
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn finite_pairs_with_tolerance(pair in finite_pair(), exponent in 1u32..12) {
            let form = GdpForm::Tolerance(power_of_ten(exponent) / 3);
            let found = with_effort(9, 64, |e| gdp_mu(&pair.sides(), &form, e)).unwrap();
            assert_encloses(&found, &by_vertices(&pair, &form), 9)?;
        }

        #[test]
        fn finite_pairs_with_error_floor(pair in finite_pair(), exponent in 1u32..12) {
            let form = GdpForm::ErrorFloor(power_of_ten(exponent) / 3);
            let found = with_effort(9, 64, |e| gdp_mu(&pair.sides(), &form, e)).unwrap();
            assert_encloses(&found, &by_vertices(&pair, &form), 9)?;
        }

        #[test]
        fn finite_pairs_strictly(pair in finite_pair()) {
            let found = with_effort(9, 64, |e| gdp_mu(&pair.sides(), &GdpForm::Strict, e)).unwrap();
            assert_encloses(&found, &by_vertices(&pair, &GdpForm::Strict), 9)?;
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Both orders of a pair together, of which one side is looked at: the curve is the hull of f and its mirror image.
        #[test]
        fn symmetric_pairs_from_one_side(pair in finite_pair(), exponent in 1u32..12) {
            let small: Rational = power_of_ten(exponent) / 3;
            let both = Arc::new(Symmetrised::new(pair.sides().upper));
            let sides = TwoSided::closed_form(both);
            let curve = ExactCurve::new(&pair.p, &pair.q, Adjacency::AddRemove);
            for form in [GdpForm::Tolerance(small.clone()), GdpForm::ErrorFloor(small)] {
                let found = with_effort(9, 64, |e| gdp_mu(&sides, &form, e)).unwrap();
                assert_encloses(&found, &by_vertices_of(&curve, &form), 9)?;
            }
        }

        /// Where the profiles are apart, the points of the upper one that matter are looked at for the lower bound.
        #[test]
        fn pairs_known_from_both_sides((pair, sides) in surrounded(), exponent in 1u32..12, digits in 1u32..6) {
            let small: Rational = power_of_ten(exponent) / 3;
            let goal = Target::Relative(power_of_ten(digits));
            for form in [GdpForm::Tolerance(small.clone()), GdpForm::ErrorFloor(small)] {
                let looked = with_effort(9, 64, |e| {
                    gdp_mu(&sides, &form, &Effort { goal: Some(&goal), ..*e })
                }).unwrap();
                let searched = with_effort(9, 64, |e| gdp_mu(&sides, &form, e)).unwrap();
                let truth = by_vertices(&pair, &form);
                for found in [&looked, &searched] {
                    prop_assert!(
                        found.mu.lower() <= truth.hi() && truth.lo() <= found.mu.upper(),
                        "{truth:?} {found:?}"
                    );
                }
                // Not wider than the goal where a search everywhere is not.
                prop_assert!(looked.mu.meets(&goal) || !searched.mu.meets(&goal));
            }
        }
    }

    #[test]
    fn gaussian_with_tolerance() {
        for (mu, tau, text) in [
            (
                (2, 1),
                power_of_ten(3),
                "1.991751546489823631430601317544921231008",
            ),
            (
                (1, 1),
                power_of_ten(10),
                "0.9999999994319236096780016280678928088037",
            ),
        ] {
            let form = GdpForm::Tolerance(tau);
            let sides = Gaussian::sides(mu.0, mu.1);
            let found = with_effort(4, 128, |e| gdp_mu(&sides, &form, e)).unwrap();
            assert!(
                meets(&found.mu, 4) && is_near(&found.mu, text, 3),
                "{found:?}"
            );
            assert!(*found.mu.lower() <= decimal(text) && decimal(text) <= *found.mu.upper());
        }
    }

    /// The curve is G_μ itself: the floor overlooks nothing that matters, and f(e) < e is the exception.
    #[test]
    fn gaussian_with_error_floor() {
        let sides = Gaussian::sides(1, 1);
        let found = |e: Rational| {
            let form = GdpForm::ErrorFloor(e);
            with_effort(4, 128, |effort| gdp_mu(&sides, &form, effort)).unwrap()
        };
        let fine = found(power_of_ten(10));
        assert!(is_near(&fine.mu, "1", 3) && meets(&fine.mu, 4), "{fine:?}");
        // f(0.4) = Φ(0.2533 − 1) = 0.2277 < 0.4.
        let coarse = found(Rational::from((2, 5)));
        assert!(is_near(&coarse.mu, "0.5066942062715994", 12), "{coarse:?}");
    }

    /// Unbounded loss: a lower bound only. Mass at infinity: no finite μ at all.
    #[test]
    fn strict_without_upper_bound() {
        let strictly =
            |sides: &TwoSided| with_effort(9, 128, |e| gdp_mu(sides, &GdpForm::Strict, e)).unwrap();
        let found = strictly(&Gaussian::sides(1, 1));
        let one = decimal("1");
        let shortfall = one - found.mu.lower();
        assert!(shortfall >= 0 && shortfall < 1e-12, "{found:?}");
        assert!(found.mu.upper().is_infinite());
        let pair = Finite::new(&[(0, 1), (1, 2), (1, 2)], &[(1, 100), (49, 100), (1, 2)]);
        let found = strictly(&pair.sides());
        assert!(
            found.mu.lower().is_infinite() && found.witness.is_some(),
            "{found:?}"
        );
    }

    /// −2Φ⁻¹(1/(e^ε + 1)) for randomised response, to the full twelve digits.
    #[test]
    fn randomised_response() {
        let pair = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        for form in [GdpForm::Strict, GdpForm::ErrorFloor(power_of_ten(9))] {
            let found = with_effort(12, 64, |e| gdp_mu(&pair.sides(), &form, e)).unwrap();
            let truth = z(&Rational::from((1, 4))).mul(&Interval::from_i64(2, 300));
            assert!(found.mu.lower() <= truth.lo() && truth.hi() <= found.mu.upper());
            assert!(meets(&found.mu, 12), "{found:?}");
        }
    }

    /// A smooth curve with bounded loss, to twelve digits; the worst point is the fixed point of f.
    #[test]
    fn laplace_strictly() {
        let sides = TwoSided::closed_form(std::sync::Arc::new(Laplace));
        let found = with_effort(12, 128, |e| gdp_mu(&sides, &GdpForm::Strict, e)).unwrap();
        let half = Interval::from_rational(&Rational::from((1, 2)), 300);
        let fixed_point = half.neg().exp().mul(&half);
        let truth = normal::survival_inverse(&fixed_point).mul(&Interval::from_i64(2, 300));
        assert!(
            found.mu.lower() <= truth.lo() && truth.hi() <= found.mu.upper(),
            "{found:?}"
        );
        assert!(meets(&found.mu, 12), "{found:?}");
    }

    #[test]
    fn no_allowance_is_strict() {
        let sides = Finite::new(&[(1, 4), (3, 4)], &[(2, 3), (1, 3)]).sides();
        let ask = |form| with_effort(9, 64, |e| gdp_mu(&sides, &form, e)).unwrap();
        let strict = ask(GdpForm::Strict);
        assert_eq!(ask(GdpForm::Tolerance(Rational::new())), strict);
        assert_eq!(ask(GdpForm::ErrorFloor(Rational::new())), strict);
    }

    /// P = Q: μ* = 0, to the absolute width that the target means there.
    #[test]
    fn perfect_privacy() {
        let sides = Finite::new(&[(1, 3), (2, 3)], &[(1, 3), (2, 3)]).sides();
        for form in [
            GdpForm::Strict,
            GdpForm::Tolerance(power_of_ten(10)),
            GdpForm::ErrorFloor(power_of_ten(1)),
        ] {
            let found = with_effort(9, 64, |e| gdp_mu(&sides, &form, e)).unwrap();
            assert!(
                *found.mu.lower() == 0 && meets(&found.mu, 9),
                "{form:?} {found:?}"
            );
        }
    }

    #[test]
    fn large_allowances_ask_for_nothing() {
        let sides = Finite::new(&[(1, 1), (0, 1)], &[(0, 1), (1, 1)]).sides();
        for x in [Rational::from((1, 2)), Rational::from(1)] {
            for form in [GdpForm::Tolerance(x.clone()), GdpForm::ErrorFloor(x)] {
                let found = with_effort(9, 64, |e| gdp_mu(&sides, &form, e)).unwrap();
                assert_eq!(found.mu.exact(), Some(&Rational::new()));
            }
        }
        // Just below 1/2 the universal bound 2Φ⁻¹(1 − τ) is attained by a pair without any privacy.
        let tau = Rational::from((1, 2)) - power_of_ten(20);
        let form = GdpForm::Tolerance(tau.clone());
        let found = with_effort(9, 64, |e| gdp_mu(&sides, &form, e)).unwrap();
        let truth = z(&tau).mul(&Interval::from_i64(2, 300));
        assert!(
            found.mu.lower() <= truth.lo() && truth.hi() <= found.mu.upper(),
            "{found:?}"
        );
        assert!(meets(&found.mu, 6), "{found:?}");
    }

    /// The range of the loss counts where the upper profile has a rest beyond it, each end on its side: on that the vertex that asks for most is.
    #[test]
    fn known_ranges_are_those_of_their_side() {
        let of = |p: &[i64], q: &[i64]| {
            let parts = |all: &[i64]| all.iter().map(|n| (*n, 200)).collect::<Vec<_>>();
            Finite::new(&parts(p), &parts(q))
        };
        let at = |n: i64| Some(Interval::from_i64(n, 64));
        let pairs = [
            (
                of(&[2, 38, 160], &[40, 60, 100]),
                of(&[2, 38, 160, 0], &[40, 60, 98, 2]),
                (3, -1),
            ),
            (
                of(&[40, 60, 100], &[2, 38, 160]),
                of(&[40, 60, 100, 0], &[1, 38, 160, 1]),
                (1, -3),
            ),
        ];
        for (lower, upper, (max, min)) in pairs {
            let range = LossRange {
                max: at(max),
                min: at(min),
            };
            let truth = by_vertices(&lower, &GdpForm::Strict);
            let sides = TwoSided::between(upper.sides().upper, lower.sides().lower, range);
            let found = with_effort(9, 64, |e| gdp_mu(&sides, &GdpForm::Strict, e)).unwrap();
            assert!(found.mu.lower() <= truth.hi() && truth.lo() <= found.mu.upper());
            assert!(found.mu.upper().is_finite(), "{found:?}");
        }
    }

    /// Nothing is known but that at most half of Q may be at +∞.
    struct Vague;

    impl Profile for Vague {
        fn at(&self, point: &Point) -> ProfilePoint {
            let anything = Interval::zero(point.bits()).hull(&Interval::one(point.bits()));
            ProfilePoint {
                delta: anything.clone(),
                null_tail: anything,
            }
        }

        fn swapped(&self) -> Arc<dyn Profile> {
            Arc::new(Self)
        }

        fn max_loss(&self, _bits: u32) -> LossBound {
            LossBound::Unbounded
        }

        fn min_loss(&self, _bits: u32) -> LossBound {
            LossBound::Unbounded
        }

        fn infinite_mass(&self, bits: u32) -> Interval {
            let half = Interval::from_rational(&Rational::from((1, 2)), bits);
            Interval::zero(bits).hull(&half)
        }
    }

    /// A mass that may be there asks for nothing.
    #[test]
    fn what_may_be_nothing_asks_for_nothing() {
        let sides = TwoSided::closed_form(Arc::new(Vague));
        for form in [
            GdpForm::Strict,
            GdpForm::Tolerance(power_of_ten(1)),
            GdpForm::ErrorFloor(power_of_ten(1)),
        ] {
            let found = with_effort(3, 64, |e| gdp_mu(&sides, &form, e)).unwrap();
            assert!(
                *found.mu.lower() == 0 && found.witness.is_none(),
                "{form:?} {found:?}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        /// The point that is shown is on or above the curve, however few bits it has.
        #[test]
        fn witnesses_at_few_bits(pair in finite_pair(), bits in 3u32..24, part in 3u32..40) {
            let curve = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
            let part = Rational::from((1, part));
            for form in [GdpForm::Strict, GdpForm::Tolerance(part.clone()), GdpForm::ErrorFloor(part)] {
                let found = at_most_bits(bits, || with_effort(1, 64, |e| gdp_mu(&pair.sides(), &form, e)));
                let found = found.unwrap();
                let truth = by_vertices(&pair, &form);
                prop_assert!(found.mu.lower() <= truth.hi() && truth.lo() <= found.mu.upper(), "{found:?}");
                if let Some(shown) = found.witness {
                    let height = curve.tradeoff(&shown.alpha.to_rational().unwrap());
                    prop_assert!(height <= shown.beta, "{form:?} {shown:?} {height}");
                }
            }
        }
    }
}
