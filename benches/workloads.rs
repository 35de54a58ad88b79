//! What users wait for, by workload: one verdict or one enclosure each, from the mechanism on.
//!
//! `make bench` prints times of this machine; compare only figures of one run.

use dpcmp::mechanism::Epsilon;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use dpcmp::analysis::{Goal, Resources, Subject};
use dpcmp::bounds::{GdpForm, Target};
use dpcmp::input::mechanism_from_bytes;
use dpcmp::kernel::Budget;
use dpcmp::number::parse_rational;
use dpcmp::statement::{Contrast, Other, Query};
use rug::Rational;

const DE_ET_AL: &str =
    "kind = 'dp-sgd'\nnoise-multiplier = 9.4\nsample-rate = '16384/50000'\nsteps = 2000";
const SKEWED: &str =
    "kind = 'dp-sgd'\nnoise-multiplier = 0.7\nsample-rate = '256/60000'\nsteps = 10546";
const RESPONSES: &str =
    "kind = 'compose'\nof = [{ kind = 'randomized-response', epsilon = 1, times = 1000 }]";
const LESS_NOISE: &str =
    "kind = 'dp-sgd'\nnoise-multiplier = 2\nsample-rate = 9e-4\nsteps = 1400000";
const MORE_STEPS: &str =
    "kind = 'dp-sgd'\nnoise-multiplier = 3\nsample-rate = 9e-4\nsteps = 3400000";
const LONG: &str =
    "kind = 'dp-sgd'\nnoise-multiplier = 9.4\nsample-rate = '16384/50000'\nsteps = 2000000";
const LANGUAGE_MODEL: &str =
    "kind = 'dp-sgd'\nnoise-multiplier = 0.614\nsample-rate = 1e-4\nsteps = 100000";
const RAREST: &str = "kind = 'dp-sgd'\nnoise-multiplier = 0.6\nsample-rate = 1e-7\nsteps = 1000000";
const DISCRETE: &str = "kind = 'compose'\nof = [\
    { kind = 'discrete-gaussian', sigma = '2.235956182485', times = 10 },\
    { kind = 'discrete-gaussian', sigma = '4.014478229518', times = 10 },\
    { kind = 'discrete-gaussian', sigma = '21.36869215853', times = 10 }]";
const LAPLACE: &str = "kind = 'laplace'\nscale = 1";
const GAUSSIAN: &str = "kind = 'gaussian'\nsigma = 1";

fn number(text: &str) -> Rational {
    parse_rational(text).expect("a number")
}

/// Δ between a mechanism and this one, whichever is larger.
fn distance_from(text: &str) -> Query {
    let file = mechanism_from_bytes("bench", text.as_bytes()).expect("a mechanism");
    Query::divergence(
        Other::new(file.mechanism, file.adjacency),
        Contrast::Symmetric,
    )
}

/// A question asked afresh each time: a quantity keeps what was computed of another mechanism.
fn ask(quantity: impl Fn() -> Query + 'static) -> Box<dyn Fn() -> Query> {
    Box::new(quantity)
}

/// From text to enclosure.
fn enclose(mechanism: &str, quantity: &Query, goal: &Goal) {
    let file = mechanism_from_bytes("bench", mechanism.as_bytes()).expect("a mechanism");
    let budget = Budget::unlimited();
    let subject = Subject::new(&file.mechanism, file.adjacency, &budget).expect("supported");
    let resources = Resources {
        budget: &budget,
        jobs: 2,
        progress: &|_| (),
    };
    black_box(
        subject
            .answer(quantity, goal, &resources)
            .expect("an answer"),
    );
}

fn workloads(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("workloads");
    group.sample_size(10);
    let delta = |epsilon| Query::delta_at(Epsilon::from(number(epsilon)));
    let compare = |with| Goal::Compare { with: number(with) };
    let relative = |width| Goal::Width(Target::Relative(number(width)));
    let epsilon = |delta| Query::epsilon(number(delta)).unwrap();
    let cases = [
        (
            "verdict on (8, 1e-5), De et al.",
            DE_ET_AL,
            ask(move || delta("8")),
            compare("1e-5"),
        ),
        (
            "verdict on (7.4, 1e-5), De et al.",
            DE_ET_AL,
            ask(move || delta("7.4")),
            compare("1e-5"),
        ),
        (
            "epsilon at 1e-5 to 1e-6, De et al.",
            DE_ET_AL,
            ask(move || epsilon("1e-5")),
            relative("1e-6"),
        ),
        (
            "epsilon at 1e-5 to 1e-4, De et al.",
            DE_ET_AL,
            ask(move || epsilon("1e-5")),
            relative("1e-4"),
        ),
        (
            "epsilon at 1e-30 to 1e-4, De et al.",
            DE_ET_AL,
            ask(move || epsilon("1e-30")),
            relative("1e-4"),
        ),
        (
            "epsilon at 1e-5 to 1e-4, De et al. for 2 million steps",
            LONG,
            ask(move || epsilon("1e-5")),
            relative("1e-4"),
        ),
        (
            "epsilon at 5e-7 to 1e-4, 1.4 million steps",
            LESS_NOISE,
            ask(move || epsilon("5e-7")),
            relative("1e-4"),
        ),
        (
            "epsilon at 1e-5 to 1e-3, language model",
            LANGUAGE_MODEL,
            ask(move || epsilon("1e-5")),
            relative("1e-3"),
        ),
        (
            "epsilon at 1e-8 to 1e-3, one record in ten million",
            RAREST,
            ask(move || epsilon("1e-8")),
            relative("1e-3"),
        ),
        (
            "mu at tolerance 1e-10 to 1e-4, De et al.",
            DE_ET_AL,
            ask(|| Query::gdp_mu_as(GdpForm::Tolerance(number("1e-10"))).unwrap()),
            relative("1e-4"),
        ),
        (
            "mu above 1e-10 to 1e-4, De et al.",
            DE_ET_AL,
            ask(|| Query::gdp_mu_as(GdpForm::ErrorFloor(number("1e-10"))).unwrap()),
            relative("1e-4"),
        ),
        (
            "mu at tolerance 1e-10 to 1e-3, discrete Gaussians",
            DISCRETE,
            ask(|| Query::gdp_mu_as(GdpForm::Tolerance(number("1e-10"))).unwrap()),
            relative("1e-3"),
        ),
        (
            "epsilon at 1e-5 to 1e-4, skewed steps",
            SKEWED,
            ask(move || epsilon("1e-5")),
            relative("1e-4"),
        ),
        (
            "delta of 1000 randomised responses",
            RESPONSES,
            ask(move || delta("500")),
            relative("1e-12"),
        ),
        (
            "distance to 1e-15, Gaussian and Laplace",
            GAUSSIAN,
            ask(|| distance_from(LAPLACE)),
            relative("1e-15"),
        ),
        (
            "distance to 5 %, 1.4 and 3.4 million steps",
            LESS_NOISE,
            ask(|| distance_from(MORE_STEPS)),
            relative("0.05"),
        ),
        (
            "epsilon at 1e-300, Gaussian",
            GAUSSIAN,
            ask(move || epsilon("1e-300")),
            relative("1e-12"),
        ),
    ];
    for (name, mechanism, quantity, goal) in &cases {
        group.bench_function(*name, |b| b.iter(|| enclose(mechanism, &quantity(), goal)));
    }
    group.finish();
}

criterion_group!(benches, workloads);
criterion_main!(benches);
