//! Any bytes as a mechanism and as a line of `bound --batch`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = dpcmp::input::mechanism_from_bytes("fuzz", bytes).map_err(|error| error.render(false));
    let _ = dpcmp::input::batch_line("fuzz", 1, bytes);
});
