//! Claim files, certificates and their checker.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use dpcmp_check::{Accepted, Options, Reason, Rejected, check};
use pyo3::prelude::*;

use super::answer::{self, Claim, Verdict};
use super::failure::{bad_number, exception, internal};
use super::job::{Limit, run};

/// A mechanism and claims about it.
#[pyclass(frozen, module = "dpcmp._native")]
pub struct ClaimFile {
    of: dpcmp::ClaimFile,
}

/// How often the time is looked at while a certificate is checked.
const GLANCE: Duration = Duration::from_millis(1);

#[pymethods]
impl ClaimFile {
    /// Reads the text of a claim file; the text of a line of a `.jsonl` file if a number is given.
    #[staticmethod]
    fn from_text(py: Python<'_>, text: String, line: Option<usize>) -> PyResult<Self> {
        let read = match line {
            Some(number) => dpcmp::ClaimFile::from_line(text, number),
            None => dpcmp::ClaimFile::from_text(text),
        };
        let of = read.map_err(|error| exception(py, &error))?;
        Ok(Self { of })
    }

    /// Reads a claim file and the matrices that it names.
    #[staticmethod]
    fn from_path(py: Python<'_>, path: std::path::PathBuf) -> PyResult<Self> {
        let read = dpcmp::ClaimFile::from_path(path);
        let of = read.map_err(|error| exception(py, &error))?;
        Ok(Self { of })
    }

    #[getter]
    fn text(&self) -> &str {
        self.of.text()
    }

    #[getter]
    fn title(&self) -> Option<&str> {
        self.of.title()
    }

    #[getter]
    fn source(&self) -> Option<&str> {
        self.of.source()
    }

    #[getter]
    fn words(&self) -> String {
        self.of.mechanism().words()
    }

    #[getter]
    fn adjacency(&self) -> &'static str {
        self.of.adjacency().as_str()
    }

    #[getter]
    fn conditions(&self) -> Vec<String> {
        self.of.conditions()
    }

    #[getter]
    fn claims(&self) -> Vec<Claim> {
        self.of.claims().map(answer::claim).collect()
    }

    fn verify(&self, py: Python<'_>, seconds: f64) -> PyResult<Vec<Verdict>> {
        let of = self.of.clone();
        run(py, seconds, move |limit| {
            let found = of.within(limit.time, limit.stop).verify()?;
            Ok(found.iter().map(Verdict::from).collect())
        })
    }

    /// The certificate of a claim, which the checker has accepted.
    fn certificate(&self, py: Python<'_>, number: usize, seconds: f64) -> PyResult<String> {
        if number >= self.of.claims().count() {
            return Err(bad_number("there is no claim of that number"));
        }
        let of = self.of.clone();
        run(py, seconds, move |limit| {
            let of = of.within(limit.time, Arc::clone(&limit.stop));
            let verdicts = of.verify()?;
            let accepts =
                |text: &str| matches!(checked(text.as_bytes(), None, &limit), Some(Ok(_)));
            let verdict = verdicts.get(number);
            verdict
                .map(|verdict| of.certificate(number, verdict, &accepts))
                .transpose()
        })?
        .ok_or_else(|| internal(py, "a claim without a verdict"))
    }
}

/// What the checker says; `None` if the time is over before it has said anything.
fn checked(
    certificate: &[u8],
    claim_file: Option<&[u8]>,
    limit: &Limit,
) -> Option<Result<Accepted, Rejected>> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut options = Options::default().stop(Arc::clone(&stop));
    if let Some(text) = claim_file {
        options = options.claim_file(text);
    }
    let found = thread::scope(|scope| {
        let checking = scope.spawn(|| check(certificate, &options));
        while !checking.is_finished() {
            if limit.is_over() {
                stop.store(true, Ordering::Relaxed);
            }
            thread::sleep(GLANCE);
        }
        checking.join()
    });
    match found {
        Ok(Err(rejected)) if rejected.reason == Reason::Stopped => None,
        Ok(found) => Some(found),
        Err(panic) => resume_unwind(panic),
    }
}

/// What the checker says of a certificate.
#[derive(IntoPyObject)]
pub struct Checked {
    accepted: bool,
    verdict: Option<&'static str>,
    proved: Option<String>,
    words: String,
}

/// Checks a certificate with the separate checker, which shares no code with what wrote it; with a claim file, also that it is about that one. `None`
/// if the time is over first.
#[pyfunction]
pub fn check_certificate(
    py: Python<'_>,
    certificate: Vec<u8>,
    claim_file: Option<Vec<u8>>,
    seconds: f64,
) -> PyResult<Option<Checked>> {
    run(py, seconds, move |limit| {
        let found = checked(&certificate, claim_file.as_deref(), &limit);
        Ok(found.map(Checked::from))
    })
}

impl From<Result<Accepted, Rejected>> for Checked {
    fn from(found: Result<Accepted, Rejected>) -> Self {
        match found {
            Ok(accepted) => Self {
                accepted: true,
                verdict: Some(match accepted.statement.verdict {
                    dpcmp_check::Verdict::Verified => "verified",
                    dpcmp_check::Verdict::Refuted => "refuted",
                }),
                proved: Some(accepted.statement.to_string()),
                words: accepted.to_string(),
            },
            Err(rejected) => Self {
                accepted: false,
                verdict: None,
                proved: None,
                words: rejected.to_string(),
            },
        }
    }
}
