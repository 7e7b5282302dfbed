//! A candidate: a hypothesis with the evidence for and against it.

use super::features::Places;
use super::hypothesis::{Hypothesis, TrialContext};
use super::observations::{Failure, Observation, Observations};
use super::property::{Property, has_all};
use crate::event::{Cause, FailureKind};
use crate::model::surroundings::Surrounding;
use crate::names::Joined;
use crate::suite::trial::{Trial, simplicity};
use crate::tensor::ElementType;
use std::collections::{BTreeMap, BTreeSet};

/// The fewest failures that a hypothesis must explain, in a cell or in total, for each pass that contradicts it.
const MIN_EXPLAINED_PER_CONTRADICTION: usize = 6;

/// The same where most failures show its wrong elements, hardly by chance; and how many elements these have at least.
const MIN_WITH_ELEMENTS_PER_CONTRADICTION: usize = 2;
const SOME_ELEMENTS: u64 = 4;

/// How many times as many failures it must explain if it holds everywhere, or a limit is sought for it.
const STRICTER: usize = 4;

/// The minimum number of failures that a pair of mutants must explain to be stated plainly: there are thousands of pairs.
const MIN_EXPLAINED_BY_PAIR: usize = 10;

/// The minimum number of outputs that a hypothesis must explain to be limited to what their trials share: there are many
/// properties. If it explains nearly all failures, so many failures are enough, one of them an output.
const MIN_WITH_PROPERTY: usize = 8;
const MIN_WITH_PROPERTY_OF_ALL: usize = 4;

/// The most properties that limit a hypothesis together, if it explains at least half of the failures; otherwise one.
const MAX_LIMITS: usize = 3;

/// The most places to name one by one, if the excepted places are fewer.
const MAX_PLACES: usize = 6;

/// Operator, element type, binding.
type Cell = (&'static str, ElementType, &'static str);

/// A binding, and whether the node has a surrounding: where checks before the run may be the same.
type Checks = (&'static str, bool);

fn checks(trial: &Trial) -> Checks {
    (trial.binding.name(), trial.surrounding.is_some())
}

fn cell(trial: &Trial) -> Cell {
    (
        trial.operator.name,
        trial.element_type,
        trial.binding.name(),
    )
}

/// The graph of a trial; `None` if it has only the node.
fn graph(trial: &Trial) -> Option<Surrounding> {
    trial.surrounding.filter(|of| of.has_graph())
}

/// The number of these trials in each cell.
fn cells(trials: Vec<&Trial>) -> BTreeMap<Cell, usize> {
    let mut cells = BTreeMap::new();
    for trial in trials {
        *cells.entry(cell(trial)).or_default() += 1;
    }
    cells
}

/// Places in words: their names, or the few excepted ones.
fn places(names: &BTreeSet<&str>, others: &BTreeSet<&str>) -> Vec<String> {
    if names.len() <= MAX_PLACES || others.len() >= names.len() {
        return names.iter().map(ToString::to_string).collect();
    }
    let others: Vec<_> = others.iter().copied().collect();
    vec![format!("everywhere but in {}", others.join(", "))]
}

/// A hypothesis with the evidence for and against it.
#[derive(Default)]
pub(super) struct Candidate {
    pub(super) hypothesis: Hypothesis,
    /// The failures that it explains, by index.
    pub(super) explained: BTreeSet<usize>,
    /// Whether it explains a wrong acceptance, by place in which it explains failures.
    accepts: BTreeMap<Checks, bool>,
    /// The graphs in which it explains failures; `None` for the lone node.
    graphs: BTreeSet<Option<Surrounding>>,
    /// The number of explained failures that are wrong inferences before a right run.
    before_run: usize,
    /// The number of explained failures that are neither such an inference nor a rejection.
    outputs: usize,
    /// The number of explained failures in which several elements are wrong as it makes them.
    elements: usize,
    /// The number of failures in which the mutants would fail with another answer.
    pub(super) otherwise: usize,
    /// The passes that the mutants would fail.
    passes: Places,
    /// The number of passes that contradict it, by cell.
    pub(super) contradicted: BTreeMap<Cell, usize>,
    /// The cells from which it is withdrawn.
    dropped: BTreeSet<Cell>,
    /// The properties that limit it.
    limits: Vec<Property<'static>>,
    /// Where it holds: the operators, element types or bindings that separate its cells from the dropped ones, or its
    /// limit; empty for everywhere.
    pub(super) only: Vec<String>,
    /// The number of failures in which the mutants would fail differently, and of passes that may come before their fault.
    pub(super) conflicts: usize,
}

impl Candidate {
    /// A hypothesis without evidence.
    pub(super) fn new(hypothesis: Hypothesis) -> Self {
        Self {
            hypothesis,
            ..Self::default()
        }
    }

    pub(super) fn compare_failure(
        &mut self,
        index: usize,
        failure: &Failure,
        context: &TrialContext<'_>,
    ) {
        let (explains, fails) = self.hypothesis.explains_or_fails(failure, context);
        if explains {
            self.explained.insert(index);
            self.graphs.insert(graph(context.trial));
            let accepts = self.accepts.entry(checks(context.trial)).or_default();
            *accepts |= context.trial.is_rejected();
            if failure.is_before_run() {
                self.before_run += 1;
            } else if !matches!(
                failure.observed,
                Observation::Rejected | Observation::Inferred(_)
            ) {
                self.outputs += 1;
            }
            let has_some = context.trial.size().1 >= SOME_ELEMENTS;
            self.elements +=
                usize::from(has_some && failure.kind == Some(FailureKind::WrongContent));
        }
        self.otherwise += usize::from(fails);
    }

    pub(super) fn compare_pass(&mut self, index: usize, context: &TrialContext<'_>) {
        self.passes.set(index, self.hypothesis.fails(context));
    }

    /// Whether this pass, which the mutants would fail, contradicts them. What they infer for other nodes is unknown, and
    /// an optimizer may not see a node among others that it sees alone. A right rejection may come from a check before the
    /// fault, so it counts only where they explain a wrong acceptance, or nothing.
    fn is_contradicted_by(&self, pass: &Trial) -> bool {
        let is_before = || pass.is_rejected() && self.accepts.get(&checks(pass)) == Some(&false);
        let is_hidden = self.graphs.contains(&None) && !self.graphs.contains(&graph(pass));
        !(is_hidden || is_before() || self.infers() && pass.surrounding.is_some())
    }

    /// Whether the mutants fail the trial of a wrong answer, but with another one. Many checks refuse, so a refusal counts
    /// only among concurrent runs, whose answers are chance.
    pub(super) fn also_fails(&self, failure: &Failure) -> bool {
        let trial = &failure.trial;
        let is_refusal = failure.observed == Observation::Rejected && !trial.is_concurrent();
        failure.observed.is_predictable()
            && !is_refusal
            && self.is_supported()
            && !self.dropped.contains(&cell(trial))
            && has_all(&self.limits, trial)
            && (self.hypothesis)
                .explains_or_fails(failure, &TrialContext::of(trial))
                .1
    }

    /// Whether it explains nearly all wrong inferences before the run, given their number.
    pub(super) fn explains_most(&self, before_run: usize) -> bool {
        self.before_run * 10 >= before_run * 9
    }

    /// Whether it only explains what is inferred before the run, and refusals.
    pub(super) fn infers(&self) -> bool {
        self.before_run > 0 && self.outputs == 0
    }

    /// Ends the comparison with these passes.
    pub(super) fn compared(mut self, passes: &[Trial]) -> Self {
        let all = self.passes.each().map(|at| &passes[at]);
        let (against, others): (Vec<_>, Vec<_>) = all.partition(|of| self.is_contradicted_by(of));
        self.contradicted = cells(against);
        self.conflicts = self.otherwise + others.len();
        self
    }

    /// Whether it explains every failure that can be explained, without contradiction.
    pub(super) fn is_exact(&self, observations: &Observations) -> bool {
        self.contradicted.is_empty() && self.explained.len() == observations.predictable().count()
    }

    /// The candidate without the cells in which too many passes contradict it; `None` if no operator, element type,
    /// binding or property separates these from the others, and too many passes contradict it in all.
    pub(super) fn scoped(mut self, observations: &Observations) -> Option<Self> {
        let trial = |index: &usize| &observations.failures[*index].trial;
        let cell_of = |index: &usize| cell(trial(index));
        let explained = cells(self.explained.iter().map(trial).collect());
        let is_tolerable = |cell: &Cell, against: usize| {
            let explained = explained.get(cell).copied().unwrap_or(0);
            explained >= against * self.min_per_contradiction()
        };
        let dropped = self.contradicted.iter();
        let dropped = dropped.filter(|(cell, against)| !is_tolerable(cell, **against));
        let dropped: BTreeSet<Cell> = dropped.map(|(cell, _)| *cell).collect();
        let remaining = self.explained.iter().copied();
        let remaining = remaining.filter(|index| !dropped.contains(&cell_of(index)));
        let remaining: BTreeSet<usize> = remaining.collect();
        // If many cells would be dropped but few passes contradict it, the cells are too small to judge. And a few passes
        // here and there make no place without it. Versions of an operator seldom differ, and requests do.
        let most_remain = remaining.len() * 10 >= self.explained.len() * 9;
        let facet = facet(&remaining.iter().map(cell_of).collect(), &dropped);
        let is_clear =
            self.against() * MIN_EXPLAINED_PER_CONTRADICTION * STRICTER <= self.explained.len();
        let is_whole = dropped.is_empty()
            || is_clear
            || self.is_supported() && (!most_remain || facet.is_none());
        let per = MIN_EXPLAINED_PER_CONTRADICTION * if is_whole { STRICTER } else { 1 };
        let is_limited = match is_whole {
            true => self.against() * per > self.explained.len(),
            false => !most_remain || facet.as_ref().is_none_or(|(by_operator, _)| *by_operator),
        };
        if is_limited && let Some((limits, left)) = self.limits_in(observations, per) {
            let words = limits.iter().map(|limit| limit.description.as_str());
            self.only = vec![format!("where {}", words.joined(" and "))];
            self.contradicted = cells(left);
            self.limits = limits;
            return Some(self);
        }
        if is_whole {
            return Some(self);
        }
        (_, self.only) = facet?;
        self.explained = remaining;
        self.contradicted.retain(|cell, _| !dropped.contains(cell));
        self.dropped = dropped;
        Some(self)
    }

    /// Properties that all trials that it explains share, and the passes with these that contradict it; `None` unless it
    /// explains `per` failures for each of these, and most failures with these properties.
    fn limits_in<'a>(
        &self,
        observations: &'a Observations,
        per: usize,
    ) -> Option<(Vec<Property<'static>>, Vec<&'a Trial>)> {
        let (explained, all) = (self.explained.len(), observations.predictable().count());
        let are_all = explained * 5 >= all * 4 && explained >= MIN_WITH_PROPERTY_OF_ALL;
        let fewest = if are_all { 1 } else { MIN_WITH_PROPERTY };
        if self.outputs < fewest {
            return None;
        }
        let most = if explained * 2 >= all { MAX_LIMITS } else { 1 };
        let failures = self.explained.iter();
        let trials = failures.map(|index| &observations.failures[*index].trial);
        let mut properties = Property::of_requests(&trials.collect::<Vec<_>>());
        // Which elements are wrong seldom depends on the target.
        let is_last =
            |of: &Property<'_>| self.is_of_elements() && of.description.starts_with("the target");
        properties.sort_by_key(is_last);
        let passes = self.passes.each().map(|at| &observations.passes[at]);
        let mut left: Vec<_> = passes.filter(|of| self.is_contradicted_by(of)).collect();
        let mut limits = Vec::new();
        while left.len() * per > explained {
            let remain = |of: &Property<'_>| left.iter().filter(|pass| (of.has)(pass)).count();
            let best = (0..properties.len()).min_by_key(|at| remain(&properties[*at]));
            let limit = properties.remove(best.filter(|_| limits.len() < most)?);
            left.retain(|pass| (limit.has)(pass));
            limits.push(limit);
        }
        // Where a mutant explains few of the failures with these properties, it is there by chance.
        let failures = observations.predictable();
        let failures = failures.filter(|of| has_all(&limits, &of.trial));
        (failures.count() <= explained * 2).then_some((limits, left))
    }

    /// Whether at least half of the failures that it explains are wrong elements.
    pub(super) fn is_of_elements(&self) -> bool {
        self.elements * 2 >= self.explained.len()
    }

    /// The number of passes that the mutants would fail; 0 if it is limited, for those beyond its limits do not matter.
    pub(super) fn width(&self) -> usize {
        match self.limits.is_empty() {
            true => self.passes.count(),
            false => 0,
        }
    }

    /// The minimum number of failures that it must explain for each pass that contradicts it.
    fn min_per_contradiction(&self) -> usize {
        match self.is_of_elements() {
            true => MIN_WITH_ELEMENTS_PER_CONTRADICTION,
            false => MIN_EXPLAINED_PER_CONTRADICTION,
        }
    }

    /// Whether almost no pass contradicts it.
    pub(super) fn is_supported(&self) -> bool {
        self.against() * self.min_per_contradiction() <= self.explained.len()
    }

    /// The number of passes that contradict it.
    pub(super) fn against(&self) -> usize {
        self.contradicted.values().sum()
    }

    /// The cause, with the failures that it explains but no earlier cause does.
    pub(super) fn cause(
        &self,
        observations: &Observations,
        all: &[Self],
        explained: &BTreeSet<usize>,
    ) -> Cause {
        let mutants = self.mutant_names();
        let or = all.iter();
        let or = or.filter(|other| self.is_indistinguishable_from(other));
        let or = or.flat_map(Self::mutant_names);
        let or = or.filter(|name| !mutants.contains(name)).collect();
        let description = self.hypothesis.mutants.iter();
        let description = description.map(|mutant| mutant.description);
        let when = if self.infers() {
            ", as it infers the shape before the run"
        } else {
            ""
        };
        // What it does not explain is no example of it.
        let trials = explained.iter().map(|index| {
            let is_other = !self.explained.contains(index);
            (is_other, &observations.failures[*index].trial)
        });
        let mut trials: Vec<(bool, &Trial)> = trials.collect();
        trials.sort_by_cached_key(|(is_other, trial)| (*is_other, simplicity(trial)));
        Cause {
            id: mutants.join("-and-"),
            description: description.joined(", and ") + when,
            mutants,
            only: self.only.clone(),
            against: self.against(),
            doubtful: self.against() * MIN_EXPLAINED_PER_CONTRADICTION > explained.len()
                || explained.len() == 1
                    && (observations.passes.is_empty() || !self.only.is_empty())
                || self.hypothesis.mutants.len() > 1 && explained.len() < MIN_EXPLAINED_BY_PAIR,
            or,
            trials: trials
                .into_iter()
                .map(|(_, trial)| trial.to_string())
                .collect(),
            claim_less: None,
            lint: None,
            alone: None,
        }
    }

    fn mutant_names(&self) -> Vec<String> {
        let mutants = self.hypothesis.mutants.iter();
        mutants.map(|mutant| mutant.name.to_owned()).collect()
    }

    /// Whether the other has other mutants, as many of them, and the same evidence.
    fn is_indistinguishable_from(&self, other: &Self) -> bool {
        other.hypothesis.mutants != self.hypothesis.mutants
            && other.hypothesis.mutants.len() == self.hypothesis.mutants.len()
            && other.explained == self.explained
            && other.contradicted == self.contradicted
            && other.only == self.only
            && other.conflicts == self.conflicts
    }
}

/// The bindings, element types or operators that separate its cells from the dropped ones, and whether these are
/// operators; `None` if none of these does.
fn facet(cells: &BTreeSet<Cell>, dropped: &BTreeSet<Cell>) -> Option<(bool, Vec<String>)> {
    type Facet = (bool, fn(&Cell) -> &'static str);
    let facets: [Facet; 3] = [
        (false, |cell| cell.2),
        (false, |cell| cell.1.name()),
        (true, |cell| cell.0),
    ];
    facets.into_iter().find_map(|(is_operator, facet)| {
        let names: BTreeSet<_> = cells.iter().map(facet).collect();
        let separates = dropped.iter().all(|cell| !names.contains(facet(cell)));
        let words = || places(&names, &dropped.iter().map(facet).collect());
        separates.then(|| (is_operator, words()))
    })
}
