//! The least μ that one point of a trade-off curve asks for.
//!
//! G_μ(α) = Φ(z(α) − μ) with z(p) = Φ⁻¹(1 − p), so G_μ(α) ≤ β exactly if μ ≥ z(α) + z(β). Points are given
//! by α and by 1 − β, which is the tail Q(L > ε) and known with small relative error where β is near 1.

use rug::Float;

use crate::float::survival_place;
use crate::kernel::directed as d;
use crate::kernel::{Interval, Pick, normal};
use crate::mechanism::GdpForm;

/// What a statement about μ overlooks, and how precisely to compute.
pub(super) struct Allowance {
    kind: Kind,
    /// Precision of the inverse normal, lower than that of its arguments.
    inverse_bits: u32,
}

enum Kind {
    /// f(α) ≥ G_μ(α + τ) − τ.
    Tolerance(Interval),
    /// f(α) ≥ G_μ(α) wherever α ≥ e and G_μ(α) ≥ e.
    Floor(Interval),
}

/// A point (α, β) as α and 1 − β.
#[derive(Debug, Clone)]
pub(super) struct Corner {
    pub alpha: Interval,
    pub rest: Interval,
}

impl Allowance {
    pub fn new(form: &GdpForm, inverse_bits: u32, bits: u32) -> Self {
        let kind = match form {
            GdpForm::Strict => Kind::Tolerance(Interval::zero(bits)),
            GdpForm::Tolerance(tau) => Kind::Tolerance(Interval::from_rational(tau, bits)),
            GdpForm::ErrorFloor(floor) => Kind::Floor(Interval::from_rational(floor, bits)),
        };
        Self { kind, inverse_bits }
    }

    /// Is the statement about the whole curve, with nothing overlooked?
    pub fn is_strict(&self) -> bool {
        match &self.kind {
            Kind::Tolerance(x) | Kind::Floor(x) => x.is_zero(),
        }
    }

    /// Upper bound of the μ that the point asks for; −∞ if it asks for nothing.
    ///
    /// Ensures: under a tolerance, G_μ(α + τ) − τ ≤ β for this μ; under a floor, G_μ(α) ≤ β unless α < e or
    /// β < e.
    pub fn mu_up(&self, corner: &Corner) -> Float {
        match self.asked_up(corner) {
            Asked::Nothing => d::neg_infinity(self.inverse_bits),
            Asked::Everything => d::infinity(self.inverse_bits),
            Asked::At { alpha, rest } => self.sum(&alpha, &rest).hi().clone(),
        }
    }

    /// About the same in floats, to steer by.
    pub fn mu_rough(&self, corner: &Corner) -> Float {
        match self.asked_up(corner) {
            Asked::Nothing => d::neg_infinity(self.inverse_bits),
            Asked::Everything => d::infinity(self.inverse_bits),
            Asked::At { alpha, rest } => self.sum_rough(&alpha, &rest),
        }
    }

    /// Upper bound of all that the points ask for, at least 0.
    ///
    /// Ensures: at least [`Self::mu_up`] of each, or what is shown to be enough for it otherwise.
    pub fn largest_mu_up<'a>(&self, corners: impl Iterator<Item = &'a Corner>) -> Float {
        let rough = corners.map(|corner| (self.mu_rough(corner), corner));
        let mut corners: Vec<(Float, &Corner)> = rough.collect();
        // What asks for most comes first: the others are below its bound then.
        corners.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        let zero = Float::new(self.inverse_bits);
        corners.into_iter().fold(zero, |largest, (_, corner)| {
            self.mu_up_within(corner, &largest).larger(&largest)
        })
    }

    /// Upper bound of the μ that the point asks for, and `limit` where that is easily shown to be enough.
    ///
    /// Ensures: as [`Self::mu_up`].
    pub fn mu_up_within(&self, corner: &Corner, limit: &Float) -> Float {
        if let Asked::At { alpha, rest } = self.asked_up(corner)
            && self.is_within(&alpha, &rest, limit)
        {
            return limit.clone();
        }
        self.mu_up(corner)
    }

    /// Ensures: if true, z(α) + z(β) ≤ `limit` for β = 1 − rest.
    ///
    /// z falls, as 1 − Φ does: 1 − Φ(x) ≤ α gives z(α) ≤ x; with y ≤ limit − x, 1 − Φ(y) ≤ β or Φ(−y) ≥ rest gives z(β) ≤ y. Any x will
    /// do; the one that is tried shares what there is to spare between both.
    fn is_within(&self, alpha: &Float, rest: &Float, limit: &Float) -> bool {
        let Some((first, second)) = places(alpha, rest) else {
            return false;
        };
        let bits = self.inverse_bits;
        let spare = Float::with_val(bits, limit - &first) - second;
        if !limit.is_finite() || spare <= 0 {
            return false;
        }
        let x = first + (spare >> 1u32);
        let y = d::sub_down(limit, &x, bits);
        let is_second_enough = if *rest <= half() {
            tail_is_at_least(&Float::with_val(bits, -&y), rest, bits)
        } else {
            let left_out = d::sub_down(&Float::with_val(8, 1), rest, rest.prec());
            tail_is_at_most(&y, &left_out, bits)
        };
        is_second_enough && tail_is_at_most(&x, alpha, bits)
    }

    /// Where a point stands in the statement, rounded to where it asks for more.
    fn asked_up(&self, corner: &Corner) -> Asked {
        let bits = corner.alpha.bits();
        let (alpha, rest) = match &self.kind {
            Kind::Tolerance(tau) => (
                d::add_down(corner.alpha.lo(), tau.lo(), bits),
                d::sub_up(corner.rest.hi(), tau.lo(), bits),
            ),
            Kind::Floor(floor) => {
                let ceiling = floor.one_minus();
                if corner.alpha.hi() < floor.lo() || corner.rest.lo() > ceiling.hi() {
                    return Asked::Nothing;
                }
                (
                    corner.alpha.lo().clone().larger(floor.lo()),
                    corner.rest.hi().clone().smaller(ceiling.hi()),
                )
            }
        };
        // From α = 1 on the curves are 0, and no μ brings them below a β < 0.
        if rest <= 0 || (alpha >= 1 && rest <= 1) {
            return Asked::Nothing;
        }
        if alpha <= 0 || rest >= 1 {
            return Asked::Everything;
        }
        Asked::At { alpha, rest }
    }

    /// Lower bound of the μ that a point on or above the curve asks for; −∞ if it asks for nothing.
    pub fn mu_down(&self, alpha_up: &Float, rest_down: &Float) -> Float {
        match self.asked_down(alpha_up, rest_down) {
            Some((alpha, rest)) => self.sum(&alpha, &rest).lo().clone(),
            None => d::neg_infinity(self.inverse_bits),
        }
    }

    /// About the same in floats, to steer by.
    pub fn mu_down_rough(&self, alpha_up: &Float, rest_down: &Float) -> Float {
        match self.asked_down(alpha_up, rest_down) {
            Some((alpha, rest)) => self.sum_rough(&alpha, &rest),
            None => d::neg_infinity(self.inverse_bits),
        }
    }

    /// Where a point on or above the curve stands in the statement, rounded to where it asks for less; `None` if it asks for nothing.
    fn asked_down(&self, alpha_up: &Float, rest_down: &Float) -> Option<(Float, Float)> {
        let bits = alpha_up.prec();
        let (alpha, rest) = match &self.kind {
            Kind::Tolerance(tau) => (
                d::add_up(alpha_up, tau.hi(), bits),
                d::sub_down(rest_down, tau.hi(), bits),
            ),
            Kind::Floor(floor) => (
                alpha_up.clone().larger(floor.hi()),
                rest_down.clone().smaller(floor.one_minus().lo()),
            ),
        };
        (alpha < 1 && rest > 0).then_some((alpha, rest))
    }

    /// z(α) + z(β) in floats; where they do not reach, as it is.
    fn sum_rough(&self, alpha: &Float, rest: &Float) -> Float {
        match places(alpha, rest) {
            Some((first, second)) => first + second,
            None => self.sum(alpha, rest).hi().clone(),
        }
    }

    /// z(α) + z(β) for β = 1 − rest.
    fn sum(&self, alpha: &Float, rest: &Float) -> Interval {
        let rest = Interval::point(rest.clone());
        let second = if *rest.hi() <= half() {
            self.inverse(&rest).neg()
        } else {
            self.inverse(&rest.one_minus())
        };
        self.inverse(&Interval::point(alpha.clone())).add(&second)
    }

    fn inverse(&self, p: &Interval) -> Interval {
        normal::survival_inverse(&p.at_bits(self.inverse_bits))
    }

    /// The error floor, if that is the statement.
    pub fn floor(&self) -> Option<&Interval> {
        match &self.kind {
            Kind::Floor(floor) => Some(floor),
            Kind::Tolerance(_) => None,
        }
    }
}

/// What a point asks for.
enum Asked {
    Nothing,
    /// More than any μ.
    Everything,
    /// z(α) + z(1 − rest), both in (0, 1).
    At {
        alpha: Float,
        rest: Float,
    },
}

/// About z(α) and z(1 − rest).
fn places(alpha: &Float, rest: &Float) -> Option<(Float, Float)> {
    let place = |p: &Float| {
        if *p <= half() {
            survival_place(p)
        } else {
            let other = Float::with_val(p.prec(), 1 - p);
            survival_place(&other).map(|x| -x)
        }
    };
    Some((place(alpha)?, -place(rest)?))
}

fn half() -> Float {
    Float::with_val(8, 1) >> 1u32
}

impl Corner {
    pub fn beta(&self) -> Interval {
        self.rest.one_minus()
    }

    /// The same point seen from the swapped pair: α and β exchanged.
    pub fn mirrored(&self) -> Self {
        Self {
            alpha: self.beta(),
            rest: self.alpha.one_minus(),
        }
    }

    /// A box that contains both.
    pub fn hull(&self, other: &Self) -> Self {
        Self {
            alpha: self.alpha.hull(&other.alpha),
            rest: self.rest.hull(&other.rest),
        }
    }
}

/// Is 1 − Φ(place) ≤ p, for certain?
fn tail_is_at_most(place: &Float, p: &Float, bits: u32) -> bool {
    normal::survival_up(place, bits) <= *p
}

/// Is 1 − Φ(place) ≥ p, for certain?
fn tail_is_at_least(place: &Float, p: &Float, bits: u32) -> bool {
    normal::survival_down(place, bits) >= *p
}

/// 1 − x, rounded down, or 0.
pub fn at_most_the_rest(x: &Float) -> Float {
    let rest = Interval::point(x.clone()).one_minus();
    rest.at_least_zero().lo().clone()
}

/// 1 − x, rounded up.
pub fn at_least_the_rest(x: &Float) -> Float {
    Interval::point(x.clone()).one_minus().hi().clone()
}

#[cfg(test)]
mod tests {
    use rug::Rational;
    use rug::float::Round;

    use super::*;
    use crate::kernel::coarse::{FINE, Random, at_most_bits};
    use crate::test_scale::cases;

    /// What the point (α, 1 − β) asks for, to many bits; `None` if it asks for nothing, or for more than any μ.
    fn asked(form: &GdpForm, alpha: &Rational, rest: &Rational) -> Option<Interval> {
        let beta = Rational::from(1 - rest);
        let (alpha, beta) = match form {
            GdpForm::Strict => (alpha.clone(), beta),
            GdpForm::Tolerance(tau) => (Rational::from(alpha + tau), beta + tau),
            GdpForm::ErrorFloor(floor) => {
                (alpha.clone().max(floor.clone()), beta.max(floor.clone()))
            }
        };
        let inside = |x: &Rational| *x > 0 && *x < 1;
        let z = |x: &Rational| normal::survival_inverse(&Interval::from_rational(x, FINE));
        (inside(&alpha) && inside(&beta)).then(|| z(&alpha).add(&z(&beta)))
    }

    #[test]
    fn points_at_few_bits() {
        let mut random = Random(1);
        for _ in 0..cases(250) {
            let bits = 4 + u32::try_from(random.below(12)).unwrap();
            let mut number = || Rational::from((random.below(41), 40));
            let (alpha, rest, other) = (number(), number(), number());
            let share = Rational::from((1 + random.below(30), 100));
            let form = match random.below(3) {
                0 => GdpForm::Strict,
                1 => GdpForm::Tolerance(share),
                _ => GdpForm::ErrorFloor(share),
            };
            let (up, down) = at_most_bits(bits, || {
                let allowance = Allowance::new(&form, 64, 64);
                let near = |x: &Rational| Interval::from_rational(x, 64);
                let corner = Corner {
                    alpha: near(&alpha).hull(&near(&other)),
                    rest: near(&rest).hull(&near(&other)),
                };
                let down = allowance.mu_down(near(&alpha).hi(), near(&rest).lo());
                (allowance.mu_up(&corner), down)
            });
            for (alpha, rest) in [(&alpha, &rest), (&alpha, &other), (&other, &rest)] {
                if let GdpForm::ErrorFloor(floor) = &form
                    && (alpha < floor || Rational::from(1 - rest) < *floor)
                {
                    continue;
                }
                if let Some(mu) = asked(&form, alpha, rest) {
                    assert!(
                        up >= *mu.lo(),
                        "{form:?} {alpha} {rest} at {bits} bits: {up} {mu:?}"
                    );
                }
            }
            if let Some(mu) = asked(&form, &alpha, &rest) {
                assert!(
                    down <= *mu.hi(),
                    "{form:?} {alpha} {rest} at {bits} bits: {down} {mu:?}"
                );
            }
        }
    }

    /// A limit is only given where it is enough, however little it lacks, and it is given where there is something to spare.
    #[test]
    fn limits_that_are_not_enough_are_not_given() {
        let mut random = Random(2);
        for _ in 0..cases(250) {
            let tiny = |random: &mut Random| {
                let n = Rational::from((1 + random.below(40), 41));
                n >> u32::try_from(random.below(60)).unwrap()
            };
            // Errors near 0, and near 1 from either side.
            let (alpha, other) = (tiny(&mut random), tiny(&mut random));
            let rest = if random.once_in(2) {
                Rational::from(1 - &other)
            } else {
                other
            };
            let form = match random.below(3) {
                0 => GdpForm::Strict,
                1 => GdpForm::Tolerance(Rational::from((1, 1u64 << 34))),
                _ => GdpForm::ErrorFloor(Rational::from((1, 1u64 << 34))),
            };
            if let GdpForm::ErrorFloor(floor) = &form
                && (alpha < *floor || Rational::from(1 - &rest) < *floor)
            {
                continue;
            }
            let Some(truth) = asked(&form, &alpha, &rest) else {
                continue;
            };
            let near = |x: &Rational| Interval::from_rational(x, 128);
            let corner = Corner {
                alpha: near(&alpha),
                rest: near(&rest),
            };
            let allowance = Allowance::new(&form, 64, 128);
            // Down to what floats do not see.
            let little = Float::with_val(FINE, 1) >> u32::try_from(3 + random.below(60)).unwrap();
            let below = Float::with_val_round(64, truth.lo() - &little, Round::Down).0;
            let above = Float::with_val_round(64, truth.hi() + &little, Round::Up).0;
            let bits = 4 + u32::try_from(random.below(12)).unwrap();
            for limit in [&below, &above] {
                let found = allowance.mu_up_within(&corner, limit);
                let coarse = at_most_bits(bits, || allowance.mu_up_within(&corner, limit));
                assert!(found >= *truth.lo(), "{form:?} {alpha} {rest}: {found}");
                assert!(coarse >= *truth.lo(), "{form:?} {alpha} {rest}: {coarse}");
            }
            if little > 1e-9 {
                assert_eq!(
                    allowance.mu_up_within(&corner, &above),
                    above,
                    "{alpha} {rest}"
                );
            }
            // Of several, none is forgotten.
            let easy = Corner {
                alpha: near(&Rational::from((1, 2))),
                rest: near(&Rational::from((1, 2))),
            };
            for corners in [[&corner, &easy], [&easy, &corner]] {
                let found = allowance.largest_mu_up(corners.into_iter());
                assert!(found >= *truth.lo(), "{form:?} {alpha} {rest}: {found}");
            }
            let rough = allowance.mu_rough(&corner).to_f64();
            assert!(
                (rough - truth.lo().to_f64()).abs() < 1e-7,
                "{alpha} {rest}: {rough}"
            );
        }
    }

    /// At a few bits next to the truth: what is not certain is not said.
    #[test]
    fn tails_next_to_their_probability() {
        let mut random = Random(21);
        let (mut said, mut kept) = (0, 0);
        for _ in 0..2000 {
            let bits = 4 + u32::try_from(random.below(12)).unwrap();
            let place = Float::with_val(bits, random.float(bits).clamp_ref(&-6, &6));
            let truth = normal::survival(&Interval::point(Float::with_val(FINE, &place)));
            let mut p = Float::with_val_round(bits, truth.lo(), Round::Down).0;
            for _ in 0..3 {
                let (most, least) = at_most_bits(bits, || {
                    (
                        tail_is_at_most(&place, &p, bits),
                        tail_is_at_least(&place, &p, bits),
                    )
                });
                assert!(!most || *truth.lo() <= p, "1 − Φ({place}) ≤ {p}");
                assert!(!least || *truth.hi() >= p, "1 − Φ({place}) ≥ {p}");
                said += u32::from(most) + u32::from(least);
                kept += u32::from(!most && !least);
                p.next_up();
            }
        }
        // Neither is it silent.
        assert!(said > 4000 && kept > 0, "{said} {kept}");
    }

    #[test]
    fn boxes_and_mirrors() {
        let at = |n: i64| Interval::from_rational(&Rational::from((n, 8)), 20);
        let corner = Corner {
            alpha: at(1),
            rest: at(5),
        };
        let mirrored = corner.mirrored();
        assert_eq!((mirrored.alpha, mirrored.rest), (at(3), at(7)));
        let hull = corner.hull(&Corner {
            alpha: at(2),
            rest: at(4),
        });
        assert_eq!(
            (hull.alpha, hull.rest),
            (at(1).hull(&at(2)), at(4).hull(&at(5)))
        );
    }
}

#[cfg(test)]
#[path = "gdp_vertex_quick_tests.rs"]
mod quick;
