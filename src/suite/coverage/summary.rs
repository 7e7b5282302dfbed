//! The summary: how many clauses have which status.

use super::{Coverage, Covered};
use crate::semantics::operator::{Level, Rule, STATEMENTS, Tested};
use std::collections::BTreeMap;

/// How far a clause is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClauseStatus {
    /// Tested both ways.
    BothWays,
    /// Tested in the only way there is.
    OneWay,
    /// Not testable by any run.
    NotTestable,
    /// Not tested in some way, which its level does not require.
    Partly,
    /// A must clause that is not tested in some way.
    Gap,
}

impl Covered {
    /// How far it is tested.
    pub(crate) fn status(&self) -> ClauseStatus {
        match (
            self.missing().is_empty(),
            self.of.clause.level,
            self.of.clause.tested,
        ) {
            (false, Level::Must, _) => ClauseStatus::Gap,
            (false, Level::Should | Level::May | Level::Open, _) => ClauseStatus::Partly,
            (true, _, Tested::Both) => ClauseStatus::BothWays,
            (true, _, Tested::Accepting(_) | Tested::Rejecting(_)) => ClauseStatus::OneWay,
            (true, _, Tested::Not(_)) => ClauseStatus::NotTestable,
        }
    }
}

/// Counts of clauses.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) clauses: usize,
    pub(crate) must: usize,
    by_status: BTreeMap<ClauseStatus, usize>,
    must_by_status: BTreeMap<ClauseStatus, usize>,
}

impl Summary {
    pub(crate) fn of(clauses: &[Covered]) -> Self {
        let mut summary = Self::default();
        for covered in clauses {
            summary.clauses += 1;
            *summary.by_status.entry(covered.status()).or_default() += 1;
            if covered.of.clause.level == Level::Must {
                summary.must += 1;
                *summary.must_by_status.entry(covered.status()).or_default() += 1;
            }
        }
        summary
    }

    /// The number of clauses of that status.
    pub(crate) fn count(&self, status: ClauseStatus) -> usize {
        self.by_status.get(&status).copied().unwrap_or(0)
    }

    /// The number of must clauses of that status.
    pub(crate) fn must_count(&self, status: ClauseStatus) -> usize {
        self.must_by_status.get(&status).copied().unwrap_or(0)
    }

    /// The number of must clauses that are tested in every way there is, and of those that can be tested.
    pub(crate) fn must_covered(&self) -> (usize, usize) {
        let testable = self.must - self.must_count(ClauseStatus::NotTestable);
        (testable - self.must_count(ClauseStatus::Gap), testable)
    }
}

impl Coverage {
    /// The examples that the texts print.
    pub(crate) fn examples(&self) -> impl Iterator<Item = &Covered> {
        let is_example = |covered: &&Covered| covered.of.clause.is_about(Rule::Example);
        self.clauses.iter().filter(is_example)
    }

    /// The number of statements found in the five texts that are clauses here, and of all statements.
    pub(crate) fn statements(&self) -> (usize, usize) {
        let found = |statement: &&str| {
            self.clauses
                .iter()
                .any(|covered| covered.of.to_string() == **statement)
        };
        (
            STATEMENTS.lines().filter(found).count(),
            STATEMENTS.lines().count(),
        )
    }

    /// The clauses that `only` accepts, by the reason why they are not tested both ways, in the table's order.
    pub(crate) fn by_reason(
        &self,
        only: impl Fn(Tested) -> bool,
    ) -> Vec<(&'static str, Vec<&Covered>)> {
        let mut reasons: Vec<(&'static str, Vec<&Covered>)> = Vec::new();
        for covered in self
            .clauses
            .iter()
            .filter(|covered| only(covered.of.clause.tested))
        {
            let Some(why) = covered.of.clause.tested.why() else {
                continue;
            };
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, clauses)) => clauses.push(covered),
                None => reasons.push((why, vec![covered])),
            }
        }
        reasons
    }
}
