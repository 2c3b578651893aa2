//! Pairing a round, and which clock a board has. A pairing that is refused has changed nothing: the players that come with it are entered
//! once everything was looked at.

use std::collections::BTreeSet;

use flagfall_pairings::{Bye, NUMBER_MAX, Player};
use flagfall_proto::desk::v1::GameSnapshot;

use super::{
    act::{Act, Seat},
    book::Opened,
    decide, game_name,
    organiser::{NO_CLOCK, Organiser, Place, Who},
    state::Tournament,
    view,
};
use crate::wire::{Refused, Unfit};

/// The most boards of a round.
const BOARDS: usize = 1_000;

/// The most players that come with a pairing: those of every board.
const PLAYERS: usize = 2 * BOARDS;

/// A pairing as it is asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairing {
    pub(super) seats: Vec<Seat>,
    pub(super) byes: Vec<Bye>,
    /// Players that it brings.
    pub(super) players: Vec<Player>,
}

/// A board whose game is open.
#[derive(Clone, Debug)]
struct Open {
    board: u32,
    /// The clock it is on.
    device: String,
    /// Its clock was started, or it is over.
    begun: bool,
}

impl Open {
    fn of(board: u32, game: GameSnapshot) -> Open {
        let begun = view::is_started(&game) || game.ended.is_some();
        Open { board, device: game.setup.map(|setup| setup.device).unwrap_or_default(), begun }
    }
}

impl Organiser {
    /// Pairs a round, and says how many players were entered with it: those who are new, or written otherwise. A seat without a device
    /// gets the clock of its open game, else of its number.
    pub(super) async fn pair(&self, who: Who, place: &Place, mut pairing: Pairing) -> Result<u32, Refused> {
        decide::round_number(place.round)?;
        if self.is_done(&who, place)? {
            return Ok(0);
        }
        let template = self.with(&place.event, |t| Ok(t.settings.clocks.clone()))?;
        let mut open = Vec::new();
        for seat in &self.seats(place).unwrap_or_default() {
            open.extend(self.game(place, seat.board).await?.map(|game| Open::of(seat.board, game)));
        }
        for seat in &mut pairing.seats {
            seat.device = match seat.device.take() {
                Some(device) if device == NO_CLOCK => None,
                Some(device) => Some(self.listed(device)?),
                None => match open.iter().find(|open| open.board == seat.board) {
                    Some(open) => Some(open.device.clone()),
                    None => self.numbered(&template, seat.board)?,
                },
            };
        }
        self.with(&place.event, |t| fits(t, place.round, &pairing, &open))?;
        let Pairing { seats, byes, mut players } = pairing;
        self.with(&place.event, |t| {
            players.retain(|player| t.players.get(&player.number) != Some(player));
            Ok(())
        })?;
        for (some, part) in players.chunks(decide::PLAYERS).zip(1..) {
            let who = Who { request: format!("{}#players.{part}", who.request), ..who.clone() };
            self.keep(Opened { event: &place.event, round: None }, who, Act::Players(some.to_vec())).await?;
        }
        self.keep_round(place, who, Act::Pair(seats, byes)).await?;
        Ok(players.len() as u32)
    }

    /// Gives a board another clock before its game is open.
    pub(super) async fn assign(
        &self,
        who: Who,
        place: &Place,
        board: u32,
        device: Option<String>,
        note: String,
    ) -> Result<(), Refused> {
        decide::note(&note)?;
        let device = device.map(|device| self.listed(device)).transpose()?;
        if self.is_done(&who, place)? {
            return Ok(());
        }
        self.with(&place.event, |t| {
            let round = decide::open_round(t, place.round)?;
            decide::seat(t, round, place.round, board)?;
            let other = |seat: &&Seat| seat.board != board && seat.device.is_some() && seat.device == device;
            match round.seats.values().find(other) {
                Some(seat) => Err(Refused::request("device", format!("it is the clock of board {}", seat.board))),
                None => Ok(()),
            }
        })?;
        if let Some(game) = self.game(place, board).await? {
            let device = game.setup.map(|setup| setup.device).unwrap_or_default();
            return Err(Unfit::GameOpen { game: game_name(&place.event, place.round, board), device }.into());
        }
        self.keep_round(place, who, Act::Assign(board, device, note)).await
    }

    fn listed(&self, device: String) -> Result<String, Refused> {
        match self.arena.roster().listed(&device) {
            Some(_) => Ok(device),
            None => Err(Refused::NoSuchDevice { device }),
        }
    }

    /// The clock of a board by its number, with or without leading zeros; `None`: none is listed.
    fn numbered(&self, template: &str, board: u32) -> Result<Option<String>, Refused> {
        let mut names: Vec<String> =
            (1..=4).map(|width| template.replacen("{}", &format!("{board:0width$}"), 1)).collect();
        names.dedup();
        names.retain(|name| self.arena.roster().listed(name).is_some());
        match names.len() {
            0 | 1 => Ok(names.pop()),
            _ => Err(Refused::request(
                "boards.device",
                format!("board {board}: {} are both listed, name one", names.join(" and ")),
            )),
        }
    }
}

/// Whether a round may be paired so, or paired anew, while these games are open.
fn fits(tournament: &Tournament, number: u32, pairing: &Pairing, open: &[Open]) -> Result<(), Refused> {
    let event = || tournament.settings.name.clone();
    let Pairing { seats, byes, players } = pairing;
    let before = tournament.rounds.get(&number);
    if let Some(round) = before {
        if round.closed_ms.is_some() {
            return Err(Unfit::RoundClosed { event: event(), round: number }.into());
        }
        if round.started_ms.is_some() {
            return Err(Unfit::RoundStarted { event: event(), round: number }.into());
        }
    }
    if !(1..=BOARDS).contains(&seats.len()) {
        return decide::bad("boards", format!("expected 1 to {BOARDS}"));
    }
    if players.len() > PLAYERS {
        return decide::bad("players", format!("expected at most {PLAYERS} with a pairing"));
    }
    decide::players(players)?;
    let (mut boards, mut seated, mut clocks) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for seat in seats {
        if !(1..=NUMBER_MAX).contains(&seat.board) || !boards.insert(seat.board) {
            return decide::bad("boards.board", format!("{}: expected 1 to {NUMBER_MAX}, each once", seat.board));
        }
        if let Some(device) = seat.device.as_ref().filter(|device| !clocks.insert((*device).clone())) {
            let why = format!("{device} is the clock of two boards, one of them {}", seat.board);
            return decide::bad("boards.device", why);
        }
    }
    let brought: BTreeSet<u32> = players.iter().map(|player| player.number).collect();
    let named = seats.iter().flat_map(|seat| [seat.white, seat.black]).chain(byes.iter().map(|bye| bye.player));
    for player in named {
        if !tournament.players.contains_key(&player) && !brought.contains(&player) {
            return Err(Unfit::NoSuchPlayer { event: event(), player }.into());
        }
        if !seated.insert(player) {
            return decide::bad("boards", format!("player {player} is named twice in round {number}"));
        }
    }
    for Open { board, device, begun } in open {
        let game = || game_name(&event(), number, *board);
        let Some(stays) = seats.iter().find(|seat| seat.board == *board && seat.device.as_ref() == Some(device)) else {
            return Err(Unfit::GameOpen { game: game(), device: device.clone() }.into());
        };
        // They play already: neither others, nor the same with other colours, nor under other names.
        let Some(sat) = before.and_then(|round| round.seats.get(board)).filter(|_| *begun) else { continue };
        let renamed = |player: &Player| {
            [sat.white, sat.black].contains(&player.number) && player.name != tournament.name(player.number)
        };
        if (sat.white, sat.black) != (stays.white, stays.black) || players.iter().any(renamed) {
            let [white, black] = [sat.white, sat.black].map(|number| tournament.name(number).to_owned());
            return Err(Unfit::GameBegun { game: game(), board: *board, white, black }.into());
        }
    }
    Ok(())
}
