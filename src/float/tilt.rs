//! Exponentially tilted copies of a composition: where each is centred and how wide it is.

use super::atoms::Step;
use super::elementary::{exp, exp_m1, hypot, ln, ln_1p, pow, powi};
use super::law::Atom;

/// Mean and spread of a law of weight e^{tL}·Q, and the logarithm of its total.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Moments {
    /// log E e^{tL}.
    pub log_total: f64,
    pub mean: f64,
    pub sd: f64,
}

/// One copy of the composition's law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tilt {
    /// The weight is e^{tL}; t = 0 is Q, t = −1 is P.
    pub t: f64,
    pub moments: Moments,
    /// Losses beyond which it has less than e^{−40} of its mass.
    pub window: (f64, f64),
}

impl Tilt {
    /// Q, P, or between.
    pub(super) fn is_central(&self) -> bool {
        (-1.0..=0.0).contains(&self.t)
    }

    /// Length of the window.
    pub(super) fn width(&self) -> f64 {
        self.window.1 - self.window.0
    }
}

/// Copies are at most this much wider than those of Q and P.
const WIDENED: f64 = 3.0;
/// −log of the tail masses at which copies are centred: 6 and 12 standard deviations out.
const LEVELS: [f64; 2] = [18.0, 72.0];
/// −log of the mass that may wrap around.
const WRAPPED: f64 = 40.0;
/// Resources of Q and P this many standard deviations apart are served by one copy between, without a seam in the bulk.
const ONE_FOR_BOTH: f64 = 4.0;
/// Standard deviations between neighbouring copies.
const PACE: f64 = 7.0;

/// log Σ m_i·e^{t y_i}, mean and spread, under the masses of one step.
///
/// The total is 1 at t = 0 but for the mass at +∞, and at t = −1 but for the mass at −∞: near those the sum is taken
/// over e^{ty} − 1, so that it stays accurate when it is multiplied by a large number of steps.
pub(super) fn moments(step: &Step, t: f64) -> Moments {
    let exponent = |atom: &Atom| atom.log_mass + t * atom.loss;
    let largest = step
        .atoms
        .iter()
        .map(exponent)
        .fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return Moments {
            log_total: f64::NEG_INFINITY,
            mean: 0.0,
            sd: 0.0,
        };
    }
    let (mut total, mut first) = (0.0, 0.0);
    for atom in &step.atoms {
        let weight = exp(exponent(atom) - largest);
        total += weight;
        first += weight * atom.loss;
    }
    let mean = first / total;
    // Losses may be so small that their squares vanish.
    let scale = step
        .atoms
        .iter()
        .map(|atom| (atom.loss - mean).abs())
        .fold(0.0, f64::max)
        .max(f64::MIN_POSITIVE);
    let second: f64 = step
        .atoms
        .iter()
        .map(|atom| exp(exponent(atom) - largest) * powi((atom.loss - mean) / scale, 2))
        .sum();
    let from_sum = largest + ln(total);
    let log_total = if from_sum.abs() > 0.3 {
        from_sum
    } else {
        small_log_total(step, t).unwrap_or(from_sum)
    };
    Moments {
        log_total,
        mean,
        sd: scale * (second / total).sqrt(),
    }
}

fn small_log_total(step: &Step, t: f64) -> Option<f64> {
    let (power, tilt, missing) = if t >= -0.5 {
        (t, 0.0, step.infinite)
    } else {
        (t + 1.0, 1.0, step.null_only)
    };
    let mut sum = -missing;
    for atom in &step.atoms {
        let change = power * atom.loss;
        if change > 300.0 {
            return None;
        }
        sum += exp(atom.log_mass - tilt * atom.loss) * exp_m1(change);
    }
    (sum.abs() < 0.5).then(|| ln_1p(sum))
}

/// The same for the whole composition.
pub(super) fn total(steps: &[Step], t: f64) -> Moments {
    let mut all = Moments {
        log_total: 0.0,
        mean: 0.0,
        sd: 0.0,
    };
    for step in steps {
        let one = moments(step, t);
        all.log_total += step.times * one.log_total;
        all.mean += step.times * one.mean;
        all.sd = hypot(all.sd, step.times.sqrt() * one.sd);
    }
    all
}

/// The copies needed to know the law of a composition where Q or P has more than about e^{−90} beyond.
pub(super) fn tilts(coarse: &[Step]) -> Vec<Tilt> {
    let (under_q, under_p) = (total(coarse, 0.0), total(coarse, -1.0));
    let gap = (under_q.mean - under_p.mean) / under_q.sd.min(under_p.sd).max(f64::MIN_POSITIVE);
    let mut chosen = if gap > ONE_FOR_BOTH {
        vec![(0.0, under_q), (-1.0, under_p)]
    } else {
        vec![(-0.5, total(coarse, -0.5))]
    };
    chosen.extend(outward(coarse, 0.0, 1.0));
    chosen.extend(outward(coarse, -1.0, -1.0));
    if gap > PACE {
        let needed = (gap / PACE).ceil() - 1.0;
        if needed <= 4.0 {
            let between = (1..=needed as i32).map(|i| -f64::from(i) / (needed + 1.0));
            chosen.extend(between.map(|t| (t, total(coarse, t))));
        } else {
            chosen.extend(
                outward(coarse, 0.0, -1.0)
                    .into_iter()
                    .filter(|c| c.0 > -0.5),
            );
            chosen.extend(
                outward(coarse, -1.0, 1.0)
                    .into_iter()
                    .filter(|c| c.0 < -0.5),
            );
        }
    }
    chosen.retain(|(_, moments)| moments.log_total.is_finite() && moments.mean.is_finite());
    chosen.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut tilts: Vec<Tilt> = chosen
        .into_iter()
        .map(|(t, moments)| Tilt {
            t,
            moments,
            window: (
                chernoff(coarse, t, moments, -1.0),
                chernoff(coarse, t, moments, 1.0),
            ),
        })
        .collect();
    // Tails so heavy that a tilt leads to a law of another scale would cost all others their resolution.
    let usual = tilts
        .iter()
        .filter(|tilt| tilt.is_central())
        .map(Tilt::width)
        .fold(0.0, f64::max);
    tilts.retain(|tilt| tilt.width() <= WIDENED * usual);
    tilts
}

/// The tilts at which the mean lies where the copy at `from` has a tail of e^{−level}, in one direction.
fn outward(steps: &[Step], from: f64, direction: f64) -> Vec<(f64, Moments)> {
    let start = total(steps, from);
    if start.sd <= 0.0 {
        return Vec::new();
    }
    let level = |t: f64| {
        let at = total(steps, t);
        let rate = (t - from) * at.mean - (at.log_total - start.log_total);
        (rate, at)
    };
    let mut found = Vec::new();
    for wanted in LEVELS {
        let (mut low, mut high) = (0.0, f64::sqrt(2.0 * wanted) / start.sd);
        let mut reached = false;
        for _ in 0..40 {
            let (rate, at) = level(from + direction * high);
            if !rate.is_finite() || at.sd <= 1e-6 * start.sd {
                break;
            }
            if rate >= wanted {
                reached = true;
                break;
            }
            (low, high) = (high, 2.0 * high);
        }
        if !reached {
            break;
        }
        for _ in 0..8 {
            let middle = (low + high) / 2.0;
            if level(from + direction * middle).0 >= wanted {
                high = middle;
            } else {
                low = middle;
            }
        }
        let t = from + direction * high;
        found.push((t, total(steps, t)));
    }
    found
}

/// Chernoff's bound of the loss beyond which the copy has e^{−WRAPPED} of its mass.
fn chernoff(steps: &[Step], t: f64, at: Moments, direction: f64) -> f64 {
    let end = |step: &Step| {
        let end = if direction > 0.0 {
            step.atoms.last()
        } else {
            step.atoms.first()
        };
        step.times * end.map_or(0.0, |atom| atom.loss)
    };
    let farthest: f64 = steps.iter().map(end).sum();
    let mut distance = (farthest - at.mean).abs();
    if at.sd > 0.0 {
        for half_octaves in -16..16 {
            let s = pow(2f64, f64::from(half_octaves) / 2.0) * 4.0 / at.sd;
            let moved = total(steps, t + direction * s).log_total - at.log_total;
            let bound = (moved + WRAPPED) / s - direction * at.mean;
            if bound.is_finite() {
                distance = distance.min(bound.max(0.0));
            } else {
                break;
            }
        }
    }
    at.mean + direction * distance
}
