//! `fuzz/bodies/certificate.rs` says what is tried.
#![no_main]
#![allow(dead_code)]
#[path = "../bodies/certificate.rs"]
mod body;
include!("../bodies/checker.rs");

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
