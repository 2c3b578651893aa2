//! A case: found, stopped, proposed or ruled at once, corrected by one directive.

use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use super::{
    adrift, claim,
    decide::Draft,
    ends,
    event::{About, Act, Alarm, Ending, Event, Outcome, Proposal, RejectReason, Remedy, Ruling, Stage, Words},
    input::Report,
    irregularity::{Evidence, Facts, Finding, Irregularity},
    meanwhile,
    sent::Sent,
    shown,
    state::{Case, CasePhase, HeldPress, position},
};
use crate::{
    board::Scan,
    clock::{Colour, Face},
    laws::{
        self, Found,
        articles::{
            flag_fall,
            mating::{self, Dead},
            quickplay_finish, unsupervised,
        },
    },
};

/// Who decided, when the Laws fix what follows.
pub(super) const LAWS: &str = "laws";

/// What an irregularity is found on.
#[derive(Clone)]
pub(super) struct Scene {
    pub(super) by: Colour,
    pub(super) ply: u32,
    pub(super) at_press: Option<Scan>,
    pub(super) settled: Option<Scan>,
    pub(super) face: Face,
    /// The position before, FEN.
    pub(super) before: String,
    /// What people stated.
    pub(super) facts: Facts,
}

impl Scene {
    /// As things stand now, with nothing seen but the board.
    pub(super) fn now(draft: &Draft, by: Colour, ply: u32) -> Scene {
        let game = &draft.game;
        let (settled, face, before) = (game.scan, game.face, game.fen());
        Scene { by, ply, at_press: None, settled, face, before, facts: Facts::default() }
    }

    /// As the clock was at a press that waited, and on the board that tells what it was.
    pub(super) fn at(draft: &Draft, press: &HeldPress, board: Scan) -> Scene {
        let (at_press, settled, face) = (press.scan, Some(board), press.face);
        Scene { at_press, settled, face, ..Scene::now(draft, press.by, draft.game.ply()) }
    }
}

/// An irregularity: opens a case and stops the clock. The correction is computed from the face in the report of that stop.
pub(super) fn open(draft: &mut Draft, found: &Found, scene: Scene) {
    find(draft, found, scene);
    draft.issue(Act::Stop, 0, found.kind.words().into());
}

/// An irregularity that the arbiter alone is shown; the clock runs on, and whoever may act on it can.
pub(super) fn show(draft: &mut Draft, found: &Found, scene: Scene) {
    let case = find(draft, found, scene);
    let remedies = remedies(draft, case, &draft.game.face);
    draft.emit(Event::Proposed(Proposal { case, remedies, running: true }));
}

/// Supervised play is stopped for it; otherwise the arbiter alone is shown it. True if play goes on.
pub(super) fn raise(draft: &mut Draft, found: &Found, scene: Scene) -> bool {
    let goes_on = draft.edition.unsupervised(draft.game.setup.play).is_some();
    match goes_on {
        true => show(draft, found, scene),
        false => open(draft, found, scene),
    }
    goes_on
}

/// What is only recorded: it stops nothing and nobody has to decide it.
pub(super) fn note(draft: &mut Draft, found: &Found, scene: Scene) {
    let face = scene.face;
    let case = find(draft, found, scene);
    // `remedies` gives at least one, the one the Laws ask for first.
    if let Some(remedy) = remedies(draft, case, &face).into_iter().next() {
        rule(draft, case, remedy, (LAWS, ""), face, false);
    }
}

/// It came to light after the end: the result stands, and what was seen is on record (reversed colours as they were played).
pub(super) fn record(draft: &mut Draft, found: &Found, scene: Scene) {
    let face = scene.face;
    let remedy = laws::result_stands(draft.game, found.article);
    let case = find(draft, found, scene);
    rule(draft, case, remedy, (LAWS, ""), face, false);
}

/// Somebody who may acts on a case that was only shown: the clock is stopped now, and the way out is computed from there.
pub(super) fn act_on(draft: &mut Draft, case: u32, choice: &str, actor: &str, note: &str) {
    let words = draft.game.cases[case as usize - 1].finding.kind.words();
    let (choice, actor, note) = (choice.to_string(), actor.to_string(), note.to_string());
    draft.emit(Event::Chosen { case, choice, actor, note });
    draft.issue(Act::Stop, 0, words.into());
}

/// A player has made a move: where no arbiter watches, what his opponent did wrong before it stands from now on.
pub(super) fn shut(draft: &mut Draft, mover: Colour) {
    let shut: Vec<(u32, Remedy)> = unsupervised::shut(draft.edition, draft.game, mover).collect();
    for (case, remedy) in shut {
        let face = draft.game.face;
        rule(draft, case, remedy, (LAWS, ""), face, false);
    }
}

fn find(draft: &mut Draft, found: &Found, scene: Scene) -> u32 {
    let finding = finding(draft, found, scene);
    let case = finding.case;
    draft.emit(Event::Found(Box::new(finding)));
    case
}

/// What was found, as it would be on record.
pub(super) fn finding(draft: &Draft, found: &Found, scene: Scene) -> Finding {
    let case = draft.game.cases.len() as u32 + 1;
    let Scene { by, ply, at_press, settled, face, before, facts } = scene;
    let evidence = Evidence { before, at_press, settled, face, seen: found.seen.clone() };
    let (kind, article, fixed) = (found.kind, found.article.to_string(), found.fixed);
    Finding { case, kind, by, ply, article, fixed, evidence, facts }
}

/// What the arbiter left alone is claimed: a case of its own, since that one is decided. Where he had not upheld it, he is asked.
pub(super) fn find_again(draft: &mut Draft, left: Finding, dismissed: bool) -> u32 {
    let case = draft.game.cases.len() as u32 + 1;
    let (fixed, facts) = (left.fixed && !dismissed, Facts { claimed: true, ..left.facts });
    draft.emit(Event::Found(Box::new(Finding { case, fixed, facts, ..left })));
    case
}

/// A clock's report on a directive.
pub(super) fn report(draft: &mut Draft, report: &Report, after: Option<Face>) {
    let Some(sent) = sent(draft, report.rev) else {
        return draft
            .alarm(Alarm::Directive, alloc::format!("the clock reports on an unknown revision {}", report.rev));
    };
    // That it was received is no final word: what is unknown stays so until there is one, for nobody waits for it any more.
    let late = (sent.stage, report.stage) == (Stage::Unknown, Stage::Received);
    let same = (sent.stage, sent.reason) == (report.stage, report.reason);
    // What the clock of before was told is no business of the one that has come in its place.
    let former = report.rev <= draft.game.left_rev;
    if sent.is_final() || same || late || former {
        return;
    }
    let (rev, stage, reason, before) = (report.rev, report.stage, report.reason, report.before);
    draft.emit(Event::Staged { rev, stage, reason, before, after });
    let said = match (stage, reason) {
        // What replaced it is on its way, or was carried out: nothing is amiss.
        (Stage::Rejected, Some(RejectReason::Superseded)) => None,
        (Stage::Rejected, reason) => {
            let why = reason.map(|reason| alloc::format!(": {}", reason.words().en)).unwrap_or_default();
            Some(alloc::format!("the clock refused directive {rev}{why}"))
        }
        (Stage::Unknown, _) => {
            Some(alloc::format!("nobody knows whether directive {rev} is on the clock: read it and set it"))
        }
        _ => None,
    };
    if let Some(said) = said {
        draft.alarm(Alarm::Directive, said);
    }
    if !matches!(stage, Stage::Sent | Stage::Received) {
        stopped(draft, rev, after);
    }
}

/// The service's patience with a directive ran out: it may have been carried out, nobody knows.
pub(super) fn overdue(draft: &mut Draft, rev: u64) {
    let Some(sent) = sent(draft, rev) else { return };
    if !matches!(sent.stage, Stage::Sent | Stage::Received) {
        return;
    }
    draft.emit(Event::Staged { rev, stage: Stage::Unknown, reason: None, before: None, after: None });
    draft.alarm(Alarm::Directive, alloc::format!("no word of directive {rev}: it may or may not be on the clock"));
}

/// A question was answered: what waited for it goes on. Without an answer the arbiter chooses between both results.
pub(super) fn answered(draft: &mut Draft, number: u32, can_mate: Option<bool>) {
    let Some(question) = draft.game.unanswered().find(|question| question.number == number).cloned() else { return };
    draft.emit(Event::Answered(number, can_mate));
    if draft.game.ended.is_some() {
        return;
    }
    match question.about {
        About::Case(case) => way_out(draft, case, draft.game.face),
        About::Resignation(loser) => claim::resigned(draft, loser, position(&question.position).as_ref()),
        About::Flag(loser) => flag_fell(draft, loser, can_mate),
    }
}

/// A player resigned; `None`: it is not known whether the opponent can mate.
pub(super) fn resigned(draft: &mut Draft, loser: Colour, can_mate: Option<bool>) {
    let article = draft.edition.articles.resignation;
    match can_mate {
        Some(can_mate) => end(draft, flag_fall::outcome(loser.other(), can_mate), Ending::Resignation, article),
        None => in_question(draft, loser, Irregularity::ResignationInDoubt),
    }
}

/// A flag fell and counts; `None`: it is not known whether the opponent can mate. Nobody loses by it before the moves are counted.
pub(super) fn flag_fell(draft: &mut Draft, loser: Colour, can_mate: Option<bool>) {
    let article = flag_fall::article(draft.edition, draft.game);
    match can_mate {
        Some(_) if flag_is_asked(draft, loser) => flag_asked(draft, loser),
        Some(can_mate) => end(draft, flag_fall::outcome(loser.other(), can_mate), Ending::Flag, article),
        None => in_question(draft, loser, Irregularity::FlagInDoubt),
    }
}

/// Whatever the mating question gives, the arbiter says whether this flag counts: the event has it so, the moves are to be counted, or he
/// put off his decision on a draw.
pub(super) fn flag_is_asked(draft: &Draft, loser: Colour) -> bool {
    let put_off = quickplay_finish::put_off(draft.game);
    draft.game.setup.overlay.confirms || flag_fall::uncounted(draft.game, loser) || put_off
}

/// The clock is stopped for it, and the arbiter says.
pub(super) fn flag_asked(draft: &mut Draft, loser: Colour) {
    let scene = Scene::now(draft, loser, draft.game.ply());
    open(draft, &laws::flag(draft.edition, draft.game, loser), scene);
}

/// A game that is lost unless the opponent cannot mate, and nobody could determine that: both results are proposed.
fn in_question(draft: &mut Draft, loser: Colour, doubt: Irregularity) {
    let scene = Scene::now(draft, loser, draft.game.ply());
    open(draft, &laws::in_doubt(draft.edition, draft.game, doubt, loser), scene);
}

fn sent<'d>(draft: &'d Draft<'_>, rev: u64) -> Option<&'d Sent> {
    usize::try_from(rev).ok()?.checked_sub(1).and_then(|index| draft.game.directives.get(index))
}

/// The clock has stopped, or said that it cannot: now the ways out can be computed.
pub(super) fn stopped(draft: &mut Draft, rev: u64, face: Option<Face>) {
    let waiting = draft.game.cases.iter().find(|case| case.phase == CasePhase::Stopping(rev));
    let Some(case) = waiting.map(|case| case.finding.case) else { return };
    way_out(draft, case, face.unwrap_or(draft.game.face));
}

/// Two results, and nobody knows yet which the Laws ask for.
pub(super) fn in_doubt(remedies: &[Remedy]) -> bool {
    matches!(remedies, [one, other, ..] if one.key == "lost" && other.key == "drawn")
}

/// What the Laws fix is ruled, the rest proposed. Two results in question are first asked about, then proposed both.
fn way_out(draft: &mut Draft, case: u32, face: Face) {
    let Finding { fixed, by, kind, .. } = draft.game.cases[case as usize - 1].finding;
    let confirms = draft.game.setup.overlay.confirms;
    if let Some(ended) = laws::ended(draft.edition, draft.game) {
        return match confirms {
            true => propose(draft, case, vec![ended]),
            false => rule(draft, case, ended, (LAWS, ""), face, true),
        };
    }
    let mut remedies = remedies(draft, case, &face);
    let chosen = draft.game.cases[case as usize - 1].chosen.clone();
    let (choice, actor, note) = chosen.unwrap_or_else(|| (String::new(), LAWS.to_string(), String::new()));
    let index = remedies.iter().position(|remedy| remedy.key == choice);
    let doubt = in_doubt(&remedies);
    if !doubt
        && remedies.get(index.unwrap_or(0)).is_some_and(|remedy| laws::needs_life(draft.game, kind, remedy))
        && let Dead::Ask(side) = mating::dead(draft.game, &draft.game.position)
    {
        return draft.ask(draft.game.fen(), side, About::Case(case));
    }
    if let Some(index) = index {
        return rule(draft, case, remedies.swap_remove(index), (&actor, &note), face, true);
    }
    let asked = draft.game.questions.iter().any(|(question, _)| question.about == About::Case(case));
    if doubt
        && !asked
        && let Some((position, side)) = open_question(draft, kind, by, &remedies)
    {
        return draft.ask(position, side, About::Case(case));
    }
    match remedies.first().cloned() {
        // More than one way out leaves a choice, whatever the Laws fix of it.
        Some(remedy) if fixed && !confirms && !doubt && remedies.len() == 1 => {
            rule(draft, case, remedy, (&actor, &note), face, true)
        }
        _ => propose(draft, case, remedies),
    }
}

/// Play goes on though a case waits for the desk: its ways out are those of the game as it stands by now.
pub(super) fn draw_up_anew(draft: &mut Draft) {
    let proposed = draft.game.open_case().filter(|case| case.phase == CasePhase::Proposed);
    let Some(case) = proposed.map(|case| case.finding.case) else { return };
    if laws::ended(draft.edition, draft.game).is_none() {
        let remedies = remedies(draft, case, &draft.game.face);
        propose(draft, case, remedies);
    }
}

/// Which of two results it is depends on whether this side can still mate from this position.
fn open_question(draft: &Draft, kind: Irregularity, by: Colour, ways: &[Remedy]) -> Option<(String, Colour)> {
    match kind {
        // It was asked before.
        Irregularity::FlagInDoubt | Irregularity::ResignationInDoubt => None,
        Irregularity::FlagSeen => match flag_fall::judge(draft.game, by) {
            flag_fall::Verdict::Doubt(winner) => Some((draft.game.fen(), winner)),
            _ => None,
        },
        // Of men that are no position of chess nobody can say it.
        _ => ways.first()?.position.clone().filter(|text| position(text).is_some()).map(|text| (text, by.other())),
    }
}

fn propose(draft: &mut Draft, case: u32, remedies: Vec<Remedy>) {
    draft.emit(Event::Proposed(Proposal { case, remedies, running: false }));
}

fn remedies(draft: &Draft, case: u32, face: &Face) -> Vec<Remedy> {
    laws::remedies(draft.edition, draft.game, &draft.game.cases[case as usize - 1].finding, face)
}

/// Decides a case; `correct` sends the correction to the clock.
pub(super) fn rule(
    draft: &mut Draft,
    case: u32,
    mut remedy: Remedy,
    (actor, note): (&str, &str),
    before: Face,
    correct: bool,
) {
    if correct {
        laws::keep_flags_up(draft.game, &draft.game.cases[case as usize - 1].finding, &before, &mut remedy);
    }
    let (actor, note) = (actor.to_string(), note.to_string());
    let ruling = Ruling { case, remedy: remedy.clone(), actor, note, before };
    let back = draft.game.takes_back(&ruling);
    let Case { finding, press, .. } = &draft.game.cases[case as usize - 1];
    let stands = !back && remedy.position.is_none() && remedy.place.is_none() && draft.game.stopped_at_press(finding);
    let found_at_press = stands && finding.evidence.at_press.is_some();
    let completed = press.filter(|_| found_at_press).map(|press| (finding.clone(), press));
    draft.emit(Event::Ruled(Box::new(ruling)));
    if let Some((finding, press)) = completed {
        adrift::stands(draft, &finding, &press);
    }
    shown::ruled(draft, case, &remedy, before);
    if let Some((outcome, ending)) = remedy.outcome {
        return end(draft, outcome, ending, &remedy.article);
    }
    if remedy.place.is_some() {
        ends::judge(draft);
    }
    if correct && !back {
        meanwhile::catch_up(draft);
        if draft.game.stands_as_played() {
            ends::stands(draft);
        }
    }
    if correct && draft.game.ended.is_none() {
        let hands = remedy.hands.unwrap_or(before.hands);
        // Where nothing goes back the board is right with what was pressed meanwhile.
        let position = remedy.position.map(|position| if back { position } else { draft.game.fen() });
        let turn = remedy.turn;
        let white_place = draft.game.setup.white_place;
        // A move completed since the face was read overtakes the correction: the clock refuses it and the desk is told.
        let as_of = draft.game.seq;
        draft.issue(Act::Set { hands, turn, run: false, white_place, position }, as_of, remedy.words);
        meanwhile::judge_rest(draft);
    }
}

/// Ends the game and tells the clock. Idempotent: the first end stands, and what is still open changes nothing but the record.
pub(super) fn end(draft: &mut Draft, outcome: Outcome, ending: Ending, article: &str) {
    if draft.game.ended.is_some() {
        return;
    }
    conclude(draft, outcome, ending, article);
    while let Some(open) = draft.game.open_case().map(|case| case.finding.case) {
        let (remedy, face) = (laws::result_stands(draft.game, article), draft.game.face);
        rule(draft, open, remedy, (LAWS, ""), face, false);
    }
}

/// The game has this result from now on.
pub(super) fn conclude(draft: &mut Draft, outcome: Outcome, ending: Ending, article: &str) {
    draft.emit(Event::Ended { outcome, ending, article: article.to_string() });
    draft.issue(Act::Conclude(outcome), 0, result_words(outcome, ending));
}

fn result_words(outcome: Outcome, ending: Ending) -> Words {
    let (en, ru) = match ending {
        Ending::Checkmate => ("Checkmate", "Мат"),
        Ending::Stalemate => ("Stalemate", "Пат"),
        Ending::DeadPosition => ("Dead position", "Мёртвая позиция"),
        Ending::Fivefold => ("Fivefold repetition", "Пятикратное повторение"),
        Ending::SeventyFive => ("75 moves", "75 ходов"),
        Ending::Flag => ("Flag", "Флаг"),
        Ending::Illegal => ("Illegal moves", "Невозможные ходы"),
        Ending::Kings | Ending::Desk => ("Result", "Результат"),
        Ending::Resignation => ("Resignation", "Сдача"),
        Ending::Agreement => ("Draw agreed", "Ничья по соглашению"),
        Ending::Repetition => ("Threefold repetition", "Троекратное повторение"),
        Ending::FiftyMoves => ("50 moves", "50 ходов"),
        Ending::IllegalPosition => ("Illegal position", "Невозможная позиция"),
        Ending::Penalty => ("Arbiter's decision", "Решение арбитра"),
        Ending::Adjournment => ("Adjourned game", "Отложенная партия"),
        Ending::NormalMeans => ("Draw declared", "Присуждена ничья"),
    };
    Words { en: alloc::format!("{en}: {}", outcome.pgn()), ru: alloc::format!("{ru}: {}", outcome.pgn()) }
}
