//! How arguments are written.

use flagfall_rules::{
    clock::{Colour, Place},
    game::{Claim, Irregularity, Outcome, Uci},
};

pub(super) fn colour(text: &str) -> Result<Colour, &'static str> {
    match text {
        "white" => Ok(Colour::White),
        "black" => Ok(Colour::Black),
        _ => Err("expected white or black"),
    }
}

pub(in crate::app) fn place(text: &str) -> Result<Place, &'static str> {
    match text {
        "left" => Ok(Place::Left),
        "right" => Ok(Place::Right),
        _ => Err("expected left or right"),
    }
}

pub(super) fn kind(text: &str) -> Result<Irregularity, String> {
    let known = || Irregularity::ALL.map(Irregularity::name).join(", ");
    Irregularity::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| format!("expected one of {}", known()))
}

pub(super) fn outcome(text: &str) -> Result<Outcome, &'static str> {
    let all = [Outcome::WhiteWins, Outcome::BlackWins, Outcome::Draw, Outcome::BothLose];
    all.into_iter().find(|outcome| outcome.pgn() == text).ok_or("expected 1-0, 0-1, 1/2-1/2 or 0-0")
}

/// Milliseconds of `H:MM:SS`, `M:SS` or seconds.
pub(in crate::app) fn time(text: &str) -> Result<i64, &'static str> {
    crate::desk::reading(text)
}

/// The same, and more than none.
pub(super) fn amount(text: &str) -> Result<i64, &'static str> {
    time(text).and_then(|ms| if ms > 0 { Ok(ms) } else { Err("expected some time: H:MM:SS, M:SS or seconds") })
}

/// An instant: `2026-05-01T10:00:00+03:00`, or `2026-05-01T10:00` in this machine's time zone.
pub(super) fn instant(text: &str) -> Result<jiff::Timestamp, &'static str> {
    const EXPECTED: &str = "expected a date and time such as 2026-05-01T10:00";
    let here =
        |local: jiff::civil::DateTime| local.to_zoned(jiff::tz::TimeZone::system()).map(|zoned| zoned.timestamp());
    let exact = text.parse::<jiff::Timestamp>().ok();
    exact.or_else(|| text.parse().ok().and_then(|local| here(local).ok())).ok_or(EXPECTED)
}

/// A claim of a player.
pub(super) fn claim(text: &str) -> Result<Claim, &'static str> {
    Ok(match text {
        "flag" => Claim::Flag,
        "illegal_move" => Claim::IllegalMove,
        "draw" => Claim::Draw,
        "resignation" => Claim::Resignation,
        "agreement" => Claim::Agreement,
        _ => return Err("expected flag, illegal_move, draw, resignation or agreement"),
    })
}

/// A move in UCI notation.
pub(super) fn uci(text: &str) -> Result<Uci, &'static str> {
    Uci::parse(text).ok_or("expected a move in UCI notation, such as e2e4")
}

#[cfg(test)]
mod tests {
    use super::{instant, time};

    #[test]
    fn instants_are_read_with_and_without_a_zone() {
        let read = |text| instant(text).map(|at| at.as_millisecond());
        assert_eq!(read("2026-05-01T10:00:00+03:00"), read("2026-05-01T07:00:00Z"));
        assert!(read("2026-05-01T10:00").is_ok() && read("2026-05-01 10:00").is_ok());
        assert!(read("10:00").is_err() && read("tomorrow").is_err());
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        let read = |text| time(text).ok();
        assert_eq!([read("90"), read("12:30"), read("1:02:03")], [Some(90_000), Some(750_000), Some(3_723_000)]);
        assert_eq!([read("1:60"), read("1:5"), read(""), read("-3"), read("10:00:00"), read("1:00:00:00")], [None; 6]);
    }
}
