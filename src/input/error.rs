//! An input error with its place, and its rendering for people.

use std::{fmt, ops::Range};

use annotate_snippets::{
    AnnotationKind, Group, Level, Origin, Renderer, Snippet, renderer::DecorStyle,
};

use super::problem::{ErrorCode, Problem};

/// What is wrong with an input, where, and what to do about it.
///
/// `Display` is one line, `file:line:column: message`; [`InputError::render`] underlines the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError(Box<Located>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Located {
    problem: Problem,
    place: Place,
}

/// A position in a named input, with the text around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub name: String,
    pub line: usize,
    pub column: usize,
    /// The line of the error, trimmed to a readable width.
    pub excerpt: String,
    /// Whether `excerpt` lacks the start of the line, so that columns cannot be counted in it.
    pub cut: bool,
    /// The bytes of `excerpt` to underline.
    pub underlined: Range<usize>,
}

impl InputError {
    pub(crate) fn new(problem: Problem, place: Place) -> Self {
        InputError(Box::new(Located { problem, place }))
    }

    /// The kind of error, stable for programs.
    pub fn code(&self) -> ErrorCode {
        self.0.problem.code
    }

    /// One sentence, without place.
    pub fn message(&self) -> &str {
        &self.0.problem.message
    }

    /// What to do next, where this error knows it.
    pub fn help(&self) -> Option<&str> {
        self.0.problem.help.as_deref()
    }

    /// What to do next, on the command line: `help`, or what is usual for errors of this kind.
    pub fn next_step(&self) -> &str {
        self.help().unwrap_or_else(|| self.code().usual_step())
    }

    /// File name, `-` for standard input, or whatever the caller named the input.
    pub fn source_name(&self) -> &str {
        &self.0.place.name
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.0.place.line
    }

    /// Column in characters, from 1.
    pub fn column(&self) -> usize {
        self.0.place.column
    }

    /// The error with its underlined place, over several lines and without a final line break;
    /// `styled` adds terminal colours.
    pub fn render(&self, styled: bool) -> String {
        let Located { problem, place } = &*self.0;
        let renderer = if styled {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let mark = AnnotationKind::Primary.span(place.underlined.clone());
        let mark = if problem.label.is_empty() {
            mark
        } else {
            mark.label(&problem.label)
        };
        let snippet = Snippet::source(&place.excerpt)
            .line_start(place.line)
            .fold(false)
            .annotation(mark);
        let group = Group::with_title(Level::ERROR.primary_title(&problem.message));
        let mut group = if place.cut {
            let origin = Origin::path(&place.name)
                .line(place.line)
                .char_column(place.column);
            group.element(origin).element(snippet)
        } else {
            group.element(snippet.path(&place.name))
        };
        group = group.element(Level::HELP.message(self.next_step()));
        renderer.decor_style(DecorStyle::Ascii).render(&[group])
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Located { problem, place } = &*self.0;
        write!(
            formatter,
            "{}:{}:{}: {}",
            place.name, place.line, place.column, problem.message
        )
    }
}

impl std::error::Error for InputError {}
