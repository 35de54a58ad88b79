//! What is seen of the order that trails, against sums of all atoms.

use super::*;
use crate::float::elementary::exp;

/// A rare large loss, 400 times: both orders against binomial sums.
#[test]
fn the_order_that_trails() {
    let (rate, times) = (0.03f64, 400u32);
    let small = ln((1.0 - rate * exp(-0.6)) / (1.0 - rate));
    let atoms = vec![(-small, 1.0 - rate), (0.6, rate)];
    let laws = Laws::of(vec![FloatLaw::new(atoms, f64::from(times))]);
    let delta = |epsilon: f64, is_swapped: bool| {
        let mut log = f64::from(times) * ln(1.0 - rate);
        let mut total = 0.0;
        for k in 0..=times {
            let loss = 0.6 * f64::from(k) - small * f64::from(times - k);
            total += match is_swapped {
                false => exp(log) * (1.0 - exp(epsilon - loss)).max(0.0),
                true => exp(log - loss) * (1.0 - exp(epsilon + loss)).max(0.0),
            };
            log += ln(f64::from(times - k) / f64::from(k + 1) * rate / (1.0 - rate));
        }
        total
    };
    let mut bounds = 0;
    for epsilon in [0.3, 1.0, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0] {
        let [stated, swapped] = [false, true].map(|order| ln(delta(epsilon, order).max(1e-300)));
        let at = Float::with_val(53, epsilon);
        // The other order has no losses beyond 5.6.
        let is_out_of_reach = epsilon > small * f64::from(times);
        assert!(!is_out_of_reach || laws.outlook(&at, true).unwrap().tilt.is_some());
        if let Some(seen) = laws.outlook(&at, true) {
            assert!(seen.from <= epsilon && seen.to >= epsilon);
            assert!(!seen.trails || swapped < stated);
            assert!(seen.trails || swapped + 1.0 > stated, "{epsilon}");
            if let Some(tilt) = seen.tilt {
                let t = tilt.to_f64();
                let constant = t * ln(t) - (1.0 + t) * ln(1.0 + t);
                let bound = constant - t * epsilon + laws.cumulants(-1.0 - t).log_total;
                assert!(swapped < bound && bound < stated, "{epsilon}");
                bounds += 1;
            }
        }
        let seen = laws.outlook(&at, false);
        assert!(seen.is_none_or(|seen| !seen.trails && seen.tilt.is_none()));
    }
    assert!(bounds >= 2);
}

/// Of a function that falls and then rises, wherever that is, and of few of its values.
#[test]
fn the_least_value_of_a_function_that_falls_and_rises() {
    let places = [0.5, 1.0, 2.0, 3.0, 5.0, 8.0];
    for (number, least) in places.iter().enumerate() {
        let asked = std::cell::Cell::new(0);
        let at = |x: f64| {
            asked.set(asked.get() + 1);
            (ln(x) - ln(*least)).abs()
        };
        let found = least_of(places, at);
        assert_eq!(found, Some((*least, 0.0)));
        assert!(asked.get() <= 6 && (number != 3 || asked.get() < 4));
    }
}

/// Places of levels are as near from a tilt that is known as they are from none, and those that are known need no tilt.
#[test]
fn places_of_levels_from_those_that_are_known() {
    let law = || {
        let atoms = (0..80).map(|i| (f64::from(i) / 40.0 - 0.9, exp(-f64::from(i) / 9.0)));
        Laws::of(vec![FloatLaw::new(atoms.collect(), 60.0)])
    };
    let one = law();
    for wanted in [-3.0, -11.5, -4.0, -23.0, -11.5] {
        for (what, is_swapped) in [
            (Level::Delta, false),
            (Level::NullTail, false),
            (Level::Delta, true),
        ] {
            let (known, alone) = (
                one.place(what, wanted, is_swapped),
                law().place(what, wanted, is_swapped),
            );
            let apart = known.zip(alone).map(|(a, b)| (a - b).abs() / b);
            assert_eq!(known.is_some(), alone.is_some());
            assert!(
                apart.is_none_or(|apart| apart < 1e-2),
                "{what:?} {wanted}: {apart:?}"
            );
        }
    }
}
