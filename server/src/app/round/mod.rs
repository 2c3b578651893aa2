//! `flagfall round …`: a round from pairing to results, from a shell.

mod export;
mod pair;
mod print;

use std::{io::Write, path::PathBuf};

use clap::{Args as ClapArgs, Subcommand};
use flagfall_pairings::Outcome;
use flagfall_proto::desk::v1::{
    AssignClockRequest, CloseRoundRequest, EnterResultRequest, GetRoundRequest, MoveGameRequest, PrepareRoundRequest,
    Round, StartRoundRequest,
};

use super::{
    desk::{At, DeskError, Service, Who},
    event::{Client, ORGANISER},
};
use crate::journal::codec::Numbered;

/// Arguments of `flagfall round`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Who acts.
    #[command(flatten)]
    pub who: Who,
    /// Where the service is.
    #[command(flatten)]
    pub at: At,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// A round, as every command names it.
#[derive(Clone, Debug, ClapArgs)]
pub struct Which {
    /// The event.
    pub event: String,
    /// The round.
    #[arg(value_parser = clap::value_parser!(u32).range(1..=99))]
    pub round: u32,
}

/// What can be done with a round.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Pair a round from a file: a tournament report file (TRF), CSV, or PGN headers, told apart by content.
    #[command(after_help = "Example: flagfall round pair open --from open.trf")]
    Pair {
        /// The event.
        event: String,
        /// The file.
        #[arg(long, value_name = "FILE")]
        from: PathBuf,
        /// The round; without it the one the file is about.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=99))]
        round: Option<u32>,
    },
    /// Open the games on their clocks, which then show them.
    #[command(after_help = "Example: flagfall round prepare open 3")]
    Prepare(Which),
    /// Start the clocks. Without --confirm only say how many that would be.
    #[command(
        after_help = "Example: flagfall round start open 3, and when it says 30 clocks: flagfall round start open 3 --confirm 30"
    )]
    Start {
        /// The round.
        #[command(flatten)]
        which: Which,
        /// The number of clocks that the command without it said.
        #[arg(long, value_name = "CLOCKS")]
        confirm: Option<u32>,
    },
    /// A round: progress, what is open, who has not come.
    #[command(after_help = "Example: flagfall round show open 3 --open")]
    Show {
        /// The round.
        #[command(flatten)]
        which: Which,
        /// Only boards without a result.
        #[arg(long)]
        open: bool,
    },
    /// Enter the result of a board: a forfeit, a board without a clock, a correction. A note is needed where the game ended otherwise,
    /// and after the round was closed.
    ///
    /// A game that is under way is ended only with --ends-game: what is over does not go on.
    #[command(after_help = "Example: flagfall round result open 3 7 +/-")]
    Result {
        /// The round.
        #[command(flatten)]
        which: Which,
        /// The board.
        board: u32,
        /// 1-0, 0-1, 1/2-1/2, 0-0; +/-, -/+, -/- for forfeits; open: withdraw what was entered.
        #[arg(allow_hyphen_values = true, value_parser = outcome)]
        result: Given,
        /// The game may be under way, and ends with it.
        #[arg(long)]
        ends_game: bool,
    },
    /// Give a board another clock, its game under way or not.
    #[command(after_help = "Example: flagfall round move open 3 7 --device clock-41 --note 'the battery died'")]
    Move {
        /// The round.
        #[command(flatten)]
        which: Which,
        /// The board.
        board: u32,
        /// The clock, as the service's settings list it.
        #[arg(long)]
        device: String,
    },
    /// Close a round; the clocks may then forget its games.
    #[command(after_help = "Example: flagfall round close open 3")]
    Close {
        /// The round.
        #[command(flatten)]
        which: Which,
        /// Close it though boards have no result.
        #[arg(long)]
        over_open: bool,
    },
    /// Write the results: into a copy of the report file the round was paired from, as CSV, or both.
    #[command(
        after_help = "Example: flagfall round export open 3 --trf open.trf --out open-after-3.trf --csv round-3.csv"
    )]
    Export(export::ExportArgs),
}

/// A result as it is given: one, or what withdraws it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given(Option<Outcome>);

fn outcome(text: &str) -> Result<Given, &'static str> {
    match (text, Outcome::of(text)) {
        ("open", _) => Ok(Given(None)),
        (_, Some(outcome)) => Ok(Given(Some(outcome))),
        (_, None) => Err("expected 1-0, 0-1, 1/2-1/2, 0-0, +/-, -/+, -/- or open"),
    }
}

/// Carries out one command and prints its answer. Whether all went as it was asked: a clock that was busy is a finding.
///
/// # Errors
/// The service cannot be reached or refuses, or a file is not as it should be.
pub async fn run(args: &Args, out: &mut (dyn Write + Send)) -> Result<bool, DeskError> {
    let Service { mut desk, events: mut client } = args.at.connect().await?;
    let (who, json) = (&args.who, args.at.json);
    let mut clean = true;
    match &args.command {
        Command::Pair { event, from, round } => {
            let paired = pair::pair(&mut client, who, event, from, *round).await?;
            writeln!(out, "{}", print::paired(&paired, json))?;
        }
        Command::Prepare(Which { event, round }) => {
            let request = PrepareRoundRequest { act: who.act(ORGANISER), event: event.clone(), round: *round };
            let prepared = client.prepare_round(request).await?.into_inner();
            clean = prepared.troubles.is_empty();
            writeln!(out, "{}", print::prepared(&prepared, json))?;
        }
        Command::Start { which: Which { event, round }, confirm } => {
            let (act, dry_run) = (confirm.and_then(|_| who.act(ORGANISER)), confirm.is_none());
            let expected = confirm.unwrap_or(0);
            let request = StartRoundRequest { act, event: event.clone(), round: *round, dry_run, expected };
            let started = client.start_round(request).await?.into_inner();
            clean = started.troubles.is_empty() && started.away.is_empty();
            writeln!(out, "{}", print::started(&started, dry_run, json))?;
        }
        Command::Show { which, open } => {
            let round = get(&mut client, which).await?;
            writeln!(out, "{}", print::round(&round, *open, json))?;
        }
        Command::Result { which: Which { event, round }, board, result, ends_game } => {
            let result = result.0.map_or(0, Numbered::number);
            let (act, event, note) = (who.noted(ORGANISER), event.clone(), who.note.clone());
            let (round, board, ends_game) = (*round, *board, *ends_game);
            let request = EnterResultRequest { act, event, round, board, result, note, ends_game };
            let entered = client.enter_result(request).await?.into_inner().board.unwrap_or_default();
            writeln!(out, "{}", print::board(&entered, json))?;
        }
        Command::Move { which, board, device } => {
            let round = get(&mut client, which).await?;
            let game = round.boards.iter().find(|other| other.board == *board).map(|board| board.game.clone());
            match game {
                Some(game) if !game.is_empty() => {
                    let (act, device, note) = (who.noted(ORGANISER), device.clone(), who.note.clone());
                    desk.move_game(MoveGameRequest { act, game, device, note }).await?;
                }
                // A board that the round does not have is the service's to refuse.
                _ => {
                    let (event, device, note) = (which.event.clone(), device.clone(), who.note.clone());
                    let (act, round, board) = (who.noted(ORGANISER), which.round, *board);
                    client.assign_clock(AssignClockRequest { act, event, round, board, device, note }).await?;
                }
            }
            let round = get(&mut client, which).await?;
            let moved = round.boards.iter().find(|other| other.board == *board).cloned().unwrap_or_default();
            writeln!(out, "{}", print::board(&moved, json))?;
        }
        Command::Close { which: Which { event, round }, over_open } => {
            let (act, event, note) = (who.noted(ORGANISER), event.clone(), who.note.clone());
            let request = CloseRoundRequest { act, event, round: *round, open_boards: *over_open, note };
            let closed = client.close_round(request).await?.into_inner();
            writeln!(out, "{}", print::closed(&closed, json))?;
        }
        Command::Export(what) => {
            let exported = export::export(&mut client, what, out).await?;
            let said = print::exported(&exported, json);
            // A table on the standard output has nothing else beside it.
            if what.is_piped() { eprintln!("{said}") } else { writeln!(out, "{said}")? }
        }
    }
    out.flush()?;
    Ok(clean)
}

/// A round as it stands.
async fn get(client: &mut Client, which: &Which) -> Result<Round, DeskError> {
    let request = GetRoundRequest { event: which.event.clone(), round: which.round };
    Ok(client.get_round(request).await?.into_inner().round.unwrap_or_default())
}
