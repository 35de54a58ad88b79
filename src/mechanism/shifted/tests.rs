//! Mixtures of shifted noise against sums and tails that are made another way, at 400 bits.

use std::sync::Arc;

use rug::{Float, Rational};

use super::*;
use crate::kernel::coarse::{self, Place, Random};
use crate::kernel::directed::Pick;
use crate::kernel::{LossBound, Point, ProfilePoint};
use crate::mechanism::discrete_gaussian::DiscreteGaussian;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::{discrete_laplace, subsampled::subsampled};
use crate::test_scale::cases;

const BITS: u32 = 400;
const ASKED: u32 = 160;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn real(x: &Rational) -> Float {
    Float::with_val(BITS, x)
}

/// The pair by its definition: parts of P and Q with their places, and the noise.
struct Direct {
    noise: Noise,
    without: Vec<(Float, Float)>,
    with: Vec<(Float, Float)>,
    /// What all masses of noise on the integers add up to.
    total: Float,
}

impl Direct {
    fn new(pair: &ShiftedNoise) -> Self {
        let unit = match pair.noise() {
            Noise::Gaussian { unit_squared } => real(unit_squared).sqrt(),
            Noise::Laplace { unit } => real(unit),
            Noise::DiscreteGaussian { unit, .. } | Noise::DiscreteLaplace { unit, .. } => {
                Float::with_val(BITS, *unit)
            }
        };
        let parts = |shifts: &Shifts, sign: i32| {
            let part = |(shift, weight): &(Rational, Rational)| {
                (Float::with_val(BITS, &unit * shift) * sign, real(weight))
            };
            shifts.list().iter().map(part).collect()
        };
        let mut direct = Self {
            noise: pair.noise().clone(),
            without: parts(pair.without(), -1),
            with: parts(pair.with(), 1),
            total: Float::with_val(BITS, 1),
        };
        if direct.is_discrete() {
            let reach = 2 * direct.reach();
            let all = -reach..=reach;
            let masses = all.map(|k| direct.noise_density(&Float::with_val(BITS, k)));
            direct.total = masses.fold(Float::new(BITS), |sum, mass| sum + mass);
        }
        direct
    }

    fn is_discrete(&self) -> bool {
        matches!(
            self.noise,
            Noise::DiscreteGaussian { .. } | Noise::DiscreteLaplace { .. }
        )
    }

    /// Noise on the integers is summed up to here: e^{−400} is left out.
    fn reach(&self) -> i64 {
        if matches!(self.noise, Noise::DiscreteGaussian { .. }) {
            150
        } else {
            620
        }
    }

    /// The density of the noise, or its mass up to a factor.
    fn noise_density(&self, x: &Float) -> Float {
        let far = Float::with_val(BITS, x.abs_ref());
        match &self.noise {
            Noise::Gaussian { .. } => {
                let tau = Float::with_val(BITS, rug::float::Constant::Pi) * 2u32;
                (-far.square() / 2u32).exp() / tau.sqrt()
            }
            Noise::Laplace { .. } => (-far).exp() / 2u32,
            Noise::DiscreteGaussian { sigma, .. } => {
                (-far.square() / (real(sigma).square() * 2u32)).exp()
            }
            Noise::DiscreteLaplace { scale, .. } => (-far / real(scale)).exp(),
        }
    }

    fn noise_tail(&self, x: &Float) -> Float {
        if matches!(self.noise, Noise::Gaussian { .. }) {
            let root = Float::with_val(BITS, 2).sqrt();
            return Float::with_val(BITS, x / root).erfc() / 2u32;
        }
        assert!(matches!(self.noise, Noise::Laplace { .. }));
        let half = (-Float::with_val(BITS, x.abs_ref())).exp() / 2u32;
        if *x < 0 { 1 - half } else { half }
    }

    fn sum(&self, parts: &[(Float, Float)], x: &Float, of: impl Fn(&Float) -> Float) -> Float {
        parts.iter().fold(Float::new(BITS), |sum, (place, weight)| {
            sum + of(&Float::with_val(BITS, x - place)) * weight
        })
    }

    fn excess(&self, x: &Float, u: &Float) -> Float {
        let density = |parts| self.sum(parts, x, |x| self.noise_density(x));
        density(&self.with) - density(&self.without) * u
    }

    /// δ(u), P(L > log u) and P(L ≥ log u).
    fn at(&self, u: &Float) -> (Float, Float, Float) {
        if self.is_discrete() {
            return self.summed(u);
        }
        // Halving on the sign of q − u·p, from outside all shifts.
        let ends = || self.with.iter().chain(&self.without).map(|x| &x.0);
        let margin = if matches!(self.noise, Noise::Laplace { .. }) {
            0
        } else {
            30
        };
        let reach = |x: &Float, sign: i32| Float::with_val(BITS, x + sign * margin);
        let low = ends()
            .map(|x| reach(x, -1))
            .min_by(|a, b| a.total_cmp(b))
            .unwrap();
        let high = ends()
            .map(|x| reach(x, 1))
            .max_by(|a, b| a.total_cmp(b))
            .unwrap();
        let cut = |is_above: &dyn Fn(&Float) -> bool| {
            let (mut low, mut high) = (low.clone(), high.clone());
            if is_above(&low) {
                return Float::with_val(BITS, rug::float::Special::NegInfinity);
            }
            if !is_above(&high) {
                return Float::with_val(BITS, rug::float::Special::Infinity);
            }
            for _ in 0..BITS {
                let middle = Float::with_val(BITS, &low + &high) / 2u32;
                if is_above(&middle) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            high
        };
        let tail = |parts, x: &Float| self.sum(parts, x, |x| self.noise_tail(x));
        let strictly = cut(&|x| self.excess(x, u) > 0);
        let at_least = cut(&|x| self.excess(x, u) >= 0);
        let delta = tail(&self.with, &strictly) - tail(&self.without, &strictly) * u;
        (
            delta.larger(&Float::new(BITS)),
            tail(&self.without, &strictly),
            tail(&self.without, &at_least),
        )
    }

    fn summed(&self, u: &Float) -> (Float, Float, Float) {
        let zero = || Float::new(BITS);
        let (mut delta, mut above, mut from) = (zero(), zero(), zero());
        for k in -self.reach()..=self.reach() {
            let x = Float::with_val(BITS, k);
            let mass = |parts| self.sum(parts, &x, |x| self.noise_density(x)) / &self.total;
            let (with, without) = (mass(&self.with), mass(&self.without));
            let doubt = Float::with_val(BITS, &without * u) >> 380u32;
            let gain = with - Float::with_val(BITS, &without * u);
            if gain > doubt {
                above += &without;
            }
            if gain >= -doubt {
                from += &without;
            }
            if gain > 0 {
                delta += gain;
            }
        }
        (delta, above, from)
    }
}

/// A random pair; shifts are whole, with now and then a half where the noise is real.
fn pair(random: &mut Random) -> ShiftedNoise {
    let whole = |random: &mut Random, n: u64| i64::try_from(random.below(n)).unwrap();
    let kind = random.below(4);
    let unit = 1 + random.below(2);
    let noise = match kind {
        0 => Noise::Gaussian {
            unit_squared: [q(1, 9), q(1, 1), q(3, 1)][usize::try_from(random.below(3)).unwrap()]
                .clone(),
        },
        1 => Noise::Laplace {
            unit: [q(1, 10), q(1, 3), q(1, 1), q(7, 2)][usize::try_from(random.below(4)).unwrap()]
                .clone(),
        },
        2 => Noise::DiscreteGaussian {
            sigma: q(1 + whole(random, 8), 2),
            unit,
        },
        _ => Noise::DiscreteLaplace {
            scale: [q(1, 2), q(1, 1), q(3, 2)][usize::try_from(random.below(3)).unwrap()].clone(),
            unit,
        },
    };
    let denominator = if kind < 2 && random.once_in(2) { 2 } else { 1 };
    let mut shifts = || {
        let weights: Vec<i64> = (0..=random.below(3))
            .map(|_| 1 + whole(random, 9))
            .collect();
        let total = weights.iter().sum();
        let list = weights
            .iter()
            .map(|w| (q(whole(random, 4), denominator), q(*w, total)));
        Shifts::new(list.collect()).unwrap()
    };
    let without = if kind == 3 { shifts() } else { Shifts::none() };
    let with = shifts();
    let without = if without == Shifts::none() {
        shifts()
    } else {
        without
    };
    ShiftedNoise::new(noise, without, with)
}

fn profile(pair: &ShiftedNoise) -> Arc<dyn Profile> {
    pair.profile().unwrap()
}

/// Places on the loss axis: exact u, exact ε, next to 0 and far out, and next to both ends of the loss.
fn points(random: &mut Random, profile: &dyn Profile) -> Vec<(Point, Float)> {
    let whole = |random: &mut Random, n: u64| i64::try_from(random.below(n)).unwrap();
    let (n, d) = (1 + whole(random, 60), 1 + whole(random, 40));
    let ratios = [q(1, 1), q(n, d), q(1, 1_000_000_000_000), q(9_999_999, 1)];
    let epsilons = [
        q(whole(random, 121) - 60, 1 + whole(random, 20)),
        q(whole(random, 13) - 6, 2),
    ];
    let mut points = Vec::new();
    for u in ratios {
        points.push((Point::at_exp_epsilon(&u, ASKED), real(&u)));
    }
    for epsilon in epsilons {
        points.push((Point::at_epsilon(&epsilon, ASKED), real(&epsilon).exp()));
    }
    for end in [profile.min_loss(BITS), profile.max_loss(BITS)] {
        if let LossBound::Finite { value, .. } = end {
            for side in [-1i32, 1] {
                let near =
                    Float::with_val(200, value.middle()) + (Float::with_val(200, side) >> 40u32);
                let at = Point::at_log(crate::kernel::Interval::point(near.clone()));
                points.push((at, Float::with_val(BITS, near).exp()));
            }
        }
    }
    points
}

/// Does the enclosure have the number, up to what the other way leaves open?
fn has(found: &Interval, truth: &Float, slack: &Float) -> bool {
    Float::with_val(BITS, found.lo() - slack) <= *truth
        && Float::with_val(BITS, found.hi() + slack) >= *truth
}

fn check(pair: &ShiftedNoise, point: &Point, u: &Float, found: &ProfilePoint) {
    let (delta, above, from) = Direct::new(pair).at(u);
    let slack = Float::with_val(BITS, 1 + u) >> 370u32;
    let shown = || format!("{pair:?} at {:?}: {found:?}, not {delta:.30}", point.log());
    assert!(has(&found.delta, &delta, &slack), "{}", shown());
    // Where the other way still tells something, digits are not lost.
    if delta > Float::with_val(BITS, &slack << 200u32) {
        let allowed = Float::with_val(BITS, &delta >> 120u32);
        assert!(found.delta.width_up() <= allowed, "wide: {}", shown());
    }
    let s = &found.null_tail;
    let slack = Float::with_val(BITS, 1) >> 350u32;
    assert!(
        Float::with_val(BITS, s.lo() - &slack) <= from
            && Float::with_val(BITS, s.hi() + &slack) >= above,
        "null tail between {above:.30} and {from:.30}: {}",
        shown()
    );
    // And nothing that is no slope: P(L > log u) to P(L ≥ log u) are all there is, up to rounding.
    let blur = Float::with_val(BITS, 1) >> 60u32;
    assert!(
        Float::with_val(BITS, s.lo() + &blur) >= above
            && Float::with_val(BITS, s.hi() - &blur) <= from,
        "null tail beyond {above:.30} and {from:.30}: {}",
        shown()
    );
}

#[test]
fn random_pairs_agree_with_their_definition() {
    let mut random = Random(1);
    for _ in 0..cases(60) {
        let pair = pair(&mut random);
        let profile = profile(&pair);
        for (point, u) in points(&mut random, &*profile) {
            check(&pair, &point, &u, &profile.at(&point));
        }
    }
}

/// Where u is the constant ratio beyond all shifts and both are known exactly, no precision tells them apart.
#[test]
fn a_ratio_that_is_u_for_ever_is_decided_by_its_doubt() {
    let one = Shifts::sampled(&q(1, 1));
    let (unit, two) = (q(3, 4), q(3, 2));
    let profile = LaplaceMixtures::new(unit.clone(), one.clone(), one.clone());
    let closed = Laplace::new(two.clone());
    for epsilon in [two.clone(), -two, q(0, 1), q(1, 3)] {
        let point = Point::at_epsilon(&epsilon, ASKED);
        let (found, truth) = (profile.at(&point), closed.at(&point));
        assert!(found.delta.intersect(&truth.delta).is_ok(), "{epsilon}");
        assert!(found.delta.width_up() < 1e-45, "{epsilon}: {found:?}");
        assert!(
            found.null_tail.intersect(&truth.null_tail).is_ok(),
            "{epsilon}"
        );
    }
    let noise = DiscreteLaplaceNoise::new(&q(4, 3));
    let profile = IntegerMixtures::new(noise, 1, &one, &one).unwrap();
    let law = discrete_laplace::law(&q(4, 3), 2).unwrap();
    let closed = FiniteProfile::new(Arc::new(law));
    for epsilon in [q(3, 2), q(-3, 2), q(0, 1), q(1, 3)] {
        let point = Point::at_epsilon(&epsilon, ASKED);
        let (found, truth) = (profile.at(&point), closed.at(&point));
        assert!(found.delta.intersect(&truth.delta).is_ok(), "{epsilon}");
        assert!(found.delta.width_up() < 1e-45, "{epsilon}: {found:?}");
    }
}

/// A pair and the profile that some other file has for it.
fn known_pairs() -> Vec<(ShiftedNoise, Arc<dyn Profile>)> {
    let one = Shifts::sampled(&q(1, 1));
    type Known = (Noise, Arc<dyn Profile>, Arc<dyn Profile>);
    let noises = || -> Vec<Known> {
        let finite = |scale: &Rational, d| {
            FiniteProfile::new(Arc::new(discrete_laplace::law(scale, d).unwrap()))
        };
        let (square, unit, sigma, scale) = (q(5, 4), q(4, 5), q(3, 2), q(7, 3));
        vec![
            (
                Noise::Gaussian {
                    unit_squared: square.clone(),
                },
                Arc::new(Gaussian::from_square(square.clone())),
                Arc::new(Gaussian::from_square(square * 4u32)),
            ),
            (
                Noise::Laplace { unit: unit.clone() },
                Arc::new(Laplace::new(unit.clone())),
                Arc::new(Laplace::new(unit * 2u32)),
            ),
            (
                Noise::DiscreteGaussian {
                    sigma: sigma.clone(),
                    unit: 3,
                },
                Arc::new(DiscreteGaussian::new(&sigma, 3).unwrap()),
                Arc::new(DiscreteGaussian::new(&sigma, 6).unwrap()),
            ),
            (
                Noise::DiscreteLaplace {
                    scale: scale.clone(),
                    unit: 2,
                },
                Arc::new(finite(&scale, 2)),
                Arc::new(finite(&scale, 4)),
            ),
        ]
    };
    let mut pairs = Vec::new();
    for rate in [q(1, 7), q(1, 1_000_000)] {
        for (noise, once, _) in noises() {
            let sampled = ShiftedNoise::new(noise, Shifts::none(), Shifts::sampled(&rate));
            pairs.push((sampled, subsampled(&rate, once)));
        }
    }
    for (noise, once, twice) in noises() {
        let present = ShiftedNoise::new(noise.clone(), Shifts::none(), one.clone());
        pairs.push((present, once));
        pairs.push((ShiftedNoise::new(noise, one.clone(), one.clone()), twice));
    }
    pairs
}

/// A record that is sampled and there or not, and one that always takes part.
#[test]
fn sampled_pairs_and_single_shifts_are_the_known_ones() {
    for (pair, known) in known_pairs() {
        let found = profile(&pair);
        for (found, known) in [
            (found.clone(), known.clone()),
            (found.swapped(), known.swapped()),
        ] {
            for (n, d) in [(-7, 2), (-1, 3), (0, 1), (1, 90), (1, 2), (3, 1), (11, 1)] {
                let point = Point::at_epsilon(&q(n, d), ASKED);
                let (a, b) = (found.at(&point), known.at(&point));
                assert!(a.delta.intersect(&b.delta).is_ok(), "{pair:?} {n}/{d}");
                assert!(a.delta.width_up() < 1e-40, "{pair:?} {n}/{d}");
                // At an atom of the loss either side is a slope.
                let is_smooth =
                    matches!(pair.noise(), Noise::Gaussian { .. } | Noise::Laplace { .. });
                if is_smooth || n != 0 {
                    assert!(
                        a.null_tail.intersect(&b.null_tail).is_ok(),
                        "{pair:?} {n}/{d}"
                    );
                }
            }
            assert_eq!(coarse_bounds(&*found), coarse_bounds(&*known), "{pair:?}");
        }
    }
}

/// The ends of the loss to ten digits.
fn coarse_bounds(profile: &dyn Profile) -> [String; 2] {
    [profile.min_loss(200), profile.max_loss(200)].map(|bound| match bound {
        LossBound::Finite { value, .. } => format!("{:.10e}", value.middle().to_f64() + 1e-30),
        LossBound::Unbounded => "unbounded".to_owned(),
    })
}

#[test]
fn symmetric_pairs_are_their_swap() {
    let mut random = Random(2);
    for _ in 0..cases(30) {
        let one = pair(&mut random);
        let pair = ShiftedNoise::new(one.noise().clone(), one.with().clone(), one.with().clone());
        assert!(pair.is_symmetric());
        let profile = profile(&pair);
        for (point, _) in points(&mut random, &*profile) {
            let (a, b) = (profile.at(&point), profile.swapped().at(&point));
            assert_eq!(a.delta, b.delta);
            assert_eq!(a.null_tail, b.null_tail);
            let rest = point.exp().one_minus();
            let mirrored = profile.at(&point.mirrored()).delta;
            let other = rest.add(&point.exp().mul(&mirrored));
            assert!(
                a.delta.intersect(&other).is_ok(),
                "{pair:?} {:?}",
                point.log()
            );
        }
    }
}

/// A record that counts for more, and one that takes part more often, reveal no less.
#[test]
fn every_shift_adds_to_delta() {
    let mut random = Random(3);
    for _ in 0..cases(40) {
        let pair = pair(&mut random);
        let small = profile(&pair);
        for which in 0..pair.with().list().len() + pair.without().list().len() {
            let mut lists = [pair.with().list().to_vec(), pair.without().list().to_vec()];
            let part = lists.iter_mut().flatten().nth(which).unwrap();
            part.0 += 1;
            let [with, without] = lists.map(|list| Shifts::new(list).unwrap());
            let farther = ShiftedNoise::new(pair.noise().clone(), without, with);
            let large = profile(&farther);
            for (point, _) in points(&mut random, &*small) {
                let (a, b) = (small.at(&point).delta, large.at(&point).delta);
                assert!(a.lo() <= b.hi(), "{pair:?} {farther:?} {:?}", point.log());
            }
        }
    }
}

/// Wide points, and points in few bits, contain what exact ones give.
#[test]
fn a_few_bits_surround_the_truth() {
    let mut random = Random(4);
    for _ in 0..cases(60) {
        let pair = pair(&mut random);
        for profile in [profile(&pair), profile(&pair).swapped()] {
            let bits = 8 + u32::try_from(random.below(9)).unwrap();
            let (n, d) = (random.below(400) + 1, random.below(60) + 1);
            let epsilon = Rational::from((i64::try_from(n).unwrap() - 200, 10 * d));
            for place in [
                Place::ExpEpsilon(Rational::from((n, d))),
                Place::ExpEpsilon(q(1, 1)),
                Place::Epsilon(epsilon.clone()),
                Place::NearEpsilon(epsilon),
            ] {
                let holds = coarse::profile_holds(&*profile, &place, bits, true);
                assert_eq!(holds, Ok(()), "{pair:?}");
            }
            assert_eq!(coarse::ends_hold(&*profile, bits), Ok(()), "{pair:?}");
        }
    }
}

#[test]
fn nothing_is_known_of_a_point_that_may_be_anywhere() {
    let mut random = Random(5);
    for _ in 0..cases(20) {
        let pair = pair(&mut random);
        let profile = profile(&pair);
        let anywhere = Point::at_log(Interval::whole_line(64));
        for point in [
            anywhere.clone(),
            anywhere.with_accuracy(crate::kernel::Accuracy::Absolute),
        ] {
            let knot = profile.at(&point);
            for x in [&knot.delta, &knot.null_tail] {
                assert!(x.contains(&q(0, 1)) && x.contains(&q(1, 1)), "{pair:?}");
            }
        }
        // No one-sided mass.
        let far = Interval::point(Float::with_val(64, rug::float::Special::Infinity));
        if !matches!(pair.noise(), Noise::Gaussian { .. }) {
            let end = profile.at(&Point::at_log(far.clone()));
            assert!(*end.delta.hi() < 1e-300, "{pair:?}");
        }
        assert_eq!(
            *profile.at(&Point::at_log(far.neg())).delta.lo(),
            1,
            "{pair:?}"
        );
    }
}

/// Bounded losses: δ is exactly 0 and 1 − u beyond the ends.
#[test]
fn exact_beyond_the_ends() {
    let rate = q(1, 4);
    for noise in [
        Noise::Laplace { unit: q(1, 2) },
        Noise::DiscreteLaplace {
            scale: q(2, 1),
            unit: 1,
        },
    ] {
        let replaced = Shifts::sampled(&rate);
        let profile = profile(&ShiftedNoise::new(noise, replaced.clone(), replaced));
        let LossBound::Finite { value, .. } = profile.max_loss(200) else {
            panic!("bounded");
        };
        // log((1 − q + q·e^{1/2})/(1 − q + q·e^{−1/2})).
        let power = |x: i32| Interval::from_rational(&q(x.into(), 2), 200).exp();
        let side = |x| {
            Interval::from_rational(&q(1, 4), 200).mul(&Interval::from_i64(3, 200).add(&power(x)))
        };
        let truth = side(1).div(&side(-1)).ln();
        assert!(value.intersect(&truth).is_ok() && value.width_up() < 1e-55);
        let ratio = value.exp();
        let beyond = ratio.hi().to_rational().unwrap() + q(1, 1 << 40);
        let inside = ratio.lo().to_rational().unwrap() - q(1, 1 << 40);
        let exact = |u: &Rational| profile.exact_delta(&Point::at_exp_epsilon(u, 120));
        assert_eq!(exact(&beyond), Some(q(0, 1)));
        assert_eq!(exact(&inside), None);
        let (beyond, inside) = (beyond.recip(), inside.recip());
        assert_eq!(exact(&beyond), Some(Rational::from(1 - &beyond)));
        assert_eq!(exact(&inside), None);
    }
}

/// Sizes that are not built, as for single shifts; shifts that are not whole.
#[test]
fn limits_of_noise_on_the_integers() {
    let replaced = Shifts::sampled(&q(1, 2));
    let built = |noise, shifts: &Shifts| {
        ShiftedNoise::new(noise, shifts.clone(), shifts.clone())
            .profile()
            .is_some()
    };
    let gaussian = |sigma, unit| Noise::DiscreteGaussian { sigma, unit };
    let laplace = |unit| Noise::DiscreteLaplace {
        scale: q(1, 1),
        unit,
    };
    assert!(built(gaussian(q(20_000, 1), 200_000), &replaced));
    assert!(!built(gaussian(q(20_001, 1), 1), &replaced));
    assert!(!built(gaussian(q(1, 1), 200_001), &replaced));
    assert!(built(laplace(10_000), &replaced));
    assert!(!built(laplace(10_001), &replaced));
    assert!(!built(laplace(u64::MAX), &replaced));
    let half = Shifts::new(vec![(q(1, 2), q(1, 1))]).unwrap();
    assert!(!built(laplace(1), &half) && built(laplace(2), &half));
}

/// Gaussian and Laplace pairs against sums over many small cells, by the definition of δ alone.
#[test]
fn quadrature_of_the_positive_part() {
    let mut random = Random(6);
    let mut left = cases(40);
    while left > 0 {
        let pair = pair(&mut random);
        let direct = Direct::new(&pair);
        if direct.is_discrete() {
            continue;
        }
        left -= 1;
        let profile = profile(&pair);
        let places = |parts: &[(Float, Float)]| -> Vec<(f64, f64)> {
            parts
                .iter()
                .map(|(x, w)| (x.to_f64(), w.to_f64()))
                .collect()
        };
        let (with, without) = (places(&direct.with), places(&direct.without));
        let is_gaussian = matches!(pair.noise(), Noise::Gaussian { .. });
        let density = |parts: &[(f64, f64)], x: f64| -> f64 {
            let one = |place: f64| {
                if is_gaussian {
                    (-(x - place) * (x - place) / 2.0).exp() / std::f64::consts::TAU.sqrt()
                } else {
                    (-(x - place).abs()).exp() / 2.0
                }
            };
            parts
                .iter()
                .map(|(place, weight)| weight * one(*place))
                .sum()
        };
        for u in [q(1, 3), q(1, 1), q(6, 5), q(4, 1)] {
            let (low, high, cells) = (-40.0, 40.0, 80_000);
            let width = (high - low) / f64::from(cells);
            let sum: f64 = (0..cells)
                .map(|i| {
                    let x = low + width * (f64::from(i) + 0.5);
                    (density(&with, x) - u.to_f64() * density(&without, x)).max(0.0) * width
                })
                .sum();
            let delta = profile.at(&Point::at_exp_epsilon(&u, 80)).delta;
            assert!((delta.middle().to_f64() - sum).abs() < 1e-6, "{pair:?} {u}");
        }
    }
}

#[test]
fn shifts_are_sorted_and_taken_together() {
    let one = Shifts::new(vec![
        (q(2, 1), q(1, 4)),
        (q(0, 1), q(1, 2)),
        (q(2, 1), q(1, 4)),
        (q(5, 1), q(0, 1)),
    ]);
    let list = [(q(0, 1), q(1, 2)), (q(2, 1), q(1, 2))];
    assert_eq!(one.unwrap().list(), list);
    assert!(Shifts::new(vec![(q(1, 1), q(1, 2))]).is_err());
    assert!(Shifts::new(vec![(q(-1, 1), q(1, 1))]).is_err());
    assert!(Shifts::new(vec![(q(0, 1), q(3, 2)), (q(1, 1), q(-1, 2))]).is_err());
    assert_eq!(Shifts::sampled(&q(1, 1)).list(), [(q(1, 1), q(1, 1))]);
    assert_eq!(Shifts::sampled(&q(0, 1)), Shifts::none());
}
