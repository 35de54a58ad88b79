//! Proof that a Bernoulli pair is in the class.
//!
//! For q ≥ p with p + q ≤ 1 and every t ≥ 1, D_t(P‖Q) ≤ D_t(Q‖P): with r = q/p ≥ v = (1 − p)/(1 − q) ≥ 1 the difference
//! of E_P[(dQ/dP)^t] and E_Q[(dP/dQ)^t] is (q − p)·(g(r) − g(v)), and g(e^{2z}) = sinh((2t − 1)z)/sinh z rises with z. So
//! one direction is enough.

use rug::{Float, Rational};

use super::guarantee::{Guarantee, Kind, summit};
use super::lines::Pair;
use super::order::{RenyiBound, Spot};
use crate::kernel::{Interval, Pick};

/// A pair (p, p + d) that is proved to be in the class.
pub(super) struct Member {
    pub p: Float,
    pub d: Float,
}

/// What the last try gives up of d where all before have failed is 2^−this.
const LITTLE: u32 = 20;

/// Tries with ever smaller d = q − p, from about the candidate's on. What is given up of d rises by 16 bits, then 32, 64, …:
/// at thousands of bits some eight tries instead of hundreds.
///
/// Ensures: the pair has p + q ≤ 1 and every guarantee of the class, in both orders.
pub(super) fn certified(
    guarantee: &Guarantee,
    candidate: &Spot,
    excess: &Float,
    bits: u32,
) -> Option<Member> {
    let working = candidate.bits();
    let mut loss = Float::with_val(64, 1) >> bits.saturating_sub(8);
    let four_times = Float::with_val(64, excess << 2u32);
    if four_times > loss {
        loss = four_times;
    }
    let little = Float::with_val(64, 1) >> LITTLE;
    let mut more = 16u32;
    while loss < 0.5 {
        let kept = Float::with_val(working, 1 - Float::with_val(working, &loss));
        let d = kept * &candidate.d;
        if let Some(pair) = Pair::new(&candidate.p, &d, working)
            && belongs(guarantee, &pair, &Spot::new(&candidate.p, &d), &loss)
        {
            return Some(Member {
                p: candidate.p.clone(),
                d,
            });
        }
        // The last one that is tried gives up little: a search by a smaller order than is stated is off by that at most.
        let farther = Float::with_val(64, &loss << more);
        loss = match farther >= 0.5 && loss < little {
            true => little.clone(),
            false => farther,
        };
        more = more.saturating_mul(2);
    }
    None
}

fn belongs(guarantee: &Guarantee, pair: &Pair, spot: &Spot, loss: &Float) -> bool {
    match &guarantee.kind {
        Kind::Zcdp { rho, searched } => {
            is_zcdp(pair, rho) || is_zcdp_beyond(pair, spot, rho, searched, loss)
        }
        Kind::Rdp { stated, .. } => is_rdp(pair, stated),
    }
}

/// D_t ≤ ε(t) at all orders. D_t rises with t, so the divergence at one order bounds those at all smaller orders.
fn is_rdp(pair: &Pair, stated: &[RenyiBound]) -> bool {
    let mut left = stated;
    while let Some((last, before)) = left.split_last() {
        let largest = divergence(pair, last);
        if !largest.certainly_le(&exact(&last.epsilon, pair)) {
            return false;
        }
        let still_open = before.partition_point(|o| *largest.hi() > o.epsilon);
        left = before.get(..still_open).unwrap_or(before);
    }
    true
}

/// D_t, or its limit D_∞ = log(q/p) where that is below the bound too.
fn divergence(pair: &Pair, order: &RenyiBound) -> Interval {
    if *pair.up.hi() <= order.epsilon {
        return pair.up.clone();
    }
    let less = Rational::from(&order.order - 1u32);
    pair.gain(order).ln_1p().div(&exact(&less, pair))
}

/// The easy cases. With K(t) = log E_P[(dQ/dP)^t], the claim is G(t) = K(t) − ρt(t − 1) ≤ 0 for t ≥ 1, and
/// G(0) = G(1) = 0. It follows from G'(1) = KL − ρ ≤ 0 where G is concave from 1 on: K'' = w²·σ(1 − σ) is at most w²/4, and
/// falls where σ ≥ 1/2, with w = log(q/p) − log((1 − q)/(1 − p)) and σ the tilted probability of the rare outcome.
fn is_zcdp(pair: &Pair, rho: &Rational) -> bool {
    let rho = exact(rho, pair);
    if pair.up.certainly_le(&rho) {
        return true; // D_t ≤ D_∞ ≤ ρ ≤ ρt
    }
    if !pair.relative_entropy().certainly_le(&rho) {
        return false;
    }
    let width = pair.up.sub(&pair.down);
    let most = width.square().mul(&quarter(pair));
    let double = rho.add(&rho);
    most.certainly_le(&double)
        || (bend(pair, &Interval::one(pair.up.bits())).certainly_le(&double)
            && is_past_middle(pair, &Interval::one(pair.up.bits())))
}

/// The general case. K'' rises and then falls, so K'' > 2ρ, where G' rises, on one interval (t₋, t₊) at most. If t₊ > 1
/// then G is at most max(0, G(t₊)) on [1, t₊], because G'(1) ≤ 0, and concave beyond. A tangent at s ≥ t₊ with
/// G'(s) ≤ 0 that is at most 0 at some e ≤ max(1, t₊) proves G ≤ 0 from there on.
fn is_zcdp_beyond(
    pair: &Pair,
    spot: &Spot,
    rho: &Rational,
    searched: &Rational,
    loss: &Float,
) -> bool {
    if !pair.relative_entropy().certainly_le(&exact(rho, pair)) {
        return false;
    }
    let bits = spot.bits();
    let mut places: Vec<Float> = Vec::new();
    let turn = turning(spot, rho);
    if let Some(summit) = summit(spot, searched) {
        // So small that the slope −2ρ·step there costs less over the way back to 1 than the loss of d has gained.
        let share = Float::with_val(bits, &summit - 1u32).smaller(&Float::with_val(bits, 1));
        let steepness = Float::with_val(bits, rho).larger(&Float::with_val(bits, 1));
        places.push(summit + share * loss / (steepness << 4u32));
    }
    let tiny = Float::with_val(bits, 1) >> (bits / 2);
    if let Some(turn) = &turn {
        places.push(Float::with_val(bits, turn * &tiny) + turn);
    }
    // A place that is certainly not beyond the turn: 1, or a little before it.
    let early = turn.map(|turn| Float::with_val(bits, 1 - tiny) * turn);
    let double = exact(&Rational::from(rho * 2u32), pair);
    let one = Interval::one(bits);
    let early = early
        .filter(|early| *early > 1)
        .map(Interval::point)
        .filter(|early| double.certainly_le(&bend(pair, early)) && is_past_middle(pair, early))
        .unwrap_or(one);
    places.into_iter().any(|place| {
        place > 1 && place.is_finite() && is_below(pair, rho, &Interval::point(place), &early)
    })
}

/// The tangent of G at s is at most 0 at e, G'(s) ≤ 0, and G is concave from s on.
fn is_below(pair: &Pair, rho: &Rational, s: &Interval, e: &Interval) -> bool {
    let bits = pair.up.bits();
    let one = Interval::one(bits);
    let rho = exact(rho, pair);
    if !bend(pair, s).certainly_le(&rho.add(&rho)) || !is_past_middle(pair, s) {
        return false;
    }
    let gain = pair.mean(|loss| loss.mul(s).exp_m1());
    let total = gain.add(&one);
    let tilted = pair.mean(|loss| loss.mul(s).exp().mul(loss)).div(&total);
    let slope = tilted.sub(&rho.mul(&s.add(s).sub(&one)));
    let value = gain.ln_1p().sub(&rho.mul(&s.mul(&s.sub(&one))));
    let at_early = value.sub(&slope.mul(&s.sub(e)));
    slope.is_not_positive() && at_early.is_not_positive()
}

/// K''(t) = w²·σ(1 − σ), σ/(1 − σ) = p/(1 − p)·e^{tw}.
fn bend(pair: &Pair, t: &Interval) -> Interval {
    let width = pair.up.sub(&pair.down);
    let one = Interval::one(pair.up.bits());
    // σ(1 − σ) = x/(1 + x)² with x the odds or their inverse, whichever is below 1.
    let log_odds = log_odds(pair, t);
    let small = log_odds.max(&log_odds.neg()).neg().exp();
    let share = small.div(&one.add(&small).square());
    width.square().mul(&share)
}

/// σ ≥ 1/2.
fn is_past_middle(pair: &Pair, t: &Interval) -> bool {
    *log_odds(pair, t).lo() >= 0
}

fn log_odds(pair: &Pair, t: &Interval) -> Interval {
    let width = pair.up.sub(&pair.down);
    pair.p.div(&pair.rest).ln().add(&t.mul(&width))
}

/// About the largest t with K''(t) = 2ρ.
fn turning(spot: &Spot, rho: &Rational) -> Option<Float> {
    let bits = spot.bits();
    let width = Float::with_val(bits, &spot.up - &spot.down);
    let share = Float::with_val(bits, Rational::from(rho * 2u32))
        / Float::with_val(bits, width.square_ref());
    let root = (Float::with_val(bits, 0.25) - share).sqrt();
    let (more, less) = (
        Float::with_val(bits, 0.5 + &root),
        Float::with_val(bits, 0.5 - root),
    );
    let log_odds = (more / less).ln();
    let start = Float::with_val(bits, &spot.p / spot.rest()).ln();
    let turn = (log_odds - start) / width;
    turn.is_finite().then_some(turn)
}

fn exact(x: &Rational, pair: &Pair) -> Interval {
    Interval::from_rational(x, pair.up.bits())
}

fn quarter(pair: &Pair) -> Interval {
    exact(&Rational::from((1, 4)), pair)
}

#[cfg(test)]
#[path = "member_tests.rs"]
mod tests;
