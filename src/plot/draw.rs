//! A picture as SVG.

use ::svg::Document;
use ::svg::node::element::{
    Circle, ClipPath, Definitions, Group, Line, Path, Rectangle, Style, Text, Title,
};

use super::band::{ProfilePoint, middle};
use super::label::{Area, Obstacle, Wanted, place};
use super::path::without_needless;
use super::picture::{Hue, Item, Panel, Picture, Stroke};
use super::theme::{adaptive, class};
use super::wrap::{width_of, wrapped};

/// Width of a picture: words are still legible on a phone.
const WIDTH: f64 = 540.0;
/// The same where rows have names.
const WIDE: f64 = 680.0;
/// Height of the plane of a panel.
const HEIGHT: f64 = 280.0;
const MARGIN: f64 = 12.0;
const LINE: f64 = 17.0;
/// Sizes of words, as in the style sheet.
const SIZE: f64 = 13.0;
const SMALL: f64 = 12.0;

/// Who will look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// Readers who prefer light or dark.
    Adaptive,
    /// A page that is light.
    #[cfg(feature = "png")]
    Light,
}

/// The picture as SVG that follows the reader's preference for light or dark.
pub fn svg(picture: &Picture) -> String {
    document(picture, Ground::Adaptive).to_string()
}

/// The same, for one ground or the other.
pub fn document(picture: &Picture, ground: Ground) -> Document {
    let has_rows = picture.panels.iter().any(|panel| panel.y.names.is_some());
    let width = if has_rows { WIDE } else { WIDTH };
    let room = width - 2.0 * MARGIN;
    let mut y = MARGIN + 14.0;
    let mut body = Group::new();
    for (row, line) in wrapped(&picture.title, 16.0 * 1.08, room)
        .into_iter()
        .enumerate()
    {
        if row > 0 {
            y += LINE + 4.0;
        }
        body = body.add(words(&line, MARGIN, y, "title t-ink"));
    }
    for line in picture
        .subtitle
        .iter()
        .flat_map(|line| wrapped(line, SIZE, room))
    {
        y += LINE;
        body = body.add(words(&line, MARGIN, y, "subtitle"));
    }
    for (number, panel) in picture.panels.iter().enumerate() {
        y += 12.0;
        let (drawn, end) = draw_panel(panel, number, y, width);
        body = body.add(drawn);
        y = end;
    }
    y += 6.0;
    for line in picture
        .notes
        .iter()
        .flat_map(|line| wrapped(line, SMALL, room))
    {
        y += LINE;
        body = body.add(words(&line, MARGIN, y, "small note"));
    }
    let height = y + MARGIN;
    let sheet = match ground {
        Ground::Adaptive => adaptive(),
        #[cfg(feature = "png")]
        Ground::Light => super::theme::light(),
    };
    Document::new()
        .set("class", "dpcmp")
        .set("role", "img")
        .set("viewBox", format!("0 0 {width} {height:.0}"))
        .set("width", width)
        .set("height", format!("{height:.0}"))
        .add(Title::new(picture.title.as_str()))
        .add(Style::new(sheet))
        .add(
            Rectangle::new()
                .set("class", "ground")
                .set("width", "100%")
                .set("height", "100%"),
        )
        .add(body)
}

/// Where the plane of a panel lies on the page.
struct Plane<'p> {
    panel: &'p Panel,
    area: Area,
}

fn draw_panel(panel: &Panel, number: usize, top: f64, page: f64) -> (Group, f64) {
    let mut group = Group::new().set("class", "panel");
    let mut y = top;
    if let Some(title) = &panel.title {
        y += LINE;
        group = group.add(words(title, MARGIN, y, "t-ink"));
    }
    if !panel.y.label.is_empty() {
        y += LINE;
        group = group.add(words(&panel.y.label, MARGIN, y, "axis"));
    }
    let ticks = panel.y.ticks(6);
    let widest = ticks
        .iter()
        .map(|tick| width_of(&tick.text, SMALL))
        .fold(20.0, f64::max);
    let left = MARGIN + widest + 8.0;
    let opposite = panel.y.opposite.iter();
    let opposite = opposite.map(|tick| width_of(&tick.text, SMALL));
    let right = MARGIN + opposite.fold(10.0_f64, |widest, width| widest.max(width + 8.0));
    let area = Area {
        x: left,
        y: y + 12.0,
        width: (page - right - left).max(80.0),
        height: match &panel.y.names {
            Some(names) => 26.0 * names.len().max(2) as f64,
            None => HEIGHT,
        },
    };
    let plane = Plane { panel, area };
    group = plane.axes(group);
    let clip = format!("plane-{number}-{}", digest(panel));
    let mut inside = Group::new().set("clip-path", format!("url(#{clip})"));
    for item in &panel.items {
        inside = plane.item(inside, item);
    }
    group = group.add(
        Definitions::new().add(
            ClipPath::new().set("id", clip).add(
                Rectangle::new()
                    .set("x", px(area.x - 2.0))
                    .set("y", px(area.y - 2.0))
                    .set("width", px(area.width + 4.0))
                    .set("height", px(area.height + 4.0)),
            ),
        ),
    );
    group = plane.labels(group.add(inside));
    let end = area.y + area.height + 18.0 + LINE;
    let label = words(&panel.x.label, area.x + area.width, end, "axis").set("text-anchor", "end");
    (group.add(label), end)
}

/// A name that two pictures on one page do not share.
fn digest(panel: &Panel) -> String {
    let mut sum = 5381u64;
    for byte in format!("{panel:?}").bytes() {
        sum = sum.wrapping_mul(33) ^ u64::from(byte);
    }
    format!("{sum:x}")
}

impl Plane<'_> {
    fn x(&self, value: f64) -> f64 {
        self.area.x + self.area.width * self.panel.x.share(value)
    }

    fn y(&self, value: f64) -> f64 {
        self.area.y + self.area.height * (1.0 - self.panel.y.share(value))
    }

    fn axes(&self, mut group: Group) -> Group {
        let area = &self.area;
        let (right, bottom) = (area.x + area.width, area.y + area.height);
        for tick in self.panel.y.ticks(6) {
            let y = self.y(tick.value);
            group = group
                .add(rule((area.x, y), (right, y), "rule grid"))
                .add(words(&tick.text, area.x - 6.0, y + 4.0, "small").set("text-anchor", "end"));
        }
        for tick in &self.panel.y.opposite {
            let text = words(
                &tick.text,
                right + 8.0,
                self.y(tick.value) + 4.0,
                "small t-one",
            );
            group = group.add(text);
        }
        let mut free = f64::NEG_INFINITY;
        for tick in self.panel.x.ticks(8) {
            let x = self.x(tick.value);
            group = group.add(rule((x, area.y), (x, bottom), "rule grid"));
            let half = width_of(&tick.text, SMALL) / 2.0;
            if x - half >= free {
                free = x + half + 4.0;
                let text = words(&tick.text, x, bottom + 17.0, "small");
                group = group.add(text.set("text-anchor", "middle"));
            }
        }
        group
            .add(rule((area.x, bottom), (right, bottom), "rule l-soft"))
            .add(rule((area.x, area.y), (area.x, bottom), "rule l-soft"))
    }

    fn item(&self, group: Group, item: &Item) -> Group {
        match item {
            Item::Band { knots, hue } => group.add(
                Path::new()
                    .set("class", format!("band f-{}", class(*hue)))
                    .set("d", self.region(knots)),
            ),
            Item::Line {
                points,
                hue,
                stroke,
                ..
            } => {
                let kind = if *stroke == Stroke::Thin {
                    "thin"
                } else {
                    "line"
                };
                let path = Path::new()
                    .set("class", format!("{kind} l-{}", class(*hue)))
                    .set("d", self.path(points));
                group.add(match stroke {
                    Stroke::Dashed => path.set("stroke-dasharray", "7 4"),
                    Stroke::Solid | Stroke::Thin => path,
                })
            }
            Item::Marks { knots, hue, .. } => knots.iter().fold(group, |group, knot| {
                let x = self.x(knot.x);
                let (low, high) = (self.y(knot.low), self.y(knot.high));
                group
                    .add(rule(
                        (x, low + 1.5),
                        (x, high - 1.5),
                        &format!("line l-{}", class(*hue)),
                    ))
                    .add(
                        Rectangle::new()
                            .set("class", format!("mark f-{}", class(*hue)))
                            .set("x", px(x - 3.0))
                            .set("y", px((low + high) / 2.0 - 3.0))
                            .set("width", 6)
                            .set("height", 6)
                            .set("rx", 3),
                    )
            }),
            Item::Rings { points, hue } => points.iter().fold(group, |group, (x, y)| {
                group.add(
                    Circle::new()
                        .set("class", format!("line l-{}", class(*hue)))
                        .set("cx", px(self.x(*x)))
                        .set("cy", px(self.y(*y)))
                        .set("r", 6),
                )
            }),
            Item::Ruler { x, y, .. } => {
                let (x, from, to) = (self.x(*x), self.y(y.0), self.y(y.1));
                let cap = |at: f64| rule((x - 5.0, at), (x + 5.0, at), "line l-ink ruler");
                group
                    .add(rule((x, from), (x, to), "line l-ink ruler"))
                    .add(cap(from))
                    .add(cap(to))
            }
        }
    }

    fn labels(&self, mut group: Group) -> Group {
        let mut wanted = Vec::new();
        let mut hues = Vec::new();
        let mut curves = Vec::new();
        for item in &self.panel.items {
            let (points, hue, label) = match item {
                Item::Line {
                    points, hue, label, ..
                } => (points.clone(), *hue, label.clone()),
                Item::Band { .. } | Item::Rings { .. } => continue,
                Item::Marks { knots, hue, label } => {
                    let last = knots.last().copied();
                    (middle(last.as_slice()), *hue, label.clone())
                }
                Item::Ruler { label, .. } => (item.points(), Hue::Ink, Some(label.clone())),
            };
            let curve: Vec<(f64, f64)> = points
                .iter()
                .map(|(x, y)| (self.x(*x), self.y(*y)))
                .collect();
            if let Some(text) = label {
                hues.push(hue);
                wanted.push(Wanted {
                    text,
                    curve: curve.clone(),
                });
            }
            // What is there for orientation may rather be hidden.
            let weight = if hue == Hue::Soft { 1.0 } else { 6.0 };
            curves.push(Obstacle { curve, weight });
            if let Item::Marks { knots, .. } = item {
                curves.extend(knots.iter().map(|knot| {
                    let x = self.x(knot.x);
                    Obstacle {
                        curve: vec![(x, self.y(knot.low)), (x, self.y(knot.high))],
                        weight: 6.0,
                    }
                }));
            }
        }
        // What is short has fewer places to go.
        let mut order: Vec<usize> = (0..wanted.len()).collect();
        let extent = |index: &usize| {
            wanted
                .get(*index)
                .map_or(0, |one| extent(&one.curve) as u64)
        };
        order.sort_by_key(extent);
        let sorted: Vec<Wanted> = order
            .iter()
            .filter_map(|at| wanted.get(*at).cloned())
            .collect();
        let spots = place(&sorted, &self.area, &curves);
        for ((index, one), spot) in order.iter().zip(&sorted).zip(spots) {
            let (Some(spot), Some(hue)) = (spot, hues.get(*index)) else {
                continue;
            };
            group = group
                .add(
                    Rectangle::new()
                        .set("class", "halo")
                        .set("x", px(spot.x))
                        .set("y", px(spot.y))
                        .set("width", px(spot.width))
                        .set("height", px(spot.height)),
                )
                .add(
                    words(
                        &one.text,
                        spot.x + spot.width / 2.0,
                        spot.y + spot.height - 3.5,
                        &format!("label t-{}", class(*hue)),
                    )
                    .set("text-anchor", "middle"),
                );
        }
        group
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let spots: Vec<(f64, f64)> = points
            .iter()
            .map(|(x, y)| (self.x(*x), self.y(*y)))
            .collect();
        let mut path = String::new();
        for (x, y) in without_needless(&spots) {
            let command = if path.is_empty() { 'M' } else { 'L' };
            path.push_str(&format!("{command}{} {}", px(x), px(y)));
        }
        path
    }

    fn region(&self, knots: &[ProfilePoint]) -> String {
        let there = knots.iter().map(|knot| (knot.x, knot.high));
        let back = knots.iter().rev().map(|knot| (knot.x, knot.low));
        let outline: Vec<(f64, f64)> = there.chain(back).collect();
        self.path(&outline) + "Z"
    }
}

fn extent(curve: &[(f64, f64)]) -> f64 {
    let spread = |values: Vec<f64>| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (high - low).max(0.0)
    };
    let x = spread(curve.iter().map(|(x, _)| *x).collect());
    let y = spread(curve.iter().map(|(_, y)| *y).collect());
    x + y
}

fn px(value: f64) -> String {
    format!("{value:.1}")
}

fn words(text: &str, x: f64, y: f64, class: &str) -> Text {
    Text::new(text)
        .set("class", class)
        .set("x", px(x))
        .set("y", px(y))
}

fn rule(from: (f64, f64), to: (f64, f64), class: &str) -> Line {
    Line::new()
        .set("class", class)
        .set("x1", px(from.0))
        .set("y1", px(from.1))
        .set("x2", px(to.0))
        .set("y2", px(to.1))
}
