//! One or several of some candidates, chosen by score.

use super::POSITIVE;
use super::known::{EPSILON_KEY, EXP_EPSILON_KEY};
use crate::input::reference::{Choice, Entry, Key, Part, Shape, key, needs, needs_may};

const ETA: Key = key("eta", POSITIVE, "candidates have weight e^(eta*score)");

const SENSITIVITY: Key = key(
    "sensitivity",
    POSITIVE,
    "how far a record moves a score, 1 if it is left out",
);

const MONOTONE: Key = key(
    "monotone",
    Shape::Flag,
    "a record that is added moves all scores in one direction: epsilon is eta*sensitivity and not twice that",
);

const CHOICES: &[&[Choice]] = &[&[
    needs(&["epsilon"]),
    needs(&["exp-epsilon"]),
    needs_may(&["eta"], &["sensitivity", "monotone"]),
]];

const RANGE: Part = Part {
    keys: &[EPSILON_KEY, EXP_EPSILON_KEY, ETA, SENSITIVITY, MONOTONE],
    needs: &[],
    choices: CHOICES,
};

pub(super) const EXPONENTIAL: Entry = Entry {
    kind: "exponential",
    words: "The exponential mechanism; epsilon is the most by which a record changes the log-odds of two candidates.",
    part: RANGE,
    examples: &[
        "kind = \"exponential\"\nepsilon = 1",
        "kind = \"exponential\"\nexp-epsilon = 3",
        "kind = \"exponential\"\neta = 0.5\nsensitivity = 2\nmonotone = true",
    ],
};

pub(super) const PERMUTE_AND_FLIP: Entry = Entry {
    kind: "permute-and-flip",
    words: "Permute-and-flip, which is report-noisy-max with exponential noise.",
    part: RANGE,
    examples: &[
        "kind = \"permute-and-flip\"\nepsilon = 1",
        "kind = \"permute-and-flip\"\nexp-epsilon = 3",
        "kind = \"permute-and-flip\"\neta = 0.5",
    ],
};

pub(super) const TOP_K: Entry = Entry {
    kind: "top-k",
    words: "The best k candidates by score with Gumbel noise, drawn once; epsilon is that of one choice.",
    part: Part {
        keys: &[
            EPSILON_KEY,
            EXP_EPSILON_KEY,
            ETA,
            SENSITIVITY,
            MONOTONE,
            key("k", Shape::Whole(1), "how many candidates are released"),
        ],
        needs: &["k"],
        choices: CHOICES,
    },
    examples: &[
        "kind = \"top-k\"\nepsilon = 0.5\nk = 10",
        "kind = \"top-k\"\nexp-epsilon = 3\nk = 2",
        "kind = \"top-k\"\neta = 0.5\nmonotone = true\nk = 3",
    ],
};
