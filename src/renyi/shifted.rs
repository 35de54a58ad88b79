//! The Rényi divergence of mixtures of shifted Gaussian noise, any order, by the trapezoidal rule.
//!
//! With α = Σ aᵢ·e^{sᵢx − sᵢ²/2} and β likewise the densities of Q and P over N(0, 1), E_P[(dQ/dP)^a] = ∫f, f = φ·α^a·β^{1−a}.
//!
//! **Strip.** The terms of α(x + iy) have phases sᵢy, all within θ = |y|·(max s − min s)/2 of their middle: |α(x + iy)| ≤ α(x), and ≥
//! cos θ·α(x). So α and β have no zeros where θ < π/2, f is analytic there, and |f(x + iy)| ≤ e^{y²/2}·(cos θ)^{−n}·f(x), n the size of a negative
//! power. For θ ≤ π/6, −log cos θ ≤ 0.55·θ².
//!
//! **Tails.** For x ≥ 0, α(x) ≤ e^{x·max s} and α(x) ≥ a_*·e^{x·max s − max s²/2}, a_* the weight of the largest shift. So f(x) ≤ K·e^{κx}·φ(x) for
//! κ = a·max s + (1 − a)·max r, where a negative power n of such a law puts (a_*·e^{−max s²/2})^{−n} into K. That falls from max(κ, 0) on, so
//! the nodes beyond R, times their distance h, add up to at most its integral from R − h on, K·e^{κ²/2}·(1 − Φ(R − h − κ)). For x ≤ 0 the line is mirrored.

use rug::{Float, Rational};

use super::from_moments::{self, leading_zeros};
use super::trapezoid::{Strip, root_two_pi};
use crate::kernel::{Budget, Failure, Interval, directed as d, normal};
use crate::mechanism::Direction;
use crate::mechanism::shifted::{Noise, ShiftedNoise};

/// No working precision is higher.
const MOST_BITS: u32 = 1 << 10;

/// More nodes are not summed.
const MOST_NODES: i64 = 4_000;

/// Mixtures on the line, shifts in units of μ.
#[derive(Debug, Clone)]
pub(super) struct ShiftedGaussian {
    square: Rational,
    /// Shifts ≤ 0 of P with their weights.
    without: Vec<(Rational, Rational)>,
    /// Shifts ≥ 0 of Q with their weights.
    with: Vec<(Rational, Rational)>,
    /// μ² of the Gaussian pair that dominates.
    farthest: Rational,
}

impl ShiftedGaussian {
    /// `None` if the noise is another one.
    pub(super) fn of(pair: &ShiftedNoise) -> Option<Self> {
        let Noise::Gaussian { unit_squared } = pair.noise() else {
            return None;
        };
        let list = |shifts: &[(Rational, Rational)], sign: i32| {
            let one = |(shift, weight): &(Rational, Rational)| {
                (Rational::from(shift * sign), weight.clone())
            };
            shifts.iter().map(one).collect()
        };
        Some(Self {
            square: unit_squared.clone(),
            without: list(pair.without().list(), -1),
            with: list(pair.with().list(), 1),
            farthest: pair.farthest().square() * unit_squared,
        })
    }

    /// Is D_t the same in both directions?
    pub(super) fn is_symmetric(&self) -> bool {
        let mirrored = |(a, b): (&(Rational, Rational), &(Rational, Rational))| {
            a.1 == b.1 && Rational::from(&a.0 + &b.0) == 0
        };
        self.with.len() == self.without.len() && self.with.iter().zip(&self.without).all(mirrored)
    }

    /// Half of μ² of the Gaussian pair that dominates: D_t is at most t times that.
    pub(super) fn half_farthest(&self) -> Rational {
        Rational::from(&self.farthest / 2u32)
    }

    /// A slope and a constant with D_t ≤ slope·t + constant for every t > 1; D_t/t comes as close to the slope as one likes.
    ///
    /// The second law B is nowhere below w·N(r), r its nearest shift and w the weight of that, so that D_t(A‖B) ≤ D_t(A‖N(r)) − log w, and that is at most
    /// t·d²/2 − log w for the distance d from r to the farthest shift s of A. As B ≤ N(r) beyond 0 and A is at least a multiple of N(s), D_t/t tends to no less than d²/2.
    pub(super) fn tail_line(
        &self,
        direction: Direction,
        bits: u32,
    ) -> Option<(Rational, Interval)> {
        let (first, second) = match direction {
            Direction::Remove => (&self.with, &self.without),
            Direction::Add => (&self.without, &self.with),
        };
        let ((nearest, weight), (farthest, _)) = (second.first()?, first.last()?);
        let apart = Rational::from(farthest - nearest).square() * &self.square;
        let constant = Interval::from_rational(weight, bits).ln().neg();
        Some((apart / 2u32, constant))
    }

    /// The smaller of what the two lines say of D_t.
    pub(super) fn coarse(&self, order: &Rational, direction: Direction, bits: u32) -> Interval {
        let exact = |x: &Rational| Interval::from_rational(x, bits);
        let mut most = exact(&(self.half_farthest() * order));
        if *order > 1
            && let Some((slope, constant)) = self.tail_line(direction, bits)
        {
            most = most.min(&exact(&(slope * order)).add(&constant));
        }
        Interval::zero(bits).hull(&most)
    }

    /// D_t in one direction, with a relative error of about 2^−bits where the integral can be had.
    ///
    /// # Errors
    /// If the budget ends, or bounds cross: an internal error.
    pub(super) fn divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
        budget: &Budget,
    ) -> Result<Interval, Failure> {
        let outside = self.coarse(order, direction, bits.saturating_add(32));
        if self.farthest == 0 {
            return Ok(outside);
        }
        let largest = |list: &[(Rational, Rational)]| {
            let moved = list.iter().filter(|(shift, _)| *shift != 0);
            moved.map(|(_, weight)| weight.clone()).max()
        };
        let rate = [largest(&self.with), largest(&self.without)];
        let rate = rate.into_iter().flatten().max().unwrap_or_default();
        let zeros = leading_zeros(&rate)
            .saturating_mul(2)
            .saturating_add(leading_zeros(&self.square));
        let found = from_moments::divergence(
            order,
            direction,
            bits,
            (zeros, MOST_BITS),
            &|power, working| self.log_moment(power, working, budget),
        )?;
        Ok(match found {
            Some(found) => found.at_bits(bits.saturating_add(32)).intersect(&outside)?,
            None => outside,
        })
    }

    /// log E_P[(dQ/dP)^a] with an absolute error of about 2^−bits; `None` if that takes too much work.
    fn log_moment(
        &self,
        power: &Rational,
        bits: u32,
        budget: &Budget,
    ) -> Result<Option<Interval>, Failure> {
        let rest = Rational::from(1 - power);
        let size = power.clone().abs() + 1u32;
        let magnitude = Rational::from(&size * &size) * (Rational::from(&self.farthest + 1u32));
        let working = bits
            .saturating_add(magnitude.ceil().numer().significant_bits())
            .saturating_add(64);
        let mu = Interval::from_rational(&self.square, working).sqrt();
        let laws = [
            Law::new(&self.with, power, &mu),
            Law::new(&self.without, &rest, &mu),
        ];
        let rule = strip(&laws).rule(bits.saturating_add(4));
        let ends = [1, -1].map(|side| End::new(&laws, side, &self.farthest, bits, &rule.step));
        let [Some(right), Some(left)] = ends else {
            return Ok(None);
        };
        if right.nodes.saturating_add(left.nodes) > MOST_NODES {
            return Ok(None);
        }
        let step = Interval::point(rule.step.clone()).at_bits(working);
        let all = sum_of_all(&laws, &step, &[right, left], budget)?;
        Ok(Some(rule.integral(&all).ln()))
    }
}

/// h·Σf over all nodes: one by one up to the ends on the right and on the left, and what lies beyond.
///
/// # Errors
/// If the budget ends.
fn sum_of_all(
    laws: &[Law; 2],
    step: &Interval,
    [right, left]: &[End; 2],
    budget: &Budget,
) -> Result<Interval, Failure> {
    let bits = step.bits();
    let half = Interval::from_rational(&Rational::from((1, 2)), bits);
    let first = left.nodes.saturating_neg();
    let start = step.mul(&Interval::from_i64(first, bits));
    let [mut with, mut without] = laws.each_ref().map(|law| law.from(&start, step));
    let [ahead, _] = laws;
    let mut sum = Interval::zero(bits);
    // f = φ·β·(α/β)^a: one logarithm and one exponential a node.
    for (round, j) in (first..=right.nodes).enumerate() {
        if round % 64 == 0 {
            budget.check()?;
        }
        let x = step.mul(&Interval::from_i64(j, bits));
        let (alpha, beta) = (with.next_ratio(), without.next_ratio());
        let log = alpha.div(&beta).ln().mul(&ahead.power);
        let term = log.sub(&x.square().mul(&half)).exp().mul(&beta);
        sum = sum.add(&term);
    }
    let sum = sum.mul(step).div(&root_two_pi(bits));
    let beyond = right.beyond.add(&left.beyond).at_bits(bits);
    Ok(sum.add(&Interval::zero(bits).hull(&beyond)))
}

/// One of the two laws, with the power that its density is raised to.
struct Law {
    power: Interval,
    is_negative: bool,
    terms: Vec<Term>,
    /// max s − min s.
    range: Interval,
}

struct Term {
    shift: Interval,
    /// log a − s²/2.
    log: Interval,
}

impl Law {
    /// Requires: shifts in one order, ascending in size.
    fn new(list: &[(Rational, Rational)], power: &Rational, mu: &Interval) -> Self {
        let bits = mu.bits();
        let half = Interval::from_rational(&Rational::from((1, 2)), bits);
        let term = |(shift, weight): &(Rational, Rational)| {
            let shift = Interval::from_rational(shift, bits).mul(mu);
            let log = Interval::from_rational(weight, bits).ln();
            Term {
                log: log.sub(&shift.square().mul(&half)),
                shift,
            }
        };
        let terms: Vec<Term> = list.iter().map(term).collect();
        let range = match (terms.first(), terms.last()) {
            (Some(first), Some(last)) => {
                let apart = last.shift.sub(&first.shift);
                apart.max(&apart.neg())
            }
            _ => Interval::zero(bits),
        };
        Self {
            power: Interval::from_rational(power, bits),
            is_negative: *power < 0,
            terms,
            range,
        }
    }

    /// α from a node on, at nodes that are a step apart.
    fn from(&self, start: &Interval, step: &Interval) -> Ratios {
        let term = |term: &Term| {
            let value = term.log.add(&term.shift.mul(start)).exp();
            (value, term.shift.mul(step).exp())
        };
        Ratios(self.terms.iter().map(term).collect())
    }

    /// The term that is largest far out on this side: the last one on the side where the shifts lie, else the first.
    fn outermost(&self, side: i32) -> Option<&Term> {
        let first = self.terms.first()?;
        let last = self.terms.last()?;
        let outward = |term: &Term| match side {
            1 => term.shift.middle(),
            _ => term.shift.neg().middle(),
        };
        Some(if outward(first) > outward(last) {
            first
        } else {
            last
        })
    }
}

/// The terms of α at a node, and what each is multiplied by up to the next: a few units in the last place are lost on the way.
struct Ratios(Vec<(Interval, Interval)>);

impl Ratios {
    /// α at the node, which is left for the next one.
    fn next_ratio(&mut self) -> Interval {
        let bits = self.0.first().map_or(64, |(value, _)| value.bits());
        let mut sum = Interval::zero(bits);
        for (value, factor) in &mut self.0 {
            sum = sum.add(value);
            *value = value.mul(factor);
        }
        sum
    }
}

/// The strip of both laws together.
fn strip(laws: &[Law; 2]) -> Strip {
    const BITS: u32 = 64;
    let mut growth = Interval::from_rational(&Rational::from((1, 2)), BITS);
    let mut range = Interval::zero(BITS);
    for law in laws {
        let wide = law.range.at_bits(BITS);
        range = range.max(&wide);
        if law.is_negative {
            // 0.55·n·(range/2)².
            let factor = Interval::from_rational(&Rational::from((55, 400)), BITS);
            let size = law.power.neg().at_bits(BITS);
            growth = growth.add(&factor.mul(&size).mul(&wide.square()));
        }
    }
    // θ = b·range/2 ≤ 1/2 < π/6; a strip of 8 is wide enough.
    let most = Interval::from_i64(8, BITS);
    let widest = if range.is_positive() {
        range.recip().min(&most)
    } else {
        most
    };
    Strip {
        widest: d::float_down(widest.lo(), BITS),
        growth: d::float_up(growth.hi(), BITS),
    }
}

/// Where the sum ends on one side.
struct End {
    nodes: i64,
    /// What lies beyond, at most.
    beyond: Interval,
}

impl End {
    /// `None` if it is out of reach.
    fn new(
        laws: &[Law; 2],
        side: i32,
        farthest: &Rational,
        bits: u32,
        step: &Float,
    ) -> Option<Self> {
        const BITS: u32 = 128;
        let zero = || Interval::zero(BITS);
        let (mut kappa, mut log) = (zero(), zero());
        for law in laws {
            let term = law.outermost(side)?;
            let power = law.power.at_bits(BITS);
            let outward = match side {
                1 => term.shift.at_bits(BITS),
                _ => term.shift.neg().at_bits(BITS),
            };
            kappa = kappa.add(&power.mul(&outward));
            if law.is_negative {
                log = log.add(&power.mul(&term.log.at_bits(BITS)));
            }
        }
        let half = Interval::from_rational(&Rational::from((1, 2)), BITS);
        let log = log.add(&kappa.square().mul(&half));
        // The integral is at least e^{−far²/8}; 2^−bits of that is left out.
        let wanted = Interval::from_i64(i64::from(bits.saturating_add(8)), BITS);
        let margin = Interval::from_rational(&Rational::from(farthest / 4u32), BITS);
        let depth = wanted.add(&log.add(&log)).add(&wanted).add(&margin);
        let reach = depth.at_least_zero().sqrt().add(&Interval::one(BITS));
        let step = Interval::point(step.clone()).at_bits(BITS);
        let end = kappa.at_least_zero().add(&reach).add(&step);
        let (nodes, _) = end
            .div(&step)
            .hi()
            .to_integer_round(rug::float::Round::Up)?;
        let nodes = nodes.to_i64()?;
        // From the last node on, less one step.
        let last = step.mul(&Interval::from_i64(nodes, BITS));
        let from = last.sub(&step);
        if !kappa.at_least_zero().certainly_le(&from) {
            return None;
        }
        Some(Self {
            nodes,
            beyond: log
                .exp()
                .mul(&normal::survival(&last.sub(&kappa).sub(&step))),
        })
    }
}

#[cfg(test)]
#[path = "shifted_sum_tests.rs"]
mod sum_tests;
#[cfg(test)]
#[path = "shifted_tests.rs"]
mod tests;
