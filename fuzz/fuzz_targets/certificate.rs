//! `fuzz/bodies/certificate.rs` says what is tried. The checker is a program of its own: its modules stand here as they do there.
#![no_main]
#![allow(dead_code)]
#[path = "../bodies/certificate.rs"]
mod body;
#[rustfmt::skip]
#[path = "../../src/bin/dpcmp-check/certificate.rs"]
mod certificate;
#[rustfmt::skip]
#[path = "../../src/bin/dpcmp-check/claim.rs"]
mod claim;
#[rustfmt::skip]
#[path = "../../src/bin/dpcmp-check/law.rs"]
mod law;
#[rustfmt::skip]
#[path = "../../src/bin/dpcmp-check/profile.rs"]
mod profile;
#[rustfmt::skip]
#[path = "../../src/bin/dpcmp-check/proof.rs"]
mod proof;
#[rustfmt::skip]
#[path = "../../src/bin/dpcmp-check/real.rs"]
mod real;
#[rustfmt::skip]
#[path = "../../src/bin/dpcmp-check/reason.rs"]
mod reason;
#[rustfmt::skip]
#[path = "../../src/bin/dpcmp-check/theorem.rs"]
mod theorem;
#[rustfmt::skip]
#[path = "../../src/bin/dpcmp-check/toml.rs"]
mod toml;
#[rustfmt::skip]
#[path = "../../src/bin/dpcmp-check/value.rs"]
mod value;
#[path = "../../src/bin/dpcmp-check/work.rs"]
mod work;

use reason::Reason;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
