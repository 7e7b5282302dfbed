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
                for index in open.drain(..) {
                    done(
                        index,
                        Outcome::ProtocolError(ProcessFailure::without_log("gave no outcome")),
                    );
                }
            }
            // Calls run in order, so it panicked in the first call without an outcome.
            Err(panic) if !open.is_empty() => {
                let what = format!(
                    "panicked: {}",
                    panic_words(panic.as_ref()).unwrap_or("(no message)")
                );
                done(
                    open.remove(0),
                    Outcome::Crashed(ProcessFailure::without_log(what)),
                );
            }
            Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{About, Reference};
    use crate::semantics::operator::{Binding, Operator};
    use crate::semantics::request::{Attributes, Request, Target};
    use crate::tensor::{ElementType, Fill};

    /// Gives no outcome.
    struct Silent {
        is_stopped: bool,
    }

    impl Backend for Silent {
        fn about(&self) -> About {
            Reference.about()
        }

        fn reshape(&mut self, call: &Call<'_>) -> Outcome {
            Reference.reshape(call)
        }

        fn reshape_all(&mut self, _calls: &[Call<'_>], _done: &mut dyn FnMut(usize, Outcome)) {}

        fn is_stopped(&self) -> bool {
            self.is_stopped
        }
    }

    fn outcomes(mut backend: Silent) -> Vec<&'static str> {
        let request = Request {
            operator: Operator::named("onnx.Reshape-14").unwrap(),
            element_type: ElementType::F32,
            data_shape: vec![2],
            target: Some(Target::list([2])),
            attributes: Attributes::new(),
        };
        let data = Fill::Index.tensor(ElementType::F32, vec![2]);
        let call = Call {
            request: &request,
            binding: Binding::ConstantStatic,
            surrounding: None,
            data: &data,
        };
        let mut kinds = Vec::new();
        run_calls(&mut backend, &[call, call], &mut |_, outcome| {
            kinds.push(outcome.kind());
        });
        kinds
    }

    #[test]
    fn a_call_without_an_outcome_is_a_fault_unless_the_backend_was_stopped() {
        let silent = outcomes(Silent { is_stopped: false });
        assert_eq!(silent, ["protocol-error"; 2]);
        let stopped = outcomes(Silent { is_stopped: true });
        assert_eq!(stopped, [""; 0]);
    }
}
