//! Bands contain their curves, as they are drawn.

use super::super::edge::Axes;
use super::super::scale::{Axis, Scale};
use super::*;

/// Enclosures of this width.
fn knots(xs: &[f64], width: f64, curve: impl Fn(f64) -> f64) -> Vec<ProfilePoint> {
    xs.iter()
        .map(|x| ProfilePoint {
            x: *x,
            low: (curve(*x) - width).max(0.0),
            high: curve(*x) + width,
        })
        .collect()
}

/// The axes of a panel.
fn axes(axes: Axes, last: f64, least: f64) -> [Axis; 2] {
    match axes {
        Axes::Even => [
            Axis::new("", Scale::Linear, 0.0, last),
            Axis::new("", Scale::Linear, 0.0, 1.0),
        ],
        Axes::LogY => [
            Axis::new("", Scale::Linear, 0.0, last),
            Axis::new("", Scale::Log, least, 1.0),
        ],
        Axes::LogBoth => [
            Axis::new("", Scale::Log, least, 1.0),
            Axis::new("", Scale::Log, least, 1.0),
        ],
    }
}

/// As it is seen on a page: a share of the axis, where what leaves the panel is clamped.
fn seen(knot: &ProfilePoint, drawn: Axes, [x, y]: &[Axis; 2]) -> (f64, [f64; 2]) {
    let knot = match drawn {
        Axes::LogBoth => knot.complement(),
        Axes::Even | Axes::LogY => *knot,
    };
    (x.share(knot.x), [y.share(knot.low), y.share(knot.high)])
}

/// By how much of the axis the polygon misses the curve, between its corners.
fn misses(
    knots: &[ProfilePoint],
    shape: Shape,
    drawn: Axes,
    both: &[Axis; 2],
    curve: impl Fn(f64) -> f64,
) -> f64 {
    let band = between(knots, shape, &Sheet::new(drawn, &both[0], &both[1]));
    let mut most = 0.0_f64;
    for pair in band.windows(2) {
        assert!(pair[0].x <= pair[1].x);
        let ((from, start), (to, end)) = (seen(&pair[0], drawn, both), seen(&pair[1], drawn, both));
        for part in 1..16 {
            let share = f64::from(part) / 16.0;
            let at = from + (to - from) * share;
            // What is clipped away, and what is steeper than numbers can tell.
            if at < -0.004 || to - from < 1e-9 {
                continue;
            }
            let x = both[0].at(at).clamp(pair[0].x, pair[1].x);
            let value = curve(x);
            let truth = seen(
                &ProfilePoint {
                    x,
                    low: value,
                    high: value,
                },
                drawn,
                both,
            )
            .1[0];
            let [low, high] = [0, 1].map(|side| start[side] + (end[side] - start[side]) * share);
            most = most.max(low - truth).max(truth - high);
        }
    }
    most
}

/// A hundredth of a pixel.
const SLACK: f64 = 3e-5;

#[test]
fn bands_contain_the_curve_between_their_points() {
    let places: [&[f64]; 5] = [
        &[0.0, 0.03, 0.1, 0.25, 0.4, 0.7, 0.9, 1.0],
        &[0.0, 0.5, 0.8, 1.0],
        &[0.0, 0.5, 0.6, 1.0],
        &[0.0, 0.999, 1.0],
        &[0.0, 1.0],
    ];
    for xs in places {
        for width in [0.0, 1e-3] {
            let contains = |shape, drawn, curve: &dyn Fn(f64) -> f64| {
                for least in [1e-3, 1e-12] {
                    let axes = axes(drawn, 1.0, least);
                    let missed = misses(&knots(xs, width, curve), shape, drawn, &axes, curve);
                    assert!(
                        missed < SLACK,
                        "{shape:?} {drawn:?} {xs:?} ± {width}: {missed}"
                    );
                }
            };
            for drawn in [Axes::Even, Axes::LogBoth] {
                contains(Shape::Falling, drawn, &|x| (1.0 - x) * (1.0 - x));
                contains(Shape::Falling, drawn, &|x| {
                    (1.0 - 3.0 * x).max((1.0 - x) / 6.0)
                });
                // A jump at 0, as for what is known of some records with certainty.
                contains(Shape::Falling, drawn, &|x| {
                    if x == 0.0 { 1.0 } else { 0.3 * (1.0 - x) }
                });
                // A steep begin, as of Gaussian noise.
                contains(Shape::Falling, drawn, &|x: f64| 1.0 - x.powf(0.1));
            }
            contains(Shape::FallingInExp, Axes::LogY, &|e: f64| {
                (1.0 - e.exp() / 2.0).max(0.1 * (-e).exp())
            });
            // Randomised response: 0 from its ε on.
            contains(Shape::FallingInExp, Axes::LogY, &|e: f64| {
                ((1f64.exp() - e.exp()) / (1.0 + 1f64.exp())).max(0.0)
            });
            contains(Shape::FallingInExp, Axes::LogY, &|e: f64| {
                (1.0 - ((e - 1.0) / 2.0).exp()).max(0.0)
            });
            contains(Shape::Concave, Axes::Even, &|p: f64| {
                p.min(1.0 - p).min(0.3)
            });
            contains(Shape::Concave, Axes::Even, &|p: f64| {
                p.min(1.0 - p).min(0.0475)
            });
        }
    }
}

/// A profile over many ε, small δ among them, is drawn finely where its points are far apart.
#[test]
fn bands_of_profiles_contain_the_curve_down_to_the_end_of_the_axis() {
    let pieces = |e: f64| {
        let line = |mass: f64, last: f64| mass * (1.0 - (e - last).exp());
        [line(0.3, 1.0), line(1e-3, 6.0), line(1e-7, 20.0)]
            .into_iter()
            .fold(0.0, f64::max)
    };
    for least in [1e-2, 1e-8, 1e-30, 1e-300] {
        let axes = axes(Axes::LogY, 20.0, least);
        for xs in [
            &[0.0, 5.0, 6.0, 20.0][..],
            &[0.0, 20.0],
            &[0.0, 1.0, 7.0, 19.0, 20.0],
        ] {
            let knots = knots(xs, 0.0, pieces);
            let missed = misses(&knots, Shape::FallingInExp, Axes::LogY, &axes, pieces);
            assert!(missed < SLACK, "{least} {xs:?}: {missed}");
            let band = between(
                &knots,
                Shape::FallingInExp,
                &Sheet::new(Axes::LogY, &axes[0], &axes[1]),
            );
            assert!(band.len() < 400, "{least} {xs:?}: {} places", band.len());
        }
    }
}

/// More places bring the edges nearer: where bounds are near each other, so are the edges on the page.
#[test]
fn edges_are_near_their_bounds() {
    let curve = |e: f64| ((1f64.exp() - e.exp()) / (1.0 + 1f64.exp())).max(0.0);
    let axes = axes(Axes::LogY, 1.0, 1e-6);
    let knots = knots(&[0.0, 0.3, 0.6, 0.9, 1.0], 0.0, curve);
    let sheet = Sheet::new(Axes::LogY, &axes[0], &axes[1]);
    for pair in between(&knots, Shape::FallingInExp, &sheet).windows(2) {
        // Here the chord on the left, extended, coincides with the curve.
        if pair[0].x > 0.3 && pair[0].x < 0.6 {
            let y = |value: f64| axes[1].share(value) * 280.0;
            assert!(y(pair[0].high) - y(pair[0].low) < 0.3, "{:?}", pair[0]);
        }
    }
}

#[test]
fn lines_stay_within_their_bands() {
    let knots = knots(&[0.0, 1.0, 3.0, 4.0], 0.0, |e: f64| (-e * e).exp());
    let [x, y] = axes(Axes::LogY, 4.0, 1e-8);
    let band = between(&knots, Shape::FallingInExp, &Sheet::new(Axes::LogY, &x, &y));
    assert!(band.len() > 7);
    let line = joined(&band, &knots, false);
    assert_eq!(line.len(), band.len());
    for (knot, (x, y)) in band.iter().zip(line) {
        assert!(knot.x == x && knot.low <= y && y <= knot.high);
    }
}

#[test]
fn points_far_apart_give_finite_bands() {
    let far = knots(
        &[-1e6, 0.0, 1e5, 1e9],
        0.0,
        |x| if x < 1.0 { 1.0 } else { 0.0 },
    );
    for shape in [Shape::Falling, Shape::FallingInExp, Shape::Concave] {
        for drawn in [Axes::Even, Axes::LogY, Axes::LogBoth] {
            let belong = match shape {
                Shape::Falling => drawn != Axes::LogY,
                Shape::FallingInExp => drawn == Axes::LogY,
                Shape::Concave => drawn == Axes::Even,
            };
            if !belong {
                continue;
            }
            let [x, y] = axes(drawn, 1e9, 1e-12);
            for knot in between(&far, shape, &Sheet::new(drawn, &x, &y)) {
                assert!(
                    knot.low.is_finite() && knot.high.is_finite(),
                    "{shape:?}: {knot:?}"
                );
                assert!(knot.low <= knot.high);
            }
        }
    }
}
