//! The audit of published claims, `docs/audit/README.md`: made of the records of their verdicts, their files and
//! `docs/audit/groups.json`, which says why what is refuted is refuted. `DPCMP_UPDATE_VERDICTS=1` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use dpcmp::input::{ClaimFile, claim_file_from_bytes};
use dpcmp::number::parse_rational;
use dpcmp::study::conditions_of;
use serde_json::Value;

use crate::audit_picture::{Row, picture};
use crate::published_claims::{claim, holds_instead, path};

const RECORDS: &str = "tests/published_claims/verdicts.jsonl";
const FOLDER: &str = "examples/claims/published";
const GROUPS: &str = "docs/audit/groups.json";
const PAGE: &str = "docs/audit/README.md";
const PICTURE: &str = "docs/audit/refuted.svg";

/// A claim with its recorded verdict.
struct Judged {
    id: String,
    source: String,
    claim: String,
    conditions: Vec<String>,
    record: Value,
    /// How much larger than claimed ε has to be, as a share, where it is refuted.
    excess: Option<f64>,
}

impl Judged {
    fn is_refuted(&self) -> bool {
        self.record["verdict"] == "refuted"
    }

    fn is_rounding(&self) -> bool {
        self.record["rounding"] == true
    }

    fn row(&self) -> String {
        let (id, source) = (&self.id, self.source.replace('|', "\\|"));
        let verdict = self.record["verdict"].as_str().unwrap();
        let instead = match self.record["margin"].as_str() {
            Some("0") => "equal".to_owned(),
            Some(margin) => margin.to_owned(),
            None => holds_instead(&self.record),
        };
        format!(
            "| [{id}](../../{FOLDER}/{id}.toml) | {source} | {} | {verdict} | {instead} |\n",
            self.claim
        )
    }
}

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
    for line in read(RECORDS).lines() {
        let record: Value = serde_json::from_str(line).unwrap();
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
    let (verified, refuted) = (
        count(&|one| one.record["verdict"] == "verified"),
        count(&Judged::is_refuted),
    );
    let rounding = count(&|one| one.is_refuted() && one.is_rounding());
    let mut page = format!(
        "# An audit of published guarantees\n\n\
        {} claims in {} files, from tutorials, test suites, issues, papers and registries of deployments: **{verified} verified, {refuted} refuted**, {} undecided. \
        Of those that are refuted, {rounding} are true before rounding to the digits that were printed.\n\n\
        What was claimed is quoted in each file, with where it stands, what had to be read into it and how sure that reading is. A verdict is about the mechanism in the file, \
        on what the last section lists; none of them says how a program behaves that was not read. `dpcmp verify {FOLDER}` judges all of them anew, \
        `dpcmp verify FILE --certificate CERTIFICATE` writes a proof for one, and `dpcmp-check CERTIFICATE` checks it without this program.\n\n\
        This page is written from the recorded verdicts (`{RECORDS}`) and `{GROUPS}` by the tests.\n",
        judged.len(),
        files.len(),
        judged.len() - verified - refuted,
    );
    let head =
        "\n| file | source | claim | verdict | what holds instead |\n|---|---|---|---|---|\n";
    page.push_str("\n# What is refuted, and why\n\n![By how much the epsilon of refuted claims is too small, by cause](refuted.svg)\n");
    for group in groups {
        let members = group["files"].as_object().unwrap();
        let is_in = |one: &Judged| members.contains_key(&one.id) && one.is_refuted();
        let all = judged.iter().filter(|one| is_in(one) && !one.is_rounding());
        let (title, text) = (
            group["title"].as_str().unwrap(),
            group["text"].as_str().unwrap(),
        );
        write!(page, "\n## {title}\n\n{text}\n").unwrap();
        let remarks = members
            .iter()
            .filter(|(_, remark)| **remark != "")
            .map(|(id, remark)| format!("* `{id}`: {}\n", remark.as_str().unwrap()));
        let remarks: String = remarks.collect();
        if !remarks.is_empty() {
            write!(page, "\n{remarks}").unwrap();
        }
        page.push_str(head);
        page.extend(all.map(Judged::row));
    }
    page.push_str(
        "\n## Rounded down\n\nThe number before rounding is true, the one that was printed is not, by less than half a unit of its last digit. \
        A guarantee that is to be quoted should be rounded up.\n",
    );
    page.push_str(head);
    page.extend(
        judged
            .iter()
            .filter(|one| one.is_refuted() && one.is_rounding())
            .map(Judged::row),
    );
    page.push_str(
        "\n# What is verified\n\nThe margin is what the claim leaves: of δ where it bounds δ at an ε, else of its own number; none is needed where every mechanism of the kind \
        satisfies the claim.\n",
    );
    page.push_str("\n| file | source | claim | verdict | margin |\n|---|---|---|---|---|\n");
    page.extend(
        judged
            .iter()
            .filter(|one| !one.is_refuted())
            .map(Judged::row),
    );
    page.push_str(
        "\n# What is taken for granted\n\nVerdicts say which of these they rest on.\n\n| condition | files |\n|---|---|\n",
    );
    let mut conditions: BTreeMap<&str, BTreeSet<&String>> = BTreeMap::new();
    for one in judged {
        for condition in &one.conditions {
            conditions.entry(condition).or_default().insert(&one.id);
        }
    }
    let mut conditions: Vec<_> = conditions.into_iter().collect();
    conditions.sort_by_key(|(words, files)| (usize::MAX - files.len(), *words));
    for (words, files) in conditions {
        writeln!(page, "| {words} | {} |", files.len()).unwrap();
    }
    page.push_str(&not_stated());
    page
}

/// What was found and cannot be judged.
fn not_stated() -> String {
    read("docs/audit/not-judged.md")
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap()
}
