//! Watching a board: which of its changes are worth an event, and when it stands still.
//!
//! ```text
//!   change ──▶ held ──▶ told      directly before an event that needs it, or after 250 ms unchanged
//!                └──▶ dropped     it came back to what was last told
//!   told or press ── settle_ms without a change ──▶ Quiet, once
//!                      └── a board that answers is asked first, and is quiet when it has said the same again
//!
//!   lost, garbled ──▶ forgotten   no Quiet until it is seen again, and then it is told, changed or not
//! ```

use flagfall_rules::board::Scan;

/// How long a change is held before it is told by itself, milliseconds.
pub const HOLD_MS: u64 = 250;

/// What the board watch has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardNews {
    /// The board now is so.
    Scan(Scan),
    /// It has not changed since this instant, milliseconds.
    Quiet(u64),
    /// It has to say once more how it stands: a silent board looks like one that stands still.
    Ask,
}

/// The state of one board.
#[derive(Clone, Debug)]
pub(super) struct BoardWatch {
    settle_ms: u64,
    /// The board as last sensed; `None` as long as nobody reads it: a clock without a board never becomes quiet.
    current: Option<Scan>,
    /// The board as last told.
    told: Option<Scan>,
    changed_at: u64,
    hold_until: u64,
    settle_until: u64,
    /// Something was told, or a move completed, since the last Quiet.
    news: bool,
    /// The board says how it stands whenever it is asked.
    answers: bool,
    /// How far it has come with the answer that a Quiet needs.
    answer: Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// It has not been asked.
    Wanted,
    /// It has been asked.
    Awaited,
    /// It has said the same again.
    Given,
}

impl BoardWatch {
    pub(super) fn new(settle_ms: u64) -> BoardWatch {
        BoardWatch {
            settle_ms,
            current: None,
            told: None,
            changed_at: 0,
            hold_until: 0,
            settle_until: 0,
            news: false,
            answers: false,
            answer: Answer::Wanted,
        }
    }

    /// The board says how it stands whenever it is asked.
    pub(super) fn answers(&mut self) {
        self.answers = true;
    }

    /// The board was seen.
    pub(super) fn sense(&mut self, now: u64, scan: Scan) {
        if self.current != Some(scan) {
            self.current = Some(scan);
            self.changed_at = now;
            self.wait(now);
        } else if self.answer == Answer::Awaited {
            self.answer = Answer::Given;
            // It stood still until now, and may be called quiet at this instant, not before it.
            self.settle_until = self.settle_until.max(now);
        }
    }

    /// A move was completed: even an unchanged board is now waited for.
    pub(super) fn pressed(&mut self, now: u64) {
        self.news = true;
        self.answer = Answer::Wanted;
        self.settle_until = now.saturating_add(self.settle_ms);
    }

    /// Another game begins: it has not been told of the board.
    pub(super) fn anew(&mut self, now: u64) {
        self.told = None;
        self.news = false;
        self.wait(now);
    }

    /// Nobody reads it any more, or what was read cannot be trusted: it may change unseen.
    pub(super) fn forget(&mut self) {
        (self.current, self.told, self.answer) = (None, None, Answer::Wanted);
    }

    /// What must be told before an event that the board explains.
    pub(super) fn flush(&mut self) -> Option<Scan> {
        let scan = self.current.filter(|_| self.current != self.told)?;
        self.told = self.current;
        self.news = true;
        Some(scan)
    }

    /// When [`BoardWatch::fire`] will say something.
    pub(super) fn due(&self) -> Option<u64> {
        self.current?;
        let held = (self.current != self.told).then_some(self.hold_until.min(self.settle_until));
        let awaited = self.answers && self.answer == Answer::Awaited;
        held.or((self.news && !awaited).then_some(self.settle_until))
    }

    /// What has fallen due; asked again until it says nothing.
    pub(super) fn fire(&mut self, now: u64) -> Option<BoardNews> {
        if self.due()? > now {
            return None;
        }
        if let Some(scan) = self.flush() {
            return Some(BoardNews::Scan(scan));
        }
        if self.answers && self.answer == Answer::Wanted {
            self.answer = Answer::Awaited;
            return Some(BoardNews::Ask);
        }
        (self.news, self.answer) = (false, Answer::Wanted);
        Some(BoardNews::Quiet(self.changed_at))
    }

    fn wait(&mut self, now: u64) {
        self.answer = Answer::Wanted;
        self.hold_until = now.saturating_add(HOLD_MS);
        self.settle_until = now.saturating_add(self.settle_ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    const LIFTED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
    const MOVED: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

    fn scan(fen: &str) -> Scan {
        Scan::from_fen(fen).expect("a board")
    }

    /// Everything that falls due until `now`, with the instant at which it does.
    fn fired(watch: &mut BoardWatch, now: u64) -> Vec<(u64, BoardNews)> {
        let mut news = Vec::new();
        while let Some(due) = watch.due().filter(|&due| due <= now) {
            news.push((due, watch.fire(due).expect("what is due is said")));
        }
        news
    }

    #[test]
    fn changes_are_held_told_once_and_followed_by_one_quiet() {
        let mut watch = BoardWatch::new(1000);
        watch.pressed(0);
        assert_eq!(watch.due(), None, "a clock without a board never becomes quiet");
        watch.sense(10, scan(START));
        let told = [(260, BoardNews::Scan(scan(START))), (1010, BoardNews::Quiet(10))];
        assert_eq!(fired(&mut watch, 60_000), told);
        watch.sense(60_000, scan(LIFTED));
        watch.sense(60_200, scan(MOVED));
        watch.sense(60_300, scan(MOVED));
        assert_eq!(watch.due(), Some(60_450), "only the last change counts, and saying the same again is none");
        assert_eq!(watch.flush(), Some(scan(MOVED)), "a press wants it now");
        assert_eq!(watch.flush(), None);
        watch.pressed(60_310);
        assert_eq!(fired(&mut watch, 70_000), [(61_310, BoardNews::Quiet(60_200))]);
    }

    #[test]
    fn a_flicker_is_nothing() {
        let mut watch = BoardWatch::new(1000);
        watch.sense(0, scan(START));
        fired(&mut watch, 5_000);
        watch.sense(5_000, scan(LIFTED));
        watch.sense(5_100, scan(START));
        assert_eq!((watch.flush(), watch.due()), (None, None));
    }

    #[test]
    fn a_press_without_a_change_is_followed_by_a_quiet_too() {
        let mut watch = BoardWatch::new(1000);
        watch.sense(0, scan(START));
        fired(&mut watch, 5_000);
        watch.pressed(5_000);
        assert_eq!(fired(&mut watch, 9_000), [(6_000, BoardNews::Quiet(0))]);
    }

    #[test]
    fn a_board_that_nobody_reads_says_nothing_and_is_told_anew() {
        let mut watch = BoardWatch::new(1000);
        watch.sense(0, scan(START));
        fired(&mut watch, 5_000);
        watch.pressed(5_000);
        watch.forget();
        watch.pressed(5_500);
        assert_eq!(
            (watch.flush(), fired(&mut watch, 60_000)),
            (None, vec![]),
            "a press owes nothing that nobody can see"
        );
        watch.sense(60_000, scan(START));
        let told = [(60_250, BoardNews::Scan(scan(START))), (61_000, BoardNews::Quiet(60_000))];
        assert_eq!(fired(&mut watch, 70_000), told, "though it did not change");
    }

    #[test]
    fn a_board_that_answers_is_quiet_when_it_has_said_the_same_again() {
        let mut watch = BoardWatch::new(1000);
        watch.answers();
        watch.sense(0, scan(START));
        assert_eq!(fired(&mut watch, 5_000), [(250, BoardNews::Scan(scan(START))), (1_000, BoardNews::Ask)]);
        watch.sense(5_000, scan(START));
        assert_eq!(fired(&mut watch, 9_000), [(5_000, BoardNews::Quiet(0))]);
        // Pressed, asked, and nobody says anything: it may have changed unseen.
        watch.pressed(10_000);
        assert_eq!(fired(&mut watch, 60_000), [(11_000, BoardNews::Ask)]);
        // It had changed when it answers.
        watch.sense(60_000, scan(MOVED));
        assert_eq!(fired(&mut watch, 62_000), [(60_250, BoardNews::Scan(scan(MOVED))), (61_000, BoardNews::Ask)]);
        // A press in between wants an answer of its own.
        watch.pressed(61_500);
        watch.sense(61_600, scan(MOVED));
        assert_eq!(fired(&mut watch, 70_000), [(62_500, BoardNews::Ask)]);
    }

    #[test]
    fn another_game_is_told_of_the_same_board() {
        let mut watch = BoardWatch::new(1000);
        watch.sense(0, scan(START));
        fired(&mut watch, 5_000);
        watch.anew(7_000);
        let told = [(7_250, BoardNews::Scan(scan(START))), (8_000, BoardNews::Quiet(0))];
        assert_eq!(fired(&mut watch, 9_000), told);
    }
}
