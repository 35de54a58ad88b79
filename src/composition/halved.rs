//! Bounds of a pair that is the same in both orders, from what is known of its losses above 0.

use std::sync::Arc;

use rug::{Float, Rational};

use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};

/// A bound of a profile with δ(u) = 1 − u + u·δ(1/u), of which only the values at u ≥ 1 are asked.
///
/// It bounds the profile from the same side at every u. It need not be convex at u = 1, but each of its supporting lines is one of the bound, or the mirror
/// image of one, so that those of a lower bound lie below the profile everywhere.
#[derive(Clone)]
pub struct Halved {
    bound: Arc<dyn Profile>,
    /// c and s of the line c − s·u of the bound next to u = 1, where it and its mirror image reach over to the other side.
    line: Option<(Interval, Interval)>,
    /// ε, and at least 0 and at most 1 − c for the chord c − (1 − c)·u that stands for a bound from above between −ε and ε.
    chord: Option<(Rational, Interval)>,
}

/// Digits of the line next to u = 1, and of its distance from there.
const LINE_BITS: u32 = 256;
const NEXT_TO_ONE: u32 = 100;
/// A chord ends at an ε of 2^−10 to 2^40, to a thousandth.
const CHORD_FROM: u32 = 10;
const CHORD_TO: u32 = 40;
const CHORD_STEPS: u32 = 10;

impl Halved {
    /// Requires: `bound` bounds the profile of a pair that is the same in both orders.
    pub fn new(bound: Arc<dyn Profile>) -> Self {
        Self {
            bound,
            line: None,
            chord: None,
        }
    }

    /// The same that is convex where no loss is 0: with the line of the bound next to u = 1 and its mirror image.
    ///
    /// Requires: as [`Self::new`].
    ///
    /// Ensures: c − s·u supports the bound at some u > 1. Its mirror image (1 − s) − (1 − c)·u is the same line where c + s = 1, as without rounding in a straight piece around u = 1, and is
    /// the higher one beyond u = 1 where c + s > 1, as it is on this side; both bend the right way where c + s ≤ 1. All lines of the bound lie below what it bounds from below, and
    /// more lines raise what bounds it from above.
    pub fn convex(bound: Arc<dyn Profile>) -> Self {
        let near = Rational::from(1) >> NEXT_TO_ONE;
        let point = Point::at_epsilon(&near, LINE_BITS);
        let ProfilePoint { delta, null_tail } = bound.at(&point);
        let start = delta.add(&null_tail.mul(point.exp()));
        let reaches_over = *start.add(&null_tail).hi() > 1;
        Self {
            bound,
            line: reaches_over.then_some((start, null_tail)),
            chord: None,
        }
    }

    /// The same of a bound from above whose lines may begin above 1, as where rounding adds to a law whose losses are nearly all far above 0: such a line would be far above
    /// the bound at large u. From −ε to ε a chord stands for the bound then.
    ///
    /// Requires: as [`Self::new`], and `bound` bounds the profile from above.
    ///
    /// Ensures: the profile is convex and at most d at e^ε, so at most 1 − e^−ε + d·e^−ε at e^−ε (F3) and at most the chord through both between them, which is c − (1 − c)·u with
    /// 1 − c = (1 − d)/(1 + e^ε). Where the line of the bound at e^ε has c' + s ≤ 1, s is at most 1 − c, so that all together bends the right way there and at e^−ε.
    pub fn convex_above(bound: Arc<dyn Profile>) -> Self {
        let begins_above = |(start, _): &(Interval, Interval)| *start.hi() >= 1;
        let convex = Self::convex(bound);
        if !convex.line.as_ref().is_some_and(begins_above) {
            return convex;
        }
        match chord(&*convex.bound) {
            Some(chord) => Self {
                line: None,
                chord: Some(chord),
                ..convex
            },
            None => convex,
        }
    }

    /// By the half above 0.
    fn alone(&self, point: &Point) -> ProfilePoint {
        if *point.log().hi() >= 0 {
            return self.bound.at(point);
        }
        let u = point.exp();
        let there = self.bound.at(&point.mirrored());
        let null_tail = there.delta.one_minus().sub(&there.null_tail.div(u));
        ProfilePoint {
            delta: u.one_minus().add(&u.mul(&there.delta)).in_unit(),
            null_tail: null_tail.in_unit(),
        }
    }

    /// What the chord says where it stands for the bound.
    fn on_chord(&self, point: &Point) -> Option<ProfilePoint> {
        let (end, rest) = self.chord.as_ref()?;
        let log = point.log();
        let is_between = *log.hi() <= *end && *log.lo() >= Rational::from(-end);
        let value = || {
            rest.mul(&Interval::one(point.bits()).add(point.exp()))
                .one_minus()
        };
        is_between.then(|| ProfilePoint {
            delta: value().in_unit(),
            null_tail: rest.clone(),
        })
    }
}

/// The least ε, to a thousandth, at which the line of the bound has c + s ≤ 1, with 1 − c of the chord between −ε and ε, rounded down; `None` if there is none.
fn chord(bound: &dyn Profile) -> Option<(Rational, Interval)> {
    let at = |epsilon: &Rational| {
        let point = Point::at_epsilon(epsilon, LINE_BITS);
        (bound.at(&point), point)
    };
    let bends = |epsilon: &Rational| {
        let (ProfilePoint { delta, null_tail }, point) = at(epsilon);
        let start = delta.add(&null_tail.mul(point.exp()));
        *start.add(&null_tail).hi() <= 1
    };
    let least = Rational::from(1) >> CHORD_FROM;
    let mut far = (0..CHORD_FROM.saturating_add(CHORD_TO))
        .map(|doublings| Rational::from(&least << doublings))
        .find(|epsilon| bends(epsilon))?;
    let mut near = Rational::from(&far >> 1u32);
    for _ in 0..CHORD_STEPS {
        let middle = Rational::from(&near + &far) >> 1u32;
        if bends(&middle) {
            far = middle;
        } else {
            near = middle;
        }
    }
    let (ProfilePoint { delta, .. }, point) = at(&far);
    let one = Interval::one(LINE_BITS);
    let rest = delta.in_unit().one_minus().div(&one.add(point.exp()));
    Some((far, Interval::point(rest.at_least_zero().lo().clone())))
}

impl Profile for Halved {
    /// Ensures (F3): 1 − u + u·δ is increasing in δ, so that a bound at 1/u gives one of the same side at u < 1. A line c − s·w that lies below δ everywhere
    /// gives the line 1 − w + w·(c − s/w) = (1 − s) − (1 − c)·w, c = δ + s/u, and that lies below δ too.
    fn at(&self, point: &Point) -> ProfilePoint {
        if let Some(found) = self.on_chord(point) {
            return found;
        }
        let own = self.alone(point);
        let Some((start, slope)) = &self.line else {
            return own;
        };
        let u = point.exp();
        let (start, slope) = if *point.log().hi() >= 0 {
            (slope.one_minus(), start.one_minus())
        } else {
            (start.clone(), slope.clone())
        };
        let value = start.sub(&u.mul(&slope)).at_bits(point.bits());
        let lines = [(own.delta.clone(), own.null_tail), (value, slope)];
        ProfilePoint::on_lines(lines, &own.delta, u)
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        Arc::new(self.clone())
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        self.bound.max_loss(bits)
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        self.bound.max_loss(bits).negated()
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        self.bound.infinite_mass(bits)
    }

    fn about(&self, level: &Float) -> Option<Float> {
        self.bound.about(level)
    }

    fn about_tail(&self, level: &Float) -> Option<Float> {
        self.bound.about_tail(level)
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{Random, at_most_bits};
    use crate::mechanism::finite::FiniteProfile;
    use crate::mechanism::finite_pair;

    type Masses = Vec<Rational>;

    fn profile(p: &Masses, q: &Masses) -> Arc<dyn Profile> {
        Arc::new(FiniteProfile::new(Arc::new(
            finite_pair::law(p, q).unwrap(),
        )))
    }

    /// A pair that is its own mirror image.
    fn symmetric(random: &mut Random) -> (Masses, Masses) {
        let weights: Vec<u64> = (0..2 + random.below(4))
            .map(|_| 1 + random.below(9))
            .collect();
        let total: u64 = weights.iter().sum();
        let p: Masses = weights
            .iter()
            .map(|w| Rational::from((*w, total)))
            .collect();
        let q = p.iter().rev().cloned().collect();
        (p, q)
    }

    fn delta(p: &Masses, q: &Masses, u: &Rational) -> Rational {
        let excess = p.iter().zip(q).map(|(p, q)| q - Rational::from(u * p));
        excess.filter(|x| *x > 0).sum()
    }

    /// P(L > log u) and P(L ≥ log u).
    fn tails(p: &Masses, q: &Masses, u: &Rational) -> [Rational; 2] {
        let pairs = || p.iter().zip(q).map(|(p, q)| (p, q, Rational::from(u * p)));
        [
            pairs().filter(|(_, q, x)| *q > x).map(|(p, ..)| p).sum(),
            pairs().filter(|(_, q, x)| *q >= x).map(|(p, ..)| p).sum(),
        ]
    }

    /// From the half above 0, at few bits too; also where losses lie at the point itself.
    #[test]
    fn equals_enumeration() {
        let mut random = Random(71);
        for _ in 0..650 {
            let (p, q) = symmetric(&mut random);
            let of = [Halved::new, Halved::convex];
            let halved = of[usize::from(random.once_in(2))](profile(&p, &q));
            let drawn = Rational::from((1 + random.below(12), 1 + random.below(12)));
            let own = Rational::from(&q[0] / &p[0]);
            for u in [drawn, own, Rational::from(1)] {
                let truth = delta(&p, &q, &u);
                let [above, from] = tails(&p, &q, &u);
                for bits in [2, 3, 5, 8, 120] {
                    let found = at_most_bits(bits, || halved.at(&Point::at_exp_epsilon(&u, bits)));
                    assert!(found.delta.contains(&truth), "{p:?} {u} at {bits} bits");
                    let tail = &found.null_tail;
                    assert!(*tail.lo() <= from && *tail.hi() >= above);
                    assert!(bits < 100 || found.delta.width_up() < 1e-30);
                }
            }
        }
    }

    /// Two outcomes told as one: a lower bound that is no longer its own mirror image. Each of its lines lies below the profile everywhere.
    #[test]
    fn lower_bounds_stay_below() {
        let mut random = Random(72);
        for _ in 0..500 {
            let (p, q) = symmetric(&mut random);
            let one = usize::try_from(random.below(p.len() as u64 - 1)).unwrap();
            let merged = |masses: &Masses| {
                let mut masses = masses.clone();
                let next = masses.remove(one + 1);
                masses[one] += next;
                masses
            };
            let of = [Halved::new, Halved::convex];
            let halved = of[usize::from(random.once_in(2))](profile(&merged(&p), &merged(&q)));
            let u = Rational::from((1 + random.below(12), 1 + random.below(12)));
            let found = halved.at(&Point::at_exp_epsilon(&u, 120));
            let value = found.delta.lo().to_rational().unwrap();
            let slope = found.null_tail.hi().to_rational().unwrap();
            let slack = Rational::from((1, 1u64 << 60));
            for w in (1..40).map(|n| Rational::from((n, 8))) {
                let line = Rational::from(&u - &w) * &slope + &value;
                assert!(
                    line <= delta(&p, &q, &w) + &slack,
                    "{p:?} {q:?} {u} at {w}: {line}"
                );
            }
        }
    }

    /// A law that has one outcome of more mass than there is, as rounding up makes it: what is above everything next to u = 1 is close where the losses are.
    #[test]
    fn too_much_mass_spoils_no_far_points() {
        let mut random = Random(74);
        for _ in 0..20 {
            let far = 20 + random.below(200);
            let odds = Rational::from(rug::Integer::from(1) << u32::try_from(far).unwrap());
            let most = &odds / Rational::from(&odds + 1u32);
            let few = Rational::from((1 + random.below(3), 10));
            let rest = Rational::from(1 - &few);
            // Losses ±far·log 2, ±far·log 4.
            let twice = odds.clone().square();
            let all = &twice / Rational::from(&twice + 1u32);
            let part = |share: &Rational, mass: &Rational| Rational::from(share * mass);
            let other = |mass: &Rational| Rational::from(1 - mass);
            let p = vec![
                part(&few, &other(&all)),
                part(&rest, &other(&most)),
                part(&rest, &most),
                part(&few, &all),
            ];
            let q: Masses = p.iter().rev().cloned().collect();
            let raised = Raised(profile(&p, &q));
            let halved = Halved::convex_above(Arc::new(raised));
            let mut before: Option<(Rational, Rational, Rational)> = None;
            for n in (-300i32..300).step_by(7) {
                let epsilon = Rational::from((n, 1));
                let point = Point::at_epsilon(&epsilon, 900);
                let found = halved.at(&point);
                let u = point.exp().lo().to_rational().unwrap();
                let value = found.delta.hi().to_rational().unwrap();
                assert!(
                    value >= delta(&p, &q, &u) - Rational::from((1, 1u64 << 60)),
                    "{n}"
                );
                let slope = found.null_tail.lo().to_rational().unwrap();
                if let Some((u_before, value_before, slope_before)) = before {
                    let line = &value_before - Rational::from(&u - &u_before) * &slope_before;
                    assert!(
                        value >= line - Rational::from((1, 1u64 << 40)),
                        "{far} {n}: not convex"
                    );
                    assert!(slope <= slope_before + Rational::from((1, 1u64 << 40)));
                }
                before = Some((u, value, slope));
            }
            let at = Point::at_epsilon(&Rational::from((far * 8, 10)), 900);
            let truth = delta(&p, &q, &at.exp().lo().to_rational().unwrap()).to_f64();
            let found = halved.at(&at).delta.hi().to_f64();
            assert!(found - truth < 1e-3, "{far}: {found} {truth}");
        }
    }

    /// s ≤ 1 − c where a chord ends, and not a little nearer to 0; 1 − c is no more than (1 − d)/(1 + e^ε), at few bits too.
    #[test]
    fn chords_end_where_the_bound_bends() {
        let mut random = Random(75);
        let mut far_out = 0;
        for _ in 0..150 {
            let (p, q) = symmetric(&mut random);
            let raised = Raised(profile(&p, &q));
            let at = |epsilon: &Rational| {
                let point = Point::at_epsilon(epsilon, 600);
                let ProfilePoint { delta, null_tail } = raised.at(&point);
                let all = Interval::one(600).add(point.exp());
                (delta.in_unit().one_minus().div(&all), null_tail)
            };
            for bits in [3, 6, 12, 200] {
                let Some((end, rest)) = at_most_bits(bits, || chord(&raised)) else {
                    assert!(bits < 12);
                    continue;
                };
                let (truth, slope) = at(&end);
                assert!(rest.hi() <= truth.hi(), "{p:?} at {bits} bits");
                if bits == 200 {
                    assert!(truth.sub(&rest).hi().to_f64() < 1e-50);
                    let more = slope.sub(&rest).hi().to_f64();
                    assert!(more < 1e-50, "{p:?}: {more}");
                    let (rest, slope) = at(&(&end * Rational::from((511, 512))));
                    let is_least = end <= Rational::from((1, 1024));
                    assert!(is_least || slope.hi() > rest.lo(), "{p:?}: {end}");
                    far_out += u32::from(!is_least);
                }
            }
        }
        assert!(far_out > 40, "{far_out}");
    }

    /// From −ε to ε: no point that may lie beyond is taken from the chord, and what is has its value.
    #[test]
    fn chords_stand_between_their_ends() {
        let (p, q) = symmetric(&mut Random(76));
        let (end, rest) = (Rational::from(2), Rational::from((1, 11)));
        let halved = Halved {
            bound: profile(&p, &q),
            line: None,
            chord: Some((end.clone(), Interval::from_rational(&rest, 300))),
        };
        let far = Interval::from_rational(&end, 300).exp();
        let near = far.recip();
        let (mut inside, mut outside) = (0, 0);
        for n in 1..600u32 {
            let u = Rational::from((n, 60));
            let is_inside = *far.hi() >= u && *near.lo() <= u;
            for bits in [3, 4, 6, 9, 100] {
                let point = at_most_bits(bits, || Point::at_exp_epsilon(&u, bits));
                let Some(found) = at_most_bits(bits, || halved.on_chord(&point)) else {
                    assert!(bits < 100 || !is_inside, "{u}");
                    outside += 1;
                    continue;
                };
                assert!(is_inside, "{u} at {bits} bits");
                let value = 1 - Rational::from(&u + 1u32) * &rest;
                assert!(found.delta.contains(&value), "{u} at {bits} bits");
                assert!(bits < 100 || found.delta.width_up() < 1e-25);
                assert!(found.null_tail.contains(&rest));
                inside += 1;
            }
        }
        assert!(inside > 500 && outside > 500, "{inside} {outside}");
    }

    /// A millionth more than the profile.
    struct Raised(Arc<dyn Profile>);

    impl Profile for Raised {
        fn at(&self, point: &Point) -> ProfilePoint {
            let found = self.0.at(point);
            let more =
                Interval::from_rational(&Rational::from((1_000_001, 1_000_000)), point.bits());
            ProfilePoint {
                delta: found.delta.mul(&more),
                null_tail: found.null_tail.mul(&more),
            }
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
    }

    #[test]
    fn ends_are_mirror_images() {
        let (p, q) = symmetric(&mut Random(73));
        let halved = Halved::new(profile(&p, &q));
        let end = |bound| match bound {
            LossBound::Finite { value, .. } => Float::clone(value.hi()),
            LossBound::Unbounded => panic!("unbounded"),
        };
        let (most, least) = (end(halved.max_loss(64)), end(halved.min_loss(64)));
        assert!(most > 0 && (most + least).abs() < 1e-15);
        assert!(halved.is_symmetric() && halved.swapped().is_symmetric());
    }
}
