//! How much the tests within the library try: `DPCMP_TEST_SCALE`.

/// Is `DPCMP_TEST_SCALE` 10 or more, so that what takes long is run as well?
pub(crate) fn is_thorough() -> bool {
    cases(1) >= 10
}

/// `base` times `DPCMP_TEST_SCALE`, which is 1 unless it is set.
pub(crate) fn cases(base: u32) -> u32 {
    let scale = std::env::var("DPCMP_TEST_SCALE").ok();
    base.saturating_mul(scale.and_then(|text| text.parse().ok()).unwrap_or(1))
}

/// One item of a list in so many is tried: `stride` by default, fewer by as much as `DPCMP_TEST_SCALE` says, and every item from a scale of half the stride on.
pub(crate) fn every(stride: usize) -> usize {
    let scale = usize::try_from(cases(1)).unwrap_or(usize::MAX);
    (stride / scale.max(1)).max(1)
}

/// Is the item at this place one of those? Given the sum of the places in two lists, one within the other, the items that are
/// tried go round, so that each of both lists has its turn.
pub(crate) fn is_asked(place: usize, stride: usize) -> bool {
    place.is_multiple_of(every(stride))
}
