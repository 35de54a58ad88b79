//! `fuzz/bodies/certificate.rs` says what is tried.
#![no_main]
#[path = "../bodies/certificate.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
