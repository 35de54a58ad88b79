//! Colours of a terminal.

/// Whether to colour, decided by the caller (terminal or not, `NO_COLOR`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// No escape sequences.
    Plain,
    /// ANSI colours.
    Coloured,
}

impl Style {
    /// Good news.
    pub fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// Bad news.
    pub fn red(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    /// No news.
    pub fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// A title.
    pub fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// Less important text.
    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Coloured => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}
