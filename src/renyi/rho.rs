//! ρ* = sup over t > 1 of D_t/t: the least ρ of zero-concentrated differential privacy (Bun and Steinke 2016).

use rug::{Float, Integer, Rational};

use super::Parts;
use crate::kernel::{Budget, Failure, Interval, InvariantViolation, Pick};
use crate::mechanism::Direction;

/// ρ* in both directions, where it is a rational number that a theorem gives: Σ times·μ²/2 for Gaussian and discrete Gaussian noise,
/// Poisson-subsampled or not, at any rate, and the largest of the parts of a mixture (`proofs/README.md`, Rényi and R13).
pub fn exact_rho(parts: &Parts) -> Option<Rational> {
    let ends = parts.rho_ends()?;
    (ends.limit == ends.most).then_some(ends.most)
}

/// Where D_t/t comes as high as its lower bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// At this order; 1 is the limit t → 1.
    Order(Rational),
    /// In the limit t → ∞.
    Infinity,
}

/// A branch and bound over t.
///
/// On a cell [a, b] of orders, with ψ(t) = (t − 1)·D_t convex and ψ(1) = 0 (van Erven and Harremoës 2014, Corollary 2), ψ lies below its
/// chord A(t − 1) − Bt, where A ≥ B ≥ 0, so D_t/t ≤ A/t − B/(t − 1), which is largest at t = √A/(√A − √B). From 1 to b, D_t/t ≤ D_b; from a
/// on, D_t/t ≤ slope + constant⁺/a by `growth`.
pub struct RhoSearch<'a> {
    parts: &'a Parts,
    bits: u32,
    cells: Vec<Cell>,
    least: Float,
    place: Place,
}

/// D_t at an order.
#[derive(Clone)]
struct ProfilePoint {
    order: Rational,
    divergence: Interval,
}

/// Orders between two knots, or from one on.
struct Cell {
    direction: Direction,
    from: ProfilePoint,
    to: Option<ProfilePoint>,
    most: Float,
}

/// Precision of divergences beyond that of the bound wanted.
const GUARD_BITS: u32 = 48;

/// Cells from 1 to b are divided at 1 + (b − 1)/2^this.
const SHRINK_BITS: u32 = 4;

impl<'a> RhoSearch<'a> {
    /// Starts with t = 1 and t = 2, in the given directions.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn new(
        parts: &'a Parts,
        directions: &[Direction],
        bits: u32,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let bits = bits.saturating_add(GUARD_BITS);
        let mut search = Self {
            parts,
            bits,
            cells: Vec::new(),
            least: Float::new(bits),
            place: Place::Order(Rational::from(1)),
        };
        for direction in directions {
            let growth = parts.growth(*direction, &Rational::from(1), bits);
            let limit = growth.map(|growth| growth.limit);
            if let Some(limit) = limit {
                let low = Interval::from_rational(&limit, bits).lo().clone();
                search.raise(&low, Place::Infinity);
            }
            let one = search.knot(Rational::from(1), *direction, budget)?;
            let two = search.knot(Rational::from(2), *direction, budget)?;
            search.push(*direction, one, Some(two.clone()))?;
            search.push(*direction, two, None)?;
        }
        Ok(search)
    }

    /// What is known of ρ*.
    ///
    /// # Errors
    /// If the bounds cross: an internal error.
    pub fn enclosure(&self) -> Result<Interval, InvariantViolation> {
        let top = self.cells.iter().map(|cell| &cell.most);
        let most = top.fold(self.least.clone(), |most, x| most.larger(x));
        Interval::new(self.least.clone(), most)
    }

    /// Where the lower bound is attained.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Divides the cell with the highest bound; `false` if there is none above the lower bound.
    ///
    /// # Errors
    /// If the budget ends.
    pub fn refine(&mut self, budget: &Budget) -> Result<bool, Failure> {
        budget.check()?;
        let highest = self
            .cells
            .iter()
            .enumerate()
            .max_by(|(_, a), (_, b)| a.most.total_cmp(&b.most));
        let Some((index, cell)) = highest else {
            return Ok(false);
        };
        if cell.most <= self.least {
            return Ok(false);
        }
        let (direction, from, to) = (cell.direction, cell.from.clone(), cell.to.clone());
        let middle = division(&from.order, to.as_ref().map(|knot| &knot.order));
        let middle = self.knot(middle, direction, budget)?;
        self.cells.swap_remove(index);
        self.push(direction, from, Some(middle.clone()))?;
        self.push(direction, middle, to)?;
        let least = &self.least;
        self.cells.retain(|cell| cell.most > *least);
        Ok(true)
    }

    fn knot(
        &mut self,
        order: Rational,
        direction: Direction,
        budget: &Budget,
    ) -> Result<ProfilePoint, Failure> {
        // Near 1 the sums lose as many bits as t − 1 has leading zeros.
        let excess = Rational::from(&order - 1);
        let lost = excess
            .denom()
            .significant_bits()
            .saturating_sub(excess.numer().significant_bits());
        let bits = self.bits.saturating_add(lost);
        let divergence = self.parts.divergence(&order, direction, bits, budget)?;
        let divergence = divergence.at_bits(self.bits);
        let low = divergence.div(&Interval::from_rational(&order, self.bits));
        let low = low.at_least_zero().lo().clone();
        self.raise(&low, Place::Order(order.clone()));
        Ok(ProfilePoint { order, divergence })
    }

    fn raise(&mut self, low: &Float, place: Place) {
        if *low > self.least {
            self.least = low.clone();
            self.place = place;
        }
    }

    fn push(
        &mut self,
        direction: Direction,
        from: ProfilePoint,
        to: Option<ProfilePoint>,
    ) -> Result<(), Failure> {
        let most = match &to {
            Some(to) => between(&from, to, self.bits),
            None => self.beyond(direction, &from),
        };
        self.cells.push(Cell {
            direction,
            from,
            to,
            most,
        });
        Ok(())
    }

    /// slope + constant/t for t ≥ a.
    fn beyond(&self, direction: Direction, from: &ProfilePoint) -> Float {
        match self.parts.growth(direction, &from.order, self.bits) {
            None => Interval::infinity(self.bits).hi().clone(),
            Some(growth) => {
                let order = Interval::from_rational(&from.order, self.bits);
                let slope = Interval::from_rational(&growth.slope, self.bits);
                let rest = growth.constant.at_least_zero();
                slope.add(&rest.div(&order)).hi().clone()
            }
        }
    }
}

/// An upper bound of D_t/t between two orders.
fn between(from: &ProfilePoint, to: &ProfilePoint, bits: u32) -> Float {
    let exact = |x: &Rational| Interval::from_rational(x, bits);
    let (a, b) = (exact(&from.order), exact(&to.order));
    let simple = to.divergence.div(&a).hi().clone();
    if from.order == 1 || simple.is_infinite() {
        return simple;
    }
    let one = Rational::from(1);
    let (over_a, over_b) = (
        exact(&Rational::from(&from.order - &one)),
        exact(&Rational::from(&to.order - &one)),
    );
    let at_a = over_a.mul(&from.divergence);
    let at_b = over_b.mul(&to.divergence);
    let slope = at_b
        .sub(&at_a)
        .div(&exact(&Rational::from(&to.order - &from.order)))
        .at_least_zero();
    // B = −(chord at 1), A = −(chord at 0) = B + slope.
    let lower = slope.mul(&over_a).sub(&at_a).at_least_zero();
    let (root_high, root_low) = (lower.add(&slope).sqrt(), lower.sqrt());
    let gap = root_high.sub(&root_low);
    let summit = if gap.is_positive() {
        root_high.div(&gap)
    } else {
        Interval::whole_line(bits)
    };
    let chord = if summit.certainly_le(&a) {
        from.divergence.div(&a)
    } else if b.certainly_le(&summit) {
        to.divergence.div(&b)
    } else {
        gap.at_least_zero().square()
    };
    chord.hi().clone().smaller(&simple)
}

/// Where to divide: far from 1 by a factor of t − 1, otherwise in the middle.
fn division(from: &Rational, to: Option<&Rational>) -> Rational {
    let excess = Rational::from(from - 1);
    let Some(to) = to else {
        return excess * 4u32 + 1u32;
    };
    let end = Rational::from(to - 1);
    if excess == 0 {
        return end / (Integer::from(1) << SHRINK_BITS) + 1u32;
    }
    let ratio = Rational::from(&end / &excess).floor();
    let doublings = ratio.numer().significant_bits().saturating_sub(1);
    if doublings >= 2 {
        excess * (Integer::from(1) << (doublings / 2)) + 1u32
    } else {
        Rational::from(from + to) / 2u32
    }
}

#[cfg(test)]
#[path = "rho_tests.rs"]
mod tests;
