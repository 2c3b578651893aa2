//! `flagfall directive`: what a clock is told by hand.

use clap::{Args as ClapArgs, Subcommand};
use flagfall_proto::{
    clock::v1::{self, Add, Conclude, Directive, Face, Hand, Run, Set, Show, Stop, Words, directive::Act},
    desk::v1::{AnnulRequest, GetGameRequest, IssueDirectiveRequest, ListClocksRequest, MoveGameRequest},
    journal::v1::ActByHand,
};
use flagfall_rules::{
    clock::{Colour, Place},
    game::Outcome,
};

use super::{
    DeskError, Service, Who,
    act::{ARBITER, Answer},
    parse::{amount, colour, outcome, time},
};
use crate::{desk::shown, journal::codec::Numbered};

/// Arguments of `flagfall directive`.
#[derive(Clone, Debug, ClapArgs)]
pub struct DirectiveArgs {
    /// The game; `flagfall boards` names them.
    pub game: String,
    /// What to do.
    #[command(subcommand)]
    pub what: What,
}

/// What can be done by hand.
#[derive(Clone, Debug, Subcommand)]
pub enum What {
    /// Stop both sides.
    #[command(after_help = "Example: flagfall directive r1.b07 stop")]
    Stop,
    /// Let the side to move run.
    #[command(after_help = "Example: flagfall directive r1.b07 run")]
    Run,
    /// Set times, side to move, position; what is not named stays as the clock shows it.
    #[command(after_help = "Example: flagfall directive r1.b07 set --white 12:30 --black 0:09:00 --turn black")]
    Set(SetArgs),
    /// Add time to one side.
    #[command(after_help = "Example: flagfall directive r1.b07 add black 2:00")]
    Add {
        /// white or black.
        #[arg(value_parser = colour)]
        side: Colour,
        /// H:MM:SS, M:SS or seconds.
        #[arg(value_parser = amount)]
        time: i64,
    },
    /// Set the counters of completed moves.
    #[command(after_help = "Example: flagfall directive r1.b07 counter --white 31 --black 30")]
    Counter {
        /// White's completed moves.
        #[arg(long, required_unless_present = "black")]
        white: Option<u32>,
        /// Black's completed moves.
        #[arg(long)]
        black: Option<u32>,
        /// How the clock goes on.
        #[command(flatten)]
        then: Then,
    },
    /// Put the players into a period of the time control, the first being 1.
    #[command(after_help = "Example: flagfall directive r1.b07 period --white 2 --black 2")]
    Period {
        /// White's period.
        #[arg(long, required_unless_present = "black", value_parser = clap::value_parser!(u32).range(1..=8))]
        white: Option<u32>,
        /// Black's period.
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=8))]
        black: Option<u32>,
        /// How the clock goes on.
        #[command(flatten)]
        then: Then,
    },
    /// Swap the sides of the clock: the times go with the players.
    #[command(after_help = "Example: flagfall directive r1.b07 swap")]
    Swap(Then),
    /// Say something on the display.
    #[command(after_help = "Example: flagfall directive r1.b07 message 'Please wait' 'Пожалуйста, подождите'")]
    Message {
        /// English.
        en: String,
        /// Russian.
        ru: String,
    },
    /// Enter a result, or put right one that was entered by a slip.
    #[command(after_help = "Example: flagfall directive r1.b07 result 1-0")]
    Result {
        /// 1-0, 0-1, 1/2-1/2 or 0-0.
        #[arg(value_parser = outcome)]
        result: Outcome,
    },
    /// Go on with the game on another clock: one that was adjourned, or one whose clock died.
    #[command(after_help = "Example: flagfall directive r1.b07 move --device clock-2 --note 'its clock died'")]
    Move {
        /// The clock, as the service's settings list it; it must have no game under way.
        #[arg(long)]
        device: String,
    },
    /// The game counts for nothing and begins anew on the same board.
    #[command(after_help = "Example: flagfall directive r1.b07 annul --note 'the colours were reversed'")]
    Annul,
}

/// How the clock goes on.
#[derive(Clone, Copy, Debug, Default, ClapArgs)]
pub struct Then {
    /// Start at once; without it the clock stands until it is told to run.
    #[arg(long)]
    pub run: bool,
}

/// Arguments of `flagfall directive GAME set`.
#[derive(Clone, Debug, ClapArgs)]
pub struct SetArgs {
    /// White's time: H:MM:SS, M:SS or seconds.
    #[arg(long, value_parser = time)]
    pub white: Option<i64>,
    /// Black's time.
    #[arg(long, value_parser = time)]
    pub black: Option<i64>,
    /// Who runs next: white or black.
    #[arg(long, value_parser = colour)]
    pub turn: Option<Colour>,
    /// The position to restore, FEN.
    #[arg(long, default_value = "")]
    pub position: String,
    /// How the clock goes on.
    #[command(flatten)]
    pub then: Then,
}

/// Tells the clock.
///
/// # Errors
/// The service refuses, or a reading is missing.
pub(super) async fn direct(service: &mut Service, who: &Who, args: &DirectiveArgs) -> Result<Answer, DeskError> {
    let DirectiveArgs { game, what } = args;
    let act = match what {
        What::Stop => {
            Act::Stop(Stop { words: words("Stopped by the arbiter", "Остановлено арбитром") })
        }
        What::Run => Act::Run(Run { words: None }),
        What::Message { en, ru } => Act::Show(Show { words: words(en, ru) }),
        What::Add { side, time } => {
            let (colour, amount_ms) = (v1::Colour::from(*side).into(), *time);
            Act::Add(Add { colour, amount_ms, words: words("Time added", "Добавлено время") })
        }
        What::Result { result } => {
            Act::Conclude(Conclude { outcome: result.number(), words: words(result.pgn(), result.pgn()) })
        }
        What::Set(_) | What::Counter { .. } | What::Period { .. } | What::Swap(_) => {
            Act::Set(set(game, face(service, game).await?, what)?)
        }
        What::Move { device } => {
            let (act, device, note) = (who.noted(ARBITER), device.clone(), who.note.clone());
            let request = MoveGameRequest { act, game: game.clone(), device, note };
            let rev = service.desk.move_game(request).await?.into_inner().rev;
            return Ok(Answer::new(game, 0, rev));
        }
        What::Annul => {
            let request = AnnulRequest { act: who.act(ARBITER), game: game.clone() };
            return Ok(Answer::new(game, 0, service.desk.annul(request).await?.into_inner().rev));
        }
    };
    let by_hand = Some(ActByHand { directive: Some(Directive { act: Some(act), ..Directive::default() }) });
    let request = IssueDirectiveRequest { act: who.act(ARBITER), game: game.clone(), by_hand };
    let rev = service.desk.issue_directive(request).await?.into_inner().rev;
    Ok(Answer::new(game, 0, rev))
}

/// What the clock of a game shows.
async fn face(service: &mut Service, game: &str) -> Result<Face, DeskError> {
    let asked = GetGameRequest { game: game.to_owned() };
    let snapshot = service.desk.get_game(asked).await?.into_inner().game.unwrap_or_default();
    let clocks = service.desk.list_clocks(ListClocksRequest {}).await?.into_inner().clocks;
    Ok(shown::face(&snapshot, &clocks))
}

/// A whole face: what is not named stays as the clock shows it.
fn set(game: &str, face: Face, what: &What) -> Result<Set, DeskError> {
    let hand = |now: Option<Hand>, name| {
        let now = now.unwrap_or_default();
        let left_ms = Some(now.left_ms.ok_or_else(|| DeskError::NoReading(game.to_owned(), name))?);
        Ok::<_, DeskError>(Hand { left_ms, flagged: false, ..now })
    };
    let given = |now: Option<Hand>, left: Option<i64>| {
        let now = now.unwrap_or_default();
        Some(Hand { left_ms: left.or(now.left_ms), ..now })
    };
    let (mut face, mut run, mut position) = (face, false, String::new());
    if let What::Set(set) = what {
        (face.white, face.black) = (given(face.white, set.white), given(face.black, set.black));
        face.turn = set.turn.map_or(face.turn, |turn| v1::Colour::from(turn).into());
        (run, position) = (set.then.run, set.position.clone());
    }
    let (mut white, mut black) = (hand(face.white, "white")?, hand(face.black, "black")?);
    match what {
        What::Counter { white: one, black: other, then } => {
            (white.moves, black.moves) = (one.unwrap_or(white.moves), other.unwrap_or(black.moves));
            run = then.run;
        }
        What::Period { white: one, black: other, then } => {
            let period = |given: Option<u32>, now| given.map_or(now, |period| period.saturating_sub(1));
            (white.period, black.period) = (period(*one, white.period), period(*other, black.period));
            run = then.run;
        }
        What::Swap(then) => {
            let now = Place::try_from(face.white_place()).unwrap_or(Place::Left);
            face.white_place = v1::Place::from(now.other()).into();
            run = then.run;
        }
        _ => {}
    }
    let words = words("Set by the arbiter", "Установлено арбитром");
    let (turn, white_place) = (face.turn, face.white_place);
    Ok(Set { white: Some(white), black: Some(black), turn, run, white_place, position, words })
}

fn words(en: &str, ru: &str) -> Option<Words> {
    Some(Words { en: en.to_owned(), ru: ru.to_owned() })
}

#[cfg(test)]
mod tests {
    use flagfall_proto::clock::v1::{Colour, Place};

    use super::*;

    fn face() -> Face {
        let hand = |left, moves| Some(Hand { left_ms: Some(left), moves, period: 0, flagged: true });
        let (turn, white_place) = (Colour::White.into(), Place::Left.into());
        Face { white: hand(60_000, 30), black: hand(90_000, 29), turn, white_place, ..Face::default() }
    }

    fn hands(set: &Set) -> [(Option<i64>, u32, u32, bool); 2] {
        [set.white, set.black].map(|hand| {
            let hand = hand.expect("a whole face");
            (hand.left_ms, hand.moves, hand.period, hand.flagged)
        })
    }

    #[test]
    fn what_is_not_named_stays_as_the_clock_shows_it() {
        let args = SetArgs {
            white: Some(750_000),
            black: None,
            turn: Some(flagfall_rules::clock::Colour::Black),
            position: String::new(),
            then: Then::default(),
        };
        let told = set("g", face(), &What::Set(args)).expect("set");
        assert_eq!(hands(&told), [(Some(750_000), 30, 0, false), (Some(90_000), 29, 0, false)]);
        assert_eq!((told.turn(), told.run, told.white_place()), (Colour::Black, false, Place::Left));

        let then = Then { run: true };
        let told = set("g", face(), &What::Counter { white: None, black: Some(30), then }).expect("set");
        assert_eq!((hands(&told), told.run), ([(Some(60_000), 30, 0, false), (Some(90_000), 30, 0, false)], true));

        let then = Then::default();
        let told = set("g", face(), &What::Period { white: Some(2), black: None, then }).expect("set");
        assert_eq!(hands(&told), [(Some(60_000), 30, 1, false), (Some(90_000), 29, 0, false)]);

        let told = set("g", face(), &What::Swap(then)).expect("set");
        assert_eq!((told.white_place(), told.turn(), hands(&told)[0].0), (Place::Right, Colour::White, Some(60_000)));
    }

    #[test]
    fn a_reading_that_nobody_knows_must_be_given() {
        let mut face = face();
        face.black = None;
        let refused = set("g", face, &What::Swap(Then::default())).expect_err("no reading").to_string();
        assert_eq!(
            refused,
            "the clock of g has shown no reading for black: give it with `flagfall directive g set --black`"
        );
    }
}
