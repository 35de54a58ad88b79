//! What the compiler refused, kept from one preparation to the next: without it each takes some thirty rounds of compiling.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use crate::Failure;
use crate::find::Site;
use crate::render::{self, Chosen};

/// What was refused at one place: how many shapes, and with the one that stood which mutants.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refused {
    shape: usize,
    mutants: Vec<String>,
}

/// By file, function, text of the place, and how often this text stands before it in the function.
#[derive(Debug, Default)]
pub struct Dead {
    refused: BTreeMap<String, Refused>,
}

impl Dead {
    /// What the last preparation wrote; nothing if there was none.
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_default();
        let read = |line: &str| {
            let mut fields = line.split('\t');
            let key = [
                fields.next()?,
                fields.next()?,
                fields.next()?,
                fields.next()?,
            ]
            .join("\t");
            let refused = Refused {
                shape: fields.next()?.parse().ok()?,
                mutants: fields.map(str::to_owned).collect(),
            };
            Some((key, refused))
        };
        Self {
            refused: text.lines().filter_map(read).collect(),
        }
    }

    /// Takes out of a file what was refused before.
    pub fn take_out(&self, path: &str, source: &str, all: &mut [Chosen]) {
        let keys = keys(path, source, all);
        for (chosen, key) in all.iter_mut().zip(keys) {
            let Some(refused) = self.refused.get(&key) else {
                continue;
            };
            chosen.shape = refused.shape;
            for (mutant, number) in chosen.site.mutants.iter().zip(&mut chosen.numbers) {
                let text = mutant_key(mutant.operator, &mutant.text);
                if number.is_some() && refused.mutants.contains(&text) {
                    *number = None;
                    chosen.refused.push(text);
                }
            }
        }
    }

    /// Notes what was refused in a file.
    pub fn note(&mut self, path: &str, source: &str, all: &[Chosen]) {
        for (chosen, key) in all.iter().zip(keys(path, source, all)) {
            if chosen.shape > 0 || !chosen.refused.is_empty() {
                let refused = Refused {
                    shape: chosen.shape,
                    mutants: chosen.refused.clone(),
                };
                self.refused.insert(key, refused);
            }
        }
    }

    /// Writes it for the next preparation.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let line = |(key, refused): (&String, &Refused)| {
            let mut fields = vec![key.clone(), refused.shape.to_string()];
            fields.extend(refused.mutants.iter().cloned());
            fields.join("\t")
        };
        let lines: Vec<String> = self.refused.iter().map(line).collect();
        fs::write(path, lines.join("\n"))?;
        Ok(())
    }
}

/// A mutant as the list of the refused has it.
pub fn mutant_key(operator: &str, text: &str) -> String {
    format!("{operator} {}", render::one_line(text).replace('\t', " "))
}

fn keys(path: &str, source: &str, all: &[Chosen]) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let key = |site: &Site| {
        let original = render::one_line(source.get(site.range.clone()).unwrap_or_default());
        let key = format!("{path}\t{}\t{}", site.function, original.replace('\t', " "));
        let before = seen.entry(key.clone()).or_default();
        *before += 1;
        format!("{key}\t{before}")
    };
    all.iter().map(|c| &c.site).map(key).collect()
}
