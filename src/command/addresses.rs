//! Few addresses: a second process does the work, so that somebody is there to say why it ended.
//!
//! An allocation that fails ends a process at once, in GMP as in Rust, whatever it was about to say.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use super::exit_code::ExitCode;
use super::output::complain;
use crate::kernel::most_addresses;

/// With more bytes of addresses than these, hardly anything needs more than there are.
const PLENTY: u64 = 1 << 30;
/// Tells the second process that it is one.
const IS_SECOND: &str = "DPCMP_FEW_ADDRESSES";

/// Does the work in a second process where there are few addresses; `None` where that is not so, or there is no other process.
pub fn run_apart(arguments: &[OsString]) -> Option<ExitCode> {
    let most = most_addresses().filter(|most| *most < PLENTY)?;
    if env::var_os(IS_SECOND).is_some() {
        return None;
    }
    let program = env::current_exe().ok()?;
    let mut second = Command::new(program);
    second.args(arguments.iter().skip(1)).env(IS_SECOND, "1");
    let mut second = second.spawn().ok()?;
    // Ctrl-C is for both: the second one ends, or says what it knows, and this one waits for that.
    let _ = ctrlc::set_handler(|| ());
    let status = second.wait().ok()?;
    let known = status.code().and_then(|code| {
        let mut codes = ExitCode::ALL.into_iter();
        codes.find(|one| i32::from(one.number()) == code)
    });
    Some(known.unwrap_or_else(|| {
        complain(&words(most));
        ExitCode::BadInput
    }))
}

fn words(most: u64) -> String {
    format!(
        "dpcmp was ended before it was done, most likely because the {} MB of addresses that it may have are not enough\n       \
         a larger limit (`ulimit -v`), fewer threads (`--jobs 1`) or a coarser --precision may help",
        most >> 20u32
    )
}
