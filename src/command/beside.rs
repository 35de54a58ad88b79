//! The files beside an input that it may name.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use super::files::{InputFile, is_standard_input, sha256};
use crate::input::{Beside, BesideFile};
use crate::study::FolderOf;

/// The folder of an input. An input of unknown origin reads nothing outside of it.
pub struct Folder {
    path: PathBuf,
    /// What was read: the name in the input, and the SHA-256.
    read: RefCell<Vec<(String, String)>>,
}

impl Folder {
    /// That of this input, if it is a file.
    pub fn of(input: &InputFile) -> Option<Self> {
        let path = Path::new(&input.name);
        if is_standard_input(path) || !path.is_file() {
            return None;
        }
        Some(Self {
            path: path.parent()?.to_owned(),
            read: RefCell::default(),
        })
    }

    /// That of a file which is not written yet.
    pub fn beside(path: &Path) -> Option<Self> {
        Some(Self {
            path: path.parent()?.to_owned(),
            read: RefCell::default(),
        })
    }

    /// The files that were read, each once, with their SHA-256 in hexadecimal.
    pub fn read_so_far(&self) -> Vec<(String, String)> {
        self.read.borrow().clone()
    }
}

impl Beside for Folder {
    fn read(&self, path: &str) -> Result<BesideFile, String> {
        let file = FolderOf(&self.path).read(path)?;
        let entry = (path.to_owned(), sha256(&file.bytes));
        let mut read = self.read.borrow_mut();
        if !read.contains(&entry) {
            read.push(entry);
        }
        Ok(file)
    }
}

/// The folder as a reader wants it.
pub fn as_beside(folder: Option<&Folder>) -> Option<&dyn Beside> {
    folder.map(|folder| -> &dyn Beside { folder })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::command::files::read;

    /// Only regular files in the folder of the input or below it.
    #[test]
    fn nothing_outside_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("in")).unwrap();
        fs::write(at("in/claim.toml"), "").unwrap();
        fs::create_dir(at("in/below")).unwrap();
        for name in ["secret.csv", "in/c.csv", "in/below/d.csv"] {
            fs::write(at(name), "1\n").unwrap();
        }
        let input = read(&at("in/claim.toml")).unwrap();
        let beside = Folder::of(&input).unwrap();
        let outside = at("secret.csv").display().to_string();
        for refused in [
            "../secret.csv",
            "below/../../secret.csv",
            "below",
            "none.csv",
            "",
            &outside,
            "/dev/zero",
        ] {
            assert!(Beside::read(&beside, refused).is_err(), "{refused}");
        }
        assert!(beside.read_so_far().is_empty());
        for name in ["c.csv", "./below/d.csv", "c.csv"] {
            assert_eq!(Beside::read(&beside, name).unwrap().bytes, b"1\n", "{name}");
        }
        let names: Vec<String> = beside
            .read_so_far()
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["c.csv", "./below/d.csv"]);
        let argument = InputFile {
            name: "argument".to_owned(),
            bytes: Vec::new(),
        };
        assert!(Folder::of(&argument).is_none());
    }
}
