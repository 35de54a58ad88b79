//! Random allocation of a finite pair, exactly.

use rug::ops::Pow;
use rug::{Integer, Rational};

/// Outcomes of a pair are at most so many.
const MOST_OUTCOMES: usize = 20_000;
/// Digits are at most about so many in all: an outcome has those of a power with the number of steps as its exponent.
const MOST_WORK: u64 = 40_000_000;
/// And bringing them to lowest terms is so much work: words of an outcome, squared.
const MOST_WORK_OF_TERMS: u64 = 600_000_000;

/// The pair of `steps` runs, of which `selected` have the record; `None` if it has too many outcomes.
///
/// Which outcomes came is all that counts, not in which order. For counts c of the outcomes, Q has the probability of all orders,
/// times the coefficient of z^selected in Π (p_j + q_j·z)^{c_j} over that of (1 + z)^steps.
///
/// Requires: `p` and `q` are probability vectors of equal length; 1 ≤ selected ≤ steps.
pub fn pair(
    p: &[Rational],
    q: &[Rational],
    steps: u64,
    selected: u64,
) -> Option<(Vec<Rational>, Vec<Rational>)> {
    let classes = classes(p, q);
    let digits: u64 = classes
        .iter()
        .map(|(p, q)| {
            u64::from(
                p.denom()
                    .significant_bits()
                    .max(q.denom().significant_bits()),
            )
        })
        .sum();
    let outcomes = outcomes(steps, classes.len())?;
    let work = u64::try_from(outcomes)
        .ok()?
        .checked_mul(steps)?
        .checked_mul(selected)?;
    let words = steps.checked_mul(digits)?.div_ceil(128);
    let terms = u64::try_from(outcomes)
        .ok()?
        .checked_mul(words.checked_pow(2)?)?;
    if work.checked_mul(digits.max(8) / 8)? > MOST_WORK || terms > MOST_WORK_OF_TERMS {
        return None;
    }
    let (runs, chosen) = (u32::try_from(steps).ok()?, u32::try_from(selected).ok()?);
    let orders = Integer::from(Integer::binomial_u(runs, chosen));
    let selected = usize::try_from(selected).ok()?;
    // Over one denominator, as bringing each fraction to its lowest terms takes most of the time.
    let denominators = classes.iter().flat_map(|(p, q)| [p.denom(), q.denom()]);
    let shared = denominators.fold(Integer::from(1), |all, one| all.lcm(one));
    let whole = |x: &Rational| x.numer() * Integer::from(shared.div_exact_ref(x.denom()));
    // Powers (p + q·z)^c up to z^selected.
    let powers: Vec<Vec<Vec<Integer>>> = classes
        .iter()
        .map(|(p, q)| powers(&whole(p), &whole(q), runs, selected))
        .collect();
    let below = shared.pow(runs);
    let below_chosen = Integer::from(&below * &orders);
    let mut found = (Vec::new(), Vec::new());
    let one = constant(selected);
    spread(&powers, runs, &one, &mut |without, with| {
        found.0.push(Rational::from((without, below.clone())));
        found.1.push(Rational::from((with, below_chosen.clone())));
    });
    Some(found)
}

/// The polynomial 1, up to that power.
fn constant(last: usize) -> Vec<Integer> {
    let one = std::iter::once(Integer::from(1));
    one.chain(std::iter::repeat_n(Integer::new(), last))
        .collect()
}

/// Outcomes with the same ratio are one.
fn classes(p: &[Rational], q: &[Rational]) -> Vec<(Rational, Rational)> {
    let mut all: Vec<(Rational, Rational)> = Vec::new();
    for (p, q) in p.iter().zip(q) {
        if *p == 0 && *q == 0 {
            continue;
        }
        let same =
            |(a, b): &&mut (Rational, Rational)| Rational::from(a * q) == Rational::from(b * p);
        match all.iter_mut().find(same) {
            Some((a, b)) => {
                *a += p;
                *b += q;
            }
            None => all.push((p.clone(), q.clone())),
        }
    }
    all
}

/// How many ways there are to split `steps` among the classes.
fn outcomes(steps: u64, classes: usize) -> Option<usize> {
    let rest = u32::try_from(classes.checked_sub(1)?).ok()?;
    let ways = Integer::from(steps.checked_add(u64::from(rest))?).binomial(rest);
    ways.to_usize().filter(|ways| *ways <= MOST_OUTCOMES)
}

fn powers(p: &Integer, q: &Integer, steps: u32, selected: usize) -> Vec<Vec<Integer>> {
    let mut power = constant(selected);
    let mut all = vec![power.clone()];
    for _ in 0..steps {
        let lower = std::iter::once(Integer::new()).chain(power.iter().cloned());
        let next = power
            .iter()
            .zip(lower)
            .map(|(same, lower)| Integer::from(same * p) + lower * q);
        power = next.collect();
        all.push(power.clone());
    }
    all
}

/// Products of one power of each class, their exponents adding up to `left`, as often as there are orders of the outcomes: the first and the last coefficient.
fn spread(
    powers: &[Vec<Vec<Integer>>],
    left: u32,
    so_far: &[Integer],
    found: &mut dyn FnMut(Integer, Integer),
) {
    let Some((first, rest)) = powers.split_first() else {
        return;
    };
    if rest.is_empty() {
        let last = usize::try_from(left).ok().and_then(|left| first.get(left));
        if let Some(power) = last {
            let (without, with) = ends_of_product(so_far, power);
            found(without, with);
        }
        return;
    }
    for (count, power) in (0..=left).zip(first) {
        let ways = Integer::from(Integer::binomial_u(left, count));
        let mut next = product(so_far, power);
        for one in &mut next {
            *one *= &ways;
        }
        spread(rest, left.saturating_sub(count), &next, found);
    }
}

/// The product of two polynomials, as far as their length.
fn product(a: &[Integer], b: &[Integer]) -> Vec<Integer> {
    let mut all = vec![Integer::new(); a.len()];
    for (shift, x) in a.iter().enumerate().filter(|(_, x)| **x != 0) {
        for (slot, y) in all.iter_mut().skip(shift).zip(b) {
            *slot += x * y;
        }
    }
    all
}

/// Of the product of two polynomials of equal length, the first coefficient and that of the last power that they have.
fn ends_of_product(a: &[Integer], b: &[Integer]) -> (Integer, Integer) {
    let products = |(x, y): (&Integer, &Integer)| Integer::from(x * y);
    let first = a.iter().zip(b).next().map(products).unwrap_or_default();
    let last = a.iter().zip(b.iter().rev()).map(products).sum();
    (first, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    /// δ(u) by definition: over all sequences of outcomes and all choices of the steps with the record.
    fn by_enumeration(
        p: &[Rational],
        with: &[Rational],
        steps: u32,
        selected: u32,
        u: &Rational,
        is_swapped: bool,
    ) -> Rational {
        let base = p.len() as u32;
        let choices: Vec<u32> = (0u32..1 << steps)
            .filter(|set| set.count_ones() == selected)
            .collect();
        let mut delta = Rational::new();
        for code in 0..base.pow(steps) {
            let outcome = |i: u32| (code / base.pow(i) % base) as usize;
            let mass = |set: u32| {
                (0..steps).fold(q(1, 1), |m, i| {
                    m * if set >> i & 1 == 1 {
                        &with[outcome(i)]
                    } else {
                        &p[outcome(i)]
                    }
                })
            };
            let without = mass(0);
            let all: Rational = choices.iter().map(|set| mass(*set)).sum();
            let all = all / choices.len() as u32;
            let gain = if is_swapped {
                without - u * all
            } else {
                all - u * without
            };
            delta += gain.max(Rational::new());
        }
        delta
    }

    fn delta(p: &[Rational], with: &[Rational], u: &Rational) -> Rational {
        let gains = p
            .iter()
            .zip(with)
            .map(|(p, q)| (q - Rational::from(u * p)).max(Rational::new()));
        gains.sum()
    }

    /// Against the definition, with outcomes of one hypothesis only too, in both orders.
    #[test]
    fn is_what_the_definition_says() {
        let bases = [
            (vec![q(1, 10), q(9, 10)], vec![q(9, 10), q(1, 10)]),
            (
                vec![q(1, 2), q(1, 3), q(1, 6)],
                vec![q(1, 3), q(1, 2), q(1, 6)],
            ),
            (
                vec![q(1, 2), q(1, 2), q(0, 1)],
                vec![q(1, 4), q(1, 4), q(1, 2)],
            ),
            (vec![q(1, 4), q(3, 4)], vec![q(1, 1), q(0, 1)]),
        ];
        for (p, with) in &bases {
            for (steps, selected) in [(1, 1), (2, 1), (4, 1), (4, 2), (5, 3), (3, 3)] {
                let (one, other) = pair(p, with, steps.into(), selected.into()).unwrap();
                assert_eq!(one.iter().sum::<Rational>(), 1);
                assert_eq!(other.iter().sum::<Rational>(), 1);
                for u in [q(1, 5), q(2, 3), q(1, 1), q(3, 2), q(4, 1)] {
                    let truth = |swap| by_enumeration(p, with, steps, selected, &u, swap);
                    assert_eq!(
                        delta(&one, &other, &u),
                        truth(false),
                        "{steps} {selected} {u}"
                    );
                    assert_eq!(
                        delta(&other, &one, &u),
                        truth(true),
                        "{steps} {selected} {u}"
                    );
                }
            }
        }
    }

    /// Several steps of one record are at most a composition of blocks with one each, and at least one step that has the record now and then (A4).
    #[test]
    fn several_steps_lie_between_blocks_and_one_step() {
        let bases = [
            (vec![q(1, 10), q(9, 10)], vec![q(9, 10), q(1, 10)]),
            (
                vec![q(1, 2), q(1, 3), q(1, 6)],
                vec![q(1, 3), q(1, 2), q(1, 6)],
            ),
            (
                vec![q(1, 2), q(1, 2), q(0, 1)],
                vec![q(1, 4), q(1, 4), q(1, 2)],
            ),
        ];
        let times = |a: &[Rational], b: &[Rational]| -> Vec<Rational> {
            a.iter()
                .flat_map(|x| b.iter().map(move |y| Rational::from(x * y)))
                .collect()
        };
        for (p, with) in &bases {
            for (steps, selected) in [(4u64, 2u64), (6, 2), (7, 3), (5, 2)] {
                let truth = pair(p, with, steps, selected).unwrap();
                let block = pair(p, with, steps / selected, 1).unwrap();
                let most = (1..selected).fold(block.clone(), |all, _| {
                    (times(&all.0, &block.0), times(&all.1, &block.1))
                });
                let share = Rational::from((selected, steps));
                let least: Vec<Rational> = p
                    .iter()
                    .zip(with)
                    .map(|(p, q)| p + (Rational::from(q - p) * &share))
                    .collect();
                for n in 1..30i64 {
                    let u = q(n * n, 40);
                    let both = |a: &[Rational], b: &[Rational]| [delta(a, b, &u), delta(b, a, &u)];
                    let (truth, most) = (both(&truth.0, &truth.1), both(&most.0, &most.1));
                    let least = both(p, &least);
                    for ((least, truth), most) in least.iter().zip(&truth).zip(&most) {
                        assert!(least <= truth && truth <= most, "{steps} {selected} {u}");
                    }
                }
            }
        }
    }

    /// Removing is not always worse, not even for ε ≥ 0.
    #[test]
    fn adding_can_be_worse_than_removing() {
        let (p, with) = (vec![q(1, 10), q(9, 10)], vec![q(9, 10), q(1, 10)]);
        let (one, other) = pair(&p, &with, 10, 1).unwrap();
        let u = q(3, 2);
        let (remove, add) = (delta(&one, &other, &u), delta(&other, &one, &u));
        assert_eq!(remove, q(711_943_423, 4_000_000_000));
        assert!(
            add > q(29_056, 100_000) && add < q(29_058, 100_000),
            "{}",
            add.to_f64()
        );
    }

    /// Many steps that have the record, of two and of three outcomes, are looked at in a second: rounding nothing, they add up to 1.
    #[test]
    fn many_selected_steps_add_up() {
        let bases = [
            (vec![q(1, 6), q(5, 6)], vec![q(5, 6), q(1, 6)], 556, 93),
            (
                vec![q(5, 7), q(1, 7), q(1, 7)],
                vec![q(1, 7), q(5, 7), q(1, 7)],
                60,
                45,
            ),
        ];
        for (p, with, steps, selected) in bases {
            let (one, other) = pair(&p, &with, steps, selected).unwrap();
            assert_eq!(one.iter().sum::<Rational>(), 1);
            assert_eq!(other.iter().sum::<Rational>(), 1);
        }
    }

    #[test]
    fn what_is_too_large_is_left() {
        let thirds = vec![q(1, 3); 3];
        let with = vec![q(1, 2), q(1, 3), q(1, 6)];
        assert!(pair(&thirds, &with, 1000, 1).is_none());
        assert!(pair(&thirds, &with, u64::MAX, 1).is_none());
        // Few outcomes of many digits each.
        let half = [q(1, 55), q(54, 55)];
        let turned = [q(54, 55), q(1, 55)];
        assert!(pair(&half, &turned, 6152, 1).is_none());
        assert!(pair(&[q(1, 10), q(9, 10)], &[q(9, 10), q(1, 10)], 1_000, 1).is_some());
    }
}
