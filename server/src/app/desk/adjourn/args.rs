//! What can be typed.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use flagfall_rules::{clock::Colour, game::Uci};
use jiff::Timestamp;

use super::super::parse::{colour, instant, time, uci};
use crate::seal::{Recipient, Sealed};

/// Arguments of `flagfall adjourn`.
#[derive(Clone, Debug, ClapArgs)]
pub struct AdjournArgs {
    /// The game; everything but `keygen` needs it.
    pub game: Option<String>,
    /// What is done.
    #[command(subcommand)]
    pub deed: DeedArgs,
}

/// The names of the players.
#[derive(Clone, Debug, ClapArgs)]
pub struct SituationArgs {
    /// White's name, for the envelope.
    #[arg(long)]
    pub white: Option<String>,
    /// Black's name.
    #[arg(long)]
    pub black: Option<String>,
    /// The position in FEN, where no board shows it.
    #[arg(long, default_value = "")]
    pub position: String,
    /// Who offered a draw that is still open: white or black.
    #[arg(long, value_parser = colour)]
    pub offer: Option<Colour>,
}

/// Times of both players.
#[derive(Clone, Debug, ClapArgs)]
pub struct TimesArgs {
    /// White's time: H:MM:SS, M:SS or seconds.
    #[arg(long, value_parser = time)]
    pub white: Option<i64>,
    /// Black's time.
    #[arg(long, value_parser = time)]
    pub black: Option<i64>,
}

/// What can be done about an adjournment.
#[derive(Clone, Debug, Subcommand)]
pub enum DeedArgs {
    /// Make an identity for the arbiter, in a file that only he can read, and print its recipient for the service's settings.
    #[command(after_help = "Example: flagfall adjourn keygen --out identity.txt")]
    Keygen {
        /// The new file.
        #[arg(long, default_value = "flagfall-identity.txt", value_name = "FILE")]
        out: PathBuf,
    },
    /// Announce the present session.
    #[command(after_help = "Example: flagfall adjourn r1.b07 announce --start 2026-05-01T10:00 --end 2026-05-01T16:00")]
    Announce {
        /// When it starts: a date and time, in this machine's zone unless it names one.
        #[arg(long, value_parser = instant)]
        start: Timestamp,
        /// When it ends.
        #[arg(long, value_parser = instant)]
        end: Option<Timestamp>,
    },
    /// The session has ended: the player to move is to seal.
    #[command(after_help = "Example: flagfall adjourn r1.b07 end-session --white Player-One --black Player-Two")]
    EndSession(SituationArgs),
    /// The player to move adjourns before the session's end.
    #[command(after_help = "Example: flagfall adjourn r1.b07 early --white Player-One --black Player-Two")]
    Early(SituationArgs),
    /// Seal a move, read from standard input; nobody but the arbiter's identity can read it before it is opened.
    #[command(after_help = "Example: flagfall adjourn r1.b07 seal --by white < move.txt")]
    Seal {
        /// Who seals: white or black.
        #[arg(long, value_parser = colour)]
        by: Colour,
    },
    /// The player made a move on the board though he was to seal.
    #[command(after_help = "Example: flagfall adjourn r1.b07 on-board g1f3")]
    OnBoard {
        /// The move, such as g1f3.
        #[arg(value_parser = uci)]
        made: Uci,
    },
    /// A player's score sheet is in the envelope.
    #[command(after_help = "Example: flagfall adjourn r1.b07 sheet white")]
    Sheet {
        /// white or black.
        #[arg(value_parser = colour)]
        of: Colour,
        /// It is not of paper.
        #[arg(long)]
        electronic: bool,
    },
    /// The envelope is sealed.
    #[command(after_help = "Example: flagfall adjourn r1.b07 close")]
    Close,
    /// The player who sealed has stopped the clock; without times it is as the clock last showed.
    #[command(after_help = "Example: flagfall adjourn r1.b07 stop-clock --white 42:00 --black 1:12:30")]
    StopClock {
        /// What the clock shows.
        #[command(flatten)]
        times: TimesArgs,
        /// The opponent's clock was started, which it must not be.
        #[arg(long)]
        opponent_runs: bool,
    },
    /// Fix when and where the game goes on.
    #[command(after_help = "Example: flagfall adjourn r1.b07 appoint --start 2026-05-02T10:00 --end 2026-05-02T14:00 \
                            --venue 'the club'")]
    Appoint {
        /// The time agreed.
        #[arg(long, value_parser = instant)]
        start: Timestamp,
        /// When that session ends.
        #[arg(long, value_parser = instant)]
        end: Option<Timestamp>,
        /// Where.
        #[arg(long)]
        venue: String,
    },
    /// The arbiter has checked the envelope: it is right, but for what is given.
    #[command(after_help = "Example: flagfall adjourn r1.b07 check --white Player-One --white-used 1:18:00")]
    Check {
        /// White's name.
        #[arg(long)]
        white: Option<String>,
        /// Black's name.
        #[arg(long)]
        black: Option<String>,
        /// Time used by White.
        #[arg(long, value_parser = time)]
        white_used: Option<i64>,
        /// Time used by Black.
        #[arg(long, value_parser = time)]
        black_used: Option<i64>,
        /// White's time left.
        #[arg(long, value_parser = time)]
        white_left: Option<i64>,
        /// Black's time left.
        #[arg(long, value_parser = time)]
        black_left: Option<i64>,
        /// The position before the sealed move, FEN.
        #[arg(long)]
        position: Option<String>,
    },
    /// The envelope goes to somebody.
    #[command(after_help = "Example: flagfall adjourn r1.b07 hand-over 'the chief arbiter'")]
    HandOver {
        /// Who.
        to: String,
    },
    /// A player offers a draw.
    #[command(after_help = "Example: flagfall adjourn r1.b07 offer black")]
    Offer {
        /// white or black.
        #[arg(value_parser = colour)]
        by: Colour,
    },
    /// A player accepts the open offer.
    #[command(after_help = "Example: flagfall adjourn r1.b07 accept white")]
    Accept {
        /// white or black.
        #[arg(value_parser = colour)]
        by: Colour,
    },
    /// A player declines the open offer.
    #[command(after_help = "Example: flagfall adjourn r1.b07 decline white")]
    Decline {
        /// white or black.
        #[arg(value_parser = colour)]
        by: Colour,
    },
    /// The players agreed a draw.
    #[command(after_help = "Example: flagfall adjourn r1.b07 agree")]
    Agree,
    /// A player resigns.
    #[command(after_help = "Example: flagfall adjourn r1.b07 resign black")]
    Resign {
        /// white or black.
        #[arg(value_parser = colour)]
        by: Colour,
    },
    /// Set up position and times; times only where the recorded ones are unknown.
    #[command(after_help = "Example: flagfall adjourn r1.b07 set-up")]
    SetUp(TimesArgs),
    /// A player has come.
    #[command(after_help = "Example: flagfall adjourn r1.b07 came white")]
    Came {
        /// white or black.
        #[arg(value_parser = colour)]
        player: Colour,
    },
    /// A player has gone.
    #[command(after_help = "Example: flagfall adjourn r1.b07 went white")]
    Went {
        /// white or black.
        #[arg(value_parser = colour)]
        player: Colour,
    },
    /// It is the time agreed for the resumption.
    #[command(after_help = "Example: flagfall adjourn r1.b07 begin")]
    Begin,
    /// The player who must reply has come and stops his running clock.
    #[command(after_help = "Example: flagfall adjourn r1.b07 stop-on-arrival")]
    StopOnArrival,
    /// Open the envelope: the move is made, and the responder's clock runs.
    #[command(after_help = "Example: flagfall adjourn r1.b07 open --identity identity.txt")]
    Open {
        /// The arbiter's identity.
        #[arg(long, value_name = "FILE")]
        identity: PathBuf,
    },
    /// The envelope is lost, and the player who sealed says what he had sealed.
    #[command(after_help = "Example: flagfall adjourn r1.b07 stated Nf3")]
    Stated {
        /// The move as he says it.
        text: String,
    },
    /// The sealer being absent, the other player replies normally.
    #[command(after_help = "Example: flagfall adjourn r1.b07 reply b8c6")]
    Reply {
        /// The move, such as b8c6.
        #[arg(value_parser = uci)]
        reply: Uci,
    },
    /// The sealer being absent, the other player seals his reply, read from standard input.
    #[command(after_help = "Example: flagfall adjourn r1.b07 seal-reply --to 'the chief arbiter' < reply.txt")]
    SealReply {
        /// Who takes the envelope.
        #[arg(long)]
        to: String,
    },
    /// Open the envelope with the reply.
    #[command(after_help = "Example: flagfall adjourn r1.b07 open-reply --identity identity.txt")]
    OpenReply {
        /// The arbiter's identity.
        #[arg(long, value_name = "FILE")]
        identity: PathBuf,
    },
    /// A player made his first move after the resumption; where a board is followed it is noted by itself.
    #[command(after_help = "Example: flagfall adjourn r1.b07 first-move black")]
    FirstMove {
        /// white or black.
        #[arg(value_parser = colour)]
        by: Colour,
    },
    /// A player's flag fell; where the clock is linked it is noted by itself.
    #[command(after_help = "Example: flagfall adjourn r1.b07 flag white")]
    Flag {
        /// white or black.
        #[arg(value_parser = colour)]
        by: Colour,
    },
    /// Look whether somebody is too late.
    #[command(after_help = "Example: flagfall adjourn r1.b07 late")]
    Late,
    /// A player may come later than the default time.
    #[command(after_help = "Example: flagfall adjourn r1.b07 excuse black")]
    Excuse {
        /// white or black.
        #[arg(value_parser = colour)]
        player: Colour,
    },
    /// The envelope is missing.
    #[command(after_help = "Example: flagfall adjourn r1.b07 lost --position-unknown")]
    Lost {
        /// The position cannot be recovered either: a new game is played.
        #[arg(long)]
        position_unknown: bool,
    },
    /// A player says that the used time is wrong on a clock.
    #[command(after_help = "Example: flagfall adjourn r1.b07 clock-error --by black --black 1:02:00")]
    ClockError {
        /// Who says so.
        #[arg(long, value_parser = colour)]
        by: Colour,
        /// What the clock should show; what is not named stays.
        #[command(flatten)]
        times: TimesArgs,
    },
    /// Decide what the arbiter is asked.
    #[command(after_help = "Example: flagfall adjourn r1.b07 choose both_lose")]
    Choose {
        /// A key of the proposal.
        key: String,
    },
    /// Seal a move, read from standard input, without the service: the envelope is printed, to be handed in on the desk's page.
    #[command(after_help = "Example: flagfall adjourn r1.b07 envelope --for flagfall-recipient-… < move.txt")]
    Envelope {
        /// Whom it is sealed for; the page of the game says it.
        #[arg(long = "for", value_name = "RECIPIENT")]
        recipient: Recipient,
    },
    /// Open an envelope without the service: what was in it is printed, to be brought to the desk's page.
    #[command(after_help = "Example: flagfall adjourn r1.b07 unseal --identity identity.txt flagfall-sealed-…")]
    Unseal {
        /// The arbiter's identity.
        #[arg(long, value_name = "FILE")]
        identity: PathBuf,
        /// The envelope; the page of the game says it once it may be opened.
        envelope: Sealed,
    },
}
