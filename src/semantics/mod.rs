//! The specifications: operators as data, requests, outcomes, and the oracle that resolves a request from its text.

pub mod operator;
pub mod oracle;
pub mod outcome;
pub mod request;
pub(crate) mod symbolic;
