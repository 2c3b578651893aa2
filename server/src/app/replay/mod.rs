//! `flagfall replay`: recorded games through the whole house, with nothing in it faked but the hands.
//!
//! ```text
//!  file ─▶ source: PGN ─▶ lexer ─▶ pgn ─┬─▶ player (hands and clock, script, reckoning, inject) ─┐ senses
//!                  DGT ─▶ dgtlog ───────┼─▶ pseudo-terminal ─▶ the real driver ──────────────────┤
//!                                       │                                                        ▼
//!                                       │        rig: the real agent, in lockstep ◀── gRPC ──▶ service, sled
//!                                       ▼                                                        ▲
//!  report ◀── snapshot ◀─────────────── desk: opens, follows, decides as "script" ◀─── gRPC ─────┘
//! ```
//!
//! The service is started once; every game has its own device, agent and stream, and [`Args::jobs`] of them run at a time.

pub mod control_fit;
pub mod control_tag;
pub mod desk;
pub mod dgtlog;
pub mod inject;
pub mod lexer;
pub mod pgn;
pub mod play;
pub mod player;
mod progress;
pub mod reckoning;
pub mod report;
pub mod rig;
pub mod script;
pub mod source;
pub mod text;

use std::{collections::BTreeMap, io::Write, path::PathBuf, sync::Arc};

use flagfall_proto::journal::v1::Play;
use flagfall_rules::laws;
use tokio::{sync::Semaphore, task::JoinSet};

use self::{
    inject::Injection,
    play::{Job, Stage, play},
    progress::Progress,
    report::Report,
    rig::Speed,
    source::Source,
};
use crate::{
    app::{
        config::Limits,
        serve::{Service, ServiceSettings, StartError},
    },
    arena::Device,
    event::preset,
    journal::{Journal, SledJournal, codec::Numbered, sled},
};

/// Arguments of `replay`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Games in PGN with %clk, or logs of a DGT board with one base64 or hex message a line; told apart by content.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Keep the journal here; otherwise it goes with the process.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// One JSON object a line, a game each.
    #[arg(long)]
    pub json: bool,
    /// How fast device time runs: max, or a factor such as 1 or 60.
    #[arg(long, default_value = "max", value_name = "max|FACTOR")]
    pub speed: Speed,
    /// Commit an irregularity at a ply, from 1, of every game. KIND: illegal_move, pawn_left, press_without_move, displaced,
    /// wrong_start, board_turned, clock_jump, impossible_board.
    #[arg(long, value_name = "PLY:KIND")]
    pub inject: Vec<Injection>,
    /// The edition of the Laws.
    #[arg(long, default_value = "fide-2018", value_parser = edition)]
    pub edition: String,
    /// The kind of play: standard, rapid, rapid-supervised, blitz, blitz-supervised. Otherwise PGN is played as standard, and a log as
    /// what its clock first shows the time of: up to 10 minutes is blitz, less than 60 rapid, each with an arbiter.
    #[arg(long, value_parser = kind_of_play)]
    pub play: Option<Play>,
    /// How many games run at a time.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: u16,
}

impl Args {
    /// Files with everything else as it is when nothing is said.
    #[must_use]
    pub fn new(files: Vec<PathBuf>) -> Args {
        Args {
            files,
            data: None,
            json: false,
            speed: Speed::Max,
            inject: Vec::new(),
            edition: "fide-2018".into(),
            play: None,
            jobs: 8,
        }
    }
}

fn edition(text: &str) -> Result<String, String> {
    let known: Vec<&str> = laws::EDITIONS.iter().map(|edition| edition.id).collect();
    if known.contains(&text) { Ok(text.to_owned()) } else { Err(format!("expected one of {}", known.join(", "))) }
}

/// Reads the name of a kind of play.
///
/// # Errors
/// Says what is expected.
pub fn kind_of_play(text: &str) -> Result<Play, &'static str> {
    let named = preset::play(text).and_then(|play| Play::try_from(play.number()).ok());
    named.ok_or("expected standard, rapid, rapid-supervised, blitz or blitz-supervised")
}

/// Why nothing could be replayed at all.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] sled::OpenError),
    /// There is no place for a temporary journal.
    #[error("no directory for a temporary journal: {0}")]
    Temporary(std::io::Error),
    /// The service does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Nobody takes the report.
    #[error("the report cannot be written: {0}")]
    Output(std::io::Error),
    /// A thread of the process failed.
    #[error("a thread ended early: {0}")]
    Thread(#[from] tokio::task::JoinError),
}

/// What was replayed.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    /// A report a game, in the order of the files.
    pub reports: Vec<Report>,
    /// Files that are none of the formats, each with what was expected.
    pub refused: Vec<String>,
}

impl Replayed {
    /// Every file was one, and every game was played to its end.
    #[must_use]
    pub fn is_faultless(&self) -> bool {
        self.refused.is_empty() && self.reports.iter().all(|report| report.faults.is_empty())
    }
}

/// Replays files, and writes each game's report as soon as those before it are written. Refused files and progress go to
/// standard error.
///
/// # Errors
/// The service cannot be started, or the report cannot be written; a faulty file or game is no error but reported.
pub async fn run(args: &Args, out: &mut (dyn Write + Send)) -> Result<Replayed, ReplayError> {
    let mut replayed = Replayed::default();
    let jobs = jobs(args, &mut replayed.refused);
    for refused in &replayed.refused {
        eprintln!("{refused}");
    }
    if !jobs.is_empty() {
        let temporary = match &args.data {
            Some(_) => None,
            None => {
                Some(tempfile::Builder::new().prefix("flagfall-replay-").tempdir().map_err(ReplayError::Temporary)?)
            }
        };
        let data =
            args.data.clone().or_else(|| temporary.as_ref().map(|dir| dir.path().to_owned())).unwrap_or_default();
        let journal = tokio::task::spawn_blocking(move || SledJournal::open(&sled::Options::new(data))).await??;
        let journal: Arc<dyn Journal> = Arc::new(journal);
        replayed.reports = serve(args, jobs, journal, out).await?;
    }
    if !args.json {
        let faulty = replayed.reports.iter().filter(|report| !report.faults.is_empty()).count();
        let irregular = replayed.reports.iter().filter(|report| !report.irregularities.is_empty()).count();
        let summary = text::summary(replayed.reports.len(), faulty, irregular, replayed.refused.len());
        writeln!(out, "{summary}").map_err(ReplayError::Output)?;
    }
    out.flush().map_err(ReplayError::Output)?;
    Ok(replayed)
}

/// Every game of every file, on a device of its own.
fn jobs(args: &Args, refused: &mut Vec<String>) -> Vec<Job> {
    let (mut jobs, mut stems) = (Vec::new(), Vec::new());
    // A journal that is kept may know devices of earlier replays whose games never ended.
    let run = &uuid::Uuid::new_v4().simple().to_string()[..12];
    for file in &args.files {
        let sources: Vec<Source> = match source::read(file) {
            Ok(sources) => sources,
            Err(error) => {
                refused.push(error.to_string());
                continue;
            }
        };
        let names = source::names(file, sources.len(), &mut stems);
        for (name, source) in names.into_iter().zip(sources) {
            let device = format!("replay-{run}-{}", jobs.len() + 1);
            jobs.push(Job { name, device, source, injections: args.inject.clone() });
        }
    }
    jobs
}

async fn serve(
    args: &Args,
    jobs: Vec<Job>,
    journal: Arc<dyn Journal>,
    out: &mut (dyn Write + Send),
) -> Result<Vec<Report>, ReplayError> {
    let devices = jobs.iter().map(|job| Device { device: job.device.clone(), board: job.device.clone() }).collect();
    // Lockstep waits for every scan, so none is held for long; and a slow disk is no reason to give a directive up.
    let limits = Limits { scan_hold_ms: 2, directive_ms: 60_000, ..Limits::default() };
    let running = Service::start(ServiceSettings { limits, ..ServiceSettings::loopback(devices) }, journal).await?;
    let stage = Stage {
        desk: format!("http://{}", running.desk),
        clocks: format!("http://{}", running.clocks),
        edition: args.edition.clone(),
        play: args.play,
        speed: args.speed,
    };
    let reports = all(Arc::new(stage), jobs, usize::from(args.jobs), args.json, out).await;
    running.shutdown().await;
    reports
}

/// Plays all games, a number of them at a time, and writes their reports in order.
async fn all(
    stage: Arc<Stage>,
    jobs: Vec<Job>,
    at_a_time: usize,
    json: bool,
    out: &mut (dyn Write + Send),
) -> Result<Vec<Report>, ReplayError> {
    let room = Arc::new(Semaphore::new(at_a_time));
    let mut progress = Progress::new(jobs.len());
    let mut games = JoinSet::new();
    for (index, job) in jobs.into_iter().enumerate() {
        let (stage, room) = (Arc::clone(&stage), Arc::clone(&room));
        games.spawn(async move {
            // The semaphore is never closed; without a permit there would only be less order.
            let _room = room.acquire().await;
            (index, play(&stage, job).await)
        });
    }
    let (mut waiting, mut reports) = (BTreeMap::new(), Vec::new());
    while let Some(done) = games.join_next().await {
        let (index, report) = done?;
        progress.done(&report.game);
        waiting.insert(index, report);
        while let Some(report) = waiting.remove(&reports.len()) {
            let text = if json { report.json() + "\n" } else { text::of(&report) };
            progress.clear();
            out.write_all(text.as_bytes()).map_err(ReplayError::Output)?;
            reports.push(report);
        }
    }
    progress.clear();
    Ok(reports)
}
