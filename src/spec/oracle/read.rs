//! One reading of one request, from left to right, as the texts tell it.

use super::step::Trace;
use crate::spec::operator::{Question, Reason, Rule, Strictness};
use crate::spec::outcome::{ShapePattern, show_pattern};
use crate::spec::request::{AttributeValue, Request};
use crate::tensor::Count;
use std::collections::BTreeSet;

/// An answer to every open question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading([ReadersChoice; Question::ALL.len()]);

/// What a reader does about one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReadersChoice {
    Rejects,
    /// Takes it in the way the question names first.
    Accepts,
    /// Takes it in the other way the question names.
    AcceptsOtherwise,
}

impl Reading {
    /// The reference's own: [`Question::choice`] says why.
    pub(super) const OWN: Self = {
        let mut stands = [ReadersChoice::Rejects; Question::ALL.len()];
        stands[Question::CountOverflows as usize] = ReadersChoice::Accepts;
        stands[Question::AllowzeroNeither as usize] = ReadersChoice::Accepts;
        stands[Question::EmptyTarget as usize] = ReadersChoice::Accepts;
        stands[Question::PositiveValues as usize] = ReadersChoice::Accepts;
        Self(stands)
    };

    /// Every combination of stands on these questions; the own stand on all others.
    pub(super) fn all(questions: &[Question]) -> Vec<Self> {
        let mut readings = vec![Self::OWN];
        for question in questions {
            let stands = Self::stands(*question);
            readings = readings
                .iter()
                .flat_map(|reading| stands.iter().map(|stand| reading.with(*question, *stand)))
                .collect();
        }
        readings
    }

    fn stands(question: Question) -> &'static [ReadersChoice] {
        match question {
            Question::AllowzeroNeither => &[
                ReadersChoice::Accepts,
                ReadersChoice::AcceptsOtherwise,
                ReadersChoice::Rejects,
            ],
            // The notes win over the table: a recorded contradiction, not a choice.
            Question::PositiveValues => &[ReadersChoice::Accepts],
            Question::IndeterminateDimension
            | Question::BelowMinusOne
            | Question::CountOverflows
            | Question::TargetNotFlat
            | Question::EmptyTarget
            | Question::UnknownAttribute
            | Question::ElementTypeOutside
            | Question::MissingTarget => &[ReadersChoice::Rejects, ReadersChoice::Accepts],
        }
    }

    fn with(mut self, question: Question, stand: ReadersChoice) -> Self {
        self.0[question as usize] = stand;
        self
    }

    fn on(&self, question: Question) -> ReadersChoice {
        self.0[question as usize]
    }
}

/// What one reader makes of a request.
#[derive(Debug)]
pub(super) struct Answer {
    pub conclusion: Conclusion,
    /// Why it is rejected; every reason that holds.
    pub reasons: BTreeSet<Reason>,
    /// The open questions met on the way, in order.
    pub questions: Vec<Question>,
}

#[derive(Debug)]
pub(super) enum Conclusion {
    Reshaped(Vec<u64>),
    /// Any shape of this pattern.
    Any(ShapePattern),
    Rejected,
}

/// Reads a request under one reading.
pub(super) fn read(request: &Request, reading: Reading, trace: &mut Trace) -> Answer {
    let mut reader = Reader {
        request,
        reading,
        trace,
        reasons: BTreeSet::new(),
        questions: Vec::new(),
    };
    reader.check_element_type();
    let copies = reader.zero_mode();
    let found = reader
        .values()
        .and_then(|values| reader.resolve(values, copies));
    let conclusion = match found {
        Some(conclusion) if reader.reasons.is_empty() => conclusion,
        _ => Conclusion::Rejected,
    };
    Answer {
        conclusion,
        reasons: reader.reasons,
        questions: reader.questions,
    }
}

/// Whether a 0 copies: `None` if the node does not say it as it should.
pub(crate) fn copies_zero(request: &Request) -> Option<bool> {
    let mut trace = Trace::off();
    let mut reader = Reader {
        request,
        reading: Reading::OWN,
        trace: &mut trace,
        reasons: BTreeSet::new(),
        questions: Vec::new(),
    };
    reader.zero_mode()
}

struct Reader<'a> {
    request: &'a Request,
    reading: Reading,
    trace: &'a mut Trace,
    reasons: BTreeSet<Reason>,
    questions: Vec<Question>,
}

/// A target on its way to a shape.
struct Dims {
    /// 1 stands in the place of the -1.
    lengths: Vec<u64>,
    inferred: Option<usize>,
    literal_zero: bool,
}

impl<'a> Reader<'a> {
    fn reject(&mut self, reason: Reason, says: impl FnOnce() -> String) {
        self.reasons.insert(reason);
        self.trace.fault(reason.rule(), says);
    }

    /// Where the text takes `stance`: whether to go on, and in which way.
    fn stand(
        &mut self,
        stance: Strictness,
        reason: Reason,
        says: impl FnOnce() -> String,
    ) -> ReadersChoice {
        match stance {
            Strictness::MustReject => {
                self.reject(reason, says);
                ReadersChoice::Rejects
            }
            Strictness::Open(question) => self.ask(question, says),
        }
    }

    fn ask(&mut self, question: Question, says: impl FnOnce() -> String) -> ReadersChoice {
        let reason = question.reason();
        if !self.questions.contains(&question) {
            self.questions.push(question);
        }
        let stand = self.reading.on(question);
        let says = || format!("{}; the text leaves it open ({question})", says());
        match stand {
            ReadersChoice::Rejects => self.reject(reason, says),
            ReadersChoice::Accepts | ReadersChoice::AcceptsOtherwise => {
                self.trace.note(reason.rule(), says)
            }
        }
        stand
    }

    fn check_element_type(&mut self) {
        let (operator, element_type) = (self.request.operator, self.request.element_type);
        if operator.element_types.contains(&element_type) {
            self.trace.note(Rule::ElementTypes, || {
                format!("{element_type} is an element type of {operator}")
            });
        } else {
            self.stand(
                operator.rules.element_type_outside,
                Reason::ElementType,
                || format!("{operator} does not list the element type {element_type}"),
            );
        }
    }

    /// Reads the attributes: whether a 0 copies.
    fn zero_mode(&mut self) -> Option<bool> {
        let operator = self.request.operator;
        let zero = operator.zero_attribute();
        for (name, value) in &self.request.attributes {
            if zero.is_some_and(|zero| zero.name == name) {
                continue;
            }
            match operator
                .rules
                .ignored_attributes
                .iter()
                .find(|(known, _)| known == name)
            {
                Some((_, kind)) if value.is(*kind) => {
                    self.trace
                        .note(Rule::LegacyAttribute, || format!("{name} changes nothing"));
                }
                Some(_) => self.reject(Reason::AttributeType, || {
                    format!("{name} = {value} has the wrong type")
                }),
                None => {
                    self.ask(Question::UnknownAttribute, || {
                        format!("{operator} has no attribute {name}")
                    });
                }
            }
        }
        let Some(zero) = zero else { return Some(true) };
        let Some(value) = self.request.attributes.get(zero.name) else {
            match zero.copies_by_default {
                Some(copies) => self.trace.note(Rule::ZeroModeDefault, || {
                    format!("{} is not there, so {}", zero.name, mode(copies))
                }),
                None => self.reject(Reason::MissingAttribute, || {
                    format!("the required attribute {} is missing", zero.name)
                }),
            }
            return zero.copies_by_default;
        };
        if !value.is(zero.kind) {
            self.reject(Reason::AttributeType, || {
                format!("{} = {value} has the wrong type", zero.name)
            });
            return None;
        }
        let set = match value {
            AttributeValue::Bool(set) => *set,
            AttributeValue::Int(0) => false,
            AttributeValue::Int(1) => true,
            AttributeValue::Int(_)
            | AttributeValue::Float(_)
            | AttributeValue::String(_)
            | AttributeValue::Ints(_) => {
                let stand = self.ask(Question::AllowzeroNeither, || {
                    format!("{} = {value}", zero.name)
                });
                match stand {
                    ReadersChoice::Rejects => return None,
                    ReadersChoice::Accepts => true,
                    ReadersChoice::AcceptsOtherwise => false,
                }
            }
        };
        let copies = set == zero.copies_when_set;
        // What says how zeros are read in this mode, and not what says it of the other.
        let rule = if copies {
            Rule::CopiedZero
        } else {
            Rule::LiteralZero
        };
        if self
            .request
            .target
            .as_ref()
            .is_some_and(|target| target.values.contains(&0))
        {
            self.trace.note(rule, || {
                format!("{} = {value}: {}", zero.name, mode(copies))
            });
        }
        Some(copies)
    }

    /// The target's values, if the target is there and can be read as a list.
    fn values(&mut self) -> Option<&'a [i128]> {
        let rule = &self.request.operator.rules.target;
        let Some(target) = &self.request.target else {
            let stand = self.stand(rule.missing, Reason::MissingTarget, || {
                "there is no target".to_owned()
            });
            return (stand != ReadersChoice::Rejects).then_some(&[]);
        };
        if !rule.element_types.contains(&target.element_type) {
            self.reject(Reason::TargetType, || {
                format!("a target of {} values", target.element_type)
            });
            return None;
        }
        if !target.is_flat() {
            let stand = self.stand(rule.not_flat, Reason::TargetNotFlat, || {
                format!("the target has rank {}", target.dims.len())
            });
            if stand == ReadersChoice::Rejects {
                return None;
            }
        }
        if target.values.is_empty() {
            match rule.empty {
                None => self.trace.note(Rule::EmptyTarget, || {
                    "the target is empty: a scalar".to_owned()
                }),
                Some(question) => {
                    self.ask(question, || "the target is empty".to_owned());
                }
            }
        }
        Some(&target.values)
    }

    /// From the values to a shape: leftmost first, then the count.
    fn resolve(&mut self, values: &[i128], copies: Option<bool>) -> Option<Conclusion> {
        let dims = self.dims(values, copies)?;
        let rules = &self.request.operator.rules;
        if dims.literal_zero && dims.inferred.is_some() && rules.literal_zero_forbids_minus_one {
            self.reject(Reason::ZeroWithMinusOne, || {
                "a literal 0 stands beside a -1".to_owned()
            });
            return None;
        }
        let count = Count::of(&self.request.data_shape);
        let known = Count::of(&dims.lengths);
        let conclusion = match dims.inferred {
            None => self.full(dims.lengths, &known, &count)?,
            Some(index) => self.infer(dims.lengths, index, &known, &count)?,
        };
        if count.is_zero() {
            self.check_overflow(&conclusion);
        }
        Some(conclusion)
    }

    /// Each value as a length; `None` if one has no length.
    fn dims(&mut self, values: &[i128], copies: Option<bool>) -> Option<Dims> {
        let data = &self.request.data_shape;
        let mut dims = Dims {
            lengths: Vec::with_capacity(values.len()),
            inferred: None,
            literal_zero: false,
        };
        let mut whole = true;
        for (index, value) in values.iter().copied().enumerate() {
            let length = match value {
                1.. => {
                    let length = u64::try_from(value).ok();
                    let says = || format!("index {index}: {value} is the length");
                    length.into_iter().for_each(|length| {
                        self.trace
                            .dim(Rule::TargetIsOutputShape, index, length, says)
                    });
                    length
                }
                0 => match copies {
                    Some(true) => self.copied(index, data.get(index).copied()),
                    Some(false) => {
                        dims.literal_zero = true;
                        self.trace.dim(Rule::LiteralZero, index, 0, || {
                            format!("index {index}: a literal 0")
                        });
                        Some(0)
                    }
                    // How to read a 0 is not known: the fault is noted already.
                    None => None,
                },
                -1 => self.minus_one(index, &mut dims),
                ..-1 => {
                    let stance = self.request.operator.rules.below_minus_one;
                    let stand = self.stand(stance, Reason::BelowMinusOne, || {
                        format!("index {index}: {value} is below -1")
                    });
                    if stand == ReadersChoice::Rejects {
                        None
                    } else {
                        self.minus_one(index, &mut dims)
                    }
                }
            };
            whole &= length.is_some();
            dims.lengths.push(length.unwrap_or(1));
        }
        whole.then_some(dims)
    }

    fn copied(&mut self, index: usize, length: Option<u64>) -> Option<u64> {
        match length {
            Some(length) => {
                let says = || format!("index {index}: 0 copies the data dimension {length}");
                self.trace.dim(Rule::CopiedZero, index, length, says);
            }
            None => {
                let rank = self.request.data_shape.len();
                self.reject(Reason::CopyPastRank, || {
                    format!("index {index}: 0 copies, but the data has rank {rank}")
                });
            }
        }
        length
    }

    /// A place to infer; 1 holds it, as the factor that changes no product.
    fn minus_one(&mut self, index: usize, dims: &mut Dims) -> Option<u64> {
        if dims.inferred.is_some() {
            self.reject(Reason::TwoMinusOnes, || {
                format!("index {index}: another -1")
            });
            return None;
        }
        dims.inferred = Some(index);
        self.trace.note(Rule::InferredMinusOne, || {
            format!("index {index}: -1, to be inferred")
        });
        Some(1)
    }

    fn full(&mut self, lengths: Vec<u64>, known: &Count, count: &Count) -> Option<Conclusion> {
        if known == count {
            self.trace.note(Rule::SameCount, || {
                format!("{lengths:?} has {known} elements, as the data has")
            });
            return Some(Conclusion::Reshaped(lengths));
        }
        self.reject(Reason::VolumeMismatch, || {
            format!("{lengths:?} has {known} elements, the data has {count}")
        });
        None
    }

    fn infer(
        &mut self,
        mut lengths: Vec<u64>,
        index: usize,
        known: &Count,
        count: &Count,
    ) -> Option<Conclusion> {
        if known.is_zero() {
            if !count.is_zero() {
                self.reject(Reason::VolumeMismatch, || {
                    format!("the other dimensions multiply to 0, the data has {count} elements")
                });
                return None;
            }
            let mut pattern: ShapePattern = lengths.into_iter().map(Some).collect();
            pattern[index] = None;
            let shown = show_pattern(&pattern);
            let stand = self.ask(Question::IndeterminateDimension, || {
                format!("the data is empty and the other dimensions multiply to 0, so any length does for {shown}")
            });
            return (stand != ReadersChoice::Rejects).then_some(Conclusion::Any(pattern));
        }
        let Some(length) = count.divided_by(known) else {
            self.reject(Reason::NotDivisible, || {
                format!("{count} elements cannot be divided by {known}")
            });
            return None;
        };
        let Some(length) = length
            .as_u64()
            .filter(|length| i64::try_from(*length).is_ok())
        else {
            self.reject(Reason::CountOverflows, || {
                format!("the inferred length {length} is more than a dimension can have")
            });
            return None;
        };
        lengths[index] = length;
        self.trace.dim(Rule::InferredMinusOne, index, length, || {
            format!("index {index}: {count} / {known} = {length}")
        });
        self.trace.note(Rule::SameCount, || {
            format!("{lengths:?} has {count} elements, as the data has")
        });
        Some(Conclusion::Reshaped(lengths))
    }

    /// A shape without elements whose other dims multiply past 2^63-1 (in the output or in the data).
    fn check_overflow(&mut self, conclusion: &Conclusion) {
        let nonzero = |dims: &[u64]| {
            dims.iter()
                .copied()
                .filter(|dim| *dim != 0)
                .collect::<Count>()
        };
        // Where any length would do, a reader can reject already.
        let Conclusion::Reshaped(shape) = conclusion else {
            return;
        };
        let output = nonzero(shape);
        if output.exceeds_i64() || nonzero(&self.request.data_shape).exceeds_i64() {
            self.ask(Question::CountOverflows, || {
                "the dimensions that are not 0 multiply to more than 2^63-1".to_owned()
            });
        }
    }
}

fn mode(copies: bool) -> &'static str {
    if copies {
        "a 0 copies"
    } else {
        "a 0 is literal"
    }
}
