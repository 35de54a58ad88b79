//! What may stand in the files that are read, as a table: an entry for each kind of mechanism, claim, query and prior, with its keys,
//! what they mean and examples that run. The JSON Schemas and `dpcmp help claims` are made from it, and tests hold it to what the
//! parser reads.
//!
//! A new kind of mechanism is one entry in a file of `mechanisms` and a line in the list there.

mod claims;
mod mechanisms;
mod queries;
#[cfg(test)]
#[path = "tests.rs"]
mod tests;

pub use claims::CLAIMS;
pub use mechanisms::MECHANISMS;
pub use queries::{PRIORS, QUERIES};

use crate::mechanism::Domain;

/// A kind: what `kind` says, and what may stand beside it.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The word.
    pub kind: &'static str,
    /// What it is, in a sentence or two.
    pub words: &'static str,
    /// Its keys.
    pub part: Part,
    /// Tables of this kind, as TOML without a header. Together they have every key.
    pub examples: &'static [&'static str],
}

/// The keys of a table, and which of them go together.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// All keys.
    pub keys: &'static [Key],
    /// Those that must be there.
    pub needs: &'static [&'static str],
    /// Groups of choices: of each group one choice holds. A key that is in no choice and not needed is optional.
    pub choices: &'static [&'static [Choice]],
}

/// One way to state something. The keys of the group that it does not name may not be there.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// Keys that must be there.
    pub needs: &'static [&'static str],
    /// Keys that may be there.
    pub may: &'static [&'static str],
    /// A key that has this word; beside `needs` or `may`, which say whether it must be there.
    pub word: Option<(&'static str, &'static str)>,
}

/// A key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value is.
    pub shape: Shape,
    /// What it means.
    pub words: &'static str,
}

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A number, in this range.
    Number(Domain),
    /// A whole number, at least so much.
    Whole(u64),
    /// A number, or one of these words.
    NumberOrWord(Domain, &'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of numbers.
    Numbers(Domain),
    /// A list of whole numbers.
    Wholes,
    /// A list of lists of numbers, or the name of a file of them.
    Rows,
    /// A list of pairs of numbers, with what they are.
    Pairs([(&'static str, Domain); 2]),
    /// Points of a privacy profile: pairs, or tables with `epsilon` or `exp-epsilon` and `delta`.
    Points,
    /// A mechanism with its adjacency.
    Mechanism,
    /// A mechanism inside another one.
    Inside,
    /// A list of mechanisms, each with `times` or without.
    Composed,
    /// A list of mechanisms, each with `weight`.
    Weighted,
    /// A table with keys of its own.
    Table(&'static Part),
    /// A list of such tables.
    Tables(&'static Part),
    /// A density on the attacker's prior.
    Prior,
}

/// Keys that stand beside those of a kind, depending on where the mechanism stands.
pub const ADJACENCY: Key = Key {
    name: "adjacency",
    shape: Shape::Word(&ADJACENCIES),
    words: "at the top only: what differs between neighbouring data sets; add-remove if it is left out",
};

/// How often an entry of a `compose` runs.
pub const TIMES: Key = Key {
    name: "times",
    shape: Shape::Whole(1),
    words: "in an entry of a `compose`: how often it runs, 1 if it is left out",
};

/// The probability of an entry of a `mixture`.
pub const WEIGHT: Key = Key {
    name: "weight",
    shape: Shape::Number(Domain::Rate),
    words: "in an entry of a `mixture`: its probability",
};

/// Those of [`Adjacency::ALL`](crate::mechanism::Adjacency::ALL).
const ADJACENCIES: [&str; 5] = [
    "add-remove",
    "remove",
    "add",
    "replace-one",
    "replace-special",
];

impl Part {
    /// The key of this name.
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// Must the key be there, whatever else is?
    pub fn is_needed(&self, name: &str) -> bool {
        self.needs.contains(&name)
    }
}

const fn key(name: &'static str, shape: Shape, words: &'static str) -> Key {
    Key { name, shape, words }
}

/// A number in this range.
const fn number(name: &'static str, domain: Domain, words: &'static str) -> Key {
    key(name, Shape::Number(domain), words)
}

/// A whole number, 1 or more.
const fn whole(name: &'static str, words: &'static str) -> Key {
    key(name, Shape::Whole(1), words)
}

/// Keys without choices: what is not needed is optional.
const fn part(keys: &'static [Key], needs: &'static [&'static str]) -> Part {
    Part {
        keys,
        needs,
        choices: &[],
    }
}

const fn needs(needs: &'static [&'static str]) -> Choice {
    needs_may(needs, &[])
}

const fn may(may: &'static [&'static str]) -> Choice {
    needs_may(&[], may)
}

const fn needs_may(needs: &'static [&'static str], may: &'static [&'static str]) -> Choice {
    Choice {
        needs,
        may,
        word: None,
    }
}

const fn with(choice: Choice, key: &'static str, word: &'static str) -> Choice {
    Choice {
        word: Some((key, word)),
        ..choice
    }
}

/// `epsilon` or `exp-epsilon`.
const EPSILON: &[Choice] = &[needs(&["epsilon"]), needs(&["exp-epsilon"])];
