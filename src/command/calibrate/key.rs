//! Parameters that can be solved for.

use rug::Rational;

/// A parameter, the end of its range that is the more private, and the other end.
#[derive(Debug, Clone)]
pub struct Key {
    /// As in a mechanism file.
    pub name: String,
    /// Where the mechanism is most private.
    pub private: Rational,
    /// Where it is least private.
    pub leaky: Rational,
    /// A usual value.
    pub start: Rational,
    /// Whole numbers only.
    pub is_whole: bool,
}

/// Parameters of which larger values are more private: more noise of the same kind is post-processing of less.
const NOISE: [&str; 3] = ["noise-multiplier", "sigma", "scale"];

/// Parameters of which smaller values are more private, with their largest value and a usual one.
const LEAKS: [(&str, u64, (u32, u32)); 8] = [
    ("sample-rate", 1, (1, 100)),
    ("rate", 1, (1, 100)),
    ("steps", 1_000_000_000_000, (1000, 1)),
    ("epsilon", 1_000, (1, 1)),
    ("mu", 1_000, (1, 1)),
    ("rho", 1_000_000, (1, 1)),
    ("delta", 1, (1, 1000)),
    ("sensitivity", 1_000_000, (1, 1)),
];

impl Key {
    /// The parameter of that name; `None` where it is not known which way privacy goes.
    pub fn new(name: &str, is_whole: bool) -> Option<Self> {
        let tiny = Rational::from((1, 1_000_000_000_000u64));
        let of = |private, leaky, start| Self {
            name: name.to_owned(),
            private,
            leaky,
            start,
            is_whole,
        };
        if NOISE.contains(&name) {
            let least = Rational::from((1, 1_000));
            return Some(of(
                Rational::from(1_000_000_000u64),
                least,
                Rational::from(1),
            ));
        }
        let (_, most, start) = LEAKS.iter().find(|(leak, ..)| *leak == name)?;
        let least = if is_whole { Rational::from(1) } else { tiny };
        Some(of(least, Rational::from(*most), Rational::from(*start)))
    }

    /// The names, for messages.
    pub fn names() -> String {
        let leaks = LEAKS.iter().map(|(name, ..)| *name);
        NOISE
            .into_iter()
            .chain(leaks)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Are larger values more private?
    pub fn grows_private(&self) -> bool {
        self.private > self.leaky
    }
}
