//! `fuzz/bodies/answer.rs` says what is tried.
#![no_main]
#[path = "../bodies/answer.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
