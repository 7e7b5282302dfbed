//! Random trials beyond what can be enumerated. Trial number `n` of a seed is always the same, so a search can be taken up
//! again where it ended.

use super::Space;
use crate::run::result::TrialResult;
use crate::spec::outcome::{Outcome, fits};
use crate::suite::generated::GeneratedCase;
use crate::suite::plan::{Group, Trial};
use crate::verdict::mutant::{Behavior, CATALOGUE, Memory, OracleAnswer, behavior};
use fastrand::Rng;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The most elements of data.
pub(super) const MOST_ELEMENTS: u64 = 4096;
/// Of so many, a guided search takes the one that tells most.
const CANDIDATES: usize = 24;
/// Values at which narrower types end, and their neighbours.
const EDGES: &[i64] = &[
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0xff_ffff,
    0x100_0001,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    (1 << 53) + 1,
    1 << 62,
    i64::MAX,
];

/// Random trials, one after another.
pub(crate) struct Random {
    space: Space,
    seed: u64,
    next: u64,
    end: u64,
    guide: Option<Arc<Hypotheses>>,
}

impl Random {
    /// Trials `from` to `end` of a seed, guided by what is not refuted yet, if a guide is there.
    pub(crate) fn new(
        space: Space,
        seed: u64,
        from: u64,
        end: u64,
        guide: Option<Arc<Hypotheses>>,
    ) -> Self {
        Self {
            space,
            seed,
            next: from,
            end,
            guide,
        }
    }
}

impl Iterator for Random {
    type Item = Group;

    fn next(&mut self) -> Option<Group> {
        if self.next >= self.end || self.space.cells.is_empty() {
            return None;
        }
        // A number's own generator: mixed, so that neighbours have nothing in common.
        let mut rng = Rng::with_seed(self.seed ^ self.next.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        self.next += 1;
        let (operator, element_type, binding) =
            self.space.cells[rng.usize(..self.space.cells.len())];
        let mut one = || {
            situation(&mut rng, operator, self.space.rank).trial(operator, element_type, binding)
        };
        let trial = match &self.guide {
            None => one(),
            Some(guide) => {
                let candidates = (0..CANDIDATES).map(|_| one());
                candidates.max_by_key(|trial| guide.told_apart_by(trial))?
            }
        };
        Some(Group {
            trials: vec![trial],
        })
    }
}

fn situation(
    rng: &mut Rng,
    operator: &'static crate::spec::operator::Operator,
    rank: usize,
) -> GeneratedCase {
    // Few are long, since most of what can go wrong takes few dims.
    let often = if rng.u8(..8) == 0 { rank } else { rank.min(5) };
    let data = shape(rng, often);
    let longest = if rng.u8(..16) == 0 {
        rank
    } else {
        rank.min(data.len() + 2)
    };
    let mut target = regrouped(rng, &data, longest);
    for _ in 0..rng.usize(..3) {
        damage(rng, &data, &mut target, rank);
    }
    let modes = GeneratedCase::all_modes(operator, &target);
    GeneratedCase {
        zero: modes[rng.usize(..modes.len())],
        data,
        target,
    }
}

/// Up to `most` data dims: few elements, or none beside lengths at the edges.
fn shape(rng: &mut Rng, most: usize) -> Vec<u64> {
    let rank = rng.usize(..=most);
    let mut dims: Vec<u64> = Vec::with_capacity(rank);
    let mut count = 1;
    for _ in 0..rank {
        let dim = if rng.bool() {
            rng.u64(1..=4)
        } else {
            rng.u64(1..=13)
        };
        let dim = if count * dim > MOST_ELEMENTS { 1 } else { dim };
        count *= dim;
        dims.push(dim);
    }
    // Or the first would be the long ones, and the last all 1.
    rng.shuffle(&mut dims);
    if !dims.is_empty() && rng.u8(..5) == 0 {
        let zero = rng.usize(..dims.len());
        for (at, dim) in dims.iter_mut().enumerate() {
            if at == zero {
                *dim = 0;
            } else if rng.u8(..4) == 0 {
                *dim = edge(rng).unsigned_abs();
            }
        }
    }
    dims
}

fn edge(rng: &mut Rng) -> i64 {
    EDGES[rng.usize(..EDGES.len())]
}

/// A good target for the data, of up to `longest` values: its factors dealt out anew.
fn regrouped(rng: &mut Rng, data: &[u64], longest: usize) -> Vec<i64> {
    let mut target = vec![1i64; rng.usize(..=longest)];
    if rng.u8(..4) == 0 || target.is_empty() {
        return data.iter().map(|dim| *dim as i64).collect();
    }
    for factor in data.iter().copied().flat_map(factors) {
        let at = rng.usize(..target.len());
        target[at] = target[at].saturating_mul(factor as i64);
    }
    target
}

/// The prime factors of a small length; a long one, or 0, as it is.
fn factors(mut number: u64) -> Vec<u64> {
    if !(2..=MOST_ELEMENTS).contains(&number) {
        return vec![number];
    }
    let mut factors = Vec::new();
    let mut factor = 2;
    while number > 1 {
        if number.is_multiple_of(factor) {
            factors.push(factor);
            number /= factor;
        } else {
            factor += 1;
        }
    }
    factors
}

/// Changes a target in one way of those that runtimes stumble over.
fn damage(rng: &mut Rng, data: &[u64], target: &mut Vec<i64>, rank: usize) {
    if target.is_empty() {
        target.extend([1, 0, -1].get(rng.usize(..4)));
        return;
    }
    let at = rng.usize(..target.len());
    match rng.u8(..13) {
        0..3 => target[at] = -1,
        3 | 4 => target[at] = 0,
        // The value that a copied 0 would take, as one.
        5 => {
            if let Some(same) = (0..target.len())
                .find(|at| data.get(*at).is_some_and(|dim| *dim as i64 == target[*at]))
            {
                target[same] = 0;
            }
        }
        6 => target[at] = target[at].saturating_add(if rng.bool() { 1 } else { -1 }),
        7 => target[at] = edge(rng),
        8 => target[at] = -rng.i64(2..=9),
        9 if target.len() < rank => target.insert(at, if rng.bool() { 1 } else { rng.i64(-1..=3) }),
        9 | 10 => drop(target.remove(at)),
        // The same in the low bits alone.
        11 => target[at] = target[at].wrapping_add(if rng.bool() { 1 << 32 } else { 1 << 31 }),
        _ => {
            let other = rng.usize(..target.len());
            target.swap(at, other);
        }
    }
}

/// The mutants that a backend has not refuted, of those that show in a shape.
pub(crate) struct Hypotheses {
    all: Vec<(&'static str, Behavior)>,
    living: Mutex<HashSet<usize>>,
}

impl Hypotheses {
    /// All those that can show in a shape.
    pub(crate) fn new() -> Self {
        let all: Vec<_> = CATALOGUE
            .iter()
            .map(|mutant| (mutant.name, behavior(&[mutant])))
            .collect();
        let all: Vec<_> = all
            .into_iter()
            .filter(|(_, h)| h.keeps_content() && h.memory == Memory::Nothing)
            .collect();
        let living = Mutex::new((0..all.len()).collect());
        Self { all, living }
    }

    /// How many different things the living ones would do, and how many of them something wrong.
    fn told_apart_by(&self, trial: &Trial) -> (usize, usize) {
        let living = self.living.lock().unwrap_or_else(PoisonError::into_inner);
        let request = trial.request();
        let read = OracleAnswer::of(&request);
        let right = Behavior::right().resolve(&request, trial.binding, &read);
        let does: Vec<_> = living
            .iter()
            .map(|at| self.all[*at].1.resolve(&request, trial.binding, &read))
            .collect();
        let wrong = does.iter().filter(|does| **does != right).count();
        (does.into_iter().collect::<HashSet<_>>().len(), wrong)
    }

    /// Refutes those that would have done otherwise.
    pub(crate) fn learn(&self, result: &TrialResult) {
        let trial = &result.trial;
        match &result.outcome {
            Some(Outcome::Reshaped { output, .. }) => {
                self.learn_of(trial, &|does| does == Some(output.shape()))
            }
            Some(Outcome::Inferred(None)) => self.learn_of(trial, &|does| does.is_some()),
            Some(Outcome::Inferred(Some(shape))) => {
                self.learn_of(trial, &|does| does.is_some_and(|does| fits(does, shape)))
            }
            Some(Outcome::Rejected { .. }) => self.learn_of(trial, &|does| does.is_none()),
            _ => {}
        }
    }

    fn learn_of(&self, trial: &Trial, did: &dyn Fn(Option<&[u64]>) -> bool) {
        let request = trial.request();
        let read = OracleAnswer::of(&request);
        let right = Behavior::right().resolve(&request, trial.binding, &read);
        let mut living = self.living.lock().unwrap_or_else(PoisonError::into_inner);
        // Where the texts leave it open, doing otherwise than the reference refutes nobody.
        living.retain(|at| {
            let does = self.all[*at].1.resolve(&request, trial.binding, &read);
            does == right || did(does.as_deref())
        });
    }

    /// Those that no trial refuted.
    pub(crate) fn left(&self) -> Vec<&'static str> {
        let living = self.living.lock().unwrap_or_else(PoisonError::into_inner);
        let mut left: Vec<usize> = living.iter().copied().collect();
        left.sort_unstable();
        left.into_iter().map(|at| self.all[at].0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Reference};
    use crate::spec::request::Call;
    use crate::suite::generated::MOST_DIMS;
    use crate::verdict::judge::judge;

    fn space() -> Space {
        Space::of(&Reference.about(), &[], &[], None)
    }

    fn names(from: u64, end: u64) -> Vec<String> {
        let trials = Random::new(space(), 7, from, end, None).flat_map(|group| group.trials);
        trials.map(|trial| trial.to_string()).collect()
    }

    #[test]
    fn a_search_that_is_taken_up_again_goes_on_as_if_it_had_not_stopped() {
        assert_eq!(names(0, 200), [names(0, 77), names(77, 200)].concat());
    }

    #[test]
    fn random_trials_are_of_every_kind_and_the_reference_passes_them() {
        let mut kinds = std::collections::BTreeMap::<_, usize>::new();
        let (mut data_dims, mut values) = (0, 0);
        for trial in Random::new(space(), 3, 0, 4000, None).flat_map(|group| group.trials) {
            let (request, data) = (
                trial.request(),
                trial.case.data(trial.element_type).expect("small data"),
            );
            let expectation = trial.case.expectation(trial.operator);
            let call = Call {
                request: &request,
                binding: trial.binding,
                data: &data,
            };
            let verdict = judge(expectation, &data, &Reference.reshape(&call));
            assert!(!verdict.kind().is_red(), "{trial}");
            let kind = match expectation.as_ref() {
                crate::suite::case::Expectation::Reshaped(_) => "reshaped",
                crate::suite::case::Expectation::Rejected(_) => "rejected",
                crate::suite::case::Expectation::Open { .. } => "open",
            };
            *kinds.entry(kind).or_default() += 1;
            data_dims = data_dims.max(request.data_shape.len());
            values = values.max(
                request
                    .target
                    .as_ref()
                    .map_or(0, |target| target.values.len()),
            );
        }
        assert_eq!((data_dims, values), (MOST_DIMS, MOST_DIMS), "to the limit");
        assert!(
            kinds["reshaped"] > 400 && kinds["rejected"] > 400 && kinds["open"] > 40,
            "{kinds:?}"
        );
    }

    #[test]
    fn a_guided_search_refutes_more_mutants_than_one_by_chance() {
        let left = |guided: bool| {
            let hypotheses = Arc::new(Hypotheses::new());
            let guide = guided.then(|| Arc::clone(&hypotheses));
            for trial in Random::new(space(), 5, 0, 400, guide).flat_map(|group| group.trials) {
                let right = Behavior::right().resolve(
                    &trial.request(),
                    trial.binding,
                    &OracleAnswer::of(&trial.request()),
                );
                hypotheses.learn_of(&trial, &|does| does == right.as_deref());
            }
            hypotheses.left().len()
        };
        assert!(
            left(true) < left(false),
            "{} and {}",
            left(true),
            left(false)
        );
    }
}
