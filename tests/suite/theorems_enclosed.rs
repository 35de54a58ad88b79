//! The theorems on Δ-divergence for random continuous mechanisms, composed subsampled ones included, where all numbers are
//! enclosures: an equality holds if the two enclosures meet, an inequality if its ends do not contradict it. [K24] is
//! Kaissis et al. 2024, [G25] is Gomez et al. 2025.
//!
//! `DPCMP_TEST_SCALE` multiplies the number of cases; `--nocapture` shows them.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::soundness_support::cases;
use dpcmp::analysis::{Goal, Resources, Subject};
use dpcmp::bounds::{Enclosure, Prior, Target};
use dpcmp::kernel::Budget;
use dpcmp::mechanism::{Adjacency, Epsilon, Kind, Mechanism};
use dpcmp::statement::{Contrast, Query};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use quickcheck::{Arbitrary, Gen, QuickCheck};
use rug::Rational;

/// Cases of the default run: closed forms, and compositions that need laws.
const CLOSED: u32 = 16;
const COMPOSED: u32 = 2;

/// A mechanism with noise on the reals, possibly subsampled, possibly composed.
#[derive(Debug, Clone)]
struct Smooth {
    mechanism: Mechanism,
    adjacency: Adjacency,
}

impl Smooth {
    /// From random words: the kind, its noise in eighths, the sampling rate in sixteenths, the adjacency, the steps.
    fn new([kind, noise, rate, adjacency]: [u8; 4], steps: u64) -> Self {
        let noise = Rational::from((i64::from(noise % 24) + 4, 8));
        let one = || Rational::from(1);
        let base = if kind % 2 == 0 {
            Mechanism::gaussian(noise, one()).unwrap()
        } else {
            Mechanism::laplace(noise, one()).unwrap()
        };
        let rate = Rational::from((i64::from(rate % 16) + 1, 16));
        let sampled = if kind % 4 < 2 && steps == 1 {
            base
        } else {
            Mechanism::subsampled(rate, base).unwrap()
        };
        let mechanism = if steps == 1 {
            sampled
        } else {
            Mechanism::compose(vec![(sampled, steps)]).unwrap()
        };
        let all = [Adjacency::Remove, Adjacency::Add, Adjacency::AddRemove];
        Self {
            mechanism,
            adjacency: all[usize::from(adjacency % 3)],
        }
    }

    fn subject(&self) -> Subject {
        Subject::new(&self.mechanism, self.adjacency, &Budget::unlimited()).unwrap()
    }
}

/// Three mechanisms and a place ε in [−4, 4].
#[derive(Debug, Clone)]
struct Trial {
    words: [[u8; 4]; 3],
    steps: [u8; 3],
    epsilon: i8,
}

impl Arbitrary for Trial {
    fn arbitrary(g: &mut Gen) -> Self {
        let word = |g: &mut Gen| [0; 4].map(|_: u8| u8::arbitrary(g));
        Self {
            words: [word(g), word(g), word(g)],
            steps: [0; 3].map(|_: u8| u8::arbitrary(g)),
            epsilon: i8::arbitrary(g),
        }
    }
}

fn trials() -> impl Strategy<Value = Trial> {
    any::<([[u8; 4]; 3], [u8; 3], i8)>().prop_map(|(words, steps, epsilon)| Trial {
        words,
        steps,
        epsilon,
    })
}

/// What is asked of a trial, with the answers' width.
struct Case {
    subjects: [Subject; 3],
    mechanisms: [Smooth; 3],
    epsilon: Rational,
    width: Target,
}

impl Case {
    fn new(trial: &Trial, composed: bool) -> Self {
        let steps = |i: usize| {
            if composed {
                u64::from(trial.steps[i] % 12) + 2
            } else {
                1
            }
        };
        let mechanisms = [0, 1, 2].map(|i| Smooth::new(trial.words[i], steps(i)));
        let width = if composed {
            Rational::from((1, 1_000))
        } else {
            Rational::from((1, 1_000_000))
        };
        Self {
            subjects: [0, 1, 2].map(|i: usize| mechanisms[i].subject()),
            mechanisms,
            epsilon: Rational::from((i64::from(trial.epsilon), 32)),
            width: Target::Absolute(width),
        }
    }

    fn ask(&self, subject: &Subject, query: &Query) -> Enclosure {
        let budget = Budget::unlimited();
        let goal = Goal::Width(self.width.clone());
        subject
            .answer(query, &goal, &resources(&budget))
            .unwrap()
            .enclosure
    }

    fn compare(&self, a: &Subject, b: &Subject, contrast: &Contrast) -> Enclosure {
        let budget = Budget::unlimited();
        let goal = Goal::Width(self.width.clone());
        a.compare(b, contrast, &goal, &resources(&budget))
            .unwrap()
            .enclosure
    }

    fn delta(&self, subject: &Subject) -> Enclosure {
        let at = Epsilon::from(self.epsilon.clone());
        self.ask(subject, &Query::delta_at(at))
    }
}

fn resources(budget: &Budget) -> Resources<'_> {
    Resources {
        budget,
        jobs: 1,
        progress: &|_| (),
    }
}

/// A finite pair as a reference mechanism.
fn reference(p: &[i32], q: &[i32]) -> Subject {
    let vector = |v: &[i32]| v.iter().map(|x| Rational::from(*x)).collect();
    let mechanism = Mechanism::finite(vector(p), vector(q)).unwrap();
    Subject::new(&mechanism, Adjacency::AddRemove, &Budget::unlimited()).unwrap()
}

fn low(enclosure: &Enclosure) -> f64 {
    enclosure.lower().to_f64_round(rug::float::Round::Down)
}

fn high(enclosure: &Enclosure) -> f64 {
    enclosure.upper().to_f64_round(rug::float::Round::Up)
}

/// Rounding of the arithmetic below, which is in doubles.
const ROUNDING: f64 = 1e-14;

fn meet(a: (f64, f64), b: (f64, f64)) -> bool {
    a.0 <= b.1 + ROUNDING && b.0 <= a.1 + ROUNDING
}

/// Both generators, each half of the cases.
fn run(name: &str, composed: bool, property: fn(&Case)) {
    let count = cases(if composed { COMPOSED } else { CLOSED }).cases;
    let done = AtomicU32::new(0);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(
        Config {
            cases: count.div_ceil(2),
            failure_persistence: None,
            ..Config::default()
        },
        rng,
    );
    runner
        .run(&trials(), |trial| {
            property(&Case::new(&trial, composed));
            done.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
        .unwrap();
    let mut quick = QuickCheck::new()
        .tests(u64::from(count / 2))
        .rng(Gen::from_size_and_seed(64, 7));
    // quickcheck takes a plain function only, which finds the property in its thread.
    CURRENT.with(|current| current.set(Some((property, composed))));
    quick.quickcheck(by_quickcheck as fn(Trial) -> bool);
    let sort = if composed { "composed" } else { "closed" };
    println!("{name}: {} {sort} cases", done.into_inner() + count / 2);
}

/// A property, and whether it is about compositions.
type Property = (fn(&Case), bool);

thread_local! {
    static CURRENT: std::cell::Cell<Option<Property>> = const { std::cell::Cell::new(None) };
}

fn by_quickcheck(trial: Trial) -> bool {
    let (property, composed) = CURRENT.with(std::cell::Cell::get).unwrap();
    property(&Case::new(&trial, composed));
    true
}

macro_rules! properties {
    ($($name:ident),*) => {
        $(mod $name {
            #[test]
            fn closed_forms() {
                super::run(stringify!($name), false, super::properties::$name);
            }

            #[test]
            fn compositions() {
                super::run(stringify!($name), true, super::properties::$name);
            }
        })*
    };
}

properties!(
    theorem_2,
    corollary_2,
    levy_equivalence,
    lemma_3,
    lemma_4,
    lemma_5,
    lemma_2,
    advantage_bound,
    composition_is_monotone,
    float_engine
);

mod properties {
    use super::*;

    /// [K24] Theorem 2, clause 2: δ_A(ε) + Δ(A‖B)(1 + e^ε) ≥ δ_B(ε) at every real ε.
    pub fn theorem_2(case: &Case) {
        let [a, b, _] = &case.subjects;
        let divergence = high(&case.compare(a, b, &Contrast::To));
        let odds = 1.0 + case.epsilon.to_f64().exp();
        let left = high(&case.delta(a)) + divergence * odds * (1.0 + ROUNDING);
        assert!(left + ROUNDING >= low(&case.delta(b)));
    }

    /// [K24] Corollary 2: symmetry, the triangle inequality, and 0 for equal mechanisms.
    pub fn corollary_2(case: &Case) {
        let [a, b, c] = &case.subjects;
        let distance = |x, y| case.compare(x, y, &Contrast::Symmetric);
        let (ab, bc, ac) = (distance(a, b), distance(b, c), distance(a, c));
        assert!(low(&ac) <= high(&ab) + high(&bc) + ROUNDING);
        let ba = distance(b, a);
        assert!(meet((low(&ab), high(&ab)), (low(&ba), high(&ba))));
        let own = case.mechanisms[0].subject();
        assert_eq!(high(&distance(a, &own)), 0.0);
        let one_way = |x, y| case.compare(x, y, &Contrast::To);
        let (ab, bc, ac) = (one_way(a, b), one_way(b, c), one_way(a, c));
        assert!(low(&ac) <= high(&ab) + high(&bc) + ROUNDING);
    }

    /// [K24] Lemma 1 and Appendix B.2: with κ = Δ↔, f_A(α + κ) − κ ≤ f_B(α) and the same with A and B exchanged; and it is
    /// the least such κ, so that Δ↔ is the larger of both divergences.
    pub fn levy_equivalence(case: &Case) {
        let [a, b, _] = &case.subjects;
        let both = case.compare(a, b, &Contrast::Symmetric);
        let there = case.compare(a, b, &Contrast::To);
        let back = case.compare(a, b, &Contrast::From);
        let larger = (low(&there).max(low(&back)), high(&there).max(high(&back)));
        assert!(meet((low(&both), high(&both)), larger));
        let shift = both.upper().to_rational().unwrap();
        for numerator in [1, 5, 11, 15] {
            let alpha = Rational::from((numerator, 16));
            let shifted = Rational::from(&alpha + &shift).min(Rational::from(1));
            let at = |subject: &Subject, alpha: &Rational| {
                let alpha = alpha.clone();
                case.ask(subject, &Query::trade_off(alpha).unwrap())
            };
            for (one, other) in [(a, b), (b, a)] {
                let left = low(&at(one, &shifted)) - high(&both);
                assert!(left <= high(&at(other, &alpha)) + ROUNDING);
            }
        }
    }

    /// [K24] Lemma 3: Δ(perfect privacy‖M) = δ(0)/2.
    pub fn lemma_3(case: &Case) {
        let [a, ..] = &case.subjects;
        let found = case.compare(&reference(&[1], &[1]), a, &Contrast::To);
        let advantage = case.ask(a, &Query::advantage());
        let half = (low(&advantage) / 2.0, high(&advantage) / 2.0);
        assert!(meet((low(&found), high(&found)), half));
    }

    /// [K24] Lemma 4: Δ(M‖blatant non-privacy) = R*.
    pub fn lemma_4(case: &Case) {
        let [a, ..] = &case.subjects;
        let found = case.compare(a, &reference(&[1, 0], &[0, 1]), &Contrast::To);
        let risk = case.ask(a, &Query::minimax_risk());
        assert!(meet((low(&found), high(&found)), (low(&risk), high(&risk))));
    }

    /// [K24] Lemma 5 as it is true: the two extremes add up to at least ½, and to ½ for a symmetric curve.
    pub fn lemma_5(case: &Case) {
        let [a, ..] = &case.subjects;
        let advantage = case.ask(a, &Query::advantage());
        let risk = case.ask(a, &Query::minimax_risk());
        let sum = (
            low(&advantage) / 2.0 + low(&risk),
            high(&advantage) / 2.0 + high(&risk),
        );
        assert!(sum.1 + ROUNDING >= 0.5);
        if case.mechanisms[0].adjacency == Adjacency::AddRemove {
            assert!(meet(sum, (0.5, 0.5)));
        }
    }

    /// [K24] Lemma 2: every mechanism dominates perfect privacy and is dominated by blatant non-privacy.
    pub fn lemma_2(case: &Case) {
        let [a, ..] = &case.subjects;
        let nothing = reference(&[1], &[1]);
        let everything = reference(&[1, 0], &[0, 1]);
        assert_eq!(low(&case.compare(a, &nothing, &Contrast::To)), 0.0);
        assert!(high(&case.compare(a, &nothing, &Contrast::To)) < 2e-3);
        assert_eq!(low(&case.compare(&everything, a, &Contrast::To)), 0.0);
        assert!(high(&case.compare(&everything, a, &Contrast::To)) < 2e-3);
    }

    /// [G25] Proposition 4.1: the advantages differ by at most 2Δ↔.
    pub fn advantage_bound(case: &Case) {
        let [a, b, _] = &case.subjects;
        let ask = |subject| case.ask(subject, &Query::advantage());
        let (one, other) = (ask(a), ask(b));
        let least = (low(&one) - high(&other)).max(low(&other) - high(&one));
        let both = case.compare(a, b, &Contrast::Symmetric);
        assert!(least <= 2.0 * high(&both) + ROUNDING);
    }

    /// A composition with one more step dominates: its profile is nowhere below.
    pub fn composition_is_monotone(case: &Case) {
        let [a, ..] = &case.mechanisms;
        let (step, times) = match a.mechanism.kind() {
            Kind::Composition(composition) => composition.of()[0].clone(),
            _ => (a.mechanism.clone(), 1),
        };
        let longer = Smooth {
            mechanism: Mechanism::compose(vec![(step, times + 1)]).unwrap(),
            adjacency: a.adjacency,
        };
        let long = case.delta(&longer.subject());
        assert!(high(&long) >= low(&case.delta(&case.subjects[0])));
    }

    /// The float engine's divergences, plain and weighted, are within 2·10⁻⁶ of what is certain.
    pub fn float_engine(case: &Case) {
        use dpcmp::float::{Curve, Density, divergence, weighted_divergence};
        let [a, b, _] = &case.subjects;
        let curve = |i: usize| {
            let Smooth {
                mechanism,
                adjacency,
            } = &case.mechanisms[i];
            Curve::new(mechanism, *adjacency).unwrap()
        };
        let (one, other) = (curve(0), curve(1));
        let near = |estimate: f64, found: &Enclosure| {
            let accuracy = 2e-6;
            assert!(
                estimate >= low(found) - accuracy && estimate <= high(found) + accuracy,
                "{estimate} {found:?} {:?}",
                case.mechanisms
            );
        };
        near(
            divergence(&one, &other).value,
            &case.compare(a, b, &Contrast::To),
        );
        let quadratic = Contrast::Weighted(Prior::u_quadratic());
        near(
            weighted_divergence(&one, &other, &Density::UQuadratic).value,
            &case.compare(a, b, &quadratic),
        );
    }
}
