//! The cause that several failures have in common, in words.

use crate::event::Cause;

/// What the backend seems to do, in a sentence.
pub(super) fn sentence(cause: &Cause) -> String {
    let only = match cause.only.join(", ") {
        places if places.is_empty() => places,
        places => format!(" ({places})"),
    };
    let perhaps = if cause.doubtful { "perhaps " } else { "" };
    format!("{perhaps}it {}{only}", cause.says)
}

/// The mutants that do the same, and how many trials contradict them.
pub(super) fn as_mutants(cause: &Cause) -> String {
    if cause.mutants.is_empty() {
        return match cause.against {
            0 => "no mutant explains it".to_owned(),
            passed => format!("no mutant explains it; {passed} trials of this kind pass"),
        };
    }
    let or = match cause.or.join(", ") {
        others if others.is_empty() => others,
        others => format!(", or {others}"),
    };
    let against = match cause.against {
        0 => String::new(),
        1 => "; 1 trial speaks against it".to_owned(),
        several => format!("; {several} trials speak against it"),
    };
    format!(
        "as the mutant {}{or}{against}",
        cause.mutants.join(" with ")
    )
}
