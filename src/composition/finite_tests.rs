//! Compositions of finite laws against enumeration.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use proptest::prelude::*;

use super::*;
use crate::kernel::{Point, Profile};
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::{approx_dp, finite_pair, randomized_response};

type Outcomes = Vec<(BigRational, BigRational)>;

fn profile(factors: &[(Arc<FiniteLaw>, u64)]) -> FiniteProfile {
    let law = compose(factors, &Budget::unlimited()).unwrap().unwrap();
    FiniteProfile::new(Arc::new(law))
}

/// Weights over their sum, as (p, q) pairs of both libraries.
fn pair(weights: &[(u32, u32)]) -> Option<(Arc<FiniteLaw>, Outcomes)> {
    let (p, q): (u32, u32) = weights.iter().fold((0, 0), |(p, q), w| (p + w.0, q + w.1));
    if p == 0 || q == 0 {
        return None;
    }
    let ours = |part: fn(&(u32, u32)) -> u32, total: u32| -> Vec<Rational> {
        weights
            .iter()
            .map(|w| Rational::from((part(w), total)))
            .collect()
    };
    let law = finite_pair::law(&ours(|w| w.0, p), &ours(|w| w.1, q))?;
    let theirs = |n: u32, d: u32| BigRational::new(BigInt::from(n), BigInt::from(d));
    let outcomes = weights
        .iter()
        .map(|w| (theirs(w.0, p), theirs(w.1, q)))
        .collect();
    Some((Arc::new(law), outcomes))
}

fn product(a: &Outcomes, b: &Outcomes) -> Outcomes {
    let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
    pairs.map(|(x, y)| (&x.0 * &y.0, &x.1 * &y.1)).collect()
}

fn enumerated(outcomes: &Outcomes, u: (u32, u32)) -> Rational {
    let u = BigRational::new(BigInt::from(u.0), BigInt::from(u.1));
    let delta = outcomes.iter().fold(BigRational::zero(), |sum, (p, q)| {
        sum + (q - &u * p).max(BigRational::zero())
    });
    let text = format!("{}/{}", delta.numer(), delta.denom());
    text.parse().unwrap()
}

fn weights() -> impl Strategy<Value = Vec<(u32, u32)>> {
    prop::collection::vec((0u32..6, 0u32..6), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Two exact pairs, one of them repeated, against the sum over all outcomes.
    #[test]
    fn equals_enumeration(a in weights(), b in weights(), times in 1u64..6, u in (1u32..20, 1u32..20)) {
        let (Some((first, x)), Some((second, y))) = (pair(&a), pair(&b)) else {
            return Ok(());
        };
        let profile = profile(&[(first, times), (second, 1)]);
        let outcomes = (0..times).fold(y, |all, _| product(&all, &x));
        let truth = enumerated(&outcomes, u);
        let point = Point::at_exp_epsilon(&Rational::from(u), 120);
        let delta = profile.at(&point).delta;
        prop_assert!(delta.contains(&truth));
        prop_assert!(delta.width_up() <= Float::with_val(64, delta.lo() >> 100u32));
        prop_assert_eq!(profile.exact_delta(&point), Some(truth));
        let swapped: Outcomes = outcomes.into_iter().map(|(p, q)| (q, p)).collect();
        let truth = enumerated(&swapped, u);
        prop_assert_eq!(profile.swapped().exact_delta(&point), Some(truth));
    }
}

use rug::Float;

#[test]
fn exact_pair_of_a_composition_sums_to_one() {
    let (law, _) = pair(&[(1, 0), (2, 3), (3, 1), (0, 4)]).unwrap();
    let pair = profile(&[(law, 9)]).exact_pair().unwrap();
    for masses in [&pair.0, &pair.1] {
        let total = masses.iter().fold(Rational::new(), |sum, m| sum + m);
        assert_eq!(total, 1);
    }
}

/// Fractions of very many digits take minutes to be brought to their lowest terms: few of them, and many that are long together.
#[test]
fn masses_of_too_many_digits_are_not_exact() {
    let exact = |denominator: Integer, times: u64| {
        let rest = Rational::from(1) - Rational::from((Integer::from(1), denominator));
        let without = [rest.clone(), Rational::from(1 - &rest)];
        let with = [Rational::from(1 - &rest), rest];
        let law = Arc::new(finite_pair::law(&without, &with).unwrap());
        let law = compose(&[(law, times)], &Budget::unlimited())
            .unwrap()
            .unwrap();
        law.exact_masses().is_some()
    };
    let long = || Integer::from(Integer::u_pow_u(10, 1000));
    assert!(exact(long(), 39) && !exact(long(), 40));
    let short = || Integer::from(1 << 20);
    assert!(exact(short(), 1700) && !exact(short(), 1800));
}

/// T-fold randomised response has the binomial law: Σ_j C(T, j) (q_j − u·p_j)⁺.
#[test]
fn randomised_response_is_binomial() {
    let epsilon = Rational::from((1, 2));
    let law = Arc::new(randomized_response::law(&epsilon.clone().into(), 2).unwrap());
    let profile = profile(&[(law, 30)]);
    let bits = 400;
    let up = Interval::from_rational(&epsilon, bits).exp();
    let total = up.add(&Interval::one(bits)).ln();
    for e in [-16, -3, 0, 1, 29] {
        let point = Point::at_epsilon(&Rational::from((e, 2)), bits);
        let mut truth = Interval::zero(bits);
        for j in 0i64..=30 {
            let choose = Integer::from(30).binomial(u32::try_from(j).unwrap());
            let mass = |count: i64| {
                let power = Interval::from_rational(&Rational::from((count, 2)), bits);
                power.sub(&total.mul(&Interval::from_i64(30, bits))).exp()
            };
            let gap = mass(j).sub(&point.exp().mul(&mass(30 - j))).at_least_zero();
            truth = truth.add(&gap.mul(&Interval::from_integer(&choose, bits)));
        }
        let delta = profile.at(&point).delta;
        let slack = Interval::spanning(Float::new(bits), Float::with_val(bits, 1e-90));
        assert!(delta.intersect(&truth.add(&slack)).is_ok(), "{e}");
        assert!(
            delta.width_up() < Float::with_val(64, delta.lo() >> 380u32),
            "{e}"
        );
    }
    let end = Point::at_epsilon(&Rational::from(15), bits);
    assert_eq!(profile.exact_delta(&end), Some(Rational::new()));
}

#[test]
fn different_responses_merge_where_they_meet() {
    let law = |n, d| Arc::new(randomized_response::law(&Rational::from((n, d)).into(), 2).unwrap());
    let composed = compose(&[(law(1, 2), 2), (law(1, 1), 1)], &Budget::unlimited());
    // ±1 ± 1, 0 ± 1: losses −2, −1, 0, 1, 2 and not six.
    assert_eq!(composed.unwrap().unwrap().len(), 5);
}

#[test]
fn large_powers_within_limits() {
    let law = Arc::new(randomized_response::law(&Rational::from((1, 100)).into(), 2).unwrap());
    let unlimited = Budget::unlimited();
    let large = compose(&[(Arc::clone(&law), 100_000)], &unlimited)
        .unwrap()
        .unwrap();
    assert_eq!(large.len(), 100_001);
    assert!(compose(&[(law, 100_001)], &unlimited).unwrap().is_none());
}

/// (ε, δ) T times: the mass at infinity is 1 − (1 − δ)^T exactly.
#[test]
fn infinite_mass_accumulates() {
    let delta = Rational::from((1, 1000));
    let law = Arc::new(approx_dp::law(&Rational::from(1).into(), &delta).unwrap());
    let profile = profile(&[(law, 5)]);
    let theirs = BigRational::new(BigInt::from(999), BigInt::from(1000));
    let expected = BigRational::one() - num_traits::pow(theirs, 5);
    let expected: Rational = expected.to_string().parse().unwrap();
    assert_eq!(profile.exact_infinite_mass(), Some(expected.clone()));
    let end = Point::at_epsilon(&Rational::from(5), 100);
    assert_eq!(profile.exact_delta(&end), Some(expected));
}

#[test]
fn a_stopped_budget_interrupts() {
    let law = Arc::new(randomized_response::law(&Rational::from(1).into(), 3).unwrap());
    let budget = Budget::default();
    let stopped = Budget::new(std::time::Duration::ZERO, Arc::default());
    assert!(compose(&[(Arc::clone(&law), 50)], &budget).is_ok());
    assert!(matches!(
        compose(&[(law, 50)], &stopped),
        Err(Failure::Interrupted)
    ));
}

/// Masses that were not made for want of time are made when there is some, and kept; those that were are never made again.
#[test]
fn masses_that_were_not_made_in_time_are_made_later() {
    use crate::kernel::coarse::late;
    let q = |n: i64| Rational::from((n, 10));
    let pair = crate::mechanism::finite_pair::law(&[q(3), q(7)], &[q(7), q(3)]).unwrap();
    let law = compose(&[(Arc::new(pair), 1_000)], &Budget::unlimited());
    let law = law.unwrap().unwrap();
    let cut = late(|| law.numbers(90));
    assert!(!late(|| cut.is_of_all()) && cut.is_of_all());
    let hinges = |late: bool| {
        let make = || law.hinges(90, crate::mechanism::Direction::Remove);
        if late {
            crate::kernel::coarse::late(make)
        } else {
            make()
        }
    };
    assert!(!Arc::ptr_eq(&hinges(true), &hinges(true)));
    let all = law.numbers(90);
    assert!(late(|| all.is_of_all()));
    for (wide, narrow) in cut.with.iter().zip(&all.with) {
        assert!(narrow.is_positive());
        assert!(wide.lo() <= narrow.lo() && narrow.hi() <= wide.hi());
    }
    assert!(Arc::ptr_eq(&late(|| law.numbers(90)), &all));
    let known = hinges(false);
    assert!(Arc::ptr_eq(&known, &hinges(true)));
}
