//! One of several steps has the record: the pair that the checker makes of an epoch from a sum of likelihood ratios (M18 of `proofs/FORMAT.md`), and how finely.

use rug::{Integer, Rational};

use super::dataset::Attained;
use super::model::Model;
use super::steps::Steps;
use crate::float::elementary::{exp, ln};
use crate::float::nearest;
use crate::kernel::{Budget, Point};
use crate::mechanism::allocation::convolve;
use crate::mechanism::closed::{Allocation, ClosedPair};
use crate::mechanism::{Direction, FiniteLosses, Step};
use crate::statement::StatedClaim;

/// Masses are in units of 2^-120, as the checker's; so much is given up at an end.
const UNITS: u32 = 120;
const LIGHT: u32 = 70;
const PARTS: u32 = 16;
/// Places of the first lattice, from coarse plans to fine ones: cells of the last one in a standard deviation of the sum, and the most places of the first.
const PLANS: [(f64, f64); 4] = [
    (3.0, 4_000.0),
    (6.0, 10_000.0),
    (12.0, 20_000.0),
    (24.0, 60_000.0),
];

/// With a pair in the place of each random allocation, above (`is_upper`) or below it, from coarse to fine.
pub(super) fn planned<'a>(
    bound: &'a Steps,
    claim: &'a StatedClaim,
    is_upper: bool,
    budget: &'a Budget,
) -> impl Iterator<Item = Attained> + 'a {
    let is_there = bound.list.iter().any(|(step, _)| of(step).is_some());
    let plans = PLANS.iter().filter(move |_| is_there);
    plans.map_while(move |fineness| with_pairs(bound, claim, is_upper, *fineness, budget))
}

fn of(step: &Step) -> Option<&Allocation> {
    match step {
        Step::Closed(ClosedPair::Allocation(one)) => Some(one),
        _ => None,
    }
}

fn with_pairs(
    bound: &Steps,
    claim: &StatedClaim,
    is_upper: bool,
    fineness: (f64, f64),
    budget: &Budget,
) -> Option<Attained> {
    let is_alone = bound.single().is_some();
    let (mut list, mut planned, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (step, times) in &bound.list {
        budget.check().ok()?;
        let Some(one) = of(step) else {
            // Nothing at all is no Gaussian noise beside it.
            list.extend((!is_nothing(step)).then(|| (step.clone(), *times)));
            continue;
        };
        let model = Model::new(one.base().single()?, Direction::Remove, budget)?;
        let reach = reach(step, claim, is_alone, *times)?;
        let plan = Plan::new(&model, one.steps(), reach, fineness)?;
        numbers.push(plan.numbers());
        planned.push((plan.pair(&model, one.steps(), is_upper, budget)?, *times));
    }
    // In the order of the checker: what is no allocation stands first.
    list.extend(planned);
    let steps = Steps {
        list,
        ..bound.clone()
    };
    Some(Attained {
        steps,
        member: None,
        tests: Vec::new(),
        allocations: numbers,
    })
}

fn is_nothing(step: &Step) -> bool {
    matches!(step, Step::Gaussian { mu_squared } if *mu_squared == 0)
}

/// Up to which likelihood ratio of an epoch a sum is looked at: the claim's own, if it is about one epoch, or where next to nothing of δ is left.
fn reach(step: &Step, claim: &StatedClaim, is_alone: bool, times: u64) -> Option<f64> {
    let most = match claim {
        StatedClaim::ApproxDp { epsilon, delta } => {
            let at = nearest(&epsilon.rational_up()).abs();
            if is_alone && times == 1 {
                return Some(exp(at) * (1.0 + 1e-9));
            }
            nearest(delta)
        }
        StatedClaim::Advantage { .. } if is_alone && times == 1 => return Some(1.0 + 1e-9),
        StatedClaim::Advantage { at_most } => nearest(at_most) * 1e-3,
        StatedClaim::TradeOff { alpha, beta } => nearest(alpha).min(nearest(beta)) * 1e-3,
        StatedClaim::PureDp { .. }
        | StatedClaim::Gdp { .. }
        | StatedClaim::Zcdp { .. }
        | StatedClaim::Rdp { .. }
        | StatedClaim::DominatedBy { .. }
        | StatedClaim::Regret { .. } => 1e-9,
    };
    let least = (most * 1e-3 / times as f64).clamp(1e-18, 1e-6);
    let delta = |epsilon: f64| delta(step, epsilon);
    let (mut low, mut high) = (0.0, 0.01);
    while delta(high)? > least {
        (low, high) = (high, 2.0 * high);
        if high > 40.0 {
            return None;
        }
    }
    for _ in 0..6 {
        let middle = f64::midpoint(low, high);
        match delta(middle)? > least {
            true => low = middle,
            false => high = middle,
        }
    }
    Some(exp(high))
}

fn delta(step: &Step, epsilon: f64) -> Option<f64> {
    let point = Point::at_epsilon(&Rational::from_f64(epsilon)?, 64);
    Some(step.profile()?.at(&point).delta.middle().to_f64())
}

/// As the checker reads it.
struct Plan {
    /// The lattice of one step, in units of 2^-16.
    unit: u64,
    knots: u64,
    end: u64,
    coarsen: Vec<u32>,
}

impl Plan {
    fn new(model: &Model, count: u64, reach: f64, (cells, most): (f64, f64)) -> Option<Self> {
        const UNIT: f64 = 65_536.0;
        let steps = count as f64;
        let width = (steps * variance(model)).sqrt() / cells;
        let squarings = count.checked_ilog2()?;
        let room = ln(most * width / (steps * reach)) / ln(2.0);
        let times = (room.max(0.0) as u32).min(squarings.div_ceil(2));
        let unit = (width / f64::from(1u32 << times) * UNIT).floor().max(1.0);
        let end = (steps * reach * UNIT / (unit * f64::from(1u32 << times))).ceil() + 1.0;
        if end * f64::from(1u32 << times) > UNIT {
            return None;
        }
        // Every second squaring, the last one among them.
        let is_coarsened =
            |i: u32| (squarings - 1 - i).is_multiple_of(2) && (squarings - 1 - i) / 2 < times;
        Some(Self {
            unit: unit as u64,
            knots: (8.0 * UNIT / unit).clamp(64.0, 2048.0) as u64,
            end: end as u64,
            coarsen: (0..squarings).map(|i| u32::from(is_coarsened(i))).collect(),
        })
    }

    fn numbers(&self) -> Vec<String> {
        let unit = Rational::from((self.unit, 1u32 << 16));
        let counts = [self.knots, self.end].map(|n| n.to_string());
        let coarsen = self.coarsen.iter().map(ToString::to_string);
        std::iter::once(unit.to_string())
            .chain(counts)
            .chain(coarsen)
            .collect()
    }

    fn shift(&self) -> u32 {
        self.coarsen.iter().sum()
    }

    fn pair(&self, model: &Model, count: u64, is_upper: bool, budget: &Budget) -> Option<Step> {
        let once = Sum::of_step(model, self, is_upper);
        let (mut all, mut once) = (once.clone(), once);
        let mut squarings = (0..self.coarsen.len()).rev();
        for coarsen in &self.coarsen {
            budget.check().ok()?;
            all = all.plus(&all);
            for _ in 0..*coarsen {
                (all, once) = (all.coarsened(), once.coarsened());
            }
            if count >> squarings.next()? & 1 == 1 {
                all = all.plus(&once);
            }
        }
        let width = Rational::from((self.unit << self.shift(), 1u32 << 16)) / count;
        Some(all.pair(&width))
    }
}

/// Of a likelihood ratio under P, but for what is far out: 2∫E(x − X)⁺ up to 1, and 2∫E(X − x)⁺ from there on.
fn variance(model: &Model) -> f64 {
    const STEPS: u32 = 600;
    let width = ln(30.0) / f64::from(STEPS / 2);
    let parts = (0..STEPS).map(|i| {
        let log = width * (f64::from(i) + 0.5 - f64::from(STEPS / 2));
        let (x, (delta, _)) = (exp(log), model.at(log));
        2.0 * x * width * if x < 1.0 { x - 1.0 + delta } else { delta }
    });
    parts.sum::<f64>().max(1e-12)
}

/// Masses at places of a lattice.
#[derive(Clone)]
struct Sum {
    is_upper: bool,
    first: usize,
    masses: Vec<Integer>,
    rests: Vec<Integer>,
    low: Integer,
    end: usize,
}

impl Sum {
    fn of_step(model: &Model, plan: &Plan, is_upper: bool) -> Self {
        let end = plan.end << plan.shift();
        let unit = plan.unit as f64 / 65_536.0;
        let mut places = vec![0u64];
        let (mut at, mut width, mut turn) = (0, 1, plan.knots);
        while at < end {
            at += width;
            places.push(at.min(end));
            if at >= turn {
                (width, turn) = (2 * width, 2 * turn);
            }
        }
        let length = end as usize;
        let mut all = Self {
            is_upper,
            first: 0,
            masses: vec![Integer::new(); length],
            rests: vec![Integer::new(); length],
            low: Integer::new(),
            end: length,
        };
        let (mut below, mut before) = (Integer::new(), 0.0);
        let (mut null, mut power) = (1.0, 1.0);
        for pair in places.windows(2) {
            let [near, far] = *pair else { continue };
            let u = far as f64 * unit;
            let (delta, level) = model.at(ln(u));
            let (mass, rest) = if is_upper {
                let here = u - 1.0 + delta;
                let slope = units((here - before) / ((far - near) as f64 * unit));
                let slope = slope.max(below.clone());
                before = here;
                let mass = Integer::from(&slope - &below);
                below = slope;
                (mass, Integer::new())
            } else {
                let reached = delta + u * level;
                let mass = units(null - level);
                let rest = units((power - reached) / unit) - Integer::from(&mass * near);
                (null, power) = (level, reached);
                (mass, rest.max(Integer::new()))
            };
            if let (Some(to), Some(beside)) = (
                all.masses.get_mut(near as usize),
                all.rests.get_mut(near as usize),
            ) {
                (*to, *beside) = (mass, rest);
            }
        }
        all.settled()
    }

    fn settled(mut self) -> Self {
        let length = self.end.saturating_sub(self.first);
        if !self.is_upper {
            let mut all = vec![(Integer::new(), Integer::new()); length];
            let cells = self.masses.into_iter().zip(self.rests).enumerate();
            for (place, (mass, rest)) in cells.filter(|(_, (mass, _))| *mass > 0) {
                let (cells, rest) = rest.div_rem_floor(mass.clone());
                if let Some(to) = cells
                    .to_usize()
                    .and_then(|cells| all.get_mut(place + cells))
                {
                    to.0 += mass;
                    to.1 += rest;
                }
            }
            (self.masses, self.rests) = all.into_iter().unzip();
        }
        self.masses.truncate(length);
        let most = Integer::from(1) << (UNITS - LIGHT);
        let mut light = Integer::new();
        let is_light = |mass: &&Integer| {
            light += *mass;
            light <= most
        };
        let gone = self.masses.iter().take_while(is_light).count();
        let lost: Integer = self.masses.drain(..gone).sum();
        self.rests.drain(..gone.min(self.rests.len()));
        self.first = (self.first + gone).min(self.end);
        if self.is_upper {
            self.low += lost;
        }
        self
    }

    fn plus(&self, other: &Self) -> Self {
        let total = |of: &Self| of.masses.iter().sum::<Integer>() + &of.low;
        let low = (&self.low * total(other) + total(self) * &other.low) >> UNITS;
        let scaled =
            |all: Vec<Integer>| -> Vec<Integer> { all.into_iter().map(|x| x >> UNITS).collect() };
        let rests = match self.is_upper {
            true => Vec::new(),
            false => {
                let one = convolve(&self.rests, &other.masses).into_iter();
                let both = one.zip(convolve(&self.masses, &other.rests));
                scaled(both.map(|(x, y)| x + y).collect())
            }
        };
        let sum = Self {
            is_upper: self.is_upper,
            first: self.first + other.first,
            masses: scaled(convolve(&self.masses, &other.masses)),
            rests,
            low,
            end: self.end,
        };
        sum.settled()
    }

    fn coarsened(&self) -> Self {
        let first = self.first / 2;
        let length = (self.first + self.masses.len()).div_ceil(2) + 1 - first;
        let mut all = vec![(Integer::new(), Integer::new()); length];
        let mut put = |place: usize, mass: &Integer, rest: &Integer| {
            if let Some(to) = all.get_mut(place - first) {
                to.0 += mass;
                to.1 += rest;
            }
        };
        let zero = Integer::new();
        for (index, mass) in self.masses.iter().enumerate() {
            let (place, is_odd) = ((self.first + index) / 2, (self.first + index) % 2 == 1);
            let rest = self.rests.get(index).unwrap_or(&zero);
            match (self.is_upper, is_odd) {
                (_, false) => put(place, mass, rest),
                (true, true) => {
                    let half = Integer::from(mass >> 1u32);
                    put(place, &half, &zero);
                    put(place + 1, &half, &zero);
                }
                (false, true) => put(place, mass, &Integer::from(rest + mass)),
            }
        }
        let (masses, rests): (_, Vec<Integer>) = all.into_iter().unzip();
        let sum = Self {
            is_upper: self.is_upper,
            first,
            masses,
            rests: rests.into_iter().map(|rest| rest >> 1u32).collect(),
            low: self.low.clone(),
            end: self.end.div_ceil(2),
        };
        sum.settled()
    }

    /// The pair, u = `width` times a place.
    fn pair(&self, width: &Rational) -> Step {
        let one = Integer::from(1) << UNITS;
        let light = Integer::from(1) << (UNITS - LIGHT);
        let is_far = |kept: &Option<Integer>, below: &Integer| {
            kept.as_ref().is_none_or(|kept| {
                let rest = Integer::from(&one - kept).max(Integer::new());
                let least = Integer::from(kept.min(&rest) / PARTS).max(light.clone());
                Integer::from(below - kept) > least
            })
        };
        let mut below = self.low.clone();
        let mut sums = Integer::from(&self.low * self.first);
        let (mut kept, mut points) = (None, Vec::new());
        for (index, mass) in self.masses.iter().enumerate() {
            let place = self.first + index;
            if self.is_upper && is_far(&kept, &below) {
                points.push((Integer::from(place), sums.clone()));
                kept = Some(below.clone());
            }
            below = (below + mass).min(one.clone());
            match self.is_upper {
                true => sums += &below,
                false => {
                    sums += Integer::from(mass * place) + self.rests.get(index).unwrap_or(&light)
                }
            }
            if !self.is_upper && is_far(&kept, &below) {
                points.push((below.clone(), sums.clone()));
                kept = Some(below.clone());
            }
        }
        let share = Rational::from(width / &one);
        if self.is_upper {
            let last = self.first + self.masses.len();
            points.push((Integer::from(last), sums.clone()));
            points.push((
                Integer::from(self.end),
                sums + below * self.end.saturating_sub(last),
            ));
            let lines = points.into_iter().filter(|(place, _)| *place > 0);
            let lines = lines.map(|(place, sums)| {
                let u = Rational::from(width * place);
                let height = &u - Rational::from(sums) * &share;
                (u, height)
            });
            let hull = around(std::iter::once((Rational::new(), Rational::new())).chain(lines));
            let last = hull
                .last()
                .map(|(_, height)| (Rational::new(), Rational::from(1 - height)));
            let between = hull.windows(2).rev().filter_map(|pair| {
                let [(u, high), (v, low)] = pair else {
                    return None;
                };
                let level = Rational::from(low - high) / Rational::from(v - u);
                let power = Rational::from(1 - high) + Rational::from(u * &level);
                Some((level, power))
            });
            let end = [(Rational::from(1), Rational::from(1))];
            return vectors(last.into_iter().chain(between).chain(end));
        }
        points.push((below, sums));
        let tests = points.into_iter().rev().map(|(below, sums)| {
            (
                1 - Rational::from((below, one.clone())),
                1 - Rational::from(sums) * &share,
            )
        });
        let tests = tests.filter(|(level, power)| power > level);
        let start = std::iter::once((Rational::new(), Rational::new()));
        vectors(around(
            start
                .chain(tests)
                .chain([(Rational::from(1), Rational::from(1))]),
        ))
    }
}

/// The corners of the least concave curve above points from left to right.
fn around(points: impl Iterator<Item = (Rational, Rational)>) -> Vec<(Rational, Rational)> {
    let mut corners: Vec<(Rational, Rational)> = Vec::new();
    for (level, power) in points {
        while let [.., (a, x), (b, y)] = corners.as_slice() {
            let (next, last) = (Rational::from(&power - x), Rational::from(y - x));
            if next * Rational::from(b - a) < Rational::from(&level - a) * last {
                break;
            }
            corners.pop();
        }
        corners.push((level, power));
    }
    corners
}

fn vectors(corners: impl IntoIterator<Item = (Rational, Rational)>) -> Step {
    let (mut p, mut q) = (Vec::new(), Vec::new());
    let (mut level, mut power) = (Rational::new(), Rational::new());
    for (next_level, next_power) in corners {
        let rises = (
            Rational::from(&next_level - &level),
            Rational::from(&next_power - &power),
        );
        if rises.0 > 0 || rises.1 > 0 {
            p.push(rises.0);
            q.push(rises.1);
        }
        (level, power) = (next_level, next_power);
    }
    Step::finite(FiniteLosses::Pair {
        p: p.into(),
        q: q.into(),
    })
}

fn units(x: f64) -> Integer {
    let one = Integer::from(1) << UNITS;
    Rational::from_f64(x).map_or(Integer::new(), |x| Integer::from((x * one).floor_ref()))
}
