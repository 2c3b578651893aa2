//! `flagfall journal export` and `restore`.

use std::{
    io::{self, Write},
    path::PathBuf,
    time::{Duration, Instant},
};

use clap::Args;

use super::{JournalError, Place};
use crate::journal::{VerifyFinding, transfer};

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
    /// The directory to make; it may be there and empty, also the root of a disk of its own.
    #[arg(long, value_name = "DIR")]
    pub data_dir: PathBuf,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

pub(super) fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<bool, JournalError> {
    let looked = args.place.look()?;
    let mut exported = transfer::export(&*looked.journal, &args.file, &mut progress("exported"))?;
    exported.findings.splice(0..0, looked.not_opened);
    let transfer::Exported { contents, findings, left_out } = &exported;
    if args.json {
        tell(&exported, out)?;
    } else {
        say(findings, out)?;
        left_out.iter().try_for_each(|stream| writeln!(out, "{stream} is not in the file"))?;
        writeln!(out, "{}: {contents}{}", args.file.display(), counted(findings))?;
    }
    Ok(findings.is_empty())
}

pub(super) fn restore(args: &RestoreArgs, out: &mut dyn Write) -> Result<bool, JournalError> {
    let restored = transfer::restore(&args.file, &args.data_dir, &mut progress("restored"))?;
    let transfer::Restored { contents, clocks, findings } = &restored;
    if args.json {
        tell(&restored, out)?;
    } else {
        say(findings, out)?;
        let (dir, set_apart) = (args.data_dir.display(), counted(findings));
        writeln!(
            out,
            "{dir}: {contents}{set_apart}; {clocks} clocks begin new sessions, none of their old ones goes on"
        )?;
    }
    Ok(findings.is_empty())
}

fn say(findings: &[VerifyFinding], out: &mut dyn Write) -> Result<(), JournalError> {
    Ok(findings.iter().try_for_each(|finding| writeln!(out, "{finding}"))?)
}

/// How many things were found, behind what was carried.
fn counted(findings: &[VerifyFinding]) -> String {
    match findings.len() {
        0 => String::new(),
        1 => ", 1 finding".to_owned(),
        n => format!(", {n} findings"),
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
