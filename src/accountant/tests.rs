//! Fake accountants.
