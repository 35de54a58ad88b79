//! Orders between compositions that hold by theorem, without any number computed.

use rug::{Integer, Rational};

use super::parts::{PairKind, PoweredPair};

/// Does the product of the parts of `first` certainly dominate that of `second`: f_first ≤ f_second everywhere, so that
/// `first` is the less private? `false` only means that no theorem here says so.
///
/// The order of trade-off functions survives composition (Blackwell: a garbling of each factor is a garbling of the
/// product), so it is enough to match every copy of a part of `second` with its own copy of a stronger part:
///
/// * Gaussian: μ ≥ μ' (Kaissis et al. 2024, Lemma B.2), and one Gaussian is the product of Gaussians with the same Σ μ²;
/// * Poisson-subsampled Gaussian: rate ≥ rate' and μ ≥ μ'. The mixture with the smaller rate is (1 − λ)P + λQ' for the
///   larger one's Q', and H_u((1 − λ)P + λQ'‖P) ≤ (1 − λ)(1 − u)⁺ + λH_u(Q'‖P) ≤ H_u(Q'‖P); rate 1 is no sampling;
/// * Laplace: ε ≥ ε', as Laplace noise of the larger scale is the smaller one plus independent noise (the quotient of the
///   characteristic functions is that of a mixture of 0 and a Laplace law).
///
/// Each holds for the pair as written and for the swapped one.
pub fn certainly_dominates(first: &[PoweredPair], second: &[PoweredPair]) -> bool {
    let mut stock = Stock::of(first);
    second.iter().all(|part| stock.covers(part))
}

/// Parts of the dominating composition that are not matched yet.
struct Stock {
    /// Σ μ² of its Gaussians.
    square: Rational,
    /// Everything else, with the copies left.
    others: Vec<(PairKind, u64)>,
}

impl Stock {
    fn of(parts: &[PoweredPair]) -> Self {
        let mut stock = Self {
            square: Rational::new(),
            others: Vec::new(),
        };
        for part in parts {
            match &part.kind {
                PairKind::Gaussian { square } => stock.square += whole(square, part.times),
                kind => stock.others.push((kind.clone(), part.times)),
            }
        }
        stock
    }

    fn covers(&mut self, part: &PoweredPair) -> bool {
        let mut missing = part.times;
        for (kind, left) in &mut self.others {
            if is_stronger(kind, &part.kind) {
                let used = missing.min(*left);
                *left = left.saturating_sub(used);
                missing = missing.saturating_sub(used);
            }
        }
        match &part.kind {
            PairKind::Gaussian { square } | PairKind::SubsampledGaussian { square, .. } => {
                let needed = whole(square, missing);
                let enough = needed <= self.square;
                if enough {
                    self.square -= needed;
                }
                enough
            }
            _ => missing == 0,
        }
    }
}

fn whole(square: &Rational, times: u64) -> Rational {
    Rational::from(square * Integer::from(times))
}

/// Is one copy of `first` certainly at least as informative as one of `second`?
fn is_stronger(first: &PairKind, second: &PairKind) -> bool {
    match (first, second) {
        (
            PairKind::SubsampledGaussian { rate, square },
            PairKind::SubsampledGaussian {
                rate: other_rate,
                square: other_square,
            },
        ) => rate >= other_rate && square >= other_square,
        (PairKind::Laplace { epsilon }, PairKind::Laplace { epsilon: other }) => epsilon >= other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::composition::parts::{Composition, resolve};
    use crate::input::mechanism_from_bytes;
    use crate::kernel::Budget;

    fn parts(text: &str) -> Vec<PoweredPair> {
        let file = mechanism_from_bytes("test", text.as_bytes()).unwrap();
        match resolve(file.mechanism.steps(), &Budget::unlimited()).unwrap() {
            Composition::Closed(part) => vec![part],
            Composition::Parts(parts) => parts,
            Composition::Class { .. } => panic!("no pair"),
            Composition::Unsupported(why) => panic!("{why}"),
        }
    }

    fn sgd(sigma: &str, rate: &str, steps: u64) -> Vec<PoweredPair> {
        parts(&format!(
            r#"{{"kind":"dp-sgd","noise-multiplier":"{sigma}","sample-rate":"{rate}","steps":{steps}}}"#
        ))
    }

    #[test]
    fn less_noise_more_steps_or_more_sampling_is_less_private() {
        let base = sgd("2", "0.01", 100);
        for stronger in [
            sgd("1.9", "0.01", 100),
            sgd("2", "0.011", 100),
            sgd("2", "0.01", 101),
            sgd("2", "0.01", 100),
            parts(r#"{"kind":"gaussian","sigma":"0.2"}"#),
        ] {
            assert!(certainly_dominates(&stronger, &base));
        }
        for other in [
            sgd("2.1", "0.02", 100),
            sgd("2", "0.01", 99),
            parts(r#"{"kind":"gaussian","sigma":"0.2001"}"#),
            parts(r#"{"kind":"laplace","scale":1}"#),
        ] {
            assert!(!certainly_dominates(&other, &base));
        }
    }

    #[test]
    fn a_copy_is_used_once() {
        let two = parts(
            r#"{"kind":"compose","of":[{"kind":"laplace","scale":1},{"kind":"laplace","scale":2}]}"#,
        );
        let strong = parts(r#"{"kind":"compose","of":[{"kind":"laplace","scale":1,"times":2}]}"#);
        let weak = parts(r#"{"kind":"laplace","scale":1}"#);
        assert!(certainly_dominates(&strong, &two));
        assert!(certainly_dominates(&two, &weak));
        assert!(!certainly_dominates(&weak, &two));
        assert!(!certainly_dominates(&two, &strong));
    }
}
