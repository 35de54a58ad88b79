//! How many random cases the tests within the library try.

/// Is `DPCMP_TEST_SCALE` 10 or more, so that what takes long is run as well?
pub(crate) fn is_thorough() -> bool {
    cases(1) >= 10
}

/// `base` times `DPCMP_TEST_SCALE`, which is 1 unless it is set.
pub(crate) fn cases(base: u32) -> u32 {
    let scale = std::env::var("DPCMP_TEST_SCALE").ok();
    base.saturating_mul(scale.and_then(|text| text.parse().ok()).unwrap_or(1))
}
