//! Cases by number: each depends on the seed and its number alone.

use proptest::prelude::prop_oneof;
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::answer::Hello;
use super::case::{Ask, Case};
use super::decimal::Decimal;
use super::kinds;
use super::model::{Model, Step, relation_name};
use super::regions::questions;
use super::strategies::{Wish, wishes};
use crate::float::Curve;
use crate::input::mechanism_from_bytes;
use crate::mechanism::Relation;

/// Makes the cases of one seed that an accountant says it treats.
#[derive(Debug, Clone)]
pub struct Generator {
    seed: u64,
    mechanisms: Option<Vec<String>>,
    queries: Option<Vec<String>>,
    relations: Option<Vec<String>>,
}

/// A case, and whether and how its answer is compared with another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draw {
    /// What is asked.
    pub case: Case,
    /// Which other question must have an answer that agrees; each number stands for one relation.
    pub relation: u8,
}

/// So many draws are thrown away before a number is left without a case.
const DRAWS: usize = 300;
/// An ε at δ = 1e-5.
const HOPELESS: f64 = 60.0;

impl Generator {
    /// For an accountant that has introduced itself.
    pub fn new(seed: u64, hello: &Hello) -> Self {
        Self {
            seed,
            mechanisms: hello.mechanisms.clone(),
            queries: hello.queries.clone(),
            relations: hello.relations.clone(),
        }
    }

    /// Case `number`; `None` if nothing was found that the accountant treats.
    pub fn draw(&self, number: u64) -> Option<Draw> {
        let mut bytes = [0u8; 32];
        let parts = [self.seed.to_le_bytes(), number.to_le_bytes()].concat();
        for (slot, byte) in bytes.iter_mut().zip(parts) {
            *slot = byte;
        }
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), random);
        let strategy = (self.questions(), 0u8..12, 0u8..12);
        for _ in 0..DRAWS {
            let Ok(tree) = strategy.new_tree(&mut runner) else {
                continue;
            };
            let ((model, wish), relation, wild) = tree.current();
            let Some(model) = self.related_by(&model, number) else {
                continue;
            };
            if !self.treats(&model, wish) || (wild > 0 && is_hopeless(&model)) {
                continue;
            }
            if let Some(ask) = granted(&model, wish) {
                let case = Case { model, ask };
                return Some(Draw { case, relation });
            }
        }
        None
    }

    /// As often about a kind that must be named as about all others.
    fn questions(&self) -> BoxedStrategy<(Model, Wish)> {
        let named = self.mechanisms.as_deref().unwrap_or_default();
        let further = kinds::models(|kind| named.iter().any(|name| name == kind));
        match further {
            None => questions(),
            Some(models) => prop_oneof![questions(), (models, wishes())].boxed(),
        }
    }

    /// The model under a relation that the accountant treats: of several, each in its turn, and another one where it has no meaning.
    fn related_by(&self, model: &Model, number: u64) -> Option<Model> {
        let all = [
            Relation::Presence,
            Relation::ReplaceOne,
            Relation::ReplaceSpecial,
        ];
        let is_named = |relation: &Relation| match &self.relations {
            None => *relation == Relation::Presence,
            Some(known) => known.iter().any(|name| name == relation_name(*relation)),
        };
        let mut named: Vec<Relation> = all.into_iter().filter(is_named).collect();
        let count = u64::try_from(named.len()).ok()?;
        let turn = usize::try_from(number.checked_rem(count)?).ok()?;
        named.rotate_left(turn);
        let is_plain = |model: &Model| {
            let has_table = |step: &Step| matches!(step, Step::Named(_));
            let parts = model.parts.iter();
            model.relation == Relation::Presence && !parts.map(|part| &part.step).any(has_table)
        };
        let mut models = named
            .into_iter()
            .filter_map(|relation| model.related_by(relation));
        models.find(|model| is_plain(model) || model.is_readable())
    }

    fn treats(&self, model: &Model, wish: Wish) -> bool {
        let knows = |known: &Option<Vec<String>>, kind: &str| {
            known
                .as_ref()
                .is_none_or(|known| known.iter().any(|name| name == kind))
        };
        let query = match wish {
            Wish::DeltaWhere(_) | Wish::Delta(_) => "delta",
            Wish::Epsilon(_) => "epsilon",
            Wish::TradeOff(_) | Wish::TradeOffWhere(_) => "tradeoff",
            Wish::Advantage => "advantage",
            Wish::BayesError(_) => "bayes-error",
            Wish::GdpMu(_) => "gdp-mu",
        };
        knows(&self.queries, query)
            && model
                .kinds()
                .iter()
                .all(|kind| knows(&self.mechanisms, kind))
    }
}

/// Where nobody would call the mechanism private, most accountants need much time and memory to say so: such cases are rare.
fn is_hopeless(model: &Model) -> bool {
    curve(model).is_some_and(|curve| curve.epsilon(1e-5) > HOPELESS)
}

/// The query that a wish becomes at this mechanism; `None` where there is no such place.
fn granted(model: &Model, wish: Wish) -> Option<Ask> {
    let in_range = |x: Decimal, most: f64| x.to_f64() > 0.0 && x.to_f64() < most;
    match wish {
        Wish::Delta(epsilon) => Some(Ask::Delta { epsilon }),
        Wish::DeltaWhere(delta) => {
            let epsilon = curve(model)?.epsilon(delta.to_f64());
            epsilon.is_finite().then(|| Ask::Delta {
                epsilon: Decimal::near(epsilon, 4),
            })
        }
        Wish::Epsilon(delta) => in_range(delta, 1.0).then_some(Ask::Epsilon { delta }),
        Wish::TradeOff(alpha) => in_range(alpha, 1.0).then_some(Ask::TradeOff { alpha }),
        // With both directions f is its own inverse.
        Wish::TradeOffWhere(beta) => {
            let alpha = Decimal::near(curve(model)?.tradeoff(beta.to_f64()), 3);
            in_range(alpha, 1.0).then_some(Ask::TradeOff { alpha })
        }
        Wish::Advantage => Some(Ask::Advantage),
        Wish::BayesError(prior) => in_range(prior, 1.0).then_some(Ask::BayesError { prior }),
        Wish::GdpMu(floor) => in_range(floor, 0.5).then_some(Ask::GdpMu { floor }),
    }
}

/// The mechanism in f64.
pub(super) fn curve(model: &Model) -> Option<Curve> {
    let file = mechanism_from_bytes("case", model.json().as_bytes()).ok()?;
    Curve::new(&file.mechanism, file.adjacency).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::batch_line;

    /// Those that the accountant names, and no others; both in turn.
    #[test]
    fn relations_are_those_that_are_named() {
        // Kinds that are drawn fast.
        let kinds = ["gaussian", "laplace", "randomized-response"]
            .map(str::to_owned)
            .to_vec();
        let relations = |named: Option<&[&str]>| {
            let hello = Hello {
                relations: named.map(|named| named.iter().map(|name| (*name).to_owned()).collect()),
                mechanisms: Some(kinds.clone()),
                ..Hello::default()
            };
            let generator = Generator::new(5, &hello);
            let mut found = [0u32, 0];
            for number in 0..12 {
                let Some(draw) = generator.draw(number) else {
                    continue;
                };
                let model = &draw.case.model;
                let place = usize::from(model.relation != Relation::Presence);
                found[place] += 1;
                let line = batch_line("case", 1, draw.case.line(1).as_bytes()).unwrap();
                assert_eq!(
                    line.mechanism.adjacency.as_str(),
                    relation_name(model.relation)
                );
                assert!(
                    number > 2 || curve(model).is_some(),
                    "{}",
                    draw.case.line(1)
                );
            }
            found
        };
        let [there, replaced] = relations(None);
        assert!(there > 8 && replaced == 0);
        let [there, replaced] = relations(Some(&["replace-one"]));
        assert!(there == 0 && replaced > 8);
        let [there, replaced] = relations(Some(&["add-remove", "replace-one"]));
        assert!(there > 3 && replaced > 3);
    }

    #[test]
    fn cases_are_determined_by_seed_and_number_and_can_be_read() {
        let generator = Generator::new(3, &Hello::default());
        let again = Generator::new(3, &Hello::default());
        let other = Generator::new(4, &Hello::default());
        let mut differ = 0;
        let cases = u64::from(crate::test_scale::cases(5));
        for number in 0..cases {
            let draw = generator.draw(number).unwrap();
            assert_eq!(again.draw(number).as_ref(), Some(&draw));
            differ += u64::from(other.draw(number).as_ref() != Some(&draw));
            // An accountant may name whatever is asked.
            let named = Hello {
                mechanisms: Some(
                    draw.case
                        .model
                        .kinds()
                        .iter()
                        .map(ToString::to_string)
                        .collect(),
                ),
                queries: Some(vec![draw.case.ask.kind().to_owned()]),
                ..Hello::default()
            };
            assert!(named.strangers().is_empty(), "{named:?}");
            let line = draw.case.line(number);
            let read = batch_line("test", 1, line.as_bytes());
            assert!(read.is_ok(), "{line}: {read:?}");
        }
        assert!(differ * 15 > cases * 14);
    }

    #[test]
    fn only_what_the_accountant_treats() {
        let hello = Hello {
            mechanisms: Some(vec!["dp-sgd".to_owned()]),
            queries: Some(vec!["epsilon".to_owned()]),
            ..Hello::default()
        };
        let generator = Generator::new(1, &hello);
        for number in 0..u64::from(crate::test_scale::cases(8)) {
            let case = generator.draw(number).unwrap().case;
            assert_eq!(case.ask.kind(), "epsilon");
            assert_eq!(case.model.kinds(), ["dp-sgd"]);
        }
        let nobody = Hello {
            queries: Some(Vec::new()),
            ..Hello::default()
        };
        assert_eq!(Generator::new(1, &nobody).draw(0), None);
    }
}
