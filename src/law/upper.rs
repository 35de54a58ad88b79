//! Laws that lie above a privacy profile.

use rug::Integer;

use super::lattice::ceil_scaled;
use super::{Lattice, TailBudget, product};
use crate::kernel::{Interval, InvariantViolation};

/// A hinge mixture whose profile is ≥ the profile it stands for, at every u > 0.
///
/// Invariant (checked at every construction): masses ≥ 0 and Σ masses + top = 2^bits exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpperLaw {
    lattice: Lattice,
    first: i64,
    masses: Vec<Integer>,
    top: Integer,
    bits: u32,
}

impl UpperLaw {
    /// The law with `survival[i]`/2^bits as the mass at or above the point `first + i`, and `top`/2^bits at +∞.
    ///
    /// Requires for soundness: each survival is at least the one of a law that dominates.
    ///
    /// # Errors
    /// If the survival function increases, ends below `top`, or does not start at 2^bits.
    pub(super) fn from_survival(
        lattice: Lattice,
        first: i64,
        survival: &[Integer],
        top: Integer,
        bits: u32,
    ) -> Result<Self, InvariantViolation> {
        let above = survival.iter().skip(1).chain(std::iter::once(&top));
        let masses = survival
            .iter()
            .zip(above)
            .map(|(s, next)| Integer::from(s - next))
            .collect();
        Self::new(lattice, first, masses, top, bits)
    }

    /// The law with mass `masses[i]`/2^bits at the point `first + i` and `top`/2^bits at +∞.
    ///
    /// Requires for soundness: its hinge mixture lies above the profile.
    ///
    /// # Errors
    /// If a mass is negative or the total is not 2^bits.
    pub(super) fn new(
        lattice: Lattice,
        first: i64,
        masses: Vec<Integer>,
        top: Integer,
        bits: u32,
    ) -> Result<Self, InvariantViolation> {
        let total: Integer = masses.iter().sum::<Integer>() + &top;
        if total != Integer::from(1) << bits {
            return Err(InvariantViolation(
                "the mass of an upper law is not one".into(),
            ));
        }
        if masses.is_empty() || top < 0 || masses.iter().any(|n| *n < 0) {
            return Err(InvariantViolation(
                "an upper law has a negative mass or no atom".into(),
            ));
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

    /// The law of the sum of two independent losses: an upper law of the composition (S2, then S1 for the rounding).
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
        let mut above = (Integer::from(1) << (2 * self.bits)) - fine.iter().sum::<Integer>();
        let top = ceil_shift(&above, self.bits);
        let mut survival: Vec<Integer> = fine
            .iter()
            .rev()
            .map(|mass| {
                above += mass;
                ceil_shift(&above, self.bits)
            })
            .collect();
        survival.reverse();
        Self::from_survival(lattice, self.first + other.first, &survival, top, self.bits)
    }

    /// The same law on every second lattice point: odd atoms are split onto their neighbours, keeping mass and
    /// Σ mass·e^{−y} (S3), rounded upwards (S1). The upper share is w = 1/(1 + e^{−step}).
    ///
    /// # Errors
    /// Only if an invariant fails: an internal error.
    pub fn coarsen(&self) -> Result<Self, InvariantViolation> {
        let share_up = self.share_up();
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
        let mut above = self.top.clone();
        let mut survival: Vec<Integer> = (first..=last)
            .rev()
            .map(|j| {
                above += mass(2 * j + 1);
                above += mass(2 * j);
                ceil_shift(&Integer::from(mass(2 * j - 1) * &share_up), 64) + &above
            })
            .collect();
        survival.reverse();
        Self::from_survival(
            self.lattice.coarser(),
            first,
            &survival,
            self.top.clone(),
            self.bits,
        )
    }

    /// ⌈2^64 / (1 + e^{−step})⌉ ≤ 2^64.
    fn share_up(&self) -> Integer {
        let step = Interval::from_rational(self.lattice.step(), 192);
        let share = Interval::one(192).add(&step.neg().exp()).recip();
        ceil_scaled(share.hi(), 64).min(Integer::from(1) << 64u32)
    }

    /// Moves light ends: on the right to +∞, on the left up to the first atom that stays (S1).
    pub fn trim(&mut self, budget: &TailBudget) {
        let right = budget
            .count_right(&self.masses, self.bits)
            .min(self.masses.len().saturating_sub(1));
        let cut = self.masses.len() - right;
        self.top += self.masses.drain(cut..).sum::<Integer>();
        let left = budget
            .count_left(&self.masses, &self.lattice, self.first, self.bits)
            .min(self.masses.len().saturating_sub(1));
        let moved: Integer = self.masses.drain(..left).sum();
        self.first += i64::try_from(left).unwrap_or(0);
        if let Some(mass) = self.masses.first_mut() {
            *mass += moved;
        }
    }
}

/// ⌈x / 2^bits⌉ for x ≥ 0.
fn ceil_shift(x: &Integer, bits: u32) -> Integer {
    let mut up = Integer::from(1) << bits;
    up -= 1u32;
    up += x;
    up >> bits
}
