// The modules of `dpcmp-check`, a program of its own, as they stand there; for the root of a crate, by `include!`.

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
#[path = "../../src/bin/dpcmp-check/work.rs"]
mod work;

use reason::Reason;
