//! Skellam noise on vectors.

use rug::Float;

use super::*;
use crate::kernel::Pick;
use crate::kernel::coarse::at_most_bits;
use crate::mechanism::kind::{Histogram, Sensitivity, Skellam};
use crate::mechanism::{Mechanism, Relation};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

/// log N(k) for |k| ≤ 600, many bits each.
fn logs(mean: &Rational) -> impl Fn(i64) -> Float {
    let noise = SkellamNoise::new(mean).unwrap();
    let logs: Vec<Float> = noise
        .masses(600, 300)
        .iter()
        .map(|mass| mass.ln().middle())
        .collect();
    move |k| logs[usize::try_from(k.abs()).unwrap()].clone()
}

/// No second difference is below that at 0, and they rise on either side.
#[test]
fn second_differences_rise_from_the_middle() {
    for mean in [q(1, 1000), q(1, 3), q(2, 1), q(41, 2), q(300, 1)] {
        let log = logs(&mean);
        let difference = |k: i64| Float::with_val(300, log(k - 1) + log(k + 1)) - log(k) * 2u32;
        let kappa = Float::with_val(300, log(0) - log(1));
        assert_eq!(
            Float::with_val(100, difference(0)),
            Float::with_val(100, -kappa * 2u32)
        );
        for k in 0..150 {
            assert!(difference(k) < difference(k + 1), "{mean}, {k}");
        }
    }
}

/// D_t of a change by k, by its definition.
fn divergence(log: &impl Fn(i64) -> Float, k: i64, order: u64) -> Float {
    let order = i64::try_from(order).unwrap();
    let places = -250i64..=250;
    let sum = places.fold(Float::new(300), |sum, x| {
        let term = log(x - k) * order - log(x) * (order - 1);
        sum + term.exp()
    });
    sum.ln() / (order - 1)
}

/// Every change of two coordinates that is short enough is below the guarantee, and one along a coordinate is next to it.
#[test]
fn every_short_vector_of_the_plane() {
    for (mean, length) in [(q(1, 2), q(5, 2)), (q(3, 1), q(3, 1)), (q(20, 1), q(4, 1))] {
        let log = logs(&mean);
        let guarantees = guarantees(&mean, &largest_square(&length, 1));
        for (order, bound) in guarantees.iter().take(9) {
            let order = order.numer().to_u64().unwrap();
            let one: Vec<Float> = (0..=4).map(|k| divergence(&log, k, order)).collect();
            let mut largest = Float::new(300);
            for (a, of_a) in one.iter().enumerate() {
                for (b, of_b) in one.iter().enumerate() {
                    if a * a + b * b <= Rational::from(length.square_ref()) {
                        let both = Float::with_val(300, of_a + of_b);
                        assert!(both <= *bound, "{mean}, {a} and {b}, order {order}");
                        largest = largest.larger(&both);
                    }
                }
            }
            if mean == 20 {
                let share = largest / bound;
                assert!(
                    share > if order == 2 { 0.98 } else { 0.85 },
                    "order {order}: {share}"
                );
            }
        }
    }
}

/// Many coordinates by one each, as far as they may together.
#[test]
fn many_coordinates_by_one_each() {
    let mean = q(5, 1);
    let log = logs(&mean);
    for (order, bound) in guarantees(&mean, &largest_square(&q(7, 2), 1))
        .iter()
        .take(12)
    {
        let one = divergence(&log, 1, order.numer().to_u64().unwrap());
        assert!(one * 12u32 <= *bound, "{order}");
    }
}

/// The largest second difference from above, at few bits, at many, and where there is no table.
#[test]
fn what_one_costs_from_above() {
    for mean in [q(1, 1000), q(1, 3), q(2, 1), q(41, 2), q(300, 1)] {
        let log = logs(&mean);
        let truth = (log(0) - log(1)).to_rational().unwrap();
        let fine = most_of_one(&mean, 160);
        let gap = Float::with_val(64, Rational::from(&fine - &truth));
        assert!(gap > -1e-18 && gap < 1e-16, "{mean}: {gap}");
        for bits in 8..=20 {
            let coarse = at_most_bits(bits, || most_of_one(&mean, 160));
            assert!(coarse >= fine, "{mean} at {bits} bits");
        }
    }
    // Where no ratio is summed up: above 1/(4m), by little at a large mean, and at most 1/m.
    for mean in [q(2_000_000, 1), q(1, 10_000_000_000)] {
        let most = most_of_one(&mean, 128) * &mean;
        assert!(most > q(1, 4) && most <= 1, "{mean}");
    }
    assert!(most_of_one(&q(2_000_000, 1), 128) * 2_000_000 < q(250_001, 1_000_000));
}

#[test]
fn orders_are_whole_and_rise() {
    let all = guarantees(&q(7, 1), &q(4, 1));
    assert_eq!(all[0].0, 2);
    assert!(all.iter().all(|(order, _)| order.is_integer()));
    assert!(
        all.windows(2)
            .all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1)
    );
    let last = &all.last().unwrap().0;
    assert!(*last > (1 << 29) && *last <= (1 << 30));
}

/// The simple bound is one, and by about as little as is said.
#[test]
fn what_one_costs_without_a_sum() {
    let simple = |mean: &Rational| (mean.clone() + 3) / (mean.clone() * 4 + 3) / mean;
    for mean in [q(1, 1000), q(1, 3), q(2, 1), q(41, 2), q(300, 1)] {
        let log = logs(&mean);
        let share = (log(0) - log(1)) / simple(&mean);
        assert!(share <= 1 && share * (mean.clone() + 2) > mean, "{mean}");
    }
}

/// Every sum of so many whole vectors of the plane is below the guarantee, and the member is one of them.
#[test]
fn records_add_whole_vectors() {
    for (length, count) in [(q(5, 2), 2u64), (q(19, 10), 3), (q(3, 2), 4), (q(3, 1), 2)] {
        let most = Rational::from(length.square_ref());
        let reach = -3i64..=3;
        let vectors = reach
            .clone()
            .flat_map(|a| reach.clone().map(move |b| (a, b)));
        let one: Vec<_> = vectors.filter(|(a, b)| a * a + b * b <= most).collect();
        let mut sums = std::collections::BTreeSet::from([(0, 0)]);
        for _ in 0..count {
            let added =
                |(a, b): &(i64, i64)| one.iter().map(|(c, d)| (a + c, b + d)).collect::<Vec<_>>();
            sums = sums.iter().flat_map(added).collect();
        }
        let square = largest_square(&length, count);
        assert!(
            sums.iter().all(|(a, b)| a * a + b * b <= square),
            "{length}, {count}"
        );
        let along = sums
            .iter()
            .filter(|(_, b)| *b == 0)
            .map(|(a, _)| *a)
            .max()
            .unwrap();
        let along = u64::try_from(along).unwrap();
        let made = super::steps("l2-sensitivity", &q(5, 1), &length, count).unwrap();
        assert_eq!(
            made.members(),
            [Steps::one(Step::skellam(&q(5, 1), along), Conditions::NONE)]
        );
    }
}

/// What the steps are: the guarantee above, one coordinate below.
#[test]
fn lengths_of_records_and_groups() {
    let steps = |length: Sensitivity, records, relation| {
        let noise = Mechanism::new(Skellam::of_vectors(q(5, 1), length).unwrap()).unwrap();
        let group = Mechanism::group(records, noise).unwrap();
        group.under(relation).map(|of| of.steps().clone())
    };
    let record = |length: Rational| Sensitivity::RecordBound(length);
    let query = Sensitivity::OfQuery;
    assert_eq!(largest_square(&q(5, 2), 2), 24);
    let four = [Steps::one(Step::skellam(&q(5, 1), 4), Conditions::NONE)];
    let replaced = steps(record(q(5, 2)), 1, Relation::ReplaceOne).unwrap();
    assert_eq!(replaced.members(), four);
    assert_eq!(
        replaced,
        steps(query(q(5, 2)), 2, Relation::Presence).unwrap()
    );
    assert_eq!(
        replaced,
        steps(record(q(5, 2)), 2, Relation::ReplaceSpecial).unwrap()
    );
    let both = steps(record(q(5, 2)), 2, Relation::ReplaceOne).unwrap();
    assert_eq!(both, steps(query(q(5, 2)), 4, Relation::Presence).unwrap());
    let error = steps(query(q(5, 1)), 1, Relation::ReplaceOne).unwrap_err();
    assert!(error.to_string().contains("l2-sensitivity"), "{error}");
    let of_vectors = Mechanism::skellam_of_vectors("5", "3/2").unwrap();
    let same = Mechanism::new(Skellam::of_vectors(q(5, 1), query(q(3, 2))).unwrap()).unwrap();
    assert_eq!(of_vectors.steps(), same.steps());
    let error = Histogram::new(of_vectors).unwrap_err();
    assert_eq!(error.parameter(), "of");
    assert!(error.to_string().contains("noise on vectors"), "{error}");
    let error = steps(record(q(1, 1)), 1 << 63, Relation::ReplaceOne).unwrap_err();
    assert!(
        error.to_string().contains("`records` are too many"),
        "{error}"
    );
    let error = Skellam::of_vectors(q(5, 1), record(q(99, 100))).unwrap_err();
    assert!(error.to_string().contains("l2-record-bound"), "{error}");
    let long = Rational::from(1u64 << 63);
    assert!(super::steps("l2-sensitivity", &q(1, 1), &long, 2).is_err());
    assert!(super::steps("l2-sensitivity", &q(1, 1), &long, 1).is_ok());
}

/// At large means κ is bounded by a fraction, and a list has the bounds of its own mean and length.
#[test]
fn guarantees_by_their_formula() {
    let simple = |m: &Rational| Rational::from(m + 3u32) / (Rational::from(m * 4u32) + 3u32) / m;
    for mean in [q(1_000_001, 1), q(200_000_000, 3)] {
        assert_eq!(most_of_one(&mean, BITS), simple(&mean));
    }
    let (mean, length) = (q(2_000_000, 1), q(5, 2));
    let steps = super::steps("l2-sensitivity", &mean, &length, 2).unwrap();
    let [(Step::Rdp { orders }, 1)] = steps.list() else {
        panic!("{steps:?}");
    };
    // |v|² is at most 24.
    for (order, bound) in orders.iter() {
        assert_eq!(*bound, simple(&mean) * order * 24u32);
    }
    let short = Rational::from(1u64 << 63);
    let error = super::steps("l2-sensitivity", &q(1, 1), &short, 2).unwrap_err();
    assert!(
        error.to_string().contains("`l2-sensitivity` is too large"),
        "{error}"
    );
}

/// Where noise on a count is not built the guarantee is there all the same, and the member a smaller change, or none.
#[test]
fn members_as_far_as_is_built() {
    let member = |mean: &Rational, length: i64| {
        let steps = super::steps("l2-sensitivity", mean, &q(length, 1), 1).unwrap();
        let [one] = steps.members() else { panic!() };
        assert!(steps.is_bound());
        one.clone()
    };
    let along = |mean, k| Steps::one(Step::skellam(mean, k), Conditions::NONE);
    let mean = q(100_000_000, 1);
    assert_eq!(member(&mean, 39_999), along(&mean, 39_999));
    assert_eq!(member(&mean, 1_000_000), along(&mean, 40_000));
    for mean in [q(1_000_000_000, 1), q(1, 2_000_000_000)] {
        let one = member(&mean, 3);
        assert_eq!(one.mu_squared(), 0);
        assert!(one.single().unwrap().is_nothing());
    }
}
