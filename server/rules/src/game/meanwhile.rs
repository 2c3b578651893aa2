//! What is pressed while a case is open. The clock takes a moment to stop, and one that cannot be stopped runs on: a move that was made
//! and pressed is completed (6.2.1) whatever becomes of the other matter, and only a ruling that goes back before it takes it back.
//!
//! ```text
//!   press ─┬─ the ruling may go back before it, or judges how the game stood then: it waits ─┬─▶ gone, with what it counted and credited
//!          │                                                                                 └─▶ judged, once the case is decided
//!          └─ it does not: what a legal move explains is made at once, all else waits ──────────▶ judged, once the case is decided
//! ```

use shakmaty::Move;

use super::{
    case,
    decide::Draft,
    event::{Event, Ruling},
    follow::{self, accept, clocks, illegal_before_repair, make},
    irregularity::{Finding, Irregularity},
    reading::{board_at_rest, explain, pairs},
    score::Press,
    state::{Case, Game, HeldPress},
};
use crate::{clock::Colour, laws::articles::displaced};

impl Game {
    /// A press now waits until the open case is decided.
    pub(super) fn waits_for_case(&self) -> bool {
        self.open_case().is_some_and(|case| case.finding.kind.comes_first() || case.press.is_some())
    }

    /// Whose turn it is when the presses that wait have completed their moves; `turn` is whose it was before them.
    #[must_use]
    pub(crate) fn after_presses(&self, turn: Colour) -> Colour {
        self.held.last().map_or(turn, |press| press.by.other())
    }

    /// What was pressed since goes back with it: the game ends or begins anew by this ruling, plies are annulled, or a player moves
    /// again whose press was counted.
    pub(super) fn takes_back(&self, ruling: &Ruling) -> bool {
        let way = &ruling.remedy;
        let back = |case: &Case| {
            let Finding { kind, by, .. } = case.finding;
            let counted = ruling.before.hand(by).moves;
            let again = way.turn == by
                && match way.hands {
                    Some(hands) => counted == 0 || hands[by.index()].moves < counted,
                    None => case.press.is_some() && self.held.is_empty(),
                };
            let of_his = kind.is_strike() || kind == Irregularity::TouchMove;
            kind.comes_first() && (way.position.is_some() || (of_his && again))
        };
        way.cancel || way.outcome.is_some() || way.annul_from.is_some() || self.case(ruling.case).is_some_and(back)
    }
}

/// The clock was pressed while a case is open.
pub(super) fn press(draft: &mut Draft, by: Colour) {
    let late = draft.game.plies.last().is_some_and(|ply| ply.by == by && !ply.completed);
    if late && draft.game.held.is_empty() && !draft.game.waits_for_case() {
        let press = HeldPress::now(draft.game, by);
        return follow::complete_last(draft, &press);
    }
    draft.emit(Event::Held(by));
    catch_up(draft);
}

/// The board has changed while a case is open.
pub(super) fn seen(draft: &mut Draft) {
    let known = draft.game.known();
    catch_up(draft);
    if draft.game.known() != known {
        case::draw_up_anew(draft);
    }
}

/// Makes what was pressed and a legal move explains, one press after the other: on the board as it stands, or else as it stood at the
/// press. Where the open case comes first, nothing.
pub(super) fn catch_up(draft: &mut Draft) {
    while let Some(&press) = draft.game.held.first() {
        let waiting = draft.game.held.len();
        if draft.game.ended.is_some() || draft.game.adrift.is_some() || draft.game.waits_for_case() {
            return;
        }
        if draft.game.blind() || draft.game.scan.is_none() {
            unseen(draft, &press);
        } else if let Some(line) = legal(draft, &press) {
            let presses = draft.game.held.clone();
            accept(draft, &line, &presses);
        } else if let Some(m) = beside_displaced(draft.game) {
            make(draft, m, Some(&press), true);
        }
        if draft.game.held.len() >= waiting {
            return;
        }
    }
}

/// The case is decided and its correction on the way to the clock: what is still unexplained is judged as after any press.
pub(super) fn judge_rest(draft: &mut Draft) {
    if !draft.game.held.is_empty() && board_at_rest(draft.game) {
        follow::settle(draft, true);
    }
}

/// The clock stands alone: the press is all that anybody knows.
fn unseen(draft: &mut Draft, press: &HeldPress) {
    let (left, before_credit, credit) = clocks(draft.game, press.by, Some(press));
    draft.emit(Event::Pressed(Press { by: press.by, left, before_credit, credit, at: Some(press.at) }));
    case::shut(draft, press.by);
}

fn legal(draft: &Draft, press: &HeldPress) -> Option<alloc::vec::Vec<Move>> {
    let (game, waiting) = (&draft.game, &draft.game.held);
    let first: Colour = shakmaty::Position::turn(&game.position).into();
    let then = press.scan.filter(|_| waiting.len() > 1);
    let lines = game.scan.map(|board| (board, waiting.len())).into_iter().chain(then.map(|board| (board, 1)));
    let mut lines = lines.filter_map(|(board, presses)| explain(game, &board, presses));
    let line = lines.find(|line| pairs(first, line.len(), waiting).iter().any(Option::is_some))?;
    // What was put right after the press is a matter of its own, for when this one is decided.
    let apart = game.open_case().is_some() && illegal_before_repair(draft, press, &line).is_some();
    (!apart).then_some(line)
}

/// Men are displaced, which is what the open case is about: the legal move that was made beside them.
fn beside_displaced(game: &Game) -> Option<Move> {
    let about = game.open_case().map(|case| case.finding.kind);
    let displaced = matches!(about, Some(Irregularity::Displaced | Irregularity::DisplacedFound));
    game.scan.filter(|_| displaced).and_then(|board| displaced::played(&game.position, &board))
}
