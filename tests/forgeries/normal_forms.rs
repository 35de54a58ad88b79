//! What the checker makes of a mechanism against what the engine makes of it: the same steps, as often, in the same order, and the same members.
//!
//! `DPCMP_MECHANISMS` is how many random ones are tried.

use std::collections::BTreeMap;

use dpcmp::mechanism::shifted::{Noise as EngineNoise, Shifts as EngineShifts};
use dpcmp::mechanism::{self, FiniteLosses, StatedEpsilon};
use dpcmp::rug::Rational;
use dpcmp_check::{BigRational, Epsilon, Noise, Parts, Reason, Shifts, Step};
use serde_json::json;

use super::kinds;
use super::random::Random;

fn fraction(x: &Rational) -> BigRational {
    x.to_string().parse().unwrap()
}

fn whole(n: u64) -> BigRational {
    BigRational::from_integer(n.into())
}

fn epsilon(epsilon: &mechanism::Epsilon) -> Epsilon {
    match epsilon.stated() {
        StatedEpsilon::Number(x) => Epsilon::Plain(fraction(x)),
        StatedEpsilon::Exp(u) => Epsilon::LogOf(fraction(u)),
    }
}

fn shifts(shifts: &EngineShifts, unit: u64) -> Shifts {
    let list = shifts.list().iter();
    list.map(|(shift, weight)| (fraction(weight), fraction(shift) * whole(unit)))
        .collect()
}

fn single(noise: Noise, shift: u64) -> Step {
    let at = |shift: u64| vec![(whole(1), whole(shift))];
    Step::Shifted {
        noise,
        without: at(0),
        with: at(shift),
    }
}

fn nothing() -> Step {
    Step::Response {
        epsilon: Epsilon::Plain(whole(0)),
        k: 2.into(),
    }
}

/// A step of the engine as one of the checker's; `None` if that has none like it.
fn step(step: &mechanism::Step) -> Option<Step> {
    Some(match step {
        mechanism::Step::Gaussian { mu_squared } => Step::Gaussian {
            square: fraction(mu_squared),
        },
        mechanism::Step::Laplace { epsilon } => Step::Laplace {
            epsilon: fraction(epsilon),
        },
        mechanism::Step::DiscreteGaussian { sigma, sensitivity } => {
            let square = fraction(sigma) * fraction(sigma);
            single(Noise::DiscreteGaussian { square, parties: 1 }, *sensitivity)
        }
        mechanism::Step::Finite(one) => match one.losses() {
            FiniteLosses::RandomizedResponse { epsilon: e, k } => Step::Response {
                epsilon: epsilon(e),
                k: (*k).into(),
            },
            FiniteLosses::ResponseOrUniform { epsilon: e, k } => Step::ResponseOrUniform {
                epsilon: epsilon(e),
                k: (*k).into(),
            },
            FiniteLosses::ApproxDp { epsilon: e, delta } => Step::Guarantee {
                points: vec![(epsilon(e), fraction(delta))],
            },
            FiniteLosses::DiscreteLaplace { scale, sensitivity } => {
                let scale = fraction(scale);
                single(Noise::DiscreteLaplace { scale }, *sensitivity)
            }
            FiniteLosses::TruncatedGeometric {
                scale,
                last,
                sensitivity,
            } => {
                let (scale, last) = (fraction(scale), *last);
                single(Noise::Truncated { scale, last }, *sensitivity)
            }
            FiniteLosses::Pair { p, .. } if p.len() == 1 => nothing(),
            FiniteLosses::Pair { p, q } => Step::Finite {
                p: p.iter().map(fraction).collect(),
                q: q.iter().map(fraction).collect(),
            },
            FiniteLosses::Points { points } => Step::Guarantee {
                points: points
                    .iter()
                    .map(|(e, delta)| (epsilon(e), fraction(delta)))
                    .collect(),
            },
            FiniteLosses::LargestAnswer { .. }
            | FiniteLosses::Scores(_)
            | FiniteLosses::NewKey { .. }
            | FiniteLosses::TwoOutcomes { .. }
            | FiniteLosses::PickedOthers(_)
            | FiniteLosses::OppositeOthers(_)
            | FiniteLosses::Shuffled(_) => return None,
        },
        mechanism::Step::Zcdp { rho } => Step::Zcdp { rho: fraction(rho) },
        mechanism::Step::Rdp { orders } => Step::Rdp {
            orders: orders
                .iter()
                .map(|(t, e)| (fraction(t), fraction(e)))
                .collect(),
        },
        mechanism::Step::Sampled(sampled) => Step::Sampled {
            rate: fraction(sampled.rate()),
            of: parts(sampled.of().list())?,
        },
        mechanism::Step::Shifted(pair) => {
            let (noise, unit) = match pair.noise() {
                EngineNoise::Gaussian { unit_squared } => {
                    let square = fraction(unit_squared);
                    (Noise::Gaussian { square }, 1)
                }
                EngineNoise::Laplace { unit } => (
                    Noise::Laplace {
                        unit: fraction(unit),
                    },
                    1,
                ),
                EngineNoise::DiscreteGaussian { sigma, unit } => {
                    let square = fraction(sigma) * fraction(sigma);
                    (Noise::DiscreteGaussian { square, parties: 1 }, *unit)
                }
                EngineNoise::DiscreteLaplace { scale, unit } => {
                    let scale = fraction(scale);
                    (Noise::DiscreteLaplace { scale }, *unit)
                }
                EngineNoise::GaussianSum {
                    sigma,
                    parties,
                    unit,
                } => {
                    let (square, parties) = (fraction(sigma) * fraction(sigma), *parties);
                    (Noise::DiscreteGaussian { square, parties }, *unit)
                }
                EngineNoise::Skellam { mean, unit } => {
                    let mean = fraction(mean);
                    (Noise::Skellam { mean }, *unit)
                }
            };
            Step::Shifted {
                noise,
                without: shifts(pair.without(), unit),
                with: shifts(pair.with(), unit),
            }
        }
        mechanism::Step::Labelled(of) => {
            let of = of
                .iter()
                .map(|(weight, of)| Some((fraction(weight), parts(of.list())?)));
            Step::Labelled {
                of: of.collect::<Option<_>>()?,
            }
        }
        mechanism::Step::Closed(_) => return None,
    })
}

/// Steps of the engine, with all Gaussian noise where the first of it stands.
fn parts(list: &[(mechanism::Step, u64)]) -> Option<Parts> {
    let mut total = whole(0);
    let mut place = None;
    let mut all = Parts::new();
    for (one, times) in list {
        match step(one)? {
            Step::Gaussian { square } => {
                place = place.or(Some(all.len()));
                total += square * whole(*times);
            }
            // Two kinds of the engine may be one step of the checker.
            other => match all.iter_mut().find(|(known, _)| *known == other) {
                Some((_, count)) => *count += times,
                None => all.push((other, *times)),
            },
        }
    }
    if let Some(place) = place {
        if total > whole(0) {
            all.insert(place, (Step::Gaussian { square: total }, 1));
        } else if all.is_empty() {
            all.push((nothing(), 1));
        }
    }
    Some(all)
}

/// Of a group, outcomes of one ratio may be one or several, in any order, and a pair that tells nothing a step or none.
fn merged(mut parts: Parts) -> Parts {
    for (step, _) in &mut parts {
        let (p, q) = match step {
            Step::Finite { p, q } => (p, q),
            Step::Sampled { of, .. } => {
                *of = merged(std::mem::take(of));
                continue;
            }
            Step::Labelled { of } => {
                for (_, of) in of {
                    *of = merged(std::mem::take(of));
                }
                continue;
            }
            _ => continue,
        };
        let (mut all_p, mut all_q): (Vec<BigRational>, Vec<BigRational>) = Default::default();
        let mut outcomes: Vec<_> = p.iter().zip(&*q).collect();
        outcomes.sort_by(|(p, q), (other_p, other_q)| (*other_q * *p).cmp(&(*q * *other_p)));
        for (p, q) in outcomes {
            match (all_p.last_mut(), all_q.last_mut()) {
                (Some(last_p), Some(last_q)) if &*last_p * q == &*last_q * p => {
                    *last_p += p;
                    *last_q += q;
                }
                _ => {
                    all_p.push(p.clone());
                    all_q.push(q.clone());
                }
            }
        }
        *step = match all_p.len() {
            1 => nothing(),
            _ => Step::Finite { p: all_p, q: all_q },
        };
    }
    let is_zero =
        |epsilon: &Epsilon| [Epsilon::Plain(whole(0)), Epsilon::LogOf(whole(1))].contains(epsilon);
    parts.retain(|(step, _)| !matches!(step, Step::Response { epsilon, .. } if is_zero(epsilon)));
    if parts.is_empty() {
        parts.push((nothing(), 1));
    }
    parts
}

fn gaussian_first(mut parts: Parts) -> Parts {
    parts.sort_by_key(|(step, _)| !matches!(step, Step::Gaussian { .. }));
    parts
}

#[test]
fn mechanisms_are_read_alike() {
    let all = std::env::var("DPCMP_MECHANISMS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3_000);
    let mut random = Random(2411);
    let (mut alike, mut others, mut with_members, mut refused) = (0, 0, 0, 0);
    let mut uncovered: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..all {
        let mechanism = kinds::mechanism(&mut random, 3);
        let text = json!({"mechanism": mechanism, "claim": {"kind": "advantage", "at-most": 1}})
            .to_string();
        let theirs = dpcmp::input::claim_file_from_bytes("random", text.as_bytes());
        let ours = dpcmp_check::normal_form(&text);
        let (theirs, ours) = match (theirs, ours) {
            (Ok(theirs), Ok(ours)) => (theirs, ours),
            (Err(_), Err(_)) => {
                refused += 1;
                continue;
            }
            (Ok(_), Err(no)) => {
                assert_eq!(no.reason, Reason::NoCertificateYet, "{text}\n{no}");
                *uncovered.entry(no.detail).or_default() += 1;
                continue;
            }
            (Err(error), Ok(_)) => panic!("{text}\n{}", error.render(false)),
        };
        let steps = theirs.mechanism.mechanism.steps();
        let expected = parts(steps.list()).map(gaussian_first);
        // Of these the checker has steps of its own, and other bounds.
        const OTHERS: [&str; 11] = [
            "exponential",
            "permute-and-flip",
            "top-k",
            "noise-threshold",
            "tree-aggregation",
            "matrix-factorization",
            "\"shuffled\"",
            "without-replacement",
            "truncated-poisson",
            "random-allocation",
            "private-selection",
        ];
        // Both round e^ε, each in its own way.
        let is_rounded = text.contains("\"group\"") && text.contains("approx-dp");
        if is_rounded || OTHERS.iter().any(|kind| text.contains(kind)) {
            others += 1;
            continue;
        }
        let plain: fn(Parts) -> Parts = match text.contains("\"group\"") {
            true => merged,
            false => |parts| parts,
        };
        let ours = (
            plain(ours.0),
            ours.1.into_iter().map(plain).collect::<Vec<_>>(),
        );
        let expected = expected.map(plain);
        assert_eq!(Some(&ours.0), expected.as_ref(), "{text}");
        let members = steps.members().iter();
        let members = members.map(|one| Some(plain(gaussian_first(parts(one.list())?))));
        assert_eq!(
            Some(&ours.1),
            members.collect::<Option<_>>().as_ref(),
            "{text}"
        );
        alike += 1;
        with_members += usize::from(!ours.1.is_empty());
    }
    println!(
        "{alike} of {all} mechanisms are read alike, {with_members} of them with members, {others} read by both; {refused} are refused by both"
    );
    println!("not covered: {uncovered:#?}");
    assert!(alike > all / 3 && with_members > all / 100 && refused > all / 100 && others > 0);
}
