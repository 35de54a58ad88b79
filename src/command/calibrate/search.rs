//! From an estimate to a value that is certified to meet the target, beside one that is certified to miss it.

use rug::{Integer, Rational};

use super::key::Key;
use crate::number::{decimal_down, decimal_up, parse_rational};

/// What is certain about one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// It meets the target.
    Meets,
    /// It misses it.
    Misses,
    /// Neither is known.
    Unknown,
}

/// A bracket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bracket {
    /// Certified to meet the target; `None` if no value is.
    pub meets: Option<Rational>,
    /// Certified to miss it; `None` if no value is.
    pub misses: Option<Rational>,
}

/// Checks in all.
const MOST_CHECKS: u32 = 80;

/// Narrows a bracket around the estimate, or around a usual value, until it is as narrow as asked for.
///
/// Every value is tried as it is printed: a decimal with enough digits, or a whole number.
pub fn search<E>(
    key: &Key,
    estimate: Option<&Rational>,
    width: &Rational,
    check: &mut dyn FnMut(&Rational) -> Result<Certainty, E>,
) -> Result<Bracket, E> {
    let mut state = State {
        key,
        width,
        meets: None,
        misses: None,
        left: MOST_CHECKS,
    };
    // Outward on either side, in growing steps, up to the ends of the range.
    let (start, mut step) = match estimate {
        Some(estimate) => (estimate, Rational::from(width / 3u32)),
        None => (&key.start, Rational::from(1)),
    };
    let mut sides = [(true, &key.private), (false, &key.leaky)].map(|side| (side, true));
    while state.left > 0 {
        for ((to_private, end), is_open) in &mut sides {
            let is_found = if *to_private {
                state.meets.is_some()
            } else {
                state.misses.is_some()
            };
            *is_open = *is_open && !is_found;
            if *is_open {
                let value = state.moved(start, &step, *to_private);
                state.check(&value, check)?;
                *is_open = value != **end;
            }
        }
        if sides.iter().all(|(_, is_open)| !is_open) {
            break;
        }
        step *= 3u32;
    }
    while state.left > 0 {
        let Some(middle) = state.middle() else { break };
        let before = (state.meets.clone(), state.misses.clone());
        state.check(&middle, check)?;
        if before == (state.meets.clone(), state.misses.clone()) {
            break;
        }
    }
    Ok(Bracket {
        meets: state.meets,
        misses: state.misses,
    })
}

struct State<'a> {
    key: &'a Key,
    width: &'a Rational,
    meets: Option<Rational>,
    misses: Option<Rational>,
    left: u32,
}

impl State<'_> {
    fn check<E>(
        &mut self,
        value: &Rational,
        check: &mut dyn FnMut(&Rational) -> Result<Certainty, E>,
    ) -> Result<(), E> {
        self.left = self.left.saturating_sub(1);
        match check(value)? {
            Certainty::Meets if self.is_better(self.meets.as_ref(), value, false) => {
                self.meets = Some(value.clone());
            }
            Certainty::Misses if self.is_better(self.misses.as_ref(), value, true) => {
                self.misses = Some(value.clone());
            }
            _ => {}
        }
        Ok(())
    }

    /// Is the value closer to the turning point than what is known?
    fn is_better(&self, known: Option<&Rational>, value: &Rational, is_private_side: bool) -> bool {
        known.is_none_or(|known| {
            if self.key.grows_private() == is_private_side {
                value > known
            } else {
                value < known
            }
        })
    }

    /// The estimate a relative step towards the private end, or the other, within the range.
    fn moved(&self, estimate: &Rational, step: &Rational, to_private: bool) -> Rational {
        let is_up = self.key.grows_private() == to_private;
        let factor = Rational::from(step + 1u32);
        let moved = if is_up {
            Rational::from(estimate * &factor)
        } else {
            Rational::from(estimate / &factor)
        };
        self.printable(&moved, is_up)
    }

    fn middle(&self) -> Option<Rational> {
        let (meets, misses) = (self.meets.as_ref()?, self.misses.as_ref()?);
        let apart = Rational::from(meets - misses).abs();
        if self.key.is_whole {
            if apart <= 1 {
                return None;
            }
        } else if apart <= Rational::from(meets * self.width) {
            return None;
        }
        let middle = Rational::from(meets + misses) / 2u32;
        let (low, high) = if meets < misses {
            (meets, misses)
        } else {
            (misses, meets)
        };
        // Wide brackets are halved on a logarithmic scale, roughly.
        let far = Rational::from(high / 16u32) > *low && *low > 0;
        let middle = if far {
            Rational::from(low * 4u32)
        } else {
            middle
        };
        let middle = self.printable(&middle, meets > misses);
        (middle != *meets && middle != *misses).then_some(middle)
    }

    /// A number that is printed as it is, rounded in the direction given, within the range.
    fn printable(&self, value: &Rational, is_up: bool) -> Rational {
        let rounded = if self.key.is_whole {
            let whole: Integer = if is_up {
                value.ceil_ref().into()
            } else {
                value.floor_ref().into()
            };
            Rational::from(whole)
        } else {
            let text = if is_up {
                decimal_up(value, self.digits())
            } else {
                decimal_down(value, self.digits())
            };
            parse_rational(&text).unwrap_or_else(|_| value.clone())
        };
        let (least, most) = if self.key.grows_private() {
            (&self.key.leaky, &self.key.private)
        } else {
            (&self.key.private, &self.key.leaky)
        };
        rounded.max(least.clone()).min(most.clone())
    }

    /// Significant digits: two more than the width needs.
    fn digits(&self) -> usize {
        let inverse: Integer = Rational::from(self.width.recip_ref()).ceil_ref().into();
        inverse.to_string().len().saturating_add(2).min(60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(
        name: &str,
        is_whole: bool,
        turn: (u64, u64),
        estimate: Option<(u64, u64)>,
    ) -> Bracket {
        let key = Key::new(name, is_whole).unwrap();
        let (turn, grows) = (Rational::from(turn), key.grows_private());
        let mut checks = 0;
        let mut check = |value: &Rational| -> Result<Certainty, ()> {
            checks += 1;
            Ok(if (*value >= turn) == grows || *value == turn {
                Certainty::Meets
            } else {
                Certainty::Misses
            })
        };
        let estimate = estimate.map(Rational::from);
        let width = Rational::from((1, 10_000));
        let bracket = search(&key, estimate.as_ref(), &width, &mut check).unwrap();
        assert!(checks < 70, "{checks}");
        bracket
    }

    #[test]
    fn brackets_are_narrow_and_on_their_sides() {
        for (name, turn) in [
            ("sigma", (7, 3)),
            ("sample-rate", (1, 300)),
            ("sigma", (1, 90)),
        ] {
            for estimate in [
                None,
                Some(turn),
                Some((turn.0 * 11, turn.1 * 10)),
                Some((1, 7)),
            ] {
                let Bracket { meets, misses } = found(name, false, turn, estimate);
                let (meets, misses) = (meets.unwrap(), misses.unwrap());
                assert_eq!(meets > misses, name == "sigma");
                let apart = Rational::from(&meets - &misses).abs() / &meets;
                assert!(
                    apart <= Rational::from((1, 10_000)),
                    "{name} {turn:?} {estimate:?} {apart}"
                );
            }
        }
    }

    #[test]
    fn whole_numbers_are_neighbours() {
        let Bracket { meets, misses } = found("steps", true, (1234, 1), Some((1200, 1)));
        assert_eq!(
            (meets, misses),
            (Some(Rational::from(1234)), Some(Rational::from(1235)))
        );
    }

    #[test]
    fn nothing_is_certain_without_certainty() {
        let key = Key::new("sigma", false).unwrap();
        let one = Rational::from(1);
        let mut check = |_: &Rational| -> Result<Certainty, ()> { Ok(Certainty::Unknown) };
        let bracket = search(&key, Some(&one), &Rational::from((1, 100)), &mut check).unwrap();
        assert_eq!(
            bracket,
            Bracket {
                meets: None,
                misses: None
            }
        );
    }
}
