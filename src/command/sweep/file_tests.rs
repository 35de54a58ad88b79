//! Records of sweeps: what is kept, what is dropped, what is refused.

use super::*;

fn head() -> SweepHead {
    SweepHead {
        version: "1.2.3".to_owned(),
        sha256: "00ff".to_owned(),
        engine: "certified".to_owned(),
        precision: Some("0.001".to_owned()),
    }
}

fn grid() -> Grid {
    let values = |key: &str, texts: [&str; 2]| (key.to_owned(), texts.map(str::to_owned).to_vec());
    Grid::new(vec![values("a", ["1", "2"]), values("b", ["x", "y"])]).unwrap()
}

fn queries() -> Vec<String> {
    vec!["advantage".to_owned(), "minimax-risk".to_owned()]
}

fn point(index: usize) -> SweepPoint {
    let enclosure = Found::Enclosure {
        lower: index.to_string(),
        upper: "inf".to_owned(),
        method: "closed form".to_owned(),
        ending: "reached".to_owned(),
        attained: index.is_multiple_of(2),
    };
    let error = Found::Error(Fault {
        place: Some("m.toml:2:1".to_owned()),
        hint: Some("build it".to_owned()),
        ..Fault::new("unsupported", "not \"built\"\nyet")
    });
    SweepPoint {
        parameters: grid().point(index),
        max_seconds: "60".to_owned(),
        results: queries().into_iter().zip([enclosure, error]).collect(),
        taken: Taken {
            conditions: vec!["real-valued noise".to_owned()],
            computed: vec!["steps = 10".to_owned(); index],
        },
    }
}

fn line(index: usize) -> String {
    format!("{}\n", sweep_json(&head(), &point(index)))
}

/// Opens a file of this content.
fn open(content: &str) -> Result<(Points, String), String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.jsonl");
    fs::write(&path, content).unwrap();
    let head = head();
    let opened = Record::open(&path, &head, &grid(), &queries());
    let after = fs::read_to_string(&path).unwrap();
    opened
        .map(|(_, points)| (points, after.clone()))
        .inspect_err(|_| {
            assert_eq!(after, content, "a file that is refused stays as it is");
        })
}

#[test]
fn lines_are_read_as_they_are_written() {
    let estimate = SweepPoint {
        results: vec![("advantage".to_owned(), Found::Estimate("0.5".to_owned()))],
        ..point(0)
    };
    for point in [point(0), point(3), estimate] {
        for precision in [None, Some("1e-9abs".to_owned())] {
            let head = SweepHead {
                precision,
                ..head()
            };
            let line = sweep_json(&head, &point);
            assert_eq!(read_line(line.as_bytes()), Some((head, point.clone())));
        }
    }
}

#[test]
fn points_are_kept_and_the_later_line_counts() {
    let mut later = point(1);
    later.max_seconds = "90".to_owned();
    let content = [
        line(3),
        line(1),
        format!("{}\n", sweep_json(&head(), &later)),
    ]
    .concat();
    let (points, after) = open(&content).unwrap();
    assert_eq!(points, Points::from([(3, point(3)), (1, later)]));
    assert_eq!(after, content);
}

#[test]
fn an_unfinished_last_line_is_dropped() {
    let whole = line(2);
    for length in (1..whole.len()).filter(|length| whole.is_char_boundary(*length)) {
        let (points, after) = open(&format!("{}{}", line(0), &whole[..length])).unwrap();
        assert_eq!(points.len(), 1);
        assert_eq!(after, line(0));
    }
}

#[test]
fn what_is_not_of_this_sweep_is_refused_and_stays() {
    let with = |change: fn(&mut SweepHead)| {
        let mut head = head();
        change(&mut head);
        format!("{}\n", sweep_json(&head, &point(0)))
    };
    let mut other_queries = point(0);
    other_queries.results.reverse();
    let other_queries = format!("{}\n", sweep_json(&head(), &other_queries));
    let mut outside = point(0);
    outside.parameters[0].1 = "3".to_owned();
    let outside = format!("{}\n", sweep_json(&head(), &outside));
    for (content, reason) in [
        (
            with(|head| head.version = "1.2.2".to_owned()),
            "by dpcmp 1.2.2",
        ),
        (
            with(|head| head.sha256 = "11".to_owned()),
            "another mechanism",
        ),
        (
            with(|head| head.engine = "float".to_owned()),
            "--engine float",
        ),
        (with(|head| head.precision = None), "without `--precision`"),
        (other_queries, "other queries"),
        (outside, "a=3 b=x is not in this sweep"),
        ("{}\n".to_owned(), "no line of a sweep"),
        ("\n".to_owned(), "no line of a sweep"),
        ("my notes".to_owned(), "no line of this sweep"),
        ("my notes\n".to_owned(), "no line of a sweep"),
        (format!("{}my notes", line(0)), "no line of this sweep"),
        (
            with(|head| head.engine = "float".to_owned())
                .trim_end()
                .to_owned(),
            "no line of this sweep",
        ),
    ] {
        let message = open(&content).unwrap_err();
        assert!(message.contains(reason), "{message}\n{content}");
    }
}

#[test]
fn the_file_is_in_order_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.jsonl");
    let head = head();
    for order in [[0, 1, 2, 3], [3, 1, 0, 2]] {
        let (mut record, points) = Record::open(&path, &head, &grid(), &queries()).unwrap();
        assert!(points.is_empty());
        for index in order {
            record.append(index, &point(index)).unwrap();
        }
        let all: Vec<SweepPoint> = (0..4).map(point).collect();
        record.finish(all.iter()).unwrap();
        let expected: String = (0..4).map(line).collect();
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn only_files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let head = head();
    let open = |path: &Path| Record::open(path, &head, &grid(), &queries()).map(|_| ());
    assert!(open(folder.path()).unwrap_err().contains("not a file"));
    assert!(open(&folder.path().join("none").join("a")).is_err());
    let csv = open(&folder.path().join("a.csv")).unwrap_err();
    assert!(csv.contains("--format csv"), "{csv}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
