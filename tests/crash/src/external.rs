//! A physical clock on a DGT board: shows what it is set to, and says so.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use flagfall_clock::hw::dgt::{decode::Reading, encode, pty::FakeBoard, reply};
use tokio::sync::watch;

/// See the module. Its times stand still, so that what it shows is what it was last set to.
pub struct ExternalClock {
    /// The board that the clock is on.
    pub board: Arc<FakeBoard>,
    settings: watch::Receiver<Vec<Vec<u8>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ExternalClock {
    /// A clock with five minutes on each side, White's on the left running.
    ///
    /// # Panics
    /// There is no pseudo-terminal for it.
    #[must_use]
    pub fn new() -> ExternalClock {
        let board = Arc::new(FakeBoard::open().expect("a pseudo-terminal"));
        board.set_acks(true);
        let over = Arc::new(AtomicBool::new(false));
        let (told, settings) = watch::channel(Vec::new());
        let clock = { (Arc::clone(&board), Arc::clone(&over)) };
        let thread = thread::spawn(move || run(&clock.0, &clock.1, &told));
        ExternalClock { board, settings, over, thread: Some(thread) }
    }

    /// Every setting that it was given, as commands.
    #[must_use]
    pub fn settings(&self) -> watch::Receiver<Vec<Vec<u8>>> {
        self.settings.clone()
    }
}

impl Default for ExternalClock {
    fn default() -> ExternalClock {
        ExternalClock::new()
    }
}

impl Drop for ExternalClock {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// What the clock shows after a command to set it: hours, minutes, seconds of both sides, then which one runs.
fn set(command: &[u8]) -> Reading {
    let time = |at: usize| {
        let [hours, minutes, seconds] = [0, 1, 2].map(|n| i64::from(command[at + n]));
        Some((hours * 3_600 + minutes * 60 + seconds) * 1_000)
    };
    reading([time(4), time(7)], command[10] & 4 == 0)
}

fn reading(times: [Option<i64>; 2], running: bool) -> Reading {
    Reading {
        times,
        fallen: [false; 2],
        running,
        right_lever_high: true,
        left_to_move: true,
        right_to_move: false,
        low_battery: false,
        not_connected: false,
    }
}

fn run(board: &FakeBoard, over: &AtomicBool, told: &watch::Sender<Vec<Vec<u8>>>) {
    let mut shows = reading([Some(300_000); 2], true);
    let (mut seen, mut heard) = (0, board.heard());
    while !over.load(Ordering::SeqCst) {
        for command in board.commands().split_off(seen) {
            seen += 1;
            let is_set = matches!(command.as_slice(), [encode::CLOCK, _, _, encode::SET_AND_RUN, ..]);
            if is_set {
                shows = set(&command);
                told.send_modify(|settings| settings.push(command.clone()));
            }
            if is_set || command == [encode::SEND_CLOCK] {
                // Nobody may be listening just now; the next one asks.
                drop(board.write(&reply::time(&shows)));
            }
        }
        if heard.has_changed().unwrap_or(false) {
            heard.mark_unchanged();
        } else {
            thread::park_timeout(std::time::Duration::from_millis(2));
        }
    }
}
