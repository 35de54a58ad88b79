//! `profile`: points of a privacy profile, from another accountant.

use rug::float::Round;
use rug::{Float, Rational};

use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange, Why};
use crate::mechanism::epsilon::{Epsilon, StatedEpsilon};
use crate::mechanism::steps::{Conditions, FiniteLosses, Step, Steps};

/// Bits of the enclosure of e^ε that decides feasibility.
const FEASIBILITY_BITS: u32 = 256;

/// Every mechanism whose privacy profile, in both directions, is at most these points (ε, δ).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    points: Vec<(Epsilon, Rational)>,
}

impl Profile {
    /// Pairs (ε, δ), δ in [0, 1], at least one.
    ///
    /// They are infeasible iff δ(ε) < 1 − e^ε for one of them, which is less than every mechanism has
    /// (Q(E) − e^ε P(E) with E everything).
    ///
    /// # Errors
    /// If a number is out of its range, there is none, or no mechanism has such a profile.
    pub fn new(points: Vec<(Epsilon, Rational)>) -> Result<Self, OutOfRange> {
        if points.is_empty() {
            return Err(OutOfRange::new("points", "must not be empty"));
        }
        for (index, (epsilon, delta)) in points.iter().enumerate() {
            Domain::Unit.hold("delta", delta)?;
            if is_certainly_infeasible(epsilon, delta) {
                let message = "no mechanism has so small a delta at this epsilon";
                return Err(OutOfRange::sentence("points", message)
                    .because(Why::Infeasible)
                    .at(index)
                    .help("for epsilon < 0 every mechanism has delta at least 1 - e^epsilon"));
            }
        }
        Ok(Self { points })
    }

    /// The pairs (ε, δ).
    pub fn points(&self) -> &[(Epsilon, Rational)] {
        &self.points
    }
}

impl Describe for Profile {
    fn words(&self) -> String {
        format!(
            "any mechanism with a profile of {} points",
            self.points.len()
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![("points", Parameter::Points(&self.points))]
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        let losses = FiniteLosses::Points {
            points: self.points.as_slice().into(),
        };
        Ok(Steps::one(Step::finite(losses), Conditions::GUARANTEE))
    }
}

/// Whether δ < 1 − e^ε for sure: e^ε and e^ε − 1 are rounded up, so equality within rounding is accepted.
/// Where e^ε is stated, nothing is rounded.
/// The first is exact to a relative 2^−256 near e^ε = 0, the second near e^ε = 1.
fn is_certainly_infeasible(epsilon: &Epsilon, delta: &Rational) -> bool {
    if !epsilon.is_negative() {
        return false;
    }
    let epsilon = match epsilon.stated() {
        StatedEpsilon::Number(epsilon) => epsilon,
        StatedEpsilon::Exp(u) => return *delta < Rational::from(1 - u),
    };
    let (mut power, _) = Float::with_val_round(FEASIBILITY_BITS, epsilon, Round::Up);
    let mut power_less_one = power.clone();
    power.exp_round(Round::Up);
    power_less_one.exp_m1_round(Round::Up);
    power < Rational::from(1 - delta) || power_less_one < Rational::from(-delta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    fn infeasible(epsilon: &str, delta: &str) -> bool {
        is_certainly_infeasible(
            &parse_rational(epsilon).unwrap().into(),
            &parse_rational(delta).unwrap(),
        )
    }

    /// Random ones near the boundary: nothing feasible is refused, and what is more than 2^−200 too small is.
    #[test]
    fn random_feasibility() {
        let mut random = crate::kernel::coarse::Random(61);
        for _ in 0..10_000 {
            let n = 1 + i64::try_from(random.below(400)).unwrap();
            let (epsilon, exact) = match random.below(3) {
                0 => {
                    let u = Rational::from((n, 401));
                    let epsilon = Epsilon::log_of(u.clone()).unwrap();
                    (epsilon, crate::kernel::Interval::from_rational(&u, 400))
                }
                _ => {
                    let digits = u32::try_from(random.below(60)).unwrap();
                    let number = Rational::from(-n) >> digits;
                    let exact = crate::kernel::Interval::from_rational(&number, 400).exp();
                    (number.into(), exact)
                }
            };
            let gap = exact.one_minus();
            let off = Rational::from(1) >> (150 + u32::try_from(random.below(100)).unwrap());
            let (low, high) = (
                gap.lo().to_rational().unwrap(),
                gap.hi().to_rational().unwrap(),
            );
            let above = Rational::from(&high + &off);
            assert!(
                !is_certainly_infeasible(&epsilon, &above),
                "{epsilon:?} {off}"
            );
            let below = &low - (off << 60u32);
            assert!(is_certainly_infeasible(&epsilon, &below), "{epsilon:?}");
        }
    }

    #[test]
    fn feasibility_is_decided_at_the_boundary() {
        // 1 − e^−1 = 0.632120558828557678404476229838539132554188868968637…
        assert!(infeasible(
            "-1",
            "0.632120558828557678404476229838539132554188"
        ));
        assert!(!infeasible(
            "-1",
            "0.632120558828557678404476229838539132554189"
        ));
        assert!(!infeasible("0", "0"));
        assert!(!infeasible("5", "0"));
        assert!(infeasible("-1e-300", "0"));
        assert!(!infeasible("-1e-300", "1e-300"));
        let third = Epsilon::log_of(Rational::from((1, 3))).unwrap();
        let two_thirds = Rational::from((2, 3));
        assert!(!is_certainly_infeasible(&third, &two_thirds));
        assert!(is_certainly_infeasible(
            &third,
            &(two_thirds - Rational::from((1, 1u64 << 60)))
        ));
        assert!(infeasible("-1e20000", "0.99999"));
        assert!(!infeasible("-1e20000", "1"));
    }
}
