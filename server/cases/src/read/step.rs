//! One thing that happened.

use flagfall_rules::{
    board::Scan,
    clock::Colour,
    game::{Claim, Facts, Irregularity},
};

use super::{keys::HAPPENED, names, value::Item, view::View};
use crate::{
    Error, control,
    facts::{Display, Step, What, Which},
};

pub(super) fn read(view: &View<'_>) -> Result<Step, Error> {
    let what = view.read("happened", names::happening)?;
    let what = what.ok_or_else(|| view.error("happened", "what happened is not said"))?;
    for key in HAPPENED.keys.iter().filter(|key| !means(what, key)) {
        if let Some(item) = view.own(key) {
            return Err(item.error("means nothing for what happened"));
        }
    }
    let by = view.read("by", Item::colour)?;
    let nobodys =
        matches!(what, What::Decide | What::Board | What::Move | What::BothFlags | What::Fault(_) | What::Restart);
    if by.is_none() && !nobodys {
        return Err(view.error("by", "whose it was is not said"));
    }
    let sheets = |item: &Item<'_>| {
        let pair = item.pair(Item::count)?;
        match (pair.white, pair.black) {
            (Some(white), Some(black)) => Ok([white, black]),
            _ => Err(item.error("both players' moves are needed")),
        }
    };
    let moves = view.read("sheets", sheets)?;
    let facts = Facts {
        claimed: view.read("claimed", Item::yes)?.unwrap_or(false),
        elapsed: view.read("elapsed", Item::time)?,
        ran: view.read("ran", Item::time)?,
        set_as: view.read("set_as", |item| control::parse(item.text()?).map_err(|why| item.error(why)))?,
        moves,
        reply: view.read("reply", names::irregularity)?,
        next: None,
    };
    if let Some(elapsed) = view.own("elapsed").filter(|_| view.own("set_as").is_some()) {
        return Err(elapsed.error("with set_as the time that has passed is not asked: one of the two"));
    }
    let through = view.read("through", |item| item.name(&[("arbiter", false), ("clock", true)]))?;
    let text = |key| Ok::<_, Error>(view.read(key, Item::text)?.map(str::to_owned));
    let step = Step {
        what,
        by: by.unwrap_or(Colour::White),
        mover: view.own("by").and(by),
        display: display(view)?,
        board: view.read("board", board)?,
        plays: text("plays")?,
        pressed: view.read("pressed", Item::yes)?.unwrap_or(true),
        ply: which(view)?,
        at_the_clock: through.unwrap_or(false),
        way: text("way")?.unwrap_or_default(),
        first_flag: view.read("first_flag", Item::colour)?,
        answered: view.read("answered", Item::yes)?.unwrap_or(true),
        facts,
        next: text("next")?,
        note: text("note")?.unwrap_or_default(),
    };
    let missing = match what {
        What::Board if step.board.is_none() => Some(("board", "what the board shows is not said")),
        What::Move if step.plays.is_none() => Some(("plays", "which move was made is not said")),
        What::Decide if step.way.is_empty() => Some(("way", "which way the arbiter chose is not said")),
        _ => None,
    };
    missing.map_or(Ok(step), |(key, why)| Err(view.error(key, why)))
}

/// Whether a key changes anything in what happened: one that does not is a slip of the pen, and is refused where it stands.
fn means(what: What, key: &str) -> bool {
    use Irregularity::{ClockSetting, Displaced, DisplacedFound, ForgottenPress};
    match (key, what) {
        ("by", what) => !matches!(what, What::Decide | What::Board | What::Fault(_) | What::Restart),
        ("board", what) => matches!(what, What::Reported(_) | What::Press | What::Board),
        ("plays" | "pressed", what) => what == What::Move,
        ("move" | "ply", what) => matches!(what, What::Reported(_)),
        ("through", what) => matches!(what, What::Claimed(_)),
        ("way", what) => what == What::Decide,
        ("first_flag", what) => matches!(what, What::Flag | What::BothFlags),
        ("next", what) => what == What::Claimed(Claim::Draw),
        ("elapsed" | "set_as" | "sheets", what) => what == What::Reported(ClockSetting),
        ("claimed", What::Reported(kind)) => kind.is_strike(),
        ("reply", What::Reported(kind)) => kind.is_strike() || kind == ForgottenPress,
        ("ran", What::Reported(kind)) => kind.is_strike() || matches!(kind, Displaced | DisplacedFound),
        ("claimed" | "reply" | "ran", _) => false,
        _ => true,
    }
}

fn display(view: &View<'_>) -> Result<Display, Error> {
    let period = |item: &Item<'_>| item.number(1, 8).map(|period| period as u8 - 1);
    Ok(Display {
        clocks: view.read("clocks", |item| item.pair(Item::time))?.unwrap_or_default(),
        counters: view.read("counters", |item| item.pair(Item::count))?.unwrap_or_default(),
        period: view.read("period", |item| item.pair(period))?.unwrap_or_default(),
    })
}

fn board(item: &Item<'_>) -> Result<Scan, Error> {
    let text = item.text()?;
    let scan = Scan::from_fen(text).filter(|scan| scan.census().is_ok());
    scan.ok_or_else(|| item.error(format!("{text:?} is no board of chessmen: the first part of a FEN")))
}

fn which(view: &View<'_>) -> Result<Option<Which>, Error> {
    let ply = view.read("ply", |item| item.number(1, 10_000))?;
    let number = view.read("move", |item| item.number(1, 10_000))?;
    match (ply, number) {
        (Some(_), Some(_)) => Err(view.error("ply", "ply and move both say which move it was: one is enough")),
        (Some(ply), None) => Ok(Some(Which::Ply(ply))),
        (None, number) => Ok(number.map(Which::Move)),
    }
}
