//! How many laws, and how large ones, ε and μ take where few of many steps take the record at all.

use rug::Rational;

use super::test_tools::{resources, width};
use super::{Method, Subject};
use crate::kernel::Budget;
use crate::mechanism::{Adjacency, Mechanism};
use crate::statement::Query;

/// Cells and rounds of both answers, to 1e-4 each and to the floor 1e-10.
fn taken(noise: &str, rate: &str, steps: u64) -> [(u64, u32); 2] {
    let run = Mechanism::dp_sgd(noise, rate, steps).unwrap();
    let subject = Subject::new(&run, Adjacency::AddRemove, &Budget::unlimited()).unwrap();
    let floor = Rational::from((1, 10_000_000_000u64));
    let queries = [
        Query::epsilon("1e-5").unwrap(),
        Query::gdp_mu_above(floor).unwrap(),
    ];
    let goal = width(1, 10_000);
    for query in &queries {
        subject.expect(query.quantity(), &goal);
    }
    resources(|resources| {
        queries.map(|query| {
            let found = subject.answer(&query, &goal, resources).unwrap();
            match found.method {
                Method::Laws { cells, rounds } => (cells, rounds),
                other => panic!("{noise} {rate} {steps}: {other:?}"),
            }
        })
    })
}

/// Each of these was left to squarings, or to ever finer laws of which none was fine enough: a line had a few roots too many, or its aliases were those of another
/// law; an order was taken for one that trails; the floor was met as the height of the curve is known, not what it leaves to 1; tails were as narrow as a μ of usual
/// size needs; a line of its own that told no more was missed all the same; cells were those of a law that is normal where it is tilted, and that has a few large losses.
#[test]
fn rare_steps_take_few_rounds_of_small_laws() {
    for (noise, rate, steps, most) in [
        ("0.8", "1e-4", 300, 1),
        ("0.7", "1e-4", 300, 1),
        ("0.6", "1e-4", 300, 1),
        ("0.6", "1e-4", 1000, 1),
        ("0.9", "1e-4", 1000, 1),
        ("0.8", "5e-4", 300, 1),
        ("1.2", "1e-4", 300, 1),
        ("1.2", "1e-4", 1000, 1),
        ("1.2", "1e-4", 3000, 1),
        ("1.2", "1e-4", 10_000, 1),
        ("1.5", "1e-4", 300, 1),
        ("1.5", "1e-4", 1000, 1),
        ("1.54", "3.55e-4", 654, 1),
        ("1.216", "6.7e-4", 6773, 1),
        ("1.216", "2.38e-3", 3107, 1),
    ] {
        for (cells, rounds) in taken(noise, rate, steps) {
            assert!(
                rounds <= most && cells < 3_000,
                "{noise} {rate} {steps}: {cells} cells, {rounds} rounds"
            );
        }
    }
}
