//! Sentences about the cause that several failures share.

use crate::event::{Alone, Cause, TrialRecord};

/// What the backend seems to do, in a sentence.
pub(super) fn sentence(cause: &Cause) -> String {
    let only = match cause.only.join(", ") {
        places if places.is_empty() => places,
        places => format!(" ({places})"),
    };
    let lint = cause.lint.as_ref();
    let lint = lint.map_or_else(String::new, |lint| format!(" ({lint})"));
    let perhaps = if cause.doubtful { "perhaps " } else { "" };
    format!("{perhaps}it {}{only}{lint}", cause.description)
}

/// The command that repeats the failure of a cause's first trial. If the trial passes alone, the command also runs the
/// trials after which it fails; `None` if these are unknown.
pub(super) fn again<'a>(cause: &'a Cause, first: &'a TrialRecord) -> Option<&'a str> {
    match &cause.alone {
        Some(Alone::Stateful { again, .. }) => again.as_deref(),
        Some(Alone::Unsteady) | None => first.again(),
    }
}

/// The result of running a cause's failures alone; `None` if they fail alone.
fn alone(cause: &Cause) -> Option<String> {
    Some(match cause.alone.as_ref()? {
        Alone::Unsteady => "no mutant explains an intermittent failure".to_owned(),
        Alone::Stateful { after, again } => {
            let no_command = match again {
                None => "; no command repeats it: it would be too long, or ran in another order",
                Some(_) => "",
            };
            match after.as_slice() {
                [] => "stateful: which trials they fail after was not found".to_owned(),
                [one] => format!("stateful: the first passes alone, fails after {one}{no_command}"),
                [one, others @ ..] => format!(
                    "stateful: the first passes alone, fails after {one} and {} more{no_command}",
                    others.len()
                ),
            }
        }
    })
}

/// The mutants that do the same, and the number of trials that contradict them.
pub(super) fn as_mutants(cause: &Cause) -> String {
    match (alone(cause), cause.mutants.join(" with ")) {
        (Some(alone), mutants) if mutants.is_empty() => return alone,
        (Some(alone), mutants) => return format!("as the mutant {mutants}; {alone}"),
        (None, _) => {}
    }
    if cause.lint.is_some() {
        return "no mutant was sought".to_owned();
    }
    if let Some(claim_less) = &cause.claim_less {
        return format!("if the backend is not meant to do this, {claim_less}");
    }
    if cause.mutants.is_empty() {
        return match cause.against {
            _ if !cause.or.is_empty() => {
                format!("as each of the mutants {}", cause.or.join(", "))
            }
            0 => "no mutant explains it".to_owned(),
            1 => "no mutant explains it; 1 trial of this kind passes".to_owned(),
            passed => format!("no mutant explains it; {passed} trials of this kind pass"),
        };
    }
    let or = match cause.or.join(", ") {
        others if others.is_empty() => others,
        others => format!(", or {others}"),
    };
    let against = match cause.against {
        0 => String::new(),
        1 => "; 1 trial contradicts it".to_owned(),
        several => format!("; {several} trials contradict it"),
    };
    let mutants = cause.mutants.join(" with ");
    format!("as the mutant {mutants}{or}{against}")
}
