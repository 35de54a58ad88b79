//! Training of models.

use super::NOISE_MULTIPLIER;
use crate::input::reference::{
    Choice, Entry, Key, Part, Shape, key, needs, needs_may, number, part, whole, with,
};
use crate::mechanism::Domain;

const STEPS: Key = whole("steps", "number of steps");

const SAMPLE_RATE: Key = number(
    "sample-rate",
    Domain::Rate,
    "probability that a record is in a batch",
);

const PHASE: Part = part(
    &[NOISE_MULTIPLIER, SAMPLE_RATE, STEPS],
    &["noise-multiplier", "sample-rate", "steps"],
);

const BLT: Part = part(
    &[
        key(
            "weights",
            Shape::Numbers(Domain::Real),
            "weight of each buffer",
        ),
        key(
            "decays",
            Shape::Numbers(Domain::Real),
            "decay of each buffer, in [0, 1]",
        ),
    ],
    &["weights", "decays"],
);

pub(super) const TREE_AGGREGATION: Entry = Entry {
    kind: "tree-aggregation",
    words: "Prefix sums by binary trees (DP-FTRL).",
    part: part(
        &[
            NOISE_MULTIPLIER,
            whole("steps", "leaves of a tree"),
            whole(
                "restarts",
                "number of trees, in each of which a record takes part as often as is stated, 1 if it is left out",
            ),
            whole(
                "participations",
                "in how many steps a record may take part, 1 if it is left out",
            ),
            whole(
                "min-separation",
                "how many steps lie at least between two of them, counted from the one to the other, 1 if it is left out",
            ),
        ],
        &["noise-multiplier", "steps"],
    ),
    examples: &[
        "kind = \"tree-aggregation\"\nnoise-multiplier = 5\nsteps = 64\nrestarts = 2\nparticipations = 2\nmin-separation = 32",
    ],
};

pub(super) const MATRIX_FACTORIZATION: Entry = Entry {
    kind: "matrix-factorization",
    words: "The release of Cx + Z with a lower-triangular matrix C: noise that is correlated over the steps.",
    part: Part {
        keys: &[
            NOISE_MULTIPLIER,
            STEPS,
            whole("participations", "in how many steps a record may take part"),
            whole(
                "min-separation",
                "steps from one participation to the next at least; with `rate`, the number of bands",
            ),
            whole(
                "epochs",
                "instead of both: every record takes part once in each epoch, always at the same place",
            ),
            number(
                "rate",
                Domain::Rate,
                "instead of `participations`: cyclic Poisson sampling at this rate",
            ),
            key(
                "toeplitz",
                Shape::Numbers(Domain::Real),
                "the first column of C",
            ),
            key(
                "matrix",
                Shape::Rows,
                "the rows of C; a file beside the claim file by its name, comma-separated values",
            ),
            key(
                "blt",
                Shape::Table(&BLT),
                "C as a buffered linear Toeplitz matrix",
            ),
            key(
                "normalised",
                Shape::Flag,
                "the columns are claimed to have norm at most 1, which is proved and not believed",
            ),
        ],
        needs: &["noise-multiplier", "steps"],
        choices: &[
            &[needs(&["toeplitz"]), needs(&["matrix"]), needs(&["blt"])],
            &[
                needs_may(&["participations"], &["min-separation"]),
                needs(&["epochs"]),
                needs(&["rate", "min-separation"]),
            ],
        ],
    },
    examples: &[
        "kind = \"matrix-factorization\"\nnoise-multiplier = 4\nsteps = 8\nparticipations = 2\nmin-separation = 4\ntoeplitz = [1, 0.5, 0.25]",
        "kind = \"matrix-factorization\"\nnoise-multiplier = 4\nsteps = 2\nepochs = 2\nmatrix = [[1], [\"1/2\", 1]]",
        "kind = \"matrix-factorization\"\nnoise-multiplier = 4\nsteps = 8\nparticipations = 1\nblt = { weights = [0.5], decays = [0.5] }\nnormalised = false",
        "kind = \"matrix-factorization\"\nnoise-multiplier = 2\nsteps = 8\nmin-separation = 2\nrate = 0.1\ntoeplitz = [1, 0.5]",
    ],
};

/// With Poisson sampling.
const fn poisson(choice: Choice) -> Choice {
    with(choice, "sampling", "poisson")
}

const fn truncated(choice: Choice) -> Choice {
    with(choice, "sampling", "truncated-poisson")
}

const fn fixed(choice: Choice) -> Choice {
    with(choice, "sampling", "without-replacement")
}

const fn shuffled(choice: Choice) -> Choice {
    with(choice, "sampling", "shuffled")
}

pub(super) const DP_SGD: Entry = Entry {
    kind: "dp-sgd",
    words: "Steps of Gaussian noise on random batches. From epochs, a batch size b and a data set of n records, there are epochs·⌈n/b⌉ steps at rate b/n.",
    part: Part {
        keys: &[
            NOISE_MULTIPLIER,
            SAMPLE_RATE,
            whole(
                "steps",
                "number of steps; with shuffled batches, of one epoch",
            ),
            key(
                "phases",
                Shape::Tables(&PHASE),
                "phases with noise multiplier, sample rate and steps of their own",
            ),
            number(
                "epochs",
                Domain::Positive,
                "how often all records are gone through; with shuffled batches 1 if it is left out",
            ),
            whole("batch-size", "expected number of records in a batch"),
            whole("dataset-size", "number of records"),
            whole(
                "gradient-accumulation",
                "how many batches make a step, 1 if it is left out",
            ),
            whole(
                "max-batch",
                "so many records of a batch are kept, where batches are truncated",
            ),
            key(
                "sampling",
                Shape::Word(&[
                    "poisson",
                    "truncated-poisson",
                    "without-replacement",
                    "shuffled",
                ]),
                "how batches are drawn; poisson if it is left out",
            ),
        ],
        needs: &[],
        choices: &[&[
            poisson(needs_may(
                &["noise-multiplier", "sample-rate", "steps"],
                &["sampling"],
            )),
            poisson(needs_may(
                &["noise-multiplier", "epochs", "batch-size", "dataset-size"],
                &["sampling", "gradient-accumulation"],
            )),
            poisson(needs_may(
                &["noise-multiplier", "steps", "batch-size", "dataset-size"],
                &["sampling", "gradient-accumulation"],
            )),
            poisson(needs_may(&["phases"], &["sampling"])),
            truncated(needs(&[
                "noise-multiplier",
                "sample-rate",
                "steps",
                "dataset-size",
                "max-batch",
                "sampling",
            ])),
            truncated(needs_may(
                &[
                    "noise-multiplier",
                    "epochs",
                    "batch-size",
                    "dataset-size",
                    "max-batch",
                    "sampling",
                ],
                &["gradient-accumulation"],
            )),
            truncated(needs_may(
                &[
                    "noise-multiplier",
                    "steps",
                    "batch-size",
                    "dataset-size",
                    "max-batch",
                    "sampling",
                ],
                &["gradient-accumulation"],
            )),
            fixed(needs_may(
                &[
                    "noise-multiplier",
                    "epochs",
                    "batch-size",
                    "dataset-size",
                    "sampling",
                ],
                &["gradient-accumulation"],
            )),
            fixed(needs_may(
                &[
                    "noise-multiplier",
                    "steps",
                    "batch-size",
                    "dataset-size",
                    "sampling",
                ],
                &["gradient-accumulation"],
            )),
            shuffled(needs_may(
                &["noise-multiplier", "steps", "sampling"],
                &["epochs"],
            )),
            shuffled(needs_may(
                &["noise-multiplier", "batch-size", "dataset-size", "sampling"],
                &["epochs", "gradient-accumulation"],
            )),
        ]],
    },
    examples: &[
        "kind = \"dp-sgd\"\nnoise-multiplier = 9.4\nsample-rate = \"16384/50000\"\nsteps = 2000\nsampling = \"poisson\"",
        "kind = \"dp-sgd\"\nnoise-multiplier = 1.1\nepochs = 2\nbatch-size = 256\ngradient-accumulation = 2\ndataset-size = 60000",
        "kind = \"dp-sgd\"\nnoise-multiplier = 1.1\nsteps = 500\nbatch-size = 256\ndataset-size = 60000",
        "kind = \"dp-sgd\"\nphases = [{ noise-multiplier = 2, sample-rate = 0.01, steps = 100 }, { noise-multiplier = 1, sample-rate = 0.02, steps = 50 }]",
        "kind = \"dp-sgd\"\nsampling = \"truncated-poisson\"\nnoise-multiplier = 2\nsample-rate = 0.01\nsteps = 10\ndataset-size = 1000\nmax-batch = 20",
        "kind = \"dp-sgd\"\nsampling = \"truncated-poisson\"\nnoise-multiplier = 2\nepochs = 1\nbatch-size = 10\ndataset-size = 100\nmax-batch = 20",
        "kind = \"dp-sgd\"\nsampling = \"truncated-poisson\"\nnoise-multiplier = 2\nsteps = 10\nbatch-size = 10\ndataset-size = 100\nmax-batch = 20",
        "kind = \"dp-sgd\"\nsampling = \"without-replacement\"\nnoise-multiplier = 2\nepochs = 1\nbatch-size = 10\ndataset-size = 100\nadjacency = \"replace-one\"",
        "kind = \"dp-sgd\"\nsampling = \"without-replacement\"\nnoise-multiplier = 2\nsteps = 3\nbatch-size = 10\ndataset-size = 100\nadjacency = \"replace-one\"",
        "kind = \"dp-sgd\"\nsampling = \"shuffled\"\nnoise-multiplier = 2\nsteps = 10\nepochs = 2",
        "kind = \"dp-sgd\"\nsampling = \"shuffled\"\nnoise-multiplier = 2\nbatch-size = 10\ndataset-size = 100",
    ],
};

pub(super) const SHUFFLED_BATCHES: Entry = Entry {
    kind: "shuffled-batches",
    words: "The same as dp-sgd with shuffled batches: a fresh permutation in every epoch, and every intermediate model is released.",
    part: part(
        &[
            NOISE_MULTIPLIER,
            whole("steps", "number of steps of an epoch"),
            number(
                "epochs",
                Domain::Positive,
                "how often all records are gone through, 1 if it is left out",
            ),
        ],
        &["noise-multiplier", "steps"],
    ),
    examples: &["kind = \"shuffled-batches\"\nnoise-multiplier = 2\nsteps = 10\nepochs = 1"],
};
