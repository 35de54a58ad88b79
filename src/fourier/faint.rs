//! Values of a sum at roots where they are faint, from few digits.

use rug::{Float, Integer};

use super::decay::log_up;
use super::fixed::{self, Complex, ERROR_BITS, error_of_power_up};
use super::real::{WORD_FRACTION, Word};
use super::tilted::Tilted;
use super::transform::{Factors, Room, Stretches, error_in_words_up};
use crate::kernel::Pick;
use crate::kernel::about;
use crate::kernel::directed as d;

/// Values of χ^T in few digits, of one law: where |χ|^T is small its errors are.
///
/// Let z be χ(w), off by less than e, and z' what is found, |z'| ≤ r. Then |z| ≤ a = r + e, and |z^T − z'^T| ≤ T·a^(T−1)·e.
pub(super) struct Faint {
    factors: Factors<Word>,
    times: u64,
    /// At most r² in units of 2^−124.
    square: i128,
}

impl Faint {
    /// With the error of its values, which is at most about `most`; `None` for several laws, and where no r is as small.
    pub(super) fn new(
        parts: &[(Tilted, u64)],
        stretches: &Stretches,
        most: &Float,
    ) -> Option<(Self, Float)> {
        let [(law, times)] = parts else {
            return None;
        };
        let (factors, times) = (Factors::new(parts, stretches), *times);
        let one = error_in_words_up(law, stretches)?;
        let others = times.checked_sub(1).filter(|others| *others > 0)?;
        // About where T·r^(T−1)·e is as little: any r would do.
        let radius = Float::with_val(ERROR_BITS, most / &one) / times;
        let radius = about::exp(about::ln(radius) / others);
        let radius = radius.smaller(&Float::with_val(ERROR_BITS, 1));
        let square = Float::with_val(ERROR_BITS, radius.square_ref()) << SQUARE_FRACTION;
        let square = square.to_integer()?.to_i128()?;
        let error = faint_error_up(square, &one, times);
        let faint = Self {
            factors,
            times,
            square,
        };
        (error <= Float::with_val(ERROR_BITS, most << 1u32)).then_some((faint, error))
    }

    /// χ(w)^T; `None` where that is not faint.
    pub(super) fn at(&self, root: Complex, room: &mut Room<Word>) -> Option<Complex> {
        let found = self.factors.of_first(root, room)?;
        let square =
            fixed::words(found.re, found.re).wrapping_add(fixed::words(found.im, found.im));
        (square <= self.square).then(|| fixed::power(found.widened(), self.times))
    }
}

/// Binary digits of squares of words.
const SQUARE_FRACTION: u32 = 2 * WORD_FRACTION;

/// At least the error of χ^T where |χ|² is found to be at most this, and χ is off by at most e: T·(r + e)^(T−1)·e and what a power in many digits is off by.
///
/// Requires: r ≤ 1.
fn faint_error_up(square: i128, one: &Float, times: u64) -> Float {
    let square = d::integer_up(&Integer::from(square), ERROR_BITS) >> SQUARE_FRACTION;
    let most = d::add_up(&d::sqrt_up(&square, ERROR_BITS), one, ERROR_BITS);
    let log = log_up(&most);
    // At most 0.
    let others = Float::with_val(ERROR_BITS, times.saturating_sub(1));
    let log = -d::mul_down(&-log, &others, ERROR_BITS);
    let power = d::exp_up(&log, ERROR_BITS);
    let each = d::mul_up(one, &Float::with_val(ERROR_BITS, times), ERROR_BITS);
    let rounding = error_of_power_up(&Float::new(ERROR_BITS), times);
    d::add_up(&d::mul_up(&power, &each, ERROR_BITS), &rounding, ERROR_BITS)
}

#[cfg(test)]
#[path = "faint_tests.rs"]
mod tests;
