//! The plain statement: the backend refuses, crashes on or cannot do a whole group of trials. It comes before any
//! mutant: most such failures show a feature that the backend never had, not a rule that it breaks.

use super::features::{Feature, Places, features};
use super::observations::{Failure, Observation, Observations};
use super::property::Kind;
use super::wording::{Wordings, joined, words};
use crate::event::{Cause, FailureKind, id_of};
use crate::model::surroundings::Surrounding;
use crate::names::Grouped;
use crate::suite::trial::{Trial, simplicity};
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The fewest failures in a group.
const FEWEST: usize = 5;
/// The fewest, if they are all trials with a value that a manifest can leave out.
const FEWEST_WHOLE: usize = 2;
/// The fewest cases in a group. How one case fails says little about others.
pub(super) const FEWEST_CASES: usize = 3;
/// One in this many trials of a group may pass, and one in this many failures like it may lie outside.
const TOLERATED: usize = 20;
/// A group has at least so many failures for each with its message that lies outside and counts with it.
pub(super) const PER_FEW_ALIKE: usize = 4;
/// The most features that failures have in common to combine in pairs.
const MAX_HELD: usize = 12;
/// The most groups with one message.
const MAX_GROUPS: usize = 4;
/// The most messages to examine, the most frequent first.
const MAX_MESSAGES: usize = 24;
/// The most characters of a message to quote.
const MAX_MESSAGE: usize = 120;

/// How a group fails, apart from wrong results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Symptom {
    /// It refuses what the text accepts.
    Refuses,
    /// It cannot do what it claims.
    Unsupported,
    /// Its process fails.
    Process,
}

/// How a failure fails, and the words of its message.
fn symptom_and_message(failure: &Failure) -> (Option<Symptom>, BTreeSet<String>) {
    let symptom = match (&failure.observed, failure.kind) {
        (Observation::Process(what), _) => return (Some(Symptom::Process), words(what)),
        (_, Some(FailureKind::Unsupported)) => Some(Symptom::Unsupported),
        _ if failure.is_refusal() => Some(Symptom::Refuses),
        _ => None,
    };
    (symptom, words(&failure.message))
}

/// A group of trials that fail alike.
struct Group {
    /// Its description, to be read after a verb.
    description: String,
    /// The failures in it, by index, and a few others with its message.
    failures: Vec<usize>,
    /// The number of failures in it.
    count: usize,
    /// The number of trials of the run in it.
    size: usize,
    /// How many of them passed.
    passes: usize,
    /// The part of the claim to drop, if the backend is not meant to do it; `None` if a manifest cannot express it.
    claim_less: Option<String>,
}

/// The trials that could fail in some way, with their features.
struct Field<'a> {
    /// Each with its index. Those that failed come first, with their index among the failures.
    trials: Vec<(usize, &'a Trial)>,
    /// The number of all failures.
    failed: usize,
    features: Vec<Feature>,
}

impl<'a> Field<'a> {
    /// What the text rejects may be rejected before it comes to this, so it only counts if it fails.
    fn of(observations: &'a Observations, accepted_only: bool) -> Self {
        let failed = observations.failures.iter().map(|failure| &failure.trial);
        let all = failed.chain(&observations.passes).enumerate();
        let trials: Vec<_> = all
            .filter(|(at, trial)| {
                trial.is_accepted() || !accepted_only && *at < observations.failures.len()
            })
            .collect();
        let features = features(&trials.iter().map(|(_, trial)| *trial).collect::<Vec<_>>());
        Self {
            trials,
            failed: observations.failures.len(),
            features,
        }
    }

    /// The groups that contain these failures, no others, and almost no passing trial; empty if the failures form no
    /// such groups. Failures that have no message in common form at most one: almost all of them, or those with one
    /// feature, without which almost no trial fails.
    fn groups(&self, failures: &[usize], alike: bool) -> Vec<Group> {
        let passing = self
            .trials
            .partition_point(|(index, _)| *index < self.failed);
        let most = if alike { MAX_GROUPS } else { 1 };
        let failures: HashSet<usize> = failures.iter().copied().collect();
        let trials = self.trials.iter();
        let failing = Places::of(trials.clone().map(|(index, _)| failures.contains(index)));
        let (mut left, mut rest) = (Places::of(trials.map(|_| true)), failing.clone());
        let (mut groups, mut single) = (Vec::new(), false);
        while groups.len() < most && rest.count() > 0 {
            let Some(best) = best(&left, &rest, &self.features) else {
                break;
            };
            let found = best.places.and(&rest);
            let found: Vec<_> = found.each().map(|at| self.trials[at]).collect();
            let cases: HashSet<&str> = found.iter().map(|(_, of)| of.case.name.as_str()).collect();
            if cases.len() < best.fewest_cases() {
                return Vec::new();
            }
            groups.push(Group {
                description: match best.values.is_empty() && !groups.is_empty() {
                    true => "everything else".to_owned(),
                    false => best.description(),
                },
                claim_less: best.claim_less(),
                count: found.len(),
                failures: found.into_iter().map(|(index, _)| index).collect(),
                size: best.places.count(),
                passes: best.places.each().filter(|at| *at >= passing).count(),
            });
            single = best.with.is_empty();
            left = left.without(&best.places);
            rest = rest.without(&best.places);
        }
        let outside = rest.count() * TOLERATED;
        match outside <= failing.count() || !alike && single && outside <= left.count() {
            true => groups,
            false => Vec::new(),
        }
    }
}

impl Observations {
    /// The plain causes, and the failures that they explain. The search for mutants no longer counts those.
    pub(super) fn plain_causes(&mut self) -> (Vec<Cause>, Vec<Failure>) {
        let mut groups = self.without_better_explained(self.plain_groups());
        self.add_few_alike(&mut groups);
        let groups = self.one_for_each_message(groups);
        let causes = groups.iter();
        let causes = causes.map(|(symptom, group)| self.plain_cause(*symptom, group));
        let causes = causes.collect();
        let explained = groups.into_iter().flat_map(|(_, group)| group.failures);
        let explained: HashSet<usize> = explained.collect();
        let mut index = 0..;
        let explained = self.failures.extract_if(.., |_| {
            index.next().is_some_and(|index| explained.contains(&index))
        });
        (causes, explained.collect())
    }

    /// Adds to each group the failures outside of all groups that have one of its messages, if they are few.
    fn add_few_alike(&self, groups: &mut [(Symptom, Group)]) {
        let key = |index: usize| symptom_and_message(&self.failures[index]);
        let grouped = groups.iter().flat_map(|(_, group)| &group.failures);
        let grouped: HashSet<usize> = grouped.copied().collect();
        let left = (0..self.failures.len()).filter(|index| !grouped.contains(index));
        let left = left.map(|index| (key(index), index));
        let mut left = left
            .filter(|((_, message), _)| !message.is_empty())
            .sorted();
        for (_, group) in groups {
            let own: BTreeSet<_> = group.failures.iter().map(|index| key(*index)).collect();
            let alike = own.iter().filter_map(|key| left.get(key)).map(Vec::len);
            if alike.sum::<usize>() * PER_FEW_ALIKE <= group.failures.len() {
                let alike = own.iter().filter_map(|key| left.remove(key));
                group.failures.extend(alike.flatten());
            }
        }
    }

    /// The groups, with those of one message as one.
    fn one_for_each_message(&self, groups: Vec<(Symptom, Group)>) -> Vec<(Symptom, Group)> {
        let first = |of: &Group| symptom_and_message(&self.failures[of.failures[0]]);
        let mut all: Vec<(Symptom, Group)> = Vec::new();
        for (symptom, group) in groups {
            let own = first(&group);
            let mut alike = all.iter_mut().filter(|_| !own.1.is_empty());
            let Some((_, one)) = alike.find(|(_, of)| first(of) == own) else {
                all.push((symptom, group));
                continue;
            };
            one.description = format!("{}, and {}", one.description, group.description);
            one.failures.extend(group.failures);
            one.count += group.count;
            one.size += group.size;
            one.passes += group.passes;
            let both = one.claim_less.take().zip(group.claim_less);
            one.claim_less = both.map(|(one, other)| format!("{one}, and {other}"));
        }
        all
    }

    /// The groups but those whose failures a mutant predicts together with wrong results or acceptances.
    fn without_better_explained(&self, mut groups: Vec<(Symptom, Group)>) -> Vec<(Symptom, Group)> {
        let says_more = |index: &usize| {
            let failure = &self.failures[*index];
            failure.observed.is_predictable() && failure.observed != Observation::Rejected
        };
        if groups.is_empty() || !(0..self.failures.len()).any(|index| says_more(&index)) {
            return groups;
        }
        let singles = self.singles().into_iter();
        let singles: Vec<_> = singles.filter_map(|mutant| mutant.scoped(self)).collect();
        groups.retain(|(_, group)| {
            !singles.iter().any(|mutant| {
                let of_group = group.failures.iter();
                let of_group = of_group.filter(|index| mutant.explained.contains(index));
                let others = mutant.explained.iter().filter(|index| says_more(index));
                (group.failures.len() - of_group.count()) * TOLERATED <= group.failures.len()
                    && others.count() >= FEWEST
                    && mutant.is_supported()
            })
        });
        groups
    }

    /// The groups of failures that are alike.
    fn plain_groups(&self) -> Vec<(Symptom, Group)> {
        let mut messages: BTreeMap<Symptom, Wordings> = BTreeMap::new();
        for (index, failure) in self.failures.iter().enumerate() {
            if let (Some(symptom), message) = symptom_and_message(failure) {
                let of_symptom = messages.entry(symptom).or_default();
                of_symptom.entry(message).or_default().push(index);
            }
        }
        let (accepted, all) = (OnceCell::new(), OnceCell::new());
        let mut groups = Vec::new();
        for (symptom, messages) in messages {
            let whole: Vec<usize> = messages.values().flatten().copied().collect();
            let is_accepted = |at: &usize| self.failures[*at].trial.is_accepted();
            let accepted_only = symptom == Symptom::Refuses || whole.iter().all(is_accepted);
            let field = if accepted_only { &accepted } else { &all };
            let field = field.get_or_init(|| Field::of(self, accepted_only));
            let mut of_symptom: Vec<Group> = Vec::new();
            for alike in joined(&messages, 50).into_iter().take(MAX_MESSAGES) {
                let apart = alike.iter().filter(|of| of.len() >= FEWEST);
                let mut found: Vec<_> = apart.flat_map(|of| field.groups(of, true)).collect();
                // Of several wordings, one statement is enough if it holds for all of them.
                let together = field.groups(&alike.concat(), true);
                if !together.is_empty() && (found.is_empty() || together.len() < found.len()) {
                    found = together;
                }
                of_symptom.extend(found);
            }
            // A feature that is missing may be refused with another message each time. The message of a crash is its kind.
            let wide = match symptom {
                Symptom::Refuses | Symptom::Unsupported => field.groups(&whole, false),
                Symptom::Process => Vec::new(),
            };
            for wide in wide {
                let of_wide: HashSet<usize> = wide.failures.iter().copied().collect();
                // Most failures with its messages lie in it, or they have another cause.
                let own = |of: &Vec<usize>| of.iter().any(|at| of_wide.contains(at));
                let alike = messages.iter();
                let alike = alike.filter(|(words, of)| !words.is_empty() && own(of));
                if alike.map(|(_, of)| of.len()).sum::<usize>() > 2 * wide.failures.len() {
                    continue;
                }
                let is_in = |group: &Group| group.failures.iter().all(|at| of_wide.contains(at));
                let told = of_symptom.iter().filter(|group| is_in(group));
                let covered: usize = told.clone().map(|group| group.failures.len()).sum();
                let most = wide.failures.len() - wide.failures.len() / TOLERATED;
                if covered < most || covered < wide.failures.len() && told.count() == 1 {
                    of_symptom.retain(|group| !is_in(group));
                    for group in &mut of_symptom {
                        group.failures.retain(|at| !of_wide.contains(at));
                        group.count = group.failures.len();
                    }
                    of_symptom.retain(|group| !group.failures.is_empty());
                    of_symptom.push(wide);
                }
            }
            groups.extend(of_symptom.into_iter().map(|group| (symptom, group)));
        }
        groups
    }

    fn plain_cause(&self, symptom: Symptom, group: &Group) -> Cause {
        let failures = group.failures.iter().map(|index| &self.failures[*index]);
        let mut failures: Vec<_> = failures.collect();
        failures.sort_by_cached_key(|failure| simplicity(&failure.trial));
        let (count, size, what) = (group.count, group.size, &group.description);
        let until = match self.ended_early {
            true => ", until it was asked no more",
            false => "",
        };
        let line = failures.first().map_or("", |first| first.line());
        let message: String = line.chars().take(MAX_MESSAGE).collect();
        let own = words(&message);
        let is_other = |of: &&Failure| !own.is_empty() && words(&of.message).is_disjoint(&own);
        let message = match failures.iter().any(is_other) {
            true => format!("such as {message}"),
            false => message,
        };
        let description: String = match symptom {
            Symptom::Refuses => {
                let accepted = format!("{count} of {size} that the text accepts");
                format!("refuses {what} ({accepted}{until}): {message}")
            }
            Symptom::Unsupported => {
                format!("cannot do {what}, which it claims ({count} of {size}{until}): {message}")
            }
            Symptom::Process => match failures.first().map(|first| &first.observed) {
                Some(Observation::Process(how)) => {
                    let (does, why) = how.split_once(": ").unwrap_or((how, ""));
                    format!("{does} on {what} ({count} of {size}{until}): {why}")
                }
                Some(_) | None => format!("fails on {what} ({count} of {size}{until})"),
            },
        };
        let trials = failures.iter().map(|failure| failure.trial.to_string());
        Cause {
            id: id_of(description.split(" (").next().unwrap_or_default()),
            claim_less: group.claim_less.clone(),
            ..Cause::without_mutant(description, group.passes, trials.collect())
        }
    }
}

/// The values of one kind, or one feature, in which nearly every trial fails, possibly limited to other features.
struct Ground<'a> {
    /// Empty for everything.
    values: Vec<&'a Feature>,
    with: Vec<&'a Feature>,
    places: Places,
    /// The number of failures in it.
    gain: usize,
}

impl Ground<'_> {
    fn names(&self, conjunction: &str) -> String {
        let names: Vec<_> = self.values.iter().map(|of| of.value.as_str()).collect();
        match &names[..] {
            [] => String::new(),
            [one] => (*one).to_owned(),
            [first @ .., last] => format!("{} {conjunction} {last}", first.join(", ")),
        }
    }

    /// To be read after a verb.
    fn description(&self) -> String {
        let Some(kind) = self.values.first().map(|of| of.kind) else {
            return "everything".to_owned();
        };
        let mut parts = vec![(kind, self.names(kind.conjunction()))];
        parts.extend(self.with.iter().map(|with| (with.kind, with.value.clone())));
        let (mut description, mut link) = ("everything".to_owned(), " where ");
        parts.sort_by_key(|(kind, _)| *kind != Kind::Operator);
        for (kind, values) in parts {
            if kind == Kind::Operator {
                description.push_str(" of ");
            } else {
                description.push_str(std::mem::replace(&mut link, " and "));
                description.push_str(kind.description());
            }
            description.push_str(&values);
        }
        description
    }

    /// The fewest cases to fail in it. Two are enough for a whole element type, say.
    fn fewest_cases(&self) -> usize {
        FEWEST_CASES - usize::from(self.is_of_manifest())
    }

    /// Whether it has all trials with values that a manifest lists.
    fn is_of_manifest(&self) -> bool {
        let first = self.values.first().filter(|_| self.with.is_empty());
        first.is_some_and(|of| of.kind.manifest_field().is_some())
    }

    /// What a manifest can leave out, if the backend is not meant to do this.
    fn claim_less(&self) -> Option<String> {
        let first = self.values.first().filter(|_| self.with.is_empty())?;
        if let Some(how) = &first.claim_less {
            return Some(how.clone());
        }
        let field = first.kind.manifest_field()?;
        // Other runs are nothing that a backend may be unable to make.
        let surrounding = first.value.parse::<Surrounding>();
        if surrounding.is_ok_and(Surrounding::is_sequence) {
            return None;
        }
        let names = self.names("and");
        Some(match field.strip_prefix("limits.") {
            Some(limit) => format!("state the limit `{limit}` without {names}"),
            None => format!("leave {names} out of the `{field}` that it claims"),
        })
    }
}

/// The ground with most failures.
fn best<'a>(left: &Places, failing: &Places, features: &'a [Feature]) -> Option<Ground<'a>> {
    let everything = Ground {
        values: Vec::new(),
        with: Vec::new(),
        places: left.clone(),
        gain: failing.count(),
    };
    if fails_throughout(left, failing) {
        return Some(everything);
    }
    let single = best_values(left, failing, features, &[]);
    let gain = single.as_ref().map_or(0, |single| single.gain);
    // Two features are less specific than one, so they must explain clearly more.
    let enough = gain + failing.count() / TOLERATED;
    if enough >= failing.count() {
        return single;
    }
    let with = features.iter().filter(|of| of.goes_with_others);
    let best = with
        .clone()
        .filter_map(|with| best_values(&left.and(&with.places), failing, features, &[with]))
        .filter(|pair| pair.gain > enough)
        .fold(single, more);
    // Three features have to explain all of it.
    let most = failing.count() - failing.count() / TOLERATED;
    let holds = with.filter(|of| of.places.and(failing).count() >= most);
    let holds: Vec<_> = holds.collect();
    if best.is_some() || holds.len() > MAX_HELD {
        return best;
    }
    let pairs = holds.iter().enumerate();
    let pairs = pairs.flat_map(|(at, one)| holds[at + 1..].iter().map(move |two| [*one, *two]));
    pairs
        .filter_map(|[one, two]| {
            let left = left.and(&one.places).and(&two.places);
            best_values(&left, failing, features, &[one, two])
        })
        .filter(|three| three.gain >= most)
        .fold(None, more)
}

/// The values of one kind, or the feature, with the most failures among those where nearly every trial of `left` fails.
fn best_values<'a>(
    left: &Places,
    failing: &Places,
    features: &'a [Feature],
    with: &[&'a Feature],
) -> Option<Ground<'a>> {
    let is_alike = |one: &Feature, next: &Feature| one.kind != Kind::Other && one.kind == next.kind;
    let grounds = features.chunk_by(is_alike);
    let grounds = grounds.filter_map(|values| {
        let mut ground = Ground {
            values: Vec::new(),
            with: with.to_vec(),
            places: left.without(left),
            gain: 0,
        };
        for value in values {
            let places = left.and(&value.places);
            if fails_throughout(&places, failing) {
                ground.values.push(value);
                ground.places = ground.places.or(&places);
            }
        }
        ground.gain = ground.places.and(failing).count();
        // Several ranks and another feature fit too much.
        if values[0].kind == Kind::DataDims && ground.values.len() > 1 && !with.is_empty() {
            return None;
        }
        // A whole element type, say, may have few trials.
        let is_whole = ground.is_of_manifest() && ground.gain == ground.places.count();
        let fewest = if is_whole { FEWEST_WHOLE } else { FEWEST };
        (ground.gain >= fewest).then_some(ground)
    });
    grounds.fold(None, more)
}

/// The first, unless the second has more failures, or as many among fewer trials, or a manifest can exclude only it.
fn more<'a>(first: Option<Ground<'a>>, second: Ground<'a>) -> Option<Ground<'a>> {
    let rank = |of: &Ground<'_>| {
        let places = Reverse(of.places.count());
        (of.gain, places, of.claim_less().is_some())
    };
    match first {
        Some(first) if rank(&first) >= rank(&second) => Some(first),
        Some(_) | None => Some(second),
    }
}

/// Whether nearly all of these places are among the failing ones.
fn fails_throughout(places: &Places, failing: &Places) -> bool {
    let (all, failing) = (places.count(), places.and(failing).count());
    failing > 0 && (all - failing) * TOLERATED <= all
}
