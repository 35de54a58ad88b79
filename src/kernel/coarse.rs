//! Coarse twins: at a few bits a wrong direction of rounding is an error in the first digits.
//!
//! At the precision of the engine an error in the last place is far below what a test compares, and guard bits hide it further.
//! So what rounds is run at 2 to 16 bits as well, and must still surround what it gives at many bits: either because it is
//! asked for so few, or because [`at_most_bits`] lets no rounding have more, however many guard bits the code asks for.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rug::float::Round;
use rug::{Float, Rational};

use super::directed::{self as d, Pick};
use super::{Accuracy, Budget, Interval, LossBound, Point, Profile};

thread_local! {
    static MOST_BITS: Cell<u32> = const { Cell::new(u32::MAX) };
}

/// What `work` gives when no directed operation on this thread keeps more than `bits` bits.
///
/// All roundings of trusted code have a direction, so its bounds are true at any precision; they are only wide.
pub fn at_most_bits<T>(bits: u32, work: impl FnOnce() -> T) -> T {
    struct Restore(u32);
    impl Drop for Restore {
        fn drop(&mut self) {
            MOST_BITS.set(self.0);
        }
    }
    let _restore = Restore(MOST_BITS.replace(bits.max(2)));
    work()
}

/// What `work` gives when the time of its question has been over for long.
pub fn late<T>(work: impl FnOnce() -> T) -> T {
    let stopped = Arc::new(AtomicBool::new(true));
    Budget::new(Duration::ZERO, stopped).watch(work)
}

pub(super) fn capped(bits: u32) -> u32 {
    bits.min(MOST_BITS.get())
}

/// Bits at which a value counts as the truth.
pub const FINE: u32 = 300;

/// A place on the loss axis that can be stated at any precision.
#[derive(Debug, Clone)]
pub enum Place {
    /// An exact ε.
    Epsilon(Rational),
    /// An exact u = e^ε > 0.
    ExpEpsilon(Rational),
    /// An ε known by enclosure only.
    NearEpsilon(Rational),
}

impl Place {
    pub fn at(&self, bits: u32) -> Point {
        match self {
            Self::Epsilon(epsilon) => Point::at_epsilon(epsilon, bits),
            Self::ExpEpsilon(u) => Point::at_exp_epsilon(u, bits),
            Self::NearEpsilon(epsilon) => Point::at_log(Interval::from_rational(epsilon, bits)),
        }
    }

    /// The place itself, as well as it can be said.
    pub fn fine(&self) -> Point {
        match self {
            Self::Epsilon(epsilon) | Self::NearEpsilon(epsilon) => Point::at_epsilon(epsilon, FINE),
            Self::ExpEpsilon(u) => Point::at_exp_epsilon(u, FINE),
        }
    }
}

/// Three to twelve.
pub fn few_bits(random: &mut Random) -> u32 {
    3 + u32::try_from(random.below(10)).unwrap_or(0)
}

/// A number known to so many bits, rounded both ways.
pub fn around(x: &Float, bits: u32) -> Interval {
    let rounded = |round| Float::with_val_round(bits, x, round).0;
    Interval::spanning(rounded(Round::Down), rounded(Round::Up))
}

/// Could the fine enclosure's number lie in the coarse one?
pub fn surrounds(coarse: &Interval, fine: &Interval) -> bool {
    coarse.lo() <= fine.hi() && coarse.hi() >= fine.lo()
}

/// Evaluates the profile at few bits, directly and with guard bits, against the same at many.
///
/// Where a profile is the larger of two, each has a slope, and either may be given where they cross: then `slopes` are left out.
///
/// # Errors
/// What does not hold, in words.
pub fn profile_holds(
    profile: &dyn Profile,
    place: &Place,
    bits: u32,
    slopes: bool,
) -> Result<(), String> {
    let fine = profile.at(&place.fine());
    let asked = |accuracy| profile.at(&place.at(bits).with_accuracy(accuracy));
    // Not in as many bits as the fine one, which the profile may have kept.
    let held = |accuracy| {
        at_most_bits(bits, || {
            profile.at(&place.at(FINE / 2).with_accuracy(accuracy))
        })
    };
    for coarse in [
        asked(Accuracy::Absolute),
        asked(Accuracy::Relative),
        held(Accuracy::Absolute),
        held(Accuracy::Relative),
    ] {
        for (what, coarse, fine) in [
            ("delta", &coarse.delta, &fine.delta),
            ("null tail", &coarse.null_tail, &fine.null_tail),
        ] {
            if !surrounds(coarse, fine) && (slopes || what == "delta") {
                return Err(format!(
                    "{what} at {place:?}, {bits} bits: {coarse:?} misses {fine:?}"
                ));
            }
        }
    }
    Ok(())
}

/// Evaluates the profile at so many random places, in one of the ways of [`profile_holds`] each, and holds exact values against it, too.
/// At many bits most of what it says must be narrow, so that what is around it surrounds it.
///
/// # Errors
/// What does not hold, in words.
pub fn places_hold(
    profile: &dyn Profile,
    seed: u64,
    count: u32,
    slopes: bool,
) -> Result<(), String> {
    let mut random = Random(seed);
    let mut narrow = 0u32;
    for _ in 0..count {
        let bits = few_bits(&mut random);
        let epsilon = (Rational::from(random.below(961)) - 480u32) / (40 + 10 * random.below(20));
        let (place, fine) = match random.below(3) {
            0 => {
                let u = Rational::from((1 + random.below(400), 1 + random.below(60)));
                let fine = Point::at_exp_epsilon(&u, 128);
                (Place::ExpEpsilon(u), fine)
            }
            1 => {
                let fine = Point::at_epsilon(&epsilon, 128);
                (Place::Epsilon(epsilon), fine)
            }
            _ => {
                let fine = Point::at_epsilon(&epsilon, 128);
                (Place::NearEpsilon(epsilon), fine)
            }
        };
        let accuracy = match random.once_in(2) {
            true => Accuracy::Absolute,
            false => Accuracy::Relative,
        };
        let exact = profile.exact_delta(&fine);
        let held = random.once_in(2);
        let fine = profile.at(&fine);
        let coarse = match held {
            true => at_most_bits(bits, || profile.at(&place.at(100).with_accuracy(accuracy))),
            false => profile.at(&place.at(bits).with_accuracy(accuracy)),
        };
        let meets = surrounds(&coarse.delta, &fine.delta)
            && (!slopes || surrounds(&coarse.null_tail, &fine.null_tail))
            && exact.is_none_or(|exact| coarse.delta.contains(&exact));
        if !meets {
            return Err(format!(
                "{place:?}, {bits} bits, {accuracy:?}, held {held}: {coarse:?} misses {fine:?}"
            ));
        }
        narrow += u32::from(fine.delta.width_up() < 1e-20);
    }
    match narrow.saturating_mul(2) > count {
        true => Ok(()),
        false => Err(format!("{narrow} of {count} are narrow at many bits")),
    }
}

/// Evaluates the profile at places that are known by intervals, from each of these to each later one: what it says there must hold at every place
/// between. The places rise, and are where a formula ends and another one begins, with others between.
///
/// # Errors
/// What does not hold, in words.
pub fn spans_hold(profile: &dyn Profile, places: &[Rational], bits: u32) -> Result<(), String> {
    let between = |a: &Rational, b: &Rational| Rational::from(a + b) / 2u32;
    let inner = places.iter().zip(places.iter().skip(1));
    // A slope is looked at where there is one only: an end of a piece may have either of two.
    let inner: Vec<Rational> = inner.map(|(a, b)| between(a, b)).collect();
    let fine = |x: &Rational| profile.at(&Point::at_epsilon(x, FINE / 2));
    let ends: Vec<_> = places.iter().map(|x| (x, fine(x), false)).collect();
    let all: Vec<_> = inner
        .iter()
        .map(|x| (x, fine(x), true))
        .chain(ends)
        .collect();
    for (index, from) in places.iter().enumerate() {
        for to in places.iter().skip(index) {
            let span = Interval::from_rational(from, bits).hull(&Interval::from_rational(to, bits));
            for accuracy in [Accuracy::Absolute, Accuracy::Relative] {
                let wide = profile.at(&Point::at_log(span.clone()).with_accuracy(accuracy));
                for (place, fine, is_inner) in all.iter().filter(|(x, ..)| from <= *x && *x <= to) {
                    let holds = surrounds(&wide.delta, &fine.delta)
                        && (!is_inner || surrounds(&wide.null_tail, &fine.null_tail));
                    if !holds {
                        return Err(format!(
                            "{from} to {to} at {place}: {wide:?} misses {fine:?}"
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

/// The same for what a profile says of its whole.
///
/// # Errors
/// What does not hold, in words.
pub fn ends_hold(profile: &dyn Profile, bits: u32) -> Result<(), String> {
    let (coarse, fine) = (profile.infinite_mass(bits), profile.infinite_mass(FINE));
    if !surrounds(&coarse, &fine) {
        return Err(format!(
            "infinite mass at {bits} bits: {coarse:?} misses {fine:?}"
        ));
    }
    for (coarse, fine) in [
        (profile.max_loss(bits), profile.max_loss(FINE)),
        (profile.min_loss(bits), profile.min_loss(FINE)),
    ] {
        match (&coarse, &fine) {
            (LossBound::Unbounded, LossBound::Unbounded) => {}
            (LossBound::Finite { value, .. }, LossBound::Finite { value: fine, .. })
                if surrounds(value, fine) => {}
            _ => return Err(format!("loss at {bits} bits: {coarse:?} misses {fine:?}")),
        }
    }
    Ok(())
}

/// Random numbers, the same in every run (SplitMix64: Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A whole number in 0..n.
    pub fn below(&mut self, n: u64) -> u64 {
        self.word() % n
    }

    /// True once in n times.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// A number of `bits` bits of either sign, small and large ones, zeros and ones among them.
    pub fn float(&mut self, bits: u32) -> Float {
        let size = match self.below(16) {
            0 => return Float::new(bits),
            1 => return Float::with_val(bits, if self.once_in(2) { 1 } else { -1 }),
            2 => 40,
            3..=6 => 0,
            _ => 6,
        };
        let digits = i64::try_from(self.below(1 << bits.min(40))).unwrap();
        let shift = i32::try_from(self.below(2 * size + 1)).unwrap() - i32::try_from(size).unwrap();
        let shift = shift - i32::try_from(bits.min(40)).unwrap() + 1;
        let sign = if self.once_in(2) { 1 } else { -1 };
        Float::with_val(bits, sign * digits) << shift
    }

    /// An interval whose ends have `bits` bits; now and then a point, half a line or the whole one.
    pub fn interval(&mut self, bits: u32) -> Interval {
        let a = self.float(bits);
        match self.below(20) {
            0..=5 => return Interval::point(a),
            6 => return Interval::spanning(a, d::infinity(bits)),
            7 => return Interval::spanning(d::neg_infinity(bits), a),
            8 => return Interval::whole_line(bits),
            _ => {}
        }
        // Next to 0 are numbers that no rational of a bearable size holds.
        let b = if a == 0 || self.once_in(2) {
            self.float(bits)
        } else {
            // Near by: a unit or two in the last place.
            let mut next = a.clone();
            for _ in 0..=self.below(3) {
                next.next_up();
            }
            next
        };
        Interval::spanning(a, b)
    }

    /// A number in the interval, its ends among them, in [`FINE`] bits.
    pub fn member(&mut self, of: &Interval) -> Interval {
        let end = |x: &Float, other: &Float| {
            if x.is_finite() {
                x.clone()
            } else if other.is_finite() {
                let step = Float::with_val(64, 1) << 20;
                if x.is_sign_positive() {
                    Float::with_val(FINE, other + step)
                } else {
                    Float::with_val(FINE, other - step)
                }
            } else {
                Float::with_val(FINE, if x.is_sign_positive() { 50 } else { -50 })
            }
        };
        let (lo, hi) = (end(of.lo(), of.hi()), end(of.hi(), of.lo()));
        let x = match self.below(3) {
            0 => lo,
            1 => hi,
            _ => {
                let share = Float::with_val(FINE, self.below(1 << 30)) >> 30;
                let width = Float::with_val(FINE, &hi - &lo);
                Float::with_val(FINE, &lo + width * share).smaller(&hi)
            }
        };
        Interval::point(Float::with_val(FINE, x))
    }
}
