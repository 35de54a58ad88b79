//! Exact sums of products of masses: number-theoretic transforms modulo 2^64 − 2^32 + 1 (S5 of `proofs/FORMAT.md`).

use crate::reason::Rejected;
use crate::work::{go_on, spend_each};

/// In arithmetic modulo this number 7 has the order P − 1, which 2^32 divides.
const P: u64 = 0xffff_ffff_0000_0001;
const LOW: u128 = (1 << 64) - 1;
const LOW_HALF: u64 = (1 << 32) - 1;

/// The lower 64 bits.
fn low(x: u128) -> u64 {
    u64::try_from(x & LOW).unwrap_or(0)
}

fn add(a: u64, b: u64) -> u64 {
    let (sum, carry) = a.overflowing_add(b);
    let (less, borrow) = sum.overflowing_sub(P);
    if carry || !borrow { less } else { sum }
}

fn subtract(a: u64, b: u64) -> u64 {
    let (rest, borrow) = a.overflowing_sub(b);
    if borrow { rest.wrapping_add(P) } else { rest }
}

/// 2^64 is 2^32 − 1 here and 2^96 is −1: l + 2^64·m + 2^96·h is l − h + (2^32 − 1)·m, l < 2^64, m and h < 2^32.
fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let (l, high) = (low(product), low(product >> 64));
    let (m, h) = (high & LOW_HALF, high >> 32);
    let (mut rest, borrow) = l.overflowing_sub(h);
    if borrow {
        rest = rest.wrapping_sub(LOW_HALF);
    }
    let (sum, carry) = rest.overflowing_add(m * LOW_HALF);
    let sum = if carry { sum.wrapping_add(LOW_HALF) } else { sum };
    if sum >= P { sum - P } else { sum }
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

/// 1, ω, ω², … up to ω^(size/2 − 1), where ω^(size/2) is −1.
fn roots(root: u64, size: usize) -> Vec<u64> {
    let mut next = 1;
    let mut step = || {
        let this = next;
        next = times(next, root);
        this
    };
    (0..size / 2).map(|_| step()).collect()
}

/// Values at the powers of ω, in the order of their reversed bits.
fn transform(values: &mut [u64], roots: &[u64]) -> Result<(), Rejected> {
    let mut length = values.len();
    let mut stride = 1;
    while length > 1 {
        go_on()?;
        for block in values.chunks_exact_mut(length) {
            let (left, right) = block.split_at_mut(length / 2);
            for ((a, b), root) in left.iter_mut().zip(right).zip(roots.iter().step_by(stride)) {
                (*a, *b) = (add(*a, *b), times(subtract(*a, *b), *root));
            }
        }
        length /= 2;
        stride *= 2;
    }
    Ok(())
}

/// The inverse but for a factor, the size: each step of the other one backwards, with the inverse roots.
fn transform_back(values: &mut [u64], roots: &[u64]) -> Result<(), Rejected> {
    let mut length = 2;
    let mut stride = values.len() / 2;
    while length <= values.len() {
        go_on()?;
        for block in values.chunks_exact_mut(length) {
            let (left, right) = block.split_at_mut(length / 2);
            for ((a, b), root) in left.iter_mut().zip(right).zip(roots.iter().step_by(stride)) {
                let turned = times(*b, *root);
                (*a, *b) = (add(*a, turned), subtract(*a, turned));
            }
        }
        length *= 2;
        stride /= 2;
    }
    Ok(())
}

/// Σ a_i·b_(k−i) for every k, as high·2^128 + low. Requires: the sums of all a and all b are below 2^125.
///
/// Masses are cut into digits of so few bits that every sum of products of digits is below P, and so known from what it is modulo P.
pub fn products(a: &[u128], b: &[u128]) -> Result<Vec<(u128, u128)>, Rejected> {
    let (Some(most), Some(other)) = (a.iter().max(), b.iter().max()) else {
        return Ok(Vec::new());
    };
    let longest = 128 - most.max(other).leading_zeros();
    let length = a.len() + b.len() - 1;
    let size = length.next_power_of_two().max(2);
    let shorter = u64::try_from(a.len().min(b.len())).unwrap_or(u64::MAX);
    // So many digits of so many bits: `digits`·`shorter`·(2^bits − 1)² < 2^63.
    let fits = |digits: &u32| {
        let bits = longest.div_ceil(*digits);
        u64::from(64 - shorter.leading_zeros()) + u64::from(32 - digits.leading_zeros()) + u64::from(2 * bits) < 64
    };
    let digits = (1..=32u32).find(fits).ok_or_else(|| Rejected::limit("a law is too long"))?;
    let bits = longest.div_ceil(digits).max(1);
    let steps = usize::try_from(size.ilog2()).unwrap_or(64) + 4;
    let digits = usize::try_from(digits).unwrap_or(32);
    spend_each(size.saturating_mul(steps), u64::try_from(5 * digits).unwrap_or(160) * 3)?;
    let root = power(7, (P - 1) >> size.ilog2());
    let (forth, back) = (roots(root, size), roots(power(root, P - 2), size));
    let shrink = power(u64::try_from(size).unwrap_or(1), P - 2);
    let transformed = |masses: &[u128]| -> Result<Vec<Vec<u64>>, Rejected> {
        let digit = |d: usize| {
            let shift = bits * u32::try_from(d).unwrap_or(0);
            let mut values: Vec<u64> = masses.iter().map(|m| low((m >> shift) & ((1 << bits) - 1))).collect();
            values.resize(size, 0);
            transform(&mut values, &forth)?;
            Ok(values)
        };
        (0..digits).map(digit).collect()
    };
    let first = transformed(a)?;
    let second = if a == b { None } else { Some(transformed(b)?) };
    let second = second.as_ref().unwrap_or(&first);
    let mut sums = vec![(0u128, 0u128); length];
    for d in 0..2 * digits - 1 {
        let mut total = vec![0u64; size];
        for (i, x) in first.iter().enumerate() {
            if let Some(y) = d.checked_sub(i).and_then(|j| second.get(j)) {
                for ((sum, x), y) in total.iter_mut().zip(x).zip(y) {
                    *sum = add(*sum, times(*x, *y));
                }
            }
        }
        transform_back(&mut total, &back)?;
        let shift = bits * u32::try_from(d).unwrap_or(0);
        for ((high, low), value) in sums.iter_mut().zip(total) {
            let value = u128::from(times(value, shrink));
            // value·2^shift, value < 2^63 and shift < 256.
            let (more, rest) = match shift {
                0 => (0, value),
                1..128 => (value >> (128 - shift), value << shift),
                _ => (value << (shift - 128), 0),
            };
            let (sum, carry) = low.overflowing_add(rest);
            *low = sum;
            *high += more + u128::from(carry);
        }
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;
    use crate::coarse::Random;

    #[test]
    fn arithmetic_modulo_p() {
        let mut random = Random::new(11);
        let mut numbers = vec![0, 1, 2, LOW_HALF - 1, LOW_HALF, LOW_HALF + 1, 1 << 63, P - 2, P - 1];
        numbers.extend((0..200).map(|_| (random.below(1 << 32) << 32 | random.below(1 << 32)) % P));
        for a in &numbers {
            for b in &numbers {
                let (x, y, p) = (u128::from(*a), u128::from(*b), u128::from(P));
                assert_eq!(u128::from(add(*a, *b)), (x + y) % p);
                assert_eq!(u128::from(subtract(*a, *b)), (x + p - y) % p);
                assert_eq!(u128::from(times(*a, *b)), x * y % p);
            }
        }
        for bits in 1..=24 {
            let root = power(7, (P - 1) >> bits);
            assert_eq!(power(root, 1 << (bits - 1)), P - 1);
        }
    }

    /// Against plain sums, also where every digit is as large as it can be.
    #[test]
    fn products_are_exact() {
        let mut random = Random::new(12);
        for round in 0..400u32 {
            crate::work::begin(None);
            let bits = [3, 30, 60, 90, 119, 120][usize::try_from(random.below(6)).unwrap()];
            let mut masses = |most: u64| -> Vec<u128> {
                let length = 1 + random.below(most);
                let wide = |random: &mut Random| (0..4).fold(0, |x, _| x << 32 | u128::from(random.below(1 << 32)));
                (0..length)
                    .map(|_| if round % 3 == 0 { (1 << bits) - 1 } else { wide(&mut random) >> (128 - bits) })
                    .collect()
            };
            let a = masses(if round % 50 == 0 { 3_000 } else { 40 });
            let b = if round % 4 == 0 { a.clone() } else { masses(40) };
            let found = products(&a, &b).unwrap();
            assert_eq!(found.len(), a.len() + b.len() - 1);
            for (k, (high, low)) in found.iter().enumerate().step_by(if a.len() > 100 { 97 } else { 1 }) {
                let terms = a.iter().enumerate().filter_map(|(i, x)| Some((x, b.get(k.checked_sub(i)?)?)));
                let sum: BigUint = terms.map(|(x, y)| BigUint::from(*x) * BigUint::from(*y)).sum();
                assert_eq!((BigUint::from(*high) << 128) + BigUint::from(*low), sum, "{bits} bits, place {k}");
            }
        }
    }
}
