//! Whether the clock is behind what the service wants of it.

use tokio::time::Instant;

use crate::wire::frame::{Standing, Welcome};

/// What the service wants of the clock, and since when the clock has been behind.
pub(super) struct Wanted {
    pub(super) rev: u64,
    /// The game the service greeted for, while the clock has the one it had then.
    game: Option<(String, String)>,
    since: Option<Instant>,
}

impl Wanted {
    pub(super) fn new(welcome: &Welcome, game: &str) -> Wanted {
        let other = !welcome.game.is_empty() && welcome.game != game && welcome.desired_rev > 0;
        let game = other.then(|| (welcome.game.clone(), game.to_owned()));
        Wanted { rev: welcome.desired_rev, game, since: None }
    }

    /// What is wanted now: a game, and a revision of it.
    pub(super) fn goal(&self, standing: &Standing) -> (String, u64) {
        let game = self.game.as_ref().map_or(&standing.game, |(wanted, _)| wanted);
        (game.clone(), self.rev)
    }

    /// A directive came: the next one may take its time.
    pub(super) fn arrived(&mut self) {
        self.since = None;
    }

    /// Since when the clock has been behind with nothing under way.
    pub(super) fn since(&mut self, standing: &Standing) -> Option<Instant> {
        if self.game.as_ref().is_some_and(|(_, had)| *had != standing.game) {
            self.game = None;
        }
        let behind = !standing.busy && (self.game.is_some() || self.rev > standing.applied_rev);
        self.since = behind.then(|| self.since.unwrap_or_else(Instant::now));
        self.since
    }
}

#[cfg(test)]
mod tests {
    use flagfall_rules::clock::{Face, Place};

    use super::*;

    fn standing(game: &str, applied_rev: u64, busy: bool) -> Standing {
        let face = Face::unknown(Place::Left);
        Standing {
            spool_id: [0; 16],
            last_seq: 0,
            game: game.to_owned(),
            applied_rev,
            face,
            busy,
            past: None,
            acked: 0,
        }
    }

    fn wanted(game: &str, desired_rev: u64, had: &str) -> Wanted {
        let (epoch, window, game) = (1, 1, game.to_owned());
        let (durable_through, chain_hash, released_through) = (0, None, 0);
        let moved_to = String::new();
        let welcome =
            Welcome { epoch, durable_through, chain_hash, window, game, desired_rev, released_through, moved_to };
        Wanted::new(&welcome, had)
    }

    #[test]
    fn a_clock_is_behind_until_it_has_handled_the_newest_revision() {
        let mut wanted = wanted("g", 3, "g");
        let since = wanted.since(&standing("g", 2, false));
        assert!(since.is_some());
        assert_eq!(wanted.since(&standing("g", 2, false)), since, "and has been since the same instant");
        assert_eq!(wanted.since(&standing("g", 2, true)), None, "an external clock may take its time");
        assert_eq!(wanted.since(&standing("g", 3, false)), None);
        wanted.rev = 4;
        assert!(wanted.since(&standing("g", 3, false)).is_some());
    }

    #[test]
    fn another_game_is_wanted_until_the_clock_has_taken_one_on() {
        let mut wanted = wanted("h", 1, "g");
        assert!(wanted.since(&standing("g", 9, false)).is_some());
        assert_eq!(wanted.since(&standing("h", 1, false)), None);
        assert_eq!(wanted.since(&standing("i", 1, false)), None, "a later game needs no new greeting");
        let mut none = self::wanted("", 0, "g");
        assert_eq!(none.since(&standing("g", 9, false)), None);
    }
}
