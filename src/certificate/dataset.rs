//! What is refuted: a mechanism where it is attained, or what some dataset does of one that is only a bound, or the worst of many.

use rug::Rational;

use super::adversary::candidates;
use super::steps::Steps;
use crate::float::elementary::{exp, exp_m1, ln, ln_1p};
use crate::float::{nearest, normal_tail};
use crate::mechanism::{self, Adjacency, Conditions, FiniteLosses, Mechanism, Step};
use crate::statement::StatedClaim;

/// Steps that are attained, and what names them in a proof.
pub(super) struct Attained {
    pub steps: Steps,
    /// Which member of what is stated.
    pub member: Option<usize>,
    /// What names a dataset, for each step that is the worst of many.
    pub tests: Vec<Vec<String>>,
    /// How each random allocation is planned.
    pub allocations: Vec<Vec<String>>,
}

/// All that may be looked at, what is likeliest to decide first.
pub(super) fn attained(
    mechanism: &Mechanism,
    adjacency: Adjacency,
    bound: &Steps,
    claim: &StatedClaim,
) -> Vec<Attained> {
    let mut found = named(mechanism, adjacency, bound, claim);
    let list = &bound.list;
    if list.iter().all(|(step, _)| step.as_closed().is_none()) {
        let noise = with_tests(bound, list, |_| None);
        found.extend((!noise.tests.is_empty()).then_some(noise));
    }
    found
}

/// Of a class the largest μ², and the noise, on a sample where that is on one.
fn gaussian_of(step: &Step) -> Option<(Vec<Rational>, Step)> {
    let noise = |mu_squared: Rational| (vec![mu_squared.clone()], Step::Gaussian { mu_squared });
    match step {
        Step::Zcdp { rho } => Some(noise(Rational::from(rho * 2))),
        Step::Rdp { orders } => {
            let most = orders
                .iter()
                .map(|(order, most)| Rational::from(most * 2) / order);
            most.min().map(noise)
        }
        Step::Sampled(sampled) => {
            let [(inner, 1)] = sampled.of().list() else {
                return None;
            };
            let (square, one) = gaussian_of(inner)?;
            let sample = mechanism::Steps::one(one, Conditions::NONE).sampled(sampled.rate());
            let (one, _) = sample.list().first()?;
            Some((square, one.clone()))
        }
        _ => None,
    }
}

fn named(
    mechanism: &Mechanism,
    adjacency: Adjacency,
    bound: &Steps,
    claim: &StatedClaim,
) -> Vec<Attained> {
    let all = mechanism.steps();
    let is_worst_case = |(step, _): &(Step, u64)| step.as_closed().is_some();
    let alone = |steps: Steps, member| Attained {
        steps,
        member,
        tests: Vec::new(),
        allocations: Vec::new(),
    };
    let is_answers = |(step, times): &(Step, u64)| {
        step.as_closed()
            .is_some_and(|pair| pair.around_answers(*times).is_some())
    };
    if all.list().iter().any(is_answers) {
        let member = Steps::with_answers(all, adjacency, &|(_, member)| member);
        return vec![alone(member, Some(0))];
    }
    // Of a largest batch the worst displaced record is a part of the bound alone.
    if all.conditions().truncated_batches || !bound.list.iter().any(is_worst_case) {
        // Of shuffled reports the checker has bounds, and no list of datasets.
        let has_bounds = all.members().iter().any(is_of_reports);
        let known = all.members().iter();
        let known = known.filter(|of| !has_bounds || is_of_reports(of));
        let members = known.enumerate().filter(|(_, of)| !is_of_scores(of));
        let members = members.flat_map(|(place, of)| of_member(Steps::new(of, adjacency), place));
        let members: Vec<Attained> = members.collect();
        let found = match members.is_empty() {
            // The checker knows the sums of a tree, and a column that is no sum of powers of two, between two numbers.
            true if all.conditions().limited_participation => {
                vec![alone(bound.clone(), None), alone(bound.clone(), Some(0))]
            }
            true => vec![alone(bound.clone(), None)],
            false => members,
        };
        // Of choices on samples the checker names the candidates itself.
        let is_on_sample = |(step, _): &(Step, u64)| !on_sample(step).is_empty();
        let own = bound.list.iter().any(is_on_sample);
        let own = own.then(|| alone(bound.clone(), None));
        let found = own.into_iter().chain(found);
        return found.flat_map(|one| with_samples(one, claim)).collect();
    }
    let list = &bound.list;
    let mut found = Vec::new();
    // A member of a class may be enough without any of the datasets.
    if bound.single().is_some() || bound.has_class() {
        found.push(alone(bound.clone(), None));
    }
    let choices: Vec<_> = list
        .iter()
        .map(|(step, _)| {
            let Some(pair) = step.as_closed() else {
                return Vec::new();
            };
            let of = pair.datasets();
            let order = of.first().and_then(|(_, one)| order_of(claim, one));
            let best = order.and_then(|order| pair.dataset_at(&order));
            let all = best.into_iter().chain(of);
            all.filter(is_short).collect::<Vec<_>>()
        })
        .collect();
    if let Some(best) = candidates(list, claim) {
        found.push(with_tests(bound, list, |place| best.get(place)?.as_ref()));
    }
    let most = choices.iter().map(Vec::len).max().unwrap_or(0);
    for nth in 0..most {
        found.push(with_tests(bound, list, |place| {
            choices.get(place)?.iter().cycle().nth(nth)
        }));
    }
    found
}

/// Is a dataset named by numbers that can be written down? Candidates of a choice with a large ε have odds of a million digits.
pub(super) fn is_short((numbers, _): &(Vec<Rational>, Step)) -> bool {
    let bits = |x: &Rational| {
        let denominator = x.denom().significant_bits();
        denominator.max(x.numer().significant_bits())
    };
    numbers.iter().all(|x| bits(x) <= LONGEST_NUMBER)
}

/// With the datasets of some of the steps in their place, and in that of each class of Rényi guarantees Gaussian noise, of which it is one.
fn with_tests<'a>(
    bound: &Steps,
    list: &[(Step, u64)],
    dataset: impl Fn(usize) -> Option<&'a (Vec<Rational>, Step)>,
) -> Attained {
    let (mut total, mut others, mut tests) = (Rational::new(), Vec::new(), Vec::new());
    for (place, (step, times)) in list.iter().enumerate() {
        let found = dataset(place).cloned().or_else(|| gaussian_of(step));
        let numbers = found.iter().map(|(numbers, _)| numbers);
        tests.extend(numbers.map(|all| all.iter().map(ToString::to_string).collect()));
        match found.map_or_else(|| step.clone(), |(_, one)| one) {
            Step::Gaussian { mu_squared } => total += mu_squared * *times,
            other => others.push((other, *times)),
        }
    }
    // All Gaussian noise is one step, and the first.
    if total > 0 || others.is_empty() {
        others.insert(0, (Step::Gaussian { mu_squared: total }, 1));
    }
    let steps = Steps {
        list: others,
        ..bound.clone()
    };
    Attained {
        steps,
        member: None,
        tests,
        allocations: Vec::new(),
    }
}

/// With the datasets of choices that are made on samples in their place.
fn with_samples(of: Attained, claim: &StatedClaim) -> Vec<Attained> {
    let list = &of.steps.list;
    let choices: Vec<_> = list.iter().map(|(step, _)| on_sample(step)).collect();
    let most = choices.iter().map(Vec::len).max().unwrap_or(0);
    let named = (0..most).map(|nth| Attained {
        member: of.member,
        ..with_tests(&of.steps, list, |place| {
            choices.get(place)?.iter().cycle().nth(nth)
        })
    });
    let mut found: Vec<Attained> = named.collect();
    // One choice has a dataset at each u, which need not be named.
    let is_divergence = matches!(claim, StatedClaim::Rdp { .. } | StatedClaim::Zcdp { .. });
    let place = match of.steps.single().is_some() && !is_divergence {
        true => 0,
        false => found.len(),
    };
    found.insert(place, of);
    found
}

/// Two candidates for each of several choices on a sample.
fn on_sample(step: &Step) -> Vec<(Vec<Rational>, Step)> {
    let Step::Sampled(sampled) = step else {
        return Vec::new();
    };
    let [(inner, times)] = sampled.of().list() else {
        return Vec::new();
    };
    let Some((one, runs)) = inner.as_closed().and_then(|pair| pair.as_choices()) else {
        return Vec::new();
    };
    let sample = |(numbers, step): (Vec<Rational>, Step)| {
        let one = mechanism::Steps::one(step, Conditions::NONE);
        let all = mechanism::Steps::composed([(&one, runs.saturating_mul(*times))]);
        let sample = all.ok()?.sampled(sampled.rate());
        let (step, _) = sample.list().first()?;
        Some((numbers, step.clone()))
    };
    let named = one.datasets().into_iter().filter(is_short);
    named.filter_map(sample).collect()
}

/// At which order a divergence is to be large: that of the claim, or where the largest one over the order is largest, of a choice that has two candidates like
/// these (J3).
fn order_of(claim: &StatedClaim, candidates: &Step) -> Option<Rational> {
    match claim {
        StatedClaim::Rdp { order, .. } => Some(order.clone()),
        StatedClaim::Zcdp { .. } => {
            let (p, q) = candidates.two_outcomes()?;
            let (p, q) = (nearest(p), nearest(q));
            let epsilon = ln(q * (1.0 - p) / (p * (1.0 - q)));
            let slope = |t: f64| {
                let fall = |times: f64| -exp_m1(-times * epsilon);
                let x = (t - 1.0) * fall(t) / (t * fall(t - 1.0));
                let most = (t - 1.0) * (ln(x) + epsilon) + ln(fall(t) / (t * fall(1.0)));
                most / (t * (t - 1.0))
            };
            // log(t − 1), in ever smaller steps.
            let (mut best, mut step) = (0.0, 0.1);
            for _ in 0..8 {
                let places = (-80..=80).map(|k| best + f64::from(k) * step);
                let all = places.map(|x| (slope(1.0 + exp(x)), x));
                let all = all.filter(|(of, _)| of.is_finite());
                best = all.max_by(|a, b| a.0.total_cmp(&b.0))?.1;
                step /= 20.0;
            }
            const UNITS: f64 = 1_073_741_824.0;
            let order = Rational::from_f64((1.0 + exp(best)) * UNITS)?;
            Some(order.round() / UNITS as u32).filter(|t| *t > 1)
        }
        StatedClaim::PureDp { .. }
        | StatedClaim::ApproxDp { .. }
        | StatedClaim::Gdp { .. }
        | StatedClaim::Advantage { .. }
        | StatedClaim::TradeOff { .. }
        | StatedClaim::DominatedBy { .. }
        | StatedClaim::Regret { .. } => None,
    }
}

/// Is a sum of scores among the members?
pub(super) fn has_scores(mechanism: &Mechanism) -> bool {
    mechanism.steps().members().iter().any(is_of_scores)
}

fn is_of_scores(steps: &mechanism::Steps) -> bool {
    let is_one = |step: &Step| matches!(step, Step::Finite(one) if matches!(one.losses(), FiniteLosses::Scores(_)));
    steps.list().iter().any(|(step, _)| is_one(step))
}

/// Does it have a bound of shuffled reports?
fn is_of_reports(steps: &mechanism::Steps) -> bool {
    let is_one = |step: &Step| matches!(step, Step::Finite(one) if matches!(one.losses(), FiniteLosses::Shuffled(_)));
    steps.list().iter().any(|(step, _)| is_one(step))
}

/// Bits of a number that names a dataset.
const LONGEST_NUMBER: u32 = 1 << 16;

/// Thresholds are looked for in so many steps from one answer to the other at most.
const MOST_STEPS_APART: f64 = 4096.0;

/// One of the members, with thresholds where it has a largest answer.
fn of_member(steps: Steps, place: usize) -> Vec<Attained> {
    let largest = steps.list.iter().find_map(|(step, times)| {
        let (sigma, answers, without) = step.largest_answer()?;
        Some((nearest(sigma), answers as f64, f64::from(without), *times))
    });
    let member = Some(place);
    let Some((sigma, answers, without, times)) = largest else {
        return vec![Attained {
            steps,
            member,
            tests: Vec::new(),
            allocations: Vec::new(),
        }];
    };
    let below = |c: f64, shift: f64| log_below(c, shift, (sigma, answers));
    let (left, right) = thresholds(without, (sigma, answers));
    let grids: &[u32] = if times == 1 { &[1, 12] } else { &[12, 48] };
    let mut found = Vec::new();
    for count in grids {
        // A single threshold stands at one place after the other.
        let starts = if *count == 1 { 40 } else { 1 };
        for start in 0..starts {
            let share = |k: u32| match *count {
                1 => f64::from(start) / 40.0,
                _ => f64::from(k) / f64::from(*count),
            };
            let places: Vec<String> = (0..*count)
                .map(|k| format!("{:.4}", right - (right - left) * share(k)))
                .collect();
            let tests = places
                .iter()
                .filter_map(|c| c.parse().ok())
                .map(|c: f64| (-exp_m1(below(c, without)), -exp_m1(below(c, 2.0))));
            let Some(pair) = vectors_of(tests) else {
                continue;
            };
            let with = |(step, times): &(Step, u64)| match step.largest_answer() {
                Some(_) => (pair.clone(), *times),
                None => (step.clone(), *times),
            };
            found.push(Attained {
                steps: Steps {
                    list: steps.list.iter().map(with).collect(),
                    ..steps.clone()
                },
                member,
                tests: vec![places],
                allocations: Vec::new(),
            });
        }
    }
    found
}

/// log of the chance that all answers are below c, of which one is moved.
fn log_below(c: f64, shift: f64, (sigma, answers): (f64, f64)) -> f64 {
    let log = |x: f64| ln_1p(-normal_tail(x / sigma));
    log(c - shift) + (answers - 1.0) * log(c)
}

/// From where most largest answers are above to where hardly any is; in steps that count next to what the answers are apart.
fn thresholds(without: f64, of: (f64, f64)) -> (f64, f64) {
    let step = f64::max(of.0 / 8.0, 2.0 / MOST_STEPS_APART);
    let mut right = of.0;
    while -exp_m1(log_below(right, 2.0, of)) > 1e-9 {
        right += step;
    }
    let mut left = right;
    while -exp_m1(log_below(left, without, of)) < 0.3 {
        left -= step;
    }
    (left, right)
}

/// The two vectors whose tests (p, q) these are.
fn vectors_of(tests: impl Iterator<Item = (f64, f64)>) -> Option<Step> {
    let (mut p, mut q) = (Vec::new(), Vec::new());
    let (mut last_p, mut last_q) = (Rational::new(), Rational::new());
    for (next_p, next_q) in tests.chain([(1.0, 1.0)]) {
        let (next_p, next_q) = (Rational::from_f64(next_p)?, Rational::from_f64(next_q)?);
        p.push(Rational::from(&next_p - &last_p));
        q.push(Rational::from(&next_q - &last_q));
        (last_p, last_q) = (next_p, next_q);
    }
    let (p, q) = (p.into(), q.into());
    Some(Step::finite(FiniteLosses::Pair { p, q }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What takes a million digits to name is not looked at: neither by itself nor among those that refute a claim most clearly.
    #[test]
    fn datasets_of_a_million_digits_are_passed_over() {
        let choice = |epsilon: &str| Mechanism::exponential(epsilon).unwrap();
        let claim = StatedClaim::Advantage {
            at_most: Rational::new(),
        };
        let count = |of: &Mechanism| {
            let bound = Steps::new(of.steps(), Adjacency::AddRemove);
            let found = attained(of, Adjacency::AddRemove, &bound, &claim);
            let named = found.iter().filter(|one| !one.tests.is_empty());
            (named.count(), candidates(&bound.list, &claim).is_some())
        };
        let (few, is_found) = count(&choice("3"));
        assert!(few > 1 && is_found);
        assert_eq!(count(&choice("200000")), (0, false));
    }

    /// The way from one answer to the other is gone in so many steps, however little the noise is.
    #[test]
    fn thresholds_are_found_whatever_the_noise() {
        for sigma in [1e-300, 1e-30, 1e-6, 0.1, 1.0, 40.0] {
            for without in [0.0, 2.0] {
                let of = (sigma, 1000.0);
                let (left, right) = thresholds(without, of);
                assert!(-exp_m1(log_below(right, 2.0, of)) <= 1e-9);
                assert!(-exp_m1(log_below(left, without, of)) >= 0.3);
                // Where noise is little both are next to the answers.
                if sigma < 1e-3 {
                    assert!((right - 2.0).abs() < 1e-2 && (left - without).abs() < 1e-2);
                }
            }
        }
    }
}
