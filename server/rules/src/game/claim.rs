//! What players claim, at the clock or to the arbiter: claims keep the order of the device's events.

use alloc::string::ToString;

use shakmaty::Chess;

use super::{
    adjourned,
    case::{self, Scene},
    decide::Draft,
    desk::{self, DISMISS},
    ends,
    event::{About, Ending, Outcome, Remedy},
    follow,
    input::Claim,
    irregularity::{Facts, Finding, Irregularity},
    meanwhile,
    reading::replying,
    refusal::Refusal,
    state::{Case, CasePhase, Game, fen},
};
use crate::{
    clock::Colour,
    laws::{
        self,
        articles::{
            draw_claim,
            mating::{self, Dead},
            quickplay_finish, unsupervised,
        },
    },
};

/// Who brought the claim: what a player says to the arbiter counts, a button alone calls him.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Through<'a> {
    Clock,
    Arbiter(&'a str),
}

/// Acts on a claim where there is something to act on.
///
/// # Errors
/// There is nothing on record that it could be about.
pub(super) fn claim(
    draft: &mut Draft,
    by: Colour,
    claim: Claim,
    through: Through<'_>,
    facts: &Facts,
    note: &str,
) -> Result<(), Refusal> {
    if draft.game.ended.is_some() {
        return Err(Refusal::GameOver);
    }
    if draft.game.result_waits() {
        return Err(Refusal::ResultWaits);
    }
    if !adjourned::is_followed(draft.game) {
        return Err(Refusal::Adjourned);
    }
    if ends::stands(draft) {
        return Ok(());
    }
    // By these the game is over at once (5.1.2, 5.2.3), and what is open lapses with it, unless it may have decided the game before.
    let over = matches!(claim, Claim::Resignation | Claim::Agreement) && through != Through::Clock;
    let waits = over && meanwhile::fault_waiting(draft).is_some_and(|finding| comes_first(draft, &finding));
    match draft.game.open_case().map(|open| &open.finding) {
        Some(open) if !over || waits || comes_first(draft, open) => return Err(Refusal::CaseOpen(open.case)),
        None if waits => {
            follow::settle(draft, false);
            return Ok(());
        }
        _ => {}
    }
    let actor = match through {
        Through::Clock => by.name(),
        Through::Arbiter(actor) => actor,
    };
    match claim {
        Claim::IllegalMove => {
            if through == Through::Clock && replying(draft.game, by) {
                // The reply is on the board, though not pressed: whether it was made is for the arbiter to say.
                return Err(Refusal::NothingToClaim);
            }
            if through == Through::Clock {
                // The press he means may still wait for the board: like any later input, the claim has it judged.
                follow::settle(draft, false);
            }
            act(draft, by, actor, note, |case| case.finding.kind.is_strike())
        }
        Claim::Flag => {
            let own = draft.game.face.hand(by);
            if own.flagged || own.left == Some(0) {
                return Err(Refusal::NothingToClaim);
            }
            act(draft, by, actor, note, |case| case.finding.kind == Irregularity::FlagSeen)
        }
        Claim::Draw => {
            let to_arbiter = through != Through::Clock;
            let found = draw_claim::found(draft.edition, draft.game, by, facts.next, to_arbiter, note);
            let scene = Scene { facts: facts.clone(), ..Scene::now(draft, by, draft.game.ply()) };
            case::open(draft, &found, scene);
            Ok(())
        }
        Claim::Resignation | Claim::Agreement if through == Through::Clock => Err(Refusal::NothingToClaim),
        Claim::Resignation => {
            let position = draft.game.position_is_known().then(|| draft.game.position.clone());
            resigned(draft, by, position.as_ref());
            Ok(())
        }
        Claim::Agreement => {
            case::end(draft, Outcome::Draw, Ending::Agreement, draft.edition.articles.agreement);
            Ok(())
        }
    }
}

/// What is open may have decided the game, or made it none, before a player resigned or both agreed: the position, a flag, or what it
/// was found for. What the arbiter could only decree (12.9) has decided nothing yet.
fn comes_first(draft: &Draft, finding: &Finding) -> bool {
    let (edition, game, face) = (draft.edition, &*draft.game, &draft.game.face);
    let decides = |way: &Remedy| way.cancel || way.outcome.is_some_and(|(_, ending)| ending != Ending::Penalty);
    let flagged = face.hands.iter().any(|hand| hand.flagged);
    flagged || laws::ended(edition, game).is_some() || laws::remedies(edition, game, finding, face).iter().any(decides)
}

/// Acts on the last case that the claimant was shown nothing of, against his opponent.
fn act(draft: &mut Draft, by: Colour, actor: &str, note: &str, about: impl Fn(&Case) -> bool) -> Result<(), Refusal> {
    let against = |case: &&Case| case.finding.by == by.other() && about(case) && can_be_claimed(draft.game, case);
    let case = draft.game.cases.iter().rev().find(against).ok_or(Refusal::NothingToClaim)?;
    if case.finding.kind.is_strike() && replying(draft.game, by) {
        // His reply is on the board: as with the same thing reported, the arbiter says whether it was made.
        let Finding { kind, by, ply, ref facts, .. } = case.finding;
        let facts = Facts { claimed: true, ..facts.clone() };
        return desk::irregularity(draft, (kind, by, Some(ply)), note, &facts);
    }
    let dismissed = case.ruling.as_ref().is_some_and(|ruling| ruling.remedy.key == DISMISS);
    // Between two results a claim does not choose, nor where the arbiter has not upheld what he was shown or put off what he says.
    let put_off = case.finding.kind == Irregularity::FlagSeen && quickplay_finish::put_off(draft.game);
    let asks = |ways: &[Remedy]| dismissed || put_off || case::in_doubt(ways);
    let proposed = case.proposal.as_ref().filter(|proposal| !asks(&proposal.remedies));
    let way = proposed.and_then(|proposal| proposal.remedies.first());
    let choice = way.map_or("", |way| way.key.as_str()).to_string();
    let number = match case.phase {
        CasePhase::Left => case::find_again(draft, case.finding.clone(), dismissed),
        _ => case.finding.case,
    };
    case::act_on(draft, number, &choice, actor, note);
    Ok(())
}

/// Nobody has acted on it, and the claim does not come too late. That the arbiter does not step in takes nothing from the opponent
/// (A.4.2 of 2018), and where a flag counts only on a claim it is not his to let be (A.4d of 2009).
pub(super) fn can_be_claimed(game: &Game, case: &Case) -> bool {
    let Finding { kind, by, ply, .. } = case.finding;
    match case.phase {
        CasePhase::Shown => true,
        CasePhase::Left if kind == Irregularity::FlagSeen => game.flags.contains(&by),
        CasePhase::Left => !unsupervised::answered(game, by, ply, case.finding.facts.reply),
        CasePhase::Stopping(_) | CasePhase::Proposed | CasePhase::Ruled => false,
    }
}

/// A player resigns. Where the edition says so the game is drawn if the opponent cannot mate (5.1.2 of 2023); in every edition a
/// dead position has ended it before. `None`: nobody has seen the position.
pub(super) fn resigned(draft: &mut Draft, by: Colour, position: Option<&Chess>) {
    let (game, winner) = (&*draft.game, by.other());
    let can_mate = match (draft.edition.resignation_exception, position) {
        (false, None) => Some(true),
        (true, None) => None,
        (true, Some(position)) => match mating::can_mate(game, position, winner) {
            None if !mating::asked(game, position, winner) => return ask(draft, by, position, winner),
            can_mate => can_mate,
        },
        (false, Some(position)) => match mating::dead(game, position) {
            Dead::Yes => {
                return case::end(draft, Outcome::Draw, Ending::DeadPosition, draft.edition.articles.dead_position);
            }
            Dead::No => Some(true),
            Dead::Ask(side) => return ask(draft, by, position, side),
            Dead::Unknown => None,
        },
    };
    case::resigned(draft, by, can_mate);
}

fn ask(draft: &mut Draft, by: Colour, position: &Chess, side: Colour) {
    draft.ask(fen(position), side, About::Resignation(by));
}
