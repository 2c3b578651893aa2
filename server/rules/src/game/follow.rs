//! Following the moves: presses and boards, settling, and what is found when nothing legal explains them.
//!
//! ```text
//!                 press, legal board                        press, other board
//!   thinking ───────────────────────────▶ Made      thinking ───────────────────▶ Held
//!                                                   Held ── legal board ─────────▶ Made
//!                                                   Held ── Quiet or later input ▶ Found (or Made, if it was lag)
//! ```
//!
//! Between presses the board decides nothing, with three exceptions once it is quiet: a move that ends the game, a move
//! whose press was forgotten because the reply is already there, and the kings in the centre. What is pressed while a case is open:
//! [`super::meanwhile`]; while nobody reads the board: [`super::unseen`].

use alloc::{format, string::String, vec::Vec};

use shakmaty::{Move, Position};

use super::{
    adrift,
    begins::{check_start, check_turned, orient},
    case::{self, Scene},
    decide::Draft,
    ends,
    event::{Alarm, Ending, Event, Outcome},
    irregularity::{Facts, Irregularity},
    meanwhile,
    reading::{
        explain, gone_on_from, in_hand, lags, last_unpressed, likeliest, moved_on, on_the_way, pairs,
        pressed_in_the_air, replied, shown, stood_still, unclocked, unpressed, was_answered, went_on,
    },
    score::Ply,
    state::{Game, HeldPress, hash},
    unseen,
};
use crate::{
    board::{
        Impossible, Scan,
        infer::{self, Reading, read, uci},
    },
    clock::{Colour, Face, Going},
    laws::{
        self, Settled,
        articles::{credit, displaced, forgotten_press, game_end, illegal_move},
    },
    time::Millis,
};

/// How long a board may take to settle after a press: real boards lag by about 0.4 s.
pub(super) const SETTLE: Millis = 1_000;

/// Presses that may wait for the board at once; more than this and the board is not being read at all.
const MOST_HELD: usize = 3;

/// A player completed a move by the clock. What the board says decides which.
pub(super) fn press(draft: &mut Draft, by: Colour) {
    follow_press(draft, by);
    check_turned(draft);
    case::draw_up_anew(draft);
}

/// The clock was pressed after the end: a move that ended the game may still be pressed, and its readings are the record's.
pub(super) fn pressed_after_end(draft: &mut Draft, by: Colour) {
    if draft.game.plies.last().is_some_and(|ply| ply.by == by) && !moved_on(draft.game) {
        let press = HeldPress::now(draft.game, by);
        return complete_last(draft, &press);
    }
    draft.alarm_once(Alarm::AfterEnd, "the clock was pressed after the end of the game");
}

fn follow_press(draft: &mut Draft, by: Colour) {
    settle(draft, false);
    if draft.game.ended.is_some() {
        return;
    }
    let press = HeldPress::now(draft.game, by);
    let open = draft.game.open_case().is_some();
    let Some(board) = draft.game.scan.filter(|_| !draft.game.blind()) else {
        return match open {
            true => meanwhile::hold(draft, by),
            false => unseen::press(draft, &press),
        };
    };
    if draft.game.adrift().is_some() && !open {
        return adrift::press(draft, by);
    }
    let mut presses = draft.game.held.clone();
    presses.push(press);
    let (first, due): (Colour, Colour) = (draft.game.position.turn().into(), draft.game.due());
    let line = explain(draft.game, &board, presses.len()).filter(|_| draft.game.adrift().is_none());
    match line.filter(|line| pairs(first, line.len(), &presses).iter().any(Option::is_some)) {
        Some(line) if !open => accept(draft, &line, &presses),
        Some(_) => meanwhile::hold(draft, by),
        None if by == due && (open || presses.len() <= MOST_HELD) => meanwhile::hold(draft, by),
        // The reply stands there: the board will tell whether he presses late or has moved again.
        None if !open && last_unpressed(draft.game, by) && replied(draft.game).is_some() => meanwhile::hold(draft, by),
        // A player may press even after the opponent has moved (6.2.2).
        None if last_unpressed(draft.game, by) => complete_last(draft, &press),
        None => {
            let text = format!("{} pressed, but it was {}'s move by the score", by.name(), due.name());
            draft.alarm_once(Alarm::Lost, text);
        }
    }
}

/// The board changed.
pub(super) fn scan(draft: &mut Draft, raw: &Scan) {
    draft.emit(Event::Looked(alloc::boxed::Box::new(*raw)));
    let board = raw.turned(draft.game.turn);
    if let Err(why) = board.census() {
        return draft.alarm_once(Alarm::ImpossibleBoard, why);
    }
    if draft.game.ended.is_some() {
        return;
    }
    if draft.game.open_case().is_some() {
        return meanwhile::seen(draft);
    }
    if draft.game.blind() {
        return unseen::seen_late(draft);
    }
    orient(draft);
    let Some(board) = draft.game.scan else { return };
    if let Some(outcome) = shown(draft.game, &board).filter(|_| draft.game.face.going == Going::Paused) {
        // With the clock stopped there is nothing to wait for: the men are often set up anew at once.
        return shown_by_kings(draft, outcome);
    }
    if draft.game.adrift().is_some() {
        reread_last(draft, &board, false);
        return;
    }
    if unclocked(draft.game) {
        if let Reading::Line(line) = read(&draft.game.position, &board)
            && line.len() == 2
        {
            make(draft, line[0], None, false);
        }
    } else if draft.game.held.is_empty() {
        correct_last(draft, &board);
    } else if let Some(line) = explain(draft.game, &board, draft.game.held.len()).filter(|line| !line.is_empty()) {
        let presses = draft.game.held.clone();
        accept(draft, &line, &presses);
    }
}

/// The board has stood still: settling ends here. `last`: nothing more will come.
pub(super) fn quiet(draft: &mut Draft, last: bool) {
    let game = &draft.game;
    if game.ended.is_some() || !(game.started || unclocked(game)) {
        return;
    }
    if game.blind() {
        return if game.open_case().is_none() {
            unseen::tell(draft, true)
        };
    }
    if game.open_case().is_some() {
        // Whatever else stands there is looked at once the case is decided.
        ends::stands(draft);
        return;
    }
    let Some(board) = game.scan else { return };
    if let Err(why) = board.census_at_rest() {
        // A king in the hand of the player who moves (or has just pressed) is no wonder: castling takes time.
        let hand = game.held.first().map_or(game.position.turn().into(), |press| press.by);
        if why != Impossible::NoKing(hand) {
            draft.alarm_once(Alarm::ImpossibleBoard, why);
        }
        if board.census().is_err() {
            return;
        }
    }
    if draft.game.plies.is_empty() && draft.game.held.is_empty() {
        orient(draft);
        check_turned(draft);
        check_start(draft);
    }
    settle(draft, true);
    if draft.game.ended.is_some() || draft.game.open_case().is_some() {
        return;
    }
    if let Some(outcome) = shown(draft.game, &board) {
        return shown_by_kings(draft, outcome);
    }
    if draft.game.adrift().is_some() || !draft.game.held.is_empty() {
        adrift::stands_unpressed(draft);
        if pressed_in_the_air(draft.game, &board) {
            // A promoted man that nobody put down or that the board does not see, a pawn that nobody took off: people must look.
            let text =
                "the clock was pressed, and the move is not finished on the board: a man is missing, or one too many";
            draft.alarm_once(Alarm::BoardDiffers, text);
        }
        return;
    }
    match read(&draft.game.position, &board) {
        Reading::Line(line) if last && unclocked(draft.game) => line.iter().for_each(|&m| {
            let ends = game_end::unpressed(draft.edition, draft.game, m).is_some();
            make(draft, m, None, ends);
        }),
        Reading::Line(line) => stands_unpressed(draft, &line),
        Reading::Unexplained if infer::kings(&board).is_some() => {
            draft.alarm_once(Alarm::BoardDiffers, "one king stands beside the other: if that is a result, enter it")
        }
        Reading::Unexplained if in_hand(draft.game, &board) => {}
        Reading::Unexplained => {
            draft.alarm_once(Alarm::BoardDiffers, "the board does not show the position of the game")
        }
        _ => {}
    }
}

/// The players show a result, which stands unless the game had ended before.
fn shown_by_kings(draft: &mut Draft, outcome: Outcome) {
    if !ends::stands(draft) {
        case::end(draft, outcome, Ending::Kings, draft.edition.articles.agreement);
    }
}

/// A flag is about to be judged: what was pressed before it fell, and what ended the game on the board, came first. True if the game
/// is over.
pub(super) fn before_flag(draft: &mut Draft) -> bool {
    settle(draft, false);
    if draft.game.open_case().is_none() {
        let line = unpressed(draft.game);
        stands_unpressed(draft, &line);
    }
    ends::stands(draft)
}

/// Moves stand on the board that nobody pressed: one with its reply there is made, and will be completed by the next; one that ends
/// the game needs neither.
fn stands_unpressed(draft: &mut Draft, mut line: &[Move]) {
    if let [m, _] = *line
        && draft.game.face.going == Going::Running
    {
        make(draft, m, None, false);
        line = &line[1..];
    }
    if let [m] = *line
        && draft.game.ended.is_none()
        && game_end::unpressed(draft.edition, draft.game, m).is_some()
    {
        make(draft, m, None, true);
    }
}

/// A press that was held is judged now, on the board as it stands. `quiet`: that has stood still; otherwise something else came
/// sooner, and the board may not show yet what was done.
pub(super) fn settle(draft: &mut Draft, quiet: bool) {
    if draft.game.open_case().is_some() {
        return meanwhile::catch_up(draft);
    }
    let waiting = draft.game.held.len();
    if let Some(adrift) = draft.game.adrift() {
        adrift::settle(draft, &adrift.board);
        return meanwhile::settle_next(draft, quiet, waiting);
    }
    let presses = draft.game.held.clone();
    let (Some(held), Some(board)) = (presses.first(), draft.game.scan) else { return };
    if last_unpressed(draft.game, held.by) {
        return after_reply(draft, held, quiet);
    }
    match explain(draft.game, &board, waiting) {
        Some(line) if !line.is_empty() => return accept(draft, &line, &presses),
        // Men in the air are no evidence, and neither is a board that has not changed yet: wait on.
        Some(_) if !quiet && lags(draft.game) || board != infer::scan(&draft.game.position) => return,
        _ => {}
    }
    if shown(draft.game, &board).is_some() {
        return;
    }
    if reread_last(draft, &board, true) {
        return settle(draft, quiet);
    }
    match meanwhile::fault(draft, held, &board) {
        // In doubt as the score itself: the desk is told, nobody is accused.
        Some(_) if draft.game.lost => {
            draft.alarm_once(Alarm::Lost, "the board and the score do not agree; check the position")
        }
        Some((found, board)) => {
            let before = infer::scan(&draft.game.position);
            // Beside displaced men the move itself was legal.
            let legal = found.kind == Irregularity::Displaced;
            let meant = legal.then(|| displaced::played(&draft.game.position, &board).map(uci)).flatten();
            let scene = Scene::at(draft, held, board);
            if case::raise(draft, &found, scene) {
                adrift::go_on(draft, held, &before, &board, meant);
                if legal {
                    ends::judge(draft);
                }
                meanwhile::settle_next(draft, quiet, waiting);
            }
        }
        None => match likeliest(draft.game, infer::beyond(&draft.game.position, &board, waiting)) {
            Some(line) => accept(draft, &line, &presses),
            // Where the edition does not count it as an illegal move it is for the arbiter, and the position is as it was.
            None if board == infer::scan(&draft.game.position) => {
                draft.alarm_once(Alarm::BoardDiffers, "the clock was pressed, and no man has moved")
            }
            None => draft.alarm_once(Alarm::Lost, "no legal move explains the board; check the position"),
        },
    }
}

/// Accepts the plies of a line up to the last that was pressed; what lies beyond is left for its own press. A ply without a
/// press before that was completed by the next one: its press was forgotten.
pub(super) fn accept(draft: &mut Draft, line: &[Move], presses: &[HeldPress]) {
    let first: Colour = draft.game.position.turn().into();
    let paired = pairs(first, line.len(), presses);
    let Some(last) = paired.iter().rposition(Option::is_some) else { return };
    let in_doubt = draft.game.lost;
    let repaired =
        paired[last].and_then(|press| illegal_before_repair(draft, &press, line).map(|found| (press, found)));
    let mut forgot = unpressed_last(draft.game);
    for (&m, press) in line.iter().zip(&paired).take(last + 1) {
        if press.is_none() {
            forgot.push((draft.game.position.turn().into(), draft.game.ply()));
        }
        make(draft, m, press.as_ref(), press.is_some());
        if draft.game.ended.is_some() {
            return;
        }
    }
    // Where the score is in doubt, so is every fault seen from it.
    if in_doubt {
        return;
    }
    show_forgotten(draft, &forgot);
    if let Some((press, (found, before))) = repaired {
        let scene = Scene::now(draft, press.by, draft.game.known());
        case::raise(draft, &found, Scene { at_press: press.scan, face: press.face, before, ..scene });
    }
}

/// Who has not pressed the last ply, and its number.
fn unpressed_last(game: &Game) -> Vec<(Colour, u32)> {
    game.plies.last().filter(|ply| !ply.completed).map(|ply| (ply.by, game.known())).into_iter().collect()
}

/// Presses were forgotten, and play went on.
fn show_forgotten(draft: &mut Draft, forgot: &[(Colour, u32)]) {
    let Some((&(by, ply), rest)) = forgot.split_first() else { return };
    let reply = rest.iter().any(|&(other, _)| other != by).then_some(Irregularity::ForgottenPress);
    let facts = Facts { reply, ..Facts::default() };
    let scene = Scene { facts, ..Scene::now(draft, by, ply) };
    case::show(draft, &forgotten_press::found(draft.edition), scene);
}

/// A player who had not pressed his last move pressed once the reply to it stood on the board. If he put down a man of his own again he has
/// gone on from the reply, and what he pressed is his next move, whatever the Laws say of that; otherwise he completed the last.
fn after_reply(draft: &mut Draft, press: &HeldPress, quiet: bool) {
    let Some(reply) = gone_on_from(draft.game, press.by) else { return complete_last(draft, press) };
    let (in_doubt, mut forgot) = (draft.game.lost, unpressed_last(draft.game));
    forgot.push((press.by.other(), draft.game.ply()));
    make(draft, reply, None, draft.edition.next_completes);
    if draft.game.ended.is_some() {
        return;
    }
    if !in_doubt {
        show_forgotten(draft, &forgot);
    }
    settle(draft, quiet);
}

/// A complete illegal position at the press is evidence even if the player put it right within the second. A board that
/// lagged looks the same, so the arbiter decides.
pub(super) fn illegal_before_repair(draft: &Draft, press: &HeldPress, line: &[Move]) -> Option<(laws::Found, String)> {
    let board = press.scan.as_ref()?;
    let [m] = line else { return None };
    if explain(draft.game, board, 1).is_some() || on_the_way(&draft.game.position, *m, board) {
        return None;
    }
    let settled = Settled { game: draft.game, by: press.by, at_press: Some(board), board, presses: 1 };
    illegal_move::repaired(draft.edition, &settled).map(|found| (found, draft.game.fen()))
}

pub(super) fn make(draft: &mut Draft, m: Move, press: Option<&HeldPress>, completed: bool) {
    let by: Colour = draft.game.position.turn().into();
    let (left, before_credit, credit) = clocks(draft.game, by, press);
    let at = press.map_or(draft.game.at, |press| Some(press.at));
    let mut next = draft.game.position.clone();
    next.play_unchecked(m);
    let uci = uci(m);
    draft.emit(Event::Made(Ply { uci, by, completed, left, before_credit, credit, at, position: hash(&next) }));
    case::shut(draft, by);
    ends::judge(draft);
}

type Clocks = ([Option<Millis>; 2], Option<Millis>, Option<Millis>);

/// Both readings at a press, and what the press credited. Without a press the readings are those last heard.
pub(super) fn clocks(game: &Game, by: Colour, press: Option<&HeldPress>) -> Clocks {
    let face: &Face = press.map_or(&game.face, |press| &press.face);
    let left = [face.hands[0].left, face.hands[1].left];
    let Some(press) = press else { return (left, None, None) };
    let credit = credit::credited(game, by, press).map(|credit| credit.total());
    let before = left[by.index()].zip(credit).map(|(left, credit)| (left - credit).max(0));
    (left, before, credit)
}

pub(super) fn complete_last(draft: &mut Draft, press: &HeldPress) {
    let (left, before_credit, credit) = clocks(draft.game, press.by, Some(press));
    let ply = draft.game.plies.len() as u32;
    draft.emit(Event::Completed { ply, left, before_credit, credit });
}

/// The piece of the last ply was still sliding when the board was read: as long as it has not stood still and nobody else has
/// moved, another move of the same piece is the right one.
fn correct_last(draft: &mut Draft, board: &Scan) {
    if read(&draft.game.position, board) == Reading::Unexplained {
        reread_last(draft, board, false);
    }
}

/// Reads the board from before the last ply: another move of the same piece, and perhaps the reply to it, explains it. True if
/// the last ply was replaced. Men not seen are only allowed for on a settled board.
fn reread_last(draft: &mut Draft, board: &Scan, settled: bool) -> bool {
    let game = &draft.game;
    let irregular = went_on(game) && !was_answered(game);
    let Some(&last) = game.plies.last().filter(|_| irregular || !stood_still(game)) else { return false };
    let earlier = game.plies.len() - 1;
    let Some(before) = game.position_after(earlier) else { return false };
    let line = match read(&before, board) {
        Reading::Line(line) | Reading::UnderWay(line) => Some(line),
        _ if settled => likeliest(game, infer::beyond(&before, board, game.held.len() + 1)),
        _ => None,
    };
    let Some(m) = line.and_then(|line| line.first().copied()) else { return false };
    let uci = uci(m);
    // The same piece went on; or what looked like a rook's move was castling, rook first.
    let rook = if let Move::Castle { rook, .. } = m { infer::square_name(rook as u8) } else { String::new() };
    let from = &last.uci.as_str()[..2];
    let same_man = uci.as_str()[..2] == *from || rook == from;
    // Where play had gone on, the same move can stand there without what was wrong beside it.
    let same_move = uci == last.uci && !irregular;
    if same_move || !(same_man || irregular) {
        return false;
    }
    let mut next = before;
    next.play_unchecked(m);
    draft.emit(Event::Replaced(Ply { uci, position: hash(&next), ..last }));
    case::shut(draft, last.by);
    ends::judge(draft);
    true
}
