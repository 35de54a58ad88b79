//! An accountant as a process that is asked line by line, killed when it takes too long, and started again.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::{Hello, clip, read_hello};
use crate::kernel::start_thread;

/// Somebody who answers a line with a line.
pub trait Accountant {
    /// Puts a question.
    fn ask(&mut self, line: &str) -> Reply;

    /// Forgets what it may still be about to say.
    fn reset(&mut self) {}
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A line.
    Line(String),
    /// A line that was there before the question was put.
    Early(String),
    /// The process ended without an answer: how, with the end of its standard error.
    Crashed(String),
    /// No answer within the time limit; the end of standard error.
    TimedOut(String),
    /// It does not run any more: why.
    GaveUp(String),
    /// The user asked to stop.
    Stopped,
}

/// Longest answer that is read, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;
/// So much of the end of standard error is kept, in bytes.
const STDERR_KEPT: usize = 4000;
/// How often a stop is looked for.
const GLANCE: Duration = Duration::from_millis(50);
/// Importing a large library takes its time; it is no more than what is left of the run.
const TIME_TO_START: Duration = Duration::from_secs(120);
/// Earlier lines of standard error that are shown behind the last one, in characters.
const EARLIER_SHOWN: usize = 600;

/// How to run an accountant.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Program and arguments; a single one with blanks is a line for the shell.
    pub command: Vec<String>,
    /// Time for one answer.
    pub limit: Duration,
    /// How often it is started again.
    pub restarts: u32,
    /// When the run should end.
    pub deadline: Option<Instant>,
    /// When nothing is asked any more.
    pub until: Option<Instant>,
    /// Set by the user to stop.
    pub stop: Arc<AtomicBool>,
}

/// A running accountant.
pub struct Process {
    launch: Launch,
    running: Option<Running>,
    restarts_left: u32,
    hello: Hello,
}

struct Running {
    child: Child,
    questions: Sender<String>,
    answers: Receiver<String>,
    errors: Arc<Mutex<Vec<u8>>>,
    guard: Option<Child>,
}

impl Process {
    /// Starts it and greets it.
    ///
    /// # Errors
    /// If it does not start, or ends or stays silent when greeted: why, in words.
    pub fn start(launch: Launch) -> Result<Self, String> {
        let mut process = Self {
            restarts_left: launch.restarts,
            launch,
            running: None,
            hello: Hello::default(),
        };
        process.run()?;
        Ok(process)
    }

    /// What it said about itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    fn run(&mut self) -> Result<(), String> {
        let running = Running::start(&self.launch.command).map_err(|error| error.to_string())?;
        self.running = Some(running);
        let greeting = format!(
            "{{\"hello\":\"dpcmp.accountant/1\",\"dpcmp\":\"{}\"}}",
            env!("CARGO_PKG_VERSION")
        );
        let left = |end: Option<Instant>| {
            end.map(|end| end.saturating_duration_since(Instant::now()))
                .filter(|left| *left > Duration::ZERO)
        };
        let limit = self.launch.limit.max(TIME_TO_START);
        let left = left(self.launch.deadline).or_else(|| left(self.launch.until));
        let limit = limit.min(left.unwrap_or(limit));
        match self.exchange(&greeting, limit) {
            Reply::Line(line) | Reply::Early(line) => {
                self.hello = read_hello(&line);
                Ok(())
            }
            Reply::Crashed(how) => Err(format!("it ended when it was greeted: {how}")),
            Reply::TimedOut(errors) => {
                let seconds = limit.as_secs();
                Err(format!(
                    "no answer to the greeting in {seconds} s. {errors}"
                ))
            }
            Reply::GaveUp(why) => Err(why),
            Reply::Stopped => Err("stopped".to_owned()),
        }
    }

    fn exchange(&mut self, line: &str, limit: Duration) -> Reply {
        let Some(running) = &mut self.running else {
            return Reply::GaveUp("it does not run".to_owned());
        };
        // A process that is gone cannot be written to; what it has said before is still read.
        let _ = running.questions.send(line.to_owned());
        let start = Instant::now();
        loop {
            match running.answers.recv_timeout(GLANCE) {
                Ok(answer) => return Reply::Line(answer),
                Err(RecvTimeoutError::Disconnected) => {
                    let how = running.ended();
                    self.running = None;
                    return Reply::Crashed(how);
                }
                Err(RecvTimeoutError::Timeout) if self.launch.is_over() => {
                    self.running = None;
                    return Reply::Stopped;
                }
                Err(RecvTimeoutError::Timeout) if start.elapsed() > limit => {
                    let errors = running.errors();
                    self.running = None;
                    return Reply::TimedOut(errors);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Launch {
    fn is_over(&self) -> bool {
        let late = self.until.is_some_and(|until| Instant::now() >= until);
        late || self.stop.load(Ordering::Relaxed)
    }

    /// Should the run have ended? A greeting that its end cuts short says nothing about the accountant.
    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

impl Accountant for Process {
    fn ask(&mut self, line: &str) -> Reply {
        if self.launch.is_over() {
            return Reply::Stopped;
        }
        if let Some(running) = &self.running
            && let Ok(early) = running.answers.try_recv()
        {
            self.running = None;
            return Reply::Early(early);
        }
        if self.running.is_none() {
            let Some(left) = self.restarts_left.checked_sub(1) else {
                let most = self.launch.restarts;
                return Reply::GaveUp(format!("it was started again {most} times; see --restarts"));
            };
            self.restarts_left = left;
            if let Err(why) = self.run() {
                self.running = None;
                // Waiting for another start would take as long again.
                self.restarts_left = 0;
                if self.launch.is_over() || self.launch.is_late() {
                    return Reply::Stopped;
                }
                return Reply::GaveUp(format!("it did not start again: {why}"));
            }
        }
        self.exchange(line, self.launch.limit)
    }

    fn reset(&mut self) {
        self.running = None;
    }
}

impl Running {
    fn start(command: &[String]) -> io::Result<Self> {
        let mut started = in_own_group(command_of(command))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let missing = || io::Error::other("no pipe to the accountant");
        let guard = match guard_of(&started) {
            Ok(guard) => guard,
            Err(error) => {
                let _ = started.kill();
                return Err(error);
            }
        };
        let input = started.stdin.take().ok_or_else(missing)?;
        let output = started.stdout.take().ok_or_else(missing)?;
        let stderr = started.stderr.take().ok_or_else(missing)?;
        let (sender, answers) = sync_channel(16);
        let (questions, asked) = channel();
        let errors = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&errors);
        let running = Self {
            child: started,
            questions,
            answers,
            errors,
            guard,
        };
        // Where there are no more threads, the process ends here.
        let read = move || {
            let mut reader = BufReader::new(output);
            while let Ok(Some(line)) = next_line(&mut reader) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        };
        start_thread(read)?;
        start_thread(move || write_lines(input, &asked))?;
        start_thread(move || keep_the_end(stderr, &kept))?;
        Ok(running)
    }

    fn ended(&mut self) -> String {
        // Its standard output is closed: it has ended, or never answers again.
        let start = Instant::now();
        let mut status = None;
        while status.is_none() && start.elapsed() < Duration::from_secs(1) {
            thread::sleep(Duration::from_millis(5));
            status = self.child.try_wait().ok().flatten();
        }
        let how = status.map_or("it closed its output".to_owned(), how_it_ended);
        match self.errors().as_str() {
            "" => format!("{how}, nothing on standard error"),
            errors => format!("{how}: {errors}"),
        }
    }

    /// The last line of standard error, where the reason is, and what stands before it.
    fn errors(&self) -> String {
        let kept = self.errors.lock().map(|kept| kept.clone());
        let text = String::from_utf8_lossy(&kept.unwrap_or_default()).into_owned();
        let text = text.trim();
        match text.rsplit_once('\n') {
            None => clip(text, STDERR_KEPT),
            Some((earlier, last)) => {
                let surplus = earlier.chars().count().saturating_sub(EARLIER_SHOWN);
                let earlier: String = earlier.chars().skip(surplus).collect();
                let (last, earlier) = (clip(last, STDERR_KEPT), clip(&earlier, STDERR_KEPT));
                format!("{last} (before it: {earlier})")
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Its input ends, so that it ends the group.
        if let Some(guard) = &mut self.guard {
            let _ = guard.wait();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn how_it_ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "no exit code".to_owned(),
    }
}

fn command_of(command: &[String]) -> Command {
    match command {
        [line] if line.contains(char::is_whitespace) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(line);
            shell
        }
        [program, arguments @ ..] => {
            let mut found = Command::new(program);
            found.args(arguments);
            found
        }
        [] => Command::new(""),
    }
}

/// A group of its own: Ctrl-C is for dpcmp, which then ends the accountant; and whatever the accountant starts ends with it.
#[cfg(unix)]
fn in_own_group(mut command: Command) -> Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
    command
}

#[cfg(not(unix))]
fn in_own_group(command: Command) -> Command {
    command
}

/// Ends the group when its input does, which is also what happens when dpcmp is killed.
#[cfg(unix)]
fn guard_of(child: &Child) -> io::Result<Option<Child>> {
    let script = format!("read -r line; kill -9 -{}", child.id());
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(script);
    let guard = in_own_group(shell)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(Some(guard))
}

#[cfg(not(unix))]
fn guard_of(_: &Child) -> io::Result<Option<Child>> {
    Ok(None)
}

/// In a thread of its own: who does not read must not hold up who waits.
fn write_lines(mut input: ChildStdin, lines: &Receiver<String>) {
    while let Ok(line) = lines.recv() {
        if writeln!(input, "{line}")
            .and_then(|()| input.flush())
            .is_err()
        {
            return;
        }
    }
}

fn next_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if reader.take(LONGEST_ANSWER).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
}

fn keep_the_end(mut from: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0u8; 4096];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend(buffer.iter().take(length));
        let surplus = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..surplus);
    }
}
