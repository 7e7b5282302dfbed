//! The elements of the data: which of them a text leaves open. All others come out as they are, whatever the request.

use super::resolution::{Resolution, resolve};
use crate::semantics::operator::Question;
use crate::semantics::outcome::Allowed;
use crate::semantics::request::Request;
use crate::tensor::{ElementType, Tensor};

/// What the text says of a request for this data.
#[must_use]
pub(crate) fn resolve_for(request: &Request, data: &Tensor) -> Resolution {
    match (resolve(request), question_of(data)) {
        (Resolution::Reshaped(shape), Some(question)) => {
            let choice = Allowed::Reshaped(shape.iter().copied().map(Some).collect());
            Resolution::Open {
                question,
                allowed: vec![choice.clone(), Allowed::Rejected],
                choice,
            }
        }
        (resolution, _) => resolution,
    }
}

/// Whether both hold the same elements, but for those that this question leaves open.
#[must_use]
pub(crate) fn same_where_decided(question: Question, data: &Tensor, output: &Tensor) -> bool {
    data.len() == output.len()
        && (0..data.len()).all(|index| {
            data.same_element(output, index) || question_at(data, index) == Some(question)
        })
}

/// The question that an element of the data raises; `None` if every element is a value of its type.
fn question_of(data: &Tensor) -> Option<Question> {
    let may = matches!(data.element_type(), ElementType::Bool | ElementType::String);
    may.then(|| (0..data.len()).find_map(|index| question_at(data, index)))
        .flatten()
}

fn question_at(data: &Tensor, index: usize) -> Option<Question> {
    if let Some(string) = data.string(index) {
        return string.contains(&0).then_some(Question::NulInString);
    }
    let is_bool = data.element_type() == ElementType::Bool;
    (is_bool && data.bits(index)? > 1).then_some(Question::BoolByte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_that_is_no_value_of_its_type_may_change_and_no_other() {
        let bools = |bytes: &[u8]| {
            Tensor::from_bits(ElementType::Bool, vec![bytes.len() as u64], |i| {
                bytes[i].into()
            })
        };
        let data = bools(&[0, 1, 2]);
        assert_eq!(question_of(&data), Some(Question::BoolByte));
        assert_eq!(question_of(&bools(&[0, 1])), None);
        for (output, same) in [
            (&[0, 1, 2][..], true),
            (&[0, 1, 1], true),
            (&[0, 1, 0], true),
            (&[0, 255, 2], false),
            (&[1, 1, 2], false),
            (&[0, 1], false),
        ] {
            assert_eq!(
                same_where_decided(Question::BoolByte, &data, &bools(output)),
                same
            );
        }
        let strings = |strings: &[&str]| {
            let bytes = strings
                .iter()
                .map(|text| text.as_bytes().to_vec())
                .collect();
            Tensor::from_strings(vec![strings.len() as u64], bytes).expect("strings")
        };
        let data = strings(&["a", "b\0"]);
        assert_eq!(question_of(&data), Some(Question::NulInString));
        let same = |output| same_where_decided(Question::NulInString, &data, &strings(output));
        assert!(same(&["a", "b"]) && same(&["a", "b\0"]));
        assert!(!same(&["", "b"]) && !same(&["a"]));
    }
}
