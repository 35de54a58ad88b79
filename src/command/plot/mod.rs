//! `--plot FILE.svg|FILE.png|-`: pictures to files, or as dots on the terminal.
//!
//! | file | job |
//! |---|---|
//! | `duel` | the picture of `compare` |
//! | `fit` | the picture of `report` |
//! | `claims` | the picture of `verify`, and of `calibrate` |
//! | `sweep` | the picture of a sweep |

mod claims;
mod duel;
mod fit;
mod sweep;

pub use claims::claims;
pub use duel::{Divergence, Opponents, duel};
pub use fit::fit;
pub use sweep::sweep;
