//! Losses that live on a lattice of rationals, for the composition engine.

use std::sync::Arc;

use rug::{Float, Rational};

use super::laws::{LatticeLoss, LatticeMasses};
use crate::kernel::Interval;
use crate::law::TailBudget;
use crate::mechanism::Direction;
use crate::mechanism::discrete_gaussian::DiscreteGaussian;
use crate::mechanism::finite::FiniteProfile;

impl LatticeLoss for DiscreteGaussian {
    fn step(&self) -> Rational {
        self.step()
    }

    fn offset(&self) -> Rational {
        self.offset()
    }

    fn masses(&self, tail: &TailBudget, bits: u32) -> LatticeMasses {
        let found = self.lattice(tail_bits(&tail.mass), bits);
        LatticeMasses {
            first: found.first_index,
            masses: found.masses,
            above: found.mass_above,
            infinite: Interval::zero(bits),
        }
    }

    /// It is symmetric.
    fn swapped(&self) -> Arc<dyn LatticeLoss> {
        Arc::new(self.clone())
    }
}

/// A finite law all of whose losses are rational, on the coarsest lattice that holds them.
pub struct FiniteLattice {
    profile: FiniteProfile,
    offset: Rational,
    step: Rational,
    /// Lattice index of each atom.
    indices: Vec<i64>,
}

/// A lattice with more points than this is no help.
const MOST_POINTS: i64 = 1 << 20;

impl FiniteLattice {
    /// The lattice of a finite law; `None` if a loss is not rational or the lattice would be much finer than the atoms.
    pub fn new(profile: &FiniteProfile) -> Option<Self> {
        let (law, _) = profile.law();
        let losses = (0..law.len())
            .map(|index| profile.rational_loss(index))
            .collect::<Option<Vec<_>>>()?;
        let offset = losses.first()?.clone();
        let gaps = losses.iter().map(|loss| Rational::from(loss - &offset));
        let step = match gaps.reduce(|a, b| crate::mechanism::finite::gcd(&a, &b))? {
            step if step > 0 => step,
            _ => Rational::from(1),
        };
        let index = |loss: &Rational| {
            let place = Rational::from(loss - &offset) / &step;
            place.numer().to_i64().filter(|index| *index < MOST_POINTS)
        };
        let indices = losses.iter().map(index).collect::<Option<_>>()?;
        Some(Self {
            profile: profile.clone(),
            offset,
            step,
            indices,
        })
    }
}

impl FiniteLattice {
    /// The negative losses of the pair in the other order: index i becomes the last index minus i.
    fn mirrored(&self) -> Self {
        let last = self.indices.iter().max().copied().unwrap_or(0);
        let end = Rational::from(&self.step * last) + &self.offset;
        Self {
            profile: self.profile.mirrored(),
            offset: -end,
            step: self.step.clone(),
            indices: self
                .indices
                .iter()
                .rev()
                .map(|index| last.saturating_sub(*index))
                .collect(),
        }
    }
}

impl LatticeLoss for FiniteLattice {
    fn step(&self) -> Rational {
        self.step.clone()
    }

    fn offset(&self) -> Rational {
        self.offset.clone()
    }

    fn masses(&self, _tail: &TailBudget, bits: u32) -> LatticeMasses {
        let (law, order) = self.profile.law();
        let numbers = law.numbers(bits.saturating_add(64));
        let numbers = match order {
            Direction::Remove => numbers,
            Direction::Add => Arc::new(numbers.mirrored()),
        };
        let mut masses = Vec::new();
        for (index, mass) in self.indices.iter().zip(&numbers.with) {
            let gap = usize::try_from(*index).unwrap_or(0);
            masses.resize(gap.max(masses.len()), Interval::zero(bits));
            masses.push(mass.at_bits(bits));
        }
        LatticeMasses {
            first: 0,
            masses,
            above: numbers.infinite.at_bits(bits),
            infinite: numbers.infinite.at_bits(bits),
        }
    }

    fn swapped(&self) -> Arc<dyn LatticeLoss> {
        Arc::new(self.mirrored())
    }
}

/// A number b with 2^−b well below the mass.
fn tail_bits(mass: &Float) -> u32 {
    const LEAST: u32 = 64;
    const MOST: u32 = 4096;
    let exponent = mass.get_exp().unwrap_or(i32::MIN);
    let below = u32::try_from(exponent.saturating_neg()).unwrap_or(0);
    below.saturating_add(16).clamp(LEAST, MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::LeftEnd;
    use crate::mechanism::Mechanism;

    #[test]
    fn ternary_response_sits_on_its_lattice() {
        let response = Mechanism::randomized_response(Rational::from((3, 10)), 3).unwrap();
        let profile = FiniteProfile::new(response.finite_law().unwrap().clone());
        let lattice = FiniteLattice::new(&profile).unwrap();
        assert_eq!(lattice.step(), Rational::from((3, 10)));
        assert_eq!(lattice.offset(), Rational::from((-3, 10)));
        let masses = lattice.masses(
            &TailBudget::new(Float::with_val(64, 1e-9), LeftEnd::BothMasses),
            128,
        );
        assert_eq!((masses.first, masses.masses.len()), (0, 3));
        let total = masses
            .masses
            .iter()
            .fold(Interval::zero(128), |sum, q| sum.add(q));
        assert!(total.contains(&Rational::from(1)));
    }

    #[test]
    fn gaps_are_filled_with_nothing() {
        let ratio = |n: u32| Rational::from((n, 8u32));
        let pair = Mechanism::profile(vec![
            (Rational::from(1), ratio(2)),
            (Rational::from((5, 2)), ratio(1)),
        ])
        .unwrap();
        let profile = FiniteProfile::new(pair.finite_law().unwrap().clone());
        let lattice = FiniteLattice::new(&profile).unwrap();
        // Atoms at −5/2, −1, 1, 5/2 on a lattice of step 1/2.
        assert_eq!(lattice.indices, [0, 3, 7, 10]);
        let found = lattice.masses(
            &TailBudget::new(Float::with_val(64, 1e-9), LeftEnd::BothMasses),
            128,
        );
        assert_eq!(found.masses.len(), 11);
        assert!(found.masses[1].is_zero() && found.masses[3].is_positive());
        assert!(found.above.contains(&ratio(1)));
    }
}
