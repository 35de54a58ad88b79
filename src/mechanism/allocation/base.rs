//! The law of the likelihood ratio of one step, from above and from below.

use rug::float::Round;
use rug::{Float, Integer, Rational};

use super::above::{Above, index, up};
use super::below::{self, Below};
use super::places::Places;
use crate::kernel::directed as d;
use crate::kernel::{Accuracy, Budget, Failure, Fineness, Interval, Point, Profile};

/// A unit is this many times 2^−(scale + 31) of the likelihood ratio. The ratios of finite pairs are simple fractions, and a point of the law between two cells is
/// lost to both; so no point is a simple fraction but 0.
pub(super) const UNIT: u32 = (1 << UNIT_BITS) - 1;
pub(super) const UNIT_BITS: u32 = 31;

/// Both measures, in units ([`UNIT`]).
pub(super) struct Base {
    pub(super) above: Above,
    pub(super) below: Below,
    pub(super) scale: i32,
    pub(super) reach: u64,
}

/// More points are not evaluated.
const MOST_POINTS: usize = 1 << 21;
/// A ratio is not followed beyond 2^this.
const LARGEST_RATIO: u32 = 1024;
/// Cells near 0 are this much finer than the smallest ratio resolved.
const NEAR_BITS: i32 = 6;
/// Nor finer than 2^−(this) over the points of a bulk: such places are as good as 0.
const FINEST: i32 = 64;

/// C(x) = E(X − x)⁺ + q(X = ∞) is the privacy profile of the pair at u = x, and the null's tail is P(X > x), so that its profile is all that is needed.
///
/// Above: the chords of C between the points, which is the law spread onto them. Left of the first point, 0, C has slope −1; right
/// of the last one, C is at most what it is there, which is a weight on the slope at ∞.
/// Below: each cell as one point with its mass p = s₁ − s₂ and its mean x₁ + (C₁ − C₂ − w·s₂)/p, w its width; the law beyond the last
/// point is dropped. `None` where the range of the ratio is too large.
///
/// # Errors
/// If the budget ends; an invariant violation is an internal error.
pub(super) fn base(
    profile: &dyn Profile,
    steps: u64,
    fineness: Fineness,
    budget: &Budget,
) -> Result<Option<Base>, Failure> {
    let reach = u64::from(fineness.cells.max(8));
    let Some(view) = View::of(profile, (reach, fineness.depth, steps), budget)? else {
        return Ok(None);
    };
    let reach_bits = Integer::from(reach).significant_bits();
    let bits = fineness
        .depth
        .saturating_add(view.last)
        .saturating_add(reach_bits)
        .saturating_add(12);
    let Some((places, knots)) = view.knots(reach) else {
        return Ok(None);
    };
    let fine = bits
        .saturating_add(view.scale.max(0).unsigned_abs())
        .saturating_add(8);
    let (fine, accuracy) = if fine.saturating_sub(8) <= TABLE_BITS {
        (TABLE_BITS.saturating_add(20), Accuracy::Absolute)
    } else {
        (fine.saturating_add(8), Accuracy::Relative)
    };
    let mut values = Vec::with_capacity(knots.len());
    for (count, (place, _)) in knots.iter().enumerate() {
        if count.is_multiple_of(256) {
            budget.check()?;
        }
        values.push(call(profile, place, view.scale, fine, accuracy));
    }
    Ok(
        measures(profile, &view, (places, &knots, &values), bits, fine)?.map(|(above, below)| {
            Base {
                above,
                below,
                scale: view.scale,
                reach,
            }
        }),
    )
}

/// Absolute accuracy of the tabulated normal law, in bits.
const TABLE_BITS: u32 = 136;

/// C and the null's tail.
struct Call {
    value: Interval,
    tail: Interval,
}

fn call(profile: &dyn Profile, place: &Integer, scale: i32, bits: u32, accuracy: Accuracy) -> Call {
    if *place == 0 {
        return Call {
            value: Interval::one(bits),
            tail: Interval::one(bits),
        };
    }
    let at = profile.at(&Point::at_exp_epsilon(&ratio(place, scale), bits).with_accuracy(accuracy));
    Call {
        value: at.delta.in_unit(),
        tail: at.null_tail.in_unit(),
    }
}

/// The ratio at a place.
fn ratio(place: &Integer, scale: i32) -> Rational {
    let by = scale.unsigned_abs();
    let units = Rational::from(place * UNIT) >> UNIT_BITS;
    if scale >= 0 { units >> by } else { units << by }
}

/// x/(unit·2^scale), times 2^−scale.
fn in_units_down(x: &Float) -> Float {
    d::div_down(
        &Float::with_val(x.prec(), x << UNIT_BITS),
        &Float::with_val(UNIT_BITS, UNIT),
        x.prec(),
    )
}

fn in_units_up(x: &Float) -> Float {
    d::div_up(
        &Float::with_val(x.prec(), x << UNIT_BITS),
        &Float::with_val(UNIT_BITS, UNIT),
        x.prec(),
    )
}

type Knots = Vec<(Integer, u32)>;

fn measures(
    profile: &dyn Profile,
    view: &View,
    (places, knots, values): (Places, &Knots, &[Call]),
    bits: u32,
    fine: u32,
) -> Result<Option<(Above, Below)>, Failure> {
    let whole = |x: &Float, more: i32, round: Round| scaled(x, bits, more, round);
    let mut points: Vec<(Integer, Integer)> = Vec::with_capacity(knots.len());
    let mut cells = Vec::with_capacity(knots.len());
    // What the chord before has as its slope, at most.
    let mut before_up = Integer::from(1) << bits;
    let pairs = knots.iter().zip(values).zip(values.iter().skip(1));
    for (((place, width), low), high) in pairs {
        let more = view.scale.saturating_sub_unsigned(*width);
        let fall_down = in_units_down(&d::sub_down(low.value.lo(), high.value.hi(), fine));
        let fall_up = in_units_up(&d::sub_up(low.value.hi(), high.value.lo(), fine));
        let (Some(slope_down), Some(slope_up)) = (
            whole(&fall_down, more, Round::Down),
            whole(&fall_up, more, Round::Up),
        ) else {
            return Ok(None);
        };
        let mass = Integer::from(&before_up - &slope_down).max(Integer::new());
        points.push((place.clone(), mass));
        before_up = slope_up;
        // The mean of the cell above its start, in widths, times its mass.
        let mass = low.tail.sub(&high.tail);
        let mean = Interval::between_or_line(shifted(fall_down, more), shifted(fall_up, more))
            .sub(&high.tail);
        if let Some(point) = point_down(&mass, &mean, bits) {
            cells.push((place.clone(), *width, point));
        }
    }
    let Some(((place, _), last)) = knots.last().zip(values.last()) else {
        return Ok(None);
    };
    points.push((place.clone(), before_up));
    let infinite = profile.infinite_mass(fine).in_unit();
    let (Some(beyond), Some(infinite)) = (
        whole(&in_units_up(last.value.hi()), view.scale, Round::Up),
        whole(&in_units_down(infinite.lo()), view.scale, Round::Down),
    ) else {
        return Ok(None);
    };
    let above = Above::new(points, beyond, bits, &places)?;
    let below = Below::new(cells, infinite, bits)?;
    Ok(Some((above, below)))
}

/// A part of a cell of this mass, no farther from its start than the mean of the cell: moment/mass ≥ lo/hi.
fn point_down(mass: &Interval, moment: &Interval, bits: u32) -> Option<below::Point> {
    if *mass.hi() <= 0 || *mass.lo() <= 0 {
        return None;
    }
    let kept = scaled(mass.lo(), bits, 0, Round::Down)?;
    let share = d::div_down(moment.lo(), mass.hi(), mass.bits());
    let share = Interval::point(share).in_unit();
    let rest = d::mul_down(
        share.lo(),
        &d::integer_down(&kept, mass.bits()),
        mass.bits(),
    );
    let rest = rest.to_integer_round(Round::Down)?.0;
    Some(below::Point { mass: kept, rest })
}

fn shifted(x: Float, by: i32) -> Float {
    x << by
}

/// x·2^(bits + more), rounded.
fn scaled(x: &Float, bits: u32, more: i32, round: Round) -> Option<Integer> {
    let by = i32::try_from(bits).ok()?.checked_add(more)?;
    Some(shifted(x.clone(), by).to_integer_round(round)?.0)
}

/// How a law looks from afar: only widths depend on it.
struct View {
    scale: i32,
    centre: Integer,
    spread: Integer,
    /// Beyond 2^this there is next to nothing.
    last: u32,
}

impl View {
    /// Looks at some nine hundred points of the profile.
    fn of(
        profile: &dyn Profile,
        (reach, depth, steps): (u64, u32, u64),
        budget: &Budget,
    ) -> Result<Option<Self>, Failure> {
        const BITS: u32 = 96;
        let exp = |epsilon: &Rational| Interval::from_rational(epsilon, BITS).exp().middle();
        let median = exp(&quantile(profile, 1, 1, budget)?);
        // Quartiles, or wider quantiles where these are one point.
        let mut spread = None;
        for shift in [2u32, 4, 8, 16, 32] {
            let most = (1u64 << shift).saturating_sub(1);
            let low = quantile(profile, most, shift, budget)?;
            let high = quantile(profile, 1, shift, budget)?;
            let is_wide = Rational::from(&high - &low) > Rational::from((1u32, 1u64 << 40u32));
            let width = is_wide.then(|| exp(&high) - exp(&low));
            spread = width.filter(|width| *width > 0);
            if spread.is_some() {
                break;
            }
        }
        let spread = spread.unwrap_or_else(|| median.clone());
        // All ratios are as small as the smallest one resolved with no more than the mass that is given up.
        let share = u32::try_from(u64::from(depth).div_ceil(steps.max(1))).unwrap_or(depth);
        let near = first_below(&*profile.swapped(), share, budget)?;
        let last = first_below(profile, depth, budget)?;
        let ends = near.zip(last);
        Ok(ends.and_then(|ends| Self::around(&median, &spread, ends, reach)))
    }

    fn around(
        median: &Float,
        spread: &Float,
        (near, last): (u32, u32),
        reach: u64,
    ) -> Option<Self> {
        let needed = i32::try_from(Integer::from(reach).significant_bits()).ok()?;
        let scale = needed.checked_sub(spread.get_exp()?)?;
        let scale = scale.max(i32::try_from(near).ok()?.saturating_add(NEAR_BITS));
        let scale = scale.min(FINEST.saturating_add(needed));
        let whole = |x: &Float| {
            let (whole, _) = shifted(x.clone(), scale).to_integer_round(Round::Nearest)?;
            Some(whole)
        };
        Some(Self {
            scale,
            centre: whole(median)?,
            spread: whole(spread)?,
            last,
        })
    }

    /// The points from 0 to the last one, each with the width of the cell after it as a power of two.
    fn knots(&self, reach: u64) -> Option<(Places, Knots)> {
        let places = Places::around(self.centre.clone(), &self.spread, 0, reach);
        let last = self.scale.saturating_add_unsigned(self.last);
        let end = (Integer::from(1) << last.max(0).unsigned_abs()) + 1u32;
        let end = Integer::from(&end >> (UNIT_BITS - 1)) + end;
        let mut knots = Vec::new();
        let mut place = Integer::new();
        let mut shell = 0u32;
        while place < end {
            if knots.len() >= MOST_POINTS {
                return None;
            }
            let aligned = place.find_one(0).unwrap_or(u32::MAX);
            shell = shell.saturating_sub(2).min(aligned);
            if place == 0 {
                shell = 0;
            }
            while shell < aligned && places.coarser(shell, index(&place, shell)) > 0 {
                shell = shell.saturating_add(1);
            }
            knots.push((place.clone(), shell));
            place += Integer::from(1) << shell;
        }
        knots.push((place, shell));
        Some((places, knots))
    }
}

/// The first n at which δ(2^n) is next to what it tends to: within 2^−depth.
fn first_below(profile: &dyn Profile, depth: u32, budget: &Budget) -> Result<Option<u32>, Failure> {
    let bits = depth.saturating_add(64);
    let infinite = profile.infinite_mass(bits);
    let limit = Float::with_val(64, 1) >> depth;
    for exponent in 0..LARGEST_RATIO {
        budget.check()?;
        let far = Rational::from(Integer::from(1) << exponent);
        let at = profile.at(&Point::at_exp_epsilon(&far, bits));
        if *at.delta.sub(&infinite).hi() < limit {
            return Ok(Some(exponent));
        }
    }
    Ok(None)
}

/// An ε near which the null's tail falls to numerator/2^shift.
///
/// # Errors
/// If the budget ends: a look at a profile may take long.
fn quantile(
    profile: &dyn Profile,
    numerator: u64,
    shift: u32,
    budget: &Budget,
) -> Result<Rational, Failure> {
    const BITS: u32 = 96;
    const HALVINGS: u32 = 64;
    let share = Rational::from(numerator) >> shift;
    let is_below = |epsilon: &Rational| {
        budget.check()?;
        let at = profile.at(&Point::at_epsilon(epsilon, BITS));
        Ok::<_, Failure>(*at.null_tail.hi() < share)
    };
    let mut far = Rational::from(1);
    while !is_below(&far)? || is_below(&Rational::from(-&far))? {
        // Of a bounded loss one end is never passed.
        if far > 1 << 13 {
            break;
        }
        far *= 2u32;
    }
    let (mut low, mut high) = (Rational::from(-&far), far);
    for _ in 0..HALVINGS {
        let middle = Rational::from(&low + &high) / 2u32;
        if is_below(&middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(high)
}

/// The measure of the sum of `steps` independent terms, by squarings.
///
/// # Errors
/// Those of `plus`.
pub(super) fn power<M: Clone>(
    one: &M,
    steps: u64,
    plus: impl Fn(&M, &M) -> Result<M, Failure>,
) -> Result<M, Failure> {
    let mut sum = one.clone();
    let below_the_first = steps.checked_ilog2().unwrap_or(0);
    for bit in (0..below_the_first).rev() {
        sum = plus(&sum, &sum)?;
        if (steps >> bit) & 1 == 1 {
            sum = plus(&sum, one)?;
        }
    }
    Ok(sum)
}

/// ⌈x/2^by⌉ for a number that may be shifted either way.
pub(super) fn shifted_up(x: Integer, by: i32) -> Integer {
    if by >= 0 {
        x << by.unsigned_abs()
    } else {
        up(x, by.unsigned_abs())
    }
}

#[cfg(test)]
#[path = "base_tests.rs"]
mod tests;
