//! Curves and pictures: `curve`, `--plot`.

use std::fs;
use std::path::Path;

use roxmltree::{Document, Node};

use crate::{dpcmp, is_thorough};

pub const LAPLACE: &str = r#"{"kind":"laplace","scale":1}"#;
pub const GAUSSIAN: &str = r#"{"kind":"gaussian","sigma":1}"#;
const KINDS: [&str; 3] = ["privacy-profile", "trade-off", "bayes-error"];

/// Runs the program with `--plot` to a file of this name; its code and what is in the file.
pub fn plotted(arguments: &[&str], name: &str) -> (i32, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let mut all = arguments.to_vec();
    all.extend(["--plot", path.to_str().unwrap()]);
    let run = dpcmp(&all);
    assert_eq!(run.stderr, "", "{arguments:?}");
    (run.code, fs::read(&path).unwrap_or_default())
}

pub fn svg(arguments: &[&str]) -> String {
    let (code, bytes) = plotted(arguments, "picture.svg");
    assert_eq!(code, 0, "{arguments:?}");
    String::from_utf8(bytes).unwrap()
}

pub fn of_class<'a>(document: &'a Document<'_>, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node<'_, '_>| {
        let classes = node.attribute("class").unwrap_or_default();
        classes.split(' ').any(|one| one == class)
    };
    document.descendants().filter(has).collect()
}

/// Every picture is well-formed, has numbers for numbers, and keeps its words on the page and apart from one another.
pub fn check(text: &str) -> Document<'_> {
    let document = Document::parse(text).unwrap();
    let root = document.root_element();
    let size: Vec<f64> = root
        .attribute("viewBox")
        .unwrap()
        .split(' ')
        .map(|number| number.parse().unwrap())
        .collect();
    assert!(text.contains("prefers-color-scheme: dark"));
    assert!(!of_class(&document, "panel").is_empty());
    let (mut labels, mut words) = (Vec::new(), Vec::new());
    for node in document.descendants().filter(Node::is_element) {
        for attribute in node.attributes() {
            let value = attribute.value();
            assert!(!value.contains("NaN") && !value.contains("inf"), "{node:?}");
        }
        let number = |name| {
            node.attribute(name)
                .and_then(|value| value.parse::<f64>().ok())
        };
        if node.has_tag_name("text") {
            let (x, y) = (number("x").unwrap(), number("y").unwrap());
            assert!(
                x >= 0.0 && x <= size[2] && y > 0.0 && y < size[3],
                "{node:?}"
            );
            words.push((x, y, node.text().unwrap_or_default()));
        }
        if node.attribute("class") == Some("halo") {
            labels.push(["x", "y", "width", "height"].map(|name| number(name).unwrap()));
        }
    }
    for (index, [x, y, width, height]) in labels.iter().enumerate() {
        assert!(*x > 0.0 && x + width < size[2]);
        for [other_x, other_y, other_width, other_height] in &labels[index + 1..] {
            let apart = x + width <= *other_x
                || other_x + other_width <= *x
                || y + height <= *other_y
                || other_y + other_height <= *y;
            assert!(apart, "labels overlap in {words:?}");
        }
    }
    document
}

#[test]
fn every_curve_has_a_band_and_direct_labels() {
    for (kind, label) in KINDS.into_iter().zip(["δ(ε)", "f(α)", "R(π)"]) {
        let text = svg(&["curve", LAPLACE, "--kind", kind]);
        let document = check(&text);
        assert!(!of_class(&document, "band").is_empty());
        let labels = of_class(&document, "label");
        assert!(
            labels
                .iter()
                .any(|node| node.text().map(str::trim) == Some(label)),
            "{kind}"
        );
        let printed = dpcmp(&["curve", LAPLACE, "--kind", kind, "--format", "svg"]);
        assert_eq!(printed.stdout, text);
    }
}

#[test]
fn extreme_mechanisms_give_readable_pictures() {
    for mechanism in [
        r#"{"kind":"gaussian","sigma":"1/40"}"#,
        r#"{"kind":"gaussian","sigma":"1e30"}"#,
        r#"{"kind":"pure-dp","epsilon":0}"#,
        r#"{"kind":"pure-dp","epsilon":5000}"#,
        r#"{"kind":"approx-dp","epsilon":0,"delta":1}"#,
        r#"{"kind":"approx-dp","epsilon":1,"delta":1e-30}"#,
        r#"{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":0.001,"steps":1}"#,
        r#"{"kind":"zcdp","rho":0.5}"#,
        r#"{"kind":"finite","p":["1/2","1/2"],"q":["1/2","1/2"]}"#,
        r#"{"kind":"finite","p":[1,0],"q":[0,1]}"#,
    ] {
        for kind in KINDS {
            // A point of a zCDP guarantee takes half a second.
            let is_dear = mechanism.contains("zcdp") && !is_thorough();
            for points in if is_dear { &["2"][..] } else { &["2", "21"] } {
                let text = svg(&["curve", mechanism, "--kind", kind, "--points", points]);
                let document = check(&text);
                assert!(
                    !of_class(&document, "label").is_empty(),
                    "{mechanism} {kind}"
                );
            }
        }
    }
}

#[test]
fn points_are_one_object_or_record_each() {
    let list = ["--points", "0,0.5,1e-1"];
    let with = |format: &str| {
        let all = [
            &["curve", LAPLACE, "--kind", "trade-off"],
            &list[..],
            &["--format", format],
        ];
        dpcmp(&all.concat())
    };
    let json = with("json");
    let places: Vec<String> = json
        .objects()
        .iter()
        .map(|object| object["alpha"].to_string())
        .collect();
    assert_eq!(places, [r#""0""#, r#""1e-1""#, r#""0.5""#]);
    for (line, object) in json.stdout.lines().zip(json.objects()) {
        assert!(line.starts_with(r#"{"schema":"dpcmp.curve/1","kind":"trade-off","alpha":"#));
        let number = |key: &str| object[key].as_str().unwrap().parse::<f64>().unwrap();
        assert!(number("lower") <= number("upper"));
    }
    let csv = with("csv").stdout;
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert_eq!(lines[0], "alpha,lower,upper,ending,error");
    assert_eq!(lines.len(), 5);
    assert!(lines[1].starts_with("0,") && lines[1].ends_with(",reached,"));
    let estimates = dpcmp(&[
        "curve", LAPLACE, "--points", "0,1", "--format", "csv", "--engine", "float",
    ]);
    assert!(
        estimates
            .stdout
            .starts_with("epsilon,estimate,error\r\n0,0.39346934028")
    );
}

/// The bounds at a point do not depend on the points around it.
#[test]
fn a_curve_says_what_bound_says() {
    let curve = dpcmp(&["curve", GAUSSIAN, "--points", "-1,0,2", "--format", "json"]);
    for object in curve.objects() {
        let query = format!("delta:epsilon={}", object["epsilon"].as_str().unwrap());
        let bound = dpcmp(&["bound", GAUSSIAN, &query, "--format", "json"]);
        let bound = &bound.objects()[0];
        assert_eq!(
            (&object["lower"], &object["upper"]),
            (&bound["lower"], &bound["upper"])
        );
    }
}

#[test]
fn comparisons_have_rulers_and_a_shifted_curve() {
    for engine in ["certified", "float"] {
        let text = svg(&["compare", GAUSSIAN, LAPLACE, "--engine", engine]);
        let document = check(&text);
        // A length and two caps each.
        assert_eq!(of_class(&document, "ruler").len(), 6);
        let labels = of_class(&document, "label");
        let has = |words: &str| {
            labels
                .iter()
                .any(|node| node.text().unwrap_or_default().contains(words))
        };
        assert!(has("Δ(A‖B)") && has("Δ(B‖A)") && has("shifted"), "{engine}");
    }
    let equal = svg(&["compare", GAUSSIAN, GAUSSIAN]);
    assert!(of_class(&check(&equal), "ruler").is_empty());
}

#[test]
fn reports_sweeps_and_reproductions_are_drawn() {
    let text = svg(&["report", LAPLACE]);
    assert_eq!(of_class(&check(&text), "panel").len(), 3);
    let sweep = [
        "bound",
        GAUSSIAN,
        "advantage",
        "epsilon:delta=1e-5",
        "--sweep",
        "sigma=1..4:4",
    ];
    let text = svg(&sweep);
    let document = check(&text);
    assert_eq!(of_class(&document, "panel").len(), 2);
    assert_eq!(of_class(&document, "mark").len(), 8);
    check(&svg(&["reproduce", "conversions"]));
}

#[cfg(feature = "png")]
#[test]
fn png_has_words_without_fonts_of_the_system() {
    let (code, bytes) = plotted(&["curve", LAPLACE, "--points", "3"], "picture.png");
    assert_eq!(code, 0);
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    // Without words it would be a third of this.
    assert!(bytes.len() > 20_000, "{}", bytes.len());
}

#[test]
fn dots_on_a_terminal() {
    let run = dpcmp(&[
        "curve",
        LAPLACE,
        "--kind",
        "bayes-error",
        "--points",
        "5",
        "--plot",
        "-",
    ]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(
        run.stdout.contains("│")
            && run
                .stdout
                .chars()
                .any(|c| ('\u{2801}'..='\u{28ff}').contains(&c))
    );
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100));
}

/// What cannot be drawn is said before anything is computed, or even read.
#[test]
fn usage() {
    let nowhere = "no-such-mechanism.toml";
    for (arguments, words) in [
        (
            &["curve", nowhere, "--plot", "picture.gif"][..],
            "FILE.svg, FILE.png, FILE.pdf",
        ),
        (
            &["curve", nowhere, "--plot", "picture"],
            "FILE.svg, FILE.png, FILE.pdf",
        ),
        #[cfg(not(feature = "png"))]
        (
            &["curve", nowhere, "--plot", "picture.png"],
            "this dpcmp draws no PNG",
        ),
        #[cfg(not(feature = "png"))]
        (
            &["curve", nowhere, "--plot", "picture.pdf"],
            "--features png",
        ),
        (&["curve", nowhere, "--points", "1"], "number of points"),
        (
            &["curve", nowhere, "--kind", "trade-off", "--points", "0,2"],
            "not in [0, 1]",
        ),
        (
            &["curve", nowhere, "--format", "json", "--plot", "-"],
            "is for people",
        ),
        (
            &["bound", nowhere, "advantage", "--plot", "picture.svg"],
            "`--plot` is for",
        ),
        (&["reproduce", "--plot", "picture.svg"], "`--plot` is for"),
        (
            &[
                "compare",
                nowhere,
                nowhere,
                "--tolerance",
                "0.01",
                "--engine",
                "float",
            ],
            "leave out `--engine float`",
        ),
        (
            &["compare", nowhere, nowhere, "--format", "csv"],
            "`--format csv` is for",
        ),
        (
            &["report", nowhere, "--format", "svg"],
            "`--format svg` is for",
        ),
        (&["verify", nowhere, "--report", "page.pdf"], "FILE.html"),
        (
            &["verify", "examples/claims", "--plot", "page.svg"],
            "one claim file",
        ),
    ] {
        let run = dpcmp(arguments);
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "");
    }
    assert!(!Path::new("page.html").exists());
    let run = dpcmp(&[
        "curve",
        LAPLACE,
        "--points",
        "2",
        "--plot",
        "no-such-folder/picture.svg",
    ]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr
            .contains("cannot write `no-such-folder/picture.svg`: there is no folder")
    );
    assert_eq!(run.stdout, "");
}

/// What is read is not overwritten, under whatever name.
#[test]
fn no_output_takes_the_place_of_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let text = crate::finite_claim(crate::TRUE_CLAIM);
    for (input, output) in [
        ("a.svg", "a.svg"),
        ("claim.json", "b.svg"),
        ("c.html", "c.html"),
    ] {
        fs::write(at(input), &text).unwrap();
        #[cfg(unix)]
        if output == "b.svg" {
            std::os::unix::fs::symlink(at(input), at(output)).unwrap();
        }
        let option = if output.ends_with("svg") {
            "--plot"
        } else {
            "--report"
        };
        let run = dpcmp(&["verify", &at(input), option, &at(output)]);
        assert_eq!(run.code, 2);
        assert!(
            run.stderr.contains("it is also the input"),
            "{}",
            run.stderr
        );
        assert_eq!(run.stdout, "");
        assert_eq!(fs::read_to_string(at(input)).unwrap(), text);
    }
    fs::create_dir(at("folder.svg")).unwrap();
    let run = dpcmp(&["verify", "no-such-claim.toml", "--plot", &at("folder.svg")]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("it is a folder"), "{}", run.stderr);
}

/// Whoever stops reading the text still gets the picture.
#[cfg(unix)]
#[test]
fn pictures_are_written_though_nobody_reads_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("picture.svg");
    for arguments in [
        &["curve", LAPLACE, "--points", "3"][..],
        &[
            "bound",
            LAPLACE,
            "advantage",
            "--sweep",
            "scale=1,2",
            "--format",
            "csv",
        ],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = std::process::Command::new(assert_cmd::cargo::cargo_bin("dpcmp"))
            .args(arguments)
            .arg("--plot")
            .arg(&path)
            .stdout(writer)
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(0));
        check(&fs::read_to_string(&path).unwrap());
        fs::remove_file(&path).unwrap();
    }
}

/// The band begins where the curve may jump to: on the left edge there are points from far below to 1.
#[test]
fn bands_reach_what_the_first_cell_may_hide() {
    let sharp = r#"{"kind":"gaussian","noise-multiplier":"1/3"}"#;
    let text = svg(&[
        "curve",
        sharp,
        "--kind",
        "trade-off",
        "--points",
        "0,0.5,0.8,1",
    ]);
    let document = check(&text);
    let band = of_class(&document, "band")[0].attribute("d").unwrap();
    let spots: Vec<(f64, f64)> = band
        .trim_end_matches('Z')
        .split(['M', 'L'])
        .skip(1)
        .map(|spot| {
            let (x, y) = spot.split_once(' ').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        })
        .collect();
    let left = spots.iter().map(|(x, _)| *x).fold(f64::INFINITY, f64::min);
    let at_left = || spots.iter().filter(|(x, _)| *x == left).map(|(_, y)| *y);
    let spread = at_left().fold(f64::MIN, f64::max) - at_left().fold(f64::MAX, f64::min);
    // f(0.01) = 0.25 is three quarters of the height, which is 280, below f(0) = 1.
    assert!(spread > 210.0, "{spread}");
}

#[test]
fn a_picture_says_what_each_claim_has_to_do_with_the_curve() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("claim.json");
    let notes_of = |file: &str| {
        fs::write(&path, file).unwrap();
        let (_, text) = plotted(&["verify", path.to_str().unwrap()], "picture.svg");
        let text = String::from_utf8(text).unwrap();
        let document = check(&text);
        let notes: Vec<String> = of_class(&document, "note")
            .iter()
            .map(|node| node.text().unwrap_or_default().trim().to_owned())
            .collect();
        // Curves that are claimed are dashed.
        (notes.join(" "), text.contains("stroke-dasharray"))
    };
    let notes = |claim: &str| notes_of(&crate::finite_claim(claim));
    // What is dashed is ε-DP in both orders, and asked for is one.
    let (one_order, dashed) = notes_of(
        r#"{"mechanism":{"kind":"finite","p":["1/4","1/2","1/4"],"q":["1/2","1/2","0"],"adjacency":"remove"},
            "claim":{"kind":"pure-dp","exp-epsilon":2}}"#,
    );
    assert!(one_order.contains("a claim holds if") && dashed);
    let (strict, dashed) = notes(crate::TRUE_CLAIM);
    assert!(strict.contains("holds exactly if") && !strict.contains("tolerance") && dashed);
    let (regret, dashed) = notes(r#"{"kind":"regret","mu":1,"at-most":0.3}"#);
    assert!(!regret.contains("holds exactly if") && !dashed, "{regret}");
    let (loose, _) = notes(r#"{"kind":"gdp","mu":1,"tolerance":0.3}"#);
    assert!(loose.contains("up to a tolerance") && !loose.contains("holds exactly if"));
}

/// A picture is drawn although the time ends before all of its curves are computed.
#[test]
fn curves_of_claims_that_end_early_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("claims.json");
    let claims = [r#"{"kind":"zcdp","rho":0.5}"#; 5].join(",");
    let mechanism = r#"{"kind":"finite","p":["1/3","2/3"],"q":["2/3","1/3"]}"#;
    let file = format!(r#"{{"mechanism":{mechanism},"claim":[{claims}]}}"#);
    fs::write(&path, file).unwrap();
    plotted(
        &[
            "verify",
            path.to_str().unwrap(),
            "--max-seconds",
            "1",
            "--jobs",
            "1",
        ],
        "picture.svg",
    );
}
