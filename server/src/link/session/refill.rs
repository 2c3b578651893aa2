//! A journal that lost its end is filled again from the spool. What the rules derive again from the events is what they derived before,
//! directives among it; most of those have their last word further on in the spool, and the others wait until all of it is there.

use flagfall_proto::clock::v1::link_response::Frame;
use flagfall_rules::game::{DeviceAct, Stage};

use super::{super::intake::Taken, Session};

impl Session {
    /// Not all that was once acknowledged is on disk again.
    pub(super) fn is_refilling(&self) -> bool {
        self.at.durable < self.at.refilled_at
    }

    /// An event may be the last word on a directive that waits, or on one that will only be derived from the events before it.
    pub(super) fn note_answer(&mut self, taken: &Taken) {
        if let (true, Some(game), DeviceAct::Report(report)) = (self.is_refilling(), &taken.game, &taken.input.act)
            && !matches!(report.stage, Stage::Sent | Stage::Received)
        {
            self.at.answered.insert((game.clone(), report.rev));
        }
    }

    /// What waited and has no last word goes out once everything is on disk again.
    pub(super) fn release_held(&mut self) {
        if self.is_refilling() {
            return;
        }
        let answered = std::mem::take(&mut self.at.answered);
        for directive in std::mem::take(&mut self.at.held) {
            if !answered.contains(&(directive.game.clone(), directive.rev)) {
                self.send(Frame::Directive(directive));
            }
        }
    }
}
