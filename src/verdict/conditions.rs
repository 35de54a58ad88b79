//! The conditions of a verdict: what must hold beyond the numbers of the mechanism.

use crate::mechanism::{Adjacency, Mechanism};
use crate::statement::{Contrast, Quantity, Query};

/// The conditions under which statements about this mechanism hold, in the order they are printed.
pub fn conditions(mechanism: &Mechanism, adjacency: Adjacency) -> Vec<String> {
    let found = mechanism.steps().conditions();
    let neighbours = match adjacency {
        Adjacency::AddRemove => "add/remove one record, both directions",
        Adjacency::Remove => "remove one record: the pair (P, Q) as written",
        Adjacency::Add => "add one record: the pair (Q, P)",
        Adjacency::ReplaceOne => "replace one record by another, both directions",
        Adjacency::ReplaceSpecial => {
            "replace one record by one that contributes nothing, both directions"
        }
    };
    [
        (found.poisson_sampling, "Poisson sampling"),
        (
            found.truncated_batches,
            "of a batch that is too large, a uniform choice of the largest size stays; with zero-out the special record can be chosen, too",
        ),
        (
            found.fixed_batches,
            "every batch is a uniform choice of its size, independent of the others",
        ),
        (
            found.shuffled_batches,
            "batches are consecutive parts of a fresh uniform permutation in every epoch, and a record that is absent leaves its place in its batch empty",
        ),
        (
            found.shuffled_batches,
            "every intermediate model is released: claims about the last model alone are out of scope",
        ),
        (
            found.random_allocation,
            "the steps of each record are drawn at random, uniformly, anew in every epoch and for each record by itself",
        ),
        (
            found.limited_participation,
            "every record takes part in no more steps, and no closer ones, than stated, with `epochs` once in each and always at the same place, whoever else is there",
        ),
        (
            found.fixed_keys,
            "what is counted in each round does not depend on what earlier rounds released",
        ),
        (
            found.shuffled_reports,
            "all users run the same randomiser, what is stated of it holds between any two values, special ones too, and nobody can tell whose report is whose",
        ),
        (
            found.together,
            "the records of a group are all there, or none of them is",
        ),
        (
            found.sampled_groups,
            "a sample holds all records of a group, or none of them, and its sizes count groups",
        ),
        (
            found.sampled_responses,
            "a record that does not take part in a step answers in it as one that is not there, or is special; where records are replaced, in the way that reveals most",
        ),
        (
            found.special_responses,
            "a special record is answered for at random, every answer as likely as any other",
        ),
        (
            found.shared_keys,
            "any number of other records may share a released key",
        ),
        (
            found.any_order,
            "the choices by score are made in whichever order reveals most",
        ),
        (
            found.random_runs,
            "the number of runs is drawn before they are looked at, only equal outcomes tie, and only the best one is released, by whichever ranking reveals most where none is stated",
        ),
        (true, neighbours),
        (
            found.exchanged,
            "of a group all records may be replaced, each by another",
        ),
        (
            found.counts,
            "a record adds to one cell of a histogram, or to the counts of its keys, and takes nothing away",
        ),
        (
            found.real_noise,
            "real-valued noise, not its floating-point rounding",
        ),
        (
            found.guarantee,
            LEAST_PRIVATE,
        ),
    ]
    .into_iter()
    .filter(|(applies, _)| *applies)
    .map(|(_, words)| words.to_owned())
    .collect()
}

/// Of a class: an upper bound, or a claim that is verified, is one of all its members; a lower bound, or a claim that is refuted, is not.
const LEAST_PRIVATE: &str = "what is said is of the least private mechanisms with the stated guarantee: others reveal no more";

/// [`conditions`], and what is taken for granted beside them where this is asked; `other` names the mechanism that one is compared with.
///
/// Whatever bounds the information of the least private mechanism of a class bounds that of all, but a regret Δ(M‖·) grows as M becomes more private: 1-DP has a
/// regret of 0.034 for μ = 1, perfect privacy, which is 1-DP, one of 0.19. So does Δ(·‖M) as the mechanism that it is asked of does. And ρ is that of
/// both orders of a pair, whichever of them is meant otherwise.
pub fn conditions_beside<'a>(
    mechanism: &Mechanism,
    adjacency: Adjacency,
    asked: impl IntoIterator<Item = &'a Query>,
    other: &str,
) -> Vec<String> {
    let (mut is_regret, mut is_zcdp) = (false, false);
    let mut others = Vec::new();
    for query in asked {
        match query.quantity() {
            Quantity::Regret { .. } | Quantity::RegretOfStrictMu => is_regret = true,
            Quantity::ZcdpRho => is_zcdp = true,
            Quantity::Divergence { other, contrast } => {
                let (is_to, is_from) = match contrast {
                    Contrast::To | Contrast::Weighted(_) => (true, false),
                    Contrast::From => (false, true),
                    Contrast::Symmetric => (true, true),
                };
                is_regret |= is_to;
                others.push((other, is_from));
            }
            Quantity::Delta(_)
            | Quantity::Epsilon { .. }
            | Quantity::TradeOff { .. }
            | Quantity::Advantage
            | Quantity::BayesError { .. }
            | Quantity::MinimaxRisk
            | Quantity::GdpMu(_)
            | Quantity::MaxLoss
            | Quantity::Renyi { .. } => {}
        }
    }
    let mut all = conditions(mechanism, adjacency);
    if is_regret && mechanism.steps().conditions().guarantee {
        all.push(OF_REGRETS.to_owned());
    }
    if is_zcdp && adjacency != adjacency.both_directions() {
        all.push("zCDP is about both orders of the pair".to_owned());
    }
    for (one, is_dominating) in others {
        let mut its_own = conditions(one.mechanism(), one.adjacency());
        if is_dominating && one.mechanism().steps().conditions().guarantee {
            its_own.push(OF_DIVERGENCES.to_owned());
        }
        for condition in its_own {
            let of_other = format!("{other}: {condition}");
            if !all.contains(&condition) && !all.contains(&of_other) {
                all.push(of_other);
            }
        }
    }
    all
}

/// Of a class of which a regret is said.
const OF_REGRETS: &str =
    "a regret is that of the least private such mechanism, and can be larger for others";
/// Of a class from which another mechanism diverges.
const OF_DIVERGENCES: &str =
    "Δ is that of the least private such mechanism, and can be larger for others";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::mechanism_from_bytes;
    use crate::statement::Other;

    fn of(text: &str) -> Vec<String> {
        let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
        conditions(&file.mechanism, file.adjacency)
    }

    #[test]
    fn are_found_at_any_depth() {
        let noisy = "real-valued noise, not its floating-point rounding";
        let class = LEAST_PRIVATE;
        let both = "add/remove one record, both directions";
        assert_eq!(
            of(r#"{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":"1/2","steps":3}"#),
            ["Poisson sampling", both, noisy]
        );
        assert_eq!(
            of(r#"{"kind":"compose","of":[{"kind":"gdp","mu":1},{"kind":"laplace","scale":1}]}"#),
            [both, noisy, class]
        );
        assert_eq!(
            of(r#"{"kind":"finite","p":[1],"q":[1],"adjacency":"remove"}"#),
            ["remove one record: the pair (P, Q) as written"]
        );
        assert_eq!(
            of(r#"{"kind":"randomized-response","epsilon":1,"adjacency":"add"}"#),
            ["add one record: the pair (Q, P)"]
        );
    }

    /// What grows as a mechanism becomes more private is not known of all of a class.
    #[test]
    fn what_grows_with_privacy_is_of_the_least_private() {
        let said = |text: &str| {
            let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
            let other = Other::new(file.mechanism.clone(), file.adjacency);
            let one = Mechanism::laplace(1, 1).unwrap();
            let of = [
                (&file.mechanism, Query::regret(1).unwrap()),
                (&file.mechanism, Query::gdp_mu()),
                (&one, Query::divergence(other.clone(), Contrast::From)),
                (&one, Query::divergence(other.clone(), Contrast::To)),
                (
                    &file.mechanism,
                    Query::divergence(other, Contrast::Symmetric),
                ),
            ];
            of.map(|(mechanism, query)| {
                let all = conditions_beside(mechanism, file.adjacency, [&query], "of the other");
                let is_said = all.iter().filter(|one| one.contains("larger for others"));
                is_said.count()
            })
        };
        assert_eq!(said(r#"{"kind":"zcdp","rho":1}"#), [1, 0, 1, 0, 2]);
        assert_eq!(said(r#"{"kind":"laplace","scale":1}"#), [0; 5]);
    }

    /// Who is not drawn answers, too, and choices of different ε reveal more in one order than in another.
    #[test]
    fn what_numbers_leave_open_is_said() {
        let response = |adjacency: &str| {
            let part = r#"{"kind":"randomized-response","epsilon":1}"#;
            of(&format!(
                r#"{{"kind":"subsampled","rate":"1/2","of":{part},"adjacency":"{adjacency}"}}"#
            ))
        };
        let says = |found: &[String], what: &str| found.iter().any(|one| one.contains(what));
        for adjacency in [
            "add-remove",
            "add",
            "remove",
            "replace-special",
            "replace-one",
        ] {
            assert!(says(&response(adjacency), "does not take part in a step"));
        }
        let choices = |second: &str| {
            let first = r#"{"kind":"exponential","epsilon":1}"#;
            of(&format!(
                r#"{{"kind":"compose","of":[{first},{{"kind":{second}}}]}}"#
            ))
        };
        let group = |adjacency: &str| {
            let part = r#"{"kind":"gaussian","sigma":1,"record-bound":1}"#;
            of(&format!(
                r#"{{"kind":"group","records":2,"of":{part},"adjacency":"{adjacency}"}}"#
            ))
        };
        assert!(says(&group("replace-one"), "all records may be replaced"));
        let histogram = |adjacency| {
            let noise = r#"{"kind":"gaussian","sigma":2}"#;
            of(&format!(
                r#"{{"kind":"histogram","of":{noise},"adjacency":"{adjacency}"}}"#
            ))
        };
        assert!(says(&histogram("replace-one"), "adds to one cell"));
        assert!(!says(&histogram("add-remove"), "adds to one cell"));
        assert!(says(&group("add-remove"), "all there, or none of them"));
        assert!(says(&choices(r#""exponential","epsilon":2"#), "order"));
        assert!(!says(&choices(r#""exponential","epsilon":1"#), "order"));
        assert!(!says(&choices(r#""gaussian","sigma":1"#), "order"));
        let answer = |noise: &str, relation: &str| {
            of(&format!(
                r#"{{"event":["m","RandomizedResponseDpEvent","{noise}",3],"neighboring-relation":"{relation}"}}"#
            ))
        };
        for noise in ["0", "0.5"] {
            assert!(says(
                &answer(noise, "REPLACE_SPECIAL"),
                "answered for at random"
            ));
            assert!(!says(
                &answer(noise, "REPLACE_ONE"),
                "answered for at random"
            ));
        }
        let key = r#"{"kind":"noise-threshold","noise":"laplace","scale":1,"threshold":3}"#;
        assert!(says(&of(key), "share a released key"));
    }

    /// ρ is that of both orders, and the other mechanism of a divergence takes something for granted, too.
    #[test]
    fn what_a_question_adds_is_said() {
        let said = |text: &str, query: &Query| {
            let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
            let all = conditions_beside(&file.mechanism, file.adjacency, [query], "of the other");
            let own = conditions(&file.mechanism, file.adjacency);
            assert!(all.starts_with(&own));
            all.into_iter().skip(own.len()).collect::<Vec<_>>()
        };
        let noise = |more: &str| format!(r#"{{"kind":"gaussian","sigma":1{more}}}"#);
        let both = ["zCDP is about both orders of the pair"];
        assert_eq!(
            said(&noise(r#","adjacency":"add""#), &Query::zcdp_rho()),
            both
        );
        assert!(said(&noise(""), &Query::zcdp_rho()).is_empty());
        assert!(said(&noise(r#","adjacency":"add""#), &Query::gdp_mu()).is_empty());
        let sample = format!(r#"{{"kind":"subsampled","rate":"1/2","of":{}}}"#, noise(""));
        let file = mechanism_from_bytes("test", sample.as_bytes()).unwrap();
        let other = Other::new(file.mechanism, file.adjacency);
        for contrast in [Contrast::To, Contrast::From, Contrast::Symmetric] {
            let query = Query::divergence(other.clone(), contrast);
            assert_eq!(said(&noise(""), &query), ["of the other: Poisson sampling"]);
            // What holds of the one as well is not said again.
            assert!(said(&sample, &query).is_empty());
        }
    }
}
