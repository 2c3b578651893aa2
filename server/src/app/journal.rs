//! `flagfall journal`: looks into the journal of a server that is stopped, carries it away and brings it back.

mod transfer;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Args, Subcommand};

pub use transfer::{ExportArgs, RestoreArgs};

use super::config::{Config, ConfigError};
use crate::journal::{
    Journal, ReadError, SledJournal, StreamId, VerifyFinding,
    dump::{DumpError, dump},
    sled::{OpenError, Options, Salvage},
    transfer::{ExportError, RestoreError},
    verify,
};

/// What can be asked of a journal.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read everything and report what is not as it was written.
    #[command(after_help = "Example: flagfall journal verify --data /var/lib/flagfall")]
    Verify(VerifyArgs),
    /// Tell the entries of a stream in plain words; without a name, list what is there.
    #[command(after_help = "Example: flagfall journal dump --data /var/lib/flagfall r1.b07")]
    Dump(DumpArgs),
    /// Write the whole journal, finished games and all, into one portable file.
    #[command(after_help = "Example: flagfall journal export --data /var/lib/flagfall round-3.ffj")]
    Export(ExportArgs),
    /// Make a journal from an exported file, after checking all of it; old sessions of its clocks are fenced off.
    #[command(after_help = "Example: flagfall journal restore round-3.ffj --data-dir /var/lib/flagfall")]
    Restore(RestoreArgs),
}

/// Where the journal is, and how to open it.
#[derive(Debug, Args)]
pub struct Place {
    /// The journal's directory; otherwise the settings name it.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The settings.
    #[arg(long, value_name = "FILE", default_value = "/etc/flagfall/flagfall.toml", conflicts_with = "data")]
    pub config: PathBuf,
    /// Open a journal that lost entries, and believe what is left from now on.
    #[arg(long)]
    pub accept_loss: bool,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Which journal.
    #[command(flatten)]
    pub place: Place,
    /// Report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `dump`.
#[derive(Debug, Args)]
pub struct DumpArgs {
    /// Which journal.
    #[command(flatten)]
    pub place: Place,
    /// A game's name, or `device/NAME`, `desk`, `round/NAME`, `event/NAME`.
    #[arg(value_name = "STREAM")]
    pub stream: Option<String>,
}

/// Why a journal was not looked into.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The settings do not say where it is.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// There is none in the directory; looking does not make one.
    #[error("{0}: there is no journal in this directory")]
    None(PathBuf),
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// There is no such stream, or the output took no more.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// It was not exported.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// It was not restored.
    #[error(transparent)]
    Restore(#[from] RestoreError),
}

impl From<io::Error> for JournalError {
    fn from(error: io::Error) -> JournalError {
        JournalError::Dump(error.into())
    }
}

/// Carries out a command; false when something is not as it should be. Blocks.
///
/// # Errors
/// The journal cannot be opened, or the output took no more.
pub fn run(command: &Command, out: &mut dyn Write) -> Result<bool, JournalError> {
    match command {
        Command::Verify(args) => {
            let looked = args.place.look()?;
            let mut verified = verify(&*looked.journal);
            verified.findings.splice(0..0, looked.not_opened);
            if args.json {
                serde_json::to_writer_pretty(&mut *out, &verified).map_err(io::Error::from)?;
                writeln!(out)?;
            } else {
                writeln!(out, "{verified}")?;
            }
            Ok(verified.findings.is_empty())
        }
        Command::Dump(args) => {
            let looked = args.place.look()?;
            match &args.stream {
                Some(name) => dump(&*looked.journal, &stream(name), out)?,
                None => list(&*looked.journal, out)?,
            }
            looked.tell(out)
        }
        Command::Export(args) => transfer::export(args, out),
        Command::Restore(args) => transfer::restore(args, out),
    }
}

fn list(journal: &dyn Journal, out: &mut dyn Write) -> Result<(), JournalError> {
    for stream in journal.streams()? {
        let entries = journal.last(&stream)?.map_or(0, |(index, _)| index);
        writeln!(out, "{stream} · {entries} entries")?;
    }
    Ok(())
}

/// The stream that somebody means: names of games have no slash.
fn stream(name: &str) -> StreamId {
    name.parse().unwrap_or_else(|_| StreamId::Game(name.to_owned()))
}

/// A journal, or what can be read of one whose database does not open.
struct Looked {
    journal: Box<dyn Journal>,
    not_opened: Option<VerifyFinding>,
}

impl Looked {
    /// Says what is not covered; true when nothing is.
    fn tell(&self, out: &mut dyn Write) -> Result<bool, JournalError> {
        self.not_opened.iter().try_for_each(|finding| writeln!(out, "{finding}"))?;
        Ok(self.not_opened.is_none())
    }
}

impl Place {
    fn look(&self) -> Result<Looked, JournalError> {
        let dir = match &self.data {
            Some(dir) => dir.clone(),
            None => Config::read(&self.config)?.data_dir,
        };
        if !is_journal(&dir) {
            return Err(JournalError::None(dir));
        }
        let options = Options { accept_loss: self.accept_loss, ..Options::new(&dir) };
        let error = match SledJournal::open(&options) {
            Ok(journal) => return Ok(Looked { journal: Box::new(journal), not_opened: None }),
            Err(error) => error,
        };
        let reason = error.to_string();
        let shelf = Salvage::of(&dir, reason.clone());
        // Finished games lie in files of their own: what becomes of the database is nothing to them.
        match error.is_damage() && !shelf.streams()?.is_empty() {
            true => Ok(Looked { journal: Box::new(shelf), not_opened: Some(VerifyFinding::NotOpened { reason }) }),
            false => Err(error.into()),
        }
    }
}

/// A mark without a log is a journal too: one that lost everything, which opening will say.
fn is_journal(dir: &Path) -> bool {
    dir.join("db").exists() || dir.join("high-water").exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::codec::{self, Kept, Meta};

    fn place(dir: &Path) -> Place {
        Place { data: Some(dir.to_owned()), config: PathBuf::new(), accept_loss: false }
    }

    fn told(command: &Command) -> (bool, String) {
        let mut out = Vec::new();
        let good = run(command, &mut out).expect("looked");
        (good, String::from_utf8(out).expect("text"))
    }

    fn verify_args(dir: &Path, json: bool) -> Command {
        Command::Verify(VerifyArgs { place: place(dir), json })
    }

    fn dump_args(dir: &Path, stream: Option<&str>) -> Command {
        Command::Dump(DumpArgs { place: place(dir), stream: stream.map(str::to_owned) })
    }

    #[test]
    fn a_journal_is_listed_told_and_verified() {
        let dir = tempfile::tempdir().expect("directory");
        let journal = SledJournal::open(&Options::new(dir.path())).expect("open");
        let game = StreamId::Game("r1.b07".to_owned());
        let entry = codec::entry("", "", &Meta::default(), &[Kept::Overdue(3)], &[]);
        for (after, stream) in [(0, &game), (0, &StreamId::Desk)] {
            assert!(journal.append(stream, after, entry.clone()).wait().is_ok());
        }
        let held = run(&verify_args(dir.path(), false), &mut Vec::new()).expect_err("held");
        assert!(held.to_string().contains("another server holds"), "{held}");
        drop(journal);

        assert_eq!(told(&dump_args(dir.path(), None)).1, "game/r1.b07 · 1 entries\ndesk · 1 entries\n");
        let (_, text) = told(&dump_args(dir.path(), Some("r1.b07")));
        assert!(text.ends_with("◀ no word of directive 3 in time\n"), "{text}");
        assert_eq!(told(&dump_args(dir.path(), Some("desk"))).1, text);
        let good = (true, "2 streams, 2 entries, all as they were written\n".to_owned());
        assert_eq!(told(&verify_args(dir.path(), false)), good);

        // A second entry that does not chain to the first.
        let journal = SledJournal::open(&Options::new(dir.path())).expect("open");
        assert!(journal.append(&game, 1, entry).wait().is_ok());
        drop(journal);
        let (good, json) = told(&verify_args(dir.path(), true));
        let json: serde_json::Value = serde_json::from_str(&json).expect("json");
        assert!(!good);
        assert_eq!(json["findings"][0]["finding"], "chain_broken");
        assert_eq!(json["findings"][0]["stream"], "game/r1.b07");
    }

    /// The database is gone: its finished games are looked at all the same, and it is said that nothing else was.
    #[test]
    fn without_its_database_the_finished_games_are_verified_told_and_exported() {
        let dir = tempfile::tempdir().expect("directory");
        let data = dir.path().join("data");
        let entry = codec::entry("", "", &Meta::default(), &[Kept::Overdue(3)], &[]);
        let journal = SledJournal::open(&Options::new(&data)).expect("open");
        for name in ["r1.b07", "r1.b08"] {
            assert!(journal.append(&StreamId::Game(name.to_owned()), 0, entry.clone()).wait().is_ok());
        }
        assert!(journal.shelve(&StreamId::Game("r1.b07".to_owned()), b"").expect("laid down"));
        drop(journal);
        std::fs::remove_file(data.join("db")).expect("there");

        let gone = format!(
            "{} has no database, but 2 entries were durable once: put the files of a copy back",
            data.display()
        );
        let rest = "Only the finished games in games/ were looked at: nothing is said of games under way, clocks, desk, events and rounds";
        let says = |text: &str| assert!(text.starts_with(&gone) && text.contains(rest), "{text}");
        let (good, text) = told(&verify_args(&data, false));
        says(&text);
        assert!(!good && text.ends_with("\n1 streams, 1 entries, 1 finding\n"), "{text}");
        let (good, text) = told(&dump_args(&data, None));
        let (list, rest) = text.split_once('\n').expect("two lines");
        says(rest);
        assert_eq!((good, list), (false, "game/r1.b07 · 1 entries"));
        let (good, text) = told(&dump_args(&data, Some("r1.b07")));
        assert!(!good && text.contains("◀ no word of directive 3 in time\n"), "{text}");
        let file = dir.path().join("left.ffj");
        let export = ExportArgs { file: file.clone(), place: place(&data), json: false };
        let (good, text) = told(&Command::Export(export));
        says(&text);
        assert!(!good && text.ends_with("/left.ffj: 1 streams, 1 entries, 1 finding\n"), "{text}");
        let restore = RestoreArgs { file, data_dir: dir.path().join("again"), json: false };
        assert!(told(&Command::Restore(restore)).0);

        std::fs::remove_dir_all(data.join("games")).expect("there");
        let error = run(&verify_args(&data, false), &mut Vec::new()).expect_err("nothing is left");
        assert!(matches!(error, JournalError::Open(OpenError::Gone { .. })), "{error}");
    }

    #[test]
    fn looking_makes_nothing() {
        let dir = tempfile::tempdir().expect("directory");
        let missing = dir.path().join("typo");
        let error = run(&dump_args(&missing, None), &mut Vec::new()).expect_err("nothing there");
        assert!(matches!(error, JournalError::None(_)), "{error}");
        assert!(!missing.exists());
    }
}
