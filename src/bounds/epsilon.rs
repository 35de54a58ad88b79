//! ε at a given δ: the inverse of the privacy profile.

use std::cmp::Ordering;

use rug::{Float, Rational};

use super::curve::{Curve, exact_place};
use super::enclosure::{Effort, Enclosure};
use super::two_sided::TwoSided;
use crate::kernel::about;
use crate::kernel::directed as d;
use crate::kernel::{Interval, InvariantViolation, LossBound, Pick, ProfilePoint};

mod guess;

/// Encloses inf{ε real : δ(ε) ≤ delta}.
///
/// It is −∞ for `delta ≥ 1`, +∞ where no ε will do (`delta` below Q(∞), or both 0 while the loss is
/// unbounded), and may be negative: δ(ε) ≥ 1 − e^ε gives ε ≥ log(1 − delta).
///
/// # Errors
/// If the bounds cross: an internal error.
pub fn epsilon(
    sides: &TwoSided,
    delta: &Rational,
    effort: &Effort,
) -> Result<Enclosure, InvariantViolation> {
    let infinite = d::infinity(effort.bits);
    if *delta < 0 {
        return Enclosure::new(infinite.clone(), infinite);
    }
    if *delta >= 1 {
        let nothing = d::neg_infinity(effort.bits);
        return Enclosure::new(nothing.clone(), nothing);
    }
    let mut found =
        sides.growing(|curve| effort.raising_bits(|bits| of_curve(curve, delta, effort, bits)))?;
    if let Some(max) = &sides.known_range.max {
        found = found.at_most(max.hi())?;
    }
    if let Some(min) = &sides.known_range.min {
        let straight = Interval::from_rational(&Rational::from(1 - delta), effort.bits).ln();
        if straight.hi() <= min.lo() {
            found = found.at_most(straight.hi())?;
        }
    }
    Ok(found)
}

/// Requires: 0 ≤ delta < 1.
fn of_curve(
    curve: &Curve,
    delta: &Rational,
    effort: &Effort,
    bits: u32,
) -> Result<Enclosure, InvariantViolation> {
    let mass = match curve.forward.exact_infinite_mass() {
        Some(exact) => Some(exact.cmp(delta)),
        None => curve.forward.infinite_mass(bits).compare(delta),
    };
    let max_loss = curve.forward.max_loss(bits);
    match (mass, max_loss) {
        (Some(Ordering::Greater), _) => {
            let infinite = d::infinity(bits);
            Enclosure::new(infinite.clone(), infinite)
        }
        // δ sinks to 0 exactly where the loss ends.
        (Some(Ordering::Equal), LossBound::Unbounded) if *delta == 0 => {
            let infinite = d::infinity(bits);
            Enclosure::new(infinite.clone(), infinite)
        }
        (Some(Ordering::Equal), LossBound::Finite { value, exact }) if *delta == 0 => {
            Ok(match exact {
                Some(loss) => Enclosure::exactly(loss, bits),
                None => Enclosure::from_interval(&value),
            })
        }
        // δ sinks to Q(∞) > 0 there at the latest: of two directions the one with the smaller mass may have
        // the larger loss, and pass Q(∞) earlier.
        (Some(order @ (Ordering::Less | Ordering::Equal)), LossBound::Finite { value, .. }) => {
            let mut search = Search::new(curve, delta, effort, bits);
            search.upper = value.hi().clone();
            search.is_strict = order == Ordering::Less;
            search.run()
        }
        (mass, _) => {
            let mut search = Search::new(curve, delta, effort, bits);
            search.is_strict = mass == Some(Ordering::Less);
            search.run()
        }
    }
}

/// A bracket around the root: `lower ≤ root ≤ upper`, each certified.
struct Search<'a> {
    curve: &'a Curve,
    delta: &'a Rational,
    effort: &'a Effort<'a>,
    bits: u32,
    lower: Float,
    upper: Float,
    /// Steering values at the ends, positive left and negative right of the root; rough.
    left: Option<Float>,
    right: Option<Float>,
    /// Which end moved last.
    moved: Option<End>,
    /// Is δ known to fall strictly where it passes `delta`?
    is_strict: bool,
    /// Was δ next to 1 at the left end?
    is_far: bool,
    /// δ and its fall at the ε ≥ 0 looked at last; rough.
    last: Option<(Float, Float)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Left,
    Right,
}

/// Where an ε lies, as far as the enclosure of δ tells.
enum Location {
    /// δ(ε) > delta.
    Left,
    /// δ(ε) ≤ delta.
    Right,
    /// δ(ε) = delta.
    Root,
    Unclear,
}

/// A search never takes more steps than this.
const MOST_STEPS: u32 = 400;
/// Nor does the search for the edge of what can be told apart, of which each step is four times the one before: enough from a width of 10^-24 to any ε.
const MOST_PROBES: u32 = 60;
/// Where δ is above this the way out is taken in steps of 2^`FAR_FACTOR`.
const NEXT_TO_ONE: (u32, u32) = (99, 100);
const FAR_FACTOR: u32 = 4;
/// ε is not searched beyond 2^this.
const LARGEST_EXPONENT: u32 = 40;

impl<'a> Search<'a> {
    fn new(curve: &'a Curve, delta: &'a Rational, effort: &'a Effort<'a>, bits: u32) -> Self {
        let least = Interval::from_rational(&Rational::from(1 - delta), bits).ln();
        Self {
            curve,
            delta,
            effort,
            bits,
            lower: least.lo().clone(),
            upper: d::infinity(bits),
            left: None,
            right: None,
            moved: None,
            is_strict: false,
            is_far: false,
            last: None,
        }
    }

    fn run(mut self) -> Result<Enclosure, InvariantViolation> {
        let zero = Float::new(self.bits);
        let mut next = match self.beside_guess() {
            Some(unclear) => Some(unclear),
            None if self.lower < 0 && self.upper > 0 => Some(zero),
            None => self.next(0),
        };
        for step in 0..MOST_STEPS {
            let Some(epsilon) = next.filter(|e| self.lower < *e && *e < self.upper) else {
                break;
            };
            if self.effort.is_over() {
                break;
            }
            let (side, steering) = self.look(&epsilon);
            match side {
                Location::Root if self.is_strict => {
                    if let Some(exact) = epsilon.to_rational() {
                        return Ok(Enclosure::exactly(exact, self.bits));
                    }
                    break;
                }
                Location::Left => self.move_left_end(epsilon, steering),
                Location::Right | Location::Root => self.move_right_end(epsilon, steering),
                Location::Unclear => {
                    if !self.separate(&epsilon) {
                        break;
                    }
                }
            }
            next = self.next(step);
        }
        Enclosure::new(self.lower, self.upper)
    }

    /// The next ε: further out without an upper end; else regula falsi, every third time the middle, and
    /// never so near to an end that the other could not follow in one step.
    fn next(&self, step: u32) -> Option<Float> {
        let bits = self.bits;
        if self.upper.is_infinite() {
            let factor = if self.is_far { FAR_FACTOR } else { 1 };
            let doubled = Float::with_val(bits, &self.lower << factor);
            let limit = Float::with_val(bits, 1) << LARGEST_EXPONENT;
            return (doubled < limit).then(|| doubled.larger(&Float::with_val(bits, 1)));
        }
        if self.effort.target.is_met(&self.lower, &self.upper) {
            return None;
        }
        let width = Float::with_val(bits, &self.upper - &self.lower);
        let middle = Float::with_val(bits, &self.lower + Float::with_val(bits, &width >> 1u32));
        let guess = self.regula_falsi(&width).filter(|_| step % 3 != 2);
        let allowed = self
            .effort
            .target
            .allowed_width(&self.lower, &self.upper, bits);
        let margin = (allowed >> 2u32).smaller(&Float::with_val(bits, &width >> 2u32));
        let (first, last) = (
            Float::with_val(bits, &self.lower + &margin),
            Float::with_val(bits, &self.upper - &margin),
        );
        Some(guess.unwrap_or(middle).larger(&first).smaller(&last))
    }

    fn regula_falsi(&self, width: &Float) -> Option<Float> {
        let (left, right) = (self.left.as_ref()?, self.right.as_ref()?);
        let fall = Float::with_val(self.bits, left - right);
        let share = Float::with_val(self.bits, left / fall);
        let guess = Float::with_val(self.bits, &self.lower + share * width);
        guess.is_finite().then_some(guess)
    }

    /// On which side of the root, and a rough decreasing function of ε that vanishes there: log δ − log delta
    /// for ε ≥ 0, and for ε < 0, where δ may be near 1, log(1 − delta) − log(1 − δ), with
    /// 1 − δ(u) = u·(1 − δ_(Q,P)(1/u)).
    fn look(&mut self, epsilon: &Float) -> (Location, Option<Float>) {
        let place = exact_place(epsilon, self.bits);
        if let Some(exact) = self.curve.forward.exact_delta(&place) {
            let side = match exact.cmp(self.delta) {
                Ordering::Greater => Location::Left,
                Ordering::Less => Location::Right,
                Ordering::Equal => Location::Root,
            };
            return (side, None);
        }
        if *epsilon < 0 {
            let mirrored = self.curve.backward.at(&place.mirrored()).delta.in_unit();
            let rest = mirrored.one_minus().mul(place.exp());
            let wanted = Rational::from(1 - self.delta);
            let steering = self.steering(&wanted, &rest);
            (
                side_of(rest.compare(&wanted), *rest.lo() == wanted),
                steering,
            )
        } else {
            let ProfilePoint { delta, null_tail } = self.curve.forward.at(&place);
            self.last = Some((delta.middle(), null_tail.mul(place.exp()).middle()));
            self.is_far = *delta.lo() > Rational::from(NEXT_TO_ONE);
            let steering = self.deviations(&delta);
            let order = delta.compare(self.delta).map(Ordering::reverse);
            (side_of(order, *delta.hi() == *self.delta), steering)
        }
    }

    /// How many standard deviations a normal law has between δ and `delta`, rough: for compositions a straight line in ε.
    fn deviations(&self, delta: &Interval) -> Option<Float> {
        let half = Float::with_val(self.bits, 0.5);
        let place = |tail: Float, rest: Float| {
            let is_low = tail < half;
            let smaller = if is_low { tail } else { rest };
            let far = (about::ln(Float::with_val(self.bits, smaller << 1u32)) * -2i32).sqrt();
            if is_low { -far } else { far }
        };
        let found = place(delta.middle(), delta.one_minus().middle());
        let wanted = place(
            d::rational_up(self.delta, self.bits),
            d::rational_up(&Rational::from(1 - self.delta), self.bits),
        );
        let steering = found - wanted;
        steering.is_finite().then_some(steering)
    }

    /// log wanted − log value, rough.
    fn steering(&self, wanted: &Rational, value: &Interval) -> Option<Float> {
        let wanted = about::ln(d::rational_up(wanted, self.bits));
        let steering = wanted - about::ln(value.middle());
        steering.is_finite().then_some(steering)
    }

    /// The Illinois rule: the steering value of an end that stays put twice is halved.
    fn move_left_end(&mut self, epsilon: Float, steering: Option<Float>) {
        self.lower = epsilon;
        self.left = steering;
        if self.moved == Some(End::Left) {
            self.right = self.right.take().map(|s| s >> 1u32);
        }
        self.moved = Some(End::Left);
    }

    fn move_right_end(&mut self, epsilon: Float, steering: Option<Float>) {
        self.upper = epsilon;
        self.right = steering;
        if self.moved == Some(End::Right) {
            self.left = self.left.take().map(|s| s >> 1u32);
        }
        self.moved = Some(End::Right);
    }

    /// Moves both ends as near to an ε that cannot be told from the root as the enclosures of δ allow. True if the root is on one side of it after all,
    /// so that the search goes on: a law may tell nothing at a single point, such as 0.
    fn separate(&mut self, epsilon: &Float) -> bool {
        let allowed = self
            .effort
            .target
            .allowed_width(&self.lower, &self.upper, self.bits);
        for end in [End::Left, End::Right] {
            let mut step = Float::with_val(self.bits, &allowed >> 2u32);
            for _ in 0..MOST_PROBES {
                let probe = match end {
                    End::Left => Float::with_val(self.bits, epsilon - &step),
                    End::Right => Float::with_val(self.bits, epsilon + &step),
                };
                if probe <= self.lower || probe >= self.upper || self.effort.is_over() {
                    break;
                }
                match (self.look(&probe).0, end) {
                    (Location::Left, End::Left) => {
                        self.lower = probe;
                        break;
                    }
                    (Location::Right | Location::Root, End::Right) => {
                        self.upper = probe;
                        break;
                    }
                    (Location::Left, End::Right) => {
                        self.move_left_end(probe, None);
                        return true;
                    }
                    (Location::Right | Location::Root, End::Left) => {
                        self.move_right_end(probe, None);
                        return true;
                    }
                    (Location::Unclear, _) => step <<= 2u32,
                }
            }
        }
        false
    }
}

/// `order` compares 1 − δ with 1 − delta (or delta with δ): greater means δ < delta.
fn side_of(order: Option<Ordering>, is_at_most: bool) -> Location {
    match order {
        Some(Ordering::Greater) => Location::Right,
        Some(Ordering::Less) => Location::Left,
        Some(Ordering::Equal) => Location::Root,
        None if is_at_most => Location::Right,
        None => Location::Unclear,
    }
}

#[cfg(test)]
#[path = "epsilon_quick_tests.rs"]
mod quick;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::exact::ExactCurve;
    use crate::bounds::testing::{Finite, Gaussian, finite_pair, is_near, meets, unit_rational};
    use crate::bounds::testing::{power_of_ten, with_effort};
    use crate::mechanism::Adjacency;
    use proptest::prelude::*;

    /// The least u with 1 − β − uα ≤ δ at every vertex; none if there is no such u.
    fn least_odds(curve: &ExactCurve, delta: &Rational) -> Option<Rational> {
        let mut least = Rational::new();
        for v in curve.vertices() {
            let gap = 1 - Rational::from(delta + &v.beta);
            if v.alpha != 0 {
                least = least.max(gap / &v.alpha);
            } else if gap > 0 {
                return None;
            }
        }
        Some(least)
    }

    proptest! {
        #[test]
        fn contains_the_exact_value(pair in finite_pair(), delta in unit_rational()) {
            let found = with_effort(12, 64, |e| epsilon(&pair.sides(), &delta, e)).unwrap();
            let curve = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
            if delta >= 1 {
                prop_assert!(found.upper().is_infinite() && *found.upper() < 0);
            } else if let Some(u) = least_odds(&curve, &delta) {
                let truth = Interval::from_rational(&u, 2000).ln();
                prop_assert!(found.lower() <= truth.lo() && truth.hi() <= found.upper(), "{u} {found:?}");
                prop_assert!(meets(&found, 12), "{u} {found:?}");
            } else {
                prop_assert!(found.lower().is_infinite() && *found.lower() > 0, "{found:?}");
            }
        }
    }

    #[test]
    fn gaussian() {
        let found = |mu: (i64, i64), delta: Rational| {
            with_effort(12, 128, |e| {
                epsilon(&Gaussian::sides(mu.0, mu.1), &delta, e)
            })
            .unwrap()
        };
        for (mu, delta, text) in [
            (
                (1, 1),
                power_of_ten(5),
                "4.377178095681224627650116293242010913153",
            ),
            (
                (1, 10),
                power_of_ten(300),
                "3.693721658319596583030594867175171344131",
            ),
            (
                (1, 1),
                1 - power_of_ten(4),
                "-9.210340371976182735919276639609476161717",
            ),
        ] {
            let value = found(mu, delta);
            assert!(is_near(&value, text, 11) && meets(&value, 12), "{value:?}");
        }
        let far = found((1, 1), 1 - power_of_ten(300));
        assert!(
            is_near(&far, "-690.7755278982137", 9) && meets(&far, 12),
            "{far:?}"
        );
        let never = found((1, 1), Rational::new());
        assert!(never.lower().is_infinite() && *never.lower() > 0);
        let always = found((1, 1), Rational::from(1));
        assert!(always.upper().is_infinite() && *always.upper() < 0);
    }

    /// δ(ε) = Q(∞) where the finite loss ends, and nowhere for less.
    #[test]
    fn at_the_mass_at_infinity() {
        let pair = Finite::new(&[(0, 1), (1, 2), (1, 2)], &[(1, 10), (1, 2), (4, 10)]);
        let value =
            |delta: Rational| with_effort(12, 64, |e| epsilon(&pair.sides(), &delta, e)).unwrap();
        let found = value(Rational::from((1, 10)));
        assert!(
            *found.lower() <= 0 && *found.upper() >= 0 && meets(&found, 12),
            "{found:?}"
        );
        assert!(value(Rational::from((9, 100))).lower().is_infinite());
        // Randomised response: δ = 0 from log 3 on; a pair with itself: from 0 on, exactly.
        let response = Finite::new(&[(1, 4), (3, 4)], &[(3, 4), (1, 4)]);
        let end = |pair: &Finite| {
            with_effort(12, 64, |e| epsilon(&pair.sides(), &Rational::new(), e)).unwrap()
        };
        assert!(is_near(
            &end(&response),
            "1.098612288668109691395245236922",
            15
        ));
        let same = Finite::new(&[(1, 4), (3, 4)], &[(1, 4), (3, 4)]);
        assert_eq!(end(&same).exact(), Some(&Rational::new()));
    }

    /// A stopped search still returns what is certain.
    #[test]
    fn stops_with_the_budget() {
        let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        let budget = crate::kernel::Budget::new(std::time::Duration::from_secs(9), flag);
        let target = crate::bounds::Target::Relative(power_of_ten(12));
        let effort = Effort {
            bits: 64,
            target: &target,
            goal: None,
            budget: &budget,
        };
        let found = epsilon(&Gaussian::sides(1, 1), &power_of_ten(5), &effort).unwrap();
        assert!(*found.lower() <= 0 && found.upper().is_infinite());
    }
}
