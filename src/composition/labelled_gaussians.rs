//! Strict μ* of Gaussian noise in mixtures whose output says which part it came from.

use rug::{Integer, Rational};

use crate::mechanism::closed::ClosedPair;
use crate::mechanism::{Step, Steps};

/// Σ times·μ², where a mixture that says which part it came from counts as its largest part, if all parts of these are Gaussian, subsampled or not; mixtures may be in
/// mixtures, and on Poisson samples. `None` without a mixture.
///
/// *At most:* f(α) of a mixture is the least Σ w·f_i(α_i) with Σ w·α_i = α, so that f_i ≥ G_μ for all i gives f ≥ G_μ, which is convex; samples are post-processing, and
/// Gaussians compose. *At least:* with W > 0 the labels, the same under both hypotheses, are those of the largest parts, and with R > 0 all samples have the record: there is a test
/// of size W·Φ(−a) and power at least W·R·Φ(μ − a), for every a, which forces μ as a → ∞ (`proofs/README.md`, M8).
pub(super) fn labelled_gaussians(steps: &Steps) -> Option<Rational> {
    let is_labelled = |(step, _): &(Step, u64)| has_label(step);
    steps.list().iter().any(is_labelled).then_some(())?;
    largest_square(steps, false)
}

fn has_label(step: &Step) -> bool {
    match step {
        Step::Labelled(_) => true,
        Step::Sampled(sampled) => sampled.of().list().iter().any(|(step, _)| has_label(step)),
        Step::Gaussian { .. }
        | Step::Laplace { .. }
        | Step::DiscreteGaussian { .. }
        | Step::Finite(_)
        | Step::Zcdp { .. }
        | Step::Rdp { .. }
        | Step::Shifted(_)
        | Step::Closed(_) => false,
    }
}

/// See [`labelled_gaussians`]. `None` of bounds of many datasets.
fn largest_square(steps: &Steps, is_sampled: bool) -> Option<Rational> {
    if steps.is_bound() {
        return None;
    }
    let of = |step: &Step| match step {
        Step::Labelled(parts) => {
            let squares = parts.iter();
            let squares = squares.map(|(_, part)| largest_square(part, is_sampled));
            let squares: Vec<Rational> = squares.collect::<Option<_>>()?;
            squares.into_iter().max()
        }
        Step::Sampled(sampled) if *sampled.rate() > 0 => largest_square(sampled.of(), true),
        Step::Gaussian { mu_squared } => Some(mu_squared.clone()),
        // Post-processing of the noise without a batch, and no less than the same noise on a Poisson sample (`proofs/README.md`, W5).
        Step::Closed(ClosedPair::FixedBatches(batches)) if !is_sampled => {
            let Step::Gaussian { mu_squared } = batches.apart()? else {
                return None;
            };
            Some(mu_squared.clone())
        }
        Step::Sampled(_)
        | Step::Laplace { .. }
        | Step::DiscreteGaussian { .. }
        | Step::Finite(_)
        | Step::Zcdp { .. }
        | Step::Rdp { .. }
        | Step::Shifted(_)
        | Step::Closed(_) => None,
    };
    let mut steps = steps.list().iter();
    steps.try_fold(Rational::new(), |sum, (step, times)| {
        Some(sum + of(step)? * Integer::from(*times))
    })
}
