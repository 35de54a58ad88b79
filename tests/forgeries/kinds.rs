//! Random mechanisms of every kind, as a claim file states them: small numbers, in every spelling, some of them out of place.

use serde_json::{Value, json};

use super::random::Random;

fn one_of<T: Clone>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len())].clone()
}

fn positive(random: &mut Random) -> Value {
    let texts = [
        "1", "2", "1/2", "0.7", "3", "1.5e0", "9.4", "5/3", "1_0", "+4", "0.25",
    ];
    match random.below(4) {
        0 => json!(1 + random.below(3)),
        _ => Value::from(one_of(random, &texts)),
    }
}

fn rate(random: &mut Random) -> Value {
    let texts = ["1/2", "0.1", "1e-2", "1/3", "1", "16384/50000"];
    Value::from(one_of(random, &texts))
}

fn whole(random: &mut Random, most: usize) -> Value {
    json!(1 + random.below(most))
}

fn put(object: &mut Value, key: &str, value: Value) {
    object[key] = value;
}

/// The most that one record contributes, or a sensitivity, or neither.
fn distance(random: &mut Random, object: &mut Value, is_whole: bool) {
    let value = if is_whole {
        whole(random, 3)
    } else {
        positive(random)
    };
    match random.below(8) {
        0 => {}
        1 => put(object, "sensitivity", value),
        2 => {
            put(object, "sensitivity", value.clone());
            put(object, "record-bound", value);
        }
        _ => put(object, "record-bound", value),
    }
}

fn epsilon(random: &mut Random, object: &mut Value) {
    match random.below(3) {
        0 => put(
            object,
            "exp-epsilon",
            one_of(random, &["2", "3/2", "1", "7.5"]).into(),
        ),
        _ => put(
            object,
            "epsilon",
            one_of(random, &["1", "0", "1/2", "0.3", "2"]).into(),
        ),
    }
}

fn noise(random: &mut Random) -> Value {
    match random.below(6) {
        0 => json!({"kind": "gaussian", "noise-multiplier": positive(random)}),
        1 => {
            let mut object = json!({"kind": "gaussian", "sigma": positive(random)});
            distance(random, &mut object, false);
            object
        }
        2 => {
            let mut object = json!({"kind": "laplace", "scale": positive(random)});
            distance(random, &mut object, false);
            object
        }
        kind => {
            let (kind, key) = [
                ("discrete-laplace", "scale"),
                ("discrete-gaussian", "sigma"),
                ("skellam", "mean"),
            ][kind - 3];
            let mut object = json!({"kind": kind, key: positive(random)});
            distance(random, &mut object, true);
            object
        }
    }
}

fn law(random: &mut Random) -> Value {
    one_of(
        random,
        &[
            json!(["1/2", "1/4", "1/4"]),
            json!(["0.1", "0", "9/10"]),
            json!(["1/3", "1/3", "1/3"]),
            json!(["0.5", "0.2", "0.3"]),
        ],
    )
}

fn alone(random: &mut Random) -> Value {
    match random.below(16) {
        0..=4 => noise(random),
        5 => json!({"kind": "gaussian", "mu-squared": positive(random)}),
        6 => {
            let mut object = json!({"kind": "randomized-response", "k": 2 + random.below(3)});
            match random.below(3) {
                0 => put(&mut object, "noise", rate(random)),
                _ => epsilon(random, &mut object),
            }
            object
        }
        7 => json!({"kind": "finite", "p": law(random), "q": law(random)}),
        8 => {
            let mut object = json!({"kind": "pure-dp"});
            epsilon(random, &mut object);
            object
        }
        9 => {
            let mut object =
                json!({"kind": "approx-dp", "delta": one_of(random, &["0", "1e-5", "0.1", "1"])});
            epsilon(random, &mut object);
            object
        }
        10 => {
            json!({"kind": "gdp", "mu": one_of(random, &["1", "0.3"])})
        }
        11 => {
            let (rho, xi) = (
                one_of(random, &["0", "0.5", "1/100"]),
                one_of(random, &["0", "0", "0.3"]),
            );
            json!({"kind": "zcdp", "rho": rho, "xi": xi})
        }
        12 => {
            json!({"kind": "rdp", "orders": [["2", one_of(random, &["0", "0.1", "1"])], [8, "1.5"]]})
        }
        13 => {
            let points = [
                json!([[0, "0.2"], ["1", "1e-3"]]),
                json!([{"exp-epsilon": "2", "delta": "0.1"}]),
                json!([["-1", "0.7"]]),
                json!([["-1", "0.1"]]),
            ];
            json!({"kind": "profile", "points": one_of(random, &points)})
        }
        14 => {
            json!({"kind": "gaussian-mixture", "sigma": positive(random), "shifts": [0, "1", 2], "weights": law(random)})
        }
        _ => dp_sgd(random),
    }
}

fn dp_sgd(random: &mut Random) -> Value {
    let mut object = json!({"kind": "dp-sgd"});
    let phase = |random: &mut Random| json!({"noise-multiplier": positive(random), "sample-rate": rate(random), "steps": whole(random, 9)});
    match random.below(4) {
        0 => {
            let phases: Vec<_> = (0..=random.below(2)).map(|_| phase(random)).collect();
            put(&mut object, "phases", phases.into());
        }
        1 => {
            for (key, value) in phase(random).as_object().unwrap() {
                put(&mut object, key, value.clone());
            }
        }
        _ => {
            put(&mut object, "noise-multiplier", positive(random));
            put(&mut object, "dataset-size", json!(20 + random.below(9)));
            put(&mut object, "batch-size", whole(random, 9));
            if random.below(3) == 0 {
                put(&mut object, "gradient-accumulation", whole(random, 3));
            }
            let key = one_of(random, &["epochs", "steps"]);
            let value = if key == "epochs" {
                positive(random)
            } else {
                whole(random, 20)
            };
            put(&mut object, key, value);
        }
    }
    object
}

/// A mechanism as it stands in another one.
fn nested(random: &mut Random, depth: usize) -> Value {
    if depth == 0 {
        return alone(random);
    }
    let inner = |random: &mut Random| nested(random, depth - 1);
    match random.below(8) {
        0 => {
            let parts = (0..=random.below(3)).map(|_| {
                let mut part = inner(random);
                if random.below(2) == 0 {
                    put(&mut part, "times", whole(random, 4));
                }
                part
            });
            json!({"kind": "compose", "of": parts.collect::<Vec<_>>()})
        }
        1 | 2 => json!({"kind": "subsampled", "rate": rate(random), "of": inner(random)}),
        3 => {
            let weights = one_of(
                random,
                &[vec!["1"], vec!["1/3", "2/3"], vec!["1/2", "1/4", "1/4"]],
            );
            let parts = weights.into_iter().map(|weight| {
                let mut part = inner(random);
                put(&mut part, "weight", weight.into());
                part
            });
            json!({"kind": "mixture", "of": parts.collect::<Vec<_>>()})
        }
        4 => json!({"kind": "group", "records": whole(random, 3), "of": inner(random)}),
        5 => json!({"kind": "histogram", "of": noise(random)}),
        6 => of_many_datasets(random),
        _ => alone(random),
    }
}

/// What is only a bound, or the worst of many datasets.
fn of_many_datasets(random: &mut Random) -> Value {
    let few = |random: &mut Random| json!(1 + random.below(4));
    match random.below(8) {
        0 | 1 => {
            let kind = one_of(random, &["exponential", "permute-and-flip", "top-k"]);
            let mut object = json!({"kind": kind});
            if kind == "top-k" {
                put(&mut object, "k", few(random));
            }
            match random.below(3) {
                0 => {
                    put(&mut object, "eta", positive(random));
                    put(&mut object, "monotone", json!(random.below(2) == 0));
                }
                _ => epsilon(random, &mut object),
            }
            object
        }
        2 | 3 => {
            let noise = one_of(
                random,
                &[
                    "laplace",
                    "gaussian",
                    "discrete-laplace",
                    "truncated-geometric",
                    "discrete-gaussian",
                ],
            );
            let key = if noise.ends_with("gaussian") {
                "sigma"
            } else {
                "scale"
            };
            let threshold = one_of(random, &["0", "3", "7/2", "-1", "12"]);
            let mut object = json!({"kind": "noise-threshold", "noise": noise, key: positive(random), "threshold": threshold});
            if random.below(4) > 0 {
                let passes = one_of(random, &[">", ">="]);
                put(&mut object, "release-if", passes.into());
            }
            if random.below(3) > 0 {
                put(
                    &mut object,
                    "record-bound",
                    one_of(random, &[json!(1), json!(2), json!("1/2")]),
                );
            }
            if random.below(4) == 0 {
                put(&mut object, "keys", few(random));
            }
            object
        }
        4 => json!({
            "kind": "tree-aggregation",
            "noise-multiplier": positive(random),
            "steps": whole(random, 20),
            "restarts": few(random),
            "participations": few(random),
            "min-separation": few(random),
        }),
        5 => {
            let mut object = json!({"kind": "matrix-factorization", "noise-multiplier": positive(random), "steps": whole(random, 12)});
            match random.below(2) {
                0 => put(
                    &mut object,
                    "toeplitz",
                    one_of(random, &[json!([1, "1/2", "0.3"]), json!(["1/2", "-1/3"])]),
                ),
                _ => put(
                    &mut object,
                    "blt",
                    json!({"weights": ["0.1", "0.2"], "decays": ["0.9", "1/2"]}),
                ),
            }
            put(&mut object, "min-separation", whole(random, 6));
            match random.below(3) {
                0 => put(&mut object, "rate", rate(random)),
                _ => put(&mut object, "participations", few(random)),
            }
            object
        }
        6 => {
            let sampling = one_of(random, &["shuffled", "without-replacement"]);
            let mut object = json!({"kind": "dp-sgd", "sampling": sampling, "noise-multiplier": positive(random)});
            match random.below(3) {
                0 => put(&mut object, "steps", few(random)),
                _ => {
                    put(&mut object, "batch-size", few(random));
                    put(&mut object, "dataset-size", json!(4 + random.below(9)));
                }
            }
            if random.below(3) > 0 {
                put(
                    &mut object,
                    "epochs",
                    one_of(random, &[json!(1), json!("5/2"), json!("1/2"), json!(3)]),
                );
            }
            object
        }
        _ => {
            let of = noise(random);
            match random.below(4) {
                0 => {
                    json!({"kind": "subsampled", "sampling": "without-replacement", "dataset-size": 10, "batch-size": few(random), "of": of})
                }
                1 => {
                    json!({"kind": "subsampled", "sampling": "truncated-poisson", "rate": rate(random), "dataset-size": 10, "max-batch": few(random), "of": of})
                }
                2 => json!({"kind": "random-allocation", "steps": few(random), "of": of}),
                _ => {
                    let runs = one_of(random, &["geometric", "logarithmic"]);
                    json!({"kind": "private-selection", "runs": {"kind": runs, "mean": 10}, "of": {"kind": "pure-dp", "epsilon": positive(random)}})
                }
            }
        }
    }
}

/// A DpEvent, as an object or a list.
fn event(random: &mut Random, depth: usize) -> Value {
    let inner = |random: &mut Random| event(random, depth.saturating_sub(1));
    let kinds = if depth == 0 { 10 } else { 13 };
    let (class, fields): (&str, Vec<(&str, Value)>) = match random.below(kinds) {
        0 => ("NoOpDpEvent", vec![]),
        1 => (
            "GaussianDpEvent",
            vec![("noise_multiplier", positive(random))],
        ),
        2 => (
            "LaplaceDpEvent",
            vec![("noise_multiplier", positive(random))],
        ),
        3 => (
            "DiscreteLaplaceDpEvent",
            vec![
                ("noise_parameter", positive(random)),
                ("sensitivity", whole(random, 3)),
            ],
        ),
        4 => (
            "DiscreteGaussianDpEvent",
            vec![
                ("sigma", positive(random)),
                ("sensitivity", whole(random, 3)),
                ("dimension", whole(random, 2)),
            ],
        ),
        5 => (
            "RandomizedResponseDpEvent",
            vec![
                (
                    "noise_parameter",
                    one_of(random, &[json!(0), json!("0.5"), json!(1)]),
                ),
                ("num_buckets", json!(2 + random.below(3))),
            ],
        ),
        6 => (
            "EpsilonDeltaDpEvent",
            vec![("epsilon", json!("0.5")), ("delta", json!("1e-6"))],
        ),
        7 => (
            "ZCDpEvent",
            vec![("rho", json!("0.1")), ("xi", json!(random.below(2)))],
        ),
        8 => (
            "MixtureOfGaussiansDpEvent",
            vec![
                ("standard_deviation", positive(random)),
                ("sensitivities", json!([1, 0, "1"])),
                ("sampling_probs", law(random)),
            ],
        ),
        9 => (
            "SingleEpochTreeAggregationDpEvent",
            vec![
                ("noise_multiplier", positive(random)),
                ("step_counts", one_of(random, &[json!(7), json!([3, "4"])])),
            ],
        ),
        10 => (
            "PoissonSampledDpEvent",
            vec![
                ("sampling_probability", rate(random)),
                ("event", inner(random)),
            ],
        ),
        11 => (
            "SelfComposedDpEvent",
            vec![("event", inner(random)), ("count", json!(random.below(4)))],
        ),
        _ => (
            "ComposedDpEvent",
            vec![(
                "events",
                (0..random.below(3)).map(|_| inner(random)).collect(),
            )],
        ),
    };
    if random.below(2) == 0 {
        let mut items = vec![json!("dp_accounting.dp_event"), json!(class)];
        items.extend(fields.into_iter().map(|(_, value)| value));
        return items.into();
    }
    let mut object = json!({"module_name": "dp_accounting.dp_event", "class_name": class});
    for (key, value) in fields {
        put(&mut object, key, value);
    }
    object
}

/// The mechanism of a claim file, at most so deep.
pub fn mechanism(random: &mut Random, deepest: usize) -> Value {
    match random.below(10) {
        0 => {
            let depth = random.below(deepest);
            let event = event(random, depth);
            let relations = ["ADD_OR_REMOVE_ONE", "REPLACE_ONE", "REPLACE_SPECIAL"];
            match random.below(4) {
                3 => event,
                relation => json!({"event": event, "neighboring-relation": relations[relation]}),
            }
        }
        1 => {
            json!({"history": [[positive(random), rate(random), whole(random, 9)], ["2", "0.1", 3]], "mechanism": "rdp"})
        }
        _ => {
            let depth = random.below(deepest + 1);
            let mut object = nested(random, depth);
            let adjacencies = [
                "add-remove",
                "remove",
                "add",
                "replace-one",
                "replace-special",
            ];
            if random.below(4) > 0 {
                put(
                    &mut object,
                    "adjacency",
                    one_of(random, &adjacencies).into(),
                );
            }
            object
        }
    }
}
