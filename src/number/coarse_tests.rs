//! Decimals of a few digits on their side of numbers of few bits and many, in exact fractions.

use rug::{Float, Integer, Rational, ops::Pow};

use super::{decimal_down, decimal_up, exact, float_down, float_up, parse_rational};
use crate::kernel::coarse::{Random, few_bits};

const CASES: u32 = 10_000;

fn whole(random: &mut Random, bits: u32) -> Integer {
    Integer::from(random.word() >> (64 - bits))
}

fn power_of_ten(random: &mut Random, most: u64) -> Rational {
    let power = Rational::from(Integer::from(10).pow(u32::try_from(random.below(most)).unwrap()));
    if random.once_in(2) {
        power
    } else {
        power.recip()
    }
}

/// A fraction of few digits or many, of either sign, near 1 and far from it.
fn fraction(random: &mut Random) -> Rational {
    let bits = 1 + u32::try_from(random.below(60)).unwrap();
    let below = match random.below(3) {
        0 => Integer::from(1),
        _ => whole(random, bits) + 1u32,
    };
    let bits = 1 + u32::try_from(random.below(60)).unwrap();
    let value = Rational::from((whole(random, bits), below)) * power_of_ten(random, 24);
    if random.once_in(2) { value } else { -value }
}

/// Both decimals are on their side, next to each other, and the number itself where its digits are few.
fn is_enclosed(value: &Rational, digits: usize, [down, up]: [&str; 2]) {
    let [low, high] = [down, up].map(|text| parse_rational(text).unwrap());
    assert!(low <= *value && *value <= high, "{down} {value} {up}");
    // No more than a unit of the last digit of a number that is not larger.
    let power = Integer::from(10).pow(u32::try_from(digits).unwrap() - 1);
    let most = Rational::from(value.abs_ref()) / power;
    assert!(Rational::from(&high - &low) <= most, "{down} {value} {up}");
}

#[test]
fn decimals_of_few_digits() {
    let mut random = Random(11);
    for _ in 0..CASES {
        let value = fraction(&mut random);
        let digits = 1 + usize::try_from(random.below(12)).unwrap();
        let texts = [decimal_down(&value, digits), decimal_up(&value, digits)];
        is_enclosed(&value, digits, [&texts[0], &texts[1]]);
        // A decimal of so many digits is printed as it is.
        for text in texts {
            let decimal = parse_rational(&text).unwrap();
            assert_eq!(decimal_down(&decimal, digits), text);
            assert_eq!(decimal_up(&decimal, digits), text);
        }
    }
}

#[test]
fn floats_of_few_bits() {
    let mut random = Random(12);
    for _ in 0..CASES {
        let bits = few_bits(&mut random) * if random.once_in(4) { 10 } else { 1 };
        let float = random.float(bits);
        let digits = 1 + usize::try_from(random.below(8)).unwrap();
        let value = float.to_rational().unwrap();
        let texts = [float_down(&float, digits), float_up(&float, digits)];
        is_enclosed(&value, digits, [&texts[0], &texts[1]]);
    }
    for (float, down, up) in [
        (
            Float::with_val(8, rug::float::Special::Infinity),
            "inf",
            "inf",
        ),
        (
            Float::with_val(8, rug::float::Special::NegInfinity),
            "-inf",
            "-inf",
        ),
        (Float::with_val(8, rug::float::Special::Nan), "-inf", "inf"),
    ] {
        assert_eq!([float_down(&float, 3), float_up(&float, 3)], [down, up]);
    }
}

/// What is called exact is the number, next to decimals of one digit more than are preferred too.
#[test]
fn exact_texts_say_the_number() {
    let mut random = Random(13);
    for _ in 0..CASES {
        let value = match random.below(4) {
            0 => {
                let unit = Integer::from(10).pow(u32::try_from(36 + random.below(8)).unwrap());
                Rational::from((whole(&mut random, 20), Integer::from(1)))
                    + Rational::from((1, unit))
            }
            _ => fraction(&mut random),
        };
        let text = exact(&value);
        assert_eq!(parse_rational(&text).unwrap(), value, "{text}");
        let is_short = decimal_down(&value, 40) == decimal_up(&value, 40);
        assert_eq!(
            text.contains('/'),
            !is_short && !value.is_integer(),
            "{text}"
        );
    }
}
