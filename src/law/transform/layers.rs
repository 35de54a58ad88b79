//! The layers of the transform.
//!
//! **Ranges** (Harvey 2014, section 3). A forward step takes X, Y in [0, 4p): X is brought to [0, 2p), r·Y is in [0, 2p)
//! for any Y, so X + rY < 4p and 0 < X + 2p − rY < 4p. An inverse step takes X, Y in [0, 2p): X + Y < 4p is brought to
//! [0, 2p), X + 2p − Y is in (0, 4p), and its product with r^−1 is in [0, 2p) again. 4p < 2^64: no sum overflows.

use super::field::{Field, Twiddle, reduce_once};

/// All layers of one block of 2^j data; `even` and `odd` are the roots of the layers 0, 2, … and 1, 3, …
pub(super) fn forward_block(data: &mut [u64], even: &[Twiddle], odd: &[Twiddle], p: u64) {
    let (mut half, mut outer, mut inner) = (data.len() / 2, even, odd);
    // With an odd number of layers one is done alone, the others two at a time.
    if data.len().trailing_zeros() % 2 == 1
        && let (Some(root), (left, right)) = (even.first(), data.split_at_mut(half))
    {
        for (x, y) in left.iter_mut().zip(right) {
            (*x, *y) = forward_step(*x, *y, *root, p);
        }
        half /= 2;
        (outer, inner) = (odd, even);
    }
    while half >= 2 {
        two_layers(data, half / 2, outer, inner, |four, roots| {
            forward_four(four, roots, p)
        });
        half /= 4;
    }
}

/// The layers of [`forward_block`] undone in reverse order, without the factor 2 of each.
pub(super) fn inverse_block(data: &mut [u64], even: &[Twiddle], odd: &[Twiddle], p: u64) {
    let alone = data.len().trailing_zeros() % 2 == 1;
    let (outer, inner) = if alone { (odd, even) } else { (even, odd) };
    let mut quarter = 1;
    while quarter <= data.len() / 4 {
        two_layers(data, quarter, outer, inner, |four, roots| {
            inverse_four(four, roots, p)
        });
        quarter *= 4;
    }
    if alone && let (Some(root), (left, right)) = (even.first(), data.split_at_mut(quarter)) {
        for (x, y) in left.iter_mut().zip(right) {
            (*x, *y) = inverse_step(*x, *y, *root, p);
        }
    }
}

/// Two layers at once: `step` on each four places of each block, a quarter apart, block b with the roots outer_b, inner_2b
/// and inner_2b+1.
#[inline(always)]
fn two_layers(
    data: &mut [u64],
    quarter: usize,
    outer: &[Twiddle],
    inner: &[Twiddle],
    step: impl Fn([u64; 4], [Twiddle; 3]) -> [u64; 4],
) {
    let roots = outer.iter().zip(inner.as_chunks::<2>().0);
    if quarter == 1 {
        for (four, (r, [s, t])) in data.as_chunks_mut::<4>().0.iter_mut().zip(roots) {
            *four = step(*four, [*r, *s, *t]);
        }
        return;
    }
    for (block, (r, [s, t])) in data.chunks_exact_mut(quarter * 4).zip(roots) {
        let (left, right) = block.split_at_mut(quarter * 2);
        let ((a, b), (c, d)) = (left.split_at_mut(quarter), right.split_at_mut(quarter));
        for ((a, b), (c, d)) in a.iter_mut().zip(b).zip(c.iter_mut().zip(d)) {
            [*a, *b, *c, *d] = step([*a, *b, *c, *d], [*r, *s, *t]);
        }
    }
}

#[inline(always)]
fn forward_four([a, b, c, d]: [u64; 4], [r, s, t]: [Twiddle; 3], p: u64) -> [u64; 4] {
    let (a, c) = forward_step(a, c, r, p);
    let (b, d) = forward_step(b, d, r, p);
    let (a, b) = forward_step(a, b, s, p);
    let (c, d) = forward_step(c, d, t, p);
    [a, b, c, d]
}

#[inline(always)]
fn inverse_four([a, b, c, d]: [u64; 4], [r, s, t]: [Twiddle; 3], p: u64) -> [u64; 4] {
    let (a, b) = inverse_step(a, b, s, p);
    let (c, d) = inverse_step(c, d, t, p);
    let (a, c) = inverse_step(a, c, r, p);
    let (b, d) = inverse_step(b, d, r, p);
    [a, b, c, d]
}

/// (X + r·Y, X − r·Y).
///
/// Requires: X, Y in [0, 4p). Ensures: results in [0, 4p).
#[inline(always)]
fn forward_step(x: u64, y: u64, root: Twiddle, p: u64) -> (u64, u64) {
    let twice = p.wrapping_mul(2);
    let x = reduce_once(x, twice);
    let turned = root.times(y, p);
    // Both sums are in [0, 4p): see the module's proof.
    (
        x.wrapping_add(turned),
        x.wrapping_add(twice).wrapping_sub(turned),
    )
}

/// (X + Y, (X − Y)·r), r being the reciprocal root.
///
/// Requires: X, Y in [0, 2p). Ensures: results in [0, 2p).
#[inline(always)]
fn inverse_step(x: u64, y: u64, root: Twiddle, p: u64) -> (u64, u64) {
    let twice = p.wrapping_mul(2);
    // The sum is in [0, 4p), the difference in (0, 4p).
    let sum = reduce_once(x.wrapping_add(y), twice);
    let difference = x.wrapping_add(twice).wrapping_sub(y);
    (sum, root.times(difference, p))
}

/// f modulo x^m − 1, x^m − ω, x^m − ω²: with thirds (a, b, c), a + b + c, a − c + ω(b − c) and a − b − ω(b − c), since
/// 1 + ω + ω² = 0.
///
/// Requires: data in [0, 2p). Ensures: results in [0, 4p).
pub(super) fn split_in_three(data: &mut [u64], third: usize, omega: Twiddle, field: &Field) {
    let (p, twice) = (field.modulus, field.twice());
    let (first, rest) = data.split_at_mut(third);
    let (second, last) = rest.split_at_mut(third);
    for ((a, b), c) in first.iter_mut().zip(second).zip(last) {
        let minus = |x: u64, y: u64| x.wrapping_add(twice).wrapping_sub(y); // in (0, 4p) for x, y < 2p
        let turned = omega.times(minus(*b, *c), p);
        let sum = reduce_once(a.wrapping_add(*b), twice).wrapping_add(*c);
        let plus = reduce_once(minus(*a, *c), twice).wrapping_add(turned);
        let less = minus(reduce_once(minus(*a, *b), twice), turned);
        (*a, *b, *c) = (sum, plus, less);
    }
}

/// [`split_in_three`] undone, without the factor 3: from (A, B, C), A + B + C, A − B + ω(C − B) and A − C − ω(C − B).
///
/// Requires: data in [0, 2p). Ensures: results in [0, 2p).
pub(super) fn join_three(data: &mut [u64], third: usize, omega: Twiddle, field: &Field) {
    let (p, twice) = (field.modulus, field.twice());
    let (first, rest) = data.split_at_mut(third);
    let (second, last) = rest.split_at_mut(third);
    for ((a, b), c) in first.iter_mut().zip(second).zip(last) {
        let plus = |x: u64, y: u64| reduce_once(x.wrapping_add(y), twice);
        let minus = |x: u64, y: u64| reduce_once(x.wrapping_add(twice).wrapping_sub(y), twice);
        let turned = omega.times(minus(*c, *b), p);
        (*a, *b, *c) = (
            plus(plus(*a, *b), *c),
            plus(minus(*a, *b), turned),
            minus(minus(*a, *c), turned),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::primes::FIELDS;
    use super::*;

    fn times(field: &Field, x: u64, y: u64) -> u64 {
        u64::try_from(u128::from(x) * u128::from(y) % u128::from(field.modulus)).unwrap()
    }

    /// One step at all combinations of extreme inputs: congruent and within the range that is claimed.
    #[test]
    fn steps_keep_their_ranges() {
        for field in &FIELDS {
            let p = field.modulus;
            let ends = |bound: u64| {
                let all = [0, 1, p - 1, p, p + 1, 2 * p - 1, 2 * p, 3 * p, 4 * p - 1];
                all.into_iter().filter(move |x| *x < bound)
            };
            for factor in [1, 2, p / 2, p - 2, p - 1, field.root, field.cube_root] {
                let root = field.twiddle(factor);
                for (x, y) in ends(4 * p).flat_map(|x| ends(4 * p).map(move |y| (x, y))) {
                    let (sum, difference) = forward_step(x, y, root, p);
                    assert!(sum < 4 * p && difference < 4 * p);
                    let turned = times(field, factor, y);
                    assert_eq!(sum % p, (x % p + turned) % p);
                    assert_eq!(difference % p, (x % p + p - turned) % p);
                }
                for (x, y) in ends(2 * p).flat_map(|x| ends(2 * p).map(move |y| (x, y))) {
                    let (sum, difference) = inverse_step(x, y, root, p);
                    assert!(sum < 2 * p && difference < 2 * p);
                    assert_eq!(sum % p, (x % p + y % p) % p);
                    assert_eq!(
                        difference % p,
                        times(field, factor, (x % p + p - y % p) % p)
                    );
                }
            }
        }
    }
}
