//! Any text as a number, and as a query, a claim, a prior or a target of the command line.

use dpcmp::input::Prior;
use dpcmp::statement::{Claim, Query, Requirement};

pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = dpcmp::number::parse_rational(&text);
    let _ = (
        Query::from_argument(&text),
        Claim::from_argument(&text),
        Prior::from_argument(&text),
    );
    let _ = Requirement::from_argument(&text);
}
