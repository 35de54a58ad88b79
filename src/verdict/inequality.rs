//! What a claim says, as one inequality about one quantity.

use rug::{Float, Rational};

use super::Margin;
use crate::bounds::Enclosure;
use crate::kernel::{InvariantViolation, directed as d};
use crate::mechanism::StatedEpsilon;
use crate::number::{decimal_down, decimal_up, parse_rational};
use crate::statement::{Claim, Contrast, Quantity, Query, StatedClaim};

/// Bits of margins beyond those of the enclosure, so that subtracting loses nothing that is printed.
const GUARD_BITS: u32 = 64;

/// Digits of a rational number next to log u.
const BESIDE_DIGITS: usize = 25;

/// Quantity ≤ bound, or quantity ≥ bound; true with equality.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inequality {
    /// What the claim bounds.
    pub query: Query,
    /// From which side.
    pub relation: Relation,
    /// By which number.
    pub bound: Rational,
}

/// The side from which a claim bounds its quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// quantity ≤ bound.
    AtMost,
    /// quantity ≥ bound.
    AtLeast,
}

/// What an enclosure says about an inequality.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The whole enclosure satisfies it, with at least this much to spare (≥ 0).
    Holds(Margin),
    /// The whole enclosure violates it, by at least this much (as a number ≤ 0).
    Fails(Margin),
    /// The bound is inside the enclosure.
    Open,
}

impl Inequality {
    /// What a claim says.
    pub fn of(claim: &Claim) -> Self {
        let (relation, bound) = match claim.stated() {
            StatedClaim::PureDp { epsilon } => (
                Relation::AtMost,
                match epsilon.stated() {
                    StatedEpsilon::Number(epsilon) => epsilon.clone(),
                    // Of the point of the profile there.
                    StatedEpsilon::Exp(_) => Rational::new(),
                },
            ),
            StatedClaim::ApproxDp { delta, .. } => (Relation::AtMost, delta.clone()),
            StatedClaim::Gdp { mu, .. } => (Relation::AtMost, mu.clone()),
            StatedClaim::Zcdp { rho } => (Relation::AtMost, rho.clone()),
            StatedClaim::Rdp { epsilon, .. } => (Relation::AtMost, epsilon.clone()),
            StatedClaim::Advantage { at_most }
            | StatedClaim::Regret { at_most, .. }
            | StatedClaim::DominatedBy { at_most, .. } => (Relation::AtMost, at_most.clone()),
            StatedClaim::TradeOff { beta, .. } => (Relation::AtLeast, beta.clone()),
        };
        Self {
            query: claim.query(),
            relation,
            bound,
        }
    }

    /// Inequalities that decide a claim in most cases, and more tellingly than [`Inequality::of`] does: the largest loss against a
    /// rational number next to log u.
    ///
    /// Ensures: the claim is true if the first holds, and false if the second fails.
    pub fn beside(claim: &Claim) -> Option<(Self, Self)> {
        let StatedClaim::PureDp { epsilon } = claim.stated() else {
            return None;
        };
        let StatedEpsilon::Exp(_) = epsilon.stated() else {
            return None;
        };
        let most = |bound| Self {
            query: Query::max_loss(),
            relation: Relation::AtMost,
            bound,
        };
        let digits = BESIDE_DIGITS;
        let down = decimal_down(&epsilon.rational_down(), digits);
        let up = decimal_up(&epsilon.rational_up(), digits);
        Some((
            most(parse_rational(&down).ok()?),
            most(parse_rational(&up).ok()?),
        ))
    }

    /// The same inequality with another bound.
    pub fn with_bound(&self, bound: Rational) -> Self {
        Self {
            bound,
            ..self.clone()
        }
    }

    /// Whether the enclosure decides it, and by which margin.
    pub fn decide(&self, enclosure: &Enclosure) -> Decision {
        let bits = enclosure.lower().prec().max(enclosure.upper().prec());
        let bits = bits.saturating_add(GUARD_BITS);
        if let Some(value) = enclosure.exact() {
            let spare = match self.relation {
                Relation::AtMost => Rational::from(&self.bound - value),
                Relation::AtLeast => Rational::from(value - &self.bound),
            };
            let holds = spare >= 0;
            let margin = Margin::exactly(spare, bits);
            return if holds {
                Decision::Holds(margin)
            } else {
                Decision::Fails(margin)
            };
        }
        if let (Relation::AtMost, Some(most)) = (self.relation, enclosure.most())
            && *most <= self.bound
        {
            let spare = Rational::from(&self.bound - most);
            return Decision::Holds(Margin::bounded(d::rational_down(&spare, bits)));
        }
        let (low, high) = (enclosure.lower(), enclosure.upper());
        let bound_down = d::rational_down(&self.bound, bits);
        let bound_up = d::rational_up(&self.bound, bits);
        match self.relation {
            Relation::AtMost if *high <= self.bound => {
                Decision::Holds(not_below_zero(d::sub_down(&bound_down, high, bits)))
            }
            Relation::AtMost if *low > self.bound => {
                Decision::Fails(not_above_zero(d::sub_up(&bound_up, low, bits)))
            }
            Relation::AtLeast if *low >= self.bound => {
                Decision::Holds(not_below_zero(d::sub_down(low, &bound_up, bits)))
            }
            Relation::AtLeast if *high < self.bound => {
                Decision::Fails(not_above_zero(d::sub_up(high, &bound_down, bits)))
            }
            Relation::AtMost | Relation::AtLeast => Decision::Open,
        }
    }

    /// The width that an enclosure inside this one must not exceed if it is to leave the bound out: the
    /// longer of the two parts into which the bound cuts it.
    pub fn width_to_decide_up(&self, enclosure: &Enclosure) -> Float {
        let bits = enclosure.lower().prec().max(enclosure.upper().prec());
        let bits = bits.saturating_add(GUARD_BITS);
        let (low, high) = (enclosure.lower(), enclosure.upper());
        let below = d::sub_up(&d::rational_up(&self.bound, bits), low, bits);
        let above = d::sub_up(high, &d::rational_down(&self.bound, bits), bits);
        if below >= above { below } else { above }
    }
}

/// What is known of a quantity of any mechanism.
///
/// # Errors
/// Never, unless 0 > 1.
pub fn known_of_every_mechanism(query: &Query) -> Result<Enclosure, InvariantViolation> {
    const BITS: u32 = 64;
    let up_to = |most: Float| Enclosure::new(Float::new(BITS), most);
    let unit = up_to(Float::with_val(BITS, 1));
    match query.quantity() {
        Quantity::Delta(_)
        | Quantity::TradeOff { .. }
        | Quantity::Advantage
        | Quantity::BayesError { .. }
        | Quantity::MinimaxRisk => unit,
        // A weight may be as large as it likes.
        Quantity::Divergence {
            contrast: Contrast::Weighted(_),
            ..
        }
        | Quantity::GdpMu(_)
        | Quantity::MaxLoss
        | Quantity::Renyi { .. }
        | Quantity::ZcdpRho => up_to(d::infinity(BITS)),
        // A difference of two Bayes errors in [0, 1/2].
        Quantity::Divergence { .. } | Quantity::Regret { .. } | Quantity::RegretOfStrictMu => {
            up_to(Float::with_val(BITS, 1) >> 1u32)
        }
        Quantity::Epsilon { .. } => Enclosure::new(d::neg_infinity(BITS), d::infinity(BITS)),
    }
}

/// Rounding must not turn a decided inequality around.
fn not_below_zero(margin: Float) -> Margin {
    Margin::bounded(if margin < 0 {
        Float::new(margin.prec())
    } else {
        margin
    })
}

fn not_above_zero(margin: Float) -> Margin {
    Margin::bounded(if margin > 0 {
        Float::new(margin.prec())
    } else {
        margin
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advantage(relation: Relation, bound: (i32, i32)) -> Inequality {
        Inequality {
            query: Query::advantage(),
            relation,
            bound: Rational::from(bound),
        }
    }

    fn between(low: f64, high: f64) -> Enclosure {
        Enclosure::new(Float::with_val(53, low), Float::with_val(53, high)).unwrap()
    }

    #[test]
    fn both_relations_on_both_sides_of_the_enclosure() {
        use Relation::{AtLeast, AtMost};
        let enclosure = between(0.25, 0.5);
        let margin = |relation, bound| match advantage(relation, bound).decide(&enclosure) {
            Decision::Holds(margin) => Some((true, margin.certified().to_f64())),
            Decision::Fails(margin) => Some((false, margin.certified().to_f64())),
            Decision::Open => None,
        };
        assert_eq!(margin(AtMost, (3, 4)), Some((true, 0.25)));
        assert_eq!(margin(AtMost, (1, 2)), Some((true, 0.0)));
        assert_eq!(margin(AtMost, (3, 8)), None);
        assert_eq!(margin(AtMost, (1, 4)), None);
        assert_eq!(margin(AtMost, (1, 8)), Some((false, -0.125)));
        assert_eq!(margin(AtLeast, (1, 8)), Some((true, 0.125)));
        assert_eq!(margin(AtLeast, (1, 4)), Some((true, 0.0)));
        assert_eq!(margin(AtLeast, (3, 8)), None);
        assert_eq!(margin(AtLeast, (1, 2)), None);
        assert_eq!(margin(AtLeast, (3, 4)), Some((false, -0.25)));
    }

    /// 1/3 is inside every binary enclosure of itself; the exact value still decides.
    #[test]
    fn equality_is_decided_by_the_exact_value() {
        let third = Enclosure::exactly(Rational::from((1, 3)), 53);
        for relation in [Relation::AtMost, Relation::AtLeast] {
            assert_eq!(
                advantage(relation, (1, 3)).decide(&third),
                Decision::Holds(Margin::exactly(Rational::new(), 117))
            );
        }
        let inexact = between(third.lower().to_f64(), third.upper().to_f64());
        assert_eq!(
            advantage(Relation::AtMost, (1, 3)).decide(&inexact),
            Decision::Open
        );
    }

    #[test]
    fn margins_are_certified_not_nearest() {
        let Decision::Holds(margin) =
            advantage(Relation::AtMost, (2, 3)).decide(&between(0.0, 0.5))
        else {
            panic!("2/3 is above the enclosure")
        };
        assert!(*margin.certified() < Rational::from((1, 6)));
        let Decision::Fails(margin) =
            advantage(Relation::AtMost, (1, 3)).decide(&between(0.5, 1.0))
        else {
            panic!("1/3 is below the enclosure")
        };
        assert!(*margin.certified() > Rational::from((-1, 6)));
    }

    #[test]
    fn infinite_ends() {
        let unbounded = Enclosure::new(d::infinity(53), d::infinity(53)).unwrap();
        let Decision::Fails(margin) = advantage(Relation::AtMost, (1, 1)).decide(&unbounded) else {
            panic!("infinity is above 1")
        };
        let margin = margin.certified();
        assert!(margin.is_infinite() && margin.is_sign_negative());
        let unknown = Enclosure::new(Float::new(53), d::infinity(53)).unwrap();
        let claim = advantage(Relation::AtMost, (1, 1));
        assert_eq!(claim.decide(&unknown), Decision::Open);
        assert!(claim.width_to_decide_up(&unknown).is_infinite());
    }

    #[test]
    fn the_width_to_decide_is_the_longer_part() {
        let claim = advantage(Relation::AtMost, (3, 8));
        assert_eq!(claim.width_to_decide_up(&between(0.25, 0.75)), 0.375);
    }
}
