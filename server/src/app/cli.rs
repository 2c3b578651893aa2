//! The command line: what can be asked of the binary, and how it answers to the shell.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use clap::{Args, Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};

pub use super::exit::{Exit, Failure};

use super::exit::EXITS;
use crate::{
    app::{
        self, audit, completions,
        config::Config,
        demo, desk, doctor, event, files,
        reload::reload,
        replay, round, rule,
        serve::{Running, Service},
        trace, unwinnable, user, watch,
    },
    journal::{
        Health, Journal, SledJournal,
        sled::{self, OpenError, Salvage},
    },
    ops::{
        telemetry::{self, Log},
        watchdog,
    },
};

/// A ruling service for networked chess clocks.
#[derive(Debug, Parser)]
#[command(name = "flagfall", version, arg_required_else_help = true, after_help = EXITS)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be done: at the desk, with events, with a service, without one.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// What an arbiter does.
    #[command(flatten)]
    Desk(desk::Command),
    /// The hall and the calls in a terminal: look, decide, attend.
    #[command(after_help = "Example: flagfall watch --desk http://127.0.0.1:7702 --lang ru")]
    Watch(watch::Args),
    /// Who did what at the desk, when, why and what came of it.
    #[command(after_help = "Example: flagfall audit --game r1.b07 --csv")]
    Audit(audit::Args),
    /// Create and look at events: edition, time control, sectors, players.
    #[command(after_help = "Example: flagfall event create open --preset 'fide-2023 90/40+30+30'")]
    Event(event::Args),
    /// Pair a round, start its clocks, enter results, close it, write the results back.
    #[command(after_help = "Example: flagfall round pair open --from open.trf")]
    Round(round::Args),
    /// Run the service until SIGTERM or Ctrl-C, then drain.
    #[command(after_help = "Example: flagfall serve --config /etc/flagfall/flagfall.toml")]
    Serve(ServeArgs),
    /// Look at disk, clock, ports and settings before a service is started on this machine, and say what to do.
    #[command(after_help = "Example: flagfall doctor --config /etc/flagfall/flagfall.toml")]
    Doctor(doctor::Args),
    /// Who may do what at the desk: a file beside the settings.
    #[command(
        subcommand,
        after_help = "Example: flagfall user add --config flagfall.toml 'Ada L.' --role chief-arbiter"
    )]
    User(user::Command),
    /// Look into the journal of a stopped service.
    #[command(subcommand, after_help = "Example: flagfall journal verify --data /var/lib/flagfall")]
    Journal(app::journal::Command),
    /// Show the last presses and rulings of a board, or one trace, as a running service remembers them.
    #[command(after_help = "Example: flagfall trace board-7 --last 5")]
    Trace(trace::Args),
    /// Show twenty boards of a rapid round, sped up, with irregularities and what is ruled on them.
    #[command(after_help = "Example: flagfall demo --json")]
    Demo(demo::Args),
    /// Play recorded games through a whole service and report what it ruled.
    #[command(after_help = "Example: flagfall replay --inject 25:illegal_move games.pgn")]
    Replay(replay::Args),
    /// Rule on a case written down as a file, or check a folder of cases against what they expect.
    #[command(after_help = "Example: flagfall rule --lang ru case.toml")]
    Rule(rule::Args),
    /// Say whether a side can still mate by any series of legal moves: a FEN a line on standard input.
    #[command(after_help = "Example: echo '7k/6Q1/8/8/8/8/5q2/7K b - -' | flagfall unwinnable")]
    Unwinnable(unwinnable::Args),
    /// Print what makes a shell complete commands and flags.
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::Args),
}

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The settings.
    #[arg(long, value_name = "FILE", default_value = "/etc/flagfall/flagfall.toml")]
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
            // Every error says its cause itself.
            eprintln!("flagfall: {}", failure.reason);
            failure.exit.into()
        }
    }
}

/// Carries out a command.
///
/// # Errors
/// It came to nothing; the failure says how the process ends.
pub async fn run(cli: Cli) -> Result<Exit, Failure> {
    let mut out = std::io::stdout();
    let clean = match cli.command {
        Command::Desk(command) => desk::run(&command, &mut out).await?,
        Command::Watch(args) => watch::run(&args, &mut out).await.map(|()| true)?,
        Command::Audit(args) => audit::run(&args, &mut out).await.map(|()| true)?,
        Command::Event(args) => event::run(&args, &mut out).await.map(|()| true)?,
        Command::Round(args) => round::run(&args, &mut out).await?,
        Command::Serve(args) => return serve(&args).await,
        Command::Doctor(args) => doctor::run(&args, &mut out).map_err(|error| Failure::new(Exit::Findings, error))?,
        Command::User(command) => user::run(&command, &mut std::io::stdin().lock(), &mut out)
            .map(|()| true)
            .map_err(|error| Failure::new(Exit::Usage, error))?,
        Command::Journal(command) => look_into_journal(command).await?,
        Command::Trace(args) => trace::run(&args, &mut out).await.map(|()| true)?,
        Command::Demo(args) => demo::run(&args, &mut out).await?,
        Command::Replay(args) => replay::run(&args, &mut out).await?.is_faultless(),
        Command::Rule(args) => rule::run(&args, &mut out.lock())?,
        Command::Unwinnable(args) => {
            let answered = unwinnable::run(&args, &mut std::io::stdin().lock(), &mut out.lock());
            answered.map_err(|error| Failure::new(Exit::Findings, error))?.malformed == 0
        }
        Command::Completions(args) => {
            completions::print(&args, &mut out).map(|()| true).map_err(|error| Failure::new(Exit::Findings, error))?
        }
    };
    Ok(if clean { Exit::Ok } else { Exit::Findings })
}

async fn serve(args: &ServeArgs) -> Result<Exit, Failure> {
    let mut config = Config::read(&args.config)?;
    if args.check {
        println!("{}: {} clocks, journal in {}", args.config.display(), config.clocks.len(), config.data_dir.display());
        return Ok(Exit::Ok);
    }
    let log = telemetry::start(&config.log, config.log_json || args.log_json)?;
    let trails = telemetry::trails(&config.telemetry)?;
    let files = files::raise();
    // Heard from the first moment on: a signal while the journal is read stops the process as one later does.
    let heard = |kind| signal(kind).map_err(|error| Failure::new(Exit::Usage, error));
    let (mut term, mut hangup) = (heard(SignalKind::terminate())?, heard(SignalKind::hangup())?);
    let options = sled::Options::new(&config.data_dir).for_clocks(config.clocks.len());
    let journal = open_journal(sled::Options { accept_loss: args.accept_loss, ..options }).await?;
    // A disk that takes nothing from the first moment on is served for reading: ending would only make a loop of restarts.
    let read_only = journal.health() != Health::Ok;
    let mut settings = config.settings(trails);
    settings.limits = settings.limits.within(files);
    let (clocks, visitors) = (settings.limits.connections, settings.limits.visitors);
    if (clocks, visitors) != (config.limits.connections, config.limits.visitors) {
        tracing::warn!(files, clocks, visitors, "fewer connections than in [limits]: so many files may be open");
    }
    let running = tokio::select! {
        running = Service::start(settings, journal) => running?,
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

async fn look_into_journal(command: app::journal::Command) -> Result<bool, Failure> {
    let look = move || app::journal::run(&command, &mut std::io::stdout().lock());
    Ok(tokio::task::spawn_blocking(look).await.map_err(|error| Failure::new(Exit::Journal, error))??)
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Every command that does something, with the words that lead to it.
    fn leaves(command: &clap::Command, words: &str) -> Vec<(String, clap::Command)> {
        let below: Vec<_> = command.get_subcommands().collect();
        if below.is_empty() {
            return vec![(words.to_owned(), command.clone())];
        }
        below.into_iter().flat_map(|sub| leaves(sub, &format!("{words} {}", sub.get_name()))).collect()
    }

    #[test]
    fn every_command_has_an_example_and_none_has_two_names() {
        let cli = Cli::command();
        cli.clone().debug_assert();
        for (words, command) in leaves(&cli, "flagfall") {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let last = words.rsplit(' ').next().unwrap_or_default();
            assert!(help.contains("Example") && help.contains(last), "{words} --help shows no example: {help:?}");
            assert_eq!(command.get_all_aliases().count(), 0, "{words}");
        }
    }
}
