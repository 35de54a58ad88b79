//! The steps of a proof, and the final inequality.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::answer::Claim;
use crate::claim::{ClaimFile, Direction, number};
use crate::law::{self, Law, Plan, Side};
use crate::profile;
use crate::real::{Real, w};
use crate::reason::{Place, Reason, Rejected, one_line};
use crate::step::{Epsilon, Mechanism, Step};
use crate::theorem::{Largest, exact, fixed_point, gaussian_mu, largest_loss, of_every_mechanism, pure_dp};
use crate::value::Value;

/// A whole number, in the only way to write it.
pub fn integer(value: &Value) -> Result<i64, Rejected> {
    let number = match value {
        Value::Number(text) => text.parse().ok().filter(|n: &i64| n.to_string() == *text),
        _ => None,
    };
    number.ok_or_else(|| Rejected::malformed("a whole number is missing"))
}

/// Checks the proof that a claim is true (`verified`) or false; `steps` says in words what was done.
pub fn prove(file: &ClaimFile, verified: bool, proof: &Value, steps: &mut Vec<String>) -> Result<(), Rejected> {
    let member = proof.get("member").map(integer).transpose()?;
    let (mechanism, claim) = (&file.mechanism.proved_of(member, verified)?, &file.claim);
    let kind = proof.need("kind")?.text("`kind`")?;
    proof.only("`proof`", if kind == "profile" { &["kind", "member", "sources"] } else { &["kind", "member"] })?;
    let step = match (kind, claim) {
        ("trivial", claim) if verified => of_every_mechanism(claim)?,
        ("largest-loss", Claim::PureDp { epsilon }) => pure_dp(mechanism, epsilon, verified)?,
        ("gaussian-mu", Claim::Gdp { mu, .. }) if is_strict(claim, verified) => gaussian_mu(mechanism, mu, verified)?,
        ("fixed-point", Claim::Gdp { mu, .. }) if is_strict(claim, verified) => fixed_point(mechanism, mu, verified)?,
        ("exact", claim) => exact(mechanism, claim, verified)?,
        ("profile", claim) => {
            let sources = proof.need("sources")?.list("`sources`")?;
            let sources = sources.iter().enumerate();
            let sources = sources.map(|(i, source)| Source::read(source).map_err(|no| no.at(Place::Source(i))));
            let sources = sources.collect::<Result<Vec<_>, _>>()?;
            return by_profile(mechanism, claim, verified, &sources, steps);
        }
        (kind, _) => {
            let text = format!("no proof `{}` of this claim and verdict", one_line(kind, 40));
            return Err(Rejected::new(Reason::WrongKind, text));
        }
    };
    steps.push(step);
    Ok(())
}

/// Does G_μ ≤ f imply the claim (or, to refute, the claim G_μ ≤ f)?
fn is_strict(claim: &Claim, verified: bool) -> bool {
    matches!(claim, Claim::Gdp { tolerance, floor, .. } if tolerance.is_zero() && (verified || floor.is_zero()))
}

/// Bounds of δ at some ε for one order of the pair.
struct Source {
    direction: Direction,
    epsilons: Vec<Epsilon>,
    /// In units of 2^-120.
    bounds: Vec<BigInt>,
    quantiles: Vec<BigRational>,
    law: Option<LawPlan>,
}

struct LawPlan {
    step: BigRational,
    light: u128,
    parts: Vec<Plan>,
}

impl Source {
    fn read(value: &Value) -> Result<Self, Rejected> {
        value.only("a source", &["bounds", "direction", "epsilons", "law", "quantiles"])?;
        let numbers = |value: &Value| -> Result<Vec<BigRational>, Rejected> {
            let items = value.list("a list of numbers")?;
            if items.len() > 4096 {
                return Err(Rejected::limit("a list of more than 4096 numbers"));
            }
            items.iter().map(|x| number(x.text("a number")?)).collect()
        };
        // A number, or the logarithm of one.
        let epsilons = |value: &Value| -> Result<Vec<Epsilon>, Rejected> {
            let items = value.list("a list of numbers")?;
            if items.len() > 4096 {
                return Err(Rejected::limit("a list of more than 4096 numbers"));
            }
            items.iter().map(|x| Epsilon::read(x.text("a number")?)).collect()
        };
        let bounds = numbers(value.need("bounds")?)?;
        let range = BigRational::zero()..=BigRational::from(BigInt::one() << law::bits());
        if let Some(bad) = bounds.iter().find(|b| !b.is_integer() || !range.contains(b)) {
            return Err(Rejected::malformed(format!("a bound is no integer from 0 to 2^120: {bad}")));
        }
        Ok(Self {
            direction: match value.need("direction")?.text("`direction`")? {
                "remove" => Direction::Remove,
                "add" => Direction::Add,
                _ => return Err(Rejected::malformed("an unknown direction")),
            },
            epsilons: epsilons(value.need("epsilons")?)?,
            bounds: bounds.iter().map(BigRational::to_integer).collect(),
            quantiles: value.get("quantiles").map_or(Ok(Vec::new()), numbers)?,
            law: value.get("law").map(LawPlan::read).transpose()?,
        })
    }
}

impl LawPlan {
    fn read(value: &Value) -> Result<Self, Rejected> {
        value.only("`law`", &["light", "parts", "step"])?;
        let step = number(value.need("step")?.text("`step`")?)?;
        let light = u32::try_from(integer(value.need("light")?)?).ok().filter(|bits| *bits < law::bits());
        let light = light.ok_or_else(|| Rejected::malformed("`light` is not from 0 to 119"))?;
        if !step.is_positive() || step > BigRational::from(BigInt::from(64)) || step.denom().bits() > 256 {
            return Err(Rejected::limit("a step that is not between 0 and 64, or has a long denominator"));
        }
        let small = |value: &Value| u32::try_from(integer(value)?).map_err(|_| Rejected::malformed("a negative count"));
        let part = |value: &Value| -> Result<Plan, Rejected> {
            value.only("a part", &["coarsen", "first", "last", "level"])?;
            let at = |key: &str| integer(value.need(key)?);
            let coarsen = value.need("coarsen")?.list("`coarsen`")?.iter().map(small).collect::<Result<Vec<_>, _>>()?;
            if coarsen.iter().any(|times| *times > 60) {
                return Err(Rejected::limit("a law is coarsened more than 60 times"));
            }
            Ok(Plan { level: small(value.need("level")?)?, first: at("first")?, last: at("last")?, coarsen })
        };
        let parts = value.need("parts")?.list("`parts`")?.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { step, light: 1 << light, parts })
    }

    /// The law of the whole composition.
    fn law(
        &self,
        mechanism: &Mechanism,
        direction: Direction,
        side: Side,
        steps: &mut Vec<String>,
    ) -> Result<Law, Rejected> {
        if self.parts.len() != mechanism.steps.len() {
            return Err(Rejected::new(Reason::SkippedPart, "the plan does not have one entry for each kind of step"));
        }
        let mut whole: Option<Law> = None;
        for ((step, times), plan) in mechanism.steps.iter().zip(&self.parts) {
            let once = Law::of_step(step, direction, side, plan, &self.step)?;
            let law = once.power(*times, plan, self.light)?;
            let Plan { level, first, last, coarsen } = plan;
            steps.push(format!(
                "{side:?} law (S1-S4), order {direction}, of {times} x {step}: one of them on the points {first} to {last} \
                 of the lattice of step {}*2^{level}, squared {} times, {} atoms in the end.",
                self.step,
                coarsen.len(),
                law.atoms()
            ));
            whole = Some(match whole {
                None => law,
                Some(others) => others.joined(law, self.light)?,
            });
        }
        whole.ok_or_else(|| Rejected::malformed("a mechanism without steps"))
    }
}

/// Proofs that rest on bounds of δ (or, to refute a trade-off claim, on one test).
fn by_profile(
    mechanism: &Mechanism,
    claim: &Claim,
    verified: bool,
    sources: &[Source],
    steps: &mut Vec<String>,
) -> Result<(), Rejected> {
    enough_directions(mechanism, claim, verified, sources)?;
    let with_floor = matches!(claim, Claim::Gdp { floor, .. } if !floor.is_zero());
    if (with_floor || matches!(claim, Claim::TradeOff { .. }))
        && sources.windows(2).any(|pair| matches!(pair, [a, b] if a.epsilons.last() != b.epsilons.last()))
    {
        return Err(Rejected::new(Reason::Points, "the lines below f and its inverse have different slopes"));
    }
    for (index, source) in sources.iter().enumerate() {
        by_source(mechanism, claim, verified, source, steps).map_err(|no| no.at(Place::Source(index)))?;
    }
    Ok(())
}

fn by_source(
    mechanism: &Mechanism,
    claim: &Claim,
    verified: bool,
    source: &Source,
    steps: &mut Vec<String>,
) -> Result<(), Rejected> {
    let side = if verified { Side::Upper } else { Side::Lower };
    let law = source.law.as_ref().map(|plan| plan.law(mechanism, source.direction, side, steps)).transpose()?;
    match claim {
        Claim::TradeOff { alpha, beta } if !verified => by_test(mechanism, source, law.as_ref(), (alpha, beta), steps),
        Claim::Gdp { mu, floor, .. } if !floor.is_zero() && !verified => {
            let (alpha, beta) = point_of_gaussian(mu, floor, source)?;
            steps.push("With alpha and beta as below, G_mu(alpha) >= beta.".into());
            by_test(mechanism, source, law.as_ref(), (&alpha, &beta), steps)
        }
        _ => {
            bounds_hold(mechanism, source, law.as_ref(), verified, steps)?;
            conclude(claim, verified, source, steps)
        }
    }
}

/// A test of type-I error at most α that misses less often than β: f(α) < β.
fn by_test(
    mechanism: &Mechanism,
    source: &Source,
    law: Option<&Law>,
    (alpha, beta): (&BigRational, &BigRational),
    steps: &mut Vec<String>,
) -> Result<(), Rejected> {
    let [bound] = source.bounds.as_slice() else {
        return Err(Rejected::malformed("one bound is needed"));
    };
    let power = power_of_test(mechanism, source, law, alpha)?;
    let (proved, stated) = (shown(&power), shown(bound));
    if power < *bound {
        return Err(Rejected::new(Reason::Bound, format!("the power proved is {proved}, less than stated")));
    }
    need(units(bound, law::bits()) > BigRational::one() - beta, "the power stated does not exceed 1 - beta")?;
    steps.push(format!(
        "A test of type-I error at most alpha has power at least {proved} >= {stated} > 1 - beta, alpha = {alpha}, beta = {beta}."
    ));
    Ok(())
}

/// α = P(Z > x) and β = P(Z > μ − x) for a number x, both rounded down: then G_μ(α) ≥ β. Neither is below the floor.
fn point_of_gaussian(
    mu: &BigRational,
    floor: &BigRational,
    source: &Source,
) -> Result<(BigRational, BigRational), Rejected> {
    let [x] = source.quantiles.as_slice() else {
        return Err(Rejected::malformed("one quantile is needed"));
    };
    let tail = |x: &BigRational| -> Result<_, Rejected> { Ok(units(&Real::of(x).normal_tail()?.lo, w())) };
    let (alpha, beta) = (tail(x)?, tail(&(mu - x))?);
    need(alpha >= *floor && beta >= *floor, "the errors of the test are below the error floor")?;
    Ok((alpha, beta))
}

/// Verified claims need both orders of the pair that the adjacency names, unless both are alike, or the statement is the
/// same for both (advantage), or each order stands for one half of all ε (Gaussian DP). One order refutes.
fn enough_directions(mechanism: &Mechanism, claim: &Claim, verified: bool, sources: &[Source]) -> Result<(), Rejected> {
    let given: Vec<_> = sources.iter().map(|source| source.direction).collect();
    let alike = mechanism.is_symmetric();
    let is_enough = match (verified, claim) {
        (true, Claim::Advantage { .. }) => given.len() == 1,
        (true, _) if alike => given == [Direction::Remove],
        (true, Claim::Gdp { .. }) => given == [Direction::Remove, Direction::Add],
        (true, _) => given == mechanism.adjacency.directions(),
        (false, claim) => match given.as_slice() {
            [one] => {
                alike
                    || matches!(claim, Claim::Advantage { .. } | Claim::Gdp { .. })
                    || mechanism.adjacency.directions().contains(one)
            }
            _ => false,
        },
    };
    if is_enough {
        Ok(())
    } else {
        Err(Rejected::new(Reason::Direction, "the proof is not about the orders of the pair that the claim is about"))
    }
}

/// The one step of a mechanism that has a closed form.
fn single(mechanism: &Mechanism) -> Result<&Step, Rejected> {
    match mechanism.steps.as_slice() {
        [(step, 1)] => Ok(step),
        _ => Err(Rejected::new(Reason::NoClosedForm, "a composition has no closed form: a law is needed")),
    }
}

/// Recomputes every bound of a source: from the law, or from the closed form of a single step. Above the largest loss δ
/// is 0.
fn bounds_hold(
    mechanism: &Mechanism,
    source: &Source,
    law: Option<&Law>,
    verified: bool,
    steps: &mut Vec<String>,
) -> Result<(), Rejected> {
    if source.epsilons.len() != source.bounds.len() || source.epsilons.is_empty() {
        return Err(Rejected::malformed("there is not one bound for each epsilon"));
    }
    let largest = if verified { largest_loss(mechanism, source.direction)? } else { Largest::Infinite };
    for (epsilon, bound) in source.epsilons.iter().zip(&source.bounds) {
        let computed = match law {
            _ if largest.is_at_most(epsilon)? => BigInt::zero(),
            Some(law) => law.delta(epsilon)?,
            None => {
                let delta = profile::at(single(mechanism)?, source.direction, epsilon)?.delta;
                if verified { delta.ceil_units(law::bits()) } else { delta.floor_units(law::bits()) }
            }
        };
        // No profile is above 1.
        let computed = if verified { computed.min(BigInt::one() << law::bits()) } else { computed };
        let (holds, sign) = if verified { (computed <= *bound, "<=") } else { (computed >= *bound, ">=") };
        let (order, proved, stated) = (source.direction, shown(&computed), shown(bound));
        if !holds {
            let text = format!("delta({epsilon}) {sign} {proved} is proved, not {sign} {stated}");
            return Err(Rejected::new(Reason::Bound, text));
        }
        steps.push(format!("Order {order}: delta({epsilon}) {sign} {proved} {sign} {stated}."));
    }
    Ok(())
}

fn units(bound: &BigInt, bits: u32) -> BigRational {
    BigRational::new(bound.clone(), BigInt::one() << bits)
}

/// n/2^120, and its first digits.
fn shown(n: &BigInt) -> String {
    if n.is_zero() {
        return "0".into();
    }
    let digits = ((n * num_traits::pow(BigInt::from(10), 45)) >> law::bits()).to_string();
    let (first, rest) = (digits.get(..1).unwrap_or(""), digits.get(1..6).unwrap_or(""));
    format!("{n}/2^120 ({first}.{rest}…e-{})", 46usize.saturating_sub(digits.len()))
}

fn need(holds: bool, text: &str) -> Result<(), Rejected> {
    if holds { Ok(()) } else { Err(Rejected::new(Reason::Inequality, text)) }
}

/// The final inequality, from the bounds.
fn conclude(claim: &Claim, verified: bool, source: &Source, steps: &mut Vec<String>) -> Result<(), Rejected> {
    let one = BigRational::one();
    if let Claim::Gdp { mu, tolerance, floor } = claim
        && verified
    {
        return gaussian_below(mu, tolerance, floor, source, steps);
    }
    let ([epsilon], [bound]) = (source.epsilons.as_slice(), source.bounds.as_slice()) else {
        return Err(Rejected::new(Reason::Points, "this claim is decided at one epsilon"));
    };
    let bound = units(bound, law::bits());
    let delta_claim = |at: &Epsilon, delta: &BigRational| {
        if !epsilon.is_same(at) {
            return Err(Rejected::new(Reason::Points, "the bound is at another epsilon than the claim"));
        }
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
        _ => {
            return Err(Rejected::new(Reason::WrongKind, "bounds of delta do not prove this"));
        }
    }
    steps.push("The bound of delta implies the statement.".into());
    Ok(())
}

/// H(α) = G_μ(α + τ) − τ ≤ f, for slopes −u with u ≥ 1 (I4). Between two ε's δ lies below the chord of its bounds,
/// 1 − β − u·α for one point (α, β); beyond the last one that is (0, 1 − δ). If H(α) ≤ β at each of these points, then
/// δ(u) ≤ 1 − β − u·α ≤ sup_a 1 − H(a) − u·a. And H(α) ≤ β follows from P(Z > x) ≤ α + τ, P(Z > μ − x) ≤ β + τ.
fn gaussian_below(
    mu: &BigRational,
    tolerance: &BigRational,
    floor: &BigRational,
    source: &Source,
    steps: &mut Vec<String>,
) -> Result<(), Rejected> {
    let nodes = source.epsilons.iter().zip(&source.bounds);
    let nodes = nodes.map(|(epsilon, bound)| {
        let bound = bound << (w() - law::bits());
        Ok((epsilon.exp()?, Real::new(bound.clone(), bound)))
    });
    let nodes = nodes.collect::<Result<Vec<(Real, Real)>, Rejected>>()?;
    let increase = nodes.windows(2).all(|pair| matches!(pair, [(a, _), (b, _)] if a.hi < b.lo));
    if !increase
        || source.quantiles.len() != source.epsilons.len()
        || source.epsilons.first().is_none_or(|epsilon| !epsilon.is_zero() && !epsilon.is_negative())
    {
        return Err(Rejected::new(
            Reason::Points,
            "the epsilons do not increase from 0 or below, or there is not one quantile for each",
        ));
    }
    let (one, tau) = (Real::int(1), Real::of(tolerance));
    for (place, x) in source.quantiles.iter().enumerate() {
        let Some((u, delta)) = nodes.get(place) else {
            continue;
        };
        let (alpha, rest) = match nodes.get(place + 1) {
            Some((next, then)) if delta.lo > then.lo => {
                let alpha = delta.minus(then).over(&next.minus(u))?;
                let rest = delta.plus(&u.times(&alpha));
                (alpha, rest)
            }
            Some((_, then)) => (Real::int(0), then.clone()),
            None => (Real::of(floor), delta.plus(&u.times(&Real::of(floor)))),
        };
        let size = alpha.plus(&tau);
        let miss = one.minus(&rest).plus(&tau);
        let x = Real::of(x);
        // G_μ is 0 from 1 on, and at most 1.
        let holds = if size.lo >= one.hi || miss.lo >= one.hi {
            !miss.lo.is_negative()
        } else {
            x.normal_tail()?.hi <= size.lo && Real::of(mu).minus(&x).normal_tail()?.hi <= miss.lo
        };
        if alpha.hi > one.lo || !holds {
            let at = source.epsilons.get(place).map(ToString::to_string).unwrap_or_default();
            return Err(Rejected::new(
                Reason::Inequality,
                format!("from epsilon = {at} on, the curve is not shown to lie above that of G_mu"),
            ));
        }
    }
    steps.push(format!("G_mu is below the points of all {} chords (order {}).", nodes.len(), source.direction));
    Ok(())
}

/// A lower bound, in units of 2^-120, of the power of a test of size at most α.
fn power_of_test(
    mechanism: &Mechanism,
    source: &Source,
    law: Option<&Law>,
    alpha: &BigRational,
) -> Result<BigInt, Rejected> {
    match (law, source.epsilons.as_slice()) {
        (Some(law), []) => law.power_at(alpha),
        (None, [epsilon]) => {
            let point = profile::at(single(mechanism)?, source.direction, epsilon)?;
            if !point.null.is_at_most(alpha) {
                return Err(Rejected::new(Reason::Size, "the type-I error of the test is larger than alpha"));
            }
            Ok(point.power().floor_units(law::bits()))
        }
        _ => Err(Rejected::malformed("a test is given by a law, or by one epsilon")),
    }
}
