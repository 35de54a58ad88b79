//! The best pair for all guarantees: search for a few, add the one that is violated most, and again.
//!
//! Nearest rounding: what is found here is proved in `lines` and `member`, or not used.

use crate::kernel::{Pick, about, is_late};
use rug::Float;

use super::guarantee::Guarantee;
use super::order::{RenyiBound, Spot};
use super::search::{Bracket, Touch, search};

/// A boundary point for a supporting line, and its guarantee (none: p + q ≤ 1).
#[derive(Debug, Clone)]
pub(super) struct Support {
    pub spot: Spot,
    pub order: Option<RenyiBound>,
}

/// Three supporting lines: left and right of the best pair, with the share of the left one, and one farther to the right.
#[derive(Debug, Clone)]
pub(super) struct Supports {
    pub left: Support,
    pub right: Support,
    pub far: Support,
    pub share: Float,
}

/// What the search found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub lines: Supports,
    pub member: Spot,
    /// By how much the member may violate its guarantees, relatively.
    pub excess: Float,
}

const MOST_ROUNDS: u32 = 40;
/// Guarantees kept from round to round besides those that bind.
const MOST_KEPT: usize = 6;
/// Precision of the first search, beside what is lost.
const COARSE_BITS: u32 = 80;
/// Digits (base 2) of δ that it finds.
pub(super) const COARSE_DIGITS: u32 = 46;

/// Solves for the point u = e^log ≥ 1 in two precisions.
pub(super) fn find(guarantee: &Guarantee, u: &Float, log: &Float, bits: u32) -> Option<Found> {
    let lost = guarantee.bits_lost();
    let coarse_bits = COARSE_BITS.saturating_add(lost).min(bits);
    let mut orders = guarantee.first_orders(log);
    let at = |bits: u32| Float::with_val(bits, u);
    let coarse = rounds(
        guarantee,
        &at(coarse_bits),
        COARSE_DIGITS,
        &mut orders,
        None,
    )?;
    // Those that may be lost are among them: a result of few digits has enough in short.
    let working = match bits <= about::SHORT_BITS {
        true => about::SHORT_BITS,
        false => bits.saturating_add(lost).saturating_add(bits / 4),
    };
    let u = at(working);
    let fine = rounds(
        guarantee,
        &u,
        bits.saturating_sub(lost),
        &mut orders,
        Some(&coarse),
    )?;
    let support = |touch: &Touch| Support {
        spot: touch.spot.clone(),
        order: touch.order.clone(),
    };
    let half = Float::with_val(working, 1) >> 1u32;
    let far_p = Float::with_val(working, &fine.right.spot.p << 2u32).smaller(&half);
    let far = guarantee
        .region(&orders, working)
        .touch(&far_p, Some(&fine.right));
    let member = fine.best(&u).spot.clone();
    let excess = guarantee
        .worst(&member, &[])
        .map_or_else(|| Float::new(64), |(_, excess)| excess);
    Some(Found {
        lines: Supports {
            left: support(&fine.left),
            right: support(&fine.right),
            far: support(&far),
            share: fine.share(&u),
        },
        member,
        excess,
    })
}

fn rounds(
    guarantee: &Guarantee,
    u: &Float,
    digits: u32,
    orders: &mut Vec<RenyiBound>,
    around: Option<&Bracket>,
) -> Option<Bracket> {
    let enough = Float::with_val(64, 1) >> digits;
    for _ in 0..MOST_ROUNDS {
        if is_late() {
            return None;
        }
        let region = guarantee.region(orders, u.prec());
        let bracket = search(&region, u, digits, around)?;
        let best = bracket.best(u);
        let known: &[RenyiBound] = if around.is_some() { orders } else { &[] };
        let Some((order, excess)) = guarantee.worst(&best.spot, known) else {
            return Some(bracket);
        };
        if excess <= enough || orders.contains(&order) {
            return Some(bracket);
        }
        keep_binding(orders, &bracket);
        orders.push(order);
    }
    search(&guarantee.region(orders, u.prec()), u, digits, around)
}

/// Drops the oldest guarantees that bind on neither side.
fn keep_binding(orders: &mut Vec<RenyiBound>, bracket: &Bracket) {
    let binding = [bracket.left.order.clone(), bracket.right.order.clone()];
    let mut surplus = orders.len().saturating_sub(MOST_KEPT);
    orders.retain(|order| {
        let is_binding = order.is_first() || binding.contains(&Some(order.clone()));
        if is_binding || surplus == 0 {
            return true;
        }
        surplus = surplus.saturating_sub(1);
        false
    });
}
