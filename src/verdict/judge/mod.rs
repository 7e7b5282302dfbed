//! The judge: compares an outcome with an expectation. Pure. A rejection passes with any message, content is compared
//! as bits, and there is no tolerance, because the texts require no more.

mod judgement;
#[cfg(test)]
mod tests;
mod verdict;

pub(crate) use judgement::{ConcurrentAnswers, is_possible, judge, judge_trial};
pub(crate) use verdict::{Failure, Verdict};
