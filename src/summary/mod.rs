//! Concise representations of a mechanism, and what each leaves out.
//!
//! A representation (ε-DP, (ε, δ)-DP, μ-GDP, …) states one number and stands for all mechanisms of which the statement is
//! true. Its regret Δ(M‖class) is by how much an attacker's error is under-reported when the statement is used instead
//! of M (Gomez et al. 2025, Section 2.5; Kaissis et al. 2024, Definition 1).
//!
//! | file | job |
//! |---|---|
//! | `representation` | the tightest parameter, the number stated, its regret |
//! | `renyi_curve` | ε(t) at many orders, and its regret |
//! | `converted` | the regret where Rényi guarantees are converted order by order |
//! | `conversion` | a statement as a class of mechanisms, and as a Gaussian one |
//! | `gaussian_mu` | the μ that a single (ε, δ) speaks of, rounded both ways |
//! | `recommendation` | which to report, by the rule of Gomez et al. |

mod conversion;
mod converted;
mod gaussian_mu;
mod recommendation;
mod renyi_curve;
mod representation;

pub use conversion::{class_of, gaussian_of};
pub use converted::converted_regret;
pub use gaussian_mu::{GaussianMu, gaussian_mu};
pub use recommendation::{Advice, LARGEST_REGRET, advise};
pub use renyi_curve::{RenyiCurve, fine_orders, renyi_curve, usual_orders};
pub use representation::{Kind, Representation, Stated, Widths, represent};
