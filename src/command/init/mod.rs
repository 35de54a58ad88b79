//! `dpcmp init`: a commented claim file, from words on the command line or from answers to questions.
//!
//! What it writes has been read back by the parser. The kinds, their keys and what they mean are those of `input::reference`.

mod ask;
mod draft;

use std::io::{self, BufRead};
use std::path::Path;

use super::beside::{Folder, as_beside};
use super::destination;
use super::exit_code::ExitCode;
use super::given::show;
use super::output::{StdoutClosed, complain, say};
use super::session::Session;
use crate::input::claim_file_beside;
use crate::input::reference::{CLAIMS, Entry, MECHANISMS};
use ask::{Asker, Ended};
pub use draft::parts;
use draft::{Draft, Table};

/// What is given on the command line.
pub struct Init<'a> {
    /// The kind of the mechanism, and `KEY=VALUE` for each of its keys. Without them it is asked for.
    pub mechanism: &'a [String],
    /// Claims, as `kind:key=value[,key=value]`.
    pub claims: &'a [String],
    /// What the claims are about.
    pub title: Option<&'a str>,
    /// Where they were published.
    pub source: Option<&'a str>,
    /// Where the file goes; standard output without it.
    pub output: Option<&'a Path>,
}

/// Writes a claim file.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, asked: &Init<'_>) -> Result<ExitCode, StdoutClosed> {
    if let Some(path) = asked.output.filter(|path| path.exists()) {
        let path = path.display();
        complain(&format!(
            "`{path}` is there already; name another file, or remove it first"
        ));
        return Ok(ExitCode::BadInput);
    }
    let draft = match asked.mechanism {
        [] => ask_for_it(asked),
        words => given(asked, words),
    };
    let text = match draft.and_then(|draft| read_back(asked, &draft)) {
        Ok(text) => text,
        Err(message) => {
            if !message.is_empty() {
                complain(&message);
            }
            return Ok(ExitCode::BadInput);
        }
    };
    let Some(path) = asked.output else {
        session.print(&text)?;
        return Ok(ExitCode::Done);
    };
    if let Err(error) = destination::write(path, text.as_bytes()) {
        complain(&format!("cannot write `{}`: {error}", path.display()));
        return Ok(ExitCode::BadInput);
    }
    say(&format!(
        "written: {path}; next: dpcmp verify {path}",
        path = path.display()
    ));
    Ok(ExitCode::Done)
}

/// The draft that the words of the command line give.
fn given(asked: &Init<'_>, words: &[String]) -> Result<Draft, String> {
    let Some((kind, pairs)) = words.split_first() else {
        return Err("there is no mechanism".to_owned());
    };
    let mechanism = Table::of(entry(kind, MECHANISMS, "mechanism")?, pairs)?;
    if asked.claims.is_empty() {
        return Err(
            "nothing is claimed; add `--claim KIND:key=value`, for instance `--claim approx-dp:epsilon=8,delta=1e-5`"
                .to_owned(),
        );
    }
    Ok(Draft {
        title: asked.title.map(str::to_owned),
        source: asked.source.map(str::to_owned),
        mechanism,
        claims: asked
            .claims
            .iter()
            .map(|text| claim(text))
            .collect::<Result<_, _>>()?,
    })
}

/// A claim from `kind:key=value,…`.
fn claim(text: &str) -> Result<Table, String> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let entry = entry(kind, CLAIMS, "claim")?;
    let pairs: Vec<String> = draft::parts(rest).map(str::to_owned).collect();
    Table::of(entry, &pairs)
}

/// The entry of this kind.
fn entry(kind: &str, entries: &'static [Entry], what: &str) -> Result<&'static Entry, String> {
    if let Some(entry) = entries.iter().find(|entry| entry.kind == kind) {
        return Ok(entry);
    }
    let nearest = entries
        .iter()
        .map(|entry| (strsim::damerau_levenshtein(kind, entry.kind), entry.kind))
        .min()
        .filter(|(distance, _)| *distance <= 3);
    let kind = crate::report::name(kind);
    Err(match nearest {
        Some((_, near)) => format!("there is no {what} {kind}; did you mean {near}?"),
        None => {
            let kinds: Vec<&str> = entries.iter().map(|entry| entry.kind).collect();
            let kinds = kinds.join(", ");
            format!(
                "there is no {what} {kind}; there are {kinds}; `dpcmp help claims` says what each is"
            )
        }
    })
}

/// Asks until the parser reads what was answered.
fn ask_for_it(asked: &Init<'_>) -> Result<Draft, String> {
    let ended = |_: Ended| {
        "the answers end before the claim file is whole; on the command line it is `dpcmp init KIND KEY=VALUE… --claim KIND:key=value`, for instance `dpcmp init dp-sgd noise-multiplier=1 sample-rate=0.01 steps=1000 --claim approx-dp:epsilon=8,delta=1e-5`"
            .to_owned()
    };
    let lines = io::stdin().lock().lines().map_while(Result::ok);
    let mut asker = Asker::new(lines);
    asker.say("Numbers are read exactly: 9.4, 1e-5, 16384/50000. An empty answer leaves out what may be left out, `?` shows the choices.");
    let title = match asked.title {
        Some(title) => Some(title.to_owned()),
        None => asker
            .text("title: what the claims are about")
            .map_err(ended)?,
    };
    let source = match asked.source {
        Some(source) => Some(source.to_owned()),
        None => asker
            .text("source: where they were published")
            .map_err(ended)?,
    };
    loop {
        let mechanism = asker
            .table("mechanism", MECHANISMS, "dp-sgd")
            .map_err(ended)?;
        let mut claims = Vec::new();
        for text in asked.claims {
            claims.push(claim(text)?);
        }
        while claims.is_empty() || asker.again("another claim").map_err(ended)? {
            claims.push(asker.table("claim", CLAIMS, "approx-dp").map_err(ended)?);
        }
        let draft = Draft {
            title: title.clone(),
            source: source.clone(),
            mechanism,
            claims,
        };
        match read_back(asked, &draft) {
            Ok(_) => return Ok(draft),
            // The parser has said what is wrong.
            Err(_) => {
                asker.say("That is no claim file yet; the mechanism and the claims once more.")
            }
        }
    }
}

/// The text of the draft, if the parser reads it; otherwise it has been said what is wrong.
fn read_back(asked: &Init<'_>, draft: &Draft) -> Result<String, String> {
    let text = draft.text();
    let name = asked.output.map_or_else(
        || "claim file".to_owned(),
        |path| path.display().to_string(),
    );
    // Files that it names stand beside it; without one, here.
    let here = asked.output.unwrap_or_else(|| Path::new("./claim.toml"));
    let folder = Folder::beside(here);
    match claim_file_beside(&name, text.as_bytes(), as_beside(folder.as_ref())) {
        Ok(_) => Ok(text),
        Err(error) => {
            show(&error);
            Err(String::new())
        }
    }
}
