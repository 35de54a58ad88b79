//! Writing a random mechanism, as TOML and as JSON, and reading it again changes nothing.

use dpcmp::input::mechanism_from_bytes;
use dpcmp::mechanism::best_of_runs::Runs;
use dpcmp::mechanism::{
    Adjacency, Epsilon, Mechanism,
    kind::{
        Exponential, MatrixFactorization, PermuteAndFlip, Schedule, ScoreRange, Strategy, TopK,
    },
};
use quickcheck::{Arbitrary, Gen, quickcheck};
use rug::Rational;

use crate::mechanism_text::Format;

quickcheck! {
    fn mechanisms_round_trip(sample: Sample) -> bool {
        let Sample(mechanism, adjacency) = sample;
        let name = format!("\"{}\"", adjacency.as_str());
        let Ok(expected) = mechanism.under(adjacency.relation()) else {
            return true;
        };
        // The reader refuses what everybody could count.
        let is_presence = matches!(adjacency, Adjacency::AddRemove | Adjacency::Remove | Adjacency::Add);
        if is_presence && expected.steps().conditions().shuffled_reports {
            return true;
        }
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
            // Parts under different relations have no meaning together.
            Mechanism::mixture(weights.into_iter().map(part).collect())
                .unwrap_or_else(|_| Mechanism::gdp(1).unwrap())
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
        .unwrap_or_else(|_| Mechanism::gdp(1).unwrap()),
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
