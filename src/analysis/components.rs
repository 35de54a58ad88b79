//! The parts of a composition as the law engine wants them.

use std::sync::Arc;

use rug::Rational;

use super::total_variation;
use crate::bounds::{LossRange, TwoSided};
use crate::composition::lattice::FiniteLattice;
use crate::composition::mixed::MixedProfile;
use crate::composition::parts::{PairKind, PoweredPair};
use crate::composition::{Component, Composed, LatticeLoss};
use crate::kernel::{InvariantViolation, LossBound, Profile};
use crate::law::Offset;
use crate::mechanism::discrete_gaussians::DiscreteGaussians;
use crate::mechanism::finite::{FiniteLaw, FiniteProfile, gcd};
use crate::plan::Demand;

/// A finite law with more atoms than this is composed as a law, not mixed in at the end.
const MOST_MIXED_ATOMS: usize = 512;

/// Parts to be composed as laws, and one finite law that is mixed in afterwards, exactly.
pub(super) struct Components {
    pub(super) composed: Vec<Component>,
    /// The same with equal discrete Gaussians as one step each, where their lattices have little in common.
    few: Option<Vec<Component>>,
    mixed: Option<Arc<FiniteLaw>>,
}

/// Two single steps: the first to be discretised, the second in closed form.
pub(super) struct Two<'a> {
    pub(super) first: &'a Component,
    pub(super) second: &'a Component,
}

impl Components {
    pub(super) fn of(parts: &[PoweredPair]) -> Self {
        let mixable = parts.iter().position(|part| match &part.kind {
            PairKind::Finite(law) => part.times == 1 && law.len() <= MOST_MIXED_ATOMS,
            _ => false,
        });
        let mixable = mixable.filter(|_| parts.len() > 1);
        let mixed = mixable
            .and_then(|i| parts.get(i))
            .and_then(|part| match &part.kind {
                PairKind::Finite(law) => Some(law.clone()),
                _ => None,
            });
        let rest: Vec<&PoweredPair> = parts
            .iter()
            .enumerate()
            .filter(|(i, _)| Some(*i) != mixable)
            .map(|(_, part)| part)
            .collect();
        Self {
            few: in_few_steps(&rest),
            composed: rest.into_iter().map(component).collect(),
            mixed,
        }
    }

    /// What is composed by squarings. Sums of discrete Gaussians are known to so many digits after the point, whatever their tails.
    pub(super) fn squared(&self, demand: Demand) -> &[Component] {
        let few = self.few.as_ref().filter(|_| !demand.looks_far());
        few.unwrap_or(&self.composed)
    }

    /// Bounds that need no law (wide, but where few records are sampled at all).
    pub(super) fn by_total_variation(&self) -> Result<TwoSided, InvariantViolation> {
        if self.mixed.is_some() {
            return total_variation::bounds_of_anything();
        }
        total_variation::bounds(&self.composed)
    }

    /// The composition as two single steps, if it is that: the one of smaller spread first.
    pub(super) fn as_two<S: PartialOrd>(
        &self,
        spread: impl Fn(&Component) -> S,
    ) -> Option<Two<'_>> {
        let is_plain = |component: &Component| component.masses.is_none();
        match self.composed.as_slice() {
            [only] if only.steps == 2 && is_plain(only) => Some(Two {
                first: only,
                second: only,
            }),
            [a, b] if a.steps == 1 && b.steps == 1 && (is_plain(a) || is_plain(b)) => {
                Some(if spread(a) <= spread(b) {
                    Two {
                        first: a,
                        second: b,
                    }
                } else {
                    Two {
                        first: b,
                        second: a,
                    }
                })
            }
            _ => None,
        }
    }

    /// The profiles of the whole composition.
    pub(super) fn whole(&self, composed: &Composed) -> TwoSided {
        self.mixed_in(composed.upper.clone(), composed.lower.clone())
    }

    /// The profiles with the finite law mixed in.
    pub(super) fn mixed_in(&self, upper: Arc<dyn Profile>, lower: Arc<dyn Profile>) -> TwoSided {
        let mix = |profile: Arc<dyn Profile>| -> Arc<dyn Profile> {
            match &self.mixed {
                Some(law) => Arc::new(MixedProfile::new(law.clone(), profile)),
                None => profile,
            }
        };
        TwoSided::between(mix(upper), mix(lower), LossRange::default())
    }
}

fn component(part: &PoweredPair) -> Component {
    let plain = Component {
        anchor: anchor(&*part.profile),
        ..Component::of(part.profile.clone(), part.times)
    };
    match &part.kind {
        PairKind::SubsampledGaussian { rate, .. } => Component {
            anchor: Offset::logarithm(Rational::from(1 - rate)),
            ..plain
        },
        PairKind::Laplace { epsilon } => Component {
            anchor: Offset::default(),
            unit: Some(epsilon.clone()),
            ..plain
        },
        PairKind::DiscreteGaussian(pair) => Component {
            anchor: Offset::rational(LatticeLoss::offset(pair)),
            unit: Some(LatticeLoss::step(pair)),
            masses: Some(Arc::new(pair.clone())),
            losses: Some((LatticeLoss::offset(pair), LatticeLoss::step(pair))),
            ..plain
        },
        PairKind::Finite(law) => {
            let lattice = FiniteLattice::new(&FiniteProfile::new(law.clone())).map(shared);
            Component {
                losses: (lattice.as_ref()).map(|loss| (loss.offset(), loss.step())),
                masses: lattice,
                ..plain
            }
        }
        PairKind::Gaussian { .. } | PairKind::Shifted(_) | PairKind::Class(_) | PairKind::Other => {
            plain
        }
    }
}

/// A lattice that holds the losses of two discrete Gaussians is at most so many times finer than theirs, or of no use.
const MOST_FINER: u32 = 64;

/// One step for all discrete Gaussians of one parameter, if there are others whose losses are on no common lattice with theirs.
fn in_few_steps(parts: &[&PoweredPair]) -> Option<Vec<Component>> {
    let pair = |part: &&PoweredPair| match &part.kind {
        PairKind::DiscreteGaussian(pair) => Some((pair.clone(), part.times)),
        _ => None,
    };
    let steps: Vec<Rational> = parts
        .iter()
        .filter_map(|part| Some(pair(part)?.0.step()))
        .collect();
    let finest = steps.iter().min()?.clone();
    let common = steps.into_iter().reduce(|a, b| gcd(&a, &b))?;
    if common * MOST_FINER >= finest {
        return None;
    }
    let few = parts.iter().map(|part| {
        let sums = pair(part).and_then(|(pair, times)| DiscreteGaussians::new(&pair, times));
        match sums {
            Some(sums) => Component {
                losses: Some(sums.losses()),
                ..Component::of(Arc::new(sums), 1)
            },
            None => component(part),
        }
    });
    Some(few.collect())
}

fn shared(lattice: FiniteLattice) -> Arc<dyn LatticeLoss> {
    Arc::new(lattice)
}

/// An edge of the support, where it is rational; 0 otherwise.
fn anchor(profile: &dyn Profile) -> Offset {
    match profile.min_loss(64) {
        LossBound::Finite {
            exact: Some(exact), ..
        } => Offset::rational(exact),
        _ => Offset::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composition::parts::{Composition, resolve};
    use crate::kernel::Budget;
    use crate::mechanism::Mechanism;

    fn parts(all: &[(&str, u64)]) -> Vec<PoweredPair> {
        let part = |(sigma, times): &(&str, u64)| {
            let one = Mechanism::discrete_gaussian(*sigma, 1).unwrap();
            let found = resolve(one.steps(), &Budget::unlimited()).unwrap();
            let Composition::Closed(part) = found else {
                panic!("one pair")
            };
            PoweredPair {
                times: *times,
                ..part
            }
        };
        all.iter().map(part).collect()
    }

    /// Lattices with little in common: each parameter is one step, whose losses are k/σ² about 0. Those with much in common stay as they are.
    #[test]
    fn discrete_gaussians_of_two_parameters() {
        let few = |all: &[(&str, u64)]| {
            let parts = parts(all);
            in_few_steps(&parts.iter().collect::<Vec<_>>())
        };
        let found = few(&[("1", 2), ("1.37", 3)]).unwrap();
        let square = Rational::from((18769, 10000)).recip();
        let losses = [
            (Rational::from(-1), Rational::from(1)),
            (Rational::from(&square * -3) / 2u32, square),
        ];
        assert_eq!(found.len(), 2);
        for (one, losses) in found.iter().zip(losses) {
            assert_eq!((one.steps, &one.losses), (1, &Some(losses)));
        }
        assert!(few(&[("1", 2), ("2", 3)]).is_none() && few(&[("1.37", 3)]).is_none());
    }

    /// By all sums of two and three masses, to 30 digits (mpmath).
    #[test]
    fn two_parameters_by_enumeration() {
        let of = [("1", 2u64), ("1.37", 3)].map(|(sigma, times)| {
            let one = Mechanism::discrete_gaussian(sigma, 1).unwrap();
            (one, times)
        });
        let analysis = crate::Analysis::of(Mechanism::compose(of.to_vec()).unwrap());
        let analysis = analysis.prepare().unwrap();
        for (epsilon, truth) in [("2", 0.292_340_681_921_208), ("1/2", 0.568_924_624_889_832)] {
            let found = analysis.delta(epsilon).unwrap();
            let (low, high) = (found.lower().to_f64(), found.upper().to_f64());
            assert!(low <= truth && truth <= high, "{epsilon}: {low} {high}");
            assert!(high - low < 1e-3, "{epsilon}: {low} {high}");
        }
    }
}
