//! Coarse twins: at a few bits a wrong direction of rounding is an error in the first digits.
//!
//! At the precision of the engine an error in the last place is far below what a test compares. So what rounds is run at
//! 4 to 16 bits as well, and must still surround what it gives at many bits.

use rug::Rational;

use super::{Accuracy, Interval, LossBound, Point, Profile};

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
pub fn profile_holds(profile: &dyn Profile, place: &Place, bits: u32, slopes: bool) -> Result<(), String> {
    let fine = profile.at(&place.fine());
    for accuracy in [Accuracy::Absolute, Accuracy::Relative] {
        let coarse = profile.at(&place.at(bits).with_accuracy(accuracy));
        for (what, coarse, fine) in [
            ("delta", &coarse.delta, &fine.delta),
            ("null tail", &coarse.null_tail, &fine.null_tail),
        ] {
            if !surrounds(coarse, fine) && (slopes || what == "delta") {
                return Err(format!("{what} at {place:?}, {bits} bits, {accuracy:?}: {coarse:?} misses {fine:?}"));
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
        return Err(format!("infinite mass at {bits} bits: {coarse:?} misses {fine:?}"));
    }
    for (coarse, fine) in [
        (profile.max_loss(bits), profile.max_loss(FINE)),
        (profile.min_loss(bits), profile.min_loss(FINE)),
    ] {
        match (&coarse, &fine) {
            (LossBound::Unbounded, LossBound::Unbounded) => {}
            (LossBound::Finite { value, .. }, LossBound::Finite { value: fine, .. }) if surrounds(value, fine) => {}
            _ => return Err(format!("loss at {bits} bits: {coarse:?} misses {fine:?}")),
        }
    }
    Ok(())
}
