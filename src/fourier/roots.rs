//! Which roots of unity a line must take (I2).

use rug::Float;

use super::arcs::{Arcs, Found};
use super::decay::{Decay, NARROW, WIDE, zones};
use super::fixed::ERROR_BITS;
use super::tilted::Tilted;
use crate::kernel::directed as d;
use crate::kernel::{Budget, Failure, Interval, Pick, in_parallel};

/// More nodes than these take too long, and more atoms times nodes: of few steps, where squarings are fast, and of many.
const MOST: [u64; 2] = [2000, 1 << 20];
const MOST_OF_MANY: [u64; 2] = [8000, 200_000_000];
/// So many steps are many.
const MANY_STEPS: u64 = 1 << 14;
/// −log of what the roots left out may add, relative to g.
const LEFT_OUT: u32 = 48;
/// So many times that is as good as nothing.
const PLENTY: u32 = 4;
/// So many parts are looked at root by root; of more some fall fast enough anyway.
const FEW_PARTS: usize = 16;
/// Arcs that reach over less than this share of their first root are cut no more.
const NARROWEST: u64 = 128;
/// Values that are looked at.
const MOST_VALUES: u32 = 400;

/// How many conjugate pairs of roots to take, and at least the log of |χ| at all others.
///
/// An even period has the root −1, which is not one of a pair: no line.
pub(super) fn nodes_needed(
    parts: &[(Tilted, u64)],
    period: u64,
    jobs: usize,
    budget: &Budget,
) -> Result<Option<(u64, Float)>, Failure> {
    if period.is_multiple_of(2) {
        return Ok(None);
    }
    let last = period / 2;
    let factors = in_parallel(parts, jobs, |(law, times)| {
        let arcs = if parts.len() <= FEW_PARTS {
            Arcs::new(law)
        } else {
            None
        };
        Ok((Decay::new(law), arcs, *times))
    })?;
    let mut values = if parts.len() <= FEW_PARTS {
        MOST_VALUES
    } else {
        0
    };
    let all = Factors {
        factors,
        period,
        turn: turn(period),
        plenty: -Float::with_val(ERROR_BITS, LEFT_OUT * PLENTY),
    };
    let wanted = -Float::with_val(ERROR_BITS, LEFT_OUT);
    let mut worst = d::neg_infinity(ERROR_BITS);
    let mut count = last;
    // Inwards from w = −1: the last zone is the outermost one that is left.
    let mut left = zones(1, last, WIDE);
    while let Some(zone) = left.pop() {
        budget.check()?;
        let (from, to) = zone;
        let mut log = all.log_up(zone);
        let middle = middle(zone);
        if log > wanted && values > 0 {
            values = values.saturating_sub(1);
            let (whole, hint) = all.log_by_values_up(zone);
            log = log.smaller(&whole);
            // The middle itself must be taken, and all within.
            if log > wanted && hint > wanted {
                left.clear();
                if to > middle && is_long(zone, NARROWEST) {
                    left.push((middle.saturating_add(1), to));
                }
                continue;
            }
        }
        if log <= wanted {
            worst = worst.larger(&log);
            count = from.saturating_sub(1);
        } else if is_long(zone, if values > 0 { NARROWEST } else { NARROW }) {
            left.push((from, middle));
            left.push((middle.saturating_add(1), to));
        } else {
            break;
        }
    }
    let atoms = parts.iter().map(|(law, _)| law.weights.len());
    let work = u64::try_from(atoms.sum::<usize>()).unwrap_or(u64::MAX);
    let steps = parts
        .iter()
        .fold(0u64, |sum, (_, times)| sum.saturating_add(*times));
    let [nodes, products] = if steps < MANY_STEPS {
        MOST
    } else {
        MOST_OF_MANY
    };
    let is_fast = count <= nodes && count.saturating_mul(work) <= products;
    Ok(is_fast.then_some((count, worst)))
}

/// May a zone be cut in two?
fn is_long((from, to): (u64, u64), share: u64) -> bool {
    to > from && (to - from).saturating_mul(share) >= from
}

fn middle((from, to): (u64, u64)) -> u64 {
    from.midpoint(to)
}

/// What bounds the characteristic functions of all parts.
struct Factors {
    factors: Vec<(Decay, Option<Arcs>, u64)>,
    period: u64,
    turn: Interval,
    /// Less is as good as nothing.
    plenty: Float,
}

impl Factors {
    /// At least log |χ| of all parts at all roots of a zone.
    fn log_up(&self, (from, to): (u64, u64)) -> Float {
        let arc = arc(&self.turn, from, to);
        // Each is at most 0, so that some of them bound the sum; of many, a few are enough.
        let mut log = Float::new(ERROR_BITS);
        for (decay, _, times) in &self.factors {
            log = log_of_product_up(&log, &decay.log_up(&arc), *times);
            if log < self.plenty {
                break;
            }
        }
        log
    }

    /// The same from values in the middle of the zone, and about what it is there.
    fn log_by_values_up(&self, zone: (u64, u64)) -> (Float, Float) {
        let (from, to) = zone;
        let place = (from, middle(zone), to);
        let zero = Float::new(ERROR_BITS);
        let (mut log, mut hint) = (zero.clone(), zero.clone());
        for (_, arcs, times) in &self.factors {
            let found = arcs.as_ref();
            let found = found.and_then(|arcs| arcs.at(place, self.period, self.turn.hi()));
            let Some(Found { whole_up, middle }) = found else {
                continue;
            };
            let logs = [whole_up, middle].map(|x| d::ln_up(&x, ERROR_BITS).smaller(&zero));
            let [whole, middle] = logs;
            log = log_of_product_up(&log, &whole, *times);
            hint = log_of_product_up(&hint, &middle, *times);
        }
        (log, hint)
    }
}

/// From at most n = `from` turns to at least `to` of them.
fn arc(turn: &Interval, from: u64, to: u64) -> (Float, Float) {
    let angle = |n: u64| turn.mul(&Interval::from_integer(&n.into(), ERROR_BITS));
    (angle(from).lo().clone(), angle(to).hi().clone())
}

/// At least log + times·one.
///
/// Requires: one ≤ 0.
fn log_of_product_up(log: &Float, one: &Float, times: u64) -> Float {
    let size = Float::with_val(one.prec(), -one);
    let times = Float::with_val(ERROR_BITS, times);
    d::add_up(log, &-d::mul_down(&size, &times, ERROR_BITS), ERROR_BITS)
}

/// 2π/period.
fn turn(period: u64) -> Interval {
    use rug::{float::Constant::Pi, float::Round};
    let pi = [Round::Down, Round::Up].map(|round| Float::with_val_round(ERROR_BITS, Pi, round).0);
    let [low, high] = pi;
    Interval::between_or_line(low, high)
        .mul(&Interval::from_i64(2, ERROR_BITS))
        .div(&Interval::from_integer(&period.into(), ERROR_BITS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};

    #[test]
    fn turns_enclose_theirs() {
        for period in [1u64, 3, 5, 101, 4095, (1 << 40) + 1] {
            let exact = Float::with_val(400, rug::float::Constant::Pi) * 2u32 / period;
            let found = turn(period);
            assert!(*found.lo() < exact && exact < *found.hi(), "{period}");
        }
        // Of π itself, not only of what the division leaves.
        assert!(*turn(2).lo() < Float::with_val(400, rug::float::Constant::Pi));
        assert!(*turn(2).hi() > Float::with_val(400, rug::float::Constant::Pi));
    }

    #[test]
    fn arcs_reach_over_their_ends() {
        let tau = Float::with_val(400, rug::float::Constant::Pi) * 2u32;
        for period in [1u64, 3, 101, 4095, (1 << 40) + 1] {
            for (from, to) in [(0, 1), (1, 2), (3, 50), (7, 1 << 39)] {
                let exact = |n: u64| Float::with_val(400, &tau * n) / period;
                for bits in [2, 3, 5, 8, 64] {
                    let (low, high) = at_most_bits(bits, || arc(&turn(period), from, to));
                    assert!(
                        low <= exact(from) && high >= exact(to),
                        "{from}..{to} of {period}"
                    );
                    assert!(
                        bits < 64 || high.to_f64() - exact(to).to_f64() <= 1e-9 * high.to_f64()
                    );
                }
            }
        }
    }

    #[test]
    fn logs_of_products_are_bounded_from_above() {
        let mut random = Random(44);
        for _ in 0..2_000 {
            let most = [2, 1 << 20][usize::from(random.once_in(2))];
            let mut number = || random.below(most);
            let (log, one, times) = (number(), number(), number());
            let [x, y] = [log, one].map(|n| -Float::with_val(64, n));
            let truth = -Float::with_val(200, log) - Float::with_val(200, one) * times;
            for bits in [2, 3, 4, 7, 64] {
                let found = at_most_bits(bits, || log_of_product_up(&x, &y, times));
                assert!(
                    found >= truth,
                    "{log} {one} {times} at {bits} bits: {found}"
                );
            }
        }
    }
}

#[cfg(test)]
#[path = "roots_tests.rs"]
mod twins;
