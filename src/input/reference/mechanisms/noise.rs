//! Noise on a query or a count.

use super::{NOISE_MULTIPLIER, POSITIVE, SIGMA};
use crate::input::reference::{
    Choice, Entry, Key, Part, Shape, key, may, needs, needs_may, number, part, whole, with,
};
use crate::mechanism::Domain;

const SCALE: Key = key("scale", POSITIVE, "scale b of the noise");

const SENSITIVITY: Key = key(
    "sensitivity",
    POSITIVE,
    "by how much one record changes the query, 1 if it is left out",
);

const RECORD_BOUND: Key = key(
    "record-bound",
    POSITIVE,
    "the most that one record contributes (clip norm), instead of the sensitivity",
);

const WHOLE_SENSITIVITY: Key = key(SENSITIVITY.name, Shape::Whole(1), SENSITIVITY.words);

const WHOLE_RECORD_BOUND: Key = key(RECORD_BOUND.name, Shape::Whole(1), RECORD_BOUND.words);

/// A sensitivity or a record bound, or neither.
const SENSITIVITIES: &[Choice] = &[may(&["sensitivity"]), needs(&["record-bound"])];

pub(super) const GAUSSIAN: Entry = Entry {
    kind: "gaussian",
    words: "Gaussian noise on a query.",
    part: Part {
        keys: &[
            SIGMA,
            SENSITIVITY,
            RECORD_BOUND,
            NOISE_MULTIPLIER,
            key(
                "mu-squared",
                POSITIVE,
                "μ² = (sensitivity/σ)² of the pair as an exact number",
            ),
        ],
        needs: &[],
        choices: &[&[
            needs_may(&["sigma"], &["sensitivity"]),
            needs(&["sigma", "record-bound"]),
            needs(&["noise-multiplier"]),
            needs(&["mu-squared"]),
        ]],
    },
    examples: &[
        "kind = \"gaussian\"\nsigma = 2\nsensitivity = 1",
        "kind = \"gaussian\"\nsigma = 4\nrecord-bound = 1\nadjacency = \"replace-one\"",
        "kind = \"gaussian\"\nnoise-multiplier = 1.1",
        "kind = \"gaussian\"\nmu-squared = \"25/2209\"",
    ],
};

pub(super) const LAPLACE: Entry = Entry {
    kind: "laplace",
    words: "Laplace noise on a query.",
    part: Part {
        keys: &[SCALE, SENSITIVITY, RECORD_BOUND],
        needs: &["scale"],
        choices: &[SENSITIVITIES],
    },
    examples: &[
        "kind = \"laplace\"\nscale = 1\nsensitivity = \"1/2\"",
        "kind = \"laplace\"\nscale = 2\nrecord-bound = 1",
    ],
};

pub(super) const DISCRETE_LAPLACE: Entry = Entry {
    kind: "discrete-laplace",
    words: "Two-sided geometric noise on a count.",
    part: Part {
        keys: &[SCALE, WHOLE_SENSITIVITY, WHOLE_RECORD_BOUND],
        needs: &["scale"],
        choices: &[SENSITIVITIES],
    },
    examples: &[
        "kind = \"discrete-laplace\"\nscale = 2\nsensitivity = 1",
        "kind = \"discrete-laplace\"\nscale = 2\nrecord-bound = 1",
    ],
};

pub(super) const DISCRETE_GAUSSIAN: Entry = Entry {
    kind: "discrete-gaussian",
    words: "Discrete Gaussian noise on a count; with `parties` each of them adds it, and what is released is the sum.",
    part: Part {
        keys: &[
            SIGMA,
            whole(
                "parties",
                "how many add noise of this sigma each, 1 if it is left out",
            ),
            WHOLE_SENSITIVITY,
            WHOLE_RECORD_BOUND,
        ],
        needs: &["sigma"],
        choices: &[SENSITIVITIES],
    },
    examples: &[
        "kind = \"discrete-gaussian\"\nsigma = 2\nsensitivity = 1",
        "kind = \"discrete-gaussian\"\nsigma = 2\nrecord-bound = 1",
        "kind = \"discrete-gaussian\"\nsigma = 2\nparties = 100\nsensitivity = 1",
    ],
};

pub(super) const SKELLAM: Entry = Entry {
    kind: "skellam",
    words: "The difference of two Poisson variables, added to a count, or to every coordinate of a vector of whole numbers.",
    part: Part {
        keys: &[
            key("mean", POSITIVE, "mean of each of the two"),
            WHOLE_SENSITIVITY,
            WHOLE_RECORD_BOUND,
            number(
                "l2-sensitivity",
                Domain::AtLeastOne,
                "noise on a vector: the Euclidean length by which one record changes it",
            ),
            number(
                "l2-record-bound",
                Domain::AtLeastOne,
                "the length of the longest vector of a record, instead of the l2-sensitivity",
            ),
        ],
        needs: &["mean"],
        choices: &[&[
            may(&["sensitivity"]),
            needs(&["record-bound"]),
            needs(&["l2-sensitivity"]),
            needs(&["l2-record-bound"]),
        ]],
    },
    examples: &[
        "kind = \"skellam\"\nmean = 10\nsensitivity = 1",
        "kind = \"skellam\"\nmean = 10\nrecord-bound = 1",
        "kind = \"skellam\"\nmean = 1000\nl2-sensitivity = 10",
        "kind = \"skellam\"\nmean = 1000\nl2-record-bound = 10",
    ],
};

pub(super) const NOISE_THRESHOLD: Entry = Entry {
    kind: "noise-threshold",
    words: "Keys, such as partitions, whose noisy count passes a threshold are released with it.",
    part: Part {
        keys: &[
            key(
                "noise",
                Shape::Word(&[
                    "laplace",
                    "gaussian",
                    "discrete-laplace",
                    "truncated-geometric",
                    "discrete-gaussian",
                ]),
                "the noise on each count; truncated geometric noise ends at the threshold, a whole number",
            ),
            SCALE,
            SIGMA,
            number("threshold", Domain::Real, "what a noisy count must pass"),
            key(
                "release-if",
                Shape::Word(&[">", ">="]),
                "is a count at the threshold released? Where noise is real-valued both mean the same",
            ),
            whole(
                "keys",
                "in how many keys a record may count, 1 if it is left out",
            ),
            key(
                RECORD_BOUND.name,
                POSITIVE,
                "the most that a record adds to a count, 1 if it is left out",
            ),
        ],
        needs: &["noise", "threshold"],
        choices: &[&[
            with(
                needs_may(&["noise", "scale"], &["release-if"]),
                "noise",
                "laplace",
            ),
            with(
                needs_may(&["noise", "sigma"], &["release-if"]),
                "noise",
                "gaussian",
            ),
            with(
                needs(&["noise", "scale", "release-if"]),
                "noise",
                "discrete-laplace",
            ),
            with(
                needs(&["noise", "scale", "release-if"]),
                "noise",
                "truncated-geometric",
            ),
            with(
                needs(&["noise", "sigma", "release-if"]),
                "noise",
                "discrete-gaussian",
            ),
        ]],
    },
    examples: &[
        "kind = \"noise-threshold\"\nnoise = \"laplace\"\nscale = 2\nthreshold = 30\nrelease-if = \">\"\nkeys = 2",
        "kind = \"noise-threshold\"\nnoise = \"gaussian\"\nsigma = 3\nthreshold = 30\nrelease-if = \">=\"\nrecord-bound = 1",
        "kind = \"noise-threshold\"\nnoise = \"discrete-laplace\"\nscale = 2\nthreshold = 30\nrelease-if = \">\"",
        "kind = \"noise-threshold\"\nnoise = \"truncated-geometric\"\nscale = 1\nthreshold = 11\nrelease-if = \">\"",
        "kind = \"noise-threshold\"\nnoise = \"discrete-gaussian\"\nsigma = 3\nthreshold = 30\nrelease-if = \">=\"",
    ],
};

pub(super) const GAUSSIAN_MIXTURE: Entry = Entry {
    kind: "gaussian-mixture",
    words: "N(0, σ²) against a mixture of N(shift, σ²).",
    part: part(
        &[
            SIGMA,
            key(
                "shifts",
                Shape::Numbers(Domain::NonNegative),
                "mean of each part",
            ),
            key(
                "weights",
                Shape::Numbers(Domain::Unit),
                "probability of each part",
            ),
        ],
        &["sigma", "shifts", "weights"],
    ),
    examples: &[
        "kind = \"gaussian-mixture\"\nsigma = 2\nshifts = [0, 1]\nweights = [\"1/2\", \"1/2\"]",
    ],
};

pub(super) const HISTOGRAM: Entry = Entry {
    kind: "histogram",
    words: "One count per cell, each with its own noise, all released: one cell changes with a record, two when it is replaced.",
    part: part(&[key("of", Shape::Inside, "the noise of a cell")], &["of"]),
    examples: &[
        "kind = \"histogram\"\nof = { kind = \"gaussian\", sigma = 2 }\nadjacency = \"replace-one\"",
    ],
};
