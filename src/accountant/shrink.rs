//! From a case that fails to a simple one that still does.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::case::Case;

/// How much may be tried.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Cases tried.
    pub tries: u32,
    /// Time for all of them.
    pub time: Duration,
}

/// The simplest case found, by accepting any simpler one that still fails until none does or the effort is spent.
pub fn shrink(case: Case, effort: Effort, still_fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    let start = Instant::now();
    let mut best = case;
    let mut tried = HashSet::new();
    let mut left = effort.tries;
    'simpler: loop {
        for candidate in best.simpler() {
            if left == 0 || start.elapsed() > effort.time {
                return best;
            }
            if !tried.insert(candidate.line(0)) {
                continue;
            }
            left = left.saturating_sub(1);
            if still_fails(&candidate) {
                best = candidate;
                continue 'simpler;
            }
        }
        return best;
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::Ask;
    use super::super::decimal::Decimal;
    use super::super::model::{Model, RepeatedStep, Step};
    use super::*;

    const EFFORT: Effort = Effort {
        tries: 1000,
        time: Duration::from_secs(60),
    };

    fn case() -> Case {
        let part = |sigma, rate, times| RepeatedStep {
            step: Step::Gaussian(Decimal::near(sigma, 4)),
            rate: Some(Decimal::near(rate, 4)),
            times,
        };
        Case {
            model: Model::of(vec![part(3.217, 0.0432, 1234), part(0.4127, 0.3321, 77)]),
            ask: Ask::Epsilon {
                delta: Decimal::near(3.25e-14, 3),
            },
        }
    }

    #[test]
    fn what_does_not_matter_goes_away() {
        let small = |case: &Case| {
            let sigma = case.model.parts.iter().map(|part| match part.step {
                Step::Gaussian(sigma) => sigma.to_f64(),
                _ => 9.0,
            });
            sigma.fold(9.0, f64::min) < 0.5
        };
        let found = shrink(case(), EFFORT, &mut |case| small(case));
        assert_eq!(found.model.parts.len(), 1);
        assert_eq!(found.model.steps(), 1);
        assert!(small(&found));
        assert!(found.cost() < 60, "{}", found.line(0));
    }

    #[test]
    fn nothing_simpler_fails() {
        assert_eq!(shrink(case(), EFFORT, &mut |_| false), case());
        let none = Effort { tries: 0, ..EFFORT };
        assert_eq!(shrink(case(), none, &mut |_| true), case());
    }
}
