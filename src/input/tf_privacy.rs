//! The statement that `compute_dp_sgd_privacy_statement` of TensorFlow Privacy prints, as claim files.
//!
//! It makes up to four claims about one run, each under assumptions of its own: example-level and, where users have at most so many examples, user-level; every
//! example once per epoch, or Poisson sampling. With micro-batches it takes the sensitivity for twice the clip norm.

use rug::{Integer, Rational};

use super::problem::{ErrorCode, Problem};
use crate::number::{exact, parse_rational};

const START: &str = "DP-SGD performed over ";
const ONCE: &str = "Epsilon with each example occurring once per epoch:";
const POISSON: &str = "Epsilon assuming Poisson sampling (*):";

/// Is this text such a statement?
pub fn is_statement(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(START.as_bytes())
}

/// Where one mechanism is wanted; the statement begins so many bytes into the input.
pub(super) fn several_claims(start: usize) -> Problem {
    let place = start..start.saturating_add(START.trim_end().len());
    let message = "this is a statement of TensorFlow Privacy, about several mechanisms";
    Problem::new(ErrorCode::Unsupported, &place, message)
        .label("each of its claims has a mechanism of its own")
        .help("`dpcmp verify FILE --details` judges all of its claims, and prints their mechanisms")
}

/// A claim file for each claim of the statement, as JSON lines.
///
/// # Errors
/// Says what is missing in it, or is no number.
pub fn claims_of_statement(bytes: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())?;
    // Its lines are filled to 80 columns.
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    let records = whole(&text, START, " examples")?;
    let batch = whole(&text, " examples with ", " examples per iteration")?;
    let noise = number(&text, " noise multiplier ", " for ")?.1;
    let epochs = number(after(&text, " noise multiplier ")?, " for ", " epochs")?.1;
    let noise = match (
        text.contains(" epochs with microbatching"),
        text.contains(" epochs without microbatching"),
    ) {
        (true, false) => noise / 2u32,
        (false, true) => noise,
        (true, true) | (false, false) => {
            return Err(missing("epochs with microbatching"));
        }
    };
    let noise = exact(&noise);
    let times = Integer::from(epochs.ceil_ref());
    let once = format!(
        r#"{{"kind":"compose","of":[{{"kind":"gaussian","noise-multiplier":"{noise}","times":"{times}"}}]}}"#
    );
    let steps = epochs * Rational::from(&records) / Rational::from(&batch);
    let steps = Integer::from(steps.ceil_ref());
    let sampled = format!(
        r#"{{"kind":"dp-sgd","noise-multiplier":"{noise}","sample-rate":"{batch}/{records}","steps":"{steps}"}}"#
    );
    let mut lines = String::new();
    let example = after(&text, "Example-level DP ")?;
    let (example, user) = match example.split_once("User-level DP with ") {
        Some((example, user)) => (example, Some(user)),
        None => (example, None),
    };
    section(&mut lines, "example-level", example, &once, &sampled)?;
    if let Some(user) = user {
        let most = whole(&text, " at most ", " examples per user")?;
        let group = |of: &str| format!(r#"{{"kind":"group","records":"{most}","of":{of}}}"#);
        section(
            &mut lines,
            "user-level",
            user,
            &group(&once),
            &group(&sampled),
        )?;
    }
    Ok(lines)
}

/// Both claims of a level.
fn section(
    lines: &mut String,
    level: &str,
    text: &str,
    once: &str,
    sampled: &str,
) -> Result<(), String> {
    let delta = number(text, " at delta = ", " ")?.0;
    for (label, what, mechanism) in [
        (ONCE, "each example once per epoch", once),
        (POISSON, "assuming Poisson sampling", sampled),
    ] {
        let value = after(text, label)?.trim_start();
        let value = value.split(' ').next().unwrap_or_default();
        // Then nothing is claimed.
        if value == "inf" {
            continue;
        }
        parse_rational(value).map_err(|why| format!("after `{label}`: {why}"))?;
        lines.push_str(&format!(
            r#"{{"title":"{level}, {what}","source":"a statement of TensorFlow Privacy","mechanism":{mechanism},"claim":[{{"kind":"approx-dp","epsilon":"{value}","delta":"{delta}"}}]}}"#
        ));
        lines.push('\n');
    }
    Ok(())
}

fn missing(what: &str) -> String {
    format!(
        "it begins like a statement of TensorFlow Privacy, and has no `{}`",
        what.trim()
    )
}

fn after<'t>(text: &'t str, label: &str) -> Result<&'t str, String> {
    let (_, rest) = text.split_once(label).ok_or_else(|| missing(label))?;
    Ok(rest)
}

/// The number between two labels: its text and its value, which is above 0.
fn number<'t>(text: &'t str, from: &str, to: &str) -> Result<(&'t str, Rational), String> {
    let rest = after(text, from)?;
    let (found, _) = rest.split_once(to).ok_or_else(|| missing(to))?;
    let value = parse_rational(found).map_err(|why| format!("after `{}`: {why}", from.trim()))?;
    if value <= 0 {
        return Err(format!(
            "after `{}`: the number must be greater than 0",
            from.trim()
        ));
    }
    Ok((found, value))
}

fn whole(text: &str, from: &str, to: &str) -> Result<Integer, String> {
    let (_, value) = number(text, from, to)?;
    if !value.is_integer() {
        return Err(format!(
            "after `{}`: the number must be a whole number",
            from.trim()
        ));
    }
    Ok(value.numer().clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::claims_from_jsonl;
    use crate::mechanism::Mechanism;

    const STATEMENT: &str = "\
DP-SGD performed over 10000 examples with 64 examples per iteration, noise
multiplier 2.0 for 5.0 epochs with microbatching, and at most 3 examples per
user.

This privacy guarantee protects the release of all model checkpoints in addition
to the final model.

Example-level DP with add-or-remove-one adjacency at delta = 1e-06 computed with
RDP accounting:
    Epsilon with each example occurring once per epoch:        13.376
    Epsilon assuming Poisson sampling (*):                      1.616

User-level DP with add-or-remove-one adjacency at delta = 1e-06 computed using
RDP accounting and group privacy:
    Epsilon with each example occurring once per epoch:    inf (**)
    Epsilon assuming Poisson sampling (*):                      9.9

(*) Poisson sampling is not usually done in training pipelines.
";

    #[test]
    fn the_claims_of_a_statement() {
        assert!(is_statement(STATEMENT.as_bytes()) && !is_statement(b"[mechanism]"));
        let error = crate::input::mechanism_from_bytes("a", STATEMENT.as_bytes()).unwrap_err();
        assert!(
            error
                .help()
                .is_some_and(|help| help.contains("`dpcmp verify FILE --details`")),
            "{error}"
        );
        let lines = claims_of_statement(STATEMENT.as_bytes()).unwrap();
        let files: Vec<_> = claims_from_jsonl("statement", lines.as_bytes())
            .map(|(_, file)| file.unwrap())
            .collect();
        let [once, poisson, user] = files.as_slice() else {
            panic!("{lines}");
        };
        // Micro-batches halve the noise; ⌈5·10000/64⌉ = 782.
        let noise = || Mechanism::gaussian_sum(1, 1).unwrap();
        let of =
            |mechanism: Mechanism, times| Mechanism::compose(vec![(mechanism, times)]).unwrap();
        let sampled = Mechanism::subsampled(Rational::from((64, 10_000)), noise()).unwrap();
        assert_eq!(once.mechanism.mechanism.words(), of(noise(), 5).words());
        assert_eq!(poisson.mechanism.mechanism, of(sampled, 782));
        assert!(user.mechanism.mechanism.words().contains('3'));
        assert_eq!(once.claims[0].number_text("epsilon"), Some("13.376"));
        assert_eq!(poisson.claims[0].number_text("epsilon"), Some("1.616"));
        assert_eq!(user.claims[0].number_text("delta"), Some("1e-06"));
        let without = STATEMENT.replace("with microbatching", "without microbatching");
        let lines = claims_of_statement(without.as_bytes()).unwrap();
        assert!(lines.contains(r#""noise-multiplier":"2""#), "{lines}");
    }

    #[test]
    fn what_is_no_whole_statement_is_said() {
        for (from, to, says) in [
            ("noise\nmultiplier 2.0", "noise", "noise multiplier"),
            ("delta = 1e-06", "delta", "at delta ="),
            ("64 examples", "6.4 examples", "whole number"),
            ("13.376", "many", "once per epoch"),
            ("for 5.0 epochs", "for 0 epochs", "greater than 0"),
            ("with microbatching", "perhaps", "microbatching"),
            ("at most 3 examples per\nuser", "few per user", "at most"),
        ] {
            let text = STATEMENT.replacen(from, to, 1);
            assert_ne!(text, STATEMENT);
            let error = claims_of_statement(text.as_bytes()).unwrap_err();
            assert!(error.contains(says), "{from}: {error}");
        }
    }

    quickcheck::quickcheck! {
        fn arbitrary_text_never_panics(text: String) -> bool {
            let _ = claims_of_statement(format!("{START}{text}").as_bytes());
            true
        }
    }
}
