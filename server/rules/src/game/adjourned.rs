//! How an adjournment reaches the board: what an act leaves out is filled in from the game, and what follows from it becomes
//! the game's own events and directives.
//!
//! ```text
//!   DeskAct::Adjourn ── filled in ──▶ adjourn::decide ──▶ steps ─┬─ Noted ─────────────▶ Event::Adjournment
//!                                                               ├─ Stop, SetClock, Say ▶ Issued
//!                                                               ├─ Run ────────────────▶ Issued(Run | Set), or Waits for a stop
//!                                                               ├─ Play ───────────────▶ Made
//!                                                               └─ End, Annul ─────────▶ Ended, Annulled
//! ```
//!
//! Between the sealing and the resumption the clock is only listened to ([`is_followed`]); from the sealed move on the game is
//! followed as ever, and [`moved`] tells the adjournment of the first moves.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{
    case,
    decide::Draft,
    ends,
    event::{Act, Alarm, Ending, Event, Outcome, Words},
    evolve::anew,
    input::Claim,
    refusal::Refusal,
    score::{Ply, Press, Uci},
    shown,
    standing::{Expected, expected, filled},
    state::{Game, fen, hash, play, position},
    unseen,
};
use crate::{
    adjourn::{self, Act as Told, Adjournment, Deed, Fact, Phase, Reason, Step, Which},
    clock::{Colour, Control, Face, Going, Hand},
    laws::{articles::clock_setting, words},
    time::Millis,
};

/// The moves are followed as in any game: nothing of an adjournment stands in between.
pub(super) fn is_followed(game: &Game) -> bool {
    use Phase::{Adjourned, Judging, Opening, ReplySealed, Sealing, SetUp, Waiting};
    let between = [Sealing, Adjourned, SetUp, Waiting, Opening, Judging, ReplySealed];
    game.ended.is_some() || !game.phase().is_some_and(|phase| between.contains(&phase))
}

/// Resignation and agreement while the game is not followed: what players say of it belongs to the adjournment then.
pub(super) fn given_up(game: &Game, by: Colour, claim: Claim) -> Option<Deed> {
    match claim {
        _ if is_followed(game) => None,
        Claim::Resignation => Some(Deed::Resign(by)),
        Claim::Agreement => Some(Deed::AgreeDraw),
        Claim::Flag | Claim::IllegalMove | Claim::Draw => None,
    }
}

/// An act at the desk about the adjournment.
pub(super) fn adjourn(draft: &mut Draft, deed: &Deed, wall_ms: Millis) -> Result<(), Refusal> {
    if draft.game.ended.is_some() {
        return Err(Refusal::GameOver);
    }
    let no_procedure = Refusal::NoProcedure(draft.edition.id);
    let mut procedure = adjourn::of_edition(draft.edition.id).ok_or(no_procedure)?;
    procedure.default_time = draft.game.setup.overlay.default_time.unwrap_or(procedure.default_time);
    let deed = filled(draft, deed)?;
    let state = match &draft.game.adjournment {
        Some(before) if begins(&deed) => again(before),
        Some(adjournment) => (**adjournment).clone(),
        None => Adjournment::new(),
    };
    let steps = adjourn::decide(&procedure, &state, &Told { wall_ms, deed }).map_err(Refusal::Adjournment)?;
    carry_out(draft, steps);
    Ok(())
}

/// An act with which an adjournment begins, the first or another one.
fn begins(deed: &Deed) -> bool {
    matches!(deed, Deed::Announce(_) | Deed::EndSession(_) | Deed::AdjournEarly(_))
}

/// What a new adjournment begins from: a game that was resumed can be adjourned again, in the session it was resumed in.
fn again(before: &Adjournment) -> Adjournment {
    if !matches!(before.phase, Phase::Resumed | Phase::Annulled) || before.proposal.is_some() {
        return before.clone();
    }
    let session = before.resumption.as_ref().map(|resumption| resumption.session);
    Adjournment { session, ..Adjournment::new() }
}

/// Takes in what happened in the adjournment.
pub(super) fn fold(game: &mut Game, event: &adjourn::Event) {
    let begins = matches!(event.fact, Fact::Announced(_) | Fact::SealingBegan(_) | Fact::AdjournedEarly(..));
    let mut state = match game.adjournment.take() {
        Some(before) if begins => Box::new(again(&before)),
        Some(state) => state,
        None => Box::default(),
    };
    adjourn::evolve(&mut state, event);
    game.adjournment = Some(state);
    if begins {
        game.held.clear();
    }
}

/// What was asked about the adjournment lapses with the game.
pub(super) fn asks_no_more(game: &mut Game) {
    if let Some(adjournment) = &mut game.adjournment {
        adjournment.proposal = None;
    }
}

/// A new game on the same board: what belongs to the old one is only on record.
pub(super) fn annulled(game: &mut Game) {
    asks_no_more(game);
    let numbered = (1..).zip(game.plies.drain(..));
    game.annulled.extend(numbered);
    game.presses.clear();
    game.periods.clear();
    anew(game, game.beginning());
    (game.waits, game.lost) = (None, false);
    game.held.clear();
    game.trail.clear();
}

fn carry_out(draft: &mut Draft, steps: Vec<Step>) {
    let ends = steps.iter().any(|step| matches!(step, Step::End { .. }));
    let stops = steps.iter().any(|step| matches!(step, Step::Stop { .. }));
    let (mut board, mut mover) = (None, None);
    for step in steps {
        match step {
            Step::Noted(event) => {
                let sealed = matches!(event.fact, Fact::Adjourned(_));
                draft.emit(Event::Adjournment(Box::new(event)));
                if sealed && !stops && expected(draft.game).face.going == Going::Running {
                    // The player stops his own clock by hand; one that still runs is stopped for him.
                    stop(draft);
                }
            }
            Step::Stop { .. } => stop(draft),
            Step::SetBoard { position, .. } => board = Some(position),
            Step::SetClock { hands, turn, .. } => {
                // A correction never makes a flag fall.
                let hands = clock_setting::no_flag(hands);
                let turn = turn.unwrap_or_else(|| shakmaty::Position::turn(&draft.game.position).into());
                set(draft, hands, turn, false, board.take());
            }
            Step::Run { colour, .. } => run(draft, colour, mover.take()),
            Step::OpenEnvelope { which, .. } => draft.issue(Act::Show, 0, envelope(which)),
            Step::Play { uci, .. } => mover = make(draft, uci, !ends),
            Step::End { outcome, reason, article } => {
                case::end(draft, outcome.unwrap_or(Outcome::BothLose), ending(reason), &article);
            }
            Step::Annul { .. } => annul(draft),
            Step::Say { words, .. } => draft.issue(Act::Show, 0, words),
            // It stands in the adjournment until the arbiter chooses.
            Step::Propose(_) => {}
        }
    }
    if let Some(left) = board {
        let Expected { face, .. } = expected(draft.game);
        set(draft, face.hands, face.turn, false, Some(left));
    }
}

const fn ending(reason: Reason) -> Ending {
    match reason {
        Reason::Agreement => Ending::Agreement,
        Reason::Resignation => Ending::Resignation,
        Reason::Flag => Ending::Flag,
        Reason::Checkmate => Ending::Checkmate,
        Reason::Stalemate => Ending::Stalemate,
        Reason::DeadPosition => Ending::DeadPosition,
        Reason::SealedMove | Reason::Late => Ending::Adjournment,
    }
}

fn adjourned() -> Words {
    words("Adjourned game", "Отложенная партия")
}

fn envelope(which: Which) -> Words {
    match which {
        Which::SealedMove => words("Open the envelope", "Вскройте конверт"),
        Which::Reply => words("Open the envelope with the reply", "Вскройте конверт с ответным ходом"),
    }
}

fn stop(draft: &mut Draft) {
    draft.issue(Act::Stop, 0, adjourned());
}

fn set(draft: &mut Draft, hands: [Hand; 2], turn: Colour, run: bool, position: Option<String>) {
    let (white_place, as_of) = (draft.game.setup.white_place, draft.game.seq);
    draft.issue(Act::Set { hands, turn, run, white_place, position }, as_of, adjourned());
}

/// Starts a player's clock. `mover` has made a move that no clock counted. A clock on the other side is only turned round from a
/// reading that is known: where it runs it is stopped first.
fn run(draft: &mut Draft, colour: Colour, mover: Option<Colour>) {
    let Expected { face, known } = expected(draft.game);
    let counted = mover == Some(colour.other());
    if face.turn == colour && (!counted || !known) {
        return draft.issue(Act::Run, 0, adjourned());
    }
    if known {
        return turn_round(draft, face.hands, colour, counted);
    }
    let stops = |game: &Game| {
        let last = game.directives.last().filter(|sent| sent.directive.act == Act::Stop && sent.after.is_none());
        last.map(|sent| sent.directive.rev)
    };
    if stops(draft.game).is_none() {
        stop(draft);
    }
    if let Some(rev) = stops(draft.game) {
        draft.emit(Event::Waits { rev, colour, counted });
    }
}

fn turn_round(draft: &mut Draft, mut hands: [Hand; 2], colour: Colour, counted: bool) {
    let (hand, moves) = (&mut hands[colour.other().index()], draft.game.completed(colour.other()));
    // One who pressed instead of stopping his clock has counted the sealed move himself.
    if counted && hand.moves < moves {
        *hand = count(*hand, moves, draft.game.setup.control.as_ref());
    }
    let position = counted.then(|| draft.game.known_fen().or_else(|| told(draft.game))).flatten();
    set(draft, hands, colour, true, position);
}

/// The position that no board has shown, after the moves that were sealed: the envelope's and these are known.
fn told(game: &Game) -> Option<String> {
    let adjournment = game.adjournment.as_ref()?;
    let mut stands = position(&adjournment.envelope.as_ref()?.position)?;
    [adjournment.sealed_move, adjournment.reply].into_iter().flatten().for_each(|uci| play(&mut stands, uci));
    Some(fen(&stands))
}

/// So many moves, with the one that was sealed. It may complete a period; an increment is not given for it, since its time was recorded
/// when it was sealed.
fn count(hand: Hand, moves: u32, control: Option<&Control>) -> Hand {
    let moved = Hand { moves, ..hand };
    let Some(control) = control else { return moved };
    let credit = control.credit(moves.saturating_sub(1), hand.period, None);
    Hand { left: hand.left.map(|left| left.saturating_add(credit.bonus)), period: credit.period, ..moved }
}

/// The clock has reported on a directive: what waited for its stop goes on.
pub(super) fn reported(draft: &mut Draft, rev: u64, after: Option<Face>) {
    use super::event::Stage::{Applied, Rejected, Unknown};
    let Some((_, colour, counted)) = draft.game.waits.filter(|&(waits, ..)| waits == rev) else { return };
    let stage = draft.game.directives.get(rev as usize - 1).map(|sent| sent.stage);
    match (stage, after) {
        (Some(Applied), Some(face)) => turn_round(draft, face.hands, colour, counted),
        (Some(Rejected | Unknown), _) => {
            let text = alloc::format!("the clock was not stopped: start {}'s clock by hand", colour.name());
            draft.alarm_once(Alarm::Directive, text);
        }
        _ => {}
    }
}

/// Makes a move that was sealed or told to the arbiter; it is completed. Gives its player, where the game goes on.
fn make(draft: &mut Draft, uci: Uci, judge: bool) -> Option<Colour> {
    let by: Colour = shakmaty::Position::turn(&draft.game.position).into();
    let left = expected(draft.game).face.hands.map(|hand| hand.left);
    let mut next = draft.game.position.clone();
    play(&mut next, uci);
    let ply = Ply {
        uci,
        by,
        completed: true,
        left,
        before_credit: None,
        credit: None,
        at: draft.game.at,
        position: hash(&next),
    };
    if draft.game.blind() {
        unseen::kept(draft, Press::from(ply));
    } else {
        draft.emit(Event::Made(ply));
        case::shut(draft, by);
    }
    if judge {
        ends::judge(draft);
    }
    Some(by)
}

/// A new game on the same board: initial position and times.
pub(super) fn annul(draft: &mut Draft) {
    draft.emit(Event::Annulled);
    shown::annulled(draft);
    let game = &draft.game;
    let position = fen(&game.position);
    let turn = shakmaty::Position::turn(&game.position).into();
    let again = words("The game is annulled: a new game", "Партия аннулирована: новая партия");
    let (hands, white_place) = (game.hands_at_the_beginning(), game.setup.white_place);
    draft.issue(Act::Set { hands, turn, run: false, white_place, position: Some(position) }, game.seq, again);
}

/// The game was followed by a move: the first of each player after the resumption is noted. A clock's time is not the arbiter's, so
/// that the note carries the time of what was last noted.
pub(super) fn moved(draft: &mut Draft, before: u32) {
    let game = &draft.game;
    let Some(adjournment) = game.adjournment.as_ref().filter(|_| game.known() > before) else { return };
    let Some(press) = game.press_at(game.known()) else { return };
    let uci = game.plies.last().map_or(Uci::NONE, |ply| ply.uci);
    let fact = match adjournment.phase {
        Phase::Open if adjournment.sealer == Some(press.by.other()) => Fact::Replied(uci),
        Phase::Resumed if !adjournment.moved[press.by.index()] => Fact::FirstMove(press.by),
        _ => return,
    };
    let Some(procedure) = adjourn::of_edition(draft.edition.id) else { return };
    let (at, offered) = (adjournment.at, adjournment.offer == Some(press.by.other()));
    let articles = &procedure.articles;
    let article = match fact {
        Fact::Replied(_) => articles.sealer_absent,
        _ => articles.clock_error,
    };
    note(draft, at, fact, article);
    if offered {
        // An offer lapses when the player it was made to moves (9.1).
        note(draft, at, Fact::Declined, articles.draw);
    }
}

fn note(draft: &mut Draft, at: Millis, fact: Fact, article: &str) {
    draft.emit(Event::Adjournment(Box::new(adjourn::Event { at, fact, article: article.into() })));
}
