//! A pair of laws with finitely many losses.

use std::sync::Arc;

use rug::Rational;

use super::increasing::increasing;
use super::keyed::Keyed;
use super::loss::Loss;
use super::losses::{Listed, Losses};
use super::mass::Mass;
use super::table::{HingeTable, Numbers};
use crate::kernel::Interval;
use crate::mechanism::Direction;
use crate::mechanism::Epsilon;
use crate::mechanism::evaluate::Cache;

/// A dominating pair whose loss takes finitely many finite values, besides +∞ and −∞.
#[derive(Debug)]
pub struct FiniteLaw {
    losses: Losses,
    masses: Arc<dyn MassTable>,
    infinite: Mass,
    null_only: Mass,
    known: Vec<(Epsilon, Rational)>,
    numbers: Cache<u32, Numbers>,
    /// Losses that were asked for one by one.
    losses_alone: Cache<(u32, usize), Option<Interval>>,
    hinges: Cache<(u32, Direction), HingeTable>,
}

/// A composition with more atoms is not taken apart again.
const MOST_LISTED: usize = 5_000;

/// One finite loss and its masses.
#[derive(Debug, Clone)]
pub struct Atom {
    /// The loss.
    pub loss: Loss,
    /// Q(L = loss).
    pub with: Mass,
    /// P(L = loss) = e^{−loss}·Q(L = loss).
    pub without: Mass,
}

/// The masses of the atoms, in the order of the law.
pub trait MassTable: Send + Sync + std::fmt::Debug {
    /// Encloses Q(L = y_i), and P(L = y_i) where it has a form of its own.
    fn enclose(&self, bits: u32) -> Vec<(Interval, Option<Interval>)>;

    /// All masses as exact rationals (P's, Q's), where they are rational and short enough to be of use.
    fn exact(&self) -> Option<Arc<(Vec<Rational>, Vec<Rational>)>>;

    /// The masses (Q's, P's) one by one, where the law was given so.
    fn listed(&self) -> Option<&[(Mass, Mass)]> {
        None
    }
}

impl FiniteLaw {
    /// The law with the given atoms; equal losses are merged. `None` if the order of two losses stays undecided.
    pub fn new(mut atoms: Vec<Atom>, infinite: Mass, null_only: Mass) -> Option<Self> {
        atoms.retain(|atom| !(atom.with.is_zero() && atom.without.is_zero()));
        atoms.sort_by(|a, b| a.loss.cmp(&b.loss));
        let mut merged: Vec<Atom> = Vec::with_capacity(atoms.len());
        for atom in atoms {
            match merged.last_mut() {
                Some(last) if last.loss == atom.loss => {
                    last.with = last.with.plus(&atom.with);
                    last.without = last.without.plus(&atom.without);
                }
                _ => merged.push(atom),
            }
        }
        let bits = Listed::bits_for(merged.len());
        let placed = merged.into_iter().map(|atom| {
            let place = atom.loss.enclose(bits);
            (place.clone(), (place, atom))
        });
        let merged = increasing(placed.collect(), |(_, a), (_, b)| a.loss.compare(&b.loss))?;
        Some(Self::listed(merged, bits, infinite, null_only))
    }

    /// Requires: losses that increase strictly, each with its enclosure at `bits`.
    fn listed(placed: Vec<(Interval, Atom)>, bits: u32, infinite: Mass, null_only: Mass) -> Self {
        let (losses, masses): (Vec<_>, Vec<_>) = placed
            .into_iter()
            .map(|(place, a)| ((a.loss, place), (a.with, a.without)))
            .unzip();
        Self::of(
            Losses::Listed(Listed::new(losses, bits)),
            Arc::new(ListedMasses(masses)),
            infinite,
            null_only,
        )
    }

    /// The law of a mixture whose output says which part it came from. `None` beyond the size limits.
    ///
    /// Requires: weights > 0 that add up to 1.
    pub fn labelled(parts: &[(Rational, Arc<Self>)]) -> Option<Self> {
        let mut all = Vec::new();
        let mut ends = [Mass::zero(), Mass::zero()];
        for (weight, law) in parts {
            all.extend(law.atoms()?.into_iter().map(|atom| Atom {
                with: atom.with.scaled(weight),
                without: atom.without.scaled(weight),
                loss: atom.loss,
            }));
            for (end, of) in ends.iter_mut().zip([law.infinite(), law.null_only()]) {
                *end = end.plus(&of.scaled(weight));
            }
        }
        let [infinite, null_only] = ends;
        Self::new(all, infinite, null_only)
    }

    /// A law whose losses are keys over a basis, in increasing order, and whose masses are computed.
    ///
    /// Requires: `keyed.keys` increase strictly as real numbers and `masses` follow their order.
    pub(crate) fn computed(
        keyed: Keyed,
        masses: Arc<dyn MassTable>,
        infinite: Mass,
        null_only: Mass,
    ) -> Self {
        Self::of(Losses::Keyed(keyed), masses, infinite, null_only)
    }

    /// Adds values δ(ε) that are known exactly, for both orders of the pair.
    #[must_use]
    pub(crate) fn with_known(mut self, known: Vec<(Epsilon, Rational)>) -> Self {
        self.known = known;
        self
    }

    fn of(losses: Losses, masses: Arc<dyn MassTable>, infinite: Mass, null_only: Mass) -> Self {
        Self {
            losses,
            masses,
            infinite,
            null_only,
            known: Vec::new(),
            numbers: Cache::default(),
            losses_alone: Cache::default(),
            hinges: Cache::default(),
        }
    }

    /// The law after Poisson subsampling, P kept and Q replaced by (1 − r)P + rQ. `None` if a loss has no known form.
    ///
    /// Nothing is compared: y ↦ log(1 − r + r·e^y) increases strictly from log(1 − r), its value at −∞, and far below 0
    /// only thousands of bits would tell its values apart.
    ///
    /// Requires: `0 < rate ≤ 1`.
    pub fn subsampled(self: &Arc<Self>, rate: &Rational) -> Option<Self> {
        let rest = Rational::from(1 - rate);
        let mut atoms = Vec::with_capacity(self.len().saturating_add(1));
        let mut null_only = self.null_only.clone();
        if rest != 0 && !null_only.is_zero() {
            atoms.push(Atom {
                loss: Loss::log_of(rest.clone()),
                with: null_only.scaled(&rest),
                without: null_only,
            });
            null_only = Mass::zero();
        }
        for atom in self.atoms()? {
            atoms.push(Atom {
                loss: atom.loss.subsampled(rate)?,
                with: atom.without.scaled(&rest).plus(&atom.with.scaled(rate)),
                without: atom.without,
            });
        }
        let bits = Listed::bits_for(atoms.len());
        let placed = atoms
            .into_iter()
            .map(|atom| (atom.loss.enclose(bits), atom));
        Some(Self::listed(
            placed.collect(),
            bits,
            self.infinite.scaled(rate),
            null_only,
        ))
    }

    /// Number of finite losses.
    pub fn len(&self) -> usize {
        match &self.losses {
            Losses::Listed(listed) => listed.losses().len(),
            Losses::Keyed(keyed) => keyed.keys.len(),
        }
    }

    /// Is there no finite loss?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Q(L = ∞).
    pub fn infinite(&self) -> &Mass {
        &self.infinite
    }

    /// P(L = −∞).
    pub fn null_only(&self) -> &Mass {
        &self.null_only
    }

    /// The atoms one by one, increasing in the loss. `None` if there are many or a loss is neither rational nor the
    /// logarithm of a rational (as can happen after composition).
    pub fn atoms(self: &Arc<Self>) -> Option<Vec<Atom>> {
        if let (Losses::Listed(losses), Some(listed)) = (&self.losses, self.masses.listed()) {
            let pairs = losses.losses().iter().zip(listed);
            let atom = |(loss, (with, without)): (&Loss, &(Mass, Mass))| Atom {
                loss: loss.clone(),
                with: with.clone(),
                without: without.clone(),
            };
            return Some(pairs.map(atom).collect());
        }
        if self.len() > MOST_LISTED {
            return None;
        }
        let exact = self.exact_masses();
        let mass = |index: usize, of: fn(&Numbers) -> &Vec<Interval>| {
            let law = Arc::clone(self);
            Mass::real(move |bits| {
                let numbers = law.numbers(bits.saturating_add(64));
                let known = of(&numbers).get(index).map(|x| x.at_bits(bits));
                known.unwrap_or_else(|| Interval::whole_line(bits))
            })
        };
        let atom = |index: usize| {
            let loss = match self.rational_loss(index) {
                Some(loss) => Loss::rational(loss),
                None => Loss::log_of(self.loss_ratio(index)?),
            };
            let known = exact.as_ref().and_then(|masses| {
                let (without, with) = (masses.0.get(index)?, masses.1.get(index)?);
                Some((Mass::Exact(with.clone()), Mass::Exact(without.clone())))
            });
            let (with, without) =
                known.unwrap_or_else(|| (mass(index, |n| &n.with), mass(index, |n| &n.without)));
            Some(Atom {
                loss,
                with,
                without,
            })
        };
        (0..self.len()).map(atom).collect()
    }

    /// The loss of an atom, where it is rational.
    pub fn rational_loss(&self, index: usize) -> Option<Rational> {
        match &self.losses {
            Losses::Listed(listed) => listed.losses().get(index)?.as_rational().cloned(),
            Losses::Keyed(keyed) => keyed.rational(index),
        }
    }

    /// e^loss of an atom, where it is rational.
    pub fn loss_ratio(&self, index: usize) -> Option<Rational> {
        match &self.losses {
            Losses::Listed(listed) => listed.losses().get(index)?.as_ratio().cloned(),
            Losses::Keyed(keyed) => keyed.ratio(index),
        }
    }

    /// Exact masses (P's, Q's) of the finite atoms, where they are rational and short.
    pub fn exact_masses(&self) -> Option<Arc<(Vec<Rational>, Vec<Rational>)>> {
        self.masses.exact()
    }

    pub(crate) fn known(&self) -> &[(Epsilon, Rational)] {
        &self.known
    }

    /// Positions and masses, every operation done at the given precision.
    pub fn numbers(&self, bits: u32) -> Arc<Numbers> {
        let make = || self.compute(bits);
        self.numbers.get_or_if(&bits, make, Numbers::is_of_all)
    }

    /// Encloses the loss of an atom, without all the others.
    ///
    /// Ensures: as in [`Self::numbers`] at that precision.
    pub(crate) fn loss(&self, index: usize, bits: u32) -> Option<Interval> {
        let alone = || self.losses.enclose_one(index, bits);
        let found = self.losses_alone.get_or(&(bits, index), alone);
        found.as_ref().clone()
    }

    pub(crate) fn hinges(&self, bits: u32, direction: Direction) -> Arc<HingeTable> {
        if let Some(known) = self.hinges.known(&(bits, direction)) {
            return known;
        }
        let numbers = self.numbers(bits);
        let table = match direction {
            Direction::Remove => HingeTable::new(&numbers),
            Direction::Add => HingeTable::new(&numbers.mirrored()),
        };
        match numbers.is_of_all() {
            true => self.hinges.keep(&(bits, direction), table),
            false => Arc::new(table),
        }
    }

    fn compute(&self, bits: u32) -> Numbers {
        let positions = self.losses.enclose(bits);
        let gaps = self.losses.gaps(&positions, bits);
        let mut factor = positions
            .first()
            .map_or_else(|| Interval::one(bits), |y| y.neg().exp());
        let mut with = Vec::with_capacity(positions.len());
        let mut without = Vec::with_capacity(positions.len());
        let decays = gaps.iter().map(|(decay, _)| Some(decay)).chain([None]);
        for ((q, p), decay) in self.masses.enclose(bits).into_iter().zip(decays) {
            without.push(p.unwrap_or_else(|| q.mul(&factor)));
            with.push(q);
            if let Some(decay) = decay {
                factor = factor.mul(decay);
            }
        }
        Numbers {
            positions,
            with,
            without,
            gaps,
            infinite: self.infinite.enclose(bits),
            null_only: self.null_only.enclose(bits),
        }
    }
}

/// Masses given one by one, (Q's, P's).
#[derive(Debug)]
struct ListedMasses(Vec<(Mass, Mass)>);

impl MassTable for ListedMasses {
    fn enclose(&self, bits: u32) -> Vec<(Interval, Option<Interval>)> {
        let pair = |(q, p): &(Mass, Mass)| (q.enclose(bits), Some(p.enclose(bits)));
        self.0.iter().map(pair).collect()
    }

    fn exact(&self) -> Option<Arc<(Vec<Rational>, Vec<Rational>)>> {
        let pair = |(q, p): &(Mass, Mass)| Some((p.exact()?.clone(), q.exact()?.clone()));
        Some(Arc::new(self.0.iter().map(pair).collect::<Option<_>>()?))
    }

    fn listed(&self) -> Option<&[(Mass, Mass)]> {
        Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Point, Profile};
    use crate::mechanism::discrete_laplace;
    use crate::mechanism::finite::FiniteProfile;

    /// Losses ±10⁵ and ±3·10⁵: on a sample the two lowest are log(½) but for e^(−10⁵), which 8192 bits do not tell apart.
    #[test]
    fn losses_of_a_sample_keep_their_order_where_no_bits_tell_it() {
        let half = Rational::from((1, 2));
        let whole = discrete_laplace::law(&Rational::from((1, 100_000)), 3).map(Arc::new);
        let whole = whole.unwrap();
        let sampled = Arc::new(whole.subsampled(&half).unwrap());
        assert_eq!(sampled.len(), 4);
        // Each mass of P stands where it stood.
        for (one, other) in whole.atoms().unwrap().iter().zip(sampled.atoms().unwrap()) {
            let (one, other) = (one.without.enclose(128), other.without.enclose(128));
            assert!(one.intersect(&other).is_ok() && other.width_up() < 1e-30);
        }
        // δ(0) of a sample is r·δ(0).
        let origin = Point::at_epsilon(&Rational::new(), 128);
        let delta = |law: &Arc<FiniteLaw>| FiniteProfile::new(law.clone()).at(&origin).delta;
        let expected = delta(&whole).mul(&Interval::from_rational(&half, 128));
        assert!(delta(&sampled).intersect(&expected).is_ok());
    }
}
