//! Pairs with few outcomes in f64, alone and composed.

use super::model::{guaranteed, responses};
use super::steps::{Steps, geometric, guarantee, response, response_or_uniform, vectors};
use crate::float::elementary::{exp, exp_m1, ln};
use crate::float::nearest;
use crate::mechanism::{Direction, Step};

/// Compositions with more outcomes than this have laws instead.
const MOST: usize = 512;
/// The checker does not list more ways in which runs come out,
const MOST_WAYS: u64 = 4096;
/// nor what noise on the integers tells that is moved by more.
const MOST_APART: u64 = 64;

/// Outcomes with their losses, the largest first.
pub(super) struct Atoms {
    /// (Q-mass, P-mass, loss)
    list: Vec<(f64, f64, f64)>,
    /// The Q-mass and the P-mass up to each, the first of them nothing.
    sums: Vec<(f64, f64)>,
}

impl Atoms {
    /// From (Q-mass, P-mass).
    pub fn new(masses: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let masses = masses.into_iter().filter(|(q, p)| *q > 0.0 || *p > 0.0);
        let mut list: Vec<_> = masses.map(|(q, p)| (q, p, ln(q / p))).collect();
        list.sort_unstable_by(|a, b| b.2.total_cmp(&a.2));
        list.dedup_by(|one, before| {
            // Losses without end are alike, too.
            let is_same =
                one.2 == before.2 || (one.2 - before.2).abs() < 1e-13 * (1.0 + one.2.abs());
            if is_same {
                *before = (before.0 + one.0, before.1 + one.1, before.2);
            }
            is_same
        });
        let mut sums = vec![(0.0, 0.0)];
        for (q, p, _) in &list {
            let (of_q, of_p) = sums.last().copied().unwrap_or_default();
            sums.push((of_q + q, of_p + p));
        }
        Self { list, sums }
    }

    /// Of a step that has few outcomes.
    pub fn of_step(step: &Step, direction: Direction) -> Option<Self> {
        let (with, without): (Vec<f64>, Vec<f64>) = if let Some((epsilon, k)) = response(step) {
            responses(nearest(&epsilon.rational_down()), k as f64)
        } else if let Some((epsilon, delta)) = guarantee(step) {
            guaranteed(nearest(&epsilon.rational_down()), nearest(delta))
        } else if let Some((epsilon, k)) = response_or_uniform(step) {
            let (odds, k) = (exp(nearest(&epsilon.rational_down())), k as f64);
            let total = odds + k - 1.0;
            vec![(odds / total, 1.0 / k), ((k - 1.0) / total, (k - 1.0) / k)]
        } else if let Some((scale, distance)) = geometric(step).filter(|(_, d)| *d <= MOST_APART) {
            geometric_masses(nearest(scale), distance)
        } else if let Some((p, q)) = step.two_outcomes() {
            let (p, q) = (nearest(p), nearest(q));
            vec![(q, p), (1.0 - q, 1.0 - p)]
        } else {
            let (p, q) = vectors(step)?;
            q.iter().map(nearest).zip(p.iter().map(nearest)).collect()
        }
        .into_iter()
        .unzip();
        Some(Self::new(match direction {
            Direction::Remove => with.into_iter().zip(without).collect::<Vec<_>>(),
            Direction::Add => without.into_iter().zip(with).collect(),
        }))
    }

    /// Also on a sample, whose small losses lose digits.
    pub fn listed(step: &Step, direction: Direction) -> Option<Self> {
        let Step::Sampled(sampled) = step else {
            return Self::of_step(step, direction);
        };
        let [(of, 1)] = sampled.of().list() else {
            return None;
        };
        let (inner, rate) = (Self::of_step(of, direction)?, nearest(sampled.rate()));
        let mixed = |p: f64, q: f64| (1.0 - rate) * p + rate * q;
        Some(Self::new(inner.list.iter().map(
            |(q, p, _)| match direction {
                Direction::Remove => (mixed(*p, *q), *p),
                Direction::Add => (*q, mixed(*q, *p)),
            },
        )))
    }

    /// Of a composition, as long as there are few; the checker multiplies them out.
    pub fn of_steps(steps: &Steps, direction: Direction) -> Option<Self> {
        let mut all = Self::new([(1.0, 1.0)]);
        for (step, times) in &steps.list {
            let one = Self::listed(step, direction)?;
            for _ in 0..*times {
                if one.list.len() < 2 || all.list.len() > MOST {
                    return None;
                }
                let pairs = all.list.iter().flat_map(|(q, p, _)| {
                    let others = one.list.iter();
                    others.map(move |(r, s, _)| (q * r, p * s))
                });
                all = Self::new(pairs);
            }
        }
        (all.list.len() <= MOST).then_some(all)
    }

    /// Has the checker few enough outcomes of a composition?
    pub fn are_listed(steps: &Steps) -> bool {
        let mut ways = 1u64;
        for (step, times) in &steps.list {
            let Some(one) = Self::listed(step, Direction::Remove) else {
                return false;
            };
            let mut of_step = 1u64;
            for n in (1..).take(one.list.len().saturating_sub(1)) {
                of_step = of_step.saturating_mul(times.saturating_add(n)) / n;
                if of_step > MOST_WAYS {
                    return false;
                }
            }
            ways = ways.saturating_mul(of_step);
        }
        ways <= MOST_WAYS
    }

    /// (Q-mass, P-mass, loss)
    pub fn iter(&self) -> impl Iterator<Item = &(f64, f64, f64)> {
        self.list.iter()
    }

    /// δ(ε) and P(L > ε).
    pub fn at(&self, epsilon: f64) -> (f64, f64) {
        let above = self.list.partition_point(|(_, _, loss)| *loss > epsilon);
        let (q, p) = self.sums.get(above).copied().unwrap_or_default();
        let delta = if p == 0.0 { q } else { q - exp(epsilon) * p };
        (delta.max(0.0), p)
    }
}

/// (Q-mass, P-mass) of discrete Laplace noise: what is at 0 or below, what is at the distance or above, and the places between.
fn geometric_masses(scale: f64, distance: u64) -> Vec<(f64, f64)> {
    let mass = |place: u64| {
        let power = exp(-(place as f64) / scale) / (1.0 + exp(-1.0 / scale));
        match place == 0 || place == distance {
            true => power,
            false => power * -exp_m1(-1.0 / scale),
        }
    };
    (0..=distance)
        .map(|place| (mass(distance - place), mass(place)))
        .collect()
}
