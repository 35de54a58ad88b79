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
//! The ranges of the residues are proved in `layers.rs`.

use super::field::{Field, Twiddle};
use super::layers::{forward_block, inverse_block, join_three, split_in_three};
use super::primes::FIELDS;
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

#[cfg(test)]
mod tests {
    use super::super::field::reduce_once;
    use super::*;

    const LENGTHS: [usize; 16] = [
        1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 384, 1024, 3072,
    ];

    /// The extreme representatives of residues below `bound`, and some without pattern.
    fn extremes(field: &Field, bound: u64, n: usize) -> Vec<Vec<u64>> {
        let p = field.modulus;
        let mut inputs: Vec<Vec<u64>> = [0, 1, p - 1, p, 2 * p - 1, 2 * p, 3 * p, 4 * p - 1]
            .iter()
            .filter(|x| **x < bound)
            .map(|x| vec![*x; n])
            .collect();
        let mixed = |i: u64| {
            [
                0,
                bound - 1,
                p - 1,
                p,
                i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % bound,
            ]
        };
        for stride in [2, 3, 5] {
            let at = |i| mixed(i)[usize::try_from(i * i % stride).unwrap()];
            inputs.push((0..n as u64).map(at).collect());
        }
        inputs.push((0..n as u64).map(|i| mixed(i + 1)[4]).collect());
        inputs
    }

    fn times(field: &Field, x: u64, y: u64) -> u64 {
        u64::try_from(u128::from(x) * u128::from(y) % u128::from(field.modulus)).unwrap()
    }

    #[test]
    fn lengths_are_the_smallest() {
        for n in 0..2000 {
            let all = (0..12).flat_map(|j| [1 << j, 3 << j]);
            assert_eq!(
                length_for(n),
                all.filter(|length| *length >= n.max(1)).min(),
                "{n}"
            );
        }
        assert_eq!(length_for(usize::MAX), None);
        assert!(Transform::new(0, 5).is_none() && Transform::new(0, 9).is_none());
        assert!(Transform::new(0, 0).is_none() && Transform::new(FIELDS.len(), 8).is_none());
        assert!(Transform::new(0, 1 << 23).is_none());
    }

    /// Also at the ends of the range, with every overflow an error in this build, except where wrapping is meant.
    #[test]
    fn forward_then_inverse_is_the_identity() {
        for (prime, field) in FIELDS.iter().enumerate() {
            let p = field.modulus;
            for length in LENGTHS {
                let transform = Transform::new(prime, length).unwrap();
                for input in extremes(field, 2 * p, length) {
                    let mut data = input.clone();
                    transform.forward(&mut data);
                    assert!(data.iter().all(|x| *x < 4 * p));
                    for x in &mut data {
                        *x = reduce_once(*x, 2 * p);
                    }
                    transform.inverse(&mut data);
                    let expected: Vec<u64> = input.iter().map(|x| x % p).collect();
                    assert_eq!(data, expected, "{length}");
                }
            }
        }
    }

    /// Values at all n-th roots of unity: each is one once, and the forward transform of x is their list.
    #[test]
    fn forward_evaluates_at_every_root_of_unity() {
        for (prime, field) in FIELDS.iter().enumerate() {
            let p = field.modulus;
            for length in LENGTHS.into_iter().filter(|n| (2..=96).contains(n)) {
                let transform = Transform::new(prime, length).unwrap();
                let mut points = vec![0; length];
                points[1] = 1;
                transform.forward(&mut points);
                let points: Vec<u64> = points.iter().map(|x| x % p).collect();
                let distinct: std::collections::HashSet<&u64> = points.iter().collect();
                assert_eq!(distinct.len(), length);
                for input in extremes(field, 2 * p, length) {
                    let mut data = input.clone();
                    transform.forward(&mut data);
                    for (value, point) in data.iter().zip(&points) {
                        assert_eq!(field.power(*point, length as u64), 1);
                        let horner = |sum, x: &u64| (times(field, sum, *point) + x % p) % p;
                        assert_eq!(value % p, input.iter().rev().fold(0, horner));
                    }
                }
            }
        }
    }
}
