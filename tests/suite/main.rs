//! The library, from outside: input files, the engine against exact enumeration, oracles and closed forms, published claims.
//!
//! One program for all, because each program of tests is compiled and linked for itself. `DPCMP_TEST_SCALE` multiplies the
//! number of random cases; at 10 or more what takes minutes is run too.

#![allow(
    clippy::disallowed_methods,
    reason = "expected values may come from the C library"
)]

mod audit;
mod audit_picture;
mod audit_table;
mod batches;
mod composition_limits;
mod determinism;
mod emergence_moments;
mod emergence_smallest;
mod emergence_theorem;
mod emergent_dominance;
mod float_engine;
mod input_errors;
mod input_formats;
mod input_limits;
mod input_queries;
mod input_round_trip;
mod mechanism_text;
mod oracle_tables;
mod profiles_against_oracle;
mod published_claims;
mod question_order;
#[path = "../random/mod.rs"]
mod random;
mod renyi;
mod renyi_by_mpmath;
mod renyi_classes;
mod soundness;
mod soundness_laws;
mod soundness_oracles;
mod soundness_support;
mod special_functions;
mod theorems_enclosed;
mod zeroed_records;
