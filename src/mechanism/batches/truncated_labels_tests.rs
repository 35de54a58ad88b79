//! The masses of all labels.

use super::*;
use crate::mechanism::closed::ClosedPair;

/// Probabilities of all labels add up to 1 on either side, and no part is below 0, also where they are known to a few bits only.
#[test]
fn masses_of_all_labels() {
    use crate::kernel::coarse::at_most_bits;
    let noises = [q(1, 4), q(1, 1), q(4, 1)];
    for (n, cap, rate) in [
        (10u64, 3u64, q(1, 4)),
        (10, 3, q(9, 10)),
        (40, 30, q(3, 4)),
        (6, 6, q(1, 2)),
        (1_000_000, 1_100, q(1, 1_000)),
        (1_000_000, 2, q(1, 1_000)),
    ] {
        let chances = Chances::of(&rate, n, cap);
        for unit_squared in &noises {
            let noise = Noise::Gaussian {
                unit_squared: unit_squared.clone(),
            };
            let share = share_beside_last(&rate, &chances, &noise);
            assert!((0..=1).contains(&share), "{n} {cap} {share}");
            for relation in [Relation::Presence, Relation::ReplaceOne] {
                for bits in [4, 7, 100] {
                    let labels = at_most_bits(bits, || {
                        let share = share_beside_last(&rate, &chances, &noise);
                        Labels::of(relation, &rate, &chances, share)
                    });
                    assert!(labels.displacing >= 0 && labels.far >= 0 && labels.last >= 0);
                    assert!(labels.displacing <= labels.full);
                    let steps = labels.steps(relation, &noise).unwrap();
                    if let Some(Step::Closed(ClosedPair::InformativeLabel(of))) = steps.single() {
                        let without = of.parts().iter().map(|part| &part.without);
                        assert_eq!(without.sum::<Rational>(), 1, "{n} {cap}");
                        let with = of.parts().iter().map(|part| &part.with);
                        assert_eq!(with.sum::<Rational>(), 1, "{n} {cap}");
                    }
                }
            }
        }
    }
}

/// Under the last label something is left on both sides.
#[test]
fn the_last_label_has_a_mass() {
    let noise = Noise::Gaussian {
        unit_squared: q(1, 4),
    };
    for displacing in [q(1, 10), q(1, 8)] {
        let chances = Chances {
            full: q(1, 8),
            full_upper: q(1, 4),
            displacing: displacing.clone(),
            displacing_upper: displacing,
            ..Chances::of(&q(1, 4), 10, 3)
        };
        let share = share_beside_last(&q(1, 4), &chances, &noise);
        let labels = Labels::of(Relation::Presence, &q(1, 4), &chances, share);
        assert!(labels.displacing < labels.full && labels.far <= labels.full);
    }
}

/// A record that is there or not moves a sum in one order of the pair; where it may take the place of another one, the larger of both orders counts.
#[test]
fn both_orders_only_where_records_are_replaced() {
    let noise = Noise::Gaussian {
        unit_squared: q(1, 1),
    };
    let step = |moves: Moves| moves.step(&noise).unwrap();
    let is_envelope = |step: &Step| matches!(step, Step::Closed(_));
    for rate in [q(1, 4), q(1, 1)] {
        for relation in [Relation::Presence, Relation::ReplaceSpecial] {
            assert!(!is_envelope(&step(Moves::sampled(relation, &rate))));
        }
        assert!(!is_envelope(&step(Moves::displacing(
            Relation::Presence,
            &rate
        ))));
        let both = step(Moves::displacing(Relation::ReplaceOne, &rate));
        assert_eq!(is_envelope(&both), rate < 1);
    }
}
