//! Events in the words of ordinary kinds.

use crate::mechanism::read;
use crate::value::json;
use crate::work;

/// The steps and the members, and what is taken for granted; an empty text for what is refused.
fn reading(text: &str) -> String {
    work::begin(None);
    json(text).and_then(|value| read(&value)).map_or_else(|_| String::new(), |found| format!("{found:?}"))
}

/// In the words of the kinds that they are, under each relation; and what these would read, or never run, is refused all the same.
#[test]
fn events_are_ordinary_kinds() {
    let relations =
        [("ADD_OR_REMOVE_ONE", "add-remove"), ("REPLACE_ONE", "replace-one"), ("REPLACE_SPECIAL", "replace-special")];
    let nested = r#"["m","PoissonSampledDpEvent","0.5",["m","SelfComposedDpEvent",["m","LaplaceDpEvent",4],"3"]]"#;
    for (event, kind) in [
        (r#"["m","ZCDpEvent","0.5","0.1"]"#, r#""kind":"zcdp","rho":"0.5","xi":"0.1""#),
        (
            r#"["m","SingleEpochTreeAggregationDpEvent",3,[5,9,2]]"#,
            r#""kind":"tree-aggregation","noise-multiplier":3,"steps":9"#,
        ),
        (
            r#"["m","SingleEpochTreeAggregationDpEvent",3,7]"#,
            r#""kind":"tree-aggregation","noise-multiplier":3,"steps":7"#,
        ),
        (r#"["m","DiscreteLaplaceDpEvent","2/3",5]"#, r#""kind":"discrete-laplace","scale":"3/2","record-bound":5"#),
        (r#"["m","DiscreteLaplaceDpEvent",4,1]"#, r#""kind":"discrete-laplace","scale":"0.25","record-bound":1"#),
        (
            nested,
            r#""kind":"subsampled","rate":"1/2","of":{"kind":"compose","of":[{"kind":"laplace","scale":4,"record-bound":1,"times":3}]}"#,
        ),
    ] {
        for (relation, adjacency) in relations {
            let event = reading(&format!(r#"{{"event":{event},"neighboring-relation":"{relation}"}}"#));
            assert_eq!(event, reading(&format!(r#"{{{kind},"adjacency":"{adjacency}"}}"#)), "{event} {relation}");
            assert!(!event.is_empty());
        }
    }
    for refused in [
        r#"["m","RandomizedResponseDpEvent","0.5"]"#,
        r#"["m","DiscreteLaplaceDpEvent",4]"#,
        r#"["m","DiscreteLaplaceDpEvent",-4,1]"#,
        r#"["m","SingleEpochTreeAggregationDpEvent",3,[]]"#,
        r#"["m","SingleEpochTreeAggregationDpEvent",3,[0,1]]"#,
        r#"["m","GaussianDpEvent",4,4]"#,
        r#"["m","SelfComposedDpEvent",["m","GaussianDpEvent",-4],0]"#,
        r#"["m","PoissonSampledDpEvent",0,["m","GaussianDpEvent",-4]]"#,
        r#"["m","PoissonSampledDpEvent","1.5",["m","GaussianDpEvent",4]]"#,
        r#"{"class_name":"GaussianDpEvent","noise_multiplier":4,"noise-multiplier":4}"#,
    ] {
        assert_eq!(reading(refused), "", "{refused}");
    }
}
