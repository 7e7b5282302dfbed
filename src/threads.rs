//! Work on several threads.

use std::panic::resume_unwind;
use std::thread::{Builder, scope};

/// The result of `work` for each item, in order. The last item is this thread's. Each other has its own thread; if none can
/// be started, this thread does its work. A panic of one continues here.
pub(crate) fn in_threads<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let Some((last, others)) = items.split_last() else {
        return Vec::new();
    };
    let work = &work;
    scope(|scope| {
        let start = |item| Builder::new().spawn_scoped(scope, move || work(item));
        let threads: Vec<_> = others.iter().map(|item| (item, start(item))).collect();
        let last = work(last);
        let done = threads.into_iter().map(|(item, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => work(item),
        });
        done.chain([last]).collect()
    })
}
