//! The steps of a mechanism, in the order in which the checker takes them.

use rug::Rational;

use crate::mechanism::{
    Adjacency, Direction, Epsilon, FiniteLosses, FiniteStep, Mechanism, Step, Steps as NormalForm,
};

/// Steps with their multiplicities, in the order of the file: equal ones together, all Gaussian ones together and first.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    pub list: Vec<(Step, u64)>,
    pub directions: Vec<Direction>,
}

/// What a mechanism may reveal: at most what the bound does, and where that is not attained at least what each member does.
#[derive(Debug)]
pub(super) struct Bracket {
    pub bound: Steps,
    pub members: Vec<Steps>,
}

impl Bracket {
    pub fn of(mechanism: &Mechanism, adjacency: Adjacency) -> Self {
        let all = mechanism.steps();
        let members = all.members().iter();
        Self {
            bound: Steps::new(all, adjacency),
            members: members.map(|one| Steps::new(one, adjacency)).collect(),
        }
    }
}

impl Steps {
    fn new(all: &NormalForm, adjacency: Adjacency) -> Self {
        let square = all.mu_squared();
        let mut list = Vec::new();
        if square > 0 {
            list.push((Step::Gaussian { mu_squared: square }, 1));
        }
        let others = all.list().iter();
        list.extend(
            others
                .filter(|(step, _)| !matches!(step, Step::Gaussian { .. }))
                .cloned(),
        );
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

    /// The only step, if it runs once.
    pub fn single(&self) -> Option<&Step> {
        match self.list.as_slice() {
            [(step, 1)] => Some(step),
            _ => None,
        }
    }
}

fn is_symmetric(step: &Step) -> bool {
    match step {
        Step::Gaussian { .. }
        | Step::Laplace { .. }
        | Step::DiscreteGaussian { .. }
        | Step::Zcdp { .. }
        | Step::Rdp { .. } => true,
        Step::Finite(one) => matches!(
            one.losses(),
            FiniteLosses::RandomizedResponse { .. }
                | FiniteLosses::ApproxDp { .. }
                | FiniteLosses::Points { .. }
                | FiniteLosses::DiscreteLaplace { .. }
        ),
        Step::Shifted(pair) => {
            let (without, with) = (pair.without(), pair.with());
            without == with || (without.list().len() == 1 && with.list().len() == 1)
        }
        Step::Labelled(parts) => parts
            .iter()
            .all(|(_, of)| of.list().iter().all(|(step, _)| is_symmetric(step))),
        Step::Sampled(_) | Step::Closed(_) => false,
    }
}

/// Randomised response: ε and the number of answers.
pub(super) fn response(step: &Step) -> Option<(&Epsilon, u64)> {
    match losses(step)? {
        FiniteLosses::RandomizedResponse { epsilon, k } => Some((epsilon, *k)),
        _ => None,
    }
}

/// Two probability vectors, the first without the record.
pub(super) fn vectors(step: &Step) -> Option<(&[Rational], &[Rational])> {
    match losses(step)? {
        FiniteLosses::Pair { p, q } => Some((p, q)),
        _ => None,
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
            FiniteLosses::DiscreteLaplace { scale, .. } if *scale <= WIDE => {
                Some(scale.clone().recip())
            }
            _ => None,
        },
        _ => None,
    };
    found.filter(|lattice| *lattice > 0)
}

fn losses(step: &Step) -> Option<&FiniteLosses> {
    match step {
        Step::Finite(one) => Some(FiniteStep::losses(one)),
        _ => None,
    }
}
