//! Claims, queries and priors as the command line reads them.

use super::Error;
use crate::mechanism::Prior;
use crate::statement::{Claim, Query};

impl Claim {
    /// A claim as the command line reads it, `kind:key=value,…`, with the kinds and keys of a claim file.
    ///
    /// # Errors
    /// If it is none, with its place.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Ok(Self::from_argument(text)?)
    }
}

impl Query {
    /// A query as the command line reads it, `kind` or `kind:key=value,…`.
    ///
    /// # Errors
    /// If it is none, with its place.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Ok(Self::from_argument(text)?)
    }
}

impl Prior {
    /// A density as the command line reads it, `kind` or `kind:key=value,…`, for instance `jeffreys` or `beta:a=2,b=1/2`.
    ///
    /// # Errors
    /// If it is none, with its place.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        Ok(Self::from_argument(text)?)
    }
}
