//! A mechanism with numbers left open, as calibration and sweeps need it.

use rug::Rational;

use super::{
    claim::mechanism_of_document,
    document::read_document_beside,
    error::InputError,
    matrix_file::Beside,
    mechanism::{MechanismFile, Notation},
    node::{Entry, Node, Table, Value},
    problem::{ErrorCode, Problem},
    source::Source,
};
use crate::mechanism::KindName;

/// A mechanism with numbers left open: its text is read once, and numbers are set in what was read.
pub struct Template<'t> {
    source: Source<'t>,
    document: Node,
}

impl<'t> Template<'t> {
    /// Reads the text of a mechanism or a claim file. `name` is only for messages.
    ///
    /// # Errors
    /// If it is no document at all; what else may be wrong with it is found once numbers are set.
    pub fn new(name: &'t str, bytes: &'t [u8]) -> Result<Self, InputError> {
        Self::beside(name, bytes, None)
    }

    /// As [`Template::new`], with the files that the text may name.
    ///
    /// # Errors
    /// As [`Template::new`], and anything wrong with those files.
    pub fn beside(
        name: &'t str,
        bytes: &'t [u8],
        beside: Option<&dyn Beside>,
    ) -> Result<Self, InputError> {
        let source = Source::decode(name, bytes, 1)?;
        match read_document_beside(source.text(), beside) {
            Ok(document) => Ok(Self { source, document }),
            Err(problem) => Err(source.locate(problem)),
        }
    }

    /// As [`super::mechanism_from_bytes`], after setting the top-level `key` of the mechanism to `value`, whether
    /// or not the file gives it.
    ///
    /// # Errors
    /// Anything wrong with the file or with the value, which then is reported at the place of the key, or
    /// of the mechanism if the file leaves the key out; numbers of more than a thousand digits are refused.
    pub fn with_value(&self, key: &str, value: &Rational) -> Result<MechanismFile, InputError> {
        self.with_values(&[(key, value)])
    }

    /// As [`Template::with_value`], with several keys set; of a key that is given twice, the last value counts.
    ///
    /// # Errors
    /// As [`Template::with_value`].
    pub fn with_values(&self, values: &[(&str, &Rational)]) -> Result<MechanismFile, InputError> {
        let read = || {
            let mut document = self.document.clone();
            let (table, start) = mechanism_table(&mut document)?;
            for (key, value) in values {
                set(table, start, key, value);
            }
            mechanism_of_document(&self.source, &document)
        };
        read().map_err(|problem| self.source.locate(problem))
    }

    /// Whether privacy is known not to go one way with the top-level `key`: more noise hides a count better, and releases a new key more often; where an
    /// epoch has fewer steps, a record takes part at other places.
    ///
    /// # Errors
    /// If there is no table of a mechanism of a known `kind`.
    pub fn goes_either_way(&self, key: &str) -> Result<bool, InputError> {
        let read = || {
            let mut document = self.document.clone();
            let span = document.span.clone();
            let (table, _) = mechanism_table(&mut document)?;
            let (notation, _) = Notation::of(table, &span)?;
            let is_of = |kind| matches!(notation, Notation::Kind(found) if found == kind);
            Ok(match key {
                "scale" | "sigma" => is_of(KindName::NoiseThreshold),
                "epochs" => is_of(KindName::MatrixFactorization),
                _ => false,
            })
        };
        read().map_err(|problem| self.source.locate(problem))
    }

    /// Whether the top-level `key` of this mechanism takes whole numbers only, such as `steps`; a key that the mechanism
    /// does not have takes any.
    ///
    /// # Errors
    /// If there is no table of a mechanism of a known `kind`.
    pub fn takes_whole_numbers(&self, key: &str) -> Result<bool, InputError> {
        let read = || {
            let mut document = self.document.clone();
            let span = document.span.clone();
            let (table, _) = mechanism_table(&mut document)?;
            let (notation, _) = Notation::of(table, &span)?;
            Ok(notation.whole_keys().contains(&key))
        };
        read().map_err(|problem| self.source.locate(problem))
    }
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
    use crate::mechanism::{Kind, Mechanism, kind::GaussianNoise};

    fn sigma(text: &str) -> Result<Rational, InputError> {
        let value = Rational::from((7, 2));
        let read = Template::new("t", text.as_bytes())?.with_value("sigma", &value)?;
        match read.mechanism.kind() {
            Kind::Gaussian(gaussian) => match gaussian.stated() {
                GaussianNoise::Sigma { sigma, .. } => Ok(sigma.clone()),
                other => panic!("{other:?}"),
            },
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
        let read = Template::new("t", text)
            .unwrap()
            .with_values(&values)
            .unwrap();
        let expected = Mechanism::gaussian(three.clone(), three.clone()).unwrap();
        assert_eq!(read.mechanism, expected);
    }

    /// What was set for one mechanism is not set in the next.
    #[test]
    fn one_reading_serves_many_values() {
        let template = Template::new("t", b"kind = \"gaussian\"\nsigma = 1").unwrap();
        let (two, three) = (Rational::from(2), Rational::from(3));
        let read = |key: &str, value: &Rational| template.with_value(key, value).unwrap().mechanism;
        let of = |sigma: &Rational, sensitivity: &Rational| {
            Mechanism::gaussian(sigma.clone(), sensitivity.clone()).unwrap()
        };
        assert_eq!(read("sigma", &two), of(&two, &Rational::from(1)));
        assert_eq!(read("sensitivity", &three), of(&Rational::from(1), &three));
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
            let found = Template::new("t", text.as_bytes())
                .unwrap()
                .takes_whole_numbers(key);
            assert_eq!(found, Ok(whole), "{text} {key}");
        }
        let unknown = Template::new("t", b"kind = \"gauss\"").unwrap();
        assert!(unknown.takes_whole_numbers("sigma").is_err());
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
