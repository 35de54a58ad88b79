//! Each mutant against the tests that reach it, until one fails.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::exercise::{self, Ending, Test};
use crate::record;
use crate::tree::{self, Listed, Place};
use crate::{Failure, say};

pub struct Options {
    /// `I/N`: every Nth mutant, beginning with the Ith.
    pub shard: String,
    /// Seconds of tests for each mutant, as they took when they were noted.
    pub budget: u64,
    /// Run again what survived and is not known to be harmless.
    pub again: bool,
    /// And nothing else.
    pub survivors: bool,
    /// Nothing that is known to be harmless, not for the first time either.
    pub open: bool,
    /// Only mutants whose file, function, kind and change contain all of these, which `&` divides.
    pub only: Option<String>,
    pub jobs: usize,
    /// Stop after so many seconds.
    pub most: u64,
    /// Only those that turn a direction round.
    pub direction: bool,
}

/// How a mutant fared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    Caught(String),
    /// All tests that reach it passed.
    Survived,
    /// Those passed for which there was time.
    OutOfTime,
    Unreached,
}

/// The fates noted so far; the last word on a mutant counts.
///
/// # Errors
/// If the file is there and cannot be read.
pub fn fates(place: &Place) -> Result<BTreeMap<String, Fate>, Failure> {
    let path = place.state.join("results.tsv");
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = std::fs::read_to_string(path)?;
    let read = |line: &str| {
        let (fate, rest) = line.split_once('\t')?;
        let (test, key) = rest.split_once('\t')?;
        let fate = match fate {
            "caught" => Fate::Caught(test.to_owned()),
            "survived" => Fate::Survived,
            "out-of-time" => Fate::OutOfTime,
            _ => Fate::Unreached,
        };
        Some((key.to_owned(), fate))
    };
    Ok(text.lines().filter_map(read).collect())
}

fn line(fate: &Fate, key: &str) -> String {
    match fate {
        Fate::Caught(test) => format!("caught\t{test}\t{key}\n"),
        Fate::Survived => format!("survived\t\t{key}\n"),
        Fate::OutOfTime => format!("out-of-time\t\t{key}\n"),
        Fate::Unreached => format!("unreached\t\t{key}\n"),
    }
}

/// Runs what has not been run, and notes each fate at once, so that it can be stopped and taken up.
///
/// # Errors
/// If nothing is prepared, or notes cannot be written.
pub fn run(place: &Place, options: &Options) -> Result<(), Failure> {
    let (listed, tests, known) = (
        tree::read_list(place)?,
        exercise::read(place)?,
        fates(place)?,
    );
    let (index, of) = options
        .shard
        .split_once('/')
        .and_then(|(i, n)| Some((i.parse::<usize>().ok()?, n.parse::<usize>().ok()?)))
        .filter(|(i, n)| (1..=*n).contains(i))
        .ok_or_else(|| Failure(format!("not a shard: {}", options.shard)))?;
    let harmless = record::reasons(place);
    let mut seen = HashSet::new();
    let waiting: Vec<&Listed> = listed
        .iter()
        .filter(|m| seen.insert(m.key()))
        .enumerate()
        .filter(|(place, m)| {
            place % of == index - 1
                && (!options.direction || m.is_about_direction())
                && options
                    .only
                    .iter()
                    .flat_map(|all| all.split('&'))
                    .all(|text| m.key().contains(text))
                && match known.get(&m.key()) {
                    None => {
                        let is_left = options.open && harmless.contains_key(&m.key());
                        !(options.survivors || is_left)
                    }
                    Some(Fate::Caught(_)) => false,
                    Some(_) => {
                        (options.again || options.survivors) && !harmless.contains_key(&m.key())
                    }
                }
        })
        .map(|(_, m)| m)
        .collect();
    say(&format!("{} mutants to run", waiting.len()));
    let reaching = reaching(&tests);
    let notes = Mutex::new(
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(place.state.join("results.tsv"))?,
    );
    let (next, survivors, start) = (AtomicUsize::new(0), AtomicUsize::new(0), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                while let Some(mutant) = waiting.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if start.elapsed().as_secs() > options.most {
                        break;
                    }
                    let tests = reaching.get(&mutant.number).map_or(&[][..], Vec::as_slice);
                    let fate = fate(mutant, tests, Duration::from_secs(options.budget));
                    note(&notes, &line(&fate, &mutant.key()));
                    if !matches!(fate, Fate::Caught(_)) {
                        survivors.fetch_add(1, Ordering::Relaxed);
                        say(&format!(
                            "{fate:?} {}:{} {} {}",
                            mutant.file, mutant.line, mutant.operator, mutant.change
                        ));
                    }
                }
            });
        }
    });
    let ran = next.into_inner().min(waiting.len());
    say(&format!(
        "{ran} run in {} s, {} not caught",
        start.elapsed().as_secs(),
        survivors.into_inner()
    ));
    Ok(())
}

fn note(notes: &Mutex<File>, line: &str) {
    if let Ok(mut file) = notes.lock()
        && let Err(e) = file.write_all(line.as_bytes())
    {
        say(&format!("not noted: {e}"));
    }
}

fn reaching(tests: &[Test]) -> HashMap<u32, Vec<&Test>> {
    let mut map: HashMap<u32, Vec<&Test>> = HashMap::new();
    for test in tests {
        for number in &test.reached {
            map.entry(*number).or_default().push(test);
        }
    }
    map
}

fn seconds_of(test: &Test) -> f64 {
    match test.is_cut_off {
        true => Duration::from_secs(CUT_OFF).as_secs_f64(),
        false => test.seconds,
    }
}

/// Tests beside the code come first, then the quick ones.
fn fate(mutant: &Listed, reaching: &[&Test], budget: Duration) -> Fate {
    if reaching.is_empty() {
        return Fate::Unreached;
    }
    let module = mutant
        .file
        .trim_start_matches("checker/")
        .trim_start_matches("src/")
        .trim_end_matches(".rs")
        .replace('/', "::");
    let folder = module
        .rsplit_once("::")
        .map_or(module.as_str(), |(folder, _)| folder);
    let distance = |test: &Test| {
        if test.name.starts_with(&module) {
            0
        } else if test.name.starts_with(folder) {
            1
        } else {
            2
        }
    };
    let mut ordered: Vec<&Test> = reaching.to_vec();
    // What stands beside the code is there to see such breaks.
    ordered.sort_by(|a, b| {
        let cost = |t: &Test| seconds_of(t) * [0.02, 0.03, 1.0][distance(t)];
        cost(a).total_cmp(&cost(b))
    });
    let (mut spent, mut was_cut_off) = (0.0, false);
    for batch in batches(&ordered) {
        let seconds: f64 = batch.iter().map(|t| seconds_of(t)).sum();
        spent += seconds;
        if spent > budget.as_secs_f64() {
            return Fate::OutOfTime;
        }
        let is_cut_off = batch.iter().any(|t| t.is_cut_off);
        let limit = match is_cut_off {
            true => Duration::from_secs(CUT_OFF),
            false => Duration::from_secs_f64(10.0 + 5.0 * seconds),
        };
        let switch = ("DPCMP_MUTANT", mutant.number.to_string());
        let names: Vec<&str> = batch.iter().map(|t| t.name.as_str()).collect();
        let Some(first) = batch.first() else { continue };
        let of = match names.as_slice() {
            [one] => format!("{} {one}", first.program.name),
            [one, rest @ ..] => format!("{} {one} or {} more", first.program.name, rest.len()),
            [] => continue,
        };
        match exercise::run(&first.program, &names, &switch, limit) {
            Ok(Ending::Passed) => {}
            // It did not fail in time, as it does not without a mutant.
            Ok(Ending::TimedOut) if is_cut_off => was_cut_off = true,
            Ok(Ending::Failed) => return Fate::Caught(of),
            Ok(Ending::TimedOut) => return Fate::Caught(format!("{of} (too slow)")),
            Err(Failure(why)) => say(&format!("{of}: {why}")),
        }
    }
    match was_cut_off {
        true => Fate::OutOfTime,
        false => Fate::Survived,
    }
}

/// Seconds of a processor for a test that takes too long: random ones see a break soon or hardly ever.
const CUT_OFF: u64 = 3;

/// Quick tests of one program run in one process: a tenth of a second of them at first, for most breaks are seen at once and the rest of a process runs
/// in vain then; twice as much every time after, up to about a second.
fn batches<'t>(ordered: &[&'t Test]) -> Vec<Vec<&'t Test>> {
    let mut batches: Vec<Vec<&Test>> = Vec::new();
    let mut open: HashMap<&str, (usize, f64)> = HashMap::new();
    for test in ordered {
        let program = test.program.name.as_str();
        let seconds = |b: &Vec<&Test>| b.iter().map(|t| t.seconds).sum::<f64>();
        let (at, most) = open.get(program).copied().unwrap_or((usize::MAX, 0.05));
        match batches.get_mut(at) {
            Some(batch) if seconds(batch) + test.seconds < most && !test.is_cut_off => {
                batch.push(test)
            }
            _ => {
                open.insert(program, (batches.len(), f64::min(2.0 * most, 1.0)));
                batches.push(vec![test]);
            }
        }
    }
    batches
}
