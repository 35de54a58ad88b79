//! How many random cases the tests within the library try.

/// `base` times `DPCMP_TEST_SCALE`, which is 1 unless it is set.
pub(crate) fn cases(base: u32) -> u32 {
    let scale = std::env::var("DPCMP_TEST_SCALE").ok();
    base.saturating_mul(scale.and_then(|text| text.parse().ok()).unwrap_or(1))
}
