//! What a proof takes for granted, in words.

use crate::reason::words;

words! {
    /// What a proof takes for granted: the statement is proved provided this is true.
    ///
    /// ```
    /// use dpcmp_check::Condition;
    /// assert_eq!(Condition::PoissonSampling.to_string(), "batches are Poisson-sampled");
    /// ```
    #[non_exhaustive]
    Condition:
    /// The claim file describes the mechanism.
    ClaimFile = "the mechanism is the one that the claim file describes",
    /// No floating-point noise.
    RealNoise = "its noise is real-valued: effects of floating-point arithmetic are not modelled",
    /// Batches are Poisson-sampled.
    PoissonSampling = "batches are Poisson-sampled",
    /// What is proved is of the least private mechanisms with a guarantee.
    Guarantee = "what is said is of the least private mechanisms with the stated guarantee, in both orders of the pair: others reveal no more",
    /// Records take part in no more steps than stated.
    LimitedParticipation = "every record takes part in no more steps, and no closer ones, than stated, with `epochs` once in each and always at the same place, whoever else is there",
    /// Of batches that are too large a part stays.
    TruncatedBatches = "of a batch that is too large, a uniform choice of the largest size stays; with zero-out the special record can be chosen, too",
    /// Batches of a fixed size are uniform choices.
    FixedBatches = "every batch is a uniform choice of its size, independent of the others",
    /// Batches come from a fresh permutation in every epoch.
    ShuffledBatches = "batches are parts of a fresh permutation in every epoch, a record that is absent leaves its place in its batch empty, and every model is released",
    /// The steps of a record are drawn at random.
    RandomAllocation = "the steps of each record are drawn at random, uniformly, anew in every epoch and for each record by itself",
    /// Only the best of a random number of runs is released.
    RandomRuns = "the number of runs is drawn before they are looked at, only equal outcomes tie, and only the best one is released, by whichever ranking reveals most where none is stated",
    /// All users report alike, to a shuffler.
    ShuffledReports = "all users run the same randomiser, what is stated of it holds between any two values, special ones too, and nobody can tell whose report is whose",
    /// The records of a group are all there, or none of them is.
    Together = "the records of a group are all there, or none of them is",
    /// All records of a group may be replaced.
    Exchanged = "of a group all records may be replaced, each by another",
    /// A record adds to a cell of a histogram, or to keys.
    Counts = "a record adds to one cell of a histogram, or to the counts of its keys, and takes nothing away",
    /// A sample holds all records of a group, or none of them.
    SampledGroups = "a sample holds all records of a group, or none of them, and its sizes count groups",
    /// A record that does not take part in a step answers as one that is not there.
    SampledResponses = "a record that does not take part in a step answers in it as one that is not there, or is special; where records are replaced, in the way that reveals most",
    /// A special record is answered for uniformly.
    SpecialResponses = "a special record is answered for at random, every answer as likely as any other",
    /// Any number of other records may share a released key.
    SharedKeys = "any number of other records may share a released key",
    /// A regret, or a divergence from a class, is that of its least private mechanisms.
    LeastPrivate = "a regret, and a divergence from what is stated by a guarantee, is that of the least private mechanisms, and can be larger for others",
}
