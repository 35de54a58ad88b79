//! Which roots of unity are left out, and how little they can add, at a few bits.

use rug::{Float, Integer, Rational};

use super::{Budget, Tilted, arc, nodes_needed, turn};
use crate::fourier::LatticeLaw;
use crate::fourier::fixed::ONE;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::law::{Lattice, Offset};

/// log |χ| at a root by plain sums.
fn log_modulus(law: &Tilted, phi: f64) -> f64 {
    let (mut re, mut im) = (0.0, 0.0);
    for (label, weight) in &law.weights {
        let p = *weight as f64 / ONE as f64;
        re += p * (phi * *label as f64).cos();
        im += p * (phi * *label as f64).sin();
    }
    f64::hypot(re, im).ln()
}

#[test]
fn roots_that_are_left_out() {
    let masses = [1u32, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1];
    let atoms = (0i64..).zip(masses).map(|(i, n)| (i, Integer::from(n)));
    let lattice = Lattice::new(Offset::rational(Rational::new()), Rational::from((1, 8)));
    let law = LatticeLaw::new(lattice, atoms.collect(), Integer::new(), 10).unwrap();
    let tilted = || Tilted::new(&law, law.lattice().step(), &Rational::from((1, 3))).unwrap();
    assert!(
        nodes_needed(&[(tilted(), 100)], 100, 1, &Budget::unlimited())
            .unwrap()
            .is_none()
    );
    for (period, times) in [(41u64, 100u64), (151, 400), (1001, 1000)] {
        let parts = [(tilted(), times)];
        for bits in [4, 6, 8, 12, 64] {
            let found = at_most_bits(bits, || {
                nodes_needed(&parts, period, 1, &Budget::unlimited())
            });
            let Some((count, worst)) = found.unwrap() else {
                continue;
            };
            assert!(count <= period / 2);
            for n in count + 1..=period / 2 {
                let phi = std::f64::consts::TAU * n as f64 / period as f64;
                let log = log_modulus(&parts[0].0, phi) * times as f64;
                assert!(
                    worst.to_f64() >= log - 1e-9,
                    "{n} of {period} at {bits} bits: {worst} {log}"
                );
            }
            assert!(
                bits < 64 || period < 100 || count < period / 2,
                "{period}: none left out"
            );
            assert!(worst <= -Float::with_val(64, super::LEFT_OUT));
        }
    }
}

/// Arcs of any period and any roots reach over their ends.
#[test]
fn random_arcs_at_few_bits() {
    let tau = Float::with_val(200, rug::float::Constant::Pi) * 2u32;
    let mut random = Random(45);
    for _ in 0..10_000 {
        let period = 1 + random.below(1 << 20);
        let (from, to) = (random.below(1 << 20), random.below(1 << 20));
        let bits = 2 + u32::try_from(random.below(15)).unwrap();
        let exact = |n: u64| Float::with_val(200, &tau * n) / period;
        let (low, high) = at_most_bits(bits, || arc(&turn(period), from, to));
        assert!(
            low <= exact(from) && high >= exact(to),
            "{from}..{to} of {period}, {bits} bits"
        );
    }
}

/// The same of random short periods and numbers of steps.
#[test]
fn roots_of_short_periods() {
    let masses = [1u32, 4, 6, 4, 1];
    let atoms = (0i64..).zip(masses).map(|(i, n)| (i, Integer::from(n)));
    let lattice = Lattice::new(Offset::rational(Rational::new()), Rational::from((1, 8)));
    let law = LatticeLaw::new(lattice, atoms.collect(), Integer::new(), 4).unwrap();
    let mut parts = [(
        Tilted::new(&law, law.lattice().step(), &Rational::from((1, 3))).unwrap(),
        1,
    )];
    let mut random = Random(56);
    let mut seen = 0;
    for _ in 0..210 {
        let period = 3 + 2 * random.below(20);
        let phi = |n: u64| std::f64::consts::TAU * n as f64 / period as f64;
        let logs: Vec<f64> = (0..=period / 2)
            .map(|n| log_modulus(&parts[0].0, phi(n)))
            .collect();
        for _ in 0..48 {
            let times = 1 + random.below(4_000);
            let bits = 2 + u32::try_from(random.below(16)).unwrap();
            parts[0].1 = times;
            let found = at_most_bits(bits, || {
                nodes_needed(&parts, period, 1, &Budget::unlimited())
            });
            let Some((count, worst)) = found.unwrap() else {
                continue;
            };
            assert!(count <= period / 2);
            for log in logs.iter().skip(usize::try_from(count).unwrap() + 1) {
                let log = log * times as f64;
                assert!(
                    worst.to_f64() >= log - 1e-9 * log.abs(),
                    "{period} {times} {bits}"
                );
                seen += 1;
            }
            assert!(worst <= -Float::with_val(64, super::LEFT_OUT));
        }
    }
    assert!(seen > 1_000, "{seen}");
}
