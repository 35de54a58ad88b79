//! Enclosures of every quantity of one mechanism.
