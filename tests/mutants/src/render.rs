//! A source file with its mutants written in, each behind a switch.

use std::ops::Range;

use crate::find::{Shape, Site};

/// A site that is still to be written, with the numbers of its mutants.
#[derive(Debug, Clone)]
pub struct Chosen {
    pub site: Site,
    /// Which of the site's shapes is tried now.
    pub shape: usize,
    /// For each mutant its number, or none when it does not compile or was not chosen.
    pub numbers: Vec<Option<u32>>,
    /// The mutants that the compiler refused.
    pub refused: Vec<String>,
}

impl Chosen {
    pub fn is_dead(&self) -> bool {
        self.shape >= self.site.shapes.len() || self.numbers.iter().all(Option::is_none)
    }
}

/// Where a site, or one of its mutants, came to stand in the text.
#[derive(Debug, Clone)]
pub struct Region {
    pub range: Range<usize>,
    pub site: usize,
    pub mutant: Option<usize>,
}

/// The text with all mutants, and where each came to stand.
pub fn render(source: &str, chosen: &[Chosen]) -> (String, Vec<Region>) {
    let mut writer = Writer {
        source,
        chosen,
        out: String::new(),
        regions: Vec::new(),
    };
    writer.range(0..source.len(), None);
    (writer.out, writer.regions)
}

struct Writer<'s> {
    source: &'s str,
    chosen: &'s [Chosen],
    out: String,
    regions: Vec<Region>,
}

impl Writer<'_> {
    /// Writes a range of the source, the sites strictly within `parent` replaced.
    fn range(&mut self, range: Range<usize>, parent: Option<usize>) {
        let mut at = range.start;
        let from = parent.map_or(0, |p| p + 1);
        for index in from..self.chosen.len() {
            let Some(chosen) = self.chosen.get(index) else {
                break;
            };
            let site = chosen.site.range.clone();
            if site.start >= range.end {
                break;
            }
            if site.start < at || site.end > range.end || chosen.is_dead() {
                continue;
            }
            self.copy(at..site.start);
            self.site(index);
            at = site.end;
        }
        self.copy(at..range.end);
    }

    fn copy(&mut self, range: Range<usize>) {
        self.out
            .push_str(self.source.get(range).unwrap_or_default());
    }

    fn site(&mut self, index: usize) {
        let Some(chosen) = self.chosen.get(index).cloned() else {
            return;
        };
        let Some(shape) = chosen.site.shapes.get(chosen.shape).copied() else {
            return;
        };
        let start = self.out.len();
        let receiver = chosen.site.receiver.clone().unwrap_or(0..0);
        match shape {
            Shape::Value => self.out.push('('),
            Shape::Place => self.out.push_str("(*("),
            Shape::Assignment => self.out.push_str("{ "),
            Shape::Statement => {}
            Shape::Receiver => {
                self.out.push_str("(match ");
                self.range(receiver.clone(), Some(index));
                self.out.push_str(" { ref it => ");
            }
        }
        for (place, (mutant, number)) in chosen.site.mutants.iter().zip(&chosen.numbers).enumerate()
        {
            let Some(number) = number else { continue };
            if shape == Shape::Statement {
                self.out
                    .push_str(&format!("if !crate::mutation::on({number}) "));
                break;
            }
            self.out
                .push_str(&format!("if crate::mutation::on({number}) {{ "));
            let from = self.out.len();
            match shape {
                Shape::Place => self.out.push('&'),
                Shape::Value | Shape::Assignment | Shape::Statement | Shape::Receiver => {}
            }
            let text = if shape == Shape::Receiver {
                &mutant.of_it
            } else {
                &mutant.text
            };
            // No new lines, so that lines keep their numbers.
            self.out.push_str(&one_line(text));
            self.regions.push(Region {
                range: from..self.out.len(),
                site: index,
                mutant: Some(place),
            });
            self.out.push_str(" } else ");
        }
        self.out.push_str("{ ");
        match shape {
            Shape::Place => self.out.push('&'),
            Shape::Receiver => self.out.push_str("it"),
            Shape::Value | Shape::Assignment | Shape::Statement => {}
        }
        let rest = if shape == Shape::Receiver {
            receiver.end..chosen.site.range.end
        } else {
            chosen.site.range.clone()
        };
        self.range(rest, Some(index));
        self.out.push_str(match shape {
            Shape::Value => " })",
            Shape::Place => " }))",
            Shape::Assignment => " } }",
            Shape::Statement => " }",
            Shape::Receiver => " } })",
        });
        self.regions.push(Region {
            range: start..self.out.len(),
            site: index,
            mutant: None,
        });
    }
}

/// The text on one line, its comments gone.
pub fn one_line(text: &str) -> String {
    let without_comments = text.lines().map(|line| match line.find("// ") {
        Some(at) => line.get(..at).unwrap_or(line),
        None => line,
    });
    without_comments
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ")
}
