//! Moves that no board showed: on a clock without a board, or on one whose board nobody reads. A board that is lost, whose bytes are no
//! messages, or that was not looked at since the clock booted anew says nothing: what it showed last is forgotten until it is read again.
//! Meanwhile presses and times are all that is known. Nothing is found in them, and what depends on a position is for the arbiter.
//!
//! ```text
//!   read ── BOARD_LOST, GARBLED, another boot ──▶ unread ── press ──▶ a ply that nobody saw (one that waited for the board too)
//!                                                   │
//!                                                   └─ Scan ─┬─ it tells what was pressed meanwhile ──▶ followed
//!                                                            └─ it does not ──▶ position unknown until it is given, the desk is told
//! ```

use alloc::{format, string::String, vec, vec::Vec};

use shakmaty::{Chess, Move, Position};

use super::{
    base::Base,
    begins::orient,
    case,
    decide::Draft,
    ends,
    event::{Alarm, Event},
    follow::{clocks, complete_last},
    meanwhile,
    reading::last_unpressed,
    score::{Ply, Press, Uci},
    state::{Game, HeldPress, fen, hash, position},
};
use crate::{
    board::{Scan, infer},
    clock::Colour,
};

/// As many plies are read from a board at rest; of more there are too many ways, and men on their way would be looked at too often.
const MOST_PLIES: usize = 4;

impl Game {
    /// Moves were made that no board showed: presses are all that is known of them, and the position is not. A board that comes later
    /// changes nothing of that where it does not tell what they were.
    #[must_use]
    pub fn blind(&self) -> bool {
        !self.seen_after(self.plies.len())
    }

    /// The board was read, and nobody reads it now: it may show anything.
    #[must_use]
    pub fn unread(&self) -> bool {
        self.scan.is_none() && self.scan_at.is_some()
    }

    /// Somebody saw the position after so many plies, or it was given.
    #[must_use]
    pub fn seen_after(&self, plies: usize) -> bool {
        self.presses.is_empty() && !self.ends_unseen(plies)
    }

    /// The last of so many plies was seen by nobody, and the position after it was not given.
    pub(super) fn ends_unseen(&self, plies: usize) -> bool {
        let ply = plies.checked_sub(1).and_then(|index| self.plies.get(index));
        ply.is_some_and(|ply| ply.uci == Uci::UNSEEN) && !self.bases.iter().rev().any(|(before, _)| *before == plies)
    }

    /// How many of the last plies were seen, one after the other.
    #[must_use]
    pub fn seen_in_a_row(&self) -> usize {
        self.plies.iter().rev().take_while(|ply| ply.uci != Uci::UNSEEN).count()
    }

    /// The last plies, of which nobody saw any, from the last position that is known.
    pub(super) fn unseen(&self) -> &[Ply] {
        let from = self.bases.last().map_or(0, |(before, _)| *before).min(self.plies.len());
        let after = &self.plies[from..];
        let seen = after.iter().rposition(|ply| ply.uci != Uci::UNSEEN).map_or(0, |index| index + 1);
        if self.blind() { &after[seen..] } else { &[] }
    }
}

/// Nobody reads the board any more. A press that waited for it is one that nobody saw: whether a man had moved, it cannot tell now.
pub(super) fn lose_sight(draft: &mut Draft) {
    if draft.game.scan.is_some() {
        draft.emit(Event::Unread);
        meanwhile::catch_up(draft);
    }
}

/// A press that no board sees. The desk is told once where there was a board.
pub(super) fn press(draft: &mut Draft, press: &HeldPress) {
    keep(draft, press);
    if !draft.game.unread() {
        return tell(draft, false);
    }
    let unseen = draft.game.unseen().len() as u32;
    let text = format!(
        "moves from ply {} on are made while nobody reads the board: nothing is judged by it until it is read again and tells \
         them, or the position is set",
        draft.game.ply() - unseen,
    );
    if unseen > 0 && !draft.game.alarms.iter().any(|(_, told)| *told == text) {
        draft.alarm(Alarm::Device, text);
    }
}

/// A press is all that anybody knows of a move.
pub(super) fn keep(draft: &mut Draft, press: &HeldPress) {
    if last_unpressed(draft.game, press.by) {
        return complete_last(draft, press);
    }
    let (left, before_credit, credit) = clocks(draft.game, press.by, Some(press));
    kept(draft, Press { by: press.by, left, before_credit, credit, at: Some(press.at) });
}

/// A move was completed that no board showed. Before any was seen, presses are a score of their own.
pub(super) fn kept(draft: &mut Draft, press: Press) {
    let game = &*draft.game;
    let never = !game.presses.is_empty() || (game.plies.is_empty() && game.scan_at.is_none());
    draft.emit(if never { Event::Pressed(press) } else { Event::Unseen(press) });
    case::shut(draft, press.by);
}

/// A board is seen after moves that nobody saw: followed if it shows just those that were pressed.
pub(super) fn seen_late(draft: &mut Draft) {
    orient(draft);
    if draft.game.presses.is_empty() {
        return tell(draft, false);
    }
    let (game, presses) = (&draft.game, draft.game.presses.clone());
    let reading = game.scan.map(|board| infer::read(&game.position, &board));
    match reading {
        Some(infer::Reading::Line(line)) if line.len() == presses.len() => {
            for (m, press) in line.into_iter().zip(presses) {
                let mut next = draft.game.position.clone();
                next.play_unchecked(m);
                let Press { by, left, before_credit, credit, at } = press;
                let (uci, position) = (infer::uci(m), hash(&next));
                draft.emit(Event::Made(Ply { uci, by, completed: true, left, before_credit, credit, at, position }));
            }
            ends::judge(draft);
        }
        _ => draft.alarm_once(Alarm::Lost, "a board came after moves that nobody saw; it is not followed"),
    }
}

/// The board is read again: perhaps it tells what was played. `at_rest`: it has stood still, and where it does not the desk is asked.
pub(super) fn tell(draft: &mut Draft, at_rest: bool) {
    let unseen: Vec<Colour> = draft.game.unseen().iter().map(|ply| ply.by).collect();
    let Some(board) = draft.game.scan.filter(|_| !unseen.is_empty()) else { return };
    if let Some((moves, position)) = told(draft.game, &board, &unseen, at_rest) {
        draft.emit(Event::Told { moves, position });
        ends::judge(draft);
    } else if at_rest && !draft.game.lost {
        let text = "the board does not tell what was played while nobody read it: the position is not known, set it";
        draft.alarm(Alarm::Lost, text);
    }
}

/// The moves that were pressed unseen, as the board tells them, and the position after them. The board may show one move more, which was
/// not pressed yet; at rest a man may be missing. Where several orders lead to one position, that is known and the moves are not.
fn told(game: &Game, board: &Scan, unseen: &[Colour], at_rest: bool) -> Option<(Vec<Uci>, String)> {
    let before = game.plies.len() - unseen.len();
    let mut movers = core::iter::successors(Some(Colour::from(game.position.turn())), |by| Some(by.other()));
    let in_turn = unseen.iter().all(|&by| movers.next() == Some(by));
    if !in_turn || game.last_position(before) != before {
        return None;
    }
    let count = unseen.len();
    let tries = [(count, 0), (count + 1, 0), (count, usize::from(at_rest))];
    let most = if at_rest { MOST_PLIES } else { MOST_PLIES - 1 };
    let mut tries = tries.into_iter().filter(|&(plies, _)| plies <= most);
    let lines = tries.find_map(|(plies, missing)| {
        let lines = infer::lines_of(&game.position, board, plies, missing);
        (!lines.is_empty()).then_some(lines)
    })?;
    let ends: Vec<Chess> = lines.iter().map(|line| after(&game.position, &line[..count])).collect();
    let same = ends.iter().all(|end| hash(end) == hash(&ends[0]));
    if !same || lines.len() >= infer::MOST_LINES {
        return None;
    }
    // The fewest moves without a capture or a pawn move: nothing ends by a count that nobody saw.
    let end = ends.iter().min_by_key(|end| end.halfmoves())?;
    let agreed = (0..count).take_while(|&index| lines.iter().all(|line| line[index] == lines[0][index])).count();
    let mut moves = vec![Uci::UNSEEN; count];
    moves.iter_mut().zip(&lines[0][..agreed]).for_each(|(uci, &m)| *uci = infer::uci(m));
    Some((moves, fen(end)))
}

fn after(position: &Chess, line: &[Move]) -> Chess {
    let mut position = position.clone();
    line.iter().for_each(|&m| position.play_unchecked(m));
    position
}

/// Takes in that nobody reads the board. It may be another one that is plugged in next, and lie the other way.
pub(super) fn fold_unread(game: &mut Game) {
    game.scan = None;
    game.trail.clear();
    game.new_board = true;
}

/// Takes in a ply that nobody saw.
pub(super) fn fold_unseen(game: &mut Game, press: Press) {
    let Press { by, left, before_credit, credit, at } = press;
    game.gone_on();
    game.plies.push(Ply { uci: Uci::UNSEEN, by, completed: true, left, before_credit, credit, at, position: 0 });
}

/// Takes in what the board tells of the last plies.
pub(super) fn fold_told(game: &mut Game, moves: &[Uci], text: &str) {
    let Some(end) = position(text) else { return };
    let from = game.plies.len().saturating_sub(moves.len());
    for (ply, &uci) in game.plies[from..].iter_mut().zip(moves) {
        super::state::play(&mut game.position, uci);
        (ply.uci, ply.position) = if uci == Uci::UNSEEN { (uci, 0) } else { (uci, hash(&game.position)) };
    }
    game.new_board = false;
    given(game, end);
    game.lost &= game.scan != Some(infer::scan(&game.position));
    game.trail.clear();
    game.trail.extend(game.scan.zip(game.scan_at));
}

/// The position after the last ply is known from now on, whatever was played: the next moves start from it.
pub(super) fn given(game: &mut Game, end: Chess) {
    let plies = game.plies.len();
    if let Some(last) = game.plies.last_mut() {
        last.position = hash(&end);
        if last.uci == Uci::UNSEEN {
            game.bases.push((plies, Base::Position(end.clone())));
        }
    }
    game.position = end;
}
