use std::time::Duration;

use rug::Float;

use super::*;
use crate::emergence::step::self_composition;
use crate::mechanism::{Adjacency, Mechanism};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn gaussian_noise(sigma: Rational) -> Mechanism {
    Mechanism::Gaussian {
        sigma,
        sensitivity: q(1, 1),
    }
}

fn laplace_noise(scale: Rational) -> Mechanism {
    Mechanism::Laplace {
        scale,
        sensitivity: q(1, 1),
    }
}

fn subsampled(rate: Rational, of: Mechanism) -> Mechanism {
    Mechanism::Subsampled {
        rate,
        of: Box::new(of),
    }
}

fn of(mechanism: &Mechanism) -> StepMoments {
    let budget = Budget::new(Duration::from_secs(300), std::sync::Arc::default());
    let composition = self_composition(mechanism, Adjacency::Remove, &budget)
        .unwrap()
        .unwrap();
    step_moments(&composition.step, &budget).unwrap().unwrap()
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
