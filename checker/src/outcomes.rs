//! Mechanisms with few outcomes, in fractions: the best of a random number of runs (M14 of `proofs/FORMAT.md`), and steps drawn at random (M13).

use crate::exact::of_step;
use crate::finite::multisets;
use crate::normal::nothing;
use crate::profile::{Pair, Place};
use crate::*;

/// Up to so many outcomes all orders of them are looked at.
pub const FEW: usize = 5;
/// Most outcomes that are written out.
const MOST: usize = 4096;

/// The best of so many runs, of outcomes (p, q), the worst first. Of a geometric number with the mean m in fractions: Ψ(x) = x/(m − (m − 1)x) (V1).
pub fn best_of(runs: &Runs, outcomes: impl Iterator<Item = (BigRational, BigRational)>) -> Result<Step> {
    let (p, q): (Vec<_>, Vec<_>) = outcomes.unzip();
    if !runs.is_geometric() {
        return Ok(Step::Selected { runs: runs.clone(), p, q });
    }
    let (mean, less) = (&runs.mean, &runs.mean - BigRational::one());
    let law = |of: Vec<BigRational>| {
        let (mut worse, mut before) = (BigRational::zero(), BigRational::zero());
        let best = of.into_iter().map(|x| {
            spend_on(&[&worse, &x, mean, &before])?;
            worse += x;
            let next = &worse / (mean - &less * &worse);
            Ok(&next - std::mem::replace(&mut before, next.clone()))
        });
        best.collect::<Result<Vec<_>>>()
    };
    Ok(Step::Finite { p: law(p)?, q: law(q)? })
}

/// The same in an order, or the worst of all orders of up to five.
pub fn best_of_pair(runs: &Runs, p: &[BigRational], q: &[BigRational], best_first: Option<&[usize]>) -> Result<Step> {
    let mut orders = Vec::new();
    match best_first {
        Some(order) => orders.push(order.to_vec()),
        None => permutations(&mut (0..p.len()).collect(), 0, &mut orders),
    }
    let pair = |order: &Vec<usize>| {
        let outcome = |place: &usize| p.get(*place).cloned().zip(q.get(*place).cloned());
        best_of(runs, order.iter().rev().filter_map(outcome))
    };
    let mut pairs = orders.iter().map(pair).collect::<Result<Vec<_>>>()?;
    Ok(match pairs.as_slice() {
        [_] => pairs.swap_remove(0),
        _ => Step::Worst { of: pairs.into_iter().map(|pair| (false, pair)).collect() },
    })
}

/// All orders of what is from a place on. A proof names one by its place in this list.
fn permutations(of: &mut Vec<usize>, from: usize, found: &mut Vec<Vec<usize>>) {
    if from >= of.len() {
        found.push(of.clone());
        return;
    }
    for other in from..of.len() {
        of.swap(from, other);
        permutations(of, from + 1, found);
        of.swap(from, other);
    }
}

/// Between what is above the best of any order of the outcomes of a step, and two orders by their loss, the largest one best or the least (M14): it is looked at
/// u = 1, at losses from there evenly on to where δ falls no more, and just beyond all losses.
pub fn best_by_places(runs: &Runs, step: &Step) -> Result<(Step, Vec<Parts>)> {
    const PLACES: u64 = 640;
    let (one, zero) = (BigRational::one(), BigRational::zero());
    let odds = |loss: Real| Ok::<_, Rejected>(units(loss.exp()?.ceil_units(64), 64));
    let (mut orders, mut places) = (Vec::new(), vec![one.clone()]);
    for order in [Direction::Remove, Direction::Add] {
        let pair = Pair::of(step, order).map_err(|_| Rejected::uncovered("a private selection of this mechanism"))?;
        orders.push((order, pair));
        places.extend(theorem::of_step(step, order)?.real()?.map(odds).transpose()?);
    }
    let points = |u: &BigRational| {
        let place = Place::of_odds(Real::of(u))?;
        orders.iter().map(|(order, pair)| Ok((*order, pair.at(&place)?))).collect::<Result<Vec<_>>>()
    };
    let (mut far, mut before) = (units(BigInt::one(), 20), Vec::new());
    loop {
        let here = points(&odds(Real::of(&far))?)?;
        let here: Vec<_> = here.iter().map(|(_, point)| point.delta.ceil_units(120)).collect();
        if here == before {
            break;
        }
        before = here;
        far *= BigRational::new(3.into(), 2.into());
        Reason::NoCertificateYet.when(far > int(1000), "a private selection of what reveals very much")?;
    }
    for n in 1..=PLACES {
        places.push(odds(Real::of(&(&far * BigRational::new(n.into(), PLACES.into()))))?);
    }
    places.sort_unstable();
    places.dedup();
    let (mut most, mut lines, mut tests) = (one.clone(), Vec::new(), Vec::new());
    for u in places {
        let mut here = zero.clone();
        for (order, point) in points(&u)? {
            here = here.max(point.delta.ends().1);
            let (level, power) = (point.null.ends().1, point.power().ends().0);
            tests.push(if order == Direction::Remove { (level, power) } else { (&one - power, &one - level) });
        }
        // δ falls.
        most = most.min(here);
        lines.push((u, &one - &most));
    }
    let all = Power::under(&lines)?;
    let is_more = all.0.iter().any(|(_, power)| *power > one);
    Reason::NoCertificateYet.when(is_more, "a private selection of what reveals nearly everything")?;
    let most = group::above_best(&all, runs)?;
    // Of several parts the tests of closed forms need not be one inside the other.
    if step.is_worst_case() || matches!(renyi::unsampled(step), Step::Labelled { .. }) {
        return Ok((most, vec![vec![(nothing(), 1)]]));
    }
    let member = |is_best: bool| {
        let within = |x: &BigRational| {
            let x = x.clone().min(one.clone()).max(zero.clone());
            runs.psi(&if is_best { &one - x } else { x }).map(|x| x.ends())
        };
        let test = |(level, power): &(BigRational, BigRational)| {
            let (level, power) = (within(level)?, within(power)?);
            let (level, power) = if is_best { (&one - level.0, &one - power.1) } else { (level.1, power.0) };
            Ok((level.min(one.clone()), power))
        };
        Ok::<_, Rejected>(vec![(Power::above(tests.iter().map(test).collect::<Result<_>>()?)?.pair(), 1)])
    };
    Ok((most, vec![member(true)?, member(false)?]))
}

/// `selected` of `steps` runs, drawn at random, where that has few outcomes: how often each outcome came is all that counts. For counts c, Q has the probability of
/// all orders of them, times the coefficient of z^selected in Π (p_j + q_j·z)^c_j over C(steps, selected), and P that of z^0.
pub fn allocated(step: &Step, steps: u64, selected: u64) -> Result<Option<Step>> {
    let is_pair = steps <= 4096 && matches!(step, Step::Finite { .. } | Step::Response { .. });
    let Some(outcomes) = is_pair.then(|| of_step(step).ok()).flatten() else { return Ok(None) };
    let outcomes: Vec<_> = outcomes.into_iter().filter(|(p, q)| !p.is_zero() || !q.is_zero()).collect();
    if multisets(outcomes.len(), steps) > MOST {
        return Ok(None);
    }
    let selected = usize::try_from(selected).unwrap_or(usize::MAX);
    let mut start = vec![BigRational::zero(); selected.min(4096) + 1];
    if let Some(constant) = start.first_mut() {
        constant.set_one();
    }
    let mut found = (Vec::new(), Vec::new());
    spread(&outcomes, steps, &start, &mut found)?;
    let mut orders = BigInt::one();
    for (j, left) in (1..=selected).zip((0..=steps).rev()) {
        orders = orders * left / j;
    }
    let (p, q): (_, Vec<BigRational>) = found;
    Ok(Some(Step::Finite { p, q: q.into_iter().map(|mass| mass / &orders).collect() }))
}

/// The counts of the first outcome, and of the others for each of them; `product` is that of those before, up to z^selected.
fn spread(
    outcomes: &[(BigRational, BigRational)], steps: u64, product: &[BigRational],
    found: &mut (Vec<BigRational>, Vec<BigRational>),
) -> Result<()> {
    let Some(((p, q), others)) = outcomes.split_first() else {
        if steps == 0 {
            found.0.extend(product.first().cloned());
            found.1.extend(product.last().cloned());
        }
        return if found.0.len() > MOST { Err(Rejected::limit("more than 4096 outcomes")) } else { Ok(()) };
    };
    let mut product = product.to_vec();
    for count in 0..=steps {
        if !others.is_empty() || count == steps {
            spread(others, steps - count, &product, found)?;
        }
        // One more of it, among those that are left.
        let more = BigRational::new(BigInt::from(steps - count), BigInt::from(count + 1));
        let mut before = BigRational::zero();
        for x in &mut product {
            spend_on(&[x, p, q, &before])?;
            let next = (&*x * p + &before * q) * &more;
            before = std::mem::replace(x, next);
        }
        spend(100)?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "outcomes_tests.rs"]
mod tests;
