//! Emergent dominance (Kaissis et al. 2024 §4): moments of a step's privacy loss, and what the Berry–Esseen theorem proves from them about
//! Δ of two self-compositions.
//!
//! A step is a dominating pair (P, Q), P without the record; L = log dQ/dP. Kaissis et al. 2024 Theorem 3 rests on a theorem about symmetric
//! trade-off curves and on N/Ñ ≥ η̃²/η². [`emergence`] says whether both hold, and gives in any case a bound that needs
//! neither. Its proof, and the counterexample to Lemma 6, are in `proofs/README.md`.
//!
//! | file | job |
//! |---|---|
//! | `step` | a mechanism as N copies of one pair; is its curve symmetric? |
//! | `moments` | v₁ … v₄ and η, under both laws |
//! | `quadrature`, `integrand`, `series` | moments of subsampled continuous noise, by Taylor polynomials with remainders |
//! | `binormal` | the supremum behind the two-sided bound |
//! | `theorem` | hypotheses and bounds |
//! | `smallest` | the number of steps from which on dominance up to a tolerance is proven |
//! | `never` | why a bounded loss never dominates a Gaussian exactly |

mod binormal;
mod integrand;
mod moments;
mod never;
mod quadrature;
mod series;
mod smallest;
mod step;
mod theorem;

pub use moments::{LossMoments, NoMoments, StepMoments, step_moments};
pub use never::never_dominates;
pub use smallest::{Proof, SmallestMultiple};
pub use step::{SelfComposition, Step, Symmetry, self_composition};
pub use theorem::{
    ComposedMoments, Emergence, EtaCondition, Hypothesis, emergence, identical_constant,
    paper_constant,
};
