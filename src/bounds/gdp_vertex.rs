//! The least μ that one point of a trade-off curve asks for.
//!
//! G_μ(α) = Φ(z(α) − μ) with z(p) = Φ⁻¹(1 − p), so G_μ(α) ≤ β exactly if μ ≥ z(α) + z(β). Points are given
//! by α and by 1 − β, which is the tail Q(L > ε) and known with small relative error where β is near 1.

use rug::Float;

use crate::kernel::directed as d;
use crate::kernel::{Interval, Pick, normal};
use crate::mechanism::GdpForm;

/// What a statement about μ overlooks, and how precisely to compute.
pub(super) struct Allowance {
    kind: Kind,
    /// Precision of the inverse normal, lower than that of its arguments.
    inverse_bits: u32,
}

enum Kind {
    /// f(α) ≥ G_μ(α + τ) − τ.
    Tolerance(Interval),
    /// f(α) ≥ G_μ(α) wherever α ≥ e and G_μ(α) ≥ e.
    Floor(Interval),
}

/// A point (α, β) as α and 1 − β.
#[derive(Debug, Clone)]
pub(super) struct Corner {
    pub alpha: Interval,
    pub rest: Interval,
}

impl Allowance {
    pub fn new(form: &GdpForm, inverse_bits: u32, bits: u32) -> Self {
        let kind = match form {
            GdpForm::Strict => Kind::Tolerance(Interval::zero(bits)),
            GdpForm::Tolerance(tau) => Kind::Tolerance(Interval::from_rational(tau, bits)),
            GdpForm::ErrorFloor(floor) => Kind::Floor(Interval::from_rational(floor, bits)),
        };
        Self { kind, inverse_bits }
    }

    /// Is the statement about the whole curve, with nothing overlooked?
    pub fn is_strict(&self) -> bool {
        match &self.kind {
            Kind::Tolerance(x) | Kind::Floor(x) => x.is_zero(),
        }
    }

    /// Upper bound of the μ that the point asks for; −∞ if it asks for nothing.
    ///
    /// Ensures: under a tolerance, G_μ(α + τ) − τ ≤ β for this μ; under a floor, G_μ(α) ≤ β unless α < e or
    /// β < e.
    pub fn mu_up(&self, corner: &Corner) -> Float {
        let bits = corner.alpha.bits();
        let (alpha, rest) = match &self.kind {
            Kind::Tolerance(tau) => (
                d::add_down(corner.alpha.lo(), tau.lo(), bits),
                d::sub_up(corner.rest.hi(), tau.lo(), bits),
            ),
            Kind::Floor(floor) => {
                let ceiling = floor.one_minus();
                if corner.alpha.hi() < floor.lo() || corner.rest.lo() > ceiling.hi() {
                    return d::neg_infinity(self.inverse_bits);
                }
                (
                    corner.alpha.lo().clone().larger(floor.lo()),
                    corner.rest.hi().clone().smaller(ceiling.hi()),
                )
            }
        };
        if alpha >= 1 || rest <= 0 {
            return d::neg_infinity(self.inverse_bits);
        }
        if alpha <= 0 || rest >= 1 {
            return d::infinity(self.inverse_bits);
        }
        self.sum(&alpha, &rest).hi().clone()
    }

    /// Lower bound of the μ that a point on or above the curve asks for; −∞ if it asks for nothing.
    pub fn mu_down(&self, alpha_up: &Float, rest_down: &Float) -> Float {
        let bits = alpha_up.prec();
        let (alpha, rest) = match &self.kind {
            Kind::Tolerance(tau) => (
                d::add_up(alpha_up, tau.hi(), bits),
                d::sub_down(rest_down, tau.hi(), bits),
            ),
            Kind::Floor(floor) => (
                alpha_up.clone().larger(floor.hi()),
                rest_down.clone().smaller(floor.one_minus().lo()),
            ),
        };
        if alpha >= 1 || rest <= 0 {
            return d::neg_infinity(self.inverse_bits);
        }
        self.sum(&alpha, &rest).lo().clone()
    }

    /// z(α) + z(β) for β = 1 − rest.
    fn sum(&self, alpha: &Float, rest: &Float) -> Interval {
        let rest = Interval::point(rest.clone());
        let half = Float::with_val(8, 1) >> 1u32;
        let second = if *rest.hi() <= half {
            self.inverse(&rest).neg()
        } else {
            self.inverse(&rest.one_minus())
        };
        self.inverse(&Interval::point(alpha.clone())).add(&second)
    }

    fn inverse(&self, p: &Interval) -> Interval {
        normal::survival_inverse(&p.at_bits(self.inverse_bits))
    }

    /// The error floor, if that is the statement.
    pub fn floor(&self) -> Option<&Interval> {
        match &self.kind {
            Kind::Floor(floor) => Some(floor),
            Kind::Tolerance(_) => None,
        }
    }
}

impl Corner {
    pub fn beta(&self) -> Interval {
        self.rest.one_minus()
    }

    /// The same point seen from the swapped pair: α and β exchanged.
    pub fn mirrored(&self) -> Self {
        Self {
            alpha: self.beta(),
            rest: self.alpha.one_minus(),
        }
    }

    /// A box that contains both.
    pub fn hull(&self, other: &Self) -> Self {
        Self {
            alpha: self.alpha.hull(&other.alpha),
            rest: self.rest.hull(&other.rest),
        }
    }
}
