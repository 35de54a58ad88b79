//! All the guarantees of a class, and which of them a pair violates most. Nearest rounding, but for the exact orders.

use rug::{Float, Rational};

use super::order::{Boundary, RenyiBound, Spot};
use super::search::Region;
use crate::kernel::{Interval, Pick, about};

/// What every mechanism of the class guarantees.
#[derive(Debug, Clone)]
pub(super) struct Guarantee {
    pub kind: Kind,
    /// Do the orders of the search follow from what is stated?
    faithful: bool,
}

/// The two ways of stating it.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// D_t ≤ ρt for all t > 1.
    Zcdp {
        /// As stated.
        rho: Rational,
        /// The same, or a smaller one that can be searched for.
        searched: Rational,
    },
    /// D_t ≤ ε(t) at these orders, in rising order, ε(t) rising too.
    Rdp {
        /// As stated.
        stated: Vec<RenyiBound>,
        /// The same within the limits of the search.
        searched: Vec<RenyiBound>,
    },
}

/// Neither t nor ε(t) is searched beyond 2^this.
const LARGEST_EXPONENT: u32 = 30;
/// Orders of zCDP are looked at from 1 + 2^this to 1 + 2^that.
const EXPONENTS: std::ops::RangeInclusive<i32> = -14..=34;
/// Precision of such a look.
const GLANCE: u32 = 64;
const MOST_STEPS: u32 = 40;
/// An order nearer to 1 than 2^−this is taken for 1, at a relative price of about its square.
const NEAREST_TO_ONE: u32 = 72;

impl Guarantee {
    pub fn zcdp(rho: &Rational) -> Self {
        let searched = rho.clone().min(limit());
        Self {
            faithful: searched == *rho,
            kind: Kind::Zcdp {
                rho: rho.clone(),
                searched,
            },
        }
    }

    pub fn rdp(orders: &[(Rational, Rational)]) -> Option<Self> {
        let stated = essential(orders);
        if stated.is_empty() {
            return None;
        }
        // D_t rises with t, so the guarantee at a large order is one at every smaller order.
        let within: Vec<(Rational, Rational)> = stated
            .iter()
            .map(|o| (o.order.clone().min(limit()), o.epsilon.clone().min(limit())))
            .collect();
        Some(Self {
            faithful: stated.iter().all(|o| o.epsilon <= limit()),
            kind: Kind::Rdp {
                stated,
                searched: essential(&within),
            },
        })
    }

    /// Does some guarantee say P = Q?
    pub fn is_perfect(&self) -> bool {
        match &self.kind {
            Kind::Zcdp { rho, .. } => *rho == 0,
            Kind::Rdp { stated, .. } => stated.iter().any(|o| o.epsilon == 0),
        }
    }

    /// The least that is stated of any divergence: an upper bound of D_1.
    pub fn least(&self) -> Option<&Rational> {
        match &self.kind {
            Kind::Zcdp { rho, .. } => Some(rho),
            // In rising order of ε(t).
            Kind::Rdp { stated, .. } => stated.first().map(|o| &o.epsilon),
        }
    }

    /// Do the orders of the search follow from what is stated, so that their lines bound δ?
    pub fn has_all_it_needs(&self) -> bool {
        self.faithful
    }

    /// Is something stated beyond the limits of the search, so that more bits bring it no nearer to the truth?
    pub fn is_cut(&self) -> bool {
        match &self.kind {
            Kind::Zcdp { rho, searched } => rho != searched,
            Kind::Rdp { stated, searched } => stated != searched,
        }
    }

    /// Bits that cancel where losses are small or orders near 1, roughly.
    pub fn bits_lost(&self) -> u32 {
        let small = |x: &Rational| {
            x.denom()
                .significant_bits()
                .saturating_sub(x.numer().significant_bits())
        };
        match &self.kind {
            Kind::Zcdp { searched, .. } => small(searched).saturating_mul(2),
            Kind::Rdp { searched, .. } => searched
                .iter()
                .map(|o| {
                    let nearness = small(&Rational::from(&o.order - 1u32));
                    let size = small(&Rational::from(&o.epsilon / &o.order));
                    nearness.saturating_add(size.saturating_mul(2))
                })
                .max()
                .unwrap_or(0),
        }
        .saturating_add(32)
    }

    /// Guarantees to start a search with, for the point ε ≥ 0.
    pub fn first_orders(&self, log: &Float) -> Vec<RenyiBound> {
        let zero = Interval::point(log.clone());
        match &self.kind {
            Kind::Zcdp { searched, .. } => {
                vec![first(searched), self.steepest(&zero)]
            }
            Kind::Rdp { .. } => vec![self.steepest(&zero)],
        }
    }

    /// The order with about the least (t − 1)(ε(t) − ε), of those to search with.
    pub fn steepest(&self, log: &Interval) -> RenyiBound {
        match &self.kind {
            Kind::Zcdp { rho, .. } => steepest_of_zcdp(rho, log),
            Kind::Rdp { searched, .. } => steepest_of(searched, log),
        }
    }

    /// The same, of those stated: each is a guarantee of the class.
    pub fn steepest_stated(&self, log: &Interval) -> RenyiBound {
        match &self.kind {
            Kind::Zcdp { rho, .. } => steepest_of_zcdp(rho, log),
            Kind::Rdp { stated, .. } => steepest_of(stated, log),
        }
    }

    /// These guarantees, for a search at one precision.
    pub fn region(&self, orders: &[RenyiBound], bits: u32) -> Region {
        Region {
            boundaries: orders
                .iter()
                .map(|order| Boundary::new(order, bits))
                .collect(),
            rho: match &self.kind {
                Kind::Zcdp { searched, .. } => Some(searched.clone()),
                Kind::Rdp { .. } => None,
            },
        }
    }

    /// About the most violated guarantee, and log(what is bounded/its bound) there. With `known` orders only places near
    /// them are looked at.
    pub fn worst(&self, spot: &Spot, known: &[RenyiBound]) -> Option<(RenyiBound, Float)> {
        match &self.kind {
            Kind::Zcdp { searched, .. } => {
                let starts: Vec<Float> = if known.is_empty() {
                    glance(spot, searched).into_iter().collect()
                } else {
                    known
                        .iter()
                        .filter(|o| !o.is_first())
                        .map(|o| Float::with_val(spot.bits(), &o.order))
                        .collect()
                };
                let mut found: Vec<RenyiBound> = starts
                    .iter()
                    .filter_map(|t| polished(spot, t))
                    .map(|t| of_zcdp(searched, t))
                    .collect();
                found.push(first(searched));
                largest_excess(&found, spot)
            }
            Kind::Rdp { searched, .. } if known.is_empty() => {
                let coarse = Spot::new(
                    &Float::with_val(about::SHORT_BITS, &spot.p),
                    &Float::with_val(about::SHORT_BITS, &spot.d),
                );
                let (order, _) = largest_excess(searched, &coarse)?;
                largest_excess(&[order], spot)
            }
            Kind::Rdp { .. } => largest_excess(known, spot),
        }
    }
}

/// About the t > 1 at which K(t) − ρt(t − 1) is largest, if it has a maximum there, for a pair at the edge of ρ-zCDP: one
/// Newton step from where K(t)/(t(t − 1)) is largest.
pub(super) fn summit(spot: &Spot, rho: &Rational) -> Option<Float> {
    let bits = spot.bits();
    let t = Float::with_val(bits, polished(spot, &glance(spot, rho)?)?);
    let (_, slope, bend) = cumulants(spot, &t);
    let rho = Float::with_val(bits, rho);
    let double = Float::with_val(bits, &rho << 1u32);
    let slope = slope - rho * (Float::with_val(bits, &t << 1u32) - 1u32);
    Some(t - slope / (bend - double))
}

fn steepest_of_zcdp(rho: &Rational, log: &Interval) -> RenyiBound {
    let epsilon = log.middle().to_rational().unwrap_or_default();
    let best = Rational::from(&epsilon + rho) / Rational::from(rho * 2u32);
    let coarse = Float::with_val(GLANCE, best).to_rational();
    of_zcdp(
        rho,
        coarse.filter(|t| *t > 1).unwrap_or(Rational::from((3, 2))),
    )
}

fn steepest_of(orders: &[RenyiBound], log: &Interval) -> RenyiBound {
    let at = Float::with_val(GLANCE, log.middle());
    let exponent = |o: &RenyiBound| {
        let less = Float::with_val(GLANCE, &o.order) - 1u32;
        less * (Float::with_val(GLANCE, &o.epsilon) - &at)
    };
    let mut best: Option<(Float, &RenyiBound)> = None;
    for order in orders {
        let found = exponent(order);
        if best.as_ref().is_none_or(|(least, _)| found < *least) {
            best = Some((found, order));
        }
    }
    best.map_or_else(|| first(&Rational::new()), |(_, order)| order.clone())
}

/// ρ-zCDP at an order t ≥ 1.
pub(super) fn of_zcdp(rho: &Rational, order: Rational) -> RenyiBound {
    RenyiBound {
        epsilon: Rational::from(rho * &order),
        order,
    }
}

fn first(rho: &Rational) -> RenyiBound {
    of_zcdp(rho, Rational::from(1))
}

fn limit() -> Rational {
    Rational::from(1u64 << LARGEST_EXPONENT)
}

fn largest_excess(orders: &[RenyiBound], spot: &Spot) -> Option<(RenyiBound, Float)> {
    let mut worst: Option<(RenyiBound, Float)> = None;
    for order in orders {
        let excess = Boundary::new(order, spot.bits()).excess(spot);
        if worst.as_ref().is_none_or(|(_, most)| excess > *most) {
            worst = Some((order.clone(), excess));
        }
    }
    worst
}

/// Guarantees that do not follow from the one at a larger order (D_t rises with t), in rising order.
fn essential(orders: &[(Rational, Rational)]) -> Vec<RenyiBound> {
    let mut sorted: Vec<&(Rational, Rational)> = orders.iter().collect();
    sorted.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let mut kept: Vec<RenyiBound> = Vec::new();
    for (order, epsilon) in sorted {
        if kept.last().is_none_or(|last| *epsilon < last.epsilon) {
            kept.push(RenyiBound {
                order: order.clone(),
                epsilon: epsilon.clone(),
            });
        }
    }
    kept.reverse();
    kept
}

/// K(t) = log E_P[(dQ/dP)^t] and its first two derivatives.
fn cumulants(spot: &Spot, t: &Float) -> (Float, Float, Float) {
    let bits = spot.bits();
    let gain = |loss: &Float| about::exp_m1(Float::with_val(bits, loss * t));
    let (up, down) = (gain(&spot.up) * &spot.p, gain(&spot.down) * spot.rest());
    let total = Float::with_val(bits, &up + &down) + 1u32;
    let gain = Float::with_val(bits, &up + &down);
    let (up, down) = ((up + &spot.p) * &spot.up, (down + spot.rest()) * &spot.down);
    let slope = Float::with_val(bits, &up + &down) / &total;
    let second = (up * &spot.up + down * &spot.down) / &total;
    let bend = second - Float::with_val(bits, slope.square_ref());
    (about::ln_1p(gain), slope, bend)
}

/// The best of a geometric list of orders.
fn glance(spot: &Spot, rho: &Rational) -> Option<Float> {
    let lost = rho
        .denom()
        .significant_bits()
        .saturating_sub(rho.numer().significant_bits());
    let bits = lost
        .saturating_mul(2)
        .saturating_add(GLANCE)
        .saturating_add(32);
    let coarse = Spot::new(
        &Float::with_val(bits, &spot.p),
        &Float::with_val(bits, &spot.d),
    );
    let mut best: Option<(Float, Float)> = None;
    for exponent in EXPONENTS {
        let less = Float::with_val(bits, Float::i_exp(1, exponent));
        let t = Float::with_val(bits, &less + 1u32);
        let gain = coarse.mean(|loss| about::exp_m1(Float::with_val(bits, loss * &t)));
        let ratio = about::ln_1p(gain) / (less * &t);
        if ratio.is_finite() && best.as_ref().is_none_or(|(most, _)| ratio > *most) {
            best = Some((ratio, t));
        }
    }
    best.map(|(_, t)| t)
}

/// Newton's method for the maximum of K(t)/(t(t − 1)) near t: S = K'·t(t − 1) − K·(2t − 1) = 0, S' = K''·t(t − 1) − 2K.
/// `None` if it leads to t = 1.
pub(super) fn polished(spot: &Spot, start: &Float) -> Option<Rational> {
    let bits = spot.bits();
    let near_one = Float::with_val(bits, 1) >> NEAREST_TO_ONE.min(bits / 4);
    let fine = Float::with_val(bits, 1) >> (bits / 2);
    let mut less = Float::with_val(bits, start - 1u32);
    for _ in 0..MOST_STEPS {
        let t = Float::with_val(bits, &less + 1u32);
        let (value, slope, bend) = cumulants(spot, &t);
        let product = Float::with_val(bits, &t * &less);
        let double = Float::with_val(bits, &t << 1u32) - 1u32;
        let fall = bend * &product - Float::with_val(bits, &value << 1u32);
        let sign = slope * product - value * double;
        // Where the function bends up, go with its sign.
        let step = if fall < 0 {
            sign / fall
        } else if sign > 0 {
            Float::with_val(bits, -&less)
        } else {
            Float::with_val(bits, &less >> 1u32)
        };
        let next = Float::with_val(bits, &less - &step);
        let least = Float::with_val(bits, &less >> 6u32);
        let most = Float::with_val(bits, &less << 6u32);
        if next.is_nan() {
            return None;
        }
        less = next.larger(&least).smaller(&most);
        if less < near_one {
            return None;
        }
        if step.abs() < Float::with_val(bits, &less * &fine) {
            break;
        }
    }
    Float::with_val(bits, less + 1u32).to_rational()
}
