//! Scripts of senses and directives, and the effects they have, written down by hand.

mod fold;
mod orders;
mod play;
mod restart;

use flagfall_rules::{
    board::Scan,
    clock::{Colour, Face, Going, Place},
    time::Moment,
};

use super::*;
use crate::sense::{Ask, NotDone, Sense};

const BOOT: u128 = 7;
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

const LEFT: Sense = Sense::Button(Place::Left);
const RIGHT: Sense = Sense::Button(Place::Right);

fn settings(clock: ClockKind, control: &str) -> Settings {
    Settings {
        device: "board-1".to_owned(),
        clock,
        default_control: control.parse().ok(),
        white_place: Place::Left,
        boot: BOOT,
        settle_ms: 1_000,
    }
}

fn own(control: &str) -> Core {
    Core::new(settings(ClockKind::Own, control), None)
}

fn external() -> Core {
    Core::new(settings(ClockKind::External, ""), None)
}

fn board(fen: &str) -> Sense {
    Sense::Board(Scan::from_fen(fen).expect("a board"))
}

fn words(text: &str) -> Words {
    [text.to_owned(), String::new()]
}

/// A directive of the game "g" that follows the one before.
fn order(rev: u64, act: Act) -> Directive {
    Directive {
        id: format!("g#{rev}"),
        game: "g".to_owned(),
        rev,
        expected_rev: rev - 1,
        as_of_seq: 0,
        not_after: None,
        supersedes: Vec::new(),
        traceparent: String::new(),
        act,
    }
}

fn prepare(control: &str) -> Act {
    let control = (!control.is_empty()).then(|| control.parse().expect("a control"));
    let (white_place, position, words) = (Place::Left, START.to_owned(), words("Round 1"));
    Act::Prepare { control, white_place, position, words, stands: None }
}

fn stop() -> Act {
    Act::Stop { words: words("Stop") }
}

fn show(text: &str) -> Act {
    Act::Show { words: words(text) }
}

fn add(colour: Colour, amount: i64) -> Act {
    Act::Add { colour, amount, words: Words::default() }
}

/// Both times, whose turn, and what the clock does: `300000/300000 W running`.
fn face(face: &Face) -> String {
    let left = |colour| face.hand(colour).left.map_or("?".to_owned(), |left| left.to_string());
    let flag = |colour| if face.hand(colour).flagged { "!" } else { "" };
    let (w, b) = (Colour::White, Colour::Black);
    let turn = if face.turn == w { "W" } else { "B" };
    format!("{}{}/{}{} {turn} {:?}", left(w), flag(w), left(b), flag(b), face.going)
}

/// An effect in a line: `#2 @5000 Press(White) 304000/300000 B Running`.
fn line(effect: &Effect) -> String {
    match effect {
        Effect::Spool(draft) => {
            let what = match &draft.what {
                What::Report(report) => {
                    let reason = report.reason.map(|reason| format!(" {reason:?}")).unwrap_or_default();
                    let before = report.before.map(|before| format!(" from {}", face(&before))).unwrap_or_default();
                    format!("{} {:?}{reason}{before}", report.id, report.stage)
                }
                What::Fault(kind, _) => format!("{kind:?}"),
                what => format!("{what:?}"),
            };
            format!("#{} @{} {what} {}", draft.seq, draft.at, face(&draft.face))
        }
        Effect::Applied(applied) => format!("= {} {:?} {}", applied.directive.id, applied.stage, face(&applied.after)),
        Effect::Checkpoint(checkpoint) => format!("~ @{} {}", checkpoint.at, face(&checkpoint.face)),
        Effect::Ask(Ask::Dial(wanted)) => format!("? {}", face(wanted)),
        Effect::Ask(Ask::Beep) => "? beep".to_owned(),
        Effect::Ask(Ask::Board) => "? board".to_owned(),
    }
}

fn lines(effects: &[Effect]) -> Vec<String> {
    effects.iter().map(line).collect()
}

/// The events alone, checkpoints and asks left out.
fn events(effects: &[Effect]) -> Vec<String> {
    effects.iter().filter(|effect| matches!(effect, Effect::Spool(_))).map(line).collect()
}

fn play(core: &mut Core, script: &[(u64, Sense)]) -> Vec<Effect> {
    script.iter().flat_map(|(at, sense)| core.handle(*at, sense.clone())).collect()
}
