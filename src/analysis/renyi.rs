//! Rényi divergences and ρ* of a mechanism, refined until the goal is reached.

use std::sync::Arc;

use rug::{Float, Rational};

use super::query::{Found, answered, bits_for, decides, digits_of, join};
use super::subject::{Kind, LADDER, power_of_ten};
use super::{Answer, Ending, Goal, Method, Resources, Subject, Witness};
use crate::bounds::{Enclosure, Target};
use crate::composition::parts::PairKind;
use crate::kernel::{Failure, Interval};
use crate::mechanism::Direction;
use crate::mechanism::Orders;
use crate::mechanism::RenyiOrder;
use crate::renyi::{Parts, Place, RhoSearch, class, exact_rho};

/// Doublings of the precision of a divergence.
const MOST_DOUBLINGS: u32 = 5;

/// No divergence is asked for with more bits than this.
const MOST_BITS: u32 = 6_000;

/// Refinements of the search for ρ*.
const MOST_REFINEMENTS: u32 = 20_000;

/// Refinements where a part is only bounded from above.
const FEW_REFINEMENTS: u32 = 64;

const DIRECTIONS: [Direction; 2] = [Direction::Remove, Direction::Add];

const GAUSSIANS: &str = "zCDP of Gaussian and discrete Gaussian noise is sum of mu_i^2/2; Poisson subsampling at any rate r > 0 of a record that is added or removed leaves it \
    unchanged, because Q' >= r^T Q and D_t/t tends to the sum as t -> infinity";

const LABELLED: &str = "a mixture that says which part ran has D_t/t of at most the largest rho of its parts, and comes as near to that as wanted as t -> infinity";

const POWER_TAILS: &str = "Renyi guarantees at orders of at most T allow tests of power c*p^(1 - 1/T) at size p as p -> 0, whose divergence at every larger order \
    has no bound";

const CLASS: &str =
    "what is stated bounds every member, and the Gaussian mechanisms that have it are among them";

const BOUND: &str = "what is stated bounds every member";

impl Subject {
    /// D_t in the directions of the adjacency.
    pub(super) fn renyi(
        &self,
        order: &RenyiOrder,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        let order = match order {
            RenyiOrder::Infinite => return self.max_loss(goal, resources),
            RenyiOrder::Finite(order) => order,
        };
        let directions = match self.adjacency.orders() {
            Orders::Remove => &[Direction::Remove][..],
            Orders::Add => &[Direction::Add],
            Orders::Both => &DIRECTIONS,
        };
        if self.has_no_largest(Some(order), directions) {
            return infinite();
        }
        let stated = class::divergence(self.mechanism.steps(), order)
            .map(|range| {
                let words = Self::words_of_class(&range);
                of_class(words, &range, Witness::Order(order.clone()))
            })
            .transpose()?;
        let parts = self.renyi_parts();
        // What is stated is all that is known, but of what runs on samples.
        let (stated, parts) = match (stated, parts) {
            (Some(stated), None) => return Ok(stated),
            (Some(stated), Some(_))
                if *stated.enclosure.lower() > 0 || stated.ending == Ending::Reached =>
            {
                return Ok(stated);
            }
            (stated, Some(parts)) => (stated, parts),
            (None, None) => return nothing_known(),
        };
        let witness = Some(Witness::Order(order.clone()));
        if let Some(exact) = parts.exact_divergence(order) {
            return Ok(Answer {
                enclosure: Enclosure::exactly(exact, 192),
                method: Method::ClosedForm,
                ending: Ending::Reached,
                witness,
            });
        }
        let cheap_bounds = self.in_directions(&parts, order, |direction| {
            parts.cheap_bounds(order, direction, 256)
        })?;
        let mut best = Some(Found {
            enclosure: Enclosure::from_interval(&cheap_bounds.at_least_zero()),
            witness: witness.clone(),
        });
        if let Some(Answer { enclosure, .. }) = stated {
            let witness = witness.clone();
            best = Some(join(best, Found { enclosure, witness })?);
        }
        let mut last: Option<Enclosure> = None;
        for bits in precisions_of_order(goal) {
            let is_decided = best
                .as_ref()
                .is_some_and(|best| decides(&best.enclosure, goal));
            if is_decided || resources.budget.check().is_err() {
                break;
            }
            let found = self.in_directions(&parts, order, |direction| {
                parts.divergence(order, direction, bits, resources.budget)
            });
            let found = match found {
                Ok(found) => found,
                Err(Failure::Interrupted) => break,
                Err(failure) => return Err(failure),
            };
            let enclosure = Enclosure::from_interval(&found.at_least_zero());
            let is_a_gap = last.is_some_and(|last| stays_wide(&last, &enclosure));
            last = Some(enclosure.clone());
            let joined = join(
                best.take(),
                Found {
                    enclosure,
                    witness: witness.clone(),
                },
            )?;
            let is_done = is_a_gap
                || decides(&joined.enclosure, goal)
                || joined.enclosure.lower().is_infinite();
            best = Some(joined);
            if is_done {
                break;
            }
        }
        told(&parts, answered(best, goal, Method::ClosedForm, resources)?)
    }

    /// ρ*, the supremum over t > 1 and over both orders of the pair, whatever the adjacency: that is what zCDP says.
    pub(super) fn zcdp_rho(
        &self,
        goal: &Goal,
        resources: &Resources<'_>,
    ) -> Result<Answer, Failure> {
        if self.has_no_largest(None, &DIRECTIONS) {
            return infinite();
        }
        if let Some(range) = class::rho(self.mechanism.steps()) {
            let words = Self::words_of_class(&range);
            return of_class(words, &range, Witness::Theorem(words.to_owned()));
        }
        let Some(parts) = self.renyi_parts() else {
            return nothing_known();
        };
        if let Some(exact) = exact_rho(&parts) {
            let why = match parts.is_labelled() {
                true => LABELLED,
                false => GAUSSIANS,
            };
            return Ok(Answer {
                enclosure: Enclosure::exactly(exact, 192),
                method: Method::Theorem(why.to_owned()),
                ending: Ending::Reached,
                witness: Some(Witness::Theorem(why.to_owned())),
            });
        }
        // Without a line that bounds them, no search over all orders ends.
        let far = Rational::from(1u32 << 20);
        let is_bounded = parts.is_complete()
            && DIRECTIONS
                .iter()
                .all(|direction| parts.is_below_a_line(*direction, &far));
        let mut best: Option<Found> = None;
        for bits in precisions(goal) {
            if best.is_some() && resources.budget.check().is_err() {
                break;
            }
            let mut search = match RhoSearch::new(&parts, &DIRECTIONS, bits, resources.budget) {
                Ok(search) => search,
                Err(Failure::Interrupted) if best.is_some() => break,
                Err(failure) => return Err(failure),
            };
            let mut is_reached = false;
            let most = if is_bounded {
                MOST_REFINEMENTS
            } else {
                FEW_REFINEMENTS
            };
            for _ in 0..most {
                let found = Enclosure::from_interval(&search.enclosure()?);
                is_reached = decides(&found, goal) || found.lower().is_infinite();
                if is_reached {
                    break;
                }
                match search.refine(resources.budget) {
                    Ok(true) => {}
                    Ok(false) | Err(Failure::Interrupted) => break,
                    Err(failure) => return Err(failure),
                }
            }
            let found = Found {
                enclosure: Enclosure::from_interval(&search.enclosure()?),
                witness: Some(place(search.place())),
            };
            best = Some(join(best.take(), found)?);
            if is_reached || !is_bounded {
                break;
            }
        }
        told(&parts, answered(best, goal, Method::ClosedForm, resources)?)
    }

    /// Why the ends are what they are: the lower one is that of Gaussian members, where it says something.
    fn words_of_class(range: &class::Range) -> &'static str {
        match range.at_least == 0 {
            true => BOUND,
            false => CLASS,
        }
    }

    /// Is D_t of some member above any number, at this order or, without one, at large ones?
    fn has_no_largest(&self, order: Option<&Rational>, directions: &[Direction]) -> bool {
        let steps = self.mechanism.steps();
        directions
            .iter()
            .any(|direction| class::has_no_largest(steps, order, *direction))
    }

    /// The parts by the description of the mechanism, or its exact finite law.
    fn renyi_parts(&self) -> Option<Parts> {
        let described = Parts::of(self.mechanism.steps());
        if described.as_ref().is_some_and(Parts::is_complete) {
            return described;
        }
        match &self.kind {
            Kind::Closed { part, .. } => match &part.kind {
                PairKind::Finite(law) if part.times == 1 => Some(Parts::of_law(Arc::clone(law))),
                _ => described,
            },
            Kind::Class { .. } | Kind::Laws(_) => described,
        }
    }

    /// The larger over the directions of the adjacency.
    fn in_directions(
        &self,
        parts: &Parts,
        order: &Rational,
        of: impl Fn(Direction) -> Result<Interval, Failure>,
    ) -> Result<Interval, Failure> {
        match self.adjacency.orders() {
            Orders::Remove => of(Direction::Remove),
            Orders::Add => of(Direction::Add),
            Orders::Both if parts.is_largest_on_removal(order) => of(Direction::Remove),
            Orders::Both => Ok(of(Direction::Remove)?.max(&of(Direction::Add)?)),
        }
    }
}

/// Where nobody knows the worst dataset, what lies between the bounds does not follow.
fn told(parts: &Parts, answer: Answer) -> Result<Answer, Failure> {
    let ending = match answer.ending {
        Ending::Exhausted if parts.is_of_unknown_dataset() => Ending::DoesNotFollow,
        ending => ending,
    };
    Ok(Answer { ending, ..answer })
}

/// Did more bits leave more than half of the width? Then it is no rounding error: a part is known between two bounds only.
fn stays_wide(before: &Enclosure, after: &Enclosure) -> bool {
    let [before, after] = [before, after].map(|one| Float::with_val(64, one.upper() - one.lower()));
    before.is_finite() && after > before / 2u32
}

fn place(place: &Place) -> Witness {
    match place {
        Place::Order(order) => Witness::Order(order.clone()),
        Place::Infinity => Witness::Theorem("in the limit t -> infinity".to_owned()),
    }
}

/// The same for D_t of one order, whose computation adds what bits it will lose. Of a coarse width no more digits than it has, and some.
fn precisions_of_order(goal: &Goal) -> Vec<u32> {
    const SPARE: u32 = 40;
    const FEWEST: u32 = 64;
    const COARSE_DIGITS: u32 = 32;
    const MORE: u32 = 14;
    let precisions = precisions(goal).into_iter();
    match goal {
        Goal::Width(target) => {
            let digits = digits_of(target);
            let usual = precisions
                .clone()
                .next()
                .map(|bits| bits.saturating_sub(SPARE).max(FEWEST));
            let first = match digits <= COARSE_DIGITS {
                true => Some(digits.saturating_add(MORE)),
                false => usual,
            };
            first.into_iter().chain(precisions).collect()
        }
        Goal::Compare { .. } => precisions.collect(),
    }
}

/// Working precisions to try one after the other.
fn precisions(goal: &Goal) -> Vec<u32> {
    match goal {
        Goal::Width(target) => {
            let first = bits_for(target);
            (0..=MOST_DOUBLINGS)
                .map(|doubling| first.saturating_mul(1 << doubling))
                .filter(|bits| *bits == first || *bits <= MOST_BITS)
                .collect()
        }
        Goal::Compare { .. } => LADDER
            .iter()
            .map(|digits| bits_for(&Target::Relative(power_of_ten(*digits))))
            .collect(),
    }
}

/// What follows from what is stated; a claim in between does not.
fn of_class(words: &str, range: &class::Range, witness: Witness) -> Result<Answer, Failure> {
    let enclosure = match &range.at_most {
        Some(most) if *most == range.at_least => Enclosure::exactly(most.clone(), 192),
        most => {
            let low = Interval::from_rational(&range.at_least, 192);
            let all = low.hull(&Interval::infinity(64));
            match most {
                Some(most) => Enclosure::up_to(&all, most.clone())?,
                None => Enclosure::from_interval(&all),
            }
        }
    };
    let ending = if enclosure.exact().is_some() {
        Ending::Reached
    } else {
        Ending::DoesNotFollow
    };
    Ok(Answer {
        enclosure,
        method: Method::Theorem(words.to_owned()),
        ending,
        witness: Some(witness),
    })
}

/// Of members D_t is as large as is wanted.
fn infinite() -> Result<Answer, Failure> {
    let infinity = Interval::infinity(64);
    Ok(Answer {
        enclosure: Enclosure::from_interval(&infinity),
        method: Method::Theorem(POWER_TAILS.to_owned()),
        ending: Ending::Reached,
        witness: Some(Witness::Theorem(POWER_TAILS.to_owned())),
    })
}

/// D_t ≥ 0 is all that is known.
fn nothing_known() -> Result<Answer, Failure> {
    let (zero, infinity) = (Float::new(64), Interval::infinity(64));
    Ok(Answer {
        enclosure: Enclosure::new(zero, infinity.hi().clone())?,
        method: Method::ClosedForm,
        ending: Ending::Exhausted,
        witness: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_that_bits_do_not_narrow() {
        let of = |low: f64, high: f64| {
            let [low, high] = [low, high].map(|x| Float::with_val(64, x));
            Enclosure::new(low, high).unwrap()
        };
        assert!(stays_wide(&of(0.0, 1.0), &of(0.0, 1.0)));
        assert!(stays_wide(&of(0.0, 1.0), &of(0.25, 1.0)));
        assert!(!stays_wide(&of(0.0, 1.0), &of(0.5, 1.0)));
        assert!(!stays_wide(&of(0.0, f64::INFINITY), &of(0.0, 1.0)));
        assert!(!stays_wide(&of(1.0, 1.0), &of(1.0, 1.0)));
    }

    #[test]
    fn nothing_is_at_least_zero() {
        let found = nothing_known().unwrap();
        assert!(*found.enclosure.lower() == 0 && found.enclosure.upper().is_infinite());
    }

    /// What is said of a class is true of it: no Gaussian mechanism is behind a lower end of 0.
    #[test]
    fn words_about_classes() {
        use crate::analysis::test_tools::{resources, subject, width};
        let words = |text: &str, query: crate::statement::Query| {
            let found =
                resources(|resources| subject(text).answer(&query, &width(1, 100), resources));
            match found.unwrap().method {
                Method::Theorem(words) => words,
                other => panic!("{other:?}"),
            }
        };
        let two = || crate::statement::Query::renyi(2).unwrap();
        let zcdp = r#"{"kind":"zcdp","rho":"0.1"}"#;
        let table = r#"{"kind":"rdp","orders":[[2,"0.1"],[4,"0.3"]]}"#;
        assert_eq!(words(zcdp, two()), CLASS);
        assert_eq!(words(table, two()), CLASS);
        let sampled = format!(r#"{{"kind":"subsampled","rate":"0.1","of":{zcdp}}}"#);
        assert_eq!(words(r#"{"kind":"zcdp","rho":0}"#, two()), BOUND);
        assert_eq!(words(&sampled, crate::statement::Query::zcdp_rho()), CLASS);
    }

    /// From the first precision on twice as many; before them, for one order, 40 fewer, and of a coarse width little more than its own digits.
    #[test]
    fn precisions_in_turn() {
        let goal = |digits| Goal::Width(Target::Relative(power_of_ten(digits)));
        assert_eq!(precisions(&goal(3)), [128, 256, 512, 1024, 2048, 4096]);
        assert_eq!(precisions_of_order(&goal(3))[..3], [23, 128, 256]);
        assert_eq!(precisions_of_order(&goal(12))[..3], [88, 128, 256]);
        assert_eq!(precisions(&goal(1000)), [3385]);
        assert_eq!(precisions(&goal(3000)).len(), 1);
        let compare = Goal::Compare {
            with: Rational::from(1),
        };
        assert_eq!(precisions(&compare).len(), LADDER.len());
    }
}
