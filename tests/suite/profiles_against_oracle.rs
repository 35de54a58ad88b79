//! Profiles and strict μ* of every mechanism with a closed form, against the tables of `tests/oracle`.

use dpcmp::mechanism::Orders;
use std::sync::Arc;

use dpcmp::composition::concentrated;
use dpcmp::composition::parts::{Composition, resolve};
use dpcmp::composition::strict_gdp::{StrictMu, strict_mu};
use dpcmp::input::{GdpForm, batch_line};
use dpcmp::kernel::{Budget, Interval, Point, Profile};
use dpcmp::mechanism::symmetrised::Symmetrised;
use dpcmp::number::parse_rational;
use dpcmp::statement::{Quantity, Query};
use rug::{Float, Rational};

const TABLES: [(&str, &str); 8] = [
    ("gaussian", include_str!("../oracle/gaussian.jsonl")),
    ("laplace", include_str!("../oracle/laplace.jsonl")),
    (
        "discrete-gaussian",
        include_str!("../oracle/discrete_gaussian.jsonl"),
    ),
    ("finite-pairs", include_str!("../oracle/finite_pairs.jsonl")),
    (
        "finite-compositions",
        include_str!("../oracle/finite_compositions.jsonl"),
    ),
    (
        "randomized-response",
        include_str!("../oracle/randomized_response.jsonl"),
    ),
    (
        "subsampled-gaussian",
        include_str!("../oracle/subsampled_gaussian.jsonl"),
    ),
    ("hostile", include_str!("../oracle/hostile.jsonl")),
];

struct Row {
    id: String,
    composition: Composition,
    profile: Option<Arc<dyn Profile>>,
    mechanism: dpcmp::mechanism::Mechanism,
    query: Query,
    truth: (String, String),
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, table) in TABLES {
        for (number, text) in table.lines().enumerate() {
            let Ok(line) = batch_line(name, number + 1, text.as_bytes()) else {
                continue;
            };
            let note = |key: &str| {
                line.notes
                    .iter()
                    .find(|(k, _)| k == key)
                    .map(|(_, v)| v.clone())
            };
            let Some(truth) = note("truth") else { continue };
            let truth: (String, String) = serde_json::from_str(&truth).unwrap();
            let file = line.mechanism;
            let composition = resolve(file.mechanism.steps(), &Budget::unlimited()).unwrap();
            let profile = match &composition {
                Composition::Closed(part) => Some(match file.adjacency.orders() {
                    Orders::Remove => Arc::clone(&part.profile),
                    Orders::Add => part.profile.swapped(),
                    Orders::Both => Arc::new(Symmetrised::new(Arc::clone(&part.profile))),
                }),
                _ => None,
            };
            rows.push(Row {
                id: line.id,
                composition,
                profile,
                mechanism: file.mechanism,
                query: line.query,
                truth,
            });
        }
    }
    rows
}

fn number(text: &str) -> Option<Rational> {
    parse_rational(text).ok()
}

/// The table gives about 40 digits rounded outwards: overlap, and agreement to 38 digits where the truth is not tiny.
fn agrees(found: &Interval, truth: &(String, String)) -> bool {
    let (lo, hi) = (number(&truth.0).unwrap(), number(&truth.1).unwrap());
    let overlaps = *found.lo() <= hi && *found.hi() >= lo;
    let allowed = Float::with_val(200, &hi) * Float::with_val(200, 1e-38);
    overlaps && found.width_up() <= allowed
}

#[test]
fn profiles() {
    let (mut deltas, mut epsilons) = (0, 0);
    for row in rows() {
        let Some(profile) = &row.profile else {
            continue;
        };
        match row.query.quantity() {
            Quantity::Delta(threshold) => {
                let point = threshold.place(192);
                let delta = profile.at(&point).delta;
                assert!(
                    agrees(&delta, &row.truth),
                    "{}: {delta:?} {:?}",
                    row.id,
                    row.truth
                );
                if let Some(exact) = profile.exact_delta(&point) {
                    assert!(delta.contains(&exact), "{}: {exact}", row.id);
                }
                deltas += 1;
            }
            Quantity::Advantage => {
                let point = Point::at_epsilon(&Rational::new(), 192);
                let delta = profile.at(&point).delta;
                assert!(
                    agrees(&delta, &row.truth),
                    "{}: {delta:?} {:?}",
                    row.id,
                    row.truth
                );
                deltas += 1;
            }
            Quantity::Epsilon { delta } => {
                let (Some(lo), Some(hi)) = (number(&row.truth.0), number(&row.truth.1)) else {
                    continue;
                };
                let at = |epsilon: &Rational| profile.at(&Point::at_epsilon(epsilon, 192)).delta;
                assert!(*at(&lo).hi() >= *delta, "{}", row.id);
                assert!(*at(&hi).lo() <= *delta, "{}", row.id);
                epsilons += 1;
            }
            _ => {}
        }
    }
    assert!(deltas > 150 && epsilons > 40, "{deltas} {epsilons}");
}

#[test]
fn strict_gaussian_dp() {
    let (mut exact, mut infinite, mut between) = (0, 0, 0);
    for row in rows() {
        if !matches!(row.query.quantity(), Quantity::GdpMu(GdpForm::Strict)) {
            continue;
        }
        match strict_mu(row.mechanism.steps(), &row.composition) {
            StrictMu::Exact { value, .. } => {
                let mu = value.enclose(192);
                assert!(
                    agrees(&mu, &row.truth),
                    "{}: {mu:?} {:?}",
                    row.id,
                    row.truth
                );
                exact += 1;
            }
            StrictMu::NoFinite { .. } => {
                assert_eq!(row.truth.0, "inf", "{}", row.id);
                infinite += 1;
            }
            StrictMu::Between {
                at_least, at_most, ..
            } => {
                if let Some(hi) = number(&row.truth.1) {
                    assert!(*at_least.enclose(192).lo() <= hi, "{}", row.id);
                }
                if let (Some(lo), Some(most)) = (number(&row.truth.0), at_most) {
                    assert!(*most.enclose(192).hi() >= lo, "{}", row.id);
                }
                between += 1;
            }
            StrictMu::Concentrated { rho, .. } => {
                let most = concentrated::enough(&rho, 192);
                if let Some(lo) = number(&row.truth.0) {
                    assert!(*most.hi() >= lo, "{}", row.id);
                }
                between += 1;
            }
            StrictMu::Unknown => panic!("{}", row.id),
        }
    }
    assert!(exact > 20, "{exact} {infinite} {between}");
    println!("{exact} exact, {infinite} infinite, {between} between");
}
