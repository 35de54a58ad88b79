//! Numbers in words against whole numbers.

use rug::Float;

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

/// A number of any size that fits, with many ones or none.
fn any_number(random: &mut Random) -> Integer {
    let digits = u32::try_from(random.below(u64::from(SIZE) + 1)).unwrap();
    let top = (Integer::from(1) << digits) - 1u32;
    match random.below(3) {
        0 => top,
        1 => Integer::from(&top >> 1u32) + u32::from(top > 0),
        _ => {
            let any = [0, 1, 2].map(|_| random.below(u64::MAX));
            Integer::from_digits(&any, Order::Lsf) & top
        }
    }
}

/// Sums, differences and whole parts are those of whole numbers, and what does not fit is said.
#[test]
fn words_are_whole_numbers() {
    let mut random = Random(61);
    let limit = Integer::from(1) << SIZE;
    for _ in 0..20_000 {
        let [a, b] = [0, 1].map(|_| {
            let size = any_number(&mut random);
            if random.once_in(2) { -size } else { size }
        });
        let [x, y] = [&a, &b].map(|n| Words::of(n).unwrap());
        assert!(x.to_integer() == a && x.is_negative() == (a < 0));
        let fits = |n: Integer| Some(n).filter(|n| Integer::from(n.abs_ref()) < limit);
        let sum = fits(Integer::from(&a + &b));
        assert_eq!(x.plus(&y).map(|n| n.to_integer()), sum);
        let difference = fits(Integer::from(&a - &b));
        assert_eq!(x.minus(&y).map(|n| n.to_integer()), difference);
        if a >= 0 {
            let bits = u32::try_from(random.below(100)).unwrap();
            assert_eq!(x.whole(bits).to_integer(), Number::whole(&a, bits));
            let limbs: Vec<u64> = a.to_digits(Order::Lsf);
            let shifted = Integer::from(&a << bits);
            let found = Words::of_limbs(&limbs, bits).map(|n| n.to_integer());
            assert_eq!(found, fits(shifted.clone()), "{a} {bits}");
            assert_eq!(Integer::of_limbs(&limbs, bits), Some(shifted));
        }
        if let (Some(smaller), true) = (x.smaller(y), (a >= 0) == (b >= 0)) {
            assert_eq!(smaller.to_integer(), a.min(b));
        }
    }
    assert!(Words::of(&limit).is_none() && Words::of(&-limit.clone()).is_none());
    let most = Words::of(&(limit - 1u32)).unwrap();
    let least = Words::default().minus(&most).unwrap();
    assert!(most.plus(&most).is_none() && least.plus(&least).is_none());
    assert!(least.minus(&most).is_none() && most.minus(&least).is_none());
    assert!(Words::of_limbs(&[1, 0, 0, 1], 0).is_none());
    assert_eq!(
        Words::of_limbs(&[5, 0, 0, 0], 0),
        Words::of(&Integer::from(5))
    );
}

/// Products with powers in words are on the side of whole numbers of 400 bits that their name says, and as near as is said, from few bits of the powers, too.
#[test]
fn products_in_words_are_rounded_to_their_side() {
    const FINE: u32 = 900;
    let mut random = Random(62);
    for round in 0..3_000 {
        let step = Rational::from((1 + random.below(1 << 12), 1u64 << random.below(40)));
        let n = i64::try_from(1 + random.below(30)).unwrap();
        let size = any_number(&mut random);
        let x = Words::of(&size).unwrap();
        let few = if round % 3 == 0 { 9 } else { FINE };
        let exponent = Float::with_val(FINE, &(step.clone() * n)) / 2u32;
        let fall = Float::with_val(FINE, -&exponent).exp();
        let fallen = fall.clone() * &size;
        let drop = -Float::with_val(FINE, -&exponent).exp_m1();
        let over = Float::with_val(FINE, &size / &drop);
        let risen = exponent.clone().exp() * &size;
        let far = Float::with_val(64, 130);
        let found = at_most_bits(few, || {
            let mut powers = WordPowers::new(&step);
            let found = [
                powers.fall_down(n, &x),
                powers.fall_up(n, &x),
                powers.rise_up(n, &x),
                powers.over_drop_down(n, &x),
            ];
            found.map(|found| found.map(|found| found.to_integer()))
        });
        let [down, up, rise, over_down] = found;
        if let Some(down) = &down {
            assert!(*down <= fallen, "{step} {n} {size}");
            assert!(
                few < FINE || *down > fallen.clone() - LOST,
                "{step} {n} {size}"
            );
        }
        if let Some(up) = &up {
            assert!(*up >= fallen, "{step} {n} {size}");
            assert!(few < FINE || *up < fallen + LOST, "{step} {n} {size}");
        }
        let limit = Integer::from(1) << SIZE;
        match rise {
            Some(rise) => assert!(rise >= risen && (few < FINE || rise <= risen + 17u32)),
            None => {
                // Far out of nothing, too.
                let is_far = risen > limit.clone() - 64u32 || exponent > far;
                assert!(few < FINE || is_far, "{step} {n}");
            }
        }
        match over_down {
            Some(found) => {
                let off = Float::with_val(64, &over - &found);
                // Known no better than a power of 192 digits.
                let most = 16u32 + (Float::with_val(64, &over / &drop) >> 188u32);
                assert!(
                    found <= over && (few < FINE || off <= most),
                    "{off} {step} {n}"
                );
            }
            None => assert!(few < FINE || over > Float::with_val(64, &limit) / 2u32),
        }
        assert!(few < FINE || (down.is_some() && up.is_some()), "{step} {n}");
    }
    // Beyond the largest exponent no product is known, not of 0 either.
    let mut powers = WordPowers::new(&Rational::from(9000));
    for x in [0, 1] {
        let x = Words::of(&Integer::from(x)).unwrap();
        assert!(powers.rise_up(1, &x).is_none());
        assert!(powers.fall_up(1, &x).unwrap().to_integer() >= 1);
        assert_eq!(powers.fall_down(1, &x).unwrap().to_integer(), 0);
    }
    // What is negative has no product.
    let x = Words::of(&Integer::from(-1)).unwrap();
    let mut powers = WordPowers::new(&Rational::from(1));
    assert!(powers.fall_up(1, &x).is_none() && powers.fall_down(1, &x).is_none());
    assert!(powers.rise_up(1, &x).is_none() && powers.over_drop_down(1, &x).is_none());
}
