//! What is given on the command line: mechanisms and queries, read, or said what is wrong with them.

use std::path::Path;

use clap::Args;

use super::beside::{Folder, as_beside};
use super::files::{InputFile, read};
use super::output::{complain, error_style, say};
use crate::input::reference::QUERIES;
use crate::input::{InputError, MechanismFile, mechanism_beside};
use crate::report::{Fault, Style};
use crate::statement::Query;

/// Numbers that queries ask at, as options beside them.
#[derive(Debug, Default, Args)]
pub struct At {
    /// The δ of `epsilon`, where the query does not say it: `epsilon --delta 1e-5`
    #[arg(
        long,
        value_name = "DELTA",
        allow_hyphen_values = true,
        conflicts_with = "batch"
    )]
    delta: Option<String>,
    /// The ε of `delta`, likewise
    #[arg(
        long,
        value_name = "EPSILON",
        allow_hyphen_values = true,
        conflicts_with = "batch"
    )]
    epsilon: Option<String>,
    /// The false-positive rate of `trade-off`
    #[arg(
        long,
        value_name = "ALPHA",
        allow_hyphen_values = true,
        conflicts_with = "batch"
    )]
    alpha: Option<String>,
    /// The attacker's prior of `bayes-error`
    #[arg(
        long,
        value_name = "PRIOR",
        allow_hyphen_values = true,
        conflicts_with = "batch"
    )]
    prior: Option<String>,
    /// The order of `renyi`
    #[arg(
        long,
        value_name = "ORDER",
        allow_hyphen_values = true,
        conflicts_with = "batch"
    )]
    order: Option<String>,
    /// The μ of `regret`
    #[arg(
        long,
        value_name = "MU",
        allow_hyphen_values = true,
        conflicts_with = "batch"
    )]
    mu: Option<String>,
}

impl At {
    /// The queries, each with what it leaves to the options.
    ///
    /// # Errors
    /// Says which option no query takes.
    pub fn complete(&self, queries: &[String]) -> Result<Vec<String>, String> {
        let mut all = queries.to_vec();
        for (key, value) in [
            ("delta", &self.delta),
            ("epsilon", &self.epsilon),
            ("alpha", &self.alpha),
            ("prior", &self.prior),
            ("order", &self.order),
            ("mu", &self.mu),
        ] {
            let Some(value) = value else { continue };
            let mut is_taken = false;
            for query in all.iter_mut().filter(|query| leaves_out(query, key)) {
                let separator = if query.contains(':') { ',' } else { ':' };
                query.push_str(&format!("{separator}{key}={value}"));
                is_taken = true;
            }
            if !is_taken {
                return Err(format!(
                    "no query takes `--{key}`; `dpcmp help bound` says what each one asks at"
                ));
            }
        }
        Ok(all)
    }
}

/// Does a query of this kind ask at `key`, and not say where?
fn leaves_out(query: &str, key: &str) -> bool {
    let (kind, rest) = query.split_once(':').unwrap_or((query, ""));
    let entry = QUERIES.iter().find(|entry| entry.kind == kind.trim());
    let is_said = |pair: &str| {
        let name = pair.split_once('=').map_or("", |(name, _)| name.trim());
        name.strip_prefix("exp-").unwrap_or(name) == key
    };
    entry.is_some_and(|entry| entry.part.key(key).is_some()) && !rest.split(',').any(is_said)
}

/// The queries with their texts.
///
/// # Errors
/// What is wrong with one of them, which has been said.
pub fn parse_queries(texts: &[String]) -> Result<Vec<(&str, Query)>, Fault> {
    let parsed = texts.iter().map(|text| {
        let query = Query::from_argument(text).map_err(|error| show(&error))?;
        Ok((text.as_str(), query))
    });
    parsed.collect()
}

/// The mechanism of a MECH argument.
///
/// # Errors
/// What is wrong with it, which has been said.
pub fn read_mechanism(argument: &str) -> Result<MechanismFile, Fault> {
    let file = read_input(argument)?;
    let folder = Folder::of(&file);
    let mechanism = mechanism_beside(&file.name, &file.bytes, as_beside(folder.as_ref()));
    mechanism.map_err(|error| show(&error))
}

/// The bytes of a MECH argument.
///
/// # Errors
/// Why they cannot be read, which has been said.
pub fn read_input(argument: &str) -> Result<InputFile, Fault> {
    if is_inline(argument) {
        return Ok(InputFile {
            name: "argument".to_owned(),
            bytes: argument.as_bytes().to_vec(),
        });
    }
    read(Path::new(argument)).map_err(|unreadable| {
        let fault = Fault {
            hint: Some(A_MECHANISM.to_owned()),
            ..Fault::new(
                "unreadable",
                &format!("cannot read `{argument}`: {}", unreadable.message),
            )
        };
        complain(&format!("{}\n{A_MECHANISM}", fault.message));
        fault
    })
}

const A_MECHANISM: &str = r#"MECH is a file, `-`, or a mechanism in one argument, such as '{"kind":"gaussian","sigma":2}'"#;

/// Is the argument a mechanism rather than the name of a file?
pub fn is_inline(argument: &str) -> bool {
    let looks_like_text = argument.trim_start().starts_with(['{', '[']) || argument.contains('=');
    looks_like_text && !Path::new(argument).exists()
}

/// Says what is wrong with an input; the same for machines.
pub fn show(error: &InputError) -> Fault {
    say(&error.render(error_style() == Style::Coloured));
    Fault::of_input(error)
}
