//! Bounds of δ for one order of a pair: from an integer law, a closed form, or Rényi guarantees.

use crate::law::Plan;
use crate::numbers::number;
use crate::profile::{Pair, Place, Sample};
use crate::proof::integer;
use crate::renyi::{Line, delta_at_most, is_member, skipped_part};
use crate::theorem::largest_loss;
use crate::*;

/// Bounds of δ at some ε for one order of the pair.
pub struct Source {
    pub direction: Direction,
    pub epsilons: Vec<Epsilon>,
    /// In units of 2^-288.
    pub bounds: Vec<BigInt>,
    pub quantiles: Vec<BigRational>,
    pub law: Option<LawPlan>,
    /// For each ε, what Rényi guarantees say (R5).
    lines: Vec<Vec<Line>>,
    /// A test of a member of a Rényi class: (q, p), and orders that show it to be one (R6).
    pair: Option<(BigRational, BigRational)>,
    orders: Vec<BigRational>,
}

pub struct LawPlan {
    pub step: BigRational,
    light: u128,
    pub parts: Vec<Plan>,
}

impl Source {
    pub fn read(value: &Value) -> Result<Self> {
        let keys = ["bounds", "direction", "epsilons", "law", "lines", "orders", "pair", "quantiles"];
        value.only("a source", &keys)?;
        let bounds = numbers(value.need("bounds")?)?;
        let line = |value: &Value| -> Result<Line> {
            let line = numbers(value)?.try_into();
            let [order, q, p, weight] = line.map_err(|_| Rejected::malformed("a line is not [order, q, p, weight]"))?;
            Ok(Line { order, q, p, weight })
        };
        let lines_at = |value: &Value| value.list("lines")?.iter().map(line).collect::<Result<Vec<_>>>();
        let lines = |value: &Value| value.list("`lines`")?.iter().map(lines_at).collect::<Result<Vec<_>>>();
        let pair = |value: &Value| match numbers(value)?.as_slice() {
            [q, p] => Ok((q.clone(), p.clone())),
            _ => Err(Rejected::malformed("`pair` is not two numbers")),
        };
        // They are written in units of 2^-120.
        let range = BigInt::zero()..=BigInt::one() << w();
        let finer = BigRational::from(BigInt::one() << (w() - law::bits()));
        let bounds: Vec<BigRational> = bounds.into_iter().map(|bound| bound * &finer).collect();
        if let Some(bad) = bounds.iter().find(|b| !b.is_integer() || !range.contains(b.numer())) {
            return Err(Rejected::malformed(format!("a bound is no whole number of 2^-288 from 0 to 1: {bad}")));
        }
        let direction = Direction::of_word(value.need("direction")?.text("`direction`")?);
        Ok(Self {
            direction: Reason::Malformed.unless(direction, "an unknown direction")?,
            epsilons: each(value.need("epsilons")?, Epsilon::read)?,
            bounds: bounds.iter().map(BigRational::to_integer).collect(),
            quantiles: value.get("quantiles").map_or(Ok(Vec::new()), numbers)?,
            law: value.get("law").map(LawPlan::read).transpose()?,
            lines: value.get("lines").map_or(Ok(Vec::new()), lines)?,
            pair: value.get("pair").map(pair).transpose()?,
            orders: value.get("orders").map_or(Ok(Vec::new()), numbers)?,
        })
    }
}

impl LawPlan {
    fn read(value: &Value) -> Result<Self> {
        value.only("`law`", &["light", "parts", "step"])?;
        let step = number(value.need("step")?.text("`step`")?)?;
        let light = u32::try_from(integer(value.need("light")?)?).ok().filter(|bits| *bits < law::bits());
        let light = light.ok_or_else(|| Rejected::malformed("`light` is not from 0 to 119"))?;
        let is_wrong = !step.is_positive() || step > int(64) || step.denom().bits() > 256;
        Reason::Limit.when(is_wrong, "a step that is not between 0 and 64, or has a long denominator")?;
        let small = |value: &Value| u32::try_from(integer(value)?).map_err(|_| Rejected::malformed("a negative count"));
        let part = |value: &Value| -> Result<Plan> {
            value.only("a part", &["coarsen", "first", "last", "level"])?;
            let at = |key: &str| integer(value.need(key)?);
            let coarsen = value.need("coarsen")?.list("`coarsen`")?.iter().map(small).collect::<Result<Vec<_>>>()?;
            Reason::Limit.when(coarsen.iter().any(|times| *times > 60), "a law is coarsened more than 60 times")?;
            Ok(Plan { level: small(value.need("level")?)?, first: at("first")?, last: at("last")?, coarsen })
        };
        let parts = value.need("parts")?.list("`parts`")?.iter().map(part).collect::<Result<Vec<_>>>()?;
        Ok(Self { step, light: 1 << light, parts })
    }

    /// The law of the whole composition.
    fn law(&self, mechanism: &Mechanism, direction: Direction, side: Side) -> Result<Law> {
        skipped_part(self.parts.len() != mechanism.steps.len())?;
        let mut whole: Option<Law> = None;
        for ((step, times), plan) in mechanism.steps.iter().zip(&self.parts) {
            let once = Law::of_step(step, direction, side, plan, &self.step)?;
            let law = once.power(*times, plan, self.light)?;
            let Plan { level, first, last, coarsen } = plan;
            explain(format!(
                "{side:?} law (S1-S4), order {direction}, of {times} x {step}: one of them on the points {first} to {last} \
                 of the lattice of step {}*2^{level}, squared {} times, {} atoms in the end.",
                self.step,
                coarsen.len(),
                law.atoms()
            ));
            whole = Some(match whole {
                None => law,
                Some(others) => others.joined(law, self.light)?,
            });
        }
        whole.ok_or_else(|| Rejected::malformed("a mechanism without steps"))
    }
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Result<Vec<BigRational>> {
    each(value, number)
}

/// A list of texts that are numbers, or logarithms of them.
fn each<T>(value: &Value, read: fn(&str) -> Result<T>) -> Result<Vec<T>> {
    let items = value.list("a list of numbers")?;
    Reason::Limit.when(items.len() > 4096, "a list of more than 4096 numbers")?;
    items.iter().map(|x| read(x.text("a number")?)).collect()
}

/// What the bounds of a source are computed from.
pub enum Basis<'a> {
    Law(Law),
    Closed(Pair),
    /// Lines for each ε.
    Guarantee(&'a Mechanism, &'a [Vec<Line>]),
    /// A test (q, p).
    Test(Real, Real),
}

impl Source {
    pub fn basis<'a>(&'a self, mechanism: &'a Mechanism, side: Side) -> Result<Basis<'a>> {
        let given = [self.law.is_some(), !self.lines.is_empty(), self.pair.is_some()];
        let is_one = given.iter().filter(|is| **is).count() <= 1;
        Reason::Malformed.when(!is_one, "`law`, `lines` and `pair` stand together")?;
        if let Some(plan) = &self.law {
            return Ok(Basis::Law(plan.law(mechanism, self.direction, side)?));
        }
        if let Some((q, p)) = self.pair.as_ref().filter(|_| side == Side::Lower) {
            let (of, test) = match mechanism.steps.as_slice() {
                [(Step::Sampled { rate, of }, 1)] => {
                    (of, Sample::new(rate, self.direction).masses(&Real::of(q), &Real::of(p)))
                }
                _ => (&mechanism.steps, (Real::of(q), Real::of(p))),
            };
            is_member(of, q, p, &self.orders)?;
            explain(format!("A pair with a test of power {q} and size {p} has the guarantees."));
            return Ok(Basis::Test(test.0, test.1));
        }
        if !self.lines.is_empty() && side == Side::Upper {
            Reason::Malformed.when(self.lines.len() != self.epsilons.len(), "there are not lines for each epsilon")?;
            explain("What is known of Renyi divergences bounds every test.");
            return Ok(Basis::Guarantee(mechanism, &self.lines));
        }
        Pair::of_parts(&mechanism.steps, self.direction).map(Basis::Closed)
    }

    /// Is it about a test of a member of a class?
    pub fn is_of_member(&self) -> bool {
        self.pair.is_some()
    }

    /// Its only point.
    pub fn point(&self) -> Result<(&Epsilon, BigRational)> {
        match (self.epsilons.as_slice(), self.bounds.as_slice()) {
            ([epsilon], [bound]) => Ok((epsilon, units(bound.clone(), w()))),
            _ => Reason::Points.no("this claim is decided at one epsilon"),
        }
    }

    /// Recomputes every bound: from the law, from the closed form, from Rényi guarantees. Above the largest loss δ is 0.
    pub fn bounds_hold(&self, mechanism: &Mechanism, side: Side) -> Result<()> {
        let is_short = self.epsilons.len() != self.bounds.len() || self.epsilons.is_empty();
        Reason::Malformed.when(is_short, "there is not one bound for each epsilon")?;
        let upper = side == Side::Upper;
        let largest =
            |direction| if upper { largest_loss(&mechanism.steps, direction) } else { Ok(Largest::infinite(&[])) };
        let (largest, of_other) = (largest(self.direction)?, largest(self.direction.turned(true))?);
        // No loss is above ε, or none below it, so that q ≥ u·p everywhere.
        let known = |epsilon: &Epsilon| -> Result<Option<Real>> {
            Ok(match (largest.is_at_most(epsilon)?, of_other.is_at_most(&epsilon.negated())?) {
                (true, _) => Some(Real::int(0)),
                (false, true) => Some(Real::int(1).minus(&epsilon.exp()?)),
                (false, false) => None,
            })
        };
        let known = self.epsilons.iter().map(known).collect::<Result<Vec<_>>>()?;
        // Nothing else is needed where that is known of all.
        let basis = known.contains(&None).then(|| self.basis(mechanism, side)).transpose()?;
        for (index, ((epsilon, bound), known)) in self.epsilons.iter().zip(&self.bounds).zip(known).enumerate() {
            let rounded = |delta: Real| {
                let delta = delta.at_least_zero();
                if upper { delta.hi } else { delta.lo }
            };
            let computed = match (&basis, known) {
                (_, Some(delta)) => rounded(delta),
                (None, None) => return Err(Rejected::unproved("a bound of nothing")),
                (Some(Basis::Law(law)), None) => law.delta(epsilon)? << (w() - law::bits()),
                (Some(Basis::Closed(pair)), None) => rounded(pair.at(&Place::of(epsilon)?)?.delta),
                (Some(Basis::Guarantee(mechanism, lines)), None) => {
                    let lines = lines.get(index).map_or(&[][..], Vec::as_slice);
                    rounded(delta_at_most(&mechanism.steps, self.direction, &epsilon.exp()?, lines)?)
                }
                (Some(Basis::Test(q, p)), None) => rounded(q.minus(&epsilon.exp()?.times(p))),
            };
            // No profile is above 1.
            let computed = if upper { computed.min(BigInt::one() << w()) } else { computed };
            let (holds, sign) = if upper { (computed <= *bound, "<=") } else { (computed >= *bound, ">=") };
            let (order, [proved, stated]) = (self.direction, both_shown(&computed, bound));
            let what = format!("delta({epsilon}) {sign} {computed}/2^288 ({proved}) is proved, not {sign} {stated}");
            Reason::Bound.when(!holds, &what)?;
            explain(format!("Order {order}: delta({epsilon}) {sign} {proved} {sign} {stated}."));
        }
        Ok(())
    }
}

/// n/2^bits.
pub fn units(n: BigInt, bits: u32) -> BigRational {
    BigRational::new(n, BigInt::one() << bits)
}

/// A bound that is proved and the stated one that it meets, each cut off after the digits that tell them apart.
pub fn both_shown(proved: &BigInt, stated: &BigInt) -> [String; 2] {
    let [one, other] = [proved, stated].map(|n| ((n * num_traits::pow(BigInt::from(10), 90)) >> w()).to_string());
    let most = 3 + one.bytes().zip(other.bytes()).position(|(a, b)| a != b).unwrap_or(3);
    [one, other].map(|digits| {
        let (first, rest) = (digits.get(..1).unwrap_or(""), digits.get(1..most.min(digits.len())).unwrap_or(""));
        if digits == "0" { digits } else { format!("{first}.{rest}…e-{}", 91usize.saturating_sub(digits.len())) }
    })
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
