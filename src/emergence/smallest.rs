//! From which number of steps on dominance up to a tolerance is proven, for that number and every larger one.
//!
//! The ratio N/Ñ is kept, so the pairs of numbers are (k·n, k·ñ) with n/ñ in lowest terms. A range of multiples k₁ ≤ k ≤ k₂ is
//! settled by one bound: Bayes errors fall as k grows, so M is taken at k₁, M̃ at k₂, and the Berry–Esseen errors, which fall
//! too, at k₁ (`proofs/README.md`, B4).

use rug::ops::{DivRounding, Pow};
use rug::{Float, Integer, Rational};

use super::binormal::{Goal, NearlyBinormal, bayes_error_gap, largest_bayes_error};
use super::theorem::{BITS, ComposedMoments, paper_constant};
use crate::kernel::{Budget, Failure, Interval};

/// Multiples beyond this are not looked at.
const LARGEST_MULTIPLE_BITS: u32 = 200;

/// A large least multiple is found to within one part in 2^12.
const RESOLUTION_BITS: u32 = 12;

/// Dominance up to a tolerance 𝔇, proven for all large multiples of (N, Ñ).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SmallestMultiple {
    /// Δ(M^⊗kn ‖ M̃^⊗kñ) ≤ 𝔇 is proven for every k ≥ `multiple`.
    Proven {
        /// The least such k found: some range of at most one part in 4096 just below it (below 4096, the one number below it) is
        /// not settled by one bound. A smaller k is not excluded.
        multiple: Integer,
        /// N = multiple·n, with n/ñ = N/Ñ in lowest terms.
        times: Integer,
        /// Ñ = multiple·ñ.
        other_times: Integer,
        /// Which theorem proves it.
        by: Proof,
    },
    /// Nothing was found, and why.
    NotFound(String),
}

/// Where a bound comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Kaissis et al. 2024 Theorem 3.
    Paper,
    /// The two-sided bound, B2 of `proofs/README.md`.
    TwoSided,
}

/// The least multiple k of the numbers of steps, in lowest terms, from which on Δ ≤ `tolerance` is proven for every multiple.
///
/// It exists whatever the η: two compositions that both grow without end both become blatantly non-private, and Δ → 0 then
/// says nothing about which of them dominates.
///
/// # Errors
/// If the budget ends, or an internal check fails.
pub(super) fn smallest_multiple(
    a: &ComposedMoments,
    b: &ComposedMoments,
    is_theorem_met: bool,
    tolerance: &Rational,
    budget: &Budget,
) -> Result<SmallestMultiple, Failure> {
    if *tolerance <= 0 {
        return Ok(SmallestMultiple::NotFound(
            "the tolerance must be above 0: dominance itself need not emerge".to_owned(),
        ));
    }
    let divisor = Integer::from(a.times).gcd(&Integer::from(b.times));
    let unit = |times: u64| Integer::from(times).div_floor(&divisor);
    let search = Search {
        a,
        b,
        units: (unit(a.times), unit(b.times)),
        is_ordered: is_theorem_met,
        target: Interval::from_rational(tolerance, BITS),
        budget,
    };
    let paper = if is_theorem_met {
        search.by_theorem()
    } else {
        None
    };
    let two_sided = search.by_two_sided_bound()?;
    let best = match (paper, two_sided) {
        (Some(paper), Some(other)) if paper <= other => Some((paper, Proof::Paper)),
        (_, Some(other)) => Some((other, Proof::TwoSided)),
        (Some(paper), None) => Some((paper, Proof::Paper)),
        (None, None) => None,
    };
    Ok(match best {
        Some((multiple, by)) => SmallestMultiple::Proven {
            times: Integer::from(&multiple * &search.units.0),
            other_times: Integer::from(&multiple * &search.units.1),
            multiple,
            by,
        },
        None => SmallestMultiple::NotFound(
            "no number of steps of at most 60 digits was found".to_owned(),
        ),
    })
}

struct Search<'a> {
    a: &'a ComposedMoments,
    b: &'a ComposedMoments,
    units: (Integer, Integer),
    is_ordered: bool,
    target: Interval,
    budget: &'a Budget,
}

impl Search<'_> {
    /// The least k with (g/√n + g̃/√ñ)/√k ≤ 𝔇, g = 0.56·v₃/(v₂ − v₁²)^{3/2}: the bound falls as k grows.
    fn by_theorem(&self) -> Option<Integer> {
        let constant = Interval::from_rational(&paper_constant(), BITS);
        let share = |composed: &ComposedMoments, unit: &Integer| {
            let root = Interval::from_integer(unit, BITS).sqrt();
            constant
                .mul(&composed.step.null.skewness_ratio())
                .div(&root)
        };
        let sum = share(self.a, &self.units.0).add(&share(self.b, &self.units.1));
        let quotient = sum.div(&self.target).square();
        let is_in_reach = quotient.hi() < &(Float::with_val(BITS, 1) << LARGEST_MULTIPLE_BITS);
        let least = is_in_reach.then(|| quotient.hi().clone().ceil().to_integer());
        Some(least??.max(Integer::from(1)))
    }

    fn by_two_sided_bound(&self) -> Result<Option<Integer>, Failure> {
        let Some(mut proven) = self.both_blatant() else {
            return Ok(None);
        };
        // Downwards in strides that grow with success and shrink with failure.
        let mut stride = Integer::from(&proven >> 2u32).max(Integer::from(1));
        while proven > 1 {
            self.budget.check()?;
            let last = Integer::from(&proven - 1);
            let first = Integer::from(&proven - &stride).max(Integer::from(1));
            if self.holds_between(&first, &last)? {
                proven = first;
                stride *= 2;
            } else if stride <= Integer::from(&proven >> RESOLUTION_BITS).max(Integer::from(1)) {
                break;
            } else {
                stride = stride.div_floor(Integer::from(4)).max(Integer::from(1));
            }
        }
        Ok(Some(proven))
    }

    /// A multiple from which on M itself has no Bayes error above the tolerance.
    fn both_blatant(&self) -> Option<Integer> {
        (0..LARGEST_MULTIPLE_BITS)
            .map(|exponent| Integer::from(2).pow(exponent))
            .find(|multiple| {
                let mine = scaled(self.a, &self.units.0, multiple, multiple);
                largest_bayes_error(&mine).certainly_le(&self.target)
            })
    }

    fn holds_between(&self, first: &Integer, last: &Integer) -> Result<bool, Failure> {
        let mine = scaled(self.a, &self.units.0, first, first);
        if largest_bayes_error(&mine).certainly_le(&self.target) {
            return Ok(true);
        }
        let theirs = scaled(self.b, &self.units.1, first, last);
        // Ordered at one multiple, ordered at all: the errors are left, and they fall.
        if self.is_ordered && mine.largest_errors(&theirs).certainly_le(&self.target) {
            return Ok(true);
        }
        let goal = Goal::Decide(&self.target);
        let gap = bayes_error_gap(&mine, &theirs, false, goal, self.budget)?;
        Ok(gap.certainly_le(&self.target))
    }
}

/// The composition with Berry–Esseen errors of multiple `errors_at` and the distance of multiple `distance_at`.
fn scaled(
    composed: &ComposedMoments,
    unit: &Integer,
    errors_at: &Integer,
    distance_at: &Integer,
) -> NearlyBinormal {
    let now = Integer::from(composed.times);
    let root = |multiple: &Integer| {
        let times = Rational::from((Integer::from(unit * multiple), now.clone()));
        Interval::from_rational(&times, BITS).sqrt()
    };
    let shrink = root(errors_at);
    NearlyBinormal {
        null_error: composed.null_error.div(&shrink),
        alternative_error: composed.alternative_error.div(&shrink),
        ratio: composed.ratio.clone(),
        distance: composed.distance.mul(&root(distance_at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emergence::{emergence, self_composition};
    use crate::mechanism::{Adjacency, Mechanism};

    /// Both ends of a range are fine, what lies between is not: the bound rises before it falls.
    #[test]
    fn what_lies_between_two_ends_counts() {
        let budget = Budget::unlimited();
        let composition = |sigma| {
            let gaussian = Mechanism::gaussian(sigma, 1).unwrap();
            let found = self_composition(&gaussian, Adjacency::Remove, &budget);
            found.unwrap().unwrap()
        };
        let (a, b) = (composition(100), composition(80));
        let answer = emergence(&a, &b, None, &budget).unwrap();
        let shares = answer.moments.as_ref().unwrap();
        let search = Search {
            a: &shares.0,
            b: &shares.1,
            units: (Integer::from(1), Integer::from(1)),
            is_ordered: false,
            target: Interval::from_rational(&Rational::from((1, 50)), 128),
            budget: &budget,
        };
        let holds = |first: u64, last: u64| {
            let (first, last) = (Integer::from(first), Integer::from(last));
            search.holds_between(&first, &last).unwrap()
        };
        assert!(holds(1, 1) && holds(1_000_000, 1_000_000) && !holds(1, 1_000_000));
    }
}

#[cfg(test)]
#[path = "smallest_tests.rs"]
mod quick;
