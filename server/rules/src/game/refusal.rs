//! Why an input is refused.

use alloc::string::String;
use core::fmt;

use super::{desk::MOST, irregularity::Irregularity};
use crate::{
    adjourn,
    clock::{Colour, control::MOVES_MAX},
    time::Millis,
};

/// Why an input is refused; nothing happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The game was never opened.
    NotOpen,
    /// A game of this name is open already.
    AlreadyOpen,
    /// The game is over; only the record can still be added to.
    GameOver,
    /// The game is over, and it is being looked at which result it has.
    ResultWaits,
    /// No edition has this id.
    UnknownEdition(String),
    /// The text is no legal position.
    BadPosition(String),
    /// The game has no such case.
    NoSuchCase(u32),
    /// The game has no such ply of that player.
    NoSuchPly(u32),
    /// The player had no pawn that could have been left on the last rank.
    NoSuchPawn,
    /// Somebody decided the case before; who.
    AlreadyDecided(u32, String),
    /// The case has no proposal yet: the clock has not reported its stop.
    NotDecidable(u32),
    /// The case has no such remedy; the keys it has.
    NoSuchChoice(u32, String),
    /// The clock has gone on since what the act goes by: a move was completed, or the times were set or are being set.
    Overtaken,
    /// Another case is open; decide that first.
    CaseOpen(u32),
    /// An amount is out of range.
    BadAmount(Amount),
    /// The directive cannot be given by hand.
    NotByHand,
    /// This player's flag is down at zero, and nobody can call it any more.
    FlagDown(Colour),
    /// The edition knows no such irregularity.
    NotIrregular(&'static str),
    /// No player does this in reply to what his opponent did.
    NoReply(&'static str),
    /// The player has completed no move since what he did was last punished.
    NotPressed,
    /// The game is adjourned: it is decided when it is resumed.
    Adjourned,
    /// Nothing on record that the claim could be about.
    NothingToClaim,
    /// The article leaves it to the opponent's claim.
    OnlyByClaim(&'static str),
    /// The edition has no procedure of adjournment.
    NoProcedure(&'static str),
    /// No board shows the position, and it was not given.
    PositionUnknown,
    /// By the clock it is this player's move, by the position given the opponent's.
    OtherToMove(Colour),
    /// The clock runs, and its reading now is not known.
    ClockRuns,
    /// The adjournment's own reason.
    Adjournment(adjourn::Refusal),
}

impl Refusal {
    /// The named reason, the same in every version.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Refusal::NotOpen => "NO_SUCH_GAME",
            Refusal::AlreadyOpen => "GAME_EXISTS",
            Refusal::GameOver => "GAME_OVER",
            Refusal::ResultWaits => "RESULT_WAITS",
            Refusal::UnknownEdition(_) => "UNKNOWN_EDITION",
            Refusal::BadPosition(_) => "BAD_POSITION",
            Refusal::NoSuchCase(_) => "NO_SUCH_CASE",
            Refusal::NoSuchPly(_) => "NO_SUCH_PLY",
            Refusal::NoSuchPawn => "NO_SUCH_PAWN",
            Refusal::AlreadyDecided(..) => "ALREADY_DECIDED",
            Refusal::NotDecidable(_) => "NOT_DECIDABLE",
            Refusal::NoSuchChoice(..) => "NO_SUCH_CHOICE",
            Refusal::Overtaken => "OVERTAKEN",
            Refusal::CaseOpen(_) => "CASE_OPEN",
            Refusal::BadAmount(_) => "BAD_AMOUNT",
            Refusal::NotByHand => "NOT_BY_HAND",
            Refusal::FlagDown(_) => "FLAG_DOWN",
            Refusal::NotIrregular(_) => "NOT_IRREGULAR",
            Refusal::NoReply(_) => "NO_REPLY",
            Refusal::NotPressed => "NOT_PRESSED",
            Refusal::Adjourned => "ADJOURNED",
            Refusal::NothingToClaim => "NOTHING_TO_CLAIM",
            Refusal::OnlyByClaim(_) => "ONLY_BY_CLAIM",
            Refusal::NoProcedure(_) => "NO_PROCEDURE",
            Refusal::PositionUnknown => "POSITION_UNKNOWN",
            Refusal::OtherToMove(_) => "OTHER_TO_MOVE",
            Refusal::ClockRuns => "CLOCK_RUNS",
            Refusal::Adjournment(refusal) => refusal.code(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NotOpen => f.write_str("the game was never opened"),
            Refusal::AlreadyOpen => f.write_str("a game of this name is open already: choose another name"),
            Refusal::GameOver => f.write_str("the game is over; its result stands"),
            Refusal::ResultWaits => f.write_str(
                "a flag fell or a player resigned before: the result follows as soon as it is known whether the opponent can mate",
            ),
            Refusal::UnknownEdition(id) => {
                write!(f, "no edition is called {id:?}; there are:")?;
                crate::laws::EDITIONS.iter().try_for_each(|edition| write!(f, " {}", edition.id))
            }
            Refusal::BadPosition(text) => write!(f, "{text:?} is no legal position in FEN"),
            Refusal::NoSuchCase(case) => write!(f, "there is no case {case}"),
            Refusal::NoSuchPly(ply) => write!(f, "that player made no ply {ply} in the surviving score"),
            Refusal::NoSuchPawn => f.write_str(
                "by the record no pawn of that player stood before the last rank: name another ply, or report an illegal move",
            ),
            Refusal::AlreadyDecided(case, who) => write!(f, "case {case} was decided by {who}"),
            Refusal::NotDecidable(case) => {
                write!(f, "case {case} has no proposal yet: the clock has not reported its stop")
            }
            Refusal::NoSuchChoice(case, keys) => write!(f, "case {case} can be decided by: {keys}"),
            Refusal::Overtaken => f.write_str(
                "since the reading that this goes by a move was completed, or the times were set or are being set: look at the clock again",
            ),
            Refusal::CaseOpen(case) => write!(f, "case {case} is still open: decide it first"),
            Refusal::BadAmount(amount) => write!(f, "{amount}"),
            Refusal::NotIrregular(edition) => {
                write!(f, "{edition} knows no such irregularity in this kind of play; a penalty may follow from its article on penalties")
            }
            Refusal::NoReply(kind) => {
                write!(f, "{kind} is nothing that a player does in reply; the replies are:")?;
                let replies = Irregularity::ALL.into_iter().filter(|kind| kind.can_be_a_reply());
                replies.map(Irregularity::name).try_for_each(|name| write!(f, " {name}"))
            }
            Refusal::NotPressed => f.write_str(
                "no move of that player is on record that was not punished already: name the ply if an earlier one is meant",
            ),
            Refusal::FlagDown(who) => write!(
                f,
                "{}'s clock is at zero and its flag is down: with the clock stopped give time (add or set), and then let it run",
                who.name()
            ),
            Refusal::Adjourned => f.write_str("the game is being adjourned or is adjourned: this waits until it goes on"),
            Refusal::NothingToClaim => {
                f.write_str("nothing on record that could be claimed now: report what was seen instead")
            }
            Refusal::OnlyByClaim(article) => {
                write!(f, "by {article} only the opponent can act on it: enter his claim instead")
            }
            Refusal::NoProcedure(edition) => write!(f, "{edition} has no procedure for adjourned games"),
            Refusal::PositionUnknown => f.write_str("no board shows the position: give it in FEN"),
            Refusal::OtherToMove(who) => write!(
                f,
                "by the clock it is {}'s move, by this position the opponent's: put the position right, or set the clock first",
                who.name()
            ),
            Refusal::ClockRuns => {
                f.write_str("the clock runs: let the player stop it or stop it from the desk, or give both times")
            }
            Refusal::Adjournment(refusal) => write!(f, "{refusal}"),
            Refusal::NotByHand => {
                f.write_str("this directive is the service's own; open a game or decide a case instead")
            }
        }
    }
}

impl core::error::Error for Refusal {}

/// What is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// A time that is given, or that a clock would come to by it.
    Time(Millis),
    /// A time that may be none: a bonus, how late a player may be, how long a clock ran by mistake.
    Span(Millis),
    /// Moves on a scoresheet.
    Moves(u32),
    /// Illegal moves after which a game is lost.
    Strikes(u32),
    /// The number of an alarm, and how many the game has.
    Alarm(u32, usize),
}

/// Milliseconds as people read them: `1:32:43`, `0:00:00.001`.
struct Reading(Millis);

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, ms) = (if self.0 < 0 { "-" } else { "" }, self.0.unsigned_abs());
        let (seconds, ms) = (ms / 1_000, ms % 1_000);
        write!(f, "{sign}{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)?;
        if ms > 0 { write!(f, ".{ms:03}") } else { Ok(()) }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Time(ms) => write!(f, "{} is not between 1 ms and {}", Reading(*ms), Reading(MOST)),
            Amount::Span(ms) => write!(f, "{} is not between none and {}", Reading(*ms), Reading(MOST)),
            Amount::Moves(moves) => write!(f, "{moves} moves are more than the {MOVES_MAX} that are counted"),
            Amount::Strikes(strikes) => write!(f, "a game cannot be lost at illegal move {strikes}: count from 1"),
            Amount::Alarm(number, 0) => write!(f, "there is no alarm {number}: the game has none"),
            Amount::Alarm(number, of) => write!(f, "there is no alarm {number}: the game's are 1 to {of}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn an_amount_is_read_as_a_time() {
        let said = |ms| Amount::Time(ms).to_string();
        assert_eq!(said(41_608_099), "11:33:28.099 is not between 1 ms and 10:00:00");
        assert_eq!(said(-5_000), "-0:00:05 is not between 1 ms and 10:00:00");
        assert_eq!(Amount::Span(36_000_001).to_string(), "10:00:00.001 is not between none and 10:00:00");
    }
}
