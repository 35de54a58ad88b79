//! An average of a few atoms over a pair of two outcomes, in both orders, by its definition.

use rug::Rational;

use super::*;
use crate::kernel::coarse::at_most_bits;
use crate::mechanism::finite::FiniteProfile;
use crate::mechanism::finite_pair;

/// P- and Q-masses of the second pair.
const SECOND: [(f64, f64); 3] = [(0.25, 0.5), (0.5, 0.375), (0.25, 0.125)];

fn second() -> Arc<dyn Profile> {
    let exact = |x: f64| Rational::from_f64(x).unwrap();
    let (p, q): (Vec<_>, Vec<_>) = SECOND.iter().map(|(p, q)| (exact(*p), exact(*q))).unzip();
    Arc::new(FiniteProfile::new(Arc::new(
        finite_pair::law(&p, &q).unwrap(),
    )))
}

/// Σ (q − u·p)⁺ over the atoms and the outcomes, and the P-mass of what counts.
fn stated(atoms: &[(f64, f64)], top: f64, u: f64) -> (f64, f64) {
    let mut found = (top, 0.0);
    for (loss, q) in atoms {
        for (p2, q2) in SECOND {
            let (p, q) = (q * (-loss).exp() * p2, q * q2);
            if q > u * p {
                found = (found.0 + q - u * p, found.1 + p);
            }
        }
    }
    found
}

/// The other order at v: 1 − v + v·δ(1/v), and 1 − the Q-mass of what counts.
fn turned(atoms: &[(f64, f64)], top: f64, v: f64) -> (f64, f64) {
    let (delta, tail) = stated(atoms, top, 1.0 / v);
    (1.0 - v + v * delta, 1.0 - delta - tail / v)
}

#[test]
fn averages_of_few_atoms() {
    let lists: [&[(f64, f64)]; 3] = [
        &[(-0.5, 0.25), (0.75, 0.5)],
        &[(-1.0, 0.125), (0.25, 0.25), (2.0, 0.375)],
        &[(0.5, 0.5)],
    ];
    for atoms in lists {
        for top in [0.0, 0.125, 0.25] {
            let made = |(loss, q): &(f64, f64)| {
                let loss = Interval::point(Float::with_val(BITS, *loss));
                let q = Float::with_val(BITS, *q);
                let p = loss.neg().exp().mul(&Interval::point(q.clone()));
                Atom { loss, q, p }
            };
            let all: Vec<Atom> = atoms.iter().map(made).collect();
            let average = Average::new(all, Float::with_val(BITS, top), second());
            let swapped = average.swapped();
            for n in -14..=14 {
                let epsilon = f64::from(n) / 5.0 + 0.013;
                let exact = Rational::from_f64(epsilon).unwrap();
                for bits in [BITS, 8] {
                    let at = |profile: &dyn Profile| {
                        at_most_bits(bits, || profile.at(&Point::at_epsilon(&exact, 120)))
                    };
                    let u = epsilon.exp();
                    for (found, (delta, tail)) in [
                        (at(&average), stated(atoms, top, u)),
                        (at(&*swapped), turned(atoms, top, u)),
                    ] {
                        // The larger of it and 0 and 1 − u.
                        let straight = (1.0 - u).max(0.0);
                        let delta_is = delta.max(straight);
                        let is_in = |x: &Interval, y: f64| {
                            x.lo().to_f64() <= y + 1e-12 && x.hi().to_f64() >= y - 1e-12
                        };
                        assert!(
                            is_in(&found.delta, delta_is),
                            "{atoms:?} {top} {epsilon}: {found:?} {delta_is}"
                        );
                        if delta > straight + 1e-9 {
                            assert!(
                                is_in(&found.null_tail, tail),
                                "{atoms:?} {top} {epsilon}: {found:?} {tail}"
                            );
                        }
                        if bits == BITS {
                            assert!(found.delta.width_up() < 1e-30);
                        }
                    }
                }
            }
            let missing = 1.0 - top - atoms.iter().map(|(_, q)| q).sum::<f64>();
            let present: f64 = atoms.iter().map(|(loss, q)| q * (-loss).exp()).sum();
            // Where P-mass is left over, it is at +∞ of the other order; nothing is where Q-mass is missing.
            let infinite = swapped.infinite_mass(90);
            let exact = if missing > 0.0 {
                0.0
            } else {
                (1.0 - present).clamp(0.0, 1.0)
            };
            assert!(
                (infinite.middle().to_f64() - exact).abs() < 1e-12,
                "{atoms:?} {top}: {infinite:?} {exact}"
            );
            let ends = |bound: LossBound| match bound {
                LossBound::Finite { value, .. } => (value.lo().to_f64(), value.hi().to_f64()),
                LossBound::Unbounded => (f64::NEG_INFINITY, f64::INFINITY),
            };
            let (most, least) = (0.5f64.ln() - 0.25f64.ln(), 0.125f64.ln() - 0.25f64.ln());
            let (first, last) = (atoms[0].0 + least, atoms[atoms.len() - 1].0 + most);
            let near = |found: (f64, f64), at: f64| {
                (found.0 - at).abs() < 1e-12 && (found.1 - at).abs() < 1e-12
            };
            assert!(
                near(ends(average.max_loss(90)), last) && near(ends(swapped.min_loss(90)), -last)
            );
            if missing > 0.0 || present > 1.0 {
                assert_eq!(
                    ends(average.min_loss(90)),
                    (f64::NEG_INFINITY, f64::INFINITY)
                );
            } else {
                assert!(
                    near(ends(average.min_loss(90)), first)
                        && near(ends(swapped.max_loss(90)), -first)
                );
            }
        }
    }
}
