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
