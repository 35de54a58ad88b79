//! A mechanism with numbers left open, as calibration and sweeps need it.

use rug::Rational;

use super::{
    claim::mechanism_of_document,
    document::read_document,
    error::InputError,
    fields,
    mechanism::{MECHANISM_KINDS, MechanismFile, whole_keys},
    node::{Entry, Node, Table, Value},
    problem::{ErrorCode, Problem},
    source::Source,
};

/// As [`super::mechanism_from_bytes`], after setting the top-level `key` of the mechanism to `value`, whether
/// or not the file gives it.
///
/// # Errors
/// Anything wrong with the file or with the value, which then is reported at the place of the key, or
/// of the mechanism if the file leaves the key out; numbers of more than a thousand digits are refused.
pub fn mechanism_with_value(
    name: &str,
    bytes: &[u8],
    key: &str,
    value: &Rational,
) -> Result<MechanismFile, InputError> {
    mechanism_with_values(name, bytes, &[(key, value)])
}

/// As [`mechanism_with_value`], with several keys set; of a key that is given twice, the last value counts.
///
/// # Errors
/// As [`mechanism_with_value`].
pub fn mechanism_with_values(
    name: &str,
    bytes: &[u8],
    values: &[(&str, &Rational)],
) -> Result<MechanismFile, InputError> {
    let source = Source::decode(name, bytes, 1)?;
    let read = || {
        let mut document = read_document(source.text())?;
        let (table, start) = mechanism_table(&mut document)?;
        for (key, value) in values {
            set(table, start, key, value);
        }
        mechanism_of_document(&source, &document)
    };
    read().map_err(|problem| source.locate(problem))
}

/// Whether the top-level `key` of this mechanism takes whole numbers only, such as `steps`; a key that the mechanism
/// does not have takes any.
///
/// # Errors
/// If there is no table of a mechanism of a known `kind`.
pub fn takes_whole_numbers(name: &str, bytes: &[u8], key: &str) -> Result<bool, InputError> {
    let source = Source::decode(name, bytes, 1)?;
    let read = || {
        let mut document = read_document(source.text())?;
        let span = document.span.clone();
        let (table, _) = mechanism_table(&mut document)?;
        let (kind, _) = fields::kind(table, "a mechanism", &span, &MECHANISM_KINDS)?;
        Ok(whole_keys(kind).contains(&key))
    };
    read().map_err(|problem| source.locate(problem))
}

fn mechanism_table(document: &mut Node) -> Result<(&mut Table, usize), Problem> {
    let span = document.span.clone();
    let no_table = || {
        let message = "there is no mechanism with `kind` in which a key could be set";
        Problem::new(
            ErrorCode::MissingKey,
            &(span.start..span.start.saturating_add(1)),
            message,
        )
        .help("give a mechanism or a claim file of dpcmp itself")
    };
    let Value::Table(table) = &mut document.value else {
        return Err(no_table());
    };
    if table.has("kind") {
        return Ok((table, span.start));
    }
    let entry = table
        .entries
        .iter_mut()
        .find(|entry| entry.key == "mechanism");
    match entry.map(|entry| &mut entry.node) {
        Some(Node {
            value: Value::Table(inner),
            span,
        }) => Ok((inner, span.start)),
        _ => Err(no_table()),
    }
}

fn set(table: &mut Table, start: usize, key: &str, value: &Rational) {
    let text = Value::String(value.to_string());
    match table.entries.iter_mut().find(|entry| entry.key == key) {
        Some(entry) => entry.node.value = text,
        None => {
            let span = start..start.saturating_add(1);
            let node = Node::new(text, span.clone());
            table.entries.push(Entry {
                key: key.to_owned(),
                key_span: span,
                node,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Mechanism;

    fn sigma(text: &str) -> Result<Rational, InputError> {
        let value = Rational::from((7, 2));
        match mechanism_with_value("t", text.as_bytes(), "sigma", &value)?.mechanism {
            Mechanism::Gaussian { sigma, .. } => Ok(sigma),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sets_or_replaces_the_key() {
        for text in [
            "kind = \"gaussian\"",
            "kind = \"gaussian\"\nsigma = 1",
            "{\"kind\":\"gaussian\",\"sigma\":0}",
            "[mechanism]\nkind = \"gaussian\"",
        ] {
            assert_eq!(sigma(text), Ok(Rational::from((7, 2))), "{text}");
        }
    }

    #[test]
    fn sets_several_keys() {
        let text = b"kind = \"gaussian\"\nsigma = 1";
        let (two, three) = (Rational::from(2), Rational::from(3));
        let values = [("sigma", &two), ("sensitivity", &three), ("sigma", &three)];
        let read = mechanism_with_values("t", text, &values).unwrap();
        let expected = Mechanism::Gaussian {
            sigma: three.clone(),
            sensitivity: three.clone(),
        };
        assert_eq!(read.mechanism, expected);
    }

    #[test]
    fn knows_the_keys_of_whole_numbers() {
        for (text, key, whole) in [
            ("kind = \"dp-sgd\"", "steps", true),
            ("kind = \"dp-sgd\"", "noise-multiplier", false),
            ("[mechanism]\nkind = \"dp-sgd\"", "batch-size", true),
            ("kind = \"laplace\"", "sensitivity", false),
            ("kind = \"discrete-laplace\"", "sensitivity", true),
            ("kind = \"gaussian\"", "steps", false),
        ] {
            let found = takes_whole_numbers("t", text.as_bytes(), key);
            assert_eq!(found, Ok(whole), "{text} {key}");
        }
        assert!(takes_whole_numbers("t", b"kind = \"gauss\"", "sigma").is_err());
    }

    #[test]
    fn refuses_what_has_no_such_key() {
        assert_eq!(
            sigma("kind = \"laplace\"").unwrap_err().code(),
            ErrorCode::UnknownKey
        );
        assert_eq!(
            sigma("title = \"x\"").unwrap_err().code(),
            ErrorCode::MissingKey
        );
        assert_eq!(
            sigma("{\"history\":[[1,1,1]],\"mechanism\":\"rdp\"}")
                .unwrap_err()
                .code(),
            ErrorCode::MissingKey
        );
    }
}
