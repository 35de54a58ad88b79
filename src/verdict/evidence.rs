//! Where a refuted claim fails.

use rug::{Float, Rational};

use super::inequality::{Inequality, Relation};
use super::rounded::{rounded_down, rounded_up, upper_end};
use crate::analysis::{Answer, Witness};
use crate::bounds::Enclosure;
use crate::mechanism::Epsilon;
use crate::statement::{Claim, StatedClaim};

/// Digits of a witness: enough that rounding it does not lose the violation, as a rule.
const DIGITS: usize = 17;

/// Digits of a number that must stay below a bound, at most.
const MOST_DIGITS: usize = 320;

/// False-positive rates below 2^-1000 are no floating-point numbers: they are given by their logarithm.
const SMALLEST_EXPONENT: i32 = -1000;

/// Where a refuted claim fails. The numbers are exact, and rounded so that what is said of them stays true.
#[derive(Debug, Clone, PartialEq)]
pub enum Counterexample {
    /// δ at this ε is above what the claim allows.
    Epsilon(Epsilon),
    /// f(alpha) ≤ beta, and the claim says that it is larger there.
    Point {
        /// A false-positive rate.
        alpha: Coordinate,
        /// An upper bound of f there; a logarithm is that of its distance from 1.
        beta: Coordinate,
    },
    /// The Rényi divergence of this order is too large.
    Order(Rational),
    /// The prior at which the Bayes errors differ by too much.
    Prior {
        /// That the record is **absent**, rounded to nearest.
        prior: Float,
        /// ε = log(π/(1 − π)).
        epsilon: Float,
    },
    /// A theorem, where the place is beyond any float.
    Theorem(String),
}

/// One coordinate of a point of a trade-off curve.
#[derive(Debug, Clone, PartialEq)]
pub enum Coordinate {
    /// Itself.
    Number(Rational),
    /// log₁₀ of it, or of its distance from 1, where that is beyond any float.
    Log10(Rational),
}

/// The place at which the claim fails; `None` where none is known.
pub(super) fn counterexample(claim: &Claim, answer: &Answer) -> Option<Counterexample> {
    match claim.stated() {
        // δ is positive (pure DP) or above the claimed δ at the ε of the claim itself.
        StatedClaim::PureDp { epsilon } | StatedClaim::ApproxDp { epsilon, .. } => {
            Some(Counterexample::Epsilon(epsilon.clone()))
        }
        // The advantage is δ(0).
        StatedClaim::Advantage { .. } => Some(Counterexample::Epsilon(Epsilon::zero())),
        StatedClaim::Rdp { order, .. } => Some(Counterexample::Order(order.clone())),
        StatedClaim::TradeOff { alpha, .. } => Some(Counterexample::Point {
            alpha: Coordinate::Number(alpha.clone()),
            beta: Coordinate::Number(above_the_curve(claim, &answer.enclosure)?),
        }),
        StatedClaim::Gdp { .. }
        | StatedClaim::Regret { .. }
        | StatedClaim::Zcdp { .. }
        | StatedClaim::DominatedBy { .. } => answer.witness.as_ref().and_then(place),
    }
}

/// An upper bound of f(α) with enough digits to be below the claimed β.
fn above_the_curve(claim: &Claim, found: &Enclosure) -> Option<Rational> {
    let claimed = Inequality::of(claim);
    let mut digits = DIGITS;
    loop {
        let beta = upper_end(found, digits)?;
        let still_below = claimed.relation == Relation::AtLeast && beta < claimed.bound;
        if still_below || digits >= MOST_DIGITS {
            return Some(beta);
        }
        digits = digits.saturating_mul(2);
    }
}

fn place(witness: &Witness) -> Option<Counterexample> {
    Some(match witness {
        Witness::Epsilon(epsilon) => Counterexample::Epsilon(rounded_up(epsilon, DIGITS)?.into()),
        Witness::Order(order) => Counterexample::Order(order.clone()),
        Witness::Theorem(words) => Counterexample::Theorem(words.clone()),
        Witness::Prior { prior, epsilon } => Counterexample::Prior {
            prior: prior.clone(),
            epsilon: epsilon.clone(),
        },
        Witness::Point { alpha, beta } => {
            let rest = Float::with_val_round(beta.prec(), 1 - beta, rug::float::Round::Down).0;
            let tiny = |x: &Float| {
                x.get_exp()
                    .is_some_and(|exponent| exponent < SMALLEST_EXPONENT)
            };
            let far = tiny(alpha);
            // f falls, so rounding both up keeps f(α) ≤ β true; β keeps its distance from 1.
            let beta = if tiny(&rest) || far {
                Coordinate::Log10(rounded_down(&log10_down(&rest), DIGITS)?)
            } else {
                let nines = rest.get_exp().map_or(0, |e| e.min(0).unsigned_abs() / 3);
                let digits = DIGITS.saturating_add(usize::try_from(nines).unwrap_or(0));
                Coordinate::Number(rounded_up(beta, digits)?)
            };
            let alpha = if far {
                Coordinate::Log10(rounded_up(&log10_up(alpha), DIGITS)?)
            } else {
                Coordinate::Number(rounded_up(alpha, DIGITS)?)
            };
            Counterexample::Point { alpha, beta }
        }
    })
}

fn log10_up(x: &Float) -> Float {
    Float::with_val_round(64, x.log10_ref(), rug::float::Round::Up).0
}

fn log10_down(x: &Float) -> Float {
    Float::with_val_round(64, x.log10_ref(), rug::float::Round::Down).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{FINE, Random, few_bits};
    use crate::number::parse_rational;

    fn number(text: &str) -> Rational {
        parse_rational(text).unwrap()
    }

    #[test]
    fn a_point_beyond_any_float_is_given_by_logarithms() {
        let tiny = Float::with_val(64, 1) >> 4000u32;
        let beta = Float::with_val(5000, 1) - (Float::with_val(5000, 1) >> 3000u32);
        let found = place(&Witness::Point { alpha: tiny, beta });
        assert_eq!(
            found,
            Some(Counterexample::Point {
                alpha: Coordinate::Log10(number("-1204.1199826559247")),
                beta: Coordinate::Log10(number("-903.08998699194359")),
            })
        );
    }

    #[test]
    fn an_ordinary_point_is_rounded_to_the_side_where_it_stays_true() {
        let third = Float::with_val(64, 1) / 3u32;
        let found = place(&Witness::Point {
            alpha: third.clone(),
            beta: third,
        });
        let up = || Coordinate::Number(number("0.33333333333333334"));
        assert_eq!(
            found,
            Some(Counterexample::Point {
                alpha: up(),
                beta: up(),
            })
        );
    }

    /// Numbers next to a decimal, which one more rounding in the wrong direction would reach.
    #[test]
    fn coordinates_stay_on_their_side() {
        // Slightly above 10^-400, and slightly less than that below 1.
        let power = number("1e-400");
        let above = Float::with_val_round(3000, &power, rug::float::Round::Up).0;
        let below = Float::with_val_round(3000, &power, rug::float::Round::Down).0;
        let beta = Float::with_val(6000, 1 - &below);
        let found = place(&Witness::Point { alpha: above, beta });
        let Some(Counterexample::Point {
            alpha: Coordinate::Log10(alpha),
            beta: Coordinate::Log10(beta),
        }) = found
        else {
            panic!("{found:?}")
        };
        assert!(alpha > -400 && beta < -400, "{alpha} {beta}");
        // 1 − β is not a number of as few bits as β has.
        let alpha = Float::with_val(64, 1) >> 2000u32;
        let beta = Float::with_val(8, 129) >> 16u32;
        let rest = Float::with_val(64, 1 - &beta);
        let found = place(&Witness::Point { alpha, beta });
        let Some(Counterexample::Point {
            beta: Coordinate::Log10(log),
            ..
        }) = found
        else {
            panic!("{found:?}")
        };
        assert!(log <= rest.log10());
        // A rate next to 1 keeps its distance.
        let near = Float::with_val(200, 1) - (Float::with_val(200, 1) >> 100u32);
        let found = place(&Witness::Point {
            alpha: near.clone(),
            beta: near.clone(),
        });
        let Some(Counterexample::Point {
            alpha: Coordinate::Number(_),
            beta: Coordinate::Number(beta),
        }) = found
        else {
            panic!("{found:?}")
        };
        assert!(beta < 1 && near <= beta);
        let third = Float::with_val(64, 1) / 3u32;
        let found = place(&Witness::Epsilon(third.clone()));
        let Some(Counterexample::Epsilon(epsilon)) = found else {
            panic!("{found:?}")
        };
        assert!(third <= epsilon.rational_down());
    }

    /// As many digits as it takes to stay below what is claimed.
    #[test]
    fn points_of_the_curve_stay_below_the_claim() {
        let half = || Rational::from((1, 2));
        let claim = Claim::trade_off(Rational::from((1, 10)), half()).unwrap();
        for shift in [70u32, 200, 900] {
            let upper = Float::with_val(1000, 0.5) - (Float::with_val(1000, 1) >> shift);
            let found = Enclosure::new(Float::new(1000), upper.clone()).unwrap();
            let beta = above_the_curve(&claim, &found).unwrap();
            assert!(beta < half() && upper <= beta, "{shift}: {beta}");
        }
        // A claim that is no decimal, which rounding reaches over.
        let third = Rational::from((1, 3));
        let claim_of_third = Claim::trade_off(Rational::from((1, 10)), third.clone()).unwrap();
        let upper = Float::with_val(1000, &third) - (Float::with_val(1000, 1) >> 100u32);
        let found = Enclosure::new(Float::new(1000), upper.clone()).unwrap();
        let beta = above_the_curve(&claim_of_third, &found).unwrap();
        assert!(beta < third && upper <= beta, "{beta}");
        // Beyond all digits it is not.
        let upper = Float::with_val(3000, 0.5) - (Float::with_val(3000, 1) >> 2500u32);
        let found = Enclosure::new(Float::new(3000), upper).unwrap();
        assert_eq!(above_the_curve(&claim, &found), Some(half()));
    }

    /// Of few bits, above 0 and below 1: next to either, beyond any float now and then, or in between.
    fn rate(random: &mut Random) -> Float {
        let bits = few_bits(random);
        let number = Float::with_val(bits, 1 + random.below((1 << bits) - 1)) >> bits;
        let far = u32::try_from(match random.below(16) {
            0 => 990 + random.below(40),
            1..=5 => random.below(80),
            _ => return number,
        })
        .unwrap();
        let near_zero = number >> far;
        match random.below(2) {
            0 => near_zero,
            _ => Float::with_val(bits + far + 1, 1 - &near_zero),
        }
    }

    /// Both logarithms surround the one of many bits, and are next to each other.
    #[test]
    fn logarithms_at_few_bits() {
        let mut random = Random(41);
        for _ in 0..10_000 {
            let x = rate(&mut random);
            let [down, up] = [log10_down(&x), log10_up(&x)];
            let side = |round| Float::with_val_round(FINE, x.log10_ref(), round).0;
            assert!(down <= side(rug::float::Round::Down) && up >= side(rug::float::Round::Up));
            let mut next = down.clone();
            next.next_up();
            assert!(up == down || up == next, "{x} {down} {up}");
        }
    }

    /// Whatever the coordinates are said by, the point said is above the curve that passes through or below the one found.
    #[test]
    fn places_at_few_bits() {
        let mut random = Random(42);
        let (mut numbers, mut logarithms) = (0, 0);
        for _ in 0..10_000 {
            let (alpha, beta) = (rate(&mut random), rate(&mut random));
            let witness = Witness::Point {
                alpha: alpha.clone(),
                beta: beta.clone(),
            };
            let Some(Counterexample::Point { alpha: a, beta: b }) = place(&witness) else {
                panic!("{alpha} {beta}")
            };
            match a {
                Coordinate::Number(a) => assert!(
                    alpha <= a
                        && Float::with_val(40, a - &alpha) <= Float::with_val(40, &alpha >> 50u32)
                ),
                Coordinate::Log10(a) => {
                    let fine = Float::with_val(FINE, alpha.log10_ref());
                    assert!(
                        a > fine && Float::with_val(40, a - &fine) < 1e-12,
                        "{alpha}"
                    );
                }
            }
            let rest = Float::with_val(beta.prec() + 20, 1 - &beta);
            match b {
                Coordinate::Number(b) => {
                    numbers += 1;
                    assert!(beta <= b && b < 1, "{beta} {b}");
                }
                Coordinate::Log10(b) => {
                    logarithms += 1;
                    let fine = Float::with_val(FINE, rest.log10_ref());
                    assert!(b <= fine, "{beta}: {b} {fine}");
                }
            }
            let Some(Counterexample::Epsilon(epsilon)) = place(&Witness::Epsilon(alpha.clone()))
            else {
                panic!("{alpha}")
            };
            assert!(alpha <= epsilon.exact().unwrap());
        }
        assert!(
            numbers > 5_000 && logarithms > 100,
            "{numbers} {logarithms}"
        );
    }
}
