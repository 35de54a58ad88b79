//! What a mechanism is made of, as the proofs see it: steps, each a pair (P without the record, Q with it) or a class of pairs.

use std::cmp::Ordering;

use crate::numbers::number;
use crate::*;

/// A privacy loss, exactly: a number, or the logarithm of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Epsilon {
    /// ε
    Plain(BigRational),
    /// log u, given as u > 0.
    LogOf(BigRational),
}

impl Epsilon {
    /// A number (`1/3`), or the logarithm of one (`log 2`).
    pub(crate) fn read(text: &str) -> Result<Self> {
        match text.strip_prefix("log ") {
            None => Ok(Self::Plain(number(text)?)),
            Some(odds) => {
                let odds = Some(number(odds)?).filter(Signed::is_positive).map(Self::LogOf);
                Reason::Malformed.unless(odds, "the logarithm of a number that is not positive")
            }
        }
    }

    /// How two compare that are known in the same way, or are both 0. (Else a logarithm of a fraction is no fraction.)
    pub(crate) fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Plain(a), Self::Plain(b)) | (Self::LogOf(a), Self::LogOf(b)) => Some(a.cmp(b)),
            _ => (self.is_zero() && other.is_zero()).then_some(Ordering::Equal),
        }
    }

    /// Is it the same number?
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.order(other) == Some(Ordering::Equal)
    }

    /// An enclosure of ε.
    pub(crate) fn log(&self) -> Result<Real> {
        match self {
            Self::Plain(epsilon) => Ok(Real::of(epsilon)),
            Self::LogOf(odds) => Real::of(odds).ln(),
        }
    }

    /// An enclosure of e^ε.
    pub(crate) fn exp(&self) -> Result<Real> {
        match self {
            Self::Plain(epsilon) => Real::of(epsilon).exp(),
            Self::LogOf(odds) => Ok(Real::of(odds)),
        }
    }

    /// ε or e^ε, whichever is given.
    pub(crate) fn number(&self) -> &BigRational {
        match self {
            Self::Plain(x) | Self::LogOf(x) => x,
        }
    }

    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Self::Plain(epsilon) => epsilon.is_zero(),
            Self::LogOf(odds) => odds.is_one(),
        }
    }

    pub(crate) fn is_negative(&self) -> bool {
        match self {
            Self::Plain(epsilon) => epsilon.is_negative(),
            Self::LogOf(odds) => *odds < BigRational::one(),
        }
    }

    /// nε
    pub(crate) fn times(&self, n: u64) -> Result<Self> {
        Ok(match self {
            Self::Plain(epsilon) => Self::Plain(epsilon * BigInt::from(n)),
            Self::LogOf(odds) => {
                spend_on_bits((odds.numer().bits() + odds.denom().bits()).saturating_mul(n))?;
                Self::LogOf(num_traits::pow(odds.clone(), usize::try_from(n).unwrap_or(usize::MAX)))
            }
        })
    }

    /// −ε
    pub(crate) fn negated(&self) -> Self {
        match self {
            Self::Plain(epsilon) => Self::Plain(-epsilon),
            Self::LogOf(odds) => Self::LogOf(odds.recip()),
        }
    }
}

/// Which law noise has; on the integers shifts are whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // a variant's line tells its fields
pub enum Noise {
    /// N(0, 1); a shift of 1 stands for μ, `square` is μ² > 0.
    Gaussian { square: BigRational },
    /// Density e^(−|x|)/2; a shift of 1 stands for the distance `unit` > 0.
    Laplace { unit: BigRational },
    /// Mass in proportion to e^(−k²/(2σ²)) on the integers, `square` = σ², and the sum of so many `parties`, independent of each other.
    DiscreteGaussian { square: BigRational, parties: u64 },
    /// Mass in proportion to e^(−|k|/scale) on the integers, `scale` > 0.
    DiscreteLaplace { scale: BigRational },
    /// The same on the integers from −`last` to `last` ≥ 1.
    Truncated { scale: BigRational, last: u64 },
    /// The difference of two Poisson variables of this `mean` > 0.
    Skellam { mean: BigRational },
}

/// Reports of users in an order that tells nothing, each of odds e^ε: what is above or below them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // a variant's line tells its fields
pub enum Reports {
    /// Above those of any randomiser.
    Clones,
    /// Above randomised response of so many `answers`, at least 2.
    Blanket { answers: u64 },
    /// Below it, of at least 3 `answers`: all others hold a third value.
    ThirdValue { answers: u64 },
    /// Below it, of two answers: all others hold the value of Q, and the reports of it are counted.
    OneValue,
}

/// A law on finitely many numbers: (weight, shift), weights > 0 that add up to 1, shifts ≥ 0 that increase.
pub type Shifts = Vec<(BigRational, BigRational)>;

/// Steps that are independent, each with how often it runs.
pub type Parts = Vec<(Step, u64)>;

/// One step of a composition, as its dominating pair (P without the record, Q with it).
///
/// ```
/// use dpcmp_check::Step;
/// let step = Step::Laplace { epsilon: dpcmp_check::BigRational::new(1.into(), 2.into()) };
/// assert_eq!(step.to_string(), "Laplace noise of epsilon = 1/2");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)] // a variant's line tells its fields
pub enum Step {
    /// N(0, 1) against N(μ, 1), `square` = μ².
    Gaussian { square: BigRational },
    /// Laplace noise, `epsilon` = sensitivity/scale.
    Laplace { epsilon: BigRational },
    /// k answers, the true one with odds e^ε against each other one, ε ≥ 0.
    Response { epsilon: Epsilon, k: BigInt },
    /// Such an answer with the record, and a uniform one of the k without it.
    ResponseOrUniform { epsilon: Epsilon, k: BigInt },
    /// Two probability vectors, `p` without the record and `q` with it.
    Finite { p: Vec<BigRational>, q: Vec<BigRational> },
    /// The best of several `runs` of two probability vectors, the worst outcomes first.
    Selected { runs: Runs, p: Vec<BigRational>, q: Vec<BigRational> },
    /// The pair that dominates all mechanisms with δ(ε) ≤ δ at these points (ε, δ) in both orders: at least one, δ in [0, 1].
    Guarantee { points: Vec<(Epsilon, BigRational)> },
    /// All mechanisms that are ρ-zCDP, ρ ≥ 0.
    Zcdp { rho: BigRational },
    /// All mechanisms with these Rényi guarantees in both orders: (order > 1, ε ≥ 0), at least one.
    Rdp { orders: Vec<(BigRational, BigRational)> },
    /// Noise under P moved down by `without`, under Q up by `with`.
    Shifted { noise: Noise, without: Shifts, with: Shifts },
    /// Steps on a Poisson sample of a `rate` r in (0, 1): P without the record, (1 − r)·P + r·Q with it.
    Sampled { rate: BigRational, of: Parts },
    /// One of at least two compositions by chance, and the output says which: (weight > 0, what runs). Weights add up to 1.
    Labelled { of: Vec<(BigRational, Parts)> },
    /// One of several candidates, by its score: the largest profile over all scores, where the log-odds of two candidates change by at most `epsilon` > 0;
    /// permute-and-flip (`is_flip`), or the exponential mechanism.
    Choice { epsilon: Epsilon, is_flip: bool },
    /// A key that only the dataset with the record has: released where noise (a shift of 1 stands for 1) is above a `place` (on the integers, or there).
    Released { noise: Noise, place: BigRational },
    /// The largest of several `answers` with Gaussian noise, `square` = σ², one of which is moved: by 2 with the record, by `without` else.
    Largest { square: BigRational, answers: u64, without: u64 },
    /// A report, ε > 0, among those of so many `others`, at least 1; `of` is which bound of them.
    Shuffled { of: Reports, others: u64, epsilon: Epsilon },
    /// At every u the worst of several pairs, some of them turned around (`true`): one alone is that pair.
    Worst { of: Vec<(bool, Step)> },
}

impl Step {
    /// Gaussian noise on a Poisson sample.
    #[cfg(test)]
    pub(crate) fn sampled_gaussian(square: BigRational, rate: BigRational) -> Self {
        Self::Sampled { rate, of: vec![(Self::Gaussian { square }, 1)] }
    }

    /// Is it the worst of many datasets at every u, and the pair of none? Then one run attains each value of δ, and nothing else is known to be attained.
    pub(crate) fn is_worst_case(&self) -> bool {
        self.nature().0
    }

    /// Are (P, Q) and (Q, P) equally informative?
    pub(crate) fn is_symmetric(&self) -> bool {
        self.nature().1
    }

    /// Is it the worst of many datasets; is it symmetric?
    fn nature(&self) -> (bool, bool) {
        let any_and_all = |steps: &mut dyn Iterator<Item = &Self>| {
            steps
                .map(Self::nature)
                .fold((false, true), |(any, all), (is_worst, is_alike)| (any | is_worst, all & is_alike))
        };
        match self {
            Self::Gaussian { .. } | Self::Laplace { .. } | Self::Response { .. } | Self::Guarantee { .. } => {
                (false, true)
            }
            Self::Zcdp { .. } | Self::Rdp { .. } => (false, true),
            Self::Finite { p, q } => (false, p == q),
            Self::ResponseOrUniform { .. } | Self::Selected { .. } | Self::Released { .. } => (false, false),
            // Turned around, what was moved down is moved up.
            Self::Shifted { without, with, .. } => (false, without == with || (without.len() == 1 && with.len() == 1)),
            Self::Shuffled { of, .. } => (false, !matches!(of, Reports::OneValue)),
            Self::Choice { .. } => (true, true),
            Self::Largest { .. } => (true, false),
            Self::Sampled { of, .. } => (any_and_all(&mut of.iter().map(|(step, _)| step)).0, false),
            Self::Labelled { of } => any_and_all(&mut of.iter().flat_map(|(_, parts)| parts).map(|(step, _)| step)),
            Self::Worst { of } => of.iter().fold((of.len() > 1, true), |(any, all), (is_turned, step)| {
                let (is_worst, is_alike) = step.nature();
                (any | is_worst, all & (is_alike || of.contains(&(!is_turned, step.clone()))))
            }),
        }
    }

    /// Is it a class of Rényi guarantees, on a sample or not?
    pub(crate) fn is_class(&self) -> bool {
        match self {
            Self::Sampled { of, .. } => matches!(of.as_slice(), [(step, _)] if step.is_class()),
            step => matches!(step, Self::Zcdp { .. } | Self::Rdp { .. }),
        }
    }

    /// Counts work on each of the whole numbers that it is made of, so many times; a decimal digit has less than 4 bits.
    pub(crate) fn spend(&self, times: usize) -> Result<()> {
        let text = format!("{self:?}");
        let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
        let halves = numbers.map(|digits| u64::try_from(digits.len() / 2).unwrap_or(u64::MAX));
        spend_each(times, halves.fold(0, |sum, n| n.saturating_mul(n).saturating_add(20).saturating_add(sum)))
    }
}

/// Independent steps, or a bound of all that is stated with some of what is.
///
/// What is stated reveals at most what `steps` do, all together. Where `members` is empty they are attained: what is claimed is claimed of them.
/// Otherwise a true claim is proved of the steps, a false one of a member.
#[derive(Debug)]
pub struct Mechanism {
    /// Gaussian steps are one, Σ μ² of their μ, and come first; equal steps are one entry.
    pub steps: Parts,
    /// Compositions that are among what is stated.
    pub members: Vec<Parts>,
    pub adjacency: Adjacency,
}

impl Mechanism {
    /// Is f that of one pair, or of a choice, whose least curve is convex (J4 of `README.md`)? The least of those of many datasets need not be (M8).
    pub fn has_convex_curve(&self) -> bool {
        matches!(self.steps.as_slice(), [(Step::Choice { .. }, 1)])
            || !self.steps.iter().any(|(step, _)| step.is_worst_case())
    }

    /// Are (P, Q) and (Q, P) equally informative?
    pub fn is_symmetric(&self) -> bool {
        self.steps.iter().all(|(step, _)| step.is_symmetric())
    }
}
