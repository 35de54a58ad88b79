//! What answers take for granted, and what was computed before anything was asked.

use crate::input::MechanismFile;
use crate::statement::Query;
use crate::verdict::conditions_beside;

/// What answers take for granted, and what was computed from the keys of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Taken {
    /// What is taken for granted, in words.
    pub conditions: Vec<String>,
    /// What was computed.
    pub computed: Vec<String>,
}

impl Taken {
    /// Of the mechanism in this file, of which this is asked.
    pub fn of<'a>(file: &MechanismFile, asked: impl IntoIterator<Item = &'a Query>) -> Self {
        let other = "of the other mechanism";
        Self {
            conditions: conditions_beside(&file.mechanism, file.adjacency, asked, other),
            computed: file.notes.clone(),
        }
    }

    /// Of divergences between two mechanisms, A and B; whose a condition is is said where the datasets of one are not neighbours of the other.
    pub fn of_both(files: [&MechanismFile; 2]) -> Self {
        let [a, b] = files;
        let regret = Query::regret_of_strict_mu();
        let [of_a, of_b] =
            files.map(|file| conditions_beside(&file.mechanism, file.adjacency, [&regret], ""));
        let mut conditions: Vec<String> = match a.adjacency == b.adjacency {
            true => of_a.clone(),
            // What both take for granted stands first, so that it cannot be read as one's own.
            false => of_a
                .iter()
                .filter(|one| of_b.contains(one))
                .cloned()
                .collect(),
        };
        for (name, own, other) in [("A", &of_a, &of_b), ("B", &of_b, &of_a)] {
            for condition in own.iter().filter(|one| !other.contains(one)) {
                match a.adjacency == b.adjacency {
                    true if name == "A" => {}
                    true => conditions.push(condition.clone()),
                    false => conditions.push(format!("{name}: {condition}")),
                }
            }
        }
        let notes = |(name, file): (&str, &MechanismFile)| -> Vec<String> {
            let notes = file.notes.iter();
            notes.map(|note| format!("{name}: {note}")).collect()
        };
        Self {
            conditions,
            computed: ["A", "B"].into_iter().zip(files).flat_map(notes).collect(),
        }
    }
}
