//! The Rényi curve of a mechanism as a representation, which is not a concise one.

use rug::Rational;

use super::representation::{Stated, stated};
use crate::analysis::Answer;
use crate::bounds::Target;
use crate::kernel::Failure;
use crate::mechanism::{Adjacency, Mechanism};
use crate::statement::Query;

/// ε(t) at some orders, and the regret of stating these.
#[derive(Debug, Clone)]
pub struct RenyiCurve {
    /// Orders and ε(t), rounded up: true of the mechanism. Orders at which none is known are left out.
    pub points: Vec<(Rational, Rational)>,
    /// Δ(M‖all mechanisms with these ε(t)); `None` where there are no points.
    pub regret: Option<Answer>,
}

/// Orders as accountants look at them (those of dp_accounting, and some near 1).
pub fn usual_orders() -> Vec<Rational> {
    let fine = [(101, 100), (102, 100), (105, 100)].map(Rational::from);
    let tenths = (11..=109u32).map(|n| Rational::from((n, 10)));
    let whole = (11..=63u32)
        .chain([128, 256, 512, 1024])
        .map(Rational::from);
    fine.into_iter().chain(tenths).chain(whole).collect()
}

/// The same and many more near 1, where the conversions of some mechanisms are best.
pub fn fine_orders() -> Vec<Rational> {
    let hundredths = (1..=99u32).map(|n| Rational::from((n.saturating_add(100), 100)));
    let usual = usual_orders().into_iter().filter(|order| *order >= 2);
    hundredths.chain(usual).collect()
}

/// The larger D_t of both orders of the pair at each order, as classes mean it, and the regret.
///
/// # Errors
/// Those of `ask`; or if dpcmp contradicts itself.
pub fn renyi_curve(
    orders: &[Rational],
    width: &Target,
    ask: &dyn Fn(&Query, &Target) -> Result<Answer, Failure>,
) -> Result<RenyiCurve, Failure> {
    let at_order = Target::Relative(Rational::from((1, 1_000_000)));
    let mut points = Vec::with_capacity(orders.len());
    for order in orders {
        let query = Query::renyi(order)?;
        let found = ask(&query, &at_order)?;
        if let Stated::Number(epsilon) = stated(&found)? {
            points.push((order.clone(), epsilon));
        }
    }
    let regret = if points.is_empty() {
        None
    } else {
        let class = Mechanism::rdp(points.clone())?;
        let query = Query::delta_divergence(class, Adjacency::AddRemove);
        Some(ask(&query, width)?)
    };
    Ok(RenyiCurve { points, regret })
}
