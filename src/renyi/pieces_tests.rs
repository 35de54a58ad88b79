//! Against sampled Laplace noise, integrals in floats, and itself at fewer bits.

use super::super::sampled_noise::SampledLaplace;
use super::*;
use crate::mechanism::shifted::Shifts;

fn q(n: i32, d: u32) -> Rational {
    Rational::from((n, d))
}

const DIRECTIONS: [Direction; 2] = [Direction::Remove, Direction::Add];

fn laplace(unit: &Rational, without: &Shifts, with: &Shifts) -> ShiftedLaplace {
    let unit = unit.clone();
    let pair = ShiftedNoise::new(Noise::Laplace { unit }, without.clone(), with.clone());
    ShiftedLaplace::of(&pair).unwrap()
}

fn divergence(
    pair: &ShiftedLaplace,
    order: &Rational,
    direction: Direction,
    bits: u32,
) -> Interval {
    pair.divergence(order, direction, bits, &Budget::unlimited())
        .unwrap()
        .unwrap()
}

#[test]
fn a_record_that_is_there_or_not() {
    let all = [
        (q(1, 3), q(1, 10)),
        (q(3, 1), q(1, 2)),
        (q(1, 50), q(1, 1000)),
    ];
    for (number, (epsilon, rate)) in all.into_iter().enumerate() {
        let one = laplace(&epsilon, &Shifts::none(), &Shifts::sampled(&rate));
        let known = SampledLaplace { rate, epsilon };
        let orders = [q(1, 2), q(1, 1), q(3, 2), q(2, 1), q(15, 2)];
        for (place, order) in orders.into_iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 6) {
                continue;
            }
            for direction in DIRECTIONS {
                let found = divergence(&one, &order, direction, 70);
                let budget = Budget::unlimited();
                let truth = known.divergence(&order, direction, 70, &budget).unwrap();
                assert!(found.intersect(&truth).is_ok(), "{known:?} {order}");
                let width = found.width_up();
                assert!(
                    width <= Float::with_val(64, found.hi() >> 50u32),
                    "{known:?} {order}: {width}"
                );
            }
        }
    }
}

/// A record that is replaced, and several, by Simpson's rule between the peaks.
#[test]
fn integrals_in_floats() {
    let rare = Shifts::sampled(&q(1, 10));
    let several = Shifts::new(vec![
        (q(0, 1), q(1, 4)),
        (q(1, 2), q(1, 4)),
        (q(2, 1), q(1, 2)),
    ])
    .unwrap();
    let unit = q(3, 4);
    let pairs = [(&rare, &rare), (&several, &rare), (&rare, &several)];
    for (number, (without, with)) in pairs.into_iter().enumerate() {
        let one = laplace(&unit, without, with);
        let density = |list: &Shifts, sign: f64, x: f64| -> f64 {
            let part = |(shift, weight): &(Rational, Rational)| {
                let peak = sign * shift.to_f64() * unit.to_f64();
                weight.to_f64() * (-(x - peak).abs()).exp() / 2.0
            };
            list.list().iter().map(part).sum()
        };
        for (place, order) in [0.5, 1.5, 2.0, 6.5].into_iter().enumerate() {
            if !crate::test_scale::is_asked(number + place, 4) {
                continue;
            }
            for direction in DIRECTIONS {
                let moment = |x: f64| {
                    let (a, b) = (density(with, 1.0, x), density(without, -1.0, x));
                    let (a, b) = match direction {
                        Direction::Remove => (a, b),
                        Direction::Add => (b, a),
                    };
                    a.powf(order) * b.powf(1.0 - order)
                };
                // Kinks are at multiples of 3/8.
                let step = 3.0 / 8.0 / 200.0;
                let sum: f64 = (-20_000..20_000)
                    .map(|k| {
                        let x = f64::from(k) * step;
                        let ends = moment(x) + moment(x + step);
                        (ends + 4.0 * moment(x + step / 2.0)) * step / 6.0
                    })
                    .sum();
                let truth = sum.ln() / (order - 1.0);
                let exact = Rational::from_f64(order).unwrap();
                let found = divergence(&one, &exact, direction, 60);
                let gap = (found.lo().to_f64() - truth).abs();
                assert!(
                    gap < 1e-9,
                    "{with:?} {order} {direction:?}: {truth} {found:?}"
                );
                assert!(found.width_up() < 1e-15, "{with:?} {order}");
            }
        }
    }
}

/// With few terms the rest counts: what is found there contains what is found with many.
#[test]
fn few_terms_enclose_more() {
    let (few, many) = (Shifts::sampled(&q(1, 3)), Shifts::sampled(&q(1, 2)));
    for power in [q(-5, 2), q(1, 2), q(7, 2), q(40, 1)] {
        let pieces = LaplaceMixtures::new(q(3, 2), few.clone(), many.clone()).pieces(300);
        let best = Taylor::new(&power, 0, 140, 300);
        for piece in &pieces {
            for (n, d) in [(1, 8), (1, 20)]
                .into_iter()
                .step_by(crate::test_scale::every(2))
            {
                let h = Interval::from_rational(&q(n, d), 300);
                let truth = best.integral(piece, &h);
                for terms in [2, 3, 5, 9] {
                    let coarse = Taylor::new(&power, 0, terms, 300);
                    let near = coarse.integral(piece, &h);
                    assert!(
                        near.lo() <= truth.lo() && truth.hi() <= near.hi(),
                        "{power} {terms} {n}/{d}"
                    );
                    assert!(*truth.lo() > 0 && truth.width_up() < 1e-12);
                }
            }
        }
    }
}

/// D_1 is between its neighbours, and what is out of reach is not integrated.
#[test]
fn ends() {
    let rare = Shifts::sampled(&q(1, 10));
    let one = laplace(&q(1, 1), &rare, &rare);
    let at = |order: Rational| divergence(&one, &order, Direction::Add, 50);
    let (below, middle, above) = (at(q(99, 100)), at(q(1, 1)), at(q(101, 100)));
    assert!(below.certainly_lt(&middle) && middle.certainly_lt(&above));
    let far = laplace(&q(100_000, 1), &rare, &rare);
    let found = far.divergence(&q(2, 1), Direction::Add, 50, &Budget::unlimited());
    assert!(found.unwrap().is_none());
}

/// What is beyond the last term, by the formula of the bound, on either side of what the terms say.
#[test]
fn the_rest_by_its_formula() {
    let (few, many) = (Shifts::sampled(&q(1, 3)), Shifts::sampled(&q(1, 2)));
    let pieces = LaplaceMixtures::new(q(3, 2), few, many).pieces(160);
    for power in [q(-5, 2), q(1, 3), q(7, 2)] {
        for (shrink, terms, width) in [(0u32, 2u32, q(1, 8)), (0, 5, q(1, 20)), (2, 3, q(1, 40))] {
            let taylor = Taylor::new(&power, shrink, terms, 160);
            let half_width = Interval::from_rational(&width, 160);
            let (a, h) = (power.to_f64(), width.to_f64());
            let radius = 0.5f64.powi(i32::try_from(shrink).unwrap());
            let extreme = |power: f64| {
                let least = (-radius).exp() * (1.0 - radius * radius / 2.0);
                let base = if power < 0.0 { least } else { radius.exp() };
                base.powf(power)
            };
            let most = extreme(a) * extreme(1.0 - a);
            let ratio = h / radius;
            let truth = 2.0 * h * most * ratio.powi(i32::try_from(terms).unwrap()) / (1.0 - ratio);
            let found = taylor.rest(&half_width).middle().to_f64();
            assert!(
                (found - truth).abs() < 1e-12 * truth,
                "{power} {shrink} {terms}: {found} {truth}"
            );
            for piece in &pieces {
                let whole = taylor.integral(piece, &half_width).width_up().to_f64();
                assert!(
                    (whole / 2.0 - truth).abs() < 1e-9 * truth,
                    "{power} {whole} {truth}"
                );
            }
        }
    }
}
