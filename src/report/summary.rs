//! One page about a mechanism: `dpcmp report` for people, and as `dpcmp.report/1`.

use rug::Rational;
use serde_json::{Map, Value, json};

use super::Style;
use super::bound::put_ending;
use super::digits::{Digits, ends, exact, scientific};
use super::json::{put_ends, seconds};
use super::mechanism::{mechanism_json, mechanism_line};
use super::table::lines;
use super::words::{computed, provided};
use crate::analysis::{Answer, Ending, Method};
use crate::bounds::{Enclosure, GdpForm};
use crate::mechanism::Adjacency;
use crate::number::decimal_up;
use crate::study::PrivacyReport;
use crate::summary::{Advice, Kind, RenyiCurve, Representation, Stated, advise};

/// Parameters are shown with as many digits as are stated.
const PARAMETER: Digits = Digits { least: 4, most: 8 };
/// Regrets and risks.
const SHORT: Digits = Digits { least: 3, most: 5 };

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
    lines.extend(batch_lines(report));
    lines.push(style.dim(
        "regret: by how much an attacker's error can be lower under the statement than it really is",
    ));
    let notes = regret_notes(report).chain(conversion_note(report));
    lines.extend(notes.map(|note| style.dim(&note)));
    if let Some(direction) = one_direction(report) {
        lines.push(style.dim(&format!(
            "statements and their parameters are about both directions, regrets and attacks about direction {direction} alone"
        )));
    }
    lines.push(style.dim(&provided(&report.conditions)));
    lines.extend(
        computed(&report.mechanism.notes)
            .iter()
            .map(|line| style.dim(line)),
    );
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
                "  no statement by one parameter that says anything is known to have a regret below 0.01".to_owned(),
            ];
            if let Some(best) = best {
                lines.push(format!(
                    "  the least upper bound of theirs is that of {}: {}",
                    statement(best),
                    regret(best)
                ));
            }
            lines
        }
    }
}

/// The direction of the pair that the mechanism is about, where it is about one.
fn one_direction(report: &PrivacyReport<'_>) -> Option<&'static str> {
    let about = report.attacks_about();
    (about != report.statements_about()).then(|| about.as_str())
}

/// Of what the regrets of μ-GDP up to something are, where there are any.
pub fn regret_notes(report: &PrivacyReport<'_>) -> impl Iterator<Item = String> {
    let mut all = report.representations.iter();
    let any = all.any(|r| r.regret.is_some() && left_out(&r.kind).is_some());
    any.then(|| {
        "the regret of μ-GDP up to τ, or at errors ≥ e, is that of G_μ itself: τ and e are not counted"
            .to_owned()
    })
    .into_iter()
}

/// What the last column of the table is, where there is anything in it.
pub(super) fn conversion_note(report: &PrivacyReport<'_>) -> Option<String> {
    let converted = &report.converted;
    let is_there = converted.zcdp.is_some() || converted.curve.is_some();
    (is_there && one_direction(report).is_none()).then(|| {
        "as converted: the regret where Rényi guarantees are converted to (ε, δ) order by order"
            .to_owned()
    })
}

/// What the regret of a statement leaves out, which is then that of G_μ.
fn left_out(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Gdp(GdpForm::Tolerance(_)) => Some("tolerance"),
        Kind::Gdp(GdpForm::ErrorFloor(_)) => Some("error floor"),
        Kind::Gdp(GdpForm::Strict) | Kind::PureDp | Kind::ApproxDp { .. } | Kind::Zcdp => None,
    }
}

/// The representations, aligned; where the mechanism is about one direction of the pair, each says which number is about what.
pub(super) fn table(report: &PrivacyReport<'_>) -> Vec<String> {
    let rows = rows(report);
    let Some(direction) = one_direction(report) else {
        return lines(&rows);
    };
    // Conversions order by order are held against both directions only.
    let rows: Vec<[String; 5]> = rows
        .into_iter()
        .enumerate()
        .map(|(place, [name, parameter, statement, regret, _])| {
            let (about, regret) = if place == 0 {
                ("about".to_owned(), format!("regret, {direction}"))
            } else {
                ("both directions".to_owned(), regret)
            };
            [name, parameter, statement, about, regret]
        })
        .collect();
    lines(&rows)
}

fn rows(report: &PrivacyReport<'_>) -> Vec<[String; 5]> {
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
    rows
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
    let direction = one_direction(report);
    let of = direction.map_or_else(String::new, |direction| format!(", direction {direction}"));
    // The null hypothesis of the other order is that the record was used.
    let [wrong, right] = match report.attacks_about() {
        Adjacency::Add => ["rate of members cleared", "rate of others cleared"],
        Adjacency::AddRemove
        | Adjacency::Remove
        | Adjacency::ReplaceOne
        | Adjacency::ReplaceSpecial => ["false-positive rate", "true-positive rate"],
    };
    let mut rows = vec![[
        wrong.to_owned(),
        format!("{right} of any attack at most{of}"),
    ]];
    rows.extend(
        report
            .risks
            .iter()
            .map(|(alpha, beta)| [exact_short(alpha), true_positives(&beta.enclosure)]),
    );
    let mut risks = lines(&rows);
    let of = direction.map_or("", |_| ", the same in both directions");
    risks.push(format!(
        "membership advantage {}{of}",
        relation(&report.advantage)
    ));
    risks
}

/// What holds if the batches are drawn as most code draws them.
fn batch_lines(report: &PrivacyReport<'_>) -> Vec<String> {
    let known = report
        .other_batches
        .iter()
        .filter(|one| !one.epsilons.is_empty());
    let mut lines: Vec<String> = known
        .flat_map(|one| {
            let zeroed = match one.run.adjacency {
                Adjacency::ReplaceSpecial => ", where a record is zeroed",
                Adjacency::AddRemove
                | Adjacency::Remove
                | Adjacency::Add
                | Adjacency::ReplaceOne => "",
            };
            let heading = format!(
                "with `sampling = \"{}\"`: {}{zeroed}",
                one.sampling,
                one.run.mechanism.words()
            );
            let epsilons = one.epsilons.iter().map(|(delta, epsilon)| {
                format!("  ε {} at δ = {}", relation(epsilon), exact_short(delta))
            });
            std::iter::once(heading).chain(epsilons).collect::<Vec<_>>()
        })
        .collect();
    if !lines.is_empty() {
        lines.insert(0, "if the batches are no Poisson samples:".to_owned());
        lines.push(String::new());
    }
    lines
}

/// 1 − f(α), rounded up.
pub fn true_positives(beta: &Enclosure) -> String {
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
    let attacks = report.attacks_about();
    let representations = report.representations.iter();
    let representations = representations.map(|one| representation_json(one, report));
    put("representations", Value::Array(representations.collect()));
    put("renyi-curve", curve_json(report));
    if let Some(zcdp) = &report.converted.zcdp {
        put("zcdp-regret-as-converted", about(ends_json(zcdp), attacks));
    }
    put("advantage", about(answer_json(&report.advantage), attacks));
    let risks = report.risks.iter().map(|(alpha, beta)| {
        let rate = about(answer_json(beta), attacks);
        let mut point = Map::new();
        let [wrong, missed] = match attacks {
            Adjacency::Add => ["false-negative-rate", "false-positive-rate"],
            Adjacency::AddRemove
            | Adjacency::Remove
            | Adjacency::ReplaceOne
            | Adjacency::ReplaceSpecial => ["false-positive-rate", "false-negative-rate"],
        };
        point.insert(wrong.to_owned(), json!(exact(alpha)));
        point.insert(missed.to_owned(), rate);
        Value::Object(point)
    });
    put("trade-off", Value::Array(risks.collect()));
    if !report.other_batches.is_empty() {
        let all = report.other_batches.iter().map(|one| {
            let epsilons = one.epsilons.iter().map(
                |(delta, epsilon)| json!({"delta": exact(delta), "epsilon": answer_json(epsilon)}),
            );
            json!({
                "sampling": one.sampling,
                "mechanism": mechanism_json(&one.run.mechanism, one.run.adjacency),
                "epsilons": epsilons.collect::<Vec<_>>(),
            })
        });
        put("other-batches", Value::Array(all.collect()));
    }
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
    if !report.mechanism.notes.is_empty() {
        put("computed", json!(report.mechanism.notes));
    }
    put("seconds", seconds(report.time));
    Value::Object(object)
}

fn curve_json(report: &PrivacyReport<'_>) -> Value {
    let points = report.curve.points.iter();
    let points = points.map(|(order, epsilon)| json!([exact(order), exact(epsilon)]));
    let attack = |value| about(value, report.attacks_about());
    json!({
        "adjacency": report.statements_about().as_str(),
        "orders": Value::Array(points.collect()),
        "regret": report.curve.regret.as_ref().map(answer_json).map(attack),
        "regret-as-converted": report.converted.curve.as_ref().map(ends_json).map(attack),
    })
}

/// An object that says under which neighbouring relation it is true.
fn about(mut value: Value, adjacency: Adjacency) -> Value {
    if let Some(object) = value.as_object_mut() {
        object.insert("adjacency".to_owned(), json!(adjacency.as_str()));
    }
    value
}

fn ends_json(enclosure: &Enclosure) -> Value {
    let mut object = Map::new();
    put_ends(&mut object, enclosure);
    Value::Object(object)
}

fn representation_json(representation: &Representation, report: &PrivacyReport<'_>) -> Value {
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
    let statements = report.statements_about().as_str();
    object.insert("adjacency".to_owned(), json!(statements));
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
    let regret = regret.map(|regret| about(regret, report.attacks_about()));
    if let (Some(_), Some(what)) = (&regret, left_out(&representation.kind)) {
        let note = format!("the regret is that of G_mu itself: the {what} is not counted");
        object.insert("note".to_owned(), json!(note));
    }
    object.insert("regret".to_owned(), regret.unwrap_or(Value::Null));
    Value::Object(object)
}

fn answer_json(answer: &Answer) -> Value {
    let mut object = Map::new();
    put_ends(&mut object, &answer.enclosure);
    put_ending(&mut object, answer.ending);
    if let Method::Theorem(words) = &answer.method {
        object.insert("theorem".to_owned(), json!(words));
    }
    Value::Object(object)
}
