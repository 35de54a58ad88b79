//! δ of a whole mechanism from one side, as the checker will bound it: in closed form for a single step, else from a law.

use rug::{Integer, Rational};
use serde_json::{Map, Value};

use super::law::Law;
use super::model::Model;
use super::plan::Planned;
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
            Form::Closed(model) => share * epsilon.exp() * model.at(epsilon).1,
            Form::Law(_) => 0.0,
        };
        (self.delta_above(epsilon) + room).min(1.0)
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

/// The best test of size `alpha`: its ε (in closed form) and its power.
pub(super) fn best_test(profile: &Profile, alpha: f64) -> Option<(Vec<String>, f64)> {
    match &profile.form {
        Form::Law(planned) => Some((Vec::new(), planned.law.as_ref()?.power_at(alpha))),
        Form::Closed(model) => {
            // Next to where its size is α, mixed with always or never saying yes.
            let near = threshold(|epsilon| model.at(epsilon).1 <= alpha);
            let tests = [near, near - 1e-12, near + 1e-12]
                .into_iter()
                .map(|epsilon| {
                    let text = format!("{epsilon:.15}");
                    let epsilon: f64 = text.parse().ok()?;
                    let (size, power) = (model.at(epsilon).1, model.power(epsilon));
                    let power = match size > alpha {
                        true => power * alpha / size,
                        false => power + (1.0 - power) * (alpha - size) / (1.0 - size).max(1e-300),
                    };
                    Some((vec![text], power))
                });
            tests.flatten().max_by(|a, b| a.1.total_cmp(&b.1))
        }
    }
}

/// The same, or of both orders of the pair the test with the largest advantage, mixed with itself read the other way round.
pub(super) fn best_test_of(
    profile: &Profile,
    size: f64,
    is_both: bool,
) -> Option<(Option<String>, f64)> {
    let (epsilons, power) = best_test(profile, size)?;
    let alone = (epsilons.first().cloned(), power);
    let mixed = |power: f64, of: f64| (power + size - of).min(1.0 - of);
    let other = match &profile.form {
        _ if !is_both => return Some(alone),
        Form::Law(planned) => {
            let (power, of) = planned.law.as_ref()?.advantage_at(size);
            (None, mixed(power, of))
        }
        Form::Closed(model) => {
            let of = model.at(0.0).1;
            let mixed = mixed(model.power(0.0), of);
            (Some("0".to_owned()), if of < size { mixed } else { 0.0 })
        }
    };
    Some(if other.1 > alone.1 { other } else { alone })
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
fn threshold(fits: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (-400.0, 400.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if fits(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
