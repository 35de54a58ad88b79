//! Proofs that need no law: the largest loss, Gaussian μ, two probability vectors in exact arithmetic.

use std::cmp::Ordering;

use crate::noise::tail;
use crate::numbers::squared;
use crate::*;

/// The largest value of log dQ/dP that occurs with positive Q-probability, or is approached.
#[derive(Clone)]
pub enum Largest {
    /// There is none, nor one of the Rényi divergences of orders above `from`, if that is known (T6).
    Infinite { from: Option<BigRational> },
    /// The sum of these numbers, so many times each, and of what is known only nearly.
    Finite { terms: Vec<(Epsilon, u64)>, near: Option<Real> },
}

/// Longer powers of fractions are not made.
const LONGEST_POWER: u64 = 1 << 14;

impl Largest {
    pub fn of(loss: Epsilon) -> Self {
        Self::Finite { terms: if loss.is_zero() { Vec::new() } else { vec![(loss, 1)] }, near: None }
    }

    /// Of several of which one is infinite, together or the worst: what is known of any is known of all.
    pub fn infinite(all: &[Self]) -> Self {
        let from = |of: &Self| if let Self::Infinite { from } = of { from.clone() } else { None };
        Self::Infinite { from: all.iter().filter_map(from).min() }
    }

    /// Something happens that the other dataset rules out.
    fn event() -> Self {
        Self::Infinite { from: Some(BigRational::one()) }
    }

    fn near(loss: Real) -> Self {
        Self::Finite { terms: Vec::new(), near: Some(loss) }
    }

    /// After so many runs of another step.
    fn and(self, other: Self, times: u64) -> Result<Self> {
        let (mut terms, near, others, more) = match (self, other) {
            (Self::Finite { terms, near }, Self::Finite { terms: others, near: more }) => (terms, near, others, more),
            (one, other) => return Ok(Self::infinite(&[one, other])),
        };
        for (loss, n) in others {
            terms.push((loss, n.checked_mul(times).ok_or_else(|| Rejected::limit("more than 2^64 steps"))?));
        }
        let more = more.map(|more| more.times(&Real::int(times)));
        let near = near.into_iter().chain(more).reduce(|a, b| a.plus(&b));
        Ok(Self::Finite { terms, near })
    }

    /// If it is a sum of numbers.
    fn plain(&self) -> Result<Option<BigRational>> {
        let Self::Finite { terms, near: None } = self else { return Ok(None) };
        let mut sum = BigRational::zero();
        for (loss, n) in terms {
            let Epsilon::Plain(loss) = loss else { return Ok(None) };
            spend_on(&[&sum, loss])?;
            sum += loss * BigInt::from(*n);
        }
        Ok(Some(sum))
    }

    /// e to the power of it, if that is a fraction that is not too long.
    fn odds(&self) -> Result<Option<BigRational>> {
        let Self::Finite { terms, near: None } = self else { return Ok(None) };
        let (mut product, mut long) = (BigRational::one(), 0u64);
        for (loss, n) in terms {
            let Epsilon::LogOf(u) = loss else { return Ok(None) };
            long = long.saturating_add((u.numer().bits() + u.denom().bits()).saturating_mul(*n));
            if long > LONGEST_POWER {
                return Ok(None);
            }
            spend_on_bits(long)?;
            product *= num_traits::pow(u.clone(), usize::try_from(*n).unwrap_or(0));
        }
        Ok(Some(product))
    }

    /// An enclosure; none if it is infinite.
    pub fn real(&self) -> Result<Option<Real>> {
        let Self::Finite { terms, near } = self else { return Ok(None) };
        let exact = terms.iter().map(|(loss, n)| Ok(loss.log()?.times(&Real::int(*n))));
        exact.chain(near.clone().map(Ok)).sum::<Result<_>>().map(Some)
    }

    /// How it compares with ε, where that is known: exactly if both are numbers, or both logarithms.
    pub fn compared(&self, epsilon: &Epsilon) -> Result<Option<Ordering>> {
        let exact = match epsilon {
            Epsilon::Plain(_) => self.plain()?,
            Epsilon::LogOf(_) => self.odds()?,
        };
        if let Some(own) = exact {
            return Ok(Some(own.cmp(epsilon.number())));
        }
        let Some(own) = self.real()? else { return Ok(Some(Ordering::Greater)) };
        let epsilon = epsilon.log()?;
        Ok(match (own.hi <= epsilon.lo, own.lo > epsilon.hi) {
            (true, _) => Some(Ordering::Less),
            (_, true) => Some(Ordering::Greater),
            _ => None,
        })
    }

    /// Is it proved to be at most ε?
    pub fn is_at_most(&self, epsilon: &Epsilon) -> Result<bool> {
        Ok(matches!(self.compared(epsilon)?, Some(Ordering::Less | Ordering::Equal)))
    }
}

/// Losses of independent steps add up, and so do the largest ones.
pub fn largest_loss(parts: &Parts, direction: Direction) -> Result<Largest> {
    let nothing = Largest::of(Epsilon::Plain(BigRational::zero()));
    parts.iter().try_fold(nothing, |sum, (step, times)| sum.and(of_step(step, direction)?, *times))
}

pub fn of_step(step: &Step, direction: Direction) -> Result<Largest> {
    let is_stated = direction == Direction::Remove;
    let one = BigRational::one();
    let zero = || Largest::of(Epsilon::Plain(BigRational::zero()));
    step.spend(1)?;
    Ok(match step {
        Step::Gaussian { square } if square.is_positive() => Largest::Infinite { from: None },
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
                return Ok(Largest::event());
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
            // The pair that dominates the class keeps the least δ for ever.
            let mut least = Largest::event();
            for (epsilon, _) in points.iter().filter(|(epsilon, delta)| ends_losses(epsilon, delta)) {
                let epsilon = if epsilon.is_negative() { epsilon.negated() } else { epsilon.clone() };
                let order = Reason::Unproved.unless(least.compared(&epsilon)?, "two losses cannot be told apart")?;
                if order == Ordering::Greater {
                    least = Largest::of(epsilon);
                }
            }
            least
        }
        Step::Zcdp { rho } if rho.is_zero() => zero(),
        Step::Rdp { orders } if orders.iter().any(|(_, epsilon)| epsilon.is_zero()) => zero(),
        // Of such members no divergence of a higher order is the largest.
        Step::Rdp { orders } => Largest::Infinite { from: orders.iter().map(|(order, _)| order).max().cloned() },
        Step::Zcdp { .. } => Largest::Infinite { from: None },
        Step::Shifted { noise, without, with } => {
            let (down, up) = if is_stated { (without, with) } else { (with, without) };
            of_shifted(noise, down, up)?
        }
        Step::Sampled { rate, of } => {
            // Q'/P = 1 − r + r·Q/P, and P/Q' = 1/(1 − r + r/(P/Q)).
            let inner = largest_loss(of, direction)?;
            let (rate_, rest) = (Real::of(rate), Real::of(&(&one - rate)));
            match (is_stated, inner.odds()?, inner.real()?) {
                (true, Some(odds), _) => Largest::of(Epsilon::LogOf(&one - rate + rate * odds)),
                (true, None, Some(loss)) => Largest::near(rest.plus(&rate_.times(&loss.exp()?)).ln()?),
                // P is a part of Q'.
                (true, None, None) => inner,
                (false, Some(odds), _) => Largest::of(Epsilon::LogOf((&one - rate + rate / odds).recip())),
                (false, None, Some(loss)) => Largest::near(rest.plus(&rate_.times(&loss.neg().exp()?)).ln()?.neg()),
                (false, None, None) => Largest::of(Epsilon::LogOf((one - rate).recip())),
            }
        }
        Step::Labelled { of } => {
            let parts = of.iter().map(|(_, parts)| largest_loss(parts, direction));
            largest_of(&parts.collect::<Result<Vec<_>>>()?)?
        }
        Step::Worst { of } => {
            let parts = of.iter().map(|(is_turned, step)| of_step(step, direction.turned(*is_turned)));
            largest_of(&parts.collect::<Result<Vec<_>>>()?)?
        }
        // All coins, or no third value, with all others: odds e^ε either way.
        Step::Choice { epsilon, .. } | Step::Shuffled { epsilon, .. } => Largest::of(epsilon.clone()),
        // With the record alone it may be released.
        Step::Released { .. } if is_stated => Largest::event(),
        Step::Released { noise, place } => Largest::near(Real::int(1).minus(&tail(noise, place)?).ln()?.neg()),
        Step::Largest { .. } => Largest::Infinite { from: None },
    })
}

/// Does δ(ε) ≤ δ say that no loss is above |ε|? δ = 0 does, and δ = 1 − e^ε, which is δ(−ε) = 1 − (1 − δ)/e^ε = 0 in the other order of
/// the pair (C5). No other fraction is 1 − e^ε, as e^ε is none where ε is one but 0.
fn ends_losses(epsilon: &Epsilon, delta: &BigRational) -> bool {
    match epsilon {
        Epsilon::LogOf(odds) => delta.is_zero() || (delta + odds).is_one(),
        Epsilon::Plain(_) => delta.is_zero(),
    }
}

/// The largest one, exactly if all are compared exactly.
fn largest_of(all: &[Largest]) -> Result<Largest> {
    let mut most: Option<Real> = None;
    for part in all {
        if let Some(plain) = part.plain()?.map(Epsilon::Plain) {
            let mut others = all.iter().map(|other| other.is_at_most(&plain));
            if others.try_fold(true, |all, is| Ok::<_, Rejected>(all && is?))? {
                return Ok(part.clone());
            }
        }
        let Some(loss) = part.real()? else { return Ok(Largest::infinite(all)) };
        most = Some(most.map_or(loss.clone(), |most| most.larger(&loss)));
    }
    Ok(most.map_or(Largest::Infinite { from: None }, Largest::near))
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
fn of_shifted(noise: &Noise, down: &Shifts, up: &Shifts) -> Result<Largest> {
    let unit = match noise {
        Noise::Laplace { unit } => unit.clone(),
        Noise::DiscreteLaplace { scale } => scale.recip(),
        // Lighter tails, or an end: of the parts that reach farthest one is all that is left.
        Noise::Gaussian { .. } | Noise::DiscreteGaussian { .. } | Noise::Skellam { .. } | Noise::Truncated { .. } => {
            if (ends(up).1 + ends(down).0).is_positive() {
                let is_end = matches!(noise, Noise::Truncated { .. });
                return Ok(if is_end { Largest::event() } else { Largest::Infinite { from: None } });
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
    let sum = |shifts: &Shifts, unit: BigRational| {
        let part = |(weight, shift): &(BigRational, BigRational)| {
            Ok(Real::of(weight).times(&Real::of(&(shift * &unit)).exp()?))
        };
        shifts.iter().map(part).sum::<Result<Real>>()
    };
    Ok(Largest::near(sum(up, unit.clone())?.over(&sum(down, -unit)?)?.ln()?))
}

/// δ(ε) = 0 exactly if no loss above ε occurs.
pub fn pure_dp(mechanism: &Mechanism, epsilon: &Epsilon, verified: bool) -> Result<String> {
    for direction in mechanism.adjacency.directions() {
        let order = largest_loss(&mechanism.steps, *direction)?.compared(epsilon)?;
        if !verified && order == Some(Ordering::Greater) {
            return Ok(format!("A loss above epsilon has positive probability, order {direction}."));
        }
        let may_occur = verified && matches!(order, None | Some(Ordering::Greater));
        Reason::LossNotBounded.when(may_occur, &format!("order {direction}: a loss above epsilon may occur"))?;
    }
    Reason::LossBounded.when(!verified, "no loss above epsilon is proved to occur")?;
    Ok("Losses of independent steps add up; the sum of the largest ones is at most epsilon.".into())
}

/// Of what a number is known.
#[derive(Clone, Copy)]
pub enum Of<'a> {
    /// μ² with f ≥ G_μ (T2).
    Curve,
    /// 2ρ with D_t ≤ ρ·t at every t ≥ 1 in both orders of the pair (R2).
    Divergences,
    /// The same at one t > 1.
    Divergence(&'a BigRational),
    /// At least μ² for strict Gaussian DP, and 2ρ (T2, T5).
    Least,
}

/// At most (or at least), where a step has such a number by itself. What has f ≥ G_μ has D_t ≤ t·μ²/2. Either holds of a sample as of what runs on it, and of
/// several parts or pairs where it holds of each.
fn number(step: &Step, of_what: Of) -> Option<BigRational> {
    let two = BigInt::from(2);
    let (is_curve, is_least) = (matches!(of_what, Of::Curve), matches!(of_what, Of::Least));
    // At least in the order `remove`, in which all steps add up.
    let far = |without: &Shifts, with: &Shifts| {
        if is_least { ends(with).1 + ends(without).0 } else { farthest(without, with) }
    };
    match step {
        Step::Gaussian { square } => Some(square.clone()),
        Step::Shifted { noise: Noise::Gaussian { square }, without, with } => {
            Some(squared(far(without, with)) * square)
        }
        Step::Shifted { noise: Noise::DiscreteGaussian { square, parties: 1 }, without, with } if !is_curve => {
            Some(squared(far(without, with)) / square)
        }
        // A Gaussian is one of the class.
        Step::Zcdp { rho } if !is_curve || rho.is_zero() => Some(rho * two),
        Step::Sampled { of, .. } => total(of, of_what),
        Step::Labelled { of } => {
            let parts = of.iter().map(|(_, parts)| total(parts, of_what));
            parts.collect::<Option<Vec<_>>>()?.into_iter().max()
        }
        // Nothing is less.
        _ if is_least => Some(BigRational::zero()),
        Step::Rdp { orders } => {
            // (t − 1)·D_t is convex, and 0 at t = 1.
            let Of::Divergence(order) = of_what else { return None };
            let one = BigRational::one();
            let psi = |(t, epsilon): &(BigRational, BigRational)| (t.clone(), (t - &one) * epsilon);
            let (mut before, beyond): (Vec<_>, Vec<_>) = orders.iter().map(psi).partition(|(t, _)| t < order);
            before.push((one.clone(), BigRational::zero()));
            spend_each(before.len().saturating_mul(beyond.len()), 2_000).ok()?;
            let chord = |((a, x), (b, y)): (&(_, _), &(_, _))| x + (y - x) * (order - a) / (b - a);
            let chords = before.iter().flat_map(|left| beyond.iter().map(move |right| chord((left, right))));
            chords.min().map(|psi: BigRational| psi * two / ((order - &one) * order))
        }
        Step::Worst { of } => {
            let pairs = of.iter().map(|(_, step)| number(step, of_what));
            pairs.collect::<Option<Vec<_>>>()?.into_iter().max()
        }
        // The same outcomes with and without the record.
        Step::Finite { p, q } | Step::Selected { p, q, .. } if p == q => Some(BigRational::zero()),
        Step::Response { epsilon, .. } if epsilon.is_zero() => Some(BigRational::zero()),
        Step::Laplace { .. } | Step::Response { .. } | Step::ResponseOrUniform { .. } | Step::Finite { .. } => None,
        Step::Guarantee { .. } | Step::Zcdp { .. } | Step::Shifted { .. } | Step::Selected { .. } => None,
        Step::Choice { .. } | Step::Released { .. } | Step::Largest { .. } | Step::Shuffled { .. } => None,
    }
}

/// The sum of such numbers over a composition; none where a step has none, or the work is too much.
pub fn total(parts: &Parts, of_what: Of) -> Option<BigRational> {
    parts.iter().try_fold(BigRational::zero(), |sum, (step, times)| {
        spend_on(&[&sum]).and_then(|()| step.spend(1)).ok()?;
        Some(sum + number(step, of_what)? * BigInt::from(*times))
    })
}

/// ρ with D_t ≤ ρ·t of a step.
pub fn slope(step: &Step) -> Option<BigRational> {
    number(step, Of::Divergences).map(|square| square / BigInt::from(2))
}

/// The same of what has no loss above ε in either order of the pair: ε²/2 (R2).
pub fn slope_by_losses(step: &Step) -> Option<BigRational> {
    let loss = |direction| of_step(step, direction).ok()?.real().ok()?;
    let (_, most) = loss(Direction::Remove)?.larger(&loss(Direction::Add)?).ends();
    Some(squared(most) / BigInt::from(2))
}

/// The sum of either over a composition.
pub fn slopes(parts: &Parts) -> Option<BigRational> {
    parts.iter().try_fold(BigRational::zero(), |sum, (step, times)| {
        spend_on(&[&sum]).and_then(|()| step.spend(1)).ok()?;
        Some(sum + slope(step).or_else(|| slope_by_losses(step))? * BigInt::from(*times))
    })
}

/// Strict Gaussian DP (T2): a sum of the steps' μ² that is at most μ², or one that is above it. Or zCDP and Rényi divergences of steps that have D_t ≤ ρ·t by
/// themselves, and of Gaussian ones, whose divergences are near tμ²/2 for large orders t (T5): with 2ρ for μ².
pub fn by_sum(mechanism: &Mechanism, of: Of, claimed: &BigRational, verified: bool) -> Result<String> {
    let known = total(&mechanism.steps, if verified { of } else { Of::Least });
    let known = Reason::NotGaussian.unless(known, "not all steps have such a number by themselves")?;
    let is_other = (known <= *claimed) != verified;
    Reason::MuSquared.when(is_other, &format!("the sum is {known}, the claim has {claimed}"))?;
    Ok(format!("What the steps have by themselves adds up to mu^2 = {known}, the claim has {claimed}."))
}

/// One of two has μ² at most `most` for strict Gaussian DP, and the other one has a step of Gaussian noise that is no less (T2).
pub fn by_noise(most: Option<&BigRational>, other: &Parts) -> Result<String> {
    // All Gaussian noise is one step.
    let has = |square: &BigRational| most.is_some_and(|most| most <= square);
    match other.first() {
        Some((Step::Gaussian { square }, 1)) if has(square) => Ok(format!("The second has noise of mu^2 = {square}.")),
        // Noise of mu = 0 is nothing.
        _ if has(&BigRational::zero()) => Ok("The first reveals nothing.".into()),
        _ => Reason::MuSquared.no("the first is not shown to be below noise that the second has"),
    }
}

/// Strict Gaussian DP of one Laplace or two-answer randomised-response step: exactly if G_μ(a) ≤ a at the point a = f(a)
/// (T3 of `proofs/FORMAT.md`), that is P(Z > μ/2) ≤ a; and of what has D_t ≤ ρ·t, at most (T7).
pub fn fixed_point(mechanism: &Mechanism, mu: &BigRational, verified: bool) -> Result<String> {
    let two = BigInt::from(2);
    let middle = mu / &two;
    let point = match mechanism.steps.as_slice() {
        [(Step::Laplace { epsilon }, 1)] => Real::of(&(-epsilon / &two)).exp()?.over(&Real::int(2))?,
        [(Step::Response { epsilon, k }, 1)] if *k == two => Real::int(1).over(&epsilon.exp()?.plus(&Real::int(1)))?,
        // The curves of Laplace noise, and of randomised response of half of it.
        [(Step::Choice { epsilon, is_flip }, 1)] => {
            let odds = epsilon.log()?.times(&half()).exp()?;
            Real::int(1).over(&if *is_flip { odds.plus(&odds) } else { odds.plus(&Real::int(1)) })?
        }
        _ if verified && is_far(slopes(&mechanism.steps).as_ref(), mu, &middle)? => {
            return Ok("Tests of D_t <= rho*t are compared with the Gaussian where both errors are equal.".into());
        }
        _ => return Reason::NoFixedPoint.no("no curve is known where both errors are equal"),
    };
    let tail = Real::of(&middle).normal_tail()?;
    let holds = if verified { tail.hi <= point.lo } else { tail.lo > point.hi };
    Reason::FixedPoint.when(!holds, "at equal errors the curve is on the other side of that of G_mu")?;
    Ok("The curve and that of the Gaussian are compared where type-I and type-II errors are equal.".into())
}

/// With D_t ≤ ρ·t in both orders, have all tests of size at most P(Z > x) type-II errors of at least G_μ of it? (√(−log c) + √ρ)² ≤ −log P(Z > x)
/// for c = P(Z > x − μ) (T7).
pub fn is_far(rho: Option<&BigRational>, mu: &BigRational, x: &BigRational) -> Result<bool> {
    let Some(rho) = rho else { return Ok(false) };
    let exponent = |x: &BigRational| Ok::<_, Rejected>(Real::of(x).normal_tail()?.ln()?.neg().at_least_zero());
    let root = exponent(&(x - mu))?.sqrt()?.plus(&Real::of(rho).sqrt()?);
    Ok(root.times(&root).hi <= exponent(x)?.lo)
}

/// True of every mechanism: δ ≤ 1, f ≥ 0; if G_μ(τ) ≤ τ then G_μ(α + τ) − τ ≤ 0 ≤ f(α); if P(Z > μ/2) is below the error
/// floor (the upper end of a normal tail is above its value), then α and G_μ(α) are never both above it.
pub fn of_every_mechanism(claim: &Claim) -> Result<String> {
    let holds = match claim {
        Claim::ApproxDp { delta: most, .. } | Claim::Advantage { at_most: most } => *most >= int(1),
        Claim::DominatedBy { at_most, .. } | Claim::Regret { at_most, .. } => at_most + at_most >= int(1),
        Claim::TradeOff { beta, .. } => beta.is_zero(),
        Claim::Gdp { mu, tolerance, floor } => {
            Real::of(&(mu / BigInt::from(2))).normal_tail()?.is_at_most(tolerance.max(floor))
        }
        Claim::PureDp { .. } | Claim::Zcdp { .. } | Claim::Rdp { .. } => false,
    };
    Reason::NotTrivial.when(!holds, "the claim is not true of every mechanism")?;
    Ok("Every mechanism satisfies the claim: delta <= 1, f >= 0, and G_mu is not compared where it is larger.".into())
}

#[cfg(test)]
#[path = "theorem_tests.rs"]
mod tests;
