//! What corners of a polygon are computed in: whole numbers of units, as large as need be, or below 2^190 in three words.

use rug::integer::Order;
use rug::{Integer, Rational};

use super::powers::{Power, Powers};
use crate::kernel::magnitude::Magnitude;
use crate::kernel::normal_fixed::{Wide, high_product};

/// A whole number of units, of either sign.
pub(super) trait Number: Clone + Default {
    /// The same number; `None` for one that does not fit.
    fn of(x: &Integer) -> Option<Self>;

    /// The number with these limbs, least first, times 2^`bits`; `None` for one that does not fit.
    fn of_limbs(limbs: &[u64], bits: u32) -> Option<Self>;

    /// a + b; `None` where that does not fit.
    fn plus(&self, other: &Self) -> Option<Self>;

    /// a − b; `None` where that does not fit.
    fn minus(&self, other: &Self) -> Option<Self>;

    fn is_negative(&self) -> bool;

    /// The largest multiple of 2^`bits` up to it.
    ///
    /// Requires: it is not negative.
    fn whole(&self, bits: u32) -> Self;

    /// The same number.
    fn to_integer(&self) -> Integer;

    fn smaller(self, other: Self) -> Option<Self> {
        let is_less = self.minus(&other)?.is_negative();
        Some(if is_less { self } else { other })
    }
}

/// Numbers x ≥ 0 times powers of e^{step/2}, each rounded to a side; `None` for a number that is negative, and for a product that does not fit.
pub(super) trait Growth<N> {
    /// x·e^{−n·step/2}, below by less than [`LOST`] units and never above.
    fn fall_down(&mut self, halves: i64, x: &N) -> Option<N>;

    /// The same, above by less than [`LOST`] units and never below.
    fn fall_up(&mut self, halves: i64, x: &N) -> Option<N>;

    /// x·e^{n·step/2}, never below.
    fn rise_up(&mut self, halves: i64, x: &N) -> Option<N>;

    /// x/(1 − e^{−n·step/2}), never above.
    fn over_drop_down(&mut self, halves: i64, x: &N) -> Option<N>;
}

/// A falling number, below 2^190 where it is in words, is off by less than so many units: 6 of the product, and 1 by the power.
pub(super) const LOST: u32 = 7;

impl Number for Integer {
    fn of(x: &Integer) -> Option<Self> {
        Some(x.clone())
    }

    fn of_limbs(limbs: &[u64], bits: u32) -> Option<Self> {
        Some(Self::from_digits(limbs, Order::Lsf) << bits)
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        Some(Self::from(self + other))
    }

    fn minus(&self, other: &Self) -> Option<Self> {
        Some(Self::from(self - other))
    }

    fn is_negative(&self) -> bool {
        *self < 0
    }

    fn whole(&self, bits: u32) -> Self {
        Self::from(self >> bits) << bits
    }

    fn to_integer(&self) -> Integer {
        self.clone()
    }
}

impl Growth<Integer> for Powers {
    fn fall_down(&mut self, halves: i64, x: &Integer) -> Option<Integer> {
        Some(Self::fall_down(self, halves, x))
    }

    fn fall_up(&mut self, halves: i64, x: &Integer) -> Option<Integer> {
        Some(Self::fall_up(self, halves, x))
    }

    fn rise_up(&mut self, halves: i64, x: &Integer) -> Option<Integer> {
        Self::rise_up(self, halves, x)
    }

    fn over_drop_down(&mut self, halves: i64, x: &Integer) -> Option<Integer> {
        Some(Self::over_drop_down(self, halves, x))
    }
}

/// A number of units in (−2^190, 2^190), in two's complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Words(Wide);

/// Bits of the size of a number.
const SIZE: u32 = 190;

impl Default for Words {
    fn default() -> Self {
        Self(Wide::ZERO)
    }
}

impl Words {
    /// Requires: the number is that of the words, between −2^191 and 2^191.
    fn checked(words: Wide) -> Option<Self> {
        // The two highest bits of a number in [−2^190, 2^190) are the same; −2^190 itself is left out with what has no counterpart.
        let size = if words.is_negative() {
            words.negated()
        } else {
            words
        };
        (size.significant_bits() <= SIZE && !size.is_negative()).then_some(Self(words))
    }

    /// The number without a sign; `None` for one that has it.
    fn size(self) -> Option<Wide> {
        let Self(words) = self;
        (!words.is_negative()).then_some(words)
    }
}

impl Number for Words {
    fn of(x: &Integer) -> Option<Self> {
        let size = Integer::from(x.abs_ref());
        if size.significant_bits() > SIZE {
            return None;
        }
        let mut limbs = [0u64; 3];
        size.write_digits(&mut limbs, Order::Lsf);
        Some(Self(if *x < 0 {
            Wide(limbs).negated()
        } else {
            Wide(limbs)
        }))
    }

    fn of_limbs(limbs: &[u64], bits: u32) -> Option<Self> {
        let [low, rest @ ..] = limbs else {
            return Some(Self::default());
        };
        let [middle, rest @ ..] = rest else {
            return Self::shifted(Wide([*low, 0, 0]), bits);
        };
        let [high, rest @ ..] = rest else {
            return Self::shifted(Wide([*low, *middle, 0]), bits);
        };
        if rest.iter().any(|limb| *limb != 0) {
            return None;
        }
        Self::shifted(Wide([*low, *middle, *high]), bits)
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        let (Self(a), Self(b)) = (self, other);
        Self::checked(a.wrapping_add(*b))
    }

    fn minus(&self, other: &Self) -> Option<Self> {
        let (Self(a), Self(b)) = (self, other);
        Self::checked(a.wrapping_sub(*b))
    }

    fn is_negative(&self) -> bool {
        let Self(words) = self;
        words.is_negative()
    }

    fn whole(&self, bits: u32) -> Self {
        let Self(words) = self;
        Self(words.shifted_right(bits).shifted_left(bits))
    }

    fn to_integer(&self) -> Integer {
        let Self(words) = self;
        let of = |Wide(limbs): Wide| Integer::from_digits(&limbs, Order::Lsf);
        if words.is_negative() {
            -of(words.negated())
        } else {
            of(*words)
        }
    }
}

impl Words {
    /// An unsigned number times 2^`bits`.
    fn shifted(words: Wide, bits: u32) -> Option<Self> {
        let Wide([.., top]) = words;
        let has_room = top.leading_zeros() > 0;
        let width = words.significant_bits().checked_add(bits)?;
        (has_room && width <= SIZE).then(|| Self(words.shifted_left(bits)))
    }
}

/// Powers of e^{step/2} in three words.
pub(super) struct WordPowers {
    /// What they are made from, in units of 2^−192.
    exact: Powers,
    /// By increasing exponent; `None` for what does not fit.
    known: Vec<(i64, Option<WordPower>)>,
    /// Where among those one may be, by the last digits of its number.
    places: [usize; PLACES],
}

const PLACES: usize = 64;

struct WordPower {
    /// e^{−n·step/2} in units of 2^−192.
    fall_down: [u64; 3],
    fall_up: [u64; 3],
    /// Below an upper bound of e^{n·step/2}, by less than 2^−191 of it.
    rise: Magnitude,
    /// At most 1/(1 − e^{−n·step/2}).
    over_drop_down: Magnitude,
}

/// Bits of words that are fractions.
const FRACTION: u32 = 192;

impl WordPowers {
    pub(super) fn new(step: &Rational) -> Self {
        Self {
            exact: Powers::with_digits(step, FRACTION),
            known: Vec::new(),
            places: [0; PLACES],
        }
    }

    fn get(&mut self, halves: i64) -> Option<&WordPower> {
        let number = usize::try_from(halves.rem_euclid(64)).ok()?;
        let seen = self.places.get_mut(number)?;
        if self.known.get(*seen).is_none_or(|(n, _)| *n != halves) {
            let place = self.known.binary_search_by_key(&halves, |(n, _)| *n);
            *seen = place.unwrap_or_else(|place| {
                let power = WordPower::of(self.exact.get(halves));
                self.known.insert(place, (halves, power));
                place
            });
        }
        self.known.get(*seen)?.1.as_ref()
    }
}

impl WordPower {
    /// Requires: the power is in units of 2^−192.
    fn of(power: &Power) -> Option<Self> {
        let words = |x: &Integer| {
            let mut limbs = [0u64; 3];
            if *x < 0 || x.significant_bits() > FRACTION {
                return None;
            }
            x.write_digits(&mut limbs, Order::Lsf);
            Some(limbs)
        };
        if power.drop_up <= 0 {
            return None;
        }
        let units = FRACTION.cast_signed();
        let over_drop = (Integer::from(1) << (2 * FRACTION)) / &power.drop_up;
        Some(Self {
            fall_down: words(&power.fall_down)?,
            fall_up: words(&power.fall_up)?,
            rise: Magnitude::of_integer(&power.rise_up)?.shifted(units.checked_neg()?),
            over_drop_down: Magnitude::of_integer(&over_drop)?.shifted(units.checked_neg()?),
        })
    }
}

impl Growth<Words> for WordPowers {
    fn fall_down(&mut self, halves: i64, x: &Words) -> Option<Words> {
        let power = self.get(halves)?;
        // Not above x.
        Some(Words(Wide(high_product(x.size()?.0, power.fall_down))))
    }

    /// The product is below by less than 6.
    fn fall_up(&mut self, halves: i64, x: &Words) -> Option<Words> {
        let power = self.get(halves)?;
        let product = Wide(high_product(x.size()?.0, power.fall_up));
        Words::checked(product.wrapping_add(Wide([6, 0, 0])))
    }

    /// The product is below by less than 14, and by 2^−191 of itself for the power: by less than 1 more.
    fn rise_up(&mut self, halves: i64, x: &Words) -> Option<Words> {
        let power = self.get(halves)?;
        let product = Words::checked(power.rise.scale(x.size()?)?)?.0;
        Words::checked(product.wrapping_add(Wide([16, 0, 0])))
    }

    fn over_drop_down(&mut self, halves: i64, x: &Words) -> Option<Words> {
        let power = self.get(halves)?;
        Words::checked(power.over_drop_down.scale(x.size()?)?)
    }
}

#[cfg(test)]
#[path = "units_tests.rs"]
mod tests;
