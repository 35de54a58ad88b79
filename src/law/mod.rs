//! Integer loss distributions, upper and lower.
