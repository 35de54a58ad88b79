//! The losses of a law: one by one, or as keys over a basis.

use rug::Rational;

use super::keyed::{Keyed, combination, difference};
use super::loss::Loss;
use crate::kernel::Interval;

/// The losses of a law, increasing.
#[derive(Debug)]
pub(crate) enum Losses {
    Listed(Listed),
    Keyed(Keyed),
}

/// Losses one by one, each enclosed once for all precisions but high ones: those of several are asked for.
#[derive(Debug)]
pub(crate) struct Listed {
    /// Increasing.
    losses: Vec<Loss>,
    /// Enclosed at `bits`.
    sharp: Vec<Interval>,
    bits: u32,
}

/// Precision of losses that are few, and of those that are many.
const SHARP_BITS: u32 = 256;
const BITS_OF_MANY: u32 = 128;
/// More are many.
const FEW: usize = 2_000;

impl Listed {
    /// At how many bits so many losses are enclosed.
    pub(crate) fn bits_for(count: usize) -> u32 {
        match count <= FEW {
            true => SHARP_BITS,
            false => BITS_OF_MANY,
        }
    }

    /// Requires: increasing losses, each with its enclosure at `bits`.
    pub(crate) fn new(placed: Vec<(Loss, Interval)>, bits: u32) -> Self {
        let (losses, sharp) = placed.into_iter().unzip();
        Self {
            losses,
            sharp,
            bits,
        }
    }

    /// The losses.
    pub(crate) fn losses(&self) -> &[Loss] {
        &self.losses
    }

    fn enclose(&self, index: usize, bits: u32) -> Option<Interval> {
        match bits <= self.bits {
            true => self.sharp.get(index).map(|sharp| sharp.at_bits(bits)),
            false => self.losses.get(index).map(|loss| loss.enclose(bits)),
        }
    }
}

impl Losses {
    pub(crate) fn enclose(&self, bits: u32) -> Vec<Interval> {
        match self {
            Self::Listed(listed) => {
                let places = 0..listed.losses.len();
                places.filter_map(|i| listed.enclose(i, bits)).collect()
            }
            Self::Keyed(keyed) => keyed.enclose(bits),
        }
    }

    /// The enclosure of one of them.
    pub(crate) fn enclose_one(&self, index: usize, bits: u32) -> Option<Interval> {
        match self {
            Self::Listed(listed) => listed.enclose(index, bits),
            Self::Keyed(keyed) => keyed.enclose_one(index, bits),
        }
    }

    /// e^{−h} and 1 − e^{−h} for the gaps h ≥ 0 between neighbours.
    pub(crate) fn gaps(&self, positions: &[Interval], bits: u32) -> Vec<(Interval, Interval)> {
        match self {
            Self::Listed(Listed { losses, .. }) => {
                let pairs = losses.iter().zip(losses.iter().skip(1));
                // Many laws have all their losses equally far apart.
                let mut last: Option<(Rational, (Interval, Interval))> = None;
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
                                let step = Rational::from(b - a);
                                let value = match &last {
                                    Some((known, value)) if *known == step => value.clone(),
                                    _ => gap(&Interval::from_rational(&step, bits)),
                                };
                                last = Some((step, value.clone()));
                                value
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
