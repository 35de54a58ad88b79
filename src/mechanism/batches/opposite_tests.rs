//! The finite pair against sums over a fine grid.

use super::*;
use crate::kernel::coarse::at_most_bits;

/// δ(u) of both orders by sums over cells of 1/256, in floats.
fn by_sums(rate: f64, mu: f64, u: f64) -> [f64; 2] {
    let normal =
        |x: f64, at: f64| (-(x - at) * (x - at) / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let width = 1.0 / 256.0;
    let mut found = [0.0; 2];
    for i in -4_000..8_000 {
        let x = f64::from(i) * width;
        let rest = (1.0 - rate) * normal(x, 0.0);
        let p = rest + rate * normal(x, mu);
        let q = rest + rate * normal(x, 2.0 * mu);
        found[0] += (q - u * p).max(0.0) * width;
        found[1] += (p - u * q).max(0.0) * width;
    }
    found
}

fn delta(p: &[Rational], q: &[Rational], u: &Rational) -> f64 {
    let gains = p.iter().zip(q).map(|(p, q)| q - Rational::from(u * p));
    gains.filter(|gain| *gain > 0).sum::<Rational>().to_f64()
}

/// In either order the pair has no more than the sums say, and at most a hundredth less.
#[test]
fn it_is_just_below_the_others_opposite() {
    for (rate, square) in [
        ((1, 10), (1, 4)),
        ((1, 2), (1, 1)),
        ((9, 10), (1, 100)),
        ((1, 100), (9, 1)),
    ] {
        let (rate, square) = (Rational::from(rate), Rational::from(square));
        let (p, q) = OppositeOthers::new(&rate, &square).unwrap().pair();
        for vector in [&p, &q] {
            assert!(vector.iter().all(|x| *x >= 0) && vector.iter().sum::<Rational>() == 1);
        }
        for u in [(1, 4), (9, 10), (1, 1), (21, 20), (2, 1), (9, 1)].map(Rational::from) {
            let truth = by_sums(rate.to_f64(), square.to_f64().sqrt(), u.to_f64());
            for (found, truth) in [delta(&p, &q, &u), delta(&q, &p, &u)]
                .into_iter()
                .zip(truth)
            {
                assert!(
                    found <= truth * (1.0 + 1e-5) + 1e-9,
                    "{rate} {square} {u}: {found} {truth}"
                );
                assert!(
                    found >= truth * 0.99 - 1e-6,
                    "{rate} {square} {u}: {found} {truth}"
                );
            }
        }
    }
    for (square, is_built) in [(64, true), (65, false)] {
        let found = OppositeOthers::new(&Rational::from((1, 2)), &Rational::from(square));
        assert_eq!(found.is_some(), is_built, "{square}");
    }
}

/// Few bits make tests worse, never better.
#[test]
fn few_bits_are_below() {
    let of = OppositeOthers::new(&Rational::from((1, 3)), &Rational::from(1)).unwrap();
    for bits in [12, 20, 40] {
        let (p, q) = at_most_bits(bits, || of.pair());
        for u in [(1, 3), (1, 1), (3, 2)].map(Rational::from) {
            let truth = by_sums(1.0 / 3.0, 1.0, u.to_f64());
            assert!(delta(&p, &q, &u) <= truth[0] + 1e-6, "{bits} {u}");
            assert!(delta(&q, &p, &u) <= truth[1] + 1e-6, "{bits} {u}");
        }
    }
}

/// Levels are rounded up, and powers down, in whichever precision.
#[test]
fn tests_are_rounded_to_their_side() {
    let of = OppositeOthers::new(&Rational::from((1, 3)), &Rational::from(2)).unwrap();
    for bits in [12, 20, BITS] {
        at_most_bits(bits, || {
            let line = Line::new(&of);
            let mut upper = line.lowest().larger(&Float::with_val(BITS, -FARTHEST));
            let tests = of.tests();
            assert!(tests.len() > 100, "{bits}");
            for (level, power) in tests {
                let lower = line.opposite(&upper);
                let [without, with] =
                    [1, 2].map(|shift| line.outside(lower.as_ref(), &upper, shift));
                assert!(level >= *without.hi() && power <= *with.lo(), "{bits}");
                upper += Float::with_val(BITS, PLACES).recip();
            }
        });
    }
}
