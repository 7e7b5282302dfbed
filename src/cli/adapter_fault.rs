//! What is wrong with an adapter's answer, whose fault that can be, and what its author can do.

use crate::report::diff::without_colour;
use crate::run::failure_lines::failure_lines;
use crate::semantics::operator::Reason;
use crate::semantics::outcome::Outcome;
use crate::suite::trial::Trial;
use crate::tensor::Tensor;
use crate::verdict::judge::{Failure, Verdict, judge_trial};

/// A wrong answer.
pub(super) struct Fault {
    verdict: Verdict,
    /// What was expected, and what came.
    pub(super) lines: Vec<String>,
    /// How the process ended, or what it wrote; empty if it answered.
    what: String,
    /// The order of the bytes or of the elements that would make the content right.
    order: Option<&'static str>,
}

/// In which order the output has the data's bytes or elements; `None` if neither explains it.
fn order(data: &Tensor, output: &Tensor) -> Option<&'static str> {
    let width = data.element_type().bits()?.div_ceil(8) as usize;
    let (data, output) = (data.shared_bytes()?, output.shared_bytes()?);
    let elements = || data.chunks_exact(width);
    let swapped = elements().flat_map(|element| element.iter().rev());
    if width > 1 && swapped.eq(output.iter()) {
        return Some(
            "the bytes of each element are in reverse order: write elements little-endian",
        );
    }
    let (mut ours, mut theirs): (Vec<_>, Vec<_>) =
        (elements().collect(), output.chunks_exact(width).collect());
    ours.sort_unstable();
    theirs.sort_unstable();
    (ours == theirs).then_some("the elements are those of the data in another order: write them row-major, the last dim fastest")
}

impl Fault {
    /// Checks an answer. Fails when the text does not allow it.
    pub(super) fn check(trial: &Trial, data: &Tensor, outcome: &Outcome) -> Result<(), Box<Self>> {
        let verdict = judge_trial(trial, data, outcome);
        if !verdict.kind().is_red() {
            return Ok(());
        }
        // The first is the request.
        let lines = failure_lines(trial, &verdict, Some(outcome));
        let order = if let Outcome::Reshaped { output, .. } = outcome {
            order(data, output)
        } else {
            None
        };
        let failure = outcome.process_failure();
        Err(Box::new(Self {
            lines: without_colour(&lines[1..]),
            what: failure.map_or_else(String::new, |of| of.what.clone()),
            verdict,
            order,
        }))
    }

    /// Whether the adapter ran on without an answer.
    pub(super) fn hangs(&self) -> bool {
        matches!(self.verdict, Verdict::TimedOut) || self.what.starts_with("closed")
    }

    /// Whether a plain reshape is to be refused, as the operator does not list its element type, and was not.
    pub(super) fn is_of_a_foreign_type(&self) -> bool {
        let why = Reason::ElementType;
        matches!(&self.verdict, Verdict::Failed(Failure::NotRejected { reasons, .. }) if reasons.contains(&why))
    }

    pub(super) fn is_unsupported(&self) -> bool {
        matches!(self.verdict, Verdict::Failed(Failure::Unsupported(_)))
    }

    /// Equal for faults of one cause: what the process did, or the kind of a wrong answer and the backend's message.
    pub(super) fn signature(&self) -> String {
        let what = match &self.verdict {
            Verdict::Failed(Failure::Rejected { message, .. } | Failure::Unsupported(message)) => {
                message
            }
            Verdict::Failed(failure) => failure.kind().name(),
            Verdict::Passed | Verdict::Recorded { .. } | Verdict::Skipped => "",
            Verdict::Crashed
            | Verdict::TimedOut
            | Verdict::OutOfMemory
            | Verdict::ProtocolError => &self.what,
        };
        let mut signature = format!("{} ", self.verdict.kind());
        // Numbers, shapes, element types, and the reply itself vary.
        let what = what.split(": {").next().unwrap_or_default();
        let varies = |word: &&str| word.contains(|c: char| c.is_ascii_digit() || "[]".contains(c));
        signature.extend(what.split(' ').filter(|word| !varies(word)));
        signature
    }

    /// Whether it is an answer as the protocol has it, which a backend can give.
    pub(super) fn is_an_answer(&self) -> bool {
        use Failure::{NoElements, NotRejected, Rejected, WrongInference, WrongShape};
        matches!(
            &self.verdict,
            Verdict::Failed(
                WrongShape { .. }
                    | WrongInference { .. }
                    | NotRejected { .. }
                    | Rejected { .. }
                    | NoElements(_)
            )
        )
    }

    /// What to do; `None` where the lines say it. `plain` says whether a plain reshape was right.
    pub(super) fn advice(&self, plain: bool) -> Option<String> {
        let advice = match &self.verdict {
            // The message says it.
            Verdict::ProtocolError | Verdict::Passed | Verdict::Recorded { .. } | Verdict::Skipped => return None,
            Verdict::Crashed if self.what.contains("closed its standard output") => {
                "leave standard output open until the reply to `bye`"
            }
            Verdict::Crashed if self.what.contains("signal") => {
                "native code died: run the shim under a debugger; if it is the backend's code, that is its fault, and `run` reports it"
            }
            Verdict::Crashed if self.what.contains("exit status: 0") => {
                "end the process only after `bye`, or when standard input ends"
            }
            Verdict::Crashed => {
                "its last words name an error that nothing caught; if the backend raised it to refuse the request, catch that around the call of the backend alone, and answer `rejected`; otherwise correct the shim"
            }
            Verdict::TimedOut => {
                "flush standard output after each reply; read exactly `payload` bytes after the line; send as many as `payload` says; for a slow backend, raise --timeout"
            }
            Verdict::OutOfMemory => "free what a request took; for a large backend, raise `limits.memory_mib` in the manifest",
            Verdict::Failed(failure) => match failure {
                Failure::Unsupported(_) if plain => {
                    "if the backend refused the request, answer `rejected`; otherwise exclude it by `limits` or `attributes`: `unsupported` is for nothing that is claimed"
                }
                Failure::Unsupported(_) => {
                    "take it out of `supports`, or exclude it by `limits` or `attributes`: `unsupported` is for nothing that is claimed"
                }
                Failure::Rejected { .. } if plain => {
                    "if the message is the shim's own, correct the shim or state the limit in `limits`"
                }
                Failure::Rejected { .. } => {
                    "look whether the shim hands over data and target as they came, and wraps only the backend's own exceptions"
                }
                Failure::NotRejected { .. } if self.is_of_a_foreign_type() => {
                    "claim an element type that the operator does not list only if the backend refuses it"
                }
                Failure::NotRejected { .. } => "hand the target to the backend as it is: the shim itself resolves nothing",
                Failure::WrongInference { .. } => {
                    "`output_shape` is the shape that the backend infers: write `null` for a dim that it does not know, or leave the field out"
                }
                Failure::WrongShape { .. } => {
                    "reply with the shape that the backend gave; hand the target over as it is, since the shim itself resolves nothing"
                }
                Failure::NoElements(_) => "send the elements, with `offset` and `length`",
                Failure::WrongContent(_) => {
                    self.order.unwrap_or("send the bytes of the backend's output as they are, and read the data at its own `offset`")
                }
                Failure::WrongElementType(_) => "reply with the element type that the backend gave, under its name in docs/protocol.md",
                Failure::WrongSharing { .. } => {
                    "write to the data after the call, and send as `shares` whether the output changed; leave the field out if the library cannot show it"
                }
                Failure::EarlierOutputChanged => {
                    "the backend writes over an output that it gave before; if its documentation says so, copy the output at once"
                }
                Failure::WrongConcurrentRun { .. } => "answer each run with its own elements",
            },
        };
        Some(advice.to_owned())
    }
}
