//! A mechanism in one line for people, and as the JSON that dpcmp reads.

use rug::Rational;
use serde_json::{Value, json};

use super::digits::exact;
use crate::mechanism::{Adjacency, Epsilon, Mechanism, Parameter, StatedEpsilon};

/// The mechanism in a few words.
pub fn mechanism_line(mechanism: &Mechanism) -> String {
    mechanism.words()
}

/// The mechanism as a JSON object that dpcmp reads back as the same mechanism.
pub fn mechanism_json(mechanism: &Mechanism, adjacency: Adjacency) -> Value {
    let mut value = object(mechanism);
    if let Value::Object(map) = &mut value {
        map.insert("adjacency".to_owned(), json!(adjacency.as_str()));
    }
    value
}

fn object(mechanism: &Mechanism) -> Value {
    let kind = ("kind".to_owned(), json!(mechanism.kind().name().as_str()));
    let parameters = mechanism.parameters();
    Value::Object(std::iter::once(kind).chain(entries(&parameters)).collect())
}

fn entries(parameters: &[(&'static str, Parameter<'_>)]) -> impl Iterator<Item = (String, Value)> {
    parameters
        .iter()
        .map(|(key, parameter)| ((*key).to_owned(), value(parameter)))
}

fn value(parameter: &Parameter<'_>) -> Value {
    match parameter {
        Parameter::Number(number) => json!(exact(number)),
        Parameter::Whole(number) => json!(number),
        Parameter::List(numbers) => json!(list(numbers)),
        Parameter::Rows(rows) => json!(rows.iter().map(|row| list(row)).collect::<Vec<_>>()),
        Parameter::Table(parameters) => Value::Object(entries(parameters).collect()),
        Parameter::Flag(flag) => json!(flag),
        Parameter::Word(word) => json!(word),
        Parameter::Points(points) => json!(points.iter().map(point).collect::<Vec<_>>()),
        Parameter::Pairs(numbers) => json!(pairs(numbers)),
        Parameter::Mechanism(of) => object(of),
        Parameter::Weighted(parts) => {
            let parts = parts.iter().map(|(weight, part)| {
                let mut value = object(part);
                if let Value::Object(map) = &mut value {
                    map.insert("weight".to_owned(), json!(exact(weight)));
                }
                value
            });
            json!(parts.collect::<Vec<_>>())
        }
        Parameter::Repeated(parts) => {
            let parts = parts.iter().map(|(part, times)| {
                let mut value = object(part);
                if let Value::Object(map) = &mut value {
                    map.insert("times".to_owned(), json!(times));
                }
                value
            });
            json!(parts.collect::<Vec<_>>())
        }
    }
}

/// A pair, or a table where e^ε is stated.
fn point((epsilon, delta): &(Epsilon, Rational)) -> Value {
    match epsilon.stated() {
        StatedEpsilon::Number(epsilon) => json!([exact(epsilon), exact(delta)]),
        StatedEpsilon::Exp(u) => json!({"exp-epsilon": exact(u), "delta": exact(delta)}),
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

    const ALL_KINDS: [&str; 26] = [
        r#"{"kind":"gaussian","sigma":"1/3","sensitivity":2}"#,
        r#"{"kind":"gaussian","mu-squared":"2/3"}"#,
        r#"{"kind":"laplace","scale":1.5,"adjacency":"add"}"#,
        r#"{"kind":"discrete-laplace","scale":1.5,"sensitivity":3}"#,
        r#"{"kind":"discrete-gaussian","sigma":1.5}"#,
        r#"{"kind":"randomized-response","epsilon":1,"k":4,"adjacency":"remove"}"#,
        r#"{"kind":"pure-dp","epsilon":1}"#,
        r#"{"kind":"approx-dp","epsilon":1,"delta":1e-5}"#,
        r#"{"kind":"randomized-response","exp-epsilon":"7/2"}"#,
        r#"{"kind":"pure-dp","exp-epsilon":3}"#,
        r#"{"kind":"approx-dp","exp-epsilon":3,"delta":1e-5}"#,
        r#"{"kind":"profile","points":[[0,0.3],{"exp-epsilon":3,"delta":0.1},{"epsilon":2,"delta":0.01}]}"#,
        r#"{"kind":"gdp","mu":1}"#,
        r#"{"kind":"zcdp","rho":0.5}"#,
        r#"{"kind":"rdp","orders":[[2,0.1],["5/2",0.2]]}"#,
        r#"{"kind":"finite","p":["1/3","2/3"],"q":["1/2","1/2"]}"#,
        r#"{"kind":"profile","points":[[0,0.3],[1,0.1]]}"#,
        r#"{"kind":"subsampled","rate":"1/7","of":{"kind":"laplace","scale":1}}"#,
        r#"{"kind":"compose","of":[{"kind":"gdp","mu":1},{"kind":"laplace","scale":1,"times":3}]}"#,
        r#"{"kind":"dp-sgd","noise-multiplier":9.4,"sample-rate":"16384/50000","steps":2000}"#,
        r#"{"kind":"random-allocation","steps":100,"selected":1,"epochs":3,"of":{"kind":"gaussian","sigma":1,"sensitivity":1}}"#,
        r#"{"kind":"tree-aggregation","noise-multiplier":10,"steps":1023,"restarts":3}"#,
        r#"{"kind":"tree-aggregation","noise-multiplier":10,"steps":15,"participations":4,"min-separation":2}"#,
        r#"{"kind":"matrix-factorization","noise-multiplier":3,"toeplitz":[1,"1/2","3/8"],"steps":6,"participations":3,"min-separation":2,"adjacency":"replace-one"}"#,
        r#"{"kind":"matrix-factorization","noise-multiplier":3,"matrix":[["3/5"],["4/5",1]],"steps":2,"participations":1,"normalised":true}"#,
        r#"{"kind":"matrix-factorization","noise-multiplier":3,"toeplitz":[1,0.5],"steps":6,"rate":0.01,"min-separation":2}"#,
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
        Gaussian μ² = 2/3
        Laplace b = 1.5
        discrete Laplace b = 1.5, sensitivity 3
        discrete Gaussian σ = 1.5
        randomised response ε = 1, 4 answers
        any 1-DP mechanism
        any (1, 1e-5)-DP mechanism
        randomised response ε = log 3.5, 2 answers
        any log 3-DP mechanism
        any (log 3, 1e-5)-DP mechanism
        any mechanism with a profile of 3 points
        any 1-GDP mechanism
        any 0.5-zCDP mechanism
        any mechanism with 2 Rényi guarantees
        finite pair on 2 outcomes
        any mechanism with a profile of 2 points
        Laplace b = 1, Poisson-sampled at q = 1/7
        any 1-GDP mechanism + 3 × (Laplace b = 1)
        2000 × (Gaussian σ = 9.4, Poisson-sampled at q = 0.32768)
        Gaussian σ = 1 in 1 of 100 steps, drawn at random, 3 epochs
        3 trees of 1023 steps, noise multiplier 10, one participation in each
        tree of 15 steps, noise multiplier 10, 4 participations at least 2 apart
        Toeplitz matrix of 3 bands and 6 steps, noise multiplier 3, 3 participations at least 2 apart
        matrix and 2 steps, noise multiplier 3, one participation
        Toeplitz matrix of 2 bands and 6 steps, noise multiplier 3, Poisson-sampled at q = 0.01 from 2 groups in turn
        ");
    }
}
