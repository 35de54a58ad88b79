//! Rényi divergences of `zcdp` and `rdp` classes: what is stated, and what a Gaussian member attains.

use rug::{Integer, Rational};

use crate::mechanism::{Direction, Step, Steps};

/// Bounds of the supremum over a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Attained by a member.
    pub at_least: Rational,
    /// True of every member; `None` where nothing is.
    pub at_most: Option<Rational>,
}

/// ρ* of a class, of which there must be one among the steps; `None` otherwise.
///
/// Ensures: D_t adds up over a composition and a μ-GDP mechanism has D_t ≤ tμ²/2 (Bun and Steinke 2016, Lemma 1.7), so Σ ρ
/// and Σ μ²/2 bound every member, and the Gaussian mechanism with that sum is one. Poisson sampling at a rate above 0 leaves both
/// as they are (R7; D_t is quasi-convex). A table of orders says nothing of t → ∞.
pub fn rho(steps: &Steps) -> Option<Range> {
    let sums = Sums::of(steps)?;
    Some(Range {
        at_most: sums.is_all_zcdp.then(|| sums.linear.clone()),
        at_least: sums.linear,
    })
}

/// D_t of a class, for an order t > 0.
///
/// Ensures: guarantees at other orders bound it ([`between`]), and for
/// ρ-zCDP D_t ≤ D_1 ≤ ρ for t < 1. Bounds of parts add up, however adaptive they are (Mironov 2017, Proposition 1).
pub fn divergence(steps: &Steps, order: &Rational) -> Option<Range> {
    let sums = Sums::of(steps)?;
    let at_least = if sums.is_sampled {
        Rational::new()
    } else {
        Rational::from(&sums.linear * order)
    };
    let at_most = most(steps, order);
    Some(Range { at_least, at_most })
}

/// Is no number the largest D_t of a class, in this direction of its pairs: at this order, or, without one, at large ones?
///
/// Ensures: if so, for every number there is a member with a larger D_t. Of a table of orders of at most T, all with room, a test of power c·p^(1 − 1/T) at size p belongs
/// to a member for small c and all small p (`proofs/README.md`, C5), and its D_t tends to ∞ at t > T as p → 0. Other steps beside it make D_t no
/// smaller (data processing); on a sample, or in one of several parts, power and size lose a factor, except that (Q, P) has bounded losses on a sample.
pub fn has_no_largest(steps: &Steps, order: Option<&Rational>, direction: Direction) -> bool {
    let in_steps = |steps| has_no_largest(steps, order, direction);
    steps.list().iter().any(|(step, _)| match step {
        Step::Rdp { orders } => orders
            .iter()
            .all(|(t, epsilon)| *epsilon > 0 && order.is_none_or(|order| order > t)),
        Step::Sampled(sampled) => direction == Direction::Remove && in_steps(sampled.of()),
        Step::Labelled(parts) => parts.iter().any(|(_, part)| in_steps(part)),
        Step::Zcdp { .. } | Step::Gaussian { .. } | Step::Laplace { .. } => false,
        Step::DiscreteGaussian { .. } | Step::Finite(_) | Step::Shifted(_) => false,
        Step::Closed(_) => false,
    })
}

/// Σ of what D_t is at most of each step; `None` if there is no bound of one.
fn most(steps: &Steps, order: &Rational) -> Option<Rational> {
    let each = steps.list().iter().map(|(step, times)| {
        let one = match step {
            Step::Zcdp { rho } => rho * order.clone().max(Rational::from(1)),
            Step::Rdp { orders } if says_nothing(orders) => Rational::new(),
            Step::Rdp { orders } => between(orders, order)?,
            Step::Gaussian { mu_squared } => Rational::from(mu_squared / 2u32) * order,
            // A sample raises no D_t, which is quasi-convex.
            Step::Sampled(sampled) => most(sampled.of(), order)?,
            Step::Laplace { .. }
            | Step::DiscreteGaussian { .. }
            | Step::Finite(_)
            | Step::Shifted(_)
            | Step::Labelled(_)
            | Step::Closed(_) => return None,
        };
        Some(one * Integer::from(*times))
    });
    each.sum()
}

/// So many chords are looked at.
const MOST_CHORDS: usize = 4096;

/// D_t of whatever has these divergences, at most, `order` > 0: the chord of (t − 1)·D_t, which is convex and 0 at t = 1, from any order on the left to any on the right; so
/// no more than at a larger order. `None` beyond all of them.
///
/// Ensures: van Erven and Harremoës 2014, Corollary 2 and Theorem 3.
pub fn between(orders: &[(Rational, Rational)], order: &Rational) -> Option<Rational> {
    let (before, beyond): (Vec<_>, Vec<_>) = orders.iter().partition(|(t, _)| t < order);
    let least = beyond.iter().map(|(_, epsilon)| epsilon).min()?.clone();
    let excess = Rational::from(order - 1u32);
    if excess <= 0 {
        return Some(least);
    }
    let mut most = least;
    // Of long tables the orders next to it: all pairs would take long.
    let is_long = before.len().saturating_mul(beyond.len()) > MOST_CHORDS;
    let reach = if is_long { 1 } else { usize::MAX };
    let by_order = |a: &&(Rational, Rational), b: &&(Rational, Rational)| a.0.cmp(&b.0);
    let nearest = if is_long {
        before.iter().copied().max_by(by_order)
    } else {
        None
    };
    let next = if is_long {
        beyond.iter().copied().min_by(by_order)
    } else {
        None
    };
    let before = nearest
        .into_iter()
        .chain(before.iter().copied().filter(|_| reach > 1));
    for (near, low) in before {
        let beyond = next
            .into_iter()
            .chain(beyond.iter().copied().filter(|_| reach > 1));
        for (far, high) in beyond {
            let share = Rational::from(order - near) / Rational::from(far - near);
            let ends = [(near, low), (far, high)];
            let [left, right] = ends.map(|(t, epsilon)| Rational::from(t - 1u32) * epsilon);
            let chord = (right - &left) * share + left;
            most = most.min(chord / &excess);
        }
    }
    Some(most)
}

/// Is P = Q of all members, because some D_t is 0?
fn says_nothing(orders: &[(Rational, Rational)]) -> bool {
    orders.iter().any(|(_, epsilon)| *epsilon == 0)
}

/// The Gaussian member of a class.
struct Sums {
    /// Σ ρ, with min ε(t)/t for a table.
    linear: Rational,
    is_all_zcdp: bool,
    has_class: bool,
    /// Is there a part of which the D_t of the Gaussian member is not known?
    is_sampled: bool,
}

impl Sums {
    fn of(steps: &Steps) -> Option<Self> {
        Self::of_all(steps).filter(|sums| sums.has_class)
    }

    fn of_all(steps: &Steps) -> Option<Self> {
        let start = Self::known(Rational::new());
        steps.list().iter().try_fold(start, |sum, (step, times)| {
            let one = Self::of_step(step)?;
            Some(Self {
                linear: sum.linear + one.linear * Integer::from(*times),
                is_all_zcdp: sum.is_all_zcdp && one.is_all_zcdp,
                has_class: sum.has_class || one.has_class,
                is_sampled: sum.is_sampled || one.is_sampled,
            })
        })
    }

    fn of_step(step: &Step) -> Option<Self> {
        match step {
            Step::Zcdp { rho } => Some(Self {
                has_class: true,
                ..Self::known(rho.clone())
            }),
            Step::Rdp { orders } if says_nothing(orders) => Some(Self {
                has_class: true,
                ..Self::known(Rational::new())
            }),
            Step::Rdp { orders } => {
                let ratios = orders
                    .iter()
                    .map(|(order, epsilon)| Rational::from(epsilon / order));
                Some(Self {
                    linear: ratios.min()?,
                    is_all_zcdp: false,
                    has_class: true,
                    is_sampled: false,
                })
            }
            Step::Sampled(sampled) => Some(Self {
                is_sampled: true,
                ..Self::of_all(sampled.of())?
            }),
            Step::Gaussian { mu_squared } => Some(Self::known(Rational::from(mu_squared / 2u32))),
            Step::Laplace { .. }
            | Step::DiscreteGaussian { .. }
            | Step::Finite(_)
            | Step::Shifted(_)
            | Step::Labelled(_)
            | Step::Closed(_) => None,
        }
    }

    fn known(linear: Rational) -> Self {
        Self {
            linear,
            is_all_zcdp: true,
            has_class: false,
            is_sampled: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::Mechanism;

    fn q(n: u32, d: u32) -> Rational {
        Rational::from((n, d))
    }

    #[test]
    fn zcdp_is_attained() {
        let class = Mechanism::zcdp(q(1, 2)).unwrap();
        let range = |at_least, at_most| Some(Range { at_least, at_most });
        assert_eq!(rho(class.steps()), range(q(1, 2), Some(q(1, 2))));
        assert_eq!(
            divergence(class.steps(), &q(3, 1)),
            range(q(3, 2), Some(q(3, 2)))
        );
        assert_eq!(
            divergence(class.steps(), &q(1, 2)),
            range(q(1, 4), Some(q(1, 2)))
        );
        assert_eq!(rho(Mechanism::gdp(q(1, 1)).unwrap().steps()), None);
    }

    #[test]
    fn sampling_keeps_rho_and_raises_no_divergence() {
        let sampled = |of| Mechanism::subsampled(q(1, 100), of).unwrap();
        let range = |at_least, at_most| Some(Range { at_least, at_most });
        let class = sampled(Mechanism::zcdp(q(1, 2)).unwrap());
        assert_eq!(rho(class.steps()), range(q(1, 2), Some(q(1, 2))));
        assert_eq!(
            divergence(class.steps(), &q(3, 1)),
            range(q(0, 1), Some(q(3, 2)))
        );
        let table = sampled(Mechanism::rdp(vec![(q(2, 1), q(1, 1))]).unwrap());
        assert_eq!(
            divergence(table.steps(), &q(2, 1)),
            range(q(0, 1), Some(q(1, 1)))
        );
        assert_eq!(rho(table.steps()), range(q(1, 2), None));
        assert_eq!(rho(sampled(Mechanism::gdp(q(1, 1)).unwrap()).steps()), None);
    }

    /// 2·0.1 + 0.2 + 0.3·t + t/2 at t = 2; beyond the last order of one of them nothing is known.
    #[test]
    fn bounds_of_parts_add_up() {
        let table = Mechanism::rdp(vec![(q(2, 1), q(1, 10)), (q(4, 1), q(1, 5))]).unwrap();
        let other = Mechanism::rdp(vec![(q(3, 1), q(1, 5))]).unwrap();
        let zcdp = Mechanism::zcdp(q(3, 10)).unwrap();
        let noise = Mechanism::gaussian(1, 1).unwrap();
        let all = Mechanism::compose(vec![(table, 2), (other, 1), (zcdp, 1), (noise, 1)]).unwrap();
        let at_most = |t| divergence(all.steps(), &q(t, 1)).unwrap().at_most;
        assert_eq!(at_most(2), Some(q(2, 1)));
        assert_eq!(at_most(4), None);
        let sampled = Mechanism::subsampled(q(1, 2), all.clone()).unwrap();
        let found = divergence(sampled.steps(), &q(2, 1)).unwrap();
        assert_eq!(found.at_most, Some(q(2, 1)));
        assert_eq!(found.at_least, 0);
    }

    /// Whatever stands beside it, on a sample in one direction, in one of several parts; none of an order that is listed, of ρ-zCDP, or of P = Q.
    #[test]
    fn tables_have_no_largest_divergence_beyond() {
        let [remove, add] = [Direction::Remove, Direction::Add];
        let table = |less: u32| Mechanism::rdp(vec![(q(2, 1), q(less, 1)), (q(4, 1), q(3, 2))]);
        let is = |mechanism: &Mechanism, order: Option<&Rational>, direction| {
            has_no_largest(mechanism.steps(), order, direction)
        };
        let class = table(1).unwrap();
        let laplace = Mechanism::laplace(1, 1).unwrap();
        let beside = Mechanism::compose(vec![(laplace.clone(), 1), (class.clone(), 2)]).unwrap();
        let parts = vec![(q(1, 3), class.clone()), (q(2, 3), laplace)];
        let mixture = Mechanism::mixture(parts).unwrap();
        for mechanism in [&class, &beside, &mixture] {
            for direction in [remove, add] {
                assert!(is(mechanism, None, direction));
                assert!(is(mechanism, Some(&q(41, 10)), direction));
                assert!(!is(mechanism, Some(&q(4, 1)), direction));
            }
        }
        let sampled = Mechanism::subsampled(q(1, 100), beside).unwrap();
        assert!(is(&sampled, None, remove) && is(&sampled, Some(&q(5, 1)), remove));
        assert!(!is(&sampled, None, add) && !is(&sampled, Some(&q(5, 1)), add));
        for nothing in [table(0).unwrap(), Mechanism::zcdp(q(1, 2)).unwrap()] {
            assert!(!is(&nothing, None, remove) && !is(&nothing, Some(&q(9, 1)), add));
        }
        let nothing = table(0).unwrap();
        let zero = Some(Range {
            at_least: q(0, 1),
            at_most: Some(q(0, 1)),
        });
        assert_eq!(rho(nothing.steps()), zero);
        assert_eq!(divergence(nothing.steps(), &q(9, 1)), zero);
    }

    /// c·p^(1 − 1/T) against p has D_t ≤ ε(t) at the orders of the table for every small p, in both directions, and D_5 rises with log(1/p)/16.
    #[test]
    fn members_with_power_tails() {
        let psi = |t: f64, q: f64, p: f64| {
            let one = t * q.ln() + (1.0 - t) * p.ln();
            let other = t * (-q).ln_1p() + (1.0 - t) * (-p).ln_1p();
            (one.exp() + other.exp()).ln()
        };
        let mut last = 0.0;
        for digits in [10, 20, 40, 80] {
            let p = 10f64.powi(-digits);
            let q = p.powf(0.75) / 2.0;
            for (t, epsilon) in [(2.0, 0.25), (4.0, 0.5)] {
                for (q, p) in [(q, p), (p, q)] {
                    assert!(psi(t, q, p) <= (t - 1.0) * epsilon, "{t} {digits}");
                }
            }
            let now = psi(5.0, q, p) / 4.0;
            let expected = f64::from(digits) * 10f64.ln() / 16.0 - 5.0 / 4.0 * 2f64.ln();
            assert!((now - expected).abs() < 0.2 && now > last, "{digits} {now}");
            last = now;
        }
    }

    #[test]
    fn a_table_bounds_smaller_orders_only() {
        let class = Mechanism::rdp(vec![(q(2, 1), q(1, 1)), (q(4, 1), q(3, 2))]).unwrap();
        let range = |at_least, at_most| Some(Range { at_least, at_most });
        assert_eq!(rho(class.steps()), range(q(3, 8), None));
        assert_eq!(
            divergence(class.steps(), &q(3, 1)),
            // Half way from 1 to 9/2, over 2.
            range(q(9, 8), Some(q(11, 8)))
        );
        assert_eq!(
            divergence(class.steps(), &q(2, 1)),
            range(q(3, 4), Some(q(1, 1)))
        );
        assert_eq!(divergence(class.steps(), &q(5, 1)), range(q(15, 8), None));
    }
}

#[cfg(test)]
#[path = "class_tests.rs"]
mod class_tests;
