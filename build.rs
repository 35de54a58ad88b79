//! What the linker of packages is told.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| var(key).is_ok_and(|found| found == value);
    // In `dist`, the only profile for size, a panic ends the program: nothing looks for the frames of callers in an index of a hundred kilobytes.
    let is_known = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is("OPT_LEVEL", "s") && is_known {
        println!("cargo::rustc-link-arg-bins=-Wl,--no-eh-frame-hdr");
    }
}
