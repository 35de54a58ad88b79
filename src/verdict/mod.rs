//! A claim against its enclosure.
