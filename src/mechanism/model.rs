//! A mechanism: a value of some kind whose numbers lie in their ranges, and its normal form.

use std::fmt;
use std::sync::Arc;

use rug::Rational;

use super::adjacency::Relation;
use super::best_of_runs::Runs;
use super::domain::{OutOfRange, Why, exact};
use super::epsilon::ExactEpsilon;
use super::finite::FiniteLaw;
use super::kind::{
    ApproxDp, Composition, CountNoise, DiscreteGaussian, DiscreteLaplace, Exponential, Finite,
    Gaussian, GaussianMixture, Gdp, Group, Histogram, Kind, Laplace, MatrixFactorization, Mixture,
    NoiseThreshold, Parameter, PermuteAndFlip, PrivateSelection, Profile, PureDp, RandomAllocation,
    RandomizedResponse, Rdp, Releases, Schedule, ScoreRange, Sensitivity, Shuffled,
    ShuffledBatches, Skellam, Strategy, Subsampled, TopK, TreeAggregation, Zcdp,
};
use super::steps::Steps;
use crate::kernel;
use crate::number::Exact;

/// A mechanism, or a class of mechanisms known only by a guarantee. An invalid one cannot exist.
#[derive(Clone)]
pub struct Mechanism(Arc<Described>);

struct Described {
    kind: Kind,
    relation: Relation,
    steps: Steps,
}

impl Mechanism {
    /// A mechanism of some kind, under the presence or absence of a record, or else the first relation in which it has a meaning.
    ///
    /// # Errors
    /// If it consists of more than 2^64 steps, or has no meaning at all.
    #[doc(hidden)]
    pub fn new(kind: impl Into<Kind>) -> Result<Self, OutOfRange> {
        let kind = kind.into();
        let first = match kind.described().steps(Relation::Presence) {
            Ok(steps) => return Ok(Self::described(kind, Relation::Presence, steps)),
            Err(error) => error,
        };
        let others = [Relation::ReplaceOne, Relation::ReplaceSpecial];
        let found = others
            .into_iter()
            .find_map(|relation| Some((relation, kind.described().steps(relation).ok()?)));
        match found {
            Some((relation, steps)) if first.why() == Why::Unsupported => {
                Ok(Self::described(kind, relation, steps))
            }
            _ => Err(first),
        }
    }

    /// The same mechanism, and its pair under this relation.
    ///
    /// # Errors
    /// If it has no meaning under the relation as it is stated.
    #[doc(hidden)]
    pub fn under(&self, relation: Relation) -> Result<Self, OutOfRange> {
        if relation == self.0.relation {
            return Ok(self.clone());
        }
        let kind = self.0.kind.clone();
        let steps = kind.described().steps(relation)?;
        Ok(Self::described(kind, relation, steps))
    }

    /// Some of the mechanisms that are stated, and one that reveals no less than any of them, where none of those is that one.
    pub(crate) fn bracket(&self) -> Option<(Vec<Self>, Self)> {
        let with = |steps| Self::described(self.0.kind.clone(), self.0.relation, steps);
        let members = self.steps().members().iter().cloned().map(with);
        let most = self.steps().most();
        self.steps()
            .is_bound()
            .then(|| (members.collect(), with(most)))
    }

    fn described(kind: Kind, relation: Relation, steps: Steps) -> Self {
        Self(Arc::new(Described {
            kind,
            relation,
            steps,
        }))
    }

    /// What it is.
    #[doc(hidden)]
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// What happens to a record in the pair that its normal form is about.
    #[doc(hidden)]
    pub fn relation(&self) -> Relation {
        self.0.relation
    }

    /// Its normal form under [`Mechanism::relation`].
    #[doc(hidden)]
    pub fn steps(&self) -> &Steps {
        &self.0.steps
    }

    /// The profile of its pair, if it is one step with a closed form.
    #[doc(hidden)]
    pub fn profile_of_step(&self) -> Option<Arc<dyn kernel::Profile>> {
        self.steps().single()?.profile()
    }

    /// The law of its loss, if it is one step with finitely many losses.
    #[doc(hidden)]
    pub fn finite_law(&self) -> Option<&Arc<FiniteLaw>> {
        self.steps().single()?.finite_law()
    }

    /// The mechanism in a few words.
    pub fn words(&self) -> String {
        self.0.kind.described().words()
    }

    /// The keys, beside `kind`, of a file that says the same.
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "only what prints and asks needs it")
    )]
    pub(crate) fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        self.0.kind.described().parameters()
    }

    /// Gaussian noise of standard deviation `sigma > 0` on a query of `sensitivity > 0`.
    ///
    /// # Errors
    /// If a number is out of its range, as for all kinds below.
    pub fn gaussian(sigma: impl Exact, sensitivity: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(Gaussian::new(
            exact("sigma", sigma)?,
            exact("sensitivity", sensitivity)?,
        )?)
    }

    /// Gaussian noise of standard deviation `sigma > 0` on a sum of records of norm at most `record_bound > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gaussian_sum(sigma: impl Exact, record_bound: impl Exact) -> Result<Self, OutOfRange> {
        let bound = exact("record-bound", record_bound)?;
        Self::new(Gaussian::new(
            exact("sigma", sigma)?,
            Sensitivity::RecordBound(bound),
        )?)
    }

    /// Gaussian noise given by μ² = (sensitivity/σ)² > 0, which is rational also where σ is not.
    ///
    /// # Errors
    /// If the number is out of its range.
    pub fn gaussian_with_mu_squared(mu_squared: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(Gaussian::with_mu_squared(exact("mu-squared", mu_squared)?)?)
    }

    /// Laplace noise of `scale > 0` on a query of `sensitivity > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn laplace(scale: impl Exact, sensitivity: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(Laplace::new(
            exact("scale", scale)?,
            exact("sensitivity", sensitivity)?,
        )?)
    }

    /// Laplace noise of `scale > 0` on a sum of records of L1 norm at most `record_bound > 0`.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn laplace_sum(scale: impl Exact, record_bound: impl Exact) -> Result<Self, OutOfRange> {
        let bound = exact("record-bound", record_bound)?;
        Self::new(Laplace::new(
            exact("scale", scale)?,
            Sensitivity::RecordBound(bound),
        )?)
    }

    /// Laplace noise on the integers.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn discrete_laplace(scale: impl Exact, sensitivity: u64) -> Result<Self, OutOfRange> {
        Self::new(DiscreteLaplace::new(exact("scale", scale)?, sensitivity)?)
    }

    /// Gaussian noise on the integers.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn discrete_gaussian(sigma: impl Exact, sensitivity: u64) -> Result<Self, OutOfRange> {
        Self::new(DiscreteGaussian::new(exact("sigma", sigma)?, sensitivity)?)
    }

    /// The difference of two Poisson variables of this `mean > 0` each, on a whole number.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn skellam(mean: impl Exact, sensitivity: u64) -> Result<Self, OutOfRange> {
        Self::new(Skellam::new(exact("mean", mean)?, sensitivity)?)
    }

    /// Randomised response among `k ≥ 2` answers, with odds e^ε for the truth.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn randomized_response(epsilon: impl ExactEpsilon, k: u64) -> Result<Self, OutOfRange> {
        Self::new(RandomizedResponse::new(epsilon.exact_epsilon()?, k)?)
    }

    /// Every ε-DP mechanism.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn pure_dp(epsilon: impl ExactEpsilon) -> Result<Self, OutOfRange> {
        Self::new(PureDp::new(epsilon.exact_epsilon()?)?)
    }

    /// Every (ε, δ)-DP mechanism.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn approx_dp(epsilon: impl ExactEpsilon, delta: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(ApproxDp::new(
            epsilon.exact_epsilon()?,
            exact("delta", delta)?,
        )?)
    }

    /// Every μ-GDP mechanism.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gdp(mu: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(Gdp::new(exact("mu", mu)?)?)
    }

    /// Every |μ|-GDP mechanism, whose dominating pair has the trade-off function G_μ: for a μ that is known to be at least 0.
    pub(crate) fn gaussian_curve(mu: &Rational) -> Self {
        let gdp = Gdp::of_magnitude(mu);
        let steps = gdp.one_step();
        Self::described(gdp.into(), Relation::Presence, steps)
    }

    /// Every ρ-zCDP mechanism.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn zcdp(rho: impl Exact) -> Result<Self, OutOfRange> {
        Self::zcdp_with(rho, 0)
    }

    /// Every (ξ, ρ)-zCDP mechanism.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub(crate) fn zcdp_with(rho: impl Exact, xi: impl Exact) -> Result<Self, OutOfRange> {
        Self::new(Zcdp::new(exact("rho", rho)?, exact("xi", xi)?)?)
    }

    /// Every mechanism with these Rényi guarantees (order > 1, ε ≥ 0).
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn rdp(orders: Vec<(Rational, Rational)>) -> Result<Self, OutOfRange> {
        Self::new(Rdp::new(orders)?)
    }

    /// Two probability vectors: without the record, and with it.
    ///
    /// # Errors
    /// If they are none.
    pub fn finite(p: Vec<Rational>, q: Vec<Rational>) -> Result<Self, OutOfRange> {
        Self::new(Finite::new(p, q)?)
    }

    /// Every mechanism whose profile is at most these points (ε, δ).
    ///
    /// # Errors
    /// If a number is out of its range, or there is no such mechanism.
    pub fn profile<E: ExactEpsilon>(points: Vec<(E, Rational)>) -> Result<Self, OutOfRange> {
        let points = points
            .into_iter()
            .map(|(epsilon, delta)| Ok((epsilon.exact_epsilon()?, delta)))
            .collect::<Result<_, OutOfRange>>()?;
        Self::new(Profile::new(points)?)
    }

    /// Gaussian noise on a query that moves by one of several distances ≥ 0, with these probabilities.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn gaussian_mixture(
        sigma: impl Exact,
        shifts: Vec<Rational>,
        weights: Vec<Rational>,
    ) -> Result<Self, OutOfRange> {
        Self::new(GaussianMixture::new(
            exact("sigma", sigma)?,
            shifts,
            weights,
        )?)
    }

    /// The exponential mechanism, where a record changes the log-odds of two candidates by at most ε.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn exponential(epsilon: impl ExactEpsilon) -> Result<Self, OutOfRange> {
        Self::new(Exponential::new(ScoreRange::Epsilon(
            epsilon.exact_epsilon()?,
        ))?)
    }

    /// Permute-and-flip, where a record changes the log-odds of two acceptances by at most ε.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn permute_and_flip(epsilon: impl ExactEpsilon) -> Result<Self, OutOfRange> {
        Self::new(PermuteAndFlip::new(ScoreRange::Epsilon(
            epsilon.exact_epsilon()?,
        ))?)
    }

    /// The best `k ≥ 1` candidates with Gumbel noise, where a record changes the log-odds of two candidates by at most ε.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub fn top_k(epsilon: impl ExactEpsilon, k: u64) -> Result<Self, OutOfRange> {
        Self::new(TopK::new(ScoreRange::Epsilon(epsilon.exact_epsilon()?), k)?)
    }

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

impl PartialEq for Mechanism {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.relation == other.0.relation && self.0.kind == other.0.kind)
    }
}

impl Eq for Mechanism {}

impl fmt::Debug for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.fmt(f)
    }
}
