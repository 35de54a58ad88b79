//! Pairs whose privacy profile is certified and that need nothing else of their own: everything beyond the profile, a composition,
//! an estimate, a sample, is made from it.
//!
//! A new pair is one more file and one more line in the list below.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use rug::Rational;

use super::adjacency::Direction;
use super::steps::Steps;
use crate::kernel::{Interval, Profile};

mod envelope;
mod informative_label;

pub use envelope::Envelope;
pub use informative_label::{InformativeLabel, LabelledPart};

/// What every such pair says of itself.
///
/// Two equal values have the same pair.
pub trait Closed: fmt::Debug + Eq + Hash {
    /// The privacy profile; `None` beyond [`Closed::limits`].
    fn profile(&self) -> Option<Arc<dyn Profile>>;

    /// Up to which sizes the profile is built, as a sentence without a full stop.
    fn limits(&self) -> &'static str;

    /// D_t of Q from P for [`Direction::Remove`], of P from Q for [`Direction::Add`], at any order t > 0; `None` where it is not built.
    fn renyi_divergence(
        &self,
        order: &Rational,
        direction: Direction,
        bits: u32,
    ) -> Option<Interval>;

    /// Steps whose product dominates the pair at every u, for what is built of them only.
    fn dominated_by(&self) -> Option<Steps>;
}

macro_rules! pairs {
    ($($pair:ident,)*) => {
        /// A pair with a certified profile and no step of its own.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum ClosedPair {
            $(#[doc = concat!("See [`", stringify!($pair), "`].")] $pair($pair),)*
        }

        impl ClosedPair {
            /// See [`Closed::profile`].
            pub fn profile(&self) -> Option<Arc<dyn Profile>> {
                match self {
                    $(Self::$pair(one) => one.profile(),)*
                }
            }

            /// See [`Closed::limits`].
            pub fn limits(&self) -> &'static str {
                match self {
                    $(Self::$pair(one) => one.limits(),)*
                }
            }

            /// See [`Closed::renyi_divergence`].
            pub fn renyi_divergence(
                &self,
                order: &Rational,
                direction: Direction,
                bits: u32,
            ) -> Option<Interval> {
                match self {
                    $(Self::$pair(one) => one.renyi_divergence(order, direction, bits),)*
                }
            }

            /// See [`Closed::dominated_by`].
            pub fn dominated_by(&self) -> Option<Steps> {
                match self {
                    $(Self::$pair(one) => one.dominated_by(),)*
                }
            }
        }

        $(impl From<$pair> for ClosedPair {
            fn from(one: $pair) -> Self {
                Self::$pair(one)
            }
        })*
    };
}

pairs! {
    Envelope,
    InformativeLabel,
}
