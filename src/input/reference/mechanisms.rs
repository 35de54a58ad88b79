//! Mechanisms, an entry for each kind, in the order of the manual.

use super::{Choice, EPSILON, Entry, Key, Part, Shape, key, needs};
use crate::mechanism::Domain;

const POSITIVE: Shape = Shape::Number(Domain::Positive);
const NON_NEGATIVE: Shape = Shape::Number(Domain::NonNegative);

const EPSILON_KEY: Key = key("epsilon", NON_NEGATIVE, "ε");
const EXP_EPSILON_KEY: Key = key(
    "exp-epsilon",
    Shape::Number(Domain::AtLeastOne),
    "e^ε as an exact number, instead of ε",
);
const SCALE: Key = key("scale", POSITIVE, "scale b of the noise");
const SIGMA: Key = key("sigma", POSITIVE, "standard deviation σ of the noise");
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
const NOISE_MULTIPLIER: Key = key(
    "noise-multiplier",
    POSITIVE,
    "σ over the record bound (clip norm)",
);
const OF: Key = key("of", Shape::Inside, "the mechanism");
const SAMPLING: Key = key(
    "sampling",
    Shape::Word(&["poisson"]),
    "how batches are drawn; poisson if it is left out",
);
const STEPS: Key = key("steps", Shape::Whole(1), "number of steps");
const SAMPLE_RATE: Key = key(
    "sample-rate",
    Shape::Number(Domain::Rate),
    "probability that a record is in a batch",
);

/// A sensitivity or a record bound, or neither.
const SENSITIVITIES: &[Choice] = &[
    Choice {
        needs: &[],
        may: &["sensitivity"],
    },
    needs(&["record-bound"]),
];

const PHASE: Part = Part {
    keys: &[NOISE_MULTIPLIER, SAMPLE_RATE, STEPS],
    needs: &["noise-multiplier", "sample-rate", "steps"],
    choices: &[],
};

const BLT: Part = Part {
    keys: &[
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
    needs: &["weights", "decays"],
    choices: &[],
};

/// Every kind of mechanism.
pub const MECHANISMS: &[Entry] = &[
    Entry {
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
                Choice {
                    needs: &["sigma"],
                    may: &["sensitivity"],
                },
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
    },
    Entry {
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
    },
    Entry {
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
    },
    Entry {
        kind: "discrete-gaussian",
        words: "Discrete Gaussian noise on a count.",
        part: Part {
            keys: &[SIGMA, WHOLE_SENSITIVITY, WHOLE_RECORD_BOUND],
            needs: &["sigma"],
            choices: &[SENSITIVITIES],
        },
        examples: &[
            "kind = \"discrete-gaussian\"\nsigma = 2\nsensitivity = 1",
            "kind = \"discrete-gaussian\"\nsigma = 2\nrecord-bound = 1",
        ],
    },
    Entry {
        kind: "randomized-response",
        words: "The truth or another of k answers, each as likely.",
        part: Part {
            keys: &[
                EPSILON_KEY,
                EXP_EPSILON_KEY,
                key(
                    "noise",
                    Shape::Number(Domain::Rate),
                    "probability that the answer is uniform over all k, instead of ε",
                ),
                key(
                    "k",
                    Shape::Whole(2),
                    "number of answers, 2 if it is left out",
                ),
            ],
            needs: &[],
            choices: &[&[
                needs(&["epsilon"]),
                needs(&["exp-epsilon"]),
                needs(&["noise"]),
            ]],
        },
        examples: &[
            "kind = \"randomized-response\"\nepsilon = 1\nk = 4",
            "kind = \"randomized-response\"\nexp-epsilon = 3",
            "kind = \"randomized-response\"\nnoise = 0.5",
        ],
    },
    Entry {
        kind: "pure-dp",
        words: "All that is known is ε-DP.",
        part: Part {
            keys: &[EPSILON_KEY, EXP_EPSILON_KEY],
            needs: &[],
            choices: &[EPSILON],
        },
        examples: &[
            "kind = \"pure-dp\"\nepsilon = 1",
            "kind = \"pure-dp\"\nexp-epsilon = 3",
        ],
    },
    Entry {
        kind: "approx-dp",
        words: "All that is known is (ε, δ)-DP.",
        part: Part {
            keys: &[
                EPSILON_KEY,
                EXP_EPSILON_KEY,
                key("delta", Shape::Number(Domain::Unit), "δ"),
            ],
            needs: &["delta"],
            choices: &[EPSILON],
        },
        examples: &[
            "kind = \"approx-dp\"\nepsilon = 1\ndelta = 1e-5",
            "kind = \"approx-dp\"\nexp-epsilon = 3\ndelta = 1e-5",
        ],
    },
    Entry {
        kind: "gdp",
        words: "All that is known is μ-GDP.",
        part: Part {
            keys: &[key("mu", NON_NEGATIVE, "μ")],
            needs: &["mu"],
            choices: &[],
        },
        examples: &["kind = \"gdp\"\nmu = 1"],
    },
    Entry {
        kind: "zcdp",
        words: "All that is known is (ξ, ρ)-zCDP: Rényi divergences of order α at most ξ + ρα.",
        part: Part {
            keys: &[
                key("rho", NON_NEGATIVE, "ρ"),
                key("xi", NON_NEGATIVE, "ξ, 0 if it is left out"),
            ],
            needs: &["rho"],
            choices: &[],
        },
        examples: &["kind = \"zcdp\"\nrho = \"1/2\"\nxi = 0"],
    },
    Entry {
        kind: "rdp",
        words: "All that is known are bounds of Rényi divergences.",
        part: Part {
            keys: &[key(
                "orders",
                Shape::Pairs([
                    ("order", Domain::AboveOne),
                    ("epsilon", Domain::NonNegative),
                ]),
                "orders, each with the bound there",
            )],
            needs: &["orders"],
            choices: &[],
        },
        examples: &["kind = \"rdp\"\norders = [[2, 0.1], [4, 0.3]]"],
    },
    Entry {
        kind: "finite",
        words: "Two distributions on a finite set, known exactly.",
        part: Part {
            keys: &[
                key(
                    "p",
                    Shape::Numbers(Domain::Unit),
                    "probabilities that sum to exactly 1",
                ),
                key(
                    "q",
                    Shape::Numbers(Domain::Unit),
                    "the same for the neighbour",
                ),
            ],
            needs: &["p", "q"],
            choices: &[],
        },
        examples: &[
            "kind = \"finite\"\np = [\"1/3\", \"2/3\"]\nq = [\"2/3\", \"1/3\"]\nadjacency = \"remove\"",
        ],
    },
    Entry {
        kind: "profile",
        words: "All that is known are points of a privacy profile, from another accountant.",
        part: Part {
            keys: &[key("points", Shape::Points, "pairs of ε and the δ there")],
            needs: &["points"],
            choices: &[],
        },
        examples: &[
            "kind = \"profile\"\npoints = [[0, 0.3], [1, 0.1], { exp-epsilon = 9, delta = 1e-3 }]",
        ],
    },
    Entry {
        kind: "gaussian-mixture",
        words: "N(0, σ²) against a mixture of N(shift, σ²).",
        part: Part {
            keys: &[
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
            needs: &["sigma", "shifts", "weights"],
            choices: &[],
        },
        examples: &[
            "kind = \"gaussian-mixture\"\nsigma = 2\nshifts = [0, 1]\nweights = [\"1/2\", \"1/2\"]",
        ],
    },
    Entry {
        kind: "histogram",
        words: "One count per cell, each with its own noise, all released: one cell changes with a record, two when it is replaced.",
        part: Part {
            keys: &[key("of", Shape::Inside, "the noise of a cell")],
            needs: &["of"],
            choices: &[],
        },
        examples: &[
            "kind = \"histogram\"\nof = { kind = \"gaussian\", sigma = 2 }\nadjacency = \"replace-one\"",
        ],
    },
    Entry {
        kind: "subsampled",
        words: "A mechanism on a random sample of the records.",
        part: Part {
            keys: &[
                key(
                    "rate",
                    Shape::Number(Domain::Rate),
                    "probability that a record is in the sample",
                ),
                OF,
                SAMPLING,
            ],
            needs: &["rate", "of"],
            choices: &[],
        },
        examples: &[
            "kind = \"subsampled\"\nrate = 0.01\nsampling = \"poisson\"\nof = { kind = \"gaussian\", sigma = 1 }",
        ],
    },
    Entry {
        kind: "compose",
        words: "Several mechanisms on the same records.",
        part: Part {
            keys: &[
                key(
                    "of",
                    Shape::Composed,
                    "the mechanisms, each with `times` or without",
                ),
                SAMPLING,
            ],
            needs: &["of"],
            choices: &[],
        },
        examples: &[
            "kind = \"compose\"\nsampling = \"poisson\"\nof = [{ kind = \"gaussian\", sigma = 10, times = 100 }, { kind = \"laplace\", scale = 2 }]",
        ],
    },
    Entry {
        kind: "mixture",
        words: "One of several mechanisms, drawn at random; which one is public.",
        part: Part {
            keys: &[key(
                "of",
                Shape::Weighted,
                "the mechanisms, each with `weight`",
            )],
            needs: &["of"],
            choices: &[],
        },
        examples: &[
            "kind = \"mixture\"\nof = [{ weight = \"1/3\", kind = \"gdp\", mu = 1 }, { weight = \"2/3\", kind = \"gaussian\", sigma = 2 }]",
        ],
    },
    Entry {
        kind: "group",
        words: "A mechanism where several records change together.",
        part: Part {
            keys: &[key("records", Shape::Whole(1), "how many"), OF],
            needs: &["records", "of"],
            choices: &[],
        },
        examples: &["kind = \"group\"\nrecords = 3\nof = { kind = \"laplace\", scale = 10 }"],
    },
    Entry {
        kind: "tree-aggregation",
        words: "Prefix sums by binary trees (DP-FTRL).",
        part: Part {
            keys: &[
                NOISE_MULTIPLIER,
                key("steps", Shape::Whole(1), "leaves of a tree"),
                key(
                    "restarts",
                    Shape::Whole(1),
                    "number of trees, 1 if it is left out",
                ),
                key(
                    "participations",
                    Shape::Whole(1),
                    "in how many steps a record may take part, 1 if it is left out",
                ),
                key(
                    "min-separation",
                    Shape::Whole(1),
                    "how many steps lie at least between two of them, counted from the one to the other, 1 if it is left out",
                ),
            ],
            needs: &["noise-multiplier", "steps"],
            choices: &[],
        },
        examples: &[
            "kind = \"tree-aggregation\"\nnoise-multiplier = 5\nsteps = 64\nrestarts = 2\nparticipations = 2\nmin-separation = 32",
        ],
    },
    Entry {
        kind: "matrix-factorization",
        words: "The release of Cx + Z with a lower-triangular matrix C: noise that is correlated over the steps.",
        part: Part {
            keys: &[
                NOISE_MULTIPLIER,
                STEPS,
                key(
                    "participations",
                    Shape::Whole(1),
                    "in how many steps a record may take part",
                ),
                key(
                    "min-separation",
                    Shape::Whole(1),
                    "steps from one participation to the next at least; with `rate`, the number of bands",
                ),
                key(
                    "epochs",
                    Shape::Whole(1),
                    "instead of both: every record takes part once in each epoch, always at the same place",
                ),
                key(
                    "rate",
                    Shape::Number(Domain::Rate),
                    "instead of `participations`: cyclic Poisson sampling at this rate",
                ),
                key(
                    "toeplitz",
                    Shape::Numbers(Domain::Real),
                    "the first column of C",
                ),
                key("matrix", Shape::Rows, "the rows of C"),
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
                    Choice {
                        needs: &["participations"],
                        may: &["min-separation"],
                    },
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
    },
    Entry {
        kind: "dp-sgd",
        words: "Steps of Gaussian noise on random batches. From epochs, a batch size b and a data set of n records, there are epochs·⌈n/b⌉ steps at rate b/n.",
        part: Part {
            keys: &[
                NOISE_MULTIPLIER,
                SAMPLE_RATE,
                STEPS,
                key(
                    "phases",
                    Shape::Tables(&PHASE),
                    "phases with noise multiplier, sample rate and steps of their own",
                ),
                key("epochs", Shape::Whole(1), "how often all records are used"),
                key(
                    "batch-size",
                    Shape::Whole(1),
                    "expected number of records in a batch",
                ),
                key("dataset-size", Shape::Whole(1), "number of records"),
                SAMPLING,
            ],
            needs: &[],
            choices: &[&[
                needs(&["noise-multiplier", "sample-rate", "steps"]),
                needs(&["noise-multiplier", "epochs", "batch-size", "dataset-size"]),
                needs(&["phases"]),
            ]],
        },
        examples: &[
            "kind = \"dp-sgd\"\nnoise-multiplier = 9.4\nsample-rate = \"16384/50000\"\nsteps = 2000\nsampling = \"poisson\"",
            "kind = \"dp-sgd\"\nnoise-multiplier = 1.1\nepochs = 2\nbatch-size = 256\ndataset-size = 60000",
            "kind = \"dp-sgd\"\nphases = [{ noise-multiplier = 2, sample-rate = 0.01, steps = 100 }, { noise-multiplier = 1, sample-rate = 0.02, steps = 50 }]",
        ],
    },
];
