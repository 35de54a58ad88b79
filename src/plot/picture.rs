//! What is on a picture.

use super::band::ProfilePoint;
use super::scale::Axis;

/// A picture: words above, panels below one another, words below.
#[derive(Debug, Clone)]
pub struct Picture {
    /// What is shown.
    pub title: String,
    /// Lines below the title.
    pub subtitle: Vec<String>,
    /// One below the other.
    pub panels: Vec<Panel>,
    /// The conditions of the picture, and how to read it.
    pub notes: Vec<String>,
}

/// A plane with two axes.
#[derive(Debug, Clone)]
pub struct Panel {
    /// What this panel shows, where there are several.
    pub title: Option<String>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// From back to front.
    pub items: Vec<Item>,
}

/// Something drawn on a panel.
#[derive(Debug, Clone)]
pub enum Item {
    /// The region between two curves.
    Band {
        /// Its edge.
        knots: Vec<ProfilePoint>,
        /// Its colour.
        hue: Hue,
    },
    /// A curve.
    Line {
        /// Its points.
        points: Vec<(f64, f64)>,
        /// Its colour.
        hue: Hue,
        /// How it is drawn.
        stroke: Stroke,
        /// What is written beside it.
        label: Option<String>,
    },
    /// Intervals, each a bar with a dot in its middle.
    Marks {
        /// Where, from, to.
        knots: Vec<ProfilePoint>,
        /// Their colour.
        hue: Hue,
        /// What is written beside the last of them.
        label: Option<String>,
    },
    /// Circles around places that something else says.
    Rings {
        /// Where.
        points: Vec<(f64, f64)>,
        /// Their colour.
        hue: Hue,
    },
    /// A vertical length between two values, with caps.
    Ruler {
        /// Where.
        x: f64,
        /// From and to.
        y: (f64, f64),
        /// The length in words.
        label: String,
    },
}

/// The colour of a thing, by its part in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hue {
    /// The curve in question; the first of two.
    First,
    /// What it is compared with.
    Second,
    /// Others.
    Third,
    /// Others.
    Fourth,
    /// Others.
    Fifth,
    /// What is there for orientation.
    Soft,
    /// As dark as text.
    Ink,
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// A line.
    Solid,
    /// Dashes.
    Dashed,
    /// A thin line.
    Thin,
}

impl Picture {
    /// The same without the words below, for a page that says them.
    #[must_use]
    pub fn without_notes(&self) -> Self {
        Self {
            notes: Vec::new(),
            ..self.clone()
        }
    }
}

impl Hue {
    /// The colour of one of several curves of the same rank.
    pub fn nth(place: usize) -> Self {
        match place % 5 {
            0 => Self::First,
            1 => Self::Second,
            2 => Self::Third,
            3 => Self::Fourth,
            _ => Self::Fifth,
        }
    }
}

impl Item {
    /// The points of this thing, for axes to contain.
    pub fn points(&self) -> Vec<(f64, f64)> {
        match self {
            Self::Line { points, .. } | Self::Rings { points, .. } => points.clone(),
            Self::Band { knots, .. } | Self::Marks { knots, .. } => knots
                .iter()
                .flat_map(|knot| [(knot.x, knot.low), (knot.x, knot.high)])
                .collect(),
            Self::Ruler { x, y, .. } => vec![(*x, y.0), (*x, y.1)],
        }
    }
}
