//! Densities on the attacker's prior, by which a Δ-divergence is weighted.

use rug::float::Round;
use rug::ops::AssignRound;
use rug::{Float, Rational};

use crate::kernel::directed as d;
use crate::kernel::{Interval, Pick};
use crate::mechanism::{Prior, PriorShape};

/// (π, density).
type TablePoint = (Rational, Rational);

/// A density at a working precision.
pub(super) struct Density<'a> {
    of: &'a PriorShape,
    /// log B(a, b); 0 where it is not needed.
    log_scale: Interval,
    bits: u32,
}

/// Enclosures of Ψ, Ψ' and Ψ'' over a range of priors on which Ψ is twice differentiable.
pub(super) struct Smooth {
    pub slope: Interval,
    pub curvature: Interval,
}

impl Prior {
    /// Is it the constant 1?
    pub fn is_uniform(&self) -> bool {
        match self.shape() {
            PriorShape::Uniform => true,
            PriorShape::Beta { a, b } => *a == 1 && *b == 1,
            PriorShape::UQuadratic | PriorShape::Table(_) => false,
        }
    }

    /// Priors at which the density has a kink or jump, in (0, 1).
    pub(super) fn kinks(&self) -> Vec<Rational> {
        match self.shape() {
            PriorShape::Table(points) => points
                .iter()
                .map(|(prior, _)| prior.clone())
                .filter(|prior| *prior > 0 && *prior < 1)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Priors in (0, 1) at which the density jumps to or from 0.
    pub(super) fn jumps(&self) -> Vec<Rational> {
        match self.shape() {
            PriorShape::Table(points) => [points.first(), points.last()]
                .into_iter()
                .flatten()
                .filter(|(prior, density)| *prior > 0 && *prior < 1 && *density > 0)
                .map(|(prior, _)| prior.clone())
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Prepares the density.
    ///
    /// Requires: `a, b > 0`; a table as described.
    pub(super) fn at_bits(&self, bits: u32) -> Density<'_> {
        let log_scale = match self.shape() {
            PriorShape::Beta { a, b } => log_gamma(a, bits)
                .add(&log_gamma(b, bits))
                .sub(&log_gamma(&Rational::from(a + b), bits)),
            _ => Interval::zero(bits),
        };
        Density {
            of: self.shape(),
            log_scale,
            bits,
        }
    }
}

impl Density<'_> {
    /// Encloses Ψ over the priors in `prior`, where `rest` encloses 1 − π; [0, ∞] where it is unbounded.
    pub(super) fn over(&self, prior: &Interval, rest: &Interval) -> Interval {
        match self.of {
            PriorShape::Uniform => Interval::one(self.bits),
            PriorShape::Beta { a, b } => self.beta(prior, rest, &less_one(a), &less_one(b)),
            PriorShape::UQuadratic => {
                let gap = prior.sub(rest).square();
                Interval::from_i64(3, self.bits).mul(&gap)
            }
            PriorShape::Table(points) => self.table(points, prior),
        }
    }

    /// Encloses πΨ(π) over the priors in `prior`, which may begin at 0.
    pub(super) fn times_prior(&self, prior: &Interval, rest: &Interval) -> Interval {
        match self.of {
            PriorShape::Beta { a, b } => self.beta(prior, rest, a, &less_one(b)),
            _ => prior.mul(&self.over(prior, rest)),
        }
    }

    /// Encloses (1 − π)Ψ(π) over the priors in `prior`, which may end at 1.
    pub(super) fn times_rest(&self, prior: &Interval, rest: &Interval) -> Interval {
        match self.of {
            PriorShape::Beta { a, b } => self.beta(prior, rest, &less_one(a), b),
            _ => rest.mul(&self.over(prior, rest)),
        }
    }

    /// Ψ' and Ψ'' over the priors in `prior`; `None` if a kink may lie there.
    pub(super) fn smooth(&self, prior: &Interval, rest: &Interval) -> Option<Smooth> {
        let number = |n: i64| Interval::from_i64(n, self.bits);
        match self.of {
            PriorShape::Uniform => Some(Smooth {
                slope: number(0),
                curvature: number(0),
            }),
            PriorShape::UQuadratic => Some(Smooth {
                slope: number(12).mul(&prior.sub(rest)),
                curvature: number(24),
            }),
            PriorShape::Beta { a, b } => {
                let (a, b) = (self.exactly(&less_one(a)), self.exactly(&less_one(b)));
                let density = self.over(prior, rest);
                let (left, right) = (a.div(prior), b.div(rest));
                // Ψ' = Ψ·g with g = (a−1)/π − (b−1)/(1−π), and Ψ'' = Ψ·(g² + g').
                let rate = left.sub(&right);
                let bend = left.div(prior).add(&right.div(rest)).neg();
                Some(Smooth {
                    slope: density.mul(&rate),
                    curvature: density.mul(&rate.square().add(&bend)),
                })
            }
            PriorShape::Table(points) => {
                if !Self::inside(points, prior).is_empty() {
                    return None;
                }
                let slope = Self::segment(points, prior).map_or_else(
                    || number(0),
                    |[(x, y), (z, w)]| {
                        let rise = Rational::from(w - y) / Rational::from(z - x);
                        self.exactly(&rise)
                    },
                );
                Some(Smooth {
                    slope,
                    curvature: number(0),
                })
            }
        }
    }

    /// π^a (1 − π)^b / B.
    fn beta(&self, prior: &Interval, rest: &Interval, a: &Rational, b: &Rational) -> Interval {
        let power = |base: &Interval, exponent: &Rational| {
            if *exponent == 0 {
                Interval::zero(self.bits)
            } else {
                self.exactly(exponent).mul(&base.at_least_zero().ln())
            }
        };
        let log = power(prior, a).add(&power(rest, b)).sub(&self.log_scale);
        log.exp().at_least_zero()
    }

    /// Piecewise linear: the hull of the values at the ends of the range and at the points inside.
    fn table(&self, points: &[TablePoint], prior: &Interval) -> Interval {
        let zero = Interval::zero(self.bits);
        let beyond = points
            .first()
            .zip(points.last())
            .is_none_or(|(first, last)| prior.lo() < &first.0 || prior.hi() > &last.0);
        let inside = Self::inside(points, prior)
            .iter()
            .map(|(_, value)| self.exactly(value));
        let ends = [prior.lo(), prior.hi()].map(|end| self.table_at(points, end));
        inside
            .chain(ends.into_iter().flatten())
            .chain(beyond.then(|| zero.clone()))
            .reduce(|a, b| a.hull(&b))
            .unwrap_or(zero)
    }

    /// The points of the table in a range.
    fn inside<'p>(points: &'p [TablePoint], prior: &Interval) -> &'p [TablePoint] {
        let from = points.partition_point(|(at, _)| at < prior.lo());
        let to = points.partition_point(|(at, _)| at <= prior.hi());
        points.get(from..to).unwrap_or_default()
    }

    /// The density at an exact prior within the table.
    fn table_at(&self, points: &[TablePoint], at: &Float) -> Option<Interval> {
        let at = at.to_rational()?;
        // The piece that begins at the last point not beyond, or the one that ends at the last point of all.
        let next = points.partition_point(|(place, _)| *place <= at);
        let next = next.min(points.len().saturating_sub(1));
        let (left, right) = (points.get(next.checked_sub(1)?)?, points.get(next)?);
        if at > right.0 {
            return None;
        }
        let share = Rational::from(&at - &left.0) / Rational::from(&right.0 - &left.0);
        let value = &left.1 + share * Rational::from(&right.1 - &left.1);
        Some(self.exactly(&value))
    }

    /// The two points between which the whole range lies.
    fn segment<'p>(points: &'p [TablePoint], prior: &Interval) -> Option<[&'p TablePoint; 2]> {
        let next = points.partition_point(|(at, _)| at < prior.lo());
        let (left, right) = (points.get(next.checked_sub(1)?)?, points.get(next)?);
        (*prior.lo() > left.0 && *prior.hi() < right.0).then_some([left, right])
    }

    fn exactly(&self, value: &Rational) -> Interval {
        Interval::from_rational(value, self.bits)
    }
}

fn less_one(x: &Rational) -> Rational {
    Rational::from(x - 1)
}

/// log Γ(x) for x > 0. MPFR rounds it correctly at the ends of an enclosure [l, h] of x; log Γ is convex, so it is at
/// most the larger end value, and at least log Γ(l) + ψ(l)(x − l), hence at least log Γ(l) + min(0, ψ(l))(h − l).
fn log_gamma(x: &Rational, bits: u32) -> Interval {
    let x = Interval::from_rational(x, bits);
    if *x.lo() <= 0 {
        return Interval::whole_line(bits);
    }
    let rounded = |at: &Float, round: Round| {
        let mut value = Float::new(bits);
        value.assign_round(at.ln_gamma_ref(), round);
        value
    };
    let (down, up) = (Round::Down, Round::Up);
    let high = rounded(x.lo(), up).larger(&rounded(x.hi(), up));
    let fall = {
        let mut slope = Float::new(bits);
        slope.assign_round(x.lo().digamma_ref(), down);
        let slope = slope.smaller(&Float::new(bits));
        d::mul_down(&slope, &x.width_up(), bits)
    };
    let low = d::add_down(&rounded(x.lo(), down), &fall, bits);
    Interval::between_or_line(low, high)
}

#[cfg(test)]
#[path = "prior_coarse_tests.rs"]
mod coarse_tests;
#[cfg(test)]
#[path = "prior_tests.rs"]
mod tests;
