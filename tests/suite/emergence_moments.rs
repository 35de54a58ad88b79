//! Moments against another program's integrals, and against their definitions.

use std::time::Duration;

use rug::{Float, Rational};

use dpcmp::emergence::{LossMoments, NoMoments, StepMoments, self_composition, step_moments};
use dpcmp::kernel::{Budget, Interval};
use dpcmp::mechanism::{Adjacency, Mechanism};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn gaussian_noise(sigma: Rational) -> Mechanism {
    Mechanism::gaussian(sigma, q(1, 1)).unwrap()
}

fn laplace_noise(scale: Rational) -> Mechanism {
    Mechanism::laplace(scale, q(1, 1)).unwrap()
}

fn subsampled(rate: Rational, of: Mechanism) -> Mechanism {
    Mechanism::subsampled(rate, of).unwrap()
}

fn of(mechanism: &Mechanism) -> StepMoments {
    let budget = Budget::new(Duration::from_secs(300), std::sync::Arc::default());
    let composition = self_composition(mechanism, Adjacency::Remove, &budget)
        .unwrap()
        .unwrap();
    step_moments(&composition.step, &budget).unwrap().unwrap()
}

/// Why a mechanism has no moments.
fn reason(mechanism: &Mechanism) -> NoMoments {
    let budget = Budget::new(Duration::from_secs(300), std::sync::Arc::default());
    let composition = self_composition(mechanism, Adjacency::Remove, &budget)
        .unwrap()
        .unwrap();
    step_moments(&composition.step, &budget)
        .unwrap()
        .unwrap_err()
}

/// The decimal numeral, right to the last digit printed, agrees with the enclosure, which has about ten digits.
fn agrees(x: &Interval, reference: &str) {
    let reference = Float::with_val(200, Float::parse(reference).unwrap());
    let slack = Float::with_val(200, reference.clone().abs() * 1e-14);
    let (low, high) = (
        Float::with_val(200, &reference - &slack),
        Float::with_val(200, &reference + &slack),
    );
    assert!(
        *x.lo() <= high && *x.hi() >= low,
        "{x:?} against {reference}"
    );
    let width = x.width_up() / reference.abs();
    assert!(width < 1e-10, "relative width {width}");
}

fn agree(side: &LossMoments, reference: [&str; 5]) {
    agrees(&side.mean, reference[0]);
    agrees(&side.variance, reference[1]);
    agrees(&side.third_central, reference[2]);
    agrees(&side.third_absolute, reference[3]);
    agrees(&side.second, reference[4]);
}

/// Against 30-digit integrals by another program (mpmath): mean, variance, E|L − m|³, E|L|³, E L².
#[test]
fn subsampled_gaussians_of_the_papers_example() {
    let moments = of(&subsampled(q(9, 10_000), gaussian_noise(q(2, 1))));
    agree(&moments.null, SIGMA_2_NULL);
    agree(&moments.alternative, SIGMA_2_ALTERNATIVE);
    agrees(&moments.eta(), "0.0002397896377426841");
    let moments = of(&subsampled(q(9, 10_000), gaussian_noise(q(3, 1))));
    agree(&moments.null, SIGMA_3_NULL);
    agree(&moments.alternative, SIGMA_3_ALTERNATIVE);
    agrees(&moments.eta(), "0.0001542562725825414");
}

const SIGMA_2_NULL: [&str; 5] = [
    "-1.149660347795187e-7",
    "2.298678755701209e-7",
    "2.568753041485114e-10",
    "2.568447050518741e-10",
    "2.298678887873101e-7",
];
const SIGMA_2_ALTERNATIVE: [&str; 5] = [
    "1.149981447069216e-7",
    "2.300605351477079e-7",
    "2.572511224404059e-10",
    "2.572817905770969e-10",
    "2.300605483722811e-7",
];
const SIGMA_3_NULL: [&str; 5] = [
    "-4.758477195999181e-8",
    "9.515909846231062e-8",
    "5.576176939365184e-11",
    "5.575821165458086e-11",
    "9.515910072662114e-8",
];
const SIGMA_3_ALTERNATIVE: [&str; 5] = [
    "4.758999547805562e-8",
    "9.519043957098126e-8",
    "5.579131775678062e-11",
    "5.57948806120858e-11",
    "9.519044183578893e-8",
];

/// Large μ, rates near 1, and atoms; the same five numbers.
#[test]
fn other_noise_against_another_program() {
    let moments = of(&subsampled(q(9, 10), gaussian_noise(q(1, 2))));
    agree(&moments.null, GAUSSIAN_2_NULL);
    agree(&moments.alternative, GAUSSIAN_2_ALTERNATIVE);
    let moments = of(&subsampled(q(1, 100), gaussian_noise(q(1, 5))));
    agree(&moments.null, GAUSSIAN_5_NULL);
    agree(&moments.alternative, GAUSSIAN_5_ALTERNATIVE);
    let moments = of(&laplace_noise(q(1, 1)));
    agree(&moments.null, LAPLACE_1_NULL);
    agrees(&moments.alternative.mean, "0.36787944117144232");
    let moments = of(&subsampled(q(1, 10), laplace_noise(q(2, 3))));
    agree(&moments.null, LAPLACE_NULL);
    agree(&moments.alternative, LAPLACE_ALTERNATIVE);
}

#[test]
fn gaussian_closed_form_against_another_program() {
    let moments = of(&gaussian_noise(q(2, 1)));
    agree(
        &moments.null,
        [
            "-0.125",
            "0.25",
            "0.19947114020071634",
            "0.21826875537671624",
            "0.265625",
        ],
    );
    assert!(moments.is_normal);
    agrees(&moments.eta(), "0.25");
}

/// Quadrature and closed form are two ways to the same Gaussian: a rate so near 1 that it does not matter.
#[test]
fn quadrature_tends_to_the_closed_form() {
    let near_one = 1 - q(1, 1_000_000_000_000);
    let close = of(&subsampled(near_one, gaussian_noise(q(2, 1))));
    let exact = of(&gaussian_noise(q(2, 1)));
    for (a, b) in [
        (&close.null.third_central, &exact.null.third_central),
        (&close.null.mean, &exact.null.mean),
        (&close.alternative.second, &exact.alternative.second),
    ] {
        let difference = a.sub(b);
        assert!(*difference.hi() < 1e-9 && *difference.lo() > -1e-9);
    }
}

/// Two outcomes: every moment is a short formula in log(q/p).
#[test]
fn finite_pairs_by_their_definition() {
    let mechanism = Mechanism::finite(vec![q(1, 3), q(2, 3)], vec![q(1, 2), q(1, 2)]).unwrap();
    let moments = of(&mechanism);
    let (up, down) = (1.5f64.ln(), 0.75f64.ln());
    let close = |x: &Interval, truth: f64| {
        assert!(
            (x.lo().to_f64() - truth).abs() < 1e-14 && x.width_up() < 1e-60,
            "{x:?}"
        );
    };
    let mean = up / 3.0 + 2.0 * down / 3.0;
    let cube = |x: f64| x.abs().powi(3);
    close(&moments.null.mean, mean);
    close(&moments.v1(), -mean);
    close(moments.v2(), up * up / 3.0 + 2.0 * down * down / 3.0);
    close(
        moments.v3(),
        cube(up - mean) / 3.0 + 2.0 * cube(down - mean) / 3.0,
    );
    close(moments.v4(), cube(up) / 3.0 + 2.0 * cube(down) / 3.0);
    let other = (up + down) / 2.0;
    close(&moments.alternative.mean, other);
    close(
        &moments.alternative.third_central,
        (cube(up - other) + cube(down - other)) / 2.0,
    );
    close(&moments.swapped().null.mean, -other);
}

/// RR with ε: v₁ = ε·tanh(ε/2), v₂ = ε², and Dong et al. 2022 §3: the limit of ε = 1/√N has μ = 2√N·η near 1.
#[test]
fn randomised_response_by_its_formula() {
    let moments = of(&Mechanism::randomized_response(q(1, 10), 2).unwrap());
    let tanh = 0.05f64.tanh();
    assert!((moments.v1().lo().to_f64() - 0.1 * tanh).abs() < 1e-15);
    assert!(moments.v2().contains(&q(1, 100)));
    assert!((moments.eta().lo().to_f64() * 20.0 - 1.0).abs() < 1e-2);
}

#[test]
fn what_has_no_moments_says_why() {
    let infinite = Mechanism::approx_dp(q(1, 1), q(1, 100)).unwrap();
    assert_eq!(reason(&infinite), NoMoments::InfiniteLoss);
    let nothing = Mechanism::finite(vec![q(1, 3), q(2, 3)], vec![q(1, 3), q(2, 3)]).unwrap();
    assert_eq!(reason(&nothing), NoMoments::NoInformation);
    let none = Mechanism::gdp(q(0, 1)).unwrap();
    assert_eq!(reason(&none), NoMoments::NoInformation);
}

/// The variance is 4ε²·e^{−ε} and less, far below the squared mean, yet the two laws are nearly exclusive.
#[test]
fn a_large_epsilon_is_not_no_information() {
    for epsilon in [20u32, 250] {
        let moments = of(&Mechanism::randomized_response(Rational::from(epsilon), 2).unwrap());
        let epsilon = Interval::from_i64(i64::from(epsilon), 256);
        let odds = epsilon.neg().exp();
        let one = Interval::one(256);
        let shape = odds.div(&one.add(&odds).square());
        let truth = epsilon
            .square()
            .mul(&Interval::from_i64(4, 256))
            .mul(&shape);
        let difference = moments.null.variance.sub(&truth).div(&truth);
        assert!(*difference.lo() <= 0 && *difference.hi() >= 0);
        assert!(difference.width_up() < 1e-10, "{difference:?}");
    }
    let too_large = Mechanism::randomized_response(q(1000, 1), 2).unwrap();
    assert!(matches!(reason(&too_large), NoMoments::Unsupported(_)));
}

/// A variance below the tails left out is not known, in bounded time, and is not said to be 0.
#[test]
fn a_tiny_rate_is_not_no_information() {
    let rate = Rational::from((1, rug::Integer::from(rug::Integer::u_pow_u(10, 150))));
    let mechanism = subsampled(rate, gaussian_noise(q(1, 1)));
    let reason = reason(&mechanism);
    assert!(matches!(reason, NoMoments::Unsupported(_)), "{reason}");
}

const GAUSSIAN_2_NULL: [&str; 5] = [
    "-1.1333147916962324",
    "1.3117400290010236",
    "2.8699434608941843",
    "5.101512590191179",
    "2.5961424460784982",
];
const GAUSSIAN_2_ALTERNATIVE: [&str; 5] = [
    "1.6579795936334396",
    "4.2052117111421602",
    "12.971698489620539",
    "28.121425133365561",
    "6.9541080440470658",
];
const GAUSSIAN_5_NULL: [&str; 5] = [
    "-0.0090307317188347924",
    "0.001268994580578555",
    "0.0037715829990772333",
    "0.0037384556584794975",
    "0.0013505486959561238",
];
const GAUSSIAN_5_ALTERNATIVE: [&str; 5] = [
    "0.07162158153035434",
    "0.86570352845587055",
    "10.68753865110537",
    "10.872845752402031",
    "0.87083317939677975",
];
const LAPLACE_1_NULL: [&str; 5] = [
    "-0.36787944117144232",
    "0.65738806973473338",
    "0.69934765438546866",
    "0.76617346052015379",
    "0.79272335297134607",
];
const LAPLACE_NULL: [&str; 5] = [
    "-0.0087015613204447749",
    "0.016208352017320373",
    "0.0039693205354252333",
    "0.0037398314967182701",
    "0.016284069186733834",
];
const LAPLACE_ALTERNATIVE: [&str; 5] = [
    "0.0093084909487806132",
    "0.019844562990278996",
    "0.0045517065988196285",
    "0.004863224637089337",
    "0.019931210994022526",
];
