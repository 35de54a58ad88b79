//! `dpcmp fuzz-accountant CMD`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rug::Rational;

use super::arguments::Format;
use super::certify;
use super::destination;
use super::exit_code::ExitCode;
use super::fuzz_arguments::FuzzArguments;
use super::fuzz_failing::Failing;
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain, say, style};
use super::session::Session;
use crate::accountant::{
    Corpus, Kind, Known, Launch, Plan, Process, Rules, Step, Tally, run as search,
};
use crate::kernel::Budget;
use crate::report::{FuzzReport, Judgement, fuzz_human, fuzz_json, fuzz_junit};

/// Relative slack of a guarantee before it is called unsound.
const SLACK: (u32, u32) = (1, 1_000_000_000);
/// Time for one certified comparison.
const CERTIFY: Duration = Duration::from_secs(3);
/// Time after the end of the run for what was found by then.
const GRACE: Duration = Duration::from_secs(30);
/// Time for one certificate to be checked.
const CHECK: Duration = Duration::from_secs(20);

/// Searches.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, arguments: &FuzzArguments) -> Result<ExitCode, StdoutClosed> {
    let start = Instant::now();
    let failing = match Failing::new(&arguments.fail_on, arguments.baseline.as_deref()) {
        Ok(failing) => failing,
        Err(why) => {
            complain(&why);
            return Ok(ExitCode::BadInput);
        }
    };
    let seed = arguments.seed.unwrap_or_else(seed_of_the_clock);
    let deadline = start.checked_add(session.options.max_seconds);
    let until = deadline.and_then(|deadline| deadline.checked_add(GRACE));
    let launch = Launch {
        command: arguments.accountant.clone(),
        limit: arguments.answer_seconds,
        restarts: arguments.restarts,
        deadline,
        until,
        stop: session.stop.clone(),
    };
    let command = arguments.accountant.join(" ");
    session.progress.start(&format!("starting {command}"));
    let hello = match Process::start(launch.clone()) {
        Ok(process) => process.hello().clone(),
        Err(why) => {
            complain(&format!("the accountant `{command}` does not start: {why}"));
            return Ok(ExitCode::BadInput);
        }
    };
    for stranger in hello.strangers() {
        say(&format!(
            "the accountant names `{stranger}`, which no question is about; fuzz/PROTOCOL.md has the names"
        ));
    }
    let name = match (&hello.name, &hello.version) {
        (Some(name), Some(version)) if !version.is_empty() => format!("{name} ({version})"),
        (Some(name), _) => name.clone(),
        (None, _) => command.clone(),
    };
    let mut corpus = match arguments
        .corpus
        .as_deref()
        .map(|at| Corpus::open(at, seed, &name))
    {
        None => None,
        Some(Ok(corpus)) => Some(corpus),
        Some(Err(why)) => {
            complain(&why);
            return Ok(ExitCode::BadInput);
        }
    };
    if let Some(Err(error)) = arguments.findings.as_deref().map(fs::create_dir_all) {
        let folder = arguments.findings.as_deref().unwrap_or(Path::new(""));
        let folder = folder.display();
        complain(&format!(
            "cannot make the folder of findings {folder}: {error}"
        ));
        return Ok(ExitCode::BadInput);
    }
    let accepts = |text: &str| {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let budget = Budget::new(CHECK.min(left.unwrap_or(CHECK)), session.stop.clone());
        certify::is_accepted(text, &budget)
    };
    let cases = arguments.cases.unwrap_or(u64::MAX);
    let plan = Plan {
        seed,
        cases: arguments.shard.map_or(0..cases, |shard| shard.of(cases)),
        deadline,
        jobs: session.jobs(),
        rules: Rules {
            slack: Rational::from(SLACK),
            factor: arguments.factor.clone(),
            certify: CERTIFY,
            until,
            stop: session.stop.clone(),
        },
        hello,
        accountant: name.clone(),
        command,
        checker: &accepts,
        earlier: corpus
            .as_mut()
            .map(|corpus| std::mem::take(&mut corpus.earlier))
            .unwrap_or_default(),
    };
    let mut trouble = None;
    let mut files = BTreeSet::new();
    let folder = arguments.findings.as_deref();
    let mut seen = |step: Option<&Step>, tally: &Tally| {
        if let Some(step) = step {
            let kept = corpus.as_mut().filter(|_| !step.cut_short);
            let added = kept.map_or(Ok(()), |corpus| corpus.add(step));
            let mut found = step.findings.iter();
            let written = added.and_then(|()| found.try_for_each(|known| write(folder, known)));
            if let Err(error) = written {
                trouble.get_or_insert(error.to_string());
            }
            files.extend(step.findings.iter().map(|known| known.file.clone()));
            for known in &step.findings {
                session.progress.aside(|| announce(session, known));
            }
        }
        session.progress.note(&format!("{name}: {}", so_far(tally)));
    };
    let tally = search(&plan, &|| Process::start(launch.clone()), &mut seen);
    session.progress.end();
    let mut code = ExitCode::Done;
    let mut troubles = Vec::new();
    if let Some(error) =
        trouble.or_else(|| rewrite(folder, &tally, &files).err().map(|e| e.to_string()))
    {
        troubles.push(format!("cannot write what was found: {error}"));
        code = ExitCode::BadInput;
    }
    for what in &tally.internal {
        internal_error(what);
        code = code.and(ExitCode::Internal);
    }
    if let Some(why) = &tally.gave_up {
        troubles.push(format!(
            "fewer cases were asked, because the accountant does not run any more: {why}"
        ));
        code = code.and(ExitCode::Undecided);
    } else if tally.answered == 0 {
        troubles.push("the accountant answered no question: nothing is known about it".to_owned());
        code = code.and(ExitCode::Undecided);
    }
    for trouble in &troubles {
        complain(trouble);
    }
    let findings = tally.findings.iter();
    if findings
        .clone()
        .any(|known| failing.judge(known) == Judgement::Fails)
    {
        code = code.and(ExitCode::Refuted);
    }
    if arguments.baseline.is_some() {
        let known = findings.filter(|known| failing.is_known(known)).count();
        let all = tally.findings.len();
        say(&format!("in the baseline: {known} of {all} findings"));
    }
    let shown = folder.map(|folder| folder.display().to_string());
    let report = FuzzReport {
        accountant: &name,
        seed,
        tally: &tally,
        time: start.elapsed(),
        folder: shown.as_deref(),
    };
    let text = match session.options.format {
        Format::Json => {
            let lines = tally.findings.iter().map(|known| known.json.clone());
            let lines: Vec<String> = lines.chain([fuzz_json(&report)]).collect();
            format!("{}\n", lines.join("\n"))
        }
        Format::Junit => {
            troubles.extend(tally.internal.iter().cloned());
            fuzz_junit(&report, &arguments.fail_on, &troubles, |known| {
                failing.judge(known)
            })
        }
        _ => fuzz_human(&report, style()),
    };
    match session.print(&text) {
        Ok(()) => Ok(code),
        Err(gone) => Err(gone.after(code)),
    }
}

fn announce(session: &Session, known: &Known) {
    if !session.options.quiet && known.kind != Kind::Loose {
        say(&format!(
            "{} (case {}): {}",
            known.kind.as_str(),
            known.number,
            known.cause
        ));
    }
}

fn so_far(tally: &Tally) -> String {
    let unsound = tally.faults.get(&Kind::Unsound).copied().unwrap_or(0);
    format!(
        "{} cases, {unsound} unsound, {} findings",
        tally.cases,
        tally.findings.len()
    )
}

fn write(folder: Option<&Path>, known: &Known) -> io::Result<()> {
    match folder {
        None => Ok(()),
        Some(folder) => {
            let path = folder.join(&known.file);
            let words = |error: io::Error| io::Error::other(format!("{}: {error}", path.display()));
            destination::write(&path, known.toml.as_bytes()).map_err(words)
        }
    }
}

/// With several cases at a time, a case with a lower number may have come later: its findings count. So do those that somebody
/// confirms, instead of those with the same cause that nobody does.
fn rewrite(folder: Option<&Path>, tally: &Tally, written: &BTreeSet<String>) -> io::Result<()> {
    let kept: BTreeSet<&String> = tally.findings.iter().map(|known| &known.file).collect();
    for stale in written.iter().filter(|name| !kept.contains(name)) {
        if let Some(folder) = folder {
            fs::remove_file(folder.join(stale))?;
        }
    }
    tally
        .findings
        .iter()
        .try_for_each(|known| write(folder, known))
}

fn seed_of_the_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |time| u64::from(time.subsec_nanos()) ^ time.as_secs())
}
