//! Kinds that must be named: drawn, read, judged; lies about them found.

use rug::Float;

use super::super::answer::{Hello, Said, read_answer};
use super::super::fakes::{Fake, campaign_with, honest, plan, rules};
use super::super::generate::Generator;
use super::super::judge::{CaseJudge, Kind};
use super::super::process::{Accountant, Reply};
use super::*;
use crate::input::batch_line;
use crate::number::float_up;
use crate::statement::{Quantity, Query};
use crate::test_scale::{every, is_thorough};

/// What stands inside of others.
const INSIDE: [&str; 6] = [
    "compose",
    "gaussian",
    "laplace",
    "pure-dp",
    "randomized-response",
    "subsampled",
];

fn hello(kind: &str, queries: Option<&[&str]>, relations: &[&str]) -> Hello {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Hello {
        mechanisms: Some(words(&[&[kind], INSIDE.as_slice()].concat())),
        queries: queries.map(words),
        relations: Some(words(relations)),
        ..Hello::default()
    }
}

const RELATIONS: [&str; 3] = ["add-remove", "replace-one", "replace-special"];

/// All of them in a long run, every eighth by default.
fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(kind, _)| *kind).step_by(every(16))
}

fn is_about(kind: &str, model: &Model) -> bool {
    model.kinds().contains(&kind)
}

/// What is said of it is read, and simpler cases are, too.
#[test]
fn each_kind_is_drawn_where_it_is_named() {
    for kind in kinds() {
        let named = hello(kind, None, &RELATIONS);
        assert!(named.strangers().is_empty());
        let generator = Generator::new(9, &named);
        let mut draws = (0..12).filter_map(|number| generator.draw(number));
        let draw = draws.find(|draw| is_about(kind, &draw.case.model));
        let case = draw.unwrap_or_else(|| panic!("{kind}")).case;
        let line = case.line(1);
        let read = batch_line("case", 1, line.as_bytes());
        assert!(read.is_ok(), "{line}: {read:?}");
        for simpler in case.simpler() {
            assert!(simpler.cost() < case.cost());
            assert!(simpler.model.is_readable(), "{}", simpler.line(1));
        }
    }
}

/// Who names no kinds is asked what it was always asked.
#[test]
fn who_names_nothing_is_asked_about_none_of_them() {
    let generator = Generator::new(2, &Hello::default());
    for number in 0..if is_thorough() { 10 } else { 3 } {
        let model = generator.draw(number).unwrap().case.model;
        let is_further = |kind: &&str| KINDS.iter().any(|(known, _)| known == kind);
        assert!(!model.kinds().iter().any(is_further), "{model:?}");
    }
}

/// The kinds in a long run: `DPCMP_TEST_SCALE`. An answer whose time ran out is as loose as the clock made it: that is no fault.
#[test]
fn nothing_is_found_in_an_honest_accountant() {
    for (place, kind) in (0u64..).zip(kinds()) {
        let cases = u64::from(crate::test_scale::cases(1));
        let plan = plan(40 + place, cases, 2, hello(kind, None, &RELATIONS));
        let tally = campaign_with(&plan, || Fake::whatever_its_width(honest));
        let is_the_clocks = |kind: Kind| matches!(kind, Kind::Loose | Kind::Uneven);
        let mut faults = tally.faults.keys();
        assert!(
            faults.all(|fault| is_the_clocks(*fault)),
            "{kind}: {tally:?}"
        );
    }
}

/// Answers about another mechanism than the one it is asked about.
struct Mistaken(Fake, Mistake);

/// The question that it answers instead.
type Mistake = fn(&str) -> String;

impl Accountant for Mistaken {
    fn ask(&mut self, line: &str) -> Reply {
        self.0.ask(&(self.1)(line))
    }
}

/// Three per cent too good.
fn shaved(query: &Query, lower: &Float, upper: &Float) -> String {
    match query.quantity() {
        Quantity::Epsilon { .. } if *lower > 0 => {
            let shaved = Float::with_val(64, lower * 0.97);
            format!("\"value\":\"{}\"", float_up(&shaved, 12))
        }
        _ => honest(query, lower, upper),
    }
}

/// Does somebody's answer to the first case about this kind that has one turn out to be false?
fn is_caught(kind: &str, hello: &Hello, accountant: &mut dyn Accountant) -> bool {
    let generator = Generator::new(3, hello);
    let rules = rules();
    let draws = (0..30).filter_map(|number| generator.draw(number));
    let mut about = draws.filter(|draw| is_about(kind, &draw.case.model));
    let mut said_something = 0;
    about.any(|draw| {
        let Reply::Line(line) = accountant.ask(&draw.case.line(1)) else {
            return false;
        };
        let said = read_answer(&line, 1);
        said_something += u32::from(matches!(said, Said::Ends { .. }));
        assert!(said_something < 6, "{kind}: nothing was found");
        let opinion = CaseJudge::new(&draw.case, &rules).opinion(&said).unwrap();
        let kinds = opinion.faults.iter().map(|fault| fault.kind);
        kinds.into_iter().any(|kind| kind == Kind::Unsound)
    })
}

#[test]
fn lies_about_each_kind_are_found() {
    for kind in kinds() {
        let relation = match kind {
            "shuffled" | "without-replacement" => "replace-one",
            _ => "add-remove",
        };
        let hello = hello(kind, Some(&["epsilon"]), &[relation]);
        let mut liar = Fake::whatever_its_width(shaved);
        assert!(is_caught(kind, &hello, &mut liar), "{kind}");
    }
}

/// A shift of 1 for one of 2.
#[test]
fn plausible_mistakes_are_found() {
    let mistakes: [(&str, &str, Mistake); 2] = [
        ("skellam", "replace-one", |line| {
            line.replace("replace-one", "replace-special")
        }),
        ("gaussian", "replace-one", |line| {
            line.replace("replace-one", "replace-special")
        }),
    ];
    for (kind, relation, mistake) in mistakes {
        let hello = hello(kind, Some(&["delta", "advantage"]), &[relation]);
        let mut mistaken = Mistaken(Fake::whatever_its_width(honest), mistake);
        assert!(is_caught(kind, &hello, &mut mistaken), "{kind}");
    }
}
