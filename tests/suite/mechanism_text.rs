//! Mechanisms as text, in either notation.

use dpcmp::mechanism::{
    Epsilon, Kind, Mechanism, StatedEpsilon,
    kind::{GaussianNoise, Sampling, Schedule, ScoreRange, SkellamChange, Strategy},
};
use rug::Rational;

/// Writes tables as TOML inline tables or as JSON objects.
#[derive(Clone, Copy)]
pub(crate) enum Format {
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

    pub(crate) fn mechanism(
        self,
        mechanism: &Mechanism,
        extra: Option<(&'static str, String)>,
    ) -> String {
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
                    one.change().key(),
                    match one.change() {
                        SkellamChange::Count(distance) => format!("\"{}\"", distance.stated()),
                        SkellamChange::Vector(length) => number(length.stated()),
                    },
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
