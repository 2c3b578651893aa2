//! The fold: how an event changes what is known. Total: an event is a fact, whatever it says.

use alloc::vec;

use shakmaty::{Chess, Position};

use super::{
    adjourned,
    base::{Adrift, Base},
    case::LAWS,
    event::{Act, Alarm, Directive, Event, RejectReason, Remedy, Ruling, Stage, Words},
    follow::SETTLE,
    irregularity::{Finding, Irregularity},
    moved,
    reading::untold,
    score::Ply,
    sent::Sent,
    state::{Believed, Case, CasePhase, Game, HeldPress, hash, play, position},
    unseen,
};
use crate::{
    board::{Scan, infer, play_on},
    clock::{Colour, Face, Going},
    laws::articles::clock_reading::is_bare_zero,
    time::Moment,
};

/// Boards remembered since the last ply.
const TRAIL: usize = 16;

/// Applies one event.
pub fn evolve(game: &mut Game, event: &Event) {
    match event {
        Event::Opened(setup) => {
            game.opened = true;
            game.position = setup.position.as_deref().and_then(position).unwrap_or_default();
            game.bases = vec![(0, Base::Position(game.position.clone()))];
            let face = setup.control.as_ref().map(|control| control.start_face(setup.white_place));
            game.face = face.unwrap_or_else(|| Face::unknown(setup.white_place));
            game.face.turn = game.position.turn().into();
            game.face_before = game.face;
            game.setup = (**setup).clone();
        }
        Event::Heard { seq, at, face } => {
            if face.turn != game.face.turn {
                game.turned = *seq;
            }
            (game.face_before, game.at_before) = (game.face, game.at);
            (game.face, game.at, game.seq) = (*face, Some(*at), *seq);
            let (known, periods) = (game.known(), game.least_periods());
            if game.periods_after(known) != periods {
                game.periods.push((known, periods));
            }
            if face.going == Going::Running {
                (game.started, game.ran_at) = (true, Some(*at));
            }
            // A flag that the clock shows up again can fall again.
            game.flags.retain(|&colour| face.hand(colour).flagged);
            believe(game, *at);
        }
        Event::Looked(raw) => looked(game, raw.turned(game.turn)),
        Event::Turned(turn) => {
            let unturned = game.scan.map(|scan| scan.turned(game.turn.back()));
            game.turn = *turn;
            game.scan = unturned.map(|scan| scan.turned(*turn));
            game.trail.clear();
        }
        Event::Held(by) => {
            let press = HeldPress::now(game, *by);
            rests(game);
            game.held.push(press);
        }
        Event::Made(ply) => made(game, *ply),
        Event::Completed { ply, left, before_credit, credit } => {
            if let Some(ply) = (*ply as usize).checked_sub(1).and_then(|index| game.plies.get_mut(index)) {
                ply.completed = true;
                (ply.left, ply.before_credit, ply.credit) = (*left, *before_credit, *credit);
                let by = ply.by;
                heard(game, by);
            }
            // Its readings are those of this press: what was set before is in them.
            game.set_before(ply.saturating_sub(1));
        }
        Event::Pressed(press) => {
            heard(game, press.by);
            game.presses.push(*press);
        }
        Event::Unread => unseen::fold_unread(game),
        Event::Unseen(press) => {
            heard(game, press.by);
            unseen::fold_unseen(game, *press);
        }
        Event::Told { moves, position } => unseen::fold_told(game, moves, position),
        Event::WentOn { board, ply } => went_on(game, board, *ply),
        Event::Replaced(ply) => {
            game.plies.pop();
            let left = game.plies.len();
            game.bases.retain(|&(plies, _)| plies <= left);
            game.position = game.last_chess(left);
            made(game, *ply);
        }
        Event::Found(finding) => {
            let (finding, phase) = ((**finding).clone(), CasePhase::Shown);
            // Found once more, it is dealt with there.
            let same = |left: &Finding| (left.kind, left.by, left.ply) == (finding.kind, finding.by, finding.ply);
            unclaimable(game, same);
            let known = game.known();
            game.cases.push(Case { finding, phase, proposal: None, chosen: None, ruling: None, known, press: None });
        }
        Event::Proposed(proposal) => {
            if let Some(case) = case(game, proposal.case) {
                if case.phase != CasePhase::Shown {
                    case.phase = CasePhase::Proposed;
                }
                case.proposal = Some(proposal.clone());
            }
        }
        Event::Chosen { case: number, choice, actor, note } => {
            if let Some(case) = case(game, *number) {
                case.chosen = Some((choice.clone(), actor.clone(), note.clone()));
            }
        }
        Event::Ruled(ruling) => {
            let taken_back = game.takes_back(ruling);
            if let Some(case) = case(game, ruling.case) {
                // Whoever acts on what was only shown has the clock stopped first.
                let left = case.phase == CasePhase::Shown && ruling.actor != LAWS;
                case.phase = if left { CasePhase::Left } else { CasePhase::Ruled };
                case.ruling = Some((**ruling).clone());
            }
            let seen = case(game, ruling.case).map(|case| case.finding.evidence.face);
            ruled(game, &ruling.remedy, seen.unwrap_or(ruling.before));
            presses_ruled(game, ruling, taken_back);
        }
        Event::Issued(directive) => {
            let (stage, directive) = (Stage::Sent, (**directive).clone());
            if directive.act == Act::Stop {
                stops(game, directive.rev);
            }
            if matches!(directive.act, Act::Set { .. } | Act::Run | Act::Conclude(_)) {
                game.waits = None;
            }
            if let Act::Set { position: Some(text), .. } = &directive.act {
                restore(game, text);
            }
            let (plies, lacks) = (game.pressed(), game.said_to_lack(&directive.act));
            game.directives.push(Sent { directive, stage, reason: None, before: None, after: None, plies, lacks });
        }
        Event::Staged { rev, stage, reason, before, after } => {
            let plies = game.pressed();
            if let Some(sent) = (*rev as usize).checked_sub(1).and_then(|index| game.directives.get_mut(index)) {
                (sent.stage, sent.reason, sent.before, sent.after) = (*stage, *reason, *before, *after);
                if *stage == Stage::Applied {
                    sent.plies = plies;
                }
                if *stage == Stage::Applied && sent.directive.act.changes_times() {
                    game.turned = game.seq;
                }
                if let (Stage::Applied, Act::Set { white_place, .. }) = (stage, &sent.directive.act) {
                    // The halves have changed sides by hand; from here on the clock is bound so.
                    game.setup.white_place = *white_place;
                }
            }
        }
        Event::Lapsed(through) => lapsed(game, *through),
        Event::FlagFell(colour) => game.flags.push(*colour),
        Event::Ended { outcome, ending, article } => {
            game.held.clear();
            adjourned::asks_no_more(game);
            game.ended = Some((*outcome, *ending, article.clone()));
        }
        Event::Alarmed(alarm, detail) => {
            game.lost |= *alarm == Alarm::Lost;
            game.alarms.push((*alarm, detail.clone()));
        }
        Event::Asked(question) => game.questions.push(((**question).clone(), None)),
        Event::Answered(number, can_mate) => {
            if let Some((_, answer)) = (*number as usize).checked_sub(1).and_then(|i| game.questions.get_mut(i)) {
                *answer = Some(*can_mate);
            }
        }
        Event::Adjournment(event) => adjourned::fold(game, event),
        Event::Waits { rev, colour, counted } => game.waits = Some((*rev, *colour, *counted)),
        Event::Moved { device } => moved::fold(game, device),
        Event::Annulled => adjourned::annulled(game),
        Event::Heeded(through) => game.heeded = game.heeded.max(*through as usize),
        Event::Admitted(request) => {
            game.admitted.insert(request.clone());
        }
    }
}

/// Numbers that were given by a record which is no more: of what they named nothing is known, and nothing will be.
fn lapsed(game: &mut Game, through: u64) {
    for rev in game.rev() + 1..=through {
        let (act, words, supersedes) = (Act::Show, Words::default(), vec![]);
        let directive = Directive { rev, as_of_seq: 0, not_after: None, supersedes, act, words };
        let (stage, reason) = (Stage::Unknown, Some(RejectReason::Revision));
        game.directives.push(Sent { directive, stage, reason, before: None, after: None, plies: 0, lacks: [None; 2] });
    }
}

fn case(game: &mut Game, number: u32) -> Option<&mut Case> {
    (number as usize).checked_sub(1).and_then(|index| game.cases.get_mut(index))
}

/// The board of what was pressed last, where it has stood still since: what is seen or pressed now comes after it.
fn rests(game: &mut Game) {
    let (changed, now) = (game.scan_at, game.at);
    let still = |since: Option<Moment>| now.zip(since).and_then(|(now, since)| now.since(since)) >= Some(SETTLE);
    if let Some(press) = game.held.last_mut().filter(|press| still(changed) && still(Some(press.at))) {
        press.rest = press.rest.or(game.scan);
    }
}

fn looked(game: &mut Game, scan: Scan) {
    rests(game);
    game.scan = Some(scan);
    game.scan_at = game.at;
    game.set_up |= game.plies.is_empty() && scan == infer::scan(&game.position);
    game.lost &= !game.unseen().is_empty() || scan != infer::scan(&game.position);
    if game.trail.len() == TRAIL {
        game.trail.remove(0);
    }
    game.trail.push((scan, game.at.unwrap_or_default()));
}

fn made(game: &mut Game, mut ply: Ply) {
    // What was pressed before a board was seen is in the score now.
    game.presses.clear();
    play(&mut game.position, ply.uci);
    ply.position = hash(&game.position);
    game.gone_on();
    heard(game, ply.by);
    game.plies.push(ply);
    game.new_board = false;
    game.lost &= game.scan != Some(infer::scan(&game.position));
    game.trail.clear();
    game.trail.extend(game.scan.zip(game.scan_at));
}

/// Play goes on from a board that no legal move led to. Where it is a position of chess the next moves start from it.
fn went_on(game: &mut Game, board: &Scan, ply: Option<Ply>) {
    let untold = untold(game, board, ply);
    let from = play_on::position(play_on::setup(board, &game.position, untold));
    // What was pressed in reply to a press that a case was about, or that has a board of its own, waits on.
    let pressed = |press: &HeldPress| ply.is_some_and(|ply| (ply.by, ply.at) == (press.by, Some(press.at)));
    let decided = game.cases.iter().rev().filter(|case| case.phase == CasePhase::Ruled);
    if game.scan != Some(*board) && game.held.first().is_some_and(pressed) {
        game.held.remove(0);
    } else if !decided.filter_map(|case| case.press).any(|press| pressed(&press)) {
        game.held.clear();
    }
    if let Some(mut ply) = ply {
        ply.position = from.as_ref().map_or(0, hash);
        game.gone_on();
        game.plies.push(ply);
    }
    if let Some(position) = &from {
        game.position = position.clone();
    }
    let base = from.map_or(Base::Men(Adrift { board: *board, untold }), Base::Position);
    game.bases.push((game.plies.len(), base));
    game.trail.clear();
    game.trail.extend(game.scan.zip(game.scan_at));
}

fn ruled(game: &mut Game, remedy: &Remedy, seen: Face) {
    if let Some(from) = remedy.annul_from {
        let keep = (from as usize).saturating_sub(1).min(game.plies.len());
        let numbered = (from..).zip(game.plies.drain(keep..));
        game.annulled.extend(numbered);
        game.presses.truncate((from as usize).saturating_sub(1));
        game.given = game.given.filter(|&given| given < from);
        game.bases.retain(|&(plies, _)| plies <= keep);
        game.periods.retain(|&(known, _)| known < from);
        game.position = game.last_chess(keep);
        unclaimable(game, |left| left.kind.is_of_a_move() && left.ply >= from);
        game.set_before(game.known());
    }
    if remedy.cancel {
        // A new game on the same board: the strikes of the cancelled one are gone with it.
        let start = remedy.position.as_deref().and_then(position).unwrap_or_else(|| game.beginning());
        anew(game, start);
    }
    if let Some(uci) = remedy.place {
        let by: Colour = game.position.turn().into();
        // The readings of the press that was judged; a queen's are replaced when the player presses again.
        let left = seen.hands.map(|hand| hand.left);
        let (at, completed) = (game.at, remedy.turn != by);
        made(game, Ply { uci, by, completed, left, before_credit: None, credit: None, at, position: 0 });
    }
    for (strikes, more) in game.strikes.iter_mut().zip(remedy.strikes) {
        *strikes += more;
    }
    if remedy.position.is_some() || remedy.cancel || remedy.outcome.is_some() {
        game.trail.clear();
    }
}

/// A stop issued while a case has no proposal yet, or its way out was chosen, is that case's stop. The press that the case speaks of is
/// judged with it; the others wait.
fn stops(game: &mut Game, rev: u64) {
    let next = game.ply();
    let waits = |case: &&mut Case| case.phase == CasePhase::Shown && (case.proposal.is_none() || case.chosen.is_some());
    let Some(case) = game.cases.iter_mut().rev().find(waits) else { return };
    case.phase = CasePhase::Stopping(rev);
    let Finding { kind, by, ply, ref evidence, .. } = case.finding;
    let of_a_press = evidence.at_press.is_some() || kind.is_strike() || kind == Irregularity::TouchMove;
    if of_a_press && ply == next && game.held.first().is_some_and(|press| press.by == by) {
        case.press = Some(game.held.remove(0));
    }
}

/// A case is decided: what was pressed meanwhile goes back with it, or waits for the board as it did before. So does the press itself
/// that somebody spoke of, where it was all right.
fn presses_ruled(game: &mut Game, ruling: &Ruling, taken_back: bool) {
    if taken_back {
        game.held.clear();
        game.set_before(game.known());
        return;
    }
    let next = game.ply();
    let spoken_of = |case: &&Case| case.finding.evidence.at_press.is_none() && case.finding.ply == next;
    if let Some(press) = game.case(ruling.case).filter(spoken_of).and_then(|case| case.press) {
        game.held.insert(0, press);
    }
}

/// This player's press no longer waits: the score has it.
fn heard(game: &mut Game, by: Colour) {
    while game.held.first().is_some_and(|press| press.by == by) {
        game.held.remove(0);
    }
}

/// A new game on the same board, from this position: nothing of the old one counts in it.
pub(super) fn anew(game: &mut Game, start: Chess) {
    (game.strikes, game.started, game.set_up, game.given) = ([0; 2], false, false, None);
    game.flags.clear();
    game.cases_before = game.cases.len();
    game.set_before(0);
    game.directives.iter_mut().for_each(|sent| sent.lacks = [None; 2]);
    game.bases = vec![(0, Base::Position(start.clone()))];
    game.position = start;
    unclaimable(game, |_| true);
}

/// What was left alone cannot be claimed any more: what it speaks of is gone, or dealt with.
fn unclaimable(game: &mut Game, gone: impl Fn(&Finding) -> bool) {
    let left = game.cases.iter_mut().filter(|case| case.phase == CasePhase::Left && gone(&case.finding));
    left.for_each(|case| case.phase = CasePhase::Ruled);
}

/// The position a directive puts on the board. Where no legal move led there the score keeps its plies, and the next ones start
/// from it.
fn restore(game: &mut Game, text: &str) {
    let Some(position) = position(text) else { return };
    if !game.unseen().is_empty() {
        unseen::given(game, position);
        game.lost = false;
        game.held.clear();
        return;
    }
    game.given = game.blind().then(|| game.known());
    if game.fen() == text {
        return;
    }
    game.position = position.clone();
    game.bases.push((game.plies.len(), Base::Position(position)));
    game.lost = false;
    game.held.clear();
}

/// Remembers readings that leaps are measured from. A bare zero where much time was left is no reading: the next one is
/// measured from the last that was.
fn believe(game: &mut Game, at: Moment) {
    for colour in Colour::BOTH {
        let (hand, moves) = (*game.face.hand(colour), game.completed(colour));
        let slot = &mut game.believed[colour.index()];
        match (hand.left, *slot) {
            (Some(0), Some(before)) if !hand.flagged && is_bare_zero(before.left, at.since(before.at)) => {}
            // While a clock runs and shows the same, what is believed is as old as its last change.
            (Some(left), Some(before))
                if before.left == left && game.face.turn == colour && game.face_before.turn == colour => {}
            (Some(left), _) => *slot = Some(Believed { left, at, moves }),
            (None, _) => {}
        }
    }
}
