//! Which roots of unity a line must take (I2).

use rug::Float;
use rug::float::Round;

use super::arcs::{Arcs, Found};
use super::decay::{self, ARC_DIGITS, Arc, Decay, NARROW, WIDE, zones};
use super::fixed::{ERROR_BITS, FRACTION};
use super::tilted::Tilted;
use crate::kernel::directed as d;
use crate::kernel::{Budget, Failure, Interval, Pick, in_parallel};

/// Which lines are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roots {
    /// Those of which windows and rows show that few roots will do.
    Usual,
    /// Those of which values on arcs show it, too.
    ByValues,
}

/// More nodes than these take too long, and more atoms times nodes.
const MOST: u64 = 2000;
const MOST_OF_MANY: u64 = 8000;
const MOST_WORK: u64 = 200_000_000;
/// The same where only values show how few there are, of few steps: squarings would be as fast, for what is asked at first.
const MOST_BY_VALUES: u64 = 8000;
const MOST_WORK_BY_VALUES: u64 = 1 << 24;
/// So many steps are many: by squarings they take long.
pub const MANY_STEPS: u64 = 1 << 14;
/// So many times that is as good as nothing.
const PLENTY: u32 = 4;
/// Of fewer roots than these, values on arcs cost more than they save.
const MANY_ROOTS: u64 = 48;
/// So many parts are looked at on arcs; of more some fall fast enough anyway.
const FEW_PARTS: usize = 16;
/// Arcs that reach over less than this share of their first root are cut no more.
const NARROWEST: u64 = 128;
/// Zones that follow one another are wider after so many.
const OFTEN: u32 = 3;
/// Values that are looked at, and of how many roots one of them.
const MOST_VALUES: u64 = 400;
const ROOTS_OF_A_VALUE: u64 = 4;

/// How many conjugate pairs of roots to take, and at least the log of |χ| at all others, where e^−`left_out` is little enough.
///
/// An even period has the root −1, which is not one of a pair: no line.
pub(super) fn nodes_needed(
    parts: &[(Tilted, u64)],
    (period, left_out): (u64, u32),
    roots: Roots,
    jobs: usize,
    budget: &Budget,
) -> Result<Option<(u64, Float)>, Failure> {
    if period.is_multiple_of(2) {
        return Ok(None);
    }
    let all = Factors::new(parts, (period, left_out), jobs)?;
    let found = all.left_out(period / 2, budget)?;
    let limits = Limits::of(parts);
    let is_few = limits.allow(found.0);
    if found.0 < MANY_ROOTS || parts.len() > FEW_PARTS || !is_few && roots == Roots::Usual {
        return Ok(is_few.then_some(found));
    }
    let most = MOST_VALUES.min(found.0 / ROOTS_OF_A_VALUE);
    let values = Values::new(parts, (period, most), jobs)?;
    let found = all.left_out_by_values(&values, found, budget)?;
    let is_few = is_few || limits.allow_by_values(found.0);
    Ok(is_few.then_some(found))
}

/// What is fast enough.
struct Limits {
    are_many: bool,
    /// Atoms of all parts.
    atoms: u64,
}

impl Limits {
    fn of(parts: &[(Tilted, u64)]) -> Self {
        let atoms = parts.iter().map(|(law, _)| law.weights.len());
        let steps = parts.iter().map(|(_, times)| *times);
        Self {
            are_many: steps.fold(0, u64::saturating_add) >= MANY_STEPS,
            atoms: u64::try_from(atoms.sum::<usize>()).unwrap_or(u64::MAX),
        }
    }

    fn allow(&self, count: u64) -> bool {
        let most = if self.are_many { MOST_OF_MANY } else { MOST };
        self.is_at_most(count, most, MOST_WORK)
    }

    fn allow_by_values(&self, count: u64) -> bool {
        if self.are_many {
            return self.allow(count);
        }
        self.is_at_most(count, MOST_BY_VALUES, MOST_WORK_BY_VALUES)
    }

    fn is_at_most(&self, count: u64, most: u64, work: u64) -> bool {
        count <= most && count.saturating_mul(self.atoms) <= work
    }
}

/// May a zone be cut in two?
fn is_long((from, to): (u64, u64)) -> bool {
    to > from && to.abs_diff(from).saturating_mul(NARROWEST) >= from
}

fn middle((from, to): (u64, u64)) -> u64 {
    from.midpoint(to)
}

fn length((from, to): (u64, u64)) -> u64 {
    to.saturating_sub(from).saturating_add(1)
}

/// The last of so many roots: a share of them, but no more than the longest zone, and one at least.
fn last_zone(count: u64, share: u64, longest: u64) -> (u64, u64) {
    let length = (count / share.saturating_add(1)).min(longest).max(1);
    (count.saturating_sub(length).saturating_add(1), count)
}

/// What bounds the characteristic functions of all parts.
struct Factors {
    factors: Vec<(Decay, u64)>,
    turn: Interval,
    words: Turn,
    /// No more may be left out.
    wanted: Float,
    /// Less is as good as nothing.
    plenty: Float,
}

/// Values of them.
struct Values {
    arcs: Vec<(Option<Arcs>, u64)>,
    period: u64,
    /// So many are looked at.
    most: u64,
}

impl Factors {
    fn new(
        parts: &[(Tilted, u64)],
        (period, left_out): (u64, u32),
        jobs: usize,
    ) -> Result<Self, Failure> {
        let factors = in_parallel(parts, jobs, |(law, times)| Ok((Decay::new(law), *times)))?;
        let turn = turn(period);
        Ok(Self {
            factors,
            words: Turn::of(&turn),
            turn,
            wanted: -Float::with_val(ERROR_BITS, left_out),
            plenty: -(Float::with_val(ERROR_BITS, left_out) * PLENTY),
        })
    }

    /// How many of the roots 1, …, `last` are taken, and at least the log of |χ| at all others.
    fn left_out(&self, last: u64, budget: &Budget) -> Result<(u64, Float), Failure> {
        let mut worst = d::neg_infinity(ERROR_BITS);
        let mut count = last;
        // Inwards from w = −1, in narrow zones where wide ones say too little.
        for (from, to) in zones(1, last, WIDE).into_iter().rev() {
            budget.check()?;
            let whole = self.log_up((from, to));
            if whole <= self.wanted {
                worst = worst.larger(&whole);
                count = from.saturating_sub(1);
                continue;
            }
            for (from, to) in zones(from, to, NARROW).into_iter().rev() {
                budget.check()?;
                let log = self.log_up((from, to));
                if log > self.wanted {
                    return Ok((count, worst));
                }
                worst = worst.larger(&log);
                count = from.saturating_sub(1);
            }
        }
        Ok((count, worst))
    }

    /// As many or fewer, by values in the middle of arcs: from the last roots inwards, each arc as long as the one before it could be, or half as long until it says enough.
    ///
    /// Requires: `worst` is at least the log of |χ| at the roots from number `count` + 1 to the last.
    /// Ensures: so it is of the answer.
    fn left_out_by_values(
        &self,
        values: &Values,
        (mut count, mut worst): (u64, Float),
        budget: &Budget,
    ) -> Result<(u64, Float), Failure> {
        let mut patience = values.most;
        // The next zone is this share of the roots that are left, and at most as long as those that may be left out still.
        let mut share = WIDE;
        let mut longest = count;
        let mut alike = 0u32;
        while longest > 0 {
            budget.check()?;
            // Where windows and rows say too little farther out they hardly say more here.
            let Some(rest) = patience.checked_sub(1) else {
                break;
            };
            patience = rest;
            let zone = last_zone(count, share, longest);
            let (log, hint) = values.log_up(zone, &self.turn);
            if log <= self.wanted {
                worst = worst.larger(&log);
                longest = longest.saturating_sub(length(zone));
                count = zone.0.saturating_sub(1);
                // Nearer roots hardly ever have less room.
                alike = alike.saturating_add(1);
                if alike >= OFTEN && share > WIDE {
                    (share, alike) = (share / 2, 0);
                }
                continue;
            }
            if !is_long(zone) {
                break;
            }
            // What is as large in the middle must be taken there, and all within.
            if hint > self.wanted {
                longest = zone.1.saturating_sub(middle(zone));
            }
            (share, alike) = (share.saturating_mul(2), 0);
        }
        Ok((count, worst))
    }

    /// At least log |χ| of all parts at all roots of a zone.
    fn log_up(&self, (from, to): (u64, u64)) -> Float {
        let arc = self.words.arc(from, to);
        // Each is at most 0, so that some of them bound the sum; of many, a few are enough.
        let mut log = Float::new(ERROR_BITS);
        for (decay, times) in &self.factors {
            let plenty = Float::with_val(ERROR_BITS, &self.plenty / *times);
            log = log_of_product_up(&log, &decay.log_up(arc, &plenty), *times);
            if log < self.plenty {
                break;
            }
        }
        log
    }
}

impl Values {
    fn new(
        parts: &[(Tilted, u64)],
        (period, most): (u64, u64),
        jobs: usize,
    ) -> Result<Self, Failure> {
        let arcs = in_parallel(parts, jobs, |(law, times)| Ok((Arcs::new(law), *times)))?;
        Ok(Self { arcs, period, most })
    }

    /// At least log |χ| of all parts at all roots of a zone, and about what it is in the middle of it.
    fn log_up(&self, zone: (u64, u64), turn: &Interval) -> (Float, Float) {
        let (from, to) = zone;
        let place = (from, middle(zone), to);
        let zero = Float::new(ERROR_BITS);
        let (mut log, mut hint) = (zero.clone(), zero.clone());
        for (arcs, times) in &self.arcs {
            let found = arcs.as_ref();
            let found = found.and_then(|arcs| arcs.at(place, self.period, turn.hi()));
            let Some(Found { whole_up, middle }) = found else {
                // Of such a part nothing is known but that it is at most 1.
                hint = d::neg_infinity(ERROR_BITS);
                continue;
            };
            let logs = [whole_up, middle].map(|x| decay::log_up(&x));
            let [whole, middle] = logs;
            log = log_of_product_up(&log, &whole, *times);
            hint = log_of_product_up(&hint, &middle, *times);
        }
        (log, hint)
    }
}

/// 2π/period in units of 2^−120.
struct Turn {
    down: u128,
    up: u128,
}

impl Turn {
    /// Nothing is known of what does not fit.
    fn of(turn: &Interval) -> Self {
        let units = |x: &Float, round| {
            let scaled = Float::with_val(x.prec(), x << FRACTION);
            let (whole, _) = scaled.to_integer_round(round)?;
            whole.to_u128()
        };
        Self {
            down: units(turn.lo(), Round::Down).unwrap_or(0),
            up: units(turn.hi(), Round::Up).unwrap_or(u128::MAX),
        }
    }

    /// From at most n = `from` turns to at least `to` of them.
    ///
    /// Requires: those are at most 16.
    fn arc(&self, from: u64, to: u64) -> Arc {
        let whole = |units: u128| u64::try_from(units >> (FRACTION - ARC_DIGITS)).ok();
        let from = self.down.checked_mul(from.into()).and_then(whole);
        let to = self.up.checked_mul(to.into()).and_then(whole);
        Arc {
            from_down: from.unwrap_or(0),
            to_up: to.map_or(u64::MAX, |to| to.saturating_add(1)),
        }
    }
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
    use rug::float::Constant::Pi;
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

    /// Zones end where the roots do that are left, and are no longer than they may be.
    #[test]
    fn zones_are_the_last_roots() {
        let mut random = Random(46);
        for _ in 0..1_000 {
            let count = 1 + random.below(1 << 12);
            let (share, longest) = (WIDE << random.below(8), 1 + random.below(1 << 10));
            let (from, to) = last_zone(count, share, longest);
            assert!(to == count && 1 <= from && from <= to, "{count} {share}");
            let length = length((from, to));
            assert_eq!(length, (from..=to).count() as u64);
            assert!(length == 1 || length <= longest && length * share <= count);
        }
    }

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
                // More than twice around there is none.
                let to = to.min(2 * period);
                let real = |units: u64| Float::with_val(400, units) >> ARC_DIGITS;
                for bits in [2, 3, 5, 8, 64] {
                    let arc = at_most_bits(bits, || Turn::of(&turn(period)).arc(from, to));
                    let (low, high) = (real(arc.from_down), real(arc.to_up));
                    assert!(
                        low <= exact(from) && high >= exact(to),
                        "{from}..{to} of {period}"
                    );
                    assert!(bits < 64 || high - exact(to) <= 1e-9 * exact(to) + 1e-17);
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
