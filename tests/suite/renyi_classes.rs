//! Mechanisms of which only Rényi guarantees are known: verdicts, and what the exact curves give up.

use dpcmp::analysis::{Answer, Goal, Refusal, Resources, Subject};
use dpcmp::bounds::{GdpForm, Target};
use dpcmp::input::claim_file_from_bytes;
use dpcmp::kernel::Budget;
use dpcmp::mechanism::{Adjacency, Mechanism};
use dpcmp::statement::{Other, Query};
use dpcmp::verdict::{Analyst, Outcome, Reason, judge};
use rug::{Float, Rational};

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn subject(mechanism: &Mechanism) -> Subject {
    Subject::new(mechanism, Adjacency::AddRemove, &Budget::unlimited()).unwrap()
}

fn with_means<T>(run: impl FnOnce(&Resources<'_>) -> T) -> T {
    let budget = Budget::unlimited();
    run(&Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| (),
    })
}

fn ask(subject: &Subject, query: &Query, width: Rational) -> Answer {
    let goal = Goal::Width(Target::Relative(width));
    with_means(|resources| subject.answer(query, &goal, resources)).unwrap()
}

/// "verified", "refuted" or the reason of the doubt, for each claim of a file.
fn verdicts(file: &str) -> Vec<String> {
    let file = claim_file_from_bytes("test", file.as_bytes()).unwrap();
    let found = Subject::new(
        &file.mechanism.mechanism,
        file.mechanism.adjacency,
        &Budget::unlimited(),
    );
    let analyst: Result<&dyn Analyst, &Refusal> = match &found {
        Ok(subject) => Ok(subject),
        Err(refusal) => Err(refusal),
    };
    let detail = Target::Relative(q(1, 100));
    with_means(|resources| {
        file.claims
            .iter()
            .map(|entry| {
                match judge(entry, analyst, resources, &detail, None)
                    .unwrap()
                    .outcome
                {
                    Outcome::Undecided(reason) => {
                        if let Reason::DoesNotFollow(why) = &reason {
                            assert!(why.contains("no member that is known violates it"), "{why}");
                        }
                        reason.as_str().to_owned()
                    }
                    other => other.as_str().to_owned(),
                }
            })
            .collect()
    })
}

/// Four mechanisms with ρ = 1/2 each: the class of ρ = 2 above, the Gaussian with μ = 2 below.
#[test]
fn a_composition_is_decided_outside_its_two_sides() {
    let claims: String = ["0.1", "0.06", "0.01"]
        .map(|delta| format!("[[claim]]\nkind=\"approx-dp\"\nepsilon=5\ndelta={delta}\n"))
        .concat();
    let composed =
        format!("{claims}[mechanism]\nkind=\"compose\"\nof=[{{kind=\"zcdp\",rho=0.5,times=4}}]\n");
    assert_eq!(
        verdicts(&composed),
        ["verified", "does-not-follow", "refuted"]
    );
    let whole = format!("{claims}[mechanism]\nkind=\"zcdp\"\nrho=2\n");
    assert_eq!(verdicts(&whole), ["verified", "refuted", "refuted"]);
}

#[test]
fn the_strict_mu_of_a_class() {
    let file = |mechanism: &str, mu: &str| {
        format!("[mechanism]\n{mechanism}\n[[claim]]\nkind=\"gdp\"\nmu={mu}\n")
    };
    let zcdp = "kind=\"zcdp\"\nrho=0.5";
    assert_eq!(verdicts(&file(zcdp, "1.2")), ["refuted"]);
    assert_eq!(verdicts(&file("kind=\"zcdp\"\nrho=0", "0")), ["verified"]);
    let rdp = "kind=\"rdp\"\norders=[[2,1],[4,3]]";
    assert_eq!(verdicts(&file(rdp, "100")), ["refuted"]);
}

/// A table says nothing of larger orders, and so nothing of all of them, whatever stands beside it; of a sample where a record is added the other order of the pair has an end.
#[test]
fn beyond_the_orders_of_a_table() {
    let claims = "[[claim]]\nkind=\"zcdp\"\nrho=1000\n[[claim]]\nkind=\"rdp\"\norder=5\nepsilon=1000\n\
        [[claim]]\nkind=\"rdp\"\norder=4\nepsilon=3\n[[claim]]\nkind=\"rdp\"\norder=4\nepsilon=1.9\n";
    let of = |mechanism: &str| verdicts(&format!("{claims}[mechanism]\n{mechanism}\n"));
    let rdp = "kind=\"rdp\"\norders=[[2,1],[4,3]]\n";
    assert_eq!(of(rdp), ["refuted", "refuted", "verified", "refuted"]);
    let inner = "{kind=\"rdp\",orders=[[2,1],[4,3]]}";
    let sampled = format!("kind=\"subsampled\"\nrate=0.01\nof={inner}\n");
    assert_eq!(of(&sampled)[..3], ["refuted", "refuted", "verified"]);
    let added = format!("{sampled}adjacency=\"add\"\n");
    assert_eq!(of(&added)[..3], ["refuted", "does-not-follow", "verified"]);
    let nothing = "kind=\"rdp\"\norders=[[2,0],[4,3]]\n";
    assert_eq!(of(nothing), ["verified"; 4]);
}

/// Gomez et al. 2025, Fig. 1c, with exact curves: what Laplace noise b = 1 loses when only its ρ* = 1/e is reported.
#[test]
fn the_regret_of_reporting_laplace_noise_as_zcdp() {
    let laplace = subject(&Mechanism::laplace(q(1, 1), q(1, 1)).unwrap());
    // sup D_t/t is the limit t → 1, the Kullback–Leibler divergence 1/e.
    let class = Mechanism::zcdp(q(3_678_794_412, 10_000_000_000)).unwrap();
    let other = Other::new(class, Adjacency::AddRemove);
    let query = Query::divergence(other, dpcmp::statement::Contrast::To);
    let found = ask(&laplace, &query, q(1, 10_000));
    let percent = found.enclosure.upper().to_f64() * 100.0;
    assert!((3.90..3.92).contains(&percent), "{percent}");
}

/// A tolerance makes μ finite: between that of the Gaussian member and the strict one of a class of ρ = 1/2.
#[test]
fn mu_with_a_tolerance() {
    let class = subject(&Mechanism::zcdp(q(1, 2)).unwrap());
    let query = Query::gdp_mu_as(GdpForm::Tolerance(q(1, 1_000_000))).unwrap();
    let found = ask(&class, &query, q(1, 1_000));
    let (low, high) = (found.enclosure.lower(), found.enclosure.upper());
    assert!(*low > 1.28 && *high < 1.29, "{low} {high}");
}

/// A vector along one coordinate is next to the guarantee for vectors of its length, and is the exact mechanism on a count.
#[test]
fn vectors_with_skellam_noise() {
    let file = std::fs::read_to_string("examples/claims/skellam-vectors.toml").unwrap();
    assert_eq!(verdicts(&file), ["verified", "does-not-follow", "refuted"]);
    let query = Query::epsilon("0.00001").unwrap();
    let ask = |mechanism: Mechanism| ask(&subject(&mechanism), &query, q(1, 10_000));
    let vectors = ask(Mechanism::skellam_of_vectors("200", "7/2").unwrap());
    let count = ask(Mechanism::skellam("200", 3).unwrap());
    let (low, high) = (count.enclosure.lower(), count.enclosure.upper());
    assert!(*vectors.enclosure.lower() > Float::with_val(64, low * 0.999));
    assert!(vectors.enclosure.lower() <= high && high < vectors.enclosure.upper());
}
