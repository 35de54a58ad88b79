//! Columns that line up.

use rug::Rational;

use super::Style;
use super::digits::scientific;
use crate::number::{decimal_down, decimal_up, parse_rational};

/// Significant digits in a table.
const LEAST_DIGITS: usize = 4;
const MOST_DIGITS: usize = 8;

/// Blanks between columns.
const GAP: usize = 2;

/// One field of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    text: String,
    overhanging: bool,
}

impl Cell {
    /// As wide as its column.
    pub fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            overhanging: false,
        }
    }

    /// The last field of its row, which makes no column wider.
    pub fn overhanging(text: &str) -> Self {
        Self {
            overhanging: true,
            ..Self::plain(text)
        }
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

/// The rows, the first of which is the heading, every line ended.
pub fn aligned(rows: &[Vec<Cell>], style: Style) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths = vec![0usize; columns];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            if !cell.overhanging {
                *width = cell.width().max(*width);
            }
        }
    }
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (width, cell) in widths.iter().zip(row) {
            line.push_str(&cell.text);
            let missing = width.saturating_sub(cell.width()).saturating_add(GAP);
            line.push_str(&" ".repeat(missing));
        }
        let line = line.trim_end();
        text.push_str(&if number == 0 {
            style.bold(line)
        } else {
            line.to_owned()
        });
        text.push('\n');
    }
    text
}

/// The same for plain fields, line by line.
pub fn lines<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let cells = |row: &[String; N]| row.iter().map(|text| Cell::plain(text)).collect();
    let cells: Vec<Vec<Cell>> = rows.iter().map(cells).collect();
    let text = aligned(&cells, Style::Plain);
    text.lines().map(str::to_owned).collect()
}

/// An interval, given by decimals, `inf` or `-inf`, with as many digits as it takes to show how wide it is, rounded
/// outwards; one number where both ends are the same.
pub fn short_interval(lower: &str, upper: &str) -> String {
    let (low, high) = match (parse_rational(lower), parse_rational(upper)) {
        (Ok(low), Ok(high)) => shortened(&low, &high),
        (Ok(low), Err(_)) => (decimal_down(&low, LEAST_DIGITS), upper.to_owned()),
        (Err(_), Ok(high)) => (lower.to_owned(), decimal_up(&high, LEAST_DIGITS)),
        (Err(_), Err(_)) => (lower.to_owned(), upper.to_owned()),
    };
    let (low, high) = (scientific(&low), scientific(&high));
    if low == high {
        low
    } else {
        format!("[{low}, {high}]")
    }
}

/// The ends with the fewest digits that at most double the width.
fn shortened(low: &Rational, high: &Rational) -> (String, String) {
    let width = Rational::from(high - low);
    let limit = Rational::from(&width * 2u32);
    let mut printed = (String::new(), String::new());
    for digits in LEAST_DIGITS..=MOST_DIGITS {
        printed = (decimal_down(low, digits), decimal_up(high, digits));
        if let (Ok(low), Ok(high)) = (parse_rational(&printed.0), parse_rational(&printed.1))
            && high - low <= limit
        {
            break;
        }
    }
    printed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_stay_outside_and_short() {
        for (lower, upper, text) in [
            ("0.5", "0.5", "0.5"),
            ("1.234561", "1.234572", "[1.23456, 1.23458]"),
            (
                "0.38292492254802",
                "0.38292492254803",
                "[0.38292492, 0.38292493]",
            ),
            ("0.0000123456", "0.0000123467", "[1.2345e-5, 1.2347e-5]"),
            ("0", "1", "[0, 1]"),
            ("-inf", "inf", "[-inf, inf]"),
            ("inf", "inf", "inf"),
            ("1.23456", "inf", "[1.234, inf]"),
            ("-inf", "1.23456", "[-inf, 1.235]"),
            ("-2.00004", "-1", "[-2.001, -1]"),
        ] {
            assert_eq!(short_interval(lower, upper), text);
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_field() {
        let row = |texts: [&str; 2]| texts.map(Cell::plain).to_vec();
        let wide = vec![Cell::plain("ππ"), Cell::overhanging("a long remark")];
        let rows = [row(["a", "bb"]), wide, row(["1", "2"])];
        assert_eq!(
            aligned(&rows, Style::Plain),
            "a   bb\nππ  a long remark\n1   2\n"
        );
    }

    proptest::proptest! {
        #[test]
        fn shortened_intervals_contain_the_long_ones(a in -1_000_000i64..1_000_000, b in 1u32..1000, w in 0u32..1000) {
            let low = Rational::from((a, b));
            let high = &low + Rational::from((w, 1_000_000u32));
            let (short_low, short_high) = shortened(&low, &high);
            proptest::prop_assert!(parse_rational(&short_low).unwrap() <= low);
            proptest::prop_assert!(parse_rational(&short_high).unwrap() >= high);
        }
    }
}
