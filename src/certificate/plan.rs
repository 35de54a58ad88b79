//! Lattices for a composition, from coarse to fine, each with the law that the checker will find.
//!
//! An upper law has more variance than what it bounds, a lower one less. A lattice of step h adds about h²/6 to each step of the mechanism; making a law twice
//! as coarse adds h²/2 for each copy of it. A plan of fineness r gives each of these the same share of the variance, which falls like 1/r².

use rug::{Integer, Rational};
use serde_json::{Map, Value, json};

use super::law::{Law, LawBound, Work};
use super::model::Model;
use super::steps::{Steps, lattice};
use crate::float::elementary::{exp2, log2, powi};
use crate::float::nearest;
use crate::kernel::Budget;
use crate::mechanism::Direction;

/// Laws of one composition, in one order of the pair, from one side.
pub(super) struct Planner {
    parts: Vec<Part>,
    direction: Direction,
    side: LawBound,
    /// Mass that may be lost in all, at fineness 1.
    tail: f64,
    /// The step of the lattice at fineness 1.
    unit: Rational,
    /// Must losses stay on the lattice?
    on_lattice: bool,
    /// The variance that one coarsening may add, at fineness 1.
    excess: f64,
}

struct Part {
    model: Model,
    times: u64,
    level: u32,
}

/// A plan and the law it leads to.
pub(super) struct Planned {
    /// The `law` object of the certificate.
    pub json: Value,
    /// The law in f64, where it was made.
    pub law: Option<Law>,
    /// The step of its lattice, where that is the one on which all losses are.
    pub own_step: Option<Rational>,
    coarsen: Vec<Vec<u32>>,
}

/// How fine a plan is, in quarters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fineness(u64);

/// A step is not discretised at more points,
const MOST_POINTS: f64 = 30_000.0;
/// nor at more at fineness 1,
const MANY: f64 = 8192.0;
/// and laws that take more multiplications are not made.
const MOST_WORK: u64 = 1 << 30;
/// Coarsenings add this share of the variance each, at fineness 1,
const SHARE: f64 = 0.0016;
/// and the first lattice as much as so many of them: its points cost the checker more than those of laws, which it multiplies by transforms.
const FIRST: f64 = 20.0;
/// Cells between 0 and the largest loss, where the last of them counts.
const CELLS: f64 = 16.0;
/// The checker does not know what is likely without the record as finely as that losses above this could be told apart from below.
const FAR: f64 = 150.0;
/// Laws of fewer atoms are not made coarser.
const FEW: usize = 24;

impl Fineness {
    /// The least that is at least so fine.
    pub fn at_least(r: f64) -> Self {
        Self((r * 4.0).ceil().clamp(1.0, 1e6) as u64)
    }

    /// The next finer one.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    pub fn number(self) -> f64 {
        self.0 as f64 / 4.0
    }
}

impl Planner {
    /// `None` of a step that the float engine does not have.
    pub fn new(
        steps: &Steps,
        direction: Direction,
        side: LawBound,
        tail: f64,
        budget: &Budget,
    ) -> Option<Self> {
        let models = steps
            .list
            .iter()
            .map(|(step, _)| Model::new(step, direction, budget));
        let models = models.collect::<Option<Vec<_>>>()?;
        let base = steps.list.iter().find_map(|(step, _)| lattice(step));
        let start = base.as_ref().map(nearest);
        let sizes: Vec<Size> = models
            .iter()
            .zip(&steps.list)
            .map(|(model, (step, times))| {
                let own = lattice(step).is_some() && lattice(step) == base;
                let range = model.range(tail / (4.0 * *times as f64));
                Size::of(model, range, start, own)
            })
            .collect();
        let counts = steps.list.iter().map(|(_, times)| *times as f64);
        let variance: f64 = sizes
            .iter()
            .zip(counts.clone())
            .map(|(s, n)| s.variance * n)
            .sum();
        let excess = (SHARE * variance).max(1e-290);
        let needed: Vec<f64> = sizes
            .iter()
            .zip(counts)
            .map(|(size, n)| size.needed(FIRST * excess / n).max(size.far / MANY))
            .collect();
        let least = needed.iter().copied().fold(f64::INFINITY, f64::min);
        let power = log2(least / start.unwrap_or(1.0)).floor();
        let power = power.clamp(-200.0, 5.0) as i32;
        let unit = base.clone().unwrap_or_else(|| Rational::from(1));
        let unit = match start {
            // Where the losses are on a lattice, it is kept.
            Some(_) => unit >> power.min(0).unsigned_abs(),
            None if power >= 0 => unit << power.unsigned_abs(),
            None => unit >> power.unsigned_abs(),
        };
        let h = nearest(&unit);
        let parts = models.into_iter().zip(&steps.list).zip(&needed).map(
            |((model, (step, times)), needed)| {
                let level = log2(needed / h).floor().clamp(0.0, 20.0) as u32;
                let own = lattice(step).is_some() && lattice(step) == base;
                Part {
                    model,
                    times: *times,
                    level: if own { 0 } else { level },
                }
            },
        );
        Some(Self {
            parts: parts.collect(),
            direction,
            side,
            tail,
            unit,
            on_lattice: start.is_some(),
            excess,
        })
    }

    /// A lower law whose last cell begins just below the largest loss of the only part. `None` if there are several parts, or losses have no bound.
    pub fn next_to_the_end(steps: &Steps, direction: Direction, budget: &Budget) -> Option<Self> {
        let [(step, times)] = steps.list.as_slice() else {
            return None;
        };
        let model = Model::new(step, direction, budget)?;
        let largest = model.largest().filter(|largest| *largest > 0.0)?;
        let width = largest / (CELLS + 0.5) * (1.0 - 1e-13);
        let part = Part {
            model,
            times: *times,
            level: 0,
        };
        Some(Self {
            parts: vec![part],
            direction,
            side: LawBound::Lower,
            tail: 1e-36,
            unit: Rational::from_f64(width)?,
            on_lattice: true,
            excess: 0.0,
        })
    }

    /// Where to begin.
    pub fn coarsest(&self) -> Fineness {
        Fineness(if self.on_lattice { 4 } else { 2 })
    }

    /// A fineness that keeps what is on the lattice there.
    pub fn rounded(&self, fineness: Fineness) -> Fineness {
        if self.on_lattice {
            Fineness(fineness.0.next_power_of_two().max(4))
        } else {
            fineness
        }
    }

    fn step(&self, fineness: Fineness) -> Rational {
        self.unit.clone() * 4u32 / Integer::from(fineness.0)
    }

    fn tail(&self, fineness: Fineness) -> f64 {
        (self.tail / powi(fineness.number(), 2)).max(1e-40)
    }

    /// The bits of `light`.
    fn light(&self, fineness: Fineness) -> f64 {
        let total: f64 = self.parts.iter().map(|part| part.times as f64).sum();
        let bits = log2(self.tail(fineness) / (4.0 * total)).floor() + 120.0;
        bits.clamp(0.0, 119.0)
    }

    /// First and last point of a part on the lattice; `None` if these are too many.
    fn points(&self, part: &Part, fineness: Fineness) -> Option<(f64, i64, i64)> {
        let width = nearest(&self.step(fineness)) * exp2(f64::from(part.level));
        let tail = self.tail(fineness) / (4.0 * part.times as f64);
        let range = part.model.range(tail);
        let range = match self.side {
            LawBound::Upper => range,
            LawBound::Lower => (range.0.min(FAR - width), range.1.min(FAR)),
        };
        let apart = match self.side {
            LawBound::Upper => 0.0,
            // What only one of both hypotheses allows has a cell of its own.
            LawBound::Lower if part.model.infinite_mass() > 0.0 => 1.0,
            LawBound::Lower => 0.0,
        };
        let (low, high) = (
            (range.0 / width).floor(),
            (range.1 / width - 1e-9).ceil().max(1.0) + apart,
        );
        let fits = high - low <= MOST_POINTS && high.max(-low) < 1e9;
        fits.then(|| (width, low.min(high - 1.0) as i64, high as i64))
    }

    /// The plan of this fineness and its law; `None` if it is too much work.
    pub fn plan(&self, fineness: Fineness) -> Option<Planned> {
        let light = exp2(self.light(fineness) - 120.0);
        let mut work = Work::default();
        let mut coarsen = Vec::new();
        let mut whole: Option<Law> = None;
        let excess = self.excess / powi(fineness.number(), 2);
        for part in &self.parts {
            let (width, first, last) = self.points(part, fineness)?;
            let once = Law::of_step(&part.model, self.side, width, first, last);
            let (law, counts) = power(&once, part.times, light, excess, &mut work)?;
            coarsen.push(counts);
            whole = Some(match whole {
                None => law,
                Some(others) => joined(others, law, light, &mut work),
            });
        }
        if work.0 > MOST_WORK {
            return None;
        }
        let law = whole?;
        let coarser = log2(law.step() / nearest(&self.step(fineness))).round();
        let step = || self.step(fineness) << (coarser.clamp(0.0, 1e3) as u32);
        Some(Planned {
            json: self.json(fineness, &coarsen)?,
            own_step: self.on_lattice.then(step),
            law: Some(law),
            coarsen,
        })
    }

    /// The plan of another fineness that is made coarser as often as this one. Its law is not made.
    pub fn like(&self, planned: &Planned, fineness: Fineness) -> Option<Planned> {
        Some(Planned {
            json: self.json(fineness, &planned.coarsen)?,
            law: None,
            own_step: None,
            coarsen: planned.coarsen.clone(),
        })
    }

    fn json(&self, fineness: Fineness, coarsen: &[Vec<u32>]) -> Option<Value> {
        let parts = self.parts.iter().zip(coarsen).map(|(part, coarsen)| {
            let (_, first, last) = self.points(part, fineness)?;
            let level = part.level;
            Some(json!({"coarsen": coarsen, "first": first, "last": last, "level": level}))
        });
        let parts = parts.collect::<Option<Vec<_>>>()?;
        let mut json = Map::new();
        let light = self.light(fineness) as u64;
        json.insert("light".to_owned(), Value::from(light));
        json.insert("parts".to_owned(), Value::from(parts));
        let step = self.step(fineness).to_string();
        json.insert("step".to_owned(), Value::from(step));
        Some(Value::Object(json))
    }

    pub fn direction(&self) -> Direction {
        self.direction
    }
}

/// The variance of a step, and what a lattice adds to it.
struct Size {
    variance: f64,
    h: f64,
    added: f64,
    /// How far from 0 its losses are.
    far: f64,
}

impl Size {
    /// From lattices of h and h/2, the first that tell the variance to a tenth.
    fn of(model: &Model, range: (f64, f64), base: Option<f64>, own: bool) -> Self {
        let (low, high) = range;
        let width = (high - low).max(1e-100);
        let goal = if own { width / 1.5 } else { width / 8.0 };
        let base = base.unwrap_or(1.0);
        let power = log2(goal / base).floor();
        let power = if own { power.min(0.0) } else { power };
        let mut h = base * exp2(power);
        let mut near = variance(model, range, h);
        loop {
            let far = variance(model, range, h / 2.0);
            let added = (near - far).max(0.0) * 4.0 / 3.0;
            if added <= 0.1 * far || width / h > MOST_POINTS / 4.0 {
                return Self {
                    variance: far.max(h * h * 1e-6),
                    h,
                    added,
                    far: high.abs().max(low.abs()),
                };
            }
            h /= 2.0;
            near = far;
        }
    }

    /// The widest lattice that adds at most this.
    fn needed(&self, added: f64) -> f64 {
        if self.added <= 1e-12 * self.variance {
            return self.h;
        }
        self.h * (added / self.added).sqrt().min(1.0)
    }
}

fn variance(model: &Model, range: (f64, f64), h: f64) -> f64 {
    let (low, high) = ((range.0 / h).floor(), (range.1 / h).ceil());
    if high - low > MOST_POINTS || high.max(-low) > 1e9 {
        return 0.0;
    }
    let (first, last) = (low as i64, high.max(low + 1.0) as i64);
    let law = Law::of_step(model, LawBound::Upper, h, first, last);
    law.variance()
}

fn power(
    once: &Law,
    times: u64,
    light: f64,
    excess: f64,
    work: &mut Work,
) -> Option<(Law, Vec<u32>)> {
    let mut once = once.clone().trimmed(light);
    let mut law = once.clone();
    let mut coarsen = Vec::new();
    for bit in (0..times.ilog2()).rev() {
        law = law.times(&law, work).trimmed(light);
        let mut count = 0;
        // So many copies of both are in the whole.
        let copies = (1u64 << bit) as f64;
        let others = (times & ((2 << bit) - 1)) as f64;
        while law.atoms() > FEW
            && count < 8
            && copies * law.coarsening() + others * once.coarsening() <= excess
        {
            law = law.coarsened().trimmed(light);
            once = once.coarsened().trimmed(light);
            count += 1;
        }
        coarsen.push(count);
        if times >> bit & 1 == 1 {
            law = law.times(&once, work).trimmed(light);
        }
        if work.0 > MOST_WORK {
            return None;
        }
    }
    Some((law, coarsen))
}

fn joined(mut a: Law, mut b: Law, light: f64, work: &mut Work) -> Law {
    for _ in 0..64 {
        let ratio = a.step() / b.step();
        if ratio < 0.75 {
            a = a.coarsened().trimmed(light);
        } else if ratio > 1.5 {
            b = b.coarsened().trimmed(light);
        } else {
            break;
        }
    }
    a.times(&b, work).trimmed(light)
}
