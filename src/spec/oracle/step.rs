//! Steps: how the oracle came to its answer, for `explain`.

use crate::spec::operator::Rule;

/// One step of the oracle, with the rule it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The rule; the operator's clauses of this rule say it in the text's place.
    pub rule: Rule,
    /// What was found, in a sentence.
    pub says: String,
    /// Whether the step found a fault.
    pub fault: bool,
    /// The output's dim at an index, where the step finds it.
    pub dim: Option<(usize, u64)>,
}

/// Collects steps, or nothing: resolving without a trace must not cost one.
#[derive(Debug)]
pub struct Trace(Option<Vec<Step>>);

impl Trace {
    pub(super) fn off() -> Self {
        Self(None)
    }

    pub(super) fn on() -> Self {
        Self(Some(Vec::new()))
    }

    pub(super) fn note(&mut self, rule: Rule, says: impl FnOnce() -> String) {
        if let Some(steps) = &mut self.0 {
            steps.push(Step {
                rule,
                says: says(),
                fault: false,
                dim: None,
            });
        }
    }

    /// A step that finds the output's dim at an index.
    pub(super) fn dim(
        &mut self,
        rule: Rule,
        index: usize,
        length: u64,
        says: impl FnOnce() -> String,
    ) {
        if let Some(steps) = &mut self.0 {
            steps.push(Step {
                rule,
                says: says(),
                fault: false,
                dim: Some((index, length)),
            });
        }
    }

    pub(super) fn fault(&mut self, rule: Rule, says: impl FnOnce() -> String) {
        if let Some(steps) = &mut self.0 {
            steps.push(Step {
                rule,
                says: says(),
                fault: true,
                dim: None,
            });
        }
    }

    pub(super) fn into_steps(self) -> Vec<Step> {
        self.0.unwrap_or_default()
    }
}
