//! `group`: several records change together.

use rug::Rational;

use super::subsampled::{Sampling, Subsampled};
use super::{Describe, Kind, Parameter, words_within};
use crate::mechanism::Mechanism;
use crate::mechanism::adjacency::Relation;
use crate::mechanism::domain::{OutOfRange, at_least};
use crate::mechanism::group::{
    of_approx_dp, of_approx_dp_on_sample, of_pair, of_pair_on_sample, of_pure_dp, of_zcdp,
};
use crate::mechanism::steps::{Conditions, Steps};

/// A mechanism where so many records change together, as those of one user do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    records: u64,
    of: Mechanism,
}

impl Group {
    /// `records ≥ 1` of them.
    ///
    /// # Errors
    /// If a number is out of its range, or what a group reveals is not known for `of`.
    pub fn new(records: u64, of: Mechanism) -> Result<Self, OutOfRange> {
        let records = at_least("records", 1, records)?;
        if let Some(all) = of.records().filter(|all| *all < records) {
            let message = format!("must be at most {all}: there are no more records");
            return Err(OutOfRange::new("records", &message));
        }
        Ok(Self { records, of })
    }

    /// How many records change.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The mechanism.
    pub fn of(&self) -> &Mechanism {
        &self.of
    }
}

impl Describe for Group {
    fn words(&self) -> String {
        format!(
            "{} records together in {}",
            self.records,
            words_within(&self.of)
        )
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("records", Parameter::Whole(self.records)),
            ("of", Parameter::Mechanism(&self.of)),
        ]
    }

    fn steps(&self, relation: Relation) -> Result<Steps, OutOfRange> {
        let all = steps(&self.of, self.records, relation)?;
        Ok(all.and_conditions(match relation {
            _ if self.records == 1 => Conditions::NONE,
            Relation::Presence | Relation::ReplaceSpecial => Conditions::TOGETHER,
            // Any of them may be exchanged in either order of the pair.
            Relation::ReplaceOne => Conditions::EXCHANGED,
        }))
    }
}

/// What `records` records that change together reveal. A guarantee is about one record, whatever happens to it; a composition, and a mixture, whose
/// label depends on no record, is that of the groups.
fn steps(of: &Mechanism, records: u64, relation: Relation) -> Result<Steps, OutOfRange> {
    if records == 1 {
        return Ok(of.under(relation)?.steps().clone());
    }
    match of.kind() {
        Kind::PureDp(one) => of_pure_dp(one.epsilon(), records),
        Kind::ApproxDp(one) => of_approx_dp(one.epsilon(), one.delta(), records),
        Kind::Zcdp(one) if *one.xi() == 0 => Ok(of_zcdp(one.rho(), records)),
        Kind::Zcdp(one) if *one.rho() == 0 => of_pure_dp(&one.xi().clone().into(), records),
        Kind::Composition(all) => {
            let parts = all.of().iter();
            let parts = parts.map(|(part, times)| Ok((steps(part, records, relation)?, *times)));
            let parts = parts.collect::<Result<Vec<_>, OutOfRange>>()?;
            Steps::composed(parts.iter().map(|(part, times)| (part, *times)))
        }
        Kind::Mixture(mixture) => {
            let parts = mixture.of().iter();
            let parts =
                parts.map(|(weight, part)| Ok((weight.clone(), steps(part, records, relation)?)));
            Ok(Steps::labelled(parts.collect::<Result<_, OutOfRange>>()?))
        }
        Kind::Finite(pair) => of_pair(pair.p(), pair.q(), records, relation),
        Kind::Subsampled(sample) => match on_sample(sample, records, relation, Rational::from(1)) {
            Some(steps) => steps,
            None => of.under(relation)?.steps().of_group(records),
        },
        Kind::Skellam(one) => one.of_records(records, relation),
        Kind::Gaussian(_)
        | Kind::Laplace(_)
        | Kind::DiscreteLaplace(_)
        | Kind::DiscreteGaussian(_)
        | Kind::RandomizedResponse(_)
        | Kind::Gdp(_)
        | Kind::Zcdp(_)
        | Kind::Rdp(_)
        | Kind::Profile(_)
        | Kind::GaussianMixture(_)
        | Kind::Histogram(_)
        | Kind::Group(_)
        | Kind::TreeAggregation(_)
        | Kind::MatrixFactorization(_)
        | Kind::NoiseThreshold(_)
        | Kind::Shuffled(_)
        | Kind::PrivateSelection(_)
        | Kind::ShuffledBatches(_)
        | Kind::RandomAllocation(_)
        | Kind::Exponential(_)
        | Kind::PermuteAndFlip(_)
        | Kind::TopK(_) => of.under(relation)?.steps().of_group(records),
    }
}

/// Of a Poisson sample of something that is known by a guarantee, or by a pair; `rate` is that of the samples around it.
fn on_sample(
    sample: &Subsampled,
    records: u64,
    relation: Relation,
    rate: Rational,
) -> Option<Result<Steps, OutOfRange>> {
    let rate = match (sample.sampling(), relation) {
        (Sampling::Poisson(inner), Relation::Presence | Relation::ReplaceSpecial) => rate * inner,
        (Sampling::Poisson(_), Relation::ReplaceOne)
        | (Sampling::TruncatedPoisson(_) | Sampling::WithoutReplacement(_), _) => return None,
    };
    match sample.of().kind() {
        Kind::PureDp(one) => {
            let nothing = Rational::new();
            Some(of_approx_dp_on_sample(
                one.epsilon(),
                &nothing,
                records,
                &rate,
            ))
        }
        Kind::ApproxDp(one) => Some(of_approx_dp_on_sample(
            one.epsilon(),
            one.delta(),
            records,
            &rate,
        )),
        Kind::Finite(pair) => Some(of_pair_on_sample(pair.p(), pair.q(), records, &rate)),
        // A record takes part in all stages or not.
        Kind::Subsampled(inner) => on_sample(inner, records, relation, rate),
        Kind::Gaussian(_)
        | Kind::Laplace(_)
        | Kind::DiscreteLaplace(_)
        | Kind::DiscreteGaussian(_)
        | Kind::RandomizedResponse(_)
        | Kind::Gdp(_)
        | Kind::Zcdp(_)
        | Kind::Rdp(_)
        | Kind::Profile(_)
        | Kind::GaussianMixture(_)
        | Kind::Histogram(_)
        | Kind::Mixture(_)
        | Kind::Group(_)
        | Kind::Composition(_)
        | Kind::TreeAggregation(_)
        | Kind::MatrixFactorization(_)
        | Kind::NoiseThreshold(_)
        | Kind::Skellam(_)
        | Kind::Shuffled(_)
        | Kind::PrivateSelection(_)
        | Kind::ShuffledBatches(_)
        | Kind::RandomAllocation(_)
        | Kind::Exponential(_)
        | Kind::PermuteAndFlip(_)
        | Kind::TopK(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group is part of the dataset, whatever is between the group and what says how large that is.
    #[test]
    fn groups_are_no_larger_than_the_dataset() {
        let batch = |all| {
            let noise = Mechanism::gaussian(1, 1).unwrap();
            Mechanism::without_replacement(all, 2, noise).unwrap()
        };
        for (all, records, fits) in [(3, 3, true), (3, 4, false), (5, 4, true)] {
            let twice = Mechanism::compose(vec![(batch(all), 2)]).unwrap();
            for of in [batch(all), twice] {
                let found = Group::new(records, of);
                assert_eq!(found.is_ok(), fits, "{records} of {all}");
                assert!(found.is_ok_and(|group| group.records() == records) || !fits);
            }
        }
        for sizes in [[3, 9], [9, 3]] {
            let both = Mechanism::compose(sizes.map(|all| (batch(all), 1)).to_vec()).unwrap();
            assert!(Group::new(3, both.clone()).is_ok() && Group::new(4, both).is_err());
        }
        assert!(Group::new(9, Mechanism::laplace(1, 1).unwrap()).is_ok());
    }

    /// Groups of groups are of as many records as both numbers say together.
    #[test]
    fn groups_of_groups_are_no_larger_either() {
        for (all, within, groups, fits) in [
            (4, 2, 2, true),
            (5, 2, 2, true),
            (5, 2, 3, false),
            (5, 3, 2, false),
            (6, 3, 2, true),
        ] {
            let of = Mechanism::gaussian(1, 1).unwrap().of_records(all);
            let group = Mechanism::group(within, of).unwrap();
            let twice = Mechanism::compose(vec![(group.clone(), 2)]).unwrap();
            for of in [group, twice] {
                assert_eq!(of.records(), Some(all / within));
                assert_eq!(Group::new(groups, of).is_ok(), fits, "{all} {within}");
            }
        }
    }

    /// Which of several choices comes first matters for groups as for single records, within mixtures too.
    #[test]
    fn choices_of_groups_are_in_whichever_order() {
        let choice = |epsilon: i64| Mechanism::exponential(Rational::from((epsilon, 2))).unwrap();
        let both = |second| Mechanism::compose(vec![(choice(1), 1), (choice(second), 1)]).unwrap();
        let mixed = |second| {
            let half = Rational::from((1, 2));
            Mechanism::mixture(vec![(half.clone(), both(second)), (half, choice(1))]).unwrap()
        };
        for (second, matters) in [(1, false), (2, true)] {
            for of in [both(second), mixed(second)] {
                assert_eq!(of.steps().conditions().any_order, matters);
                let group = Mechanism::group(2, of).unwrap();
                assert_eq!(
                    group.steps().conditions().any_order,
                    matters,
                    "{}",
                    group.words()
                );
            }
        }
    }
}
