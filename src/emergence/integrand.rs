//! What is integrated: the loss of subsampled noise and the densities of both laws, as Taylor series.

use rug::Rational;

use super::quadrature::{Noise, normal_tail_up};
use super::series::Series;
use crate::kernel::Interval;

/// Which law of the pair weighs the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weighing {
    /// P, without the record.
    Null,
    /// Q' = (1 − r)P + rQ, with the record.
    Alternative,
}

/// The pair (P, (1 − r)P + rQ) on a line with coordinate z on which the loss ℓ of (P, Q) is affine.
///
/// Gaussian noise: z is standard normal under P and ℓ = μz − μ²/2. Laplace noise: z in (−1, 1), ℓ = ε0·z, P-density
/// ε0·e^{−ε0(1 + z)/2}/4 and P-atoms 1/2 at −ε0 and e^{−ε0}/2 at ε0.
pub(super) struct Densities {
    shape: Shape,
    rate: Interval,
    rest: Interval,
    is_whole: bool,
    slope: Interval,
    offset: Interval,
    bits: u32,
}

enum Shape {
    Gaussian { reach: u32 },
    Laplace,
}

/// Taylor series of the loss and of both densities.
pub(super) struct LocalSeries {
    pub loss: Series,
    null: Series,
    alternative: Series,
}

impl LocalSeries {
    /// The density of a law.
    pub fn weight(&self, side: Weighing) -> &Series {
        match side {
            Weighing::Null => &self.null,
            Weighing::Alternative => &self.alternative,
        }
    }
}

impl Densities {
    /// Gaussian noise is integrated up to `reach` standard deviations of either law.
    pub fn new(noise: &Noise, rate: &Rational, reach: u32, bits: u32) -> Self {
        let (shape, slope, offset) = match noise {
            Noise::Gaussian { square } => (
                Shape::Gaussian { reach },
                Interval::from_rational(square, bits).sqrt(),
                Interval::from_rational(&Rational::from(square / -2), bits),
            ),
            Noise::Laplace { epsilon } => (
                Shape::Laplace,
                Interval::from_rational(epsilon, bits),
                Interval::zero(bits),
            ),
        };
        Self {
            shape,
            rate: Interval::from_rational(rate, bits),
            rest: Interval::from_rational(&Rational::from(1 - rate), bits),
            is_whole: *rate == 1,
            slope,
            offset,
            bits,
        }
    }

    /// dℓ/dz.
    pub fn slope(&self) -> &Interval {
        &self.slope
    }

    /// The integers between which z is integrated.
    pub fn range(&self) -> (i64, i64) {
        match self.shape {
            Shape::Gaussian { reach } => {
                let shift = self.slope.hi().to_integer_round(rug::float::Round::Up);
                let shift = shift.and_then(|(n, _)| n.to_i64()).unwrap_or(i64::MAX / 2);
                let reach = i64::from(reach);
                (reach.saturating_neg(), reach.saturating_add(shift))
            }
            Shape::Laplace => (-1, 1),
        }
    }

    /// L = log(1 − r + r·e^ℓ) at z, in two ways: one is accurate for small ℓ, one for large |ℓ|.
    pub fn loss(&self, z: &Interval) -> Interval {
        let inner = self.slope.mul(z).add(&self.offset);
        if self.is_whole {
            return inner;
        }
        let near = self.rate.mul(&inner.exp_m1()).ln_1p();
        let far = self.rest.add(&self.rate.mul(&inner.exp())).ln();
        near.intersect(&far).unwrap_or(near)
    }

    /// The series around z, or valid around every point of it.
    pub fn at(&self, z: &Interval, order: u32) -> LocalSeries {
        let inner = self.slope.mul(z).add(&self.offset);
        let ratio = Series::exponential(inner.exp(), &self.slope, order)
            .scaled(&self.rate)
            .plus_constant(&self.rest);
        let loss = if self.is_whole {
            Series::affine(inner, self.slope.clone(), order)
        } else {
            ratio.ln(self.loss(z))
        };
        let null = match self.shape {
            Shape::Gaussian { .. } => Series::normal_density(z, order),
            Shape::Laplace => self.laplace_density(z, order),
        };
        LocalSeries {
            alternative: null.times(&ratio),
            loss,
            null,
        }
    }

    fn laplace_density(&self, z: &Interval, order: u32) -> Series {
        let two = Interval::from_i64(2, self.bits);
        let decay = self.slope.div(&two).neg();
        let place = z.add(&Interval::one(self.bits));
        let height = self.slope.div(&two.square());
        Series::exponential(decay.mul(&place).exp().mul(&height), &decay, order)
    }

    /// Losses that have positive mass, with their masses.
    pub fn atoms(&self, side: Weighing) -> Vec<(Interval, Interval)> {
        let Shape::Laplace = self.shape else {
            return Vec::new();
        };
        let half = Interval::from_rational(&Rational::from((1, 2)), self.bits);
        let one = Interval::one(self.bits);
        let far = half.mul(&self.slope.neg().exp());
        [(one.neg(), half), (one, far)]
            .into_iter()
            .map(|(z, mass)| {
                let ratio = self.slope.mul(&z).exp().mul(&self.rate).add(&self.rest);
                let weight = match side {
                    Weighing::Null => mass,
                    Weighing::Alternative => mass.mul(&ratio),
                };
                (self.loss(&z), weight)
            })
            .collect()
    }

    /// Upper bound of E|L − centre|^power outside the range of integration, under both laws; `power ≤ 3`.
    ///
    /// With λ = −log(1 − r): −λ ≤ L ≤ max(0, ℓ) ≤ μ|z|, so |L − centre| ≤ c + μ|z| with c = λ + |centre|. Under Q, z = w + μ
    /// with w standard normal, so |L − centre| ≤ c + μ² + μ|w|. Outside the range |z| ≥ Z under P and |w| ≥ Z under Q, and
    /// (K + μ|z|)^k ≤ (K + μ)^k·|z|^k for |z| ≥ 1.
    pub fn tail_up(&self, power: u32, centre: &Interval) -> Interval {
        let Shape::Gaussian { reach } = self.shape else {
            return Interval::zero(self.bits);
        };
        let floor = self.rate.neg().ln_1p().neg();
        let magnitude = centre.max(&centre.neg());
        let size = floor
            .add(&magnitude)
            .add(&self.slope.square())
            .add(&self.slope);
        let mut bound = normal_tail_up(reach, self.bits);
        for _ in 0..power {
            bound = bound.mul(&size);
        }
        bound
    }
}

#[cfg(test)]
mod tests {
    use rug::Float;

    use super::*;
    use crate::kernel::coarse::at_most_bits;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    fn gaussian(square: Rational, rate: &Rational, reach: u32) -> Densities {
        Densities::new(&Noise::Gaussian { square }, rate, reach, 128)
    }

    /// As far beyond the second mean as before the first one, also where that is an integer and a trifle.
    #[test]
    fn both_laws_are_integrated_as_far() {
        let trifle = Rational::from((1, rug::Integer::from(1) << 200u32));
        for (square, shift) in [
            (q(9, 4), 2),
            (q(4, 1), 2),
            (q(4, 1) + &trifle, 3),
            (q(4, 1) - trifle, 2),
        ] {
            assert_eq!(gaussian(square, &q(1, 2), 5).range(), (-5, 5 + shift));
        }
    }

    /// At few bits no less is beyond.
    #[test]
    fn what_is_beyond_at_few_bits() {
        let mut random = crate::kernel::coarse::Random(46);
        for _ in 0..100 {
            let mut small = |below: u64| 1 + i64::try_from(random.below(below)).unwrap();
            let (square, rate) = (q(small(40), 8), q(small(15), 16));
            let reach = u32::try_from(small(6)).unwrap();
            let densities = gaussian(square, &rate, reach);
            for _ in 0..50 {
                let power = u32::try_from(random.below(4)).unwrap();
                let bits = 2 + u32::try_from(random.below(20)).unwrap();
                let mut end =
                    || Interval::point(Float::with_val(128, random.below(64)) / 8u32 - 4u32);
                let centre = end().hull(&end());
                let found = at_most_bits(bits, || densities.tail_up(power, &centre));
                let fine = densities.tail_up(power, &centre);
                assert!(found.hi() >= fine.lo(), "{power} {centre:?} {bits}");
            }
        }
    }

    /// 2·(Z² + 2)·φ(Z)·(λ + |c| + μ² + μ)^k.
    #[test]
    fn what_is_beyond_by_its_formula() {
        for (square, rate, reach) in [(q(9, 4), q(1, 3), 2u32), (q(1, 4), q(9, 10), 1)] {
            let densities = gaussian(square.clone(), &rate, reach);
            let (z, square) = (f64::from(reach), square.to_f64());
            let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            for centre in [-1.5, 0.0, 0.75] {
                let lambda = -(1.0 - rate.to_f64()).ln();
                let size = lambda + f64::abs(centre) + square + square.sqrt();
                let at = Interval::point(Float::with_val(128, centre));
                for power in 0..=3 {
                    let found = densities.tail_up(power, &at).hi().to_f64();
                    let truth = 2.0 * (z * z + 2.0) * density * size.powi(power.cast_signed());
                    assert!((found / truth - 1.0).abs() < 1e-12, "{found} {truth}");
                }
            }
        }
    }

    /// Over a stretch the loss reaches what it is at both ends, in either form.
    #[test]
    fn losses_over_a_stretch() {
        let rate = q(1, 3);
        for square in [q(1, 4), q(9, 1)] {
            let densities = gaussian(square.clone(), &rate, 14);
            let mu = square.to_f64().sqrt();
            let truth = |z: f64| {
                let ratio = (mu * z - mu * mu / 2.0).exp();
                (2.0 / 3.0 + ratio / 3.0).ln()
            };
            for (low, high) in [(-6.0, -2.0), (-1.0, 3.0), (2.0, 2.5), (4.0, 9.0)] {
                let [from, to] = [low, high].map(|z| Float::with_val(128, z));
                let found = densities.loss(&Interval::new(from, to).unwrap());
                assert!(found.lo().to_f64() <= truth(low) + 1e-12, "{found:?}");
                assert!(found.hi().to_f64() >= truth(high) - 1e-12, "{found:?}");
            }
        }
    }

    /// Also at a few bits, where either form may be the wide one.
    #[test]
    fn losses_at_a_few_bits() {
        for rate in [q(1, 3), q(9, 10), q(999, 1000)] {
            let share = rate.to_f64();
            for bits in 3..14 {
                for n in -40..40 {
                    let z = f64::from(n) / 4.0;
                    let truth = (1.0 - share + share * (z - 0.5).exp()).ln();
                    let at = Interval::point(Float::with_val(128, z));
                    let found = at_most_bits(bits, || gaussian(q(1, 1), &rate, 14).loss(&at));
                    let (low, high) = (found.lo().to_f64(), found.hi().to_f64());
                    let slack = 1e-12 * (1.0 + truth.abs());
                    assert!(
                        low <= truth + slack && truth - slack <= high,
                        "{bits} {z} {found:?}"
                    );
                }
            }
        }
    }
}
