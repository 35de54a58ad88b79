//! The native part of the Python package `dpcmp`: texts in, plain tuples and dictionaries out. What Python users see is made of them in `python/dpcmp`.
//!
//! Numbers come in as texts that the library reads exactly, and go out as integers in hexadecimal, so that none is ever rounded on the way. Every
//! job runs without Python's lock, can be stopped by Ctrl-C, and turns a panic into an exception.
//!
//! | file | job |
//! |---|---|
//! | `job` | work without Python's lock, Ctrl-C, panics |
//! | `failure` | errors as exceptions of `dpcmp.errors` |
//! | `number` | numbers as hexadecimal integers |
//! | `answer` | enclosures, claims and verdicts as dictionaries |
//! | `analysis` | one mechanism, and what can be asked of it |
//! | `claim_file` | claim files, certificates and their checker |
//! | `search` | calibration and sweeps |

mod analysis;
mod answer;
mod claim_file;
mod failure;
mod job;
mod number;
mod search;

use pyo3::prelude::*;

/// The module `dpcmp._native`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<analysis::Analysis>()?;
    module.add_class::<claim_file::ClaimFile>()?;
    module.add_function(wrap_pyfunction!(claim_file::check_certificate, module)?)?;
    module.add_function(wrap_pyfunction!(search::calibrate, module)?)?;
    module.add_function(wrap_pyfunction!(search::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(number::exact_number, module)?)?;
    module.add_function(wrap_pyfunction!(job::panics, module)?)?;
    Ok(())
}
