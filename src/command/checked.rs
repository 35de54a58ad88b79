//! What a certificate proves, as the checker says it, for programs: claims and steps with typed fields, numbers as fractions.

use dpcmp_check::{BigRational, Claim, Epsilon, Noise, Parts, Shifts, Step, Steps};
use serde_json::{Value, json};

/// A composition, in the notation of a mechanism file where there is one.
pub(super) fn mechanism_object(steps: &[Steps]) -> Value {
    let steps = steps.iter().map(|of| step_object(&of.step, of.times));
    json!({"kind": "compose", "of": steps.collect::<Vec<_>>()})
}

fn parts_object(parts: &Parts) -> Value {
    match parts.as_slice() {
        [(step, 1)] => object(step),
        parts => {
            let steps = parts.iter().map(|(step, times)| step_object(step, *times));
            json!({"kind": "compose", "of": steps.collect::<Vec<_>>()})
        }
    }
}

fn step_object(step: &Step, times: u64) -> Value {
    with(object(step), "times", json!(times))
}

fn with(mut object: Value, key: &str, value: Value) -> Value {
    if let Some(entries) = object.as_object_mut() {
        entries.insert(key.to_owned(), value);
    }
    object
}

fn texts(numbers: &[BigRational]) -> Vec<String> {
    numbers.iter().map(ToString::to_string).collect()
}

/// Under the key `epsilon`, or `exp-epsilon` where that is the number given.
fn with_epsilon(object: Value, epsilon: &Epsilon) -> Value {
    match epsilon {
        Epsilon::Plain(number) => with(object, "epsilon", json!(number.to_string())),
        Epsilon::LogOf(number) => with(object, "exp-epsilon", json!(number.to_string())),
    }
}

fn object(step: &Step) -> Value {
    let response = |kind: &str, epsilon: &Epsilon, k: &dyn ToString| {
        let object = with_epsilon(json!({"kind": kind}), epsilon);
        with(object, "k", json!(k.to_string()))
    };
    match step {
        Step::Gaussian { square } => {
            json!({"kind": "gaussian", "mu-squared": square.to_string()})
        }
        Step::Laplace { epsilon } => {
            json!({"kind": "laplace", "scale": "1", "sensitivity": epsilon.to_string()})
        }
        Step::Response { epsilon, k } => response("randomized-response", epsilon, k),
        Step::ResponseOrUniform { epsilon, k } => response("response-or-uniform", epsilon, k),
        Step::Finite { p, q } => json!({"kind": "finite", "p": texts(p), "q": texts(q)}),
        Step::Guarantee { points } => {
            let point = |(epsilon, delta): &(Epsilon, BigRational)| {
                with_epsilon(json!({"delta": delta.to_string()}), epsilon)
            };
            json!({"kind": "profile", "points": points.iter().map(point).collect::<Vec<_>>()})
        }
        Step::Zcdp { rho } => json!({"kind": "zcdp", "rho": rho.to_string()}),
        Step::Rdp { orders } => {
            let order = |(order, epsilon): &(BigRational, BigRational)| {
                json!([order.to_string(), epsilon.to_string()])
            };
            json!({"kind": "rdp", "orders": orders.iter().map(order).collect::<Vec<_>>()})
        }
        Step::Shifted {
            noise,
            without,
            with,
        } => json!({
            "kind": "shifted-noise",
            "noise": noise_object(noise),
            "without": shifts_object(without),
            "with": shifts_object(with),
        }),
        Step::Sampled { rate, of } => json!({
            "kind": "subsampled",
            "rate": rate.to_string(),
            "of": parts_object(of),
        }),
        Step::Labelled { of } => {
            let part = |(weight, of): &(BigRational, Parts)| {
                with(parts_object(of), "weight", json!(weight.to_string()))
            };
            json!({"kind": "mixture", "of": of.iter().map(part).collect::<Vec<_>>()})
        }
        // A kind of step that this program does not know by name is shown in words.
        other => json!({"kind": "other", "words": other.to_string()}),
    }
}

fn noise_object(noise: &Noise) -> Value {
    match noise {
        Noise::Gaussian { square } => json!({"kind": "gaussian", "mu-squared": square.to_string()}),
        Noise::Laplace { unit } => json!({"kind": "laplace", "unit": unit.to_string()}),
        Noise::DiscreteGaussian { square, parties: 1 } => {
            json!({"kind": "discrete-gaussian", "sigma-squared": square.to_string()})
        }
        Noise::DiscreteLaplace { scale } => {
            json!({"kind": "discrete-laplace", "scale": scale.to_string()})
        }
        Noise::Truncated { scale, last } => {
            json!({"kind": "truncated-geometric", "scale": scale.to_string(), "last": last})
        }
        Noise::DiscreteGaussian { square, parties } => {
            json!({"kind": "discrete-gaussian", "sigma-squared": square.to_string(), "parties": parties})
        }
        Noise::Skellam { mean } => json!({"kind": "skellam", "mean": mean.to_string()}),
    }
}

fn shifts_object(shifts: &Shifts) -> Value {
    let shift = |(weight, shift): &(BigRational, BigRational)| json!({"weight": weight.to_string(), "shift": shift.to_string()});
    Value::from(shifts.iter().map(shift).collect::<Vec<_>>())
}

/// The claim with the keys of a claim file.
pub(super) fn claim_object(claim: &Claim) -> Value {
    match claim {
        Claim::PureDp { epsilon } => with_epsilon(json!({"kind": "pure-dp"}), epsilon),
        Claim::ApproxDp { epsilon, delta } => {
            let object = with_epsilon(json!({"kind": "approx-dp"}), epsilon);
            with(object, "delta", json!(delta.to_string()))
        }
        Claim::Advantage { at_most } => {
            json!({"kind": "advantage", "at-most": at_most.to_string()})
        }
        Claim::TradeOff { alpha, beta } => json!({
            "kind": "trade-off",
            "alpha": alpha.to_string(),
            "beta": beta.to_string(),
        }),
        Claim::Gdp {
            mu,
            tolerance,
            floor,
        } => json!({
            "kind": "gdp",
            "mu": mu.to_string(),
            "tolerance": tolerance.to_string(),
            "error-floor": floor.to_string(),
        }),
        Claim::Zcdp { rho } => json!({"kind": "zcdp", "rho": rho.to_string()}),
        Claim::Rdp { order, epsilon } => json!({
            "kind": "rdp",
            "order": order.to_string(),
            "epsilon": epsilon.to_string(),
        }),
        Claim::Regret { mu, at_most } => json!({
            "kind": "regret",
            "mu": mu.to_string(),
            "at-most": at_most.to_string(),
        }),
        Claim::DominatedBy {
            other,
            adjacency,
            at_most,
        } => {
            let mut mechanism = parts_object(other);
            if let Some(entries) = mechanism.as_object_mut() {
                entries.insert("adjacency".to_owned(), json!(adjacency.to_string()));
            }
            json!({
                "kind": "dominated-by",
                "mechanism": mechanism,
                "at-most": at_most.to_string(),
            })
        }
    }
}
