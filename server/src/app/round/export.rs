//! Results back to where the pairings came from.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use clap::Args as ClapArgs;
use flagfall_pairings::{Board, Outcome, Player, Sheet, Trf, csv, trf};
use flagfall_proto::desk::v1::{GetEventRequest, Round};

use super::{Which, get, pair::read};
use crate::{
    app::{desk::DeskError, event::Client},
    journal::codec::{self, Numbered},
};

/// Arguments of `round export`.
#[derive(Clone, Debug, ClapArgs)]
pub struct ExportArgs {
    /// The round.
    #[command(flatten)]
    pub which: Which,
    /// The report file that the round was paired from.
    #[arg(long, value_name = "FILE", requires = "out")]
    pub trf: Option<PathBuf>,
    /// Where its copy with the results goes; may be the file itself.
    #[arg(long, value_name = "FILE", requires = "trf")]
    pub out: Option<PathBuf>,
    /// Where the table goes; - is the standard output, which then has nothing else.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Results that the report file has otherwise are written over.
    #[arg(long)]
    pub overwrite: bool,
}

impl ExportArgs {
    /// The table goes to the standard output.
    pub(super) fn is_piped(&self) -> bool {
        self.csv.as_deref() == Some(Path::new("-"))
    }
}

/// What was written.
pub(super) struct Exported {
    /// Boards with a result.
    pub(super) results: usize,
    /// Boards without one: their columns stay open.
    pub(super) open: Vec<u32>,
    /// The files.
    pub(super) files: Vec<String>,
}

pub(super) async fn export(
    client: &mut Client,
    args: &ExportArgs,
    out: &mut (dyn Write + Send),
) -> Result<Exported, DeskError> {
    if args.trf.is_none() && args.csv.is_none() {
        return Err(DeskError::Usage("nothing to write: give --trf with --out, --csv, or both".into()));
    }
    let round = get(client, &args.which).await?;
    let event = client.get_event(GetEventRequest { event: args.which.event.clone() }).await?.into_inner();
    let sheet = sheet(&round, event.players.into_iter().map(codec::player).collect());
    let mut files = Vec::new();
    if let (Some(from), Some(to)) = (&args.trf, &args.out) {
        let bytes = read(from)?;
        let faulty = |faults| DeskError::Faulty(from.display().to_string(), faults);
        let results: Vec<trf::Result> = sheet
            .boards
            .iter()
            .filter_map(|b| b.outcome.map(|outcome| trf::Result { white: b.white, black: b.black, outcome }))
            .collect();
        let read = Trf::read(&bytes).map_err(faulty)?;
        let filled = read.fill(args.which.round, &results, args.overwrite).map_err(faulty)?;
        write(to, &filled)?;
        files.push(to.display().to_string());
    }
    if let Some(to) = &args.csv {
        let table = csv::write(&sheet);
        if args.is_piped() {
            out.write_all(table.as_bytes())?;
        } else {
            write(to, table.as_bytes())?;
            files.push(to.display().to_string());
        }
    }
    let open = sheet.boards.iter().filter(|board| board.outcome.is_none()).map(|board| board.board).collect();
    let results = sheet.boards.iter().filter(|board| board.outcome.is_some()).count();
    Ok(Exported { results, open, files })
}

/// The whole file or none of it: what was there before stays until the new one is on disk.
fn write(file: &Path, bytes: &[u8]) -> Result<(), DeskError> {
    let failed = |error| DeskError::File(file.display().to_string(), error);
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    new.write_all(bytes).and_then(|()| new.as_file().sync_all()).map_err(failed)?;
    new.persist(file).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A round as a sheet of results.
fn sheet(round: &Round, players: Vec<Player>) -> Sheet {
    let board = |board: &flagfall_proto::desk::v1::Board| Board {
        board: board.board,
        white: board.white.as_ref().map_or(0, |player| player.number),
        black: board.black.as_ref().map_or(0, |player| player.number),
        device: Some(board.device.clone()).filter(|device| !device.is_empty()),
        outcome: Outcome::maybe("board.result", board.result).unwrap_or_default(),
    };
    Sheet {
        title: String::new(),
        round: round.round,
        players,
        boards: round.boards.iter().map(board).collect(),
        byes: round.byes.iter().filter_map(|&bye| codec::bye(bye).ok()).collect(),
    }
}
