//! Containment, tightness and the ends of intervals.

use super::*;
use proptest::prelude::*;

fn rational() -> impl Strategy<Value = Rational> {
    (-2000i64..2000, 1i64..500).prop_map(|(n, m)| Rational::from((n, m)))
}

fn enclose(a: &Rational, b: &Rational, bits: u32) -> Interval {
    Interval::spanning(
        d::rational_down(a.min(b), bits),
        d::rational_up(a.max(b), bits),
    )
}

fn between(a: &Rational, b: &Rational, t: u32) -> Rational {
    let t = Rational::from((t, 16));
    a + Rational::from(b - a) * t
}

proptest! {
    /// Containment: any members, any operation, exact rational arithmetic as the oracle.
    #[test]
    fn rational_operations_contain(a in rational(), b in rational(), c in rational(), e in rational(),
                                   t in 0u32..17, s in 0u32..17, bits in 2u32..90) {
        let (x, y) = (enclose(&a, &b, bits), enclose(&c, &e, bits));
        let (p, q) = (between(&a, &b, t), between(&c, &e, s));
        prop_assert!(x.contains(&p));
        prop_assert!(x.add(&y).contains(&Rational::from(&p + &q)));
        prop_assert!(x.sub(&y).contains(&Rational::from(&p - &q)));
        prop_assert!(x.mul(&y).contains(&Rational::from(&p * &q)));
        prop_assert!(x.square().contains(&Rational::from(&p * &p)));
        prop_assert!(x.neg().contains(&Rational::from(-&p)));
        prop_assert!(x.one_minus().contains(&Rational::from(1 - &p)));
        prop_assert!(x.max(&y).contains(&p.clone().max(q.clone())));
        prop_assert!(x.min(&y).contains(&p.clone().min(q.clone())));
        prop_assert!(x.hull(&y).contains(&p) && x.hull(&y).contains(&q));
        prop_assert!(x.at_bits(2).contains(&p));
        if q != 0 {
            prop_assert!(x.div(&y).contains(&Rational::from(&p / &q)));
        }
        if p >= 0 {
            let root = x.sqrt();
            prop_assert!(root.square().contains(&p));
        }
        prop_assert!(Float::with_val(200, x.width_up()) >= Rational::from(&b - &a).abs());
    }

    /// Two precisions and inverse functions: the coarse interval contains the fine one, and undoing an
    /// operation leads back to an interval that contains the start.
    #[test]
    fn functions_contain_and_invert(a in rational(), bits in 10u32..60) {
        let small = Rational::from(&a / 100);
        let (coarse, fine) = (Interval::from_rational(&small, bits), Interval::from_rational(&small, 300));
        for f in [Interval::exp, Interval::exp_m1] {
            let (outer, inner) = (f(&coarse), f(&fine));
            prop_assert!(outer.lo() <= inner.lo() && inner.hi() <= outer.hi());
        }
        prop_assert!(coarse.exp().ln().contains(&small));
        prop_assert!(coarse.exp_m1().ln_1p().contains(&small));
    }
}

#[test]
fn tight_at_high_precision() {
    let third = Interval::from_rational(&Rational::from((1, 3)), 300);
    for value in [
        third.add(&third),
        third.mul(&third),
        third.div(&third),
        third.exp().ln(),
        third.sqrt(),
    ] {
        assert!(value.width_up() < Float::with_val(53, 1e-88), "{value:?}");
    }
}

#[test]
fn crossed_bounds_are_an_internal_error() {
    let (one, two) = (Float::with_val(53, 1), Float::with_val(53, 2));
    assert!(Interval::new(two.clone(), one.clone()).is_err());
    let (a, b) = (Interval::point(one), Interval::point(two));
    assert!(a.intersect(&b).is_err());
    assert_eq!(a.intersect(&a.hull(&b)).unwrap(), a);
}

#[test]
fn division_by_an_interval_around_zero_knows_nothing() {
    let around = Interval::spanning(Float::with_val(53, -1), Float::with_val(53, 1));
    assert_eq!(Interval::one(53).div(&around), Interval::whole_line(53));
    assert!(Interval::zero(53).mul(&Interval::whole_line(53)).is_zero());
}

#[test]
fn logarithm_of_zero_is_minus_infinity() {
    let unit = Interval::zero(53).hull(&Interval::one(53));
    assert!(unit.ln().lo().is_infinite());
    assert!(*unit.ln().hi() == 0);
}

/// Of a narrow interval one end says nearly all, on the safe side: at many bits and at a few, and next to where ordinary ones begin.
#[test]
fn narrow_intervals_have_their_functions_from_one_end() {
    use crate::kernel::coarse::{FINE, Random, at_most_bits, surrounds};
    type Function = fn(&Interval) -> Interval;
    let functions: [(&str, Function, i32); 6] = [
        ("exp", Interval::exp, i32::MIN),
        ("exp_m1", Interval::exp_m1, i32::MIN),
        ("exp_m1 in short", Interval::exp_m1_in_short, i32::MIN),
        ("ln", Interval::ln, 0),
        ("ln_1p", Interval::ln_1p, -1),
        ("ln_1p in short", Interval::ln_1p_in_short, -1),
    ];
    let mut random = Random(5);
    for _ in 0..3000 {
        let bits = 3 + u32::try_from(random.below(14)).unwrap();
        let start = random.float(bits);
        let shift = 28 + u32::try_from(random.below(60)).unwrap();
        let width = Float::with_val(FINE, 1 + random.below(64)) >> shift;
        for (name, function, least) in functions {
            if start <= least {
                continue;
            }
            let low = Float::with_val(200, &start);
            let high = Float::with_val(200, &start + &width);
            let narrow = Interval::new(low.clone(), high.clone()).unwrap();
            let ends =
                [low, high].map(|end| function(&Interval::point(Float::with_val(FINE, end))));
            let fine = function(&narrow);
            let coarse = at_most_bits(bits, || function(&narrow));
            for end in &ends {
                assert!(surrounds(&fine, end), "{name}({narrow:?}) = {fine:?}");
                assert!(surrounds(&coarse, end), "{name}({narrow:?}) at {bits} bits");
            }
            if start.clone().abs() > 1000 {
                continue;
            }
            // Hardly wider than the values at the ends are apart.
            let apart = Float::with_val(FINE, ends[1].hi() - ends[0].lo());
            let size = Float::with_val(FINE, fine.lo().abs_ref()) >> 190u32;
            let most = apart * 1.000_001f64 + size;
            assert!(fine.width_up() <= most, "{name}({narrow:?}) = {fine:?}");
        }
    }
}

/// The middle of an interval, half way between its ends.
#[test]
fn middles_are_half_way() {
    for (lo, hi, middle) in [(0, 2, 1), (-3, 5, 1), (-9, -5, -7), (4, 4, 4)] {
        let interval = Interval::spanning(Float::with_val(8, lo), Float::with_val(8, hi));
        assert_eq!(interval.middle(), middle, "{lo} {hi}");
    }
    // Ends as far apart as there are numbers.
    let most = Float::with_val(8, 1) << ((1u32 << 30) - 2);
    let far = Interval::spanning(-most.clone(), most.clone());
    assert!(far.lo() <= &far.middle() && &far.middle() <= far.hi());
    let zero = Float::new(8);
    let half_line = Interval::spanning(zero.clone(), d::infinity(8));
    assert_eq!(half_line.middle(), 0);
    assert_eq!(half_line.neg().middle(), 0);
}

#[test]
fn what_is_no_number_spans_the_line() {
    let (one, nothing) = (Float::with_val(20, 1), Float::with_val(30, f64::NAN));
    for (a, b) in [(&one, &nothing), (&nothing, &one), (&nothing, &nothing)] {
        let spanned = Interval::spanning(a.clone(), b.clone());
        assert!(spanned.lo().is_infinite() && spanned.hi().is_infinite());
        assert!(*spanned.lo() < 0 && *spanned.hi() > 0);
    }
}

/// In short and in full: both contain the truth, and the short one is as narrow as its bits, wherever it is taken.
#[test]
fn functions_in_short_are_true_and_narrow() {
    use crate::kernel::coarse::Random;
    type Function = fn(&Interval) -> Interval;
    let functions: [(Function, Function); 3] = [
        (Interval::exp, Interval::exp),
        (Interval::exp_m1_in_short, Interval::exp_m1),
        (Interval::ln_1p_in_short, Interval::ln_1p),
    ];
    let mut random = Random(11);
    for round in 0..9_000u32 {
        let bits = 24 + u32::try_from(random.below(77)).unwrap();
        let size = i32::try_from(random.below(150)).unwrap() - 75;
        let digits = Float::with_val(64, 1 + random.below(u64::MAX - 1)) >> 64u32;
        let start = Float::with_val(bits, &digits) << size.min(12);
        // Points, narrow intervals and wide ones, some of them from below 0 or −1; with no more bits than the short ways are for.
        let width = match round % 3 {
            0 => Float::new(bits),
            1 => Float::with_val(bits, &start * (1 + random.below(8))) >> (bits - 1),
            _ => Float::with_val(bits, &start >> (random.below(30) as u32)),
        };
        let start = if random.once_in(7) { -start } else { start };
        let end = d::add_up(&start, &width, bits);
        let x = Interval::spanning(start.clone(), end.clone());
        for (short, full) in functions {
            let found = short(&x);
            for place in [&start, &end] {
                let fine = full(&Interval::point(Float::with_val(300, place)));
                assert!(
                    found.lo() <= fine.lo() && found.hi() >= fine.hi(),
                    "{x:?}: {found:?}"
                );
            }
            let is_point = width == 0 && start > 0;
            let allowed = Float::with_val(64, found.lo() >> (bits - 3));
            assert!(!is_point || found.width_up() <= allowed, "{x:?}: {found:?}");
        }
    }
}

/// Where e^x is next to 1, which has few digits: on the other side of it whatever the last place of the fixed point hides.
#[test]
fn exponentials_next_to_one() {
    for bits in 2..=100u32 {
        for shift in 100..=132u32 {
            let x = Float::with_val(bits, 1) >> shift;
            let above = Interval::point(x.clone()).exp();
            assert!(*above.lo() <= 1 && *above.hi() > 1, "{bits} {shift}");
            let below = Interval::point(-x).exp();
            assert!(*below.lo() < 1 && *below.hi() >= 1, "{bits} {shift}");
        }
        // e^w is more than 1 + w.
        for shift in 33..bits {
            let width = Float::with_val(bits, 1) >> shift;
            let found = Interval::spanning(Float::new(bits), width.clone()).exp();
            assert!(
                *found.hi() > Float::with_val(bits + 2, width + 1u32),
                "{bits} {shift}"
            );
        }
    }
}

/// A word lies between both ends, which are next to each other where it has more digits than they.
#[test]
fn words_are_enclosed() {
    use crate::kernel::coarse::{Random, at_most_bits};
    let mut random = Random(93);
    for _ in 0..4_000 {
        let x = random.below(1 << 62).cast_signed() >> random.below(62);
        let x = if random.once_in(2) { x } else { -x };
        let bits = 2 + u32::try_from(random.below(66)).unwrap();
        let found = [
            Interval::from_i64(x, bits),
            at_most_bits(bits, || Interval::from_i64(x, 64)),
        ];
        for found in found {
            let (mut lo, hi) = (found.lo().clone(), found.hi());
            assert!(lo <= x && *hi >= x, "{x} {bits}: {found:?}");
            lo.next_up();
            assert!(found.lo() == hi || lo == *hi, "{x} {bits}: {found:?}");
        }
    }
}
