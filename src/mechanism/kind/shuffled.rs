//! `shuffled`: a shuffler between the users, who each report by a randomiser, and the analyst.

use std::sync::Arc;

use rug::Rational;

use super::{Describe, Kind, Parameter, words_within};
use crate::kernel::Interval;
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::closed::{ClosedPair, Envelope, Outcomes, OutcomesOf, ShuffledAnswers};
use crate::mechanism::domain::{OutOfRange, Why, at_least};
use crate::mechanism::epsilon::Epsilon;
use crate::mechanism::shuffled::{ShuffledBound, ShuffledResponse};
use crate::mechanism::steps::{Conditions, FiniteLosses, Step, Steps};

/// Reports of so many users, every one by the same randomiser, in an order that tells nothing.
///
/// One user holds one value or another: that is `replace-one`. With a user more or less there is a report more or less.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shuffled {
    users: u64,
    of: Mechanism,
}

/// Most users.
const MOST_USERS: u64 = 10_000_000_000;
/// Most bits of e^ε₀: beyond e^60 nobody lies.
const MOST_ODDS_BITS: u32 = 87;
/// Bits of e^ε₀ where it is no short number.
const ODDS_BITS: u32 = 64;
/// Up to so many users, datasets are listed one by one also where they are not all there is.
const FEW_USERS: u64 = 12;

impl Shuffled {
    /// `users ≥ 1`; `of` is `pure-dp` or `randomized-response`.
    ///
    /// # Errors
    /// If a number is out of its range, or `of` is anything else.
    pub fn new(users: u64, of: Mechanism) -> Result<Self, OutOfRange> {
        let users = at_least("users", 1, users)?;
        if users > MOST_USERS {
            let message = "`users` must be at most 1e10";
            return Err(OutOfRange::sentence("users", message).because(Why::TooLarge));
        }
        let (epsilon, answers) = randomiser(&of)?;
        let odds = odds(epsilon).1;
        if answers.is_some_and(|k| k > u64::from(u32::MAX)) {
            return Err(OutOfRange::new(
                "k",
                "must be below 2^32 where answers are shuffled",
            ));
        }
        if odds.numer().significant_bits() > odds.denom().significant_bits() + MOST_ODDS_BITS {
            let message = "shuffled reports are built up to an epsilon of 60 of each of them";
            return Err(OutOfRange::sentence("of", message).because(Why::TooLarge));
        }
        Ok(Self { users, of })
    }

    /// How many users report.
    pub fn users(&self) -> u64 {
        self.users
    }

    /// ε₀, that of each report.
    pub(crate) fn epsilon(&self) -> Option<&Epsilon> {
        randomiser(&self.of).ok().map(|(epsilon, _)| epsilon)
    }

    /// The randomiser of each of them.
    pub fn of(&self) -> &Mechanism {
        &self.of
    }

    /// Any randomiser: clones above, and below it randomised response, of three values or two.
    fn of_any(&self, epsilon: &Epsilon) -> Steps {
        let (down, up) = odds(epsilon);
        let most = bound(ShuffledBound::Clones {
            users: self.users,
            odds: up,
        });
        let mut members = Vec::new();
        if down > 1 {
            if let Ok(epsilon) = Epsilon::log_of(down.clone())
                && self.users <= FEW_USERS
                && let Some(all) = ShuffledResponse::all(self.users, &epsilon, 2)
            {
                members.extend(all.into_iter().map(listed));
            }
            members.push(bound(ShuffledBound::SameValue {
                users: self.users,
                odds: down.clone(),
            }));
            members.push(bound(ShuffledBound::ThirdValue {
                users: self.users,
                odds: down,
                answers: 3,
            }));
        }
        if members.is_empty() {
            members.push(nothing());
        }
        Steps::between(members, most)
    }

    /// Randomised response: the worst of all datasets where they can be listed, else between two bounds.
    fn of_response(&self, epsilon: &Epsilon, answers: u64) -> Steps {
        if let Some(all) = ShuffledResponse::all(self.users, epsilon, answers) {
            let of = all.into_iter().map(listed).collect();
            return closed(Envelope::of_list(of));
        }
        let (down, up) = odds(epsilon);
        let users = self.users;
        let most = bound(ShuffledBound::Blanket {
            users,
            odds: up,
            answers,
        });
        let member = if down <= 1 {
            nothing()
        } else if answers == 2 {
            bound(ShuffledBound::SameValue { users, odds: down })
        } else {
            bound(ShuffledBound::ThirdValue {
                users,
                odds: down,
                answers,
            })
        };
        // Two values, all datasets, up to some thousand users.
        if answers == 2
            && let Some(worst) =
                ShuffledAnswers::new(users, epsilon.clone(), member.clone(), most.clone())
        {
            return closed(worst);
        }
        Steps::between([member], most)
    }
}

/// ε₀, and the number of answers of randomised response.
fn randomiser(of: &Mechanism) -> Result<(&Epsilon, Option<u64>), OutOfRange> {
    match of.kind() {
        Kind::PureDp(one) => Ok((one.epsilon(), None)),
        Kind::RandomizedResponse(one) => Ok((one.epsilon(), Some(one.k()))),
        _ => Err(OutOfRange::sentence(
            "of",
            "`of` of shuffled reports must be `pure-dp` or `randomized-response`",
        )
        .because(Why::Unsupported)),
    }
}

/// Short numbers at most and at least e^ε.
fn odds(epsilon: &Epsilon) -> (Rational, Rational) {
    let exact = epsilon.exact_exp().filter(|u| {
        u.numer()
            .significant_bits()
            .max(u.denom().significant_bits())
            <= ODDS_BITS
    });
    if let Some(odds) = exact {
        return (odds.clone(), odds);
    }
    let enclosed = match epsilon.exact_exp() {
        Some(odds) => Interval::from_rational(&odds, ODDS_BITS),
        None => epsilon.place(ODDS_BITS).exp().clone(),
    };
    let end = |x: &rug::Float, other: u64| x.to_rational().unwrap_or_else(|| other.into());
    // No rational number holds an end that is infinite: 1 is below, and what is above is refused.
    let far = Rational::from(1) << MOST_ODDS_BITS.saturating_mul(2);
    let (low, high) = (end(enclosed.lo(), 1), end(enclosed.hi(), 0));
    let high = if high == 0 { far } else { high };
    (low.max(Rational::from(1)), high)
}

fn bound(of: ShuffledBound) -> Steps {
    let step = Step::finite(FiniteLosses::Shuffled(Arc::new(of)));
    Steps::one(step, CONDITIONS)
}

fn closed(pair: impl Into<ClosedPair>) -> Steps {
    Steps::one(Step::Closed(pair.into()), CONDITIONS)
}

/// Answers that are listed one by one, in exact numbers where there are some.
fn listed(of: ShuffledResponse) -> Steps {
    match of.exact() {
        Some((p, q)) => {
            let (p, q) = (p.into(), q.into());
            Steps::one(Step::finite(FiniteLosses::Pair { p, q }), CONDITIONS)
        }
        None => closed(Outcomes::new(OutcomesOf::Shuffled(of))),
    }
}

/// The pair of a mechanism that tells nothing.
fn nothing() -> Steps {
    pair(&[1], &[1])
}

fn pair(p: &[u32], q: &[u32]) -> Steps {
    let vector = |x: &[u32]| x.iter().map(|x| Rational::from(*x)).collect();
    let (p, q) = (vector(p), vector(q));
    Steps::one(Step::finite(FiniteLosses::Pair { p, q }), CONDITIONS)
}

const CONDITIONS: Conditions = Conditions::SHUFFLED_REPORTS;

impl Describe for Shuffled {
    fn words(&self) -> String {
        format!(
            "{} shuffled reports of {}",
            self.users,
            words_within(&self.of)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("users", Parameter::Whole(self.users)),
            ("of", Parameter::Mechanism(&self.of)),
        ]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let (epsilon, answers) = randomiser(&self.of)?;
        match (relation, answers) {
            // A report more or less: everybody can count.
            (Relation::Presence, _) => return Ok(pair(&[1, 0], &[0, 1])),
            (Relation::ReplaceSpecial, Some(_)) => {
                let message = "shuffled randomised response is built for `replace-one` only";
                return Err(OutOfRange::sentence("adjacency", message)
                    .because(Why::Unsupported)
                    .help("say `adjacency = \"replace-one\"`: a user holds one value or another"));
            }
            (Relation::ReplaceOne | Relation::ReplaceSpecial, _) => {}
        }
        let steps = if epsilon.is_zero() {
            nothing()
        } else if self.users == 1 {
            let alone = self.of.under(Relation::ReplaceOne)?;
            alone.steps().clone().and_conditions(CONDITIONS)
        } else {
            match answers {
                None => self.of_any(epsilon),
                Some(answers) => self.of_response(epsilon, answers),
            }
        };
        Ok(match answers {
            None => steps.and_conditions(Conditions::GUARANTEE),
            Some(_) => steps,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::coarse::at_most_bits;

    /// That nothing is revealed is what is stated of a randomiser that is known by its guarantee only.
    #[test]
    fn a_guarantee_is_one_where_nothing_is_revealed() {
        let response = Mechanism::randomized_response(Epsilon::zero(), 2).unwrap();
        for (of, is_stated) in [(Mechanism::pure_dp(0).unwrap(), true), (response, false)] {
            for users in [1, 9] {
                let reports = Mechanism::shuffled(users, of.clone()).unwrap();
                let found = reports.under(Relation::ReplaceOne).unwrap();
                let expected = match is_stated {
                    true => CONDITIONS.and(Conditions::GUARANTEE),
                    false => CONDITIONS,
                };
                assert_eq!(found.steps().conditions(), expected, "{}", reports.words());
            }
        }
    }

    /// With a user more or less everybody counts the reports, so that a sample of users tells who was drawn: nothing that stands for "not drawn" is a member.
    #[test]
    fn samples_of_reports_are_refused() {
        let response = Mechanism::randomized_response(Epsilon::from(Rational::from(1)), 2).unwrap();
        for of in [Mechanism::pure_dp(1).unwrap(), response] {
            let reports = Mechanism::shuffled(3, of).unwrap();
            let parts = vec![(reports.clone(), 1), (Mechanism::pure_dp(1).unwrap(), 2)];
            for of in [reports.clone(), Mechanism::compose(parts).unwrap()] {
                let sample =
                    |rate: (u32, u32)| Mechanism::subsampled(Rational::from(rate), of.clone());
                for relation in [
                    Relation::ReplaceOne,
                    Relation::ReplaceSpecial,
                    Relation::Presence,
                ] {
                    let some = sample((1, 4)).and_then(|some| some.under(relation));
                    assert!(some.is_err(), "{relation:?}");
                }
                assert!(sample((1, 1)).unwrap().under(Relation::ReplaceOne).is_ok());
            }
        }
    }

    /// Both ends of e^ε are on their sides, also where few bits are kept.
    #[test]
    fn odds_enclose() {
        for (n, d) in [(1, 3), (1, 1), (7, 2), (1, 1_000)] {
            let epsilon = Epsilon::from(Rational::from((n, d)));
            let truth = epsilon.enclose(400).exp();
            for bits in [4, 8, 400] {
                let (low, high) = at_most_bits(bits, || odds(&epsilon));
                assert!(*truth.hi() >= low && *truth.lo() <= high, "{n}/{d} {bits}");
                assert!(low < high && low >= 1, "{n}/{d} {bits}");
            }
        }
        // A rational number with too many digits.
        let long = Rational::from((3, 1)) + (Rational::from(1) >> 900u32);
        let (low, high) = odds(&Epsilon::log_of(long.clone()).unwrap());
        assert!(low <= long && long <= high);
        let short = Epsilon::log_of(Rational::from((7, 3))).unwrap();
        assert_eq!(
            odds(&short),
            (Rational::from((7, 3)), Rational::from((7, 3)))
        );
    }

    /// Of an e^ε that no number holds what is above is more than is taken.
    #[test]
    fn odds_without_an_end() {
        let huge = Rational::from(rug::Integer::from(rug::Integer::u_pow_u(10, 40)));
        let (low, high) = odds(&Epsilon::from(huge));
        assert!(low >= 1 && high > Rational::from(1) << MOST_ODDS_BITS);
    }

    /// What tells nothing has δ = 1 − u.
    #[test]
    fn nothing_is_told() {
        let profile = nothing().single().unwrap().profile().unwrap();
        for u in [Rational::from((1, 4)), Rational::from(1), Rational::from(3)] {
            let expected = Rational::from(1 - &u).max(Rational::new());
            let point = crate::kernel::Point::at_exp_epsilon(&u, 60);
            assert!(profile.at(&point).delta.contains(&expected), "{u}");
        }
    }

    #[test]
    fn random_odds_at_few_bits() {
        let mut random = crate::kernel::coarse::Random(71);
        for _ in 0..10_000 {
            let number = Rational::from((1 + random.below(999), 1 + random.below(999)));
            let epsilon = match random.once_in(2) {
                true => Epsilon::from(number),
                false => Epsilon::log_of(number + 1u32).unwrap(),
            };
            let truth = epsilon.enclose(200).exp();
            let bits = 2 + u32::try_from(random.below(15)).unwrap();
            let (low, high) = at_most_bits(bits, || odds(&epsilon));
            let holds = *truth.hi() >= low && *truth.lo() <= high && low <= high && low >= 1;
            assert!(holds, "{epsilon:?} {bits}: {low} {high}");
        }
    }
}
