//! The serial port: a thread that owns it, reads it, writes to it, and opens it again after it was lost.
//!
//! One thread does everything, so nothing is shared: it waits for the port, for asks and for its end at once, and does not
//! wake up while there is nothing to do.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use rustix::{
    fs::{Mode, OFlags},
    termios::{ControlModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcsetattr},
};
use tokio::sync::{mpsc, watch};

use super::{
    board::{Board, Output, Purpose},
    decode::{Decoder, Message},
};
use crate::{
    hw::{
        HardwareError,
        wake::{Wake, write_all},
    },
    sense::{Ask, NotDone, Sense, Sensed},
};

/// How long after losing the port it is opened again, and so on, in device time.
const REOPEN: u64 = 1_000;

/// The thread looks at the device time so often while a deadline in it is near, and while it is far. Device time may be a
/// script's, which no timer of the machine follows.
const LOOK: [Duration; 2] = [Duration::from_millis(20), Duration::from_millis(250)];

/// A deadline that is near, milliseconds of device time.
const NEAR: u64 = 1_000;

/// The source of device time: milliseconds.
pub type Stamp = Arc<dyn Fn() -> u64 + Send + Sync>;

/// A running driver. It ends when this is dropped, or when nobody receives its senses any more.
#[derive(Debug)]
pub struct Driver {
    decoded: watch::Receiver<u64>,
    bytes: watch::Receiver<u64>,
    wake: Arc<Wake>,
}

impl Driver {
    /// How many messages of any kind, garbled ones included, have been taken in. A message counts after its senses are in
    /// the channel. Bytes that are no message count when the next message, or 256 of them, show it.
    #[must_use]
    pub fn decoded(&self) -> watch::Receiver<u64> {
        self.decoded.clone()
    }

    /// How many bytes have been taken in, counted after the senses that they led to are in the channel: unlike messages
    /// they can be compared with what a fake board has said, whatever it was.
    #[must_use]
    pub fn bytes(&self) -> watch::Receiver<u64> {
        self.bytes.clone()
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Not joined: the thread may be waiting for room in the channel of senses, which only its owner can make.
        self.wake.stop();
    }
}

/// Opens a board's port and starts to read it.
///
/// # Errors
/// The path is no serial port. Of one that cannot be opened: it has to be there at the start when it brings the time, and is a
/// fault that is reported when the device keeps the time itself, as is losing it later.
pub fn spawn(
    port: &Path,
    purpose: Purpose,
    stamp: Stamp,
    senses: mpsc::Sender<Sensed>,
    asks: mpsc::Receiver<Ask>,
) -> Result<Driver, HardwareError> {
    let line = match open(port) {
        Ok(line) => Ok(line),
        Err(HardwareError::Open { source, .. }) if purpose == Purpose::Squares => Err(source),
        Err(error) => return Err(error),
    };
    let wake = Wake::new()?;
    let (decoded, seen_decoded) = watch::channel(0);
    let (bytes, seen_bytes) = watch::channel(0);
    let worker = Worker {
        path: port.to_owned(),
        line: None,
        reopen_at: 0,
        stamp,
        senses,
        asks: Some(asks),
        wake: Arc::clone(&wake),
        board: Board::new(purpose),
        decoder: Decoder::default(),
        decoded,
        bytes,
    };
    std::thread::Builder::new().name("dgt-board".into()).spawn(move || {
        let _ = worker.run(line);
    })?;
    Ok(Driver { decoded: seen_decoded, bytes: seen_bytes, wake })
}

/// Nobody receives the senses any more.
struct Unheard;

struct Worker {
    path: PathBuf,
    /// The open port; `None` while it is lost.
    line: Option<OwnedFd>,
    reopen_at: u64,
    stamp: Stamp,
    senses: mpsc::Sender<Sensed>,
    /// `None` once nobody can ask any more.
    asks: Option<mpsc::Receiver<Ask>>,
    wake: Arc<Wake>,
    board: Board,
    decoder: Decoder,
    decoded: watch::Sender<u64>,
    bytes: watch::Sender<u64>,
}

impl Worker {
    fn run(mut self, line: io::Result<OwnedFd>) -> Result<(), Unheard> {
        match line {
            Ok(line) => self.greet(line, (self.stamp)())?,
            Err(error) => self.lose(&error)?,
        }
        let waker = Waker::from(Arc::clone(&self.wake));
        loop {
            self.take_asks(&waker)?;
            self.let_time_pass()?;
            let device = self.line.as_ref().map(AsFd::as_fd);
            match self.wake.wait(device, self.look()) {
                Ok(ready) if ready.stopped => return Ok(()),
                Ok(ready) if ready.readable => self.read()?,
                Ok(_) => {}
                Err(error) => self.lose(&error)?,
            }
        }
    }

    /// How long the thread may sleep at most; `None` when time alone moves nothing.
    fn look(&self) -> Option<Duration> {
        let due = if self.line.is_none() { Some(self.reopen_at) } else { self.board.due() };
        let far = |due: u64| due > (self.stamp)().saturating_add(NEAR);
        due.map(|due| LOOK[usize::from(far(due))])
    }

    fn greet(&mut self, line: OwnedFd, now: u64) -> Result<(), Unheard> {
        self.line = Some(line);
        let greeting = self.board.connected(now);
        self.write(&greeting)
    }

    fn take_asks(&mut self, waker: &Waker) -> Result<(), Unheard> {
        while let Some(asks) = &mut self.asks {
            match asks.poll_recv(&mut Context::from_waker(waker)) {
                Poll::Pending => break,
                Poll::Ready(None) => self.asks = None,
                Poll::Ready(Some(Ask::Dial(_))) if self.line.is_none() => {
                    self.send(
                        (self.stamp)(),
                        Sense::DialDone(Err(NotDone::Refused("the board is not connected".into()))),
                    )?;
                }
                Poll::Ready(Some(ask)) => {
                    let now = (self.stamp)();
                    let output = self.board.ask(ask, now);
                    self.perform(now, output)?;
                }
            }
        }
        Ok(())
    }

    fn let_time_pass(&mut self) -> Result<(), Unheard> {
        let now = (self.stamp)();
        let output = self.board.tick(now);
        self.perform(now, output)?;
        if self.line.is_some() || now < self.reopen_at {
            return Ok(());
        }
        self.reopen_at = now.saturating_add(REOPEN);
        // That it is back is said when it has answered: a port may be there before its board is.
        open(&self.path).map_or(Ok(()), |line| self.greet(line, now))
    }

    fn read(&mut self) -> Result<(), Unheard> {
        let Some(line) = &self.line else { return Ok(()) };
        let mut buffer = [0; 1_024];
        match rustix::io::read(line, &mut buffer) {
            Ok(0) => self.lose(&io::Error::from(io::ErrorKind::UnexpectedEof)),
            Ok(n) => {
                let now = (self.stamp)();
                for message in self.decoder.push(&buffer[..n]) {
                    self.take(message, now)?;
                }
                self.bytes.send_modify(|bytes| *bytes += n as u64);
                Ok(())
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(()),
            Err(errno) => self.lose(&errno.into()),
        }
    }

    fn take(&mut self, message: Message, now: u64) -> Result<(), Unheard> {
        let output = self.board.take(message, now);
        self.perform(now, output)?;
        self.decoded.send_modify(|decoded| *decoded += 1);
        Ok(())
    }

    fn perform(&mut self, now: u64, output: Output) -> Result<(), Unheard> {
        for sense in output.senses {
            self.send(now, sense)?;
        }
        self.write(&output.write)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Unheard> {
        match self.line.as_ref().map(|line| write_all(line, bytes)) {
            Some(Err(error)) => self.lose(&error),
            _ => Ok(()),
        }
    }

    fn lose(&mut self, error: &io::Error) -> Result<(), Unheard> {
        self.line = None;
        let now = (self.stamp)();
        self.reopen_at = now.saturating_add(REOPEN);
        // Half a message at the end of a lost line is no damage of the line.
        self.decoder = Decoder::default();
        let output = self.board.lost(&format!("{}: {error}", self.path.display()));
        output.senses.into_iter().try_for_each(|sense| self.send(now, sense))
    }

    fn send(&self, at: u64, sense: Sense) -> Result<(), Unheard> {
        self.senses.blocking_send(Sensed { at, sense }).map_err(|_| Unheard)
    }
}

/// Opens a port and sets it to 9600 8N1 without any treatment of the bytes. What has arrived already is kept.
fn open(port: &Path) -> Result<OwnedFd, HardwareError> {
    // Without blocking, or a modem line that nobody wired would keep the open waiting for a carrier.
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let line = rustix::fs::open(port, flags, Mode::empty()).map_err(|errno| HardwareError::open(port, errno))?;
    if !isatty(&line) {
        return Err(HardwareError::NotATerminal { path: port.to_owned() });
    }
    let set = || {
        let mut settings = tcgetattr(&line)?;
        make_9600_8n1(&mut settings)?;
        // `Now`, not `Flush`: the first dump may be waiting already.
        tcsetattr(&line, OptionalActions::Now, &settings)
    };
    set().map_err(|errno| HardwareError::line(port, errno))?;
    Ok(line)
}

fn make_9600_8n1(settings: &mut Termios) -> rustix::io::Result<()> {
    settings.make_raw();
    settings.control_modes.remove(ControlModes::CSIZE | ControlModes::PARENB | ControlModes::CSTOPB);
    settings.control_modes.remove(ControlModes::CRTSCTS);
    settings.control_modes.insert(ControlModes::CS8 | ControlModes::CREAD | ControlModes::CLOCAL);
    // At least one byte a read: a read of nothing then only means that the line is gone.
    settings.special_codes[SpecialCodeIndex::VMIN] = 1;
    settings.special_codes[SpecialCodeIndex::VTIME] = 0;
    settings.set_speed(9_600)
}
