//! Groups of records under guarantees.

use rug::{Integer, Rational};

use super::{MOST_RECORDS, guarantee};
use crate::kernel::Interval;
use crate::mechanism::conditions::Conditions;
use crate::mechanism::domain::{OutOfRange, Why};
use crate::mechanism::epsilon::{Epsilon, StatedEpsilon};
use crate::mechanism::step::{FiniteLosses, Step};
use crate::mechanism::steps::Steps;

/// A group of `records ≥ 2` under ε-DP: discrete Laplace noise whose unit is worth ε, shifted by as many units, attained (`proofs/README.md`, N12).
///
/// # Errors
/// If the group is too large.
pub(in crate::mechanism) fn of_pure_dp(
    epsilon: &Epsilon,
    records: u64,
) -> Result<Steps, OutOfRange> {
    let losses = match epsilon.stated() {
        _ if epsilon.is_zero() => FiniteLosses::RandomizedResponse {
            epsilon: epsilon.clone(),
            k: 2,
        },
        StatedEpsilon::Number(epsilon) => FiniteLosses::DiscreteLaplace {
            scale: epsilon.clone().recip(),
            sensitivity: records,
        },
        StatedEpsilon::Exp(u) => geometric(u, records)?,
    };
    Ok(Steps::one(Step::finite(losses), Conditions::GUARANTEE))
}

/// That noise with x = 1/u: mass (1 − x)/(1 + x)·x^|j| at j. All places up to 0 have the same loss, and all from `records` on.
fn geometric(u: &Rational, records: u64) -> Result<FiniteLosses, OutOfRange> {
    small_enough(&StatedEpsilon::Exp(u.clone()), records)?;
    let inverse = u.clone().recip();
    let end = Rational::from(&inverse + 1u32).recip();
    let inside = Rational::from(1 - &inverse) * &end;
    let mut p = vec![end.clone()];
    let mut power = inverse.clone();
    for _ in 1..records {
        p.push(Rational::from(&inside * &power));
        power *= &inverse;
    }
    p.push(end * power);
    let q: Vec<Rational> = p.iter().rev().cloned().collect();
    Ok(FiniteLosses::Pair {
        p: p.into(),
        q: q.into(),
    })
}

/// A group of `records ≥ 2` under (ε, δ)-DP: 1 − (1 − f)^∘k, where 1 − f is the smallest of three lines, attained (`proofs/README.md`, N13 and N15).
///
/// # Errors
/// If the group is too large.
pub(in crate::mechanism) fn of_approx_dp(
    epsilon: &Epsilon,
    delta: &Rational,
    records: u64,
) -> Result<Steps, OutOfRange> {
    if delta.is_zero() {
        return of_pure_dp(epsilon, records);
    }
    small_enough(epsilon.stated(), records)?;
    let points = points(epsilon, delta, records)?;
    let through = |side: fn(&Corner) -> &Rational| {
        let points = points.iter();
        let points = points.map(|corner| (corner.epsilon.clone(), side(corner).clone()));
        let points: Vec<_> = points.filter(|(_, delta)| *delta < 1).collect();
        if points.is_empty() {
            everything()
        } else {
            guarantee(FiniteLosses::Points {
                points: points.into(),
            })
        }
    };
    let most = through(|corner| &corner.delta_up);
    Ok(Steps::between([through(|corner| &corner.delta_down)], most))
}

/// It is said whether the records are there.
fn everything() -> Steps {
    let (zero, one) = (Rational::new(), Rational::from(1));
    guarantee(FiniteLosses::Pair {
        p: vec![one.clone(), zero.clone()].into(),
        q: vec![zero, one].into(),
    })
}

/// Bits of the largest number that is written out.
const MOST_BITS: u64 = 1 << 15;

/// Bits of δ where e^ε is not rational.
const POINT_BITS: u32 = 256;

/// The points ((a − b)ε, 1 − e^{−bε}(1 − δ(S_a + S_b))) of the profile, a + b = `records`, a ≥ b, S_n = 1 + e^ε + … + e^{(n − 1)ε}. Those that say nothing are left out.
pub(super) fn points(
    epsilon: &Epsilon,
    delta: &Rational,
    records: u64,
) -> Result<Vec<Corner>, OutOfRange> {
    let power = |times: u64| match epsilon.stated() {
        StatedEpsilon::Number(epsilon) => Ok(Epsilon::from(Rational::from(
            epsilon * Integer::from(times),
        ))),
        StatedEpsilon::Exp(u) => {
            let mut power = Rational::from(1);
            for _ in 0..times {
                power *= u;
            }
            Epsilon::log_of(power)
        }
    };
    // Of e^{nε} an upper and a lower bound.
    let ends = |n: u64| -> Result<(Rational, Rational), OutOfRange> {
        Ok(match power(n)?.stated() {
            StatedEpsilon::Exp(u) => (u.clone(), u.clone()),
            StatedEpsilon::Number(zero) if zero.is_zero() => (Rational::from(1), Rational::from(1)),
            StatedEpsilon::Number(epsilon) => {
                let u = Interval::from_rational(epsilon, POINT_BITS).exp();
                let end = |end: &rug::Float| end.to_rational().ok_or_else(too_private);
                (end(u.hi())?, end(u.lo())?)
            }
        })
    };
    // S_n and e^{nε}, each from above and from below.
    let mut sums = vec![(Rational::new(), Rational::new())];
    let mut powers = Vec::new();
    let (mut sum_up, mut sum_down) = (Rational::new(), Rational::new());
    for n in 0..records {
        let (above, below) = ends(n)?;
        sum_up += &above;
        sum_down += &below;
        sums.push((sum_up.clone(), sum_down.clone()));
        powers.push((above, below));
    }
    let mut found: Vec<Corner> = Vec::new();
    for b in 0..=(records / 2) {
        let a = records.saturating_sub(b);
        let at = |n: u64| usize::try_from(n).ok().and_then(|n| sums.get(n));
        let place = usize::try_from(b).ok().and_then(|b| powers.get(b));
        let (Some(more), Some(less), Some((above, below))) = (at(a), at(b), place) else {
            continue;
        };
        let left_down: Rational = 1 - Rational::from(&more.0 + &less.0) * delta;
        let left_up: Rational = 1 - Rational::from(&more.1 + &less.1) * delta;
        // e^{−bε} is 1/above from below and 1/below from above; of a gain that is not above 0 nothing is said.
        let (gain_down, gain_up) = (left_down / above, left_up / below);
        if gain_up > 0 {
            let (delta_up, delta_down): (Rational, Rational) = (1 - gain_down, 1 - gain_up);
            found.push(Corner {
                epsilon: power(a.saturating_sub(b))?,
                delta_up: delta_up.min(Rational::from(1)),
                delta_down: delta_down.max(Rational::new()),
            });
        }
    }
    // Without a loss of the first guarantee all points are at 0, and say the same.
    if epsilon.is_zero() {
        found.truncate(1);
    }
    Ok(found)
}

/// A corner of a privacy profile, enclosed.
pub(super) struct Corner {
    pub(super) epsilon: Epsilon,
    pub(super) delta_up: Rational,
    pub(super) delta_down: Rational,
}

pub(super) fn too_private() -> OutOfRange {
    OutOfRange::sentence(
        "records",
        "e^(records * epsilon) is too large to be written out",
    )
    .because(Why::TooLarge)
}

/// Are there few records, and a number of few digits? Powers of it, or of its exponential, are written out.
fn small_enough(epsilon: &StatedEpsilon, records: u64) -> Result<(), OutOfRange> {
    if records > MOST_RECORDS {
        let must = format!("must be at most {MOST_RECORDS} for this guarantee");
        return Err(OutOfRange::new("records", &must).because(Why::TooLarge));
    }
    let bits = |number: &Rational| {
        let bits = number.numer().significant_bits();
        u64::from(bits.max(number.denom().significant_bits())).saturating_mul(records)
    };
    let is_small = match epsilon {
        StatedEpsilon::Exp(u) => bits(u) <= MOST_BITS,
        StatedEpsilon::Number(epsilon) => {
            bits(epsilon) <= MOST_BITS
                && Rational::from(epsilon * Integer::from(records)) <= MOST_BITS
        }
    };
    if is_small { Ok(()) } else { Err(too_private()) }
}

/// A group of `records` under ρ-zCDP is (records²·ρ)-zCDP, and Gaussian noise that is ρ-zCDP has a group that is no better (`proofs/README.md`, N14).
pub(in crate::mechanism) fn of_zcdp(rho: &Rational, records: u64) -> Steps {
    let rho = Rational::from(rho * Integer::from(records).square());
    let mu_squared = Rational::from(&rho * 2u32);
    Steps::between(
        [Steps::one(
            Step::Gaussian { mu_squared },
            Conditions::GUARANTEE,
        )],
        Steps::one(Step::Zcdp { rho }, Conditions::GUARANTEE),
    )
}

#[cfg(test)]
mod tests {
    use rug::ops::Pow;

    use super::*;

    /// A corner of which no number of bits in use tells whether it is above 0 is there: its δ is anything next to 1.
    #[test]
    fn corners_that_may_be_at_one() {
        let epsilon = Epsilon::from(Rational::from(1));
        // (2 + e)·δ is 1 but for 300 bits, more than are in use.
        let sum = Interval::from_i64(1, 300).exp().lo().to_rational().unwrap() + 2u32;
        for parts in [-1i32, 0, 1] {
            let tiny = Rational::from(parts) >> 290u32;
            let delta = Rational::from(sum.recip_ref()) + tiny;
            let found = points(&epsilon, &delta, 3).unwrap();
            let corner = found.last().unwrap();
            assert_eq!(corner.epsilon.exact(), Some(Rational::from(1)));
            assert_eq!(corner.delta_up, 1);
            assert!(corner.delta_down < 1 && corner.delta_down >= Rational::from((99, 100)));
        }
        // And one that is beyond 1 is left out.
        let beyond = Rational::from((1, 4));
        assert!(points(&epsilon, &beyond, 3).unwrap().is_empty());
    }

    /// Both ends of a corner are around the truth, by the last of the bits in use: 1 − (1 − (2 + e)·δ)/e.
    #[test]
    fn corners_are_rounded_to_their_sides() {
        for exponent in [2u32, 6, 20] {
            let delta = Rational::from((1, Integer::from(10).pow(exponent)));
            let found = points(&Epsilon::from(Rational::from(1)), &delta, 3).unwrap();
            let corner = found.last().unwrap();
            let u = Interval::from_i64(1, 900).exp();
            let sum = Interval::from_i64(2, 900).add(&u);
            let left = sum.mul(&Interval::from_rational(&delta, 900)).one_minus();
            let truth = left.div(&u).one_minus();
            assert!(*truth.lo() >= corner.delta_down && *truth.hi() <= corner.delta_up);
            let width = Rational::from(&corner.delta_up - &corner.delta_down);
            assert!(width <= Rational::from(1) >> 250u32);
        }
    }

    /// With e^ε in few digits all is exact.
    #[test]
    fn corners_in_exact_numbers() {
        let epsilon = Epsilon::log_of(Rational::from(2)).unwrap();
        let delta = Rational::from((1, 100));
        let found = points(&epsilon, &delta, 3).unwrap();
        // 1 − 2^−b·(1 − (S_a + S_b)/100) with S_n = 2^n − 1.
        let truth = [
            Rational::from((7, 100)),
            Rational::from(1) - Rational::from((96, 200)),
        ];
        assert_eq!(found.len(), 2);
        for (corner, truth) in found.iter().zip(truth) {
            assert_eq!(corner.delta_up, truth);
            assert_eq!(corner.delta_down, truth);
        }
    }
}
