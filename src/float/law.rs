//! A law of the privacy loss with finitely many values, and all its tail sums.

/// A loss and the logarithm of its mass under Q; under P the mass is e^{−loss} times that.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Atom {
    /// The loss.
    pub loss: f64,
    /// log Q(L = loss), finite.
    pub log_mass: f64,
}

use super::elementary::{exp, exp_m1, ln_1p};
use super::pair::{ProfilePoint, TRUSTED_GRID, TRUSTED_SUM};

/// Sums at and around one loss.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    loss: f64,
    /// P(L > loss).
    null_above: f64,
    /// Q(L ≤ loss).
    mass_upto: f64,
    /// δ(loss).
    delta: f64,
    /// The swapped pair's δ(−loss).
    dual: f64,
    /// e^loss·P(L ≥ loss).
    scaled_above: f64,
    /// e^{−loss}·Q(L ≤ loss).
    scaled_upto: f64,
}

/// Finitely many losses in increasing order, with masses at ±∞.
#[derive(Debug, Clone)]
pub(super) struct Law {
    atoms: Vec<Atom>,
    sums: Vec<Sums>,
    infinite: f64,
    null_only: f64,
    support: (f64, f64),
    is_of_a_grid: bool,
}

/// A law with more losses is not taken apart.
const FEW: usize = 20_000;

impl Law {
    /// The law of atoms in increasing order of the loss.
    pub(super) fn new(
        atoms: Vec<Atom>,
        infinite: f64,
        null_only: f64,
        support: (f64, f64),
    ) -> Self {
        let mut sums: Vec<Sums> = atoms
            .iter()
            .map(|atom| Sums {
                loss: atom.loss,
                ..Sums::default()
            })
            .collect();
        let (mut loss, mut delta, mut scaled, mut null) = (f64::INFINITY, infinite, 0.0, 0.0);
        for (sum, atom) in sums.iter_mut().zip(&atoms).rev() {
            let gap = loss - atom.loss;
            delta -= if scaled > 0.0 {
                scaled * exp_m1(-gap)
            } else {
                0.0
            };
            scaled = if scaled > 0.0 {
                scaled * exp(-gap)
            } else {
                0.0
            } + exp(atom.log_mass);
            loss = atom.loss;
            (sum.delta, sum.scaled_above, sum.null_above) = (delta, scaled, null);
            null += exp(atom.log_mass - atom.loss);
        }
        let (mut loss, mut dual, mut scaled, mut mass) = (f64::NEG_INFINITY, null_only, 0.0, 0.0);
        for (sum, atom) in sums.iter_mut().zip(&atoms) {
            let gap = atom.loss - loss;
            dual -= if scaled > 0.0 {
                scaled * exp_m1(-gap)
            } else {
                0.0
            };
            scaled = if scaled > 0.0 {
                scaled * exp(-gap)
            } else {
                0.0
            } + exp(atom.log_mass - atom.loss);
            loss = atom.loss;
            mass += exp(atom.log_mass);
            (sum.dual, sum.scaled_upto, sum.mass_upto) = (dual, scaled, mass);
        }
        Self {
            atoms,
            sums,
            infinite,
            null_only,
            support,
            is_of_a_grid: false,
        }
    }

    /// The same, known to come of a transform.
    pub(super) fn of_a_grid(self) -> Self {
        Self {
            is_of_a_grid: true,
            ..self
        }
    }

    /// Errors below this, or within this of 1, may be rounding alone.
    pub(super) fn least_trusted(&self) -> f64 {
        if self.is_of_a_grid {
            TRUSTED_GRID
        } else if self.support() == self.range() {
            0.0
        } else {
            TRUSTED_SUM
        }
    }

    /// The law of the pair that tells nothing, or of one that tells all.
    pub(super) fn certain(infinite: f64, null_only: f64) -> Self {
        let atoms = if infinite < 1.0 {
            let log_mass = ln_1p(-infinite);
            vec![Atom {
                loss: log_mass - ln_1p(-null_only),
                log_mass,
            }]
        } else {
            Vec::new()
        };
        let loss = atoms.first().map_or(0.0, |atom| atom.loss);
        Self::new(atoms, infinite, null_only, (loss, loss))
    }

    pub(super) fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    pub(super) fn infinite(&self) -> f64 {
        self.infinite
    }

    pub(super) fn null_only(&self) -> f64 {
        self.null_only
    }

    pub(super) fn support(&self) -> (f64, f64) {
        self.support
    }

    pub(super) fn range(&self) -> (f64, f64) {
        let loss = |sums: Option<&Sums>| sums.map_or(0.0, |s| s.loss);
        (loss(self.sums.first()), loss(self.sums.last()))
    }

    /// The losses, if there are few.
    pub(super) fn few_losses(&self) -> Vec<f64> {
        if self.sums.len() > FEW {
            return Vec::new();
        }
        self.sums.iter().map(|sums| sums.loss).collect()
    }

    pub(super) fn at(&self, epsilon: f64) -> ProfilePoint {
        let after = self.sums.partition_point(|sums| sums.loss <= epsilon);
        let below = after.checked_sub(1).and_then(|i| self.sums.get(i));
        let above = self.sums.get(after);
        let delta = above.map_or(self.infinite, |next| {
            next.delta - next.scaled_above * exp_m1(epsilon - next.loss)
        });
        let (dual, beta) = below.map_or((self.null_only, 0.0), |last| {
            let gain = -last.scaled_upto * exp_m1(last.loss - epsilon);
            (last.dual + gain, last.mass_upto)
        });
        let alpha = match (below, above) {
            (Some(last), _) => last.null_above,
            (None, _) => 1.0 - self.null_only,
        };
        // Interpolation puts a little mass beyond the support.
        let delta = if epsilon < self.support.1 {
            delta
        } else {
            self.infinite
        };
        let dual = if epsilon < self.support.0 {
            self.null_only
        } else {
            dual
        };
        ProfilePoint {
            delta: delta.clamp(0.0, 1.0),
            dual: dual.clamp(0.0, 1.0),
            alpha: alpha.clamp(0.0, 1.0),
            beta: beta.clamp(0.0, 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number against its definition, at atoms and between.
    #[test]
    fn sums_are_what_they_say() {
        let q = [0.1, 0.0, 0.3, 0.25, 0.15, 0.2];
        let p = [0.3, 0.15, 0.25, 0.2, 0.1, 0.0];
        let atom = |i: usize| Atom {
            loss: f64::ln(q[i] / p[i]),
            log_mass: f64::ln(q[i]),
        };
        let atoms = vec![atom(0), atom(2), atom(3), atom(4)];
        let range = (atom(0).loss, atom(4).loss);
        let law = Law::new(atoms, 0.2, 0.15, range);
        for epsilon in [-3.0, -1.0, -0.2, atom(2).loss, 0.2, 0.3, atom(4).loss, 1.0] {
            let u = f64::exp(epsilon);
            let knot = law.at(epsilon);
            let pairs = || p.iter().zip(&q);
            let delta: f64 = pairs().map(|(p, q)| (q - u * p).max(0.0)).sum();
            let dual: f64 = pairs().map(|(p, q)| (p - q / u).max(0.0)).sum();
            assert!(
                (knot.delta - delta).abs() < 1e-15,
                "{epsilon} {knot:?} {delta}"
            );
            assert!(
                (knot.dual - dual).abs() < 1e-15,
                "{epsilon} {knot:?} {dual}"
            );
            let line = 1.0 - knot.beta - u * knot.alpha;
            assert!((knot.delta - line).abs() < 1e-15, "{epsilon} {knot:?}");
        }
    }
}
