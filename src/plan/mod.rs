//! Untrusted floats that choose lattice, range and bits.
