//! What a mechanism can be made of, for users of the library.

use super::Error;
use crate::input::mechanism_from_bytes;
use crate::mechanism::{Mechanism, OutOfRange};
use crate::number::Exact;

impl Mechanism {
    /// DP-SGD: `steps` times Gaussian noise of this multiplier on a Poisson sample of this rate.
    ///
    /// ```
    /// # fn main() -> Result<(), dpcmp::Error> {
    /// let run = dpcmp::Mechanism::dp_sgd("9.4", "16384/50000", 2000)?;
    /// assert_eq!(run.words(), "2000 × (Gaussian σ = 9.4, Poisson-sampled at q = 0.32768)");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If a number is out of its range: the multiplier above 0, the rate in (0, 1], at least one step.
    pub fn dp_sgd(
        noise_multiplier: impl Exact,
        sample_rate: impl Exact,
        steps: u64,
    ) -> Result<Self, OutOfRange> {
        let noise = Self::gaussian(noise_multiplier, 1)?;
        Self::compose(vec![(Self::subsampled(sample_rate, noise)?, steps)])
    }

    /// A mechanism from the text of a mechanism file, TOML or JSON: all kinds and keys, an Opacus accountant state or a dp_accounting DpEvent.
    ///
    /// # Errors
    /// If it is none, with line, column and what to do.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Ok(mechanism_from_bytes("text", text.as_bytes())?.mechanism)
    }
}
