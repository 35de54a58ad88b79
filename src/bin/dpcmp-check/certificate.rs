//! The certificate as a whole: its form, the claim file in it, what is said to be proved, and under which assumptions.

use num_traits::Zero;
use sha2::{Digest, Sha256};

use crate::Reason;
use crate::claim::{Claim, ClaimFile, read};
use crate::proof::{integer, prove};
use crate::value::json;
use crate::work::begin;

const SCHEMA: &str = "dpcmp.certificate/1";

/// What was proved, for the record, and how.
pub struct Accepted {
    pub summary: String,
    pub steps: Vec<String>,
}

/// Checks the text of a certificate; `beside` is the text of the claim file, where it is given too.
pub fn check(text: &str, beside: Option<&str>) -> Result<Accepted, Reason> {
    begin();
    let certificate = json(text)?;
    if format!("{}\n", certificate.canonical()) != text {
        return Err(Reason::malformed("the certificate is not in canonical form"));
    }
    let keys = ["assumptions", "claim", "claim-file", "proof", "schema", "statement", "verdict", "version"];
    certificate.only("the certificate", &keys)?;
    let words = |key: &str| certificate.need(key)?.text(key);
    if words("schema")? != SCHEMA {
        return Err(Reason::malformed(format!("the schema is not {SCHEMA}")));
    }
    let verified = match words("verdict")? {
        "verified" => true,
        "refuted" => false,
        _ => return Err(Reason::malformed("the verdict is neither verified nor refuted")),
    };
    let file = certificate.need("claim-file")?;
    file.only("`claim-file`", &["sha256", "text"])?;
    let claim_text = file.need("text")?.text("the text of the claim file")?;
    let sum: String = Sha256::digest(claim_text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    if file.need("sha256")?.text("`sha256`")? != sum {
        return Err(Reason::rejected("hash", format!("the SHA-256 of the claim file is {sum}")));
    }
    if beside.is_some_and(|beside| beside != claim_text) {
        return Err(Reason::rejected("another-claim-file", "the claim file inside differs from the one given"));
    }
    let index = integer(certificate.need("claim")?)?;
    let file = read(claim_text, usize::try_from(index).map_err(|_| Reason::malformed("`claim` is not a number"))?)?;
    let sentence = sentence(&file, verified);
    if words("statement")? != sentence {
        return Err(Reason::rejected("statement", format!("what the claim file claims is: {sentence}")));
    }
    let assumptions = certificate.need("assumptions")?.list("`assumptions`")?;
    let assumed = assumptions.iter().map(|a| a.text("an assumption")).collect::<Result<Vec<_>, _>>()?;
    let needed = needed_assumptions(&file);
    if assumed != needed {
        return Err(Reason::rejected("assumptions", format!("the proof assumes: {}", needed.join("; "))));
    }
    let described = file.mechanism.steps.iter().map(|(step, times)| format!("{times} x {step}"));
    let described = described.collect::<Vec<_>>().join("\n             ");
    let orders: Vec<_> = file.mechanism.directions.iter().map(ToString::to_string).collect();
    let mut steps = vec![
        format!("The SHA-256 of the claim file inside is {sum}. Its text describes\n             {described}"),
        format!(
            "in the orders {} of the pair. To be proved, of claim {index} (the first is 0): {sentence}.",
            orders.join(" and ")
        ),
    ];
    prove(&file, verified, certificate.need("proof")?, &mut steps)?;
    let shown = |name: &str, text: &str| match text {
        "" => String::new(),
        text => format!("  {name} {}\n", text.escape_debug()),
    };
    let title = shown("title     ", &file.title) + &shown("source    ", &file.source);
    let summary = format!(
        "{title}  mechanism  {described}\n  proved     {sentence}\n  verdict    {}\n  assuming   {}\n  claim file sha256 {sum}\n  written by dpcmp {}, checked by dpcmp-check {}",
        if verified { "the claim is true" } else { "the claim is false" },
        needed.join("\n             "),
        words("version")?.escape_debug(),
        env!("CARGO_PKG_VERSION"),
    );
    Ok(Accepted { summary, steps })
}

/// What is proved, in one sentence.
fn sentence(file: &ClaimFile, verified: bool) -> String {
    let (at_most, at_least) = if verified { ("<=", ">=") } else { (">", "<") };
    let core = match &file.claim {
        Claim::PureDp { epsilon } => format!("delta({epsilon}) {} 0", if verified { "=" } else { ">" }),
        Claim::ApproxDp { epsilon, delta } => format!("delta({epsilon}) {at_most} {delta}"),
        Claim::Advantage { at_most: bound } => format!("delta(0) {at_most} {bound}"),
        Claim::TradeOff { alpha, beta } => format!("f({alpha}) {at_least} {beta}"),
        Claim::Gdp { mu, floor, .. } if !floor.is_zero() => {
            let which = if verified { "wherever" } else { "for some alpha where" };
            format!("f(alpha) {at_least} G_mu(alpha) {which} alpha and G_mu(alpha) are at least {floor}, mu = {mu}")
        }
        Claim::Gdp { mu, tolerance, .. } => {
            let which = if verified { "every" } else { "some" };
            format!("f(alpha) {at_least} G_mu(alpha + {tolerance}) - {tolerance} for {which} alpha, mu = {mu}")
        }
    };
    format!("{core}, adjacency {}", file.adjacency)
}

fn needed_assumptions(file: &ClaimFile) -> Vec<&'static str> {
    let mut all = vec![
        "the mechanism is the one that the claim file describes",
        "its noise is real-valued: effects of floating-point arithmetic are not modelled",
    ];
    if file.sampled {
        all.push("batches are Poisson-sampled");
    }
    all
}
