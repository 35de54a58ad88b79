//! Tails of binomial laws.

use rug::{Float, Integer, Rational};

use crate::kernel::Interval;
use crate::kernel::directed as d;

/// Working precision.
const BITS: u32 = 224;

/// The rest of a sum is bounded once it is at most 2^-this of what was added.
const REST_BITS: u32 = 160;

/// What is at most 2^-this is not looked at further.
const NOTHING_BITS: u32 = 1_200;

/// How many terms are added before the rest is looked at again.
const TERMS_BETWEEN: u32 = 16;

/// Terms that are added at most: more than a sum needs whose variance is at most [`MOST_VARIANCE`].
const MOST_TERMS: u32 = 2_000_000;

/// The largest variance n·q·(1 − q) of a law whose tails are summed.
pub(super) const MOST_VARIANCE: u64 = 1_000_000_000;

/// What a binomial law puts on both sides of a place.
#[derive(Debug, Clone)]
pub(super) struct Tails {
    /// P(X < k).
    pub below: Interval,
    /// P(X ≥ k).
    pub from: Interval,
}

/// P(X < k) and P(X ≥ k) of the number X of successes among `trials`.
///
/// Requires: 0 < `rate` < 1.
/// Ensures: both enclosed, the smaller one with small relative width where the variance is at most [`MOST_VARIANCE`].
pub(super) fn tails(trials: u64, rate: &Rational, k: u64) -> Tails {
    let (zero, one) = (Interval::zero(BITS), Interval::one(BITS));
    if k == 0 {
        let (below, from) = (zero, one);
        return Tails { below, from };
    }
    if k > trials {
        let (below, from) = (one, zero);
        return Tails { below, from };
    }
    if Rational::from(rate * trials) < k {
        let from = upper_tail(trials, rate, k).in_unit();
        Tails {
            below: from.one_minus(),
            from,
        }
    } else {
        // X < k where at least n − k + 1 of the trials fail.
        let failures = trials.saturating_sub(k).saturating_add(1);
        let below = upper_tail(trials, &Rational::from(1 - rate), failures).in_unit();
        Tails {
            from: below.one_minus(),
            below,
        }
    }
}

/// P(X ≥ k) exactly.
///
/// Requires: 0 ≤ `rate` ≤ 1. The cost grows with `trials` squared.
pub(super) fn exact_tail(trials: u64, rate: &Rational, k: u64) -> Rational {
    // Over the common denominator d^n of rate = c/d: the number of the term j is C(n, j)·c^j·(d − c)^{n − j}.
    let (c, d) = (rate.numer(), rate.denom());
    let rest = Integer::from(d - c);
    let mut sum = Integer::new();
    let mut choices = Integer::from(1);
    let mut powers = vec![Integer::from(1)];
    for _ in 0..trials {
        let next = powers.last().map(|last| Integer::from(last * &rest));
        powers.extend(next);
    }
    let mut taken = Integer::from(1);
    let mut whole = Integer::from(1);
    for (j, rests) in (0..=trials).zip(powers.iter().rev()) {
        if j >= k {
            sum += Integer::from(&choices * &taken) * rests;
        }
        choices *= trials.saturating_sub(j);
        choices = choices.div_exact(&Integer::from(j.saturating_add(1)));
        taken *= c;
        if j < trials {
            whole *= d;
        }
    }
    Rational::from((sum, whole))
}

/// Σ_{j ≥ k} P(X = j).
///
/// The ratio P(X = j + 1)/P(X = j) = (n − j)/(j + 1)·q/(1 − q) falls in j, so where it is r < 1 at j all that follows is at
/// most P(X = j)·r/(1 − r).
fn upper_tail(trials: u64, rate: &Rational, k: u64) -> Interval {
    upper_tail_of(MOST_TERMS, trials, rate, k)
}

/// The same with at most so many terms, and the trivial bound of what they leave.
fn upper_tail_of(most_terms: u32, trials: u64, rate: &Rational, k: u64) -> Interval {
    let mut term = mass(trials, rate, k);
    let odds = Interval::from_rational(&(rate / Rational::from(1 - rate)), BITS);
    let mut sum = Interval::zero(BITS);
    let mut j = k;
    for count in 0..most_terms {
        sum = sum.add(&term);
        if j >= trials {
            return sum;
        }
        let left = Interval::from_integer(&Integer::from(trials.saturating_sub(j)), BITS);
        let next = Interval::from_integer(&Integer::from(j.saturating_add(1)), BITS);
        let ratio = odds.mul(&left).div(&next);
        if count.checked_rem(TERMS_BETWEEN) == Some(0) {
            let rest = rest(&term, &ratio);
            let small = Float::with_val(BITS, sum.lo()) >> REST_BITS;
            // Less than any probability that is told apart from 0.
            let nothing = Float::with_val(BITS, 1) >> NOTHING_BITS;
            if *rest.hi() <= small || d::add_up(sum.hi(), rest.hi(), BITS) <= nothing {
                return sum.hull(&sum.add(&rest));
            }
        }
        term = term.mul(&ratio);
        j = j.saturating_add(1);
    }
    sum.hull(&sum.add(&term.hull(&Interval::one(BITS))))
}

/// The rest after a term, where each that follows is at most `ratio` times the one before.
fn rest(term: &Interval, ratio: &Interval) -> Interval {
    let short = ratio.one_minus();
    if short.is_positive() {
        Interval::zero(BITS).hull(&term.mul(ratio).div(&short))
    } else {
        Interval::zero(BITS).hull(&Interval::one(BITS))
    }
}

/// P(X = k) = n!/(k!·(n − k)!)·q^k·(1 − q)^{n − k}.
///
/// Requires: k ≤ n, 0 < q < 1.
pub(super) fn mass(trials: u64, rate: &Rational, k: u64) -> Interval {
    let others = trials.saturating_sub(k);
    let choices = log_factorial(trials)
        .sub(&log_factorial(k))
        .sub(&log_factorial(others));
    let times = |count: u64, chance: &Rational| {
        let count = Interval::from_integer(&Integer::from(count), BITS);
        count.mul(&Interval::from_rational(chance, BITS).ln())
    };
    choices
        .add(&times(k, rate))
        .add(&times(others, &Rational::from(1 - rate)))
        .exp()
}

/// log n! = log Γ(n + 1), which MPFR rounds correctly.
fn log_factorial(n: u64) -> Interval {
    let at = Float::with_val(BITS, Integer::from(n) + 1u32);
    Interval::between_or_line(d::ln_gamma_down(&at, BITS), d::ln_gamma_up(&at, BITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    /// Σ C(n, j)·q^j·(1 − q)^{n − j}, term by term.
    fn by_definition(n: u32, rate: &Rational, k: u32) -> Rational {
        let rest = Rational::from(1 - rate);
        let power = |x: &Rational, e: u32| (0..e).fold(q(1, 1), |product, _| product * x);
        (k..=n)
            .map(|j| power(rate, j) * power(&rest, n - j) * Integer::from(n).binomial(j))
            .sum()
    }

    #[test]
    fn both_ways_agree_with_the_definition() {
        for n in [1u32, 2, 7, 30] {
            for rate in [q(1, 10), q(1, 2), q(7, 9), q(999, 1000)] {
                for k in 0..=n + 2 {
                    let truth = by_definition(n, &rate, k);
                    assert_eq!(
                        exact_tail(n.into(), &rate, k.into()),
                        truth,
                        "{n} {rate} {k}"
                    );
                    let found = tails(n.into(), &rate, k.into());
                    assert!(found.from.contains(&truth), "{n} {rate} {k}");
                    assert!(found.below.contains(&Rational::from(1 - &truth)));
                    for (interval, truth) in
                        [(&found.from, truth.clone()), (&found.below, 1 - truth)]
                    {
                        if truth <= q(1, 2) {
                            let wide = interval.width_up().to_rational().unwrap();
                            assert!(wide <= truth * q(1, 1 << 60), "{n} {rate} {k}");
                        }
                    }
                }
            }
        }
    }

    /// Values of mpmath at 60 digits: P(Bin(10^9, 10^-6) ≥ 1100) and P(Bin(10^6, 1/2) < 499000).
    #[test]
    fn large_laws() {
        let million = tails(1_000_000_000, &q(1, 1_000_000), 1100);
        let digits = |x: &Interval| x.middle().to_string_radix(10, Some(20));
        assert_eq!(digits(&million.from), LARGE_RARE);
        let half = tails(1_000_000, &q(1, 2), 499_000);
        assert_eq!(digits(&half.below), LARGE_HALF);
        for interval in [&million.from, &half.below] {
            let relative = interval.width_up() / interval.middle();
            assert!(relative < 1e-30);
        }
    }

    /// Too few bits, too few terms, or terms that grow at first: the truth is enclosed all the same.
    #[test]
    fn tails_of_few_bits_and_terms() {
        use crate::kernel::coarse::at_most_bits;
        for (n, rate) in [(1u32, q(1, 3)), (7, q(1, 10)), (30, q(1, 2)), (60, q(7, 9))] {
            for k in 1..=n {
                let truth = by_definition(n, &rate, k);
                for bits in [5, 9, 16] {
                    let found = at_most_bits(bits, || tails(n.into(), &rate, k.into()));
                    assert!(found.from.contains(&truth), "{n} {rate} {k} {bits}");
                    assert!(found.below.contains(&Rational::from(1 - &truth)));
                    let mass = at_most_bits(bits, || mass(n.into(), &rate, k.into()));
                    assert!(mass.contains(&(&truth - by_definition(n, &rate, k + 1))));
                }
                for most_terms in [1, 2, 5, 16, 18, 40] {
                    let found = upper_tail_of(most_terms, n.into(), &rate, k.into());
                    assert!(found.contains(&truth), "{n} {rate} {k} {most_terms}");
                }
            }
        }
    }

    /// Random tails, of any number of terms.
    #[test]
    fn random_tails_of_few_bits_and_terms() {
        use crate::kernel::coarse::{Random, at_most_bits};
        let mut random = Random(32);
        for _ in 0..5_000 {
            let n = 1 + random.below(12);
            let k = 1 + random.below(n);
            let rate = q(1 + i64::try_from(random.below(62)).unwrap(), 64);
            let terms = 1 + u32::try_from(random.below(20)).unwrap();
            let bits = 3 + u32::try_from(random.below(20)).unwrap();
            let found = at_most_bits(bits, || upper_tail_of(terms, n, &rate, k));
            let truth = exact_tail(n, &rate, k);
            assert!(found.contains(&truth), "{n} {rate} {k} {terms} {bits}");
        }
    }

    const LARGE_RARE: &str = "9.6262523370015897736e-4";
    const LARGE_HALF: &str = "2.2696167954672128048e-2";
}
