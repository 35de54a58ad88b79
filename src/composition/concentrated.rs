//! Strict μ of all ρ-zCDP mechanisms (`proofs/README.md`, C7).
//!
//! A test of size a and power b has a ≥ A(b) = exp(−(√(−log b) + √ρ)²). With S(L) the x at which a normal variable is above x with probability e^{−L},
//! S(A's exponent) − S(−log b) rises with b, and no b is above the one with A(b) = 1 − b but in the other order of the pair.

use rug::{Integer, Rational};

use crate::kernel::{Interval, normal};

/// Halvings of the range in which the middle test is looked for, beside the bits asked for.
const MORE_HALVINGS: u32 = 16;
/// Errors of at least 2^−this are left to the curve,
const FEWEST_BITS: u32 = 34;
/// or, if that is less, of the middle test's to this power: 6/log 2 above 4.
const POWER: u32 = 6;

/// A μ such that every ρ-zCDP mechanism is μ-GDP.
///
/// Requires: `rho > 0`.
/// Ensures: the upper end is one; the lower end says how near that is to the least one that this argument gives.
pub fn enough(rho: &Rational, bits: u32) -> Interval {
    let middle = normal_place(&middle(rho, bits));
    middle.add(&middle)
}

/// An exponent b such that tests with an error below 2^−b are far from those that decide of all ρ-zCDP mechanisms, and what [`beyond`] says of these.
///
/// Requires: `rho > 0`.
/// Ensures: `None` where no bound is known.
pub fn first_beyond(rho: &Rational, precision: u32) -> Option<(u32, Interval)> {
    let ceiling = middle(rho, 64).hi().to_rational()?.ceil();
    let bits = ceiling.numer().to_u32()?.checked_mul(POWER)?;
    let bits = bits.max(FEWEST_BITS);
    Some((bits, beyond(rho, bits, precision)?))
}

/// An upper bound of Φ⁻¹(1 − a) + Φ⁻¹(b) of all tests of size a below 2^−`bits` and power b of ρ-zCDP mechanisms, or of power above 1 − 2^−`bits`.
///
/// Requires: `rho > 0`.
/// Ensures: `None` where no bound is known; else its upper end falls as `bits` grow, towards √(2ρ).
pub fn beyond(rho: &Rational, bits: u32, precision: u32) -> Option<Interval> {
    let half = Interval::from_rational(&Rational::from((1, 2)), precision);
    let far = half
        .ln()
        .neg()
        .mul(&Interval::from_integer(&Integer::from(bits), precision));
    let root = far
        .sqrt()
        .sub(&Interval::from_rational(rho, precision).sqrt());
    let is_beyond = middle(rho, 64).certainly_lt(&far) && root.is_positive();
    let rest = || normal_place(&far).sub(&normal_place(&root.square()));
    is_beyond.then(rest)
}

/// −log a of the a with a = A(1 − a).
///
/// Ensures: encloses it. With x = −log a it is x = (√(−log(1 − e^{−x})) + √ρ)², of which the right side falls as x rises, from above x at log 2.
fn middle(rho: &Rational, bits: u32) -> Interval {
    let root = Interval::from_rational(rho, bits).sqrt();
    let told = |x: &Interval| {
        let rest = x.neg().exp().neg().ln_1p().neg().at_least_zero();
        rest.sqrt().add(&root).square()
    };
    let two = Interval::from_integer(&Integer::from(2), bits);
    let mut low = two.ln();
    let mut high = told(&low);
    for _ in 0..bits.saturating_add(MORE_HALVINGS) {
        let middle = Interval::point(low.hull(&high).middle());
        let value = told(&middle);
        if value.certainly_le(&middle) {
            high = middle;
        } else if middle.certainly_le(&value) {
            low = middle;
        } else {
            break;
        }
    }
    low.hull(&high)
}

/// The x at which a normal variable is above x with probability e^{−exponent}.
fn normal_place(exponent: &Interval) -> Interval {
    normal::survival_inverse(&exponent.neg().exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::parse_rational;

    /// Values of mpmath at 40 digits, by its `findroot`.
    #[test]
    fn agrees_with_another_program() {
        for (rho, mu, far, rest) in [
            ("1/100", OF_A_HUNDREDTH, 34, BEYOND_OF_A_HUNDREDTH),
            ("1/2", OF_A_HALF, 34, BEYOND_OF_A_HALF),
            ("50", OF_FIFTY, 306, BEYOND_OF_FIFTY),
        ] {
            let rho = parse_rational(rho).unwrap();
            let near = |found: &Interval, text: &str| {
                let known = Interval::from_rational(&parse_rational(text).unwrap(), 256);
                assert!(
                    *found.sub(&known).hi() < 1e-23 && *known.sub(found).hi() < 1e-23,
                    "{found:?}"
                );
                assert!(found.width_up() < 1e-25, "{found:?}");
            };
            near(&enough(&rho, 128), mu);
            let (bits, found) = first_beyond(&rho, 128).unwrap();
            assert_eq!(bits, far);
            near(&found, rest);
        }
    }

    const OF_A_HUNDREDTH: &str = "0.2087324093456104076292227";
    const OF_A_HALF: &str = "1.490690865953752114442772";
    const OF_FIFTY: &str = "19.34965056726489375230713";
    const BEYOND_OF_A_HUNDREDTH: &str = "0.1473729752855266030315536";
    const BEYOND_OF_A_HALF: &str = "1.046717934539213386139749";
    const BEYOND_OF_FIFTY: &str = "10.1200881493635876473777";

    /// Whatever the size of the noise, the Gaussian mechanism of that ρ is one of them.
    #[test]
    fn is_above_the_gaussian_one() {
        for exponent in -40..12i32 {
            let rho = Rational::from(3) << exponent;
            let member = Interval::from_rational(&Rational::from(&rho * 2u32), 256).sqrt();
            assert!(member.certainly_lt(&enough(&rho, 256)), "{rho}");
            if let Some((bits, rest)) = first_beyond(&rho, 256) {
                let farther = beyond(&rho, 4 * bits, 256).unwrap();
                assert!(
                    member.certainly_lt(&farther)
                        && farther.certainly_lt(&rest)
                        && rest.certainly_lt(&enough(&rho, 256)),
                    "{rho}"
                );
            }
        }
        // Of errors that are no smaller than the one of the middle test nothing is said: by halving in floats its bits are 72.13, 2.80 and 4.01.
        for (rho, least) in [(50u32, 73), (1, 3), (2, 5)] {
            let known = |bits| beyond(&Rational::from(rho), bits, 128);
            assert!(
                known(least).is_some() && known(least - 1).is_none(),
                "{rho}"
            );
            assert!(known(1).is_none(), "{rho}");
        }
    }
}
