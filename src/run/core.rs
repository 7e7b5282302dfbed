//! Computing the core: the few trials that show, for each operator family and binding, what the whole suite shows.

use crate::backend::{Adapter, Supports, all_adapters, built_in_adapters, read_adapter_file};
use crate::error::{Error, Source};
use crate::model::surroundings::Surrounding;
use crate::names::{Grouped, Joined};
use crate::semantics::operator::{Binding, Family, Level, Operator, Rule};
use crate::suite::Suite;
use crate::suite::case::Expectation;
use crate::suite::core::{Core, SINCE, STRENGTH};
use crate::suite::coverage::{Coverage, Way};
use crate::suite::plan::Plan;
use crate::suite::record::Version;
use crate::suite::selection::Selection;
use crate::suite::trial::{Trial, simplicity};
use crate::tensor::ElementType;
use crate::threads::in_threads;
use crate::verdict::diagnosis::{Hypothesis, TrialContext, form};
use crate::verdict::known_failures::KnownFailures;
use crate::verdict::mutant::{CATALOGUE, behavior};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};

/// By how many cases the core kills a mutant, where the suite has so many.
const KILLERS: usize = 2;

/// The head of a list.
const HEAD: &str = "# The core: the trials that show most of what the whole suite shows, in the order in which they are best run.
# Behind each name is what only this trial shows; of two cases that kill a mutant, that is each. Then comes since which
# version of the suite it is in this list, if not since the first one.
# `cargo run --release -- core --write cases/CORE.txt` writes this file.
";

/// A backend whose recorded causes the core shows: its name, what it is asked, and its known failures.
type Recorded = (String, Supports, KnownFailures);

/// The core of a suite, if it is wanted: of the built-in one as `cases/CORE.txt` lists it, of another computed. Fails
/// when an adapter's manifest or known failures have a fault.
pub(crate) fn core_of(suite: &Suite, is_wanted: bool) -> Result<Option<Core>, Error> {
    Ok(match suite.version() {
        _ if !is_wanted => None,
        Some(_) => Some(Core::built_in().clone()),
        None => Some(Core::read(&list(suite)?)),
    })
}

/// The core of a suite, computed: a line for each trial. Fails when an adapter's files have a fault.
pub(crate) fn list(suite: &Suite) -> Result<String, Error> {
    let plan = Plan::new(suite, &Selection::default(), None);
    let shown = Shown::by(suite, &plan, &recorded()?);
    Ok(shown.written(&shown.core(), suite.version().is_some()))
}

/// The backends of the embedded adapters.
fn recorded() -> Result<Vec<Recorded>, Error> {
    let folder = built_in_adapters();
    let adapters = all_adapters(&folder)?.into_iter().map(|name| {
        let adapter = Adapter::read(&folder, &name)?;
        let known = read_adapter_file(&adapter.known_failures_path())?;
        let known = KnownFailures::read(&known.unwrap_or_else(|| Source::new("", "")))?;
        Ok((name, adapter.supports, known))
    });
    adapters.collect()
}

/// Something that a trial shows, and other trials may show, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Fact {
    /// It kills the mutant of this number in the catalogue, of a family through a binding.
    Kills(usize, Family, Binding),
    /// It kills this mutant, which moves, loses or changes elements, by elements of a type: kernels differ by the type.
    Changes(usize, Family, ElementType),
    /// It tests a must clause of an operator: what the clause says of a rule, by a request to accept or to reject.
    Tests(&'static str, &'static str, Rule, Way),
    /// It stands in a surrounding, of a family through a binding, whose nodes have or have not the form of an old opset.
    StandsIn(Surrounding, Family, Binding, bool),
    /// The text accepts it with a target of this form, in a surrounding if any, with or without declared data dims.
    Accepts(&'static str, Family, Option<Surrounding>, bool),
    /// The text rejects it for this reason first, in a surrounding.
    Rejects(&'static str, Family, Surrounding),
    /// The text rejects it for this reason first, for an operator.
    RejectsOf(&'static str, &'static str),
    /// It asks this open question.
    Asks(&'static str, Family),
    /// The text accepts it with a target of this form, for an operator.
    AcceptsOf(&'static str, &'static str),
    /// The text accepts it with so many data dims and target values.
    Dims(Family, usize, usize),
    /// The text accepts it, and this of its data or target is special, by the element type.
    Special(&'static str, Family, ElementType),
    /// It shows the recorded cause of this number.
    ShowsCause(usize),
}

impl Fact {
    /// The same fact for any binding, and for any mutant that changes the elements of a type: a fault seldom depends on it,
    /// so the others can wait.
    fn kind(self) -> Self {
        let any = Binding::ConstantStatic;
        match self {
            Self::Kills(mutant, family, _) => Self::Kills(mutant, family, any),
            Self::StandsIn(within, family, _, old) => Self::StandsIn(within, family, any, old),
            Self::Changes(_, family, of) => Self::Changes(0, family, of),
            Self::Accepts(form, family, within, _) => Self::Accepts(form, family, within, false),
            Self::Tests(..)
            | Self::Rejects(..)
            | Self::RejectsOf(..)
            | Self::Asks(..)
            | Self::AcceptsOf(..)
            | Self::Dims(..)
            | Self::Special(..)
            | Self::ShowsCause(_) => self,
        }
    }
}

/// What a trial shows by what it asks; `None` if the text does not accept it, or it has no target.
fn accepted(trial: &Trial) -> Option<impl Iterator<Item = Fact>> {
    let request = trial.is_accepted().then(|| trial.request())?;
    let (form, target) = (form(request)?, request.target.as_ref()?);
    let Operator { family, name, .. } = *trial.operator;
    let special = [
        ("to a scalar", target.values.is_empty()),
        ("without elements", request.data_shape.contains(&0)),
    ];
    let special = special.into_iter().filter(|(_, is)| *is);
    let special = special.map(move |(of, _)| Fact::Special(of, family, trial.element_type));
    let facts = [
        Fact::Accepts(form, family, trial.surrounding, trial.binding.dynamic()),
        Fact::AcceptsOf(form, name),
        Fact::Dims(family, request.data_shape.len(), target.values.len()),
    ];
    Some(facts.into_iter().chain(special))
}

/// What each trial of a suite shows.
struct Shown<'a> {
    trials: Vec<&'a Trial>,
    /// For each trial, the number of its group in the plan.
    groups: Vec<usize>,
    /// For each trial, how many of the recorded backends are asked it.
    asked: Vec<usize>,
    /// For each trial, its place in the order of simplicity.
    simple: Vec<usize>,
    /// For each trial, the numbers of its facts.
    of: Vec<Vec<usize>>,
    facts: Vec<Fact>,
    /// For each fact, by how many cases the core shows it.
    wanted: Vec<usize>,
    causes: Vec<String>,
}

impl<'a> Shown<'a> {
    /// What the trials of a plan show.
    fn by(suite: &Suite, plan: &'a Plan, recorded: &[Recorded]) -> Self {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let (mut trials, mut groups) = (Vec::new(), Vec::new());
        for (number, group) in plan.groups.iter().enumerate() {
            trials.extend(&group.trials);
            groups.resize(trials.len(), number);
        }
        let causes = Causes::of(recorded);
        let clauses = clauses(suite);
        let mutants = CATALOGUE.iter().map(|of| behavior(&[of]));
        let changes: Vec<_> = mutants.map(|of| !of.content.is_empty()).collect();
        let share = trials.len().div_ceil(jobs).max(1);
        let shares: Vec<_> = trials.chunks(share).collect();
        let found = in_threads(&shares, |share| {
            // They are asked about trials alone: what other trials leave behind does not count.
            let mutants = CATALOGUE.iter().map(|of| Hypothesis::of(vec![of]));
            let mutants: Vec<_> = mutants.collect();
            let all = share.iter().map(|trial| {
                let cell = (trial.operator.family, trial.binding);
                let context = TrialContext::of(trial);
                let killed = mutants.iter().enumerate();
                let killed = killed.filter(|(_, mutant)| mutant.fails(&context));
                let killed: Vec<_> = killed.map(|(number, _)| number).collect();
                let kills = killed.iter().map(|of| Fact::Kills(*of, cell.0, cell.1));
                let changing = killed.iter().filter(|of| changes[**of]);
                let changing = changing.map(|of| Fact::Changes(*of, cell.0, trial.element_type));
                let mut facts: Vec<_> = kills.chain(changing).collect();
                let way = Way::of(trial.expectation());
                let tested = clauses.get(&(trial.case.name.as_str(), trial.operator.name, way));
                facts.extend(tested.into_iter().flatten());
                // Slice takes its bounds as attributes before opset 10, and Unsqueeze its axes before 13.
                let is_old = cell.0 == Family::Onnx && trial.operator.version < 13;
                let stands = |of| Fact::StandsIn(of, cell.0, cell.1, is_old);
                facts.extend(trial.surrounding.map(stands));
                facts.extend(accepted(trial).into_iter().flatten());
                let why = trial.why_rejected();
                match &**trial.expectation() {
                    Expectation::Rejected(_) => {
                        facts.extend(trial.surrounding.map(|of| Fact::Rejects(why, cell.0, of)));
                        facts.push(Fact::RejectsOf(why, trial.operator.name));
                    }
                    Expectation::Open { question, .. } => {
                        facts.push(Fact::Asks(question.name(), cell.0));
                    }
                    Expectation::Reshaped(_) => {}
                }
                let (asked, shown) = causes.of_trial(trial);
                facts.extend(shown.into_iter().map(Fact::ShowsCause));
                (asked, facts)
            });
            all.collect::<Vec<_>>()
        });
        let (mut numbers, mut facts, mut cases) = (HashMap::new(), Vec::new(), Vec::new());
        let (mut of, mut asked) = (Vec::new(), Vec::new());
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        // A function has no surroundings, so what a node alone shows must be shown by one.
        let is_alone = |number: &usize| trials[*number].surrounding.is_none();
        let alone = (0..trials.len()).filter(is_alone);
        let alone: HashSet<Fact> = alone.flat_map(|number| &found[number].1).copied().collect();
        for (number, (_, shown)) in found.iter_mut().enumerate() {
            shown.retain(|fact| is_alone(&number) || !alone.contains(fact));
        }
        for ((of_asked, shown), trial) in found.into_iter().zip(&trials) {
            asked.push(of_asked);
            let number = |fact| {
                let number = *numbers.entry(fact).or_insert_with(|| {
                    facts.push(fact);
                    cases.push(BTreeSet::new());
                    facts.len() - 1
                });
                cases[number].insert(trial.case.name.as_str());
                number
            };
            of.push(shown.into_iter().map(number).collect());
        }
        let wanted = facts.iter().zip(&cases).map(|(fact, cases)| {
            let is_kill = matches!(fact, Fact::Kills(..));
            cases.len().min(if is_kill { KILLERS } else { 1 })
        });
        let mut sorted: Vec<_> = (0..trials.len()).collect();
        sorted.sort_by_cached_key(|trial| simplicity(trials[*trial]));
        let mut simple = vec![0; trials.len()];
        for (place, trial) in sorted.into_iter().enumerate() {
            simple[trial] = place;
        }
        let wanted = wanted.collect();
        Self {
            trials,
            groups,
            asked,
            simple,
            of,
            facts,
            wanted,
            causes: causes.names,
        }
    }

    /// The core, in the order in which it is best run.
    fn core(&self) -> Vec<usize> {
        let mut chosen = self.chosen();
        // What was chosen early may have become needless by what was chosen later.
        let mut holders = self.holders(&chosen);
        chosen.sort_by_key(|trial| Reverse(self.simple[*trial]));
        chosen.retain(|trial| {
            let needed = self.only(*trial, &holders).next().is_some();
            if !needed {
                for fact in &self.of[*trial] {
                    holders[*fact].retain(|of| of != trial);
                }
            }
            needed
        });
        self.ordered(&chosen)
    }

    /// Trials that show every fact: each time the one that adds the most, and is asked of the most backends.
    fn chosen(&self) -> Vec<usize> {
        let mut shown = Showing::new(self);
        let entry = |trial: usize, gain: usize| {
            let score = gain * (1 + self.asked[trial]);
            (score, Reverse(self.simple[trial]), trial)
        };
        let all = 0..self.trials.len();
        let heap = all.map(|trial| entry(trial, self.of[trial].len()));
        let mut heap: BinaryHeap<_> = heap.collect();
        let mut chosen = Vec::new();
        while let Some((score, _, trial)) = heap.pop() {
            let gain = shown.gain(trial);
            let now = entry(trial, gain);
            if gain == 0 {
                continue;
            }
            // The gain of a trial only ever falls, so what is still the best is the best.
            if now.0 < score {
                heap.push(now);
                continue;
            }
            shown.add(trial);
            chosen.push(trial);
        }
        chosen
    }

    /// These trials by group. First come the groups that show the most new kinds of facts for each of their trials, and
    /// of equal groups those that add the most facts.
    fn ordered(&self, chosen: &[usize]) -> Vec<usize> {
        let groups = chosen.iter().map(|trial| (self.groups[*trial], *trial));
        let mut groups = groups.sorted();
        let (mut shown, mut ordered) = (Showing::new(self), Vec::new());
        let kinds: Vec<_> = self.facts.iter().map(|fact| fact.kind()).collect();
        let mut seen = BTreeSet::new();
        while !groups.is_empty() {
            let best = groups.iter().max_by_key(|(number, trials)| {
                let gain: usize = trials.iter().map(|trial| shown.gain(*trial)).sum();
                let new = trials.iter().flat_map(|trial| &self.of[*trial]);
                let new = new.map(|fact| kinds[*fact]);
                let new: BTreeSet<_> = new.filter(|kind| !seen.contains(kind)).collect();
                let each = |sum: usize| sum * 1000 / trials.len();
                (each(new.len()), each(gain), Reverse(**number))
            });
            let Some(number) = best.map(|(number, _)| *number) else {
                break;
            };
            let mut trials = groups.remove(&number).unwrap_or_default();
            trials.sort_unstable();
            for trial in &trials {
                shown.add(*trial);
                seen.extend(self.of[*trial].iter().map(|fact| kinds[*fact]));
            }
            ordered.extend(trials);
        }
        ordered
    }

    /// For each fact, which of these trials show it.
    fn holders(&self, trials: &[usize]) -> Vec<Vec<usize>> {
        let mut holders = vec![Vec::new(); self.facts.len()];
        for trial in trials {
            let facts = self.of[*trial].iter();
            facts.for_each(|fact| holders[*fact].push(*trial));
        }
        holders
    }

    /// The facts that would be shown by too few cases without a trial.
    fn only<'b>(
        &'b self,
        trial: usize,
        holders: &'b [Vec<usize>],
    ) -> impl Iterator<Item = Fact> + 'b {
        let needed = self.of[trial].iter().filter(move |fact| {
            let others = holders[**fact].iter().filter(|of| **of != trial);
            let cases: BTreeSet<_> = others.map(|of| &self.trials[*of].case.name).collect();
            cases.len() < self.wanted[**fact]
        });
        needed.map(|fact| self.facts[*fact])
    }

    /// The list of these trials: the strength that they have together, and for each its name, what only it shows and, in the
    /// built-in suite, since when it is in the list.
    fn written(&self, core: &[usize], is_built_in: bool) -> String {
        let holders = self.holders(core);
        let line = |trial: &usize| {
            let mut said: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
            for fact in self.only(*trial, &holders) {
                let (what, name) = match fact {
                    Fact::Kills(mutant, ..) => ("kills", CATALOGUE[mutant].name.to_owned()),
                    Fact::Changes(.., of) => ("finds changed elements of", of.to_string()),
                    Fact::Tests(_, of, rule, way) => {
                        ("tests", format!("{of} ({rule}, {})", way.name()))
                    }
                    Fact::StandsIn(..) => ("stands in", "its surrounding".to_owned()),
                    Fact::Accepts(form, ..) | Fact::AcceptsOf(form, _) => {
                        ("is accepted", format!("with a target {form}"))
                    }
                    Fact::Rejects(reason, ..) | Fact::RejectsOf(reason, _) => {
                        ("is rejected because", reason.to_owned())
                    }
                    Fact::Asks(question, _) => ("asks", question.to_owned()),
                    Fact::Dims(_, data, to) => ("is accepted", format!("from {data} to {to} dims")),
                    Fact::Special(special, _, of) => ("is accepted", format!("{special} of {of}")),
                    Fact::ShowsCause(cause) => ("shows", self.causes[cause].clone()),
                };
                said.entry(what).or_default().insert(name);
            }
            let said = said.into_iter();
            let said = said.map(|(what, names)| format!("{what} {}", names.iter().joined(", ")));
            let (name, listed) = (self.trials[*trial].to_string(), Core::built_in());
            let since = match listed.place(&name) {
                Some(_) => listed.since(&name),
                None => Some(Version::newest()),
            };
            let since = since.filter(|_| is_built_in);
            let since = since.map_or_else(String::new, |since| format!("{SINCE}{since}"));
            format!("{name} | {}{since}\n", said.joined("; "))
        };
        let lines: String = core.iter().map(line).collect();
        format!("{HEAD}{STRENGTH}{}\n{lines}", self.strength())
    }

    /// The numbers in the catalogue of the mutants that the trials kill.
    fn killed(&self) -> BTreeSet<usize> {
        let killed = self.facts.iter().filter_map(|fact| {
            let Fact::Kills(mutant, ..) = fact else {
                return None;
            };
            Some(*mutant)
        });
        killed.collect()
    }

    /// What all trials show together, in words.
    fn strength(&self) -> String {
        let changed = self.facts.iter().map(|fact| fact.kind());
        let changed = changed.filter(|fact| matches!(fact, Fact::Changes(..)));
        let changed: BTreeSet<_> = changed.collect();
        let count = |is: fn(&Fact) -> bool| self.facts.iter().filter(|fact| is(fact)).count();
        format!(
            "all {} mutants, {} element types by family, {} ways to test must clauses, {} surroundings by family, binding and form of nodes, {} kinds \
             of accepted targets, {} reasons to reject by operator and surrounding, {} open questions by family, and {} causes \
             in adapters",
            self.killed().len(),
            changed.len(),
            count(|fact| matches!(fact, Fact::Tests(..))),
            count(|fact| matches!(fact, Fact::StandsIn(..))),
            count(|of| matches!(
                of,
                Fact::Accepts(..) | Fact::AcceptsOf(..) | Fact::Dims(..) | Fact::Special(..)
            )),
            count(|fact| matches!(fact, Fact::Rejects(..) | Fact::RejectsOf(..))),
            count(|fact| matches!(fact, Fact::Asks(..))),
            count(|fact| matches!(fact, Fact::ShowsCause(_))),
        )
    }
}

/// What some trials show together.
struct Showing<'a> {
    of: &'a Shown<'a>,
    /// For each fact, the cases that show it; as many as are wanted.
    cases: Vec<Vec<&'a str>>,
}

impl<'a> Showing<'a> {
    fn new(of: &'a Shown<'a>) -> Self {
        Self {
            of,
            cases: vec![Vec::new(); of.facts.len()],
        }
    }

    fn adds(&self, fact: usize, case: &str) -> bool {
        self.cases[fact].len() < self.of.wanted[fact] && !self.cases[fact].contains(&case)
    }

    /// The number of facts that a trial adds.
    fn gain(&self, trial: usize) -> usize {
        let case = &self.of.trials[trial].case.name;
        let facts = self.of.of[trial].iter();
        facts.filter(|fact| self.adds(**fact, case)).count()
    }

    fn add(&mut self, trial: usize) {
        let case = self.of.trials[trial].case.name.as_str();
        for fact in &self.of.of[trial] {
            if self.adds(*fact, case) {
                self.cases[*fact].push(case);
            }
        }
    }
}

/// The must clauses that a case tests in a way, for an operator.
fn clauses(suite: &Suite) -> HashMap<(&str, &'static str, Way), Vec<Fact>> {
    let mut tested: HashMap<_, Vec<_>> = HashMap::new();
    for covered in Coverage::of(suite, |of| of.clause.level == Level::Must).clauses {
        let operator = covered.of.operator.name;
        let all = covered.by.iter();
        for citation in all.filter(|of| covered.ways().contains(&of.way)) {
            let (id, way) = (covered.of.clause.id, citation.way);
            let facts = citation.rules.iter();
            let facts = facts.map(|rule| Fact::Tests(operator, id, *rule, way));
            if let Some(case) = suite.case(&citation.case.name) {
                let tested = tested.entry((case.name.as_str(), operator, way));
                tested.or_default().extend(facts);
            }
        }
    }
    tested
}

/// The causes that the known failures of backends record, each of a backend and a configuration.
struct Causes<'a> {
    recorded: &'a [Recorded],
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl<'a> Causes<'a> {
    fn of(recorded: &'a [Recorded]) -> Self {
        let names = recorded.iter().flat_map(|(backend, _, known)| {
            let causes = known.causes().into_iter();
            causes.map(move |cause| format!("{cause} of {backend}"))
        });
        let names: Vec<_> = names.collect();
        let numbers = names.iter().cloned().enumerate();
        let numbers = numbers.map(|(number, name)| (name, number)).collect();
        Self {
            recorded,
            names,
            numbers,
        }
    }

    /// How many of the backends are asked a trial, and the causes that it shows there.
    fn of_trial(&self, trial: &Trial) -> (usize, Vec<usize>) {
        let name = trial.to_string();
        let (mut asked, mut shown) = (0, Vec::new());
        for (backend, supports, known) in self.recorded {
            let sample = supports.sample;
            let is_sampled = sample.is_none_or(|sample| sample.takes_by_hash(&name));
            if supports.takes(trial) && is_sampled {
                asked += 1;
                let cause = known.cause(&name, trial.expectation());
                let cause = cause.map(|cause| format!("{cause} of {backend}"));
                shown.extend(cause.and_then(|cause| self.numbers.get(&cause)));
            }
        }
        (asked, shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::operator::OPERATORS;
    use crate::suite::core::LIST;

    #[test]
    #[ignore = "the whole suite on every mutant is the longest test by far; CI runs it"]
    fn the_core_shows_what_the_suite_shows_and_needs_each_of_its_trials() {
        let suite = Suite::built_in().expect("the suite");
        let plan = Plan::new(&suite, &Selection::default(), None);
        let shown = Shown::by(&suite, &plan, &recorded().expect("the adapters"));
        let names = shown.trials.iter().map(ToString::to_string);
        let (mut core, listed) = (Vec::new(), Core::built_in());
        for (trial, name) in names.enumerate() {
            core.extend(listed.place(&name).map(|place| (place, trial)));
        }
        core.sort_unstable();
        let core: Vec<_> = core.into_iter().map(|(_, trial)| trial).collect();
        assert_eq!(shown.killed().len(), CATALOGUE.len());
        // Each family asks for the tail of each of its element types. A complex128 fills 16 bytes, a string any number.
        let tails = CATALOGUE.iter().enumerate();
        for (number, mutant) in tails.filter(|(_, of)| of.name.starts_with("tail")) {
            let in_bytes = mutant.name.contains("bytes");
            for operator in OPERATORS {
                for of in operator.element_types {
                    let is_full =
                        *of == ElementType::Complex128 && mutant.name == "tail-of-16-bytes-lost";
                    let has_no_tail = is_full || *of == ElementType::String && in_bytes;
                    let fact = Fact::Changes(number, operator.family, *of);
                    assert_ne!(shown.facts.contains(&fact), has_no_tail, "{fact:?}");
                }
            }
        }
        let holders = shown.holders(&core);
        let cases = |fact: usize| {
            let cases = holders[fact].iter().map(|of| &shown.trials[*of].case.name);
            cases.collect::<BTreeSet<_>>().len()
        };
        let all = 0..shown.facts.len();
        let lacking = all.filter(|fact| cases(*fact) < shown.wanted[*fact]);
        let lacking: Vec<_> = lacking.map(|fact| shown.facts[fact]).collect();
        let needless = core.iter();
        let needless = needless.filter(|of| shown.only(**of, &holders).next().is_none());
        let needless: Vec<_> = needless.map(|of| shown.trials[*of].to_string()).collect();
        assert!(
            lacking.is_empty() && needless.is_empty() && shown.written(&core, true) == LIST,
            "the core lacks {lacking:?} and needs no {needless:?}, or its file says something else; `cargo run --release -- core \
             --write cases/CORE.txt` brings it up to date"
        );
    }
}
