//! Characteristic functions at roots, and the errors of their sums, against 200 bits and exact numbers.

use rug::{Integer, Rational};

use super::*;
use crate::kernel::Interval;
use crate::kernel::coarse::{Random, at_most_bits};

#[test]
fn errors_of_laws_at_few_bits() {
    let mut random = Random(45);
    let power = |n: u32| Rational::from((1, Integer::from(1) << n));
    let (root, weight, product) = (power(115), power(118), power(110));
    for _ in 0..1000 {
        let digits = random.below(20);
        let (load, count) = (random.below(1 << digits), random.below(1 << (19 - digits)));
        let powers = Rational::from(&product * 2u32) + &root;
        let truth = (powers * load * 2u32 + Rational::from(&product + &weight) * count) * 4u32;
        // In words, of which a unit is 2^−62: a power and a product are off by at most √2 of them, a weight by half of one and its own error.
        let blocks = 1 + random.below(200);
        let unit = power(62);
        let in_words = Rational::from(&product * 2u32) + &root;
        let in_words = Rational::from(&in_words * load) * 4u32
            + Rational::from(&unit * (7 * (3 * blocks + 96))) / 5u32
            + (Rational::from(&unit / 2u32) + &weight) * count;
        let in_words = in_words * 3u32 / 2u32;
        let [load, count, blocks] = [load, count, blocks].map(|n| Float::with_val(64, n));
        let law = Load {
            load,
            count,
            blocks,
        };
        for bits in [2, 3, 5, 8, 12, 64] {
            let found = at_most_bits(bits, || error_of_law_up(&law)).unwrap();
            assert!(found >= truth, "{bits} bits: {found}");
            let found = at_most_bits(bits, || error_of_law_in_words_up(&law)).unwrap();
            assert!(found >= in_words, "{bits} bits: {found} {in_words}");
        }
    }
}

/// Powers put together in any order, and the whole by blocks, against 200 bits.
#[test]
fn values_at_roots_are_within_their_error() {
    let mut random = Random(7);
    // Of one root after another.
    let mut room = Room::default();
    for _ in 0..10_000 {
        let count = 1 + random.below(70);
        let mut label = 0;
        let usual = random.below(4);
        let labels: Vec<i64> = (0..count)
            .map(|_| {
                let gap = if random.once_in(9) {
                    random.below(40)
                } else {
                    usual
                };
                label += i64::try_from(1 + gap).unwrap();
                label
            })
            .collect();
        let mut left = fixed::ONE;
        let weights = labels.iter().map(|label| {
            let share = left / i128::from(1 + random.below(40));
            left -= share;
            (label - labels[0], share)
        });
        let law = Tilted {
            weights: weights.collect(),
            log_total: Interval::zero(64),
        };
        let (period, k) = (1001, 1 + random.below(500));
        let truth = |law: &Tilted| {
            let sums = law.weights.iter().map(|(label, weight)| {
                let turns = i128::from(*label) * i128::from(k) % 1001;
                let angle = Float::with_val(200, rug::float::Constant::Pi) * 2u32;
                let angle = angle * Float::with_val(200, turns) / 1001u32;
                let weight = fixed::to_float(*weight, 200);
                let (sin, cos) = angle.sin_cos(Float::new(200));
                [cos * &weight, sin * weight]
            });
            sums.fold([Float::new(200), Float::new(200)], |[a, b], [c, d]| {
                [a + c, b + d]
            })
        };
        let [re, im] = truth(&law);
        let parts = [(law, 1)];
        let stretches = Stretches::of(&parts);
        let errors = Errors::new(&parts, &stretches, 0).unwrap();
        let root = fixed::root_of_unity(k, period);
        let found = Factors::<Fixed>::new(&parts, &stretches).at(k, root, &mut room);
        for (found, truth) in [(found.re, re), (found.im, im)] {
            let gap = (fixed::to_float(found, 200) - truth).abs();
            assert!(gap <= errors.with_rotation, "{gap}");
        }
        assert!(errors.with_rotation < Float::with_val(64, 1) >> 90u32);
    }
    for n in 1..200u64 {
        let most = error_of_powers_up(n).unwrap();
        assert!(error_of_power_up(&root_error_up(), n) <= most);
        let chain = (1..n).fold(root_error_up(), |error, _| {
            error_of_product_up(&error, &root_error_up())
        });
        assert!(chain <= most, "{n}");
    }
}

/// No less than what the powers that are really used multiply, in exact fractions, be weights as far above as they may be; in blocks that are not too long.
#[test]
fn loads_count_every_power() {
    // Of 4 units, the error of a weight.
    const LESS: i128 = 3;
    assert!(weight_error_up() << fixed::FRACTION > LESS);
    let mut random = Random(11);
    for _ in 0..300 {
        let mut label = 0;
        let (shift, most) = ([0, 80][random.below(2) as usize], 1 + random.below(3));
        let weights = (0..1 + random.below(80)).map(|_| {
            label += 1 + i64::try_from(random.below(most) * random.below(30)).unwrap();
            (label, i128::from(random.below(1 << 30)) << shift)
        });
        let law = Tilted {
            weights: weights.collect(),
            log_total: Interval::zero(64),
        };
        let total = |from: i64, to: i64| -> Integer {
            let there = law.weights.iter();
            let there = there.filter(|(label, _)| (from..to).contains(label));
            there.map(|(_, weight)| Integer::from(weight + LESS)).sum()
        };
        let found = stretches(&law);
        let longest = found.iter().map(|one| one.weights.len()).max().unwrap();
        assert!(longest <= LONGEST_BLOCK as usize, "{longest}");
        let middles: Vec<i64> = found
            .iter()
            .map(|one| one.label + one.gap * (one.weights.len() as i64 / 2))
            .collect();
        let mut truth = Integer::from(&total(i64::MIN, i64::MAX) * (middles[0] - law.weights[0].0));
        for (place, stretch) in found.iter().enumerate() {
            let next = found.get(place + 1).map_or(i64::MAX, |next| next.label);
            if let Some(middle) = middles.get(place + 1) {
                truth += total(next, i64::MAX) * (middle - middles[place]);
            }
            for (label, weight) in &law.weights {
                if (stretch.label..next).contains(label) {
                    truth += Integer::from(weight + LESS) * label.abs_diff(middles[place]);
                }
            }
        }
        let truth = Float::with_val(200, truth) >> fixed::FRACTION;
        for bits in [3, 8, 64] {
            let most =
                crate::kernel::coarse::at_most_bits(bits, || load_up(&law, &stretches(&law)));
            assert!(most >= truth, "{bits} bits: {most} {truth}");
        }
    }
}

#[test]
fn the_largest_gap() {
    let law = |labels: &[i64]| Tilted {
        weights: labels.iter().map(|label| (*label, 1)).collect(),
        log_total: Interval::zero(64),
    };
    assert_eq!(largest_gap(&law(&[-4, -3, 2, 4])), 5);
    assert_eq!(largest_gap(&law(&[7])), 0);
}

/// In words a power within a block is off by no more than the roundings of so few products, however many gaps are half of others.
#[test]
fn powers_in_words_are_as_near_as_said() {
    let mut label = 0;
    let weights = (0..400u32).map(|place| {
        label += 1i64 << (place / 33);
        (label, fixed::ONE / 400)
    });
    let law = Tilted {
        weights: weights.collect(),
        log_total: Interval::zero(64),
    };
    let parts = [(law, 1)];
    let stretches = Stretches::of(&parts);
    let factors = Factors::<crate::fourier::real::Word>::new(&parts, &stretches);
    let (period, mut room) = (1_000_003u64, Room::default());
    let each = word_error_up() + (word_error_up() << 1u32);
    let mut closest = 0f64;
    for k in (1..period / 2).step_by(10_007) {
        let root = fixed::root_of_unity(k, period);
        factors.of_first(root, &mut room).unwrap();
        assert!(room.tables.len() >= 12);
        for (table, gap) in room.tables.iter().zip(0u32..) {
            for (power, j) in table.powers().zip(1u64..) {
                let turns = u128::from(k) * u128::from(j << gap) % u128::from(period);
                let truth = fixed::root_of_unity(u64::try_from(turns).unwrap(), period);
                let power = power.widened();
                let [re, im] = [power.re - truth.re, power.im - truth.im];
                let [re, im] = [re, im].map(|part| fixed::to_float(part, 128));
                let most = Float::with_val(64, &each * (2 * j));
                let gap = Float::with_val(64, re.hypot(&im));
                assert!(gap <= most, "{k} {j}: {gap} {most}");
                closest = closest.max((gap / most).to_f64());
            }
        }
    }
    assert!(closest > 0.05, "{closest}");
}
