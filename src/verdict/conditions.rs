//! The conditions of a verdict: what must hold beyond the numbers of the mechanism.

use crate::mechanism::{Adjacency, Mechanism};

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

/// [`conditions`] where regrets stand beside other numbers.
///
/// Whatever bounds the information of the least private mechanism of a class bounds that of all, but a regret Δ(M‖·) grows as M
/// becomes more private: 1-DP has a regret of 0.034 for μ = 1, perfect privacy, which is 1-DP, one of 0.19.
pub fn conditions_of_regrets(mechanism: &Mechanism, adjacency: Adjacency) -> Vec<String> {
    let mut all = conditions(mechanism, adjacency);
    if mechanism.steps().conditions().guarantee {
        all.push(
            "a regret is that of the least private such mechanism, and can be larger for others"
                .to_owned(),
        );
    }
    all
}

/// [`conditions`] of the mechanism in `dominated-by`: the divergence from it grows as it becomes more private, as a regret does.
pub fn conditions_of_dominating(mechanism: &Mechanism, adjacency: Adjacency) -> Vec<String> {
    let mut all = conditions(mechanism, adjacency);
    if mechanism.steps().conditions().guarantee {
        all.push(
            "Δ is that of the least private such mechanism, and can be larger for others"
                .to_owned(),
        );
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::mechanism_from_bytes;

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
            let of = [conditions_of_regrets, conditions_of_dominating];
            of.map(|all| {
                let all = all(&file.mechanism, file.adjacency);
                all.iter()
                    .filter(|one| one.contains("larger for others"))
                    .count()
            })
        };
        assert_eq!(said(r#"{"kind":"zcdp","rho":1}"#), [1, 1]);
        assert_eq!(said(r#"{"kind":"laplace","scale":1}"#), [0, 0]);
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

    #[test]
    fn a_regret_of_a_class_is_not_that_of_every_member() {
        let regrets = |text: &str| {
            let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
            conditions_of_regrets(&file.mechanism, file.adjacency)
        };
        let class = r#"{"kind":"pure-dp","epsilon":1}"#;
        let more = regrets(class);
        assert_eq!(more[..more.len() - 1], of(class));
        assert!(
            more.last()
                .unwrap()
                .starts_with("a regret is that of the least private")
        );
        let one = r#"{"kind":"laplace","scale":1}"#;
        assert_eq!(regrets(one), of(one));
    }
}
