//! Cells of a base law: fixed point beside the interval way, at the same places in the same run.
//!
//! Before the first figure the one-off cost of the tables is printed: the normal table and the table of logarithms,
//! built once per process.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dpcmp::kernel::{Accuracy, Budget, CellPlaces, Cells, Interval, Profile};
use dpcmp::law::{Lattice, Offset, Sampling, sample_knots};
use dpcmp::mechanism::gaussian::Gaussian;
use dpcmp::mechanism::subsampled::subsampled;
use dpcmp::number::parse_rational;
use rug::Rational;

/// A subsampled Gaussian on a lattice that starts at the edge of its support.
struct Case {
    name: &'static str,
    sigma: &'static str,
    rate: &'static str,
    /// log2 of the lattice step for 4096 and for 32768 places.
    steps: [i32; 2],
}

const CASES: [Case; 2] = [
    Case {
        name: "sigma 9.4, rate 0.32768",
        sigma: "9.4",
        rate: "0.32768",
        steps: [-11, -14],
    },
    Case {
        name: "sigma 0.614, rate 1e-4",
        sigma: "0.614",
        rate: "1e-4",
        steps: [-9, -12],
    },
];

fn number(text: &str) -> Rational {
    parse_rational(text).expect("a number")
}

fn gaussian(sigma: &str) -> Arc<dyn Profile> {
    Arc::new(Gaussian::from_noise(&number(sigma), &Rational::from(1)))
}

fn fast(profile: &dyn Profile, offset: &Interval, step: &Rational, indices: &[i64]) -> Cells {
    let places = CellPlaces {
        offset,
        step,
        indices,
        good_bits: 113,
    };
    let cells = profile.cells(&places, &Budget::unlimited());
    cells.expect("no deadline").expect("in range")
}

/// How much longer the first call takes than the second.
fn print_table_costs() {
    let (offset, step) = (Interval::zero(256), Rational::from((1, 1024)));
    let excess = |profile: &dyn Profile| {
        let time = || {
            let start = Instant::now();
            black_box(fast(profile, &offset, &step, &[0, 1]));
            start.elapsed()
        };
        let first = time();
        first.saturating_sub(time())
    };
    let normal = excess(gaussian("9.4").as_ref());
    let logarithms = excess(subsampled(&number("0.3"), gaussian("9.4")).as_ref());
    println!("one-off: normal table {normal:?}, logarithms {logarithms:?}");
}

fn cells(criterion: &mut Criterion) {
    print_table_costs();
    let mut group = criterion.benchmark_group("cells");
    group.sample_size(10);
    for case in CASES {
        let rate = number(case.rate);
        let profile = subsampled(&rate, gaussian(case.sigma));
        let lattice_offset = Offset::logarithm(Rational::from(1 - &rate));
        for (count, step_log2) in [4096i64, 32768].into_iter().zip(case.steps) {
            let step = Rational::from(1) << step_log2;
            let indices: Vec<i64> = (0..count).collect();
            let name = format!("{}, {count} places", case.name);
            group.throughput(Throughput::Elements(count.unsigned_abs()));
            let offset = lattice_offset.enclose(320);
            group.bench_function(BenchmarkId::new("fixed point", &name), |bench| {
                bench.iter(|| fast(profile.as_ref(), &offset, &step, &indices));
            });
            let lattice = Lattice::new(lattice_offset.clone(), step.clone());
            let sampling = Sampling {
                bits: 160,
                first_bits: 160,
                accuracy: Accuracy::Absolute,
                jobs: 1,
            };
            group.bench_function(BenchmarkId::new("intervals", &name), |bench| {
                bench.iter(|| {
                    let budget = Budget::unlimited();
                    sample_knots(profile.as_ref(), &lattice, &indices, sampling, &budget)
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, cells);
criterion_main!(benches);
