//! Random trials: three mechanisms, the second often related to the first, and some numbers.
//!
//! A trial is a list of random words, read in order; zeros where it ends. So it shrinks word by word, and both test
//! frameworks can make it.

use std::fmt;

use proptest::prelude::*;
use quickcheck::{Arbitrary, Gen};
use rug::ops::Pow;
use rug::{Integer, Rational};

use crate::definition::Pair;

/// More words than any trial reads.
const WORDS: usize = 160;

#[derive(Clone)]
pub struct Trial {
    words: Vec<u32>,
}

/// What a trial consists of.
#[derive(Debug)]
pub struct Mechanisms {
    pub a: Pair,
    pub b: Pair,
    pub c: Pair,
}

/// How many outcomes, at most, a mechanism of a trial has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// 12, and up to 16 for products.
    Full,
    /// 4, to leave room for products of them.
    Small,
}

pub fn trials() -> impl Strategy<Value = Trial> {
    proptest::collection::vec(any::<u32>(), WORDS).prop_map(|words| Trial { words })
}

impl Arbitrary for Trial {
    fn arbitrary(g: &mut Gen) -> Self {
        let words = (0..WORDS).map(|_| u32::arbitrary(g)).collect();
        Self { words }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let words = self.words.clone();
        let simpler = move |place: usize| {
            let mut words = words.clone();
            words[place] /= 2;
            Self { words }
        };
        let places: Vec<usize> = (0..self.words.len())
            .filter(|place| self.words[*place] > 0)
            .collect();
        Box::new(places.into_iter().map(simpler))
    }
}

impl fmt::Debug for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let full = self.mechanisms(Size::Full);
        let shares: Vec<String> = self.shares().iter().map(Rational::to_string).collect();
        write!(
            f,
            "{full:#?}, shares {shares:?}, small {:#?}",
            self.mechanisms(Size::Small)
        )
    }
}

impl Trial {
    pub fn mechanisms(&self, size: Size) -> Mechanisms {
        let mut words = Words(self.words[SHARES..].iter());
        let a = pair(&mut words, size);
        let b = match words.below(8) {
            0..=2 => a.processed(&kernel(&mut words, a.p.len())),
            3 => split(&a, &mut words),
            4 => nudged(&a, &mut words),
            5 => twisted(&a, &mut words),
            _ => pair(&mut words, size),
        };
        let c = match words.below(8) {
            0 => b.processed(&kernel(&mut words, b.p.len())),
            1 => nudged(&b, &mut words),
            _ => pair(&mut words, size),
        };
        // Which of the two is the related one must not matter.
        if words.below(3) == 0 {
            Mechanisms { a: b, b: a, c }
        } else {
            Mechanisms { a, b, c }
        }
    }

    /// Numbers in [0, 1], with the ends and their neighbourhood.
    pub fn shares(&self) -> [Rational; SHARES] {
        std::array::from_fn(|place| {
            let word = self.words[place];
            let fine = word / 16;
            match word % 16 {
                0 => power_of_ten(fine % 40),
                1 => 1 - power_of_ten(fine % 40),
                2..=8 => Rational::from((fine % 61, 60)),
                _ => Rational::from((fine, u32::MAX / 16)),
            }
        })
    }
}

/// The words a trial begins with.
const SHARES: usize = 2;

struct Words<'a>(std::slice::Iter<'a, u32>);

impl Words<'_> {
    /// 0 ≤ result < bound.
    fn below(&mut self, bound: u32) -> u32 {
        self.0.next().map_or(0, |word| word % bound)
    }

    /// A weight: often 0, mostly small, sometimes large.
    fn weight(&mut self) -> Integer {
        let word = self.below(u32::MAX);
        match word % 16 {
            0..=1 => Integer::new(),
            2 => Integer::from(1000 + word / 16 % 100_000),
            3..=5 => Integer::from(1 + word / 16 % 3),
            _ => Integer::from(1 + word / 16 % 30),
        }
    }

    fn weights(&mut self, outcomes: u32) -> Vec<Integer> {
        (0..outcomes).map(|_| self.weight()).collect()
    }
}

fn pair(words: &mut Words, size: Size) -> Pair {
    let most = if size == Size::Full { 12 } else { 4 };
    let kind = words.below(16);
    match kind {
        // Every outcome with its mirror image: a symmetric curve.
        0..=2 => {
            let half = 1 + words.below(most / 2);
            let (first, second) = (words.weights(half), words.weights(half));
            let p = [first.clone(), second.clone()].concat();
            let q = [second, first].concat();
            normalised(&p, &q)
        }
        // Outcomes in twos, whose likelihood ratios differ by about one part in 10^30.
        3..=4 => {
            let half = 1 + words.below(most / 2);
            let large = Integer::from(10).pow(30);
            let (mut p, mut q) = (Vec::new(), Vec::new());
            for _ in 0..half {
                let (first, second) = (words.weight() * &large, words.weight() * &large);
                p.extend([first.clone(), first]);
                q.extend([second.clone(), second + 1]);
            }
            normalised(&p, &q)
        }
        // The same law twice; a single outcome among them.
        5 => {
            let outcomes = 1 + words.below(most);
            let law = words.weights(outcomes);
            normalised(&law, &law)
        }
        // Laws that never give the same outcome.
        6 => {
            let none = || vec![Integer::new(); 2];
            let (first, second) = (words.weights(2), words.weights(2));
            normalised(&[first, none()].concat(), &[none(), second].concat())
        }
        7..=8 if size == Size::Full => pair(words, Size::Small).product(&pair(words, Size::Small)),
        _ => {
            let outcomes = 2 + words.below(most - 1);
            let (p, q) = (words.weights(outcomes), words.weights(outcomes));
            normalised(&p, &q)
        }
    }
}

/// Weights as laws; a law without mass has it all in its last outcome, which for two laws of the same support is the
/// same one.
fn normalised(p: &[Integer], q: &[Integer]) -> Pair {
    let law = |weights: &[Integer], last: usize| -> Vec<Rational> {
        let total: Integer = weights.iter().sum();
        let share = |(place, weight): (usize, &Integer)| {
            if total == 0 {
                Rational::from(i32::from(place == last))
            } else {
                Rational::from((weight, &total))
            }
        };
        weights.iter().enumerate().map(share).collect()
    };
    // Disjoint supports stay disjoint: an empty law gets an outcome that the other one lacks, if there is one.
    let free = |other: &[Integer]| other.iter().position(|w| *w == 0).unwrap_or(0);
    let of_p = if p == q { 0 } else { free(q) };
    let of_q = if p == q { 0 } else { free(p) };
    Pair {
        p: law(p, of_p),
        q: law(q, of_q),
    }
}

/// Which outcome becomes which, with probabilities: up to three outcomes remain.
fn kernel(words: &mut Words, outcomes: usize) -> Vec<Vec<Rational>> {
    let left = 1 + words.below(3);
    (0..outcomes)
        .map(|_| {
            let row: Vec<u32> = (0..left).map(|_| words.below(4)).collect();
            let total: u32 = row.iter().sum();
            let share = |(place, weight): (usize, &u32)| match total {
                0 => Rational::from(u32::from(place == 0)),
                _ => Rational::from((*weight, total)),
            };
            row.iter().enumerate().map(share).collect()
        })
        .collect()
}

/// The first outcome in two parts of the same likelihood ratio, and the order turned round: the same mechanism.
fn split(pair: &Pair, words: &mut Words) -> Pair {
    let share = Rational::from((1 + words.below(9), 10));
    let rest = Rational::from(1 - &share);
    let law = |law: &[Rational]| {
        let mut parts: Vec<Rational> = law.iter().rev().cloned().collect();
        if let Some(last) = parts.pop() {
            parts.push(Rational::from(&last * &share));
            parts.push(last * &rest);
        }
        parts
    };
    Pair {
        p: law(&pair.p),
        q: law(&pair.q),
    }
}

/// The two largest likelihood ratios are merged and the outcome with the smallest is told apart: what lies between them
/// stays, and the curves cross along it.
fn twisted(pair: &Pair, words: &mut Words) -> Pair {
    let mut outcomes: Vec<(Rational, Rational)> =
        pair.p.iter().cloned().zip(pair.q.iter().cloned()).collect();
    outcomes.retain(|(p, q)| *p > 0 || *q > 0);
    outcomes.sort_by_cached_key(|(p, q)| p / Rational::from(p + q));
    if outcomes.len() > 1 {
        let (p, q) = outcomes.remove(0);
        outcomes[0].0 += p;
        outcomes[0].1 += q;
    }
    if let Some((p, q)) = outcomes.pop() {
        let share = Rational::from((1 + words.below(9), 10));
        let rest = Rational::from(1 - &share);
        outcomes.push((p.clone() / 2, share * &q));
        outcomes.push((p / 2, rest * q));
    }
    let (p, q) = outcomes.into_iter().unzip();
    Pair { p, q }
}

/// A part in 10^30 of Q is moved: to the uniform law.
fn nudged(pair: &Pair, words: &mut Words) -> Pair {
    let part = power_of_ten(30 + words.below(2));
    let uniform = Rational::from((1, pair.q.len())) * &part;
    let rest = Rational::from(1 - &part);
    Pair {
        p: pair.p.clone(),
        q: pair.q.iter().map(|q| q * rest.clone() + &uniform).collect(),
    }
}

/// 10^−n.
pub fn power_of_ten(n: u32) -> Rational {
    Rational::from(Integer::from(10).pow(n)).recip()
}
