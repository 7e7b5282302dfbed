//! Diagnosis: what a failing backend seems to do. The mutants, and pairs of them, are held against all that it did; pure.
//!
//! A hypothesis *explains* a failure if it would have done the same, and is *contradicted* by a trial that the backend
//! got right and it would not. Many real faults hold in a part only (a runtime target, one element type), so a
//! hypothesis is kept for the cells (operator × element type × binding) in which next to nothing contradicts it: where
//! several faults meet, one hides another now and then.

use crate::event::VerdictKind;
use crate::event::{self, Cause};
use crate::spec::outcome::{Outcome, ShapePattern};
use crate::spec::request::{Call, Request};
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType, Fill, Tensor};
use crate::verdict::judge::judge;
use crate::verdict::mutant::{Behavior, CATALOGUE, Memory, Mutant, Read, behavior};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a backend did, as far as diagnosis looks at it.
#[derive(Debug, Default)]
pub struct Record {
    failures: Vec<(Trial, Seen)>,
    passes: Vec<Trial>,
}

/// An outcome without its elements: equal if the same was done.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    Reshaped {
        shape: Vec<u64>,
        element_type: ElementType,
        content: u64,
    },
    Inferred(Option<ShapePattern>),
    Rejected,
    /// A crash and its like, which no mutant does.
    Other,
}

/// Trials that are kept; a run with more is diagnosed by the first of them.
const MOST_KEPT: usize = 200_000;
/// Failures that every mutant is held against; those it may explain are then held against all.
const MOST_SAMPLED: usize = 2_000;
/// Single mutants of which pairs are made.
const MOST_IN_PAIRS: usize = 14;
/// Failures that a hypothesis has to explain (in a cell, or in all) for each trial that contradicts it there.
const ENOUGH_FOR_ONE: usize = 6;
/// Failures that a hypothesis has to explain where it holds in a part only.
const FEWEST_IN_PART: usize = 3;
/// Findings after which the rest is left to be read as it is.
const MOST_FINDINGS: usize = 24;

impl Seen {
    fn of(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Reshaped { output, .. } => {
                let (shape, element_type) = (output.shape().to_vec(), output.element_type());
                Self::Reshaped {
                    shape,
                    element_type,
                    content: output.content_hash(),
                }
            }
            Outcome::Inferred(shape) => Self::Inferred(shape.clone()),
            Outcome::Rejected { .. } => Self::Rejected,
            Outcome::Unsupported(_)
            | Outcome::Crashed(_)
            | Outcome::TimedOut(_)
            | Outcome::OutOfMemory(_)
            | Outcome::ProtocolError(_) => Self::Other,
        }
    }

    /// The same, as it was told.
    fn told(outcome: &event::OutcomeRecord) -> Self {
        match outcome {
            event::OutcomeRecord::Reshaped {
                shape,
                element_type,
                content,
                ..
            } => {
                let element_type = element_type.as_deref().and_then(|name| name.parse().ok());
                let content = content
                    .as_deref()
                    .and_then(|text| u64::from_str_radix(text, 16).ok());
                let (Some(element_type), Some(content)) = (element_type, content) else {
                    return Self::Other;
                };
                Self::Reshaped {
                    shape: shape.clone(),
                    element_type,
                    content,
                }
            }
            event::OutcomeRecord::Inferred { inferred } => Self::Inferred(inferred.clone()),
            event::OutcomeRecord::Rejected { .. } => Self::Rejected,
            event::OutcomeRecord::Unsupported { .. }
            | event::OutcomeRecord::Crashed(_)
            | event::OutcomeRecord::TimedOut(_)
            | event::OutcomeRecord::OutOfMemory(_)
            | event::OutcomeRecord::ProtocolError(_) => Self::Other,
        }
    }

    /// Whether a hypothesis that does `predicted` would have been seen so.
    fn is(&self, predicted: &Self) -> bool {
        match (self, predicted) {
            (Self::Inferred(None), Self::Reshaped { .. }) => true,
            (Self::Inferred(Some(pattern)), Self::Reshaped { shape, .. }) => {
                crate::spec::outcome::fits(shape, pattern)
            }
            (Self::Other, _) => false,
            _ => self == predicted,
        }
    }
}

/// Whether these mutants together would have done just this.
pub(crate) fn explains(mutants: &[String], trial: &Trial, outcome: &Outcome) -> bool {
    let mutants: Vec<_> = mutants
        .iter()
        .filter_map(|name| Mutant::named(name))
        .collect();
    Seen::of(outcome).is(&Hypothesis::of(mutants).does(&TrialContext::of(trial), trial))
}

/// The mutants that would have done just this, by what each says of itself.
pub(crate) fn alike(trial: &Trial, outcome: &Outcome) -> Vec<&'static str> {
    let (asked, seen) = (TrialContext::of(trial), Seen::of(outcome));
    let does =
        |mutant: &&'static Mutant| seen.is(&Hypothesis::of(vec![*mutant]).does(&asked, trial));
    // Behavior that the trial does not call on leave it right.
    CATALOGUE
        .iter()
        .filter(|mutant| does(mutant))
        .map(|mutant| mutant.says)
        .collect()
}

impl Record {
    /// Takes down how a trial ended, as far as it says something. `outcome` is `None` if the trial was not run.
    pub(crate) fn take(&mut self, trial: &Trial, kind: VerdictKind, outcome: Option<&Outcome>) {
        match (kind, outcome) {
            (kind, Some(outcome)) if kind.is_red() => self.failed(trial, outcome),
            (VerdictKind::Passed | VerdictKind::Recorded, _) => self.passed(trial),
            _ => {}
        }
    }

    /// Takes down a result that was told before, of this trial.
    pub(crate) fn take_told(&mut self, trial: &Trial, told: &event::TrialRecord) {
        match (told.verdict, &told.outcome) {
            (kind, Some(outcome)) if kind.is_red() && self.failures.len() < MOST_KEPT => {
                self.failures.push((trial.clone(), Seen::told(outcome)));
            }
            (VerdictKind::Passed | VerdictKind::Recorded, _) => self.passed(trial),
            _ => {}
        }
    }

    /// Takes down a trial and what the backend did, if it failed.
    pub fn failed(&mut self, trial: &Trial, outcome: &Outcome) {
        if self.failures.len() < MOST_KEPT {
            self.failures.push((trial.clone(), Seen::of(outcome)));
        }
    }

    /// Takes down a trial that the backend did not fail.
    pub fn passed(&mut self, trial: &Trial) {
        if self.passes.len() < MOST_KEPT {
            self.passes.push(trial.clone());
        }
    }

    /// What the failures have in common, in the order of how much each finding explains.
    #[must_use]
    pub fn findings(&mut self) -> Vec<Cause> {
        // Trials end in any order; what is found must not hang on it.
        self.failures
            .sort_by_cached_key(|(trial, _)| trial.to_string());
        self.passes.sort_by_cached_key(ToString::to_string);
        let found = self.found();
        drop(std::mem::take(self));
        found
    }

    fn found(&self) -> Vec<Cause> {
        if self.failures.iter().all(|(_, seen)| *seen == Seen::Other) {
            return Vec::new();
        }
        let singles = self.singles();
        if let Some(exact) = singles.iter().find(|held| held.is_exact(self)) {
            return vec![self.finding(exact, &singles, &exact.explained)];
        }
        let pairs = self.pairs(&singles);
        if let Some(exact) = pairs.iter().find(|held| held.is_exact(self)) {
            return vec![self.finding(exact, &pairs, &exact.explained)];
        }
        self.greedily(
            singles
                .into_iter()
                .chain(pairs)
                .map(|held| held.scoped(self))
                .collect(),
        )
    }

    /// The single mutants that explain something, the most promising first.
    fn singles(&self) -> Vec<Candidate> {
        let step = self.failures.len().div_ceil(MOST_SAMPLED).max(1);
        let candidates: Vec<_> = CATALOGUE
            .iter()
            .map(|mutant| vec![mutant])
            .map(Hypothesis::of)
            .collect();
        let mut explains = vec![0usize; candidates.len()];
        for (trial, seen) in self
            .failures
            .iter()
            .step_by(step)
            .filter(|(_, seen)| *seen != Seen::Other)
        {
            let asked = TrialContext::of(trial);
            for (index, candidate) in candidates.iter().enumerate() {
                explains[index] += usize::from(seen.is(&candidate.does(&asked, trial)));
            }
        }
        let promising = candidates
            .into_iter()
            .zip(explains)
            .filter(|(_, explains)| *explains > 0)
            .map(|(one, _)| one);
        self.hold(promising.collect())
    }

    /// Two at once, of the singles that explain most.
    fn pairs(&self, singles: &[Candidate]) -> Vec<Candidate> {
        let mut best: Vec<&Candidate> = singles.iter().collect();
        best.sort_by_key(|held| {
            std::cmp::Reverse((held.explained.len(), usize::MAX - held.contradicted.len()))
        });
        let first: Vec<&Candidate> = best.iter().copied().take(MOST_IN_PAIRS).collect();
        // Whoever explains what those do not is a promising partner as well.
        let covered: BTreeSet<usize> = first
            .iter()
            .take(1)
            .flat_map(|held| held.explained.iter().copied())
            .collect();
        let mut partners: Vec<&Candidate> = best.clone();
        partners.sort_by_key(|held| {
            std::cmp::Reverse(
                held.explained
                    .iter()
                    .filter(|index| !covered.contains(index))
                    .count(),
            )
        });
        partners.truncate(MOST_IN_PAIRS);
        let mut pairs: Vec<Vec<&'static Mutant>> = Vec::new();
        for one in &first {
            for other in first.iter().chain(&partners) {
                let mut pair = vec![one.hypothesis.mutants[0], other.hypothesis.mutants[0]];
                pair.sort_by_key(|mutant| CATALOGUE.iter().position(|known| known == *mutant));
                if pair[0] != pair[1] && !pairs.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
        // Candidate against the failures first: most pairs fall there.
        let sampled = Self {
            failures: self.sample(),
            passes: Vec::new(),
        };
        let whole = |held: &Candidate| held.explained.len() * 10 >= sampled.failures.len() * 9;
        let promising = sampled.hold(pairs.into_iter().map(Hypothesis::of).collect());
        self.hold(
            promising
                .into_iter()
                .filter(whole)
                .map(|held| held.hypothesis)
                .collect(),
        )
    }

    fn sample(&self) -> Vec<(Trial, Seen)> {
        let step = self.failures.len().div_ceil(MOST_SAMPLED / 4).max(1);
        self.failures.iter().step_by(step).cloned().collect()
    }

    /// Holds hypotheses against everything.
    fn hold(&self, hypotheses: Vec<Hypothesis>) -> Vec<Candidate> {
        let new = |hypothesis| Candidate {
            hypothesis,
            explained: BTreeSet::new(),
            contradicted: BTreeMap::new(),
            dropped: BTreeSet::new(),
            scattered: false,
            conflicts: 0,
        };
        let mut held: Vec<_> = hypotheses.into_iter().map(new).collect();
        for (index, (trial, seen)) in self.failures.iter().enumerate() {
            let asked = TrialContext::of(trial);
            for held in &mut held {
                let does = held.hypothesis.does(&asked, trial);
                if seen.is(&does) {
                    held.explained.insert(index);
                } else if asked.fails(&held.hypothesis, trial) {
                    held.conflicts += 1;
                }
            }
        }
        for trial in &self.passes {
            let asked = TrialContext::of(trial);
            for held in &mut held {
                if asked.fails(&held.hypothesis, trial) {
                    *held.contradicted.entry(cell(trial)).or_default() += 1;
                }
            }
        }
        held
    }

    /// Takes the hypothesis that explains most of what is left, again and again.
    fn greedily(&self, held: Vec<Candidate>) -> Vec<Cause> {
        let mut findings = Vec::new();
        let mut left: BTreeSet<usize> = (0..self.failures.len()).collect();
        while findings.len() < MOST_FINDINGS {
            let gain = |held: &Candidate| held.explained.intersection(&left).count();
            // Cells that have nothing in common are where few trials happened to contradict it: it must explain far more.
            let worth = |held: &Candidate| gain(held) * if held.scattered { 3 } else { 5 };
            let rank = |held: &&Candidate| {
                let whole = held.dropped.is_empty();
                (
                    worth(held),
                    usize::MAX - held.against(),
                    whole,
                    usize::MAX - held.conflicts,
                    usize::MAX - held.hypothesis.mutants.len(),
                )
            };
            // Of equals the first in the catalogue.
            // What was narrowed down to where it fits says nothing of one or two failures.
            let supported = |held: &&Candidate| {
                gain(held)
                    >= if held.dropped.is_empty() {
                        1
                    } else {
                        FEWEST_IN_PART
                    }
            };
            let Some(best) = held.iter().rev().filter(supported).max_by_key(rank) else {
                break;
            };
            let explained: BTreeSet<usize> = best.explained.intersection(&left).copied().collect();
            findings.push(self.finding(best, &held, &explained));
            left.retain(|index| !explained.contains(index));
        }
        findings
    }

    fn finding(&self, best: &Candidate, all: &[Candidate], explained: &BTreeSet<usize>) -> Cause {
        let mutants: Vec<_> = best
            .hypothesis
            .mutants
            .iter()
            .map(|mutant| mutant.name.to_owned())
            .collect();
        let same = |other: &&Candidate| {
            other.hypothesis.mutants != best.hypothesis.mutants
                && other.hypothesis.mutants.len() == best.hypothesis.mutants.len()
                && other.explained == best.explained
                && other.contradicted == best.contradicted
                && other.dropped == best.dropped
                && other.conflicts == best.conflicts
        };
        let names = |held: &Candidate| {
            held.hypothesis
                .mutants
                .iter()
                .map(|mutant| mutant.name.to_owned())
                .collect::<Vec<_>>()
        };
        let or = all
            .iter()
            .filter(same)
            .flat_map(names)
            .filter(|name| !mutants.contains(name))
            .collect();
        let says: Vec<_> = best
            .hypothesis
            .mutants
            .iter()
            .map(|mutant| mutant.says)
            .collect();
        let mut trials: Vec<&Trial> = explained
            .iter()
            .map(|index| &self.failures[*index].0)
            .collect();
        trials.sort_by_cached_key(|trial| (trial.size(), trial.to_string()));
        let only = best.only(self);
        let trials = trials.into_iter().map(ToString::to_string).collect();
        Cause {
            says: says.join(", and "),
            mutants,
            only,
            against: best.against(),
            or,
            trials,
        }
    }
}

/// Operator, element type, binding.
type Cell = (&'static str, ElementType, &'static str);

fn cell(trial: &Trial) -> Cell {
    (
        trial.operator.name,
        trial.element_type,
        trial.binding.name(),
    )
}

struct Hypothesis {
    mutants: Vec<&'static Mutant>,
    behavior: Behavior,
}

/// A hypothesis and what speaks for and against it.
struct Candidate {
    hypothesis: Hypothesis,
    /// Failures in which it would have done the same, by index.
    explained: BTreeSet<usize>,
    /// Trials passed that it would fail, by cell.
    contradicted: BTreeMap<Cell, usize>,
    /// Cells for which it is not kept.
    dropped: BTreeSet<Cell>,
    /// Whether those are not all of some operators, element types or bindings.
    scattered: bool,
    /// Failures in which it would have failed in another way.
    conflicts: usize,
}

impl Candidate {
    /// Whether it explains all that can be explained, and nothing contradicts it.
    fn is_exact(&self, record: &Record) -> bool {
        let all = record
            .failures
            .iter()
            .filter(|(_, seen)| *seen != Seen::Other)
            .count();
        self.contradicted.is_empty() && self.explained.len() == all
    }

    /// Without the cells in which much contradicts it.
    fn scoped(mut self, record: &Record) -> Self {
        let mut explains: BTreeMap<Cell, usize> = BTreeMap::new();
        for index in &self.explained {
            *explains
                .entry(cell(&record.failures[*index].0))
                .or_default() += 1;
        }
        let tolerable = |cell: &Cell, against: usize| {
            explains.get(cell).copied().unwrap_or(0) >= against * ENOUGH_FOR_ONE
        };
        let dropped: BTreeSet<Cell> = self
            .contradicted
            .iter()
            .filter(|(cell, against)| !tolerable(cell, **against))
            .map(|(cell, _)| *cell)
            .collect();
        let kept: BTreeSet<usize> = self
            .explained
            .iter()
            .copied()
            .filter(|index| !dropped.contains(&cell(&record.failures[*index].0)))
            .collect();
        // Where it holds nearly everywhere, and the cells are too small to tell, it is kept whole.
        let most_are_kept = kept.len() * 10 >= self.explained.len() * 9;
        if !most_are_kept && self.explained.len() >= self.against() * ENOUGH_FOR_ONE {
            return self;
        }
        self.explained = kept;
        self.contradicted.retain(|cell, _| !dropped.contains(cell));
        self.dropped = dropped;
        self.scattered = !self.dropped.is_empty() && self.facet(record).is_none();
        self
    }

    fn against(&self) -> usize {
        self.contradicted.values().sum()
    }

    /// Where it holds, if not everywhere: the operators, element types or bindings that set the cells in which it
    /// explains something apart from those that were dropped.
    fn only(&self, record: &Record) -> Vec<String> {
        if self.dropped.is_empty() {
            return Vec::new();
        }
        self.facet(record).unwrap_or_else(|| {
            let good: BTreeSet<Cell> = self
                .explained
                .iter()
                .map(|index| cell(&record.failures[*index].0))
                .collect();
            vec![format!("{} of the places where it would show", good.len())]
        })
    }

    fn facet(&self, record: &Record) -> Option<Vec<String>> {
        let good: BTreeSet<Cell> = self
            .explained
            .iter()
            .map(|index| cell(&record.failures[*index].0))
            .collect();
        let facets: [fn(&Cell) -> &'static str; 3] =
            [|cell| cell.2, |cell| cell.1.name(), |cell| cell.0];
        let facet = |facet: fn(&Cell) -> &'static str| {
            let good: BTreeSet<_> = good.iter().map(facet).collect();
            let apart = self.dropped.iter().all(|cell| !good.contains(facet(cell)));
            apart.then(|| good.into_iter().map(str::to_owned).collect::<Vec<_>>())
        };
        facets.into_iter().find_map(facet)
    }
}

/// A trial as a backend is asked it, and what the reference does.
struct TrialContext {
    request: Arc<Request>,
    read: Read,
    right: Option<Vec<u64>>,
    /// The data and the hash of its elements, once somebody wants them.
    data: OnceCell<(Tensor, u64)>,
}

impl TrialContext {
    fn of(trial: &Trial) -> Self {
        let request = Arc::clone(trial.request());
        let read = Read::of(&request);
        let right = Behavior::right().resolve(&request, trial.binding, &read);
        Self {
            request,
            read,
            right,
            data: OnceCell::new(),
        }
    }

    fn data(&self, trial: &Trial) -> &(Tensor, u64) {
        self.data.get_or_init(|| {
            // The runner has made it already, so it can be made.
            let data = trial.case.data(trial.element_type);
            let data = data.unwrap_or_else(|_| Fill::Index.tensor(ElementType::U8, vec![0]));
            let content = data.content_hash();
            (data, content)
        })
    }

    fn answer(&self, hypothesis: &Hypothesis, trial: &Trial) -> Outcome {
        let call = Call {
            request: &self.request,
            binding: trial.binding,
            data: &self.data(trial).0,
        };
        hypothesis.behavior.answer_read(&call, &self.read)
    }

    /// Whether the hypothesis would fail the trial. The reference passes them all, so whoever does the same does too.
    fn fails(&self, hypothesis: &Hypothesis, trial: &Trial) -> bool {
        if hypothesis.behavior.keeps_content()
            && hypothesis
                .behavior
                .resolve(&self.request, trial.binding, &self.read)
                == self.right
        {
            return false;
        }
        let outcome = self.answer(hypothesis, trial);
        judge(
            trial.case.expectation(trial.operator),
            &self.data(trial).0,
            &outcome,
        )
        .kind()
        .is_red()
    }
}

impl Hypothesis {
    fn of(mutants: Vec<&'static Mutant>) -> Self {
        Self {
            behavior: behavior(&mutants),
            mutants,
        }
    }

    fn does(&self, asked: &TrialContext, trial: &Trial) -> Seen {
        // What hangs on the calls before cannot be told from one trial.
        if self.behavior.memory != Memory::Nothing {
            return Seen::Other;
        }
        if !self.behavior.keeps_content() {
            return Seen::of(&asked.answer(self, trial));
        }
        match self
            .behavior
            .resolve(&asked.request, trial.binding, &asked.read)
        {
            None => Seen::Rejected,
            // The elements are looked at only where there can be as many: what is missing is zero.
            Some(shape) if Count::of(&shape) == Count::of(&asked.request.data_shape) => {
                let (data, content) = asked.data(trial);
                Seen::Reshaped {
                    shape,
                    element_type: data.element_type(),
                    content: *content,
                }
            }
            Some(_) => Seen::of(&asked.answer(self, trial)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Backend;
    use crate::backend::mutant::MutantBackend;
    use crate::spec::operator::Operator;
    use crate::suite::Suite;
    use crate::suite::plan::Plan;
    use crate::suite::selection::Selection;

    /// What is found of a backend with these faults, on two operators and four element types.
    fn findings(names: &[&str]) -> Vec<Cause> {
        let suite = Suite::built_in().expect("the suite");
        let operators = ["onnx.Reshape-14", "openvino.Reshape-1"]
            .map(|name| Operator::named(name).expect("an operator"));
        let patterns = ["*/*/{f32,f16,f64,string}/*".to_owned()];
        let selection =
            Selection::new(&patterns, false, Some(operators.to_vec())).expect("a selection");
        let mutants: Vec<_> = names
            .iter()
            .map(|name| Mutant::named(name).expect("a mutant"))
            .collect();
        let mut backend = MutantBackend::new(&mutants);
        let mut record = Record::default();
        for trial in Plan::new(&suite, &selection, None).trials() {
            let data = trial.case.data(trial.element_type).expect("data");
            let outcome = backend.reshape(&Call {
                request: trial.request(),
                binding: trial.binding,
                data: &data,
            });
            if judge(trial.case.expectation(trial.operator), &data, &outcome)
                .kind()
                .is_red()
            {
                record.failed(trial, &outcome);
            } else {
                record.passed(trial);
            }
        }
        record.findings()
    }

    #[test]
    fn the_reference_gives_nothing_to_find() {
        assert_eq!(findings(&[]), []);
    }

    #[test]
    fn a_single_fault_is_one_finding_that_nothing_speaks_against() {
        for name in [
            "zero-never-copies",
            "copied-zero-from-the-right",
            "runtime-target-in-i32",
            "nan-quieted",
            "column-major",
        ] {
            let found = findings(&[name]);
            assert_eq!(found.len(), 1, "{name}: {found:?}");
            assert_eq!(
                (found[0].mutants.as_slice(), found[0].against),
                (&[name.to_owned()][..], 0)
            );
        }
    }

    #[test]
    fn of_ten_planted_pairs_nearly_all_are_named() {
        let pairs = [
            ["zero-always-copies", "counts-in-32-bits"],
            ["copied-zero-from-the-right", "count-unchecked"],
            ["second-minus-one-is-1", "nan-quieted"],
            ["minus-one-rounds-down", "column-major"],
            ["runtime-target-in-i32", "one-value-at-run-flattens"],
            ["any-negative-is-minus-one", "last-element-lost"],
            ["copied-zero-clamped", "empty-tensors-refused"],
            ["dims-of-1-dropped", "f64-through-f32"],
            ["zero-mode-inverted", "strings-cut-at-nul"],
            ["ranks-past-6-refused", "count-unchecked-on-empty-data"],
        ];
        let mut named = 0;
        for pair in pairs {
            let found = findings(&pair);
            let names: Vec<_> = found
                .iter()
                .flat_map(|finding| finding.mutants.iter().chain(&finding.or))
                .collect();
            if pair
                .iter()
                .all(|name| names.iter().any(|named| named == name))
            {
                named += 1;
            }
        }
        assert!(named >= 8, "{named} of {}", pairs.len());
    }
}
