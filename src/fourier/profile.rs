//! The privacy profile of a sum of lattice losses.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rug::Float;

use super::line::{Draft, Line, LineHint, TailSide, Tails};
use super::roots::Roots;
use super::sum::floor;
use super::trailing::{self, Outlook, Trailing};
use super::{LOG_BITS, Sum};
use crate::kernel::directed as d;
use crate::kernel::{
    Budget, Failure, Interval, LossBound, Pick, Point, Profile, ProfilePoint, is_late,
};

/// Lines for a sum of losses, and which of them matter. Any are sound.
#[derive(Debug, Clone)]
pub struct LineHints {
    /// The lines.
    pub lines: Vec<LineHint>,
    /// Losses whose lines must be there.
    pub probes: Vec<Float>,
    /// Which lines are made.
    pub roots: Roots,
    /// Which are made where they are missed.
    pub where_missed: Roots,
    /// Less mass than this is not missed.
    pub negligible: Float,
    /// Threads that make a line.
    pub jobs: usize,
    /// Where levels of the profile may be found.
    pub places: Option<Arc<dyn Places>>,
}

/// Where a profile falls to a level, roughly: a hint.
pub trait Places: fmt::Debug + Send + Sync {
    /// About the ε > 0 where δ has this level, in the order stated or in the other one.
    fn of_delta(&self, level: &Float, is_swapped: bool) -> Option<Float>;

    /// The same of the null's tail.
    fn of_tail(&self, level: &Float, is_swapped: bool) -> Option<Float>;

    /// Which order has the smaller δ about a loss ε > 0.
    fn outlook(&self, loss: &Float, is_swapped: bool) -> Option<Outlook>;
}

/// The profile of a [`Sum`], the larger of it and 0 and 1 − u.
///
/// It lies above the profile of the composition if the laws of all parts lie above theirs, and below if they lie below.
#[derive(Clone)]
pub struct SumProfile {
    lines: Arc<Lines>,
    /// Has a line been missed?
    is_short: Arc<AtomicBool>,
}

struct Lines {
    sum: Arc<Sum>,
    /// In the order of the losses that they serve.
    lines: Vec<Lazy>,
    /// Less mass than this is not missed.
    negligible: Float,
    roots: Roots,
    where_missed: Roots,
    /// Threads that make a line.
    jobs: usize,
    places: Option<Arc<dyn Places>>,
    /// Ends with the user's patience; the time of a line is bounded, and none is begun late.
    budget: Budget,
    /// What is known of each order where it trails: the one stated, and the other.
    trailing: [Trailing; 2],
}

/// A line that is made when first asked.
struct Lazy {
    hint: LineHint,
    draft: Mutex<Option<Draft>>,
    line: OnceLock<Option<Line>>,
    /// The line where the usual one cannot be made and is missed.
    where_missed: OnceLock<Option<Line>>,
}

impl Lazy {
    fn new(hint: LineHint) -> Self {
        Self {
            hint,
            draft: Mutex::default(),
            line: OnceLock::new(),
            where_missed: OnceLock::new(),
        }
    }

    /// `None` where it cannot be made.
    fn get(&self, lines: &Lines) -> Option<&Line> {
        let new = || {
            let draft = self.draft.lock();
            let draft = draft.unwrap_or_else(PoisonError::into_inner).take();
            self.made(draft, lines.roots, lines)
        };
        Self::unless_late(&self.line, new)
    }

    fn get_where_missed(&self, lines: &Lines) -> Option<&Line> {
        if lines.where_missed == lines.roots {
            return None;
        }
        let new = || self.made(None, lines.where_missed, lines);
        Self::unless_late(&self.where_missed, new)
    }

    /// What is known, or made and kept; nothing new where the time is over, and nothing is kept of that.
    fn unless_late(
        of: &OnceLock<Option<Line>>,
        make: impl FnOnce() -> Option<Line>,
    ) -> Option<&Line> {
        match of.get() {
            Some(known) => known.as_ref(),
            None if is_late() => None,
            None => of.get_or_init(make).as_ref(),
        }
    }

    fn made(&self, draft: Option<Draft>, roots: Roots, lines: &Lines) -> Option<Line> {
        let (sum, jobs, budget) = (&*lines.sum, lines.jobs, &lines.budget);
        let draft = match draft {
            Some(draft) => Some(draft),
            None => Draft::new(sum, &self.hint, roots, jobs, budget)
                .ok()
                .flatten(),
        };
        draft?.line(sum, &self.hint, jobs, budget).ok().flatten()
    }
}

impl SumProfile {
    /// The profile with these lines; `None` where it is seen that one that serves a probe cannot be made. Where another cannot be made, its
    /// neighbour stands in for it, and unless that leaves a negligible mass open, the profile [is short](Self::is_short) of a line.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] when the budget ends.
    pub fn new(
        sum: impl Into<Arc<Sum>>,
        hints: LineHints,
        budget: &Budget,
    ) -> Result<Option<Self>, Failure> {
        let LineHints {
            mut lines,
            probes,
            roots,
            where_missed,
            negligible,
            jobs,
            places,
        } = hints;
        lines.sort_unstable_by(|a, b| a.to.total_cmp(&b.to));
        let lines = Lines {
            lines: lines.into_iter().map(Lazy::new).collect(),
            sum: sum.into(),
            negligible,
            roots,
            where_missed,
            jobs,
            places,
            budget: budget.without_deadline(),
            trailing: Default::default(),
        };
        let mut wanted: Vec<usize> = probes.iter().map(|probe| lines.place(probe)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        for place in wanted {
            let Some(lazy) = lines.lines.get(place) else {
                return Ok(None);
            };
            let Some(draft) = Draft::new(&lines.sum, &lazy.hint, roots, jobs, budget)? else {
                return Ok(None);
            };
            *lazy.draft.lock().unwrap_or_else(PoisonError::into_inner) = Some(draft);
        }
        Ok(Some(Self {
            lines: Arc::new(lines),
            is_short: Arc::default(),
        }))
    }

    /// Has it been asked for a loss at which it lacks a line that would have told more?
    pub fn is_short(&self) -> bool {
        self.is_short.load(Ordering::Relaxed)
    }

    /// The same profile with the same lines, of which nothing has been asked yet.
    #[must_use]
    pub fn unasked(&self) -> Self {
        Self {
            lines: Arc::clone(&self.lines),
            is_short: Arc::default(),
        }
    }

    fn note_shortage(&self) {
        self.is_short.store(true, Ordering::Relaxed);
    }

    /// `None` where no line serves the loss, which is noted.
    fn find(&self, loss: &Interval) -> Option<Found> {
        let found = self.found(loss);
        if found.is_none() {
            self.note_shortage();
        }
        found
    }

    fn found(&self, loss: &Interval) -> Option<Found> {
        let lines = &*self.lines;
        let serving = lines.serving(loss.lo())?;
        let (Serving::Own(line) | Serving::StandIn(line)) = serving;
        let step = &lines.sum.spacing;
        let place = loss.at_bits(LOG_BITS).sub(&lines.sum.origin).div(step);
        let (m, x) = floor(place.lo())?;
        let (n, _) = floor(place.hi())?;
        let width = place.width_up();
        let growth_up = growth_up(&step.mul(&Interval::point(width).at_bits(LOG_BITS)));
        let of = |line: &Line| Found {
            beyond: (n != m).then(|| line.at(&lines.sum, n, &Float::new(LOG_BITS))),
            tails: line.at(&lines.sum, m, &x),
            growth_up: growth_up.clone(),
        };
        let found = of(line);
        let open = |found: &Found| {
            let tails = &found.tails;
            tails.q.width_up().larger(&tails.scaled_p.width_up())
        };
        if matches!(serving, Serving::Own(_)) || open(&found) <= lines.negligible {
            return Some(found);
        }
        let own = lines.lines.get(lines.place(loss.lo()));
        let other = own.and_then(|lazy| lazy.get_where_missed(lines)).map(of);
        match other {
            Some(better) if open(&better) <= open(&found) => Some(better),
            // Its own line tells no more.
            Some(_) => Some(found),
            None => {
                self.note_shortage();
                Some(found)
            }
        }
    }

    /// Forward: t + Σ_{L>ε} (q − u·p), between its value at the left end and what it may fall by up to the right one, and the P-tail.
    fn at_stated(&self, point: &Point) -> ProfilePoint {
        let Some(found) = self.find(point.log()) else {
            return unknown();
        };
        let (sum, tails) = (&*self.lines.sum, &found.tails);
        let finite = match tails.side {
            TailSide::Right => tails.q.sub(&tails.scaled_p),
            TailSide::Middle => sum.finite.sub(&tails.q).sub(&tails.scaled_p),
            TailSide::Left => {
                let without = sum.finite.sub(&tails.exp.mul(&sum.null));
                without.add(&tails.scaled_p.sub(&tails.q))
            }
        };
        let scaled = self.lines.scaled_p_above(tails);
        let value = sum.infinite.add(&finite.at_least_zero());
        let value = falling(&value, &scaled, &found.growth_up);
        let tail = scaled.div(&tails.exp);
        let tail = match &found.beyond {
            Some(beyond) => tail.hull(&self.lines.scaled_p_above(beyond).div(&beyond.exp)),
            None => tail,
        };
        ProfilePoint::on_lines([(value.clone(), tail)], &value, point.exp())
    }

    /// Swapped, at v = 1/u: 1 − P − v·missing + v·Σ_{L≤ε} (u·p − q), which grows with ε, and the Q-mass not above ε.
    fn at_swapped(&self, point: &Point) -> ProfilePoint {
        let mirrored = point.mirrored();
        let Some(found) = self.find(mirrored.log()) else {
            return unknown();
        };
        let (sum, tails) = (&*self.lines.sum, &found.tails);
        let below = |tails: &Tails| match tails.side {
            TailSide::Right => sum.finite.sub(&tails.q).at_least_zero(),
            TailSide::Middle | TailSide::Left => tails.q.clone(),
        };
        let scaled_below = |tails: &Tails| match tails.side {
            TailSide::Left => tails.scaled_p.clone(),
            TailSide::Right | TailSide::Middle => tails.exp.mul(&sum.null).sub(&tails.scaled_p),
        };
        let inner = scaled_below(tails).sub(&below(tails)).at_least_zero();
        let most_below = scaled_below(found.beyond.as_ref().unwrap_or(tails));
        let inner = rising(&inner, &most_below, &found.growth_up);
        let value = sum
            .null_short
            .add(&point.exp().mul(&inner.sub(&sum.missing)));
        let tail = below(tails).add(&sum.missing);
        let tail = match &found.beyond {
            Some(beyond) => tail.hull(&below(beyond).add(&sum.missing)),
            None => tail,
        };
        ProfilePoint::on_lines([(value.clone(), tail)], &value, point.exp())
    }
}

/// A value and what it may fall by up to the right end of a loss: at most `scaled`·(e^{ε − ε₀} − 1).
pub(super) fn falling(value: &Interval, scaled: &Interval, growth_up: &Float) -> Interval {
    let fall = d::mul_up(scaled.hi(), growth_up, LOG_BITS);
    Interval::between_or_line(d::sub_down(value.lo(), &fall, LOG_BITS), value.hi().clone())
}

/// A value and what it may rise by up to the right end of a loss: at most `most`·(e^{ε − ε₀} − 1).
pub(super) fn rising(value: &Interval, most: &Interval, growth_up: &Float) -> Interval {
    let rise = d::mul_up(most.at_least_zero().hi(), growth_up, LOG_BITS);
    Interval::between_or_line(value.lo().clone(), d::add_up(value.hi(), &rise, LOG_BITS))
}

/// At least e^x − 1 for x ≥ 0: x + x² up to 1.
pub(super) fn growth_up(x: &Interval) -> Float {
    if *x.hi() <= 1 {
        let square = d::mul_up(x.hi(), x.hi(), LOG_BITS);
        d::add_up(x.hi(), &square, LOG_BITS)
    } else {
        x.exp_m1().hi().clone()
    }
}

/// Tail sums at the left end of the enclosure of a loss, and what may change up to its right end.
struct Found {
    tails: Tails,
    /// The P-tail above the right end, times e^ε of the left end, if an atom may lie between.
    beyond: Option<Tails>,
    /// At least e^{ε − ε₀} − 1, ε₀ the left end.
    growth_up: Float,
}

/// A line for a loss.
enum Serving<'a> {
    /// The one that was made for it.
    Own(&'a Line),
    /// Another.
    StandIn(&'a Line),
}

impl Lines {
    /// Where the line that serves a loss stands.
    fn place(&self, loss: &Float) -> usize {
        let place = self.lines.partition_point(|lazy| lazy.hint.to < *loss);
        place.min(self.lines.len().saturating_sub(1))
    }

    /// The line that serves a loss, or else the next one towards the losses near 0 that can be made: any line is sound anywhere.
    fn serving(&self, loss: &Float) -> Option<Serving<'_>> {
        let place = self.place(loss);
        let inwards: &mut dyn Iterator<Item = _> = if *loss < 0 {
            &mut self.lines.iter().skip(place)
        } else {
            &mut self.lines.iter().take(place.saturating_add(1)).rev()
        };
        let mut lines = inwards.map(|lazy: &Lazy| lazy.get(self));
        match lines.next()? {
            Some(line) => Some(Serving::Own(line)),
            None => lines.flatten().next().map(Serving::StandIn),
        }
    }

    /// e^ε times the P-tail above the loss.
    fn scaled_p_above(&self, tails: &Tails) -> Interval {
        match tails.side {
            TailSide::Right | TailSide::Middle => tails.scaled_p.clone(),
            TailSide::Left => {
                let all = tails.exp.mul(&self.sum.null);
                all.sub(&tails.scaled_p).at_least_zero()
            }
        }
    }

    fn max_loss(&self) -> LossBound {
        let step = &self.sum.spacing;
        finite_bound(self.sum.origin.add(&step.mul(&self.sum.last))).at_least_zero()
    }

    fn trailing(&self, is_swapped: bool) -> &Trailing {
        let [stated, swapped] = &self.trailing;
        if is_swapped { swapped } else { stated }
    }

    /// Does an order trail at an ε ≥ 0, as far as floats see?
    fn trails(&self, point: &Point, is_swapped: bool) -> bool {
        let loss = point.log().lo();
        *loss >= 0
            && self.trailing(is_swapped).trails(
                loss,
                |loss| self.places.as_ref()?.outlook(loss, is_swapped),
                |tilt| trailing::log_total(&self.sum, tilt, is_swapped),
            )
    }

    /// At least what an order has beyond an ε ≥ 0, where floats say that this tells enough.
    ///
    /// Ensures: with that the δ of an order is at most what this is, and the mass that it has at +∞: the lines 0 and 1 − u are not above 0 there.
    fn sum_up(&self, point: &Point, is_swapped: bool) -> Option<Float> {
        // A line that is there tells more, and costs less than a tilt.
        let place = if is_swapped {
            self.place(point.mirrored().log().lo())
        } else {
            self.place(point.log().lo())
        };
        let is_made = (self.lines.get(place)).is_some_and(|lazy| lazy.line.get().is_some());
        if *point.log().lo() < 0 || is_made {
            return None;
        }
        self.trailing(is_swapped).sum_up(
            point,
            |loss| self.places.as_ref()?.outlook(loss, is_swapped),
            |tilt| trailing::log_total(&self.sum, tilt, is_swapped),
        )
    }

    /// Where mass is missing the line 1 − u takes over at some point on the left.
    fn min_loss(&self) -> LossBound {
        if self.sum.is_whole && *self.sum.null.hi() <= 1 {
            finite_bound(self.sum.origin.clone())
        } else {
            finite_bound(Interval::whole_line(LOG_BITS))
        }
    }

    /// Where Q-mass is missing too, δ is 1 − u for small u and the swapped profile sinks to 0.
    fn missing_p_mass(&self) -> Interval {
        if self.sum.is_whole {
            self.sum.null_short.in_unit()
        } else {
            Interval::zero(LOG_BITS)
        }
    }
}

fn unknown() -> ProfilePoint {
    let anything = Interval::zero(LOG_BITS).hull(&Interval::one(LOG_BITS));
    ProfilePoint {
        delta: anything.clone(),
        null_tail: anything,
    }
}

fn finite_bound(value: Interval) -> LossBound {
    LossBound::Finite { value, exact: None }
}

impl Profile for SumProfile {
    fn at(&self, point: &Point) -> ProfilePoint {
        self.at_stated(point)
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Swapped(self.clone()))
    }

    fn max_loss(&self, _bits: u32) -> LossBound {
        self.lines.max_loss()
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        self.lines.min_loss()
    }

    fn infinite_mass(&self, _bits: u32) -> Interval {
        self.lines.sum.infinite.clone()
    }

    fn delta_up(&self, point: &Point) -> Option<Float> {
        let rest = self.lines.sum_up(point, false)?;
        Some(d::add_up(self.lines.sum.infinite.hi(), &rest, LOG_BITS))
    }

    fn trails(&self, point: &Point) -> bool {
        self.lines.trails(point, false)
    }

    fn about(&self, level: &Float) -> Option<Float> {
        self.lines.places.as_ref()?.of_delta(level, false)
    }

    fn about_tail(&self, level: &Float) -> Option<Float> {
        self.lines.places.as_ref()?.of_tail(level, false)
    }
}

#[path = "swapped.rs"]
mod swapped;
use swapped::Swapped;
