//! One tilt of a sum: its values at the roots of unity that matter, and tail sums from them.
//!
//! With the tilted masses π_k·e^{θhk}/g of the sum (k relative to the least label, g the product of the parts' totals) and ρ = e^{θh},
//!
//! Σ_{k>m} π_k = g·e^{−θhm}·mean over w of χ(w)·w^{−m}/(ρw − 1) − aliases for θ > 0, and −Σ_{k≤m} π_k + aliases for θ < 0;
//! Σ_{k>m} π_k·e^{−h(k−m)} in the same way with e^h·ρ for ρ and θ + 1 for θ.

use rug::{Float, Rational};

use super::aliases::{self, Aliases, Known, Place};
use super::fixed::{self, Complex, ERROR_BITS, error_of_product_up, root_of_unity};
use super::roots::{Roots, nodes_needed};
use super::series::{Kernel, ROOTS_IN_TURN, Root, Series, kernel_error_up};
use super::tilted::Tilted;
use super::transform::{Errors, Factors, Room, Stretches};
use super::{LOG_BITS, Sum};
use crate::kernel::directed as d;
use crate::kernel::{Budget, Failure, Interval, in_parallel};

/// Where a line stands and how finely it is divided. Any values are sound.
#[derive(Debug, Clone)]
pub struct LineHint {
    /// θ; neither 0 nor −1.
    pub tilt: Rational,
    /// M, the number of roots of unity.
    pub period: u64,
    /// A tilt farther from [−1, 0], for the aliases on the far side.
    pub farther: Rational,
    /// A tilt below −1, for the aliases on the near side of a line on the right.
    pub backward: Option<Rational>,
    /// The line serves losses up to this one.
    pub to: Float,
    /// −log of what the roots left out may add, relative to the total at the tilt.
    pub left_out: u32,
}

/// What a line knows: tail sums on one side each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TailSide {
    /// θ > 0: both above the loss.
    Right,
    /// −1 < θ < 0: Q-mass at or below it, P-mass above.
    Middle,
    /// θ < −1: both at or below it.
    Left,
}

/// Tail sums at a loss ε.
#[derive(Debug, Clone)]
pub(super) struct Tails {
    pub(super) side: TailSide,
    /// Finite Q-mass on its side.
    pub(super) q: Interval,
    /// e^ε times the P-mass on its side.
    pub(super) scaled_p: Interval,
    /// e^ε.
    pub(super) exp: Interval,
}

/// A line, ready for any loss.
pub(super) struct Line {
    tilt: Interval,
    side: TailSide,
    period: u64,
    /// log g.
    log_total: Interval,
    nodes: Vec<Node>,
    q: Kernel,
    p: Kernel,
    /// What may be missing of a sum with each kernel, in all.
    errors_up: [Float; 2],
    aliases: Aliases,
}

/// χ(w), and |ρ − 1|/(ρw − 1) for both kernels.
struct Node {
    transform: Complex,
    q: Complex,
    p: Complex,
}

/// Bits of a sum over nodes are this many fewer than those of its terms.
const SUM_SHIFT: u32 = 14;

/// A line of which it is known that it can be made, but for what takes longer.
pub(super) struct Draft {
    parts: Vec<(Tilted, u64)>,
    side: TailSide,
    /// How many conjugate pairs of roots are taken.
    count: u64,
    log_left_out: Float,
}

impl Draft {
    /// `None` where the characteristic function does not fall far enough (steps of rare large losses, atoms), or the hint is no
    /// good.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] when the budget ends.
    pub(super) fn new(
        sum: &Sum,
        hint: &LineHint,
        roots: Roots,
        jobs: usize,
        budget: &Budget,
    ) -> Result<Option<Self>, Failure> {
        let parts = in_parallel(&sum.parts, jobs, |(law, times)| {
            budget.check()?;
            Ok(Tilted::new(law, &sum.step, &hint.tilt).map(|law| (law, *times)))
        })?;
        let parts: Option<Vec<_>> = parts.into_iter().collect();
        let Some((parts, side)) = parts.zip(side_of(&hint.tilt)) else {
            return Ok(None);
        };
        let needed = nodes_needed(&parts, (hint.period, hint.left_out), roots, jobs, budget)?;
        Ok(needed.map(|(count, log_left_out)| Self {
            parts,
            side,
            count,
            log_left_out,
        }))
    }

    /// The line of the same sum and hint; `None` where errors or the hint are too large.
    ///
    /// # Errors
    /// [`Failure::Interrupted`] when the budget ends.
    pub(super) fn line(
        self,
        sum: &Sum,
        hint: &LineHint,
        jobs: usize,
        budget: &Budget,
    ) -> Result<Option<Line>, Failure> {
        let Self {
            parts,
            side,
            count,
            log_left_out,
        } = self;
        let stretches = Stretches::of(&parts);
        let Some(errors) = Errors::new(&parts, &stretches, count) else {
            return Ok(None);
        };
        let rate = Rational::from(&hint.tilt * &sum.step);
        let rates = [rate.clone(), rate + &sum.step];
        let [Some(q), Some(p)] = rates.map(|rate| Series::new(&rate)) else {
            return Ok(None);
        };
        let factors = Factors::new(&parts, &stretches);
        let starts = stretches_of_roots(count);
        let nodes = in_parallel(&starts, jobs, |first| {
            budget.check()?;
            let Some(roots) = Root::turns(*first, count, hint.period) else {
                return Ok(None);
            };
            let mut room = Room::default();
            let nodes = (*first..).zip(&roots).map(|(k, root)| {
                Some(Node {
                    transform: factors.at(k, root.number(), &mut room),
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
        let log_total = parts
            .iter()
            .fold(Interval::zero(LOG_BITS), |sum, (law, times)| {
                let count = Interval::from_integer(&(*times).into(), LOG_BITS);
                sum.add(&law.log_total.mul(&count))
            });
        let Some(farther) = aliases::tail(sum, &hint.farther) else {
            return Ok(None);
        };
        let real = |x: &Rational| Interval::from_rational(x, LOG_BITS);
        let period = Interval::from_integer(&hint.period.into(), LOG_BITS);
        let tilt = real(&hint.tilt);
        let length = real(&sum.step).mul(&period);
        let backward = hint.backward.as_ref();
        let backward = backward.and_then(|tilt| aliases::tail(sum, tilt));
        let [q, p] = [q, p].map(|series| series.kernel(count, hint.period, &log_left_out));
        let rounding = sum_error_up(nodes.len(), &errors.with_rotation);
        Ok(Some(Line {
            errors_up: [&q, &p].map(|kernel| error_up(&rounding, &kernel.left_out_up)),
            aliases: Aliases::new((side, &tilt), farther, backward, length),
            tilt,
            side,
            period: hint.period,
            log_total,
            nodes,
            q,
            p,
        }))
    }
}

impl Line {
    /// The tail sums at the loss origin + step·(m + x), 0 ≤ x < 1.
    ///
    /// Ensures: I1, I2 and I3 as the module says.
    pub(super) fn at(&self, sum: &Sum, m: i64, x: &Float) -> Tails {
        let step = &sum.spacing;
        let floor = Interval::from_i64(m, LOG_BITS);
        let rise = step.mul(&Interval::point(x.clone()).at_bits(LOG_BITS));
        let shift = step.mul(&floor);
        let exp = sum.origin.add(&shift).add(&rise).exp_in_short();
        let scale = self.log_total.sub(&self.tilt.mul(&shift)).exp_in_short();
        let (q, p) = self.sums(m);
        let q = q.mul(&self.q.scale).mul(&scale);
        let rise = rise.exp_in_short();
        let scaled_p = p.mul(&self.p.scale).mul(&scale).mul(&rise);
        let place = Place {
            exp,
            floor: shift,
            rise,
        };
        let Known {
            aliases: [of_q, of_p],
            most_up: most,
        } = self.aliases.at(sum, &place);
        let q = if self.side == TailSide::Right {
            q
        } else {
            q.neg()
        };
        let scaled_p = if self.side == TailSide::Left {
            scaled_p.neg()
        } else {
            scaled_p
        };
        Tails {
            side: self.side,
            q: aliases::without(&q, &of_q, &most),
            scaled_p: aliases::without(&scaled_p, &of_p, &most),
            exp: place.exp,
        }
    }

    /// Both sums over the nodes, with all that may be missing.
    fn sums(&self, m: i64) -> (Interval, Interval) {
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

/// The first of each stretch of roots 0, …, `last` that are made together.
fn stretches_of_roots(last: u64) -> Vec<u64> {
    let step = usize::try_from(ROOTS_IN_TURN).unwrap_or(1);
    (0..=last).step_by(step).collect()
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

pub(super) fn side_of(tilt: &Rational) -> Option<TailSide> {
    match (tilt.cmp0(), tilt.partial_cmp(&-1)?) {
        (std::cmp::Ordering::Greater, _) => Some(TailSide::Right),
        (std::cmp::Ordering::Less, std::cmp::Ordering::Greater) => Some(TailSide::Middle),
        (std::cmp::Ordering::Less, std::cmp::Ordering::Less) => Some(TailSide::Left),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
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
}
