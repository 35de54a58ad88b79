//! What would hold of a run that is accounted for as Poisson sampling if its batches were drawn as most code draws them.

use rug::{Integer, Rational};

use crate::analysis::Answer;
use crate::input::MechanismFile;
use crate::mechanism::kind::{GaussianNoise, Sampling, Sensitivity};
use crate::mechanism::{Adjacency, Kind, Mechanism, Relation};

/// A run with its batches drawn in another way.
#[derive(Debug, Clone)]
pub struct OtherBatches {
    /// How, as `sampling` says it in a file.
    pub sampling: &'static str,
    /// The run, under the relation of the report.
    pub run: MechanismFile,
    /// ε at each δ.
    pub epsilons: Vec<(Rational, Answer)>,
}

/// The run with shuffled batches, as many steps an epoch as the sampling rate allows for, and as many steps in all; and, where it has a meaning, with
/// batches of a fixed size: if the report is about presence, with a record that is zeroed.
///
/// Nothing of anything but steps of DP-SGD on Poisson samples, all alike.
pub(super) fn other_batches(run: &MechanismFile) -> Vec<OtherBatches> {
    let Some((rate, step, times)) = poisson_run(&run.mechanism) else {
        return Vec::new();
    };
    let with = |sampling, mechanism: Mechanism, adjacency: Adjacency| {
        let mechanism = mechanism.under(adjacency.relation()).ok()?;
        Some(OtherBatches {
            sampling,
            run: MechanismFile::of(mechanism, adjacency),
            epsilons: Vec::new(),
        })
    };
    let shuffled = shuffled(rate, &step, times);
    let shuffled = shuffled.and_then(|other| with("shuffled", other, run.adjacency));
    // A batch of a fixed size has a place for a record that leaves it empty.
    let zeroed = match run.adjacency.relation() {
        Relation::Presence => Adjacency::ReplaceSpecial,
        Relation::ReplaceOne | Relation::ReplaceSpecial => run.adjacency,
    };
    let fixed = fixed(rate, run.mechanism.records(), step, times);
    let fixed = fixed.and_then(|other| with("without-replacement", other, zeroed));
    shuffled.into_iter().chain(fixed).collect()
}

/// The rate, what runs on each sample, and how often.
fn poisson_run(run: &Mechanism) -> Option<(&Rational, Mechanism, u64)> {
    let Kind::Composition(composition) = run.kind() else {
        return None;
    };
    let [(step, times)] = composition.of() else {
        return None;
    };
    let Kind::Subsampled(sampled) = step.kind() else {
        return None;
    };
    match sampled.sampling() {
        Sampling::Poisson(rate) if *rate < 1 => Some((rate, sampled.of().clone(), *times)),
        _ => None,
    }
}

fn shuffled(rate: &Rational, step: &Mechanism, times: u64) -> Option<Mechanism> {
    let Kind::Gaussian(noise) = step.kind() else {
        return None;
    };
    let GaussianNoise::Sigma {
        sigma,
        sensitivity: Sensitivity::RecordBound(bound),
    } = noise.stated()
    else {
        return None;
    };
    let steps = steps_per_epoch(rate, times)?;
    let epochs = Rational::from((times, steps));
    Mechanism::shuffled_batches(Rational::from(sigma / bound), steps, epochs).ok()
}

/// 1/q rounded up; or down where that makes whole epochs, as of code that leaves out a last batch that is not full.
fn steps_per_epoch(rate: &Rational, times: u64) -> Option<u64> {
    let up = Rational::from(rate.recip_ref()).ceil().numer().to_u64()?;
    let down = Rational::from(rate.recip_ref()).floor().numer().to_u64()?;
    let is_whole = |steps: u64| times.checked_rem(steps) == Some(0);
    Some(if is_whole(down) && !is_whole(up) {
        down
    } else {
        up
    })
}

/// Of as many records as are stated, or else of the fewest of which the rate is a share.
fn fixed(rate: &Rational, stated: Option<u64>, step: Mechanism, times: u64) -> Option<Mechanism> {
    let least = rate.denom().to_u64()?;
    let records = stated
        .filter(|all| all.checked_rem(least) == Some(0))
        .unwrap_or(least);
    let batch = Rational::from(rate * &Integer::from(records))
        .numer()
        .to_u64()?;
    let step = Mechanism::without_replacement(records, batch, step).ok()?;
    Mechanism::compose(vec![(step, times)]).ok()
}
