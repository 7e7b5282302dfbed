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
}
