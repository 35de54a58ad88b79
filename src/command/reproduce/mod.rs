//! `dpcmp reproduce [NAME]`: numbers of the papers beside their enclosures.
//!
//! | file | job |
//! |---|---|
//! | `row` | one number, and how it fares |
//! | `picture` | all of them, drawn |
//! | `laboratory` | asking for what an experiment needs |
//! | `representations` | Gomez et al. 2025, Figure 1c |
//! | `image_models` | Gomez et al. 2025, Tables 2, 4 and 5 |
//! | `conversions` | Gomez et al. 2025, Table 3 |
//! | `rule_of_thumb` | Gomez et al. 2025, Figure 4 and the rule of thumb |
//! | `census` | Gomez et al. 2025, TopDown |
//! | `propositions` | Gomez et al. 2025, Propositions 4.1, 6.1 and 6.2 |
//! | `attack_risks` | Kulynych et al. 2024, Figures 3 to 6 |
//! | `recalibration` | Kaissis et al. 2024, Figures 5 to 7 |
//! | `shuffled` | Chua et al. 2024, shuffled batches over the noise |

mod attack_risks;
mod census;
mod conversions;
mod image_models;
mod laboratory;
mod picture;
mod propositions;
mod recalibration;
mod representations;
mod row;
mod rule_of_thumb;
mod shuffled;

pub use row::{Agreement, Printed, Row};

use super::arguments::Format;
use super::exit_code::ExitCode;
use super::interrupt::internal_error;
use super::output::{StdoutClosed, complain};
use super::session::Session;
use crate::report::{ReproducedRow, reproduction_human, reproduction_json};
use laboratory::{Laboratory, Stop};
use picture::reproduced;

/// An experiment: its name, where it stands, and what computes its rows.
struct Experiment {
    name: &'static str,
    title: &'static str,
    rows: fn(&Laboratory<'_>) -> Result<Vec<Row>, Stop>,
}

const EXPERIMENTS: [Experiment; 9] = [
    Experiment {
        name: "representations",
        title: "Gomez et al. 2025, Figure 1c: regret in percent at δ = 1e-5",
        rows: representations::rows,
    },
    Experiment {
        name: "image-models",
        title: "Gomez et al. 2025, Table 2 against the hyper-parameters of its Tables 4 and 5",
        rows: image_models::rows,
    },
    Experiment {
        name: "conversions",
        title: "Gomez et al. 2025, Table 3: the μ of the Gaussian mechanism with δ(ε) = δ",
        rows: conversions::rows,
    },
    Experiment {
        name: "rule-of-thumb",
        title: "Gomez et al. 2025, Figure 4: σ ≥ 2 and T ≥ 400 give a regret below 0.01",
        rows: rule_of_thumb::rows,
    },
    Experiment {
        name: "census",
        title: "Gomez et al. 2025, Section 5: the TopDown algorithm of the 2020 census",
        rows: census::rows,
    },
    Experiment {
        name: "propositions",
        title: "Gomez et al. 2025, Propositions 4.1, 6.1 and 6.2",
        rows: propositions::rows,
    },
    Experiment {
        name: "attack-risks",
        title: "Kulynych et al. 2024, Figures 3 to 6: noise for an attack risk and by way of (ε, δ)",
        rows: attack_risks::rows,
    },
    Experiment {
        name: "recalibration",
        title: "Kaissis et al. 2024, Figures 5 to 7: mechanisms that share one (ε, δ)",
        rows: recalibration::rows,
    },
    Experiment {
        name: "shuffled",
        title: "Chua et al. 2024: one epoch of 1000 shuffled batches, and the same accounted as Poisson sampling",
        rows: shuffled::rows,
    },
];

/// Runs the experiment of that name, or all.
///
/// # Errors
/// When standard output is gone.
pub fn run(session: &Session, name: Option<&str>) -> Result<ExitCode, StdoutClosed> {
    let chosen: Vec<&Experiment> = EXPERIMENTS
        .iter()
        .filter(|experiment| name.is_none_or(|name| experiment.name == name))
        .collect();
    if chosen.is_empty() {
        let names = EXPERIMENTS.map(|experiment| experiment.name).join(", ");
        complain(&format!(
            "there is no reproduction of that name; there are {names}"
        ));
        return Ok(ExitCode::BadInput);
    }
    let mut code = ExitCode::Done;
    for (done, experiment) in chosen.iter().enumerate() {
        session.progress.start(experiment.name);
        let laboratory = Laboratory::new(session);
        let found = (experiment.rows)(&laboratory);
        // Enclosures that the user may have cut short are no result of an experiment.
        if session.is_stopped() && !matches!(found, Err(Stop::Internal(_))) {
            return Ok(code.and(session.stopped(done, chosen.len(), "experiments")));
        }
        match found {
            Ok(rows) => {
                let picture = session
                    .options
                    .plot
                    .is_some()
                    .then(|| reproduced(experiment.title, &rows));
                if rows.iter().any(|row| row.agreement() == Agreement::Refuted) {
                    code = code.and(ExitCode::Refuted);
                }
                let rows: Vec<ReproducedRow> = rows.into_iter().map(printable).collect();
                let text = if session.options.format == Format::Json {
                    format!("{}\n", reproduction_json(experiment.name, &rows))
                } else {
                    reproduction_human(experiment.title, &rows, super::output::style())
                };
                match picture {
                    Some(picture) => code = code.and(session.show(&text, || picture)?),
                    None => session.print(&text)?,
                }
            }
            Err(Stop::Refused(message)) => {
                complain(&format!("{}: {message}", experiment.name));
                code = code.and(ExitCode::Undecided);
            }
            Err(Stop::Internal(violation)) => {
                internal_error(&format!("{}: {violation}", experiment.name));
                code = code.and(ExitCode::Internal);
            }
        }
    }
    Ok(code)
}

fn printable(row: Row) -> ReproducedRow {
    let agreement = match row.agreement() {
        Agreement::Agrees => "agrees",
        Agreement::Refuted => "refuted",
        Agreement::Undecided => "undecided",
        Agreement::Shown => "",
    };
    let printed = match row.printed {
        Printed::Rounded(text) => text.to_owned(),
        Printed::AtMost(text) => format!("≤ {text}"),
        Printed::Nothing => String::new(),
    };
    ReproducedRow {
        what: row.what,
        printed,
        found: row.found,
        agreement,
        note: row.note,
    }
}
