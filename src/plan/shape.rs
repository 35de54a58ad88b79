//! Mean, spread and range of a privacy loss, in floats.

use std::sync::Arc;

use rug::Rational;

use super::sampled_gaussian::SampledGaussian;
use crate::float::elementary::{log2, pow, powi};
use crate::kernel::{Accuracy, Budget, Failure, Fineness, LossBound, Point, Profile};

/// Rough description of the law of the privacy loss under Q.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Mean of the finite loss.
    pub mean: f64,
    /// Standard deviation of the finite loss within the range.
    pub sd: f64,
    /// Below this there is at most the tail mass, under Q and under P.
    pub low: f64,
    /// Above this there is at most the tail mass under Q, beyond what sits at +∞.
    pub high: f64,
    /// Median.
    pub median: f64,
    /// Standard deviation of a normal law with the same 5 % and 95 % quantiles, or of the law itself if that is smaller.
    pub bulk: f64,
    /// Is the Q-mass at −y known to be e^{−y} times that at y?
    pub is_mirrored: bool,
}

/// Bits of an evaluation: enough for the hint.
const BITS: u32 = 80;
/// Losses beyond this are not planned for.
const FARTHEST: f64 = 1e9;

impl Shape {
    /// The length of the range, if it is finite.
    pub fn range_up(&self) -> Option<Rational> {
        Rational::from_f64(self.high - self.low)
    }

    /// Describes a profile that is one of `count` parts of a composition.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn of_one_of(
        count: u32,
        profile: &dyn Profile,
        demand: super::Demand,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        Self::of(profile, demand.tail / f64::from(count), budget)
    }

    /// Describes a profile up to tails of the given mass.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn of(profile: &dyn Profile, tail: f64, budget: &Budget) -> Result<Self, Failure> {
        if let Some(pair) = profile.sampled_gaussian().map(SampledGaussian::of) {
            return Ok(pair.shape(tail));
        }
        if let Some(pair) = profile.swapped_sampled_gaussian().map(SampledGaussian::of) {
            return Ok(pair.swapped_shape(tail));
        }
        if let Some(pair) = profile.replaced_gaussian().map(SampledGaussian::of) {
            return Ok(pair.replaced_shape(tail));
        }
        Self::general(profile, tail, budget)
    }

    /// From certified tails, whatever the profile.
    pub(super) fn general(
        profile: &dyn Profile,
        tail: f64,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        budget.check()?;
        let coarse = coarse(profile, tail, budget)?;
        let tails = Tails::new(coarse.as_deref().unwrap_or(profile), budget);
        let high = match profile.max_loss(BITS) {
            LossBound::Finite { value, .. } => value.hi().to_f64().min(tails.high(tail)),
            LossBound::Unbounded => tails.high(tail),
        };
        let low = match profile.min_loss(BITS) {
            LossBound::Finite { value, .. } => value.lo().to_f64().max(tails.low(tail)),
            LossBound::Unbounded => tails.low(tail),
        };
        let low = low.min(high);
        let median = bisect(low, high, |y| tails.above(y) < 0.5);
        let (mean, sd) = tails.moments(low, high, median);
        let fall = |share: f64| bisect(low, high, |y| tails.above(y) < share);
        let middle = (fall(0.05) - fall(0.95)) / 3.29;
        let bulk = if middle > 1e-12 * sd {
            middle.min(sd)
        } else {
            sd
        };
        // Tails without time are not those of the profile.
        budget.check()?;
        Ok(Self {
            bulk,
            mean,
            sd,
            low,
            high,
            median,
            is_mirrored: false,
        })
    }
}

/// Cells that show a shape.
const COARSE_CELLS: u32 = 256;
/// Depths are whole multiples of this, so that tails of about the same mass share what is made for them.
const DEPTHS: u32 = 16;
const LEAST_DEPTH: u32 = 64;
const MOST_DEPTH: u32 = 1024;

/// A coarse profile above one that is only known between others: its single values are far dearer than a shape is worth.
fn coarse(
    profile: &dyn Profile,
    tail: f64,
    budget: &Budget,
) -> Result<Option<Arc<dyn Profile>>, Failure> {
    if profile.is_closed_form() {
        return Ok(None);
    }
    let bits = (20.0 - log2(tail)).clamp(f64::from(LEAST_DEPTH), f64::from(MOST_DEPTH));
    let fineness = Fineness {
        cells: COARSE_CELLS,
        depth: (bits as u32).next_multiple_of(DEPTHS),
    };
    let between = profile.between(fineness, budget)?;
    Ok(between.map(|between| between.upper))
}

struct Tails<'a> {
    profile: &'a dyn Profile,
    swapped: Arc<dyn Profile>,
    infinite: f64,
    /// Once it has ended, no tail is looked at.
    budget: &'a Budget,
}

impl<'a> Tails<'a> {
    fn new(profile: &'a dyn Profile, budget: &'a Budget) -> Self {
        let infinite = profile.infinite_mass(BITS).lo().to_f64();
        Self {
            profile,
            swapped: profile.swapped(),
            infinite,
            budget,
        }
    }

    /// Q(y < L < ∞).
    fn above(&self, y: f64) -> f64 {
        self.above_to(y, Accuracy::Relative)
    }

    fn above_to(&self, y: f64, accuracy: Accuracy) -> f64 {
        let Some(point) = self.place(y).map(|p| p.with_accuracy(accuracy)) else {
            return 0.0;
        };
        let knot = self.profile.at(&point);
        let tail = knot.delta.add(&point.exp().mul(&knot.null_tail));
        tail.middle().to_f64() - self.infinite
    }

    /// The larger of Q(L < y) and P(L < y).
    fn below(&self, y: f64) -> f64 {
        let Some(point) = self.place(-y) else {
            return 0.0;
        };
        let knot = self.swapped.at(&point);
        let null = knot.delta.add(&point.exp().mul(&knot.null_tail));
        null.middle().to_f64().max(knot.null_tail.middle().to_f64())
    }

    fn place(&self, y: f64) -> Option<Point> {
        self.budget.check().ok()?;
        point(y)
    }

    fn high(&self, tail: f64) -> f64 {
        let far = outward(1.0, |y| self.above(y) <= tail);
        bisect(-far, far, |y| self.above(y) <= tail)
    }

    fn low(&self, tail: f64) -> f64 {
        let far = outward(1.0, |y| self.below(-y) <= tail);
        -bisect(-far, far, |y| self.below(-y) <= tail)
    }

    /// Mean and standard deviation from tails on a grid that is fine around the median.
    fn moments(&self, low: f64, high: f64, median: f64) -> (f64, f64) {
        let mut grid = vec![low, median, high];
        for side in [low - median, high - median] {
            grid.extend((0..80).map(|j| median + side * pow(2f64, -f64::from(j) / 3.0)));
        }
        grid.sort_unstable_by(f64::total_cmp);
        grid.dedup();
        let tails: Vec<f64> = grid
            .iter()
            .map(|&y| self.above_to(y, Accuracy::Absolute))
            .collect();
        let points = grid.iter().zip(&tails);
        let cells: Vec<(f64, f64)> = points
            .clone()
            .zip(points.skip(1))
            .map(|((low, above_low), (high, above_high))| {
                ((low + high) / 2.0, (above_low - above_high).max(0.0))
            })
            .collect();
        let mass: f64 = cells.iter().map(|c| c.1).sum::<f64>().max(1e-300);
        let mean = cells.iter().map(|(y, m)| y * m).sum::<f64>() / mass;
        let variance = cells
            .iter()
            .map(|(y, m)| powi(y - mean, 2) * m)
            .sum::<f64>()
            / mass;
        (mean, variance.sqrt())
    }
}

fn point(y: f64) -> Option<Point> {
    Some(Point::at_epsilon(&Rational::from_f64(y)?, BITS))
}

/// A distance at which the test holds, by doubling.
fn outward(start: f64, test: impl Fn(f64) -> bool) -> f64 {
    let mut y = start;
    while y < FARTHEST && !test(y) {
        y *= 2.0;
    }
    y
}

/// The place where the test turns from false to true.
fn bisect(mut low: f64, mut high: f64, test: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = low / 2.0 + high / 2.0;
        if (high - low).abs() <= 1e-4 * middle.abs() || middle == low || middle == high {
            break;
        }
        if test(middle) {
            high = middle
        } else {
            low = middle
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Between, Failure, Interval, ProfilePoint};
    use crate::mechanism::Mechanism;
    use crate::mechanism::allocation::Allocated;

    /// A profile with dear values: as it is, or by what it lies between alone.
    struct Dear {
        of: Allocated,
        has_values: bool,
    }

    impl Profile for Dear {
        fn at(&self, point: &Point) -> ProfilePoint {
            assert!(self.has_values, "a shape is not worth a value");
            self.of.at(point)
        }

        fn swapped(&self) -> Arc<dyn Profile> {
            self.of.swapped()
        }

        fn max_loss(&self, bits: u32) -> LossBound {
            self.of.max_loss(bits)
        }

        fn min_loss(&self, bits: u32) -> LossBound {
            self.of.min_loss(bits)
        }

        fn infinite_mass(&self, bits: u32) -> Interval {
            self.of.infinite_mass(bits)
        }

        fn is_closed_form(&self) -> bool {
            self.has_values
        }

        fn between(&self, fineness: Fineness, budget: &Budget) -> Result<Option<Between>, Failure> {
            self.of.between(fineness, budget)
        }
    }

    /// The shape of an allocation is that of a coarse law above it, and not much else than that of its values.
    #[test]
    fn coarse_laws_show_the_shape_of_what_has_dear_values() {
        let step = Mechanism::gaussian(1, 1).unwrap();
        let shape = |has_values| {
            let of = Allocated::new(step.profile_of_step().unwrap(), 50);
            Shape::of(&Dear { of, has_values }, 1e-10, &Budget::unlimited()).unwrap()
        };
        let (coarse, fine) = (shape(false), shape(true));
        for (name, coarse, fine) in [
            ("mean", coarse.mean, fine.mean),
            ("sd", coarse.sd, fine.sd),
            ("bulk", coarse.bulk, fine.bulk),
            ("low", coarse.low, fine.low),
            ("median", coarse.median, fine.median),
            ("high", coarse.high, fine.high),
        ] {
            let error = (coarse - fine).abs();
            assert!(
                error < 0.02 * fine.abs().max(0.1),
                "{name}: {coarse}, {fine}"
            );
        }
    }

    /// No value of a profile is looked at once the time is over.
    #[test]
    fn no_shape_without_time() {
        let step = Mechanism::laplace(1, 1).unwrap();
        let of = Allocated::new(step.profile_of_step().unwrap(), 5);
        let spent = Budget::new(std::time::Duration::ZERO, Arc::default());
        for has_values in [true, false] {
            let dear = Dear {
                of: of.clone(),
                has_values,
            };
            let shape = Shape::of(&dear, 1e-10, &spent);
            assert_eq!(shape.unwrap_err(), Failure::Interrupted);
            let unseen = Dear {
                has_values: false,
                ..dear
            };
            assert_eq!(Tails::new(&unseen, &spent).above(0.5), 0.0);
        }
    }
}
