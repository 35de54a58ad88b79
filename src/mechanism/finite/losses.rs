//! The losses of a law: one by one, or as keys over a basis.

use rug::Rational;

use super::keyed::{Keyed, combination, difference};
use super::loss::Loss;
use crate::kernel::Interval;

/// The losses of a law, increasing.
#[derive(Debug)]
pub(crate) enum Losses {
    Listed(Vec<Loss>),
    Keyed(Keyed),
}

impl Losses {
    pub(crate) fn enclose(&self, bits: u32) -> Vec<Interval> {
        match self {
            Self::Listed(losses) => losses.iter().map(|loss| loss.enclose(bits)).collect(),
            Self::Keyed(keyed) => keyed.enclose(bits),
        }
    }

    /// e^{−h} and 1 − e^{−h} for the gaps h ≥ 0 between neighbours.
    pub(crate) fn gaps(&self, positions: &[Interval], bits: u32) -> Vec<(Interval, Interval)> {
        match self {
            Self::Listed(losses) => {
                let pairs = losses.iter().zip(losses.iter().skip(1));
                let spans = positions.iter().zip(positions.iter().skip(1));
                pairs
                    .zip(spans)
                    .map(|((a, b), (y, z))| match (a.as_ratio(), b.as_ratio()) {
                        (Some(g), Some(k)) => {
                            let decay = Rational::from(g / k);
                            let rise = Rational::from(1 - &decay);
                            (
                                Interval::from_rational(&decay, bits),
                                Interval::from_rational(&rise, bits),
                            )
                        }
                        _ => match (a.as_rational(), b.as_rational()) {
                            (Some(a), Some(b)) => {
                                gap(&Interval::from_rational(&Rational::from(b - a), bits))
                            }
                            _ => gap(&z.sub(y)),
                        },
                    })
                    .collect()
            }
            Self::Keyed(keyed) => {
                let generators = keyed.generators(bits);
                let mut last: Option<(Vec<i128>, (Interval, Interval))> = None;
                let mut gaps = Vec::with_capacity(keyed.keys.len());
                for (a, b) in keyed.keys.iter().zip(keyed.keys.iter().skip(1)) {
                    let step = difference(b, a);
                    let value = match &last {
                        Some((known, value)) if *known == step => value.clone(),
                        _ => gap(&combination(&step, &generators, bits)),
                    };
                    gaps.push(value.clone());
                    last = Some((step, value));
                }
                gaps
            }
        }
    }
}

fn gap(h: &Interval) -> (Interval, Interval) {
    let down = h.at_least_zero().neg();
    (down.exp(), down.exp_m1().neg())
}
