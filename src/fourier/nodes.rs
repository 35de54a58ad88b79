//! The values of a line at its roots of unity, and sums over them.

use rug::Float;

use super::LOG_BITS;
use super::faint::Faint;
use super::fixed::{self, Complex, ERROR_BITS, Fixed, error_of_product_up, root_of_unity};
use super::series::{Kernel, ROOTS_IN_TURN, Root, Series, kernel_error_up};
use super::tilted::Tilted;
use super::transform::{Errors, Factors, Room, Stretches};
use crate::kernel::about;
use crate::kernel::directed as d;
use crate::kernel::{Budget, Failure, Interval, Pick, in_parallel};

/// The values.
pub(super) struct Nodes {
    nodes: Vec<Node>,
    period: u64,
    /// What may be missing of a sum with each kernel, in all.
    errors_up: [Float; 2],
}

/// χ(w), and |ρ − 1|/(ρw − 1) for both kernels.
struct Node {
    transform: Complex,
    q: Complex,
    p: Complex,
}

/// Bits of a sum over nodes are this many fewer than those of its terms.
const SUM_SHIFT: u32 = 14;
/// Of fewer roots, to make ready for few digits takes longer than those save.
const MANY_ROOTS: u64 = 40;

impl Nodes {
    /// At the roots from 1 on, so many of them; `None` where errors are too large. What is faint is found in few digits, which add no more than about e^−`left_out` to each such value.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] when the budget ends.
    pub(super) fn new(
        parts: &[(Tilted, u64)],
        series: &[Series; 2],
        kernels: &[Kernel; 2],
        (count, period, left_out): (u64, u64, u32),
        jobs: usize,
        budget: &Budget,
    ) -> Result<Option<Self>, Failure> {
        let stretches = Stretches::of(parts);
        let Some(errors) = Errors::new(parts, &stretches, count) else {
            return Ok(None);
        };
        let negligible = about::exp(Float::with_val(ERROR_BITS, -i64::from(left_out)));
        let are_many = count >= MANY_ROOTS;
        let faint = are_many
            .then(|| Faint::new(parts, &stretches, &negligible))
            .flatten();
        let factors = Factors::<Fixed>::new(parts, &stretches);
        let nodes = in_parallel(&stretches_of_roots(count), jobs, |first| {
            budget.check()?;
            let Some(roots) = Root::turns(*first, count, period) else {
                return Ok(None);
            };
            let faint = faint.as_ref().map(|(faint, _)| faint);
            let transforms = transforms(&factors, faint, *first, &roots);
            let [q, p] = series;
            let nodes = transforms.into_iter().zip(&roots).map(|(transform, root)| {
                Some(Node {
                    transform,
                    q: q.at(root)?,
                    p: p.at(root)?,
                })
            });
            Ok(nodes.collect::<Option<Vec<_>>>())
        })?;
        let Some(nodes) = nodes.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let nodes: Vec<Node> = nodes.into_iter().flatten().collect();
        let rounding = sum_error_up(nodes.len(), &errors.with_rotation);
        let errors_up = kernels.each_ref().map(|kernel| {
            let error = error_up(&rounding, &kernel.left_out_up);
            match &faint {
                Some((_, each)) => error_up(&error, &faint_up(each, count, &kernel.reach_up)),
                None => error,
            }
        });
        Ok(Some(Self {
            nodes,
            period,
            errors_up,
        }))
    }

    /// Both sums over the nodes, with all that may be missing.
    pub(super) fn sums(&self, m: i64) -> (Interval, Interval) {
        let back = i128::from(self.period)
            .wrapping_sub(i128::from(m).rem_euclid(i128::from(self.period).max(1)));
        let turn = root_of_unity(u64::try_from(back).unwrap_or(0), self.period);
        let mut rotation = Complex::ONE;
        let (mut q, mut p) = (0i128, 0i128);
        for (k, node) in self.nodes.iter().enumerate() {
            let value = node.transform.times(rotation);
            // The roots come in conjugate pairs, but for 1.
            let once = SUM_SHIFT.saturating_sub(u32::from(k > 0));
            q = q.wrapping_add(value.times(node.q).re >> once);
            p = p.wrapping_add(value.times(node.p).re >> once);
            rotation = rotation.times(turn);
        }
        let total = |sum: i128, error: &Float| {
            let sum = fixed::to_float(sum, LOG_BITS) << SUM_SHIFT;
            around(&sum, error)
        };
        let [of_q, of_p] = &self.errors_up;
        (total(q, of_q), total(p, of_p))
    }
}

/// χ at roots from this one on: from the far end, where it is faint, inwards, until it is not.
fn transforms(
    factors: &Factors,
    mut faint: Option<&Faint>,
    first: u64,
    roots: &[Root],
) -> Vec<Complex> {
    let (mut room, mut of_faint) = (Room::default(), Room::default());
    let numbers: Vec<u64> = (first..).take(roots.len()).collect();
    let inwards = numbers.into_iter().zip(roots).rev();
    let mut found: Vec<Complex> = inwards
        .map(|(k, root)| {
            let root = root.number();
            let one = faint.and_then(|faint| faint.at(root, &mut of_faint));
            if one.is_none() {
                faint = None;
            }
            one.unwrap_or_else(|| factors.at(k, root, &mut room))
        })
        .collect();
    found.reverse();
    found
}

/// The first of each stretch of roots 0, …, `last` that are made together.
fn stretches_of_roots(last: u64) -> Vec<u64> {
    let step = usize::try_from(ROOTS_IN_TURN).unwrap_or(1);
    (0..=last).step_by(step).collect()
}

/// What errors of values at the roots 1, …, K add to a sum, beside what rounding in many digits does.
///
/// Ensures: an error of at most E at w is multiplied by a power of a root, of modulus at most 9/8, and by |ρ − 1|/|ρw − 1| and the error of that. Over both roots of a pair that is at most
/// 2, and at most `reach` over k: in all no more than reach·(1 + log K), and log K is less than 7/10 of the binary digits of K.
fn faint_up(each: &Float, nodes: u64, reach_up: &Float) -> Float {
    let digits = u64::BITS.saturating_sub(nodes.leading_zeros());
    let harmonic = Float::with_val(ERROR_BITS, digits.saturating_mul(7).saturating_add(10));
    let harmonic = d::div_up(&harmonic, &Float::with_val(ERROR_BITS, 10), ERROR_BITS);
    let twice = Float::with_val(ERROR_BITS, nodes) << 1u32;
    let moduli = d::mul_up(&harmonic, reach_up, ERROR_BITS).smaller(&twice);
    let own = d::mul_up(&twice, &kernel_error_up(), ERROR_BITS);
    let all = d::mul_up(&d::add_up(&moduli, &own, ERROR_BITS), each, ERROR_BITS);
    d::mul_up(&all, &Float::with_val(ERROR_BITS, 1.125), ERROR_BITS)
}

/// Both errors together.
fn error_up(rounding_up: &Float, left_out_up: &Float) -> Float {
    d::add_up(rounding_up, left_out_up, ERROR_BITS)
}

/// All numbers that are off from a sum by at most the error.
fn around(sum: &Float, error_up: &Float) -> Interval {
    Interval::between_or_line(
        d::sub_down(sum, error_up, LOG_BITS),
        d::add_up(sum, error_up, LOG_BITS),
    )
}

/// Each of the 2K + 1 terms has factors of modulus at most 1, known up to the error of a node and that of a kernel, and is
/// rounded to units of 2^(SUM_SHIFT − 120).
fn sum_error_up(nodes: usize, node_error: &Float) -> Float {
    let count = Float::with_val(ERROR_BITS, nodes) << 1u32;
    let term = error_of_product_up(node_error, &kernel_error_up());
    let rounding = Float::with_val(ERROR_BITS, 1) >> fixed::FRACTION.saturating_sub(SUM_SHIFT);
    d::mul_up(&count, &d::add_up(&term, &rounding, ERROR_BITS), ERROR_BITS)
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};

    #[test]
    fn errors_of_sums_at_few_bits() {
        let mut random = Random(2);
        for _ in 0..1000 {
            let bits = 2 + u32::try_from(random.below(40)).unwrap();
            let nodes = usize::try_from(random.below(3000)).unwrap();
            // Without an error of the nodes a term needs few bits, so that the last product is what is rounded.
            let some = u32::from(random.once_in(2));
            let error = Float::with_val(64, u64::from(some) * random.below(1 << 20)) >> 110u32;
            let coarse = at_most_bits(bits, || sum_error_up(nodes, &error));
            assert!(
                coarse >= sum_error_up(nodes, &error),
                "{nodes} {error} at {bits} bits"
            );
            // Of each term the error of the node and the kernel's, and two units more.
            let each = Float::with_val(200, &error) + kernel_error_up();
            let each = each + (Float::with_val(200, 1) >> (fixed::FRACTION - SUM_SHIFT));
            assert!(sum_error_up(nodes, &error) >= each * nodes * 2u32);
        }
    }

    #[test]
    fn both_errors_are_around_a_sum() {
        let mut random = Random(3);
        for _ in 0..1000 {
            let mut number = || Float::with_val(64, random.below(64)) >> 4u32;
            let [sum, rounding, left_out] = [number(), number(), number()];
            let error = Float::with_val(64, &rounding + &left_out);
            for bits in [2, 3, 4, 5, 64] {
                let found = at_most_bits(bits, || around(&sum, &error_up(&rounding, &left_out)));
                assert!(
                    *found.lo() <= Float::with_val(64, &sum - &error)
                        && *found.hi() >= Float::with_val(64, &sum + &error),
                    "{sum} {rounding} {left_out} at {bits} bits: {found:?}"
                );
            }
        }
    }

    /// What errors of values add up to with all kernels of a line, as they are found: no more than is said, and not far below.
    #[test]
    fn errors_of_faint_values_are_added_up() {
        let mut random = Random(4);
        let mut nearest = 1e9f64;
        for _ in 0..300 {
            let period = 3 + 2 * random.below(3000);
            let count = 1 + random.below((period / 2).min(400));
            let exponent = random.below(24) as i32;
            let rate = Rational::from((1 + random.below(4096), 1u64 << exponent)) >> 9u32;
            let rate = if random.once_in(2) { -rate } else { rate };
            let series = Series::new(&rate).unwrap();
            let reach = || {
                series
                    .kernel(count, period, &Float::with_val(64, -40))
                    .reach_up
            };
            let mut truth = Float::new(200);
            let mut first = 0;
            while first <= count {
                let roots = Root::turns(first, count, period).unwrap();
                for (k, root) in (first..).zip(&roots).filter(|(k, _)| *k > 0) {
                    let kernel = series.at(root).unwrap();
                    let [re, im] = [kernel.re, kernel.im].map(|part| fixed::to_float(part, 200));
                    truth += re.hypot(&im) * 2u32;
                    assert!(k <= count);
                }
                first += ROOTS_IN_TURN;
            }
            let each = Float::with_val(64, 1 + random.below(99)) >> 70u32;
            let truth = truth * &each;
            for bits in [2, 3, 5, 8, 64] {
                let found = at_most_bits(bits, || faint_up(&each, count, &reach()));
                assert!(
                    found >= truth,
                    "{rate} {count}/{period} at {bits} bits: {found} {truth}"
                );
                if bits == 64 {
                    nearest = nearest.min(Float::with_val(64, found / &truth).to_f64());
                }
            }
        }
        assert!(nearest < 1.3, "{nearest}");
    }
}
