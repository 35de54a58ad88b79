//! What a stated number says at least, and what it cannot be.

use std::cmp::Ordering;

use rug::Rational;

use super::answer::{Number, Stated};
use super::case::{Ask, GuaranteeSide};
use super::claim_file::exact;
use super::decimal::Decimal;
use crate::number::{decimal_down, decimal_up};

/// No ε below it: δ(ε) ≥ 1 − e^ε for every mechanism.
const LEAST_EPSILON: i32 = -1000;
/// Digits that are kept of a number too long to be written.
const DIGITS: usize = 60;
/// Below it, the slack of an ε is absolute, as 1/1000 of it: rounding in doubles is.
const SMALL_EPSILON: (u32, u32) = (1, 1000);

impl Ask {
    /// Is the answer in [0, 1]?
    pub fn is_probability(self) -> bool {
        !matches!(self, Self::Epsilon { .. } | Self::GdpMu { .. })
    }

    /// A number that claims can state and that is no better a guarantee than the stated one; `None` where that guarantees
    /// nothing.
    pub fn implied(self, number: &Number) -> Option<Rational> {
        let least = match self {
            Self::Epsilon { .. } => Rational::from(LEAST_EPSILON),
            _ => Rational::new(),
        };
        let one = Rational::from(1);
        let value = match (number, self.side()) {
            (Number::Finite(value), GuaranteeSide::Above) => value.clone().max(least),
            (Number::MinusInfinite, GuaranteeSide::Above) => least,
            (Number::Finite(value), GuaranteeSide::Below) => value.clone().max(least).min(one),
            (Number::Infinite, GuaranteeSide::Below) => one,
            _ => return None,
        };
        if exact(&value).is_some() {
            return Some(value);
        }
        let text = match self.side() {
            GuaranteeSide::Above => decimal_up(&value, DIGITS),
            GuaranteeSide::Below => decimal_down(&value, DIGITS),
        };
        crate::number::parse_rational(&text).ok()
    }

    /// What the answer exceeds for no mechanism: R(π) ≤ min(π, 1 − π) and f(α) ≤ 1 − α.
    pub fn most_possible(self) -> Option<Rational> {
        match self {
            Self::BayesError { prior } => {
                let present = prior.exactly();
                Some(Rational::from(1 - &present).min(present))
            }
            Self::TradeOff { alpha } => Some(1 - alpha.exactly()),
            _ => None,
        }
    }
}

/// A weaker guarantee: the stated one with so much added, relatively. Doubles end at about 1e-308: what is smaller than 1e-300
/// is not held against them.
pub fn relaxed(ask: Ask, value: &Rational, slack: &Rational) -> Rational {
    let size = value.clone().abs();
    let least = match ask {
        Ask::Epsilon { .. } => Rational::from(SMALL_EPSILON),
        _ => Decimal::new(1, -290).exactly(),
    };
    let added = Rational::from(slack * &size.max(least));
    match ask.side() {
        GuaranteeSide::Above => Rational::from(value + &added),
        GuaranteeSide::Below => Rational::from(value - &added).max(Rational::new()),
    }
}

/// Why these cannot be the ends of an answer.
pub fn malformed(lower: Option<&Stated>, upper: Option<&Stated>) -> Option<String> {
    for end in [lower, upper].into_iter().flatten() {
        match end.number {
            Number::Not => return Some(format!("not a number: `{}`", end.text)),
            Number::Unread => return Some("a number longer or larger than is read".to_owned()),
            Number::Finite(_) | Number::Infinite | Number::MinusInfinite => {}
        }
    }
    let upside_down = order(&lower?.number, &upper?.number) == Ordering::Greater;
    upside_down.then(|| "the lower end is above the upper one".to_owned())
}

/// Why a number cannot be what was asked for, even where it guarantees nothing false.
pub fn nonsense(ask: Ask, guarantee: &Stated) -> Option<String> {
    let text = &guarantee.text;
    let rounding = Rational::from((1, 1_000_000_000));
    match &guarantee.number {
        Number::MinusInfinite => Some("minus infinity".to_owned()),
        Number::Infinite if ask.is_probability() => Some("an infinite probability".to_owned()),
        Number::Finite(value) if ask.is_probability() && *value > 1 + rounding.clone() => {
            Some(format!("a probability above 1: {text}"))
        }
        // Rounded to below 0, an error is guaranteed to be at least nothing.
        Number::Finite(value) if ask.side() == GuaranteeSide::Below && *value >= -rounding => None,
        Number::Finite(value) if *value < 0 && ask.is_probability() => {
            Some(format!("a negative probability: {text}"))
        }
        Number::Finite(value) if *value < 0 && matches!(ask, Ask::GdpMu { .. }) => {
            Some(format!("a negative mu: {text}"))
        }
        _ => None,
    }
}

fn order(a: &Number, b: &Number) -> Ordering {
    let rank = |number: &Number| match number {
        Number::MinusInfinite => -1,
        Number::Infinite => 1,
        Number::Finite(_) | Number::Not | Number::Unread => 0,
    };
    match (a, b) {
        (Number::Finite(a), Number::Finite(b)) => a.cmp(b),
        _ => rank(a).cmp(&rank(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::Case;
    use super::super::judge::{CaseJudge, Kind};
    use super::super::model::{Model, RepeatedStep, Step};
    use super::*;

    fn stated(text: &str) -> Stated {
        let line = format!("{{\"id\":1,\"value\":\"{text}\"}}");
        match super::super::answer::read_answer(&line, 1) {
            super::super::answer::Said::Ends {
                upper: Some(upper), ..
            } => upper,
            other => panic!("{other:?}"),
        }
    }

    const PRIOR: Ask = Ask::BayesError {
        prior: Decimal::ONE,
    };
    const ALPHA: Ask = Ask::TradeOff {
        alpha: Decimal::ONE,
    };
    const DELTA: Ask = Ask::Epsilon {
        delta: Decimal::ONE,
    };

    #[test]
    fn what_is_implied() {
        let implied = |ask: Ask, text: &str| ask.implied(&stated(text).number);
        let number = |n: i32| Some(Rational::from(n));
        assert_eq!(implied(DELTA, "-inf"), number(-1000));
        assert_eq!(implied(DELTA, "-1e400"), number(-1000));
        assert_eq!(implied(DELTA, "inf"), None);
        assert_eq!(implied(Ask::Advantage, "-0.5"), number(0));
        assert_eq!(implied(ALPHA, "1.07"), number(1));
        assert_eq!(implied(ALPHA, "inf"), number(1));
        assert_eq!(implied(ALPHA, "-1e-17"), number(0));
        assert_eq!(implied(PRIOR, "-inf"), None);
        let long = format!("0.3{}", "1234567890".repeat(90));
        let exactly = crate::number::parse_rational(&long).unwrap();
        for (ask, order) in [(Ask::Advantage, Ordering::Greater), (ALPHA, Ordering::Less)] {
            let kept = implied(ask, &long).unwrap();
            assert!(exact(&kept).is_some());
            if exact(&exactly).is_none() {
                assert_eq!(kept.cmp(&exactly), order);
            }
        }
        let fraction = format!("{}/{}", "3".repeat(499), "7".repeat(499));
        assert!(exact(&implied(Ask::Advantage, &fraction).unwrap()).is_some());
    }

    #[test]
    fn what_makes_no_sense() {
        let ends = |low: &str, high: &str| malformed(Some(&stated(low)), Some(&stated(high)));
        assert!(ends("inf", "1e9").is_some() && ends("0.2", "0.1").is_some());
        assert!(ends("nan", "1").is_some() && ends("1", "nan").is_some());
        assert!(ends("0", "-inf").is_some());
        assert!(ends("-inf", "inf").is_none() && ends("1", "1").is_none());
        assert!(malformed(Some(&stated("1")), None).is_none());
        let long = "1".repeat(1200);
        assert!(ends("0", &long).is_some_and(|why| why.contains("longer")));
        assert_eq!(nonsense(ALPHA, &stated("-1e-17")), None);
        assert!(nonsense(ALPHA, &stated("-0.1")).is_some());
        assert!(nonsense(Ask::Advantage, &stated("-1e-17")).is_some());
        assert_eq!(nonsense(DELTA, &stated("-3")), None);
        assert!(nonsense(ALPHA, &stated("1.1")).is_some());
        assert_eq!(nonsense(ALPHA, &stated("1.0000000001")), None);
    }

    /// Relative, also where ε is small.
    #[test]
    fn slack_of_small_epsilons() {
        let slack = Rational::from((1, 1_000_000_000));
        let tiny = Decimal::new(5, -10).exactly();
        let weaker = relaxed(DELTA, &tiny, &slack);
        assert!(weaker > tiny && weaker < tiny * Rational::from((1003, 1000)));
    }

    /// δ is 0 there: what is stated of it is loose, unless it is next to nothing.
    #[test]
    fn no_factor_is_asked_of_what_is_negligible() {
        let response = Step::Response {
            epsilon: Decimal::ONE,
            k: 2,
        };
        let case = Case {
            model: Model::of(vec![RepeatedStep::plain(response, 1)]),
            ask: Ask::Delta {
                epsilon: Decimal::new(2, 0),
            },
        };
        for (value, kinds) in [
            ("1e-13", vec![Kind::Loose]),
            ("9e-15", vec![]),
            ("0", vec![]),
        ] {
            let said =
                super::super::answer::read_answer(&format!("{{\"id\":1,\"value\":{value}}}"), 1);
            let opinion = CaseJudge::new(&case, &super::super::fakes::rules())
                .opinion(&said)
                .unwrap();
            let found: Vec<Kind> = opinion.faults.iter().map(|fault| fault.kind).collect();
            assert_eq!(found, kinds, "{value}");
        }
    }
}
