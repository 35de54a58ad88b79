//! Proofs that need no law: the largest loss, Gaussian μ, two probability vectors in exact arithmetic.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::answer::Claim;
use crate::claim::Direction;
use crate::real::Real;
use crate::reason::{Reason, Rejected};
use crate::step::{Epsilon, Mechanism, Step};
use crate::work::{spend_on, spend_on_bits};

/// The largest value of log dQ/dP that occurs with positive Q-probability.
pub enum Largest {
    Infinite,
    /// The sum of a number and of n·log u for each (u, n).
    Finite {
        plain: BigRational,
        logarithms: Vec<(BigRational, u64)>,
    },
}

/// Longer powers of fractions are not made.
const LONGEST_POWER: u64 = 1 << 14;

impl Largest {
    /// How it compares with ε, where that is known: exactly if both are numbers, or both logarithms.
    pub fn compared(&self, epsilon: &Epsilon) -> Result<Option<Ordering>, Rejected> {
        let Self::Finite { plain, logarithms } = self else {
            return Ok(Some(Ordering::Greater));
        };
        match epsilon {
            Epsilon::Plain(epsilon) if logarithms.is_empty() => return Ok(Some(plain.cmp(epsilon))),
            Epsilon::LogOf(odds) if plain.is_zero() => {
                let long = logarithms.iter().map(|(u, n)| (u.numer().bits() + u.denom().bits()).saturating_mul(*n));
                let long = long.fold(0, u64::saturating_add);
                if long <= LONGEST_POWER {
                    spend_on_bits(long)?;
                    let power =
                        |(u, n): &(BigRational, u64)| num_traits::pow(u.clone(), usize::try_from(*n).unwrap_or(0));
                    return Ok(Some(logarithms.iter().map(power).product::<BigRational>().cmp(odds)));
                }
            }
            _ => {}
        }
        let mut sum = Real::of(plain);
        for (u, n) in logarithms {
            sum = sum.plus(&Real::of(u).ln()?.times(&Real::of(&BigRational::from(BigInt::from(*n)))));
        }
        let epsilon = epsilon.log()?;
        Ok(match (sum.hi <= epsilon.lo, sum.lo > epsilon.hi) {
            (true, _) => Some(Ordering::Less),
            (_, true) => Some(Ordering::Greater),
            _ => None,
        })
    }

    /// Is it proved to be at most ε?
    pub fn is_at_most(&self, epsilon: &Epsilon) -> Result<bool, Rejected> {
        Ok(matches!(self.compared(epsilon)?, Some(Ordering::Less | Ordering::Equal)))
    }
}

/// Losses of independent steps add up, and so do the largest ones.
pub fn largest_loss(mechanism: &Mechanism, direction: Direction) -> Result<Largest, Rejected> {
    let (mut plain, mut logarithms) = (BigRational::zero(), Vec::new());
    for (step, times) in &mechanism.steps {
        let loss = match step {
            Step::Laplace { epsilon } => Epsilon::Plain(epsilon.clone()),
            Step::Response { epsilon, .. } => epsilon.clone(),
            Step::Sampled { rate, .. } if direction == Direction::Add && step.as_sampled_gaussian().is_some() => {
                Epsilon::LogOf((BigRational::one() - rate).recip())
            }
            Step::Finite { p, q } => {
                let (p, q) = if direction == Direction::Remove { (p, q) } else { (q, p) };
                if p.iter().zip(q).any(|(p, q)| p.is_zero() && q.is_positive()) {
                    return Ok(Largest::Infinite);
                }
                p.iter().zip(q).try_for_each(|(p, q)| spend_on(&[p, q]))?;
                let ratios = p.iter().zip(q).filter(|(p, _)| p.is_positive()).map(|(p, q)| q / p);
                Epsilon::LogOf(ratios.max().unwrap_or_else(BigRational::one))
            }
            Step::Gaussian { .. } | Step::Sampled { .. } => return Ok(Largest::Infinite),
            _ => return Ok(Largest::Infinite),
        };
        match loss {
            Epsilon::Plain(loss) => {
                spend_on(&[&plain, &loss])?;
                plain += loss * BigInt::from(*times);
            }
            Epsilon::LogOf(odds) if odds.is_one() => {}
            Epsilon::LogOf(odds) => logarithms.push((odds, *times)),
        }
    }
    Ok(Largest::Finite { plain, logarithms })
}

/// δ(ε) = 0 exactly if no loss above ε occurs.
pub fn pure_dp(mechanism: &Mechanism, epsilon: &Epsilon, verified: bool) -> Result<String, Rejected> {
    for direction in mechanism.adjacency.directions() {
        let largest = largest_loss(mechanism, *direction)?;
        if verified && !largest.is_at_most(epsilon)? {
            let text = format!("order {direction}: a loss above epsilon may occur");
            return Err(Rejected::new(Reason::LossNotBounded, text));
        }
        if !verified && largest.compared(epsilon)? == Some(Ordering::Greater) {
            return Ok(format!("A loss above epsilon has positive probability, order {direction}."));
        }
    }
    if verified {
        Ok("Losses of independent steps add up; the sum of the largest ones is at most epsilon.".into())
    } else {
        Err(Rejected::new(Reason::LossBounded, "no loss above epsilon is proved to occur"))
    }
}

/// Strict Gaussian DP. Gaussian steps, Poisson-sampled or not, have μ* = √(Σ times·μ²): at most, because sampling is
/// post-processing and μ's compose so; at least, because Q' ≥ r^T·Q and Gaussian tails force it as α → 0. With
/// other steps beside them it is still at least that: no step is more informative than all of them.
pub fn gaussian_mu(mechanism: &Mechanism, mu: &BigRational, verified: bool) -> Result<String, Rejected> {
    let mut total = BigRational::zero();
    let mut others = false;
    for (step, times) in &mechanism.steps {
        match step {
            Step::Gaussian { square } => {
                spend_on(&[&total, square])?;
                total += square * BigInt::from(*times);
            }
            step => match step.as_sampled_gaussian() {
                Some((square, _)) => {
                    spend_on(&[&total, square])?;
                    total += square * BigInt::from(*times);
                }
                None => others = true,
            },
        }
    }
    let square = mu * mu;
    if verified && others {
        return Err(Rejected::new(
            Reason::NotGaussian,
            "not all steps are Gaussian, so this theorem does not bound mu",
        ));
    }
    match (verified, total <= square) {
        (true, true) => Ok(format!("All steps are Gaussian, sampled or not: mu*^2 = {total} <= mu^2 = {square}.")),
        (false, false) => Ok(format!("The Gaussian steps alone have mu*^2 = {total} > mu^2 = {square}.")),
        _ => Err(Rejected::new(
            Reason::MuSquared,
            format!("the sum of mu^2 is {total}, mu^2 is {square}: the other verdict"),
        )),
    }
}

/// Strict Gaussian DP of one Laplace or two-answer randomised-response step: exactly if G_μ(a) ≤ a at the point a = f(a)
/// (T3 of `proofs/FORMAT.md`), that is P(Z > μ/2) ≤ a.
pub fn fixed_point(mechanism: &Mechanism, mu: &BigRational, verified: bool) -> Result<String, Rejected> {
    let two = BigInt::from(2);
    let point = match mechanism.steps.as_slice() {
        [(Step::Laplace { epsilon }, 1)] => Real::of(&(-epsilon / &two)).exp()?.over(&Real::int(2))?,
        [(Step::Response { epsilon, k }, 1)] if *k == two => Real::int(1).over(&epsilon.exp()?.plus(&Real::int(1)))?,
        _ => return Err(Rejected::new(Reason::NoFixedPoint, "the theorem is about one Laplace or two-answer step")),
    };
    let tail = Real::of(&(mu / two)).normal_tail()?;
    if if verified { tail.hi <= point.lo } else { tail.lo > point.hi } {
        Ok("The curve and that of the Gaussian are compared where type-I and type-II errors are equal.".into())
    } else {
        Err(Rejected::new(Reason::FixedPoint, "at equal errors the curve is on the other side of that of G_mu"))
    }
}

/// True of every mechanism: δ ≤ 1, f ≥ 0; if G_μ(τ) ≤ τ then G_μ(α + τ) − τ ≤ 0 ≤ f(α); if P(Z > μ/2) is below the error
/// floor (the upper end of a normal tail is above its value), then α and G_μ(α) are never both above it.
pub fn of_every_mechanism(claim: &Claim) -> Result<String, Rejected> {
    let holds = match claim {
        Claim::ApproxDp { delta, .. } => *delta >= BigRational::one(),
        Claim::Advantage { at_most } => *at_most >= BigRational::one(),
        Claim::TradeOff { beta, .. } => beta.is_zero(),
        Claim::Gdp { mu, tolerance, floor } => {
            Real::of(&(mu / BigInt::from(2))).normal_tail()?.is_at_most(tolerance.max(floor))
        }
        _ => false,
    };
    if holds {
        Ok("Every mechanism satisfies the claim: delta <= 1, f >= 0, and G_mu is not compared where it is larger."
            .into())
    } else {
        Err(Rejected::new(Reason::NotTrivial, "the claim is not true of every mechanism"))
    }
}

/// One pair of probability vectors in fractions, δ(u) = Σ (q − u·p)⁺. f(α) ≥ 1 − δ(u) − u·α at every u (with δ the larger
/// of both orders where both count), and the ratios q/p and p/q are tried for u; f is the convex hull of the errors of
/// the Neyman–Pearson tests, which take outcomes in the order of q/p (of both orders where both count).
pub fn exact(mechanism: &Mechanism, claim: &Claim, verified: bool) -> Result<String, Rejected> {
    let [(Step::Finite { p, q }, 1)] = mechanism.steps.as_slice() else {
        return Err(Rejected::new(Reason::NotExact, "exact arithmetic is for one pair of probability vectors"));
    };
    if p.len() > 128 {
        return Err(Rejected::limit("exact arithmetic is for at most 128 outcomes"));
    }
    let orders: Vec<_> = mechanism
        .adjacency
        .directions()
        .iter()
        .map(|d| if *d == Direction::Remove { (p, q) } else { (q, p) })
        .collect();
    let one = BigRational::one();
    let (shown, text) = match claim {
        Claim::Advantage { at_most: bound } => total_variation(p, q, bound, verified)?,
        Claim::ApproxDp { epsilon, delta: bound } if epsilon.is_zero() => total_variation(p, q, bound, verified)?,
        Claim::TradeOff { alpha, beta } if verified => {
            let ratios =
                orders.iter().flat_map(|(p, q)| p.iter().zip(*q)).filter(|(p, _)| p.is_positive()).map(|(p, q)| q / p);
            let mut found = None;
            for u in ratios {
                let deltas = orders.iter().map(|(p, q)| hinge(p, q, &u)).collect::<Result<Vec<_>, _>>()?;
                if deltas.iter().all(|delta| &one - delta - &u * alpha >= *beta) {
                    found = Some(u);
                    break;
                }
            }
            match found {
                Some(u) => (
                    true,
                    format!("f lies above the line 1 - delta(log u) - u * alpha, at least beta at alpha, u = {u}."),
                ),
                None => (false, "no line whose slope is a ratio q/p is at least beta at alpha.".into()),
            }
        }
        Claim::TradeOff { alpha, beta } => {
            let tests = orders.iter().map(|(p, q)| tests(p, q)).collect::<Result<Vec<_>, _>>()?.concat();
            let least = hull(&tests, alpha)?;
            (least < *beta, format!("tests miss with probability {least} at alpha, the claim says at least {beta}."))
        }
        _ => {
            return Err(Rejected::new(
                Reason::NotExact,
                "exact arithmetic is for advantage, delta(0) and trade-off claims",
            ));
        }
    };
    match shown {
        true => Ok(format!("In fractions, {text}")),
        false => Err(Rejected::new(Reason::ExactValue, format!("in fractions, {text}"))),
    }
}

/// δ(0), the same in both orders.
fn total_variation(
    p: &[BigRational],
    q: &[BigRational],
    bound: &BigRational,
    verified: bool,
) -> Result<(bool, String), Rejected> {
    let delta = hinge(p, q, &BigRational::one())?;
    Ok(((delta <= *bound) == verified, format!("delta(0) = {delta}, the claim says at most {bound}.")))
}

/// Σ (q − u·p)⁺
fn hinge(p: &[BigRational], q: &[BigRational], u: &BigRational) -> Result<BigRational, Rejected> {
    let mut total = BigRational::zero();
    for (p, q) in p.iter().zip(q) {
        spend_on(&[p, q, u, &total])?;
        let part = q - u * p;
        if part.is_positive() {
            total += part;
        }
    }
    Ok(total)
}

/// The errors (type I, type II) of the tests that take more and more outcomes, in the order of q/p.
fn tests(p: &[BigRational], q: &[BigRational]) -> Result<Vec<(BigRational, BigRational)>, Rejected> {
    let mut outcomes: Vec<_> = p.iter().zip(q).filter(|(p, q)| !p.is_zero() || !q.is_zero()).collect();
    for (p, q) in &outcomes {
        // Each is compared with some others.
        outcomes.iter().try_for_each(|_| spend_on(&[p, q]))?;
    }
    outcomes.sort_by(|(p, q), (other_p, other_q)| (*other_q * *p).cmp(&(*q * *other_p)));
    let mut errors = vec![(BigRational::zero(), BigRational::one())];
    for (p, q) in outcomes {
        let Some((size, miss)) = errors.last() else { break };
        spend_on(&[p, q, size, miss])?;
        errors.push((size + p, miss - q));
    }
    Ok(errors)
}

/// The least miss at α of a test of these errors, or of a mixture of two of them.
fn hull(tests: &[(BigRational, BigRational)], alpha: &BigRational) -> Result<BigRational, Rejected> {
    let mut least = BigRational::one();
    for (left, high) in tests.iter().filter(|(size, _)| size <= alpha) {
        for (right, low) in tests.iter().filter(|(size, _)| size > alpha) {
            spend_on(&[left, high, right, low, alpha])?;
            least = least.min(high - (high - low) * (alpha - left) / (right - left));
        }
        least = least.min(high.clone());
    }
    Ok(least)
}
