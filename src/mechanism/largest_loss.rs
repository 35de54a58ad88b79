//! The largest loss of mechanisms that are known between bounds only, where a theorem says what it is.

use rug::Integer;

use super::kind::Kind;
use super::steps::LargestLoss;
use super::{Epsilon, Mechanism};

impl Mechanism {
    /// Σ ε of choices by score and of shuffled reports; `None` of anything else, or of both together.
    ///
    /// Shuffled reports are made of reports of which that of one user differs, so that their loss is at most ε₀. It is ε₀ where every user reports the same value,
    /// which has a probability above 0 with randomised response, one of the ε₀-DP randomisers: all others hold that value, and the one holds it or not.
    pub(crate) fn largest_loss(&self) -> Option<LargestLoss> {
        let choices = || self.steps().largest_loss_of_choices();
        choices().or_else(|| Some(LargestLoss::sum(shuffled(self, &Integer::from(1))?)))
    }
}

/// ε₀ of shuffled reports, each so many times.
fn shuffled(of: &Mechanism, times: &Integer) -> Option<Vec<(Epsilon, Integer)>> {
    match of.kind() {
        Kind::Shuffled(reports) => Some(vec![(reports.epsilon()?.clone(), times.clone())]),
        Kind::Composition(parts) => {
            let each = parts
                .of()
                .iter()
                .map(|(part, n)| shuffled(part, &Integer::from(times * *n)));
            Some(each.collect::<Option<Vec<_>>>()?.concat())
        }
        Kind::Gaussian(_)
        | Kind::Laplace(_)
        | Kind::DiscreteLaplace(_)
        | Kind::DiscreteGaussian(_)
        | Kind::RandomizedResponse(_)
        | Kind::PureDp(_)
        | Kind::ApproxDp(_)
        | Kind::Gdp(_)
        | Kind::Zcdp(_)
        | Kind::Rdp(_)
        | Kind::Finite(_)
        | Kind::Profile(_)
        | Kind::GaussianMixture(_)
        | Kind::Histogram(_)
        | Kind::Mixture(_)
        | Kind::Group(_)
        | Kind::Subsampled(_)
        | Kind::TreeAggregation(_)
        | Kind::MatrixFactorization(_)
        | Kind::NoiseThreshold(_)
        | Kind::Skellam(_)
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
    use rug::Rational;

    use super::*;

    fn of(times: u64, reports: &[(u64, Mechanism)]) -> Mechanism {
        let shuffled = |(users, of): &(u64, Mechanism)| {
            (Mechanism::shuffled(*users, of.clone()).unwrap(), times)
        };
        Mechanism::compose(reports.iter().map(shuffled).collect()).unwrap()
    }

    #[test]
    fn shuffled_reports_lose_what_one_of_them_does() {
        let any = || Mechanism::pure_dp(1).unwrap();
        let response = || Mechanism::randomized_response(Rational::from((1, 2)), 3).unwrap();
        let found = of(2, &[(5, any()), (50_000, response())])
            .largest_loss()
            .unwrap();
        assert_eq!(found.exact, Some(Rational::from(3).into()));
        let laplace = Mechanism::laplace(1, 1).unwrap();
        let with_noise = Mechanism::compose(vec![(of(1, &[(5, any())]), 1), (laplace, 1)]).unwrap();
        assert!(with_noise.largest_loss().is_none());
    }
}
