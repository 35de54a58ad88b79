//! A named input text: bytes to UTF-8, and byte offsets to lines and columns.

use std::ops::Range;

use super::{
    error::{InputError, Place},
    problem::{ErrorCode, Problem},
};

/// Largest input that is read, in bytes, but for entries of a list that are the same as others.
pub const MAX_BYTES: usize = 16 << 20;

/// Largest input in JSON together with those.
pub const MAX_TEXT_BYTES: usize = 128 << 20;

/// Characters of context kept before the place of an error, and in all, of an overlong line.
const EXCERPT_BEFORE: usize = 40;
const EXCERPT_LENGTH: usize = 100;

/// Distance of the remembered positions in the text.
const STRIDE: usize = 512;

/// A text with its name; byte offsets are relative to `text`.
pub(crate) struct Source<'t> {
    name: &'t str,
    text: &'t str,
    /// Number of the first line, more than 1 for a line of a `.jsonl` file.
    first_line: usize,
    /// What stands before each multiple of [`STRIDE`], so that places are found without rereading.
    marks: Vec<Mark>,
}

#[derive(Clone, Copy, Default)]
struct Mark {
    line_breaks: usize,
    /// Offset just after the last line break.
    line_start: usize,
    characters: usize,
}

impl Mark {
    fn advance(&mut self, offset: usize, byte: u8) {
        if byte == b'\n' {
            self.line_breaks = self.line_breaks.saturating_add(1);
            self.line_start = offset.saturating_add(1);
        }
        if !is_continuation(byte) {
            self.characters = self.characters.saturating_add(1);
        }
    }
}

impl<'t> Source<'t> {
    /// Decodes `bytes`, whose first line is line `first_line`; a byte-order mark is skipped.
    ///
    /// # Errors
    /// Too many bytes, or not UTF-8.
    pub fn decode(name: &'t str, bytes: &'t [u8], first_line: usize) -> Result<Self, InputError> {
        Self::at_most(MAX_BYTES, name, bytes, first_line)
    }

    /// The same of a text in which much may be repeated: whoever reads it has to see how much is not.
    ///
    /// # Errors
    /// More than [`MAX_TEXT_BYTES`], or not UTF-8.
    pub fn decode_repetitive(name: &'t str, bytes: &'t [u8]) -> Result<Self, InputError> {
        Self::at_most(MAX_TEXT_BYTES, name, bytes, 1)
    }

    fn at_most(
        most: usize,
        name: &'t str,
        bytes: &'t [u8],
        first_line: usize,
    ) -> Result<Self, InputError> {
        if bytes.len() > most {
            let start = bytes.get(..EXCERPT_LENGTH).unwrap_or_default();
            let text = String::from_utf8_lossy(start);
            return Err(Source::new(name, &text, first_line).locate(too_large(bytes.len())));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Source::new(name, text, first_line)),
            Err(error) => {
                let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let place = valid.len()..valid.len().saturating_add(1);
                let mut text = String::from_utf8_lossy(valid).into_owned();
                text.push(char::REPLACEMENT_CHARACTER);
                let problem =
                    Problem::new(ErrorCode::Encoding, &place, "the input is not UTF-8 text")
                        .label("this byte belongs to no UTF-8 character")
                        .help("save the file as UTF-8; binary files are not read");
                Err(Source::new(name, &text, first_line).locate(problem))
            }
        }
    }

    /// A source of text that is already decoded.
    pub fn new(name: &'t str, text: &'t str, first_line: usize) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut marks = Vec::with_capacity(text.len() / STRIDE);
        let mut mark = Mark::default();
        for (offset, byte) in text.bytes().enumerate() {
            if offset.is_multiple_of(STRIDE) {
                marks.push(mark);
            }
            mark.advance(offset, byte);
        }
        Source {
            name,
            text,
            first_line,
            marks,
        }
    }

    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The text of a span.
    pub fn slice(&self, span: &Range<usize>) -> &'t str {
        self.text.get(span.clone()).unwrap_or_default()
    }

    /// Line and column, from 1, of a byte offset; the column counts characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let here = self.mark(offset);
        let at_line_start = self.mark(here.line_start);
        let column = here.characters.saturating_sub(at_line_start.characters);
        (
            self.first_line.saturating_add(here.line_breaks),
            column.saturating_add(1),
        )
    }

    /// Gives a problem its file, line, column and excerpt.
    pub fn locate(&self, mut problem: Problem) -> InputError {
        if let Some(error) = problem.elsewhere.take() {
            return error;
        }
        let start = self.boundary_at_or_before(problem.span.start);
        let (line, column) = self.position(start);
        let (excerpt, cut, underlined) = self.excerpt(start, problem.span.end);
        let place = Place {
            name: self.name.to_owned(),
            line,
            column,
            excerpt,
            cut,
            underlined,
        };
        InputError::new(problem, place)
    }

    /// What stands before `offset`.
    fn mark(&self, offset: usize) -> Mark {
        let offset = offset.min(self.text.len());
        let nearest = offset / STRIDE;
        let nearest = nearest.min(self.marks.len().saturating_sub(1));
        let mut mark = self.marks.get(nearest).copied().unwrap_or_default();
        let from = nearest.saturating_mul(STRIDE);
        let bytes = self.text.as_bytes().get(from..offset).unwrap_or_default();
        for (distance, byte) in bytes.iter().enumerate() {
            mark.advance(from.saturating_add(distance), *byte);
        }
        mark
    }

    fn boundary_at_or_before(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset = offset.saturating_sub(1);
        }
        offset
    }

    /// The line around `start`, cut to a readable width; whether its start was cut off; and the part of it
    /// up to `end`.
    fn excerpt(&self, start: usize, end: usize) -> (String, bool, Range<usize>) {
        let before = self.text.get(..start).unwrap_or_default();
        let line_before = before
            .get(self.mark(start).line_start..)
            .unwrap_or_default();
        let after = self.text.get(start..).unwrap_or_default();
        let end = self.boundary_at_or_before(end).saturating_sub(start);

        let (right, right_is_cut) = first_characters_of_line(after, EXCERPT_LENGTH);
        let (left, left_is_cut) = last_characters(line_before, EXCERPT_LENGTH);
        let length = left.chars().count().saturating_add(right.chars().count());
        let fits = !left_is_cut && !right_is_cut && length <= EXCERPT_LENGTH;
        let (left, cut_left) = if fits {
            (left, false)
        } else {
            last_characters(left, EXCERPT_BEFORE)
        };
        let room = EXCERPT_LENGTH.saturating_sub(left.chars().count());
        let (right, cut_right) = first_characters_of_line(after, room);
        let lead = if cut_left { "…" } else { "" };
        let trail = if cut_right { "…" } else { "" };
        let from = lead.len().saturating_add(left.len());
        let marked = end.min(right.len());
        let to = from.saturating_add(marked);
        (format!("{lead}{left}{right}{trail}"), cut_left, from..to)
    }
}

pub(crate) fn too_large(length: usize) -> Problem {
    let message = format!("the input has {length} bytes; at most {MAX_BYTES} are read");
    Problem::new(ErrorCode::TooLarge, &(0..1), message).help(format!(
        "split it; a `.jsonl` file holds one claim file a line; in JSON, entries of a list that are the same as others do not count, up to {MAX_TEXT_BYTES} bytes in all"
    ))
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// The end of `text`, and whether something was left off.
fn last_characters(text: &str, count: usize) -> (&str, bool) {
    match text.char_indices().rev().nth(count) {
        None => (text, false),
        Some((offset, character)) => {
            let start = offset.saturating_add(character.len_utf8());
            (text.get(start..).unwrap_or_default(), true)
        }
    }
}

/// The first characters of the first line of `text`, and whether part of the line was left off.
fn first_characters_of_line(text: &str, count: usize) -> (&str, bool) {
    for (position, (offset, character)) in text.char_indices().enumerate() {
        let head = text.get(..offset).unwrap_or_default();
        if character == '\n' {
            return (head.trim_end_matches('\r'), false);
        }
        if position == count {
            return (head, true);
        }
    }
    (text, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locate(text: &str, span: Range<usize>) -> InputError {
        Source::new("t", text, 1).locate(Problem::new(ErrorCode::Syntax, &span, "wrong"))
    }

    #[test]
    fn lines_and_columns() {
        let text = "ab\r\nçd\ne";
        let source = Source::new("t", text, 7);
        assert_eq!(source.position(0), (7, 1));
        assert_eq!(source.position(4), (8, 1));
        assert_eq!(source.position(6), (8, 2));
        assert_eq!(source.position(text.len()), (9, 2));
        assert_eq!(source.position(1000), (9, 2));
    }

    #[test]
    fn positions_agree_with_counting_across_marks() {
        let text: String = (0..3000)
            .map(|i| if i % 97 == 0 { "\n" } else { "aé" })
            .collect();
        let source = Source::new("t", &text, 1);
        for (offset, _) in text.char_indices().step_by(13) {
            let before = &text[..offset];
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            assert_eq!(source.position(offset), (line, column));
        }
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}X{}", "a".repeat(1_000_000), "b".repeat(1_000_000));
        let error = locate(&text, 1_000_000..1_000_001);
        assert_eq!(error.column(), 1_000_001);
        assert_eq!(
            error.render(false).lines().nth(4),
            Some(format!("1 | …{}X{}…", "a".repeat(40), "b".repeat(59)).as_str())
        );
    }

    #[test]
    fn a_line_that_fits_is_not_cut() {
        let text = format!("{}X{}", "a".repeat(50), "b".repeat(49));
        assert_eq!(
            locate(&text, 50..51).render(false).lines().nth(3),
            Some(&*format!("1 | {text}"))
        );
    }

    #[test]
    fn a_span_over_lines_underlines_the_first() {
        let rendered = locate("[a\r\nb]", 0..6).render(false);
        assert!(rendered.contains("1 | [a\n  | ^^\n"), "{rendered}");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_located() {
        let error = Source::decode("t", b"a = 1\nb = \xff", 1).err().unwrap();
        assert_eq!(
            (error.code(), error.line(), error.column()),
            (ErrorCode::Encoding, 2, 5)
        );
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_text() {
        assert_eq!(
            Source::decode("t", "\u{feff}a".as_bytes(), 1)
                .ok()
                .unwrap()
                .text(),
            "a"
        );
    }

    #[test]
    fn an_input_beyond_the_limit_is_refused_at_once() {
        let error = Source::decode("t", &vec![b' '; MAX_BYTES + 1], 1)
            .err()
            .unwrap();
        assert_eq!(error.code(), ErrorCode::TooLarge);
    }
}
