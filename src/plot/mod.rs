//! Pictures of certified numbers: SVG, PNG, PDF, and small ones for a terminal.
//!
//! A picture shows what it is given and proves nothing. Bounds arrive as decimals that are rounded outwards; here they become
//! `f64` for pixels only, and every number that is written on a picture is one of those decimals. Between certified points
//! a band is drawn that still contains the curve, by convexity (`band`).
//!
//! | file | job |
//! |---|---|
//! | `picture` | what is on a picture: panels, axes, bands, lines, marks, rulers |
//! | `scale` | linear and logarithmic axes, and where their ticks are |
//! | `band` | what certified points say about the curve between them |
//! | `edge` | the edges of a band as they are drawn, also on logarithmic axes |
//! | `numbers` | decimals to pixels |
//! | `curves` | one curve as one or two panels |
//! | `duel` | two curves, the rulers of their divergences, the shifted curve |
//! | `fit` | a curve beside G_μ, and their difference |
//! | `claims` | claims against the certified curve |
//! | `dots` | numbers in rows |
//! | `series` | quantities over a parameter |
//! | `label` | words beside curves, none on top of another |
//! | `wrap` | words in lines |
//! | `path` | lines with no more points than can be seen |
//! | `draw` | a picture as SVG |
//! | `theme` | colours, dark and light |
//! | `png` | the SVG as PNG, with a font of its own |
//! | `pdf` | the SVG as PDF |
//! | `terminal` | a picture as dots of a terminal |

#![allow(
    clippy::as_conversions,
    clippy::float_arithmetic,
    reason = "pixels only: no certified number passes through here"
)]

mod band;
mod claims;
mod curves;
mod dots;
mod draw;
mod duel;
mod edge;
mod fit;
mod label;
mod numbers;
mod path;
mod pdf;
mod picture;
mod png;
mod scale;
mod series;
mod terminal;
mod theme;
mod wrap;

pub use band::{ProfilePoint, Shape};
pub use claims::{Claimed, Mark, claims_picture};
pub use curves::{CurveData, curve_picture};
pub use dots::{Row, beside_picture};
pub use draw::svg;
pub use duel::{Duel, Ruler, duel_picture};
pub use fit::{Fit, fit_picture};
pub use numbers::{curve_knots, knots, number};
pub use pdf::pdf;
pub use picture::{Hue, Picture, Stroke};
pub use png::png;
pub use series::{Series, series_picture};
pub use terminal::terminal;
