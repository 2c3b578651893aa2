//! What a game's actor remembers between trails.

use std::sync::Arc;

use flagfall_rules::game::{Event, Stage};

use super::{Stamp, Trail, Trails, What};

/// Directives remembered that have no final word; a desk that gives more than that is not measured.
const TOLD: usize = 32;

/// See the module.
#[derive(Debug, Default)]
pub struct Track {
    /// The last press: whether something came of it may show only when its board has settled.
    press: Option<Arc<Trail>>,
    /// Directives without a final word, and when they were told.
    told: Vec<(u64, Stamp)>,
}

impl Track {
    /// A trail has come to its end: what follows from it has left. `events` are those of its entry.
    pub fn end(&mut self, mut trail: Box<Trail>, events: &[Event], trails: &Trails) {
        trail.left = Stamp::now();
        for told in &trail.told {
            if self.told.len() < TOLD {
                self.told.push((told.rev, trail.left));
            }
        }
        for event in events {
            if let Event::Staged { rev, stage: stage @ (Stage::Applied | Stage::Rejected | Stage::Unknown), .. } = event
            {
                let told = self.told.iter().position(|(known, _)| known == rev).map(|at| self.told.swap_remove(at).1);
                trail.presence.iter().for_each(|presence| presence.handled(*rev));
                trails.confirmed(*stage, told.map(|told| trail.left.since(told)));
            }
        }
        let trail = trails.end(trail);
        let of_note = trail.is_of_note();
        match &self.press {
            Some(press) if of_note && press.context.trace_id == trail.context.trace_id => trails.keep(press),
            _ => {}
        }
        if trail.what == What::Press {
            self.press = Some(trail);
        }
    }
}
