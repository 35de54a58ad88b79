//! What was proved, in types and in words.

use std::fmt;

use crate::reason::{columns, words};
use crate::*;

words! {
    /// Is the claim true or false?
    ///
    /// ```
    /// use dpcmp_check::{Verdict, check};
    /// let certificate = std::fs::read("examples/answers.json")?;
    /// assert_eq!(check(&certificate, &Default::default())?.statement.verdict, Verdict::Verified);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Verdict:
    /// True.
    Verified = "verified",
    /// False.
    Refuted = "refuted",
}

words! {
    /// Which neighbouring data sets a claim is about; (P, Q) is the dominating pair, P without the record.
    ///
    /// ```
    /// use dpcmp_check::Adjacency;
    /// assert_eq!(Adjacency::AddRemove.to_string(), "add-remove");
    /// ```
    Adjacency:
    /// Both orders of the pair.
    AddRemove = "add-remove",
    /// (P, Q)
    Remove = "remove",
    /// (Q, P)
    Add = "add",
    /// One record is replaced by another: both orders of the pair of the two.
    ReplaceOne = "replace-one",
    /// One record is replaced by a special one that contributes nothing: both orders.
    ReplaceSpecial = "replace-special",
}

/// What a claim file claims.
///
/// ```
/// use dpcmp_check::{BigRational, Claim, check};
/// let certificate = std::fs::read("examples/answers.json")?;
/// let accepted = check(&certificate, &Default::default())?;
/// let half = BigRational::new(1.into(), 2.into());
/// assert_eq!(accepted.statement.claim, Claim::Advantage { at_most: half });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // a variant's line tells its fields
pub enum Claim {
    /// δ(ε) = 0.
    PureDp { epsilon: Epsilon },
    /// δ(ε) ≤ δ.
    ApproxDp { epsilon: Epsilon, delta: BigRational },
    /// δ(0) ≤ x, `at_most` = x.
    Advantage { at_most: BigRational },
    /// f(α) ≥ β.
    TradeOff { alpha: BigRational, beta: BigRational },
    /// f(α) ≥ G_μ(α + τ) − τ, `tolerance` = τ, wherever α and G_μ(α) are at least the error `floor`; τ or the floor is 0.
    Gdp { mu: BigRational, tolerance: BigRational, floor: BigRational },
    /// D_t ≤ ρ·t at every order t > 1.
    Zcdp { rho: BigRational },
    /// D_t ≤ ε, the Rényi divergence of the `order` t > 1.
    Rdp { order: BigRational, epsilon: BigRational },
    /// f(α) ≥ f̃(α + x) − x, `at_most` = x, f̃ of the `other` mechanism; `adjacency` says which orders of its pair count.
    DominatedBy { other: Parts, adjacency: Adjacency, at_most: BigRational },
    /// G_μ(α) ≥ f(α + x) − x, `at_most` = x: the mechanism is at most x more private than Gaussian noise.
    Regret { mu: BigRational, at_most: BigRational },
}

impl Claim {
    /// Does the verdict say that a mechanism reveals little, so that it is proved of what reveals more? A regret is small where
    /// a mechanism reveals enough.
    pub(crate) fn is_of_bound(&self, verified: bool) -> bool {
        verified != matches!(self, Self::Regret { .. })
    }
}

/// A claim about a mechanism, or its negation: what is proved.
///
/// ```
/// let certificate = std::fs::read("examples/answers.json")?;
/// let accepted = dpcmp_check::check(&certificate, &Default::default())?;
/// assert_eq!(accepted.statement.to_string(), "delta(0) <= 1/2, adjacency add-remove");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statement {
    /// The claim.
    pub claim: Claim,
    /// Is it true or false?
    pub verdict: Verdict,
    /// Of which orders of the pair.
    pub adjacency: Adjacency,
}

/// A step that runs some number of times.
///
/// ```
/// let certificate = std::fs::read("examples/answers.json")?;
/// let accepted = dpcmp_check::check(&certificate, &Default::default())?;
/// assert_eq!(accepted.mechanism[0].times, 2);
/// assert_eq!(accepted.mechanism[0].to_string(), "2 x randomised response of epsilon = 1/2 among 2 answers");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Steps {
    /// The step.
    pub step: Step,
    /// How often it runs.
    pub times: u64,
}

/// A certificate that is accepted: what was proved, of what, and how.
///
/// Texts of the claim file are as they stand there: [`one_line`](crate::one_line) makes them fit to be printed. Displayed,
/// it is the record that `dpcmp-check` prints, `{:#}` with the proof.
///
/// ```
/// let certificate = std::fs::read("examples/answers.json")?;
/// let accepted = dpcmp_check::check(&certificate, &Default::default())?;
/// assert_eq!(accepted.title.as_deref(), Some("Two answers"));
/// assert!(accepted.to_string().contains("  proved     delta(0) <= 1/2, adjacency add-remove\n"));
/// assert!(format!("{accepted:#}").ends_with("The bound of delta implies the statement."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accepted {
    /// What was proved.
    pub statement: Statement,
    /// Which claim of the file that is, from 0.
    pub claim: usize,
    /// The mechanism in the words of the claim file: its keys, and numbers as they are written there.
    pub stated: String,
    /// The same as the proof sees it, as steps.
    pub mechanism: Vec<Steps>,
    /// What was not proved.
    pub conditions: Vec<Condition>,
    /// The title of the claim file.
    pub title: Option<String>,
    /// The source that it names.
    pub source: Option<String>,
    /// Keys at the top of a line of a `.jsonl` file that were passed over.
    pub notes: Vec<String>,
    /// Of the claim file, in hexadecimal.
    pub sha256: String,
    /// Version of the `dpcmp` that wrote the certificate, as it says itself.
    pub written_by: String,
    /// Version of this checker.
    pub checked_by: &'static str,
    /// The proof in words, a sentence for each step.
    pub explanation: Vec<String>,
}

impl fmt::Display for Statement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verified = self.verdict == Verdict::Verified;
        let (at_most, at_least, which) = if verified { ("<=", ">=", "every") } else { (">", "<", "some") };
        match &self.claim {
            Claim::PureDp { epsilon } => write!(out, "delta({epsilon}) {} 0", if verified { "=" } else { ">" }),
            Claim::ApproxDp { epsilon, delta } => write!(out, "delta({epsilon}) {at_most} {delta}"),
            Claim::Advantage { at_most: bound } => write!(out, "delta(0) {at_most} {bound}"),
            Claim::TradeOff { alpha, beta } => write!(out, "f({alpha}) {at_least} {beta}"),
            Claim::Gdp { mu, floor, .. } if !floor.is_zero() => {
                let which = if verified { "wherever" } else { "for some alpha where" };
                write!(
                    out,
                    "f(alpha) {at_least} G_mu(alpha) {which} alpha and G_mu(alpha) are at least {floor}, mu = {mu}"
                )
            }
            Claim::Gdp { mu, tolerance, .. } => {
                write!(out, "f(alpha) {at_least} G_mu(alpha + {tolerance}) - {tolerance} for {which} alpha, mu = {mu}")
            }
            Claim::Zcdp { rho } => {
                let both = match (self.adjacency.is_both(), verified) {
                    (true, _) => "",
                    (false, true) => ", in both orders of the pair",
                    (false, false) => ", in one of the two orders of the pair",
                };
                write!(out, "D_t {at_most} {rho}*t for {which} order t > 1{both}")
            }
            Claim::Rdp { order, epsilon } => write!(out, "D_t {at_most} {epsilon} for the order t = {order}"),
            Claim::Regret { mu, at_most: x } => {
                write!(out, "G_mu(alpha) {at_least} f(alpha + {x}) - {x} for {which} alpha, mu = {mu}")
            }
            Claim::DominatedBy { adjacency, at_most: x, .. } => {
                write!(
                    out,
                    "f(alpha) {at_least} h(alpha + {x}) - {x} for {which} alpha, h of the other mechanism with adjacency {adjacency}"
                )
            }
        }?;
        write!(out, ", adjacency {}", self.adjacency)
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(epsilon) => write!(out, "{epsilon}"),
            Self::LogOf(odds) => write!(out, "log {odds}"),
        }
    }
}

impl fmt::Display for Noise {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gaussian { square } => write!(out, "Gaussian noise, shifts in units of mu with mu^2 = {square}"),
            Self::Laplace { unit } => write!(out, "Laplace noise, shifts in units of {unit}"),
            Self::DiscreteGaussian { square, parties: 1 } => {
                write!(out, "discrete Gaussian noise of sigma^2 = {square}")
            }
            Self::DiscreteGaussian { square, parties } => {
                write!(out, "discrete Gaussian noise of sigma^2 = {square} of each of {parties} parties")
            }
            Self::DiscreteLaplace { scale } => write!(out, "discrete Laplace noise of scale = {scale}"),
            Self::Truncated { scale, last } => write!(out, "geometric noise of scale = {scale}, up to {last}"),
            Self::Skellam { mean } => write!(out, "Skellam noise of mean = {mean}"),
        }
    }
}

/// Several steps, one after the other.
fn parts_in_words(parts: &Parts) -> String {
    let one = |(step, times): &(Step, u64)| if *times == 1 { step.to_string() } else { format!("{times} x {step}") };
    parts.iter().map(one).collect::<Vec<_>>().join(" and ")
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shifts = |shifts: &Shifts| {
            let list: Vec<_> = shifts.iter().map(|(weight, shift)| format!("{shift} (weight {weight})")).collect();
            list.join(", ")
        };
        match self {
            Step::Gaussian { square } => write!(out, "Gaussian noise of mu^2 = {square}"),
            Step::Laplace { epsilon } => write!(out, "Laplace noise of epsilon = {epsilon}"),
            Step::Response { epsilon, k } => {
                write!(out, "randomised response of epsilon = {epsilon} among {k} answers")
            }
            Step::ResponseOrUniform { epsilon, k } => {
                write!(out, "randomised response of epsilon = {epsilon} against a uniform one of {k} answers")
            }
            Step::Finite { p, .. } => write!(out, "two probability vectors of {} outcomes", p.len()),
            Step::Selected { runs, p, .. } => {
                let (law, mean, outcomes) = (runs.law(), &runs.mean, p.len());
                write!(out, "the best of {law} number of runs, {mean} in the mean, of {outcomes} outcomes")
            }
            Step::Guarantee { points } => {
                let points: Vec<_> = points.iter().map(|(epsilon, delta)| format!("({epsilon}, {delta})")).collect();
                write!(out, "anything of which (epsilon, delta)-privacy is known: {}", points.join(", "))
            }
            Step::Zcdp { rho } => write!(out, "anything that is zCDP with rho = {rho}"),
            Step::Rdp { orders } => {
                let orders: Vec<_> = orders.iter().map(|(order, epsilon)| format!("({order}, {epsilon})")).collect();
                write!(out, "anything of which (order, epsilon) Renyi privacy is known: {}", orders.join(", "))
            }
            Step::Shifted { noise, without, with } => {
                write!(out, "{noise}, down by {} without the record, up by {} with it", shifts(without), shifts(with))
            }
            Step::Sampled { rate, of } => write!(out, "{} on a Poisson sample of rate {rate}", parts_in_words(of)),
            Step::Labelled { of } => {
                let parts: Vec<_> =
                    of.iter().map(|(weight, parts)| format!("{} (weight {weight})", parts_in_words(parts))).collect();
                write!(out, "one of several, told which: {}", parts.join("; "))
            }
            Step::Choice { epsilon, is_flip } => {
                let noise = if *is_flip { "exponential" } else { "Gumbel" };
                write!(out, "a choice by score with {noise} noise, of epsilon = {epsilon}")
            }
            Step::Released { noise, place } => write!(out, "release of a new key where {noise} is at least {place}"),
            Step::Largest { square, answers, without } => write!(
                out,
                "the largest of {answers} answers with Gaussian noise of sigma^2 = {square}, one moved by 2, or {without} without the record"
            ),
            Step::Shuffled { of, others, epsilon } => write!(out, "epsilon = {epsilon} shuffled among {others}: {of}"),
            Step::Worst { of } => {
                let turned = |(is_turned, step): &(bool, Step)| {
                    if *is_turned { format!("{step}, turned around") } else { step.to_string() }
                };
                write!(out, "the worst of: {}", of.iter().map(turned).collect::<Vec<_>>().join("; "))
            }
        }
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} x {}", self.times, self.step)
    }
}

const NEXT_LINE: &str = "\n             "; // before the second line of a field
const LINE: usize = 64; // columns of quoted text in a line
const ALL: usize = 256; // and in all
const MOST_NOTES: usize = 16;

impl fmt::Display for Accepted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |items: Vec<String>| items.join(NEXT_LINE);
        let mechanism = lines(self.mechanism.iter().map(ToString::to_string).collect());
        for (name, text) in [("title ", &self.title), ("source", &self.source)] {
            if let Some(text) = text {
                writeln!(out, "  {name}     {}", quoted(text))?;
            }
        }
        if !self.notes.is_empty() {
            let mut names: Vec<_> = self.notes.iter().take(MOST_NOTES).map(|key| quoted(key)).collect();
            if self.notes.len() > MOST_NOTES {
                names.push(format!("and {} others", self.notes.len() - MOST_NOTES));
            }
            writeln!(out, "  ignored    {}", lines(names))?;
        }
        writeln!(out, "  mechanism  {}", wrapped(&self.stated))?;
        if let Claim::DominatedBy { other, .. } = &self.statement.claim {
            writeln!(out, "  other      {}", wrapped(&parts_in_words(other)))?;
        }
        writeln!(out, "  proved     {}", self.statement)?;
        let is_true = self.statement.verdict == Verdict::Verified;
        writeln!(out, "  verdict    the claim is {is_true}")?;
        writeln!(out, "  provided   {}", lines(self.conditions.iter().map(ToString::to_string).collect()))?;
        writeln!(out, "  claim file sha256 {}", self.sha256)?;
        write!(out, "  written by dpcmp {}, checked by dpcmp-check {}", self.written_by, self.checked_by)?;
        if !out.alternate() {
            return Ok(());
        }
        // zCDP is about both orders of the pair.
        let is_zcdp = matches!(self.statement.claim, Claim::Zcdp { .. });
        let directions = if is_zcdp { Adjacency::AddRemove } else { self.statement.adjacency }.directions();
        let orders: Vec<_> = directions.iter().map(ToString::to_string).collect();
        let (sum, claim, orders) = (&self.sha256, self.claim, orders.join(" and "));
        writeln!(out, "\nThe SHA-256 of the claim file inside is {sum}. Its text describes{NEXT_LINE}{mechanism}")?;
        write!(out, "in the orders {orders} of the pair. ")?;
        write!(out, "To be proved, of claim {claim} (the first is 0): {}.", self.statement)?;
        self.explanation.iter().try_for_each(|sentence| write!(out, "\n{sentence}"))
    }
}

/// Free text: in quotes and short, so that none of it can be taken for a word of the checker.
fn quoted(text: &str) -> String {
    wrapped(&format!("\"{}\"", one_line(text, ALL).replace('\\', "\\\\").replace('"', "\\\"")))
}

/// Broken into lines before a terminal does it, so that no part of a text begins a line.
fn wrapped(text: &str) -> String {
    // `key = value` stays on one line.
    let text = text.replace(" = ", "\u{a0}=\u{a0}");
    let (mut out, mut width) = (String::new(), 0);
    for (place, word) in text.split(' ').enumerate() {
        if place > 0 && width + 1 + word.chars().map(columns).sum::<usize>() <= LINE {
            out.push(' ');
            width += 1;
        } else if place > 0 {
            out.push_str(NEXT_LINE);
            width = 0;
        }
        for c in word.chars() {
            if width + columns(c) > LINE {
                out.push_str(NEXT_LINE);
                width = 0;
            }
            out.push(if c == '\u{a0}' { ' ' } else { c });
            width += columns(c);
        }
    }
    out
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
