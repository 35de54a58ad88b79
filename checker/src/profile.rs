//! One step in closed form: δ(u) = E_Q(1 − u/L)⁺ and the null's tail s(u) = P(L > u) at u = e^ε, L = dQ/dP.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::Rejected;
use crate::answer::Step;
use crate::claim::Direction;
use crate::real::Real;
use crate::work::{digits, spend};

/// δ and s at one ε; Q(L > u) = δ + u·s.
pub struct Point {
    pub delta: Real,
    pub null: Real,
    pub u: Real,
}

impl Point {
    /// Q(L > u).
    pub fn power(&self) -> Real {
        self.delta.plus(&self.u.times(&self.null))
    }
}

/// δ and s of a step, for one order of its pair.
pub fn at(step: &Step, direction: Direction, epsilon: &BigRational) -> Result<Point, Rejected> {
    if let Step::Gaussian { square } | Step::Sampled { square, .. } = step {
        spend(digits(square).saturating_mul(digits(square)))?;
    }
    let exact = Real::of(epsilon);
    let u = exact.exp()?;
    let (one, zero) = (Real::int(1), Real::int(0));
    let (delta, null) = match step {
        Step::Gaussian { square } => {
            let (above, below) = tails(&Real::of(square).sqrt()?, &exact)?;
            let delta = above.minus(&u.times(&below));
            (Real::new(delta.lo, delta.hi.min(above.hi)), below)
        }
        Step::Sampled { square, rate } => {
            let (mu, rate_) = (Real::of(square).sqrt()?, Real::of(rate));
            let rest = Real::of(&(BigRational::one() - rate));
            match direction {
                Direction::Remove => sampled_remove(&mu, &rate_, &rest, &u)?,
                Direction::Add => sampled_add(&mu, &rate_, &rest, &u)?,
            }
        }
        // L is e^(±ε₀) on the two outer pieces; in between −dδ/du = s.
        Step::Laplace { epsilon: most } => {
            let half = |x: BigRational| Real::of(&(x / BigInt::from(2))).exp();
            if *epsilon >= *most {
                (zero, Real::int(0))
            } else if *epsilon < -most {
                (one.minus(&u), one)
            } else {
                let null = half(-(epsilon + most))?.times(&Real::of(&BigRational::new(1.into(), 2.into())));
                (one.minus(&half(epsilon - most)?), null)
            }
        }
        // Three kinds of answers: (Q, P) in proportion to (e^ε₀, 1), (1, e^ε₀), (k − 2, k − 2).
        Step::Response { epsilon: most, k } => {
            let odds = Real::of(most).exp()?;
            let others = Real::of(&BigRational::from(k - BigInt::from(2)));
            let total = odds.plus(&one).plus(&others);
            let answers = [(most.clone(), &odds, &one), (-most, &one, &odds), (BigRational::zero(), &others, &others)];
            let (mut delta, mut null) = (zero.clone(), zero);
            for (_, q, p) in answers.iter().filter(|(loss, _, _)| loss > epsilon) {
                delta = delta.plus(&q.minus(&u.times(p)));
                null = null.plus(p);
            }
            (delta.over(&total)?, null.over(&total)?)
        }
        Step::Finite { p, q } => {
            let numbers = p.iter().chain(q);
            numbers.map(digits).try_for_each(|n| spend(300 + n * 6))?;
            let (p, q) = if direction == Direction::Remove { (p, q) } else { (q, p) };
            finite(p, q, &u)
        }
    };
    Ok(Point { delta: delta.at_least_zero(), null: null.at_least_zero(), u })
}

/// P(Z > ε/μ ∓ μ/2): the Q-mass and the P-mass of the outcomes of N(μ, 1) against N(0, 1) with L > e^ε.
fn tails(mu: &Real, epsilon: &Real) -> Result<(Real, Real), Rejected> {
    let place = epsilon.over(mu)?;
    let half = mu.times(&Real::of(&BigRational::new(1.into(), 2.into())));
    Ok((place.minus(&half).normal_tail()?, place.plus(&half).normal_tail()?))
}

/// dQ/dP = 1 − r + r·G, G = dN(μ,1)/dN(0,1). For g = u − (1 − r) > 0: L > u where G > g/r, and
/// δ = r·N(μ,1)(G > g/r) − g·N(0,1)(G > g/r). For u ≤ 1 − r: δ = 1 − u and s = 1.
fn sampled_remove(mu: &Real, rate: &Real, rest: &Real, u: &Real) -> Result<(Real, Real), Rejected> {
    let gap = u.minus(rest);
    if gap.lo.is_positive() {
        let (above, below) = tails(mu, &gap.over(rate)?.ln()?)?;
        return Ok((rate.times(&above).minus(&gap.times(&below)), below));
    }
    // δ falls and is 1 − u up to u = 1 − r, which is at most one unit below `rest.hi`; it is never less than 1 − u.
    let mut delta = Real::int(1).minus(u);
    delta.hi += 1;
    let null = if gap.hi.is_positive() { Real::int(0).hull(&Real::int(1)) } else { Real::int(1) };
    Ok((delta, null))
}

/// The pair in the other order: L = 1/(1 − r + r·G). For w = 1 − u·(1 − r) > 0: L > u where G < w/(u·r), which under
/// N(0,1) is as likely as G > u·r/w under N(μ,1); so δ = w·N(μ,1)(G > v) − u·r·N(0,1)(G > v), v = u·r/w. For w ≤ 0:
/// δ = s = 0; always δ ≤ w.
fn sampled_add(mu: &Real, rate: &Real, rest: &Real, u: &Real) -> Result<(Real, Real), Rejected> {
    let w = Real::int(1).minus(&u.times(rest));
    let (zero, one) = (Real::int(0), Real::int(1));
    if !w.hi.is_positive() {
        return Ok((zero.clone(), zero));
    }
    if !w.lo.is_positive() {
        return Ok((zero.hull(&w), zero.hull(&one)));
    }
    let ur = u.times(rate);
    let (above, below) = tails(mu, &ur.over(&w)?.ln()?)?;
    let delta = w.times(&above).minus(&ur.times(&below));
    Ok((delta, rest.times(&above).plus(&rate.times(&below))))
}

/// Σ (q − u·p)⁺, and Σ p where q > u·p. Where the sign is not known both are left open.
fn finite(p: &[BigRational], q: &[BigRational], u: &Real) -> (Real, Real) {
    let (mut delta, mut null) = (Real::int(0), Real::int(0));
    for (p, q) in p.iter().zip(q) {
        let p = Real::of(p);
        let hinge = Real::of(q).minus(&u.times(&p));
        if hinge.lo.is_negative() && hinge.hi.is_positive() {
            null.hi += &p.hi;
        } else if hinge.hi.is_positive() {
            null = null.plus(&p);
        }
        delta = delta.plus(&hinge.at_least_zero());
    }
    (delta, null)
}

/// δ of G_μ at e^ε: N(0, 1) against N(μ, 1). For μ = 0 it is (1 − u)⁺.
pub fn gaussian_delta(mu: &BigRational, epsilon: &BigRational) -> Result<Real, Rejected> {
    if mu.is_zero() {
        return Ok(Real::int(1).minus(&Real::of(epsilon).exp()?).at_least_zero());
    }
    Ok(at(&Step::Gaussian { square: mu * mu }, Direction::Remove, epsilon)?.delta)
}
