//! One step of a composition as many small atoms: quadrature nodes where the loss is continuous.

use super::elementary::{exp, ln, ln_1p};
use super::law::{Atom, Law};
use super::pair::{Pair, subsampled_loss};
use super::real::log_add;

/// A pair that is composed `times` times.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// The finite losses, increasing.
    pub atoms: Vec<Atom>,
    /// Q(L = ∞).
    pub infinite: f64,
    /// P(L = −∞).
    pub null_only: f64,
    /// Infimum and supremum of the finite losses.
    pub support: (f64, f64),
    /// All atoms that are no quadrature nodes lie on it.
    pub lattice: Option<Lattice>,
    /// Are there no quadrature nodes?
    pub is_discrete: bool,
    /// Number of copies.
    pub times: f64,
}

/// offset + unit·ℤ; a single point if unit is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lattice {
    pub offset: f64,
    pub unit: f64,
}

/// Gaussian mass farther out than this many standard deviations is left out: e^{−128}.
const FARTHEST: f64 = 16.0;
/// Nodes on one interval of a continuous loss.
const NODES: usize = 1 << 16;
/// Beyond these, P and Q of one step are told apart for certain.
const CERTAIN_MU: f64 = 1e5;
const CERTAIN_LOSS: f64 = 1e9;
/// Laplace densities e^{y/2} are left out where they are e^{−128} of the largest.
const LAPLACE_REACH: f64 = 256.0;

impl Step {
    /// `steps` is the number of different steps in the composition, which share the work.
    pub(super) fn new(pair: &Pair, times: f64, steps: usize) -> Self {
        let nodes = (NODES / if times > 50.0 { 4 } else { 1 } / steps.max(1)).max(1 << 11);
        let settled = settled(pair);
        let pair = settled.as_ref().unwrap_or(pair);
        let lattice = Lattice::of(&pair.losses());
        let mut atoms = atoms(pair, nodes);
        atoms.retain(|atom| atom.log_mass > f64::NEG_INFINITY && atom.loss.is_finite());
        Self {
            atoms,
            infinite: pair.infinite(),
            null_only: match pair {
                Pair::Subsampled { .. } => 0.0,
                pair => pair.null_only(),
            },
            support: pair.support(),
            lattice,
            is_discrete: is_discrete(pair),
            times,
        }
    }

    /// The same step with neighbouring atoms put together, for planning.
    pub(super) fn coarse(&self, most: usize) -> Self {
        let size = self.atoms.len().div_ceil(most.max(1)).max(1);
        let merged = self.atoms.chunks(size).map(merge).collect();
        Self {
            atoms: merged,
            ..self.clone()
        }
    }
}

/// The pair without losses that are too large to be told from infinite ones, and with compositions as losses with masses.
fn settled(pair: &Pair) -> Option<Pair> {
    match pair {
        Pair::Gaussian(mu) if *mu > CERTAIN_MU => Some(Pair::Law(Law::certain(1.0, 1.0).into())),
        Pair::Contour(contour) => Some(Pair::Law(contour.law().clone())),
        Pair::Laplace(largest) if *largest > CERTAIN_LOSS => {
            Some(Pair::Law(Law::certain(1.0, 1.0).into()))
        }
        Pair::Subsampled { rate, of } => settled(of).map(|of| Pair::Subsampled {
            rate: *rate,
            of: Box::new(of),
        }),
        _ => None,
    }
}

/// The atom at the mean loss.
pub(super) fn merge(atoms: &[Atom]) -> Atom {
    let largest = atoms
        .iter()
        .map(|atom| atom.log_mass)
        .fold(f64::NEG_INFINITY, f64::max);
    let (mut mass, mut moment) = (0.0, 0.0);
    for atom in atoms {
        let weight = exp(atom.log_mass - largest);
        mass += weight;
        moment += weight * atom.loss;
    }
    Atom {
        loss: moment / mass,
        log_mass: largest + ln(mass),
    }
}

fn is_discrete(pair: &Pair) -> bool {
    match pair {
        Pair::Gaussian(_) | Pair::Laplace(_) | Pair::Mixtures(_) | Pair::Profiled(_) => false,
        Pair::Law(_) | Pair::Contour(_) => true,
        Pair::Labelled(parts) => parts.iter().all(|(_, of)| is_discrete(of)),
        Pair::Subsampled { of, .. } => is_discrete(of),
    }
}

fn atoms(pair: &Pair, nodes: usize) -> Vec<Atom> {
    match pair {
        Pair::Gaussian(mu) => gaussian(*mu, nodes),
        Pair::Laplace(largest) => laplace(*largest, nodes),
        Pair::Law(law) => law.atoms().to_vec(),
        Pair::Contour(contour) => contour.law().atoms().to_vec(),
        Pair::Mixtures(mixtures) => mixtures.atoms(nodes),
        Pair::Profiled(profile) => profile.atoms(nodes),
        Pair::Labelled(parts) => {
            let mut all: Vec<Atom> = Vec::new();
            for (weight, of) in &**parts {
                let settled = settled(of);
                let of = settled.as_ref().unwrap_or(of);
                let weighted = |atom: Atom| Atom {
                    log_mass: atom.log_mass + ln(*weight),
                    ..atom
                };
                all.extend(
                    atoms(of, nodes / parts.len().max(1))
                        .into_iter()
                        .map(weighted),
                );
            }
            all.sort_by(|a, b| a.loss.total_cmp(&b.loss));
            all
        }
        Pair::Subsampled { rate, of } => {
            let map = |atom: Atom| {
                let loss = subsampled_loss(*rate, atom.loss);
                Atom {
                    loss,
                    log_mass: atom.log_mass - atom.loss + loss,
                }
            };
            let mut mapped: Vec<Atom> = Vec::new();
            // Where only P has mass, Q' has (1 − r) times that.
            let null_only = of.null_only();
            if null_only > 0.0 {
                let loss = ln_1p(-rate);
                mapped.push(Atom {
                    loss,
                    log_mass: ln(null_only) + loss,
                });
            }
            mapped.extend(atoms(of, nodes).into_iter().map(map));
            mapped
        }
    }
}

/// The trapezoidal rule, which is exact to rounding for analytic integrands; around both means.
fn gaussian(mu: f64, nodes: usize) -> Vec<Atom> {
    let zones = if mu > 2.0 * FARTHEST {
        vec![(-FARTHEST, FARTHEST), (mu - FARTHEST, mu + FARTHEST)]
    } else {
        vec![(-FARTHEST, mu + FARTHEST)]
    };
    let mut atoms = Vec::with_capacity(zones.len() * nodes);
    for (low, high) in zones {
        let step = (high - low) / nodes as f64;
        let log_step = ln(step) - ln(std::f64::consts::TAU) / 2.0;
        atoms.extend((0..nodes).map(|i| {
            let z = low + step * (i as f64 + 0.5);
            Atom {
                loss: mu * (z - mu / 2.0),
                log_mass: log_step - (z - mu) * (z - mu) / 2.0,
            }
        }));
    }
    atoms
}

/// Masses ½ and e^{−ε0}/2 at the ends, density e^{(y − ε0)/2}/4 between: Gauss's rule of two nodes on equal panels.
fn laplace(largest: f64, nodes: usize) -> Vec<Atom> {
    let zones = if largest > LAPLACE_REACH {
        vec![
            (-largest, LAPLACE_REACH - largest),
            (largest - LAPLACE_REACH, largest),
        ]
    } else {
        vec![(-largest, largest)]
    };
    let ln_2 = std::f64::consts::LN_2;
    let mut atoms = vec![Atom {
        loss: -largest,
        log_mass: -largest - ln_2,
    }];
    for (low, high) in zones {
        let panel = (high - low) / (nodes / 2) as f64;
        for i in 0..nodes / 2 {
            let middle = low + panel * (i as f64 + 0.5);
            let reach = panel / (2.0 * 3f64.sqrt());
            atoms.extend([middle - reach, middle + reach].map(|loss| Atom {
                loss,
                log_mass: ln(panel / 8.0) + (loss - largest) / 2.0,
            }));
        }
    }
    atoms.push(Atom {
        loss: largest,
        log_mass: -ln_2,
    });
    atoms
}

impl Lattice {
    /// The coarsest lattice with these points; `None` if there is none worth having.
    fn of(losses: &[f64]) -> Option<Self> {
        let offset = *losses.first()?;
        let reach = losses.last()? - offset;
        let mut unit = 0.0;
        for loss in losses {
            unit = common_unit(unit, loss - offset, reach)?;
        }
        Some(Self { offset, unit })
    }

    /// The unit of which both units are multiples.
    pub(super) fn common(self, unit: f64, reach: f64) -> Option<f64> {
        common_unit(self.unit, unit, reach)
    }
}

/// Euclid's algorithm, up to rounding; `None` for a unit too small to tell from rounding.
fn common_unit(mut a: f64, mut b: f64, reach: f64) -> Option<f64> {
    const ROUNDING: f64 = 1e-10;
    const SMALLEST: f64 = 1e-6;
    while b > ROUNDING * reach {
        let quotient = (a / b).round();
        (a, b) = (b, (a - quotient * b).abs());
    }
    (a == 0.0 || a > SMALLEST * reach).then_some(a)
}

/// Finite laws composed exactly, while the products of atoms stay few; losses that agree to rounding are merged.
pub(super) fn multiplied_out(steps: &[Step]) -> Option<Vec<Atom>> {
    let mut product = vec![Atom {
        loss: 0.0,
        log_mass: 0.0,
    }];
    for step in steps {
        let mut square = step.atoms.clone();
        let mut times = step.times;
        if times > 1e6 {
            return None;
        }
        loop {
            if times % 2.0 == 1.0 {
                product = times_law(&product, &square)?;
            }
            times = (times / 2.0).floor();
            if times == 0.0 {
                break;
            }
            square = times_law(&square, &square)?;
        }
    }
    Some(product)
}

fn times_law(a: &[Atom], b: &[Atom]) -> Option<Vec<Atom>> {
    const MOST: usize = 1 << 20;
    const SAME: f64 = 1e-12;
    if a.len().checked_mul(b.len())? > MOST {
        return None;
    }
    let mut all: Vec<Atom> = a
        .iter()
        .flat_map(|x| {
            b.iter().map(|y| Atom {
                loss: x.loss + y.loss,
                log_mass: x.log_mass + y.log_mass,
            })
        })
        .collect();
    all.sort_by(|x, y| x.loss.total_cmp(&y.loss));
    let reach = [a, b]
        .iter()
        .flat_map(|law| [law.first(), law.last()])
        .flatten()
        .map(|atom| atom.loss.abs())
        .fold(0.0, f64::max);
    let mut merged: Vec<Atom> = Vec::with_capacity(all.len());
    for atom in all {
        match merged.last_mut() {
            Some(last) if atom.loss - last.loss <= SAME * reach => {
                last.log_mass = log_add(last.log_mass, atom.log_mass);
            }
            _ => merged.push(atom),
        }
    }
    Some(merged)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both masses of every quadrature sum to 1, sampled or not, small or large.
    #[test]
    fn masses_sum_to_one() {
        for pair in [
            Pair::Gaussian(0.1),
            Pair::Gaussian(3.0),
            Pair::Gaussian(80.0),
            Pair::Laplace(2.0),
            Pair::Laplace(600.0),
        ] {
            let sampled = Pair::Subsampled {
                rate: 1e-3,
                of: Box::new(pair.clone()),
            };
            for pair in [pair, sampled] {
                let step = Step::new(&pair, 100.0, 1);
                let mass: f64 = step.atoms.iter().map(|a| a.log_mass.exp()).sum();
                let null: f64 = step.atoms.iter().map(|a| (a.log_mass - a.loss).exp()).sum();
                assert!((mass - 1.0).abs() < 1e-9, "{pair:?} {mass}");
                assert!((null - 1.0).abs() < 1e-9, "{pair:?} {null}");
            }
        }
    }

    #[test]
    fn lattices() {
        let unit = |losses: &[f64]| Lattice::of(losses).map(|l| l.unit);
        assert!((unit(&[-0.3, 0.0, 0.2]).unwrap() - 0.1).abs() < 1e-12);
        assert_eq!(unit(&[0.7]), Some(0.0));
        assert_eq!(unit(&[0.0, 1.0, 2f64.sqrt()]), None);
        assert_eq!(unit(&[]), None);
    }

    #[test]
    fn binomial_law() {
        let p = f64::exp(0.5) / (1.0 + f64::exp(0.5));
        let atoms = vec![
            Atom {
                loss: -0.5,
                log_mass: f64::ln(1.0 - p),
            },
            Atom {
                loss: 0.5,
                log_mass: p.ln(),
            },
        ];
        let step = Step {
            atoms,
            infinite: 0.0,
            null_only: 0.0,
            support: (-0.5, 0.5),
            lattice: None,
            is_discrete: true,
            times: 5.0,
        };
        let law = multiplied_out(&[step]).unwrap();
        assert_eq!(law.len(), 6);
        let two = law[2];
        assert!((two.loss + 0.5).abs() < 1e-12);
        let truth: f64 = 10.0 * p.powi(2) * (1.0 - p).powi(3);
        assert!((two.log_mass.exp() / truth - 1.0).abs() < 1e-12);
    }
}
