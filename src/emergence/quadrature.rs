//! Moments of the loss of Poisson-subsampled continuous noise, by integrals of Taylor polynomials.
//!
//! Every cell of a partition contributes the integral of the Taylor polynomial at its middle and a remainder (Lagrange) whose
//! coefficient is enclosed over the whole cell. What lies outside the partition is bounded in closed form.

use rug::{Float, Rational};

use super::integrand::{Densities, LocalSeries, Weighing};
use super::moments::{LossMoments, StepMoments, absolute_cube};
use super::series::Series;
use crate::kernel::{Budget, Failure, Interval, InvariantViolation, normal};

/// The continuous noise below the subsampling.
#[derive(Debug, Clone)]
pub enum Noise {
    /// N(0, 1) against N(μ, 1).
    Gaussian {
        /// μ² > 0.
        square: Rational,
    },
    /// Laplace noise with largest loss ε0 > 0.
    Laplace {
        /// ε0.
        epsilon: Rational,
    },
}

const BITS: u32 = 128;
/// Order of the longest Taylor polynomials plus one; even, so that the remainder integrates t^18 ≥ 0.
pub(super) const ORDER: u32 = 18;
/// Bits of what says how long a polynomial should be.
const ROUGH_BITS: u32 = 40;
/// A remainder is to be so many times smaller, in bits, than what would do.
const MARGIN_BITS: i32 = 6;
/// A relative width of 2^-36 is narrow enough.
const GOOD_BITS: u32 = 36;
/// The integrals go beyond this many standard deviations on either side.
const FIRST_REACH: u32 = 14;
/// Refinements of the partition tried.
const MOST_ROUNDS: u32 = 4;
/// A cell with the kink of |L − c|³ is halved this often: what is left falls with the fourth power of its width.
const MOST_HALVINGS: u32 = 11;

/// Moments of L = log(1 − r + r·e^ℓ), ℓ the loss of the noise, under P and under (1 − r)P + rQ.
///
/// Requires: `0 < rate ≤ 1`; `rate < 1` for Gaussian noise.
///
/// # Errors
/// If the budget ends, or the total masses are not found to be 1: an internal error.
pub(super) fn moments(
    noise: &Noise,
    rate: &Rational,
    budget: &Budget,
) -> Result<StepMoments, Failure> {
    let mut best: Option<StepMoments> = None;
    for round in 0..MOST_ROUNDS {
        let reach = FIRST_REACH.saturating_add(round.saturating_mul(4));
        let densities = Densities::new(noise, rate, reach, BITS);
        let partition = Partition::new(&densities, round);
        let rough = Densities::new(noise, rate, reach, ROUGH_BITS);
        let shares = shares(&rough, &partition, budget)?;
        let mut cells = Vec::new();
        for (cell, share) in partition.iter().zip(shares) {
            budget.check()?;
            cells.push(Contribution::new(&densities, cell, share));
        }
        let found = StepMoments {
            null: side(&densities, &cells, Weighing::Null, budget)?,
            alternative: side(&densities, &cells, Weighing::Alternative, budget)?,
            is_normal: false,
        };
        let is_good = found.is_narrow(GOOD_BITS);
        best = Some(found);
        if is_good {
            break;
        }
    }
    best.ok_or_else(|| InvariantViolation("no round of quadrature".to_owned()).into())
}

fn side(
    densities: &Densities,
    cells: &[Contribution],
    side: Weighing,
    budget: &Budget,
) -> Result<LossMoments, Failure> {
    let zero = Interval::zero(BITS);
    let (mut mass, mut mean, mut second) = (zero.clone(), zero.clone(), zero.clone());
    for cell in cells {
        let powers = cell.powers(side);
        mass = mass.add(&powers.mass);
        mean = mean.add(&powers.first);
        second = second.add(&powers.second);
    }
    let tail = |power: u32, centre: &Interval| densities.tail_up(power, centre);
    mass = mass.add(&zero.hull(&tail(0, &zero)));
    mean = mean.add(&tail(1, &zero).neg().hull(&tail(1, &zero)));
    second = second.add(&zero.hull(&tail(2, &zero)));
    for (loss, weight) in densities.atoms(side) {
        mass = mass.add(&weight);
        mean = mean.add(&weight.mul(&loss));
        second = second.add(&weight.mul(&loss.square()));
    }
    if !mass.contains(&Rational::from(1)) {
        let message = format!("a law has mass {:.9e}", mass.lo());
        return Err(InvariantViolation(message).into());
    }
    let variance = second.sub(&mean.square()).at_least_zero();
    let third = |centre: &Interval| -> Result<Interval, Failure> {
        let mut sum = zero.hull(&tail(3, centre));
        for (loss, weight) in densities.atoms(side) {
            sum = sum.add(&weight.mul(&absolute_cube(&loss.sub(centre))));
        }
        for cell in cells {
            budget.check()?;
            sum = sum.add(&cell.third_moment(densities, side, centre));
        }
        Ok(sum)
    };
    Ok(LossMoments {
        third_central: third(&mean)?,
        third_absolute: third(&zero)?,
        mean,
        second,
        variance,
    })
}

/// How many moments there are: of four powers under two laws.
const KINDS: usize = 8;

/// About how much of a moment each cell holds, against the cell that holds most of it, as an exponent of 2: for the moment of which it is most. A hint.
fn shares(rough: &Densities, partition: &Partition, budget: &Budget) -> Result<Vec<i32>, Failure> {
    let mut exponents = Vec::new();
    let mut most = [i32::MIN; KINDS];
    for cell in partition.iter() {
        budget.check()?;
        let found = exponents_of_moments(rough, &cell);
        for (most, one) in most.iter_mut().zip(&found) {
            *most = (*most).max(*one);
        }
        exponents.push(found);
    }
    // E L is of the size of E L², however large L is.
    let [_, null_first, null_second, _, _, first, second, _] = &mut most;
    *null_first = (*null_first).min(*null_second);
    *first = (*first).min(*second);
    let share = |each: &[i32; KINDS]| {
        let shares = each.iter().zip(&most);
        let shares = shares.map(|(one, most)| one.saturating_sub(*most));
        shares.max().unwrap_or(0)
    };
    Ok(exponents.iter().map(share).collect())
}

/// Exponents of the largest values of |L|^k times a density in the cell.
fn exponents_of_moments(rough: &Densities, cell: &Cell) -> [i32; KINDS] {
    let local = rough.at(&cell.whole(), 0);
    let exponent = |x: &Interval| {
        let size = x.max(&x.neg());
        size.hi().get_exp().unwrap_or(i32::MIN / 8)
    };
    let loss = exponent(&local.loss.value());
    let weights =
        [Weighing::Null, Weighing::Alternative].map(|side| exponent(&local.weight(side).value()));
    let [null, alternative] = weights;
    let times = |power: i32| loss.saturating_mul(power);
    let [first, second, third] = [1, 2, 3].map(times);
    [
        null,
        null.saturating_add(first),
        null.saturating_add(second),
        null.saturating_add(third),
        alternative,
        alternative.saturating_add(first),
        alternative.saturating_add(second),
        alternative.saturating_add(third),
    ]
}

/// ∫ L^k over one cell for k ≤ 3, under both laws.
struct Contribution {
    cell: Cell,
    /// Of the largest cell of any moment, as an exponent of 2: a hint.
    share: i32,
    /// L all over the cell.
    loss: Interval,
    null: Powers,
    alternative: Powers,
}

struct Powers {
    mass: Interval,
    first: Interval,
    second: Interval,
    third: Interval,
}

impl Contribution {
    fn new(densities: &Densities, cell: Cell, share: i32) -> Self {
        let local = AroundCell::new(densities, &cell, share);
        Self {
            null: local.powers(Weighing::Null),
            alternative: local.powers(Weighing::Alternative),
            loss: local.whole.series.loss.value(),
            cell,
            share,
        }
    }

    fn powers(&self, side: Weighing) -> &Powers {
        match side {
            Weighing::Null => &self.null,
            Weighing::Alternative => &self.alternative,
        }
    }

    /// ∫ |L − centre|³ over the cell. Where the sign is not known the cell is halved.
    fn third_moment(&self, densities: &Densities, side: Weighing, centre: &Interval) -> Interval {
        let known = || self.powers(side).cube_about(centre);
        by_sign(&self.loss, centre, known).unwrap_or_else(|| {
            let kink = Kink {
                densities,
                side,
                centre,
            };
            kink.halved((&self.cell, &self.loss), self.share, 0)
        })
    }
}

/// ∫ |L − centre|³ from ∫ (L − centre)³ where the sign of L − centre is known all over a cell.
fn by_sign(loss: &Interval, centre: &Interval, cube: impl Fn() -> Interval) -> Option<Interval> {
    let distance = loss.sub(centre);
    let cube = match *distance.lo() >= 0 {
        true => cube(),
        false if distance.is_not_positive() => cube().neg(),
        false => return None,
    };
    Some(cube.at_least_zero())
}

/// Where |L − centre|³ has its kink.
struct Kink<'a> {
    densities: &'a Densities,
    side: Weighing,
    centre: &'a Interval,
}

impl Kink<'_> {
    /// ∫ |L − centre|³ over a cell in which the sign of L − centre is not known: of its halves; at last the integrand is bounded.
    fn halved(&self, (cell, loss): (&Cell, &Interval), share: i32, halvings: u32) -> Interval {
        // Where L moves less than the centre is known, halves do not tell the sign either, and all of them would be looked at.
        let is_flat = loss.width_up() <= self.centre.width_up();
        if is_flat || halvings >= MOST_HALVINGS {
            let local = self.densities.at(&cell.whole(), 0);
            let weight = local.weight(self.side);
            let width = Interval::point(Float::with_val(BITS, &cell.half << 1u32));
            let distance = loss.sub(self.centre);
            return absolute_cube(&distance).mul(&weight.value()).mul(&width);
        }
        let share = share.saturating_sub(1);
        let [left, right] = cell.halves().map(|half| {
            let loss = self.densities.loss(&half.whole());
            let cube = || {
                let local = AroundCell::new(self.densities, &half, share);
                local.powers(self.side).cube_about(self.centre)
            };
            by_sign(&loss, self.centre, cube)
                .unwrap_or_else(|| self.halved((&half, &loss), share, halvings.saturating_add(1)))
        });
        left.add(&right)
    }
}

impl Powers {
    /// ∫ (L − c)³ = ∫ L³ − 3c·∫ L² + 3c²·∫ L − c³·∫ 1.
    fn cube_about(&self, c: &Interval) -> Interval {
        let three = Interval::from_i64(3, BITS);
        let square = c.square();
        self.third
            .sub(&three.mul(c).mul(&self.second))
            .add(&three.mul(&square).mul(&self.first))
            .sub(&square.mul(c).mul(&self.mass))
    }
}

/// The cells of equal width 2^−refinement between two integers.
struct Partition {
    from: i64,
    cells: i64,
    refinement: u32,
}

impl Partition {
    /// Cells so short that ℓ changes by at most 1/4 in each, and half as wide with every round.
    fn new(densities: &Densities, round: u32) -> Self {
        let (from, to) = densities.range();
        let slope_bits = densities.slope().hi().get_exp().unwrap_or(0).clamp(0, 40);
        let refinement = slope_bits
            .unsigned_abs()
            .saturating_add(2)
            .saturating_add(round);
        Self {
            from,
            cells: to.saturating_sub(from).saturating_mul(1i64 << refinement),
            refinement,
        }
    }

    fn iter(&self) -> impl Iterator<Item = Cell> {
        (0..self.cells).map(|index| {
            let half = Float::with_val(BITS, 1) >> self.refinement.saturating_add(1);
            let middle = Float::with_val(BITS, index) >> self.refinement;
            let middle = Float::with_val(BITS, middle + self.from);
            Cell {
                middle: Float::with_val(BITS, middle + &half),
                half,
            }
        })
    }
}

/// [middle − half, middle + half]; both are dyadic and short, so their sums are exact.
#[derive(Clone)]
pub(super) struct Cell {
    middle: Float,
    half: Float,
}

impl Cell {
    /// How long a Taylor polynomial should be where the cell holds such a share, plus one: even, from 2 to [`ORDER`]. Any is sound.
    ///
    /// The n-th coefficient of φ around z is about φ(z)·(|z| + √n)ⁿ/n! at most, and that of other factors is less.
    fn order_for(&self, share: i32) -> u32 {
        let good = i32::try_from(GOOD_BITS).unwrap_or(i32::MAX);
        let wanted = good.saturating_add(MARGIN_BITS).saturating_add(share);
        let size = Float::with_val(ROUGH_BITS, self.middle.abs_ref()) + 4u32;
        let size = size * &self.half;
        let mut term = Float::with_val(ROUGH_BITS, 1);
        for order in 1..ORDER {
            term = term * &size / order;
            let is_small = term
                .get_exp()
                .is_none_or(|exponent| exponent <= wanted.saturating_neg());
            if order % 2 == 0 && is_small {
                return order;
            }
        }
        ORDER
    }

    fn whole(&self) -> Interval {
        Interval::spanning(
            Float::with_val(BITS, &self.middle - &self.half),
            Float::with_val(BITS, &self.middle + &self.half),
        )
    }

    fn halves(&self) -> [Self; 2] {
        let half = Float::with_val(BITS, &self.half >> 1u32);
        let at = |middle: Float| Self {
            middle,
            half: half.clone(),
        };
        [
            at(Float::with_val(BITS, &self.middle - &half)),
            at(Float::with_val(BITS, &self.middle + &half)),
        ]
    }
}

/// Series in the middle of a cell, and those that enclose the coefficients all over it.
struct AroundCell {
    half: Interval,
    /// Of the polynomials, plus one.
    order: u32,
    middle: Local,
    whole: Local,
}

impl AroundCell {
    fn new(densities: &Densities, cell: &Cell, share: i32) -> Self {
        let order = cell.order_for(share);
        let local = |z: &Interval| Local::new(densities.at(z, order), order);
        Self {
            half: Interval::point(cell.half.clone()),
            order,
            middle: local(&Interval::point(cell.middle.clone())),
            whole: local(&cell.whole()),
        }
    }

    fn powers(&self, side: Weighing) -> Powers {
        let integral = |power: fn(&Local) -> &Series| self.integral(power, side);
        Powers {
            mass: integral(|local| &local.unit),
            first: integral(|local| &local.series.loss),
            second: integral(|local| &local.square),
            third: integral(|local| &local.cube),
        }
    }

    /// ∫ g·weight over the cell [−h, h] around its middle: Σ over even k < n of c_k·2h^{k+1}/(k + 1), and the same for k = n with
    /// c_n enclosed over the whole cell.
    ///
    /// Requires: n is even.
    fn integral(&self, power: impl Fn(&Local) -> &Series, side: Weighing) -> Interval {
        let half = &self.half;
        let square = half.square();
        let mut scale = half.mul(&Interval::from_i64(2, BITS));
        let mut sum = Interval::zero(BITS);
        for k in (0..=self.order).step_by(2) {
            let Ok(order) = usize::try_from(k) else {
                return Interval::whole_line(BITS);
            };
            let local = if k == self.order {
                &self.whole
            } else {
                &self.middle
            };
            let coefficient = power(local).product_coefficient(local.series.weight(side), order);
            let divisor = Interval::from_i64(i64::from(k).saturating_add(1), BITS);
            sum = sum.add(&coefficient.mul(&scale).div(&divisor));
            scale = scale.mul(&square);
        }
        sum
    }
}

/// Series of 1, L, L², L³ and of both densities.
struct Local {
    series: LocalSeries,
    unit: Series,
    square: Series,
    cube: Series,
}

impl Local {
    fn new(series: LocalSeries, order: u32) -> Self {
        let square = series.loss.times(&series.loss);
        Self {
            unit: Series::affine(Interval::one(BITS), Interval::zero(BITS), order),
            cube: square.times(&series.loss),
            square,
            series,
        }
    }
}

/// Upper bound of 2·(Z² + 2)·φ(Z), as much as any of 2∫_Z^∞ z^k φ(z) dz, k ≤ 3, for Z ≥ 1.
pub(super) fn normal_tail_up(reach: u32, bits: u32) -> Interval {
    let reach = Interval::from_i64(i64::from(reach), bits);
    let two = Interval::from_i64(2, bits);
    let factor = reach.square().add(&two).mul(&two);
    factor.mul(&normal::density(&reach))
}

#[cfg(test)]
#[path = "quadrature_tests.rs"]
mod tests;
