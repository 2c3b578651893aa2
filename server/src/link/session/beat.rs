//! What a heartbeat of the clock tells: the device's time, whether something was lost on the way, whether it is where it should be.
//! What the service's own tell: what is wanted, whether the clock may forget; and when a clock may come back after a Goodbye.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use flagfall_proto::clock::v1::{ClockHeartbeat, Rewind, ServerHeartbeat, link_response::Frame};
use flagfall_rules::game::Notice;
use tokio::time::Instant;

use super::Session;
use crate::arena::{Released, pulse::Beat};

impl Session {
    /// Still here: said in answer to the clock, which wakes this session anyway, or unasked when the clock has long said nothing.
    pub(super) fn beat(&mut self) {
        self.beat.reset();
        let all = !self.is_refilling() && self.parts.claim.slot().released() == Released::All;
        let released_through = if all { self.at.durable } else { 0 };
        self.send(Frame::Heartbeat(ServerHeartbeat { desired_rev: self.at.desired_rev, released_through }));
    }

    /// When the clock may come back: spread by its name and session over the time that all of them take.
    pub(super) fn resume_after_ms(&self) -> u64 {
        let all = self.parts.gate.time_for(self.parts.arena.roster().sessions());
        let spread = 401 + all.as_millis() as u64;
        let mut hasher = DefaultHasher::new();
        (&self.device, self.parts.epoch).hash(&mut hasher);
        100 + hasher.finish() % spread
    }

    pub(super) fn heartbeat(&mut self, beat: ClockHeartbeat) {
        let ClockHeartbeat { session_epoch, last_seq, game, applied_rev, face, at } = beat;
        self.parts.claim.slot().pulse().beat(face);
        if let Err(refused) = self.parts.intake.check_epoch(session_epoch) {
            return self.end_now(Some(refused));
        }
        // What is no instant says nothing of the time.
        if let Some(at) = at.and_then(|at| at.try_into().ok()) {
            let mut pulse = self.parts.claim.slot().pulse();
            pulse.says_time(at);
            if let Some(Ok(face)) = face.map(TryInto::try_into) {
                pulse.tells(Beat { game: game.clone(), last_seq, at, face });
            }
            drop(pulse);
            self.parts.presence.sent(at.ms);
        }
        self.parts.presence.spooled(last_seq);
        self.parts.presence.revisions(self.at.desired_rev, if game == self.at.game { applied_rev } else { 0 });
        if let Some(from_seq) = self.parts.intake.beat(last_seq, self.at.durable) {
            tracing::warn!(device = self.device, from_seq, last_seq, "events were lost on the way; they are asked for");
            self.send(Frame::Rewind(Rewind { from_seq }));
        }
        self.compare(&game, applied_rev);
    }

    /// Compares what the clock has with what is wanted of it; the desk is told of what does not go away.
    fn compare(&mut self, game: &str, applied_rev: u64) {
        let applied = if game == self.at.game { applied_rev } else { 0 };
        let is_here = self.parts.claim.slot().game().is_some_and(|here| *here == *self.at.game);
        if !is_here || self.is_refilling() || applied == self.at.desired_rev {
            self.differs = None;
            return;
        }
        let (since, told) = self.differs.get_or_insert_with(|| (Instant::now(), false));
        // Twice as long as a directive may take: that one has no word yet is told by then.
        if !*told && since.elapsed() >= self.parts.arena.limits().directive() * 2 {
            *told = true;
            tracing::error!(
                device = self.device,
                game,
                applied,
                desired_rev = self.at.desired_rev,
                "ALARM: they differ"
            );
            let game = self.parts.claim.slot().game();
            self.parts.arena.notice(game, Notice::Differs(applied));
        }
    }
}
