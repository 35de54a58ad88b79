//! Poisson sampling where a batch has a largest size.

use std::sync::Arc;

use rug::Rational;

use super::binomial::MOST_VARIANCE;
use super::blurred::Blurred;
use super::chances::{BITS, Chances, rounded_down};
use super::told;
use crate::kernel::Interval;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::closed::{Envelope, InformativeLabel, LabelledPart, RatesByLabel};
use crate::mechanism::domain::{Domain, OutOfRange, Why, at_least};
use crate::mechanism::shifted::{Noise, ShiftedNoise, Shifts};
use crate::mechanism::step::Step;
use crate::mechanism::steps::{Conditions, Steps, is_twice_as_far, noise_of};

/// Each record is drawn with probability `rate`; of more than `max-batch` records drawn, a uniform choice of that many stays.
///
/// Let K be the number of the others that are drawn, binomial of n − 1 and q, B the largest size, a = P(K ≥ B), and let U_k be the law of the
/// answer for a uniform choice of k of the others. Without the record the answer is Σ_{k<B} P(K = k)·U_k + a·U_B. If it is drawn beside K ≥ B others it
/// stays with probability B/(K + 1), and then B − 1 of the others stay: this has probability w = E(q·B/(K + 1); K ≥ B) = (B/n)·P(S > B), where S is binomial of n and q.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruncatedPoisson {
    rate: Rational,
    dataset_size: u64,
    max_batch: u64,
    chances: Chances,
}

impl TruncatedPoisson {
    /// With `rate` in (0, 1], of `dataset_size ≥ 1` records (of the larger dataset), at most `max_batch ≥ 1` in a batch.
    ///
    /// # Errors
    /// If a number is out of its range, or the number of records drawn has a variance above 10^9.
    pub fn new(rate: Rational, dataset_size: u64, max_batch: u64) -> Result<Self, OutOfRange> {
        Domain::Rate.hold("rate", &rate)?;
        at_least("dataset-size", 1, dataset_size)?;
        at_least("max-batch", 1, max_batch)?;
        let variance = Rational::from(1 - &rate) * &rate * dataset_size;
        if variance > MOST_VARIANCE && max_batch < dataset_size {
            let message = "the size of a Poisson sample of so many records at this rate has a variance above 10^9";
            return Err(OutOfRange::sentence("dataset-size", message).because(Why::TooLarge));
        }
        let chances = Chances::of(&rate, dataset_size, max_batch);
        Ok(Self {
            rate,
            dataset_size,
            max_batch,
            chances,
        })
    }

    /// Probability that a record is drawn.
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// Records of the larger dataset.
    pub fn dataset_size(&self) -> u64 {
        self.dataset_size
    }

    /// Records of the largest batch.
    pub fn max_batch(&self) -> u64 {
        self.max_batch
    }

    /// The normal form of noise on the sum of such a batch; `of` are its steps under `relation`, `present` those under presence.
    ///
    /// Ensures, above (`proofs/README.md`, Y1): for any split of w into w₁ that is compared with U_{B−1}, from which the record is at 1 record bound, and the
    /// rest that is compared with U_B, from which it is at 2 since it stands where another one stood, the pair of the three labels K < B − 1, K = B − 1 and K ≥ B.
    /// Below: the others contribute nothing, so that this is Poisson sampling at the rate (1 − a)·q + w. Where `sum` = (c/σ)² of Gaussian noise on
    /// one sum of records is given, and a record is added: also `blurred.rs` above and `told.rs` below (Y3, Y4). An answer that is no sum may tell how many records there are.
    ///
    /// # Errors
    /// If it is anything but noise on a sum.
    pub(crate) fn steps(
        &self,
        relation: Relation,
        of: &Steps,
        present: &Steps,
        sum: Option<&Rational>,
    ) -> Result<Steps, OutOfRange> {
        let sampled = |rate: &Rational| match relation {
            Relation::Presence | Relation::ReplaceSpecial => of.sampled(rate),
            Relation::ReplaceOne => of.sampled_replaced(rate, present),
        };
        if self.max_batch >= self.dataset_size {
            return Ok(sampled(&self.rate));
        }
        let conditions = Conditions {
            truncated_batches: true,
            ..sampled(&self.rate).conditions()
        };
        let Chances {
            full_upper,
            displacing,
            ..
        } = &self.chances;
        let rate = rounded_down(&(Rational::from(1 - full_upper) * &self.rate + displacing));
        let least = match rate > 0 {
            true => sampled(&rate),
            false => Steps::one(still(), conditions),
        };
        let noise = noise_on_sum(relation, of, present)?;
        let share = share_beside_last(&self.rate, &self.chances, &noise);
        let labels = |share| Labels::of(relation, &self.rate, &self.chances, share);
        let by_mean_square = labels(share.clone());
        let mut bounds = vec![by_mean_square.steps(relation, &noise)?];
        if let Some(blurred) = self.blurred(sum) {
            let place = usize::from(!self.is_less(&blurred, &by_mean_square, &noise));
            bounds.insert(place, blurred.steps(&self.rate, &self.chances, &noise)?);
        }
        for other in [Rational::new(), Rational::from(1)] {
            if other != share {
                bounds.push(labels(other).steps(relation, &noise)?);
            }
        }
        let most = bounds.remove(0);
        let told = self.told(sum, of);
        let least = std::iter::once(least).chain(told);
        let between = Steps::between(least, most).bounded_by(bounds);
        Ok(between.with_conditions(conditions))
    }

    /// Where a record is added to one sum with Gaussian noise, and the bound is built.
    fn blurred(&self, sum: Option<&Rational>) -> Option<Blurred> {
        let Self {
            rate,
            dataset_size,
            max_batch,
            chances,
        } = self;
        Blurred::new(rate, *dataset_size, *max_batch, chances, sum?)
    }

    /// Both are sound: the one that says less by the mean square.
    fn is_less(&self, blurred: &Blurred, labels: &Labels, noise: &Noise) -> bool {
        let square = blurred.square(&self.rate, &self.chances) * excess(noise, 1);
        let square = square + blurred.told(&self.chances);
        let sampled = Rational::from(self.rate.square_ref()) * &self.chances.before_last;
        square < labels.square(noise) + sampled * excess(noise, 1)
    }

    /// Others that tell the size of their batch.
    fn told(&self, sum: Option<&Rational>, of: &Steps) -> Option<Steps> {
        let Self {
            rate,
            dataset_size,
            max_batch,
            chances,
        } = self;
        let labels = told::labels(rate, *dataset_size, *max_batch, chances, sum?)?;
        let pair = RatesByLabel::new(of.with_one_gaussian(), labels)?;
        Some(Steps::one(Step::Closed(pair.into()), Conditions::NONE))
    }
}

/// The law of noise on a sum, moved by 1 record bound; a guarantee says nothing of a record that takes the place of another one.
fn noise_on_sum(relation: Relation, of: &Steps, present: &Steps) -> Result<Noise, OutOfRange> {
    let (apart, one) = (of.with_one_gaussian(), present.with_one_gaussian());
    let noise = one.single().and_then(noise_of);
    let noise = noise.filter(|_| !present.conditions().guarantee);
    let is_sum = |noise: &Noise| match relation {
        Relation::Presence | Relation::ReplaceSpecial => true,
        Relation::ReplaceOne => apart
            .single()
            .is_some_and(|apart| is_twice_as_far(apart, noise)),
    };
    noise.filter(is_sum).ok_or_else(no_sum)
}

/// Nothing moves.
fn still() -> Step {
    Step::Gaussian {
        mu_squared: Rational::new(),
    }
}

/// The probabilities of a dominating pair. All are rational: what is not known of the true ones goes where more is told.
///
/// The answer without the record, label by label, against that with it:
/// * `sampled`: Poisson sampling at rate q, for K < B − 1. P(K = B − 1) − `last` joins it by a coin, and a − `full` by forgetting: under this label
///   a channel puts out the label below and fresh noise, so that there is no less of it in truth;
/// * `last` of U_{B−1} against `last` of Poisson sampling at rate q and, beside it, `displacing` of U_{B−1} with the record;
/// * `full` of U_B against `full` − `displacing` − `far` of the same and `far` of U_{B−1} with the record, where `far` is at least what remains of w. δ grows with `far`.
///
/// Where a record is replaced or zeroed δ grows with `displacing`, too, so that it may be more than w₁. The masses of U_{B−1} with the other record, or the special one,
/// are on the other side: under the last label three points of a ball, U_B in both.
struct Labels {
    rate: Rational,
    last: Rational,
    full: Rational,
    displacing: Rational,
    far: Rational,
}

impl Labels {
    /// Requires: `share` in [0, 1], the part of w that is compared with U_{B−1}. Nothing is where no answer without the record is known to come from there.
    fn of(relation: Relation, rate: &Rational, chances: &Chances, share: Rational) -> Self {
        let share = match chances.last == 0 {
            true => Rational::new(),
            false => share,
        };
        let displacing = match relation {
            _ if share < 1 => rounded_down(&(share * &chances.displacing)),
            Relation::Presence => chances.displacing.clone(),
            Relation::ReplaceOne | Relation::ReplaceSpecial => chances.displacing_upper.clone(),
        };
        let far = Rational::from(&chances.displacing_upper - &displacing);
        let last = match displacing == 0 {
            true => Rational::new(),
            false => chances.last.clone(),
        };
        if Rational::from(&displacing + &far) < chances.full {
            return Self {
                rate: rate.clone(),
                last,
                full: chances.full.clone(),
                displacing,
                far,
            };
        }
        // Next to nothing is known of a: under the last label at most all of it, and what is drawn of it. That dominates the first label.
        let full = chances.full_upper.clone();
        Self {
            rate: rate.clone(),
            last: Rational::new(),
            displacing: Rational::new(),
            far: Rational::from(&full * rate),
            full,
        }
    }

    fn steps(&self, relation: Relation, noise: &Noise) -> Result<Steps, OutOfRange> {
        let sampled = Rational::from(1 - &self.last) - &self.full;
        let taking_part = Rational::from(&self.last * &self.rate) + &self.displacing;
        // What a replaced record displaces is the same on both sides.
        let both = match relation {
            Relation::Presence => Rational::new(),
            Relation::ReplaceOne | Relation::ReplaceSpecial => self.displacing.clone(),
        };
        let rest = Rational::from(&self.full - &self.displacing);
        let parts = [
            (
                sampled.clone(),
                sampled,
                Moves::sampled(relation, &self.rate),
            ),
            {
                let with = Rational::from(&self.last + &self.displacing);
                let rate = ratio(&taking_part, &with);
                let moves = Moves::sampled(relation, &rate);
                (Rational::from(&self.last + &both), with, moves)
            },
            {
                let moves = Moves::displacing(relation, &ratio(&self.far, &rest));
                (Rational::from(&self.full - &both), rest, moves)
            },
        ];
        labelled(parts.into(), noise)
    }

    /// The mean square of LR − 1 where it differs from that of Poisson sampling, to choose by.
    fn square(&self, noise: &Noise) -> Rational {
        let taking_part = Rational::from(&self.last * &self.rate) + &self.displacing;
        let near = ratio(&taking_part.square(), &self.last) * excess(noise, 1);
        let far = ratio(&Rational::from(self.far.square_ref()), &self.full);
        let told = Rational::from(self.displacing.square_ref());
        let told = ratio(&told, &self.last) + ratio(&told, &self.full);
        near + far * excess(noise, 4) + told
    }
}

/// Labels, each with its probability without and with the record, and how far the record moves the sum.
pub(super) fn labelled(
    parts: Vec<(Rational, Rational, Moves)>,
    noise: &Noise,
) -> Result<Steps, OutOfRange> {
    let parts = parts.into_iter().filter(|(without, _, _)| *without > 0);
    let parts = parts.map(|(without, with, moves)| {
        let of = Steps::one(moves.step(noise)?, Conditions::NONE);
        Ok(LabelledPart { without, with, of })
    });
    let parts = parts.collect::<Result<Vec<_>, OutOfRange>>()?;
    if parts.iter().all(|part| part.without == part.with) {
        let parts = parts.into_iter().map(|part| (part.with, part.of));
        return Ok(Steps::labelled(parts.collect()));
    }
    let pair = InformativeLabel::new(parts);
    Ok(Steps::one(Step::Closed(pair.into()), Conditions::NONE))
}

/// e^{s²μ²} − 1, for s² = `factor` and Gaussian noise; of other noise as if μ were 1.
fn excess(noise: &Noise, factor: u32) -> Rational {
    let unit_squared = match noise {
        Noise::Gaussian { unit_squared } => unit_squared.clone(),
        Noise::Laplace { .. }
        | Noise::DiscreteGaussian { .. }
        | Noise::DiscreteLaplace { .. }
        | Noise::GaussianSum { .. }
        | Noise::Skellam { .. } => Rational::from(1),
    };
    let square = Rational::from(&unit_squared * factor).min(Rational::from(1_000));
    let excess = Interval::from_rational(&square, BITS).exp_m1();
    excess.lo().to_rational().unwrap_or_default()
}

/// a/b, or 0 if b is.
fn ratio(a: &Rational, b: &Rational) -> Rational {
    if *b == 0 {
        Rational::new()
    } else {
        Rational::from(a / b)
    }
}

/// How far the record moves the sum, with a probability: without it, and with it.
pub(super) struct Moves {
    rate: Rational,
    without: u32,
    with: u32,
    /// The larger of both orders, at every u.
    either: bool,
}

impl Moves {
    /// From nothing to the record; zeroed, from nothing as well; replaced, from either to the other.
    pub fn sampled(relation: Relation, rate: &Rational) -> Self {
        let without = match relation {
            Relation::Presence | Relation::ReplaceSpecial => 0,
            Relation::ReplaceOne => 1,
        };
        Self {
            rate: rate.clone(),
            without,
            with: 1,
            either: false,
        }
    }

    /// From another record to this one, a distance of 2.
    ///
    /// Where the record takes its place in both, as itself or as another one, the pair is (1 − r)·N(y) + r·N(x') against (1 − r)·N(y) + r·N(x) for
    /// three points of a ball. For u ≥ 1 a test φ with m = E_{N(x)}φ has Q − uP ≤ r·m − (u − 1)(1 − r)·F(m; −2) − u·r·F(m; −2), which is what it is for y = x' = −x: this pair. For
    /// u < 1 the same holds of 1 − φ and (Q, P) at 1/u: the pair in the other order.
    pub fn displacing(relation: Relation, rate: &Rational) -> Self {
        Self {
            rate: rate.clone(),
            without: 0,
            with: 2,
            either: relation != Relation::Presence,
        }
    }

    fn step(&self, noise: &Noise) -> Result<Step, OutOfRange> {
        if self.rate == 0 {
            return Ok(still());
        }
        let by = |shift: u32| {
            let list = [
                (0, Rational::from(1 - &self.rate)),
                (shift, self.rate.clone()),
            ];
            Shifts::new(
                list.map(|(shift, weight)| (Rational::from(shift), weight))
                    .to_vec(),
            )
        };
        if self.without > 0 {
            let pair = ShiftedNoise::new(noise.clone(), by(self.without)?, by(self.with)?);
            return Ok(Step::Shifted(Arc::new(pair)));
        }
        // One shift on one side: what Poisson sampling has fast ways for.
        let shift = Shifts::new(vec![(Rational::from(self.with), Rational::from(1))])?;
        let pair = ShiftedNoise::new(noise.clone(), Shifts::none(), shift);
        let one = Step::farthest(&pair).ok_or_else(no_sum)?;
        let sampled = Steps::one(one, Conditions::NONE).sampled(&self.rate);
        if self.either && self.rate < 1 {
            let swapped = ShiftedNoise::new(noise.clone(), by(self.with)?, Shifts::none());
            let swapped = Steps::one(Step::Shifted(Arc::new(swapped)), Conditions::NONE);
            let both = Envelope::new(vec![sampled, swapped]);
            return Ok(Step::Closed(both.into()));
        }
        sampled.single().cloned().ok_or_else(no_sum)
    }
}

/// Which part of w is best compared with U_{B−1}, in [0, 1]: any is sound.
///
/// The mean square of LR − 1 is about (p·q + w₁)²/p·X₁ + (w − w₁)²/a·X₂ for p = P(K = B − 1) and X_s = e^{s²μ²} − 1 of Gaussian noise, and w₁²/p + w₁²/a
/// for what the labels themselves tell.
fn share_beside_last(rate: &Rational, chances: &Chances, noise: &Noise) -> Rational {
    let Chances {
        last,
        full,
        displacing,
        ..
    } = chances;
    if *last == 0 || *full == 0 || *displacing == 0 {
        return Rational::new();
    }
    let near = Rational::from(displacing / last) * excess(noise, 1);
    let far = Rational::from(displacing / full) * excess(noise, 4);
    let told = Rational::from(displacing / last) + Rational::from(displacing / full);
    let sum = Rational::from(&near + &far) + told;
    let share = (far - excess(noise, 1) * rate) / sum;
    // Twice as far is more in the tails of Gaussian noise than in the mean square.
    if share > Rational::from((1, 2)) {
        Rational::from(1)
    } else {
        // Few bits are enough.
        rounded_down(&share.max(Rational::new()))
    }
}

fn no_sum() -> OutOfRange {
    OutOfRange::sentence(
        "of",
        "only noise on a sum is built on batches of a largest size",
    )
    .because(Why::Unsupported)
    .help("put one noise kind with a `record-bound` in `of`")
}

#[cfg(test)]
#[path = "shares_tests.rs"]
mod shares_tests;
#[cfg(test)]
#[path = "truncated_tests.rs"]
mod tests;
