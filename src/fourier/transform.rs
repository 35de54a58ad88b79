//! The characteristic function of a sum at a root of unity, in fixed point.

use rug::Float;

use super::fixed::{
    self, Complex, ERROR_BITS, error_of_power_up, error_of_product_up, product_error_up,
    root_error_up,
};
use super::tilted::{Tilted, weight_error_up};
use crate::kernel::directed as d;

/// Errors of the values at the nodes.
pub(super) struct Errors {
    /// Of χ(w)·w^{−m}.
    pub(super) with_rotation: Float,
}

impl Errors {
    /// Horner's rule multiplies by powers of a root and adds a weight, n times: off by at most 2n(η + ε + ω), with η, ε and ω the errors
    /// of a power, a product and a weight, while nη ≤ 1/2. The errors of parts add up as those of products do.
    pub(super) fn new(parts: &[(Tilted, u64)], nodes: u64) -> Option<Self> {
        let mut all = Float::new(ERROR_BITS);
        for (law, times) in parts {
            let gap = u64::try_from(largest_gap(law)).ok()?;
            let power = error_of_power_up(&root_error_up(), gap);
            let count = Float::with_val(ERROR_BITS, law.weights.len());
            if d::mul_up(&count, &power, ERROR_BITS) > Float::with_val(ERROR_BITS, 0.5) {
                return None;
            }
            let each = d::add_up(&power, &product_error_up(), ERROR_BITS);
            let each = d::add_up(&each, &weight_error_up(), ERROR_BITS);
            let one = d::mul_up(&(count << 1u32), &each, ERROR_BITS);
            all = error_of_product_up(&all, &error_of_power_up(&one, *times));
        }
        let rotation = (0..nodes).fold(Float::new(ERROR_BITS), |error, _| {
            error_of_product_up(&error, &root_error_up())
        });
        let with_rotation = error_of_product_up(&all, &rotation);
        (with_rotation < 1).then_some(Self { with_rotation })
    }
}

fn largest_gap(law: &Tilted) -> i64 {
    let gaps = law.weights.iter().zip(law.weights.iter().skip(1));
    gaps.map(|((low, _), (high, _))| high.saturating_sub(*low))
        .max()
        .unwrap_or(0)
}

/// χ(w) of all parts together.
pub(super) fn transform(parts: &[(Tilted, u64)], k: u64, root: Complex) -> Complex {
    if k == 0 {
        return Complex::ONE;
    }
    parts.iter().fold(Complex::ONE, |product, (law, times)| {
        product.times(fixed::power(characteristic(law, root), *times))
    })
}

/// Σ p_i·w^i by Horner's rule.
fn characteristic(law: &Tilted, root: Complex) -> Complex {
    let mut powers: Vec<(i64, Complex)> = vec![(1, root)];
    let mut value = Complex::ZERO;
    let mut after: Option<i64> = None;
    for (label, weight) in law.weights.iter().rev() {
        if let Some(after) = after {
            let gap = after.wrapping_sub(*label);
            let power = if gap == 1 {
                root
            } else {
                power_of(root, gap, &mut powers)
            };
            value = value.times(power);
        }
        value = value.plus_real(*weight);
        after = Some(*label);
    }
    value
}

fn power_of(root: Complex, gap: i64, known: &mut Vec<(i64, Complex)>) -> Complex {
    if let Some((_, power)) = known.iter().find(|(n, _)| *n == gap) {
        return *power;
    }
    let power = fixed::power(root, u64::try_from(gap).unwrap_or(0));
    known.push((gap, power));
    power
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Interval;

    #[test]
    fn the_largest_gap() {
        let law = |labels: &[i64]| Tilted {
            weights: labels.iter().map(|label| (*label, 1)).collect(),
            log_total: Interval::zero(64),
        };
        assert_eq!(largest_gap(&law(&[-4, -3, 2, 4])), 5);
        assert_eq!(largest_gap(&law(&[7])), 0);
    }
}
