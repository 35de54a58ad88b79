//! The checker in large units: at 2^-288 and 2^-120 a wrong direction of rounding is far below what a test compares. At 2^-24 and
//! 2^-10 it is an error in the first digits.

use std::cell::Cell;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::claim::Direction;
use crate::law::{Law, Plan, Side};
use crate::profile;
use crate::real::{Real, w};
use crate::step::{Epsilon, Noise, Step};
use crate::work;

/// Binary digits after the point.
#[derive(Clone, Copy)]
pub struct Units {
    pub reals: u32,
    pub masses: u32,
}

const FINE: Units = Units { reals: 288, masses: 120 };

thread_local! {
    static UNITS: Cell<Units> = const { Cell::new(FINE) };
}

/// `base` times `DPCMP_TEST_SCALE`, which is 1 unless it is set.
pub fn cases(base: usize) -> usize {
    let scale = std::env::var("DPCMP_TEST_SCALE").ok();
    base * scale.and_then(|text| text.parse().ok()).unwrap_or(1)
}

pub fn units() -> Units {
    UNITS.get()
}

/// What `work` gives in these units. The bounds of what the series leave out hold from 2^-20 on.
pub fn in_units<T>(reals: u32, masses: u32, work: impl FnOnce() -> T) -> T {
    UNITS.set(Units { reals, masses });
    let found = work();
    UNITS.set(FINE);
    found
}

/// An enclosure in exact numbers.
pub fn ends(x: &Real) -> (BigRational, BigRational) {
    let unit = BigInt::one() << w();
    (BigRational::new(x.lo.clone(), unit.clone()), BigRational::new(x.hi.clone(), unit))
}

pub fn meets(coarse: &(BigRational, BigRational), fine: &(BigRational, BigRational)) -> bool {
    coarse.0 <= fine.1 && fine.0 <= coarse.1
}

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// Of either sign, up to 8.
    pub fn rational(&mut self) -> BigRational {
        let n = i64::try_from(self.below(8000)).unwrap() - 4000;
        BigRational::new(n.into(), (500 + self.below(3000)).into())
    }
}

#[test]
fn functions_of_real_numbers() {
    type One = fn(&Real) -> Option<Real>;
    type Two = fn(&Real, &Real) -> Option<Real>;
    let one: [(&str, One); 6] = [
        ("exp", |x| x.exp().ok()),
        ("ln", |x| x.ln().ok()),
        ("sqrt", |x| x.sqrt().ok()),
        ("tail", |x| x.normal_tail().ok()),
        ("neg", |x| Some(x.neg())),
        ("at least zero", |x| Some(x.at_least_zero())),
    ];
    let two: [(&str, Two); 4] = [
        ("plus", |x, y| Some(x.plus(y))),
        ("minus", |x, y| Some(x.minus(y))),
        ("times", |x, y| Some(x.times(y))),
        ("over", |x, y| x.over(y).ok()),
    ];
    let mut random = Random(1);
    for _ in 0..600 {
        work::begin(None);
        let reals = 20 + u32::try_from(random.below(20)).unwrap();
        let (x, y, other) = (random.rational(), random.rational(), random.rational());
        // A number alone, or somewhere in an interval.
        let wide = random.below(2) == 0;
        let real = |x: &BigRational| if wide { Real::of(x).hull(&Real::of(&(x + &other))) } else { Real::of(x) };
        for (name, function) in one {
            let fine = function(&Real::of(&x)).map(|found| ends(&found));
            let coarse = in_units(reals, 10, || function(&real(&x)).map(|found| ends(&found)));
            if let (Some(fine), Some(coarse)) = (fine, coarse) {
                assert!(meets(&coarse, &fine), "{name} of {x} in 2^-{reals}: {coarse:?} {fine:?}");
            }
        }
        for (name, function) in two {
            let fine = function(&Real::of(&x), &Real::of(&y)).map(|found| ends(&found));
            let coarse = in_units(reals, 10, || function(&real(&x), &real(&y)).map(|found| ends(&found)));
            if let (Some(fine), Some(coarse)) = (fine, coarse) {
                assert!(meets(&coarse, &fine), "{name} of {x} and {y} in 2^-{reals}: {coarse:?} {fine:?}");
            }
        }
        let fine = Real::of(&x);
        in_units(reals, 10, || {
            let coarse = Real::of(&x);
            assert!(!coarse.is_above(&x) && (coarse.is_at_most(&x) || coarse.lo != coarse.hi));
            let unit = |bits: u32| BigRational::from(BigInt::one() << bits);
            assert!(BigRational::from(coarse.floor_units(10)) <= &x * unit(10));
            assert!(BigRational::from(coarse.ceil_units(10)) >= &x * unit(10));
        });
        assert!(fine.is_at_most(&(&x + BigRational::new(1.into(), 1_000_000.into()))));
    }
}

fn shifted(noise: Noise, with: &[(BigRational, BigRational)]) -> Step {
    Step::Shifted { noise, without: vec![(BigRational::one(), BigRational::zero())], with: with.to_vec() }
}

pub fn steps() -> Vec<Step> {
    let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    vec![
        Step::Gaussian { square: q(1, 2) },
        Step::Gaussian { square: q(4, 1) },
        Step::Laplace { epsilon: q(3, 2) },
        Step::Response { epsilon: Epsilon::Plain(q(1, 1)), k: 2.into() },
        Step::Response { epsilon: Epsilon::Plain(q(2, 3)), k: 5.into() },
        Step::Response { epsilon: Epsilon::LogOf(q(7, 2)), k: 3.into() },
        Step::ResponseOrUniform { epsilon: Epsilon::LogOf(q(7, 2)), k: 3.into() },
        Step::ResponseOrUniform { epsilon: Epsilon::Plain(q(1, 2)), k: 2.into() },
        Step::Finite { p: vec![q(1, 5), q(3, 10), q(1, 2), q(0, 1)], q: vec![q(0, 1), q(2, 5), q(1, 4), q(7, 20)] },
        Step::sampled_gaussian(q(1, 1), q(1, 10)),
        Step::sampled_gaussian(q(9, 4), q(4, 5)),
        Step::Guarantee { points: vec![(Epsilon::Plain(q(1, 1)), q(1, 100))] },
        Step::Guarantee { points: vec![(Epsilon::Plain(q(1, 1)), q(0, 1)), (Epsilon::LogOf(q(1, 1)), q(1, 3))] },
        Step::Guarantee { points: vec![(Epsilon::Plain(q(-1, 2)), q(1, 2)), (Epsilon::LogOf(q(5, 1)), q(1, 30))] },
        Step::Sampled { rate: q(1, 3), of: vec![(Step::Laplace { epsilon: q(2, 1) }, 1)] },
        Step::Sampled {
            rate: q(1, 5),
            of: vec![(Step::Response { epsilon: Epsilon::Plain(q(1, 1)), k: 2.into() }, 2)],
        },
        Step::Labelled {
            of: vec![
                (q(1, 3), vec![(Step::Gaussian { square: q(1, 1) }, 1)]),
                (q(2, 3), vec![(Step::Laplace { epsilon: q(1, 2) }, 1)]),
            ],
        },
        shifted(Noise::Gaussian { square: q(1, 1) }, &[(q(9, 10), q(0, 1)), (q(1, 10), q(1, 1))]),
        shifted(Noise::Laplace { unit: q(1, 2) }, &[(q(1, 2), q(0, 1)), (q(1, 2), q(3, 1))]),
        shifted(Noise::DiscreteGaussian { square: q(5, 2), parties: 1 }, &[(q(1, 3), q(0, 1)), (q(2, 3), q(1, 1))]),
        shifted(Noise::DiscreteLaplace { scale: q(2, 1) }, &[(q(1, 1), q(2, 1))]),
        shifted(Noise::Skellam { mean: q(3, 1) }, &[(q(1, 1), q(1, 1))]),
    ]
}

pub const BOTH: [Direction; 2] = [Direction::Remove, Direction::Add];

#[test]
fn steps_in_closed_form() {
    let mut random = Random(2);
    for (step, direction) in steps().iter().flat_map(|step| BOTH.map(|direction| (step, direction))) {
        for _ in 0..60 {
            work::begin(None);
            let reals = 20 + u32::try_from(random.below(20)).unwrap();
            let epsilon = random.rational();
            let all = |_: ()| {
                let point = profile::at(step, direction, &Epsilon::Plain(epsilon.clone())).ok()?;
                // A threshold is a guess: its size is that of a test, but not of the same one in all units.
                let of_test = if point.cuts.is_empty() { vec![point.null.clone(), point.power()] } else { Vec::new() };
                Some([point.delta.clone(), point.u.clone()].iter().chain(&of_test).map(ends).collect::<Vec<_>>())
            };
            let fine = all(()).unwrap();
            let Some(coarse) = in_units(reals, 10, || all(())) else { continue };
            for (coarse, fine) in coarse.iter().zip(&fine) {
                assert!(meets(coarse, fine), "{step:?} {direction:?} at {epsilon}, 2^-{reals}: {coarse:?} {fine:?}");
            }
        }
    }
}

/// δ of T equal steps with finitely many answers, outcome by outcome.
fn composed(p: &[BigRational], q: &[BigRational], times: u64, epsilon: &BigRational) -> BigRational {
    let mut outcomes = vec![(BigRational::one(), BigRational::one())];
    for _ in 0..times {
        let next =
            |(a, b): &(BigRational, BigRational)| p.iter().zip(q).map(|(p, q)| (a * p, b * q)).collect::<Vec<_>>();
        outcomes = outcomes.iter().flat_map(next).collect();
    }
    let (u, _) = ends(&Real::of(epsilon).exp().unwrap());
    outcomes.iter().map(|(p, q)| (q - &u * p).max(BigRational::zero())).sum()
}

/// A step, its pair for the stated direction, and the unit of its lattice. Nothing but rounding is between the truth and both laws of a
/// response, whose losses lie on the lattice, or the lower law of a pair whose losses are far apart.
fn step_on_a_lattice(random: &mut Random) -> (Step, Vec<BigRational>, Vec<BigRational>, BigRational) {
    let q = |n: i64, d: i64| BigRational::new(n.into(), d.into());
    let unit_step = q(1, 3 + i64::try_from(random.below(20)).unwrap());
    if random.below(4) == 0 {
        // Each loss in a cell of its own, and products of masses that are no more than units.
        let (p, q) = (vec![q(1, 4), q(1, 4), q(1, 2)], vec![q(1, 2), q(1, 4), q(1, 4)]);
        return (Step::Finite { p: p.clone(), q: q.clone() }, p, q, unit_step);
    }
    let epsilon = &unit_step * BigInt::from(1 + random.below(4));
    let k = 2 + random.below(2);
    let odds = ends(&Real::of(&epsilon).exp().unwrap()).0;
    let rest = BigRational::from(BigInt::from(k - 2));
    let total = &odds + BigRational::one() + &rest;
    let q = vec![&odds / &total, BigRational::one() / &total, &rest / &total];
    let p = vec![BigRational::one() / &total, &odds / &total, rest / total];
    (Step::Response { epsilon: Epsilon::Plain(epsilon), k: k.into() }, p, q, unit_step)
}

/// Laws in large units, coarsened, trimmed, composed: never on the wrong side of what they stand for.
#[test]
fn laws_against_enumeration() {
    let mut random = Random(3);
    // The truth is known up to the last of 288 digits of e^ε.
    let slack = BigRational::new(BigInt::one(), BigInt::one() << 250);
    for _ in 0..cases(100) {
        work::begin(None);
        let (step, p, q, unit_step) = step_on_a_lattice(&mut random);
        let direction = BOTH[usize::try_from(random.below(2)).unwrap()];
        let (first, second) = if direction == Direction::Remove { (&p, &q) } else { (&q, &p) };
        let times = 1 + random.below(3);
        let coarsen = |random: &mut Random| u32::from(random.below(4) == 0);
        let level = coarsen(&mut random);
        let reach = i64::try_from(5 + random.below(20)).unwrap();
        let plan = Plan {
            level,
            first: -reach,
            last: reach,
            coarsen: (0..times.ilog2()).map(|_| coarsen(&mut random)).collect(),
        };
        let reals = 20 + u32::try_from(random.below(8)).unwrap();
        let masses = if random.below(2) == 0 { reals - 1 } else { 8 + u32::try_from(random.below(8)).unwrap() };
        let light = if random.below(3) == 0 { 1 << random.below(u64::from(masses / 2)) } else { 0 };
        let joins = random.below(3) == 0;
        // On the lattice or off it.
        let epsilon = match random.below(2) {
            0 => &unit_step * BigInt::from(i64::try_from(random.below(13)).unwrap() - 6),
            _ => random.rational() / BigRational::from(BigInt::from(3)),
        };
        let alpha = BigRational::new((1 + random.below(99)).into(), 100.into());
        let one = BigRational::from(BigInt::one() << masses);
        let runs = times + u64::from(joins);
        for side in [Side::Upper, Side::Lower] {
            let law = || {
                let once = Law::of_step(&step, direction, side, &plan, &unit_step).ok()?;
                let law = once.power(times, &plan, light).ok()?;
                if joins { law.joined(once, light).ok() } else { Some(law) }
            };
            let truth = composed(first, second, runs, &epsilon);
            // A mass that does not fit is refused.
            if let Some(found) = in_units(reals, masses, || law()?.delta(&Epsilon::Plain(epsilon.clone())).ok()) {
                let found = BigRational::from(found) / &one;
                let holds = if side == Side::Upper { found >= &truth - &slack } else { found <= &truth + &slack };
                assert!(
                    holds,
                    "{side:?} {step:?} {direction:?} {runs} at {epsilon}, {reals} {masses}: {found} {truth}"
                );
            }
            if side == Side::Upper {
                continue;
            }
            let power = || crate::power::Tests::new(law()?.tests().ok()?, true, false, true).power(&alpha).ok();
            if let Some(power) = in_units(reals, masses, power) {
                let most = largest_power(first, second, runs, &alpha);
                assert!(
                    crate::source::units(power, reals) <= most + &slack,
                    "{step:?} {direction:?} {runs} at {alpha}"
                );
            }
        }
    }
}

/// The largest Q-mass of a test of P-mass α: outcomes in the order of their ratio, the last one in part.
pub fn largest_power(p: &[BigRational], q: &[BigRational], times: u64, alpha: &BigRational) -> BigRational {
    let mut outcomes = vec![(BigRational::one(), BigRational::one())];
    for _ in 0..times {
        outcomes = outcomes
            .iter()
            .flat_map(|(a, b)| p.iter().zip(q).map(|(p, q)| (a * p, b * q)).collect::<Vec<_>>())
            .collect();
    }
    // What has no mass under either has no ratio.
    outcomes.retain(|(p, q)| !p.is_zero() || !q.is_zero());
    outcomes.sort_unstable_by(|(p, q), (r, s)| (s * p).cmp(&(q * r)));
    let (mut left, mut power) = (alpha.clone(), BigRational::zero());
    for (p, q) in outcomes {
        if p <= left {
            left -= p;
            power += q;
        } else {
            power += q * left / p;
            break;
        }
    }
    power
}

#[test]
fn the_enumeration_itself() {
    let half = BigRational::new(1.into(), 2.into());
    let (p, q) = (vec![half.clone(), half.clone()], vec![BigRational::one(), BigRational::zero()]);
    assert_eq!(composed(&p, &q, 2, &BigRational::zero()).to_f64(), Some(0.75));
    assert_eq!(largest_power(&p, &q, 1, &half), BigRational::one());
    assert!(largest_power(&q, &p, 1, &half).is_positive());
}

#[test]
#[ignore = "prints times"]
fn times_of_steps() {
    for step in steps() {
        work::begin(None);
        let start = std::time::Instant::now();
        let pair = profile::Pair::of(&step, Direction::Remove).unwrap();
        let made = start.elapsed();
        for i in 0..200i64 {
            let epsilon = Epsilon::Plain(BigRational::new((i - 100).into(), 50.into()));
            pair.at(&profile::Place::of(&epsilon).unwrap()).unwrap();
        }
        println!("{:?} then {:?} each: {step}", made, (start.elapsed() - made) / 200);
    }
}
