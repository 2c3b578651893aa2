//! `flagfall desk …`: the desk from a shell. A client of `flagfall.desk.v1` like any other; it never touches the store.

mod act;
mod adjourn;
mod facts;
mod overlay;
pub(super) mod parse;
mod print;

use std::io::Write;

use clap::{Args as ClapArgs, Subcommand};
use flagfall_proto::desk::v1::{
    GameSnapshot, ListGamesRequest, WatchGamesRequest, desk_service_client::DeskServiceClient,
};
use tonic::{
    metadata::{Ascii, MetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport::Channel,
};

pub use act::{ClaimArgs, DecideArgs, MoveArgs, OpenArgs, ReportArgs, SetArgs};
pub use adjourn::{AdjournArgs, DeedArgs};
pub use facts::FactArgs;
pub use overlay::OverlayArgs;

use crate::seal::SealError;

/// Longest answer of the service that is read: a list of a thousand games fits.
const LONGEST_ANSWER: usize = 64 * 1024 * 1024;

/// Arguments of `flagfall desk`.
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Where the service listens for desks.
    #[arg(long, global = true, default_value = "http://127.0.0.1:7702", env = "FLAGDESK_URI", value_name = "URI")]
    pub desk: String,
    /// Who acts, as the journal shall name him.
    #[arg(long, global = true, default_value = "arbiter", env = "FLAGDESK_ACTOR", value_name = "NAME")]
    pub actor: String,
    /// The token of a user, where the service has users: NAME:WORD of `flagfall user add --token`.
    #[arg(long, global = true, env = "FLAGDESK_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// Why, for the record.
    #[arg(long, global = true, default_value = "", value_name = "WORDS")]
    pub reason: String,
    /// JSON for machines: one object a line.
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be done at the desk.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Open a game on a clock.
    #[command(after_help = "Example: flagfall desk open --device clock-1 --control 900+10")]
    Open(OpenArgs),
    /// The games at hand, and what waits for a decision.
    #[command(after_help = "Example: flagfall desk list --finished")]
    List {
        /// The finished games on the shelf too.
        #[arg(long)]
        finished: bool,
    },
    /// Follow games as they go, until Ctrl-C.
    Watch {
        /// Names of games; none: all.
        games: Vec<String>,
    },
    /// Report an irregularity somebody saw.
    #[command(
        after_help = "Example: flagfall desk report r1.b07 --kind two_hands --by white --note 'castled with both'"
    )]
    Report(ReportArgs),
    /// Enter what a player claims of you, a resignation, a draw agreed.
    #[command(after_help = "Example: flagfall desk claim r1.b07 --kind draw --by white --next g1f3")]
    Claim(ClaimArgs),
    /// Decide an open case by one of its remedies.
    #[command(after_help = "Example: flagfall desk decide r1.b07 1 penalty --note 'seen by the arbiter'")]
    Decide(DecideArgs),
    /// Say that a player's call or claim, or an alarm, has been attended to.
    #[command(after_help = "Example: flagfall desk heed r1.b07")]
    Heed {
        /// The game.
        game: String,
        /// Every alarm up to this number; without it all there are.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        through: Option<u32>,
    },
    /// Stop both sides.
    Stop {
        /// The game.
        game: String,
    },
    /// Let the side to move run.
    Run {
        /// The game.
        game: String,
    },
    /// Say something on the display.
    Show {
        /// The game.
        game: String,
        /// English.
        en: String,
        /// Russian.
        ru: String,
    },
    /// Add seconds to one side.
    #[command(after_help = "Example: flagfall desk add r1.b07 black 120")]
    Add {
        /// The game.
        game: String,
        /// white or black.
        #[arg(value_parser = parse::colour)]
        side: flagfall_rules::clock::Colour,
        /// Whole seconds.
        #[arg(value_parser = clap::value_parser!(i64).range(1..=36_000))]
        seconds: i64,
    },
    /// Set times, side, position; what is not named stays as the clock last showed it.
    #[command(after_help = "Example: flagfall desk set r1.b07 --white 12:30 --black 0:09:00 --turn black")]
    Set(SetArgs),
    /// Adjourn a game, keep its sealed move, go on with it another day.
    #[command(after_help = adjourn::EXAMPLES)]
    Adjourn(AdjournArgs),
    /// Go on with a game on another clock: one that was adjourned, or one whose clock died.
    #[command(after_help = "Example: flagfall desk move r1.b07 --device clock-2 --note 'its clock has another game'")]
    Move(MoveArgs),
    /// Enter a result.
    #[command(after_help = "Example: flagfall desk result r1.b07 1-0")]
    Result {
        /// The game.
        game: String,
        /// 1-0, 0-1, 1/2-1/2 or 0-0.
        #[arg(value_parser = parse::outcome)]
        result: flagfall_rules::game::Outcome,
    },
}

/// Why an act came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The service cannot be reached.
    #[error("the desk at {0} cannot be reached; is `flagfall serve` running there? ({1})")]
    Connect(String, tonic::transport::Error),
    /// The address is none.
    #[error("{0}: expected an address such as http://127.0.0.1:7702")]
    Address(String),
    /// The service refuses; the message begins with the named reason.
    #[error("{}", .0.message())]
    Refused(#[from] tonic::Status),
    /// The game is not there.
    #[error("NO_SUCH_GAME: {0}; `flagfall desk list` names them")]
    NoGame(String),
    /// The clock's reading is not known and none was given.
    #[error("the clock of {0} has shown no reading for {1}: give it with --{1}")]
    NoReading(String, &'static str),
    /// A move cannot be sealed or opened.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// A file of an identity, or the standard input, cannot be used.
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    /// What the command needs is not there.
    #[error("{0}")]
    Missing(String),
    /// Nobody reads what is printed.
    #[error("the answer cannot be written: {0}")]
    Output(#[from] std::io::Error),
}

/// A client of the desk that says whose it is.
pub type Client = DeskServiceClient<InterceptedService<Channel, Bearer>>;

/// Puts a token into every request.
#[derive(Clone)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl Bearer {
    /// Of a token; without one the requests say nothing of who asks.
    ///
    /// # Errors
    /// It has characters that no token has.
    pub fn new(token: Option<&str>) -> Result<Bearer, &'static str> {
        let header = token.map(|token| format!("Bearer {token}").parse()).transpose();
        header.map(Bearer).map_err(|_| "the token has characters that no token has")
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: tonic::Request<()>) -> Result<tonic::Request<()>, tonic::Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert("authorization", token.clone());
        }
        Ok(request)
    }
}

/// A client of the desk at an address, in the name of who has the token.
///
/// # Errors
/// The desk cannot be reached, or the token cannot be one.
pub async fn connect(uri: &str, token: Option<&str>) -> Result<Client, DeskError> {
    let bearer = Bearer::new(token).map_err(|why| DeskError::Missing(why.to_owned()))?;
    let unreachable = |error| DeskError::Connect(uri.to_owned(), error);
    let channel = Channel::from_shared(uri.to_owned()).map_err(|_| DeskError::Address(uri.to_owned()))?;
    let channel = channel.connect().await.map_err(unreachable)?;
    Ok(DeskServiceClient::with_interceptor(channel, bearer).max_decoding_message_size(LONGEST_ANSWER))
}

/// Carries out one command and prints its answer.
///
/// # Errors
/// The service cannot be reached or refuses.
pub async fn run(args: &Args, out: &mut (dyn Write + Send)) -> Result<(), DeskError> {
    if let Command::Adjourn(AdjournArgs { deed: DeedArgs::Keygen { out: file }, .. }) = &args.command {
        let recipient = adjourn::keygen(file)?;
        return Ok(writeln!(out, "{}", print::recipient(&recipient, file, args.json))?);
    }
    if matches!(&args.command, Command::Adjourn(AdjournArgs { game: None, .. })) {
        return Err(adjourn::which_game());
    }
    let mut client = connect(&args.desk, args.token.as_deref()).await?;
    match &args.command {
        Command::List { finished } => {
            let mut request = ListGamesRequest { finished: *finished, ..ListGamesRequest::default() };
            loop {
                let page = client.list_games(request.clone()).await?.into_inner();
                page.games.iter().try_for_each(|game| writeln!(out, "{}", print::game(game, args.json)))?;
                request.after = page.next;
                if request.after.is_empty() {
                    break;
                }
            }
        }
        Command::Watch { games } => {
            let request = WatchGamesRequest { games: games.clone() };
            let mut updates = client.watch_games(request).await?.into_inner();
            while let Some(update) = updates.message().await? {
                for line in print::update(&update, args.json) {
                    writeln!(out, "{line}")?;
                }
                out.flush()?;
            }
        }
        Command::Adjourn(adjourn) => {
            let answer = adjourn::act(&mut client, &args.actor, adjourn).await?;
            let stands = snapshot(&mut client, &answer.game).await?;
            writeln!(out, "{}", print::adjourned(&answer, &stands, args.json))?;
        }
        command => {
            let answer = act::act(&mut client, (&args.actor, &args.reason), command).await?;
            writeln!(out, "{}", print::answer(&answer, args.json))?;
        }
    }
    Ok(out.flush()?)
}

/// Carries out an act in a game and says what came of it.
///
/// # Errors
/// The service refuses.
pub async fn act(client: &mut Client, who: (&str, &str), command: &Command) -> Result<String, DeskError> {
    Ok(print::answer(&act::act(client, who, command).await?, false))
}

/// A game as it stands.
async fn snapshot(client: &mut Client, game: &str) -> Result<GameSnapshot, DeskError> {
    let request = WatchGamesRequest { games: vec![game.to_owned()] };
    let first = client.watch_games(request).await?.into_inner().message().await?;
    first.and_then(|update| update.snapshot).ok_or_else(|| DeskError::NoGame(game.to_owned()))
}
