//! Numbers in fixed point from enclosures of few bits and many: never above what they are made of, and none where that is known too badly.

use rug::integer::Order;
use rug::{Integer, Rational};

use super::coarse::{Random, few_bits};
use super::fixed_ln::{LOG_FRACTION_BITS, rounded};
use super::magnitude::Magnitude;
use super::{Interval, Pick};

fn exact(x: Magnitude) -> Rational {
    let mantissa = Integer::from_digits(&x.mantissa().0, Order::Lsf);
    Rational::from(mantissa) << (x.exponent() - 191)
}

/// Of few bits with ends nearby, or of so many that both ends are close.
fn enclosure(random: &mut Random) -> Interval {
    let bits = match random.below(3) {
        0 => few_bits(random),
        1 => 186 + u32::try_from(random.below(12)).unwrap(),
        _ => 260,
    };
    let x = random.float(40).to_rational().unwrap();
    Interval::from_rational(&(x / (1 + random.below(40))), bits)
}

#[test]
fn magnitudes_of_enclosures() {
    let mut random = Random(91);
    let mut found = 0;
    for _ in 0..10_000 {
        let x = enclosure(&mut random);
        let [low, high] = [x.lo(), x.hi()].map(|end| end.to_rational().unwrap());
        let below = Magnitude::below(x.lo()).map(exact);
        assert_eq!(below.is_some(), low > 0);
        let near = |value: &Rational, of: &Rational, bits: u32| {
            value <= of && Rational::from(of - value) <= of.clone() >> bits
        };
        assert!(below.is_none_or(|below| near(&below, &low, 191)));
        match Magnitude::of(&x).map(exact) {
            Some(value) => {
                found += 1;
                assert!(near(&value, &low, 190) && near(&value, &high, 190), "{x:?}");
            }
            None => {
                let apart = Rational::from(&high - &low);
                assert!(low <= 0 || apart >= high >> 192u32, "{x:?}");
            }
        }
    }
    assert!(found > 2_000, "{found}");
}

#[test]
fn units_of_enclosures() {
    let mut random = Random(92);
    let mut found = 0;
    for _ in 0..10_000 {
        let x = enclosure(&mut random);
        let scaled = |end: &rug::Float| end.to_rational().unwrap() << LOG_FRACTION_BITS;
        let [low, high] = [scaled(x.lo()), scaled(x.hi())];
        match rounded(&x) {
            Some(wide) => {
                found += 1;
                let value = Integer::from_digits(&wide.0, Order::Lsf);
                let value = match wide.is_negative() {
                    true => value - (Integer::from(1) << 192u32),
                    false => value,
                };
                assert!(
                    value <= low && high <= Integer::from(&value + 2u32),
                    "{x:?}"
                );
            }
            None => {
                let is_wide = Rational::from(&high - &low) > 1;
                let size = x.lo().clone().abs().larger(&x.hi().clone().abs());
                assert!(is_wide || size >= 128, "{x:?}");
            }
        }
    }
    assert!(found > 2_000, "{found}");
}
