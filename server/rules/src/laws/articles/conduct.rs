//! What the arbiter may do about conduct (12.9; 13.4 in 2009), and touched pieces (4.3). No strike: only a proposal.

use alloc::{format, vec, vec::Vec};

use super::{clock_setting, remedy};
use crate::{
    clock::Face,
    game::{Ending, Finding, Game, Outcome, Remedy},
    laws::{Edition, words},
    time::{MINUTE, Millis},
};

/// The usual amount where an edition names none: one minute.
const USUAL: Millis = MINUTE;

/// A warning, time for the opponent, time off the offender, the game: the arbiter's ladder, the mildest first.
#[must_use]
pub fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let article = edition.articles.conduct;
    let letter = edition.penalties.of(game.setup.play).bonus;
    let amount = if letter > 0 { letter } else { USUAL };
    let (offender, opponent) = (finding.by, finding.by.other());
    let time = remedy::clock(amount);
    let ((to_en, to_ru), (from_en, from_ru)) = (remedy::to_whom(opponent), remedy::from_whom(offender));
    let set = |key, hands, given, en, ru| Remedy {
        hands: Some(hands),
        given,
        turn: face.turn,
        ..remedy::plain(game, key, article, words(en, ru))
    };
    let mut more = face.hands;
    remedy::add(&mut more[opponent.index()], amount);
    let mut less = face.hands;
    remedy::take(&mut less[offender.index()], amount);
    let lost = Remedy {
        outcome: Some((Outcome::win(opponent), Ending::Penalty)),
        ..remedy::plain(game, "lost", article, words("the game is lost", "партия проиграна"))
    };
    vec![
        Remedy {
            turn: face.turn, ..remedy::plain(game, "warning", article, words("a warning", "предупреждение"))
        },
        set(
            "opponent_more",
            more,
            remedy::given(opponent, amount),
            format!("+{time} to {to_en}"),
            format!("+{time} {to_ru}"),
        ),
        set(
            "offender_less",
            less,
            remedy::given(offender, -amount),
            format!("-{time} from {from_en}"),
            format!("-{time} {from_ru}"),
        ),
        lost,
        remedy::play_on(game, article),
    ]
}

/// The touched piece is moved after all: the move made is annulled and its increment taken back; it is no strike. Of the move that is
/// being made nothing was pressed, and nothing goes back but what is pressed until the clock has stopped. An opponent who has touched a piece of his own since has forfeited his claim (4.8; 4.7 in 2009), so that play goes on unless the arbiter finds otherwise.
#[must_use]
pub fn touched(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let keep = finding.ply.saturating_sub(1).min(game.known());
    let credit = || clock_setting::taken_back(game, face, finding.by, keep);
    let later = finding.ply < game.known();
    let pressed = finding.ply <= game.known() || game.stopped_at_press(finding);
    let hands = match later {
        true => clock_setting::deep(game, face, keep),
        false if pressed => clock_setting::immediate(game, face, keep, clock_setting::only(finding.by, credit())),
        false => clock_setting::immediate(game, face, keep, [None; 2]),
    };
    // The opponent's move before it still waits for the board, and stays.
    let waits = finding.ply > game.ply();
    let mut enforce = Remedy {
        annul_from: (keep < game.known()).then_some(finding.ply),
        position: game.fen_after(keep as usize).filter(|_| !waits),
        hands: Some(hands).filter(|_| !waits),
        turn: finding.by,
        ..remedy::plain(
            game,
            "enforce",
            edition.articles.touch_move,
            words("the touched piece is moved", "делается ход тронутой фигурой"),
        )
    };
    let play_on = remedy::play_on(game, edition.articles.touch_move);
    if !later {
        return vec![enforce, play_on];
    }
    remedy::say_what_stays(game, keep, &mut enforce);
    vec![play_on, enforce]
}
