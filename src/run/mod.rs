//! Running a suite on backends: the plan's groups go to workers, and each result is classified and recorded as an event.

pub(crate) mod additions;
pub(crate) mod alike;
mod alone;
mod calls;
mod circuit_breaker;
mod classify;
#[cfg(feature = "cli")]
pub(crate) mod core;
pub(crate) mod failure_lines;
mod history;
#[cfg(feature = "cli")]
pub(crate) mod merge;
pub(crate) mod mutation;
mod participant;
mod participant_run;
mod pipeline;
pub(crate) mod record;
mod request_line;
mod rerun;
mod result;
mod resume;
mod retry;
mod shortest;
mod start;
#[cfg(test)]
mod tests;
mod unclaimed;
mod workers;

pub(crate) use calls::run_calls;
pub(crate) use circuit_breaker::{BrakeLimits, CircuitBreaker};
pub(crate) use participant::{Label, Participant, Start};
pub(crate) use pipeline::{Tally, run};
pub(crate) use record::{trial_record, unattributed_record};
pub(crate) use result::TrialResult;
pub(crate) use start::RunOptions;
pub(crate) use workers::{Tell, run_workers};
