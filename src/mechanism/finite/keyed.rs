//! Losses as integer vectors over a common basis: sums of losses become sums of vectors.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use rug::{Complete, Integer, Rational};

use super::increasing::increasing;
use super::loss::{Loss, Term, gcd};
use crate::kernel::Interval;

/// A loss as the coefficients of the basis elements.
pub type Key = Vec<i128>;

/// One number of which losses are integer multiples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Generator {
    /// A rational > 0.
    Unit(Rational),
    /// log b for an integer b ≥ 2; the b of one basis are pairwise coprime, so their logarithms are independent.
    Log(Integer),
    /// The last term of a loss.
    Term(Term),
}

/// Distinct losses Σ key_i·generator_i.
#[derive(Debug, Clone)]
pub struct Keyed {
    pub(crate) basis: Arc<Vec<Generator>>,
    pub(crate) keys: Vec<Key>,
}

/// More integers than this are not refined into a coprime basis.
const MOST_INTEGERS: usize = 300;
/// Nor are integers of more bits than this altogether.
const MOST_BITS: u32 = 1 << 20;

/// The largest product Π b^e that is still written out, in bits.
const MOST_RATIO_BITS: u64 = 200_000;

impl Generator {
    fn enclose(&self, bits: u32) -> Interval {
        match self {
            Self::Unit(step) => Interval::from_rational(step, bits),
            Self::Log(base) => Interval::from_integer(base, bits).ln(),
            Self::Term(term) => term.enclose(bits),
        }
    }
}

impl Keyed {
    /// Writes several lists of losses over one basis. `None` beyond the size limits.
    pub fn over_common_basis(lists: &[&[Loss]]) -> Option<Vec<Self>> {
        let losses = || lists.iter().flat_map(|list| list.iter());
        let mut unit = Rational::new();
        let mut integers = BTreeSet::new();
        let mut terms = BTreeSet::new();
        for loss in losses() {
            let (rational, ratio, term) = loss.terms();
            unit = gcd(&unit, rational);
            integers.insert(ratio.numer().clone());
            integers.insert(ratio.denom().clone());
            terms.extend(term.cloned());
            if integers.len() > MOST_INTEGERS {
                return None;
            }
        }
        let lengths = integers.iter().map(Integer::significant_bits);
        if lengths.fold(0, u32::saturating_add) > MOST_BITS {
            return None;
        }
        let bases = coprime_basis(integers.into_iter().collect());
        let terms: Vec<Term> = terms.into_iter().collect();
        let key_of = |loss: &Loss| -> Option<Key> {
            let (rational, ratio, term) = loss.terms();
            let mut key = Key::new();
            if unit != 0 {
                key.push(
                    Rational::from(rational / &unit)
                        .numer()
                        .to_i128()
                        .filter(is_small)?,
                );
            }
            key.extend(exponents(ratio, &bases)?);
            key.extend(terms.iter().map(|one| i128::from(term == Some(one))));
            Some(key)
        };
        let keys = lists
            .iter()
            .map(|list| list.iter().map(key_of).collect::<Option<Vec<Key>>>())
            .collect::<Option<Vec<_>>>()?;
        let mut basis = Vec::new();
        if unit != 0 {
            basis.push(Generator::Unit(unit));
        }
        basis.extend(bases.into_iter().map(Generator::Log));
        basis.extend(terms.into_iter().map(Generator::Term));
        let basis = Arc::new(basis);
        Some(
            keys.into_iter()
                .map(|keys| Self {
                    basis: Arc::clone(&basis),
                    keys,
                })
                .collect(),
        )
    }

    /// The same losses in increasing order, with what belongs to them. `None` if two cannot be told apart.
    pub(crate) fn sorted<T>(
        basis: Arc<Vec<Generator>>,
        items: Vec<(Key, T)>,
    ) -> Option<(Self, Vec<T>)> {
        let all = |bits| -> Vec<Interval> { basis.iter().map(|g| g.enclose(bits)).collect() };
        // Most losses are told apart by few bits, and a generator may be a sum of many terms.
        let precise = [512, 4096].map(|bits| (bits, OnceCell::new()));
        let coarse = all(128);
        let placed = items
            .into_iter()
            .map(|item| (combination(&item.0, &coarse, 128), item))
            .collect();
        let (keys, rest) = increasing(placed, |(a, _), (b, _)| {
            let step = difference(a, b);
            precise.iter().find_map(|(bits, generators)| {
                let generators = generators.get_or_init(|| all(*bits));
                let order = combination(&step, generators, *bits).compare(&Rational::new());
                order.filter(|order| *order != Ordering::Equal)
            })
        })?
        .into_iter()
        .unzip();
        Some((Self { basis, keys }, rest))
    }

    /// Encloses every loss.
    pub(crate) fn enclose(&self, bits: u32) -> Vec<Interval> {
        let generators = self.generators(bits);
        self.keys
            .iter()
            .map(|key| combination(key, &generators, bits))
            .collect()
    }

    /// Encloses the loss at an index.
    pub(crate) fn enclose_one(&self, index: usize, bits: u32) -> Option<Interval> {
        let key = self.keys.get(index)?;
        Some(combination(key, &self.generators(bits), bits))
    }

    pub(crate) fn generators(&self, bits: u32) -> Vec<Interval> {
        self.basis.iter().map(|g| g.enclose(bits)).collect()
    }

    /// The loss at an index, where it is rational.
    pub(crate) fn rational(&self, index: usize) -> Option<Rational> {
        let mut sum = Rational::new();
        for (coefficient, generator) in self.keys.get(index)?.iter().zip(self.basis.iter()) {
            match generator {
                Generator::Unit(step) => sum += Rational::from(step * Integer::from(*coefficient)),
                _ if *coefficient == 0 => {}
                _ => return None,
            }
        }
        Some(sum)
    }

    /// e^loss at an index, where it is rational and not too long.
    pub(crate) fn ratio(&self, index: usize) -> Option<Rational> {
        let (mut numerator, mut denominator) = (Integer::from(1), Integer::from(1));
        let mut bits = 0u64;
        for (coefficient, generator) in self.keys.get(index)?.iter().zip(self.basis.iter()) {
            if *coefficient == 0 {
                continue;
            }
            let Generator::Log(base) = generator else {
                return None;
            };
            let power = u32::try_from(coefficient.unsigned_abs()).ok()?;
            bits =
                bits.checked_add(u64::from(power).checked_mul(base.significant_bits().into())?)?;
            if bits > MOST_RATIO_BITS {
                return None;
            }
            let factor = Integer::from(rug::ops::Pow::pow(base, power));
            if *coefficient > 0 {
                numerator *= factor;
            } else {
                denominator *= factor;
            }
        }
        Some(Rational::from((numerator, denominator)))
    }
}

/// Σ key_i·generator_i.
pub(crate) fn combination(key: &[i128], generators: &[Interval], bits: u32) -> Interval {
    let terms = key.iter().zip(generators).filter(|(c, _)| **c != 0);
    terms.fold(Interval::zero(bits), |sum, (c, g)| {
        sum.add(&Interval::from_integer(&Integer::from(*c), bits).mul(g))
    })
}

/// a + b, or `None` if a coefficient leaves the range in which differences cannot overflow.
pub(crate) fn sum_of_keys(a: &[i128], b: &[i128]) -> Option<Key> {
    let sum = |(x, y): (&i128, &i128)| x.checked_add(*y).filter(is_small);
    a.iter().zip(b).map(sum).collect()
}

/// a − b.
///
/// Requires: both came from [`sum_of_keys`], [`multiple_of_key`] or a basis, so nothing overflows.
pub(crate) fn difference(a: &[i128], b: &[i128]) -> Key {
    let minus = |(x, y): (&i128, &i128)| x.saturating_sub(*y);
    a.iter().zip(b).map(minus).collect()
}

/// times·key, with the same range.
pub(crate) fn multiple_of_key(key: &[i128], times: u64) -> Option<Key> {
    let product = |x: &i128| x.checked_mul(i128::from(times)).filter(is_small);
    key.iter().map(product).collect()
}

fn is_small(x: &i128) -> bool {
    x.unsigned_abs() < 1 << 120
}

/// Pairwise coprime integers ≥ 2 of which every given positive integer is a product (factor refinement:
/// Bach, Driscoll and Shallit 1993). Every step that changes the basis divides the product of all numbers by g ≥ 2.
fn coprime_basis(mut work: Vec<Integer>) -> Vec<Integer> {
    let mut basis: Vec<Integer> = Vec::new();
    while let Some(x) = work.pop() {
        if x <= 1 {
            continue;
        }
        let shared = basis.iter().position(|b| b.gcd_ref(&x).complete() != 1);
        let Some(index) = shared else {
            basis.push(x);
            continue;
        };
        let b = basis.swap_remove(index);
        let g = b.gcd_ref(&x).complete();
        work.push(Integer::from(&b / &g));
        work.push(Integer::from(&x / &g));
        work.push(g);
    }
    basis.sort_unstable();
    basis
}

fn exponents(ratio: &Rational, bases: &[Integer]) -> Option<Key> {
    let (mut numerator, mut denominator) = (ratio.numer().clone(), ratio.denom().clone());
    let key = bases
        .iter()
        .map(|base| {
            let (rest, up) = std::mem::take(&mut numerator).remove_factor(base);
            numerator = rest;
            let (rest, down) = std::mem::take(&mut denominator).remove_factor(base);
            denominator = rest;
            i128::from(up) - i128::from(down)
        })
        .collect();
    (numerator == 1 && denominator == 1).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(n: u32, d: u32) -> Loss {
        Loss::log_of(Rational::from((n, d)))
    }

    #[test]
    fn products_that_agree_have_one_key() {
        // 12/35·35/6 = 2 = (4/9)·(9/2), over several bases.
        let losses = [
            ratio(12, 35),
            ratio(35, 6),
            ratio(4, 9),
            ratio(9, 2),
            ratio(2, 1),
        ];
        let keyed = Keyed::over_common_basis(&[&losses]).unwrap().remove(0);
        let sum = |a: usize, b: usize| sum_of_keys(&keyed.keys[a], &keyed.keys[b]).unwrap();
        assert_eq!(sum(0, 1), keyed.keys[4]);
        assert_eq!(sum(2, 3), keyed.keys[4]);
        assert_ne!(sum(0, 3), keyed.keys[4]);
        for (index, loss) in losses.iter().enumerate() {
            assert_eq!(keyed.ratio(index).as_ref(), loss.as_ratio());
            let direct = loss.enclose(120);
            assert!(direct.intersect(&keyed.enclose(120)[index]).is_ok());
        }
    }

    #[test]
    fn rational_losses_share_a_unit() {
        let a = [Loss::rational(Rational::from((1, 10)))];
        let b = [Loss::rational(Rational::from((-1, 3))), ratio(1, 1)];
        let keyed = Keyed::over_common_basis(&[&a, &b]).unwrap();
        assert_eq!(keyed[0].keys, vec![vec![3]]);
        assert_eq!(keyed[1].keys, vec![vec![-10], vec![0]]);
        assert_eq!(keyed[1].rational(0), Some(Rational::from((-1, 3))));
    }

    #[test]
    fn refinement_is_coprime() {
        let numbers: Vec<Integer> = [12u32, 18, 35, 1, 50, 97].map(Integer::from).to_vec();
        let basis = coprime_basis(numbers);
        for (i, a) in basis.iter().enumerate() {
            for b in basis.iter().skip(i + 1) {
                assert_eq!(a.gcd_ref(b).complete(), 1);
            }
        }
    }
}

#[cfg(test)]
mod near_tests {
    use rug::Float;

    use super::*;

    /// a·log 2 and b·log 3 for convergents a/b of log 3/log 2: nearer to each other than a few bits tell, now the one and now the other the larger.
    #[test]
    fn losses_that_are_almost_equal_are_sorted() {
        let log = |n: u32| Float::with_val(500, n).ln();
        let basis = Arc::new(vec![
            Generator::Log(Integer::from(2)),
            Generator::Log(Integer::from(3)),
        ]);
        let mut rest = log(3) / log(2);
        let (mut before, mut last) = ((0i128, 1i128), (1i128, 0i128));
        let mut orders = [false, false];
        for _ in 0..56 {
            let whole = rest.to_integer_round(rug::float::Round::Down).unwrap().0;
            let digit = whole.to_i128().unwrap();
            let next = (before.0 + digit * last.0, before.1 + digit * last.1);
            (before, last) = (last, next);
            rest = (rest - whole).recip();
            let (a, b) = last;
            if a < 1 << 68 {
                continue;
            }
            let is_less = Float::with_val(500, a) * log(2) < Float::with_val(500, b) * log(3);
            let items = vec![(vec![a, 0], 2), (vec![0, b], 3)];
            let (_, found) = Keyed::sorted(Arc::clone(&basis), items).unwrap();
            let truth = if is_less { [2, 3] } else { [3, 2] };
            assert_eq!(found, truth, "{a} {b}");
            orders[usize::from(is_less)] = true;
        }
        assert!(orders[0] && orders[1]);
    }
}
