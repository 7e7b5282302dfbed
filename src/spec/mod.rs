//! The specifications: the operators as data, what is asked of them, what backends do, and what the texts say.

pub mod operator;
pub mod oracle;
pub mod outcome;
pub mod request;
