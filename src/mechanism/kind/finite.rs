//! `finite`: a pair of exact probability vectors.

use rug::Rational;

use super::{Describe, Parameter};
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{Domain, OutOfRange, Why};
use crate::mechanism::steps::{Conditions, FiniteLosses, Step, Steps};
use crate::number::{decimal_down, decimal_up};

/// Most bits in the numbers of one probability vector: their exact sum must take bounded time.
const MAX_VECTOR_BITS: u64 = 1 << 25;

/// A pair of exact probability vectors of equal length, each summing to exactly 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finite {
    p: Vec<Rational>,
    q: Vec<Rational>,
}

impl Finite {
    /// Probabilities of the outcomes without the record, and with it.
    ///
    /// # Errors
    /// If a number is no probability, a vector does not sum to exactly 1, or their lengths differ.
    pub fn new(p: Vec<Rational>, q: Vec<Rational>) -> Result<Self, OutOfRange> {
        are_probabilities("p", &p)?;
        are_probabilities("q", &q)?;
        if p.len() != q.len() {
            let message = format!(
                "`p` and `q` must have the same length, but have {} and {} entries",
                p.len(),
                q.len()
            );
            return Err(OutOfRange::sentence("q", message)
                .help("list every outcome in both, with probability 0 where it cannot happen"));
        }
        Ok(Self { p, q })
    }

    /// Probabilities without the record.
    pub fn p(&self) -> &[Rational] {
        &self.p
    }

    /// Probabilities with the record.
    pub fn q(&self) -> &[Rational] {
        &self.q
    }
}

impl Describe for Finite {
    fn words(&self) -> String {
        format!("finite pair on {} outcomes", self.p.len())
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("p", Parameter::List(&self.p)),
            ("q", Parameter::List(&self.q)),
        ]
    }

    fn steps(&self, _: Relation) -> Result<Steps, OutOfRange> {
        let losses = FiniteLosses::Pair {
            p: self.p.as_slice().into(),
            q: self.q.as_slice().into(),
        };
        Ok(Steps::one(Step::finite(losses), Conditions::NONE))
    }
}

fn are_probabilities(key: &'static str, values: &[Rational]) -> Result<(), OutOfRange> {
    for value in values {
        Domain::Unit.hold(key, value)?;
    }
    let bits = values
        .iter()
        .fold(0u64, |bits, value| bits.saturating_add(size(value)));
    if bits > MAX_VECTOR_BITS {
        let message = format!("the numbers of `{key}` take more than {MAX_VECTOR_BITS} bits");
        return Err(OutOfRange::sentence(key, message)
            .because(Why::TooLarge)
            .help("give fewer outcomes or numbers with fewer digits"));
    }
    let total = exact_sum(values);
    if total == 1 {
        Ok(())
    } else {
        Err(wrong_total(key, &total))
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

fn wrong_total(key: &'static str, total: &Rational) -> OutOfRange {
    let exact = total.to_string();
    let shown = if exact.len() <= 40 {
        exact
    } else if *total < 1 {
        // On the safe side of 1, so that the message never says "1".
        format!("about {}", decimal_down(total, 20))
    } else {
        format!("about {}", decimal_up(total, 20))
    };
    OutOfRange::sentence(
        key,
        format!("`{key}` must sum to exactly 1, but sums to {shown}"),
    )
    .help(
        "write probabilities such as 1/3 as fractions in quotes; rounded decimals do not sum to 1",
    )
}

#[cfg(test)]
mod tests {
    use rug::Integer;

    use super::*;
    use crate::kernel::coarse::Random;

    #[test]
    fn sums_are_exact() {
        for count in [3u32, 30, 77] {
            let parts: Vec<Rational> = (0..count).map(|_| Rational::from((1, count))).collect();
            assert_eq!(exact_sum(&parts), 1);
        }
        assert_eq!(exact_sum(&[]), 0);
    }

    #[test]
    fn what_is_no_pair_is_refused() {
        let row = |numbers: &[(i32, i32)]| -> Vec<Rational> {
            numbers.iter().map(|pair| Rational::from(*pair)).collect()
        };
        let halves = row(&[(1, 2), (1, 2)]);
        assert!(Finite::new(halves.clone(), halves.clone()).is_ok());
        for other in [
            row(&[(1, 1)]),
            row(&[(1, 2), (1, 3)]),
            row(&[(3, 2), (-1, 2)]),
            row(&[]),
        ] {
            assert!(Finite::new(halves.clone(), other.clone()).is_err());
            assert!(Finite::new(other, halves.clone()).is_err());
        }
    }

    /// What a sum is said to be is on its own side of 1, and next to it.
    #[test]
    fn totals_are_said_on_their_side_of_one() {
        let mut random = Random(74);
        for _ in 0..10_500 {
            let below =
                Integer::from(1 + random.word()) << u32::try_from(random.below(80)).unwrap();
            let above = match random.below(3) {
                0 => Integer::from(&below + (1 + random.below(9))),
                1 => Integer::from(&below - 1) * 99u32 / 100u32,
                _ => Integer::from(&below * (1 + random.below(3))) + random.word(),
            };
            let total = Rational::from((above, below + 1u32));
            if total == 1 {
                continue;
            }
            let text = wrong_total("p", &total).to_string();
            let (_, shown) = text.rsplit_once("sums to ").unwrap();
            let shown = shown.trim_start_matches("about ");
            let number = crate::number::parse_rational(shown).unwrap();
            let is_beyond = if total < 1 {
                number <= total
            } else {
                number >= total
            };
            assert!(is_beyond && number != 1, "{total} {text}");
            let gap = Rational::from(&number - &total).abs();
            assert!(gap * 1_000_000_000u32 <= total, "{total} {text}");
        }
    }
}
