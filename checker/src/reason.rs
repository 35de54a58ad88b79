//! Why a certificate is not accepted, and text of a file as it may be shown.

use std::fmt;

use crate::Result;

/// Words for a few things, each of which has one.
macro_rules! words {
    ($(#[$of_all:meta])* $kind:ident: $($(#[$doc:meta])* $name:ident = $word:expr,)*) => {
        $(#[$of_all])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $kind {
            $($(#[$doc])* $name,)*
        }

        impl $kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word that stands for it.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// The one of this word.
            #[allow(dead_code)]
            pub(crate) fn of_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.word() == word)
            }
        }

        impl std::fmt::Display for $kind {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.word())
            }
        }
    };
}

pub(crate) use words;

words! {
    /// Why a certificate is not accepted, in one word.
    ///
    /// ```
    /// use dpcmp_check::{Reason, check};
    /// let rejected = check(b"not JSON", &Default::default()).unwrap_err();
    /// assert_eq!(rejected.reason, Reason::Malformed);
    /// assert_eq!(rejected.reason.word(), "malformed");
    /// assert!(Reason::ALL.contains(&rejected.reason));
    /// ```
    #[non_exhaustive]
    Reason:
    /// The file cannot be read, or is no text.
    Unreadable = "unreadable",
    /// The text is no certificate, or what is in it no claim file, that is read here.
    Malformed = "malformed",
    /// The certificate is not in canonical form.
    NotCanonical = "not-canonical",
    /// Too long, too deep, or too much work.
    Limit = "limit",
    /// Certificates do not cover this kind of claim or mechanism.
    NoCertificateYet = "no-certificate-yet",
    /// The caller asked to stop: nothing is known.
    Stopped = "stopped",
    /// The claim file inside has another SHA-256.
    Hash = "hash",
    /// The claim file inside is not the one given.
    AnotherClaimFile = "another-claim-file",
    /// The claim file has no claim of that number.
    NoSuchClaim = "no-such-claim",
    /// The sentence in the certificate is not what the claim file claims.
    Statement = "statement",
    /// The conditions in the certificate are not those of the proof.
    Conditions = "conditions",
    /// Such a proof does not exist for this claim and verdict.
    WrongKind = "wrong-kind",
    /// The proof has not the orders of the pair that this verdict needs.
    Direction = "direction",
    /// The bounds are at points that do not decide the claim.
    Points = "points",
    /// A number in the certificate is better than what is proved.
    Bound = "bound",
    /// The numbers do not decide the claim.
    Inequality = "inequality",
    /// A composition without a law.
    NoClosedForm = "no-closed-form",
    /// The plan of a law has not one entry for each squaring.
    SkippedStep = "skipped-step",
    /// The plan of a law has not one entry for each kind of step.
    SkippedPart = "skipped-part",
    /// Laws on lattices of different steps are multiplied.
    DifferentLattices = "different-lattices",
    /// No loss above ε is proved to occur.
    LossBounded = "loss-bounded",
    /// A loss above ε may occur.
    LossNotBounded = "loss-not-bounded",
    /// The sum of the μ² gives the other verdict.
    MuSquared = "mu-squared",
    /// Not all steps are Gaussian.
    NotGaussian = "not-gaussian",
    /// At equal errors the curve is on the other side of that of G_μ.
    FixedPoint = "fixed-point",
    /// The theorem of the fixed point is about other mechanisms.
    NoFixedPoint = "no-fixed-point",
    /// Not every mechanism satisfies the claim.
    NotTrivial = "not-trivial",
    /// In fractions the claim is decided the other way.
    ExactValue = "exact-value",
    /// The proof in fractions is about other mechanisms or claims.
    NotExact = "not-exact",
    /// A number could not be bounded as the proof needs it.
    Unproved = "unproved",
}

impl Reason {
    /// Refuses.
    pub(crate) fn no<T>(self, detail: impl Into<String>) -> Result<T> {
        Err(if self == Self::NoCertificateYet {
            Rejected::uncovered(&detail.into())
        } else {
            Rejected::new(self, detail)
        })
    }

    /// Refuses where something holds.
    pub(crate) fn when(self, holds: bool, detail: &str) -> Result<()> {
        if holds { self.no(detail) } else { Ok(()) }
    }

    /// Refuses where there is nothing.
    pub(crate) fn unless<T>(self, found: Option<T>, detail: &str) -> Result<T> {
        found.map_or_else(|| self.no(detail), Ok)
    }

    /// Was nothing checked, because the text is not read or too large? The program exits with 2 then, and not with 1.
    pub fn is_unreadable(self) -> bool {
        matches!(self, Self::Unreadable | Self::Malformed | Self::Limit | Self::NoCertificateYet)
    }
}

/// Where in a certificate the reason is.
///
/// ```
/// use dpcmp_check::{Place, check};
/// let rejected = check(b"not JSON", &Default::default()).unwrap_err();
/// assert_eq!(rejected.place, Place::Certificate);
/// assert_eq!(Place::Source(0).to_string(), "source 0 of the proof");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Its text or its frame: what is said to be proved, of which claim, under which conditions.
    Certificate,
    /// The claim file in it.
    ClaimFile,
    /// The proof as a whole.
    Proof,
    /// This entry of `proof.sources`, from 0.
    Source(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Certificate => out.write_str("the certificate"),
            Self::ClaimFile => out.write_str("the claim file in it"),
            Self::Proof => out.write_str("the proof"),
            Self::Source(index) => write!(out, "source {index} of the proof"),
        }
    }
}

/// A certificate that is not accepted: why, where, and a sentence about it.
///
/// ```
/// use dpcmp_check::check;
/// let certificate = std::fs::read_to_string("examples/answers.json")?;
/// let forged = certificate.replace("delta(0) <= 1/2", "delta(0) <= 1/9");
/// let rejected = check(forged.as_bytes(), &Default::default()).unwrap_err();
/// assert_eq!(rejected.to_string(), "statement: what the claim file claims is: delta(0) <= 1/2, adjacency add-remove");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejected {
    /// Why.
    pub reason: Reason,
    /// Where.
    pub place: Place,
    /// The reason as a sentence, for people: on one line.
    pub detail: String,
}

impl Rejected {
    pub(crate) fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, place: Place::Certificate, detail: detail.into() }
    }

    /// Names the place, unless it is known better already.
    pub(crate) fn at(mut self, place: Place) -> Self {
        if self.place == Place::Certificate {
            self.place = place;
        }
        self
    }

    pub(crate) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(Reason::Malformed, detail)
    }

    /// Larger than this program is willing to work on.
    pub(crate) fn limit(detail: impl Into<String>) -> Self {
        Self::new(Reason::Limit, detail)
    }

    pub(crate) fn uncovered(what: &str) -> Self {
        Self::new(Reason::NoCertificateYet, format!("no certificate yet for {what}"))
    }

    pub(crate) fn unproved(detail: impl Into<String>) -> Self {
        Self::new(Reason::Unproved, detail)
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.reason, self.detail)
    }
}

impl std::error::Error for Rejected {}

impl From<std::io::Error> for Rejected {
    fn from(error: std::io::Error) -> Self {
        Self::new(Reason::Unreadable, error.to_string())
    }
}

/// Text of a file as it may be shown: on one line, in at most so many columns, and nothing in it moves the cursor, turns the
/// direction of reading or cannot be seen. Blanks in a row become one, so that none of it can be moved to another place.
///
/// ```
/// use dpcmp_check::one_line;
/// assert_eq!(one_line("A title\n  proved     all of it", 80), "A title proved all of it");
/// assert_eq!(one_line("A long title", 6), "A lon…");
/// ```
pub fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain: String = words.join(" ").chars().map(|c| if misleads(c) { '?' } else { c }).collect();
    if plain.chars().map(columns).sum::<usize>() <= most {
        return plain;
    }
    let (mut out, mut room) = (String::new(), most.saturating_sub(1));
    for c in plain.chars() {
        match room.checked_sub(columns(c)) {
            Some(rest) => room = rest,
            None => break,
        }
        out.push(c);
    }
    out + "…"
}

/// Columns of a terminal that a character may take.
pub(crate) fn columns(c: char) -> usize {
    if c.is_ascii() || matches!(c, '…') { 1 } else { 2 }
}

/// Control characters; directions and separators of Unicode; what takes room or none and shows nothing.
fn misleads(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
