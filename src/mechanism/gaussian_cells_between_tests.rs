//! One cell between two places with large slivers, in exact units.

use rug::integer::Order;
use rug::{Float, Integer};

use super::*;
use crate::kernel::{Interval, Pick};

fn units(x: CellNumber) -> Integer {
    Integer::from_digits(&x, Order::Lsf)
}

fn power(n: u32) -> Integer {
    Integer::from(1) << n
}

fn wide(x: &Integer) -> Wide {
    let mut limbs = [0u64; 3];
    x.write_digits(&mut limbs, Order::Lsf);
    Wide(limbs)
}

/// Two neighbouring places e^0 and e^step, with what depends on their distance.
fn neighbours(step: &Rational) -> (Place, Place, Gap) {
    let offset = Interval::zero(320);
    let places = CellPlaces {
        offset: &offset,
        step,
        indices: &[0, 1],
        good_bits: 159,
    };
    let mut cuts = Cuts::new(&Rational::from(1), &Mixing::None, &places).unwrap();
    let first = cuts.first().unwrap();
    let (second, gap) = cuts.next(1).unwrap();
    (first, second, gap)
}

#[test]
fn slivers_count_on_both_sides() {
    let half = Rational::from((1, 2));
    let tiny = Rational::from(1) >> 40u32;
    // P of the cell: much less than Q, little less, and so that a rise is out of range.
    for (step, null) in [(&half, 3), (&half, 5), (&tiny, 3)] {
        let (first, second, gap) = neighbours(step);
        let (mass, next) = (power(189), power(187));
        let null_next = power(186);
        let null_mass = &null_next + power(186) * null;
        let (near, far) = (power(150), power(149));
        let low = Place {
            mass: wide(&mass),
            null_mass: wide(&null_mass),
            sliver: wide(&near),
            ..first
        };
        let high = Place {
            mass: wide(&next),
            null_mass: wide(&null_next),
            sliver: wide(&far),
            ..second
        };
        let cell = between(&low, &high, &gap, 159).unwrap();
        let slivers = Integer::from(&near + &far);
        let (with, without) = (
            Integer::from(&mass - &next),
            Integer::from(&null_mass - &null_next),
        );
        assert!(units(cell.mass_down) <= Integer::from(&with - &slivers));
        let twice = Integer::from(&slivers * 2u32);
        assert!(units(cell.scaled_p_up) >= Integer::from(&without + &twice));
        assert!(units(cell.tail_up) >= Integer::from(&next + &far));
        // (Q − P)/(1 − e^{−h}) and both slivers twice, or all of the cell if that is less.
        let fall = Float::with_val(400, Rational::from(-step)).exp_m1();
        let rise = Float::with_val(400, Integer::from(&with - &without)) / -fall + &twice;
        let all = Integer::from(&with + &slivers);
        let least = rise.smaller(&Float::with_val(400, &all));
        assert!(units(cell.rise_up) >= least, "{step} {null}");
        assert_eq!(units(cell.rise_up) >= all, null == 3, "{step} {null}");
        // And what is beyond.
        let found = beyond(&low).unwrap();
        let twice = Integer::from(&near * 2u32);
        assert!(units(found.right_mass_down) <= Integer::from(&mass - &near));
        assert!(units(found.right_scaled_p_up) >= Integer::from(&null_mass + &twice));
        let gain = Integer::from(&mass - &null_mass).max(Integer::new());
        assert!(units(found.right_delta_up) >= gain + twice);
    }
}
