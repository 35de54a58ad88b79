//! All crossings of the trade-off curves of two finite laws: between neighbouring vertices of either, curves are linear.

use std::cmp::Ordering;

use rug::Rational;

use super::crossings::Crossings;
use super::kinks::profiles;
use super::subject::Subject;
use crate::bounds::Polygon;
use crate::kernel::{Budget, Failure, Interval, InvariantViolation};
use crate::mechanism::finite::FiniteProfile;

/// More vertices than these, of both curves, are not looked at one by one.
const MOST_VERTICES: usize = 20_000;

/// Precisions tried one after the other, until every sign is certain.
const BITS: [u32; 2] = [384, 1536];

/// A stretch of rates that holds a vertex, or several that may be one.
struct Node {
    low: Rational,
    high: Rational,
}

/// The crossings of two mechanisms whose losses take finitely many values; `None` for others.
///
/// Ensures: each place listed holds a change of sign, and where they are said to be complete, each holds one and there is no
/// other. In one direction of the pair the vertices of f are at the rates P(L ≥ y), and at those of the other direction in the other; for
/// both directions f is the convex hull of the two curves, whose vertices are among theirs. So the difference of two curves is linear
/// between neighbouring rates of that kind, and changes its sign there exactly once if its signs at the ends differ, and never if they do
/// not. Where both are certainly equal, none of the two changes its sign: that is so at α = 0 and 1, and where both are 0.
pub(super) fn crossings(
    first: &Subject,
    second: &Subject,
    budget: &Budget,
) -> Result<Option<Crossings<(Rational, Rational)>>, Failure> {
    let (Some(own), Some(others)) = (profiles(first), profiles(second)) else {
        return Ok(None);
    };
    let mut best = None;
    for bits in BITS {
        let vertices = |of: &[FiniteProfile]| -> Vec<(Interval, Interval)> {
            of.iter().flat_map(|one| one.vertices(bits)).collect()
        };
        let (own, others) = (vertices(&own), vertices(&others));
        if own.len().saturating_add(others.len()) > MOST_VERTICES {
            return Ok(None);
        }
        let rates = own.iter().chain(&others).map(|(alpha, _)| alpha.clone());
        let duel = Duel {
            nodes: nodes(rates, bits)?,
            first: Polygon::new(&own)?,
            second: Polygon::new(&others)?,
            budget,
        };
        let found = duel.crossings();
        let done = found.complete || budget.check().is_err();
        best = Some(found);
        if done {
            break;
        }
    }
    Ok(best)
}

/// Two curves, and where they may have vertices.
struct Duel<'a> {
    nodes: Vec<Node>,
    first: Polygon,
    second: Polygon,
    budget: &'a Budget,
}

impl Duel<'_> {
    /// The changes of sign from one stretch of rates to another.
    fn crossings(&self) -> Crossings<(Rational, Rational)> {
        let mut found = Crossings::none(true);
        let mut last: Option<(&Rational, Ordering)> = None;
        for Node { low, high } in &self.nodes {
            if self.budget.check().is_err() {
                found.complete = false;
                break;
            }
            let sign = match self.sign_over(low, high) {
                Some(Ordering::Equal) => continue,
                Some(sign) => sign,
                None => {
                    found.complete = false;
                    continue;
                }
            };
            if let Some((from, before)) = last.filter(|(_, before)| *before != sign) {
                found.places.push(self.narrowed(from, low, before));
            }
            last = Some((high, sign));
        }
        found
    }

    /// Halves a range of rates over which the sign changes, as long as the sign in the middle is certain.
    fn narrowed(&self, low: &Rational, high: &Rational, before: Ordering) -> (Rational, Rational) {
        let (mut low, mut high) = (low.clone(), high.clone());
        for _ in 0..48 {
            let middle = Rational::from(&low + &high) / 2u32;
            match self.sign_over(&middle, &middle) {
                Some(Ordering::Equal) | None => break,
                Some(sign) if sign == before => low = middle,
                Some(_) => high = middle,
            }
        }
        (low, high)
    }

    /// How the first curve compares with the second at all rates from `low` to `high`, if that is certain and the same.
    fn sign_over(&self, low: &Rational, high: &Rational) -> Option<Ordering> {
        let (least, most) = self.first.over(low, high);
        let (others_least, others_most) = self.second.over(low, high);
        if most < others_least {
            Some(Ordering::Less)
        } else if others_most < least {
            Some(Ordering::Greater)
        } else {
            let is_one = least == most && others_least == others_most;
            (is_one && least == others_least).then_some(Ordering::Equal)
        }
    }
}

/// Rates at which a curve may have a vertex, rising; those that may be equal are one.
fn nodes(
    rates: impl Iterator<Item = Interval>,
    bits: u32,
) -> Result<Vec<Node>, InvariantViolation> {
    let ends = [Interval::zero(bits), Interval::one(bits)];
    let mut rates: Vec<Interval> = rates.chain(ends).collect();
    rates.sort_by(|a, b| a.lo().partial_cmp(b.lo()).unwrap_or(Ordering::Equal));
    let mut nodes: Vec<Node> = Vec::with_capacity(rates.len());
    for rate in rates {
        let (Some(low), Some(high)) = (rate.lo().to_rational(), rate.hi().to_rational()) else {
            return Err(InvariantViolation("a probability that is no number".into()));
        };
        match nodes.last_mut() {
            Some(last) if last.high >= low => {
                if last.high < high {
                    last.high = high;
                }
            }
            _ => nodes.push(Node { low, high }),
        }
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::bounds::testing::finite_pair;
    use crate::kernel::coarse::{Random, at_most_bits};
    use crate::mechanism::{Adjacency, Mechanism};

    fn subject(mechanism: &Mechanism, adjacency: Adjacency) -> Subject {
        Subject::new(mechanism, adjacency, &Budget::unlimited()).unwrap()
    }

    fn by_vertices(a: &Subject, b: &Subject) -> Crossings<(Rational, Rational)> {
        crossings(a, b, &Budget::unlimited()).unwrap().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Against the exact crossings of pairs whose numbers are rational; here they are asked as if they were not.
        #[test]
        fn agrees_with_exact_curves(a in finite_pair(), b in finite_pair(), side in 0usize..3) {
            let adjacency = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove][side];
            let of = |p: &[Rational], q: &[Rational]| {
                subject(&Mechanism::finite(p.to_vec(), q.to_vec()).unwrap(), adjacency)
            };
            let (first, second) = (of(&a.p, &a.q), of(&b.p, &b.q));
            let found = by_vertices(&first, &second);
            let (Some(own), Some(others)) = (first.exact_curve(), second.exact_curve()) else {
                return Err(TestCaseError::fail("rational pairs are exact"));
            };
            let exact = crate::bounds::exact_divergence::crossings(own, others);
            prop_assert!(found.places.len() <= exact.len());
            prop_assert!(!found.complete || found.places.len() == exact.len());
            for (low, high) in &found.places {
                let holds = exact.iter().any(|crossing| {
                    *low <= crossing.part.alpha && *high >= crossing.meet.alpha
                });
                prop_assert!(holds, "{low} {high} {exact:?}");
            }
        }
    }

    /// Randomised responses at e^0.1 and e^0.09: no mass is rational, and all crossings are found.
    #[test]
    fn irrational_laws_have_all_their_crossings() {
        let response = |epsilon: (u32, u32), times: u64| {
            let one = Mechanism::randomized_response(Rational::from(epsilon), 2).unwrap();
            subject(
                &Mechanism::compose(vec![(one, times)]).unwrap(),
                Adjacency::AddRemove,
            )
        };
        let (a, b) = (response((1, 10), 100), response((9, 100), 120));
        let many = by_vertices(&a, &b);
        assert!(many.complete, "{many:?}");
        assert_eq!(many.places.len(), 22);
        let budget = Budget::unlimited();
        let profiles = super::super::kinks::crossings(&a, &b, &budget).unwrap();
        assert!(profiles.complete);
        assert_eq!(profiles.places.len(), 22);
        let found = by_vertices(&response((1, 10), 10), &response((9, 100), 12));
        assert!(found.complete, "{found:?}");
        // The curves are symmetric, so that crossings come in pairs, or meet at the fixed point.
        assert!(found.places.len() >= 2, "{found:?}");
        let mut pairs = found.places.iter().zip(found.places.iter().skip(1));
        assert!(pairs.all(|((_, high), (low, _))| high <= low));
    }

    /// At a few bits each place still holds a crossing, and all are said to be known only where they are.
    #[test]
    fn crossings_at_a_few_bits() {
        let mut random = Random(5);
        let mut seen = [0, 0];
        for round in 0..4_150 {
            let mut pair = || {
                let size = 2 + random.below(4);
                [(); 2].map(|()| {
                    let weights: Vec<u64> = (0..size).map(|_| 1 + random.below(20)).collect();
                    let total: u64 = weights.iter().sum();
                    let masses = weights.iter().map(|w| Rational::from((*w, total)));
                    masses.collect::<Vec<_>>()
                })
            };
            let adjacency = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove][round % 3];
            let of =
                |[p, q]: [Vec<Rational>; 2]| subject(&Mechanism::finite(p, q).unwrap(), adjacency);
            let (first, second) = (of(pair()), of(pair()));
            let bits = 4 + u32::try_from(random.below(14)).unwrap();
            let found = at_most_bits(bits, || by_vertices(&first, &second));
            let (own, others) = (first.exact_curve().unwrap(), second.exact_curve().unwrap());
            let exact = crate::bounds::exact_divergence::crossings(own, others);
            assert!(
                found.places.len() <= exact.len(),
                "{bits} {found:?} {exact:?}"
            );
            assert!(!found.complete || found.places.len() == exact.len());
            for (low, high) in &found.places {
                let holds = exact
                    .iter()
                    .any(|crossing| *low <= crossing.part.alpha && *high >= crossing.meet.alpha);
                assert!(holds, "{bits} {low} {high} {exact:?}");
            }
            seen[0] += found.places.len();
            seen[1] += usize::from(found.complete);
        }
        assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
    }

    /// Rates that may be one are one, from the first end to the last.
    #[test]
    fn stretches_of_rates() {
        let rate = |low: f64, high: f64| {
            let [low, high] = [low, high].map(|x| rug::Float::with_val(64, x));
            Interval::new(low, high).unwrap()
        };
        let all = [
            rate(0.5, 0.625),
            rate(0.25, 0.5),
            rate(0.25, 0.375),
            rate(0.75, 0.875),
            rate(0.125, 0.1875),
        ];
        let found = nodes(all.into_iter(), 64).unwrap();
        let found: Vec<(f64, f64)> = found
            .iter()
            .map(|node| (node.low.to_f64(), node.high.to_f64()))
            .collect();
        let ends = [
            (0.0, 0.0),
            (0.125, 0.1875),
            (0.25, 0.625),
            (0.75, 0.875),
            (1.0, 1.0),
        ];
        assert_eq!(found, ends);
    }

    /// Over a range one sign is that of all of it, and a place is as narrow as can be told.
    #[test]
    fn signs_over_ranges() {
        let part = |n: i64, d: i64| Rational::from((n, d));
        let polygon = |vertices: [[(i64, i64); 2]; 3]| {
            let at = |(n, d): (i64, i64)| Interval::from_rational(&part(n, d), 128);
            let all: Vec<_> = vertices.iter().map(|[a, b]| (at(*a), at(*b))).collect();
            Polygon::new(&all).unwrap()
        };
        // They cross at 5/12, and meet at both ends.
        let duel = Duel {
            nodes: nodes([].into_iter(), 128).unwrap(),
            first: polygon([[(0, 1), (1, 1)], [(1, 8), (1, 4)], [(1, 1), (0, 1)]]),
            second: polygon([[(0, 1), (1, 1)], [(1, 2), (0, 1)], [(1, 1), (0, 1)]]),
            budget: &Budget::unlimited(),
        };
        let sign = |low: (i64, i64), high: (i64, i64)| {
            duel.sign_over(&part(low.0, low.1), &part(high.0, high.1))
        };
        let crossing = part(5, 12);
        let at = |alpha: &Rational| duel.sign_over(alpha, alpha);
        assert_eq!(at(&part(1, 8)), Some(Ordering::Less));
        assert_eq!(at(&part(1, 2)), Some(Ordering::Greater));
        assert_eq!(at(&part(1, 1)), Some(Ordering::Equal));
        for (low, high) in [
            ((1, 8), (1, 2)),
            ((1, 2), (1, 1)),
            ((0, 1), (1, 8)),
            ((0, 1), (1, 1)),
        ] {
            assert_eq!(sign(low, high), None, "{low:?} {high:?}");
        }
        assert_eq!(sign((1, 10), (3, 25)), Some(Ordering::Less));
        assert_eq!(sign((1, 2), (11, 20)), Some(Ordering::Greater));
        let turned = Duel {
            nodes: Vec::new(),
            first: duel.second.clone(),
            second: duel.first.clone(),
            budget: duel.budget,
        };
        for (low, high) in [
            ((1, 8), (1, 2)),
            ((1, 2), (1, 1)),
            ((0, 1), (1, 8)),
            ((0, 1), (1, 1)),
        ] {
            let sign = turned.sign_over(&part(low.0, low.1), &part(high.0, high.1));
            assert_eq!(sign, None, "{low:?} {high:?}");
        }
        let (low, high) = duel.narrowed(&part(1, 8), &part(1, 2), Ordering::Less);
        assert!(low <= crossing && crossing <= high, "{low} {high}");
        assert!(
            Rational::from(&high - &low) < part(1, 1 << 40),
            "{low} {high}"
        );
    }

    /// A wide stretch within which the curves cross has no sign, and what is missed there is said.
    #[test]
    fn stretches_that_hide_a_crossing() {
        let part = |n: i64, d: i64| Rational::from((n, d));
        let polygon = |vertices: [[(i64, i64); 2]; 3]| {
            let at = |(n, d): (i64, i64)| Interval::from_rational(&part(n, d), 128);
            let all: Vec<_> = vertices.iter().map(|[a, b]| (at(*a), at(*b))).collect();
            Polygon::new(&all).unwrap()
        };
        let budget = Budget::unlimited();
        let crossings = |middle: [((i64, i64), (i64, i64)); 2]| {
            let ends = [((0, 1), (0, 1)), middle[0], middle[1], ((1, 1), (1, 1))];
            let nodes = ends.map(|(low, high)| Node {
                low: part(low.0, low.1),
                high: part(high.0, high.1),
            });
            let (one, other) = (
                [[(0, 1), (1, 1)], [(1, 8), (1, 4)], [(1, 1), (0, 1)]],
                [[(0, 1), (1, 1)], [(1, 2), (0, 1)], [(1, 1), (0, 1)]],
            );
            let duel = |first, second| Duel {
                nodes: nodes
                    .iter()
                    .map(|n| Node {
                        low: n.low.clone(),
                        high: n.high.clone(),
                    })
                    .collect(),
                first: polygon(first),
                second: polygon(second),
                budget: &budget,
            };
            [duel(one, other).crossings(), duel(other, one).crossings()]
        };
        for found in crossings([((1, 8), (1, 8)), ((1, 2), (1, 2))]) {
            assert!(found.complete && found.places.len() == 1, "{found:?}");
        }
        for hidden in [((1, 3), (1, 2)), ((2, 5), (1, 2)), ((1, 8), (9, 20))] {
            for found in crossings([((1, 10), (1, 9)), hidden]) {
                assert!(!found.complete && found.places.is_empty(), "{found:?}");
            }
        }
    }

    /// Unions of stretches, however they lie within each other.
    #[test]
    fn unions_of_stretches() {
        let mut random = Random(3);
        for _ in 0..300 {
            let all: Vec<(u64, u64)> = (0..7)
                .map(|_| {
                    let low = random.below(60);
                    let longest = if random.once_in(3) { 30 } else { 4 };
                    (low, (low + random.below(longest)).min(64))
                })
                .collect();
            let rates = all.iter().map(|(low, high)| {
                let [low, high] = [low, high].map(|n| rug::Float::with_val(64, *n) / 64u32);
                Interval::new(low, high).unwrap()
            });
            let found = nodes(rates, 64).unwrap();
            // Halves of 64ths: what is covered, and what is not.
            let covered = |at: u64| {
                let ends = all.iter().chain(&[(0, 0), (64, 64)]);
                ends.into_iter()
                    .any(|(low, high)| 2 * low <= at && at <= 2 * high)
            };
            for at in 0..=128 {
                let place = Rational::from((at, 128u64));
                let held = found.iter().filter(|n| n.low <= place && place <= n.high);
                assert_eq!(held.count(), usize::from(covered(at)), "{all:?} {at}");
            }
        }
    }
}
