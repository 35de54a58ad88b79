//! Floats have the same digits on every processor: nothing asks the C library for functions of f64, and no crate does so for the library.

use super::{checker_sources, read, sources};

/// What the standard library hands on to the C library, or leaves to the compiler.
const OF_THE_C_LIBRARY: [&str; 30] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf",
    "erfc", "exp", "exp2", "exp_m1", "gamma", "hypot", "ln", "ln_1p", "ln_gamma", "log", "log10",
    "log2", "mul_add", "powf", "powi", "sin", "sin_cos", "sinh", "tan",
];

/// Clippy knows which `exp` is that of f64 and which one MPFR's; `.ci/run` takes its warnings for errors.
#[test]
fn functions_of_the_c_library_are_forbidden() {
    let rules = read("clippy.toml");
    let (_, list) = rules.split_once("disallowed-methods = [").unwrap();
    let (list, _) = list.split_once("\n]").unwrap();
    for name in OF_THE_C_LIBRARY.into_iter().chain(["tanh"]) {
        let rule = format!("{{ path = \"f64::{name}\"");
        assert!(
            list.contains(&rule),
            "clippy.toml does not forbid f64::{name}"
        );
    }
    assert!(
        read(".ci/run").contains("--workspace --exclude dpcmp-python --all-targets -- -D warnings")
    );
}

/// Tests alone may ask it.
#[test]
fn nothing_but_tests_may_lift_that() {
    let allowed = "#![cfg_attr(test, allow(clippy::disallowed_methods))]";
    for source in sources().into_iter().chain(checker_sources()) {
        let is_a_library = source.path.ends_with("src/lib.rs");
        let others = source
            .text
            .replace(if is_a_library { allowed } else { "" }, "");
        assert!(
            source.code.is_empty() || !others.contains("disallowed_methods"),
            "{}: `disallowed_methods` is lifted",
            source.path
        );
    }
}

/// Crates whose functions on floats are those of the C library: a transform by its sines, or special functions by its `exp`.
#[test]
fn crates_do_not_ask_it_either() {
    let manifest = read("Cargo.toml");
    let (_, needed) = manifest.split_once("\n[dependencies]\n").unwrap();
    let (needed, _) = needed.split_once("\n[dev-dependencies]\n").unwrap();
    for name in [
        "rustfft", "realfft", "statrs", "special", "puruspe", "nalgebra",
    ] {
        assert!(!needed.contains(&format!("\n{name} =")), "{name}");
    }
    assert!(needed.contains("\nnum-complex = { version = \"0.4\", default-features = false }"));
}
