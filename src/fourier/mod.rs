//! Sums of many independent losses, by Fourier integrals whose every error is bounded.
//!
//! A composition of T steps with masses on a lattice, tilted by e^{θL}, is a sum of lattice variables; its tail sums are the
//! mean over the roots of unity w = e^{2πik/M} of χ(w)^T times a geometric series. Few k matter, whatever T is:
//!
//! * **I1** (aliasing) the mean over M roots of unity of a Laurent series with coefficients c_n is Σ_l c_{lM}; here all c_n
//!   are tail sums e^{θhn}·D(ε + hn) ≥ 0, so the mean is too large by a sum of tail sums far away, which the tilt bounds;
//!   those near the least loss are known;
//! * **I2** (decay) |χ(e^{iφ})|² ≤ 1 − C(c)·φ²·Σ_{i,j∈I} p_i p_j (i−j)² for every window I of length at most c/φ, with
//!   C(c) = (1 − cos c)/c², because (1 − cos t)/t² decreases on [0, 3]; and |χ(e^{iφ})|·|1 − e^{igφ}| ≤ Σ |p_i − p_{i−g}|
//!   (summation by parts) for any gap g, and by its value in the middle of an arc: these bound what the roots left out add;
//! * **I3** (kernel) 1/(ρw − 1) is at most 1/|ρ − 1|, and at most 1/(2√ρ·sin(φ/2)).
//!
//! (Alghamdi et al., "The Saddle-Point Method in Differential Privacy", ICML 2023, use such integrals without bounds of their
//! errors.) The laws of a step stay on their sides: [`LatticeLaw`]s of an upper and of a lower law, composed exactly.
//!
//! | file | job |
//! |---|---|
//! | `lattice_law` | one step: whole-number masses on a lattice |
//! | `lower` | a lower law with all its atoms on the lattice |
//! | `ends` | laws whose ends are known in finer units |
//! | `powers` | powers of e in fixed point, for the lower law |
//! | `units` | what its corners are computed in: words, or numbers of any size |
//! | `fixed` | complex numbers in fixed point with an error bound |
//! | `real` | their real numbers, of many digits or of few |
//! | `turns` | roots of unity in fixed point |
//! | `tilted` | a law tilted by e^{θL} |
//! | `short` | positive numbers in one word, for totals of few digits |
//! | `decay` | I2: how fast a characteristic function must fall |
//! | `arcs` | I2: how large one can be on an arc |
//! | `roots` | which roots of unity a line takes |
//! | `transform` | the characteristic function of a sum at a root of unity |
//! | `faint` | the same from few digits, where it is small |
//! | `series` | the kernels 1/(ρw − 1) (I3) |
//! | `aliases` | I1: what tail sums a period away add |
//! | `sum` | what is composed, with its totals |
//! | `nodes` | the values at the roots of unity, and sums over them |
//! | `line` | one tilt: tail sums from those |
//! | `trailing` | a bound of the order of a pair whose δ is the smaller one |
//! | `profile` | the profile of the sum, by the line that suits each ε |

mod aliases;
mod arcs;
#[cfg(test)]
mod coarse_tests;
mod decay;
mod ends;
mod faint;
mod fixed;
mod lattice_law;
mod line;
mod lower;
mod nodes;
mod powers;
mod profile;
mod real;
mod roots;
mod series;
mod short;
#[cfg(test)]
mod small_tests;
mod sum;
#[cfg(test)]
mod tests;
mod tilted;
mod trailing;
mod transform;
mod turns;
mod units;

pub use ends::Ends;
pub use lattice_law::LatticeLaw;
pub use line::LineHint;
pub use lower::lattice_lower_law;
pub use profile::{LineHints, Places, SumProfile};
pub use roots::{MANY_STEPS, Roots};
pub use sum::Sum;
pub use trailing::Outlook;

/// Working bits of numbers that do not depend on a query.
const LOG_BITS: u32 = 192;
