//! The schema of entries of the registry of deployments.

use serde_json::Value;

use super::written::{flag, head, or_error, or_null, text, texts};

/// `dpcmp.registry/1`.
pub(super) fn registry() -> Value {
    let maybe = |name| (name, or_null(text()));
    let facts = [
        "curators",
        "variant",
        "epsilon",
        "delta",
        "rho",
        "unit",
        "model",
        "releases",
        "mechanism-in-words",
        "sources",
    ];
    let known = [
        ("file", text()),
        ("name", text()),
        ("follows-from-rho", or_null(flag())),
        ("contradictions", texts()),
        ("missing", texts()),
    ];
    or_error(head(
        "dpcmp.registry/1",
        known.into_iter().chain(facts.map(maybe)),
        [],
    ))
}
