//! Proofs that need no law: the largest loss, Gaussian μ, two probability vectors in exact arithmetic.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::answer::Claim;
use crate::claim::Direction;
use crate::noise::tail;
use crate::real::{Real, half};
use crate::reason::{Reason, Rejected};
use crate::renyi::slopes;
use crate::step::{Epsilon, Mechanism, Noise, Parts, Shifts, Step};
use crate::work::{spend_on, spend_on_bits};

/// The largest value of log dQ/dP that occurs with positive Q-probability, or is approached.
#[derive(Clone)]
pub enum Largest {
    Infinite,
    /// The sum of a number, of n·log u for each (u, n), and of what is known only nearly.
    Finite {
        plain: BigRational,
        logarithms: Vec<(BigRational, u64)>,
        near: Option<Real>,
    },
}

/// Longer powers of fractions are not made.
const LONGEST_POWER: u64 = 1 << 14;

impl Largest {
    pub fn of(loss: Epsilon) -> Self {
        match loss {
            Epsilon::Plain(plain) => Self::Finite { plain, logarithms: Vec::new(), near: None },
            Epsilon::LogOf(odds) if odds.is_one() => Self::of(Epsilon::Plain(BigRational::zero())),
            Epsilon::LogOf(odds) => {
                Self::Finite { plain: BigRational::zero(), logarithms: vec![(odds, 1)], near: None }
            }
        }
    }

    fn near(loss: Real) -> Self {
        Self::Finite { plain: BigRational::zero(), logarithms: Vec::new(), near: Some(loss) }
    }

    /// After so many runs of another step.
    fn and(self, other: Self, times: u64) -> Result<Self, Rejected> {
        let (Self::Finite { mut plain, mut logarithms, near }, Self::Finite { plain: p, logarithms: l, near: n }) =
            (self, other)
        else {
            return Ok(Self::Infinite);
        };
        spend_on(&[&plain, &p])?;
        plain += p * BigInt::from(times);
        for (odds, n) in l {
            let n = n.checked_mul(times).ok_or_else(|| Rejected::limit("more than 2^64 steps"))?;
            logarithms.push((odds, n));
        }
        let more = n.map(|n| n.times(&Real::of(&BigRational::from(BigInt::from(times)))));
        let both = near.iter().chain(&more).cloned().reduce(|a, b| a.plus(&b));
        Ok(Self::Finite { plain, logarithms, near: both })
    }

    /// e to the power of it, if that is a fraction that is not too long.
    fn odds(&self) -> Result<Option<BigRational>, Rejected> {
        let Self::Finite { plain, logarithms, near: None } = self else { return Ok(None) };
        let long = logarithms.iter().map(|(u, n)| (u.numer().bits() + u.denom().bits()).saturating_mul(*n));
        let long = long.fold(0, u64::saturating_add);
        if !plain.is_zero() || long > LONGEST_POWER {
            return Ok(None);
        }
        spend_on_bits(long)?;
        let power = |(u, n): &(BigRational, u64)| num_traits::pow(u.clone(), usize::try_from(*n).unwrap_or(0));
        Ok(Some(logarithms.iter().map(power).product()))
    }

    /// An enclosure; none if it is infinite.
    pub fn real(&self) -> Result<Option<Real>, Rejected> {
        let Self::Finite { plain, logarithms, near } = self else { return Ok(None) };
        let mut sum = Real::of(plain);
        for (u, n) in logarithms {
            sum = sum.plus(&Real::of(u).ln()?.times(&Real::of(&BigRational::from(BigInt::from(*n)))));
        }
        Ok(Some(near.as_ref().map_or(sum.clone(), |near| sum.plus(near))))
    }

    /// How it compares with ε, where that is known: exactly if both are numbers, or both logarithms.
    pub fn compared(&self, epsilon: &Epsilon) -> Result<Option<Ordering>, Rejected> {
        match (self, epsilon) {
            (Self::Infinite, _) => return Ok(Some(Ordering::Greater)),
            (Self::Finite { plain, logarithms, near: None }, Epsilon::Plain(epsilon)) if logarithms.is_empty() => {
                return Ok(Some(plain.cmp(epsilon)));
            }
            (_, Epsilon::LogOf(odds)) => {
                if let Some(own) = self.odds()? {
                    return Ok(Some(own.cmp(odds)));
                }
            }
            _ => {}
        }
        let epsilon = epsilon.log()?;
        Ok(self.real()?.and_then(|own| match (own.hi <= epsilon.lo, own.lo > epsilon.hi) {
            (true, _) => Some(Ordering::Less),
            (_, true) => Some(Ordering::Greater),
            _ => None,
        }))
    }

    /// Is it proved to be at most ε?
    pub fn is_at_most(&self, epsilon: &Epsilon) -> Result<bool, Rejected> {
        Ok(matches!(self.compared(epsilon)?, Some(Ordering::Less | Ordering::Equal)))
    }
}

/// Losses of independent steps add up, and so do the largest ones.
pub fn largest_loss(mechanism: &Mechanism, direction: Direction) -> Result<Largest, Rejected> {
    of_parts(&mechanism.steps, direction)
}

fn of_parts(parts: &Parts, direction: Direction) -> Result<Largest, Rejected> {
    let nothing = Largest::of(Epsilon::Plain(BigRational::zero()));
    parts.iter().try_fold(nothing, |sum, (step, times)| sum.and(of_step(step, direction)?, *times))
}

pub fn of_step(step: &Step, direction: Direction) -> Result<Largest, Rejected> {
    let is_stated = direction == Direction::Remove;
    let one = BigRational::one();
    let zero = || Largest::of(Epsilon::Plain(BigRational::zero()));
    spend_on(&step.numbers())?;
    Ok(match step {
        Step::Gaussian { square } if square.is_positive() => Largest::Infinite,
        Step::Gaussian { .. } => zero(),
        Step::Laplace { epsilon } => Largest::of(Epsilon::Plain(epsilon.clone())),
        Step::Response { epsilon, .. } => Largest::of(epsilon.clone()),
        Step::ResponseOrUniform { epsilon, k } => {
            // k·e^ε/(e^ε + k − 1), or in the other order (e^ε + k − 1)/k.
            let (k, others) = (BigRational::from(k.clone()), BigRational::from(k - BigInt::one()));
            let total = epsilon.exp()?.plus(&Real::of(&others));
            match (epsilon, is_stated) {
                (Epsilon::LogOf(odds), true) => Largest::of(Epsilon::LogOf(&k * odds / (odds + others))),
                (Epsilon::LogOf(odds), false) => Largest::of(Epsilon::LogOf((odds + others) / &k)),
                (_, true) => Largest::near(Real::of(&k).times(&epsilon.exp()?).over(&total)?.ln()?),
                (_, false) => Largest::near(total.over(&Real::of(&k))?.ln()?),
            }
        }
        Step::Finite { p, q } | Step::Selected { p, q, .. } => {
            let (p, q) = if is_stated { (p, q) } else { (q, p) };
            if p.iter().zip(q).any(|(p, q)| p.is_zero() && q.is_positive()) {
                return Ok(Largest::Infinite);
            }
            if let Step::Selected { runs, .. } = step {
                let mut most = Real::int(0);
                for (p, q) in runs.best(p)?.iter().zip(runs.best(q)?).filter(|(_, q)| q.hi.is_positive()) {
                    most = most.larger(&q.over(p)?);
                }
                return Ok(Largest::near(most.ln()?));
            }
            p.iter().zip(q).try_for_each(|(p, q)| spend_on(&[p, q]))?;
            let ratios = p.iter().zip(q).filter(|(p, _)| p.is_positive()).map(|(p, q)| q / p);
            Largest::of(Epsilon::LogOf(ratios.max().unwrap_or(one)))
        }
        // That of the point of δ = 0, in either order of the pair, with the least |ε|; such a pair is one of the class.
        Step::Guarantee { points } => {
            let mut least: Option<Largest> = None;
            for (epsilon, _) in points.iter().filter(|(epsilon, delta)| ends_losses(epsilon, delta)) {
                let epsilon = if epsilon.is_negative() { epsilon.negated() } else { epsilon.clone() };
                least = match least {
                    None => Some(Largest::of(epsilon)),
                    Some(other) => match other.compared(&epsilon)? {
                        Some(Ordering::Greater) => Some(Largest::of(epsilon)),
                        Some(_) => Some(other),
                        None => return Err(Rejected::unproved("two losses cannot be told apart")),
                    },
                };
            }
            least.unwrap_or(Largest::Infinite)
        }
        Step::Zcdp { rho } if rho.is_zero() => zero(),
        Step::Rdp { orders } if orders.iter().any(|(_, epsilon)| epsilon.is_zero()) => zero(),
        Step::Zcdp { .. } | Step::Rdp { .. } => Largest::Infinite,
        Step::Shifted { noise, without, with } => {
            let (down, up) = if is_stated { (without, with) } else { (with, without) };
            of_shifted(noise, down, up)?
        }
        Step::Sampled { rate, of } => {
            // Q'/P = 1 − r + r·Q/P, and P/Q' = 1/(1 − r + r/(P/Q)).
            let inner = of_parts(of, direction)?;
            let (rate_, rest) = (Real::of(rate), Real::of(&(&one - rate)));
            match (is_stated, inner.odds()?, inner.real()?) {
                (true, Some(odds), _) => Largest::of(Epsilon::LogOf(&one - rate + rate * odds)),
                (true, None, Some(loss)) => Largest::near(rest.plus(&rate_.times(&loss.exp()?)).ln()?),
                (true, None, None) => Largest::Infinite,
                (false, Some(odds), _) => Largest::of(Epsilon::LogOf((&one - rate + rate / odds).recip())),
                (false, None, Some(loss)) => Largest::near(rest.plus(&rate_.times(&loss.neg().exp()?)).ln()?.neg()),
                (false, None, None) => Largest::of(Epsilon::LogOf((one - rate).recip())),
            }
        }
        Step::Labelled { of } => {
            let parts = of.iter().map(|(_, parts)| of_parts(parts, direction));
            largest_of(&parts.collect::<Result<Vec<_>, _>>()?)?
        }
        Step::Worst { of } => {
            let parts = of.iter().map(|(is_turned, step)| of_step(step, direction.turned(*is_turned)));
            largest_of(&parts.collect::<Result<Vec<_>, _>>()?)?
        }
        // All coins, or no third value, with all others: odds e^ε either way.
        Step::Choice { epsilon, .. } | Step::Shuffled { epsilon, .. } => Largest::of(epsilon.clone()),
        // With the record alone it may be released.
        Step::Released { .. } if is_stated => Largest::Infinite,
        Step::Released { noise, place } => Largest::near(Real::int(1).minus(&tail(noise, place)?).ln()?.neg()),
        Step::Largest { .. } => Largest::Infinite,
    })
}

/// Does δ(ε) ≤ δ say that no loss is above |ε|? δ = 0 does, and δ = 1 − e^ε, which is δ(−ε) = 1 − (1 − δ)/e^ε = 0 in the other order of
/// the pair (C5). No other fraction is 1 − e^ε, as e^ε is none where ε is one but 0.
pub fn ends_losses(epsilon: &Epsilon, delta: &BigRational) -> bool {
    match epsilon {
        Epsilon::LogOf(odds) => delta.is_zero() || (delta + odds).is_one(),
        Epsilon::Plain(_) => delta.is_zero(),
    }
}

/// The largest one, exactly if all are compared exactly.
fn largest_of(all: &[Largest]) -> Result<Largest, Rejected> {
    let mut most: Option<Real> = None;
    for part in all {
        match part {
            Largest::Infinite => return Ok(Largest::Infinite),
            Largest::Finite { plain, logarithms, near: None } if logarithms.is_empty() => {
                let plain = Epsilon::Plain(plain.clone());
                let mut others = all.iter().map(|other| other.is_at_most(&plain));
                if others.try_fold(true, |all, is| Ok::<_, Rejected>(all && is?))? {
                    return Ok(part.clone());
                }
            }
            Largest::Finite { .. } => {}
        }
        if let Some(loss) = part.real()? {
            most = Some(most.map_or(loss.clone(), |most| most.larger(&loss)));
        }
    }
    Ok(most.map_or(Largest::Infinite, Largest::near))
}

/// How far Q is moved from P at most.
pub fn farthest(without: &Shifts, with: &Shifts) -> BigRational {
    ends(without).1 + ends(with).1
}

/// The smallest and the largest shift.
pub fn ends(shifts: &Shifts) -> (BigRational, BigRational) {
    let list = || shifts.iter().map(|(_, shift)| shift.clone());
    (list().min().unwrap_or_default(), list().max().unwrap_or_default())
}

/// The likelihood ratio of noise increases to its value far to the right.
fn of_shifted(noise: &Noise, down: &Shifts, up: &Shifts) -> Result<Largest, Rejected> {
    let unit = match noise {
        Noise::Laplace { unit } => unit.clone(),
        Noise::DiscreteLaplace { scale } => scale.recip(),
        // Lighter tails, or an end: of the parts that reach farthest one is all that is left.
        Noise::Gaussian { .. }
        | Noise::DiscreteGaussian { .. }
        | Noise::GaussianSum { .. }
        | Noise::Skellam { .. }
        | Noise::Truncated { .. } => {
            if (ends(up).1 + ends(down).0).is_positive() {
                return Ok(Largest::Infinite);
            }
            let weight = |shifts: &Shifts| -> BigRational {
                shifts.iter().filter(|(_, shift)| shift.is_zero()).map(|(weight, _)| weight).sum()
            };
            return Ok(Largest::of(Epsilon::LogOf(weight(up) / weight(down))));
        }
    };
    if let ([(_, down)], [(_, up)]) = (down.as_slice(), up.as_slice()) {
        return Ok(Largest::of(Epsilon::Plain((down + up) * unit)));
    }
    let sum = |shifts: &Shifts, sign: i64| -> Result<Real, Rejected> {
        let mut sum = Real::int(0);
        for (weight, shift) in shifts {
            sum = sum.plus(&Real::of(weight).times(&Real::of(&(shift * &unit * BigInt::from(sign))).exp()?));
        }
        Ok(sum)
    };
    Ok(Largest::near(sum(up, 1)?.over(&sum(down, -1)?)?.ln()?))
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

/// At least and at most μ² of a step for strict Gaussian DP (T2); none at most where that is not known.
fn mu_squared(step: &Step) -> Result<(BigRational, Option<BigRational>), Rejected> {
    let nothing = BigRational::zero;
    Ok(match step {
        Step::Gaussian { square } => (square.clone(), Some(square.clone())),
        Step::Shifted { noise: Noise::Gaussian { square }, without, with } => {
            // Of the order `remove`, in which all steps add up.
            let (apart, far) = (ends(with).1 + ends(without).0, farthest(without, with));
            (&apart * &apart * square, Some(&far * &far * square))
        }
        Step::Sampled { of, .. } => squares(of)?,
        Step::Labelled { of } => {
            let parts = of.iter().map(|(_, parts)| Ok(squares(parts)?.1)).collect::<Result<Vec<_>, Rejected>>()?;
            (nothing(), parts.into_iter().collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max()))
        }
        // A Gaussian is one of the class.
        Step::Zcdp { rho } => (rho * BigInt::from(2), None),
        Step::Worst { of } => {
            let parts = of.iter().map(|(_, step)| Ok(mu_squared(step)?.1)).collect::<Result<Vec<_>, Rejected>>()?;
            (nothing(), parts.into_iter().collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max()))
        }
        // The same outcomes with and without the record.
        Step::Finite { p, q } | Step::Selected { p, q, .. } if p == q => (nothing(), Some(nothing())),
        Step::Response { epsilon, .. } if epsilon.is_zero() => (nothing(), Some(nothing())),
        Step::Laplace { .. } | Step::Response { .. } | Step::ResponseOrUniform { .. } => (nothing(), None),
        Step::Finite { .. } | Step::Guarantee { .. } | Step::Rdp { .. } | Step::Shifted { .. } => (nothing(), None),
        Step::Choice { .. } | Step::Released { .. } | Step::Largest { .. } | Step::Shuffled { .. } => (nothing(), None),
        Step::Selected { .. } => (nothing(), None),
    })
}

/// The same of a composition.
pub fn squares(parts: &Parts) -> Result<(BigRational, Option<BigRational>), Rejected> {
    let (mut least, mut most) = (BigRational::zero(), Some(BigRational::zero()));
    for (step, times) in parts {
        spend_on(&[&least])?;
        spend_on(&step.numbers())?;
        let ((below, above), times) = (mu_squared(step)?, BigInt::from(*times));
        least += below * &times;
        most = most.zip(above).map(|(most, above)| most + above * times);
    }
    Ok((least, most))
}

/// Strict Gaussian DP (T2): a sum of the steps' μ² that is at most μ², or one that is above it.
pub fn gaussian_mu(mechanism: &Mechanism, mu: &BigRational, verified: bool) -> Result<String, Rejected> {
    let (least, most) = squares(&mechanism.steps)?;
    let square = mu * mu;
    let total = if verified { most } else { Some(least) };
    let total = total.ok_or_else(|| {
        Rejected::new(Reason::NotGaussian, "not all steps are Gaussian, so this theorem does not bound mu")
    })?;
    match (verified, total <= square) {
        (true, true) => Ok(format!("All steps are Gaussian, sampled or not: mu*^2 <= {total} <= mu^2 = {square}.")),
        (false, false) => Ok(format!("The Gaussian steps alone have mu*^2 >= {total} > mu^2 = {square}.")),
        _ => {
            let text = format!("the sum of mu^2 is {total}, mu^2 is {square}: the other verdict");
            Err(Rejected::new(Reason::MuSquared, text))
        }
    }
}

/// One of two has μ² at most `most` for strict Gaussian DP, and the other one has a step of Gaussian noise that is no less (T2).
pub fn by_noise(most: Option<&BigRational>, other: &Parts) -> Result<String, Rejected> {
    // All Gaussian noise is one step.
    let has = |square: &BigRational| most.is_some_and(|most| most <= square);
    match other.first() {
        Some((Step::Gaussian { square }, 1)) if has(square) => Ok(format!("The second has noise of mu^2 = {square}.")),
        // Noise of mu = 0 is nothing.
        _ if has(&BigRational::zero()) => Ok("The first reveals nothing.".into()),
        _ => Err(Rejected::new(
            Reason::MuSquared,
            "the first is not shown to be below Gaussian noise that the second has, nor to reveal nothing",
        )),
    }
}

/// zCDP of steps that have D_t ≤ ρ·t by themselves, or of Gaussian ones, whose divergences are near tμ²/2 for large orders t (T5).
pub fn gaussian_rho(mechanism: &Mechanism, rho: &BigRational, verified: bool) -> Result<String, Rejected> {
    let total = if verified { slopes(&mechanism.steps) } else { Some(squares(&mechanism.steps)?.0 / BigInt::from(2)) };
    let total = total.ok_or_else(|| Rejected::new(Reason::NotGaussian, "not all steps are Gaussian"))?;
    match (verified, total <= *rho) {
        (true, true) => Ok(format!("Every step has D_t <= rho*t by itself, together D_t <= {total}*t <= {rho}*t.")),
        (false, false) => Ok(format!("D_t is above {rho}*t for large t, where it is near {total}*t or more.")),
        _ => Err(Rejected::new(Reason::MuSquared, format!("the steps' rho add up to {total}, the claim has {rho}"))),
    }
}

/// Strict Gaussian DP of one Laplace or two-answer randomised-response step: exactly if G_μ(a) ≤ a at the point a = f(a)
/// (T3 of `proofs/FORMAT.md`), that is P(Z > μ/2) ≤ a.
pub fn fixed_point(mechanism: &Mechanism, mu: &BigRational, verified: bool) -> Result<String, Rejected> {
    let two = BigInt::from(2);
    let point = match mechanism.steps.as_slice() {
        [(Step::Laplace { epsilon }, 1)] => Real::of(&(-epsilon / &two)).exp()?.over(&Real::int(2))?,
        [(Step::Response { epsilon, k }, 1)] if *k == two => Real::int(1).over(&epsilon.exp()?.plus(&Real::int(1)))?,
        // The curves of Laplace noise, and of randomised response of half of it.
        [(Step::Choice { epsilon, is_flip }, 1)] => {
            let odds = epsilon.log()?.times(&half()).exp()?;
            Real::int(1).over(&if *is_flip { odds.plus(&odds) } else { odds.plus(&Real::int(1)) })?
        }
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
        Claim::DominatedBy { at_most, .. } | Claim::Regret { at_most, .. } => {
            *at_most >= BigRational::new(1.into(), 2.into())
        }
        Claim::Advantage { at_most } => *at_most >= BigRational::one(),
        Claim::TradeOff { beta, .. } => beta.is_zero(),
        Claim::Gdp { mu, tolerance, floor } => {
            Real::of(&(mu / BigInt::from(2))).normal_tail()?.is_at_most(tolerance.max(floor))
        }
        Claim::PureDp { .. } | Claim::Zcdp { .. } | Claim::Rdp { .. } => false,
    };
    if holds {
        Ok("Every mechanism satisfies the claim: delta <= 1, f >= 0, and G_mu is not compared where it is larger."
            .into())
    } else {
        Err(Rejected::new(Reason::NotTrivial, "the claim is not true of every mechanism"))
    }
}

#[cfg(test)]
#[path = "theorem_tests.rs"]
mod tests;
