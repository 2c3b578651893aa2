//! What became of a press, and when: the one record from which figures, pages and exported spans are made.
//!
//! ```text
//!   link ──▶ Trail ──▶ game's actor: ruled, appended, durable, told ──▶ Trails ──┬─▶ Figures     every one
//!                          ▲                                                     ├─▶ Store       the latest, and those of note
//!                          └── Track: the last press, until it is known           └─▶ Export      those of note, and a ratio
//!                              whether something came of it
//! ```
//!
//! - A [`Trail`] is a few stamps in a small struct that travels with its input. No span is open while a press is handled, nothing is
//!   formatted, and nothing is decided before it ends: a press that came to nothing is forgotten, whatever was ruled is kept.
//! - Spans are made of it ([`spans`]) by whoever shows or exports it. Their ids are derived, so the clock's own spans join them.
//! - [`Presence`] is a session as operators see it: what its trails are linked to, how its time runs, how far it is behind.
//!
//! Nothing of this decides anything, and nothing waits for it.

pub mod figures;
pub mod note;
pub mod presence;
pub mod spans;
pub mod stamp;
mod store;
mod track;
mod trails;

use std::sync::{Arc, atomic::AtomicBool};

use flagfall_rules::{
    game::{DeviceAct, DeviceInput, Directive, Event},
    laws::Edition,
};
use flagfall_trace::TraceContext;

pub use self::{
    figures::Figures, note::Note, presence::Presence, stamp::Stamp, store::Store, track::Track, trails::Trails,
};
use crate::journal::Batch;

/// What kind of input left the trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// A clock was started for the first time.
    Started,
    /// A press.
    Press,
    /// A clock was paused by hand.
    Paused,
    /// A clock was resumed by hand.
    Resumed,
    /// A player wants the arbiter.
    Call,
    /// A player claims something.
    Claim,
    /// A board changed.
    Scan,
    /// A board stands still.
    Quiet,
    /// A flag fell.
    Flag,
    /// How a directive fared.
    Report,
    /// Something is wrong with a device.
    Fault,
    /// An act at the desk.
    Act,
    /// Patience with a directive ran out.
    Overdue,
    /// A question of a game was answered.
    Answer,
    /// Something was noticed of a clock.
    Notice,
}

impl What {
    /// Every kind.
    pub const ALL: [What; 15] = [
        What::Started,
        What::Press,
        What::Paused,
        What::Resumed,
        What::Call,
        What::Claim,
        What::Scan,
        What::Quiet,
        What::Flag,
        What::Report,
        What::Fault,
        What::Act,
        What::Overdue,
        What::Answer,
        What::Notice,
    ];

    /// Its name, as of the clock's span and of labels.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            What::Started => "started",
            What::Press => "press",
            What::Paused => "paused",
            What::Resumed => "resumed",
            What::Call => "call",
            What::Claim => "claim",
            What::Scan => "scan",
            What::Quiet => "quiet",
            What::Flag => "flag",
            What::Report => "report",
            What::Fault => "fault",
            What::Act => "act",
            What::Overdue => "overdue",
            What::Answer => "answer",
            What::Notice => "notice",
        }
    }

    /// What an event of a clock is.
    #[must_use]
    pub const fn of(act: &DeviceAct) -> What {
        match act {
            DeviceAct::Started => What::Started,
            DeviceAct::Press(_) => What::Press,
            DeviceAct::Paused => What::Paused,
            DeviceAct::Resumed => What::Resumed,
            DeviceAct::Call(_) => What::Call,
            DeviceAct::Claim(..) => What::Claim,
            DeviceAct::Scan(_) => What::Scan,
            DeviceAct::Quiet(_) => What::Quiet,
            DeviceAct::Flag(_) => What::Flag,
            DeviceAct::Report(_) => What::Report,
            DeviceAct::Fault(..) => What::Fault,
        }
    }

    /// A board's: many, and mostly of no consequence.
    #[must_use]
    pub const fn is_of_board(self) -> bool {
        matches!(self, What::Scan | What::Quiet)
    }
}

/// A directive that was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its revision.
    pub rev: u64,
    /// What it asks for.
    pub act: &'static str,
    /// The span of telling it: what the clock's goes on from.
    pub context: TraceContext,
}

/// See the module.
#[derive(Debug)]
pub struct Trail {
    /// What kind of input.
    pub what: What,
    /// The span it goes on from; `None` where a trace begins.
    pub from: Option<TraceContext>,
    /// The span of the whole of it.
    pub context: TraceContext,
    /// The session in which it came; `None` where no clock said it.
    pub presence: Option<Arc<Presence>>,
    /// The game; empty until it is known.
    pub game: Arc<str>,
    /// Its number in the clock's spool; 0 where no clock said it.
    pub seq: u64,
    /// When it happened, milliseconds of the device's boot.
    pub at_ms: u64,
    /// When the clock sent it, milliseconds of the same boot; 0: not said.
    pub sent_ms: u64,
    /// When it came in.
    pub received: Stamp,
    /// When the rules took it up.
    pub ruling: Stamp,
    /// When they were done.
    pub ruled: Stamp,
    /// When its entry was given to the journal.
    pub appended: Stamp,
    /// When the entry was on disk.
    pub durable: Stamp,
    /// When the ack, the directives and the answer were on their way.
    pub left: Stamp,
    /// The entry's number in its stream.
    pub entry: u64,
    /// The group that its entry was synced with.
    pub batch: Batch,
    /// What was told because of it.
    pub told: Vec<Told>,
    /// What was found or ruled.
    pub note: Option<Box<Note>>,
    /// What went wrong.
    pub error: Option<String>,
    /// It was exported, or is about to be.
    kept: AtomicBool,
}

impl Trail {
    fn new(what: What, from: Option<TraceContext>, context: TraceContext) -> Trail {
        Trail {
            what,
            from,
            context,
            presence: None,
            game: "".into(),
            seq: 0,
            at_ms: 0,
            sent_ms: 0,
            received: Stamp::now(),
            ruling: Stamp::NEVER,
            ruled: Stamp::NEVER,
            appended: Stamp::NEVER,
            durable: Stamp::NEVER,
            left: Stamp::NEVER,
            entry: 0,
            batch: Batch::default(),
            told: Vec::new(),
            note: None,
            error: None,
            kept: AtomicBool::new(false),
        }
    }

    /// Of an event of a clock, with the trace context that it carried or, without one, that of its spool and number.
    #[must_use]
    pub fn of_event(input: &DeviceInput, traceparent: &str, spool: &[u8; 16], presence: Arc<Presence>) -> Trail {
        let what = What::of(&input.act);
        let from = traceparent.parse().unwrap_or_else(|_| TraceContext::of_event(spool, input.seq));
        let mut trail = Trail::new(what, Some(from), Trail::below(what, from, input.seq));
        (trail.seq, trail.at_ms, trail.presence) = (input.seq, input.at.ms, Some(presence));
        trail
    }

    /// Of an event whose session nobody watches: for those who bring their own clocks.
    #[must_use]
    pub fn unseen(input: &DeviceInput) -> Trail {
        let what = What::of(&input.act);
        let from = TraceContext::of_event(&[0; 16], input.seq);
        let mut trail = Trail::new(what, Some(from), Trail::below(what, from, input.seq));
        (trail.seq, trail.at_ms) = (input.seq, input.at.ms);
        trail
    }

    /// Of the service's own doing, or of an act at the desk, below the span it goes on from; without one it begins a trace that
    /// `name` names.
    #[must_use]
    pub fn own(what: What, from: Option<TraceContext>, game: &Arc<str>, name: &str, number: u64) -> Trail {
        let context = match from {
            Some(from) => from.child(what.name(), number),
            None => TraceContext::named(&[what.name().as_bytes(), game.as_bytes(), name.as_bytes()]),
        };
        Trail { game: Arc::clone(game), ..Trail::new(what, from, context) }
    }

    /// The clock's span of carrying out a directive, by the span of telling it.
    #[must_use]
    pub fn apply(directive: TraceContext) -> TraceContext {
        directive.child("apply", 0)
    }

    fn below(what: What, from: TraceContext, seq: u64) -> TraceContext {
        let parent = if what == What::Report { Trail::apply(from) } else { from };
        parent.child("receive", seq)
    }

    /// A board led to something: that belongs to the press before it.
    pub fn goes_on_from(&mut self, press: TraceContext) {
        (self.from, self.context) = (Some(press), Trail::below(self.what, press, self.seq));
    }

    /// The rules are done with it.
    pub fn is_ruled(&mut self, events: &[Event], edition: Option<&'static Edition>) {
        self.ruled = Stamp::now();
        self.note = Note::of(events, edition);
    }

    /// The span of the whole, as those go on from it who are told something: that is always kept.
    #[must_use]
    pub fn sampled(&self) -> TraceContext {
        TraceContext { sampled: true, ..self.context }
    }

    /// A directive is told because of it.
    pub fn tells(&mut self, directive: &Directive) {
        let context = self.sampled().child("directive", directive.rev);
        self.told.push(Told { rev: directive.rev, act: note::word(&directive.act), context });
    }

    /// The clock whose input it was.
    #[must_use]
    pub fn device(&self) -> &str {
        self.presence.as_ref().map_or("", |presence| &presence.device)
    }

    /// The board of that clock.
    #[must_use]
    pub fn board(&self) -> &str {
        self.presence.as_ref().map_or("", |presence| &presence.board)
    }

    /// From coming in to leaving.
    #[must_use]
    pub fn took(&self) -> std::time::Duration {
        self.left.since(self.received)
    }

    /// It is worth keeping whatever the sampler says.
    #[must_use]
    pub fn is_of_note(&self) -> bool {
        !self.told.is_empty()
            || self.note.is_some()
            || self.error.is_some()
            || matches!(self.what, What::Report | What::Act | What::Overdue | What::Answer | What::Notice)
            || self.durable.since(self.appended) >= trails::SLOW_COMMIT
    }
}

#[cfg(test)]
mod tests;
