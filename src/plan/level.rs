//! Where δ, or the null's tail, falls to a level, by the normal law that is tilted there.

use crate::float::elementary::ln;
use crate::float::{Cumulants, Tilt, mills};

/// What falls to a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Level {
    Delta,
    NullTail,
}

/// A tilt is found in so many steps at most.
const STEPS: u32 = 60;

impl Level {
    /// About its logarithm at the ε that is the mean at the tilt t, and how fast that falls with t. With ψ(x) = e^{x²/2}·Φ(−x) and s the standard deviation there,
    /// δ = g·e^{−tε}·(ψ(ts) − ψ((t + 1)s)), and the null's tail is g·e^{−(t + 1)ε}·ψ((t + 1)s).
    pub(super) fn at(self, t: f64, at: Cumulants) -> (f64, f64) {
        let sd = at.variance.sqrt();
        let scale = std::f64::consts::TAU.sqrt();
        let far = mills((t + 1.0) * sd);
        let fall = 1.0 / (t + 1.0 + 1.0 / sd);
        match self {
            Self::Delta => (
                at.log_total - t * at.mean + ln((mills(t * sd) - far) / scale),
                t * at.variance + 1.0 / (t + 1.0 / sd) + fall,
            ),
            Self::NullTail => (
                at.log_total - (t + 1.0) * at.mean + ln(far / scale),
                (t + 1.0) * at.variance + fall,
            ),
        }
    }

    /// The tilt where its logarithm is the wanted one up to `near`, and the cumulants there.
    pub(super) fn tilt(
        self,
        wanted: f64,
        near: f64,
        total: &dyn Fn(f64) -> Cumulants,
    ) -> Option<Tilt> {
        let start = (-2.0 * wanted).max(0.1).sqrt() / total(0.0).variance.sqrt();
        self.tilt_from(start, wanted, near, total)
    }

    /// The same, looked for from a tilt on.
    pub(super) fn tilt_from(
        self,
        start: f64,
        wanted: f64,
        near: f64,
        total: &dyn Fn(f64) -> Cumulants,
    ) -> Option<Tilt> {
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut t = start;
        let mut before = f64::INFINITY;
        for _ in 0..STEPS {
            let at = total(t);
            let (found, slope) = self.at(t, at);
            let rise = found - wanted;
            if rise.abs() < near {
                return Some((t, at));
            }
            // Too far, or beyond f64.
            if rise > 0.0 {
                low = t
            } else {
                high = t
            }
            let next = t + rise / slope;
            // Far beyond the tilt of a rare loss the slope alone leads back slowly.
            let is_slow = rise < 0.0 && rise.abs() > before / 4.0;
            before = rise.abs();
            t = match high.is_infinite() {
                _ if next > low && next < high && !is_slow => next,
                true => 2.0 * t,
                false => (low + high) / 2.0,
            };
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of losses that are Poisson jumps, rare and large beside a normal law, steps by the slope alone go to and fro; the tilt is found all the same.
    #[test]
    fn tilts_of_rare_large_losses_are_found() {
        let asked = std::cell::Cell::new(0);
        let total = |t: f64| {
            asked.set(asked.get() + 1);
            let (rate, jump, variance) = (1e-3, 2.0, 1e-4);
            let up = rate * crate::float::elementary::exp(t * jump);
            Cumulants {
                log_total: variance * t * t / 2.0 + up - rate,
                mean: variance * t + up * jump,
                variance: variance + up * jump * jump,
            }
        };
        for what in [Level::Delta, Level::NullTail] {
            for wanted in [-10.0, -23.0, -60.0] {
                asked.set(0);
                let (t, at) = what.tilt(wanted, 1e-4, &total).unwrap();
                assert!((what.at(t, at).0 - wanted).abs() < 1e-4, "{wanted}: {t}");
                assert!(asked.get() < 24, "{wanted}: {}", asked.get());
            }
        }
    }
}
