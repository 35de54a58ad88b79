//! Sums of a few losses: each direction of rounding in milliseconds.

use rug::{Float, Rational};

use super::profile::growth_up;
use super::tests::{contains, hint, profile, step};
use crate::kernel::coarse::{FINE, Random, at_most_bits};
use crate::kernel::{Interval, LossBound, Profile};

/// Laws of four losses, whole or not, by lines on all three sides, at few bits and many.
#[test]
fn a_few_losses() {
    for (place, tilt) in [(3, 2), (-1, 2), (-5, 2)].into_iter().enumerate() {
        for is_whole in [true, false] {
            let law = step(&[3, 0, 9, 1], (1, 10), Rational::from((1, 4)), is_whole);
            let parts = vec![(law, 5)];
            let profile = profile(&parts, &[hint(Rational::from(tilt), 101)]).unwrap();
            contains(&parts, &profile).unwrap();
            for bits in [8 + u32::try_from(place).unwrap(), 14] {
                let found = at_most_bits(bits, || contains(&parts, &profile));
                assert!(found.is_ok(), "{tilt:?} {is_whole} {bits} bits: {found:?}");
            }
        }
    }
}

/// The ends of a sum, and the other way round: the losses with the other sign.
#[test]
fn ends_of_a_few_losses() {
    let law = step(&[3, 0, 9, 1], (1, 10), Rational::from((1, 4)), true);
    let (first, last) = (law.atoms()[0].0, law.atoms()[3].0);
    let at = |label: i64| law.lattice().exact_position(label).unwrap() * 5u32;
    let (first, last) = (at(first), at(last));
    let profile = profile(&[(law, 5)], &[hint(Rational::from((3, 2)), 101)]).unwrap();
    let swapped = profile.swapped();
    let is = |bound: LossBound, end: &Rational| match bound {
        LossBound::Finite { value, .. } => value.contains(end) && value.width_up() < 1e-30,
        LossBound::Unbounded => false,
    };
    assert!(last > 0 && first < 0);
    assert!(is(profile.max_loss(64), &last));
    assert!(is(swapped.min_loss(64), &Rational::from(-&last)));
    // Where P-mass may be above 1 nothing is said of the least loss, and of the other order's largest.
    if is(profile.min_loss(64), &first) {
        assert!(is(swapped.max_loss(64), &Rational::from(-&first)));
    } else {
        let LossBound::Finite { value, .. } = profile.min_loss(64) else {
            return;
        };
        assert!(value.contains(&first));
    }
}

/// e^x − 1 is never more, on both sides of 1 and at it.
#[test]
fn growth_is_bounded_from_above() {
    let mut random = Random(17);
    for round in 0..2000 {
        let bits = 2 + u32::try_from(random.below(8)).unwrap();
        let x = match round % 8 {
            0 => Interval::one(bits),
            1 => Interval::zero(bits).hull(&Interval::one(bits)),
            2 => Interval::one(bits).hull(&Interval::from_i64(2, bits)),
            _ => Interval::point(Float::with_val(bits, random.below(24)) >> 3u32),
        };
        let fine = Interval::point(x.hi().clone()).at_bits(FINE).exp_m1();
        for found in [growth_up(&x), at_most_bits(bits, || growth_up(&x))] {
            assert!(found >= *fine.lo(), "{x:?} at {bits} bits: {found}");
        }
        // And not much more.
        let most = if *x.hi() <= 1 { 1.3 } else { 1.001 };
        assert!(
            growth_up(&x.at_bits(64)).to_f64() <= fine.hi().to_f64() * most + 1e-9,
            "{x:?}"
        );
    }
}
