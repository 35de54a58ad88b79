//! The largest gain of a step at one ratio.

use statrs::function::erf::erfc;

use super::*;

fn phi(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}

/// max over z of qΦ(z) − (r − 1)(1 − q)Φ(z − a) − rqΦ(z − b), by trying.
pub(in crate::composition::fixed_batches) fn by_trying(q: f64, a: f64, b: f64, r: f64) -> f64 {
    let at = |z: f64| q * phi(z) - (r - 1.0) * (1.0 - q) * phi(z - a) - r * q * phi(z - b);
    let rough = (-1_300..700).map(|i| f64::from(i) / 100.0);
    let best = rough.max_by(|x, y| at(*x).total_cmp(&at(*y))).unwrap();
    let fine = (-1_000..=1_000).map(|i| best + f64::from(i) / 50_000.0);
    fine.map(at).fold(0.0, f64::max)
}

fn sides(a: f64, b: f64) -> Sides {
    let of = |x: f64| Interval::point(Float::with_val(BITS, x));
    Sides { a: of(a), b: of(b) }
}

#[test]
fn chords_are_above_the_largest_gain_and_close_to_it() {
    for (n, d, a, b) in [
        (1u32, 100u32, 1.0, 1.0),
        (1, 10, 0.0, 1.0),
        (1, 10, 0.25, 0.75),
        (1, 2, 1.5, 0.5),
        (9, 10, 0.7, 3.0),
        (1, 1000, 4.0, 4.0),
    ] {
        let q = f64::from(n) / f64::from(d);
        let rate = Rate::new(&Rational::from((n, d)));
        let ratios: Vec<Interval> = (0..60)
            .map(|k| Interval::point(Float::with_val(BITS, 1.0 + 0.001 * 1.16f64.powi(k))))
            .collect();
        let found = along_chords(&points(&sides(a, b), &rate), &ratios);
        for (r, value) in ratios.iter().zip(&found) {
            let truth = by_trying(q, a, b, r.lo().to_f64());
            let value = value.to_f64();
            assert!(value >= truth - 1e-13, "{q} {a} {b} {r:?}: {value} {truth}");
            assert!(
                value <= truth * 1.005 + 1e-12,
                "{q} {a} {b} {r:?}: {value} {truth}"
            );
        }
    }
}

/// Each place is that of the maximum for its ratio.
#[test]
fn places_are_where_the_derivative_is_zero() {
    let (q, a, b) = (0.1, 0.6, 1.1);
    let rate = Rate::new(&Rational::from((1, 10)));
    let places = places(&sides(a, b), &rate);
    assert!(places.len() > 300);
    for place in places.iter().skip(1) {
        let (z, r) = (place.z.to_f64(), place.ratio.middle().to_f64());
        let kappa = (r - 1.0) * (1.0 - q) / q;
        let sum = kappa * (a * z - a * a / 2.0).exp() + r * (b * z - b * b / 2.0).exp();
        assert!((sum - 1.0).abs() < 1e-9, "{z} {r}");
    }
    assert!(places.windows(2).all(|p| p[0].ratio.hi() < p[1].ratio.hi()));
}
