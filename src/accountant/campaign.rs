//! Many cases, several at a time; what is found does not depend on how many, as long as there is time for all of them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::Hello;
use super::causes::{Causes, TRIES};
use super::finding::Finding;
use super::generate::Generator;
use super::hunt::{Hunter, cause};
use super::judge::{Kind, Rules};
use super::probe::{Over, Probe};
use super::process::Accountant;
use crate::kernel::{InvariantViolation, start_scoped};

/// What to do.
pub struct Plan<'p> {
    /// Decides every case.
    pub seed: u64,
    /// The numbers of the cases.
    pub cases: Range<u64>,
    /// When no case is begun any more.
    pub deadline: Option<Instant>,
    /// Cases at a time.
    pub jobs: usize,
    /// When an answer is wrong.
    pub rules: Rules,
    /// What the accountant said about itself.
    pub hello: Hello,
    /// Its name in findings.
    pub accountant: String,
    /// The command that runs it.
    pub command: String,
    /// Says whether the independent checker accepts a certificate.
    pub checker: &'p (dyn Fn(&str) -> bool + Sync),
    /// Cases that an earlier run has finished.
    pub earlier: Vec<Step>,
}

/// A finished case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Step {
    /// Its number.
    pub number: u64,
    /// Was there an answer, right or wrong?
    pub answered: bool,
    /// Did dpcmp not decide in time?
    pub undecided: bool,
    /// What was wrong with it.
    pub kinds: BTreeSet<Kind>,
    /// The cause before it was shrunk, of a guarantee that is false as far as dpcmp can tell.
    pub suspect: Option<String>,
    /// Was the run over before all was known about it? Then it is to be asked again.
    pub cut_short: bool,
    /// Findings made from it.
    pub findings: Vec<Known>,
}

/// A finding, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// Number of the case.
    pub number: u64,
    /// What is wrong.
    pub kind: Kind,
    /// The cause before it was shrunk.
    pub first_cause: String,
    /// The cause.
    pub cause: String,
    /// The name of its file.
    pub file: String,
    /// As JSON.
    pub json: String,
    /// As a claim file.
    pub toml: String,
    /// In one line.
    pub words: String,
}

/// What a campaign did.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    /// Cases finished, those of earlier runs among them.
    pub cases: u64,
    /// Cases finished in this run.
    pub cases_now: u64,
    /// Those with an answer.
    pub answered: u64,
    /// Those that dpcmp did not decide in time.
    pub undecided: u64,
    /// Cases with each kind of fault.
    pub faults: BTreeMap<Kind, u64>,
    /// One for each cause, by kind and number.
    pub findings: Vec<Known>,
    /// Time of all workers in this run: waiting for the accountant, judging, following faults up.
    pub time: [Duration; 3],
    /// Certified comparisons made in this run.
    pub comparisons: u64,
    /// Why an accountant does not run any more.
    pub gave_up: Option<String>,
    /// What dpcmp found wrong with itself.
    pub internal: Vec<String>,
    /// Cases with a false guarantee, by their first cause.
    suspects: BTreeMap<String, u64>,
}

enum Event {
    Done(Step),
    Times([Duration; 3], u64),
    GaveUp(String),
    Internal(String),
}

struct Shared<'s> {
    plan: &'s Plan<'s>,
    next: AtomicU64,
    done: HashSet<u64>,
    causes: Causes,
}

/// Runs it. `start` makes an accountant for each worker; `seen` is told about finished cases as they come.
pub fn run<A: Accountant + Send>(
    plan: &Plan<'_>,
    start: &(dyn Fn() -> Result<A, String> + Sync),
    seen: &mut dyn FnMut(Option<&Step>, &Tally),
) -> Tally {
    let mut tally = Tally::default();
    let causes = Causes::default();
    let within = |step: &&Step| plan.cases.contains(&step.number);
    for step in plan.earlier.iter().filter(within) {
        for known in &step.findings {
            causes.end(&known.first_cause, known.number, Some(known.kind));
        }
        tally.add(step.clone());
    }
    let shared = Shared {
        plan,
        next: AtomicU64::new(plan.cases.start),
        done: plan.earlier.iter().map(|step| step.number).collect(),
        causes,
    };
    let (sender, events) = channel();
    thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            let sender = sender.clone();
            let shared = &shared;
            let reserve = sender.clone();
            let worker = move || match start() {
                Ok(mut accountant) => shared.work(&mut accountant, &sender),
                Err(_) if shared.is_over() => {}
                Err(why) => {
                    let _ = sender.send(Event::GaveUp(why));
                }
            };
            let started = start_scoped(scope, worker);
            if let Err(error) = started {
                let _ = reserve.send(Event::GaveUp(format!("there is no thread for it: {error}")));
                break;
            }
        }
        drop(sender);
        listen(&events, &mut tally, seen);
    });
    tally.settle();
    tally
}

fn listen(
    events: &Receiver<Event>,
    tally: &mut Tally,
    seen: &mut dyn FnMut(Option<&Step>, &Tally),
) {
    loop {
        match events.recv_timeout(Duration::from_millis(200)) {
            Ok(Event::Done(step)) => {
                tally.cases_now = tally.cases_now.saturating_add(1);
                tally.add(step.clone());
                seen(Some(&step), tally);
            }
            Ok(Event::Times(times, comparisons)) => {
                for (sum, time) in tally.time.iter_mut().zip(times) {
                    *sum = sum.saturating_add(time);
                }
                tally.comparisons = tally.comparisons.saturating_add(comparisons);
            }
            Ok(Event::GaveUp(why)) => tally.gave_up = Some(why),
            Ok(Event::Internal(what)) => tally.internal.push(what),
            Err(RecvTimeoutError::Timeout) => seen(None, tally),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

impl Tally {
    fn add(&mut self, step: Step) {
        self.cases = self.cases.saturating_add(1);
        self.answered = self.answered.saturating_add(u64::from(step.answered));
        self.undecided = self.undecided.saturating_add(u64::from(step.undecided));
        for kind in step.kinds {
            let count = self.faults.entry(kind).or_default();
            *count = count.saturating_add(1);
        }
        if let Some(cause) = step.suspect {
            let count = self.suspects.entry(cause).or_default();
            *count = count.saturating_add(1);
        }
        self.findings.extend(step.findings);
    }

    /// One finding for each cause: that of the case with the lowest number, as if cases had come in their order. What nobody
    /// confirms counts as unconfirmed.
    fn settle(&mut self) {
        self.findings.sort_unstable_by_key(|known| known.number);
        let mut settled: BTreeMap<String, (u32, Known)> = BTreeMap::new();
        for known in std::mem::take(&mut self.findings) {
            let Some((tries, first)) = settled.get_mut(&known.first_cause) else {
                settled.insert(known.first_cause.clone(), (1, known));
                continue;
            };
            if first.kind == Kind::Unconfirmed && *tries < TRIES {
                *tries = tries.saturating_add(1);
                if known.kind != Kind::Unconfirmed {
                    *first = known;
                }
            }
        }
        for (cause, cases) in &self.suspects {
            let kind = settled.get(cause).map(|(_, known)| known.kind);
            if kind != Some(Kind::Unsound) {
                let unsound = self.faults.entry(Kind::Unsound).or_default();
                *unsound = unsound.saturating_sub(*cases);
                let unconfirmed = self.faults.entry(Kind::Unconfirmed).or_default();
                *unconfirmed = unconfirmed.saturating_add(*cases);
            }
        }
        self.faults.retain(|_, cases| *cases > 0);
        self.findings = settled.into_values().map(|(_, known)| known).collect();
        self.findings
            .sort_unstable_by_key(|known| (known.kind, known.number));
        let mut causes = HashSet::new();
        self.findings
            .retain(|known| causes.insert((known.kind, known.cause.clone())));
    }
}

impl Shared<'_> {
    fn work(&self, accountant: &mut dyn Accountant, sender: &Sender<Event>) {
        let plan = self.plan;
        let generator = Generator::new(plan.seed, &plan.hello);
        let hunter = Hunter {
            rules: &plan.rules,
            accountant: plan.accountant.clone(),
            command: plan.command.clone(),
            seed: plan.seed,
            checker: plan.checker,
            deadline: plan.deadline,
        };
        let mut probe = Probe::new(accountant, &plan.rules);
        let mut hunting = Duration::ZERO;
        loop {
            let late = plan
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline);
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if late || number >= plan.cases.end || plan.rules.stop.load(Ordering::Relaxed) {
                break;
            }
            if self.done.contains(&number) {
                continue;
            }
            let event = match self.case(&generator, &hunter, &mut probe, number, &mut hunting) {
                Ok(Ok(step)) => Event::Done(step),
                Ok(Err(Over::Stopped)) => break,
                Ok(Err(Over::GaveUp(why))) => {
                    let _ = sender.send(Event::GaveUp(why));
                    break;
                }
                Err(violation) => Event::Internal(format!("case {number}: {violation}")),
            };
            if sender.send(event).is_err() {
                break;
            }
        }
        let times = [probe.waiting, probe.judging, hunting];
        let _ = sender.send(Event::Times(times, probe.comparisons));
    }

    fn case(
        &self,
        generator: &Generator,
        hunter: &Hunter<'_>,
        probe: &mut Probe<'_>,
        number: u64,
        hunting: &mut Duration,
    ) -> Result<Result<Step, Over>, InvariantViolation> {
        let mut step = Step {
            number,
            ..Step::default()
        };
        let Some(draw) = generator.draw(number) else {
            return Ok(Ok(step));
        };
        let examined = probe.examine(&draw)?;
        if let Some(over) = examined.over {
            return Ok(Err(over));
        }
        step.answered = examined.answered;
        step.undecided = examined.undecided;
        step.cut_short = examined.undecided && self.is_over();
        step.kinds = examined.faults.iter().map(|fault| fault.kind).collect();
        for fault in &examined.faults {
            let first_cause = format!("{} {}", fault.kind.as_str(), cause(fault, &draw.case));
            if fault.kind == Kind::Unsound {
                step.suspect = Some(first_cause.clone());
            }
            if !self.causes.begin(&first_cause, number, &|| self.is_over()) {
                continue;
            }
            let start = Instant::now();
            let before = (probe.waiting, probe.judging);
            let found = hunter.follow(probe, &draw, number, fault, &examined.said);
            (probe.waiting, probe.judging) = before;
            *hunting = hunting.saturating_add(start.elapsed());
            let kind = found.as_ref().ok().and_then(Option::as_ref);
            let kind = kind.map(|found| found.kind);
            self.causes.end(&first_cause, number, kind);
            let is_settled = kind.is_some_and(|kind| kind != Kind::Unconfirmed);
            step.cut_short |= !is_settled && self.is_over();
            if let Some(found) = found? {
                step.findings.push(known(&found, first_cause));
            }
        }
        Ok(Ok(step))
    }

    /// Is there no time left even for what was begun?
    fn is_over(&self) -> bool {
        let rules = &self.plan.rules;
        let late = rules.until.is_some_and(|until| Instant::now() >= until);
        late || rules.stop.load(Ordering::Relaxed)
    }
}

fn known(finding: &Finding, first_cause: String) -> Known {
    Known {
        number: finding.origin.number,
        kind: finding.kind,
        first_cause,
        cause: finding.cause.clone(),
        file: finding.file_name(),
        json: finding.json(),
        toml: finding.toml(),
        words: finding.words(),
    }
}
