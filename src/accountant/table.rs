//! Mechanisms of further kinds as the words of claim files, with numbers that are doubles.
//!
//! An accountant that computes in doubles reads them as they are: no rounding of parameters explains a false answer, and of no parameter
//! must be known whether more of it is more private.

use super::decimal::Decimal;
use super::model::{list, record_bound};
use super::rounding::is_double;
use crate::mechanism::Relation;

/// A mechanism, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The `kind` of claim files.
    pub kind: &'static str,
    /// In the order in which they are written.
    pub entries: Vec<(&'static str, Entry)>,
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Any double greater than 0.
    Positive(Decimal),
    /// A double with which others must agree, such as a weight.
    Fixed(Decimal),
    /// A number of things, at least 1.
    Count(u64),
    /// One of some words.
    Word(&'static str),
    /// Doubles with which others must agree.
    Numbers(Vec<Decimal>),
    /// A table inside.
    Inside(Box<Table>),
    /// A list of tables.
    Each(Vec<Table>),
}

impl Table {
    /// A table of these entries.
    pub fn new(kind: &'static str, entries: Vec<(&'static str, Entry)>) -> Self {
        Self { kind, entries }
    }

    /// The word that an accountant names it by: how batches are drawn, or else the kind.
    pub fn label(&self) -> &'static str {
        let sampling = self.entries.iter().find_map(|(key, entry)| match entry {
            Entry::Word(word) if *key == "sampling" => Some(*word),
            _ => None,
        });
        sampling.unwrap_or(self.kind)
    }

    /// Every word that an accountant must name to be asked about it.
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds = vec![self.label()];
        for (key, entry) in &self.entries {
            match entry {
                Entry::Inside(table) if *key == "of" => kinds.extend(table.kinds()),
                Entry::Each(tables) => kinds.extend(tables.iter().flat_map(Self::kinds)),
                Entry::Inside(_)
                | Entry::Positive(_)
                | Entry::Fixed(_)
                | Entry::Count(_)
                | Entry::Word(_)
                | Entry::Numbers(_) => {}
            }
        }
        kinds
    }

    /// As JSON, where a record is replaced with what bounds its part of a noisy sum.
    pub fn json(&self, relation: Relation) -> String {
        let kind = self.kind;
        let entries = self.entries.iter().map(|(key, entry)| {
            let value = entry.json(relation);
            format!(",\"{key}\":{value}")
        });
        let entries: String = entries.collect();
        let bound = match kind {
            "laplace" | "discrete-gaussian" | "discrete-laplace" | "skellam" => {
                record_bound(relation)
            }
            _ => "",
        };
        format!("{{\"kind\":\"{kind}\"{entries}{bound}}}")
    }

    /// All numbers in it.
    pub fn numbers(&self) -> Vec<Decimal> {
        let entries = self.entries.iter().map(|(_, entry)| entry);
        entries.flat_map(Entry::numbers).collect()
    }

    /// The same with one entry simpler, or what is inside instead of it.
    pub fn simpler(&self) -> Vec<Self> {
        let mut found = Vec::new();
        for (place, (key, entry)) in self.entries.iter().enumerate() {
            for simpler in entry.simpler() {
                let mut entries = self.entries.clone();
                if let Some((_, slot)) = entries.get_mut(place) {
                    *slot = simpler;
                }
                found.push(Self::new(self.kind, entries));
            }
            if let ("of", Entry::Inside(table)) = (*key, entry) {
                found.push((**table).clone());
            }
        }
        found
    }
}

impl Entry {
    fn json(&self, relation: Relation) -> String {
        match self {
            Self::Positive(number) | Self::Fixed(number) => number.to_string(),
            Self::Count(count) => count.to_string(),
            Self::Word(word) => format!("\"{word}\""),
            Self::Numbers(numbers) => format!("[{}]", list(numbers)),
            Self::Inside(table) => table.json(relation),
            Self::Each(tables) => {
                let tables = tables.iter().map(|table| table.json(relation));
                format!("[{}]", tables.collect::<Vec<_>>().join(","))
            }
        }
    }

    fn numbers(&self) -> Vec<Decimal> {
        match self {
            Self::Positive(number) | Self::Fixed(number) => vec![*number],
            Self::Count(count) => vec![decimal(*count)],
            Self::Word(_) => Vec::new(),
            Self::Numbers(numbers) => numbers.clone(),
            // A part is less simple than what it is made of.
            Self::Inside(table) => [vec![Decimal::ONE], table.numbers()].concat(),
            Self::Each(tables) => tables.iter().flat_map(Table::numbers).collect(),
        }
    }

    fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Positive(number) => {
                let doubles = number.simpler().into_iter();
                let doubles = doubles.filter(|x| is_double(*x) && x.to_f64() > 0.0);
                doubles.map(Self::Positive).collect()
            }
            Self::Count(count) => {
                let simpler = decimal(*count).simpler().into_iter();
                let counts = simpler.filter_map(|x| x.exactly().numer().to_u64());
                counts
                    .filter(|x| *x > 0 && x < count)
                    .map(Self::Count)
                    .collect()
            }
            Self::Fixed(_) | Self::Word(_) | Self::Numbers(_) => Vec::new(),
            Self::Inside(table) => {
                let simpler = table.simpler().into_iter();
                simpler.map(|table| Self::Inside(Box::new(table))).collect()
            }
            Self::Each(tables) => {
                let mut found = Vec::new();
                for (place, table) in tables.iter().enumerate() {
                    for simpler in table.simpler() {
                        let mut tables = tables.clone();
                        if let Some(slot) = tables.get_mut(place) {
                            *slot = simpler;
                        }
                        found.push(Self::Each(tables));
                    }
                }
                found
            }
        }
    }
}

fn decimal(count: u64) -> Decimal {
    Decimal::new(i64::try_from(count).unwrap_or(i64::MAX), 0)
}
