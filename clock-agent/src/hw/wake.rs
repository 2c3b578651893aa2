//! Lets a thread wait for a device and for its owner at once, without waking up to look.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task,
    time::Duration,
};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// An event counter of the kernel that a thread polls beside its device. It is also a [`task::Wake`], so that a tokio
/// channel can wake a plain thread.
#[derive(Debug)]
pub(super) struct Wake {
    counter: OwnedFd,
    stopped: AtomicBool,
}

/// What a [`Wake::wait`] ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ready {
    /// The device has something to read, an error or an end included.
    pub(super) readable: bool,
    /// The owner no longer wants the thread.
    pub(super) stopped: bool,
}

impl Wake {
    pub(super) fn new() -> io::Result<Arc<Wake>> {
        let counter = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Arc::new(Wake { counter, stopped: AtomicBool::new(false) }))
    }

    /// Makes the thread return from its wait, now or the next time, and see `stopped`.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.nudge();
    }

    fn nudge(&self) {
        // A full counter would mean that the thread has been woken already.
        let _ = rustix::io::write(&self.counter, &1u64.to_ne_bytes());
    }

    /// Waits until the device can be read, the owner wakes the thread, or the time is over; `None` waits for ever.
    pub(super) fn wait(&self, device: Option<BorrowedFd<'_>>, at_most: Option<Duration>) -> io::Result<Ready> {
        let timeout = at_most.map(|d| Timespec { tv_sec: d.as_secs() as i64, tv_nsec: d.subsec_nanos().into() });
        let mut fds = vec![PollFd::from_borrowed_fd(self.counter.as_fd(), PollFlags::IN)];
        fds.extend(device.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        match poll(&mut fds, timeout.as_ref()) {
            // A signal is as good a reason to look again as any other.
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let readable = fds.get(1).is_some_and(|fd| !fd.revents().is_empty());
        if !fds[0].revents().is_empty() {
            let _ = rustix::io::read(&self.counter, &mut [0u8; 8]);
        }
        Ok(Ready { readable, stopped: self.stopped.load(Ordering::Acquire) })
    }
}

impl task::Wake for Wake {
    fn wake(self: Arc<Self>) {
        self.nudge();
    }
}

/// Writes all bytes to a device opened without blocking; gives up after a second, for a device that takes nothing for
/// that long will not take the rest either.
pub(super) fn write_all(device: impl AsFd, mut bytes: &[u8]) -> io::Result<()> {
    let patience = Timespec { tv_sec: 1, tv_nsec: 0 };
    while !bytes.is_empty() {
        match rustix::io::write(&device, bytes) {
            Ok(n) => bytes = bytes.get(n..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                let mut fds = [PollFd::new(&device, PollFlags::OUT)];
                match poll(&mut fds, Some(&patience)) {
                    Ok(0) => return Err(io::ErrorKind::TimedOut.into()),
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(errno) => return Err(errno.into()),
                }
            }
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}
