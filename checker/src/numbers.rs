//! Numbers as a claim file states them, exactly, and in their ranges.

use num_integer::Integer;

use crate::*;

/// The kind that a table states.
pub fn of_kind(value: &Value) -> Result<&str> {
    value.need("kind")?.text("`kind`")
}

/// An ε: `epsilon`, or `exp-epsilon` in its place.
pub fn epsilon(value: &Value, at_least_zero: bool) -> Result<Epsilon> {
    let read = |value: &Value| number(value.number("an epsilon")?);
    let epsilon = match (value.get("epsilon"), value.get("exp-epsilon")) {
        (Some(epsilon), None) => Epsilon::Plain(read(epsilon)?),
        (None, Some(odds)) => Epsilon::LogOf(Some(read(odds)?).filter(Signed::is_positive).ok_or_else(out_of_range)?),
        _ => return Err(Rejected::malformed("there is not one of `epsilon` and `exp-epsilon`")),
    };
    if at_least_zero && epsilon.is_negative() { Err(out_of_range()) } else { Ok(epsilon) }
}

pub fn out_of_range() -> Rejected {
    Rejected::malformed("a number of the claim is out of its range")
}

/// The exact fraction that a decimal (`-1.5e-3`) or a quotient of two (`1/3`) denotes.
pub fn number(text: &str) -> Result<BigRational> {
    match text.split_once('/') {
        None => decimal(text),
        Some((above, below)) => {
            let (above, below) = (decimal(above)?, decimal(below)?);
            Reason::Malformed.when(below.is_zero(), "a division by 0")?;
            spend_on(&[&above, &below])?;
            Ok(above / below)
        }
    }
}

fn decimal(text: &str) -> Result<BigRational> {
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
    let exponent = exponent.parse::<i64>().ok().filter(|n| *n <= 20_000);
    let exponent = exponent.ok_or_else(|| Rejected::limit("an exponent is too large"))?;
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

/// A whole number as a fraction.
pub fn int(n: impl Into<BigInt>) -> BigRational {
    BigRational::from(n.into())
}

pub fn squared(x: BigRational) -> BigRational {
    &x * &x
}

/// A list that is not empty.
pub fn some(value: &Value) -> Result<&[Value]> {
    match value.list("a list")? {
        [] => Err(Rejected::malformed("a list is empty")),
        items => Ok(items),
    }
}

pub fn numbers(value: &Value) -> Result<Vec<BigRational>> {
    value.list("a list of numbers")?.iter().map(|x| of(x, "a number")).collect()
}

pub fn vector(value: &Value) -> Result<Vec<BigRational>> {
    let vector = numbers(value)?;
    is_law(&vector)?;
    Ok(vector)
}

/// Numbers of which none is negative, and that add up to 1.
pub fn is_law(weights: &[BigRational]) -> Result<()> {
    let mut total = BigRational::zero();
    for x in weights {
        // Denominators without a common factor multiply.
        spend_on(&[&total, x])?;
        total += x;
    }
    let is_wrong = weights.iter().any(Signed::is_negative) || !total.is_one();
    Reason::Malformed.when(is_wrong, "probabilities are negative somewhere or do not add up to 1")
}

pub fn of(value: &Value, what: &str) -> Result<BigRational> {
    number(value.number(what)?)
}

pub fn in_range(value: &Value, what: &str, is_in: fn(&BigRational) -> bool) -> Result<BigRational> {
    let x = of(value, what)?;
    if is_in(&x) { Ok(x) } else { Err(Rejected::malformed(format!("{what} is out of its range"))) }
}

pub fn positive(value: &Value, what: &str) -> Result<BigRational> {
    in_range(value, what, Signed::is_positive)
}

/// In (0, 1].
pub fn rate(value: &Value) -> Result<BigRational> {
    in_range(value, "a rate", |x| x.is_positive() && *x <= BigRational::one())
}

/// In [0, 1].
pub fn probability(value: &Value) -> Result<BigRational> {
    in_range(value, "a probability", |x| !x.is_negative() && *x <= BigRational::one())
}

/// A whole number from `least` to `most`.
pub fn whole(value: &Value, what: &str, least: u64, most: u64) -> Result<u64> {
    let x = of(value, what)?;
    let n = u64::try_from(x.numer()).ok().filter(|n| x.is_integer() && (least..=most).contains(n));
    n.ok_or_else(|| Rejected::malformed(format!("{what} is not a whole number from {least} to {most}")))
}
