//! Random trials. A trial depends only on its number and the seed, so a search can resume where it ended.

use super::space::Space;
use crate::semantics::operator::Operator;
use crate::suite::generated::GeneratedCase;
use crate::suite::trial::Group;
use fastrand::Rng;
use std::ops::Range;

/// Spreads consecutive numbers over all seeds: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// How often a trial is drawn until it is possible in its surrounding. After that the search ends.
const MAX_DRAWS: usize = 10_000;

/// The trials `numbers` of a seed, each in its own group.
pub(super) fn random(
    space: Space,
    seed: u64,
    numbers: Range<u64>,
) -> impl Iterator<Item = Group> + Send {
    numbers.map_while(move |number| {
        let mut rng = Rng::with_seed(seed ^ number.wrapping_mul(SPREAD));
        let possible = (0..MAX_DRAWS).find_map(|_| {
            let cell = *rng.choice(&space.cells)?;
            generate(&mut rng, cell.0, space.rank).trial_in(cell)
        });
        possible.map(Group::single)
    })
}

/// The most elements of random data.
pub(super) const MAX_ELEMENTS: u64 = 4096;
/// Limits of narrower types, and the values next to them.
const EXTREMES: &[i64] = &[
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

/// A random case for an operator, with at most `rank` dims of data and of target.
pub(super) fn generate(rng: &mut Rng, operator: &'static Operator, rank: usize) -> GeneratedCase {
    // Most trials have few dims, because most faults need few.
    let most = if rng.u8(..8) == 0 { rank } else { rank.min(5) };
    let data = shape(rng, most);
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

/// Up to `most` data dims, with few elements; or without elements, and with some dims of extreme length.
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
        let dim = if count * dim > MAX_ELEMENTS { 1 } else { dim };
        count *= dim;
        dims.push(dim);
    }
    // Otherwise the first would be the longest, and the last often 1.
    rng.shuffle(&mut dims);
    if !dims.is_empty() && rng.u8(..5) == 0 {
        let zero = rng.usize(..dims.len());
        for (at, dim) in dims.iter_mut().enumerate() {
            if at == zero {
                *dim = 0;
            } else if rng.u8(..4) == 0 {
                *dim = extreme(rng).unsigned_abs();
            }
        }
    }
    dims
}

fn extreme(rng: &mut Rng) -> i64 {
    EXTREMES[rng.usize(..EXTREMES.len())]
}

/// A valid target for the data, of up to `longest` values: the prime factors of its dims, grouped at random.
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

/// The prime factors of a number from 2 to [`MAX_ELEMENTS`]; any other number alone.
fn factors(mut number: u64) -> Vec<u64> {
    if !(2..=MAX_ELEMENTS).contains(&number) {
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

/// Changes a target in a way that real runtimes got wrong.
fn damage(rng: &mut Rng, data: &[u64], target: &mut Vec<i64>, rank: usize) {
    if target.is_empty() {
        target.extend([1, 0, -1].get(rng.usize(..4)));
        return;
    }
    let at = rng.usize(..target.len());
    match rng.u8(..13) {
        0..3 => target[at] = -1,
        3 | 4 => target[at] = 0,
        // A value that a copied 0 would give as well.
        5 => {
            if let Some(same) = (0..target.len())
                .find(|at| data.get(*at).is_some_and(|dim| *dim as i64 == target[*at]))
            {
                target[same] = 0;
            }
        }
        6 => target[at] = target[at].saturating_add(if rng.bool() { 1 } else { -1 }),
        7 => target[at] = extreme(rng),
        8 => target[at] = -rng.i64(2..=9),
        9 if target.len() < rank => target.insert(at, if rng.bool() { 1 } else { rng.i64(-1..=3) }),
        9 | 10 => drop(target.remove(at)),
        // Equal in the low bits only.
        11 => target[at] = target[at].wrapping_add(if rng.bool() { 1 << 32 } else { 1 << 31 }),
        _ => {
            let other = rng.usize(..target.len());
            target.swap(at, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Reference};
    use crate::suite::generated::MAX_DIMS;
    use crate::verdict::judge::judge;

    fn space() -> Space {
        Space::of(&Reference.about(), &[], &[], &[], &[])
    }

    fn names(from: u64, end: u64) -> Vec<String> {
        let trials = random(space(), 7, from..end).flat_map(|group| group.trials);
        trials.map(|trial| trial.to_string()).collect()
    }

    #[test]
    fn a_resumed_search_continues_as_if_it_had_not_stopped() {
        assert_eq!(names(0, 200), [names(0, 77), names(77, 200)].concat());
    }

    #[test]
    fn random_trials_are_of_every_kind_and_the_reference_passes_them() {
        let mut kinds = std::collections::BTreeMap::<_, usize>::new();
        let (mut data_dims, mut values) = (0, 0);
        for trial in random(space(), 3, 0..4000).flat_map(|group| group.trials) {
            let data = trial.case.data(trial.element_type).expect("small data");
            let (request, expectation) = (trial.request(), trial.expectation());
            let verdict = judge(expectation, &data, &Reference.reshape(&trial.call(&data)));
            assert!(!verdict.kind().is_red(), "{trial}");
            *kinds.entry(expectation.kind()).or_default() += 1;
            data_dims = data_dims.max(request.data_shape.len());
            values = values.max(request.values().len());
        }
        assert_eq!((data_dims, values), (MAX_DIMS, MAX_DIMS), "to the limit");
        let are_mixed = kinds["reshaped"] > 400 && kinds["rejected"] > 400 && kinds["open"] > 40;
        assert!(are_mixed, "{kinds:?}");
    }
}
