//! What the moments of the steps prove about two compositions: Theorem 3 of Kaissis et al. 2024 and its two-sided version.

use rug::Rational;
use serde_json::{Map, Value, json};

use super::digits::{JSON_DIGITS, ends, scientific};
use crate::bounds::Enclosure;
use crate::emergence::{ComposedMoments, Emergence, Hypothesis, Proof, SmallestMultiple};
use crate::kernel::Interval;
use crate::number::{decimal_up, float_nearest};

/// Digits of moments, which are context.
const FEW: usize = 6;

/// For people, a line each.
pub(super) fn emergence_lines(emergence: &Emergence, tolerance: Option<&Rational>) -> Vec<String> {
    let mut lines = vec!["by the moments of one step (Kaissis et al. 2024, Theorem 3):".to_owned()];
    let both = match &emergence.moments {
        Ok(both) => both,
        Err(why) => {
            lines.push(format!("  not applicable: {why}"));
            return lines;
        }
    };
    for (name, share) in [("A", &both.0), ("B", &both.1)] {
        lines.push(format!("  {name}  N = {}, {}", share.times, moments(share)));
    }
    if let Some(condition) = &emergence.eta_condition {
        let verdict = match condition.is_met {
            Some(true) => "holds",
            Some(false) => "fails",
            None => "is undecided",
        };
        lines.push(format!(
            "  its hypothesis N_A/N_B ≥ η_B²/η_A², {} ≥ {}, {verdict}",
            decimal_nearest(&condition.ratio),
            near(&condition.needed)
        ));
    }
    if let Some(sum) = &emergence.gamma_sum {
        match &emergence.hypothesis {
            Hypothesis::Met => lines.push(format!(
                "  its bound γ_A + γ_B: Δ(A‖B) ≤ {}",
                up(emergence.paper_bound.as_ref().unwrap_or(sum))
            )),
            Hypothesis::FailsBecause(reasons) => {
                lines.push(format!(
                    "  its bound γ_A + γ_B = {} is not applicable:",
                    up(sum)
                ));
                lines.extend(reasons.iter().map(|reason| format!("    {reason}")));
            }
        }
    }
    lines.push(format!(
        "  two-sided Berry-Esseen bound, no symmetry needed: Δ(A‖B) ≤ {}",
        up(&emergence.two_sided_bound)
    ));
    let tolerance = tolerance.map(|d| scientific(&decimal_up(d, FEW)));
    match (&emergence.smallest, tolerance) {
        (
            Some(SmallestMultiple::Proven {
                times,
                other_times,
                by,
                ..
            }),
            Some(tolerance),
        ) => {
            lines.push(format!(
                "  Δ(A‖B) ≤ {tolerance} is proven from N_A = {times}, N_B = {other_times} on, at this ratio, by {}",
                words(*by)
            ));
        }
        (Some(SmallestMultiple::NotFound(why)), Some(tolerance)) => {
            lines.push(format!(
                "  Δ(A‖B) ≤ {tolerance}: no number of steps found: {why}"
            ));
        }
        _ => {}
    }
    lines
}

/// For machines.
pub(super) fn emergence_json(emergence: &Emergence) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    match &emergence.moments {
        Ok(both) => {
            put("a", moments_json(&both.0));
            put("b", moments_json(&both.1));
        }
        Err(why) => {
            put("not-applicable", json!([why.to_string()]));
        }
    }
    if let Some(condition) = &emergence.eta_condition {
        put(
            "eta-condition",
            json!({
                "ratio": condition.ratio.to_string(),
                "needed": ends_json(&condition.needed),
                "met": condition.is_met,
            }),
        );
    }
    let (met, reasons) = match &emergence.hypothesis {
        Hypothesis::Met => (true, Vec::new()),
        Hypothesis::FailsBecause(reasons) => (false, reasons.clone()),
    };
    put("theorem-3-applies", json!(met));
    put("hypotheses-not-met", json!(reasons));
    let gamma = emergence.gamma_sum.as_ref();
    put("gamma-sum", gamma.map_or(Value::Null, ends_json));
    put("two-sided-bound", ends_json(&emergence.two_sided_bound));
    match &emergence.smallest {
        Some(SmallestMultiple::Proven {
            times,
            other_times,
            by,
            ..
        }) => put(
            "proven-from",
            json!({"steps-a": times.to_string(), "steps-b": other_times.to_string(), "by": words(*by)}),
        ),
        Some(SmallestMultiple::NotFound(why)) => put("proven-from", json!({"not-found": why})),
        None => None,
    };
    Value::Object(object)
}

fn words(proof: Proof) -> &'static str {
    match proof {
        Proof::Paper => "Theorem 3",
        Proof::TwoSided => "the two-sided bound",
    }
}

fn moments(share: &ComposedMoments) -> String {
    let named = named_moments(share).map(|(name, value)| {
        let name = name.replace("eta", "η");
        format!("{name} = {}", near(&value))
    });
    named.join(", ")
}

fn moments_json(share: &ComposedMoments) -> Value {
    let mut object = Map::new();
    object.insert("steps".to_owned(), json!(share.times));
    for (name, value) in named_moments(share) {
        object.insert(name.to_owned(), ends_json(&value));
    }
    object.insert("gamma".to_owned(), ends_json(&share.paper_gamma));
    Value::Object(object)
}

fn named_moments(share: &ComposedMoments) -> [(&'static str, Interval); 5] {
    let step = &share.step;
    [
        ("v1", step.v1()),
        ("v2", step.v2().clone()),
        ("v3", step.v3().clone()),
        ("v4", step.v4().clone()),
        ("eta", step.eta()),
    ]
}

fn ends_json(value: &Interval) -> Value {
    let (lower, upper) = ends(&Enclosure::from_interval(value), JSON_DIGITS);
    json!({"lower": lower, "upper": upper})
}

/// A number that is known to many more digits than are shown.
fn near(value: &Interval) -> String {
    scientific(&float_nearest(&value.middle(), FEW))
}

fn up(value: &Interval) -> String {
    scientific(&crate::number::float_up(value.hi(), FEW))
}

fn decimal_nearest(value: &Rational) -> String {
    float_nearest(&rug::Float::with_val(64, value), FEW)
}
