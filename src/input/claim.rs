//! Claim files: a mechanism and what is claimed about it.

use super::{
    argument::read_argument,
    document::{read_document_beside, read_json_document},
    epsilon,
    error::InputError,
    fields::{self, Fields, number_text},
    matrix_file::Beside,
    mechanism::{MechanismFile, read_mechanism},
    node::{Node, Table, Value},
    opacus,
    problem::{ErrorCode, Problem},
    source::Source,
    words::words,
};
use crate::mechanism::{Domain, GdpForm};
use crate::number::exact;
use crate::statement::Claim;

/// A mechanism and the claims about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimFile {
    /// What the claims are about, for people.
    pub title: Option<String>,
    /// Where the claims were published.
    pub source: Option<String>,
    /// The mechanism the claims are about.
    pub mechanism: MechanismFile,
    /// At least one claim, in the order of the file.
    pub claims: Vec<ClaimEntry>,
    /// Extra top-level keys of a `.jsonl` line, with their JSON text.
    pub notes: Vec<(String, String)>,
}

/// A claim and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimEntry {
    /// What is claimed.
    pub claim: Claim,
    /// Line in the file, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The numbers of the claim as they are written, by key.
    pub numbers: Vec<(String, String)>,
}

impl ClaimEntry {
    /// A claim as if it stood in a file of its own.
    pub fn of(claim: Claim) -> Self {
        let numbers = claim.numbers().into_iter();
        let numbers = numbers.map(|(key, value)| (key.to_owned(), exact(value)));
        Self {
            numbers: numbers.collect(),
            claim,
            line: 1,
            column: 1,
        }
    }

    /// The text of a number of the claim, for instance `"1.57"` for `mu`.
    pub fn number_text(&self, key: &str) -> Option<&str> {
        self.numbers
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, text)| text.as_str())
    }

    /// The ε of the claim as it is written: "8", "log 3".
    pub fn epsilon_text(&self) -> Option<String> {
        let log = || Some(format!("log {}", self.number_text("exp-epsilon")?.trim()));
        let written = self
            .number_text("epsilon")
            .map(|text| text.trim().to_owned());
        written.or_else(log)
    }
}

impl Claim {
    /// A claim from `kind:key=value,…`, for instance `approx-dp:epsilon=1,delta=1e-5`.
    ///
    /// # Errors
    /// As for a claim in a file; the source is called `argument`.
    #[doc(hidden)]
    pub fn from_argument(text: &str) -> Result<Claim, InputError> {
        let source = Source::new("argument", text, 1);
        read_argument(source.text())
            .and_then(|node| read_claim(&node))
            .map_err(|problem| source.locate(problem))
    }
}

const FILE_KEYS: [&str; 4] = ["title", "source", "mechanism", "claim"];

words! {
    /// The kinds of claims.
    ClaimKind {
        PureDp = "pure-dp",
        ApproxDp = "approx-dp",
        Gdp = "gdp",
        Regret = "regret",
        Zcdp = "zcdp",
        Rdp = "rdp",
        Advantage = "advantage",
        TradeOff = "trade-off",
        DominatedBy = "dominated-by",
    }
}

/// Reads a claim file with at least one claim, TOML or JSON.
pub(crate) fn read_claim_file(
    source: &Source<'_>,
    beside: Option<&dyn Beside>,
) -> Result<ClaimFile, Problem> {
    let node = read_document_beside(source.text(), beside)?;
    let names_claims =
        |table: &&Table| !table.has("history") && (table.has("mechanism") || table.has("claim"));
    let table = node
        .as_table()
        .filter(names_claims)
        .ok_or_else(|| no_claims(&node))?;
    Fields::new(table, "a claim file", &start_of(&node), &FILE_KEYS)?;
    claim_file(source, &node, table)
}

/// Reads one line of a `.jsonl` file, where unknown top-level keys are notes.
pub(crate) fn read_claim_line(source: &Source<'_>) -> Result<ClaimFile, Problem> {
    let node = read_json_document(source.text())?;
    let owner = "a line of a .jsonl file";
    let table = fields::table(&node, owner)?;
    // Without a claim this is hardly a note.
    if let (None, Some(entry)) = (table.get("claim"), table.get("claims")) {
        return Err(fields::unknown_key(
            "claims",
            &entry.key_span,
            owner,
            &FILE_KEYS,
        ));
    }
    let mut file = claim_file(source, &node, table)?;
    file.notes = notes(source, table, &FILE_KEYS);
    Ok(file)
}

/// The mechanism of a MECH argument: a mechanism, a foreign format, or a claim file, whose claims are
/// checked too but may be absent.
pub(crate) fn read_mechanism_argument(
    source: &Source<'_>,
    beside: Option<&dyn Beside>,
) -> Result<MechanismFile, Problem> {
    mechanism_of_document(source, &read_document_beside(source.text(), beside)?)
}

/// As [`read_mechanism_argument`], for a document that is already read.
pub(crate) fn mechanism_of_document(
    source: &Source<'_>,
    node: &Node,
) -> Result<MechanismFile, Problem> {
    let Some(table) = node.as_table() else {
        return read_mechanism(node);
    };
    if [
        "kind",
        "history",
        opacus::IN_CHECKPOINT,
        "class_name",
        "event",
    ]
    .iter()
    .any(|key| table.has(key))
    {
        return read_mechanism(node);
    }
    if !table.has("mechanism") {
        let choices = ["kind", "mechanism"];
        let known: Vec<&str> = choices.into_iter().chain(FILE_KEYS).collect();
        // A misspelt `kind` or `mechanism` is the likely reason.
        let misspelt = table
            .entries
            .iter()
            .find(|entry| fields::is_near(&entry.key, &choices));
        if let Some(entry) = misspelt {
            let key = &entry.key;
            return Err(fields::unknown_key(
                key,
                &entry.key_span,
                "the input",
                &known,
            ));
        }
        let message = "this is neither a mechanism nor a claim file";
        return Err(
            Problem::new(ErrorCode::MissingKey, &start_of(node), message)
                .help("a mechanism has `kind`, a claim file has a table `mechanism`"),
        );
    }
    Fields::new(table, "a claim file", &start_of(node), &FILE_KEYS)?;
    let mechanism = file_mechanism(node, table)?;
    claims(source, table)?;
    Ok(mechanism)
}

/// The keys of `table` that are not in `known`, with their JSON text.
pub(crate) fn notes(source: &Source<'_>, table: &Table, known: &[&str]) -> Vec<(String, String)> {
    let extra = table
        .entries
        .iter()
        .filter(|entry| !known.contains(&entry.key.as_str()));
    extra
        .map(|entry| (entry.key.clone(), source.slice(&entry.node.span).to_owned()))
        .collect()
}

/// The first byte of a node, to point at it without underlining all of it.
pub(crate) fn start_of(node: &Node) -> std::ops::Range<usize> {
    node.span.start..node.span.start.saturating_add(1).min(node.span.end)
}

/// The mechanism of a claim file or batch line.
pub(crate) fn file_mechanism(node: &Node, table: &Table) -> Result<MechanismFile, Problem> {
    match table.get("mechanism") {
        Some(entry) => read_mechanism(&entry.node),
        None => {
            let message = "there is no `mechanism`";
            Err(
                Problem::new(ErrorCode::MissingKey, &start_of(node), message)
                    .help("add a table `mechanism` with `kind` and its numbers"),
            )
        }
    }
}

fn claim_file(source: &Source<'_>, node: &Node, table: &Table) -> Result<ClaimFile, Problem> {
    let text = |key: &str| {
        table
            .get(key)
            .map(|entry| fields::string(&entry.node, &format!("`{key}`")).map(str::to_owned))
            .transpose()
    };
    let mechanism = file_mechanism(node, table)?;
    let claims = claims(source, table)?;
    if claims.is_empty() {
        return Err(no_claims(node));
    }
    Ok(ClaimFile {
        title: text("title")?,
        source: text("source")?,
        mechanism,
        claims,
        notes: Vec::new(),
    })
}

fn no_claims(node: &Node) -> Problem {
    Problem::new(ErrorCode::MissingKey, &start_of(node), "there is no claim to verify").help(
        "a claim file has a `mechanism` and at least one `claim`; to see what a mechanism guarantees, use `dpcmp report`",
    )
}

/// The claims: one table or a list of tables.
fn claims(source: &Source<'_>, table: &Table) -> Result<Vec<ClaimEntry>, Problem> {
    match table.get("claim") {
        None => Ok(Vec::new()),
        Some(entry) => match &entry.node.value {
            Value::Array(items) => items.iter().map(|item| claim_entry(source, item)).collect(),
            _ => Ok(vec![claim_entry(source, &entry.node)?]),
        },
    }
}

fn claim_entry(source: &Source<'_>, node: &Node) -> Result<ClaimEntry, Problem> {
    let claim = read_claim(node)?;
    let (line, column) = source.position(node.span.start);
    let entries = node
        .as_table()
        .map(|table| table.entries.as_slice())
        .unwrap_or_default();
    let numbers = entries
        .iter()
        .filter(|entry| entry.key != "kind")
        .filter_map(|entry| {
            Some((
                entry.key.clone(),
                number_text(&entry.node, "").ok()?.to_owned(),
            ))
        })
        .collect();
    Ok(ClaimEntry {
        claim,
        line,
        column,
        numbers,
    })
}

pub(super) fn read_claim(node: &Node) -> Result<Claim, Problem> {
    let table = fields::table(node, "a claim")?;
    let (kind, word, kind_span) = ClaimKind::of(table, "a claim", &node.span)?;
    if kind == ClaimKind::Rdp {
        epsilon::not_of_renyi(table)?;
    }
    let mut known = vec!["kind"];
    known.extend_from_slice(claim_keys(kind));
    let fields = Fields::new(table, format!("the claim `{word}`"), &kind_span, &known)?;
    let claim = match kind {
        ClaimKind::PureDp => Claim::pure_dp(epsilon::epsilon(&fields, Domain::NonNegative)?),
        ClaimKind::ApproxDp => Claim::approx_dp(
            epsilon::epsilon(&fields, Domain::Real)?,
            fields.number("delta", Domain::NonNegative)?,
        ),
        ClaimKind::Gdp => Claim::gdp_as(
            fields.number("mu", Domain::NonNegative)?,
            gdp_form(&fields)?,
        ),
        ClaimKind::Regret => Claim::regret(
            fields.number("mu", Domain::NonNegative)?,
            fields.number("at-most", Domain::NonNegative)?,
        ),
        ClaimKind::Zcdp => Claim::zcdp(fields.number("rho", Domain::NonNegative)?),
        ClaimKind::Rdp => Claim::rdp(
            fields.number("order", Domain::AboveOne)?,
            fields.number("epsilon", Domain::NonNegative)?,
        ),
        ClaimKind::Advantage => Claim::advantage(fields.number("at-most", Domain::NonNegative)?),
        ClaimKind::TradeOff => Claim::trade_off(
            fields.number("alpha", Domain::Unit)?,
            fields.number("beta", Domain::Unit)?,
        ),
        ClaimKind::DominatedBy => {
            let file = read_mechanism(fields.required("mechanism")?)?;
            let at_most = fields.number("at-most", Domain::NonNegative)?;
            Claim::dominated_by(file.mechanism, file.adjacency, at_most)
        }
    };
    claim.map_err(|error| fields.out_of_range(&error))
}

pub(super) fn claim_keys(kind: ClaimKind) -> &'static [&'static str] {
    match kind {
        ClaimKind::PureDp => &epsilon::KEYS,
        ClaimKind::ApproxDp => &["epsilon", "exp-epsilon", "delta"],
        ClaimKind::Gdp => &["mu", "tolerance", "error-floor"],
        ClaimKind::Regret => &["mu", "at-most"],
        ClaimKind::Zcdp => &["rho"],
        ClaimKind::Rdp => &["order", "epsilon"],
        ClaimKind::Advantage => &["at-most"],
        ClaimKind::TradeOff => &["alpha", "beta"],
        ClaimKind::DominatedBy => &["mechanism", "at-most"],
    }
}

/// `tolerance` or `error-floor`; neither, and a tolerance of 0, is the strict statement.
pub(crate) fn gdp_form(fields: &Fields<'_>) -> Result<GdpForm, Problem> {
    if fields.has("tolerance") && fields.has("error-floor") {
        let help = "they are two readings of an approximate GDP statement; choose one";
        return Err(fields.conflict("error-floor", "tolerance", help));
    }
    if fields.has("error-floor") {
        return Ok(GdpForm::ErrorFloor(
            fields.number("error-floor", Domain::ErrorFloor)?,
        ));
    }
    let tolerance = fields.number_or("tolerance", Domain::Tolerance, 0)?;
    Ok(if tolerance == 0 {
        GdpForm::Strict
    } else {
        GdpForm::Tolerance(tolerance)
    })
}
