//! Looks before the work whether what it makes can be written.

use std::fs;
use std::path::{Path, PathBuf};

use super::arguments::{Arguments, Command};
use super::destination::Plot;
use super::files::is_standard_input;
use super::folders::{Wanted, expand};

/// Can pictures and pages be written where they are asked for, without losing what is read?
///
/// # Errors
/// Says what stands in the way.
pub fn check(arguments: &Arguments) -> Result<(), String> {
    let inputs: Vec<PathBuf> = inputs(&arguments.command)
        .iter()
        .filter_map(|path| fs::canonicalize(path).ok())
        .collect();
    for output in outputs(arguments) {
        let name = output.display();
        if output.is_dir() {
            return Err(format!("cannot write `{name}`: it is a folder"));
        }
        let parent = output
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent
            && !parent.is_dir()
        {
            let parent = parent.display();
            return Err(format!(
                "cannot write `{name}`: there is no folder `{parent}`"
            ));
        }
        let is_input = |path: PathBuf| inputs.contains(&path);
        if fs::canonicalize(output).is_ok_and(is_input) {
            return Err(format!("cannot write `{name}`: it is also the input"));
        }
    }
    Ok(())
}

/// What is read, as far as it is files.
fn inputs(command: &Command) -> Vec<PathBuf> {
    let named = |names: &[&String]| names.iter().map(PathBuf::from).collect();
    let paths: Vec<PathBuf> = match command {
        Command::Verify { claims, .. } => expand(claims, Wanted::Claims)
            .inputs
            .into_iter()
            .flatten()
            .collect(),
        Command::Bound {
            mechanism: Some(mechanism),
            ..
        }
        | Command::Report { mechanism, .. } => named(&[mechanism]),
        Command::Curve { mechanisms, .. } => named(&mechanisms.iter().collect::<Vec<_>>()),
        Command::Compare { first, second, .. } => named(&[first, second]),
        _ => Vec::new(),
    };
    // What standard input is redirected from.
    let resolved = |path: PathBuf| {
        if is_standard_input(&path) {
            PathBuf::from("/dev/stdin")
        } else {
            path
        }
    };
    paths.into_iter().map(resolved).collect()
}

fn outputs(arguments: &Arguments) -> Vec<&Path> {
    let mut outputs = Vec::new();
    if let Some(Plot::Svg(path) | Plot::Png(path) | Plot::Pdf(path)) = &arguments.options.plot {
        outputs.push(path.as_path());
    }
    if let Command::Verify {
        certificate,
        report,
        attest,
        ..
    } = &arguments.command
    {
        outputs.extend(report.as_deref());
        outputs.extend(attest.as_deref());
        // Certificates of several claims go to a folder, which is made where there is none.
        outputs.extend(certificate.as_deref().filter(|path| path.is_file()));
    }
    outputs
}
