//! Selection of the best by noisy scores.

use super::{EPSILON_KEY, EXP_EPSILON_KEY};
use crate::input::reference::{
    Choice, Entry, Key, Part, Shape, key, needs, needs_may, number, whole,
};
use crate::mechanism::Domain;

const ETA: Key = number(
    "eta",
    Domain::Positive,
    "factor of the score in the exponent, instead of ε: ε is 2·eta·sensitivity, or half of that where scores are monotone",
);

const SENSITIVITY: Key = number(
    "sensitivity",
    Domain::Positive,
    "by how much one record changes a score, 1 if it is left out",
);

const MONOTONE: Key = key(
    "monotone",
    Shape::Flag,
    "does a record change all scores in one direction? false if it is left out",
);

/// An ε, or a factor of the scores.
const STRENGTH: &[Choice] = &[
    needs(&["epsilon"]),
    needs(&["exp-epsilon"]),
    needs_may(&["eta"], &["sensitivity", "monotone"]),
];

const SCORES: Part = Part {
    keys: &[EPSILON_KEY, EXP_EPSILON_KEY, ETA, SENSITIVITY, MONOTONE],
    needs: &[],
    choices: &[STRENGTH],
};

pub(super) const EXPONENTIAL: Entry = Entry {
    kind: "exponential",
    words: "The exponential mechanism: a choice by score.",
    part: SCORES,
    examples: &[
        "kind = \"exponential\"\nepsilon = 1",
        "kind = \"exponential\"\nexp-epsilon = 3",
        "kind = \"exponential\"\neta = \"1/2\"\nsensitivity = 1\nmonotone = true",
    ],
};

pub(super) const PERMUTE_AND_FLIP: Entry = Entry {
    kind: "permute-and-flip",
    words: "Permute and flip: a choice by score that is at least as good as the exponential mechanism.",
    part: SCORES,
    examples: &[
        "kind = \"permute-and-flip\"\nepsilon = 1",
        "kind = \"permute-and-flip\"\nexp-epsilon = 3",
        "kind = \"permute-and-flip\"\neta = \"1/2\"\nsensitivity = 1\nmonotone = false",
    ],
};

pub(super) const TOP_K: Entry = Entry {
    kind: "top-k",
    words: "The k best by score, all at once by Gumbel noise.",
    part: Part {
        keys: &[
            EPSILON_KEY,
            EXP_EPSILON_KEY,
            ETA,
            SENSITIVITY,
            MONOTONE,
            whole("k", "how many are chosen"),
        ],
        needs: &["k"],
        choices: &[STRENGTH],
    },
    examples: &[
        "kind = \"top-k\"\nk = 3\nepsilon = 0.1",
        "kind = \"top-k\"\nk = 3\nexp-epsilon = \"11/10\"",
        "kind = \"top-k\"\nk = 3\neta = \"1/10\"\nsensitivity = 1\nmonotone = true",
    ],
};
