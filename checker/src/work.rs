//! One budget of work for a certificate and the claim file in it: operations on digits of 64 bits, counted, never timed; and what was done, in words.
//!
//! Whatever is repeated as often, or on numbers as long, as the certificate or the claim file says is paid for here first, at
//! about one unit a nanosecond, so that every input comes to its end.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::*;
/// Twice what the longest true certificates take; some ten seconds.
const MOST: u64 = 12_000_000_000;

thread_local! {
    static SPENT: Cell<u64> = const { Cell::new(0) };
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
    static SAID: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// A new certificate; when `stop` becomes true nothing more is done.
pub fn begin(stop: Option<Arc<AtomicBool>>) {
    SPENT.set(0);
    STOP.replace(stop);
    SAID.take();
}

/// One more sentence of the proof in words.
pub fn explain(sentence: impl Into<String>) {
    SAID.with_borrow_mut(|said| said.push(sentence.into()));
}

/// All of them.
pub fn explained() -> Vec<String> {
    SAID.take()
}

/// Has nobody asked to stop? For loops whose work is counted at once.
pub fn go_on() -> Result<()> {
    let is_stopped = STOP.with_borrow(|stop| stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)));
    if is_stopped { Reason::Stopped.no("the check was stopped") } else { Ok(()) }
}

/// Counts work about to be done.
pub fn spend(digits: u64) -> Result<()> {
    let spent = SPENT.get().saturating_add(digits);
    SPENT.set(spent);
    go_on()?;
    if spent <= MOST { Ok(()) } else { Err(Rejected::limit("too much work")) }
}

/// So many things, each with so many digits.
pub fn spend_each(count: usize, digits: u64) -> Result<()> {
    spend(u64::try_from(count).unwrap_or(u64::MAX).saturating_mul(digits))
}

/// Sums, products and comparisons of exact fractions of so many bits: the greatest common divisor takes a pass over all
/// digits for each bit.
pub fn spend_on_bits(bits: u64) -> Result<()> {
    spend(20 + (bits / 8).saturating_mul(bits / 8))
}

/// The same for these fractions together.
pub fn spend_on(fractions: &[&BigRational]) -> Result<()> {
    spend_on_bits(fractions.iter().map(|x| x.numer().bits() + x.denom().bits()).sum())
}

/// Digits of 64 bits of a fraction.
pub fn digits(x: &BigRational) -> u64 {
    2 + (x.numer().bits() + x.denom().bits()) / 64
}
