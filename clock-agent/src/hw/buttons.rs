//! Push buttons on the GPIO lines of a Raspberry Pi or any other Linux machine with such lines.
//!
//! A press is the first edge, at the time that the kernel gave it (`CLOCK_MONOTONIC`), however late this thread gets to run.
//! Both edges are watched, though only a press counts: a button that is released bounces too, and without its release
//! in sight that bounce would be a second press.

use std::{path::PathBuf, sync::Arc, time::Duration};

use flagfall_rules::clock::Place;
use gpiocdev::{
    Request,
    line::{Bias, EdgeDetection, EdgeKind, EventClock, Offset},
};
use tokio::sync::mpsc;

use super::{HardwareError, wake::Wake};
use crate::sense::{Sense, Sensed};

/// Where the buttons are. Lines are numbered as the chip numbers them; a button that is not there is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wiring {
    /// The chip, such as `/dev/gpiochip0`.
    pub chip: PathBuf,
    /// The left player's button.
    pub left: Option<Offset>,
    /// The right player's button.
    pub right: Option<Offset>,
    /// Start, pause, resume.
    pub start_stop: Option<Offset>,
    /// The call for the arbiter.
    pub call: Option<Offset>,
    /// The button connects the line to ground, and the line is to be pulled up; else it connects to the supply, and the
    /// line is pulled down.
    pub to_ground: bool,
    /// How long a button must be quiet before another press counts.
    pub lock_out: Duration,
    /// The kernel's own filter, against interference shorter than a press. It delays each edge by its length, so it is
    /// best left out or very short; a machine that does not have it goes without.
    pub filter: Option<Duration>,
}

impl Wiring {
    fn lines(&self) -> Vec<(Offset, Sense)> {
        let lines = [
            (self.left, Sense::Button(Place::Left)),
            (self.right, Sense::Button(Place::Right)),
            (self.start_stop, Sense::StartStop),
            (self.call, Sense::Call(None)),
        ];
        lines.into_iter().filter_map(|(line, sense)| Some((line?, sense))).collect()
    }

    fn request(&self, lines: &[Offset], filter: Option<Duration>) -> gpiocdev::Result<Request> {
        let mut builder = Request::builder();
        builder
            .on_chip(&self.chip)
            .with_consumer("flagfall-clock")
            .with_lines(lines)
            .as_input()
            .with_bias(if self.to_ground { Bias::PullUp } else { Bias::PullDown })
            .with_edge_detection(EdgeDetection::BothEdges)
            .with_event_clock(EventClock::Monotonic);
        if self.to_ground {
            builder.as_active_low();
        }
        if let Some(filter) = filter {
            builder.with_debounce_period(filter);
        }
        builder.request()
    }
}

/// Tells presses from bouncing: the first edge counts, and then none until the contact has been quiet for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Debounce {
    lock_out: u64,
    quiet_at: u64,
}

impl Debounce {
    /// A contact at rest; `lock_out` in the unit of the edges' times.
    #[must_use]
    pub const fn new(lock_out: u64) -> Debounce {
        Debounce { lock_out, quiet_at: 0 }
    }

    /// Takes an edge in; true when it is a press. Any edge prolongs the lock, so that neither a long bounce nor a release
    /// shortly after the press makes a second press.
    pub fn edge(&mut self, at: u64, pressed: bool) -> bool {
        let counts = at >= self.quiet_at;
        self.quiet_at = self.quiet_at.max(at.saturating_add(self.lock_out));
        counts && pressed
    }
}

/// Buttons being watched, until this is dropped.
#[derive(Debug)]
pub struct Buttons {
    wake: Arc<Wake>,
}

impl Buttons {
    /// Requests the lines and watches them.
    ///
    /// # Errors
    /// The chip is not there, a line is in use, or the wiring names the same line twice or none at all.
    pub fn spawn(wiring: &Wiring, senses: mpsc::Sender<Sensed>) -> Result<Buttons, HardwareError> {
        let unusable = |reason: String| HardwareError::Buttons { chip: wiring.chip.clone(), reason };
        let lines = wiring.lines();
        let mut offsets: Vec<Offset> = lines.iter().map(|(line, _)| *line).collect();
        offsets.sort_unstable();
        if offsets.is_empty() || offsets.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(unusable("every button needs a line of its own, and there must be one".into()));
        }
        let request = match (wiring.request(&offsets, wiring.filter), wiring.filter) {
            (Err(_), Some(_)) => wiring.request(&offsets, None),
            (request, _) => request,
        };
        let request = request.map_err(|error| unusable(error.to_string()))?;
        let debounce = Debounce::new(u64::try_from(wiring.lock_out.as_nanos()).unwrap_or(u64::MAX));
        let contacts = lines.into_iter().map(|(line, sense)| (line, sense, debounce)).collect();
        let wake = Wake::new()?;
        let watcher = Watcher { request, contacts, senses, wake: Arc::clone(&wake) };
        std::thread::Builder::new().name("buttons".into()).spawn(move || watcher.run())?;
        Ok(Buttons { wake })
    }
}

impl Drop for Buttons {
    fn drop(&mut self) {
        self.wake.stop();
    }
}

struct Watcher {
    request: Request,
    contacts: Vec<(Offset, Sense, Debounce)>,
    senses: mpsc::Sender<Sensed>,
    wake: Arc<Wake>,
}

impl Watcher {
    fn run(mut self) {
        use std::os::fd::AsFd;
        while self.wake.wait(Some(self.request.as_fd()), None).is_ok_and(|ready| !ready.stopped) {
            while self.request.has_edge_event().unwrap_or(false) {
                let Ok(event) = self.request.read_edge_event() else {
                    tracing::error!("a button's edge cannot be read");
                    return;
                };
                let Some((_, sense, debounce)) = self.contacts.iter_mut().find(|(line, ..)| *line == event.offset)
                else {
                    continue;
                };
                if debounce.edge(event.timestamp_ns, event.kind == EdgeKind::Rising) {
                    let sensed = Sensed { at: event.timestamp_ns / 1_000_000, sense: sense.clone() };
                    if self.senses.blocking_send(sensed).is_err() {
                        return;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_edge_counts_and_bouncing_does_not() {
        const DOWN: bool = true;
        const UP: bool = false;
        /// Name, edges (time, pressed), times of the presses.
        type Case = (&'static str, &'static [(u64, bool)], &'static [u64]);
        let table: [Case; 6] = [
            ("a clean press", &[(100, DOWN), (300, UP), (500, DOWN)], &[100, 500]),
            ("bounces on press", &[(100, DOWN), (102, UP), (103, DOWN), (300, UP)], &[100]),
            ("bounces on release", &[(100, DOWN), (300, UP), (301, DOWN), (302, UP)], &[100]),
            ("a short tap that bounces late", &[(100, DOWN), (125, UP), (132, DOWN), (134, UP)], &[100]),
            ("released within the lock, pressed later", &[(100, DOWN), (110, UP), (200, DOWN)], &[100, 200]),
            ("a lost release", &[(100, DOWN), (400, DOWN)], &[100, 400]),
        ];
        for (name, edges, presses) in table {
            let mut debounce = Debounce::new(30);
            let found: Vec<u64> =
                edges.iter().filter(|(at, pressed)| debounce.edge(*at, *pressed)).map(|(at, _)| *at).collect();
            assert_eq!(found, presses, "{name}");
        }
    }

    #[test]
    fn wiring_that_cannot_work_is_refused() {
        let wiring = Wiring {
            chip: "/dev/no-such-chip".into(),
            left: Some(17),
            right: Some(17),
            start_stop: None,
            call: None,
            to_ground: true,
            lock_out: Duration::from_millis(30),
            filter: None,
        };
        let reason = |wiring: &Wiring| match Buttons::spawn(wiring, mpsc::channel(1).0) {
            Err(HardwareError::Buttons { reason, .. }) => reason,
            other => panic!("{other:?}"),
        };
        assert!(reason(&wiring).contains("line of its own"));
        assert!(reason(&Wiring { left: None, right: None, ..wiring.clone() }).contains("must be one"));
        assert!(!reason(&Wiring { right: Some(27), filter: Some(Duration::from_millis(1)), ..wiring }).is_empty());
    }
}
