//! Steps with finitely many losses, against the probability vectors they are made of: which of the two is P.

use super::*;
use crate::kernel::Point;
use crate::mechanism::allocation::scores::Compared;
use crate::mechanism::polygon::Vectors;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn delta_of((p, with): &Vectors, u: &Rational) -> Rational {
    let gains = p.iter().zip(with);
    let gains = gains.map(|(p, with)| with - Rational::from(u * p));
    gains.filter(|gain| *gain > 0).sum()
}

#[test]
fn vectors_are_not_exchanged() {
    let of = |vectors: &[i64]| -> Vec<Rational> { vectors.iter().map(|n| q(*n, 10)).collect() };
    let pair: Vectors = (of(&[5, 3, 2]), of(&[7, 2, 1]));
    let two: Vectors = (of(&[4, 6]), of(&[7, 3]));
    let others = PickedOthers::new(&q(1, 5), &q(1, 4), 2).unwrap();
    let opposite = OppositeOthers::new(&q(1, 2), &q(1, 1)).unwrap();
    let [scores, _] = Scores::of(&q(1, 1), 3, 1, Compared::Absent);
    let bound = ShuffledBound::SameValue {
        users: 4,
        odds: q(3, 1),
    };
    let all = [
        (
            pair.clone(),
            FiniteLosses::Pair {
                p: pair.0.into(),
                q: pair.1.into(),
            },
        ),
        (
            two.clone(),
            FiniteLosses::TwoOutcomes {
                p: two.0[0].clone(),
                q: two.1[0].clone(),
            },
        ),
        (
            largest_answer(&q(1, 1), 3, 0, 2),
            FiniteLosses::LargestAnswer {
                sigma: q(1, 1),
                answers: 3,
                without: 0,
            },
        ),
        (others.pair(), FiniteLosses::PickedOthers(others)),
        (opposite.pair(), FiniteLosses::OppositeOthers(opposite)),
        (scores.pair().unwrap(), FiniteLosses::Scores(scores)),
        (
            bound.pair().unwrap(),
            FiniteLosses::Shuffled(Arc::new(bound)),
        ),
    ];
    for (vectors, losses) in all {
        let law = losses.law().unwrap();
        let profile = FiniteProfile::new(law);
        let turned = (vectors.1.clone(), vectors.0.clone());
        let mut apart = false;
        for u in [q(1, 2), q(9, 10), q(11, 10), q(5, 4), q(3, 2)] {
            let truth = delta_of(&vectors, &u);
            let found = profile.at(&Point::at_exp_epsilon(&u, 100)).delta;
            assert!(found.contains(&truth), "{losses:?} {u}: {found:?}");
            apart |= !found.contains(&delta_of(&turned, &u));
        }
        assert!(apart, "{losses:?}");
    }
}

/// Where both are shifted by the same, nothing is between them, and noise on the integers has no such pair.
#[test]
fn shifts_that_are_equal() {
    let noise = Noise::DiscreteGaussian {
        sigma: q(2, 1),
        unit: 1,
    };
    let pair = ShiftedNoise::new(noise.clone(), Shifts::none(), Shifts::none());
    assert_eq!(Step::farthest(&pair), None);
    let once = Shifts::sampled(&q(1, 1));
    let apart = ShiftedNoise::new(noise, Shifts::none(), once);
    let one = Step::DiscreteGaussian {
        sigma: q(2, 1),
        sensitivity: 1,
    };
    assert_eq!(Step::farthest(&apart), Some(one));
}
