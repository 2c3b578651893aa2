//! The desk's acts as requests. Every act gets an id of its own; sending it again is the caller's to ask for.

use clap::Args as ClapArgs;
use flagfall_proto::{
    clock::v1::{self, Add, Conclude, Directive, Face, Hand, Run, Set, Show, Stop, Words, directive::Act as What},
    desk::v1::{
        Act, DecideRequest, EnterClaimRequest, HeedRequest, IssueDirectiveRequest, MoveGameRequest, OpenGameRequest,
        ReportIrregularityRequest,
    },
    journal::v1::{ActByHand, ClaimMade, Decision, Heed, Play, SeenIrregularity},
};
use flagfall_rules::{
    clock::{Colour, Control, Place},
    game::{Claim, Irregularity},
};

use super::{
    Client, Command, DeskError, FactArgs, OverlayArgs,
    parse::{self, colour, kind, place, time},
};
use crate::journal::codec::Numbered;

/// Arguments of `desk open`.
#[derive(Clone, Debug, ClapArgs)]
pub struct OpenArgs {
    /// The clock, as the service's settings list it.
    #[arg(long)]
    pub device: String,
    /// Moves/base+increment in seconds, d for a delay, b for Bronstein, ":" between periods; without it the clock is external.
    #[arg(long)]
    pub control: Option<Control>,
    /// The edition of the Laws.
    #[arg(long, default_value = "fide-2018")]
    pub edition: String,
    /// standard, rapid, blitz, rapid-supervised or blitz-supervised.
    #[arg(long, default_value = "standard", value_parser = crate::app::replay::kind_of_play)]
    pub play: Play,
    /// White's half of the clock: left or right.
    #[arg(long, default_value = "left", value_parser = place)]
    pub white: Place,
    /// Where the game begins, FEN.
    #[arg(long, default_value = "")]
    pub position: String,
    /// A name; without it the service makes one.
    #[arg(long, default_value = "")]
    pub game: String,
    /// What the event sets differently.
    #[command(flatten)]
    pub overlay: OverlayArgs,
    /// How late a player may come to the resumption of an adjourned game: H:MM:SS, M:SS or seconds.
    #[arg(long, value_parser = time)]
    pub default_time: Option<i64>,
}

/// Arguments of `desk report`.
#[derive(Clone, Debug, ClapArgs)]
pub struct ReportArgs {
    /// The game.
    pub game: String,
    /// What was seen: illegal_move, pawn_left, press_without_move, two_hands, displaced, displaced_found, wrong_start,
    /// board_turned, colours_reversed, clock_jump, clock_setting, forgotten_press, touch_move, conduct, illegal_position, both_flags.
    #[arg(long, value_parser = kind)]
    pub kind: Irregularity,
    /// Who: white or black.
    #[arg(long, value_parser = colour)]
    pub by: Colour,
    /// At which ply, from 1; without it the last of that player.
    #[arg(long, default_value_t = 0)]
    pub ply: u32,
    /// In your words.
    #[arg(long, default_value = "")]
    pub note: String,
    /// What else is known.
    #[command(flatten)]
    pub facts: FactArgs,
}

/// Arguments of `desk claim`.
#[derive(Clone, Debug, ClapArgs)]
pub struct ClaimArgs {
    /// The game.
    pub game: String,
    /// What is claimed: flag, illegal_move, draw, resignation, agreement.
    #[arg(long, value_parser = parse::claim)]
    pub kind: Claim,
    /// Who claims, resigns or agrees: white or black.
    #[arg(long, value_parser = colour)]
    pub by: Colour,
    /// In your words.
    #[arg(long, default_value = "")]
    pub note: String,
    /// What else is known.
    #[command(flatten)]
    pub facts: FactArgs,
}

/// Arguments of `desk decide`.
#[derive(Clone, Debug, ClapArgs)]
pub struct DecideArgs {
    /// The game.
    pub game: String,
    /// The case's number.
    pub case: u32,
    /// The key of a proposed remedy.
    pub choice: String,
    /// Why.
    #[arg(long, default_value = "")]
    pub note: String,
}

/// Arguments of `desk move`.
#[derive(Clone, Debug, ClapArgs)]
pub struct MoveArgs {
    /// The game.
    pub game: String,
    /// The clock, as the service's settings list it; it must have no game under way.
    #[arg(long)]
    pub device: String,
    /// Why.
    #[arg(long, default_value = "")]
    pub note: String,
}

/// Arguments of `desk set`.
#[derive(Clone, Debug, ClapArgs)]
pub struct SetArgs {
    /// The game.
    pub game: String,
    /// White's time: H:MM:SS, M:SS or seconds.
    #[arg(long, value_parser = time)]
    pub white: Option<i64>,
    /// Black's time.
    #[arg(long, value_parser = time)]
    pub black: Option<i64>,
    /// White's completed moves.
    #[arg(long)]
    pub white_moves: Option<u32>,
    /// Black's completed moves.
    #[arg(long)]
    pub black_moves: Option<u32>,
    /// Who runs next: white or black.
    #[arg(long, value_parser = colour)]
    pub turn: Option<Colour>,
    /// Start at once.
    #[arg(long)]
    pub run: bool,
    /// The position to restore, FEN.
    #[arg(long, default_value = "")]
    pub position: String,
}

/// What came of an act.
pub(super) struct Answer {
    /// The game.
    pub game: String,
    /// The case opened, where one was.
    pub case: Option<u32>,
    /// The directive issued, where one was.
    pub rev: Option<u64>,
}

pub(super) async fn act(
    client: &mut Client,
    (actor, reason): (&str, &str),
    command: &Command,
) -> Result<Answer, DeskError> {
    let act =
        Some(Act { request: uuid::Uuid::now_v7().to_string(), actor: actor.to_owned(), reason: reason.to_owned() });
    let directed = match command {
        Command::Open(args) => {
            let request = OpenGameRequest {
                act,
                game: args.game.clone(),
                device: args.device.clone(),
                edition: args.edition.clone(),
                play: args.play.into(),
                control: args.control.as_ref().map(v1::Control::from),
                side_binding: v1::Place::from(args.white).into(),
                position: args.position.clone(),
                overlay: args.overlay.overlay(args.default_time),
            };
            let opened = client.open_game(request).await?.into_inner();
            return Ok(Answer { game: opened.game, case: None, rev: Some(opened.rev) });
        }
        Command::Report(args) => {
            let (kind, by) = (args.kind.number(), v1::Colour::from(args.by).into());
            let (note, facts) = (args.note.clone(), Some((&args.facts).into()));
            let seen = Some(SeenIrregularity { kind, by, ply: args.ply, note, facts });
            let request = ReportIrregularityRequest { act, game: args.game.clone(), seen };
            let case = client.report_irregularity(request).await?.into_inner().case;
            return Ok(Answer { game: args.game.clone(), case: Some(case), rev: None });
        }
        Command::Claim(args) => {
            let (kind, by) = (args.kind.number(), v1::Colour::from(args.by).into());
            let claim = Some(ClaimMade { by, kind, note: args.note.clone(), facts: Some((&args.facts).into()) });
            let request = EnterClaimRequest { act, game: args.game.clone(), claim };
            let entered = client.enter_claim(request).await?.into_inner();
            let (case, rev) = (Some(entered.case).filter(|&case| case > 0), Some(entered.rev).filter(|&rev| rev > 0));
            return Ok(Answer { game: args.game.clone(), case, rev });
        }
        Command::Decide(args) => {
            let (case, choice, note) = (args.case, args.choice.clone(), args.note.clone());
            let decision = Some(Decision { case, choice, note });
            let rev = client.decide(DecideRequest { act, game: args.game.clone(), decision }).await?.into_inner().rev;
            return Ok(Answer { game: args.game.clone(), case: Some(case), rev: Some(rev).filter(|&rev| rev > 0) });
        }
        Command::Heed { game, through } => {
            let through = match through {
                Some(through) => *through,
                None => u32::try_from(super::snapshot(client, game).await?.alarms.len()).unwrap_or(u32::MAX),
            };
            client.heed(HeedRequest { act, game: game.clone(), heed: Some(Heed { through }) }).await?;
            return Ok(Answer { game: game.clone(), case: None, rev: None });
        }
        Command::Stop { game } => {
            (game, What::Stop(Stop { words: words("Stopped by the arbiter", "Остановлено арбитром") }))
        }
        Command::Run { game } => (game, What::Run(Run { words: None })),
        Command::Show { game, en, ru } => (game, What::Show(Show { words: words(en, ru) })),
        Command::Add { game, side, seconds } => {
            let (colour, amount_ms) = (v1::Colour::from(*side).into(), seconds * 1_000);
            (game, What::Add(Add { colour, amount_ms, words: words("Time added", "Добавлено время") }))
        }
        Command::Set(args) => (&args.game, What::Set(set(client, args).await?)),
        Command::Result { game, result } => {
            let outcome = result.number();
            (game, What::Conclude(Conclude { outcome, words: words(result.pgn(), result.pgn()) }))
        }
        Command::Move(MoveArgs { game, device, note }) => {
            let (device, note) = (device.clone(), note.clone());
            let request = MoveGameRequest { act, game: game.clone(), device, note };
            let rev = client.move_game(request).await?.into_inner().rev;
            return Ok(Answer { game: game.clone(), case: None, rev: Some(rev) });
        }
        // Not acts of this kind: `run` of the parent answers them.
        Command::List { .. } | Command::Watch { .. } | Command::Adjourn(_) => {
            return Err(tonic::Status::internal("no act").into());
        }
    };
    let (game, what) = directed;
    let directive = Some(Directive { act: Some(what), ..Directive::default() });
    let request = IssueDirectiveRequest { act, game: game.clone(), by_hand: Some(ActByHand { directive }) };
    let rev = client.issue_directive(request).await?.into_inner().rev;
    Ok(Answer { game: game.clone(), case: None, rev: Some(rev) })
}

/// A whole face: what is not named stays as the clock last showed it.
async fn set(client: &mut Client, args: &SetArgs) -> Result<Set, DeskError> {
    let face: Face = super::snapshot(client, &args.game).await?.face.unwrap_or_default();
    let hand = |now: Option<Hand>, left: Option<i64>, moves: Option<u32>, name: &'static str| {
        let now = now.unwrap_or_default();
        let left_ms = left.or(now.left_ms).ok_or_else(|| DeskError::NoReading(args.game.clone(), name))?;
        let moves = moves.unwrap_or(now.moves);
        Ok::<_, DeskError>(Hand { left_ms: Some(left_ms), moves, period: now.period, flagged: false })
    };
    Ok(Set {
        white: Some(hand(face.white, args.white, args.white_moves, "white")?),
        black: Some(hand(face.black, args.black, args.black_moves, "black")?),
        turn: args.turn.map_or(face.turn, |turn| v1::Colour::from(turn).into()),
        run: args.run,
        white_place: face.white_place,
        position: args.position.clone(),
        words: words("Set by the arbiter", "Установлено арбитром"),
    })
}

fn words(en: &str, ru: &str) -> Option<Words> {
    Some(Words { en: en.to_owned(), ru: ru.to_owned() })
}
