//! Wakes a commit that waits for a write which has failed.
//!
//! sled 0.34.7 writes on threads of its own. When the last writer of a buffer leaves and the write that follows fails, it notes the
//! error but wakes nobody: a `flush` that was waiting already waits for ever, and with it every clock. Whoever calls `flush` next
//! sees the error and wakes the others; the committer is the only one who calls it, so somebody else does when it takes long.
//!
//! ```text
//!   committer   1: begun ──▶ apply, flush, sync ──▶ 2: done ──▶ 3: begun ─ ─ ─ ─ ─ ─ ─▶ error
//!   watch          look: 1        …     look: 2        …     look: 3   look: 3 again ─▶ flush
//! ```

use std::{
    io,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use super::Store;

/// How often a look is taken: a commit takes a millisecond, and one that takes longer than this once is helped.
const EVERY: Duration = Duration::from_secs(1);

/// How many commits were begun and done: odd while one is under way.
#[derive(Debug, Default)]
pub(super) struct Commits(AtomicU64);

impl Commits {
    pub(super) fn begun_or_done(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// The commit that is under way.
    fn under_way(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|count| count % 2 == 1)
    }
}

/// Starts the thread. It ends soon after the store is gone.
pub(super) fn start(store: &Arc<Store>) -> io::Result<()> {
    let store = Arc::downgrade(store);
    thread::Builder::new().name("journal-watch".to_owned()).spawn(move || watch(&store)).map(drop)
}

fn watch(store: &Weak<Store>) {
    let mut before = None;
    loop {
        thread::park_timeout(EVERY);
        let Some(store) = store.upgrade() else { return };
        let now = store.commits.under_way();
        if now.is_some() && now == before {
            store.flush();
        }
        before = now;
    }
}
