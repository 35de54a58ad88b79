//! Writing a random mechanism, as TOML and as JSON, and reading it again changes nothing.

use dpcmp::mechanism::best_of_runs::Runs;
use dpcmp::{
    input::mechanism_from_bytes,
    mechanism::{
        Adjacency, Epsilon, Kind, Mechanism, StatedEpsilon,
        kind::{
            Exponential, GaussianNoise, MatrixFactorization, PermuteAndFlip, Sampling, Schedule,
            ScoreRange, Strategy, TopK,
        },
    },
};
use quickcheck::{Arbitrary, Gen, quickcheck};
use rug::Rational;

quickcheck! {
    fn mechanisms_round_trip(sample: Sample) -> bool {
        let Sample(mechanism, adjacency) = sample;
        let name = format!("\"{}\"", adjacency.as_str());
        let Ok(expected) = mechanism.under(adjacency.relation()) else {
            return true;
        };
        [Format::Json, Format::Toml].into_iter().all(|format| {
            let text = format.mechanism(&mechanism, Some(("adjacency", name.clone())));
            let text = match format {
                Format::Json => text,
                Format::Toml => format!("mechanism = {text}"),
            };
            let file = mechanism_from_bytes("file", text.as_bytes()).unwrap_or_else(|error| panic!("{text}\n{error}"));
            file.mechanism == expected && file.adjacency == adjacency
        })
    }
}

/// A random mechanism with its adjacency.
#[derive(Debug, Clone)]
struct Sample(Mechanism, Adjacency);

impl Arbitrary for Sample {
    fn arbitrary(g: &mut Gen) -> Self {
        let adjacencies = Adjacency::ALL;
        let mechanism = if u32::arbitrary(g) % 20 == 0 {
            random_batches(g)
        } else {
            random_mechanism(g, 3)
        };
        Sample(mechanism, *g.choose(&adjacencies).unwrap())
    }
}

fn random_positive(g: &mut Gen) -> Rational {
    Rational::from((u64::arbitrary(g) % 1_000 + 1, u64::arbitrary(g) % 1_000 + 1))
}

fn random_epsilon(g: &mut Gen) -> Epsilon {
    match bool::arbitrary(g) {
        true => Epsilon::from(random_positive(g)),
        false => Epsilon::log_of(random_positive(g) + 1u32).unwrap(),
    }
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

fn random_selection(g: &mut Gen) -> Mechanism {
    let range = match bool::arbitrary(g) {
        true => ScoreRange::Epsilon(random_epsilon(g)),
        false => ScoreRange::Scores {
            eta: random_positive(g),
            sensitivity: random_positive(g),
            monotone: bool::arbitrary(g),
        },
    };
    let mechanism = match u32::arbitrary(g) % 3 {
        0 => Exponential::new(range).and_then(Mechanism::new),
        1 => PermuteAndFlip::new(range).and_then(Mechanism::new),
        _ => TopK::new(range, u64::arbitrary(g).max(1)).and_then(Mechanism::new),
    };
    mechanism.unwrap()
}

fn random_mechanism(g: &mut Gen, depth: u32) -> Mechanism {
    let choice = u32::arbitrary(g) % if depth == 0 { 23 } else { 26 };
    let count = usize::arbitrary(g) % 4 + 1;
    match choice {
        0 if bool::arbitrary(g) => {
            Mechanism::gaussian_sum(random_positive(g), random_positive(g)).unwrap()
        }
        0 => Mechanism::gaussian(random_positive(g), random_positive(g)).unwrap(),
        1 if bool::arbitrary(g) => {
            Mechanism::laplace_sum(random_positive(g), random_positive(g)).unwrap()
        }
        1 => Mechanism::laplace(random_positive(g), random_positive(g)).unwrap(),
        2 => Mechanism::discrete_laplace(random_positive(g), u64::arbitrary(g).max(1)).unwrap(),
        3 => Mechanism::discrete_gaussian(random_positive(g), u64::arbitrary(g).max(1)).unwrap(),
        4 => Mechanism::randomized_response(random_epsilon(g), u64::arbitrary(g).max(2)).unwrap(),
        5 if bool::arbitrary(g) => random_selection(g),
        5 => Mechanism::pure_dp(random_epsilon(g)).unwrap(),
        6 => Mechanism::approx_dp(random_epsilon(g), random_unit(g)).unwrap(),
        7 => Mechanism::gdp(random_positive(g)).unwrap(),
        8 => Mechanism::zcdp(random_positive(g)).unwrap(),
        9 => Mechanism::rdp(
            (0..count)
                .map(|_| (random_positive(g) + 1u32, random_positive(g)))
                .collect(),
        )
        .unwrap(),
        10 => Mechanism::finite(
            random_probabilities(g, count),
            random_probabilities(g, count),
        )
        .unwrap(),
        11 => Mechanism::profile(
            (0..count)
                .map(|_| (random_epsilon(g), random_unit(g)))
                .collect(),
        )
        .unwrap(),
        12 => Mechanism::gaussian_with_mu_squared(random_positive(g)).unwrap(),
        13 => {
            let mut small = || u64::arbitrary(g) % 20 + 1;
            let [steps, trees, participations, apart] = [small(), small(), small(), small()];
            Mechanism::tree_aggregation(random_positive(g), steps, trees, participations, apart)
                .unwrap()
        }
        14 => random_factorization(g),
        15 => Mechanism::gaussian_mixture(
            random_positive(g),
            (0..count).map(|_| random_positive(g)).collect(),
            random_probabilities(g, count),
        )
        .unwrap(),
        16 => Mechanism::histogram(
            Mechanism::laplace_sum(random_positive(g), random_positive(g)).unwrap(),
        )
        .unwrap(),
        17 => Mechanism::group(
            u64::arbitrary(g) % 100 + 1,
            Mechanism::gaussian_sum(random_positive(g), random_positive(g)).unwrap(),
        )
        .unwrap(),
        18 => {
            let of = if bool::arbitrary(g) {
                Mechanism::pure_dp(random_unit(g)).unwrap()
            } else {
                Mechanism::randomized_response(random_unit(g), u64::arbitrary(g) % 5 + 2).unwrap()
            };
            Mechanism::shuffled(u64::arbitrary(g) % 1_000 + 1, of).unwrap()
        }
        19 => {
            let p = random_probabilities(g, count);
            let of = Mechanism::finite(p.clone(), p).unwrap();
            let mean = random_positive(g) + 1u32;
            let runs = match u32::arbitrary(g) % 4 {
                0 => Runs::geometric(mean),
                1 => Runs::logarithmic(mean),
                2 => Runs::negative_binomial(mean, random_positive(g)),
                _ => Runs::poisson(mean),
            };
            let places: Vec<u64> = (0..).take(count).collect();
            let best_first = if bool::arbitrary(g) {
                places
            } else {
                Vec::new()
            };
            Mechanism::private_selection(runs.unwrap(), of, &best_first).unwrap()
        }
        20 => Mechanism::truncated_poisson(
            random_unit(g),
            u64::arbitrary(g) % 1_000 + 1,
            u64::arbitrary(g) % 1_000 + 1,
            Mechanism::gaussian_sum(random_positive(g), random_positive(g)).unwrap(),
        )
        .unwrap(),
        21 => Mechanism::shuffled_batches(
            random_positive(g),
            u64::arbitrary(g) % 1_000 + 1,
            random_positive(g),
        )
        .unwrap(),
        22 => Mechanism::random_allocation(
            u64::arbitrary(g) % 1_000 + 1,
            1,
            u64::arbitrary(g) % 9 + 1,
            Mechanism::gaussian_sum(random_positive(g), random_positive(g)).unwrap(),
        )
        .unwrap(),
        23 => {
            let weights = random_probabilities(g, count);
            let part = |weight| (weight, random_mechanism(g, depth - 1));
            Mechanism::mixture(weights.into_iter().map(part).collect()).unwrap()
        }
        24 => {
            let of = random_mechanism(g, depth - 1);
            // Not everything is built on a sample.
            Mechanism::subsampled(random_unit(g), of.clone()).unwrap_or(of)
        }
        _ => Mechanism::compose(
            (0..count)
                .map(|_| {
                    (
                        random_mechanism(g, depth - 1),
                        u64::arbitrary(g) % 1_000 + 1,
                    )
                })
                .collect(),
        )
        .unwrap(),
    }
}

/// Steps on batches of a fixed size, which have no meaning inside most other mechanisms.
fn random_batches(g: &mut Gen) -> Mechanism {
    let noise = Mechanism::gaussian_sum(random_positive(g), random_positive(g)).unwrap();
    let records = u64::arbitrary(g) % 1_000 + 1;
    let batch = u64::arbitrary(g) % records + 1;
    let step = Mechanism::without_replacement(records, batch, noise).unwrap();
    Mechanism::compose(vec![(step, u64::arbitrary(g) % 1_000 + 1)]).unwrap()
}

/// With entries that fall and are not negative, so that the effect of a record is known.
fn random_factorization(g: &mut Gen) -> Mechanism {
    let steps = u64::arbitrary(g) % 6 + 1;
    let ratio = random_unit(g);
    let powers = std::iter::successors(Some(Rational::from(1)), |last| {
        Some(Rational::from(last * &ratio))
    });
    let column: Vec<Rational> = powers.take(usize::try_from(steps).unwrap()).collect();
    let strategy = match u32::arbitrary(g) % 3 {
        0 => Strategy::Toeplitz(column),
        1 => Strategy::Matrix(
            (1..=column.len())
                .map(|row| column.iter().take(row).rev().cloned().collect())
                .collect(),
        ),
        _ => Strategy::Blt {
            weights: vec![ratio.clone()],
            decays: vec![ratio],
        },
    };
    let schedule = match u32::arbitrary(g) % 3 {
        0 => Schedule::Epochs { epochs: steps },
        1 => Schedule::Spaced {
            participations: u64::arbitrary(g) % 4 + 1,
            min_separation: u64::arbitrary(g) % 4 + 1,
        },
        _ => Schedule::CyclicPoisson {
            rate: random_unit(g),
            min_separation: steps,
        },
    };
    MatrixFactorization::new(random_positive(g), strategy, steps, schedule, false)
        .and_then(Mechanism::new)
        .unwrap()
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

    fn strategy(self, strategy: &Strategy) -> String {
        match strategy {
            Strategy::Toeplitz(column) => self.numbers(column),
            Strategy::Matrix(rows) => {
                let rows: Vec<String> = rows.iter().map(|row| self.numbers(row)).collect();
                format!("[{}]", rows.join(","))
            }
            Strategy::Blt { weights, decays } => self.table(vec![
                ("weights", self.numbers(weights)),
                ("decays", self.numbers(decays)),
            ]),
        }
    }

    fn pairs(self, pairs: &[(Rational, Rational)]) -> String {
        let pairs: Vec<String> = pairs
            .iter()
            .map(|(left, right)| self.numbers(&[left.clone(), right.clone()]))
            .collect();
        format!("[{}]", pairs.join(","))
    }

    fn epsilon(self, epsilon: &Epsilon) -> (&'static str, String) {
        match epsilon.stated() {
            StatedEpsilon::Number(epsilon) => ("epsilon", self.number(epsilon)),
            StatedEpsilon::Exp(u) => ("exp-epsilon", self.number(u)),
        }
    }

    /// Pairs, or tables where e^ε is stated.
    fn points(self, points: &[(Epsilon, Rational)]) -> String {
        let points: Vec<String> = points
            .iter()
            .map(|(epsilon, delta)| match epsilon.stated() {
                StatedEpsilon::Number(epsilon) => self.numbers(&[epsilon.clone(), delta.clone()]),
                StatedEpsilon::Exp(_) => {
                    self.table(vec![self.epsilon(epsilon), ("delta", self.number(delta))])
                }
            })
            .collect();
        format!("[{}]", points.join(","))
    }

    fn scores(self, range: &ScoreRange) -> Vec<(&'static str, String)> {
        match range {
            ScoreRange::Epsilon(epsilon) => vec![self.epsilon(epsilon)],
            ScoreRange::Scores {
                eta,
                sensitivity,
                monotone,
            } => vec![
                ("eta", self.number(eta)),
                ("sensitivity", self.number(sensitivity)),
                ("monotone", monotone.to_string()),
            ],
        }
    }

    fn mechanism(self, mechanism: &Mechanism, extra: Option<(&'static str, String)>) -> String {
        let number = |value: &Rational| self.number(value);
        let epsilon = |epsilon: &Epsilon| self.epsilon(epsilon);
        let keys = match mechanism.kind() {
            Kind::Gaussian(one) => match one.stated() {
                GaussianNoise::Sigma { sigma, sensitivity } => vec![
                    ("sigma", number(sigma)),
                    (sensitivity.key(), number(sensitivity.stated())),
                ],
                GaussianNoise::MuSquared(mu_squared) => vec![("mu-squared", number(mu_squared))],
            },
            Kind::Laplace(one) => vec![
                ("scale", number(one.scale())),
                (one.sensitivity().key(), number(one.sensitivity().stated())),
            ],
            Kind::DiscreteLaplace(one) => vec![
                ("scale", number(one.scale())),
                (
                    one.sensitivity().key(),
                    format!("\"{}\"", one.sensitivity().stated()),
                ),
            ],
            Kind::NoiseThreshold(_) => panic!("has tests of its own"),
            Kind::Skellam(one) => vec![
                ("mean", number(one.mean())),
                (
                    one.sensitivity().key(),
                    format!("\"{}\"", one.sensitivity().stated()),
                ),
            ],
            Kind::DiscreteGaussian(one) => vec![
                ("sigma", number(one.sigma())),
                (
                    one.sensitivity().key(),
                    format!("\"{}\"", one.sensitivity().stated()),
                ),
            ],
            Kind::RandomizedResponse(one) => {
                vec![epsilon(one.epsilon()), ("k", format!("\"{}\"", one.k()))]
            }
            Kind::PureDp(one) => vec![epsilon(one.epsilon())],
            Kind::ApproxDp(one) => vec![epsilon(one.epsilon()), ("delta", number(one.delta()))],
            Kind::Gdp(one) => vec![("mu", number(one.mu()))],
            Kind::Zcdp(one) => vec![("rho", number(one.rho()))],
            Kind::Rdp(one) => vec![("orders", self.pairs(one.orders()))],
            Kind::Finite(one) => vec![("p", self.numbers(one.p())), ("q", self.numbers(one.q()))],
            Kind::Profile(one) => vec![("points", self.points(one.points()))],
            Kind::Subsampled(one) => {
                let mut entries = match one.sampling() {
                    Sampling::Poisson(rate) => vec![("rate", number(rate))],
                    Sampling::TruncatedPoisson(batches) => vec![
                        ("sampling", "\"truncated-poisson\"".to_owned()),
                        ("rate", number(batches.rate())),
                        ("dataset-size", batches.dataset_size().to_string()),
                        ("max-batch", batches.max_batch().to_string()),
                    ],
                    Sampling::WithoutReplacement(batches) => vec![
                        ("sampling", "\"without-replacement\"".to_owned()),
                        ("dataset-size", batches.dataset_size().to_string()),
                        ("batch-size", batches.batch_size().to_string()),
                    ],
                };
                entries.push(("of", self.mechanism(one.of(), None)));
                entries
            }
            Kind::ShuffledBatches(one) => vec![
                ("noise-multiplier", number(one.noise_multiplier())),
                ("steps", one.steps_per_epoch().to_string()),
                ("epochs", number(one.epochs())),
            ],
            Kind::Composition(one) => {
                let parts: Vec<String> = one
                    .of()
                    .iter()
                    .map(|(part, times)| self.mechanism(part, Some(("times", times.to_string()))))
                    .collect();
                vec![("of", format!("[{}]", parts.join(", ")))]
            }
            Kind::GaussianMixture(one) => vec![
                ("sigma", number(one.sigma())),
                ("shifts", self.numbers(one.shifts())),
                ("weights", self.numbers(one.weights())),
            ],
            Kind::Histogram(one) => vec![("of", self.mechanism(one.of(), None))],
            Kind::Group(one) => vec![
                ("records", one.records().to_string()),
                ("of", self.mechanism(one.of(), None)),
            ],
            Kind::Mixture(one) => {
                let parts: Vec<String> = one
                    .of()
                    .iter()
                    .map(|(weight, part)| self.mechanism(part, Some(("weight", number(weight)))))
                    .collect();
                vec![("of", format!("[{}]", parts.join(", ")))]
            }
            Kind::Exponential(one) => self.scores(one.range()),
            Kind::PermuteAndFlip(one) => self.scores(one.range()),
            Kind::TopK(one) => {
                let mut keys = self.scores(one.range());
                keys.push(("k", format!("\"{}\"", one.k())));
                keys
            }
            Kind::RandomAllocation(one) => vec![
                ("steps", one.steps_of_an_epoch().to_string()),
                ("selected", one.selected().to_string()),
                ("epochs", one.epochs().to_string()),
                ("of", self.mechanism(one.of(), None)),
            ],
            Kind::TreeAggregation(one) => vec![
                ("noise-multiplier", number(one.noise_multiplier())),
                ("steps", one.leaves().to_string()),
                ("restarts", one.restarts().to_string()),
                ("participations", one.participations().to_string()),
                ("min-separation", one.min_separation().to_string()),
            ],
            Kind::Shuffled(one) => vec![
                ("users", one.users().to_string()),
                ("of", self.mechanism(one.of(), None)),
            ],
            Kind::PrivateSelection(one) => {
                let runs = one.runs();
                let mut law = vec![
                    ("kind", format!("\"{}\"", runs.as_str())),
                    ("mean", number(runs.mean())),
                ];
                law.extend(runs.shape().map(|shape| ("shape", number(shape))));
                let mut keys = vec![
                    ("runs", self.table(law)),
                    ("of", self.mechanism(one.of(), None)),
                ];
                if !one.best_first().is_empty() {
                    let places: Vec<String> =
                        one.best_first().iter().map(ToString::to_string).collect();
                    keys.push(("best-first", format!("[{}]", places.join(", "))));
                }
                keys
            }
            Kind::MatrixFactorization(one) => {
                let schedule = match one.schedule() {
                    Schedule::Spaced {
                        participations,
                        min_separation,
                    } => vec![
                        ("participations", participations.to_string()),
                        ("min-separation", min_separation.to_string()),
                    ],
                    Schedule::Epochs { epochs } => vec![("epochs", epochs.to_string())],
                    Schedule::CyclicPoisson {
                        rate,
                        min_separation,
                    } => vec![
                        ("rate", number(rate)),
                        ("min-separation", min_separation.to_string()),
                    ],
                };
                let mut keys = vec![
                    ("noise-multiplier", number(one.noise_multiplier())),
                    ("steps", one.rows().to_string()),
                    (one.strategy().key(), self.strategy(one.strategy())),
                    ("normalised", one.is_normalised().to_string()),
                ];
                keys.extend(schedule);
                keys
            }
        };
        let kind = mechanism.kind().name().as_str();
        let kind = ("kind", format!("\"{kind}\""));
        self.table([kind].into_iter().chain(keys).chain(extra).collect())
    }
}
