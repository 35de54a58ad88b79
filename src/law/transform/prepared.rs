//! Products of one sequence with many others: each is transformed once.

use rug::Integer;

use super::ntt::{Transform, length_for};
use super::primes::{FIELDS, ROOT_BITS};
use super::{check, remainder};
use crate::kernel::InvariantViolation;
use crate::law::{Mass, Product};

/// Products modulo the first K primes, of sequences whose lengths add up to at most a longest one.
#[derive(Debug)]
pub struct Products<const K: usize> {
    length: usize,
    transforms: Vec<Transform>,
    bound: Integer,
}

/// A sequence with its transforms.
#[derive(Debug)]
pub struct Factor<const L: usize> {
    masses: Vec<Mass<L>>,
    total: Integer,
    values: Vec<Vec<u64>>,
}

impl<const K: usize> Products<K> {
    /// For results of at most so many elements; `None` if there is no transform so long, or there are not so many primes.
    pub fn new(longest: usize) -> Option<Self> {
        let length = length_for(longest).filter(|length| *length <= 3 << ROOT_BITS)?;
        let transforms: Option<Vec<_>> =
            (0..K).map(|prime| Transform::new(prime, length)).collect();
        let bound = FIELDS.iter().take(K).map(|field| field.modulus);
        Some(Self {
            length,
            transforms: transforms?,
            bound: bound.fold(Integer::from(1), |product, p| product * p),
        })
    }

    /// The most elements of a result.
    pub fn longest(&self) -> usize {
        self.length
    }

    /// A sequence, transformed.
    ///
    /// # Errors
    /// If it is too long.
    pub fn factor<const L: usize>(
        &self,
        masses: Vec<Mass<L>>,
    ) -> Result<Factor<L>, InvariantViolation> {
        if masses.len() > self.length {
            return Err(InvariantViolation(
                "a factor is longer than its transform".into(),
            ));
        }
        let values = self.transforms.iter().zip(&FIELDS);
        let values = values.map(|(transform, field)| {
            let mut data = Vec::with_capacity(self.length);
            data.extend(masses.iter().map(|mass| field.residue(mass.limbs())));
            data.resize(self.length, 0);
            transform.forward(&mut data);
            data
        });
        Ok(Factor {
            values: values.collect(),
            total: check::total(&masses),
            masses,
        })
    }

    /// [`super::convolve`] of two sequences.
    ///
    /// # Errors
    /// If Σ a · Σ b is too large, the result too long, or a check of it fails.
    pub fn product<const L: usize>(
        &self,
        a: &Factor<L>,
        b: &Factor<L>,
    ) -> Result<Vec<Product<L>>, InvariantViolation> {
        let total = Integer::from(&a.total * &b.total);
        let length = (a.masses.len() + b.masses.len()).saturating_sub(1);
        if length > self.length || total >= self.bound || a.masses.is_empty() || b.masses.is_empty()
        {
            return Err(InvariantViolation(
                "a product does not fit its transforms".into(),
            ));
        }
        let mut residues = [const { Vec::new() }; K];
        let all = self.transforms.iter().zip(&FIELDS);
        for ((residues, (transform, field)), (x, y)) in residues
            .iter_mut()
            .zip(all)
            .zip(a.values.iter().zip(&b.values))
        {
            let mut data: Vec<u64> = x.iter().zip(y).map(|(x, y)| field.times(*x, *y)).collect();
            transform.inverse(&mut data);
            data.truncate(length);
            *residues = data;
        }
        let result = remainder::combine(residues)?;
        check::verify(&a.masses, &b.masses, &result, &total)?;
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Products are those of the plain way, and what does not fit is refused.
    #[test]
    fn prepared_products_are_the_plain_ones() {
        let sequence = |n: u64, start: u64| -> Vec<Mass<2>> {
            let word = |i: u64| (i + start).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (0..n)
                .map(|i| Mass::from_limbs([word(i), word(i + 77) >> 45]))
                .collect()
        };
        let products = Products::<3>::new(300).unwrap();
        let many = [(100, 200), (1, 300), (150, 151), (7, 7)];
        for (n, m) in many {
            let (a, b) = (sequence(n, 3), sequence(m, 1_000));
            let plain = super::super::convolve(&a, &b).unwrap();
            let [a, b] = [a, b].map(|x| products.factor(x).unwrap());
            assert_eq!(products.product(&a, &b).unwrap(), plain);
        }
        // As long as the transform itself.
        let (a, b) = (sequence(products.length as u64, 5), sequence(1, 8));
        let plain = super::super::convolve(&a, &b).unwrap();
        let [a, b] = [a, b].map(|x| products.factor(x).unwrap());
        assert_eq!(products.product(&a, &b).unwrap(), plain);
        let long = [200, 201].map(|n| products.factor(sequence(n, 9)).unwrap());
        assert!(products.product(&long[0], &long[1]).is_err());
        let large = vec![Mass::<2>::from_limbs([u64::MAX, u64::MAX >> 10]); 2];
        let large = products.factor(large).unwrap();
        assert!(products.product(&large, &large).is_err());
        assert!(products.factor(vec![Mass::<2>::ZERO; 1_000]).is_err());
    }
}
