//! Formulas for δ and the trade-off function, evaluated by MPFR's own functions and not by the kernel: a second opinion on what
//! is said to be refuted.
//!
//! Gaussian: Balle & Wang 2018, Theorem 8 (any composition is one, of μ² = Σ 1/σ²). Laplace: Wang et al. 2022, "Fast approximate privacy
//! accounting", table 1. Randomised response and (ε, δ)-DP composed: Kairouz, Oh & Viswanath 2015, Theorem 3.3. Finite pairs: the
//! definition.

use crate::kernel::Pick;
use rug::ops::Pow;
use rug::{Float, Integer, Rational};

use super::decimal::Decimal;
use super::model::{Model, RepeatedStep, Step};
use crate::mechanism::Relation;

/// Working precision.
const BITS: u32 = 2048;
/// A result loses far fewer bits than these to rounding and cancellation.
const GUARD: i32 = -1000;
/// More binomial terms are not added up.
const MOST_TERMS: u64 = 3000;
/// Losses beyond it are not worth their exponentials.
const FAR: u32 = 1_000_000;

/// A number that δ(ε) exceeds, where a formula is known.
pub fn delta_above(model: &Model, epsilon: &Rational) -> Option<Float> {
    if epsilon.clone().abs() > FAR {
        return None;
    }
    let epsilon = Float::with_val(BITS, epsilon);
    if let Some(square) = mu_squared(model) {
        return Some(gaussian_delta(&square, &epsilon));
    }
    // Where a record is replaced, nothing else moves by as much or is a formula below.
    if model.relation != Relation::Presence {
        return None;
    }
    let [part] = model.parts.as_slice() else {
        return None;
    };
    if part.rate.is_some_and(|rate| rate != Decimal::ONE) {
        return None;
    }
    match &part.step {
        Step::Laplace(scale) if part.times == 1 => {
            let loss = Float::with_val(BITS, Rational::from(scale.exactly().recip_ref()));
            Some(laplace_delta(&loss, &epsilon))
        }
        Step::Response { epsilon: loss, k } => response(part, &loss.exactly(), *k, &epsilon),
        // The loss is ±1/b, as that of a randomised response.
        Step::DiscreteLaplace(scale) => {
            let loss = Rational::from(scale.exactly().recip_ref());
            response(part, &loss, 2, &epsilon)
        }
        Step::ApproxDp {
            epsilon: loss,
            delta,
        } => {
            let kept = Float::with_val(BITS, 1 - delta.exactly());
            let kept = kept.pow(part.times);
            let loss = Float::with_val(BITS, loss.exactly());
            let inner = binomial_delta(&loss, part.times, &epsilon)?;
            let lost = Float::with_val(BITS, 1u32 - &kept);
            Some(down(Float::with_val(BITS, &lost + kept * inner)))
        }
        Step::Finite { p, q } if part.times == 1 => {
            let numbers = |xs: &[Decimal]| -> Vec<Float> {
                xs.iter()
                    .map(|x| Float::with_val(BITS, x.exactly()))
                    .collect()
            };
            let (p, q) = (numbers(p), numbers(q));
            let forth = finite_delta(&p, &q, &epsilon);
            let back = finite_delta(&q, &p, &epsilon);
            Some(forth.larger(&back))
        }
        _ => None,
    }
}

/// A number that δ(ε) of no mechanism is below: all outcomes together have δ(ε) ≥ 1 − e^ε.
pub fn delta_of_all(epsilon: &Rational) -> Float {
    if epsilon.clone().abs() > FAR {
        return Float::new(BITS);
    }
    let factor = Float::with_val(BITS, epsilon).exp();
    difference(Float::with_val(BITS, 1), &factor)
}

/// A number that f(α) stays below, where a formula is known.
pub fn tradeoff_below(model: &Model, alpha: &Rational) -> Option<Float> {
    let (_, high) = gaussian_tradeoff(&mu_squared(model)?, alpha)?;
    Some(high)
}

/// G_μ(α) between two numbers, for α in (0, 1).
pub fn gaussian_tradeoff(mu_square: &Rational, alpha: &Rational) -> Option<(Float, Float)> {
    const BITS: u32 = 400;
    const HALVINGS: u32 = 300;
    if *alpha <= 0 || *alpha >= 1 {
        return None;
    }
    let mu = Float::with_val(BITS, mu_square).sqrt();
    // z = Φ⁻¹(1 − α) by halving: Φ(−z) = α.
    let (mut low, mut high) = (Float::with_val(BITS, -200), Float::with_val(BITS, 200));
    for _ in 0..HALVINGS {
        let middle = Float::with_val(BITS, &low + &high) / 2u32;
        if upper_tail(&middle) > *alpha {
            low = middle;
        } else {
            high = middle;
        }
    }
    let error = Float::with_val(BITS, 1) >> 200u32;
    let at = |z: &Float| upper_tail(&Float::with_val(BITS, &mu - z));
    let (below, above) = (at(&low), at(&high));
    let slack = Float::with_val(BITS, &above * &error);
    Some((below - &slack, above + &slack))
}

/// Φ(−x).
fn upper_tail(x: &Float) -> Float {
    let half = Float::with_val(x.prec(), 0.5).sqrt();
    Float::with_val(x.prec(), x * &half).erfc() / 2u32
}

/// μ² of a composition of Gaussians, none of them sampled.
fn mu_squared(model: &Model) -> Option<Rational> {
    let squares = model.parts.iter().map(|part| match &part.step {
        Step::Gaussian(sigma) if part.rate.is_none_or(|rate| rate == Decimal::ONE) => {
            let square = sigma.exactly().square();
            Some(Rational::from(part.times) / square)
        }
        _ => None,
    });
    let squares: Option<Vec<Rational>> = squares.collect();
    let sum = squares?.into_iter().fold(Rational::new(), |sum, x| sum + x);
    // A replaced record moves a sum twice as far, a zeroed one as far as one that is removed.
    Some(match model.relation {
        Relation::Presence | Relation::ReplaceSpecial => sum,
        Relation::ReplaceOne => sum * 4u32,
    })
}

fn gaussian_delta(mu_square: &Rational, epsilon: &Float) -> Float {
    let mu = Float::with_val(BITS, mu_square).sqrt();
    let middle = Float::with_val(BITS, epsilon / &mu);
    let half = Float::with_val(BITS, &mu / 2u32);
    let first = upper_tail(&Float::with_val(BITS, &middle - &half));
    let second = upper_tail(&Float::with_val(BITS, &middle + &half)) * epsilon.clone().exp();
    difference(first, &second)
}

/// δ(ε) = 1 − e^{(ε − 1/b)/2} within ±1/b, at sensitivity 1.
fn laplace_delta(loss: &Float, epsilon: &Float) -> Float {
    if epsilon >= loss {
        return Float::new(BITS);
    }
    let one = Float::with_val(BITS, 1);
    if *epsilon <= Float::with_val(BITS, -loss) {
        return difference(one, &epsilon.clone().exp());
    }
    let exponent = Float::with_val(BITS, epsilon - loss) / 2u32;
    difference(one, &exponent.exp())
}

fn response(part: &RepeatedStep, loss: &Rational, k: u64, epsilon: &Float) -> Option<Float> {
    let loss = Float::with_val(BITS, loss);
    if k == 2 {
        return binomial_delta(&loss, part.times, epsilon);
    }
    if part.times > 1 {
        return None;
    }
    let likely = loss.exp();
    let total = Float::with_val(BITS, &likely + (k.saturating_sub(1)));
    let (high, low) = (likely / &total, Float::with_val(BITS, 1) / &total);
    let other = Float::with_val(BITS, &low * k.saturating_sub(2));
    let p = [high.clone(), low.clone(), other.clone()];
    let q = [low, high, other];
    Some(finite_delta(&p, &q, epsilon))
}

/// T randomised responses between two answers.
fn binomial_delta(loss: &Float, times: u64, epsilon: &Float) -> Option<Float> {
    if times > MOST_TERMS {
        return None;
    }
    let times = u32::try_from(times).ok()?;
    let odds = loss.clone().exp();
    let total = Float::with_val(BITS, &odds + 1u32);
    let (p, q) = (odds / &total, Float::with_val(BITS, 1) / &total);
    let swap = epsilon.clone().exp();
    let mut sum = Float::new(BITS);
    for j in 0..=times {
        let ways = Float::with_val(BITS, Integer::from(Integer::binomial_u(times, j)));
        let rest = times.saturating_sub(j);
        let here = Float::with_val(BITS, (&p).pow(rest)) * Float::with_val(BITS, (&q).pow(j));
        let there = Float::with_val(BITS, (&p).pow(j)) * Float::with_val(BITS, (&q).pow(rest));
        sum += difference(here * &ways, &(there * &ways * &swap));
    }
    Some(down(sum))
}

fn finite_delta(p: &[Float], q: &[Float], epsilon: &Float) -> Float {
    let factor = epsilon.clone().exp();
    let terms = p.iter().zip(q).map(|(p, q)| {
        let scaled = Float::with_val(BITS, q * &factor);
        difference(p.clone(), &scaled)
    });
    down(terms.fold(Float::new(BITS), |sum, term| sum + term))
}

/// A number below (a − b)⁺, if a and b are good to [`GUARD`] bits.
fn difference(a: Float, b: &Float) -> Float {
    let error = Float::with_val(BITS, &a + b) << GUARD;
    let found = a - b - error;
    if found > 0 { found } else { Float::new(BITS) }
}

fn down(x: Float) -> Float {
    let error = Float::with_val(BITS, &x << GUARD);
    x - error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Goal, Resources, Subject};
    use crate::bounds::Target;
    use crate::input::mechanism_from_bytes;
    use crate::kernel::Budget;
    use crate::mechanism::Epsilon;
    use crate::statement::Query;

    fn part(step: Step, times: u64) -> Model {
        Model::of(vec![RepeatedStep::plain(step, times)])
    }

    fn decimal(text: &str) -> Decimal {
        Decimal::read(text).unwrap()
    }

    fn enclosed(model: &Model, query: &Query) -> (Float, Float) {
        let file = mechanism_from_bytes("test", model.json().as_bytes()).unwrap();
        let budget = Budget::unlimited();
        let subject = Subject::new(&file.mechanism, file.adjacency, &budget).unwrap();
        let resources = Resources {
            budget: &budget,
            jobs: 1,
            progress: &|_| (),
        };
        let goal = Goal::Width(Target::Relative(Rational::from((1, 1_000_000))));
        let answer = subject.answer(query, &goal, &resources).unwrap();
        (
            answer.enclosure.lower().clone(),
            answer.enclosure.upper().clone(),
        )
    }

    #[test]
    fn formulas_agree_with_enclosures() {
        let models = [
            part(Step::Gaussian(decimal("0.7")), 3),
            part(Step::Laplace(decimal("2")), 1),
            part(
                Step::Response {
                    epsilon: decimal("1.5"),
                    k: 2,
                },
                7,
            ),
            part(
                Step::Response {
                    epsilon: decimal("1.5"),
                    k: 5,
                },
                1,
            ),
            part(Step::DiscreteLaplace(decimal("0.8")), 3),
            part(
                Step::ApproxDp {
                    epsilon: decimal("0.5"),
                    delta: decimal("1e-3"),
                },
                4,
            ),
            part(
                Step::Finite {
                    p: vec![decimal("0.5"), decimal("0.3"), decimal("0.2")],
                    q: vec![decimal("0.9"), decimal("0.1"), decimal("0")],
                },
                1,
            ),
        ];
        for model in models {
            for epsilon in ["-0.3", "0", "0.25", "1", "4"] {
                let at = decimal(epsilon).exactly();
                let above = delta_above(&model, &at).unwrap();
                let (low, high) = enclosed(&model, &Query::delta_at(Epsilon::from(at)));
                let gap = Float::with_val(64, &low * 2e-6);
                assert!(above <= high, "{} {epsilon}", model.json());
                assert!(above >= low - gap, "{} {epsilon}", model.json());
            }
        }
    }

    #[test]
    fn trade_offs_of_gaussians() {
        let model = part(Step::Gaussian(decimal("2")), 9);
        for alpha in ["1e-9", "0.01", "0.5", "0.999"] {
            let alpha = decimal(alpha).exactly();
            let below = tradeoff_below(&model, &alpha).unwrap();
            let (low, high) = enclosed(&model, &Query::trade_off(&alpha).unwrap());
            assert!(below >= low && below <= high * 1.0001, "{alpha}");
        }
        assert!(tradeoff_below(&model, &Rational::new()).is_none());
    }

    #[test]
    fn what_holds_of_all_mechanisms() {
        let at = |text: &str| delta_of_all(&decimal(text).exactly());
        assert!(at("-1") > 0.632_12 && at("-1") < 0.632_13);
        assert!(at("-1000") < 1 && at("-1000") > 0.999_999);
        assert!(at("0").is_zero() && at("3").is_zero() && at("-1e9").is_zero());
    }

    /// Noise of σ on a sum in which a record is replaced is that of σ/2 where one comes or goes.
    #[test]
    fn a_replaced_record_moves_twice_as_far() {
        let of = |sigma: &str| part(Step::Gaussian(decimal(sigma)), 3);
        let replaced = of("2").related_by(Relation::ReplaceOne).unwrap();
        let (epsilon, alpha) = (Rational::from((1, 2)), Rational::from((1, 10)));
        assert_eq!(
            delta_above(&replaced, &epsilon),
            delta_above(&of("1"), &epsilon)
        );
        assert_eq!(
            tradeoff_below(&replaced, &alpha),
            tradeoff_below(&of("1"), &alpha)
        );
        let (low, _) = enclosed(&replaced, &Query::delta(epsilon.clone()).unwrap());
        let found = delta_above(&replaced, &epsilon).unwrap();
        assert!(Float::with_val(200, &found - &low).abs() < 1e-6);
        let laplace = part(Step::Laplace(Decimal::ONE), 1)
            .related_by(Relation::ReplaceOne)
            .unwrap();
        assert!(delta_above(&laplace, &epsilon).is_none());
    }

    #[test]
    fn no_formula_no_opinion() {
        let sampled = Model::of(vec![RepeatedStep {
            step: Step::Gaussian(Decimal::ONE),
            rate: Some(decimal("0.5")),
            times: 1,
        }]);
        assert!(delta_above(&sampled, &Rational::new()).is_none());
        assert!(tradeoff_below(&sampled, &Rational::from((1, 2))).is_none());
    }
}
