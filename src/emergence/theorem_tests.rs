//! Shares of a composition from given moments: by the formulas, and at a few bits.

use rug::Float;

use super::*;
use crate::kernel::coarse::{Random, at_most_bits};

/// Mean, variance, third central moment.
type Given = (f64, f64, f64);

fn moments(given: Given) -> LossMoments {
    let at = |x: f64| Interval::point(Float::with_val(100, x));
    let (mean, variance, third) = given;
    LossMoments {
        mean: at(mean),
        second: at(variance + mean * mean),
        variance: at(variance),
        third_central: at(third),
        third_absolute: at(third),
    }
}

#[test]
fn shares_by_the_formulas() {
    let mut random = Random(81);
    for round in 0..200 {
        let mut number = || (1 + random.below(255)) as f64 / 64.0;
        let null = (-number(), number(), number() * 8.0);
        let alternative = (number(), number(), number() * 8.0);
        let (times, is_symmetric, is_normal) =
            (1 + random.below(500), round % 3 == 0, round % 5 == 0);
        let n = times as f64;
        let skew = |of: Given| (of.2 / of.1.powf(1.5)).max(1.0);
        let error = |of: Given| {
            if is_normal {
                0.0
            } else {
                0.4748 * skew(of) / n.sqrt()
            }
        };
        let (ratio, distance) = match is_symmetric {
            true => (1.0, 2.0 * n.sqrt() * -null.0 / null.1.sqrt()),
            false => (
                (null.1 / alternative.1).sqrt(),
                n.sqrt() * (alternative.0 - null.0) / alternative.1.sqrt(),
            ),
        };
        for bits in [5, 9, 100] {
            let found = at_most_bits(bits, || {
                let step = StepMoments {
                    null: moments(null),
                    alternative: moments(alternative),
                    is_normal,
                };
                ComposedMoments::new(step, is_symmetric, times)
            });
            for (name, found, truth) in [
                ("gamma", &found.paper_gamma, 0.56 * skew(null) / n.sqrt()),
                ("null", &found.null_error, error(null)),
                ("alternative", &found.alternative_error, error(alternative)),
                ("ratio", &found.ratio, ratio),
                ("distance", &found.distance, distance),
            ] {
                let (lo, hi) = (found.lo().to_f64(), found.hi().to_f64());
                let slack = 1e-12 * (1.0 + truth.abs());
                assert!(
                    lo <= truth + slack && hi >= truth - slack,
                    "{name} at {bits} bits: {found:?} {truth}"
                );
                assert!(bits < 100 || hi - lo < slack, "{name}: {found:?}");
            }
        }
        // Turned around, the laws are exchanged and the loss has the other sign.
        let step = StepMoments {
            null: moments(null),
            alternative: moments(alternative),
            is_normal,
        };
        let turned = step.swapped();
        assert!(
            turned.null.mean.lo().to_f64() == -alternative.0
                && turned.alternative.mean.hi().to_f64() == -null.0
        );
        assert!(
            turned.null.variance == step.alternative.variance
                && turned.alternative.third_central == step.null.third_central
        );
    }
    let nothing = nothing(NoMoments::NoInformation, None);
    assert!(*nothing.two_sided_bound.lo() == 0 && *nothing.two_sided_bound.hi() == 0.5);
}
