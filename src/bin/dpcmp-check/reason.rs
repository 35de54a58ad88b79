//! Why a certificate is not accepted.

/// Why a certificate is not accepted.
#[derive(Debug, Clone)]
pub struct Reason {
    /// 1: rejected, 2: unreadable.
    pub code: u8,
    /// One word, for programs.
    pub word: &'static str,
    pub text: String,
}

impl Reason {
    pub fn new(code: u8, word: &'static str, text: impl Into<String>) -> Self {
        Self { code, word, text: text.into() }
    }

    /// The text is no certificate, or no claim file, that this program reads.
    pub fn malformed(text: impl Into<String>) -> Self {
        Self::new(2, "malformed", text)
    }

    /// Larger than this program is willing to work on.
    pub fn limit(text: impl Into<String>) -> Self {
        Self::new(2, "limit", text)
    }

    /// A kind of claim or mechanism that certificates do not cover.
    pub fn uncovered(what: impl Into<String>) -> Self {
        Self::new(2, "no-certificate-yet", format!("no certificate yet for {}", what.into()))
    }

    /// What the certificate says does not follow.
    pub fn rejected(word: &'static str, text: impl Into<String>) -> Self {
        Self::new(1, word, text)
    }

    /// A number could not be bounded as the proof needs it.
    pub fn unproved(text: impl Into<String>) -> Self {
        Self::rejected("unproved", text)
    }
}
