//! The ends of the losses: places known by intervals that touch them, reach over them, or are them.

use rug::Float;

use super::*;
use crate::kernel::coarse::{FINE, at_most_bits};

/// P(L > ε) of largest loss 1.
fn tail(epsilon: f64) -> f64 {
    match epsilon {
        x if x < -1.0 => 1.0,
        x if x >= 1.0 => 0.0,
        x => (-(x + 1.0) / 2.0).exp() / 2.0,
    }
}

#[test]
fn ends_of_the_losses() {
    let laplace = Laplace::new(Rational::from(1));
    let places = [-2.0, -1.25, -1.0, -0.75, 0.0, 0.75, 1.0, 1.25, 2.0];
    for (index, low) in places.iter().enumerate() {
        for high in &places[index..] {
            for bits in [4, 8, 90] {
                let at = |x: &f64| Float::with_val(bits, *x);
                let point = Point::at_log(Interval::spanning(at(low), at(high)));
                // As it is asked, and without the ends one by one.
                let found = at_most_bits(bits, || laplace.at(&point));
                let whole = at_most_bits(bits, || laplace.knot(&point));
                for x in places.iter().filter(|x| (low..=high).contains(x)) {
                    let (of_tail, delta) =
                        (tail(*x), (1.0 - ((x - 1.0) / 2.0).exp()).max(1.0 - x.exp()));
                    let is_in = |found: &Interval, x: f64| {
                        found.lo().to_f64() <= x + 1e-15 && found.hi().to_f64() >= x - 1e-15
                    };
                    for found in [&found, &whole] {
                        let holds =
                            is_in(&found.null_tail, of_tail) && is_in(&found.delta, delta.max(0.0));
                        assert!(holds, "{low} {high} {bits}: {found:?} {x}");
                    }
                }
                // No wider than what lies between.
                let width = tail(*low) - tail(*high);
                assert!(
                    bits < 90 || found.null_tail.width_up().to_f64() <= width + 1e-12,
                    "{low} {high}"
                );
            }
        }
    }
    for (epsilon, exact) in [((1, 1), Some(0.0)), ((3, 1), Some(0.0)), ((1, 2), None)] {
        let point = Point::at_epsilon(&Rational::from(epsilon), FINE);
        assert_eq!(laplace.exact_delta(&point).map(|x| x.to_f64()), exact);
    }
    // u = 1/8 is below e^(−1), where δ is 1 − u; 1/2 is not.
    let below = |n: i32| laplace.exact_delta(&Point::at_exp_epsilon(&Rational::from((1, n)), FINE));
    assert_eq!((below(8), below(2)), (Some(Rational::from((7, 8))), None));
}

/// The largest loss is the sensitivity in units of the scale.
#[test]
fn scales_and_sensitivities() {
    let noise = Laplace::from_noise(&Rational::from((3, 2)), &Rational::from(2));
    assert_eq!(*noise.epsilon(), Rational::from((4, 3)));
}

/// δ is said exactly only where it is certain on which side of an end of the losses the place is.
#[test]
fn exact_values_are_certain() {
    let laplace = Laplace::new(Rational::from(1));
    let between = |low: f64, high: f64| {
        let at = |x: f64| Float::with_val(60, x);
        Point::at_log(Interval::spanning(at(low), at(high)))
    };
    assert_eq!(laplace.exact_delta(&between(0.75, 1.25)), None);
    assert_eq!(
        laplace.exact_delta(&between(1.0, 1.25)),
        Some(Rational::new())
    );
    assert_eq!(
        laplace.exact_delta(&Point::at_epsilon(&Rational::from(1), 60)),
        Some(Rational::new())
    );
    // e^{−1} is 0.36787944…: at a few bits it cannot be told from what is a little above it.
    for (n, bits, is_known) in [(367, 60, true), (368, 60, false), (368, 5, false)] {
        let u = Rational::from((n, 1000));
        let found = at_most_bits(bits, || laplace.exact_delta(&Point::at_exp_epsilon(&u, 60)));
        let expected = is_known.then(|| Rational::from(1 - &u));
        assert_eq!(found, expected, "{u} at {bits} bits");
    }
}

/// Beyond the largest losses δ is exact, and not before: random places, the ends among them.
#[test]
fn exact_values_at_random_places() {
    let mut random = crate::kernel::coarse::Random(63);
    for _ in 0..6_000 {
        let epsilon = Rational::from((1 + random.below(48), 16));
        let laplace = Laplace::new(epsilon.clone());
        let bits = 2 + u32::try_from(random.below(70)).unwrap();
        let (point, log) = match random.once_in(2) {
            true => {
                let n = i64::try_from(random.below(120)).unwrap() - 60;
                let place = Rational::from((n, 16));
                let log = Interval::from_rational(&place, FINE);
                (at_most_bits(bits, || Point::at_epsilon(&place, 64)), log)
            }
            false => {
                let u = Rational::from((1 + random.below(90), 1 + random.below(40)));
                let log = Interval::from_rational(&u, FINE).ln();
                (at_most_bits(bits, || Point::at_exp_epsilon(&u, 64)), log)
            }
        };
        let found = at_most_bits(bits, || laplace.exact_delta(&point));
        let case = format!("{epsilon} {log:?} {bits}: {found:?}");
        match found {
            Some(zero) if zero == 0 => assert!(*log.hi() >= epsilon, "{case}"),
            Some(x) => {
                assert!(*log.lo() <= Rational::from(-&epsilon), "{case}");
                assert_eq!(Some(x), point.exact_exp().map(|u| Rational::from(1 - u)));
            }
            // Where enough is known, nothing is missed.
            None => assert!(bits < 30 || *log.lo() < epsilon, "{case}"),
        }
    }
}
