//! What dpcmp says about itself: `schema`, `help`, `completions`, `manual`.

use std::fs;
use std::io;
use std::path::Path;

use clap_complete::Shell;

use super::command_line::command_line;
use super::destination;
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
    let mut all = command_line();
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

/// Prints the completions of a shell.
///
/// # Errors
/// When standard output is gone.
pub fn completions(session: &Session, shell: Shell) -> Result<ExitCode, StdoutClosed> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command_line(), "dpcmp", &mut text);
    session.print(&String::from_utf8_lossy(&text))?;
    Ok(ExitCode::Done)
}

/// Writes `dpcmp.1` and a page for each command.
///
/// # Errors
/// None: what cannot be written is said.
pub fn manual(folder: &Path) -> Result<ExitCode, StdoutClosed> {
    let written = fs::create_dir_all(folder).and_then(|()| write_manual(folder));
    if let Err(error) = written {
        complain(&format!(
            "cannot write the manual into `{}`: {error}",
            folder.display()
        ));
        return Ok(ExitCode::BadInput);
    }
    Ok(ExitCode::Done)
}

fn write_manual(folder: &Path) -> io::Result<()> {
    let mut all = command_line();
    all.build();
    for command in all
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
    {
        let name = format!("dpcmp-{}", command.get_name());
        page(folder, command.clone(), name)?;
    }
    page(folder, all, "dpcmp".to_owned())
}

fn page(folder: &Path, command: clap::Command, name: String) -> io::Result<()> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command)
        .title(name.clone())
        .render(&mut text)?;
    destination::write(&folder.join(format!("{name}.1")), &text)
}
