//! Queries and densities on the attacker's prior, an entry for each kind.

use super::{EPSILON, Entry, Key, Part, Shape, key, may, needs};
use crate::mechanism::Domain;

const NOTHING: Part = Part {
    keys: &[],
    needs: &[],
    choices: &[],
};

const OTHER: Key = key("other", Shape::Mechanism, "the other mechanism");

const ALPHA: Part = Part {
    keys: &[key("alpha", Shape::Number(Domain::Unit), "α")],
    needs: &["alpha"],
    choices: &[],
};

/// Every kind of query.
pub const QUERIES: &[Entry] = &[
    Entry {
        kind: "delta",
        words: "δ(ε).",
        part: Part {
            keys: &[
                key("epsilon", Shape::Number(Domain::Real), "ε"),
                key(
                    "exp-epsilon",
                    Shape::Number(Domain::Positive),
                    "e^ε as an exact number, instead of ε",
                ),
            ],
            needs: &[],
            choices: &[EPSILON],
        },
        examples: &[
            "kind = \"delta\"\nepsilon = 1",
            "kind = \"delta\"\nexp-epsilon = 3",
        ],
    },
    Entry {
        kind: "epsilon",
        words: "The smallest ε at that δ.",
        part: Part {
            keys: &[key("delta", Shape::Number(Domain::NonNegative), "δ")],
            needs: &["delta"],
            choices: &[],
        },
        examples: &["kind = \"epsilon\"\ndelta = 1e-5"],
    },
    Entry {
        kind: "tradeoff",
        words: "f(α), the least false-negative rate at false-positive rate α.",
        part: ALPHA,
        examples: &["kind = \"tradeoff\"\nalpha = 0.01"],
    },
    Entry {
        kind: "trade-off",
        words: "The same as tradeoff.",
        part: ALPHA,
        examples: &["kind = \"trade-off\"\nalpha = 0.01"],
    },
    Entry {
        kind: "advantage",
        words: "The membership advantage δ(0).",
        part: NOTHING,
        examples: &["kind = \"advantage\""],
    },
    Entry {
        kind: "bayes-error",
        words: "R(π), the least average error.",
        part: Part {
            keys: &[key(
                "prior",
                Shape::Number(Domain::Unit),
                "π, the prior that the record is absent",
            )],
            needs: &["prior"],
            choices: &[],
        },
        examples: &["kind = \"bayes-error\"\nprior = 0.5"],
    },
    Entry {
        kind: "minimax-risk",
        words: "The largest R(π).",
        part: NOTHING,
        examples: &["kind = \"minimax-risk\""],
    },
    Entry {
        kind: "gdp-mu",
        words: "The least μ of which μ-GDP is true: strictly, or up to a tolerance or an error floor.",
        part: Part {
            keys: &[
                key(
                    "tolerance",
                    Shape::Number(Domain::Tolerance),
                    "as in a `gdp` claim",
                ),
                key(
                    "error-floor",
                    Shape::Number(Domain::ErrorFloor),
                    "as in a `gdp` claim",
                ),
            ],
            needs: &[],
            choices: &[&[may(&["tolerance"]), needs(&["error-floor"])]],
        },
        examples: &[
            "kind = \"gdp-mu\"\ntolerance = 1e-10",
            "kind = \"gdp-mu\"\nerror-floor = 1e-10",
        ],
    },
    Entry {
        kind: "regret",
        words: "Δ(M‖G_μ), the regret of reporting μ.",
        part: Part {
            keys: &[key(
                "mu",
                Shape::NumberOrWord(Domain::NonNegative, &["mu_star", "mu-star"]),
                "μ, or the strict one",
            )],
            needs: &["mu"],
            choices: &[],
        },
        examples: &[
            "kind = \"regret\"\nmu = 1",
            "kind = \"regret\"\nmu = \"mu_star\"",
        ],
    },
    Entry {
        kind: "delta-divergence",
        words: "Δ(M‖other).",
        part: Part {
            keys: &[OTHER],
            needs: &["other"],
            choices: &[],
        },
        examples: &["kind = \"delta-divergence\"\nother = { kind = \"gdp\", mu = 1 }"],
    },
    Entry {
        kind: "delta-symmetric",
        words: "The larger of Δ(M‖other) and Δ(other‖M).",
        part: Part {
            keys: &[OTHER],
            needs: &["other"],
            choices: &[],
        },
        examples: &["kind = \"delta-symmetric\"\nother = { kind = \"gdp\", mu = 1 }"],
    },
    Entry {
        kind: "weighted-delta",
        words: "Δ(M‖other), weighted by a density on the prior.",
        part: Part {
            keys: &[OTHER, key("prior", Shape::Prior, "the density")],
            needs: &["other", "prior"],
            choices: &[],
        },
        examples: &[
            "kind = \"weighted-delta\"\nother = { kind = \"gdp\", mu = 1 }\nprior = \"jeffreys\"",
        ],
    },
    Entry {
        kind: "renyi",
        words: "The Rényi divergence of that order.",
        part: Part {
            keys: &[key(
                "order",
                Shape::NumberOrWord(Domain::Positive, &["inf"]),
                "the order; 1 is Kullback–Leibler",
            )],
            needs: &["order"],
            choices: &[],
        },
        examples: &[
            "kind = \"renyi\"\norder = \"3/2\"",
            "kind = \"renyi\"\norder = \"inf\"",
        ],
    },
    Entry {
        kind: "zcdp-rho",
        words: "The least ρ of zCDP, over both directions.",
        part: NOTHING,
        examples: &["kind = \"zcdp-rho\""],
    },
];

/// Every density on the prior. Those without keys may be written as the word alone.
pub const PRIORS: &[Entry] = &[
    Entry {
        kind: "uniform",
        words: "1.",
        part: NOTHING,
        examples: &["kind = \"uniform\""],
    },
    Entry {
        kind: "jeffreys",
        words: "Beta(1/2, 1/2), normalised.",
        part: NOTHING,
        examples: &["kind = \"jeffreys\""],
    },
    Entry {
        kind: "uquadratic",
        words: "12(π − 1/2)².",
        part: NOTHING,
        examples: &["kind = \"uquadratic\""],
    },
    Entry {
        kind: "beta",
        words: "Beta(a, b), normalised.",
        part: Part {
            keys: &[
                key("a", Shape::Number(Domain::Positive), "a"),
                key("b", Shape::Number(Domain::Positive), "b"),
            ],
            needs: &["a", "b"],
            choices: &[],
        },
        examples: &["kind = \"beta\"\na = 2\nb = \"1/2\""],
    },
    Entry {
        kind: "table",
        words: "Straight lines between points.",
        part: Part {
            keys: &[key(
                "points",
                Shape::Pairs([("prior", Domain::Unit), ("density", Domain::NonNegative)]),
                "priors, increasing, each with the density there",
            )],
            needs: &["points"],
            choices: &[],
        },
        examples: &["kind = \"table\"\npoints = [[0, 1], [\"1/2\", 2], [1, 0]]"],
    },
];
