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
}
