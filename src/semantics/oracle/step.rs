//! Steps: how the oracle arrived at its answer, for `explain`.

use crate::semantics::operator::Rule;

/// One step of the oracle, with the rule it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The rule: the operator's clauses about it are what the step rests on.
    pub rule: Rule,
    /// What was found, in a sentence.
    pub says: String,
    /// Whether the step found a fault.
    pub fault: bool,
    /// The index and the length of the output's dim that the step determines, if it determines one.
    pub dim: Option<(usize, u64)>,
}

/// Collects steps, or nothing: resolving without a trace must not pay for it.
#[derive(Debug)]
pub struct Trace(Option<Vec<Step>>);

impl Trace {
    pub(super) fn off() -> Self {
        Self(None)
    }

    pub(super) fn on() -> Self {
        Self(Some(Vec::new()))
    }

    /// A trace of another reading, kept if this one is.
    pub(super) fn another(&self) -> Self {
        Self(self.0.as_ref().map(|_| Vec::new()))
    }

    /// The faults of another reading that are not found yet, each after how it is read, in words.
    pub(super) fn faults_of(&mut self, other: Self, read: &[&str]) {
        let Some(steps) = &mut self.0 else {
            return;
        };
        for step in other.into_steps().into_iter().filter(|step| step.fault) {
            let is_found = steps.iter().any(|found| found.says.ends_with(&step.says));
            if !is_found {
                let says = format!("{}, it fails too: {}", read.join(" and "), step.says);
                steps.push(Step { says, ..step });
            }
        }
    }

    /// A step without a fault.
    pub(super) fn note(&mut self, rule: Rule, says: impl FnOnce() -> String) {
        self.push(rule, says, false, None);
    }

    /// A step that determines the output's dim at an index.
    pub(super) fn dim(
        &mut self,
        rule: Rule,
        index: usize,
        length: u64,
        says: impl FnOnce() -> String,
    ) {
        self.push(rule, says, false, Some((index, length)));
    }

    /// A step that finds a fault.
    pub(super) fn fault(&mut self, rule: Rule, says: impl FnOnce() -> String) {
        self.push(rule, says, true, None);
    }

    fn push(
        &mut self,
        rule: Rule,
        says: impl FnOnce() -> String,
        fault: bool,
        dim: Option<(usize, u64)>,
    ) {
        if let Some(steps) = &mut self.0 {
            steps.push(Step {
                rule,
                says: says(),
                fault,
                dim,
            });
        }
    }

    pub(super) fn into_steps(self) -> Vec<Step> {
        self.0.unwrap_or_default()
    }
}
