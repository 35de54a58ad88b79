//! Tables on lattices of a few places.

use rug::Rational;

use super::super::{Selection, above, below, fixed};
use super::{Lattice, Side};
use crate::kernel::{Point, Profile};
use crate::mechanism::closed::Closed;
use crate::mechanism::epsilon::Epsilon;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn log(n: u32) -> Epsilon {
    Epsilon::log_of(Rational::from(n)).unwrap()
}

fn delta(profile: &dyn Profile, u: &Rational) -> crate::kernel::Interval {
    profile.at(&Point::at_exp_epsilon(u, 120)).delta
}

/// On lattices of a few places no bound is saved by being near: one run and two against their closed forms, at every place.
#[test]
fn coarse_lattices_stay_on_their_side() {
    for odds in [3u32, 20] {
        let epsilon = log(odds);
        let run = Selection::new(epsilon.clone());
        for (runs, profile) in [
            (1, run.profile().unwrap()),
            (2, run.twice().profile().unwrap()),
        ] {
            for steps in [2usize, 4, 8, 16] {
                let lattice = |side| Lattice::new(&epsilon, steps, side);
                // A step of more than a factor of 2 is refused.
                let (Some(above), Some(below)) = (lattice(Side::Above), lattice(Side::Below))
                else {
                    assert!(odds > 3 && steps < 8);
                    continue;
                };
                let mut place = [Rational::from(1), Rational::from(1)];
                let highs = above::table(&above, runs);
                let lows = below::table(&below, runs);
                for (j, (high, low)) in highs.iter().zip(&lows).enumerate() {
                    let truth = delta(&*profile, &place[0]);
                    assert!(
                        fixed::value(*high) >= *truth.lo(),
                        "above {odds} {runs} {steps} {j}"
                    );
                    let truth = delta(&*profile, &place[1]);
                    assert!(
                        fixed::value(low.delta.0) <= *truth.hi(),
                        "below {odds} {runs} {steps} {j}"
                    );
                    // The line of the adversary there is below everywhere.
                    let (d, y) = (fixed::value(low.delta.0), fixed::value(low.slope.0));
                    for n in 1..40i64 {
                        let u = q(n * n, 40);
                        let line = Rational::from(&d + &y) - Rational::from(&y * &u) / &place[1];
                        let truth = delta(&*profile, &u);
                        let slack = q(1, 1 << 50);
                        assert!(
                            line - slack <= *truth.hi(),
                            "line {odds} {runs} {steps} {j} {u}"
                        );
                    }
                    place[0] *= &above.ratio;
                    place[1] *= &below.ratio;
                }
            }
        }
    }
}
