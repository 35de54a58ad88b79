//! Claim files as text.

use super::model::Model;
use crate::input::GdpForm;
use crate::number::{MAX_CHARACTERS, decimal_down, decimal_up};
use crate::statement::{Claim, StatedClaim};
use rug::Rational;

/// A claim file about a mechanism; each claim is the body of its table.
pub fn claim_file(model: &Model, claims: &[String]) -> String {
    let mut text = format!("[mechanism]\n{}", toml_table(&model.json()));
    for claim in claims {
        text.push_str("\n[[claim]]\n");
        text.push_str(claim);
    }
    text
}

/// The body of the table of a claim of a kind that answers make; `None` where a number is too long to be written.
pub fn claim_text(claim: &Claim) -> Option<String> {
    let kind = claim.kind();
    match claim.stated() {
        StatedClaim::ApproxDp { .. }
        | StatedClaim::Advantage { .. }
        | StatedClaim::TradeOff { .. }
        | StatedClaim::Gdp {
            form: GdpForm::ErrorFloor(_),
            ..
        } => {}
        StatedClaim::PureDp { .. }
        | StatedClaim::Gdp { .. }
        | StatedClaim::Regret { .. }
        | StatedClaim::Zcdp { .. }
        | StatedClaim::Rdp { .. }
        | StatedClaim::DominatedBy { .. } => return None,
    }
    let mut text = format!("kind = \"{kind}\"\n");
    for (key, number) in claim.numbers() {
        text.push_str(&format!("{key} = \"{}\"\n", exact(number)?));
    }
    Some(text)
}

/// As a decimal where that is exact, else as a fraction.
pub fn exact(number: &Rational) -> Option<String> {
    const DIGITS: usize = 60;
    let decimal = decimal_down(number, DIGITS);
    let text = if decimal == decimal_up(number, DIGITS) {
        decimal
    } else {
        number.to_string()
    };
    (text.len() <= MAX_CHARACTERS).then_some(text)
}

/// The lines of a TOML table from JSON without blanks, whose strings have no escapes.
fn toml_table(json: &str) -> String {
    let inner = json
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    let inner = inner.unwrap_or_default();
    let mut text = String::new();
    let mut depth = 0i32;
    let mut rest = inner.chars();
    while let Some(character) = rest.next() {
        match character {
            '"' => {
                let word: String = rest.by_ref().take_while(|c| *c != '"').collect();
                let mut ahead = rest.clone();
                if ahead.next() == Some(':') {
                    rest = ahead;
                    text.push_str(&format!("{word} = "));
                } else {
                    text.push_str(&format!("\"{word}\""));
                }
            }
            ',' if depth == 0 => text.push('\n'),
            ',' => text.push_str(", "),
            other => {
                depth = match other {
                    '{' | '[' => depth.saturating_add(1),
                    '}' | ']' => depth.saturating_sub(1),
                    _ => depth,
                };
                text.push(other);
            }
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::super::answer::Hello;
    use super::super::generate::Generator;
    use super::*;
    use crate::input::{claim_file_from_bytes, mechanism_from_bytes};

    #[test]
    fn the_same_mechanism_as_in_json() {
        let generator = Generator::new(11, &Hello::default());
        for number in 0..u64::from(crate::test_scale::cases(2)) {
            let case = generator.draw(number).unwrap().case;
            let value = Rational::from((1, 3));
            let claim = case.ask.claim(&value).unwrap();
            let text = claim_file(&case.model, &[claim_text(&claim).unwrap()]);
            let read = claim_file_from_bytes("test", text.as_bytes());
            let read = read.unwrap_or_else(|error| panic!("{text}\n{error}"));
            let json = mechanism_from_bytes("test", case.model.json().as_bytes()).unwrap();
            assert_eq!(read.mechanism.mechanism, json.mechanism);
            assert_eq!(read.claims.first().unwrap().claim, claim);
        }
    }
}
