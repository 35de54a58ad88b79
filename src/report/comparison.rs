//! Two mechanisms side by side, for people and as `dpcmp.comparison/2`.

use rug::{Float, Rational};
use serde_json::{Map, Value, json};

use super::Style;
use super::bound::taken_human;
use super::digits::{Digits, ends, scientific};
use super::emergence::{emergence_json, emergence_lines};
use super::json::{put_ends, seconds};
use super::mechanism::{mechanism_json, mechanism_line};
use crate::analysis::{Crossings, Ending, Method};
use crate::bounds::Enclosure;
use crate::input::MechanismFile;
use crate::kernel::Interval;
use crate::mechanism::Adjacency;
use crate::number::{decimal_down, decimal_up, float_down, float_nearest, float_up};
use crate::study::{Comparison, Moments, Regret, Taken};
use crate::verdict::{Blackwell, Sign};

/// Divergences are what was asked for.
const FULL: Digits = Digits { least: 4, most: 16 };
/// The others are context.
const SHORT: Digits = Digits { least: 4, most: 6 };
/// Digits of a place, which is a place to look and not a bound.
const PLACE_DIGITS: usize = 6;
/// Why something is not known.
fn time_ended(report: &Comparison<'_>) -> &'static str {
    match report.is_stopped {
        true => "the work was stopped",
        false => "the time ended; a larger --max-seconds may help",
    }
}

/// For people, every line ended.
pub fn comparison_human(report: &Comparison<'_>, style: Style) -> String {
    let mut lines = Vec::new();
    for (name, file) in ["A", "B"].into_iter().zip(report.mechanisms) {
        lines.push(format!(
            "{}  {}",
            style.bold(name),
            mechanism_line(&file.mechanism)
        ));
    }
    lines.push(String::new());
    for (name, regret) in [
        ("Δ(A‖B)", &report.a_to_b),
        ("Δ(B‖A)", &report.b_to_a),
        ("Δ↔    ", &report.symmetric),
    ] {
        lines.push(format!(
            "{name}  {}{}",
            value(regret, FULL, report),
            place(regret)
        ));
    }
    lines.push(String::new());
    lines.extend(in_words(report, style));
    lines.extend(where_they_cross(
        "privacy profiles",
        &report.crossings,
        crossing,
    ));
    lines.extend(where_they_cross(
        "trade-off curves",
        &report.curve_crossings,
        curve_crossing,
    ));
    lines.push(String::new());
    for weighted in &report.weighted {
        for (name, regret) in [("Δ(A‖B)", &weighted.a_to_b), ("Δ(B‖A)", &weighted.b_to_a)] {
            lines.push(format!(
                "weighted by {}: {name} {}{}",
                weighted.name,
                value(regret, SHORT, report),
                place(regret)
            ));
        }
    }
    for (name, [privacy, exposure]) in ["A", "B"].into_iter().zip(&report.extremes) {
        lines.push(format!(
            "{name} diverges {} from perfect privacy and {} to blatant non-privacy",
            of(privacy, SHORT),
            of(exposure, SHORT)
        ));
    }
    match &report.moments {
        Moments::NotAsked => {}
        Moments::OutOfTime => {
            lines.push(String::new());
            lines.push(format!(
                "the moments of the steps prove nothing: {}",
                time_ended(report)
            ));
        }
        Moments::Known(emergence) => {
            lines.push(String::new());
            lines.extend(emergence_lines(emergence, report.tolerance.as_ref()));
        }
        Moments::Unknown(why) => {
            lines.push(String::new());
            lines.push(format!("the moments of the steps prove nothing: {why}"));
        }
    }
    lines.push(String::new());
    let prior = prior_words(report.mechanisms.map(|file| file.adjacency));
    lines.push(style.dim(&format!(
        "π is the attacker's prior that {prior}, ε = log(π/(1 − π))"
    )));
    let mut text = lines.join("\n");
    text.push('\n');
    text.push_str(&taken_human(&Taken::of_both(report.mechanisms), style));
    text
}

/// Of what the prior is: the first law of the pair.
fn prior_words(adjacencies: [Adjacency; 2]) -> &'static str {
    let of = |adjacency| match adjacency {
        Adjacency::AddRemove | Adjacency::Remove => "the record is absent",
        Adjacency::Add => "the record is there",
        Adjacency::ReplaceOne => "the one record of the two is there",
        Adjacency::ReplaceSpecial => "the record contributes nothing",
    };
    let [one, other] = adjacencies.map(of);
    match one == other {
        true => one,
        false => "the first hypothesis of each mechanism's pair is true",
    }
}

fn in_words(report: &Comparison<'_>, style: Style) -> Vec<String> {
    let verdict = match report.blackwell {
        Blackwell::Equal if report.mechanisms.iter().any(|file| is_class(file)) => {
            style.green("equal: whatever is proved of one is proved of the other")
        }
        Blackwell::Equal => style
            .green("equal: no attacker learns more of the record from the one than from the other"),
        Blackwell::ADominates => style.green(&dominates(["A", "B"], report.mechanisms[0])),
        Blackwell::BDominates => style.green(&dominates(["B", "A"], report.mechanisms[1])),
        Blackwell::Incomparable => {
            style.yellow("incomparable: each is the more private one for some attackers")
        }
        Blackwell::Undecided => style.yellow(&undecided(report)),
    };
    let mut lines = vec![verdict];
    for regret in [&report.a_to_b, &report.b_to_a] {
        if report.blackwell == Blackwell::Undecided {
            break;
        }
        let shown = *regret.answer.enclosure.lower() > 0;
        match (&regret.answer.method, regret.positive_by) {
            (Method::Theorem(words), _) if regret.is_zero() => {
                lines.push(format!("  because {words}"));
            }
            (_, Some(words)) if !shown && !regret.is_zero() => {
                lines.push(format!("  because {words}"));
            }
            _ => {}
        }
    }
    lines.dedup();
    for (chosen, instead, regret) in [("B", "A", &report.a_to_b), ("A", "B", &report.b_to_a)] {
        if regret.is_zero() {
            continue;
        }
        let most = points(&regret.answer.enclosure);
        let place = regret.place().filter(|_| is_met(regret));
        lines.push(match place {
            Some((prior, _)) => format!(
                "  choosing {chosen} instead of {instead} can lower an attacker's error by up to {most} points, at prior {}",
                near_prior(prior)
            ),
            None => format!(
                "  choosing {chosen} instead of {instead} lowers no attacker's error by more than {most} points"
            ),
        });
    }
    lines
}

/// Is the divergence about as large as the upper end?
fn is_met(regret: &Regret) -> bool {
    let enclosure = &regret.answer.enclosure;
    let ends = [enclosure.lower(), enclosure.upper()].map(Float::to_rational);
    matches!(&ends, [Some(low), Some(high)] if *low > Rational::from(high * &Rational::from((99, 100))))
}

/// What it says that one dominates the other.
fn dominates([one, other]: [&str; 2], first: &MechanismFile) -> String {
    let than = match is_class(first) {
        true => format!(" as the least private mechanism that {one} allows"),
        false => String::new(),
    };
    format!("{one} dominates {other}: {other} is at least as private everywhere{than}")
}

/// Of a class of mechanisms the least private ones are compared: two others may well be told apart.
fn is_class(file: &MechanismFile) -> bool {
    file.mechanism.steps().conditions().guarantee
}

fn undecided(report: &Comparison<'_>) -> String {
    let open = |name: &str, other: &str, regret: &Regret| {
        let most = regret.answer.enclosure.upper();
        (regret.sign() == Sign::Unknown).then(|| {
            format!(
                "{other} is at least as private as {name} up to {}",
                scientific(&float_up(most, 3))
            )
        })
    };
    let parts: Vec<String> = [
        open("A", "B", &report.a_to_b),
        open("B", "A", &report.b_to_a),
    ]
    .into_iter()
    .flatten()
    .collect();
    format!("undecided: {}", parts.join("; "))
}

fn value(regret: &Regret, digits: Digits, report: &Comparison<'_>) -> String {
    let ending = match regret.answer.ending {
        Ending::Reached => "",
        Ending::OutOfTime if report.is_stopped => "   (stopped)",
        Ending::OutOfTime => "   (out of time, a larger --max-seconds may narrow it)",
        Ending::Exhausted => "   (dpcmp cannot narrow it further)",
        Ending::DoesNotFollow => "   (bounds from above and from below, which do not meet)",
    };
    let text = of(&regret.answer.enclosure, digits);
    let sign = if text.starts_with('[') { "in" } else { "=" };
    format!("{sign} {text}{ending}")
}

fn of(enclosure: &Enclosure, digits: Digits) -> String {
    if let Some(value) = enclosure.exact() {
        let exact = super::digits::exact(value);
        if exact.len() <= 40 {
            return exact;
        }
    }
    let (lower, upper) = ends(enclosure, digits);
    if lower == upper {
        scientific(&lower)
    } else {
        format!("[{}, {}]", scientific(&lower), scientific(&upper))
    }
}

fn place(regret: &Regret) -> String {
    regret.place().map_or_else(String::new, |(prior, epsilon)| {
        format!(
            "   at prior π = {} (ε = {})",
            near_prior(prior),
            near(epsilon)
        )
    })
}

/// Where a prior next to 1 would read 1, how far below it is.
fn near_prior(prior: &Float) -> String {
    match near(prior) {
        one if one == "1" && *prior < 1 => {
            format!("1 − {}", near(&Float::with_val(prior.prec(), 1u32 - prior)))
        }
        other => other,
    }
}

fn near(number: &Float) -> String {
    scientific(&float_nearest(number, PLACE_DIGITS))
}

/// The line about the places found, if there are any: whether these are all is said.
fn where_they_cross<T>(
    name: &str,
    found: &Crossings<T>,
    print: impl Fn(&T) -> String,
) -> Option<String> {
    if found.places.is_empty() {
        return None;
    }
    let at: Vec<String> = found.places.iter().map(print).collect();
    let others = if found.complete {
        ""
    } else {
        ", and perhaps elsewhere"
    };
    Some(format!("  the {name} cross at {}{others}", at.join(", ")))
}

/// A crossing is known to lie in an interval, which is narrow as a rule.
fn crossing(epsilon: &Interval) -> String {
    let (low, high) = (
        float_down(epsilon.lo(), PLACE_DIGITS),
        float_up(epsilon.hi(), PLACE_DIGITS),
    );
    if near(epsilon.lo()) == near(epsilon.hi()) {
        format!("ε = {}", near(epsilon.lo()))
    } else {
        format!("ε in [{low}, {high}]")
    }
}

fn curve_crossing((low, high): &(Rational, Rational)) -> String {
    // So close to 1, what is left to 1 says more.
    if *low > Rational::from((999, 1000)) {
        let rest = |alpha: &Rational| Rational::from(1 - alpha);
        let text = curve_crossing(&(rest(high), rest(low)));
        return format!("1 − {text}");
    }
    let (low, high) = (
        decimal_down(low, PLACE_DIGITS),
        decimal_up(high, PLACE_DIGITS),
    );
    if low == high {
        format!("α = {low}")
    } else {
        format!("α in [{}, {}]", scientific(&low), scientific(&high))
    }
}

/// A difference of error rates in percentage points, rounded up; 50 where no less is known, as both rates are at most ½.
fn points(enclosure: &Enclosure) -> String {
    let half = Rational::from((1, 2));
    let upper = match enclosure.upper().to_rational() {
        Some(upper) => upper.min(half),
        None => half,
    };
    let text = decimal_up(&(upper * 100u32), 3);
    scientific(&text)
}

/// For machines, without a line break.
pub fn comparison_json(report: &Comparison<'_>) -> String {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("schema", json!("dpcmp.comparison/2"));
    put("version", json!(env!("CARGO_PKG_VERSION")));
    for (key, file) in ["a", "b"].into_iter().zip(report.mechanisms) {
        put(key, mechanism_json(&file.mechanism, file.adjacency));
    }
    put("delta-a-b", regret_json(&report.a_to_b));
    put("delta-b-a", regret_json(&report.b_to_a));
    put("symmetric", regret_json(&report.symmetric));
    put("blackwell", json!(report.blackwell.as_str()));
    let weighted = report.weighted.iter().map(|weighted| {
        json!({
            "prior": weighted.name,
            "delta-a-b": regret_json(&weighted.a_to_b),
            "delta-b-a": regret_json(&weighted.b_to_a),
        })
    });
    put("weighted", Value::Array(weighted.collect()));
    let crossings = report.crossings.places.iter().map(|epsilon| {
        json!({
            "lower": float_down(epsilon.lo(), FULL.most),
            "upper": float_up(epsilon.hi(), FULL.most),
        })
    });
    put("crossing-epsilons", Value::Array(crossings.collect()));
    put(
        "crossing-epsilons-complete",
        json!(report.crossings.complete),
    );
    let curve_crossings = report.curve_crossings.places.iter().map(|(low, high)| {
        json!({
            "lower": decimal_down(low, FULL.most),
            "upper": decimal_up(high, FULL.most),
        })
    });
    put("crossing-alphas", Value::Array(curve_crossings.collect()));
    put(
        "crossing-alphas-complete",
        json!(report.curve_crossings.complete),
    );
    let extremes = ["a", "b"].into_iter().zip(&report.extremes);
    let extremes = extremes.map(|(name, [privacy, exposure])| {
        let both = json!({
            "from-perfect-privacy": ends_json(privacy),
            "to-blatant-non-privacy": ends_json(exposure),
        });
        (name.to_owned(), both)
    });
    put("extremes", Value::Object(extremes.collect()));
    let moments = match &report.moments {
        Moments::NotAsked => None,
        Moments::Known(emergence) => Some(emergence_json(emergence)),
        Moments::Unknown(why) => Some(json!({"not-applicable": [why]})),
        Moments::OutOfTime => Some(json!({"not-applicable": [time_ended(report)]})),
    };
    if let Some(moments) = moments {
        put("emergence", moments);
    }
    let taken = Taken::of_both(report.mechanisms);
    put("conditions", json!(taken.conditions));
    if !taken.computed.is_empty() {
        put("computed", json!(taken.computed));
    }
    put("seconds", seconds(report.time));
    Value::Object(object).to_string()
}

/// Both ends, with the prior and the ε where the divergence is attained; at prior 0 no mechanism leaves any error.
fn regret_json(regret: &Regret) -> Value {
    let mut object = Map::new();
    put_ends(&mut object, &regret.answer.enclosure);
    if let Some(value) = regret.answer.enclosure.exact() {
        object.insert("exact".to_owned(), json!(super::digits::exact(value)));
    }
    let (prior, epsilon) = match regret.place() {
        Some((prior, epsilon)) => (
            json!(float_nearest(prior, FULL.most)),
            json!(float_nearest(epsilon, FULL.most)),
        ),
        None if regret.is_zero() => (json!("0"), json!("-inf")),
        None => (Value::Null, Value::Null),
    };
    object.insert("prior".to_owned(), prior);
    object.insert("epsilon".to_owned(), epsilon);
    Value::Object(object)
}

fn ends_json(enclosure: &Enclosure) -> Value {
    let mut object = Map::new();
    put_ends(&mut object, enclosure);
    Value::Object(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::directed as d;

    #[test]
    fn points_are_never_rounded_down() {
        let between = |low: f64, high: Float| {
            let found = Enclosure::new(Float::with_val(64, low), high).unwrap();
            points(&found)
        };
        assert_eq!(between(0.03, Float::with_val(64, 0.034_138_6)), "3.42");
        assert_eq!(between(0.0, Float::with_val(64, 1.25e-7)), "1.25e-5");
        // No two mechanisms differ by more than 50 points, whatever is known of them.
        assert_eq!(between(0.0, Float::with_val(64, 0.7)), "50");
        assert_eq!(between(0.0, d::infinity(64)), "50");
    }
}
