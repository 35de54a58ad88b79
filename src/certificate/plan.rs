//! Lattices for a composition, from coarse to fine, each with the law that the checker will find.

use rug::{Integer, Rational};
use serde_json::{Map, Value, json};

use crate::float::nearest;

use super::law::{Law, LawBound, Work};
use super::model::Model;
use super::steps::{Step, Steps};
use crate::mechanism::Direction;

/// Laws of one composition, in one order of the pair, from one side.
pub(super) struct Planner<'a> {
    steps: &'a Steps,
    direction: Direction,
    side: LawBound,
    /// Mass that may be lost in all.
    tail: f64,
    ranges: Vec<(f64, f64)>,
    models: Vec<Model>,
}

/// A plan and the law it leads to.
pub(super) struct Planned {
    /// The `law` object of the certificate.
    pub json: Value,
    pub law: Law,
}

/// Laws are coarsened when they have more atoms; the finest lattices may keep up to eight times as many,
const MOST_ATOMS: usize = 2048;
/// a step is not discretised at more points,
const MOST_POINTS: f64 = 12_000.0;
/// and plans that take more multiplications are not tried.
const MOST_WORK: u64 = 1 << 30;

impl<'a> Planner<'a> {
    pub fn new(steps: &'a Steps, direction: Direction, side: LawBound, tail: f64) -> Self {
        let models: Vec<Model> = steps
            .list
            .iter()
            .map(|(step, _)| Model::new(step, direction))
            .collect();
        let ranges = models.iter().zip(&steps.list);
        let ranges = ranges.map(|(model, (_, times))| model.range(tail / (4.0 * *times as f64)));
        Self {
            steps,
            direction,
            side,
            tail,
            ranges: ranges.collect(),
            models,
        }
    }

    /// Standard deviation of the loss of the composition.
    fn spread(&self) -> f64 {
        let all = self.models.iter().zip(&self.ranges).zip(&self.steps.list);
        let variance =
            all.map(|((model, range), (_, times))| model.variance(*range) * *times as f64);
        variance.sum::<f64>().sqrt()
    }

    /// Lattice steps, each half of the one before, and how many atoms to keep; such that the losses of randomised response are on the lattice.
    pub fn lattices(&self) -> Vec<(Rational, usize)> {
        let coarsest = (self.spread() / 2.0).clamp(1e-9, 32.0);
        let on_lattice = self.steps.list.iter().find_map(|(step, _)| match step {
            Step::Response { epsilon, .. } if *epsilon > 0 => Some(epsilon.clone()),
            _ => None,
        });
        let first = match on_lattice {
            Some(epsilon) => {
                let cells = (nearest(&epsilon) / coarsest).ceil().clamp(1.0, 1e6);
                epsilon / Integer::from(cells as u64)
            }
            None => {
                let exponent = coarsest.log2().floor() as i32;
                if exponent >= 0 {
                    Rational::from(Integer::from(1) << exponent.unsigned_abs())
                } else {
                    Rational::from((
                        Integer::from(1),
                        Integer::from(1) << exponent.unsigned_abs(),
                    ))
                }
            }
        };
        let atoms = |k: u32| MOST_ATOMS << k.saturating_sub(6).min(3);
        (0..24u32).map(|k| (first.clone() >> k, atoms(k))).collect()
    }

    /// The plan with this lattice step; `None` if it is too much work.
    pub fn plan(&self, step: &Rational, atoms: usize) -> Option<Planned> {
        let h = nearest(step);
        let most = self.steps.list.iter().map(|(_, times)| *times).max()?;
        let total: f64 = self.steps.list.iter().map(|(_, times)| *times as f64).sum();
        let light_bits = (self.tail / (4.0 * total)).log2().floor() + 120.0;
        let light_bits = light_bits.clamp(0.0, 119.0);
        let light = (light_bits - 120.0).exp2();
        let mut work = Work::default();
        let mut parts = Vec::new();
        let mut whole: Option<Law> = None;
        for ((model, range), (_, times)) in
            self.models.iter().zip(&self.ranges).zip(&self.steps.list)
        {
            let level = ((most / times).ilog2() / 2).min(20);
            let width = h * f64::from(level).exp2();
            let (low, high) = (
                (range.0 / width).floor(),
                (range.1 / width - 1e-9).ceil().max(1.0),
            );
            if !(high - low <= MOST_POINTS && high.max(-low) < 1e9) {
                return None;
            }
            let (first, last) = (low.min(high - 1.0) as i64, high as i64);
            let once = Law::of_step(model, self.side, width, first, last);
            let (law, coarsen) = power(&once, *times, light, atoms, &mut work)?;
            parts.push(json!({"coarsen": coarsen, "first": first, "last": last, "level": level}));
            whole = Some(match whole {
                None => law,
                Some(others) => joined(others, law, light, &mut work),
            });
        }
        if work.0 > MOST_WORK {
            return None;
        }
        let mut json = Map::new();
        json.insert("light".to_owned(), Value::from(light_bits as u64));
        json.insert("parts".to_owned(), Value::from(parts));
        json.insert("step".to_owned(), Value::from(step.to_string()));
        Some(Planned {
            json: Value::Object(json),
            law: whole?,
        })
    }

    pub fn direction(&self) -> Direction {
        self.direction
    }
}

fn power(
    once: &Law,
    times: u64,
    light: f64,
    atoms: usize,
    work: &mut Work,
) -> Option<(Law, Vec<u32>)> {
    let mut once = once.clone().trimmed(light);
    let mut law = once.clone();
    let mut coarsen = Vec::new();
    for bit in (0..times.ilog2()).rev() {
        law = law.times(&law, work).trimmed(light);
        let mut count = 0;
        while law.atoms() > atoms && count < 8 {
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
