//! Two mechanisms side by side.

use rug::Rational;

use super::{Emergence, Enclosure, Error};
use crate::analysis::Crossings;
use crate::bounds;
use crate::kernel::{Interval, InvariantViolation};
use crate::mechanism::Prior;
use crate::number::Exact;
use crate::study;
use crate::verdict::Blackwell;

/// What a comparison is to have beside the plain divergences.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{ComparisonOptions, Prior};
///
/// let options = ComparisonOptions::default().weighted_by(Prior::jeffreys()).weighted_by(Prior::beta(2, 5)?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct ComparisonOptions {
    pub(super) priors: Vec<Prior>,
    pub(super) tolerance: Option<Rational>,
}

impl ComparisonOptions {
    /// Both divergences weighted by this density on the prior, too.
    #[must_use]
    pub fn weighted_by(mut self, prior: Prior) -> Self {
        self.priors.push(prior);
        self
    }

    /// From how many steps on Δ(A‖B) is proved to be at most this, where both are compositions of equal steps.
    ///
    /// # Errors
    /// If it is no number above 0.
    pub fn emergence_up_to(mut self, divergence: impl Exact) -> Result<Self, Error> {
        let divergence = divergence.exact()?;
        if divergence <= 0 {
            return Err(Error::bad_input(
                "a divergence to stay below must be greater than 0",
            ));
        }
        self.tolerance = Some(divergence);
        Ok(self)
    }
}

/// The Δ-divergences of two mechanisms A and B, and which is the more private (Kaissis et al. 2024).
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Analysis, Blackwell, Mechanism};
///
/// let gaussian = Analysis::of(Mechanism::gaussian(1, 1)?).prepare()?;
/// let laplace = Analysis::of(Mechanism::laplace(1, 1)?).prepare()?;
/// let comparison = gaussian.compare(&laplace)?;
/// assert_eq!(comparison.blackwell(), Blackwell::Incomparable);
/// assert!(*comparison.delta_a_b().lower() > 0.005);
/// assert!(*comparison.delta_b_a().lower() > 0.034);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Comparison {
    delta_a_b: Enclosure,
    delta_b_a: Enclosure,
    symmetric: Enclosure,
    blackwell: Blackwell,
    weighted: Vec<WeightedDivergences>,
    profiles_cross: Crossings<Enclosure>,
    curves_cross: Crossings<(Rational, Rational)>,
    extremes: [Extremes; 2],
    emergence: Option<Emergence>,
    conditions: Vec<String>,
}

/// How far a mechanism is from both ends of all mechanisms (Kaissis et al. 2024, Lemmas 3 and 4).
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Analysis, Mechanism};
///
/// let (one, two) = (Mechanism::gaussian(1, 1)?, Mechanism::gaussian(2, 1)?);
/// let comparison = Analysis::of(one).prepare()?.compare(&Analysis::of(two).prepare()?)?;
/// let [a, b] = comparison.extremes();
/// // Twice the noise is nearer to perfect privacy, and farther from none.
/// assert!(a.from_perfect_privacy().lower() > b.from_perfect_privacy().upper());
/// assert!(a.to_blatant_non_privacy().upper() < b.to_blatant_non_privacy().lower());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Extremes {
    from_perfect_privacy: Enclosure,
    to_blatant_non_privacy: Enclosure,
}

impl Extremes {
    /// Δ of perfect privacy from it: half its advantage.
    pub fn from_perfect_privacy(&self) -> &Enclosure {
        &self.from_perfect_privacy
    }

    /// Δ from it to no privacy at all: its minimax risk.
    pub fn to_blatant_non_privacy(&self) -> &Enclosure {
        &self.to_blatant_non_privacy
    }
}

/// max_π ψ(π)·(R_B(π) − R_A(π)) and the same the other way round, for a density ψ on the prior.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Analysis, ComparisonOptions, Mechanism, Prior};
///
/// let gaussian = Analysis::of(Mechanism::gaussian(1, 1)?).prepare()?;
/// let laplace = Analysis::of(Mechanism::laplace(1, 1)?).prepare()?;
/// let options = ComparisonOptions::default().weighted_by(Prior::uniform());
/// let comparison = gaussian.compare_with(&laplace, &options)?;
/// // The uniform density weighs nothing: this encloses the same number as the plain divergence.
/// let (weighted, plain) = (&comparison.weighted()[0], comparison.delta_a_b());
/// assert!(weighted.delta_a_b().lower() <= plain.upper() && weighted.delta_a_b().upper() >= plain.lower());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct WeightedDivergences {
    prior: Prior,
    delta_a_b: Enclosure,
    delta_b_a: Enclosure,
}

impl WeightedDivergences {
    /// The density.
    pub fn prior(&self) -> &Prior {
        &self.prior
    }

    /// That of choosing B instead of A.
    pub fn delta_a_b(&self) -> &Enclosure {
        &self.delta_a_b
    }

    /// That of choosing A instead of B.
    pub fn delta_b_a(&self) -> &Enclosure {
        &self.delta_b_a
    }
}

impl Comparison {
    pub(super) fn of(
        found: &study::Comparison<'_>,
        priors: &[Prior],
    ) -> Result<Self, InvariantViolation> {
        let weighted = priors.iter().zip(&found.weighted);
        let weighted = weighted.map(|(prior, of)| WeightedDivergences {
            prior: prior.clone(),
            delta_a_b: Enclosure::of(&of.a_to_b.answer),
            delta_b_a: Enclosure::of(&of.b_to_a.answer),
        });
        let crossing = |epsilon: &Interval| {
            let between = bounds::Enclosure::from_interval(epsilon);
            Enclosure::bare(&between, "the sign of the difference at both ends")
        };
        let extremes = |[privacy, exposure]: &[bounds::Enclosure; 2]| Extremes {
            from_perfect_privacy: Enclosure::bare(privacy, "half of the advantage"),
            to_blatant_non_privacy: Enclosure::bare(exposure, "the minimax risk"),
        };
        Ok(Self {
            delta_a_b: Enclosure::of(&found.a_to_b.answer),
            delta_b_a: Enclosure::of(&found.b_to_a.answer),
            symmetric: Enclosure::of(&found.symmetric.answer),
            blackwell: found.blackwell,
            weighted: weighted.collect(),
            profiles_cross: Crossings {
                places: found.crossings.places.iter().map(crossing).collect(),
                complete: found.crossings.complete,
            },
            curves_cross: found.curve_crossings.clone(),
            extremes: found.extremes.each_ref().map(extremes),
            emergence: Emergence::of(&found.moments)?,
            conditions: found.conditions.clone(),
        })
    }

    /// Δ(A‖B): the regret of choosing B instead of A, by how much the error of a membership attack can fall.
    pub fn delta_a_b(&self) -> &Enclosure {
        &self.delta_a_b
    }

    /// Δ(B‖A).
    pub fn delta_b_a(&self) -> &Enclosure {
        &self.delta_b_a
    }

    /// The larger of the two: the Lévy distance of the trade-off functions.
    pub fn symmetric(&self) -> &Enclosure {
        &self.symmetric
    }

    /// Which of them is the more private everywhere, if either. That one dominates says that it is the **less** private.
    pub fn blackwell(&self) -> Blackwell {
        self.blackwell
    }

    /// The weighted divergences asked for, in that order.
    pub fn weighted(&self) -> &[WeightedDivergences] {
        &self.weighted
    }

    /// ε at which the privacy profiles certainly cross, in rising order; the Bayes errors cross at the priors e^ε/(1 + e^ε).
    pub fn crossing_epsilons(&self) -> &[Enclosure] {
        &self.profiles_cross.places
    }

    /// Are these certainly all the crossings of the profiles?
    pub fn are_all_crossing_epsilons(&self) -> bool {
        self.profiles_cross.complete
    }

    /// Stretches of false-positive rates over which the trade-off curves certainly change places, in rising order.
    pub fn crossing_alphas(&self) -> &[(Rational, Rational)] {
        &self.curves_cross.places
    }

    /// Are these certainly all the crossings of the curves?
    pub fn are_all_crossing_alphas(&self) -> bool {
        self.curves_cross.complete
    }

    /// How far A and B are from perfect privacy and from none.
    pub fn extremes(&self) -> &[Extremes; 2] {
        &self.extremes
    }

    /// What the moments of the steps prove, where both are compositions of several equal steps, or where it was
    /// [asked for](ComparisonOptions::emergence_up_to).
    pub fn emergence(&self) -> Option<&Emergence> {
        self.emergence.as_ref()
    }

    /// What all of this takes for granted, in words.
    pub fn conditions(&self) -> &[String] {
        &self.conditions
    }
}
