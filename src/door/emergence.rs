//! What the moments of the steps prove about two compositions.

use rug::{Float, Integer};

use super::Enclosure;
use crate::bounds;
use crate::emergence::{self, ComposedMoments, Hypothesis, SmallestMultiple};
use crate::kernel::{InvariantViolation, directed};
use crate::study::Moments;

/// What the moments of one step prove about Δ(A‖B) of two compositions of equal steps (Kaissis et al. 2024, Theorem 3, and a bound that needs no symmetry).
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Analysis, ComparisonOptions, Mechanism};
///
/// let a = Analysis::of(Mechanism::dp_sgd(2, "1/5", 4000)?).prepare()?;
/// let b = Analysis::of(Mechanism::dp_sgd(3, "3/10", 4000)?).prepare()?;
/// let options = ComparisonOptions::default().emergence_up_to("0.05")?;
/// let comparison = a.compare_with(&b, &options)?;
/// let emergence = comparison.emergence().expect("both are compositions");
/// assert!(comparison.delta_a_b().lower() <= emergence.bound().upper());
/// let (steps_a, steps_b) = emergence.proven_from().expect("there is always such a number");
/// assert_eq!(steps_a, steps_b);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Emergence {
    moments: Option<[StepMoments; 2]>,
    bound: Enclosure,
    gamma_sum: Option<Enclosure>,
    is_theorem_met: bool,
    unmet: Vec<String>,
    proven_from: Option<(Integer, Integer)>,
}

/// Moments of the privacy loss L of one step (Kaissis et al. 2024, equations 8 to 12), P being its law without the record.
///
/// ```
/// # fn main() -> Result<(), dpcmp::Error> {
/// use dpcmp::{Analysis, Mechanism};
///
/// let response = Analysis::from_text(r#"{"kind":"compose","of":[{"kind":"randomized-response","epsilon":"1/10","times":9}]}"#)?.prepare()?;
/// let comparison = response.compare(&response)?;
/// let [step, _] = comparison.emergence().and_then(|found| found.moments()).expect("its losses have moments");
/// // A loss of ±ε has the second moment ε².
/// assert_eq!(step.steps(), 9);
/// assert!((step.v2().upper().to_f64() - 0.01).abs() < 1e-12);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct StepMoments {
    steps: u64,
    v1: Enclosure,
    v2: Enclosure,
    v3: Enclosure,
    v4: Enclosure,
    eta: Enclosure,
}

impl StepMoments {
    fn of(found: &ComposedMoments) -> Self {
        let step = &found.step;
        let known = |value| {
            let value = bounds::Enclosure::from_interval(value);
            Enclosure::bare(&value, "an integral with its error bounded")
        };
        Self {
            steps: found.times,
            v1: known(&step.v1()),
            v2: known(step.v2()),
            v3: known(step.v3()),
            v4: known(step.v4()),
            eta: known(&step.eta()),
        }
    }

    /// How many such steps there are.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// v₁ = KL(P‖Q), minus the mean of L under P.
    pub fn v1(&self) -> &Enclosure {
        &self.v1
    }

    /// v₂, the second moment of L under P.
    pub fn v2(&self) -> &Enclosure {
        &self.v2
    }

    /// v₃, the third absolute central moment of L under P.
    pub fn v3(&self) -> &Enclosure {
        &self.v3
    }

    /// v₄, the third absolute moment of L under P.
    pub fn v4(&self) -> &Enclosure {
        &self.v4
    }

    /// η = v₁/√(v₂ − v₁²): of N symmetric steps, 2√N·η is the μ of the limit.
    pub fn eta(&self) -> &Enclosure {
        &self.eta
    }
}

impl Emergence {
    /// `None` where nobody asked: one of them is no composition.
    pub(super) fn of(found: &Moments) -> Result<Option<Self>, InvariantViolation> {
        match found {
            Moments::NotAsked => Ok(None),
            Moments::Unknown(why) => Self::nothing(why.clone()).map(Some),
            Moments::OutOfTime => Self::nothing("the time ended".to_owned()).map(Some),
            Moments::Known(found) => Self::known(found).map(Some),
        }
    }

    fn nothing(why: String) -> Result<Self, InvariantViolation> {
        Ok(Self {
            moments: None,
            bound: at_most(&directed::infinity(64), "true of any two mechanisms")?,
            gamma_sum: None,
            is_theorem_met: false,
            unmet: vec![why],
            proven_from: None,
        })
    }

    fn known(found: &emergence::Emergence) -> Result<Self, InvariantViolation> {
        let mut unmet = match &found.hypothesis {
            Hypothesis::Met => Vec::new(),
            Hypothesis::FailsBecause(reasons) => reasons.clone(),
        };
        let moments = match &found.moments {
            Ok(both) => Some([StepMoments::of(&both.0), StepMoments::of(&both.1)]),
            Err(why) => {
                unmet.push(why.to_string());
                None
            }
        };
        let proven_from = match &found.smallest {
            Some(SmallestMultiple::Proven {
                times, other_times, ..
            }) => Some((times.clone(), other_times.clone())),
            Some(SmallestMultiple::NotFound(why)) => {
                unmet.push(why.clone());
                None
            }
            None => None,
        };
        let gamma_sum = found.gamma_sum.as_ref().map(|sum| {
            let sum = bounds::Enclosure::from_interval(sum);
            Enclosure::bare(&sum, "moments of the steps")
        });
        Ok(Self {
            moments,
            bound: at_most(found.best_bound().hi(), "the Berry–Esseen theorem")?,
            gamma_sum,
            is_theorem_met: matches!(found.hypothesis, Hypothesis::Met),
            unmet,
            proven_from,
        })
    }

    /// The moments of a step of A and of B; `None` if a loss has none.
    pub fn moments(&self) -> Option<&[StepMoments; 2]> {
        self.moments.as_ref()
    }

    /// Δ(A‖B) by the moments alone: 0 below, and the best proved bound above, 1/2 if there is none.
    pub fn bound(&self) -> &Enclosure {
        &self.bound
    }

    /// γ_A + γ_B, the bound of Theorem 3; it bounds something only where the theorem [applies](Self::theorem_applies).
    pub fn gamma_sum(&self) -> Option<&Enclosure> {
        self.gamma_sum.as_ref()
    }

    /// Are all hypotheses of Theorem 3 met?
    pub fn theorem_applies(&self) -> bool {
        self.is_theorem_met
    }

    /// What is missing, in words.
    pub fn unmet(&self) -> &[String] {
        &self.unmet
    }

    /// From these numbers of steps of A and B on, at this ratio, Δ(A‖B) is proved to be at most what was asked for.
    pub fn proven_from(&self) -> Option<(&Integer, &Integer)> {
        self.proven_from.as_ref().map(|(a, b)| (a, b))
    }
}

/// No divergence of two mechanisms is above ½.
fn at_most(upper: &Float, by: &str) -> Result<Enclosure, InvariantViolation> {
    let half = Float::with_val(64, 1) >> 1u32;
    let upper = if *upper < half { upper.clone() } else { half };
    let bound = bounds::Enclosure::new(Float::new(64), upper)?;
    Ok(Enclosure::bare(&bound, by))
}
