//! Any text as a number and as a query or claim of the command line.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _ = dpcmp::number::parse_rational(text);
    let _ = (dpcmp::input::Query::from_argument(text), dpcmp::input::Claim::from_argument(text));
});
