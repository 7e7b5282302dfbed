//! A failure line by line: the request, the expectation, and what the backend did instead.
//!
//! The texts of a backend are unchanged here; reports escape them.

use super::request_line::request_line;
use crate::event::shorten::{MAX_MESSAGE, shorten, shorten_log, shorten_message};
use crate::event::{ElementDifference, Line, LineKind};
use crate::names::Joined;
use crate::semantics::outcome::{
    Outcome, ProcessFailure, ShapePattern, fits, is_negative, pattern_of, show_pattern, show_shape,
};
use crate::semantics::request::Request;
use crate::suite::trial::Trial;
use crate::tensor::float::Format;
use crate::tensor::{Count, Representation, Tensor, literal};
use crate::verdict::judge::{Failure, Verdict};
use similar::{ChangeTag, TextDiff};

/// The most characters of a line that shows an element.
const MAX_ELEMENT: usize = 110;
/// The most elements to sort.
const MAX_SORTED: usize = 1 << 18;
/// The number of elements to show before and after the first difference.
const CONTEXT: usize = 6;

/// The request of a trial, and how it failed; `outcome` is `None` if the backend was not called.
pub(crate) fn failure_lines(
    trial: &Trial,
    verdict: &Verdict,
    outcome: Option<&Outcome>,
) -> Vec<Line> {
    let request = request_line(trial.request());
    let mut lines = vec![text(format!("{}{request}", trial.element_type))];
    let others = trial.surrounding.iter();
    let others = others.flat_map(|of| of.other_runs(trial.request(), trial.binding));
    let place = match trial.surrounding {
        _ if trial.is_concurrent() => "concurrently with a run of",
        Some(of) if of.has_other_models() => "between other models, one of",
        Some(_) | None => "after a run of",
    };
    let others = others.map(|of| format!("{place} {}{}", trial.element_type, request_line(&of)));
    lines.extend(others.map(text));
    match verdict {
        Verdict::Failed(failure) => {
            let judged = Judged {
                request: trial.request(),
                allows_rejection: trial.expectation().allows_rejection(),
                // The output was compared with it, so it was materialized, whatever its size.
                data: &|| trial.case.data_up_to(trial.element_type, u64::MAX),
            };
            lines.extend(judged_failure(&judged, failure, outcome));
            if let Some(Outcome::Claimed { .. }) = outcome {
                lines.push(text("only the shape was judged, not its elements"));
            }
            lines.extend(outcome.and_then(negative_dim).map(text));
        }
        Verdict::Crashed | Verdict::TimedOut | Verdict::OutOfMemory | Verdict::ProtocolError => {
            lines.extend(trial.expectation().answers().map(expected));
            lines.extend(outcome.into_iter().flat_map(process_failure));
        }
        Verdict::Recorded { question, answer } => {
            lines.push(text(format!(
                "the text leaves it open ({question}); it answered {answer}"
            )));
        }
        Verdict::Passed | Verdict::Skipped => {}
    }
    lines
}

fn line(kind: LineKind, text: impl Into<String>) -> Line {
    let text = text.into();
    Line { kind, text }
}

fn text(text: impl Into<String>) -> Line {
    line(LineKind::Text, text)
}

fn expected(text: impl Into<String>) -> Line {
    line(LineKind::Expected, text)
}

fn got(text: &str) -> Line {
    line(LineKind::Got, shorten_message(text))
}

/// The likely meaning of a negative dim: a backend may compute with unsigned numbers.
fn negative_dim(outcome: &Outcome) -> Option<String> {
    let mut dims = outcome.shape()?.iter();
    let dim = dims.find(|dim| is_negative(**dim))?;
    let signed = dim.cast_signed();
    Some(format!(
        "a dim is never negative; {signed} is {dim} as an unsigned 64-bit number"
    ))
}

fn process_failure(outcome: &Outcome) -> Vec<Line> {
    let Some(ProcessFailure { what, log }) = outcome.process_failure() else {
        return Vec::new();
    };
    let word = match outcome.kind() {
        "protocol-error" => "broke the protocol".to_owned(),
        kind => kind.replace('-', " "),
    };
    let mut lines = vec![got(&format!("{word}: {what}"))];
    if !log.is_empty() {
        lines.push(text("its last words:"));
        let log = shorten_log(log, MAX_MESSAGE);
        lines.extend(log.lines().map(|text| line(LineKind::Log, text)));
    }
    lines
}

/// A run that was judged.
struct Judged<'a> {
    request: &'a Request,
    allows_rejection: bool,
    /// Computes its data.
    data: &'a dyn Fn() -> Result<Tensor, String>,
}

fn judged_failure(judged: &Judged<'_>, failure: &Failure, outcome: Option<&Outcome>) -> Vec<Line> {
    match failure {
        Failure::WrongShape { expected, got } => shapes(judged, expected, &pattern_of(got)),
        Failure::WrongInference { expected, got } => {
            let mut lines = match (outcome, &expected[..]) {
                // It contradicts its own run, not the text.
                (Some(Outcome::Reshaped { output, .. }), [only]) if fits(output.shape(), only) => {
                    let run = format!("{}, which the run gave", show_pattern(only));
                    vec![self::expected(run), self::got(&show_pattern(got))]
                }
                _ => shapes(judged, expected, got),
            };
            lines.push(text("the shape it inferred before the run"));
            lines
        }
        Failure::NotRejected {
            reasons,
            got: shape,
        } => {
            let reasons = reasons.iter().map(|of| of.description()).joined("; ");
            vec![expected(format!("a rejection: {reasons}")), got(shape)]
        }
        Failure::Rejected {
            expected: shape,
            phase,
            message,
        } => {
            let rejection = format!("rejected ({phase}): {message}");
            vec![expected(show_pattern(shape)), got(&rejection)]
        }
        Failure::WrongElementType(element_type) => vec![
            expected(judged.request.element_type.name()),
            got(element_type.name()),
        ],
        Failure::WrongSharing { shares } => {
            let says = |shares| match shares {
                true => "an output in the memory of the data",
                false => "an output that shares no memory with the data",
            };
            vec![expected(says(!shares)), got(says(*shares))]
        }
        Failure::EarlierOutputChanged => {
            vec![text("an output of the model changed when it ran again")]
        }
        Failure::WrongConcurrentRun {
            request,
            data,
            failure,
        } => {
            let run = format!("{}{}", request.element_type, request_line(request));
            let beside = Judged {
                request,
                allows_rejection: false,
                data: &|| Ok(data.clone()),
            };
            let mut lines = vec![text(format!("in a concurrent run of {run}:"))];
            lines.extend(judged_failure(&beside, failure, None));
            lines
        }
        Failure::Unsupported(message) => vec![
            got(&format!("unsupported: {message}")),
            text(
                "a failure, because it claims this, does the same elsewhere, or does nothing of the operator",
            ),
        ],
        Failure::NoElements(shape) => vec![expected("its elements"), got(&show_shape(shape))],
        Failure::WrongContent(output) => match (judged.data)() {
            Ok(data) => contents(&data, output),
            Err(why) => vec![text(why)],
        },
    }
}

/// The allowed shapes and the actual one, with a mark under the first dim that differs from a single allowed shape. It
/// also says whether a rejection is allowed.
fn shapes(judged: &Judged<'_>, allowed: &[ShapePattern], shape: &ShapePattern) -> Vec<Line> {
    let mut expectations: Vec<_> = allowed.iter().map(|shape| show_pattern(shape)).collect();
    if allowed.is_empty() {
        let count = Count::of(&judged.request.data_shape);
        expectations.push(format!("a shape of {count} elements"));
    }
    if judged.allows_rejection {
        expectations.push("a rejection".to_owned());
    }
    let mut lines = vec![
        expected(expectations.join(" or ")),
        got(&show_pattern(shape)),
    ];
    if let [allowed] = allowed {
        let count = Count::of(&judged.request.data_shape);
        lines.push(what_differs(allowed, shape, &count));
    }
    lines
}

/// A `^` under the first dim of `shape`, as [`show_pattern`] writes it, that differs from `allowed`, with a
/// description. If every dim is allowed, the count differs from the data's.
fn what_differs(allowed: &ShapePattern, shape: &ShapePattern, count: &Count) -> Line {
    let differ = |(a, b): (&Option<u64>, &Option<u64>)| {
        (a != b && a.is_some() && b.is_some()) || b.is_some_and(is_negative)
    };
    let place = allowed.iter().zip(shape).position(differ);
    let dims: Option<Vec<u64>> = shape.iter().copied().collect();
    let dims = dims.filter(|dims| place.is_none() && dims.len() == allowed.len());
    if let Some(dims) = dims {
        let own = Count::of(&dims);
        return text(format!("it has {own} elements, but the data has {count}"));
    }
    let place = place.unwrap_or(allowed.len().min(shape.len()));
    let width = |dim: &Option<u64>| dim.map_or(1, |dim| dim.cast_signed().to_string().len());
    let before: usize = shape[..place].iter().map(|dim| width(dim) + 2).sum();
    let what = match allowed.len() == shape.len() {
        true => format!("dim {place}"),
        false => format!("rank {} instead of {}", shape.len(), allowed.len()),
    };
    let mark = "^".repeat(shape.get(place).map_or(1, width));
    let mark = format!("{}{mark} {what}", " ".repeat(before + 1));
    line(LineKind::Mark, mark)
}

/// The first differing element, the number of differences, and a diff of the elements around it.
fn contents(data: &Tensor, output: &Tensor) -> Vec<Line> {
    let count = data.len().max(output.len());
    let differs = |index: &usize| !data.same_element(output, *index);
    let Some(first) = (0..count).find(differs) else {
        return Vec::new();
    };
    let differing = (first..count).filter(differs).count();
    let place = multi_index(first, output.shape());
    let element = |tensor: &Tensor| {
        let (value, bits) = shown(tensor, first);
        shorten(&format!("{value}  {bits}"), MAX_ELEMENT).into_owned()
    };
    let mut lines = vec![
        text(format!(
            "{differing} of {count} elements differ; the first at {place} (element {first} in row-major order)"
        )),
        expected(element(data)),
        got(&element(output)),
    ];
    let around = first.saturating_sub(CONTEXT)..(first + CONTEXT + 1).min(count);
    let window = |tensor: &Tensor| -> String {
        let lines = around.clone().map(|index| {
            let (place, (value, bits)) = (multi_index(index, output.shape()), shown(tensor, index));
            let line = format!("{place} {value} {bits}");
            format!("{}\n", shorten(&line, MAX_ELEMENT))
        });
        lines.collect()
    };
    let (before, after) = (window(data), window(output));
    for change in TextDiff::from_lines(&before, &after).iter_all_changes() {
        let kind = match change.tag() {
            ChangeTag::Equal => LineKind::Same,
            ChangeTag::Delete => LineKind::Minus,
            ChangeTag::Insert => LineKind::Plus,
        };
        lines.push(line(kind, change.value().trim_end()));
    }
    lines
}

/// How wrong elements differ from the trial's data, as far as that has a name.
pub(super) fn element_differences(trial: &Trial, output: &Tensor) -> Vec<ElementDifference> {
    let Ok(data) = trial.case.data_up_to(trial.element_type, u64::MAX) else {
        return Vec::new();
    };
    let count = data.len().max(output.len());
    let wrong = || (0..count).filter(|index| !data.same_element(output, *index));
    let (first, last) = (wrong().next().unwrap_or(count), wrong().next_back());
    let sorted = |of: &Tensor| {
        let element = |index| (of.bits(index), of.string(index).map(<[u8]>::to_vec));
        let mut elements: Vec<_> = (0..count).map(element).collect();
        elements.sort_unstable();
        elements
    };
    let element_type = trial.element_type;
    let (float, signed) = match element_type.representation() {
        Representation::Float(format) => (Some(format), None),
        Representation::Signed => (None, element_type.bits()),
        Representation::Unsigned
        | Representation::Bool
        | Representation::String
        | Representation::Complex(_) => (None, None),
    };
    let all_floats = |has: fn(Format, u64) -> bool| {
        float.is_some_and(|format| {
            let bits = wrong().map(|index| data.bits(index));
            bits.map(|bits| bits.unwrap_or_default() as u64)
                .all(|bits| has(format, bits))
        })
    };
    // The sign bit; `None` for a type without signs.
    let sign = float.map(|format| u128::from(format.sign_bit()));
    let sign = sign.or(signed.map(|width| 1 << (width - 1)));
    let is_negative = |index| {
        let of = data.bits(index).zip(sign);
        of.is_some_and(|(bits, sign)| bits & sign != 0)
    };
    let negated = |index| {
        let (bits, sign) = data.bits(index).zip(sign)?;
        Some(match float {
            Some(_) => bits ^ sign,
            None => bits.wrapping_neg() & (sign | (sign - 1)),
        })
    };
    // The unused bits before an element of several bytes; `None` for other elements.
    let bytes = element_type
        .bits()
        .filter(|bits| *bits > 8 && bits % 8 == 0);
    let bytes = bytes.map(|bits| u128::BITS - bits);
    let reversed = |of: &Tensor, index, unused| Some(of.bits(index)?.swap_bytes() >> unused);
    let few = (count / 8).max(1);
    let differs = |difference: &ElementDifference| match difference {
        ElementDifference::Reordered => count <= MAX_SORTED && sorted(&data) == sorted(output),
        ElementDifference::NotANumber => all_floats(Format::is_nan),
        ElementDifference::Tiny => all_floats(Format::is_tiny),
        ElementDifference::BytesReversed => bytes.is_some_and(|unused| {
            wrong().all(|index| reversed(&data, index, unused) == output.bits(index))
        }),
        ElementDifference::AtTheEnd => count > few && first >= count - few,
        ElementDifference::AtTheStart => count > few && last.is_some_and(|last| last < few),
        ElementDifference::Negated => {
            wrong().all(|index| negated(index).is_some_and(|of| output.bits(index) == Some(of)))
        }
        ElementDifference::Negative => wrong().all(is_negative) && wrong().count() < count,
        ElementDifference::Zeroed => wrong().all(|index| output.bits(index) == Some(0)),
    };
    let all = ElementDifference::ALL.iter().copied();
    all.filter(differs).collect()
}

/// An element, and its bits.
fn shown(tensor: &Tensor, index: usize) -> (String, String) {
    let bits = literal::show_bits(tensor, index);
    (literal::show(tensor, index), bits)
}

/// A row-major index as `[i, j, k]`.
fn multi_index(flat: usize, shape: &[u64]) -> String {
    let mut rest = flat as u64;
    let mut indices = vec![0; shape.len()];
    for (index, dim) in indices.iter_mut().zip(shape).rev() {
        *index = rest % (*dim).max(1);
        rest /= (*dim).max(1);
    }
    format!("{indices:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_of_another_count_has_no_dim_that_differs() {
        let count = Count::of(&[2, 3]);
        let differs = |allowed: &[Option<u64>], shape: &[u64]| {
            let shape = pattern_of(shape);
            what_differs(&allowed.to_vec(), &shape, &count).text
        };
        let any = &[None, Some(3), None];
        let said = differs(any, &[5, 3, 7]);
        assert_eq!(said, "it has 105 elements, but the data has 6");
        assert_eq!(differs(any, &[1, 2, 3]), "    ^ dim 1");
        assert_eq!(differs(any, &[2, 3]), "       ^ rank 2 instead of 3");
    }
}
