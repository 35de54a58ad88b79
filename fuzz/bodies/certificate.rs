//! Any text as a certificate: accepted or a reason, never a panic. Whoever includes this file has the modules of `dpcmp-check` at its root.

pub fn run(bytes: &[u8]) {
    let _ = crate::certificate::check(&String::from_utf8_lossy(bytes), None);
}
