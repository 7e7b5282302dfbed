//! Statements about requests of which dims are unknown: for which dims the text accepts them, and for which it leaves
//! them open.
//!
//! Once it is known which unknown dims are 0, only the comparison of the counts depends on how large the others are. So
//! a statement asks the oracle once for each choice of zeros, with dims for which the counts agree. It holds for dims
//! within what the texts promise: at most 8 of them, and 2^31 elements.

mod cases;
mod term;
#[cfg(test)]
#[path = "../../../tests/symbolic.rs"]
mod tests;

use super::operator::Question;
use super::oracle::{Resolution, copies_zero, resolve};
use super::request::{AttributeValue, Request};
use crate::names::Joined;
use cases::{Relation, cases, relation};
use std::collections::BTreeSet;
use std::fmt;
use term::{Condition, How};
pub(crate) use term::{Name, Term};

/// The most names in a request: the oracle answers for each choice of zeros among them.
const MAX_NAMES: usize = 6;

/// A request with unknown dims. In `known`, the dims and the target's values stand for any numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Symbolic {
    pub(crate) known: Request,
    pub(crate) data: Vec<Term>,
    pub(crate) values: Vec<Term>,
}

/// What the text says about a request, for all dims.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Statement {
    /// When it is valid (`None`), then when each question leaves it open: if all conditions of one of the cases hold.
    answers: Vec<(Option<Question>, Vec<Vec<Condition>>)>,
    /// The output's dims; `None` for one that is no term.
    pub(crate) output: Vec<Option<Term>>,
    pub(crate) example: Example,
}

/// Dims, for which the request is valid or else open if there are such dims; and the request with them.
type Example = (Vec<(Name, u64)>, Request);

/// What the text says about a request with a choice of zeros if the counts agree: `None` if it rejects it.
struct Answer {
    relation: Relation,
    accepts: Option<Option<Question>>,
    example: Example,
}

impl Symbolic {
    /// What the text says; `None` if that is not decided here.
    pub(crate) fn statement(&self) -> Option<Statement> {
        let terms = self.data.iter().chain(&self.values);
        let mut names: Vec<&Name> = terms.flat_map(|term| &term.names).collect();
        names.sort();
        names.dedup();
        let zero = self.known.operator.zero_attribute();
        let zero = zero.and_then(|of| self.known.attributes.get(of.name));
        // Readers differ on what another value means, and so on which counts agree.
        let is_clear = !matches!(zero, Some(AttributeValue::Int(value)) if !matches!(value, 0 | 1));
        if names.len() > MAX_NAMES || !is_clear {
            return None;
        }
        let zeros = |choice: usize| -> Vec<&Name> {
            let chosen = (0..names.len()).filter(|at| choice >> at & 1 == 1);
            chosen.map(|at| names[at]).collect()
        };
        let choices: Vec<_> = (0..1 << names.len()).map(zeros).collect();
        let all = choices.iter().map(|zeros| self.answer(&names, zeros));
        let all: Vec<Answer> = all.collect::<Option<_>>()?;
        let accepts = all.iter().filter_map(|of| of.accepts).chain([None]);
        let accepts: BTreeSet<_> = accepts.collect();
        let cases_of = |accepts: Option<Question>| {
            let is_it = |of: &Answer| of.accepts == Some(accepts);
            let relations = all.iter();
            let relations = relations.map(|of| of.relation.clone().filter(|_| is_it(of)));
            (accepts, cases(&names, &relations.collect::<Vec<_>>()))
        };
        let accepted = all.iter().zip(&choices);
        let accepted = accepted.filter(|(answer, _)| answer.accepts.is_some());
        let example = accepted.clone().min_by_key(|(answer, _)| answer.accepts);
        let example = example.map(|(answer, _)| answer).or(all.first())?;
        Some(Statement {
            answers: accepts.into_iter().map(cases_of).collect(),
            output: self.output(&accepted.map(|(_, zeros)| zeros).collect::<Vec<_>>()),
            example: example.example.clone(),
        })
    }

    /// The count of the known lengths, and whether a length is to infer.
    fn lengths(&self, data: &[Term], values: &[Term]) -> Option<(Term, bool)> {
        let (mut lengths, mut infers) = (Term::from(1), false);
        let copies = copies_zero(&self.known);
        for (index, value) in values.iter().enumerate() {
            let length = match (value.known(), copies) {
                (Some(0), Some(true)) => data.get(index),
                (Some(0), None) | (Some(..0), _) => None,
                _ => Some(value),
            };
            infers |= length.is_none();
            lengths = lengths.times(length.unwrap_or(&Term::from(1)))?;
        }
        Some((lengths, infers))
    }

    /// `None` if no dims were found for which the counts agree, or if they are too large for a text to decide.
    fn answer(&self, names: &[&Name], zeros: &[&Name]) -> Option<Answer> {
        let at_zeros = |terms: &[Term]| -> Vec<Term> {
            let is_zero = |term: &Term| term.is_zero(zeros).then(|| Term::from(0));
            let terms = terms.iter();
            let decided = terms.map(|term| is_zero(term).unwrap_or(term.clone()));
            decided.collect()
        };
        let (data, values) = (at_zeros(&self.data), at_zeros(&self.values));
        let (lengths, infers) = self.lengths(&data, &values)?;
        let relation = relation(lengths, Term::product(&data)?, infers);
        let length = |name: &&Name| u64::from(!zeros.contains(name));
        let names = names.iter();
        let mut dims: Vec<_> = names.map(|name| ((*name).clone(), length(name))).collect();
        if let Some(condition @ Condition(one, how, other)) = relation.iter().flatten().next() {
            // In a product of several dims, the first makes up for the number on the other side.
            let mut make_up = |of: &Term, number: &Term| {
                let is_first = |(name, _): &&mut (Name, u64)| of.names.first() == Some(name);
                let length = u64::try_from(number.factor).ok()?;
                dims.iter_mut().find(is_first).map(|(_, of)| *of = length)
            };
            make_up(other, one);
            if *how == How::Equals {
                make_up(one, other);
            }
            condition.holds(&dims).then_some(())?;
        }
        let request = self.at(&dims)?;
        let accepts = match resolve(&request) {
            Resolution::Open { question, .. } => Some(Some(question)),
            Resolution::Reshaped(_) => Some(None),
            Resolution::Rejected(_) => None,
        };
        let is_beyond = matches!(
            accepts,
            Some(Some(Question::Capacity | Question::CountOverflows))
        );
        (!is_beyond).then_some(Answer {
            accepts: accepts.filter(|_| relation.is_some()),
            relation,
            example: (dims, request),
        })
    }

    /// The request with these dims; `None` if they are too large.
    fn at(&self, dims: &[(Name, u64)]) -> Option<Request> {
        let mut request = self.known.clone();
        let data = self.data.iter();
        let data = data.map(|term| u64::try_from(term.at(dims)?).ok());
        request.data_shape = data.collect::<Option<_>>()?;
        if let Some(target) = &mut request.target {
            let values = self.values.iter().map(|term| term.at(dims));
            target.values = values.collect::<Option<_>>()?;
        }
        Some(request)
    }

    /// The output's dims where the request is accepted: with one of these choices of zeros.
    fn output(&self, accepted: &[&Vec<&Name>]) -> Vec<Option<Term>> {
        let copies = copies_zero(&self.known) == Some(true);
        // A value that turns into a copied 0 is another length then, unless the copied dim is 0, too.
        let stays = |(index, value): (usize, &Term)| {
            let is_zero = |of: Option<&Term>, zeros| of.is_some_and(|of| of.is_zero(zeros));
            let mut zeros = accepted.iter().filter(|zeros| is_zero(Some(value), zeros));
            !copies || value.factor == 0 || zeros.all(|zeros| is_zero(self.data.get(index), zeros))
        };
        let inferred = || {
            let (lengths, _) = self.lengths(&self.data, &self.values)?;
            let quotient = Term::product(&self.data)?.over(&lengths);
            quotient.filter(|_| self.values.iter().enumerate().all(stays))
        };
        let length = |(index, value): (usize, &Term)| match value.known() {
            Some(..0) => inferred(),
            Some(0) if copies => self.data.get(index).cloned(),
            _ => stays((index, value)).then(|| value.clone()),
        };
        self.values.iter().enumerate().map(length).collect()
    }

    /// The data's dims and the target, in words.
    pub(crate) fn shapes(&self) -> [String; 2] {
        let list = |terms: &[Term]| format!("[{}]", terms.iter().joined(", "));
        let target = self.known.target.as_ref().map(|_| list(&self.values));
        [list(&self.data), target.unwrap_or("no target".to_owned())]
    }
}

impl Statement {
    /// Whether it is valid for all dims.
    pub(crate) fn is_valid(&self) -> bool {
        self.answers[0].1.iter().any(Vec::is_empty)
    }

    /// Whether it is valid for some dims, and whether the text leaves it open for some.
    pub(crate) fn can_be(&self) -> [bool; 2] {
        [!self.answers[0].1.is_empty(), self.answers.len() > 1]
    }

    /// The dims of the example, in words: `with N = 1`.
    pub(crate) fn with(&self) -> String {
        let dims = self.example.0.iter();
        let dims = dims.map(|(name, length)| format!("{} = {length}", name.1));
        format!("with {}", dims.joined(", "))
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut start = "";
        for (question, cases) in &self.answers {
            let what = question.map_or("valid", |_| "open");
            match &cases[..] {
                // What is open may work.
                [] if self.answers.len() > 1 => continue,
                [] => write!(f, "never {what}")?,
                [case] if case.is_empty() => write!(f, "{start}{what} for all dims")?,
                cases => {
                    let cases = cases.iter().map(|case| case.iter().joined(" and "));
                    write!(f, "{start}{what} exactly if {}", cases.joined(", or "))?;
                }
            }
            start = "; ";
            question.map_or(Ok(()), |question| write!(f, " ({question})"))?;
        }
        let [true, _] = self.can_be() else {
            return Ok(());
        };
        let dims = self.output.iter();
        let dims = dims.map(|of| of.as_ref().map_or("?".to_owned(), Term::to_string));
        write!(f, "; the output is [{}]", dims.joined(", "))
    }
}
