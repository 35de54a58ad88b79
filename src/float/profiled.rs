//! A pair in f64 by its certified profile, evaluated with few bits.

use std::fmt;
use std::sync::Arc;

use rug::Float;

use super::elementary::{exp, ln};
use super::law::Atom;
use super::pair::ProfilePoint;
use crate::kernel::{Budget, Interval, LossBound, Point, Profile};

/// A pair by the profiles of both its orders.
#[derive(Clone)]
pub(super) struct Profiled {
    stated: Arc<dyn Profile>,
    swapped: Arc<dyn Profile>,
    infinite: f64,
    null_only: f64,
    support: (f64, f64),
    range: (f64, f64),
    /// Once it has ended, the range and the cells are whatever is known by then: whoever gave it looks at it again.
    budget: Budget,
}

/// Bits of an evaluation.
const BITS: u32 = 80;
/// Tails below e^{−90} are left out.
const NOTHING: f64 = 1e-39;
/// A tail of which no more is known than that it is below this is left out, too: some profiles are known up to an absolute error only.
const UNKNOWN: f64 = 1e-18;
/// No loss is looked for beyond this.
const FARTHEST: f64 = 1e6;
/// Less mass at one loss is rounding.
const ATOM: f64 = 1e-9;
/// Losses of the pair that a composition is made from.
const MOST_CELLS: usize = 4_096;

impl Profiled {
    pub(super) fn new(stated: Arc<dyn Profile>, budget: &Budget) -> Self {
        let swapped = stated.swapped();
        let mass = |of: &dyn Profile| middle(&of.infinite_mass(BITS));
        let (infinite, null_only) = (mass(&*stated), mass(&*swapped));
        let end = |bound: LossBound, side: f64| match bound {
            LossBound::Finite { value, .. } => middle(&value),
            LossBound::Unbounded => side * f64::INFINITY,
        };
        let support = (
            end(stated.min_loss(BITS), -1.0),
            end(stated.max_loss(BITS), 1.0),
        );
        let mut one = Self {
            stated,
            swapped,
            infinite,
            null_only,
            support,
            range: support,
            budget: budget.clone(),
        };
        let is_there = |of: &dyn Profile, y: f64, beyond: f64| {
            let place = Interval::point(Float::with_val(BITS, y));
            let delta = of.at(&Point::at_log(place)).delta;
            let [low, high] = [delta.lo(), delta.hi()].map(|end| end.to_f64() - beyond);
            budget.check().is_ok() && (low > NOTHING || high > UNKNOWN)
        };
        let high = farthest(support.1, |y| is_there(&*one.stated, y, infinite));
        let low = -farthest(-support.0, |y| is_there(&*one.swapped, y, null_only));
        one.range = (low.min(high), high);
        one
    }

    pub(super) fn at(&self, epsilon: f64) -> ProfilePoint {
        let place = Interval::point(Float::with_val(BITS, epsilon));
        let point = Point::at_log(place);
        let (knot, mirror) = (self.stated.at(&point), self.swapped.at(&point.mirrored()));
        let (delta, alpha) = (middle(&knot.delta), middle(&knot.null_tail));
        // The tail of the other order is Q(L < ε), and β = Q(L ≤ ε) is larger by a loss that is ε; it is 1 − δ − e^ε·α, of which less is known where it is small.
        let (beta, on_line) = (
            middle(&mirror.null_tail),
            1.0 - delta - exp(epsilon) * alpha,
        );
        ProfilePoint {
            delta,
            dual: middle(&mirror.delta),
            alpha,
            beta: if on_line > beta + ATOM {
                on_line.min(1.0)
            } else {
                beta
            },
        }
    }

    pub(super) fn infinite(&self) -> f64 {
        self.infinite
    }

    pub(super) fn null_only(&self) -> f64 {
        self.null_only
    }

    pub(super) fn support(&self) -> (f64, f64) {
        self.support
    }

    pub(super) fn range(&self) -> (f64, f64) {
        self.range
    }

    /// Cells of the loss, each at the loss that keeps both its masses.
    pub(super) fn atoms(&self, nodes: usize) -> Vec<Atom> {
        let cells = nodes.clamp(2, MOST_CELLS);
        let (low, high) = self.range;
        // A little beyond both ends, so that atoms there are in.
        let margin = ((high - low) / cells as f64).max(1e-12 * high.abs().max(1.0));
        let place = |i: usize| low - margin + (high - low + 2.0 * margin) * i as f64 / cells as f64;
        let mut atoms = Vec::with_capacity(cells);
        let mut before: Option<(f64, ProfilePoint)> = None;
        for i in 0..=cells {
            if self.budget.check().is_err() {
                break;
            }
            let y = place(i);
            let knot = self.at(y);
            if let Some((x, last)) = before {
                let (with, without) = self.masses((x, last), (y, knot));
                if with > 0.0 && without > 0.0 {
                    atoms.push(Atom {
                        loss: ln(with / without).clamp(x, y),
                        log_mass: ln(with),
                    });
                }
            }
            before = Some((y, knot));
        }
        atoms
    }

    /// Q(x < L ≤ y) and P(x < L ≤ y), from the smaller tails.
    fn masses(&self, (x, a): (f64, ProfilePoint), (y, b): (f64, ProfilePoint)) -> (f64, f64) {
        if x + y > 0.0 {
            let with = |y: f64, knot: &ProfilePoint| knot.delta + exp(y) * knot.alpha;
            (with(x, &a) - with(y, &b), a.alpha - b.alpha)
        } else {
            let without = |y: f64, knot: &ProfilePoint| knot.dual + exp(-y) * knot.beta;
            (b.beta - a.beta, without(y, &b) - without(x, &a))
        }
    }
}

impl fmt::Debug for Profiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profiled")
            .field("support", &self.support)
            .finish_non_exhaustive()
    }
}

fn middle(x: &Interval) -> f64 {
    x.middle().to_f64()
}

/// Where a tail that falls is something no more: at the end of the support, or before.
fn farthest(end: f64, is_something: impl Fn(f64) -> bool) -> f64 {
    let mut high = 1.0;
    while high < end && high < FARTHEST && is_something(high) {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..20 {
        let place = f64::midpoint(low, high);
        if is_something(place) {
            low = place;
        } else {
            high = place;
        }
    }
    high.min(end)
}

#[cfg(test)]
mod tests {
    use super::super::Curve;
    use super::super::compose::compose;
    use super::super::grid::Listing;
    use super::super::pair::Pair;
    use super::*;
    use crate::mechanism::{Adjacency, Mechanism};

    fn profiled(of: &Mechanism) -> Pair {
        let profile = of.profile_of_step().unwrap();
        Pair::Profiled(Arc::new(Profiled::new(profile, &Budget::unlimited())))
    }

    /// A pair by its profile says what the same pair says in floats, alone and composed.
    #[test]
    fn profiles_say_what_closed_forms_say() {
        let laplace = Mechanism::laplace(2, 1).unwrap();
        let gaussian = Mechanism::gaussian(2, 1).unwrap();
        let pairs = [
            (profiled(&laplace), Pair::Laplace(0.5)),
            (profiled(&gaussian), Pair::Gaussian(0.5)),
        ];
        for (by_profile, closed) in pairs {
            for i in (-30..30).step_by(crate::test_scale::every(3)) {
                let epsilon = f64::from(i) / 40.0 + 0.001;
                let (a, b) = (by_profile.at(epsilon), closed.at(epsilon));
                for (x, y) in [
                    (a.delta, b.delta),
                    (a.dual, b.dual),
                    (a.alpha, b.alpha),
                    (a.beta, b.beta),
                ] {
                    assert!((x - y).abs() < 1e-10, "{epsilon}: {a:?} {b:?}");
                }
            }
            let ten = |pair: Pair| {
                compose(vec![(pair, 10.0)], Listing::Usual, &Budget::unlimited()).unwrap()
            };
            let (a, b) = (ten(by_profile), ten(closed));
            for epsilon in [0.0, 0.5, 2.0] {
                let (a, b) = (a.at(epsilon).delta, b.at(epsilon).delta);
                assert!((a / b - 1.0).abs() < 1e-3, "{epsilon}: {a} {b}");
            }
        }
    }

    /// One record of a hundred is drawn and may be another: δ(0) = (2Φ(1) − 1)/100, and f is a straight line with slope −1 next to it, of a loss 0.
    #[test]
    fn a_loss_of_nothing_is_a_line_of_the_curve() {
        let noise = Mechanism::gaussian_sum(1, 1).unwrap();
        let run = Mechanism::without_replacement(100, 1, noise).unwrap();
        let curve = Curve::new(&run, Adjacency::ReplaceOne).unwrap();
        let delta = 0.006_826_895;
        for alpha in [0.2, 0.3, 0.5, 0.8] {
            let found = curve.tradeoff(alpha);
            assert!(
                (found - (1.0 - alpha - delta)).abs() < 1e-8,
                "{alpha}: {found}"
            );
        }
        let minimax = curve.minimax_risk();
        assert!((minimax - 0.496_586_55).abs() < 1e-7, "{minimax}");
        let mu = curve.mu_with_tolerance(1e-6);
        assert!((mu - 0.617_755).abs() < 1e-4, "{mu}");
    }

    /// A profile that is known up to an absolute error has no tail of which only that error is seen.
    #[test]
    fn allocations_of_several_epochs_have_an_advantage() {
        let step = Mechanism::gaussian_sum(1, 1).unwrap();
        for (epochs, advantage) in [(1, 0.205_628_9), (3, 0.349_85)] {
            let run = Mechanism::random_allocation(5, 1, epochs, step.clone()).unwrap();
            let budget = Budget::unlimited();
            let curve = Curve::within(&run, Adjacency::AddRemove, &budget).unwrap();
            let found = curve.advantage();
            assert!((found - advantage).abs() < 1e-4, "{epochs}: {found}");
        }
    }

    /// Hints that take too long are none: no cell is looked at when the time is over.
    #[test]
    fn without_time_there_is_no_estimate() {
        let spent = Budget::new(std::time::Duration::ZERO, Arc::default());
        let laplace = Mechanism::laplace(2, 1).unwrap();
        let step = laplace.profile_of_step().unwrap();
        assert!(Profiled::new(step, &spent).atoms(100).is_empty());
        let once = Mechanism::discrete_gaussian(3, 1).unwrap();
        for mechanism in [laplace, once] {
            let of =
                |budget: &Budget| Curve::within(&mechanism, Adjacency::AddRemove, budget).is_ok();
            assert!(of(&Budget::unlimited()) && !of(&spent));
        }
    }
}
