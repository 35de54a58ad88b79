//! Triangles of records in the unit ball: which ones are worst, and a finite cover of them.
//!
//! The three records are y (the one whose place is taken), x and x', with the distances a = |x − y|, b = |x − x'| and c = |y − x'|. In any dimension
//! (a, b, c) is at most (2 sin A, 2 sin B, 2 sin C), in each entry, for some angles A, B, C ≤ 90° with A + B + C = 180°: a triangle without an obtuse angle
//! has a circumscribed circle of radius at most 1, its smallest enclosing one; of another one the largest side is at most 2, and the squares of the other two add
//! up to at most its square, so that a right triangle in the circle is as large.
//!
//! The angles (A, C) with A + C ≥ 90° are covered by cells. Over a cell each side is at most the interpolation, with the same weights, of numbers at its
//! corners: 2 sin is concave, and linear interpolation misses a function f by at most Δ²/8·max|f''| on a length Δ.

use rug::{Integer, Rational};

/// Sides (a, b, c) at a corner of cells.
#[derive(Debug, Clone)]
pub(super) struct Corner {
    pub a: Rational,
    pub b: Rational,
    pub c: Rational,
    /// The numbers of its lines.
    pub place: (usize, usize),
}

/// A cell: its corners, by number, each with the factor of the error of an interpolation that it bears.
pub(super) type Cell = Vec<(usize, u32)>;

/// A cover of all triangles.
#[derive(Debug, Clone)]
pub(super) struct Cover {
    pub corners: Vec<Corner>,
    pub cells: Vec<Cell>,
}

/// Thousandths of tan(A/2) at the lines of the grid, up to 45°; above 45° are the complements.
const FINE: [u32; 8] = [0, 26, 61, 105, 158, 222, 287, 364];
const COARSE: [u32; 3] = [0, 96, 268];

/// Sides are rounded up to multiples of 2^-this.
const SIDE_BITS: u32 = 30;

/// How close the cells are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grid {
    /// 15 cells in each direction.
    Fine,
    /// Five.
    #[cfg_attr(not(test), expect(dead_code, reason = "for tests that need no width"))]
    Coarse,
}

/// A line of the grid: the sine and cosine of its angle, and tan of half of it.
struct Line {
    half_tangent: Rational,
    sine: Rational,
    cosine: Rational,
}

impl Line {
    fn new(half_tangent: Rational) -> Self {
        let square = Rational::from(half_tangent.square_ref());
        let whole = Rational::from(1 + &square).recip();
        Self {
            sine: Rational::from(&half_tangent * 2u32) * &whole,
            cosine: (1 - square) * whole,
            half_tangent,
        }
    }

    /// tan of half of what lies between two lines: at least half of it.
    fn half_gap(&self, next: &Self) -> Rational {
        let product = Rational::from(&self.half_tangent * &next.half_tangent);
        Rational::from(&next.half_tangent - &self.half_tangent) / (1 + product)
    }
}

/// What the sides of a triangle may be above their interpolation over the cell with A between two lines and C between two: f'' is at most 2 sin of the angle.
///
/// `has_diameter` where A + C may be a right angle in the cell.
fn bends(
    (low_a, high_a): (&Line, &Line),
    (low_c, high_c): (&Line, &Line),
    has_diameter: bool,
) -> Corner {
    // 2 sin(A + C) is largest where A + C is least.
    let largest_b = if has_diameter {
        Rational::from(1)
    } else {
        sine_of_sum(low_a, low_c)
    };
    let (gap_a, gap_c) = (
        low_a.half_gap(high_a).square(),
        low_c.half_gap(high_c).square(),
    );
    Corner {
        place: (0, 0),
        a: Rational::from(&gap_a * &high_a.sine),
        b: Rational::from(&gap_a + &gap_c) * largest_b,
        c: Rational::from(&gap_c * &high_c.sine),
    }
}

impl Cover {
    pub fn new(grid: Grid) -> Self {
        let lines = lines(match grid {
            Grid::Fine => &FINE,
            Grid::Coarse => &COARSE,
        });
        let last = lines.len().saturating_sub(1);
        let mut found = Found::default();
        for (i, pair) in lines.windows(2).enumerate() {
            let [low_a, high_a] = pair else { continue };
            for (j, pair) in lines.windows(2).enumerate() {
                let [low_c, high_c] = pair else { continue };
                // Lines i and `last` − i add up to 90°.
                let places: &[(usize, usize)] = match (i + j + 1).cmp(&last) {
                    std::cmp::Ordering::Less => continue,
                    std::cmp::Ordering::Equal => &[(1, 0), (0, 1), (1, 1)],
                    std::cmp::Ordering::Greater => &[(0, 0), (1, 0), (0, 1), (1, 1)],
                };
                let error = bends((low_a, high_a), (low_c, high_c), places.len() == 3);
                let is_extreme = |(di, dj): (usize, usize)| {
                    (i + di == last && j + dj == 0) || (i + di == 0 && j + dj == last)
                };
                // f − interpolation ≤ max|f''|/2·Δ² × product of two weights: a corner may be left out where the others bear four times as much.
                let has_extreme = places.iter().any(|place| is_extreme(*place));
                let cell = places.iter().map(|&(di, dj)| {
                    let factor = match (has_extreme, is_extreme((di, dj))) {
                        (true, true) => 0,
                        (true, false) => 4,
                        (false, _) => 1,
                    };
                    let [a, c] = [(di, low_a, high_a), (dj, low_c, high_c)]
                        .map(|(step, low, high)| if step == 0 { low } else { high });
                    let number = found.number((i + di, j + dj), a, c);
                    found.bear(number, &error, factor);
                    (number, factor)
                });
                let cell = cell.collect();
                found.cells.push(cell);
            }
        }
        found.cover()
    }
}

/// sin(A + C).
fn sine_of_sum(a: &Line, c: &Line) -> Rational {
    Rational::from(&a.sine * &c.cosine) + Rational::from(&a.cosine * &c.sine)
}

fn lines(half: &[u32]) -> Vec<Line> {
    let lower = half.iter().map(|t| Rational::from((*t, 1000u32)));
    let upper = half.iter().rev().map(|t| {
        let t = Rational::from((*t, 1000u32));
        Rational::from(1 - &t) / (1 + t)
    });
    lower.chain(upper).map(Line::new).collect()
}

/// Corners and cells found so far; beside each corner the largest errors that it bears.
#[derive(Default)]
struct Found {
    places: Vec<(usize, usize)>,
    corners: Vec<Corner>,
    errors: Vec<Corner>,
    cells: Vec<Cell>,
}

impl Found {
    fn number(&mut self, place: (usize, usize), a: &Line, c: &Line) -> usize {
        if let Some(number) = self.places.iter().position(|known| *known == place) {
            return number;
        }
        self.places.push(place);
        self.corners.push(Corner {
            place,
            a: Rational::from(&a.sine * 2u32),
            b: sine_of_sum(a, c) * 2u32,
            c: Rational::from(&c.sine * 2u32),
        });
        self.errors.push(Corner {
            place,
            a: Rational::new(),
            b: Rational::new(),
            c: Rational::new(),
        });
        self.places.len().saturating_sub(1)
    }

    fn bear(&mut self, number: usize, error: &Corner, factor: u32) {
        let Some(known) = self.errors.get_mut(number) else {
            return;
        };
        for (known, error) in [
            (&mut known.a, &error.a),
            (&mut known.b, &error.b),
            (&mut known.c, &error.c),
        ] {
            let error = Rational::from(error * factor);
            if error > *known {
                *known = error;
            }
        }
    }

    fn cover(self) -> Cover {
        let corners = self.corners.into_iter().zip(self.errors);
        let corners = corners.map(|(corner, error)| Corner {
            a: rounded_up(corner.a + error.a),
            b: rounded_up(corner.b + error.b),
            c: rounded_up(corner.c + error.c),
            place: corner.place,
        });
        Cover {
            corners: corners.collect(),
            cells: self.cells,
        }
    }
}

fn rounded_up(x: Rational) -> Rational {
    let scaled = x << SIDE_BITS;
    Rational::from(Integer::from(scaled.ceil_ref())) >> SIDE_BITS
}

#[cfg(test)]
#[path = "triangles_tests.rs"]
mod tests;
