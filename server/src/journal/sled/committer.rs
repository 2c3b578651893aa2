//! The one thread that writes.
//!
//! ```text
//!   ┌─▶ wait ──▶ take a batch ──▶ apply, flush, sync ──▶ settle, answer in order ──┐
//!   │     │                              └─ error ──▶ all are told, the thread ends │
//!   │     └── a second after the last mark ──▶ mark ──┐                             │
//!   └─────────────────────────────────────────────────┴─────────────────────────────┘
//! ```

use std::{
    sync::{Arc, PoisonError},
    thread::{Builder, JoinHandle},
    time::{Duration, Instant},
};

use super::{Mark, MarkFile, OpenError, Shared, Store};
use crate::journal::{
    AppendError, Batch, Signs,
    line::{Shelving, Waiting},
    signs::BEAT,
};

/// The most entries of a batch: those behind them wait for one more sync, a millisecond.
const BATCH_MAX: usize = 1_024;
/// About the most bytes of a batch: far below a segment, see [`super`].
const BATCH_BYTES_MAX: usize = 512 << 10;
/// How far the mark may lag behind.
const MARK_EVERY: Duration = Duration::from_secs(1);
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
    signs.reached(mark.position, mark.position);
    let marked = (mark.position, mark.lost);
    let committer = Committer { shared, store, file, mark, marked, mark_at: None, signs };
    Builder::new()
        .name("journal".to_owned())
        .spawn(move || committer.run())
        .map_err(|source| OpenError::Io { path: dir, source })
}

/// What the committer is to do next.
enum Work {
    Commit(Vec<Waiting>),
    Shelve(Shelving),
    Mark,
    End,
}

struct Committer {
    shared: Arc<Shared>,
    store: Arc<Store>,
    file: MarkFile,
    /// How far it is durable; where each stream ends is looked up when it is written.
    mark: Mark,
    /// What the file says of that.
    marked: (u64, u64),
    /// When the file is due; `None` while it says all.
    mark_at: Option<Instant>,
    /// Shows that this thread lives.
    signs: Arc<Signs>,
}

impl Committer {
    fn run(mut self) {
        loop {
            let done = match self.next() {
                Work::Commit(batch) => self.commit(batch),
                Work::Shelve(shelving) => self.shelve(shelving),
                Work::Mark => self.write_mark().map_err(|reason| (reason, vec![])),
                Work::End => return self.write_mark().unwrap_or_else(|reason| self.fail(reason, vec![])),
            };
            if let Err((reason, unknown)) = done {
                return self.fail(reason, unknown);
            }
        }
    }

    fn next(&self) -> Work {
        let mut line = self.shared.line();
        loop {
            self.signs.beats();
            let now = Instant::now();
            if self.mark_at.is_some_and(|at| at <= now) {
                return Work::Mark;
            }
            let batch = line.take(BATCH_MAX, BATCH_BYTES_MAX);
            if !batch.is_empty() {
                return Work::Commit(batch);
            }
            if let Some(shelving) = line.take_shelving() {
                return Work::Shelve(shelving);
            }
            if line.is_closed() {
                return Work::End;
            }
            // Woken now and then with nothing to do: that is how others see that it lives.
            let patience = self.mark_at.map_or(BEAT, |at| at.saturating_duration_since(now).min(BEAT));
            let waited = self.shared.bell.wait_timeout(line, patience);
            line = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn commit(&mut self, batch: Vec<Waiting>) -> Result<(), (String, Vec<Waiting>)> {
        let writes = || batch.iter().filter_map(|waiting| waiting.asked.as_ref().ok());
        let mut group = Batch::default();
        if let Some(last) = writes().next_back() {
            #[cfg(feature = "failpoints")]
            fail::fail_point!("before-commit");
            let synced = match self.store.commit(writes()) {
                Ok(synced) => synced,
                Err(reason) => return Err((reason, batch)),
            };
            #[cfg(feature = "failpoints")]
            fail::fail_point!("after-commit");
            group = self.signs.committed(writes().count(), synced);
            self.mark.position = self.mark.position.max(last.position);
            self.mark_at = self.mark_at.or_else(|| Some(Instant::now() + self.pace()));
        }
        self.shared.line().settle(&batch);
        self.signs.reached(self.mark.position, self.marked.0);
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

    /// How far the mark may lag behind: it names every stream, so it takes its time where there are many.
    fn pace(&self) -> Duration {
        MARK_EVERY * (1 + u32::try_from(self.mark.ends.len() / STREAMS_A_SECOND).unwrap_or(u32::MAX))
    }

    fn write_mark(&mut self) -> Result<(), String> {
        self.mark_at = None;
        let ends = self.shared.line().ends();
        if (self.mark.position, self.mark.lost) != self.marked || ends != self.mark.ends {
            self.mark.ends = ends;
            self.file.write(&self.mark).map_err(|error| error.to_string())?;
        }
        self.marked = (self.mark.position, self.mark.lost);
        self.signs.reached(self.mark.position, self.marked.0);
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
