//! Places of a sampled pair that may be where all of P is.

use super::*;
use crate::mechanism::approx_dp;
use crate::mechanism::finite::FiniteProfile;

/// P has a part that Q has not, so that the original pair nowhere has all of P beyond a place; the sampled one has, up to u = 1 − r.
#[test]
fn below_the_least_loss_all_of_p_is_beyond() {
    let law = approx_dp::law(&Rational::from(1).into(), &Rational::from((1, 10))).unwrap();
    let sampled = Subsampled {
        rate: Rational::from((1, 2)),
        of: Arc::new(FiniteProfile::new(Arc::new(law))),
    };
    // From before log(1/2) = −0.69… to after it.
    let end = |n: i32| Interval::from_rational(&Rational::from((n, 10)), 64);
    let found = sampled.knot(&Point::at_log(end(-8).hull(&end(-6))));
    assert!(found.null_tail.contains(&Rational::from(1)), "{found:?}");
    for n in -8..=-6 {
        let fine = sampled.knot(&Point::at_epsilon(&Rational::from((n, 10)), 200));
        let surrounds = crate::kernel::coarse::surrounds;
        assert!(surrounds(&found.delta, &fine.delta), "{n}");
        assert!(surrounds(&found.null_tail, &fine.null_tail), "{n}");
    }
}

/// On a sample there is that part of the mass at infinity.
#[test]
fn a_part_of_the_mass_at_infinity() {
    let law = approx_dp::law(&Rational::from(1).into(), &Rational::from((1, 10))).unwrap();
    let sampled = Subsampled {
        rate: Rational::from((1, 4)),
        of: Arc::new(FiniteProfile::new(Arc::new(law))),
    };
    let found = sampled.infinite_mass(60);
    assert!(found.contains(&Rational::from((1, 40))) && found.width_up() < 1e-15);
}

#[test]
fn random_places_at_few_bits() {
    let law = approx_dp::law(&Rational::from(1).into(), &Rational::from((1, 10))).unwrap();
    let sampled = Subsampled {
        rate: Rational::from((1, 4)),
        of: Arc::new(FiniteProfile::new(Arc::new(law))),
    };
    let held = |profile: &dyn Profile, seed| {
        crate::kernel::coarse::places_hold(profile, seed, 2_600, true)
    };
    assert_eq!(held(&sampled, 1), Ok(()));
    assert_eq!(held(&*sampled.swapped(), 2), Ok(()));
}

/// What is exact of a sample is what is enclosed, at random rates and places and few bits.
#[test]
fn exact_values_at_random_places() {
    use crate::kernel::coarse::{Random, at_most_bits};
    let mut random = Random(66);
    let laplace = crate::mechanism::laplace::Laplace::new(Rational::from((3, 2)));
    let of: Arc<dyn Profile> = Arc::new(laplace);
    let mut seen = 0;
    for _ in 0..7_600 {
        let sampled = Subsampled {
            rate: Rational::from((1 + random.below(15), 16)),
            of: Arc::clone(&of),
        };
        let u = Rational::from((1 + random.below(160), 1 + random.below(60)));
        let bits = 3 + u32::try_from(random.below(60)).unwrap();
        let point = Point::at_exp_epsilon(&u, 64);
        if let Some(exact) = at_most_bits(bits, || sampled.exact_delta(&point)) {
            let found = sampled.at(&point).delta;
            assert!(
                found.contains(&exact),
                "{} {u} {bits}: {exact}",
                sampled.rate
            );
            seen += 1;
        }
    }
    assert!(seen > 2_000, "{seen}");
}
