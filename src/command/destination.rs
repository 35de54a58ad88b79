//! Files that are written, never half: where pictures go, and how a file is replaced.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where a picture goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plot {
    /// To a file, as SVG.
    Svg(PathBuf),
    /// To a file, as PNG.
    Png(PathBuf),
    /// To a file, as PDF.
    Pdf(PathBuf),
    /// To standard output, as characters.
    Terminal,
}

impl Plot {
    /// Reads `FILE.svg`, `FILE.png`, `FILE.pdf` or `-`.
    ///
    /// # Errors
    /// If it is neither, or one that this dpcmp was built without, so that nothing is computed for a picture that cannot be made.
    pub fn from_argument(text: &str) -> Result<Self, String> {
        if text == "-" {
            return Ok(Self::Terminal);
        }
        let path = PathBuf::from(text);
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(Self::Svg(path)),
            Some(drawn @ ("png" | "pdf")) if !cfg!(feature = "png") => Err(format!(
                "this dpcmp draws no {}: build it with `--features png`, or give a name that ends in .svg",
                drawn.to_uppercase()
            )),
            Some("png") => Ok(Self::Png(path)),
            Some("pdf") => Ok(Self::Pdf(path)),
            _ => {
                Err("a picture is FILE.svg, FILE.png, FILE.pdf, or `-` for the terminal".to_owned())
            }
        }
    }
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
    let (whole, mut file) = match beside(&place) {
        Ok(made) => made,
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

/// How many files may be left of processes that were killed and had this one's number, as in containers, where it is always the same.
const LEFT: u32 = 1000;

/// A new file in the same folder, of a name that nothing has.
///
/// # Errors
/// If there can be none.
pub fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let own = std::process::id();
    let mut failure = ErrorKind::AlreadyExists.into();
    for left in 0..LEFT {
        let mut name = path.as_os_str().to_owned();
        name.push(match left {
            0 => format!(".{own}"),
            left => format!(".{own}-{left}"),
        });
        let name = PathBuf::from(name);
        match File::create_new(&name) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => failure = error,
            Err(error) => return Err(error),
        }
    }
    Err(failure)
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

    #[test]
    fn what_a_killed_process_left_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let (left, _) = beside(&path).unwrap();
        write(&path, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read(&left).unwrap(), b"");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
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

    #[test]
    fn the_ending_says_what_it_is() {
        assert_eq!(Plot::from_argument("-"), Ok(Plot::Terminal));
        assert_eq!(
            Plot::from_argument("a/b.SVG"),
            Ok(Plot::Svg("a/b.SVG".into()))
        );
        let drawn = [
            ("c.png", Plot::Png("c.png".into())),
            ("c.PDF", Plot::Pdf("c.PDF".into())),
        ];
        for (text, plot) in drawn {
            let found = Plot::from_argument(text);
            if cfg!(feature = "png") {
                assert_eq!(found, Ok(plot));
            } else {
                let why = found.unwrap_err();
                assert!(why.contains("--features png"), "{why}");
            }
        }
        for bad in ["", "picture", "a.gif", ".svg", "svg"] {
            assert!(Plot::from_argument(bad).is_err(), "{bad}");
        }
    }
}
