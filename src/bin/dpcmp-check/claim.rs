//! What is claimed, about which mechanism: read again from the text of the claim file.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::value::{Value, json};
use crate::{Reason, toml::toml};

/// One step of a composition, as its dominating pair (P without the record, Q with it).
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// N(0, 1) against N(μ, 1), μ² = `square`.
    Gaussian { square: BigRational },
    /// Laplace noise, ε₀ = sensitivity/scale.
    Laplace { epsilon: BigRational },
    /// k answers, the true one with odds e^ε against each other one.
    Response { epsilon: BigRational, k: BigInt },
    /// Two probability vectors.
    Finite { p: Vec<BigRational>, q: Vec<BigRational> },
    /// N(0, 1) against (1 − rate)·N(0, 1) + rate·N(μ, 1), 0 < rate < 1.
    Sampled { square: BigRational, rate: BigRational },
}

/// Which order of the pair a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// (P, Q)
    Remove,
    /// (Q, P)
    Add,
}

impl Direction {
    pub fn name(self) -> &'static str {
        match self {
            Self::Remove => "remove",
            Self::Add => "add",
        }
    }
}

/// A composition of independent steps, Gaussian ones already put together: Σ μ² of their μ.
#[derive(Debug)]
pub struct Mechanism {
    pub steps: Vec<(Step, u64)>,
    /// The orders of the pair that a claim is about.
    pub directions: Vec<Direction>,
}

#[derive(Debug)]
pub enum Claim {
    /// δ(ε) = 0.
    PureDp { epsilon: BigRational },
    /// δ(ε) ≤ δ.
    ApproxDp { epsilon: BigRational, delta: BigRational },
    /// δ(0) ≤ x.
    Advantage { at_most: BigRational },
    /// f(α) ≥ β.
    TradeOff { alpha: BigRational, beta: BigRational },
    /// f(α) ≥ G_μ(α + τ) − τ at every α.
    Gdp { mu: BigRational, tolerance: BigRational },
}

impl std::fmt::Display for Step {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Step::Gaussian { square } => write!(out, "Gaussian noise (all of it together) of mu^2 = {square}"),
            Step::Laplace { epsilon } => write!(out, "Laplace noise of epsilon = {epsilon}"),
            Step::Response { epsilon, k } => {
                write!(out, "randomised response of epsilon = {epsilon} among {k} answers")
            }
            Step::Finite { p, .. } => write!(out, "two probability vectors of {} outcomes", p.len()),
            Step::Sampled { square, rate } => {
                write!(out, "Gaussian noise of mu^2 = {square} on a Poisson sample of rate {rate}")
            }
        }
    }
}

impl Step {
    pub fn is_symmetric(&self) -> bool {
        matches!(self, Step::Gaussian { .. } | Step::Laplace { .. } | Step::Response { .. })
    }
}

impl Mechanism {
    /// Are (P, Q) and (Q, P) equally informative?
    pub fn is_symmetric(&self) -> bool {
        self.steps.iter().all(|(step, _)| step.is_symmetric())
    }
}

/// What the text of a claim file says: the mechanism, the claim asked for, and both as a sentence.
pub struct ClaimFile {
    pub mechanism: Mechanism,
    pub claim: Claim,
    /// Title and source, free text.
    pub title: String,
    pub source: String,
    pub sampled: bool,
    pub adjacency: String,
}

pub fn read(text: &str, index: usize) -> Result<ClaimFile, Reason> {
    let is_json = text.trim_start().starts_with('{');
    let document = if is_json { json(text)? } else { toml(text)? };
    let entries = document.table("the claim file")?;
    let find = |name: &str| entries.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    if let Some((key, _)) =
        entries.iter().find(|(key, _)| !is_json && !["title", "source", "mechanism", "claim"].contains(&key.as_str()))
    {
        return Err(Reason::malformed(format!("the claim file has the unknown key `{key}`")));
    }
    let claims = match find("claim") {
        Some(Value::List(items)) => items.iter().collect(),
        Some(other) => vec![other],
        None => return Err(Reason::malformed("the claim file has no claim")),
    };
    let claim = claims
        .get(index)
        .ok_or_else(|| Reason::rejected("no-such-claim", "the claim file has no claim of that number"))?;
    let described = find("mechanism").ok_or_else(|| Reason::malformed("the claim file has no mechanism"))?;
    let mut steps = Vec::new();
    collect(described, 1, Place::Top, &mut steps)?;
    let sampled = steps.iter().any(|(step, _)| matches!(step, Step::Sampled { .. }));
    let adjacency = match described.table("the mechanism")?.iter().find(|(key, _)| key == "adjacency") {
        Some((_, value)) => value.text("`adjacency`")?,
        None => "add-remove",
    };
    let directions = match adjacency {
        "add-remove" => vec![Direction::Remove, Direction::Add],
        "remove" => vec![Direction::Remove],
        "add" => vec![Direction::Add],
        _ => return Err(Reason::malformed("an unknown adjacency")),
    };
    let free_text = |key: &str| find(key).map_or(Ok(String::new()), |text| text.text(key).map(str::to_owned));
    Ok(ClaimFile {
        mechanism: Mechanism { steps: gaussians_together(steps), directions },
        claim: read_claim(claim)?,
        title: free_text("title")?,
        source: free_text("source")?,
        sampled,
        adjacency: adjacency.to_owned(),
    })
}

fn read_claim(value: &Value) -> Result<Claim, Reason> {
    let kind = kind(value)?;
    let fields = |keys: &[&str], required: usize| {
        let keys: Vec<&str> = std::iter::once("kind").chain(keys.iter().copied()).collect();
        value.fields("the claim", &keys, required + 1)
    };
    let at = |fields: &[Option<&Value>], place: usize| match fields.get(place).copied().flatten() {
        Some(value) => number(value.number("a number of the claim")?),
        None => Ok(BigRational::zero()),
    };
    let unit = |x: &BigRational| !x.is_negative() && *x <= BigRational::one();
    let claim = match kind {
        "pure-dp" => Claim::PureDp { epsilon: at(&fields(&["epsilon"], 1)?, 1)? },
        "approx-dp" => {
            let fields = fields(&["epsilon", "delta"], 2)?;
            Claim::ApproxDp { epsilon: at(&fields, 1)?, delta: at(&fields, 2)? }
        }
        "advantage" => Claim::Advantage { at_most: at(&fields(&["at-most"], 1)?, 1)? },
        "trade-off" => {
            let fields = fields(&["alpha", "beta"], 2)?;
            Claim::TradeOff { alpha: at(&fields, 1)?, beta: at(&fields, 2)? }
        }
        "gdp" => {
            if value.table("the claim")?.iter().any(|(key, _)| key == "error-floor") {
                return Err(Reason::uncovered("a claim with an error floor"));
            }
            let fields = fields(&["mu", "tolerance"], 1)?;
            Claim::Gdp { mu: at(&fields, 1)?, tolerance: at(&fields, 2)? }
        }
        other => return Err(Reason::uncovered(format!("a claim `{other}`"))),
    };
    let is_sound = match &claim {
        Claim::PureDp { epsilon } => !epsilon.is_negative(),
        Claim::ApproxDp { delta, .. } => !delta.is_negative(),
        Claim::Advantage { at_most } => !at_most.is_negative(),
        Claim::TradeOff { alpha, beta } => unit(alpha) && unit(beta),
        Claim::Gdp { mu, tolerance } => {
            !mu.is_negative() && !tolerance.is_negative() && *tolerance < BigRational::new(1.into(), 2.into())
        }
    };
    if is_sound { Ok(claim) } else { Err(Reason::malformed("a number of the claim is out of its range")) }
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Top,
    Composed,
    Sampled,
}

/// The steps of a mechanism, each with how often it runs.
fn collect(value: &Value, times: u64, place: Place, steps: &mut Vec<(Step, u64)>) -> Result<(), Reason> {
    let kind = kind(value)?;
    let fields = |keys: &[&str], required: usize| {
        let extra = match place {
            Place::Top => "adjacency",
            Place::Composed => "times",
            Place::Sampled => "kind",
        };
        let keys: Vec<&str> = std::iter::once("kind").chain(keys.iter().copied()).chain([extra]).collect();
        value.fields(&format!("`{kind}`"), &keys, required + 1)
    };
    let one = BigRational::one();
    match kind {
        "gaussian" => {
            let given = fields(&["noise-multiplier", "sigma", "sensitivity"], 0)?;
            let square = match given.as_slice() {
                [_, Some(noise), None, None, ..] => positive(noise)?.recip(),
                [_, None, Some(sigma), sensitivity, ..] => sensitivity.map_or(Ok(one), positive)? / positive(sigma)?,
                _ => {
                    return Err(Reason::malformed("`gaussian` has `sigma` or `noise-multiplier`"));
                }
            };
            add(steps, Step::Gaussian { square: &square * &square }, times)
        }
        "laplace" => {
            let given = fields(&["scale", "sensitivity"], 1)?;
            let [_, Some(scale), sensitivity, ..] = given.as_slice() else {
                return Err(Reason::malformed("`laplace`"));
            };
            let epsilon = sensitivity.map_or(Ok(one), positive)? / positive(scale)?;
            add(steps, Step::Laplace { epsilon }, times)
        }
        "randomized-response" => {
            let given = fields(&["epsilon", "k"], 1)?;
            let [_, Some(epsilon), k, ..] = given.as_slice() else {
                return Err(Reason::malformed("`randomized-response`"));
            };
            let epsilon = number(epsilon.number("`epsilon`")?)?;
            let k = k.map_or(Ok(BigInt::from(2)), |k| whole(k, "`k`").map(BigInt::from))?;
            if epsilon.is_negative() || k < BigInt::from(2) {
                return Err(Reason::malformed("a number of `randomized-response` is out of its range"));
            }
            add(steps, Step::Response { epsilon, k }, times)
        }
        "finite" => {
            let given = fields(&["p", "q"], 2)?;
            let [_, Some(p), Some(q), ..] = given.as_slice() else {
                return Err(Reason::malformed("`finite`"));
            };
            let (p, q) = (vector(p)?, vector(q)?);
            if p.len() != q.len() || p.len() > 4096 {
                return Err(Reason::malformed("`p` and `q` have different lengths, or are too long"));
            }
            add(steps, Step::Finite { p, q }, times)
        }
        "subsampled" => {
            let given = fields(&["rate", "of", "sampling"], 2)?;
            let [_, Some(rate), Some(of), sampling, ..] = given.as_slice() else {
                return Err(Reason::malformed("`subsampled`"));
            };
            poisson(sampling)?;
            let mut inner = Vec::new();
            collect(of, 1, Place::Sampled, &mut inner)?;
            match inner.as_slice() {
                [(Step::Gaussian { square }, 1)] => add(steps, sampled(square.clone(), rate)?, times),
                _ => Err(Reason::uncovered("a sample of anything but one Gaussian step")),
            }
        }
        "compose" => {
            let given = fields(&["of", "sampling"], 1)?;
            let [_, Some(of), sampling, ..] = given.as_slice() else {
                return Err(Reason::malformed("`compose`"));
            };
            poisson(sampling)?;
            let of = of.list("`of`")?;
            for part in of {
                let entries = part.table("a part of `compose`")?;
                let count =
                    entries.iter().find(|(key, _)| key == "times").map_or(Ok(1), |(_, n)| whole(n, "`times`"))?;
                collect(part, count.checked_mul(times).ok_or_else(too_often)?, Place::Composed, steps)?;
            }
            if of.is_empty() { Err(Reason::malformed("`of` is empty")) } else { Ok(()) }
        }
        "dp-sgd" => {
            let keys = [
                "noise-multiplier",
                "sample-rate",
                "steps",
                "phases",
                "epochs",
                "batch-size",
                "dataset-size",
                "sampling",
            ];
            let given = fields(&keys, 0)?;
            poisson(given.get(8).unwrap_or(&None))?;
            match given.as_slice() {
                [_, Some(noise), Some(rate), Some(count), None, None, None, None, ..] => {
                    phase(noise, rate, whole(count, "`steps`")?, times, steps)
                }
                [_, Some(noise), None, None, None, Some(epochs), Some(batch), Some(size), ..] => {
                    let (epochs, batch, size) =
                        (whole(epochs, "`epochs`")?, whole(batch, "`batch-size`")?, whole(size, "`dataset-size`")?);
                    if batch > size {
                        return Err(Reason::malformed("a batch larger than the data set"));
                    }
                    let count = epochs.checked_mul(size.div_ceil(batch)).ok_or_else(too_often)?;
                    phase(noise, &Value::Text(format!("{batch}/{size}")), count, times, steps)
                }
                [_, None, None, None, Some(phases), None, None, None, ..] => {
                    let phases = phases.list("`phases`")?;
                    for part in phases {
                        let given = part.fields("a phase", &["noise-multiplier", "sample-rate", "steps"], 3)?;
                        let [Some(noise), Some(rate), Some(count)] = given.as_slice() else {
                            return Err(Reason::malformed("a phase"));
                        };
                        phase(noise, rate, whole(count, "`steps`")?, times, steps)?;
                    }
                    if phases.is_empty() { Err(Reason::malformed("`phases` is empty")) } else { Ok(()) }
                }
                _ => Err(Reason::malformed("`dp-sgd` has keys that do not go together")),
            }
        }
        other => Err(Reason::uncovered(format!("a mechanism `{other}`"))),
    }
}

fn phase(noise: &Value, rate: &Value, count: u64, times: u64, steps: &mut Vec<(Step, u64)>) -> Result<(), Reason> {
    let mu = positive(noise)?.recip();
    add(steps, sampled(&mu * &mu, rate)?, times.checked_mul(count).ok_or_else(too_often)?)
}

fn sampled(square: BigRational, rate: &Value) -> Result<Step, Reason> {
    let rate = positive(rate)?;
    match rate.cmp(&BigRational::one()) {
        std::cmp::Ordering::Less => Ok(Step::Sampled { square, rate }),
        std::cmp::Ordering::Equal => Ok(Step::Gaussian { square }),
        std::cmp::Ordering::Greater => Err(Reason::malformed("a rate above 1")),
    }
}

fn add(steps: &mut Vec<(Step, u64)>, step: Step, times: u64) -> Result<(), Reason> {
    if let Some((_, count)) = steps.iter_mut().find(|(other, _)| *other == step) {
        *count = count.checked_add(times).ok_or_else(too_often)?;
        return Ok(());
    }
    steps.push((step, times));
    if steps.len() > 64 { Err(Reason::uncovered("a composition of more than 64 different steps")) } else { Ok(()) }
}

/// Gaussian steps compose to one Gaussian step with μ² = Σ times·μ_i² (it comes first).
fn gaussians_together(steps: Vec<(Step, u64)>) -> Vec<(Step, u64)> {
    let mut total = BigRational::zero();
    let mut others = Vec::new();
    for (step, times) in steps {
        match step {
            Step::Gaussian { square } => total += square * BigInt::from(times),
            other => others.push((other, times)),
        }
    }
    if !total.is_zero() {
        others.insert(0, (Step::Gaussian { square: total }, 1));
    }
    others
}

fn poisson(sampling: &Option<&Value>) -> Result<(), Reason> {
    match sampling.map(|value| value.text("`sampling`")).transpose()? {
        None | Some("poisson") => Ok(()),
        Some(_) => Err(Reason::uncovered("sampling other than Poisson's")),
    }
}

fn too_often() -> Reason {
    Reason::limit("more than 2^64 steps")
}

fn kind(value: &Value) -> Result<&str, Reason> {
    let entries = value.table("a mechanism or claim")?;
    let kind = entries.iter().find(|(key, _)| key == "kind");
    kind.ok_or_else(|| Reason::malformed("`kind` is missing"))?.1.text("`kind`")
}

fn vector(value: &Value) -> Result<Vec<BigRational>, Reason> {
    let items = value.list("a probability vector")?.iter();
    let vector = items.map(|x| number(x.number("a probability")?)).collect::<Result<Vec<_>, _>>()?;
    // Denominators without a common factor multiply.
    let sum = |total: BigRational, x: &BigRational| Some(total + x).filter(|total| total.denom().bits() < 1 << 16);
    let total = vector.iter().try_fold(BigRational::zero(), sum);
    let total = total.ok_or_else(|| Reason::limit("probabilities of too many digits"))?;
    if vector.iter().any(Signed::is_negative) || !total.is_one() {
        return Err(Reason::malformed("a probability vector is negative somewhere or does not add up to 1"));
    }
    Ok(vector)
}

fn positive(value: &Value) -> Result<BigRational, Reason> {
    let x = number(value.number("a parameter")?)?;
    if x.is_positive() { Ok(x) } else { Err(Reason::malformed("a parameter is not positive")) }
}

/// A whole number from 1 to 10^12.
fn whole(value: &Value, what: &str) -> Result<u64, Reason> {
    let x = number(value.number(what)?)?;
    let bad = || Reason::malformed(format!("{what} is not a whole number from 1 to 10^12"));
    let n = u64::try_from(x.numer()).ok().filter(|_| x.is_integer()).ok_or_else(bad)?;
    if (1..=1_000_000_000_000).contains(&n) { Ok(n) } else { Err(bad()) }
}

/// The exact fraction that a decimal (`-1.5e-3`) or a quotient of two (`1/3`) denotes.
pub fn number(text: &str) -> Result<BigRational, Reason> {
    match text.split_once('/') {
        None => decimal(text.trim()),
        Some((above, below)) => {
            let below = decimal(below.trim())?;
            if below.is_zero() { Err(Reason::malformed("a division by 0")) } else { Ok(decimal(above.trim())? / below) }
        }
    }
}

fn decimal(text: &str) -> Result<BigRational, Reason> {
    let bad = || Reason::malformed(format!("`{}` is not a number", text.chars().take(40).collect::<String>()));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{part}");
    if all.is_empty() || all.len() > 1000 || !all.bytes().all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let exponent: i64 = exponent.parse().map_err(|_| bad())?;
    let shift = exponent.checked_sub(i64::try_from(part.len()).map_err(|_| bad())?).ok_or_else(bad)?;
    if shift.abs() > 4_000 {
        return Err(Reason::limit("an exponent is too large"));
    }
    let value: BigInt = BigInt::parse_bytes(all.as_bytes(), 10).ok_or_else(bad)? * sign;
    let power = num_traits::pow(BigInt::from(10), usize::try_from(shift.abs()).map_err(|_| bad())?);
    if shift < 0 {
        let common = value.gcd(&power);
        Ok(BigRational::new_raw(value / &common, power / common))
    } else {
        Ok(BigRational::from(value * power))
    }
}
