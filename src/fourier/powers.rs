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
    /// The same with more digits, of exponents up to the largest.
    finer: BTreeMap<i64, Finer>,
}

/// A power in units of so many digits.
#[derive(Clone)]
struct Finer {
    /// e^{−n·step/2}.
    fall_down: Integer,
    fall_up: Integer,
    /// e^{n·step/2}.
    rise_up: Integer,
}

impl Finer {
    /// As the square of a power, or that and once more, down to the first: each product rounded to its side.
    ///
    /// Requires: 0 < `halves`, and the exponent is up to the largest; those known are in the same digits.
    fn of(step: &Rational, digits: u32, known: &mut BTreeMap<i64, Self>, halves: i64) -> Self {
        if let Some(power) = known.get(&halves) {
            return power.clone();
        }
        let power = if halves <= 1 {
            Self::alone(step, digits, halves)
        } else {
            let half = Self::of(step, digits, known, halves / 2);
            let square = half.times(&half, digits);
            if halves % 2 == 0 {
                square
            } else {
                square.times(&Self::of(step, digits, known, 1), digits)
            }
        };
        known.insert(halves, power.clone());
        power
    }

    fn times(&self, other: &Self, digits: u32) -> Self {
        Self {
            fall_down: Integer::from(&self.fall_down * &other.fall_down) >> digits,
            fall_up: shifted_up(Integer::from(&self.fall_up * &other.fall_up), digits),
            rise_up: shifted_up(Integer::from(&self.rise_up * &other.rise_up), digits),
        }
    }

    fn alone(step: &Rational, digits: u32, halves: i64) -> Self {
        let bits = digits.saturating_add(32);
        let exponent = Interval::from_rational(&(Rational::from(step * halves) / 2u32), bits);
        let largest = Interval::from_i64(LARGEST_EXPONENT.into(), bits);
        let scaled = |x: &Float, round| {
            let x = Float::with_val(x.prec(), x << digits);
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
        Self {
            fall_down: scaled(fall.lo(), rug::float::Round::Down),
            fall_up: scaled(fall.hi(), rug::float::Round::Up),
            rise_up: scaled(rise.hi(), rug::float::Round::Up),
        }
    }

    /// In [`GUARD_DIGITS`] fewer digits.
    fn coarser(self) -> Self {
        Self {
            fall_down: self.fall_down >> GUARD_DIGITS,
            fall_up: shifted_up(self.fall_up, GUARD_DIGITS),
            rise_up: shifted_up(self.rise_up, GUARD_DIGITS),
        }
    }
}

/// A product of n powers is off by less than 4n units of so many digits more.
const GUARD_DIGITS: u32 = 64;

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
            finer: BTreeMap::new(),
        }
    }

    pub(super) fn get(&mut self, halves: i64) -> &Power {
        let Self {
            step,
            digits,
            known,
            finer,
        } = self;
        known.entry(halves).or_insert_with(|| {
            let is_near = Rational::from(&*step * halves) / 2u32 <= LARGEST_EXPONENT;
            let power = if halves > 0 && is_near {
                let digits = digits.saturating_add(GUARD_DIGITS);
                Finer::of(step, digits, finer, halves).coarser()
            } else {
                Finer::alone(step, *digits, halves)
            };
            Power {
                drop_up: (Integer::from(1) << *digits) - &power.fall_down,
                fall_down: power.fall_down,
                fall_up: power.fall_up,
                rise_up: power.rise_up,
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

    /// However they are made: of one another, each next to one that is known, far out, and at 0 and below.
    #[test]
    fn powers_of_any_exponent_are_rounded_to_their_side() {
        let mut random = Random(3);
        for round in 0..200u64 {
            let digits = u32::try_from(random.below(40)).unwrap();
            let step = Rational::from((1 + random.below(40), 1u64 << digits));
            let mut powers = Powers::new(&step, 20);
            let shift = powers.digits;
            for _ in 0..6 {
                let n = match round % 4 {
                    0 => i64::try_from(random.below(8)).unwrap() - 2,
                    1 => i64::try_from(1 + random.below(1 << 20)).unwrap(),
                    _ => i64::try_from(1 + random.below(200)).unwrap(),
                };
                let exponent = Float::with_val(800, &(step.clone() * n)) / 2u32;
                if exponent.clone().abs() > 2 * LARGEST_EXPONENT {
                    continue;
                }
                let few = if random.once_in(3) { 8 } else { 800 };
                let power = at_most_bits(few, || {
                    let power = powers.get(n);
                    [
                        &power.fall_down,
                        &power.fall_up,
                        &power.rise_up,
                        &power.drop_up,
                    ]
                    .map(Integer::clone)
                });
                let [fall_down, fall_up, rise_up, drop_up] = power;
                let fall = Float::with_val(800, -&exponent).exp();
                let drop = (1u32 - fall.clone()) << shift;
                let fall = fall << shift;
                assert!(fall_down <= fall && fall_up >= fall, "{step} {n} {few}");
                assert!(drop_up >= drop, "{step} {n} {few}");
                let rise = exponent.clone().exp() << shift;
                assert!(
                    exponent > LARGEST_EXPONENT || rise_up >= rise,
                    "{step} {n} {few}"
                );
            }
        }
    }

    /// Of all digits, many times over: what rounding of products adds up to is below a unit.
    #[test]
    fn chains_of_powers_lose_no_unit() {
        for n in [3, 7, 255, 1023, 65_535] {
            let step = Rational::from((1, 1 << 16));
            let mut powers = Powers::new(&step, 20);
            let shift = powers.digits;
            let power = powers.get(n);
            let exponent = Float::with_val(800, &(step * n)) / 2u32;
            let fall = Float::with_val(800, -&exponent).exp() << shift;
            let rise = exponent.exp() << shift;
            assert!(power.fall_down > fall.clone() - 2u32 && power.fall_up < fall + 2u32);
            assert!(power.rise_up < rise + 2u32, "{n}");
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
