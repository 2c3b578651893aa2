//! What the host says to a DGT board and to the clock on it.

use flagfall_rules::{
    clock::{Face, Going, Place},
    time::{Millis, SECOND},
};

/// Stop sending changes and forget what was asked before.
pub const RESET: u8 = 0x40;
/// Send what the clock shows.
pub const SEND_CLOCK: u8 = 0x41;
/// Send all squares.
pub const SEND_BOARD: u8 = 0x42;
/// Send changes of squares, and clock frames only when the clock's display changed.
pub const UPDATE_NICE: u8 = 0x4b;
/// First byte of a clock command; the next one counts the bytes after it.
pub const CLOCK: u8 = 0x2b;
/// First byte of a command for the lights, built like a clock command.
pub const LEDS: u8 = 0x60;

/// The clock command that sets both times and runs or pauses the clock.
pub const SET_AND_RUN: u8 = 0x0a;
/// The clock command that sounds the beeper.
pub const BEEP: u8 = 0x0b;
/// The clock command that shows a text.
pub const ASCII: u8 = 0x0c;
/// The clock command that takes a text away and shows the times again.
pub const END: u8 = 0x03;

/// How many characters a text on the clock has.
pub const ASCII_WIDTH: usize = 11;

/// The first time that the clock's digits cannot show.
const TOO_LONG: Millis = 10 * 3_600 * SECOND;

/// Why something cannot be said to the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A time of the face is unknown; unknown is not zero, and the clock knows no dash.
    #[error("the {0:?} time is unknown")]
    Unknown(Place),
    /// Ten hours or more.
    #[error("{1} ms on the {0:?} is more than the clock can show: under ten hours")]
    TooLong(Place, Millis),
    /// A text with letters that the clock does not have, or too many of them.
    #[error("the clock shows {ASCII_WIDTH} characters of plain ASCII")]
    Text,
}

/// Sets both times and runs or pauses the clock.
///
/// The clock counts whole seconds: a part of a second is rounded up, so that no player loses time by being set, and none
/// with a tenth left finds a fallen flag.
///
/// # Errors
/// A time that is unknown or that the clock cannot show.
pub fn set_and_run(face: &Face) -> Result<Vec<u8>, EncodeError> {
    const LEFT_RUNS: u8 = 1;
    const RIGHT_RUNS: u8 = 2;
    const PAUSED: u8 = 4;
    // The players switch sides by the lever, as in any game.
    const BY_LEVER: u8 = 8;
    let time = |place: Place| {
        let left = face.hand(place.colour(face.white_place)).left.ok_or(EncodeError::Unknown(place))?.max(0);
        let seconds = left.saturating_add(SECOND - 1) / SECOND;
        if seconds * SECOND >= TOO_LONG {
            return Err(EncodeError::TooLong(place, left));
        }
        Ok([(seconds / 3_600) as u8, (seconds / 60 % 60) as u8, (seconds % 60) as u8])
    };
    let side = if Place::Left.colour(face.white_place) == face.turn { LEFT_RUNS } else { RIGHT_RUNS };
    let pause = if face.going == Going::Running { 0 } else { PAUSED };
    let data = [time(Place::Left)?.as_slice(), &time(Place::Right)?, &[side | pause | BY_LEVER]].concat();
    Ok(clock(SET_AND_RUN, &data))
}

/// Shows a text on the clock until [`end`]; `beep` sounds the beeper with it.
///
/// # Errors
/// A text that the clock cannot show.
pub fn ascii(text: &str, beep: bool) -> Result<Vec<u8>, EncodeError> {
    if text.len() > ASCII_WIDTH || !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(EncodeError::Text);
    }
    let mut data: Vec<u8> = text.bytes().chain(std::iter::repeat(b' ')).take(ASCII_WIDTH).collect();
    data.push(if beep { 3 } else { 1 });
    Ok(clock(ASCII, &data))
}

/// Sounds the beeper for about so long, at least 64 ms and at most 8 s: it counts in 64 ms with seven bits.
#[must_use]
pub fn beep(ms: u16) -> Vec<u8> {
    clock(BEEP, &[(ms / 64).clamp(1, 127) as u8])
}

/// Takes a text away.
#[must_use]
pub fn end() -> Vec<u8> {
    clock(END, &[])
}

fn clock(command: u8, data: &[u8]) -> Vec<u8> {
    let length = data.len() as u8 + 3;
    [&[CLOCK, length, 3, command], data, &[0]].concat()
}

#[cfg(test)]
mod tests {
    use flagfall_rules::clock::{Colour, Hand};

    use super::*;

    #[test]
    fn clock_commands_byte_by_byte() {
        let face = Face {
            hands: [Hand::fresh(Some(5_025_001)), Hand::fresh(Some(59_000))],
            turn: Colour::White,
            going: Going::Running,
            ..Face::unknown(Place::Right)
        };
        // White sits on the right and runs: 1:23:46 on the right, 0:00:59 on the left.
        let command = vec![0x2b, 10, 3, 0x0a, 0, 0, 59, 1, 23, 46, 2 | 8, 0];
        assert_eq!(set_and_run(&face), Ok(command));
        let paused = Face { going: Going::Paused, white_place: Place::Left, ..face };
        assert_eq!(set_and_run(&paused).map(|bytes| bytes[10]), Ok(1 | 4 | 8));
        assert_eq!(beep(200), vec![0x2b, 4, 3, 0x0b, 3, 0]);
        assert_eq!(end(), vec![0x2b, 3, 3, 3, 0]);
        assert_eq!(ascii("GAME OVER", true), Ok(b"\x2b\x0f\x03\x0cGAME OVER  \x03\0".to_vec()));
    }

    #[test]
    fn what_the_clock_cannot_show_is_refused_by_name() {
        let face = |left| Face { hands: [Hand::fresh(left), Hand::fresh(Some(0))], ..Face::unknown(Place::Left) };
        assert_eq!(set_and_run(&face(None)), Err(EncodeError::Unknown(Place::Left)));
        assert_eq!(set_and_run(&face(Some(35_999_001))), Err(EncodeError::TooLong(Place::Left, 35_999_001)));
        assert_eq!(set_and_run(&face(Some(i64::MAX))), Err(EncodeError::TooLong(Place::Left, i64::MAX)));
        assert_eq!(set_and_run(&face(Some(35_999_000))).map(|bytes| bytes[4..7].to_vec()), Ok(vec![9, 59, 59]));
        assert_eq!(ascii("TWELVE CHARS", false), Err(EncodeError::Text));
        assert_eq!(ascii("ШАХ", false), Err(EncodeError::Text));
    }
}
