//! The closed lists: to each of the rules' words belongs one number of the contract, for ever.

use flagfall_pairings::{self as pairings, ByeKind};
use flagfall_proto::{clock, convert::Refused, journal};
use flagfall_rules::{
    adjourn::{Phase, Reason},
    board::Turn,
    game::{self, Alarm, Ending, Irregularity, Outcome, RejectReason, Stage},
    laws::Play,
};

/// A word of a closed list.
pub trait Numbered: Sized {
    /// Its number in the contract.
    fn number(self) -> i32;

    /// The word of a number that stands in the field `what`.
    ///
    /// # Errors
    /// The number is none of the list, or says nothing.
    fn named(what: &'static str, number: i32) -> Result<Self, Refused>;

    /// The word of a number in a field that may say nothing.
    ///
    /// # Errors
    /// The number is none of the list.
    fn maybe(what: &'static str, number: i32) -> Result<Option<Self>, Refused> {
        if number == 0 { Ok(None) } else { Self::named(what, number).map(Some) }
    }
}

/// Both lists have the same names, so that the compiler sees when one grows.
macro_rules! numbered {
    ($rules:ty = $proto:ty : $($name:ident)+) => {
        impl Numbered for $rules {
            fn number(self) -> i32 {
                match self {
                    $(<$rules>::$name => <$proto>::$name as i32,)+
                }
            }

            fn named(what: &'static str, number: i32) -> Result<Self, Refused> {
                match <$proto>::try_from(number) {
                    $(Ok(<$proto>::$name) => Ok(<$rules>::$name),)+
                    Ok(<$proto>::Unspecified) => Err(Refused::new(what, "not specified")),
                    Err(_) => Err(Refused::new(what, format!("{number} is not known"))),
                }
            }
        }
    };
}

numbered!(Play = journal::v1::Play: Standard RapidSupervised Rapid BlitzSupervised Blitz);
numbered!(Irregularity = journal::v1::Irregularity:
    IllegalMove PawnLeft PressWithoutMove TwoHands Displaced DisplacedFound WrongStart BoardTurned ColoursReversed ClockJump
    ForgottenPress FlagInDoubt ClockSetting DrawClaim TouchMove Conduct IllegalPosition BothFlags FlagSeen
    ResignationInDoubt);
numbered!(Ending = journal::v1::Ending:
    Checkmate Stalemate DeadPosition Fivefold SeventyFive Flag Illegal Kings Desk Resignation Agreement Repetition
    FiftyMoves IllegalPosition Penalty Adjournment NormalMeans);
numbered!(Phase = journal::v1::AdjournmentPhase:
    Playing Sealing Adjourned SetUp Waiting Opening Judging Open ReplySealed Resumed Ended Annulled);
numbered!(Reason = journal::v1::AdjournmentReason:
    Agreement Resignation Flag Checkmate Stalemate DeadPosition SealedMove Late);
numbered!(Alarm = journal::v1::Alarm:
    ImpossibleBoard BoardDiffers Lost Device Directive Binding Call Claim FlagAfterControl AfterEnd Frozen);
numbered!(Outcome = clock::v1::Outcome: WhiteWins BlackWins Draw BothLose);
numbered!(pairings::Outcome = journal::v1::BoardResult:
    WhiteWins BlackWins Draw BothLose WhiteByForfeit BlackByForfeit BothForfeit);
numbered!(ByeKind = journal::v1::ByeKind: Half Full Pairing Zero);
numbered!(Stage = clock::v1::Stage: Sent Received Applied Rejected Unknown);
numbered!(RejectReason = clock::v1::RejectReason: Revision Overtaken Expired Superseded Display Unsupported);
numbered!(game::Claim = clock::v1::ClaimKind: Flag IllegalMove Draw Resignation Agreement);
numbered!(game::Fault = clock::v1::FaultKind:
    PowerLost BoardLost BoardBack ClockLost ClockBack BatteryLow Garbled SourceEnded PressesMissed);

/// Here zero is a word: the board lies as it should.
impl Numbered for Turn {
    fn number(self) -> i32 {
        use journal::v1::Turn as Proto;
        let turn = match self {
            Turn::None => Proto::Unspecified,
            Turn::Quarter => Proto::Quarter,
            Turn::Half => Proto::Half,
            Turn::ThreeQuarters => Proto::ThreeQuarters,
        };
        turn.into()
    }

    fn named(what: &'static str, number: i32) -> Result<Self, Refused> {
        let turn = Turn::ALL.into_iter().find(|turn| turn.number() == number);
        turn.ok_or_else(|| Refused::new(what, format!("{number} is not known")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_comes_back_and_nothing_else_is_one() {
        fn check<T: Numbered + Copy + PartialEq + std::fmt::Debug>(first: T, count: i32) {
            let zero = first.number();
            for number in zero..zero + count {
                assert_eq!(T::named("x", number).map(Numbered::number), Ok(number));
            }
            for number in [zero - 1, zero + count, i32::MAX, i32::MIN] {
                assert!(T::named("x", number).is_err(), "{number}");
            }
        }
        check(Play::Standard, 5);
        check(Irregularity::IllegalMove, 20);
        check(Ending::Checkmate, 17);
        check(Phase::Playing, 12);
        check(Reason::Agreement, 8);
        check(Alarm::ImpossibleBoard, 11);
        check(Outcome::WhiteWins, 4);
        check(pairings::Outcome::WhiteWins, 7);
        check(ByeKind::Half, 4);
        check(Stage::Sent, 5);
        check(RejectReason::Revision, 6);
        check(game::Claim::Flag, 5);
        check(game::Fault::PowerLost, 9);
        check(Turn::None, 4);
    }

    #[test]
    fn what_says_nothing_is_told_from_what_is_unknown() {
        assert_eq!(Play::named("setup.play", 0).expect_err("zero").to_string(), "setup.play: not specified");
        assert_eq!(Play::named("setup.play", 6).expect_err("six").to_string(), "setup.play: 6 is not known");
        assert_eq!(RejectReason::maybe("x", 0), Ok(None));
    }
}
