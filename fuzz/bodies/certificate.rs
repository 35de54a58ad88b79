//! Any bytes as a certificate: accepted or a reason, never a panic.

pub fn run(bytes: &[u8]) {
    let _ = dpcmp_check::check(bytes, &Default::default());
}
