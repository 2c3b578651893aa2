//! The thread that writes the mark: it names every stream and is synced, and commits go on meanwhile.
//!
//! ```text
//!   committer ── the mark is due ──▶ look where streams end ──▶ write, sync, rename ──▶ told
//!        ▲                                      └─ error ──▶ the thread ends            │
//!        └──────────────────────── how many streams, or what failed ◀──────────────────┘
//! ```

use std::{
    io,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
    thread::{self, Builder, JoinHandle},
    time::{Duration, Instant},
};

use super::{Mark, MarkFile, Shared};
use crate::journal::Signs;

/// What is told when the thread broke.
const GONE: &str = "the thread that writes the high-water mark broke; see the log";

/// A mark that takes longer is taken to be stuck.
const STUCK: Duration = Duration::from_secs(3);

/// How soon a mark that found no file to write to is tried again.
const AGAIN: Duration = Duration::from_millis(250);

/// The process, or the machine, has as many files open as it may.
fn is_out_of_files(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(rustix::io::Errno::from_raw_os_error);
    matches!(code, Some(rustix::io::Errno::MFILE | rustix::io::Errno::NFILE))
}

/// What the committer is told.
#[derive(Default)]
struct Told {
    streams: AtomicUsize,
    failed: OnceLock<String>,
    /// A mark is being written since then.
    begun: Mutex<Option<Instant>>,
}

impl Told {
    fn begun(&self) -> MutexGuard<'_, Option<Instant>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first reason stays.
    fn fail(&self, reason: String) {
        self.failed.set(reason).ok();
    }
}

/// The committer's end. Dropped, it waits until the thread has ended.
pub(super) struct Marker {
    due: Option<SyncSender<()>>,
    told: Arc<Told>,
    thread: Option<JoinHandle<()>>,
}

impl Marker {
    /// Starts the thread on a file that says this.
    pub(super) fn start(shared: Arc<Shared>, file: MarkFile, mark: Mark, signs: Arc<Signs>) -> io::Result<Marker> {
        // One may wait: it looks at what is durable only when the one before is done.
        let (due, asked) = sync_channel(1);
        let told = Arc::new(Told { streams: AtomicUsize::new(mark.ends.len()), ..Told::default() });
        let writer = Writer { shared, file, mark, signs, told: Arc::clone(&told) };
        let thread = Builder::new().name("journal-mark".to_owned()).spawn(move || writer.run(&asked))?;
        Ok(Marker { due: Some(due), told, thread: Some(thread) })
    }

    /// The mark is to say what is durable now.
    pub(super) fn write(&self) {
        let gone = |due: &SyncSender<()>| matches!(due.try_send(()), Err(TrySendError::Disconnected(())));
        if self.due.as_ref().is_some_and(gone) {
            self.told.fail(GONE.to_owned());
        }
    }

    /// One has been under way for long.
    pub(super) fn is_stuck(&self) -> bool {
        self.told.begun().is_some_and(|begun| begun.elapsed() > STUCK)
    }

    /// How many streams the mark names.
    pub(super) fn streams(&self) -> usize {
        self.told.streams.load(Ordering::Relaxed)
    }

    /// Why no mark is written any more.
    pub(super) fn failed(&self) -> Option<&str> {
        self.told.failed.get().map(String::as_str)
    }

    /// Writes the last mark.
    pub(super) fn end(&mut self) -> Result<(), String> {
        if let Some(due) = self.due.take() {
            // Fails when the thread has: what failed is told below.
            due.send(()).ok();
        }
        self.join();
        self.failed().map_or(Ok(()), |reason| Err(reason.to_owned()))
    }

    fn join(&mut self) {
        self.due = None;
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            self.told.fail(GONE.to_owned());
        }
    }
}

impl Drop for Marker {
    fn drop(&mut self) {
        self.join();
    }
}

struct Writer {
    shared: Arc<Shared>,
    file: MarkFile,
    /// What the file says.
    mark: Mark,
    signs: Arc<Signs>,
    told: Arc<Told>,
}

impl Writer {
    fn run(mut self, asked: &Receiver<()>) {
        while asked.recv().is_ok() {
            *self.told.begun() = Some(Instant::now());
            let written = self.write_once_there_is_a_file();
            *self.told.begun() = None;
            if let Err(error) = written {
                // Under the lock, so that the committer is either waiting or has not looked yet.
                let _line = self.shared.line();
                self.told.fail(error.to_string());
                return self.shared.bell.notify_one();
            }
        }
    }

    /// That too many files are open says nothing of the disk, and what is durable stays so without a mark: it lags behind meanwhile.
    fn write_once_there_is_a_file(&mut self) -> Result<(), super::OpenError> {
        let mut told = false;
        loop {
            match self.write() {
                Err(super::OpenError::Io { path, source }) if is_out_of_files(&source) => {
                    if !told {
                        tracing::error!(path = %path.display(), error = %source, "ALARM: the mark waits until a file can be opened");
                    }
                    told = true;
                    // Nothing tells when a file is closed.
                    thread::park_timeout(AGAIN);
                }
                written => return written,
            }
        }
    }

    fn write(&mut self) -> Result<(), super::OpenError> {
        // Copied and put in order outside the lock: those who append wait for it.
        let (position, ends) = self.shared.line().ends();
        let ends = ends.into_iter().map(|(stream, end)| ((*stream).clone(), end)).collect();
        let mark = Mark { position, lost: self.mark.lost, ends };
        if mark != self.mark {
            self.file.write(&mark)?;
            self.told.streams.store(mark.ends.len(), Ordering::Relaxed);
            self.mark = mark;
        }
        self.signs.marked(position);
        Ok(())
    }
}
