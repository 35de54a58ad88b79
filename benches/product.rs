//! Exact products of two sequences of masses: transforms beside Kronecker substitution on GMP.
//!
//! `cargo bench --bench product` prints times of this machine; compare only figures of one run.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dpcmp::law::Mass;
use dpcmp::law::transform::{convolve, convolve_by_kronecker};

/// n masses without pattern, together below 2^`bits`.
fn masses<const L: usize>(n: usize, bits: u32) -> Vec<Mass<L>> {
    let mut state = 1u64;
    let mut limb = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state ^ (state >> 29)
    };
    let dropped = 64 * u32::try_from(L).expect("a few limbs") - (bits - n.ilog2());
    (0..n)
        .map(|_| Mass::from_limbs([(); L].map(|()| limb())).shifted_down(dropped))
        .collect()
}

fn squares<const L: usize>(criterion: &mut Criterion, name: &str, bits: u32) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20);
    for n in [1 << 12, 1 << 13, 1 << 14, 1 << 15] {
        let a = masses::<L>(n, bits);
        group.bench_function(BenchmarkId::new("transform", n), |bencher| {
            bencher.iter(|| black_box(convolve(&a, &a)));
        });
        group.bench_function(BenchmarkId::new("gmp", n), |bencher| {
            bencher.iter(|| black_box(convolve_by_kronecker(&a, &a)));
        });
    }
}

fn unbalanced<const L: usize>(criterion: &mut Criterion, name: &str, bits: u32) {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(20);
    let long = masses::<L>(4096, bits);
    for n in [60, 120, 240, 480, 2000] {
        let short = masses::<L>(n, bits);
        group.bench_function(BenchmarkId::new("convolve", n), |bencher| {
            bencher.iter(|| black_box(convolve(&short, &long)));
        });
        group.bench_function(BenchmarkId::new("gmp", n), |bencher| {
            bencher.iter(|| black_box(convolve_by_kronecker(&short, &long)));
        });
    }
}

fn products(criterion: &mut Criterion) {
    squares::<1>(criterion, "squares, one limb, two primes", 61);
    squares::<2>(criterion, "squares, two limbs, three primes", 92);
    squares::<2>(criterion, "squares, two limbs, four primes", 123);
    squares::<3>(criterion, "squares, three limbs, five primes", 154);
    squares::<3>(criterion, "squares, three limbs, six primes", 185);
    unbalanced::<1>(criterion, "4096 masses of one limb by n", 61);
    unbalanced::<2>(criterion, "4096 masses of two limbs by n", 92);
    unbalanced::<3>(criterion, "4096 masses of three limbs by n", 154);
}

criterion_group!(benches, products);
criterion_main!(benches);
