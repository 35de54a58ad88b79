//! Pairs with a public label that says something itself: its law is not the same without and with the record.

use std::sync::Arc;

use rug::Rational;

use super::Closed;
use crate::kernel::{Interval, LossBound, Point, Profile, ProfilePoint};
use crate::mechanism::conditions::Conditions;
use crate::mechanism::step::{FiniteLosses, Step};
use crate::mechanism::steps::Steps;

/// The pair Σ pₖ·Pₖ against Σ qₖ·Qₖ on disjoint outcomes: δ(u) = Σ qₖ·δₖ(u·pₖ/qₖ), since events are chosen label by label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InformativeLabel {
    parts: Arc<[LabelledPart]>,
}

/// What happens under one label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LabelledPart {
    /// Probability of the label without the record, above 0.
    pub without: Rational,
    /// Probability of the label with it, above 0.
    pub with: Rational,
    /// The pair, given the label.
    pub of: Steps,
}

impl InformativeLabel {
    /// Requires: at least one part; each is one step with a profile; the probabilities add up to 1 on both sides.
    pub(crate) fn new(parts: Vec<LabelledPart>) -> Self {
        Self {
            parts: parts.into(),
        }
    }

    /// What happens under each label.
    pub fn parts(&self) -> &[LabelledPart] {
        &self.parts
    }
}

impl Closed for InformativeLabel {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        let part = |part: &LabelledPart| {
            Some(Part {
                without: part.without.clone(),
                with: part.with.clone(),
                profile: part.of.single()?.profile()?,
            })
        };
        let parts: Option<Vec<Part>> = self.parts.iter().map(part).collect();
        Some(Arc::new(OfLabels { parts: parts? }))
    }

    fn limits(&self) -> &'static str {
        "what a label tells is built where each of its pairs is"
    }

    /// The label alone, and then all pairs: more than the one that it names.
    fn dominated_by(&self) -> Option<Steps> {
        let label = FiniteLosses::Pair {
            p: self.parts.iter().map(|part| part.without.clone()).collect(),
            q: self.parts.iter().map(|part| part.with.clone()).collect(),
        };
        let label = Steps::one(Step::finite(label), Conditions::NONE);
        let pairs = self.parts.iter().map(|part| &part.of);
        Steps::composed(std::iter::once(&label).chain(pairs).map(|of| (of, 1))).ok()
    }
}

struct Part {
    without: Rational,
    with: Rational,
    profile: Arc<dyn Profile>,
}

struct OfLabels {
    parts: Vec<Part>,
}

impl Part {
    /// u·p/q, where the pair of this label is asked.
    fn place(&self, point: &Point) -> Point {
        let bits = point.bits();
        let ratio = Rational::from(&self.without / &self.with);
        if ratio == 1 {
            return point.clone();
        }
        let place = match point.exact_exp() {
            Some(u) => Point::at_exp_epsilon(&Rational::from(u * &ratio), bits),
            None => {
                let ratio = Interval::from_rational(&ratio, bits);
                Point::at_both(point.log().add(&ratio.ln()), point.exp().mul(&ratio))
            }
        };
        place.with_accuracy(point.accuracy())
    }

    /// log(q/p), which the label adds to every loss; its value where it is rational.
    fn loss(&self, bits: u32) -> (Interval, Option<Rational>) {
        let ratio = Rational::from(&self.with / &self.without);
        let exact = (ratio == 1).then(Rational::new);
        (Interval::from_rational(&ratio, bits).ln(), exact)
    }

    fn end(&self, bound: LossBound, bits: u32) -> LossBound {
        match bound {
            LossBound::Unbounded => LossBound::Unbounded,
            LossBound::Finite { value, exact } => {
                let (loss, rational) = self.loss(bits);
                LossBound::Finite {
                    value: value.add(&loss),
                    exact: exact.zip(rational).map(|(a, b)| a + b),
                }
            }
        }
    }
}

impl Profile for OfLabels {
    fn at(&self, point: &Point) -> ProfilePoint {
        let bits = point.bits();
        let mut delta = Interval::zero(bits);
        let mut tail = Interval::zero(bits);
        for part in &self.parts {
            let knot = part.profile.at(&part.place(point));
            delta = delta.add(&Interval::from_rational(&part.with, bits).mul(&knot.delta));
            tail = tail.add(&Interval::from_rational(&part.without, bits).mul(&knot.null_tail));
        }
        ProfilePoint {
            delta: delta.in_unit(),
            null_tail: tail.in_unit(),
        }
    }

    fn swapped(&self) -> Arc<dyn Profile> {
        let swap = |part: &Part| Part {
            without: part.with.clone(),
            with: part.without.clone(),
            profile: part.profile.swapped(),
        };
        Arc::new(Self {
            parts: self.parts.iter().map(swap).collect(),
        })
    }

    fn max_loss(&self, bits: u32) -> LossBound {
        let end = |part: &Part| part.end(part.profile.max_loss(bits), bits);
        LossBound::largest(self.parts.iter().map(end))
    }

    fn min_loss(&self, bits: u32) -> LossBound {
        let end = |part: &Part| part.end(part.profile.min_loss(bits), bits);
        LossBound::smallest(self.parts.iter().map(end))
    }

    fn infinite_mass(&self, bits: u32) -> Interval {
        let of = |part: &Part| {
            let weight = Interval::from_rational(&part.with, bits);
            weight.mul(&part.profile.infinite_mass(bits))
        };
        let parts = self.parts.iter().map(of);
        parts.fold(Interval::zero(bits), |sum, one| sum.add(&one))
    }

    fn exact_delta(&self, point: &Point) -> Option<Rational> {
        let of = |part: &Part| Some(part.profile.exact_delta(&part.place(point))? * &part.with);
        let parts = self.parts.iter().map(of);
        parts.sum::<Option<Rational>>()
    }

    fn exact_infinite_mass(&self) -> Option<Rational> {
        let of = |part: &Part| Some(part.profile.exact_infinite_mass()? * &part.with);
        let parts = self.parts.iter().map(of);
        parts.sum::<Option<Rational>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::{self, Place};
    use crate::mechanism::Mechanism;
    use crate::mechanism::finite::FiniteProfile;
    use crate::mechanism::finite_pair;

    fn q(n: i64, d: i64) -> Rational {
        Rational::from((n, d))
    }

    fn of(mechanism: &Mechanism) -> Steps {
        mechanism.steps().clone()
    }

    fn part(without: Rational, with: Rational, of: Steps) -> LabelledPart {
        LabelledPart { without, with, of }
    }

    /// Finite pairs under three labels against the pair of all (label, outcome), in both orders.
    #[test]
    fn all_outcomes_of_all_labels() {
        let vectors = [
            (
                q(1, 3),
                q(1, 6),
                vec![q(1, 2), q(1, 2), q(0, 1)],
                vec![q(1, 4), q(1, 2), q(1, 4)],
            ),
            (
                q(1, 6),
                q(2, 6),
                vec![q(1, 10), q(9, 10)],
                vec![q(7, 10), q(3, 10)],
            ),
            (
                q(1, 2),
                q(1, 2),
                vec![q(1, 3), q(2, 3)],
                vec![q(1, 1), q(0, 1)],
            ),
        ];
        let (mut p, mut with) = (Vec::new(), Vec::new());
        let mut parts = Vec::new();
        for (a, b, of_p, of_q) in vectors {
            p.extend(of_p.iter().map(|x| Rational::from(x * &a)));
            with.extend(of_q.iter().map(|x| Rational::from(x * &b)));
            let one = Mechanism::finite(of_p, of_q).unwrap();
            parts.push(part(a, b, of(&one)));
        }
        let all = InformativeLabel::new(parts).profile().unwrap();
        let truth = FiniteProfile::new(Arc::new(finite_pair::law(&p, &with).unwrap()));
        let truth: Arc<dyn Profile> = Arc::new(truth);
        for (found, truth) in [
            (Arc::clone(&all), Arc::clone(&truth)),
            (all.swapped(), truth.swapped()),
        ] {
            for n in 1..80i64 {
                let point = Point::at_exp_epsilon(&q(n * n, 300), 120);
                let exact = truth.exact_delta(&point).unwrap();
                assert_eq!(found.exact_delta(&point), Some(exact.clone()));
                let knot = found.at(&point);
                assert!(knot.delta.contains(&exact), "{n}");
                assert!(
                    knot.null_tail
                        .intersect(&truth.at(&point).null_tail)
                        .is_ok()
                );
            }
            assert_eq!(found.exact_infinite_mass(), truth.exact_infinite_mass());
            let ends = [
                (found.max_loss(90), truth.max_loss(90)),
                (found.min_loss(90), truth.min_loss(90)),
            ];
            for (found, truth) in ends {
                let (LossBound::Finite { value, .. }, LossBound::Finite { value: also, .. }) =
                    (found, truth)
                else {
                    panic!("bounded");
                };
                assert!(value.intersect(&also).is_ok());
            }
        }
    }

    #[test]
    fn few_bits_hold() {
        let gaussian = Mechanism::gaussian(2, 1).unwrap();
        let sampled = Mechanism::subsampled(q(1, 7), gaussian.clone()).unwrap();
        let laplace = Mechanism::laplace(2, 1).unwrap();
        let both = |a: &Mechanism, b: &Mechanism| {
            let parts = vec![part(q(1, 3), q(2, 5), of(a)), part(q(2, 3), q(3, 5), of(b))];
            InformativeLabel::new(parts).profile().unwrap()
        };
        for bits in [8, 12, 16] {
            for place in [
                Place::Epsilon(q(1, 7)),
                Place::ExpEpsilon(q(9, 4)),
                Place::NearEpsilon(q(-1, 3)),
            ] {
                for profile in [both(&gaussian, &sampled), both(&laplace, &laplace)] {
                    assert_eq!(coarse::profile_holds(&*profile, &place, bits, true), Ok(()));
                    assert_eq!(
                        coarse::profile_holds(&*profile.swapped(), &place, bits, true),
                        Ok(())
                    );
                }
            }
            assert_eq!(coarse::ends_hold(&*both(&laplace, &laplace), bits), Ok(()));
        }
    }

    /// The label, and then every pair, tells no less.
    #[test]
    fn the_product_dominates() {
        let pairs = [
            (vec![q(1, 2), q(1, 2)], vec![q(1, 5), q(4, 5)]),
            (vec![q(1, 3), q(2, 3)], vec![q(2, 3), q(1, 3)]),
        ];
        let parts = pairs.iter().zip([(q(1, 4), q(1, 3)), (q(3, 4), q(2, 3))]);
        let parts = parts.map(|((p, with), (a, b))| {
            part(
                a,
                b,
                of(&Mechanism::finite(p.clone(), with.clone()).unwrap()),
            )
        });
        let labels = InformativeLabel::new(parts.collect());
        let product = labels.dominated_by().unwrap();
        assert_eq!(product.runs(), 3);
        let mut outcomes = vec![(q(1, 1), q(1, 1))];
        for (step, _) in product.list() {
            let law = step.finite_law().unwrap();
            let atoms = law.atoms().unwrap();
            let exact = |mass: &crate::mechanism::finite::Mass| match mass {
                crate::mechanism::finite::Mass::Exact(x) => x.clone(),
                _ => panic!("exact"),
            };
            outcomes = outcomes
                .iter()
                .flat_map(|(p, with)| {
                    atoms
                        .iter()
                        .map(move |atom| (exact(&atom.without) * p, exact(&atom.with) * with))
                })
                .collect();
        }
        let profile = labels.profile().unwrap();
        for n in 1..40 {
            let u = q(n, 13);
            let of_product: Rational = outcomes
                .iter()
                .map(|(p, with)| (with - Rational::from(&u * p)).max(q(0, 1)))
                .sum();
            assert!(profile.exact_delta(&Point::at_exp_epsilon(&u, 64)).unwrap() <= of_product);
        }
    }

    /// Masses at ∞ add up over the labels.
    #[test]
    fn masses_at_infinity_add_up() {
        let leak = |delta: Rational| Mechanism::approx_dp(q(1, 2), delta).unwrap();
        let part = |without, with, of: Mechanism| LabelledPart {
            without,
            with,
            of: of.steps().clone(),
        };
        let labels = InformativeLabel::new(vec![
            part(q(1, 4), q(1, 2), leak(q(1, 8))),
            part(q(3, 4), q(1, 2), leak(q(1, 4))),
        ]);
        let profile = labels.profile().unwrap();
        assert!(profile.infinite_mass(60).contains(&q(3, 16)));
    }

    /// The loss of a label is rational where it is 0 alone.
    #[test]
    fn exact_ends_need_equal_labels() {
        let laplace = crate::mechanism::Mechanism::laplace(1, 1).unwrap();
        let profile = laplace.profile_of_step().unwrap();
        let part = |with: Rational| Part {
            without: Rational::from((1, 4)),
            with,
            profile: profile.clone(),
        };
        assert_eq!(
            part(Rational::from((1, 4))).loss(60).1,
            Some(Rational::new())
        );
        assert_eq!(part(Rational::from((1, 2))).loss(60).1, None);
    }
}
