//! The last trails in memory: what `/traces` shows without any collector.
//!
//! Two rings: of every press, and of what is of note, so that busy boards do not push the last rulings out.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::Trail;

/// How many of each: about half a kilobyte one.
const LATEST: usize = 8_192;
const OF_NOTE: usize = 4_096;

/// See the module.
#[derive(Debug, Default)]
pub struct Store {
    latest: Mutex<VecDeque<Arc<Trail>>>,
    of_note: Mutex<VecDeque<Arc<Trail>>>,
}

fn lock(ring: &Mutex<VecDeque<Arc<Trail>>>) -> MutexGuard<'_, VecDeque<Arc<Trail>>> {
    ring.lock().unwrap_or_else(PoisonError::into_inner)
}

fn push(ring: &Mutex<VecDeque<Arc<Trail>>>, most: usize, trail: Arc<Trail>) {
    let mut ring = lock(ring);
    let oldest = if ring.len() >= most { ring.pop_front() } else { None };
    ring.push_back(trail);
    // Freed, if this was the last to hold it, after others may go on.
    drop((ring, oldest).0);
}

impl Store {
    pub(super) fn push(&self, trail: Arc<Trail>) {
        push(&self.latest, LATEST, trail);
    }

    pub(super) fn keep(&self, trail: Arc<Trail>) {
        push(&self.of_note, OF_NOTE, trail);
    }

    /// Those that match, the newest first, each once.
    #[must_use]
    pub fn find(&self, most: usize, matches: impl Fn(&Trail) -> bool) -> Vec<Arc<Trail>> {
        let mut found: Vec<Arc<Trail>> = Vec::new();
        for ring in [&self.of_note, &self.latest] {
            let ring = lock(ring);
            found.extend(ring.iter().rev().filter(|trail| matches(trail)).take(most).cloned());
        }
        found.sort_by_key(|trail| (std::cmp::Reverse(trail.received), Arc::as_ptr(trail) as usize));
        found.dedup_by(|one, other| Arc::ptr_eq(one, other));
        found.truncate(most);
        found
    }

    /// All that is remembered of a trace, the oldest first.
    #[must_use]
    pub fn trace(&self, trace_id: &[u8; 16]) -> Vec<Arc<Trail>> {
        let mut found = self.find(OF_NOTE, |trail| trail.context.trace_id == *trace_id);
        found.reverse();
        found
    }
}
