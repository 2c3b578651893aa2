//! What a board says of a game: pure looks at both, from which [`super::follow`] draws its conclusions.

use alloc::vec::Vec;

use shakmaty::{Chess, Move, Position};

use super::{
    base::Base,
    event::Outcome,
    follow::SETTLE,
    score::{Ply, Uci},
    state::{Game, HeldPress},
};
use crate::{
    board::{
        Scan,
        infer::{self, Reading, put_down, read},
        play_on::{self, Untold},
    },
    clock::{Colour, Going},
};

/// The plies that explain a board for which so many presses wait: none when nothing has changed yet or men are in the air,
/// `None` when nothing does.
pub(super) fn explain(game: &Game, board: &Scan, presses: usize) -> Option<Vec<Move>> {
    match read(&game.position, board) {
        Reading::Same => Some(Vec::new()),
        Reading::UnderWay(line) if line.is_empty() && presses > 1 => {
            likeliest(game, infer::exchanged(&game.position, board)).or(Some(line))
        }
        Reading::Line(line) | Reading::UnderWay(line) => Some(line),
        Reading::Several(lines) => likeliest(game, lines),
        Reading::Kings(_) | Reading::Unexplained => None,
    }
}

/// Of several lines the one whose positions on the way come closest to what the board showed; where two are as close, the
/// first move if they agree on it.
pub(super) fn likeliest(game: &Game, lines: Vec<Vec<Move>>) -> Option<Vec<Move>> {
    let mut scored: Vec<(usize, Vec<Move>)> = lines.into_iter().map(|line| (strangeness(game, &line), line)).collect();
    scored.sort_by_key(|(score, _)| *score);
    let (best, first) = (scored.first()?.0, *scored.first()?.1.first()?);
    let close = scored.iter().take_while(|(score, _)| *score == best);
    let (count, agreed) = close.fold((0, true), |(n, same), (_, line)| (n + 1, same && line.first() == Some(&first)));
    match (count, agreed) {
        (1, _) => scored.into_iter().next().map(|(_, line)| line),
        (_, true) => Some(alloc::vec![first]),
        _ => None,
    }
}

/// How many squares the positions on the way differ from the nearest board that was seen.
pub(super) fn strangeness(game: &Game, line: &[Move]) -> usize {
    let mut position = game.position.clone();
    let passed = line[..line.len().saturating_sub(1)].iter().map(|&m| {
        position.play_unchecked(m);
        let board = infer::scan(&position);
        game.trail.iter().map(|(seen, _)| seen.differences(&board).count()).min().unwrap_or(64)
    });
    passed.sum()
}

/// Which press completed which ply of a line, in order: each ply takes the next press of its mover, or none.
pub(super) fn pairs(first: Colour, plies: usize, presses: &[HeldPress]) -> Vec<Option<HeldPress>> {
    let mut rest = presses.iter().peekable();
    (0..plies)
        .map(|index| if index % 2 == 0 { first } else { first.other() })
        .map(|mover| rest.next_if(|press| press.by == mover).copied())
        .collect()
}

/// The board at the press was this very move half done: the rook of castling, the pawn taken en passant or the promoted man
/// was still to be put right. Boards lag, and hands are not faster.
pub(super) fn on_the_way(position: &Chess, m: Move, board: &Scan) -> bool {
    let mut next = position.clone();
    next.play_unchecked(m);
    let (before, after) = (infer::scan(position), infer::scan(&next));
    let touched: Vec<u8> = before.differences(&after).collect();
    after.differences(board).all(|square| touched.contains(&square))
}

/// The board that tells what was pressed where more was pressed since: as it stood still between. Men in the air tell nothing.
pub(super) fn told_by(game: &Game, press: &HeldPress) -> Option<Scan> {
    let board = press.rest.filter(|_| game.held.len() > 1)?;
    let told = game.adrift().is_some() || board == game.board() || explain(game, &board, 1).is_none();
    (told && board.census().is_ok()).then_some(board)
}

/// Whether the board stood still on the position after the last ply for as long as settling takes.
pub(super) fn stood_still(game: &Game) -> bool {
    let Some((last, &(_, seen))) = game.plies.last().zip(game.trail.first()) else { return true };
    let from = last.at.filter(|at| at.since(seen).is_some()).unwrap_or(seen);
    let until = game.trail.get(1).map(|&(_, changed)| changed).or(game.at);
    until.and_then(|until| until.since(from)).is_none_or(|ms| ms >= SETTLE)
}

/// The result that the players show with both their kings.
pub(super) fn shown(game: &Game, board: &Scan) -> Option<Outcome> {
    infer::shown(&game.board(), board)
}

/// What a board does not show, once play has gone on to it by this ply or by none.
pub(crate) fn untold(game: &Game, board: &Scan, ply: Option<Ply>) -> Untold {
    let before = game.board();
    let halfmoves = game.adrift().map_or_else(|| game.position.halfmoves(), |adrift| adrift.untold.halfmoves);
    let (uci, mover) = ply.map_or((Uci::NONE, game.to_move().other()), |ply| (ply.uci, ply.by));
    Untold {
        turn: mover.other(),
        halfmoves: play_on::quiet_plies(&before, board, uci, halfmoves),
        fullmoves: game.number_after(ply),
        passed: play_on::passed(&before, board, uci),
    }
}

/// The last ply was no legal move: whoever made it may take it back on the board and make another.
pub(crate) fn went_on(game: &Game) -> bool {
    let after = |(plies, _): &(usize, Base)| *plies == game.plies.len();
    game.adrift().is_some() || (!game.plies.is_empty() && game.bases.last().is_some_and(after))
}

/// A reply to the last ply was made, and a ruling took that back: the ply itself was made for good. A press alone is no reply.
pub(super) fn was_answered(game: &Game) -> bool {
    let next = game.known() + 1;
    let since = |reply: &Ply| reply.at.zip(game.plies.last()?.at).and_then(|(reply, at)| reply.since(at));
    let answers = |(ply, reply): &(u32, Ply)| *ply == next && reply.uci != Uci::NONE && since(reply).is_some();
    game.annulled.iter().any(answers)
}

/// A player whose clock runs has only his own men in hand or half way, and perhaps took one: that is a move being made. So is a
/// legal move half done, such as a promoted man put down before the pawn is taken off (4.6.2).
pub(super) fn in_hand(game: &Game, board: &Scan) -> bool {
    let by: Colour = game.position.turn().into();
    let base = infer::scan(&game.position);
    let squares: Vec<u8> = base.differences(board).collect();
    let lifted = || squares.iter().any(|&square| board.at(square).is_none());
    let half_done = || game.position.legal_moves().into_iter().any(|m| on_the_way(&game.position, m, board));
    game.face.going == Going::Running
        && game.held.is_empty()
        && squares.len() <= 4
        && squares.iter().all(|&square| board.at(square).is_none_or(|man| man.colour == by))
        && (lifted() || half_done())
}

/// The player whose move has ended the game moved on before he pressed: the board shows another move of his.
pub(super) fn moved_on(game: &Game) -> bool {
    let before = || game.position_after(game.plies.len().checked_sub(1)?);
    let another = |board: Scan| {
        before().is_some_and(|before| matches!(read(&before, &board), Reading::Line(line) if line.len() == 1))
    };
    game.scan.is_some_and(|board| game.position_is_known() && board != game.board() && another(board))
}

/// The clock was pressed, and the board has come to rest with a move half done, such as a man missing: no move explains that yet. A king
/// that is missing is another matter, for castling takes time.
pub(super) fn pressed_in_the_air(game: &Game, board: &Scan) -> bool {
    let waiting = game.held.len();
    let in_the_air = || explain(game, board, waiting).is_some_and(|line| line.is_empty());
    let at_rest = waiting > 0 && game.adrift().is_none() && board.census_at_rest().is_ok();
    at_rest && *board != infer::scan(&game.position) && in_the_air()
}

/// A board without a clock: nobody ever presses, so a move is made once the reply to it stands on the board.
pub(super) fn unclocked(game: &Game) -> bool {
    !game.started && game.setup.control.is_none() && game.face.hands.iter().all(|hand| hand.left.is_none())
}

/// What stands on the board without a press, a move or one with its reply, where no press waits for the board.
pub(crate) fn unpressed(game: &Game) -> Vec<Move> {
    let free = game.held.is_empty() && game.adrift().is_none() && !game.blind();
    match game.scan.filter(|_| free).map(|board| read(&game.position, &board)) {
        Some(Reading::Line(line)) => line,
        _ => Vec::new(),
    }
}

/// The board already shows a man that this player has put down, or a press of his waits for it.
pub(crate) fn replying(game: &Game, by: Colour) -> bool {
    game.held.iter().any(|press| press.by == by) || reply(game, by).is_some()
}

/// The board with a man that this player has put down since the last ply: as it is now, or as it stood still before he took that back.
pub(super) fn reply(game: &Game, by: Colour) -> Option<Scan> {
    let replied = |board: &Scan| put_down(&game.board(), board, by);
    game.scan.filter(replied).or_else(|| stood(game).filter(replied).last())
}

/// The boards since the last ply that stood still, oldest first.
fn stood(game: &Game) -> impl Iterator<Item = Scan> {
    let changed = game.trail.iter().skip(1).map(|&(_, changed)| changed).chain(game.at);
    let stood = game.trail.iter().zip(changed).filter(|((_, seen), changed)| changed.since(*seen) >= Some(SETTLE));
    stood.map(|((board, _), _)| *board)
}

/// The last ply is this player's, and he has not pressed it.
pub(super) fn last_unpressed(game: &Game, by: Colour) -> bool {
    game.adrift().is_none() && game.plies.last().is_some_and(|ply| ply.by == by && !ply.completed)
}

/// The move that stood still on the board last, unpressed, and that board.
pub(super) fn replied(game: &Game) -> Option<(Move, Scan)> {
    stood(game).filter_map(|board| Some((only_move(&game.position, &board)?, board))).last()
}

/// That move, where this player has put down a man of his own since.
pub(super) fn gone_on_from(game: &Game, by: Colour) -> Option<Move> {
    let (reply, before) = replied(game)?;
    put_down(&before, game.scan.as_ref()?, by).then_some(reply)
}

fn only_move(position: &Chess, board: &Scan) -> Option<Move> {
    match read(position, board) {
        Reading::Line(line) if line.len() == 1 => line.first().copied(),
        _ => None,
    }
}

/// The clock was pressed less than settling ago.
pub(super) fn lags(game: &Game) -> bool {
    let since = game.held.last().zip(game.at).and_then(|(press, now)| now.since(press.at));
    since.is_some_and(|ms| ms < SETTLE)
}

pub(super) fn board_at_rest(game: &Game) -> bool {
    let since = game.scan_at.zip(game.at).and_then(|(then, now)| now.since(then));
    since.is_some_and(|ms| ms >= SETTLE)
}
