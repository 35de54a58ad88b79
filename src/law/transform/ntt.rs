//! The transform modulo one prime: forward by decimation in frequency, inverse by decimation in time.
//!
//! **What is computed.** Reading the data as a polynomial f of degree below n, the forward transform splits
//! x^n − 1 layer by layer into linear factors (see `roots.rs`) and reduces f modulo each: the block of a layer holds
//! f modulo x^{2m} − r², and from its halves (f₀, f₁) come f₀ + r·f₁ modulo x^m − r and f₀ − r·f₁ modulo x^m + r. For
//! n = 3·2^j the first layer splits x^{3m} − 1 into x^m − ω^e, e = 0, 1, 2. The result is the values of f at all n-th
//! roots of unity, in an order that does not matter: a product of polynomials is multiplied value by value, and
//! the inverse transform undoes the same steps backwards. It finds the product modulo x^n − 1, which is the
//! product itself when its degree is below n.
//!
//! **Ranges** (Harvey 2014, section 3). A forward step takes X, Y in [0, 4p): X is brought to [0, 2p), r·Y is in [0, 2p)
//! for any Y, so X + rY < 4p and 0 < X + 2p − rY < 4p. An inverse step takes X, Y in [0, 2p): X + Y < 4p is brought to
//! [0, 2p), X + 2p − Y is in (0, 4p), and its product with r^−1 is in [0, 2p) again. 4p < 2^64: no sum overflows.

use super::field::{FIELDS, Field, Twiddle, reduce_once};
use super::roots::{Roots, roots};

/// The transforms of one length modulo one prime.
#[derive(Debug)]
pub(super) struct Transform {
    field: Field,
    /// 2^j, where the length is 2^j or 3·2^j.
    block: usize,
    /// One table for a length 2^j, three for 3·2^j.
    tables: Vec<&'static Roots>,
    cube_root: Twiddle,
    /// 1/length.
    scale: Twiddle,
}

/// The smallest length 2^j or 3·2^j that is at least `n`.
pub(super) fn length_for(n: usize) -> Option<usize> {
    let power = n.checked_next_power_of_two()?;
    let three_quarters = (power / 4).checked_mul(3)?;
    Some(if three_quarters >= n.max(1) {
        three_quarters
    } else {
        power
    })
}

impl Transform {
    /// The transform of this length modulo the prime with this number.
    ///
    /// `None` if the length is not 2^j or 3·2^j with j ≤ 22, or there is no such prime.
    pub(super) fn new(prime: usize, length: usize) -> Option<Self> {
        let field = *FIELDS.get(prime)?;
        let block = 1usize.checked_shl(length.trailing_zeros())?;
        let rotations = match length.checked_div(block) {
            Some(1) => 1,
            Some(3) => 3,
            _ => return None,
        };
        // The last of j layers uses 2^(j−1) roots; without layers one root is more than enough.
        let bits = usize::try_from(length.trailing_zeros().saturating_sub(1)).ok()?;
        let tables: Option<Vec<_>> = (0..rotations)
            .map(|rotation| roots(prime, bits, rotation))
            .collect();
        let inverse = field.inverse(u64::try_from(length).ok()?);
        Some(Self {
            field,
            block,
            tables: tables?,
            cube_root: field.twiddle(field.cube_root),
            scale: field.twiddle(inverse),
        })
    }

    /// The values at the roots of unity.
    ///
    /// Requires: as many data as the length, in [0, 2p). Ensures: results in [0, 4p).
    pub(super) fn forward(&self, data: &mut [u64]) {
        if self.tables.len() == 3 {
            split_in_three(data, self.block, self.cube_root, &self.field);
        }
        for (rotation, block) in data.chunks_exact_mut(self.block).enumerate() {
            let (outer, inner) = self.roots_of(rotation, |table| &table.forward);
            forward_block(block, outer, inner, self.field.modulus);
        }
    }

    /// The polynomial that has these values at the roots of unity.
    ///
    /// Requires: as many data as the length, in [0, 2p). Ensures: results in [0, p).
    pub(super) fn inverse(&self, data: &mut [u64]) {
        for (rotation, block) in data.chunks_exact_mut(self.block).enumerate() {
            let (outer, inner) = self.roots_of(rotation, |table| &table.inverse);
            inverse_block(block, outer, inner, self.field.modulus);
        }
        if self.tables.len() == 3 {
            join_three(data, self.block, self.cube_root, &self.field);
        }
        for x in data {
            *x = self
                .field
                .canonical(self.scale.times(*x, self.field.modulus));
        }
    }

    /// The roots of the even and of the odd layers of the block modulo x^m − ω^rotation: R_b·ω^−rotation, R_b·ω^rotation.
    fn roots_of(
        &self,
        rotation: usize,
        direction: impl Fn(&'static Roots) -> &'static [Twiddle],
    ) -> (&'static [Twiddle], &'static [Twiddle]) {
        let table = |rotation: usize| self.tables.get(rotation).map_or(&[][..], |t| direction(t));
        let opposite = if rotation == 0 { 0 } else { 3 - rotation };
        (table(opposite), table(rotation))
    }
}

/// All layers of one block of 2^j data; `even` and `odd` are the roots of the layers 0, 2, … and 1, 3, …
fn forward_block(data: &mut [u64], even: &[Twiddle], odd: &[Twiddle], p: u64) {
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
        forward_pass(data, half / 2, outer, inner, p);
        half /= 4;
    }
}

/// The layers of [`forward_block`] undone in reverse order, without the factor 2 of each.
fn inverse_block(data: &mut [u64], even: &[Twiddle], odd: &[Twiddle], p: u64) {
    let alone = data.len().trailing_zeros() % 2 == 1;
    let (outer, inner) = if alone { (odd, even) } else { (even, odd) };
    let mut quarter = 1;
    while quarter <= data.len() / 4 {
        inverse_pass(data, quarter, outer, inner, p);
        quarter *= 4;
    }
    if alone && let (Some(root), (left, right)) = (even.first(), data.split_at_mut(quarter)) {
        for (x, y) in left.iter_mut().zip(right) {
            (*x, *y) = inverse_step(*x, *y, *root, p);
        }
    }
}

/// Two layers: blocks of four quarters each, block b with the roots outer_b, inner_2b and inner_2b+1.
fn forward_pass(data: &mut [u64], quarter: usize, outer: &[Twiddle], inner: &[Twiddle], p: u64) {
    let roots = outer.iter().zip(inner.as_chunks::<2>().0);
    if quarter == 1 {
        for (four, (r, [s, t])) in data.as_chunks_mut::<4>().0.iter_mut().zip(roots) {
            *four = forward_four(*four, [*r, *s, *t], p);
        }
        return;
    }
    for (block, (r, [s, t])) in data.chunks_exact_mut(quarter * 4).zip(roots) {
        let (left, right) = block.split_at_mut(quarter * 2);
        let ((a, b), (c, d)) = (left.split_at_mut(quarter), right.split_at_mut(quarter));
        for ((a, b), (c, d)) in a.iter_mut().zip(b).zip(c.iter_mut().zip(d)) {
            [*a, *b, *c, *d] = forward_four([*a, *b, *c, *d], [*r, *s, *t], p);
        }
    }
}

/// The two layers of [`forward_pass`] undone.
fn inverse_pass(data: &mut [u64], quarter: usize, outer: &[Twiddle], inner: &[Twiddle], p: u64) {
    let roots = outer.iter().zip(inner.as_chunks::<2>().0);
    if quarter == 1 {
        for (four, (r, [s, t])) in data.as_chunks_mut::<4>().0.iter_mut().zip(roots) {
            *four = inverse_four(*four, [*r, *s, *t], p);
        }
        return;
    }
    for (block, (r, [s, t])) in data.chunks_exact_mut(quarter * 4).zip(roots) {
        let (left, right) = block.split_at_mut(quarter * 2);
        let ((a, b), (c, d)) = (left.split_at_mut(quarter), right.split_at_mut(quarter));
        for ((a, b), (c, d)) in a.iter_mut().zip(b).zip(c.iter_mut().zip(d)) {
            [*a, *b, *c, *d] = inverse_four([*a, *b, *c, *d], [*r, *s, *t], p);
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
fn split_in_three(data: &mut [u64], third: usize, omega: Twiddle, field: &Field) {
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
fn join_three(data: &mut [u64], third: usize, omega: Twiddle, field: &Field) {
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
