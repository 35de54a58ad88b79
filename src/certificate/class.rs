//! Proofs about mechanisms of which Rényi guarantees are known: what these say of every test, or a test of one that has them.

use rug::{Float, Integer, Rational};
use serde_json::{Value, json};

use super::closed::number;
use super::moments::orders_below;
use super::profile::{units_down, units_up};
use super::prove::{Accept, Prover, noting};
use super::text::place;
use super::touch::{FULL, Tables, Touch, UNSEEN, log_moment, log_slopes};
use crate::float::elementary::{exp, ln, pow};
use crate::float::nearest;
use crate::mechanism::{Direction, Epsilon, Step};
use crate::statement::StatedClaim;

/// A bound is looked for with slopes that are off by so much, so that rounding does not turn their signs: δ grows by as much, times the order.
pub(super) const LEANS: [f64; 2] = [1e-8, 1e-12];

impl Prover<'_> {
    /// Is only a class known, of whose members the divergences are bounded?
    pub(super) fn is_class(&self) -> bool {
        self.steps.has_class()
    }

    /// Is D_t ≤ ρ·t of all steps, not all of them Gaussian?
    pub(super) fn has_slope(&self) -> bool {
        let mut list = self.steps.list.iter();
        list.any(|(step, _)| !matches!(step, Step::Gaussian { .. }))
            && self.listed().is_empty()
            && self.known(2.0).is_some()
    }

    /// What is said from below is said of one class: what runs beside it reveals no less with it.
    pub(super) fn of_class(&self, accept: Accept<'_>) {
        let is_below = self.verified == matches!(self.claim.stated(), StatedClaim::Regret { .. });
        let alone = match is_below {
            true => self.steps.classes(),
            false => Vec::new(),
        };
        if alone.is_empty() {
            self.of_whole_class(accept);
        }
        for steps in &alone {
            let tables = &Tables::of(steps);
            let (is_accepted, ()) = noting(accept, |accept| {
                let one = Prover {
                    steps,
                    tables,
                    ..*self
                };
                one.of_whole_class(accept);
            });
            if is_accepted {
                return;
            }
        }
    }

    fn of_whole_class(&self, accept: Accept<'_>) {
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
            StatedClaim::Gdp { mu, form } => self.gaussian_of_class(mu, form, accept),
            StatedClaim::DominatedBy { .. } | StatedClaim::Regret { .. } if self.verified => {
                for directions in self.directions() {
                    self.compared_by_class(1.0, &directions, accept);
                }
            }
            StatedClaim::DominatedBy { other, at_most } if !self.verified => {
                self.class_not_dominated(other, at_most, accept);
            }
            StatedClaim::Regret { mu, at_most } if !self.verified => {
                self.class_beyond_regret(mu, at_most, accept);
            }
            _ => {}
        }
    }

    fn delta_of_class(&self, epsilon: &Epsilon, bound: &Rational, accept: Accept<'_>) {
        let text = place(epsilon);
        let u = exp(nearest(&epsilon.rational_down()));
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
        let Some((even, _)) = self.even(1.0) else {
            return;
        };
        // The curve is its own inverse.
        let slope = |size: f64| {
            let (order, q) = self.power(size, 1.0)?;
            let (of_q, of_p) = log_slopes(order, q, size);
            Some(if q < FULL { of_p - of_q } else { 0.0 })
        };
        let epsilon = if alpha <= even {
            slope(alpha)
        } else {
            self.size(1.0 - alpha, even, 1.0)
                .and_then(slope)
                .map(|x| -x)
        };
        let text = format!("{:.9}", epsilon.unwrap_or(0.0));
        let u = exp(text.parse().unwrap_or(0f64));
        let units =
            units_down(&Rational::from_f64(1.0 - beta - u * alpha - 1e-15).unwrap_or_default());
        self.offer_line(u, &text, &units, accept);
    }

    fn offer_line(&self, u: f64, text: &str, units: &Integer, accept: Accept<'_>) {
        for lean in LEANS {
            for lines in self.lines_at(u, lean) {
                let texts = [text.to_owned()];
                let sources = self.sources(|d| source(d, &texts, units, "lines", json!([lines])));
                if accept(json!({"kind": "profile", "sources": sources})) {
                    return;
                }
            }
        }
    }

    fn test_of_class(&self, alpha: f64, beta: f64, accept: Accept<'_>) {
        for less in [0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6] {
            let scale = 1.0 - less;
            let Some((even, _)) = self.even(scale) else {
                return;
            };
            // Beyond the middle the test is read in the other order of the pair.
            let is_turned = alpha > even;
            let size = if is_turned {
                self.size((1.0 - alpha) * (1.0 + 1e-12), even, scale)
            } else {
                Some(alpha * (1.0 - 1e-12))
            };
            let Some(p) = size else { return };
            let Some((_, q)) = self.power(p, scale) else {
                return;
            };
            let power = if is_turned { 1.0 - p } else { q };
            if power > 1.0 - beta {
                let units = units_up((power + 1.0 - beta) / 2.0);
                if self.offer_member(&[], &units, (q, p), accept) {
                    return;
                }
            }
        }
    }

    /// A member with this test.
    pub(super) fn offer_member(
        &self,
        epsilons: &[String],
        units: &Integer,
        test: (f64, f64),
        accept: Accept<'_>,
    ) -> bool {
        let direction = *self.steps.directions.first().unwrap_or(&Direction::Remove);
        let source = self.member_source(direction, epsilons, units, test);
        source.is_some_and(|source| accept(json!({"kind": "profile", "sources": [source]})))
    }

    pub(super) fn member_source(
        &self,
        direction: Direction,
        epsilons: &[String],
        units: &Integer,
        (q, p): (f64, f64),
    ) -> Option<Value> {
        let rho = match self.steps.single() {
            Some(Step::Zcdp { rho }) => Some(rho),
            _ => None,
        };
        // Just within the middle.
        let beyond = rho.map_or(0.0, |_| (q + p - 1.0 + 1e-15).max(0.0) / 2.0);
        if beyond > 1e-9 {
            return None;
        }
        let (q, p) = (scientific(q - beyond), scientific(p - beyond));
        let orders = rho.map(|rho| self.orders_of_member(rho, &q, &p));
        let orders = orders.unwrap_or_else(|| Some(Vec::new()))?;
        let pair = json!([q, p]);
        let mut source = source(direction, epsilons, units, "pair", pair);
        if let Some(entries) = source.as_object_mut() {
            entries.insert("orders".to_owned(), json!(orders));
        }
        Some(source)
    }

    /// Orders that show a test to be one of a member.
    fn orders_of_member(&self, rho: &Rational, q: &str, p: &str) -> Option<Vec<String>> {
        let of = |text: &str| Some(number(Float::parse(text).ok()?));
        let (q, p) = (of(q)?, of(p)?);
        let rest = |x: &Float| number(number(1) - x);
        let logs = [
            (number(&q / &p).ln(), q.clone()),
            (number(rest(&q) / rest(&p)).ln(), rest(&q)),
        ];
        // q^t·p^(1 − t) = q·(q/p)^(t − 1)
        let psi = |less: &Rational| {
            let one = |(log, q): &(Float, Float)| number(number(log * less).exp() * q);
            Some(vec![
                number(logs.iter().map(one).fold(number(0), |sum, x| sum + x)).ln(),
            ])
        };
        let largest = logs.first()?.0.to_f64();
        let rho = number(rho);
        let end = number(number(largest * (1.0 + 1e-12)) / &rho);
        orders_below(&rho, &end, 1, &psi, self.budget)
    }

    /// The orders of the pair in which bounds of all that is stated are needed.
    pub(super) fn first_directions(&self) -> Vec<Direction> {
        // A regret is refuted by them.
        if !self.verified && !self.steps.is_symmetric() {
            return self.steps.directions.clone();
        }
        self.directions().into_iter().next().unwrap_or_default()
    }

    pub(super) fn sources(&self, of: impl Fn(Direction) -> Value) -> Vec<Value> {
        self.first_directions().into_iter().map(of).collect()
    }

    /// Lines [order, q, p, weight] that bound δ(u), several tries. A negative order s is the order 1 − s of the other order of the pair.
    pub(super) fn lines_at(&self, u: f64, lean: f64) -> Vec<Value> {
        let is_turned = u < 1.0;
        let lean = if is_turned { -lean } else { lean };
        self.lines_where_steep(u.max(1.0 / u), lean, is_turned)
            .unwrap_or_default()
    }

    fn lines_where_steep(&self, u: f64, lean: f64, is_turned: bool) -> Option<Vec<Value>> {
        let steep = (u * (1.0 - lean)).max(1.0);
        let touch = self.touch(steep, 1.0)?;
        let is_even = (touch.q + touch.p - 1.0).abs() < 1e-9;
        let text = |order: f64| format!("{order:.9}");
        // Down: above an order that is known the next one counts.
        let exact = |order: f64| text((order * 1e9 + 1e-3).floor() / 1e9).parse().ok();
        let order: f64 = exact(touch.order)?;
        let single = self.touch_at(order, steep, 1.0)?;
        let touch = if is_even || single.delta > UNSEEN && self.has_more(&single, 1.0) {
            Touch { order, ..touch }
        } else {
            single
        };
        let (q, p): (f64, f64) = (
            scientific(touch.q).parse().ok()?,
            scientific(touch.p).parse().ok()?,
        );
        // Slopes by the orders that bind, of which those of the other order of the pair are exchanged.
        let slopes = |order: f64, is_other: bool| {
            let (of_q, of_p) = log_slopes(order, q, p);
            (
                if is_other { 1.0 - order } else { order },
                if is_other { (of_p, of_q) } else { (of_q, of_p) },
            )
        };
        let mut binding = vec![slopes(order, false)];
        if is_even {
            binding.push(slopes(order, true));
        }
        let others = self.listed().into_iter().filter_map(exact);
        let others = others.filter(|t| *t != order);
        let gap = |t: &f64| Some(self.known(*t)? - log_moment(*t, q, p));
        let next = others.filter(|t| gap(t).is_some_and(|gap| gap < 1e-6));
        binding.extend(next.map(|t| slopes(t, false)));
        let line = |(order, _): &(f64, (f64, f64)), log_weight: f64| {
            let log = log_weight / std::f64::consts::LN_10;
            let weight = format!(
                "{:.16}e{}",
                pow(10f64, log - log.floor()),
                log.floor() as i64
            );
            if is_turned {
                let (q, p) = (rest(p), rest(q));
                json!([text(1.0 - order), q, p, weight])
            } else {
                json!([text(*order), scientific(q), scientific(p), weight])
            }
        };
        // Of a turned line the slope in q is that in p here, and the whole is u times as large.
        let scale = if is_turned { -ln(u) } else { 0.0 };
        let mut all = Vec::new();
        for (place, first) in binding.iter().enumerate() {
            for second in binding.iter().skip(place + 1) {
                if let Some((a, b)) = weights(first.1, second.1, u, lean) {
                    all.push(json!([line(first, a + scale), line(second, b + scale)]));
                }
            }
        }
        for one in &binding {
            let (of_q, of_p) = one.1;
            // Between 1/F_q and u/|F_p|.
            let log = (ln(u) - of_p - of_q) / 2.0;
            all.push(json!([line(one, log + scale)]));
        }
        Some(all)
    }
}

/// Logarithms of the weights of two lines whose slopes add up to 1 in q and −u in p; `None` where one is negative.
fn weights(first: (f64, f64), second: (f64, f64), u: f64, lean: f64) -> Option<(f64, f64)> {
    let [(a, b), (c, d)] = [first, second].map(|(of_q, of_p)| (exp(of_q), exp(of_p)));
    let determinant = a * d - c * b;
    let goal = (1.0 + lean * 1e-4, u * (1.0 - lean * 1e-4));
    let one = (goal.0 * d - c * goal.1) / determinant;
    let other = (a * goal.1 - b * goal.0) / determinant;
    (one > 0.0 && other > 0.0 && one.is_finite() && other.is_finite()).then(|| (ln(one), ln(other)))
}

pub(super) fn source(
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

/// 1 − x in decimals, all of them, of which an f64 has few where x is small.
fn rest(x: f64) -> String {
    let text = scientific(x);
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    // 17 stand behind the point.
    let places = exponent.parse().map_or(0, |e: i32| (17 - e).max(0)) as usize;
    let digits: Integer = digits.replace('.', "").parse().unwrap_or_default();
    let one = Integer::from(Integer::u_pow_u(10, places as u32));
    format!("0.{:0>places$}", (one - digits).to_string())
}

fn scientific(x: f64) -> String {
    format!("{x:.17e}")
}
