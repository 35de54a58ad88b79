//! One of several steps, drawn at random, has the record: random allocation, also called balls in bins.
//!
//! Of `steps` independent runs of a base pair (p, q), P = p^t has none with the record and Q = t⁻¹·Σᵢ p^{i−1}·q·p^{t−i} has one. The likelihood
//! ratio dQ/dP is the mean X̄ of t independent copies of X = dq/dp under p, so that
//!
//! * δ_remove(u) = E(X̄ − u)⁺ + q(X = ∞), a call on a mean;
//! * δ_add(u) = E(1 − uX̄)⁺, a put on it.
//!
//! Both are expectations of convex functions ≥ 0, and for measures on [0, ∞) the order "∫φ is larger for every convex φ ≥ 0 whose slope at ∞ is
//! at most 1" is kept by sums of independent terms: ∫∫φ(x + y)dν₁dν₂ is, for fixed y, the integral of such a function (`proofs/README.md`, A1). So
//! the law of X is spread onto points (`above`), or merged in cells (`below`), the sum of t copies is a convolution of whole numbers in
//! the space of X, not of its logarithm, and whatever is spread, merged or rounded on the way stays on its side.

mod above;
mod base;
mod below;
pub mod finite;
mod measure;
mod places;
mod product;
mod profile;
mod rows;
pub mod scores;
mod sides;

#[cfg(feature = "certificates")]
pub(crate) use product::convolve;
pub use profile::Allocated;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod wide_tests;
