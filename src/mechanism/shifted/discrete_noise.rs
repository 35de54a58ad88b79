//! Noise on the integers with a log-concave mass function, symmetric about 0.

use std::sync::Arc;

use rug::Rational;

use crate::kernel::Interval;
use crate::mechanism::evaluate::Cache;
use crate::mechanism::theta::ThetaTable;

/// What has to be known of a noise law.
pub trait IntegerNoise: Clone + Send + Sync + 'static {
    /// Does log N(k − 1) − log N(k) stay the same from k = 1 on? Otherwise it passes every bound.
    const GEOMETRIC: bool;

    /// Shifts of more than this altogether are not built.
    const MOST_APART: i64;

    /// Σ_{j ≥ k} N(j).
    fn upper_tail(&self, k: i64, bits: u32) -> Interval;

    /// log N(k − shift) − log N(k).
    fn log_ratio(&self, k: i64, shift: i64, bits: u32) -> Interval;
}

/// N(k) ∝ e^{−k²/(2σ²)}.
#[derive(Debug, Clone)]
pub struct DiscreteGaussianNoise {
    variance: Rational,
    tables: Arc<Cache<u32, ThetaTable>>,
}

/// N(k) = (1 − x)/(1 + x)·x^|k| with x = e^{−1/scale}.
#[derive(Debug, Clone)]
pub struct DiscreteLaplaceNoise {
    scale: Rational,
}

/// The centre of the weights in a table; the hinges that it is for are not needed here.
const CENTRE: i64 = 1;
/// As of the unshifted noise: sums over the lattice take about 20·σ terms.
const LARGEST_SIGMA: u32 = 20_000;

impl DiscreteGaussianNoise {
    /// Noise of this parameter; `None` for σ above 20,000.
    ///
    /// Requires: `sigma > 0`.
    pub fn new(sigma: &Rational) -> Option<Self> {
        (*sigma <= LARGEST_SIGMA).then(|| Self::of_variance(&sigma.clone().square()))
    }

    /// Noise of this σ².
    ///
    /// Requires: `0 < variance ≤ 20,000²`.
    pub(super) fn of_variance(variance: &Rational) -> Self {
        Self {
            variance: variance.clone(),
            tables: Arc::default(),
        }
    }

    fn table(&self, bits: u32) -> Arc<ThetaTable> {
        let bits = (bits / 64).saturating_add(2).saturating_mul(64);
        let make = || ThetaTable::new(&self.variance, CENTRE, bits);
        self.tables.get_or_in_time(&bits, make)
    }
}

impl DiscreteLaplaceNoise {
    /// Noise of this scale.
    ///
    /// Requires: `scale > 0`.
    pub fn new(scale: &Rational) -> Self {
        let scale = scale.clone();
        Self { scale }
    }
}

impl IntegerNoise for DiscreteGaussianNoise {
    const GEOMETRIC: bool = false;
    const MOST_APART: i64 = 400_000;

    fn upper_tail(&self, k: i64, bits: u32) -> Interval {
        if k <= 0 {
            let mirrored = 1i64.saturating_sub(k);
            return self.upper_tail(mirrored, bits).one_minus();
        }
        let table = self.table(bits);
        let sums = table.at(k.saturating_add(CENTRE));
        sums.upper.div(table.total()).at_bits(bits)
    }

    fn log_ratio(&self, k: i64, shift: i64, bits: u32) -> Interval {
        let middle = Rational::from(k) - Rational::from((shift, 2));
        Interval::from_rational(&(middle * shift / &self.variance), bits)
    }
}

impl IntegerNoise for DiscreteLaplaceNoise {
    const GEOMETRIC: bool = true;
    const MOST_APART: i64 = 20_000;

    fn upper_tail(&self, k: i64, bits: u32) -> Interval {
        if k <= 0 {
            let mirrored = 1i64.saturating_sub(k);
            return self.upper_tail(mirrored, bits).one_minus();
        }
        let power =
            |k: i64| Interval::from_rational(&(Rational::from(-k) / &self.scale), bits).exp();
        power(k).div(&Interval::one(bits).add(&power(1)))
    }

    fn log_ratio(&self, k: i64, shift: i64, bits: u32) -> Interval {
        let farther = Rational::from(k).abs() - (Rational::from(k) - shift).abs();
        Interval::from_rational(&(farther / &self.scale), bits)
    }
}
