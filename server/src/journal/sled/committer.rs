//! The one thread that writes.
//!
//! ```text
//!   ┌─▶ wait ──▶ take a batch ──▶ apply, flush, sync ──▶ settle, answer in order ──┐
//!   │     │                              └─ error ──▶ all are told, the thread ends │
//!   │     └── nothing more comes, or a second has gone by ──▶ the mark is due ──┐   │
//!   └───────────────────────────────────────────────────────────────────────────┴───┘
//! ```
//!
//! What a clock said is on its own disk until the service has it for good: a loss behind the mark is filled again from there. What was
//! done at a desk is nowhere else. The mark is therefore written as soon as the line is quiet: an act that was answered and that
//! damage takes away is missed at the next start, unless the damage comes within those milliseconds. To write the mark before the
//! answer would cost every press a second sync.

use std::{
    sync::{Arc, PoisonError},
    thread::{Builder, JoinHandle},
    time::{Duration, Instant},
};

use super::{Mark, MarkFile, OpenError, Shared, Store, marker::Marker};
use crate::journal::{
    AppendError, Batch, Signs,
    line::{Shelving, Waiting},
    signs::BEAT,
};

/// The most entries of a batch: those behind them wait for one more sync, a millisecond.
const BATCH_MAX: usize = 1_024;
/// About the most bytes of a batch: far below a segment, see [`super`].
const BATCH_BYTES_MAX: usize = 512 << 10;
/// How far the mark may lag behind while entries keep coming.
const MARK_EVERY: Duration = Duration::from_secs(1);
/// How far it may when none comes: so a mark delays nobody, and is written at most so often.
const MARK_QUIET: Duration = Duration::from_millis(50);
/// Streams for each of which the mark may lag that much.
const STREAMS_A_SECOND: usize = 4_096;

/// Starts the thread. It ends when the line is closed and empty, or at the first error.
pub(super) fn start(
    shared: Arc<Shared>,
    store: Arc<Store>,
    file: MarkFile,
    mark: Mark,
    signs: Arc<Signs>,
) -> Result<JoinHandle<()>, OpenError> {
    let dir = std::path::PathBuf::from("journal");
    let failed = |source| OpenError::Io { path: dir.clone(), source };
    signs.reached(mark.position);
    signs.marked(mark.position);
    let marker = Marker::start(shared.clone(), file, mark, signs.clone()).map_err(failed)?;
    let committer = Committer { shared, store, marker, unmarked: None, signs };
    Builder::new().name("journal".to_owned()).spawn(move || committer.run()).map_err(failed)
}

/// What the committer is to do next.
enum Work {
    Commit(Vec<Waiting>),
    Shelve(Shelving),
    Mark,
    End,
    /// The mark cannot be written.
    Fail(String),
}

/// Entries that are durable and not in the mark.
#[derive(Clone, Copy)]
struct Unmarked {
    first: Instant,
    last: Instant,
}

impl Unmarked {
    /// When the mark is due, if nothing more comes and whatever comes. It names every stream, so it takes its time where there are
    /// many.
    fn due(&self, streams: usize) -> (Instant, Instant) {
        let times = 1 + u32::try_from(streams / STREAMS_A_SECOND).unwrap_or(u32::MAX);
        let latest = self.first + MARK_EVERY * times;
        (latest.min(self.last + MARK_QUIET * times), latest)
    }
}

struct Committer {
    shared: Arc<Shared>,
    store: Arc<Store>,
    marker: Marker,
    /// What the mark does not say yet; `None` while it says all, or is about to.
    unmarked: Option<Unmarked>,
    /// Shows that this thread lives.
    signs: Arc<Signs>,
}

impl Committer {
    fn run(mut self) {
        loop {
            let done = match self.next() {
                Work::Commit(batch) => self.commit(batch),
                Work::Shelve(shelving) => self.shelve(shelving),
                Work::Mark => {
                    self.unmarked = None;
                    self.marker.write();
                    Ok(())
                }
                Work::End => {
                    let ended = self.marker.end();
                    return ended.unwrap_or_else(|reason| self.fail(reason, vec![]));
                }
                Work::Fail(reason) => Err((reason, vec![])),
            };
            if let Err((reason, unknown)) = done {
                return self.fail(reason, unknown);
            }
        }
    }

    fn next(&self) -> Work {
        let mut line = self.shared.line();
        loop {
            // A mark that is never done is as bad as a sync that is not.
            if !self.marker.is_stuck() {
                self.signs.beats();
            }
            if let Some(reason) = self.marker.failed() {
                return Work::Fail(reason.to_owned());
            }
            let now = Instant::now();
            let due = self.unmarked.map(|unmarked| unmarked.due(self.marker.streams()));
            if due.is_some_and(|(_, latest)| latest <= now) {
                return Work::Mark;
            }
            let batch = line.take(BATCH_MAX, BATCH_BYTES_MAX);
            if !batch.is_empty() {
                return Work::Commit(batch);
            }
            if let Some(shelving) = line.take_shelving() {
                return Work::Shelve(shelving);
            }
            if due.is_some_and(|(quiet, _)| quiet <= now) {
                return Work::Mark;
            }
            if line.is_closed() {
                return Work::End;
            }
            // Woken now and then with nothing to do: that is how others see that it lives.
            let patience = due.map_or(BEAT, |(quiet, _)| quiet.saturating_duration_since(now).min(BEAT));
            let waited = self.shared.bell.wait_timeout(line, patience);
            line = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn commit(&mut self, batch: Vec<Waiting>) -> Result<(), (String, Vec<Waiting>)> {
        let writes = || batch.iter().filter_map(|waiting| waiting.asked.as_ref().ok());
        let mut group = Batch::default();
        if writes().next().is_some() {
            #[cfg(feature = "failpoints")]
            fail::fail_point!("before-commit");
            let synced = match self.store.commit(writes()) {
                Ok(synced) => synced,
                Err(reason) => return Err((reason, batch)),
            };
            #[cfg(feature = "failpoints")]
            fail::fail_point!("after-commit");
            group = self.signs.committed(writes().count(), synced);
            let last = Instant::now();
            self.unmarked = Some(Unmarked { first: self.unmarked.map_or(last, |before| before.first), last });
        }
        {
            // Said before anybody can see it: a mark must not be seen ahead of it.
            let mut line = self.shared.line();
            self.signs.reached(line.settle(&batch));
        }
        batch.into_iter().for_each(|waiting| waiting.answer(group));
        Ok(())
    }

    fn shelve(&mut self, shelving: Shelving) -> Result<(), (String, Vec<Waiting>)> {
        if let Err(reason) = self.store.shelve(&shelving) {
            shelving.answer.send(Err(AppendError::Failed(reason.clone()))).ok();
            return Err((reason, vec![]));
        }
        self.shared.line().laid(&shelving.stream, shelving.place.entries);
        // Who asked may have gone.
        shelving.answer.send(Ok(())).ok();
        Ok(())
    }

    /// Whatever was promised and not kept is unknown now, and stays so until the process starts again.
    fn fail(&self, reason: String, unknown: Vec<Waiting>) {
        tracing::error!(%reason, "the journal failed and takes nothing more");
        // First the health, then the answers: who is told can see why.
        let waiting = self.shared.line().fail(reason.clone());
        let told = unknown.into_iter().chain(waiting);
        told.for_each(|waiting| waiting.refuse(AppendError::Failed(reason.clone())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_follows_when_it_is_quiet_and_once_a_second_when_it_is_not() {
        let first = Instant::now();
        let after = |ms| first + Duration::from_millis(ms);
        let due = |last, streams| Unmarked { first, last: after(last) }.due(streams);
        assert_eq!(due(0, 100), (after(50), after(1_000)), "a lone entry");
        assert_eq!(due(400, 100), (after(450), after(1_000)), "others came behind it");
        assert_eq!(due(980, 100), (after(1_000), after(1_000)), "they keep coming");
        assert_eq!(due(0, 8_192), (after(150), after(3_000)), "a mark of many streams takes longer");
    }
}
