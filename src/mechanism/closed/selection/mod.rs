//! Selection by score: the exponential mechanism, permute-and-flip, and compositions of them.
//!
//! # What is true
//!
//! **One run of the exponential mechanism.** Candidate i is chosen with probability proportional to e^{η·scoreᵢ}; what a record changes moves the
//! scores by dᵢ with η·(max d − min d) ≤ ε. Along the line of scores d/dt E_tφ = η·Cov_t(φ, d) is at most ε·E_tφ·(1 − E_tφ) in size, so that the
//! path lemma (`Paths.path_lemma_logistic`, N9 of `proofs/README.md`) bounds every test by the pair of logistic noise shifted by ε, whose profile is
//! (e^{ε/2} − √u)²/(e^ε − 1) (`Paths.logistic_profile`, N10). Two candidates attain each of its tests: their odds grow by e^ε, from any odds on.
//!
//! So δ(ε′), ε(δ) and the trade-off function of one run are those of the pair, but the dataset that is the worst depends on ε′: no dataset has the
//! pair. Hence the Rényi divergence is the largest over datasets, below that of the pair, and T runs are not T copies of the pair.
//!
//! **Adaptive runs** (J1, J2): V_T(u) = sup_t q_t·V_{T−1}(u·e^{−t}) + (1 − q_t)·V_{T−1}(u·e^{ε−t}) with q_t = (e^ε − e^t)/(e^ε − 1), 0 ≤ t ≤ ε. For two
//! runs it has a closed form; for more of them it is between two tables ([`above`], [`below`]).
//!
//! **Permute-and-flip** is dominated by Laplace noise shifted by ε in the same way, and two candidates attain each test of one run.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rug::Rational;

use super::{Closed, ClosedPair};
use crate::kernel::{Interval, Profile, normal};
use crate::mechanism::adjacency::Direction;
use crate::mechanism::epsilon::{Epsilon, StatedEpsilon};
use crate::mechanism::evaluate::Cache;
use crate::mechanism::steps::{Conditions, Step, Steps};
use mirror::OwnMirror;
use polygon::Polygon;
use profile::{ClosedForm, Runs};

mod above;
mod adaptive;
mod below;
mod channels;
mod fixed;
mod lattice;
pub(super) mod mirror;
mod noisy_max;
mod polygon;
mod profile;
mod together;
mod top;

pub use noisy_max::NoisyMax;
pub use top::TopSelections;

/// One run of the exponential mechanism, or two adaptive ones: the largest profile over all datasets.
///
/// Requires: ε > 0.
#[derive(Debug, Clone)]
pub struct Selection {
    epsilon: Epsilon,
    runs: Runs,
    tables: Tables,
}

/// The largest of the profiles of some adversaries in several adaptive runs of exponential mechanisms: below what the runs reveal at the most.
///
/// Requires: every ε > 0, at least one run of each.
#[derive(Debug, Clone)]
pub struct AdaptiveSelections {
    /// The smallest ε first: no order is stated, and none that was tried reveals more.
    runs: Vec<(Epsilon, u64)>,
    tables: Tables,
}

/// Profiles, each with a count.
type Powers = Vec<(Arc<dyn Profile>, u64)>;

type Tables = Arc<Cache<u64, Option<Arc<Polygon>>>>;

const LIMITS: &str = "adaptive runs of the exponential mechanism are built up to an epsilon of 250";

impl Selection {
    /// One run. Requires: ε > 0.
    pub fn new(epsilon: Epsilon) -> Self {
        Self {
            epsilon,
            runs: Runs::One,
            tables: Tables::default(),
        }
    }

    /// ε.
    pub(in crate::mechanism) fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Two candidates with odds all along.
    #[cfg(feature = "certificates")]
    pub(in crate::mechanism::closed) fn candidates(&self) -> Vec<Step> {
        let shares = (1u32..16).map(|part| Rational::from((part, 16)));
        let near = [33u32, 35, 37].map(|part| Rational::from((part, 64)));
        // Of high orders the best are far out.
        let far = [1u32, 2, 4, 8, 249, 253, 255].map(|part| Rational::from((part, 256)));
        shares
            .chain(near)
            .chain(far)
            .filter_map(|share| channels::of_odds(&self.epsilon, &share))
            .collect()
    }

    /// Two candidates, the loss of the first being this share of ε.
    #[cfg(feature = "certificates")]
    pub(in crate::mechanism::closed) fn candidates_of(&self, share: &Rational) -> Option<Step> {
        channels::of_odds(&self.epsilon, share)
    }

    /// Two candidates that have nearly the largest divergence of this order, above 1.
    #[cfg(feature = "certificates")]
    pub(in crate::mechanism::closed) fn candidates_at(&self, order: &Rational) -> Option<Step> {
        channels::of_order(&self.epsilon, order)
    }

    /// Two adaptive runs.
    fn twice(&self) -> Self {
        Self {
            runs: Runs::Two,
            ..self.clone()
        }
    }

    /// Profiles, each with a count, whose product bounds adaptive runs of several of them, in whatever order.
    ///
    /// # Errors
    /// Beyond [`Closed::limits`], which are returned.
    pub fn together(all: &[(Self, u64)]) -> Result<Powers, &'static str> {
        if all.len() > 1 && all.iter().all(|(one, _)| one.runs == Runs::One) {
            let runs = all.iter().map(|(one, runs)| (one.epsilon.clone(), *runs));
            if let Some(table) = together::upper(&runs.collect::<Vec<_>>()) {
                return Ok(vec![(Arc::new(table), 1)]);
            }
        }
        let mut found = Vec::new();
        for (one, times) in all {
            match one.powers(*times) {
                Some(powers) => found.extend(powers),
                None => found.push((one.profile().ok_or(LIMITS)?, *times)),
            }
        }
        Ok(found)
    }

    /// A bound of `runs` adaptive runs.
    fn upper(&self, runs: u64) -> Option<Arc<dyn Profile>> {
        let make = || adaptive::upper(&self.epsilon, runs).map(Arc::new);
        let kept = self.tables.get_or_in_time(&runs, make);
        let table: Arc<dyn Profile> = Option::clone(&kept)?;
        Some(table)
    }
}

impl AdaptiveSelections {
    fn new(runs: Vec<(Epsilon, u64)>) -> Self {
        let tables = Tables::default();
        Self { runs, tables }
    }

    /// What some adversaries attain in runs of different exponential mechanisms, in an order of their choice; `None` beyond the limits, and for a single one.
    pub fn in_turn(all: &[(&Selection, u64)]) -> Option<Self> {
        let single = |(one, runs): &(&Selection, u64)| {
            (one.runs == Runs::One).then(|| (one.epsilon.clone(), *runs))
        };
        let mut runs = all.iter().map(single).collect::<Option<Vec<_>>>()?;
        runs.sort_by_key(|(epsilon, _)| epsilon.rational_up());
        together::is_built(&runs).then(|| Self::new(runs))
    }
}

impl PartialEq for Selection {
    fn eq(&self, other: &Self) -> bool {
        (&self.epsilon, self.runs) == (&other.epsilon, other.runs)
    }
}

impl Eq for Selection {}

impl Hash for Selection {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.epsilon, self.runs).hash(state);
    }
}

impl PartialEq for AdaptiveSelections {
    fn eq(&self, other: &Self) -> bool {
        self.runs == other.runs
    }
}

impl Eq for AdaptiveSelections {}

impl Hash for AdaptiveSelections {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.runs.hash(state);
    }
}

impl Closed for Selection {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        let one = ClosedForm::new(self.epsilon.clone(), self.runs);
        Some(Arc::new(OwnMirror(one)))
    }

    fn limits(&self) -> &'static str {
        LIMITS
    }

    /// The largest over all datasets, the same in both directions (J3).
    fn renyi_divergence(&self, order: &Rational, _: Direction, bits: u32) -> Option<Interval> {
        let one = renyi(&self.epsilon, order, bits);
        Some(match self.runs {
            Runs::One => one,
            Runs::Two => one.add(&one),
        })
    }

    fn is_selection(&self) -> bool {
        true
    }

    fn is_of_no_dataset(&self) -> bool {
        true
    }

    fn as_runs(&self) -> Option<(ClosedPair, u64)> {
        match self.runs {
            Runs::One => None,
            Runs::Two => Some((
                Self {
                    runs: Runs::One,
                    ..self.clone()
                }
                .into(),
                2,
            )),
        }
    }

    fn of_runs(&self, times: u64) -> Option<ClosedPair> {
        (self.runs == Runs::One && times == 2).then(|| self.twice().into())
    }

    /// The bound of up to 100 adaptive runs at once, as often as it takes: domination at every u composes.
    fn powers(&self, times: u64) -> Option<Vec<(Arc<dyn Profile>, u64)>> {
        if self.runs != Runs::One || times < 2 {
            return None;
        }
        let of = |runs: u64| match runs {
            1 => self.profile(),
            2 => self.twice().profile(),
            _ => self.upper(runs),
        };
        let block = times.min(adaptive::MOST_RUNS);
        let mut all = vec![(of(block)?, times / block)];
        let rest = times % block;
        if rest > 0 {
            all.push((of(rest)?, 1));
        }
        Some(all)
    }

    fn members(&self, times: u64) -> Vec<Steps> {
        let runs = match self.runs {
            Runs::One => times,
            Runs::Two => times.saturating_mul(2),
        };
        two_candidates(&self.epsilon, runs)
    }

    fn adversaries(&self, times: u64) -> Option<ClosedPair> {
        let is_built = self.runs == Runs::One && adaptive::is_built(&self.epsilon, times);
        is_built.then(|| AdaptiveSelections::new(vec![(self.epsilon.clone(), times)]).into())
    }

    fn of_group(&self, records: u64) -> Option<ClosedPair> {
        match self.runs {
            Runs::One => Some(Self::new(multiple(&self.epsilon, records)?).into()),
            Runs::Two => None,
        }
    }

    /// −2Φ⁻¹(1/(1 + e^{ε/2})) of one run: Φ⁻¹(1 − α) − Φ⁻¹(f(α)) is largest at the fixed point (J4).
    fn strict_mu(&self, bits: u32) -> Option<Interval> {
        if self.runs != Runs::One {
            return None;
        }
        let half = Interval::from_rational(&Rational::from((1, 2)), bits);
        let odds = self.epsilon.enclose(bits).mul(&half).exp();
        let level = Interval::one(bits).add(&odds).recip();
        let quantile = normal::survival_inverse(&level);
        Some(quantile.add(&quantile).at_least_zero())
    }
}

impl Closed for AdaptiveSelections {
    fn profile(&self) -> Option<Arc<dyn Profile>> {
        let make = || {
            let table = match self.runs.as_slice() {
                [(epsilon, runs)] => adaptive::lower(epsilon, *runs),
                several => together::lower(several),
            };
            table.or_else(|| Polygon::new(Vec::new())).map(Arc::new)
        };
        let kept = self.tables.get_or_in_time(&0, make);
        let table: Arc<dyn Profile> = Option::clone(&kept)?;
        Some(table)
    }

    fn limits(&self) -> &'static str {
        LIMITS
    }

    fn dominated_by(&self) -> Option<Steps> {
        let one = |(epsilon, runs): &(Epsilon, u64)| {
            let step = Step::Closed(Selection::new(epsilon.clone()).into());
            (Steps::one(step, Conditions::NONE), *runs)
        };
        let all: Vec<(Steps, u64)> = self.runs.iter().map(one).collect();
        let all = Steps::composed(all.iter().map(|(step, runs)| (step, *runs)));
        all.ok().map(|all| all.most())
    }

    fn is_of_no_dataset(&self) -> bool {
        true
    }

    fn members(&self, times: u64) -> Vec<Steps> {
        match self.runs.as_slice() {
            [(epsilon, runs)] => two_candidates(epsilon, runs.saturating_mul(times)),
            _ => Vec::new(),
        }
    }
}

/// Compositions that a dataset attains: two candidates in every run, with several odds, among them those that matter at usual δ.
///
/// The likelier the first candidate is to win, the better for small losses; the best share of ε as the loss of its win, over ½, is of the
/// order of 1/√runs.
fn two_candidates(epsilon: &Epsilon, runs: u64) -> Vec<Steps> {
    of_shares(epsilon, runs, &usual_shares(runs))
}

fn usual_shares(runs: u64) -> Vec<Rational> {
    let mut shares: Vec<Rational> = Vec::new();
    let root = Rational::from(integer_root(runs));
    for quarters in [0u32, 2, 3, 4, 5, 6] {
        let share = Rational::from((1, 2)) + Rational::from((quarters, 4)) / &root;
        let share = share.min(Rational::from((15, 16)));
        if !shares.contains(&share) {
            shares.push(share);
        }
    }
    shares
}

/// The same of few runs, where which odds are best depends on ε far more: the losses of few outcomes are far apart.
///
/// From 1/2 on; the pair of the share 1 − s is the swapped one of s with the candidates exchanged.
fn many_candidates(epsilon: &Epsilon, runs: u64) -> Vec<Steps> {
    let mut shares = usual_shares(runs);
    let finer = (16u32..32).map(|part| Rational::from((part, 32)));
    for share in finer.chain([Rational::from((63, 64))]) {
        if !shares.contains(&share) {
            shares.push(share);
        }
    }
    of_shares(epsilon, runs, &shares)
}

fn of_shares(epsilon: &Epsilon, runs: u64, shares: &[Rational]) -> Vec<Steps> {
    let members = shares
        .iter()
        .filter_map(|share| channels::of_odds(epsilon, share));
    repeated(members, runs)
}

fn repeated(members: impl Iterator<Item = Step>, runs: u64) -> Vec<Steps> {
    let composed = |step| Steps::composed([(&Steps::one(step, Conditions::NONE), runs)]).ok();
    members.filter_map(composed).collect()
}

/// About √n, at least 1.
fn integer_root(n: u64) -> u64 {
    rug::Integer::from(n).sqrt().to_u64().unwrap_or(1).max(1)
}

/// k·ε.
fn multiple(epsilon: &Epsilon, times: u64) -> Option<Epsilon> {
    match epsilon.stated() {
        StatedEpsilon::Number(x) => Some(Epsilon::from(Rational::from(x * times))),
        StatedEpsilon::Exp(u) => {
            const MOST_BITS: u64 = 1 << 16;
            let size = u64::from(u.numer().significant_bits() + u.denom().significant_bits());
            if size.checked_mul(times)? > MOST_BITS {
                return None;
            }
            use rug::ops::Pow;
            Epsilon::log_of(u.clone().pow(u32::try_from(times).ok()?)).ok()
        }
    }
}

/// sup over datasets of D_a at the order a > 0 (J3): with b = e^{−ε} and x = (a − 1)(1 − bᵃ)/(a(b − bᵃ)) it is
/// log x + log((1 − bᵃ)/(a(1 − b)))/(a − 1), and −log y − 1 + y, y = ε/(e^ε − 1), at the order 1.
fn renyi(epsilon: &Epsilon, order: &Rational, bits: u32) -> Interval {
    let excess = Rational::from(order - 1u32);
    // Where the order is near 1 the second term is a small number over a small number.
    let lost = excess
        .denom()
        .significant_bits()
        .saturating_sub(excess.numer().significant_bits());
    let work = bits
        .saturating_add(96)
        .saturating_add(lost.saturating_mul(2))
        .min(1 << 14);
    let epsilon = epsilon.enclose(work);
    let number = |x: &Rational| Interval::from_rational(x, work);
    let fall = |y: &Interval| y.exp_m1().neg().at_least_zero();
    let result = if excess == 0 {
        let y = epsilon.div(&epsilon.exp_m1());
        y.ln().neg().sub(&Interval::one(work)).add(&y)
    } else {
        let all = fall(&number(order).mul(&epsilon).neg());
        let step = number(&Rational::from(excess.abs_ref()))
            .mul(&epsilon)
            .neg();
        // b − bᵃ = b(1 − b^{a−1}) for a > 1, and −bᵃ(1 − b^{1−a}) for a < 1.
        let rise = if excess > 0 {
            epsilon.clone()
        } else {
            number(order).mul(&epsilon)
        };
        let place = number(&Rational::from(excess.abs_ref()))
            .mul(&all)
            .div(&number(order).mul(&fall(&step)));
        let ratio = all.div(&number(order).mul(&fall(&epsilon.neg())));
        rise.add(&place.ln()).add(&ratio.ln().div(&number(&excess)))
    };
    // No dataset has a loss above ε.
    result.at_least_zero().min(&epsilon).at_bits(bits)
}

#[cfg(test)]
mod sides_tests;
#[cfg(test)]
#[path = "tests.rs"]
mod tests;
