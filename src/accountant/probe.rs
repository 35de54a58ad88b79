//! One question put, with the second question that goes with it, and the answers judged.

use std::time::{Duration, Instant};

use super::answer::{Number, Said, Stated, clip, read_answer};
use super::case::{Case, GuaranteeSide};
use super::generate::Draw;
use super::judge::{CaseJudge, Fault, Kind, Rules};
use super::process::{Accountant, Reply};
use super::relation::{Ends, contradiction, related};
use crate::kernel::InvariantViolation;

/// Puts questions to one accountant.
pub struct Probe<'a> {
    accountant: &'a mut dyn Accountant,
    rules: &'a Rules,
    next_id: u64,
    /// Time spent waiting for answers.
    pub waiting: Duration,
    /// Time spent on estimates and certified bounds.
    pub judging: Duration,
    /// Certified comparisons made.
    pub comparisons: u64,
}

/// What came of one question.
#[derive(Debug, Clone, Default)]
pub struct Examined {
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// The answer as it was given, cut off where it is long.
    pub said: String,
    /// Was there an answer, right or wrong?
    pub answered: bool,
    /// Did dpcmp not decide in time?
    pub undecided: bool,
    /// Nothing more can be asked: the accountant does not run any more, or the user stopped.
    pub over: Option<Over>,
}

/// Why there are no more answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// It does not run any more: why.
    GaveUp(String),
    /// The user asked to stop.
    Stopped,
}

enum Heard {
    Said(Said, String),
    Fault(Fault),
    Over(Over),
}

impl<'a> Probe<'a> {
    /// Asks `accountant` by these rules.
    pub fn new(accountant: &'a mut dyn Accountant, rules: &'a Rules) -> Self {
        Self {
            accountant,
            rules,
            next_id: 0,
            waiting: Duration::ZERO,
            judging: Duration::ZERO,
            comparisons: 0,
        }
    }

    /// Asks and judges.
    ///
    /// # Errors
    /// If dpcmp contradicts itself.
    pub fn examine(&mut self, draw: &Draw) -> Result<Examined, InvariantViolation> {
        self.examine_by(draw, self.rules)
    }

    /// Asks and judges by other rules.
    ///
    /// # Errors
    /// If dpcmp contradicts itself.
    pub fn examine_by(
        &mut self,
        draw: &Draw,
        rules: &Rules,
    ) -> Result<Examined, InvariantViolation> {
        let mut examined = Examined::default();
        let (said, line) = match self.ask(&draw.case) {
            Heard::Said(said, line) => (said, line),
            Heard::Fault(fault) => {
                examined.faults.push(fault);
                return Ok(examined);
            }
            Heard::Over(over) => {
                examined.over = Some(over);
                return Ok(examined);
            }
        };
        examined.said = line;
        examined.answered = matches!(said, Said::Ends { .. } | Said::Malformed(_));
        let start = Instant::now();
        let bench = CaseJudge::new(&draw.case, rules);
        let opinion = bench.opinion(&said)?;
        self.judging = self.judging.saturating_add(start.elapsed());
        self.comparisons = self
            .comparisons
            .saturating_add(u64::from(opinion.comparisons));
        examined.undecided = opinion.undecided;
        examined.faults = opinion.faults;
        if examined
            .faults
            .iter()
            .all(|fault| fault.kind == Kind::Loose)
            && let Some(first) = ends(&said)
        {
            examined.faults.extend(self.compare(draw, first));
        }
        Ok(examined)
    }

    fn compare(&mut self, draw: &Draw, first: Ends<'_>) -> Option<Fault> {
        let guarantee = match draw.case.ask.side() {
            GuaranteeSide::Above => first.upper,
            GuaranteeSide::Below => first.lower,
        };
        let related = related(&draw.case, guarantee, draw.relation)?;
        let Heard::Said(said, _) = self.ask(&related.case) else {
            return None;
        };
        let second = ends(&said)?;
        let side: GuaranteeSide = related.case.ask.side();
        contradiction(side, first, second, &related).map(|(kind, detail)| Fault {
            kind,
            detail,
            value: Some(guarantee.clone()),
        })
    }

    fn ask(&mut self, case: &Case) -> Heard {
        self.next_id = self.next_id.saturating_add(1);
        let id = self.next_id;
        let start = Instant::now();
        let reply = self.accountant.ask(&case.line(id));
        self.waiting = self.waiting.saturating_add(start.elapsed());
        let fault = |kind, detail: String| {
            Heard::Fault(Fault {
                kind,
                detail,
                value: None,
            })
        };
        match reply {
            Reply::Line(line) => {
                let said = read_answer(&line, id);
                if matches!(said, Said::Garbage(_)) {
                    self.accountant.reset();
                }
                Heard::Said(said, clip(&first_id(&line, id), 1000))
            }
            Reply::Early(line) => {
                let line = clip(&line, 300);
                let why = "a line that was there before the question (is something printed at the start?)";
                Heard::Said(Said::Garbage(format!("{why}: {line}")), line)
            }
            Reply::Crashed(how) => fault(Kind::Crash, format!("the process ended: {how}")),
            Reply::TimedOut(errors) => fault(Kind::Timeout, format!("no answer in time. {errors}")),
            Reply::GaveUp(why) => Heard::Over(Over::GaveUp(why)),
            Reply::Stopped => Heard::Over(Over::Stopped),
        }
    }
}

/// The line as it would be if its question had been the first one: what is said does not depend on what was asked before.
fn first_id(line: &str, id: u64) -> String {
    for key in ["\"id\":", "\"id\": "] {
        let (here, first) = (format!("{key}{id}"), format!("{key}1"));
        for end in [",", "}"] {
            let asked = format!("{here}{end}");
            if line.contains(&asked) {
                return line.replacen(&asked, &format!("{first}{end}"), 1);
            }
        }
    }
    line.to_owned()
}

/// Both ends of an answer, if both are numbers.
fn ends(said: &Said) -> Option<Ends<'_>> {
    let Said::Ends {
        lower,
        upper,
        single,
    } = said
    else {
        return None;
    };
    let ends = Ends {
        lower: lower.as_ref()?,
        upper: upper.as_ref()?,
        single: *single,
    };
    let is_number = |end: &Stated| !matches!(end.number, Number::Not | Number::Unread);
    (is_number(ends.lower) && is_number(ends.upper)).then_some(ends)
}
