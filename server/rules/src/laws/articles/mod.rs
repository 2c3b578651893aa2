//! Articles as pure functions, one file a topic. None asks which edition it serves: parameters come from the edition.

pub mod clock_defect;
pub mod clock_reading;
pub mod clock_setting;
pub mod colours;
pub mod conduct;
pub mod credit;
pub mod displaced;
pub mod draw_claim;
pub mod flag_fall;
pub mod forgotten_press;
pub mod game_end;
pub mod illegal_move;
pub mod initial_position;
pub mod mating;
pub mod on_record;
pub mod pawn_left;
pub mod penalty;
pub mod press_without_move;
pub mod quickplay_finish;
mod remedy;
pub mod unsupervised;

use alloc::{format, vec, vec::Vec};

use super::{Edition, Gone, words};
use crate::{
    clock::Face,
    game::{Ending, Finding, Game, Irregularity, Remedy},
};

/// Found after the end: nothing changes but the record.
pub(super) fn result_stands(game: &Game, article: &str) -> Remedy {
    remedy::plain(game, "result_stands", article, words("the result stands", "результат остаётся в силе"))
}

/// The game had ended on the board.
pub(super) fn ended(edition: &Edition, game: &Game) -> Option<Remedy> {
    let (outcome, ending, article) = game.position_is_known().then(|| game_end::stands(edition, game, None))??;
    let words =
        words(format!("the game had ended: {}", outcome.pgn()), format!("партия уже закончилась: {}", outcome.pgn()));
    Some(Remedy { outcome: Some((outcome, ending)), ..remedy::plain(game, "ended", article, words) })
}

/// The arbiter does not uphold what was found. A press that it was seen in has then completed a move.
pub(super) fn dismissed(game: &Game, finding: &Finding) -> Remedy {
    let turn = if game.stopped_at_press(finding) { game.after_presses(finding.by.other()) } else { game.to_move() };
    let words = words("not upheld, play on", "не подтверждено, игра продолжается");
    Remedy { turn, ..remedy::plain(game, "dismiss", &finding.article, words) }
}

/// What it speaks of is gone. A move that the ruling on another case takes back, or the game that it cancels, is dealt with there.
pub(super) fn lapsed(game: &Game, finding: &Finding, gone: Gone) -> Remedy {
    let said = match gone {
        Gone::Ruled(case) => words(format!("dealt with in case {case}"), format!("решено в случае {case}")),
        Gone::Annulled => words("the game was annulled", "партия аннулирована"),
        Gone::FlagUp => words("the flag is up again", "флажок снова поднят"),
    };
    Remedy { words: said, ..remedy::noted(game, finding) }
}

/// The ways to deal with a finding, the default first; at least one.
pub(super) fn remedies(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    let up = clock_setting::before_flags(game, &finding.evidence.face, *face);
    let mut ways = by_article(edition, game, finding, &up);
    on_record::asks(game, finding, &mut ways);
    for way in &mut ways {
        press_again(game, finding, &up, way);
        keep_flags_up(game, finding, face, way);
    }
    ways
}

/// Whoever is to move once more has completed nothing by the press for which the clock was stopped: what it counted and credited goes
/// back, whether or not anybody is punished, or his next press would bring it twice.
fn press_again(game: &Game, finding: &Finding, face: &Face, way: &mut Remedy) {
    let again = way.turn == finding.by && way.outcome.is_none() && !way.cancel;
    if !again || way.hands.is_some() || !game.stopped_at_press(finding) {
        return;
    }
    if finding.evidence.at_press.is_none() {
        // People spoke of it, and it was all right: the press waits for the board as before.
        way.turn = game.after_presses(finding.by.other());
    } else {
        let keep = game.known();
        let credit = clock_setting::taken_back(game, face, finding.by, keep);
        way.hands = Some(clock_setting::immediate(game, face, keep, clock_setting::only(finding.by, credit)));
    }
}

/// A way out as it is put on the clock: no correction makes a flag fall, or leaves one down that fell after what it is for was found.
pub(super) fn keep_flags_up(game: &Game, finding: &Finding, face: &Face, way: &mut Remedy) {
    let up = clock_setting::before_flags(game, &finding.evidence.face, *face);
    if up != *face && way.outcome.is_none() {
        way.hands.get_or_insert(up.hands);
    }
    remedy::keep_flags_up(way, &up);
}

fn by_article(edition: &Edition, game: &Game, finding: &Finding, face: &Face) -> Vec<Remedy> {
    match finding.kind {
        Irregularity::IllegalMove
        | Irregularity::PawnLeft
        | Irregularity::TwoHands
        | Irregularity::PressWithoutMove => illegal_move::remedies(edition, game, finding, face),
        Irregularity::Displaced | Irregularity::DisplacedFound => displaced::remedies(edition, game, finding, face),
        Irregularity::WrongStart => initial_position::remedies(edition, game, finding),
        Irregularity::BoardTurned => initial_position::turned(edition, game),
        Irregularity::ColoursReversed => colours::remedies(edition, game),
        Irregularity::ClockJump => vec![remedy::noted(game, finding)],
        Irregularity::ClockSetting => clock_defect::remedies(edition, game, finding, face),
        Irregularity::ForgottenPress => forgotten_press::remedies(edition, game, finding, face),
        Irregularity::DrawClaim => draw_claim::remedies(edition, game, finding, face),
        Irregularity::TouchMove => conduct::touched(edition, game, finding, face),
        Irregularity::Conduct => conduct::remedies(edition, game, finding, face),
        Irregularity::IllegalPosition => unsupervised::remedies(edition, game, finding, face),
        Irregularity::BothFlags => flag_fall::both(edition, game),
        Irregularity::FlagSeen => flag_fall::seen(edition, game, finding.by),
        Irregularity::FlagInDoubt => {
            flag_fall::in_doubt(game, finding.by, Ending::Flag, flag_fall::article(edition, game))
        }
        Irregularity::ResignationInDoubt => {
            flag_fall::in_doubt(game, finding.by, Ending::Resignation, edition.articles.resignation)
        }
    }
}
