//! The law of one step in floats, and its tilted sums.

use crate::float::Cumulants;
use crate::float::elementary::{exp, ln, powi};
use crate::fourier::LatticeLaw;

/// The law of one step.
#[derive(Debug)]
pub(super) struct FloatLaw {
    /// Losses and masses, by increasing loss.
    atoms: Vec<(f64, f64)>,
    /// Gaps between neighbours, each with how many alike follow one another.
    gaps: Vec<(f64, usize)>,
    /// How often it is composed.
    times: f64,
}

/// Gaps are alike that differ by no more than this share, by rounding.
const ALIKE: f64 = 1e-9;

impl FloatLaw {
    pub(super) fn of((law, times): &(LatticeLaw, u64)) -> Self {
        let lattice = law.lattice();
        let offset = lattice.offset().enclose(80).middle().to_f64();
        let step = lattice.step().to_f64();
        let unit = powi(2f64, -(law.bits() as i32));
        let atoms = law.atoms().iter();
        let atoms =
            atoms.map(|(label, mass)| (offset + step * *label as f64, mass.to_f64() * unit));
        Self::new(atoms.collect(), *times as f64)
    }

    /// Losses and masses by increasing loss, composed so often.
    pub(super) fn new(atoms: Vec<(f64, f64)>, times: f64) -> Self {
        let mut gaps: Vec<(f64, usize)> = Vec::new();
        for ((low, _), (high, _)) in atoms.iter().zip(atoms.iter().skip(1)) {
            let step = high - low;
            match gaps.last_mut() {
                Some((gap, count)) if (step - *gap).abs() <= ALIKE * step => *count += 1,
                _ => gaps.push((step, 1)),
            }
        }
        Self { atoms, gaps, times }
    }

    /// From the end with the largest factor on, so that none is above 1. Most gaps are those before them, and so are the factors from one atom to the next.
    pub(super) fn cumulants(&self, c: f64) -> Cumulants {
        let mut sums = TiltedSums::default();
        let mut from = 0.0;
        let mut rest = self.atoms.as_slice();
        if c > 0.0 {
            if let [others @ .., last] = rest {
                (rest, from) = (others, last.0);
                sums.add(1.0, std::iter::once(last));
            }
            for (gap, count) in self.gaps.iter().rev() {
                let (others, run) = rest.split_at(rest.len() - count);
                sums.add(exp(-c * gap), run.iter().rev());
                rest = others;
            }
        } else {
            if let [first, others @ ..] = rest {
                (rest, from) = (others, first.0);
                sums.add(1.0, std::iter::once(first));
            }
            for (gap, count) in &self.gaps {
                let (run, others) = rest.split_at(*count);
                sums.add(exp(c * gap), run.iter());
                rest = others;
            }
        }
        let TiltedSums {
            total,
            first,
            second,
            ..
        } = sums;
        let mean = first / total;
        // Two passes would be more accurate; a hint needs little.
        let variance = (second / total - mean * mean).max(1e-300);
        Cumulants {
            log_total: self.times * (c * from + ln(total)),
            mean: self.times * mean,
            variance: self.times * variance,
        }
    }
}

/// Sums of tilted masses, and of those times the loss and its square.
struct TiltedSums {
    /// Of the last atom.
    factor: f64,
    total: f64,
    first: f64,
    second: f64,
}

impl Default for TiltedSums {
    fn default() -> Self {
        Self {
            factor: 1.0,
            total: 0.0,
            first: 0.0,
            second: 0.0,
        }
    }
}

impl TiltedSums {
    /// Atoms whose factors are each `by` times the one before.
    fn add<'a>(&mut self, by: f64, atoms: impl Iterator<Item = &'a (f64, f64)>) {
        for (y, mass) in atoms {
            self.factor *= by;
            let weight = mass * self.factor;
            let moment = weight * y;
            self.total += weight;
            self.first += moment;
            self.second += moment * y;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::Random;

    /// Gaps alike and others, tilted to either end.
    #[test]
    fn cumulants_are_those_of_all_atoms() {
        let mut random = Random(8);
        for _ in 0..300 {
            let mut loss = -5.0;
            let mut gap = 0.1;
            let atoms: Vec<(f64, f64)> = (0..1 + random.below(60))
                .map(|_| {
                    if random.once_in(6) {
                        gap = (1 + random.below(20)) as f64 / 50.0;
                    }
                    loss += gap;
                    (loss, (1 + random.below(1000)) as f64 / 1000.0)
                })
                .collect();
            let law = FloatLaw::new(atoms, 7.0);
            let c = random.below(4000) as f64 / 50.0 - 40.0;
            let found = law.cumulants(c);
            let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
                let atoms = law.atoms.iter();
                atoms.map(|(y, mass)| mass * exp(c * y) * of(*y)).sum()
            };
            let total = sum(&|_| 1.0);
            let mean = sum(&|y| y) / total;
            let variance = sum(&|y| powi(y - mean, 2)) / total;
            assert!((found.log_total - 7.0 * ln(total)).abs() < 1e-7);
            assert!((found.mean - 7.0 * mean).abs() < 1e-7 * (1.0 + mean.abs()));
            assert!((found.variance - 7.0 * variance).abs() < 1e-6);
        }
    }
}
