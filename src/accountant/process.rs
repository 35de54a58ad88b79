//! An accountant as a process that is asked line by line, killed when it takes too long, and started again.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::{Hello, read_hello};

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
    /// The process ended without an answer: how, with the end of its standard error.
    Crashed(String),
    /// No answer within the time limit; the end of standard error.
    TimedOut(String),
    /// It was started too often.
    GaveUp,
    /// The user asked to stop.
    Stopped,
}

/// Longest answer that is read, in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;
/// So much of the end of standard error is kept, in bytes.
const STDERR_KEPT: usize = 4000;
/// How often a stop is looked for.
const GLANCE: Duration = Duration::from_millis(50);
/// Importing a large library takes its time.
const TIME_TO_START: Duration = Duration::from_secs(120);

/// How to run an accountant.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Program and arguments; a single one with blanks is a line for the shell.
    pub command: Vec<String>,
    /// Time for one answer.
    pub limit: Duration,
    /// How often it is started again.
    pub restarts: u32,
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
    input: ChildStdin,
    answers: Receiver<String>,
    errors: Arc<Mutex<Vec<u8>>>,
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
        match process.run() {
            Ok(Reply::Line(_)) => Ok(process),
            Ok(Reply::Crashed(how)) => Err(format!("it ended when it was greeted: {how}")),
            Ok(Reply::TimedOut(errors)) => Err(format!("no answer to the greeting: {errors}")),
            Ok(Reply::GaveUp | Reply::Stopped) => Err("stopped".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// What it said about itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    fn run(&mut self) -> io::Result<Reply> {
        self.running = Some(Running::start(&self.launch.command)?);
        let greeting = format!(
            "{{\"hello\":\"dpcmp.accountant/1\",\"dpcmp\":\"{}\"}}",
            env!("CARGO_PKG_VERSION")
        );
        let reply = self.exchange(&greeting, self.launch.limit.max(TIME_TO_START));
        if let Reply::Line(line) = &reply {
            self.hello = read_hello(line);
        }
        Ok(reply)
    }

    fn exchange(&mut self, line: &str, limit: Duration) -> Reply {
        let Some(running) = &mut self.running else {
            return Reply::GaveUp;
        };
        // A process that is gone cannot be written to; what it has said before is still read.
        let _ = writeln!(running.input, "{line}").and_then(|()| running.input.flush());
        let start = Instant::now();
        loop {
            match running.answers.recv_timeout(GLANCE) {
                Ok(answer) => return Reply::Line(answer),
                Err(RecvTimeoutError::Disconnected) => {
                    let how = running.ended();
                    self.running = None;
                    return Reply::Crashed(how);
                }
                Err(RecvTimeoutError::Timeout) if self.launch.stop.load(Ordering::Relaxed) => {
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

impl Accountant for Process {
    fn ask(&mut self, line: &str) -> Reply {
        if self.launch.stop.load(Ordering::Relaxed) {
            return Reply::Stopped;
        }
        if self.running.is_none() {
            let Some(left) = self.restarts_left.checked_sub(1) else {
                return Reply::GaveUp;
            };
            self.restarts_left = left;
            match self.run() {
                Ok(Reply::Line(_)) => {}
                Ok(Reply::Stopped) => return Reply::Stopped,
                Ok(_) | Err(_) => {
                    self.running = None;
                    return Reply::GaveUp;
                }
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
        let input = started.stdin.take().ok_or_else(missing)?;
        let output = started.stdout.take().ok_or_else(missing)?;
        let stderr = started.stderr.take().ok_or_else(missing)?;
        let (sender, answers) = sync_channel(16);
        thread::spawn(move || {
            let mut reader = BufReader::new(output);
            while let Ok(Some(line)) = next_line(&mut reader) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let errors = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&errors);
        thread::spawn(move || keep_the_end(stderr, &kept));
        Ok(Self {
            child: started,
            input,
            answers,
            errors,
        })
    }

    fn ended(&mut self) -> String {
        // Its standard output is closed: it has ended, or never answers again.
        let start = Instant::now();
        let mut status = None;
        while status.is_none() && start.elapsed() < Duration::from_secs(1) {
            thread::sleep(Duration::from_millis(5));
            status = self.child.try_wait().ok().flatten();
        }
        let how = status.map_or("closed its output".to_owned(), |status| status.to_string());
        format!("{how}; {}", self.errors())
    }

    fn errors(&self) -> String {
        let kept = self.errors.lock().map(|kept| kept.clone());
        let text = String::from_utf8_lossy(&kept.unwrap_or_default()).into_owned();
        text.trim().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        kill_group(&self.child);
        let _ = self.child.kill();
        let _ = self.child.wait();
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

#[cfg(unix)]
fn kill_group(child: &Child) {
    let kill = format!("kill -9 -{} 2>/dev/null", child.id());
    let _ = Command::new("sh").arg("-c").arg(kill).status();
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

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
