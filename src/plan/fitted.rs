//! Knots of a sum of Gaussian steps, Poisson-sampled or not, as dense as the laws that its answers come from need them.
//!
//! Of T steps a δ of (about) p is a tail sum of the step's law tilted by some t: of Q·e^{tL} in the order stated, of Q·e^{−(1 + t)L} in the other one. In a cell of width d the laws
//! above and below the profile are so far apart that log δ differs by about SPREAD·t(t + 1)/2·d² times T and the cell's tilted mass. For a given error there are fewest cells where
//! their widths go with the cube root of 1 over the density of what is added up.

use super::level::Level;
use super::resolution::{SPARE, width_expected};
use super::sampled_gaussian::{Points, SampledGaussian, below};
use super::{Demand, Shape, Summand, Units};
use crate::float::elementary::{cbrt, exp, ln, log2, powi};
use crate::float::{Cumulants, Tilt, normal_quantile};

/// What is known of where a sum needs its cells.
pub(super) enum Fit {
    /// What answers need.
    Widths {
        /// Widths of cells for the losses of each part.
        parts: Vec<Widths>,
        /// The binary logarithm of what tilts multiply a unit of mass by at most.
        depth: f64,
    },
    /// A sum that is as large as is asked is so because one of its losses is: of those, tilts say little.
    Rare {
        /// The least probability that is asked for.
        least: f64,
        /// How many times the variance of the sum its law has where it is tilted there, if a μ is asked for and that is known.
        widened: Option<f64>,
    },
    /// Nothing: other steps, or more than are looked at.
    Unknown,
}

/// Widths of the cells of one part.
pub(super) struct Widths {
    /// Losses in increasing order, and how wide a cell there may be.
    at: Vec<(f64, f64)>,
    finest: f64,
}

/// What cells of width d do to log δ, between both laws: seen in compositions of 500 to 5000 steps.
const SPREAD: f64 = 0.4;
/// An enclosure of ε is to have this share of the width expected, and one of μ that.
const SHARE: f64 = 0.8;
const SHARE_OF_MU: f64 = 0.95;
/// Tails that may be lost are this share of a probability times the relative width wanted.
const OF_TAIL: f64 = 1000.0;
/// Where finer cells are wanted, what is taken for the least probability is this many times too large at most.
const OF_FINER: f64 = 8.0;
/// The largest probability that is looked at.
const LARGEST: f64 = 0.02;
/// A law that is so many times wider where it is tilted is that of a few large losses: the normal law says too little of the cells that a μ needs, and from there on, nothing.
const WIDENED: f64 = 18.0;
const FAR_WIDENED: f64 = 28.0;
/// Losses that come more often than this are no rare ones.
const MOST_OFTEN: f64 = 0.1;
/// A cell is at most this share of the distance of its loss from the median wide.
const LONGEST: f64 = 0.1;
/// More parts than these take too long to fit.
const MOST_PARTS: usize = 8;
/// Points that ask for so much less than others do not matter; the normal law knows no better.
const FAR_BELOW: f64 = 0.08;
/// Points of the curve are looked at with these shares of the tilt at the floor.
const OF_FARTHEST: [f64; 2] = [1.0, 0.3];
/// Weights of the answers wanted are found in so many rounds.
const ROUNDS: u32 = 12;
/// A tilt is good enough where log δ is as near as this.
const NEAR: f64 = 0.05;

/// One answer wanted: each part's tilted masses, times what they do to its relative width.
struct Answer {
    harms: Vec<Vec<f64>>,
    /// See [`Fit::Widths`].
    depth: f64,
}

impl Fit {
    pub(super) fn new(parts: &[Summand<'_>], shapes: &[Shape], demand: Demand, steps: u64) -> Self {
        Self::known(parts, shapes, demand, steps).unwrap_or(Self::Unknown)
    }

    /// `None` where nothing is known.
    fn known(parts: &[Summand<'_>], shapes: &[Shape], demand: Demand, steps: u64) -> Option<Self> {
        if parts.len() > MOST_PARTS || parts.iter().any(|part| part.unit.is_some()) {
            return None;
        }
        let laws = parts.iter().zip(shapes).map(|(part, shape)| {
            let pair = SampledGaussian::of(part.profile.sampled_gaussian()?);
            Some((pair.points(shape), part.steps as f64))
        });
        let laws = Laws(laws.collect::<Option<_>>()?);
        let (of, all) = SPARE;
        // What is asked is a μ, which has answers of its own.
        let (spare, share) = if demand.spare {
            (f64::from(all) / f64::from(of), SHARE_OF_MU)
        } else {
            (1.0, SHARE)
        };
        let width = spare * width_expected(demand.cells, steps);
        let least = (OF_TAIL * demand.deeper * demand.tail / width).clamp(1e-290, LARGEST);
        // Where finer cells are wanted than at first, losses that were rare still are.
        let farthest = match demand.units {
            Units::Usual => least,
            Units::Finest => least / OF_FINER,
        };
        let at_floor = |is_swapped| laws.tilt(Level::NullTail, ln(least), is_swapped);
        let farthest_tilt = demand.spare.then(|| at_floor(false)).flatten();
        let widened = farthest_tilt.map(|(_, at)| at.variance / laws.cumulants(0.0).variance);
        if laws.are_rare(shapes, farthest) || widened.is_some_and(|times| times > FAR_WIDENED) {
            return Some(Self::Rare { least, widened });
        }
        let near = least.sqrt().min(LARGEST);
        let levels: &[f64] = match demand.spare {
            true => &[near],
            false => &[least, near],
        };
        let orders = [false, true];
        let asked = orders
            .iter()
            .flat_map(|order| levels.iter().map(|level| (*order, ln(*level))));
        let answers = asked.map(|(is_swapped, level)| laws.answer(level, is_swapped));
        let mut answers: Vec<Answer> = answers.collect::<Option<_>>()?;
        if demand.spare {
            answers.extend(laws.answers_of_mu([farthest_tilt?, at_floor(true)?])?);
        }
        let narrower = widened.map_or(1.0, |times| (times / WIDENED).max(1.0));
        let parts = laws.fitted(&answers, &laws.longest(shapes), share * width / narrower)?;
        let depth = answers
            .iter()
            .map(|answer| answer.depth)
            .fold(0.0, f64::max);
        Some(Self::Widths { parts, depth })
    }

    /// The binary logarithm of what tilts multiply a unit of mass by at most, where that is known.
    pub(super) fn depth(&self) -> Option<f64> {
        match self {
            Self::Widths { depth, .. } => Some(*depth),
            Self::Rare { .. } | Self::Unknown => None,
        }
    }

    /// Those of a part.
    pub(super) fn part(&self, number: usize) -> Option<&Widths> {
        match self {
            Self::Widths { parts, .. } => parts.get(number),
            Self::Rare { .. } | Self::Unknown => None,
        }
    }
}

impl Widths {
    /// The narrowest.
    pub(super) fn finest(&self) -> f64 {
        self.finest
    }

    /// Knots from the lowest to the highest loss.
    pub(super) fn knots(&self, shape: &Shape, offset: f64, step: f64) -> Vec<i64> {
        let index = |y: f64| ((y - offset) / step).clamp(-5e17, 5e17) as i64;
        let gap = |index: i64| {
            let width = self.width(offset + index as f64 * step) / step;
            1i64 << log2(width.max(1.0) * (1.0 + 1e-9)).min(58.0) as u32
        };
        // A support edge is a knot itself; elsewhere the first knot is a multiple of its gap.
        let (low, high) = (index(shape.low) - 1, index(shape.high) + 1);
        let low = if (shape.low - offset).abs() < step * 1e-6 {
            0
        } else {
            low.div_euclid(gap(low)) * gap(low)
        };
        let mut indices = vec![low];
        let mut at = low;
        while at < high {
            let here = gap(at);
            let gap = here.min(gap(at + here));
            at = (at.div_euclid(gap) + 1) * gap;
            indices.push(at);
        }
        indices
    }

    /// How wide a cell may be at a loss: the narrower of its neighbours'.
    fn width(&self, loss: f64) -> f64 {
        let next = self.at.partition_point(|(y, _)| *y < loss);
        let beside = [next.checked_sub(1), Some(next)];
        let widths = beside.into_iter().flatten();
        let widths = widths
            .filter_map(|i| self.at.get(i))
            .map(|(_, width)| *width);
        widths.fold(f64::INFINITY, f64::min)
    }
}

/// The laws of all parts, and how often each is composed.
struct Laws(Vec<(Points, f64)>);

impl Laws {
    fn cumulants(&self, c: f64) -> Cumulants {
        let zero = Cumulants {
            log_total: 0.0,
            mean: 0.0,
            variance: 0.0,
        };
        self.0.iter().fold(zero, |sum, (points, times)| {
            let one = points.cumulants(c);
            sum.plus(Cumulants {
                log_total: times * one.log_total,
                mean: times * one.mean,
                variance: times * one.variance,
            })
        })
    }

    /// Those of an order: the other one has the losses −L, and the tilt −1 − t.
    fn toward(&self, t: f64, is_swapped: bool) -> Cumulants {
        match is_swapped {
            false => self.cumulants(t),
            true => self.cumulants(-1.0 - t).negated(),
        }
    }

    /// The tilt of what has this logarithm, and the sum's cumulants there.
    fn tilt(&self, what: Level, level: f64, is_swapped: bool) -> Option<Tilt> {
        what.tilt(level, NEAR, &|t| self.toward(t, is_swapped))
    }

    fn answer(&self, level: f64, is_swapped: bool) -> Option<Answer> {
        let (t, at) = self.tilt(Level::Delta, level, is_swapped)?;
        let sd = at.variance.sqrt();
        // What log δ falls by per unit of ε.
        let slope = t + 1.0 / sd;
        self.harmed(
            SPREAD * t * (t + 1.0) / 2.0 / slope / at.mean,
            t,
            is_swapped,
        )
    }

    /// About μ above an error floor, where its two points at the floor, or others of the curve, may be those that ask for most: with the tilts of those two, in the order stated and in
    /// the other one.
    fn answers_of_mu(&self, [stated, swapped]: [Tilt; 2]) -> Option<Vec<Answer>> {
        let mut seen = Vec::new();
        for ((farthest, _), is_swapped) in [(stated, false), (swapped, true)] {
            for share in OF_FARTHEST {
                let t = share * farthest;
                seen.extend(
                    MuAt::of(t, self.toward(t, is_swapped)).map(|one| (one, t, is_swapped)),
                );
            }
        }
        let most = seen.iter().map(|(one, ..)| one.mu).fold(0.0, f64::max);
        let matter = seen
            .into_iter()
            .filter(|(one, ..)| one.mu > most * (1.0 - FAR_BELOW));
        matter
            .map(|(one, t, is_swapped)| self.harmed(one.harm, t, is_swapped))
            .collect()
    }

    /// With this error where all cells are one unit wide.
    fn harmed(&self, harm: f64, t: f64, is_swapped: bool) -> Option<Answer> {
        if !(harm.is_finite() && harm > 0.0) {
            return None;
        }
        let c = if is_swapped { -1.0 - t } else { t };
        let depths = self.0.iter().map(|(points, _)| points.depth(c));
        let harms = self.0.iter().map(|(points, times)| {
            let masses = points.tilted(c).into_iter();
            masses.map(|mass| harm * times * mass).collect()
        });
        Some(Answer {
            harms: harms.collect(),
            depth: depths.fold(0.0, f64::max),
        })
    }

    /// The widest cells that there are, whatever is asked.
    fn longest(&self, shapes: &[Shape]) -> Vec<Vec<f64>> {
        let parts = self.0.iter().zip(shapes).map(|((points, _), shape)| {
            let losses = points.losses.iter();
            losses
                .map(|loss| LONGEST * (loss - shape.median).abs())
                .collect()
        });
        parts.collect()
    }

    /// Is a sum somewhere most often large because one of its losses is?
    fn are_rare(&self, shapes: &[Shape], least: f64) -> bool {
        let parts = self.0.iter().zip(shapes);
        let variance: f64 = parts
            .map(|((_, times), shape)| times * powi(shape.bulk, 2))
            .sum();
        // What a normal law with the variance of the bulk has above a loss.
        let usual = |loss: f64| below((variance / 2.0 - loss) / variance.sqrt());
        self.0.iter().any(|(points, times)| {
            let mut tail = 0.0;
            let mut from_above = points.losses.iter().zip(&points.masses).rev();
            from_above.any(|(loss, mass)| {
                tail += times * mass;
                *loss > 0.0 && (least..MOST_OFTEN).contains(&tail) && tail > usual(*loss)
            })
        })
    }

    /// The widest cells with which no answer is wider than wanted, about.
    fn fitted(&self, answers: &[Answer], longest: &[Vec<f64>], wanted: f64) -> Option<Vec<Widths>> {
        let mut weights = vec![1.0; answers.len()];
        let mut widths = Vec::new();
        for _ in 0..ROUNDS {
            widths = self.widest(answers, &weights, wanted, longest);
            let errors: Vec<f64> = answers.iter().map(|one| one.error(&widths)).collect();
            let most = errors.iter().copied().fold(0.0, f64::max);
            if !(most.is_finite() && most > 0.0) {
                return None;
            }
            for (weight, error) in weights.iter_mut().zip(&errors) {
                *weight *= (error / most).sqrt();
            }
        }
        // Knots are powers of two of a step apart.
        let mut steps: Vec<Vec<f64>> = widths.clone();
        for of_part in &mut steps {
            let finest = of_part.iter().copied().fold(f64::INFINITY, f64::min);
            for width in of_part {
                *width = finest * powi(2.0, log2(*width / finest).floor() as i32);
            }
        }
        let errors = answers.iter().map(|one| one.error(&steps));
        let scale = (wanted / errors.fold(0.0, f64::max)).sqrt();
        let parts = self.0.iter().zip(&widths).map(|((points, _), widths)| {
            let finest = scale * widths.iter().copied().fold(f64::INFINITY, f64::min);
            let at = points.losses.iter().zip(widths);
            let at = at.map(|(loss, width)| (*loss, scale * width)).collect();
            (finest.is_finite() && finest > 1e-290).then_some(Widths { at, finest })
        });
        parts.collect()
    }

    /// Cells as the weighted sum of the answers would have them.
    fn widest(
        &self,
        answers: &[Answer],
        weights: &[f64],
        wanted: f64,
        longest: &[Vec<f64>],
    ) -> Vec<Vec<f64>> {
        let mut all: Vec<Vec<f64>> = Vec::with_capacity(self.0.len());
        for (part, (points, _)) in self.0.iter().enumerate() {
            let harm = |i: usize| -> f64 {
                let of = |(answer, weight): (&Answer, &f64)| {
                    answer
                        .harms
                        .get(part)
                        .and_then(|harms| harms.get(i))
                        .map_or(0.0, |x| x * weight)
                };
                answers.iter().zip(weights).map(of).sum()
            };
            let widths = points.widths.iter().enumerate();
            all.push(widths.map(|(i, width)| cbrt(width / harm(i))).collect());
        }
        let errors = answers.iter().map(|one| one.error(&all));
        let scale = (wanted / errors.fold(0.0, f64::max)).sqrt();
        for (widths, longest) in all.iter_mut().zip(longest) {
            let finest = scale * widths.iter().copied().fold(f64::INFINITY, f64::min);
            for (width, longest) in widths.iter_mut().zip(longest) {
                *width = (*width * scale).min(longest.max(finest));
            }
        }
        all
    }
}

/// A point of the trade-off curve, by the normal law that is tilted there.
struct MuAt {
    /// The μ that it asks for, about.
    mu: f64,
    /// By how much that is off, relatively, where all cells are one unit wide.
    harm: f64,
}

impl MuAt {
    /// With the null's tail α, δ and u = e^ε there, μ = z(α) − z(δ + uα). What cells of width d add to the variance, times half the law's density f at ε, is what they
    /// do to δ; and μ changes by that over the normal density at z(δ + uα).
    fn of(t: f64, at: Cumulants) -> Option<Self> {
        let log_of = |what: Level| what.at(t, at).0;
        let (delta, alpha) = (exp(log_of(Level::Delta)), exp(log_of(Level::NullTail)));
        let rest = delta + alpha * exp(at.mean);
        let place = normal_quantile(rest);
        let mu = place - normal_quantile(alpha);
        let scale = std::f64::consts::TAU.sqrt();
        let density = exp(at.log_total - t * at.mean) / (at.variance.sqrt() * scale);
        let slope = exp(-powi(place, 2) / 2.0) / scale;
        let harm = SPREAD * density / 2.0 / slope / mu;
        (mu > 0.0 && harm.is_finite()).then_some(Self { mu, harm })
    }
}

impl Answer {
    /// Its relative width.
    fn error(&self, widths: &[Vec<f64>]) -> f64 {
        let of_part = |(harms, widths): (&Vec<f64>, &Vec<f64>)| -> f64 {
            let cells = harms.iter().zip(widths);
            // Where there is no mass a cell may be as wide as any.
            let cells = cells.filter(|(harm, _)| **harm > 0.0);
            cells.map(|(harm, width)| harm * width * width).sum()
        };
        self.harms.iter().zip(widths).map(of_part).sum()
    }
}

#[cfg(test)]
#[path = "fitted_tests.rs"]
mod tests;
