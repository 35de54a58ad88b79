//! One page about a mechanism: `dpcmp report` for people, and as `dpcmp.report/1`.

use std::time::Duration;

use rug::Rational;
use serde_json::{Map, Value, json};

use super::Style;
use super::digits::{Digits, ends, exact, scientific};
use super::json::{put_ends, seconds};
use super::mechanism::{mechanism_json, mechanism_line};
use super::table::lines;
use crate::analysis::{Answer, Ending, Method};
use crate::bounds::{Enclosure, GdpForm};
use crate::input::MechanismFile;
use crate::number::decimal_up;
use crate::summary::{Advice, Kind, RenyiCurve, Representation, Stated, advise};

/// Parameters are shown with as many digits as are stated.
const PARAMETER: Digits = Digits { least: 4, most: 8 };
/// Regrets and risks.
const SHORT: Digits = Digits { least: 3, most: 5 };

/// What is known of one mechanism.
pub struct PrivacyReport<'a> {
    /// The mechanism.
    pub mechanism: &'a MechanismFile,
    /// Its representations.
    pub representations: Vec<Representation>,
    /// Its Rényi curve.
    pub curve: RenyiCurve,
    /// Regrets where Rényi guarantees are converted order by order.
    pub converted: Converted,
    /// δ(0), the advantage of the best attack.
    pub advantage: Answer,
    /// False-positive rates and the trade-off function there.
    pub risks: Vec<(Rational, Answer)>,
    /// What the numbers take for granted.
    pub conditions: Vec<String>,
    /// Time taken.
    pub time: Duration,
}

/// Regrets of Rényi guarantees that are converted to (ε, δ) order by order (Gomez et al. 2025, Appendix C.2), which loses
/// something.
pub struct Converted {
    /// Of the ρ-zCDP stated.
    pub zcdp: Option<Enclosure>,
    /// Of the Rényi curve.
    pub curve: Option<Enclosure>,
}

/// For people.
pub fn report_human(report: &PrivacyReport<'_>, style: Style) -> String {
    let mut lines = vec![
        style.bold(&mechanism_line(&report.mechanism.mechanism)),
        String::new(),
    ];
    lines.extend(advice_lines(report, style));
    lines.push(String::new());
    lines.extend(table(report));
    lines.push(String::new());
    lines.extend(risk_lines(report));
    lines.push(String::new());
    lines.push(style.dim(
        "regret: by how many points an attacker's error can be lower under the statement than it really is",
    ));
    for condition in &report.conditions {
        lines.push(style.dim(&format!("IF {condition}")));
    }
    lines.push(style.dim(&format!("{:.1} s", report.time.as_secs_f64())));
    lines.join("\n") + "\n"
}

/// The recommendation in words (Gomez et al. 2025, Section 4).
fn advice_lines(report: &PrivacyReport<'_>, style: Style) -> Vec<String> {
    match advise(&report.representations) {
        Advice::Gdp(good) => vec![
            style.green(&format!("report {}", statement(good))),
            format!(
                "  its regret is {}, below 0.01: it can be trusted as an essentially complete picture",
                regret(good)
            ),
        ],
        Advice::Other(best) => vec![
            style.green(&format!("report {}", statement(best))),
            format!(
                "  its regret is {}, below 0.01; that of μ-GDP is not known to be",
                regret(best)
            ),
        ],
        Advice::Profile(best) => {
            let mut lines = vec![
                style.yellow("report the privacy profile δ(ε) or the trade-off curve itself"),
                "  no short statement is known to have a regret below 0.01".to_owned(),
            ];
            if let Some(best) = best {
                lines.push(format!(
                    "  {} leaves out least: regret {}",
                    statement(best),
                    regret(best)
                ));
            }
            lines
        }
    }
}

/// The representations, aligned.
pub(super) fn table(report: &PrivacyReport<'_>) -> Vec<String> {
    let heading = [
        "representation",
        "tightest parameter",
        "statement",
        "regret",
        "as converted",
    ];
    let mut rows = vec![heading.map(str::to_owned)];
    rows.extend(report.representations.iter().map(|r| {
        let converted = report
            .converted
            .zcdp
            .as_ref()
            .filter(|_| r.kind == Kind::Zcdp);
        [
            name(&r.kind),
            format!("{} {}", symbol(&r.kind), relation(&r.parameter)),
            statement(r),
            regret(r),
            converted
                .map(|regret| value(regret, SHORT))
                .unwrap_or_default(),
        ]
    }));
    rows.push([
        "(t, ε(t))-RDP".to_owned(),
        format!("ε(t) at {} orders", report.curve.points.len()),
        curve_words(&report.curve),
        regret_of(report.curve.regret.as_ref()),
        report
            .converted
            .curve
            .as_ref()
            .map(|regret| value(regret, SHORT))
            .unwrap_or_default(),
    ]);
    lines(&rows)
}

/// The curve at two orders, for an idea of it.
fn curve_words(curve: &RenyiCurve) -> String {
    let shown = [2u32, 32];
    let points = curve.points.iter();
    let points = points.filter(|(order, _)| shown.iter().any(|shown| order == shown));
    let words: Vec<String> = points
        .map(|(order, epsilon)| format!("({order}, {})", exact_short(epsilon)))
        .collect();
    if words.is_empty() {
        "none: no order is known".to_owned()
    } else {
        words.join(", ") + ", …"
    }
}

/// The best attack at each false-positive rate.
pub(super) fn risk_lines(report: &PrivacyReport<'_>) -> Vec<String> {
    let mut rows = vec![[
        "false-positive rate".to_owned(),
        "true-positive rate of any attack at most".to_owned(),
    ]];
    rows.extend(
        report
            .risks
            .iter()
            .map(|(alpha, beta)| [exact_short(alpha), true_positives(&beta.enclosure)]),
    );
    let mut risks = lines(&rows);
    risks.push(format!(
        "membership advantage {}",
        relation(&report.advantage)
    ));
    risks
}

/// 1 − f(α), rounded up.
fn true_positives(beta: &Enclosure) -> String {
    let rate = beta.lower().to_rational().map(|beta| 1 - beta);
    rate.map_or_else(|| "1".to_owned(), |rate| scientific(&decimal_up(&rate, 4)))
}

fn exact_short(value: &Rational) -> String {
    scientific(&exact(value))
}

/// What kind of statement it is.
pub fn name(kind: &Kind) -> String {
    match kind {
        Kind::PureDp => "ε-DP".to_owned(),
        Kind::ApproxDp { delta } => format!("(ε, {})-DP", exact_short(delta)),
        Kind::Zcdp => "ρ-zCDP".to_owned(),
        Kind::Gdp(GdpForm::Strict) => "μ-GDP, strict".to_owned(),
        Kind::Gdp(GdpForm::Tolerance(tau)) => format!("μ-GDP up to {}", exact_short(tau)),
        Kind::Gdp(GdpForm::ErrorFloor(floor)) => {
            format!("μ-GDP at errors ≥ {}", exact_short(floor))
        }
    }
}

fn symbol(kind: &Kind) -> &'static str {
    match kind {
        Kind::PureDp | Kind::ApproxDp { .. } => "ε",
        Kind::Zcdp => "ρ",
        Kind::Gdp(_) => "μ",
    }
}

/// What may be said of the mechanism.
/// The statement with the parameter stated.
pub fn statement(representation: &Representation) -> String {
    let number = match &representation.stated {
        Stated::Number(number) => exact(number),
        Stated::Nothing => return "none: no finite parameter".to_owned(),
        Stated::Unknown => return "none: no parameter is known".to_owned(),
    };
    match &representation.kind {
        Kind::PureDp => format!("{number}-DP"),
        Kind::ApproxDp { delta } => format!("({number}, {})-DP", exact_short(delta)),
        Kind::Zcdp => format!("{number}-zCDP"),
        Kind::Gdp(GdpForm::Strict) => format!("{number}-GDP"),
        Kind::Gdp(GdpForm::Tolerance(tau)) => format!("{number}-GDP up to {}", exact_short(tau)),
        Kind::Gdp(GdpForm::ErrorFloor(floor)) => {
            format!("{number}-GDP at errors ≥ {}", exact_short(floor))
        }
    }
}

fn regret(representation: &Representation) -> String {
    regret_of(representation.regret.as_ref())
}

fn regret_of(regret: Option<&Answer>) -> String {
    regret.map_or_else(
        || "unknown".to_owned(),
        |answer| value(&answer.enclosure, SHORT) + late(answer),
    )
}

fn relation(answer: &Answer) -> String {
    let text = value(&answer.enclosure, PARAMETER);
    let sign = if text.starts_with('[') { "in" } else { "=" };
    format!("{sign} {text}{}", late(answer))
}

fn value(enclosure: &Enclosure, digits: Digits) -> String {
    if let Some(value) = enclosure.exact() {
        let text = exact(value);
        if text.len() <= digits.most.saturating_add(4) {
            return scientific(&text);
        }
    }
    let (lower, upper) = ends(enclosure, digits);
    if lower == upper {
        scientific(&lower)
    } else {
        format!("[{}, {}]", scientific(&lower), scientific(&upper))
    }
}

fn late(answer: &Answer) -> &'static str {
    match answer.ending {
        Ending::Reached | Ending::Exhausted | Ending::DoesNotFollow => "",
        Ending::OutOfTime => " (out of time)",
    }
}

/// For machines, without a line break.
pub fn report_json(report: &PrivacyReport<'_>) -> String {
    report_json_value(report).to_string()
}

pub(super) fn report_json_value(report: &PrivacyReport<'_>) -> Value {
    let mut object = Map::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("schema", json!("dpcmp.report/1"));
    put("version", json!(env!("CARGO_PKG_VERSION")));
    let file = report.mechanism;
    put("mechanism", mechanism_json(&file.mechanism, file.adjacency));
    let representations = report.representations.iter().map(representation_json);
    put("representations", Value::Array(representations.collect()));
    put("renyi-curve", curve_json(report));
    if let Some(zcdp) = &report.converted.zcdp {
        put("zcdp-regret-as-converted", ends_json(zcdp));
    }
    put("advantage", answer_json(&report.advantage));
    let risks = report.risks.iter().map(|(alpha, beta)| {
        json!({"false-positive-rate": exact(alpha), "false-negative-rate": answer_json(beta)})
    });
    put("trade-off", Value::Array(risks.collect()));
    let advice = match advise(&report.representations) {
        Advice::Gdp(good) | Advice::Other(good) => json!({
            "report": statement(good),
            "rule": "regret < 0.01",
        }),
        Advice::Profile(best) => json!({
            "report": "privacy profile",
            "best-short-statement": best.map(statement),
            "rule": "regret < 0.01",
        }),
    };
    put("recommendation", advice);
    put("conditions", json!(report.conditions));
    put("seconds", seconds(report.time));
    Value::Object(object)
}

fn curve_json(report: &PrivacyReport<'_>) -> Value {
    let points = report.curve.points.iter();
    let points = points.map(|(order, epsilon)| json!([exact(order), exact(epsilon)]));
    json!({
        "orders": Value::Array(points.collect()),
        "regret": report.curve.regret.as_ref().map(answer_json),
        "regret-as-converted": report.converted.curve.as_ref().map(ends_json),
    })
}

fn ends_json(enclosure: &Enclosure) -> Value {
    let mut object = Map::new();
    put_ends(&mut object, enclosure);
    Value::Object(object)
}

fn representation_json(representation: &Representation) -> Value {
    let mut object = Map::new();
    let (kind, level) = match &representation.kind {
        Kind::PureDp => ("pure-dp", None),
        Kind::ApproxDp { delta } => ("approx-dp", Some(("delta", delta))),
        Kind::Zcdp => ("zcdp", None),
        Kind::Gdp(GdpForm::Strict) => ("gdp", None),
        Kind::Gdp(GdpForm::Tolerance(tau)) => ("gdp", Some(("tolerance", tau))),
        Kind::Gdp(GdpForm::ErrorFloor(floor)) => ("gdp", Some(("error-floor", floor))),
    };
    object.insert("kind".to_owned(), json!(kind));
    if let Some((key, level)) = level {
        object.insert(key.to_owned(), json!(exact(level)));
    }
    object.insert(
        "parameter".to_owned(),
        answer_json(&representation.parameter),
    );
    let stated = match &representation.stated {
        Stated::Number(number) => json!(exact(number)),
        Stated::Nothing => json!("none"),
        Stated::Unknown => Value::Null,
    };
    object.insert("stated".to_owned(), stated);
    let regret = representation.regret.as_ref().map(answer_json);
    object.insert("regret".to_owned(), regret.unwrap_or(Value::Null));
    Value::Object(object)
}

fn answer_json(answer: &Answer) -> Value {
    let mut object = Map::new();
    put_ends(&mut object, &answer.enclosure);
    if let Method::Theorem(words) = &answer.method {
        object.insert("theorem".to_owned(), json!(words));
    }
    Value::Object(object)
}
