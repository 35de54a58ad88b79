//! Many cases, several at a time; what is found does not depend on how many, as long as there is time for all of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::Hello;
use super::finding::Finding;
use super::generate::Generator;
use super::hunt::{Hunter, cause};
use super::judge::{Kind, Rules};
use super::probe::{Over, Probe};
use super::process::Accountant;
use crate::kernel::InvariantViolation;

/// What to do.
pub struct Plan<'p> {
    /// Decides every case.
    pub seed: u64,
    /// Cases 0 to this.
    pub cases: u64,
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
    /// Was the accountant started too often?
    pub gave_up: bool,
    /// What dpcmp found wrong with itself.
    pub internal: Vec<String>,
}

enum Event {
    Done(Step),
    Times([Duration; 3], u64),
    GaveUp,
    Internal(String),
}

struct Shared<'s> {
    plan: &'s Plan<'s>,
    next: AtomicU64,
    done: HashSet<u64>,
    /// Causes that are followed up, with the number of the case.
    causes: Mutex<HashMap<String, u64>>,
}

/// Runs it. `start` makes an accountant for each worker; `seen` is told about finished cases as they come.
pub fn run<A: Accountant + Send>(
    plan: &Plan<'_>,
    start: &(dyn Fn() -> Result<A, String> + Sync),
    seen: &mut dyn FnMut(Option<&Step>, &Tally),
) -> Tally {
    let mut tally = Tally::default();
    let mut causes = HashMap::new();
    for step in &plan.earlier {
        for known in &step.findings {
            causes.insert(known.first_cause.clone(), known.number);
        }
        tally.add(step.clone());
    }
    let shared = Shared {
        plan,
        next: AtomicU64::new(0),
        done: plan.earlier.iter().map(|step| step.number).collect(),
        causes: Mutex::new(causes),
    };
    let (sender, events) = channel();
    thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            let sender = sender.clone();
            let shared = &shared;
            scope.spawn(move || match start() {
                Ok(mut accountant) => shared.work(&mut accountant, &sender),
                Err(_) => {
                    let _ = sender.send(Event::GaveUp);
                }
            });
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
            Ok(Event::GaveUp) => tally.gave_up = true,
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
        self.findings.extend(step.findings);
    }

    /// One finding for each cause, that of the case with the lowest number.
    fn settle(&mut self) {
        self.findings
            .sort_by_key(|known| (known.kind, known.number));
        let mut first_causes = HashSet::new();
        self.findings
            .retain(|known| first_causes.insert(known.first_cause.clone()));
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
            if late || number >= plan.cases || plan.rules.stop.load(Ordering::Relaxed) {
                break;
            }
            if self.done.contains(&number) {
                continue;
            }
            let event = match self.case(&generator, &hunter, &mut probe, number, &mut hunting) {
                Ok(Ok(step)) => Event::Done(step),
                Ok(Err(Over::Stopped)) => break,
                Ok(Err(Over::GaveUp)) => {
                    let _ = sender.send(Event::GaveUp);
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
        step.answered = !examined.declined;
        step.undecided = examined.undecided;
        step.kinds = examined.faults.iter().map(|fault| fault.kind).collect();
        for fault in &examined.faults {
            let first_cause = format!("{} {}", fault.kind.as_str(), cause(fault, &draw.case));
            if !self.claim(&first_cause, number) {
                continue;
            }
            let start = Instant::now();
            let before = (probe.waiting, probe.judging);
            let found = hunter.follow(probe, &draw, number, fault, &examined.said)?;
            (probe.waiting, probe.judging) = before;
            *hunting = hunting.saturating_add(start.elapsed());
            match found {
                Some(found) => {
                    if found.kind != fault.kind {
                        step.kinds.remove(&fault.kind);
                        step.kinds.insert(found.kind);
                    }
                    step.findings.push(known(&found, first_cause));
                }
                None => self.release(&first_cause, number),
            }
        }
        Ok(Ok(step))
    }

    /// Is this case the first one with this cause, as far as is known?
    fn claim(&self, cause: &str, number: u64) -> bool {
        let Ok(mut causes) = self.causes.lock() else {
            return false;
        };
        match causes.get(cause) {
            Some(first) if *first < number => false,
            _ => {
                causes.insert(cause.to_owned(), number);
                true
            }
        }
    }

    fn release(&self, cause: &str, number: u64) {
        if let Ok(mut causes) = self.causes.lock()
            && causes.get(cause) == Some(&number)
        {
            causes.remove(cause);
        }
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
