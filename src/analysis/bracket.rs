//! A mechanism of which only others are known: one that reveals no less, and some of those stated.
//!
//! The order of trade-off functions decides: f_most ≤ f for every mechanism stated, and f = f_least for some, so that whatever rises with the
//! information lies between that of the member with most of it and that of the bound, and so does whatever falls with it.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::query::decides;
use super::{Answer, Contrast, Ending, Goal, Quantity, Resources, Subject};
use crate::bounds::Enclosure;
use crate::kernel::Failure;
use crate::mechanism::RenyiOrder;
use crate::statement::Query;

/// How a quantity changes when a mechanism reveals more.
enum Trend {
    Rises,
    Falls,
    /// Neither is known; it lies in [0, 1].
    Unknown,
}

impl Subject {
    /// The quantity between that of the bound, which is this subject, and that of the member of which most is known.
    pub(super) fn enclose_between(
        &self,
        quantity: &Quantity,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let trend = trend(quantity);
        if matches!(trend, Trend::Unknown) {
            return Ok(Answer {
                enclosure: Enclosure::new(Float::new(64), Float::with_val(64, 1))?,
                method: super::Method::ClosedForm,
                ending: Ending::DoesNotFollow,
                witness: None,
            });
        }
        if self.is_listed && !is_difference(quantity) {
            let rises = matches!(trend, Trend::Rises);
            return self.enclose_worst(quantity, goal, rises, resources);
        }
        if let Some(enclosure) = self.of_choices(quantity)? {
            return Ok(Answer {
                enclosure,
                method: super::Method::ClosedForm,
                ending: Ending::Reached,
                witness: None,
            });
        }
        // Members are asked as well, whatever time the bound takes.
        let time = resources.budget.most_of_it();
        let first = Resources {
            budget: &time,
            jobs: resources.jobs,
            progress: resources.progress,
        };
        let most = self.enclose_alone(quantity, goal, &first)?;
        if self.is_largest_of_choices(quantity) {
            return Ok(most);
        }
        let mut best: Option<Answer> = None;
        for member in &self.members {
            let next = member.enclose_alone(quantity, goal, resources)?;
            let is_better = |known: &Answer| match trend {
                Trend::Rises => next.enclosure.lower() > known.enclosure.lower(),
                Trend::Falls | Trend::Unknown => next.enclosure.upper() < known.enclosure.upper(),
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some(next);
            }
            // Other members would add nothing that was asked for.
            if let Some(least) = &best
                && decides(&both_ends(&trend, least, &most)?, goal)
            {
                break;
            }
        }
        let Some(least) = best else {
            return Ok(most);
        };
        of_both(&trend, least, most, goal)
    }
}

impl Subject {
    /// Are both ends of an enclosure those of what is stated, and not one of a bound and the other of a member?
    pub fn is_attained(&self, query: &Query) -> bool {
        let quantity = query.quantity();
        let is_known = !self.is_bound()
            || self.is_listed
            || self.is_largest_of_choices(quantity)
            || is_loss(quantity) && self.mechanism.steps().largest_loss_of_choices().is_some();
        is_known && !self.is_class()
    }

    /// Is the quantity of the bound the largest of all datasets, though no dataset has the bound? Of exponential mechanisms every Rényi divergence is, and so
    /// is ρ (J3 of `proofs/README.md`): at each order one dataset is the worst of each run, whatever was chosen before, and divergences of runs add up.
    fn is_largest_of_choices(&self, quantity: &Quantity) -> bool {
        let order = match quantity {
            Quantity::Renyi { order } => !matches!(order, RenyiOrder::Infinite),
            Quantity::ZcdpRho => true,
            Quantity::MaxLoss
            | Quantity::Delta(_)
            | Quantity::Epsilon { .. }
            | Quantity::TradeOff { .. }
            | Quantity::Advantage
            | Quantity::BayesError { .. }
            | Quantity::MinimaxRisk
            | Quantity::GdpMu(_)
            | Quantity::Regret { .. }
            | Quantity::RegretOfStrictMu
            | Quantity::Divergence { .. } => false,
        };
        order && self.mechanism.steps().is_of_exponential_mechanisms()
    }

    /// What follows from the largest loss of choices alone: that loss, by each of its names, and that δ is 0 from there on.
    fn of_choices(&self, quantity: &Quantity) -> Result<Option<Enclosure>, Failure> {
        let follows = is_loss(quantity) || matches!(quantity, Quantity::Delta(_));
        if !follows {
            return Ok(None);
        }
        let Some(loss) = self.mechanism.steps().largest_loss_of_choices() else {
            return Ok(None);
        };
        if let Quantity::Delta(at) = quantity {
            let order = loss.exact.and_then(|exact| exact.compare(at));
            let is_beyond = matches!(order, Some(Ordering::Less | Ordering::Equal));
            return Ok(is_beyond.then(|| Enclosure::exactly(Rational::new(), 64)));
        }
        Ok(Some(match loss.exact.and_then(|exact| exact.exact()) {
            Some(number) => Enclosure::exactly(number, 64),
            None => Enclosure::new(loss.value.lo().clone(), loss.value.hi().clone())?,
        }))
    }
}

/// Is it the largest loss, by one of its names?
fn is_loss(quantity: &Quantity) -> bool {
    match quantity {
        Quantity::MaxLoss => true,
        Quantity::Epsilon { delta } => *delta == 0,
        Quantity::Renyi { order } => matches!(order, RenyiOrder::Infinite),
        Quantity::Delta(_)
        | Quantity::TradeOff { .. }
        | Quantity::Advantage
        | Quantity::BayesError { .. }
        | Quantity::MinimaxRisk
        | Quantity::GdpMu(_)
        | Quantity::Regret { .. }
        | Quantity::RegretOfStrictMu
        | Quantity::Divergence { .. }
        | Quantity::ZcdpRho => false,
    }
}

/// What a member and the bound say together.
fn of_both(trend: &Trend, least: Answer, most: Answer, goal: &Goal) -> Result<Answer, Failure> {
    let enclosure = both_ends(trend, &least, &most)?;
    let ending = if decides(&enclosure, goal) {
        Ending::Reached
    } else {
        undecided(least.ending, most.ending)
    };
    Ok(Answer {
        enclosure,
        method: most.method,
        ending,
        // What is refuted is refuted by the member.
        witness: least.witness,
    })
}

/// Why an enclosure is no narrower, of which a member and the bound have an end each.
fn undecided(member: Ending, bound: Ending) -> Ending {
    let is_done = |ending: Ending| {
        matches!(
            ending,
            Ending::Reached | Ending::Exhausted | Ending::DoesNotFollow
        )
    };
    match (is_done(member), is_done(bound)) {
        (true, true) => Ending::DoesNotFollow,
        (false, true) => member,
        (_, false) => bound,
    }
}

/// From the end that the member proves to that of the bound.
fn both_ends(trend: &Trend, least: &Answer, most: &Answer) -> Result<Enclosure, Failure> {
    let (below, above) = match trend {
        Trend::Rises => (least, most),
        Trend::Falls | Trend::Unknown => (most, least),
    };
    let (below, above) = (below.enclosure.lower(), above.enclosure.upper());
    Ok(Enclosure::new(below.clone(), above.clone())?)
}

/// Is it the largest of differences from another curve, which is not that of any one member where the members are many?
fn is_difference(quantity: &Quantity) -> bool {
    matches!(
        quantity,
        Quantity::Regret { .. } | Quantity::Divergence { .. }
    )
}

fn trend(quantity: &Quantity) -> Trend {
    match quantity {
        Quantity::Delta(_)
        | Quantity::Epsilon { .. }
        | Quantity::Advantage
        | Quantity::GdpMu(_)
        | Quantity::MaxLoss
        | Quantity::Renyi { .. }
        | Quantity::ZcdpRho => Trend::Rises,
        Quantity::TradeOff { .. } | Quantity::BayesError { .. } | Quantity::MinimaxRisk => {
            Trend::Falls
        }
        // max over π of R_M − R_other.
        Quantity::Regret { .. } => Trend::Falls,
        Quantity::Divergence { contrast, .. } => match contrast {
            Contrast::To | Contrast::Weighted(_) => Trend::Falls,
            Contrast::From => Trend::Rises,
            Contrast::Symmetric => Trend::Unknown,
        },
        Quantity::RegretOfStrictMu => Trend::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::bounds::Target;
    use crate::input::mechanism_from_bytes;
    use crate::kernel::Budget;
    use crate::mechanism::{Adjacency, Mechanism, Relation};
    use crate::statement::Other;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    fn subject(mechanism: &Mechanism) -> Subject {
        Subject::new(mechanism, Adjacency::AddRemove, &Budget::unlimited()).unwrap()
    }

    fn ask(subject: &Subject, query: &Query) -> Answer {
        ask_to(subject, query, q(1, 100_000))
    }

    fn ask_to(subject: &Subject, query: &Query, width: Rational) -> Answer {
        let goal = Goal::Width(Target::Relative(width));
        let budget = Budget::unlimited();
        let resources = Resources {
            budget: &budget,
            jobs: 1,
            progress: &|_| {},
        };
        subject.answer(query, &goal, &resources).unwrap()
    }

    /// All three columns have negative products with each other, so that no signs reach Σ|G|.
    fn with_negative_products() -> Mechanism {
        let text = r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":3,"participations":3,"min-separation":1,"matrix":[[1],["-1/2",1],["-1/3","-1/2",1]]}"#;
        mechanism_from_bytes("test", text.as_bytes())
            .unwrap()
            .mechanism
    }

    fn queries() -> Vec<Query> {
        // One that reveals more than both ends, and one that reveals less.
        let [more, less] = ["1/2", "1"].map(|sigma| Mechanism::gaussian(sigma, 1).unwrap());
        vec![
            Query::delta(1).unwrap(),
            Query::epsilon("1e-5").unwrap(),
            Query::trade_off("1/10").unwrap(),
            Query::advantage(),
            Query::bayes_error("1/3").unwrap(),
            Query::minimax_risk(),
            Query::gdp_mu(),
            Query::gdp_mu_up_to("1e-6").unwrap(),
            Query::renyi(2).unwrap(),
            Query::zcdp_rho(),
            Query::regret(2).unwrap(),
            Query::delta_divergence(more, Adjacency::AddRemove),
            Query::divergence(Other::new(less, Adjacency::AddRemove), Contrast::From),
        ]
    }

    /// Every quantity lies between that of the two Gaussians, in the order of the quantity.
    #[test]
    fn answers_span_those_of_both_ends() {
        let bracket = with_negative_products();
        let (least, most) = bracket.bracket().unwrap();
        let least = least[0].clone();
        let (low, high) = (least.steps().mu_squared(), most.steps().mu_squared());
        assert!(low < high);
        let whole = subject(&bracket);
        assert!(!whole.is_attained(&Query::advantage()));
        let ends = [&low, &high]
            .map(|square| subject(&Mechanism::gaussian_with_mu_squared(square.clone()).unwrap()));
        for query in queries() {
            let found = ask(&whole, &query);
            assert_eq!(found.ending, Ending::DoesNotFollow, "{query:?}");
            for end in &ends {
                let one = ask(end, &query).enclosure;
                assert!(found.enclosure.lower() <= one.upper(), "{query:?}");
                assert!(found.enclosure.upper() >= one.lower(), "{query:?}");
            }
            let [a, b] = [&ends[0], &ends[1]].map(|end| ask(end, &query).enclosure);
            let least = if a.lower() < b.lower() {
                a.lower()
            } else {
                b.lower()
            };
            let most = if a.upper() > b.upper() {
                a.upper()
            } else {
                b.upper()
            };
            assert!(
                found.enclosure.lower() >= least && found.enclosure.upper() <= most,
                "{query:?}"
            );
        }
    }

    #[test]
    fn what_is_done_with_a_bracket_is_done_with_both_ends() {
        let bracket = with_negative_products();
        let (least, most) = bracket.bracket().unwrap();
        let least = least[0].clone();
        let composed = |of: &Mechanism| Mechanism::compose(vec![(of.clone(), 3)]).unwrap();
        let (low, high) = composed(&bracket).bracket().unwrap();
        let low = low[0].clone();
        assert_eq!(
            low.steps(),
            composed(&least)
                .steps()
                .members()
                .first()
                .unwrap_or(low.steps())
        );
        assert_eq!(low.steps().mu_squared(), least.steps().mu_squared() * 3u32);
        assert_eq!(high.steps().mu_squared(), most.steps().mu_squared() * 3u32);
        let sampled = Mechanism::subsampled("1/2", bracket.clone()).unwrap();
        assert!(sampled.bracket().is_some() && sampled.steps().single().is_none());
        let both = Mechanism::mixture(vec![
            (q(1, 2), bracket.clone()),
            (q(1, 2), Mechanism::gdp(1).unwrap()),
        ]);
        assert!(both.unwrap().bracket().is_some());
        let replaced = bracket
            .under(Relation::ReplaceOne)
            .unwrap()
            .bracket()
            .unwrap();
        assert_eq!(
            replaced.1.steps().mu_squared(),
            most.steps().mu_squared() * 4u32
        );
    }

    /// With ξ = 0 it is one class; a larger ξ allows more.
    #[test]
    fn guarantees_with_a_constant() {
        assert!(Mechanism::zcdp_with("1/2", 0).unwrap().bracket().is_none());
        let epsilon = Query::epsilon("1e-5").unwrap();
        let at = |xi: &str| {
            let subject = subject(&Mechanism::zcdp_with("1/2", xi).unwrap());
            ask_to(&subject, &epsilon, q(1, 1000)).enclosure
        };
        let (none, some, more) = (at("0"), at("1/10"), at("1/2"));
        assert!(some.lower() <= none.upper() && some.upper() > none.upper());
        assert!(more.upper() > some.upper());
    }

    /// Runs of choices lose Σ ε at the most, exactly, whatever the tables of their profiles are rounded to.
    #[test]
    fn choices_lose_the_sum() {
        let all = [
            (
                r#"{"kind":"exponential","epsilon":"1/10","times":10}"#,
                q(1, 1),
            ),
            (
                r#"{"kind":"exponential","epsilon":"1/2","times":3},{"kind":"exponential","epsilon":"1/10","times":2}"#,
                q(17, 10),
            ),
            (
                r#"{"kind":"permute-and-flip","epsilon":"1/3","times":3},{"kind":"exponential","epsilon":"1/2","times":3}"#,
                q(5, 2),
            ),
        ];
        for (number, (of, sum)) in all.into_iter().enumerate() {
            let text = format!(r#"{{"kind":"compose","of":[{of}]}}"#);
            let mechanism = mechanism_from_bytes("test", text.as_bytes())
                .unwrap()
                .mechanism;
            let names = [
                Query::max_loss(),
                Query::epsilon(0).unwrap(),
                Query::max_divergence(),
            ];
            for (place, query) in names.iter().enumerate() {
                if crate::test_scale::is_asked(number + place, 6) {
                    let answer = ask(&subject(&mechanism), query);
                    assert_eq!(answer.enclosure.exact(), Some(&sum), "{text}");
                }
            }
        }
    }

    /// Rényi divergences and ρ of runs of exponential mechanisms are the sums of the largest ones of each, which one dataset attains at each order; where
    /// others run beside them, or permute-and-flip, they are only known between bounds.
    #[test]
    fn divergences_of_choices_add_up() {
        let of = |of: &str| {
            let text = format!(r#"{{"kind":"compose","of":[{of}]}}"#);
            subject(
                &mechanism_from_bytes("test", text.as_bytes())
                    .unwrap()
                    .mechanism,
            )
        };
        const HALF: &str = r#"{"kind":"exponential","epsilon":"1/2"}"#;
        const FIFTH: &str = r#"{"kind":"exponential","epsilon":"1/5"}"#;
        let times = |of: &str, times: u32| of.replace('}', &format!(r#","times":{times}}}"#));
        let all = of(&format!("{},{}", times(HALF, 4), times(FIFTH, 2)));
        let one = [HALF, FIFTH].map(of);
        for query in [Query::renyi(3), Query::renyi("1/2"), Query::renyi(1)] {
            let query = query.unwrap();
            let found = ask(&all, &query);
            assert_eq!(found.ending, Ending::Reached);
            assert!(all.is_attained(&query));
            let [half, fifth] = [&one[0], &one[1]].map(|one| ask(one, &query).enclosure);
            let sum = |a: &Float, b: &Float| {
                Float::with_val(300, a * 4u32) + Float::with_val(300, b * 2u32)
            };
            assert!(*found.enclosure.lower() <= sum(half.upper(), fifth.upper()));
            assert!(*found.enclosure.upper() >= sum(half.lower(), fifth.lower()));
        }
        let rho = ask(&all, &Query::zcdp_rho());
        assert_eq!(rho.ending, Ending::Reached);
        assert!(*rho.enclosure.upper() <= 4.0 * 0.25 / 8.0 + 2.0 * 0.04 / 8.0);
        assert!(!all.is_attained(&Query::advantage()));
        for beside in [
            format!(r#"{},{{"kind":"gaussian","sigma":2}}"#, times(HALF, 3)),
            r#"{"kind":"permute-and-flip","epsilon":"1/2"}"#.to_owned(),
        ] {
            let found = ask(&of(&beside), &Query::renyi(2).unwrap());
            assert_eq!(found.ending, Ending::DoesNotFollow, "{beside}");
        }
    }

    /// Σ ε of logarithms is the logarithm of a product, at which δ is 0 exactly, and below which it is not; what tells nothing adds nothing.
    #[test]
    fn choices_stated_by_odds() {
        let text = r#"{"kind":"compose","of":[{"kind":"exponential","exp-epsilon":2,"times":2},{"kind":"exponential","epsilon":0,"times":7},
            {"kind":"permute-and-flip","exp-epsilon":3}]}"#;
        let mechanism = mechanism_from_bytes("test", text.as_bytes())
            .unwrap()
            .mechanism;
        let subject = subject(&mechanism);
        let delta = |odds: Rational| {
            let query = Query::delta(crate::mechanism::Epsilon::log_of(odds).unwrap()).unwrap();
            ask_to(&subject, &query, q(1, 10)).enclosure
        };
        assert_eq!(delta(q(12, 1)).exact(), Some(&q(0, 1)));
        assert_eq!(delta(q(13, 1)).exact(), Some(&q(0, 1)));
        assert!(delta(q(11, 1)).exact().is_none());
        for query in [Query::max_loss(), Query::max_divergence()] {
            let found = ask(&subject, &query).enclosure;
            let truth = Float::with_val(1000, 12).ln();
            assert!(*found.lower() <= truth && truth <= *found.upper());
            assert!(Float::with_val(300, found.upper() - found.lower()) < 1e-80);
        }
        // Elsewhere nothing follows from the sum alone.
        let some = ask_to(&subject, &Query::epsilon("1e-3").unwrap(), q(1, 10)).enclosure;
        assert!(*some.upper() < 2.4 && some.exact().is_none());
        let two = ask(&subject, &Query::renyi(2).unwrap()).enclosure;
        assert!(*two.upper() < 2);
    }
}

#[cfg(test)]
#[path = "bracket_tests.rs"]
mod quick;
