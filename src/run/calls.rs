//! Calling a backend so that every call ends with exactly one outcome.

use crate::backend::Backend;
use crate::spec::outcome::{Outcome, ProcessFailure};
use crate::spec::request::Call;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs calls that share a model. `done` gets one outcome for each, by its index, even if the backend panics, reports an
/// outcome twice, or none. Only the calls that a stopped backend did not run get none.
pub(crate) fn run_calls(
    backend: &mut dyn Backend,
    calls: &[Call<'_>],
    done: &mut dyn FnMut(usize, Outcome),
) {
    let mut open: Vec<usize> = (0..calls.len()).collect();
    while !open.is_empty() {
        let open_calls: Vec<_> = open.iter().map(|index| calls[*index]).collect();
        let mut answered = vec![false; open.len()];
        let result = catch_unwind(AssertUnwindSafe(|| {
            backend.reshape_all(&open_calls, &mut |index, outcome| {
                if let Some(answered) = answered.get_mut(index)
                    && !std::mem::replace(answered, true)
                {
                    done(open[index], outcome);
                }
            });
        }));
        let mut answered = answered.into_iter();
        open.retain(|_| !answered.next().unwrap_or(false));
        match result {
            Ok(()) if backend.is_stopped() => return,
            Ok(()) => {
                for index in open.drain(..) {
                    done(index, Outcome::ProtocolError(failure("gave no outcome")));
                }
            }
            // Calls run in order, so it panicked in the first that has no outcome.
            Err(panic) if !open.is_empty() => {
                let what = format!("panicked: {}", panic_message(panic.as_ref()));
                done(open.remove(0), Outcome::Crashed(failure(&what)));
            }
            Err(_) => {}
        }
    }
}

fn failure(what: &str) -> ProcessFailure {
    ProcessFailure {
        what: what.to_owned(),
        log: String::new(),
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)")
}
