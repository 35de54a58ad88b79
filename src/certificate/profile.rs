//! δ of a whole mechanism from one side, as the checker will bound it: in closed form for a single step, else from a law.

use rug::{Integer, Rational};
use serde_json::{Map, Value};

use super::law::Law;
use super::model::Model;
use super::plan::Planned;
use crate::float::elementary::exp;
use crate::mechanism::Direction;

/// One order of the pair.
pub(super) struct Profile {
    pub direction: Direction,
    pub form: Form,
}

pub(super) enum Form {
    Closed(Model),
    Law(Planned),
}

/// How far an f64 may be off what the checker finds, relatively: in closed form,
const SLACK: f64 = 1e-9;
/// and in a law, where the errors of one step add up.
const SLACK_OF_LAWS: f64 = 3e-7;

impl Profile {
    pub fn delta(&self, epsilon: f64) -> f64 {
        match &self.form {
            Form::Closed(model) => model.at(epsilon).0,
            Form::Law(planned) => planned.law.as_ref().map_or(1.0, |law| law.delta(epsilon)),
        }
    }

    pub fn law(&self) -> Option<&Law> {
        match &self.form {
            Form::Closed(_) => None,
            Form::Law(planned) => planned.law.as_ref(),
        }
    }

    fn slack(&self) -> f64 {
        match &self.form {
            Form::Closed(_) => SLACK,
            Form::Law(_) => SLACK_OF_LAWS,
        }
    }

    /// δ(ε) with room above it for what f64 does not see.
    pub fn delta_above(&self, epsilon: f64) -> f64 {
        let delta = self.delta(epsilon) * (1.0 + self.slack()) + 1e-34;
        delta.min(1.0)
    }

    /// The same with more room, a share of what a closed form takes from what.
    pub fn delta_with_room(&self, epsilon: f64, share: f64) -> f64 {
        let room = match &self.form {
            Form::Closed(model) => share * exp(epsilon) * model.at(epsilon).1,
            Form::Law(_) => 0.0,
        };
        (self.delta_above(epsilon) + room).min(1.0)
    }

    /// The same of a closed form with no more room than these shares of it, and of what it takes from what.
    pub fn delta_within(&self, epsilon: f64, share: f64) -> f64 {
        match &self.form {
            Form::Closed(model) => {
                let (delta, null) = model.at(epsilon);
                (delta + share * (delta + exp(epsilon) * null) + 1e-34).min(1.0)
            }
            Form::Law(_) => self.delta_above(epsilon),
        }
    }

    /// The same with room below it.
    pub fn delta_below(&self, epsilon: f64) -> f64 {
        let delta = self.delta(epsilon) * (1.0 - self.slack()) - 1e-34;
        delta.max(0.0)
    }

    /// An entry of `sources`.
    pub fn source(
        &self,
        epsilons: &[String],
        bounds: &[Integer],
        quantiles: Option<&[String]>,
    ) -> Value {
        let texts = |list: &[String]| Value::from(list.to_vec());
        let bounds: Vec<String> = bounds.iter().map(ToString::to_string).collect();
        let mut source = Map::new();
        source.insert("bounds".to_owned(), texts(&bounds));
        source.insert("direction".to_owned(), Value::from(self.direction.as_str()));
        source.insert("epsilons".to_owned(), texts(epsilons));
        if let Form::Law(planned) = &self.form {
            source.insert("law".to_owned(), planned.json.clone());
        }
        if let Some(quantiles) = quantiles {
            source.insert("quantiles".to_owned(), texts(quantiles));
        }
        Value::Object(source)
    }
}

/// The best test of a size, or a mixture of several.
#[derive(Clone, Default)]
pub(super) struct Test {
    /// Of its parts, in closed form; a law has all tests.
    pub epsilons: Vec<String>,
    pub power: f64,
}

impl Profile {
    /// The best test of size `alpha`; of both orders of the pair also mixed with itself, read the other way round.
    pub fn best_test(&self, alpha: f64, is_both: bool) -> Option<Test> {
        let (mut test, (power, of)) = match &self.form {
            Form::Law(planned) => {
                let law = planned.law.as_ref()?;
                let epsilons = Vec::new();
                let power = law.power_at(alpha);
                (Test { epsilons, power }, law.advantage_at(alpha))
            }
            Form::Closed(model) => (closed(model, alpha), (model.power(0.0), model.at(0.0).1)),
        };
        if is_both && of < alpha {
            if self.law().is_none() {
                test.epsilons.push("0".to_owned());
            }
            test.power = test.power.max((power + alpha - of).min(1.0 - of));
        }
        Some(test)
    }
}

/// Where masses lie at single points, between the tests with the last one and without it.
fn closed(model: &Model, alpha: f64) -> Test {
    let near = threshold(|epsilon| model.at(epsilon).1 <= alpha);
    let apart: &[f64] = match model.losses().is_empty() {
        true => &[0.0],
        false => &[-1e-12, 1e-12],
    };
    let epsilons: Vec<String> = apart.iter().map(|x| format!("{:.15}", near + x)).collect();
    let numbers = epsilons.iter().filter_map(|text| text.parse::<f64>().ok());
    let points = numbers.map(|epsilon| (model.at(epsilon).1, model.power(epsilon)));
    let (mut no_more, mut more) = ((0.0, 0.0), (1.0, 1.0));
    for (size, power) in points {
        match size <= alpha {
            true => no_more = (size, power),
            false => more = (size, power),
        }
    }
    let share = (alpha - no_more.0) / (more.0 - no_more.0).max(1e-300);
    let power = no_more.1 + share * (more.1 - no_more.1);
    Test { epsilons, power }
}

/// ⌈x·2^120⌉, at most 2^120.
pub(super) fn units_up(x: f64) -> Integer {
    let one = Integer::from(1) << 120u32;
    match Rational::from_f64(x) {
        Some(x) => Integer::from((x * &one).ceil_ref()).clamp(&Integer::new(), &one),
        None => one,
    }
}

/// ⌊x·2^120⌋, at least 0.
pub(super) fn units_down(x: &Rational) -> Integer {
    let one = Integer::from(1) << 120u32;
    let units = Rational::from(x * &one);
    Integer::from(units.floor_ref()).clamp(&Integer::new(), &one)
}

/// The least ε that fits, up to rounding.
pub(super) fn threshold(fits: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (-400.0, 400.0);
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        if fits(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
