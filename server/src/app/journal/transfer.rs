//! `flagfall journal export` and `restore`.

use std::{
    io::{self, Write},
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::Args;

use super::{JournalError, Place};
use crate::journal::transfer;

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The file to make.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which journal.
    #[command(flatten)]
    pub place: Place,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The exported file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The directory to make; it may be there and empty.
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

pub(super) fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<(), JournalError> {
    let journal = args.place.open()?;
    let contents = transfer::export(&journal, &args.file, &mut progress("exported"))?;
    match args.json {
        true => tell(&contents, out),
        false => Ok(writeln!(out, "{}: {contents}", args.file.display())?),
    }
}

pub(super) fn restore(args: &RestoreArgs, out: &mut dyn Write) -> Result<(), JournalError> {
    let restored = transfer::restore(&args.file, &args.data_dir, &mut progress("restored"))?;
    let transfer::Restored { contents, clocks } = &restored;
    match args.json {
        true => tell(&restored, out),
        false => Ok(writeln!(
            out,
            "{}: {contents}; {clocks} clocks begin new sessions, none of their old ones goes on",
            args.data_dir.display()
        )?),
    }
}

fn tell(what: &impl serde::Serialize, out: &mut dyn Write) -> Result<(), JournalError> {
    serde_json::to_writer(&mut *out, what).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}

/// Tells on standard error how far it is, not too often.
fn progress(done: &'static str) -> impl FnMut(u64, u64) {
    let mut told = Instant::now();
    move |entries, of| {
        if told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            eprintln!("{done} {entries} of {of} entries");
        }
    }
}
