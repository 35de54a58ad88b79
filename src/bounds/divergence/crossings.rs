//! Where the difference of two Bayes errors changes its sign.

use rug::Float;

use super::contest::{Contest, Place};
use super::segment::{Node, Segment};
use crate::bounds::two_sided::TwoSided;
use crate::kernel::{Budget, Interval, InvariantViolation};
use crate::mechanism::Prior;

/// ε at which R_A − R_B changes its sign: the priors where neither mechanism protects better. Each is enclosed between
/// two places at which the difference is certainly positive and certainly negative.
///
/// Looks between the places given, as long as the budget lasts; a pair of crossings between two neighbours is not seen. Where the bounds over a
/// stretch have one sign, the places in it need no look; where both errors are the same at ε and −ε, only ε ≥ 0 is looked at.
///
/// # Errors
/// If the two profiles of a mechanism contradict each other.
pub fn crossings(
    first: &TwoSided,
    second: &TwoSided,
    places: &[Float],
    bits: u32,
    budget: &Budget,
) -> Result<Vec<Interval>, InvariantViolation> {
    let uniform = Prior::uniform();
    let contest = Contest::new(first, second, &uniform, &[]);
    let is_half = contest.is_symmetric();
    let mut places = places.to_vec();
    if is_half {
        places.iter_mut().for_each(Float::abs_mut);
    }
    places.sort_unstable_by(Float::total_cmp);
    places.dedup();
    let mut look = Look {
        contest: &contest,
        bits,
        budget,
        signs: Vec::new(),
    };
    look.over(&places)?;
    let mut found = Vec::new();
    let mut last: Option<&(Float, bool)> = None;
    for now in &look.signs {
        if let Some((from, before)) = last
            && *before != now.1
        {
            found.push(narrowed(&contest, from, &now.0, *before, bits)?);
        }
        last = Some(now);
    }
    if is_half {
        let mirrored: Vec<Interval> = found.iter().rev().map(Interval::neg).collect();
        found = mirrored.into_iter().chain(found).collect();
    }
    Ok(found)
}

/// A look at places in rising order.
struct Look<'a> {
    contest: &'a Contest<'a>,
    bits: u32,
    budget: &'a Budget,
    /// Places with a sign that is certain; between two neighbours of one sign there may be more.
    signs: Vec<(Float, bool)>,
}

/// Both orders of the mechanisms at a place, for bounds over a stretch, and the sign there.
struct Seen {
    /// A first, B second; and the other way round.
    nodes: [Node; 2],
    sign: Option<bool>,
}

impl Look<'_> {
    fn over(&mut self, places: &[Float]) -> Result<(), InvariantViolation> {
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return Ok(());
        };
        let left = self.seen(first)?;
        self.note(first, &left);
        let end = places.len().saturating_sub(1);
        if end > 0 {
            let right = self.seen(last)?;
            self.between(places, (0, &left), (end, &right))?;
            self.note(last, &right);
        }
        Ok(())
    }

    /// What is between two places, given by their numbers.
    fn between(
        &mut self,
        places: &[Float],
        (from, left): (usize, &Seen),
        (to, right): (usize, &Seen),
    ) -> Result<(), InvariantViolation> {
        let middle = usize::midpoint(from, to);
        let Some(place) = places.get(middle).filter(|_| middle > from) else {
            return Ok(());
        };
        if self.budget.check().is_err() || self.is_one_sign(left, right) {
            return Ok(());
        }
        let seen = self.seen(place)?;
        self.between(places, (from, left), (middle, &seen))?;
        self.note(place, &seen);
        self.between(places, (middle, &seen), (to, right))
    }

    fn note(&mut self, place: &Float, seen: &Seen) {
        if let Some(sign) = seen.sign {
            self.signs.push((place.clone(), sign));
        }
    }

    fn seen(&self, place: &Float) -> Result<Seen, InvariantViolation> {
        let [first, second] = [&self.contest.first, &self.contest.second]
            .map(|sides| Place::at(sides, place, self.bits));
        let node =
            |one: &Place, other: &Place| Node::new(&one.lower, other.error_down.clone(), self.bits);
        let gap = first.error()?.sub(&second.error()?);
        Ok(Seen {
            nodes: [node(&first, &second), node(&second, &first)],
            sign: super::contest::sign_of(&gap),
        })
    }

    /// Is R_A − R_B certainly above 0, or certainly below, at both places and all over the stretch between?
    ///
    /// Ensures: `true` only if the upper bound of R_A − R_B over the stretch is below 0, or that of R_B − R_A.
    fn is_one_sign(&self, left: &Seen, right: &Seen) -> bool {
        let Some(sign) = left.sign.filter(|sign| right.sign == Some(*sign)) else {
            return false;
        };
        let order = |seen: &Seen| {
            let [forward, backward] = &seen.nodes;
            if sign {
                backward.clone()
            } else {
                forward.clone()
            }
        };
        let segment = Segment {
            left: order(left),
            right: order(right),
        };
        segment.is_below_zero(self.bits)
    }
}

/// Halves an interval over which the sign changes, as long as the sign in the middle is certain.
fn narrowed(
    contest: &Contest,
    from: &Float,
    to: &Float,
    before: bool,
    bits: u32,
) -> Result<Interval, InvariantViolation> {
    let (mut low, mut high) = (from.clone(), to.clone());
    for _ in 0..60 {
        let middle = Interval::spanning(low.clone(), high.clone()).middle();
        match contest.sign(&middle, bits)? {
            Some(sign) if sign == before => low = middle,
            Some(_) => high = middle,
            None => break,
        }
    }
    Ok(Interval::spanning(low, high))
}

#[cfg(test)]
#[path = "crossings_tests.rs"]
mod tests;
