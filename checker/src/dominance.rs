//! One mechanism against another one: f(α) ≥ f̃(α + x) − x at every α, or not (I7–I9 of `proofs/FORMAT.md`).

use crate::power::Tests;
use crate::proof::{line, need};
use crate::*;

/// A mechanism, and what is known of it.
pub type Known<'a> = (&'a Mechanism, &'a [Source]);

/// δ(u) > δ̃(u) + x·(1 + u) at one u, where δ̃ is the larger of all orders of the other mechanism.
pub fn above_some((mechanism, sources): Known<'_>, (other, others): Known<'_>, most: &BigRational) -> Result<String> {
    let [source] = sources else { return Err(Rejected::malformed("one source is needed")) };
    source.bounds_hold(mechanism, Side::Lower).map_err(|no| no.at(Place::Source(0)))?;
    let (epsilon, bound) = source.point()?;
    explain("Of the other mechanism:");
    for known in others {
        known.bounds_hold(other, Side::Upper)?;
        let (at, theirs) = known.point()?;
        Reason::Points.when(!at.is_same(epsilon), "the two bounds of delta are at different epsilons")?;
        let far = epsilon.exp()?.plus(&Real::int(1)).times(&Real::of(most));
        need(far.hi < Real::of(&(&bound - theirs)).lo, "delta is not above that of the other mechanism")?;
    }
    Ok(format!(
        "At epsilon = {epsilon} delta is above that of the other mechanism by more than {most}*(1 + e^epsilon)."
    ))
}

/// The corners (α, 1 − β) of the lines from (0, 1) over (u_i, δ_i), at most δ there, to the right: f is above the largest convex
/// function below all (α, β). At each of them a test of the other mechanism has type-I error at most α + x and power at least 1 − β − x.
pub fn below_all((mechanism, sources): Known<'_>, (other, others): Known<'_>, most: &BigRational) -> Result<String> {
    let mut nodes: Vec<(Real, Real)> = vec![(Real::int(0), Real::int(1))];
    for (index, source) in sources.iter().enumerate() {
        source.bounds_hold(mechanism, Side::Upper).map_err(|no| no.at(Place::Source(index)))?;
        let is_other = sources.first().is_some_and(|first| first.epsilons != source.epsilons);
        Reason::Points.when(is_other, "the points of both orders differ")?;
    }
    for (place, epsilon) in sources.first().into_iter().flat_map(|first| first.epsilons.iter().enumerate()) {
        // The larger δ of both orders.
        let delta = sources.iter().filter_map(|source| source.bounds.get(place)).max();
        nodes.push((epsilon.exp()?, Real::units(delta.cloned().unwrap_or_default())));
    }
    let is_mixed_up = nodes.windows(2).any(|pair| !matches!(pair, [(a, _), (b, _)] if a.hi < b.lo));
    Reason::Points.when(is_mixed_up, "the epsilons do not increase")?;
    let what = "the curve of the worst of many datasets need not be convex: of one of them this can be shown";
    Reason::NoClosedForm.when(!other.has_convex_curve(), what)?;
    // Those that pairs of a class have in one order of a sample are convex, so that mixtures of two are of members (C1 of `README.md`).
    let members = others.iter().filter(|known| known.is_of_member()).count();
    let what = "tests of several members on a sample, in both orders, need not be those of one";
    Reason::NoClosedForm.when(members > 1 && other.adjacency.is_both() && !other.is_symmetric(), what)?;
    let mut tests = Vec::new();
    for known in others {
        let stated = other.adjacency.directions();
        // Of a symmetric pair both orders are alike, and so are tests read the other way round.
        let is_own = match other.is_symmetric() {
            true => stated.len() == 2 || known.direction == Direction::Remove,
            false => stated.contains(&known.direction),
        };
        tests.push(Tests::of(known, other, is_own)?);
    }
    for (place, node) in nodes.iter().enumerate() {
        let (alpha, rest) = line(node, nodes.get(place + 1), &Real::int(0))?;
        let size = units(alpha.lo, w()) + most;
        let needed = Real::of(&(units(rest.hi, w()) - most)).hi;
        if size >= BigRational::one() || !needed.is_positive() {
            continue;
        }
        let powers = tests.iter().map(|known| known.power(&size)).collect::<Result<Vec<_>>>()?;
        need(
            powers.iter().any(|power| *power >= needed),
            &format!("at corner {place} no test of the other mechanism is as powerful"),
        )?;
    }
    Ok(format!("At each of {} corners below f the other mechanism's curve, moved by {most}, is lower.", nodes.len()))
}

#[cfg(test)]
#[path = "dominance_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "regret_tests.rs"]
mod regret_tests;
