//! Errors of the library as exceptions of `dpcmp.errors`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception that an error is.
pub fn exception(py: Python<'_>, error: &dpcmp::Error) -> PyErr {
    made(py, error, None)
}

/// What was read of the argument of this name, or the exception that names it, unless the error has a place in a text.
pub fn given<T>(
    py: Python<'_>,
    read: Result<T, impl Into<dpcmp::Error>>,
    name: &str,
) -> PyResult<T> {
    read.map_err(|error| {
        let error = error.into();
        let place = error.place().is_none().then_some(name);
        made(py, &error, place)
    })
}

/// The same, of one of several things: a place in its own text is none in that of a mechanism.
pub fn given_in<T>(
    py: Python<'_>,
    read: Result<T, impl Into<dpcmp::Error>>,
    name: &str,
    number: usize,
) -> PyResult<T> {
    read.map_err(|error| made(py, &error.into(), Some(&format!("{name}[{number}]"))))
}

fn made(py: Python<'_>, error: &dpcmp::Error, place: Option<&str>) -> PyErr {
    let class = if error.is_bad_input() {
        "InputError"
    } else if error.is_unsupported() {
        "UnsupportedError"
    } else if error.is_out_of_time() {
        "OutOfTimeError"
    } else {
        "InternalError"
    };
    let make = || -> PyResult<Bound<'_, PyAny>> {
        let keywords = PyDict::new(py);
        keywords.set_item("code", error.code())?;
        keywords.set_item("hint", error.hint())?;
        match place {
            Some(place) => keywords.set_item("place", place)?,
            None => keywords.set_item("position", error.place())?,
        }
        let class = py.import("dpcmp.errors")?.getattr(class)?;
        class.call((error.what(),), Some(&keywords))
    };
    match make() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The exception for a mistake of dpcmp.
pub fn internal(py: Python<'_>, what: &str) -> PyErr {
    let make = || {
        py.import("dpcmp.errors")?
            .getattr("InternalError")?
            .call1((what,))
    };
    match make() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// The exception for an argument that Python code of this package passes on.
pub fn bad_number(what: &'static str) -> PyErr {
    PyValueError::new_err(what)
}
