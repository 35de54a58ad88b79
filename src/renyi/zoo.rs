//! Mechanisms and orders that divergences are tested at, here and from outside.

use rug::Rational;

/// One mechanism of every kind, asymmetric ones among them.
pub const ZOO: [&str; 13] = [
    r#"{"kind":"gaussian","sigma":2}"#,
    r#"{"kind":"laplace","scale":1}"#,
    r#"{"kind":"discrete-laplace","scale":2,"sensitivity":3}"#,
    r#"{"kind":"discrete-gaussian","sigma":"0.6","sensitivity":1}"#,
    r#"{"kind":"randomized-response","epsilon":1}"#,
    r#"{"kind":"randomized-response","epsilon":1,"k":5}"#,
    r#"{"kind":"pure-dp","epsilon":"0.5"}"#,
    r#"{"kind":"finite","p":["1/2","1/4","1/8","1/8"],"q":["1/3","1/12","1/4","1/3"]}"#,
    r#"{"kind":"subsampled","rate":"0.3","of":{"kind":"gaussian","sigma":1}}"#,
    r#"{"kind":"subsampled","rate":"0.3","of":{"kind":"laplace","scale":"0.5"}}"#,
    r#"{"kind":"subsampled","rate":"0.3","of":{"kind":"discrete-gaussian","sigma":"0.6"}}"#,
    r#"{"kind":"subsampled","rate":"0.3","of":{"kind":"randomized-response","epsilon":2}}"#,
    r#"{"kind":"compose","of":[{"kind":"laplace","scale":2,"times":3},{"kind":"subsampled","rate":"0.1","of":{"kind":"gaussian","sigma":1}}]}"#,
];

pub fn orders() -> Vec<Rational> {
    [
        (1, 4),
        (1, 2),
        (3, 4),
        (1, 1),
        (9, 8),
        (3, 2),
        (2, 1),
        (5, 2),
        (4, 1),
        (17, 2),
        (40, 1),
    ]
    .map(Rational::from)
    .to_vec()
}
