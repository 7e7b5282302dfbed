//! What failures without a mutant have in common: how the process fails, or the request.

use super::difference::difference;
use super::features::Places;
use super::hypothesis::{Hypothesis, TrialContext};
use super::observations::{Aside, FAILS, Failure, Observation, Observations, lone_nodes};
use super::property::{GENERAL, Has, Property};
use super::wording::words;
use crate::event::shorten::{in_common, without_numbers};
use crate::event::{Alone, Cause, FailureKind, id_of};
use crate::model::call::Call;
use crate::model::surroundings::Surrounding;
use crate::names::{Grouped, Joined};
use crate::semantics::oracle::copies_zero;
use crate::semantics::request::Request;
use crate::suite::trial::{Trial, simplicity};
use crate::tensor::ElementType;
use crate::verdict::mutant::{Behavior, CATALOGUE, Mutant, behavior, is_too_large};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The fewest failures for which to state what they share.
const FEWEST: usize = 5;
/// The fewest failures for which to state their places, if nothing passes there. Surroundings are named later.
const FEW: usize = 2;
/// The fewest failures that a mutant can share with a backend by more than chance.
const FEWEST_ALIKE: usize = 4;
/// The number of failures that every mutant is compared with, in search of those that fail the same trials.
const MAX_COMPARED: usize = 60;
/// The most answers of stateful failures to look at.
const MAX_ANSWERS: usize = 1_000;
/// The most mutants with the same failures to name.
const MAX_ALIKE: usize = 4;
/// The most properties to state together.
const MAX_PROPERTIES: usize = 3;
/// Minimum ratio of failures to passes at which shared properties identify a failure.
const FAILURES_PER_PASS: usize = 9;
/// Minimum ratio of all passes to those with the shared properties at which these still narrow the failures down.
const PASSES_PER_PASS: usize = 5;
/// The most passes, per failure, with the shared properties of failures that are wrong in several ways.
const PASSES_PER_FAILURE: usize = 2;
/// The fewest failures in surroundings, for each lone node that fails alike, at which the surroundings are named.
const PER_LONE: usize = 3;
/// What failures do that have a wrong shape, or refuse or accept for it.
const COMPUTES: &str = "computes a wrong shape";
/// The form of most targets.
const ORDINARY_FORM: &str = "of lengths alone";
/// The most surroundings to name.
const MAX_SURROUNDINGS: usize = 4;
/// The fewest passes that each of several names excludes, if there are not very few failures.
const PER_NAME: usize = 3;
/// A property is stated if it excludes at least one in this many passes.
const LEAST_CUT: usize = 3;

/// The end of what a heading says of failures after other trials.
pub(crate) const PASSES_ALONE: &str = " and passes alone";

/// The passes to compare failures with.
#[derive(Clone, Copy)]
enum Among {
    All,
    /// Passes that could have failed by an answer like theirs: where the text rejects, or where it allows an output.
    Answers,
}

/// The properties that some trials share.
#[derive(Default)]
struct Shared {
    /// To be read after "where"; empty without such properties.
    places: String,
    /// The number of passes that share them; 0 without such properties.
    against: usize,
    /// Whether there are almost no such passes.
    is_clear: bool,
    /// The names of the failures that were compared with them; the others may lack the properties.
    judged: HashSet<String>,
}

impl Observations {
    /// What the failures without one of these causes share.
    pub(super) fn shared_by_others(&self, causes: &[Cause]) -> Vec<Cause> {
        let (alike, _) = self.refused_alike();
        // The first failure with such a message.
        let first_alike = |of: &Failure| {
            let message = of.is_refusal().then(|| words(&of.message))?;
            let alike = alike.get(&message)?;
            (alike.len() >= FEWEST_ALIKE).then(|| alike[0])
        };
        let mut apart: BTreeMap<(&str, Option<usize>), Vec<&Failure>> = BTreeMap::new();
        let mut answers: BTreeMap<&str, Vec<&Failure>> = BTreeMap::new();
        for failure in self.unexplained(causes) {
            let symptom = symptom(failure.kind);
            let first_alike = first_alike(failure);
            let failures = match (&failure.observed, failure.kind) {
                (Observation::Process(what), _) => apart.entry((what, None)),
                _ if first_alike.is_some() => apart.entry((symptom, first_alike)),
                // An inference before the run is a separate fault, and so is a later change of an output.
                (_, Some(FailureKind::WrongInference | FailureKind::EarlierOutputChanged)) => {
                    apart.entry((symptom, None))
                }
                _ => {
                    answers.entry(symptom).or_default().push(failure);
                    continue;
                }
            };
            failures.or_default().push(failure);
        }
        let apart = apart.into_iter();
        let apart = apart.filter_map(|((does, first_alike), failures)| {
            let trials = trials_of(&failures);
            let among = first_alike.map_or(Among::All, |_| Among::Answers);
            let shared = self.shared(&trials, among);
            // They may share their surroundings, which come later.
            let is_process = matches!(failures[0].observed, Observation::Process(_));
            let says_more = !(is_process || first_alike.is_some()) || !shared.places.is_empty();
            let (message, difference) = (message(&failures), difference(&failures));
            let (does, why) = split(does);
            let does = format!("{does}{why}{message}{difference},");
            says_more.then(|| with_id_of(shared.cause(&does, trials), &message))
        });
        // What fails in surroundings alone, or where the text is open, and in another way, may be another fault.
        let is_plain = |of: &&Failure| !of.trial.is_open() && is_alone(&of.trial);
        let (plain, others): (BTreeMap<_, _>, _) =
            (answers.into_iter()).partition(|(_, failures)| failures.iter().any(is_plain));
        let answers = [plain, others].into_iter();
        let answers = answers.flat_map(|of| self.shared_by_answers(of));
        apart.chain(answers).collect()
    }

    /// What wrong answers share: all of them together, or otherwise those that are wrong in the same way.
    fn shared_by_answers(&self, symptoms: BTreeMap<&str, Vec<&Failure>>) -> Vec<Cause> {
        let all: Vec<&Trial> = symptoms.values().flatten().map(|of| &of.trial).collect();
        let together = self.shared(&all, Among::Answers);
        // What is wrong with a shape shows in three ways: some counts no longer fit, and others do.
        let wrong_shape = symptom(Some(FailureKind::WrongShape));
        let others = [FailureKind::NotRejected, FailureKind::Rejected];
        let others = others.map(|of| symptom(Some(of)));
        let is_shape = |of: &&str| *of == wrong_shape || others.contains(of);
        let mixed = match symptoms.contains_key(wrong_shape) && symptoms.keys().all(is_shape) {
            true => COMPUTES,
            false => FAILS,
        };
        // What differs in the same way is stated once, too.
        let mut alike: Vec<(String, String, Vec<&Failure>)> = Vec::new();
        for (symptom, failures) in symptoms {
            let is_content = failures[0].kind == Some(FailureKind::WrongContent);
            let difference = match is_content || failures.len() >= FEWEST {
                true => difference(&failures),
                false => String::new(),
            };
            let mut same = alike.iter_mut().filter(|_| !difference.is_empty());
            if let Some((does, _, all)) = same.find(|(_, of, _)| *of == difference) {
                *does = format!("{does} or {symptom}");
                all.extend(failures);
            } else {
                alike.push((symptom.to_owned(), difference, failures));
            }
        }
        let alike = alike.into_iter().map(|(does, difference, failures)| {
            let message = message(&failures);
            let told = match message.is_empty() {
                true => String::new(),
                false => common(&trials_of(&failures), asked) + &message,
            };
            // Their surroundings come later.
            let is_alike = !told.is_empty()
                && failures.len() >= FEWEST_ALIKE
                && failures.iter().any(|of| is_alone(&of.trial));
            let says_more = is_alike || !difference.is_empty() && failures.len() >= FEWEST;
            let end = if told.is_empty() { "" } else { "," };
            let does = does + &told + &difference + end;
            (does, says_more, message, trials_of(&failures))
        });
        let alike: Vec<_> = alike.collect();
        // One cause is stated once, although it shows in several ways.
        let is_near =
            !together.places.is_empty() && together.against <= all.len() * PASSES_PER_FAILURE;
        if together.is_clear || is_near {
            let most = |(.., of): &&(_, _, _, Vec<_>)| of.len() * 10 >= all.len() * 9;
            let (description, message) = alike
                .iter()
                .find(most)
                .map_or((mixed, ""), |of| (&of.0, &of.2));
            return vec![with_id_of(together.cause(description, all), message)];
        }
        let causes = alike
            .into_iter()
            .filter_map(|(does, says_more, message, trials)| {
                let shared = self.shared(&trials, Among::Answers);
                let says_more = says_more || !shared.places.is_empty();
                says_more.then(|| with_id_of(shared.cause(&does, trials), &message))
            });
        causes.collect()
    }

    /// The causes, in which what failures share takes in those of a mutant that differ alike: the whole of a fault says more
    /// than the part of it that looks like another one.
    pub(super) fn absorb_mutants(&self, causes: Vec<Cause>) -> Vec<Cause> {
        let named = self.failures.iter().map(|of| (of.trial.to_string(), of));
        let named: HashMap<String, &Failure> = named.collect();
        let failures_of = |cause: &Cause| -> Vec<&Failure> {
            let known = cause.trials.iter().map(|of| named.get(of));
            known.flatten().copied().collect()
        };
        let (mut mutants, mut shared): (Vec<_>, Vec<_>) =
            causes.into_iter().partition(|of| !of.mutants.is_empty());
        for cause in &mut shared {
            let mut failures = failures_of(cause);
            let Some(how) = failures.first().map(|of| of.how()) else {
                continue;
            };
            let differs = difference(&failures);
            // Where mutants have too many elements to change, these are as elsewhere, if no type limits that.
            let is_large = |of: &&Failure| {
                let shape = of.trial.expectation().shape();
                of.kind == Some(FailureKind::WrongContent) && shape.is_some_and(is_too_large)
            };
            let takes = |of: &&mut Cause| {
                let parts = of.mutants.iter().filter_map(|name| Mutant::named(name));
                let changes = !behavior(&parts.collect::<Vec<_>>()).content.is_empty();
                changes && of.only.iter().all(|place| place.starts_with("where"))
            };
            if failures.iter().all(is_large)
                && let Some(mutant) = mutants.iter_mut().find(takes)
            {
                mutant.trials.append(&mut cause.trials);
                continue;
            }
            mutants.retain(|mutant| {
                let all = [&failures[..], &failures_of(mutant)].concat();
                let most = failures.len() * if mutant.only.is_empty() { 1 } else { 3 };
                let is_part = mutant.trials.len() < most && !differs.is_empty();
                let is_alike =
                    is_part && all.iter().all(|of| of.how() == how) && difference(&all) == differs;
                let together = is_alike.then(|| self.shared(&trials_of(&all), Among::Answers));
                // No place that more passes contradict than that of the part.
                let is_as_clear = |of: &Shared| {
                    !of.places.is_empty() && (of.is_clear || of.against <= cause.against)
                };
                let Some(together) = together.filter(is_as_clear) else {
                    return true;
                };
                *cause = together.cause(&format!("{how}{differs}"), trials_of(&all));
                failures = all;
                false
            });
        }
        shared.retain(|of| !of.trials.is_empty());
        mutants.append(&mut shared);
        mutants
    }

    /// Nearly all failures that mutants can explain, if there are few mutants that fail just these, and give other answers.
    pub(super) fn failing_like_mutants(&self) -> Option<Cause> {
        let sample: Vec<_> = self
            .sample(MAX_COMPARED)
            .map(|of| TrialContext::of(&of.trial))
            .collect();
        let are_nearly_all = |some: usize, all: usize| some * 20 >= all * 19;
        let mutants = CATALOGUE.iter().map(|mutant| Hypothesis::of(vec![mutant]));
        let mutants = mutants.filter(|of| {
            let failed = sample.iter().filter(|context| of.fails(context)).count();
            are_nearly_all(failed, sample.len())
        });
        let mut alike = self.test(mutants.collect());
        let all = self.predictable().count();
        alike.retain(|of| {
            of.contradicted.is_empty() && are_nearly_all(of.explained.len() + of.otherwise, all)
        });
        let does = if_few(alike.iter().map(|of| of.hypothesis.mutants[0]))?;
        let failures = self.predictable().filter(|of| {
            let context = TrialContext::of(&of.trial);
            alike.iter().any(|like| like.hypothesis.fails(&context))
        });
        let failures: Vec<&Failure> = failures.collect();
        let trials = trials_of(&failures);
        if trials.len() < FEWEST_ALIKE {
            return None;
        }
        let kinds: BTreeSet<&str> = failures.iter().map(|of| of.how()).collect();
        let how = match kinds.first() {
            Some(how) if kinds.len() == 1 => how,
            _ if kinds.contains(symptom(Some(FailureKind::WrongContent))) => FAILS,
            _ => COMPUTES,
        };
        let place = match self.exactly(&trials) {
            Some(property) => format!("exactly where {property}"),
            None => format!("in the same trials as a backend that {does}"),
        };
        let difference = difference(&failures);
        Some(Shared::default().cause(&format!("{how}{difference} {place}"), trials))
    }

    /// The failures without one of these causes, by how they fail and by their request, or by the surroundings without
    /// which no such request fails.
    pub(super) fn others(&self, causes: &[Cause]) -> impl Iterator<Item = Cause> {
        let passed = LazyCell::new(|| lone_nodes(self.passes.iter()));
        let failed = LazyCell::new(|| lone_nodes(self.failed()));
        let is_sound = |of: &Failure| {
            let node = of.trial.of_lone_node().to_string();
            passed.contains(&node) || of.observed.hangs() && !failed.contains(&node)
        };
        // Each with its surrounding, if the lone node passes. What hangs is not run alone.
        let failures = self.unexplained(causes).map(|failure| {
            let surrounding = failure.trial.surrounding.filter(|_| is_sound(failure));
            (failure.alike(), surrounding, failure)
        });
        let failures: Vec<_> = failures.collect();
        // How many fail alike as lone nodes, and in such surroundings.
        let mut alike: BTreeMap<_, [usize; 2]> = BTreeMap::new();
        for (own, surrounding, failure) in &failures {
            let counts = alike.entry(own).or_default();
            counts[0] += usize::from(failure.trial.surrounding.is_none());
            counts[1] += usize::from(surrounding.is_some());
        }
        let failures = failures.iter().map(|(own, surrounding, failure)| {
            let counts = alike.get(own);
            let is_apart = counts.is_some_and(|[alone, sound]| alone * PER_LONE <= *sound);
            let (mut own, failure) = (own.clone(), *failure);
            let is_apart = is_apart && surrounding.is_some();
            if is_apart {
                failure.how().clone_into(&mut own.0);
                own.1.retain(|_| failure.is_refusal());
            }
            ((own, is_apart), failure)
        });
        // The surrounding of most failures is told apart from many others.
        let groups = failures.sorted().into_iter().flat_map(|(way, failures)| {
            let all = failures
                .iter()
                .map(|of| (of.trial.surrounding, ()))
                .sorted();
            let are_many = way.1 && all.len() > MAX_SURROUNDINGS;
            let mut most = all.into_iter();
            let most = most.find(|(_, of)| are_many && of.len() * 2 > failures.len());
            let most = most.map(|(surrounding, _)| surrounding);
            let is_most = |of: &&Failure| most == Some(of.trial.surrounding);
            let (of_most, others): (Vec<_>, Vec<_>) = failures.into_iter().partition(is_most);
            [of_most, others].map(|of| (way.clone(), of))
        });
        let groups = groups.filter(|(_, failures)| !failures.is_empty());
        groups.map(move |((own, is_apart), failures)| {
            let trials = trials_of(&failures);
            let (how, difference) = (&own.0, difference(&failures));
            let is_content = failures[0].kind == Some(FailureKind::WrongContent);
            let types = trials.iter().map(|of| of.element_type.name());
            let are_told = is_content || self.differ_by_type(&trials);
            let types: BTreeSet<_> = types.filter(|_| are_told && !is_apart).collect();
            let types = match types.iter().joined(" and ") {
                none if none.is_empty() => none,
                types if is_content => format!(" of {types}"),
                types => format!(" in {types}"),
            };
            let cases: BTreeSet<&str> = trials.iter().map(|of| of.case.name.as_str()).collect();
            let are_several = trials
                .iter()
                .any(|of| of.surrounding != trials[0].surrounding);
            let places = match cases.first() {
                _ if is_apart => match self.exactly(&trials).filter(|_| are_several) {
                    Some(property) => format!(" only where {property}"),
                    None => only_in(&failures),
                },
                Some(case) if cases.len() == 1 && trials.len() > 1 => {
                    let property = self.exactly(&trials).map(|of| format!(" where {of}"));
                    property.unwrap_or_else(|| format!(" in the case {case}"))
                }
                Some(_) | None => String::new(),
            };
            // The target of one trial says less than the message.
            let message = message(&failures);
            let (how, why) = split(how);
            let is_process = matches!(failures[0].observed, Observation::Process(_));
            let asked = match (is_apart || is_process, message.is_empty()) {
                (true, true) if !is_content && trials.len() > 1 => common(&trials, unusual_target),
                (false, false) if trials.len() > 1 => common(&trials, asked),
                _ => String::new(),
            };
            let how = format!("{how}{types}{asked}{difference}");
            let cause = Shared::default().cause(&format!("{how}{places}{why}{message}"), trials);
            with_id_of(cause, &message)
        })
    }

    /// Whether these trials have one element type, and what passes that asks the same has others.
    fn differ_by_type(&self, trials: &[&Trial]) -> bool {
        let first = trials.first().map(|of| (of.element_type, asked(of)));
        let is_one =
            |(of, _): &(ElementType, String)| trials.iter().all(|one| one.element_type == *of);
        first.filter(is_one).is_some_and(|(of, asks)| {
            let mut alike = self
                .passes
                .iter()
                .filter(|pass| asked(pass) == asks)
                .peekable();
            alike.peek().is_some() && alike.all(|pass| pass.element_type != of)
        })
    }

    /// A property that all these trials have, and no trial that passes.
    fn exactly(&self, trials: &[&Trial]) -> Option<&'static str> {
        let all = |has: Has| trials.iter().all(|of| has(of)) && !self.passes.iter().any(has);
        let mut general = GENERAL.iter();
        general
            .find(|(_, has)| all(*has))
            .map(|(property, _)| *property)
    }

    fn unexplained(&self, causes: &[Cause]) -> impl Iterator<Item = &Failure> {
        let explained = causes.iter().flat_map(|cause| &cause.trials);
        let explained: HashSet<&str> = explained.map(String::as_str).collect();
        let failures = self.failures.iter();
        failures.filter(move |of| !explained.contains(of.trial.to_string().as_str()))
    }

    /// The failures that pass alone, whatever they look like: those that other trials cause, and intermittent ones.
    pub(super) fn passing_alone(&self) -> Vec<Cause> {
        let refuses = |does: &Aside| matches!(does, Aside::Refuses(_));
        let does = match (self.aside.first(), self.aside.len()) {
            (Some(Aside::Does(what)), 1) => what.clone(),
            (Some(Aside::Refuses(message)), 1) => format!("refuses ({message})"),
            (Some(Aside::Refuses(message)), _) if self.aside.iter().all(refuses) => {
                format!("refuses (such as {message})")
            }
            _ => FAILS.to_owned(),
        };
        let after = format!("{does} after other trials{PASSES_ALONE},");
        let now_and_then = match does == Observation::OUT_OF_MEMORY {
            true => format!("{does} after many trials and passes alone, as a leak does,"),
            false => format!(
                "{does} now and then: what failed passes when the same trials are run again,"
            ),
        };
        let kinds = [
            (&self.stateful, &after, Alone::after_unknown()),
            (&self.unsteady, &now_and_then, Alone::Unsteady),
        ];
        let kinds = kinds.into_iter().filter(|(trials, ..)| !trials.is_empty());
        let causes = kinds.map(|(trials, description, alone)| {
            let trials: Vec<&Trial> = trials.iter().collect();
            let shared = self.shared(&trials, Among::All);
            // Which trials come after others is chance.
            let shared = match shared.is_clear {
                true => shared,
                false => Shared::default(),
            };
            Cause {
                alone: Some(alone),
                ..shared.cause(description, trials)
            }
        });
        causes.collect()
    }

    /// What the few mutants do that give nearly all answers of the trials that fail after others; or `None`.
    pub(crate) fn answers_like(&self) -> Option<String> {
        let answers = self.stateful.iter().filter_map(|trial| {
            let observed = self.given.get(&trial.to_string())?;
            Some((observed, TrialContext::of(trial)))
        });
        let answers: Vec<_> = answers.take(MAX_ANSWERS).collect();
        // A message says more about refusals.
        if answers.iter().all(|(of, _)| **of == Observation::Rejected) {
            return None;
        }
        let mutants = CATALOGUE.iter().filter(|mutant| {
            let hypothesis = Hypothesis::of(vec![mutant]);
            let others = answers.iter();
            let others = others.filter(|(of, context)| !hypothesis.explains(of, context));
            answers.len() >= FEWEST && others.count() * 10 <= answers.len()
        });
        if_few(mutants)
    }

    /// Whether the backend refused, as far as its answer in a stateful trial is known.
    pub(crate) fn refused(&self, trial: &str) -> bool {
        self.given.get(trial) == Some(&Observation::Rejected)
    }

    /// Whether the backend gave in a trial what another one's target makes of its data.
    pub(crate) fn takes_target_of(&self, trial: &Trial, earlier: &Trial) -> bool {
        let mut request = Request::clone(trial.request());
        request.target.clone_from(&earlier.request().target);
        let context = TrialContext::of(trial);
        let call = Call {
            request: &request,
            ..context.call()
        };
        let right = Observation::of(&Behavior::default().answer(&call));
        let given = self.given.get(&trial.to_string());
        // Many faults refuse.
        right != Observation::Rejected && given.is_some_and(|given| given.agrees_with(&right))
    }

    /// The passes to compare these failures with.
    fn comparable(&self, trials: &[&Trial], among: Among) -> impl Iterator<Item = &Trial> {
        let rejected = trials.iter().filter(|trial| trial.is_rejected()).count();
        let wanted = match among {
            Among::Answers if rejected == 0 => Some(false),
            Among::Answers if rejected == trials.len() => Some(true),
            Among::Answers | Among::All => None,
        };
        self.passes.iter().filter(move |trial| {
            // Where the text is open, a wrong backend can also pass.
            !trial.is_open() && wanted.is_none_or(|wanted| wanted == trial.is_rejected())
        })
    }

    /// What all these trials share that distinguishes them from passes.
    fn shared(&self, trials: &[&Trial], among: Among) -> Shared {
        let mut left: Vec<&Trial> = self.comparable(trials, among).collect();
        let mut judged = trials.to_vec();
        // No text decides about an open trial, and in a surrounding another node may fail.
        for decides in [|of: &Trial| !of.is_open(), is_alone] {
            if judged.iter().filter(|of| decides(of)).count() >= FEWEST {
                judged.retain(|of| decides(of));
                left.retain(|of| decides(of));
            }
        }
        let (all, trials, passes) = (trials, &judged[..], left.clone());
        let properties = match trials.len() {
            ..FEW => return Shared::default(),
            FEW..FEWEST => Property::of_few(trials, all),
            FEWEST.. => Property::shared_by(trials, all),
        };
        let per_name = if trials.len() < FEWEST { 1 } else { PER_NAME };
        let is_clear = |passes: usize| passes * FAILURES_PER_PASS <= trials.len();
        let mut said = two_that_exclude_all(&properties, &left, is_clear);
        left.retain(|trial| said.iter().all(|of| (of.has)(trial)));
        while said.len() < MAX_PROPERTIES && !is_clear(left.len()) {
            let remaining = |property: &Property<'_>| {
                let left = left.iter();
                left.filter(|trial| (property.has)(trial)).count()
            };
            let counted = properties.iter().map(|of| (remaining(of), of));
            // Each of several names excludes passes.
            let counted = counted
                .filter(|(count, of)| of.names < 2 || left.len() - count >= of.names * per_name);
            let Some((count, best)) = counted.min_by_key(|(count, _)| *count) else {
                break;
            };
            if count * LEAST_CUT > left.len() * (LEAST_CUT - 1) {
                break;
            }
            left.retain(|trial| (best.has)(trial));
            said.push(best);
        }
        let is_clear = is_clear(left.len()) && !said.is_empty();
        let is_narrow = trials.len() >= FEWEST && left.len() * PASSES_PER_PASS <= passes.len();
        if !is_clear && !is_narrow {
            return Shared::default();
        }
        Shared {
            places: said
                .iter()
                .map(|of| of.told(&said, &passes))
                .joined(" and "),
            against: left.len(),
            is_clear,
            judged: trials.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Two properties that exclude nearly all passes, if no single one does; otherwise empty. Three of which each excludes most
/// are rather there by chance.
fn two_that_exclude_all<'p, 'a>(
    properties: &'p [Property<'a>],
    passes: &[&Trial],
    are_few: impl Fn(usize) -> bool,
) -> Vec<&'p Property<'a>> {
    let properties = properties.iter().filter(|of| of.names < 2);
    let places = |of: &Property<'_>| Places::of(passes.iter().map(|pass| (of.has)(pass)));
    let all: Vec<_> = properties.map(|of| (of, places(of))).collect();
    if all.iter().any(|(_, places)| are_few(places.count())) {
        return Vec::new();
    }
    let pairs = all.iter().enumerate();
    let pairs = pairs.flat_map(|(at, one)| all[at + 1..].iter().map(move |two| (one, two)));
    let counted = pairs.map(|(one, two)| (one.1.and(&two.1).count(), [one.0, two.0]));
    let best = counted.min_by_key(|(count, _)| *count);
    let best = best.filter(|(count, _)| are_few(*count));
    best.map_or_else(Vec::new, |(_, two)| two.to_vec())
}

/// Whether a trial is of a lone node.
fn is_alone(trial: &Trial) -> bool {
    trial.surrounding.is_none()
}

/// The message of these refusals, with a colon before it; empty if they have several, or some failure is none.
fn message(failures: &[&Failure]) -> String {
    let all = failures
        .iter()
        .map(|of| (of.is_refusal(), words(&of.message)));
    let all: BTreeSet<_> = all.collect();
    let first = failures
        .first()
        .filter(|of| all.len() == 1 && of.is_refusal());
    let has_line = first.is_some_and(|of| !of.line().is_empty());
    let lines = failures.iter().map(|of| of.line());
    match has_line {
        true => format!(": {}", in_common(lines)),
        false => String::new(),
    }
}

/// The cause with an id without the numbers of this message in it, which may differ from run to run.
fn with_id_of(cause: Cause, message: &str) -> Cause {
    let id = id_of(&(cause.description).replacen(message, &without_numbers(message), 1));
    Cause { id, ..cause }
}

/// What these trials have in common, after a space; empty if they differ.
fn common(trials: &[&Trial], of: fn(&Trial) -> String) -> String {
    let all: BTreeSet<String> = trials.iter().map(|trial| of(trial)).collect();
    let one = all.first().filter(|one| all.len() == 1 && !one.is_empty());
    one.map_or_else(String::new, |one| format!(" {one}"))
}

fn trials_of<'a>(failures: &[&'a Failure]) -> Vec<&'a Trial> {
    failures.iter().map(|failure| &failure.trial).collect()
}

impl Shared {
    /// The cause of these trials, which do what `description` says; it ends with the comma before a place, if any.
    fn cause(&self, description: &str, mut trials: Vec<&Trial>) -> Cause {
        let description = match (self.places.as_str(), self.is_clear) {
            ("", _) => description.trim_end_matches(',').to_owned(),
            (places, true) => format!("{description} where {places}"),
            (places, false) => format!("{description} only where {places}"),
        };
        let is_other = |trial: &Trial| !self.judged.contains(&trial.to_string());
        trials.sort_by_cached_key(|trial| (is_other(trial), simplicity(trial)));
        let names = trials.into_iter().map(ToString::to_string);
        Cause::without_mutant(description, self.against, names.collect())
    }
}

/// Where failures are that are in surroundings only, to be read after how they fail; empty without any.
fn only_in(failures: &[&Failure]) -> String {
    let surroundings = failures.iter().filter_map(|of| of.trial.surrounding);
    let surroundings: BTreeSet<Surrounding> = surroundings.collect();
    let names: Vec<_> = surroundings.iter().map(|of| of.name()).collect();
    match (surroundings.first(), names.len()) {
        (None, _) => String::new(),
        (Some(one), 1) => format!(" only where {}", one.description()),
        (Some(_), ..=MAX_SURROUNDINGS) => format!(" only in the surroundings {}", names.join(", ")),
        (Some(_), count) => format!(" only in surroundings ({count} kinds)"),
    }
}

impl Failure {
    /// How it fails, to be read after "it".
    pub(super) fn how(&self) -> &str {
        if let Observation::Process(what) = &self.observed {
            return what;
        }
        symptom(self.kind)
    }

    /// The words of its refusal, or none if it changes an earlier output; `None` if it fails in another way.
    pub(super) fn way(&self) -> Option<BTreeSet<String>> {
        let is_known = self.is_refusal() && !self.message.is_empty();
        (is_known || self.observed == Observation::ChangedEarlier).then(|| words(&self.message))
    }

    /// How it fails, and the words of its refusal, or the class of its elements if these are wrong. In other failures but
    /// those of the process, how it fails says what was asked.
    fn alike(&self) -> (String, BTreeSet<String>) {
        let (how, trial) = (self.how(), &self.trial);
        let how = match (&self.observed, self.kind) {
            (Observation::Process(_), _) => how.to_owned(),
            _ if self.is_refusal() && !self.message.is_empty() => {
                return (how.to_owned(), words(&self.message));
            }
            // Elements seldom depend on the target, and kernels differ by the type.
            (_, Some(FailureKind::WrongContent)) => {
                let class = trial.element_type.class().name().to_owned();
                return (how.to_owned(), BTreeSet::from([class]));
            }
            _ => format!("{how} {}", asked(trial)),
        };
        (how, BTreeSet::new())
    }
}

/// The request of a trial, to be read after how it fails.
fn asked(trial: &Trial) -> String {
    if trial.is_rejected() {
        return format!("because {}", trial.why_rejected());
    }
    match form(trial.request()) {
        Some(form) => format!("for a target {form}"),
        None => "without a target".to_owned(),
    }
}

/// What the target of a request holds, to be read after "a target"; `None` without a target.
pub(crate) fn form(request: &Request) -> Option<&'static str> {
    let values = &request.target.as_ref()?.values;
    let zero = values.contains(&0).then(|| copies_zero(request));
    Some(match (zero, values.contains(&-1)) {
        _ if values.is_empty() => "without values",
        (None, false) => ORDINARY_FORM,
        (None, true) => "with a -1",
        (Some(Some(true)), false) => "with a copied 0",
        (Some(Some(true)), true) => "with a copied 0 and a -1",
        (Some(Some(false)), false) => "with a literal 0",
        (Some(Some(false)), true) => "with a literal 0 and a -1",
        (Some(None), false) => "with a 0",
        (Some(None), true) => "with a 0 and a -1",
    })
}

/// The target of a trial, to be read after how it fails; empty if it is like most.
fn unusual_target(trial: &Trial) -> String {
    let form = form(trial.request()).filter(|form| *form != ORDINARY_FORM);
    form.map_or_else(String::new, |form| format!("for a target {form}"))
}

/// What these mutants do; `None` if there are too many to name, or none.
fn if_few(mutants: impl Iterator<Item = &'static Mutant>) -> Option<String> {
    let does: Vec<_> = mutants.map(|mutant| mutant.description).collect();
    let are_few = (1..=MAX_ALIKE).contains(&does.len());
    are_few.then(|| does.join(", or "))
}

/// How a process fails, and the details with a colon before them.
fn split(how: &str) -> (&str, &str) {
    how.split_at(how.find(": ").unwrap_or(how.len()))
}

/// How a trial fails, to be read after "it".
fn symptom(kind: Option<FailureKind>) -> &'static str {
    match kind {
        Some(FailureKind::WrongShape) => "gives a wrong shape",
        Some(FailureKind::WrongContent) => "gives wrong elements",
        Some(FailureKind::WrongElementType) => "gives a wrong element type",
        Some(FailureKind::WrongSharing) => "shares memory, or copies, against what `copy` says",
        Some(FailureKind::NotRejected) => "accepts what the text rejects",
        Some(FailureKind::Rejected) => "refuses what the text accepts",
        Some(FailureKind::WrongInference) => "infers a wrong shape",
        Some(FailureKind::EarlierOutputChanged) => {
            "changes an output of its model when that runs again"
        }
        Some(FailureKind::WrongRunBeside) => "gives a wrong answer to a run",
        Some(FailureKind::Unsupported) => "cannot do what it claims",
        None => FAILS,
    }
}
