//! The inverses of Φ and 1 − Φ: an unrigorous search, then a bracket verified by directed evaluations.
//!
//! The search (Halley's iteration, rounding to nearest) decides nothing: whatever it finds, an end is
//! returned only after a directed evaluation has shown on which side of the root it lies.

use rug::Float;
use rug::float::{Constant, Round};
use rug::ops::NegAssign;

use super::Interval;
use super::about;
use super::directed as d;
use super::normal::{half, over_sqrt_two_down, over_sqrt_two_up, survival_down, survival_up};

/// Φ⁻¹(p), for p clipped to [0, 1]; Φ⁻¹(0) = −∞ and Φ⁻¹(1) = +∞.
///
/// Ensures: contains Φ⁻¹ of every member; relative width about 2^-(bits − 5) plus what the width of p brings.
pub fn quantile(p: &Interval) -> Interval {
    // Symmetry: Φ(x) = 1 − Φ(−x).
    survival_inverse(p).neg()
}

/// The x with 1 − Φ(x) = p, for p clipped to [0, 1]; it is +∞ for p = 0 and −∞ for p = 1.
///
/// Ensures: contains the x of every member of p; relative width about 2^-(bits − 5) plus what the width of p
/// brings. A p close to 1 that is only known as 1 minus a small number is better served by [`quantile`] of that number.
pub fn survival_inverse(p: &Interval) -> Interval {
    let bits = p.bits();
    // x is a decreasing function of p, because 1 − Φ has the derivative −φ < 0.
    let upper = Root::new(p.lo());
    let upper_guess = upper.guess(bits);
    let lower = Root::new(p.hi());
    let lower_guess = if p.lo() == p.hi() {
        upper_guess.clone()
    } else {
        lower.guess_near(&upper, &upper_guess, bits)
    };
    Interval::between_or_line(
        lower.bound_down(&lower_guess, bits),
        upper.bound_up(&upper_guess, bits),
    )
}

/// Where to look for the x with 1 − Φ(x) = p.
#[derive(PartialEq)]
enum Root {
    /// p ≤ 0.
    Infinity,
    /// p ≥ 1.
    NegInfinity,
    /// p ≤ 1/2: a root x ≥ 0.
    Right(Equation),
    /// p > 1/2: minus the root of the equation for 1 − p.
    Left(Equation),
}

/// An equation for a number x ≥ 0; in both forms the right side is known to full relative precision.
#[derive(PartialEq)]
enum Equation {
    /// 1 − Φ(x) = q with 0 < q < 1/4.
    Tail(Float),
    /// Φ(x) − 1/2 = c with 0 ≤ c ≤ 1/4.
    Centre(Float),
}

impl Root {
    fn new(p: &Float) -> Self {
        let bits = p.prec();
        if *p <= 0 {
            Self::Infinity
        } else if *p >= 1 {
            Self::NegInfinity
        } else if *p <= half(bits) {
            Self::Right(Equation::new(p))
        } else {
            // Exact: p in (1/2, 1) is a multiple of 2^-bits, so 1 − p < 1/2 is one too and fits.
            Self::Left(Equation::new(&Float::with_val(bits, 1 - p)))
        }
    }

    fn guess(&self, bits: u32) -> Float {
        match self {
            Self::Infinity | Self::NegInfinity => Float::new(bits),
            Self::Right(equation) | Self::Left(equation) => {
                equation.refine(equation.start(), START_ACCURACY, bits)
            }
        }
    }

    /// A guess that starts from the guess for another root, if that is close.
    fn guess_near(&self, other: &Self, other_guess: &Float, bits: u32) -> Float {
        match (self, other) {
            (Self::Right(mine), Self::Right(theirs)) | (Self::Left(mine), Self::Left(theirs)) => {
                match mine.agreement(theirs) {
                    Some(accuracy) if accuracy > START_ACCURACY => {
                        mine.refine(other_guess.clone(), accuracy, bits)
                    }
                    _ => self.guess(bits),
                }
            }
            _ => self.guess(bits),
        }
    }

    /// Ensures: at most the root.
    fn bound_down(&self, guess: &Float, bits: u32) -> Float {
        match self {
            Self::Infinity => d::infinity(bits),
            Self::NegInfinity => d::neg_infinity(bits),
            Self::Right(equation) => equation.bound_down(guess, bits),
            Self::Left(equation) => -equation.bound_up(guess, bits),
        }
    }

    /// Ensures: at least the root.
    fn bound_up(&self, guess: &Float, bits: u32) -> Float {
        match self {
            Self::Infinity => d::infinity(bits),
            Self::NegInfinity => d::neg_infinity(bits),
            Self::Right(equation) => equation.bound_up(guess, bits),
            Self::Left(equation) => -equation.bound_down(guess, bits),
        }
    }
}

/// Rigorous part.
impl Equation {
    /// Requires: 0 < q ≤ 1/2.
    fn new(q: &Float) -> Self {
        let bits = q.prec();
        let quarter = half(bits) >> 1u32;
        if *q < quarter {
            Self::Tail(q.clone())
        } else {
            // Exact: q ≥ 1/4 is a multiple of 2^-(bits + 1), so 1/2 − q ≤ 1/4 is one too and fits.
            Self::Centre(Float::with_val(bits, half(bits) - q))
        }
    }

    /// Ensures: at most the root, whatever the guess.
    fn bound_down(&self, guess: &Float, bits: u32) -> Float {
        if self.root_is_zero() {
            return Float::new(bits);
        }
        widening_steps(bits)
            .map(|step| {
                let factor = 1 - (Float::with_val(bits, 1) >> step);
                Float::with_val_round(bits, guess * factor, Round::Down).0
            })
            .find(|x| *x >= 0 && self.is_not_passed(x, bits))
            .unwrap_or_else(|| Float::new(bits))
    }

    /// Ensures: at least the root, whatever the guess.
    fn bound_up(&self, guess: &Float, bits: u32) -> Float {
        if self.root_is_zero() {
            return Float::new(bits);
        }
        widening_steps(bits)
            .map(|step| {
                let factor = 1 + (Float::with_val(bits, 1) >> step);
                Float::with_val_round(bits, guess * factor, Round::Up).0
            })
            .find(|x| *x >= 0 && self.is_reached(x, bits))
            .unwrap_or_else(|| d::infinity(bits))
    }

    fn root_is_zero(&self) -> bool {
        matches!(self, Self::Centre(c) if *c == 0)
    }

    /// Ensures: if true, root ≤ x.
    ///
    /// 1 − Φ is decreasing: 1 − Φ(x) ≤ q = 1 − Φ(root) gives root ≤ x. Φ − 1/2 is increasing: likewise.
    fn is_reached(&self, x: &Float, bits: u32) -> bool {
        let working = bits.saturating_add(GUARD_BITS);
        match self {
            Self::Tail(q) => survival_up(x, working) <= *q,
            Self::Centre(c) => centre_down(x, working) >= *c,
        }
    }

    /// Ensures: if true, x ≤ root.
    fn is_not_passed(&self, x: &Float, bits: u32) -> bool {
        let working = bits.saturating_add(GUARD_BITS);
        match self {
            Self::Tail(q) => survival_down(x, working) >= *q,
            Self::Centre(c) => centre_up(x, working) <= *c,
        }
    }
}

/// Precision of a verification beyond that of the ends.
const GUARD_BITS: u32 = 8;

/// Shifts s of the relative distances 2^-s from the guess that are tried for an end, from near to far.
fn widening_steps(bits: u32) -> impl Iterator<Item = u32> {
    (0..bits.saturating_sub(2)).rev().step_by(2)
}

/// Lower bound of Φ(x) − 1/2 = erf(x/√2)/2.
fn centre_down(x: &Float, bits: u32) -> Float {
    let erf = Float::with_val_round(bits, over_sqrt_two_down(x, bits).erf_ref(), Round::Down).0;
    d::mul_down(&erf, &half(bits), bits)
}

/// Upper bound of Φ(x) − 1/2 = erf(x/√2)/2.
fn centre_up(x: &Float, bits: u32) -> Float {
    let erf = Float::with_val_round(bits, over_sqrt_two_up(x, bits).erf_ref(), Round::Up).0;
    d::mul_up(&erf, &half(bits), bits)
}

/// Relative accuracy in bits of [`Equation::start`].
const START_ACCURACY: u32 = 8;

/// Search, rounding to nearest: nothing here is relied upon.
impl Equation {
    /// A first guess, right to about [`START_ACCURACY`] bits.
    fn start(&self) -> Float {
        let bits = 40;
        match self {
            // Abramowitz and Stegun, 26.2.23: error below 4.5e-4.
            Self::Tail(q) => {
                let t = (about::ln(Float::with_val(bits, q)) * -2i32).sqrt();
                let above = (Float::with_val(bits, &t * 10_328) + 802_853) * &t + 2_515_517;
                let below = ((Float::with_val(bits, &t * 1_308) + 189_269) * &t + 1_432_788) * &t
                    + 1_000_000;
                t - above / below
            }
            // Φ⁻¹(1/2 + c) = y + y³/6 + …, with y = c√(2π).
            Self::Centre(c) => {
                let y = Float::with_val(bits, c) * sqrt_two_pi(bits);
                let cube = Float::with_val(bits, y.square_ref()) * &y;
                y + cube / 6
            }
        }
    }

    /// How many leading bits the roots of two equations have in common, if it can be told.
    fn agreement(&self, other: &Self) -> Option<u32> {
        let (mine, theirs) = match (self, other) {
            (Self::Tail(a), Self::Tail(b)) | (Self::Centre(a), Self::Centre(b)) => (a, b),
            _ => return None,
        };
        let difference = Float::with_val(32, mine - theirs);
        let agreement = mine.get_exp()?.checked_sub(difference.get_exp()?)?;
        u32::try_from(agreement.saturating_sub(3)).ok()
    }

    /// Halley's iteration: each step triples the accuracy, at just the precision it needs.
    fn refine(&self, start: Float, start_accuracy: u32, bits: u32) -> Float {
        let goal = bits.saturating_add(4);
        let (mut x, mut accuracy) = (start, start_accuracy);
        while accuracy < goal {
            accuracy = accuracy.saturating_mul(3).saturating_sub(2).min(goal);
            x = self.halley_step(&x, accuracy.saturating_add(16));
        }
        x
    }

    /// x − 2ff′/(2f′² − ff″), for f = log((1 − Φ)/q) or f = Φ − 1/2 − c.
    fn halley_step(&self, x: &Float, bits: u32) -> Float {
        let x = Float::with_val(bits, x);
        let mut half_square = Float::with_val(bits, x.square_ref()) >> 1u32;
        half_square.neg_assign();
        let density = about::exp(half_square) / sqrt_two_pi(bits);
        match self {
            // f′ = −h and f″ = −h(h − x), with the hazard rate h = φ/(1 − Φ).
            Self::Tail(q) => {
                let survival = survival_down(&x, bits);
                let hazard = density / &survival;
                let f = about::ln(survival / q);
                let slope =
                    Float::with_val(bits, &hazard - &x) * &f + Float::with_val(bits, &hazard * 2);
                x + (f << 1u32) / slope
            }
            // f′ = φ and f″ = −xφ.
            Self::Centre(c) => {
                let f = centre_down(&x, bits) - c;
                let slope = Float::with_val(bits, &x * &f) + (density << 1u32);
                x - (f << 1u32) / slope
            }
        }
    }
}

fn sqrt_two_pi(bits: u32) -> Float {
    (Float::with_val(bits, Constant::Pi) << 1u32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{FINE, Random, at_most_bits};

    /// Φ − 1/2 at a few bits, without guard bits.
    #[test]
    fn the_centre_is_rounded_to_its_side() {
        let mut random = Random(1);
        for _ in 0..2000 {
            let bits = 2 + u32::try_from(random.below(12)).unwrap();
            let x = random.float(bits).abs();
            let (low, high) = at_most_bits(bits, || (centre_down(&x, bits), centre_up(&x, bits)));
            assert!(low <= centre_up(&x, FINE), "{x} at {bits} bits: {low}");
            assert!(high >= centre_down(&x, FINE), "{x} at {bits} bits: {high}");
        }
    }

    /// What decides an end, at a few bits and next to equality: it is never said of the wrong side.
    #[test]
    fn sides_of_a_root_are_certain() {
        let mut random = Random(2);
        for _ in 0..1000 {
            let bits = 2 + u32::try_from(random.below(12)).unwrap();
            let x = random.float(bits).abs();
            if x == 0 || x > 20 {
                continue;
            }
            // Just below and just above the values at x, in a few more bits.
            let beside = |down: fn(&Float, u32) -> Float, up: fn(&Float, u32) -> Float| {
                let below = Float::with_val_round(bits + 2, down(&x, FINE), Round::Down).0;
                let above = Float::with_val_round(bits + 2, up(&x, FINE), Round::Up).0;
                [below, above]
            };
            let [less, more] = beside(survival_down, survival_up).map(Equation::Tail);
            let [near, far] = beside(centre_down, centre_up).map(Equation::Centre);
            // The root of a smaller tail is beyond x, and so is that of a larger Φ − 1/2.
            for (beyond, before) in [(&less, &more), (&far, &near)] {
                let (is_reached, is_not_passed) = at_most_bits(bits, || {
                    (beyond.is_reached(&x, bits), before.is_not_passed(&x, bits))
                });
                assert!(!is_reached && !is_not_passed, "{x} at {bits} bits");
                assert!(beyond.is_not_passed(&x, FINE) && before.is_reached(&x, FINE));
            }
        }
    }

    #[test]
    fn certain_events_have_infinite_roots() {
        let (one, zero) = (Interval::one(20), Interval::zero(20));
        let infinity = Interval::infinity(20);
        assert_eq!(survival_inverse(&one), infinity.neg());
        assert_eq!(survival_inverse(&zero), infinity);
        assert_eq!(quantile(&one), infinity);
        let upper_half = Interval::point(half(20)).hull(&one);
        let found = survival_inverse(&upper_half);
        assert!(found.lo().is_infinite() && *found.hi() == 0);
    }

    /// The ends hold whatever the search has found, on either side of the root.
    #[test]
    fn ends_do_not_rely_on_the_guess() {
        let bits = 40;
        for (equation, root) in [
            (
                Equation::Tail(survival_down(&Float::with_val(bits, 2), bits)),
                2,
            ),
            (Equation::Centre(centre_down(&half(bits), bits)), 0),
        ] {
            let truth = equation.refine(equation.start(), START_ACCURACY, 90);
            assert!(truth > root && truth < root + 1);
            let slack = Float::with_val(90, &truth >> 80u32);
            for share in [-90i32, -10, -1, 1, 10, 90] {
                let factor = 1 + Float::with_val(bits, share) / 100u32;
                let guess = Float::with_val(bits, &truth * factor);
                let low = equation.bound_down(&guess, bits);
                let high = equation.bound_up(&guess, bits);
                assert!(low < Float::with_val(90, &truth + &slack), "{share}: {low}");
                assert!(
                    high > Float::with_val(90, &truth - &slack),
                    "{share}: {high}"
                );
            }
        }
    }
}
