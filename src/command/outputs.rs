//! Looks before the work whether what it makes can be written.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::arguments::{Arguments, Command};
use super::destination::Plot;
use super::files::{is_standard_input, read};
use super::folders::{Wanted, expand, is_certificate};

/// Can pictures and pages be written where they are asked for, without losing what is read?
///
/// # Errors
/// Says what stands in the way.
pub fn check(arguments: &Arguments) -> Result<(), String> {
    let inputs: Vec<PathBuf> = inputs(&arguments.command)
        .iter()
        .filter_map(|path| fs::canonicalize(path).ok())
        .collect();
    if let Command::Verify {
        certificate: Some(certificate),
        ..
    } = &arguments.command
        && certificate.is_file()
        && !is_of_certificate(certificate)
    {
        let name = certificate.display();
        return Err(format!(
            "cannot write `{name}`: it is a file, and no certificate; name another one, or a folder"
        ));
    }
    let outputs = outputs(arguments);
    for output in outputs.iter().copied() {
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
    let mut places = HashSet::new();
    for output in outputs.into_iter().chain(made_anew(arguments)) {
        if place(output).is_some_and(|place| !places.insert(place)) {
            let name = output.display();
            return Err(format!("cannot write `{name}`: it is also another output"));
        }
    }
    Ok(())
}

/// Is there a certificate in this file, or nothing at all?
fn is_of_certificate(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.len() == 0)
        || read(path).is_ok_and(|file| is_certificate(&file))
}

/// Where an output lies, by whatever name; nothing for a pipe or a device, which may be given twice.
fn place(output: &Path) -> Option<PathBuf> {
    if let Ok(place) = fs::canonicalize(output) {
        return (place.is_file() || place.is_dir()).then_some(place);
    }
    let folder = output
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
    Some(folder.join(output.file_name()?))
}

/// What is made where there is nothing yet, and may be a folder or go on from what is in it.
fn made_anew(arguments: &Arguments) -> Option<&Path> {
    match &arguments.command {
        Command::Verify { certificate, .. } => {
            certificate.as_deref().filter(|path| !path.is_file())
        }
        Command::Bound { output, .. } => output.as_deref(),
        _ => None,
    }
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
