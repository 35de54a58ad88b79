//! The door: the names that a user of the library needs, and nothing else. Everything behind it is free to change.
//!
//! | file | job |
//! |---|---|
//! | `analysis` | one mechanism, and what can be asked of it |
//! | `mechanism`, `text` | what can be made of text |
//! | `claim_file` | a mechanism and claims about it, as they were published |
//! | `enclosure` | a number between two bounds |
//! | `verdict`, `comparison`, `report`, `calibration`, `sweep` | answers |
//! | `emergence` | what the moments of the steps prove about two compositions |
//! | `error` | why there is no answer |
//! | `number` | a double as an exact number |

mod analysis;
mod calibration;
mod claim_file;
mod comparison;
mod emergence;
mod enclosure;
mod error;
mod mechanism;
mod number;
mod report;
mod sweep;
mod text;
mod verdict;

pub use analysis::{Analysis, Builder};
pub use calibration::{Calibration, Solved};
pub use claim_file::ClaimFile;
pub use comparison::{Comparison, ComparisonOptions, Extremes, WeightedDivergences};
pub use emergence::{Emergence, StepMoments};
pub use enclosure::{Enclosure, Precision};
pub use error::Error;
pub use report::{Report, ReportOptions, Statement};
pub use sweep::{Sweep, SweepPoint};
pub use verdict::Verdict;
