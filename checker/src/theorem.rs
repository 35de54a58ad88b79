//! Proofs that need no law: the largest loss, Gaussian μ, two probability vectors in exact arithmetic.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::answer::Claim;
use crate::claim::Direction;
use crate::real::Real;
use crate::reason::{Reason, Rejected};
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
    fn of(loss: Epsilon) -> Self {
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
        let near = match (near, more) {
            (Some(a), Some(b)) => Some(a.plus(&b)),
            (a, b) => a.or(b),
        };
        Ok(Self::Finite { plain, logarithms, near })
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
    fn real(&self) -> Result<Option<Real>, Rejected> {
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

fn of_step(step: &Step, direction: Direction) -> Result<Largest, Rejected> {
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
            let k = BigRational::from(k.clone());
            match (epsilon, is_stated) {
                (Epsilon::LogOf(odds), true) => Largest::of(Epsilon::LogOf(&k * odds / (odds + &k - &one))),
                (Epsilon::LogOf(odds), false) => Largest::of(Epsilon::LogOf((odds + &k - &one) / &k)),
                (_, true) => {
                    let total = epsilon.exp()?.plus(&Real::of(&(&k - &one)));
                    Largest::near(Real::of(&k).times(&epsilon.exp()?).over(&total)?.ln()?)
                }
                (_, false) => Largest::near(epsilon.exp()?.plus(&Real::of(&(&k - &one))).over(&Real::of(&k))?.ln()?),
            }
        }
        Step::Finite { p, q } => {
            let (p, q) = if is_stated { (p, q) } else { (q, p) };
            if p.iter().zip(q).any(|(p, q)| p.is_zero() && q.is_positive()) {
                return Ok(Largest::Infinite);
            }
            p.iter().zip(q).try_for_each(|(p, q)| spend_on(&[p, q]))?;
            let ratios = p.iter().zip(q).filter(|(p, _)| p.is_positive()).map(|(p, q)| q / p);
            Largest::of(Epsilon::LogOf(ratios.max().unwrap_or(one)))
        }
        // That of the point of δ = 0 with the least |ε|; such a pair is one of the class.
        Step::Guarantee { points } => {
            let mut least: Option<Largest> = None;
            for (epsilon, _) in points.iter().filter(|(_, delta)| delta.is_zero()) {
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
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            let mut most: Option<Real> = None;
            for part in &parts {
                match part {
                    Largest::Infinite => return Ok(Largest::Infinite),
                    // The largest one if all are compared exactly.
                    Largest::Finite { plain, logarithms, near: None } if logarithms.is_empty() => {
                        let plain = Epsilon::Plain(plain.clone());
                        let mut others = parts.iter().map(|other| other.is_at_most(&plain));
                        if others.try_fold(true, |all, is| Ok::<_, Rejected>(all && is?))? {
                            return Ok(part.clone());
                        }
                    }
                    Largest::Finite { .. } => {}
                }
                if let Some(loss) = part.real()? {
                    most = Some(most.map_or(loss.clone(), |most| most.neg().smaller(&loss.neg()).neg()));
                }
            }
            most.map_or(Largest::Infinite, Largest::near)
        }
    })
}

/// How far Q is moved from P at most.
pub fn farthest(without: &Shifts, with: &Shifts) -> BigRational {
    ends(without).1 + ends(with).1
}

/// The smallest and the largest shift.
fn ends(shifts: &Shifts) -> (BigRational, BigRational) {
    let list = || shifts.iter().map(|(_, shift)| shift.clone());
    (list().min().unwrap_or_default(), list().max().unwrap_or_default())
}

/// The likelihood ratio of noise increases to its value far to the right.
fn of_shifted(noise: &Noise, down: &Shifts, up: &Shifts) -> Result<Largest, Rejected> {
    let unit = match noise {
        Noise::Laplace { unit } => unit.clone(),
        Noise::DiscreteLaplace { scale } => scale.recip(),
        // Lighter tails: of the parts that reach farthest one is all that is left.
        Noise::Gaussian { .. } | Noise::DiscreteGaussian { .. } | Noise::Skellam { .. } => {
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
fn mu_squared(step: &Step) -> (BigRational, Option<BigRational>) {
    let nothing = BigRational::zero;
    let sum = |parts: &Parts| {
        parts.iter().fold((nothing(), Some(nothing())), |(least, most), (step, times)| {
            let ((more, above), times) = (mu_squared(step), BigInt::from(*times));
            (least + more * &times, most.zip(above).map(|(most, above)| most + above * times))
        })
    };
    match step {
        Step::Gaussian { square } => (square.clone(), Some(square.clone())),
        Step::Shifted { noise: Noise::Gaussian { square }, without, with } => {
            let (down, up) = (ends(without), ends(with));
            let (apart, far) = ((&up.1 + &down.0).max(&down.1 + &up.0), farthest(without, with));
            (&apart * &apart * square, Some(&far * &far * square))
        }
        Step::Sampled { of, .. } if of.iter().all(|(step, _)| matches!(step, Step::Gaussian { .. })) => sum(of),
        Step::Sampled { of, .. } => (nothing(), sum(of).1),
        Step::Labelled { of } => {
            let parts: Vec<_> = of.iter().map(|(_, parts)| sum(parts)).collect();
            let most = parts.iter().map(|(_, most)| most.clone()).collect::<Option<Vec<_>>>();
            (nothing(), most.and_then(|most| most.into_iter().max()))
        }
        // A Gaussian is one of the class.
        Step::Zcdp { rho } => (rho * BigInt::from(2), None),
        _ => (nothing(), None),
    }
}

/// Strict Gaussian DP (T2): a sum of the steps' μ² that is at most μ², or one that is above it.
pub fn gaussian_mu(mechanism: &Mechanism, mu: &BigRational, verified: bool) -> Result<String, Rejected> {
    let (mut least, mut most) = (BigRational::zero(), Some(BigRational::zero()));
    for (step, times) in &mechanism.steps {
        spend_on(&[&least])?;
        spend_on(&step.numbers())?;
        let (below, above) = mu_squared(step);
        least += below * BigInt::from(*times);
        most = most.zip(above).map(|(most, above)| most + above * BigInt::from(*times));
    }
    let square = mu * mu;
    let total = if verified { most } else { Some(least) };
    let total = total.ok_or_else(|| {
        Rejected::new(Reason::NotGaussian, "not all steps are Gaussian, so this theorem does not bound mu")
    })?;
    match (verified, total <= square) {
        (true, true) => Ok(format!("All steps are Gaussian, sampled or not: mu*^2 <= {total} <= mu^2 = {square}.")),
        (false, false) => Ok(format!("The Gaussian steps alone have mu*^2 >= {total} > mu^2 = {square}.")),
        _ => Err(Rejected::new(
            Reason::MuSquared,
            format!("the sum of mu^2 is {total}, mu^2 is {square}: the other verdict"),
        )),
    }
}

/// zCDP of Gaussian steps, sampled or not, whose divergences are ρ·t for large orders t: Σ μ²/2 (T5).
pub fn gaussian_rho(mechanism: &Mechanism, rho: &BigRational, verified: bool) -> Result<String, Rejected> {
    let mut total = BigRational::zero();
    for (step, times) in &mechanism.steps {
        spend_on(&[&total])?;
        spend_on(&step.numbers())?;
        let is_one_sided = step.as_sampled_gaussian().is_some();
        let square = match (step, step.as_sampled_gaussian()) {
            (Step::Gaussian { square }, _) | (_, Some((square, _))) => square.clone(),
            (Step::Zcdp { rho }, _) => rho * BigInt::from(2),
            _ if verified => return Err(Rejected::new(Reason::NotGaussian, "not all steps are Gaussian")),
            _ => continue,
        };
        if !verified && is_one_sided && !mechanism.adjacency.directions().contains(&Direction::Remove) {
            return Err(Rejected::new(Reason::Direction, "of sampled steps, rho is that of the order `remove`"));
        }
        total += square * BigInt::from(*times) / BigInt::from(2);
    }
    match (verified, total <= *rho) {
        (true, true) => Ok(format!("All steps are Gaussian, sampled or not: D_t <= {total}*t <= {rho}*t.")),
        (false, false) => Ok(format!("D_t is above {rho}*t for large t, where it is near {total}*t.")),
        _ => Err(Rejected::new(
            Reason::MuSquared,
            format!("the sum of mu^2/2 is {total}, rho is {rho}: the other verdict"),
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
        Claim::DominatedBy { at_most, .. } => *at_most >= BigRational::new(1.into(), 2.into()),
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

/// One pair of probability vectors in fractions (T4): δ(u) = Σ (q − u·p)⁺; f is the convex hull of the errors of the Neyman–Pearson tests,
/// which take outcomes in the order of q/p (of both orders where both count).
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
    let (shown, text) = match claim {
        Claim::Advantage { at_most: bound } => total_variation(p, q, bound, verified)?,
        Claim::ApproxDp { epsilon, delta: bound } if epsilon.is_zero() => total_variation(p, q, bound, verified)?,
        Claim::TradeOff { alpha, beta } => {
            let tests = orders.iter().map(|(p, q)| tests(p, q)).collect::<Result<Vec<_>, _>>()?.concat();
            let least = hull(&tests, alpha)?;
            (
                (least < *beta) != verified,
                format!("tests miss with probability {least} at alpha, the claim says at least {beta}."),
            )
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
