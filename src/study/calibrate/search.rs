//! From an estimate to a value that is certified to meet the target, beside one that is certified to miss it.

use rug::{Integer, Rational};

use super::key::{Key, Last};
use crate::bounds::Target;
use crate::number::{decimal_down, decimal_up, parse_rational};

/// What is certain about one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certainty {
    /// It meets the target.
    Meets,
    /// It misses it.
    Misses,
    /// Neither is known.
    Unknown(Doubt),
    /// The time of the whole search is over: it was not looked at.
    NotAsked,
}

/// Why it is not known whether a value meets the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// The time for this value ended first.
    OutOfTime,
    /// The mechanism cannot be treated there, for this reason.
    Unsupported(String),
    /// The bounds do not decide it, and more time does not help.
    Open,
}

/// A bracket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bracket {
    /// Certified to meet the target; `None` if no value is.
    pub meets: Option<Rational>,
    /// Certified to miss it; `None` if no value is.
    pub misses: Option<Rational>,
    /// Values of which neither is known, and why.
    pub doubts: Vec<(Rational, Doubt)>,
}

/// A value that meets the target and a more private one that misses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotMonotone {
    /// Certified to meet the target.
    pub meets: Rational,
    /// Certified to miss it, though more private.
    pub misses: Rational,
}

/// Where to begin.
#[derive(Debug, Clone)]
pub struct Estimate {
    /// About the turning point.
    pub value: Rational,
    /// How far off it may be expected to be, relatively.
    pub error: Rational,
}

/// Why a search ended without a bracket.
pub enum Broken<E> {
    /// The check failed.
    Check(E),
    /// Privacy does not go the way it is expected to.
    NotMonotone(NotMonotone),
}

/// Checks for the first digits, and for every further bit.
const FEWEST_CHECKS: u32 = 80;
const CHECKS_PER_BIT: u32 = 2;

/// Significant digits that a value is never given beyond: mechanism files refuse numbers of more than a thousand.
const MOST_DIGITS: usize = 900;

/// Narrows a bracket around the estimate, or around a usual value, until it is as narrow as asked for.
///
/// Every value is tried as it is printed: a decimal with enough digits, or a whole number. Where a value on the private
/// side takes too long, the end of the range comes next, which is the easiest of all, and from there the search comes back.
pub fn search<E>(
    key: &Key,
    estimate: Option<&Estimate>,
    width: &Target,
    check: &mut dyn FnMut(&Rational) -> Result<Certainty, E>,
) -> Result<Bracket, Broken<E>> {
    let start = estimate.map_or(&key.start, |estimate| &estimate.value);
    let relative = relative(width, start);
    let bits = Integer::from(Rational::from(relative.recip_ref()).ceil_ref()).significant_bits();
    let mut state = State {
        key,
        width,
        last: &key.leaky,
        meets: None,
        misses: None,
        doubts: Vec::new(),
        left: bits
            .min(8_192)
            .saturating_mul(CHECKS_PER_BIT)
            .saturating_add(FEWEST_CHECKS),
    };
    // Outward on either side, in growing steps, up to the ends of the range.
    let mut step = match estimate {
        Some(estimate) => estimate.error.clone().max(relative / 3u32),
        None => Rational::from(1),
    };
    let mut sides = [(true, &key.private), (false, &key.leaky)].map(|side| (side, true, false));
    while state.left > 0 {
        for ((to_private, end), is_open, is_slow) in &mut sides {
            let is_found = if *to_private {
                state.meets.is_some()
            } else {
                state.misses.is_some()
            };
            *is_open = *is_open && !is_found;
            if *is_open {
                let value = if *is_slow {
                    (*end).clone()
                } else {
                    state.moved(start, &step, *to_private)
                };
                let was_slow = state.check(&value, check)?;
                *is_slow = *to_private && was_slow;
                *is_open = value != **end;
            }
        }
        if sides.iter().all(|(_, is_open, _)| !is_open) {
            break;
        }
        step *= 3u32;
    }
    // Where even the end of what is usual meets the target, a little farther.
    if let Last::UpTo(farthest) = &key.last
        && state.meets.as_ref() == Some(&key.leaky)
    {
        state.last = farthest;
        let mut is_met = true;
        while is_met && state.left > 0 && state.meets.as_ref() != Some(farthest) {
            let value = state.moved(start, &step, false);
            state.check(&value, check)?;
            is_met = state.meets.as_ref() == Some(&value);
            step *= 3u32;
        }
    }
    // Where the private side misses the target, does the other one meet it?
    if state.meets.is_none() && state.misses.is_some() {
        for step in [Rational::from((1, 100)), Rational::from(1)] {
            let value = state.moved(start, &step, false);
            state.check(&value, check)?;
        }
    }
    state.narrow(check)?;
    Ok(Bracket {
        meets: state.meets,
        misses: state.misses,
        doubts: state.doubts,
    })
}

/// A width relative to this value, > 0.
pub fn relative(width: &Target, value: &Rational) -> Rational {
    match width {
        Target::Relative(width) => width.clone(),
        Target::Absolute(width) if *value == 0 => width.clone(),
        Target::Absolute(width) => Rational::from(width / value).abs(),
    }
}

struct State<'a> {
    key: &'a Key,
    width: &'a Target,
    /// The least private value that is looked at.
    last: &'a Rational,
    meets: Option<Rational>,
    misses: Option<Rational>,
    doubts: Vec<(Rational, Doubt)>,
    left: u32,
}

impl State<'_> {
    /// Looks at a value; was its time too short?
    fn check<E>(
        &mut self,
        value: &Rational,
        check: &mut dyn FnMut(&Rational) -> Result<Certainty, E>,
    ) -> Result<bool, Broken<E>> {
        self.left = self.left.saturating_sub(1);
        let certainty = check(value).map_err(Broken::Check)?;
        let is_slow = certainty == Certainty::Unknown(Doubt::OutOfTime);
        match certainty {
            Certainty::Meets if self.is_better(self.meets.as_ref(), value, false) => {
                self.meets = Some(value.clone());
            }
            Certainty::Misses if self.is_better(self.misses.as_ref(), value, true) => {
                self.misses = Some(value.clone());
            }
            Certainty::Meets | Certainty::Misses => {}
            Certainty::Unknown(doubt) => self.doubts.push((value.clone(), doubt)),
            Certainty::NotAsked => {
                self.doubts.push((value.clone(), Doubt::OutOfTime));
                self.left = 0;
            }
        }
        match (&self.meets, &self.misses) {
            (Some(meets), Some(misses)) if (misses > meets) == self.key.grows_private() => {
                Err(Broken::NotMonotone(NotMonotone {
                    meets: meets.clone(),
                    misses: misses.clone(),
                }))
            }
            _ => Ok(is_slow),
        }
    }

    /// Halves what is between the two ends, and where a value is not decided, what is between that value and either end: where only bounds
    /// of a mechanism are known, no value between the turning points of the two is.
    fn narrow<E>(
        &mut self,
        check: &mut dyn FnMut(&Rational) -> Result<Certainty, E>,
    ) -> Result<(), Broken<E>> {
        for is_private_side in [true, false] {
            while self.left > 0 {
                let (meets, misses) = if is_private_side {
                    (self.meets.clone(), self.nearest_open(true))
                } else {
                    (self.nearest_open(false), self.misses.clone())
                };
                let middle = meets.zip(misses);
                let Some(middle) = middle.and_then(|(meets, misses)| self.middle(&meets, &misses))
                else {
                    break;
                };
                self.check(&middle, check)?;
            }
        }
        Ok(())
    }

    /// Of the values that were not decided, and the other end, the one nearest to the end that meets the target, or to the one that misses
    /// it.
    fn nearest_open(&self, to_meets: bool) -> Option<Rational> {
        let (near, far) = if to_meets {
            (&self.meets, &self.misses)
        } else {
            (&self.misses, &self.meets)
        };
        let near = near.as_ref()?;
        let open = self.doubts.iter().map(|(value, _)| value).filter(|value| {
            // On the private side of what meets the target nothing is open, nor on the other side of what misses it.
            let is_beyond = (*value > near) == (self.key.grows_private() != to_meets);
            is_beyond && *value != near
        });
        open.chain(far)
            .min_by_key(|value| Rational::from(*value - near).abs())
            .cloned()
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

    /// Between a value that meets the target, or may, and one that misses it, or may; `None` if these are near enough.
    fn middle(&self, meets: &Rational, misses: &Rational) -> Option<Rational> {
        let apart = Rational::from(meets - misses).abs();
        if self.key.is_whole {
            if apart <= 1 {
                return None;
            }
        } else if apart <= relative(self.width, meets) * meets {
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
                decimal_up(value, self.digits(value))
            } else {
                decimal_down(value, self.digits(value))
            };
            parse_rational(&text).unwrap_or_else(|_| value.clone())
        };
        let (least, most) = if self.key.grows_private() {
            (self.last, &self.key.private)
        } else {
            (&self.key.private, self.last)
        };
        rounded.max(least.clone()).min(most.clone())
    }

    /// Significant digits: two more than the width needs.
    fn digits(&self, value: &Rational) -> usize {
        let inverse: Integer = relative(self.width, value).recip().ceil().numer().clone();
        inverse.to_string().len().saturating_add(2).min(MOST_DIGITS)
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
