//! The desk from a shell: `flagfall boards`, `game`, `calls`, `decide`, `directive` and what else an arbiter does. A client of
//! `flagfall.desk.v1` like any other; it never touches the store.

mod act;
mod adjourn;
mod at;
mod boards;
mod call;
mod calls;
mod directive;
mod error;
mod facts;
mod game;
mod overlay;
pub(super) mod parse;
mod print;
mod seats;
mod table;

use std::io::Write;

use clap::{Args as ClapArgs, Subcommand};
use flagfall_proto::desk::v1::{ReadGameRequest, desk_service_client::DeskServiceClient};

pub use act::{ClaimArgs, DecideArgs, HeedArgs, OpenArgs, ReportArgs};
pub use adjourn::{AdjournArgs, DeedArgs};
pub use at::{At, Bearer, Channel, Service, Who};
pub use boards::{BoardsArgs, state};
pub use call::{Call, Way, What};
pub use calls::CallsArgs;
pub use directive::{DirectiveArgs, SetArgs, Then};
pub use error::DeskError;
pub use facts::FactArgs;
pub use game::GameArgs;
pub use overlay::OverlayArgs;

pub(super) use act::{decide, heed};
pub(super) use adjourn::choose;
pub(super) use boards::{Hall, clock, games, players, tile};
pub(super) use call::waiting;
pub(super) use print::{answer, stage, update};
pub(super) use seats::Seats;
pub(super) use table::{clean, table};

use crate::desk::{record::Record, web::Lang};

/// What an arbiter can do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Every board: clocks, state, what it wants, whether its clock is well.
    #[command(after_help = "Example: flagfall boards --finished")]
    Boards(BoardsArgs),
    /// One game: players, clocks, score, cases, directives, alarms.
    #[command(after_help = "Example: flagfall game r1.b07")]
    Game(GameArgs),
    /// What needs a person, the oldest first, each with its ways out. Exit code 1: something waits.
    #[command(after_help = "Example: flagfall calls --lang ru")]
    Calls(CallsArgs),
    /// Decide an open case by one of its ways, or by dismiss.
    #[command(after_help = "Example: flagfall decide r1.b07 1 penalty --note 'seen by the arbiter'")]
    Decide(Acting<DecideArgs>),
    /// Tell a clock something by hand: stop, times, counters, a result.
    #[command(after_help = "Example: flagfall directive r1.b07 add black 2:00")]
    Directive(Acting<DirectiveArgs>),
    /// Open a game on a clock.
    #[command(after_help = "Example: flagfall open --device clock-1 --control 900+10")]
    Open(Acting<OpenArgs>),
    /// Report an irregularity somebody saw. It opens a case.
    #[command(after_help = "Example: flagfall report r1.b07 --kind two_hands --by white --note 'castled with both'")]
    Report(Acting<ReportArgs>),
    /// Enter what a player claims of you, a resignation, a draw agreed.
    #[command(after_help = "Example: flagfall claim r1.b07 --kind draw --by white --next g1f3")]
    Claim(Acting<ClaimArgs>),
    /// Say that a player's call or claim, or an alarm, has been attended to.
    #[command(after_help = "Example: flagfall heed r1.b07")]
    Heed(Acting<HeedArgs>),
    /// Adjourn a game, keep its sealed move, go on with it another day.
    #[command(after_help = adjourn::EXAMPLES)]
    Adjourn(Acting<AdjournArgs>),
}

/// An act, where it is done, and by whom.
#[derive(Clone, Debug, ClapArgs)]
pub struct Acting<A: ClapArgs> {
    /// What.
    #[command(flatten)]
    pub act: A,
    /// By whom.
    #[command(flatten)]
    pub who: Who,
    /// Where.
    #[command(flatten)]
    pub at: At,
}

/// Carries out one command and prints its answer; true: it found nothing that waits for somebody.
///
/// # Errors
/// The service cannot be reached or refuses.
pub async fn run(command: &Command, out: &mut (dyn Write + Send)) -> Result<bool, DeskError> {
    let mut clean = true;
    match command {
        Command::Boards(BoardsArgs { finished, at }) => {
            let hall = Hall::look(&mut at.connect().await?, *finished).await?;
            write!(out, "{}", boards::print(&hall, at.json))?;
        }
        Command::Game(GameArgs { game, lang, at }) => {
            let whole = game::Whole::read(&mut at.connect().await?, game).await?;
            writeln!(out, "{}", game::print(&whole, *lang, at.json).trim_end())?;
        }
        Command::Calls(CallsArgs { lang, at }) => {
            let calls = calls::calls(&mut at.connect().await?, *lang).await?;
            clean = calls.is_empty();
            calls.iter().try_for_each(|call| writeln!(out, "{}", calls::print(call, at.json)))?;
        }
        Command::Decide(Acting { act, who, at }) => {
            writeln!(out, "{}", answer(&decide(&mut at.connect().await?, who, act).await?, at.json))?;
        }
        Command::Directive(Acting { act, who, at }) => {
            writeln!(out, "{}", answer(&directive::direct(&mut at.connect().await?, who, act).await?, at.json))?;
        }
        Command::Open(Acting { act, who, at }) => {
            writeln!(out, "{}", answer(&act::open(&mut at.connect().await?, who, act).await?, at.json))?;
        }
        Command::Report(Acting { act, who, at }) => {
            writeln!(out, "{}", answer(&act::report(&mut at.connect().await?, who, act).await?, at.json))?;
        }
        Command::Claim(Acting { act, who, at }) => {
            writeln!(out, "{}", answer(&act::claim(&mut at.connect().await?, who, act).await?, at.json))?;
        }
        Command::Heed(Acting { act, who, at }) => {
            writeln!(out, "{}", answer(&heed(&mut at.connect().await?, who, act).await?, at.json))?;
        }
        Command::Adjourn(Acting { act, who, at }) => writeln!(out, "{}", adjourn::run(act, who, at).await?)?,
    }
    out.flush()?;
    Ok(clean)
}

/// What a game's entries tell.
pub(super) async fn record(client: &mut DeskServiceClient<Channel>, game: &str) -> Result<Record, DeskError> {
    let (mut record, mut from) = (Record::default(), 1);
    loop {
        let asked = ReadGameRequest { game: game.to_owned(), from, max: 0 };
        let entries = client.read_game(asked).await?.into_inner().entries;
        let Some(last) = entries.last() else { return Ok(record) };
        from = last.index + 1;
        entries.iter().for_each(|stored| record.take(stored));
    }
}

/// A language by its code.
pub(super) fn lang(code: &str) -> Result<Lang, String> {
    Lang::named(code).ok_or_else(|| "expected en or ru".to_owned())
}

/// Wall time as RFC 3339 has it, to the second; empty: not known.
pub(super) fn instant(wall_ms: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(wall_ms).ok().filter(|_| wall_ms > 0);
    at.map_or_else(String::new, |at| format!("{at:.0}"))
}
