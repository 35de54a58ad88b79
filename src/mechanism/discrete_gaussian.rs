//! Discrete Gaussian noise on an integer query: mass ∝ e^{−k²/(2σ²)} on the integers (Canonne, Kamath and Steinke 2020).

use std::sync::Arc;

use rug::{Float, Integer, Rational, float::Round};

use super::evaluate::{Cache, refined};
use super::theta::{HingeSums, ThetaTable};
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};

/// The pair of discrete Gaussians centred at 0 and at d ≥ 1; it is symmetric. The losses are the lattice
/// y_k = d(k − d/2)/σ², with Q(k) = e^{−(k−d)²/(2σ²)}/Z and P(k) = Q(k + d).
#[derive(Debug, Clone)]
pub struct DiscreteGaussian {
    variance: Rational,
    shift: i64,
    tables: Arc<Cache<u32, ThetaTable>>,
}

/// The law of the loss on its lattice.
#[derive(Debug, Clone)]
pub struct LatticeMasses {
    /// Distance d/σ² of neighbouring losses.
    pub step: Rational,
    /// The loss y_0 = −d²/(2σ²).
    pub offset: Rational,
    /// Index k of the first mass listed.
    pub first_index: i64,
    /// Q(L = y_k) for k from `first_index` on. The list is symmetric about d/2: P has the same masses in reverse.
    pub masses: Vec<Interval>,
    /// Q-mass of all smaller losses, and P-mass of all larger ones.
    pub mass_below: Interval,
    /// Q-mass of all larger losses, and P-mass of all smaller ones.
    pub mass_above: Interval,
}

/// Sums over the lattice take about 20·σ terms; these limits keep them to seconds.
const LARGEST_SIGMA: u32 = 20_000;
const LARGEST_SHIFT: u64 = 400_000;

impl DiscreteGaussian {
    /// The pair for parameter σ and the given integer sensitivity. `None` for σ above 20,000 or a sensitivity above
    /// 400,000, whose sums have too many terms.
    ///
    /// Requires: `sigma > 0`, `sensitivity ≥ 1`.
    pub fn new(sigma: &Rational, sensitivity: u64) -> Option<Self> {
        if *sigma > LARGEST_SIGMA || sensitivity > LARGEST_SHIFT {
            return None;
        }
        Some(Self {
            variance: sigma.clone().square(),
            shift: i64::try_from(sensitivity).ok()?,
            tables: Arc::default(),
        })
    }

    /// σ².
    pub fn variance(&self) -> &Rational {
        &self.variance
    }

    /// The sensitivity d.
    pub fn shift(&self) -> i64 {
        self.shift
    }

    /// d/σ², the distance of neighbouring losses.
    pub fn step(&self) -> Rational {
        Rational::from(self.shift) / &self.variance
    }

    /// y_0 = −d²/(2σ²).
    pub fn offset(&self) -> Rational {
        self.loss(0)
    }

    /// The lattice law without tails of mass about 2^−tail_bits on either side, which are given as bounds.
    pub fn lattice(&self, tail_bits: u32, bits: u32) -> LatticeMasses {
        let table = self.table(bits);
        let reach = ThetaTable::reach(&self.variance, tail_bits);
        let (first, last) = (reach.saturating_neg(), self.shift.saturating_add(reach));
        let total = table.total();
        let mut sums = table.at(last);
        let mass_above = sums.upper.sub(&sums.weight).at_least_zero().div(total);
        let mut masses = Vec::new();
        let mut index = last;
        loop {
            masses.push(sums.weight.div(total));
            if index <= first {
                break;
            }
            index = index.saturating_sub(1);
            sums = table.next_below(&sums);
        }
        masses.reverse();
        // Q(k < first) is the upper tail of the centred law beyond d − first.
        let mirrored = self.shift.saturating_mul(2).saturating_sub(first);
        let mass_below = table.at(mirrored.saturating_add(1)).upper.div(total);
        LatticeMasses {
            step: self.step(),
            offset: self.offset(),
            first_index: first,
            masses,
            mass_below: mass_below.in_unit(),
            mass_above: mass_above.in_unit(),
        }
    }

    fn loss(&self, index: i64) -> Rational {
        let centred = Rational::from(index) - Rational::from((self.shift, 2));
        centred * self.step()
    }

    fn table(&self, bits: u32) -> Arc<ThetaTable> {
        let bits = (bits / 64).saturating_add(2).saturating_mul(64);
        let make = || ThetaTable::new(&self.variance, self.shift, bits);
        self.tables.get_or_in_time(&bits, make)
    }

    /// Requires: ε ≥ 0 for every ε that satisfies the point, or at least for one (then the result is merely wide).
    fn upper_half(&self, point: &Point) -> ProfilePoint {
        let Some((open, above)) = self.thresholds(point) else {
            return anything(point);
        };
        let table = self.table(point.bits());
        let total = table.total();
        let delta_at = |index: i64, sums: &HingeSums| {
            let fall = match point.exact_log() {
                Some(epsilon) => {
                    let gap = epsilon - self.loss(index);
                    Interval::from_rational(&gap, point.bits())
                }
                None => point
                    .log()
                    .sub(&Interval::from_rational(&self.loss(index), point.bits())),
            };
            // ε lies below y_index by at most one step: δ = e^{−g}·δ(y) + (1 − e^{−g})·Q(L ≥ y), increasing in g.
            let rise = fall.exp_m1().neg().in_unit();
            let at = |end: &Float| {
                let end = Interval::point(end.clone());
                end.one_minus().mul(&sums.hinge).add(&end.mul(&sums.upper))
            };
            at(rise.lo()).hull(&at(rise.hi())).div(total)
        };
        let high = table.at(open);
        let upper = delta_at(open, &high);
        let null = |index: i64| table.at(index.saturating_add(self.shift)).upper.div(total);
        let (lower, null_low) = if above == open {
            (upper.clone(), null(open))
        } else {
            (delta_at(above, &table.at(above)), null(above))
        };
        let null_high = null(open);
        ProfilePoint {
            // The profile and the tail fall, so that each lies between the lower end of the one and the upper end of the other
            // enclosure, and hence in the hull of both, whose ends cannot cross.
            delta: lower.hull(&upper).in_unit(),
            null_tail: null_low.hull(&null_high).in_unit(),
        }
    }

    fn knot(&self, point: &Point) -> ProfilePoint {
        if point.log().lo() >= &0 {
            return self.upper_half(point);
        }
        if point.log().hi() > &0 {
            // Across 0: the lower bounds come from the upper end, the upper bounds from the lower one.
            let at = |end: &Float| self.knot(&Point::at_log(Interval::point(end.clone())));
            let (low, high) = (at(point.log().hi()), at(point.log().lo()));
            return ProfilePoint {
                delta: low.delta.hull(&high.delta),
                null_tail: low.null_tail.hull(&high.null_tail),
            };
        }
        // Symmetry: δ(u) = (1 − u) + u·δ(1/u), both terms positive, and P(L > ε) = Q(L < −ε).
        let mirrored = self.upper_half(&point.mirrored());
        let rest = point.log().exp_m1().neg();
        let reflected = mirrored.delta.mul(point.exp());
        let inverse = point.mirrored();
        let upper_tail = mirrored
            .delta
            .add(&inverse.exp().mul(&mirrored.null_tail))
            .in_unit();
        ProfilePoint {
            delta: rest.add(&reflected).in_unit(),
            null_tail: upper_tail.one_minus().in_unit(),
        }
    }

    /// The least k with y_k > ε: one bound from each end of what is known about ε.
    fn thresholds(&self, point: &Point) -> Option<(i64, i64)> {
        let half = Rational::from((self.shift, 2));
        let scale = Rational::from(&self.variance / self.shift);
        if let Some(epsilon) = point.exact_log() {
            let place = Rational::from(epsilon * &scale) + half;
            let index = place.floor().numer().to_i64()?.checked_add(1)?;
            return Some((index, index));
        }
        let bits = point.bits();
        let place = point
            .log()
            .mul(&Interval::from_rational(&scale, bits))
            .add(&Interval::from_rational(&half, bits));
        let above = |end: &Float| -> Option<i64> {
            let (floor, _) = end.to_integer_round(Round::Down)?;
            floor.to_i64()?.checked_add(1)
        };
        let far = Integer::from(1) << 60u32;
        if place.hi().is_infinite() || *place.hi() > far || place.lo().is_infinite() {
            return None;
        }
        Some((above(place.lo())?, above(place.hi())?))
    }
}

impl Profile for DiscreteGaussian {
    fn at(&self, point: &Point) -> ProfilePoint {
        refined(point, |p| self.knot(p))
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn min_loss(&self, _bits: u32) -> LossBound {
        LossBound::Unbounded
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        Interval::zero(bits)
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        Some(Rational::new())
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

fn anything(point: &Point) -> ProfilePoint {
    let bits = point.bits();
    let unit = Interval::zero(bits).hull(&Interval::one(bits));
    ProfilePoint {
        delta: unit.clone(),
        null_tail: unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places on both sides of 0, and no effort to look at their ends: what is said is what holds at both ends, and no more.
    #[test]
    fn places_across_zero() {
        let profile = DiscreteGaussian::new(&Rational::from(2), 1).unwrap();
        let end = |n: i64| Float::with_val(160, n) / 4u32;
        for (low, high) in [(-1, 1), (-3, 1), (-1, 4)] {
            let wide = Point::at_log(Interval::new(end(low), end(high)).unwrap());
            let wide = profile.knot(&wide);
            let at = |n| profile.knot(&Point::at_log(Interval::point(end(n))));
            let (first, last) = (at(low), at(high));
            let slack = Float::with_val(160, 1) >> 80u32;
            for (wide, low, high) in [
                (&wide.delta, &last.delta, &first.delta),
                (&wide.null_tail, &last.null_tail, &first.null_tail),
            ] {
                assert!(wide.lo() <= low.hi() && wide.hi() >= high.lo());
                let (below, above) = (
                    Float::with_val(160, low.lo() - &slack),
                    Float::with_val(160, high.hi() + &slack),
                );
                assert!(*wide.lo() >= below && *wide.hi() <= above);
            }
        }
    }

    /// (q − u·p)⁺ summed over a wide range, with u from an exact ε.
    fn direct(sigma: (i64, i64), d: i64, epsilon: &Rational, reach: i64) -> Interval {
        let bits = 700;
        let spread = Rational::from(sigma).square() * 2;
        let weight = |k: i64| {
            let power = Rational::from(-Integer::from(k).square()) / &spread;
            Interval::from_rational(&power, bits).exp()
        };
        let u = Interval::from_rational(epsilon, bits).exp();
        let total = (-reach..=reach).fold(Interval::zero(bits), |sum, k| sum.add(&weight(k)));
        let hinge = (-reach..=reach).fold(Interval::zero(bits), |sum, k| {
            sum.add(&weight(k - d).sub(&u.mul(&weight(k))).at_least_zero())
        });
        hinge.div(&total)
    }

    #[test]
    fn equals_direct_summation_deep_into_the_tail() {
        let cases = [
            (
                (1, 1),
                1,
                [(-3, 1), (-1, 2), (0, 1), (1, 2), (4, 1), (25, 1)],
            ),
            (
                (7, 3),
                2,
                [(-9, 7), (0, 1), (1, 3), (1, 1), (18, 49), (12, 1)],
            ),
            (
                (1, 2),
                3,
                [(-60, 1), (0, 1), (6, 1), (7, 1), (30, 1), (200, 1)],
            ),
        ];
        for (sigma, d, epsilons) in cases {
            let pair =
                DiscreteGaussian::new(&Rational::from(sigma), u64::try_from(d).unwrap()).unwrap();
            for epsilon in epsilons.map(Rational::from) {
                let delta = pair.at(&Point::at_epsilon(&epsilon, 160)).delta;
                let truth = direct(sigma, d, &epsilon, 120);
                let slack = Float::with_val(700, truth.hi() >> 140u32);
                let truth = truth.add(&Interval::spanning(Float::new(700), slack));
                assert!(delta.intersect(&truth).is_ok(), "{sigma:?} {d} {epsilon}");
                let relative = Float::with_val(64, delta.width_up() / delta.lo());
                assert!(relative < 1e-38, "{sigma:?} {d} {epsilon}: {relative:?}");
            }
        }
    }

    #[test]
    fn null_tail_is_a_slope() {
        let pair = DiscreteGaussian::new(&Rational::from(3), 1).unwrap();
        let places = [(-4, 5), (-1, 18), (0, 1), (1, 18), (1, 3), (2, 1)].map(Rational::from);
        for a in &places {
            let (x, knot) = (
                Point::at_epsilon(a, 128),
                pair.at(&Point::at_epsilon(a, 128)),
            );
            for b in &places {
                let y = Point::at_epsilon(b, 128);
                let line = knot.delta.sub(&knot.null_tail.mul(&y.exp().sub(x.exp())));
                let gap = pair.at(&y).delta.sub(&line);
                assert!(*gap.hi() >= -1e-30, "{a} {b}");
                assert!(*gap.lo() > -1e-20, "{a} {b}");
            }
        }
    }

    #[test]
    fn lattice_adds_up() {
        let pair = DiscreteGaussian::new(&Rational::from((5, 2)), 3).unwrap();
        let lattice = pair.lattice(60, 160);
        let listed = lattice
            .masses
            .iter()
            .fold(Interval::zero(160), |sum, q| sum.add(q));
        let all = listed.add(&lattice.mass_below).add(&lattice.mass_above);
        assert!(all.contains(&Rational::from(1)) && all.width_up() < 1e-40);
        assert!(*lattice.mass_above.hi() < 1e-18 && lattice.mass_above.is_positive());
        // The likelihood ratio of mirrored masses is the exponential of the loss.
        for (index, (q, p)) in lattice
            .masses
            .iter()
            .zip(lattice.masses.iter().rev())
            .enumerate()
        {
            let index = lattice.first_index + i64::try_from(index).unwrap();
            let loss = lattice.offset.clone() + lattice.step.clone() * index;
            assert!(q.div(p).ln().contains(&loss), "{index}");
        }
    }

    #[test]
    fn points_known_by_enclosure_contain_the_exact_ones() {
        let pair = DiscreteGaussian::new(&Rational::from(2), 1).unwrap();
        for e in [(-1, 8), (0, 1), (1, 8), (1, 7), (3, 8), (40, 1)].map(Rational::from) {
            let exact = pair.at(&Point::at_epsilon(&e, 128)).delta;
            let log = Interval::from_rational(&e, 128);
            let tiny = Interval::from_rational(&Rational::from((1, 1u64 << 62)), 128);
            let around = log.sub(&tiny).hull(&log.add(&tiny));
            let wide = pair.at(&Point::at_log(around)).delta;
            assert!(wide.lo() <= exact.lo() && exact.hi() <= wide.hi(), "{e}");
        }
    }

    /// Places known by intervals: within a step, across several losses, across 0, and without an end.
    #[test]
    fn places_by_intervals() {
        use crate::kernel::coarse::{at_most_bits, spans_hold, surrounds};
        let pair = || DiscreteGaussian::new(&Rational::from(2), 1).unwrap();
        // Losses are odd multiples of 1/8.
        let places = [-9, -4, -3, -1, 0, 1, 2, 3, 5, 12].map(|n| Rational::from((n, 8)));
        assert_eq!(spans_hold(&pair(), &places, 60), Ok(()));
        let fine = pair();
        for bits in [4, 6, 9] {
            for (from, to) in places.iter().zip(places.iter().skip(2)) {
                let span = Interval::from_rational(from, 20).hull(&Interval::from_rational(to, 20));
                let wide = at_most_bits(bits, || pair().knot(&Point::at_log(span)));
                for part in 1..8 {
                    // Not at a loss itself.
                    let place = Rational::from(to - from) * Rational::from((part, 8)) + from;
                    let place = place + Rational::from((1, 1_000_003));
                    let truth = fine.at(&Point::at_epsilon(&place, 160));
                    if &place <= to {
                        assert!(surrounds(&wide.delta, &truth.delta), "{from} {to} {bits}");
                        assert!(
                            surrounds(&wide.null_tail, &truth.null_tail),
                            "{from} {to} {bits}"
                        );
                    }
                }
            }
        }
        let end = |x: f64| Float::with_val(64, x);
        let infinity = f64::INFINITY;
        for (low, high, ends) in [
            (-infinity, 1.0, [(1, 1), (1, 4)]),
            (-infinity, infinity, [(1, 1), (0, 1)]),
            (0.5, infinity, [(0, 1), (1, 100)]),
            (-0.5, infinity, [(0, 1), (1, 3)]),
        ] {
            let span = Interval::spanning(end(low), end(high));
            for wide in [
                fine.at(&Point::at_log(span.clone())),
                fine.knot(&Point::at_log(span.clone())),
            ] {
                for delta in ends.map(Rational::from) {
                    assert!(wide.delta.contains(&delta), "{low} {high}: {wide:?}");
                }
            }
        }
    }

    #[test]
    fn random_places_at_few_bits() {
        let pair = DiscreteGaussian::new(&Rational::from((1, 4)), 1).unwrap();
        let held = crate::kernel::coarse::places_hold(&pair, 1, 5_100, true);
        assert_eq!(held, Ok(()));
    }
}
