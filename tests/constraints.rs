//! The rules as constraints over data, target, mode and output, and the oracle compared with them on every small request.
//!
//! What a text says of a request is the number of outputs that meet its constraints: one is the result, none is a
//! rejection; several, or readers of the text who differ, leave it open. The outputs are found by trying all of them, so
//! that nothing here divides, infers or resolves. It shares no code and no data with the oracle.

#![allow(clippy::unwrap_used, reason = "a test")]

use reshape_conformance::semantics::operator::{OPERATORS, Operator};
use reshape_conformance::semantics::oracle::{Resolution, resolve};
use reshape_conformance::semantics::outcome::Allowed;
use reshape_conformance::semantics::request::{AttributeValue, Attributes, Request, Target};
use reshape_conformance::tensor::ElementType;
use std::collections::BTreeSet;

/// The longest dim of the data, the most dims, and the values of the target.
const MAX_LENGTH: u64 = 3;
const MAX_DIMS: usize = 3;
const VALUES: std::ops::RangeInclusive<i64> = -2..=4;
/// The longest dim that an output can need: no data has more elements. A length that any number fits is tried up to here.
const BOUND: u64 = MAX_LENGTH.pow(MAX_DIMS as u32);

/// What a text says about a point: every reader refuses, every reader accepts, or readers differ.
#[derive(Clone, Copy, PartialEq)]
enum Answer {
    No,
    Yes,
    Either,
}

/// What a text says, in the mode where a 0 is literal or where it copies.
struct Text {
    literal: bool,
    below_minus_one: Answer,
    copy_at_rank: Answer,
    literal_zero_with_minus_one: Answer,
    empty_target: Answer,
    scalar_data: Answer,
}

impl Text {
    /// The points, each at the place of its bit in the choices of a reader.
    fn points(&self) -> [Answer; 5] {
        [
            self.below_minus_one,
            self.literal_zero_with_minus_one,
            self.empty_target,
            self.scalar_data,
            self.copy_at_rank,
        ]
    }

    /// Every reader: the accepted points among those on which readers differ.
    fn readers(&self) -> impl Iterator<Item = u32> {
        let points = self.points().into_iter().enumerate();
        let differ = points.filter(|(_, answer)| *answer == Answer::Either);
        let differ: u32 = differ.map(|(point, _)| 1 << point).sum();
        (0..32).filter(move |accepts| accepts & !differ == 0)
    }
}

/// The text of an operator, as a person read it.
fn text(operator: &str, literal: bool) -> Text {
    let onnx = Text {
        literal,
        below_minus_one: Answer::Either,
        copy_at_rank: Answer::No,
        literal_zero_with_minus_one: Answer::No,
        empty_target: Answer::Yes,
        scalar_data: Answer::Yes,
    };
    let special_zero = Text {
        below_minus_one: Answer::No,
        literal_zero_with_minus_one: Answer::Yes,
        empty_target: Answer::Either,
        ..onnx
    };
    match operator {
        // It lets the second input be empty, and has none.
        "onnx.Reshape-1" => Text {
            empty_target: Answer::Either,
            ..onnx
        },
        "openvino.Reshape-1" => Text {
            copy_at_rank: Answer::Either,
            // The product of no dimensions is 1.
            empty_target: Answer::Yes,
            ..special_zero
        },
        "onednn-spec.StaticReshape-1" => Text {
            literal_zero_with_minus_one: Answer::No,
            scalar_data: Answer::Either,
            ..special_zero
        },
        "onednn.StaticReshape" => special_zero,
        // It says nothing about a 0 beside a -1. A 0 is a length, and a -1 is what the other lengths leave.
        array if array.starts_with("array-api") => Text {
            literal_zero_with_minus_one: Answer::Yes,
            ..onnx
        },
        _ => onnx,
    }
}

/// The choices of one reader: whether to accept each point on which readers differ.
struct Reader<'a> {
    text: &'a Text,
    accepts: u32,
}

impl Reader<'_> {
    fn accepts(&self, point: usize) -> bool {
        match self.text.points()[point] {
            Answer::No => false,
            Answer::Yes => true,
            Answer::Either => self.accepts >> point & 1 == 1,
        }
    }

    /// Whether the text forbids the request, for any output.
    fn forbids(&self, data: &[u64], target: &[i64]) -> bool {
        let unknown = target.iter().filter(|value| **value < 0).count();
        let literal_zero = self.text.literal && target.contains(&0);
        let below = target.iter().any(|value| *value < -1);
        let both = literal_zero && unknown > 0;
        unknown > 1
            || below && !self.accepts(0)
            || both && !self.accepts(1)
            || target.is_empty() && !self.accepts(2)
            || data.is_empty() && !self.accepts(3)
    }

    /// Whether the output can have this length at this index.
    fn admits(&self, index: usize, value: i64, data: &[u64], length: u64) -> bool {
        match value {
            1.. => length == value.unsigned_abs(),
            0 if self.text.literal => length == 0,
            0 if index < data.len() => length == data[index],
            0 => index == data.len() && self.accepts(4),
            // Every length can stand there, as far as this value goes.
            ..0 => true,
        }
    }

    /// Every output that meets all constraints.
    fn solutions(&self, data: &[u64], target: &[i64]) -> Vec<Vec<u64>> {
        if self.forbids(data, target) {
            return Vec::new();
        }
        let mut outputs = vec![Vec::new()];
        for (index, value) in target.iter().enumerate() {
            let lengths: Vec<u64> = (0..=BOUND)
                .filter(|length| self.admits(index, *value, data, *length))
                .collect();
            outputs = outputs
                .iter()
                .flat_map(|output: &Vec<u64>| {
                    lengths.iter().map(|length| {
                        let mut longer = output.clone();
                        longer.push(*length);
                        longer
                    })
                })
                .collect();
        }
        let count: u64 = data.iter().product();
        outputs.retain(|output| output.iter().product::<u64>() == count);
        outputs
    }
}

/// What the readers allow together.
#[derive(Debug, PartialEq)]
enum Verdict {
    Reshaped(Vec<u64>),
    Rejected,
    /// Every output that a reader allows, and whether one rejects.
    Open(BTreeSet<Vec<u64>>, bool),
}

fn verdict(text: &Text, data: &[u64], target: &[i64]) -> Verdict {
    let (mut outputs, mut rejects) = (BTreeSet::new(), false);
    for accepts in text.readers() {
        let solutions = Reader { text, accepts }.solutions(data, target);
        // Where several lengths do, nothing says which, and a reader may find that no length is meant.
        rejects |= solutions.len() != 1;
        outputs.extend(solutions);
    }
    match (outputs.len(), rejects) {
        (0, _) => Verdict::Rejected,
        (1, false) => Verdict::Reshaped(outputs.into_iter().next().unwrap()),
        _ => Verdict::Open(outputs, rejects),
    }
}

/// The oracle's answer in the same form: of a pattern, every output within the bound that has the data's count.
fn oracle(request: &Request) -> Verdict {
    match resolve(request) {
        Resolution::Reshaped(shape) => Verdict::Reshaped(shape.into_vec()),
        Resolution::Rejected(_) => Verdict::Rejected,
        Resolution::Open { allowed, .. } => {
            let count: u64 = request.data_shape.iter().product();
            let mut outputs = BTreeSet::new();
            for outcome in &allowed {
                if let Allowed::Reshaped(pattern) = outcome {
                    outputs.extend(fitting(pattern, count));
                }
            }
            Verdict::Open(outputs, allowed.contains(&Allowed::Rejected))
        }
    }
}

fn fitting(pattern: &[Option<u64>], count: u64) -> Vec<Vec<u64>> {
    let mut outputs = vec![Vec::new()];
    for dim in pattern {
        let lengths = dim.map_or(0..=BOUND, |dim| dim..=dim);
        outputs = outputs
            .iter()
            .flat_map(|output: &Vec<u64>| {
                lengths.clone().map(|length| {
                    let mut longer = output.clone();
                    longer.push(length);
                    longer
                })
            })
            .collect();
    }
    outputs.retain(|output| output.iter().product::<u64>() == count);
    outputs
}

/// Every list of at most three of these.
fn lists<T: Copy>(of: &[T]) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    let mut longest = all.clone();
    for _ in 0..MAX_DIMS {
        longest = longest
            .iter()
            .flat_map(|list: &Vec<T>| {
                of.iter().map(|one| {
                    let mut longer = list.clone();
                    longer.push(*one);
                    longer
                })
            })
            .collect();
        all.extend(longest.clone());
    }
    all
}

fn request(
    operator: &'static Operator,
    data: &[u64],
    target: &[i64],
    literal: bool,
) -> Option<Request> {
    // In the Array API standard a 0 is always literal, and no attribute says so.
    let is_array = operator.name.starts_with("array-api");
    let attribute = match operator.name.split_once('-') {
        _ if is_array => None,
        Some(("onnx.Reshape", version)) if version.parse::<u32>().unwrap() < 14 => None,
        Some(("onnx.Reshape", _)) => Some(("allowzero", AttributeValue::Int(i64::from(literal)))),
        Some(_) | None => Some(("special_zero", AttributeValue::Bool(!literal))),
    };
    // Without an attribute, ONNX has no literal 0.
    (attribute.is_some() || is_array == literal).then(|| Request {
        operator,
        element_type: ElementType::F32,
        data_shape: data.to_vec(),
        target: Some(Target::list(target.iter().copied())),
        attributes: Attributes::new(
            attribute
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect(),
        ),
    })
}

#[test]
fn the_oracle_counts_the_solutions_of_the_constraints_of_every_small_request() {
    let dims: Vec<u64> = (0..=MAX_LENGTH).collect();
    let values: Vec<i64> = VALUES.collect();
    let targets = lists(&values);
    let mut requests = 0;
    for data in lists(&dims) {
        for target in &targets {
            for literal in [false, true] {
                let mut known: Vec<(Text, Verdict)> = Vec::new();
                for operator in OPERATORS {
                    let Some(request) = request(operator, &data, target, literal) else {
                        continue;
                    };
                    let text = text(operator.name, literal);
                    let same = |known: &Text| {
                        known.below_minus_one == text.below_minus_one
                            && known.copy_at_rank == text.copy_at_rank
                            && known.literal_zero_with_minus_one == text.literal_zero_with_minus_one
                            && known.scalar_data == text.scalar_data
                            && known.empty_target == text.empty_target
                    };
                    // The versions of ONNX say the same in one mode.
                    let at = known.iter().position(|(text, _)| same(text));
                    let at = at.unwrap_or_else(|| {
                        let verdict = verdict(&text, &data, target);
                        known.push((text, verdict));
                        known.len() - 1
                    });
                    assert_eq!(
                        oracle(&request),
                        known[at].1,
                        "{operator} {data:?} to {target:?}, literal {literal}"
                    );
                    requests += 1;
                }
            }
        }
    }
    assert_eq!(requests, 85 * 400 * (12 + 9 + 4));
}
