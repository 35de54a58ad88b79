//! Pairs that are known as such, and classes of which a guarantee is known.

use super::{EPSILON_KEY, EXP_EPSILON_KEY, NON_NEGATIVE};
use crate::input::reference::{EPSILON, Entry, Part, Shape, key, needs, number, part};
use crate::mechanism::Domain;

pub(super) const RANDOMIZED_RESPONSE: Entry = Entry {
    kind: "randomized-response",
    words: "The truth or another of k answers, each as likely; where a record is replaced by a special one, that is answered for by any of the k, each as likely.",
    part: Part {
        keys: &[
            EPSILON_KEY,
            EXP_EPSILON_KEY,
            number(
                "noise",
                Domain::Rate,
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
};

pub(super) const PURE_DP: Entry = Entry {
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
};

pub(super) const APPROX_DP: Entry = Entry {
    kind: "approx-dp",
    words: "All that is known is (ε, δ)-DP.",
    part: Part {
        keys: &[
            EPSILON_KEY,
            EXP_EPSILON_KEY,
            number("delta", Domain::Unit, "δ"),
        ],
        needs: &["delta"],
        choices: &[EPSILON],
    },
    examples: &[
        "kind = \"approx-dp\"\nepsilon = 1\ndelta = 1e-5",
        "kind = \"approx-dp\"\nexp-epsilon = 3\ndelta = 1e-5",
    ],
};

pub(super) const GDP: Entry = Entry {
    kind: "gdp",
    words: "All that is known is μ-GDP.",
    part: part(&[key("mu", NON_NEGATIVE, "μ")], &["mu"]),
    examples: &["kind = \"gdp\"\nmu = 1"],
};

pub(super) const ZCDP: Entry = Entry {
    kind: "zcdp",
    words: "All that is known is (ξ, ρ)-zCDP: Rényi divergences of order α at most ξ + ρα.",
    part: part(
        &[
            key("rho", NON_NEGATIVE, "ρ"),
            key("xi", NON_NEGATIVE, "ξ, 0 if it is left out"),
        ],
        &["rho"],
    ),
    examples: &["kind = \"zcdp\"\nrho = \"1/2\"\nxi = 0"],
};

pub(super) const RDP: Entry = Entry {
    kind: "rdp",
    words: "All that is known are bounds of Rényi divergences.",
    part: part(
        &[key(
            "orders",
            Shape::Pairs([
                ("order", Domain::AboveOne),
                ("epsilon", Domain::NonNegative),
            ]),
            "orders, each with the bound there",
        )],
        &["orders"],
    ),
    examples: &["kind = \"rdp\"\norders = [[2, 0.1], [4, 0.3]]"],
};

pub(super) const FINITE: Entry = Entry {
    kind: "finite",
    words: "Two distributions on a finite set, known exactly.",
    part: part(
        &[
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
        &["p", "q"],
    ),
    examples: &[
        "kind = \"finite\"\np = [\"1/3\", \"2/3\"]\nq = [\"2/3\", \"1/3\"]\nadjacency = \"remove\"",
    ],
};

pub(super) const PROFILE: Entry = Entry {
    kind: "profile",
    words: "All that is known are points of a privacy profile, from another accountant.",
    part: part(
        &[key("points", Shape::Points, "pairs of ε and the δ there")],
        &["points"],
    ),
    examples: &[
        "kind = \"profile\"\npoints = [[0, 0.3], [1, 0.1], { exp-epsilon = 9, delta = 1e-3 }]",
    ],
};
