//! The text of a certificate: canonical JSON, the sentence proved, the conditions.

use rug::Rational;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::input::GdpForm;
use crate::mechanism::Adjacency;
use crate::statement::{Claim, StatedClaim};

/// What a certificate is about.
pub(super) struct Heading<'a> {
    /// The claim file as read.
    pub file: &'a str,
    /// Is it a line of a `.jsonl` file?
    pub is_line: bool,
    /// Which of its claims, from 0.
    pub index: usize,
    pub claim: &'a Claim,
    pub adjacency: Adjacency,
    pub sampled: bool,
    pub verified: bool,
}

impl Heading<'_> {
    /// The certificate with this proof.
    pub fn certificate(&self, proof: Value) -> String {
        let digest = Sha256::digest(self.file.as_bytes());
        let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut conditions = vec![
            "the mechanism is the one that the claim file describes",
            "its noise is real-valued: effects of floating-point arithmetic are not modelled",
        ];
        if self.sampled {
            conditions.push("batches are Poisson-sampled");
        }
        let certificate = json!({
            "claim": self.index,
            "claim-file": {
                "form": if self.is_line { "line" } else { "file" },
                "sha256": hash,
                "text": self.file,
            },
            "conditions": conditions,
            "proof": proof,
            "schema": "dpcmp.certificate/2",
            "statement": self.sentence(),
            "verdict": if self.verified { "verified" } else { "refuted" },
            "version": env!("CARGO_PKG_VERSION"),
        });
        format!("{}\n", sorted(certificate))
    }

    fn sentence(&self) -> String {
        let (at_most, at_least) = if self.verified {
            ("<=", ">=")
        } else {
            (">", "<")
        };
        let core = match self.claim.stated() {
            StatedClaim::PureDp { epsilon } if self.verified => format!("delta({epsilon}) = 0"),
            StatedClaim::PureDp { epsilon } => format!("delta({epsilon}) > 0"),
            StatedClaim::ApproxDp { epsilon, delta } => {
                format!("delta({epsilon}) {at_most} {delta}")
            }
            StatedClaim::Advantage { at_most: bound } => format!("delta(0) {at_most} {bound}"),
            StatedClaim::TradeOff { alpha, beta } => format!("f({alpha}) {at_least} {beta}"),
            StatedClaim::Gdp {
                mu,
                form: GdpForm::ErrorFloor(floor),
            } if *floor > 0 => {
                let which = if self.verified {
                    "wherever"
                } else {
                    "for some alpha where"
                };
                format!(
                    "f(alpha) {at_least} G_mu(alpha) {which} alpha and G_mu(alpha) are at least {floor}, mu = {mu}"
                )
            }
            StatedClaim::Gdp { mu, form } => {
                let tau = match form {
                    GdpForm::Tolerance(tau) => tau.clone(),
                    _ => Rational::new(),
                };
                let which = if self.verified { "every" } else { "some" };
                format!(
                    "f(alpha) {at_least} G_mu(alpha + {tau}) - {tau} for {which} alpha, mu = {mu}"
                )
            }
            _ => String::new(),
        };
        let adjacency = self.adjacency.as_str();
        format!("{core}, adjacency {adjacency}")
    }
}

/// The same value with the keys of all objects in the order of their bytes.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            let mut entries: Vec<(String, Value)> = entries.into_iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            let entries = entries.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}
