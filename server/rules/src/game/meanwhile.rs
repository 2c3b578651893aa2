//! What is played while a case is open. The clock takes a moment to stop, and one that cannot be stopped runs on: a move that was made
//! and pressed is completed (6.2.1) whatever becomes of the other matter, and only a ruling that goes back before it takes it back. So is
//! an end on the board, pressed or not ([`super::ends::stands`]).
//!
//! ```text
//!   press ─┬─ the ruling may go back before it, or judges how the game stood then: it waits ─┬─▶ gone, with what it counted and credited
//!          │                                                                                 └─▶ judged, once the case is decided
//!          ├─ it does not: what a legal move explains is made at once, all else waits ──────────▶ judged, once the case is decided
//!          └─ of the player who is not to press: none of his moves, as without a case ──────────▶ the desk is told
//! ```
//!
//! Of several presses that wait each is judged in its turn, on the board that tells it: as it stood still before the next one.

use shakmaty::Move;

use super::{
    case::{self, Scene},
    decide::Draft,
    event::{Event, Ruling},
    follow::{self, accept, illegal_before_repair, make},
    irregularity::{Finding, Irregularity},
    reading::{board_at_rest, explain, lags, pairs, told_by},
    state::{Case, Game, HeldPress},
    unseen,
};
use crate::{
    board::Scan,
    clock::{Colour, Going},
    laws::{Found, Settled, articles::displaced},
};

impl Game {
    /// A press now waits until the open case is decided.
    pub(super) fn waits_for_case(&self) -> bool {
        self.open_case().is_some_and(|case| case.finding.kind.comes_first() || case.press.is_some())
    }

    /// Who is to press next: by the score, by the press that the case is about, and by those that wait.
    pub(super) fn due(&self) -> Colour {
        let judged = self.open_case().and_then(|case| case.press).filter(|_| self.held.is_empty());
        judged.map_or_else(|| self.to_move(), |press| press.by.other())
    }

    /// The men stand as they did when the clock stopped, or it runs: what stands there was played, and not only shown to the arbiter.
    pub(super) fn stands_as_played(&self) -> bool {
        let ran = self.ran_at.zip(self.scan_at).and_then(|(ran, changed)| ran.since(changed));
        self.face.going != Going::Paused || ran.is_some()
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

/// The press waits for the board, or for the case that is open.
pub(super) fn hold(draft: &mut Draft, by: Colour) {
    draft.emit(Event::Held(by));
    if draft.game.open_case().is_some() {
        catch_up(draft);
    }
}

/// A press of several was judged, and play went on: the next one is judged after it, unless the board may not show it yet.
pub(super) fn settle_next(draft: &mut Draft, quiet: bool, waiting: usize) {
    if (1..waiting).contains(&draft.game.held.len()) && !lags(draft.game) {
        follow::settle(draft, quiet);
    }
}

/// What is found of a press that waits, where no legal move explains it, and the board that tells it: the one that belongs to the press
/// where more was pressed since, or else the board as it stands.
pub(super) fn fault(draft: &Draft, press: &HeldPress, board: &Scan) -> Option<(Found, Scan)> {
    let (edition, game) = (draft.edition, &*draft.game);
    let told = told_by(game, press);
    let (board, presses) = told.map_or((*board, game.held.len()), |board| (board, 1));
    let settled = Settled { game, by: press.by, at_press: press.scan.as_ref(), board: &board, presses };
    let found = edition.rules.iter().find_map(|rule| rule(edition, &settled))?;
    Some((found, board))
}

/// The same of the first press that waits, in play that is stopped for it.
pub(super) fn fault_waiting(draft: &Draft) -> Option<Finding> {
    let (edition, game) = (draft.edition, &*draft.game);
    let judged = game.open_case().is_some_and(|case| case.press.is_some());
    if judged || game.lost || game.blind() || game.adrift().is_some() || edition.unsupervised(game.setup.play).is_some()
    {
        return None;
    }
    let (press, board) = (game.held.first()?, game.scan?);
    let lag = || board != game.board() || lags(game);
    if explain(game, &board, game.held.len()).is_some_and(|line| !line.is_empty() || lag()) {
        return None;
    }
    let (found, board) = fault(draft, press, &board)?;
    Some(case::finding(draft, &found, Scene::at(draft, press, board)))
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
        if draft.game.ended.is_some() || draft.game.waits_for_case() {
            return;
        }
        if draft.game.blind() || draft.game.scan.is_none() {
            unseen::keep(draft, &press);
        } else if draft.game.adrift().is_some() {
            return;
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

fn legal(draft: &Draft, press: &HeldPress) -> Option<alloc::vec::Vec<Move>> {
    let (game, waiting) = (&draft.game, &draft.game.held);
    let first: Colour = shakmaty::Position::turn(&game.position).into();
    let then = press.rest.or(press.scan).filter(|_| waiting.len() > 1);
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
