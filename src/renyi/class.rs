//! Rényi divergences of `zcdp` and `rdp` classes: what is stated, and what a Gaussian member attains.

use rug::{Integer, Rational};

use crate::mechanism::{Step, Steps};

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
/// Ensures: D_t grows with t (van Erven and Harremoës 2014, Theorem 3), so a guarantee at a larger order bounds it, and for
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

/// Σ of what D_t is at most of each step; `None` if there is no bound of one.
fn most(steps: &Steps, order: &Rational) -> Option<Rational> {
    let each = steps.list().iter().map(|(step, times)| {
        let one = match step {
            Step::Zcdp { rho } => rho * order.clone().max(Rational::from(1)),
            Step::Rdp { orders } => {
                let beyond = orders.iter().filter(|(t, _)| t >= order);
                beyond.map(|(_, epsilon)| epsilon.clone()).min()?
            }
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

    #[test]
    fn a_table_bounds_smaller_orders_only() {
        let class = Mechanism::rdp(vec![(q(2, 1), q(1, 1)), (q(4, 1), q(3, 2))]).unwrap();
        let range = |at_least, at_most| Some(Range { at_least, at_most });
        assert_eq!(rho(class.steps()), range(q(3, 8), None));
        assert_eq!(
            divergence(class.steps(), &q(3, 1)),
            range(q(9, 8), Some(q(3, 2)))
        );
        assert_eq!(
            divergence(class.steps(), &q(2, 1)),
            range(q(3, 4), Some(q(1, 1)))
        );
        assert_eq!(divergence(class.steps(), &q(5, 1)), range(q(15, 8), None));
    }
}
