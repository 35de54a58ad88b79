//! `fuzz/bodies/certificate.rs` says what is tried. The checker is a program of its own: its modules stand here as they do there.
#![no_main]
#![allow(dead_code)]
#[path = "../bodies/certificate.rs"]
mod body;
#[path = "../../src/bin/dpcmp-check/certificate.rs"]
mod certificate;
#[path = "../../src/bin/dpcmp-check/claim.rs"]
mod claim;
#[path = "../../src/bin/dpcmp-check/law.rs"]
mod law;
#[path = "../../src/bin/dpcmp-check/profile.rs"]
mod profile;
#[path = "../../src/bin/dpcmp-check/proof.rs"]
mod proof;
#[path = "../../src/bin/dpcmp-check/real.rs"]
mod real;
#[path = "../../src/bin/dpcmp-check/reason.rs"]
mod reason;
#[path = "../../src/bin/dpcmp-check/theorem.rs"]
mod theorem;
#[path = "../../src/bin/dpcmp-check/toml.rs"]
mod toml;
#[path = "../../src/bin/dpcmp-check/value.rs"]
mod value;

use reason::Reason;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| body::run(bytes));
