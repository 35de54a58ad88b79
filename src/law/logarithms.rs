//! Logarithms of rationals, as lattices ask for them again and again.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use rug::Rational;

use crate::kernel::Interval;

/// So many are kept, the latest ones.
const MOST: usize = 24;

/// Of numbers that are this long at most.
const MOST_BITS: u32 = 2_048;

/// What was asked for, in how many bits, and its logarithm.
struct Known {
    of: Rational,
    bits: u32,
    log: Interval,
}

static KNOWN: Mutex<VecDeque<Known>> = Mutex::new(VecDeque::new());

/// log x in `bits` bits.
pub(super) fn log(x: &Rational, bits: u32) -> Interval {
    let number = Interval::from_rational(x, bits);
    // Tests ask for fewer bits than they say.
    if number.bits() != bits {
        return number.ln();
    }
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |one: &&Known| one.bits == bits && one.of == *x;
    if let Some(one) = known().iter().rev().find(is_it) {
        return one.log.clone();
    }
    let log = number.ln();
    if x.numer()
        .significant_bits()
        .max(x.denom().significant_bits())
        > MOST_BITS
    {
        return log;
    }
    let mut known = known();
    while known.len() >= MOST {
        known.pop_front();
    }
    known.push_back(Known {
        of: x.clone(),
        bits,
        log: log.clone(),
    });
    log
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::at_most_bits;

    /// In any order, in any bits, and no more than so many of them.
    #[test]
    fn logarithms_are_their_own() {
        for round in 0..3u32 {
            for n in 1..60u32 {
                let x = Rational::from((n + round, 60));
                for bits in [64, 200, 320] {
                    let truth = Interval::from_rational(&x, bits).ln();
                    assert_eq!(log(&x, bits), truth, "{x} {bits}");
                    let coarse = at_most_bits(8, || log(&x, bits));
                    assert!(coarse.bits() <= 8 && coarse.lo() <= truth.lo());
                }
                assert!(KNOWN.lock().unwrap().len() <= MOST);
            }
        }
    }
}
