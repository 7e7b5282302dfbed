//! The shortest run of steps after which something still fails.

/// The most last steps to try one by one. What fails at every so many steps may not fail after twice as many.
const ONE_BY_ONE: usize = 8;

/// The result of the search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shortest<T> {
    /// It fails after these steps, in order.
    After(Vec<T>),
    /// It does not fail after all of them.
    Never,
    /// The answers ended before it failed.
    Unknown,
}

/// Searches the fewest of these steps after which something fails. `fails` tests whether it does after some of them, in
/// order; `None` ends the search. The search assumes that it fails after more steps if it fails after fewer, and that
/// it does not fail without steps.
///
/// The last steps come first, one more each time and then twice as many, because replaying the steps takes time.
pub(super) fn shortest<T: Clone>(
    steps: &[T],
    fails: &mut dyn FnMut(&[T]) -> Option<bool>,
) -> Shortest<T> {
    match fails(steps) {
        Some(true) => {}
        Some(false) => return Shortest::Never,
        None => return Shortest::Unknown,
    }
    let last = |count: usize| &steps[steps.len() - count..];
    let (mut passing, mut failing) = (0, 1.min(steps.len()));
    while failing < steps.len() {
        match fails(last(failing)) {
            Some(true) => break,
            Some(false) if failing < ONE_BY_ONE => (passing, failing) = (failing, failing + 1),
            Some(false) => (passing, failing) = (failing, failing * 2),
            None => return Shortest::After(steps.to_vec()),
        }
    }
    failing = failing.min(steps.len());
    while failing - passing > 1 {
        let middle = passing.midpoint(failing);
        match fails(last(middle)) {
            Some(true) => failing = middle,
            Some(false) => passing = middle,
            None => return Shortest::After(last(failing).to_vec()),
        }
    }
    Shortest::After(thinned(last(failing).to_vec(), fails))
}

/// The steps without those that are unnecessary; the first is necessary.
fn thinned<T: Clone>(mut steps: Vec<T>, fails: &mut dyn FnMut(&[T]) -> Option<bool>) -> Vec<T> {
    let mut size = steps.len().saturating_sub(1);
    while size > 0 {
        let mut at = 1;
        while at < steps.len() {
            let end = steps.len().min(at + size);
            let fewer = [&steps[..at], &steps[end..]].concat();
            match fails(&fewer) {
                Some(true) => steps = fewer,
                Some(false) => at = end,
                None => return steps,
            }
        }
        size /= 2;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in 0..`count` where something fails after all of `needed`, and how often it was tried.
    fn found(count: u32, needed: &[u32], most: usize) -> (Shortest<u32>, usize) {
        let steps: Vec<u32> = (0..count).collect();
        let mut tries = 0;
        let found = shortest(&steps, &mut |some| {
            tries += 1;
            (tries <= most).then(|| needed.iter().all(|one| some.contains(one)))
        });
        (found, tries)
    }

    #[test]
    fn the_steps_that_are_needed_are_found() {
        for needed in [&[999][..], &[0], &[500], &[3, 700], &[1, 2, 998]] {
            let (found, tries) = found(1000, needed, 200);
            assert_eq!(found, Shortest::After(needed.to_vec()));
            assert!(tries < 60, "{needed:?}: {tries}");
        }
    }

    #[test]
    fn what_fails_every_seventh_time_is_found() {
        let steps: Vec<u32> = (0..699).collect();
        let found = shortest(&steps, &mut |some| Some(some.len() % 7 == 6));
        assert_eq!(found, Shortest::After((693..699).collect()));
    }

    #[test]
    fn what_never_fails_and_what_takes_too_long_is_told_apart() {
        assert_eq!(found(100, &[100], 50).0, Shortest::Never);
        assert_eq!(found(0, &[0], 50).0, Shortest::Never);
        assert_eq!(found(1000, &[0], 0).0, Shortest::Unknown);
        assert_eq!(found(1000, &[0], 5).0, Shortest::After((0..1000).collect()));
        // What was found so far.
        let Shortest::After(steps) = found(1000, &[0], 19).0 else {
            panic!("nothing found");
        };
        assert!(steps.contains(&0));
    }
}
