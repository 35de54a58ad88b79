//! What is claimed and asked of a mechanism, every number in its range: an invalid [`Claim`], [`Query`] or [`Requirement`] cannot exist.
//!
//! Each is made by checked constructors alone, and shows what it is made of to be matched on.
//!
//! | file | job |
//! |---|---|
//! | `claim` | a guarantee, true or false |
//! | `query` | a quantity of one mechanism, or of two |
//! | `requirement` | what a calibration must meet |
//! | `other` | the second mechanism of a claim or query |

mod claim;
mod other;
mod query;
mod requirement;

pub use claim::{Claim, StatedClaim};
pub use other::Other;
pub use query::{Contrast, Quantity, Query};
pub use requirement::{Measure, Requirement, StatedRequirement};

use rug::Rational;

use crate::mechanism::{Domain, OutOfRange, exact};
use crate::number::Exact;

/// The number that a parameter stands for, if it lies in the range.
fn number(
    parameter: &'static str,
    value: impl Exact,
    domain: Domain,
) -> Result<Rational, OutOfRange> {
    domain.check(parameter, exact(parameter, value)?)
}

#[cfg(test)]
mod tests;
