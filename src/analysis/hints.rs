//! Where floats see the Bayes errors of two mechanisms differ most, found once for all comparisons of the two.

use std::sync::{Mutex, OnceLock, PoisonError};

use rug::Float;

use super::Subject;
use crate::kernel::Budget;
use crate::mechanism::{Adjacency, Mechanism};
use crate::plan::Glance;

/// The mechanism as floats see it, and the places beside the one that was compared last.
#[derive(Default)]
pub(super) struct Hints {
    glance: OnceLock<Glance>,
    last: Mutex<Option<Known>>,
}

struct Known {
    other: (Mechanism, Adjacency),
    places: Vec<Float>,
}

impl Hints {
    fn beside(&self, other: &Subject) -> Option<Vec<Float>> {
        let known = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (mechanism, adjacency) = (&other.mechanism, other.adjacency);
        let known = known.as_ref()?;
        (known.other.0 == *mechanism && known.other.1 == adjacency).then(|| known.places.clone())
    }

    fn keep(&self, other: &Subject, places: Vec<Float>) {
        let mut known = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *known = Some(Known {
            other: (other.mechanism.clone(), other.adjacency),
            places,
        });
    }
}

impl Subject {
    /// Floats see nothing of a profile that is dear to evaluate: it would take more time than it saves. `None` if the time ends.
    fn glance(&self, budget: &Budget) -> Option<&Glance> {
        if let Some(known) = self.hints.glance.get() {
            return Some(known);
        }
        let is_cheap = self.parts.iter().all(|part| part.profile.is_closed_form());
        let new = match is_cheap {
            true => Glance::at(&self.mechanism, self.adjacency, budget),
            false => Glance::nothing(),
        };
        // What a short time did not show, a longer one may.
        budget.check().ok()?;
        Some(self.hints.glance.get_or_init(|| new))
    }

    /// ε at which the difference to another mechanism is locally largest, in either direction; none where floats know nothing.
    pub(super) fn peaks_against(&self, other: &Self, budget: &Budget) -> Vec<Float> {
        let known = self
            .hints
            .beside(other)
            .or_else(|| other.hints.beside(self));
        known.unwrap_or_else(|| {
            let Some((own, others)) = self.glance(budget).zip(other.glance(budget)) else {
                return Vec::new();
            };
            let places = own.peaks_against(others);
            self.hints.keep(other, places.clone());
            places
        })
    }
}

#[cfg(test)]
mod tests {
    use rug::Rational;

    use crate::analysis::{Goal, Resources, Subject};
    use crate::bounds::Target;
    use crate::kernel::Budget;
    use crate::mechanism::{Adjacency, Mechanism};
    use crate::statement::Contrast;

    /// What a symmetric comparison says of each direction is what comparisons one way say, and hints are those of the mechanism at hand.
    #[test]
    fn both_ways_at_once_and_one_by_one() {
        let budget = Budget::unlimited();
        let resources = Resources {
            budget: &budget,
            jobs: 1,
            progress: &|_| {},
        };
        let run = |noise: &str, rate: &str| {
            let run = Mechanism::dp_sgd(noise, rate, 300).unwrap();
            Subject::new(&run, Adjacency::AddRemove, &budget).unwrap()
        };
        let goal = Goal::Width(Target::Relative(Rational::from((1, 100))));
        let (a, others) = (run("2", "0.1"), [run("1.1", "0.03"), run("3", "0.2")]);
        for b in &others {
            let both = a.compare_both_ways(b, &Contrast::Symmetric, &goal, &resources);
            let both = both.unwrap();
            let [there, back] = both.ways.expect("no theorem orders them");
            let one_way = |contrast| {
                let found = run("2", "0.1").compare(b, &contrast, &goal, &resources);
                found.unwrap().enclosure
            };
            for (way, alone) in [
                (there, one_way(Contrast::To)),
                (back, one_way(Contrast::From)),
            ] {
                assert!(way.0.intersect(&alone).is_ok(), "{way:?} {alone:?}");
                assert!(way.0.lower() <= both.larger.enclosure.upper());
            }
            assert_eq!(a.peaks_against(b, &budget), b.peaks_against(&a, &budget));
            assert_eq!(a.peaks_against(b, &budget), a.peaks_against(b, &budget));
        }
        assert_ne!(
            a.peaks_against(&others[0], &budget),
            a.peaks_against(&others[1], &budget)
        );
    }
}
