//! `docs/audit/refuted.svg`: by how much the ε of refuted claims is too small, group by group.

use std::fmt::Write as _;

/// A group of causes, and of each of its claims the name and true ε over claimed ε, less 1.
pub(crate) struct Row<'a> {
    pub title: &'a str,
    pub claims: Vec<(&'a str, f64)>,
}

/// Powers of ten at the ends of the axis; what is less stands at the first, as ε is known to six digits here.
const AXIS: (i32, i32) = (-6, 8);
/// Narrow, so that its words can be read on a phone: titles stand above their rows.
const LEFT: f64 = 34.0;
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 46.0;
const TOP: f64 = 34.0;

pub(crate) fn picture(rows: &[Row<'_>]) -> String {
    let bottom = TOP + HEIGHT * rows.len() as f64;
    let place = |power: f64| {
        let share = (power - f64::from(AXIS.0)) / f64::from(AXIS.1 - AXIS.0);
        LEFT + share.clamp(0.0, 1.0) * WIDTH
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" font-family=\"system-ui, sans-serif\" font-size=\"14\" fill=\"#333\">\n\
        <title>By how much the epsilon of refuted claims is too small</title>\n\
        <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
        <text x=\"6\" y=\"22\" font-size=\"15\">How much larger ε has to be, at the δ that is claimed</text>\n",
        LEFT + WIDTH + 26.0,
        bottom + 40.0
    );
    for power in (AXIS.0..=AXIS.1).step_by(2) {
        let x = place(f64::from(power));
        let word = match power {
            -6 => "≤ 1e-4 %".to_owned(),
            -2 => "1 %".to_owned(),
            0 => "twice".to_owned(),
            ..0 => format!("1e{} %", power + 2),
            _ => format!("1e{power} ×"),
        };
        writeln!(svg, "<path d=\"M{x:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{word}</text>", bottom + 20.0).unwrap();
    }
    for (row, y) in rows
        .iter()
        .zip((0..).map(|i| TOP + HEIGHT * (f64::from(i) + 0.5)))
    {
        writeln!(
            svg,
            "<text x=\"6\" y=\"{:.1}\">{} ({})</text>",
            y - 9.0,
            row.title,
            row.claims.len()
        )
        .unwrap();
        for (id, excess) in &row.claims {
            let x = place(excess.log10());
            writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"5\" fill=\"#b3402a\" fill-opacity=\"0.55\"><title>{id}</title></circle>", y + 6.0).unwrap();
        }
    }
    svg + "</svg>\n"
}
