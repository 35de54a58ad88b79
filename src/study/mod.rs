//! What dpcmp is asked for, as library functions with typed answers: the command line reads words, calls one of them, and prints.
//!
//! | file | job |
//! |---|---|
//! | `beside` | files that an input names |
//! | `taken` | what answers take for granted |
//! | `limits` | time, threads, precision, and who hears how it goes |
//! | `calibrate` | the least noise that provably meets a target |
//! | `bound` | queries about one mechanism |
//! | `estimate` | the same by floats, without guarantee |
//! | `engine` | how numbers are computed |
//! | `curve` | δ(ε), f(α), R(π) at many points |
//! | `sweep` | the same queries at many values of parameters |
//! | `verify` | the claims of a file |
//! | `compare` | two mechanisms side by side |
//! | `moments` | what their steps prove of long compositions |
//! | `report` | what is known of one mechanism, on one page |
//! | `other_batches` | the same run with batches drawn in another way |

mod beside;
mod bound;
mod calibrate;
mod compare;
mod curve;
mod engine;
mod estimate;
mod limits;
mod moments;
mod other_batches;
mod report;
mod sweep;
mod taken;
#[cfg(test)]
mod tests;
mod verify;

pub use beside::FolderOf;
pub use bound::{
    Bounded, NoAnswer, answer, bound, default_target, expect, is_attained, says_nothing,
};
pub use calibrate::{
    Beyond, BlackBox, Calibration, CalibrationError, Cost, Doubt, NotImplied, Solution, Standard,
    calibrate, calibrate_from_profiles, calibrate_with_standard, standard_factor,
};
pub use compare::{Asked, Comparison, Duel, NoComparison, Regret, Weighted, compare};
pub use curve::{
    CurveKind, CurvePoint, NoCurve, Place, Points, Source, curve, extended, merged, place, sample,
    usual_places,
};
pub use engine::{Engine, Finding};
pub use estimate::{estimate, prepare, quick_hint};
pub use limits::{Limits, Listener, SharedDeadline, Silent};
pub use moments::Moments;
pub use other_batches::OtherBatches;
pub use report::{Converted, NoReport, Page, PrivacyReport, report};
pub use sweep::{Axis, AxisError, Grid, PointAnswers, Sweep, SweepError};
pub use taken::Taken;
pub use verify::{Judged, Verification, conditions_of, verify};
