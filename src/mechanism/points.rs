//! The class of all mechanisms with given profile points, through its canonical pair.

use std::cmp::Ordering;
use std::sync::Arc;

use rug::Rational;

use super::epsilon::{Epsilon, StatedEpsilon};
use super::evaluate::is_narrow;
use super::exponential_sum::ExponentialSum;
use super::finite::{Atom, FiniteLaw, Mass};
use crate::kernel::Interval;

/// The pair whose profile is the largest one through or below the points (ε, δ), in both orders of the pair.
///
/// In u = e^ε a profile is convex and decreasing with δ(0) = 1, and δ_(Q,P)(u) ≤ d means δ_(P,Q)(1/u) ≤ 1 − (1 − d)/u.
/// So the largest is the lower convex hull of (0, 1), the points and the mirrored points, flat after its minimum
/// (a convex decreasing function with these properties is a profile: Zhu, Dong and Wang 2022, Proposition 9).
/// `None` if a sign cannot be decided within the bounds of work.
///
/// Requires: δ_i ≥ 1 − e^{ε_i} and 0 ≤ δ_i ≤ 1 for every point.
pub fn law(points: &[(Epsilon, Rational)]) -> Option<FiniteLaw> {
    let hull = hull(points)?;
    let known = points_on(&hull, points)?;
    let hull = Arc::new(hull);
    let atoms = hull
        .iter()
        .enumerate()
        .filter_map(|(index, vertex)| {
            let at = vertex.at.clone()?;
            let slopes = Arc::clone(&hull);
            let (left, right) = (index.checked_sub(1), Some(index));
            let known = exact_slope(&hull, left).zip(exact_slope(&hull, right));
            let (without, with) = match known.zip(at.exact_exp()) {
                Some(((left, right), u)) => {
                    let without = left - right;
                    let with = Rational::from(&u * &without);
                    (Mass::Exact(without), Mass::Exact(with))
                }
                None => {
                    let without = Mass::real(move |bits| {
                        narrow(bits, |b| {
                            slope(&slopes, left, b).sub(&slope(&slopes, right, b))
                        })
                    });
                    let (null, place) = (without.clone(), at.clone());
                    let with =
                        Mass::real(move |bits| null.enclose(bits).mul(place.place(bits).exp()));
                    (without, with)
                }
            };
            Some(Atom {
                loss: at.loss(),
                with,
                without,
            })
        })
        .collect();
    let infinite = hull.last().map(|v| one().minus(&v.gain))?;
    // The slope at 0 is gain/u at the first vertex.
    let null_only = match hull.get(1) {
        Some(Vertex { at: Some(at), gain }) => {
            let inverse = exponential(&at.opposite(), Rational::from(1));
            one().minus(&gain.times(&inverse))
        }
        _ => one(),
    };
    Some(FiniteLaw::new(atoms, mass_of(infinite), mass_of(null_only))?.with_known(known))
}

/// A corner of the hull: u = e^at (u = 0 without it) and 1 − δ there.
#[derive(Debug, Clone)]
struct Vertex {
    at: Option<Epsilon>,
    gain: ExponentialSum,
}

/// The corners in increasing u, from (0, 1) on; 1 − δ increases strictly along them.
fn hull(points: &[(Epsilon, Rational)]) -> Option<Vec<Vertex>> {
    let mut candidates = Vec::new();
    for (epsilon, delta) in points.iter().filter(|(_, delta)| *delta < 1) {
        let rest = Rational::from(1 - delta);
        let mirror = epsilon.opposite();
        let stated = Vertex {
            at: Some(epsilon.clone()),
            gain: ExponentialSum::term(rest.clone(), Rational::new()),
        };
        let mirrored = Vertex {
            gain: exponential(&mirror, rest),
            at: Some(mirror),
        };
        for vertex in [stated, mirrored] {
            let after = places_up_to(&candidates, &vertex, Ordering::Greater)?;
            candidates.insert(after, vertex);
        }
    }
    let mut chain = vec![Vertex {
        at: None,
        gain: ExponentialSum::term(Rational::new(), Rational::new()),
    }];
    for vertex in candidates {
        let mut is_needed = true;
        while let Some(last) = chain.last() {
            if last.order(&vertex)? == Ordering::Equal {
                if vertex.gain.minus(&last.gain).sign()? != Ordering::Greater {
                    is_needed = false;
                    break;
                }
                chain.pop();
                continue;
            }
            let before = chain.len().checked_sub(2).and_then(|i| chain.get(i));
            match before {
                // 1 − δ is concave along the hull: a corner must lie above the chord past it.
                Some(before) if turn(before, last, &vertex)? != Ordering::Greater => {
                    chain.pop();
                }
                _ => break,
            }
        }
        if is_needed {
            chain.push(vertex);
        }
    }
    while let [.., before, last] = chain.as_slice() {
        if last.gain.minus(&before.gain).sign()? == Ordering::Greater {
            break;
        }
        chain.pop();
    }
    Some(chain)
}

/// Greater if b lies above the chord from a to c.
fn turn(a: &Vertex, b: &Vertex, c: &Vertex) -> Option<Ordering> {
    let run = |v: &Vertex| v.position().minus(&a.position());
    let rise = |v: &Vertex| v.gain.minus(&a.gain);
    run(c).times(&rise(b)).minus(&run(b).times(&rise(c))).sign()
}

/// The stated points that lie on the hull: there δ is known exactly.
fn points_on(hull: &[Vertex], points: &[(Epsilon, Rational)]) -> Option<Vec<(Epsilon, Rational)>> {
    let mut known = Vec::new();
    for (epsilon, delta) in points {
        let vertex = Vertex {
            at: Some(epsilon.clone()),
            gain: ExponentialSum::term(Rational::from(1 - delta), Rational::new()),
        };
        let after = places_up_to(hull, &vertex, Ordering::Equal)?;
        let before = after.checked_sub(1).and_then(|i| hull.get(i));
        let lies_on = match (before, hull.get(after)) {
            (_, Some(corner)) if corner.order(&vertex)? == Ordering::Equal => {
                corner.gain == vertex.gain
            }
            (Some(before), Some(corner)) => turn(before, &vertex, corner)? == Ordering::Equal,
            (Some(last), None) => last.gain == vertex.gain,
            (None, _) => false,
        };
        if lies_on {
            known.push((epsilon.clone(), delta.clone()));
        }
    }
    Some(known)
}

/// [`slope`], where it is rational.
fn exact_slope(hull: &[Vertex], index: Option<usize>) -> Option<Rational> {
    let Some(index) = index else {
        return Some(Rational::from(1));
    };
    let next = index.checked_add(1).and_then(|i| hull.get(i));
    match (hull.get(index), next) {
        (Some(a), Some(b)) => {
            let run = b.position().minus(&a.position()).rational()?;
            let rise = b.gain.minus(&a.gain).rational()?;
            (run != 0).then(|| rise / run)
        }
        _ => Some(Rational::new()),
    }
}

/// −dδ/du between a corner and the next; 1 left of everything stands for no corner, 0 after the last.
fn slope(hull: &[Vertex], index: Option<usize>, bits: u32) -> Interval {
    let Some(index) = index else {
        return Interval::one(bits);
    };
    let next = index.checked_add(1).and_then(|i| hull.get(i));
    match (hull.get(index), next) {
        (Some(a), Some(b)) => {
            let rise = b.gain.minus(&a.gain).enclose(bits);
            rise.div(&b.position().minus(&a.position()).enclose(bits))
        }
        _ => Interval::zero(bits),
    }
}

impl Vertex {
    fn position(&self) -> ExponentialSum {
        match &self.at {
            Some(at) => exponential(at, Rational::from(1)),
            None => ExponentialSum::term(Rational::new(), Rational::new()),
        }
    }

    /// By u; `None` where no bounded number of bits tells.
    fn order(&self, other: &Self) -> Option<Ordering> {
        match (&self.at, &other.at) {
            (Some(a), Some(b)) => a.compare(b),
            (a, b) => Some(a.is_some().cmp(&b.is_some())),
        }
    }
}

/// How many of the sorted corners come before the first whose order to this one is `from` or greater.
fn places_up_to(sorted: &[Vertex], one: &Vertex, from: Ordering) -> Option<usize> {
    let (mut low, mut high) = (0, sorted.len());
    while low < high {
        let middle = low.midpoint(high);
        if sorted.get(middle)?.order(one)? >= from {
            high = middle;
        } else {
            low = middle.checked_add(1)?;
        }
    }
    Some(low)
}

/// c·e^ε: rational where e^ε is.
fn exponential(epsilon: &Epsilon, c: Rational) -> ExponentialSum {
    match epsilon.stated() {
        StatedEpsilon::Number(epsilon) => ExponentialSum::term(c, epsilon.clone()),
        StatedEpsilon::Exp(u) => ExponentialSum::term(c * u, Rational::new()),
    }
}

fn one() -> ExponentialSum {
    ExponentialSum::term(Rational::from(1), Rational::new())
}

fn mass_of(sum: ExponentialSum) -> Mass {
    match sum.rational() {
        Some(exact) => Mass::Exact(exact),
        None => Mass::real(move |bits| narrow(bits, |b| sum.enclose(b))),
    }
}

/// A positive number that may be a small difference, with small relative width.
fn narrow(bits: u32, enclose: impl Fn(u32) -> Interval) -> Interval {
    let mut last = enclose(bits.saturating_add(32));
    for guard in [160u32, 640, 2560, 10240] {
        if is_narrow(&last, bits) {
            break;
        }
        last = enclose(bits.saturating_add(guard));
    }
    last.at_bits(bits).in_unit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Point, Profile};
    use crate::mechanism::approx_dp;
    use crate::mechanism::finite::FiniteProfile;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    fn profile(points: &[(Rational, Rational)]) -> FiniteProfile {
        let points: Vec<(Epsilon, Rational)> = points
            .iter()
            .map(|(epsilon, delta)| (epsilon.clone().into(), delta.clone()))
            .collect();
        FiniteProfile::new(Arc::new(law(&points).unwrap()))
    }

    /// One point (ε, δ) is approximate DP.
    #[test]
    fn one_point_is_approx_dp() {
        let (epsilon, delta) = (q(3, 2), q(1, 1000));
        let from_point = profile(&[(epsilon.clone(), delta.clone())]);
        let direct = FiniteProfile::new(Arc::new(
            approx_dp::law(&epsilon.clone().into(), &delta).unwrap(),
        ));
        for e in [
            q(-4, 1),
            q(-3, 2),
            q(-1, 1),
            q(0, 1),
            q(1, 2),
            q(3, 2),
            q(2, 1),
        ] {
            let point = Point::at_epsilon(&e, 150);
            let (a, b) = (from_point.at(&point), direct.at(&point));
            assert!(a.delta.intersect(&b.delta).is_ok(), "{e}");
            assert!(a.delta.width_up() < 1e-40);
            assert!(a.null_tail.intersect(&b.null_tail).is_ok(), "{e}");
        }
    }

    #[test]
    fn stated_points_are_exact_and_redundant_ones_are_not_echoed() {
        let points = [
            (q(0, 1), q(1, 2)),
            (q(1, 1), q(1, 4)),
            (q(5, 4), q(6, 25)),
            (q(2, 1), q(1, 100)),
            (q(3, 1), q(1, 50)),
        ];
        let profile = profile(&points);
        for (index, is_exact) in [(0, true), (1, true), (2, false), (3, true), (4, false)] {
            let (epsilon, delta) = &points[index];
            let point = Point::at_epsilon(epsilon, 120);
            let knot = profile.at(&point);
            assert!(*knot.delta.hi() <= (delta + Rational::from((1, 1u64 << 60))));
            let exact = profile.exact_delta(&point);
            assert_eq!(exact.as_ref() == Some(delta), is_exact, "{epsilon}");
        }
        assert_eq!(profile.exact_infinite_mass(), Some(q(1, 100)));
    }

    /// The class is closed under swapping: δ(u) = 1 − u + u·δ(1/u).
    #[test]
    fn symmetric() {
        let profile = profile(&[(q(1, 2), q(1, 5)), (q(1, 1), q(1, 10)), (q(-1, 4), q(2, 5))]);
        for e in [q(-2, 1), q(-1, 3), q(0, 1), q(3, 4), q(1, 1), q(3, 1)] {
            let point = Point::at_epsilon(&e, 150);
            let (stated, swapped) = (profile.at(&point), profile.swapped().at(&point));
            assert!(stated.delta.intersect(&swapped.delta).is_ok(), "{e}");
            assert!(stated.delta.width_up() < 1e-40);
        }
    }

    /// Where e^ε is rational, all of the law is.
    #[test]
    fn points_at_rational_odds_are_exact_everywhere() {
        let log = |n| Epsilon::log_of(q(n, 1)).unwrap();
        let points = [(log(3), q(1, 10)), (Epsilon::zero(), q(2, 5))];
        let profile = FiniteProfile::new(Arc::new(law(&points).unwrap()));
        let delta = |u| profile.exact_delta(&Point::at_exp_epsilon(&u, 64));
        assert_eq!(delta(q(3, 1)), Some(q(1, 10)));
        assert_eq!(delta(q(7, 1)), Some(q(1, 10)));
        assert_eq!(delta(q(1, 1)), Some(q(2, 5)));
        assert_eq!(delta(q(2, 1)), Some(q(1, 4)));
        // Swapped: δ(1/3) = 1 − 1/3·(1 − 1/10).
        assert_eq!(delta(q(1, 3)), Some(q(7, 10)));
    }

    #[test]
    fn no_information_from_trivial_points() {
        let knot = profile(&[(q(1, 1), q(1, 1))]).at(&Point::at_epsilon(&q(5, 1), 64));
        assert!(*knot.delta.lo() == 1);
    }

    /// Random points, several at one place among them, against a hull made in rational numbers: every δ, and which points are said to be exact.
    #[test]
    fn hulls_in_rational_numbers() {
        use crate::kernel::coarse::Random;
        use crate::mechanism::polygon::pair_above;
        let mut random = Random(23);
        let mut exact = 0;
        for round in 0..150 {
            let count = 1 + random.below(4);
            let mut points = Vec::new();
            for _ in 0..count {
                let u = Rational::from((4 + random.below(9), 4u32));
                let delta = Rational::from((random.below(20), 20u32));
                points.push((u, delta));
            }
            let (p, with) = pair_above(points.clone());
            let truth = |u: &Rational| -> Rational {
                let gains = p.iter().zip(&with);
                let gains = gains.map(|(p, q)| (q - Rational::from(u * p)).max(q_zero()));
                gains.sum()
            };
            let stated: Vec<(Epsilon, Rational)> = points
                .iter()
                .map(|(u, delta)| (Epsilon::log_of(u.clone()).unwrap(), delta.clone()))
                .collect();
            let Some(law) = law(&stated) else { continue };
            let profile = FiniteProfile::new(Arc::new(law));
            for n in 1..40 {
                let u = q(n, 9);
                let found = profile.at(&Point::at_exp_epsilon(&u, 120)).delta;
                assert!(found.contains(&truth(&u)), "{round} {points:?} {u}");
            }
            let corners = hull(&stated).unwrap();
            let known = points_on(&corners, &stated).unwrap();
            for (stated, (u, delta)) in stated.iter().zip(&points) {
                let is_known = known.contains(stated);
                assert!(!is_known || truth(u) == *delta, "{round} {points:?} {u}");
                exact += u32::from(is_known);
            }
        }
        assert!(exact > 100, "{exact}");
    }

    fn q_zero() -> Rational {
        Rational::new()
    }
}
