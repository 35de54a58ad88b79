//! The same queries at many values of parameters.
//!
//! | file | job |
//! |---|---|
//! | `grid` | values of a parameter, and their product |
//! | `error` | why there are none |
//! | `run` | independent jobs on several threads |
//! | `point` | the answers at one point |

mod error;
mod grid;
mod point;
mod run;

pub use error::{AxisError, SweepError};
pub use grid::{Axis, Grid};
pub use point::{PointAnswers, Sweep};

use super::Limits;
use crate::input::Template;

impl Sweep<'_> {
    /// All combinations of the values of these parameters, rounded to whole numbers where the mechanism of the template takes only those.
    ///
    /// # Errors
    /// If there are too many, or the template has no mechanism in which a parameter can be set.
    pub fn grid(template: &Template<'_>, axes: &[Axis]) -> Result<Grid, SweepError> {
        let mut values = Vec::with_capacity(axes.len());
        for axis in axes {
            let whole = template.takes_whole_numbers(&axis.key);
            let texts = axis.texts(whole.map_err(SweepError::Input)?);
            let key = axis.key.clone();
            match texts {
                Ok(texts) => values.push((key, texts)),
                Err(why) => return Err(SweepError::Values { key, why }),
            }
        }
        Grid::new(values)
    }

    /// Answers the queries at these points of the grid, given by their places in it, on [`Limits::threads`] threads, and hands what was
    /// found at each to `take`, on this thread, in the order in which the points are finished. No result depends on the threads.
    ///
    /// Every query has [`Limits::max_time`] at every point. Once the limits say stop, or `take` has failed, no further point is begun.
    ///
    /// # Errors
    /// The first error of `take`.
    pub fn run<E>(
        &self,
        grid: &Grid,
        places: &[usize],
        limits: &Limits<'_>,
        take: impl FnMut(usize, PointAnswers) -> Result<(), E>,
    ) -> Result<(), E> {
        let work = |place: usize, threads: usize| self.answers(&grid.point(place), threads, limits);
        run::run(places, limits.threads, &limits.stop, work, take)
    }
}
