//! Runs a property on many trials, by proptest and by quickcheck, and counts the situations it met.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Instant;

use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use quickcheck::{Gen, QuickCheck, TestResult};

use crate::trial::{Trial, trials};

/// The situation a trial was in, or what is wrong.
pub type Outcome = Result<&'static str, String>;

/// A theorem to be tried: its name, the number of cases, the situations it must meet.
pub struct Theorem {
    pub name: &'static str,
    pub cases: u32,
    pub situations: &'static [&'static str],
}

/// Each situation that is named must come up in at least one case of this many.
const RAREST: u32 = 500;

thread_local! {
    /// How often each situation was met by the property that runs on this thread.
    static MET: RefCell<BTreeMap<&'static str, u32>> = const { RefCell::new(BTreeMap::new()) };
}

/// Declares for each theorem a module with a test by proptest and a test by quickcheck.
macro_rules! theorems {
    ($($(#[$doc:meta])* $name:ident in $cases:literal cases, $situations:expr;)*) => {$(
        $(#[$doc])*
        mod $name {
            use crate::campaign::{Theorem, by_proptest, by_quickcheck, record};
            use crate::trial::Trial;

            const THEOREM: Theorem = Theorem {
                name: stringify!($name),
                cases: $cases,
                situations: &$situations,
            };

            #[test]
            fn by_the_first_generator() {
                by_proptest(&THEOREM, super::$name);
            }

            #[test]
            fn by_the_second_generator() {
                fn property(trial: Trial) -> quickcheck::TestResult {
                    record(super::$name(&trial))
                }
                by_quickcheck(&THEOREM, property);
            }
        }
    )*};
}
pub(crate) use theorems;

/// Fails with the formatted words unless the condition holds.
macro_rules! require {
    ($condition:expr, $($words:tt)+) => {
        if !$condition {
            return Err(format!($($words)+));
        }
    };
}
pub(crate) use require;

/// Fails unless both values are the same.
macro_rules! require_equal {
    ($left:expr, $right:expr, $what:expr) => {{
        let (left, right) = (&$left, &$right);
        if left != right {
            return Err(format!("{}: {left:?} is not {right:?}", $what));
        }
    }};
}
pub(crate) use require_equal;

pub fn by_proptest(theorem: &Theorem, property: fn(&Trial) -> Outcome) {
    let (cases, start) = (theorem.half(), Instant::now());
    let config = Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed),
        ..Config::default()
    };
    let ran = TestRunner::new(config).run(&trials(), |trial| {
        let situation = property(&trial).map_err(TestCaseError::fail)?;
        meet(situation);
        Ok(())
    });
    if let Err(failure) = ran {
        panic!("{}: {failure}", theorem.name);
    }
    theorem.conclude("proptest", cases, start);
}

pub fn by_quickcheck(theorem: &Theorem, property: fn(Trial) -> TestResult) {
    let (cases, start) = (u64::from(theorem.half()), Instant::now());
    QuickCheck::new()
        .rng(Gen::from_size_and_seed(100, 0x5eed))
        .tests(cases)
        .max_tests(cases)
        .min_tests_passed(cases)
        .quickcheck(property);
    theorem.conclude("quickcheck", theorem.half(), start);
}

pub fn record(outcome: Outcome) -> TestResult {
    match outcome {
        Ok(situation) => {
            meet(situation);
            TestResult::passed()
        }
        Err(what) => TestResult::error(what),
    }
}

/// Multiplies the number of random cases; 1 unless `DPCMP_TEST_SCALE` says otherwise.
pub fn scale() -> u32 {
    std::env::var("DPCMP_TEST_SCALE")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

impl Theorem {
    /// The cases of one of the two generators.
    fn half(&self) -> u32 {
        self.cases.saturating_mul(scale()).div_ceil(2)
    }

    /// All cases were run, and every situation was met.
    fn conclude(&self, by: &str, cases: u32, start: Instant) {
        let met = MET.take();
        let seconds = start.elapsed().as_secs_f32();
        println!(
            "{}: {cases} cases by {by} in {seconds:.2} s: {met:?}",
            self.name
        );
        assert_eq!(met.values().sum::<u32>(), cases, "{}", self.name);
        for situation in self.situations {
            let times = met.get(situation).copied().unwrap_or(0);
            assert!(
                times >= cases / RAREST,
                "{}: {situation}: {times} times in {cases} cases",
                self.name
            );
        }
    }
}

fn meet(situation: &'static str) {
    MET.with_borrow_mut(|met| *met.entry(situation).or_insert(0) += 1);
}
