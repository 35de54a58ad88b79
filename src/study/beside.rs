//! Files that an input names, read from its folder.

use std::fs;
use std::io::Read;
use std::path::{Component, Path};

use crate::input::{Beside, BesideFile, MAX_BYTES};

/// The folder of an input. An input of unknown origin reads nothing outside of it.
#[derive(Debug, Clone, Copy)]
pub struct FolderOf<'a>(pub &'a Path);

impl Beside for FolderOf<'_> {
    fn read(&self, path: &str) -> Result<BesideFile, String> {
        let is_below = Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_below {
            return Err(
                "the path must lead from the folder of the input into it or below".to_owned(),
            );
        }
        let full = self.0.join(path);
        let words = |error: std::io::Error| error.to_string();
        // A pipe or a device may never end.
        if !fs::metadata(&full).map_err(words)?.is_file() {
            return Err("it is no file".to_owned());
        }
        let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
        let mut bytes = Vec::new();
        let file = fs::File::open(&full).map_err(words)?;
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(words)?;
        Ok(BesideFile {
            name: full.display().to_string(),
            bytes,
        })
    }
}
