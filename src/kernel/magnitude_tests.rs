//! Magnitudes against exact numbers.

use super::*;
use proptest::prelude::*;
use rug::Rational;

fn exact(x: Magnitude) -> Rational {
    let mantissa = Rational::from(Integer::from_digits(&x.mantissa, Order::Lsf));
    mantissa << (x.exponent - 191)
}

fn power_of_two(exponent: i32) -> Rational {
    Rational::from(1) << exponent
}

fn magnitude() -> impl Strategy<Value = Magnitude> {
    let limb = || prop_oneof![4 => any::<u64>(), 1 => Just(0), 1 => Just(u64::MAX)];
    let exponent = prop_oneof![3 => -80i32..80, 1 => -4i32..2];
    ([limb(), limb(), limb()], exponent).prop_map(|([low, middle, top], exponent)| Magnitude {
        mantissa: [low, middle, top | 1 << 63],
        exponent,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn whole_numbers_and_back(x in magnitude(), shift in 0u32..400) {
        let truth = Integer::from_digits(&x.mantissa, Order::Lsf) + (Integer::from(1) << 500u32);
        let truth = truth >> shift;
        let found = Magnitude::of_integer(&truth).unwrap();
        let lost = Rational::from(&truth) - exact(found);
        prop_assert!(lost >= 0 && lost.clone() * (Integer::from(1) << 191u32) < truth);
        prop_assert!(lost == 0 || truth.significant_bits() > 192);
        prop_assert_eq!(x.to_float().to_rational().unwrap(), exact(x));
        prop_assert!(Magnitude::of_integer(&-truth).is_none());
        prop_assert!(Magnitude::of_integer(&Integer::new()).is_none());
    }

    #[test]
    fn inverses_are_rounded_down(x in magnitude(), bits in 0u32..400) {
        let truth = exact(x).recip();
        let found = x.recip().unwrap();
        prop_assert!(exact(found) <= truth);
        prop_assert!(Rational::from(&truth - &exact(found)) < truth * power_of_two(-190));
        prop_assert!(found.mantissa[2] >> 63 == 1);
        // Numbers of any width.
        let wide = Wide(x.mantissa).shifted_right(1 + bits % 192);
        let value = Rational::from(Integer::from_digits(&wide.0, Order::Lsf));
        let scaled = value / Rational::from(Integer::from(1) << bits);
        match Magnitude::of_wide(wide, bits) {
            Some(found) => prop_assert_eq!(exact(found), scaled),
            None => prop_assert_eq!(scaled, 0),
        }
        prop_assert!(Magnitude::of_wide(Wide(x.mantissa), bits).is_none());
    }

    #[test]
    fn products_stay_within_their_bounds(a in magnitude(), b in magnitude()) {
        let (product, truth) = (exact(a.times(b)), exact(a) * exact(b));
        prop_assert!(product <= truth);
        prop_assert!(Rational::from(&truth - &product) < truth * power_of_two(-187));
    }

    #[test]
    fn sums_stay_within_their_bounds(a in magnitude(), b in magnitude()) {
        let (sum, truth) = (exact(a.plus(b)), exact(a) + exact(b));
        prop_assert!(sum <= truth);
        prop_assert!(Rational::from(&truth - &sum) < truth * power_of_two(-189));
    }

    #[test]
    fn roots_stay_within_their_bounds(x in magnitude()) {
        let root = exact(x.sqrt().unwrap());
        prop_assert!(root.clone().square() <= exact(x));
        let above: Rational = root * (1 + power_of_two(-190));
        prop_assert!(above.square() > exact(x));
    }

    #[test]
    fn one_is_taken_off_as_any_number(x in magnitude(), far in 0u32..192) {
        // Close to 1 from above, or anywhere.
        let near = Magnitude {
            mantissa: Wide(x.mantissa).shifted_right(far.max(1)).wrapping_add(Wide::power_of_two(191)).0,
            exponent: 0,
        };
        for x in [x, near] {
            for above in [false, true] {
                let factor = if above { 1 + power_of_two(-178) } else { Rational::from(1) };
                let truth = exact(x) * factor - 1u32;
                match x.minus_one() {
                    Difference::Positive { value, good_bits } => {
                        let error = (&truth - exact(value)).abs() * Rational::from((5, 3));
                        prop_assert!(error < truth * power_of_two(-i32::try_from(good_bits).unwrap()));
                    }
                    Difference::NotPositive => prop_assert!(truth <= 0),
                    Difference::Unclear => prop_assert!(truth.abs() < power_of_two(x.exponent.max(0) - 169)),
                }
            }
        }
    }

    #[test]
    fn scaling_stays_within_its_bounds(x in magnitude(), v in any::<[u64; 3]>(), shift in 0u32..192) {
        let v = Wide(v).shifted_right(1).shifted_right(shift);
        let truth = exact(x) * Integer::from_digits(&v.0, Order::Lsf);
        match x.scale(v) {
            Some(scaled) => {
                let scaled = Rational::from(Integer::from_digits(&scaled.0, Order::Lsf));
                prop_assert!(scaled <= truth && Rational::from(&truth - &scaled) < 14);
            }
            None => prop_assert!(truth >= power_of_two(191)),
        }
    }

    #[test]
    fn differences_keep_their_promise(x in magnitude(), c in any::<[u64; 3]>(), near in 0u32..192, close: bool) {
        // A number c in [0, 1], at random or close to x.
        let c = if close && x.exponent < 0 {
            let x = Wide(x.mantissa).shifted_right(x.exponent.unsigned_abs());
            let noise = Wide(c).shifted_right(near);
            x.wrapping_add(noise).shifted_left(1).shifted_right(1)
        } else {
            Wide(c).shifted_right(1)
        };
        let low: Rational = exact(x) - (Rational::from(Integer::from_digits(&c.0, Order::Lsf)) >> 191);
        // The numbers that x and c stand for: a little above.
        for (x_above, c_above) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut truth = low.clone();
            if x_above {
                truth += exact(x) * power_of_two(-178);
            }
            if c_above {
                truth -= power_of_two(-189);
            }
            match x.minus(c) {
                Difference::Positive { value, good_bits } => {
                    let error = (&truth - exact(value)).abs() * Rational::from((5, 3));
                    prop_assert!(error < truth * power_of_two(-i32::try_from(good_bits).unwrap()));
                }
                Difference::NotPositive => prop_assert!(truth <= 0),
                Difference::Unclear => prop_assert!(truth.abs() < power_of_two(x.exponent.max(0) - 169)),
            }
        }
    }

    #[test]
    fn floats_round_down(numerator in 1u64.., denominator in 1u64.., bits in 20u32..300, shift in -100i32..100) {
        let truth = Rational::from((numerator, denominator)) << shift;
        let interval = Interval::from_rational(&truth, bits);
        let below = exact(Magnitude::below(interval.hi()).unwrap());
        prop_assert!(below <= *interval.hi());
        prop_assert!(below > Float::with_val(400, interval.hi()).to_rational().unwrap() * (1 - power_of_two(-191)));
        match Magnitude::of(&interval) {
            Some(result) => {
                prop_assert!(exact(result) <= truth);
                prop_assert!(exact(result) >= truth * (1 - power_of_two(-190)));
            }
            None => prop_assert!(bits < 196),
        }
    }
}

#[test]
fn what_is_not_positive_is_no_magnitude() {
    for x in [
        Float::new(64),
        Float::with_val(64, -1),
        crate::kernel::directed::infinity(64),
    ] {
        assert!(Magnitude::below(&x).is_none());
    }
    assert!(Magnitude::of(&Interval::whole_line(64)).is_none());
}

/// 2^19 units of 2^-190 are too few, 2^20 are enough.
#[test]
fn differences_of_few_units_are_unclear() {
    let one = Magnitude::below(&Float::with_val(64, 1)).unwrap();
    let beside =
        |units: u32| one.minus(Wide::power_of_two(191).wrapping_sub(Wide::power_of_two(units + 1)));
    assert!(matches!(beside(19), Difference::Unclear));
    assert!(matches!(
        beside(20),
        Difference::Positive { good_bits: 6, .. }
    ));
}

/// Two units of the last place are near enough, three are not.
#[test]
fn how_near_the_upper_end_must_be() {
    let one = Float::with_val(200, 1);
    for (units, is_near) in [(0u32, true), (2, true), (3, false)] {
        let end = Float::with_val(200, units) >> 191u32;
        let interval = Interval::new(one.clone(), end + &one).unwrap();
        assert_eq!(Magnitude::of(&interval).is_some(), is_near, "{units}");
    }
}

#[test]
fn whole_units_of_a_number() {
    let five = Magnitude::below(&Float::with_val(64, 5)).unwrap();
    assert_eq!(five.fixed(3), Some(Wide([40, 0, 0])));
    assert_eq!(five.fixed(-1), Some(Wide([2, 0, 0])));
    assert!(five.fixed(189).is_some() && five.fixed(190).is_none());
}
