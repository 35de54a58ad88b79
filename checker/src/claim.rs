//! What is claimed, about which mechanism: read again from the text of the claim file.

use crate::mean::Exact;
use crate::normal::{Granted, gaussian_first};
use crate::numbers::{epsilon, in_range, of_kind, out_of_range};
use crate::reason::words;
use crate::stated::stated;
use crate::toml::toml;
use crate::value::json;
use crate::*;

words! {
    /// Which order of the pair a proof is about.
    Direction:
    /// (P, Q)
    Remove = "remove",
    /// (Q, P)
    Add = "add",
}

impl Adjacency {
    /// The orders of the pair that a claim is about.
    pub(crate) fn directions(self) -> &'static [Direction] {
        match self {
            Self::AddRemove | Self::ReplaceOne | Self::ReplaceSpecial => Direction::ALL,
            Self::Remove => &[Direction::Remove],
            Self::Add => &[Direction::Add],
        }
    }

    /// Is a claim about both orders of the pair?
    pub(crate) fn is_both(self) -> bool {
        self.directions().len() == 2
    }
}

impl Direction {
    /// The other one, if the pair is turned around.
    pub fn turned(self, is_turned: bool) -> Self {
        if (self == Self::Remove) == is_turned { Self::Add } else { Self::Remove }
    }
}

/// What the text of a claim file says: the mechanism and the claim asked for.
pub struct ClaimFile {
    pub mechanism: Mechanism,
    /// The same, or a nearer bound of it, where random allocations are a part of it.
    pub exact: Option<Exact>,
    pub claim: Claim,
    /// What is taken for granted about the mechanism, and about one that it is compared with.
    pub granted: Granted,
    /// The mechanism, in the words of the file.
    pub stated: String,
    /// Free text.
    pub title: Option<String>,
    pub source: Option<String>,
    /// Keys that were passed over.
    pub notes: Vec<String>,
}

const FILE_KEYS: [&str; 4] = ["title", "source", "mechanism", "claim"];

/// Keys that mechanisms and claims can do without. At the top, where it would be ignored, one of them was meant for
/// another place and would change what is claimed.
pub const OPTIONAL_KEYS: &str = "adjacency best-first epochs error-floor gradient-accumulation k keys l2-record-bound \
     l2-sensitivity min-separation monotone neighboring-relation neighboring_relation normalised parties participations \
     record-bound release-if restarts sampling selected sensitivity times tolerance xi";

words! {
    /// What the text of a claim file is.
    Form:
    /// A file, with no other keys at the top than those of claim files.
    File = "file",
    /// A line of a `.jsonl` file, where other keys at the top are notes.
    Line = "line",
}

/// What a text says, in JSON if it begins with `{`; a byte-order mark before it is nothing.
pub fn document(text: &str) -> Result<Value> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') { json(text) } else { toml(text) }
}

/// Reads a claim file, or one line of a `.jsonl` file.
pub fn read(text: &str, form: Form, index: usize) -> Result<ClaimFile> {
    let document = document(text)?;
    let is_json = !matches!(document, Value::Table(_, crate::value::Form::Open));
    let mut notes = Vec::new();
    match form {
        Form::File => document.only("the claim file", &FILE_KEYS)?,
        Form::Line if is_json && !text.contains('\n') => {
            notes = document.keys().filter(|key| !FILE_KEYS.contains(key)).map(str::to_owned).collect();
        }
        Form::Line => return Err(Rejected::malformed("a line of a .jsonl file is JSON without line breaks")),
    }
    if let Some(key) = notes.iter().find(|key| OPTIONAL_KEYS.split(' ').any(|known| known == *key)) {
        return Err(Rejected::malformed(format!("`{key}` does not stand where it would be read")));
    }
    let claims = document.need("claim")?;
    let all = if let Value::List(items) = claims { items.as_slice() } else { std::slice::from_ref(claims) };
    let claim = Reason::NoSuchClaim.unless(all.get(index), "the claim file has no claim of that number")?;
    let described = document.need("mechanism")?;
    let (mut normal, adjacency) = mechanism::read(described)?;
    let members = normal.members.iter().map(gaussian_first).collect();
    let mechanism = Mechanism { steps: gaussian_first(&normal.steps), members, adjacency };
    let free_text = |key: &str| document.get(key).map(|text| text.text(key).map(str::to_owned)).transpose();
    Ok(ClaimFile {
        mechanism,
        exact: normal.exact.take(),
        claim: read_claim(claim, &mut normal.granted)?,
        granted: normal.granted,
        stated: stated(described),
        title: free_text("title")?,
        source: free_text("source")?,
        notes,
    })
}

/// Kinds of claims, with their keys.
const CLAIMS: [(&str, &[&str]); 9] = [
    ("pure-dp", &["epsilon", "exp-epsilon"]),
    ("approx-dp", &["epsilon", "exp-epsilon", "delta"]),
    ("advantage", &["at-most"]),
    ("trade-off", &["alpha", "beta"]),
    ("gdp", &["mu", "tolerance", "error-floor"]),
    ("zcdp", &["rho"]),
    ("rdp", &["order", "epsilon"]),
    ("dominated-by", &["mechanism", "at-most"]),
    ("regret", &["mu", "at-most"]),
];

/// `granted` is joined by what is taken for granted about another mechanism.
fn read_claim(value: &Value, granted: &mut Granted) -> Result<Claim> {
    let kind = of_kind(value)?;
    let unknown = || Rejected::uncovered(&format!("a claim `{}`", one_line(kind, 40)));
    let (_, keys) = CLAIMS.iter().find(|(name, _)| *name == kind).ok_or_else(unknown)?;
    value.only("the claim", &[*keys, &["kind"]].concat())?;
    let in_range =
        |key: &str, is_in: fn(&BigRational) -> bool| in_range(value.need(key)?, "a number of the claim", is_in);
    let at_least_zero = |key: &str| in_range(key, |x| !x.is_negative());
    let below_half = |key: &str| match value.get(key) {
        None => Ok(BigRational::zero()),
        Some(_) => in_range(key, |x| !x.is_negative() && *x < BigRational::new(1.into(), 2.into())),
    };
    let unit = |key: &str| in_range(key, |x| !x.is_negative() && *x <= BigRational::one());
    Ok(match kind {
        "pure-dp" => Claim::PureDp { epsilon: epsilon(value, true)? },
        "approx-dp" => Claim::ApproxDp { epsilon: epsilon(value, false)?, delta: at_least_zero("delta")? },
        "advantage" => Claim::Advantage { at_most: at_least_zero("at-most")? },
        "trade-off" => Claim::TradeOff { alpha: unit("alpha")?, beta: unit("beta")? },
        "gdp" => {
            let (tolerance, floor) = (below_half("tolerance")?, below_half("error-floor")?);
            if value.get("error-floor").is_some() && (value.get("tolerance").is_some() || floor.is_zero()) {
                return Err(out_of_range());
            }
            Claim::Gdp { mu: at_least_zero("mu")?, tolerance, floor }
        }
        "zcdp" => Claim::Zcdp { rho: at_least_zero("rho")? },
        "rdp" => {
            Claim::Rdp { order: in_range("order", |x| *x > BigRational::one())?, epsilon: at_least_zero("epsilon")? }
        }
        "dominated-by" => {
            let (other, adjacency) = mechanism::read(value.need("mechanism")?)?;
            Reason::NoCertificateYet.when(!other.members.is_empty(), "domination by what only bounds are known of")?;
            granted.extend(&other.granted);
            if other.granted.contains(&Condition::Guarantee) {
                granted.insert(Condition::LeastPrivate);
            }
            Claim::DominatedBy { other: gaussian_first(&other.steps), adjacency, at_most: at_least_zero("at-most")? }
        }
        "regret" => {
            if granted.contains(&Condition::Guarantee) {
                granted.insert(Condition::LeastPrivate);
            }
            Claim::Regret { mu: at_least_zero("mu")?, at_most: at_least_zero("at-most")? }
        }
        _ => return Err(unknown()),
    })
}
