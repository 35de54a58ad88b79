//! The numbers of a finite law at one precision, and the hinge sums over them.

use crate::kernel::{Interval, ProfilePoint, is_late};

/// Positions and masses of the finite atoms, in increasing order of the loss, at one precision.
#[derive(Debug, Clone)]
pub struct Numbers {
    /// Enclosures of the losses y_i.
    pub positions: Vec<Interval>,
    /// Q(L = y_i).
    pub with: Vec<Interval>,
    /// P(L = y_i).
    pub without: Vec<Interval>,
    /// e^{−(y_{i+1} − y_i)} and 1 minus it, both with small relative width.
    pub(crate) gaps: Vec<(Interval, Interval)>,
    /// Q(L = ∞).
    pub infinite: Interval,
    /// P(L = −∞), the mass that P has where Q has none.
    pub null_only: Interval,
}

/// Hinge sums of one law, each a sum of positive terms only.
#[derive(Debug)]
pub(crate) struct HingeTable {
    /// Enclosures of the losses.
    pub(crate) positions: Vec<Interval>,
    /// δ(e^{y_i}).
    hinges: Vec<Interval>,
    /// Q(L ≥ y_i).
    upper: Vec<Interval>,
    /// P(L ≥ y_i).
    null: Vec<Interval>,
    infinite: Interval,
}

impl Numbers {
    /// Or are there masses that were not made for want of time, of which only is known that they are at least 0?
    pub(crate) fn is_of_all(&self) -> bool {
        let is_known = |x: &Interval| *x.lo() > 0 || *x.hi() == 0;
        let mut all = self.with.iter().chain(&self.without);
        let beyond = [&self.infinite, &self.null_only];
        !is_late() || all.all(is_known) && beyond.into_iter().all(is_known)
    }

    /// The same for the swapped pair.
    pub fn mirrored(&self) -> Self {
        Self {
            positions: self.positions.iter().rev().map(Interval::neg).collect(),
            with: self.without.iter().rev().cloned().collect(),
            without: self.with.iter().rev().cloned().collect(),
            gaps: self.gaps.iter().rev().cloned().collect(),
            infinite: self.null_only.clone(),
            null_only: self.infinite.clone(),
        }
    }
}

impl HingeTable {
    /// With h = y_{i+1} − y_i: δ(y_i) = e^{−h}·δ(y_{i+1}) + (1 − e^{−h})·Q(L ≥ y_{i+1}).
    pub(crate) fn new(numbers: &Numbers) -> Self {
        let bits = numbers.infinite.bits();
        let mut hinges = Vec::with_capacity(numbers.with.len());
        let mut upper = Vec::with_capacity(numbers.with.len());
        let mut null = Vec::with_capacity(numbers.with.len());
        let mut hinge = numbers.infinite.clone();
        let mut above = numbers.infinite.clone();
        let mut null_above = Interval::zero(bits);
        // The gap that leads down from each atom to the next lower one, none for the lowest.
        let below = numbers.gaps.iter().map(Some).rev().chain([None]);
        let masses = numbers.with.iter().zip(&numbers.without).rev();
        for ((q, p), gap) in masses.zip(below) {
            above = above.add(q);
            null_above = null_above.add(p);
            hinges.push(hinge.clone());
            upper.push(above.clone());
            null.push(null_above.clone());
            if let Some((decay, rise)) = gap {
                hinge = decay.mul(&hinge).add(&rise.mul(&above));
            }
        }
        for column in [&mut hinges, &mut upper, &mut null] {
            column.reverse();
        }
        Self {
            positions: numbers.positions.clone(),
            hinges,
            upper,
            null,
            infinite: numbers.infinite.clone(),
        }
    }

    /// P(L ≥ y_i) and Q(L ≥ y_i).
    pub(crate) fn tails(&self) -> impl Iterator<Item = (&Interval, &Interval)> {
        self.null.iter().zip(&self.upper)
    }

    /// The knot at an ε of which is known: atoms below `first_open` have loss ≤ ε, atoms from `first_above` on have
    /// loss > ε, and `rise(i)` encloses 1 − e^{ε − y_i} for any i.
    ///
    /// Between y_{i−1} and y_i the profile is e^{ε−y_i}·δ(y_i) + (1 − e^{ε−y_i})·Q(L ≥ y_i). Dropping the atoms between
    /// `first_open` and `first_above` lowers it, and raising ε to at most the first of them bounds it from above.
    pub(crate) fn knot(
        &self,
        first_open: usize,
        first_above: usize,
        rise: impl Fn(usize) -> Interval,
    ) -> ProfilePoint {
        let zero = Interval::zero(self.infinite.bits());
        let high = self.segment(first_open, &rise);
        let low = if first_above == first_open {
            high.clone()
        } else {
            self.segment(first_above, &rise)
        };
        let tail = |index: usize| self.null.get(index).unwrap_or(&zero);
        ProfilePoint {
            // The profile and the tail fall, so that each lies between the lower end of the one and the upper end of the other
            // enclosure, and hence in the hull of both, whose ends cannot cross.
            delta: low.hull(&high).in_unit(),
            null_tail: tail(first_above).hull(tail(first_open)).in_unit(),
        }
    }

    fn segment(&self, index: usize, rise: &impl Fn(usize) -> Interval) -> Interval {
        let (Some(hinge), Some(upper)) = (self.hinges.get(index), self.upper.get(index)) else {
            return self.infinite.clone();
        };
        // Increasing in the rise, as δ(y_i) ≤ Q(L ≥ y_i): each end is evaluated on its own.
        let rise = rise(index).in_unit();
        let at = |end: &rug::Float| {
            let end = Interval::point(end.clone());
            end.one_minus().mul(hinge).add(&end.mul(upper))
        };
        let (low, high) = (at(rise.lo()), at(rise.hi()));
        low.hull(&high)
    }
}
