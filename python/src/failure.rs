//! Errors of the library as exceptions of `dpcmp.errors`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The exception that an error is.
pub fn exception(py: Python<'_>, error: &dpcmp::Error) -> PyErr {
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
        keywords.set_item("position", error.place())?;
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
