//! What a proof takes for granted, in words.

use std::fmt;

/// What a proof takes for granted: the statement is proved provided this is true.
///
/// ```
/// use dpcmp_check::Condition;
/// assert_eq!(Condition::PoissonSampling.to_string(), "batches are Poisson-sampled");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Condition {
    /// The claim file describes the mechanism.
    ClaimFile,
    /// No floating-point noise.
    RealNoise,
    /// Batches are Poisson-sampled.
    PoissonSampling,
    /// What is stated as a guarantee is one.
    Guarantee,
    /// Records take part in no more steps than stated.
    LimitedParticipation,
    /// Batches of a fixed size are uniform choices.
    FixedBatches,
    /// Batches come from a fresh permutation in every epoch.
    ShuffledBatches,
    /// The steps of a record are drawn at random.
    RandomAllocation,
    /// Only the best of a random number of runs is released.
    RandomRuns,
    /// All users report alike, to a shuffler.
    ShuffledReports,
    /// The records of a group are all there, or none of them is.
    Together,
    /// A sample holds all records of a group, or none of them.
    SampledGroups,
    /// A record that does not take part in a step answers as one that is not there.
    SampledResponses,
    /// A special record is answered for uniformly.
    SpecialResponses,
    /// Any number of other records may share a released key.
    SharedKeys,
    /// A regret is that of the least private mechanisms with a guarantee.
    LeastPrivate,
}

impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::ClaimFile => "the mechanism is the one that the claim file describes",
            Self::RealNoise => "its noise is real-valued: effects of floating-point arithmetic are not modelled",
            Self::PoissonSampling => "batches are Poisson-sampled",
            Self::Guarantee => "what is stated as a guarantee holds, in both orders of the pair",
            Self::LimitedParticipation => "every record takes part in no more steps, and no closer ones, than stated",
            Self::FixedBatches => "every batch is a uniform choice of its size, independent of the others",
            Self::ShuffledBatches => "batches are parts of a fresh permutation in every epoch, and every model is released",
            Self::RandomAllocation => "the steps of each record are drawn at random, uniformly and for each record by itself",
            Self::RandomRuns => {
                "the number of runs is drawn before they are looked at, only equal outcomes tie, and only the best one is released"
            }
            Self::ShuffledReports => {
                "all users run the same randomiser, what is stated of it holds between any two values, special ones too, and nobody can tell whose report is whose"
            }
            Self::Together => "the records of a group are all there, or none of them is",
            Self::SampledGroups => "a sample holds all records of a group, or none of them, and its sizes count groups",
            Self::SampledResponses => {
                "a record that does not take part in a step answers in it as one that is not there, or is special"
            }
            Self::SpecialResponses => "a special record is answered for at random, every answer as likely as any other",
            Self::SharedKeys => "any number of other records may share a released key",
            Self::LeastPrivate => {
                "a regret is that of the least private mechanisms with the stated guarantee, and can be larger for others"
            }
        })
    }
}
