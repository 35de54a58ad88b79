//! `--plot FILE.svg|FILE.png|-`: pictures to files, or as dots on the terminal.
//!
//! | file | job |
//! |---|---|
//! | `duel` | the picture of `compare` |
//! | `fit` | the picture of `report` |
//! | `claims` | the picture of `verify` |
//! | `reproduced` | the picture of `reproduce` |
//! | `sweep` | the picture of a sweep |

mod claims;
mod duel;
mod fit;
mod reproduced;
mod sweep;

pub use claims::claims;
pub use duel::{Divergence, Facing, duel};
pub use fit::fit;
pub use reproduced::reproduced;
pub use sweep::sweep;

use std::path::PathBuf;

use super::Session;
use super::destination;
use super::exit_code::ExitCode;
use super::output::{Gone, complain};
use crate::plot::{Picture, png, svg, terminal};

/// Where a picture goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plot {
    /// To a file, as SVG.
    Svg(PathBuf),
    /// To a file, as PNG.
    Png(PathBuf),
    /// To standard output, as characters.
    Terminal,
}

impl Plot {
    /// Reads `FILE.svg`, `FILE.png` or `-`.
    ///
    /// # Errors
    /// If it is neither, so that nothing is computed for a picture that cannot be made.
    pub fn from_argument(text: &str) -> Result<Self, String> {
        if text == "-" {
            return Ok(Self::Terminal);
        }
        let path = PathBuf::from(text);
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(Self::Svg(path)),
            Some("png") => Ok(Self::Png(path)),
            _ => Err("a picture is FILE.svg, FILE.png, or `-` for the terminal".to_owned()),
        }
    }
}

impl Session {
    /// Draws the picture where it was asked for.
    ///
    /// # Errors
    /// When standard output is gone.
    pub(super) fn plot(&self, picture: impl FnOnce() -> Picture) -> Result<ExitCode, Gone> {
        let Some(plot) = &self.options.plot else {
            return Ok(ExitCode::Done);
        };
        let picture = picture();
        let (path, bytes) = match plot {
            Plot::Terminal => {
                self.print(&format!("\n{}", terminal(&picture)))?;
                return Ok(ExitCode::Done);
            }
            Plot::Svg(path) => (path, Ok((svg(&picture) + "\n").into_bytes())),
            Plot::Png(path) => (path, png(&picture)),
        };
        let written = bytes
            .and_then(|bytes| destination::write(path, &bytes).map_err(|error| error.to_string()));
        Ok(match written {
            Ok(()) => ExitCode::Done,
            Err(error) => {
                complain(&format!("cannot write `{}`: {error}", path.display()));
                ExitCode::BadInput
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_what_it_is() {
        assert_eq!(Plot::from_argument("-"), Ok(Plot::Terminal));
        assert_eq!(
            Plot::from_argument("a/b.SVG"),
            Ok(Plot::Svg("a/b.SVG".into()))
        );
        assert_eq!(Plot::from_argument("c.png"), Ok(Plot::Png("c.png".into())));
        for bad in ["", "picture", "a.pdf", ".svg", "svg"] {
            assert!(Plot::from_argument(bad).is_err(), "{bad}");
        }
    }
}
