//! A game as its entries tell it, up to an instant.

use std::collections::VecDeque;

use flagfall_rules::{
    clock::Colour,
    game::{self, Act, Ending, Event, Game, Stage},
    time::Millis,
};

use super::pgn::Move;
use crate::journal::{Journal, ReadError, StreamId, codec};

/// Entries read at a time.
const PAGE: usize = 256;

/// What was said after so many plies.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Remark {
    after: usize,
    text: String,
}

/// The clocks were set after so many plies, while this player was thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Setting {
    after: usize,
    thinking: Colour,
    left: [Option<Millis>; 2],
}

/// A game followed through its stream.
pub(super) struct Follow {
    stream: StreamId,
    /// The next entry to be read.
    next: u64,
    /// Read, and not to be shown yet: when each was admitted, and what followed.
    waiting: VecDeque<(Millis, Vec<Event>)>,
    game: Game,
    remarks: Vec<Remark>,
    settings: Vec<Setting>,
    /// When the last thing shown was admitted, milliseconds since 1970.
    at_ms: Millis,
    /// Up to when it is shown.
    until_ms: Millis,
}

impl Follow {
    pub(super) fn new(game: &str) -> Follow {
        Follow {
            stream: StreamId::Game(game.to_owned()),
            next: 1,
            waiting: VecDeque::new(),
            game: Game::new(game),
            remarks: Vec::new(),
            settings: Vec::new(),
            at_ms: 0,
            until_ms: Millis::MIN,
        }
    }

    /// Goes on with everything that was admitted before an instant; blocks. An entry that a later service wrote ends what is shown.
    pub(super) fn advance(&mut self, journal: &dyn Journal, until_ms: Millis) -> Result<(), ReadError> {
        if until_ms < self.until_ms {
            // The event lags further behind by now: it is told anew up to there.
            *self = Follow::new(self.stream.name());
        }
        self.until_ms = until_ms;
        loop {
            let page = journal.read(&self.stream, self.next, PAGE)?;
            let Some(last) = page.last() else { break };
            self.next = last.index + 1;
            for stored in &page {
                if let Ok(entry) = codec::decode_entry(&stored.bytes) {
                    self.waiting.push_back((entry.meta.wall_ms, entry.events));
                }
            }
        }
        while self.waiting.front().is_some_and(|(admitted, _)| *admitted <= until_ms) {
            let Some((admitted, events)) = self.waiting.pop_front() else { break };
            self.at_ms = self.at_ms.max(admitted);
            events.iter().for_each(|event| self.take(event));
        }
        Ok(())
    }

    /// The game as far as it is shown.
    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    /// More is known of it than may be shown yet.
    pub(super) fn is_behind(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// When the last thing shown was admitted, milliseconds since 1970; 0: nothing is.
    pub(super) fn at_ms(&self) -> Millis {
        self.at_ms
    }

    fn take(&mut self, event: &Event) {
        let before = self.game.plies.len();
        game::evolve(&mut self.game, event);
        let after = self.game.plies.len();
        self.settings.retain(|setting| setting.after <= after);
        self.remarks.iter_mut().for_each(|remark| remark.after = remark.after.min(after));
        match event {
            Event::Ruled(ruling) => {
                let replaced = match ruling.remedy.annul_from {
                    Some(from) if (from as usize) <= before => {
                        let (number, side) = (from.div_ceil(2), if from % 2 == 1 { "White's" } else { "Black's" });
                        format!(" Replaced from {side} move {number} on.")
                    }
                    _ => String::new(),
                };
                let words = sentence(&ruling.remedy.words.en);
                self.remark(format!("Arbiter, article {}: {words}{replaced}", ruling.remedy.article));
            }
            Event::Staged { rev, stage: Stage::Applied, after: Some(face), .. } => {
                let sent = (*rev as usize).checked_sub(1).and_then(|index| self.game.directives.get(index));
                let act = sent.map(|sent| sent.directive.act.clone());
                if matches!(act, Some(Act::Set { .. } | Act::Add(..))) {
                    let left = face.hands.map(|hand| hand.left);
                    self.settings.push(Setting { after, thinking: face.turn, left });
                }
                if let Some(Act::Add(colour, amount)) = act {
                    let (minutes, seconds) = (amount / 60_000, amount / 1_000 % 60);
                    self.remark(format!("Arbiter: {minutes}:{seconds:02} is added to {}.", colour.name()));
                }
            }
            Event::Annulled => self.remark("The game is annulled and a new one is played.".to_owned()),
            Event::Ended { ending: Ending::Desk, .. } => {
                self.remark("The result was entered by the arbiter.".to_owned())
            }
            Event::Ended { ending, article, .. } => {
                let how = codec::Numbered::number(*ending);
                let how = flagfall_proto::journal::v1::Ending::try_from(how).unwrap_or_default();
                let how = how.as_str_name().trim_start_matches("ENDING_").to_ascii_lowercase().replace('_', " ");
                self.remark(format!("Ended by {how}, article {article}."));
            }
            _ => {}
        }
    }

    fn remark(&mut self, text: String) {
        self.remarks.push(Remark { after: self.game.plies.len(), text });
    }

    /// What is said before the first move, and the first `plies` moves with their clocks and what is said after each.
    pub(super) fn score(&self, plies: usize) -> (Vec<String>, Vec<Move>) {
        let said =
            |after| self.remarks.iter().filter(move |remark| remark.after == after).map(|remark| remark.text.clone());
        let shown = self.game.plies.iter().enumerate().take(plies);
        let moves = shown.map(|(index, ply)| Move {
            uci: ply.uci.to_string(),
            // A clock is read in whole seconds.
            clk: ply.left[ply.by.index()].map(|left| left / 1_000 * 1_000),
            emt: self.used(index).map(|used| used / 1_000 * 1_000),
            remarks: said(index + 1).collect(),
        });
        (said(0).collect(), moves.collect())
    }

    /// The time that a ply took; `None` where a reading is unknown, or the clock was set while its player was thinking.
    fn used(&self, index: usize) -> Option<Millis> {
        let ply = self.game.plies.get(index)?;
        let by = ply.by.index();
        let own = self.game.plies[..index].iter().rposition(|earlier| earlier.by == ply.by);
        let since = own.map_or(0, |own| own + 1);
        let set: Vec<&Setting> =
            self.settings.iter().filter(|setting| (since..=index).contains(&setting.after)).collect();
        if set.iter().any(|setting| setting.thinking == ply.by) {
            return None;
        }
        let before = match (set.last(), own) {
            (Some(setting), _) => setting.left[by],
            (None, Some(own)) => self.game.plies[own].left[by],
            (None, None) => {
                let setup = &self.game.setup;
                setup.control.as_ref().and_then(|control| control.start_face(setup.white_place).hands[by].left)
            }
        };
        Some(before? - ply.before_credit?).filter(|used| *used >= 0)
    }
}

/// Ends in a full stop.
fn sentence(words: &str) -> String {
    let words = words.trim();
    if words.is_empty() || words.ends_with(['.', '!', '?']) { words.to_owned() } else { format!("{words}.") }
}

#[cfg(test)]
mod tests {
    use flagfall_rules::{
        clock::{Face, Place},
        game::{Directive, Ply, Remedy, Ruling, Setup, Uci, Words},
        laws::Play,
    };

    use super::*;
    use crate::journal::{
        MemoryJournal,
        codec::{Kept, Meta},
    };

    fn made(uci: &str, by: Colour, left: [Millis; 2], before: Millis) -> Event {
        let uci = Uci::parse(uci).expect("a move");
        let (left, before_credit) = (left.map(Some), Some(before));
        Event::Made(Ply { uci, by, completed: true, left, before_credit, credit: Some(30_000), at: None, position: 0 })
    }

    fn opened() -> Event {
        Event::Opened(Box::new(Setup {
            game: "g".into(),
            device: "clock-1".into(),
            edition: "fide-2023".into(),
            play: Play::Standard,
            control: "5400+30".parse().ok(),
            white_place: Place::Left,
            position: None,
            overlay: flagfall_rules::game::Overlay::default(),
        }))
    }

    fn taken_back(annul_from: u32) -> Event {
        let remedy = Remedy {
            key: "penalty".into(),
            words: Words { en: "two minutes for Black".into(), ru: String::new() },
            article: "7.5.5".into(),
            annul_from: Some(annul_from),
            place: None,
            position: None,
            hands: None,
            given: [0; 2],
            turn: Colour::White,
            strikes: [1, 0],
            outcome: None,
            cancel: false,
        };
        let (actor, note) = ("somebody".to_owned(), "private".to_owned());
        Event::Ruled(Box::new(Ruling { case: 1, remedy, actor, note, before: Face::unknown(Place::Left) }))
    }

    /// Follows entries that were admitted at 1,000, 2,000 … up to an instant.
    fn followed(entries: &[Vec<Event>], until_ms: Millis) -> Follow {
        let journal = MemoryJournal::new();
        let mut follow = Follow::new("g");
        for (events, after) in entries.iter().zip(0..) {
            let meta = Meta { wall_ms: 1_000 * (after as Millis + 1), ..Meta::default() };
            let bytes = codec::entry("g", "", &meta, &[Kept::Overdue(1)], events);
            assert!(journal.append(&StreamId::Game("g".into()), after, bytes).wait().is_ok());
        }
        follow.advance(&journal, until_ms).expect("readable");
        follow
    }

    fn ucis(follow: &Follow) -> Vec<String> {
        follow.score(usize::MAX).1.into_iter().map(|m| m.uci).collect()
    }

    fn game() -> [Vec<Event>; 6] {
        [
            vec![opened()],
            // 1:30:30 at first; ten seconds, then twenty.
            vec![made("e2e4", Colour::White, [5_450_000, 5_430_000], 5_420_000)],
            vec![made("e7e5", Colour::Black, [5_450_000, 5_440_000], 5_410_000)],
            vec![made("g1f3", Colour::White, [5_440_500, 5_440_000], 5_410_500)],
            vec![taken_back(3)],
            vec![made("f1c4", Colour::White, [5_400_000, 5_560_000], 5_370_000)],
        ]
    }

    #[test]
    fn what_was_taken_back_is_replaced_and_said() {
        assert_eq!(ucis(&followed(&game()[..4], 9_000)), ["e2e4", "e7e5", "g1f3"]);
        let follow = followed(&game(), 9_000);
        let (before, moves) = follow.score(usize::MAX);
        assert_eq!(ucis(&follow), ["e2e4", "e7e5", "f1c4"]);
        assert_eq!(before, [""; 0]);
        assert_eq!(moves[0], Move { uci: "e2e4".into(), clk: Some(5_450_000), emt: Some(10_000), remarks: vec![] });
        assert_eq!((moves[1].clk, moves[1].emt), (Some(5_440_000), Some(20_000)));
        let said = "Arbiter, article 7.5.5: two minutes for Black. Replaced from White's move 2 on.";
        assert_eq!(moves[1].remarks, [said], "neither who decided nor his note is anybody's business");
        assert_eq!((follow.at_ms(), follow.is_behind()), (6_000, false));
    }

    #[test]
    fn nothing_younger_than_the_delay_is_shown() {
        let mut follow = followed(&game(), 3_500);
        assert_eq!((ucis(&follow).len(), follow.at_ms(), follow.is_behind()), (2, 3_000, true));
        // A longer delay shows less, though more was shown before.
        let journal = MemoryJournal::new();
        follow.advance(&journal, 2_000).expect("readable");
        assert_eq!(ucis(&follow).len(), 0);
    }

    #[test]
    fn a_clock_that_was_set_while_a_player_thought_leaves_his_time_unknown() {
        let set = |thinking, left: [Millis; 2]| {
            let mut face = Face::unknown(Place::Left);
            (face.turn, face.hands[0].left, face.hands[1].left) = (thinking, Some(left[0]), Some(left[1]));
            let act = Act::Add(Colour::Black, 120_000);
            let words = Words::default();
            let directive = Directive { rev: 1, as_of_seq: 0, not_after: None, supersedes: vec![], act, words };
            let after = Some(face);
            let staged = Event::Staged { rev: 1, stage: Stage::Applied, reason: None, before: None, after };
            vec![Event::Issued(Box::new(directive)), staged]
        };
        // Black gets two minutes while White thinks of his second move.
        let mut entries = game()[..3].to_vec();
        entries.push(set(Colour::White, [5_440_000, 5_560_000]));
        entries.push(vec![made("g1f3", Colour::White, [5_450_000, 5_560_000], 5_420_000)]);
        entries.push(vec![made("b8c6", Colour::Black, [5_450_000, 5_580_000], 5_550_000)]);
        let (_, moves) = followed(&entries, 9_000).score(usize::MAX);
        assert_eq!((moves[2].emt, moves[3].emt), (None, Some(10_000)), "Black's was not running");
        assert_eq!(moves[1].remarks, ["Arbiter: 2:00 is added to black."]);
    }
}
