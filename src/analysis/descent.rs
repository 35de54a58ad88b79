//! The walk from coarse laws of a composition to fine ones.

use super::laws::Refinements;
use super::{Means, Method};
use crate::bounds::TwoSided;
use crate::composition::Summed;
use crate::kernel::Failure;
use crate::plan::{Lead, Resolution, Wanted};

/// How a composition is computed.
#[derive(Clone, Copy)]
pub(super) enum Route {
    /// All at once.
    Summed,
    /// By squarings, for both orders of the pair.
    Composed,
    /// By squarings for each order, with what is known of the one that leads.
    Apart(Option<Lead>),
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
pub(super) struct Descent<'a> {
    refinements: &'a Refinements,
    /// Not yet known where squarings are all there is.
    route: Option<Route>,
    /// The way if the composition cannot be had as one sum.
    otherwise: Box<dyn Fn() -> Result<Route, Failure> + 'a>,
    known: Vec<Refinement>,
    last: Option<Refinement>,
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
            known: Vec::new(),
            last: None,
            rounds: 0,
            cells: 0,
        };
        if refinements.may_be_summed() {
            descent.turn_to(Route::Summed);
        }
        descent
    }

    fn turn_to(&mut self, route: Route) -> Route {
        self.route = Some(route);
        self.known = self.refinements.kept(route).clone();
        self.known.reverse();
        self.last = None;
        route
    }

    /// The next laws, as fine as what is wanted suggests; `None` after the finest.
    ///
    /// # Errors
    /// If the budget ends, or dpcmp contradicts itself.
    pub(super) fn next(
        &mut self,
        wanted: &Wanted,
        means: &Means<'_>,
    ) -> Result<Option<TwoSided>, Failure> {
        if self.is_short(wanted) {
            self.leave_sums();
        }
        if self.route.is_none() {
            let route = (self.otherwise)()?;
            self.turn_to(route);
        }
        let refinement = match self.known.pop() {
            Some(refinement) => refinement,
            None => match self.refined(wanted, means)? {
                Some(refinement) => refinement,
                None => return Ok(None),
            },
        };
        self.rounds += 1;
        self.cells = self.cells.max(refinement.cells);
        let sides = refinement.sides.clone();
        self.last = Some(refinement);
        Ok(Some(sides))
    }

    /// Did the last sums have no answer somewhere they were asked, or a very wide one? Finer ones would not do better.
    fn is_short(&self, wanted: &Wanted) -> bool {
        self.last.as_ref().is_some_and(|last| {
            let sums = last.sums.as_ref();
            sums.is_some_and(|sums| sums.is_short() || last.resolution.is_disappointing(wanted))
        })
    }

    fn leave_sums(&mut self) {
        self.refinements.leave_to_squarings();
        self.route = None;
    }

    fn refined(
        &mut self,
        wanted: &Wanted,
        means: &Means<'_>,
    ) -> Result<Option<Refinement>, Failure> {
        let last = self.last.as_ref().map(|last| last.resolution);
        let Some((resolution, route)) = Resolution::after(last, wanted).zip(self.route) else {
            return Ok(None);
        };
        let round = self.rounds;
        let found = self.refinements.refine(route, resolution, round, means)?;
        if found.is_some() || !matches!(route, Route::Summed) {
            return Ok(found);
        }
        self.leave_sums();
        let route = (self.otherwise)()?;
        self.turn_to(route);
        match self.known.pop() {
            Some(known) => Ok(Some(known)),
            None => self.refined(wanted, means),
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
