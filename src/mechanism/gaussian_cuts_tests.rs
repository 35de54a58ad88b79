//! Places next to the edge of the support: known to be inside, or not told from the edge.

use super::*;
use crate::kernel::coarse::at_most_bits;

const BITS: u32 = 320;
const WISH: u32 = 113;

/// What is found at a place y, for the mixture Q (or P, then at −y).
fn edge(mu: &Rational, rate: &Rational, exponent: &Interval, is_null: bool) -> Option<Edge> {
    let square = mu.clone().square();
    let (mixing, offset) = if is_null {
        (Mixing::Null(rate), exponent.neg())
    } else {
        (Mixing::Alternative(rate), exponent.clone())
    };
    let pair = Pair::new(&square, &mixing)?;
    let places = CellPlaces {
        offset: &offset,
        step: &Rational::from((1, 64)),
        indices: &[0],
        good_bits: WISH,
    };
    let rate = Rate::new(rate)?;
    pair.near_edge(&places, 0, &rate)
}

/// ln(1 − r + d), widened to have ln(1 − r + e) for all e from `low` on.
fn exponent(rate: &Rational, low: &Float, high: &Float) -> Interval {
    let least = Interval::from_rational(&Rational::from(1 - rate), BITS);
    let at = |d: &Float| least.add(&Interval::point(d.clone())).ln();
    at(low).hull(&at(high))
}

fn power(exponent: i32) -> Float {
    Float::with_val(BITS, Float::i_exp(1, exponent))
}

/// Φ at the x of v = d/r.
fn mass_below(mu: &Rational, rate: &Rational, d: &Float) -> Float {
    let mu = Float::with_val(BITS, mu);
    let log = (Float::with_val(BITS, d) / Float::with_val(BITS, rate)).ln();
    let x = log / &mu + Float::with_val(BITS, &mu / 2u32);
    let root = Float::with_val(BITS, 2).sqrt();
    (-x / root).erfc() / 2u32
}

fn in_ulps(x: Float) -> Float {
    x << FRACTION_BITS
}

fn as_float(wide: Wide) -> Float {
    let limb = |n: usize, shift: u32| Float::with_val(BITS, wide.0[n]) << shift;
    limb(0, 0) + limb(1, 64) + limb(2, 128)
}

#[test]
fn slivers_of_places_that_may_be_the_edge() {
    let rate = Rational::from((1, 4));
    let far = power(-200);
    let places = exponent(&rate, &-far.clone(), &far);
    let mut seen = 0;
    for eighths in 40..=72 {
        let mu = Rational::from((eighths, 8));
        let truth = in_ulps(mass_below(&mu, &rate, &far));
        for is_null in [false, true] {
            let Some(found) = edge(&mu, &rate, &places, is_null) else {
                assert!(truth > Float::i_exp(1, 75), "{mu}");
                continue;
            };
            let Edge::Outside(sliver) = found else {
                panic!("inside: {mu}")
            };
            let sliver = as_float(sliver);
            assert!(sliver >= truth, "{mu}: {sliver} {truth}");
            assert!(
                sliver <= Float::with_val(BITS, &truth * 2u32) + 1u32,
                "{mu}"
            );
            seen += u32::from(truth > 1);
        }
        // At a few bits everything is wider.
        for bits in [3, 5, 9, 20] {
            let found = at_most_bits(bits, || edge(&mu, &rate, &places, false));
            if let Some(Edge::Outside(sliver)) = found {
                assert!(as_float(sliver) >= truth, "{mu} at {bits} bits");
            }
        }
    }
    assert!(seen > 10);
}

/// What lies beyond the edge has nothing at all; what is more than 2^-64 from it is not said to be at it.
#[test]
fn places_beyond_the_edge_and_too_far_inside() {
    let (mu, rate) = (Rational::from(1), Rational::from((1, 4)));
    for is_null in [false, true] {
        let at = |low: &Float, high: &Float| edge(&mu, &rate, &exponent(&rate, low, high), is_null);
        let beyond = at(&-power(-90), &-power(-100));
        assert!(matches!(beyond, Some(Edge::Outside(Wide::ZERO))));
        assert!(matches!(
            at(&-power(-90), &power(-66)),
            Some(Edge::Outside(_))
        ));
        for size in [-64, -62, -59] {
            assert!(at(&-power(-90), &power(size)).is_none(), "{size}");
        }
    }
}

/// So many bits as there may be: what may be more than 2^-64 from the edge, relatively, is not said to be at it.
#[test]
fn places_too_far_inside_at_few_bits() {
    let mu = Rational::from(1);
    for rate in [(1, 3), (2, 5), (1, 5), (3, 7)].map(Rational::from) {
        let rest = Float::with_val(BITS, Rational::from(1 - &rate));
        for hundredths in [101, 105, 110] {
            let high = rest.clone() * power(-64) * hundredths / 100;
            let places = exponent(&rate, &-power(-90), &high);
            for bits in [3, 4, 5, 8, 320] {
                let found = at_most_bits(bits, || edge(&mu, &rate, &places, false));
                assert!(found.is_none(), "{rate} {hundredths} {bits}");
            }
        }
    }
}

/// A place that is surely inside is taken from below.
#[test]
fn places_inside_the_edge_are_rounded_down() {
    let (mu, rate) = (Rational::from(1), Rational::from((1, 4)));
    for size in [-90, -100, -120] {
        let low = power(size);
        for (more, is_known) in [(-130, true), (-128, true), (-120, false)] {
            let high = Float::with_val(BITS, &low + (low.clone() * power(more)));
            let found = edge(&mu, &rate, &exponent(&rate, &low, &high), false).unwrap();
            let Edge::Inside(found, sliver) = found else {
                assert!(!is_known, "{size} {more}");
                continue;
            };
            assert!(is_known, "{size} {more}");
            let least = Magnitude::below(&Float::with_val(BITS, &low - low.clone() * power(-160)));
            let (least, most) = (least.unwrap(), Magnitude::below(&low).unwrap());
            // The mantissa of `low` is a power of two: next below it the exponent is smaller by one.
            let value =
                |x: Magnitude| Float::with_val(BITS, as_float(x.mantissa())) << x.exponent();
            assert!(
                value(least) <= value(found) && value(found) <= value(most),
                "{size} {more}"
            );
            // 0.4·(1.7·2^-g/μ + 2^-181) is what lies between.
            let good_bits = i32::try_from(WISH + 12).unwrap();
            assert!(as_float(sliver) >= in_ulps(power(-good_bits) * 0.68f32));
        }
    }
}

/// Both bounds next to the edge at a few bits: never nearer to it than what is true, and no digit too many.
#[test]
fn next_to_the_edge_at_few_bits() {
    use crate::kernel::coarse::{Random, at_most_bits};
    let mut random = Random(3);
    let (mut near, mut sharp) = (0, 0);
    for _ in 0..10_000 {
        let bits = 3 + u32::try_from(random.below(10)).unwrap();
        let number = |random: &mut Random| Rational::from((1 + random.below(999), 1000u32));
        let rate = number(&mut random);
        let size = number(&mut random) * 2u32;
        let most = Float::with_val(64, &Rational::from(&size >> 64u32));
        let exact = most.to_rational().unwrap() << 64u32;
        let found = at_most_bits(bits, || {
            let rate = Interval::from_rational(&rate, 128);
            is_at_edge(&Interval::point(most.clone()), &rate)
        });
        let truth = exact <= Rational::from(1 - &rate);
        assert!(truth || !found, "{rate} {size} {bits}");
        near += u32::from(found);
        // Φ of some place below 1, by many bits.
        let (x, mu) = (number(&mut random), number(&mut random) * 3u32);
        let at = |bits| {
            let interval = |x: &Rational| Interval::from_rational(x, bits);
            digits_beyond(&interval(&x), &interval(&mu)).unwrap()
        };
        let (fine, coarse) = (at(200), at_most_bits(bits, || at(128)));
        let place = Float::with_val(200, &x).ln() / Float::with_val(200, &mu)
            + Float::with_val(200, &mu) / 2u32;
        let root = Float::with_val(200, 2).sqrt();
        let mass = Float::with_val(200, -place / root).erfc() / 2u32;
        assert!(mass <= Float::with_val(200, 1) << fine, "{x} {mu}");
        assert!(mass <= Float::with_val(200, 1) << coarse, "{x} {mu} {bits}");
        sharp += u32::from(fine == coarse);
    }
    assert!(near > 500 && sharp > 500, "{near} {sharp}");
}

/// Tables are for shifts up to 15.
#[test]
fn shifts_that_tables_are_for() {
    let is_built = |square: Rational| Pair::new(&square, &Mixing::None).is_some();
    assert!(is_built(Rational::from(225)) && is_built(Rational::from((1, 1u64 << 40u32))));
    assert!(!is_built(Rational::from((451, 2))) && !is_built(Rational::from((1, 1u64 << 41u32))));
}

/// Random places that may be the edge, with as few bits as tell so: what is beyond it is never too little.
#[test]
fn random_places_at_the_edge_at_few_bits() {
    let mut random = crate::kernel::coarse::Random(58);
    let mut seen = 0;
    for _ in 0..170 {
        let rate = Rational::from((1 + random.below(14), 16));
        let mu = Rational::from((40 + random.below(33), 8));
        let far = power(-160 - i32::try_from(random.below(80)).unwrap());
        let places = exponent(&rate, &-far.clone(), &far);
        let truth = in_ulps(mass_below(&mu, &rate, &far));
        for _ in 0..100 {
            let bits = 100 + u32::try_from(random.below(220)).unwrap();
            let is_null = random.once_in(2);
            if let Some(found) = at_most_bits(bits, || edge(&mu, &rate, &places, is_null)) {
                let Edge::Outside(sliver) = found else {
                    panic!("inside: {mu} {rate}")
                };
                assert!(as_float(sliver) >= truth, "{mu} {rate} at {bits} bits");
                seen += 1;
            }
        }
    }
    assert!(seen > 500, "{seen}");
}
