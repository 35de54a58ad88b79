//! Answers of one accountant that must go together.

use super::answer::{Number, Stated};
use super::case::{Ask, Case, GuaranteeSide};
use super::decimal::Decimal;
use super::kind::Kind;
use super::model::{Model, RepeatedStep, Step};
use crate::float::nearest;

/// A second question, and what its answer must be like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The second question.
    pub case: Case,
    /// What must hold.
    pub order: Expected,
    /// In words.
    pub words: &'static str,
}

/// What must hold between the first and the second answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The second is a guarantee of less: it is no better than the first.
    NotBetter,
    /// The second is a guarantee of more: it is no worse than the first.
    NotWorse,
    /// The second is at most this δ.
    AtMost(Decimal),
}

/// Differences that discretisation explains are no contradiction.
const TOLERANCE: f64 = 0.05;
/// δ that comes back from ε(δ) may be larger by this factor.
const ROUND_TRIP: f64 = 1.5;
/// Noise of a Fourier transform in double precision.
const NOISE: f64 = 1e-13;

/// The question that relation number `which` puts after an answer.
pub fn related(case: &Case, answer: &Stated, which: u8) -> Option<Related> {
    let with = |model: Option<Model>, order, words| {
        model.map(|model| Related {
            case: Case {
                model,
                ask: case.ask,
            },
            order,
            words,
        })
    };
    match which {
        0 | 1 => round_trip(case, answer),
        2 => with(
            more_steps(&case.model),
            Expected::NotBetter,
            "after twice the steps",
        ),
        3 => with(noisier(&case.model), Expected::NotWorse, "with more noise"),
        4 => with(rarer(&case.model), Expected::NotWorse, "at half the rate"),
        5 => farther(case),
        _ => None,
    }
}

/// Both ends of an answer; the same twice where it states one number, which is a guarantee and no more.
#[derive(Debug, Clone, Copy)]
pub struct Ends<'s> {
    /// The lower end.
    pub lower: &'s Stated,
    /// The upper end.
    pub upper: &'s Stated,
    /// Is it one number?
    pub single: bool,
}

/// Why two answers do not go together; `None` if they do. Intervals do not only where no numbers in them do, and contradict each
/// other then; where one of them is only a guarantee, both may be true, and one of them worse than it need be.
pub fn contradiction(
    side: GuaranteeSide,
    first: Ends<'_>,
    second: Ends<'_>,
    related: &Related,
) -> Option<(Kind, String)> {
    let clearly_below = |x: f64, y: f64| x < y - TOLERANCE * y.abs().min(1e300) - NOISE;
    // A guarantee of an error that is no better is a smaller number; one of a loss is a larger one.
    let grows = matches!(
        (related.order, side),
        (Expected::NotBetter, GuaranteeSide::Above) | (Expected::NotWorse, GuaranteeSide::Below)
    );
    let broken = match related.order {
        Expected::AtMost(delta) => size(second.lower)? > ROUND_TRIP * delta.to_f64() + NOISE * 1e-3,
        _ if grows => clearly_below(size(second.upper)?, size(first.lower)?),
        _ => clearly_below(size(first.upper)?, size(second.lower)?),
    };
    broken.then(|| {
        let kind = if first.single || second.single {
            Kind::Uneven
        } else {
            Kind::Contradiction
        };
        let words = format!(
            "it answers {}, and {} it answers {}",
            first.words(),
            related.words,
            second.words()
        );
        (kind, words)
    })
}

impl Ends<'_> {
    fn words(&self) -> String {
        if self.single {
            self.upper.text.clone()
        } else {
            format!("[{}, {}]", self.lower.text, self.upper.text)
        }
    }
}

fn size(stated: &Stated) -> Option<f64> {
    match &stated.number {
        Number::Finite(value) => Some(nearest(value)),
        Number::Infinite => Some(f64::INFINITY),
        Number::MinusInfinite | Number::Unread | Number::Not => None,
    }
}

fn round_trip(case: &Case, answer: &Stated) -> Option<Related> {
    let Ask::Epsilon { delta } = case.ask else {
        return None;
    };
    let epsilon = size(answer).filter(|epsilon| epsilon.is_finite())?;
    // Rounded up, where δ is smaller.
    let rounded = Decimal::near(epsilon + epsilon.abs() * 1e-9, 12);
    Some(Related {
        case: Case {
            model: case.model.clone(),
            ask: Ask::Delta { epsilon: rounded },
        },
        order: Expected::AtMost(delta),
        words: "for the delta at that epsilon",
    })
}

fn more_steps(model: &Model) -> Option<Model> {
    let parts = model.parts.iter().map(|part| {
        let times = part
            .times
            .checked_mul(2)
            .filter(|times| *times <= 1_000_000_000)?;
        Some(RepeatedStep {
            times,
            ..part.clone()
        })
    });
    Some(Model {
        parts: parts.collect::<Option<_>>()?,
        ..*model
    })
}

fn noisier(model: &Model) -> Option<Model> {
    let more = |x: Decimal| Decimal::near(x.to_f64() * 1.25, 4);
    let parts = model.parts.iter().map(|part| {
        let step = match &part.step {
            Step::Gaussian(sigma) => Step::Gaussian(more(*sigma)),
            Step::Laplace(scale) => Step::Laplace(more(*scale)),
            _ => return None,
        };
        Some(RepeatedStep {
            step,
            ..part.clone()
        })
    });
    Some(Model {
        parts: parts.collect::<Option<_>>()?,
        ..*model
    })
}

fn rarer(model: &Model) -> Option<Model> {
    let parts = model.parts.iter().map(|part| {
        let rate = Decimal::near(part.rate?.to_f64() / 2.0, 4);
        Some(RepeatedStep {
            rate: Some(rate),
            ..part.clone()
        })
    });
    Some(Model {
        parts: parts.collect::<Option<_>>()?,
        ..*model
    })
}

fn farther(case: &Case) -> Option<Related> {
    let up = |x: Decimal| Decimal::near(x.to_f64() * 1.5, 4);
    let below_one = |x: Decimal| Some(up(x)).filter(|x| x.to_f64() < 1.0);
    let (ask, order, words) = match case.ask {
        Ask::Delta { epsilon } if epsilon.to_f64() > 0.0 => {
            let epsilon = up(epsilon);
            (
                Ask::Delta { epsilon },
                Expected::NotWorse,
                "at a larger epsilon",
            )
        }
        Ask::Epsilon { delta } => {
            let delta = below_one(delta)?;
            (
                Ask::Epsilon { delta },
                Expected::NotWorse,
                "at a larger delta",
            )
        }
        Ask::TradeOff { alpha } => {
            let alpha = below_one(alpha)?;
            (
                Ask::TradeOff { alpha },
                Expected::NotBetter,
                "at a larger alpha",
            )
        }
        _ => return None,
    };
    Some(Related {
        case: Case {
            model: case.model.clone(),
            ask,
        },
        order,
        words,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rug::Rational;

    fn stated(value: f64) -> Stated {
        Stated {
            text: value.to_string(),
            number: Number::Finite(Rational::from_f64(value).unwrap()),
        }
    }

    fn case(ask: Ask) -> Case {
        Case {
            model: Model::of(vec![RepeatedStep {
                step: Step::Gaussian(Decimal::ONE),
                rate: Some(Decimal::new(1, -1)),
                times: 10,
            }]),
            ask,
        }
    }

    #[test]
    fn contradictions_are_told_from_rounding() {
        let epsilon = case(Ask::Epsilon {
            delta: Decimal::new(1, -5),
        });
        let round = related(&epsilon, &stated(2.0), 0).unwrap();
        let check = |related: &Related, a: f64, b: f64| {
            let (a, b) = (stated(a), stated(b));
            let side = related.case.ask.side();
            let ends = |x, single| Ends {
                lower: x,
                upper: x,
                single,
            };
            let kind = |single| contradiction(side, ends(&a, single), ends(&b, false), related);
            let kinds = [true, false].map(|single| kind(single).map(|(kind, _)| kind));
            // Both may be true where one is only a guarantee.
            let both = [Some(Kind::Uneven), Some(Kind::Contradiction)];
            assert!(kinds == both || kinds == [None, None]);
            kinds == both
        };
        assert!(!check(&round, 2.0, 1.01e-5));
        assert!(check(&round, 2.0, 1e-4));
        let steps = related(&epsilon, &stated(2.0), 2).unwrap();
        assert_eq!(steps.case.model.steps(), 20);
        assert!(!check(&steps, 2.0, 2.5) && !check(&steps, 2.0, 1.99) && check(&steps, 2.0, 1.0));
        let noise = related(&epsilon, &stated(2.0), 3).unwrap();
        assert!(check(&noise, 2.0, 2.5) && !check(&noise, 2.0, 1.5));
        let power = case(Ask::TradeOff {
            alpha: Decimal::new(1, -2),
        });
        // f falls with α, and with more steps.
        let alpha = related(&power, &stated(0.5), 5).unwrap();
        assert!(check(&alpha, 0.5, 0.9) && !check(&alpha, 0.5, 0.4));
        let steps = related(&power, &stated(0.5), 2).unwrap();
        assert!(check(&steps, 0.5, 0.9) && !check(&steps, 0.5, 0.4));
        assert_eq!(related(&power, &stated(0.5), 9), None);
    }
}
