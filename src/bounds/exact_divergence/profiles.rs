//! Where the privacy profiles of two exact curves cross.

use std::cmp::Ordering;

use rug::Rational;

use crate::bounds::exact::{ExactCurve, Vertex};

/// A place on the axis of u = e^ε where the lower one of two profiles becomes the higher one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileCrossing {
    /// Where the profiles meet: just left of it one is strictly below the other.
    pub meet: Rational,
    /// Where they part again, the other one strictly below; the same u unless they agree on a whole stretch.
    pub part: Rational,
}

/// Both profiles at one u.
struct Gap {
    u: Rational,
    difference: Rational,
}

/// Every u > 0 where δ_A − δ_B changes its sign, rising. A touch without a change of sign is none.
///
/// δ(u) is the largest of 1 − β − uα over the vertices, so it is linear between the slopes −u of neighbouring edges, and
/// constant beyond the steepest. Hence δ_A − δ_B is linear between the slopes of both curves: its signs there tell all.
/// At u = 0, a slope of every curve, both are 1.
pub fn profile_crossings(a: &ExactCurve, b: &ExactCurve) -> Vec<ProfileCrossing> {
    let mut found = Vec::new();
    // The last place with a strict sign, and the stretch since where the profiles agree.
    let mut strict: Option<Gap> = None;
    let mut touch: Option<(Rational, Rational)> = None;
    for gap in gaps(a, b) {
        if gap.difference == 0 {
            let since = touch.map_or_else(|| gap.u.clone(), |(meet, _)| meet);
            touch = Some((since, gap.u));
            continue;
        }
        if let Some(before) = strict.filter(|before| before.sign() != gap.sign()) {
            let (meet, part) = touch.unwrap_or_else(|| {
                let at = between(&before, &gap);
                (at.clone(), at)
            });
            found.push(ProfileCrossing { meet, part });
        }
        touch = None;
        strict = Some(gap);
    }
    found
}

impl Gap {
    fn sign(&self) -> Ordering {
        self.difference.cmp0()
    }
}

/// Where a line through both gaps, of opposite signs, is 0.
fn between(left: &Gap, right: &Gap) -> Rational {
    let fall = Rational::from(&left.difference - &right.difference);
    let share = Rational::from(&left.difference / &fall);
    share * Rational::from(&right.u - &left.u) + &left.u
}

/// Both profiles at every u where either has a kink, and at 0, by rising u.
fn gaps(a: &ExactCurve, b: &ExactCurve) -> Vec<Gap> {
    let mut places: Vec<Rational> = kinks(a).chain(kinks(b)).collect();
    places.push(Rational::new());
    places.sort_unstable();
    places.dedup();
    let (mut of_a, mut of_b) = (a.vertices(), b.vertices());
    places
        .into_iter()
        .map(|u| Gap {
            difference: height(&mut of_a, &u) - height(&mut of_b, &u),
            u,
        })
        .collect()
}

/// The u for which both ends of an edge are best.
fn kinks(curve: &ExactCurve) -> impl Iterator<Item = Rational> + '_ {
    let edges = curve.vertices().iter().zip(curve.vertices().iter().skip(1));
    edges.map(|(left, right)| {
        let run = Rational::from(&right.alpha - &left.alpha);
        Rational::from(&left.beta - &right.beta) / run
    })
}

/// δ(u). Drops the vertices at the right that are not best any more; u must not fall.
fn height(left_of: &mut &[Vertex], u: &Rational) -> Rational {
    let value = |v: &Vertex| 1 - Rational::from(u * &v.alpha) - &v.beta;
    let mut best = left_of.last().map_or_else(Rational::new, value);
    while let [rest @ .., before, _] = *left_of {
        let next = value(before);
        if next < best {
            break;
        }
        best = next;
        *left_of = left_of
            .get(..rest.len().saturating_add(1))
            .unwrap_or_default();
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::testing::finite_pair;
    use crate::mechanism::{Adjacency, Orders};
    use proptest::prelude::*;

    fn curve(p: &[(i64, i64)], q: &[(i64, i64)], adjacency: Adjacency) -> ExactCurve {
        let numbers = |of: &[(i64, i64)]| -> Vec<Rational> {
            of.iter().map(|x| Rational::from(*x)).collect()
        };
        ExactCurve::new(&numbers(p), &numbers(q), adjacency)
    }

    /// δ by its definition, from the vectors alone.
    fn delta(p: &[Rational], q: &[Rational], adjacency: Adjacency, u: &Rational) -> Rational {
        let one_way = |p: &[Rational], q: &[Rational]| -> Rational {
            let terms = p.iter().zip(q);
            terms
                .map(|(p, q)| (q - Rational::from(u * p)).max(Rational::new()))
                .sum()
        };
        match adjacency.orders() {
            Orders::Remove => one_way(p, q),
            Orders::Add => one_way(q, p),
            Orders::Both => one_way(p, q).max(one_way(q, p)),
        }
    }

    /// Every u at which two of the lines a profile is made of meet, from subsets of outcomes: all 2ⁿ events E give
    /// the line Q(E) − u·P(E), and the profile is the largest of them.
    fn places_by_events(pairs: &[(&[Rational], &[Rational])]) -> Vec<Rational> {
        let mut lines: Vec<(Rational, Rational)> = Vec::new();
        for (p, q) in pairs {
            for event in 0u32..1 << p.len() {
                let sum = |of: &[Rational]| -> Rational {
                    let chosen = of.iter().enumerate();
                    let chosen = chosen.filter(|(i, _)| event >> i & 1 == 1);
                    chosen.map(|(_, x)| x.clone()).sum()
                };
                lines.push((sum(p), sum(q)));
            }
        }
        lines.sort_unstable();
        lines.dedup();
        let mut places = Vec::new();
        for (i, (p, q)) in lines.iter().enumerate() {
            for (other_p, other_q) in &lines[..i] {
                let run = Rational::from(p - other_p);
                if run != 0 {
                    places.push(Rational::from(q - other_q) / run);
                }
            }
        }
        places.retain(|u| *u > 0);
        places.sort_unstable();
        places.dedup();
        places
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        /// Signs halfway between all places where anything can change: as many changes, and at the same places.
        #[test]
        fn agrees_with_an_enumeration(a in finite_pair(), b in finite_pair(), side in 0usize..3) {
            prop_assume!(a.p.len() <= 4 && b.p.len() <= 4);
            let adjacency = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove][side];
            let mut orders: Vec<(&[Rational], &[Rational])> = Vec::new();
            for pair in [&a, &b] {
                orders.push((&pair.p, &pair.q));
                orders.push((&pair.q, &pair.p));
            }
            let places = places_by_events(&orders);
            let mut middles = vec![places.first().map_or(Rational::from(1), |u| Rational::from(u / 2))];
            middles.extend(places.windows(2).map(|w| Rational::from(&w[0] + &w[1]) / 2));
            middles.push(places.last().map_or(Rational::from(2), |u| Rational::from(u + 1)));
            let sign = |u: &Rational| {
                delta(&a.p, &a.q, adjacency, u).cmp(&delta(&b.p, &b.q, adjacency, u))
            };
            let mut expected = Vec::new();
            let mut last: Option<(Rational, Ordering)> = None;
            for u in middles {
                let here = sign(&u);
                if here == Ordering::Equal {
                    continue;
                }
                if let Some((from, _)) = last.filter(|(_, before)| *before != here) {
                    expected.push((from, u.clone()));
                }
                last = Some((u, here));
            }
            let curve = |pair: &crate::bounds::testing::Finite| {
                ExactCurve::new(&pair.p, &pair.q, adjacency)
            };
            let found = profile_crossings(&curve(&a), &curve(&b));
            prop_assert_eq!(found.len(), expected.len());
            for (crossing, (low, high)) in found.iter().zip(expected) {
                prop_assert!(low < crossing.meet && crossing.meet <= crossing.part && crossing.part < high);
                for u in [&crossing.meet, &crossing.part] {
                    prop_assert_eq!(sign(u), Ordering::Equal);
                }
            }
        }
    }

    #[test]
    fn two_crossings_close_together() {
        let a = curve(
            &[(1, 10), (4, 10), (5, 10)],
            &[(25, 100), (56, 100), (19, 100)],
            Adjacency::Remove,
        );
        let b = curve(
            &[(3, 10), (7, 10)],
            &[(54, 100), (46, 100)],
            Adjacency::Remove,
        );
        let found: Vec<Rational> = profile_crossings(&a, &b)
            .into_iter()
            .map(|crossing| crossing.meet)
            .collect();
        assert_eq!(found, [Rational::from((27, 20)), Rational::from((29, 20))]);
    }

    /// The same where the curves of both share a whole stretch, and where they only touch.
    #[test]
    fn a_stretch_is_one_crossing_and_a_touch_is_none() {
        let a = curve(
            &[(1, 10), (5, 10), (4, 10)],
            &[(3, 10), (5, 10), (2, 10)],
            Adjacency::Remove,
        );
        let same = curve(&[(1, 2), (1, 2)], &[(1, 2), (1, 2)], Adjacency::Remove);
        assert_eq!(profile_crossings(&a, &a), []);
        assert_eq!(profile_crossings(&a, &same), []);
        // δ of the first: 1/2 − u/4 up to u = 2, then 0; of the second the same line from u = 1 on.
        let touching = curve(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)], Adjacency::Remove);
        let above = curve(
            &[(1, 8), (1, 8), (3, 4)],
            &[(1, 2), (1, 4), (1, 4)],
            Adjacency::Remove,
        );
        assert_eq!(profile_crossings(&touching, &above), []);
    }
}
