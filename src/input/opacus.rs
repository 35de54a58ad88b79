//! The state of an Opacus accountant.
//!
//! `accountant.state_dict()` of Opacus is `{"history": [[noise multiplier, sample rate, steps], …], "mechanism": name}`
//! with the accountant's name `rdp`, `gdp` or `prv`; a checkpoint has it under `privacy_accountant_state_dict`. The name says how Opacus would account, not what was
//! run, so it is only noted.

use super::{
    dp_sgd,
    fields::{self, Fields, MAX_TIMES, number, string, valid, whole, wrong_type},
    mechanism::{MechanismFile, too_many_runs},
    node::{Node, Table},
    problem::{ErrorCode, Problem},
};
use crate::mechanism::{Adjacency, Domain, Mechanism};

/// The key of the state in what `PrivacyEngine.save_checkpoint` saves, beside the states of module and optimizer and whatever the caller adds.
pub(crate) const IN_CHECKPOINT: &str = "privacy_accountant_state_dict";

/// Whether a table is an Opacus state, or a checkpoint with one, rather than a mechanism of dpcmp.
pub(crate) fn looks_like_state(table: &Table) -> bool {
    (table.has("history") || table.has(IN_CHECKPOINT)) && !table.has("kind")
}

/// Reads the state as Poisson-subsampled Gaussian steps under add-remove adjacency.
pub(crate) fn read_state(node: &Node, table: &Table) -> Result<MechanismFile, Problem> {
    // What else is in a checkpoint says nothing of privacy.
    match table.get(IN_CHECKPOINT) {
        None => read_history(node, table),
        Some(entry) => {
            let state = fields::table(&entry.node, "`privacy_accountant_state_dict`")?;
            read_history(&entry.node, state)
        }
    }
}

fn read_history(node: &Node, table: &Table) -> Result<MechanismFile, Problem> {
    let fields = Fields::new(
        table,
        "an Opacus accountant state",
        &node.span,
        &["history", "mechanism"],
    )?;
    let history = fields.required("history")?;
    let items = fields.counted("history")?;
    if items.is_empty() {
        let message = "the history is empty: the accountant has seen no step";
        return Err(Problem::new(ErrorCode::Range, &history.span, message)
            .help("save the state after training"));
    }
    let phases = items.iter().map(|(item, times)| {
        let (step, count) = phase(item)?;
        let count = count.checked_mul(*times);
        Ok((step, count.ok_or_else(|| too_many_runs(&item.span))?))
    });
    let phases = phases.collect::<Result<Vec<_>, Problem>>()?;
    let count = items.iter().map(|(_, times)| *times);
    let count = count.fold(0u64, u64::saturating_add);
    let composition = dp_sgd::total(phases).map_err(|_| too_many_runs(&history.span))?;
    let accountant = match fields.optional("mechanism") {
        None => "unnamed".to_owned(),
        Some(node) => format!("\"{}\"", string(node, "`mechanism`")?.escape_debug()),
    };
    Ok(MechanismFile {
        mechanism: composition,
        adjacency: Adjacency::AddRemove,
        summary: "opacus-state".to_owned(),
        notes: vec![format!(
            "read from an Opacus accountant state (accountant {accountant}), {count} {}",
            if count == 1 { "phase" } else { "phases" }
        )],
    })
}

fn phase(item: &Node) -> Result<(Mechanism, u64), Problem> {
    match item.as_array() {
        Some([noise, rate, steps]) => {
            let phase = dp_sgd::steps(
                number(noise, "the noise multiplier in `history`", Domain::Positive)?,
                number(rate, "the sample rate in `history`", Domain::Rate)?,
                whole(steps, "the number of steps in `history`", 1, MAX_TIMES)?,
            );
            valid(item, phase)
        }
        _ => Err(wrong_type(
            item,
            "each entry of `history`",
            "a list [noise multiplier, sample rate, steps]",
        )),
    }
}
