//! The bounds of shuffled batches against the datasets below them and against other ways to draw batches.

use rug::Rational;

use crate::kernel::Point;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::{Mechanism, Steps};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// δ at u in the order stated, and in the other one.
fn delta(steps: &Steps, u: &Rational) -> [(f64, f64); 2] {
    let profile = steps.single().unwrap().profile().unwrap();
    [profile.clone(), profile.swapped()].map(|profile| {
        let delta = profile.at(&Point::at_exp_epsilon(u, 72)).delta;
        (delta.lo().to_f64(), delta.hi().to_f64())
    })
}

/// One epoch: each dataset below the bound is below it, in both orders, and one is not far from it somewhere.
#[test]
fn datasets_are_below_the_bound() {
    for (number, (sigma, steps)) in [(q(7, 10), 50u64), (q(3, 1), 4)].into_iter().enumerate() {
        let all = Mechanism::shuffled_batches(sigma.clone(), steps, 1).unwrap();
        let relations = [
            Relation::Presence,
            Relation::ReplaceSpecial,
            Relation::ReplaceOne,
        ];
        for (place, relation) in relations.into_iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 4) {
                continue;
            }
            let all = all.under(relation).unwrap();
            let most = all.steps().most();
            assert_eq!(all.steps().members().len(), 4);
            let mut closest = 0f64;
            for u in [q(1, 2), q(1, 1), q(3, 2), q(4, 1), q(50, 1)] {
                let above = delta(&most, &u);
                for member in all.steps().members() {
                    for (below, above) in delta(member, &u).iter().zip(&above) {
                        assert!(below.0 <= above.1, "{relation:?} {sigma} {u}");
                        closest = closest.max(below.1 / above.0);
                    }
                }
            }
            assert!(closest > 0.2, "{relation:?} {sigma}: {closest}");
        }
    }
}

/// Others that contribute nothing make shuffling an allocation at random: what that reveals at least is no more than what shuffling does at most.
#[test]
fn an_allocation_at_random_is_a_dataset() {
    let gaussian = Mechanism::gaussian(1, 1).unwrap();
    let allocated = Mechanism::random_allocation(6, 1, 1, gaussian).unwrap();
    let shuffled = Mechanism::shuffled_batches(1, 6, 1).unwrap();
    let most = shuffled.steps().most();
    for u in [q(4, 5), q(1, 1), q(3, 2), q(6, 1)] {
        let (below, above) = (delta(allocated.steps(), &u), delta(&most, &u));
        assert!(below.iter().zip(&above).all(|(a, b)| a.0 <= b.1), "{u}");
    }
}
