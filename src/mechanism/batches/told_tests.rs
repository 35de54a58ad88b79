//! Others that tell the size of their batch, by quadrature in the plane.

use super::*;
use crate::kernel::Point;
use crate::mechanism::closed::{ClosedPair, RatesByLabel};
use crate::mechanism::step::Step;
use crate::mechanism::{Mechanism, conditions::Conditions};
use crate::test_scale::{every, is_asked};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// The pair of labels, its lower end of δ at u.
fn delta(labels: Vec<(Rational, Rational)>, square: &Rational, u: &Rational) -> f64 {
    let noise = Mechanism::gaussian_with_mu_squared(square.clone()).unwrap();
    let pair = RatesByLabel::new(noise.steps().clone(), labels).unwrap();
    let step = Step::Closed(ClosedPair::from(pair));
    let steps = crate::mechanism::steps::Steps::one(step, Conditions::NONE);
    let profile = steps.single().unwrap().profile().unwrap();
    profile
        .at(&Point::at_exp_epsilon(u, 200))
        .delta
        .lo()
        .to_f64()
}

/// Σ over the plane of (Q − u·P)⁺, with the batches of `cap` of `others` = y and one x at a right angle, by definition.
fn by_quadrature(others: u32, cap: u32, rate: f64, mu: f64, u: f64) -> f64 {
    const STEP: f64 = 0.04;
    let choose = |k: u32| (0..k).fold(1.0, |c, i| c * f64::from(others - i) / f64::from(i + 1));
    let mass = |k: u32| choose(k) * rate.powi(k as i32) * (1.0 - rate).powi((others - k) as i32);
    // Numbers of y and of x in the batch.
    let mut without = std::collections::BTreeMap::new();
    let mut with = without.clone();
    for k in 0..=others {
        let p = mass(k);
        *without.entry((k.min(cap), 0u32)).or_insert(0.0) += p;
        *with.entry((k.min(cap), 0)).or_insert(0.0) += p * (1.0 - rate);
        let stays = if k < cap {
            1.0
        } else {
            f64::from(cap) / f64::from(k + 1)
        };
        let beside = if k < cap { k } else { cap - 1 };
        *with.entry((beside, 1)).or_insert(0.0) += p * rate * stays;
        *with.entry((k.min(cap), 0)).or_insert(0.0) += p * rate * (1.0 - stays);
    }
    let density = |law: &std::collections::BTreeMap<(u32, u32), f64>, s: f64, t: f64| -> f64 {
        let one = |((k, x), p): (&(u32, u32), &f64)| {
            let (a, b) = (s - f64::from(*k) * mu, t - f64::from(*x) * mu);
            p * (-(a * a + b * b) / 2.0).exp()
        };
        law.iter().map(one).sum()
    };
    let far = f64::from(cap) * mu + 7.0;
    let (rows, columns) = (((far + 7.0) / STEP) as u32, ((mu + 14.0) / STEP) as u32);
    let mut sum = 0.0;
    for i in 0..rows {
        let s = -7.0 + f64::from(i) * STEP;
        for j in 0..columns {
            let t = -7.0 + f64::from(j) * STEP;
            sum += (density(&with, s, t) - u * density(&without, s, t)).max(0.0);
        }
    }
    sum * STEP * STEP / std::f64::consts::TAU
}

/// Below what these others attain, in both halves, and above others that contribute nothing where it says more.
#[test]
fn no_more_than_these_others_attain() {
    let mut more = 0;
    let all = [
        (9u32, 4u32, q(2, 1), q(1, 4)),
        (9, 3, q(1, 2), q(1, 4)),
        (14, 6, q(4, 1), q(1, 4)),
        // Next to B more answers come from the record than there are without it.
        (9, 4, q(4, 1), q(1, 2)),
    ];
    for (number, (others, cap, square, rate)) in all.into_iter().enumerate() {
        let n = u64::from(others) + 1;
        let chances = Chances::of(&rate, n, cap.into());
        let labels = labels(&rate, n, cap.into(), &chances, &square).unwrap();
        let all: Rational = labels.iter().map(|(weight, _)| weight).sum();
        assert_eq!(all, 1);
        let mean: Rational = labels.iter().map(|(w, r)| Rational::from(w * r)).sum();
        let truth = Rational::from(1 - &chances.full) * &rate + &chances.displacing;
        assert!(mean <= truth && labels.iter().all(|(_, rate)| *rate <= 1));
        assert!(labels.iter().skip(1).all(|(_, rate)| *rate > labels[0].1));
        let plain = vec![(q(1, 1), truth)];
        let places = [
            q(1, 2),
            q(9, 10),
            q(1, 1),
            q(11, 10),
            q(3, 2),
            q(5, 2),
            q(6, 1),
        ];
        for (place, u) in places.into_iter().enumerate() {
            if !is_asked(number + place, 6) {
                continue;
            }
            let of = by_quadrature(
                others,
                cap,
                rate.to_f64(),
                square.to_f64().sqrt(),
                u.to_f64(),
            );
            let found = delta(labels.clone(), &square, &u);
            assert!(found <= of + 3e-4, "{others} {cap} {u}: {found} {of}");
            let plain = delta(plain.clone(), &square, &u);
            assert!(
                rate > q(1, 4) || found >= plain * 0.98,
                "{others} {cap} {u}: {found} {plain}"
            );
            more += u32::from(found > plain * 1.01);
        }
    }
    let least = if every(6) == 1 { 4 } else { 1 };
    assert!(more >= least, "{more}");
}

/// 10^9 records, 1000 a batch, at most 1100, σ = 0.614: δ of this dataset by quadrature (scipy), and of Poisson sampling.
#[test]
fn a_large_dataset() {
    let rate = q(1, 1_000_000);
    let chances = Chances::of(&rate, 1_000_000_000, 1_100);
    let square = q(1_000_000, 614 * 614);
    let labels = labels(&rate, 1_000_000_000, 1_100, &chances, &square).unwrap();
    for (epsilon, truth, poisson) in [
        (0.001f64, 9.116_292e-11, 9.037_377e-11),
        (0.0414, 1.148_138e-15, 1.095_883e-15),
        (0.1, 3.486_163e-17, 3.250_229e-17),
        (0.3, 2.230_726e-19, 1.979_306e-19),
    ] {
        let u = Rational::from_f64(epsilon.exp()).unwrap();
        let found = delta(labels.clone(), &square, &u);
        assert!(
            found < truth && found > poisson + 0.7 * (truth - poisson),
            "{epsilon}: {found:e}"
        );
    }
}

#[test]
fn nothing_where_it_would_say_nothing() {
    let rate = q(1, 1_000_000);
    let none = |cap: u64, square: Rational| {
        let chances = Chances::of(&rate, 1_000_000_000, cap);
        labels(&rate, 1_000_000_000, cap, &chances, &square).is_none()
    };
    assert!(none(1_400, q(1, 1)) && none(1_100, q(1, 100)) && none(2, q(1, 1)));
}

/// Weights and rates at a few bits are on their sides of the true ones.
#[test]
fn labels_at_few_bits() {
    use crate::kernel::coarse::at_most_bits;
    for (n, cap, square, rate) in [
        (10u64, 4u64, q(2, 1), q(1, 4)),
        (15, 6, q(4, 1), q(1, 4)),
        (10, 3, q(1, 2), q(1, 4)),
        (12, 4, q(1, 1), q(1, 3)),
    ] {
        let chances = Chances::of(&rate, n, cap);
        let truth = Rational::from(1 - &chances.full) * &rate + &chances.displacing;
        for bits in [6, 8, 10, 14, 200] {
            let found = at_most_bits(bits, || labels(&rate, n, cap, &chances, &square));
            if let Some(labels) = found {
                let mean: Rational = labels.iter().map(|(w, r)| Rational::from(w * r)).sum();
                assert!(mean <= truth, "{n} {cap} {bits}");
                assert_eq!(labels.iter().map(|(w, _)| w).sum::<Rational>(), 1);
            }
            let line = Line::new(&rate, n, cap, &chances, &square).unwrap();
            let fine = line.cells().unwrap();
            let coarse = at_most_bits(bits, || {
                Line::new(&rate, n, cap, &chances, &square)
                    .unwrap()
                    .cells()
                    .unwrap()
            });
            for (fine, coarse) in fine.iter().zip(&coarse) {
                let Some(label) = at_most_bits(bits, || Labelled::of(coarse)) else {
                    continue;
                };
                // Cells of the same place are compared: the widths are simple fractions.
                let exact = |x: &Float| x.to_rational().unwrap();
                let lowest = exact(fine.taking_part.hi()) / exact(fine.without.lo());
                assert!(label.weight <= exact(fine.without.hi()), "{bits}");
                assert!(label.weight_lower <= exact(fine.without.hi()));
                assert!(label.taking_part_upper >= exact(fine.taking_part.lo()));
                assert!(label.rate <= lowest);
            }
        }
    }
}

/// A cell that is known by intervals.
#[test]
fn a_label_says_no_more_than_its_cell() {
    let ends = |low: f64, high: f64| {
        Interval::spanning(Float::with_val(BITS, low), Float::with_val(BITS, high))
    };
    let label = Labelled::of(&Cell {
        without: ends(0.25, 0.5),
        taking_part: ends(0.0625, 0.125),
    });
    let label = label.unwrap();
    assert_eq!((label.weight, label.weight_lower), (q(1, 4), q(1, 4)));
    assert_eq!((label.rate, label.taking_part_upper), (q(1, 8), q(1, 8)));
    let both = between(&q(1, 3), &q(2, 3));
    assert!(both.contains(&q(1, 3)) && both.contains(&q(2, 3)));
    // Both ends of what is known of a full batch, and of a displaced record.
    let chances = Chances {
        full: q(1, 8),
        full_upper: q(1, 4),
        displacing: q(1, 16),
        displacing_upper: q(1, 5),
        ..Chances::of(&q(1, 4), 10, 4)
    };
    let line = Line::new(&q(1, 4), 10, 4, &chances, &q(2, 1)).unwrap();
    assert!(line.full.contains(&q(1, 8)) && line.full.contains(&q(1, 4)));
    assert!(line.displacing.contains(&q(1, 16)) && line.displacing.contains(&q(1, 5)));
}

/// The same of random cells at few bits.
#[test]
fn random_labels_say_no_more_than_their_cells() {
    use crate::kernel::coarse::{Random, at_most_bits};
    let mut random = Random(34);
    let exact = |x: &Float| x.to_rational().unwrap();
    for _ in 0..10_000 {
        let [without, taking_part] = [(); 2].map(|()| {
            let digits = 8 + u32::try_from(random.below(12)).unwrap();
            let mut number = || Float::with_val(BITS, 1 + random.below(1 << digits)) >> 20u32;
            Interval::point(number()).hull(&Interval::point(number()))
        });
        let bits = 2 + u32::try_from(random.below(8)).unwrap();
        let cell = Cell {
            without,
            taking_part,
        };
        let label = at_most_bits(bits, || Labelled::of(&cell)).unwrap();
        assert!(label.weight <= exact(cell.without.hi()) && label.weight >= label.weight_lower);
        assert!(label.weight_lower <= exact(cell.without.lo()));
        assert!(label.taking_part_upper >= exact(cell.taking_part.hi()));
        let most = exact(cell.taking_part.lo()) / exact(cell.without.lo());
        assert!(label.rate <= most && label.rate <= 1, "{bits}");
    }
}

/// Batches whose size is left out are so far from all cells that noise does not reach them.
#[test]
fn what_is_left_out_is_far_away() {
    let rate = q(1, 1_000);
    let chances = Chances::of(&rate, 1_000_000, 1_100);
    for square in [q(1, 16), q(1, 3), q(1, 1), q(9, 1), q(100, 1)] {
        let line = Line::new(&rate, 1_000_000, 1_100, &chances, &square).unwrap();
        let leftmost = q(1, 2) + Rational::from(&line.width * CELLS);
        let next = Rational::from(line.sizes.len() + 1) - leftmost;
        assert!(
            next.to_f64() * square.to_f64().sqrt() >= f64::from(FARTHEST),
            "{square}"
        );
    }
    // Where all are drawn there are no sizes to tell.
    let chances = Chances::of(&q(1, 1), 10, 4);
    assert!(labels(&q(1, 1), 10, 4, &chances, &q(1, 1)).is_none());
}

/// What noise puts as far away as batches that are left out may be in every cell.
#[test]
fn what_is_left_out_is_in_every_cell() {
    let rate = q(1, 1_000);
    let chances = Chances::of(&rate, 1_000_000, 1_100);
    let line = Line::new(&rate, 1_000_000, 1_100, &chances, &q(1, 1)).unwrap();
    let far = normal::survival(&Interval::from_i64(i64::from(FARTHEST), BITS));
    for cell in line.cells().unwrap() {
        assert!(cell.without.width_up() >= *far.lo());
    }
}

/// P(K = B − 1), P(K = B − 2) and so on, of the other n − 1 records.
#[test]
fn sizes_of_the_others() {
    for (rate, n, cap) in [(q(1, 4), 10, 4), (q(1, 3), 30, 12), (q(2, 3), 9, 7)] {
        let chances = Chances::of(&rate, n, cap);
        let line = Line::new(&rate, n, cap, &chances, &q(1, 1)).unwrap();
        assert!(line.sizes.len() > 2);
        for (found, size) in line.sizes.iter().zip((0..cap).rev()) {
            let expected = binomial::mass(n - 1, &rate, size);
            assert!(expected.lo() <= found.hi() && found.lo() <= expected.hi());
            assert!(found.width_up() < Float::with_val(53, 1) >> 60u32);
        }
    }
}
