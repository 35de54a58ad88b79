//! A mechanism in one line for people, and as the JSON that dpcmp reads.

use rug::Rational;
use serde_json::{Value, json};

use super::digits::{exact, scientific};
use crate::mechanism::{Adjacency, Mechanism};

/// Parts of a composition that are listed in one line.
const PARTS_SHOWN: usize = 3;

/// The mechanism in a few words.
pub fn mechanism_line(mechanism: &Mechanism) -> String {
    match mechanism {
        Mechanism::Gaussian { sigma, sensitivity } => {
            format!("Gaussian σ = {}{}", short(sigma), per(sensitivity))
        }
        Mechanism::Laplace { scale, sensitivity } => {
            format!("Laplace b = {}{}", short(scale), per(sensitivity))
        }
        Mechanism::DiscreteLaplace { scale, sensitivity } => {
            let sensitivity = Rational::from(*sensitivity);
            format!("discrete Laplace b = {}{}", short(scale), per(&sensitivity))
        }
        Mechanism::DiscreteGaussian { sigma, sensitivity } => {
            let sensitivity = Rational::from(*sensitivity);
            format!(
                "discrete Gaussian σ = {}{}",
                short(sigma),
                per(&sensitivity)
            )
        }
        Mechanism::RandomizedResponse { epsilon, k } => {
            format!("randomised response ε = {}, {k} answers", short(epsilon))
        }
        Mechanism::PureDp { epsilon } => format!("any {}-DP mechanism", short(epsilon)),
        Mechanism::ApproxDp { epsilon, delta } => {
            format!("any ({}, {})-DP mechanism", short(epsilon), short(delta))
        }
        Mechanism::Gdp { mu } => format!("any {}-GDP mechanism", short(mu)),
        Mechanism::Zcdp { rho } => format!("any {}-zCDP mechanism", short(rho)),
        Mechanism::Rdp { orders } => {
            format!("any mechanism with {} Rényi guarantees", orders.len())
        }
        Mechanism::Finite { p, .. } => format!("finite pair on {} outcomes", p.len()),
        Mechanism::Points { points } => {
            format!("any mechanism with a profile of {} points", points.len())
        }
        Mechanism::Subsampled { rate, of } => {
            format!(
                "{}, Poisson-sampled at q = {}",
                mechanism_line(of),
                short(rate)
            )
        }
        Mechanism::Compose { of } => composition(of),
    }
}

/// The mechanism as a JSON object that dpcmp reads back as the same mechanism.
pub fn mechanism_json(mechanism: &Mechanism, adjacency: Adjacency) -> Value {
    let mut value = object(mechanism);
    if let Value::Object(map) = &mut value {
        let adjacency = match adjacency {
            Adjacency::AddRemove => "add-remove",
            Adjacency::Remove => "remove",
            Adjacency::Add => "add",
        };
        map.insert("adjacency".to_owned(), json!(adjacency));
    }
    value
}

fn composition(of: &[(Mechanism, u64)]) -> String {
    if let [(only, times)] = of {
        return repeated(only, *times);
    }
    let shown: Vec<String> = of
        .iter()
        .take(PARTS_SHOWN)
        .map(|(part, times)| repeated(part, *times))
        .collect();
    let more = of.len().saturating_sub(PARTS_SHOWN);
    let rest = if more > 0 {
        format!(" + {more} more")
    } else {
        String::new()
    };
    format!("{}{rest}", shown.join(" + "))
}

fn repeated(part: &Mechanism, times: u64) -> String {
    let line = mechanism_line(part);
    if times == 1 {
        line
    } else {
        format!("{times} × ({line})")
    }
}

fn per(sensitivity: &Rational) -> String {
    if *sensitivity == 1 {
        String::new()
    } else {
        format!(", sensitivity {}", short(sensitivity))
    }
}

/// An exact number for people.
fn short(value: &Rational) -> String {
    scientific(&exact(value))
}

fn object(mechanism: &Mechanism) -> Value {
    match mechanism {
        Mechanism::Gaussian { sigma, sensitivity } => json!({
            "kind": "gaussian", "sigma": exact(sigma), "sensitivity": exact(sensitivity),
        }),
        Mechanism::Laplace { scale, sensitivity } => json!({
            "kind": "laplace", "scale": exact(scale), "sensitivity": exact(sensitivity),
        }),
        Mechanism::DiscreteLaplace { scale, sensitivity } => json!({
            "kind": "discrete-laplace", "scale": exact(scale), "sensitivity": sensitivity,
        }),
        Mechanism::DiscreteGaussian { sigma, sensitivity } => json!({
            "kind": "discrete-gaussian", "sigma": exact(sigma), "sensitivity": sensitivity,
        }),
        Mechanism::RandomizedResponse { epsilon, k } => json!({
            "kind": "randomized-response", "epsilon": exact(epsilon), "k": k,
        }),
        Mechanism::PureDp { epsilon } => json!({"kind": "pure-dp", "epsilon": exact(epsilon)}),
        Mechanism::ApproxDp { epsilon, delta } => json!({
            "kind": "approx-dp", "epsilon": exact(epsilon), "delta": exact(delta),
        }),
        Mechanism::Gdp { mu } => json!({"kind": "gdp", "mu": exact(mu)}),
        Mechanism::Zcdp { rho } => json!({"kind": "zcdp", "rho": exact(rho)}),
        Mechanism::Rdp { orders } => json!({"kind": "rdp", "orders": pairs(orders)}),
        Mechanism::Finite { p, q } => json!({"kind": "finite", "p": list(p), "q": list(q)}),
        Mechanism::Points { points } => json!({"kind": "profile", "points": pairs(points)}),
        Mechanism::Subsampled { rate, of } => json!({
            "kind": "subsampled", "rate": exact(rate), "of": object(of),
        }),
        Mechanism::Compose { of } => {
            let parts = of.iter().map(|(part, times)| {
                let mut value = object(part);
                if let Value::Object(map) = &mut value {
                    map.insert("times".to_owned(), json!(times));
                }
                value
            });
            json!({"kind": "compose", "of": parts.collect::<Vec<_>>()})
        }
    }
}

fn list(numbers: &[Rational]) -> Vec<String> {
    numbers.iter().map(exact).collect()
}

fn pairs(pairs: &[(Rational, Rational)]) -> Vec<[String; 2]> {
    pairs.iter().map(|(a, b)| [exact(a), exact(b)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::mechanism_from_bytes;

    const ALL_KINDS: [&str; 15] = [
        r#"{"kind":"gaussian","sigma":"1/3","sensitivity":2}"#,
        r#"{"kind":"laplace","scale":1.5,"adjacency":"add"}"#,
        r#"{"kind":"discrete-laplace","scale":1.5,"sensitivity":3}"#,
        r#"{"kind":"discrete-gaussian","sigma":1.5}"#,
        r#"{"kind":"randomized-response","epsilon":1,"k":4,"adjacency":"remove"}"#,
        r#"{"kind":"pure-dp","epsilon":1}"#,
        r#"{"kind":"approx-dp","epsilon":1,"delta":1e-5}"#,
        r#"{"kind":"gdp","mu":1}"#,
        r#"{"kind":"zcdp","rho":0.5}"#,
        r#"{"kind":"rdp","orders":[[2,0.1],["5/2",0.2]]}"#,
        r#"{"kind":"finite","p":["1/3","2/3"],"q":["1/2","1/2"]}"#,
        r#"{"kind":"profile","points":[[0,0.3],[1,0.1]]}"#,
        r#"{"kind":"subsampled","rate":"1/7","of":{"kind":"laplace","scale":1}}"#,
        r#"{"kind":"compose","of":[{"kind":"gdp","mu":1},{"kind":"laplace","scale":1,"times":3}]}"#,
        r#"{"kind":"dp-sgd","noise-multiplier":9.4,"sample-rate":"16384/50000","steps":2000}"#,
    ];

    #[test]
    fn json_reads_back_as_the_same_mechanism() {
        for text in ALL_KINDS {
            let first = mechanism_from_bytes("test", text.as_bytes()).unwrap();
            let printed = mechanism_json(&first.mechanism, first.adjacency).to_string();
            let second = mechanism_from_bytes("test", printed.as_bytes()).unwrap();
            assert_eq!(first.mechanism, second.mechanism, "{text}");
            assert_eq!(first.adjacency, second.adjacency, "{text}");
        }
    }

    #[test]
    fn one_line_each() {
        let lines = ALL_KINDS.map(|text| {
            mechanism_line(
                &mechanism_from_bytes("test", text.as_bytes())
                    .unwrap()
                    .mechanism,
            )
        });
        insta::assert_snapshot!(lines.join("
"), @r"
        Gaussian σ = 1/3, sensitivity 2
        Laplace b = 1.5
        discrete Laplace b = 1.5, sensitivity 3
        discrete Gaussian σ = 1.5
        randomised response ε = 1, 4 answers
        any 1-DP mechanism
        any (1, 1e-5)-DP mechanism
        any 1-GDP mechanism
        any 0.5-zCDP mechanism
        any mechanism with 2 Rényi guarantees
        finite pair on 2 outcomes
        any mechanism with a profile of 2 points
        Laplace b = 1, Poisson-sampled at q = 1/7
        any 1-GDP mechanism + 3 × (Laplace b = 1)
        2000 × (Gaussian σ = 9.4, Poisson-sampled at q = 0.32768)
        ");
    }
}
