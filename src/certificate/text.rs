//! The text of a certificate: canonical JSON, the sentence proved, the conditions.

use rug::Rational;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::input::GdpForm;
use crate::mechanism::{Adjacency, Conditions, Epsilon, StatedEpsilon};
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
    /// What is taken for granted about the mechanism.
    pub conditions: Conditions,
    pub verified: bool,
}

impl Heading<'_> {
    /// The certificate with this proof.
    pub fn certificate(&self, proof: Value) -> String {
        let digest = Sha256::digest(self.file.as_bytes());
        let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut conditions = vec!["the mechanism is the one that the claim file describes"];
        if self.conditions.real_noise {
            conditions.push(
                "its noise is real-valued: effects of floating-point arithmetic are not modelled",
            );
        }
        if self.conditions.poisson_sampling {
            conditions.push("batches are Poisson-sampled");
        }
        if self.conditions.guarantee {
            conditions.push("what is said is of the least private mechanisms with the stated guarantee, in both orders of the pair: others reveal no more");
        }
        let others = [
            (
                self.conditions.limited_participation,
                "every record takes part in no more steps, and no closer ones, than stated, with `epochs` once in each and always at the same place, whoever else is there",
            ),
            (
                self.conditions.truncated_batches,
                "of a batch that is too large, a uniform choice of the largest size stays; with zero-out the special record can be chosen, too",
            ),
            (
                self.conditions.fixed_batches,
                "every batch is a uniform choice of its size, independent of the others",
            ),
            (
                self.conditions.shuffled_batches,
                "batches are parts of a fresh permutation in every epoch, a record that is absent leaves its place in its batch empty, and every model is released",
            ),
            (
                self.conditions.random_allocation,
                "the steps of each record are drawn at random, uniformly, anew in every epoch and for each record by itself",
            ),
            (
                self.conditions.random_runs,
                "the number of runs is drawn before they are looked at, only equal outcomes tie, and only the best one is released, by whichever ranking reveals most where none is stated",
            ),
            (
                self.conditions.shuffled_reports,
                "all users run the same randomiser, what is stated of it holds between any two values, special ones too, and nobody can tell whose report is whose",
            ),
            (
                self.conditions.together,
                "the records of a group are all there, or none of them is",
            ),
            (
                self.conditions.exchanged,
                "of a group all records may be replaced, each by another",
            ),
            (
                self.conditions.counts,
                "a record adds to one cell of a histogram, or to the counts of its keys, and takes nothing away",
            ),
            (
                self.conditions.sampled_groups,
                "a sample holds all records of a group, or none of them, and its sizes count groups",
            ),
            (
                self.conditions.sampled_responses,
                "a record that does not take part in a step answers in it as one that is not there, or is special; where records are replaced, in the way that reveals most",
            ),
            (
                self.conditions.special_responses,
                "a special record is answered for at random, every answer as likely as any other",
            ),
            (
                self.conditions.shared_keys,
                "any number of other records may share a released key",
            ),
            (
                self.is_from_a_class(),
                "a regret, and a divergence from what is stated by a guarantee, is that of the least private mechanisms, and can be larger for others",
            ),
        ];
        conditions.extend(
            others
                .into_iter()
                .filter(|(is, _)| *is)
                .map(|(_, word)| word),
        );
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

    /// Is it a regret of a class of mechanisms, or a divergence from one? Both grow as the mechanism becomes more private.
    fn is_from_a_class(&self) -> bool {
        match self.claim.stated() {
            StatedClaim::Regret { .. } => self.conditions.guarantee,
            StatedClaim::DominatedBy { other, .. } => {
                other.mechanism().steps().conditions().guarantee
            }
            StatedClaim::PureDp { .. }
            | StatedClaim::ApproxDp { .. }
            | StatedClaim::Gdp { .. }
            | StatedClaim::Advantage { .. }
            | StatedClaim::TradeOff { .. }
            | StatedClaim::Zcdp { .. }
            | StatedClaim::Rdp { .. } => false,
        }
    }

    /// What is proved.
    fn sentence(&self) -> String {
        let (at_most, at_least) = if self.verified {
            ("<=", ">=")
        } else {
            (">", "<")
        };
        let core = match self.claim.stated() {
            StatedClaim::PureDp { epsilon } => {
                let sign = if self.verified { "=" } else { ">" };
                format!("delta({}) {sign} 0", place(epsilon))
            }
            StatedClaim::ApproxDp { epsilon, delta } => {
                format!("delta({}) {at_most} {delta}", place(epsilon))
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
                self.below_gaussian(mu, &tau)
            }
            StatedClaim::Zcdp { rho } => {
                let which = self.every();
                let is_both = self.adjacency == self.adjacency.both_directions();
                let both = match (is_both, self.verified) {
                    (true, _) => "",
                    (false, true) => ", in both orders of the pair",
                    (false, false) => ", in one of the two orders of the pair",
                };
                format!("D_t {at_most} {rho}*t for {which} order t > 1{both}")
            }
            StatedClaim::Rdp { order, epsilon } => {
                format!("D_t {at_most} {epsilon} for the order t = {order}")
            }
            StatedClaim::Regret { mu, at_most: x } => {
                let which = self.every();
                format!("G_mu(alpha) {at_least} f(alpha + {x}) - {x} for {which} alpha, mu = {mu}")
            }
            StatedClaim::DominatedBy { other, at_most: x } => {
                let (which, of) = (self.every(), other.adjacency().as_str());
                format!(
                    "f(alpha) {at_least} h(alpha + {x}) - {x} for {which} alpha, h of the other mechanism with adjacency {of}"
                )
            }
        };
        let adjacency = self.adjacency.as_str();
        format!("{core}, adjacency {adjacency}")
    }

    fn below_gaussian(&self, mu: &Rational, tau: &Rational) -> String {
        let (sign, which) = (if self.verified { ">=" } else { "<" }, self.every());
        format!("f(alpha) {sign} G_mu(alpha + {tau}) - {tau} for {which} alpha, mu = {mu}")
    }

    fn every(&self) -> &'static str {
        if self.verified { "every" } else { "some" }
    }
}

/// A place on the axis of ε, as the checker writes it.
pub(super) fn place(epsilon: &Epsilon) -> String {
    match epsilon.stated() {
        StatedEpsilon::Number(epsilon) => epsilon.to_string(),
        StatedEpsilon::Exp(u) => format!("log {u}"),
    }
}

/// The same value with the keys of all objects in the order of their bytes.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            let mut entries: Vec<(String, Value)> = entries.into_iter().collect();
            entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
            let entries = entries.into_iter().map(|(key, value)| (key, sorted(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        other => other,
    }
}
