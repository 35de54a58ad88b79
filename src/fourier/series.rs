//! The geometric series 1/(ρw − 1) at the roots of unity (I3).

use rug::{Float, Rational};

use super::LOG_BITS;
use super::fixed::{Complex, ERROR_BITS};
use crate::kernel::Interval;
use crate::kernel::directed as d;

/// Rates are at most this.
const MOST_RATE: u32 = 1 << 12;

/// The series 1/(ρw − 1).
pub(super) struct Kernel {
    /// 1/(M·|ρ − 1|).
    pub(super) scale: Interval,
    /// What the roots left out may add to the sum over nodes.
    pub(super) left_out_up: Float,
}

pub(super) fn magnitude(x: &Interval) -> Interval {
    x.max(&x.neg())
}

/// A root of unity and what the series need of it.
pub(super) struct Root {
    number: Complex,
    sine: Interval,
    /// 1 − cos φ.
    rise: Interval,
}

impl Root {
    /// Ensures: as [`root_of_unity`], for half the angle: sin φ = 2sc and 1 − cos φ = 2s² are within relative errors of 2^−170, and
    /// so is everything of 2^−170 of 1.
    pub(super) fn new(k: u64, period: u64) -> Self {
        let pi = Float::with_val(LOG_BITS, rug::float::Constant::Pi);
        let half = pi * k / period.max(1);
        let (sin, cos) = half.sin_cos(Float::new(LOG_BITS));
        let (sin, cos) = (around(sin), around(cos));
        let two = Interval::from_i64(2, LOG_BITS);
        let sine = sin.mul(&cos).mul(&two);
        let rise = sin.square().mul(&two);
        let cosine = rise.one_minus();
        Self {
            number: Complex::from_floats(cosine.lo(), sine.lo()),
            sine,
            rise,
        }
    }

    pub(super) fn number(&self) -> Complex {
        self.number
    }
}

/// A float that is off by less than 2^−170 of its size.
fn around(x: Float) -> Interval {
    let error = Float::with_val(LOG_BITS, x.abs_ref()) >> 170u32;
    Interval::between_or_line(
        d::sub_down(&x, &error, LOG_BITS),
        d::add_up(&x, &error, LOG_BITS),
    )
}

/// 1/(ρw − 1) for one ρ = e^rate.
pub(super) struct Series {
    growth: Interval,
    /// ρ − 1.
    excess: Interval,
}

/// Error of a kernel at a node: two parts, each the lower end of an interval narrower than 2^−130, rounded to 2^−120. With
/// |rate| ≤ 2^12 every operation is relatively accurate to 2^−170, and what is subtracted in the real part is at most of modulus 1
/// after scaling.
pub(super) fn kernel_error_up() -> Float {
    Float::with_val(ERROR_BITS, 1) >> 117u32
}

impl Series {
    /// `None` for rates beyond what is computed with.
    pub(super) fn new(rate: &Rational) -> Option<Self> {
        if rate.clone().abs() > MOST_RATE {
            return None;
        }
        let rate = Interval::from_rational(rate, LOG_BITS);
        Some(Self {
            growth: rate.exp(),
            excess: rate.exp_m1(),
        })
    }

    /// |ρ − 1|/(ρw − 1) = |ρ − 1|·(ρ·conj(w) − 1)/|ρw − 1|², |ρw − 1|² = (ρ − 1)² + 2ρ(1 − cos φ).
    pub(super) fn at(&self, root: &Root) -> Complex {
        let two = Interval::from_i64(2, LOG_BITS);
        let turn = self.growth.mul(&root.rise);
        let square = self.excess.square().add(&turn.mul(&two));
        let scale = magnitude(&self.excess).div(&square);
        // ρ·cos φ − 1 = ρ − 1 − ρ(1 − cos φ).
        let re = self.excess.sub(&turn).mul(&scale);
        let im = self.growth.mul(&root.sine).neg().mul(&scale);
        Complex::from_floats(re.lo(), im.lo())
    }

    /// Σ_{K<|k|≤M/2} |ρ − 1|/|ρw − 1| ≤ |ρ − 1|·M/(2√ρ)·Σ_{k>K} 1/k, since |ρw − 1| ≥ 2√ρ·sin(φ/2) ≥ 4√ρ·k/M; the last sum is at most
    /// log(M/2K), and 1 + log(M/2) for K = 0.
    pub(super) fn kernel(&self, nodes: u64, period: u64, log_left_out: &Float) -> Kernel {
        let real = |n: u64| Interval::from_integer(&n.into(), LOG_BITS);
        let (period, two) = (real(period), Interval::from_i64(2, LOG_BITS));
        let excess = magnitude(&self.excess);
        let harmonic = period
            .div(&two.mul(&real(nodes.max(1))))
            .ln()
            .at_least_zero();
        let harmonic = harmonic.add(&Interval::one(LOG_BITS));
        let roots = excess
            .mul(&period)
            .div(&two.mul(&self.growth.sqrt()))
            .mul(&harmonic);
        let left_out = d::exp_up(log_left_out, ERROR_BITS);
        Kernel {
            scale: period.mul(&excess).recip(),
            left_out_up: d::mul_up(&left_out, roots.hi(), ERROR_BITS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits, surrounds};

    /// With fewer bits all enclosures are wider, and what is left out is bounded farther above.
    #[test]
    fn few_bits_surround_many() {
        let mut random = Random(1);
        for _ in 0..5_000 {
            let (period, bits) = (
                2 + random.below(5000),
                3 + u32::try_from(random.below(14)).unwrap(),
            );
            let (k, nodes) = (random.below(1 + period / 2), random.below(1 + period / 2));
            let n = i64::try_from(random.below(600)).unwrap() - 300;
            let rate = Rational::from((if n == 0 { 1 } else { n }, 100));
            let log_left_out = -Float::with_val(ERROR_BITS, random.below(60));
            let all = || {
                let (root, series) = (Root::new(k, period), Series::new(&rate).unwrap());
                let kernel = series.kernel(nodes, period, &log_left_out);
                let intervals = [
                    root.sine,
                    root.rise,
                    series.growth,
                    series.excess,
                    kernel.scale,
                ];
                (intervals, kernel.left_out_up)
            };
            let ((coarse, coarse_up), (fine, fine_up)) = (at_most_bits(bits, all), all());
            for (coarse, fine) in coarse.iter().zip(&fine) {
                assert!(
                    surrounds(coarse, fine),
                    "{k}/{period} {rate}, {bits} bits: {coarse:?} {fine:?}"
                );
            }
            assert!(
                coarse_up.to_f64() >= fine_up.to_f64() * (1.0 - 1e-12),
                "{rate} {nodes}/{period}, {bits} bits"
            );
        }
    }

    /// Every term left out is at most what its bound adds for it.
    #[test]
    fn what_is_left_out_is_bounded() {
        for (rate, period, nodes) in [
            ((1, 2), 60u64, 5u64),
            ((-1, 3), 101, 0),
            ((3, 1), 40, 19),
            ((1, 100), 64, 1),
            // Nothing but the term 1 of the harmonic sum.
            ((1, 100), 3, 0),
            ((-1, 100), 5, 0),
        ] {
            let series = Series::new(&Rational::from(rate)).unwrap();
            let bound = series
                .kernel(nodes, period, &Float::new(ERROR_BITS))
                .left_out_up
                .to_f64();
            let sum: f64 = (nodes + 1..=period / 2)
                .map(|k| {
                    let at = series.at(&Root::new(k, period));
                    let part = |x: i128| x as f64 / super::super::fixed::ONE as f64;
                    let twice = if 2 * k == period { 1.0 } else { 2.0 };
                    twice * part(at.re).hypot(part(at.im))
                })
                .sum();
            assert!(sum <= bound, "{rate:?} {nodes}/{period}: {sum} {bound}");
        }
    }

    /// No root at all: |ρ − 1|·M/(2√ρ)·(1 + log(M/2)), as the proof has it.
    #[test]
    fn what_is_left_out_where_nothing_is_taken() {
        for (rate, period) in [((1, 2), 61u64), ((-1, 3), 1001), ((2, 1), 5)] {
            let rate = Rational::from(rate);
            let found = Series::new(&rate).unwrap();
            let found = found.kernel(0, period, &Float::new(ERROR_BITS)).left_out_up;
            let (rate, half) = (rate.to_f64(), period as f64 / 2.0);
            let expected = rate.exp_m1().abs() * half / (rate / 2.0).exp() * (1.0 + half.ln());
            let ratio = found.to_f64() / expected;
            assert!((1.0 - 1e-12..1.0 + 1e-9).contains(&ratio), "{ratio}");
        }
    }
}
