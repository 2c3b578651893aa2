//! What organisers did to an event and to its rounds.

use std::collections::{BTreeMap, BTreeSet};

use flagfall_pairings::Outcome;
use flagfall_proto::{
    desk::v1::{GetEventRequest, ReadActsRequest, StoredAct},
    journal::v1::{EventSettings, organiser_input::Act},
};

use super::Line;
use crate::{
    app::desk::{DeskError, Service, instant},
    event::game_name,
    journal::{
        codec::Numbered,
        dump::organiser::{note, said},
    },
};

/// The streams of an event: its own, and those of its rounds.
///
/// # Errors
/// The service refuses.
pub(super) async fn streams(service: &mut Service, event: &str) -> Result<Vec<Option<u32>>, DeskError> {
    let asked = GetEventRequest { event: event.to_owned() };
    let rounds = service.events.get_event(asked).await?.into_inner().rounds;
    Ok([None].into_iter().chain(rounds.into_iter().map(|round| Some(round.round))).collect())
}

/// Every act of one stream.
///
/// # Errors
/// The service refuses.
pub(super) async fn lines(service: &mut Service, event: &str, round: Option<u32>) -> Result<Vec<Line>, DeskError> {
    let (mut book, mut lines, mut from) = (Book::default(), Vec::new(), 1);
    loop {
        let asked = ReadActsRequest { event: event.to_owned(), round: round.unwrap_or(0), from, max: 0 };
        let acts = service.events.read_acts(asked).await?.into_inner().acts;
        let Some(last) = acts.last() else { return Ok(lines) };
        from = last.index + 1;
        lines.extend(acts.iter().filter_map(|stored| line(&mut book, event, round, stored)));
    }
}

fn line(book: &mut Book, event: &str, round: Option<u32>, stored: &StoredAct) -> Option<Line> {
    let input = stored.act.as_ref()?;
    let act = input.act.as_ref()?;
    let (board, before, after) = book.take(act);
    let game = board.zip(round).map_or_else(String::new, |(board, round)| game_name(event, round, board));
    let reason = if input.reason.is_empty() { note(act).to_owned() } else { input.reason.clone() };
    Some(Line {
        at: instant(input.wall_ms),
        event: event.to_owned(),
        round,
        game,
        entry: stored.index,
        actor: input.actor.clone(),
        what: said(act),
        reason,
        before,
        after,
        revisions: String::new(),
        request: input.request.clone(),
        wall_ms: input.wall_ms,
    })
}

/// How an event or a round stands before the next act.
#[derive(Default)]
struct Book {
    settings: String,
    players: BTreeSet<u32>,
    /// Clock and entered result of every board.
    boards: BTreeMap<u32, (String, String)>,
}

impl Book {
    /// Takes in an act: the board it is about where that is one, what was so before, what is so after.
    fn take(&mut self, act: &Act) -> (Option<u32>, String, String) {
        match act {
            Act::Create(settings) | Act::Revise(settings) => {
                let before = std::mem::replace(&mut self.settings, sets(settings));
                (None, before, self.settings.clone())
            }
            Act::Players(put) => {
                let before = self.players.len();
                self.players.extend(put.players.iter().map(|player| player.number));
                (None, format!("{before} players"), format!("{} players", self.players.len()))
            }
            Act::Pair(pair) => {
                let before = self.boards.len();
                let board = |pairing: &flagfall_proto::journal::v1::Pairing| {
                    (pairing.board, (pairing.device.clone(), String::new()))
                };
                self.boards = pair.boards.iter().map(board).collect();
                (None, format!("{before} boards"), format!("{} boards", self.boards.len()))
            }
            Act::Assign(to) => {
                let (device, _) = self.boards.entry(to.board).or_default();
                let before = std::mem::replace(device, to.device.clone());
                (Some(to.board), clock(&before), clock(&to.device))
            }
            Act::Result(entered) => {
                let now = Outcome::maybe("result", entered.result).ok().flatten().map_or("none", Outcome::text);
                let (_, result) = self.boards.entry(entered.board).or_default();
                let before = std::mem::replace(result, now.to_owned());
                let before = if before.is_empty() { "none".to_owned() } else { before };
                (Some(entered.board), before, now.to_owned())
            }
            Act::Prepare(of) => (None, String::new(), format!("boards {}", ranges(&of.boards))),
            Act::Start(of) => (None, String::new(), format!("boards {}", ranges(&of.boards))),
            Act::Close(_) => (None, "open".to_owned(), "closed".to_owned()),
        }
    }
}

fn clock(device: &str) -> String {
    if device.is_empty() { "no clock".to_owned() } else { device.to_owned() }
}

fn sets(settings: &EventSettings) -> String {
    let mut out = settings.preset.clone();
    if let Some(ms) = settings.default_time_ms {
        out.push_str(&format!(", default time {} min", ms / 60_000));
    }
    if settings.delay_plies > 0 || settings.delay_ms > 0 {
        out.push_str(&format!(
            ", broadcast {} plies and {} min behind",
            settings.delay_plies,
            settings.delay_ms / 60_000
        ));
    }
    out
}

/// Numbers as people write them: `1-4, 7`.
fn ranges(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &number in numbers.iter().collect::<BTreeSet<_>>() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use flagfall_proto::journal::v1::{BoardResult, ClockAssigned, Pairing, ResultEntered, RoundPaired};

    use super::*;

    #[test]
    fn an_act_has_what_was_so_before_and_after() {
        let mut book = Book::default();
        let pairing = |board, device: &str| Pairing { board, device: device.into(), ..Pairing::default() };
        let boards = vec![pairing(1, "clock-1"), pairing(2, "")];
        let said = |book: &mut Book, act: Act| book.take(&act);
        let text = |before: &str, after: &str, board| (board, before.to_owned(), after.to_owned());
        let paired = said(&mut book, Act::Pair(RoundPaired { boards, byes: Vec::new() }));
        assert_eq!(paired, text("0 boards", "2 boards", None));
        let assign = ClockAssigned { board: 2, device: "clock-9".into(), note: String::new() };
        assert_eq!(said(&mut book, Act::Assign(assign)), text("no clock", "clock-9", Some(2)));
        let result = |result: BoardResult| {
            Act::Result(ResultEntered { board: 1, result: result.into(), ..ResultEntered::default() })
        };
        assert_eq!(said(&mut book, result(BoardResult::WhiteWins)), text("none", "1-0", Some(1)));
        assert_eq!(said(&mut book, result(BoardResult::WhiteByForfeit)), text("1-0", "+/-", Some(1)));
        assert_eq!(said(&mut book, result(BoardResult::Unspecified)), text("+/-", "none", Some(1)));
    }

    #[test]
    fn numbers_in_a_row_are_a_range() {
        assert_eq!(ranges(&[7, 1, 2, 3, 9, 10]), "1-3, 7, 9-10");
        assert_eq!(ranges(&[]), "");
    }
}
