//! `dpcmp schema` and `dpcmp help`.

use clap::CommandFactory;

use super::arguments::Arguments;
use super::exit_code::ExitCode;
use super::output::{StdoutClosed, complain};
use super::session::Session;
use crate::report::{SCHEMAS, Schema, claims_text};

/// Prints a schema, or the names of all.
///
/// # Errors
/// When standard output is gone.
pub fn schema(session: &Session, name: Option<&str>) -> Result<ExitCode, StdoutClosed> {
    let Some(name) = name else {
        let rows = SCHEMAS
            .iter()
            .map(|schema| format!("{:<14} {}\n", schema.name, schema.title));
        session.print(&rows.collect::<String>())?;
        return Ok(ExitCode::Done);
    };
    let Some(schema) = Schema::of(name) else {
        let names: Vec<&str> = SCHEMAS.iter().map(|schema| schema.name).collect();
        let name = crate::report::name(name);
        complain(&format!(
            "there is no schema {name}; there are {}",
            names.join(", ")
        ));
        return Ok(ExitCode::BadInput);
    };
    session.print(&schema.text())?;
    Ok(ExitCode::Done)
}

/// Prints what `--help` prints, of a command where one is named, or all about claim files.
///
/// # Errors
/// When standard output is gone.
pub fn help(session: &Session, topic: Option<&str>) -> Result<ExitCode, StdoutClosed> {
    let mut all = Arguments::command();
    all.build();
    let text = match topic {
        Some("claims") => claims_text(),
        None => all.render_long_help().to_string(),
        Some(topic) => match all.find_subcommand_mut(topic) {
            Some(command) => command.render_long_help().to_string(),
            None => {
                let topic = crate::report::name(topic);
                complain(&format!(
                    "there is no help about {topic}; `dpcmp --help` lists the commands, `dpcmp help claims` is about claim files"
                ));
                return Ok(ExitCode::BadInput);
            }
        },
    };
    session.print(&text)?;
    Ok(ExitCode::Done)
}
