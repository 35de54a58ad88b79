//! Every function of the kernel that rounds, at 2 to 16 bits against itself at 300, on random intervals.

use rug::{Float, Integer, Rational};

use super::coarse::{FINE, Random, at_most_bits, surrounds};
use super::{Interval, Pick, ProfilePoint, directed as d, normal};
use crate::test_scale::cases;

type Unary = fn(&Interval) -> Interval;
type Binary = fn(&Interval, &Interval) -> Interval;

/// How many random arguments each function is tried at.
fn count() -> u64 {
    u64::from(cases(10_000))
}

/// A list of functions, and a test of each.
macro_rules! each_of {
    ($kind:ty, $check:ident: $($name:ident = $function:expr,)*) => {
        use super::*;

        pub const ALL: &[(&str, $kind)] = &[$((stringify!($name), $function)),*];

        $(
            #[test]
            fn $name() {
                $check(stringify!($name), $function);
            }
        )*
    };
}

mod unary {
    each_of! { Unary, check_unary:
        one_minus = Interval::one_minus,
        neg = Interval::neg,
        square = Interval::square,
        recip = Interval::recip,
        sqrt = Interval::sqrt,
        exp = Interval::exp,
        exp_m1 = Interval::exp_m1,
        ln = Interval::ln,
        ln_1p = Interval::ln_1p,
        at_least_zero = Interval::at_least_zero,
        in_unit = Interval::in_unit,
        density = normal::density,
        cdf = normal::cdf,
        survival = normal::survival,
        survival_without_table = normal::survival_without_table,
        cdf_absolute = normal::cdf_absolute,
        survival_absolute = normal::survival_absolute,
        quantile = normal::quantile,
        survival_inverse = normal::survival_inverse,
    }
}

mod binary {
    each_of! { Binary, check_binary:
        add = Interval::add,
        sub = Interval::sub,
        mul = Interval::mul,
        div = Interval::div,
        max = Interval::max,
        min = Interval::min,
        hull = hull_of_first,
        intersect = intersect_or_first,
    }
}

fn hull_of_first(a: &Interval, b: &Interval) -> Interval {
    a.hull(b)
}

/// The truth lies in both, so the second is moved to where the first one is.
fn intersect_or_first(a: &Interval, b: &Interval) -> Interval {
    a.intersect(&b.hull(a)).unwrap()
}

/// What is tested by name below, gives no enclosure, or holds no rounding.
const ELSEWHERE: &[&str] = &[
    "new",
    "spanning",
    "between_or_line",
    "point",
    "from_rational",
    "from_integer",
    "from_i64",
    "zero",
    "one",
    "whole_line",
    "infinity",
    "lo",
    "hi",
    "at_bits",
    "width_up",
    "middle",
    "survival_down",
    "survival_up",
    "over_sqrt_two_down",
    "over_sqrt_two_up",
    "half",
];

/// Functions that give an interval or a number: all are in a list above.
#[test]
fn the_list_is_complete() {
    let sources = [
        include_str!("interval.rs"),
        include_str!("normal.rs"),
        include_str!("normal_inverse.rs"),
    ];
    for line in sources.iter().flat_map(|s| s.lines()) {
        let Some((_, rest)) = line
            .trim()
            .strip_prefix("pub")
            .and_then(|l| l.split_once("fn "))
        else {
            continue;
        };
        let name = rest.split('(').next().unwrap();
        let gives = [
            "-> Self",
            "-> Interval",
            "-> Float",
            "-> &Float",
            "-> Result<Self",
        ];
        let known = unary::ALL.iter().any(|f| f.0 == name)
            || binary::ALL.iter().any(|f| f.0 == name)
            || ELSEWHERE.contains(&name);
        assert!(
            known || !gives.iter().any(|g| rest.contains(g)),
            "`{name}` is in no list"
        );
    }
}

/// The domain of a function ends where it says so; beyond, the nearest end of it counts.
fn in_domain(name: &str, x: &Interval) -> bool {
    let x = x.lo();
    match name {
        "sqrt" | "ln" => *x >= 0,
        "ln_1p" => *x >= -1,
        "quantile" | "survival_inverse" => *x > 0 && *x < 1,
        "at_least_zero" => *x >= 0,
        "in_unit" => *x >= 0 && *x <= 1,
        "recip" => *x != 0,
        _ => true,
    }
}

/// Its own random numbers for each function.
fn random_of(name: &str) -> Random {
    Random(name.bytes().map(u64::from).sum())
}

fn check_unary(name: &str, function: Unary) {
    let mut random = random_of(name);
    let slow = matches!(
        name,
        "quantile" | "survival_inverse" | "survival_without_table"
    );
    for _ in 0..if slow { count() / 4 } else { count() } {
        let bits = 2 + u32::try_from(random.below(15)).unwrap();
        let x = match name {
            "quantile" | "survival_inverse" => random.interval(bits).in_unit(),
            _ => random.interval(bits),
        };
        let member = random.member(&x);
        if in_domain(name, &member) {
            let fine = function(&member);
            // With guard bits where the function has them, and without.
            for coarse in [function(&x), at_most_bits(bits, || function(&x))] {
                assert!(
                    surrounds(&coarse, &fine),
                    "{name}({x:?}) = {coarse:?} misses {fine:?} at {member:?}"
                );
            }
        }
    }
}

fn check_binary(name: &str, function: Binary) {
    let mut random = random_of(name);
    for _ in 0..count() {
        let bits = 2 + u32::try_from(random.below(15)).unwrap();
        let (x, y) = (random.interval(bits), random.interval(bits));
        let (a, b) = (random.member(&x), random.member(&y));
        if name == "div" && *b.lo() == 0 {
            continue;
        }
        // Whichever of the two it is: the hull has both, what is common to an interval and one around it has the first.
        let fine = match name {
            "hull" | "intersect" => a.clone(),
            _ => function(&a, &b),
        };
        let coarse = function(&x, &y);
        assert!(
            surrounds(&coarse, &fine),
            "{name}({x:?}, {y:?}) = {coarse:?} misses {fine:?}"
        );
        if name == "hull" {
            assert!(surrounds(&coarse, &b));
        }
    }
}

/// Very narrow intervals have a way of their own, which takes the width to many more bits than the ends are apart. Next to where the function is 0 nothing hides
/// it: there at a few bits every one of its roundings can be seen.
#[test]
fn narrow_intervals() {
    let functions: [(&str, Unary, u32); 4] = [
        ("exp", Interval::exp, 0),
        ("exp_m1", Interval::exp_m1, 0),
        ("ln", Interval::ln, 1),
        ("ln_1p", Interval::ln_1p, 0),
    ];
    let mut random = Random(12);
    for _ in 0..count() / 4 {
        let bits = 2 + u32::try_from(random.below(15)).unwrap();
        let mut tiny = |digits: u64| {
            let part = Float::with_val(FINE, random.below(1 << digits));
            let shift = u32::try_from(digits + 34 + random.below(20)).unwrap();
            let signed = if random.once_in(3) { part } else { -part };
            signed >> shift
        };
        // Of few digits, or of more than there are bits.
        for digits in [4, 40] {
            let (a, b) = (tiny(digits), tiny(digits));
            for (name, function, zero) in functions {
                let end = |x: &Float| Float::with_val(120, x + zero);
                let x = Interval::spanning(end(&a), end(&b));
                let kept = Interval::spanning(
                    Float::with_val_round(bits, x.lo(), rug::float::Round::Down).0,
                    Float::with_val_round(bits, x.hi(), rug::float::Round::Up).0,
                );
                for coarse in [function(&kept), at_most_bits(bits, || function(&x))] {
                    for end in [x.lo(), x.hi()] {
                        let fine = function(&Interval::point(Float::with_val(FINE, end)));
                        assert!(
                            surrounds(&coarse, &fine),
                            "{name}({x:?}) = {coarse:?} at {bits} bits misses {fine:?}"
                        );
                    }
                }
            }
        }
    }
}

/// No wider than rounding asks for: a bound in the wrong direction twice would go unseen otherwise.
#[test]
fn arithmetic_is_as_narrow_as_rounding_allows() {
    let mut random = Random(7);
    for _ in 0..count() {
        let bits = 4 + u32::try_from(random.below(12)).unwrap();
        let (a, b) = (
            Interval::point(random.float(bits)),
            Interval::point(random.float(bits)),
        );
        for (name, found, exact) in [
            ("add", a.add(&b), rational(a.lo()) + rational(b.lo())),
            ("sub", a.sub(&b), rational(a.lo()) - rational(b.lo())),
            ("mul", a.mul(&b), rational(a.lo()) * rational(b.lo())),
            ("square", a.square(), rational(a.lo()) * rational(a.lo())),
            ("one_minus", a.one_minus(), 1 - rational(a.lo())),
        ] {
            let (lo, hi) = (Float::with_val(FINE, &exact), found.hi().clone());
            assert!(found.contains(&exact), "{name}({a:?}, {b:?}) = {found:?}");
            let mut above = found.lo().clone();
            above.next_up();
            assert!(hi <= above, "{name}({a:?}, {b:?}) = {found:?} around {lo}");
        }
    }
}

/// Nor wider than its bits ask for: ends put the wrong way round would be the whole line, which is never wrong.
#[test]
fn functions_are_sharp() {
    let mut random = Random(10);
    for _ in 0..count() / 50 {
        // In the domain of every function.
        let number = |random: &mut Random| {
            let share = Float::with_val(64, 1 + random.below((1 << 30) - 1)) >> 30u32;
            share * 0.9f64 + 0.05f64
        };
        let (a, b) = (number(&mut random), number(&mut random));
        let narrow = Float::with_val(64, 1) >> 48u32;
        for (name, function) in unary::ALL {
            let found = function(&Interval::point(a.clone()));
            assert!(found.width_up() < narrow, "{name}({a}) = {found:?}");
            // Of an interval no more than from what one end gives to what the other gives.
            let (low, high) = (a.clone().smaller(&b), a.clone().larger(&b));
            let whole = function(&Interval::spanning(low.clone(), high.clone()));
            let hull = function(&Interval::point(low)).hull(&function(&Interval::point(high)));
            let excess = d::sub_up(&whole.width_up(), &hull.width_up(), 64);
            assert!(excess < narrow, "{name} of {a} to {b}: {whole:?}");
        }
        for (name, function) in binary::ALL.iter().filter(|f| f.0 != "hull") {
            let found = function(&Interval::point(a.clone()), &Interval::point(b.clone()));
            assert!(found.width_up() < narrow, "{name}({a}, {b}) = {found:?}");
        }
    }
}

/// Sum, difference, product and quotient have as many bits as the finer of their arguments.
#[test]
fn results_have_the_bits_of_the_finer() {
    let third = |bits| Interval::from_rational(&Rational::from((1, 3)), bits);
    for (name, function) in binary::ALL.iter().take(4) {
        for (a, b) in [(20, 50), (50, 20)] {
            let found = function(&third(a), &third(b));
            assert_eq!(found.bits(), 50, "{name}");
        }
    }
}

fn rational(x: &Float) -> Rational {
    x.to_rational().unwrap()
}

#[test]
fn conversions_and_widths() {
    let mut random = Random(8);
    for _ in 0..count() {
        let bits = 1 + u32::try_from(random.below(15)).unwrap();
        let (n, m) = (
            Integer::from(random.word() >> random.below(60)),
            1 + random.below(1 << 20),
        );
        let x = Rational::from((
            if random.once_in(2) {
                n.clone()
            } else {
                -n.clone()
            },
            m,
        ));
        assert!(Interval::from_rational(&x, bits).contains(&x));
        assert!(Interval::from_integer(&n, bits).contains(&Rational::from(&n)));
        let wide = random.interval(FINE / 10);
        let coarse = wide.at_bits(bits);
        assert!(coarse.lo() <= wide.lo() && coarse.hi() >= wide.hi());
        let middle = wide.middle();
        assert!(
            wide.lo() <= &middle && &middle <= wide.hi() && middle.is_finite(),
            "{wide:?}"
        );
        if let (Some(lo), Some(hi)) = (coarse.lo().to_rational(), coarse.hi().to_rational()) {
            assert!(coarse.width_up() >= hi - lo);
        }
    }
}

/// The largest of some lines known by intervals: its value and its slope are in what is said of them.
#[test]
fn points_on_lines() {
    let mut random = Random(11);
    for _ in 0..count() {
        let bits = 4 + u32::try_from(random.below(12)).unwrap();
        let mut number = || Rational::from((random.below(65), 64));
        // e^ε, and lines with a value there and a P-tail, each somewhere in an interval.
        let u = number();
        let mut lines = vec![
            (Rational::new(), Rational::new()),
            (Rational::from(1 - &u), Rational::from(1)),
        ];
        let near = |x: &Rational, by: Rational| {
            Interval::from_rational(x, bits).hull(&Interval::from_rational(&(x.clone() + by), bits))
        };
        let mut given = Vec::new();
        for _ in 0..3 {
            let (value, tail) = (number(), number());
            let by = (number() - Rational::from((1, 2))) / 4u32;
            given.push((near(&value, by), near(&tail, Rational::new())));
            lines.push((value, tail));
        }
        let value = lines.iter().map(|line| &line.0).max().unwrap();
        let upper = near(value, number() / 8u32);
        let found = at_most_bits(bits, || {
            ProfilePoint::on_lines(given.clone(), &upper, &Interval::from_rational(&u, bits))
        });
        assert!(found.delta.contains(value), "{found:?} {lines:?}");
        // Where two are largest the slope of either will do.
        let largest = lines.iter().filter(|line| line.0 == *value);
        let is_covered = largest
            .clone()
            .any(|(_, tail)| found.null_tail.contains(tail));
        assert!(is_covered, "{found:?} {lines:?} {given:?}");
    }
}

/// Comparisons at ends that are equal.
#[test]
fn ends_that_touch() {
    let at = |lo: i64, hi: i64| Interval::spanning(Float::with_val(8, lo), Float::with_val(8, hi));
    assert!(at(0, 1).certainly_le(&at(1, 2)) && !at(0, 1).certainly_lt(&at(1, 2)));
    assert!(!at(0, 1).certainly_le(&at(0, 2)) && at(0, 1).certainly_lt(&at(2, 2)));
    assert!(!at(0, 1).is_positive() && at(1, 1).is_positive());
    assert!(at(-1, 0).is_not_positive() && !at(-1, 1).is_not_positive());
    assert!(at(0, 0).is_zero() && !at(0, 1).is_zero() && !at(-1, 0).is_zero());
    assert!(at(0, 1).contains(&Rational::from(1)) && at(0, 1).contains(&Rational::new()));
    assert!(
        !at(0, 1).contains(&Rational::from((3, 2))) && !at(0, 1).contains(&Rational::from((-1, 2)))
    );
    assert_eq!(at(0, 1).intersect(&at(1, 2)).unwrap(), at(1, 1));
    assert!(at(0, 1).intersect(&at(2, 3)).is_err());
    assert!(Interval::new(Float::with_val(8, 1), Float::with_val(8, 1)).is_ok());
    assert!(Interval::new(Float::with_val(8, 2), Float::with_val(8, 1)).is_err());
    use std::cmp::Ordering::{Equal, Greater, Less};
    let one = Rational::from(1);
    for (interval, expected) in [
        (at(0, 0), Some(Less)),
        (at(0, 1), None),
        (at(1, 1), Some(Equal)),
        (at(1, 2), None),
        (at(0, 2), None),
        (at(2, 3), Some(Greater)),
    ] {
        assert_eq!(interval.compare(&one), expected, "{interval:?}");
    }
}

/// Ends of different numbers of bits keep all of theirs, and a middle is finite where an end is.
#[test]
fn ends_of_different_bits() {
    let (few, many) = (Float::with_val(4, -3), Float::with_val(60, 7) / 3u32);
    let negated = Interval::spanning(few.clone(), many.clone()).neg();
    assert!(*negated.lo() == -many.clone() && *negated.hi() == -few.clone());
    let negated = Interval::spanning(-many.clone(), -few.clone()).neg();
    assert!(*negated.lo() == few && *negated.hi() == many);
    let three = || Float::with_val(20, 3);
    let below = Interval::spanning(d::neg_infinity(20), three());
    let above = Interval::spanning(three(), d::infinity(20));
    assert!(below.middle() == 3 && above.middle() == 3);
    assert_eq!(Interval::whole_line(20).middle(), 0);
}

/// The plain functions, each against its partner at the same bits and against 300 bits.
#[test]
fn directed_functions() {
    type Two = fn(&Float, &Float, u32) -> Float;
    type One = fn(&Float, u32) -> Float;
    let two: [(&str, Two, Two); 4] = [
        ("add", d::add_down, d::add_up),
        ("sub", d::sub_down, d::sub_up),
        ("mul", d::mul_down, d::mul_up),
        ("div", d::div_down, d::div_up),
    ];
    let one: [(&str, One, One); 7] = [
        ("sqrt", d::sqrt_down, d::sqrt_up),
        ("exp", d::exp_down, d::exp_up),
        ("exp_m1", d::exp_m1_down, d::exp_m1_up),
        ("ln", d::ln_down, d::ln_up),
        ("ln_1p", d::ln_1p_down, d::ln_1p_up),
        ("erfc", d::erfc_down, d::erfc_up),
        (
            "over_sqrt_two",
            normal::over_sqrt_two_down,
            normal::over_sqrt_two_up,
        ),
    ];
    let mut random = Random(9);
    for _ in 0..count() {
        let bits = 2 + u32::try_from(random.below(15)).unwrap();
        let (a, b) = (random.float(24), random.float(24));
        for (name, down, up) in two {
            let (low, high) = (down(&a, &b, bits), up(&a, &b, bits));
            if name != "div" || b != 0 {
                assert!(
                    low <= up(&a, &b, FINE) && high >= down(&a, &b, FINE),
                    "{name}({a}, {b})"
                );
            }
        }
        for (name, down, up) in one {
            let (low, high) = (down(&a, bits), up(&a, bits));
            assert!(low <= up(&a, FINE) && high >= down(&a, FINE), "{name}({a})");
        }
    }
}

/// √2 and √(2π), each from both sides.
#[test]
fn roots_of_constants() {
    for bits in 2..40 {
        for (down, up) in [
            (
                d::sqrt_two_down as fn(u32) -> Float,
                d::sqrt_two_up as fn(u32) -> Float,
            ),
            (d::sqrt_two_pi_down, d::sqrt_two_pi_up),
        ] {
            assert!(down(bits) < down(FINE) && up(bits) > up(FINE), "{bits}");
        }
    }
}
