//! Proofs about mechanisms of which Rényi guarantees are known: what these say of every test, or a test of one that has them.

use rug::{Integer, Rational};
use serde_json::{Value, json};

use super::profile::{units_down, units_up};
use super::prove::{Accept, Prover};
use super::text::place;
use crate::float::nearest;
use crate::mechanism::{Direction, Epsilon, Step};
use crate::statement::StatedClaim;

/// A bound is looked for with slopes that are off by so much, so that rounding does not turn their signs: δ grows by as much, times the order.
const LEANS: [f64; 2] = [1e-8, 1e-12];

/// A power above this is 1.
const FULL: f64 = 1.0 - 1e-15;

/// A test of power q and size p whose divergence at the order t is as large as is known.
#[derive(Debug, Clone, Copy)]
struct Touch {
    order: f64,
    q: f64,
    p: f64,
    /// q − u·p
    delta: f64,
}

impl Prover<'_> {
    /// Is only a class known, of whose members the divergences are bounded?
    pub(super) fn is_class(&self) -> bool {
        let is = |(step, _): &(Step, u64)| matches!(step, Step::Zcdp { .. } | Step::Rdp { .. });
        self.steps.list.iter().any(is)
    }

    pub(super) fn of_class(&self, accept: Accept<'_>) {
        match self.claim.stated() {
            StatedClaim::ApproxDp { epsilon, delta } => {
                self.delta_of_class(epsilon, delta, accept);
            }
            StatedClaim::Advantage { at_most } => {
                self.delta_of_class(&Epsilon::zero(), at_most, accept);
            }
            StatedClaim::PureDp { epsilon } if !self.verified => {
                self.delta_of_class(epsilon, &Rational::new(), accept);
            }
            StatedClaim::TradeOff { alpha, beta } => {
                let (alpha, beta) = (nearest(alpha), nearest(beta));
                if self.verified {
                    self.line_of_class(alpha, beta, accept);
                } else {
                    self.test_of_class(alpha, beta, accept);
                }
            }
            _ => {}
        }
    }

    fn delta_of_class(&self, epsilon: &Epsilon, bound: &Rational, accept: Accept<'_>) {
        let text = place(epsilon);
        let u = nearest(&epsilon.rational_down()).exp();
        if self.verified {
            let units = units_down(bound);
            self.offer_line(u, &text, &units, accept);
            return;
        }
        let goal = nearest(bound);
        for less in [0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6] {
            let Some(touch) = self.touch(u, 1.0 - less) else {
                return;
            };
            if touch.delta > goal * (1.0 + 1e-9) + 1e-30 {
                let units = units_down(bound) + 1u32;
                if self.offer_member(
                    std::slice::from_ref(&text),
                    &units,
                    (touch.q, touch.p),
                    accept,
                ) {
                    return;
                }
            }
        }
    }

    fn line_of_class(&self, alpha: f64, beta: f64, accept: Accept<'_>) {
        let height = |epsilon: f64| {
            let u = epsilon.exp();
            self.touch(u, 1.0)
                .map_or(-1.0, |touch| 1.0 - touch.delta - u * alpha)
        };
        let epsilon = highest_of(0.0, 60.0, height);
        let text = format!("{epsilon:.9}");
        let u = text.parse().unwrap_or(epsilon).exp();
        let units =
            units_down(&Rational::from_f64(1.0 - beta - u * alpha - 1e-15).unwrap_or_default());
        self.offer_line(u, &text, &units, accept);
    }

    fn offer_line(&self, u: f64, text: &str, units: &Integer, accept: Accept<'_>) {
        for lean in LEANS {
            let Some(line) = self.line_at(u, lean) else {
                return;
            };
            let texts = [text.to_owned()];
            let sources = self.sources(|d| source(d, &texts, units, "lines", json!([[line]])));
            if accept(json!({"kind": "profile", "sources": sources})) {
                return;
            }
        }
    }

    fn test_of_class(&self, alpha: f64, beta: f64, accept: Accept<'_>) {
        for less in [0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6] {
            let p = alpha * (1.0 - 1e-12);
            let Some((order, _)) = self.least(|t| self.power_at(t, p, 1.0 - less)) else {
                return;
            };
            let Some(q) = self.power_at(order, p, 1.0 - less) else {
                return;
            };
            if q > 1.0 - beta {
                let units = units_up((q + 1.0 - beta) / 2.0);
                if self.offer_member(&[], &units, (q, p), accept) {
                    return;
                }
            }
        }
    }

    /// A member with this test, shown to be one with more and more orders.
    fn offer_member(
        &self,
        epsilons: &[String],
        units: &Integer,
        (q, p): (f64, f64),
        accept: Accept<'_>,
    ) -> bool {
        let rho = match self.steps.single() {
            Some(Step::Zcdp { rho }) => nearest(rho),
            _ => f64::INFINITY,
        };
        let last = (q / p).ln() / rho * 1.000_1 + 1e-3;
        for count in [32u32, 128, 512, 2048] {
            let order = |k: u32| {
                let share = f64::from(k) / f64::from(count);
                format!("{:.7}", 1.0 + (last - 1.0) * share.powf(1.5))
            };
            let mut orders: Vec<String> = (1..=count).map(order).collect();
            orders.dedup();
            if last <= 1.0 || rho.is_infinite() {
                orders.clear();
            }
            let mut source = source(
                Direction::Remove,
                epsilons,
                units,
                "pair",
                json!([scientific(q), scientific(p)]),
            );
            if let Some(entries) = source.as_object_mut() {
                entries.insert("orders".to_owned(), json!(orders));
            }
            if accept(json!({"kind": "profile", "sources": [source]})) {
                return true;
            }
            if orders.is_empty() || self.budget.check().is_err() {
                return false;
            }
        }
        false
    }

    fn sources(&self, of: impl Fn(Direction) -> Value) -> Vec<Value> {
        let first = self.directions().into_iter().next().unwrap_or_default();
        first.into_iter().map(of).collect()
    }

    /// (t − 1)·D_t is at most this; `None` where nothing is known.
    fn known(&self, t: f64) -> Option<f64> {
        let one = |(step, times): &(Step, u64)| {
            let linear = |rho: f64| rho * t * (t - 1.0);
            let one = match step {
                Step::Gaussian { mu_squared } => linear(nearest(mu_squared) / 2.0),
                Step::Zcdp { rho } => linear(nearest(rho)),
                Step::Rdp { orders } => {
                    let known = orders.iter().filter(|(order, _)| nearest(order) >= t);
                    let least = known.map(|(_, e)| nearest(e)).fold(f64::INFINITY, f64::min);
                    least.is_finite().then_some(least * (t - 1.0))?
                }
                _ => return None,
            };
            Some(one * *times as f64)
        };
        self.steps.list.iter().map(one).sum()
    }

    /// The largest power of a test of this size, by the order t; `scale` of what is known.
    fn power_at(&self, t: f64, p: f64, scale: f64) -> Option<f64> {
        let most = self.known(t)? * scale;
        let (mut low, mut high) = (p, 1.0 - 1e-16);
        if log_moment(t, high, p) <= most {
            return Some(high);
        }
        for _ in 0..90 {
            let middle = if low < 1e-3 && high / low > 4.0 {
                (low * high).sqrt()
            } else {
                (low + high) / 2.0
            };
            if log_moment(t, middle, p) <= most {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    /// Where q − u·p is largest, by the order t.
    fn touch_at(&self, t: f64, u: f64, scale: f64) -> Option<Touch> {
        let (mut low, mut high) = (-690.0f64, (0.5f64).ln());
        for _ in 0..80 {
            let middle = (low + high) / 2.0;
            let p = middle.exp();
            let q = self.power_at(t, p, scale)?;
            let (of_q, of_p) = log_slopes(t, q, p);
            // The slope of q in p falls; where q is 1 it is 0.
            if q < FULL && of_p - of_q > u.ln() {
                low = middle;
            } else {
                high = middle;
            }
        }
        let p = high.exp();
        let q = self.power_at(t, p, scale)?;
        let delta = q - u * p;
        Some(Touch {
            order: t,
            q,
            p,
            delta,
        })
    }

    /// The order at which something is least: one that is known, or any.
    fn least(&self, value: impl Fn(f64) -> Option<f64>) -> Option<(f64, f64)> {
        let listed: Vec<f64> = self
            .steps
            .list
            .iter()
            .filter_map(|(step, _)| match step {
                Step::Rdp { orders } => Some(orders.iter().map(|(t, _)| nearest(t))),
                _ => None,
            })
            .flatten()
            .collect();
        let at = |t: f64| Some((t, value(t)?));
        if !listed.is_empty() {
            let all = listed.into_iter().filter_map(at);
            return all.min_by(|a, b| a.1.total_cmp(&b.1));
        }
        let log = highest_of(-9.0, 12.0, |x| {
            -value(1.0 + x.exp()).unwrap_or(f64::INFINITY)
        });
        at(1.0 + log.exp())
    }

    fn touch(&self, u: f64, scale: f64) -> Option<Touch> {
        let delta = |t| Some(self.touch_at(t, u, scale)?.delta);
        let (order, _) = self.least(delta)?;
        self.touch_at(order, u, scale)
    }

    /// [order, q, p, weight] of the line that bounds δ(u).
    fn line_at(&self, u: f64, lean: f64) -> Option<Value> {
        let u = u * (1.0 - lean);
        let text = format!("{:.9}", self.touch(u, 1.0)?.order);
        let order = text.parse().ok()?;
        let touch = self.touch_at(order, u, 1.0)?;
        let (q, p): (f64, f64) = (
            scientific(touch.q).parse().ok()?,
            scientific(touch.p).parse().ok()?,
        );
        let (of_q, of_p) = log_slopes(order, q, p);
        // Between 1/F_q and u/|F_p|.
        let log = (u.ln() + lean - of_p - of_q) / 2.0 / std::f64::consts::LN_10;
        let weight = format!(
            "{:.16}e{}",
            10f64.powf(log - log.floor()),
            log.floor() as i64
        );
        Some(json!([text, scientific(q), scientific(p), weight]))
    }
}

fn source(
    direction: Direction,
    epsilons: &[String],
    units: &Integer,
    key: &str,
    value: Value,
) -> Value {
    json!({
        "bounds": [units.to_string()],
        "direction": direction.as_str(),
        "epsilons": epsilons,
        key: value,
    })
}

fn scientific(x: f64) -> String {
    format!("{x:.17e}")
}

/// log(q^t·p^(1−t) + (1 − q)^t·(1 − p)^(1−t))
fn log_moment(t: f64, q: f64, p: f64) -> f64 {
    let one = t * q.ln() + (1.0 - t) * p.ln();
    let other = t * (-q).ln_1p() + (1.0 - t) * (-p).ln_1p();
    let most = one.max(other);
    most + ((one - most).exp() + (other - most).exp()).ln()
}

/// Logarithms of its slope in q and of minus its slope in p, q > p.
fn log_slopes(t: f64, q: f64, p: f64) -> (f64, f64) {
    let ratio = (q / p).ln();
    let other = (-q).ln_1p() - (-p).ln_1p();
    let of_q = t.ln() + (t - 1.0) * ratio + (-((t - 1.0) * (other - ratio)).exp()).ln_1p();
    let of_p = (t - 1.0).ln() + t * ratio + (-(t * (other - ratio)).exp()).ln_1p();
    (of_q, of_p)
}

/// Where a function with one peak is highest.
fn highest_of(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    const SHARE: f64 = 0.618_033_988_749_894_9;
    let (mut a, mut b) = (high - SHARE * (high - low), low + SHARE * (high - low));
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..50 {
        if at_a >= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - SHARE * (high - low);
            at_a = value(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + SHARE * (high - low);
            at_b = value(b);
        }
    }
    (low + high) / 2.0
}
