//! Open questions: what each backend does where the texts leave it open.

use super::backend::way;
use crate::event::Answer;
use crate::event::stream::Stream;
use crate::names::{Distinct, Joined};
use crate::report::digest::{Digest, RunDigest};
use crate::report::markdown::{code, text};
use crate::semantics::operator::{Binding, Question};
use std::collections::{BTreeMap, BTreeSet};

/// The answers to each open question, then the questions themselves.
pub(super) fn write(page: &mut String, run: &RunDigest<'_>) {
    let stream = run.stream;
    page.push_str("## Open questions\n\nWhat each backend does where the texts leave it open: the number of situations \
        (case, operator, element type, memory layout) that it ");
    page.push_str("answered in each way, under any binding. **inconsistent**: it answered one situation differently \
        under two bindings.\n\n");
    let labels = run.backends.iter().map(|of| text(of.name)).joined(" | ");
    *page += &format!(
        "| question | {labels} |\n|---|{}\n",
        "---|".repeat(run.backends.len())
    );
    let answers: Vec<_> = run.backends.iter().map(answers).collect();
    for question in asked(stream, &answers) {
        let cells = answers.iter().map(|of| of.get(question));
        let cells = cells.map(|of| of.map_or("–".to_owned(), profile));
        *page += &format!("| `{}` | {} |\n", code(question), cells.joined(" | "));
    }
    if stream.questions.is_empty() {
        return;
    }
    page.push_str("\nThe questions, and what the reference does:\n\n");
    for question in &stream.questions {
        *page += &format!(
            "- `{}`: {} Allowed: {}. The reference: {}.\n",
            code(&question.id),
            text(&question.asks),
            text(&question.allowed),
            text(&question.choice)
        );
    }
}

/// A backend's answers by question.
pub(super) type Answers<'a> = BTreeMap<&'a str, Situations<'a>>;

/// The answers by case, operator, element type and memory layout, under any binding.
pub(super) type Situations<'a> =
    BTreeMap<(&'a str, &'a str, &'a str, &'static str), BTreeSet<&'a str>>;

pub(super) fn answers<'a>(backend: &Digest<'a>) -> Answers<'a> {
    let mut answers = Answers::new();
    for trial in &backend.records.trials {
        let Some(Answer { id, answer }) = &trial.question else {
            continue;
        };
        // Whether a copy is necessary, say, depends on the layout.
        let (binding, _) = way(trial);
        let binding = binding.parse::<Binding>();
        let layout = binding.map_or("", |of| of.layout().name());
        let request = (trial.case(), trial.operator(), trial.element_type(), layout);
        let of_question = answers.entry(id).or_default();
        of_question.entry(request).or_default().insert(answer);
    }
    answers
}

/// The questions that a backend answered: those of the stream in its order, then the others.
fn asked<'a>(stream: &'a Stream, answers: &[Answers<'a>]) -> Vec<&'a str> {
    let described = stream.questions.iter().map(|question| question.id.as_str());
    let answered: BTreeSet<&str> = answers.iter().flat_map(|of| of.keys().copied()).collect();
    let all = described.chain(answered.iter().copied());
    all.filter(|id| answered.contains(id)).distinct()
}

/// Whether a backend answered a situation in different ways for different bindings.
pub(super) fn is_inconsistent(situations: &Situations<'_>) -> bool {
    situations.values().any(|answers| answers.len() > 1)
}

/// The number of cases in which a backend refused a size past the suite's bar.
pub(super) fn limits(answers: &Answers<'_>) -> usize {
    let situations = answers.get(Question::Capacity.name()).into_iter().flatten();
    let refused = situations.filter(|(_, answers)| answers.contains("rejected"));
    let cases: BTreeSet<_> = refused.map(|((case, ..), _)| case).collect();
    cases.len()
}

/// The number of each answer of a backend to a question, with the first case that got it.
fn profile(situations: &Situations<'_>) -> String {
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for ((case, ..), answers) in situations {
        let answers: Vec<_> = answers.iter().map(|answer| text(answer)).collect();
        let (answer, shape) = match answers.as_slice() {
            [answer] if answer == "rejected" => ("rejects".to_owned(), String::new()),
            [answer] => ("reshapes".to_owned(), format!("{answer} ")),
            answers => {
                let answer = format!("**inconsistent** ({})", answers.join(" and "));
                (answer, String::new())
            }
        };
        let first = || (0, format!("({shape}in {})", text(case)));
        counts.entry(answer).or_insert_with(first).0 += 1;
    }
    let counts = counts.iter();
    let counts = counts.map(|(answer, (count, example))| format!("{answer} {count} {example}"));
    counts.joined(", ")
}
