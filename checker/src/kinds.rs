//! Mechanisms whose worst dataset is another one at every ε, or whose noise is correlated: selections, thresholds, fixed and shuffled batches, trees.

use crate::exact::{merged, of_step};
use crate::matrix::{Columns, Matrix};
use crate::mean::Exact;
use crate::noise::largest_bend;
use crate::normal::{nothing, too_often, whole_noise};
use crate::numbers::{epsilon, numbers, of, of_kind, positive, rate, some, squared, whole};
use crate::sensitivity::{Column, Schedule, of_tree};
use crate::training::{noise_of, noisy_sample};
use crate::*;

/// Most repetitions of one thing.
pub const MOST_TIMES: u64 = 1_000_000_000_000;

fn flag(value: &Value, key: &str) -> Result<bool> {
    match value.get(key) {
        None | Some(Value::Word("false")) => Ok(false),
        Some(Value::Word("true")) => Ok(true),
        Some(_) => Err(Rejected::malformed(format!("`{key}` is neither true nor false"))),
    }
}

fn count(value: &Value, key: &str, otherwise: u64) -> Result<u64> {
    value.get(key).map_or(Ok(otherwise), |n| whole(n, key, 1, MOST_TIMES))
}

/// ε: the most by which the log-odds of two candidates change.
fn score_range(value: &Value, relation: Relation) -> Result<Epsilon> {
    let Some(eta) = value.get("eta") else {
        let is_stated_twice = value.get("sensitivity").or(value.get("monotone")).is_some();
        Reason::Malformed.when(is_stated_twice, "`sensitivity` and `monotone` stand beside `eta`")?;
        return epsilon(value, true);
    };
    let is_wrong = value.get("epsilon").or(value.get("exp-epsilon")).is_some() || relation == Relation::ReplaceOne;
    Reason::Malformed.when(is_wrong, "`eta` stands beside an epsilon, or does not say what a replaced record does")?;
    let distance = value.get("sensitivity").map_or(Ok(BigRational::one()), |x| positive(x, "`sensitivity`"))?;
    let times = BigInt::from(if flag(value, "monotone")? { 1 } else { 2 });
    Ok(Epsilon::Plain(positive(eta, "`eta`")? * distance * times))
}

/// Choices by score, one after the other (M9).
pub fn choices(value: &Value, relation: Relation, is_flip: bool) -> Result<Normal> {
    let k = value.get("k").map_or(Ok(1), |k| whole(k, "`k`", 1, u64::MAX))?;
    let epsilon = score_range(value, relation)?;
    if epsilon.is_zero() {
        return Ok(Normal::one(nothing()));
    }
    // Large datasets come as near to k choices as is wanted.
    Ok(Normal { steps: vec![(Step::Choice { epsilon, is_flip }, k)], ..Normal::one(nothing()) })
}

/// Keys that are released where a noisy count passes a threshold (M10).
pub fn threshold(value: &Value, relation: Relation) -> Result<Normal> {
    let word = value.need("noise")?.text("`noise`")?;
    let (is_whole, is_laplace) = match word {
        "laplace" | "gaussian" => (false, word == "laplace"),
        "discrete-laplace" | "truncated-geometric" | "discrete-gaussian" => (true, word != "discrete-gaussian"),
        _ => return Err(Rejected::malformed("an unknown `noise`")),
    };
    let (key, other) = if is_laplace { ("scale", "sigma") } else { ("sigma", "scale") };
    let scale = positive(value.need(key)?, key)?;
    let at_threshold = match value.get("release-if").map(|value| value.text("`release-if`")).transpose()? {
        None if !is_whole => false,
        Some(">") => false,
        Some(">=") => true,
        _ => return Err(Rejected::malformed("`release-if` is neither \">\" nor \">=\"")),
    };
    let keys = value.get("keys").map_or(Ok(1), |n| whole(n, "`keys`", 1, 1_000_000))?;
    let bound = value.get("record-bound").map(|bound| positive(bound, "`record-bound`")).transpose()?;
    let is_wrong = value.get(other).is_some() || relation == Relation::ReplaceOne && bound.is_none();
    Reason::Malformed.when(is_wrong, "a threshold has another scale, or no record bound for a replaced record")?;
    let bound = bound.unwrap_or_else(BigRational::one);
    let threshold = value.need("threshold")?;
    let rest = of(threshold, "`threshold`")? - &bound;
    let place = match (is_whole, at_threshold) {
        (false, _) => rest,
        (true, true) => rest.ceil(),
        (true, false) => rest.floor() + BigInt::one(),
    };
    let noise = match word {
        "laplace" => Noise::Laplace { unit: scale.recip() },
        "gaussian" => Noise::Gaussian { square: squared(scale).recip() },
        "truncated-geometric" => Noise::Truncated { scale, last: whole(threshold, "`threshold`", 1, MOST_TIMES)? },
        "discrete-laplace" => Noise::DiscreteLaplace { scale },
        _ => Noise::DiscreteGaussian { square: squared(scale), parties: 1 },
    };
    let shared = match &noise {
        Noise::Laplace { unit } => Step::Laplace { epsilon: bound * unit },
        Noise::Gaussian { square } => Step::Gaussian { square: squared(bound) * square },
        whole => {
            let bound = u64::try_from(bound.numer()).ok().filter(|_| bound.is_integer());
            whole_noise(whole.clone(), Reason::Malformed.unless(bound, "a record bound that is no whole number")?)
        }
    };
    // Where noise ends at the threshold, a key that nobody has is like one of the count 0.
    let is_single = word == "truncated-geometric" && !at_threshold;
    let key = |is_turned| {
        if is_single {
            return (Normal::one(shared.clone()), keys);
        }
        let new = (is_turned, Step::Released { noise: noise.clone(), place: place.clone() });
        (Normal::one(Step::Worst { of: vec![(false, shared.clone()), new] }), keys)
    };
    let parts = if relation == Relation::ReplaceOne { vec![key(false), key(true)] } else { vec![key(false)] };
    let all = Normal::composed(&parts)?.with(Condition::SharedKeys);
    let all = if relation == Relation::ReplaceOne { all.with(Condition::Counts) } else { all };
    Ok(if is_whole { all } else { all.with(Condition::RealNoise) })
}

/// A fresh permutation in every epoch (M11).
pub fn shuffled_batches(noise: &BigRational, steps: u64, epochs: &BigRational, relation: Relation) -> Result<Normal> {
    Reason::Malformed.when(*epochs > int(MOST_TIMES), "more than 10^12 epochs")?;
    let most = noise_of(&epochs.ceil(), noise, relation);
    let whole = u64::try_from(epochs.floor().to_integer()).unwrap_or(0);
    let members = if whole == 0 || steps == 1 {
        vec![noise_of(&epochs.floor(), noise, relation).steps]
    } else {
        let rate = BigRational::new(BigInt::one(), BigInt::from(steps));
        let one = noisy_sample(&BigRational::one(), noise, &rate, relation).steps;
        let without = u64::from(relation != Relation::ReplaceOne);
        let largest = Step::Largest { square: noise * noise, answers: steps, without };
        vec![one.into_iter().map(|(step, _)| (step, whole)).collect(), vec![(largest, whole)]]
    };
    Ok(Normal::between(members, most).with(Condition::ShuffledBatches))
}

fn gaussian_between((low, high): &Square, noise: &BigRational, relation: Relation) -> Normal {
    let of = |square| noise_of(square, noise, relation).with(Condition::LimitedParticipation);
    Normal::between(vec![of(low).steps], of(high))
}

/// Skellam noise on every coordinate of a vector of whole numbers (M16): Rényi guarantees at whole orders, and a change along one coordinate.
pub fn skellam_vectors(value: &Value, mean: &BigRational, records: u64, relation: Relation) -> Result<Normal> {
    let (stated, bound) = (value.get("l2-sensitivity"), value.get("l2-record-bound"));
    let is_replaced = relation == Relation::ReplaceOne;
    let is_wrong = is_replaced && bound.is_none();
    Reason::Malformed.when(is_wrong, "`l2-record-bound` is missing where a record is replaced")?;
    let (length, count) = (of(bound.or(stated).unwrap_or(value), "a length")?, if is_replaced { 2u64 } else { 1 });
    let others = [stated.and(bound), value.get("sensitivity"), value.get("record-bound")];
    let is_wrong = length < BigRational::one() || others.iter().any(Option::is_some);
    Reason::Malformed.when(is_wrong, "a length below 1, or two distances")?;
    spend_on(&[&length, &length, mean])?;
    let simple = simple_bend(mean);
    let bend =
        if *mean > int(1_000_000) { simple } else { simple.min(units(largest_bend(mean)?.ceil_units(160), 160)) };
    let too_far = || Rejected::malformed("a change of 2^64 or more");
    let count = records.checked_mul(count).ok_or_else(too_far)?;
    let each = (&length * &length).floor() * BigInt::from(count) * BigInt::from(count) * bend;
    let sparse = std::iter::successors(Some(32u64), |order| order.checked_add(order / 16));
    let orders = (2..32).chain(sparse.take_while(|order| *order <= 1 << 30));
    let orders = orders.map(|order| (int(order), &each * BigInt::from(order)));
    let along = u64::try_from(length.floor().to_integer()).ok().and_then(|along| along.checked_mul(count));
    let along = along.ok_or_else(too_far)?;
    // Where noise on one number is not built, a member reveals nothing.
    let member = if (int(1_000_000_000).recip()..=int(200_000_000)).contains(mean) {
        whole_noise(Noise::Skellam { mean: mean.clone() }, along.min(40_000))
    } else {
        nothing()
    };
    Ok(Normal::between(vec![vec![(member, 1)]], Normal::guarantee(Step::Rdp { orders: orders.collect() })))
}

/// At least κ = log N(0)/N(1) of Skellam noise of this mean (Z8 of `README.md`).
pub fn simple_bend(mean: &BigRational) -> BigRational {
    (mean + BigInt::from(3)) / ((mean * BigInt::from(4) + BigInt::from(3)) * mean)
}

/// Trees of prefix sums (M7).
pub fn trees(value: &Value, relation: Relation) -> Result<Normal> {
    let steps = whole(value.need("steps")?, "`steps`", 1, MOST_TIMES)?;
    let schedule =
        Schedule { steps, most: count(value, "participations", 1)?, apart: count(value, "min-separation", 1)? };
    let trees = BigInt::from(count(value, "restarts", 1)?);
    let (low, high) = of_tree(schedule)?;
    let noise = positive(value.need("noise-multiplier")?, "`noise-multiplier`")?;
    Ok(gaussian_between(&(low * &trees, high * &trees), &noise, relation))
}

/// A matrix of correlated noise (M7).
pub fn matrix(value: &Value, relation: Relation) -> Result<Normal> {
    let has = |key: &str| value.get(key).is_some();
    let noise = positive(value.need("noise-multiplier")?, "`noise-multiplier`")?;
    let steps = whole(value.need("steps")?, "`steps`", 1, MOST_TIMES)?;
    let matrix = match (value.get("toeplitz"), value.get("blt"), value.get("matrix")) {
        (Some(column), None, None) => Matrix::Toeplitz(Column::new(&numbers(column)?, steps), steps),
        (None, Some(blt), None) => {
            blt.only("`blt`", &["weights", "decays"])?;
            let (weights, decays) = (numbers(blt.need("weights")?)?, numbers(blt.need("decays")?)?);
            let in_unit = |x: &BigRational| !x.is_negative() && *x <= BigRational::one();
            let is_wrong = weights.len() != decays.len() || !decays.iter().all(in_unit);
            Reason::Malformed.when(is_wrong, "`weights` and `decays` do not fit")?;
            Matrix::Toeplitz(Column::buffered(&weights.into_iter().zip(decays).collect::<Vec<_>>(), steps)?, steps)
        }
        (None, None, Some(Value::Text(_))) => return Err(Rejected::uncovered("a matrix in another file")),
        (None, None, Some(rows)) => {
            let rows = some(rows)?.iter().map(numbers).collect::<Result<Vec<_>>>()?;
            Matrix::Rows(Columns::of_rows(&rows, steps)?)
        }
        _ => return Err(Rejected::malformed("there is not one of `toeplitz`, `blt` and `matrix`")),
    };
    let is_long = flag(value, "normalised")? && matrix.largest_norm()? > BigRational::one();
    let what = "a matrix that is 0, or of columns that are not proved to be as short as is said";
    Reason::NoCertificateYet.when(matrix.bands() == 0 || is_long, what)?;
    if has("epochs") {
        let epochs = count(value, "epochs", 1)?;
        let apart = steps.checked_div(epochs).filter(|apart| apart.checked_mul(epochs) == Some(steps));
        let is_wrong = has("participations") || has("min-separation") || has("rate") || apart.is_none();
        Reason::Malformed.when(is_wrong, "`epochs` does not divide `steps`, or does not stand alone")?;
        let schedule = Schedule { steps, most: epochs, apart: apart.unwrap_or(1) };
        return Ok(gaussian_between(&matrix.square(schedule, true)?, &noise, relation));
    }
    let Some(sampled) = value.get("rate") else {
        let most = whole(value.need("participations")?, "`participations`", 1, MOST_TIMES)?;
        let schedule = Schedule { steps, most, apart: count(value, "min-separation", 1)? };
        return Ok(gaussian_between(&matrix.square(schedule, false)?, &noise, relation));
    };
    // Rounds of cyclic sampling: columns that have no row in common.
    let (rate, apart) = (rate(sampled)?, whole(value.need("min-separation")?, "`min-separation`", 1, MOST_TIMES)?);
    Reason::Malformed.when(has("participations"), "`participations` stands beside `rate`")?;
    let what = "sampling amplifies only where columns `min-separation` apart have no common row";
    Reason::Malformed.when(matrix.bands() > apart, what)?;
    let one = |(low, high): &Square| {
        let sampled = |square| noisy_sample(square, &noise, &rate, relation).with(Condition::LimitedParticipation);
        Normal::between(vec![sampled(low).steps], sampled(high))
    };
    let rounds = matrix.rounds(apart)?.into_iter().filter(|((_, high), times)| *times > 0 && high.is_positive());
    let parts: Vec<_> = rounds.map(|(square, times)| (one(&square), times)).collect();
    Normal::composed(&parts)
}

/// In some of the steps of an epoch, drawn at random (M13): by its outcomes where these are few; else no more than if it were told which, no less than in one of them; where sums are planned, no more than they say, and of one step no less (M18).
pub fn random_allocation(value: &Value, base: &Normal, relation: Relation) -> Result<Normal> {
    let steps = whole(value.need("steps")?, "`steps`", 1, u64::MAX)?;
    let selected = value.get("selected").map_or(Ok(1), |n| whole(n, "`selected`", 1, steps))?;
    let epochs = value.get("epochs").map_or(Ok(1), |n| whole(n, "`epochs`", 1, u64::MAX))?;
    Reason::NoCertificateYet.when(relation == Relation::ReplaceOne, "random allocation where a record is replaced")?;
    let most = selected.checked_mul(epochs).ok_or_else(too_often)?;
    let of = |part: Normal, times| Normal::composed(&[(part, times)]);
    if selected == steps {
        return of(base.clone(), most);
    }
    if let [(step, 1)] = base.steps.as_slice()
        && base.members.is_empty()
        && let Some(epoch) = outcomes::allocated(step, steps, selected)?
    {
        return Ok(of(Normal { steps: vec![(epoch, 1)], ..base.clone() }, epochs)?.with(Condition::RandomAllocation));
    }
    let least = base.sampled(&BigRational::new(selected.into(), steps.into()));
    let most =
        Normal::between(vec![of(least, epochs)?.steps], of(base.clone(), most)?).with(Condition::RandomAllocation);
    let exact = match base.steps.as_slice() {
        // Several steps reveal no more than one of each of as many blocks.
        [(step, 1)] if steps / selected > 1 && base.members.is_empty() && !step.is_worst_case() && !step.is_class() => {
            let epochs = vec![(step.clone(), steps / selected, selected.checked_mul(epochs).ok_or_else(too_often)?)];
            Some(Exact { others: Parts::new(), epochs, is_attained: selected == 1 })
        }
        [] | [_, ..] => None,
    };
    Ok(Normal { exact, ..most })
}

/// A place in a list.
fn place(value: &Value) -> Result<usize> {
    Ok(usize::try_from(whole(value, "a place", 0, 4096)?).unwrap_or(usize::MAX))
}

/// The best of a random number of runs (M14): of a pair by the outcomes of one; else between orders of the outcomes of a pair that dominates it, by their loss, and what is above all orders.
pub fn private_selection(value: &Value, base: &Normal) -> Result<Normal> {
    let runs = Runs::read(value.need("runs")?)?;
    let order =
        value.get("best-first").map(|order| some(order)?.iter().map(place).collect::<Result<Vec<_>>>()).transpose()?;
    let is_pair = value.get("of").map_or(Ok(""), of_kind)? == "finite";
    let [(step, 1)] = base.steps.as_slice() else {
        return Err(Rejected::uncovered("a private selection of several steps"));
    };
    let one = |step| Normal { steps: vec![(step, 1)], ..base.clone() }.with(Condition::RandomRuns);
    if let Step::Finite { p, q } = step
        && is_pair
        && (order.is_some() || p.len() <= outcomes::FEW)
    {
        let mut sorted = order.clone().unwrap_or_else(|| (0..p.len()).collect());
        sorted.sort_unstable();
        let is_wrong = !sorted.into_iter().eq(0..p.len());
        Reason::Malformed.when(is_wrong, "`best-first` does not list the outcomes, each once")?;
        return Ok(one(outcomes::best_of_pair(&runs, p, q, order.as_deref())?));
    }
    let what = "`best-first` beside anything but a pair, or a private selection of a bound";
    Reason::NoCertificateYet.when(order.is_some() || !base.members.is_empty(), what)?;
    // All of it, and not a part of a mixture: each outcome may have coins that the score tells apart.
    let is_class = ["pure-dp", "approx-dp"].contains(&value.get("of").map_or(Ok(""), of_kind)?);
    // With fractions next to e^ε: the least odds are those of another mechanism, which a class has as well.
    let around = |epsilon: &Epsilon, with: &dyn Fn(Epsilon) -> Step| {
        Ok::<_, Rejected>(Some(group::around(epsilon)?.map(|odds| with(Epsilon::LogOf(odds)))))
    };
    let ends = match step {
        Step::Response { epsilon, k } if is_class => {
            around(epsilon, &|epsilon| Step::Response { epsilon, k: k.clone() })?
        }
        Step::Guarantee { points } => match points.as_slice() {
            [(epsilon, delta)] => {
                around(epsilon, &|epsilon| Step::Guarantee { points: vec![(epsilon, delta.clone())] })?
            }
            _ => None,
        },
        other => of_step(other).is_ok().then(|| [other.clone(), other.clone()]),
    };
    let Some([low, high]) = ends else {
        let (most, members) = outcomes::best_by_places(&runs, step)?;
        return Ok(Normal::between(members, one(most)));
    };
    let vectors = |step: Step| of_step(&step).and_then(merged);
    let most = one(group::above_best(&Power::of_pair(vectors(high)?)?, &runs)?);
    let outcomes = vectors(low)?;
    let pieces = 256usize.checked_div(outcomes.len()).filter(|n| is_class && *n > 0).unwrap_or(1);
    let member = |pieces: usize, is_rising: bool| {
        let n = BigInt::from(pieces);
        let all = outcomes.iter().flat_map(|(p, q)| std::iter::repeat_n((p / &n, q / &n), pieces));
        let all: Vec<_> = if is_rising { all.rev().collect() } else { all.collect() };
        Ok::<_, Rejected>(vec![(outcomes::best_of(&runs, all.into_iter())?, 1)])
    };
    let members = [member(1, true)?, member(1, false)?, member(pieces, false)?, member(pieces, true)?];
    Ok(Normal::between(members.into(), most))
}

#[cfg(test)]
#[path = "kinds_forms_tests.rs"]
mod forms;
