//! Questions to an external accountant of privacy, and what its answers are worth.
//!
//! An accountant is a process that answers one JSON line with another (`fuzz/PROTOCOL.md`). Cases are made up from a seed, leaning
//! towards where accountants break; floats say which answers deserve a closer look; whether a guarantee is false is decided by
//! certified enclosures alone. A false guarantee is shrunk to the simplest case that still fails, enclosed a second time more
//! narrowly, and confirmed by somebody else: a closed form, or a certificate that `dpcmp-check` accepts.
//!
//! | file | job |
//! |---|---|
//! | `decimal`, `model`, `case` | parameters of few digits, mechanisms, questions and what their answers claim |
//! | `table` | mechanisms of the kinds that an accountant must name, as words of claim files |
//! | `strategies`, `kinds`, `regions`, `generate` | cases from a seed and a number |
//! | `process`, `answer` | the process, and the lines it says |
//! | `kind`, `sense`, `rounding` | what can be wrong, what a number implies, what rounding explains |
//! | `judge`, `relation` | an answer against the truth, and against another answer |
//! | `probe` | one case put and judged |
//! | `shrink`, `hunt` | from a fault to a finding |
//! | `confirm`, `closed_form` | the second look, and the second opinion |
//! | `claim_file`, `finding` | findings as claim files and JSON |
//! | `campaign`, `causes`, `corpus` | many cases, which of them are followed up, and the record of them |

#![allow(
    clippy::as_conversions,
    clippy::float_arithmetic,
    reason = "cases and suspicions only: verdicts come from `verdict`"
)]

mod answer;
mod campaign;
mod case;
mod causes;
mod claim_file;
mod closed_form;
mod confirm;
mod corpus;
mod decimal;
#[cfg(test)]
mod fakes;
mod finding;
mod generate;
mod hunt;
mod judge;
mod kind;
mod kinds;
mod model;
mod probe;
mod process;
#[cfg(test)]
mod process_tests;
mod regions;
mod relation;
mod rounding;
mod sense;
mod shrink;
mod strategies;
mod table;
#[cfg(test)]
mod tests;

pub use answer::{Hello, Said, read_answer, read_hello};
pub use campaign::{Known, Plan, Step, Tally, run};
pub use corpus::Corpus;
pub use judge::{Kind, Rules};
pub use process::{Accountant, Launch, Process, Reply};
