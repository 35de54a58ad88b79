//! What `dpcmp import` takes.

use clap::ValueEnum;

/// What `--help` says below the options.
pub const IMPORT_HELP: &str = "\
  dpcmp import registry deployments/          entries of github.com/opendp/deployments-registry-data

For each entry: what it states, what of it can be checked, and what would have to be published for a
verdict. The registry has parameters, and mechanisms in words; what can be checked is whether the
variant has those parameters, and whether (ε, δ) follows from ρ. --format json: an object a line.

Exit codes: 0 nothing found against an entry, 1 something found, 2 something could not be read.";

/// Where what is imported comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ImportFrom {
    /// The registry of deployments of the OpenDP project
    Registry,
}
