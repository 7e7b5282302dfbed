//! Calling a backend so that every call ends with exactly one outcome.

use crate::backend::Backend;
use crate::error::panic_words;
use crate::model::call::Call;
use crate::semantics::outcome::{Outcome, ProcessFailure};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs calls that share a model. `done` gets one outcome for each, by its index, even if the backend panics, or
/// reports an outcome twice or never. Only the calls that a stopped or lost backend did not run get no outcome.
///
/// # Panics
/// When `done` does: that is no fault of the backend.
pub(crate) fn run_calls(
    backend: &mut dyn Backend,
    calls: &[Call<'_>],
    done: &mut dyn FnMut(usize, Outcome),
) {
    let mut open: Vec<usize> = (0..calls.len()).collect();
    while !open.is_empty() {
        let open_calls: Vec<_> = open.iter().map(|index| calls[*index]).collect();
        let (mut answered, mut own_panic) = (vec![false; open.len()], None);
        let result = catch_unwind(AssertUnwindSafe(|| {
            backend.reshape_all(&open_calls, &mut |index, outcome| {
                if let Some(answered) = answered.get_mut(index)
                    && !std::mem::replace(answered, true)
                    && own_panic.is_none()
                {
                    let done = AssertUnwindSafe(|| done(open[index], outcome));
                    own_panic = catch_unwind(done).err();
                }
            });
        }));
        if let Some(panic) = own_panic {
            resume_unwind(panic);
        }
        let mut answered = answered.into_iter();
        open.retain(|_| !answered.next().unwrap_or(false));
        match result {
            Ok(()) if backend.is_stopped() || backend.gone().is_some() => return,
            Ok(()) => {
                let failure = ProcessFailure::without_log("gave no outcome");
                let outcome = Outcome::ProtocolError(failure);
                open.drain(..)
                    .for_each(|index| done(index, outcome.clone()));
            }
            // Calls run in order, so it panicked in the first call without an outcome.
            Err(panic) if !open.is_empty() => {
                let words = panic_words(panic.as_ref()).unwrap_or("(no message)");
                let failure = ProcessFailure::without_log(format!("panicked: {words}"));
                done(open.remove(0), Outcome::Crashed(failure));
            }
            Err(_) => {}
        }
    }
}
