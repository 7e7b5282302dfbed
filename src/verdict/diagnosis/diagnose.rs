//! The search for the causes of a backend's failures: single mutants, then pairs of them.

use super::candidate::Candidate;
use super::hypothesis::{Hypothesis, TrialContext};
use super::observations::{Failure, Observation, Observations};
use super::plain::{FEWEST_CASES, PER_FEW_ALIKE};
use crate::event::{Cause, id_of};
use crate::names::Distinct;
use crate::suite::trial::simplicity;
use crate::verdict::mutant::{CATALOGUE, Mutant};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The most failures that every single mutant is compared with. What explains any is compared with every trial.
const MAX_SAMPLED: usize = 2_000;
/// The fewest refused cases to search a mutant for, if nothing else fails, and those that a limited one explains.
const FEWEST_REFUSED: usize = 10;
/// The most failures that do not tell a mutant from others, and the fewest others.
const MAX_VAGUE: usize = 2;
const FEWEST_VAGUE: usize = 2;
/// One in this many of the failures that a pair explains must need both mutants.
const MIN_EXPLAINED_BY_BOTH: usize = 10;
/// The maximum number of single mutants that are combined in pairs, and of their partners.
const MAX_PAIRED: usize = 14;

impl Observations {
    /// The causes of the failures: wrong expectations, then the others, those that explain most first. They are
    /// mutants, and what the other failures share.
    pub(crate) fn causes(&mut self) -> Vec<Cause> {
        self.set_misjudged_aside();
        let failed = [&self.stateful, &self.unsteady, &self.misjudged];
        if self.failures.is_empty() && failed.iter().all(|of| of.is_empty()) {
            return Vec::new();
        }
        // Trials end in any order, and the causes must not depend on it.
        self.failures
            .sort_by_cached_key(|failure| failure.trial.to_string());
        self.passes.sort_by_cached_key(ToString::to_string);
        self.unify_process_failures();
        let (mut causes, explained) = self.plain_causes();
        causes.extend(self.mutants_as_causes());
        causes.extend(self.shared_by_others(&causes));
        causes = self.absorb_mutants(causes);
        causes.extend(self.passing_alone());
        let others: Vec<_> = self.others(&causes).collect();
        causes.extend(others);
        self.failures.extend(explained);
        // The more passes contradict it, the less its failures count. The order of the catalogue decides among equals.
        causes.sort_by_key(|of| {
            Reverse(100 * of.trials.len().pow(2) / (of.trials.len() + of.against).max(1))
        });
        let mut causes: Vec<_> = self.wrong_expectations().chain(causes).collect();
        let mut ids = BTreeMap::new();
        for Cause { id, .. } in &mut causes {
            let times = ids.entry(id.clone()).or_insert(0);
            *times += 1;
            if *times > 1 {
                *id = format!("{id}-{times}");
            }
        }
        causes
    }

    /// Takes the failures in which the reference gives the same answer as faults of the expectation.
    fn set_misjudged_aside(&mut self) {
        let reference = Hypothesis::of(Vec::new());
        let is_misjudged = |of: &mut Failure| reference.fails_alike(of);
        let misjudged = self.failures.extract_if(.., is_misjudged);
        self.misjudged.extend(misjudged.map(|of| of.trial));
        self.misjudged.sort_by_cached_key(simplicity);
    }

    /// The expectations that the reference fails like the backend, by the file that states them.
    fn wrong_expectations(&self) -> impl Iterator<Item = Cause> {
        let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for trial in &self.misjudged {
            let file = files.entry(&trial.case.source.file).or_default();
            file.push(trial.to_string());
        }
        files.into_iter().map(|(file, trials)| Cause {
            id: id_of(&format!("wrong expectations in {file}")),
            lint: Some(format!("reshape-conformance lint {file}")),
            ..Cause::without_mutant(
                "answers as the reference does, so the expectation is probably wrong".to_owned(),
                0,
                trials,
            )
        })
    }

    /// The mutants that explain failures.
    fn mutants_as_causes(&self) -> Vec<Cause> {
        // Many mutants refuse. Which few cases are refused does not distinguish them.
        let refused_only = self
            .predictable()
            .all(|of| of.observed == Observation::Rejected);
        let cases = self.predictable().map(|of| of.trial.case.name.as_str());
        let cases: BTreeSet<&str> = cases.collect();
        if cases.is_empty() {
            return Vec::new();
        }
        let mut singles = self.singles();
        if refused_only && cases.len() < FEWEST_REFUSED {
            // What an optimizer does to its neighbors is special enough, if it explains them all.
            singles.retain(|of| of.hypothesis.is_of_neighbors() && cases.len() >= FEWEST_CASES);
            let exact = self.exact(&singles).into_iter();
            return exact
                .map(|of| of.cause(self, &singles, &of.explained))
                .collect();
        }
        // A message for what the text accepts alone shows a limit or an internal error. And one message is one fault, so what
        // explains a part of it is chance.
        let (limits, usual) = self.refused_alike();
        let limits: BTreeSet<usize> = limits.into_values().flatten().collect();
        singles.retain(|Candidate { explained, .. }| {
            let says_more = |of: &&usize| !self.failures[**of].is_refusal();
            let is_part = |of: &Vec<usize>| {
                let own = of.iter().filter(|index| explained.contains(index)).count();
                own > 0 && own * 4 < of.len() * 3
            };
            explained.iter().filter(says_more).count() * 10 > explained.len()
                || explained.is_disjoint(&limits) && !usual.values().any(is_part)
        });
        if let Some(exact) = self.exact(&singles) {
            let cause = exact.cause(self, &singles, &exact.explained);
            if cause.trials.len() > MAX_VAGUE || cause.or.len() < FEWEST_VAGUE {
                return vec![cause];
            }
            // What is seen says more than the first of many mutants.
            let or = [&cause.mutants[..], &cause.or].concat();
            let seen = self.others(&[]).map(|of| Cause {
                or: or.clone(),
                ..of
            });
            return seen.collect();
        }
        let pairs = self.pairs(&singles);
        if let Some(exact) = self.exact(&pairs) {
            return vec![exact.cause(self, &pairs, &exact.explained)];
        }
        let candidates = singles.into_iter().chain(pairs);
        let candidates = candidates.filter_map(|candidate| candidate.scoped(self));
        let candidates: Vec<_> = candidates.collect();
        let most = candidates.iter().map(|of| of.explained.len()).max();
        let is_more = |failures: usize| most.unwrap_or(0) * 2 < failures;
        let alike = is_more(self.predictable().count()).then(|| self.failing_like_mutants());
        // One that gives other answers everywhere tells more than several that give some of them here and there.
        match alike.flatten().filter(|of| is_more(of.trials.len())) {
            Some(alike) => vec![alike],
            None => choose(self, candidates),
        }
    }

    /// The one that explains every failure that can be explained, with the fewest conflicts.
    fn exact<'a>(&self, candidates: &'a [Candidate]) -> Option<&'a Candidate> {
        let exact = candidates.iter().filter(|of| of.is_exact(self));
        exact.min_by_key(|of| of.conflicts)
    }

    /// The single mutants that explain at least one sampled failure, in the catalogue's order.
    pub(super) fn singles(&self) -> Vec<Candidate> {
        let hypotheses = CATALOGUE.iter().map(|mutant| Hypothesis::of(vec![mutant]));
        let mut untested: Vec<_> = hypotheses.collect();
        let mut promising = vec![false; untested.len()];
        for failure in self.sample(MAX_SAMPLED) {
            let context = TrialContext::of(&failure.trial);
            for (hypothesis, promising) in untested.iter().zip(&mut promising) {
                *promising = *promising || hypothesis.explains(&failure.observed, &context);
            }
        }
        let mut promising = promising.into_iter();
        untested.retain(|_| promising.next() == Some(true));
        self.test(untested)
    }

    /// The pairs of the most explanatory singles that explain nearly every sampled failure.
    fn pairs(&self, singles: &[Candidate]) -> Vec<Candidate> {
        let sampled = Self {
            failures: self.sample(MAX_SAMPLED / 4).cloned().collect(),
            ..Self::default()
        };
        let explains_most =
            |pair: &Candidate| pair.explained.len() * 10 >= sampled.failures.len() * 9;
        // Compare with the sampled failures first: most pairs explain too few of them.
        let pairs = pairs_of(singles).into_iter().map(Hypothesis::of);
        let promising = sampled.test(pairs.collect()).into_iter();
        let promising = promising.filter(explains_most);
        let mut pairs = self.test(promising.map(|pair| pair.hypothesis).collect());
        for pair in &mut pairs {
            let parts = singles.iter();
            let parts =
                parts.filter(|of| pair.hypothesis.mutants.contains(&of.hypothesis.mutants[0]));
            let by_one: BTreeSet<usize> = parts.flat_map(|of| &of.explained).copied().collect();
            let all = pair.explained.len();
            let both: BTreeSet<usize> = pair.explained.difference(&by_one).copied().collect();
            // Two faults are two causes, unless each often changes what the other does.
            if both.len() * MIN_EXPLAINED_BY_BOTH < all {
                pair.explained = both;
            }
        }
        pairs.retain(|pair| !pair.explained.is_empty());
        pairs
    }

    /// About `size` of the failures, evenly spaced.
    pub(super) fn sample(&self, size: usize) -> impl Iterator<Item = &Failure> {
        let step = self.failures.len().div_ceil(size).max(1);
        self.failures.iter().step_by(step)
    }

    /// Compares hypotheses with every failure and every pass.
    pub(super) fn test(&self, hypotheses: Vec<Hypothesis>) -> Vec<Candidate> {
        let mut candidates: Vec<_> = hypotheses.into_iter().map(Candidate::new).collect();
        for (index, failure) in self.failures.iter().enumerate() {
            let context = TrialContext::of(&failure.trial);
            for candidate in &mut candidates {
                candidate.compare_failure(index, failure, &context);
            }
        }
        for (index, trial) in self.passes.iter().enumerate() {
            let context = TrialContext::of(trial);
            for candidate in &mut candidates {
                candidate.compare_pass(index, &context);
            }
        }
        let candidates = candidates.into_iter();
        candidates.map(|of| of.compared(&self.passes)).collect()
    }
}

/// Pairs of the singles that explain most, with each other and with those that explain most of the rest.
fn pairs_of(singles: &[Candidate]) -> Vec<Vec<&'static Mutant>> {
    let mut best: Vec<&Candidate> = singles.iter().collect();
    best.sort_by_key(|single| {
        let cells = usize::MAX - single.contradicted.len();
        Reverse((single.explained.len(), cells))
    });
    let nothing = BTreeSet::new();
    let covered = best.first().map_or(&nothing, |first| &first.explained);
    let mut partners = best.clone();
    partners.sort_by_key(|single| Reverse(single.explained.difference(covered).count()));
    best.truncate(MAX_PAIRED);
    partners.truncate(MAX_PAIRED);
    let seconds = || best.iter().chain(&partners);
    let pairs = best
        .iter()
        .flat_map(|first| seconds().map(move |second| [first, second]));
    let pairs = pairs.map(|pair| {
        let mut pair = pair.map(|of| of.hypothesis.mutants[0]).to_vec();
        pair.sort_by_key(|mutant| CATALOGUE.iter().position(|known| known == *mutant));
        pair
    });
    pairs.filter(|pair| pair[0] != pair[1]).distinct()
}

/// The maximum number of causes. Further failures remain without a cause.
const MAX_CAUSES: usize = 24;
/// The most failures with other answers, for each explained one, that count with a mutant that fails the same trials.
const MAX_ALSO_FAILED: usize = 2;
/// The minimum number of failures that a candidate limited to some cells must explain.
const MIN_EXPLAINED_IN_PART: usize = 3;

/// Repeatedly chooses the candidate that explains most of the remaining failures.
pub(super) fn choose(observations: &Observations, candidates: Vec<Candidate>) -> Vec<Cause> {
    let mut chosen: Vec<(&Candidate, BTreeSet<usize>)> = Vec::new();
    let mut unexplained: BTreeSet<usize> = (0..observations.failures.len()).collect();
    let failures = observations.failures.iter();
    let before_run = failures.filter(|of| of.is_before_run()).count();
    while chosen.len() < MAX_CAUSES {
        let gain = |candidate: &Candidate| candidate.explained.intersection(&unexplained).count();
        // Many mutants refuse, so refusals here and there indicate nothing.
        let refused = |index: &usize| observations.failures[*index].is_refusal();
        // What other sequences fail as well, no race causes.
        let trial = |index: &usize| &observations.failures[*index].trial;
        let in_sequences = unexplained.iter().map(trial);
        let in_sequences = in_sequences.filter(|of| of.is_in_sequence() && !of.is_concurrent());
        let in_sequences = in_sequences.count();
        let is_supported = |candidate: &&Candidate| {
            let infers = candidate.infers();
            if infers && !candidate.explains_most(before_run) {
                return false;
            }
            let in_part = !candidate.only.is_empty() || infers;
            let refuses = candidate.explained.iter().all(refused);
            let is_race = candidate
                .explained
                .iter()
                .all(|of| trial(of).is_concurrent());
            let is_chance = refuses && candidate.otherwise > candidate.explained.len();
            if is_chance || is_race && in_sequences * 2 > candidate.explained.len() {
                return false;
            }
            let fewest = match (in_part, refuses) {
                (true, true) => FEWEST_REFUSED,
                // Elements as a mutant makes them are hardly chance.
                (true, false) if candidate.is_of_elements() => 1,
                (true, false) => MIN_EXPLAINED_IN_PART,
                (false, _) => 1,
            };
            gain(candidate) >= fewest && (candidate.is_supported() || !refuses)
        };
        let rank = |candidate: &&Candidate| {
            (
                gain(candidate),
                Reverse(candidate.against()),
                candidate.only.is_empty(),
                Reverse(candidate.conflicts),
                Reverse(candidate.width()),
                Reverse(candidate.hypothesis.mutants.len()),
            )
        };
        // Among equals, `max_by_key` takes the last; reversed, that is the first in the catalogue.
        let supported = candidates.iter().rev().filter(is_supported);
        let Some(best) = supported.max_by_key(rank) else {
            break;
        };
        let explained: BTreeSet<usize> =
            best.explained.intersection(&unexplained).copied().collect();
        unexplained.retain(|index| !explained.contains(index));
        chosen.push((best, explained));
    }
    // What a mutant fails, too, is probably the same fault, although the answer is another one.
    for (candidate, explained) in &mut chosen {
        let of = |index: &usize| &observations.failures[*index];
        let also = unexplained
            .iter()
            .filter(|index| candidate.also_fails(of(index)));
        let mut also: BTreeSet<usize> = also.copied().collect();
        if also.len() > explained.len() * MAX_ALSO_FAILED {
            also.clear();
        }
        // So is what fails as all of these do, and says the same, if it is little.
        let way = explained.first().and_then(|index| of(index).way());
        let is_alike = |index: &&usize| of(index).way() == way;
        if way.is_some() && explained.iter().all(|index| is_alike(&index)) {
            let alike: Vec<usize> = unexplained.iter().filter(is_alike).copied().collect();
            if alike.len() * PER_FEW_ALIKE <= explained.len() {
                also.extend(alike);
            }
        }
        // So are the few other wrong inferences, which may come through a node that it infers.
        if candidate.infers() {
            let inferred = unexplained.iter().copied();
            also.extend(inferred.filter(|index| of(index).is_before_run()));
        }
        // What fails among concurrent runs, as all of these do, is chance.
        let is_concurrent = |index: &usize| of(index).trial.is_concurrent();
        if explained.iter().all(is_concurrent) {
            also.extend(unexplained.iter().copied().filter(is_concurrent));
        }
        unexplained.retain(|index| !also.contains(index));
        explained.extend(also);
    }
    let causes = chosen.iter();
    let causes = causes.map(|(of, explained)| of.cause(observations, &candidates, explained));
    causes.collect()
}
