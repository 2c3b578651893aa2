//! A board without hardware: one end of a pseudo-terminal, for the tests and for replaying a recording through the real
//! driver. It says what it is given to say, and answers the host as a board would.
//!
//! - Bytes written before the driver has opened [`FakeBoard::path`] wait for it; none is translated.
//! - Commands of the host are recorded. A dump is sent when one is asked for and [`FakeBoard::set_dump`] gave one; commands
//!   to the clock are acknowledged while [`FakeBoard::set_acks`] is on.

use std::{
    ffi::OsString,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::ffi::OsStringExt,
    },
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use flagfall_rules::board::Scan;
use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{OptionalActions, tcgetattr, tcsetattr},
};
use tokio::sync::watch;

use super::{
    decode::{Decoder, Message},
    encode, reply,
};
use crate::hw::wake::{Wake, write_all};

/// One end of a pseudo-terminal that behaves like a DGT board. Dropping it unplugs the board.
#[derive(Debug)]
pub struct FakeBoard {
    path: PathBuf,
    inner: Arc<Inner>,
    wake: Arc<Wake>,
    heard: watch::Receiver<usize>,
    thread: Option<JoinHandle<()>>,
    /// Held open, so that the line does not end whenever the driver closes its own end.
    _far_end: OwnedFd,
}

#[derive(Debug)]
struct Inner {
    master: OwnedFd,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Sent when a dump is asked for, and kept up to date by what is written.
    dump: Option<Scan>,
    acks: bool,
    /// Everything the host said, a command each.
    commands: Vec<Vec<u8>>,
    /// Bytes written so far.
    written: u64,
    /// Reads along, to keep `dump` as the recording has it.
    own_words: Decoder,
}

impl FakeBoard {
    /// A board that says nothing yet.
    ///
    /// # Errors
    /// The system has no pseudo-terminal or thread for it.
    pub fn open() -> io::Result<FakeBoard> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let path = PathBuf::from(OsString::from_vec(ptsname(&master, Vec::new())?.into_bytes()));
        // The settings are those of the line, whichever end they are made at: raw before the first byte is written.
        let mut settings = tcgetattr(&master)?;
        settings.make_raw();
        tcsetattr(&master, OptionalActions::Now, &settings)?;
        rustix::fs::fcntl_setfl(&master, rustix::fs::fcntl_getfl(&master)? | OFlags::NONBLOCK)?;
        let far_end = rustix::fs::open(&path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let inner = Arc::new(Inner { master, state: Mutex::default() });
        let wake = Wake::new()?;
        let (count, heard) = watch::channel(0);
        let thread = std::thread::Builder::new().name("fake-board".into()).spawn({
            let (inner, wake) = (Arc::clone(&inner), Arc::clone(&wake));
            move || inner.answer(&wake, &count)
        })?;
        Ok(FakeBoard { path, inner, wake, heard, thread: Some(thread), _far_end: far_end })
    }

    /// What to give the driver as its port.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lets the board say these bytes.
    ///
    /// # Errors
    /// The line is full and nobody has read from it for a second.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.inner.say(&mut self.inner.state(), bytes)
    }

    /// How many bytes the board has said, answers included. A driver that has taken in as many is up to date: see
    /// [`super::driver::Driver::bytes`].
    #[must_use]
    pub fn written(&self) -> u64 {
        self.inner.state().written
    }

    /// What stands on the board when the host asks for it; later changes that are written are followed. `None`: the
    /// question is not answered.
    pub fn set_dump(&self, dump: Option<Scan>) {
        self.inner.state().dump = dump;
    }

    /// Whether a clock is there to acknowledge commands.
    pub fn set_acks(&self, acks: bool) {
        self.inner.state().acks = acks;
    }

    /// Everything the host said so far, a command each.
    #[must_use]
    pub fn commands(&self) -> Vec<Vec<u8>> {
        self.inner.state().commands.clone()
    }

    /// How many commands the host has given; changes when they have been answered.
    #[must_use]
    pub fn heard(&self) -> watch::Receiver<usize> {
        self.heard.clone()
    }
}

impl Drop for FakeBoard {
    fn drop(&mut self) {
        self.wake.stop();
        // The line is hung up when its last descriptor closes, and the thread holds one.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is complete before anything can fail.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Under the lock, so that an answer never lands inside another message.
    fn say(&self, state: &mut State, bytes: &[u8]) -> io::Result<()> {
        write_all(&self.master, bytes)?;
        state.written += bytes.len() as u64;
        for message in state.own_words.push(bytes) {
            match (message, &mut state.dump) {
                (Message::BoardDump(scan), Some(dump)) => *dump = scan,
                (Message::FieldUpdate(square, man), Some(dump)) => dump.put(square, man),
                _ => {}
            }
        }
        Ok(())
    }

    fn answer(&self, wake: &Wake, count: &watch::Sender<usize>) {
        let (mut pending, mut buffer) = (Vec::new(), [0; 256]);
        while wake.wait(Some(self.master.as_fd()), None).is_ok_and(|ready| !ready.stopped) {
            match rustix::io::read(&self.master, &mut buffer) {
                Ok(n) => pending.extend_from_slice(&buffer[..n]),
                Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => {}
                Err(_) => return,
            }
            while let Some(command) = next_command(&mut pending) {
                let mut state = self.state();
                let answer = match (command.as_slice(), state.dump) {
                    ([encode::SEND_BOARD], Some(dump)) => reply::dump(&dump),
                    ([encode::CLOCK, _, _, number, ..], _) if state.acks => reply::ack([0x10, *number, 0, 0]),
                    _ => Vec::new(),
                };
                state.commands.push(command);
                let heard = state.commands.len();
                // A host that does not listen misses the answer, as it would on a real line.
                let _ = self.say(&mut state, &answer);
                drop(state);
                count.send_replace(heard);
            }
        }
    }
}

/// Takes a whole command off the front of what the host has said.
fn next_command(pending: &mut Vec<u8>) -> Option<Vec<u8>> {
    let length = match (*pending.first()?, pending.get(1)) {
        (encode::CLOCK | encode::LEDS, length) => 2 + usize::from(*length?),
        _ => 1,
    };
    (pending.len() >= length).then(|| pending.drain(..length).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_apart() {
        let mut pending = [&[0x40, 0x42][..], &[0x2b, 4, 3, 0x0b, 1, 0], &[0x4b, 0x2b, 10, 3]].concat();
        let commands: Vec<_> = std::iter::from_fn(|| next_command(&mut pending)).collect();
        assert_eq!(commands, vec![vec![0x40], vec![0x42], vec![0x2b, 4, 3, 0x0b, 1, 0], vec![0x4b]]);
        assert_eq!(pending, vec![0x2b, 10, 3], "the rest of it is still to come");
    }
}
