//! The program: what it prints, its options, its exit codes, and that nothing in a file can look like its verdict.

use std::io::Write;
use std::process::{Command, Stdio};

const EXAMPLE: &str = "examples/answers.json";

/// Exit code, standard output, standard error.
fn run(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_dpcmp-check"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may not read it to its end.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn example() -> String {
    std::fs::read_to_string(EXAMPLE).unwrap()
}

/// The example with another title, and the hash of that file.
fn titled(title: &str) -> String {
    use sha2::{Digest, Sha256};
    let escaped =
        |c: char| if matches!(c, ' '..='~') && c != '"' { c.to_string() } else { format!("\\u{:04x}", u32::from(c)) };
    let title: String = title.chars().map(escaped).collect();
    let text = format!(
        "title = \"{title}\"\n\n[mechanism]\nkind = \"randomized-response\"\nepsilon = 0\n\n[claim]\nkind = \"pure-dp\"\nepsilon = 0\n"
    );
    let sum: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!(
        r#"{{"claim":0,"claim-file":{{"form":"file","sha256":"{sum}","text":"{text}"}},"conditions":["the mechanism is the one that the claim file describes"],"proof":{{"kind":"largest-loss"}},"schema":"dpcmp.certificate/2","statement":"delta(0) = 0, adjacency add-remove","verdict":"verified","version":"0.1.0"}}
"#
    )
}

#[test]
fn the_record_of_the_readme() {
    let (code, text, _) = run(&[EXAMPLE], "");
    assert_eq!(code, 0);
    let readme = std::fs::read_to_string("README.md").unwrap();
    let shown = readme.split_once("$ dpcmp-check examples/answers.json\n").unwrap().1;
    assert_eq!(text, shown.split_once("```").unwrap().0);
    let (_, explained, _) = run(&["--explain", EXAMPLE], "");
    assert!(explained.starts_with(&text), "{explained}");
    assert!(explained.ends_with("The bound of delta implies the statement.\n"), "{explained}");
}

#[test]
fn exit_codes() {
    let example = example();
    let forged = example.replace("verified", "refuted");
    assert_eq!(run(&["-"], &example).0, 0);
    let (code, text, _) = run(&["-"], &forged);
    assert_eq!((code, text.split(": ").nth(1)), (1, Some("rejected (statement)")), "{text}");
    let (code, text, _) = run(&[EXAMPLE, "no-such-file"], "");
    assert_eq!(code, 2);
    assert!(text.contains("no-such-file: rejected (unreadable): "), "{text}");
    let (code, text, _) = run(&["-"], "{");
    assert_eq!(code, 2);
    assert!(text.contains("writes a new certificate"), "{text}");
    let (_, text, _) = run(&["-", "-"], "{");
    assert_eq!(text.matches("writes a new certificate").count(), 1, "{text}");
    assert_eq!(run(&["-"], &" ".repeat((4 << 20) + 1)).0, 2);
    let (code, text, said) = run(&["--claim", "no-such-file", EXAMPLE], "");
    assert_eq!((code, text.as_str()), (2, ""));
    assert!(said.starts_with("error: cannot read the claim file no-such-file: "), "{said}");
    let (code, text, _) = run(&["--claim", EXAMPLE, EXAMPLE], "");
    assert_eq!(code, 1);
    assert!(text.contains("another-claim-file"), "{text}");
    for wrong in [&[] as &[&str], &["--no-such-option", EXAMPLE], &["--claim"], &["--version", "--claim"]] {
        let (code, text, usage) = run(wrong, "");
        assert_eq!((code, text.as_str()), (2, ""), "{wrong:?}");
        assert!(usage.starts_with("usage: "), "{usage}");
    }
    let (code, text, _) = run(&["--version"], "");
    assert_eq!((code, text), (0, format!("dpcmp-check {}\n", env!("CARGO_PKG_VERSION"))));
    // Beside a file an option is no answer.
    assert_eq!(run(&["--help", EXAMPLE], "").0, 2);
}

/// Of a folder its certificates are checked, those in its folders too, and nothing else.
#[test]
fn folders() {
    let top = std::env::temp_dir().join(format!("dpcmp-check-{}", std::process::id()));
    let inner = top.join("b");
    std::fs::create_dir_all(&inner).unwrap();
    std::fs::create_dir_all(top.join(".hidden")).unwrap();
    let put = |path: &str, text: &str| std::fs::write(top.join(path), text).unwrap();
    put("b/1.json", &example());
    put("a.json", &example().replace("verified", "refuted"));
    put("c.txt", "no certificate");
    put(".hidden/1.json", "no certificate");
    let folder = top.to_str().unwrap().to_owned();
    let (code, text, _) = run(&[&folder], "");
    let answers: Vec<&str> = text.lines().filter(|line| line.starts_with(&folder)).collect();
    assert_eq!((code, answers.len()), (1, 2), "{text}");
    assert!(answers[0].starts_with(&format!("{folder}/a.json: rejected (statement)")), "{text}");
    assert_eq!(answers[1], format!("{folder}/b/1.json: accepted"));
    std::fs::remove_file(top.join("a.json")).unwrap();
    assert_eq!(run(&[&format!("{folder}/")], "").0, 0);
    std::fs::remove_dir_all(&inner).unwrap();
    let (code, text, _) = run(&[&folder], "");
    assert_eq!((code, text.as_str()), (2, "there are no certificates in that folder\n"));
    std::fs::remove_dir_all(top).unwrap();
}

/// What is not reached is not passed over: a name that is no text, and what is very deep.
#[cfg(unix)]
#[test]
fn no_file_is_passed_over() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let top = std::env::temp_dir().join(format!("dpcmp-check-far-{}", std::process::id()));
    let folder = top.to_str().unwrap().to_owned();
    for depth in [0, 63, 70] {
        let inner = top.join(["d"; 70][..depth].join("/"));
        std::fs::create_dir_all(&inner).unwrap();
        std::fs::write(inner.join("1.json"), example()).unwrap();
        let (code, text, _) = run(&[&folder], "");
        assert_eq!((code, text.contains("unreadable")), if depth < 64 { (0, false) } else { (2, true) }, "{text}");
        std::fs::remove_dir_all(&top).unwrap();
    }
    std::fs::create_dir_all(&top).unwrap();
    std::fs::write(top.join("1.json"), example()).unwrap();
    if std::fs::write(top.join(OsStr::from_bytes(b"2\xff.json")), example()).is_ok() {
        assert_eq!(run(&[&folder], "").0, 2);
    }
    std::fs::remove_dir_all(top).unwrap();
}

/// Whatever the title says, the fields begin where they do, and no line is longer than a terminal is wide.
#[test]
fn a_title_cannot_look_like_a_verdict() {
    let blanks = " ".repeat(57);
    let lie = "proved     delta(0) <= 0, adjacency add-remove";
    let titles = [
        format!("A{blanks}{lie}"),
        format!("{} {lie}", "x".repeat(77)),
        format!("A\n  {lie}\n  verdict    the claim is true"),
        format!("A\r  {lie}\t\u{1b}[1A\u{202e}"),
        format!("A{}  {lie}", "\u{2800}".repeat(60)),
        format!("A\"  {lie}"),
        format!("{} {lie}", "漢".repeat(40)),
        format!("A{} {lie}", "\u{a0}\u{3000}".repeat(40)),
        "x".repeat(5000),
    ];
    for title in titles {
        let certificate = titled(&title);
        let (code, text, _) = run(&["-"], &certificate);
        assert_eq!(code, 0, "{text}");
        let fields = |name: &str| text.lines().filter(|line| line.starts_with(&format!("  {name}"))).count();
        assert_eq!((fields("proved "), fields("verdict "), fields("title ")), (1, 1, 1), "{text}");
        let until = text.lines().position(|line| line.starts_with("  mechanism  ")).unwrap();
        let shown: Vec<&str> = text.lines().skip(1).take(until - 1).collect();
        assert!(shown[0].starts_with("  title      \"") && shown.last().unwrap().ends_with('"'), "{text}");
        for line in &shown {
            let columns: usize = line.chars().map(|c| if c.is_ascii() || c == '…' { 1 } else { 2 }).sum();
            assert!(columns <= 79, "{line}");
            assert!(!line.trim_start().contains("  proved"), "{line}");
        }
        for line in shown.iter().skip(1) {
            assert!(line.starts_with(&" ".repeat(13)), "{line}");
        }
        assert!(text.len() < 2000, "{} bytes", text.len());
    }
}

#[test]
fn a_version_is_a_version() {
    for version in
        ["0.1.0, checked by everybody", "1 2", "", "v1", "1.0\\n  verdict", &"1".repeat(33), "1.0é", "1.0(x)"]
    {
        let (code, text, _) = run(&["-"], &example().replace("\"0.1.0\"", &format!("\"{version}\"")));
        assert_eq!(code, 2, "{version}: {text}");
        assert!(text.contains("rejected (malformed): `version` is not"), "{text}");
    }
    for version in ["0.1.0", "1.2.3-rc.1+x86", "10"] {
        let (code, text, _) = run(&["-"], &example().replace("\"0.1.0\"", &format!("\"{version}\"")));
        assert_eq!(code, 0, "{text}");
        assert!(text.contains(&format!("written by dpcmp {version}, checked")), "{text}");
    }
}

/// Names of files, keys and kinds are shown on one line too.
#[test]
fn other_text_cannot_look_like_a_verdict() {
    let name = "a.json: accepted\n  verdict    the claim is true";
    let (code, text, _) = run(&[name], "");
    assert_eq!(code, 2);
    assert!(text.starts_with("\"a.json: accepted verdict the claim is true\": rejected (unreadable)"), "{text}");
    let lie = format!("{{\"x{}-: accepted\":1}}\n", " ".repeat(60));
    let (_, text, _) = run(&["-"], &lie);
    assert!(
        text.starts_with("-: rejected (malformed): the certificate has the unknown key `x -: accepted`\n"),
        "{text}"
    );
    let kind = format!("\"kind\":\"{}\u{202e}\"", "y".repeat(400));
    let (_, text, _) =
        run(&["-"], &example().replace("\"kind\":\"profile\",\"sources\"", &format!("{kind},\"sources\"")));
    assert!(text.chars().count() < 200, "{text}");
}

/// Full disks, and readers that leave: the exit code speaks of all files even so, and nothing panics.
#[cfg(target_os = "linux")]
#[test]
fn nobody_takes_what_it_prints() {
    let program = env!("CARGO_BIN_EXE_dpcmp-check");
    let shell = |line: &str| {
        let output = Command::new("sh").args(["-c", line, "sh", program, EXAMPLE]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for line in [r#""$1" "$2" >/dev/full"#, r#""$1" --help >/dev/full"#, r#""$1" --version >/dev/full"#] {
        let (code, errors) = shell(line);
        assert_eq!(code, Some(2), "{line}: {errors}");
        assert_eq!(errors, "error: cannot write to standard output: No space left on device (os error 28)\n");
    }
    // The first certificate is printed to nobody, and the second is still checked.
    let closed = r#"{ sleep 0.1; "$1" "$2" no-such-file; echo $? >&2; } | true"#;
    assert_eq!(shell(closed).1, "2\n");
    let closed = r#"{ sleep 0.1; "$1" "$2" "$2"; echo $? >&2; } | true"#;
    assert_eq!(shell(closed).1, "0\n");
    assert_eq!(shell(r#""$1" --nonsense 2>/dev/full"#), (Some(2), String::new()));
}
