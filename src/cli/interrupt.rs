//! Early ends of a run: Ctrl-C, a time limit, and the end of standard input.
//!
//! The first Ctrl-C ends a run or a search with its reports, even while it waits for a file. The second ends the
//! process. A time limit ends a run like the first Ctrl-C.

use super::exit_code;
use crate::error::Error;
use crate::report::style::err;
#[cfg(unix)]
use signal_hook::consts;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

/// Whether the program opens a file that may be a pipe without a reader. No flag ends that wait.
static IS_WAITING: AtomicBool = AtomicBool::new(false);

/// The result of `write`. Meanwhile, the first Ctrl-C ends the process.
pub(super) fn waiting<T>(write: impl FnOnce() -> T) -> T {
    IS_WAITING.store(true, Ordering::Release);
    let written = write();
    IS_WAITING.store(false, Ordering::Release);
    written
}

/// A flag that the first Ctrl-C sets.
pub(super) fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) || IS_WAITING.load(Ordering::Acquire) {
            std::process::exit(i32::from(exit_code::INCOMPLETE));
        }
        err("stopping; press Ctrl-C again to end without reports");
    };
    // If the handler cannot be installed, Ctrl-C ends the process, as by default.
    let _ = ctrlc::set_handler(handler);
    // Batch systems send one of these before they kill a job.
    #[cfg(unix)]
    for signal in [
        consts::SIGXCPU,
        consts::SIGUSR1,
        consts::SIGUSR2,
        consts::SIGALRM,
    ] {
        let _ = signal_hook::flag::register(signal, Arc::clone(&stop));
    }
    stop
}

/// Turns the signal for exceeding the file size limit (`ulimit -f`) into a write error. By default it would end the
/// process. Adapters do not inherit this: a handler, unlike an ignored signal, is not inherited.
pub(super) fn survive_file_size_limit() {
    // If the handler cannot be installed, the signal ends the process, as by default.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(consts::SIGXFSZ, Arc::default());
}

/// Sets `is_over` and then `stop` after this time. Fails when the system starts no thread for it.
pub(super) fn stop_after(
    limit: Duration,
    stop: &Arc<AtomicBool>,
    is_over: &Arc<AtomicBool>,
) -> Result<(), Error> {
    let (is_over, stop) = (Arc::clone(is_over), Arc::clone(stop));
    in_background(move || {
        std::thread::sleep(limit);
        is_over.store(true, Ordering::Release);
        stop.store(true, Ordering::Release);
    })
}

/// Sets `stop` when standard input ends. Fails when the system starts no thread for it.
pub(super) fn stop_at_end_of_input(stop: &Arc<AtomicBool>) -> Result<(), Error> {
    let stop = Arc::clone(stop);
    in_background(move || {
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        stop.store(true, Ordering::Release);
    })
}

/// Does this in a thread that ends with the process.
fn in_background(work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let thread = Builder::new().spawn(work);
    thread.map(drop).map_err(|why| Error::no_thread(&why))
}

/// The result of `read`; `None` as soon as `stop` is set. The file may be a pipe without a writer. Fails when the
/// system starts no thread for it.
pub(super) fn unless_stopped<T: Send + 'static>(
    stop: &AtomicBool,
    read: impl FnOnce() -> T + Send + 'static,
) -> Result<Option<T>, Error> {
    let (sender, receiver) = channel();
    // If it waits forever, it ends with the process.
    let reader = Builder::new().spawn(move || drop(sender.send(read())));
    let reader = reader.map_err(|why| Error::no_thread(&why))?;
    loop {
        match receiver.recv_timeout(Duration::from_millis(50)) {
            Ok(what) => return Ok(Some(what)),
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Acquire) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            // It panicked, so this panics too.
            Err(RecvTimeoutError::Disconnected) => match reader.join() {
                Ok(()) => return Ok(None),
                Err(panic) => std::panic::resume_unwind(panic),
            },
        }
    }
}
