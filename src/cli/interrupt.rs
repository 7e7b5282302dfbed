//! Ctrl-C: the first ends a run at once, with its reports, or a search after the trials under way; the second ends the process.

use super::exit_code;
use crate::report::style::err;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that the first Ctrl-C sets.
pub(super) fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(exit_code::INCOMPLETE));
        }
        err("stopping; press Ctrl-C again to end without reports");
    };
    // If the handler cannot be installed, Ctrl-C ends the process, as it does without one.
    let _ = ctrlc::set_handler(handler);
    stop
}
