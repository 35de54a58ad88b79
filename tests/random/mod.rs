//! Random numbers that are the same at every run, so that failures can be repeated.

/// A linear congruential generator (Knuth's MMIX), from its state.
pub struct Random(pub u64);

impl Random {
    /// Any of 0 … n − 1; 0 if n is 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }
}
