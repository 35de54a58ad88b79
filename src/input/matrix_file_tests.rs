//! Matrices from CSV files.

use std::cell::Cell;

use super::*;
use crate::input::{claim_file_beside, mechanism_beside, mechanism_from_bytes};
use crate::mechanism::Mechanism;

/// One file, whatever it is called.
struct One<'a>(&'a str);

impl Beside for One<'_> {
    fn read(&self, path: &str) -> Result<BesideFile, String> {
        Ok(BesideFile {
            name: format!("folder/{path}"),
            bytes: self.0.as_bytes().to_vec(),
        })
    }
}

const TEXT: &str = "kind = \"matrix-factorization\"\nnoise-multiplier = 1\nsteps = 3\nparticipations = 2\nmatrix = \"c.csv\"";

fn read(csv: &str) -> Result<Mechanism, InputError> {
    let file = mechanism_beside("t", TEXT.as_bytes(), Some(&One(csv)))?;
    Ok(file.mechanism)
}

fn in_place(rows: &str) -> Mechanism {
    let text = TEXT.replace("\"c.csv\"", rows);
    mechanism_from_bytes("t", text.as_bytes())
        .unwrap()
        .mechanism
}

#[test]
fn a_file_is_the_same_as_its_rows() {
    let rows = in_place("[[1],[\"1/2\",1],[0.25,\"-1/3\",1]]");
    for csv in [
        "1\n1/2,1\n0.25,-1/3,1\n",
        "1,0,0\n0.5,1,0\n2.5e-1,-1/3,1",
        "# header\n\n 1 , 0\r\n0.5,\t1,0.0\r\n\r\n0.250,-1/3 , 1\r\n",
        "\u{feff}1\n0.5,1\n1/4,-1/3,1\n",
    ] {
        assert_eq!(read(csv).as_ref(), Ok(&rows), "{csv}");
    }
}

/// Wherever a mechanism may stand, each with its own file.
#[test]
fn files_inside_of_other_tables() {
    struct ByName;
    impl Beside for ByName {
        fn read(&self, path: &str) -> Result<BesideFile, String> {
            let bytes = match path {
                "a" => b"2".to_vec(),
                "b" => b"3".to_vec(),
                _ => return Err("no such file".to_owned()),
            };
            Ok(BesideFile {
                name: path.to_owned(),
                bytes,
            })
        }
    }
    let of = |a: &str, b: &str| {
        let one = |matrix: &str| {
            format!(
                r#"{{"kind":"matrix-factorization","noise-multiplier":1,"steps":1,"participations":1,"matrix":{matrix}}}"#
            )
        };
        format!(
            r#"{{"mechanism":{{"kind":"compose","of":[{}]}},"claim":{{"kind":"dominated-by","at-most":1,"mechanism":{}}}}}"#,
            one(a),
            one(b)
        )
    };
    let found = claim_file_beside("t", of("\"a\"", "\"b\"").as_bytes(), Some(&ByName)).unwrap();
    let rows = claim_file_beside("t", of("[[2]]", "[[3]]").as_bytes(), None).unwrap();
    assert_eq!(found.mechanism, rows.mechanism);
    assert_eq!(found.claims[0].claim, rows.claims[0].claim);
    let error = claim_file_beside("t", of("\"a\"", "\"c\"").as_bytes(), Some(&ByName));
    let error = error.unwrap_err();
    assert_eq!(
        (error.code(), error.source_name()),
        (ErrorCode::Unreadable, "t")
    );
    // A title called `matrix` is no file.
    let other = br#"{"kind":"gaussian","sigma":1,"matrix":"c"}"#;
    let error = mechanism_beside("t", other, Some(&ByName)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnknownKey);
}

/// With the place in that file.
#[test]
fn says_what_is_wrong_and_where() {
    for (csv, line, column, code, message) in [
        ("1\nx,1\n", 2, 1, ErrorCode::Number, "entry 1 of row 2"),
        (
            "1\n\n1, 1.5.2\n",
            3,
            4,
            ErrorCode::Number,
            "entry 2 of row 2",
        ),
        ("1\n1 1\n", 2, 1, ErrorCode::Number, "entry 1 of row 2"),
        ("1\nnan,1\n", 2, 1, ErrorCode::Number, "entry 1 of row 2"),
        ("1,\n", 1, 3, ErrorCode::Number, "entry 2 of row 1 is empty"),
        (
            "1,2\n1,1\n",
            1,
            3,
            ErrorCode::Range,
            "entry 2 of row 1 is above the diagonal",
        ),
        (
            "1,0,2\n1,1\n",
            1,
            5,
            ErrorCode::Range,
            "entry 3 of row 1 is above the diagonal",
        ),
        (
            "1\n1,1\n1,1\n",
            3,
            1,
            ErrorCode::Range,
            "row 3 has 2 entries",
        ),
        ("", 1, 1, ErrorCode::MissingKey, "no row"),
        ("# nothing\n", 1, 1, ErrorCode::MissingKey, "no row"),
        (
            "1\n1,1e99999999\n",
            2,
            3,
            ErrorCode::TooLarge,
            "entry 2 of row 2",
        ),
    ] {
        let error = read(csv).unwrap_err();
        assert_eq!(error.source_name(), "folder/c.csv", "{csv}");
        assert_eq!(
            (error.line(), error.column()),
            (line, column),
            "{csv}: {error}"
        );
        assert_eq!(error.code(), code, "{csv}: {error}");
        assert!(error.message().contains(message), "{csv}: {error}");
    }
    // The number of rows is that of the claim file, which says so.
    let error = read("1\n1,1\n").unwrap_err();
    assert_eq!((error.source_name(), error.line()), ("t", 5));
    let broken = BesideFile {
        name: "c".to_owned(),
        bytes: vec![0xff],
    };
    assert_eq!(read_rows(&broken).unwrap_err().code(), ErrorCode::Encoding);
}

#[test]
fn memory_is_bounded() {
    let bomb = format!("{}1\n", "1e20000,".repeat(100_000));
    assert_eq!(read(&bomb).unwrap_err().code(), ErrorCode::TooLarge);
    /// A large file, however often it is asked for.
    struct Counted(Cell<usize>);
    impl Beside for Counted {
        fn read(&self, path: &str) -> Result<BesideFile, String> {
            self.0.set(self.0.get() + 1);
            let mut bytes = b"1\n".to_vec();
            bytes.resize(MAX_BYTES / 3, b'\n');
            Ok(BesideFile {
                name: path.to_owned(),
                bytes,
            })
        }
    }
    let one = r#"{"kind":"matrix-factorization","noise-multiplier":1,"steps":1,"participations":1,"matrix":"c"}"#;
    let many = vec![one; 1000].join(",");
    let text = format!(r#"{{"kind":"compose","of":[{many}]}}"#);
    let counted = Counted(Cell::new(0));
    let error = mechanism_beside("t", text.as_bytes(), Some(&counted)).unwrap_err();
    assert_eq!(
        (error.code(), error.source_name()),
        (ErrorCode::TooLarge, "t")
    );
    assert_eq!(counted.0.get(), 4);
}

/// What separates columns elsewhere is told from what does here.
#[test]
fn semicolons_and_tabs_are_told_of_commas() {
    for csv in ["1\n1;1\n", "1\n1\t1\n", "1\n1 1\n"] {
        let file = BesideFile {
            name: "m.csv".to_owned(),
            bytes: csv.as_bytes().to_vec(),
        };
        let error = read_rows(&file).unwrap_err();
        let help = error.help().unwrap_or_default();
        assert!(help.contains("commas"), "{csv:?}: {help}");
    }
}
