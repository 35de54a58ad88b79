//! Laws that lie below a privacy profile.

use rug::{Float, Integer};

use super::{Lattice, TailBudget, balance, product};
use crate::kernel::InvariantViolation;

/// A hinge mixture whose profile is ≤ the profile it stands for, at every u > 0.
///
/// Invariant (checked at every construction): masses ≥ 0, top ≥ 0 and Σ masses + top ≤ 2^bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LowerLaw {
    lattice: Lattice,
    first: i64,
    masses: Vec<Integer>,
    top: Integer,
    bits: u32,
}

impl LowerLaw {
    /// The law with mass `masses[i]`/2^bits at the point `first + i` and `top`/2^bits at +∞.
    ///
    /// Requires for soundness: its hinge mixture lies below the profile.
    ///
    /// # Errors
    /// If a mass is negative or the total exceeds 2^bits.
    pub(super) fn new(
        lattice: Lattice,
        first: i64,
        masses: Vec<Integer>,
        top: Integer,
        bits: u32,
    ) -> Result<Self, InvariantViolation> {
        if masses.iter().sum::<Integer>() + &top > Integer::from(1) << bits {
            return Err(InvariantViolation(
                "the mass of a lower law is above one".into(),
            ));
        }
        if top < 0 || masses.iter().any(|n| *n < 0) {
            return Err(InvariantViolation("a lower law has a negative mass".into()));
        }
        Ok(Self {
            lattice,
            first,
            masses,
            top,
            bits,
        })
    }

    /// Where the atoms sit.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Index of the first atom.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// Masses in units of 2^−bits, from index `first` on.
    pub fn masses(&self) -> &[Integer] {
        &self.masses
    }

    /// Mass at +∞ in units of 2^−bits.
    pub fn top(&self) -> &Integer {
        &self.top
    }

    /// The unit of mass is 2^−bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The law of the sum of two independent losses: a lower law of the composition (S2, then S1 for the rounding).
    ///
    /// # Errors
    /// If the steps or units differ, or an invariant fails: internal errors.
    pub fn convolve(&self, other: &Self) -> Result<Self, InvariantViolation> {
        let lattice = self
            .lattice
            .sum(&other.lattice)
            .filter(|_| self.bits == other.bits);
        let lattice =
            lattice.ok_or_else(|| InvariantViolation("laws on different lattices".into()))?;
        let fine = product::convolve(&self.masses, &other.masses)?;
        let finite: Integer = self.masses.iter().sum();
        let all_of_other: Integer = other.masses.iter().sum::<Integer>() + &other.top;
        let mut above = finite * &other.top + all_of_other * &self.top;
        let top = Integer::from(&above >> self.bits);
        let mut previous = top.clone();
        let mut masses: Vec<Integer> = fine
            .iter()
            .rev()
            .map(|mass| {
                above += mass;
                let survival = Integer::from(&above >> self.bits);
                let rounded = Integer::from(&survival - &previous);
                previous.clone_from(&survival);
                rounded
            })
            .collect();
        masses.reverse();
        Self::new(lattice, self.first + other.first, masses, top, self.bits)
    }

    /// The same law on every second lattice point, by contraction: each odd atom is split between its neighbours so
    /// that what meets at an even point has its e^{−y}-barycentre at or above it (S3, S1; see `balance`, g = e^step).
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn coarsen(&self) -> Result<Self, InvariantViolation> {
        let ratio = self.lattice.exp_step_up();
        let none = Integer::new();
        let mass = |index: i64| {
            usize::try_from(index - self.first)
                .ok()
                .and_then(|i| self.masses.get(i))
                .unwrap_or(&none)
        };
        let length = i64::try_from(self.masses.len()).unwrap_or(i64::MAX / 4);
        let first = self.first.div_euclid(2);
        let last = (self.first + length).div_euclid(2);
        let odd: Vec<Integer> = (first..=last).map(|j| mass(2 * j + 1).clone()).collect();
        let up = balance::amounts_up(&odd, |_| Some(&ratio))?;
        let from_below = std::iter::once(&none).chain(&up);
        let masses = (first..=last)
            .zip(odd.iter().zip(&up).zip(from_below))
            .map(|(j, ((cell, up), arriving))| Integer::from(cell - up) + arriving + mass(2 * j))
            .collect();
        Self::new(
            self.lattice.coarser(),
            first,
            masses,
            self.top.clone(),
            self.bits,
        )
    }

    /// About Σ mass·e^{−y}, for hints.
    pub(super) fn p_mass(&self) -> Float {
        let shrink = Float::with_val(64, -Float::with_val(64, self.lattice.step())).exp();
        // Horner from the right: Σ N_i·e^{−h·i}, then the first position.
        let sum = self
            .masses
            .iter()
            .rev()
            .fold(Float::new(64), |sum, mass| sum * &shrink + mass);
        let first = self.lattice.positions(64).at(self.first).middle();
        (sum * Float::with_val(64, -first).exp()) >> self.bits
    }

    /// Drops light ends (S1). Moving the right end down instead would leave an atom too heavy for the next trim.
    pub fn trim(&mut self, budget: &TailBudget) {
        let right = budget
            .count_right(&self.masses, self.bits)
            .min(self.masses.len().saturating_sub(1));
        self.masses.truncate(self.masses.len() - right);
        let left = budget
            .count_left(&self.masses, &self.lattice, self.first, self.bits)
            .min(self.masses.len().saturating_sub(1));
        self.masses.drain(..left);
        self.first += i64::try_from(left).unwrap_or(0);
    }
}
