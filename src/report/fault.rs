//! Why there is no answer, as the object `error` of JSON lines.

use serde_json::{Map, Value, json};

use crate::input::InputError;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The stable word for the reason.
    pub code: String,
    /// The reason.
    pub message: String,
    /// `FILE:LINE:COLUMN` of what is wrong, where it is in a text.
    pub place: Option<String>,
    /// What to do next, where that is known.
    pub hint: Option<String>,
}

impl Fault {
    /// A reason without a place.
    pub fn new(code: &str, message: &str) -> Self {
        Self {
            code: code.to_owned(),
            message: message.to_owned(),
            place: None,
            hint: None,
        }
    }

    /// What is wrong with an input, where, and what to do about it.
    pub fn of_input(error: &InputError) -> Self {
        let (line, column) = (error.line(), error.column());
        Self {
            place: Some(format!("{}:{line}:{column}", error.source_name())),
            hint: Some(error.next_step().to_owned()),
            ..Self::new(error.code().as_str(), error.message())
        }
    }

    /// The object, without what is not known.
    pub(super) fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("code".to_owned(), json!(self.code));
        object.insert("message".to_owned(), json!(self.message));
        for (key, text) in [("place", &self.place), ("hint", &self.hint)] {
            if let Some(text) = text {
                object.insert(key.to_owned(), json!(text));
            }
        }
        Value::Object(object)
    }
}
