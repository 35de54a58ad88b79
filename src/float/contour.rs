//! The curve of a composition of Gaussians, sampled or not, by integrals in the complex plane.
//!
//! The law of such a loss is smooth, so no grid is needed: a few vertical lines of some hundred nodes, each where a
//! stretch of losses has its saddle point, know every tail sum to about ten digits, at all scales of the law.

use std::sync::{Arc, OnceLock};

use super::compose::law;
use super::elementary::exp_m1;
use super::factor::{Cumulants, Factor};
use super::grid::Listing;
use super::law::Law;
use super::line::{Line, Ray};
use super::pair::{Pair, ProfilePoint};
use super::saddle::{seam, tilts};
use crate::kernel::Budget;

/// A composition as lines in the complex plane.
#[derive(Debug, Clone)]
pub(super) struct Contour {
    /// What is composed, with the number of copies.
    parts: Vec<(Pair, f64)>,
    rays: Vec<Ray>,
    /// In the order of the losses that they serve.
    pieces: Vec<Piece>,
    range: (f64, f64),
    support: (f64, f64),
    /// Serves the pieces without a line.
    law: OnceLock<Arc<Law>>,
}

/// A line, made when it is first asked.
#[derive(Debug, Clone)]
struct Piece {
    from: f64,
    to: f64,
    /// Index of its ray.
    ray: usize,
    noise: f64,
    line: OnceLock<Line>,
}

/// −log of the tail mass at which the first line on either side is centred.
const NEAREST: f64 = 1.2;
/// −log of the probabilities beyond which nothing is known.
const FARTHEST: f64 = 90.0;
/// −log of the relative accuracy that a line may lose at the ends of its stretch.
const LOSS: f64 = 12.0;

impl Contour {
    /// `None` for laws with atoms, or next to that, or too narrow or too wide for f64.
    pub(super) fn new(parts: &[(Pair, f64)]) -> Option<Self> {
        let factors: Vec<Factor> = parts
            .iter()
            .map(|(pair, times)| Factor::of(pair, *times))
            .collect::<Option<_>>()?;
        let end = |of: fn((f64, f64)) -> f64| -> f64 {
            let ends = parts.iter().map(|(pair, times)| times * of(pair.support()));
            ends.sum()
        };
        let support = (end(|ends| ends.0), end(|ends| ends.1));
        let tilts = tilts(&|c| total(&factors, c), (NEAREST, FARTHEST), LOSS)?;
        let ((c, lowest), (d, highest)) = (tilts.first()?, tilts.last()?);
        let low = (lowest.log_total + FARTHEST) / (c + 1.0);
        let high = (highest.log_total + FARTHEST) / d;
        let range = (low.max(support.0), high.min(support.1));
        let mut rays = Vec::with_capacity(tilts.len());
        let mut pieces = Vec::new();
        let mut end = range.0;
        for (i, (c, at)) in tilts.iter().enumerate() {
            let next = tilts.get(i + 1);
            let stretch = (end, next.map_or(range.1, |next| seam((*c, *at), *next)));
            end = stretch.1;
            let ray = Ray::new(&factors, *c, *at)?;
            pieces.extend(
                ray.pieces(stretch)
                    .into_iter()
                    .map(|(from, to, noise)| Piece {
                        from,
                        to,
                        ray: i,
                        noise,
                        line: OnceLock::new(),
                    }),
            );
            rays.push(ray);
        }
        let contour = Self {
            parts: parts.to_vec(),
            rays,
            pieces,
            range,
            support,
            law: OnceLock::new(),
        };
        contour.is_consistent().then_some(contour)
    }

    /// Do the lines below and above ε = 0 agree there? Lines next to an atom do not.
    fn is_consistent(&self) -> bool {
        const APART: f64 = 1e-6;
        let ends = [-f64::MIN_POSITIVE, 0.0].map(|epsilon| self.line_at(epsilon));
        let [Some(below), Some(above)] = ends else {
            return false;
        };
        let (below, above) = (below.at(0.0), above.at(0.0));
        let agree = |x: f64, y: f64| (x - y).abs() <= APART * y.abs();
        agree(below.delta, above.delta)
            && agree(below.alpha, above.alpha)
            && agree(below.beta, above.beta)
    }

    /// `None` where a grid knows more.
    fn line_at(&self, epsilon: f64) -> Option<&Line> {
        let after = self.pieces.partition_point(|piece| piece.to < epsilon);
        let piece = self.pieces.get(after)?;
        let ray = self.rays.get(piece.ray)?;
        let new = || Line::new(ray, (piece.from, piece.to), piece.noise);
        let line = piece.line.get_or_init(new);
        // Far from the bulk of a law, a grid for all of it is worse than what a line knows.
        (line.is_settled() || piece.noise > 0.0).then_some(line)
    }

    /// Losses where one line gives way to another.
    pub(super) fn seams(&self) -> Vec<f64> {
        self.pieces.iter().map(|piece| piece.to).collect()
    }

    /// The same composition as losses with masses.
    pub(super) fn law(&self) -> &Arc<Law> {
        // A grid is refused only to losses that are too large for lines, too.
        let new = || {
            law(&self.parts, Listing::Usual, &Budget::unlimited())
                .unwrap_or_else(|_| Law::certain(1.0, 1.0))
        };
        self.law.get_or_init(|| new().into())
    }

    pub(super) fn range(&self) -> (f64, f64) {
        self.range
    }

    pub(super) fn support(&self) -> (f64, f64) {
        self.support
    }

    pub(super) fn at(&self, epsilon: f64) -> ProfilePoint {
        if epsilon > self.range.1 {
            return ProfilePoint {
                delta: 0.0,
                dual: -exp_m1(-epsilon),
                alpha: 0.0,
                beta: 1.0,
            };
        }
        if epsilon < self.range.0 {
            return ProfilePoint {
                delta: -exp_m1(epsilon),
                dual: 0.0,
                alpha: 1.0,
                beta: 0.0,
            };
        }
        match self.line_at(epsilon) {
            Some(line) => line.at(epsilon),
            None => self.law().at(epsilon),
        }
    }
}

fn total(factors: &[Factor], c: f64) -> Cumulants {
    let zero = Cumulants {
        log_total: 0.0,
        mean: 0.0,
        variance: 0.0,
    };
    factors
        .iter()
        .fold(zero, |sum, factor| sum.plus(factor.cumulants(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(rate: f64, sigma: f64, times: f64) -> Contour {
        let of = Box::new(Pair::Gaussian(1.0 / sigma));
        Contour::new(&[(Pair::Subsampled { rate, of }, times)]).unwrap()
    }

    /// The loss where δ or its dual is as wanted, in (0, end).
    fn crossing(contour: &Contour, end: f64, holds: impl Fn(ProfilePoint) -> bool) -> f64 {
        let (mut low, mut high) = (0.0, end);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if holds(contour.at(middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }

    /// Two kinds of steps, one of them sampled all but always, against the closed form of their composition.
    #[test]
    fn composed_gaussians_in_closed_form() {
        for scale in [0.1, 1.0, 2.5] {
            let rate = 1.0 - f64::EPSILON;
            let of = Box::new(Pair::Gaussian(scale));
            let parts = [
                (Pair::Subsampled { rate, of }, 2.0),
                (Pair::Gaussian(scale), 2.0),
            ];
            let contour = Contour::new(&parts).unwrap();
            let closed = Pair::Gaussian(2.0 * scale);
            for i in -60i32..=60 {
                // Up to twelve standard deviations from the mean of Q or P; a sampled step has no loss below log(1 − r).
                let epsilon = 2.0 * scale * (f64::from(i) / 5.0 + scale * f64::from(i.signum()));
                if epsilon < -40.0 {
                    continue;
                }
                let (found, truth) = (contour.at(epsilon), closed.at(epsilon));
                for (x, y) in [
                    (found.delta, truth.delta),
                    (found.dual, truth.dual),
                    (found.alpha, truth.alpha),
                    (found.beta, truth.beta),
                ] {
                    assert!(
                        (x - y).abs() < 1e-7 * y,
                        "{scale} {epsilon} {found:?} {truth:?}"
                    );
                }
            }
        }
    }

    /// ε at δ, by certified enclosures, of steps ever rarer and more skewed.
    #[test]
    fn rare_steps() {
        for (sigma, rate, times, delta, truth) in [
            (0.6, 0.01, 500.0, 1e-5, 5.8002),
            (0.614, 1e-4, 1e5, 1e-5, 0.52478),
            (0.4, 0.01, 1000.0, 1e-8, 38.9848),
            (0.8, 1e-6, 1e5, 1e-8, 0.002_424_06),
            (0.6, 1e-7, 1e6, 1e-8, 0.001_753_14),
            (0.614, 4e-8, 1e5, 1e-10, 0.000_704_35),
        ] {
            let contour = sampled(rate, sigma, times);
            let found = crossing(&contour, 2.0 * truth, |knot| knot.delta <= delta);
            assert!(
                (found / truth - 1.0).abs() < 2e-5,
                "{sigma} {rate} {found} {truth}"
            );
        }
    }

    /// One line gives way to the next without a step, but for rounding, of which rare steps leave most.
    #[test]
    fn seams_are_smooth() {
        for contour in [
            sampled(0.33, 9.4, 2000.0),
            sampled(0.01, 0.4, 1000.0),
            sampled(1e-6, 0.8, 1e5),
        ] {
            let seams = contour.seams();
            let inner = seams.iter().take(seams.len() - 1);
            for seam in inner.filter(|seam| seam.abs() > 1e-300) {
                let after = seam + 1e-12 * seam.abs();
                let (before, after) = (contour.at(*seam), contour.at(after));
                for (x, y) in [
                    (before.delta, after.delta),
                    (before.dual, after.dual),
                    (before.alpha, after.alpha),
                    (before.beta, after.beta),
                ] {
                    let slack = 1e-11 + 1e-6 * y;
                    assert!((x - y).abs() < slack, "{seam} {before:?} {after:?}");
                }
            }
        }
    }

    /// Atoms, and what is next to them, are left to the grid.
    #[test]
    fn atoms_are_refused() {
        let law = Pair::Law(Law::certain(0.0, 0.0).into());
        assert!(Contour::new(&[(law, 3.0)]).is_none());
        let of = Box::new(Pair::Gaussian(50.0));
        assert!(Contour::new(&[(Pair::Subsampled { rate: 0.1, of }, 3.0)]).is_none());
    }
}
