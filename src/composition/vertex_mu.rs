//! Strict μ* of a finite law: the largest μ that a vertex of its trade-off curve asks for.

use rug::Float;

use crate::kernel::{Interval, is_late, normal};
use crate::mechanism::finite::FiniteLaw;

/// max_j Φ⁻¹(1 − α_j) − Φ⁻¹(β_j) over the vertices α_j = P(L ≥ y_j), β_j = Q(L < y_j): G_μ is convex, so a piecewise
/// linear curve lies above it if its vertices do, and G_μ(α) ≤ β means μ ≥ Φ⁻¹(1 − α) − Φ⁻¹(β).
///
/// Requires: no mass on infinite losses.
/// Ensures: an enclosure; without an upper end where the time is over before all vertices are seen.
pub(crate) fn finite_mu(law: &FiniteLaw, bits: u32) -> Interval {
    let working = bits.saturating_add(64);
    let numbers = law.numbers(working);
    let sums = |masses: &mut dyn Iterator<Item = &Interval>| -> Vec<Interval> {
        let running = masses.scan(Interval::zero(working), |sum, mass| {
            *sum = sum.add(mass);
            Some(sum.clone())
        });
        running.collect()
    };
    let backwards = |masses: &[Interval]| {
        let mut tails = sums(&mut masses.iter().rev());
        tails.reverse();
        tails
    };
    // The vertices lie between the atoms: (P(L ≥ y_j), Q(L < y_j)) for j ≥ 1, each with its complement.
    let alpha = backwards(&numbers.without).into_iter().skip(1);
    let alpha = alpha.zip(sums(&mut numbers.without.iter()));
    let beta = sums(&mut numbers.with.iter()).into_iter();
    let beta = beta.zip(backwards(&numbers.with).into_iter().skip(1));
    let level = |(mass, rest): (Interval, Interval)| Level {
        mass: mass.at_bits(bits),
        rest: rest.at_bits(bits),
    };
    let mut search = Search {
        vertices: alpha.map(level).zip(beta.map(level)).collect(),
        best: Interval::zero(bits),
    };
    let all = search.vertices.len();
    search.visit(0, all);
    search.best
}

/// A probability and its complement, each with small relative width.
struct Level {
    mass: Interval,
    rest: Interval,
}

impl Level {
    /// Φ⁻¹(1 − mass), from the smaller of the two probabilities.
    fn quantile(&self) -> Interval {
        if self.mass.certainly_le(&self.rest) {
            normal::survival_inverse(&self.mass.in_unit())
        } else {
            normal::survival_inverse(&self.rest.in_unit()).neg()
        }
    }
}

/// Branch and bound: along the vertices α falls and β rises, so the two ends of a block bound all of it.
struct Search {
    vertices: Vec<(Level, Level)>,
    /// Encloses the largest value seen.
    best: Interval,
}

impl Search {
    /// Afterwards `best` encloses a number not below the value at any vertex in start..end.
    fn visit(&mut self, start: usize, end: usize) {
        let Some(last) = end.checked_sub(1).filter(|last| *last >= start) else {
            return;
        };
        if is_late() {
            self.best = self.best.hull(&Interval::infinity(self.best.bits()));
            return;
        }
        if last > start
            && self
                .bound(start, last)
                .is_some_and(|most| most <= *self.best.lo())
        {
            return;
        }
        let middle = start.midpoint(last);
        if let Some((alpha, beta)) = self.vertices.get(middle) {
            let value = alpha.quantile().add(&beta.quantile());
            self.best = self.best.max(&value);
        }
        self.visit(start, middle);
        self.visit(middle.saturating_add(1), end);
    }

    fn bound(&self, start: usize, last: usize) -> Option<Float> {
        let (alpha, _) = self.vertices.get(last)?;
        let (_, beta) = self.vertices.get(start)?;
        let sum = alpha.quantile().add(&beta.quantile());
        Some(sum.hi().clone())
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use super::*;
    use crate::kernel::coarse::{FINE, at_most_bits, late};

    /// At a few bits: what bounds a block is not below what any vertex in it asks for.
    #[test]
    fn blocks_are_bounded_from_above() {
        let share = |n: i64| Rational::from((n, 29));
        let level = |x: &Rational| Level {
            mass: Interval::from_rational(x, 90),
            rest: Interval::from_rational(&Rational::from(1 - x), 90),
        };
        let vertices = [(25, 1), (19, 3), (12, 9), (7, 12), (2, 26)];
        let asked = |alpha: i64, beta: i64| {
            let z = |n: i64| normal::survival_inverse(&Interval::from_rational(&share(n), FINE));
            z(alpha).add(&z(beta))
        };
        for bits in [3, 4, 5, 7, 11] {
            for (start, (_, beta)) in vertices.iter().enumerate() {
                for (last, (alpha, _)) in vertices.iter().enumerate().skip(start) {
                    let bound = at_most_bits(bits, || {
                        let all = vertices
                            .iter()
                            .map(|(a, b)| (level(&share(*a)), level(&share(*b))));
                        let search = Search {
                            vertices: all.collect(),
                            best: Interval::zero(90),
                        };
                        search.bound(start, last).unwrap()
                    });
                    assert!(
                        bound >= *asked(*alpha, *beta).lo(),
                        "{start} {last} at {bits} bits"
                    );
                }
            }
        }
    }

    /// Where the time is over before all vertices are seen, nothing is said from above.
    #[test]
    fn what_is_not_seen_may_be_anything() {
        let share = |n: i64| Rational::from((n, 10));
        let law = crate::mechanism::finite_pair::law(
            &[share(5), share(3), share(2)],
            &[share(2), share(3), share(5)],
        );
        let law = law.unwrap();
        let truth = finite_mu(&law, 90);
        assert!(truth.is_positive() && truth.width_up() < 1e-12);
        let late = late(|| finite_mu(&law, 90));
        assert!(late.hi().is_infinite() && late.lo() <= truth.lo());
    }
}
