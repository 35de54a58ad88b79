//! Every number of every cell against the interval way, at precisions far beyond what is promised.

use std::sync::Arc;

use proptest::prelude::*;
use rug::{Float, Integer};

use rug::integer::Order;

use crate::kernel::{CellNumber, Cells, Interval, Point, Profile};
use crate::mechanism::gaussian::Gaussian;
use crate::mechanism::subsampled::subsampled;

use super::*;

/// Precision of the truth.
const BITS: u32 = 400;

/// A profile and places on a lattice, anchored or not.
pub(super) struct Setup {
    pub(super) profile: Arc<dyn Profile>,
    /// e^offset, where that is rational and the offset is not.
    pub(super) anchor: Option<Rational>,
    pub(super) offset: Rational,
    pub(super) step: Rational,
    pub(super) indices: Vec<i64>,
    pub(super) good_bits: u32,
}

/// The accuracies that are asked for.
pub(super) const WISHES: [u32; 2] = [113, 159];

/// (Q(L > y), P(L > y), e^y) at a place.
type Truth = (Interval, Interval, Interval);

impl Setup {
    pub(super) fn offset(&self, bits: u32) -> Interval {
        let rational = Interval::from_rational(&self.offset, bits);
        match &self.anchor {
            Some(anchor) => rational.add(&Interval::from_rational(anchor, bits).ln()),
            None => rational,
        }
    }

    pub(super) fn cells(&self) -> Option<Cells> {
        self.cells_from(&self.offset(320))
    }

    fn cells_from(&self, offset: &Interval) -> Option<Cells> {
        let places = CellPlaces {
            offset,
            step: &self.step,
            indices: &self.indices,
            good_bits: self.good_bits,
        };
        self.profile.cells(&places, &Budget::unlimited()).unwrap()
    }

    fn truth(&self, index: i64) -> Truth {
        let shift = Rational::from(&self.step * index) + &self.offset;
        let point = match &self.anchor {
            None => Point::at_epsilon(&shift, BITS),
            Some(anchor) if shift == 0 => Point::at_exp_epsilon(anchor, BITS),
            Some(_) => Point::at_log(self.offset(2 * BITS).add(&Interval::from_rational(
                &Rational::from(&self.step * index),
                2 * BITS,
            ))),
        };
        let knot = self.profile.at(&point);
        let exp = point.exp().clone();
        (
            knot.delta.add(&exp.mul(&knot.null_tail)).in_unit(),
            knot.null_tail,
            exp,
        )
    }

    /// Do all bounds hold, and closely?
    pub(super) fn check(&self, cells: &Cells) -> Result<(), String> {
        let truths: Vec<Truth> = self.indices.iter().map(|i| self.truth(*i)).collect();
        if cells.cells.len() + 1 != truths.len() {
            return Err("a wrong number of cells".into());
        }
        let below_one = Interval::one(BITS);
        // How close to the truth every number has to be, beside e^y·2^-175.
        let sliver = Float::with_val(BITS, 1) >> self.good_bits.saturating_sub(3);
        let with = |u: &Float| Float::with_val(BITS, u >> 175u32) + &sliver;
        at_least("first tail", cells.first_tail_up, &truths[0].0, &sliver)?;
        for (i, cell) in cells.cells.iter().enumerate() {
            let ((low_q, low_p, u), (high_q, high_p, _)) = (&truths[i], &truths[i + 1]);
            let gap = Rational::from(&self.step * (self.indices[i + 1] - self.indices[i]));
            let mass = low_q.sub(high_q).at_least_zero();
            let scaled_p = u.mul(&low_p.sub(high_p)).at_least_zero();
            let spread = Interval::from_rational(&gap, BITS).neg().exp_m1().neg();
            let rise = mass
                .sub(&scaled_p)
                .at_least_zero()
                .div(&spread)
                .min(&below_one);
            let name = |what: &str| format!("{what} of cell {i}");
            at_most(&name("mass"), cell.mass_down, &mass, &sliver)?;
            at_least(
                &name("scaled_p"),
                cell.scaled_p_up,
                &scaled_p,
                &with(u.hi()),
            )?;
            at_least(&name("tail"), cell.tail_up, high_q, &sliver)?;
            let error = with(&Float::with_val(BITS, u.hi() + 2u32)) / spread.lo();
            at_least(&name("rise"), cell.rise_up, &rise, &error)?;
        }
        let (q, p, u) = &truths[truths.len() - 1];
        let scaled_p = u.mul(p);
        at_most("right mass", cells.right_mass_down, q, &sliver)?;
        at_least(
            "right scaled_p",
            cells.right_scaled_p_up,
            &scaled_p,
            &with(u.hi()),
        )?;
        at_least(
            "right delta",
            cells.right_delta_up,
            &q.sub(&scaled_p).at_least_zero(),
            &with(u.hi()),
        )
    }
}

fn number(units: CellNumber) -> Float {
    Float::with_val(BITS, Integer::from_digits(&units, Order::Lsf)) >> CELL_BITS
}

fn narrow(what: &str, truth: &Interval) -> Result<(), String> {
    let width = Float::with_val(64, 1) >> 200u32;
    if truth.width_up() > width {
        return Err(format!("{what}: the truth {truth:?} is not known"));
    }
    Ok(())
}

fn at_most(
    what: &str,
    bound: CellNumber,
    truth: &Interval,
    tolerance: &Float,
) -> Result<(), String> {
    narrow(what, truth)?;
    let bound = number(bound);
    let close = Float::with_val(BITS, &bound + tolerance);
    if bound > *truth.lo() {
        return Err(format!("{what}: {bound:.40} is above {:.40}", truth.lo()));
    }
    if close < *truth.hi() {
        return Err(format!(
            "{what}: {bound:.40} is far below {:.40}",
            truth.hi()
        ));
    }
    Ok(())
}

fn at_least(
    what: &str,
    bound: CellNumber,
    truth: &Interval,
    tolerance: &Float,
) -> Result<(), String> {
    narrow(what, truth)?;
    let bound = number(bound);
    let close = Float::with_val(BITS, &bound - tolerance);
    if bound < *truth.hi() {
        return Err(format!("{what}: {bound:.40} is below {:.40}", truth.hi()));
    }
    if close > *truth.lo() {
        return Err(format!(
            "{what}: {bound:.40} is far above {:.40}",
            truth.lo()
        ));
    }
    Ok(())
}

pub(super) fn rational(text: &str) -> Rational {
    crate::number::parse_rational(text).unwrap()
}

/// The subsampled Gaussian in one order or the other; rate 1 is the Gaussian itself.
fn profile(sigma: &Rational, rate: &Rational, swapped: bool) -> Arc<dyn Profile> {
    let gaussian = Arc::new(Gaussian::from_noise(sigma, &Rational::from(1)));
    let profile = subsampled(rate, gaussian);
    if swapped { profile.swapped() } else { profile }
}

/// A lattice whose point 0 is the end of the support.
fn anchor(rate: &Rational, swapped: bool) -> Option<Rational> {
    let complement = Rational::from(1 - rate);
    (*rate != 1).then(|| {
        if swapped {
            complement.recip()
        } else {
            complement
        }
    })
}

pub(super) fn index_near(loss: i64, step: &Rational) -> i64 {
    (Rational::from(loss) / step)
        .floor()
        .numer()
        .to_i64()
        .unwrap()
}

/// Steps of one up to far jumps, about `from` (in units of the step).
pub(super) fn ladder(from: i64, jumps: &[i64]) -> Vec<i64> {
    let mut indices = vec![from];
    for jump in jumps {
        indices.push(indices[indices.len() - 1] + jump);
    }
    indices
}

#[test]
fn anchored_at_the_edge() {
    let mut number = 0usize;
    for sigma in ["0.3", "0.614", "1", "9.4", "100"] {
        for rate in ["1e-9", "1e-4", "0.32768", "0.5", "0.999"] {
            for step in ["1e-12", "0.0001220703125", "0.3"] {
                for (swapped, fine) in [(false, false), (true, false), (false, true), (true, true)]
                {
                    // By default every ninth, which is each of the four in turn.
                    number += 1;
                    if !crate::test_scale::is_asked(number, 18) {
                        continue;
                    }
                    let (sigma_exact, rate_exact) = (rational(sigma), rational(rate));
                    let jumps = [1, 1, 1, 1, 2, 4, 8, 1, 16];
                    let setup = Setup {
                        profile: profile(&sigma_exact, &rate_exact, swapped),
                        anchor: anchor(&rate_exact, swapped),
                        offset: Rational::new(),
                        step: rational(step),
                        indices: ladder(if swapped { -32 } else { -3 }, &jumps),
                        good_bits: WISHES[usize::from(fine)],
                    };
                    let name = format!(
                        "sigma {sigma}, rate {rate}, step {step}, swapped {swapped}, {fine}"
                    );
                    let cells = setup.cells().unwrap_or_else(|| panic!("{name}: none"));
                    if let Err(what) = setup.check(&cells) {
                        panic!("{name}: {what}");
                    }
                }
            }
        }
    }
}

/// More places than one block, one far tail to the other, and a step over everything.
#[test]
fn long_walks() {
    for (sigma, rate, step, from, count, gap) in [
        (
            "9.4",
            "0.32768",
            "0.0001220703125",
            -4000i64,
            1200usize,
            8i64,
        ),
        ("0.614", "1e-4", "0.0009765625", 0, 1200, 8),
        ("1", "1", "0.0078125", -3000, 900, 7),
        ("100", "1", "1e-12", -450, 900, 1),
        ("0.5", "0.01", "0.25", -200, 300, 1),
    ] {
        for (swapped, fine) in [(false, false), (true, false), (false, true), (true, true)] {
            let (sigma_exact, rate_exact) = (rational(sigma), rational(rate));
            let from = if swapped {
                -from - gap * i64::try_from(count).unwrap()
            } else {
                from
            };
            let mut indices = ladder(from, &vec![gap; count]);
            indices.retain(|i| rational(step) * i < if fine { 18 } else { 37 });
            indices.insert(0, index_near(-90, &rational(step)));
            let setup = Setup {
                profile: profile(&sigma_exact, &rate_exact, swapped),
                anchor: None,
                offset: rational("0.00001"),
                step: rational(step),
                indices,
                good_bits: WISHES[usize::from(fine)],
            };
            let cells = setup.cells().unwrap();
            // The truth is slow: only some of the cells.
            for start in (0..cells.cells.len()).step_by(61) {
                let part = Setup {
                    profile: Arc::clone(&setup.profile),
                    anchor: None,
                    offset: setup.offset.clone(),
                    step: setup.step.clone(),
                    indices: setup.indices[start..start + 2].to_vec(),
                    good_bits: setup.good_bits,
                };
                let mut alone = part.cells().unwrap();
                alone.cells = vec![cells.cells[start]];
                if let Err(what) = part.check(&alone) {
                    panic!("sigma {sigma}, rate {rate}, from {start}, swapped {swapped}: {what}");
                }
            }
        }
    }
}

/// However many bits numbers have on the way: cells are refused, or hold.
#[test]
fn cells_at_any_number_of_bits() {
    let mut held = 0;
    for (rate, swapped, good_bits) in [
        ("1", false, 113),
        ("0.32768", false, 113),
        ("0.32768", true, 159),
        ("1e-4", true, 113),
    ] {
        let (sigma, rate) = (rational("0.614"), rational(rate));
        let setup = Setup {
            profile: profile(&sigma, &rate, swapped),
            anchor: None,
            offset: rational("0.00001"),
            step: rational("0.125"),
            indices: ladder(-2, &[1, 1, 2, 1, 3]),
            good_bits,
        };
        for bits in [12, 60, 130, 190, 210, 230, 260, 330] {
            if let Some(cells) = crate::kernel::coarse::at_most_bits(bits, || setup.cells()) {
                if let Err(what) = setup.check(&cells) {
                    panic!("rate {rate}, swapped {swapped}, {bits} bits: {what}");
                }
                held += 1;
            }
        }
    }
    assert!(held > 4, "{held}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_scale::cases(45)))]

    #[test]
    fn random_lattices(
        sigma in prop_oneof![30i32..200, 200i32..10_000],
        rate in (0u32..30, 1i32..1000),
        step_log2 in 2u32..40,
        start in -2000i32..2000,
        anchored: bool,
        swapped: bool,
        jumps in prop::collection::vec(prop_oneof![4 => Just(0u32), 2 => 0u32..6, 1 => 0u32..40], 1..12),
        three: bool,
        fine: bool,
    ) {
        let sigma = Rational::from((sigma, 100));
        let rate = Rational::from((rate.1, 1000)) >> rate.0;
        // Below it the logarithm of odds might be out of range.
        let is_too_rare = rate < Rational::from(1) >> 38u32;
        let divisor = if three { 3 } else { 1 };
        let step = Rational::from((1, divisor)) >> step_log2;
        // Within 20 of zero; most of them within a few standard deviations.
        let spread = Rational::from((5, 1)) / &sigma + &rate;
        let from = Rational::from((start, 1000)) * spread.min(Rational::from(10)) / &step;
        let from = from.floor().numer().to_i64().unwrap();
        let jumps: Vec<i64> = jumps.iter().map(|log2| 1i64 << log2).collect();
        let mut indices = ladder(from, &jumps);
        indices.retain(|i| Rational::from(&step * i) < 25);
        let setup = Setup {
            profile: profile(&sigma, &rate, swapped),
            anchor: anchor(&rate, swapped).filter(|_| anchored),
            offset: if anchored { Rational::new() } else { Rational::from((1, 7)) },
            step,
            indices,
            good_bits: WISHES[usize::from(fine)],
        };
        if let Some(cells) = setup.cells() {
            prop_assert_eq!(setup.check(&cells), Ok(()));
        } else {
            // Only where e^y is beyond 2^26.
            prop_assert!(is_too_rare || fine && setup.offset(320).lo().to_rational().unwrap() + setup.step.clone() * setup.indices[setup.indices.len() - 1] > 18);
        }
    }
}

/// Cuts that are off by more than is accounted for would be found, on either side.
#[test]
fn displaced_cuts_would_be_found() {
    let cases = [("1", false), ("0.3", false), ("0.3", true)];
    for ((rate, swapped), good_bits) in cases.into_iter().flat_map(|c| WISHES.map(|w| (c, w))) {
        let rate = rational(rate);
        let setup = Setup {
            profile: profile(&rational("2"), &rate, swapped),
            anchor: None,
            offset: Rational::new(),
            step: rational("0.03125"),
            indices: ladder(-10, &[1; 20]),
            good_bits,
        };
        let offset = setup.offset(320);
        assert_eq!(setup.check(&setup.cells_from(&offset).unwrap()), Ok(()));
        for up in [true, false] {
            let size = Interval::point(Float::with_val(320, 1) >> (good_bits - 2));
            let moved = if up {
                offset.add(&size)
            } else {
                offset.sub(&size)
            };
            let cells = setup.cells_from(&moved).unwrap();
            assert!(setup.check(&cells).is_err());
        }
    }
}

/// A bound that is wrong by one part in 2^140 would be found.
#[test]
fn a_wrong_number_would_be_found() {
    let setup = Setup {
        profile: profile(&rational("2"), &rational("0.3"), false),
        anchor: None,
        offset: Rational::new(),
        step: rational("0.03125"),
        indices: ladder(-4, &[1; 6]),
        good_bits: 159,
    };
    let cells = setup.cells().unwrap();
    assert_eq!(setup.check(&cells), Ok(()));
    let off = Wide::power_of_two(CELL_BITS - 140);
    let changes: [fn(&mut CellBounds, Wide); 4] = [
        |cell, off| cell.mass_down = Wide(cell.mass_down).wrapping_add(off).0,
        |cell, off| cell.scaled_p_up = Wide(cell.scaled_p_up).wrapping_sub(off).0,
        |cell, off| cell.tail_up = Wide(cell.tail_up).wrapping_sub(off).0,
        |cell, off| cell.rise_up = Wide(cell.rise_up).wrapping_sub(off).0,
    ];
    for change in changes {
        let mut wrong = cells.clone();
        change(&mut wrong.cells[3], off);
        assert!(setup.check(&wrong).is_err());
    }
}

#[test]
fn out_of_range_is_refused() {
    let setup = |sigma: &str, step: &str, indices: Vec<i64>| Setup {
        profile: profile(&rational(sigma), &rational("0.3"), false),
        anchor: None,
        offset: Rational::new(),
        step: rational(step),
        indices,
        good_bits: 159,
    };
    assert!(setup("1", "0.5", vec![0, 1]).cells().is_some());
    assert!(setup("1", "0.5", vec![0, 100]).cells().is_none());
    assert!(setup("1", "0.5", vec![-300, 0]).cells().is_none());
    assert!(setup("1", "0.5", vec![1, 0]).cells().is_none());
    assert!(setup("1", "0.5", vec![]).cells().is_none());
    assert!(setup("0.01", "0.5", vec![0, 1]).cells().is_none());
    assert!(setup("1", "1e-30", vec![0, 1]).cells().is_none());
    let rare = Setup {
        profile: profile(&rational("1"), &rational("1e-12"), true),
        ..setup("1", "0.5", vec![0, 1])
    };
    assert!(rare.cells().is_none());
    let wish = |good_bits| Setup {
        good_bits,
        ..setup("1", "0.5", vec![0, 1])
    };
    assert!(wish(160).cells().is_some() && wish(161).cells().is_none());
    assert!(wish(112).cells().is_none());
    let unmixed = |sigma: &str, step: &str| Setup {
        profile: profile(&rational(sigma), &Rational::from(1), false),
        ..setup("1", step, vec![0, 1 << 21])
    };
    assert!(unmixed("1", "1e-8").cells().is_some());
    assert!(unmixed("100000", "1e-8").cells().is_none());
    let far = |last| setup("0.2", "0.5", vec![0, last, last + 1]).cells();
    assert!(far(38).is_some() && far(60).is_none());
    let coarse = setup("1", "0.5", vec![0, 1]);
    assert!(coarse.cells_from(&Interval::zero(64)).is_none());
    assert_eq!(setup("1", "0.5", vec![3]).cells().unwrap().cells, vec![]);
}
