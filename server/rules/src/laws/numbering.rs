//! The numbering of an edition.

use super::Edition;
use super::edition::Play;
use crate::game::Irregularity;

/// The numbering of an edition, topic by topic. A number with a question mark is confirmed by no text at hand; an empty one
/// means that the edition has no such article.
#[derive(Clone, Copy, Debug)]
pub struct Articles {
    /// How both clocks are set after an irregularity.
    pub clock_setting: &'static str,
    /// Wrong initial position.
    pub wrong_start: &'static str,
    /// Board the wrong way round.
    pub board_turned: &'static str,
    /// Colours reversed.
    pub colours: &'static str,
    /// Pieces displaced by a player.
    pub displaced: &'static str,
    /// Pieces found displaced later.
    pub displaced_found: &'static str,
    /// Illegal move.
    pub illegal_move: &'static str,
    /// Pawn left on the last rank.
    pub pawn_left: &'static str,
    /// Press without a move.
    pub press_without_move: &'static str,
    /// Two hands.
    pub two_hands: &'static str,
    /// Penalty for an illegal move.
    pub penalty: &'static str,
    /// Penalty for two hands.
    pub two_hands_penalty: &'static str,
    /// Penalty for a press without a move.
    pub press_penalty: &'static str,
    /// A move is completed by the press.
    pub completion: &'static str,
    /// Flag fall.
    pub flag: &'static str,
    /// An evident defect of the clock's setting.
    pub clock_defect: &'static str,
    /// Mate.
    pub checkmate: &'static str,
    /// Stalemate.
    pub stalemate: &'static str,
    /// Dead position.
    pub dead_position: &'static str,
    /// Fivefold repetition.
    pub fivefold: &'static str,
    /// Seventy-five moves.
    pub seventy_five: &'static str,
    /// Resignation and agreement, which kings in the centre stand for.
    pub agreement: &'static str,
    /// Resignation.
    pub resignation: &'static str,
    /// An incorrect result stands unless the arbiter decides otherwise.
    pub incorrect_result: &'static str,
    /// The third occurrence of a position, claimed.
    pub repetition: &'static str,
    /// Fifty moves, claimed.
    pub fifty_moves: &'static str,
    /// Who has made a move has lost the right to claim a draw on it.
    pub claim_lost: &'static str,
    /// A claim of a draw, right or wrong.
    pub draw_claim: &'static str,
    /// A claim of a draw in a quickplay finish.
    pub quickplay_finish: &'static str,
    /// Touched pieces.
    pub touch_move: &'static str,
    /// What the arbiter may do about conduct.
    pub conduct: &'static str,
    /// Both flags down.
    pub both_flags: &'static str,
    /// A player comes too late to the board.
    pub late: &'static str,
}

impl Edition {
    /// The article of an irregularity in this edition's numbering; empty: it knows no such irregularity in this kind of play. Where
    /// nobody watches, flags and illegal positions have numbers of their own, and elsewhere the latter are illegal moves like any.
    #[must_use]
    pub const fn article(&self, kind: Irregularity, play: Play) -> &'static str {
        let articles = &self.articles;
        match kind {
            Irregularity::FlagInDoubt | Irregularity::FlagSeen => match self.unsupervised(play) {
                Some(rules) => rules.articles.flag,
                None => articles.flag,
            },
            Irregularity::IllegalPosition => match self.unsupervised(play) {
                Some(rules) => rules.articles.illegal_position,
                None => "",
            },
            Irregularity::IllegalMove => articles.illegal_move,
            Irregularity::PawnLeft => articles.pawn_left,
            Irregularity::PressWithoutMove => articles.press_without_move,
            Irregularity::TwoHands => articles.two_hands,
            Irregularity::Displaced => articles.displaced,
            Irregularity::DisplacedFound => articles.displaced_found,
            Irregularity::WrongStart => articles.wrong_start,
            Irregularity::BoardTurned => articles.board_turned,
            Irregularity::ColoursReversed => articles.colours,
            Irregularity::ClockJump | Irregularity::ClockSetting => articles.clock_defect,
            Irregularity::ForgottenPress => articles.completion,
            Irregularity::ResignationInDoubt => articles.resignation,
            Irregularity::DrawClaim => articles.draw_claim,
            Irregularity::TouchMove => articles.touch_move,
            Irregularity::Conduct => articles.conduct,
            Irregularity::BothFlags => articles.both_flags,
        }
    }

    /// This edition punishes it as an illegal move.
    #[must_use]
    pub const fn is_strike(&self, kind: Irregularity, play: Play) -> bool {
        kind.is_strike() && !self.article(kind, play).is_empty()
    }

    /// The article under which an irregularity is punished as an illegal move.
    #[must_use]
    pub const fn penalty_article(&self, kind: Irregularity, play: Play) -> &'static str {
        if let Some(unsupervised) = self.unsupervised(play) {
            return unsupervised.articles.illegal_move;
        }
        match kind {
            Irregularity::TwoHands => self.articles.two_hands_penalty,
            Irregularity::PressWithoutMove => self.articles.press_penalty,
            _ => self.articles.penalty,
        }
    }
}
