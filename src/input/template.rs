//! A mechanism with numbers left open, as calibration and sweeps need it.

use rug::Rational;

use self::route::Found;
use super::{
    claim::mechanism_of_document,
    document::read_document_beside,
    error::InputError,
    matrix_file::Beside,
    mechanism::{MechanismFile, Notation},
    node::{Entry, Node, Table, Value},
    noise_threshold::TRUNCATED,
    problem::Problem,
    source::Source,
};
use crate::mechanism::KindName;

mod route;

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
        let source = Source::decode_repetitive(name, bytes)?;
        match read_document_beside(source.text(), beside) {
            Ok(document) => Ok(Self { source, document }),
            Err(problem) => Err(source.locate(problem)),
        }
    }

    /// As [`super::mechanism_from_bytes`], after setting the `key` of the mechanism to `value`, whether or not the file gives it: `sigma`, or
    /// `of.sigma` of the mechanism in `of`, or `of.1.sigma` of the second one in the list there.
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
            for (path, value) in values {
                route::walk(&mut document, path, &mut |found| {
                    if let Found::Key { table, start, key } = found {
                        route::is_known(table, start, key)?;
                        set(table, start, key, value);
                    }
                    Ok(())
                })?;
            }
            mechanism_of_document(&self.source, &document)
        };
        read().map_err(|problem| self.source.locate(problem))
    }

    /// Whether privacy is known not to go one way with the `key`: more noise hides a count better, and releases a new key more often; where an
    /// epoch has fewer steps, a record takes part at other places; what is selected among noisier runs is no function of what is selected
    /// among others; of a given number of epochs larger batches make fewer steps; and among more steps a record is found less easily.
    ///
    /// # Errors
    /// If there is no table of a mechanism of a known `kind`, or nothing at the place of the key.
    pub fn goes_either_way(&self, key: &str) -> Result<bool, InputError> {
        let read = || {
            let mut goes_either_way = false;
            let mut document = self.document.clone();
            route::walk(&mut document, key, &mut |found| {
                goes_either_way |= match found {
                    Found::Outside { table, start } => {
                        is_of(table, start, KindName::PrivateSelection)?
                    }
                    Found::Key { table, start, key } => match key {
                        "scale" | "sigma" => is_of(table, start, KindName::NoiseThreshold)?,
                        "epochs" => is_of(table, start, KindName::MatrixFactorization)?,
                        "batch-size" => table.has("epochs"),
                        "steps" => is_of(table, start, KindName::RandomAllocation)?,
                        _ => false,
                    },
                };
                Ok(())
            })?;
            Ok(goes_either_way)
        };
        read().map_err(|problem| self.source.locate(problem))
    }

    /// Whether the `key` of this mechanism takes whole numbers only, such as `steps`; a key that the mechanism
    /// does not have takes any.
    ///
    /// # Errors
    /// If there is no table of a mechanism of a known `kind`, or nothing at the place of the key.
    pub fn takes_whole_numbers(&self, key: &str) -> Result<bool, InputError> {
        let read = || {
            let mut is_whole = false;
            let mut document = self.document.clone();
            route::walk(&mut document, key, &mut |found| {
                if let Found::Key { table, start, key } = found {
                    let notation = notation(table, start)?;
                    is_whole = key == "times"
                        || notation.whole_keys().contains(&key)
                        || (key == "threshold" && ends_at_threshold(table))
                        || (key == "record-bound" && has_noise_on_the_integers(table));
                }
                Ok(())
            })?;
            Ok(is_whole)
        };
        read().map_err(|problem| self.source.locate(problem))
    }
}

fn is_of(table: &Table, start: usize, kind: KindName) -> Result<bool, Problem> {
    Ok(matches!(notation(table, start)?, Notation::Kind(found) if found == kind))
}

/// Are the counts of released keys whole numbers?
fn has_noise_on_the_integers(table: &Table) -> bool {
    has_noise(table, &["discrete-laplace", "discrete-gaussian", TRUNCATED])
}

/// Truncated geometric noise does.
fn ends_at_threshold(table: &Table) -> bool {
    has_noise(table, &[TRUNCATED])
}

/// Is the `noise` of released keys one of these?
fn has_noise(table: &Table, words: &[&str]) -> bool {
    let noise = table.entries.iter().find(|entry| entry.key == "noise");
    noise.is_some_and(
        |noise| matches!(&noise.node.value, Value::String(word) if words.contains(&word.as_str())),
    )
}

fn notation(table: &Table, start: usize) -> Result<Notation, Problem> {
    let (notation, _) = Notation::of(table, &(start..start.saturating_add(1)))?;
    Ok(notation)
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
    use crate::input::ErrorCode;
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

    /// Keys of inner mechanisms, in tables and in lists; what is no place in them.
    #[test]
    fn keys_of_inner_mechanisms() {
        let text = br#"{"kind":"compose","of":[{"kind":"laplace","scale":1},{"kind":"group","records":2,"of":{"kind":"gaussian"}}]}"#;
        let template = Template::new("t", text).unwrap();
        let (two, three) = (Rational::from(2), Rational::from(3));
        let values = [
            ("of.0.scale", &two),
            ("of.1.of.sigma", &three),
            ("of.1.records", &three),
            ("of.0.times", &two),
        ];
        let laplace = Mechanism::laplace(two.clone(), Rational::from(1)).unwrap();
        let gaussian = Mechanism::gaussian(three.clone(), Rational::from(1)).unwrap();
        let group = Mechanism::group(3, gaussian).unwrap();
        let expected = Mechanism::compose(vec![(laplace, 2), (group, 1)]).unwrap();
        assert_eq!(template.with_values(&values).unwrap().mechanism, expected);
        for (key, is_whole) in [
            ("of.1.records", true),
            ("of.0.times", true),
            ("of.1.of.sigma", false),
        ] {
            assert_eq!(template.takes_whole_numbers(key), Ok(is_whole), "{key}");
        }
        // A number where mechanisms stand.
        let found = template.with_value("of", &two).unwrap_err();
        assert_eq!(found.code(), ErrorCode::WrongType);
        for wrong in [
            "of.",
            "of.0",
            "of.0.",
            "of.2.scale",
            "of.-1.scale",
            "of.scale",
            "of..scale",
            ".",
            "..",
            "",
            "in.0.scale",
            "of.0.of.scale",
            "of.0.sigma",
            "scale",
            "of.1.sigma",
            "records",
        ] {
            let found = template.with_value(wrong, &two).unwrap_err();
            assert_eq!(found.code(), ErrorCode::UnknownKey, "{wrong}");
        }
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
