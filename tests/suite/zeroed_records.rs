//! A record that contributes nothing does so in every step: mechanisms of several kinds under `replace-special`, against all their outcomes.

use dpcmp::analysis::{Goal, Resources, Subject};
use dpcmp::bounds::Target;
use dpcmp::kernel::Budget;
use dpcmp::statement::Query;
use rug::Rational;

/// (without the record, with it) of each outcome.
type Law = Vec<(f64, f64)>;

fn both(a: &Law, b: &Law) -> Law {
    let all = a
        .iter()
        .flat_map(|(p, q)| b.iter().map(move |(r, s)| (p * r, q * s)));
    all.collect()
}

fn delta(law: &Law, epsilon: f64) -> f64 {
    let one = |gain: &dyn Fn(&(f64, f64)) -> f64| law.iter().map(|x| gain(x).max(0.0)).sum::<f64>();
    let u = epsilon.exp();
    one(&|(p, q)| q - u * p).max(one(&|(p, q)| p - u * q))
}

fn answers(odds: f64, k: u32) -> Law {
    let (k, total) = (f64::from(k), odds + f64::from(k) - 1.0);
    let others = (k - 1.0) / k;
    vec![(1.0 / k, odds / total), (others, (k - 1.0) / total)]
}

fn sampled(law: &Law, rate: f64) -> Law {
    law.iter()
        .map(|(p, q)| (*p, (1.0 - rate) * p + rate * q))
        .collect()
}

/// One of three steps, drawn at random.
fn one_of_three(law: &Law) -> Law {
    let mut found = Law::new();
    for a in law {
        for b in law {
            for c in law {
                let with = a.1 * b.0 * c.0 + a.0 * b.1 * c.0 + a.0 * b.0 * c.1;
                found.push((a.0 * b.0 * c.0, with / 3.0));
            }
        }
    }
    found
}

#[test]
fn a_record_is_zeroed_in_every_step() {
    let odds = r#"{"kind":"randomized-response","exp-epsilon":3,"k":2}"#;
    let plain = r#"{"kind":"randomized-response","epsilon":1,"k":5}"#;
    let vectors = r#"{"kind":"finite","p":["1/2","1/2"],"q":["1/4","3/4"]}"#;
    let (of_odds, of_plain) = (answers(3.0, 2), answers(1f64.exp(), 5));
    let of_vectors = vec![(0.5, 0.25), (0.5, 0.75)];
    let cases = [
        (
            format!(r#""compose","of":[{odds},{vectors}]"#),
            both(&of_odds, &of_vectors),
        ),
        (
            format!(r#""compose","of":[{plain},{vectors}]"#),
            both(&of_plain, &of_vectors),
        ),
        (
            format!(r#""compose","of":[{plain},{odds}]"#),
            both(&of_plain, &of_odds),
        ),
        (
            format!(r#""subsampled","rate":"1/2","of":{odds}"#),
            sampled(&of_odds, 0.5),
        ),
        (
            format!(r#""subsampled","rate":"1/5","of":{plain}"#),
            sampled(&of_plain, 0.2),
        ),
        (
            format!(r#""random-allocation","steps":3,"of":{odds}"#),
            one_of_three(&of_odds),
        ),
    ];
    for (text, law) in cases {
        let text = format!(r#"{{"adjacency":"replace-special","kind":{text}}}"#);
        let file = dpcmp::input::mechanism_from_bytes("test", text.as_bytes()).unwrap();
        let budget = Budget::unlimited();
        let subject = Subject::new(&file.mechanism, file.adjacency, &budget).unwrap();
        for tenths in [0, 1, 4, 9] {
            let query = Query::delta(Rational::from((tenths, 10))).unwrap();
            let resources = Resources {
                budget: &budget,
                jobs: 1,
                progress: &|_| {},
            };
            let goal = Goal::Width(Target::Relative(Rational::from((1, 1_000_000))));
            let found = subject.answer(&query, &goal, &resources).unwrap().enclosure;
            let truth = delta(&law, f64::from(tenths) / 10.0);
            let ends = (found.lower().to_f64(), found.upper().to_f64());
            assert!(
                ends.0 <= truth + 1e-12 && truth <= ends.1 + 1e-12,
                "{text} {tenths}: {ends:?} {truth}"
            );
            assert!(ends.1 - ends.0 < 1e-4, "{text} {tenths}: {ends:?}");
        }
    }
}
