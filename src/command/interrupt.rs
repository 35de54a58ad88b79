//! Ctrl-C, and internal errors that surface as panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::exit_code::ExitCode;
use super::output::{complain, say};

/// A flag that the first Ctrl-C sets: computations stop, and what is known by then is reported. A second
/// Ctrl-C ends the program at once.
pub fn stop_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let shared = flag.clone();
    let installed = ctrlc::set_handler(move || {
        if shared.swap(true, Ordering::Relaxed) {
            exit(ExitCode::Undecided);
        }
        say("stopping; press Ctrl-C again to end at once");
    });
    if installed.is_err() {
        // Without a handler Ctrl-C ends the program, which is what the user wants then.
        return flag;
    }
    flag
}

/// Makes every panic, in whichever thread, an internal error.
pub fn panics_are_internal_errors() {
    std::panic::set_hook(Box::new(|panic| {
        internal_error(&panic.to_string());
        exit(ExitCode::Internal);
    }));
}

/// Says that dpcmp is wrong, not the user.
pub fn internal_error(what: &str) {
    complain(&format!(
        "{what}\nThis is a mistake in dpcmp {}, and no result is printed for this input. Please report it with the input.",
        env!("CARGO_PKG_VERSION")
    ));
}

fn exit(code: ExitCode) -> ! {
    std::process::exit(i32::from(code.number()))
}
