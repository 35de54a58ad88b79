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
    /// What stands beyond the less private end.
    pub last: Last,
    /// A usual value.
    pub start: Rational,
    /// Whole numbers only.
    pub is_whole: bool,
}

/// What stands beyond the less private end of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Last {
    /// Nothing: no mechanism has a value beyond it.
    OfAll,
    /// Values that are looked at, up to this one, if the end itself meets the target.
    UpTo(Rational),
}

/// Parameters of which larger values are more private: more noise of the same kind is post-processing of less.
///
/// A key is released more rarely above a larger threshold. Skellam noise of mean m + m' is that of mean m, and more of mean m'.
const NOISE: [&str; 5] = ["noise-multiplier", "sigma", "scale", "mean", "threshold"];

/// Whole numbers of which larger ones are more private, with the largest of all and a usual one: participations farther apart are among those that may
/// be closer.
const SPACING: [(&str, u64, u32); 1] = [("min-separation", 1_000_000_000_000, 10)];

/// Parameters of which smaller values are more private, with their largest value, whether it is the largest of all, and a usual one.
///
/// Fewer steps or epochs, and fewer trees, are a part of what more of them release; a smaller batch is a smaller rate (where the number of epochs is
/// given there are more of them, and nothing is solved for); what a record may do in fewer participations it may in more, and
/// what fewer records may do together more may, as records may contribute nothing. Sampling at the rate rq is post-processing of sampling at the rate q: with
/// P_q = (1 − q)Q + qP, P_rq = (1 − r)Q + rP_q, which is the output, replaced by a fresh one of Q with probability 1 − r. The
/// classes of ε, μ, ρ and δ grow with these.
///
/// What is post-processing of a part, or a part of what it releases, is so of the composition, histogram, mixture, group or sample around it. Of a group
/// on samples at a smaller rate fewer records take part (a binomial number is smaller in the stochastic order), and of noise on a sum, and of guarantees,
/// the best tests of all numbers of records are the same ones, whose power grows with the number; so it does for a group of replaced records on both sides.
const LEAKS: [(&str, u64, bool, (u32, u32)); 20] = [
    ("sample-rate", 1, true, (1, 100)),
    ("rate", 1, true, (1, 100)),
    ("steps", 1_000_000_000_000, true, (1000, 1)),
    ("times", 1_000_000_000_000, true, (10, 1)),
    ("epochs", 1_000_000, false, (10, 1)),
    ("batch-size", 1_000_000_000_000, true, (256, 1)),
    ("participations", 1_000_000_000_000, true, (2, 1)),
    ("restarts", 1_000_000_000_000, true, (2, 1)),
    ("records", 1_000_000_000_000, false, (2, 1)),
    ("keys", 1_000_000, true, (1, 1)),
    ("epsilon", 1_000, false, (1, 1)),
    ("mu", 1_000, false, (1, 1)),
    ("eta", 1_000, false, (1, 1)),
    ("mu-squared", 1_000_000, false, (1, 1)),
    ("rho", 1_000_000, false, (1, 1)),
    ("delta", 1, true, (1, 1000)),
    ("sensitivity", 1_000_000, false, (1, 1)),
    ("record-bound", 1_000_000, false, (1, 1)),
    ("l2-sensitivity", 1_000_000, false, (1, 1)),
    ("l2-record-bound", 1_000_000, false, (1, 1)),
];

/// How much farther the search goes than the end of the range, if need be.
const FARTHER: u32 = 1_000;

/// The key at the end of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

impl Key {
    /// The parameter of that name, or of a mechanism within (`of.sigma`); `None` where it is not known which way privacy goes.
    pub fn new(path: &str, is_whole: bool) -> Option<Self> {
        let name = last(path);
        let tiny = Rational::from((1, 1_000_000_000_000u64));
        let of = |private, leaky, last, start| Self {
            name: path.to_owned(),
            private,
            leaky,
            last,
            start,
            is_whole,
        };
        if NOISE.contains(&name) {
            let least = Rational::from((1, 1_000));
            let last = Last::UpTo(Rational::from(&least / FARTHER));
            return Some(of(
                Rational::from(1_000_000_000u64),
                least,
                last,
                Rational::from(1),
            ));
        }
        if let Some((_, private, start)) = SPACING.iter().find(|(spacing, ..)| *spacing == name) {
            let one = Rational::from(1);
            return Some(of(
                Rational::from(*private),
                one,
                Last::OfAll,
                Rational::from(*start),
            ));
        }
        let (_, most, is_last, start) = LEAKS.iter().find(|(leak, ..)| *leak == name)?;
        let least = if is_whole { Rational::from(1) } else { tiny };
        let most = Rational::from(*most);
        let last = if *is_last {
            Last::OfAll
        } else {
            Last::UpTo(Rational::from(&most * FARTHER))
        };
        Some(of(least, most, last, Rational::from(*start)))
    }

    /// The names, for messages.
    pub fn names() -> String {
        let spacing = SPACING.iter().map(|(name, ..)| *name);
        let leaks = LEAKS.iter().map(|(name, ..)| *name);
        NOISE
            .into_iter()
            .chain(spacing)
            .chain(leaks)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The same, if no mechanism has a value beyond this one.
    #[must_use]
    pub fn ending_at(self, last: Rational) -> Self {
        Self {
            start: self.start.min(last.clone()),
            leaky: last,
            last: Last::OfAll,
            ..self
        }
    }

    /// Are larger values more private?
    pub fn grows_private(&self) -> bool {
        self.private > self.leaky
    }
}
