//! Rényi divergences of a step on a batch of fixed size, drawn without replacement: bounds from both sides.

use rug::Rational;

use super::Parts;
use super::at_most::mixed;
use crate::kernel::{Budget, Failure, Interval};
use crate::mechanism::Direction;
use crate::mechanism::closed::{Closed, FixedBatches, ShuffledAnswers};

/// (1 − q)·N(y) + q·N(x) against (1 − q)·N(y) + q·N(x'), for whichever records x, x' and y.
#[derive(Debug)]
pub(super) struct FixedBatch {
    rate: Rational,
    /// N(x) against N(x'), as far apart as they may be.
    most: Parts,
    /// What y = x' = −x attains, or with a special record x' = 0 = y.
    least: Parts,
    /// Has no dataset a larger δ(u) than that one in one of its two orders, at any u?
    is_largest: bool,
}

impl FixedBatch {
    /// `None` where a part is not built.
    pub(super) fn of(batch: &FixedBatches) -> Option<Self> {
        Some(Self {
            rate: batch.rate().clone(),
            most: Parts::of(&batch.dominated_by()?)?,
            least: Parts::of(&batch.member())?,
            is_largest: batch.is_member_largest(),
        })
    }

    /// Shuffled answers: no record is left out. `None` where a part is not built.
    pub(super) fn of_answers(answers: &ShuffledAnswers) -> Option<Self> {
        Some(Self {
            rate: Rational::from(1),
            most: Parts::of(&answers.dominated_by()?)?,
            least: Parts::of(answers.members(1).first()?)?,
            is_largest: false,
        })
    }

    /// Of a record that is always in the batch.
    pub(super) fn most(&self) -> &Parts {
        &self.most
    }

    /// The largest D_t over all datasets, between two bounds: below, one dataset, in both orders.
    ///
    /// Requires: `order > 0`.
    ///
    /// # Errors
    /// If the budget ends.
    pub(super) fn divergence(
        &self,
        order: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        let in_both = |parts: &Parts| -> Result<[Interval; 2], Failure> {
            let [one, other] = [Direction::Remove, Direction::Add]
                .map(|direction| parts.divergence(order, direction, bits, budget));
            Ok([one?, other?])
        };
        let ([one, other], [apart, turned]) = (in_both(&self.least)?, in_both(&self.most)?);
        let apart = apart.max(&turned);
        // The part that both laws have in common counts as D = 0.
        let mut most = mixed(&self.rate, order, &apart);
        if self.is_largest {
            most = most.min(&of_either(order, &one, &other, bits));
        }
        Ok(Interval::between_or_line(
            one.max(&other).lo().clone(),
            most.hi().clone(),
        ))
    }
}

/// D_t of all pairs whose δ(u) is at most the larger one of those of two pairs with D_t of `one` and `other`, at every u, is at most the upper end.
///
/// e^{(t − 1)D_t} − 1 is t(t − 1)·∫u^{t − 2}·(δ(u) − (1 − u)⁺)du, and a larger one of two numbers that are not negative is at most their sum; D_1 is
/// ∫u^{−1}·(δ(u) − (1 − u)⁺)du (`proofs/README.md`, W7).
fn of_either(order: &Rational, one: &Interval, other: &Interval, bits: u32) -> Interval {
    let excess = Rational::from(order - 1u32);
    if excess == 0 {
        return one.add(other);
    }
    let excess = Interval::from_rational(&excess, bits);
    let rise = |of: &Interval| excess.mul(of).exp_m1();
    let sum = rise(one).add(&rise(other));
    // At t < 1 nothing follows where the sum is −1 or less.
    match *sum.lo() > -1 {
        true => sum.ln_1p().div(&excess),
        false => Interval::infinity(bits),
    }
}

#[cfg(test)]
mod tests {
    use rug::Float;

    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};
    use crate::mechanism::Relation;
    use crate::mechanism::closed::ClosedPair;
    use crate::mechanism::{Mechanism, Step};

    /// All three records on a grid, on a lattice of answers: no divergence is above the bound, and some dataset is not below the other one.
    #[test]
    fn no_records_of_a_grid_are_outside() {
        let noise = Mechanism::gaussian_sum("3/2", 1).unwrap();
        let run = Mechanism::without_replacement(10, 3, noise).unwrap();
        for (relation, special) in [
            (Relation::ReplaceOne, false),
            (Relation::ReplaceSpecial, true),
        ] {
            let run = run.under(relation).unwrap();
            let Some(Step::Closed(ClosedPair::FixedBatches(pair))) = run.steps().single() else {
                panic!("a batch of fixed size");
            };
            let batch = FixedBatch::of(pair).unwrap();
            for order in [
                Rational::from((1, 2)),
                Rational::from(1),
                Rational::from((3, 2)),
                Rational::from(2),
                Rational::from(5),
            ] {
                let found = batch.divergence(&order, 128, &Budget::unlimited()).unwrap();
                let (low, high) = (found.lo().to_f64(), found.hi().to_f64());
                assert!(low > 0.0 && low <= high, "{order} {low} {high}");
                let t = order.to_f64();
                // By convexity in the part that both laws do not share.
                let apart = if special { 1.0 } else { 2.0 };
                let whole = t * f64::powi(apart / 1.5, 2) / 2.0;
                let convex = if t == 1.0 {
                    0.3 * whole
                } else {
                    (0.3 * ((t - 1.0) * whole).exp_m1()).ln_1p() / (t - 1.0)
                };
                assert!(high <= convex + 1e-9, "{order}: {high} {convex}");
                let mut most = 0.0f64;
                for y in [-1.0, -0.5, 0.0, 0.5, 1.0] {
                    for other in [-1.0, -0.5, 0.0, 0.5] {
                        if special && other != 0.0 {
                            continue;
                        }
                        let law = |x: f64, a: f64| {
                            let of = |m: f64| (-((x - m) / 1.5).powi(2) / 2.0).exp();
                            0.7 * of(y) + 0.3 * of(a)
                        };
                        for (a, b) in [(1.0, other), (other, 1.0)] {
                            let (mut sum, mut total) = (0.0, 0.0);
                            for step in -4_000..=4_000 {
                                let x = f64::from(step) / 200.0;
                                let (q, p) = (law(x, a), law(x, b));
                                total += p;
                                sum += if t == 1.0 {
                                    q * (q / p).ln()
                                } else {
                                    p * (q / p).powf(t)
                                };
                            }
                            let mean = sum / total;
                            let one = if t == 1.0 {
                                mean
                            } else {
                                mean.ln() / (t - 1.0)
                            };
                            assert!(one <= high + 1e-9, "{order} {y} {other}: {one} {high}");
                            most = most.max(one);
                        }
                    }
                }
                assert!(most >= low - 1e-9, "{special} {order}: {most} {low}");
            }
        }
    }

    /// By quadrature: of one dataset, and of the larger profile of its two orders.
    #[test]
    fn a_larger_profile_bounds_divergences() {
        let noise = Mechanism::gaussian_sum(2, 1).unwrap();
        let run = Mechanism::without_replacement(100, 10, noise).unwrap();
        let run = run.under(Relation::ReplaceOne).unwrap();
        let Some(Step::Closed(ClosedPair::FixedBatches(pair))) = run.steps().single() else {
            panic!("a batch of fixed size");
        };
        let batch = FixedBatch::of(pair).unwrap();
        for (order, least, most) in ORDERS {
            let order = Rational::from_f64(order).unwrap();
            let found = batch.divergence(&order, 128, &Budget::unlimited()).unwrap();
            let (low, high) = (found.lo().to_f64(), found.hi().to_f64());
            assert!((low / least - 1.0).abs() < 1e-6, "{order} {low}");
            // The larger profile has a divergence of its own.
            assert!(high >= 0.999 * most && high < 1.3 * most, "{order} {high}");
        }
    }

    /// Orders, D_t of one dataset and of the larger profile of its two orders: q = 1/10, σ = 2 and the distance 2.
    const ORDERS: [(f64, f64, f64); 4] = [
        (0.5, 0.003_393_290_956_3, 0.005_460),
        (1.0, 0.007_257_730_486_4, 0.010_987),
        (2.0, 0.017_036_863_236_3, 0.023_136),
        (3.0, 0.031_712_300_303_4, 0.039_118),
    ];

    /// In 8 to 16 bits, and where no rounding has more: around what it is in four times as many.
    #[test]
    fn divergences_at_few_bits() {
        let mut random = Random(79);
        let budget = Budget::unlimited();
        for _ in 0..crate::test_scale::cases(12) {
            let mut number = |most: u64| Rational::from((1 + random.below(most), 4u32));
            let (sigma, order) = (number(12), number(20));
            let noise = Mechanism::gaussian_sum(sigma, 1).unwrap();
            let records = 2 + random.below(20);
            let drawn = 1 + random.below(records - 1);
            let run = Mechanism::without_replacement(records, drawn, noise).unwrap();
            let relation =
                [Relation::ReplaceOne, Relation::ReplaceSpecial][usize::from(random.once_in(2))];
            let run = run.under(relation).unwrap();
            let Some(Step::Closed(ClosedPair::FixedBatches(pair))) = run.steps().single() else {
                panic!("a batch of fixed size");
            };
            let batch = FixedBatch::of(pair).unwrap();
            let fine = batch.divergence(&order, 64, &budget).unwrap();
            for _ in 0..3 {
                let bits = 8 + u32::try_from(random.below(9)).unwrap();
                let coarse = batch.divergence(&order, bits, &budget).unwrap();
                let held = at_most_bits(bits, || batch.divergence(&order, bits, &budget)).unwrap();
                // Each bound for itself: they are not near each other.
                let slack = Float::with_val(64, fine.hi() >> 40u32);
                let least = Float::with_val(64, fine.lo() + &slack);
                let most = Float::with_val(64, fine.hi() - &slack);
                for found in [coarse, held] {
                    assert!(
                        *found.lo() <= least && *found.hi() >= most,
                        "{order} {bits}: {found:?} {fine:?}"
                    );
                }
            }
        }
    }
}
