//! The command line: what can be asked of the binary, and how it answers to the shell.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use clap::{Args, Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    app::{
        self, audit,
        config::{Config, ConfigError},
        demo::{self, DemoError},
        desk::{self, DeskError},
        doctor,
        event::{self, OrganiseError},
        journal::JournalError,
        reload::reload,
        replay::{self, ReplayError},
        round,
        rule::{self, RuleError},
        serve::{Running, Service, StartError},
        trace::{self, TraceError},
        unwinnable, user, watch,
    },
    journal::{
        Health, Journal, SledJournal,
        sled::{self, OpenError, Salvage},
        transfer::{ExportError, RestoreError},
    },
    ops::{
        telemetry::{self, Log, TelemetryError},
        watchdog,
    },
};

/// How the process ends; the same in every version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All is well.
    Ok = 0,
    /// It ran, and found something.
    Findings = 1,
    /// It was asked wrongly, or its settings are wrong.
    Usage = 2,
    /// It cannot listen where it should.
    Bind = 3,
    /// The journal cannot be opened, or failed: a disk that is full or broken ends a service at work so.
    Journal = 4,
    /// Another server has the journal.
    Held = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// A ruling service for networked chess clocks.
#[derive(Debug, Parser)]
#[command(name = "flagfall", version, arg_required_else_help = true, after_help = EXITS)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const EXITS: &str = "Exit codes: 0 ok, 1 findings, 2 usage or settings, 3 cannot listen, 4 journal, 5 another \
                     server has the journal.";

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show twenty boards of a rapid round, sped up, with irregularities and what is ruled on them.
    #[command(after_help = "Example: flagfall demo --json")]
    Demo(demo::Args),
    /// Open, watch, decide: the desk from a shell.
    #[command(after_help = "Example: flagfall desk list")]
    Desk(desk::Args),
    /// Create and look at events: edition, time control, sectors, players.
    #[command(after_help = "Example: flagfall event create open --preset 'fide-2023 90/40+30+30'")]
    Event(event::Args),
    /// Pair a round, start its clocks, enter results, close it, write the results back.
    #[command(after_help = "Example: flagfall round pair open --from open.trf")]
    Round(round::Args),
    /// Run the service until SIGTERM or Ctrl-C, then drain.
    #[command(after_help = "Example: flagfall serve --config /etc/flagfall.toml")]
    Serve(ServeArgs),
    /// Play recorded games through a whole service and report what it ruled.
    #[command(after_help = "Example: flagfall replay --inject 25:illegal_move games.pgn")]
    Replay(replay::Args),
    /// Rule on a case written down as a file, or check a folder of cases against what they expect.
    #[command(after_help = "Example: flagfall rule --lang ru case.toml")]
    Rule(rule::Args),
    /// Say whether a side can still mate by any series of legal moves: a FEN a line on standard input.
    #[command(after_help = "Example: echo '7k/6Q1/8/8/8/8/5q2/7K b - -' | flagfall unwinnable")]
    Unwinnable(unwinnable::Args),
    /// The hall and the calls in a terminal: look, decide, attend.
    #[command(after_help = "Example: flagfall watch --desk http://127.0.0.1:7702 --lang ru")]
    Watch(watch::Args),
    /// Who did what at the desk, when, why and what came of it.
    #[command(after_help = "Example: flagfall audit --game r1.b07 --csv")]
    Audit(audit::Args),
    /// Who may do what at the desk: a file beside the settings.
    #[command(
        subcommand,
        after_help = "Example: flagfall user add --config flagfall.toml 'Ada L.' --role chief-arbiter"
    )]
    User(user::Command),
    /// Show the last presses and rulings of a board, or one trace, as a running service remembers them.
    #[command(after_help = "Example: flagfall trace board-7 --last 5")]
    Trace(trace::Args),
    /// Look at disk, clock, ports and settings before a service is started on this machine, and say what to do.
    #[command(after_help = "Example: flagfall doctor --config /etc/flagfall.toml")]
    Doctor(doctor::Args),
    /// Look into the journal of a stopped service.
    #[command(subcommand, after_help = "Example: flagfall journal verify --data /var/lib/flagfall")]
    Journal(app::journal::Command),
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The settings.
    #[arg(long, value_name = "FILE", default_value = "/etc/flagfall.toml")]
    pub config: PathBuf,
    /// Read the settings, say what is wrong with them, and stop.
    #[arg(long)]
    pub check: bool,
    /// Open a journal that lost entries, and believe what is left from now on.
    #[arg(long)]
    pub accept_loss: bool,
    /// Log a JSON object a line, whatever the settings say.
    #[arg(long)]
    pub log_json: bool,
}

/// Why a command came to nothing.
#[derive(Debug)]
pub struct Failure {
    /// How the process ends.
    pub exit: Exit,
    /// What to tell.
    pub reason: anyhow::Error,
}

impl Failure {
    fn new(exit: Exit, reason: impl Into<anyhow::Error>) -> Failure {
        Failure { exit, reason: reason.into() }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Failure {
        Failure::new(Exit::Usage, error)
    }
}

impl From<TelemetryError> for Failure {
    fn from(error: TelemetryError) -> Failure {
        Failure::new(Exit::Usage, error)
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Failure {
        Failure::new(Exit::Findings, error)
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Failure {
        let exit = match error {
            StartError::Bind { .. } => Exit::Bind,
            StartError::Journal(_) => Exit::Journal,
            StartError::Reflection(_) => Exit::Usage,
        };
        Failure::new(exit, error)
    }
}

impl From<ReplayError> for Failure {
    fn from(error: ReplayError) -> Failure {
        match error {
            ReplayError::Start(error) => error.into(),
            ReplayError::Journal(_) => Failure::new(Exit::Journal, error),
            other => Failure::new(Exit::Findings, other),
        }
    }
}

impl From<DemoError> for Failure {
    fn from(error: DemoError) -> Failure {
        match error {
            DemoError::Start(error) => error.into(),
            DemoError::Journal(_) => Failure::new(Exit::Journal, error),
            other => Failure::new(Exit::Findings, other),
        }
    }
}

impl From<DeskError> for Failure {
    fn from(error: DeskError) -> Failure {
        Failure::new(Exit::Findings, error)
    }
}

impl From<OrganiseError> for Failure {
    fn from(error: OrganiseError) -> Failure {
        let exit = match error {
            OrganiseError::Faulty(..) | OrganiseError::File(..) | OrganiseError::Usage(_) => Exit::Usage,
            OrganiseError::Connect(..) | OrganiseError::Refused(_) | OrganiseError::Output(_) => Exit::Findings,
        };
        Failure::new(exit, error)
    }
}

impl From<RuleError> for Failure {
    fn from(error: RuleError) -> Failure {
        let exit = match error {
            RuleError::Case(_) | RuleError::Folder(..) => Exit::Usage,
            RuleError::Output(_) | RuleError::Json(_) => Exit::Findings,
        };
        Failure::new(exit, error)
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        let exit = match error {
            JournalError::Config(_)
            | JournalError::None(_)
            | JournalError::Dump(_)
            | JournalError::Export(ExportError::Exists(_))
            | JournalError::Restore(RestoreError::NotEmpty(_)) => Exit::Usage,
            JournalError::Open(OpenError::Held { .. }) => Exit::Held,
            JournalError::Open(_) | JournalError::Read(_) | JournalError::Export(_) | JournalError::Restore(_) => {
                Exit::Journal
            }
        };
        Failure::new(exit, error)
    }
}

/// What the binary does: reads the command line, carries out the command, and says why when it came to nothing.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("flagfall: cannot start its threads: {error}");
            return Exit::Usage.into();
        }
    };
    match runtime.block_on(run(cli)) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            eprintln!("flagfall: {:#}", failure.reason);
            failure.exit.into()
        }
    }
}

/// Carries out a command.
///
/// # Errors
/// It came to nothing; the failure says how the process ends.
pub async fn run(cli: Cli) -> Result<Exit, Failure> {
    match cli.command {
        Command::Demo(args) => show(&args).await,
        Command::Desk(args) => Ok(desk::run(&args, &mut std::io::stdout()).await.map(|()| Exit::Ok)?),
        Command::Event(args) => Ok(event::run(&args, &mut std::io::stdout()).await.map(|()| Exit::Ok)?),
        Command::Round(args) => {
            let clean = round::run(&args, &mut std::io::stdout()).await?;
            Ok(if clean { Exit::Ok } else { Exit::Findings })
        }
        Command::Serve(args) => serve(&args).await,
        Command::Replay(args) => replay(&args).await,
        Command::Rule(args) => {
            let clean = rule::run(&args, &mut std::io::stdout().lock())?;
            Ok(if clean { Exit::Ok } else { Exit::Findings })
        }
        Command::Unwinnable(args) => {
            let answered = unwinnable::run(&args, &mut std::io::stdin().lock(), &mut std::io::stdout().lock());
            let summary = answered.map_err(|error| Failure::new(Exit::Findings, error))?;
            Ok(if summary.malformed == 0 { Exit::Ok } else { Exit::Findings })
        }
        Command::Watch(args) => Ok(watch::run(&args).await.map(|()| Exit::Ok)?),
        Command::Audit(args) => Ok(audit::run(&args, &mut std::io::stdout()).await.map(|()| Exit::Ok)?),
        Command::User(command) => {
            user::run(&command, &mut std::io::stdin().lock(), &mut std::io::stdout().lock())
                .map_err(|error| Failure::new(Exit::Usage, error))?;
            Ok(Exit::Ok)
        }
        Command::Trace(args) => Ok(trace::run(&args, &mut std::io::stdout()).await.map(|()| Exit::Ok)?),
        Command::Doctor(args) => {
            let healthy =
                doctor::run(&args, &mut std::io::stdout()).map_err(|error| Failure::new(Exit::Findings, error))?;
            Ok(if healthy { Exit::Ok } else { Exit::Findings })
        }
        Command::Journal(command) => look_into_journal(command).await,
    }
}

async fn show(args: &demo::Args) -> Result<Exit, Failure> {
    let faultless = demo::run(args, &mut std::io::stdout()).await?;
    Ok(if faultless { Exit::Ok } else { Exit::Findings })
}

async fn serve(args: &ServeArgs) -> Result<Exit, Failure> {
    let mut config = Config::read(&args.config)?;
    if args.check {
        println!("{}: {} clocks, journal in {}", args.config.display(), config.clocks.len(), config.data_dir.display());
        return Ok(Exit::Ok);
    }
    let log = telemetry::start(&config.log, config.log_json || args.log_json)?;
    let trails = telemetry::trails(&config.telemetry)?;
    // Heard from the first moment on: a signal while the journal is read stops the process as one later does.
    let heard = |kind| signal(kind).map_err(|error| Failure::new(Exit::Usage, error));
    let (mut term, mut hangup) = (heard(SignalKind::terminate())?, heard(SignalKind::hangup())?);
    let journal =
        open_journal(sled::Options { accept_loss: args.accept_loss, ..sled::Options::new(&config.data_dir) }).await?;
    // A disk that takes nothing from the first moment on is served for reading: ending would only make a loop of restarts.
    let read_only = journal.health() != Health::Ok;
    let running = tokio::select! {
        running = Service::start(config.settings(trails), journal) => running?,
        _ = term.recv() => return Ok(Exit::Ok),
        _ = tokio::signal::ctrl_c() => return Ok(Exit::Ok),
    };
    watchdog::ready();
    let exit = loop {
        tokio::select! {
            _ = term.recv() => break Exit::Ok,
            _ = tokio::signal::ctrl_c() => break Exit::Ok,
            () = running.failed(), if !read_only => break Exit::Journal,
            _ = hangup.recv() => read_again(&args.config, &mut config, &running, &log),
        }
    };
    tracing::info!("draining");
    watchdog::stopping();
    running.shutdown().await;
    Ok(exit)
}

/// Takes over what it can of new settings, and says what became of the rest.
fn read_again(file: &Path, now: &mut Config, running: &Running, log: &Log) {
    watchdog::reloading();
    match reload(file, now, running, log) {
        Ok(reloaded) => {
            let (taken, restart) = (reloaded.taken.join("; "), reloaded.restart.join("; "));
            tracing::info!(taken, needs_a_restart = restart, "settings read again");
        }
        Err(error) => tracing::error!(%error, "the new settings are not taken, those before them stay"),
    }
    watchdog::ready();
}

async fn replay(args: &replay::Args) -> Result<Exit, Failure> {
    let replayed = replay::run(args, &mut std::io::stdout()).await?;
    Ok(if replayed.is_faultless() { Exit::Ok } else { Exit::Findings })
}

async fn look_into_journal(command: app::journal::Command) -> Result<Exit, Failure> {
    let look = move || app::journal::run(&command, &mut std::io::stdout().lock());
    let good = tokio::task::spawn_blocking(look).await.map_err(|error| Failure::new(Exit::Journal, error))??;
    Ok(if good { Exit::Ok } else { Exit::Findings })
}

/// A journal that does not open is served for reading, as far as it goes: ending would only make a loop of restarts, and somebody
/// wants to see the finished games.
async fn open_journal(options: sled::Options) -> Result<Arc<dyn Journal>, Failure> {
    let dir = options.dir.clone();
    let opened = tokio::task::spawn_blocking(move || SledJournal::open(&options)).await;
    match opened.map_err(|error| Failure::new(Exit::Journal, error))? {
        Ok(journal) => Ok(Arc::new(journal)),
        Err(error @ OpenError::Held { .. }) => Err(Failure::new(Exit::Held, error)),
        Err(error) if error.is_damage() => {
            tracing::error!(%error, "ALARM: the journal does not open; finished games can be read, nothing is ruled");
            Ok(Arc::new(Salvage::of(&dir, error.to_string())))
        }
        Err(error) => Err(Failure::new(Exit::Journal, error)),
    }
}
