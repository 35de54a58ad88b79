//! Any bytes as a mechanism and as a line of `bound --batch`.

pub fn run(bytes: &[u8]) {
    let _ = dpcmp::input::mechanism_from_bytes("fuzz", bytes).map_err(|error| error.render(false));
    let _ = dpcmp::input::batch_line("fuzz", 1, bytes);
}
