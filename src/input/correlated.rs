//! `tree-aggregation` and `matrix-factorization`: noise that is correlated over the steps.

use rug::Rational;

use super::{
    fields::{self, Fields, MAX_TIMES, list, number, wrong_type},
    node::{Node, Value},
    problem::{ErrorCode, Problem},
};
use crate::mechanism::kind::{MatrixFactorization, Schedule, Strategy, TreeAggregation};
use crate::mechanism::{Domain, Mechanism, OutOfRange};

pub(crate) const TREE_KEYS: [&str; 5] = [
    "noise-multiplier",
    "steps",
    "restarts",
    "participations",
    "min-separation",
];

/// Those of [`TREE_KEYS`] whose values are whole numbers.
pub(crate) const TREE_WHOLE_KEYS: [&str; 4] =
    ["steps", "restarts", "participations", "min-separation"];

pub(crate) const MATRIX_KEYS: [&str; 10] = [
    "noise-multiplier",
    "steps",
    "participations",
    "min-separation",
    "epochs",
    "rate",
    "toeplitz",
    "matrix",
    "blt",
    "normalised",
];

/// Those of [`MATRIX_KEYS`] whose values are whole numbers.
pub(crate) const MATRIX_WHOLE_KEYS: [&str; 4] =
    ["steps", "participations", "min-separation", "epochs"];

const STRATEGIES: [&str; 3] = ["toeplitz", "matrix", "blt"];

pub(crate) fn tree_aggregation(
    fields: &Fields<'_>,
) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    let tree = TreeAggregation::new(
        fields.number("noise-multiplier", Domain::Positive)?,
        fields.whole("steps", 1, MAX_TIMES)?,
        fields.whole_or("restarts", 1, MAX_TIMES, 1)?,
        fields.whole_or("participations", 1, MAX_TIMES, 1)?,
        fields.whole_or("min-separation", 1, MAX_TIMES, 1)?,
    );
    Ok(tree.and_then(Mechanism::new))
}

pub(crate) fn matrix_factorization(
    fields: &Fields<'_>,
) -> Result<Result<Mechanism, OutOfRange>, Problem> {
    let matrix = MatrixFactorization::new(
        fields.number("noise-multiplier", Domain::Positive)?,
        strategy(fields)?,
        fields.whole("steps", 1, MAX_TIMES)?,
        schedule(fields)?,
        flag(fields, "normalised")?,
    );
    Ok(matrix.and_then(Mechanism::new))
}

fn schedule(fields: &Fields<'_>) -> Result<Schedule, Problem> {
    if fields.has("epochs") {
        for other in ["participations", "min-separation", "rate"] {
            if fields.has(other) {
                let help =
                    "with `epochs`, every record takes part once in each, always at the same place";
                return Err(fields.conflict("epochs", other, help));
            }
        }
        let epochs = fields.whole("epochs", 1, MAX_TIMES)?;
        return Ok(Schedule::Epochs { epochs });
    }
    if !fields.has("rate") {
        return Ok(Schedule::Spaced {
            participations: fields.whole("participations", 1, MAX_TIMES)?,
            min_separation: fields.whole_or("min-separation", 1, MAX_TIMES, 1)?,
        });
    }
    if fields.has("participations") {
        let help = "with `rate`, records are sampled in every round of `min-separation` steps";
        return Err(fields.conflict("participations", "rate", help));
    }
    Ok(Schedule::CyclicPoisson {
        rate: fields.number("rate", Domain::Rate)?,
        min_separation: fields.whole("min-separation", 1, MAX_TIMES)?,
    })
}

fn strategy(fields: &Fields<'_>) -> Result<Strategy, Problem> {
    let mut given = STRATEGIES.into_iter().filter(|key| fields.has(key));
    let (first, second) = (given.next(), given.next());
    if let (Some(first), Some(second)) = (first, second) {
        let help = "each of them states the whole matrix";
        return Err(fields.conflict(second, first, help));
    }
    match first {
        Some("toeplitz") => {
            numbers(fields.required("toeplitz")?, "toeplitz").map(Strategy::Toeplitz)
        }
        Some("matrix") => rows(fields.required("matrix")?).map(Strategy::Matrix),
        Some(_) => blt(fields.required("blt")?),
        None => Err(fields.missing("`toeplitz`, `matrix` or `blt`")),
    }
}

fn blt(node: &Node) -> Result<Strategy, Problem> {
    let table = fields::table(node, "`blt`")?;
    let fields = Fields::new(table, "`blt`", &node.span, &["weights", "decays"])?;
    Ok(Strategy::Blt {
        weights: numbers(fields.required("weights")?, "weights")?,
        decays: decays(fields.required("decays")?)?,
    })
}

/// Each with its own place, where it is out of its range.
fn decays(node: &Node) -> Result<Vec<Rational>, Problem> {
    let decays = numbers(node, "decays")?;
    for (item, decay) in list(node, "`decays`")?.iter().zip(&decays) {
        fields::valid(item, Domain::Unit.hold("decays", decay))?;
    }
    Ok(decays)
}

fn numbers(node: &Node, key: &str) -> Result<Vec<Rational>, Problem> {
    let what = format!("each entry of `{key}`");
    list(node, &format!("`{key}`"))?
        .iter()
        .map(|item| number(item, &what, Domain::Real))
        .collect()
}

/// Rows up to the diagonal, or of full length with zeros above it.
fn rows(node: &Node) -> Result<Vec<Vec<Rational>>, Problem> {
    if node.as_string().is_some() {
        let message = "`matrix` must be a list of rows";
        return Err(Problem::new(ErrorCode::Unsupported, &node.span, message)
            .help("only a file of one mechanism or claim file may name another one: write the rows in place, each a list of exact numbers"));
    }
    let rows = list(node, "`matrix`")?;
    (1..)
        .zip(rows)
        .map(|(diagonal, row)| {
            let mut entries = numbers(row, "matrix")?;
            if let Some(above) = entries.get(diagonal..) {
                if above.iter().any(|entry| !entry.is_zero()) {
                    let message = format!(
                        "row {diagonal} of `matrix` has an entry above the diagonal that is not 0"
                    );
                    return Err(Problem::new(ErrorCode::Range, &row.span, message)
                        .help("the matrix is lower-triangular: no step may depend on later ones"));
                }
                entries.truncate(diagonal);
            }
            Ok(entries)
        })
        .collect()
}

pub(super) fn flag(fields: &Fields<'_>, key: &str) -> Result<bool, Problem> {
    match fields.optional(key) {
        None => Ok(false),
        Some(node) => match &node.value {
            Value::Bool(flag) => Ok(*flag),
            _ => Err(wrong_type(node, &format!("`{key}`"), "true or false")),
        },
    }
}

#[cfg(test)]
mod tests {
    use crate::input::mechanism_from_bytes;

    fn error(rest: &str) -> String {
        let text = format!(r#"{{"kind":"matrix-factorization","noise-multiplier":1,{rest}}}"#);
        mechanism_from_bytes("test", text.as_bytes())
            .unwrap_err()
            .to_string()
    }

    /// Full rows and rows up to the diagonal are the same matrix.
    #[test]
    fn rows_may_be_full() {
        let read = |matrix: &str| {
            let text = format!(
                r#"{{"kind":"matrix-factorization","noise-multiplier":1,"steps":2,"participations":2,"matrix":{matrix}}}"#
            );
            mechanism_from_bytes("test", text.as_bytes())
                .unwrap()
                .mechanism
        };
        assert_eq!(read("[[1,0],[0.5,1]]"), read("[[1],[\"1/2\",1]]"));
    }

    #[test]
    fn trees_of_dp_accounting() {
        let read = |text: &str| {
            mechanism_from_bytes("test", text.as_bytes())
                .unwrap()
                .mechanism
        };
        let module = "dp_accounting.dp_event";
        let tree = r#"{"kind":"tree-aggregation","noise-multiplier":7,"steps":1000}"#;
        for counts in ["1000", "[3,1000,7]"] {
            let event = format!(r#"["{module}","SingleEpochTreeAggregationDpEvent",7,{counts}]"#);
            assert_eq!(read(&event), read(tree));
        }
    }

    #[test]
    fn says_what_is_wrong() {
        for (rest, expected) in [
            (
                r#""steps":3,"epochs":2,"toeplitz":[1]"#,
                "`epochs` must divide `steps`",
            ),
            (
                r#""steps":2,"epochs":2,"participations":1,"toeplitz":[1]"#,
                "not both",
            ),
            (r#""steps":2,"toeplitz":[1]"#, "needs `participations`"),
            (
                r#""steps":2,"participations":1"#,
                "needs `toeplitz`, `matrix` or `blt`",
            ),
            (
                r#""steps":2,"participations":1,"toeplitz":[1],"blt":{}"#,
                "not both",
            ),
            (
                r#""steps":2,"participations":1,"rate":0.5,"min-separation":1,"toeplitz":[1]"#,
                "not both",
            ),
            (
                r#""steps":2,"rate":0.5,"toeplitz":[1]"#,
                "needs `min-separation`",
            ),
            (
                r#""steps":2,"participations":1,"matrix":[[1,1],[1,1]]"#,
                "row 1 of `matrix` has an entry above the diagonal",
            ),
            (
                r#""steps":2,"participations":1,"matrix":[[1],[1]]"#,
                "row 2 of `matrix` has 1 entries instead of 2",
            ),
            (
                r#""steps":2,"participations":1,"matrix":"c.csv""#,
                "must be a list of rows",
            ),
            (
                r#""steps":2,"participations":1,"blt":{"weights":[1],"decays":[2]}"#,
                "`decays` must be in [0, 1]",
            ),
            (
                r#""steps":2,"participations":1,"toeplitz":[1],"normalised":1"#,
                "must be true or false",
            ),
            (
                r#""steps":1000000000,"participations":1,"toeplitz":[1]"#,
                "`steps` must be at most",
            ),
        ] {
            let found = error(rest);
            assert!(found.contains(expected), "{rest}: {found}");
        }
    }
}
