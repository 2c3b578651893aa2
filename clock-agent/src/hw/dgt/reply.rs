//! What a board says, as bytes: the other half of [`super::decode`], for the fake board and the tests.

use flagfall_rules::{
    board::{Man, Scan},
    clock::Colour,
    time::{Millis, SECOND},
};

use super::{PIECES, decode::Reading, flip, id, status};

/// All squares.
#[must_use]
pub fn dump(scan: &Scan) -> Vec<u8> {
    let mut bytes = vec![id::BOARD_DUMP, 0, 67];
    bytes.extend((0..64).map(|field| piece(scan.at(flip(field)))));
    bytes
}

/// One square (0 = a1) and what stands on it now.
#[must_use]
pub fn field(square: u8, man: Option<Man>) -> Vec<u8> {
    vec![id::FIELD_UPDATE, 0, 5, flip(square % 64), piece(man)]
}

/// A clock frame. Times are cut to whole seconds below ten hours, as the protocol has no others.
#[must_use]
pub fn time(reading: &Reading) -> Vec<u8> {
    let [left, right] = [0, 1].map(|side| {
        let seconds = reading.times[side].unwrap_or(0).clamp(0, 35_999 * SECOND) / SECOND;
        let bcd = |n: Millis| (n / 10 * 16 + n % 10) as u8;
        let flag = if reading.fallen[side] { 0x40 } else { 0 };
        [flag | (seconds / 3_600) as u8, bcd(seconds / 60 % 60), bcd(seconds % 60)]
    });
    let state = [
        (reading.running, status::RUNNING),
        (reading.right_lever_high, status::RIGHT_LEVER_HIGH),
        (reading.low_battery, status::LOW_BATTERY),
        (reading.left_to_move, status::LEFT_TO_MOVE),
        (reading.right_to_move, status::RIGHT_TO_MOVE),
        (reading.not_connected, status::NOT_CONNECTED),
    ];
    let state = state.into_iter().filter(|(on, _)| *on).fold(0, |all, (_, bit)| all | bit);
    [&[id::TIME, 0, 10], right.as_slice(), &left, &[state]].concat()
}

/// The clock's answer: `ack0` to `ack3` of the protocol, which says `0x10` and the number of the command for "done".
#[must_use]
pub fn ack([ack0, ack1, ack2, ack3]: [u8; 4]) -> Vec<u8> {
    // A top bit of 0x80 goes to 0x10 or 0x20 of an hours byte.
    let hours = |first: u8, second: u8| 0x0a | (first & 0x80) >> 3 | (second & 0x80) >> 2;
    let seven = |byte: u8| byte & 0x7f;
    let (right, left) = (hours(ack2, ack3), hours(ack0, ack1));
    vec![id::TIME, 0, 10, right, seven(ack0), seven(ack1), left, seven(ack2), seven(ack3), 0]
}

fn piece(man: Option<Man>) -> u8 {
    man.map_or(0, |man| PIECES[man.kind as usize] + if man.colour == Colour::Black { 6 } else { 0 })
}
