//! The certificate as a whole: its form, the claim file in it, what is said to be proved, and under which conditions.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sha2::{Digest, Sha256};

use crate::claim::{Form, read};
use crate::proof::{integer, prove};
use crate::value::json;
use crate::work::{begin, explained};
use crate::*;

const SCHEMA: &str = "dpcmp.certificate/2";

/// Longest certificate that is read, in bytes.
pub(crate) const LONGEST: u64 = 4 << 20;

/// What a check may be told.
///
/// ```
/// use dpcmp_check::{Options, Reason, check};
/// let certificate = std::fs::read("examples/answers.json")?;
/// let options = Options::default().claim_file(b"another file");
/// assert_eq!(check(&certificate, &options).unwrap_err().reason, Reason::AnotherClaimFile);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    claim_file: Option<&'a [u8]>,
    stop: Option<Arc<AtomicBool>>,
}

impl<'a> Options<'a> {
    /// Requires the claim file in the certificate to be this one, byte by byte.
    #[must_use]
    pub fn claim_file(self, text: &'a [u8]) -> Self {
        Self { claim_file: Some(text), ..self }
    }

    /// Stops soon after another thread has set the flag; the reason is then [`Reason::Stopped`].
    #[must_use]
    pub fn stop(self, flag: Arc<AtomicBool>) -> Self {
        Self { stop: Some(flag), ..self }
    }
}

/// Checks a certificate: derives what it says anew from the claim file in it.
///
/// # Errors
/// If the certificate is not accepted: why and where.
///
/// ```
/// let certificate = std::fs::read("examples/answers.json")?;
/// let accepted = dpcmp_check::check(&certificate, &Default::default())?;
/// println!("{}: {}", accepted.sha256, accepted.statement);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(certificate: &[u8], options: &Options<'_>) -> Result<Accepted, Rejected> {
    begin(options.stop.clone());
    let is_long = u64::try_from(certificate.len()).map_or(true, |n| n > LONGEST);
    Reason::Limit.when(is_long, "the file is longer than 4 MiB")?;
    let text = std::str::from_utf8(certificate)
        .map_err(|_| Rejected::new(Reason::Unreadable, "the certificate is not UTF-8 text"))?;
    let certificate = json(text)?;
    let keys = ["claim", "claim-file", "conditions", "proof", "schema", "statement", "verdict", "version"];
    certificate.only("the certificate", &keys)?;
    let words = |key: &str| certificate.need(key)?.text(key);
    Reason::Malformed.when(words("schema")? != SCHEMA, &format!("the schema is not {SCHEMA}"))?;
    let is_canonical = format!("{}\n", certificate.canonical()) == text;
    Reason::NotCanonical.when(!is_canonical, "the text is not what `dpcmp` writes of these values")?;
    let verdict = Verdict::of_word(words("verdict")?);
    let verdict = verdict.ok_or_else(|| Rejected::malformed("the verdict is neither verified nor refuted"))?;
    let written_by = words("version")?;
    Reason::Malformed.when(!is_version(written_by), "`version` is not the version of a program, such as 1.2.3")?;
    let file = certificate.need("claim-file")?;
    file.only("`claim-file`", &["form", "sha256", "text"])?;
    let form = Form::of_word(file.need("form")?.text("`form`")?);
    let form = form.ok_or_else(|| Rejected::malformed("`form` is neither file nor line").at(Place::ClaimFile))?;
    let claim_text = file.need("text")?.text("the text of the claim file")?;
    let sha256: String = Sha256::digest(claim_text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let of_file = |no: Rejected| no.at(Place::ClaimFile);
    let is_other = file.need("sha256")?.text("`sha256`")? != sha256;
    Reason::Hash.when(is_other, &format!("the SHA-256 of the claim file is {sha256}")).map_err(of_file)?;
    let is_other = options.claim_file.is_some_and(|beside| beside != claim_text.as_bytes());
    Reason::AnotherClaimFile.when(is_other, "the claim file inside differs from the one given").map_err(of_file)?;
    let claim = integer(certificate.need("claim")?)?;
    let claim = usize::try_from(claim).map_err(|_| Rejected::malformed("`claim` is not a number"))?;
    let file = read(claim_text, form, claim).map_err(|no| no.at(Place::ClaimFile))?;
    let statement = Statement { claim: file.claim.clone(), verdict, adjacency: file.mechanism.adjacency };
    let sentence = statement.to_string();
    let is_other = words("statement")? != sentence;
    Reason::Statement.when(is_other, &format!("what the claim file claims is: {sentence}"))?;
    let stated = certificate.need("conditions")?.list("`conditions`")?;
    let stated = stated.iter().map(|a| a.text("a condition")).collect::<Result<Vec<_>>>()?;
    let conditions: Vec<_> = std::iter::once(Condition::ClaimFile).chain(file.granted.iter().copied()).collect();
    let needed: Vec<_> = conditions.iter().map(ToString::to_string).collect();
    Reason::Conditions.when(stated != needed, &format!("the proof needs: {}", needed.join("; ")))?;
    let proof = certificate.need("proof")?;
    prove(&file, verdict == Verdict::Verified, proof).map_err(|no| no.at(Place::Proof))?;
    let steps = file.mechanism.steps.into_iter();
    Ok(Accepted {
        statement,
        claim,
        stated: file.stated,
        mechanism: steps.map(|(step, times)| Steps { step, times }).collect(),
        conditions,
        title: file.title,
        source: file.source,
        notes: file.notes,
        sha256,
        written_by: written_by.to_owned(),
        checked_by: env!("CARGO_PKG_VERSION"),
        explanation: explained(),
    })
}

/// Nothing that can be taken for a word of this program.
fn is_version(text: &str) -> bool {
    text.len() <= 32
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-'))
}
