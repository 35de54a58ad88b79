//! Mixtures whose output says which part it came from.
//!
//! The label has the same law w under both hypotheses, so that the moments are averages: e^{(t−1)D_t} = Σ w·e^{(t−1)D_t,i}, and D_1 = Σ w·D_1,i. So D_t lies
//! between the least and the largest D_t,i.

use rug::{Float, Rational};

use super::Parts;
use super::growth::Growth;
use super::rho_ends::RhoEnds;
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
        let mut range: Option<Interval> = None;
        let mut all = Vec::new();
        for (weight, part) in &self.0 {
            let one = part.divergence(order, direction, bits, budget)?;
            range = Some(with(range, &one));
            all.push((real(weight), one));
        }
        let found = if *order == 1 {
            let start = Interval::zero(bits);
            all.iter().fold(start, |sum, (w, one)| sum.add(&one.mul(w)))
        } else {
            for (_, one) in &mut all {
                *one = one.mul(&rate);
            }
            log_mean_exp(&all, bits).div(&rate)
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

    /// The larger ends of the parts (`proofs/README.md`, R13).
    pub(super) fn rho_ends(&self) -> Option<RhoEnds> {
        let start = RhoEnds::default();
        self.0.iter().try_fold(start, |most, (_, part)| {
            Some(most.or_higher(part.rho_ends()?))
        })
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

/// log Σ w·e^x.
///
/// Where some x is far from 0, with e^{x − m} for a finite m among the lower ends, the largest: e^x may be beyond all floats.
fn log_mean_exp(all: &[(Interval, Interval)], bits: u32) -> Interval {
    const FAR: u32 = 1 << 20;
    let start = Interval::zero(bits);
    let lowest = all.iter().map(|(_, x)| x.lo()).filter(|x| x.is_finite());
    let largest = lowest.max_by(|a, b| a.total_cmp(b));
    let is_far = |x: &Float| x.is_finite() && *x.as_abs() > FAR;
    let is_near = !all.iter().any(|(_, x)| is_far(x.lo()));
    match largest {
        Some(most) if !is_near => {
            let most = Interval::point(most.clone());
            let terms = all.iter().map(|(w, x)| x.sub(&most).exp().mul(w));
            let sum = terms.fold(start, |sum, term| sum.add(&term));
            sum.ln().add(&most)
        }
        _ => {
            let terms = all.iter().map(|(w, x)| x.exp_m1().mul(w));
            terms.fold(start, |sum, term| sum.add(&term)).ln_1p()
        }
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
    use crate::renyi::exact_rho;

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
        assert_eq!(exact_rho(&parts), Some(Rational::from((1, 2))));
        let growth = parts
            .growth(Direction::Remove, &Rational::from(1), 64)
            .unwrap();
        assert_eq!(
            (growth.slope, growth.limit),
            (Rational::from((1, 2)), Rational::from((1, 2)))
        );
    }

    /// The larger of both slopes and of both constants, whichever part has it.
    #[test]
    fn lines_are_above_those_of_all_parts() {
        let half = || Rational::from((1, 2));
        let of = [
            Mechanism::gaussian(4, 1).unwrap(),
            Mechanism::laplace(2, 1).unwrap(),
        ];
        for order in [[0, 1], [1, 0]] {
            let parts = order.map(|place| (half(), of[place].clone()));
            let parts = Parts::of(Mechanism::mixture(parts.into()).unwrap().steps()).unwrap();
            let growth = parts
                .growth(Direction::Remove, &Rational::from(1), 64)
                .unwrap();
            let slope = Rational::from((1, 32));
            assert_eq!((&growth.slope, &growth.limit), (&slope, &slope));
            assert!(growth.constant.contains(&half()));
        }
    }

    /// ⅓ of N(0, 1) against N(1, 1), ⅔ of Laplace noise with ε0 = ½, whose ρ is at most ⅛: ρ = ½, which is the limit t → ∞ only. With other parts beside it both ends add up.
    #[test]
    fn rho_is_that_of_the_largest_part() {
        let [third, laplace] = [Rational::from((1, 3)), Rational::from((1, 8))];
        let rest = Mechanism::laplace(2, 1).unwrap();
        let parts = |times| {
            let gaussian = Mechanism::gaussian(1, 1).unwrap();
            let other = Rational::from(1 - &third);
            let of = vec![(third.clone(), gaussian), (other, rest.clone())];
            let mixture = Mechanism::mixture(of).unwrap();
            let mut all = vec![(mixture, times)];
            if times > 1 {
                all.push((rest.clone(), times - 1));
            }
            Parts::of(Mechanism::compose(all).unwrap().steps()).unwrap()
        };
        assert_eq!(exact_rho(&parts(1)), Some(Rational::from((1, 2))));
        assert_eq!(exact_rho(&parts(2)), None);
        let ends = RhoEnds {
            limit: Rational::from(1),
            most: Rational::from(1 + &laplace),
        };
        assert_eq!(parts(2).rho_ends(), Some(ends));
    }

    /// D_10 = 5·10^10 + log(½)/9 but for e^{−4·10^11}, where e^{9·D_10} is beyond all floats, and D_{1/2} = 2·log 2 + 1/16 but for that.
    #[test]
    fn moments_beyond_all_floats() {
        let gaussian = |sigma: Rational| Mechanism::gaussian(sigma, 1).unwrap();
        let half = || Rational::from((1, 2));
        let far = gaussian(Rational::from((1, 100_000)));
        let of = vec![(half(), far), (half(), gaussian(Rational::from(2)))];
        let parts = Parts::of(Mechanism::mixture(of).unwrap().steps()).unwrap();
        for (order, truth) in [
            (Rational::from(10), 5e10 - 2f64.ln() / 9.0),
            (half(), 2.0 * 2f64.ln() + 0.0625),
        ] {
            let found = parts.divergence(&order, Direction::Remove, 128, &Budget::unlimited());
            let found = found.unwrap();
            assert!(
                (found.middle().to_f64() / truth - 1.0).abs() < 1e-15,
                "{found:?}"
            );
            assert!(found.width_up() < 1e-20, "{found:?}");
        }
    }
}
