//! Which steps are noise on a sum, and how far a record moves it.

use rug::Rational;

use super::{FiniteLosses, Step};
use crate::mechanism::shifted::Noise;

/// The law of pure noise on a sum, where a shift of 1 is how far the step moves it; `None` for everything else.
pub(in crate::mechanism) fn noise_of(step: &Step) -> Option<Noise> {
    match step {
        Step::Gaussian { mu_squared } => Some(Noise::Gaussian {
            unit_squared: mu_squared.clone(),
        }),
        Step::Laplace { epsilon } => Some(Noise::Laplace {
            unit: epsilon.clone(),
        }),
        Step::DiscreteGaussian { sigma, sensitivity } => Some(Noise::DiscreteGaussian {
            sigma: sigma.clone(),
            unit: *sensitivity,
        }),
        Step::Finite(one) => match one.losses() {
            FiniteLosses::DiscreteLaplace { scale, sensitivity } => Some(Noise::DiscreteLaplace {
                scale: scale.clone(),
                unit: *sensitivity,
            }),
            FiniteLosses::RandomizedResponse { .. }
            | FiniteLosses::ResponseOrUniform { .. }
            | FiniteLosses::ApproxDp { .. }
            | FiniteLosses::Pair { .. }
            | FiniteLosses::TwoOutcomes { .. }
            | FiniteLosses::LargestAnswer { .. }
            | FiniteLosses::Scores(_)
            | FiniteLosses::PickedOthers(_)
            | FiniteLosses::OppositeOthers(_)
            | FiniteLosses::NewKey { .. }
            | FiniteLosses::TruncatedGeometric { .. }
            | FiniteLosses::Points { .. }
            | FiniteLosses::Shuffled(_) => None,
        },
        Step::Zcdp { .. }
        | Step::Rdp { .. }
        | Step::Sampled(_)
        | Step::Labelled(_)
        | Step::Closed(_) => None,
        Step::Shifted(pair) => pair.single().cloned(),
    }
}

/// Is the step this noise, and moved by twice as much? A guarantee is the same under every relation, a histogram moves two cells once each.
pub(in crate::mechanism) fn is_twice_as_far(step: &Step, noise: &Noise) -> bool {
    let twice = |shift: u64| shift.checked_mul(2);
    match (noise_of(step), noise) {
        (Some(Noise::Gaussian { unit_squared: two }), Noise::Gaussian { unit_squared: one }) => {
            two == Rational::from(one * 4u32)
        }
        (Some(Noise::Laplace { unit: two }), Noise::Laplace { unit: one }) => {
            two == Rational::from(one * 2u32)
        }
        (
            Some(Noise::DiscreteGaussian { sigma, unit: two }),
            Noise::DiscreteGaussian {
                sigma: same,
                unit: one,
            },
        ) => sigma == *same && Some(two) == twice(*one),
        (
            Some(Noise::DiscreteLaplace { scale, unit: two }),
            Noise::DiscreteLaplace {
                scale: same,
                unit: one,
            },
        ) => scale == *same && Some(two) == twice(*one),
        (
            Some(Noise::Skellam { mean, unit: two }),
            Noise::Skellam {
                mean: same,
                unit: one,
            },
        ) => mean == *same && Some(two) == twice(*one),
        (
            Some(Noise::GaussianSum {
                sigma,
                parties,
                unit: two,
            }),
            Noise::GaussianSum {
                sigma: same,
                parties: as_many,
                unit: one,
            },
        ) => sigma == *same && parties == *as_many && Some(two) == twice(*one),
        (
            None
            | Some(
                Noise::Gaussian { .. }
                | Noise::Laplace { .. }
                | Noise::DiscreteGaussian { .. }
                | Noise::DiscreteLaplace { .. }
                | Noise::GaussianSum { .. }
                | Noise::Skellam { .. },
            ),
            Noise::Gaussian { .. }
            | Noise::Laplace { .. }
            | Noise::DiscreteGaussian { .. }
            | Noise::DiscreteLaplace { .. }
            | Noise::GaussianSum { .. }
            | Noise::Skellam { .. },
        ) => false,
    }
}
