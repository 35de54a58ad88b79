//! Mechanisms of further kinds, drawn: an accountant is asked about those that it names.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_oneof};
use proptest::sample::select;
use proptest::strategy::{BoxedStrategy, Union};

use super::decimal::Decimal;
use super::model::{Model, RepeatedStep, Step};
use super::strategies::whole;
use super::table::{Entry, Table};
use crate::float::elementary::powi;

type Draw = fn() -> BoxedStrategy<RepeatedStep>;

/// The words by which an accountant names them.
pub(super) const KINDS: [(&str, Draw); 17] = [
    ("exponential", || choices("exponential")),
    ("gaussian-mixture", gaussian_mixtures),
    ("group", groups),
    ("matrix-factorization", factorizations),
    ("mixture", mixtures),
    ("noise-threshold", thresholds),
    ("permute-and-flip", || choices("permute-and-flip")),
    ("private-selection", selections),
    ("pure-dp", pure_guarantees),
    ("random-allocation", allocations),
    ("shuffled", shuffled),
    ("shuffled-batches", shuffled_batches),
    ("skellam", skellam),
    ("top-k", top_k),
    ("tree-aggregation", trees),
    ("truncated-poisson", truncated_batches),
    ("without-replacement", fixed_batches),
];

/// Mechanisms of the kinds that are named; `None` if none of them is.
pub(super) fn models(is_named: impl Fn(&str) -> bool) -> Option<BoxedStrategy<Model>> {
    let draws = KINDS.iter().filter(|(kind, _)| is_named(kind));
    let strategies: Vec<_> = draws.map(|(_, draw)| draw()).collect();
    let part = (!strategies.is_empty()).then(|| Union::new(strategies))?;
    Some(part.prop_map(|part| Model::of(vec![part])).boxed())
}

/// Doubles of four bits, 2^low to 2^high.
fn doubles(low: i32, high: i32) -> BoxedStrategy<Decimal> {
    (low..high, 8u32..16)
        .prop_map(|(exponent, bits)| Decimal::near(f64::from(bits) * powi(2f64, exponent - 3), 17))
        .boxed()
}

fn positive(low: i32, high: i32) -> BoxedStrategy<Entry> {
    doubles(low, high).prop_map(Entry::Positive).boxed()
}

fn count(least: u64, most: u64) -> BoxedStrategy<Entry> {
    (least..=most).prop_map(Entry::Count).boxed()
}

fn runs() -> BoxedStrategy<u64> {
    prop_oneof![3 => Just(1u64), 2 => 2u64..10].boxed()
}

fn inside(table: Table) -> Entry {
    Entry::Inside(Box::new(table))
}

fn once(table: Table) -> RepeatedStep {
    RepeatedStep::plain(Step::Named(table), 1)
}

fn repeated(tables: BoxedStrategy<Table>) -> BoxedStrategy<RepeatedStep> {
    (tables, runs())
        .prop_map(|(table, times)| RepeatedStep::plain(Step::Named(table), times))
        .boxed()
}

/// A table whose entries are drawn one by one.
fn table(
    kind: &'static str,
    entries: Vec<(&'static str, BoxedStrategy<Entry>)>,
) -> BoxedStrategy<Table> {
    let (keys, values): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
    values
        .prop_map(move |values| Table::new(kind, keys.iter().copied().zip(values).collect()))
        .boxed()
}

fn gaussian() -> BoxedStrategy<Table> {
    table("gaussian", vec![("noise-multiplier", positive(-1, 4))])
}

fn laplace() -> BoxedStrategy<Table> {
    table("laplace", vec![("scale", positive(-1, 4))])
}

fn response() -> BoxedStrategy<Table> {
    let answers = prop_oneof![3 => Just(2u64), 1 => 3u64..6].prop_map(Entry::Count);
    let entries = vec![("epsilon", positive(-3, 2)), ("k", answers.boxed())];
    table("randomized-response", entries)
}

fn pure() -> BoxedStrategy<Table> {
    table("pure-dp", vec![("epsilon", positive(-4, 1))])
}

fn choices(kind: &'static str) -> BoxedStrategy<RepeatedStep> {
    repeated(table(kind, vec![("epsilon", positive(-4, 2))]))
}

fn top_k() -> BoxedStrategy<RepeatedStep> {
    let entries = vec![("epsilon", positive(-5, 1)), ("k", count(1, 12))];
    table("top-k", entries).prop_map(once).boxed()
}

fn pure_guarantees() -> BoxedStrategy<RepeatedStep> {
    repeated(pure())
}

fn skellam() -> BoxedStrategy<RepeatedStep> {
    let rate = prop_oneof![2 => Just(None), 1 => doubles(-7, 0).prop_map(Some)];
    (
        table("skellam", vec![("mean", positive(-1, 8))]),
        rate,
        runs(),
    )
        .prop_map(|(table, rate, times)| RepeatedStep {
            rate,
            ..RepeatedStep::plain(Step::Named(table), times)
        })
        .boxed()
}

fn gaussian_mixtures() -> BoxedStrategy<RepeatedStep> {
    let weights = select(vec![
        vec![0.5, 0.5],
        vec![0.75, 0.25],
        vec![0.5, 0.25, 0.25],
        vec![0.875, 0.09375, 0.03125],
    ]);
    let shifts = vec(
        prop_oneof![1 => Just(Decimal::ZERO), 3 => doubles(-2, 2)],
        3,
    );
    let drawn = (positive(-1, 4), weights, shifts).prop_map(|(sigma, weights, shifts)| {
        let shifts = shifts.into_iter().take(weights.len()).collect();
        let weights = weights.into_iter().map(|weight| Decimal::near(weight, 17));
        let entries = vec![
            ("sigma", sigma),
            ("shifts", Entry::Numbers(shifts)),
            ("weights", Entry::Numbers(weights.collect())),
        ];
        Table::new("gaussian-mixture", entries)
    });
    repeated(drawn.boxed())
}

fn mixtures() -> BoxedStrategy<RepeatedStep> {
    let part = || prop_oneof![gaussian(), laplace(), response()];
    let share = select(vec![0.5, 0.25, 0.125, 0.9375]);
    (part(), part(), share)
        .prop_map(|(one, other, share)| {
            let weighted = |part: Table, weight: f64| {
                let weight = ("weight", Entry::Fixed(Decimal::near(weight, 17)));
                Table::new(part.kind, [vec![weight], part.entries].concat())
            };
            let parts = vec![weighted(one, share), weighted(other, 1.0 - share)];
            once(Table::new("mixture", vec![("of", Entry::Each(parts))]))
        })
        .boxed()
}

fn groups() -> BoxedStrategy<RepeatedStep> {
    let sampled = (doubles(-7, 0), gaussian()).prop_map(|(rate, of)| {
        Table::new(
            "subsampled",
            vec![("rate", Entry::Positive(rate)), ("of", inside(of))],
        )
    });
    let of = prop_oneof![2 => gaussian(), 2 => laplace(), 1 => response(), 2 => sampled];
    repeated(table(
        "group",
        vec![
            ("records", count(2, 5)),
            ("of", of.prop_map(inside).boxed()),
        ],
    ))
}

fn trees() -> BoxedStrategy<RepeatedStep> {
    let entries = vec![
        ("noise-multiplier", positive(0, 5)),
        ("steps", whole(0.0, 3.5).prop_map(Entry::Count).boxed()),
        ("restarts", count(1, 4)),
        ("participations", count(1, 4)),
        (
            "min-separation",
            whole(0.0, 2.5).prop_map(Entry::Count).boxed(),
        ),
    ];
    table("tree-aggregation", entries).prop_map(once).boxed()
}

fn factorizations() -> BoxedStrategy<RepeatedStep> {
    let column = select(vec![
        vec![1.0],
        vec![1.0, 0.5],
        vec![1.0, 0.5, 0.375, 0.3125],
        vec![1.0, -0.5],
        vec![2.0, -1.0, 0.5],
    ]);
    let column = column.prop_map(|numbers| {
        let numbers = numbers.into_iter().map(|number| Decimal::near(number, 17));
        Entry::Numbers(numbers.collect())
    });
    let entries = vec![
        ("noise-multiplier", positive(0, 4)),
        ("steps", count(4, 30)),
        ("participations", count(1, 4)),
        ("min-separation", count(1, 8)),
        ("toeplitz", column.boxed()),
    ];
    table("matrix-factorization", entries)
        .prop_map(once)
        .boxed()
}

fn thresholds() -> BoxedStrategy<RepeatedStep> {
    let noise = select(vec![
        ("laplace", "scale"),
        ("gaussian", "sigma"),
        ("discrete-laplace", "scale"),
        ("truncated-geometric", "scale"),
        ("discrete-gaussian", "sigma"),
    ]);
    let passed = select(vec![">", ">="]);
    (noise, positive(-1, 3), count(1, 40), passed, 1u64..4)
        .prop_map(|((noise, key), size, threshold, passed, keys)| {
            once(Table::new(
                "noise-threshold",
                vec![
                    ("noise", Entry::Word(noise)),
                    (key, size),
                    ("threshold", threshold),
                    ("release-if", Entry::Word(passed)),
                    ("keys", Entry::Count(keys)),
                ],
            ))
        })
        .boxed()
}

fn selections() -> BoxedStrategy<RepeatedStep> {
    let law = select(vec!["geometric", "logarithmic", "poisson"]);
    let of = prop_oneof![2 => pure(), 2 => response(), 1 => gaussian()];
    (law, positive(1, 5), of)
        .prop_map(|(law, mean, of)| {
            let law = Table::new(law, vec![("mean", mean)]);
            let entries = vec![("runs", inside(law)), ("of", inside(of))];
            once(Table::new("private-selection", entries))
        })
        .boxed()
}

fn shuffled() -> BoxedStrategy<RepeatedStep> {
    let of = prop_oneof![response(), pure()].prop_map(inside);
    let users = prop_oneof![2 => 2u64..200, 1 => whole(2.0, 5.0)];
    let entries = vec![
        ("users", users.prop_map(Entry::Count).boxed()),
        ("of", of.boxed()),
    ];
    table("shuffled", entries).prop_map(once).boxed()
}

fn allocations() -> BoxedStrategy<RepeatedStep> {
    let of = prop_oneof![gaussian(), response()].prop_map(inside);
    let entries = vec![("steps", count(1, 20)), ("of", of.boxed())];
    table("random-allocation", entries).prop_map(once).boxed()
}

fn shuffled_batches() -> BoxedStrategy<RepeatedStep> {
    let entries = vec![
        ("noise-multiplier", positive(-1, 4)),
        ("steps", count(1, 50)),
        ("epochs", count(1, 6)),
    ];
    table("shuffled-batches", entries).prop_map(once).boxed()
}

fn truncated_batches() -> BoxedStrategy<RepeatedStep> {
    let drawn = (doubles(-7, -1), whole(1.0, 4.0), 0.5f64..3.0, gaussian()).prop_map(
        |(rate, size, room, of)| {
            let expected = rate.to_f64() * size_of(size);
            let most = Decimal::near((expected * room).ceil().max(1.0), 6);
            let entries = vec![
                ("rate", Entry::Positive(rate)),
                ("sampling", Entry::Word("truncated-poisson")),
                ("dataset-size", Entry::Count(size)),
                (
                    "max-batch",
                    Entry::Count(most.exactly().numer().to_u64().unwrap_or(1)),
                ),
                ("of", inside(of)),
            ];
            Table::new("subsampled", entries)
        },
    );
    repeated(drawn.boxed())
}

fn fixed_batches() -> BoxedStrategy<RepeatedStep> {
    let drawn = (2u64..500, 1u64..50, gaussian()).prop_map(|(size, batch, of)| {
        let entries = vec![
            ("sampling", Entry::Word("without-replacement")),
            ("dataset-size", Entry::Count(size)),
            ("batch-size", Entry::Count(batch.min(size - 1))),
            ("of", inside(of)),
        ];
        Table::new("subsampled", entries)
    });
    repeated(drawn.boxed())
}

fn size_of(count: u64) -> f64 {
    Decimal::new(i64::try_from(count).unwrap_or(1), 0).to_f64()
}

#[cfg(test)]
#[path = "kinds_tests.rs"]
mod tests;
