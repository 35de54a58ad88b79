//! What would hold of a run that is accounted for as Poisson sampling if its batches were drawn as most code draws them.

use rug::Rational;

use crate::analysis::Answer;
use crate::input::MechanismFile;
use crate::mechanism::kind::{GaussianNoise, Sampling, Sensitivity};
use crate::mechanism::{Kind, Mechanism};

/// A run with its batches drawn in another way.
#[derive(Debug, Clone)]
pub struct OtherBatches {
    /// How: "shuffled".
    pub sampling: &'static str,
    /// Steps of an epoch.
    pub steps_per_epoch: u64,
    /// How often the records are gone through.
    pub epochs: Rational,
    /// ε at each δ.
    pub epsilons: Vec<(Rational, Answer)>,
}

/// The run with shuffled batches: as many steps an epoch as the sampling rate allows for, 1/q rounded up, and as many steps in all.
///
/// `None` of anything but steps of DP-SGD on Poisson samples, all alike.
pub(super) fn shuffled(run: &MechanismFile) -> Option<(MechanismFile, OtherBatches)> {
    let Kind::Composition(composition) = run.mechanism.kind() else {
        return None;
    };
    let [(step, times)] = composition.of() else {
        return None;
    };
    let Kind::Subsampled(sampled) = step.kind() else {
        return None;
    };
    let (Sampling::Poisson(rate), Kind::Gaussian(noise)) =
        (sampled.sampling(), sampled.of().kind())
    else {
        return None;
    };
    let GaussianNoise::Sigma {
        sigma,
        sensitivity: Sensitivity::RecordBound(bound),
    } = noise.stated()
    else {
        return None;
    };
    let steps_per_epoch = Rational::from(rate.recip_ref()).ceil().numer().to_u64()?;
    let epochs = Rational::from((*times, steps_per_epoch));
    let multiplier = Rational::from(sigma / bound);
    let mechanism =
        Mechanism::shuffled_batches(multiplier, steps_per_epoch, epochs.clone()).ok()?;
    let file = MechanismFile::of(
        mechanism.under(run.adjacency.relation()).ok()?,
        run.adjacency,
    );
    let batches = OtherBatches {
        sampling: "shuffled",
        steps_per_epoch,
        epochs,
        epsilons: Vec::new(),
    };
    Some((file, batches))
}
