//! The audit of published claims, `docs/audit/README.md`: made of the records of their verdicts and certificates, their files and
//! `docs/audit/groups.json`, which says why what is refuted is refuted. `DPCMP_UPDATE_VERDICTS=1` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use dpcmp::input::{ClaimFile, claim_file_from_bytes};
use dpcmp::number::parse_rational;
use dpcmp::study::conditions_of;
use serde_json::Value;

use crate::audit_picture::{Row, picture};
use crate::audit_table::{Judged, refuted, verified, without_certificate};
use crate::published_claims::{claim, path};

const RECORDS: &str = "tests/published_claims/verdicts.jsonl";
const CERTIFICATES: &str = "tests/published_claims/certificates.jsonl";
const FOLDER: &str = "examples/claims/published";
const GROUPS: &str = "docs/audit/groups.json";
const PAGE: &str = "docs/audit/README.md";
const PICTURE: &str = "docs/audit/refuted.svg";

/// The page is what the records say, every refuted claim has a cause, and every cause is of a refuted claim.
#[test]
fn the_page_is_that_of_the_records() {
    let judged = judged();
    let groups: Value = serde_json::from_str(&read(GROUPS)).unwrap();
    let groups = groups.as_array().unwrap();
    let grouped: Vec<&String> = groups
        .iter()
        .flat_map(|group| group["files"].as_object().unwrap().keys())
        .collect();
    let refuted: BTreeSet<&String> = judged
        .iter()
        .filter(|one| one.is_refuted() && !one.is_rounding())
        .map(|one| &one.id)
        .collect();
    assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), refuted);
    assert_eq!(grouped.len(), refuted.len(), "a claim has two causes");
    let made = [
        (PAGE, page(&judged, groups)),
        (PICTURE, drawn(&judged, groups)),
    ];
    for (name, text) in made {
        if std::env::var_os("DPCMP_UPDATE_VERDICTS").is_some() {
            fs::write(path(name), text).unwrap();
        } else {
            assert!(read(name) == text, "DPCMP_UPDATE_VERDICTS=1 renews {name}");
        }
    }
}

/// The picture of the refuted claims that bound ε, those that were rounded down in a row of their own.
fn drawn(judged: &[Judged], groups: &[Value]) -> String {
    let row = |title, is_in: &dyn Fn(&Judged) -> bool| Row {
        title,
        claims: judged
            .iter()
            .filter(|one| one.is_refuted() && is_in(one))
            .filter_map(|one| Some((one.id.as_str(), one.excess?)))
            .collect(),
    };
    let mut rows: Vec<Row<'_>> = groups
        .iter()
        .map(|group| {
            let members = group["files"].as_object().unwrap();
            row(group["title"].as_str().unwrap(), &|one| {
                members.contains_key(&one.id) && !one.is_rounding()
            })
        })
        .collect();
    rows.push(row("Rounded down", &Judged::is_rounding));
    rows.retain(|row| !row.claims.is_empty());
    picture(&rows)
}

fn judged() -> Vec<Judged> {
    let mut files: BTreeMap<String, ClaimFile> = BTreeMap::new();
    let mut found = Vec::new();
    let (records, certificates) = (lines_of(RECORDS), lines_of(CERTIFICATES));
    assert_eq!(records.len(), certificates.len(), "one certificate a claim");
    for (record, certificate) in records.into_iter().zip(certificates) {
        for key in ["id", "claim"] {
            assert_eq!(record[key], certificate[key], "the same claims in both");
        }
        let is_accepted = certificate["accepted"] == true;
        assert!(
            is_accepted != certificate["missing"].is_string(),
            "{certificate}"
        );
        let id = record["id"].as_str().unwrap().to_owned();
        let file = files.entry(id.clone()).or_insert_with(|| {
            let bytes = fs::read(path(FOLDER).join(format!("{id}.toml"))).unwrap();
            claim_file_from_bytes(&id, &bytes).unwrap()
        });
        let number = |text: Option<&str>| Some(parse_rational(text?).ok()?.to_f64());
        let nearest = number(record["nearest-true"]["epsilon"].as_str());
        let claimed = number(file.claims[number_of(&record)].number_text("epsilon"));
        let excess = nearest
            .zip(claimed)
            .map(|(nearest, claimed)| nearest / claimed - 1.0);
        found.push(Judged {
            excess: excess.filter(|excess| *excess > 0.0),
            source: file.source.clone().unwrap_or_default(),
            claim: claim(&file.claims[number_of(&record)]),
            conditions: conditions_of(file),
            id,
            record,
            certificate,
        });
    }
    found
}

/// Which claim of its file it is of.
fn number_of(record: &Value) -> usize {
    usize::try_from(record["claim"].as_u64().unwrap()).unwrap()
}

fn page(judged: &[Judged], groups: &[Value]) -> String {
    let count = |of: &dyn Fn(&Judged) -> bool| judged.iter().filter(|one| of(one)).count();
    let files: BTreeSet<&String> = judged.iter().map(|one| &one.id).collect();
    let (true_ones, false_ones) = (count(&Judged::is_verified), count(&Judged::is_refuted));
    let undecided = judged.len() - true_ones - false_ones;
    // All of them are in a table.
    assert_eq!(undecided, 0, "undecided claims have no table yet");
    let rounding = count(&|one| one.is_refuted() && one.is_rounding());
    let mut page = format!(
        "# An audit of published guarantees\n\n\
        {} claims in {} files, from tutorials, test suites, issues, papers and registries of deployments: **{true_ones} verified, {false_ones} refuted**, {undecided} undecided. \
        Of those that are refuted, {rounding} are true before rounding to the digits that were printed. Of {} verdicts there is a certificate that `dpcmp-check` accepts.\n\n\
        What was claimed is quoted in each file, with where it stands, what had to be read into it and how sure that reading is. A verdict is about the mechanism in the file; \
        none of them says how a program behaves that was not read. Below each claim, ✓ says that there is a certificate of its verdict, and letters say what the verdict \
        [takes for granted](#what-is-taken-for-granted).\n\n\
        `dpcmp verify {FOLDER}` judges all of them anew, \
        `dpcmp verify FILE --certificate CERTIFICATE` writes a proof for one, and `dpcmp-check CERTIFICATE` checks it without this program. \
        The tests write this page from the recorded verdicts and certificates ([`tests/published_claims`](../../tests/published_claims)) and [`groups.json`](groups.json).\n",
        judged.len(),
        files.len(),
        count(&Judged::is_certified),
    );
    let conditions = conditions(judged);
    let words: Vec<&str> = conditions.iter().map(|(words, _)| *words).collect();
    let (mut causes, mut sections) = (String::new(), String::new());
    let mut put = |title: &str, text: &str, is_in: &dyn Fn(&Judged) -> bool| {
        let number = count(is_in);
        writeln!(causes, "| [{title}](#{}) | {number} |", anchor(title)).unwrap();
        write!(sections, "\n## {title}\n\n{text}\n").unwrap();
        sections.push_str(&refuted(judged.iter().filter(|one| is_in(one)), &words));
    };
    for group in groups {
        let members = group["files"].as_object().unwrap();
        let remarks = members
            .iter()
            .filter(|(_, remark)| **remark != "")
            .map(|(id, remark)| format!("\n* `{id}`: {}", remark.as_str().unwrap()));
        let remarks: String = remarks.collect();
        let mut text = group["text"].as_str().unwrap().to_owned();
        if !remarks.is_empty() {
            write!(text, "\n{remarks}").unwrap();
        }
        put(group["title"].as_str().unwrap(), &text, &|one| {
            members.contains_key(&one.id) && one.is_refuted() && !one.is_rounding()
        });
    }
    put(
        "Rounded down",
        "The number before rounding is true, the one that was printed is not, by less than half a unit of its last digit. \
        A guarantee that is to be quoted should be rounded up.",
        &|one| one.is_refuted() && one.is_rounding(),
    );
    write!(
        page,
        "\n# What is refuted, and why\n\n| cause | claims |\n|---|---|\n{causes}\n\
        ![By how much the epsilon of refuted claims is too small, by cause](refuted.svg)\n{sections}"
    )
    .unwrap();
    page.push_str(
        "\n# What is verified\n\nThe margin is what the claim leaves: of δ where it bounds δ at an ε, else of its own number; none is needed where every mechanism of the kind \
        satisfies the claim.\n",
    );
    let true_ones: Vec<&Judged> = judged.iter().filter(|one| one.is_verified()).collect();
    page.push_str(&verified(&true_ones, &words));
    let without = without_certificate(judged);
    if !without.is_empty() {
        write!(page, "\n# Without a certificate\n\n{without}").unwrap();
    }
    page.push_str(
        "\n# What is taken for granted\n\nVerdicts say which of these they rest on.\n\n| | condition | files |\n|---|---|---|\n",
    );
    for ((words, files), letter) in conditions.iter().zip('a'..='z') {
        writeln!(page, "| {letter} | {words} | {files} |").unwrap();
    }
    assert!(conditions.len() <= 26, "more letters are needed");
    page.push_str(&not_stated());
    page
}

/// What verdicts take for granted and of how many files, what is most common first.
fn conditions(judged: &[Judged]) -> Vec<(&str, usize)> {
    let mut conditions: BTreeMap<&str, BTreeSet<&String>> = BTreeMap::new();
    for one in judged {
        for condition in &one.conditions {
            conditions.entry(condition).or_default().insert(&one.id);
        }
    }
    let counted = conditions.into_iter();
    let mut conditions: Vec<_> = counted.map(|(words, ids)| (words, ids.len())).collect();
    conditions.sort_by_key(|(words, files)| (usize::MAX - files, *words));
    conditions
}

/// What a heading is called in a link.
fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || *c == ' ');
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// What was found and cannot be judged.
fn not_stated() -> String {
    read("docs/audit/not-judged.md")
}

fn lines_of(name: &str) -> Vec<Value> {
    let text = read(name);
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap()
}
