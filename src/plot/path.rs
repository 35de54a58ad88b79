//! Lines with no more points than can be seen.

use crate::float::elementary::hypot;

/// The same line to a twentieth of a pixel, without points on the way from one neighbour to the next.
pub fn without_needless(spots: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    let mut skipped: Vec<(f64, f64)> = Vec::new();
    for (index, spot) in spots.iter().enumerate() {
        let (Some(last), Some(next)) = (kept.last(), spots.get(index.saturating_add(1))) else {
            kept.push(*spot);
            continue;
        };
        skipped.push(*spot);
        if skipped
            .iter()
            .any(|one| distance(*one, *last, *next) > 0.05)
        {
            kept.push(*spot);
            skipped.clear();
        }
    }
    kept
}

/// How far a point is from the line between two others.
fn distance(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (x, y) = (point.0 - from.0, point.1 - from.1);
    let square = dx * dx + dy * dy;
    let share = if square > 0.0 {
        ((x * dx + y * dy) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    hypot(x - dx * share, y - dy * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_lies_on_the_line() {
        let curve: Vec<(f64, f64)> = (0..=1000)
            .map(|step| f64::from(step) / 2.0)
            .map(|x| (x, (x / 50.0).sin() * 80.0))
            .collect();
        let kept = without_needless(&curve);
        assert!(kept.len() < 400, "{}", kept.len());
        assert_eq!((kept.first(), kept.last()), (curve.first(), curve.last()));
        for spot in curve {
            let near = kept.windows(2).map(|pair| distance(spot, pair[0], pair[1]));
            assert!(near.fold(f64::INFINITY, f64::min) < 0.11);
        }
    }
}
