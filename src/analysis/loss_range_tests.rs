//! Ranges of losses against sums by hand, and the profiles of each order of the pair.

use super::*;
use crate::composition::parts::{Composition, resolve};
use crate::input::mechanism_from_bytes;
use crate::kernel::coarse::at_most_bits;
use crate::kernel::{Budget, Point};

const SKEWED: &str = r#"{"kind":"finite","p":["1/2","1/3","1/6"],"q":["1/4","1/4","1/2"]}"#;
const TWO: &str = r#"{"kind":"finite","p":["2/5","3/5"],"q":["1/5","4/5"]}"#;
const LAPLACE: &str = r#"{"kind":"laplace","scale":"5/2"}"#;
const ONE_SIDED: &str = r#"{"kind":"finite","p":["1/2","1/2",0],"q":["1/2","1/4","1/4"]}"#;
const GAUSSIAN: &str = r#"{"kind":"gaussian","sigma":1}"#;

fn part(text: &str, times: u64) -> PoweredPair {
    let mechanism = mechanism_from_bytes("test", text.as_bytes())
        .unwrap()
        .mechanism;
    match resolve(mechanism.steps(), &Budget::unlimited()).unwrap() {
        Composition::Closed(part) => PoweredPair { times, ..part },
        _ => panic!("not one pair: {text}"),
    }
}

/// Four steps whose losses lie between −log 2 and log 3, three between −log 2 and log 4/3.
fn some() -> (LossSum, f64, f64) {
    let sum = LossSum::of(&[part(SKEWED, 4), part(TWO, 3)]);
    let most = 4.0 * 3f64.ln() + 3.0 * (4f64 / 3.0).ln();
    (sum, most, -7.0 * 2f64.ln())
}

#[test]
fn largest_losses_by_hand() {
    let (sum, most, least) = some();
    for (adjacency, truth) in [
        (Adjacency::Remove, most),
        (Adjacency::Add, -least),
        (Adjacency::AddRemove, most),
    ] {
        for bits in [3, 4, 5, 6, 7, 9, 12, 256] {
            // A law keeps what was computed of it once.
            let own = sum.largest(adjacency, bits).unwrap();
            let (sum, ..) = some();
            let capped = at_most_bits(bits, || sum.largest(adjacency, 256).unwrap());
            for found in [own, capped] {
                let (low, high) = (found.lower().to_f64(), found.upper().to_f64());
                let slack = 1e-12;
                assert!(low <= truth + slack && truth - slack <= high, "{found:?}");
                assert!(bits < 200 || found.width_up() < 1e-60, "{found:?}");
            }
        }
    }
    let exact = LossSum::of(&[part(LAPLACE, 4)]);
    for adjacency in [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove] {
        let found = exact.largest(adjacency, 64).unwrap();
        assert_eq!(found.exact(), Some(&Rational::from((8, 5))));
    }
    // Beside what is infinite in one direction, or unbounded.
    let one_sided = LossSum::of(&[part(LAPLACE, 1), part(ONE_SIDED, 1)]);
    let is_infinite =
        |sum: &LossSum, adjacency| sum.largest(adjacency, 64).unwrap().lower().is_infinite();
    assert!(is_infinite(&one_sided, Adjacency::Remove));
    assert!(is_infinite(&one_sided, Adjacency::AddRemove));
    assert!(!is_infinite(&one_sided, Adjacency::Add));
    let unbounded = LossSum::of(&[part(GAUSSIAN, 1)]);
    assert!(is_infinite(&unbounded, Adjacency::Add));
}

/// What is known of the range goes with the order of the pair, and so do the profiles, above and below.
#[test]
fn each_order_has_its_own() {
    let (sum, most, least) = some();
    let (upper, lower) = (part(SKEWED, 1).profile, part(TWO, 1).profile);
    let sides = TwoSided::between(upper.clone(), lower.clone(), LossRange::default());
    let closed = TwoSided::closed_form(upper.clone());
    let at = Point::at_epsilon(&Rational::from((1, 3)), 128);
    let delta = |profile: &Arc<dyn Profile>| profile.at(&at).delta.middle().to_f64();
    let largest = |profile: &Arc<dyn Profile>| delta(profile).max(delta(&profile.swapped()));
    for (adjacency, max, min) in [
        (Adjacency::Remove, most, least),
        (Adjacency::Add, -least, -most),
        (Adjacency::AddRemove, most, -most),
    ] {
        let of = |profile: &Arc<dyn Profile>| match adjacency.orders() {
            Orders::Remove => delta(profile),
            Orders::Add => delta(&profile.swapped()),
            Orders::Both => largest(profile),
        };
        for (sides, below) in [(&sides, &lower), (&closed, &upper)] {
            let found = sum.oriented(sides, adjacency);
            let is_near = |found: f64, truth: f64| (found - truth).abs() < 1e-12;
            assert!(is_near(delta(&found.upper), of(&upper)), "{adjacency:?}");
            assert!(is_near(delta(&found.lower), of(below)), "{adjacency:?}");
            let (high, low) = (
                found.known_range.max.unwrap(),
                found.known_range.min.unwrap(),
            );
            assert!(
                is_near(high.middle().to_f64(), max),
                "{adjacency:?} {high:?}"
            );
            assert!(is_near(low.middle().to_f64(), min), "{adjacency:?} {low:?}");
            assert!(high.width_up() < 1e-60 && low.width_up() < 1e-60);
        }
    }
    let stated = sum.limit(&sides);
    assert!(Arc::ptr_eq(&stated.upper, &upper) && Arc::ptr_eq(&stated.lower, &lower));
    for bits in 3..9 {
        let coarse = at_most_bits(bits, || {
            sum.oriented(&sides, Adjacency::AddRemove).known_range
        });
        let (high, low) = (coarse.max.unwrap(), coarse.min.unwrap());
        assert!(high.lo().to_f64() <= most && most <= high.hi().to_f64());
        assert!(low.lo().to_f64() <= -most && -most <= low.hi().to_f64());
    }
}
