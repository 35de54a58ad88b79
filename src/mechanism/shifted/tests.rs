//! Mixtures of shifted noise against sums and tails that are made another way, at 400 bits.

use std::sync::Arc;

use rug::{Float, Rational};

use super::*;
use crate::kernel::coarse::Random;
use crate::kernel::directed::Pick;
use crate::kernel::{LossBound, Point, ProfilePoint};
use crate::mechanism::discrete_gaussian::DiscreteGaussian;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::{discrete_laplace, subsampled::subsampled};
use crate::test_scale::cases;

pub(super) const BITS: u32 = 400;
pub(super) const ASKED: u32 = 160;

pub(super) fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

pub(super) fn real(x: &Rational) -> Float {
    Float::with_val(BITS, x)
}

/// The pair by its definition: parts of P and Q with their places, and the noise.
pub(super) struct Direct {
    noise: Noise,
    pub(super) without: Vec<(Float, Float)>,
    pub(super) with: Vec<(Float, Float)>,
    /// What all masses of noise on the integers add up to.
    total: Float,
    /// Masses at 0, 1, … of Skellam noise, summed over the smaller of the two Poisson variables, and of sums of discrete Gaussians.
    masses: Vec<Float>,
}

impl Direct {
    pub(super) fn new(pair: &ShiftedNoise) -> Self {
        let unit = match pair.noise() {
            Noise::Gaussian { unit_squared } => real(unit_squared).sqrt(),
            Noise::Laplace { unit } => real(unit),
            Noise::DiscreteGaussian { unit, .. }
            | Noise::DiscreteLaplace { unit, .. }
            | Noise::GaussianSum { unit, .. }
            | Noise::Skellam { unit, .. } => Float::with_val(BITS, *unit),
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
            masses: Vec::new(),
        };
        if let Noise::Skellam { mean, .. } = &direct.noise {
            let mean = real(mean);
            let mut poisson = vec![Float::with_val(BITS, -&mean).exp()];
            for k in 1..700u32 {
                let next = Float::with_val(BITS, poisson.last().unwrap() * &mean) / k;
                poisson.push(next);
            }
            let mass = |k: usize| {
                let pairs = poisson.iter().zip(poisson.iter().skip(k));
                pairs.fold(Float::new(BITS), |sum, (a, b)| {
                    sum + Float::with_val(BITS, a * b)
                })
            };
            direct.masses = (0..500).map(mass).collect();
        }
        if let Noise::GaussianSum { sigma, parties, .. } = &direct.noise {
            direct.masses = super::gaussian_sum::tests::direct(sigma, *parties, 160);
        }
        if direct.is_discrete() {
            let reach = 2 * direct.reach();
            let all = -reach..=reach;
            let masses = all.map(|k| direct.noise_density(&Float::with_val(BITS, k)));
            direct.total = masses.fold(Float::new(BITS), |sum, mass| sum + mass);
        }
        direct
    }

    pub(super) fn is_discrete(&self) -> bool {
        !matches!(self.noise, Noise::Gaussian { .. } | Noise::Laplace { .. })
    }

    /// Noise on the integers is summed up to here: e^{−400} is left out.
    pub(super) fn reach(&self) -> i64 {
        match self.noise {
            Noise::DiscreteGaussian { .. } => 150,
            Noise::Skellam { .. } => 200,
            Noise::GaussianSum { .. } => 60,
            _ => 620,
        }
    }

    /// The density of the noise, or its mass up to a factor.
    pub(super) fn noise_density(&self, x: &Float) -> Float {
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
            Noise::GaussianSum { .. } | Noise::Skellam { .. } => {
                let place = far.to_integer().unwrap().to_usize().unwrap();
                self.masses[place].clone()
            }
        }
    }

    pub(super) fn noise_tail(&self, x: &Float) -> Float {
        if matches!(self.noise, Noise::Gaussian { .. }) {
            let root = Float::with_val(BITS, 2).sqrt();
            return Float::with_val(BITS, x / root).erfc() / 2u32;
        }
        assert!(matches!(self.noise, Noise::Laplace { .. }));
        let half = (-Float::with_val(BITS, x.abs_ref())).exp() / 2u32;
        if *x < 0 { 1 - half } else { half }
    }

    pub(super) fn sum(
        &self,
        parts: &[(Float, Float)],
        x: &Float,
        of: impl Fn(&Float) -> Float,
    ) -> Float {
        parts.iter().fold(Float::new(BITS), |sum, (place, weight)| {
            sum + of(&Float::with_val(BITS, x - place)) * weight
        })
    }

    pub(super) fn excess(&self, x: &Float, u: &Float) -> Float {
        let density = |parts| self.sum(parts, x, |x| self.noise_density(x));
        density(&self.with) - density(&self.without) * u
    }

    /// δ(u), P(L > log u) and P(L ≥ log u).
    pub(super) fn at(&self, u: &Float) -> (Float, Float, Float) {
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

    pub(super) fn summed(&self, u: &Float) -> (Float, Float, Float) {
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
pub(super) fn pair(random: &mut Random) -> ShiftedNoise {
    let whole = |random: &mut Random, n: u64| i64::try_from(random.below(n)).unwrap();
    let kind = random.below(6);
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
        5 => Noise::GaussianSum {
            sigma: [q(1, 2), q(2, 3), q(1, 1)][usize::try_from(random.below(3)).unwrap()].clone(),
            parties: 2 + random.below(2),
            unit,
        },
        4 => Noise::Skellam {
            mean: [q(1, 3), q(1, 1), q(9, 2)][usize::try_from(random.below(3)).unwrap()].clone(),
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

pub(super) fn profile(pair: &ShiftedNoise) -> Arc<dyn Profile> {
    pair.profile().unwrap()
}

/// Places on the loss axis: exact u, exact ε, next to 0 and far out, and next to both ends of the loss.
pub(super) fn points(random: &mut Random, profile: &dyn Profile) -> Vec<(Point, Float)> {
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
pub(super) fn has(found: &Interval, truth: &Float, slack: &Float) -> bool {
    Float::with_val(BITS, found.lo() - slack) <= *truth
        && Float::with_val(BITS, found.hi() + slack) >= *truth
}

pub(super) fn check(pair: &ShiftedNoise, point: &Point, u: &Float, found: &ProfilePoint) {
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
    for _ in 0..cases(9) {
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
pub(super) fn known_pairs() -> Vec<(ShiftedNoise, Arc<dyn Profile>)> {
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
pub(super) fn coarse_bounds(profile: &dyn Profile) -> [String; 2] {
    [profile.min_loss(200), profile.max_loss(200)].map(|bound| match bound {
        LossBound::Finite { value, .. } => format!("{:.10e}", value.middle().to_f64() + 1e-30),
        LossBound::Unbounded => "unbounded".to_owned(),
    })
}

#[test]
fn symmetric_pairs_are_their_swap() {
    let mut random = Random(2);
    for _ in 0..cases(5).max(75) {
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
