//! Exact numbers: decimal text to rational, and back with a named rounding direction.
