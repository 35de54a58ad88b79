//! Which roots of unity are left out, and how little they can add, at a few bits.

use rug::{Float, Integer, Rational};

use super::{
    Budget, Factors, Failure, Interval, MOST_VALUES, Roots, Tilted, Turn, Values, nodes_needed,
    turn,
};
use crate::fourier::LatticeLaw;
use crate::fourier::decay::ARC_DIGITS;
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

const LEFT_OUT: u32 = 48;

/// With values of arcs however few the roots are.
fn needed(parts: &[(Tilted, u64)], period: u64) -> Result<Option<(u64, Float)>, Failure> {
    if period.is_multiple_of(2) {
        return nodes_needed(
            parts,
            (period, LEFT_OUT),
            Roots::ByValues,
            1,
            &Budget::unlimited(),
        );
    }
    let all = Factors::new(parts, (period, LEFT_OUT), 1)?;
    let usual = all.left_out(period / 2, &Budget::unlimited())?;
    let values = Values::new(parts, (period, MOST_VALUES), 1)?;
    let found = all.left_out_by_values(&values, usual.clone(), &Budget::unlimited())?;
    assert!(found.0 <= usual.0 && found.1 >= usual.1);
    Ok(Some(found))
}

#[test]
fn roots_that_are_left_out() {
    let masses = [1u32, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1];
    let atoms = (0i64..).zip(masses).map(|(i, n)| (i, Integer::from(n)));
    let lattice = Lattice::new(Offset::rational(Rational::new()), Rational::from((1, 8)));
    let law = LatticeLaw::new(lattice, atoms.collect(), Integer::new(), 10).unwrap();
    let tilted = || Tilted::new(&law, law.lattice().step(), &Rational::from((1, 3))).unwrap();
    assert!(needed(&[(tilted(), 100)], 100).unwrap().is_none());
    for (period, times) in [(41u64, 100u64), (151, 400), (1001, 1000)] {
        let parts = [(tilted(), times)];
        for bits in [4, 6, 8, 12, 64] {
            let found = at_most_bits(bits, || needed(&parts, period));
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
            assert!(worst <= -Float::with_val(64, LEFT_OUT));
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
        let arc = at_most_bits(bits, || Turn::of(&turn(period)).arc(from, to));
        let real = |units: u64| Float::with_val(200, units) >> ARC_DIGITS;
        let (low, high) = (real(arc.from_down), real(arc.to_up));
        // More than twice around there is none.
        let to = to.min(2 * period);
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
            let found = at_most_bits(bits, || needed(&parts, period));
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
            assert!(worst <= -Float::with_val(64, LEFT_OUT));
        }
    }
    assert!(seen > 1_000, "{seen}");
}

/// Where all labels are multiples of 3, χ is as large at a third of a turn as at 1: that root is never left out, however arcs are cut.
#[test]
fn roots_where_the_function_comes_back() {
    let of = |count: i64, gap: i64| Tilted {
        weights: (0..count)
            .map(|i| (gap * i, ONE / i128::from(count)))
            .collect(),
        log_total: crate::kernel::Interval::zero(64),
    };
    let law = |gap: i64| of(40, gap);
    // Of short laws arcs of some roots can be left out.
    for third in (1..400u64).step_by(2) {
        for count in 5..12 {
            let parts = [(of(count, 3), 1000)];
            let found = needed(&parts, 3 * third);
            let (nodes, _) = found.unwrap().unwrap();
            assert!(nodes >= third, "{nodes} of {third}");
            // Nor where arcs alone are asked, from the farthest root on, so that they are cut around it in all ways.
            let all = Factors::new(&parts, (3 * third, LEFT_OUT), 1).unwrap();
            let values = Values::new(&parts, (3 * third, MOST_VALUES), 1).unwrap();
            let from = (3 * third / 2, Float::with_val(64, f64::NEG_INFINITY));
            let found = all.left_out_by_values(&values, from, &Budget::unlimited());
            let (nodes, _) = found.unwrap();
            assert!(nodes >= third.min(3 * third / 2), "{nodes} of {third}");
        }
    }
    let (count, _) = needed(&[(law(3), 20_000)], 3 * 4001).unwrap().unwrap();
    assert!((4001..4100).contains(&count), "{count}");
    for times in [24, 1000] {
        for third in (1..400u64).step_by(2) {
            let found = needed(&[(law(3), times)], 3 * third);
            let (count, _) = found.unwrap().unwrap();
            assert!(count >= third, "{count} of {third}");
            // Nor is one where the other part is small.
            let both = [(law(3), times), (law(1), 2)];
            let (count, worst) = needed(&both, 3 * third).unwrap().unwrap();
            for k in count + 1..=3 * third / 2 {
                let phi = std::f64::consts::TAU * k as f64 / (3 * third) as f64;
                // Plain sums see nothing that is smaller.
                let log = |law: &Tilted| (log_modulus(law, phi).exp() - 1e-13).max(0.0).ln();
                let log = both.iter().map(|(law, times)| log(law) * *times as f64);
                assert!(log.sum::<f64>() <= worst.to_f64() + 1e-6, "{k} of {third}");
            }
        }
    }
}

/// Of a turn that is hardly known, only its larger end says how far the roots of an arc are from the middle.
#[test]
fn arcs_are_as_wide_as_turns_may_be() {
    let weights = (0..20).map(|i| (i, ONE / 20)).collect();
    let log_total = crate::kernel::Interval::zero(64);
    let law = Tilted { weights, log_total };
    let period = 401;
    let parts = [(law, 3)];
    let values = Values::new(&parts, (period, 1), 1).unwrap();
    let wide = Interval::spanning(Float::new(64), turn(period).hi().clone());
    for from in [1, 5, 17, 40, 90] {
        let (log, _) = values.log_up((from, from + 6), &wide);
        for k in from..=from + 6 {
            let phi = std::f64::consts::TAU * k as f64 / period as f64;
            let truth = 3.0 * log_modulus(&parts[0].0, phi);
            assert!(log.to_f64() >= truth - 1e-9, "{k}: {log} {truth}");
        }
    }
}

/// Large losses that are rare, in steps that few windows and no row of the whole law show: few roots are needed all the same.
#[test]
fn rare_losses_need_few_roots() {
    let smooth = |label: i64, middle: f64, width: f64| {
        (-((label as f64 - middle) / width).powi(2) / 2.0).exp()
    };
    let near = (0..200i64).map(|i| (i, (ONE as f64 / 110.0 * smooth(i, 40.0, 40.0)) as i128));
    let far = (25..600i64).map(|i| (20 * i, (ONE as f64 * 1e-4 * smooth(i, 25.0, 90.0)) as i128));
    let mut weights: Vec<(i64, i128)> = near.chain(far).collect();
    let total: i128 = weights.iter().map(|(_, weight)| weight).sum();
    weights[40].1 += ONE - total;
    let law = Tilted {
        weights,
        log_total: crate::kernel::Interval::zero(64),
    };
    let period = 40_001;
    let parts = [(law, 500)];
    let found = |roots| nodes_needed(&parts, (period, LEFT_OUT), roots, 1, &Budget::unlimited());
    assert!(found(Roots::Usual).unwrap().is_none());
    let (count, _) = found(Roots::ByValues).unwrap().unwrap();
    assert!((50..300).contains(&count), "{count}");
}
