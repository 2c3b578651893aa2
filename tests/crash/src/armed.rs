//! Moments at which a process stands still, so that it can be killed exactly there.
//!
//! A process started with [`AT`] set to `NAME:N` says `reached NAME` on standard error the `N`th time it comes to the moment
//! `NAME`, and the thread that came there does nothing more. The rest of the process goes on until the test kills it: what
//! was on its way out still leaves.

use std::{
    env,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

/// The variable that arms a process.
pub const AT: &str = "CRASH_AT";

/// The service, before a group of entries goes to the disk.
pub const BEFORE_COMMIT: &str = "before-commit";
/// The service, with a group of entries on the disk and nobody told.
pub const AFTER_COMMIT: &str = "after-commit";
/// The service, with a clock's event acknowledged and the directive that follows not sent.
pub const AFTER_ACK: &str = "after-ack";
/// The service, with a session's number drawn and not on the disk.
pub const EPOCH_TAKEN: &str = "epoch-taken";
/// The service, with a session's number on the disk and the clock not told.
pub const EPOCH_WRITTEN: &str = "epoch-written";
/// The agent, before a press is written.
pub const BEFORE_WRITE: &str = "before-write";
/// The agent, with a press written and not synced.
pub const BEFORE_FSYNC: &str = "before-fsync";
/// The agent, with a directive for an external clock on its disk and the clock not set.
pub const DIRECTIVE_STORED: &str = "directive-stored";
/// The agent, with a directive carried out and noted, and no word of it sent.
pub const BEFORE_REPORT: &str = "before-report";

/// Arms this process if it was started with [`AT`].
///
/// # Panics
/// The variable says nothing that can be armed.
pub fn arm() {
    let Ok(at) = env::var(AT) else { return };
    let (name, nth) = at.split_once(':').expect("NAME:N");
    let left = AtomicU64::new(nth.parse().expect("a number"));
    let reached = format!("reached {name}");
    let stand_still = move || {
        if left.fetch_sub(1, Ordering::SeqCst) == 1 {
            eprintln!("{reached}");
            loop {
                thread::park();
            }
        }
    };
    fail::cfg_callback(name, stand_still).expect("a name");
}
