//! Supporting lines and bounds over single segments, from loose evaluations.

use std::sync::Arc;

use proptest::prelude::*;
use rug::Rational;

use super::*;
use crate::bounds::exact::ExactCurve;
use crate::bounds::testing::{Blurred, blur, finite_pair};
use crate::mechanism::Adjacency;

const BITS: u32 = 128;

/// At ε = 0 and anywhere else, also far out.
fn epsilon() -> impl Strategy<Value = Float> {
    prop_oneof![-40i32..=40, -3i32..=3, -4_000i32..=4_000]
        .prop_map(|eighths| Float::with_val(BITS, eighths) >> 3u32)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The two lines through a node bound R_A on their own side, however loosely the node is known.
    #[test]
    fn lines_stay_above(
        pair in finite_pair(),
        blurs in (blur(), blur()),
        epsilon in epsilon(),
        place in 0u32..=100,
    ) {
        let curve = Curve::new(Arc::new(Blurred {
            pair: pair.clone(),
            delta: blurs.0,
            null_tail: blurs.1,
        }));
        let exact = ExactCurve::new(&pair.p, &pair.q, Adjacency::Remove);
        let nodes = [
            Node::new(&curve.point(&epsilon, BITS), Float::new(BITS), BITS),
            Node::at_no_prior(&curve, BITS),
            Node::at_full_prior(&curve, BITS),
        ];
        let at = Rational::from((place, 100));
        let truth = exact.bayes_error(&at);
        for node in nodes {
            let away = Interval::from_rational(&at, BITS).sub(&node.prior);
            let slope = if *away.lo() > 0 {
                node.slope_first.hi()
            } else if *away.hi() < 0 {
                node.slope_first.lo()
            } else {
                continue;
            };
            let rise = Interval::point(slope.clone()).mul(&away);
            let line = d::add_up(&node.error_first_up, rise.hi(), BITS);
            prop_assert!(line >= truth, "{node:?} at {at}: {truth}");
        }
    }
}
