//! How far a long replay has come, on standard error: one line rewritten on a terminal, a line now and then elsewhere.

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

/// Work shorter than this needs no word.
const SILENT: Duration = Duration::from_secs(2);

/// Off a terminal a line comes no more often than this.
const EVERY: Duration = Duration::from_secs(10);

/// The width of a bar.
const WIDTH: usize = 30;

/// How far it has come.
pub(super) struct Progress {
    total: usize,
    done: usize,
    begun: Instant,
    told: Instant,
    terminal: bool,
    /// A line stands there that the next output would be glued to.
    shown: bool,
}

impl Progress {
    pub(super) fn new(total: usize) -> Progress {
        let now = Instant::now();
        Progress { total, done: 0, begun: now, told: now, terminal: std::io::stderr().is_terminal(), shown: false }
    }

    /// One more is done.
    pub(super) fn done(&mut self, game: &str) {
        self.done += 1;
        let now = Instant::now();
        if now - self.begun < SILENT || (!self.terminal && now - self.told < EVERY) || self.done == self.total {
            return;
        }
        self.told = now;
        let (done, total) = (self.done, self.total);
        if self.terminal {
            let filled = done * WIDTH / total.max(1);
            let bar: String = (0..WIDTH).map(|n| if n < filled { '#' } else { '-' }).collect();
            self.clear();
            eprint!("[{bar}] {done}/{total} {game:.40}");
            let _unseen = std::io::stderr().flush();
            self.shown = true;
        } else {
            eprintln!("{done} of {total} games replayed");
        }
    }

    /// Makes room for other output.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            eprint!("\r\u{1b}[2K");
        }
    }
}
