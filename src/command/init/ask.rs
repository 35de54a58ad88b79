//! Questions on standard error, answers on standard input.

use super::draft::Table;
use super::entry;
use crate::command::output::say;
use crate::input::reference::{ADJACENCY, Choice, Entry, Key, Shape};
use crate::report::value_words;

/// There are no more answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended;

/// Asks, and reads a line for each answer.
pub struct Asker<L> {
    lines: L,
}

impl<L: Iterator<Item = String>> Asker<L> {
    pub fn new(lines: L) -> Self {
        Self { lines }
    }

    /// Says something to who answers.
    pub fn say(&self, text: &str) {
        say(text);
    }

    /// The answer to a question, without blanks around it.
    fn answer(&mut self, question: &str) -> Result<String, Ended> {
        say(question);
        let line = self.lines.next().ok_or(Ended)?;
        Ok(line.trim().to_owned())
    }

    /// Free text, or nothing.
    pub fn text(&mut self, question: &str) -> Result<Option<String>, Ended> {
        let answer = self.answer(&format!("{question} (may be empty)"))?;
        Ok((!answer.is_empty()).then_some(answer))
    }

    /// Is there more?
    pub fn again(&mut self, what: &str) -> Result<bool, Ended> {
        let answer = self.answer(&format!("{what}? (yes or no; no if empty)"))?;
        Ok(matches!(answer.as_str(), "y" | "yes"))
    }

    /// A mechanism or a claim, key by key.
    pub fn table(
        &mut self,
        what: &str,
        entries: &'static [Entry],
        usual: &str,
    ) -> Result<Table, Ended> {
        let chosen = self.kind(what, entries, usual)?;
        say(&format!("  {}: {}", chosen.kind, plain(chosen.words)));
        let mut table = Table::new(chosen);
        let part = &chosen.part;
        let mut chosen_words = Vec::new();
        for group in part.choices {
            let choice = self.choice(group)?;
            if let Some((key, word)) = choice.word {
                table.put(key, word);
                chosen_words.push(key);
            }
            let is_word = |name: &str| choice.word.is_some_and(|(key, _)| key == name);
            for name in choice.needs.iter().filter(|name| !is_word(name)) {
                self.needed(&mut table, part.key(name))?;
            }
            for name in choice.may.iter().filter(|name| !is_word(name)) {
                self.optional(&mut table, part.key(name))?;
            }
        }
        // What a choice of word has not said already.
        for name in part
            .needs
            .iter()
            .filter(|name| !chosen_words.contains(*name))
        {
            self.needed(&mut table, part.key(name))?;
        }
        let in_choices = |name: &str| {
            let mut choices = part.choices.iter().flat_map(|group| group.iter());
            choices.any(|choice| {
                choice.needs.contains(&name)
                    || choice.may.contains(&name)
                    || choice.word.is_some_and(|(key, _)| key == name)
            })
        };
        for key in part.keys {
            if !part.is_needed(key.name) && !in_choices(key.name) {
                self.optional(&mut table, Some(key))?;
            }
        }
        if what == "mechanism" {
            self.optional(&mut table, Some(&ADJACENCY))?;
        }
        Ok(table)
    }

    fn kind(
        &mut self,
        what: &str,
        entries: &'static [Entry],
        usual: &str,
    ) -> Result<&'static Entry, Ended> {
        loop {
            let answer = self.answer(&format!(
                "{what}: which kind? ({usual} if empty; `?` lists them)"
            ))?;
            let name = if answer.is_empty() { usual } else { &answer };
            if name == "?" {
                for entry in entries {
                    say(&format!("  {:<22} {}", entry.kind, plain(entry.words)));
                }
                continue;
            }
            match entry(name, entries, what) {
                Ok(entry) => return Ok(entry),
                Err(words) => say(&words),
            }
        }
    }

    /// Which way of stating something.
    fn choice(&mut self, group: &'static [Choice]) -> Result<&'static Choice, Ended> {
        loop {
            say("stated how?");
            for (number, choice) in (1u32..).zip(group) {
                say(&format!("  {number}  {}", way(choice)));
            }
            let answer = self.answer("a number (1 if empty)")?;
            let number = if answer.is_empty() {
                Ok(1)
            } else {
                answer.parse::<usize>()
            };
            match number
                .ok()
                .and_then(|number| group.get(number.checked_sub(1)?))
            {
                Some(choice) => return Ok(choice),
                None => say(&format!("  from 1 to {}, please", group.len())),
            }
        }
    }

    fn needed(&mut self, table: &mut Table, key: Option<&Key>) -> Result<(), Ended> {
        let Some(key) = key else { return Ok(()) };
        loop {
            let answer = self.answer(&question(key))?;
            if answer.is_empty() {
                say("  it is needed");
                continue;
            }
            table.put(key.name, &answer);
            return Ok(());
        }
    }

    fn optional(&mut self, table: &mut Table, key: Option<&Key>) -> Result<(), Ended> {
        let Some(key) = key else { return Ok(()) };
        let answer = self.answer(&format!("{} (may be empty)", question(key)))?;
        if !answer.is_empty() {
            table.put(key.name, &answer);
        }
        Ok(())
    }
}

fn question(key: &Key) -> String {
    let toml = match key.shape {
        Shape::Number(_)
        | Shape::Whole(_)
        | Shape::NumberOrWord(..)
        | Shape::Word(_)
        | Shape::Flag => "",
        _ => ", written as in TOML",
    };
    format!(
        "{}: {} ({}{toml})",
        key.name,
        plain(key.words),
        plain(&value_words(&key.shape))
    )
}

fn way(choice: &Choice) -> String {
    let mut words: Vec<String> = choice
        .word
        .iter()
        .map(|(key, word)| format!("{key} = {word}"))
        .collect();
    let is_word = |name: &&&str| choice.word.is_none_or(|(key, _)| key != **name);
    words.extend(
        choice
            .needs
            .iter()
            .filter(is_word)
            .map(|name| (*name).to_owned()),
    );
    let may: Vec<String> = choice
        .may
        .iter()
        .filter(is_word)
        .map(|name| format!("perhaps {name}"))
        .collect();
    words.extend(may);
    if words.is_empty() {
        "none of the others".to_owned()
    } else {
        words.join(", ")
    }
}

fn plain(words: &str) -> String {
    words.replace('`', "")
}
