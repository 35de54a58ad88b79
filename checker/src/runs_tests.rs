//! Numbers of runs one by one.

use super::*;
use crate::coarse::ends;
use crate::value::json;

fn float(x: &BigRational) -> f64 {
    num_traits::ToPrimitive::to_f64(x).unwrap()
}

/// P(K = k) from k = 0 on, up to a factor, with ratio (1 − γ)(k + η)/(k + 1) from 1 on; a Poisson number by its own law.
fn chances(shape: Option<f64>, gamma: f64, mean: f64) -> Vec<f64> {
    let mut all = match shape {
        Some(_) => vec![0.0, 1.0],
        None => vec![(-mean).exp(), (-mean).exp() * mean],
    };
    for k in 1..6_000 {
        let k = f64::from(k);
        let ratio = shape.map_or(mean / (k + 1.0), |shape| (1.0 - gamma) * (k + shape) / (k + 1.0));
        all.push(all.last().unwrap() * ratio);
    }
    let total: f64 = all.iter().sum();
    all.iter().map(|x| x / total).collect()
}

#[test]
fn generating_functions_against_their_sums() {
    for (kind, shape, mean) in [
        (r#""kind":"geometric""#, Some(1.0), "7/2"),
        (r#""kind":"logarithmic""#, Some(0.0), "1.5"),
        (r#""kind":"logarithmic""#, Some(0.0), "20"),
        (r#""kind":"negative-binomial","shape":"2""#, Some(2.0), "25/3"),
        (r#""kind":"negative-binomial","shape":"3""#, Some(3.0), "24/7"),
        (r#""kind":"negative-binomial","shape":"1/2""#, Some(0.5), "1.01"),
        (r#""kind":"negative-binomial","shape":"-3/4""#, Some(-0.75), "2"),
        (r#""kind":"negative-binomial","shape":"40""#, Some(40.0), "90"),
        (r#""kind":"poisson""#, None, "3/2"),
    ] {
        crate::work::begin(None);
        let runs = Runs::read(&json(&format!(r#"{{{kind},"mean":"{mean}"}}"#)).unwrap()).unwrap();
        let (low, high) = ends(&runs.gamma);
        assert!(&high - &low < BigRational::new(1.into(), BigInt::one() << 200), "{kind}");
        let all = chances(shape, float(&low), float(&runs.mean));
        let found: f64 = (0..).zip(&all).map(|(k, chance)| f64::from(k) * chance).sum();
        assert!((found / float(&runs.mean) - 1.0).abs() < 1e-9, "{kind} {found}");
        let psi = |x: f64| (0..).zip(&all).map(|(k, chance)| chance * f64::powi(x, k)).sum::<f64>();
        let slope =
            |x: f64| (1..).zip(&all[1..]).map(|(k, chance)| chance * f64::from(k) * f64::powi(x, k - 1)).sum::<f64>();
        let law = [1, 0, 3, 4, 2].map(|n| BigRational::new(n.into(), 10.into()));
        let (mut masses, mut worse) = (Vec::new(), 0.0);
        masses.extend(shape.is_none().then(|| psi(0.0)));
        for x in &law {
            masses.push(psi(worse + float(x)) - psi(worse));
            worse += float(x);
            let x = BigRational::new(3.into(), 10.into());
            let found = ends(&runs.slopes(&x, &BigRational::new(7.into(), 8.into())).unwrap());
            assert!((float(&found.0) - slope(0.3) / slope(0.875)).abs() < 1e-9);
        }
        let found = runs.best(&law).unwrap();
        assert_eq!(found.len(), masses.len());
        for (found, mass) in found.iter().zip(masses) {
            let (low, high) = ends(found);
            assert!(&high - &low < BigRational::new(1.into(), BigInt::one() << 180), "{kind}");
            assert!((float(&low) - mass).abs() < 1e-9, "{kind} {low} {mass}");
        }
    }
}

/// Where γ is a fraction it is found as it is, and the law is the one in fractions.
#[test]
fn fractions_are_enclosed() {
    for (shape, mean, gamma) in
        [("2", "25/3", (1, 5)), ("3", "24/7", (1, 2)), ("2", "9/5", (2, 3)), ("3", "648/43", (1, 6))]
    {
        crate::work::begin(None);
        let text = format!(r#"{{"kind":"negative-binomial","shape":"{shape}","mean":"{mean}"}}"#);
        let runs = Runs::read(&json(&text).unwrap()).unwrap();
        let gamma = Real::of(&BigRational::new(gamma.0.into(), gamma.1.into()));
        assert!(runs.gamma.lo <= gamma.hi && gamma.lo <= runs.gamma.hi, "{text}");
    }
}
