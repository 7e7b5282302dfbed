//! Work on several items at a time.

use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// What `work` gives for each item, in order. Each item has a thread of its own; where none can be started, this one does its
/// work. A panic of one goes on here.
pub(super) fn in_threads<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let work = &work;
    scope(|scope| {
        let start = |item| Builder::new().spawn_scoped(scope, move || work(item));
        let threads: Vec<_> = items.iter().map(|item| (item, start(item))).collect();
        let done = threads.into_iter().map(|(item, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work(item),
        });
        done.collect()
    })
}
