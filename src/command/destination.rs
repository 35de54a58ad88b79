//! Files that are written: looked at before the work, and never half written.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::arguments::{Arguments, Command};
use super::files::{expand, is_standard_input};
use super::plot::Plot;

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
        Command::Verify { claims, .. } => expand(claims).into_iter().flatten().collect(),
        Command::Bound {
            mechanism: Some(mechanism),
            ..
        }
        | Command::Report { mechanism, .. }
        | Command::Curve { mechanism, .. } => named(&[mechanism]),
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
    if let Some(Plot::Svg(path) | Plot::Png(path)) = &arguments.options.plot {
        outputs.push(path.as_path());
    }
    if let Command::Verify {
        certificate,
        report,
        ..
    } = &arguments.command
    {
        outputs.extend(report.as_deref());
        // Certificates of several claims go to a folder, which is made where there is none.
        outputs.extend(certificate.as_deref().filter(|path| path.is_file()));
    }
    outputs
}

/// Writes a file as a whole, by way of another one in its folder that takes its place; what is there stays if that fails.
///
/// # Errors
/// If it cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Where a link leads, so that it is not replaced.
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&place).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        // A pipe or a device.
        return fs::write(&place, bytes);
    }
    let mut name = place.clone().into_os_string();
    name.push(format!(".{}", std::process::id()));
    let whole = PathBuf::from(name);
    let mut file = match File::create_new(&whole) {
        Ok(file) => file,
        // A file may be open to writing in a folder that is not.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && old.is_some() => {
            return fs::write(&place, bytes);
        }
        Err(error) => return Err(error),
    };
    let written = file.write_all(bytes).and_then(|()| {
        if let Some(old) = old {
            if old.permissions().readonly() {
                return Err(ErrorKind::PermissionDenied.into());
            }
            fs::set_permissions(&whole, old.permissions())?;
        }
        fs::rename(&whole, &place)
    });
    if written.is_err() {
        // What is left of the second file is of no use.
        let _ = fs::remove_file(&whole);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("picture.svg");
        for text in ["first", "second"] {
            write(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write(&folder.path().join("nowhere/picture.svg"), b"").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_devices() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.svg"), folder.path().join("b.svg"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(write(Path::new("/dev/null"), b"new").is_ok());
    }
}
