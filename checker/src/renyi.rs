//! Rényi divergences: moments of laws of single steps, closed forms, and what a guarantee of them says about δ (R of `proofs/FORMAT.md`).

use crate::kinds::simple_bend;
use crate::law::Plan;
use crate::profile::{Pair, Place, Sample};
use crate::theorem::{Of, ends, farthest, of_step, slope, slope_by_losses, slopes, total};
use crate::*;

/// Orders of sums over the number of records in a sample.
const LARGEST_ORDER: i64 = 4096;

/// Orders up to which polynomials are tried.
const LARGEST_DEGREE: i64 = 12;

/// Refuses a plan without one entry for each kind of step; also of laws.
pub fn skipped_part(is_skipped: bool) -> Result<()> {
    Reason::SkippedPart.when(is_skipped, "the plan does not have one entry for each kind of step")
}

fn no_bound() -> Rejected {
    Rejected::new(Reason::NoClosedForm, "no Renyi divergence of this step is known in closed form: a law is needed")
}

/// What runs on a sample, where that is one step: D_t is quasi-convex, and so no more on the sample.
pub fn unsampled(step: &Step) -> &Step {
    let Step::Sampled { of, .. } = step else { return step };
    if let [(inner, 1)] = of.as_slice() { unsampled(inner) } else { step }
}

/// ρ and ξ with D_t ≤ ρ·t + ξ at every order t ≥ 1 (of Skellam noise: at whole ones), in one order of the pair: P has the share w of the noise that is
/// moved least, which is − log w (R1).
fn line(step: &Step, direction: Direction) -> Option<(BigRational, Real)> {
    let Step::Shifted { noise, without, with } = unsampled(step) else { return Some((slope(step)?, Real::int(0))) };
    let (down, up) = if direction == Direction::Remove { (without, with) } else { (with, without) };
    let ((weight, least), (_, most)) = (down.first()?, up.last()?);
    let [without, with] = [least, most].map(|shift| vec![(BigRational::one(), shift.clone())]);
    // Of other noise `slope` knows what there is.
    let rho = if let Noise::Skellam { mean } = noise {
        (least + most) * (least + most) * simple_bend(mean)
    } else {
        slope(&Step::Shifted { noise: noise.clone(), without, with })?
    };
    Some((rho, Real::of(&weight.recip()).ln().ok()?))
}

/// A, and at least A·T + c, with D_t ≤ A·t + c at every order t ≥ T > 1 (R4).
fn beyond(step: &Step, direction: Direction, from: &BigRational) -> Result<(BigRational, Real)> {
    if let Some(loss) = of_step(step, direction)?.real()? {
        return Ok((BigRational::zero(), loss));
    }
    if let Step::Shifted { noise: Noise::Skellam { mean }, without, with } = unsampled(step) {
        let (far, less) = (farthest(without, with), from - BigRational::one());
        let fall = Real::of(&(&far * &less / mean)).ln()?.minus(&Real::int(1)).times(&Real::of(&far));
        let rest = &far + mean * BigRational::new(209.into(), 100.into()) + BigRational::new(7.into(), 10.into());
        return Ok((far / &less, fall.plus(&Real::of(&(rest / less)))));
    }
    if let Step::Shifted { noise: Noise::DiscreteGaussian { square, parties }, without, with } = unsampled(step) {
        let far = farthest(without, with);
        let unit = &far / (square * BigInt::from(*parties) * BigInt::from(2));
        let most = Real::of(&(&unit * (&far * from + BigInt::from(parties - 1))));
        return Ok((unit * far, most));
    }
    let (rho, rest) = line(step, direction).ok_or_else(no_bound)?;
    let most = Real::of(&(&rho * from)).plus(&rest);
    Ok((rho, most))
}

/// (t − 1)·D_t of one step in closed form, at most (`Upper`) or at least.
fn closed(step: &Step, order: &BigRational, direction: Direction, side: Side) -> Result<Real> {
    step.spend(1)?;
    spend_on(&[order])?;
    let less = order - BigRational::one();
    let linear = |rho: &BigRational| Real::of(&(rho * order * &less));
    let by_slope = || match side {
        // Of a table what it says at the next order.
        Side::Upper => total(&vec![(step.clone(), 1)], Of::Divergence(order))
            .map(|square| square / BigInt::from(2))
            .or_else(|| slope_by_losses(step))
            .map(|rho| linear(&rho))
            .ok_or_else(no_bound),
        Side::Lower => Err(no_bound()),
    };
    // Outcomes of probability 0 in P are losses without a bound.
    let by_pair =
        || match Pair::of(on_sum(step).as_ref().unwrap_or(step), direction).and_then(|pair| pair.moment(order)) {
            Ok(Some(moment)) => Ok(moment),
            Ok(None) | Err(_) => by_slope(),
        };
    match (step, side) {
        (Step::Gaussian { square }, _) => Ok(linear(&(square / BigInt::from(2)))),
        // A Gaussian is one of the class.
        (Step::Zcdp { rho }, _) => Ok(linear(rho)),
        (Step::Rdp { orders }, Side::Lower) => {
            let member = orders.iter().map(|(t, epsilon)| epsilon / t).min();
            member.map(|rho| linear(&rho)).ok_or_else(no_bound)
        }
        (Step::Sampled { rate, of }, _) => match (of.as_slice(), side, direction) {
            ([(step, 1)], Side::Upper, _) | ([(step, 1)], _, Direction::Remove) => match gaussian(step) {
                Some(square) => sampled_gaussian(&square, rate, order, side),
                None => by_pair(),
            },
            _ => by_pair(),
        },
        (Step::Laplace { epsilon }, _) => laplace(&Real::of(epsilon), order),
        (Step::Choice { epsilon, is_flip: true }, Side::Upper) => laplace(&epsilon.log()?, order),
        (Step::Choice { epsilon, is_flip: false }, Side::Upper) => choice(&epsilon.log()?, order),
        (Step::Rdp { .. }, Side::Upper) => by_slope(),
        (Step::Shifted { .. }, Side::Upper) if gaussian(step).is_some() => by_slope(),
        (Step::Finite { .. } | Step::Selected { .. } | Step::Response { .. }, _) => by_pair(),
        (Step::ResponseOrUniform { .. } | Step::Guarantee { .. }, _) => by_pair(),
        (Step::Labelled { of }, _) => {
            let part = |(weight, parts): &(BigRational, Parts)| {
                Ok(Real::of(weight).times(&closed_of(parts, order, direction, side)?.exp()?))
            };
            of.iter().map(part).sum::<Result<Real>>().and_then(|sum| sum.ln()).or_else(|_| by_slope())
        }
        (Step::Shifted { .. } | Step::Choice { .. }, _) => by_pair(),
        (Step::Released { .. } | Step::Largest { .. } | Step::Worst { .. } | Step::Shuffled { .. }, _) => by_pair(),
    }
}

/// The same of a composition.
fn closed_of(parts: &Parts, order: &BigRational, direction: Direction, side: Side) -> Result<Real> {
    let known = |(step, times): &(Step, u64)| Ok(closed(step, order, direction, side)?.times(&Real::int(*times)));
    parts.iter().map(known).sum()
}

/// Noise that a record moves up on a sample only: nothing is one more of its shifts.
fn on_sum(step: &Step) -> Option<Step> {
    let Step::Sampled { rate, of } = step else { return None };
    let [(Step::Shifted { noise, without, with }, 1)] = of.as_slice() else { return None };
    if !farthest(without, &Shifts::new()).is_zero() || !ends(with).0.is_positive() {
        return None;
    }
    let moved = with.iter().map(|(weight, shift)| (weight * rate, shift.clone()));
    let with = [(BigRational::one() - rate, BigRational::zero())].into_iter().chain(moved).collect();
    Some(Step::Shifted { noise: noise.clone(), without: without.clone(), with })
}

/// μ² of Gaussian noise, or of discrete Gaussian noise, which has the same moments of whole orders (R3).
fn gaussian(step: &Step) -> Option<BigRational> {
    match step {
        Step::Gaussian { square } => Some(square.clone()),
        Step::Shifted { noise: Noise::DiscreteGaussian { square, parties: 1 }, without, with } => {
            let far = farthest(without, with);
            (without.len() == 1 && with.len() == 1).then(|| &far * &far / square)
        }
        _ => None,
    }
}

/// (t − 1)·D_t of Laplace noise: log(t/(2t − 1)·e^((t − 1)ε) + (t − 1)/(2t − 1)·e^(−tε)) (R2).
pub fn laplace(epsilon: &Real, order: &BigRational) -> Result<Real> {
    let less = order - BigRational::one();
    let both = order + &less;
    // The first exponent is taken out.
    let rest = Real::of(&-&both).times(epsilon).exp()?.times(&Real::of(&(&less / &both)));
    let sum = Real::of(&(order / &both)).plus(&rest);
    Ok(sum.ln()?.plus(&Real::of(&less).times(epsilon)))
}

/// (t − 1)·D_t of a choice with logistic noise, at most: log x^(t − 1)·(1 − b^t)/(t(1 − b)) with b = e^−ε, x = (t − 1)(1 − b^t)/(t(b − b^t)) (R2).
pub fn choice(epsilon: &Real, order: &BigRational) -> Result<Real> {
    let (t, less, one) = (Real::of(order), Real::of(&(order - BigRational::one())), Real::int(1));
    let fall = |times: &Real| Ok::<_, Rejected>(one.minus(&times.times(epsilon).neg().exp()?));
    let all = fall(&t)?;
    // b − b^t = b·(1 − b^(t − 1)).
    let place = less.times(&all).over(&t.times(&fall(&less)?))?.ln()?.plus(epsilon);
    Ok(less.times(&place).plus(&all.over(&t.times(&fall(&one)?))?.ln()?))
}

/// (t − 1)·D_t(Q'‖P) of Gaussian noise on a Poisson sample, which is at least that of the other order (R3). At whole orders n it is
/// log Σ C(n, k)·(1 − r)^(n−k)·r^k·e^(k(k−1)μ²/2); it is convex in t and 0 at t = 1.
pub fn sampled_gaussian(square: &BigRational, rate: &BigRational, order: &BigRational, side: Side) -> Result<Real> {
    let floor = order.floor().to_integer().to_i64().filter(|n| *n < LARGEST_ORDER);
    let floor = floor.ok_or_else(|| Rejected::limit("an order of 4096 or more"))?;
    let at = |n: i64| -> Result<Real> {
        if n <= 1 {
            return Ok(Real::int(0));
        }
        let (rate, rest) = (Real::of(rate), Real::of(&(BigRational::one() - rate)));
        let base = Real::of(&(square / BigInt::from(2)));
        // Terms from k = n down: e^(k(k−1)μ²/2)·(r/(1 − r))^k·C(n, k), by logarithms.
        let odds = rate.over(&rest)?.ln()?;
        let (mut binomial, mut sum) = (BigInt::one(), Real::int(0));
        let top = base.times(&Real::int(n * (n - 1))).plus(&odds.times(&Real::int(n)));
        for k in (0..=n).rev() {
            spend(40_000)?;
            let exponent = base.times(&Real::int(k * (k - 1))).plus(&odds.times(&Real::int(k))).minus(&top);
            sum = sum.plus(&exponent.exp()?.times(&Real::int(binomial.clone())));
            binomial = binomial * k / (n - k + 1);
        }
        Ok(sum.ln()?.plus(&top).plus(&rest.ln()?.times(&Real::int(n))))
    };
    let part = Real::of(&(order - int(floor)));
    let low = at(floor)?;
    if part.hi.is_zero() {
        return Ok(low);
    }
    let near = by_polynomial(square, rate, order, floor, side)?.map(|moment| moment.ln()).transpose()?;
    let line = match side {
        Side::Upper => low.plus(&at(floor + 1)?.minus(&low).times(&part)),
        Side::Lower if floor >= 2 => low.plus(&low.minus(&at(floor - 1)?).times(&part)),
        Side::Lower => Real::int(0),
    };
    Ok(match (near, side) {
        (Some(near), Side::Upper) => line.smaller(&near),
        (Some(near), Side::Lower) => line.larger(&near),
        (None, _) => line,
    })
}

/// E_P (1 + X)^t, X = r·(L − 1) ≥ −r, for t between `floor` and the next whole order, by Taylor's polynomial: of degree `floor` + 1 it is too small only
/// where X < 0, of degree `floor` + 2 too large only there, and by |C(t, degree + 1)|·r^(degree + 1)/(1 − r)³ at most (R3). `None` where it says nothing.
pub fn by_polynomial(
    square: &BigRational, rate: &BigRational, order: &BigRational, floor: i64, side: Side,
) -> Result<Option<Real>> {
    let rest = BigRational::one() - rate;
    if floor > LARGEST_DEGREE || rest.is_zero() {
        return Ok(None);
    }
    let degree = floor + if side == Side::Upper { 1 } else { 2 };
    let mut weights = vec![BigRational::zero(); (0..=degree).count()];
    let mut term = BigRational::one();
    for j in 0..=degree {
        // C(t, j)·r^j·(L − 1)^j, whose powers of L have the means e^(i(i − 1)μ²/2).
        let mut binomial = BigInt::from(if j % 2 == 0 { 1 } else { -1 });
        for (i, weight) in (0..=j).zip(&mut weights) {
            spend_on(&[weight, &term])?;
            *weight += &term * &binomial;
            binomial = binomial * (i - j) / (i + 1);
        }
        term = term * rate * (order - int(j)) / BigInt::from(j + 1);
    }
    let part = |(i, weight): (i64, &BigRational)| {
        let mean = Real::of(&(square * BigInt::from(i * (i - 1)) / BigInt::from(2))).exp()?;
        Ok(mean.times(&Real::of(weight)))
    };
    let sum = (0..).zip(&weights).map(part).sum::<Result<Real>>()?;
    let left = Real::of(&(term.abs() / (&rest * &rest * &rest)));
    let moment = if side == Side::Upper { sum.plus(&left) } else { sum.minus(&left) };
    Ok(Some(moment).filter(|moment| moment.lo >= Real::int(1).lo))
}

/// (t − 1)·D_t of a composition, from a plan for each part: a plan of one point asks for the closed form.
pub struct Moments {
    parts: Vec<(Option<Law>, Step, u64)>,
    direction: Direction,
    side: Side,
}

impl Moments {
    pub fn new(
        parts: &Parts, direction: Direction, side: Side, plans: &[Plan], unit_step: &BigRational,
    ) -> Result<Self> {
        skipped_part(parts.len() != plans.len())?;
        let part = |((step, times), plan): (&(Step, u64), &Plan)| {
            let law = (plan.first != plan.last).then(|| Law::of_step(step, direction, side, plan, unit_step));
            Ok((law.transpose()?, step.clone(), *times))
        };
        let parts = parts.iter().zip(plans).map(part).collect::<Result<_>>()?;
        Ok(Self { parts, direction, side })
    }

    pub fn at(&self, order: &BigRational) -> Result<Real> {
        let part = |(law, step, times): &(Option<Law>, Step, u64)| {
            let one = match law {
                // An upper law has no less, a lower one no more (R1).
                Some(law) => law.moment(order, line(step, self.direction))?.ln()?,
                None => closed(step, order, self.direction, self.side)?,
            };
            Ok(one.times(&Real::int(*times)))
        };
        self.parts.iter().map(part).sum()
    }
}

/// ψ(t) = (t − 1)·D_t ≤ ρ·t·(t − 1) at every t > 1, from ψ at some orders: ψ is convex, so below its chords; and what is known beyond the last one (R4).
pub fn below_parabola(
    rho: &BigRational, orders: &[BigRational], mut psi: impl FnMut(&BigRational) -> Result<Real>,
    is_bounded: impl Fn(&BigRational) -> Result<bool>,
) -> Result<()> {
    let (one, zero) = (BigRational::one(), BigRational::zero());
    let (mut left, mut low) = (one.clone(), zero.clone());
    for order in orders {
        spend_on(&[order, rho, &low])?;
        spend(20_000)?;
        Reason::Points.when(*order <= left, "the orders do not increase from 1")?;
        let (_, high) = psi(order)?.ends();
        let slope = (&high - &low) / (order - &left);
        // ρt² − (ρ + slope)·t + rest ≥ 0 on [left, order], ρ > 0: at its ends, and its least is outside, or is ≥ 0.
        let at = |t: &BigRational, value: &BigRational| rho * t * (t - &one) - value;
        let rest = &slope * &left - &low;
        let sum = rho + &slope;
        let is_inside = sum > rho * &left * BigInt::from(2) && sum < rho * order * BigInt::from(2);
        let is_above = at(&left, &low).is_negative()
            || at(order, &high).is_negative()
            || (is_inside && &sum * &sum > rho * &rest * BigInt::from(4));
        let what = "between two orders the divergences are not shown to be small enough";
        Reason::Inequality.when(is_above, what)?;
        (left, low) = (order.clone(), high);
    }
    Reason::Inequality.when(!is_bounded(&left)?, "beyond the last order the divergences are not bounded")
}

/// D_t ≤ ρ·t at every t > 1, for one order of the pair.
pub fn is_zcdp(
    mechanism: &Mechanism, direction: Direction, rho: &BigRational, orders: &[BigRational], plans: &[Plan],
    unit_step: &BigRational,
) -> Result<()> {
    skipped_part(mechanism.steps.len() != plans.len())?;
    let all = mechanism.steps.iter().cloned().zip(plans.iter().cloned());
    let (known, others): (Vec<_>, Vec<_>) = all.partition(|((step, _), _)| slope(step).is_some());
    let (parts, their_plans): (Parts, Vec<_>) = others.into_iter().unzip();
    let known = slopes(&known.into_iter().map(|(part, _)| part).collect());
    let rest = rho - Reason::Unproved.unless(known, "a sum of numbers of too many digits")?;
    let is_more = rest.is_negative() || (rest.is_zero() && !parts.is_empty());
    Reason::Inequality.when(is_more, "the sum of the steps' rho is larger")?;
    if parts.is_empty() {
        return Ok(());
    }
    let moments = Moments::new(&parts, direction, Side::Upper, &their_plans, unit_step)?;
    let is_bounded = |end: &BigRational| {
        let (mut slope, mut most) = (BigRational::zero(), Real::int(0));
        for (step, times) in &parts {
            let (one, value) = beyond(step, direction, end)?;
            slope += one * BigInt::from(*times);
            most = most.plus(&value.times(&Real::int(*times)));
        }
        Ok(slope <= rest && most.is_at_most(&(&rest * end)))
    };
    below_parabola(&rest, orders, |t| moments.at(t), is_bounded)
}

/// Order, q, p, weight: a line that touches the set of all tests (q, p) with D_t ≤ ε(t) near (q, p). An order s < 0 stands for D_t of the other order of the pair, t = 1 − s.
pub struct Line {
    pub order: BigRational,
    pub q: BigRational,
    pub p: BigRational,
    pub weight: BigRational,
}

/// F_t(q, p) = q^t·p^(1−t) + (1 − q)^t·(1 − p)^(1−t), and its slopes in q and in p, for 0 < q, p < 1.
pub fn bernoulli(order: &BigRational, q: &BigRational, p: &BigRational) -> Result<(Real, Real, Real)> {
    let one = BigRational::one();
    let is_outside = !q.is_positive() || !p.is_positive() || *q >= one || *p >= one;
    Reason::Malformed.when(is_outside, "a pair of a line is not between 0 and 1")?;
    spend([order, q, p].iter().map(|x| 300 + digits(x) * digits(x)).sum())?;
    let (t, less) = (Real::of(order), Real::of(&(order - &one)));
    let part = |q: &Real, p: &Real| -> Result<(Real, Real, Real)> {
        let ratio = q.over(p)?;
        let power = ratio.ln()?.times(&less).exp()?;
        Ok((q.times(&power), t.times(&power), less.times(&ratio).times(&power).neg()))
    };
    let ((f, fq, fp), (g, gq, gp)) =
        (part(&Real::of(q), &Real::of(p))?, part(&Real::of(&(&one - q)), &Real::of(&(&one - p)))?);
    Ok((f.plus(&g), fq.minus(&gq), fp.minus(&gp)))
}

/// δ(u) ≤ the largest q − u·p over 0 ≤ q, p ≤ 1 below all the lines (R5); on a sample those are of what runs on it (C2).
pub fn delta_at_most(parts: &Parts, direction: Direction, u: &Real, lines: &[Line]) -> Result<Real> {
    if let [(Step::Sampled { rate, of }, 1)] = parts.as_slice() {
        let place = Sample::new(rate, direction).place(u)?;
        let Some((share, place)) = place else { return Ok(Real::int(1)) };
        return Ok(share.times(&delta_at_most(of, direction, &place.exp, lines)?));
    }
    if let [(Step::Labelled { of }, 1)] = parts.as_slice() {
        let part = |(weight, parts): &(BigRational, Parts)| {
            // Of what is no class no line is needed.
            let delta = match Pair::of_parts(parts, direction) {
                Ok(pair) => pair.at(&Place::of_odds(u.clone())?)?.delta,
                Err(_) => delta_at_most(parts, direction, u, lines)?,
            };
            Ok(Real::of(weight).times(&delta))
        };
        return of.iter().map(part).sum();
    }
    let (mut bound, mut of_q, mut of_p) = (Real::int(0), Real::int(1), u.neg());
    for Line { order, q, p, weight } in lines {
        // F_t(p, q) is F_s(q, p), s = 1 − t.
        let is_turned = order.is_negative();
        let bounded = if is_turned { BigRational::one() - order } else { order.clone() };
        let is_wrong = weight.is_negative() || bounded <= BigRational::one();
        Reason::Malformed.when(is_wrong, "a line of negative weight, or of an order from 0 to 1")?;
        let known = closed_of(parts, &bounded, direction.turned(is_turned), Side::Upper)?;
        let (f, fq, fp) = bernoulli(order, q, p)?;
        let at = fq.times(&Real::of(q)).plus(&fp.times(&Real::of(p)));
        let weight = Real::of(weight);
        bound = bound.plus(&weight.times(&known.exp()?.minus(&f).plus(&at)));
        of_q = of_q.minus(&weight.times(&fq));
        of_p = of_p.minus(&weight.times(&fp));
    }
    Ok(bound.plus(&of_q.at_least_zero()).plus(&of_p.at_least_zero()))
}

/// Is the pair of one test, of sizes q with the record and p without it, in the class of one of these steps? The others tell no less beside it (R6).
pub fn is_member(parts: &Parts, q: &BigRational, p: &BigRational, orders: &[BigRational]) -> Result<()> {
    let what = "the size of a test of a member is not above 0, or its power not below 1";
    Reason::Inequality.when(!p.is_positive() || *q >= BigRational::one(), what)?;
    let each = parts.iter().map(|(step, _)| is_of_class(step, q, p, orders));
    each.reduce(Result::or).unwrap_or_else(|| Err(no_bound()))
}

fn is_of_class(step: &Step, q: &BigRational, p: &BigRational, orders: &[BigRational]) -> Result<()> {
    match step {
        Step::Rdp { orders: known } => {
            for (order, epsilon) in known {
                let most = Real::of(&(epsilon * (order - BigRational::one()))).exp()?;
                for (q, p) in [(q, p), (p, q)] {
                    let is_more = bernoulli(order, q, p)?.0.hi > most.lo;
                    Reason::Inequality.when(is_more, "the pair does not have the Renyi guarantees")?;
                }
            }
            Ok(())
        }
        Step::Zcdp { rho } if rho.is_positive() => {
            // In one direction, the other one follows.
            let is_other = q < p || p + q > BigRational::one();
            Reason::Inequality.when(is_other, "the pair is not one with p <= q <= 1 - p")?;
            let psi = |order: &BigRational| bernoulli(order, q, p)?.0.ln();
            below_parabola(rho, orders, psi, |end| Ok(Real::of(&(q / p)).ln()?.is_at_most(&(rho * end))))
        }
        _ => Reason::NoClosedForm.no("a pair is a member of a class of Renyi guarantees"),
    }
}

#[cfg(test)]
#[path = "renyi_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "renyi_twins_tests.rs"]
mod twins;

#[cfg(test)]
#[path = "samples_tests.rs"]
mod samples;
