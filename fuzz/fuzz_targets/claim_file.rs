//! `fuzz/bodies/claim_file.rs` says what is tried.
#![no_main]
#[path = "../bodies/claim_file.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
