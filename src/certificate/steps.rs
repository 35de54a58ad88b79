//! The steps of a mechanism, in the order in which the checker takes them.

use rug::{Integer, Rational};

use crate::mechanism::closed::ClosedPair;
use crate::mechanism::shuffled::ShuffledBound;
use crate::mechanism::{
    Adjacency, Direction, Epsilon, FiniteLosses, FiniteStep, Step, Steps as NormalForm,
};

/// Steps with their multiplicities, in the order of the file: equal ones together, all Gaussian ones together and first.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    pub list: Vec<(Step, u64)>,
    pub directions: Vec<Direction>,
}

impl Steps {
    pub fn new(all: &NormalForm, adjacency: Adjacency) -> Self {
        Self::with_answers(all, adjacency, &|(above, _)| above)
    }

    /// The largest of all datasets of shuffled answers is no pair of the checker: with what is above it, or with one dataset.
    pub fn with_answers(
        all: &NormalForm,
        adjacency: Adjacency,
        chosen: &dyn Fn((NormalForm, NormalForm)) -> NormalForm,
    ) -> Self {
        let around = |(step, times): &(Step, u64)| {
            let both = step
                .as_closed()
                .and_then(|pair| pair.around_answers(*times));
            both.map_or_else(
                || vec![(step.clone(), *times)],
                |both| chosen(both).list().to_vec(),
            )
        };
        let others: Vec<_> = all.list().iter().flat_map(around).collect();
        let square = all.mu_squared();
        let mut list = Vec::new();
        if square > 0 {
            list.push((Step::Gaussian { mu_squared: square }, 1));
        }
        for (step, times) in &others {
            let choices = match step {
                Step::Closed(pair) => pair.as_choices(),
                _ => None,
            };
            match (choices, step) {
                (_, Step::Gaussian { .. }) => {}
                // Several choices at once are so many runs.
                (Some((one, runs)), _) => {
                    list.push((Step::Closed(one), runs.saturating_mul(*times)));
                }
                (None, other) => list.push((other.clone(), *times)),
            }
        }
        if list.is_empty() {
            let nothing = Step::Gaussian {
                mu_squared: Rational::new(),
            };
            list.push((nothing, 1));
        }
        Self {
            list,
            directions: adjacency.directions().to_vec(),
        }
    }

    /// Are both orders of the pair equally informative?
    pub fn is_symmetric(&self) -> bool {
        self.list.iter().all(|(step, _)| is_symmetric(step))
    }

    /// Is a step only a class, of whose members the divergences are bounded?
    pub fn has_class(&self) -> bool {
        self.list.iter().any(|(step, _)| is_class(step))
    }

    /// Each class alone, where there is something beside it.
    pub fn classes(&self) -> Vec<Self> {
        let alone = |step: &Step| Self {
            list: vec![(step.clone(), 1)],
            directions: self.directions.clone(),
        };
        let classes = self.list.iter().filter(|(step, _)| is_class(step));
        match self.single() {
            Some(_) => Vec::new(),
            None => classes.map(|(step, _)| alone(step)).collect(),
        }
    }

    /// The only step, if it runs once.
    pub fn single(&self) -> Option<&Step> {
        match self.list.as_slice() {
            [(step, 1)] => Some(step),
            _ => None,
        }
    }
}

fn is_class(step: &Step) -> bool {
    matches!(step, Step::Zcdp { .. } | Step::Rdp { .. })
}

fn is_symmetric(step: &Step) -> bool {
    match step {
        Step::Gaussian { .. }
        | Step::Laplace { .. }
        | Step::DiscreteGaussian { .. }
        | Step::Zcdp { .. }
        | Step::Rdp { .. } => true,
        Step::Finite(one) => match one.losses() {
            FiniteLosses::RandomizedResponse { .. }
            | FiniteLosses::ApproxDp { .. }
            | FiniteLosses::Points { .. }
            | FiniteLosses::DiscreteLaplace { .. }
            | FiniteLosses::TruncatedGeometric { .. } => true,
            FiniteLosses::Shuffled(of) => !matches!(**of, ShuffledBound::SameValue { .. }),
            FiniteLosses::Pair { p, q } => p == q,
            FiniteLosses::ResponseOrUniform { .. }
            | FiniteLosses::LargestAnswer { .. }
            | FiniteLosses::Scores(_)
            | FiniteLosses::PickedOthers(_)
            | FiniteLosses::OppositeOthers(_)
            | FiniteLosses::NewKey { .. }
            | FiniteLosses::TwoOutcomes { .. } => false,
        },
        Step::Shifted(pair) => {
            let (without, with) = (pair.without(), pair.with());
            without == with || (without.list().len() == 1 && with.list().len() == 1)
        }
        Step::Labelled(parts) => parts
            .iter()
            .all(|(_, of)| of.list().iter().all(|(step, _)| is_symmetric(step))),
        // Every order has its worst dataset; of noise on a sample and the same turned around, each order has both.
        Step::Closed(ClosedPair::Envelope(of)) => {
            let all: Vec<_> = of.of().iter().map(NormalForm::single).collect();
            matches!(*all, [Some(Step::Sampled(_)), Some(Step::Shifted(_))])
        }
        Step::Closed(pair) => {
            pair.as_choices().is_some() || matches!(pair, ClosedPair::FixedBatches(_))
        }
        Step::Sampled(_) => false,
    }
}

/// The first of its bounds that the checker has, too: of a largest batch two labels, which are as likely with the record as without it.
pub(super) fn readable_bound(of: &NormalForm) -> &NormalForm {
    let is_truncated = of.conditions().truncated_batches;
    let is_other = |step: &Step| match step {
        Step::Closed(ClosedPair::InformativeLabel(_) | ClosedPair::RatesByLabel(_)) => true,
        Step::Labelled(parts) => is_truncated && parts.len() > 2,
        _ => false,
    };
    let mut all = std::iter::once(of).chain(of.other_bounds());
    all.find(|bound| !bound.any(&is_other)).unwrap_or(of)
}

/// Randomised response: ε and the number of answers.
pub(super) fn response(step: &Step) -> Option<(&Epsilon, u64)> {
    match losses(step)? {
        FiniteLosses::RandomizedResponse { epsilon, k } => Some((epsilon, *k)),
        _ => None,
    }
}

/// Randomised response against an answer of chance: ε and the number of answers.
pub(super) fn response_or_uniform(step: &Step) -> Option<(&Epsilon, u64)> {
    match losses(step)? {
        FiniteLosses::ResponseOrUniform { epsilon, k } => Some((epsilon, *k)),
        _ => None,
    }
}

/// Discrete Laplace noise: its scale, and how far it is moved.
pub(super) fn geometric(step: &Step) -> Option<(&Rational, u64)> {
    match losses(step)? {
        FiniteLosses::DiscreteLaplace { scale, sensitivity } => Some((scale, *sensitivity)),
        _ => None,
    }
}

/// One pair (ε, δ).
pub(super) fn guarantee(step: &Step) -> Option<(&Epsilon, &Rational)> {
    match losses(step)? {
        FiniteLosses::ApproxDp { epsilon, delta } => Some((epsilon, delta)),
        _ => None,
    }
}

/// All that is known is a list of pairs (ε, δ).
pub(super) fn is_guarantee(step: &Step) -> bool {
    matches!(
        losses(step),
        Some(FiniteLosses::ApproxDp { .. } | FiniteLosses::Points { .. })
    )
}

/// Two probability vectors, the first without the record.
pub(super) fn vectors(step: &Step) -> Option<(&[Rational], &[Rational])> {
    match losses(step)? {
        FiniteLosses::Pair { p, q } => Some((p, q)),
        _ => None,
    }
}

/// Is it two short vectors of fractions, in the eyes of the checker?
pub(super) fn in_fractions(step: &Step) -> bool {
    const MOST: usize = 128;
    let are = |steps: &NormalForm| {
        let is_one = |(step, times): &(Step, u64)| *times <= 128 && in_fractions(step);
        steps.list().iter().all(is_one)
    };
    match step {
        Step::Finite(one) => match one.losses() {
            FiniteLosses::Pair { p, .. } => p.len() <= MOST,
            FiniteLosses::TwoOutcomes { .. } => true,
            FiniteLosses::RandomizedResponse { epsilon, .. }
            | FiniteLosses::ResponseOrUniform { epsilon, .. }
            | FiniteLosses::ApproxDp { epsilon, .. } => epsilon.exact_exp().is_some(),
            FiniteLosses::Points { .. }
            | FiniteLosses::DiscreteLaplace { .. }
            | FiniteLosses::TruncatedGeometric { .. }
            | FiniteLosses::LargestAnswer { .. }
            | FiniteLosses::Scores(_)
            | FiniteLosses::PickedOthers(_)
            | FiniteLosses::OppositeOthers(_)
            | FiniteLosses::NewKey { .. }
            | FiniteLosses::Shuffled(_) => false,
        },
        Step::Sampled(sampled) => are(sampled.of()),
        Step::Labelled(parts) => parts.iter().all(|(_, of)| are(of)),
        Step::Gaussian { .. }
        | Step::Laplace { .. }
        | Step::DiscreteGaussian { .. }
        | Step::Zcdp { .. }
        | Step::Rdp { .. }
        | Step::Shifted(_)
        | Step::Closed(_) => false,
    }
}

/// Of integer noise that is wider than this, nobody sees that it is on the integers.
const WIDE: u32 = 8;

/// The points of a lattice on which all its losses are, if they are on one.
pub(super) fn lattice(step: &Step) -> Option<Rational> {
    let found = match step {
        Step::Laplace { epsilon } => Some(epsilon.clone()),
        // The loss at k is (2kΔ − Δ²)/(2σ²); of wide noise these are many.
        Step::DiscreteGaussian { sigma, sensitivity } if *sigma <= WIDE => {
            let square = Rational::from(sigma.square_ref());
            Some(Rational::from((*sensitivity, 2)) / square)
        }
        Step::Finite(one) => match one.losses() {
            FiniteLosses::RandomizedResponse { epsilon, .. }
            | FiniteLosses::ResponseOrUniform { epsilon, .. }
            | FiniteLosses::ApproxDp { epsilon, .. } => epsilon.exact(),
            FiniteLosses::Points { points } => common(points.iter().map(|(epsilon, _)| epsilon)),
            FiniteLosses::DiscreteLaplace { scale, .. }
            | FiniteLosses::TruncatedGeometric { scale, .. }
                if *scale <= WIDE =>
            {
                Some(scale.clone().recip())
            }
            _ => None,
        },
        _ => None,
    };
    found.filter(|lattice| *lattice > 0)
}

/// The largest number of which all of these are multiples.
fn common<'a>(all: impl Iterator<Item = &'a Epsilon>) -> Option<Rational> {
    const MOST: u32 = 1000;
    let (mut found, mut most) = (Rational::new(), Rational::new());
    for epsilon in all {
        let other = epsilon.exact()?.abs();
        most = most.max(other.clone());
        let (a, b) = (found.numer().clone(), found.denom().clone());
        let top = Integer::from(&a * other.denom()).gcd(&Integer::from(other.numer() * &b));
        found = Rational::from((top, b * other.denom()));
    }
    (most <= Rational::from(&found * MOST)).then_some(found)
}

fn losses(step: &Step) -> Option<&FiniteLosses> {
    match step {
        Step::Finite(one) => Some(FiniteStep::losses(one)),
        _ => None,
    }
}
