//! Masses as numbers that can be added and multiplied: intervals, or integers over a common denominator.

use rug::{Integer, Rational};

use crate::kernel::{Interval, is_late};

/// After so many binomial terms it is looked whether the time is over: a hundred thousand with many digits take seconds.
const TERMS_PER_LOOK: u64 = 256;

/// A non-negative number in a convolution.
pub(crate) trait Weight: Clone {
    /// Adds `factor·a·b` (1 or 2) to what has been collected so far.
    fn accumulate(sum: &mut Option<Self>, a: &Self, b: &Self, is_doubled: bool);

    /// What an empty sum stands for.
    fn nothing(like: &[Self]) -> Self;

    /// a^times.
    fn power(&self, times: u64) -> Self;

    /// self·(high/low)·(numerator/denominator), for the next binomial term.
    fn next_term(&self, high: &Self, low: &Self, numerator: u64, denominator: u64) -> Self;

    /// C(T, j)·low^{T−j}·high^j for j = 0 … T; low^T for a single mass.
    fn binomial(masses: &[Self], times: u64) -> Vec<Self> {
        let Some(low) = masses.first() else {
            return Vec::new();
        };
        let mut terms = vec![low.power(times)];
        let Some(high) = masses.get(1) else {
            return terms;
        };
        let mut last = low.power(times);
        for (taken, left) in (1..=times).zip((1..=times).rev()) {
            if taken.is_multiple_of(TERMS_PER_LOOK)
                && let Some(any) = Self::if_late(low)
            {
                let rest = usize::try_from(left).unwrap_or(usize::MAX);
                terms.extend(std::iter::repeat_n(any, rest));
                break;
            }
            last = last.next_term(high, low, left, taken);
            terms.push(last.clone());
        }
        terms
    }

    /// What is true of every probability, if there are such numbers and no time is left to find one.
    fn if_late(_like: &Self) -> Option<Self> {
        None
    }

    /// Σ a_i·b_j collected at the target of each pair (i, j), row by row.
    fn products(a: &[Self], b: &[Self], targets: &[u32], len: usize) -> Vec<Self> {
        let mut sums = vec![None; len];
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
        for ((x, y), target) in pairs.zip(targets) {
            collect(&mut sums, *target, x, y, false);
        }
        finished(sums, a)
    }

    /// The same for a = b, each unordered pair once.
    fn squares(a: &[Self], targets: &[u32], len: usize) -> Vec<Self> {
        let mut sums = vec![None; len];
        for (row, (x, targets)) in a.iter().zip(targets.chunks(a.len().max(1))).enumerate() {
            for (column, (y, target)) in a.iter().zip(targets).enumerate().skip(row) {
                collect(&mut sums, *target, x, y, column != row);
            }
        }
        finished(sums, a)
    }
}

fn collect<W: Weight>(sums: &mut [Option<W>], target: u32, x: &W, y: &W, is_doubled: bool) {
    let place = usize::try_from(target).ok().and_then(|t| sums.get_mut(t));
    if let Some(place) = place {
        W::accumulate(place, x, y, is_doubled);
    }
}

fn finished<W: Weight>(sums: Vec<Option<W>>, like: &[W]) -> Vec<W> {
    sums.into_iter()
        .map(|sum| sum.unwrap_or_else(|| W::nothing(like)))
        .collect()
}

impl Weight for Interval {
    fn accumulate(sum: &mut Option<Self>, a: &Self, b: &Self, is_doubled: bool) {
        let product = a.mul(b);
        let product = if is_doubled {
            product.add(&product)
        } else {
            product
        };
        *sum = Some(match sum.take() {
            Some(sum) => sum.add(&product),
            None => product,
        });
    }

    fn nothing(like: &[Self]) -> Self {
        Self::zero(like.first().map_or(64, Self::bits))
    }

    fn power(&self, mut times: u64) -> Self {
        let (mut base, mut result) = (self.clone(), Self::one(self.bits()));
        while times > 0 {
            if times % 2 == 1 {
                result = result.mul(&base);
            }
            times /= 2;
            if times > 0 {
                base = base.square();
            }
        }
        result
    }

    fn if_late(like: &Self) -> Option<Self> {
        let bits = like.bits();
        is_late().then(|| Self::zero(bits).hull(&Self::one(bits)))
    }

    fn next_term(&self, high: &Self, low: &Self, numerator: u64, denominator: u64) -> Self {
        let ratio = Rational::from((numerator, denominator));
        let ratio = Self::from_rational(&ratio, self.bits());
        self.mul(&high.div(low)).mul(&ratio)
    }
}

impl Weight for Integer {
    fn accumulate(sum: &mut Option<Self>, a: &Self, b: &Self, is_doubled: bool) {
        let product = Self::from(a * b);
        let product = if is_doubled { product * 2u32 } else { product };
        match sum {
            Some(sum) => *sum += product,
            None => *sum = Some(product),
        }
    }

    fn nothing(_: &[Self]) -> Self {
        Self::new()
    }

    fn power(&self, times: u64) -> Self {
        // The bound on the bits of exact masses keeps `times` far below 2^32.
        u32::try_from(times).map_or_else(|_| Self::new(), |t| rug::ops::Pow::pow(self, t).into())
    }

    fn next_term(&self, high: &Self, low: &Self, numerator: u64, denominator: u64) -> Self {
        let product = Self::from(self * high) * numerator;
        // C(T, j)·low^{T−j}·high^{j+1}·(T − j) = C(T, j+1)·(j + 1)·low^{T−j}·high^{j+1}.
        let divisor = Self::from(low * denominator);
        if divisor == 0 {
            return Self::new();
        }
        product.div_exact(&divisor)
    }
}

/// The numerators over the least common denominator, and that denominator.
pub(crate) fn common_denominator(masses: &[Rational]) -> (Vec<Integer>, Integer) {
    let shared = masses.iter().fold(Integer::from(1), |shared, mass| {
        Integer::from(shared.lcm_ref(mass.denom()))
    });
    let numerators = masses
        .iter()
        .map(|mass| Integer::from(&shared / mass.denom()) * mass.numer())
        .collect();
    (numerators, shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::late;

    /// A hundred thousand terms are not made when the time is over: those that are left may be anything. Exact ones are made all the same.
    #[test]
    fn terms_that_are_not_made_may_be_anything() {
        let share = |n: i64| Interval::from_rational(&Rational::from((n, 10)), 90);
        let masses = [share(3), share(7)];
        let all = Interval::binomial(&masses, 1_000);
        let found = late(|| Interval::binomial(&masses, 1_000));
        assert_eq!((all.len(), found.len()), (1_001, 1_001));
        let unknown = |x: &&Interval| x.lo().is_zero() && *x.hi() == 1;
        assert_eq!(found.iter().filter(unknown).count(), 1_001 - 256);
        for (wide, narrow) in found.iter().zip(&all) {
            assert!(wide.lo() <= narrow.lo() && narrow.hi() <= wide.hi());
        }
        let whole = [Integer::from(1), Integer::from(2)];
        let exact = late(|| <Integer as Weight>::binomial(&whole, 300));
        assert_eq!(exact, <Integer as Weight>::binomial(&whole, 300));
        assert_eq!(exact.last(), Some(&(Integer::from(1) << 300)));
    }
}
