//! The conditions of all statements about a mechanism, beside its numbers.

/// The conditions of what is said of the steps of a mechanism: what no number of it tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conditions {
    /// Batches are Poisson samples.
    pub poisson_sampling: bool,
    /// Noise is real-valued.
    pub real_noise: bool,
    /// Of some step only a guarantee is known.
    pub guarantee: bool,
    /// Records take part in some steps only, by a schedule.
    pub limited_participation: bool,
    /// Which keys are counted in a round does not depend on what earlier rounds released.
    pub fixed_keys: bool,
    /// Reports go through a shuffler.
    pub shuffled_reports: bool,
    /// Records change together: all are there, or none is.
    pub together: bool,
    /// All records of a group may be replaced.
    pub exchanged: bool,
    /// A record adds to a cell or to the counts of its keys, and takes nothing away.
    pub counts: bool,
    /// Samples are of groups of records.
    pub sampled_groups: bool,
    /// A record that does not take part in a step answers as one that is not there.
    pub sampled_responses: bool,
    /// A special record answers at random, uniformly.
    pub special_responses: bool,
    /// Any number of other records may share a released key.
    pub shared_keys: bool,
    /// Parts run in whichever order reveals most.
    pub any_order: bool,
    /// The number of runs is random, and nothing else is released of them.
    pub random_runs: bool,
    /// Batches are cut down to a largest size.
    pub truncated_batches: bool,
    /// Batches come from a fresh permutation in every epoch.
    pub shuffled_batches: bool,
    /// Every record takes part in steps that are drawn at random for it alone.
    pub random_allocation: bool,
    /// Batches of a fixed size are drawn without replacement.
    pub fixed_batches: bool,
}

impl Conditions {
    /// Nothing but the numbers.
    pub const NONE: Self = Self {
        poisson_sampling: false,
        real_noise: false,
        guarantee: false,
        limited_participation: false,
        fixed_keys: false,
        shuffled_reports: false,
        together: false,
        exchanged: false,
        counts: false,
        sampled_groups: false,
        sampled_responses: false,
        special_responses: false,
        shared_keys: false,
        any_order: false,
        random_runs: false,
        truncated_batches: false,
        shuffled_batches: false,
        random_allocation: false,
        fixed_batches: false,
    };

    /// Noise is real-valued.
    pub const REAL_NOISE: Self = Self {
        real_noise: true,
        ..Self::NONE
    };

    /// Only a guarantee is known.
    pub const GUARANTEE: Self = Self {
        guarantee: true,
        ..Self::NONE
    };

    /// Noise is real-valued, and records take part by a schedule.
    pub const LIMITED_PARTICIPATION: Self = Self {
        limited_participation: true,
        ..Self::REAL_NOISE
    };

    /// The number of runs is random.
    pub const RANDOM_RUNS: Self = Self {
        random_runs: true,
        ..Self::NONE
    };

    /// Reports go through a shuffler.
    pub const SHUFFLED_REPORTS: Self = Self {
        shuffled_reports: true,
        ..Self::NONE
    };

    /// Records change together.
    pub const TOGETHER: Self = Self {
        together: true,
        ..Self::NONE
    };

    /// All records of a group may be replaced.
    pub const EXCHANGED: Self = Self {
        exchanged: true,
        ..Self::NONE
    };

    /// A record adds to a cell or to the counts of its keys, and takes nothing away.
    pub const COUNTS: Self = Self {
        counts: true,
        ..Self::NONE
    };

    /// Samples are of groups of records.
    pub const SAMPLED_GROUPS: Self = Self {
        sampled_groups: true,
        ..Self::NONE
    };

    /// A record that does not take part in a step answers as one that is not there.
    pub const SAMPLED_RESPONSES: Self = Self {
        sampled_responses: true,
        ..Self::NONE
    };

    /// A special record answers at random, uniformly.
    pub const SPECIAL_RESPONSES: Self = Self {
        special_responses: true,
        ..Self::NONE
    };

    /// Parts run in whichever order reveals most.
    pub const ANY_ORDER: Self = Self {
        any_order: true,
        ..Self::NONE
    };

    /// Both.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            poisson_sampling: self.poisson_sampling || other.poisson_sampling,
            real_noise: self.real_noise || other.real_noise,
            guarantee: self.guarantee || other.guarantee,
            limited_participation: self.limited_participation || other.limited_participation,
            fixed_keys: self.fixed_keys || other.fixed_keys,
            shuffled_reports: self.shuffled_reports || other.shuffled_reports,
            together: self.together || other.together,
            exchanged: self.exchanged || other.exchanged,
            counts: self.counts || other.counts,
            sampled_groups: self.sampled_groups || other.sampled_groups,
            sampled_responses: self.sampled_responses || other.sampled_responses,
            special_responses: self.special_responses || other.special_responses,
            shared_keys: self.shared_keys || other.shared_keys,
            any_order: self.any_order || other.any_order,
            random_runs: self.random_runs || other.random_runs,
            truncated_batches: self.truncated_batches || other.truncated_batches,
            shuffled_batches: self.shuffled_batches || other.shuffled_batches,
            random_allocation: self.random_allocation || other.random_allocation,
            fixed_batches: self.fixed_batches || other.fixed_batches,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is assumed of one part is assumed of the whole, whichever part it is.
    #[test]
    fn conditions_of_either_part_stay() {
        let all = Conditions {
            poisson_sampling: true,
            real_noise: true,
            guarantee: true,
            limited_participation: true,
            fixed_keys: true,
            shuffled_reports: true,
            together: true,
            exchanged: true,
            counts: true,
            sampled_groups: true,
            sampled_responses: true,
            special_responses: true,
            shared_keys: true,
            any_order: true,
            random_runs: true,
            truncated_batches: true,
            shuffled_batches: true,
            random_allocation: true,
            fixed_batches: true,
        };
        assert_eq!(all.and(Conditions::NONE), all);
        assert_eq!(Conditions::NONE.and(all), all);
        assert_eq!(Conditions::NONE.and(Conditions::NONE), Conditions::NONE);
    }
}
