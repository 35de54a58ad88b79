//! The profiles of one and of two selections, in closed form.

use rug::Rational;

use super::mirror::{Mirrored, mirrored};
use crate::kernel::{Interval, LossBound, Point, ProfilePoint};
use crate::mechanism::epsilon::Epsilon;

/// How often the mechanism runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Runs {
    One,
    Two,
}

impl Runs {
    fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// With v = e^{(x − ε)/2} at u = e^x:
///
/// * one run: (1 − v)²/(1 − e^{−ε}) for |x| ≤ ε;
/// * two runs, A = e^{ε/2}: ((1 + 1/A)(1 − v)² + 2v(1 − A^{−1/2})²)/((1 − 1/A)(1 + 1/A)²) for |x| ≤ ε/2,
///   (1 − e^{(x − 2ε)/3})³/(1 − e^{−ε})² for ε/2 ≤ x ≤ 2ε, and 1 − u + u·δ(1/u) for x < 0.
///
/// Both are 0 from their largest loss on, and 1 − u up to their least one.
#[derive(Debug, Clone)]
pub(super) struct ClosedForm {
    epsilon: Epsilon,
    runs: Runs,
}

impl ClosedForm {
    /// Requires: ε > 0.
    pub(super) fn new(epsilon: Epsilon, runs: Runs) -> Self {
        Self { epsilon, runs }
    }

    fn times(&self, epsilon: &Interval) -> Interval {
        match self.runs {
            Runs::One => epsilon.clone(),
            Runs::Two => epsilon.add(epsilon),
        }
    }
}

impl Mirrored for ClosedForm {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let epsilon = self.epsilon.enclose(bits);
        let mut knot: Option<ProfilePoint> = None;
        let mut join = |next: ProfilePoint| {
            knot = Some(match knot.take() {
                None => next,
                Some(known) => ProfilePoint {
                    delta: known.delta.hull(&next.delta),
                    null_tail: known.null_tail.hull(&next.null_tail),
                },
            });
        };
        let x = point.log();
        let (zero, one) = (Interval::zero(bits), Interval::one(bits));
        let largest = self.times(&epsilon);
        // All pieces that the place may be on.
        if x.hi() >= largest.lo() {
            join(ProfilePoint {
                delta: zero.clone(),
                null_tail: zero.clone(),
            });
        }
        if x.lo() <= largest.neg().hi() {
            join(ProfilePoint {
                delta: point.exp().one_minus().at_least_zero(),
                null_tail: one.clone(),
            });
        }
        if x.hi() >= largest.neg().lo() && x.lo() <= largest.hi() {
            match self.runs {
                Runs::One => join(one_run(x, &epsilon)),
                Runs::Two => {
                    for piece in pieces(x, &half(&epsilon)) {
                        join(match piece {
                            Piece::Far => two_runs_far(x, &epsilon),
                            Piece::Near => two_runs_near(x, &epsilon),
                            Piece::Mirrored => {
                                mirrored(&two_runs_far(&x.neg(), &epsilon), point.exp())
                            }
                        });
                    }
                }
            }
        }
        let knot = knot.unwrap_or_else(|| ProfilePoint {
            delta: zero.hull(&one),
            null_tail: zero.hull(&one),
        });
        ProfilePoint {
            delta: knot.delta.in_unit(),
            null_tail: knot.null_tail.in_unit(),
        }
    }

    fn largest_loss(&self, bits: u32) -> LossBound {
        let exact = self.epsilon.exact();
        LossBound::Finite {
            value: self.times(&self.epsilon.enclose(bits)),
            exact: exact.map(|epsilon| epsilon * self.runs.count()),
        }
    }

    fn largest_odds(&self) -> Option<Rational> {
        let odds = self.epsilon.exact_exp()?;
        Some(match self.runs {
            Runs::One => odds,
            Runs::Two => odds.square(),
        })
    }
}

/// Of two runs, within their range of losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// x ≥ ε/2.
    Far,
    /// |x| ≤ ε/2.
    Near,
    /// x ≤ −ε/2.
    Mirrored,
}

/// All pieces that the place may be on, given ε/2.
fn pieces(x: &Interval, half: &Interval) -> Vec<Piece> {
    let mut found = Vec::new();
    if x.hi() >= half.lo() {
        found.push(Piece::Far);
    }
    if x.lo() <= half.hi() && x.hi() >= half.neg().lo() {
        found.push(Piece::Near);
    }
    if x.lo() <= half.neg().hi() {
        found.push(Piece::Mirrored);
    }
    found
}

fn half(x: &Interval) -> Interval {
    x.mul(&Interval::from_rational(&Rational::from((1, 2)), x.bits()))
}

/// 1 − e^y for y ≤ 0.
fn fall(y: &Interval) -> Interval {
    y.exp_m1().neg().at_least_zero()
}

/// (1 − v)²/(1 − e^{−ε}), and (1 − v)·e^{−(x + ε)/2}/(1 − e^{−ε}).
fn one_run(x: &Interval, epsilon: &Interval) -> ProfilePoint {
    let gap = fall(&half(&x.sub(epsilon)));
    let scale = fall(&epsilon.neg());
    ProfilePoint {
        delta: gap.square().div(&scale),
        null_tail: gap.mul(&half(&x.add(epsilon)).neg().exp()).div(&scale),
    }
}

/// (1 − w)³/(1 − e^{−ε})² with w = e^{(x − 2ε)/3}, and (1 − w)²·w·e^{−x}/(1 − e^{−ε})².
fn two_runs_far(x: &Interval, epsilon: &Interval) -> ProfilePoint {
    let third = Interval::from_i64(3, x.bits()).recip();
    let exponent = x.sub(&epsilon.add(epsilon)).mul(&third);
    let gap = fall(&exponent);
    let scale = fall(&epsilon.neg()).square();
    ProfilePoint {
        delta: gap.mul(&gap.square()).div(&scale),
        null_tail: gap.square().mul(&exponent.sub(x).exp()).div(&scale),
    }
}

/// The middle piece, D its denominator: the slope is v·e^{−x}·((1 + 1/A)(1 − v) − (1 − A^{−1/2})²)/D.
fn two_runs_near(x: &Interval, epsilon: &Interval) -> ProfilePoint {
    let one = Interval::one(x.bits());
    let exponent = half(&x.sub(epsilon));
    let (v, gap) = (exponent.exp(), fall(&exponent));
    let shrink = half(epsilon).neg();
    let sum = one.add(&shrink.exp());
    let scale = fall(&shrink).mul(&sum.square());
    let middle = fall(&half(&shrink)).square();
    let rest = v.add(&v).mul(&middle);
    ProfilePoint {
        delta: sum.mul(&gap.square()).add(&rest).div(&scale),
        null_tail: sum
            .mul(&gap)
            .sub(&middle)
            .mul(&exponent.sub(x).exp())
            .div(&scale),
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::kernel::coarse::spans_hold;
    use crate::mechanism::closed::selection::mirror::OwnMirror;
    use crate::mechanism::closed::selection::noisy_max::tests::ends_hold_within;

    /// Places known by intervals that touch or reach over the ends of pieces, at ±ε, ±ε/2 and ±2ε.
    #[test]
    fn pieces_at_places_by_intervals() {
        let places = [-9, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 9];
        let places = places.map(|n| Rational::from((n, 4)));
        for runs in [Runs::One, Runs::Two] {
            let epsilon = Epsilon::from(Rational::from(1));
            let profile = OwnMirror(ClosedForm::new(epsilon, runs));
            for bits in [5, 60] {
                assert_eq!(spans_hold(&profile, &places, bits), Ok(()));
            }
        }
        // ε = log 3, which no float is.
        let places = [-11, -9, -6, -5, -2, 0, 2, 5, 6, 9, 11, 12];
        let places = places.map(|n| Rational::from((n, 5)));
        for runs in [Runs::One, Runs::Two] {
            let epsilon = Epsilon::log_of(Rational::from(3)).unwrap();
            let profile = OwnMirror(ClosedForm::new(epsilon, runs));
            for bits in [5, 60] {
                assert_eq!(spans_hold(&profile, &places, bits), Ok(()));
            }
        }
    }

    /// Where ε is known to a few bits only, a place may be on either side of an end.
    #[test]
    fn ends_that_are_hardly_known() {
        for epsilon in [
            Epsilon::log_of(Rational::from(3)).unwrap(),
            Epsilon::from(Rational::from((7, 5))),
        ] {
            for runs in [Runs::One, Runs::Two] {
                let profile = ClosedForm::new(epsilon.clone(), runs);
                let ends = [1, -1, 2, -2, 4, -4];
                assert_eq!(ends_hold_within(&profile, &epsilon, &ends), Ok(()));
            }
        }
    }

    /// Every piece is taken that some place is on, for some ε, and no other one.
    #[test]
    fn places_that_may_be_on_two_pieces() {
        let between =
            |low: i64, high: i64| Interval::from_i64(low, 60).hull(&Interval::from_i64(high, 60));
        let half = between(10, 14);
        for low in -40..=40i64 {
            for high in low..=40 {
                let found = pieces(&between(low, high), &half);
                for (piece, is_on) in [
                    (Piece::Far, high >= 10),
                    (Piece::Near, low <= 14 && high >= -14),
                    (Piece::Mirrored, low <= -10),
                ] {
                    assert_eq!(found.contains(&piece), is_on, "{low} {high} {piece:?}");
                }
            }
        }
    }

    /// The tail is how fast δ falls: dδ/dx = −e^x·s in every formula.
    #[test]
    fn tails_are_slopes() {
        let number = |n: i64| Interval::from_rational(&Rational::from((n, 1_000_000)), 120);
        let epsilon = Interval::from_i64(1, 120);
        type Formula = fn(&Interval, &Interval) -> ProfilePoint;
        let formulas: [(Formula, i64); 3] = [
            (one_run, 200_000),
            (two_runs_far, 1_400_000),
            (two_runs_near, 300_000),
        ];
        for (formula, x) in formulas {
            for x in [x, x + 100_000, x + 150_000] {
                let at = |x: i64| formula(&number(x), &epsilon);
                let rise: rug::Float = at(x + 1).delta.middle() - at(x - 1).delta.middle();
                let slope: rug::Float = rise * 500_000;
                let tail = (at(x).null_tail.mul(&number(x).exp())).middle();
                assert!(
                    (slope.to_f64() + tail.to_f64()).abs() < 1e-9,
                    "{x} {slope} {tail}"
                );
            }
        }
    }

    /// Each piece by its formula in floats, and its tail as the slope of that.
    #[test]
    fn pieces_by_their_formulas() {
        let one = |x: f64, e: f64| (1.0 - ((x - e) / 2.0).exp()).powi(2) / (1.0 - (-e).exp());
        let far = |x: f64, e: f64| {
            (1.0 - ((x - 2.0 * e) / 3.0).exp()).powi(3) / (1.0 - (-e).exp()).powi(2)
        };
        let near = |x: f64, e: f64| {
            let (v, less) = (((x - e) / 2.0).exp(), (-e / 2.0).exp());
            let middle = 2.0 * v * (1.0 - less.sqrt()).powi(2);
            ((1.0 + less) * (1.0 - v).powi(2) + middle) / ((1.0 - less) * (1.0 + less).powi(2))
        };
        let at = |x: f64| Interval::from_rational(&Rational::from_f64(x).unwrap(), 80);
        let check = |place: &str, found: &ProfilePoint, of: &dyn Fn(f64) -> f64, x: f64| {
            let step = 1e-5;
            let (right, left) = (x + step, x - step);
            let slope = (of(left) - of(right)) / (right.exp() - left.exp());
            let delta = found.delta.middle().to_f64();
            let tail = found.null_tail.middle().to_f64();
            assert!((delta - of(x)).abs() < 1e-12, "{place} at {x}: {delta}");
            assert!(
                (tail - slope).abs() < 1e-6,
                "{place} at {x}: {tail} {slope}"
            );
        };
        for e in [0.5, 1.0, 3.0] {
            for share in [-0.9f64, -0.4, 0.0, 0.3, 0.8] {
                let x = e * share;
                check("one", &one_run(&at(x), &at(e)), &|x| one(x, e), x);
                let x = e * share / 2.0;
                check("near", &two_runs_near(&at(x), &at(e)), &|x| near(x, e), x);
                let x = e * (1.25 + share * 0.75);
                check("far", &two_runs_far(&at(x), &at(e)), &|x| far(x, e), x);
            }
            // The whole, with what is beyond its pieces.
            let two = |x: f64| match x / e {
                2.0.. => 0.0,
                0.5.. => far(x, e),
                -0.5.. => near(x, e),
                -2.0.. => 1.0 - x.exp() + x.exp() * far(-x, e),
                _ => 1.0 - x.exp(),
            };
            let once = |x: f64| match x / e {
                1.0.. => 0.0,
                -1.0.. => one(x, e),
                _ => 1.0 - x.exp(),
            };
            let epsilon = Epsilon::from(Rational::from_f64(e).unwrap());
            let [first, second] =
                [Runs::One, Runs::Two].map(|r| ClosedForm::new(epsilon.clone(), r));
            for share in [
                -2.25f64, -1.75, -1.25, -0.75, -0.25, 0.25, 0.75, 1.25, 1.75, 2.25,
            ] {
                let x = e * share;
                let place = Point::at_epsilon(&Rational::from_f64(x).unwrap(), 80);
                check("one run", &first.at(&place), &once, x);
                check("two runs", &second.at(&place), &two, x);
            }
            // Two pieces meet, and the whole ends in 1 − u and in 0.
            assert!((near(e / 2.0, e) - far(e / 2.0, e)).abs() < 1e-12);
            assert!((one(-e, e) - (1.0 - (-e).exp())).abs() < 1e-12 && one(e, e) == 0.0);
        }
    }
}
