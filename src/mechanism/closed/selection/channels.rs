//! Two candidates: what a dataset can attain at every step of a composition.

use rug::{Float, Rational};

use crate::kernel::Interval;
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::steps::{FiniteLosses, Step};

/// Bits of the probabilities; any are a mechanism of the kind.
const BITS: u32 = 24;
/// Bits of e^ε − 1, which is taken too small.
const RISE_BITS: u32 = 32;
/// A larger ε is taken for this one: e^ε is a number of a million and a half bits there.
const LARGEST_EPSILON: u32 = 1 << 20;

/// Two candidates of the exponential mechanism where the first wins with odds that grow by e^ε: p against p·R/(1 − p + p·R).
///
/// It wins with Q-probability (R − z)/(R − 1) for z = R^share. `None` where numbers are too large.
///
/// Ensures: R ≤ e^ε, so that it is a mechanism with range at most ε.
pub(super) fn of_odds(epsilon: &Epsilon, share: &Rational) -> Option<Step> {
    let (range, likely) = range(epsilon)?;
    let z = likely
        .mul(&Interval::from_rational(share, likely.bits()))
        .exp();
    let range_here = Interval::from_rational(&range, z.bits());
    let one = Interval::one(z.bits());
    let with = range_here.sub(&z).div(&range_here.sub(&one));
    let p = probability(&with.div(&z).middle())?;
    let odds = Rational::from(&p * &range);
    let q = &odds / (Rational::from(1 - &p) + &odds);
    Some(pair(p, q))
}

/// Bits of the two candidates whose divergence of an order is the largest.
#[cfg(feature = "certificates")]
const FINE_BITS: u32 = 200;

/// The two candidates of the exponential mechanism that have the largest divergence of an order t > 1, nearly (J3): with b = e^−ε the likelihood ratio of
/// the first is x = (t − 1)(1 − b^t)/(t(b − b^t)), and it wins with Q-probability (1 − bx)/(1 − b).
///
/// Ensures: R ≤ e^ε for their odds, as for [`of_odds`].
#[cfg(feature = "certificates")]
pub(super) fn of_order(epsilon: &Epsilon, order: &Rational) -> Option<Step> {
    const MOST: u32 = 512;
    let bits = FINE_BITS.saturating_mul(2);
    let log = epsilon.enclose(bits);
    if *log.hi() > MOST || *order > MOST {
        return None;
    }
    let one = Interval::one(bits);
    let number = |x: &Rational| Interval::from_rational(x, bits);
    let t = number(order);
    let (b, power) = (log.neg().exp(), log.mul(&t).neg().exp());
    let less = number(&Rational::from(order - 1u32)).mul(&one.sub(&power));
    let x = less.div(&t.mul(&b.sub(&power)));
    let with = one.sub(&b.mul(&x)).div(&one.sub(&b));
    let short = |x: Interval| x.at_bits(FINE_BITS).lo().to_rational();
    let p = short(with.div(&x)).filter(|p| *p > 0 && *p < 1)?;
    let odds = &p * short(log.exp())?;
    let q = &odds / (Rational::from(1 - &p) + &odds);
    (q > p).then(|| pair(p, q))
}

/// Two candidates of permute-and-flip: the first wins with probability p, e^{distance·ε}/2 or a little off, and R·p, but at most 1 − 1/(4·R·p).
///
/// Ensures: R ≤ e^ε, so that it is moved by at most ε along the distribution function of Laplace noise.
pub(super) fn of_laplace(epsilon: &Epsilon, distance: &Rational) -> Option<Step> {
    let (range, likely) = range(epsilon)?;
    let shift = likely.mul(&Interval::from_rational(distance, likely.bits()));
    let half = Rational::from((1, 2));
    let p = probability(
        &shift
            .exp()
            .mul(&Interval::from_rational(&half, BITS))
            .middle(),
    )?
    .min(half.clone());
    let moved = Rational::from(&p * &range);
    let q = if moved <= half {
        moved
    } else {
        1 - Rational::from(1) / (moved * 4u32)
    };
    Some(pair(p, q))
}

/// A short R with 1 < R ≤ e^ε, and an enclosure of ε, or of a smaller number for which that holds too.
fn range(epsilon: &Epsilon) -> Option<(Rational, Interval)> {
    let most = Interval::from_i64(i64::from(LARGEST_EPSILON), 64);
    let log = epsilon.enclose(64).min(&most);
    let rise = log.exp_m1().at_bits(RISE_BITS);
    let rise = rise.lo().to_rational().filter(|rise| *rise > 0)?;
    Some((rise + 1u32, log))
}

fn probability(x: &Float) -> Option<Rational> {
    let short = Interval::point(x.clone()).at_bits(BITS);
    short.lo().to_rational().filter(|p| *p > 0 && *p < 1)
}

fn pair(p: Rational, q: Rational) -> Step {
    Step::finite(FiniteLosses::TwoOutcomes { p, q })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};
    use crate::mechanism::step::FiniteLosses;

    fn outcomes(step: &Step) -> (Rational, Rational) {
        match step {
            Step::Finite(pair) => match pair.losses() {
                FiniteLosses::TwoOutcomes { p, q } => (p.clone(), q.clone()),
                _ => panic!("two outcomes"),
            },
            _ => panic!("finite"),
        }
    }

    /// Odds grow by R ≤ e^ε; the probabilities of noise move by it along their distribution function, from 1/2 or less.
    #[test]
    fn channels_move_by_no_more_than_epsilon() {
        for (n, d) in [(1, 2), (1, 1), (3, 1), (1, 100)] {
            let epsilon = Epsilon::from(Rational::from((n, d)));
            let most = epsilon.enclose(200).exp();
            for bits in [6, 12, 200] {
                let Some((ratio, _)) = at_most_bits(bits, || range(&epsilon)) else {
                    continue;
                };
                assert!(ratio > 1 && *most.hi() >= ratio, "{n}/{d} {bits}");
                for part in 1..8 {
                    let share = Rational::from((part, 8));
                    if let Some(step) = at_most_bits(bits, || of_odds(&epsilon, &share)) {
                        let (p, q) = outcomes(&step);
                        let odds = |p: &Rational| p / Rational::from(1 - p);
                        assert_eq!(odds(&q), odds(&p) * &ratio, "{n}/{d} {bits}");
                    }
                    for distance in [-Rational::from((part, 4)), Rational::from((part, 4))] {
                        if let Some(step) = at_most_bits(bits, || of_laplace(&epsilon, &distance)) {
                            let (p, q) = outcomes(&step);
                            assert!(p > 0 && p <= Rational::from((1, 2)));
                            assert_eq!(q, moved(&p, &ratio), "{n}/{d} {bits}");
                        }
                    }
                }
            }
        }
    }

    /// Their odds grow by e^ε at most, and no candidates on either side have a larger divergence of the order.
    #[cfg(feature = "certificates")]
    #[test]
    fn candidates_of_the_largest_divergence() {
        for (epsilon, order) in [
            ((1, 2), (3, 1)),
            ((1, 1), (9, 8)),
            ((4, 1), (2, 1)),
            ((1, 50), (40, 1)),
        ] {
            let epsilon = Epsilon::from(Rational::from(epsilon));
            let order = Rational::from(order);
            let most = epsilon.enclose(500).exp();
            let (p, q) = outcomes(&of_order(&epsilon, &order).unwrap());
            let odds = |p: &Rational| p / Rational::from(1 - p);
            let ratio = odds(&q) / odds(&p);
            assert!(ratio <= *most.hi() && &ratio + (Rational::from(1) >> 150u32) > *most.lo());
            let moment = |p: &Rational| {
                let moved = Rational::from(p * &ratio);
                let q = &moved / (Rational::from(1 - p) + &moved);
                let part = |q: Rational, p: Rational| {
                    let (q, p) = (
                        Interval::from_rational(&q, 500),
                        Interval::from_rational(&p, 500),
                    );
                    q.mul(
                        &q.div(&p)
                            .ln()
                            .mul(&Interval::from_rational(
                                &Rational::from(&order - 1u32),
                                500,
                            ))
                            .exp(),
                    )
                };
                part(q.clone(), p.clone()).add(&part(1 - q, Rational::from(1 - p)))
            };
            let best = moment(&p);
            for other in [
                Rational::from(&p * 99u32) / 100u32,
                Rational::from(&p * 100u32) / 99u32,
            ] {
                assert!(moment(&other).hi() < best.lo(), "{order}");
            }
        }
        let epsilon = Epsilon::from(Rational::from(600));
        assert!(of_order(&epsilon, &Rational::from(2)).is_none());
    }

    /// The Laplace tail of probability p ≤ 1/2, moved by the logarithm of the ratio.
    fn moved(p: &Rational, ratio: &Rational) -> Rational {
        let moved = Rational::from(p * ratio);
        match moved <= Rational::from((1, 2)) {
            true => moved,
            false => 1 - Rational::from(1) / (moved * 4u32),
        }
    }

    /// Neither 0 nor 1 is a probability of a candidate that may win and may not.
    #[test]
    fn probabilities_within_their_ends() {
        let at = |x: f64| probability(&Float::with_val(60, x));
        assert!(at(0.5).is_some() && at(1e-9).is_some());
        assert!(at(0.0).is_none() && at(1.0).is_none() && at(1.5).is_none());
    }

    /// The same for any ε and any shares, once each.
    #[test]
    fn random_channels_at_few_bits() {
        let mut random = Random(51);
        let mut made = 0;
        for _ in 0..5_000 {
            let epsilon = Epsilon::from(Rational::from((
                1 + random.below(300),
                1 + random.below(99),
            )));
            let most = epsilon.enclose(200).exp();
            let bits = 4 + u32::try_from(random.below(14)).unwrap();
            let Some((ratio, _)) = at_most_bits(bits, || range(&epsilon)) else {
                continue;
            };
            assert!(ratio > 1 && *most.hi() >= ratio, "{epsilon:?} {bits}");
            let share = Rational::from((1 + random.below(63), 64));
            if let Some(step) = at_most_bits(bits, || of_odds(&epsilon, &share)) {
                let (p, q) = outcomes(&step);
                let odds = |p: &Rational| p / Rational::from(1 - p);
                assert_eq!(odds(&q), odds(&p) * &ratio, "{epsilon:?} {share} {bits}");
                made += 1;
            }
            let distance = Rational::from(&share * 4u32) - 2u32;
            if let Some(step) = at_most_bits(bits, || of_laplace(&epsilon, &distance)) {
                let (p, q) = outcomes(&step);
                assert!(p > 0 && p <= Rational::from((1, 2)));
                assert_eq!(q, moved(&p, &ratio), "{epsilon:?} {distance} {bits}");
                made += 1;
            }
        }
        assert!(made > 2_500, "{made}");
    }

    /// However large ε is, the numbers have so many bits and no more, and the odds grow by no more than e^ε.
    #[test]
    fn numbers_of_large_losses_are_short() {
        let largest = Epsilon::from(Rational::from(LARGEST_EPSILON));
        let (most, _) = range(&largest).unwrap();
        for epsilon in [
            Rational::from(LARGEST_EPSILON + 1),
            Rational::from(1u64 << 40),
        ] {
            let (found, log) = range(&Epsilon::from(epsilon)).unwrap();
            assert_eq!(found, most);
            assert!(log.contains(&Rational::from(LARGEST_EPSILON)));
        }
        assert!(most.numer().significant_bits() < 1_600_000);
        let smaller = range(&Epsilon::from(Rational::from(LARGEST_EPSILON - 1))).unwrap();
        assert!(smaller.0 < most);
    }
}
