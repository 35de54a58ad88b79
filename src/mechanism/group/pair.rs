//! Groups of records where what one of them reveals is a pair of finite laws, or a guarantee on a Poisson sample.

use std::sync::Arc;

use rug::Rational;

use super::guarantee::too_private;
use super::power::Power;
use super::{binomial, chances, guarantee};
use crate::kernel::Interval;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::conditions::Conditions;
use crate::mechanism::domain::{OutOfRange, Why};
use crate::mechanism::epsilon::{Epsilon, StatedEpsilon};
use crate::mechanism::shifted::{Noise, ShiftedNoise, Shifts};
use crate::mechanism::step::{FiniteLosses, Step};
use crate::mechanism::steps::Steps;

/// Bits of e^ε where it is not rational.
const SAMPLED_BITS: u32 = 64;

/// A group of `records ≥ 2`, of each of which a finite pair is what it reveals at most: p without it, q with it. Exact for the class of all such
/// mechanisms; under replacement of records, where each may change in either direction, a bound and a member (`proofs/README.md`, N15).
///
/// # Errors
/// If the group is too large.
pub(in crate::mechanism) fn of_pair(
    p: &[Rational],
    q: &[Rational],
    records: u64,
    relation: Relation,
) -> Result<Steps, OutOfRange> {
    let one = Power::of_pair(p, q);
    let of = |one: &Power| {
        if one.is_short(records, &Rational::from(1)) {
            Ok(guarantee(pair_of(&one.of_records(records))))
        } else {
            Err(too_long())
        }
    };
    match relation {
        Relation::Presence | Relation::ReplaceSpecial => of(&one),
        Relation::ReplaceOne => Ok(Steps::between([of(&one)?], of(&one.of_either_order())?)),
    }
}

/// The same on a Poisson sample, `rate` in (0, 1], where records come or go, or are replaced by special ones.
///
/// # Errors
/// If the group is too large.
pub(in crate::mechanism) fn of_pair_on_sample(
    p: &[Rational],
    q: &[Rational],
    records: u64,
    rate: &Rational,
) -> Result<Steps, OutOfRange> {
    on_sample(&Power::of_pair(p, q), records, rate)
}

/// A group of `records ≥ 2` under (ε, δ)-DP on a Poisson sample, `rate` in (0, 1], likewise. Of an e^ε that is not rational a lower and an upper bound are taken.
///
/// # Errors
/// If the group is too large.
pub(in crate::mechanism) fn of_approx_dp_on_sample(
    epsilon: &Epsilon,
    delta: &Rational,
    records: u64,
    rate: &Rational,
) -> Result<Steps, OutOfRange> {
    let of = |u: &Rational| on_sample(&Power::of_guarantee(u, delta), records, rate);
    match epsilon.stated() {
        StatedEpsilon::Exp(u) => of(u),
        StatedEpsilon::Number(zero) if zero.is_zero() => of(&Rational::from(1)),
        // N12's noise: the tests that are best of each number of records are the same.
        StatedEpsilon::Number(epsilon) if delta.is_zero() => {
            let noise = Noise::DiscreteLaplace {
                scale: epsilon.clone().recip(),
                unit: 1,
            };
            let pair = ShiftedNoise::new(noise, Shifts::none(), binomial(records, rate)?);
            let steps = Steps::one(Step::Shifted(Arc::new(pair)), Conditions::GUARANTEE);
            Ok(steps.on_samples())
        }
        StatedEpsilon::Number(epsilon) => {
            let u = Interval::from_rational(epsilon, SAMPLED_BITS).exp();
            let end = |end: &rug::Float| end.to_rational().ok_or_else(too_private);
            let below = end(u.lo())?.max(Rational::from(1));
            Ok(Steps::between([of(&below)?], of(&end(u.hi())?)?))
        }
    }
}

fn on_sample(one: &Power, records: u64, rate: &Rational) -> Result<Steps, OutOfRange> {
    if !one.is_short(records, rate) {
        return Err(too_long());
    }
    let chances = chances(records, rate)?;
    Ok(guarantee(pair_of(&one.of_sample(&chances))).on_samples())
}

fn pair_of(power: &Power) -> FiniteLosses {
    let (p, q) = power.pair();
    FiniteLosses::Pair {
        p: p.into(),
        q: q.into(),
    }
}

fn too_long() -> OutOfRange {
    OutOfRange::sentence(
        "records",
        "what so many records reveal has too many digits to be written out",
    )
    .because(Why::TooLarge)
    .help("take fewer records or outcomes, or numbers with fewer digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (0, δ)-DP is (log 1, δ)-DP.
    #[test]
    fn an_epsilon_of_zero_has_odds_of_one() {
        let (delta, half) = (Rational::from((1, 10)), Rational::from((1, 2)));
        let found = of_approx_dp_on_sample(&Epsilon::zero(), &delta, 2, &half).unwrap();
        let one = Power::of_guarantee(&Rational::from(1), &delta);
        assert_eq!(found, on_sample(&one, 2, &half).unwrap());
        let two = Power::of_guarantee(&Rational::from(2), &delta);
        assert!(found != on_sample(&two, 2, &half).unwrap());
    }
}
