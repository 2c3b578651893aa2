//! Acts at the desk. Each request acts once: its id is admitted together with what it did.

use alloc::{boxed::Box, vec::Vec};

use super::{
    adjourned, by_hand,
    case::{self, Scene},
    claim::{self, Through},
    decide::Draft,
    ends,
    event::{Act, Event, Remedy},
    input::{DeskAct, DeskInput},
    irregularity::{Facts, Irregularity},
    moved,
    reading::reply,
    refusal::{Amount, Refusal},
    setup::Setup,
    state::{Case, CasePhase, Game, position},
};
use crate::{
    clock::{Colour, control::MOVES_MAX},
    laws::{
        self,
        articles::{on_record, unsupervised},
        edition::FlagCall,
        words,
    },
};

/// The choice that every case has: the arbiter does not uphold what was found, and play goes on as it stands.
pub(super) const DISMISS: &str = "dismiss";

/// The most that can be given by hand: ten hours.
pub(super) const MOST: i64 = 36_000_000;

pub(super) fn decide(draft: &mut Draft, input: &DeskInput) -> Result<(), Refusal> {
    if draft.game.admitted.contains(&input.request) {
        return Ok(());
    }
    if !draft.game.opened && !matches!(input.act, DeskAct::Open(_)) {
        return Err(Refusal::NotOpen);
    }
    use DeskAct::{Adjourn, Annul, Decide, Irregularity};
    let rules = matches!(input.act, Irregularity { .. } | Decide { .. } | Adjourn { .. } | Annul);
    if rules && draft.game.result_waits() {
        return Err(Refusal::ResultWaits);
    }
    match &input.act {
        DeskAct::Open(setup) => open(draft, setup)?,
        DeskAct::Irregularity { kind, by, ply, note, facts } => {
            irregularity(draft, (*kind, *by, *ply), note, facts)?;
        }
        DeskAct::Claim { by, claim, note, facts } => match adjourned::given_up(draft.game, *by, *claim) {
            Some(deed) => adjourned::adjourn(draft, &deed, input.wall_ms)?,
            None => claim::claim(draft, *by, *claim, Through::Arbiter(&input.actor), facts, note)?,
        },
        DeskAct::Decide { case, choice, note } => choose(draft, *case, choice, &input.actor, note)?,
        DeskAct::Direct(act, given, terms) => by_hand::direct(draft, act, given, *terms)?,
        DeskAct::Adjourn { deed, .. } => adjourned::adjourn(draft, deed, input.wall_ms)?,
        DeskAct::Heed(through) => heed(draft, *through)?,
        DeskAct::Annul => annul(draft)?,
        DeskAct::Move { device, .. } => moved::go_on(draft, device)?,
    }
    draft.emit(Event::Admitted(input.request.clone()));
    Ok(())
}

fn open(draft: &mut Draft, setup: &Setup) -> Result<(), Refusal> {
    if draft.game.opened {
        return Err(Refusal::AlreadyOpen);
    }
    if draft.edition.id != setup.edition {
        return Err(Refusal::UnknownEdition(setup.edition.clone()));
    }
    if let Some(text) = setup.position.as_ref().filter(|text| position(text).is_none()) {
        return Err(Refusal::BadPosition(text.clone()));
    }
    if let Some(bonus) = setup.overlay.bonus.filter(|bonus| !(0..=MOST).contains(bonus)) {
        return Err(Refusal::BadAmount(Amount::Span(bonus)));
    }
    if let Some(late) = setup.overlay.default_time.filter(|late| !(0..=MOST).contains(late)) {
        return Err(Refusal::BadAmount(Amount::Span(late)));
    }
    if setup.overlay.loses_at == Some(0) {
        return Err(Refusal::BadAmount(Amount::Strikes(0)));
    }
    draft.emit(Event::Opened(Box::new(setup.clone())));
    let (control, white_place, position) = (setup.control.clone(), setup.white_place, draft.game.fen());
    let ready = words("Ready", "Готово");
    draft.issue(Act::Prepare { control, white_place, position, stands: None }, 0, ready);
    Ok(())
}

/// A person saw it. In supervised play it stops the clock; without supervision it depends on who may act; after the end it is only
/// put on record.
pub(super) fn irregularity(
    draft: &mut Draft,
    (kind, by, ply): (Irregularity, Colour, Option<u32>),
    note: &str,
    facts: &Facts,
) -> Result<(), Refusal> {
    let game = &draft.game;
    between_sessions(game)?;
    if let Some(moves) = facts.moves.into_iter().flatten().find(|&moves| moves > MOVES_MAX) {
        return Err(Refusal::BadAmount(Amount::Moves(moves)));
    }
    if let Some(time) = [facts.elapsed, facts.ran].into_iter().flatten().find(|time| !(0..=MOST).contains(time)) {
        return Err(Refusal::BadAmount(Amount::Span(time)));
    }
    if let Some(open) = game.open_case() {
        return Err(Refusal::CaseOpen(open.finding.case));
    }
    // What the edition does not know is neither reported nor stated: nobody is punished for it.
    let play = game.setup.play;
    if [Some(kind), facts.reply].into_iter().flatten().any(|kind| draft.edition.article(kind, play).is_empty()) {
        return Err(Refusal::NotIrregular(draft.edition.id));
    }
    if let Some(reply) = facts.reply.filter(|reply| !reply.can_be_a_reply()) {
        return Err(Refusal::NoReply(reply.name()));
    }
    // A piece is touched, a man knocked over, before anything was pressed (4.3).
    let being_made = game.pressed() + 1;
    let makes = game.to_move() == by && !kind.is_strike();
    let is_his = |ply: &u32| game.press_at(*ply).is_some_and(|press| press.by == by);
    let held = game.held.iter().rposition(|press| press.by == by).map(|index| game.ply() + index as u32);
    let ply = match ply {
        // The move just pressed is meant, though the board has not settled yet.
        None if held.is_some() => held.unwrap_or(1),
        // Nobody says since when: then since the last move on record, and nothing is taken back.
        None if kind == Irregularity::DisplacedFound => game.ply(),
        None if kind == Irregularity::TouchMove && makes && game.ended.is_none() => being_made,
        None => {
            let last = (1..=game.known()).rev().find(is_his);
            // What counts as a move must have been pressed, and once it was punished it is gone: one action is one strike.
            let punished = |case: &Case| {
                let strikes = case.ruling.as_ref().map_or(0, |ruling| ruling.remedy.strikes[by.index()]);
                strikes > 0 && last.is_none_or(|last| last < case.finding.ply)
            };
            let live = kind.is_strike() && game.ended.is_none();
            if live && (last.is_none() || game.cases.iter().any(punished)) {
                return Err(Refusal::NotPressed);
            }
            last.unwrap_or(1)
        }
        Some(ply) if is_his(&ply) || (makes && ply == being_made) => ply,
        Some(ply) => return Err(Refusal::NoSuchPly(ply)),
    };
    if on_record::no_such_pawn(game, kind, by, ply) {
        return Err(Refusal::NoSuchPawn);
    }
    // What stands on the board came before the report, which may even be of what came after the end.
    if game.ended.is_none() {
        ends::stands(draft);
    }
    let game = &draft.game;
    let found = laws::reported(draft.edition, game, (kind, by, ply), facts, note);
    let before = game.fen_after(ply.saturating_sub(1) as usize).unwrap_or_else(|| game.fen());
    // Where a reply shuts the window, one that was taken back was made all the same: the arbiter sees the board with it.
    let shuts = kind.is_strike() && draft.edition.unsupervised(game.setup.play).is_some();
    let settled = reply(game, by.other()).filter(|_| shuts).or(game.scan);
    let scene = Scene { before, settled, facts: facts.clone(), ..Scene::now(draft, by, ply) };
    if game.ended.is_some() {
        case::record(draft, &found, scene);
    } else if kind.is_strike() && !facts.claimed && !unsupervised::arbiter_may_act(draft.edition, game) {
        case::show(draft, &found, scene);
    } else {
        case::open(draft, &found, scene);
    }
    Ok(())
}

/// Somebody went and looked. Also after the end: what was only recorded is looked at too.
fn heed(draft: &mut Draft, through: u32) -> Result<(), Refusal> {
    let alarms = draft.game.alarms.len();
    if !(1..=alarms).contains(&(through as usize)) {
        return Err(Refusal::BadAmount(Amount::Alarm(through, alarms)));
    }
    draft.emit(Event::Heeded(through));
    Ok(())
}

/// A new game on the same board; a case that is open is decided first.
fn annul(draft: &mut Draft) -> Result<(), Refusal> {
    if draft.game.ended.is_some() {
        return Err(Refusal::GameOver);
    }
    between_sessions(draft.game)?;
    if let Some(open) = draft.game.open_case() {
        return Err(Refusal::CaseOpen(open.finding.case));
    }
    adjourned::annul(draft);
    Ok(())
}

fn choose(draft: &mut Draft, number: u32, choice: &str, actor: &str, note: &str) -> Result<(), Refusal> {
    between_sessions(draft.game)?;
    let index = (number as usize).checked_sub(1);
    let case = index.and_then(|index| draft.game.cases.get(index)).ok_or(Refusal::NoSuchCase(number))?;
    if let Some(ruling) = &case.ruling {
        return Err(Refusal::AlreadyDecided(number, ruling.actor.clone()));
    }
    if draft.game.ended.is_some() {
        return Err(Refusal::GameOver);
    }
    let (CasePhase::Proposed | CasePhase::Shown, Some(proposal)) = (case.phase, &case.proposal) else {
        return Err(Refusal::NotDecidable(number));
    };
    let offered = proposal.remedies.iter().find(|remedy| remedy.key == choice).cloned();
    let dismissed = || (choice == DISMISS).then(|| laws::dismissed(draft.game, &case.finding));
    let Some(remedy) = offered.or_else(dismissed) else {
        let keys: Vec<&str> = proposal.remedies.iter().map(|remedy| remedy.key.as_str()).collect();
        return Err(Refusal::NoSuchChoice(number, keys.join(", ")));
    };
    if case.phase == CasePhase::Proposed {
        if ends::stands(draft) {
            return Ok(());
        }
        let face = draft.game.face;
        case::rule(draft, number, remedy, (actor, note), face, true);
        return Ok(());
    }
    if !acts(&remedy) {
        let face = draft.game.face;
        case::rule(draft, number, remedy, (actor, note), face, false);
        return Ok(());
    }
    if let Some(article) = only_by_claim(draft, case.finding.kind) {
        return Err(Refusal::OnlyByClaim(article));
    }
    if let Some(open) = draft.game.open_case() {
        return Err(Refusal::CaseOpen(open.finding.case));
    }
    case::act_on(draft, number, choice, actor, note);
    Ok(())
}

/// It changes something at the board, so that the clock must be stopped for it.
fn acts(remedy: &Remedy) -> bool {
    remedy.hands.is_some() || remedy.position.is_some() || remedy.outcome.is_some() || remedy.cancel
}

/// The article that leaves such a case to the opponent alone, if one does.
fn only_by_claim(draft: &Draft, kind: Irregularity) -> Option<&'static str> {
    let rules = draft.edition.unsupervised(draft.game.setup.play)?;
    if kind.is_strike() && !unsupervised::arbiter_may_act(draft.edition, draft.game) {
        return Some(rules.articles.illegal_move);
    }
    (kind == Irregularity::FlagSeen && rules.flag == FlagCall::Claim).then_some(rules.articles.flag)
}

/// Between the sealing and the resumption the times are those of the envelope, and what is open waits.
pub(super) fn between_sessions(game: &Game) -> Result<(), Refusal> {
    if adjourned::is_followed(game) { Ok(()) } else { Err(Refusal::Adjourned) }
}
