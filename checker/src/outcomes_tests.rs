//! Outcomes one by one, against those of all runs.

use super::*;
use crate::coarse::Random;
use crate::step::Epsilon;

fn law(random: &mut Random, length: usize) -> Vec<BigRational> {
    let parts: Vec<u64> = (0..length).map(|_| random.below(7)).collect();
    let total = parts.iter().sum::<u64>() + 1;
    let mass = |(place, part): (usize, &u64)| BigRational::new((part + u64::from(place == 0)).into(), total.into());
    parts.iter().enumerate().map(mass).collect()
}

fn profile(p: &[BigRational], q: &[BigRational], u: &BigRational) -> BigRational {
    p.iter().zip(q).map(|(p, q)| (q - u * p).max(BigRational::zero())).sum()
}

fn runs(text: &str) -> Result<Runs, Rejected> {
    Runs::read(&crate::value::json(text).unwrap())
}

fn q(n: i64, d: i64) -> BigRational {
    BigRational::new(n.into(), d.into())
}

fn number(random: &mut Random) -> BigRational {
    BigRational::new((1 + random.below(40)).into(), 10.into())
}

/// All sequences of outcomes, and all choices of steps.
#[test]
fn allocations_against_all_sequences() {
    let mut random = Random::new(3);
    for _ in 0..150 {
        crate::work::begin(None);
        let length = 2 + usize::try_from(random.below(2)).unwrap();
        let (p, q) = (law(&mut random, length), law(&mut random, length));
        let steps = 2 + random.below(3);
        let selected = 1 + random.below(steps - 1);
        let sets = (0..1u32 << steps).filter(|set| u64::from(set.count_ones()) == selected);
        let sets: Vec<u32> = sets.collect();
        let (mut all_p, mut all_q) = (Vec::new(), Vec::new());
        for code in 0..length.pow(u32::try_from(steps).unwrap()) {
            let outcome = |step: u32| code / length.pow(step) % length;
            let of = |set: u32| -> BigRational {
                let steps = 0..u32::try_from(steps).unwrap();
                steps.map(|i| if set >> i & 1 == 1 { &q[outcome(i)] } else { &p[outcome(i)] }).product()
            };
            all_p.push(of(0));
            let sum: BigRational = sets.iter().map(|set| of(*set)).sum();
            all_q.push(sum / BigInt::from(sets.len()));
        }
        let step = Step::Finite { p: p.clone(), q: q.clone() };
        let Some(Step::Finite { p: found_p, q: found_q }) = allocated(&step, steps, selected).unwrap() else {
            panic!()
        };
        assert!(found_p.iter().sum::<BigRational>().is_one() && found_q.iter().sum::<BigRational>().is_one());
        for _ in 0..6 {
            let u = number(&mut random);
            assert_eq!(profile(&found_p, &found_q, &u), profile(&all_p, &all_q, &u), "{p:?} {q:?} {steps} {selected}");
            assert_eq!(profile(&found_q, &found_p, &u), profile(&all_q, &all_p, &u), "{p:?} {q:?} {steps} {selected}");
        }
    }
    // Responses have vectors where e^epsilon is a fraction.
    let response = |epsilon| Step::Response { epsilon, k: 3.into() };
    let odds = BigRational::from(BigInt::from(4));
    let one = BigRational::new(1.into(), 6.into());
    let (p, q): (Vec<_>, Vec<_>) = of_step(&response(Epsilon::LogOf(odds.clone()))).unwrap().into_iter().unzip();
    let four = &one * BigInt::from(4);
    assert_eq!((p, q), (vec![one.clone(), four.clone(), one.clone()], vec![four, one.clone(), one]));
    assert!(allocated(&response(Epsilon::Plain(odds.clone())), 3, 1).unwrap().is_none());
    // More steps, or outcomes, than are written out.
    assert!(allocated(&response(Epsilon::LogOf(odds.clone())), u64::MAX, 1).unwrap().is_none());
    assert!(allocated(&response(Epsilon::LogOf(odds)), 200, 1).unwrap().is_none());
}

/// The best of K runs by the definition, K up to where next to nothing is left.
#[test]
fn selections_against_all_numbers_of_runs() {
    let mut random = Random::new(9);
    for round in 0..60 {
        crate::work::begin(None);
        let length = 2 + usize::try_from(random.below(3)).unwrap();
        let (p, q) = (law(&mut random, length), law(&mut random, length));
        let mean = BigRational::one() + BigRational::new(random.below(30).into(), 10.into());
        let mut order: Vec<usize> = (0..length).collect();
        order.rotate_left(round % length);
        let runs = runs(&format!(r#"{{"kind":"geometric","mean":"{mean}"}}"#)).unwrap();
        let Step::Finite { p: found_p, q: found_q } = best_of_pair(&runs, &p, &q, Some(&order)).unwrap() else {
            panic!()
        };
        for (law, found) in [(&p, &found_p), (&q, &found_q)] {
            let float = |x: &BigRational| num_traits::ToPrimitive::to_f64(x).unwrap();
            let (stop, mut left) = (1.0 / float(&mean), 1.0);
            let mut masses = vec![0.0; length];
            for k in 1..400 {
                let chance = left * stop;
                left -= chance;
                // The best of k runs is no better than the place from the end with this probability.
                let mut worse = 0.0;
                for (mass, place) in masses.iter_mut().zip(order.iter().rev()) {
                    let next = worse + float(&law[*place]);
                    *mass += chance * (f64::powi(next, k) - f64::powi(worse, k));
                    worse = next;
                }
            }
            for (mass, found) in masses.iter().zip(found.iter()) {
                assert!((mass - float(found)).abs() < 1e-9, "{mass} {found} {mean}");
            }
        }
        // In any order: at each u the worst of all.
        let Step::Worst { of } = best_of_pair(&runs, &p, &q, None).unwrap() else { panic!() };
        assert_eq!(of.len(), (1..=length).product());
        let here = Step::Finite { p: found_p, q: found_q };
        assert!(of.contains(&(false, here)));
    }
}

/// What is above all orders of a few outcomes, and two of the orders by their loss, where the pair is known by its profile alone.
#[test]
fn orders_of_a_pair_that_is_looked_at() {
    let mut random = Random::new(24);
    let kinds = [
        r#"{"kind":"geometric","mean":"4"}"#,
        r#"{"kind":"logarithmic","mean":"3"}"#,
        r#"{"kind":"poisson","mean":"2"}"#,
        r#"{"kind":"negative-binomial","mean":"5","shape":"1/2"}"#,
    ];
    let (mut near, mut reached) = (0, 0);
    for round in 0..24 {
        crate::work::begin(None);
        let runs = runs(kinds[round % kinds.len()]).unwrap();
        let (p, r) = (law(&mut random, 3), law(&mut random, 3));
        let (most, members) = best_by_places(&runs, &Step::Finite { p: p.clone(), q: r.clone() }).unwrap();
        let Step::Worst { of } = best_of_pair(&runs, &p, &r, None).unwrap() else { panic!() };
        for direction in [Direction::Remove, Direction::Add] {
            let at = |step: &Step, u: &BigRational| {
                let place = Place::of(&Epsilon::LogOf(u.clone())).unwrap();
                Pair::of(step, direction).unwrap().at(&place).unwrap().delta
            };
            for u in [q(1, 9), q(2, 3), q(1, 1), q(5, 4), q(2, 1), q(7, 1)] {
                let worst = of.iter().map(|(_, order)| at(order, &u)).max_by(|a, b| a.lo.cmp(&b.lo)).unwrap();
                let above = at(&most, &u);
                assert!(worst.lo <= above.hi, "{round} {u}");
                near += usize::from(&above.hi - &worst.lo < &worst.lo >> 3u8);
                for member in &members {
                    let [(step, 1)] = member.as_slice() else { panic!() };
                    let below = at(step, &u);
                    assert!(below.lo <= worst.hi, "{round} {u}");
                    reached += usize::from(&worst.hi - &below.hi < &worst.hi >> 6u8);
                }
            }
        }
    }
    assert!(near > 50 && reached > 150, "{near} {reached}");
}

/// Gaussian noise of μ = ½: the best threshold, the largest loss best or the least, and the curve of 2·δ(ru), by floats; of choices nothing is below.
#[test]
fn gaussian_noise_that_is_looked_at() {
    crate::work::begin(None);
    let runs = runs(r#"{"kind":"geometric","mean":"2"}"#).unwrap();
    let (most, members) = best_by_places(&runs, &Step::Gaussian { square: q(1, 4) }).unwrap();
    for (u, best, least, above) in [
        (1, 0.2033275809124322, 0.2033275809124322, 0.417863247704101),
        (2, 0.03800291098144226, 0.017215748158335528, 0.13558032331133668),
        (7, 2.949239372185275e-05, 7.385264002704529e-06, 0.00024019865803412096),
    ] {
        let all = [&most, &members[0][0].0, &members[1][0].0];
        for (step, truth) in all.into_iter().zip([above, best, least]) {
            let place = Place::of(&Epsilon::LogOf(q(u, 1))).unwrap();
            let found = Pair::of(step, Direction::Remove).unwrap().at(&place).unwrap().delta.ends().0.to_f64().unwrap();
            let room = if truth == above { found / truth - 1.0 } else { 1.0 - found / truth };
            assert!((-1e-14..5e-3).contains(&room), "{u}: {found} {truth}");
        }
    }
    let choice = Step::Choice { epsilon: Epsilon::LogOf(q(2, 1)), is_flip: false };
    assert!(matches!(best_by_places(&runs, &choice).unwrap().1[0][0].0, Step::Response { .. }));
}
