//! What coverage comes to: how many clauses stand how.

use super::{Coverage, Covered};
use crate::spec::operator::{Level, STATEMENTS, Tested};
use std::collections::BTreeMap;

/// How a clause stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClauseStatus {
    /// Tested both ways.
    BothWays,
    /// Tested in the one way that there is.
    OneWay,
    /// Not testable by any run.
    NotTestable,
    /// Not tested in some way, which its level does not ask for.
    Partly,
    /// A must clause that is not tested in some way.
    Gap,
}

impl Covered {
    /// How it stands.
    pub(crate) fn standing(&self) -> ClauseStatus {
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
    standings: BTreeMap<ClauseStatus, usize>,
    must_standings: BTreeMap<ClauseStatus, usize>,
}

impl Summary {
    pub(crate) fn of(clauses: &[Covered]) -> Self {
        let mut summary = Self::default();
        for covered in clauses {
            summary.clauses += 1;
            *summary.standings.entry(covered.standing()).or_default() += 1;
            if covered.of.clause.level == Level::Must {
                summary.must += 1;
                *summary
                    .must_standings
                    .entry(covered.standing())
                    .or_default() += 1;
            }
        }
        summary
    }

    /// How many clauses stand so.
    pub(crate) fn standing(&self, standing: ClauseStatus) -> usize {
        self.standings.get(&standing).copied().unwrap_or(0)
    }

    /// How many must clauses stand so.
    pub(crate) fn must_standing(&self, standing: ClauseStatus) -> usize {
        self.must_standings.get(&standing).copied().unwrap_or(0)
    }

    /// How many must clauses there are to test, and how many of them are tested in every way there is.
    pub(crate) fn must_covered(&self) -> (usize, usize) {
        let testable = self.must - self.must_standing(ClauseStatus::NotTestable);
        (testable - self.must_standing(ClauseStatus::Gap), testable)
    }
}

impl Coverage {
    /// How many of the statements found in the five texts are clauses here, and how many statements there are.
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

    /// Clauses in the table's order, by the reason why they are not tested both ways; with `only` choosing among them.
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
