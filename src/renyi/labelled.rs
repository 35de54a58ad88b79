//! Mixtures whose output says which part it came from.
//!
//! The label has the same law w under both hypotheses, so that the moments are averages: e^{(t−1)D_t} = Σ w·e^{(t−1)D_t,i}, and D_1 = Σ w·D_1,i. So D_t lies
//! between the least and the largest D_t,i.

use rug::Rational;

use super::Parts;
use super::growth::Growth;
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::{Direction, Steps};

/// The parts with their weights, which add up to 1.
#[derive(Debug)]
pub(super) struct LabelledParts(Vec<(Rational, Parts)>);

impl LabelledParts {
    /// `None` where a part has no divergences.
    pub(super) fn of(parts: &[(Rational, Steps)]) -> Option<Self> {
        let parts = parts.iter();
        let parts = parts.map(|(weight, steps)| Some((weight.clone(), Parts::of(steps)?)));
        Some(Self(parts.collect::<Option<_>>()?))
    }

    pub(super) fn all(&self, condition: impl Fn(&Parts) -> bool) -> bool {
        self.0.iter().all(|(_, part)| condition(part))
    }

    /// D_t.
    ///
    /// # Errors
    /// If the budget ends, or bounds cross.
    pub(super) fn divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        let real = |x: &Rational| Interval::from_rational(x, bits);
        let rate = real(&Rational::from(order - 1));
        let is_first = *order == 1;
        let mut sum = Interval::zero(bits);
        let mut range: Option<Interval> = None;
        for (weight, part) in &self.0 {
            let one = part.divergence(order, direction, bits, budget)?;
            let term = if is_first {
                one.clone()
            } else {
                one.mul(&rate).exp_m1()
            };
            sum = sum.add(&term.mul(&real(weight)));
            range = Some(with(range, &one));
        }
        let found = if is_first {
            sum
        } else {
            sum.ln_1p().div(&rate)
        };
        match range {
            Some(range) => Ok(found.intersect(&range)?),
            None => Ok(found),
        }
    }

    /// From the least to the largest of the parts.
    ///
    /// # Errors
    /// If bounds cross.
    pub(super) fn cheap_bounds(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
    ) -> Result<Interval, Failure> {
        let mut range: Option<Interval> = None;
        for (_, part) in &self.0 {
            let one = part.cheap_bounds(order, direction, bits)?;
            range = Some(with(range, &one));
        }
        Ok(range.unwrap_or_else(|| Interval::zero(bits)))
    }

    /// A line above those of all parts; D_t ≥ D_t,i + log(w)/(t − 1) comes as high as the highest of them.
    pub(super) fn growth(
        &self,
        direction: Direction,
        from: &Rational,
        bits: u32,
    ) -> Option<Growth> {
        let mut all = self.0.iter();
        let of = |(_, part): &(Rational, Parts)| part.growth(direction, from, bits);
        let first = of(all.next()?)?;
        all.try_fold(first, |most, part| Some(most.or_higher(of(part)?)))
    }
}

/// The range with one more member.
fn with(range: Option<Interval>, one: &Interval) -> Interval {
    range.map_or_else(|| one.clone(), |range| range.hull(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::Random;
    use crate::mechanism::Mechanism;

    fn mixture() -> Mechanism {
        let gaussian = |sigma: i64| Mechanism::gaussian(sigma, 1).unwrap();
        let half = || Rational::from((1, 2));
        Mechanism::mixture(vec![(half(), gaussian(1)), (half(), gaussian(2))]).unwrap()
    }

    /// The same as of one pair with an outcome for each label and outcome of the part, at orders on both sides of 1, also where an outcome has one law only.
    #[test]
    fn vectors_side_by_side_are_one_pair() {
        let mut random = Random(13);
        let budget = Budget::unlimited();
        let vector = |random: &mut Random| {
            let counts: Vec<u64> = (0..3).map(|_| random.below(4)).chain([1]).collect();
            let total: u64 = counts.iter().sum();
            let masses = counts.into_iter().map(|n| Rational::from((n, total)));
            masses.collect::<Vec<_>>()
        };
        let mut infinite = 0;
        for _ in 0..200 {
            let weight = Rational::from((1 + random.below(5), 7));
            let other = Rational::from(1 - &weight);
            let (mut all_p, mut all_q, mut parts) = (Vec::new(), Vec::new(), Vec::new());
            for w in [weight, other] {
                let (p, q) = (vector(&mut random), vector(&mut random));
                all_p.extend(p.iter().map(|x| Rational::from(x * &w)));
                all_q.extend(q.iter().map(|x| Rational::from(x * &w)));
                let part = Mechanism::finite(p, q).unwrap();
                parts.push((w, part.steps().clone()));
            }
            let whole = Parts::of(Mechanism::finite(all_p, all_q).unwrap().steps()).unwrap();
            let apart = LabelledParts::of(&parts).unwrap();
            for order in [(1u32, 3u32), (1, 1), (4, 3), (2, 1), (9, 1)] {
                let order = Rational::from(order);
                for direction in [Direction::Remove, Direction::Add] {
                    let truth = whole.divergence(&order, direction, 96, &budget).unwrap();
                    let found = apart.divergence(&order, direction, 96, &budget).unwrap();
                    assert!(
                        found.intersect(&truth).is_ok(),
                        "{order}: {found:?} {truth:?}"
                    );
                    infinite += u32::from(truth.lo().is_infinite());
                    let is_narrow = found.lo().is_infinite() || found.width_up() < 1e-20;
                    assert!(is_narrow, "{order}: {found:?} {truth:?}");
                }
            }
        }
        assert!(infinite > 100, "{infinite}");
    }

    /// D_2 = log((e + e^{1/4})/2), D_1 = (1/2 + 1/8)/2, D_{1/2} = −2·log((e^{−1/8} + e^{−1/32})/2), by the closed form of Gaussian noise; ρ = ½ is that of the noisier part.
    #[test]
    fn moments_of_gaussians_are_averages() {
        let parts = Parts::of(mixture().steps()).unwrap();
        let budget = Budget::unlimited();
        for (order, truth) in [
            (Rational::from(2), ((1f64.exp() + 0.25f64.exp()) / 2.0).ln()),
            (Rational::from(1), 0.3125),
            (
                Rational::from((1, 2)),
                -2.0 * (((-0.125f64).exp() + (-0.03125f64).exp()) / 2.0).ln(),
            ),
        ] {
            for direction in [Direction::Remove, Direction::Add] {
                let found = parts.divergence(&order, direction, 128, &budget).unwrap();
                let off = (found.middle().to_f64() - truth).abs();
                assert!(
                    off < 1e-15 && found.width_up() < 1e-30,
                    "{order}: {found:?}"
                );
                let cheap = parts.cheap_bounds(&order, direction, 64).unwrap();
                assert!(cheap.lo() <= found.lo() && found.hi() <= cheap.hi());
            }
        }
        let growth = parts
            .growth(Direction::Remove, &Rational::from(1), 64)
            .unwrap();
        assert_eq!(
            (growth.slope, growth.limit),
            (Rational::from((1, 2)), Rational::from((1, 2)))
        );
    }
}
