//! Finite pairs of exact numbers above or below a pair of which only some tests are known, each with an error.

use rug::Rational;

/// Two probability vectors (p, q).
pub type Vectors = (Vec<Rational>, Vec<Rational>);

/// A pair that is dominated by every pair with these tests.
///
/// A point (α, π) stands for a test that accepts with probability at most α under P and at least π under Q, so that one of exactly (α, π) is
/// made of it by mixing it with the tests that always and never accept. With those, the tests of a pair are a convex set, and the corners
/// of the convex hull from (0, 0) to (1, 1) are the sums of the outcomes of a finite pair: all of its tests are tests of the given one.
///
/// Requires: every number is in [0, 1].
/// Ensures: p and q are probability vectors, by falling q/p; at every u > 0 δ is at most that of any pair with the tests.
pub fn pair_below(tests: impl IntoIterator<Item = (Rational, Rational)>) -> Vectors {
    let (zero, one) = (Rational::new(), Rational::from(1));
    let mut points: Vec<(Rational, Rational)> = tests.into_iter().collect();
    points.push((zero.clone(), zero.clone()));
    points.push((one.clone(), one));
    let mut vectors = (Vec::new(), Vec::new());
    let mut last = (zero.clone(), zero);
    for (alpha, power) in hull_above(points) {
        let (p, q) = (
            Rational::from(&alpha - &last.0),
            Rational::from(&power - &last.1),
        );
        if p > 0 || q > 0 {
            vectors.0.push(p);
            vectors.1.push(q);
        }
        last = (alpha, power);
    }
    vectors
}

/// A pair that dominates every pair, in both orders, whose profile and whose swapped profile are at most these points (u, δ).
///
/// Such a profile is convex, 1 at 0, at most d at u, and at most 1 − (1 − d)/u at 1/u for the point (u, d), so that it is nowhere above the lower
/// convex hull of all that, nor after the last point above the last d. The hull is the profile of the pair whose P-masses at its corners u
/// are the changes of its slope and whose Q-masses are u times those.
///
/// Requires: u ≥ 1, 1 − u ≤ d ≤ 1 and d ≥ 0 for every point.
/// Ensures: p and q are probability vectors; the last entry of p is the mass that q does not have, the last but one of q that which p does not have.
pub fn pair_above(points: impl IntoIterator<Item = (Rational, Rational)>) -> Vectors {
    let mut all = vec![(Rational::new(), Rational::from(1))];
    for (u, delta) in points {
        let inverse = Rational::from(u.recip_ref());
        let mirrored = 1 - Rational::from(1 - &delta) * &inverse;
        all.push((inverse, mirrored));
        all.push((u, delta));
    }
    let mut hull = hull_below(all);
    // Falling only: a profile is flat where its points would rise.
    while let [.., (_, before), (_, last)] = hull.as_slice() {
        if last < before {
            break;
        }
        hull.pop();
    }
    let mut vectors = (Vec::new(), Vec::new());
    let mut slope = Rational::from(1);
    let nexts = hull.iter().skip(1).map(Some).chain([None]);
    let mut null_only = Rational::new();
    for ((u, delta), next) in hull.iter().zip(nexts) {
        let down = match next {
            Some((v, lower)) => Rational::from(delta - lower) / Rational::from(v - u),
            None => Rational::new(),
        };
        let p = Rational::from(&slope - &down);
        if *u == 0 {
            null_only = p;
        } else {
            vectors.1.push(Rational::from(u * &p));
            vectors.0.push(p);
        }
        slope = down;
    }
    let infinite = hull.last().map(|(_, delta)| delta.clone());
    vectors.0.extend([Rational::new(), null_only]);
    vectors
        .1
        .extend([infinite.unwrap_or_default(), Rational::new()]);
    vectors
}

/// The corners of the upper convex hull of points, from left to right.
pub(super) fn hull_above(points: Vec<(Rational, Rational)>) -> Vec<(Rational, Rational)> {
    let mirrored = points.into_iter().map(|(a, b)| (a, -b)).collect();
    let hull = hull_below(mirrored).into_iter();
    hull.map(|(a, b)| (a, -b)).collect()
}

/// The corners of the lower convex hull of points, from left to right.
fn hull_below(mut points: Vec<(Rational, Rational)>) -> Vec<(Rational, Rational)> {
    points.sort_unstable();
    let mut chain: Vec<(Rational, Rational)> = Vec::with_capacity(points.len());
    for next in points {
        if chain.last().is_some_and(|last| last.0 == next.0) {
            // The first of several at one place is the lowest.
            continue;
        }
        while let [.., before, last] = chain.as_slice() {
            // `last` is needed if it lies below the chord past it.
            let run = (
                Rational::from(&last.0 - &before.0),
                Rational::from(&next.0 - &before.0),
            );
            let rise = (
                Rational::from(&last.1 - &before.1),
                Rational::from(&next.1 - &before.1),
            );
            if rise.0 * run.1 < rise.1 * run.0 {
                break;
            }
            chain.pop();
        }
        chain.push(next);
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::Random;

    fn delta((p, q): &Vectors, u: &Rational) -> Rational {
        let gains = p.iter().zip(q).map(|(p, q)| q - Rational::from(u * p));
        gains.filter(|gain| *gain > 0).sum()
    }

    fn vector(random: &mut Random, length: usize) -> Vec<Rational> {
        let weights: Vec<u64> = (0..length).map(|_| random.below(20)).collect();
        let total = weights.iter().sum::<u64>().max(1);
        let mut vector: Vec<Rational> = weights
            .iter()
            .map(|weight| Rational::from((*weight, total)))
            .collect();
        let rest = 1 - vector.iter().sum::<Rational>();
        vector[0] += rest;
        vector
    }

    fn is_probability(vector: &[Rational]) -> bool {
        vector.iter().all(|x| *x >= 0) && vector.iter().sum::<Rational>() == 1
    }

    /// All points of the profile at its corners give it back; points above it give more, everywhere; fewer points too. All tests at its
    /// corners give it back; fewer or worse ones give less.
    #[test]
    fn pairs_are_on_their_side() {
        let mut random = Random(7);
        for _ in 0..60 {
            let pair = (vector(&mut random, 5), vector(&mut random, 5));
            let swapped = (pair.1.clone(), pair.0.clone());
            let both = |u: &Rational| delta(&pair, u).max(delta(&swapped, u));
            let grid: Vec<Rational> = (0..40)
                .map(|n| Rational::from((20 + n * n, 20u32)))
                .collect();
            let above = pair_above(grid.iter().map(|u| (u.clone(), both(u))));
            let slack = Rational::from((1, 97));
            let more = pair_above(
                grid.iter()
                    .map(|u| (u.clone(), (both(u) + &slack).min(1.into()))),
            );
            let tests: Vec<(Rational, Rational)> = (0..32u32)
                .map(|mask| {
                    let of = |vector: &[Rational]| -> Rational {
                        let chosen = vector.iter().enumerate();
                        chosen
                            .filter(|(i, _)| mask >> i & 1 == 1)
                            .map(|(_, x)| x)
                            .sum()
                    };
                    (of(&pair.0), of(&pair.1))
                })
                .collect();
            let below = pair_below(tests.clone());
            let worse = pair_below(tests.into_iter().map(|(a, b)| {
                let a = (a + &slack).min(1.into());
                (a, (b - &slack).max(0.into()))
            }));
            for vectors in [&above, &more, &below, &worse] {
                assert!(is_probability(&vectors.0) && is_probability(&vectors.1));
            }
            for n in 1..90u32 {
                let u = Rational::from((n * n, 300u32));
                let truth = delta(&pair, &u);
                assert!(delta(&above, &u) >= both(&u), "{u}");
                assert!(delta(&more, &u) >= delta(&above, &u), "{u}");
                assert_eq!(delta(&below, &u), truth, "{u}");
                assert!(delta(&worse, &u) <= truth, "{u}");
            }
            for u in &grid {
                assert_eq!(delta(&above, u), both(u));
            }
        }
    }

    /// Of several points at one place the lowest is kept, at the last place too, and of equal ones one.
    #[test]
    fn one_corner_at_a_place() {
        let q = |n: i64| Rational::from(n);
        let of = |points: &[(i64, i64)]| {
            let points = points.iter().map(|(a, b)| (q(*a), q(*b)));
            hull_below(points.collect())
        };
        let line = vec![(q(0), q(4)), (q(4), q(0))];
        assert_eq!(of(&[(4, 3), (0, 4), (4, 0), (4, 0), (0, 5), (4, 9)]), line);
        let bent = vec![(q(0), q(4)), (q(1), q(1)), (q(4), q(0))];
        assert_eq!(of(&[(1, 3), (1, 1), (0, 4), (1, 1), (4, 0), (4, 2)]), bent);
    }
}
