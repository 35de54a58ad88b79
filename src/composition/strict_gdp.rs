//! Strict Gaussian differential privacy: the least μ with G_μ ≤ f on all of [0, 1].

use std::sync::Arc;

use rug::{Integer, Rational};

use super::labelled_gaussians::labelled_gaussians;
use super::mu::Mu;
use super::parts::{Composition, PairKind, PoweredPair, RenyiKind};
use crate::kernel::LossBound;
use crate::mechanism::closed::ClosedPair;
use crate::mechanism::finite::{FiniteLaw, Mass};
use crate::mechanism::shifted::{Noise, ShiftedNoise};
use crate::mechanism::{Direction, Step, Steps};
use crate::renyi::class;

/// What is known about strict μ* (the same for both orders of the pair, as G_μ is symmetric).
pub enum StrictMu {
    /// The number itself.
    Exact {
        /// μ*.
        value: Mu,
        /// The theorem.
        why: &'static str,
    },
    /// No finite μ will do: f(0) < 1 or f⁻¹(0) < 1.
    NoFinite {
        /// The reason.
        why: &'static str,
    },
    /// That of all ρ-zCDP mechanisms, ρ > 0, or of a sample of them: at least √(2ρ), at most [`enough`](super::concentrated::enough).
    Concentrated {
        /// ρ.
        rho: Rational,
        /// The theorem.
        why: &'static str,
    },
    /// Bounds from the parts.
    Between {
        /// A number μ* is not below.
        at_least: Mu,
        /// A number μ* is not above, where one is known.
        at_most: Option<Mu>,
        /// The theorem.
        why: &'static str,
    },
    /// Nothing follows from the description.
    Unknown,
}

impl StrictMu {
    /// A number μ* is not above, where one is known, with the theorem.
    pub fn at_most(&self) -> Option<(Mu, &'static str)> {
        match self {
            Self::Exact { value, why } => Some((value.clone(), why)),
            Self::Concentrated { rho, why } => Some((Mu::of_concentrated(rho.clone()), why)),
            Self::Between { at_most, why, .. } => Some((at_most.clone()?, why)),
            Self::NoFinite { .. } | Self::Unknown => None,
        }
    }
}

const GAUSSIAN: &str = "Gaussians compose to mu = sqrt(sum of mu_i^2); Poisson subsampling at any rate r > 0 leaves the \
    strict mu of a record that is added or removed unchanged, because Q' >= r^T Q and the Gaussian tail forces it as alpha -> 0";
const TAILS: &str = "a record in one of several steps is worth at most the Gaussian of one step, and Q is at least a fixed part of that Gaussian, \
    whose tail forces mu as alpha -> 0";
const LABELLED: &str = "each part is worth at most the Gaussian of the farthest one, whose tail forces mu as alpha -> 0, whatever its weight";
const LABELLED_PARTS: &str = "each part of a mixture is worth at most the Gaussian of its farthest one, whose tail forces mu as alpha -> 0, whatever its weight; \
    Gaussians compose to mu = sqrt(sum of mu_i^2), and Poisson subsampling leaves it unchanged";
const LAPLACE: &str = "the trade-off curve of Laplace noise meets its Gaussian bound at alpha = beta = exp(-epsilon/2)/2";
const CLOSED: &str =
    "the trade-off curve of one selection meets its Gaussian bound at the fixed point alpha = beta";
const VERTICES: &str =
    "a piecewise linear trade-off curve lies above a convex one if its vertices do";
const INFINITE: &str = "an outcome that occurs under one hypothesis only gives f(0) < 1 or f(alpha) = 0 for some alpha < 1, \
    and every Gaussian curve has G(0) = 1 and G > 0 before 1";
const RENYI_TAIL: &str = "Renyi guarantees at finitely many orders allow power tails, q >= c*p^((t-1)/t) at the largest order t as p -> 0, \
    and no Gaussian curve does";
const RENYI_MEMBER: &str = "the Gaussian mechanism with mu^2 = 2*rho is rho-zCDP, and Poisson subsampling leaves its strict mu of a record that is added or removed unchanged";
const CONCENTRATED: &str = "a rho-zCDP mechanism has tests of power b at size exp(-(sqrt(-log b) + sqrt(rho))^2) or more, and the Gaussian mechanism with \
    mu^2 = 2*rho is one";
const CONCENTRATED_PARTS: &str = "a rho-zCDP mechanism has tests of power b at size exp(-(sqrt(-log b) + sqrt(rho))^2) or more, rho adds up and does not \
    grow by sampling, and the Gaussian mechanism with mu^2 = 2*rho is rho-zCDP, whose strict mu of a record that is added or removed Poisson subsampling leaves unchanged";
const PARTS: &str = "composition of mu_i-GDP parts is sqrt(sum of mu_i^2)-GDP, no part is more informative than the whole, \
    Poisson subsampling is post-processing, and far out the tails of discrete Gaussians and of mixtures are those of Gaussians";

/// Strict μ* of a mechanism, as far as its steps and its resolved composition tell.
pub fn strict_mu(steps: &Steps, composition: &Composition) -> StrictMu {
    if let Composition::Closed(PoweredPair {
        kind: PairKind::Finite(law),
        ..
    }) = composition
    {
        return of_finite_law(law);
    }
    if let Some(strict) = of_class(steps, composition) {
        return strict;
    }
    if let Some(square) = mu_squared(composition) {
        return StrictMu::Exact {
            value: Mu::root(square),
            why: GAUSSIAN,
        };
    }
    if let Some(square) = gaussian_tails(steps) {
        return StrictMu::Exact {
            value: Mu::root(square),
            why: TAILS,
        };
    }
    if let Some(square) = labelled_gaussians(steps) {
        return StrictMu::Exact {
            value: Mu::root(square),
            why: match steps.single() {
                Some(Step::Labelled(_)) => LABELLED,
                _ => LABELLED_PARTS,
            },
        };
    }
    let bases = steps
        .list()
        .iter()
        .map(|(step, times)| Some((Base::of(step)?, *times)));
    let Some(bases) = bases.collect::<Option<Vec<_>>>() else {
        return StrictMu::Unknown;
    };
    let has_infinite =
        |base: &(Base, u64)| matches!(&base.0, Base::Finite(law) if is_one_sided(law));
    if bases.iter().any(has_infinite) {
        return StrictMu::NoFinite { why: INFINITE };
    }
    match bases.as_slice() {
        [(Base::Laplace(epsilon), 1)] => StrictMu::Exact {
            value: Mu::of_laplace(epsilon),
            why: LAPLACE,
        },
        [(Base::Closed(pair), 1)] => StrictMu::Exact {
            value: Mu::of_closed(pair),
            why: CLOSED,
        },
        _ => from_parts(&bases),
    }
}

/// Σ times·μ², if every step is below a Gaussian of that μ and has its tails; `None` if no step is given by its profile.
fn gaussian_tails(steps: &Steps) -> Option<Rational> {
    let is_closed = |(step, _): &(Step, u64)| matches!(step, Step::Closed(_));
    if !steps.list().iter().any(is_closed) {
        return None;
    }
    let of = |step: &Step| match step {
        Step::Gaussian { mu_squared } => Some(mu_squared.clone()),
        Step::Sampled(sampled) => sampled.mu_squared().cloned(),
        Step::Closed(pair) => pair.strict_mu_squared(),
        _ => None,
    };
    steps
        .list()
        .iter()
        .try_fold(Rational::new(), |sum, (step, times)| {
            Some(sum + of(step)? * Integer::from(*times))
        })
}

/// A class with Rényi guarantees. With P = Q guaranteed the curve is that of no information.
fn of_class(steps: &Steps, composition: &Composition) -> Option<StrictMu> {
    let part = match composition {
        Composition::Closed(part) | Composition::Class { upper: part, .. } => part,
        _ => return None,
    };
    let PairKind::Class(kind) = part.kind else {
        return None;
    };
    let informs = !matches!(part.profile.max_loss(64), LossBound::Finite { .. });
    if kind == RenyiKind::Rdp && informs && class::has_no_largest(steps, None, Direction::Remove) {
        return Some(StrictMu::NoFinite { why: RENYI_TAIL });
    }
    let square = match composition {
        Composition::Class { lower, .. } => match &lower.kind {
            PairKind::Gaussian { square } => square.clone(),
            _ => Rational::new(),
        },
        _ => gaussian_member(steps),
    };
    if let Some((rho, why)) = concentrated(steps).filter(|_| informs) {
        return Some(StrictMu::Concentrated {
            rho: rho.clone(),
            why,
        });
    }
    let most = class::rho(steps).and_then(|range| range.at_most);
    let at_most = most.filter(|rho| *rho > 0).map(Mu::of_concentrated);
    Some(if informs {
        StrictMu::Between {
            at_least: Mu::root(square),
            why: match at_most {
                Some(_) => CONCENTRATED_PARTS,
                None => RENYI_MEMBER,
            },
            at_most,
        }
    } else {
        StrictMu::Exact {
            value: Mu::root(Rational::new()),
            why: RENYI_MEMBER,
        }
    })
}

/// ρ of one ρ-zCDP mechanism, or of that on a sample, which is ρ-zCDP and has the Gaussian mechanism's strict μ.
fn concentrated(steps: &Steps) -> Option<(&Rational, &'static str)> {
    let (of, why) = match steps.single()? {
        Step::Sampled(sampled) => (sampled.of().single()?, CONCENTRATED_PARTS),
        of => (of, CONCENTRATED),
    };
    if let Step::Zcdp { rho } = of {
        Some((rho, why))
    } else {
        None
    }
}

/// μ² of a Gaussian mechanism of a class, before subsampling.
fn gaussian_member(steps: &Steps) -> Rational {
    let of_one = |(step, _): &(Step, u64)| match step {
        Step::Zcdp { rho } => Rational::from(rho * 2u32),
        Step::Sampled(sampled) => gaussian_member(sampled.of()),
        Step::Gaussian { .. }
        | Step::Laplace { .. }
        | Step::DiscreteGaussian { .. }
        | Step::Finite(_)
        | Step::Shifted(_)
        | Step::Labelled(_)
        | Step::Closed(_)
        | Step::Rdp { .. } => Rational::new(),
    };
    steps.list().iter().map(of_one).max().unwrap_or_default()
}

/// Σ times·μ², if all parts are Gaussian, subsampled or not.
fn mu_squared(composition: &Composition) -> Option<Rational> {
    let parts = match composition {
        Composition::Closed(part) => std::slice::from_ref(part),
        Composition::Parts(parts) => parts.as_slice(),
        Composition::Class { .. } | Composition::Unsupported(_) => return None,
    };
    parts
        .iter()
        .try_fold(Rational::new(), |sum, part| match &part.kind {
            PairKind::Gaussian { square } | PairKind::SubsampledGaussian { square, .. } => {
                Some(sum + Rational::from(square * Integer::from(part.times)))
            }
            PairKind::Shifted(pair) => {
                let tails = match pair.noise() {
                    Noise::Gaussian { unit_squared } => ShiftedTails::of(pair, unit_squared),
                    Noise::Laplace { .. }
                    | Noise::DiscreteGaussian { .. }
                    | Noise::DiscreteLaplace { .. }
                    | Noise::GaussianSum { .. }
                    | Noise::Skellam { .. } => return None,
                };
                (tails.stated == tails.farthest)
                    .then(|| sum + tails.farthest * Integer::from(part.times))
            }
            _ => None,
        })
}

/// What tails tell of mixtures of shifted Gaussian noise, all as squares.
///
/// Far out Q is at least a multiple of its farthest part and P at most its nearest one, so that G_m ≤ f^{⊗T} with m below √T times their distance would fail as
/// α → 0: at the half-space where the sum of the coordinates is large P has at most Φ(−a), Q at least pᵀ·Φ(−a + √T·distance). And the pair is dominated by that of
/// the farthest shifts (`proofs/README.md`, N7 and N8).
struct ShiftedTails {
    /// Of the pair as written.
    stated: Rational,
    /// Of the pair in the other order.
    swapped: Rational,
    /// Of the Gaussian pair that dominates.
    farthest: Rational,
}

impl ShiftedTails {
    fn of(pair: &ShiftedNoise, unit_squared: &Rational) -> Self {
        let squared = |shift: Rational| shift.square() * unit_squared;
        Self {
            stated: squared(pair.with().most() + pair.without().least()),
            swapped: squared(pair.without().most() + pair.with().least()),
            farthest: squared(pair.farthest()),
        }
    }
}

/// The parts of which strict μ* is known or bounded.
enum Base {
    /// Gaussian, subsampled or not, with μ².
    Gaussian(Rational),
    /// Laplace with ε0.
    Laplace(Rational),
    /// At most Laplace with this ε0: subsampled, with the ε0 before sampling, or mixtures, with that of their farthest shifts.
    BelowLaplace(Rational),
    /// Discrete Gaussian, subsampled or not, with (d/σ)²; or mixtures, with the distance of their tails.
    DiscreteGaussian(Rational),
    Finite(Arc<FiniteLaw>),
    /// At most that law.
    BelowFinite(Arc<FiniteLaw>),
    /// Mixtures of shifted Gaussian noise.
    Shifted(ShiftedTails),
    /// Another pair whose μ* is known.
    Closed(ClosedPair),
    /// At most that pair.
    BelowClosed(ClosedPair),
}

impl Base {
    /// `None` where nothing is known of the step, and for classes.
    fn of(step: &Step) -> Option<Self> {
        if let Some(law) = step.finite_law() {
            return Some(Self::Finite(Arc::clone(law)));
        }
        Some(match step {
            Step::Gaussian { mu_squared } => Self::Gaussian(mu_squared.clone()),
            Step::Laplace { epsilon } => Self::Laplace(epsilon.clone()),
            Step::DiscreteGaussian { sigma, sensitivity } => {
                Self::DiscreteGaussian((Rational::from(*sensitivity) / sigma).square())
            }
            Step::Shifted(pair) => Self::of_shifted(pair)?,
            Step::Finite(_) | Step::Zcdp { .. } | Step::Rdp { .. } | Step::Labelled(_) => {
                return None;
            }
            // Post-processing of the noise without a batch, and no less than the same noise on a Poisson sample (`proofs/README.md`, W5).
            Step::Closed(ClosedPair::FixedBatches(batches)) => match Self::of(batches.apart()?)? {
                base @ Self::Gaussian(_) => base,
                _ => return None,
            },
            Step::Closed(pair) => {
                pair.strict_mu(64)?;
                Self::Closed(pair.clone())
            }
            // Subsampling is post-processing (keep the output with probability r, else draw from P), so μ* does not grow.
            Step::Sampled(sampled) => match Self::of(sampled.of().single()?)? {
                base @ (Self::Gaussian(_) | Self::DiscreteGaussian(_)) => base,
                Self::Laplace(epsilon) => Self::BelowLaplace(epsilon),
                Self::Closed(pair) => Self::BelowClosed(pair),
                Self::BelowLaplace(_)
                | Self::BelowClosed(_)
                | Self::Finite(_)
                | Self::BelowFinite(_)
                | Self::Shifted(_) => {
                    return None;
                }
            },
        })
    }

    fn of_shifted(pair: &ShiftedNoise) -> Option<Self> {
        Some(match pair.noise() {
            Noise::Gaussian { unit_squared } => Self::Shifted(ShiftedTails::of(pair, unit_squared)),
            Noise::Laplace { unit } => Self::BelowLaplace(pair.farthest() * unit),
            Noise::DiscreteGaussian { sigma, unit } => {
                Self::DiscreteGaussian((pair.tails_apart() * unit / sigma).square())
            }
            // Its masses are those of discrete Gaussian noise of variance N·σ², up to factors between two bounds.
            Noise::GaussianSum {
                sigma,
                parties,
                unit,
            } => {
                let square = (pair.tails_apart() * unit / sigma).square();
                Self::DiscreteGaussian(square / *parties)
            }
            Noise::Skellam { .. } => return None,
            Noise::DiscreteLaplace { .. } => {
                Self::BelowFinite(Arc::clone(Step::farthest(pair)?.finite_law()?))
            }
        })
    }
}

fn from_parts(bases: &[(Base, u64)]) -> StrictMu {
    // Of the Gaussian parts together, in either order and at most.
    let mut gaussian = [Rational::new(), Rational::new(), Rational::new()];
    let mut least = Vec::new();
    let mut most = Some(Vec::new());
    for (base, times) in bases {
        let (low, high) = match base {
            Base::Gaussian(square) => {
                for sum in &mut gaussian {
                    *sum += Rational::from(square * Integer::from(*times));
                }
                continue;
            }
            Base::Shifted(tails) => {
                let squares = [&tails.stated, &tails.swapped, &tails.farthest];
                for (sum, square) in gaussian.iter_mut().zip(squares) {
                    *sum += Rational::from(square * Integer::from(*times));
                }
                continue;
            }
            Base::Laplace(epsilon) => {
                let mu = Mu::of_laplace(epsilon);
                (Some(mu.clone()), Some(mu))
            }
            Base::BelowLaplace(epsilon) => (None, Some(Mu::of_laplace(epsilon))),
            Base::Closed(pair) => {
                let mu = Mu::of_closed(pair);
                (Some(mu.clone()), Some(mu))
            }
            Base::BelowClosed(pair) => (None, Some(Mu::of_closed(pair))),
            Base::BelowFinite(law) => (None, Some(Mu::of_finite(law))),
            // At α = P(k ≥ m) the tails are e^{−m²/(2σ²)} and r·e^{−(m−d)²/(2σ²)} up to factors that do not matter to
            // Φ⁻¹ as m → ∞: the difference of the quantiles tends to √times·d/σ. Of mixtures, Q is at least r times its farthest part and P at most
            // its nearest one. No upper bound is proved here.
            Base::DiscreteGaussian(square) => (
                Some(Mu::root(Rational::from(square * Integer::from(*times)))),
                None,
            ),
            Base::Finite(law) => {
                let mu = Mu::of_finite(law);
                (Some(mu.clone()), Some(mu))
            }
        };
        least.extend(low);
        match (&mut most, high) {
            (Some(most), Some(high)) => most.push((high, *times)),
            (most, _) => *most = None,
        }
    }
    let [stated, swapped, farthest] = gaussian;
    least.push(Mu::root(stated.max(swapped)));
    if let Some(most) = &mut most {
        most.push((Mu::root(farthest), 1));
    }
    StrictMu::Between {
        at_least: Mu::largest(least),
        at_most: most.map(Mu::root_of_sum),
        why: PARTS,
    }
}

fn of_finite_law(law: &Arc<FiniteLaw>) -> StrictMu {
    if is_one_sided(law) {
        return StrictMu::NoFinite { why: INFINITE };
    }
    if law.infinite().is_zero() && law.null_only().is_zero() {
        return StrictMu::Exact {
            value: Mu::of_finite(law),
            why: VERTICES,
        };
    }
    StrictMu::Unknown
}

/// Is mass on one side only known to be there?
fn is_one_sided(law: &FiniteLaw) -> bool {
    let is_positive = |mass: &Mass| {
        [128, 1024, 4096]
            .iter()
            .any(|bits| mass.enclose(*bits).is_positive())
    };
    is_positive(law.infinite()) || is_positive(law.null_only())
}

#[cfg(test)]
#[path = "strict_gdp_tests.rs"]
mod tests;
