//! The plan: every selected trial of a suite, computed once per run. Trials that share a model form a group.

use crate::error::Error;
use crate::event::TrialSet;
use crate::model::surroundings::{self, Surrounding};
use crate::names::suggestion;
use crate::semantics::operator::{Binding, OPERATORS, Operator};
use crate::semantics::request::Model;
use crate::suite::Suite;
use crate::suite::case::Case;
use crate::suite::core::Core;
use crate::suite::generated::trial_named;
use crate::suite::partition::Partition;
use crate::suite::selection::Selection;
use crate::suite::trial::{Group, Trial};
use crate::tensor::ElementType;
use crate::threads::in_threads;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::Arc;
use xxhash_rust::xxh3::Xxh3;

/// The selected trials of a suite, or one part of them.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The groups of this part, in the order in which they run.
    pub(crate) groups: Vec<Group>,
    /// Selected trials, of all parts together.
    pub(crate) total: usize,
    /// Hash of the names of all selected trials, of all parts together, in the suite's order.
    pub(crate) hash: String,
    /// The cases of all parts together, in the suite's order.
    pub(crate) cases: Vec<PlannedCase>,
    /// Whether the order of the groups differs from the suite's.
    pub(crate) is_shuffled: bool,
}

/// A case with at least one selected trial.
#[derive(Debug)]
pub(crate) struct PlannedCase {
    pub(crate) case: Arc<Case>,
    /// The first selected trial of each operator that has one, in the case's order.
    pub(crate) trials: Vec<Trial>,
}

impl Plan {
    /// The selected trials, or those of a part.
    pub(crate) fn new(suite: &Suite, selection: &Selection, partition: Option<Partition>) -> Self {
        let cases = suite.cases().iter();
        let cases = cases.filter(|case| selection.takes_case(&case.name));
        let cases: Vec<_> = cases.collect();
        let mut groups: Vec<Group> = groups_in_order(&cases, selection).collect();
        let (first, second) = cases.split_at(cases.len() / 2);
        let halves = in_threads(&[first, second], |half| {
            surrounded(half, selection).collect::<Vec<_>>()
        });
        groups.extend(halves.into_iter().flatten());
        let (mut total, mut names, mut name) = (0, Xxh3::new(), String::new());
        for trial in groups.iter().flat_map(|group| &group.trials) {
            total += 1;
            name.clear();
            trial.write_name(&mut name);
            name.hash(&mut names);
        }
        let cases = planned_cases(&cases, &groups);
        if let Some(seed) = selection.seed {
            shuffle(&mut groups, seed);
        }
        if let Some(partition) = partition {
            groups = partition.filter(groups.into_iter()).collect();
        }
        Self {
            groups,
            total,
            hash: format!("{:032x}", names.digest128()),
            cases,
            is_shuffled: selection.seed.is_some(),
        }
    }

    /// The plan in the order in which its groups run: a shuffled plan as it is; otherwise several exact names in their
    /// order, so that a command can repeat any order; otherwise the core first.
    pub(crate) fn in_running_order(mut self, selection: &Selection) -> Self {
        let names = &selection.patterns;
        if self.is_shuffled {
        } else if selection.exact && names.len() > 1 {
            Core::read(&names.join("\n")).bring_to_front(&mut self.groups);
        } else {
            let core = selection.core.as_ref().unwrap_or(Core::built_in());
            core.bring_to_front(&mut self.groups);
        }
        self
    }

    /// The trials of this part, in the order in which they run.
    pub(crate) fn trials(&self) -> impl Iterator<Item = &Trial> {
        self.groups.iter().flat_map(|group| &group.trials)
    }

    /// The trials of this part by name.
    pub(crate) fn trials_by_name(&self) -> HashMap<String, &Trial> {
        let trials = self.trials().map(|trial| (trial.to_string(), trial));
        trials.collect()
    }

    /// The number of trials in this part.
    pub(crate) fn count(&self) -> usize {
        self.groups.iter().map(|group| group.trials.len()).sum()
    }

    /// The names of the trials in this part.
    pub(crate) fn set(&self) -> TrialSet {
        self.trials().map(ToString::to_string).collect()
    }

    /// The plan, if it has trials, and one for each exact name. Fails when one is missing.
    pub(crate) fn not_empty(self, suite: &Suite, selection: &Selection) -> Result<Self, Error> {
        let names = selection.exact.then(|| selection.patterns.iter());
        let names: BTreeSet<_> = names.into_iter().flatten().collect();
        if self.total >= names.len().max(1) {
            return Ok(self);
        }
        let all = Self::new(suite, selection, None);
        let all = all.trials_by_name();
        let missing = selection
            .patterns
            .iter()
            .find(|name| !all.contains_key(*name));
        let missing = missing.map_or("", |name| name);
        let case = missing.split('/').next().unwrap_or_default();
        let cases = suite.cases().iter().map(|of| of.name.as_str());
        let hint = if missing.parse::<Surrounding>().is_ok() {
            format!("for a surrounding, write '+{missing}'")
        } else if trial_named(missing).is_some() {
            format!("it is a trial of a search: `search --trial '{missing}'` runs it")
        } else if cases.clone().any(|of| of == case) {
            format!("`list '{case}'` shows the trials of that case")
        } else {
            let all = "`list` shows the names (a part suffices, such as 'zero-first' or '+after-reshape'; a glob \
                matches the whole name: 'zero*/**')";
            suggestion(case, cases, all)
        };
        let (such, also) = match selection.exact {
            true => (
                "exactly this",
                "; without --exact a part of a name suffices",
            ),
            false => ("such a", ""),
        };
        let of_core = match selection.core {
            Some(_) => " of the core",
            None => "",
        };
        let why = format!("no trial{of_core} has {such} name: '{missing}'; {hint}{also}");
        Err(Error::NothingSelected(why))
    }
}

/// The cases with trials in these groups, in the suite's order.
fn planned_cases(cases: &[&Arc<Case>], groups: &[Group]) -> Vec<PlannedCase> {
    let mut first: HashMap<(&str, &str), &Trial> = HashMap::new();
    for trial in groups.iter().flat_map(|group| &group.trials) {
        let key = (trial.case.name.as_str(), trial.operator.name);
        first.entry(key).or_insert(trial);
    }
    let cases = cases.iter().copied().map(|case| {
        let trial = |operator: &&'static Operator| first.get(&(case.name.as_str(), operator.name));
        let trials = case.operators.iter().filter_map(trial).copied();
        PlannedCase {
            case: Arc::clone(case),
            trials: trials.cloned().collect(),
        }
    });
    cases.filter(|case| !case.trials.is_empty()).collect()
}

/// Shuffles the groups, and the trials of each.
fn shuffle(groups: &mut [Group], seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    for group in groups.iter_mut() {
        rng.shuffle(&mut group.trials);
    }
    rng.shuffle(groups);
}

/// The groups in the suite's order: by operator, element type and binding, then by case.
fn groups_in_order(all: &[&Arc<Case>], selection: &Selection) -> impl Iterator<Item = Group> {
    let operators = OPERATORS.iter();
    let operators = operators.filter(|operator| selection.takes_operator(operator));
    operators.flat_map(move |operator| {
        let all = all.iter().copied();
        let all = all.filter(|case| case.operators.contains(&operator));
        let all: Vec<_> = all.collect();
        let types = element_types(&all, operator).into_iter();
        types.flat_map(move |of| {
            let cases = all.iter().copied();
            let cases = cases.filter(|case| case.element_types(operator).contains(&of));
            // One request serves all bindings.
            let binding = operator.bindings[0];
            let trials = cases.map(|case| Trial::new(Arc::clone(case), operator, of, binding));
            let trials: Vec<_> = trials.collect();
            let bindings = operator.bindings.iter();
            bindings.flat_map(move |binding| cell_groups(&trials, selection, *binding))
        })
    })
}

/// The selected trials in surroundings, in the suite's order. Each has its own model.
///
/// Their number is a sum over cases and surroundings, never a product. Of a case's operators with equal rules, only the
/// first that is tested in a surrounding counts. Each has one element type, and one static and one dynamic binding;
/// sequences have all bindings.
fn surrounded(all: &[&Arc<Case>], selection: &Selection) -> impl Iterator<Item = Group> {
    let all = match selection.takes_surroundings() {
        true => all,
        false => &[],
    };
    let trials = all.iter().copied().flat_map(move |case| {
        let operators = 0..case.operators.len();
        let selected = operators.filter(|index| selection.takes_operator(case.operators[*index]));
        selected.flat_map(move |index| surrounded_trials(case, index, selection))
    });
    trials.map(Group::single)
}

/// The selected trials of a case in surroundings, for one of its operators.
fn surrounded_trials(case: &Arc<Case>, index: usize, selection: &Selection) -> Vec<Trial> {
    let operator = case.operators[index];
    let alike = case.operators[..index].iter();
    let alike: Vec<_> = alike.filter(|of| of.has_rules_of(operator)).collect();
    let is_first =
        |of: Surrounding| of.tests(operator) && !alike.iter().any(|other| of.tests(other));
    let bindings: Vec<_> = case.bindings(operator).collect();
    let element_type = surroundings::element_types(case.element_types(operator)).next();
    let (Some(element_type), Some(first)) = (element_type, bindings.first()) else {
        return Vec::new();
    };
    let alone = Trial::new(Arc::clone(case), operator, element_type, *first);
    surroundings::candidates(&bindings, case.content.elements(&case.data_shape))
        .filter(|(_, surrounding)| is_first(*surrounding))
        .filter_map(|(binding, surrounding)| {
            let mut trial = alone.clone();
            (trial.binding, trial.surrounding) = (binding, Some(surrounding));
            // The second check is the last because it takes the longest.
            let is_there = selection.takes(&trial)
                && surroundings::is_possible(trial.request(), binding, surrounding);
            is_there.then_some(trial)
        })
        .collect()
}

/// An operator's element types, and those that its cases add.
fn element_types(all: &[&Arc<Case>], operator: &'static Operator) -> BTreeSet<ElementType> {
    let own = operator.element_types.iter().copied();
    let added = all.iter().flat_map(|case| case.element_types(operator));
    own.chain(added.copied()).collect()
}

/// The selected ones of these trials in this binding, grouped by model.
fn cell_groups(trials: &[Trial], selection: &Selection, binding: Binding) -> Vec<Group> {
    let mut groups: Vec<(Model, u64, Group)> = Vec::new();
    for trial in trials {
        let mut trial = trial.clone();
        trial.binding = binding;
        let is_of_case = trial.case.bindings(trial.operator).any(|of| of == binding);
        if !is_of_case || !selection.takes(&trial) {
            continue;
        }
        let model = Model::of(trial.request(), binding);
        let bytes = trial.data_bytes();
        let has_room = |held: u64, group: &Group| {
            group.trials.len() < Group::MAX_TRIALS && held.saturating_add(bytes) <= Group::MAX_BYTES
        };
        match groups
            .iter_mut()
            .find(|(of, held, group)| *of == model && has_room(*held, group))
        {
            Some((_, held, group)) => {
                *held += bytes;
                group.trials.push(trial);
            }
            None => groups.push((model, bytes, Group::single(trial))),
        }
    }
    groups.into_iter().map(|(_, _, group)| group).collect()
}
