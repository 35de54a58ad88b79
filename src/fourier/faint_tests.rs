//! Values from few digits against 300 bits.

use super::*;
use crate::fourier::fixed::ONE;
use crate::kernel::Interval;
use crate::kernel::coarse::{Random, at_most_bits};

/// A law of these labels, with random masses that add up to 1; of some, one is most of it.
fn random_law(labels: &[i64], random: &mut Random) -> Tilted {
    let mut masses: Vec<u64> = labels.iter().map(|_| random.below(1 << 20)).collect();
    if random.once_in(2) {
        masses[labels.len() / 2] <<= 20;
    }
    let all = i128::from(masses.iter().sum::<u64>().max(1));
    let shares = masses.iter().map(|mass| ONE / all * i128::from(*mass));
    Tilted {
        weights: labels.iter().copied().zip(shares).collect(),
        log_total: Interval::zero(64),
    }
}

/// (a + bi)(c + di).
fn product([a, b]: &[Float; 2], [c, d]: &[Float; 2]) -> [Float; 2] {
    let times = |x: &Float, y: &Float| Float::with_val(300, x * y);
    [times(a, c) - times(b, d), times(a, d) + times(b, c)]
}

/// χ(w)^T for w = e^{2πik/period}, to some 250 bits.
fn exactly(law: &Tilted, (k, period): (u64, u64), times: u64) -> [Float; 2] {
    let mut sum = [Float::new(300), Float::new(300)];
    for (label, weight) in &law.weights {
        let turns = (i128::from(*label) * i128::from(k)).rem_euclid(period.into());
        let angle = Float::with_val(300, rug::float::Constant::Pi) * 2u32;
        let angle = angle * Float::with_val(300, turns) / period;
        let (sin, cos) = angle.sin_cos(Float::new(300));
        let weight = fixed::to_float(*weight, 300);
        sum[0] += cos * &weight;
        sum[1] += sin * weight;
    }
    let mut power = [Float::with_val(300, 1), Float::new(300)];
    for digit in (0..u64::BITS).rev() {
        power = product(&power, &power);
        if times >> digit & 1 == 1 {
            power = product(&power, &sum);
        }
    }
    power
}

/// Powers of values in few digits, where they are small, against 300 bits: of smooth laws and of any, with few steps and many, with gaps of which each is twice the one before it.
#[test]
fn faint_values_are_within_their_error() {
    let mut random = Random(12);
    let (mut faint, mut others) = (0, 0);
    let mut closest = 0f64;
    for round in 0..400 {
        let doubling = round % 3 == 0;
        let mut label = 0;
        let count = if doubling { 330 } else { 2 + random.below(90) };
        let labels: Vec<i64> = (0..count)
            .map(|place| {
                let gap = if doubling {
                    1 << (place / 33)
                } else {
                    1 + random.below(3)
                };
                label += i64::try_from(gap).unwrap();
                label
            })
            .collect();
        let labels: Vec<i64> = labels.iter().map(|label| label - labels[0]).collect();
        let law = random_law(&labels, &mut random);
        let times = 2 + random.below([4, 100, 10_000, 1 << 40][round % 4]);
        let parts = [(law, times)];
        let stretches = Stretches::of(&parts);
        let most = Float::with_val(64, 1) >> (20 + u32::try_from(random.below(38)).unwrap());
        let Some((values, error)) = Faint::new(&parts, &stretches, &most) else {
            others += 1;
            continue;
        };
        assert!(error <= Float::with_val(64, &most * 2u32));
        let period = 3 + 2 * random.below(200_000);
        let mut room = Room::default();
        for _ in 0..8 {
            let k = random.below(period / 2);
            let root = fixed::root_of_unity(k, period);
            let Some(found) = values.at(root, &mut room) else {
                others += 1;
                continue;
            };
            faint += 1;
            let found = [found.re, found.im].map(|part| fixed::to_float(part, 300));
            let [re, im] = exactly(&parts[0].0, (k, period), times);
            let gap = Float::with_val(64, (re - &found[0]).hypot(&(im - &found[1])));
            assert!(
                gap <= error,
                "{k} of {period}, {times} steps: {gap} {error}"
            );
            closest = closest.max(Float::with_val(64, gap / &error).to_f64());
        }
    }
    assert!(faint > 1000 && others > 100, "{faint} {others}");
    assert!(closest > 1e-4, "{closest}");
}

/// T·(r + e)^(T−1)·e at few bits, and with r as it is found.
#[test]
fn errors_of_faint_values_at_few_bits() {
    let mut random = Random(13);
    for _ in 0..2_000 {
        let unit = Float::with_val(400, 1) >> SQUARE_FRACTION;
        let square = (1i128 << SQUARE_FRACTION) / i128::from(1 + random.below(40)) * 7 / 8;
        let one = Float::with_val(64, 1 + random.below(99)) >> (8 + random.below(60) as u32);
        let most = [9, 1 << 14, 1 << 40][random.below(3) as usize];
        let times = 2 + random.below(most);
        let radius = (Float::with_val(400, Integer::from(square)) * unit).sqrt();
        let whole = (radius + &one).min(&Float::with_val(400, 1));
        let power = rug::ops::Pow::pow(whole, Integer::from(times - 1));
        let truth = power * times * &one;
        for bits in [2, 3, 5, 8, 64] {
            let found = at_most_bits(bits, || faint_error_up(square, &one, times));
            assert!(found >= truth, "{times} {one} at {bits} bits: {found}");
        }
    }
}
