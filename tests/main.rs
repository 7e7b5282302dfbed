//! The tests of the program, as one binary: linking one for each file took longer than running them.

mod bad_input;
mod baselines;
mod check;
mod commands;
mod constraints;
mod core;
mod deaths;
mod docs;
mod endings;
mod exchange;
mod faults;
mod gate;
mod hello;
mod kits;
mod memory;
mod mistakes;
mod oracle_laws;
mod program;
mod random_children;
mod reports;
mod retries;
mod samples;
mod starved;
mod streams;
mod whose_fault;
mod xml;
