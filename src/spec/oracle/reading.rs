//! Readings: one answer to every open question.

use crate::spec::operator::{Question, ReadersChoice};

/// An answer to every open question: for each, the index of the choice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading([u8; Question::ALL.len()]);

impl Reading {
    /// The reference's own reading, the first choice on each: [`Question::choice`] gives the reasons.
    pub(super) const OWN: Self = Self([0; Question::ALL.len()]);

    /// Every combination of choices on these questions, and the reference's own choice on all others. The first is
    /// [`Self::OWN`].
    pub(super) fn all(questions: &[Question]) -> impl Iterator<Item = Self> {
        let choices = |question: &Question| question.choices().len();
        let count: usize = questions.iter().map(choices).product();
        (0..count).map(move |number| {
            let (mut reading, mut rest) = (Self::OWN, number);
            for question in questions.iter().rev() {
                reading.0[*question as usize] = (rest % choices(question)) as u8;
                rest /= choices(question);
            }
            reading
        })
    }

    /// The choice on one question.
    pub(super) fn on(&self, question: Question) -> ReadersChoice {
        question.choices()[usize::from(self.0[question as usize])]
    }

    /// In what meanings it accepts all of these questions, where not as the reference does, in words; `None` if it rejects for
    /// one of them.
    pub(super) fn accepts(&self, questions: &[Question]) -> Option<Vec<&'static str>> {
        let mut otherwise = Vec::new();
        for question in questions {
            match self.on(*question) {
                ReadersChoice::Reject => return None,
                choice if choice == Self::OWN.on(*question) => {}
                ReadersChoice::Accept(_, in_words) => otherwise.push(in_words),
            }
        }
        Some(otherwise)
    }
}
