//! The composition of two pairs, one discretised and one in closed form.
//!
//! δ of the composition is E δ₂(u·e^{−Y}) with Y the loss of the first pair. With a discrete PLD whose profile is above (below)
//! the first one in place of its law the same average is above (below) it (S2 in [`crate::law`]); the second profile
//! is evaluated exactly, so only one discretisation counts and its knots may lie anywhere.

use std::sync::Arc;

use rug::Float;

use super::bases::sampled_table;
use crate::kernel::{Accuracy, Budget, Failure, Interval, LossBound, Point, Profile, ProfilePoint};
use crate::law::{CellTable, Mass, lower_atoms, upper_atoms};
use crate::plan::PairPlan;

/// Working bits of an average.
const BITS: u32 = 160;

/// A profile above the true one and one below it.
pub struct Between {
    /// Nowhere below.
    pub upper: Arc<dyn Profile>,
    /// Nowhere above.
    pub lower: Arc<dyn Profile>,
}

/// Profiles above and below the composition of `first` (discretised as planned) and `second`.
///
/// # Errors
/// [`Failure::Interrupted`] when the budget ends; an invariant violation is an internal error.
pub fn two_steps(
    first: &dyn Profile,
    second: &Arc<dyn Profile>,
    plan: &PairPlan,
    budget: &Budget,
) -> Result<Between, Failure> {
    let place = (&plan.lattice, plan.indices.as_slice());
    let table: CellTable<LIMBS> = sampled_table(first, place, plan.sampling, plan.bits, budget)?;
    let positions = plan.lattice.positions(BITS);
    let unit = |mass: &Mass<LIMBS>| probability(mass, plan.bits);
    let average = |atoms: Vec<Atom>, top: Float| -> Arc<dyn Profile> {
        Arc::new(Average::new(atoms, top, second.clone()))
    };
    let upper = upper_atoms(&table)?;
    let above = upper.atoms.iter().filter(|(_, mass)| !mass.is_zero());
    let above = above.map(|(index, mass)| {
        let (loss, q) = (positions.at(*index), unit(mass));
        let p = loss.neg().exp().mul(&Interval::point(q.clone()));
        Atom { loss, q, p }
    });
    let lower = lower_atoms(&table);
    let below = lower
        .atoms
        .iter()
        .filter(|atom| !atom.mass.is_zero() && !atom.scaled_p.is_zero());
    let below = below.map(|atom| {
        let (label, q) = (positions.at(atom.index), unit(&atom.mass));
        let scaled_p = Interval::point(unit(&atom.scaled_p));
        let loss = label.add(&Interval::point(q.clone()).div(&scaled_p).ln());
        let p = label.neg().exp().mul(&scaled_p);
        Atom { loss, q, p }
    });
    Ok(Between {
        upper: average(above.collect(), unit(&upper.infinity_mass)),
        lower: average(below.collect(), unit(&lower.infinity_mass)),
    })
}

/// Limbs of a mass.
const LIMBS: usize = 4;

/// A mass in units of 2^−bits, exactly: it is at most 2^bits.
fn probability(mass: &Mass<LIMBS>, bits: u32) -> Float {
    Float::with_val(bits.max(BITS), mass.to_integer()) >> bits
}

/// top + Σ q_j·δ(u·e^{−y_j}).
#[derive(Clone)]
struct Average {
    atoms: Arc<Vec<Atom>>,
    top: Float,
    /// 1 − top − Σ q_j.
    missing_q: Interval,
    /// 1 − Σ q_j·e^{−y_j}; negative where a lower mixture moved mass down.
    missing_p: Interval,
    of: Arc<dyn Profile>,
    swapped_of: Arc<dyn Profile>,
}

struct Atom {
    loss: Interval,
    q: Float,
    p: Interval,
}

/// The swapped pair of an [`Average`].
struct Swapped(Average);

impl Average {
    fn new(atoms: Vec<Atom>, top: Float, of: Arc<dyn Profile>) -> Self {
        let start = Interval::one(BITS);
        let missing_q = atoms
            .iter()
            .fold(start.sub(&Interval::point(top.clone())), |rest, atom| {
                rest.sub(&Interval::point(atom.q.clone()))
            });
        let missing_p = atoms.iter().fold(start, |rest, atom| rest.sub(&atom.p));
        let swapped_of = of.swapped();
        Self {
            atoms: Arc::new(atoms),
            top,
            missing_q,
            missing_p,
            of,
            swapped_of,
        }
    }

    fn end(&self, of: LossBound, atom: Option<&Atom>) -> LossBound {
        match (of, atom) {
            (LossBound::Finite { value, .. }, Some(atom)) => LossBound::Finite {
                value: value.add(&atom.loss),
                exact: None,
            },
            _ => LossBound::Unbounded,
        }
    }
}

impl Profile for Average {
    fn at(&self, point: &Point) -> ProfilePoint {
        let start = (Interval::point(self.top.clone()), Interval::zero(BITS));
        let (delta, tail) = self.atoms.iter().fold(start, |(delta, tail), atom| {
            let at = point.minus(&atom.loss).with_accuracy(Accuracy::Absolute);
            let knot = self.of.at(&at);
            let q = Interval::point(atom.q.clone());
            (
                delta.add(&q.mul(&knot.delta)),
                tail.add(&atom.p.mul(&knot.null_tail)),
            )
        });
        ProfilePoint::on_lines([(delta.clone(), tail)], &delta, point.exp())
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(Swapped(self.clone()))
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.end(self.of.max_loss(bits), self.atoms.last())
            .at_least_zero()
    }

    /// Where Q-mass is missing, the line 1 − u takes over at some point on the left.
    fn min_loss(&self, bits: u32) -> LossBound {
        if !self.missing_q.is_zero() || *self.missing_p.lo() < 0 {
            return LossBound::Finite {
                value: Interval::whole_line(bits),
                exact: None,
            };
        }
        self.end(self.of.min_loss(bits), self.atoms.first())
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        let infinite = self.of.infinite_mass(bits);
        let finite = self
            .missing_q
            .one_minus()
            .sub(&Interval::point(self.top.clone()));
        Interval::point(self.top.clone())
            .add(&finite.mul(&infinite))
            .in_unit()
    }
}

impl Profile for Swapped {
    /// 1 − v + v·δ(1/v) for the average, with δ₂ written through its own swapped profile δ̃₂:
    /// missing_p − v·missing_q + Σ p_j·δ̃₂(v·e^{y_j}), which subtracts nothing of the size of 1.
    fn at(&self, point: &Point) -> ProfilePoint {
        let average = &self.0;
        let start = (
            average.missing_p.sub(&point.exp().mul(&average.missing_q)),
            average.missing_q.clone(),
        );
        let (delta, tail) = average.atoms.iter().fold(start, |(delta, tail), atom| {
            let at = point
                .minus(&atom.loss.neg())
                .with_accuracy(Accuracy::Absolute);
            let knot = average.swapped_of.at(&at);
            let q = Interval::point(atom.q.clone());
            (
                delta.add(&atom.p.mul(&knot.delta)),
                tail.add(&q.mul(&knot.null_tail)),
            )
        });
        ProfilePoint::on_lines([(delta.clone(), tail)], &delta, point.exp())
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.0.clone())
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.0.min_loss(bits).negated().at_least_zero()
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.0.max_loss(bits).negated()
    }

    /// None where Q-mass is missing (a lower mixture): δ is 1 − u for small u then, and this sinks to 0.
    fn infinite_mass(&self, bits: u32) -> Interval {
        if !self.0.missing_q.is_zero() {
            return Interval::zero(bits);
        }
        let infinite = self.0.swapped_of.infinite_mass(bits);
        let present = self.0.missing_p.one_minus();
        self.0.missing_p.add(&present.mul(&infinite)).in_unit()
    }
}

#[cfg(test)]
mod tests {
    use rug::{Integer, Rational};

    use super::*;

    /// Ends and mass at +∞ of an average of two atoms and more at +∞.
    #[test]
    fn ends_of_an_average() {
        let atom = |(n, d): (i32, u32), q: f64| {
            let loss = Interval::from_rational(&Rational::from((n, d)), BITS);
            let q = Float::with_val(BITS, q);
            let p = loss.neg().exp().mul(&Interval::point(q.clone()));
            Atom { loss, q, p }
        };
        let of = |text: &str| {
            let file = crate::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
            file.mechanism.profile_of_step().unwrap()
        };
        let average = |text: &str| {
            let atoms = vec![atom((-1, 2), 0.25), atom((2, 1), 0.5)];
            Average::new(atoms, Float::with_val(BITS, 0.25), of(text))
        };
        let laplace = average(r#"{"kind":"laplace","scale":1}"#);
        let is_at = |end: LossBound, at: (i32, u32)| match end {
            LossBound::Finite { value, .. } => value.contains(&Rational::from(at)),
            LossBound::Unbounded => false,
        };
        assert!(is_at(laplace.min_loss(64), (-3, 2)) && is_at(laplace.max_loss(64), (3, 1)));
        let approximate = average(r#"{"kind":"approx-dp","epsilon":1,"delta":"0.1"}"#);
        let infinite = approximate.infinite_mass(64);
        let exact = Rational::from((1, 4)) + Rational::from((3, 40));
        assert!(
            infinite.contains(&exact) && infinite.width_up() < 1e-15,
            "{infinite:?}"
        );
    }

    /// P-mass at +∞ of the other pair counts in the swapped one; where P-masses may add up to more than 1, the end on the left is not known.
    #[test]
    fn swapped_averages_and_masses_next_to_one() {
        let of = |text: &str| {
            let file = crate::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
            file.mechanism.profile_of_step().unwrap()
        };
        let atom = |loss: Interval, q: f64| {
            let q = Float::with_val(BITS, q);
            let p = loss.neg().exp().mul(&Interval::point(q.clone()));
            Atom { loss, q, p }
        };
        let third = |n: i32, d: u32| Interval::from_rational(&Rational::from((n, d)), BITS);
        let leaky = of(r#"{"kind":"approx-dp","epsilon":1,"delta":"0.1"}"#);
        let atoms = vec![atom(third(-1, 2), 0.25), atom(third(2, 1), 0.5)];
        let present = 0.25 * 0.5f64.exp() + 0.5 * (-2f64).exp();
        let found = Average::new(atoms, Float::with_val(BITS, 0.25), leaky)
            .swapped()
            .infinite_mass(64);
        let truth = 1.0 - present + present * 0.1;
        assert!((found.middle().to_f64() - truth).abs() < 1e-12 && found.width_up() < 1e-15);
        let laplace = of(r#"{"kind":"laplace","scale":1}"#);
        let tiny = Interval::point(Float::with_val(BITS, 1) >> 200u32);
        for (loss, is_known) in [(tiny.clone(), true), (tiny.neg(), false)] {
            let average = Average::new(vec![atom(loss, 1.0)], Float::new(BITS), laplace.clone());
            let LossBound::Finite { value, .. } = average.min_loss(64) else {
                panic!("a whole line")
            };
            assert_eq!(value.lo().is_finite(), is_known, "{value:?}");
        }
    }

    #[test]
    fn masses_are_converted_exactly() {
        for bits in [2u32, 64, 160, 161, 200, 250] {
            let one = Integer::from(1) << bits;
            for n in [
                Integer::new(),
                Integer::from(1),
                Integer::from(&one - 1),
                one.clone(),
            ] {
                let mass = Mass::from_integer(&n).unwrap();
                assert_eq!(probability(&mass, bits), Rational::from((n, one.clone())));
            }
        }
    }
}

#[cfg(test)]
#[path = "two_steps_tests.rs"]
mod twins;
