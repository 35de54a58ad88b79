//! `finite` and `profile`: lists of exact numbers with a condition on the whole list.

use rug::{Float, Rational, float::Round};

use super::{
    domain::Domain,
    fields::{Fields, number, pairs},
    node::Node,
    problem::{ErrorCode, Problem},
};
use crate::{
    mechanism::Mechanism,
    number::{decimal_down, decimal_up},
};

/// Most bits in the numbers of one probability vector: their exact sum must take bounded time.
const MAX_VECTOR_BITS: u64 = 1 << 25;

/// Bits of the enclosure of e^ε that decides feasibility.
const FEASIBILITY_BITS: u32 = 256;

pub(crate) fn finite(fields: &Fields<'_>) -> Result<Mechanism, Problem> {
    let p = probabilities(fields, "p")?;
    let q = probabilities(fields, "q")?;
    if p.len() != q.len() {
        let span = &fields.required("q")?.span;
        let message = format!(
            "`p` and `q` must have the same length, but have {} and {} entries",
            p.len(),
            q.len()
        );
        return Err(Problem::new(ErrorCode::Range, span, message)
            .help("list every outcome in both, with probability 0 where it cannot happen"));
    }
    Ok(Mechanism::Finite { p, q })
}

/// Upper bounds (ε, δ) on a profile. They are infeasible iff δ(ε) < 1 − e^ε for one of them, which is
/// less than every mechanism has (Q(E) − e^ε P(E) with E everything).
pub(crate) fn profile(fields: &Fields<'_>) -> Result<Mechanism, Problem> {
    let node = fields.required("points")?;
    let points = pairs(
        node,
        "`points`",
        ("epsilon", "delta"),
        (Domain::Real, Domain::Unit),
    )?;
    let nodes = node.as_array().unwrap_or_default();
    for ((epsilon, delta), place) in points.iter().zip(nodes) {
        if is_certainly_infeasible(epsilon, delta) {
            let message = "no mechanism has so small a delta at this epsilon";
            return Err(Problem::new(ErrorCode::Infeasible, &place.span, message)
                .label("delta is below 1 - e^epsilon")
                .help("for epsilon < 0 every mechanism has delta at least 1 - e^epsilon"));
        }
    }
    Ok(Mechanism::Points { points })
}

/// Whether δ < 1 − e^ε for sure: e^ε and e^ε − 1 are rounded up, so equality within rounding is accepted.
/// The first is exact to a relative 2^−256 near e^ε = 0, the second near e^ε = 1.
fn is_certainly_infeasible(epsilon: &Rational, delta: &Rational) -> bool {
    if *epsilon >= 0 {
        return false;
    }
    let (mut power, _) = Float::with_val_round(FEASIBILITY_BITS, epsilon, Round::Up);
    let mut power_less_one = power.clone();
    power.exp_round(Round::Up);
    power_less_one.exp_m1_round(Round::Up);
    power < Rational::from(1 - delta) || power_less_one < Rational::from(-delta)
}

fn probabilities(fields: &Fields<'_>, key: &str) -> Result<Vec<Rational>, Problem> {
    let node = fields.required(key)?;
    let what = format!("each entry of `{key}`");
    let values: Vec<Rational> = fields
        .list(key)?
        .iter()
        .map(|item| number(item, &what, Domain::Unit))
        .collect::<Result<_, _>>()?;
    let bits = values
        .iter()
        .fold(0u64, |bits, value| bits.saturating_add(size(value)));
    if bits > MAX_VECTOR_BITS {
        let message = format!("the numbers of `{key}` take more than {MAX_VECTOR_BITS} bits");
        return Err(Problem::new(ErrorCode::TooLarge, &node.span, message)
            .help("give fewer outcomes or numbers with fewer digits"));
    }
    let total = exact_sum(&values);
    if total == 1 {
        Ok(values)
    } else {
        Err(wrong_total(node, key, &total))
    }
}

fn size(value: &Rational) -> u64 {
    u64::from(value.numer().significant_bits())
        .saturating_add(u64::from(value.denom().significant_bits()))
}

/// The sum by halves, so that long common denominators meet only near the root.
fn exact_sum(values: &[Rational]) -> Rational {
    const FEW: usize = 8;
    if values.len() <= FEW {
        return values.iter().sum();
    }
    let (left, right) = values.split_at(values.len() / 2);
    exact_sum(left) + exact_sum(right)
}

fn wrong_total(node: &Node, key: &str, total: &Rational) -> Problem {
    let exact = total.to_string();
    let shown = if exact.len() <= 40 {
        exact
    } else if *total < 1 {
        // On the safe side of 1, so that the message never says "1".
        format!("about {}", decimal_down(total, 20))
    } else {
        format!("about {}", decimal_up(total, 20))
    };
    let message = format!("`{key}` must sum to exactly 1, but sums to {shown}");
    Problem::new(ErrorCode::Range, &node.span, message).help(
        "write probabilities such as 1/3 as fractions in quotes; rounded decimals do not sum to 1",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    fn infeasible(epsilon: &str, delta: &str) -> bool {
        is_certainly_infeasible(
            &parse_rational(epsilon).unwrap(),
            &parse_rational(delta).unwrap(),
        )
    }

    #[test]
    fn feasibility_is_decided_at_the_boundary() {
        // 1 − e^−1 = 0.632120558828557678404476229838539132554188868968637…
        assert!(infeasible(
            "-1",
            "0.632120558828557678404476229838539132554188"
        ));
        assert!(!infeasible(
            "-1",
            "0.632120558828557678404476229838539132554189"
        ));
        assert!(!infeasible("0", "0"));
        assert!(!infeasible("5", "0"));
        assert!(infeasible("-1e-300", "0"));
        assert!(!infeasible("-1e-300", "1e-300"));
        assert!(infeasible("-1e20000", "0.99999"));
        assert!(!infeasible("-1e20000", "1"));
    }

    #[test]
    fn sums_are_exact() {
        for count in [3u32, 30, 77] {
            let parts: Vec<Rational> = (0..count).map(|_| Rational::from((1, count))).collect();
            assert_eq!(exact_sum(&parts), 1);
        }
        assert_eq!(exact_sum(&[]), 0);
    }
}
