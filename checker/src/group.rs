//! Groups of records of each of which a guarantee or a pair is all that is known (M5 of `proofs/FORMAT.md`).

use crate::exact::of_step;
use crate::normal::{MOST_RECORDS, binomial};
use crate::*;

/// Under (ε, δ)-DP: the points ((a − b)ε, 1 − e^(−bε)·(1 − δ(S_a + S_b))), a + b records, a ≥ b, S_n = 1 + e^ε + … + e^((n − 1)ε) (N13, N15). Where
/// e^ε is no fraction, they are bounded, and those from below are a member.
pub fn under_guarantee(epsilon: &Epsilon, delta: &BigRational, records: u64) -> Result<Normal> {
    Reason::Limit.when(records > MOST_RECORDS, "a group of more than 256 records under a guarantee")?;
    let (zero, one) = (BigRational::zero(), BigRational::one());
    // At most and at least: e^(nε), S_n.
    let (mut all, mut sums) = (Vec::new(), [zero.clone(), zero.clone()]);
    for n in 0..=records {
        let power = match epsilon.times(n)? {
            Epsilon::LogOf(odds) => [odds.clone(), odds],
            loss if loss.is_zero() => [one.clone(), one.clone()],
            loss => {
                let (low, high) = loss.exp()?.ends();
                [high, low]
            }
        };
        let ([high, low], [above, below]) = (&sums, &power);
        spend_on(&[high, above, delta])?;
        let next = [high + above, low + below];
        all.push((power, std::mem::replace(&mut sums, next)));
    }
    let (mut most, mut least) = (Vec::new(), Vec::new());
    let last = if epsilon.is_zero() { 0 } else { records / 2 };
    let pairs = all.iter().zip(all.iter().rev());
    for (b, (([above, below], [more, less]), (_, [high, low]))) in (0..=last).zip(pairs) {
        spend_on(&[high, more, delta, above])?;
        let at = epsilon.times(records - b - b)?;
        let point = |sum: BigRational, power: &BigRational| &one - (&one - sum * delta) / power;
        let (high, low) = (point(high + more, above), point(low + less, below));
        if high < one {
            most.push((at.clone(), high));
        }
        if low < one {
            least.push((at, low.max(zero.clone())));
        }
    }
    let step = |points: Vec<_>| if points.is_empty() { everything() } else { Step::Guarantee { points } };
    Ok(Normal::between(vec![vec![(step(least), 1)]], Normal::guarantee(step(most))))
}

/// It is said whether the records are there.
fn everything() -> Step {
    let [zero, one] = [BigRational::zero(), BigRational::one()];
    Step::Finite { p: vec![one.clone(), zero.clone()], q: vec![zero, one] }
}

/// The pair of as many records as take part, each with this probability (N15).
fn of_power(power: &Power, records: u64, rate: &BigRational) -> Result<Step> {
    let chances = binomial(records, rate, &BigRational::one())?;
    let mut powers = vec![Power::none()];
    for _ in 0..records {
        let next = powers.last().map(|last| last.then(power)).transpose()?;
        powers.extend(next);
    }
    let mut corners = Vec::new();
    // The last one has the corners of all.
    for (level, _) in powers.last().map_or(&[][..], |last| &last.0) {
        let mut reached = BigRational::zero();
        for ((chance, _), of) in chances.iter().zip(&powers).filter(|((chance, _), _)| !chance.is_zero()) {
            let part = of.at(level)?;
            spend_on(&[&reached, &part, chance])?;
            reached += part * chance;
        }
        corners.push((level.clone(), reached));
    }
    Ok(Power::around(corners).pair())
}

/// What is no less than the best of so many runs, of what a test can have at most, and of the outcomes in any order (M14): a corner (a, b) of F goes to m·(r·a, b)
/// as far as the slopes are at least 1; from there on with the slope 1, up to the diagonal, on whose other side is the same of the other order.
pub fn above_best(power: &Power, runs: &Runs) -> Result<Step> {
    let (zero, one) = (BigRational::zero(), BigRational::one());
    let power = power.of_either_order()?;
    let mut ratio = Real::int(1);
    for (level, power) in &power.0 {
        ratio = ratio.smaller(&runs.slopes(level, power)?);
    }
    let ratio = units(ratio.lo, w());
    let mut corners = vec![(zero.clone(), zero)];
    let end = (int(2), one.clone());
    for (level, power) in power.0.into_iter().chain([end]) {
        let Some((a, b)) = corners.last().cloned() else { break };
        spend_on(&[&level, &power, &ratio, &runs.mean, &a, &b])?;
        let (mut next_a, mut next_b) = (level * &runs.mean * &ratio, power * &runs.mean);
        if &next_b - &b < &next_a - &a {
            (next_a, next_b) = (&a + &one, &b + &one);
        }
        let (near, far) = (&a + &b, &next_a + &next_b);
        if far >= one {
            let share = (&one - &near) / (far - near);
            corners.push((&a + &share * (next_a - &a), &b + share * (next_b - &b)));
            break;
        }
        corners.push((next_a, next_b));
    }
    let turned: Vec<_> = corners.iter().rev().map(|(a, b)| (&one - b, &one - a)).collect();
    Ok(Power([corners, turned].concat()).pair())
}

/// A group of records of each of which a pair is all that is known, `rate` in (0, 1]. A replaced one may change in either order of the pair; all in one is a member.
pub fn of_pair(
    p: &[BigRational], q: &[BigRational], records: u64, rate: &BigRational, relation: Relation,
) -> Result<Normal> {
    let power = Power::of_pair(p.iter().cloned().zip(q.iter().cloned()).collect())?;
    let one = of_power(&power, records, rate)?;
    let most = match relation {
        Relation::Presence | Relation::ReplaceSpecial => one.clone(),
        Relation::ReplaceOne => of_power(&power.of_either_order()?, records, rate)?,
    };
    Ok(Normal::between(vec![vec![(one, 1)]], Normal::guarantee(most)))
}

/// Fractions around e^ε, ε ≥ 0.
pub fn around(epsilon: &Epsilon) -> Result<[BigRational; 2]> {
    let odds = epsilon.exp()?;
    Reason::NoCertificateYet.when(epsilon.is_negative(), "an epsilon below 0 of a group, or of a private selection")?;
    Ok(match epsilon {
        Epsilon::LogOf(odds) => [odds.clone(), odds.clone()],
        Epsilon::Plain(_) => [units(odds.floor_units(64), 64).max(BigRational::one()), units(odds.ceil_units(64), 64)],
    })
}

/// A group under (ε, δ)-DP on a Poisson sample: where e^ε is no fraction, by shorter ones beside it, as F grows with it.
pub fn sampled_guarantee(epsilon: &Epsilon, delta: &BigRational, records: u64, rate: &BigRational) -> Result<Normal> {
    let [low, high] = around(epsilon)?.map(|odds| {
        let of_one = of_step(&Step::Guarantee { points: vec![(Epsilon::LogOf(odds), delta.clone())] })?;
        of_power(&Power::of_pair(of_one)?, records, rate)
    });
    Ok(Normal::between(vec![vec![(low?, 1)]], Normal::guarantee(high?)))
}

#[cfg(test)]
#[path = "group_tests.rs"]
mod tests;
