//! The table of rules: which backend keeps which rule.

use crate::event::stream::{BackendRecords, Stream};
use crate::event::{ClauseRecord, FailureKind, Severity, TrialRecord, VerdictKind};
use crate::names::Distinct;
use crate::semantics::operator::{Level, Rule};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The meaning of the signs.
pub(super) const LEGEND: &str = "✓ asked, and no failure breaks it · ✗ broken, in this share of the trials that test it \
    · ○ broken only by nodes that the text calls invalid, and that it runs, or infers · ~ some trials fail that also test other rules \
    · open: the texts leave all trials open · – not asked. Limits, and what is by design, by our reading or beside Reshape, are not marked";
const EXAMPLE: &str = Rule::Example.name();

/// What a backend does with a rule. For several trials, the last in this order holds.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cell {
    #[default]
    NotAsked,
    Open,
    /// No failure is known to break it.
    Kept,
    /// Trials fail that also test other rules.
    Unclear,
    /// It runs nodes that break it, and does nothing else against it.
    Unchecked,
    Broken,
}

impl Cell {
    fn sign(self) -> &'static str {
        match self {
            Self::NotAsked => "–",
            Self::Open => "open",
            Self::Kept => "✓",
            Self::Unclear => "~",
            Self::Unchecked => "○",
            Self::Broken => "✗",
        }
    }
}

/// What a backend does with a rule, the number of trials that show it, and of all that it was asked.
#[derive(Clone, Copy, Default)]
pub(super) struct Tally {
    pub(super) cell: Cell,
    shown: usize,
    asked: usize,
}

impl Tally {
    fn count(&mut self, cell: Cell) {
        if cell > self.cell {
            (self.cell, self.shown) = (cell, 0);
        }
        self.shown += usize::from(cell == self.cell);
        self.asked += usize::from(cell != Cell::NotAsked);
    }

    /// The sign in the table, such as `✗ 3 %`.
    pub(super) fn sign(&self) -> String {
        let sign = self.cell.sign();
        match (self.cell, self.shown * 100 / self.asked.max(1)) {
            (Cell::Broken | Cell::Unchecked, 0) => format!("{sign} <1 %"),
            (Cell::Broken | Cell::Unchecked, share) => format!("{sign} {share} %"),
            (Cell::NotAsked | Cell::Open | Cell::Kept | Cell::Unclear, _) => sign.to_owned(),
        }
    }
}

/// The rules of a run, and the result of each backend that claims to implement the operators.
pub(super) struct RuleTable<'a> {
    pub(super) backends: Vec<&'a BackendRecords>,
    /// The name of each rule that some backend was asked, and a cell for each backend.
    pub(super) rows: Vec<(&'a str, Vec<Tally>)>,
}

impl<'a> RuleTable<'a> {
    pub(super) fn new(stream: &'a Stream) -> Self {
        let backends = stream.backends.iter();
        let backends: Vec<_> = backends.filter(|of| !of.started.only_similar).collect();
        let clauses = stream.clauses.iter();
        let rules_of = clauses.map(|clause| (clause.id.as_str(), clause.rules.as_slice()));
        let rules_of: RulesOf<'_> = rules_of.collect();
        // What a text only permits, nobody can break.
        let demanding = stream.clauses.iter().filter(|of| of.level != Level::May);
        let demanded = demanding.flat_map(|of| &of.rules).map(String::as_str);
        let demanded: BTreeSet<&str> = demanded.collect();
        let columns = backends.iter();
        let columns = columns.map(|backend| cells(stream, &rules_of, &demanded, backend));
        let columns: Vec<_> = columns.collect();
        let row = |rule| {
            let cells = columns.iter();
            let cells = cells.map(|cells| cells.get(rule).copied().unwrap_or_default());
            (rule, cells.collect())
        };
        let is_asked =
            |(_, cells): &(_, Vec<Tally>)| cells.iter().any(|of| of.cell != Cell::NotAsked);
        // In the order of the clauses.
        let rules = stream.clauses.iter().flat_map(|clause| &clause.rules);
        let rows = rules.map(String::as_str).distinct().into_iter().map(row);
        let rows = rows.filter(is_asked).collect();
        Self { backends, rows }
    }
}

/// The rules that each clause states, by its id.
type RulesOf<'a> = HashMap<&'a str, &'a [String]>;

fn cells<'a>(
    stream: &'a Stream,
    rules_of: &RulesOf<'a>,
    demanded: &BTreeSet<&str>,
    backend: &BackendRecords,
) -> BTreeMap<&'a str, Tally> {
    use Severity::{AcceptsInvalid, BesideReshape, ByDesign, Crash, Inconsistent, Lenient, Limit};
    use Severity::{Memory, Reading, RefusesValid, Undefined, WrongInference, WrongResult};
    let mut cells: BTreeMap<_, Tally> = BTreeMap::new();
    for trial in &backend.trials {
        let judged = trial.judged();
        let cell = if trial.deviates() {
            // A fault of the adapter says nothing about the backend.
            match trial.severity() {
                None | Some(Limit | BesideReshape | ByDesign | Reading) => Cell::NotAsked,
                // Each of these has its own column on the first screen.
                Some(WrongInference | Inconsistent) => Cell::Open,
                Some(AcceptsInvalid | Lenient | Undefined) => Cell::Unchecked,
                Some(Memory | Crash | WrongResult | RefusesValid) => Cell::Broken,
            }
        } else if judged == VerdictKind::Recorded {
            Cell::Open
        } else if judged == VerdictKind::Skipped {
            Cell::NotAsked
        } else {
            Cell::Kept
        };
        let clauses = tested(stream, trial);
        let rules = clauses.iter().flat_map(|clause| {
            let rules = rules_of.get(clause.as_str()).copied();
            rules.unwrap_or_default().iter().map(String::as_str)
        });
        let named = named(trial);
        // A failure only between other nodes says nothing about an example of the text.
        let is_apart = trial.deviates() && trial.binding().contains('+');
        let is_said = |rule: &&str| {
            (named.is_empty() || is_broken(named, rule)) && !(is_apart && *rule == EXAMPLE)
        };
        let rules: BTreeSet<&str> = rules.filter(is_said).collect();
        let broken = (cell >= Cell::Unchecked).then(|| broken(trial, &rules));
        for rule in &rules {
            let broken = broken.as_ref();
            let is_unclear =
                broken.is_some_and(|broken| !(broken.contains(rule) && demanded.contains(rule)));
            let cell = if is_unclear { Cell::Unclear } else { cell };
            cells.entry(*rule).or_default().count(cell);
        }
    }
    cells
}

/// The rules that the cause of a trial's failure breaks, if its known failure names them.
pub(super) fn named(trial: &TrialRecord) -> &[String] {
    let entry = trial.known_failure_entry.as_ref();
    let entry = entry.filter(|_| trial.deviates());
    entry.map_or(&[], |entry| &entry.rules)
}

/// Whether a rule is among the named broken ones. An example of the text that a trial states is broken with them.
fn is_broken(named: &[String], rule: &str) -> bool {
    rule == EXAMPLE || named.iter().any(|name| name == rule)
}

/// The ids of the clauses that a trial tests. If it fails and its known failure names broken rules, the clauses that
/// state these. If the backend accepted a request that breaks rules, the clauses that state these.
pub(super) fn tested<'a>(stream: &'a Stream, trial: &'a TrialRecord) -> Vec<&'a String> {
    let of_case = stream.clauses_of(trial);
    let broken = trial.detail.iter().flat_map(|detail| &detail.trace);
    let broken =
        broken.filter(|step| step.fault && trial.failure == Some(FailureKind::NotRejected));
    let broken: Vec<_> = broken.flat_map(|step| &step.clauses).collect();
    let named = named(trial);
    if !named.is_empty() {
        let states = |clause: &&ClauseRecord| {
            let mut rules = clause.rules.iter();
            let is_cited = of_case.contains(&clause.id);
            rules.any(|rule| is_broken(named, rule) && (is_cited || rule != EXAMPLE))
        };
        let of_operator = stream.clauses.iter();
        let of_operator = of_operator.filter(|clause| clause.operator() == trial.operator());
        let clauses = of_operator.filter(states).map(|clause| &clause.id);
        let mut clauses: Vec<_> = clauses.collect();
        // Those that the request breaks come first, then those that its case cites.
        clauses.sort_by_key(|id| (!broken.contains(id), !of_case.contains(id)));
        return clauses;
    }
    match (of_case, broken.is_empty()) {
        // A similar function violates no clause.
        ([], _) => Vec::new(),
        (of_case, true) => of_case.iter().collect(),
        (_, false) => broken,
    }
}

/// The rules that a failed trial certainly breaks: those in its known failure; the only rule that it tests; those that
/// an accepted request breaks; and the rule about elements if they are wrong.
fn broken<'a>(trial: &TrialRecord, rules: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let is_sure = |rule: &&&str| match trial.failure {
        _ if !named(trial).is_empty() => true,
        Some(FailureKind::NotRejected) => true,
        Some(FailureKind::WrongContent | FailureKind::WrongElementType) => {
            **rule == Rule::SameContent.name() || rules.len() == 1
        }
        _ => rules.len() == 1,
    };
    rules.iter().filter(is_sure).copied().collect()
}
