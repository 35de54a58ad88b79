//! Roots and maxima of functions of ε.

use super::elementary::exp;
use super::pair::Pair;

/// The place where a test turns from false to true, to rounding; bracketed from outside by doubling.
pub(super) fn turning_point(start: (f64, f64), holds: impl Fn(f64) -> bool) -> (f64, f64) {
    const FARTHEST: f64 = 1e290;
    let (mut low, mut high) = start;
    let mut step = (high - low).max(1e-3);
    while holds(low) && low > -FARTHEST {
        (high, low) = (low, low - step);
        step *= 2.0;
    }
    while !holds(high) && high < FARTHEST {
        (low, high) = (high, high + step);
        step *= 2.0;
    }
    for _ in 0..400 {
        let middle = low / 2.0 + high / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    (low, high)
}

/// Values of ε between which the curves of these pairs and of the swapped ones change but little, and all losses where
/// they are few.
pub(super) fn places(pairs: &[&Pair]) -> Vec<f64> {
    let each: Vec<Vec<f64>> = pairs.iter().map(|pair| places_of(pair)).collect();
    merged(&each.iter().collect::<Vec<_>>())
}

/// The same of one pair, in any order.
pub(super) fn places_of(pair: &Pair) -> Vec<f64> {
    const EVEN: i32 = 200;
    const LEVELS: i32 = 60;
    let mut places = Vec::new();
    let (low, high) = pair.range();
    let step = (high - low) / f64::from(EVEN);
    places.extend((0..=EVEN).map(|i| low + step * f64::from(i)));
    places.extend(pair.losses());
    for level in 1..=LEVELS {
        let wanted = exp(-0.6 * f64::from(level));
        let alpha = |e: f64| pair.at(e).alpha;
        let beta = |e: f64| -pair.at(e).beta;
        let slack = wanted / 20.0;
        places.extend(crossing((low, high), alpha, wanted, slack));
        places.extend(crossing((low, high), alpha, 1.0 - wanted, slack));
        places.extend(crossing((low, high), beta, -wanted, slack));
        places.extend(crossing((low, high), beta, wanted - 1.0, slack));
    }
    places
}

/// The places of several pairs, and those of the swapped ones, in increasing order.
pub(super) fn merged(each: &[&Vec<f64>]) -> Vec<f64> {
    let mut places = vec![0.0];
    places.extend(each.iter().flat_map(|places| places.iter()));
    // A little below and above everything.
    let ends = places.iter().fold((0.0f64, 0.0f64), |(low, high), place| {
        (low.min(*place), high.max(*place))
    });
    places.extend([ends.0 - 1.0, ends.1 + 1.0]);
    let mirrored: Vec<f64> = places.iter().map(|place| -place).collect();
    places.extend(mirrored);
    places.retain(|place| place.is_finite());
    places.sort_unstable_by(f64::total_cmp);
    // Rounding makes maxima of its own where places lie too close together.
    places.dedup_by(|next, kept| *next - *kept <= 1e-9 * (1.0 + kept.abs()));
    places
}

/// About where a decreasing function falls to a level: it changes by no more than the slack next to there, unless it
/// jumps.
fn crossing(
    (mut low, mut high): (f64, f64),
    value: impl Fn(f64) -> f64,
    level: f64,
    slack: f64,
) -> Option<f64> {
    let (mut above, mut below) = (value(low), value(high));
    if above <= level || below > level {
        return None;
    }
    while above - below > slack {
        let middle = low / 2.0 + high / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        let here = value(middle);
        if here <= level {
            (high, below) = (middle, here);
        } else {
            (low, above) = (middle, here);
        }
    }
    Some(high)
}

/// Local maxima (place, value) of a function, largest first, from its values at places in increasing order.
pub(super) fn maxima(places: &[f64], value: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let values: Vec<f64> = places.iter().map(|place| value(*place)).collect();
    maxima_among(places, &values, value, 1e-12)
}

/// The same from the values at these places, each place to this much of itself.
pub(super) fn maxima_among(
    places: &[f64],
    values: &[f64],
    value: impl Fn(f64) -> f64,
    narrow: f64,
) -> Vec<(f64, f64)> {
    const REFINED: usize = 8;
    let at = |i: usize| values.get(i).copied().unwrap_or(f64::NEG_INFINITY);
    let place = |i: usize| places.get(i).copied();
    let mut tops: Vec<(usize, f64)> = (0..values.len())
        .map(|i| (i, at(i)))
        .filter(|(i, v)| {
            let before = i.checked_sub(1).map_or(f64::NEG_INFINITY, at);
            *v > before && *v >= at(i + 1)
        })
        .collect();
    tops.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
    tops.truncate(REFINED);
    let mut found: Vec<(f64, f64)> = tops
        .into_iter()
        .filter_map(|(i, v)| {
            let here = place(i)?;
            let before = i.checked_sub(1).and_then(place).unwrap_or(here);
            let after = place(i + 1).unwrap_or(here);
            let refined = golden((before, after), narrow, &value);
            Some(if refined.1 > v { refined } else { (here, v) })
        })
        .collect();
    found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1));
    found
}

/// Golden-section search.
fn golden((mut low, mut high): (f64, f64), narrow: f64, value: &impl Fn(f64) -> f64) -> (f64, f64) {
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..60 {
        if high - low <= narrow * (low.abs() + high.abs()) {
            break;
        }
        if at_a >= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - ratio * (high - low);
            at_a = value(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + ratio * (high - low);
            at_b = value(b);
        }
    }
    if at_a >= at_b { (a, at_a) } else { (b, at_b) }
}
