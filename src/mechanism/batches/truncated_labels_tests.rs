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

/// Random ones, and what is drawn of the last label at least: nothing that is displaced is forgotten.
#[test]
fn random_masses_at_few_bits() {
    use crate::kernel::coarse::{Random, at_most_bits};
    let mut random = Random(33);
    let small = |random: &mut Random, most: u64| 1 + i64::try_from(random.below(most)).unwrap();
    for _ in 0..400 {
        let n = 2 + random.below(9);
        let cap = 1 + random.below(n - 1);
        let rate = q(small(&mut random, 31), 32);
        let exact = Chances::of(&rate, n, cap);
        for _ in 0..13 {
            let bits = 3 + u32::try_from(random.below(12)).unwrap();
            let chances = match random.once_in(4) {
                true => exact.clone(),
                false => at_most_bits(bits, || Chances::enclosed(&rate, n, cap)),
            };
            let noise = Noise::Gaussian {
                unit_squared: q(small(&mut random, 99), 20),
            };
            let factor = [1, 4][usize::from(random.once_in(2))];
            let Noise::Gaussian { unit_squared } = &noise else {
                panic!("Gaussian")
            };
            let power = Rational::from(unit_squared * factor);
            let most = Interval::from_rational(&power, 200).exp_m1();
            assert!(at_most_bits(bits, || excess(&noise, factor)) <= *most.hi());
            for relation in [Relation::Presence, Relation::ReplaceOne] {
                let share = at_most_bits(bits, || share_beside_last(&rate, &chances, &noise));
                assert!((0..=1).contains(&share), "{n} {cap} {share}");
                let of = at_most_bits(bits, || {
                    Labels::of(relation, &rate, &chances, share.clone())
                });
                let case = format!("{n} {cap} {rate} {bits} {relation:?}");
                assert!(of.last <= exact.last, "{case}");
                let all = Rational::from(&of.displacing + &of.far);
                // Or else all that is drawn of the last label.
                let is_drawn = of.last == 0 && all >= Rational::from(&rate * &exact.full);
                assert!(all >= exact.displacing || is_drawn, "{case}: {all}");
                assert!(of.displacing <= of.full && of.far <= of.full, "{case}");
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

/// What splits are chosen by, by the formulas: (p·q + w₁)²/p·X₁ + (w − w₁)²/a·X₄ and w₁²/p + w₁²/a.
#[test]
fn mean_squares_by_their_formulas() {
    let noise = Noise::Gaussian {
        unit_squared: q(1, 4),
    };
    let (one, four) = (excess(&noise, 1), excess(&noise, 4));
    let labels = Labels {
        rate: q(1, 5),
        last: q(1, 4),
        full: q(1, 8),
        displacing: q(1, 16),
        far: q(1, 32),
    };
    let near = (q(1, 4) * q(1, 5) + q(1, 16)).square() / q(1, 4) * &one;
    let far = q(1, 32).square() / q(1, 8) * &four;
    let told = q(1, 16).square() * (q(4, 1) + q(8, 1));
    assert_eq!(labels.square(&noise), near + far + told);
    // The share at which this is least: (w/a·X₄ − q·X₁)/(w/p·X₁ + w/a·X₄ + w/p + w/a), to few bits.
    let chances = Chances {
        last: q(1, 4),
        full: q(1, 8),
        displacing: q(1, 64),
        ..Chances::of(&q(1, 5), 10, 3)
    };
    let (w_p, w_a) = (q(1, 16), q(1, 8));
    let share = |rate: Rational| {
        let above = Rational::from(&w_a * &four) - rate * &one;
        let below = Rational::from(&w_p * &one) + Rational::from(&w_a * &four);
        above / (below + &w_p + &w_a)
    };
    let found = share_beside_last(&q(1, 5), &chances, &noise);
    let truth = share(q(1, 5));
    assert!(truth > 0 && truth < q(1, 2), "{truth}");
    assert!(found <= truth && found >= truth - q(1, 1 << 60), "{found}");
}
