//! `flagfall demo`: twenty boards of a rapid round, sped up, with irregularities, through the whole house.
//!
//! The games ship with the project; a small engine played them (`tests/src/bin/selfplay.rs`). Real agents play them over real
//! gRPC into a real journal on disk; what is shown comes from the desk's own stream.

pub mod board;
pub mod table;

use std::{
    collections::BTreeMap,
    io::{IsTerminal, Write},
    sync::Arc,
    time::{Duration, Instant},
};

use clap::Args as ClapArgs;
use flagfall_proto::desk::v1::{WatchGamesRequest, desk_service_client::DeskServiceClient};
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};

use self::board::Board;
use super::{
    replay::{
        inject::{Injected, Injection},
        lexer, pgn,
        play::{Job, Stage, play},
        rig::Speed,
        source::Source,
    },
    serve::{Service, ServiceSettings, StartError},
};
use crate::{
    arena::{Device, Limits},
    journal::{Journal, SledJournal, sled},
};

/// The games, as PGN with clock readings.
const GAMES: &str = include_str!("games.pgn");

/// What goes wrong on which board, from 1, and at which ply.
const MISCHIEF: [(usize, usize, Injected); 14] = [
    (1, 20, Injected::IllegalMove),
    (2, 15, Injected::PressWithoutMove),
    (4, 31, Injected::Displaced),
    (5, 1, Injected::WrongStart),
    (6, 1, Injected::BoardTurned),
    (7, 24, Injected::ClockJump),
    (8, 18, Injected::IllegalMove),
    (8, 28, Injected::IllegalMove),
    (9, 21, Injected::PressWithoutMove),
    (10, 44, Injected::ImpossibleBoard),
    (12, 35, Injected::IllegalMove),
    (15, 62, Injected::PawnLeft),
    (18, 130, Injected::PawnLeft),
    (20, 40, Injected::Displaced),
];

/// How often the table is drawn.
const FRAME: Duration = Duration::from_millis(200);

/// Arguments of `flagfall demo`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// How many times as fast as it was played: a factor, or max.
    #[arg(long, default_value = "80", value_name = "FACTOR|max")]
    pub speed: Speed,
    /// One JSON object a ruling, then one for the whole, instead of tables.
    #[arg(long)]
    pub json: bool,
}

/// Why there is nothing to show.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The journal cannot be opened.
    #[error(transparent)]
    Journal(#[from] sled::OpenError),
    /// There is no place for a temporary journal, or nobody reads the report.
    #[error("the demo cannot read or write: {0}")]
    Io(#[from] std::io::Error),
    /// The service does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The desk cannot be reached.
    #[error("the desk cannot be reached: {0}")]
    Connect(#[from] tonic::transport::Error),
    /// The desk refuses.
    #[error("the desk refuses: {0}")]
    Desk(#[from] tonic::Status),
    /// A game's task failed.
    #[error("a game ended early: {0}")]
    Game(#[from] tokio::task::JoinError),
}

/// Runs the demo and writes its report. True when every game was played to its end.
///
/// # Errors
/// The service cannot be started, or the report cannot be written.
pub async fn run(args: &Args, out: &mut (dyn Write + Send)) -> Result<bool, DemoError> {
    let begun = Instant::now();
    let directory = tempfile::Builder::new().prefix("flagfall-demo-").tempdir()?;
    let path = directory.path().to_owned();
    let journal = tokio::task::spawn_blocking(move || SledJournal::open(&sled::Options::new(path))).await??;
    let journal: Arc<dyn Journal> = Arc::new(journal);
    let jobs = jobs();
    let devices = jobs.iter().map(|job| Device { device: job.device.clone(), board: job.name.clone() }).collect();
    let limits = Limits { scan_hold_ms: 2, directive_ms: 60_000, ..Limits::default() };
    let running = Service::start(ServiceSettings { limits, ..ServiceSettings::loopback(devices) }, journal).await?;
    let stage = Arc::new(Stage {
        desk: format!("http://{}", running.desk),
        clocks: format!("http://{}", running.clocks),
        edition: "fide-2018".to_owned(),
        play: None,
        speed: args.speed,
    });
    let shown = show(&stage, jobs, !args.json).await;
    running.shutdown().await;
    let (boards, faults) = shown?;
    let took = begun.elapsed();
    let report = if args.json {
        table::json(&boards, took)
    } else {
        format!("{}\n{}", table::live(&boards), table::rulings(&boards, took))
    };
    out.write_all(report.as_bytes())?;
    for fault in &faults {
        writeln!(out, "FAULT {fault}")?;
    }
    out.flush()?;
    Ok(faults.is_empty())
}

/// A job a board: its game and what goes wrong in it.
fn jobs() -> Vec<Job> {
    let job = |(index, game): (usize, _)| {
        let number = index + 1;
        let on_this = MISCHIEF.iter().filter(|(board, ..)| *board == number);
        let injections = on_this.map(|&(_, ply, kind)| Injection { ply, kind }).collect();
        let name = format!("board-{number:02}");
        Job { device: format!("clock-{number:02}"), name, source: Source::Pgn(Box::new(game)), injections }
    };
    lexer::games(GAMES).into_iter().map(pgn::read).enumerate().map(job).collect()
}

/// Plays all games and follows them at the desk; draws the table while they run.
async fn show(
    stage: &Arc<Stage>,
    jobs: Vec<Job>,
    drawn: bool,
) -> Result<(BTreeMap<String, Board>, Vec<String>), DemoError> {
    let desk = DeskServiceClient::connect(stage.desk.clone()).await?;
    let mut updates =
        desk.max_decoding_message_size(usize::MAX).watch_games(WatchGamesRequest::default()).await?.into_inner();
    let mut boards: BTreeMap<String, Board> = jobs.iter().map(|job| (job.name.clone(), Board::default())).collect();
    let (mut games, mut faults) = (JoinSet::new(), Vec::new());
    for job in jobs {
        let stage = Arc::clone(stage);
        games.spawn(async move { play(&stage, job).await });
    }
    let mut painter = table::Painter::new(drawn && std::io::stderr().is_terminal());
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut open = games.len();
    while open > 0 {
        tokio::select! {
            update = updates.message() => match update? {
                Some(update) => boards.entry(update.game.clone()).or_default().apply(&update, Instant::now()),
                None => return Err(tonic::Status::unavailable("the desk closed its stream").into()),
            },
            Some(done) = games.join_next() => {
                let report = done?;
                faults.extend(report.faults.iter().map(|fault| format!("{}: ply {}: {}", report.game, fault.ply, fault.what)));
                open -= 1;
            }
            _ = frames.tick() => painter.paint(&boards)?,
        }
    }
    // What was committed last is on its way: the snapshots say how far each game came.
    while boards.values().any(|board| !board.is_over()) {
        match tokio::time::timeout(Duration::from_secs(5), updates.message()).await {
            Ok(update) => match update? {
                Some(update) => boards.entry(update.game.clone()).or_default().apply(&update, Instant::now()),
                None => break,
            },
            Err(_) => break,
        }
    }
    painter.clear()?;
    Ok((boards, faults))
}
