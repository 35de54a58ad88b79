//! Powers of e^{step/2} in fixed point, rounded to either side.

use std::collections::BTreeMap;

use rug::ops::NegAssign;
use rug::{Float, Integer, Rational};

use crate::kernel::Interval;

/// Binary digits of powers beyond those of the numbers.
const MORE_DIGITS: u32 = 128;
/// e^x is computed up to this x.
const LARGEST_EXPONENT: u32 = 1 << 12;

/// Powers of e^{step/2} in fixed point, from both sides.
pub(super) struct Powers {
    step: Rational,
    digits: u32,
    known: BTreeMap<i64, Power>,
}

/// One power and its relatives, in units of as many digits as [`Powers`] has.
pub(super) struct Power {
    /// e^{−n·step/2}.
    pub(super) fall_down: Integer,
    pub(super) fall_up: Integer,
    /// e^{n·step/2}; no less than e^{[`LARGEST_EXPONENT`]} for larger ones.
    pub(super) rise_up: Integer,
    /// 1 − e^{−n·step/2}, rounded up.
    pub(super) drop_up: Integer,
}

impl Powers {
    /// For numbers of so many binary digits.
    pub(super) fn new(step: &Rational, bits: u32) -> Self {
        Self::with_digits(step, bits.saturating_add(MORE_DIGITS))
    }

    /// With so many digits of its own.
    pub(super) fn with_digits(step: &Rational, digits: u32) -> Self {
        Self {
            step: step.clone(),
            digits,
            known: BTreeMap::new(),
        }
    }

    pub(super) fn get(&mut self, halves: i64) -> &Power {
        let Self {
            step,
            digits,
            known,
        } = self;
        known.entry(halves).or_insert_with(|| {
            let bits = digits.saturating_add(32);
            let exponent = Interval::from_rational(&(Rational::from(&*step * halves) / 2u32), bits);
            let largest = Interval::from_i64(LARGEST_EXPONENT.into(), bits);
            let scaled = |x: &Float, round| {
                let x = Float::with_val(x.prec(), x << *digits);
                x.to_integer_round(round)
                    .map(|(n, _)| n)
                    .unwrap_or_default()
            };
            // Not asked for beyond the largest exponent.
            let rise = exponent.min(&largest).exp();
            let fall = if exponent.hi() <= largest.lo() {
                rise.recip()
            } else {
                exponent.neg().exp()
            };
            let fall_down = scaled(fall.lo(), rug::float::Round::Down);
            Power {
                fall_up: scaled(fall.hi(), rug::float::Round::Up),
                rise_up: scaled(rise.hi(), rug::float::Round::Up),
                drop_up: (Integer::from(1) << *digits) - &fall_down,
                fall_down,
            }
        })
    }

    /// x·e^{−n·step/2}, x ≥ 0.
    pub(super) fn fall_down(&mut self, halves: i64, x: &Integer) -> Integer {
        let digits = self.digits;
        Integer::from(x * &self.get(halves).fall_down) >> digits
    }

    /// The same, rounded up.
    pub(super) fn fall_up(&mut self, halves: i64, x: &Integer) -> Integer {
        let digits = self.digits;
        shifted_up(Integer::from(x * &self.get(halves).fall_up), digits)
    }

    /// x·e^{n·step/2}, x ≥ 0, if that is not too large.
    pub(super) fn rise_up(&mut self, halves: i64, x: &Integer) -> Option<Integer> {
        if Rational::from(&self.step * halves) > LARGEST_EXPONENT {
            return None;
        }
        let digits = self.digits;
        Some(shifted_up(
            Integer::from(x * &self.get(halves).rise_up),
            digits,
        ))
    }

    /// x/(1 − e^{−n·step/2}), x ≥ 0.
    pub(super) fn over_drop_down(&mut self, halves: i64, x: &Integer) -> Integer {
        let digits = self.digits;
        let drop = &self.get(halves).drop_up;
        if *drop == 0 {
            return Integer::new();
        }
        (Integer::from(x << digits)) / drop
    }
}

/// ⌈x/2^digits⌉.
fn shifted_up(mut x: Integer, digits: u32) -> Integer {
    x.neg_assign();
    x >>= digits;
    x.neg_assign();
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};

    /// e^{±n·step/2} in fixed point against 400 bits, as they are and from a few bits.
    #[test]
    fn powers_are_rounded_to_their_side() {
        let mut random = Random(1);
        for _ in 0..500 {
            let step = Rational::from((1 + random.below(40), 1 + random.below(40)));
            let n = i64::try_from(1 + random.below(30)).unwrap();
            let bits = u32::try_from(random.below(60)).unwrap();
            let few = if random.once_in(2) { 400 } else { 8 };
            let mut powers = Powers::new(&step, bits);
            let digits = powers.digits;
            let found = at_most_bits(few, || {
                let power = powers.get(n);
                let Power {
                    fall_down,
                    fall_up,
                    rise_up,
                    drop_up,
                } = power;
                [fall_down, fall_up, rise_up, drop_up].map(Integer::clone)
            });
            let exponent = Float::with_val(400, &(step * n)) / 2u32;
            let fall = Float::with_val(400, -&exponent).exp();
            let drop = 1 - fall.clone();
            let [fall, rise, drop] = [fall, exponent.exp(), drop].map(|x| x << digits);
            let [fall_down, fall_up, rise_up, drop_up] = found;
            assert!(fall_down <= fall && fall_up >= fall, "{n} {few}");
            assert!(rise_up >= rise && drop_up >= drop, "{n} {few}");
            if few == 400 {
                assert!(
                    fall_down >= fall.clone() - 2u32 && fall_up <= fall + 2u32,
                    "{n}"
                );
                assert!(
                    rise_up <= rise * 1.000_001f64 + 2u32 && drop_up <= drop + 2u32,
                    "{n}"
                );
            }
        }
    }

    /// Products of these with whole numbers.
    #[test]
    fn products_are_rounded_to_their_side() {
        let mut random = Random(2);
        for _ in 0..6_000 {
            let step = Rational::from((1 + random.below(40), 1 + random.below(40)));
            let n = i64::try_from(1 + random.below(9)).unwrap();
            let x = Integer::from(random.below(1 << 20));
            let mut powers = Powers::new(&step, 20);
            let exponent = Float::with_val(400, &(step * n)) / 2u32;
            let fall = Float::with_val(400, -&exponent).exp();
            let (fallen, risen) = (fall.clone() * &x, exponent.exp() * &x);
            let over = Float::with_val(400, &x) / (1 - fall);
            assert!(powers.fall_down(n, &x) <= fallen && powers.fall_up(n, &x) >= fallen);
            assert!(powers.rise_up(n, &x).unwrap() >= risen);
            assert!(powers.over_drop_down(n, &x) <= over);
        }
        // So large that a unit of the power counts.
        for n in 1..40 {
            let mut powers = Powers::new(&Rational::from((1, 7)), 20);
            let x = Integer::from(1) << (2 * powers.digits);
            let fall = (Float::with_val(900, -n) / 14u32).exp() * &x;
            assert!(powers.fall_down(n, &x) <= fall && powers.fall_up(n, &x) >= fall);
        }
        // So far down that nothing is left but what is rounded up.
        let mut powers = Powers::new(&Rational::from(40), 20);
        let one = Integer::from(1);
        assert_eq!(powers.fall_down(400, &one), 0);
        assert_eq!(powers.fall_up(400, &one), 1);
    }
}
