//! What `dpcmp fuzz-accountant` takes, as clap reads it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use rug::Rational;

use super::fuzz_failing::kind;
use super::shard::Shard;
use super::values::{factor, seconds};
use crate::accountant::Kind;

/// What `fuzz-accountant` takes.
#[derive(Debug, Args)]
pub struct FuzzArguments {
    /// Program and arguments of an accountant, or one line for the shell; `fuzz/PROTOCOL.md` says what it must do
    #[arg(required = true, value_name = "CMD")]
    pub accountant: Vec<String>,
    /// Decides every case [default: from the clock, and printed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Number of cases [default: as many as there is time for]
    #[arg(long, value_name = "N")]
    pub cases: Option<u64>,
    /// Time for one answer
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "10")]
    pub answer_seconds: Duration,
    /// How often the accountant is started again after it ended or was too slow
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub restarts: u32,
    /// An answer is loose if the truth is better by this factor
    #[arg(long, value_name = "F", value_parser = factor, default_value = "2")]
    pub factor: Rational,
    /// Write each finding to a claim file in this folder
    #[arg(long, value_name = "DIR")]
    pub findings: Option<PathBuf>,
    /// Keep finished cases in this folder, and go on from those that are in it
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Exit with 1 if something of this kind is found, any number of times or separated by commas [default: unsound]
    #[arg(long, value_name = "KIND", value_parser = kind, value_delimiter = ',', default_value = "unsound", hide_default_value = true)]
    pub fail_on: Vec<Kind>,
    /// What an earlier run with `--format json` printed: findings that are in it do not count for the exit code
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Ask only piece K of N of the cases
    #[arg(long, value_name = "K/N", value_parser = Shard::from_argument, requires_all = ["seed", "cases"])]
    pub shard: Option<Shard>,
}

/// The rest of `--help`.
pub const FUZZ_HELP: &str = "\
Cases are random mechanisms and queries, made from the seed, with a lean towards what breaks
accountants. --max-seconds is the time of the whole run; what was found by then is simplified and
confirmed for 30 seconds more at most. --jobs is the number of accountants at work.

  unsound        a guarantee that is false: refuted by certified enclosures twice, and by a closed
                 form or a certificate that dpcmp-check accepts
  unconfirmed    the same without such a confirmation
  false-end      the optimistic end of an interval is on the wrong side of the truth
  nonsense       NaN, a probability outside [0, 1], a line that is no answer
  contradiction  two intervals that do not go together
  crash          an error other than `unsupported`, or the end of the process
  timeout        no answer in --answer-seconds
  uneven         two guarantees that do not go together: both may be true, one worse than it need be
  loose          true, and worse than the truth by more than --factor (of probabilities from 1e-14 on)

`dpcmp verify FILE` refutes the claim in the file of an unsound finding again. Where the guarantee
is more than any claim can say, a Bayes error above min(π, 1 - π), the file has a true claim.";
