//! The walk from coarse laws of a composition to fine ones.

use super::laws::Refinements;
use super::{Method, Resources};
use crate::bounds::TwoSided;
use crate::composition::Summed;
use crate::kernel::Failure;
use crate::plan::{DominantDirection, Resolution, Wanted};

/// How a composition is computed.
#[derive(Clone, Copy)]
pub(super) enum Route {
    /// All at once.
    Summed,
    /// By squarings, for both orders of the pair.
    Composed,
    /// By squarings for each order, with what is known of the one that leads.
    Apart(Option<DominantDirection>),
    /// One of two steps averaged over the other.
    Averaged,
}

/// The profiles of one resolution.
#[derive(Clone)]
pub(super) struct Refinement {
    pub(super) resolution: Resolution,
    pub(super) cells: u64,
    pub(super) sides: TwoSided,
    /// Where they are profiles of sums.
    pub(super) sums: Option<Summed>,
}

/// A walk from coarse laws to fine ones; those of earlier questions come first.
///
/// Laws made for another question are used where they are as fine as those that this one would begin with. Where they are not, or
/// have no line where this one looks, the walk begins as if nothing had been asked before: an earlier question never makes a
/// later one dearer.
pub(super) struct Descent<'a> {
    refinements: &'a Refinements,
    /// Not yet known where squarings are all there is.
    route: Option<Route>,
    /// The way if the composition cannot be had as one sum.
    otherwise: Box<dyn Fn() -> Result<Route, Failure> + 'a>,
    /// Of no single quantity: the walk of a divergence.
    is_contest: bool,
    known: Vec<Refinement>,
    last: Option<Refinement>,
    /// Was `last` made for an earlier question?
    is_inherited: bool,
    /// The resolution to begin with if nothing were known.
    first: Option<Resolution>,
    rounds: u32,
    cells: u64,
}

impl<'a> Descent<'a> {
    /// From the start, all at once where that may be possible.
    pub(super) fn new(
        refinements: &'a Refinements,
        otherwise: Box<dyn Fn() -> Result<Route, Failure> + 'a>,
    ) -> Self {
        let mut descent = Self {
            refinements,
            route: None,
            otherwise,
            is_contest: false,
            known: Vec::new(),
            last: None,
            is_inherited: false,
            first: None,
            rounds: 0,
            cells: 0,
        };
        descent.turn_to(Route::Summed);
        descent
    }

    /// The walk of a divergence, of which all are alike: once one had to leave the sums, the others begin without them.
    pub(super) fn of_contest(
        refinements: &'a Refinements,
        otherwise: Box<dyn Fn() -> Result<Route, Failure> + 'a>,
    ) -> Self {
        let mut descent = Self::new(refinements, otherwise);
        descent.is_contest = true;
        if refinements.contests_left_sums() {
            descent.known.clear();
            descent.route = None;
        }
        descent
    }

    fn turn_to(&mut self, route: Route) {
        self.route = Some(route);
        self.known = self.refinements.known(route);
        self.known.reverse();
        self.last = None;
        self.is_inherited = false;
    }

    /// The next laws, as fine as what is wanted suggests; `None` after the finest.
    ///
    /// # Errors
    /// If the budget ends, or dpcmp contradicts itself.
    pub(super) fn next(
        &mut self,
        wanted: &Wanted,
        resources: &Resources<'_>,
    ) -> Result<Option<TwoSided>, Failure> {
        if self.first.is_none() {
            self.first = Resolution::after(None, wanted);
        }
        if self.sums_are_done(wanted) {
            self.leave_sums();
        }
        if self.route.is_none() {
            let route = (self.otherwise)()?;
            self.turn_to(route);
        }
        self.leave_out_coarser();
        let fallback = if self.is_worth_more(wanted) {
            self.known.pop()
        } else {
            None
        };
        let inherited = if fallback.is_none() {
            self.known.pop()
        } else {
            None
        };
        let refinement = match inherited {
            Some(refinement) => {
                self.is_inherited = true;
                refinement
            }
            None => match (self.refined(wanted, resources), fallback) {
                (Ok(Some(refinement)), _) => refinement,
                (Ok(None), None) => return Ok(None),
                (Err(failure), None) => return Err(failure),
                // What is there is better than nothing.
                (Ok(None) | Err(Failure::Interrupted), Some(refinement)) => {
                    self.is_inherited = true;
                    refinement
                }
                (Err(failure), Some(_)) => return Err(failure),
            },
        };
        self.rounds += 1;
        self.cells = self.cells.max(refinement.cells);
        let sides = refinement.sides.clone();
        self.last = Some(refinement);
        Ok(Some(sides))
    }

    /// Laws that are as fine as those to begin with leave nothing to say for those that are not.
    fn leave_out_coarser(&mut self) {
        let Some(first) = self.first else { return };
        let serves = |known: &Refinement| known.resolution.serves_for(&first);
        if self.last.is_none() && self.known.iter().any(serves) {
            self.known.retain(serves);
        }
    }

    /// Is there nothing but laws of other questions that are not as fine as those to begin with, where a width is asked for? Most often those would not reach it.
    fn is_worth_more(&self, wanted: &Wanted) -> bool {
        let Some(first) = self.first else {
            return false;
        };
        let is_first = self.last.is_none() && !self.is_contest;
        let mut known = self.known.iter();
        is_first
            && wanted.width.is_some()
            && known.all(|known| !known.resolution.serves_for(&first))
    }

    /// Did the last sums have no answer somewhere they were asked, or a very wide one, so that finer ones would not do better?
    fn sums_are_done(&self, wanted: &Wanted) -> bool {
        let Some(last) = &self.last else { return false };
        let Some(sums) = &last.sums else { return false };
        let lacks_line = sums.is_short();
        if !self.is_inherited {
            return lacks_line || last.resolution.is_disappointing(wanted);
        }
        // Those of another question say nothing of the ones that this question would begin with, unless they are like them.
        self.known.is_empty()
            && self.first.is_some_and(|first| {
                last.resolution == first && lacks_line
                    || last.resolution.serves_for(&first)
                        && !lacks_line
                        && last.resolution.is_disappointing(wanted)
            })
    }

    fn leave_sums(&mut self) {
        if self.is_contest {
            self.refinements.note_contest_left_sums();
        }
        self.route = None;
    }

    /// The resolution after the last.
    fn following(&self, wanted: &Wanted) -> Option<Resolution> {
        let first = self.first?;
        match &self.last {
            None => Some(first),
            Some(last) => {
                let lacks_line = last.sums.as_ref().is_some_and(Summed::is_short);
                let is_useless = lacks_line || !last.resolution.serves_for(&first);
                if self.is_inherited && is_useless {
                    Some(first)
                } else {
                    Resolution::after(Some(last.resolution), wanted)
                }
            }
        }
    }

    fn refined(
        &mut self,
        wanted: &Wanted,
        resources: &Resources<'_>,
    ) -> Result<Option<Refinement>, Failure> {
        let Some((resolution, route)) = self.following(wanted).zip(self.route) else {
            return Ok(None);
        };
        let round = self.rounds;
        let found = self
            .refinements
            .refine(route, resolution, round, resources)?;
        self.is_inherited = false;
        if found.is_some() || !matches!(route, Route::Summed) {
            return Ok(found);
        }
        self.leave_sums();
        let route = (self.otherwise)()?;
        self.turn_to(route);
        match self.known.pop() {
            Some(known) => {
                self.is_inherited = true;
                Ok(Some(known))
            }
            None => self.refined(wanted, resources),
        }
    }

    /// Are the next laws known already?
    pub(super) fn has_known(&self) -> bool {
        !self.known.is_empty()
    }

    /// How many laws there have been.
    pub(super) fn rounds(&self) -> u32 {
        self.rounds
    }

    pub(super) fn method(&self) -> Method {
        Method::Laws {
            cells: self.cells,
            rounds: self.rounds,
        }
    }
}
