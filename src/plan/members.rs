//! Which of several compositions floats see as the one that reveals most.

use rug::{Float, Rational};

use super::float_law::FloatLaw;
use super::lines::Laws;
use crate::float::elementary::{exp, exp_m1, ln};
use crate::float::nearest;
use crate::kernel::Interval;
use crate::mechanism::finite::FiniteLaw;
use crate::mechanism::{Direction, Orders};

/// One step of a composition, as floats see it.
pub enum Seen<'a> {
    /// Finitely many losses.
    Finite(&'a FiniteLaw),
    /// N(0, 1) against (1 − r)·N(0, 1) + r·N(μ, 1).
    SampledGaussian {
        /// r.
        rate: &'a Rational,
        /// μ².
        square: &'a Rational,
    },
}

/// Compositions by what floats see of one quantity of each, which is larger where more is revealed.
pub struct Ranking(Vec<Option<f64>>);

/// Values that differ by less than this share are alike to floats.
const ALIKE: f64 = 1.0 / 64.0;
/// Fewer steps may be too far from any normal law.
const FEWEST: f64 = 32.0;
/// Longer laws take longer than what they may save.
const MOST_LOSSES: usize = 5_000;

impl Ranking {
    /// By ε at this δ; of several steps with their numbers.
    pub fn by_epsilon(
        all: &[Option<Vec<(Seen<'_>, u64)>>],
        delta: &Rational,
        orders: Orders,
    ) -> Self {
        let epsilon =
            |steps: &Option<Vec<(Seen<'_>, u64)>>| epsilon(steps.as_deref()?, delta, orders);
        Self(all.iter().map(epsilon).collect())
    }

    /// Of so many of which nothing is seen.
    pub fn nothing(many: usize) -> Self {
        Self(vec![None; many])
    }

    /// The places of those that may reveal most, the most promising first: the best, those alike, and then all of which floats see nothing.
    pub fn promising(&self) -> Vec<usize> {
        let value = |place: &usize| self.0.get(*place).copied().flatten();
        let mut places: Vec<usize> = (0..self.0.len()).collect();
        let size = |place: &usize| value(place).unwrap_or(f64::NEG_INFINITY);
        places.sort_unstable_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b)));
        let best = places.first().map_or(f64::NEG_INFINITY, size);
        places.retain(|place| value(place).is_none_or(|own| own >= best - ALIKE * best.abs()));
        places
    }

    /// Did floats see about as much of one as was found?
    pub fn was_right(&self, place: usize, found: &Float) -> bool {
        let value = self.0.get(place).copied().flatten();
        value.is_some_and(|value| (value - found.to_f64()).abs() <= ALIKE * value.abs())
    }
}

/// About ε, by the normal law of the composition that is tilted there.
fn epsilon(steps: &[(Seen<'_>, u64)], delta: &Rational, orders: Orders) -> Option<f64> {
    let wanted = Float::with_val(64, delta).ln().to_f64();
    let laws = steps.iter().map(|(step, times)| step.law(*times as f64));
    let laws = Laws::of(laws.collect::<Option<_>>()?);
    let total: f64 = steps.iter().map(|(_, times)| *times as f64).sum();
    if total < FEWEST || !wanted.is_finite() {
        return None;
    }
    let toward = |direction| laws.place_of_delta(wanted, direction == Direction::Add);
    match orders {
        Orders::Remove => toward(Direction::Remove),
        Orders::Add => toward(Direction::Add),
        Orders::Both => Some(toward(Direction::Remove)?.max(toward(Direction::Add)?)),
    }
}

impl Seen<'_> {
    fn law(&self, times: f64) -> Option<FloatLaw> {
        let atoms = match self {
            Self::Finite(law) => finite(law)?,
            Self::SampledGaussian { rate, square } => {
                sampled(nearest(rate), nearest(square).sqrt())?
            }
        };
        Some(FloatLaw::new(atoms, times))
    }
}

/// Bits of a law that is asked for sharper ones anyway.
const BITS: u32 = 128;

/// Losses and masses; `None` of a law with infinite ones.
fn finite(law: &FiniteLaw) -> Option<Vec<(f64, f64)>> {
    let is_plain = law.infinite().is_zero() && law.null_only().is_zero();
    if !is_plain || law.len() > MOST_LOSSES {
        return None;
    }
    let numbers = law.numbers(BITS);
    let middle = |x: &Interval| x.middle().to_f64();
    let atoms = numbers.positions.iter().zip(&numbers.with);
    let mut atoms: Vec<(f64, f64)> = atoms
        .map(|(loss, mass)| (middle(loss), middle(mass)))
        .collect();
    atoms.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    Some(atoms)
}

/// Nodes of a Gaussian, so far out and so far apart.
const REACH: f64 = 12.0;
const APART: f64 = 0.25;
/// Gaussians that are moved farther are not seen.
const LARGEST_MU: f64 = 4.0;

fn sampled(rate: f64, mu: f64) -> Option<Vec<(f64, f64)>> {
    if !(mu > 0.0 && mu <= LARGEST_MU && rate > 0.0) {
        return None;
    }
    let nodes = (2.0 * REACH + mu) / APART;
    let node = |i: usize| {
        let z = i as f64 * APART - REACH;
        let ratio = 1.0 + rate * exp_m1(mu * (z - mu / 2.0));
        let density = APART * exp(-z * z / 2.0) / std::f64::consts::TAU.sqrt();
        (ln(ratio), ratio * density)
    };
    Some((0..=nodes as usize).map(node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    /// Against certified values of dp-sgd, and the order of several.
    #[test]
    fn sampled_gaussians_by_epsilon() {
        let rates = [q(1, 4), q(16_384, 50_000), q(1, 1000)];
        let square = q(2_500, 220_900);
        let steps = |rate| {
            vec![(
                Seen::SampledGaussian {
                    rate,
                    square: &square,
                },
                2_000,
            )]
        };
        let all: Vec<_> = rates
            .iter()
            .map(|rate| Some(steps(rate)))
            .chain([None])
            .collect();
        let ranking = Ranking::by_epsilon(&all, &q(1, 100_000), Orders::Both);
        assert_eq!(ranking.promising(), [1, 3]);
        let found = |x: f64| ranking.was_right(1, &Float::with_val(64, x));
        assert!(found(7.4244) && !found(7.7) && !found(7.2) && !found(f64::NAN));
        assert!(!ranking.was_right(3, &Float::new(64)) && !ranking.was_right(9, &Float::new(64)));
        assert_eq!(Ranking::nothing(3).promising(), [0, 1, 2]);
    }

    /// Randomised response, many times: ε at δ = 1e-5 of 400 runs with ε₀ = 1/10 is that of binomial sums.
    #[test]
    fn finite_laws_by_epsilon() {
        let law = |n: i64| {
            let response = crate::mechanism::Mechanism::pure_dp(q(n, 1000)).unwrap();
            response.finite_law().unwrap().clone()
        };
        let laws = [law(100), law(99), law(20)];
        let of = |law| Some(vec![(Seen::Finite(law), 400u64)]);
        let all: Vec<_> = laws.iter().map(|law| of(&**law)).collect();
        let ranking = Ranking::by_epsilon(&all, &q(1, 100_000), Orders::Remove);
        assert_eq!(ranking.promising(), [0, 1]);
        // δ of G_μ with μ = 2·tanh(1/20)·10 or so.
        assert!(
            ranking.was_right(0, &Float::with_val(64, 9.93)),
            "{:?}",
            ranking.0
        );
        let few: Vec<_> = laws
            .iter()
            .map(|law| Some(vec![(Seen::Finite(law), 4u64)]))
            .collect();
        let ranking = Ranking::by_epsilon(&few, &q(1, 100_000), Orders::Remove);
        assert_eq!(ranking.promising(), [0, 1, 2]);
    }
}
