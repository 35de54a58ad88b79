//! Above shuffled randomised response of two values: whatever the others hold, a few datasets at a time.
//!
//! Where k others hold the value of Q, k between k₁ and k₂, whoever is told the reports of k − k₁ of those, and of k₂ − k of the others, is left with k₁
//! of the one and n − 1 − k₂ of the other kind. The number of reports of the value is then a sum of two binomial numbers and the user's report; the
//! law of the former is log-concave, so that Q/P rises with the number, and the best tests ask for at least so many.

use rug::integer::Order;
use rug::{Integer, Rational};

use super::binomial::Binomial;
use super::coins::Reports;
use super::fixed::{FRACTION, Fixed};

/// Longer laws are left to the blanket.
const LONGEST: usize = 16_000;
/// The work: places of all laws.
const MOST_PLACES: usize = 120_000;
/// Fewest and most ranges of k.
const RANGES: (usize, usize) = (6, 96);
/// Binary digits of a mass before a product: half of those after it.
const HALF: u32 = FRACTION / 2;
/// Digits of 64 bits for a coefficient of a product: 2^14 products of 2^320 fit.
const SLOT: usize = 6;

/// At each place u ≥ 1, a number that is no less than δ of any dataset; `None` beyond the size limits.
pub(super) fn deltas(reports: &Reports, places: &[Rational]) -> Option<Vec<Rational>> {
    let middle = reports.others / 2;
    let start = law(reports, middle, reports.others.checked_sub(middle)?)?;
    let length = start.masses.len();
    if length > LONGEST {
        return None;
    }
    let affordable = MOST_PLACES.checked_div(length.max(1))?;
    let ranges = u64::try_from(affordable.clamp(RANGES.0, RANGES.1)).ok()?;
    let count = reports.others.checked_add(1)?;
    let size = count.div_ceil(ranges);
    let mut most = vec![Rational::new(); places.len()];
    let mut first = 0u64;
    while first < count {
        let next = first.checked_add(size)?.min(count);
        let last = next.checked_sub(1)?;
        let law = law(reports, first, reports.others.checked_sub(last)?)?;
        for (most, delta) in most.iter_mut().zip(law.deltas(reports, places)?) {
            if delta > *most {
                *most = delta;
            }
        }
        first = next;
    }
    Some(most)
}

/// The number of reports of the value among the others: masses at successive numbers, and a bound of the rest.
struct Sum {
    masses: Vec<Fixed>,
    rest: Fixed,
}

/// With so many others that hold the value, and so many that do not.
fn law(reports: &Reports, holding: u64, others: u64) -> Option<Sum> {
    let a = Binomial::new(holding, &reports.own)?;
    let b = Binomial::new(others, &reports.other)?;
    if a.masses.len().saturating_add(b.masses.len()) > 2usize.checked_mul(LONGEST)? {
        return None;
    }
    let ends = |of: &Binomial| -> [Vec<Integer>; 2] {
        of.masses
            .iter()
            .map(|mass| mass.halved(HALF))
            .unzip()
            .into()
    };
    let ([a_low, a_high], [b_low, b_high]) = (ends(&a), ends(&b));
    let (low, high) = (product(&a_low, &b_low)?, product(&a_high, &b_high)?);
    let masses = low.into_iter().zip(high);
    let rest = a.below.plus(&a.above).plus(&b.below).plus(&b.above);
    Some(Sum {
        masses: masses
            .map(|(low, high)| Fixed::between(low, high))
            .collect(),
        rest,
    })
}

/// The coefficients of a product of polynomials with coefficients from 0 to 2^161, as one product of long numbers.
fn product(a: &[Integer], b: &[Integer]) -> Option<Vec<Integer>> {
    let long = |x: &[Integer]| -> Option<Integer> {
        let mut digits = vec![0u64; x.len().checked_mul(SLOT)?];
        for (slot, x) in digits.chunks_mut(SLOT).zip(x) {
            for (place, digit) in slot.iter_mut().zip(x.to_digits::<u64>(Order::Lsf)) {
                *place = digit;
            }
        }
        Some(Integer::from_digits(&digits, Order::Lsf))
    };
    let digits = (long(a)? * long(b)?).to_digits::<u64>(Order::Lsf);
    let count = a.len().checked_add(b.len())?.checked_sub(1)?;
    let coefficients = digits.chunks(SLOT);
    let mut all: Vec<Integer> = coefficients
        .map(|slot| Integer::from_digits(slot, Order::Lsf))
        .collect();
    all.resize(count, Integer::new());
    Some(all)
}

impl Sum {
    /// δ rounded up at rising places u ≥ 1.
    ///
    /// Of each test P(accept) is rounded down and Q(accept) up, what is not known of the law included. The best of the points is on their upper
    /// hull, where it moves towards smaller tests as u rises.
    fn deltas(&self, reports: &Reports, places: &[Rational]) -> Option<Vec<Rational>> {
        let (own, other) = (Fixed::of(&reports.own), Fixed::of(&reports.other));
        let none = Fixed::default();
        let here = [&none].into_iter().chain(self.masses.iter().rev());
        let less = self.masses.iter().rev().chain([&none]);
        let (mut null, mut with) = (Fixed::default(), Fixed::default().or_more_by(&self.rest));
        let mut tests = vec![(null.down(), with.up())];
        for (here, less) in here.zip(less) {
            // So many others, and the user reports another value; or one less, and the user reports this one.
            null.add(&own.mul(here).plus(&other.mul(less)));
            with.add(&other.mul(here).plus(&own.mul(less)));
            tests.push((null.down(), with.up()));
        }
        // With what is below, too: all of Q, all of P but for the rest.
        let rest = self.rest.up();
        tests.push((1 - rest, Rational::from(1)));
        let hull = super::super::polygon::hull_above(tests);
        let mut best = hull.iter().rev().peekable();
        let mut all = Vec::with_capacity(places.len());
        for u in places {
            let gain = |(alpha, power): &(Rational, Rational)| power - Rational::from(alpha * u);
            let mut delta = gain(best.peek()?);
            loop {
                let mut ahead = best.clone();
                ahead.next();
                let Some(next) = ahead.peek() else {
                    break;
                };
                let next = gain(next);
                if next < delta {
                    break;
                }
                delta = next;
                best.next();
            }
            all.push(delta.max(Rational::new()).min(Rational::from(1)));
        }
        Some(all)
    }
}

#[cfg(test)]
#[path = "datasets_tests.rs"]
mod tests;
