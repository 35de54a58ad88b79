//! Strict μ* of a finite law: the largest μ that a vertex of its trade-off curve asks for.

use rug::Float;

use crate::kernel::{Interval, normal};
use crate::mechanism::finite::FiniteLaw;

/// max_j Φ⁻¹(1 − α_j) − Φ⁻¹(β_j) over the vertices α_j = P(L ≥ y_j), β_j = Q(L < y_j): G_μ is convex, so a piecewise
/// linear curve lies above it if its vertices do, and G_μ(α) ≤ β means μ ≥ Φ⁻¹(1 − α) − Φ⁻¹(β).
///
/// Requires: no mass on infinite losses.
pub(crate) fn finite_mu(law: &FiniteLaw, bits: u32) -> Interval {
    let working = bits.saturating_add(64);
    let numbers = law.numbers(working);
    let zero = Interval::zero(working);
    let suffix = |masses: &mut dyn Iterator<Item = &Interval>| -> Vec<Interval> {
        masses
            .scan(zero.clone(), |sum, mass| {
                *sum = sum.add(mass);
                Some(sum.at_bits(bits).in_unit())
            })
            .collect()
    };
    let mut alpha = suffix(&mut numbers.without.iter().rev());
    alpha.reverse();
    let beta = suffix(&mut numbers.with.iter());
    // β_j leaves out atom j: the vertices are (P(L ≥ y_j), Q(L < y_j)) for j ≥ 1, between (1, 0) and (0, 1).
    let mut search = Search {
        vertices: alpha.into_iter().skip(1).zip(beta).collect(),
        best: Interval::zero(bits),
    };
    let all = search.vertices.len();
    search.visit(0, all);
    search.best
}

/// Branch and bound: along the vertices α falls and β rises, so the two ends of a block bound all of it.
struct Search {
    vertices: Vec<(Interval, Interval)>,
    /// Encloses the largest value seen.
    best: Interval,
}

impl Search {
    /// Afterwards `best` encloses a number not below the value at any vertex in start..end.
    fn visit(&mut self, start: usize, end: usize) {
        let Some(last) = end.checked_sub(1).filter(|last| *last >= start) else {
            return;
        };
        if last > start
            && self
                .bound(start, last)
                .is_some_and(|most| most <= *self.best.lo())
        {
            return;
        }
        let middle = start.midpoint(last);
        if let Some((alpha, beta)) = self.vertices.get(middle) {
            let value = normal::survival_inverse(alpha).add(&normal::survival_inverse(beta));
            self.best = self.best.max(&value);
        }
        self.visit(start, middle);
        self.visit(middle.saturating_add(1), end);
    }

    fn bound(&self, start: usize, last: usize) -> Option<Float> {
        let (alpha, _) = self.vertices.get(last)?;
        let (_, beta) = self.vertices.get(start)?;
        let sum = normal::survival_inverse(alpha).add(&normal::survival_inverse(beta));
        Some(sum.hi().clone())
    }
}
