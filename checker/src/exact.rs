//! Pairs of probability vectors in fractions, and guarantees that say what is claimed (T4 of `proofs/FORMAT.md`).

use std::cmp::Ordering;

use crate::*;

/// Pairs of probability vectors in fractions (T4): δ(u) = Σ (q − u·p)⁺; f is the convex hull of the errors of the Neyman–Pearson tests,
/// which take outcomes in the order of q/p (of both orders where both count). Or a guarantee that says what is claimed.
pub fn exact(mechanism: &Mechanism, claim: &Claim, verified: bool) -> Result<String> {
    let zero = Epsilon::Plain(BigRational::zero());
    let (delta, trade_off) = match claim {
        Claim::Advantage { at_most } => (Some((&zero, at_most)), None),
        Claim::ApproxDp { epsilon, delta } => (Some((epsilon, delta)), None),
        Claim::TradeOff { alpha, beta } => (None, Some((alpha, beta))),
        Claim::PureDp { .. } | Claim::Gdp { .. } | Claim::Zcdp { .. } => (None, None),
        Claim::Rdp { .. } | Claim::DominatedBy { .. } | Claim::Regret { .. } => (None, None),
    };
    if let ([(Step::Guarantee { points }, 1)], Some((at, bound)), true) = (mechanism.steps.as_slice(), delta, verified)
    {
        for (epsilon, delta) in points {
            if delta <= bound && Largest::of(epsilon.clone()).is_at_most(at)? {
                return Ok(format!("It is guaranteed: delta({epsilon}) <= {delta}."));
            }
        }
    }
    let outcomes = outcomes(&mechanism.steps)?;
    let orders = mechanism.adjacency.directions().iter().map(|direction| -> Pairs {
        match direction {
            Direction::Remove => outcomes.clone(),
            Direction::Add => outcomes.iter().map(|(p, q)| (q.clone(), p.clone())).collect(),
        }
    });
    let (shown, text) = match (delta, trade_off) {
        (Some((epsilon, bound)), _) => {
            let above = orders.map(|pairs| is_above(&pairs, epsilon, bound)).collect::<Result<Vec<_>>>()?;
            // One order refutes.
            let is_shown =
                if verified { above.iter().all(|is| *is == Some(false)) } else { above.contains(&Some(true)) };
            (is_shown, format!("delta({epsilon}) of {} orders is compared with {bound}.", above.len()))
        }
        (None, Some((alpha, beta))) => {
            let mut curves = orders.map(Power::of_pair);
            let curve = curves.next().unwrap_or_else(|| Ok(Power::none()))?;
            let curve = if mechanism.adjacency.is_both() { curve.of_either_order()? } else { curve };
            let least = BigRational::one() - curve.at(alpha)?;
            ((least < *beta) != verified, format!("f is {least} at alpha, the claim says at least {beta}."))
        }
        (None, None) => return Err(not_vectors()),
    };
    Reason::ExactValue.when(!shown, &format!("in fractions, {text}"))?;
    Ok(format!("In fractions, {text}"))
}

/// The masses (p, q) of outcomes, from the largest q/p on.
pub type Pairs = Vec<(BigRational, BigRational)>;

/// Those of a composition of two vectors each; outcomes of the same q/p are one, which changes neither δ nor f.
fn outcomes(parts: &Parts) -> Result<Pairs> {
    const MOST: u64 = 128;
    let what = "exact arithmetic is for at most 128 outcomes";
    let mut all = vec![(BigRational::one(), BigRational::one())];
    for (step, times) in parts {
        let one = of_step(step)?;
        Reason::Limit.when(*times > MOST, what)?;
        for _ in 0..*times {
            let both = |(a, b): &(BigRational, BigRational)| -> Result<Vec<_>> {
                one.iter().map(|(p, q)| spend_on(&[a, p, b, q]).map(|()| (a * p, b * q))).collect()
            };
            Reason::Limit.when(all.len().saturating_mul(one.len()) > 32 * 128, what)?;
            all = merged(all.iter().map(both).collect::<Result<Vec<_>>>()?.concat())?;
        }
    }
    Reason::Limit.when(all.len() > 128, what).map(|()| all)
}

/// Those of one step, where it is a pair of vectors in fractions.
pub fn of_step(step: &Step) -> Result<Pairs> {
    let one = BigRational::one;
    let others = |k: &BigInt, n: i32| BigRational::from(k - BigInt::from(n));
    Ok(match step {
        Step::Finite { p, q } => p.iter().cloned().zip(q.iter().cloned()).collect(),
        Step::Response { epsilon, k } => {
            let odds = odds(epsilon)?;
            let total = &odds + others(k, 1);
            let (likely, rare) = (&odds / &total, total.recip());
            let rest = others(k, 2) / &total;
            vec![(rare.clone(), likely.clone()), (likely, rare), (rest.clone(), rest)]
        }
        Step::ResponseOrUniform { epsilon, k } => {
            let odds = odds(epsilon)?;
            let (total, uniform) = (&odds + others(k, 1), BigRational::from(k.clone()).recip());
            vec![(uniform.clone(), odds / &total), (one() - uniform, others(k, 1) / total)]
        }
        Step::Guarantee { points } => {
            let [(epsilon, delta)] = points.as_slice() else { return Err(not_vectors()) };
            let odds = Some(odds(epsilon)?).filter(|u| *u >= one()).ok_or_else(not_vectors)?;
            let rare = (one() - delta) / (one() + &odds);
            let likely = &rare * odds;
            let zero = BigRational::zero;
            vec![(zero(), delta.clone()), (rare.clone(), likely.clone()), (likely, rare), (delta.clone(), zero())]
        }
        Step::Sampled { rate, of } => {
            let on_sample = outcomes(of)?.into_iter();
            on_sample.map(|(p, q)| (p.clone(), (one() - rate) * p + rate * q)).collect()
        }
        Step::Labelled { of } => {
            let part = |(weight, parts): &(BigRational, Parts)| -> Result<Pairs> {
                Ok(outcomes(parts)?.into_iter().map(|(p, q)| (weight * p, weight * q)).collect())
            };
            merged(of.iter().map(part).collect::<Result<Vec<_>>>()?.concat())?
        }
        Step::Gaussian { .. } | Step::Laplace { .. } | Step::Zcdp { .. } => return Err(not_vectors()),
        Step::Rdp { .. } | Step::Shifted { .. } | Step::Released { .. } => return Err(not_vectors()),
        Step::Choice { .. } | Step::Largest { .. } | Step::Worst { .. } => return Err(not_vectors()),
        Step::Shuffled { .. } | Step::Selected { .. } => return Err(not_vectors()),
    })
}

fn not_vectors() -> Rejected {
    Rejected::new(Reason::NotExact, "exact arithmetic is for delta and trade-offs of pairs of vectors in fractions")
}

/// e^ε, where it is a fraction.
fn odds(epsilon: &Epsilon) -> Result<BigRational> {
    match epsilon {
        Epsilon::LogOf(odds) => Ok(odds.clone()),
        Epsilon::Plain(epsilon) if epsilon.is_zero() => Ok(BigRational::one()),
        Epsilon::Plain(_) => Err(not_vectors()),
    }
}

/// In the order of q/p, from the largest on, with those of the same together.
pub fn merged(mut all: Pairs) -> Result<Pairs> {
    all.retain(|(p, q)| !p.is_zero() || !q.is_zero());
    for (p, q) in &all {
        // Each is compared with some others.
        (0..16).try_for_each(|_| spend_on(&[p, q, p, q]))?;
    }
    all.sort_unstable_by(|(p, q), (other_p, other_q)| (other_q * p).cmp(&(q * other_p)));
    let mut found = Pairs::new();
    for (p, q) in all {
        match found.last_mut().filter(|(other_p, other_q)| other_q * &p == &q * other_p) {
            Some((total_p, total_q)) => (*total_p, *total_q) = (&*total_p + p, &*total_q + q),
            None => found.push((p, q)),
        }
    }
    Ok(found)
}

/// Is δ(u) = Σ (q − u·p)⁺ above a number, where that can be told? It is A − u·B of the outcomes with q > u·p, and exact where B = 0 or u is a fraction.
fn is_above(outcomes: &[(BigRational, BigRational)], epsilon: &Epsilon, bound: &BigRational) -> Result<Option<bool>> {
    let (odds, u) = (odds(epsilon).ok(), epsilon.exp()?);
    let (mut power, mut null) = (BigRational::zero(), BigRational::zero());
    for (p, q) in outcomes {
        spend_on(&[p, q, &power, &null])?;
        match exceeds(q, p, &u, odds.as_ref()) {
            Some(true) => (power, null) = (power + q, null + p),
            Some(false) => {}
            None => return Ok(None),
        }
    }
    Ok(exceeds(&(power - bound), &null, &u, odds.as_ref()))
}

/// q > u·p, where that can be told: however small they are, u is compared with their quotient.
fn exceeds(q: &BigRational, p: &BigRational, u: &Real, odds: Option<&BigRational>) -> Option<bool> {
    match odds {
        Some(u) => Some(*q > u * p),
        None if p.is_zero() || !q.is_positive() => Some(q.is_positive()),
        None => u.order(&Real::of(&(q / p))).map(|order| order == Ordering::Less),
    }
}

#[cfg(test)]
#[path = "exact_tests.rs"]
mod tests;
