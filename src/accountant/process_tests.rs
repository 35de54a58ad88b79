//! Processes that answer, crash, stay silent, answer unasked, and do not start.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::process::{Accountant, Launch, Process, Reply};

/// An accountant in the shell, which every system has.
pub fn shell(script: &str, restarts: u32) -> Launch {
    Launch {
        command: vec!["sh".into(), "-c".into(), script.into()],
        limit: Duration::from_millis(400),
        restarts,
        deadline: None,
        until: None,
        stop: Arc::new(AtomicBool::new(false)),
    }
}

#[test]
fn a_process_answers_crashes_and_stays_silent() {
    let script = "read hello; echo '{\"accountant\":\"sh\"}'; read a; echo one; read b; echo so bad >&2; exit 7";
    let mut process = Process::start(shell(script, 1)).unwrap();
    assert_eq!(process.hello().name.as_deref(), Some("sh"));
    assert_eq!(process.ask("a"), Reply::Line("one".into()));
    let Reply::Crashed(how) = process.ask("b") else {
        panic!("it exits")
    };
    assert!(how.contains("so bad") && how.contains('7'), "{how}");
    // Started again, once.
    assert_eq!(process.ask("a"), Reply::Line("one".into()));
    assert!(matches!(process.ask("b"), Reply::Crashed(_)));
    assert!(matches!(process.ask("a"), Reply::GaveUp(why) if why.contains("1 times")));

    let script = "read hello; echo {}; read a; echo thinking >&2; sleep 100";
    let mut process = Process::start(shell(script, 3)).unwrap();
    let start = Instant::now();
    assert_eq!(process.ask("a"), Reply::TimedOut("thinking".into()));
    assert!(start.elapsed() < Duration::from_secs(20));

    let launch = shell("read hello; echo {}; sleep 100", 3);
    let mut process = Process::start(launch.clone()).unwrap();
    launch
        .stop
        .store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(process.ask("a"), Reply::Stopped);

    assert!(Process::start(shell("exit 3", 3)).is_err());
    let nothing = Launch {
        command: vec!["no-such-program-anywhere".into()],
        ..shell("", 1)
    };
    assert!(Process::start(nothing).is_err());
}

/// Who answers without reading holds nobody up, and is not believed.
#[test]
fn answers_before_their_questions() {
    let script =
        "echo {}; i=0; while :; do i=$((i+1)); echo \"{\\\"id\\\":$i,\\\"value\\\":1}\"; done";
    let mut process = Process::start(shell(script, 3)).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(matches!(process.ask("a"), Reply::Early(_)));
    // It never reads: questions that fill every pipe are waited for no longer than one.
    let script = "echo {}; exec sleep 100";
    let mut process = Process::start(shell(script, 0)).unwrap();
    let start = Instant::now();
    let question = "x".repeat(1 << 20);
    assert!(matches!(process.ask(&question), Reply::TimedOut(_)));
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_greeting_takes_no_longer_than_the_run() {
    let launch = Launch {
        deadline: Some(Instant::now() + Duration::from_millis(700)),
        ..shell("sleep 100", 3)
    };
    let start = Instant::now();
    let Err(why) = Process::start(launch) else {
        panic!("it says nothing")
    };
    assert!(why.contains("no answer to the greeting"), "{why}");
    assert!(start.elapsed() < Duration::from_secs(20));
    // What does not start again is not tried a second time.
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("started");
    let script = format!(
        "echo x >> {0}; test $(wc -l < {0}) = 1 || {{ echo 'no licence' >&2; exit 1; }}; read a; echo {{}}; read b",
        mark.display()
    );
    let mut process = Process::start(shell(&script, 9)).unwrap();
    assert!(matches!(process.ask("a"), Reply::Crashed(_)));
    for _ in 0..2 {
        assert!(matches!(process.ask("a"), Reply::GaveUp(_)));
    }
    assert_eq!(std::fs::read_to_string(&mark).unwrap().lines().count(), 2);
    // What has no time left to start again is at the end of its time, and no broken accountant.
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("started");
    let script = format!(
        "echo x >> {0}; test $(wc -l < {0}) = 1 || sleep 100; read a; echo {{}}; read b",
        mark.display()
    );
    let launch = Launch {
        deadline: Some(Instant::now() + Duration::from_secs(2)),
        ..shell(&script, 9)
    };
    let mut process = Process::start(launch).unwrap();
    assert!(matches!(process.ask("a"), Reply::Crashed(_)));
    assert!(matches!(process.ask("a"), Reply::Stopped));
}

/// With words or without, by itself or not.
#[cfg(unix)]
#[test]
fn how_a_process_ended_is_told() {
    for (end, told) in [
        ("exit 7", "exit code 7, nothing on standard error"),
        ("echo so bad >&2; exit 7", "exit code 7: so bad"),
        (
            "kill -9 $$",
            "killed by signal 9, nothing on standard error",
        ),
        ("echo oh >&2; kill -11 $$", "killed by signal 11: oh"),
        ("exit 0", "exit code 0, nothing on standard error"),
    ] {
        let script = format!("read hello; echo {{}}; read a; {end}");
        let mut process = Process::start(shell(&script, 1)).unwrap();
        assert_eq!(process.ask("a"), Reply::Crashed(told.into()));
    }
}

/// The reason is on the last line; nothing in it moves the cursor.
#[test]
fn standard_error_is_told_on_one_line() {
    let script = r"read hello; echo {}; read a; printf '\033[31mnoise\033[0m\nunsound  A LINE\nreal reason\n' >&2; exit 3";
    let mut process = Process::start(shell(script, 1)).unwrap();
    let Reply::Crashed(how) = process.ask("a") else {
        panic!("it exits")
    };
    assert!(
        how.starts_with("exit code 3: real reason (before it: "),
        "{how}"
    );
    assert!(!how.chars().any(char::is_control), "{how:?}");
}
