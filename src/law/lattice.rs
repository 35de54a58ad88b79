//! Where the atoms of a law sit: offset + index · step.

use std::collections::BTreeMap;

use rug::{Integer, Rational};

use super::logarithms;
use crate::kernel::Interval;

/// A real number known exactly: rational + Σ n_j · log r_j with rational r_j > 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Offset {
    rational: Rational,
    logarithms: BTreeMap<Rational, Integer>,
}

impl Offset {
    /// The rational number `x`.
    pub fn rational(x: Rational) -> Self {
        Self {
            rational: x,
            logarithms: BTreeMap::new(),
        }
    }

    /// log r. Requires: r > 0.
    pub fn logarithm(r: Rational) -> Self {
        let mut logarithms = BTreeMap::new();
        if r != 1 {
            logarithms.insert(r, Integer::from(1));
        }
        Self {
            rational: Rational::new(),
            logarithms,
        }
    }

    /// Is it rational, and which?
    pub fn as_rational(&self) -> Option<&Rational> {
        self.logarithms.is_empty().then_some(&self.rational)
    }

    /// The sum of two offsets: what composition does to them.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.rational += &other.rational;
        for (r, n) in &other.logarithms {
            *sum.logarithms.entry(r.clone()).or_default() += n;
        }
        sum.logarithms.retain(|_, n| *n != 0);
        sum
    }

    /// The negative.
    #[must_use]
    pub fn negated(&self) -> Self {
        Self {
            rational: Rational::from(-&self.rational),
            logarithms: self
                .logarithms
                .iter()
                .map(|(r, n)| (r.clone(), Integer::from(-n)))
                .collect(),
        }
    }

    /// Encloses the offset in `bits` bits.
    pub fn enclose(&self, bits: u32) -> Interval {
        let start = Interval::from_rational(&self.rational, bits);
        self.logarithms.iter().fold(start, |sum, (r, n)| {
            let log = logarithms::log(r, bits);
            sum.add(&log.mul(&Interval::from_integer(n, bits)))
        })
    }
}

/// The lattice offset + index · step, step = base step · 2^level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    offset: Offset,
    step: Rational,
}

impl Lattice {
    /// Requires: `step > 0`.
    pub fn new(offset: Offset, step: Rational) -> Self {
        Self { offset, step }
    }

    /// The distance between neighbouring points, > 0.
    pub fn step(&self) -> &Rational {
        &self.step
    }

    /// The point of index 0.
    pub fn offset(&self) -> &Offset {
        &self.offset
    }

    /// The points as intervals of `bits` bits.
    pub fn positions(&self, bits: u32) -> Positions<'_> {
        Positions {
            offset: self.offset.enclose(bits),
            lattice: self,
            bits,
        }
    }

    /// The point with this index, where it is rational.
    pub fn exact_position(&self, index: i64) -> Option<Rational> {
        let shift = Rational::from(&self.step * index);
        self.offset.as_rational().map(|offset| shift + offset)
    }

    /// The lattice with every second point: the same offset, twice the step.
    #[must_use]
    pub fn coarser(&self) -> Self {
        Self {
            offset: self.offset.clone(),
            step: Rational::from(&self.step * 2u32),
        }
    }

    /// The lattice of sums of a point here and a point there, if the steps agree.
    pub fn sum(&self, other: &Self) -> Option<Self> {
        (self.step == other.step).then(|| Self {
            offset: self.offset.plus(&other.offset),
            step: self.step.clone(),
        })
    }

    /// The step of shell s: 2^s steps.
    pub(super) fn step_of(&self, s: usize) -> Rational {
        Rational::from(&self.step << u32::try_from(s).unwrap_or(u32::MAX))
    }
}

/// The points of a lattice as intervals.
#[derive(Debug, Clone)]
pub struct Positions<'a> {
    offset: Interval,
    lattice: &'a Lattice,
    bits: u32,
}

impl Positions<'_> {
    /// Encloses the point with this index.
    pub fn at(&self, index: i64) -> Interval {
        match self.lattice.exact_position(index) {
            Some(exact) => Interval::from_rational(&exact, self.bits),
            None => {
                let shift = Rational::from(&self.lattice.step * index);
                self.offset.add(&Interval::from_rational(&shift, self.bits))
            }
        }
    }

    /// Enclosure of the point of index 0.
    pub fn offset(&self) -> &Interval {
        &self.offset
    }
}

/// No mass is so large: 2^this units and more are not written out, which may take gigabytes.
const LARGEST: u32 = 1 << 14;

/// ⌈x · 2^bits⌉ for x below 2^`LARGEST` units; far above every mass, 2^`LARGEST`, for a larger x and one that is not finite.
pub fn ceil_scaled(x: &rug::Float, bits: u32) -> Integer {
    scaled(x, bits, rug::float::Round::Up).unwrap_or_else(|| Integer::from(1) << LARGEST)
}

/// ⌊x · 2^bits⌋ for x nearer to 0 than 2^`LARGEST` units; 0 for an x that is not, or not finite.
pub fn floor_scaled(x: &rug::Float, bits: u32) -> Integer {
    scaled(x, bits, rug::float::Round::Down).unwrap_or_default()
}

fn scaled(x: &rug::Float, bits: u32, round: rug::float::Round) -> Option<Integer> {
    let shifted = rug::Float::with_val(x.prec(), x << bits);
    let largest = i32::try_from(LARGEST).unwrap_or(i32::MAX);
    if shifted.get_exp().is_some_and(|exponent| exponent > largest) {
        return None;
    }
    shifted.to_integer_round(round).map(|(n, _)| n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_add_exactly() {
        let third = Offset::logarithm(Rational::from((1, 3)));
        let sum = third
            .plus(&third)
            .plus(&Offset::rational(Rational::from((1, 2))));
        assert!(sum.as_rational().is_none());
        let expected = Interval::from_rational(&Rational::from((1, 9)), 200)
            .ln()
            .add(&Interval::from_rational(&Rational::from((1, 2)), 200));
        let got = sum.enclose(200);
        assert!(got.intersect(&expected).is_ok() && got.width_up() < 1e-50);
        assert_eq!(
            Offset::logarithm(Rational::from(1)).as_rational(),
            Some(&Rational::new())
        );
    }

    #[test]
    fn sums_of_lattices_have_both_offsets() {
        let at = |offset: (u32, u32), step: (u32, u32)| {
            Lattice::new(
                Offset::rational(Rational::from(offset)),
                Rational::from(step),
            )
        };
        let sum = at((1, 8), (1, 4)).sum(&at((1, 3), (1, 4))).unwrap();
        assert_eq!(sum.exact_position(2), Some(Rational::from((23, 24))));
        assert!(at((1, 8), (1, 4)).sum(&at((1, 8), (1, 2))).is_none());
    }

    #[test]
    fn scaling_rounds_in_the_direction_named() {
        let third = Interval::from_rational(&Rational::from((1, 3)), 200);
        assert_eq!(ceil_scaled(third.hi(), 2), 2);
        assert_eq!(floor_scaled(third.lo(), 2), 1);
    }

    /// What is far above every mass, or as far below 0, is not written out: its digits would fill the memory.
    #[test]
    fn numbers_beyond_all_masses_stay_short() {
        let far = rug::Float::with_val(64, rug::Float::i_exp(1, 1 << 29));
        assert_eq!(ceil_scaled(&far, 200), Integer::from(1) << LARGEST);
        assert_eq!(floor_scaled(&far, 200), 0);
        assert_eq!(floor_scaled(&-far, 200), 0);
        // The last that is written out, and the first that is not.
        let edge = rug::Float::with_val(64, 1) << (LARGEST - 1);
        assert_eq!(floor_scaled(&edge, 0), Integer::from(1) << (LARGEST - 1));
        assert_eq!(ceil_scaled(&edge, 0), Integer::from(1) << (LARGEST - 1));
        assert_eq!(floor_scaled(&edge, 1), 0);
        assert_eq!(ceil_scaled(&edge, 1), Integer::from(1) << LARGEST);
    }

    #[test]
    fn logarithms_that_cancel_are_gone() {
        let third = Offset::logarithm(Rational::from((1, 3)));
        let sum = third
            .plus(&Offset::rational(Rational::from(2)))
            .plus(&third.negated());
        assert_eq!(sum.as_rational(), Some(&Rational::from(2)));
        assert_eq!(sum, Offset::rational(Rational::from(2)));
    }
}
