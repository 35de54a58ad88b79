//! Arithmetic on MPFR numbers with the rounding direction in the name.
//!
//! Ensures, for every `*_down` (`*_up`) function: the result is at most (at least) the exact value of the
//! operation on the exact values of the arguments; MPFR rounds each of them correctly in the direction
//! given. An indeterminate form (∞ − ∞, 0·∞, 0/0) gives the trivial bound −∞ (+∞).

use std::cmp::Ordering;

use rug::float::{Round, Special};
use rug::ops::AssignRound;
use rug::{Assign, Float, Integer, Rational};

macro_rules! binary {
    ($down:ident, $up:ident, $operator:tt, $what:literal) => {
        #[doc = concat!("Lower bound of ", $what, ", in `bits` bits.")]
        pub fn $down(a: &Float, b: &Float, bits: u32) -> Float {
            floor_of_indeterminate(Float::with_val_round(precision(bits), a $operator b, Round::Down).0)
        }

        #[doc = concat!("Upper bound of ", $what, ", in `bits` bits.")]
        pub fn $up(a: &Float, b: &Float, bits: u32) -> Float {
            ceiling_of_indeterminate(Float::with_val_round(precision(bits), a $operator b, Round::Up).0)
        }
    };
}

macro_rules! unary {
    ($down:ident, $up:ident, $incomplete:ident, $what:literal) => {
        #[doc = concat!("Lower bound of ", $what, ", in `bits` bits.")]
        pub fn $down(a: &Float, bits: u32) -> Float {
            floor_of_indeterminate(
                Float::with_val_round(precision(bits), a.$incomplete(), Round::Down).0,
            )
        }

        #[doc = concat!("Upper bound of ", $what, ", in `bits` bits.")]
        pub fn $up(a: &Float, bits: u32) -> Float {
            ceiling_of_indeterminate(
                Float::with_val_round(precision(bits), a.$incomplete(), Round::Up).0,
            )
        }
    };
}

macro_rules! both {
    ($both:ident, $incomplete:ident, $what:literal) => {
        #[doc = concat!("Lower and upper bound of ", $what, ", in `bits` bits, from one evaluation.")]
        pub fn $both(a: &Float, bits: u32) -> (Float, Float) {
            let (low, order) = Float::with_val_round(precision(bits), a.$incomplete(), Round::Down);
            let mut high = low.clone();
            // Rounded down and not exact: the value lies below the next number of this precision.
            if order != Ordering::Equal {
                high.next_up();
            }
            (floor_of_indeterminate(low), ceiling_of_indeterminate(high))
        }
    };
}

macro_rules! conversion {
    ($down:ident, $up:ident, $source:ty, $what:literal) => {
        #[doc = concat!("Lower bound of ", $what, ", in `bits` bits.")]
        pub fn $down(a: &$source, bits: u32) -> Float {
            Float::with_val_round(precision(bits), a, Round::Down).0
        }

        #[doc = concat!("Upper bound of ", $what, ", in `bits` bits.")]
        pub fn $up(a: &$source, bits: u32) -> Float {
            Float::with_val_round(precision(bits), a, Round::Up).0
        }
    };
}

macro_rules! words {
    ($down:ident, $up:ident, $source:ty, $what:literal) => {
        #[doc = concat!("Lower bound of ", $what, ", in `bits` bits.")]
        pub fn $down(a: $source, bits: u32) -> Float {
            Float::with_val_round(precision(bits), a, Round::Down).0
        }

        #[doc = concat!("Upper bound of ", $what, ", in `bits` bits.")]
        pub fn $up(a: $source, bits: u32) -> Float {
            Float::with_val_round(precision(bits), a, Round::Up).0
        }
    };
}

conversion!(rational_down, rational_up, Rational, "a rational");
conversion!(integer_down, integer_up, Integer, "an integer");
conversion!(float_down, float_up, Float, "a number at another precision");

words!(word_down, word_up, i64, "an integer of one word");
words!(words_down, words_up, u128, "a natural number of two words");

binary!(add_down, add_up, +, "a + b");
binary!(sub_down, sub_up, -, "a − b");
binary!(mul_down, mul_up, *, "a·b");
binary!(div_down, div_up, /, "a/b");

/// Lower bound of 1 − a, in `bits` bits.
pub fn one_minus_down(a: &Float, bits: u32) -> Float {
    floor_of_indeterminate(Float::with_val_round(precision(bits), 1u32 - a, Round::Down).0)
}

/// Upper bound of 1 − a, in `bits` bits.
pub fn one_minus_up(a: &Float, bits: u32) -> Float {
    ceiling_of_indeterminate(Float::with_val_round(precision(bits), 1u32 - a, Round::Up).0)
}

unary!(sqrt_down, sqrt_up, sqrt_ref, "√a");
unary!(exp_down, exp_up, exp_ref, "e^a");
unary!(exp_m1_down, exp_m1_up, exp_m1_ref, "e^a − 1");
unary!(ln_down, ln_up, ln_ref, "log a");
unary!(ln_1p_down, ln_1p_up, ln_1p_ref, "log(1 + a)");
both!(exp_both, exp_ref, "e^a");
both!(exp_m1_both, exp_m1_ref, "e^a − 1");
both!(ln_both, ln_ref, "log a");
both!(ln_1p_both, ln_1p_ref, "log(1 + a)");
unary!(erfc_down, erfc_up, erfc_ref, "erfc a");
unary!(
    ln_gamma_down,
    ln_gamma_up,
    ln_gamma_ref,
    "log Γ(a), for a ≥ 1"
);

/// √2 rounded down, in `bits` bits.
pub fn sqrt_two_down(bits: u32) -> Float {
    sqrt_down(&Float::with_val(8, 2), bits)
}

/// √2 rounded up, in `bits` bits.
pub fn sqrt_two_up(bits: u32) -> Float {
    sqrt_up(&Float::with_val(8, 2), bits)
}

/// √(2π) rounded down, in `bits` bits.
pub fn sqrt_two_pi_down(bits: u32) -> Float {
    let mut two_pi = Float::new(precision(bits));
    two_pi.assign_round(rug::float::Constant::Pi, Round::Down);
    sqrt_down(&(two_pi << 1u32), bits)
}

/// √(2π) rounded up, in `bits` bits.
pub fn sqrt_two_pi_up(bits: u32) -> Float {
    let mut two_pi = Float::new(precision(bits));
    two_pi.assign_round(rug::float::Constant::Pi, Round::Up);
    sqrt_up(&(two_pi << 1u32), bits)
}

/// One of two numbers, as it is. `Float::min` and `Float::max` round theirs to the nearest number of the first one's precision.
pub trait Pick {
    /// The smaller of two numbers.
    #[must_use]
    fn smaller(self, other: &Float) -> Float;

    /// The larger of two numbers.
    #[must_use]
    fn larger(self, other: &Float) -> Float;
}

impl Pick for Float {
    fn smaller(self, other: &Float) -> Float {
        if *other < self { other.clone() } else { self }
    }

    fn larger(self, other: &Float) -> Float {
        if *other > self { other.clone() } else { self }
    }
}

/// +∞, in `bits` bits.
pub fn infinity(bits: u32) -> Float {
    Float::with_val(bits, Special::Infinity)
}

/// −∞, in `bits` bits.
pub fn neg_infinity(bits: u32) -> Float {
    Float::with_val(bits, Special::NegInfinity)
}

/// The bits asked for; fewer where a test wants every rounding to show ([`super::coarse::at_most_bits`]).
fn precision(bits: u32) -> u32 {
    #[cfg(test)]
    let bits = super::coarse::capped(bits);
    bits
}

fn floor_of_indeterminate(mut x: Float) -> Float {
    if x.is_nan() {
        x.assign(Special::NegInfinity);
    }
    x
}

fn ceiling_of_indeterminate(mut x: Float) -> Float {
    if x.is_nan() {
        x.assign(Special::Infinity);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A third is representable at no precision: its two roundings must straddle it by one unit.
    #[test]
    fn conversions_straddle() {
        let third = Rational::from((1, 3));
        for bits in [2, 24, 53, 160, 1000] {
            let (down, up) = (rational_down(&third, bits), rational_up(&third, bits));
            assert!(down < third && up > third, "{bits} bits");
            let mut next = down;
            next.next_up();
            assert_eq!(next, up);
        }
    }

    #[test]
    fn words_straddle() {
        let (word, words) = (-(i64::MAX / 3), u128::MAX / 3);
        for bits in [2, 3, 24, 53] {
            let (down, up) = (word_down(word, bits), word_up(word, bits));
            assert!(down < word && up > word, "{bits} bits");
            let (low, high) = (words_down(words, bits), words_up(words, bits));
            assert!(low < words && high > words, "{bits} bits");
            for (mut next, up) in [(down, up), (low, high)] {
                next.next_up();
                assert_eq!(next, up);
            }
        }
        assert_eq!(word_down(word, 64), word);
        assert_eq!(words_up(words, 128), words);
    }

    #[test]
    fn what_is_picked_keeps_its_digits() {
        let (short, long) = (Float::with_val(5, 19) >> 6u32, Float::with_val(60, 0.297));
        assert_eq!(short.clone().larger(&long), long);
        assert_eq!((short + 1u32).smaller(&long), long);
    }

    #[test]
    fn operations_straddle_a_finer_value() {
        let a = rational_down(&Rational::from((10, 7)), 40);
        let b = rational_down(&Rational::from((3, 11)), 40);
        type Pair = (
            fn(&Float, &Float, u32) -> Float,
            fn(&Float, &Float, u32) -> Float,
        );
        let pairs: [Pair; 4] = [
            (add_down, add_up),
            (sub_down, sub_up),
            (mul_down, mul_up),
            (div_down, div_up),
        ];
        for (down, up) in pairs {
            assert!(down(&a, &b, 30) < down(&a, &b, 200));
            assert!(up(&a, &b, 30) > up(&a, &b, 200));
            assert!(down(&a, &b, 200) <= up(&a, &b, 200));
        }
        type Single = (fn(&Float, u32) -> Float, fn(&Float, u32) -> Float);
        let singles: [Single; 6] = [
            (sqrt_down, sqrt_up),
            (exp_down, exp_up),
            (exp_m1_down, exp_m1_up),
            (ln_down, ln_up),
            (ln_1p_down, ln_1p_up),
            (erfc_down, erfc_up),
        ];
        for (down, up) in singles {
            assert!(down(&a, 30) < down(&a, 200));
            assert!(up(&a, 30) > up(&a, 200));
            assert!(down(&a, 200) < up(&a, 200));
        }
    }

    #[test]
    fn indeterminate_forms_give_the_trivial_bound() {
        let (zero, inf) = (Float::new(53), infinity(53));
        assert_eq!(mul_down(&zero, &inf, 53), neg_infinity(53));
        assert_eq!(sub_up(&inf, &inf, 53), inf);
        assert_eq!(div_down(&zero, &zero, 53), neg_infinity(53));
        assert_eq!(ln_down(&Float::with_val(53, -1), 53), neg_infinity(53));
    }

    #[test]
    fn overflow_keeps_its_side() {
        let huge = Float::with_val(53, 1e300);
        assert!(exp_down(&huge, 53).is_finite());
        assert!(exp_up(&huge, 53).is_infinite());
        let tiny = exp_up(&Float::with_val(53, -1e300), 53);
        assert!(tiny > 0 && tiny.is_finite());
        assert!(exp_down(&Float::with_val(53, -1e300), 53) == 0);
    }

    #[test]
    fn two_pi_straddles() {
        assert!(sqrt_two_pi_down(64) < sqrt_two_pi_up(64));
        assert!(sqrt_two_pi_down(64) < sqrt_two_pi_down(300));
        assert!(sqrt_two_down(64) < sqrt_two_up(64));
    }
}
