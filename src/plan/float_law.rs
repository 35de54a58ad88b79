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
        Self::new(thinned(atoms.collect(), *times as f64), *times as f64)
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

/// Laws of more atoms have more than hints need
const MANY_ATOMS: usize = 256;
/// where neighbours are nearer than this share of the standard deviation of a step.
const NEAR: f64 = 0.0625;
/// Where the sum has a larger variance they are kept nearer: logarithms of tails are off by about what is added to it.
const USUAL_VARIANCE: f64 = 25.0;

/// Fewer atoms: the mass of each one left out is shared by those kept on both sides of it, so that total and mean stay as they are, and the variance of
/// the sum of so many about so.
fn thinned(atoms: Vec<(f64, f64)>, times: f64) -> Vec<(f64, f64)> {
    if atoms.len() <= MANY_ATOMS {
        return atoms;
    }
    let variance = variance(&atoms);
    let near = NEAR * variance.sqrt() * (USUAL_VARIANCE / (times * variance)).sqrt().min(1.0);
    let mut kept: Vec<(f64, f64)> = Vec::with_capacity(atoms.len());
    let mut between: Vec<(f64, f64)> = Vec::new();
    let mut left = atoms.iter().peekable();
    while let Some((y, mass)) = left.next() {
        let Some(low) = kept.last_mut() else {
            kept.push((*y, *mass));
            continue;
        };
        if left.peek().is_some_and(|(next, _)| next - low.0 <= near) {
            between.push((*y, *mass));
            continue;
        }
        let mut high = (*y, *mass);
        for (inner, mass) in between.drain(..) {
            let share = mass * (inner - low.0) / (y - low.0);
            low.1 += mass - share;
            high.1 += share;
        }
        kept.push(high);
    }
    kept
}

fn variance(atoms: &[(f64, f64)]) -> f64 {
    let mut sums = TiltedSums::default();
    sums.add(1.0, atoms.iter());
    let mean = sums.first / sums.total;
    (sums.second / sums.total - mean * mean).max(0.0)
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

    /// The total and the mean of all atoms are those of the ones that are kept, the variance hardly more, and both ends stay.
    #[test]
    fn thinner_laws_are_about_the_same() {
        let mut random = Random(9);
        for count in (200..300).chain([1000, 1001, 1002, 1003]) {
            let mut loss = -1.0;
            let atoms: Vec<(f64, f64)> = (0..count)
                .map(|_| {
                    loss += (1 + random.below(3)) as f64 / 1000.0;
                    (loss, (1 + random.below(1000)) as f64 / 1000.0)
                })
                .collect();
            let of = |atoms: &[(f64, f64)]| {
                let sum = |of: &dyn Fn(f64) -> f64| -> f64 {
                    atoms.iter().map(|(y, mass)| mass * of(*y)).sum()
                };
                let mean = sum(&|y| y) / sum(&|_| 1.0);
                [sum(&|_| 1.0), mean, sum(&|y| powi(y - mean, 2))]
            };
            let fewer = thinned(atoms.clone(), 1.0);
            let (all, found) = (of(&atoms), of(&fewer));
            // Some eighteen of them are a standard deviation long in all.
            assert!(
                fewer.len() == count || (count > MANY_ATOMS && fewer.len() < 80),
                "{count}"
            );
            assert_eq!(fewer.first().unwrap().0, atoms.first().unwrap().0);
            assert_eq!(fewer.last().unwrap().0, atoms.last().unwrap().0);
            assert!((found[0] - all[0]).abs() < 1e-9 * all[0], "{count}");
            assert!((found[1] - all[1]).abs() < 1e-9, "{count}");
            assert!(
                (-1e-9..0.01).contains(&(found[2] / all[2] - 1.0)),
                "{count}"
            );
        }
    }

    /// Of a sum with a large variance the logarithm of a tilted total is nearly that of all atoms, whatever the gap of those.
    #[test]
    fn thinner_laws_of_long_sums_have_about_the_same_tails() {
        for (count, times) in [(300, 1e3_f64), (400, 1e5), (3000, 1e6), (3000, 1e8)] {
            let sd = (2e3 / times).sqrt();
            let place = |k: i32| 8.0 * sd * f64::from(2 * k - count) / f64::from(count);
            let atoms: Vec<(f64, f64)> = (0..=count)
                .map(|k| (place(k), exp(-powi(place(k) / sd, 2) / 2.0)))
                .collect();
            let all = FloatLaw::new(atoms.clone(), times).cumulants(-1.1);
            let fewer = FloatLaw::new(thinned(atoms, times), times).cumulants(-1.1);
            let off = (fewer.log_total - fewer.mean * -1.1) - (all.log_total - all.mean * -1.1);
            assert!(off.abs() < 0.1, "{count} {times}: {off}");
        }
    }

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
