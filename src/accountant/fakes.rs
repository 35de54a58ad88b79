//! Accountants of tests, and runs of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rug::{Float, Rational};

use super::answer::Hello;
use super::campaign::{Plan, Tally, run};
use super::judge::Rules;
use super::process::{Accountant, Reply};
use crate::analysis::{Goal, Resources, Subject};
use crate::bounds::Target;
use crate::input::batch_line;
use crate::kernel::Budget;
use crate::number::{float_down, float_up};
use crate::statement::{Quantity, Query};

pub type Answer = fn(&Query, &Float, &Float) -> String;

/// Answers what `answer` makes of the true enclosure.
pub struct Fake {
    answer: fn(&Query, &Float, &Float) -> String,
    is_picky: bool,
}

impl Fake {
    /// Only where the enclosure is narrow.
    pub fn narrow(answer: Answer) -> Self {
        let is_picky = true;
        Self { answer, is_picky }
    }

    /// Also where the ends are far apart.
    pub fn whatever_its_width(answer: Answer) -> Self {
        let is_picky = false;
        Self { answer, is_picky }
    }
}

impl Accountant for Fake {
    fn ask(&mut self, line: &str) -> Reply {
        let asked = batch_line("fake", 1, line.as_bytes()).unwrap();
        let budget = Budget::new(Duration::from_secs(2), Arc::default());
        let Ok(subject) = Subject::new(
            &asked.mechanism.mechanism,
            asked.mechanism.adjacency,
            &budget,
        ) else {
            return declined(&asked.id);
        };
        let is_answered = matches!(
            asked.query.quantity(),
            Quantity::Delta(_)
                | Quantity::Epsilon { .. }
                | Quantity::TradeOff { .. }
                | Quantity::Advantage
                | Quantity::BayesError { .. }
        );
        if !is_answered {
            return declined(&asked.id);
        }
        let resources = Resources {
            budget: &budget,
            jobs: 1,
            progress: &|_| (),
        };
        let narrow = Rational::from((1, 10_000));
        let Ok(found) = subject.answer(
            &asked.query,
            &Goal::Width(Target::Relative(narrow.clone())),
            &resources,
        ) else {
            return declined(&asked.id);
        };
        if self.is_picky && !found.enclosure.meets(&Target::Relative(narrow)) {
            return declined(&asked.id);
        }
        let (lower, upper) = (found.enclosure.lower(), found.enclosure.upper());
        let said = (self.answer)(&asked.query, lower, upper);
        Reply::Line(format!("{{\"id\":{},{said}}}", asked.id))
    }
}

fn declined(id: &str) -> Reply {
    Reply::Line(format!(
        "{{\"id\":{id},\"error\":{{\"code\":\"unsupported\"}}}}"
    ))
}

pub fn honest(query: &Query, lower: &Float, upper: &Float) -> String {
    let safe = match query.quantity() {
        Quantity::TradeOff { .. } | Quantity::BayesError { .. } => float_down(lower, 12),
        _ => float_up(upper, 12),
    };
    format!("\"value\":\"{safe}\"")
}

/// Three per cent too good where ε is between 1 and 50.
pub fn lie(query: &Query, lower: &Float, upper: &Float) -> String {
    if matches!(query.quantity(), Quantity::Epsilon { .. }) && *lower > 1 && *upper < 50 {
        let shaved = Float::with_val(64, lower * 0.97);
        return format!("\"value\":\"{}\"", float_down(&shaved, 12));
    }
    honest(query, lower, upper)
}

/// Only mechanisms with closed forms, so that many cases take little time and no certificates are needed.
pub fn quick() -> Hello {
    let kinds = ["gaussian", "laplace", "randomized-response", "finite"];
    Hello {
        name: Some("fake".into()),
        mechanisms: Some(kinds.map(str::to_owned).to_vec()),
        ..Hello::default()
    }
}

pub fn rules() -> Rules {
    Rules {
        slack: Rational::from((1, 1_000_000_000)),
        factor: Rational::from(2),
        certify: Duration::from_secs(3),
        until: None,
        stop: Arc::default(),
    }
}

pub fn plan(seed: u64, cases: u64, jobs: usize, hello: Hello) -> Plan<'static> {
    Plan {
        seed,
        cases: 0..cases,
        deadline: Some(Instant::now() + Duration::from_secs(600)),
        jobs,
        rules: rules(),
        hello,
        accountant: "fake".into(),
        command: "fake".into(),
        checker: &|_| false,
        earlier: Vec::new(),
    }
}

pub fn campaign(plan: &Plan<'_>, answer: fn(&Query, &Float, &Float) -> String) -> Tally {
    campaign_with(plan, || Fake::narrow(answer))
}

pub fn campaign_with<A: Accountant + Send>(plan: &Plan<'_>, start: impl Fn() -> A + Sync) -> Tally {
    run(plan, &|| Ok(start()), &mut |_, _| ())
}
