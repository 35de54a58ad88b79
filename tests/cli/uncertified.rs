//! Decided claims without a certificate: why is said.

use crate::dpcmp_reading;

/// What only a sum of scores refutes is refuted, and is not certified.
#[test]
fn sums_of_scores_are_not_certified() {
    let line = r#"{"mechanism":{"kind":"random-allocation","steps":100,"selected":3,"of":{"kind":"gaussian","sigma":1,"record-bound":1}},"claim":{"kind":"approx-dp","epsilon":"1.8","delta":"1e-6"}}"#;
    let run = dpcmp_reading(&["verify", "-"], line);
    assert_eq!(run.code, 1, "{}", run.page());
    let reason = "no certificate: the checker does not read sums of scores";
    assert!(run.page().contains(reason), "{}", run.page());
}

/// A step that reveals nothing has losses of no width, and does not set the width of the cells of the others: of such a claim the planning once overflowed.
#[test]
fn a_step_that_reveals_nothing_is_planned_beside_others() {
    let line = r#"{"mechanism":{"kind":"compose","of":[{"kind":"subsampled","rate":"6/7","of":{"kind":"finite","p":["3/8","5/8"],"q":["3/8","5/8"]}},{"kind":"subsampled","rate":"10/11","of":{"kind":"finite","p":["9/23","0","5/23","9/23"],"q":["0","7/13","1/13","5/13"]},"times":4}],"adjacency":"add"},"claim":{"kind":"rdp","order":"3/2","epsilon":"5.7234"}}"#;
    let run = dpcmp_reading(&["verify", "-"], line);
    assert_eq!(run.code, 0, "{}", run.page());
    assert!(!run.page().contains("no certificate"), "{}", run.page());
}

/// Samples in the order `add`, and where a record is replaced; choices on samples, refuted; mixtures that say which part ran: every verdict has a certificate.
#[test]
fn samples_and_labelled_parts_are_certified() {
    let claims = [
        r#"{"mechanism":{"kind":"dp-sgd","noise-multiplier":"1","sample-rate":"0.1","steps":10,"adjacency":"add"},"claim":{"kind":"rdp","order":"2","epsilon":"0.1149"}}"#,
        r#"{"mechanism":{"kind":"subsampled","rate":"0.1","of":{"kind":"top-k","k":2,"epsilon":"0.7"},"adjacency":"replace-one"},"claim":{"kind":"approx-dp","epsilon":"1","delta":"0.00077"}}"#,
        r#"{"mechanism":{"kind":"subsampled","rate":"0.1","of":{"kind":"top-k","k":2,"epsilon":"0.7"},"adjacency":"replace-one"},"claim":{"kind":"rdp","order":"2","epsilon":"0.0269"}}"#,
        r#"{"mechanism":{"kind":"subsampled","rate":"0.1","of":{"kind":"zcdp","rho":"0.1"},"adjacency":"replace-one"},"claim":{"kind":"trade-off","alpha":"0.1","beta":"0.877"}}"#,
        r#"{"mechanism":{"kind":"subsampled","rate":"0.1","of":{"kind":"top-k","k":2,"epsilon":"0.7"}},"claim":{"kind":"approx-dp","epsilon":"0.05","delta":"0.0085"}}"#,
        r#"{"mechanism":{"kind":"compose","of":[{"kind":"subsampled","rate":"0.1","of":{"kind":"exponential","epsilon":1},"times":3}]},"claim":{"kind":"approx-dp","epsilon":"0.05","delta":"0.018"}}"#,
        r#"{"mechanism":{"kind":"mixture","of":[{"weight":"0.5","kind":"gaussian","sigma":1},{"weight":"0.5","kind":"gaussian","sigma":2}]},"claim":{"kind":"zcdp","rho":"0.499"}}"#,
    ];
    for claim in claims {
        let run = dpcmp_reading(&["verify", "-", "--max-seconds", "60"], claim);
        assert!(run.code < 2, "{claim}: {}", run.page());
        assert!(
            !run.page().contains("no certificate"),
            "{claim}: {}",
            run.page()
        );
    }
}

/// Claims next to equality whose room f64 does not see, and claims about what reveals nothing: every verdict has a certificate.
#[test]
fn claims_next_to_equality_are_certified() {
    let claims = [
        r#"{"mechanism":{"kind":"approx-dp","exp-epsilon":"7/3","delta":"1/10"},"claim":{"kind":"trade-off","alpha":"0.1","beta":"2/3"}}"#,
        r#"{"mechanism":{"kind":"laplace","scale":1},"claim":{"kind":"trade-off","alpha":"0.1","beta":"0.7281718171540954764639712528647337502242"}}"#,
        r#"{"mechanism":{"kind":"gdp","mu":"9.4"},"claim":{"kind":"trade-off","alpha":"0.1","beta":"5895945153/25000000000000000000000000"}}"#,
        r#"{"mechanism":{"kind":"gdp","mu":"9.4"},"claim":{"kind":"trade-off","alpha":"0.1","beta":"11820417609/50000000000000000000000000"}}"#,
        r#"{"mechanism":{"kind":"finite","p":["2/11","0","8/11","1/11"],"q":["1/3","1/4","1/8","7/24"]},"claim":{"kind":"gdp","error-floor":"1e-3","mu":"2.4301374280422578660321"}}"#,
        r#"{"mechanism":{"kind":"finite","p":["5/13","8/13"],"q":["9/18","9/18"],"adjacency":"add"},"claim":{"kind":"gdp","error-floor":"1e-3","mu":"29308785088907214093573/100000000000000000000000"}}"#,
        r#"{"mechanism":{"kind":"finite","p":["5/17","0","3/17","9/17","0"],"q":["0","100000/10100003","10000000/10100003","1/10100003","2/10100003"],"adjacency":"add"},"claim":{"kind":"gdp","tolerance":"1e-6","mu":"28316309425792965021797187/5000000000000000000000000"}}"#,
        r#"{"mechanism":{"kind":"finite","p":["5/17","0","3/17","9/17","0"],"q":["0","100000/10100003","10000000/10100003","1/10100003","2/10100003"],"adjacency":"add"},"claim":{"kind":"gdp","tolerance":"1e-6","mu":"56631486210535308774706191/10000000000000000000000000"}}"#,
        r#"{"mechanism":{"kind":"approx-dp","exp-epsilon":"61/7","delta":"1/2","adjacency":"remove"},"claim":{"kind":"regret","mu":"0.3","at-most":"0"}}"#,
        r#"{"mechanism":{"kind":"group","records":2,"of":{"kind":"finite","p":["3/13","10/13"],"q":["3/13","10/13"]}},"claim":{"kind":"regret","mu":"1","at-most":"0.1"}}"#,
        r#"{"mechanism":{"kind":"group","records":4,"of":{"kind":"finite","p":["1/3","2/3"],"q":["1/3","2/3"]},"adjacency":"add"},"claim":{"kind":"gdp","error-floor":"1e-3","mu":"1/1000000000"}}"#,
        r#"{"mechanism":{"kind":"finite","p":["3/13","10/13"],"q":["3/13","10/13"]},"claim":{"kind":"zcdp","rho":0}}"#,
    ];
    for claim in claims {
        let run = dpcmp_reading(&["verify", "-", "--max-seconds", "60"], claim);
        assert!(run.code < 2, "{claim}: {}", run.page());
        assert!(
            !run.page().contains("no certificate"),
            "{claim}: {}",
            run.page()
        );
    }
}

/// Classes of Rényi guarantees beside other noise: every verdict has a certificate.
#[test]
fn classes_beside_other_noise_are_certified() {
    let rdp = r#"{"kind":"rdp","orders":[["2","0.3"],["4","0.5"],["8","1"],["32","4"]]}"#;
    let of = |steps: &str, adjacency: &str, claim: &str| {
        format!(
            r#"{{"mechanism":{{"kind":"compose","of":[{steps}],"adjacency":"{adjacency}"}},"claim":{{{claim}}}}}"#
        )
    };
    let laplace = r#"{"kind":"zcdp","rho":"0.1"},{"kind":"laplace","scale":2}"#;
    let vectors = r#"{"kind":"zcdp","rho":"0.1"},{"kind":"finite","p":["0.7","0.2","0.1"],"q":["0.1","0.3","0.6"]}"#;
    let choice = format!(r#"{rdp},{{"kind":"exponential","epsilon":"0.5"}}"#);
    let wide = r#"{"kind":"zcdp","rho":"0.1"},{"kind":"laplace","scale":50}"#;
    let cases = [
        (
            laplace,
            "add-remove",
            r#""kind":"approx-dp","epsilon":3,"delta":"1.1e-5""#,
            0,
        ),
        (laplace, "add-remove", r#""kind":"gdp","mu":1"#, 0),
        (
            laplace,
            "add-remove",
            r#""kind":"regret","mu":3,"at-most":"0.05""#,
            1,
        ),
        (
            vectors,
            "add-remove",
            r#""kind":"gdp","mu":3,"tolerance":"0.01""#,
            0,
        ),
        (vectors, "add", r#""kind":"advantage","at-most":"0.99""#, 0),
        (
            &choice,
            "add-remove",
            r#""kind":"trade-off","alpha":"0.01","beta":"0.5""#,
            0,
        ),
        (
            &choice,
            "add-remove",
            r#""kind":"approx-dp","epsilon":1,"delta":"1e-3""#,
            1,
        ),
        (&choice, "add-remove", r#""kind":"gdp","mu":3"#, 1),
        (wide, "add", r#""kind":"advantage","at-most":"0.2""#, 1),
    ];
    for (steps, adjacency, claim, code) in cases {
        let claim = of(steps, adjacency, claim);
        let run = dpcmp_reading(&["verify", "-", "--max-seconds", "100"], claim.as_str());
        assert_eq!(run.code, code, "{claim}: {}", run.page());
        assert!(
            !run.page().contains("no certificate"),
            "{claim}: {}",
            run.page()
        );
    }
}
