//! Writing a random mechanism, as TOML and as JSON, and reading it again changes nothing.

use dpcmp::{
    input::mechanism_from_bytes,
    mechanism::{Adjacency, Mechanism},
};
use quickcheck::{Arbitrary, Gen, quickcheck};
use rug::Rational;

quickcheck! {
    fn mechanisms_round_trip(sample: Sample) -> bool {
        let Sample(mechanism, adjacency) = sample;
        let name = match adjacency {
            Adjacency::AddRemove => "\"add-remove\"",
            Adjacency::Add => "\"add\"",
            Adjacency::Remove => "\"remove\"",
        };
        [Format::Json, Format::Toml].into_iter().all(|format| {
            let text = format.mechanism(&mechanism, Some(("adjacency", name.to_owned())));
            let text = match format {
                Format::Json => text,
                Format::Toml => format!("mechanism = {text}"),
            };
            let file = mechanism_from_bytes("file", text.as_bytes()).unwrap_or_else(|error| panic!("{text}\n{error}"));
            file.mechanism == mechanism && file.adjacency == adjacency
        })
    }
}

/// A random mechanism with its adjacency.
#[derive(Debug, Clone)]
struct Sample(Mechanism, Adjacency);

impl Arbitrary for Sample {
    fn arbitrary(g: &mut Gen) -> Self {
        let adjacencies = [Adjacency::AddRemove, Adjacency::Add, Adjacency::Remove];
        Sample(random_mechanism(g, 3), *g.choose(&adjacencies).unwrap())
    }
}

fn random_positive(g: &mut Gen) -> Rational {
    Rational::from((u64::arbitrary(g) % 1_000 + 1, u64::arbitrary(g) % 1_000 + 1))
}

fn random_unit(g: &mut Gen) -> Rational {
    let denominator = u64::arbitrary(g) % 1_000 + 1;
    Rational::from((u64::arbitrary(g) % denominator + 1, denominator))
}

fn random_probabilities(g: &mut Gen, length: usize) -> Vec<Rational> {
    let weights: Vec<u64> = (0..length).map(|_| u64::arbitrary(g) % 100 + 1).collect();
    let total: u64 = weights.iter().sum();
    weights
        .into_iter()
        .map(|weight| Rational::from((weight, total)))
        .collect()
}

fn random_mechanism(g: &mut Gen, depth: u32) -> Mechanism {
    let choice = u32::arbitrary(g) % if depth == 0 { 12 } else { 14 };
    let count = usize::arbitrary(g) % 4 + 1;
    match choice {
        0 => Mechanism::Gaussian {
            sigma: random_positive(g),
            sensitivity: random_positive(g),
        },
        1 => Mechanism::Laplace {
            scale: random_positive(g),
            sensitivity: random_positive(g),
        },
        2 => Mechanism::DiscreteLaplace {
            scale: random_positive(g),
            sensitivity: u64::arbitrary(g).max(1),
        },
        3 => Mechanism::DiscreteGaussian {
            sigma: random_positive(g),
            sensitivity: u64::arbitrary(g).max(1),
        },
        4 => Mechanism::RandomizedResponse {
            epsilon: random_positive(g),
            k: u64::arbitrary(g).max(2),
        },
        5 => Mechanism::PureDp {
            epsilon: random_positive(g),
        },
        6 => Mechanism::ApproxDp {
            epsilon: random_positive(g),
            delta: random_unit(g),
        },
        7 => Mechanism::Gdp {
            mu: random_positive(g),
        },
        8 => Mechanism::Zcdp {
            rho: random_positive(g),
        },
        9 => Mechanism::Rdp {
            orders: (0..count)
                .map(|_| (random_positive(g) + 1u32, random_positive(g)))
                .collect(),
        },
        10 => Mechanism::Finite {
            p: random_probabilities(g, count),
            q: random_probabilities(g, count),
        },
        11 => Mechanism::Points {
            points: (0..count)
                .map(|_| (random_positive(g), random_unit(g)))
                .collect(),
        },
        12 => Mechanism::Subsampled {
            rate: random_unit(g),
            of: Box::new(random_mechanism(g, depth - 1)),
        },
        _ => Mechanism::Compose {
            of: (0..count)
                .map(|_| {
                    (
                        random_mechanism(g, depth - 1),
                        u64::arbitrary(g) % 1_000 + 1,
                    )
                })
                .collect(),
        },
    }
}

/// Writes tables as TOML inline tables or as JSON objects.
#[derive(Clone, Copy)]
enum Format {
    Toml,
    Json,
}

impl Format {
    fn table(self, entries: Vec<(&str, String)>) -> String {
        let entries: Vec<String> = entries
            .into_iter()
            .map(|(key, value)| match self {
                Format::Toml => format!("{key} = {value}"),
                Format::Json => format!("\"{key}\": {value}"),
            })
            .collect();
        format!("{{ {} }}", entries.join(", "))
    }

    /// A number if it has a short decimal, else a fraction in quotes.
    fn number(self, value: &Rational) -> String {
        if *value.denom() == 1 {
            return value.numer().to_string();
        }
        let scaled = Rational::from(value * 1_000u32);
        match *scaled.denom() == 1 {
            true => format!("{}e-3", scaled.numer()),
            false => format!("\"{value}\""),
        }
    }

    fn numbers(self, values: &[Rational]) -> String {
        let values: Vec<String> = values.iter().map(|value| self.number(value)).collect();
        format!("[{}]", values.join(","))
    }

    fn pairs(self, pairs: &[(Rational, Rational)]) -> String {
        let pairs: Vec<String> = pairs
            .iter()
            .map(|(left, right)| self.numbers(&[left.clone(), right.clone()]))
            .collect();
        format!("[{}]", pairs.join(","))
    }

    fn mechanism(self, mechanism: &Mechanism, extra: Option<(&'static str, String)>) -> String {
        let number = |value: &Rational| self.number(value);
        let (kind, keys) = match mechanism {
            Mechanism::Gaussian { sigma, sensitivity } => (
                "gaussian",
                vec![
                    ("sigma", number(sigma)),
                    ("sensitivity", number(sensitivity)),
                ],
            ),
            Mechanism::Laplace { scale, sensitivity } => (
                "laplace",
                vec![
                    ("scale", number(scale)),
                    ("sensitivity", number(sensitivity)),
                ],
            ),
            Mechanism::DiscreteLaplace { scale, sensitivity } => (
                "discrete-laplace",
                vec![
                    ("scale", number(scale)),
                    ("sensitivity", format!("\"{sensitivity}\"")),
                ],
            ),
            Mechanism::DiscreteGaussian { sigma, sensitivity } => (
                "discrete-gaussian",
                vec![
                    ("sigma", number(sigma)),
                    ("sensitivity", format!("\"{sensitivity}\"")),
                ],
            ),
            Mechanism::RandomizedResponse { epsilon, k } => (
                "randomized-response",
                vec![("epsilon", number(epsilon)), ("k", format!("\"{k}\""))],
            ),
            Mechanism::PureDp { epsilon } => ("pure-dp", vec![("epsilon", number(epsilon))]),
            Mechanism::ApproxDp { epsilon, delta } => (
                "approx-dp",
                vec![("epsilon", number(epsilon)), ("delta", number(delta))],
            ),
            Mechanism::Gdp { mu } => ("gdp", vec![("mu", number(mu))]),
            Mechanism::Zcdp { rho } => ("zcdp", vec![("rho", number(rho))]),
            Mechanism::Rdp { orders } => ("rdp", vec![("orders", self.pairs(orders))]),
            Mechanism::Finite { p, q } => (
                "finite",
                vec![("p", self.numbers(p)), ("q", self.numbers(q))],
            ),
            Mechanism::Points { points } => ("profile", vec![("points", self.pairs(points))]),
            Mechanism::Subsampled { rate, of } => (
                "subsampled",
                vec![("rate", number(rate)), ("of", self.mechanism(of, None))],
            ),
            Mechanism::Compose { of } => {
                let parts: Vec<String> = of
                    .iter()
                    .map(|(part, times)| self.mechanism(part, Some(("times", times.to_string()))))
                    .collect();
                ("compose", vec![("of", format!("[{}]", parts.join(", ")))])
            }
        };
        let kind = ("kind", format!("\"{kind}\""));
        self.table([kind].into_iter().chain(keys).chain(extra).collect())
    }
}
