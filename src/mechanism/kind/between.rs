//! Mechanisms of which two normal forms are known: one that is no more private, one that is no less.

use crate::mechanism::domain::{OutOfRange, Why};
use crate::mechanism::steps::Steps;

/// The normal form, where the two agree.
///
/// # Errors
/// If they differ: bounds from two normal forms are not computed yet.
pub(super) fn between(least: &Steps, most: Steps) -> Result<Steps, OutOfRange> {
    if *least == most {
        return Ok(most);
    }
    let message = "the largest effect of one record is known only between two bounds, and mechanisms between two normal forms are not computed yet";
    Err(OutOfRange::sentence("kind", message)
        .because(Why::Unsupported)
        .help("where no two columns within reach of one record have a negative product, and numbers are short, it is exact"))
}
