//! Queries and densities on the attacker's prior, an entry for each kind.

use super::{EPSILON, Entry, Key, Part, Shape, key, may, needs, number, part};
use crate::mechanism::Domain;

const NOTHING: Part = part(&[], &[]);

const OTHER: Key = key("other", Shape::Mechanism, "the other mechanism");

const ALPHA: Part = part(&[number("alpha", Domain::Unit, "α")], &["alpha"]);

/// Every kind of query.
pub const QUERIES: &[Entry] = &[
    Entry {
        kind: "delta",
        words: "δ(ε).",
        part: Part {
            keys: &[
                number("epsilon", Domain::Real, "ε"),
                number(
                    "exp-epsilon",
                    Domain::Positive,
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
        part: part(&[number("delta", Domain::NonNegative, "δ")], &["delta"]),
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
        part: part(
            &[number(
                "prior",
                Domain::Unit,
                "π, the prior that the record is absent (adjacency add: that it is there)",
            )],
            &["prior"],
        ),
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
                number("tolerance", Domain::Tolerance, "as in a `gdp` claim"),
                number("error-floor", Domain::ErrorFloor, "as in a `gdp` claim"),
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
        part: part(
            &[key(
                "mu",
                Shape::NumberOrWord(Domain::NonNegative, &["mu_star", "mu-star"]),
                "μ, or the strict one",
            )],
            &["mu"],
        ),
        examples: &[
            "kind = \"regret\"\nmu = 1",
            "kind = \"regret\"\nmu = \"mu_star\"",
        ],
    },
    Entry {
        kind: "delta-divergence",
        words: "Δ(M‖other).",
        part: part(&[OTHER], &["other"]),
        examples: &["kind = \"delta-divergence\"\nother = { kind = \"gdp\", mu = 1 }"],
    },
    Entry {
        kind: "delta-symmetric",
        words: "The larger of Δ(M‖other) and Δ(other‖M).",
        part: part(&[OTHER], &["other"]),
        examples: &["kind = \"delta-symmetric\"\nother = { kind = \"gdp\", mu = 1 }"],
    },
    Entry {
        kind: "weighted-delta",
        words: "Δ(M‖other), weighted by a density on the prior.",
        part: part(
            &[OTHER, key("prior", Shape::Prior, "the density")],
            &["other", "prior"],
        ),
        examples: &[
            "kind = \"weighted-delta\"\nother = { kind = \"gdp\", mu = 1 }\nprior = \"jeffreys\"",
        ],
    },
    Entry {
        kind: "renyi",
        words: "The Rényi divergence of that order.",
        part: part(
            &[key(
                "order",
                Shape::NumberOrWord(Domain::Positive, &["inf"]),
                "the order; 1 is Kullback–Leibler",
            )],
            &["order"],
        ),
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
        part: part(
            &[
                number("a", Domain::Positive, "a"),
                number("b", Domain::Positive, "b"),
            ],
            &["a", "b"],
        ),
        examples: &["kind = \"beta\"\na = 2\nb = \"1/2\""],
    },
    Entry {
        kind: "table",
        words: "Straight lines between points.",
        part: part(
            &[key(
                "points",
                Shape::Pairs([("prior", Domain::Unit), ("density", Domain::NonNegative)]),
                "priors, increasing, each with the density there",
            )],
            &["points"],
        ),
        examples: &["kind = \"table\"\npoints = [[0, 1], [\"1/2\", 2], [1, 0]]"],
    },
];
