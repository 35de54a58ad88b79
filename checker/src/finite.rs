//! Pairs with few outcomes: their masses, what they are after several runs, δ and moments (C1 and R2 of `proofs/FORMAT.md`).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::profile::Place;
use crate::*;

/// Masses of an outcome, and its loss where it is known exactly.
pub struct Outcome {
    pub q: Real,
    pub p: Real,
    pub loss: Option<Epsilon>,
}

impl Outcome {
    /// (q, p)
    pub fn of((q, p): (Real, Real)) -> Self {
        Self { q, p, loss: None }
    }

    /// Both of two independent ones.
    pub fn and(&self, other: &Self) -> Self {
        Self::of((self.q.times(&other.q), self.p.times(&other.p)))
    }
}

/// In how many ways so many runs come out, if their order is not looked at.
pub fn multisets(outcomes: usize, times: u64) -> usize {
    // C(times + n, n) for the others n, one factor after the other; it rises with each.
    let mut ways = 1u64;
    for n in (1..).take(outcomes.saturating_sub(1)) {
        ways = ways.saturating_mul(times.saturating_add(n)) / n;
        if ways > 1 << 20 {
            break;
        }
    }
    usize::try_from(ways).unwrap_or(usize::MAX)
}

/// The outcomes of so many runs: how often each came, in all ways. One run after the other, so that no error grows with the number of orders.
pub fn repeated(one: &[Outcome], times: u64) -> Result<Vec<Outcome>> {
    let mut all = BTreeMap::from([(vec![0u64; one.len()], Outcome::of((Real::int(1), Real::int(1))))]);
    for _ in 0..times {
        spend_each(all.len().saturating_mul(one.len()), 600)?;
        let mut next: BTreeMap<Vec<u64>, Outcome> = BTreeMap::new();
        for (counts, before) in &all {
            for (place, outcome) in one.iter().enumerate() {
                let came = counts.iter().enumerate().map(|(of, n)| n + u64::from(of == place)).collect();
                let Outcome { q, p, .. } = before.and(outcome);
                let sum = next.entry(came).or_insert_with(|| Outcome::of((Real::int(0), Real::int(0))));
                (sum.q, sum.p) = (sum.q.plus(&q), sum.p.plus(&p));
            }
        }
        all = next;
    }
    Ok(all.into_values().collect())
}

/// log Σ q^t·p^(1−t): e^(t·log q + (1 − t)·log p), after the largest is taken out.
pub fn moment(outcomes: &[Outcome], order: &BigRational) -> Result<Option<Real>> {
    spend_each(outcomes.len(), 100_000)?;
    let (t, less) = (Real::of(order), Real::of(&(order - BigRational::one())));
    let mut exponents = Vec::new();
    for Outcome { q, p, .. } in outcomes.iter().filter(|outcome| outcome.q.hi.is_positive()) {
        if !q.lo.is_positive() || !p.lo.is_positive() {
            return Ok(None);
        }
        exponents.push(t.times(&q.ln()?).minus(&less.times(&p.ln()?)));
    }
    let most = exponents.iter().map(|x| x.hi.clone()).max().unwrap_or_default();
    let most = Real::units(most);
    let sum = exponents.iter().map(|exponent| exponent.minus(&most).exp()).sum::<Result<Real>>()?;
    Ok(Some(most.plus(&sum.ln()?)))
}

/// Three kinds of answers: (Q, P) in proportion to (e^ε, 1), (1, e^ε), (k − 2, k − 2).
pub fn response(epsilon: &Epsilon, k: &BigInt) -> Result<Vec<Outcome>> {
    let (odds, one) = (epsilon.exp()?, Real::int(1));
    let others = Real::of(&BigRational::from(k - BigInt::from(2)));
    let total = odds.plus(&one).plus(&others);
    let zero = Epsilon::Plain(BigRational::zero());
    let kinds = [(&odds, &one, epsilon.clone()), (&one, &odds, epsilon.negated()), (&others, &others, zero)];
    let outcome = |(q, p, loss): (&Real, &Real, Epsilon)| {
        Ok(Outcome { q: q.over(&total)?, p: p.over(&total)?, loss: Some(loss) })
    };
    kinds.into_iter().map(outcome).collect()
}

/// Q in proportion to e^ε for one answer and 1 for each other one, P uniform.
pub fn against_uniform(epsilon: &Epsilon, k: &BigInt, is_stated: bool) -> Result<Vec<Outcome>> {
    let odds = epsilon.exp()?;
    let (all, others) = (BigRational::from(k.clone()), BigRational::from(k - BigInt::one()));
    let total = odds.plus(&Real::of(&others));
    let kinds = [(odds, all.recip()), (Real::of(&others), &others / &all)];
    let outcome = |(q, p): (Real, BigRational)| {
        let (q, p) = (q.over(&total)?, Real::of(&p));
        Ok(Outcome::of(if is_stated { (q, p) } else { (p, q) }))
    };
    kinds.into_iter().map(outcome).collect()
}

/// Under (ε, δ)-DP, ε ≥ 0: with probability δ it is said whether the record is there, else an answer of two.
pub fn guaranteed(epsilon: &Epsilon, delta: &BigRational) -> Result<Vec<Outcome>> {
    let (told, rest, zero) = (Real::of(delta), Real::of(&(BigRational::one() - delta)), Real::int(0));
    let answers = response(epsilon, &BigInt::from(2))?;
    let answers = answers.into_iter().map(|one| Outcome { q: one.q.times(&rest), p: one.p.times(&rest), ..one });
    let told = [(&told, &zero), (&zero, &told)].map(|(q, p)| Outcome::of((q.clone(), p.clone())));
    Ok(answers.chain(told).collect())
}

/// Noise of masses in proportion to x^|k|, x = e^(−1/scale), moved by d: what is at 0 or below, what is at d or above, and the places between.
pub fn geometric(scale: &BigRational, distance: &BigRational) -> Result<Vec<Outcome>> {
    let (x, last) = (Real::of(&-scale.recip()).exp()?, distance.to_integer().to_usize().unwrap_or(0));
    // P(X ≥ k) = x^k/(1 + x), which is P(X ≤ 0) for k = 0.
    let first = Real::int(1).over(&Real::int(1).plus(&x))?;
    let tails: Vec<_> = std::iter::successors(Some(first), |tail| Some(tail.times(&x))).take(last + 1).collect();
    let mass = |k: usize| match (tails.get(k), tails.get(k + 1)) {
        (Some(tail), Some(next)) if k > 0 => tail.minus(next),
        (tail, _) => tail.cloned().unwrap_or_else(|| Real::int(0)),
    };
    let loss = |k: usize| Epsilon::Plain((int(2 * k) - distance) / scale);
    Ok((0..=last).map(|k| Outcome { q: mass(last - k), p: mass(k), loss: Some(loss(k)) }).collect())
}

/// Σ (q − u·p)⁺, and Σ p where q > u·p. Where the sign is not known both are left open.
pub fn finite(outcomes: &[Outcome], place: &Place) -> Result<(Real, Real)> {
    let (mut delta, mut null) = (Real::int(0), Real::int(0));
    for Outcome { q, p, loss } in outcomes {
        let mut hinge = q.minus(&place.exp.times(p));
        match loss.as_ref().zip(place.exact.as_ref()).and_then(|(loss, at)| at.order(loss)) {
            Some(Ordering::Less) => hinge = hinge.at_least_zero(),
            Some(_) => continue,
            None if hinge.lo.is_negative() && hinge.hi.is_positive() => {
                null.hi += &p.hi;
                delta.hi += &hinge.hi;
                continue;
            }
            None if !hinge.hi.is_positive() => continue,
            None => {}
        }
        null = null.plus(p);
        delta = delta.plus(&hinge);
    }
    Ok((delta, null))
}

#[cfg(test)]
#[path = "finite_tests.rs"]
mod tests;
