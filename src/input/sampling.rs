//! `sampling`: how batches are drawn.

use super::{
    fields::{Fields, quoted_list, string},
    problem::{ErrorCode, Problem},
};
use crate::mechanism::{Domain, Mechanism, OutOfRange};

/// Ways to draw a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sampling {
    Poisson,
    TruncatedPoisson,
    WithoutReplacement,
    Shuffled,
}

impl Sampling {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::TruncatedPoisson => "truncated-poisson",
            Self::WithoutReplacement => "without-replacement",
            Self::Shuffled => "shuffled",
        }
    }
}

/// What `sampling` says, Poisson where it is left out.
///
/// # Errors
/// If it is none of those that are `built`.
pub(crate) fn sampling(fields: &Fields<'_>, built: &[Sampling]) -> Result<Sampling, Problem> {
    let Some(node) = fields.optional("sampling") else {
        return Ok(Sampling::Poisson);
    };
    let found = string(node, "`sampling`")?;
    let stated = built.iter().find(|one| one.as_str() == found);
    stated.copied().ok_or_else(|| {
        let words: Vec<&str> = built.iter().map(|one| one.as_str()).collect();
        let message = match words.as_slice() {
            [only] => format!("`sampling` must be \"{only}\""),
            several => format!("`sampling` must be one of {}", quoted_list(several)),
        };
        Problem::new(ErrorCode::Unsupported, &node.span, message)
            .help("other ways to draw batches have other guarantees, which are not computed here")
    })
}

/// Refuses keys of another way to draw batches.
pub(crate) fn refuse(
    fields: &Fields<'_>,
    sampling: Sampling,
    keys: &[&'static str],
) -> Result<(), Problem> {
    let Some(key) = keys.iter().find(|key| fields.has(key)) else {
        return Ok(());
    };
    let span = fields.optional(key).map_or(0..0, |node| node.span.clone());
    let message = format!(
        "`{key}` says nothing with `sampling = \"{}\"`",
        sampling.as_str()
    );
    Err(Problem::new(ErrorCode::Conflict, &span, message).help("leave it out"))
}

/// `subsampled`, with `of` already read.
pub(crate) fn subsampled(
    fields: &Fields<'_>,
    of: Mechanism,
) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    let built = [
        Sampling::Poisson,
        Sampling::TruncatedPoisson,
        Sampling::WithoutReplacement,
    ];
    let sampling = sampling(fields, &built)?;
    match sampling {
        Sampling::Poisson | Sampling::Shuffled => {
            refuse(
                fields,
                sampling,
                &["dataset-size", "max-batch", "batch-size"],
            )?;
            let rate = fields.number("rate", Domain::Rate)?;
            Ok(Mechanism::subsampled(rate, of))
        }
        Sampling::WithoutReplacement => {
            refuse(fields, sampling, &["rate", "max-batch"])?;
            let records = fields.whole("dataset-size", 1, u64::MAX)?;
            let batch = fields.whole("batch-size", 1, records)?;
            Ok(Mechanism::without_replacement(records, batch, of))
        }
        Sampling::TruncatedPoisson => {
            refuse(fields, sampling, &["batch-size"])?;
            let rate = fields.number("rate", Domain::Rate)?;
            let records = fields.whole("dataset-size", 1, u64::MAX)?;
            let most = fields.whole("max-batch", 1, u64::MAX)?;
            Ok(Mechanism::truncated_poisson(rate, records, most, of))
        }
    }
}
