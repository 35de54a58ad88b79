//! What the checker's integer laws come to, in f64: the same discretisation, convolutions, coarsenings and trims.

use super::model::Model;
use crate::float::elementary::{exp, exp_m1, powi};

/// From which side a law bounds δ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LawBound {
    Upper,
    Lower,
}

/// Atoms at offset + (first + i)·h; `a` = P-mass·e^y for a lower law.
#[derive(Clone)]
pub(super) struct Law {
    side: LawBound,
    h: f64,
    offset: f64,
    first: i64,
    q: Vec<f64>,
    a: Vec<f64>,
    top: f64,
}

/// Multiplications that the checker has to do.
#[derive(Default)]
pub(super) struct Work(pub u64);

impl Law {
    /// One step at first·h … last·h.
    pub fn of_step(model: &Model, side: LawBound, h: f64, first: i64, last: i64) -> Self {
        let shift = match side {
            LawBound::Upper => 0.0,
            LawBound::Lower => h / 2.0,
        };
        let knots = (first..=last).map(|i| i as f64 * h - shift);
        let (mut q, mut a, mut top) = (Vec::new(), Vec::new(), 0.0);
        match side {
            LawBound::Upper => {
                let deltas: Vec<f64> = knots.map(|y| model.at(y).0).collect();
                top = deltas.last().copied().unwrap_or(1.0);
                let mut above = top;
                for (near, far) in deltas.iter().zip(deltas.iter().skip(1)).rev() {
                    let tail =
                        (near + (near - far).max(0.0) / exp_m1(h)).clamp(above, 1f64.max(above));
                    q.push(tail - above);
                    above = tail;
                }
                q.push((1.0 - above).max(0.0));
                q.reverse();
            }
            LawBound::Lower => {
                let points: Vec<(f64, f64, f64)> =
                    knots.map(|y| (y, model.power(y), model.at(y).1)).collect();
                let ends = points
                    .iter()
                    .skip(1)
                    .map(|(_, power, null)| (*power, *null));
                for ((y, power, null), far) in points.iter().zip(ends.chain([(0.0, 0.0)])) {
                    q.push((power - far.0).max(0.0));
                    a.push((null - far.1).max(0.0) * exp(y + shift));
                }
            }
        }
        Self {
            side,
            h,
            offset: 0.0,
            first,
            q,
            a,
            top,
        }
    }

    pub fn atoms(&self) -> usize {
        self.q.len()
    }

    pub fn step(&self) -> f64 {
        self.h
    }

    /// Variance of the finite losses under Q.
    pub fn variance(&self) -> f64 {
        let (mut total, mut mean, mut square) = (1e-300, 0.0, 0.0);
        for (y, q) in self.places().zip(&self.q) {
            total += q;
            mean += q * y;
        }
        mean /= total;
        for (y, q) in self.places().zip(&self.q) {
            square += q * powi(y - mean, 2);
        }
        square / total
    }

    /// What making it coarser adds to its variance: atoms at odd points move by one point.
    pub fn coarsening(&self) -> f64 {
        let total: f64 = self.q.iter().sum();
        let skip = usize::from(self.first.rem_euclid(2) == 0);
        let odd: f64 = self.q.iter().skip(skip).step_by(2).sum();
        odd / total.max(1e-300) * self.h * self.h
    }

    pub fn times(&self, other: &Self, work: &mut Work) -> Self {
        let kinds = if self.side == LawBound::Upper { 1 } else { 2 };
        work.0 = work
            .0
            .saturating_add((self.q.len() * other.q.len() * kinds) as u64);
        Self {
            side: self.side,
            h: self.h,
            offset: self.offset + other.offset,
            first: self.first + other.first,
            q: convolve(&self.q, &other.q),
            a: convolve(&self.a, &other.a),
            top: other.top + self.top * other.q.iter().sum::<f64>(),
        }
    }

    pub fn coarsened(&self) -> Self {
        let low = self.first.div_euclid(2);
        let last = self.first + self.q.len() as i64 - 1;
        let at = |masses: &[f64], i: i64| {
            usize::try_from(i - self.first)
                .ok()
                .and_then(|i| masses.get(i).copied())
                .unwrap_or(0.0)
        };
        let (mut q, mut a) = (Vec::new(), Vec::new());
        let shift = match self.side {
            LawBound::Upper => {
                let up = 1.0 / (1.0 + exp(-self.h));
                for k in low..=(last + 1).div_euclid(2) {
                    let odd = at(&self.q, 2 * k - 1) * up + at(&self.q, 2 * k + 1) * (1.0 - up);
                    q.push(at(&self.q, 2 * k) + odd);
                }
                0.0
            }
            LawBound::Lower => {
                let grow = exp(self.h / 2.0);
                for k in low..=last.div_euclid(2) {
                    q.push(at(&self.q, 2 * k) + at(&self.q, 2 * k + 1));
                    a.push(at(&self.a, 2 * k) * grow + at(&self.a, 2 * k + 1) / grow);
                }
                self.h / 2.0
            }
        };
        Self {
            side: self.side,
            h: self.h * 2.0,
            offset: self.offset + shift,
            first: low,
            q,
            a,
            top: self.top,
        }
    }

    pub fn trimmed(mut self, light: f64) -> Self {
        let count = |masses: &mut dyn Iterator<Item = &f64>| {
            let (mut total, mut count) = (0.0, 0usize);
            for mass in masses {
                if total + mass > light {
                    break;
                }
                total += mass;
                count += 1;
            }
            (total, count)
        };
        let (right, gone) = count(&mut self.q.iter().rev());
        self.q.truncate(self.q.len() - gone);
        self.a.truncate(self.q.len());
        let (left, gone) = count(&mut self.q.iter());
        self.q.drain(..gone);
        self.a.drain(..gone.min(self.a.len()));
        self.first += gone as i64;
        if self.side == LawBound::Upper {
            self.top += right;
            match self.q.first_mut() {
                Some(first) => *first += left,
                None => self.top += left,
            }
        }
        self
    }

    /// The bound of δ(ε).
    pub fn delta(&self, epsilon: f64) -> f64 {
        let places = (0i64..).map(|i| self.offset + (self.first + i) as f64 * self.h);
        let hinges = places
            .zip(&self.q)
            .enumerate()
            .map(|(i, (y, q))| match self.a.get(i) {
                Some(a) => (q - exp(epsilon - y) * a).max(0.0),
                None if y > epsilon => -exp_m1(epsilon - y) * q,
                None => 0.0,
            });
        self.top + hinges.sum::<f64>()
    }

    /// The power of the best test of size `alpha`, of a lower law.
    pub fn power_at(&self, alpha: f64) -> f64 {
        let (mut left, mut power) = (alpha, self.top);
        for (i, (q, a)) in self.q.iter().zip(&self.a).enumerate().rev() {
            let p = a * exp(-(self.offset + (self.first + i as i64) as f64 * self.h));
            if p > left {
                return power + q * left / p;
            }
            left -= p;
            power += q;
        }
        power
    }

    /// Power and size of the test, no larger than `alpha`, of the atoms of a lower law that gain more power than size.
    pub fn advantage_at(&self, alpha: f64) -> (f64, f64) {
        let (mut size, mut power) = (0.0, self.top);
        for ((q, a), place) in self.q.iter().zip(&self.a).rev().zip(self.places_down()) {
            let p = a * exp(-place);
            if p > *q || size + p > alpha {
                break;
            }
            size += p;
            power += q;
        }
        (power, size)
    }

    fn places_down(&self) -> impl Iterator<Item = f64> + '_ {
        let last = |i: usize| self.offset + (self.first + i as i64) as f64 * self.h;
        (0..self.q.len()).rev().map(last)
    }

    /// Lattice points where the law has mass.
    pub fn places(&self) -> impl Iterator<Item = f64> + '_ {
        (0i64..)
            .map(|i| self.offset + (self.first + i) as f64 * self.h)
            .take(self.q.len())
    }
}

fn convolve(a: &[f64], b: &[f64]) -> Vec<f64> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    let mut product = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (slot, y) in product.iter_mut().skip(i).zip(b) {
            *slot += x * y;
        }
    }
    product
}
