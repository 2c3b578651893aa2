//! What a clock remembers across a loss of power: the fold of its spool.
//!
//! The running core keeps the very same fold, so what it knows and what a restart finds cannot differ.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use flagfall_rules::{
    clock::{Control, Face},
    time::Moment,
};

use super::{
    directive::{Act, Directive, RejectReason, Stage, Words},
    effect::{Applied, What},
};
use crate::sense::FaultKind;

/// Everything that a spool says about the present.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stored {
    /// The last event's number; 0 when there is none.
    pub last_seq: u64,
    /// The last press's number; 0 when there is none.
    pub last_press: u64,
    /// When the last record was written.
    pub at: Moment,
    /// The face then; `None` in an empty spool.
    pub face: Option<Face>,
    /// The game on the clock; empty when none.
    pub game: String,
    /// The last revision handled in that game.
    pub rev: u64,
    /// The control that the game was prepared with.
    pub control: Option<Control>,
    /// The arbiter's words on the display.
    pub words: Words,
    /// The position to set up or restore, FEN; empty when none.
    pub position: String,
    /// The result shown.
    pub result: Option<&'static str>,
    /// The directives of this game that were handled, by id.
    pub handled: BTreeMap<String, Handled>,
    /// Ids of this game that a later directive replaced before they came.
    pub superseded: BTreeSet<String>,
    /// A directive that was stored and, as far as the spool knows, not yet carried out.
    pub pending: Option<Pending>,
    /// The spool before this one; `None` when there was none.
    pub past: Option<Past>,
    /// The clock restarted in the middle of the game, and has neither been set nor started since.
    pub power_lost: bool,
}

/// A spool that was begun anew. Its events were all acknowledged, and are only at the service now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Its name.
    pub spool: [u8; 16],
    /// Its last event.
    pub last_seq: u64,
}

/// How a directive ended, for when it is sent again.
#[derive(Clone, Debug, PartialEq)]
pub struct Handled {
    /// What it was: a service that lost its memory may give its number to another.
    pub directive: Arc<Directive>,
    /// How far it has come.
    pub stage: Stage,
    /// Why, when rejected or unknown.
    pub reason: Option<RejectReason>,
    /// The face before it was applied; only for what was.
    pub before: Option<Face>,
}

/// A directive on its way to an external clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// The directive.
    pub directive: Directive,
    /// The face when it was received.
    pub before: Face,
    /// The face wanted.
    pub wanted: Face,
    /// When the clock was to be asked for it.
    pub at: Moment,
}

impl Pending {
    /// It was carried out over a press, whose turn it asks for again.
    pub(super) fn turns_back(&self) -> bool {
        !matches!(self.directive.act, Act::Set { .. }) && self.before.turn != self.wanted.turn
    }
}

impl Stored {
    /// Takes in an event.
    pub fn event(&mut self, seq: u64, at: Moment, face: Face, what: &What) {
        self.last_seq = seq;
        self.at = at;
        self.face = Some(face);
        match what {
            What::Press(_) => {
                self.last_press = seq;
                // A completed move shows that the players have gone on from what the arbiter said.
                self.words = Words::default();
                self.position.clear();
            }
            What::Started | What::Resumed => {
                self.position.clear();
                self.power_lost = false;
            }
            What::Fault(FaultKind::PowerLost, _) => self.power_lost = true,
            _ => {}
        }
    }

    /// Takes in how a directive fared.
    pub fn applied(&mut self, at: Moment, applied: &Applied) {
        let Applied { directive, stage, reason, before, after, .. } = applied;
        if *stage == Stage::Applied && matches!(directive.act, Act::Prepare { .. }) && directive.game != self.game {
            self.handled.clear();
            self.superseded.clear();
            self.game.clone_from(&directive.game);
            self.rev = 0;
        }
        self.at = at;
        self.pending = None;
        match stage {
            Stage::Received => {
                self.pending = Some(Pending { directive: directive.clone(), before: *before, wanted: *after, at });
            }
            Stage::Applied => {
                self.face = Some(*after);
                self.carry_out(&directive.act);
            }
            Stage::Rejected | Stage::Unknown => {}
        }
        // What belongs to another game has no revision here.
        if directive.game != self.game {
            return;
        }
        if *stage != Stage::Received {
            self.rev = self.rev.max(directive.rev);
        }
        self.superseded.extend(directive.supersedes.iter().cloned());
        let before = (*stage == Stage::Applied).then_some(*before);
        let handled = Handled { directive: Arc::new(directive.clone()), stage: *stage, reason: *reason, before };
        self.handled.insert(directive.id.clone(), handled);
    }

    /// Takes in a checkpoint.
    pub fn checkpoint(&mut self, at: Moment, face: Face) {
        self.at = at;
        self.face = Some(face);
    }

    fn carry_out(&mut self, act: &Act) {
        if let Some(words) = act.words() {
            self.words.clone_from(words);
        }
        self.power_lost &= matches!(act, Act::Stop { .. } | Act::Add { .. } | Act::Show { .. } | Act::Unsupported(_));
        match act {
            Act::Prepare { control, position, .. } => {
                self.control.clone_from(control);
                self.position.clone_from(position);
                self.result = None;
            }
            Act::Set { position, .. } => {
                self.position.clone_from(position);
                self.result = None;
            }
            Act::Run { .. } => self.position.clear(),
            Act::Conclude { result, .. } => {
                self.result = *result;
                self.position.clear();
            }
            Act::Stop { .. } | Act::Add { .. } | Act::Show { .. } | Act::Unsupported(_) => {}
        }
    }
}
