//! Groups of records under guarantees.

use rug::Rational;
use rug::ops::Pow;

use crate::kernel::Point;
use crate::kernel::coarse::{Random, at_most_bits};
use crate::mechanism::{Mechanism, Relation, Step, Steps};
use crate::test_scale::cases;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

type Law = Vec<Rational>;

fn log(u: &Rational) -> crate::mechanism::Epsilon {
    crate::mechanism::Epsilon::log_of(u.clone()).unwrap()
}

fn group(records: u64, of: Mechanism) -> Steps {
    Mechanism::group(records, of).unwrap().steps().clone()
}

/// δ(u) as an exact number, or its lower end.
fn delta_of(steps: &Steps, u: &Rational) -> Rational {
    let [(step, 1)] = steps.list() else {
        panic!("{steps:?}");
    };
    let profile = step.profile().unwrap();
    let point = Point::at_exp_epsilon(u, 200);
    profile
        .exact_delta(&point)
        .unwrap_or_else(|| profile.at(&point).delta.lo().to_rational().unwrap())
}

/// sup_A Q(A) − u·P(A).
fn delta(u: &Rational, p: &Law, with: &Law) -> Rational {
    let pairs = p.iter().zip(with);
    let gains = pairs.map(|(p, with)| with - Rational::from(u * p));
    gains.filter(|gain| *gain > 0).sum()
}

fn law(random: &mut Random) -> Law {
    let weights: Vec<u64> = (0..3).map(|_| random.below(12)).collect();
    let total: u64 = weights.iter().sum();
    let share = |weight| Rational::from((weight, total.max(1)));
    let mut law: Law = weights.into_iter().map(share).collect();
    if total == 0 {
        law[0] = q(1, 1);
    }
    law
}

/// Laws of which each two neighbours are (log u, δ)-close in both orders.
fn chain(random: &mut Random, length: usize, u: &Rational, at_most: &Rational) -> Vec<Law> {
    let mut chain = vec![law(random)];
    while chain.len() <= length {
        let last = &chain[chain.len() - 1];
        let next = (0..200)
            .map(|_| law(random))
            .find(|next| delta(u, last, next) <= *at_most && delta(u, next, last) <= *at_most);
        let next = next.unwrap_or_else(|| last.clone());
        chain.push(next);
    }
    chain
}

const LEVELS: [(i64, i64); 10] = [
    (1, 5),
    (2, 3),
    (1, 1),
    (5, 4),
    (3, 2),
    (2, 1),
    (3, 1),
    (9, 2),
    (8, 1),
    (27, 1),
];

/// No chain of neighbours is above the group.
#[test]
fn random_chains_stay_below() {
    let mut random = Random(3);
    let mut changed = 0;
    for _ in 0..cases(500) {
        let u = [q(3, 2), q(2, 1), q(3, 1)][usize::try_from(random.below(3)).unwrap()].clone();
        let at_most =
            [q(0, 1), q(1, 20), q(1, 6)][usize::try_from(random.below(3)).unwrap()].clone();
        let records = 2 + random.below(3);
        let one = match at_most == 0 {
            true => Mechanism::pure_dp(log(&u)),
            false => Mechanism::approx_dp(log(&u), at_most.clone()),
        };
        let bound = group(records, one.unwrap()).most();
        let chain = chain(&mut random, usize::try_from(records).unwrap(), &u, &at_most);
        let (first, last) = (&chain[0], &chain[chain.len() - 1]);
        changed += usize::from(first != last);
        for level in LEVELS {
            let level = Rational::from(level);
            for (p, with) in [(first, last), (last, first)] {
                let truth = delta(&level, p, with);
                let most = delta_of(&bound, &level);
                assert!(
                    truth <= most,
                    "{u} {at_most} {records} {level}: {truth} > {most}"
                );
            }
        }
    }
    assert!(changed > 250);
}

/// Chances of one answer that grow as fast as neighbours may: the smallest of three lines, again and again.
#[test]
fn chances_that_grow_as_fast_as_they_may() {
    let (u, records) = (q(2, 1), 4u32);
    for (at_most, is_exact) in [(q(0, 1), true), (q(1, 100), false)] {
        let one = match is_exact {
            true => Mechanism::pure_dp(log(&u)),
            false => Mechanism::approx_dp(log(&u), at_most.clone()),
        };
        let steps = group(u64::from(records), one.unwrap());
        assert!(!steps.is_bound());
        let next = |x: &Rational| {
            let rest = Rational::from(1 - &at_most) - x;
            let lines = [
                Rational::from(&u * x) + &at_most,
                1 - rest / &u,
                Rational::from(1),
            ];
            lines.into_iter().min().unwrap()
        };
        for (slope, level) in [(4u32, q(16, 1)), (2, q(4, 1)), (0, q(1, 1))] {
            let most = delta_of(&steps.most(), &level);
            let mut best = Rational::new();
            for start in 0..400u32 {
                let start = Rational::from((start, 400u32));
                let end = (0..records).fold(start.clone(), |x, _| next(&x));
                let pair = |x: &Rational| vec![x.clone(), Rational::from(1 - x)];
                best = best.max(delta(&level, &pair(&start), &pair(&end)));
            }
            assert!(best <= most, "{slope}: {best} > {most}");
            // On the grid of chances the largest is found.
            assert!(
                Rational::from(&most - &best) < q(1, 1_000_000),
                "{slope}: {best} {most}"
            );
        }
        // 1 − 2^−b where b of the four steps are on the second line.
        if is_exact {
            for (b, level) in [(0i64, q(16, 1)), (1, q(4, 1)), (2, q(1, 1))] {
                assert_eq!(delta_of(&steps, &level), 1 - q(1, 1 << b));
            }
        }
        for level in LEVELS {
            let level = Rational::from(level);
            for member in steps.members() {
                assert!(
                    delta_of(member, &level) <= delta_of(&steps.most(), &level),
                    "{level}"
                );
            }
        }
    }
}

/// A number ε and e^ε as a number say the same, as far as the one is near the other.
#[test]
fn either_name_of_epsilon() {
    // e^(log 2) to 13 digits, from below.
    let near = q(6_931_471_805_599, 10_000_000_000_000);
    for at_most in [q(0, 1), q(1, 50)] {
        let one = |epsilon| match at_most == 0 {
            true => Mechanism::pure_dp(epsilon).unwrap(),
            false => Mechanism::approx_dp(epsilon, at_most.clone()).unwrap(),
        };
        let exact = group(3, one(log(&q(2, 1))));
        let number = group(3, one(near.clone().into()));
        for level in LEVELS {
            let level = Rational::from(level);
            let (a, b) = (
                delta_of(&exact.most(), &level),
                delta_of(&number.most(), &level),
            );
            assert!(
                b <= a && Rational::from(&a - &b) < q(1, 100_000_000_000),
                "{level}: {a} {b}"
            );
        }
    }
}

#[test]
fn small_groups_and_edges() {
    let pure = Mechanism::pure_dp(q(1, 1)).unwrap();
    let approx = Mechanism::approx_dp(q(1, 1), q(1, 10)).unwrap();
    for of in [&pure, &approx] {
        assert_eq!(group(1, of.clone()), of.steps().clone());
    }
    assert!(!group(20_000, pure.clone()).is_bound());
    assert!(Mechanism::group(257, approx.clone()).is_err());
    assert!(Mechanism::group(200, Mechanism::approx_dp(q(1000, 1), q(1, 10)).unwrap()).is_err());
    // Nothing is left of a δ of 1/2 for two.
    let all = group(2, Mechanism::approx_dp(q(1, 1), q(1, 2)).unwrap()).most();
    assert_eq!(delta_of(&all, &q(100, 1)), 1);
    for of in [
        Mechanism::approx_dp(q(0, 1), q(1, 10)),
        Mechanism::approx_dp(log(&q(1, 1)), q(1, 10)),
    ] {
        let all = group(3, of.unwrap());
        assert_eq!(delta_of(&all.most(), &q(1, 1)), q(3, 10));
        assert!(delta_of(&all.most(), &q(5, 1)) <= q(3, 10));
    }
    let nothing = group(3, Mechanism::pure_dp(q(0, 1)).unwrap());
    assert_eq!(delta_of(&nothing, &q(1, 1)), 0);
}

/// A record added and another one removed is no group, and that is said; where records are exchanged any of them may be in either order.
#[test]
fn groups_are_all_there_or_not() {
    let pair = || Mechanism::finite(vec![q(7, 10), q(3, 10)], vec![q(0, 1), q(1, 1)]).unwrap();
    let together = |records: u64, relation: Relation| {
        let of = Mechanism::group(records, pair()).unwrap();
        of.under(relation).unwrap().steps().conditions().together
    };
    assert!(together(2, Relation::Presence) && together(2, Relation::ReplaceSpecial));
    assert!(!together(1, Relation::Presence) && !together(2, Relation::ReplaceOne));
}

/// Parts of a composition and of a mixture have groups of their own; ρ grows with the square.
#[test]
fn groups_of_compositions_and_mixtures() {
    let pure = Mechanism::pure_dp(q(1, 2)).unwrap();
    let zcdp = Mechanism::zcdp(q(1, 10)).unwrap();
    let laplace = Mechanism::laplace_sum(q(1, 1), q(1, 1)).unwrap();
    let all = Mechanism::compose(vec![(pure.clone(), 2), (laplace.clone(), 1)]).unwrap();
    let found = group(3, all);
    let parts = [group(3, pure.clone()), group(3, laplace.clone())];
    assert_eq!(
        found,
        Steps::composed([(&parts[0], 2), (&parts[1], 1)]).unwrap()
    );
    let mixture = Mechanism::mixture(vec![(q(1, 3), pure), (q(2, 3), laplace)]).unwrap();
    let [a, b] = parts;
    assert_eq!(
        group(3, mixture),
        Steps::labelled(vec![(q(1, 3), a), (q(2, 3), b)])
    );
    let found = group(3, zcdp);
    assert!(matches!(found.list(), [(Step::Zcdp { rho }, 1)] if *rho == q(9, 10)));
    let gaussian = Mechanism::gaussian_with_mu_squared(q(1, 5)).unwrap();
    assert_eq!(found.members(), &[group(3, gaussian)]);
}

/// Corners of a group at few bits are no narrower than they are in truth.
#[test]
fn points_of_a_group_at_few_bits() {
    let epsilon = crate::mechanism::Epsilon::from(q(1, 3));
    for records in [1, 2, 3, 5] {
        for delta in [q(0, 1), q(1, 100), q(1, 9)] {
            let fine = super::guarantee::points(&epsilon, &delta, records).unwrap();
            for corner in &fine {
                let width = Rational::from(&corner.delta_up - &corner.delta_down);
                assert!(width >= 0 && width < q(1, 1 << 60));
            }
            for bits in [4, 6, 10] {
                let coarse =
                    at_most_bits(bits, || super::guarantee::points(&epsilon, &delta, records));
                for found in coarse.unwrap() {
                    let truth = fine.iter().find(|corner| corner.epsilon == found.epsilon);
                    let (low, high) = truth.map_or((q(1, 1), q(1, 1)), |corner| {
                        (corner.delta_down.clone(), corner.delta_up.clone())
                    });
                    assert!(found.delta_up >= low, "{records} {delta} {bits}");
                    assert!(found.delta_down <= high, "{records} {delta} {bits}");
                }
            }
        }
    }
}

/// sup over the places, of a group's steps on a sample, of the levels in [`LEVELS`], in both orders.
fn is_same_profile(one: &Steps, other: &Steps, apart: &Rational) {
    for level in LEVELS {
        let level = Rational::from(level);
        let (a, b) = (delta_of(one, &level), delta_of(other, &level));
        let difference = Rational::from(&a - &b).abs();
        assert!(difference <= *apart, "{level}: {a} {b}");
    }
}

/// On a sample: a rational e^ε as a pair, a number ε near it as noise or as two bounds; and a pair for the guarantee.
#[test]
fn either_name_of_epsilon_on_a_sample() {
    let near = q(6_931_471_805_599, 10_000_000_000_000);
    let sampled = |of: Mechanism| group(3, Mechanism::subsampled(q(1, 4), of).unwrap());
    for at_most in [q(0, 1), q(1, 50)] {
        let exact = sampled(Mechanism::approx_dp(log(&q(2, 1)), at_most.clone()).unwrap());
        let number = sampled(Mechanism::approx_dp(near.clone(), at_most.clone()).unwrap());
        assert!(!exact.is_bound());
        assert_eq!(number.is_bound(), at_most != 0);
        is_same_profile(&exact, &number.most(), &q(1, 100_000_000_000));
        for member in number.members() {
            is_same_profile(member, &number.most(), &q(1, 1 << 50));
            for level in LEVELS {
                let level = Rational::from(level);
                assert!(delta_of(member, &level) <= delta_of(&number.most(), &level));
            }
        }
        // The three outcomes of the guarantee's own pair.
        let rest = Rational::from(1 - &at_most);
        let law: Law = vec![
            at_most.clone(),
            rest.clone() * q(2, 3),
            rest * q(1, 3),
            q(0, 1),
        ];
        let turned = law.iter().rev().cloned().collect();
        let pair = sampled(Mechanism::finite(turned, law).unwrap());
        is_same_profile(&exact, &pair, &q(0, 1));
        assert!(exact.conditions().poisson_sampling && exact.conditions().guarantee);
    }
    let pure = sampled(Mechanism::pure_dp(log(&q(2, 1))).unwrap());
    let noise = sampled(Mechanism::pure_dp(near).unwrap());
    is_same_profile(&pure, &noise, &q(1, 100_000_000_000));
}

/// A guarantee with a number ε on a sample, at few bits: the bound is not below what it is in truth, nor the member above it.
#[test]
fn a_sampled_group_at_few_bits() {
    let (epsilon, rate) = (crate::mechanism::Epsilon::from(q(1, 3)), q(1, 4));
    for at_most in [q(1, 100), q(1, 9)] {
        let of = || super::of_approx_dp_on_sample(&epsilon, &at_most, 3, &rate).unwrap();
        let fine = of();
        for bits in [4, 6, 10] {
            let coarse = at_most_bits(bits, of);
            for level in LEVELS {
                let level = Rational::from(level);
                let most = delta_of(&coarse.most(), &level);
                assert!(most >= delta_of(&fine.most(), &level), "{bits} {level}");
                for (member, truth) in coarse.members().iter().zip(fine.members()) {
                    let least = delta_of(member, &level);
                    assert!(least <= delta_of(truth, &level), "{bits} {level}");
                }
            }
        }
    }
}

/// A record that may change in either direction: of an asymmetric pair a bound and a member, of one that is its own mirror image one answer.
#[test]
fn groups_of_pairs_under_each_relation() {
    use crate::mechanism::Relation;
    let of =
        |p: &[Rational], with: &[Rational], relation| super::of_pair(p, with, 2, relation).unwrap();
    let (p, with) = ([q(1, 2), q(1, 2)], [q(1, 4), q(3, 4)]);
    for relation in [Relation::Presence, Relation::ReplaceSpecial] {
        // F(m) = min(3m/2, 1/2 + m/2), which takes 1/3 to 1/2 and 1/2 to 3/4; that is where the gain is largest.
        let steps = of(&p, &with, relation);
        assert!(!steps.is_bound());
        assert_eq!(delta_of(&steps, &q(1, 1)), q(5, 12));
    }
    let replaced = of(&p, &with, Relation::ReplaceOne);
    assert_eq!(replaced.members(), &[of(&p, &with, Relation::Presence)]);
    assert!(delta_of(&replaced.most(), &q(1, 1)) >= q(5, 12));
    let (p, with) = ([q(1, 3), q(2, 3)], [q(2, 3), q(1, 3)]);
    assert_eq!(
        of(&p, &with, Relation::ReplaceOne),
        of(&p, &with, Relation::Presence)
    );
}

/// What would be too long to be written out is refused at once.
#[test]
fn long_groups_are_refused() {
    let small = Mechanism::finite(vec![q(1, 2), q(1, 2)], vec![q(1, 4), q(3, 4)]).unwrap();
    assert!(Mechanism::group(64, small.clone()).is_ok());
    let digits: Rational = Rational::from((1, 3)).pow(20_000);
    let long = vec![digits.clone(), 1 - digits];
    let turned = long.iter().rev().cloned().collect();
    let long = Mechanism::finite(long, turned).unwrap();
    for of in [long.clone(), Mechanism::subsampled(q(1, 2), long).unwrap()] {
        assert!(Mechanism::group(20, of).is_err());
    }
    let rate: Rational = Rational::from((1, 3)).pow(20_000);
    let sampled = Mechanism::subsampled(rate, small.clone()).unwrap();
    assert!(Mechanism::group(200, sampled).is_err());
    let sampled = Mechanism::subsampled(q(1, 2), small).unwrap();
    assert!(Mechanism::group(u64::MAX, sampled).is_err());
    let pure = Mechanism::subsampled(q(1, 2), Mechanism::pure_dp(q(1, 1)).unwrap()).unwrap();
    assert!(Mechanism::group(300, pure).is_err());
    let responses = Mechanism::randomized_response(q(1, 1), 2).unwrap();
    assert!(Mechanism::group(2, responses).is_err());
}
