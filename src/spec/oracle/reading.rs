//! Readings: one answer to every open question.

use crate::spec::operator::{Question, ReadersChoice};

/// An answer to every open question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading([ReadersChoice; Question::ALL.len()]);

impl Reading {
    /// The reference's own reading: [`Question::choice`] gives the reasons.
    pub(super) const OWN: Self = {
        let mut choices = [ReadersChoice::Reject; Question::ALL.len()];
        let mut index = 0;
        while index < choices.len() {
            choices[index] = Question::ALL[index].choices()[0];
            index += 1;
        }
        Self(choices)
    };

    /// Every combination of choices on these questions; the reference's own choice on all others.
    pub(super) fn all(questions: &[Question]) -> Vec<Self> {
        let mut readings = vec![Self::OWN];
        for question in questions {
            readings = readings
                .iter()
                .flat_map(|reading| reading.with_each_choice(*question))
                .collect();
        }
        readings
    }

    fn with_each_choice(self, question: Question) -> impl Iterator<Item = Self> {
        question.choices().iter().map(move |choice| {
            let mut reading = self;
            reading.0[question as usize] = *choice;
            reading
        })
    }

    /// The choice on one question.
    pub(super) fn on(&self, question: Question) -> ReadersChoice {
        self.0[question as usize]
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
