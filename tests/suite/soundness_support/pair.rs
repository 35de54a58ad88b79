//! Finite pairs, their products, and the privacy profile by its definition.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Probability vectors without (`p`) and with (`q`) the record, of equal length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub p: Vec<BigRational>,
    pub q: Vec<BigRational>,
}

impl Pair {
    /// Weights, not all zero, divided by their sums.
    pub fn from_weights(p: &[u32], q: &[u32]) -> Self {
        let normal = |weights: &[u32]| {
            let total: BigInt = weights.iter().map(|w| BigInt::from(*w)).sum();
            let share = |w: &u32| BigRational::new(BigInt::from(*w), total.clone());
            weights.iter().map(share).collect()
        };
        Self {
            p: normal(p),
            q: normal(q),
        }
    }

    /// The pair that tells nothing.
    pub fn nothing() -> Self {
        Self::from_weights(&[1], &[1])
    }

    /// Independent outcomes of both, seen together.
    pub fn product(&self, other: &Self) -> Self {
        let cross = |a: &[BigRational], b: &[BigRational]| {
            a.iter()
                .flat_map(|x| b.iter().map(move |y| x * y))
                .collect()
        };
        Self {
            p: cross(&self.p, &other.p),
            q: cross(&self.q, &other.q),
        }
    }

    pub fn power(&self, times: u64) -> Self {
        (0..times).fold(Self::nothing(), |product, _| product.product(self))
    }

    /// The record takes part with this probability.
    pub fn subsampled(&self, rate: &BigRational) -> Self {
        let rest = BigRational::one() - rate;
        let mix = |(p, q): (&BigRational, &BigRational)| &rest * p + rate * q;
        Self {
            p: self.p.clone(),
            q: self.p.iter().zip(&self.q).map(mix).collect(),
        }
    }

    pub fn swapped(&self) -> Self {
        Self {
            p: self.q.clone(),
            q: self.p.clone(),
        }
    }

    pub fn len(&self) -> usize {
        self.p.len()
    }

    /// δ(u) = Σ (q − u·p)⁺.
    pub fn delta(&self, u: &BigRational) -> BigRational {
        let gain = |(p, q): (&BigRational, &BigRational)| q - u * p;
        let gains = self.p.iter().zip(&self.q).map(gain);
        gains.filter(BigRational::is_positive).sum()
    }

    /// R(π) = Σ min(π·p, (1 − π)·q).
    pub fn bayes_error(&self, prior: &BigRational) -> BigRational {
        let rest = BigRational::one() - prior;
        let loss = |(p, q): (&BigRational, &BigRational)| (prior * p).min(&rest * q);
        self.p.iter().zip(&self.q).map(loss).sum()
    }

    /// ½ Σ |q − p|.
    pub fn advantage(&self) -> BigRational {
        let gap = |(p, q): (&BigRational, &BigRational)| (q - p).abs();
        let sum: BigRational = self.p.iter().zip(&self.q).map(gap).sum();
        sum / BigInt::from(2)
    }

    /// The finite likelihood ratios q/p > 0, increasing, each once.
    pub fn ratios(&self) -> Vec<BigRational> {
        let both = |(p, q): &(&BigRational, &BigRational)| !p.is_zero() && !q.is_zero();
        let pairs = self.p.iter().zip(&self.q).filter(both);
        let mut ratios: Vec<BigRational> = pairs.map(|(p, q)| q / p).collect();
        ratios.sort();
        ratios.dedup();
        ratios
    }

    /// Mass of Q where P has none.
    pub fn infinite_mass(&self) -> BigRational {
        let only_q = |(p, _): &(&BigRational, &BigRational)| p.is_zero();
        let outcomes = self.p.iter().zip(&self.q).filter(only_q);
        outcomes.map(|(_, q)| q.clone()).sum()
    }

    /// The least u ≥ 0 with δ(u) ≤ delta; `None` if there is none.
    pub fn least_odds(&self, delta: &BigRational) -> Option<BigRational> {
        if *delta >= BigRational::one() {
            return Some(BigRational::zero());
        }
        // δ falls along straight lines between the ratios; the first ratio at which it is low enough ends the right one.
        let end = self
            .ratios()
            .into_iter()
            .find(|u| self.delta(u) <= *delta)?;
        let in_force = |(p, q): &(&BigRational, &BigRational)| **q >= &end * *p;
        let outcomes: Vec<_> = self.p.iter().zip(&self.q).filter(in_force).collect();
        let null: BigRational = outcomes.iter().map(|(p, _)| (*p).clone()).sum();
        let mass: BigRational = outcomes.iter().map(|(_, q)| (*q).clone()).sum();
        Some((mass - delta) / null)
    }

    /// Where a profile is worth looking at: at every ratio, between neighbours, and beyond both ends.
    pub fn places(&self, most: usize) -> Vec<BigRational> {
        let ratios = self.ratios();
        let two = BigInt::from(2);
        let mut places: Vec<BigRational> = ratios
            .iter()
            .zip(ratios.iter().skip(1))
            .flat_map(|(a, b)| [a.clone(), (a + b) / &two])
            .collect();
        places.extend(ratios.last().cloned());
        if let (Some(first), Some(last)) = (ratios.first(), ratios.last()) {
            places.push(first / BigInt::from(3));
            places.push(last * BigInt::from(7));
        }
        places.push(BigRational::one());
        let skip = places.len().div_ceil(most.max(1));
        places.into_iter().step_by(skip.max(1)).collect()
    }
}
