//! The way out: connections whose other end has gone, one after the other.
//!
//! When an access point dies, thousands of connections end in one moment, and each costs the work of a few presses: streams and sessions
//! end, and all they held is freed. Done at once that would hold up the boards that are played on for as long as it takes. Nobody waits
//! for it to be done.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use tokio::{net::TcpStream, time::Instant};

/// From one to the next: eight a millisecond, so that ten thousand have gone after a second and a quarter.
const EACH: Duration = Duration::from_micros(125);

/// Whose turn it is.
#[derive(Debug)]
pub(super) struct Exit {
    next: Mutex<Instant>,
}

impl Default for Exit {
    fn default() -> Exit {
        Exit { next: Mutex::new(Instant::now()) }
    }
}

impl Exit {
    /// When a connection that has just been left may be read to its end: now, where nobody has gone before it.
    pub(super) fn turn(&self, now: Instant) -> Instant {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = now.max(*next);
        *next = turn + EACH;
        turn
    }
}

/// Knows without reading whether the other end has gone.
pub trait Leaves {
    /// Whether nothing more will come than what is here already. What cannot tell is read, and tells then.
    fn has_left(&self) -> bool {
        false
    }
}

impl Leaves for TcpStream {
    fn has_left(&self) -> bool {
        let mut asked = [PollFd::new(self, PollFlags::RDHUP)];
        let answers = loop {
            match poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
                Err(Errno::INTR) => {}
                answers => break answers,
            }
        };
        // An error, or an end of both directions, answers too.
        answers.is_ok_and(|answers| answers > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::{io::AsyncWriteExt, net::TcpListener};

    use super::*;

    #[test]
    fn who_leaves_alone_waits_for_nobody_and_a_crowd_goes_one_by_one() {
        let begun = Instant::now();
        let at = |us| begun + Duration::from_micros(us);
        let exit = Exit { next: Mutex::new(begun) };
        assert_eq!([0, 0, 0, 100].map(|us| exit.turn(at(us))), [0, 125, 250, 375].map(at));
        assert_eq!(exit.turn(at(9_000)), at(9_000), "nobody is in the way by now");
    }

    #[tokio::test]
    async fn a_connection_knows_that_its_other_end_has_gone() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let mut clock = TcpStream::connect(listener.local_addr().expect("bound")).await.expect("connected");
        let (near, _) = listener.accept().await.expect("accepted");
        clock.write_all(b"press").await.expect("open");
        assert!(!near.has_left(), "it has something to say, and is there");
        drop(clock);
        assert!(near.has_left(), "what it said is still to be read");
    }
}
