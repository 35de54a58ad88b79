//! Widths far below the last place of the ends: what the ways of very narrow intervals add must be more than what they leave out.

use rug::{Float, Rational};

use super::{Interval, ProfilePoint};

/// 2^−`n`.
fn power(n: u32) -> Float {
    Float::with_val(512, 1) >> n
}

/// A width of more digits than it is kept to: rounded down it would be less than what the exponential rises by.
#[test]
fn widths_of_many_digits() {
    for start in [Float::new(512), Float::with_val(512, 1), -power(3)] {
        for function in [Interval::exp, Interval::exp_m1] {
            reaches_both_ends(function, &start);
        }
    }
    for start in [Float::with_val(512, 1), Float::with_val(512, 3), power(2)] {
        for function in [Interval::ln, Interval::ln_1p] {
            reaches_both_ends(function, &start);
        }
    }
}

/// From here to 2^−100·(1 + 2^−63 − 2^−120) farther, which is 2^−100·(1 + 2^−63) when rounded up to 64 bits, and 2^−100 when rounded down.
fn reaches_both_ends(function: fn(&Interval) -> Interval, start: &Float) {
    let width = power(100) + power(163) - power(220);
    let end = Float::with_val(512, start + width);
    let found = function(&Interval::spanning(start.clone(), end.clone()));
    for x in [start, &end] {
        let fine = function(&Interval::point(x.clone()).at_bits(900));
        assert!(
            found.lo() <= fine.hi() && found.hi() >= fine.lo(),
            "from {start}: {found:?}"
        );
    }
}

/// Ends at 0: a logarithm from there, and a reciprocal of what reaches it.
#[test]
fn ends_at_zero() {
    let (zero, tiny) = (Float::new(64), Float::with_val(64, power(200)));
    let from_zero = Interval::spanning(zero.clone(), tiny.clone());
    let logarithm = from_zero.ln();
    assert!(
        logarithm.lo().is_infinite()
            && logarithm.hi().to_f64() > -139.0
            && logarithm.hi().to_f64() < -138.0
    );
    let one = Float::with_val(64, 1);
    let from_minus_one = Interval::spanning(-one.clone(), Float::with_val(64, &tiny - &one));
    assert!(from_minus_one.ln_1p().lo().is_infinite());
    for reaching in [
        from_zero.clone(),
        from_zero.neg(),
        from_zero.hull(&from_zero.neg()),
    ] {
        let found = reaching.recip();
        assert!(
            found.lo().is_infinite() && found.hi().is_infinite(),
            "{reaching:?}: {found:?}"
        );
    }
    let beyond = Interval::spanning(tiny.clone(), one);
    assert!(beyond.recip().lo().is_finite() && beyond.neg().recip().hi().is_finite());
}

/// Where nothing is known of any line, the value lies between 0 and 1, and so does the slope.
#[test]
fn no_line_is_known() {
    let one = Interval::one(60);
    let whole = Interval::zero(60).hull(&one);
    let u = Interval::from_rational(&Rational::from((1, 2)), 60);
    for upper in [&one, &whole] {
        let found = ProfilePoint::on_lines([(whole.clone(), whole.clone())], upper, &u);
        // δ ≥ 1 − u.
        assert!(
            *found.delta.lo() <= 0.5 && *found.delta.hi() >= 1,
            "{found:?}"
        );
        assert!(
            found.null_tail.contains(&Rational::new())
                && found.null_tail.contains(&Rational::from(1)),
            "{found:?}"
        );
    } // A line that is one of several, and how high they are at most.
    let at = |n, d| Interval::from_rational(&Rational::from((n, d)), 60);
    let found = ProfilePoint::on_lines([(at(5, 8), at(1, 8))], &at(7, 8), &u);
    assert!(
        found.delta.contains(&Rational::from((5, 8)))
            && found.delta.contains(&Rational::from((7, 8)))
    );
}
