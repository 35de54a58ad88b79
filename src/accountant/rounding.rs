//! What the rounding of parameters to doubles can explain.
//!
//! An accountant that computes in doubles reads σ, q, δ, α and π rounded. Its answer is then true of a neighbouring case. A guarantee
//! is called false only if it is false of the kindest such neighbour, too; all quantities are monotone in each parameter (Bayes errors
//! are concave in the prior and symmetric about 1/2; of discrete Gaussians in σ it is taken for granted), so that it is false of everything
//! between. It only decides what is called unsound: the claim that is refuted and confirmed is that of the case itself.

use rug::Rational;

use super::case::{Ask, Case};
use super::decimal::Decimal;
use super::model::{Model, RepeatedStep, Step};

/// Which neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Perturbation {
    /// More private, and asked for less.
    Favourable,
    /// Less private, and asked for more.
    Adverse,
}

/// Entries of a finite pair are each rounded: this covers it in ε, and relatively in δ.
const ENTRIES: f64 = 1e-15;

impl Case {
    /// Every parameter that is no double moved past the doubles next to it.
    pub fn moved(&self, fortune: Perturbation) -> Self {
        let parts = self
            .model
            .parts
            .iter()
            .map(|part| moved_part(part, fortune));
        let ask = moved_ask(self.ask, fortune);
        let has_entries = |part: &RepeatedStep| matches!(part.step, Step::Finite { .. });
        Self {
            model: Model {
                parts: parts.collect(),
                ..self.model
            },
            ask: if self.model.parts.iter().any(has_entries) {
                beyond_entries(ask, fortune)
            } else {
                ask
            },
        }
    }
}

impl Perturbation {
    /// A number of which more is kind.
    fn more(self, x: Decimal) -> Decimal {
        match self {
            Self::Favourable => above(x),
            Self::Adverse => below(x),
        }
    }

    /// A number of which less is kind.
    fn less(self, x: Decimal) -> Decimal {
        match self {
            Self::Favourable => below(x),
            Self::Adverse => above(x),
        }
    }
}

fn moved_part(part: &RepeatedStep, fortune: Perturbation) -> RepeatedStep {
    let step = match &part.step {
        Step::Gaussian(sigma) => Step::Gaussian(fortune.more(*sigma)),
        Step::Laplace(scale) => Step::Laplace(fortune.more(*scale)),
        Step::DiscreteGaussian(sigma) => Step::DiscreteGaussian(fortune.more(*sigma)),
        Step::DiscreteLaplace(scale) => Step::DiscreteLaplace(fortune.more(*scale)),
        Step::Response { epsilon, k } => Step::Response {
            epsilon: fortune.less(*epsilon),
            k: *k,
        },
        Step::ApproxDp { epsilon, delta } => Step::ApproxDp {
            epsilon: fortune.less(*epsilon),
            delta: fortune.less(*delta),
        },
        // Of other kinds, all numbers are doubles.
        Step::Finite { .. } | Step::Named(_) => part.step.clone(),
    };
    RepeatedStep {
        step,
        rate: part.rate.map(|rate| fortune.less(rate)),
        times: part.times,
    }
}

fn moved_ask(ask: Ask, fortune: Perturbation) -> Ask {
    match ask {
        Ask::Delta { epsilon } => Ask::Delta {
            epsilon: fortune.more(epsilon),
        },
        Ask::Epsilon { delta } => Ask::Epsilon {
            delta: fortune.more(delta),
        },
        Ask::TradeOff { alpha } => Ask::TradeOff {
            alpha: fortune.less(alpha),
        },
        Ask::Advantage => Ask::Advantage,
        // The error is largest at 1/2.
        Ask::BayesError { prior } if prior.to_f64() < 0.5 => Ask::BayesError {
            prior: fortune.more(prior),
        },
        Ask::BayesError { prior } => Ask::BayesError {
            prior: fortune.less(prior),
        },
        Ask::GdpMu { floor } => Ask::GdpMu {
            floor: fortune.more(floor),
        },
    }
}

/// (1 − u)(p − e^{ε + 2u}·q)⁺ is below (p′ − e^ε·q′)⁺ where entries are off by a factor within 1 ± u.
fn beyond_entries(ask: Ask, fortune: Perturbation) -> Ask {
    let sign = match fortune {
        Perturbation::Favourable => ENTRIES,
        Perturbation::Adverse => -ENTRIES,
    };
    let shifted = |epsilon: f64| Ask::Delta {
        epsilon: Decimal::near(epsilon + sign * epsilon.abs().max(1.0), 17),
    };
    match ask {
        Ask::Delta { epsilon } => shifted(epsilon.to_f64()),
        Ask::Advantage => shifted(0.0),
        Ask::Epsilon { delta } => Ask::Epsilon {
            delta: Decimal::near(delta.to_f64() * (1.0 + sign), 17),
        },
        other => other,
    }
}

fn above(x: Decimal) -> Decimal {
    if is_double(x) {
        return x;
    }
    Decimal::near(x.to_f64().next_up(), 17)
}

fn below(x: Decimal) -> Decimal {
    if is_double(x) {
        return x;
    }
    Decimal::near(x.to_f64().next_down(), 17)
}

/// Is it exactly a double?
pub(super) fn is_double(x: Decimal) -> bool {
    Rational::from_f64(x.to_f64()).is_none_or(|nearest| nearest == x.exactly())
}

#[cfg(test)]
mod tests {
    use super::super::answer::read_answer;
    use super::super::judge::{CaseJudge, Kind};
    use super::*;

    #[test]
    fn the_nearest_double_is_between() {
        for text in [
            "0.1",
            "0.99999999",
            "1e-300",
            "3.3e-6",
            "-0.7",
            "123456.7",
            "0.3",
        ] {
            let x = Decimal::read(text).unwrap();
            let nearest = Rational::from_f64(x.to_f64()).unwrap();
            assert!(below(x).exactly() < nearest && nearest < above(x).exactly());
            assert!(below(x).exactly() < x.exactly() && x.exactly() < above(x).exactly());
            let width: Rational = above(x).exactly() - below(x).exactly();
            assert!(width < x.exactly().abs() * Rational::from((1, 1_000_000_000_000_000u64)));
        }
        for text in ["1", "0.5", "1000", "0", "-3"] {
            let x = Decimal::read(text).unwrap();
            assert_eq!((below(x), above(x)), (x, x));
        }
    }

    #[test]
    fn what_is_kind() {
        let case = |prior: &str| Case {
            model: Model::of(vec![RepeatedStep {
                step: Step::Gaussian(Decimal::new(11, -1)),
                rate: Some(Decimal::new(1, -1)),
                times: 3,
            }]),
            ask: Ask::BayesError {
                prior: Decimal::read(prior).unwrap(),
            },
        };
        for (prior, towards) in [("0.1", 1), ("0.9", -1)] {
            let (here, there) = (case(prior), case(prior).moved(Perturbation::Favourable));
            let (Ask::BayesError { prior: p }, Ask::BayesError { prior: q }) =
                (here.ask, there.ask)
            else {
                panic!()
            };
            assert_eq!(q.exactly() > p.exactly(), towards > 0);
            let (here, there) = (here.model.json(), there.model.json());
            assert_ne!(here, there);
            assert!(there.contains("1.1000000000000003") && there.contains("0.09999999999999999"));
        }
    }

    /// The answers are true of the doubles nearest to the parameters.
    #[test]
    fn rounding_of_parameters_explains_itself() {
        let decimal = |text: &str| Decimal::read(text).unwrap();
        let rounded = |x: Decimal| Rational::from_f64(x.to_f64()).unwrap();
        let laplace = || Model::of(vec![RepeatedStep::plain(Step::Laplace(Decimal::ONE), 1)]);
        let rules = super::super::fakes::rules();
        let opinion = |case: &Case, value: &Rational| {
            let line = format!("{{\"id\":1,\"value\":\"{value}\"}}");
            let said = read_answer(&line, 1);
            let opinion = CaseJudge::new(case, &rules).opinion(&said).unwrap();
            opinion
                .faults
                .iter()
                .map(|fault| fault.kind)
                .collect::<Vec<_>>()
        };
        let mut explained = 0;
        for text in ["0.99999999", "0.99999997", "0.999999993", "0.99999991"] {
            // R(π) = 1 − π.
            let prior = decimal(text);
            let case = Case {
                model: laplace(),
                ask: Ask::BayesError { prior },
            };
            let value: Rational = 1 - rounded(prior);
            let exactly: Rational = 1 - prior.exactly();
            explained +=
                u32::from(value > exactly.clone() * Rational::from((1_000_000_001, 1_000_000_000)));
            assert_eq!(opinion(&case, &value), [], "{text}");
            let lie = exactly * Rational::from((1_000_001, 1_000_000));
            assert_eq!(opinion(&case, &lie), [Kind::Unsound], "{text}");
            // f(α) = (1 − α)/e near 1.
            let case = Case {
                model: laplace(),
                ask: Ask::TradeOff { alpha: prior },
            };
            let e = Rational::from((271_828_182_845_904_524i64, 100_000_000_000_000_000i64));
            let above_e = e + Rational::from((1, 100_000_000_000_000_000i64));
            assert_eq!(opinion(&case, &(value / &above_e)), [], "{text}");
        }
        assert!(explained > 0);
    }

    /// Where the truth is far below 1e-9, slack is small, too.
    #[test]
    fn a_lie_about_a_tiny_epsilon() {
        let rules = super::super::fakes::rules();
        // δ(ε) of randomised response with ε₀ is 0 from ε₀ on, and about (ε₀ − ε)/2 before.
        let loss = Decimal::read("5e-10").unwrap();
        let case = Case {
            model: Model::of(vec![RepeatedStep::plain(
                Step::Response {
                    epsilon: loss,
                    k: 2,
                },
                1,
            )]),
            ask: Ask::Epsilon {
                delta: Decimal::read("1e-30").unwrap(),
            },
        };
        for (value, kinds) in [("4.98e-10", vec![Kind::Unsound]), ("5e-10", vec![])] {
            let line = format!("{{\"id\":1,\"value\":{value}}}");
            let said = read_answer(&line, 1);
            let opinion = CaseJudge::new(&case, &rules).opinion(&said).unwrap();
            let found: Vec<Kind> = opinion.faults.iter().map(|fault| fault.kind).collect();
            assert_eq!(found, kinds, "{value}");
        }
    }
}
