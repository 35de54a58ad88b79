//! The geometric series 1/(ρw − 1) at the roots of unity (I3).

use rug::{Float, Rational};

use super::LOG_BITS;
use super::fixed::{self, Complex, ERROR_BITS, Fixed};
use crate::kernel::Interval;
use crate::kernel::directed as d;
use crate::kernel::magnitude::Magnitude;
use crate::kernel::normal_fixed::Wide;

/// Rates are at most this.
const MOST_RATE: u32 = 1 << 12;

/// The series 1/(ρw − 1).
pub(super) struct Kernel {
    /// 1/(M·|ρ − 1|).
    pub(super) scale: Interval,
    /// What the roots left out may add to the sum over nodes.
    pub(super) left_out_up: Float,
    /// At least |ρ − 1|·M/(2√ρ): this over k bounds the moduli of the series at both roots of a pair together.
    pub(super) reach_up: Float,
}

pub(super) fn magnitude(x: &Interval) -> Interval {
    x.max(&x.neg())
}

/// A root of unity and what the series need of it.
pub(super) struct Root {
    number: Complex,
    /// None of the root 1.
    angle: Option<Angle>,
}

/// What the series need of an angle φ.
struct Angle {
    sine: Magnitude,
    /// 1 − cos φ.
    rise: Magnitude,
}

/// So many roots are turned on from one to the next.
pub(super) const ROOTS_IN_TURN: u64 = 64;

impl Root {
    /// The roots from number `first` to `last`, but no more than [`ROOTS_IN_TURN`] of them.
    ///
    /// Requires: all roots are less than half a turn away, and there are at least 3.
    /// Ensures: with v = 2^−187, what MPFR rounds π, the product, the quotient and both functions to is off by at most v/8 of sin(φ/2) and, with the units of the cosine, by v/2 of 1
    /// for cos(φ/2). A turn adds at most 8v to either: what the turn itself is off by, and what [`Half::turned`] rounds. So after n < 64 turns both are off by less than 2^9·v. To
    /// sin(φ/2), a sum of positive terms of which the second is at most c·s₁ and s₁ ≤ s', it adds relatively at most 5v and what the cosine is off by: in all less than 2^15·v. So
    /// 1 − cos φ = 2s² is off by less than 2^−170 of itself, sin φ = 2sc by less than 2^−170·s, and the root, in units, by less than 2^−118.
    ///
    /// `None` where a number does not fit, which does not happen.
    pub(super) fn turns(first: u64, last: u64, period: u64) -> Option<Vec<Self>> {
        let last = last.min(first.saturating_add(ROOTS_IN_TURN).saturating_sub(1));
        let mut roots = Vec::new();
        if first == 0 {
            roots.push(Self {
                number: Complex::ONE,
                angle: None,
            });
        }
        let from = first.max(1);
        if from > last {
            return Some(roots);
        }
        let one = Half::of(1, period)?;
        let mut at = Half::of(from, period)?;
        for k in from..=last {
            roots.push(at.root()?);
            if k < last {
                at = at.turned(&one)?;
            }
        }
        Some(roots)
    }

    pub(super) fn number(&self) -> Complex {
        self.number
    }
}

/// Binary digits of cosines after the point.
const COSINE_DIGITS: u32 = 190;

/// Half an angle φ, 0 < φ < π.
struct Half {
    sin: Magnitude,
    /// In units of 2^−190.
    cos: Wide,
}

impl Half {
    /// φ/2 for φ = 2πk/period.
    fn of(k: u64, period: u64) -> Option<Self> {
        let pi = Float::with_val(LOG_BITS, rug::float::Constant::Pi);
        let (sin, cos) = (pi * k / period.max(1)).sin_cos(Float::new(LOG_BITS));
        let cos = Magnitude::below(&cos)?;
        Some(Self {
            sin: Magnitude::below(&sin)?,
            cos: cos.fixed(COSINE_DIGITS.cast_signed())?,
        })
    }

    /// The sum of two angles.
    ///
    /// Ensures: a product of magnitudes is below by less than v of itself, a sum by v/4, and a product with a cosine by less than 14 units, 2v. The cosine is rounded by less than 2v + v +
    /// v/8 in all, the sine by less than 2·(v + v) + v/4, of which v + v/4 of itself for magnitudes.
    fn turned(&self, by: &Self) -> Option<Self> {
        let cosine = |x: &Self| Magnitude::of_wide(x.cos, COSINE_DIGITS);
        let sin = (self.sin.times(cosine(by)?)).plus(by.sin.times(cosine(self)?));
        let less = self.sin.times(by.sin).fixed(COSINE_DIGITS.cast_signed())?;
        let cos = cosine(by)?.scale(self.cos)?.wrapping_sub(less);
        (!cos.is_negative()).then_some(Self { sin, cos })
    }

    fn root(&self) -> Option<Root> {
        let cos = Magnitude::of_wide(self.cos, COSINE_DIGITS)?;
        let sine = self.sin.times(cos).shifted(1);
        let rise = self.sin.times(self.sin).shifted(1);
        Some(Root {
            number: Complex {
                re: fixed::ONE.wrapping_sub(units(rise)?),
                im: units(sine)?,
            },
            angle: Some(Angle { sine, rise }),
        })
    }
}

/// A number of at most 4 in units, rounded down.
fn units(x: Magnitude) -> Option<Fixed> {
    fixed::of_wide(x.fixed(fixed::FRACTION.cast_signed())?)
}

/// 1/(ρw − 1) for one ρ = e^rate.
pub(super) struct Series {
    growth: Interval,
    /// ρ − 1.
    excess: Interval,
    /// An end of the enclosure of each, ρ and |ρ − 1|, rounded down.
    sizes: [Magnitude; 2],
}

/// Error of a kernel at a node, a number of modulus at most 1: as [`Series::at`] says.
pub(super) fn kernel_error_up() -> Float {
    Float::with_val(ERROR_BITS, 1) >> 117u32
}

impl Series {
    /// `None` for rates beyond what is computed with, and for 0.
    pub(super) fn new(rate: &Rational) -> Option<Self> {
        if rate.clone().abs() > MOST_RATE {
            return None;
        }
        let rate = Interval::from_rational(rate, LOG_BITS);
        let (growth, excess) = rate.exp_and_exp_m1();
        let size = Magnitude::below(&Float::with_val(LOG_BITS, excess.lo().abs_ref()))?;
        Some(Self {
            sizes: [Magnitude::below(growth.lo())?, size],
            growth,
            excess,
        })
    }

    /// |ρ − 1|/(ρw − 1) = |ρ − 1|·(ρ·conj(w) − 1)/|ρw − 1|², |ρw − 1|² = (ρ − 1)² + 2ρ(1 − cos φ).
    ///
    /// Ensures: each part is off by less than 2^−164 before it is rounded to units, which is once or twice. As |rate| ≤ 2^12, the ends of ρ and ρ − 1 are within 2^−177 of their sizes, the square, a
    /// sum of positive terms, within 2^−168, and |ρ − 1|/square within 2^−167. Times that, |ρ − 1| is at most 1, ρ(1 − cos φ) at most 4 and ρ·sin(φ/2) at most 2: where |ρ − 1| ≤ 1 the square is at least
    /// 2ρ(1 − cos φ) and, by the means of its terms, 4|ρ − 1|·√ρ·sin(φ/2) with ρ ≤ 2; elsewhere ρ ≤ 2|ρ − 1|, and the square is at least |ρ − 1|². `None` for what does not fit,
    /// which does not happen.
    pub(super) fn at(&self, root: &Root) -> Option<Complex> {
        let is_negative = *self.excess.lo() < 0;
        let signed = |x: Fixed| if is_negative { x.wrapping_neg() } else { x };
        let Some(angle) = &root.angle else {
            return Some(Complex {
                re: signed(fixed::ONE),
                im: 0,
            });
        };
        let [growth, excess] = self.sizes;
        let turn = growth.times(angle.rise);
        let square = excess.times(excess).plus(turn.shifted(1));
        let scale = excess.times(square.recip()?);
        // ρ·cos φ − 1 = ρ − 1 − ρ(1 − cos φ).
        let (straight, turned) = (units(excess.times(scale))?, units(turn.times(scale))?);
        let im = units(growth.times(angle.sine).times(scale))?;
        Some(Complex {
            re: signed(straight).wrapping_sub(turned),
            im: im.wrapping_neg(),
        })
    }

    /// Σ_{K<|k|≤M/2} |ρ − 1|/|ρw − 1| ≤ |ρ − 1|·M/(2√ρ)·Σ_{k>K} 1/k, since |ρw − 1| ≥ 2√ρ·sin(φ/2) ≥ 4√ρ·k/M; the last sum is at most
    /// log(M/2K), and 1 + log(M/2) for K = 0.
    pub(super) fn kernel(&self, nodes: u64, period: u64, log_left_out: &Float) -> Kernel {
        let real = |n: u64, bits: u32| Interval::from_integer(&n.into(), bits);
        let excess = magnitude(&self.excess);
        // Of what is left out, few digits matter.
        let (coarse, two) = (real(period, ERROR_BITS), Interval::from_i64(2, ERROR_BITS));
        let harmonic = coarse
            .div(&two.mul(&real(nodes.max(1), ERROR_BITS)))
            .ln()
            .at_least_zero();
        let harmonic = harmonic.add(&Interval::one(ERROR_BITS));
        let reach = excess
            .at_bits(ERROR_BITS)
            .mul(&coarse)
            .div(&two.mul(&self.growth.at_bits(ERROR_BITS).sqrt()));
        let roots = reach.mul(&harmonic);
        let left_out = Interval::point(log_left_out.clone()).at_bits(ERROR_BITS);
        let left_out = left_out.exp_up_in_short();
        Kernel {
            scale: real(period, LOG_BITS).mul(&excess).recip(),
            left_out_up: d::mul_up(&left_out, roots.hi(), ERROR_BITS),
            reach_up: reach.hi().clone(),
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
                1 => random.below(period.div_ceil(2)),
                _ => (period / 2).saturating_sub(70),
            };
            let last = ((period - 1) / 2).min(first + random.below(100));
            let roots = Root::turns(first, last, period).unwrap();
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
                if let Some(angle) = &root.angle {
                    let [found_rise, found_sine] =
                        [angle.rise, angle.sine].map(Magnitude::to_float);
                    assert!(near(&found_rise, &rise, 170, &rise), "{k}/{period}");
                    assert!(near(&found_sine, &sine, 170, &half), "{k}/{period}");
                } else {
                    assert_eq!(k, 0);
                }
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
                let found = series.at(root).unwrap();
                // Two units, and one.
                assert!(
                    near(&units(found.re), &re, 119, &one),
                    "{k}/{period} {rate}"
                );
                assert!(
                    near(&units(found.im), &im, 120, &one),
                    "{k}/{period} {rate}"
                );
            }
        }
    }

    /// What [`Root::turns`] says of its errors, added up in units of 2^−190 for as many turns as are made: a constant that allows more of them is seen here.
    #[test]
    fn no_more_turns_than_their_errors_allow() {
        let (mut sine, mut cosine) = (1u64, 4u64);
        for _ in 1..ROOTS_IN_TURN {
            sine += 40 + cosine;
            cosine += 64;
        }
        assert!(cosine < 1 << 12 && sine < 1 << 18, "{cosine} {sine}");
        // The square of a sine, and what it is rounded to: 1 − cos φ is off by less than 2^−170 of itself.
        assert!(2 * sine + 8 < 1 << (COSINE_DIGITS - 170));
        // However many there are, no more are turned on.
        for (first, last, period) in [(0, 4_000, 8_001), (7, 1 << 40, 1 << 45), (0, 64, 129)] {
            let roots = Root::turns(first, last, period).unwrap();
            assert_eq!(roots.len(), 64);
        }
        assert_eq!(Root::turns(0, 0, 3).unwrap().len(), 1);
        assert_eq!(Root::turns(5, 3, 11).unwrap().len(), 0);
    }

    /// One turn, from numbers that are off by what they are: no more is added than is added up above.
    #[test]
    fn a_turn_adds_no_more_than_said() {
        const FINE: u32 = 500;
        let unit = Float::with_val(FINE, 1) >> COSINE_DIGITS;
        let mut random = Random(3);
        for round in 0..10_000 {
            let size = [5, 3000, 1 << 20, 1 << 45][random.below(4) as usize];
            let period = 3 + random.below(size);
            let most = (period - 1) / 2 - 1;
            let k = if round % 5 == 0 {
                most.max(1)
            } else {
                1 + random.below(most.max(1))
            };
            if 2 * (k + 1) >= period {
                continue;
            }
            let at = |k: u64| {
                let pi = Float::with_val(FINE, rug::float::Constant::Pi);
                (pi * k / period).sin_cos(Float::new(FINE))
            };
            let off = |half: &Half, truth: &(Float, Float)| {
                let cos = Float::with_val(
                    FINE,
                    rug::Integer::from_digits(&half.cos.0, rug::integer::Order::Lsf),
                );
                let (sin, cos) = (half.sin.to_float(), cos * &unit);
                let off = |found: &Float, truth: &Float| {
                    Float::with_val(FINE, found - truth).abs() / unit.clone()
                };
                (off(&sin, &truth.0) / &truth.0, off(&cos, &truth.1))
            };
            let (here, one) = (Half::of(k, period).unwrap(), Half::of(1, period).unwrap());
            let (before, exact) = off(&here, &at(k));
            assert!(before <= 1 && exact <= 4, "{k}/{period}");
            let (sin, cos) = off(&here.turned(&one).unwrap(), &at(k + 1));
            assert!(cos <= exact.clone() + 64u32, "{k}/{period} {cos}");
            assert!(sin <= before + 40u32 + exact, "{k}/{period} {sin}");
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
                    if 2 * k == period {
                        // At w = −1.
                        let rate = f64::from(rate.0) / f64::from(rate.1);
                        return (rate / 2.0).tanh().abs();
                    }
                    let at = series.at(&Root::turns(k, k, period).unwrap()[0]).unwrap();
                    let part = |x: i128| x as f64 / super::super::fixed::ONE as f64;
                    2.0 * part(at.re).hypot(part(at.im))
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
