//! What is expected of the rules.

use flagfall_rules::game::Uci;
use shakmaty::fen::Fen;

use super::{keys::WAY, names, value::Item, view::View};
use crate::{
    Error,
    facts::{Expect, ExpectWay},
};

pub(super) fn read(view: &View<'_>) -> Result<Expect, Error> {
    Ok(Expect {
        kind: view.read("kind", names::kind)?,
        found: view.read("found", found)?,
        broken: view.read("broken", |item| Ok(item.text()?.to_owned()))?,
        alarm: view.read("alarm", names::alarm)?,
        annulled: view.read("annulled", Item::count)?,
        way: way(view)?,
        key: view.read("way", |item| Ok(item.text()?.to_owned()))?,
        alternatives: view.read("alternatives", alternatives)?,
    })
}

/// One irregularity, or all of them in the order in which they were found.
fn found(item: &Item<'_>) -> Result<Vec<flagfall_rules::game::Irregularity>, Error> {
    match item.is_text() {
        true => Ok(vec![names::irregularity(item)?]),
        false => item.array()?.iter().map(names::irregularity).collect(),
    }
}

fn alternatives(item: &Item<'_>) -> Result<Vec<(String, ExpectWay)>, Error> {
    let one = |item: &Item<'_>| {
        let view = item.view(&WAY)?;
        let key = view.read("way", Item::text)?.ok_or_else(|| view.error("way", "which way it is"))?;
        Ok((key.to_owned(), way(&view)?))
    };
    item.array()?.iter().map(one).collect()
}

fn way(view: &View<'_>) -> Result<ExpectWay, Error> {
    let counts = |item: &Item<'_>| item.pair(Item::count);
    Ok(ExpectWay {
        article: view.read("article", |item| Ok(item.text()?.to_owned()))?,
        clocks: view.read("clocks", |item| item.pair(Item::time))?.unwrap_or_default(),
        counters: view.read("counters", counts)?.unwrap_or_default(),
        period: view.read("period", |item| item.pair(|item| item.number(1, 8)))?.unwrap_or_default(),
        strikes: view.read("strikes", counts)?.unwrap_or_default(),
        turn: view.read("turn", Item::colour)?,
        position: view.read("position", position)?,
        place: view.read("place", place)?,
        result: view.read("result", names::result)?.flatten(),
        ending: view.read("ending", names::ending)?,
        new_game: view.read("new_game", Item::yes)?,
    })
}

/// A position, or the first parts of one: only what is stated is compared. `unknown`: nobody knows it.
fn position(item: &Item<'_>) -> Result<String, Error> {
    let text = item.text()?;
    if text == "unknown" {
        return Ok(text.to_owned());
    }
    let parts: Vec<&str> = text.split_whitespace().collect();
    let rest = ["w", "-", "-", "0", "1"].into_iter().skip(parts.len().saturating_sub(1));
    let whole: Vec<&str> = parts.iter().copied().chain(rest).collect();
    // A ruling may go back to men that are no position of chess.
    match Fen::from_ascii(whole.join(" ").as_bytes()) {
        Ok(_) if (1..=6).contains(&parts.len()) && parts[0].split('/').count() == 8 => Ok(parts.join(" ")),
        _ => Err(item.error(format!("{text:?} is no position in FEN"))),
    }
}

fn place(item: &Item<'_>) -> Result<Uci, Error> {
    let text = item.text()?;
    let uci = Uci::parse(text).filter(|uci| uci.as_str().parse::<shakmaty::uci::UciMove>().is_ok());
    uci.ok_or_else(|| item.error(format!("{text:?} is no move such as e7e8q")))
}
