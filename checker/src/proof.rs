//! The steps of a proof, and the final inequality.

use crate::claim::ClaimFile;
use crate::dataset::of_dataset;
use crate::distinguishing::distinguishing_event;
use crate::dominance::{Known, above_some, below_all};
use crate::exact::exact;
use crate::normal::gaussian_first;
use crate::power::Tests;
use crate::renyi::{Moments, is_zcdp};
use crate::source::{both_shown, numbers};
use crate::theorem::{Of, by_noise, by_sum, fixed_point, is_far, of_every_mechanism, pure_dp, slopes, total};
use crate::*;

/// A whole number, in the only way to write it.
pub fn integer(value: &Value) -> Result<i64> {
    let number = match value {
        Value::Number(text) => text.parse().ok().filter(|n: &i64| n.to_string() == *text),
        _ => None,
    };
    number.ok_or_else(|| Rejected::malformed("a whole number is missing"))
}

/// Checks the proof that a claim is true (`verified`) or false.
///
/// Where only a bound of what is stated is known, a true claim is proved of it, and a false one of one member; of that, steps
/// which are the worst of many datasets, or classes, may be replaced by what one of them does. Random allocations are bounded from either side. Of a regret a true one is proved of a
/// member, and a false one of the bound.
pub fn prove(file: &ClaimFile, verified: bool, proof: &Value) -> Result<()> {
    let mechanism = &file.mechanism;
    let of_bound = file.claim.is_of_bound(verified);
    let missing = || {
        Rejected::new(
            Reason::WrongKind,
            "`allocations`, `member` or `tests` of the proof are not those that this verdict needs",
        )
    };
    let allocations = proof.get("allocations");
    let mut parts = match proof.get("member") {
        None if allocations.is_some() => Parts::new(),
        Some(_) if allocations.is_some() => return Err(missing()),
        None if of_bound || mechanism.members.is_empty() => mechanism.steps.clone(),
        Some(index) if !of_bound => {
            let index = usize::try_from(integer(index)?).map_err(|_| missing())?;
            explain(format!("Of member {index} of what is stated:"));
            mechanism.members.get(index).ok_or_else(missing)?.clone()
        }
        _ => return Err(missing()),
    };
    if let Some(list) = allocations {
        let exact = file.exact.as_ref().filter(|exact| exact.is_attained || of_bound).ok_or_else(missing)?;
        let numbers = list.list("`allocations`")?.iter().map(numbers).collect::<Result<Vec<_>>>()?;
        parts = gaussian_first(&exact.planned(&numbers, if of_bound { Side::Upper } else { Side::Lower })?);
    }
    if let Some(tests) = proof.get("tests") {
        let mut tests = tests.list("`tests`")?.iter();
        for (step, _) in parts.iter_mut().filter(|(step, _)| !of_bound && (step.is_worst_case() || step.is_class())) {
            *step = of_dataset(step, &numbers(tests.next().ok_or_else(missing)?)?)?;
            explain(format!("A dataset for which a step is {step}:"));
        }
        if tests.next().is_some() {
            return Err(missing());
        }
        parts = gaussian_first(&parts);
    }
    let mechanism = Mechanism { steps: parts, members: Vec::new(), adjacency: mechanism.adjacency };
    prove_of(&mechanism, &file.claim, verified, proof)
}

/// The same of steps that are attained, or of a bound.
pub fn prove_of(mechanism: &Mechanism, claim: &Claim, verified: bool, proof: &Value) -> Result<()> {
    let kind = proof.need("kind")?.text("`kind`")?;
    let more: &[&str] = match kind {
        "profile" => &["sources"],
        "dominance" => &["others", "sources"],
        "moments" => &["orders", "sources"],
        _ => &[],
    };
    proof.only("`proof`", &[more, &["allocations", "kind", "member", "tests"]].concat())?;
    let sources = |key: &str| {
        let list = proof.need(key)?.list("a list of sources")?.iter().enumerate();
        list.map(|(i, source)| Source::read(source).map_err(|no| no.at(Place::Source(i)))).collect::<Result<Vec<_>>>()
    };
    let two = BigInt::from(2);
    let step = match (kind, claim) {
        ("trivial", claim) if verified => of_every_mechanism(claim)?,
        ("largest-loss", Claim::PureDp { epsilon }) => pure_dp(mechanism, epsilon, verified)?,
        ("largest-loss", Claim::Rdp { epsilon, .. }) if verified => {
            pure_dp(mechanism, &Epsilon::Plain(epsilon.clone()), true)?
        }
        ("gaussian-mu", Claim::Regret { mu, .. }) if verified => by_noise(Some(&(mu * mu)), &mechanism.steps)?,
        ("gaussian-mu", Claim::DominatedBy { other, .. }) if verified => {
            by_noise(total(&mechanism.steps, Of::Curve).as_ref(), other)?
        }
        ("gaussian-mu", Claim::Gdp { mu, .. }) if is_strict(claim, verified) => {
            by_sum(mechanism, Of::Curve, &(mu * mu), verified)?
        }
        ("gaussian-rho", Claim::Zcdp { rho }) => by_sum(mechanism, Of::Divergences, &(rho * two), verified)?,
        ("gaussian-rho", Claim::Rdp { order: t, epsilon }) if verified => {
            by_sum(mechanism, Of::Divergence(t), &(epsilon * two / t), true)?
        }
        ("fixed-point", Claim::Gdp { mu, .. }) if is_strict(claim, verified) => fixed_point(mechanism, mu, verified)?,
        ("fixed-point", Claim::DominatedBy { other, .. }) if verified => {
            // f is above G_μ, and what has this noise is not.
            let [(Step::Gaussian { square }, 1), ..] = other.as_slice() else {
                return Reason::NotGaussian.no("the second has no Gaussian noise");
            };
            fixed_point(mechanism, &Real::of(square).sqrt()?.ends().0, true)?
        }
        ("distinguishing-event", Claim::Rdp { order, .. }) if !verified => {
            distinguishing_event(mechanism, mechanism.adjacency.directions(), Some(order))?
        }
        // Either order of the pair: zCDP is about both, and the curve of a Gaussian is its own inverse.
        ("distinguishing-event", claim)
            if !verified && (is_strict(claim, false) || matches!(claim, Claim::Zcdp { .. })) =>
        {
            distinguishing_event(mechanism, Direction::ALL, None)?
        }
        ("exact", claim) => exact(mechanism, claim, verified)?,
        ("profile", claim) => return by_profile(mechanism, claim, verified, &sources("sources")?),
        ("dominance", Claim::DominatedBy { other, adjacency, at_most }) => {
            let other = Mechanism { steps: other.clone(), members: Vec::new(), adjacency: *adjacency };
            let (sources, others) = (sources("sources")?, sources("others")?);
            compare((mechanism, &sources), (&other, &others), claim, verified, at_most)?
        }
        ("dominance", Claim::Regret { mu, at_most }) => {
            let noise = vec![(Step::Gaussian { square: mu * mu }, 1)];
            let noise = Mechanism { steps: noise, members: Vec::new(), adjacency: mechanism.adjacency };
            let (sources, others) = (sources("sources")?, sources("others")?);
            explain("What follows is about Gaussian noise of this mu; the other mechanism is the one stated.");
            compare((&noise, &sources), (mechanism, &others), claim, verified, at_most)?
        }
        ("moments", claim) => {
            by_moments(mechanism, claim, verified, &numbers(proof.need("orders")?)?, &sources("sources")?)?
        }
        (kind, _) => {
            let text = format!("no proof `{}` of this claim and verdict", one_line(kind, 40));
            return Reason::WrongKind.no(text);
        }
    };
    explain(step);
    Ok(())
}

/// f(α) ≥ f̃(α + x) − x, f of the first one, or not.
fn compare(
    (mechanism, sources): Known<'_>, (other, others): Known<'_>, claim: &Claim, verified: bool, most: &BigRational,
) -> Result<String> {
    enough_directions(mechanism, claim, verified, sources)?;
    if verified {
        return below_all((mechanism, sources), (other, others), most);
    }
    enough_directions(other, claim, true, others)?;
    above_some((mechanism, sources), (other, others), most)
}

/// Does G_μ ≤ f imply the claim (or, to refute, the claim G_μ ≤ f)?
fn is_strict(claim: &Claim, verified: bool) -> bool {
    matches!(claim, Claim::Gdp { tolerance, floor, .. } if tolerance.is_zero() && (verified || floor.is_zero()))
}

/// Proofs that rest on bounds of δ (or, to refute a trade-off claim, on one test).
fn by_profile(mechanism: &Mechanism, claim: &Claim, verified: bool, sources: &[Source]) -> Result<()> {
    enough_directions(mechanism, claim, verified, sources)?;
    let with_floor = matches!(claim, Claim::Gdp { floor, .. } if !floor.is_zero());
    // The hull of both, where both are claimed.
    if mechanism.adjacency.is_both()
        && (with_floor || matches!(claim, Claim::TradeOff { .. }))
        && sources.windows(2).any(|pair| matches!(pair, [a, b] if a.epsilons.last() != b.epsilons.last()))
    {
        return Reason::Points.no("the lines below f and its inverse have different slopes");
    }
    for (index, source) in sources.iter().enumerate() {
        by_source(mechanism, claim, verified, source).map_err(|no| no.at(Place::Source(index)))?;
    }
    Ok(())
}

fn by_source(mechanism: &Mechanism, claim: &Claim, verified: bool, source: &Source) -> Result<()> {
    let side = if verified { Side::Upper } else { Side::Lower };
    match claim {
        Claim::TradeOff { alpha, beta } if !verified => by_test(mechanism, source, (alpha, beta)),
        Claim::Gdp { mu, floor, .. } if !floor.is_zero() && !verified => {
            let (alpha, beta) = point_of_gaussian(mu, floor, source)?;
            explain("With alpha and beta as below, G_mu(alpha) >= beta.");
            by_test(mechanism, source, (&alpha, &beta))
        }
        _ => {
            source.bounds_hold(mechanism, side)?;
            // From where D_t ≤ ρ·t proves a strict claim of all smaller tests (T7).
            let rho = if verified && is_strict(claim, false) { slopes(&mechanism.steps) } else { None };
            conclude(claim, verified, source, rho.as_ref())
        }
    }
}

/// A test of type-I error at most α that misses less often than β: f(α) < β.
fn by_test(mechanism: &Mechanism, source: &Source, (alpha, beta): (&BigRational, &BigRational)) -> Result<()> {
    let [bound] = source.bounds.as_slice() else { return Err(Rejected::malformed("one bound is needed")) };
    let power = Tests::of(source, mechanism, true)?.power(alpha)?;
    let is_less = power < *bound;
    let [proved, stated] = both_shown(&power, bound);
    Reason::Bound.when(is_less, &format!("the power proved is {power}/2^288 ({proved}), less than stated"))?;
    need(units(bound.clone(), w()) > BigRational::one() - beta, "the power stated does not exceed 1 - beta")?;
    explain(format!(
        "A test of type-I error at most alpha has power at least {proved} >= {stated} > 1 - beta, alpha = {alpha}, beta = {beta}."
    ));
    Ok(())
}

/// α = P(Z > x) and β = P(Z > μ − x) for a number x, both rounded down: then G_μ(α) ≥ β. Neither is below the floor.
fn point_of_gaussian(mu: &BigRational, floor: &BigRational, source: &Source) -> Result<(BigRational, BigRational)> {
    let [x] = source.quantiles.as_slice() else { return Err(Rejected::malformed("one quantile is needed")) };
    let tail = |x: &BigRational| -> Result<_> { Ok(units(Real::of(x).normal_tail()?.lo, w())) };
    let (alpha, beta) = (tail(x)?, tail(&(mu - x))?);
    need(alpha >= *floor && beta >= *floor, "the errors of the test are below the error floor")?;
    Ok((alpha, beta))
}

/// Verified claims need both orders of the pair that the adjacency names, unless both are alike, or the statement is the
/// same for both (advantage), or each order stands for one half of all ε (Gaussian DP). zCDP is about both. One order refutes.
pub fn enough_directions(mechanism: &Mechanism, claim: &Claim, verified: bool, sources: &[Source]) -> Result<()> {
    let given: Vec<_> = sources.iter().map(|source| source.direction).collect();
    let alike = mechanism.is_symmetric();
    let is_enough = match (verified, claim) {
        (true, Claim::Advantage { .. }) => given.len() == 1,
        (true, _) if alike => given == [Direction::Remove],
        (true, Claim::Gdp { .. } | Claim::Zcdp { .. }) => given == [Direction::Remove, Direction::Add],
        (true, _) => given == mechanism.adjacency.directions(),
        (false, claim) => match given.as_slice() {
            [one] => {
                alike
                    || matches!(claim, Claim::Advantage { .. } | Claim::Gdp { .. } | Claim::Zcdp { .. })
                    || mechanism.adjacency.directions().contains(one)
            }
            _ => false,
        },
    };
    Reason::Direction.when(!is_enough, "the proof has not the orders of the pair that this verdict needs")
}

/// Rényi divergences: D_t ≤ ε at one order, D_t ≤ ρ·t at every order, or not (R1–R4).
fn by_moments(
    mechanism: &Mechanism, claim: &Claim, verified: bool, orders: &[BigRational], sources: &[Source],
) -> Result<String> {
    enough_directions(mechanism, claim, verified, sources)?;
    for (index, source) in sources.iter().enumerate() {
        let Some(plan) = &source.law else {
            return Err(Rejected::malformed("a plan is needed").at(Place::Source(index)));
        };
        let side = if verified { Side::Upper } else { Side::Lower };
        let moments = || Moments::new(&mechanism.steps, source.direction, side, &plan.parts, &plan.step);
        let decides = |order: &BigRational, most: &BigRational| {
            let psi = moments()?.at(order)?;
            let is_shown = if verified { psi.is_at_most(most) } else { psi.is_above(most) };
            need(is_shown, "the divergence does not decide the claim")
        };
        let less = |order: &BigRational| order - BigRational::one();
        let proved = || match (claim, orders) {
            (Claim::Rdp { order, epsilon }, []) => decides(order, &(epsilon * less(order))),
            (Claim::Zcdp { rho }, orders) if verified => {
                is_zcdp(mechanism, source.direction, rho, orders, &plan.parts, &plan.step)
            }
            (Claim::Zcdp { rho }, [t]) if *t > BigRational::one() => decides(t, &(rho * t * less(t))),
            _ => Reason::WrongKind.no("moments at these orders do not decide this claim"),
        };
        proved().map_err(|no| no.at(Place::Source(index)))?;
    }
    Ok("Moments of the likelihood ratio, step by step, decide the claim.".into())
}

pub fn need(holds: bool, text: &str) -> Result<()> {
    Reason::Inequality.when(!holds, text)
}

/// The final inequality, from the bounds.
fn conclude(claim: &Claim, verified: bool, source: &Source, rho: Option<&BigRational>) -> Result<()> {
    let one = BigRational::one();
    if let Claim::Gdp { mu, tolerance, floor } = claim
        && verified
    {
        // Where δ is 0 nothing is left to be shown.
        let is_open = source.bounds.last().is_some_and(BigInt::is_positive);
        let end = match source.quantiles.last().filter(|x| is_open && is_far(rho, mu, x) == Ok(true)) {
            Some(x) => (Real::of(x).normal_tail()?, true),
            None => (Real::of(floor), false),
        };
        return gaussian_below(mu, tolerance, end, source);
    }
    let (epsilon, bound) = source.point()?;
    let delta_claim = |at: &Epsilon, delta: &BigRational| {
        Reason::Points.when(!epsilon.is_same(at), "the bound is at another epsilon than the claim")?;
        need(if verified { bound <= *delta } else { bound > *delta }, "the bound of delta does not decide the claim")
    };
    match claim {
        Claim::ApproxDp { epsilon: at, delta } => delta_claim(at, delta)?,
        Claim::PureDp { epsilon: at } if !verified => delta_claim(at, &BigRational::zero())?,
        Claim::Advantage { at_most } => delta_claim(&Epsilon::Plain(BigRational::zero()), at_most)?,
        Claim::TradeOff { alpha, beta } if verified => {
            // f(α) ≥ 1 − δ(u) − u·α.
            let rest = epsilon.exp()?.times(&Real::of(alpha));
            need(rest.is_at_most(&(one - beta - bound)), "the line 1 - delta - u*alpha is below beta at alpha")?;
        }
        Claim::Gdp { mu, tolerance, .. } => {
            // δ(u) > δ_G(u) + τ·(1 + u).
            let u = epsilon.exp()?.plus(&Real::int(1));
            let other = profile::gaussian_delta(mu, epsilon)?.plus(&u.times(&Real::of(tolerance)));
            need(other.hi < Real::of(&bound).lo, "delta is not above that of G_mu plus the tolerance")?;
        }
        _ => return Reason::WrongKind.no("bounds of delta do not prove this"),
    }
    explain("The bound of delta implies the statement.");
    Ok(())
}

/// The line 1 − β − u·α through two bounds of δ at u, or one not above them: α and 1 − β. Beyond the last bound α is `end`.
pub fn line((u, delta): &(Real, Real), next: Option<&(Real, Real)>, end: &Real) -> Result<(Real, Real)> {
    let alpha = match next {
        Some((_, then)) if delta.lo <= then.lo => return Ok((Real::int(0), then.clone())),
        Some((next, then)) => delta.minus(then).over(&next.minus(u))?,
        None => end.clone(),
    };
    let rest = delta.plus(&u.times(&alpha));
    Ok((alpha, rest))
}

/// H(α) = G_μ(α + τ) − τ ≤ f, for slopes −u with u ≥ 1 (I4). Between two ε's δ lies below the chord of its bounds,
/// 1 − β − u·α for one point (α, β); beyond the last one that is (0, 1 − δ). If H(α) ≤ β at each of these points, then
/// δ(u) ≤ 1 − β − u·α ≤ sup_a 1 − H(a) − u·a. And H(α) ≤ β follows from P(Z > x) ≤ α + τ, P(Z > μ − x) ≤ β + τ.
fn gaussian_below(
    mu: &BigRational, tolerance: &BigRational, (end, is_far): (Real, bool), source: &Source,
) -> Result<()> {
    let nodes = source.epsilons.iter().zip(&source.bounds);
    let nodes = nodes.map(|(epsilon, bound)| Ok((epsilon.exp()?, Real::units(bound.clone()))));
    let nodes = nodes.collect::<Result<Vec<(Real, Real)>>>()?;
    let increase = nodes.windows(2).all(|pair| matches!(pair, [(a, _), (b, _)] if a.hi < b.lo));
    let is_wrong = !increase
        || source.quantiles.len() != source.epsilons.len()
        || source.epsilons.first().is_none_or(|epsilon| !epsilon.is_zero() && !epsilon.is_negative());
    let what = "the epsilons do not increase from 0 or below, or there is not one quantile for each";
    Reason::Points.when(is_wrong, what)?;
    let (one, tau) = (Real::int(1), Real::of(tolerance));
    for (place, ((x, epsilon), node)) in source.quantiles.iter().zip(&source.epsilons).zip(&nodes).enumerate() {
        let next = nodes.get(place + 1);
        let (alpha, rest) = line(node, next, &end)?;
        let size = alpha.plus(&tau);
        let miss = one.minus(&rest).plus(&tau);
        let x = Real::of(x);
        // G_μ is 0 from 1 on, and at most 1.
        let holds = if size.lo >= one.hi || miss.lo >= one.hi {
            !miss.lo.is_negative()
        } else {
            let (a, b) = (x.normal_tail()?, Real::of(mu).minus(&x).normal_tail()?);
            // A smaller a makes up for b, but beyond the last one.
            let gain = next.map_or(Real::int(0), |_| node.0.times(&size.minus(&a)));
            // P(Z > x) itself is where the last line ends.
            (a.hi <= size.lo || is_far && next.is_none()) && b.hi <= miss.plus(&gain).lo
        };
        let what = format!("from epsilon = {epsilon} on, the curve is not shown to lie above that of G_mu");
        need(alpha.hi <= one.lo && holds, &what)?;
    }
    explain(format!("G_mu is below the points of all {} chords (order {}).", nodes.len(), source.direction));
    Ok(())
}

#[cfg(test)]
#[path = "proof_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "fixed_point_tests.rs"]
mod fixed_point_tests;
