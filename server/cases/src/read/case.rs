//! A case: its facts, what happened one thing after the other, and what is expected.

use flagfall_rules::{
    board::{
        fen::{self, Dropped},
        notation,
    },
    clock::Colour,
    game::{Overlay, Uci, state},
    laws::Play,
    time::MINUTE,
};
use shakmaty::{Chess, Position};

use super::{
    expect,
    keys::{EXPECT, HAPPENED, OVERLAY, PRESS},
    names, step,
    value::Item,
    view::View,
};
use crate::{
    Case, Error, control,
    facts::{Entry, Expect, Step, What},
    table::legal,
};

/// The most moves, presses or happenings of a case.
const MOST: usize = 1_000;

pub(super) fn read(view: &View<'_>) -> Result<Case, Error> {
    let title = view.read("title", Item::text)?.ok_or_else(|| view.error("title", "a case needs a title"))?;
    let edition = view.read("edition", names::edition)?;
    let edition = edition.ok_or_else(|| view.error("edition", "a case needs the edition it is played by"))?;
    let (position, dropped) =
        view.read("position", fen)?.map_or((None, Vec::new()), |(fen, dropped)| (Some(fen), dropped));
    let start = position.as_deref().and_then(state::position).unwrap_or_default();
    let (moves, now) = match view.get("moves") {
        Some(item) => line(&item, start)?,
        None => (Vec::new(), start),
    };
    let log = view.read("log", presses)?.unwrap_or_default();
    if !moves.is_empty() && log.len() > moves.len() {
        return Err(view.error("log", format!("{} presses are on record for {} moves", log.len(), moves.len())));
    }
    if let Some(number) = other_players(&log, moves.len(), now.turn().into()) {
        let what = format!("press {number} is not by the player who made its move");
        return Err(view.error("log", what));
    }
    let mut case = Case {
        title: title.to_owned(),
        file: view.source.name.to_owned(),
        line: view.line(),
        note: view.read("note", Item::text)?.map(str::to_owned),
        edition,
        play: play(view)?,
        control: view.read("control", |item| control::parse(item.text()?).map_err(|why| item.error(why)))?,
        position,
        dropped,
        moves,
        log,
        strikes: view.read("strikes", |item| item.pair(|item| item.number(0, 100)))?.unwrap_or_default(),
        overlay: view.table("overlay", &OVERLAY)?.map_or(Ok(Overlay::default()), |view| overlay(&view))?,
        steps: vec![step::read(view)?],
        expect: view.table("expect", &EXPECT)?.map_or(Ok(Expect::default()), |view| expect::read(&view))?,
    };
    let loses_at = case.overlay.loses_at.unwrap_or(edition.penalties.of(case.play).loses_at);
    if Colour::BOTH.iter().any(|&colour| case.strikes.of(colour) >= Some(loses_at)) {
        let what = format!("illegal move {loses_at} has ended the game already");
        return Err(view.error("strikes", what));
    }
    if let Some(then) = view.get("then") {
        for item in limited(&then)? {
            case.steps.push(step::read(&item.view(&HAPPENED)?)?);
        }
    }
    first_step(view, &case, now.turn().into())?;
    Ok(case)
}

/// Which of the presses on record, from 1, is not by the player who made its move: they belong to the last of the moves.
fn other_players(log: &[Entry], moves: usize, to_move: Colour) -> Option<usize> {
    let made_by = |index: usize| if (log.len() - index - 1).is_multiple_of(2) { to_move.other() } else { to_move };
    let wrong = log.iter().enumerate().find(|(index, entry)| moves > 0 && made_by(*index) != entry.by);
    wrong.map(|(index, _)| index + 1)
}

/// What the record says about the first thing that happened.
fn first_step(view: &View<'_>, case: &Case, to_move: Colour) -> Result<(), Error> {
    let Some(Step { what: What::Reported(kind), by, ply, board: None, .. }) = case.steps.first() else { return Ok(()) };
    if kind.is_strike() && ply.is_none() && !case.moves.is_empty() && to_move == *by {
        let what = "the offending move comes after the moves on record: say what the board showed with \
                    happened = \"press\" and board, or let position be what the moves lead to";
        return Err(view.error("moves", what));
    }
    if kind.is_strike() && case.moves.is_empty() && case.log.is_empty() && to_move != *by {
        let what = format!("it is {}'s move in the position, which is the one before what happened", to_move.name());
        return Err(view.error("by", what));
    }
    Ok(())
}

fn play(view: &View<'_>) -> Result<Play, Error> {
    let supervised = view.read("supervised", Item::yes)?.unwrap_or(true);
    let all = [("standard", Play::Standard), ("rapid", Play::Rapid), ("blitz", Play::Blitz)];
    let play = view.read("play", |item| item.name(&all))?.unwrap_or(Play::Standard);
    match (play, supervised) {
        (Play::Rapid, true) => Ok(Play::RapidSupervised),
        (Play::Blitz, true) => Ok(Play::BlitzSupervised),
        (Play::Standard, false) => Err(view.error("supervised", "standard play is always supervised")),
        (play, _) => Ok(play),
    }
}

/// A position, and the rights in it that its board does not allow.
fn fen(item: &Item<'_>) -> Result<(String, Vec<Dropped>), Error> {
    let text = item.text()?;
    match fen::read(text) {
        Ok((_, dropped)) if dropped.is_empty() => Ok((text.to_owned(), dropped)),
        Ok((position, dropped)) => Ok((state::fen(&position), dropped)),
        Err(why) => Err(item.error(format!("{text:?} is no legal position in FEN: {why}"))),
    }
}

/// Moves in a row, as one text or a list, with their numbers or without.
fn line(item: &Item<'_>, mut position: Chess) -> Result<(Vec<Uci>, Chess), Error> {
    let words: Vec<String> = match item.is_text() {
        true => item.text()?.split_whitespace().map(str::to_owned).collect(),
        false => limited(item)?.iter().map(|item| item.text().map(str::to_owned)).collect::<Result<_, _>>()?,
    };
    if words.len() > MOST {
        return Err(item.error(format!("more than {MOST} moves")));
    }
    let mut moves = Vec::new();
    for word in words {
        let number = format!("{}.", position.fullmoves());
        let bare = notation::numberless(&word);
        let stated = word.trim().strip_suffix(bare).unwrap_or_default().trim_end_matches(['.', '…', ' ']);
        let misnumbered = !stated.is_empty() && stated != position.fullmoves().to_string();
        if notation::is_remark(bare) && !misnumbered {
            continue;
        }
        let (uci, next) = legal(&position, bare).filter(|_| !misnumbered).ok_or_else(|| {
            let before = if position.turn().is_white() { number } else { format!("{number}..") };
            item.error(format!("{before} {word:?} is no legal move"))
        })?;
        moves.push(uci);
        position = next;
    }
    Ok((moves, position))
}

fn presses(item: &Item<'_>) -> Result<Vec<Entry>, Error> {
    let one = |item: Item<'_>| {
        let view = item.view(&PRESS)?;
        let by = view.read("by", Item::colour)?.ok_or_else(|| view.error("by", "whose press it was"))?;
        let (white, black) = (view.read("white", Item::time)?, view.read("black", Item::time)?);
        let (credit, used) = (view.read("credit", Item::time)?, view.read("used", Item::time)?);
        Ok(Entry { by, left: [white, black].into(), credit, used })
    };
    limited(item)?.into_iter().map(one).collect()
}

fn limited<'t>(item: &Item<'t>) -> Result<Vec<Item<'t>>, Error> {
    let list = item.array()?;
    if list.len() > MOST { Err(item.error(format!("more than {MOST} entries"))) } else { Ok(list) }
}

fn overlay(view: &View<'_>) -> Result<Overlay, Error> {
    let yes = |key| Ok(view.read(key, Item::yes)?.unwrap_or(false));
    let bonus = |item: &Item<'_>| match item.time()? {
        bonus if bonus > 600 * MINUTE => Err(item.error("more than ten hours")),
        bonus => Ok(bonus),
    };
    Ok(Overlay {
        bonus: view.read("bonus", bonus)?,
        loses_at: view.read("loses_at", |item| item.number(1, 100))?,
        keeps_increment: yes("keeps_increment")?,
        confirms: yes("confirms")?,
        quickplay_finish: yes("quickplay_finish")?,
        // Cases are of one session.
        default_time: None,
    })
}
