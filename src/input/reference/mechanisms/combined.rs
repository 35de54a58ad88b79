//! Mechanisms made of others.

use super::OF;
use crate::input::reference::{
    Entry, Part, Shape, key, needs, needs_may, number, part, whole, with,
};
use crate::mechanism::Domain;

const RUNS: Part = Part {
    keys: &[
        key(
            "kind",
            Shape::Word(&["geometric", "logarithmic", "poisson", "negative-binomial"]),
            "the law of the number of runs",
        ),
        number(
            "mean",
            Domain::Positive,
            "its mean: at least 1 of a geometric law, above 1 of a logarithmic or negative binomial one",
        ),
        number(
            "shape",
            Domain::Real,
            "the shape of a negative binomial law",
        ),
    ],
    needs: &["kind", "mean"],
    choices: &[&[
        with(needs(&["kind"]), "kind", "geometric"),
        with(needs(&["kind"]), "kind", "logarithmic"),
        with(needs(&["kind"]), "kind", "poisson"),
        with(needs(&["kind", "shape"]), "kind", "negative-binomial"),
    ]],
};

pub(super) const SUBSAMPLED: Entry = Entry {
    kind: "subsampled",
    words: "A mechanism on a random sample of the records.",
    part: Part {
        keys: &[
            number(
                "rate",
                Domain::Rate,
                "probability that a record is in the sample",
            ),
            OF,
            key(
                "sampling",
                Shape::Word(&["poisson", "truncated-poisson", "without-replacement"]),
                "how the sample is drawn; poisson if it is left out",
            ),
            whole(
                "dataset-size",
                "number of records; where samples are truncated, of the larger data set",
            ),
            whole(
                "max-batch",
                "so many records of a sample are kept, where samples are truncated",
            ),
            whole(
                "batch-size",
                "records in a batch, where it is drawn without replacement",
            ),
        ],
        needs: &["of"],
        choices: &[&[
            with(needs_may(&["rate"], &["sampling"]), "sampling", "poisson"),
            with(
                needs(&["rate", "sampling", "dataset-size", "max-batch"]),
                "sampling",
                "truncated-poisson",
            ),
            with(
                needs(&["sampling", "dataset-size", "batch-size"]),
                "sampling",
                "without-replacement",
            ),
        ]],
    },
    examples: &[
        "kind = \"subsampled\"\nrate = 0.01\nsampling = \"poisson\"\nof = { kind = \"gaussian\", sigma = 1 }",
        "kind = \"subsampled\"\nrate = 0.01\nsampling = \"truncated-poisson\"\ndataset-size = 1000\nmax-batch = 20\nof = { kind = \"gaussian\", sigma = 1 }",
        "kind = \"subsampled\"\nsampling = \"without-replacement\"\ndataset-size = 100\nbatch-size = 10\nadjacency = \"replace-one\"\nof = { kind = \"gaussian\", noise-multiplier = 2 }",
    ],
};

pub(super) const PRIVATE_SELECTION: Entry = Entry {
    kind: "private-selection",
    words: "A mechanism runs a random number of times and the best outcome is released.",
    part: part(
        &[
            key("runs", Shape::Table(&RUNS), "how often it runs"),
            OF,
            key(
                "best-first",
                Shape::Wholes,
                "the outcomes of a finite mechanism, counted from 0, best first; if it is left out, any strict order may be meant (no two of them tie)",
            ),
        ],
        &["runs", "of"],
    ),
    examples: &[
        "kind = \"private-selection\"\nruns = { kind = \"geometric\", mean = 10 }\nof = { kind = \"pure-dp\", epsilon = 0.1 }",
        "kind = \"private-selection\"\nruns = { kind = \"negative-binomial\", mean = 10, shape = \"1/2\" }\nof = { kind = \"finite\", p = [\"1/3\", \"2/3\"], q = [\"2/3\", \"1/3\"] }\nbest-first = [1, 0]",
    ],
};

pub(super) const SHUFFLED: Entry = Entry {
    kind: "shuffled",
    words: "A shuffler stands between the users, each of whom runs the mechanism, and the analyst. It needs adjacency replace-one at the top; of pure-dp, replace-special will do as well.",
    part: part(
        &[
            whole("users", "how many users there are"),
            key(
                "of",
                Shape::Inside,
                "what each user runs: pure-dp or randomized-response",
            ),
        ],
        &["users", "of"],
    ),
    examples: &[
        "kind = \"shuffled\"\nusers = 100\nof = { kind = \"randomized-response\", epsilon = 1 }\nadjacency = \"replace-one\"",
    ],
};

pub(super) const RANDOM_ALLOCATION: Entry = Entry {
    kind: "random-allocation",
    words: "Each record takes part in so many of the steps, drawn at random.",
    part: part(
        &[
            whole("steps", "number of steps of an epoch"),
            whole(
                "selected",
                "in how many of them a record takes part, 1 if it is left out",
            ),
            whole("epochs", "how often that is repeated, 1 if it is left out"),
            key("of", Shape::Inside, "the mechanism of a step"),
        ],
        &["steps", "of"],
    ),
    examples: &[
        "kind = \"random-allocation\"\nsteps = 10\nselected = 1\nepochs = 1\nof = { kind = \"gaussian\", sigma = 2 }",
    ],
};

pub(super) const COMPOSE: Entry = Entry {
    kind: "compose",
    words: "Several mechanisms on the same records, each of which may be chosen by what was released before, in whichever order reveals most.",
    part: part(
        &[
            key(
                "of",
                Shape::Composed,
                "the mechanisms, each with `times` or without",
            ),
            key(
                "sampling",
                Shape::Word(&["poisson"]),
                "how batches are drawn; poisson if it is left out",
            ),
        ],
        &["of"],
    ),
    examples: &[
        "kind = \"compose\"\nsampling = \"poisson\"\nof = [{ kind = \"gaussian\", sigma = 10, times = 100 }, { kind = \"laplace\", scale = 2 }]",
    ],
};

pub(super) const MIXTURE: Entry = Entry {
    kind: "mixture",
    words: "One of several mechanisms, drawn at random; which one is public.",
    part: part(
        &[key(
            "of",
            Shape::Weighted,
            "the mechanisms, each with `weight`",
        )],
        &["of"],
    ),
    examples: &[
        "kind = \"mixture\"\nof = [{ weight = \"1/3\", kind = \"gdp\", mu = 1 }, { weight = \"2/3\", kind = \"gaussian\", sigma = 2 }]",
    ],
};

pub(super) const GROUP: Entry = Entry {
    kind: "group",
    words: "A mechanism where several records change together: all of them are added, or all are removed; under `replace-one` each is exchanged for another one.",
    part: part(
        &[
            whole("records", "how many"),
            key(
                "of",
                Shape::Inside,
                "the mechanism: noise on a sum, pure-dp, approx-dp, finite (these on Poisson samples too), gdp, zcdp, or compositions and mixtures of these",
            ),
        ],
        &["records", "of"],
    ),
    examples: &["kind = \"group\"\nrecords = 3\nof = { kind = \"laplace\", scale = 10 }"],
};
