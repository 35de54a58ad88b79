//! The best tests of a class of mechanisms of which Rényi guarantees are known.

use super::prove::Prover;
use super::steps::Steps;
use super::tails::slope;
use crate::float::elementary::{exp, ln, ln_1p};
use crate::float::nearest;
use crate::mechanism::Step;
use crate::renyi::concentrated_at_most;

/// A power above this is 1.
pub(super) const FULL: f64 = 1.0 - 1e-15;

/// Certificates have no smaller δ, and what the checker computes with has tests with this one.
pub(super) const UNSEEN: f64 = 1e-38;

/// A test of power q and size p whose divergence at the order t is as large as is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch {
    pub order: f64,
    pub q: f64,
    pub p: f64,
    /// q − u·p
    pub delta: f64,
}

/// What is known of the Rényi divergences of a step.
#[derive(Debug)]
enum Known {
    /// D_t ≤ ρ·t.
    Line(f64),
    /// Orders in rising order, with the least that is known there or at a larger one.
    List(Vec<(f64, f64)>),
    Nothing,
}

/// The same of each step.
#[derive(Debug)]
pub(super) struct Tables(Vec<Known>);

impl Tables {
    pub fn of(steps: &Steps) -> Self {
        let has_class = steps.has_class();
        let table = |(step, _): &(Step, u64)| {
            let Step::Rdp { orders } = step else {
                let by_loss = || has_class.then(|| concentrated_at_most(step)).flatten();
                let rho = slope(step).or_else(by_loss);
                return rho.map_or(Known::Nothing, |rho| Known::Line(nearest(&rho)));
            };
            let mut all: Vec<_> = orders
                .iter()
                .map(|(t, e)| (nearest(t), nearest(e)))
                .collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut least = f64::INFINITY;
            for (_, epsilon) in &mut all {
                least = least.min(*epsilon);
                *epsilon = least;
            }
            all.reverse();
            Known::List(all)
        };
        Self(steps.list.iter().map(table).collect())
    }
}

impl Prover<'_> {
    /// (t − 1)·D_t is at most this; `None` where nothing is known.
    pub(super) fn known(&self, t: f64) -> Option<f64> {
        let one = |((_, times), known): (&(Step, u64), &Known)| {
            let one = match known {
                Known::Line(rho) => rho * t * (t - 1.0),
                Known::List(table) => {
                    let next = table.partition_point(|(order, _)| *order < t);
                    table.get(next)?.1 * (t - 1.0)
                }
                Known::Nothing => return None,
            };
            Some(one * *times as f64)
        };
        let all = self.steps.list.iter().zip(&self.tables.0);
        all.map(one).sum()
    }

    /// The largest power of a test of this size, by the order t; `scale` of what is known. `None` where nothing is, or the time is over.
    pub(super) fn power_at(&self, t: f64, p: f64, scale: f64) -> Option<f64> {
        self.budget.check().ok()?;
        let most = self.known(t)? * scale;
        let (mut low, mut high) = (p, 1.0 - 1e-16);
        if log_moment(t, high, p) <= most {
            return Some(high);
        }
        for _ in 0..90 {
            let middle = if low < 1e-3 && high / low > 4.0 {
                (low * high).sqrt()
            } else {
                (low + high) / 2.0
            };
            if log_moment(t, middle, p) <= most {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    /// Where q − u·p is largest, by the order t.
    pub(super) fn touch_at(&self, t: f64, u: f64, scale: f64) -> Option<Touch> {
        let (mut low, mut high) = (-690.0f64, ln(0.5f64));
        for _ in 0..80 {
            let middle = (low + high) / 2.0;
            let p = exp(middle);
            let q = self.power_at(t, p, scale)?;
            let (of_q, of_p) = log_slopes(t, q, p);
            // The slope of q in p falls; where q is 1 it is 0.
            if q < FULL && of_p - of_q > ln(u) {
                low = middle;
            } else {
                high = middle;
            }
        }
        let p = exp(high);
        let q = self.power_at(t, p, scale)?;
        let delta = q - u * p;
        Some(Touch {
            order: t,
            q,
            p,
            delta,
        })
    }

    /// Orders that are known, where these are a list.
    pub(super) fn listed(&self) -> Vec<f64> {
        let lists = self.tables.0.iter().filter_map(|known| match known {
            Known::List(table) => Some(table),
            Known::Line(_) | Known::Nothing => None,
        });
        lists.flatten().map(|(order, _)| *order).collect()
    }

    /// The order at which something is least: one that is known, or any.
    pub(super) fn least(&self, value: impl Fn(f64) -> Option<f64>) -> Option<(f64, f64)> {
        let listed = self.listed();
        let at = |t: f64| Some((t, value(t)?));
        if !listed.is_empty() {
            let all = listed.into_iter().filter_map(at);
            return all.min_by(|a, b| a.1.total_cmp(&b.1));
        }
        let log = highest_of(-16.0, 12.0, |x| {
            -value(1.0 + exp(x)).unwrap_or(f64::INFINITY)
        });
        at(1.0 + exp(log))
    }

    /// The order that binds a test of this size, and its largest power.
    pub(super) fn power(&self, p: f64, scale: f64) -> Option<(f64, f64)> {
        self.least(|t| self.power_at(t, p, scale))
    }

    /// The size of the best test that is its own mirror image, p = 1 − q, and the order that binds it.
    pub(super) fn even(&self, scale: f64) -> Option<(f64, f64)> {
        let size = crossing(0.0, 0.5, |p| {
            self.power(p, scale).is_some_and(|(_, q)| q + p > 1.0)
        });
        Some((size, self.power(size, scale)?.0))
    }

    /// The size of the best test of this power, below `even`.
    pub(super) fn size(&self, power: f64, even: f64, scale: f64) -> Option<f64> {
        let size = crossing(-690.0, ln(even), |x| {
            self.power(exp(x), scale).is_some_and(|(_, q)| q > power)
        });
        Some(exp(size)).filter(|size| *size > 0.0)
    }

    /// Is the divergence of a test larger than is known, at another order of a list?
    pub(super) fn has_more(&self, touch: &Touch, scale: f64) -> bool {
        let mut others = self.listed().into_iter();
        others.any(|t| {
            let most = self.known(t).unwrap_or(f64::INFINITY) * scale;
            log_moment(t, touch.q, touch.p) > most + 1e-9
        })
    }

    /// The test of the class for which q − u·p is largest.
    pub(super) fn touch(&self, u: f64, scale: f64) -> Option<Touch> {
        if u < 1.0 {
            let touch = self.touch(1.0 / u, scale)?;
            let (q, p) = (1.0 - touch.p, 1.0 - touch.q);
            let delta = 1.0 - u + u * touch.delta;
            return Some(Touch {
                q,
                p,
                delta,
                ..touch
            });
        }
        // The first order that is enough.
        let delta = |t| Some(self.touch_at(t, u, scale)?.delta.max(UNSEEN));
        let (order, _) = self.least(delta)?;
        let mut best = self.touch_at(order, u, scale)?;
        if best.delta > UNSEEN && self.has_more(&best, scale) {
            // Two orders bind.
            let log = highest_of(-690.0, ln(0.5f64), |x| {
                let p = exp(x);
                self.power(p, scale).map_or(-1.0, |(_, q)| q - u * p)
            });
            let p = exp(log);
            let (order, q) = self.power(p, scale)?;
            let delta = q - u * p;
            best = Touch { order, q, p, delta };
        }
        if best.q + best.p <= 1.0 {
            return Some(best);
        }
        // Beyond the middle the other order of the pair binds.
        let (p, order) = self.even(scale)?;
        let q = 1.0 - p;
        let delta = q - u * p;
        Some(Touch { order, q, p, delta })
    }
}

/// Where something begins to hold.
fn crossing(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// log(q^t·p^(1−t) + (1 − q)^t·(1 − p)^(1−t))
pub(super) fn log_moment(t: f64, q: f64, p: f64) -> f64 {
    let one = t * ln(q) + (1.0 - t) * ln(p);
    let other = t * ln_1p(-q) + (1.0 - t) * ln_1p(-p);
    let most = one.max(other);
    most + ln(exp(one - most) + exp(other - most))
}

/// Logarithms of its slope in q and of minus its slope in p, q > p.
pub(super) fn log_slopes(t: f64, q: f64, p: f64) -> (f64, f64) {
    let ratio = ln(q / p);
    let other = ln_1p(-q) - ln_1p(-p);
    let of_q = ln(t) + (t - 1.0) * ratio + ln_1p(-exp((t - 1.0) * (other - ratio)));
    let of_p = ln(t - 1.0) + t * ratio + ln_1p(-exp(t * (other - ratio)));
    (of_q, of_p)
}

/// Where a function with one peak is highest.
fn highest_of(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    const SHARE: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (high - SHARE * (high - low), low + SHARE * (high - low));
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..50 {
        if at_a >= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - SHARE * (high - low);
            at_a = value(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + SHARE * (high - low);
            at_b = value(b);
        }
    }
    (low + high) / 2.0
}
