//! Where a curve meets an error floor e: the points (e, f(e)) and (f⁻¹(e), e).

use rug::{Float, Rational};

use super::{STEERING_BITS, Search};
use crate::bounds::curve::{Curve, CurvePoint, rough_log_ratio};
use crate::bounds::enclosure::{Effort, Target};
use crate::bounds::gdp_floor::Cuts;
use crate::bounds::gdp_vertex::at_most_the_rest;
use crate::bounds::sandwich::{Cut, CutSide, Vertex};
use crate::bounds::tradeoff::{Vertical, crossing};
use crate::kernel::InvariantViolation;
use crate::kernel::about;
use crate::kernel::directed as d;
use crate::mechanism::{Direction, GdpForm};

/// A curve at the floor.
struct Met {
    /// At least f(e).
    beta_up: Float,
    /// ε of the best supporting line.
    epsilon: Float,
    points: Vec<CurvePoint>,
}

/// From where the profile says that the floor is met to both sides of it by so many turns.
const MOST_TURNS: u32 = 16;
/// After so many turns along a smooth curve every other one looks for a kink.
const SMOOTH_TURNS: u32 = 3;

impl Search<'_> {
    /// Under an error floor: the cut points (e, f(e)) and (f⁻¹(e), e).
    pub(super) fn place_cuts(&mut self, form: &GdpForm) -> Result<Cuts, InvariantViolation> {
        let GdpForm::ErrorFloor(floor) = form else {
            return Ok(Cuts::default());
        };
        if self.allowance.is_strict() {
            return Ok(Cuts::default());
        }
        let mut cuts = Cuts::default();
        for direction in self.directions() {
            let found = match self.met_nearby(direction, floor) {
                Some(met) => met,
                None => self.met(direction, floor)?,
            };
            let alpha = d::rational_up(floor, self.bits);
            let rest = at_most_the_rest(&found.beta_up);
            self.propose(direction, &alpha, &rest, &found.epsilon);
            self.cuts.push(match direction {
                Direction::Remove => found.epsilon.clone(),
                Direction::Add => -found.epsilon.clone(),
            });
            let points = found.points.into_iter();
            self.known.extend(points.map(|point| (direction, point)));
            // Seen from the other side if ε < 0.
            let is_forward =
                self.is_symmetric || (direction == Direction::Remove) == (found.epsilon >= 0);
            let place = found.epsilon.abs();
            // The node at 0 is as good, and chords between nodes so near are lost in rounding.
            let negligible = Float::with_val(self.bits, 1) >> (self.bits / 2);
            if place > negligible && is_forward {
                cuts.forward.push(place);
            } else if place > negligible {
                cuts.backward.push(place);
            }
        }
        Ok(cuts)
    }

    /// By a search along the whole curve. What counts is the relative error of 1 − f(e), which is at least e.
    fn met(&self, direction: Direction, floor: &Rational) -> Result<Met, InvariantViolation> {
        let share = Rational::from((1, 10_000_000_000u64));
        let share = match &self.effort.target {
            Target::Relative(width) | Target::Absolute(width) => {
                share.min(Rational::from(width / 1000u32))
            }
        };
        let target = Target::Absolute(share * floor);
        let effort = Effort {
            target: &target,
            ..*self.effort
        };
        let found = crossing(&self.side(direction).curve, floor, &effort, self.bits)?;
        Ok(Met {
            beta_up: found.enclosure.upper().clone(),
            epsilon: found.epsilon,
            points: Vec::new(),
        })
    }

    /// Where the profile says that it is about; `None` where that is not found soon, or not near enough.
    fn met_nearby(&self, direction: Direction, floor: &Rational) -> Option<Met> {
        if !self.is_rough {
            return None;
        }
        let allowed = |point: &CurvePoint| {
            let tail = point.knot.delta.add(&point.odds.mul(&point.alpha));
            let mu = self.allowance.mu_down_rough(point.alpha.hi(), tail.lo());
            self.effort.target.allowed_width(&mu, &mu, STEERING_BITS)
        };
        nearby(&self.side(direction).curve, floor, &allowed, self.bits)
    }
}

/// Two points of the curve, one on each side of the floor and so near to each other that their chord is as good as the curve where `allowed` is the error that 1 − β
/// may have, relatively: between points with log α off by x in all, the chord is off by about x²/8 of that at most, as the slope −u changes by less than α does.
///
/// Ensures: [`Met::beta_up`] is the height of the chord of two points on or above the curve where it meets the floor, or of one of them left of it, as [`Vertical`] says,
/// wherever they are.
fn nearby(
    curve: &Curve,
    floor: &Rational,
    allowed: &dyn Fn(&CurvePoint) -> Float,
    bits: u32,
) -> Option<Met> {
    let cut = Vertical::at(floor, bits);
    let level = d::rational_up(floor, STEERING_BITS);
    let mut place = Float::with_val(bits, curve.forward.about_tail(&level)?);
    // How far ε rises while log α falls by 1.
    let half = Float::with_val(STEERING_BITS, &level >> 1u32);
    let farther = Float::with_val(bits, curve.forward.about_tail(&half)?) - &place;
    let mut slope = farther / about::ln(Float::with_val(bits, 2));
    let mut near = Nearest::default();
    let mut before: Option<(Float, Float)> = None;
    let (mut best, mut epsilon) = (Float::new(bits), place.clone());
    let mut points = Vec::new();
    for turn in 0..MOST_TURNS {
        let is_place = place > 0 && place.is_finite() && slope > 0 && slope.is_finite();
        if !is_place {
            return None;
        }
        let point = curve.point(&place, bits);
        let distance = rough_log_ratio(&point.alpha.middle(), &level, bits)?;
        let error = allowed(&point);
        let reach = error.clone().sqrt();
        near.add(cut.side(&point), &point, &distance)?;
        let support = cut.by_support_down(&point);
        if support > best {
            best = support;
            epsilon.clone_from(&place);
        }
        points.push(point);
        if let Some((left, right)) = near.both() {
            let beta_up = cut.by_chord_up(left, right);
            let is_near = near.are_within(&Float::with_val(bits, &reach << 2u32));
            if is_near || is_little_above(&beta_up, &best, &error) {
                return Some(Met {
                    beta_up,
                    epsilon,
                    points,
                });
            }
        }
        if let Some((place_before, distance_before)) = &before {
            let change = Float::with_val(bits, distance_before - &distance);
            let seen = Float::with_val(bits, &place - place_before) / change;
            if seen > 0 && seen.is_finite() {
                slope = seen;
            }
        }
        let aim = if near.lacks_right() { -reach } else { reach };
        let next = Float::with_val(bits, &distance - &aim) * &slope + &place;
        before = Some((place, distance));
        let is_for_kink = turn >= SMOOTH_TURNS && (turn - SMOOTH_TURNS).is_multiple_of(2);
        let kink = near.kink(bits).filter(|_| is_for_kink);
        place = kink.unwrap_or(next);
    }
    None
}

/// Is a height so little above the curve that 1 − β is known up to this share of it?
fn is_little_above(beta_up: &Float, beta_down: &Float, share: &Float) -> bool {
    let bits = beta_up.prec();
    let above = Float::with_val(bits, beta_up - beta_down);
    let rest = Float::with_val(bits, 1u32 - beta_down);
    above <= rest * share
}

/// The nearest points on both sides of the floor, with log(α/e).
#[derive(Default)]
struct Nearest {
    left: Option<(Float, Vertex)>,
    right: Option<(Float, Vertex)>,
}

impl Nearest {
    /// An atom is on neither side; `None` if that is all there is.
    fn add(&mut self, side: CutSide, point: &CurvePoint, distance: &Float) -> Option<()> {
        let known = match side {
            CutSide::Left => &mut self.left,
            CutSide::Right => &mut self.right,
            CutSide::Both => return self.both().map(|_| ()),
        };
        let size = |x: &Float| x.clone().abs();
        if known
            .as_ref()
            .is_none_or(|(far, _)| size(distance) <= size(far))
        {
            *known = Some((distance.clone(), Vertex::above(point)));
        }
        Some(())
    }

    /// Both.
    fn both(&self) -> Option<(&Vertex, &Vertex)> {
        let (left, right) = (self.left.as_ref()?, self.right.as_ref()?);
        Some((&left.1, &right.1))
    }

    /// Is there one on each side, and are they so near to each other?
    fn are_within(&self, most: &Float) -> bool {
        let both = self.left.as_ref().zip(self.right.as_ref());
        both.is_some_and(|((left, _), (right, _))| {
            Float::with_val(most.prec(), left - right) <= *most
        })
    }

    /// The ε whose supporting line is as steep as their chord: where both are ends of the edge that a kink of δ is, that is where the kink is.
    fn kink(&self, bits: u32) -> Option<Float> {
        let (left, right) = self.both()?;
        let rise = Float::with_val(bits, &right.beta_up - &left.beta_up);
        let run = Float::with_val(bits, &left.alpha_up - &right.alpha_up);
        rough_log_ratio(&rise, &run, bits)
    }

    /// Is it the point on the right that is missing, or farther away?
    fn lacks_right(&self) -> bool {
        match (&self.left, &self.right) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some((left, _)), Some((right, _))) => Float::with_val(left.prec(), left + right) < 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::bounds::exact::ExactCurve;
    use crate::bounds::gdp_mu::gdp_mu;
    use crate::bounds::testing::{Finite, Gaussian, meets, power_of_ten, with_effort};
    use crate::bounds::two_sided::{LossRange, TwoSided};
    use crate::kernel::coarse::{Random, at_most_bits};
    use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint, normal};
    use crate::mechanism::Adjacency;

    /// A profile, and what is said of where its null's tail falls to a level: at a floor, and below it.
    struct Said {
        truth: Arc<dyn Profile>,
        floor: Float,
        places: [f64; 2],
    }

    impl Said {
        fn of(truth: Arc<dyn Profile>, floor: &Rational, places: [f64; 2]) -> Arc<dyn Profile> {
            let floor = d::rational_up(floor, STEERING_BITS);
            Arc::new(Self {
                truth,
                floor,
                places,
            })
        }
    }

    impl Profile for Said {
        fn at(&self, point: &Point) -> ProfilePoint {
            self.truth.at(point)
        }

        fn swapped(&self) -> Arc<dyn Profile> {
            self.truth.swapped()
        }

        fn max_loss(&self, bits: u32) -> LossBound {
            self.truth.max_loss(bits)
        }

        fn min_loss(&self, bits: u32) -> LossBound {
            self.truth.min_loss(bits)
        }

        fn infinite_mass(&self, bits: u32) -> Interval {
            self.truth.infinite_mass(bits)
        }

        fn about_tail(&self, level: &Float) -> Option<Float> {
            let [at, below] = self.places;
            let place = if *level == self.floor { at } else { below };
            Some(Float::with_val(53, place))
        }
    }

    /// With losses log(5/4) apart and these masses of P, up to a factor.
    fn in_even_losses(p: &[i64]) -> Finite {
        let q = (0..12).zip(p);
        let q: Vec<i64> = q.map(|(n, p)| p * 5i64.pow(n) * 4i64.pow(11 - n)).collect();
        let shares = |masses: &[i64]| {
            let total = masses.iter().sum::<i64>();
            let shares = masses.iter().map(|mass| (*mass, total));
            shares.collect::<Vec<_>>()
        };
        Finite::new(&shares(p), &shares(&q))
    }

    /// Whatever is said, the height is not below the curve, and every supporting line is where it is said to be.
    #[test]
    fn no_height_is_below_the_curve() {
        let mut random = Random(61);
        let mut found = 0;
        for _ in 0..4_000 {
            let p: Vec<i64> = (0..12).map(|_| 1 + random.below(30) as i64).collect();
            let pair = in_even_losses(&p);
            let exact = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
            let floor = Rational::from((1 + random.below(60), 99u32));
            let mut number = || random.below(1 << 10) as f64 / 1024.0;
            let place = number();
            let places = [place, place + 0.2 * number()];
            let curve = Curve::new(Said::of(Arc::new(pair), &floor, places));
            let allowed = Float::with_val(64, 1) >> u32::try_from(random.below(12)).unwrap();
            let bits = [12, 64, 128][usize::try_from(random.below(3)).unwrap()];
            let met = at_most_bits(bits, || nearby(&curve, &floor, &|_| allowed.clone(), 128));
            if let Some(met) = met {
                let truth = exact.tradeoff(&floor);
                assert!(met.beta_up >= truth, "{p:?} {floor} {places:?} {bits}");
                assert!(met.points.iter().any(|point| point.epsilon == met.epsilon));
                found += 1;
            }
        }
        assert!(found > 300, "{found}");
    }

    /// A floor within an edge of the curve, of which all but its ends are far from the floor: its height is known up to what is allowed, by a few looks.
    #[test]
    fn the_height_of_an_edge_is_found_at_its_kink() {
        let mut random = Random(7);
        let p: Vec<i64> = (0..12).map(|_| 20 + random.below(30) as i64).collect();
        let pair = in_even_losses(&p);
        let exact = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
        let profile: Arc<dyn Profile> = Arc::new(pair);
        for floor in [(1, 8), (1, 5)].map(Rational::from) {
            let root = with_effort(15, 128, |effort| {
                crossing(&Curve::new(profile.clone()), &floor, effort, 128).unwrap()
            });
            let root = root.epsilon.to_f64();
            let allowed = Float::with_val(64, 1e-9);
            for off in [-0.1, -0.01, 0.01, 0.1] {
                let said = Said::of(profile.clone(), &floor, [root + off, root + off + 0.2]);
                let met = nearby(&Curve::new(said), &floor, &|_| allowed.clone(), 128);
                let met = met.unwrap_or_else(|| panic!("{floor} {off}"));
                let truth = exact.tradeoff(&floor);
                let above = Rational::from(&met.beta_up.to_rational().unwrap() - &truth);
                let rest = Rational::from(1 - &truth);
                assert!(
                    above >= 0 && above <= rest * Rational::from((1, 1_000_000_000)),
                    "{floor} {off}"
                );
                assert!(met.points.len() <= 6, "{floor} {off}: {}", met.points.len());
            }
        }
    }

    #[test]
    fn little_is_at_most_the_share() {
        let number = |x: f64| Float::with_val(64, x);
        let (beta, share) = (number(0.75), number(0.125));
        assert!(is_little_above(&number(0.75 + 0.03125), &beta, &share));
        assert!(!is_little_above(&number(0.75 + 0.0313), &beta, &share));
    }

    /// From a place that is nearly right few looks are enough, and the chord is as near to the curve as is allowed.
    #[test]
    fn places_that_are_nearly_right_take_few_looks() {
        let profile = Gaussian::sides(1, 1).upper;
        for floor in [power_of_ten(2), power_of_ten(10)] {
            let met = |places| {
                let curve = Curve::new(Said::of(profile.clone(), &floor, places));
                let allowed = Float::with_val(64, 1e-5);
                nearby(&curve, &floor, &|_| allowed.clone(), 128)
            };
            let truth = with_effort(15, 128, |effort| {
                crossing(&Curve::new(profile.clone()), &floor, effort, 128).unwrap()
            });
            let (height, root) = (truth.enclosure, truth.epsilon.to_f64());
            for off in [0.0, 1e-3, -1e-3, 0.02, -0.02] {
                let found = met([root + off, root + off + 0.13]).unwrap();
                assert!(
                    found.points.len() <= 4,
                    "{floor} {off}: {}",
                    found.points.len()
                );
                assert!(found.beta_up >= *height.lower());
                let rest = |beta: &Float| Float::with_val(128, 1 - beta).to_f64();
                let share = rest(&found.beta_up) / rest(height.upper());
                assert!(
                    (1.0 - 1e-5..=1.0).contains(&share),
                    "{floor} {off}: {share}"
                );
            }
            for places in [
                [f64::NAN, 1.0],
                [-1.0, 1.0],
                [root, root],
                [root, 0.1],
                [1e9, 2e9],
            ] {
                assert!(met(places).is_none(), "{places:?}");
            }
        }
    }

    /// Where no place is said, what the height at a floor leaves to 1 is known as well as a small μ needs, however little it is.
    #[test]
    fn the_height_is_known_by_what_it_leaves() {
        let bits = 192;
        let mu = Interval::from_rational(&Rational::from((1, 100)), bits);
        for exponent in [3, 10, 14] {
            let floor = power_of_ten(exponent);
            let said = Said::of(Gaussian::sides(1, 100).upper, &floor, [f64::NAN, 0.0]);
            let curve = Curve::new(said);
            let form = GdpForm::ErrorFloor(floor.clone());
            let met = with_effort(5, bits, |effort| {
                let (range, one) = (LossRange::default(), Float::with_val(64, 1));
                let search = Search::new(&curve, &range, &form, effort, &one, (bits, false));
                assert!(search.met_nearby(Direction::Remove, &floor).is_none());
                search.met(Direction::Remove, &floor).unwrap()
            });
            let place = normal::survival_inverse(&Interval::from_rational(&floor, bits)).sub(&mu);
            let truth = normal::survival_up(place.lo(), bits);
            let rest = Float::with_val(bits, 1 - met.beta_up);
            let share = Float::with_val(53, rest / truth).to_f64();
            assert!((1.0 - 1e-8..=1.0).contains(&share), "{floor}: {share}");
        }
    }

    /// The μ of a Gaussian above a floor, whatever is said.
    #[test]
    fn what_is_said_changes_no_answer() {
        for exponent in [3, 10] {
            let floor = power_of_ten(exponent);
            let form = GdpForm::ErrorFloor(floor.clone());
            for places in [
                [5.86, 5.95],
                [2.6, 2.7],
                [1.0, 30.0],
                [7.0, 2.0],
                [f64::NAN, 0.0],
            ] {
                let profile = Said::of(Gaussian::sides(1, 1).upper, &floor, places);
                let sides = TwoSided::closed_form(profile);
                let found = with_effort(4, 128, |effort| gdp_mu(&sides, &form, effort)).unwrap();
                assert!(meets(&found.mu, 4), "{places:?} {found:?}");
                assert!(
                    *found.mu.lower() <= 1 && *found.mu.upper() >= 1,
                    "{places:?} {found:?}"
                );
            }
        }
    }
}
