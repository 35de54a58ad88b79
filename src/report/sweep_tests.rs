//! Points of sweeps as they are printed.

use super::*;

fn head() -> SweepHead {
    SweepHead {
        version: "1.2.3".to_owned(),
        sha256: "00ff".to_owned(),
        engine: "certified".to_owned(),
        precision: None,
    }
}

fn enclosed(lower: &str, upper: &str, ending: &str) -> Found {
    Found::Enclosure {
        lower: lower.to_owned(),
        upper: upper.to_owned(),
        method: "closed form".to_owned(),
        ending: ending.to_owned(),
        attained: ending != DOES_NOT_FOLLOW,
    }
}

fn point(sigma: &str, results: Vec<Found>) -> SweepPoint {
    let names = [
        "advantage",
        "delta-divergence:other={\"kind\":\"gdp\",\"mu\":1}",
    ];
    SweepPoint {
        parameters: vec![("sigma".to_owned(), sigma.to_owned())],
        max_seconds: "60".to_owned(),
        results: names.map(str::to_owned).into_iter().zip(results).collect(),
        taken: Taken {
            conditions: vec!["real-valued noise".to_owned()],
            computed: vec![format!("sigma = {sigma}")],
        },
    }
}

fn points() -> Vec<SweepPoint> {
    vec![
        point(
            "1",
            vec![
                enclosed("0.38292492254802", "0.38292492254803", "reached"),
                enclosed("0", "1", OUT_OF_TIME),
            ],
        ),
        point(
            "20",
            vec![
                enclosed("0.5", "0.5", "reached"),
                Found::error("unsupported", "no, \"never\""),
            ],
        ),
        point(
            "-1",
            vec![Found::error("range", "`sigma` must be greater than 0, \u{1b}[31m"); 2],
        ),
    ]
}

#[test]
fn json_lines() {
    assert_eq!(
        sweep_json(&head(), &points()[1]),
        "{\"schema\":\"dpcmp.sweep/1\",\"version\":\"1.2.3\",\"sha256\":\"00ff\",\"engine\":\"certified\",\
        \"precision\":null,\"max-seconds\":\"60\",\"parameters\":{\"sigma\":\"20\"},\"results\":[\
        {\"query\":\"advantage\",\"lower\":\"0.5\",\"upper\":\"0.5\",\"method\":\"closed form\",\"ending\":\"reached\"},\
        {\"query\":\"delta-divergence:other={\\\"kind\\\":\\\"gdp\\\",\\\"mu\\\":1}\",\
        \"error\":{\"code\":\"unsupported\",\"message\":\"no, \\\"never\\\"\"}}],\
        \"conditions\":[\"real-valued noise\"],\"computed\":[\"sigma = 20\"]}"
    );
}

#[test]
fn csv_is_quoted_where_it_must_be() {
    let keys = ["sigma".to_owned()];
    let queries: Vec<String> = points()[0]
        .results
        .iter()
        .map(|(query, _)| query.clone())
        .collect();
    let name = "delta-divergence:other={\"\"kind\"\":\"\"gdp\"\",\"\"mu\"\":1}";
    assert_eq!(
        sweep_csv_header(&keys, &queries, false),
        format!(
            "sigma,advantage lower,advantage upper,advantage ending,advantage error,\
            \"{name} lower\",\"{name} upper\",\"{name} ending\",\"{name} error\"\r\n"
        )
    );
    assert_eq!(
        sweep_csv(&points()[1], false),
        "20,0.5,0.5,reached,,,,,\"no, \"\"never\"\"\"\r\n"
    );
    let estimates = point(
        "1",
        vec![Found::estimate(0.25), Found::error("number", "no")],
    );
    assert_eq!(sweep_csv(&estimates, true), "1,0.25,,,no\r\n");
    assert_eq!(
        sweep_csv_header(&keys, &queries[..1], true),
        "sigma,advantage estimate,advantage error\r\n"
    );
}

#[test]
fn every_record_has_as_many_fields_as_the_header() {
    let fields = |record: &str| {
        let mut quoted = false;
        let comma = |c: char| {
            quoted ^= c == '"';
            c == ',' && !quoted
        };
        record
            .chars()
            .filter(|c| *c != '\r')
            .map(comma)
            .filter(|comma| *comma)
            .count()
    };
    let queries: Vec<String> = points()[0]
        .results
        .iter()
        .map(|(query, _)| query.clone())
        .collect();
    let header = sweep_csv_header(&["sigma".to_owned()], &queries, false);
    for point in points() {
        assert_eq!(fields(&sweep_csv(&point, false)), fields(&header));
    }
}

#[test]
fn a_table_lines_up_and_keeps_errors_in_their_rows() {
    let points = points();
    let points: Vec<&SweepPoint> = points.iter().collect();
    let keys = ["sigma".to_owned()];
    let queries = ["advantage".to_owned(), "other".to_owned()];
    assert_eq!(
        sweep_table(&keys, &queries, &points, Style::Plain),
        "sigma  advantage                 other\n\
         1      [0.38292492, 0.38292493]  [0, 1] (?)\n\
         20     0.5                       unsupported\n\
         -1     error: `sigma` must be greater than 0, \u{fffd}[31m\n\
         unsupported: delta-divergence:other={\"kind\":\"gdp\",\"mu\":1}: no, \"never\"\n\
         (?): out of time, a larger --max-seconds may narrow it\n\
         provided: real-valued noise\n\
         computed: not the same at all points, `--format json` has it\n"
    );
    let alone = sweep_table(&keys, &queries, &points[1..2], Style::Plain);
    assert!(
        alone.ends_with("\nprovided: real-valued noise\ncomputed: sigma = 20\n"),
        "{alone}"
    );
}

#[test]
fn widths_as_on_the_command_line() {
    let width = rug::Rational::from((1, 1000));
    assert_eq!(target_words(&Target::Relative(width.clone())), "0.001");
    assert_eq!(target_words(&Target::Absolute(width)), "0.001abs");
}
