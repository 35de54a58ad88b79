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
use super::hull::{Hull, Test};

/// Longer laws are left to the blanket.
const LONGEST: usize = 40_000;
/// The work: places of all laws.
const MOST_PLACES: usize = 1_000_000;
/// Fewest and most ranges of k, about.
const RANGES: (usize, usize) = (6, 192);
/// Binary digits of a mass before a product: half of those after it.
const HALF: u32 = FRACTION / 2;
/// Digits of 64 bits for a coefficient of a product: 2^17 products of 2^322 fit.
const SLOT: usize = 6;

/// At each of some rising places u ≥ 1, a number that is no less than δ of any dataset; `None` beyond the size limits.
pub(super) fn deltas(reports: &Reports, places: &[Rational]) -> Option<Vec<Rational>> {
    let middle = reports.others / 2;
    let start = law(reports, middle, reports.others.checked_sub(middle)?)?;
    let length = start.masses.len();
    if length > LONGEST {
        return None;
    }
    let affordable = MOST_PLACES.checked_div(length.max(1))?;
    let most = u64::try_from(affordable.clamp(RANGES.0, RANGES.1)).ok()?;
    let mut hull = Hull::new();
    for (first, last) in ranges(reports, most)? {
        let law = law(reports, first, reports.others.checked_sub(last)?)?;
        hull.add(law.tests(reports));
    }
    hull.join();
    largest_gains(&hull.corners, places)
}

/// All numbers of others that hold the value in at most about so many ranges, each from its first to its last.
///
/// Any ranges are sound. For small δ the worst dataset is that where all others hold the value, of the skewest law. Around three deviations √v off its middle, log δ
/// falls over a share of the others by some 4/√v of what a range as wide as that gives away: so ranges may be the wider
/// the farther they are from there, up to twice as wide as equal ones.
fn ranges(reports: &Reports, most: u64) -> Option<Vec<(u64, u64)>> {
    let count = reports.others.checked_add(1)?;
    let variance = Rational::from(&reports.own * &reports.other) * reports.others;
    let deviation = variance.floor().into_numer_denom().0.sqrt().to_u64()?;
    let slope = deviation.div_ceil(4).max(1);
    let widest = count.checked_mul(2)?.div_ceil(most);
    let with = |least: u64| -> Option<Vec<(u64, u64)>> {
        let mut all = Vec::new();
        let mut left = count;
        while left > 0 {
            let behind = count.checked_sub(left)?;
            let width = least.checked_add(behind / slope)?.min(widest).min(left);
            let first = left.checked_sub(width)?;
            all.push((first, left.checked_sub(1)?));
            left = first;
            if u64::try_from(all.len()).ok()? > most {
                return None;
            }
        }
        Some(all)
    };
    // The least width that is few enough ranges.
    let (mut too_narrow, mut enough) = (0u64, widest);
    while enough.checked_sub(too_narrow)? > 1 {
        let middle = too_narrow.midpoint(enough);
        if with(middle).is_some() {
            enough = middle;
        } else {
            too_narrow = middle;
        }
    }
    with(enough)
}

/// The number of reports of the value among the others, in units of 2^−320: masses at successive numbers, from above, and how much less they may be; a bound of the rest.
struct Sum {
    masses: Vec<Integer>,
    less: Integer,
    rest: Integer,
}

/// With so many others that hold the value, and so many that do not.
fn law(reports: &Reports, holding: u64, others: u64) -> Option<Sum> {
    let a = Binomial::new(holding, &reports.own)?;
    let b = Binomial::new(others, &reports.other)?;
    if a.masses.len().saturating_add(b.masses.len()) > 2usize.checked_mul(LONGEST)? {
        return None;
    }
    let (a_masses, a_less) = ends(&a.masses);
    let (b_masses, b_less) = ends(&b.masses);
    let total = |masses: &[Integer]| masses.iter().sum::<Integer>();
    // Σ x⁺y⁺ − x⁻y⁻ = Σ x⁺(y⁺ − y⁻) + (x⁺ − x⁻)y⁻.
    let less = b_less * total(&a_masses) + a_less * total(&b_masses);
    let rest = a.below.plus(&a.above).plus(&b.below).plus(&b.above);
    Some(Sum {
        masses: product(&a_masses, &b_masses)?,
        less,
        rest: rest.halved(FRACTION).1,
    })
}

/// Masses in units of 2^−160, rounded up, and by how many units at most.
fn ends(masses: &[Fixed]) -> (Vec<Integer>, Integer) {
    let mut most = Integer::new();
    let up = masses.iter().map(|mass| {
        let (low, high) = mass.halved(HALF);
        most = (&high - low).max(std::mem::take(&mut most));
        high
    });
    (up.collect(), most)
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
    /// The tests that ask for at least so many reports, by rising size, as far as they matter at u ≥ 1.
    ///
    /// Of each P(accept) is rounded down and Q(accept) up, what is not known of the law included. With c the number asked for, they have T + b·s(c − 1) and
    /// T + a·s(c − 1) for T = P(c or more of the others). To ask for c instead of c + 1 gains at most (a − b)(s(c − 1) − s(c)) at u ≥ 1, and
    /// where that is not positive it stays so, as s is log-concave.
    fn tests(&self, reports: &Reports) -> Vec<Test> {
        let own = Fixed::of(&reports.own).halved(FRACTION).1;
        let other = Fixed::of(&reports.other).halved(FRACTION).0;
        let (mut least, mut most) = (Integer::new(), self.rest.clone());
        let mut all = vec![Test {
            null: least.clone(),
            with: most.clone(),
        }];
        let mut before = Integer::new();
        for mass in self.masses.iter().rev() {
            let low = Integer::from(mass - &self.less).max(Integer::new());
            if *mass <= before {
                break;
            }
            let null = Integer::from(&low * &other) >> FRACTION;
            let with = (Integer::from(mass * &own) >> FRACTION) + 1u32;
            all.push(Test {
                null: null + &least,
                with: with + &most,
            });
            least += &low;
            most += mass;
            before = low;
        }
        all
    }
}

/// The largest of Q(accept) − u·P(accept), in [0, 1], at rising places u.
///
/// Requires: corners of a hull, from the left.
fn largest_gains(corners: &[Test], places: &[Rational]) -> Option<Vec<Rational>> {
    let unit = Integer::from(1) << FRACTION;
    // The best corner moves towards smaller tests as u rises.
    let mut best = corners.iter().rev().peekable();
    let mut all = Vec::with_capacity(places.len());
    for u in places {
        // In units over the denominator of u.
        let gain = |test: &Test| {
            Integer::from(&test.with * u.denom()) - Integer::from(&test.null * u.numer())
        };
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
        let delta = Rational::from((delta, Integer::from(&unit * u.denom())));
        all.push(delta.max(Rational::new()).min(Rational::from(1)));
    }
    Some(all)
}

#[cfg(test)]
#[path = "datasets_tests.rs"]
mod tests;
