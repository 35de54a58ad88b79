//! The theorems on Δ-divergence, Blackwell order and conversions as properties of random finite mechanisms, in exact
//! fractions: "equal" means equal. [K24] is Kaissis et al. 2024, [G25] is Gomez et al. 2025.
//!
//! Each property is run on the same kind of trial by proptest and by quickcheck, half of the cases each, and must
//! meet every kind of situation it names. `DPCMP_TEST_SCALE` multiplies the number of cases; `--nocapture` shows them.

mod campaign;
mod composition;
mod conversions;
mod counterexamples;
mod definition;
mod divergence;
mod extremes;
mod gaussian;
mod order;
mod trial;
