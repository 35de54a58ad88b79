//! `private-selection`: a random number of runs, of which the best outcome is released.

use rug::Rational;

use super::{Describe, Kind, Parameter, words_within};
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::best_of_runs::{Runs, Sampled, SelectedPair};
use crate::mechanism::closed::{ClosedPair, Envelope, Outcomes, OutcomesOf};
use crate::mechanism::domain::{OutOfRange, Why};
use crate::mechanism::members::has_largest;
use crate::mechanism::polygon::Vectors;
use crate::mechanism::steps::{Conditions, FiniteLosses, Step, Steps};
use crate::number::short;

/// The best of a random number of runs of a mechanism, alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateSelection {
    runs: Runs,
    of: Mechanism,
    best_first: Vec<Rational>,
}

/// Up to so many outcomes every order of them is tried.
const FEW_OUTCOMES: usize = 5;
/// So many places of a list are named.
const OUTCOMES_SHOWN: usize = 8;

impl PrivateSelection {
    /// `best_first` are the outcomes of `of`, a `finite` pair, by their places from 0 on; if it is empty, their order is not known.
    ///
    /// # Errors
    /// If `best_first` is not an order of the outcomes, or what a selection from `of` reveals is not built.
    pub fn new(runs: Runs, of: Mechanism, best_first: &[u64]) -> Result<Self, OutOfRange> {
        if !best_first.is_empty() {
            let Kind::Finite(finite) = of.kind() else {
                let message =
                    "`best-first` needs a `finite` pair in `of`, whose outcomes it puts in order";
                return Err(OutOfRange::sentence("best-first", message)
                    .because(Why::Unsupported)
                    .help("leave it out: the answer is then for the worst order"));
            };
            let mut sorted = best_first.to_vec();
            sorted.sort_unstable();
            let count = u64::try_from(finite.p().len()).unwrap_or(u64::MAX);
            if !sorted.into_iter().eq(0..count) {
                let message =
                    format!("`best-first` must list the {count} outcomes from 0 on, each once");
                return Err(OutOfRange::sentence("best-first", message));
            }
        }
        let best_first = best_first.iter().map(|place| Rational::from(*place));
        Ok(Self {
            runs,
            of,
            best_first: best_first.collect(),
        })
    }

    /// The law of the number of runs.
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// The mechanism that runs.
    pub fn of(&self) -> &Mechanism {
        &self.of
    }

    /// The outcomes by their places from 0 on, the best one first; none if their order is not known.
    pub fn best_first(&self) -> &[Rational] {
        &self.best_first
    }

    /// The pair for an order of finitely many outcomes.
    fn selected(&self, outcomes: Vec<(Rational, Rational)>, conditions: Conditions) -> Steps {
        let pair = SelectedPair::new(self.runs.clone(), outcomes);
        match pair.exact() {
            Some(vectors) => finite(vectors, conditions),
            None => {
                let pair = Outcomes::new(OutcomesOf::Selected(pair));
                Steps::one(Step::Closed(ClosedPair::from(pair)), conditions)
            }
        }
    }

    /// A finite pair: in its order, or in any.
    fn of_outcomes(&self, p: &[Rational], q: &[Rational], conditions: Conditions) -> Option<Steps> {
        let outcome = |place: usize| Some((p.get(place)?.clone(), q.get(place)?.clone()));
        let of = |order: &[usize]| -> Option<Steps> {
            let outcomes = order.iter().map(|place| outcome(*place));
            Some(self.selected(outcomes.collect::<Option<_>>()?, conditions))
        };
        if !self.best_first.is_empty() {
            let place = |place: &Rational| place.numer().to_usize();
            let order: Option<Vec<usize>> = self.best_first.iter().map(place).collect();
            return of(&order?);
        }
        if p.len() > FEW_OUTCOMES {
            return None;
        }
        let mut orders = Vec::new();
        permutations(&mut (0..p.len()).collect(), 0, &mut orders);
        let all: Option<Vec<Steps>> = orders.iter().map(|order| of(order)).collect();
        let envelope = ClosedPair::from(Envelope::of_list(all?));
        Some(Steps::one(Step::Closed(envelope), conditions))
    }

    /// Any mechanism with a profile: between bounds.
    fn of_profile(&self, of: &Steps) -> Option<Steps> {
        let step = of.single()?;
        let conditions = of.conditions();
        let profile = step.profile()?;
        let is_renyi = |step: &Step| matches!(step, Step::Zcdp { .. } | Step::Rdp { .. });
        let is_renyi = of.any(&is_renyi);
        let known = match is_renyi {
            true => Sampled::of_dear(&*profile)?,
            false => Sampled::of(&*profile)?,
        };
        let most = finite(known.selected_above(&self.runs)?, conditions);
        let mut members = Vec::new();
        // No single mechanism of a Rényi class, on a sample or as a part of a mixture, has its whole profile, and no dataset that of a selection by score.
        let is_of_none = is_renyi || has_largest(of);
        if !is_of_none {
            let by_loss = known.selected_below(&self.runs)?;
            members.extend(by_loss.map(|vectors| finite(vectors, conditions)));
            if conditions.guarantee && is_class_in_all_parts(&self.of) {
                let pieces = known.pieces();
                let turned = pieces.iter().rev().cloned().collect();
                members.extend([pieces, turned].map(|order| self.selected(order, conditions)));
            }
        }
        if members.is_empty() {
            let one = || vec![Rational::from(1)];
            members.push(finite((one(), one()), conditions));
        }
        Some(Steps::between(members, most))
    }
}

/// Has every part of a mixture within it coins that a score may look at, as those of a class have? Outcomes of a pair have none of their own.
fn is_class_in_all_parts(of: &Mechanism) -> bool {
    of.parameters().iter().all(|(_, one)| is_class_within(one))
}

fn is_class_within(parameter: &Parameter<'_>) -> bool {
    match parameter {
        Parameter::Mechanism(of) => is_class_in_all_parts(of),
        Parameter::Repeated(all) => all.iter().all(|(of, _)| is_class_in_all_parts(of)),
        Parameter::Weighted(all) => all
            .iter()
            .all(|(_, of)| of.steps().conditions().guarantee && is_class_in_all_parts(of)),
        Parameter::Table(all) => all.iter().all(|(_, one)| is_class_within(one)),
        Parameter::Number(_)
        | Parameter::Whole(_)
        | Parameter::List(_)
        | Parameter::Points(_)
        | Parameter::Pairs(_)
        | Parameter::Rows(_)
        | Parameter::Word(_)
        | Parameter::Flag(_) => true,
    }
}

fn finite((p, q): Vectors, conditions: Conditions) -> Steps {
    let (p, q) = (p.into(), q.into());
    Steps::one(Step::finite(FiniteLosses::Pair { p, q }), conditions)
}

/// All orders of what is from a place on.
fn permutations(of: &mut Vec<usize>, from: usize, found: &mut Vec<Vec<usize>>) {
    if from >= of.len() {
        found.push(of.clone());
        return;
    }
    for other in from..of.len() {
        of.swap(from, other);
        permutations(of, from.saturating_add(1), found);
        of.swap(from, other);
    }
}

impl Describe for PrivateSelection {
    fn words(&self) -> String {
        let shape = self.runs.shape();
        let shape = shape.map_or_else(String::new, |shape| format!(" of shape {}", short(shape)));
        let shown: Vec<String> = self
            .best_first
            .iter()
            .take(OUTCOMES_SHOWN)
            .map(short)
            .collect();
        let more = if self.best_first.len() > OUTCOMES_SHOWN {
            ", …"
        } else {
            ""
        };
        let order = match shown.as_slice() {
            [] => String::new(),
            shown => format!(", outcomes from the best on {}{more}", shown.join(", ")),
        };
        format!(
            "best of a {} number{shape} of runs, {} on average, of {}{order}",
            self.runs.as_str(),
            short(self.runs.mean()),
            words_within(&self.of)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        let mut runs = vec![
            ("kind", Parameter::Word(self.runs.as_str())),
            ("mean", Parameter::Number(self.runs.mean())),
        ];
        if let Some(shape) = self.runs.shape() {
            runs.push(("shape", Parameter::Number(shape)));
        }
        let mut all = vec![
            ("runs", Parameter::Table(runs)),
            ("of", Parameter::Mechanism(&self.of)),
        ];
        if !self.best_first.is_empty() {
            all.push(("best-first", Parameter::List(&self.best_first)));
        }
        all
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let of = self.of.under(relation)?;
        let conditions = of.steps().conditions();
        let steps = match self.of.kind() {
            Kind::Finite(pair) => self.of_outcomes(pair.p(), pair.q(), conditions),
            _ => None,
        };
        let steps = steps.or_else(|| self.of_profile(of.steps()));
        let steps = steps.map(|steps| steps.and_conditions(Conditions::RANDOM_RUNS));
        steps.ok_or_else(|| {
            let message = "what a private selection reveals is built for one step whose privacy profile is known";
            OutOfRange::sentence("of", message)
                .because(Why::Unsupported)
                .help("state a composition by a guarantee of it, such as `profile`, `gdp` or `approx-dp`")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wherever it stands, no mechanism of a Rényi class has its whole profile: what two outcomes of it would reveal is true of none.
    #[test]
    fn selections_of_renyi_classes_show_nothing() {
        let q = |n: i64, d: i64| Rational::from((n, d));
        let zcdp = |rho: Rational| Mechanism::zcdp(rho).unwrap();
        let table = |most| Mechanism::rdp(vec![(q(2, 1), most)]).unwrap();
        let sample = |of| Mechanism::subsampled(q(99, 100), of).unwrap();
        let half = |of| (q(1, 2), of);
        let runs = Runs::Geometric { mean: q(1, 1) };
        for of in [
            zcdp(q(1, 10)),
            sample(table(q(1, 5))),
            Mechanism::mixture(vec![half(table(q(1, 5))), half(table(q(1, 10)))]).unwrap(),
        ] {
            let best = Mechanism::private_selection(runs.clone(), of.clone(), &[]).unwrap();
            let members = best.steps().members();
            let reveal_nothing = |one: &Steps| one.list().iter().all(|(step, _)| step.is_nothing());
            assert!(
                best.steps().is_bound() && members.iter().all(reveal_nothing),
                "{}",
                of.words()
            );
        }
        let of_pairs = sample(Mechanism::pure_dp(q(1, 10)).unwrap());
        let best = Mechanism::private_selection(runs, of_pairs, &[]).unwrap();
        assert!(best.steps().members().len() > 1);
    }

    /// Values of a class are dear wherever it stands: it is looked at 128 places, not at 512.
    #[test]
    fn classes_are_looked_at_seldom_wherever_they_stand() {
        let q = |n: i64, d: i64| Rational::from((n, d));
        let outcomes = |of: Mechanism| {
            let runs = Runs::Geometric { mean: q(2, 1) };
            let best = Mechanism::private_selection(runs, of, &[]).unwrap();
            let (most, _) = best.steps().list().first().unwrap();
            most.finite_law().unwrap().len()
        };
        let zcdp = Mechanism::zcdp(q(1, 10)).unwrap();
        let sample = |of| Mechanism::subsampled(q(1, 3), of).unwrap();
        assert!(outcomes(sample(zcdp)) < 300);
        let gaussian = Mechanism::gaussian_sum(1, 1).unwrap();
        assert!(outcomes(sample(gaussian)) > 300);
    }

    #[test]
    fn all_orders() {
        let mut found = Vec::new();
        permutations(&mut vec![1, 2, 3], 0, &mut found);
        found.sort_unstable();
        let all = [
            [1, 2, 3],
            [1, 3, 2],
            [2, 1, 3],
            [2, 3, 1],
            [3, 1, 2],
            [3, 2, 1],
        ];
        assert_eq!(found, all.map(|order| order.to_vec()));
    }
}
