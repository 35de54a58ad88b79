//! Colours: Okabe and Ito's, which colour-blind people tell apart, on light and on dark ground.

use super::picture::Hue;

/// The style sheet of a picture that follows the reader's preference, and is light on paper.
pub fn adaptive() -> String {
    let dark = rules(&DARK);
    format!(
        "{}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}",
        light()
    )
}

/// The style sheet of a picture that is light everywhere.
pub fn light() -> String {
    format!("{FIXED}\n{}", rules(&LIGHT))
}

/// The class of a colour; `l-` of a line, `f-` of a region, `t-` of words.
pub fn class(hue: Hue) -> &'static str {
    match hue {
        Hue::First => "one",
        Hue::Second => "two",
        Hue::Third => "three",
        Hue::Fourth => "four",
        Hue::Fifth => "five",
        Hue::Soft => "soft",
        Hue::Ink => "ink",
    }
}

const FIXED: &str = "\
.dpcmp text { font-family: 'DejaVu Sans', Verdana, system-ui, sans-serif; font-size: 13px }
.dpcmp .title { font-size: 16px; font-weight: bold }
.dpcmp .small { font-size: 12px }
.dpcmp .line { fill: none; stroke-width: 2; stroke-linejoin: round }
.dpcmp .thin { fill: none; stroke-width: 1.2 }
.dpcmp .rule { stroke-width: 1 }
.dpcmp .band { stroke: none; fill-opacity: 0.3 }";

struct Theme {
    ground: &'static str,
    grid: &'static str,
    words: &'static str,
    hues: [(Hue, &'static str); 7],
}

const LIGHT: Theme = Theme {
    ground: "#ffffff",
    grid: "#e4e7eb",
    words: "#4b5563",
    hues: [
        (Hue::First, "#0072b2"),
        (Hue::Second, "#c14e00"),
        (Hue::Third, "#00795a"),
        (Hue::Fourth, "#a8527f"),
        (Hue::Fifth, "#8a6d00"),
        (Hue::Soft, "#6b7280"),
        (Hue::Ink, "#111827"),
    ],
};

const DARK: Theme = Theme {
    ground: "#14181d",
    grid: "#2b323b",
    words: "#b4bcc8",
    hues: [
        (Hue::First, "#56b4e9"),
        (Hue::Second, "#f28e45"),
        (Hue::Third, "#2fc79b"),
        (Hue::Fourth, "#dd93bd"),
        (Hue::Fifth, "#e3c945"),
        (Hue::Soft, "#9aa3b0"),
        (Hue::Ink, "#f1f4f8"),
    ],
};

fn rules(theme: &Theme) -> String {
    let Theme {
        ground,
        grid,
        words,
        hues,
    } = theme;
    let mut text = format!(
        ".dpcmp .ground {{ fill: {ground} }}\n.dpcmp .grid {{ stroke: {grid} }}\n.dpcmp text {{ fill: {words}; stroke: none }}\n.dpcmp .halo {{ fill: {ground}; fill-opacity: 0.8 }}"
    );
    for (hue, colour) in hues {
        let name = class(*hue);
        text.push_str(&format!(
            "\n.dpcmp .l-{name} {{ stroke: {colour} }} .dpcmp .f-{name} {{ fill: {colour} }} .dpcmp .t-{name} {{ fill: {colour} }}"
        ));
    }
    text
}
