//! A record that is replaced, on a Poisson sample of something that is no noise on a sum: bounds, and members.

use std::sync::Arc;

use rug::Rational;

use super::conditions::Conditions;
use super::shifted::{Noise, ShiftedNoise, Shifts};
use super::step::{FiniteLosses, Step};
use super::steps::{Steps, noise_of};

impl Steps {
    /// The normal form, under replacement of a record, of anything on a Poisson sample, `rate` in (0, 1).
    ///
    /// Requires: these are its steps under replacement, `present` those under presence, without the sample.
    /// Ensures: who learns whether the record takes part learns most (`proofs/README.md`, N11), and is told nothing where it does not. What runs
    /// without the record may be what runs with one of the two, which is a member: that one contributes nothing.
    pub(super) fn sampled_in_the_open(&self, rate: &Rational, present: &Self) -> Self {
        let nothing = Self::one(nothing(), Conditions::NONE);
        let rest = Rational::from(1 - rate);
        let most = Self::labelled(vec![(rate.clone(), self.most()), (rest, nothing)]);
        Self::between([present.sampled(rate)], most.on_samples())
    }

    /// The normal form, under replacement of a record, of a histogram on a Poisson sample, `rate` in (0, 1).
    ///
    /// Requires: these are its steps under replacement, `present` those of one cell.
    /// Ensures: noise in two cells, of which one is moved, or the other, or none, reveals at most what noise on a line does that is moved up, or down, or not
    /// (`proofs/README.md`, N11). Members: the record in one of the cells contributes nothing; only the difference of the cells is looked at, which for Gaussian
    /// noise has twice the variance.
    pub(super) fn histogram_sampled_replaced(&self, rate: &Rational, present: &Self) -> Self {
        let noise = present.single().and_then(noise_of);
        let moved = |noise: Noise| {
            let shifts = Shifts::sampled(rate);
            let pair = ShiftedNoise::new(noise, shifts.clone(), shifts);
            Self::one(Step::Shifted(Arc::new(pair)), present.conditions()).on_samples()
        };
        let one = present.sampled(rate);
        match noise {
            Some(Noise::Gaussian { unit_squared }) => {
                let difference = Noise::Gaussian {
                    unit_squared: Rational::from(&unit_squared / 2u32),
                };
                let members = [one, moved(difference)];
                Self::between(members, moved(Noise::Gaussian { unit_squared }))
            }
            Some(
                noise @ (Noise::Laplace { .. }
                | Noise::DiscreteGaussian { .. }
                | Noise::DiscreteLaplace { .. }
                | Noise::GaussianSum { .. }
                | Noise::Skellam { .. }),
            ) => Self::between([one], moved(noise)),
            None => self.sampled_in_the_open(rate, present),
        }
    }
}

/// Both laws are the same.
fn nothing() -> Step {
    let one: Arc<[Rational]> = Arc::new([Rational::from(1)]);
    Step::finite(FiniteLosses::Pair {
        p: Arc::clone(&one),
        q: one,
    })
}

#[cfg(test)]
#[path = "replaced_on_sample_tests.rs"]
mod tests;
