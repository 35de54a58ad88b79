//! A picture as dots of a terminal: two wide and four high in each character (Unicode's Braille patterns).

use super::picture::{Item, Panel, Picture};

/// Characters across and down, where the width of the terminal is not known.
const USUAL: (usize, usize) = (64, 14);
/// The narrowest and the widest picture, in characters.
const NARROW: usize = 24;
const WIDE: usize = 160;
/// The highest one.
const HIGH: usize = 30;

/// All panels, one below the other, every line ended and, where the width of a terminal is given, within it as far as words fit.
pub fn terminal(picture: &Picture, columns: Option<usize>) -> String {
    let mut text = String::new();
    for panel in &picture.panels {
        text.push_str(&one(panel, columns));
    }
    text
}

/// Characters across and down beside a margin.
fn size(columns: Option<usize>, margin: usize) -> (usize, usize) {
    let Some(columns) = columns else {
        return USUAL;
    };
    let across = columns.saturating_sub(margin + 2).clamp(NARROW, WIDE);
    (
        across,
        (across * USUAL.1 / USUAL.0).clamp(USUAL.1 / 2, HIGH),
    )
}

fn one(panel: &Panel, columns: Option<usize>) -> String {
    let (low, high) = (ends(panel.y.ticks(6)), ends(panel.x.ticks(6)));
    let margin = [&low.0, &low.1]
        .map(|text| text.chars().count())
        .into_iter()
        .max()
        .unwrap_or(0);
    let (across, down) = size(columns, margin);
    let mut canvas = Canvas::new(across, down);
    for item in &panel.items {
        match item {
            Item::Line { points, .. } => canvas.line(panel, points),
            Item::Marks { knots, .. } => {
                for knot in knots {
                    canvas.line(panel, &[(knot.x, knot.low), (knot.x, knot.high)]);
                }
            }
            Item::Ruler { .. } => canvas.line(panel, &item.points()),
            Item::Band { .. } | Item::Rings { .. } => {}
        }
    }
    let mut text = String::new();
    if let Some(title) = &panel.title {
        text.push_str(&format!("{title}\n"));
    }
    text.push_str(&format!("{:margin$} {}\n", "", panel.y.label));
    for (row, line) in canvas.rows().into_iter().enumerate() {
        let beside = match row {
            0 => low.1.as_str(),
            row if row + 1 == down => low.0.as_str(),
            _ => "",
        };
        text.push_str(&format!(
            "{beside:>margin$} │{}\n",
            line.trim_end_matches('\u{2800}')
        ));
    }
    let (first, last) = high;
    let room = across.saturating_sub(first.chars().count());
    text.push_str(&format!("{:margin$} └{}\n", "", "─".repeat(across)));
    text.push_str(&format!("{:margin$}  {first}{last:>room$}\n", ""));
    text.push_str(&format!("{:margin$}  {:>across$}\n", "", panel.x.label));
    for label in labels(panel) {
        text.push_str(&format!("{:margin$}  · {label}\n", ""));
    }
    text
}

fn ends(ticks: Vec<super::scale::Tick>) -> (String, String) {
    let first = ticks.first().map(|tick| tick.text.clone());
    let last = ticks.last().map(|tick| tick.text.clone());
    (first.unwrap_or_default(), last.unwrap_or_default())
}

fn labels(panel: &Panel) -> Vec<String> {
    let labels = panel.items.iter().filter_map(|item| match item {
        Item::Line { label, .. } | Item::Marks { label, .. } => label.clone(),
        Item::Ruler { label, .. } => Some(label.clone()),
        Item::Band { .. } | Item::Rings { .. } => None,
    });
    labels.collect()
}

struct Canvas {
    /// Characters across and down.
    across: usize,
    down: usize,
    /// A Braille pattern per character, row by row.
    dots: Vec<u8>,
}

impl Canvas {
    fn new(across: usize, down: usize) -> Self {
        Self {
            across,
            down,
            dots: vec![0; across * down],
        }
    }

    fn line(&mut self, panel: &Panel, points: &[(f64, f64)]) {
        let (wide, high) = ((self.across * 2 - 1) as f64, (self.down * 4 - 1) as f64);
        let spots: Vec<(f64, f64)> = points
            .iter()
            .map(|(x, y)| (panel.x.share(*x) * wide, (1.0 - panel.y.share(*y)) * high))
            .collect();
        for (from, to) in spots.iter().zip(spots.iter().skip(1)) {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let steps = dx.abs().max(dy.abs()).ceil().max(1.0);
            for step in 0..=(steps as u32) {
                let share = f64::from(step) / steps;
                self.dot(from.0 + dx * share, from.1 + dy * share);
            }
        }
    }

    fn dot(&mut self, x: f64, y: f64) {
        let (x, y) = (x.round(), y.round());
        if x < 0.0 || y < 0.0 {
            return;
        }
        let (x, y) = (x as usize, y as usize);
        let bit = match (x % 2, y % 4) {
            (0, 0) => 0x01,
            (0, 1) => 0x02,
            (0, 2) => 0x04,
            (_, 0) => 0x08,
            (_, 1) => 0x10,
            (_, 2) => 0x20,
            (0, _) => 0x40,
            _ => 0x80,
        };
        if x / 2 < self.across
            && let Some(dots) = self.dots.get_mut(y / 4 * self.across + x / 2)
        {
            *dots |= bit;
        }
    }

    fn rows(&self) -> Vec<String> {
        let shown = |dots: &u8| char::from_u32(0x2800 + u32::from(*dots)).unwrap_or(' ');
        self.dots
            .chunks(self.across)
            .map(|row| row.iter().map(shown).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beside any margin a picture fills the terminal and is not wider, unless that is narrower than any picture.
    #[test]
    fn pictures_are_as_wide_as_the_terminal() {
        assert_eq!(size(None, 9), USUAL);
        for columns in [40, 60, 80, 120] {
            for margin in [1, 4, 9] {
                let (across, down) = size(Some(columns), margin);
                assert_eq!(across + margin + 2, columns);
                assert!((USUAL.1 / 2..=HIGH).contains(&down));
            }
        }
        assert_eq!(size(Some(10), 4).0, NARROW);
        assert_eq!(size(Some(1000), 4), (WIDE, HIGH));
        // A line from corner to corner marks both.
        for (across, down) in [(24, 7), (64, 14), (160, 30)] {
            let mut canvas = Canvas::new(across, down);
            canvas.dot(0.0, 0.0);
            canvas.dot((across * 2 - 1) as f64, (down * 4 - 1) as f64);
            canvas.dot((across * 2) as f64, 0.0);
            let rows = canvas.rows();
            assert!(rows.len() == down && rows.iter().all(|row| row.chars().count() == across));
            assert!(rows[0].starts_with('\u{2801}') && rows[down - 1].ends_with('\u{2880}'));
            let marked = rows
                .iter()
                .flat_map(|row| row.chars())
                .filter(|dots| *dots != '\u{2800}');
            assert_eq!(marked.count(), 2);
        }
    }
}
