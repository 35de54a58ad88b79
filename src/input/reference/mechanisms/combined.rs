//! Mechanisms made of others.

use super::{OF, SAMPLING};
use crate::input::reference::{Entry, Part, Shape, key};
use crate::mechanism::Domain;

pub(super) const SUBSAMPLED: Entry = Entry {
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
};

pub(super) const COMPOSE: Entry = Entry {
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
};

pub(super) const MIXTURE: Entry = Entry {
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
};

pub(super) const GROUP: Entry = Entry {
    kind: "group",
    words: "A mechanism where several records change together.",
    part: Part {
        keys: &[key("records", Shape::Whole(1), "how many"), OF],
        needs: &["records", "of"],
        choices: &[],
    },
    examples: &["kind = \"group\"\nrecords = 3\nof = { kind = \"laplace\", scale = 10 }"],
};
