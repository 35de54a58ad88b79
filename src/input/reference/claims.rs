//! Claims, an entry for each kind.

use super::{EPSILON, Entry, Key, Part, Shape, key, may, needs, number, part};
use crate::mechanism::Domain;

const NON_NEGATIVE: Shape = Shape::Number(Domain::NonNegative);

const AT_MOST: Key = key("at-most", NON_NEGATIVE, "by how much at most");
const DELTA: Key = key("delta", NON_NEGATIVE, "δ");
const MU: Key = key("mu", NON_NEGATIVE, "μ");

/// Every kind of claim.
pub const CLAIMS: &[Entry] = &[
    Entry {
        kind: "pure-dp",
        words: "ε-DP: no loss is larger than ε.",
        part: Part {
            keys: &[
                key("epsilon", NON_NEGATIVE, "ε"),
                number(
                    "exp-epsilon",
                    Domain::AtLeastOne,
                    "e^ε as an exact number, instead of ε",
                ),
            ],
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
        words: "(ε, δ)-DP: δ(ε) is at most δ.",
        part: Part {
            keys: &[
                number("epsilon", Domain::Real, "ε"),
                number(
                    "exp-epsilon",
                    Domain::Positive,
                    "e^ε as an exact number, instead of ε",
                ),
                DELTA,
            ],
            needs: &["delta"],
            choices: &[EPSILON],
        },
        examples: &[
            "kind = \"approx-dp\"\nepsilon = 8\ndelta = 1e-5",
            "kind = \"approx-dp\"\nexp-epsilon = 2\ndelta = \"1/6\"",
        ],
    },
    Entry {
        kind: "gdp",
        words: "μ-GDP: the trade-off function is nowhere below that of N(0, 1) against N(μ, 1). With neither tolerance nor error floor the claim is strict.",
        part: Part {
            keys: &[
                MU,
                number(
                    "tolerance",
                    Domain::Tolerance,
                    "by how much it may be below, Δ(G_μ‖M) at most so much; 0 is the strict claim",
                ),
                number(
                    "error-floor",
                    Domain::ErrorFloor,
                    "it may be below only where an error is smaller than this, instead of a tolerance",
                ),
            ],
            needs: &["mu"],
            choices: &[&[may(&["tolerance"]), needs(&["error-floor"])]],
        },
        examples: &[
            "kind = \"gdp\"\nmu = 1.57\ntolerance = 1e-10",
            "kind = \"gdp\"\nmu = 1.57\nerror-floor = 1e-10",
        ],
    },
    Entry {
        kind: "regret",
        words: "Reporting μ-GDP instead of the mechanism under-reports an attacker's error by at most so much: Δ(M‖G_μ).",
        part: part(&[MU, AT_MOST], &["mu", "at-most"]),
        examples: &["kind = \"regret\"\nmu = 1.57\nat-most = 0.01"],
    },
    Entry {
        kind: "zcdp",
        words: "ρ-zCDP: the Rényi divergence of every order α > 1 is at most ρα, in both directions.",
        part: part(&[key("rho", NON_NEGATIVE, "ρ")], &["rho"]),
        examples: &["kind = \"zcdp\"\nrho = \"1/2\""],
    },
    Entry {
        kind: "rdp",
        words: "A bound of one Rényi divergence.",
        part: part(
            &[
                number("order", Domain::AboveOne, "the order α"),
                key("epsilon", NON_NEGATIVE, "the divergence at most"),
            ],
            &["order", "epsilon"],
        ),
        examples: &["kind = \"rdp\"\norder = 2\nepsilon = 1"],
    },
    Entry {
        kind: "advantage",
        words: "The membership advantage, true-positive minus false-positive rate, is at most so much: δ(0).",
        part: part(&[AT_MOST], &["at-most"]),
        examples: &["kind = \"advantage\"\nat-most = 0.57"],
    },
    Entry {
        kind: "trade-off",
        words: "At false-positive rate α the false-negative rate of every test is at least β, also of one that draws by chance which neighbours it tells apart: f(α) ≥ β. f is the largest convex function below the trade-off functions of all pairs of neighbouring datasets, in both orders where the adjacency has both. With the adjacency add, α is the rate at which members are cleared.",
        part: part(
            &[
                number("alpha", Domain::Unit, "α"),
                number("beta", Domain::Unit, "β"),
            ],
            &["alpha", "beta"],
        ),
        examples: &["kind = \"trade-off\"\nalpha = 0.01\nbeta = 0.6"],
    },
    Entry {
        kind: "dominated-by",
        words: "Another mechanism is less private, but for so much: Δ(other‖M).",
        part: part(
            &[
                key("mechanism", Shape::Mechanism, "the other mechanism"),
                AT_MOST,
            ],
            &["mechanism", "at-most"],
        ),
        examples: &[
            "kind = \"dominated-by\"\nmechanism = { kind = \"gaussian\", sigma = \"1/2\" }\nat-most = 0",
        ],
    },
];
