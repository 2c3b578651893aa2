//! How a clock is from moment to moment. It stands in no journal, is for watching, and is never evidence.

use std::collections::BTreeSet;

use flagfall_proto::clock::v1::Face;
use flagfall_rules::{
    game::{Fault, Notice},
    time::Moment,
};
use tokio::time::Instant;

use crate::journal::codec::Numbered;

/// What was last heard of a clock since the service started.
#[derive(Clone, Debug, Default)]
pub struct Pulse {
    /// When anything was heard.
    heard: Option<Instant>,
    /// The face it last showed, and when.
    face: Option<(Face, Instant)>,
    /// The device's own time when it last said it, and when that was.
    time: Option<(Moment, Instant)>,
    /// What its last heartbeat told of its game.
    beat: Option<Beat>,
    /// Faults that are not right again, by their number in the contract.
    faults: BTreeSet<i32>,
}

/// What a heartbeat tells of the game on the clock.
#[derive(Clone, Debug)]
pub struct Beat {
    /// The game.
    pub game: String,
    /// The last event of the clock's spool: nothing has happened since.
    pub last_seq: u64,
    /// When, on the device.
    pub at: Moment,
    /// The face then.
    pub face: flagfall_rules::clock::Face,
}

impl Pulse {
    /// It was heard, showing this.
    pub fn beat(&mut self, face: Option<Face>) {
        let now = Instant::now();
        self.heard = Some(now);
        self.face = face.map(|face| (face, now)).or_else(|| self.face.take());
    }

    /// It says what its time is.
    pub fn says_time(&mut self, at: Moment) {
        self.time = Some((at, Instant::now()));
    }

    /// What its time is now, if it has not been started anew since it last said so.
    #[must_use]
    pub fn time(&self) -> Option<Moment> {
        let (at, heard) = self.time?;
        let passed = u64::try_from(heard.elapsed().as_millis()).unwrap_or(u64::MAX);
        Some(Moment { ms: at.ms.saturating_add(passed), ..at })
    }

    /// It tells how its game stands.
    pub fn tells(&mut self, beat: Beat) {
        self.beat = Some(beat);
    }

    /// What it last showed in this game with nothing having happened since this event of its spool. It is what was heard: how far it
    /// has run since, nobody knows of a clock that may be dead.
    #[must_use]
    pub fn shows(&self, game: &str, seq: u64) -> Option<Notice> {
        let beat = self.beat.as_ref().filter(|beat| beat.game == game && beat.last_seq == seq)?;
        Some(Notice::Shows { at: beat.at, face: beat.face })
    }

    /// The face that it last showed, and the milliseconds since.
    #[must_use]
    pub fn face(&self) -> Option<(Face, u64)> {
        self.face.as_ref().map(|(face, at)| (*face, u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX)))
    }

    /// It says that something is wrong, or right again.
    pub fn fault(&mut self, kind: Fault) {
        let mends = match kind {
            Fault::BoardBack => &[Fault::BoardLost, Fault::Garbled][..],
            Fault::ClockBack => &[Fault::ClockLost],
            // It did so once, or there is nothing to mend.
            Fault::SourceEnded | Fault::PowerLost | Fault::PressesMissed => &[],
            lasting => {
                self.faults.insert(lasting.number());
                &[]
            }
        };
        for mended in mends {
            self.faults.remove(&mended.number());
        }
    }
}

/// A clock as it is now.
#[derive(Clone, Debug)]
pub struct Vital {
    /// Its name.
    pub device: String,
    /// The board it reads.
    pub board: String,
    /// The game last taken on by it.
    pub game: Option<std::sync::Arc<str>>,
    /// It has a live session.
    pub connected: bool,
    /// What was last heard of it.
    pub pulse: Pulse,
}

impl From<Vital> for flagfall_proto::desk::v1::ClockSnapshot {
    fn from(vital: Vital) -> Self {
        let Vital { device, board, game, connected, pulse } = vital;
        let ago = |at: Instant| u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX);
        Self {
            device,
            board,
            game: game.as_deref().unwrap_or_default().to_owned(),
            connected,
            heard_ago_ms: pulse.heard.map(ago),
            face: pulse.face.as_ref().map(|(face, _)| *face),
            face_ago_ms: pulse.face.as_ref().map_or(0, |(_, at)| ago(*at)),
            faults: pulse.faults.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_lasts_until_it_is_mended() {
        let mut pulse = Pulse::default();
        for kind in [Fault::BoardLost, Fault::Garbled, Fault::BatteryLow, Fault::PowerLost] {
            pulse.fault(kind);
        }
        pulse.fault(Fault::BoardBack);
        assert_eq!(pulse.faults, BTreeSet::from([Fault::BatteryLow.number()]));
        pulse.fault(Fault::ClockLost);
        assert!(pulse.faults.contains(&Fault::ClockLost.number()));
        pulse.fault(Fault::ClockBack);
        assert!(!pulse.faults.contains(&Fault::ClockLost.number()));
    }

    #[test]
    fn a_beat_without_a_face_keeps_the_one_before() {
        let mut pulse = Pulse::default();
        assert!(pulse.heard.is_none());
        pulse.beat(Some(Face::default()));
        pulse.beat(None);
        assert!(pulse.heard.is_some() && pulse.face.is_some());
    }
}
