//! Words beside curves: each where it touches no curve, no other words and no edge.

use super::wrap::width_of;
use crate::float::elementary::hypot;

/// Words to be placed, in pixels.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// What is written.
    pub text: String,
    /// The curve that it belongs to.
    pub curve: Vec<(f64, f64)>,
}

/// A curve that words should not hide.
#[derive(Debug, Clone)]
pub struct Obstacle {
    /// Its points, in pixels.
    pub curve: Vec<(f64, f64)>,
    /// What it costs to hide some pixels of it.
    pub weight: f64,
}

/// A rectangle of pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// Height of a line of words.
pub const HEIGHT: f64 = 15.0;

impl Area {
    fn has(&self, (x, y): (f64, f64)) -> bool {
        x >= self.x && x <= self.x + self.width && y >= self.y && y <= self.y + self.height
    }

    fn holds(&self, other: &Self) -> bool {
        other.x >= self.x
            && other.y >= self.y
            && other.x + other.width <= self.x + self.width
            && other.y + other.height <= self.y + self.height
    }

    fn touches(&self, other: &Self) -> bool {
        self.x < other.x + other.width
            && other.x < self.x + self.width
            && self.y < other.y + other.height
            && other.y < self.y + self.height
    }

    fn grown(&self, by: f64) -> Self {
        Self {
            x: self.x - by,
            y: self.y - by,
            width: self.width + 2.0 * by,
            height: self.height + 2.0 * by,
        }
    }
}

/// Finds a place for each of the words within the area, in order, away from these curves.
pub fn place(wanted: &[Wanted], area: &Area, curves: &[Obstacle]) -> Vec<Option<Area>> {
    let obstacles: Vec<((f64, f64), f64)> = curves
        .iter()
        .flat_map(|one| dense(&one.curve).into_iter().map(|spot| (spot, one.weight)))
        .collect();
    let mut placed: Vec<Area> = Vec::new();
    wanted
        .iter()
        .map(|one| {
            let best = candidates(one, area)
                .into_iter()
                .filter(|(spot, _)| area.holds(spot))
                .filter(|(spot, _)| !placed.iter().any(|other| other.touches(&spot.grown(3.0))))
                .map(|(spot, cost)| {
                    let near = spot.grown(2.0);
                    let hidden = obstacles.iter().filter(|(spot, _)| near.has(*spot));
                    let hidden: f64 = hidden.map(|(_, weight)| weight).sum();
                    (spot, cost + hidden)
                })
                .min_by(|(_, one), (_, other)| one.total_cmp(other))
                .map(|(spot, _)| spot);
            placed.extend(best);
            best
        })
        .collect()
}

/// Places beside the curve, then anywhere, with what each costs.
fn candidates(one: &Wanted, area: &Area) -> Vec<(Area, f64)> {
    let (width, height) = (width_of(&one.text, 13.0), HEIGHT);
    let around = |x: f64, y: f64, cost: f64| {
        (
            Area {
                x: x - width / 2.0,
                y: y - height / 2.0,
                width,
                height,
            },
            cost,
        )
    };
    let mut found = Vec::new();
    let path: Vec<(f64, f64)> = dense(&one.curve)
        .into_iter()
        .filter(|p| area.has(*p))
        .collect();
    let step = path.len().div_ceil(60).max(1);
    // Beside a single point, words stand best to its right.
    let (beside, aslant) = if path.len() == 1 {
        (0.0, 1.0)
    } else {
        (1.0, 0.0)
    };
    for (index, (x, y)) in path.iter().enumerate().step_by(step) {
        let share = index as f64 / path.len().max(1) as f64;
        let off_centre = (share - 0.45).abs() * 8.0;
        for (dx, dy, extra) in [
            (1.0, -1.0, aslant),
            (-1.0, 1.0, 0.5),
            (1.0, 1.0, 0.5),
            (-1.0, -1.0, 0.5),
            (0.0, -1.0, 1.0),
            (0.0, 1.0, 1.0),
            (1.0, 0.0, beside),
            (-1.0, 0.0, 1.0),
        ] {
            for away in [7.0, 16.0, 30.0] {
                let (right, down) = (dx * (width / 2.0 + away), dy * (height / 2.0 + away * 0.7));
                found.push(around(x + right, y + down, off_centre + extra + away * 0.3));
            }
        }
    }
    for row in 0..12 {
        for column in 0..6 {
            let x = area.x + area.width * (f64::from(column) + 0.5) / 6.0;
            let y = area.y + area.height * (f64::from(row) + 0.5) / 12.0;
            found.push(around(x, y, 60.0 + f64::from(row)));
        }
    }
    found
}

/// The same polygon with points at most some pixels apart.
fn dense(curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = curve.first().copied().into_iter().collect();
    for (from, to) in curve.iter().zip(curve.iter().skip(1)) {
        let length = hypot(to.0 - from.0, to.1 - from.1);
        let parts = (length / 4.0).ceil().clamp(1.0, 1000.0) as usize;
        points.extend((1..=parts).map(|part| {
            let share = part as f64 / parts as f64;
            (
                from.0 + (to.0 - from.0) * share,
                from.1 + (to.1 - from.1) * share,
            )
        }));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_touch_neither_each_other_nor_the_curves() {
        let area = Area {
            x: 0.0,
            y: 0.0,
            width: 500.0,
            height: 300.0,
        };
        let curve: Vec<(f64, f64)> = (0..50)
            .map(|i| (f64::from(i) * 10.0, f64::from(i) * 6.0))
            .collect();
        let wanted: Vec<Wanted> = (0..5)
            .map(|n| Wanted {
                text: format!("curve number {n}"),
                curve: curve.clone(),
            })
            .collect();
        let obstacle = Obstacle {
            curve: curve.clone(),
            weight: 6.0,
        };
        let placed: Vec<Area> = place(&wanted, &area, &[obstacle])
            .into_iter()
            .flatten()
            .collect();
        assert_eq!(placed.len(), 5);
        for (index, one) in placed.iter().enumerate() {
            assert!(area.holds(one));
            assert!(!dense(&curve).iter().any(|point| one.has(*point)));
            assert!(
                !placed
                    .iter()
                    .skip(index + 1)
                    .any(|other| other.touches(one))
            );
        }
    }
}
