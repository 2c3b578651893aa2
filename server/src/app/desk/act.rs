//! Acts in a game as requests. Every act gets an id of its own; sending it again is the caller's to ask for.

use clap::Args as ClapArgs;
use flagfall_proto::{
    clock::v1,
    desk::v1::{
        DecideRequest, EnterClaimRequest, GetGameRequest, HeedRequest, OpenGameRequest, ReportIrregularityRequest,
    },
    journal::v1::{ClaimMade, Decision, Facts, Heed, Play, SeenIrregularity},
};
use flagfall_rules::{
    clock::{Colour, Control, Place},
    game::{Claim, Irregularity, Uci},
};

use super::{
    DeskError, FactArgs, OverlayArgs, Service, Who,
    parse::{self, colour, kind, place, time},
};
use crate::journal::codec::Numbered;

/// Who acts where nobody is named.
pub(super) const ARBITER: &str = "arbiter";

/// Arguments of `flagfall open`.
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

/// Arguments of `flagfall report`.
#[derive(Clone, Debug, ClapArgs)]
pub struct ReportArgs {
    /// The game.
    pub game: String,
    /// What was seen: illegal_move, pawn_left, press_without_move, two_hands, displaced, displaced_found, wrong_start,
    /// board_turned, colours_reversed, clock_jump, clock_setting, forgotten_press, touch_move, conduct, illegal_position, both_flags,
    /// flag_seen, and draw_claim where your decision on a draw was put off.
    #[arg(long, value_parser = kind)]
    pub kind: Irregularity,
    /// Who: white or black.
    #[arg(long, value_parser = colour)]
    pub by: Colour,
    /// At which ply, from 1; without it the last of that player, and pieces found displaced have been since the last move.
    #[arg(long, default_value_t = 0)]
    pub ply: u32,
    /// What else is known.
    #[command(flatten)]
    pub facts: FactArgs,
}

/// Arguments of `flagfall claim`.
#[derive(Clone, Debug, ClapArgs)]
pub struct ClaimArgs {
    /// The game.
    pub game: String,
    /// What is claimed: flag, illegal_move, draw (by repetition or fifty moves, and in a quickplay finish that there is no win by normal
    /// means; --note says which), resignation, agreement.
    #[arg(long, value_parser = parse::claim)]
    pub kind: Claim,
    /// Who claims, resigns or agrees: white or black.
    #[arg(long, value_parser = colour)]
    pub by: Colour,
    /// The move written down with a claim of a draw, such as g1f3.
    #[arg(long, value_parser = parse::uci)]
    pub next: Option<Uci>,
}

/// Arguments of `flagfall decide`.
#[derive(Clone, Debug, ClapArgs)]
pub struct DecideArgs {
    /// The game.
    pub game: String,
    /// The case's number.
    pub case: u32,
    /// The key of a proposed remedy.
    pub choice: String,
}

/// Arguments of `flagfall heed`.
#[derive(Clone, Debug, ClapArgs)]
pub struct HeedArgs {
    /// The game.
    pub game: String,
    /// Every alarm up to this number; without it all there are.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub through: Option<u32>,
}

/// What came of an act.
pub(in crate::app) struct Answer {
    /// The game.
    pub game: String,
    /// The case opened, where one was.
    pub case: Option<u32>,
    /// The directive issued, where one was.
    pub rev: Option<u64>,
}

impl Answer {
    /// About a game; a case or a revision of 0 is none.
    pub(super) fn new(game: &str, case: u32, rev: u64) -> Answer {
        let (case, rev) = (Some(case).filter(|&case| case > 0), Some(rev).filter(|&rev| rev > 0));
        Answer { game: game.to_owned(), case, rev }
    }
}

pub(super) async fn open(service: &mut Service, who: &Who, args: &OpenArgs) -> Result<Answer, DeskError> {
    let request = OpenGameRequest {
        act: who.act(ARBITER),
        game: args.game.clone(),
        device: args.device.clone(),
        edition: args.edition.clone(),
        play: args.play.into(),
        control: args.control.as_ref().map(v1::Control::from),
        side_binding: v1::Place::from(args.white).into(),
        position: args.position.clone(),
        overlay: args.overlay.overlay(args.default_time),
    };
    let opened = service.desk.open_game(request).await?.into_inner();
    Ok(Answer::new(&opened.game, 0, opened.rev))
}

pub(super) async fn report(service: &mut Service, who: &Who, args: &ReportArgs) -> Result<Answer, DeskError> {
    let (kind, by) = (args.kind.number(), v1::Colour::from(args.by).into());
    let (note, facts) = (who.note.clone(), Some((&args.facts).into()));
    let seen = Some(SeenIrregularity { kind, by, ply: args.ply, note, facts });
    let request = ReportIrregularityRequest { act: who.noted(ARBITER), game: args.game.clone(), seen };
    let case = service.desk.report_irregularity(request).await?.into_inner().case;
    Ok(Answer::new(&args.game, case, 0))
}

pub(super) async fn claim(service: &mut Service, who: &Who, args: &ClaimArgs) -> Result<Answer, DeskError> {
    let (kind, by) = (args.kind.number(), v1::Colour::from(args.by).into());
    if args.next.is_some() && args.kind != Claim::Draw {
        return Err(DeskError::Usage("--next: a move is only written down with a claim of a draw".to_owned()));
    }
    let facts = args.next.map(|uci| Facts { next: uci.to_string(), ..Facts::default() });
    let claim = Some(ClaimMade { by, kind, note: who.note.clone(), facts });
    let request = EnterClaimRequest { act: who.noted(ARBITER), game: args.game.clone(), claim };
    let entered = service.desk.enter_claim(request).await?.into_inner();
    Ok(Answer::new(&args.game, entered.case, entered.rev))
}

pub(in crate::app) async fn decide(service: &mut Service, who: &Who, args: &DecideArgs) -> Result<Answer, DeskError> {
    let decision = Some(Decision { case: args.case, choice: args.choice.clone(), note: who.note.clone() });
    let request = DecideRequest { act: who.noted(ARBITER), game: args.game.clone(), decision };
    let rev = service.desk.decide(request).await?.into_inner().rev;
    Ok(Answer::new(&args.game, args.case, rev))
}

pub(in crate::app) async fn heed(service: &mut Service, who: &Who, args: &HeedArgs) -> Result<Answer, DeskError> {
    let through = match args.through {
        Some(through) => through,
        None => {
            let asked = GetGameRequest { game: args.game.clone() };
            let game = service.desk.get_game(asked).await?.into_inner().game.unwrap_or_default();
            u32::try_from(game.alarms.len()).unwrap_or(u32::MAX)
        }
    };
    let request = HeedRequest { act: who.act(ARBITER), game: args.game.clone(), heed: Some(Heed { through }) };
    service.desk.heed(request).await?;
    Ok(Answer::new(&args.game, 0, 0))
}
