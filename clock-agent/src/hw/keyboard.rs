//! A terminal's keyboard in place of buttons, for machines without GPIO lines.
//!
//! | Key | Button |
//! |---|---|
//! | `a`, arrow left | the left player's |
//! | `l`, arrow right | the right player's |
//! | space | start, pause, resume |
//! | `c` | call the arbiter |
//! | `q` | quit |

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
    sync::Arc,
};

use flagfall_rules::clock::Place;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcsetattr};
use tokio::sync::mpsc;

use super::{HardwareError, dgt::driver::Stamp, wake::Wake};
use crate::sense::{Sense, Sensed};

/// A key that means something.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// Something the core wants to know.
    Sense(Sense),
    /// The user wants to leave.
    Quit,
}

/// Finds keys in what a terminal sends; an arrow is three bytes, which may come one at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keys {
    sequence: Sequence,
}

#[derive(Clone, Copy, Debug, Default)]
enum Sequence {
    #[default]
    None,
    Escape,
    /// Parameters may stand between the bracket and the letter, as they do while shift is held.
    Bracket,
}

impl Keys {
    /// Takes a byte and returns the key that it completes.
    pub fn push(&mut self, byte: u8) -> Option<Key> {
        const ESCAPE: u8 = 0x1b;
        let sequence = std::mem::take(&mut self.sequence);
        let sense = match (sequence, byte) {
            (_, ESCAPE) => {
                self.sequence = Sequence::Escape;
                return None;
            }
            (Sequence::Escape, b'[' | b'O') | (Sequence::Bracket, b'0'..=b'9' | b';') => {
                self.sequence = Sequence::Bracket;
                return None;
            }
            (Sequence::Bracket, b'D') => Sense::Button(Place::Left),
            (Sequence::Bracket, b'C') => Sense::Button(Place::Right),
            // The end of some other key, whose letter must not be taken for a key of its own.
            (Sequence::Bracket, _) => return None,
            (_, b'a' | b'A') => Sense::Button(Place::Left),
            (_, b'l' | b'L') => Sense::Button(Place::Right),
            (_, b' ') => Sense::StartStop,
            (_, b'c' | b'C') => Sense::Call(None),
            (_, b'q' | b'Q') => return Some(Key::Quit),
            _ => return None,
        };
        Some(Key::Sense(sense))
    }
}

/// A keyboard being read. Dropping it gives the terminal its settings back.
#[derive(Debug)]
pub struct Keyboard {
    terminal: Arc<OwnedFd>,
    before: Termios,
    wake: Arc<Wake>,
}

impl Keyboard {
    /// Reads the keys of standard input; `quit` is called when the user wants to leave or the terminal is gone.
    ///
    /// # Errors
    /// Standard input is no terminal.
    pub fn spawn(
        stamp: Stamp,
        senses: mpsc::Sender<Sensed>,
        quit: impl FnOnce() + Send + 'static,
    ) -> Result<Keyboard, HardwareError> {
        let terminal = rustix::stdio::stdin().try_clone_to_owned()?;
        Keyboard::on(terminal, stamp, senses, quit)
    }

    /// Reads the keys of a terminal.
    ///
    /// # Errors
    /// It is no terminal.
    pub fn on(
        terminal: OwnedFd,
        stamp: Stamp,
        senses: mpsc::Sender<Sensed>,
        quit: impl FnOnce() + Send + 'static,
    ) -> Result<Keyboard, HardwareError> {
        let name = Path::new("standard input");
        if !isatty(&terminal) {
            return Err(HardwareError::NotATerminal { path: name.to_owned() });
        }
        let before = tcgetattr(&terminal).map_err(|errno| HardwareError::line(name, errno))?;
        let wake = Wake::new()?;
        let keyboard = Keyboard { terminal: Arc::new(terminal), before, wake };
        let mut settings = keyboard.before.clone();
        // Each key at once and unseen. Signals stay: the interrupt key must end the program whatever state it is in.
        settings.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        settings.special_codes[SpecialCodeIndex::VMIN] = 1;
        settings.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&*keyboard.terminal, OptionalActions::Now, &settings)
            .map_err(|errno| HardwareError::line(name, errno))?;
        let (terminal, wake) = (Arc::clone(&keyboard.terminal), Arc::clone(&keyboard.wake));
        std::thread::Builder::new().name("keyboard".into()).spawn(move || {
            if read(&terminal, &wake, &stamp, &senses).is_ok_and(|wanted| wanted == Wanted::Quit) {
                quit();
            }
        })?;
        Ok(keyboard)
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.wake.stop();
        // A terminal that is gone needs no settings.
        let _ = tcsetattr(&*self.terminal, OptionalActions::Now, &self.before);
    }
}

#[derive(PartialEq)]
enum Wanted {
    Quit,
    /// The owner has stopped us or no longer listens.
    Nothing,
}

fn read(terminal: &OwnedFd, wake: &Wake, stamp: &Stamp, senses: &mpsc::Sender<Sensed>) -> io::Result<Wanted> {
    let (mut keys, mut buffer) = (Keys::default(), [0; 64]);
    loop {
        let ready = wake.wait(Some(terminal.as_fd()), None)?;
        if ready.stopped {
            return Ok(Wanted::Nothing);
        }
        if !ready.readable {
            continue;
        }
        let taken = match rustix::io::read(terminal, &mut buffer) {
            Ok(0) => return Ok(Wanted::Quit),
            Ok(n) => n,
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => continue,
            Err(_) => return Ok(Wanted::Quit),
        };
        let at = stamp();
        for key in buffer[..taken].iter().filter_map(|&byte| keys.push(byte)) {
            match key {
                Key::Quit => return Ok(Wanted::Quit),
                Key::Sense(sense) => {
                    if senses.blocking_send(Sensed { at, sense }).is_err() {
                        return Ok(Wanted::Nothing);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::{
        fs::{Mode, OFlags},
        pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    };
    use tokio::sync::oneshot;

    use super::*;

    #[test]
    fn keys_by_their_bytes() {
        let left = || Key::Sense(Sense::Button(Place::Left));
        let right = || Key::Sense(Sense::Button(Place::Right));
        let table: [(&[u8], Vec<Key>); 9] = [
            (b"aA\x1b[D\x1bOD", vec![left(), left(), left(), left()]),
            (b"lL\x1b[C\x1bOC", vec![right(), right(), right(), right()]),
            (b" c", vec![Key::Sense(Sense::StartStop), Key::Sense(Sense::Call(None))]),
            (b"q", vec![Key::Quit]),
            (b"xyz\r\n\xff\x00", vec![]),
            (b"\x1b[A\x1b[B\x1b[5~", vec![]),
            (b"\x1b[1;2C", vec![right()]),
            (b"\x1b\x1b[D", vec![left()]),
            (b"\x1ba\x1b[la", vec![left(), left()]),
        ];
        for (bytes, expected) in table {
            let mut keys = Keys::default();
            let found: Vec<Key> = bytes.iter().filter_map(|&byte| keys.push(byte)).collect();
            assert_eq!(found, expected, "{bytes:02x?}");
        }
    }

    #[tokio::test]
    async fn keys_become_senses_and_the_terminal_is_given_back() {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("a pseudo-terminal");
        let path = ptsname(&master, Vec::new()).expect("a name");
        let terminal = rustix::fs::open(&path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("the other end");
        let modes = || tcgetattr(&master).expect("settings").local_modes;
        let before = modes();
        let (senses, mut sensed) = mpsc::channel(8);
        let (quit, mut left) = oneshot::channel();
        let quit = move || assert_eq!(quit.send(()), Ok(()));
        let keyboard = Keyboard::on(terminal, Arc::new(|| 7), senses, quit).expect("a keyboard");
        assert!(!modes().intersects(LocalModes::ICANON | LocalModes::ECHO));
        rustix::io::write(&master, b"a c").expect("room");
        for sense in [Sense::Button(Place::Left), Sense::StartStop, Sense::Call(None)] {
            assert_eq!(sensed.recv().await, Some(Sensed { at: 7, sense }));
        }
        assert!(left.try_recv().is_err());
        rustix::io::write(&master, b"q").expect("room");
        assert_eq!(left.await, Ok(()));
        drop(keyboard);
        assert_eq!(modes(), before);
    }
}
