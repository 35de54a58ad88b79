//! One tilt of a sum: its values at the roots of unity that matter, and tail sums from them.
//!
//! With the tilted masses π_k·e^{θhk}/g of the sum (k relative to the least label, g the product of the parts' totals) and ρ = e^{θh},
//!
//! Σ_{k>m} π_k = g·e^{−θhm}·mean over w of χ(w)·w^{−m}/(ρw − 1) − aliases for θ > 0, and −Σ_{k≤m} π_k + aliases for θ < 0;
//! Σ_{k>m} π_k·e^{−h(k−m)} in the same way with e^h·ρ for ρ and θ + 1 for θ.

use rug::{Float, Rational};

use super::aliases::{self, Aliases, Known, Place};
use super::nodes::Nodes;
use super::roots::{Roots, nodes_needed};
use super::series::{Kernel, Series};
use super::tilted::Tilted;
use super::{LOG_BITS, Sum};
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
    /// log g.
    log_total: Interval,
    nodes: Nodes,
    /// Of Q-mass and of P-mass.
    kernels: [Kernel; 2],
    aliases: Aliases,
}

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
        let rate = Rational::from(&hint.tilt * &sum.step);
        let rates = [rate.clone(), rate + &sum.step];
        let [Some(q), Some(p)] = rates.map(|rate| Series::new(&rate)) else {
            return Ok(None);
        };
        let series = [q, p];
        let kernels =
            (series.each_ref()).map(|series| series.kernel(count, hint.period, &log_left_out));
        let roots = (count, hint.period, hint.left_out);
        let Some(nodes) = Nodes::new(&parts, &series, &kernels, roots, jobs, budget)? else {
            return Ok(None);
        };
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
        Ok(Some(Line {
            aliases: Aliases::new((side, &tilt), farther, backward, length),
            tilt,
            side,
            log_total,
            nodes,
            kernels,
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
        let (q, p) = self.nodes.sums(m);
        let [of_q, of_p] = &self.kernels;
        let q = q.mul(&of_q.scale).mul(&scale);
        let rise = rise.exp_in_short();
        let scaled_p = p.mul(&of_p.scale).mul(&scale).mul(&rise);
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
}

pub(super) fn side_of(tilt: &Rational) -> Option<TailSide> {
    match (tilt.cmp0(), tilt.partial_cmp(&-1)?) {
        (std::cmp::Ordering::Greater, _) => Some(TailSide::Right),
        (std::cmp::Ordering::Less, std::cmp::Ordering::Greater) => Some(TailSide::Middle),
        (std::cmp::Ordering::Less, std::cmp::Ordering::Less) => Some(TailSide::Left),
        _ => None,
    }
}
