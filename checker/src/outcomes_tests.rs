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
