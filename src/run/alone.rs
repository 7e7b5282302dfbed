//! Running findings alone. An example of each runs in a new instance of the backend. If it passes there, this searches
//! the trials after which it fails.

use super::history::{History, Step, again_in_order, groups};
use super::rerun::Rerun;
use super::shortest::{Shortest, shortest};
use crate::backend::UnattributedFailures;
use crate::event::{Alone, Cause, Note, Reporter};
use crate::semantics::request::Model;
use crate::suite::trial::{Group, Trial};
use crate::verdict::diagnosis::{Observations, PASSES_ALONE, fail_after};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

/// The most times that the failures are diagnosed again, without those that pass alone.
const MAX_ROUNDS: usize = 3;
/// The most failures to run alone, of a finding whose first failure passes there, and of those without a finding.
const MAX_SAMPLED: usize = 4;
/// The most failures for which to search the trials after which they fail.
const MAX_EXAMPLES: usize = 3;
/// The time limit for running trials alone, and for the search of trials after which they fail.
const MAX_TIME: Duration = Duration::from_secs(40);
/// The most bytes of the command that shows what a trial fails after. Reports show commands of such a length in full.
const MAX_COMMAND: usize = 16_000;

/// What a heading says of failures in sequences, too, to be read after "after other trials".
const OR_ITS_OWN_RUNS: &str = ", or after earlier runs of its own model, and passes without them";

/// Runs the examples of findings alone.
pub(super) struct Examples<'a> {
    pub(super) rerun: Rerun<'a>,
    pub(super) history: &'a History,
    /// The trials that do not run again, because their verdicts are confirmed or would take too long.
    pub(super) settled: &'a HashSet<String>,
    /// The arguments that make `run` take the backend, with a space before each; `None` if such a command would run the
    /// trials in another order.
    pub(super) arguments: Option<&'a str>,
}

impl Examples<'_> {
    /// The causes of the failures, separated from those that pass alone.
    pub(super) fn causes(
        &self,
        observations: &mut Observations,
        reporter: &mut dyn Reporter,
    ) -> Vec<Cause> {
        reporter.note(Note::Doing("looking for causes"));
        let nodes = observations.lone_nodes_to_run().into_iter();
        let nodes: Vec<Group> = nodes.map(Group::single).collect();
        let verdicts = match nodes.is_empty() {
            true => HashMap::new(),
            false => self.in_time().instance(&nodes).0,
        };
        let passed = |node: &&Trial| {
            let verdict = verdicts.get(&node.to_string());
            verdict.is_some_and(|of| of.passes())
        };
        let nodes = nodes.iter().flat_map(|group| &group.trials);
        let (passed, failed): (Vec<_>, Vec<_>) = nodes.partition(passed);
        passed.iter().for_each(|node| observations.add_pass(node));
        let mut causes = observations.causes();
        let mut alone = RunAlone {
            rerun: self.in_time(),
            passes: HashMap::new(),
        };
        for _ in 0..MAX_ROUNDS {
            reporter.note(Note::Doing("running examples alone"));
            let aside = self.passing(observations, &causes, &mut alone);
            if aside.is_empty() {
                break;
            }
            let names = aside.iter().map(String::as_str).collect();
            observations.set_aside(&names, &Alone::after_unknown());
            causes = observations.causes();
        }
        // What a sequence fails alone, its own runs cause.
        let is_stateful = causes.iter().any(|of| of.alone.is_some());
        let own = observations.after_own_runs().filter(|_| is_stateful);
        let own: BTreeMap<String, &Trial> = own.map(|of| (of.to_string(), of)).collect();
        let names: Vec<&str> = own.keys().map(String::as_str).collect();
        alone.run(sample(&names, MAX_SAMPLED).collect(), &own);
        let mut ran = names.iter().filter(|name| alone.has_run(name));
        let by_own_runs = ran.any(|name| !alone.passes(name));
        // A lone node, too, may fail after others.
        let failed = failed.into_iter().filter(|_| is_stateful);
        let failed: BTreeMap<String, &Trial> = failed.map(|of| (of.to_string(), of)).collect();
        alone.run(failed.keys().map(String::as_str).collect(), &failed);
        let pass = failed.iter().filter(|(name, _)| alone.passes(name));
        pass.for_each(|(_, node)| observations.add_pass(node));
        reporter.note(Note::Doing("looking for what they fail after"));
        let after = self.of_stateful(observations, &causes, &alone);
        let is_open = match &after {
            Some(Shortest::After(steps)) => !are_of_one_model(steps),
            Some(Shortest::Unknown) => true,
            Some(Shortest::Never) | None => false,
        };
        let mut causes = match after {
            Some(Shortest::Never) => {
                observations.are_unsteady();
                observations.causes()
            }
            Some(Shortest::Unknown) => self.with_sequences(observations, &causes, None),
            Some(Shortest::After(steps)) => {
                self.with_sequences(observations, &causes, Some(&steps))
            }
            None => causes,
        };
        for Cause { description, .. } in causes.iter_mut().filter(|_| by_own_runs && is_open) {
            *description = description.replacen(PASSES_ALONE, OR_ITS_OWN_RUNS, 1);
        }
        causes
    }

    /// The causes, when the failures of sequences are attributed to earlier runs; and what the last of these steps
    /// fails after. A mutant with a memory that explains failures in sequences, and fails after the steps, explains all
    /// of them.
    fn with_sequences(
        &self,
        observations: &mut Observations,
        before: &[Cause],
        steps: Option<&[Step]>,
    ) -> Vec<Cause> {
        observations.set_sequences_aside();
        let mut causes = observations.causes();
        let is_stateful = |cause: &&mut Cause| cause.alone.is_some();
        let cause = causes.iter_mut().find(is_stateful).zip(steps);
        let Some((cause, steps @ [.., (_, last)])) = cause else {
            return causes;
        };
        let trials: Vec<&Trial> = steps.iter().map(|(_, trial)| trial).collect();
        let mut mutants = before.iter().filter(|of| !of.mutants.is_empty());
        if let Some(of) = mutants.find(|of| fail_after(&of.mutants, &trials)) {
            cause.mutants.clone_from(&of.mutants);
            cause.description.clone_from(&of.description);
        }
        let repeated = match steps {
            [(_, earlier), _] => observations.repeated(last, earlier),
            _ => None,
        };
        let does = match repeated {
            Some("shape") | None
                if !are_of_one_model(steps) && observations.takes_target_of(last, &steps[0].1) =>
            {
                Some("takes another model's target".to_owned())
            }
            Some(what) => Some(format!("returns an earlier run's {what}")),
            None => observations.answers_like().map(|does| does + ","),
        };
        let after = cause.description.find(" after other trials");
        if let (Some(does), Some(at)) = (does, after) {
            cause.description.replace_range(..at, &does);
        }
        if let Some(after) = after_which(steps) {
            cause.description = cause.description.replacen("after other trials", &after, 1);
        }
        cause.tell(&last.to_string(), self.told(steps));
        causes
    }

    /// The failures that presumably pass alone, because a sample of them does.
    fn passing(
        &self,
        observations: &Observations,
        causes: &[Cause],
        alone: &mut RunAlone<'_>,
    ) -> HashSet<String> {
        let failed = observations.failed();
        let trials = failed.map(|trial| (trial.to_string(), trial));
        let trials = trials.filter(|(name, _)| !self.settled.contains(name));
        let trials: BTreeMap<String, &Trial> = trials.collect();
        let mut sets = sets(causes, &trials);
        let firsts = sets.iter().flat_map(|(set, most)| sample(set, *most));
        alone.run(firsts.collect(), &trials);
        sets.retain(|(set, most)| {
            let ran = sample(set, *most).filter(|name| alone.has_run(name));
            let mut ran = ran.peekable();
            match ran.peek() {
                Some(_) => ran.any(|name| alone.passes(name)),
                // Others have run, and all of them passed.
                None => !alone.passes.is_empty() && alone.passes.values().all(|passes| *passes),
            }
        });
        let samples = sets.iter().flat_map(|(set, _)| sample(set, MAX_SAMPLED));
        alone.run(samples.collect(), &trials);
        let mut aside = HashSet::new();
        for (set, _) in &sets {
            // Failures that there is no time to run presumably behave like those that ran.
            let mut ran = sample(set, MAX_SAMPLED).filter(|name| alone.has_run(name));
            let all = ran.all(|name| alone.passes(name));
            let passing = set.iter().filter(|name| all || alone.passes(name));
            aside.extend(passing.map(ToString::to_string));
        }
        aside
    }

    /// What the stateful failures of a run fail after, with one of them as the last step; `None` without such failures.
    fn of_stateful(
        &self,
        observations: &Observations,
        causes: &[Cause],
        alone: &RunAlone<'_>,
    ) -> Option<Shortest<Step>> {
        let is_stateful = |cause: &&Cause| cause.alone.is_some();
        let cause = causes.iter().find(is_stateful)?;
        let rerun = self.in_time();
        let names = cause.trials.iter().map(String::as_str);
        let names = names.filter(|name| !alone.has_run(name) || alone.passes(name));
        // An output tells more than a refusal.
        let (mut names, refused): (HashSet<_>, HashSet<_>) =
            names.partition(|of| !observations.refused(of));
        if names.is_empty() {
            names = refused;
        }
        let examples = self.history.steps_to(&names, MAX_EXAMPLES);
        if examples.is_empty() {
            return Some(Shortest::Unknown);
        }
        for mut before in examples {
            let Some(last) = before.pop() else { continue };
            // It was unknown that it fails alone.
            if fails_after(rerun, &[], &last) == Some(true) {
                continue;
            }
            match shortest(&before, &mut |some| fails_after(rerun, some, &last)) {
                Shortest::After(mut steps) => {
                    steps.push(last);
                    return Some(Shortest::After(steps));
                }
                Shortest::Unknown => return Some(Shortest::Unknown),
                Shortest::Never => {}
            }
        }
        Some(Shortest::Never)
    }

    fn in_time(&self) -> Rerun<'_> {
        Rerun {
            deadline: Some(Instant::now() + MAX_TIME),
            ..self.rerun
        }
    }

    /// The trials after which the last step fails, and the command that shows it.
    fn told(&self, steps: &[Step]) -> Alone {
        let mut after: Vec<_> = steps.iter().map(|(_, trial)| trial.to_string()).collect();
        let again = self
            .arguments
            .map(|arguments| again_in_order(arguments, &after));
        let again = again.filter(|command| command.len() <= MAX_COMMAND);
        after.pop();
        Alone::Stateful { after, again }
    }
}

/// Trials that run alone, each in a new instance.
struct RunAlone<'a> {
    rerun: Rerun<'a>,
    /// Whether each passed, by name, for the trials that have run.
    passes: HashMap<String, bool>,
}

impl RunAlone<'_> {
    /// Runs the trials that have not run.
    fn run(&mut self, names: Vec<&str>, trials: &BTreeMap<String, &Trial>) {
        let new = names.into_iter().collect::<BTreeSet<_>>().into_iter();
        let new = new.filter(|name| !self.passes.contains_key(*name));
        let trials = new.filter_map(|name| trials.get(name));
        let instances = trials.map(|trial| vec![Group::single((*trial).clone())]);
        let instances: Vec<_> = instances.collect();
        let mut unattributed = UnattributedFailures::default();
        let verdicts = self.rerun.instances(&instances, &mut unattributed);
        let passes = verdicts.into_iter();
        self.passes
            .extend(passes.map(|(name, kind)| (name, !kind.is_red())));
    }

    /// Whether a trial has run.
    fn has_run(&self, name: &str) -> bool {
        self.passes.contains_key(name)
    }

    /// Whether a trial has run and passed.
    fn passes(&self, name: &str) -> bool {
        self.passes.get(name) == Some(&true)
    }
}

/// The names of each cause's failures, and of those without a cause, that are among `trials`, smallest first. Failures
/// in sequences are excluded, because the sequence itself may cause them. Each set comes with the number of its
/// failures to run alone first.
fn sets<'a>(
    causes: &'a [Cause],
    trials: &'a BTreeMap<String, &Trial>,
) -> Vec<(Vec<&'a str>, usize)> {
    let mut explained = HashSet::new();
    let mut sets = Vec::new();
    let mut add = |names: Vec<&'a str>, most| {
        let in_sequence = |name: &&str| trials[*name].is_in_sequence();
        let (sequences, others): (Vec<_>, Vec<_>) = names.into_iter().partition(in_sequence);
        let some = [others, sequences].into_iter();
        let some = some.filter(|names| !names.is_empty());
        sets.extend(some.map(|names| (names, most)));
    };
    for cause in causes {
        let names = cause.trials.iter().map(String::as_str);
        let names: Vec<_> = names.filter(|name| trials.contains_key(*name)).collect();
        explained.extend(names.iter().copied());
        add(names, 1);
    }
    let names = trials.keys().map(String::as_str);
    let mut others: Vec<_> = names.filter(|name| !explained.contains(name)).collect();
    others.sort_by_cached_key(|name| (trials[*name].size(), *name));
    add(others, MAX_SAMPLED);
    sets
}

/// At most this many of these names, evenly spaced, including the first.
fn sample<'a>(names: &'a [&'a str], most: usize) -> impl Iterator<Item = &'a str> {
    let step = names.len().div_ceil(most).max(1);
    names.iter().copied().step_by(step)
}

/// What the last of these steps fails after, to be read after "fails"; `None` if no step comes before it.
fn after_which(steps: &[Step]) -> Option<String> {
    let ((_, last), before) = steps.split_last()?;
    let elements = |trial: &Trial| trial.size().1;
    Some(match (before, are_of_one_model(steps)) {
        ([], _) => return None,
        ([(_, one)], false) => {
            let refused = if one.is_rejected() { "refused " } else { "" };
            // The other nodes of a surrounding have requests of their own.
            let has_others = one.surrounding.or(last.surrounding).is_some();
            let model = match (only_difference(one, last), &differences(one, last)[..]) {
                _ if has_others => "another model".to_owned(),
                (Some(what), _) => format!("a model that differs in its {what} alone"),
                (None, []) => "another model of the same request".to_owned(),
                (None, [what]) => format!("another model of a request with {what}"),
                (None, _) => "another model".to_owned(),
            };
            format!("after a {refused}trial of {model}")
        }
        ([(_, one)], true) => {
            let run = match elements(one).cmp(&elements(last)) {
                _ if one.is_rejected() => "refused",
                Ordering::Greater => "larger",
                Ordering::Less => "smaller",
                Ordering::Equal => "previous",
            };
            format!("after a {run} run of its model")
        }
        (several, true) => format!("from run {} of its model on", several.len() + 1),
        (several, false) => format!("after {} trials of other models", several.len()),
    })
}

/// Whether these steps are runs of one model.
fn are_of_one_model(steps: &[Step]) -> bool {
    steps.windows(2).all(|two| two[0].0 == two[1].0)
}

/// The only part in which the models of two trials differ; `None` if there are several, or none.
fn only_difference(one: &Trial, other: &Trial) -> Option<&'static str> {
    let [one, other] = [one, other].map(|of| Model::of(of.request(), of.binding));
    let parts = [
        ("target", one.target != other.target),
        ("data's dims", one.data != other.data),
        ("attributes", one.attributes != other.attributes),
        ("operator", one.operator != other.operator),
        ("element type", one.element_type != other.element_type),
    ];
    match differing(parts)[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// The parts in which the requests of two trials differ, whatever their operators and bindings.
fn differences(one: &Trial, other: &Trial) -> Vec<&'static str> {
    let [one, other] = [one, other].map(Trial::request);
    differing([
        ("another target", one.values() != other.values()),
        ("other data dims", one.data_shape != other.data_shape),
        ("other attributes", one.attributes != other.attributes),
        ("another type", one.element_type != other.element_type),
    ])
}

/// The parts that differ.
fn differing<const N: usize>(parts: [(&'static str, bool); N]) -> Vec<&'static str> {
    let parts = parts.into_iter().filter(|(_, differs)| *differs);
    parts.map(|(part, _)| part).collect()
}

/// Whether the last step fails after these in a new instance; `None` if it did not run.
fn fails_after(rerun: Rerun<'_>, steps: &[Step], last: &Step) -> Option<bool> {
    let groups = groups(steps.iter().chain([last]));
    let (verdicts, _) = rerun.instance(&groups);
    let verdict = verdicts.get(&last.1.to_string())?;
    Some(verdict.is_red())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;
    use crate::suite::plan::Plan;
    use crate::suite::selection::Selection;

    #[test]
    fn the_only_difference_of_two_models_is_told() {
        let suite = Suite::built_in().expect("the suite");
        let patterns = ["allowzero-*/*/*/constant-static".to_owned()];
        let selection = Selection::new(&patterns, false, None).expect("a selection");
        let plan = Plan::new(&suite, &selection, None);
        let trial = |name: &str| {
            let name = format!("{name}/constant-static");
            let mut trials = plan.trials();
            trials.find(|of| of.to_string() == name).expect("a trial")
        };
        let plain = "allowzero-left-out-with-no-zero-in-the-target/onnx.Reshape-14/f32";
        let other = "allowzero-left-out-on-data-with-elements/onnx.Reshape-14/f32";
        assert_eq!(only_difference(trial(plain), trial(other)), Some("target"));
        let one = "allowzero-one/onnx.Reshape-14/f32";
        for (other, part) in [
            ("allowzero-zero/onnx.Reshape-14/f32", Some("attributes")),
            ("allowzero-one/onnx.Reshape-19/f32", Some("operator")),
            ("allowzero-one/onnx.Reshape-14/f16", Some("element type")),
            (plain, None),
        ] {
            assert_eq!(only_difference(trial(one), trial(other)), part);
        }
        assert!(differences(trial(one), trial("allowzero-one/onnx.Reshape-19/f32")).is_empty());
        let zero = trial("allowzero-zero/onnx.Reshape-19/f32");
        assert_eq!(differences(trial(one), zero), ["other attributes"]);
    }
}
