//! Answers about what is known only between others, by questions.

use rug::Rational;

use super::*;
use crate::bounds::Target;
use crate::input::mechanism_from_bytes;
use crate::kernel::Budget;
use crate::mechanism::{Adjacency, Epsilon, Mechanism, Relation};
use crate::statement::Other;

fn q(n: i64, d: i64) -> Rational {
    Rational::from((n, d))
}

fn subject(mechanism: &Mechanism) -> Subject {
    Subject::new(mechanism, Adjacency::AddRemove, &Budget::unlimited()).unwrap()
}

fn ask(subject: &Subject, query: &Query) -> Answer {
    ask_to(subject, query, q(1, 100_000))
}

fn ask_to(subject: &Subject, query: &Query, width: Rational) -> Answer {
    let goal = Goal::Width(Target::Relative(width));
    let budget = Budget::unlimited();
    let resources = Resources {
        budget: &budget,
        jobs: 1,
        progress: &|_| {},
    };
    subject.answer(query, &goal, &resources).unwrap()
}

/// All three columns have negative products with each other, so that no signs reach Σ|G|.
fn with_negative_products() -> Mechanism {
    let text = r#"{"kind":"matrix-factorization","noise-multiplier":2,"steps":3,"participations":3,"min-separation":1,"matrix":[[1],["-1/2",1],["-1/3","-1/2",1]]}"#;
    mechanism_from_bytes("test", text.as_bytes())
        .unwrap()
        .mechanism
}

fn queries() -> Vec<Query> {
    // One that reveals more than both ends, and one that reveals less.
    let [more, less] = ["1/2", "1"].map(|sigma| Mechanism::gaussian(sigma, 1).unwrap());
    vec![
        Query::delta(1).unwrap(),
        Query::epsilon("1e-5").unwrap(),
        Query::trade_off("1/10").unwrap(),
        Query::advantage(),
        Query::bayes_error("1/3").unwrap(),
        Query::minimax_risk(),
        Query::gdp_mu(),
        Query::gdp_mu_up_to("1e-6").unwrap(),
        Query::renyi(2).unwrap(),
        Query::zcdp_rho(),
        Query::regret(2).unwrap(),
        Query::delta_divergence(more, Adjacency::AddRemove),
        Query::divergence(Other::new(less, Adjacency::AddRemove), Contrast::From),
    ]
}

/// Every quantity lies between that of the two Gaussians, in the order of the quantity.
#[test]
fn answers_span_those_of_both_ends() {
    let bracket = with_negative_products();
    let (least, most) = bracket.bracket().unwrap();
    let least = least[0].clone();
    let (low, high) = (least.steps().mu_squared(), most.steps().mu_squared());
    assert!(low < high);
    let whole = subject(&bracket);
    assert!(!whole.is_attained(&Query::advantage()));
    let ends = [&low, &high]
        .map(|square| subject(&Mechanism::gaussian_with_mu_squared(square.clone()).unwrap()));
    for query in queries() {
        let found = ask(&whole, &query);
        assert_eq!(found.ending, Ending::DoesNotFollow, "{query:?}");
        for end in &ends {
            let one = ask(end, &query).enclosure;
            assert!(found.enclosure.lower() <= one.upper(), "{query:?}");
            assert!(found.enclosure.upper() >= one.lower(), "{query:?}");
        }
        let [a, b] = [&ends[0], &ends[1]].map(|end| ask(end, &query).enclosure);
        let least = if a.lower() < b.lower() {
            a.lower()
        } else {
            b.lower()
        };
        let most = if a.upper() > b.upper() {
            a.upper()
        } else {
            b.upper()
        };
        assert!(
            found.enclosure.lower() >= least && found.enclosure.upper() <= most,
            "{query:?}"
        );
    }
}

#[test]
fn what_is_done_with_a_bracket_is_done_with_both_ends() {
    let bracket = with_negative_products();
    let (least, most) = bracket.bracket().unwrap();
    let least = least[0].clone();
    let composed = |of: &Mechanism| Mechanism::compose(vec![(of.clone(), 3)]).unwrap();
    let (low, high) = composed(&bracket).bracket().unwrap();
    let low = low[0].clone();
    assert_eq!(
        low.steps(),
        composed(&least)
            .steps()
            .members()
            .first()
            .unwrap_or(low.steps())
    );
    assert_eq!(low.steps().mu_squared(), least.steps().mu_squared() * 3u32);
    assert_eq!(high.steps().mu_squared(), most.steps().mu_squared() * 3u32);
    let sampled = Mechanism::subsampled("1/2", bracket.clone()).unwrap();
    assert!(sampled.bracket().is_some() && sampled.steps().single().is_none());
    let both = Mechanism::mixture(vec![
        (q(1, 2), bracket.clone()),
        (q(1, 2), Mechanism::gdp(1).unwrap()),
    ]);
    assert!(both.unwrap().bracket().is_some());
    let replaced = bracket
        .under(Relation::ReplaceOne)
        .unwrap()
        .bracket()
        .unwrap();
    assert_eq!(
        replaced.1.steps().mu_squared(),
        most.steps().mu_squared() * 4u32
    );
}

/// With ξ = 0 it is one class; a larger ξ allows more.
#[test]
fn guarantees_with_a_constant() {
    assert!(Mechanism::zcdp_with("1/2", 0).unwrap().bracket().is_none());
    let epsilon = Query::epsilon("1e-5").unwrap();
    let at = |xi: &str| {
        let subject = subject(&Mechanism::zcdp_with("1/2", xi).unwrap());
        ask_to(&subject, &epsilon, q(1, 1000)).enclosure
    };
    let (none, some, more) = (at("0"), at("1/10"), at("1/2"));
    assert!(some.lower() <= none.upper() && some.upper() > none.upper());
    assert!(more.upper() > some.upper());
}

/// (ξ, 0)-zCDP is ξ-DP; a divergence of 0 leaves nothing to tell.
#[test]
fn guarantees_of_one_constant() {
    let constant = Mechanism::zcdp_with(0, "1/20").unwrap();
    let pure = Mechanism::pure_dp("1/20").unwrap();
    assert_eq!(constant.steps(), pure.steps());
    let of_two = |of: &Mechanism| Mechanism::group(2, of.clone()).unwrap();
    assert_eq!(of_two(&constant).steps(), of_two(&pure).steps());
    let nothing = Mechanism::rdp(vec![(q(2, 1), q(0, 1)), (q(4, 1), q(1, 2))]).unwrap();
    for query in [
        Query::max_loss(),
        Query::zcdp_rho(),
        Query::renyi(5).unwrap(),
    ] {
        let answer = ask(&subject(&nothing), &query);
        assert_eq!(*answer.enclosure.upper(), 0, "{query:?}");
    }
}

/// Far tests ask for less than near ones, so that the μ of the curve above a tiny floor is the strict one; the theorem alone is above it.
#[test]
fn strict_mu_of_concentrated_mechanisms() {
    let strict = Query::gdp_mu();
    let floor = Query::gdp_mu_above(q(1, 1_000_000)).unwrap();
    for rho in [q(1, 100), q(1, 2), q(2, 1)] {
        let class = subject(&Mechanism::zcdp(rho.clone()).unwrap());
        let found = ask_to(&class, &strict, q(1, 1000)).enclosure;
        let above_floor = ask_to(&class, &floor, q(1, 1000)).enclosure;
        assert!(
            found.width_up() < 0.002 && found.intersect(&above_floor).is_ok(),
            "{rho}"
        );
        let enough = crate::composition::concentrated::enough(&rho, 128);
        assert!(*found.upper() < *enough.lo(), "{rho}");
        // However wide it may be, it holds what is known more narrowly.
        for width in [q(1, 2), q(1, 10)] {
            let wide = ask_to(&class, &strict, width).enclosure;
            assert!(
                wide.intersect(&found).is_ok() && *wide.upper() >= *found.lower(),
                "{rho}"
            );
        }
        // On a sample it is no more, and what the theorem leaves open more time does not close.
        let sample = Mechanism::subsampled(q(1, 100), Mechanism::zcdp(rho.clone()).unwrap());
        let answer = ask_to(&subject(&sample.unwrap()), &strict, q(1, 1000));
        let member =
            crate::kernel::Interval::from_rational(&Rational::from(&rho * 2u32), 128).sqrt();
        let of_sample = &answer.enclosure;
        assert!(
            of_sample.upper() < found.upper() && *of_sample.lower() <= *member.hi(),
            "{rho}"
        );
        assert_eq!(answer.ending, Ending::Exhausted, "{rho}");
        // Beside Gaussian noise the theorem alone is known.
        let noise = Mechanism::gaussian_with_mu_squared(q(1, 4)).unwrap();
        let both = Mechanism::compose(vec![(Mechanism::zcdp(rho.clone()).unwrap(), 1), (noise, 1)]);
        let found = ask_to(&subject(&both.unwrap()), &strict, q(1, 1000)).enclosure;
        let all = crate::composition::concentrated::enough(&(rho.clone() + q(1, 8)), 128);
        assert!(
            found.upper().is_finite() && *found.upper() <= *all.hi(),
            "{rho}"
        );
    }
}

/// Noise on the integers has a finite strict μ, by its own ρ: the largest of Φ⁻¹(1 − P(X ≥ k)) − Φ⁻¹(1 − Q(X ≥ k)) over all k, by mpmath.
#[test]
fn strict_mu_of_noise_on_the_integers() {
    let narrow = q(1, 1_000_000_000);
    for (noise, known, width) in [
        (r#""sigma":"0.5""#, "2.4883819042262307424", narrow.clone()),
        (r#""sigma":1"#, "1.0457601195159672173", narrow),
        (r#""sigma":2"#, "0.50532543646927901566", q(1, 100)),
        (r#""sigma":2,"times":10"#, "1.5827892411403176298", q(1, 10)),
        (
            r#""sigma":1,"parties":3"#,
            "0.58561863098794185655",
            q(1, 40),
        ),
    ] {
        let text = format!(r#"{{"kind":"compose","of":[{{"kind":"discrete-gaussian",{noise}}}]}}"#);
        let of = mechanism_from_bytes("test", text.as_bytes())
            .unwrap()
            .mechanism;
        let found = ask_to(&subject(&of), &Query::gdp_mu(), q(1, 1_000_000)).enclosure;
        let known = crate::number::parse_rational(known).unwrap();
        assert!(
            *found.lower() <= known && *found.upper() >= known,
            "{noise}"
        );
        assert!(found.width_up() < width, "{noise}");
    }
    // A replaced record on a sample: its tails are as far apart as the noise of one record, not of two.
    let text = r#"{"kind":"dp-sgd","noise-multiplier":1,"sample-rate":"0.1","steps":1,"adjacency":"replace-one"}"#;
    let of = mechanism_from_bytes("test", text.as_bytes()).unwrap();
    let sample = Subject::new(&of.mechanism, of.adjacency, &Budget::unlimited()).unwrap();
    let found = ask_to(&sample, &Query::gdp_mu(), q(1, 1000)).enclosure;
    assert!(*found.lower() == 1 && *found.upper() < q(11, 10));
    // What ends on one side only has no finite one.
    let text = r#"{"kind":"approx-dp","epsilon":1,"delta":"1e-3"}"#;
    let cut = mechanism_from_bytes("test", text.as_bytes())
        .unwrap()
        .mechanism;
    let found = ask_to(&subject(&cut), &Query::gdp_mu(), q(1, 1000)).enclosure;
    assert!(found.lower().is_infinite());
}

/// Between two answers on one batch an adversary may change what the others contribute: (log 2, 0.41480762) is reached over two batches, by
/// quadrature, and more than with one answer of the same noise.
#[test]
fn several_answers_on_one_batch_are_told_apart() {
    let of = |noise: &str| {
        let batch = format!(
            r#"{{"kind":"subsampled","sampling":"without-replacement","dataset-size":2,"batch-size":1,"times":2,"of":{noise}}}"#
        );
        let text = format!(r#"{{"kind":"compose","of":[{batch}],"adjacency":"replace-one"}}"#);
        let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
        let subject = Subject::new(&file.mechanism, file.adjacency, &Budget::unlimited()).unwrap();
        let two = Epsilon::log_of(q(2, 1)).unwrap();
        ask_to(&subject, &Query::delta_at(two), q(1, 1000)).enclosure
    };
    let noise =
        |sigma: &str| format!(r#"{{"kind":"gaussian","sigma":"{sigma}","record-bound":1}}"#);
    let (first, second) = (noise("5/4"), noise("5/3"));
    let two = of(&format!(r#"{{"kind":"compose","of":[{first},{second}]}}"#));
    assert!(*two.upper() > 0.414_807_62 && *two.lower() < 0.414_807_62);
    // Of as much noise in one answer less is known to be revealed.
    let one = of(&noise("1"));
    assert!(*one.upper() < 0.414_5 && one.upper() < two.upper());
    let group = of(&format!(
        r#"{{"kind":"group","records":2,"of":{}}}"#,
        noise("2")
    ));
    assert_eq!(group, one);
}

/// A key that is released for certain tells the datasets apart, whatever else is released, in either order of the pair.
#[test]
fn certain_releases_reveal_everything() {
    let key = r#"{"kind":"noise-threshold","noise":"truncated-geometric","scale":2,"threshold":1,"release-if":">=","record-bound":2,"keys":2}"#;
    let pair = r#"{"kind":"finite","p":["1/3","2/3"],"q":["2/3","1/3"]}"#;
    for adjacency in ["add", "remove", "add-remove"] {
        for of in [key.to_owned(), format!("{key},{pair}")] {
            let text = format!(r#"{{"kind":"compose","of":[{of}],"adjacency":"{adjacency}"}}"#);
            let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
            let subject =
                Subject::new(&file.mechanism, file.adjacency, &Budget::unlimited()).unwrap();
            for query in [Query::delta(1).unwrap(), Query::advantage()] {
                assert_eq!(*ask(&subject, &query).enclosure.lower(), 1, "{text}");
            }
        }
    }
}

/// Runs of choices lose Σ ε at the most, exactly, whatever the tables of their profiles are rounded to.
#[test]
fn choices_lose_the_sum() {
    let all = [
        (
            r#"{"kind":"exponential","epsilon":"1/10","times":10}"#,
            q(1, 1),
        ),
        (
            r#"{"kind":"exponential","epsilon":"1/2","times":3},{"kind":"exponential","epsilon":"1/10","times":2}"#,
            q(17, 10),
        ),
        (
            r#"{"kind":"permute-and-flip","epsilon":"1/3","times":3},{"kind":"exponential","epsilon":"1/2","times":3}"#,
            q(5, 2),
        ),
    ];
    for (number, (of, sum)) in all.into_iter().enumerate() {
        let text = format!(r#"{{"kind":"compose","of":[{of}]}}"#);
        let mechanism = mechanism_from_bytes("test", text.as_bytes())
            .unwrap()
            .mechanism;
        let names = [
            Query::max_loss(),
            Query::epsilon(0).unwrap(),
            Query::max_divergence(),
        ];
        for (place, query) in names.iter().enumerate() {
            if crate::test_scale::is_asked(number + place, 6) {
                let answer = ask(&subject(&mechanism), query);
                assert_eq!(answer.enclosure.exact(), Some(&sum), "{text}");
            }
        }
    }
}

/// Rényi divergences and ρ of runs of exponential mechanisms are the sums of the largest ones of each, which one dataset attains at each order; where
/// others run beside them, or permute-and-flip, they are only known between bounds.
#[test]
fn divergences_of_choices_add_up() {
    let of = |of: &str| {
        let text = format!(r#"{{"kind":"compose","of":[{of}]}}"#);
        subject(
            &mechanism_from_bytes("test", text.as_bytes())
                .unwrap()
                .mechanism,
        )
    };
    const HALF: &str = r#"{"kind":"exponential","epsilon":"1/2"}"#;
    const FIFTH: &str = r#"{"kind":"exponential","epsilon":"1/5"}"#;
    let times = |of: &str, times: u32| of.replace('}', &format!(r#","times":{times}}}"#));
    let all = of(&format!("{},{}", times(HALF, 4), times(FIFTH, 2)));
    let one = [HALF, FIFTH].map(of);
    for query in [Query::renyi(3), Query::renyi("1/2"), Query::renyi(1)] {
        let query = query.unwrap();
        let found = ask(&all, &query);
        assert_eq!(found.ending, Ending::Reached);
        assert!(all.is_attained(&query));
        let [half, fifth] = [&one[0], &one[1]].map(|one| ask(one, &query).enclosure);
        let sum =
            |a: &Float, b: &Float| Float::with_val(300, a * 4u32) + Float::with_val(300, b * 2u32);
        assert!(*found.enclosure.lower() <= sum(half.upper(), fifth.upper()));
        assert!(*found.enclosure.upper() >= sum(half.lower(), fifth.lower()));
    }
    let rho = ask(&all, &Query::zcdp_rho());
    assert_eq!(rho.ending, Ending::Reached);
    assert!(*rho.enclosure.upper() <= 4.0 * 0.25 / 8.0 + 2.0 * 0.04 / 8.0);
    assert!(!all.is_attained(&Query::advantage()));
    for beside in [
        format!(r#"{},{{"kind":"gaussian","sigma":2}}"#, times(HALF, 3)),
        r#"{"kind":"permute-and-flip","epsilon":"1/2"}"#.to_owned(),
    ] {
        let found = ask(&of(&beside), &Query::renyi(2).unwrap());
        assert_eq!(found.ending, Ending::DoesNotFollow, "{beside}");
    }
}

/// Σ ε of logarithms is the logarithm of a product, at which δ is 0 exactly, and below which it is not; what tells nothing adds nothing.
#[test]
fn choices_stated_by_odds() {
    let text = r#"{"kind":"compose","of":[{"kind":"exponential","exp-epsilon":2,"times":2},{"kind":"exponential","epsilon":0,"times":7},
        {"kind":"permute-and-flip","exp-epsilon":3}]}"#;
    let mechanism = mechanism_from_bytes("test", text.as_bytes())
        .unwrap()
        .mechanism;
    let subject = subject(&mechanism);
    let delta = |odds: Rational| {
        let query = Query::delta(crate::mechanism::Epsilon::log_of(odds).unwrap()).unwrap();
        ask_to(&subject, &query, q(1, 10)).enclosure
    };
    assert_eq!(delta(q(12, 1)).exact(), Some(&q(0, 1)));
    assert_eq!(delta(q(13, 1)).exact(), Some(&q(0, 1)));
    assert!(delta(q(11, 1)).exact().is_none());
    for query in [Query::max_loss(), Query::max_divergence()] {
        let found = ask(&subject, &query).enclosure;
        let truth = Float::with_val(1000, 12).ln();
        assert!(*found.lower() <= truth && truth <= *found.upper());
        assert!(Float::with_val(300, found.upper() - found.lower()) < 1e-80);
    }
    // Elsewhere nothing follows from the sum alone.
    let some = ask_to(&subject, &Query::epsilon("1e-3").unwrap(), q(1, 10)).enclosure;
    assert!(*some.upper() < 2.4 && some.exact().is_none());
    let two = ask(&subject, &Query::renyi(2).unwrap()).enclosure;
    assert!(*two.upper() < 2);
}

/// Of the ways to say what a displaced record tells, one is the narrowest for this ε and another one for the sum of many steps.
#[test]
fn the_narrowest_of_several_bounds() {
    let truncated = |times: u64| {
        let text = format!(
            r#"{{"kind":"compose","of":[{{"kind":"subsampled","sampling":"truncated-poisson","rate":"1/10","dataset-size":50,"max-batch":8,"of":{{"kind":"gaussian","sigma":2,"record-bound":1}},"times":{times}}}],"adjacency":"add-remove"}}"#
        );
        mechanism_from_bytes("test", text.as_bytes())
            .unwrap()
            .mechanism
    };
    let mut is_first = Vec::new();
    for (times, epsilon) in [(1, "1/5"), (1, "1/100"), (40, "1/2")] {
        let of = subject(&truncated(times));
        assert!(!of.other_bounds.is_empty());
        let query = Query::delta(epsilon).unwrap();
        let found = ask_to(&of, &query, q(1, 1000)).enclosure;
        let alone = |one: &Subject| {
            let goal = Goal::Width(Target::Relative(q(1, 1000)));
            let budget = Budget::unlimited();
            let resources = Resources {
                budget: &budget,
                jobs: 1,
                progress: &|_| {},
            };
            let answer = one.enclose_alone(query.quantity(), &goal, &resources);
            answer.unwrap().enclosure.upper().clone()
        };
        let first = alone(&of);
        let all = of.other_bounds.iter().map(alone);
        let least = all.fold(first.clone(), |a, b| if b < a { b } else { a });
        assert_eq!(*found.upper(), least, "{times}");
        is_first.push(least == first);
    }
    assert_eq!(is_first, [true, false, true]);
}

/// No Gaussian mechanism is Skellam noise on vectors: what is known of its bound is not said of it.
#[test]
fn words_are_about_what_is_stated() {
    let text = r#"{"kind":"skellam","mean":5,"l2-sensitivity":2}"#;
    let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
    for query in [Query::renyi(2).unwrap(), Query::zcdp_rho()] {
        let found = ask_to(&subject(&file.mechanism), &query, q(1, 100));
        let Method::Theorem(words) = found.method else {
            panic!("{:?}", found.method)
        };
        assert!(!words.contains("Gaussian"), "{words}");
    }
}
