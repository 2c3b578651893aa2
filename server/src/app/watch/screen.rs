//! What is on the screen, and what a key does to it. No terminal and no network in here.
//!
//! ```text
//!   hall ◀── 1 2 ──▶ calls ── Enter ──▶ a case ── a, b, c … ──▶ sure? ── y ──▶ Act
//!                                          └── Esc ◀───────────────┘ n
//! ```

use crate::{
    app::desk::{Call, What, state},
    desk::web::Tile,
};

/// A key, as far as the screen knows keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A letter, a digit, a sign.
    Char(char),
    /// One up.
    Up,
    /// One down.
    Down,
    /// Takes what is marked.
    Enter,
    /// One step back.
    Back,
    /// Takes back a letter.
    Erase,
    /// The next view.
    Tab,
    /// Enough, whatever is being asked.
    Quit,
}

/// What the screen wants done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// A case is decided.
    Decide {
        /// The game.
        game: String,
        /// The case's number.
        case: u32,
        /// The key of the way.
        choice: String,
        /// Why, in the arbiter's words.
        note: String,
    },
    /// What is asked about an adjournment is decided.
    Choose {
        /// The game.
        game: String,
        /// The key of the way.
        key: String,
        /// Why, in the arbiter's words.
        note: String,
    },
    /// A call has been attended to.
    Heed {
        /// The game.
        game: String,
        /// Every alarm up to this number.
        through: u32,
    },
    /// Enough.
    Quit,
}

/// Which view is in front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Every board.
    #[default]
    Hall,
    /// What waits for a person.
    Calls,
}

/// What is being asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Asking {
    /// Nothing.
    #[default]
    Nothing,
    /// Letters go into the filter.
    Filter,
    /// One of a call's ways.
    Way(Call),
    /// Whether that way is meant, and why; letters go into the note.
    Sure(Call, usize, String),
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Screen {
    /// The view in front.
    pub view: View,
    /// Every board, in the order of boards.
    pub tiles: Vec<Tile>,
    /// What waits, the oldest first.
    pub calls: Vec<Call>,
    /// Only boards in whose line this stands are shown.
    pub filter: String,
    /// The line that is marked.
    pub marked: usize,
    /// What is being asked.
    pub asking: Asking,
    /// What the service last said to an act, or that it cannot be reached.
    pub said: String,
}

impl Screen {
    /// The boards that the filter lets through, those that need somebody first.
    #[must_use]
    pub fn shown(&self) -> Vec<&Tile> {
        let wanted = self.filter.to_lowercase();
        let fits = |tile: &&Tile| {
            let line = format!("{} {} {} {} {}", tile.board, tile.game, tile.white, tile.black, state(tile.state));
            line.to_lowercase().contains(&wanted)
        };
        let mut shown: Vec<&Tile> = self.tiles.iter().filter(fits).collect();
        shown.sort_by_key(|tile| tile.need);
        shown
    }

    /// How many lines the view in front has.
    #[must_use]
    pub fn lines(&self) -> usize {
        match self.view {
            View::Hall => self.shown().len(),
            View::Calls => self.calls.len(),
        }
    }

    /// Takes in what the service shows now. A call that is being decided stays in front, also when somebody was first: the answer
    /// to the act says so.
    pub fn take(&mut self, tiles: Vec<Tile>, calls: Vec<Call>) {
        (self.tiles, self.calls) = (tiles, calls);
        self.marked = self.marked.min(self.lines().saturating_sub(1));
    }

    /// What a key does.
    pub fn press(&mut self, key: Key) -> Option<Act> {
        if key == Key::Quit {
            return Some(Act::Quit);
        }
        match std::mem::take(&mut self.asking) {
            Asking::Nothing => self.walk(key),
            Asking::Filter => self.narrow(key),
            Asking::Way(call) => self.choose(call, key),
            Asking::Sure(call, way, note) => self.decide(call, way, note, key),
        }
    }

    fn walk(&mut self, key: Key) -> Option<Act> {
        match key {
            Key::Char('q') => return Some(Act::Quit),
            Key::Char('1') => self.turn(View::Hall),
            Key::Char('2') => self.turn(View::Calls),
            Key::Tab => self.turn(if self.view == View::Hall { View::Calls } else { View::Hall }),
            Key::Char('/') => {
                self.turn(View::Hall);
                self.asking = Asking::Filter;
            }
            Key::Up | Key::Char('k') => self.marked = self.marked.saturating_sub(1),
            Key::Down | Key::Char('j') => self.marked = (self.marked + 1).min(self.lines().saturating_sub(1)),
            Key::Enter if self.view == View::Calls => {
                let call = self.calls.get(self.marked).cloned();
                self.asking = call.map_or(Asking::Nothing, Asking::Way);
            }
            Key::Enter => {
                // From a board to what waits on it.
                let game = self.shown().get(self.marked).map(|tile| tile.game.clone())?;
                let at = self.calls.iter().position(|call| call.game == game)?;
                self.turn(View::Calls);
                self.marked = at;
            }
            Key::Back => self.filter.clear(),
            Key::Char(_) | Key::Erase | Key::Quit => {}
        }
        None
    }

    fn turn(&mut self, view: View) {
        if self.view != view {
            (self.view, self.marked) = (view, 0);
        }
    }

    fn narrow(&mut self, key: Key) -> Option<Act> {
        match key {
            Key::Char(letter) => self.filter.push(letter),
            Key::Erase => drop(self.filter.pop()),
            Key::Back => self.filter.clear(),
            Key::Up | Key::Down | Key::Enter | Key::Tab | Key::Quit => return None,
        }
        self.marked = 0;
        if key != Key::Back {
            self.asking = Asking::Filter;
        }
        None
    }

    fn choose(&mut self, call: Call, key: Key) -> Option<Act> {
        let way = match key {
            Key::Back | Key::Char('q') => return None,
            Key::Enter => Some(0),
            Key::Char(letter) => (letter as usize).checked_sub('a' as usize),
            _ => None,
        };
        self.asking = match (call.what, way) {
            (What::Player { through } | What::Clock { through }, Some(_)) if key == Key::Enter => {
                return Some(Act::Heed { game: call.game, through });
            }
            (What::Case { .. } | What::Adjournment, Some(way)) if way < call.ways.len() => {
                Asking::Sure(call, way, String::new())
            }
            _ => Asking::Way(call),
        };
        None
    }

    fn decide(&mut self, call: Call, way: usize, mut note: String, key: Key) -> Option<Act> {
        match key {
            Key::Enter => {
                let (game, choice) = (call.game, call.ways.get(way)?.key.clone());
                return match call.what {
                    What::Player { .. } | What::Clock { .. } => None,
                    What::Case { case, .. } => Some(Act::Decide { game, case, choice, note }),
                    What::Adjournment => Some(Act::Choose { game, key: choice, note }),
                };
            }
            Key::Back => {
                self.asking = Asking::Way(call);
                return None;
            }
            Key::Char(letter) if note.chars().count() < 500 => note.push(letter),
            Key::Erase => drop(note.pop()),
            _ => {}
        }
        self.asking = Asking::Sure(call, way, note);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::desk::Way;

    fn call(what: What) -> Call {
        let way = |key: &str| Way { key: key.into(), words: key.into(), article: String::new(), hands: None };
        let ways = vec![way("penalty"), way("play_on")];
        let (game, board, title) = ("r1.b07".into(), "7".into(), "illegal move".into());
        let (kind, article, seen) = (String::new(), String::new(), String::new());
        Call { game, board, since: 0, what, kind, title, article, seen, ways }
    }

    fn screen(calls: Vec<Call>) -> Screen {
        let mut screen = Screen::default();
        screen.take(Vec::new(), calls);
        screen
    }

    fn press(screen: &mut Screen, keys: &[Key]) -> Option<Act> {
        keys.iter().fold(None, |act, &key| act.or(screen.press(key)))
    }

    #[test]
    fn a_case_is_decided_by_two_steps_with_the_note_that_was_typed() {
        let mut screen = screen(vec![call(What::Case { case: 2, running: false })]);
        let act =
            press(&mut screen, &[Key::Tab, Key::Enter, Key::Char('b'), Key::Char('o'), Key::Char('q'), Key::Erase]);
        assert_eq!(act, None);
        assert!(matches!(&screen.asking, Asking::Sure(_, 1, note) if note == "o"));
        let decided = Act::Decide { game: "r1.b07".into(), case: 2, choice: "play_on".into(), note: "o".into() };
        assert_eq!(screen.press(Key::Enter), Some(decided));
        assert_eq!(screen.asking, Asking::Nothing);
        // The same key again does nothing to the case: it opens the first call anew.
        assert_eq!(screen.press(Key::Enter), None);
        assert!(matches!(screen.asking, Asking::Way(_)));
    }

    #[test]
    fn back_leads_out_and_a_letter_beyond_the_ways_is_none() {
        let mut screen = screen(vec![call(What::Case { case: 1, running: true })]);
        assert_eq!(press(&mut screen, &[Key::Char('2'), Key::Enter, Key::Char('c')]), None);
        assert!(matches!(screen.asking, Asking::Way(_)));
        assert_eq!(press(&mut screen, &[Key::Enter, Key::Back, Key::Back]), None);
        assert_eq!((screen.asking.clone(), screen.view), (Asking::Nothing, View::Calls));
        assert_eq!(screen.press(Key::Char('q')), Some(Act::Quit));
    }

    #[test]
    fn what_is_asked_about_an_adjournment_is_decided_like_a_case() {
        let mut screen = screen(vec![call(What::Adjournment)]);
        let act = press(&mut screen, &[Key::Tab, Key::Enter, Key::Char('b'), Key::Char('o'), Key::Enter]);
        let chosen = Act::Choose { game: "r1.b07".into(), key: "play_on".into(), note: "o".into() };
        assert_eq!(act, Some(chosen));
    }

    #[test]
    fn a_player_is_attended_to_by_enter() {
        let mut screen = screen(vec![call(What::Player { through: 3 })]);
        let act = press(&mut screen, &[Key::Tab, Key::Enter, Key::Char('a'), Key::Enter]);
        assert_eq!(act, Some(Act::Heed { game: "r1.b07".into(), through: 3 }));
    }

    #[test]
    fn a_call_that_somebody_else_decided_stays_in_front_until_it_is_answered() {
        let mut screen = screen(vec![call(What::Case { case: 1, running: false })]);
        press(&mut screen, &[Key::Tab, Key::Enter, Key::Enter]);
        screen.take(Vec::new(), Vec::new());
        assert!(matches!(screen.press(Key::Enter), Some(Act::Decide { case: 1, .. })));
    }

    #[test]
    fn letters_of_the_filter_are_no_commands() {
        let mut screen = screen(Vec::new());
        assert_eq!(press(&mut screen, &[Key::Char('/'), Key::Char('q'), Key::Char('2')]), None);
        assert_eq!((screen.filter.as_str(), screen.view), ("q2", View::Hall));
        press(&mut screen, &[Key::Enter, Key::Back]);
        assert_eq!((screen.filter.as_str(), screen.asking.clone()), ("", Asking::Nothing));
    }
}
