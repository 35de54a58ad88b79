//! Mechanisms made of others: on samples and batches, with labels, in groups, in a row.

use rug::Rational;

use super::best_of_runs::Runs;
use super::domain::{OutOfRange, exact};
use super::kind::{
    Composition, CountNoise, Group, Histogram, MatrixFactorization, Mixture, NoiseThreshold,
    PrivateSelection, RandomAllocation, Releases, Schedule, Shuffled, ShuffledBatches, Strategy,
    Subsampled, TreeAggregation,
};
use super::model::Mechanism;
use crate::number::Exact;

impl Mechanism {
    /// A histogram with noise on every count; `of` is the noise of one cell.
    ///
    /// # Errors
    /// If `of` is no noise.
    pub fn histogram(of: Self) -> Result<Self, OutOfRange> {
        Self::new(Histogram::new(of)?)
    }

    /// One of several mechanisms, drawn with these probabilities; the output says which.
    ///
    /// # Errors
    /// If the probabilities do not add up to 1.
    pub fn mixture(of: Vec<(Rational, Self)>) -> Result<Self, OutOfRange> {
        Self::new(Mixture::new(of)?)
    }

    /// A mechanism where so many records change together, as those of one user do.
    ///
    /// # Errors
    /// If there is no record, or what a group reveals is not known for `of`.
    pub fn group(records: u64, of: Self) -> Result<Self, OutOfRange> {
        Self::new(Group::new(records, of)?)
    }

    /// A mechanism on a Poisson sample of `rate` in (0, 1].
    ///
    /// # Errors
    /// If the rate is out of its range.
    pub fn subsampled(rate: impl Exact, of: Self) -> Result<Self, OutOfRange> {
        Self::new(Subsampled::new(exact("rate", rate)?, of)?)
    }

    /// A mechanism on a Poisson sample of `rate` in (0, 1] among `dataset_size` records (of the larger dataset), cut down to a
    /// uniform choice of `max_batch` records where more were drawn.
    ///
    /// # Errors
    /// If a number is out of its range, or `of` is no noise on a sum.
    pub fn truncated_poisson(
        rate: impl Exact,
        dataset_size: u64,
        max_batch: u64,
        of: Self,
    ) -> Result<Self, OutOfRange> {
        let rate = exact("rate", rate)?;
        Self::new(Subsampled::truncated(rate, dataset_size, max_batch, of)?)
    }

    /// A mechanism on a batch of `batch_size` of `dataset_size` records, drawn without replacement in each run.
    ///
    /// It has a meaning where a record is replaced, by any other one or by one that contributes nothing.
    ///
    /// # Errors
    /// If a number is out of its range, or `of` is no noise on a sum of records.
    ///
    /// # Examples
    /// ```
    /// use dpcmp::{Adjacency, Analysis, Mechanism, Precision, Query};
    ///
    /// let noise = Mechanism::gaussian_sum(1, 1)?;
    /// let step = Mechanism::without_replacement(1000, 100, noise)?;
    /// let analysis = Analysis::of(step).adjacency(Adjacency::ReplaceOne).prepare()?;
    /// // q(2Φ(1) − 1)
    /// let advantage = analysis.bound(&Query::advantage(), Precision::relative("1e-8")?)?;
    /// assert!(*advantage.lower() < 0.06826895 && *advantage.upper() > 0.06826894);
    /// # Ok::<(), dpcmp::Error>(())
    /// ```
    pub fn without_replacement(
        dataset_size: u64,
        batch_size: u64,
        of: Self,
    ) -> Result<Self, OutOfRange> {
        Self::new(Subsampled::without_replacement(
            dataset_size,
            batch_size,
            of,
        )?)
    }

    /// DP-SGD with batches from a fresh permutation in each of `epochs` epochs of `steps` steps, and Gaussian noise of
    /// `noise_multiplier > 0` times the record bound; every intermediate model is released.
    ///
    /// # Errors
    /// If a number is out of its range.
    ///
    /// # Examples
    /// ```
    /// use dpcmp::{Analysis, Claim, Mechanism};
    ///
    /// // As if it were Poisson sampling, ε = 0.98 at δ = 1e-6 would be reported.
    /// let run = Mechanism::shuffled_batches("0.7", 1000, 1)?;
    /// let analysis = Analysis::of(run).prepare()?;
    /// assert!(analysis.verify(&Claim::approx_dp("0.98", "1e-6")?)?.is_refuted());
    /// assert!(analysis.verify(&Claim::approx_dp("7.38", "1e-6")?)?.is_verified());
    /// # Ok::<(), dpcmp::Error>(())
    /// ```
    pub fn shuffled_batches(
        noise_multiplier: impl Exact,
        steps: u64,
        epochs: impl Exact,
    ) -> Result<Self, OutOfRange> {
        Self::new(ShuffledBatches::new(
            exact("noise-multiplier", noise_multiplier)?,
            steps,
            exact("epochs", epochs)?,
        )?)
    }

    /// `trees` binary trees of prefix sums, one after the other, of `steps` leaves each, with Gaussian noise of
    /// `noise_multiplier > 0` times the record bound in every node; in each tree a record is in at most
    /// `participations` leaves, the numbers of any two at least `min_separation` apart.
    ///
    /// # Errors
    /// If a number is out of its range.
    ///
    /// # Examples
    /// ```
    /// use dpcmp::{Analysis, Claim, Mechanism};
    ///
    /// // A leaf is in 10 nodes of a tree of 1023 steps.
    /// let trees = Mechanism::tree_aggregation("10", 1023, 1, 1, 1)?;
    /// let analysis = Analysis::of(trees).prepare()?;
    /// assert!(analysis.verify(&Claim::approx_dp("1", "1.1e-4")?)?.is_verified());
    /// # Ok::<(), dpcmp::Error>(())
    /// ```
    pub fn tree_aggregation(
        noise_multiplier: impl Exact,
        steps: u64,
        trees: u64,
        participations: u64,
        min_separation: u64,
    ) -> Result<Self, OutOfRange> {
        let noise = exact("noise-multiplier", noise_multiplier)?;
        Self::new(TreeAggregation::new(
            noise,
            steps,
            trees,
            participations,
            min_separation,
        )?)
    }

    /// The release of Cx + Z for a lower-triangular Toeplitz matrix C of `steps` steps, by its first column (zeros follow), and
    /// Gaussian noise Z of `noise_multiplier > 0` times the record bound; a record takes part in at most `participations`
    /// steps, the numbers of any two at least `min_separation` apart.
    ///
    /// # Errors
    /// If a number is out of its range, or the effect of a record is not known exactly.
    pub fn toeplitz_factorization(
        noise_multiplier: impl Exact,
        column: Vec<Rational>,
        steps: u64,
        participations: u64,
        min_separation: u64,
    ) -> Result<Self, OutOfRange> {
        let noise = exact("noise-multiplier", noise_multiplier)?;
        let schedule = Schedule::Spaced {
            participations,
            min_separation,
        };
        let strategy = Strategy::Toeplitz(column);
        Self::new(MatrixFactorization::new(
            noise, strategy, steps, schedule, false,
        )?)
    }

    /// Keys that are released where their count with noise passes a threshold; each record has at most `keys` keys, and adds at most
    /// `record_bound`, 1 if it is not stated, to the count of each.
    ///
    /// # Errors
    /// If a number is out of its range.
    #[doc(hidden)]
    pub fn noise_threshold(
        noise: CountNoise,
        threshold: impl Exact,
        releases: Releases,
        keys: u64,
        record_bound: Option<Rational>,
    ) -> Result<Self, OutOfRange> {
        let threshold = exact("threshold", threshold)?;
        Self::new(NoiseThreshold::new(
            noise,
            threshold,
            releases,
            keys,
            record_bound,
        )?)
    }

    /// Reports of so many users, each by `of`, in an order that tells nothing; `of` is any ε₀-DP randomiser, or randomised response.
    ///
    /// It is about one user who holds one value or another (`Adjacency::ReplaceOne`): one more report could be counted.
    ///
    /// # Errors
    /// If there is no user, or `of` is anything else.
    ///
    /// # Examples
    /// ```
    /// use dpcmp::{Adjacency, Analysis, Claim, Mechanism};
    ///
    /// let reports = Mechanism::shuffled(1_000_000, Mechanism::pure_dp(8)?)?;
    /// let analysis = Analysis::of(reports).adjacency(Adjacency::ReplaceOne).prepare()?;
    /// assert!(analysis.verify(&Claim::approx_dp("1/2", "1e-6")?)?.is_verified());
    /// # Ok::<(), dpcmp::Error>(())
    /// ```
    pub fn shuffled(users: u64, of: Self) -> Result<Self, OutOfRange> {
        Self::new(Shuffled::new(users, of)?)
    }

    /// A random number of runs of a mechanism, of which only the best outcome is released. `best_first` are the outcomes of a finite
    /// pair by their places; if it is empty their order is not known.
    ///
    /// # Errors
    /// If `best_first` is not an order of the outcomes, or what the selection reveals is not built.
    #[doc(hidden)]
    pub fn private_selection(runs: Runs, of: Self, best_first: &[u64]) -> Result<Self, OutOfRange> {
        Self::new(PrivateSelection::new(runs, of, best_first)?)
    }

    /// `steps` runs of a mechanism, `epochs` times; each record takes part in `selected` of the steps of an epoch, drawn at random.
    ///
    /// # Errors
    /// If a number is out of its range, or what this reveals is not known for `of`.
    ///
    /// # Examples
    /// ```
    /// use dpcmp::{Analysis, Claim, Mechanism};
    ///
    /// let run = Mechanism::random_allocation(100, 1, 1, Mechanism::gaussian_sum(1, 1)?)?;
    /// let analysis = Analysis::of(run).prepare()?;
    /// assert!(analysis.verify(&Claim::approx_dp("2", "1e-5")?)?.is_verified());
    /// # Ok::<(), dpcmp::Error>(())
    /// ```
    pub fn random_allocation(
        steps: u64,
        selected: u64,
        epochs: u64,
        of: Self,
    ) -> Result<Self, OutOfRange> {
        Self::new(RandomAllocation::new(steps, selected, epochs, of)?)
    }

    /// Several mechanisms, each so many times.
    ///
    /// # Errors
    /// If there is none, one runs 0 times, or there are 2^64 steps or more.
    pub fn compose(of: Vec<(Self, u64)>) -> Result<Self, OutOfRange> {
        Self::new(Composition::new(of)?)
    }
}
