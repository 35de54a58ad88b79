//! What is claimed, about which mechanism: read again from the text of the claim file.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use crate::answer::{Adjacency, Claim};
use crate::reason::{Reason, Rejected, one_line};
use crate::step::{Epsilon, Mechanism, Step};
use crate::toml::toml;
use crate::value::{Value, json};
use crate::work::{spend_on, spend_on_bits};

/// Which order of the pair a proof is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// (P, Q)
    Remove,
    /// (Q, P)
    Add,
}

impl Adjacency {
    /// The orders of the pair that a claim is about.
    pub(crate) fn directions(self) -> &'static [Direction] {
        match self {
            Self::AddRemove => &[Direction::Remove, Direction::Add],
            Self::Remove => &[Direction::Remove],
            Self::Add => &[Direction::Add],
        }
    }
}

impl std::fmt::Display for Direction {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(if *self == Self::Remove { "remove" } else { "add" })
    }
}

/// What the text of a claim file says: the mechanism and the claim asked for.
pub struct ClaimFile {
    pub mechanism: Mechanism,
    pub claim: Claim,
    /// Free text.
    pub title: Option<String>,
    pub source: Option<String>,
    /// Keys that were passed over.
    pub notes: Vec<String>,
}

const FILE_KEYS: [&str; 4] = ["title", "source", "mechanism", "claim"];

/// Keys that mechanisms and claims can do without. At the top, where it would be ignored, one of them was meant for
/// another place and would change what is claimed.
const OPTIONAL_KEYS: [&str; 8] =
    ["adjacency", "error-floor", "k", "record-bound", "sampling", "sensitivity", "times", "tolerance"];

/// What the text of a claim file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A file, with no other keys at the top than those of claim files.
    File,
    /// A line of a `.jsonl` file, where other keys at the top are notes.
    Line,
}

/// What a text says, in JSON if it begins with `{`; a byte-order mark before it is nothing.
pub fn document(text: &str) -> Result<Value, Rejected> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') { json(text) } else { toml(text) }
}

/// Reads a claim file, or one line of a `.jsonl` file.
pub fn read(text: &str, form: Form, index: usize) -> Result<ClaimFile, Rejected> {
    let document = document(text)?;
    let is_json = !matches!(document, Value::Table(_, crate::value::Form::Open));
    let mut notes = Vec::new();
    match form {
        Form::File => document.only("the claim file", &FILE_KEYS)?,
        Form::Line if is_json && !text.contains('\n') => {
            notes = document.keys().filter(|key| !FILE_KEYS.contains(key)).map(str::to_owned).collect();
        }
        Form::Line => return Err(Rejected::malformed("a line of a .jsonl file is JSON without line breaks")),
    }
    if let Some(key) = notes.iter().find(|key| OPTIONAL_KEYS.contains(&key.as_str())) {
        return Err(Rejected::malformed(format!("`{key}` does not stand where it would be read")));
    }
    let claims = match document.need("claim")? {
        Value::List(items) => items.iter().collect(),
        other => vec![other],
    };
    let claim = claims
        .get(index)
        .ok_or_else(|| Rejected::new(Reason::NoSuchClaim, "the claim file has no claim of that number"))?;
    let described = document.need("mechanism")?;
    let mut steps = Vec::new();
    collect(described, 1, "adjacency", &mut steps)?;
    let adjacency = match described.get("adjacency").map(|value| value.text("`adjacency`")).transpose()? {
        None | Some("add-remove") => Adjacency::AddRemove,
        Some("remove") => Adjacency::Remove,
        Some("add") => Adjacency::Add,
        Some(_) => return Err(Rejected::malformed("an unknown adjacency")),
    };
    let free_text = |key: &str| document.get(key).map(|text| text.text(key).map(str::to_owned)).transpose();
    Ok(ClaimFile {
        mechanism: Mechanism { steps: gaussians_together(steps)?, members: Vec::new(), is_listed: false, adjacency },
        claim: read_claim(claim)?,
        title: free_text("title")?,
        source: free_text("source")?,
        notes,
    })
}

fn read_claim(value: &Value) -> Result<Claim, Rejected> {
    let only = |keys: &[&str]| value.only("the claim", &[keys, &["kind"]].concat());
    let at = |key: &str| number(value.need(key)?.number(key)?);
    let or_zero = |key: &str| value.get(key).map_or(Ok(BigRational::zero()), |x| number(x.number(key)?));
    let below_half = |x: &BigRational| !x.is_negative() && *x < BigRational::new(1.into(), 2.into());
    let (claim, is_sound) = match kind(value)? {
        "pure-dp" => {
            only(&["epsilon"])?;
            let epsilon = at("epsilon")?;
            let is_sound = !epsilon.is_negative();
            (Claim::PureDp { epsilon: Epsilon::Plain(epsilon) }, is_sound)
        }
        "approx-dp" => {
            only(&["epsilon", "delta"])?;
            let delta = at("delta")?;
            let is_sound = !delta.is_negative();
            (Claim::ApproxDp { epsilon: Epsilon::Plain(at("epsilon")?), delta }, is_sound)
        }
        "advantage" => {
            only(&["at-most"])?;
            let at_most = at("at-most")?;
            let is_sound = !at_most.is_negative();
            (Claim::Advantage { at_most }, is_sound)
        }
        "trade-off" => {
            only(&["alpha", "beta"])?;
            let (alpha, beta) = (at("alpha")?, at("beta")?);
            let unit = |x: &BigRational| !x.is_negative() && *x <= BigRational::one();
            let is_sound = unit(&alpha) && unit(&beta);
            (Claim::TradeOff { alpha, beta }, is_sound)
        }
        "gdp" => {
            only(&["mu", "tolerance", "error-floor"])?;
            let (mu, tolerance, floor) = (at("mu")?, or_zero("tolerance")?, or_zero("error-floor")?);
            let is_form = match (value.get("tolerance"), value.get("error-floor")) {
                (Some(_), Some(_)) => false,
                (None, Some(_)) => floor.is_positive(),
                (_, None) => true,
            };
            let is_sound = !mu.is_negative() && below_half(&tolerance) && below_half(&floor);
            (Claim::Gdp { mu, tolerance, floor }, is_sound && is_form)
        }
        other => return Err(Rejected::uncovered(&format!("a claim `{}`", one_line(other, 40)))),
    };
    if is_sound { Ok(claim) } else { Err(Rejected::malformed("a number of the claim is out of its range")) }
}

/// The steps of a mechanism, each with how often it runs; `extra` is a key that it may have at its place.
fn collect(value: &Value, times: u64, extra: &str, steps: &mut Vec<(Step, u64)>) -> Result<(), Rejected> {
    // The state of an Opacus accountant: [noise multiplier, sample rate, steps] of each phase, and the accountant's name.
    if let Some(history) = value.get("history")
        && extra == "adjacency"
    {
        value.only("an Opacus state", &["history", "mechanism"])?;
        value.get("mechanism").map(|name| name.text("`mechanism`")).transpose()?;
        for part in some(history)? {
            let [noise, rate, count] = part.list("a phase of `history`")? else {
                return Err(Rejected::malformed("a phase of `history` is not [noise multiplier, sample rate, steps]"));
            };
            phase(noise, rate, count, times, steps)?;
        }
        return Ok(());
    }
    let kind = kind(value)?;
    let only = |keys: &[&str]| value.only(&format!("`{kind}`"), &[keys, &["kind", extra]].concat());
    let at = |key: &str| positive(value.need(key)?);
    // How far a query moves when a record is added or removed.
    let distance = || match (value.get("sensitivity"), value.get("record-bound")) {
        (Some(_), Some(_)) => Err(Rejected::malformed("`sensitivity` and `record-bound` stand together")),
        (Some(one), None) | (None, Some(one)) => positive(one),
        (None, None) => Ok(BigRational::one()),
    };
    match kind {
        "gaussian" => {
            let mu = if value.get("sigma").is_none() {
                only(&["noise-multiplier"])?;
                at("noise-multiplier")?.recip()
            } else {
                only(&["sigma", "sensitivity", "record-bound"])?;
                distance()? / at("sigma")?
            };
            add(steps, Step::Gaussian { square: &mu * &mu }, times)
        }
        "laplace" => {
            only(&["scale", "sensitivity", "record-bound"])?;
            add(steps, Step::Laplace { epsilon: distance()? / at("scale")? }, times)
        }
        "randomized-response" => {
            only(&["epsilon", "k"])?;
            let epsilon = number(value.need("epsilon")?.number("`epsilon`")?)?;
            let k = value.get("k").map_or(Ok(2), |k| whole(k, "`k`"))?;
            if epsilon.is_negative() || k < 2 {
                return Err(Rejected::malformed("a number of `randomized-response` is out of its range"));
            }
            add(steps, Step::Response { epsilon: Epsilon::Plain(epsilon), k: BigInt::from(k) }, times)
        }
        "finite" => {
            only(&["p", "q"])?;
            let (p, q) = (vector(value.need("p")?)?, vector(value.need("q")?)?);
            if p.len() != q.len() || p.len() > 4096 {
                return Err(Rejected::malformed("`p` and `q` have different lengths, or are too long"));
            }
            add(steps, Step::Finite { p, q }, times)
        }
        "subsampled" => {
            only(&["rate", "of", "sampling"])?;
            poisson(value)?;
            let mut inner = Vec::new();
            collect(value.need("of")?, 1, "kind", &mut inner)?;
            match inner.as_slice() {
                [(Step::Gaussian { square }, 1)] => add(steps, sampled(square.clone(), at("rate")?)?, times),
                _ => Err(Rejected::uncovered("a sample of anything but one Gaussian step")),
            }
        }
        "compose" => {
            only(&["of", "sampling"])?;
            poisson(value)?;
            for part in some(value.need("of")?)? {
                let count = part.get("times").map_or(Ok(1), |n| whole(n, "`times`"))?;
                collect(part, product(count, times)?, "times", steps)?;
            }
            Ok(())
        }
        "dp-sgd" => {
            poisson(value)?;
            if let Some(phases) = value.get("phases") {
                only(&["phases", "sampling"])?;
                for part in some(phases)? {
                    part.only("a phase", &["noise-multiplier", "sample-rate", "steps"])?;
                    named_phase(part, times, steps)?;
                }
                return Ok(());
            }
            if value.get("epochs").is_none() {
                only(&["noise-multiplier", "sample-rate", "steps", "sampling"])?;
                return named_phase(value, times, steps);
            }
            only(&["noise-multiplier", "epochs", "batch-size", "dataset-size", "sampling"])?;
            let count = |key: &str| whole(value.need(key)?, key);
            let (batch, size) = (count("batch-size")?, count("dataset-size")?);
            let rate = BigRational::new(batch.into(), size.into());
            let mu = at("noise-multiplier")?.recip();
            add(steps, sampled(&mu * &mu, rate)?, product(product(count("epochs")?, size.div_ceil(batch))?, times)?)
        }
        other => Err(Rejected::uncovered(&format!("a mechanism `{}`", one_line(other, 40)))),
    }
}

fn named_phase(value: &Value, times: u64, steps: &mut Vec<(Step, u64)>) -> Result<(), Rejected> {
    phase(value.need("noise-multiplier")?, value.need("sample-rate")?, value.need("steps")?, times, steps)
}

/// Noise multiplier, rate and steps of DP-SGD.
fn phase(noise: &Value, rate: &Value, count: &Value, times: u64, steps: &mut Vec<(Step, u64)>) -> Result<(), Rejected> {
    let mu = positive(noise)?.recip();
    add(steps, sampled(&mu * &mu, positive(rate)?)?, product(times, whole(count, "`steps`")?)?)
}

fn sampled(square: BigRational, rate: BigRational) -> Result<Step, Rejected> {
    match rate.cmp(&BigRational::one()) {
        std::cmp::Ordering::Less => Ok(Step::sampled_gaussian(square, rate)),
        std::cmp::Ordering::Equal => Ok(Step::Gaussian { square }),
        std::cmp::Ordering::Greater => Err(Rejected::malformed("a rate above 1")),
    }
}

fn add(steps: &mut Vec<(Step, u64)>, step: Step, times: u64) -> Result<(), Rejected> {
    // It is compared with all others.
    let numbers = step.numbers();
    for _ in &*steps {
        numbers.iter().try_for_each(|x| spend_on(&[x]))?;
    }
    if let Some((_, count)) = steps.iter_mut().find(|(other, _)| *other == step) {
        *count = count.checked_add(times).ok_or_else(too_often)?;
        return Ok(());
    }
    steps.push((step, times));
    if steps.len() > 64 { Err(Rejected::uncovered("a composition of more than 64 different steps")) } else { Ok(()) }
}

/// Gaussian steps compose to one Gaussian step with μ² = Σ times·μ_i² (it comes first).
fn gaussians_together(steps: Vec<(Step, u64)>) -> Result<Vec<(Step, u64)>, Rejected> {
    let mut total = BigRational::zero();
    let mut others = Vec::new();
    for (step, times) in steps {
        match step {
            Step::Gaussian { square } => {
                spend_on(&[&total, &square])?;
                total += square * BigInt::from(times);
            }
            other => others.push((other, times)),
        }
    }
    if !total.is_zero() {
        others.insert(0, (Step::Gaussian { square: total }, 1));
    }
    Ok(others)
}

fn poisson(value: &Value) -> Result<(), Rejected> {
    match value.get("sampling").map(|value| value.text("`sampling`")).transpose()? {
        None | Some("poisson") => Ok(()),
        Some(_) => Err(Rejected::uncovered("sampling other than Poisson's")),
    }
}

fn product(a: u64, b: u64) -> Result<u64, Rejected> {
    a.checked_mul(b).ok_or_else(too_often)
}

fn too_often() -> Rejected {
    Rejected::limit("more than 2^64 steps")
}

/// A list that is not empty.
fn some(value: &Value) -> Result<&[Value], Rejected> {
    match value.list("a list of steps")? {
        [] => Err(Rejected::malformed("a list of steps is empty")),
        items => Ok(items),
    }
}

fn kind(value: &Value) -> Result<&str, Rejected> {
    value.need("kind")?.text("`kind`")
}

fn vector(value: &Value) -> Result<Vec<BigRational>, Rejected> {
    let items = value.list("a probability vector")?.iter();
    let vector = items.map(|x| number(x.number("a probability")?)).collect::<Result<Vec<_>, _>>()?;
    let mut total = BigRational::zero();
    for x in &vector {
        // Denominators without a common factor multiply.
        spend_on(&[&total, x])?;
        total += x;
    }
    if vector.iter().any(Signed::is_negative) || !total.is_one() {
        return Err(Rejected::malformed("a probability vector is negative somewhere or does not add up to 1"));
    }
    Ok(vector)
}

fn positive(value: &Value) -> Result<BigRational, Rejected> {
    let x = number(value.number("a parameter")?)?;
    if x.is_positive() { Ok(x) } else { Err(Rejected::malformed("a parameter is not positive")) }
}

/// A whole number from 1 to 10^12.
fn whole(value: &Value, what: &str) -> Result<u64, Rejected> {
    let x = number(value.number(what)?)?;
    let bad = || Rejected::malformed(format!("{what} is not a whole number from 1 to 10^12"));
    let n = u64::try_from(x.numer()).ok().filter(|_| x.is_integer()).ok_or_else(bad)?;
    if (1..=1_000_000_000_000).contains(&n) { Ok(n) } else { Err(bad()) }
}

/// The exact fraction that a decimal (`-1.5e-3`) or a quotient of two (`1/3`) denotes.
pub fn number(text: &str) -> Result<BigRational, Rejected> {
    match text.split_once('/') {
        None => decimal(text),
        Some((above, below)) => {
            let below = decimal(below)?;
            if below.is_zero() {
                return Err(Rejected::malformed("a division by 0"));
            }
            let above = decimal(above)?;
            spend_on(&[&above, &below])?;
            Ok(above / below)
        }
    }
}

fn decimal(text: &str) -> Result<BigRational, Rejected> {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let bad = || Rejected::malformed(format!("`{}` is not a number", one_line(text, 40)));
    let sign = |text: &str| match text.strip_prefix('-') {
        Some(rest) => (-1, rest.to_owned()),
        None => (1, text.strip_prefix('+').unwrap_or(text).to_owned()),
    };
    // Underscores may stand between two digits.
    let digits = |text: &str| {
        let plain = text.replace('_', "");
        let misplaced = text.starts_with('_') || text.ends_with('_') || text.contains("__");
        if misplaced || !plain.bytes().all(|b| b.is_ascii_digit()) { Err(bad()) } else { Ok(plain) }
    };
    let (minus, unsigned) = sign(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((&unsigned, "0"));
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let part = digits(part)?;
    let all = digits(whole)? + &part;
    let (direction, exponent) = sign(exponent);
    let exponent = digits(&exponent)?;
    if all.is_empty() || exponent.is_empty() || text.len() > 1000 {
        return Err(bad());
    }
    let exponent = exponent.trim_start_matches('0').parse::<i64>().or(if exponent.contains(|c| c != '0') {
        Err(())
    } else {
        Ok(0)
    });
    let exponent = exponent.ok().filter(|n| *n <= 20_000).ok_or_else(|| Rejected::limit("an exponent is too large"))?;
    let shift = direction * exponent - i64::try_from(part.len()).map_err(|_| bad())?;
    // 10 is less than 2^4.
    spend_on_bits(shift.unsigned_abs().saturating_add(all.len().try_into().unwrap_or(0)).saturating_mul(4))?;
    let value: BigInt = BigInt::parse_bytes(all.as_bytes(), 10).ok_or_else(bad)? * minus;
    let power = num_traits::pow(BigInt::from(10), usize::try_from(shift.abs()).map_err(|_| bad())?);
    if shift < 0 {
        let common = value.gcd(&power);
        Ok(BigRational::new_raw(value / &common, power / common))
    } else {
        Ok(BigRational::from(value * power))
    }
}
