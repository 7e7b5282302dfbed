//! Reports: renderings of the event stream; and of coverage, explanations and faults, which need no run.

pub(crate) mod badge;
mod cause;
pub(crate) mod coverage;
pub(crate) mod diff;
pub(crate) mod digest;
pub(crate) mod explanation;
pub(crate) mod fault;
pub(crate) mod github;
pub(crate) mod html;
pub(crate) mod junit;
mod location;
mod markdown;
pub(crate) mod number;
pub(crate) mod progress;
pub(crate) mod results;
mod rule_table;
pub(crate) mod sarif;
pub(crate) mod search;
pub(crate) mod shown;
pub(crate) mod style;
pub(crate) mod suite_diff;
pub(crate) mod summary;
pub(crate) mod text;
pub(crate) mod totals;
mod verdicts;

use crate::event::stream::Stream;
use digest::RunDigest;

/// What reports are made of.
#[derive(Clone, Copy)]
pub(crate) struct ReportInput<'a> {
    pub(crate) run: &'a RunDigest<'a>,
    pub(crate) baseline: Option<&'a Stream>,
    /// The names of the adapters that are not available.
    pub(crate) not_available: &'a [String],
}

/// Passes the table of the reports that are one file each to the macro `$with`: what the option's help says, the name of
/// the option and of the gate's key, and what writes the report.
macro_rules! reports {
    ($with:ident) => {
        $with! {
            /// Write the results of every backend here, as a Markdown page
            results: |of, out| write!(out, "{}", crate::report::results::render(of.run, of.not_available)),
            /// Write a Markdown page of the causes in each release here, for adapters NAME@RELEASE
            history: |of, out| write!(out, "{}", crate::report::results::render_history(of.run)),
            /// Write JUnit XML here, for CI systems
            junit: |of, out| crate::report::junit::render(of.run, out),
            /// Write an HTML page here: one file for a browser
            html: |of, out| crate::report::html::render(of.run, of.baseline, out),
            /// Write a Markdown summary here, for a job's page or a comment (`-` is standard output)
            markdown: |of, out| write!(out, "{}", crate::report::summary::render(of.run, of.baseline)),
            /// Write SARIF here, for code scanning
            sarif: |of, out| write!(out, "{}", crate::report::sarif::of_run(of.run).map_err(std::io::Error::other)?),
            /// Write the JSON of a shields.io endpoint badge here
            badge: |of, out| write!(out, "{}", crate::report::badge::render(of.run)),
        }
    };
}
pub(crate) use reports;
