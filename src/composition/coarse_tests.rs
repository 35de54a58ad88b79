//! Compositions of small pairs known exactly, when no rounding keeps more than a few bits.

use std::sync::Arc;

use rug::{Float, Rational};

use super::lattice::FiniteLattice;
use super::mixed::MixedProfile;
use super::vertex_mu::finite_mu;
use super::{LatticeLoss, TwoOrders, finite, two_steps};
use crate::kernel::coarse::{self, FINE, Place, Random, at_most_bits, few_bits};
use crate::kernel::{Accuracy, Budget, Interval, Point, Profile};
use crate::law::{Lattice, LeftEnd, Offset, Sampling, TailBudget};
use crate::mechanism::finite::{FiniteLaw, FiniteProfile};
use crate::mechanism::{finite_pair, randomized_response};
use crate::plan::PairPlan;

/// P- and Q-masses of outcomes, in units of 1/total each.
type Outcomes = Vec<(Rational, Rational)>;

fn pair(random: &mut Random) -> (Arc<FiniteLaw>, Outcomes) {
    loop {
        let count = 2 + random.below(3);
        let weights: Vec<[u64; 2]> = (0..count)
            .map(|_| [random.below(6), random.below(6)])
            .collect();
        let total = |k: usize| weights.iter().map(|w| w[k]).sum::<u64>();
        if total(0) == 0 || total(1) == 0 {
            continue;
        }
        let share = |k: usize| -> Vec<_> {
            weights
                .iter()
                .map(|w| Rational::from((w[k], total(k))))
                .collect()
        };
        let (p, q) = (share(0), share(1));
        if let Some(law) = finite_pair::law(&p, &q) {
            return (Arc::new(law), p.into_iter().zip(q).collect());
        }
    }
}

fn product(a: &Outcomes, b: &Outcomes) -> Outcomes {
    let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (x, y)));
    let times = |x: &Rational, y: &Rational| Rational::from(x * y);
    pairs
        .map(|(x, y)| (times(&x.0, &y.0), times(&x.1, &y.1)))
        .collect()
}

fn swapped(outcomes: &Outcomes) -> Outcomes {
    outcomes
        .iter()
        .map(|(p, q)| (q.clone(), p.clone()))
        .collect()
}

/// δ(u) = Σ (q − u·p)⁺, and the P-mass of what counts, at and above u.
fn truth(outcomes: &Outcomes, u: &Rational) -> (Rational, [Rational; 2]) {
    let mut found = (Rational::new(), [Rational::new(), Rational::new()]);
    for (p, q) in outcomes {
        let gain = q - Rational::from(u * p);
        if gain > 0 {
            found.1[0] += p;
        }
        if gain >= 0 {
            found.1[1] += p;
            found.0 += gain;
        }
    }
    found
}

/// The profile at u is about the exact one: from below, from above, or from both sides.
fn check(profile: &dyn Profile, outcomes: &Outcomes, u: &Rational, sides: [bool; 2], what: &str) {
    let (delta, tails) = truth(outcomes, u);
    for bits in [5, 9, 60] {
        let point = Point::at_exp_epsilon(u, bits);
        for found in [
            profile.at(&point),
            profile.at(&point.with_accuracy(Accuracy::Relative)),
            at_most_bits(bits, || profile.at(&Point::at_exp_epsilon(u, 150))),
        ] {
            let seen = &found.delta;
            assert!(
                !sides[0] || *seen.lo() <= delta,
                "{what}, {u}: {seen:?} {delta}"
            );
            assert!(
                !sides[1] || *seen.hi() >= delta,
                "{what}, {u}: {seen:?} {delta}"
            );
            let [below, above] = &tails;
            let tail = &found.null_tail;
            let meets = *tail.lo() <= *above && *tail.hi() >= *below;
            assert!(sides != [true; 2] || meets, "{what}, {u}: {tail:?} {below}");
        }
    }
}

fn places() -> impl Iterator<Item = Rational> {
    [
        (1, 9),
        (1, 2),
        (3, 4),
        (1, 1),
        (5, 4),
        (2, 1),
        (7, 2),
        (30, 1),
    ]
    .into_iter()
    .map(Rational::from)
}

/// One pair averaged over another, and the two composed at once, against enumeration.
#[test]
fn mixed_and_composed_pairs_are_enumerated_ones() {
    let mut random = Random(51);
    for _ in 0..crate::test_scale::cases(30) {
        let ((first, x), (second, y)) = (pair(&mut random), pair(&mut random));
        let outcomes = product(&x, &y);
        let other: Arc<dyn Profile> = Arc::new(FiniteProfile::new(Arc::clone(&second)));
        let mixed = MixedProfile::new(Arc::clone(&first), other);
        let factors = [(first, 1), (second, 1)];
        let law = finite::compose(&factors, &Budget::unlimited());
        let composed = FiniteProfile::new(Arc::new(law.unwrap().unwrap()));
        for u in places() {
            for (profile, outcomes) in [
                (&mixed as &dyn Profile, &outcomes),
                (&composed, &outcomes),
                (&*mixed.swapped(), &swapped(&outcomes)),
                (&*composed.swapped(), &swapped(&outcomes)),
            ] {
                check(profile, outcomes, &u, [true; 2], "both");
            }
        }
        let alone =
            |o: &Outcomes| -> Rational { o.iter().filter(|(p, _)| *p == 0).map(|(_, q)| q).sum() };
        for (profile, outcomes) in [
            (&mixed as &dyn Profile, &outcomes),
            (&*mixed.swapped(), &swapped(&outcomes)),
        ] {
            let infinite = alone(outcomes);
            assert!(profile.infinite_mass(6).contains(&infinite));
            assert_eq!(profile.exact_infinite_mass(), Some(infinite.clone()));
            for bits in [5, 12] {
                assert_eq!(coarse::ends_hold(profile, bits), Ok(()));
            }
            // Ends: the largest and the least ratio q/p of outcomes.
            let ratios = outcomes.iter().filter(|(p, q)| *p != 0 && *q != 0);
            let ratios: Vec<Rational> = ratios.map(|(p, q)| Rational::from(q / p)).collect();
            if let (Some(most), Some(least)) = (ratios.iter().max(), ratios.iter().min()) {
                for (end, ratio) in [(profile.max_loss(90), most), (profile.min_loss(90), least)] {
                    if let crate::kernel::LossBound::Finite { value, .. } = end {
                        let exact = Interval::from_rational(ratio, FINE).ln();
                        assert!(coarse::surrounds(&value, &exact), "{value:?} {exact:?}");
                    }
                }
                // What is given as exact is.
                for u in places().chain([Rational::from(most * 2u32)]) {
                    let exact = profile.exact_delta(&Point::at_exp_epsilon(&u, 90));
                    assert!(
                        exact.is_none_or(|exact| exact == truth(outcomes, &u).0),
                        "{u}"
                    );
                }
            }
        }
    }
}

/// The two averages lie on their sides of the exact composition, in both orders, from knots of few bits and many.
#[test]
fn averages_lie_on_their_sides() {
    let mut random = Random(52);
    for _ in 0..crate::test_scale::cases(20) {
        let ((first, x), (second, y)) = (pair(&mut random), pair(&mut random));
        let outcomes = product(&x, &y);
        let first = FiniteProfile::new(first);
        let second: Arc<dyn Profile> = Arc::new(FiniteProfile::new(second));
        let kept = few_bits(&mut random) + 4;
        let plan = PairPlan {
            lattice: Lattice::new(Offset::default(), Rational::from((1, 4))),
            indices: (-3..4).map(|i| i * 3 + i64::from(i > 0)).collect(),
            sampling: Sampling {
                bits: 120,
                first_bits: 120,
                accuracy: Accuracy::Relative,
                jobs: 1,
            },
            bits: [6, 40, 150][random.below(3) as usize],
        };
        let both = || two_steps(&first, &second, &plan, &Budget::unlimited()).unwrap();
        for both in [both(), at_most_bits(kept, both)] {
            for u in places() {
                let other = swapped(&outcomes);
                check(&*both.upper, &outcomes, &u, [false, true], "above");
                check(&*both.lower, &outcomes, &u, [true, false], "below");
                check(
                    &*both.upper.swapped(),
                    &other,
                    &u,
                    [false, true],
                    "above, swapped",
                );
                check(
                    &*both.lower.swapped(),
                    &other,
                    &u,
                    [true, false],
                    "below, swapped",
                );
            }
        }
        let both = both();
        for average in [&both.upper, &both.lower] {
            let back = average.swapped().swapped();
            for view in [average, &average.swapped(), &back] {
                assert_eq!(coarse::ends_hold(&**view, 6), Ok(()));
            }
            let ends = |p: &dyn Profile| format!("{:?} {:?}", p.max_loss(60), p.min_loss(60));
            assert_eq!(ends(&**average), ends(&*back));
            let place = Place::NearEpsilon(Rational::from((1, 3)));
            for view in [average, &average.swapped()] {
                assert_eq!(coarse::profile_holds(&**view, &place, kept, true), Ok(()));
            }
        }
    }
}

/// Each order answers for itself.
#[test]
fn two_orders_answer_for_themselves() {
    let response = |n, d| -> Arc<dyn Profile> {
        let law = randomized_response::law(&Rational::from((n, d)).into(), 2).unwrap();
        Arc::new(FiniteProfile::new(Arc::new(law)))
    };
    let (one, other) = (response(1, 2), response(3, 1));
    let both = TwoOrders::new(Arc::clone(&one), Arc::clone(&other));
    let shown = |p: &dyn Profile| {
        let at = p.at(&Point::at_epsilon(&Rational::from((1, 4)), 90));
        let ends = (p.max_loss(90), p.min_loss(90), p.infinite_mass(90));
        format!("{:?} {:?} {ends:?}", at.delta, at.null_tail)
    };
    assert_eq!(shown(&both), shown(&*one));
    assert_eq!(shown(&*both.swapped()), shown(&*other));
    assert_ne!(shown(&*one), shown(&*other));
}

/// The lattice of a pair the other way round: the losses with the other sign, and their P-masses.
#[test]
fn a_lattice_is_mirrored_with_its_masses() {
    let pair = crate::mechanism::Mechanism::profile(vec![
        (Rational::from((1, 2)), Rational::from((1, 4))),
        (Rational::from((3, 2)), Rational::from((1, 8))),
    ]);
    let profile = FiniteProfile::new(pair.unwrap().finite_law().unwrap().clone());
    let tail = TailBudget::new(Float::with_val(64, 1e-9), LeftEnd::BothMasses);
    for profile in [profile.clone(), profile.mirrored()] {
        let lattice = FiniteLattice::new(&profile).unwrap();
        let turned = lattice.swapped();
        assert_eq!(turned.step(), lattice.step());
        let (here, there) = (lattice.masses(&tail, 120), turned.masses(&tail, 120));
        let count = here.masses.len();
        assert_eq!(count, there.masses.len());
        let last = i64::try_from(count).unwrap() - 1;
        let end = lattice.offset() + lattice.step() * last;
        assert_eq!(turned.offset(), Rational::from(-&end));
        // P = e^{−L}·Q at the loss, which is the Q-mass of the pair the other way round.
        for (i, mass) in here.masses.iter().enumerate() {
            let place = Rational::from(i) * lattice.step() + lattice.offset();
            let p = mass.mul(&Interval::from_rational(&place, 120).neg().exp());
            let found = &there.masses[count - 1 - i];
            assert!(coarse::surrounds(found, &p), "{i}: {found:?} {p:?}");
            assert_eq!(found.is_zero(), mass.is_zero());
        }
        // The profile at the ends, from the masses.
        let sum = |masses: &[Interval]| masses.iter().fold(Interval::zero(120), |s, m| s.add(m));
        let whole = sum(&here.masses).add(&here.infinite);
        assert!(whole.contains(&Rational::from(1)));
        assert!(coarse::surrounds(&here.above, &here.infinite));
    }
}

/// μ* of a finite law at few bits surrounds itself at many.
#[test]
fn strict_mu_at_few_bits() {
    let mut random = Random(53);
    for _ in 0..60 {
        let (law, outcomes) = pair(&mut random);
        if outcomes.iter().any(|(p, q)| (*p == 0) != (*q == 0)) {
            continue;
        }
        let fine = finite_mu(&law, FINE);
        for bits in [4, 7, 11] {
            for coarse in [
                finite_mu(&law, bits),
                at_most_bits(bits, || finite_mu(&law, 90)),
            ] {
                assert!(
                    coarse::surrounds(&coarse, &fine),
                    "{bits}: {coarse:?} {fine:?}"
                );
            }
        }
    }
}

/// The search over vertices at few bits is about the largest of all that a look at each finds.
#[test]
fn no_vertex_is_passed_over() {
    let mut random = Random(54);
    for round in 0..12u32 {
        let law = loop {
            let (law, outcomes) = pair(&mut random);
            if outcomes.iter().all(|(p, q)| (*p == 0) == (*q == 0)) {
                break law;
            }
        };
        let law = finite::compose(&[(law, 2 + u64::from(round % 4))], &Budget::unlimited());
        let law = law.unwrap().unwrap();
        let numbers = law.numbers(200);
        let sum = |masses: &[Interval]| masses.iter().fold(Interval::zero(200), |s, m| s.add(m));
        let each = (1..law.len()).map(|j| {
            let (alpha, beta) = (sum(&numbers.without[j..]), sum(&numbers.with[..j]));
            let z = crate::kernel::normal::survival_inverse;
            z(&alpha.in_unit()).add(&z(&beta.in_unit()))
        });
        let most = each.reduce(|a, b| a.max(&b));
        let most = most.map_or_else(|| Interval::zero(200), |most| most.at_least_zero());
        for bits in [5, 8, 12, 90] {
            for found in [
                finite_mu(&law, bits),
                at_most_bits(bits, || finite_mu(&law, 90)),
            ] {
                assert!(
                    coarse::surrounds(&found, &most),
                    "{bits}: {found:?} {most:?}"
                );
            }
        }
    }
}
