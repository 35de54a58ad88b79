//! The law of one tilted copy of a composition, by FFT.

use num_complex::Complex;

use super::atoms::Step;
use super::elementary::{atan2, exp, ln_1p, polar};
use super::grid::Grid;
use super::tilt::{Moments, moments};
use super::transform::Transform;

/// Transforms of one size.
pub(super) struct Transforms(Transform);

/// The masses of a tilted copy.
pub(super) struct Copy {
    /// Mass of the loss origin + step·(first + i).
    pub masses: Vec<f64>,
    /// Index of the first mass.
    pub first: f64,
    /// Where index 0 is.
    pub origin: f64,
    /// log E_Q e^{tL} of the composition.
    pub log_total: f64,
}

/// Products smaller than e^{−NOTHING} are 0.
const NOTHING: f64 = 60.0;

impl Transforms {
    /// `size`, which is a power of two, is that of a [`Grid`].
    pub(super) fn new(size: usize) -> Self {
        Self(Transform::new(size))
    }

    /// Composes the steps, tilted by e^{tL}; `low` is the least loss of the window.
    pub(super) fn copy(&self, steps: &[Step], grid: &Grid, t: f64, low: f64) -> Copy {
        let mut logs = vec![(0.0, 0.0); grid.size / 2 + 1];
        let (mut origin, mut shift, mut log_total) = (0.0, 0.0, 0.0);
        for (step, anchor) in steps.iter().zip(&grid.anchors) {
            let at = moments(step, t);
            // Centred at the mean, to keep phases small.
            let moved = ((at.mean - anchor) / grid.step).round();
            let buffer = self.0.of(spread(step, grid, t, at, *anchor, moved));
            for (sum, z) in logs.iter_mut().zip(&buffer) {
                let square = z.re * (2.0 + z.re) + z.im * z.im;
                sum.0 += step.times * ln_1p(square.max(-1.0)) / 2.0;
                sum.1 += step.times * atan2(z.im, 1.0 + z.re);
            }
            origin += step.times * anchor;
            shift += step.times * moved;
            log_total += step.times * at.log_total;
        }
        // The total is known.
        if let Some(total) = logs.first_mut() {
            *total = (0.0, 0.0);
        }
        let mut masses = self.back(&logs, grid.size);
        // The window starts at `low`; indices are known modulo the size.
        let first = ((low - origin) / grid.step).floor();
        let turn = (first - shift).rem_euclid(grid.size as f64) as usize;
        masses.rotate_left(turn.min(grid.size));
        Copy {
            masses,
            first,
            origin,
            log_total,
        }
    }

    fn back(&self, logs: &[(f64, f64)], size: usize) -> Vec<f64> {
        // The other way round, as masses are real: conjugates forwards.
        let mut buffer: Vec<Complex<f64>> = logs
            .iter()
            .map(|(log, phase)| {
                if *log > -NOTHING {
                    polar(exp(*log) / size as f64, -phase)
                } else {
                    Complex::new(0.0, 0.0)
                }
            })
            .collect();
        // The spectrum of real masses is Hermitian.
        let mirrored = buffer.iter().skip(1).take(size / 2 - 1).rev();
        let mirrored: Vec<_> = mirrored.map(Complex::conj).collect();
        buffer.extend(mirrored);
        self.0.of(buffer).into_iter().map(|z| z.re).collect()
    }
}

/// The tilted atoms on the grid, minus a unit mass at 0, so that what is left has no large term to be rounded against.
///
/// Each atom goes to the four nearest points with the weights of cubic interpolation, which keeps mean, variance and
/// third moment.
fn spread(
    step: &Step,
    grid: &Grid,
    t: f64,
    at: Moments,
    anchor: f64,
    moved: f64,
) -> Vec<Complex<f64>> {
    let size = grid.size as i64;
    let mut points = vec![Complex::new(0.0, 0.0); grid.size];
    let mut taken = 0.0;
    let mut put = |index: i64, mass: f64| {
        let index = usize::try_from(index.rem_euclid(size)).unwrap_or(0);
        if let Some(point) = points.get_mut(index) {
            point.re += mass;
        }
    };
    for atom in &step.atoms {
        let mass = exp(atom.log_mass + t * atom.loss - at.log_total);
        if mass == 0.0 {
            continue;
        }
        let place = (atom.loss - anchor) / grid.step - moved;
        let mut whole = place.floor();
        let (mut part, mut rest) = (place - whole, (whole + 1.0) - place);
        let on_grid = ON_GRID * place.abs().max(1.0);
        if step.is_discrete && part.min(rest) < on_grid {
            if rest < part {
                whole += 1.0;
            }
            (part, rest) = (0.0, 1.0);
        }
        // Each term is small where it should be, without cancellation: rounding is multiplied by the number of steps.
        let outer = -part * rest / 6.0;
        let left = rest * (1.0 + rest) * (1.0 + part) / 2.0;
        let right = part * (1.0 + part) * (1.0 + rest) / 2.0;
        let missing_left = part * (1.0 + part * (1.0 + rest)) / 2.0;
        let missing_right = rest * (1.0 + rest * (1.0 + part)) / 2.0;
        let index = whole as i64;
        put(index - 1, mass * outer * (1.0 + rest));
        put(index + 2, mass * outer * (1.0 + part));
        if index == 0 {
            put(0, -mass * missing_left);
            put(1, mass * right);
        } else if index == -1 {
            put(-1, mass * left);
            put(0, -mass * missing_right);
        } else {
            put(index, mass * left);
            put(index + 1, mass * right);
            taken += mass;
        }
    }
    put(0, -taken);
    points
}

/// Atoms this close to a point of the grid are meant to lie on it.
const ON_GRID: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::super::law::Atom;
    use super::*;

    /// Ten throws of a coin on a lattice, against the binomial law.
    #[test]
    fn binomial_law() {
        let step = Step {
            atoms: vec![
                Atom {
                    loss: -0.25,
                    log_mass: 0.4f64.ln(),
                },
                Atom {
                    loss: 0.75,
                    log_mass: 0.6f64.ln(),
                },
            ],
            infinite: 0.0,
            null_only: 0.0,
            support: (-0.25, 0.75),
            lattice: None,
            is_discrete: true,
            times: 10.0,
        };
        let grid = Grid {
            step: 1.0,
            size: 1024,
            anchors: vec![-0.25],
        };
        let copy = Transforms::new(1024).copy(&[step], &grid, 0.0, -2.5);
        assert_eq!((copy.first, copy.origin), (0.0, -2.5));
        assert!((copy.masses[3] - 120.0 * 0.6f64.powi(3) * 0.4f64.powi(7)).abs() < 1e-15);
        assert!((copy.masses[10] - 0.6f64.powi(10)).abs() < 1e-15);
        assert!(copy.masses[11..].iter().all(|m| m.abs() < 1e-15));
    }

    /// The first three moments survive, wherever the atoms lie.
    #[test]
    fn moments_survive_interpolation() {
        let losses = [(-1.37, 0.3), (0.0021, 0.25), (0.4999, 0.25), (2.5, 0.2)];
        let atom = |(loss, mass): (f64, f64)| Atom {
            loss,
            log_mass: mass.ln(),
        };
        let step = Step {
            atoms: losses.map(atom).to_vec(),
            infinite: 0.0,
            null_only: 0.0,
            support: (-1.37, 2.5),
            lattice: None,
            is_discrete: true,
            times: 1.0,
        };
        let grid = Grid {
            step: 0.1,
            size: 1024,
            anchors: vec![0.03],
        };
        let copy = Transforms::new(1024).copy(&[step], &grid, 0.0, -40.0);
        for power in 0..4 {
            let at = |i: usize| copy.origin + grid.step * (copy.first + i as f64);
            let found: f64 = (0..1024).map(|i| copy.masses[i] * at(i).powi(power)).sum();
            let truth: f64 = losses.iter().map(|(y, m)| m * y.powi(power)).sum();
            // Rounding at the far end of the grid, 51 away, weighs most.
            let rounding = 1e-15 * 51f64.powi(power);
            assert!((found - truth).abs() < rounding, "{power} {found} {truth}");
        }
    }
}
