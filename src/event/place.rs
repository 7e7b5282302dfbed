//! Places in files: of a fault, and of the known failure that decides a trial's verdict.

use super::failure::Severity;
use super::verdict::VerdictKind;
use crate::error::Fault;

records! {
    /// A place in a file, and the fault there.
    pub(crate) struct Place {
        /// The file.
        pub file: String,
        /// The line, from 1.
        pub line: usize,
        /// The column in characters, from 1.
        pub column: usize,
        /// The length of the place, in characters.
        pub length: usize,
        /// The line's text.
        pub text: String,
        /// What is wrong.
        pub message: String,
        /// What to do.
        pub hint: Option<String> = "Option::is_none",
    }

    /// The place of an entry, and the reports about its failure.
    #[derive(PartialOrd, Ord, Hash)]
    pub(crate) struct EntryRecord {
        /// The file.
        pub file: String,
        /// The line on which the entry begins, from 1.
        pub line: usize,
        /// The address of the report in the backend's tracker.
        pub link: Option<String> = "Option::is_none",
        /// The addresses of related threads, and related files, from the folder of the results page.
        pub related: Vec<String> = "Vec::is_empty",
        /// The search of the tracker and its date, if the search found nothing.
        pub searched: Option<String> = "Option::is_none",
        /// The address of the thread that disputes it.
        pub disputed: Option<String> = "Option::is_none",
        /// The newer release that no longer has it.
        pub absent_in: Option<String> = "Option::is_none",
        /// The cause, such as `counts-wrap-in-64-bits`. Entries that name the same cause are one fault of the backend.
        pub cause: Option<String> = "Option::is_none",
        /// The kind of deviation, if the failures do not show it.
        pub severity: Option<Severity> = "Option::is_none",
        /// The name of the trial that shows the cause best.
        pub example: Option<String> = "Option::is_none",
        /// The known verdict of a trial that is not run; `None` for an entry whose trials run.
        pub outcome: Option<VerdictKind> = "Option::is_none",
        /// The rules that the cause breaks; empty if the entry names no rule.
        pub rules: Vec<String> = "Vec::is_empty",
    }
}

impl Place {
    /// The place of a fault.
    pub(crate) fn of(fault: &Fault) -> Self {
        let (line, column) = fault.source.line_and_column(fault.span.start);
        let text = fault.source.text.lines().nth(line.saturating_sub(1));
        let text = text.unwrap_or_default();
        let length = fault.source.text.get(fault.span.clone());
        let length = length.map_or(0, |meant| meant.chars().count());
        Self {
            file: fault.source.file.to_string(),
            line,
            column,
            length: length.min(text.chars().count()),
            text: text.chars().take(240).collect(),
            message: fault.message.clone(),
            hint: fault.hint.clone(),
        }
    }
}
