//! `fuzz/bodies/mechanism.rs` says what is tried.
#![no_main]
#[path = "../bodies/as_json.rs"]
mod as_json;
#[path = "../bodies/mechanism.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    as_json::mutate(data, size, most, seed)
});
