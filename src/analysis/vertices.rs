//! All crossings of the trade-off curves of two finite laws: between neighbouring vertices of either, curves are linear.

use std::cmp::Ordering;

use rug::Rational;

use super::crossings::{Crossings, Curves};
use super::kinks::profiles;
use super::subject::Subject;
use crate::kernel::{Failure, Interval, InvariantViolation};
use crate::mechanism::finite::FiniteProfile;

/// More vertices than these, of both curves, are not looked at one by one.
const MOST_VERTICES: usize = 600;

const BITS: u32 = 512;

/// Decimal places to which curves are compared at vertices, one after the other, until every sign is certain.
const DIGITS: [u32; 2] = [30, 120];

/// A stretch of rates on which one curve is certainly below the other, or nothing is known.
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
/// not. At α = 1 it is 0, and at α = 0 where no loss is infinite; there none of it changes its sign.
pub(super) fn crossings(
    first: &Subject,
    second: &Subject,
    curves: &Curves<'_>,
) -> Result<Option<Crossings<(Rational, Rational)>>, Failure> {
    let (Some(own), Some(others)) = (profiles(first), profiles(second)) else {
        return Ok(None);
    };
    let Some(nodes) = nodes(own.iter().chain(&others))? else {
        return Ok(None);
    };
    // All curves end at (1, 0), and those without infinite losses begin at (0, 1).
    let begin_at_one = own.iter().chain(&others).all(FiniteProfile::is_finite);
    let mut best = None;
    for digits in DIGITS {
        let found = between(&nodes, curves, begin_at_one, digits)?;
        let done = found.complete || curves.budget.check().is_err();
        best = Some(found);
        if done {
            break;
        }
    }
    Ok(best)
}

/// The changes of sign from one stretch of rates to another.
fn between(
    nodes: &[Node],
    curves: &Curves<'_>,
    begin_at_one: bool,
    digits: u32,
) -> Result<Crossings<(Rational, Rational)>, Failure> {
    let mut found = Crossings::none(true);
    let mut last: Option<(Rational, Ordering)> = None;
    for Node { low, high } in nodes {
        if curves.budget.check().is_err() {
            found.complete = false;
            break;
        }
        let Some(sign) = curves.sign_over(low, high, digits)? else {
            found.complete &= *low >= 1 || (*high <= 0 && begin_at_one);
            continue;
        };
        if let Some((from, before)) = last.take().filter(|(_, before)| *before != sign) {
            found
                .places
                .push(curves.narrowed((from, low.clone()), before, digits)?);
        }
        last = Some((high.clone(), sign));
    }
    Ok(found)
}

/// Rates at which a curve may have a vertex, rising; those that may be equal are one. `None` if there are too many.
fn nodes<'p>(
    profiles: impl Iterator<Item = &'p FiniteProfile>,
) -> Result<Option<Vec<Node>>, InvariantViolation> {
    let mut rates = vec![Interval::zero(BITS), Interval::one(BITS)];
    for profile in profiles {
        let tails = profile.null_tails(BITS);
        if rates.len().saturating_add(tails.len()) > MOST_VERTICES {
            return Ok(None);
        }
        rates.extend(tails.into_iter().map(|tail| tail.in_unit()));
    }
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
    Ok(Some(nodes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::Resources;
    use crate::bounds::TwoSided;
    use crate::bounds::testing::finite_pair;
    use crate::kernel::Budget;
    use crate::mechanism::{Adjacency, Mechanism};

    fn subject(mechanism: &Mechanism, adjacency: Adjacency) -> Subject {
        Subject::new(mechanism, adjacency, &Budget::unlimited()).unwrap()
    }

    fn by_vertices(a: &Subject, b: &Subject) -> Crossings<(Rational, Rational)> {
        let budget = Budget::unlimited();
        let resources = Resources {
            budget: &budget,
            jobs: 1,
            progress: &|_| {},
        };
        let (first, second): (TwoSided, TwoSided) = a.known_beside(b, &resources).unwrap().unwrap();
        let curves = Curves {
            first: &first,
            second: &second,
            budget: &budget,
        };
        crossings(a, b, &curves).unwrap().unwrap()
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
        let found = by_vertices(&response((1, 10), 10), &response((9, 100), 12));
        assert!(found.complete, "{found:?}");
        // The curves are symmetric, so that crossings come in pairs, or meet at the fixed point.
        assert!(found.places.len() >= 2, "{found:?}");
        let mut pairs = found.places.iter().zip(found.places.iter().skip(1));
        assert!(pairs.all(|((_, high), (low, _))| high <= low));
    }
}
