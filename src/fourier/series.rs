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
    sine: Float,
    /// 1 − cos φ.
    rise: Float,
}

/// So many roots are turned on from one to the next.
pub(super) const ROOTS_IN_TURN: u64 = 64;

impl Root {
    /// The roots from number `first` to `last`, but no more than [`ROOTS_IN_TURN`] of them.
    ///
    /// Requires: no root is more than half a turn away, and there are at least 3.
    /// Ensures: with v = 2^−192, what MPFR rounds π, the product, the quotient and both functions to is off by at most 4v of sin(φ/2) and by 6v of 1 for cos(φ/2).
    /// A turn multiplies two complex numbers of modulus 1: together with its roundings it adds at most 14v, so that after n < 64 turns both are off by less than 2^10·v. To sin(φ/2),
    /// a sum of positive terms of which the second is at most c·s₁ and s₁ ≤ s', it adds relatively at most 18v and what the cosine is off by: in all less than 2^15·v. So
    /// 1 − cos φ = 2s² is off by less than 2^−175 of itself, sin φ = 2sc by less than 2^−175·s, and the root, in units, by less than 2^−118.
    pub(super) fn turns(first: u64, last: u64, period: u64) -> Vec<Self> {
        let one = half_angle(1, period);
        let mut at = half_angle(first, period);
        let last = last.min(first.saturating_add(ROOTS_IN_TURN).saturating_sub(1));
        let roots = (first..=last).map(|_| {
            let root = Self::of_half(&at);
            at = turned(&at, &one);
            root
        });
        roots.collect()
    }

    fn of_half((sin, cos): &(Float, Float)) -> Self {
        let sine = Float::with_val(LOG_BITS, sin * cos) << 1u32;
        let rise = Float::with_val(LOG_BITS, sin.square_ref()) << 1u32;
        let cosine = Float::with_val(LOG_BITS, 1 - &rise);
        Self {
            number: Complex::from_floats(&cosine, &sine),
            sine,
            rise,
        }
    }

    pub(super) fn number(&self) -> Complex {
        self.number
    }
}

/// sin(φ/2) and cos(φ/2) for φ = 2πk/period.
fn half_angle(k: u64, period: u64) -> (Float, Float) {
    let pi = Float::with_val(LOG_BITS, rug::float::Constant::Pi);
    (pi * k / period.max(1)).sin_cos(Float::new(LOG_BITS))
}

/// Sine and cosine of the sum of two angles.
fn turned((sin, cos): &(Float, Float), (by_sin, by_cos): &(Float, Float)) -> (Float, Float) {
    let product = |a: &Float, b: &Float| Float::with_val(LOG_BITS, a * b);
    (
        product(sin, by_cos) + product(cos, by_sin),
        product(cos, by_cos) - product(sin, by_sin),
    )
}

/// 1/(ρw − 1) for one ρ = e^rate.
pub(super) struct Series {
    growth: Interval,
    /// ρ − 1.
    excess: Interval,
}

/// Error of a kernel at a node, a number of modulus at most 1: as [`Series::at`] says, and two parts rounded to 2^−120.
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
    ///
    /// Ensures: each part is off by less than 2^−167 before it is rounded to units. As |rate| ≤ 2^12, the ends of ρ and ρ − 1 are within 2^−177 of their sizes, the square, a sum
    /// of positive terms, within 2^−173, and |ρ − 1|/square within 2^−172. Times that, |ρ − 1| is at most 1, ρ(1 − cos φ) at most 4 and ρ·sin(φ/2) at most 2: where |ρ − 1| ≤ 1 the square is at least
    /// 2ρ(1 − cos φ) and, by the means of its terms, 4|ρ − 1|·√ρ·sin(φ/2) with ρ ≤ 2; elsewhere ρ ≤ 2|ρ − 1|, and the square is at least |ρ − 1|².
    pub(super) fn at(&self, root: &Root) -> Complex {
        let (growth, excess) = (self.growth.lo(), self.excess.lo());
        let turn = Float::with_val(LOG_BITS, growth * &root.rise);
        let square = Float::with_val(LOG_BITS, excess.square_ref())
            + Float::with_val(LOG_BITS, &turn << 1u32);
        let scale = Float::with_val(LOG_BITS, excess.abs_ref()) / square;
        // ρ·cos φ − 1 = ρ − 1 − ρ(1 − cos φ).
        let re = Float::with_val(LOG_BITS, excess - turn) * &scale;
        let im = -(Float::with_val(LOG_BITS, growth * &root.sine) * scale);
        Complex::from_floats(&re, &im)
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
            let nodes = random.below(1 + period / 2);
            let n = i64::try_from(random.below(600)).unwrap() - 300;
            let rate = Rational::from((if n == 0 { 1 } else { n }, 100));
            let log_left_out = -Float::with_val(ERROR_BITS, random.below(60));
            let all = || {
                let series = Series::new(&rate).unwrap();
                let kernel = series.kernel(nodes, period, &log_left_out);
                let intervals = [series.growth, series.excess, kernel.scale];
                (intervals, kernel.left_out_up)
            };
            let ((coarse, coarse_up), (fine, fine_up)) = (at_most_bits(bits, all), all());
            for (coarse, fine) in coarse.iter().zip(&fine) {
                assert!(
                    surrounds(coarse, fine),
                    "{period} {rate}, {bits} bits: {coarse:?} {fine:?}"
                );
            }
            assert!(
                coarse_up.to_f64() >= fine_up.to_f64() * (1.0 - 1e-12),
                "{rate} {nodes}/{period}, {bits} bits"
            );
        }
    }

    /// Roots, turned on from one to the next, and kernels, against 500 bits.
    #[test]
    fn roots_and_kernels_are_as_near_as_said() {
        const FINE: u32 = 500;
        let mut random = Random(2);
        let near = |found: &Float, truth: &Float, digits: u32, size: &Float| {
            let gap = Float::with_val(FINE, found - truth).abs();
            gap <= Float::with_val(FINE, size >> digits)
        };
        let one = Float::with_val(FINE, 1);
        for case in 0..60u64 {
            let period = 3 + random.below([5, 3000, 1 << 20, 1 << 45][case as usize % 4]);
            let first = match case % 3 {
                0 => 0,
                1 => random.below(1 + period / 2),
                _ => (period / 2).saturating_sub(70),
            };
            let last = (period / 2).min(first + random.below(100));
            let roots = Root::turns(first, last, period);
            let count = (last + 1 - first).min(ROOTS_IN_TURN);
            assert_eq!(roots.len() as u64, count);
            // e^rate with exponents from next to 0 to the largest.
            let digits = random.below(30) as u32;
            let rate = Rational::from((1 + random.below(4096), 1u64 << digits));
            let rate = if random.once_in(2) { -rate } else { rate };
            let series = Series::new(&rate).unwrap();
            let rho = Float::with_val(FINE, &rate).exp();
            let excess = Float::with_val(FINE, &rate).exp_m1();
            for (k, root) in (first..).zip(&roots) {
                let pi = Float::with_val(FINE, rug::float::Constant::Pi);
                let (half, cos) = (pi * k / period).sin_cos(Float::new(FINE));
                let sine = Float::with_val(FINE, &half * &cos) * 2u32;
                let rise = Float::with_val(FINE, half.square_ref()) * 2u32;
                assert!(near(&root.rise, &rise, 175, &rise), "{k}/{period}");
                assert!(near(&root.sine, &sine, 175, &half), "{k}/{period}");
                let units = |x| super::super::fixed::to_float(x, FINE);
                let number = root.number();
                let cosine = Float::with_val(FINE, 1 - &rise);
                assert!(near(&units(number.re), &cosine, 119, &one), "{k}/{period}");
                assert!(near(&units(number.im), &sine, 119, &one), "{k}/{period}");
                let turn = Float::with_val(FINE, &rho * &rise);
                let square = Float::with_val(FINE, excess.square_ref())
                    + Float::with_val(FINE, &turn * 2u32);
                let scale = Float::with_val(FINE, excess.abs_ref()) / square;
                let re = Float::with_val(FINE, &excess - turn) * &scale;
                let im = -(Float::with_val(FINE, &rho * &sine) * scale);
                let found = series.at(root);
                assert!(
                    near(&units(found.re), &re, 119, &one),
                    "{k}/{period} {rate}"
                );
                assert!(
                    near(&units(found.im), &im, 119, &one),
                    "{k}/{period} {rate}"
                );
            }
        }
    }

    /// What [`Root::turns`] says of its errors, added up in units of 2^−192 for as many turns as are made: a constant that allows more of them is seen here.
    #[test]
    fn no_more_turns_than_their_errors_allow() {
        let (mut sine, mut cosine) = (4u64, 6u64);
        for _ in 1..ROOTS_IN_TURN {
            sine += 18 + cosine;
            cosine += 14;
        }
        assert!(cosine < 1 << 10 && sine < 1 << 15, "{cosine} {sine}");
        // The square of a sine, and what it is rounded to: 1 − cos φ is off by less than 2^−175 of itself.
        assert!(2 * sine + 4 < 1 << (LOG_BITS - 175));
        // However many there are, no more are turned on.
        for (first, last, period) in [(0, 4_000, 8_001), (7, 1 << 40, 1 << 45), (0, 64, 129)] {
            let roots = Root::turns(first, last, period);
            assert_eq!(roots.len(), 64);
        }
    }

    /// One turn, from numbers that are off by what they are: no more is added than is added up above.
    #[test]
    fn a_turn_adds_no_more_than_said() {
        const FINE: u32 = 500;
        let unit = Float::with_val(FINE, 1) >> LOG_BITS;
        let mut random = Random(3);
        for _ in 0..10_000 {
            let size = [5, 3000, 1 << 20, 1 << 45][random.below(4) as usize];
            let period = 3 + random.below(size);
            let k = random.below(period / 2);
            let at = |k: u64| {
                let pi = Float::with_val(FINE, rug::float::Constant::Pi);
                (pi * k / period).sin_cos(Float::new(FINE))
            };
            let off = |found: &Float, truth: &Float| {
                Float::with_val(FINE, found - truth).abs() / unit.clone()
            };
            let (here, one) = (half_angle(k, period), half_angle(1, period));
            let (truth, next) = (at(k), at(k + 1));
            let (before, exact) = (off(&here.0, &truth.0), off(&here.1, &truth.1));
            assert!(
                before <= 4u32 * truth.0.clone() && exact <= 6,
                "{k}/{period}"
            );
            let found = turned(&here, &one);
            assert!(
                off(&found.1, &next.1) <= exact + before + 14u32,
                "{k}/{period}"
            );
            let relative = off(&found.0, &next.0) / next.0;
            assert!(relative <= 4 + 18 + 6, "{k}/{period}");
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
                    let at = series.at(&Root::turns(k, k, period)[0]);
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
