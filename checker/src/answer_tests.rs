//! Texts that are broken into lines.

use super::*;

#[test]
fn lines_of_quoted_text() {
    // 64 columns fit into a line, with the blanks between words.
    let words = |sizes: &[usize]| sizes.iter().map(|n| "x".repeat(*n)).collect::<Vec<_>>().join(" ");
    let lines = |text: &str| wrapped(text).split(NEXT_LINE).map(|line| line.chars().count()).collect::<Vec<_>>();
    for (sizes, expected) in [
        (&[5, 6][..], &[12][..]),
        (&[30, 33], &[64]),
        (&[30, 34], &[30, 34]),
        (&[20, 20, 22, 1], &[64, 1]),
        (&[20, 20, 21, 0, 3], &[64, 3]),
        (&[64], &[64]),
        (&[65], &[64, 1]),
        (&[10, 130], &[10, 64, 64, 2]),
        (&[130, 61, 10], &[64, 64, 2 + 1 + 61, 10]),
    ] {
        assert_eq!(lines(&words(sizes)), expected, "{sizes:?}");
    }
    // Wide characters count twice.
    assert_eq!(lines(&"é".repeat(40)), [32, 8]);
    assert_eq!(wrapped("a = b"), "a = b");
    let long = format!("{} a = b", "x".repeat(60));
    assert_eq!(wrapped(&long), format!("{}{NEXT_LINE}a = b", "x".repeat(60)));
}

/// ρ of one order of the pair can be less than that of the other one, and zCDP is about both.
#[test]
fn zcdp_says_that_it_is_about_both_orders() {
    let says = |adjacency, verdict| {
        let claim = Claim::Zcdp { rho: BigRational::from_integer(1.into()) };
        Statement { claim, verdict, adjacency }.to_string()
    };
    assert_eq!(
        says(Adjacency::Add, Verdict::Verified),
        "D_t <= 1*t for every order t > 1, in both orders of the pair, adjacency add"
    );
    assert_eq!(
        says(Adjacency::Remove, Verdict::Refuted),
        "D_t > 1*t for some order t > 1, in one of the two orders of the pair, adjacency remove"
    );
    assert_eq!(says(Adjacency::AddRemove, Verdict::Refuted), "D_t > 1*t for some order t > 1, adjacency add-remove");
}
