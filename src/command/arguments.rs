//! The command line, as clap reads it.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use rug::Rational;

use super::destination::Plot;
use super::exit_code;
use super::files::is_standard_input;
use super::fuzz_arguments::{FUZZ_HELP, FuzzArguments};
use super::given::At;
use super::import_arguments::{IMPORT_HELP, ImportFrom};
use super::shard::Shard;
use super::values::{delta, html, precision, seconds, tolerance};
use crate::bounds::Target;
use crate::study::{Axis, CurveKind, Engine, Points};

/// Certify or refute reported differential-privacy guarantees, with every error bounded.
#[derive(Debug, Parser)]
#[command(name = "dpcmp", version, after_help = exit_code::HELP, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Arguments {
    /// Options of every command.
    #[command(flatten)]
    pub options: Options,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub struct Options {
    /// Text for people, or one JSON object per input on standard output
    #[arg(long, global = true, value_enum, default_value = "human")]
    pub format: Format,
    /// Width to reach, relative to max(|value|, 1e-12), or absolute as in `1e-6abs` [default: 1e-4, and
    /// 1e-12 where a closed form exists]
    #[arg(long, global = true, value_name = "W", value_parser = precision, allow_hyphen_values = true)]
    pub precision: Option<Target>,
    /// Time per claim or query; when it ends the best enclosure so far is given
    #[arg(long, global = true, value_name = "S", default_value = "60", value_parser = seconds, allow_hyphen_values = true)]
    pub max_seconds: Duration,
    /// Threads; results do not depend on it [default: all cores]
    #[arg(long, global = true, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// How numbers are computed
    #[arg(long, global = true, value_enum, default_value = "certified")]
    pub engine: Engine,
    /// Draw a picture too: FILE.svg, FILE.png, FILE.pdf, or `-` for the terminal; of curve, compare, report, verify,
    /// calibrate, sweeps and `reproduce NAME`
    #[arg(long, global = true, value_name = "FILE", value_parser = Plot::from_argument, allow_hyphen_values = true)]
    pub plot: Option<Plot>,
    /// No progress bar
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text
    Human,
    /// One JSON object per input
    Json,
    /// Comma-separated values, of `verify`, `bound --sweep` and `curve`
    Csv,
    /// JUnit XML, of `verify` and `fuzz-accountant`: a test case per claim or finding
    Junit,
    /// SARIF 2.1.0, of `verify`: what is not verified, for code scanning
    Sarif,
    /// Workflow commands of GitHub Actions, of `verify`
    Github,
    /// A picture, of `curve`
    Svg,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Certify or refute each claim in claim files, folders of them, or .jsonl (one claim file a line)
    #[command(after_help = exit_code::HELP)]
    Verify {
        /// Claim files (TOML or JSON), folders, .jsonl files; `-` is standard input
        #[arg(required = true, value_name = "CLAIM")]
        claims: Vec<PathBuf>,
        /// Verify this, as `kind:key=value[,key=value]`, of the mechanism in each CLAIM, which then is any MECH: an accountant's state, a
        /// DpEvent, a mechanism in one argument; any number of times
        #[arg(long = "claim", value_name = "STATEMENT", conflicts_with = "shard")]
        stated: Vec<String>,
        /// Write a certificate of each decided claim, which `dpcmp check` can verify; a folder when there are several
        #[arg(long, value_name = "OUT")]
        certificate: Option<PathBuf>,
        /// Print verdicts that the independent checker has not confirmed: make no certificates, unless --certificate asks for them
        #[arg(long)]
        no_check: bool,
        /// Write a page to hand in: verdicts, picture, what was proved, conditions; one HTML file that
        /// needs nothing else
        #[arg(long, value_name = "FILE.html", value_parser = html)]
        report: Option<PathBuf>,
        /// Write what was found as an in-toto statement, unsigned, for `cosign attest-blob` and its kind
        #[arg(long, value_name = "FILE")]
        attest: Option<PathBuf>,
        /// Titles, sources, mechanisms and conditions of every claim file, also where there are several, or lines of them
        #[arg(long)]
        details: bool,
        /// Do only piece K of N, with `--format json`: what all pieces print, put together in order, is what one run prints
        #[arg(long, value_name = "K/N", value_parser = Shard::from_argument, conflicts_with_all = ["certificate", "report", "attest"])]
        shard: Option<Shard>,
    },
    /// Check certificates with the independent checker, `dpcmp-check`
    Check {
        /// Certificates written by `verify --certificate`, and folders of them; `-` is standard input
        #[arg(required = true, value_name = "CERT")]
        certificates: Vec<PathBuf>,
        /// The claim file, to compare with the one in the certificate
        #[arg(long, value_name = "FILE")]
        claim: Option<PathBuf>,
        /// Walk through the proof in words
        #[arg(long)]
        explain: bool,
    },
    /// Enclose quantities of one mechanism
    #[command(after_help = BOUND_HELP)]
    Bound {
        /// Mechanism or claim file, inline JSON or TOML, or `-`
        #[arg(
            value_name = "MECH",
            required_unless_present = "batch",
            conflicts_with = "batch"
        )]
        mechanism: Option<String>,
        /// `kind` or `kind:key=value[,key=value]`
        #[arg(
            value_name = "QUERY",
            required_unless_present = "batch",
            conflicts_with = "batch"
        )]
        queries: Vec<String>,
        /// What a QUERY asks at, where it does not say so itself
        #[command(flatten)]
        at: At,
        /// Answer the JSON lines of a file, or of standard input (`-`), in order
        #[arg(long, value_name = "FILE")]
        batch: Option<PathBuf>,
        /// Answer at every value of a parameter of the mechanism; several give all combinations, the last one varying
        /// fastest
        #[arg(long, value_name = "KEY=VALUES", value_parser = Axis::from_argument, conflicts_with = "batch")]
        sweep: Vec<Axis>,
        /// Keep finished points of a sweep in this file (JSON lines), and go on from those that are in it
        #[arg(long, value_name = "FILE", requires = "sweep")]
        output: Option<PathBuf>,
        /// Do only piece K of N of a batch or a sweep: what all pieces print, put together in order, is what one run prints
        #[arg(long, value_name = "K/N", value_parser = Shard::from_argument)]
        shard: Option<Shard>,
    },
    /// Compare two mechanisms: Δ both ways, who dominates, where they cross
    #[command(after_help = COMPARE_HELP)]
    Compare {
        /// Mechanism A: a mechanism or claim file, inline JSON or TOML, or `-`
        #[arg(value_name = "A")]
        first: String,
        /// Mechanism B
        #[arg(value_name = "B")]
        second: String,
        /// Density on the attacker's prior by which the divergences are weighted too, any number of times [default:
        /// jeffreys and uquadratic]
        #[arg(long, value_name = "PRIOR")]
        prior: Vec<String>,
        /// Find the number of steps from which on Δ(A‖B) ≤ D is proven, where A and B are compositions
        #[arg(long, value_name = "D", value_parser = tolerance, allow_hyphen_values = true)]
        tolerance: Option<Rational>,
    },
    /// One page about a mechanism: μ-GDP and every other short statement, each with its regret; attack risks
    #[command(after_help = REPORT_HELP)]
    Report {
        /// Mechanism or claim file, inline JSON or TOML, or `-`
        #[arg(value_name = "MECH")]
        mechanism: String,
        /// The δ of (ε, δ)-DP, any number of times
        #[arg(long, value_name = "DELTA", value_parser = delta, default_value = "1e-5", allow_hyphen_values = true)]
        delta: Vec<Rational>,
    },
    /// Solve for one parameter so that a target is provably met: least noise, most steps, largest rate
    #[command(after_help = CALIBRATE_HELP)]
    Calibrate {
        /// Mechanism or claim file, inline JSON or TOML, or `-`; it may leave the parameter out
        #[arg(
            value_name = "MECH",
            required_unless_present = "profile_table",
            conflicts_with = "profile_table"
        )]
        mechanism: Option<String>,
        /// Instead of a mechanism, privacy profiles that another accountant gives for it: comma-separated values with the
        /// columns KEY, epsilon, delta
        #[arg(long, value_name = "FILE", conflicts_with = "compare_with_standard")]
        profile_table: Option<PathBuf>,
        /// The parameter: noise-multiplier, sigma, scale, sample-rate, rate, steps, epsilon, …; of an inner mechanism of.sigma,
        /// or of.0.sigma for the first one in a list
        #[arg(long, value_name = "KEY")]
        solve: String,
        /// What must hold, as `kind:key=value[,key=value]`: a claim, or tpr, accuracy, ppv, bayes-error; several must hold
        /// together
        #[arg(long, value_name = "TARGET", required = true)]
        target: Vec<String>,
        /// Calibrate by way of (ε, δ) too, and show what that costs and what it buys at low false-positive rates
        #[arg(long)]
        compare_with_standard: bool,
        /// The δ of that (ε, δ)
        #[arg(long, value_name = "DELTA", value_parser = delta, default_value = "1e-5", allow_hyphen_values = true)]
        delta: Rational,
    },
    /// Curves at many points: privacy profile, trade-off function or Bayes error, of one mechanism or several in one picture
    #[command(after_help = CURVE_HELP)]
    Curve {
        /// Mechanism or claim files, inline JSON or TOML, or `-`
        #[arg(value_name = "MECH", required = true)]
        mechanisms: Vec<String>,
        /// What a mechanism is called in the output, one for each in their order
        #[arg(long, value_name = "NAME")]
        name: Vec<String>,
        /// What the picture is called
        #[arg(long, value_name = "TEXT")]
        title: Option<String>,
        /// Which curve
        #[arg(long, value_enum, default_value = "privacy-profile")]
        kind: CurveKind,
        /// How many points, or which: a number, a list 0.1,0.2 or a range A..B:N[:linear] [default: 101; of a
        /// trade-off function where it bends]
        #[arg(long, value_name = "POINTS", value_parser = Points::from_argument, allow_hyphen_values = true)]
        points: Option<Points>,
    },
    /// One statement in other terms: (ε, δ), μ, ρ, advantage, error rates, each rounded to the safe side
    Convert {
        /// A statement as `kind:key=value[,key=value]`, such as approx-dp:epsilon=1,delta=1e-5, gdp:mu=1, zcdp:rho=1/2,
        /// advantage:at-most=0.1 or trade-off:alpha=0.01,beta=0.5
        #[arg(value_name = "STATEMENT")]
        statement: String,
        /// The δ of (ε, δ)-DP, any number of times
        #[arg(long, value_name = "DELTA", value_parser = delta, default_value = "1e-5", allow_hyphen_values = true)]
        delta: Vec<Rational>,
    },
    /// What others have written down, read and checked: entries of the OpenDP registry of deployments
    #[command(after_help = IMPORT_HELP)]
    Import {
        /// From where
        #[arg(value_enum, value_name = "FROM")]
        from: ImportFrom,
        /// Entries of the registry (.yaml), or folders of them
        #[arg(required = true, value_name = "ENTRY")]
        entries: Vec<PathBuf>,
        /// A folder for the claim files of entries whose numbers can be checked against one another
        #[arg(long, value_name = "FOLDER")]
        output: Option<PathBuf>,
    },
    /// Numbers of the papers beside certified ones: what agrees and what does not
    Reproduce {
        /// representations, image-models, conversions, rule-of-thumb, census, propositions, attack-risks,
        /// recalibration or shuffled [default: all]
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Ask an external accountant random questions, and simplify those on which its answer is false
    #[command(after_help = FUZZ_HELP)]
    FuzzAccountant(FuzzArguments),
    /// Write a commented claim file: from KIND and KEY=VALUE, or from answers to questions
    #[command(after_help = INIT_HELP)]
    Init {
        /// The kind of the mechanism and its keys; without them everything is asked for
        #[arg(value_name = "KIND KEY=VALUE")]
        mechanism: Vec<String>,
        /// A claim, as `kind:key=value[,key=value]`, any number of times
        #[arg(long, value_name = "CLAIM")]
        claim: Vec<String>,
        /// What the claims are about
        #[arg(long, value_name = "TEXT")]
        title: Option<String>,
        /// Where they were published
        #[arg(long, value_name = "TEXT")]
        source: Option<String>,
        /// Where the file goes; nothing is replaced [default: standard output]
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Print what completes commands and options in a shell
    Completions {
        /// bash, zsh, fish, elvish or powershell
        #[arg(value_name = "SHELL", value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder
    Manual {
        /// A folder; it is made where it is missing
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Print the JSON Schema of a file that is read or written, or the names of all
    Schema {
        /// claim-file, mechanism, verdict, …
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Print the help of a command; `dpcmp help claims`: every key of a claim file, with examples
    Help {
        /// A command, or `claims`
        #[arg(value_name = "TOPIC")]
        topic: Option<String>,
    },
}

impl Arguments {
    /// Do options and command go together?
    ///
    /// # Errors
    /// Says what does not.
    pub fn check(&self) -> Result<(), &'static str> {
        let Options {
            format,
            engine,
            plot,
            ..
        } = &self.options;
        let is_sweep = matches!(&self.command, Command::Bound { sweep, .. } if !sweep.is_empty());
        let is_curve = matches!(self.command, Command::Curve { .. });
        let is_verdict = matches!(
            self.command,
            Command::Verify { .. } | Command::FuzzAccountant(_) | Command::Check { .. }
        );
        if is_verdict && *engine == Engine::Float {
            return Err("a verdict needs certified numbers; leave out `--engine float`");
        }
        if matches!(self.command, Command::Reproduce { .. }) && *engine == Engine::Float {
            return Err("what is reproduced needs certified numbers; leave out `--engine float`");
        }
        let is_tolerated = matches!(
            self.command,
            Command::Compare {
                tolerance: Some(_),
                ..
            }
        );
        if is_tolerated && *engine == Engine::Float {
            return Err("`--tolerance` needs certified numbers; leave out `--engine float`");
        }
        let is_verify = matches!(self.command, Command::Verify { .. });
        if let Command::Verify { claims, .. } = &self.command
            && claims.iter().filter(|path| is_standard_input(path)).count() > 1
        {
            return Err("only one of the claim files can come from standard input");
        }
        if *format == Format::Csv && !is_sweep && !is_curve && !is_verify {
            return Err(
                "`--format csv` is for verdicts, curves and sweeps: `dpcmp verify CLAIM`, `dpcmp curve MECH`, `dpcmp bound MECH QUERY --sweep KEY=VALUES`",
            );
        }
        let is_fuzz = matches!(self.command, Command::FuzzAccountant(_));
        if *format == Format::Junit && !is_verify && !is_fuzz {
            return Err(
                "`--format junit` is for `dpcmp verify CLAIM` and `dpcmp fuzz-accountant CMD`",
            );
        }
        if matches!(format, Format::Sarif | Format::Github) && !is_verify {
            return Err("`--format sarif` and `github` are for `dpcmp verify CLAIM`");
        }
        if *format == Format::Svg && !is_curve {
            return Err(
                "`--format svg` is for `dpcmp curve MECH`; elsewhere write `--plot FILE.svg`",
            );
        }
        let is_whole = match &self.command {
            Command::Verify { shard, .. } => shard.is_none() || *format == Format::Json,
            Command::Bound {
                shard: Some(_),
                batch,
                output,
                ..
            } => batch.is_some() || (is_sweep && (output.is_some() || *format == Format::Json)),
            _ => true,
        };
        if !is_whole {
            return Err(
                "`--shard` is for JSON lines, which can be put together: `verify --format json`, `bound --batch FILE`, `bound --sweep … --format json`",
            );
        }
        let has_picture = match self.command {
            Command::Bound { .. } => is_sweep,
            Command::Verify { .. }
            | Command::Compare { .. }
            | Command::Report { .. }
            | Command::Curve { .. }
            | Command::Calibrate { .. }
            | Command::Reproduce { name: Some(_) } => true,
            _ => false,
        };
        match plot {
            Some(_) if !has_picture => Err(
                "`--plot` is for curve, compare, report, verify, calibrate, sweeps and `reproduce NAME`",
            ),
            Some(Plot::Terminal) if *format != Format::Human => {
                Err("`--plot -` is for people; with another `--format` give a file")
            }
            _ => Ok(()),
        }
    }
}

const INIT_HELP: &str = "\
  dpcmp init dp-sgd noise-multiplier=9.4 batch-size=16384 dataset-size=50000 steps=2000 \\
      --claim approx-dp:epsilon=8,delta=1e-5 --title \"Model card\" --output claim.toml

`dpcmp help claims` has every kind and key. What is written has been read back: a mistake is shown
where it stands, and no file is written.";

const CURVE_HELP: &str = "\
  privacy-profile   δ(ε) over ε
  trade-off         f(α), the least false-negative rate, over the false-positive rate α
  bayes-error       R(π), the least average error, over the prior π that the record is absent
                    (adjacency add: that it is there)

Every point is an enclosure. --format is human, csv, json (one object a line for each point) or svg;
--plot FILE draws beside any of them. Between neighbouring points the band of a picture contains the
curve too, because these curves are convex in α, convex in e^ε and concave in π. A curve as a whole
takes about --max-seconds. Several mechanisms are drawn in one picture, and each line of json or csv
has their `name`.";

const CALIBRATE_HELP: &str = "\
Targets are claims
  approx-dp:epsilon=1,delta=1e-5    advantage:at-most=0.1    trade-off:alpha=0.01,beta=0.5
  gdp:mu=1,tolerance=1e-10          zcdp:rho=1/2             rdp:order=2,epsilon=1
  dominated-by:mechanism={…},at-most=0.01                    regret against a reference
or bounds of what attacks on membership reach
  tpr:fpr=0.1,at-most=0.5           true-positive rate at a false-positive rate, and below it
  accuracy:fpr=0.1,at-most=0.6      accuracy at that false-positive rate
  ppv:fpr=0.1,at-most=0.8           positive predictive value (precision) there, and above it
  bayes-error:prior=1/2,at-least=0.4
                                    average error at a prior that the record is absent

The value printed is certified to meet the target as it is printed, and beside it stands one that is
certified to miss it. --precision is their distance, relative or absolute [default: 1e-4]. A
calibration as a whole takes about --max-seconds.

--compare-with-standard finds the largest ε at which (ε, δ) alone implies the target, calibrates to
that too, and compares noise and least false-negative rates of both (Kulynych et al. 2024).

What follows from a --profile-table is only as sound as the accountant that made it.";

const REPORT_HELP: &str = "\
A statement such as μ-GDP stands for all mechanisms of which it is true. Its regret is by how much
an attacker's error may be under-reported when it is used instead of the mechanism itself (Gomez
et al. 2025). Parameters are rounded up to the digits stated, so that every statement is true, and
the regret is that of the statement. Advice by the paper's rule: μ-GDP if its regret is below 0.01.

--precision is the width of the parameters [default: 3e-6, or 1e-4 where the mechanism is dear]; a
report as a whole takes about --max-seconds.";

const COMPARE_HELP: &str = "\
Δ(A‖B) is the regret of choosing B instead of A: by how much an attacker's error can fall
(Kaissis et al. 2024). Δ(A‖B) = 0 says that B is at least as private as A everywhere. Priors are
the attacker's prior that the record is absent (with the adjacency add, that it is there).

PRIOR is uniform, jeffreys, uquadratic, beta:a=2,b=1/2 or table:points=[[0,1],[\"1/2\",2],[1,0]].

The width that --precision asks for is relative to the larger of the two divergences [default:
1e-4, and 1e-15 between closed forms]. A comparison as a whole takes about --max-seconds.";

const BOUND_HELP: &str = "\
Queries:
  delta:epsilon=1            δ(ε), any real ε; delta:exp-epsilon=2 gives u = e^ε exactly
  epsilon:delta=1e-5         the smallest ε at that δ
  tradeoff:alpha=0.01        f(α), the least type-II error at type-I error α
  advantage                  δ(0), the membership advantage
  bayes-error:prior=1/2      R(π); π is the prior that the record is absent,
                             or, with the adjacency add, that it is there
  minimax-risk               max over π of R(π)
  gdp-mu                     strict μ*; gdp-mu:tolerance=1e-10 or gdp-mu:error-floor=1e-10
  regret:mu=1                Δ(M‖G_μ), the regret of reporting μ; regret:mu=mu_star at the strict μ*
  delta-divergence:other={…} Δ(M‖other); delta-symmetric:other={…} is the larger of both directions
  weighted-delta:other={…},prior={\"kind\":\"jeffreys\"}
  renyi:order=2              Rényi divergence, any order > 0, 1 (Kullback–Leibler) and inf included
  zcdp-rho                   least ρ of zCDP: sup of renyi/order over orders > 1 and both orders of the pair

A line of a batch is {\"id\":…,\"mechanism\":{…},\"query\":{\"kind\":…,…}}; a line that cannot be
answered gets an `error` with `code` and `message`, and the others are still answered.

Sweeps: KEY is a parameter of the mechanism, or of one within it (`of.sigma`). VALUES is
  400,1000,2000              a list of decimals or fractions
  1..1000                    9 points from 1 to 1000, spaced logarithmically
  1..1000:31                 31 of them
  0..1:11:linear             11 points, spaced evenly
Parameters that count something, such as steps, are rounded to whole numbers in ranges. A sweep has
at most 100000 points; what is wrong at one is said in its row. --max-seconds is per point and query.";
