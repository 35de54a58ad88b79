//! Lines in the complex plane for the tail sums of a composition.

use std::sync::{Arc, Mutex, PoisonError};

use rug::{Float, Rational};

use super::float_law::FloatLaw;
use super::level::Level;
use super::{Demand, Orders, Units};
use crate::float::elementary::{ln, ln_1p, powi};
use crate::float::{Cumulants, Tilt, seam, tilts};
use crate::fourier::{LineHint, LineHints, MANY_STEPS, Outlook, Places, Roots, Sum};
use crate::kernel::about;

/// The laws of all steps, in floats.
#[derive(Debug)]
pub(super) struct Laws {
    laws: Vec<FloatLaw>,
    /// What was seen of the order stated, and of the other one.
    known: [Mutex<Vec<Tilt>>; 2],
    /// What was looked for, in which order, and the tilt that was found.
    found: Mutex<Vec<(Level, bool, f64, Tilt)>>,
}

/// −log of the tail mass at which the first line on either side is centred: one line is to serve for what is usually asked. Where large losses are rare, the laws that are tilted as far are theirs.
const NEAREST: f64 = 8.0;
const NEAREST_OF_RARE: f64 = 1.2;
/// −log of the relative accuracy that a line may lose at the ends of its stretch: fixed point has plenty.
const LOSS: f64 = 20.0;
/// −log of what aliases may add, relative to a tail sum.
const ALIAS: f64 = 25.0;
/// −log of what the roots left out may add, relative to the total at the tilt.
const LEFT_OUT: u32 = 48;
/// The same where so few cells tell that few digits are asked for.
const LEFT_OUT_OF_COARSE: u32 = 40;
const COARSE: u64 = 4096;
/// The farther tilt is so many inverse standard deviations away, whichever is best.
const FARTHER: [f64; 6] = [0.5, 1.0, 2.0, 3.0, 5.0, 8.0];

/// The tilt for the aliases on the near side is so many inverse standard deviations below −1, whichever is best.
const BACKWARD: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];

/// −log of probabilities that are looked at, at least, and beyond what tails may lose.
const FARTHEST: f64 = 90.0;
const BEYOND: f64 = 40.0;

/// Lines for all losses of a probability that matters; `None` for laws that are too narrow or too wide for floats.
pub fn lines(
    sum: &Sum,
    demand: Demand,
    orders: Orders,
    (roots, are_rare): (Roots, bool),
) -> Option<LineHints> {
    let farthest = (BEYOND - ln(demand.tail.max(1e-307))).max(FARTHEST);
    let laws = Laws::of(sum.parts().iter().map(FloatLaw::of).collect());
    let is_usual = !are_rare && laws.is_about_normal();
    let nearest = if is_usual { NEAREST } else { NEAREST_OF_RARE };
    let step = sum.step().to_f64();
    let total = |c: f64| laws.cumulants(c);
    let tilts = tilts(&total, (nearest, farthest), LOSS)?;
    let mut hints = Vec::with_capacity(tilts.len());
    let (mut on_left, mut on_right) = (None, None);
    let (first, last) = (tilts.first()?, tilts.last()?);
    let mut from = (first.1.log_total + farthest) / (first.0 + 1.0);
    let end = (last.1.log_total + farthest) / last.0;
    let backward = backward(&total);
    let sd = total(0.0).variance.sqrt();
    let steps = sum.parts().iter().map(|(_, times)| *times);
    let are_many = steps.fold(0, u64::saturating_add) >= MANY_STEPS;
    let may_be_blunt = are_many || roots == Roots::ByValues;
    for (i, tilt) in tilts.iter().enumerate() {
        let next = tilts.get(i + 1);
        let to = next.map_or(end, |next| seam(*tilt, *next));
        let middle = from / 2.0 + to / 2.0;
        if tilt.0 < -1.0 {
            on_left = Some(middle);
        } else if tilt.0 > 0.0 {
            on_right = on_right.or(Some(middle));
        }
        let usual = hint(&total, *tilt, (from, to), (step, farthest), &backward)?;
        if may_be_blunt
            && tilt.0 > 0.0
            && tilt.0 * sd < RARE
            && let Some(one) = blunt(&total, (step, demand.tail), &backward)
            && one.period < usual.period / 2
        {
            on_right = Some(one.to.to_f64() / 2.0);
            hints.push(one);
            break;
        }
        hints.push(usual);
        from = to;
    }
    let probes = match orders {
        Orders::Same => vec![on_right?],
        // Where a bound of the order that trails will do, lines on the left are hardly asked for.
        Orders::Apart if laws.trails_far() => vec![on_right?],
        Orders::Apart => vec![on_left?, on_right?],
    };
    if demand.units == Units::Usual && demand.cells <= COARSE {
        for hint in &mut hints {
            hint.left_out = LEFT_OUT_OF_COARSE;
        }
    }
    Some(LineHints {
        lines: hints,
        roots,
        where_missed: Roots::ByValues,
        negligible: Float::with_val(53, demand.tail),
        jobs: demand.jobs,
        probes: probes
            .into_iter()
            .map(|loss| Float::with_val(53, loss))
            .collect(),
        places: Some(Arc::new(laws)),
    })
}

/// Where most is asked for.
const USUAL_LEVEL: f64 = 1e-5;

/// Places of levels are as near as this in the logarithm of the level.
const NEAR: f64 = 1e-3;
/// A mean is moved to a loss in so many steps at most.
const STEPS: u32 = 16;
/// Logarithms of different things at one tilt are apart by about so much.
const OTHER_LEVEL: f64 = 3.0;

impl Laws {
    pub(super) fn of(laws: Vec<FloatLaw>) -> Self {
        Self {
            laws,
            known: Default::default(),
            found: Mutex::default(),
        }
    }

    fn cumulants(&self, c: f64) -> Cumulants {
        let zero = Cumulants {
            log_total: 0.0,
            mean: 0.0,
            variance: 0.0,
        };
        let laws = self.laws.iter();
        laws.fold(zero, |sum, law| sum.plus(law.cumulants(c)))
    }

    /// Those of an order: the other one has the losses −L, and the tilt −1 − t.
    fn toward(&self, t: f64, is_swapped: bool) -> Cumulants {
        match is_swapped {
            false => self.cumulants(t),
            true => self.cumulants(-1.0 - t).negated(),
        }
    }

    /// Is the variance about the same four standard deviations farther? Where few steps make the large losses it grows.
    fn is_about_normal(&self) -> bool {
        let here = self.cumulants(0.0).variance;
        self.cumulants(4.0 / here.sqrt()).variance < 2.0 * here
    }

    /// Is the other order so far below the one stated that a bound shows it?
    fn trails_far(&self) -> bool {
        let place = self.place_of_delta(ln(USUAL_LEVEL), false);
        let place = place.map(|epsilon| Float::with_val(53, epsilon));
        let seen = place.and_then(|epsilon| self.outlook(&epsilon, true));
        seen.is_some_and(|seen| seen.tilt.is_some())
    }

    /// The ε > 0 where the logarithm of δ is about `wanted`.
    pub(super) fn place_of_delta(&self, wanted: f64, is_swapped: bool) -> Option<f64> {
        self.place(Level::Delta, wanted, is_swapped)
    }

    /// The ε where the logarithm of what is looked for is about `wanted`, by the normal law that is tilted there.
    fn place(&self, what: Level, wanted: f64, is_swapped: bool) -> Option<f64> {
        let mut known = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let alike = known.iter().filter(|one| one.1 == is_swapped);
        let away = |one: &&(Level, bool, f64, Tilt)| {
            let other = if one.0 == what { 0.0 } else { OTHER_LEVEL };
            (one.2 - wanted).abs() + other
        };
        let nearest = alike.min_by(|a, b| away(a).total_cmp(&away(b)));
        let total = |t: f64| self.toward(t, is_swapped);
        let is_known = |level: Level, of: f64| level == what && of == wanted;
        let (tilt, at) = match nearest {
            Some((level, _, of, (_, at))) if is_known(*level, *of) => {
                return Some(at.mean).filter(|epsilon| *epsilon > 0.0);
            }
            Some((.., (start, _))) => what.tilt_from(*start, wanted, NEAR, &total)?,
            None => what.tilt(wanted, NEAR, &total)?,
        };
        if known.len() < MOST_FOUND {
            known.push((what, is_swapped, wanted, (tilt, at)));
        }
        Some(at.mean).filter(|epsilon| *epsilon > 0.0)
    }
}

impl Laws {
    fn about(&self, what: Level, level: &Float, is_swapped: bool) -> Option<Float> {
        let wanted = about::ln(Float::with_val(64, level)).to_f64();
        let place = self.place(what, wanted, is_swapped)?;
        Some(Float::with_val(53, place))
    }
}

impl Places for Laws {
    fn of_delta(&self, level: &Float, is_swapped: bool) -> Option<Float> {
        self.about(Level::Delta, level, is_swapped)
    }

    fn of_tail(&self, level: &Float, is_swapped: bool) -> Option<Float> {
        self.about(Level::NullTail, level, is_swapped)
    }

    fn outlook(&self, loss: &Float, is_swapped: bool) -> Option<Outlook> {
        let epsilon = loss.to_f64();
        let other = self.seen(epsilon, !is_swapped)?;
        let Some(own) = self.seen(epsilon, is_swapped) else {
            return self.out_of_reach(epsilon, is_swapped, &other);
        };
        let bound = log_bound(own.tilt, &own.at, epsilon);
        let reach = REACH * own.at.variance.min(other.at.variance).sqrt();
        let end = |x: f64| Float::with_val(53, x);
        let is_enough = bound + SPARE + other.doubt < other.log_delta;
        Some(Outlook {
            from: end((epsilon - reach).max(0.0)),
            to: end(epsilon + reach),
            trails: own.log_delta + CLEARLY + own.doubt + other.doubt < other.log_delta,
            tilt: is_enough.then(|| short(own.tilt)).flatten(),
        })
    }
}

/// So many tilts are kept.
const MOST_FOUND: usize = 64;
/// An outlook serves losses so many standard deviations away, of the narrower order.
const REACH: f64 = 0.5;
/// The logarithm of what a bound may lose there and floats may be off by, and that of a δ that is clearly larger.
const SPARE: f64 = 0.4;
const CLEARLY: f64 = 0.4;

/// About δ at a loss.
struct AtLoss {
    tilt: f64,
    at: Cumulants,
    log_delta: f64,
    /// By how much the logarithm of δ may be off, beyond what a normal law is: where rare large losses make the law that is tilted there so many times as wide as the law itself.
    doubt: f64,
}

impl Laws {
    /// About δ at an ε > 0, by the normal law whose tilt moves the mean there; `None` in the bulk of the law.
    fn seen(&self, epsilon: f64, is_swapped: bool) -> Option<AtLoss> {
        let [stated, swapped] = &self.known;
        let known = if is_swapped { swapped } else { stated };
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() {
            known.push((0.0, self.toward(0.0, is_swapped)));
        }
        let untilted = known.first()?.1.variance;
        let away = |(_, at): &Tilt| (epsilon - at.mean).abs() / at.variance.sqrt();
        let nearest = known.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
        let (mut tilt, mut at) = *nearest?;
        for _ in 0..STEPS {
            if tilt > 0.0 && away(&(tilt, at)) < NEARBY {
                let (log_delta, _) = Level::Delta.at(tilt, at);
                return Some(AtLoss {
                    tilt,
                    log_delta: log_delta - tilt * (epsilon - at.mean),
                    doubt: ln(at.variance / untilted).max(0.0) / 2.0,
                    at,
                });
            }
            let next = tilt + (epsilon - at.mean) / at.variance;
            let next = next.max(tilt / 4.0);
            if !(next > 0.0 && next < LARGEST_TILT) {
                return None;
            }
            (tilt, at) = (next, self.toward(next, is_swapped));
            known.push((tilt, at));
        }
        None
    }
}

impl Laws {
    /// Of an order that no tilt takes to an ε: the least tilt that shows how little it has there.
    fn out_of_reach(&self, epsilon: f64, is_swapped: bool, other: &AtLoss) -> Option<Outlook> {
        let [stated, swapped] = &self.known;
        let known = if is_swapped { swapped } else { stated };
        let known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_enough = |(tilt, at): &&Tilt| {
            let bound = log_bound(*tilt, at, epsilon);
            *tilt > 0.0 && at.mean < epsilon && bound + SPARE + other.doubt < other.log_delta
        };
        let enough = known.iter().filter(is_enough);
        let (tilt, at) = enough.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let reach = REACH * other.at.variance.sqrt();
        Some(Outlook {
            from: Float::with_val(53, (epsilon - reach).max(at.mean)),
            to: Float::with_val(53, epsilon + reach),
            trails: true,
            tilt: Some(short(*tilt)?),
        })
    }
}

/// The logarithm of what one tilt bounds δ by at a loss.
fn log_bound(tilt: f64, at: &Cumulants, epsilon: f64) -> f64 {
    let constant = tilt * ln(tilt) - (1.0 + tilt) * ln_1p(tilt);
    at.log_total - tilt * epsilon + constant
}

/// The mean is moved as near to a loss as this, in standard deviations.
const NEARBY: f64 = 0.3;
const LARGEST_TILT: f64 = 1e6;

/// Tilts for the aliases on the near side, with log g there.
fn backward(total: &dyn Fn(f64) -> Cumulants) -> Vec<(f64, f64)> {
    let sd = total(-1.0).variance.sqrt();
    let tilts = BACKWARD.map(|deviations| -1.0 - deviations / sd);
    tilts.map(|tilt| (tilt, total(tilt).log_total)).to_vec()
}

/// The tilt, and the length with which what lies so far below a loss up to `to` is no more than e^{−missing} of a line at `tilt`.
fn nearest(backward: &[(f64, f64)], tilt: f64, (to, missing): (f64, f64)) -> Option<(f64, f64)> {
    let lengths = backward.iter().map(|(s, log_total)| {
        let length = (log_total - s * to + missing) / (tilt - s);
        (*s, length.max(0.0))
    });
    let finite = lengths.filter(|(_, length)| length.is_finite());
    finite.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Tilts that are smaller than this, relative to the inverse standard deviation, show that losses are large and rare.
const RARE: f64 = 1.35;
/// What aliases may add there, relative to what tails may lose.
const OF_TAIL: f64 = 8.0;
/// Larger tilts for aliases are this many inverse standard deviations, and each time so much less.
const LARGEST: f64 = 8.0;
const LESS: f64 = 0.8;
const TIMES: i32 = 48;

/// Where losses are rare and large, a line on the right that hardly tilts: any larger tilt is that of the largest losses alone.
/// All aliases on its near side are known, so that its length is that of the tail itself.
fn blunt(
    total: &dyn Fn(f64) -> Cumulants,
    (step, tail): (f64, f64),
    backward: &[(f64, f64)],
) -> Option<LineHint> {
    let sd = total(0.0).variance.sqrt();
    let level = -ln(OF_TAIL * tail.max(1e-307));
    let tilts = (0..TIMES).map(|i| LARGEST * powi(LESS, i) / sd);
    let ends = tilts.map(|farther| (farther, (total(farther).log_total + level) / farther));
    let finite = ends.filter(|(_, end)| end.is_finite());
    let (farther, end) = finite.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let tilt = 0.5 / end;
    let far = end / (1.0 - tilt / farther);
    let (backward, near) = nearest(backward, tilt, (end, level))?;
    let period = (far.max(near) / step).ceil();
    if period.is_nan() || period > 1e15 {
        return None;
    }
    Some(LineHint {
        tilt: short(tilt)?,
        period: period as u64 | 1,
        farther: short(farther)?,
        backward: short(backward),
        to: Float::with_val(53, end),
        left_out: LEFT_OUT,
    })
}

fn hint(
    total: &dyn Fn(f64) -> Cumulants,
    (tilt, at): Tilt,
    ends: (f64, f64),
    (step, farthest): (f64, f64),
    backward: &[(f64, f64)],
) -> Option<LineHint> {
    let sd = at.variance.sqrt();
    let ends = [ends.0, ends.1];
    // −log of what aliases may be there: of about the tail sum, a small part.
    let missing = |epsilon: f64| {
        let away = powi((epsilon - at.mean) / sd, 2) / 2.0;
        let level = at.log_total - tilt * epsilon - away.min(LOSS) - 8.0;
        // Nothing less matters, in either order of the pair.
        ALIAS - level.max(epsilon.min(0.0) - farthest)
    };
    let (to, most) = (ends[1], missing(ends[0]).max(missing(ends[1])));
    let known = nearest(backward, tilt, (to, most)).filter(|_| tilt > 0.0);
    let near = ends.map(|epsilon| match tilt {
        c if c > 0.0 => {
            let unknown = missing(epsilon) / c;
            known.map_or(unknown, |(_, length)| length.min(unknown))
        }
        c if c > -1.0 => (missing(epsilon) / -c).max((missing(epsilon) + epsilon) / (1.0 + c)),
        c => (missing(epsilon) + epsilon) / (-1.0 - c),
    });
    let outward = if tilt < -1.0 { -1.0 } else { 1.0 };
    let (farther, far) = least_of(
        FARTHER.map(|deviations| tilt + outward * deviations / sd),
        |farther| {
            let log_total = total(farther).log_total;
            let lengths = ends.map(|epsilon| {
                (log_total - farther * epsilon + missing(epsilon)) / (farther - tilt).abs()
            });
            lengths[0].max(lengths[1])
        },
    )?;
    let far = if (-1.0..=0.0).contains(&tilt) {
        0.0
    } else {
        far
    };
    let length = near[0].max(near[1]).max(far).max(10.0 * sd);
    let period = (length / step).ceil();
    if period.is_nan() || period > 1e15 {
        return None;
    }
    Some(LineHint {
        tilt: short(tilt)?,
        period: period as u64 | 1,
        farther: short(farther)?,
        backward: known.and_then(|(tilt, _)| short(tilt)),
        to: Float::with_val(53, ends[1]),
        left_out: LEFT_OUT,
    })
}

/// The place with the least value, of a function that falls and then rises: from the middle on, as far as it falls.
fn least_of<const N: usize>(places: [f64; N], at: impl Fn(f64) -> f64) -> Option<(f64, f64)> {
    let (before, after) = places.split_at(N / 2);
    let mut after = after.iter().map(|place| (*place, at(*place)));
    let mut best = after.next()?;
    let mut has_moved = false;
    for next in after {
        if next.1.total_cmp(&best.1).is_ge() {
            break;
        }
        (best, has_moved) = (next, true);
    }
    if !has_moved {
        for next in before.iter().rev().map(|place| (*place, at(*place))) {
            if next.1.total_cmp(&best.1).is_ge() {
                break;
            }
            best = next;
        }
    }
    Some(best)
}

/// A number near x with a short binary expansion.
fn short(x: f64) -> Option<Rational> {
    Rational::from_f64(f64::from_bits(x.to_bits() & !((1 << 30) - 1)))
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
