//! From where floats see an ε to both sides of it: whatever they say, each end is where δ is certainly on its side.

use std::sync::Arc;

use rug::Float;

use super::{Effort, Location, Search};
use crate::bounds::curve::exact_place;
use crate::kernel::about;
use crate::kernel::directed as d;
use crate::kernel::{Profile, ProfilePoint};

/// From a guess to the root by so many turns.
const MOST_TURNS: u32 = 5;
/// Both sides of it are 2^this times as near to it as is allowed.
const NARROWER: u32 = 12;

impl Search<'_> {
    /// Looks where the profile says that the root is about, and on both sides of where its slope there says; an ε that cannot be told from the
    /// root, if there is one.
    pub(super) fn beside_guess(&mut self) -> Option<Float> {
        let level = d::rational_up(self.delta, self.bits);
        let (leader, guess) = match self.leader(&level) {
            Some((leader, guess)) => (Some(leader), guess),
            None => (None, self.curve.forward.about(&level)?),
        };
        let mut place = Float::with_val(self.bits, guess);
        for _ in 0..MOST_TURNS {
            if !self.is_inside(&place) || self.effort.is_over() {
                return None;
            }
            match &leader {
                // Where it leads it is all there is, and elsewhere both sides of the root are looked for in vain.
                Some(leader) if place >= 0 => self.look_only(leader, &place),
                _ => {
                    let (side, steering) = self.look(&place);
                    if !self.move_end(&side, &place, steering) {
                        return Some(place);
                    }
                }
            }
            let turn = self.turn(&place)?;
            let margin = self.allowed_at(&place) >> NARROWER;
            let is_near = Float::with_val(self.bits, &turn - &place).abs() < margin;
            place = turn;
            if is_near {
                return self.on_both_sides(&place, &margin);
            }
        }
        None
    }

    /// Of two profiles whose larger one is looked at, the one that says that it falls to the level farther out, and where.
    fn leader(&self, level: &Float) -> Option<(Arc<dyn Profile>, Float)> {
        let [a, b] = self.curve.forward.either()?;
        let (of_a, of_b) = (a.about(level)?, b.about(level)?);
        Some(if of_a >= of_b { (a, of_a) } else { (b, of_b) })
    }

    /// What δ is and how it falls by one of two profiles, to steer by alone.
    fn look_only(&mut self, profile: &Arc<dyn Profile>, epsilon: &Float) {
        let place = exact_place(epsilon, self.bits);
        let ProfilePoint { delta, null_tail } = profile.at(&place);
        self.last = Some((delta.middle(), null_tail.mul(place.exp()).middle()));
    }

    /// Looks this far on either side of where the root seems to be.
    fn on_both_sides(&mut self, place: &Float, margin: &Float) -> Option<Float> {
        for probe in [
            Float::with_val(self.bits, place - margin),
            Float::with_val(self.bits, place + margin),
        ] {
            if self.is_inside(&probe) && !self.effort.is_over() {
                let (side, steering) = self.look(&probe);
                if !self.move_end(&side, &probe, steering) {
                    return Some(probe);
                }
            }
        }
        None
    }

    fn is_inside(&self, epsilon: &Float) -> bool {
        self.lower < *epsilon && *epsilon < self.upper
    }

    /// The width that is allowed of a root about here.
    fn allowed_at(&self, epsilon: &Float) -> Float {
        let Effort { target, .. } = self.effort;
        target.allowed_width(epsilon, epsilon, self.bits)
    }

    /// False where the side is not known.
    fn move_end(&mut self, side: &Location, epsilon: &Float, steering: Option<Float>) -> bool {
        match side {
            Location::Left => self.move_left_end(epsilon.clone(), steering),
            Location::Right => self.move_right_end(epsilon.clone(), steering),
            Location::Root | Location::Unclear => return false,
        }
        true
    }

    /// Where log δ, as straight as it is at the ε looked at last, falls to log `delta`; rough.
    fn turn(&self, epsilon: &Float) -> Option<Float> {
        let (delta, fall) = self.last.as_ref()?;
        let bits = self.bits;
        let level = d::rational_up(self.delta, bits);
        let above = about::ln(Float::with_val(bits, delta / level));
        let turn = Float::with_val(bits, above * delta) / fall + epsilon;
        turn.is_finite().then_some(turn)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use rug::Rational;

    use super::*;
    use crate::bounds::TwoSided;
    use crate::bounds::epsilon::epsilon;
    use crate::bounds::testing::with_effort;
    use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};
    use crate::mechanism::gaussian::Gaussian;

    /// A Gaussian, and what is said of where it falls to a level; its δ may be known up to a share.
    struct Guessed {
        truth: Gaussian,
        said: Float,
        share: Float,
    }

    impl Profile for Guessed {
        fn at(&self, point: &Point) -> ProfilePoint {
            let ProfilePoint { delta, null_tail } = self.truth.at(point);
            let off = delta.mul(&Interval::point(self.share.clone()));
            ProfilePoint {
                delta: delta.sub(&off).hull(&delta.add(&off)),
                null_tail,
            }
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

        fn about(&self, _level: &Float) -> Option<Float> {
            Some(self.said.clone())
        }
    }

    /// Counts how often it is looked at.
    struct Counted(Guessed, Arc<AtomicU32>);

    impl Profile for Counted {
        fn at(&self, point: &Point) -> ProfilePoint {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.at(point)
        }

        fn swapped(&self) -> Arc<dyn Profile> {
            self.0.swapped()
        }

        fn max_loss(&self, bits: u32) -> LossBound {
            self.0.max_loss(bits)
        }

        fn min_loss(&self, bits: u32) -> LossBound {
            self.0.min_loss(bits)
        }

        fn infinite_mass(&self, bits: u32) -> Interval {
            self.0.infinite_mass(bits)
        }

        fn about(&self, level: &Float) -> Option<Float> {
            self.0.about(level)
        }
    }

    /// From a guess that is nearly right both sides of the root are found at once: its turns lead there, and what it says is looked at on either side.
    #[test]
    fn good_guesses_take_few_looks() {
        for level in [(1i64, 3i64), (1, 100_000), (1, 1 << 40)] {
            let delta = Rational::from(level);
            let looks = |said: f64| {
                let guessed = Guessed {
                    truth: Gaussian::from_square(Rational::from(1)),
                    said: Float::with_val(53, said),
                    share: Float::new(53),
                };
                let count = Arc::new(AtomicU32::new(0));
                let sides = Counted(guessed, Arc::clone(&count));
                let sides = TwoSided::closed_form(Arc::new(sides));
                let found = with_effort(9, 128, |effort| epsilon(&sides, &delta, effort)).unwrap();
                (count.load(Ordering::Relaxed), found.lower().to_f64())
            };
            let (without, root) = looks(f64::NAN);
            for off in [1e-3, -1e-3, 1e-5, -1e-7] {
                let (with, _) = looks(root * (1.0 + off));
                assert!(
                    with <= 5 && without > 8,
                    "{level:?} {off}: {with} {without}"
                );
            }
        }
    }

    /// Good guesses, bad ones and such as are no numbers: the root is enclosed as narrowly as was asked, or as δ is known.
    #[test]
    fn guesses_change_no_answer() {
        let gaussian = || Gaussian::from_square(Rational::from(1));
        let ask_to = |digits: u32, sides: &TwoSided, delta: &Rational| {
            with_effort(digits, 128, |effort| epsilon(sides, delta, effort)).unwrap()
        };
        let ask = |sides: &TwoSided, delta: &Rational| ask_to(9, sides, delta);
        for level in [(1i64, 3i64), (1, 100_000), (1, 1 << 40)] {
            let delta = Rational::from(level);
            let truth = ask(&TwoSided::closed_form(Arc::new(gaussian())), &delta);
            let root = truth.lower().to_f64();
            for said in [
                root,
                root * 1.001,
                root * 0.97,
                root + 1e-12,
                0.0,
                -3.0,
                1e-30,
                40.0,
                1e9,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
            ] {
                for (share, digits) in [(0.0, 9), (1e-7, 9), (1e-7, 20), (0.5, 9), (0.5, 12)] {
                    let guessed = Guessed {
                        truth: gaussian(),
                        said: Float::with_val(53, said),
                        share: Float::with_val(53, share),
                    };
                    let found = ask_to(digits, &TwoSided::closed_form(Arc::new(guessed)), &delta);
                    let meet = found.intersect(&truth).is_ok();
                    assert!(meet, "{said} {share}: {found:?} {truth:?}");
                    let width = found.width_up().to_f64();
                    let most = [1e-8, 20.0 * share][usize::from(share > 0.0)];
                    assert!(width <= most, "{said} {share}: {width} of {most}");
                }
            }
        }
    }
}
