//! How fine the next plan should be, from how far the ones before it were from a proof.

/// A fineness, and whether the ones before tell it reliably.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Next {
    pub fineness: f64,
    pub is_sure: bool,
}

/// Of what a plan misses so much should be left below 0, relatively to what the finest plan would leave.
const LEFT: f64 = 0.3;

/// The next fineness after these, each with what it missed: numbers that fall like 1/r² to what is left at last, and have to fall below 0.
pub(super) fn next(misses: &[(f64, f64)]) -> Next {
    let unsure = |fineness| Next {
        fineness,
        is_sure: false,
    };
    let Some((last, miss)) = misses.last().copied() else {
        return unsure(1.0);
    };
    if miss.is_nan() {
        return unsure(last * 1.5);
    }
    let before = misses.iter().rev().nth(1).copied();
    let Some((r, other)) = before.filter(|(r, other)| r < &last && other > &miss) else {
        return unsure(last * 2.0);
    };
    let error = (other - miss) / (1.0 / (r * r) - 1.0 / (last * last));
    let rest = miss - error / (last * last);
    if rest >= 0.0 {
        return unsure(last * 2.0);
    }
    let wanted = (error / ((1.0 - LEFT) * -rest)).sqrt();
    Next {
        fineness: wanted.clamp(last * 1.25, last * 16.0),
        is_sure: misses.len() >= 3 && wanted > 1.3 * last && wanted < 16.0 * last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_two_plans_tells_how_fine_a_third_has_to_be() {
        let miss = |r: f64| 3.0 / (r * r) - 0.001;
        let seen = |finenesses: &[f64]| -> Vec<(f64, f64)> {
            finenesses.iter().map(|r| (*r, miss(*r))).collect()
        };
        assert_eq!(next(&seen(&[1.0])).fineness, 2.0);
        let found = next(&seen(&[1.0, 2.0, 8.0]));
        assert!(found.is_sure);
        assert!(
            miss(found.fineness) < 0.0 && found.fineness < 80.0,
            "{found:?}"
        );
        // What cannot succeed is tried with ever finer plans.
        let never = [(1.0, 2.0), (2.0, 1.25), (4.0, 1.0625)];
        assert_eq!(
            next(&never),
            Next {
                fineness: 8.0,
                is_sure: false
            }
        );
    }
}
