//! Fitted cells against the errors that they are to have, and how many there are.

use std::sync::Arc;

use rug::Rational;

use super::*;
use crate::kernel::{Budget, Profile};
use crate::law::Offset;
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::subsampled::subsampled;
use crate::plan::{Units, grid, shapes};

/// Rate, μ and steps.
type Run = ((u32, u32), (u32, u32), u64);

/// A tail for probabilities down to 1e-10.
fn demand() -> Demand {
    Demand {
        cells: 2336,
        tail: 1e-17,
        units: Units::Usual,
        spare: false,
        deeper: 1.0,
        jobs: 1,
    }
}

/// What is planned for runs of DP-SGD, one after the other.
fn with<T>(runs: &[Run], found: impl FnOnce(&[Summand<'_>], &[Shape], u64) -> T) -> T {
    let profiles: Vec<Arc<dyn Profile>> = runs
        .iter()
        .map(|(rate, mu, _)| {
            let noise = Arc::new(Gaussian::from_mu(&Rational::from(*mu)));
            subsampled(&Rational::from(*rate), noise)
        })
        .collect();
    let parts: Vec<Summand<'_>> = profiles
        .iter()
        .zip(runs)
        .map(|(profile, (_, _, steps))| Summand {
            profile: &**profile,
            steps: *steps,
            anchor: Offset::default(),
            unit: None,
            losses: None,
        })
        .collect();
    let all = parts.iter().map(|part| (part.profile, part.steps));
    let shapes = shapes(all, demand(), &Budget::unlimited()).unwrap();
    found(&parts, &shapes, runs.iter().map(|run| run.2).sum())
}

const RUNS: [&[Run]; 5] = [
    &[((1, 100), (1, 2), 5000)],
    &[((1, 20), (2, 3), 500)],
    &[((1, 1), (1, 50), 700)],
    &[((1, 1000), (1, 2), 500)],
    &[((1, 100), (1, 2), 2000), ((1, 50), (1, 3), 3000)],
];

fn laws_of(parts: &[Summand<'_>], shapes: &[Shape]) -> Laws {
    let laws = parts.iter().zip(shapes).map(|(part, shape)| {
        let pair = SampledGaussian::of(part.profile.sampled_gaussian().unwrap());
        (pair.points(shape), part.steps as f64)
    });
    Laws(laws.collect())
}

/// How wide the cell of each loss is.
fn cells(fit: &Fit, laws: &Laws, shapes: &[Shape]) -> Vec<Vec<f64>> {
    let of_part = |number: usize| {
        let widths = fit.part(number).expect("these are fitted");
        let step = widths.finest();
        let knots = widths.knots(&shapes[number], 0.0, step);
        let losses = laws.0[number].0.losses.iter();
        let of = |loss: &f64| {
            let next = knots.partition_point(|at| (*at as f64) * step <= *loss);
            (knots[next] - knots[next - 1]) as f64 * step
        };
        losses.map(of).collect()
    };
    (0..shapes.len()).map(of_part).collect()
}

/// The harm that knots do to the answers of some probabilities, between those that cells were fitted to as well, with every cell's own width.
#[test]
fn no_answer_is_much_wider_than_wanted() {
    for runs in RUNS {
        with(runs, |parts, shapes, steps| {
            let fit = Fit::new(parts, shapes, demand(), steps);
            let laws = laws_of(parts, shapes);
            let cells = cells(&fit, &laws, shapes);
            let wanted = width_expected(demand().cells, steps);
            let mut most: f64 = 0.0;
            for level in [1e-10f64, 1e-8, 1e-6, 1e-5, 1e-4] {
                for is_swapped in [false, true] {
                    let answer = laws.answer(ln(level), is_swapped).unwrap();
                    let error = answer.error(&cells);
                    assert!(error < wanted, "{runs:?} {level} {is_swapped}: {error}");
                    most = most.max(error);
                }
            }
            // Nor are there more than it takes.
            assert!(most > 0.5 * wanted, "{runs:?}: {most}");
        });
    }
}

/// Where a μ is asked for, its own points are what cells are fitted to: no μ is much wider than wanted, nor are there more cells than it takes.
#[test]
fn no_mu_is_much_wider_than_wanted() {
    let demand = Demand {
        spare: true,
        ..demand()
    };
    for runs in RUNS {
        with(runs, |parts, shapes, steps| {
            let laws = laws_of(parts, shapes);
            let cells = cells(&Fit::new(parts, shapes, demand, steps), &laws, shapes);
            let wanted = width_expected(demand.cells, steps) * 4.0 / 3.0;
            let floor = |order| laws.tilt(Level::NullTail, ln(1e-10), order).unwrap();
            let answers = laws.answers_of_mu([false, true].map(floor)).unwrap();
            assert!(!answers.is_empty());
            let errors = answers.iter().map(|answer| answer.error(&cells));
            let most = errors.fold(0.0, f64::max);
            assert!(most < 1.1 * wanted, "{runs:?}: {most:e} {wanted:e}");
            assert!(most > 0.3 * wanted, "{runs:?}: {most:e} {wanted:e}");
        });
    }
}

/// Every point of 700 steps of μ = 1/50 asks for √700/50, in both orders.
#[test]
fn the_mu_of_gaussian_steps_is_theirs() {
    with(RUNS[2], |parts, shapes, _| {
        let laws = laws_of(parts, shapes);
        let mu = 700f64.sqrt() / 50.0;
        for (t, is_swapped) in [(1.0, false), (9.0, false), (1.0, true), (9.0, true)] {
            let found = MuAt::of(t, laws.toward(t, is_swapped)).unwrap();
            assert!((found.mu / mu - 1.0).abs() < 1e-3, "{t}: {}", found.mu);
        }
    });
}

/// From the lowest to the highest loss, in order, and fewer than evenly around the median.
#[test]
fn fewer_knots_cover_all_losses() {
    for runs in RUNS {
        with(runs, |parts, shapes, steps| {
            let fit = Fit::new(parts, shapes, demand(), steps);
            for (number, shape) in shapes.iter().enumerate() {
                let widths = fit.part(number).unwrap();
                let step = widths.finest();
                let knots = widths.knots(shape, 0.0, step);
                assert!(knots.is_sorted_by(|a, b| a < b));
                let (first, last) = (knots[0] as f64 * step, knots[knots.len() - 1] as f64 * step);
                assert!(first <= shape.low && last >= shape.high, "{runs:?}");
                let even = shape.bulk / 45.0;
                let before = grid::knots(shape, 0.0, even, 67);
                assert!(
                    parts.len() > 1 || knots.len() < before.len(),
                    "{runs:?}: {} {}",
                    knots.len(),
                    before.len()
                );
            }
        });
    }
}

/// A single loss in 500 steps is what a small δ comes from; without tails so far out it is not. Other steps are not looked at.
#[test]
fn rare_losses_and_other_steps_are_not_fitted() {
    with(&[((1, 1000), (1, 1), 500)], |parts, shapes, steps| {
        let far = Fit::new(parts, shapes, demand(), steps);
        assert!(matches!(far, Fit::Rare { least, .. } if (1e-10..2e-10).contains(&least)));
    });
    // Of some losses, each of which does not make a sum that is as large alone, tilts say too little for a μ; they say how much wider the law becomes.
    for (steps, most) in [(654, 110.0), (1200, 60.0)] {
        with(
            &[((67, 100_000), (50, 77), steps)],
            |parts, shapes, steps| {
                let fit = |spare| Fit::new(parts, shapes, Demand { spare, ..demand() }, steps);
                assert!(matches!(fit(false), Fit::Widths { .. }), "{steps}");
                let Fit::Rare { widened, .. } = fit(true) else {
                    panic!("{steps} steps are fitted");
                };
                let widened = widened.unwrap();
                assert!((FAR_WIDENED..most).contains(&widened), "{steps}: {widened}");
            },
        );
    }
    with(&[((1, 50), (1, 1), 5000)], |parts, shapes, steps| {
        let fit = Fit::new(parts, shapes, demand(), steps);
        assert!(matches!(fit, Fit::Widths { .. }));
        let atoms = Summand {
            unit: Some(Rational::from(1)),
            anchor: Offset::default(),
            losses: None,
            ..parts[0]
        };
        let fit = Fit::new(&[atoms], shapes, demand(), steps);
        assert!(matches!(fit, Fit::Unknown));
    });
}
