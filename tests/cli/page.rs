//! `verify --report FILE.html`: a page to hand in.

use std::fs;

use crate::{dpcmp, dpcmp_reading};

/// Runs `verify` on this claim file; its code and the page.
fn page(claims: &str) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let (file, page) = (
        folder.path().join("claim.toml"),
        folder.path().join("page.html"),
    );
    fs::write(&file, claims).unwrap();
    let run = dpcmp(&[
        "verify",
        file.to_str().unwrap(),
        "--report",
        page.to_str().unwrap(),
    ]);
    (run.code, fs::read_to_string(page).unwrap())
}

const CLAIMS: &str = r#"
title = "A mechanism"
source = "a paper"
[mechanism]
kind = "gaussian"
sigma = 2
[[claim]]
kind = "approx-dp"
epsilon = 8
delta = 1e-5
[[claim]]
kind = "gdp"
mu = 0.25
[[claim]]
kind = "advantage"
at-most = 0.2
"#;

#[test]
fn verdicts_come_first_and_nothing_is_fetched() {
    let (code, page) = page(CLAIMS);
    assert_eq!(code, 1);
    let parts = [
        "<h1>A mechanism</h1>",
        "3 claims: 2 verified, 1 refuted",
        "id=\"claims\"",
        "class=\"verdict\"",
        "id=\"picture\"",
        "<svg ",
        "id=\"conditions\"",
        "<h2>Provided</h2>",
        "id=\"certificate\"",
        "id=\"provenance\"",
    ];
    let places: Vec<usize> = parts
        .iter()
        .map(|part| page.find(part).unwrap_or_else(|| panic!("no {part}")))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    for part in [
        "class=\"claim verified\"",
        "class=\"claim refuted\"",
        "nearest true: 0.5-GDP (strict)",
        "f(α) ≥ G_μ(α) for all α in [0, 1]",
        "SHA-256",
        "real-valued noise",
        "@page { size: A4",
        "MPFR",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    for tag in [
        "<script", "<link", "<img", "<iframe", "<object", "href=", "src=", "@import", "url(http",
        "https:",
    ] {
        assert!(!page.contains(tag), "{tag}");
    }
    // Namespaces are names, and are not fetched.
    let addresses = page.matches("http:").count();
    assert_eq!(
        addresses,
        page.matches("http://www.w3.org/2000/svg").count()
    );
}

#[test]
fn what_comes_from_the_claim_file_stays_text() {
    let hostile =
        r#"<script>alert(1)</script><img src=x onerror=alert(2)>\" onload=\"x & {{ title }}"#;
    let claims = CLAIMS
        .replace("A mechanism", hostile)
        .replace("a paper", &hostile.replace("script", "SCRIPT"));
    let (_, page) = page(&claims);
    let low = page.to_lowercase();
    assert!(!low.contains("<script") && !low.contains("<img") && !low.contains("\" onload"));
    assert!(page.contains("&#60;script&#62;alert(1)&#60;/script&#62;"));
    assert!(page.contains("&#60;SCRIPT&#62;"));
    assert!(page.contains("{{ title }}"));
    let title = page
        .split("<title>")
        .nth(1)
        .unwrap()
        .split("</title>")
        .next()
        .unwrap();
    assert!(!title.contains('<'));
}

#[test]
fn a_mechanism_without_a_curve_has_a_page_without_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let run = dpcmp_reading(
        &["verify", "-", "--report", path.to_str().unwrap()],
        crate::UNSUPPORTED,
    );
    assert_eq!(run.code, 3);
    let page = fs::read_to_string(path).unwrap();
    assert!(page.contains("1 undecided") && !page.contains("<svg"));
}

#[test]
fn certificates_are_named_with_their_hashes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(at("claim.json"), crate::finite_claim(crate::TRUE_CLAIM)).unwrap();
    let run = dpcmp(&[
        "verify",
        &at("claim.json"),
        "--certificate",
        &at("proof.json"),
        "--report",
        &at("page.html"),
    ]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = fs::read_to_string(at("page.html")).unwrap();
    assert!(page.contains(&format!("dpcmp-check {}", at("proof.json"))));
    // Of the certificate, beside its claim and in the list; of the claim file.
    assert_eq!(page.matches("SHA-256").count(), 3);
}

/// A pipe gives its content once.
#[cfg(unix)]
#[test]
fn a_pipe_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let made = std::process::Command::new("mkfifo")
        .arg(at("claim"))
        .status();
    assert!(made.unwrap().success());
    let pipe = at("claim");
    std::thread::spawn(move || fs::write(pipe, CLAIMS));
    let run = dpcmp(&["verify", &at("claim"), "--report", &at("page.html")]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    assert!(
        fs::read_to_string(at("page.html"))
            .unwrap()
            .contains("3 claims")
    );
}

/// Several claim files on standard input are a page of several.
#[test]
fn lines_on_standard_input_are_counted_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let line = crate::finite_claim(crate::TRUE_CLAIM);
    let run = dpcmp_reading(
        &["verify", "-", "--report", path.to_str().unwrap()],
        format!("{line}\n{line}\n"),
    );
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let page = fs::read_to_string(path).unwrap();
    assert_eq!(page.matches("<section id=\"file-").count(), 2);
}

/// What is said beside a verdict is on the page: risks, questions, the claim file; remarks on claims that say little.
#[test]
fn a_page_has_what_a_reviewer_needs() {
    let text = CLAIMS.replace("epsilon = 8", "epsilon = 12");
    let (_, page) = page(&text);
    for part in [
        "What it means for an attacker",
        "<td>0.01</td>",
        "To be asked",
        "How many records can one person have?",
        "finds at least 99.9 % of the members",
        "The claim file as it was read",
        "title = &#34;A mechanism&#34;",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    // P(Z > Φ⁻¹(0.99) − 1/2) = 0.0339…: what an attacker finds at 1 %.
    assert!(page.contains("<td>0.0339"), "{page}");
}

/// A page of several claim files: a table that sorts, a section for each, the one script that may run.
#[test]
fn a_page_of_several_claim_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.toml"), CLAIMS).unwrap();
    fs::write(
        path("b.toml"),
        CLAIMS.replace("A mechanism", "B <script> & co"),
    )
    .unwrap();
    fs::write(path("c.toml"), "nonsense").unwrap();
    let out = tempfile::tempdir().unwrap();
    let out = out.path().join("page.html");
    let top = folder.path().to_str().unwrap();
    let run = dpcmp(&["verify", top, "--report", out.to_str().unwrap()]);
    assert_eq!(run.code, 2, "{}", run.stderr);
    let page = fs::read_to_string(out).unwrap();
    assert_eq!(page.matches("<tr class=\"verified\">").count(), 4);
    assert_eq!(page.matches("<tr class=\"refuted\">").count(), 2);
    assert_eq!(page.matches("not read").count(), 1);
    assert_eq!(page.matches("<section id=\"file-").count(), 2);
    assert!(page.contains("href=\"#file-2\"") && page.contains("6 claims: 4 verified, 2 refuted"));
    assert!(page.contains("script-src 'sha256-") && page.matches("<script").count() == 1);
    for tag in [
        "<link", "<img", "<iframe", "<object", "src=", "@import", "url(http", "https:",
    ] {
        assert!(!page.contains(tag), "{tag}");
    }
}

/// Several claim files: a row for each claim, all of it with `--details`; a certificate is told from a claim file.
#[test]
fn several_files_have_a_row_for_each_claim() {
    let files = [
        "examples/claims/laplace.toml",
        "examples/claims/wrong-claim.toml",
    ];
    let run = dpcmp(&["verify", files[0], files[1]]);
    assert!(!run.stdout.contains("provided:"), "{}", run.stdout);
    let rows = run
        .stdout
        .lines()
        .filter(|line| line.starts_with(['✓', '✗']));
    assert_eq!(rows.count(), 5, "{}", run.stdout);
    let run = dpcmp(&["verify", files[0], files[1], "--details"]);
    assert_eq!(run.stdout.matches("provided:").count(), 2, "{}", run.stdout);
    let certificate = "examples/certificates/de-et-al-claim-1.json";
    let run = dpcmp(&["verify", certificate]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains(&format!("dpcmp check {certificate}")),
        "{}",
        run.stderr
    );
}

/// Claims of the command line are in no file: the page holds the text that can be verified again.
#[test]
fn claims_of_the_command_line_can_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let (page, again) = (
        folder.path().join("page.html"),
        folder.path().join("claims.json"),
    );
    let laplace = r#"{"kind":"laplace","scale":1}"#;
    let page_of = page.to_str().unwrap();
    let claim = "advantage:at-most=0.5";
    let run = dpcmp(&["verify", laplace, "--claim", claim, "--report", page_of]);
    assert_eq!(run.code, 0);
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("dpcmp verify claims.json"), "{html}");
    let (_, rest) = html
        .split_once("<summary>The claim file as it was read</summary><pre>")
        .unwrap();
    let (text, _) = rest.split_once("</pre>").unwrap();
    let text = text.replace("&#34;", "\"").replace("&quot;", "\"");
    fs::write(&again, text.replace("\\u003e", ">")).unwrap();
    assert_eq!(dpcmp(&["verify", again.to_str().unwrap()]).code, 0);
    let sha256 = dpcmp(&["verify", again.to_str().unwrap(), "--format", "json"]);
    let hash = sha256.stdout.split("\"sha256\":\"").nth(1).unwrap();
    assert!(html.contains(hash.split('"').next().unwrap()));
}

/// Where a record is added, the null hypothesis is that it is there: who accuses nobody finds a fourth of the members.
#[test]
fn rates_of_added_records_are_of_members_that_are_cleared() {
    let pair =
        "kind = \"finite\"\np = [\"1/2\", \"1/2\", \"0\"]\nq = [\"1/4\", \"1/2\", \"1/4\"]\n";
    let of = |adjacency: &str| {
        let claim = "[[claim]]\nkind = \"advantage\"\nat-most = 0.5\n";
        page(&format!(
            "[mechanism]\n{pair}adjacency = \"{adjacency}\"\n{claim}"
        ))
        .1
    };
    let (add, remove) = (of("add"), of("remove"));
    assert!(
        add.contains("members cleared, at most") && !add.contains("accused"),
        "{add}"
    );
    assert!(
        remove.contains("wrongly accused, at most") && remove.contains("0.251"),
        "{remove}"
    );
}

/// Lines of claims are shown in full with `--details`, as what stands below the rows says.
#[test]
fn details_of_lines() {
    let line = crate::finite_claim(crate::TRUE_CLAIM);
    let noise = r#"{"mechanism":{"kind":"gaussian","sigma":1},"claim":{"kind":"gdp","mu":1}}"#;
    let lines = format!("{line}\n{noise}\n");
    let run = dpcmp_reading(&["verify", "-", "--no-check"], lines.clone());
    assert!(
        run.stdout.contains("(--details says where)") && !run.stdout.contains("σ = 1"),
        "{}",
        run.stdout
    );
    let run = dpcmp_reading(&["verify", "-", "--no-check", "--details"], lines);
    assert!(run.stdout.contains("σ = 1"), "{}", run.stdout);
    assert_eq!(run.stdout.matches("provided:").count(), 2, "{}", run.stdout);
}

/// Two outputs of one name would lose one of them.
#[test]
fn no_output_takes_the_place_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let claim = "examples/claims/laplace.toml";
    let again = format!("{}/./m.json", folder.path().display());
    for outputs in [
        ["--certificate", &at("c1"), "--attest", &at("c1")],
        ["--certificate", &at("r.html"), "--report", &at("r.html")],
        ["--attest", &at("s.svg"), "--plot", &at("s.svg")],
        ["--attest", &at("m.json"), "--certificate", &again],
    ] {
        let arguments: Vec<&str> = ["verify", claim].into_iter().chain(outputs).collect();
        let run = dpcmp(&arguments);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        assert!(
            run.stderr.contains("it is also another output"),
            "{}",
            run.stderr
        );
    }
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 0);
    let sweep = at("sweep.svg");
    let run = dpcmp(&[
        "bound",
        claim,
        "advantage",
        "--sweep",
        "scale=1,2",
        "--output",
        &sweep,
        "--plot",
        &sweep,
    ]);
    assert!(
        run.code == 2 && run.stderr.contains("it is also another output"),
        "{}",
        run.stderr
    );
}
