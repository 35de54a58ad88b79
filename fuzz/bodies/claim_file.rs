//! Any bytes as a claim file and as JSON lines: an answer or a placed error, never a panic.

pub fn run(bytes: &[u8]) {
    let _ = dpcmp::input::claim_file_from_bytes("fuzz", bytes).map_err(|error| error.render(false));
    dpcmp::input::claims_from_jsonl("fuzz", bytes).for_each(drop);
}
