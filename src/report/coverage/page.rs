//! The coverage table as a Markdown page.

use super::reasons::{by_clause, by_reason, examples_by_cases, number};
use crate::names::Joined;
use crate::semantics::operator::{Binding, Operator, Rule, STATED_TEXTS, Tested, in_short};
use crate::suite::coverage::{ClauseStatus, Coverage, Covered, Summary, Way, classes};
use crate::tensor::Class;
use std::collections::{BTreeMap, BTreeSet};

/// The page.
pub(crate) fn render(coverage: &Coverage) -> String {
    let mut page = String::new();
    head(&mut page, coverage);
    operators(&mut page, coverage);
    examples(&mut page, coverage);
    reasons(&mut page, coverage);
    for (operator, clauses) in coverage.by_operator() {
        table(&mut page, operator, clauses);
    }
    cases(&mut page, coverage);
    page
}

fn head(page: &mut String, coverage: &Coverage) {
    let (covered, testable) = Summary::of(&coverage.clauses).must_covered();
    let (found, statements) = coverage.statements();
    page.push_str("# Coverage\n\n<!-- Written by `coverage --markdown`; not by hand. -->\n\n");
    *page += &format!(
        "{found} of the {statements} normative statements found in the {STATED_TEXTS}  \
         **{covered} of {testable} must clauses that runs can test are covered**, in every possible way.\n\nA case \
         covers a clause by citing it, or a rule that it states, in one of three ways. *Accepting*: the case expects \
         a shape. *Rejecting*: it expects a rejection. *Open*: the text leaves the case open. A must clause needs an \
         accepting and a rejecting case for each of its rules, unless no such request exists. `coverage PATTERN` \
         lists the cases of a clause, and `coverage --json FILE` those of every cell.\n"
    );
    let gaps = coverage.gaps();
    if !gaps.is_empty() {
        page.push_str("\n## Gaps\n\n");
        page.extend(gaps.iter().map(|gap| format!("- {gap}\n")));
    }
}

fn operators(page: &mut String, coverage: &Coverage) {
    page.push_str("\n## Operators\n\n| operator | clauses | must | both ways | one way | not testable | gaps |\n");
    page.push_str("|---|--:|--:|--:|--:|--:|--:|\n");
    for (operator, clauses) in coverage.by_operator() {
        let summary = Summary::of(clauses);
        let of = |standing| summary.must_count(standing);
        *page += &format!(
            "| [{operator}](#{}) | {} | {} | {} | {} | {} | {} |\n",
            operator.name.to_lowercase().replace('.', ""),
            summary.clauses,
            summary.must,
            of(ClauseStatus::BothWays),
            of(ClauseStatus::OneWay),
            of(ClauseStatus::NotTestable),
            of(ClauseStatus::Gap)
        );
    }
    page.push_str("\nThe last four columns count only must clauses.\n");
}

/// The examples that the texts print, each with the cases that state it.
fn examples(page: &mut String, coverage: &Coverage) {
    let examples = examples_by_cases(coverage);
    if examples.is_empty() {
        return;
    }
    page.push_str("\n## Examples of the texts\n\nEach example that a text prints, and the cases that state it.\n\n");
    page.push_str("| example | cases |\n|---|---|\n");
    for (ids, names) in examples {
        let names = match names.as_slice() {
            [] => "**none**".to_owned(),
            names => names.join(", "),
        };
        *page += &format!("| {ids} | {names} |\n");
    }
}

fn reasons(page: &mut String, coverage: &Coverage) {
    let titles = ["Tested one way", "Not testable"];
    for (title, reasons) in titles.into_iter().zip(by_reason(coverage)) {
        if reasons.is_empty() {
            continue;
        }
        *page += &format!("\n## {title}\n\n| clause | operators | why |\n|---|---|---|\n");
        for (why, clauses) in reasons {
            for (id, operators) in by_clause(&clauses) {
                *page += &format!("| `{id}` | {} | {why} |\n", in_short(&operators));
            }
        }
    }
}

/// A row for each clause and way, a column for each class.
fn table(page: &mut String, operator: &'static Operator, clauses: &[Covered]) {
    let reached = clauses.iter();
    let reached = reached.flat_map(|covered| covered.cells().into_keys().map(|cell| cell.1));
    let reached: BTreeSet<Class> = reached.collect();
    let own = classes(operator.element_types);
    let columns = Class::ALL.iter().copied();
    let columns = columns.filter(|class| own.contains(class) || reached.contains(class));
    let columns: Vec<Class> = columns.collect();
    *page += &format!(
        "\n## {operator}\n\nCases by binding: {}. A single number holds for every binding.\n\n",
        operator.bindings.iter().joined(" / ")
    );
    let names = columns.iter().map(|class| class.name()).joined(" | ");
    *page += &format!("| clause | level | way | cases | {names} |\n");
    *page += &format!("|---|---|---|--:|{}\n", "--:|".repeat(columns.len()));
    for covered in clauses {
        rows(page, covered, &columns, operator.bindings);
    }
}

fn rows(page: &mut String, covered: &Covered, columns: &[Class], bindings: &[Binding]) {
    let clause = covered.of.clause;
    if let Tested::Not(_) = clause.tested {
        *page += &format!(
            "| `{}` | {} | not testable | |{}\n",
            clause.id,
            clause.level,
            " |".repeat(columns.len())
        );
        return;
    }
    let cells = covered.cells();
    let mut first = true;
    for way in Way::ALL {
        let number = number(covered, *way);
        // Leave out a way without cases, unless the clause needs it.
        if number == "-"
            || number == "0" && !covered.missing().iter().any(|(_, missing)| missing == way)
        {
            continue;
        }
        let name = match first {
            true => format!("`{}` | {}", clause.id, clause.level),
            false => " | ".to_owned(),
        };
        *page += &format!("| {name} | {} | {number} |", way.name());
        for class in columns {
            let cells = bindings.iter().map(|of| cells.get(&(*way, *class, *of)));
            let counts: Vec<_> = cells.map(|cell| cell.map_or(0, Vec::len)).collect();
            *page += &format!(" {} |", say_counts(&counts));
        }
        page.push('\n');
        first = false;
    }
}

fn say_counts(counts: &[usize]) -> String {
    match counts {
        [0, rest @ ..] if rest.iter().all(|count| *count == 0) => String::new(),
        [first, rest @ ..] if rest.iter().all(|count| count == first) => first.to_string(),
        _ => counts.iter().joined("/"),
    }
}

/// The names of cases, each with its operators.
type OnOperators<'a> = BTreeMap<&'a str, Vec<&'static Operator>>;

/// The cases by the rules that they cite. So a case is named once, and not for each of a dozen operators.
fn cases(page: &mut String, coverage: &Coverage) {
    page.push_str("\n## Cases\n\nEach rule lists the cases that cite it, or a clause that states it. Brackets give the \
         operators for which the case does so, unless these are all operators with such a clause.\n");
    for (rule, ways) in by_rule(coverage) {
        *page += &format!("\n### {rule}\n");
        let is_about = |covered: &Covered| covered.of.clause.is_about(rule);
        let all = coverage.by_operator();
        let all = all.filter(|(_, clauses)| clauses.iter().any(is_about));
        let all = all.count();
        for (way, cases) in ways {
            let cases = cases.iter();
            let cases = cases.map(|(name, operators)| match operators.len() == all {
                true => (*name).to_owned(),
                false => format!("{name} ({})", in_short(operators)),
            });
            *page += &format!("\n{}: {}.\n", way.name(), cases.joined(", "));
        }
    }
}

/// The cases that cite each rule, by the way in which they test it.
fn by_rule(coverage: &Coverage) -> BTreeMap<Rule, BTreeMap<Way, OnOperators<'_>>> {
    let mut by_rule: BTreeMap<_, BTreeMap<_, OnOperators<'_>>> = BTreeMap::new();
    for covered in &coverage.clauses {
        for citation in &covered.by {
            for rule in &citation.rules {
                let ways = by_rule.entry(*rule).or_default();
                let cases = ways.entry(citation.way).or_default();
                let operators = cases.entry(citation.case.name.as_str()).or_default();
                if !operators.contains(&covered.of.operator) {
                    operators.push(covered.of.operator);
                }
            }
        }
    }
    by_rule
}
