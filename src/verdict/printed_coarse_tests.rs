//! What is printed of margins, ends and logarithms: on the safe side in few digits, of numbers of few bits.

use rug::{Float, Integer, Rational};

use super::inequality::Inequality;
use super::rounded::{lower_end, rounded_down, rounded_up, upper_end};
use super::{Margin, NoNearest};
use crate::bounds::Enclosure;
use crate::kernel::Pick;
use crate::kernel::coarse::{FINE, Random, at_most_bits, few_bits};
use crate::mechanism::Epsilon;
use crate::number::parse_rational;
use crate::statement::Claim;

const CASES: u32 = 10_000;

/// A unit of the last of so many digits of a number next to this one, at most.
fn unit(of: &Rational, digits: usize) -> Rational {
    let power = Integer::from(Integer::u_pow_u(10, u32::try_from(digits).unwrap() - 1));
    Rational::from(of.abs_ref()) / power
}

fn digits(random: &mut Random) -> usize {
    1 + usize::try_from(random.below(6)).unwrap()
}

/// Of a numerator and a denominator of few bits, or a number of few bits, of either sign.
fn number(random: &mut Random) -> Rational {
    let bits = few_bits(random);
    match random.below(2) {
        0 => random.float(bits).to_rational().unwrap(),
        _ => {
            let sign = if random.once_in(2) { 1 } else { -1 };
            let above = i64::try_from(random.below(1 << bits)).unwrap();
            Rational::from((sign * above, 1 + random.below(1 << bits)))
        }
    }
}

/// Never farther from 0 than the margin, by no more than a unit.
#[test]
fn margins_in_few_digits_at_few_bits() {
    let mut random = Random(51);
    for _ in 0..CASES {
        let (value, bits, digits) = (
            number(&mut random),
            few_bits(&mut random),
            digits(&mut random),
        );
        let exactly = at_most_bits(bits, || Margin::exactly(value.clone(), 64));
        let certified = exactly.certified().clone();
        let held = certified.to_rational().unwrap();
        let bounded = Margin::bounded(certified);
        let size = |x: &Rational| Rational::from(x.abs_ref());
        let is_towards_zero = |found: &Rational, of: &Rational, slack: &Rational| {
            let is_same_side = *found == 0 || (*found > 0) == (*of > 0);
            is_same_side && size(found) <= size(of) && size(&Rational::from(of - found)) <= *slack
        };
        assert!(is_towards_zero(
            &held,
            &value,
            &(size(&value) >> (bits - 1))
        ));
        for (margin, of) in [(&exactly, &value), (&bounded, &held)] {
            let slack = unit(of, digits);
            let printed = parse_rational(&margin.towards_zero(digits)).unwrap();
            assert!(is_towards_zero(&printed, of, &slack), "{of} {printed}");
            let printed = parse_rational(&margin.size_down(digits)).unwrap();
            assert!(
                is_towards_zero(&printed, &size(of), &slack),
                "{of} {printed}"
            );
        }
    }
}

/// Ends of enclosures of few bits, and of exact numbers.
#[test]
fn ends_in_few_digits_at_few_bits() {
    let mut random = Random(52);
    for _ in 0..CASES {
        let (few, digits) = (few_bits(&mut random), digits(&mut random));
        let (x, y) = (random.float(few), random.float(few + 30));
        let [a, b] = [&x, &y].map(|x| x.to_rational().unwrap());
        for (x, exact) in [(&x, &a), (&y, &b)] {
            let (low, high) = (
                rounded_down(x, digits).unwrap(),
                rounded_up(x, digits).unwrap(),
            );
            assert!(low <= *exact && *exact <= high && high - low <= unit(exact, digits));
        }
        let third = Rational::from(&a / 3u32);
        let known = at_most_bits(few, || Enclosure::exactly(third.clone(), few));
        let between = Enclosure::new(x.clone().smaller(&y), x.larger(&y)).unwrap();
        let ends = [a.clone().min(b.clone()), a.max(b)];
        for (enclosure, [least, most]) in [(known, [third.clone(), third]), (between, ends)] {
            let low = lower_end(&enclosure, digits).unwrap();
            let high = upper_end(&enclosure, digits).unwrap();
            assert!(low <= least && Rational::from(&least - &low) <= unit(&least, digits));
            assert!(high >= most && Rational::from(&high - &most) <= unit(&most, digits));
        }
    }
}

/// The sentence names numbers between which the enclosure lies.
#[test]
fn ends_in_a_sentence() {
    let mut random = Random(53);
    for _ in 0..CASES {
        let bits = few_bits(&mut random) + 20;
        let (x, y) = (random.float(bits), random.float(bits));
        let (low, high) = (x.clone().smaller(&y), x.larger(&y));
        let text = NoNearest::Between(low.clone(), high.clone()).to_string();
        let (_, ends) = text.split_once("lies between ").unwrap();
        let (down, up) = ends.split_once(" and ").unwrap();
        let [down, up] = [down, up].map(|text| parse_rational(text).unwrap());
        assert!(down <= low && up >= high, "{text}");
        let [low, high] = [low, high].map(|x| x.to_rational().unwrap());
        assert!(
            Rational::from(&low - &down) <= unit(&low, 6)
                && Rational::from(&up - &high) <= unit(&high, 6)
        );
    }
}

/// The fractions next to log u, which are next to each other where there are bits.
#[test]
fn numbers_beside_logarithms_at_few_bits() {
    let mut random = Random(54);
    for _ in 0..CASES / 5 {
        let u = Rational::from((1 + random.below(4000), 1 + random.below(400)));
        if u <= 1 {
            continue;
        }
        let log = Float::with_val(FINE, &u).ln();
        let claim = Claim::pure_dp(Epsilon::log_of(u).unwrap()).unwrap();
        for _ in 0..5 {
            let bits = few_bits(&mut random) + 3;
            let (below, above) = at_most_bits(bits, || Inequality::beside(&claim)).unwrap();
            assert!(below.bound < log && above.bound > log, "{claim:?} {bits}");
        }
        let (below, above) = Inequality::beside(&claim).unwrap();
        assert!(below.bound < log && above.bound > log, "{claim:?}");
        assert!(above.bound - below.bound < Rational::from(1) >> 60u32);
    }
}
