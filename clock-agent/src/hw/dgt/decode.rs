//! Bytes of a DGT board to messages. No IO: bytes in, messages out, at whatever points the bytes were cut.

use flagfall_rules::{
    board::{Kind, Man, Scan},
    clock::Colour,
    time::{MINUTE, Millis, SECOND},
};

use super::{PIECES, flip, id, status};

/// After so many bytes without a message they are reported, message or not: a line at the wrong speed never brings one.
const GARBAGE_LIMIT: u32 = 256;

/// What the board said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// All squares. The special men that announce a result are shown as empty squares.
    BoardDump(Scan),
    /// One square (0 = a1) and what stands on it now.
    FieldUpdate(u8, Option<Man>),
    /// What the clock shows.
    Time(Reading),
    /// A clock frame of zeros: the clock has nothing to say, and it must not be taken for two fallen flags.
    NoTime,
    /// The clock's answer to a command, or word of a button: `ack0` to `ack3` of the protocol.
    ClockAck([u8; 4]),
    /// The serial number.
    SerialNumber(String),
    /// The long serial number.
    LongSerial(String),
    /// Version, major and minor.
    Version(u8, u8),
    /// The maker's text.
    Trademark(String),
    /// The state of the board's own battery, as the board puts it.
    Battery(Vec<u8>),
    /// The address on a bus of boards.
    BusAddress(u16),
    /// The board's own record of the game, as it stands in its memory.
    EeMoves(Vec<u8>),
    /// A well-formed message with an id that this driver does not know; the id's byte as it was on the line.
    Unknown(u8),
    /// So many bytes that are no message, reported before the message that follows them; or a whole frame whose content is
    /// impossible, such as a time of 3:75.
    Garbled(u32),
}

/// A clock frame. Pairs are left, then right, seen from the front of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Times left; `None` when no clock is connected.
    pub times: [Option<Millis>; 2],
    /// A flag is shown. The final one comes with a clock that stands at zero; the ordinary one only says that a time has run out, and
    /// where another period's time stands beside it, that was not the last. Which it was is told by the time, not by the mark: clocks
    /// differ in what they show when. The mark for a time per move is no flag.
    pub fallen: [bool; 2],
    /// The clock runs.
    pub running: bool,
    /// The lever is up on the right.
    pub right_lever_high: bool,
    /// It is the left player's turn.
    pub left_to_move: bool,
    /// It is the right player's turn.
    pub right_to_move: bool,
    /// The clock's battery is low.
    pub low_battery: bool,
    /// The board has no clock.
    pub not_connected: bool,
}

/// Finds messages in a stream of bytes.
///
/// ```text
///             byte ≥ 0x80              header agrees with the id           length reached
///  hunting ───────────────▶ header ──────────────────────────▶ payload ──────────────────▶ message, hunting
///     ▲                        │ length is wrong for the id        │
///     └────────────────────────┴───────────────────────────────────┘ byte ≥ 0x80: that byte starts a header
/// ```
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// The frame being collected, header included; empty while hunting.
    frame: Vec<u8>,
    /// Bytes since the last message that belong to none.
    skipped: u32,
}

impl Decoder {
    /// Takes bytes as they come and returns the messages that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Message> {
        let mut messages = Vec::new();
        for &byte in bytes {
            self.take(byte, &mut messages);
        }
        messages
    }

    /// The stream has ended: what is left over belongs to no message.
    pub fn finish(&mut self) -> Option<Message> {
        self.skip_frame();
        self.garbage()
    }

    fn take(&mut self, byte: u8, messages: &mut Vec<Message>) {
        if byte >= 0x80 {
            // Only a first byte has the top bit set, so what was being collected lost its end.
            self.skip_frame();
            messages.extend(self.garbage_beyond_limit());
            self.frame.push(byte);
            return;
        }
        if self.frame.is_empty() {
            self.skipped += 1;
            messages.extend(self.garbage_beyond_limit());
            return;
        }
        self.frame.push(byte);
        let &[first, high, low, ref payload @ ..] = self.frame.as_slice() else { return };
        let length = usize::from(high) << 7 | usize::from(low);
        if !length_fits(first, length) {
            self.skip_frame();
        } else if payload.len() + 3 == length {
            let message = interpret(first, payload);
            if message.is_none() {
                self.skip_frame();
            }
            self.frame.clear();
            messages.extend(self.garbage());
            messages.extend(message);
        }
    }

    fn skip_frame(&mut self) {
        self.skipped = self.skipped.saturating_add(self.frame.len() as u32);
        self.frame.clear();
    }

    fn garbage_beyond_limit(&mut self) -> Option<Message> {
        if self.skipped < GARBAGE_LIMIT { None } else { self.garbage() }
    }

    fn garbage(&mut self) -> Option<Message> {
        match std::mem::take(&mut self.skipped) {
            0 => None,
            n => Some(Message::Garbled(n)),
        }
    }
}

/// Decodes a whole recording.
#[must_use]
pub fn decode_all(bytes: &[u8]) -> Vec<Message> {
    let mut decoder = Decoder::default();
    let mut messages = decoder.push(bytes);
    messages.extend(decoder.finish());
    messages
}

fn length_fits(first: u8, length: usize) -> bool {
    match first {
        id::BOARD_DUMP => length == 67,
        id::TIME => length == 10,
        id::FIELD_UPDATE | id::BUS_ADDRESS | id::VERSION => length == 5,
        id::SERIAL_NUMBER => length == 8,
        id::LONG_SERIAL => length == 13,
        id::BATTERY => length == 7 || length == 12,
        _ => length >= 3,
    }
}

/// `None` for content that the protocol has no meaning for.
fn interpret(first: u8, payload: &[u8]) -> Option<Message> {
    let text = || payload.iter().map(|&byte| char::from(byte)).collect();
    Some(match (first, payload) {
        (id::BOARD_DUMP, fields) => {
            let mut scan = Scan::EMPTY;
            for (field, &piece) in (0..64u8).zip(fields) {
                scan.put(flip(field), man(piece)?);
            }
            Message::BoardDump(scan)
        }
        (id::FIELD_UPDATE, &[field @ 0..64, piece]) => Message::FieldUpdate(flip(field), man(piece)?),
        (id::TIME, &[0, 0, 0, 0, 0, 0, 0]) => Message::NoTime,
        (id::TIME, &[b0, b1, b2, b3, b4, b5, _]) if b0 & 15 == 10 || b3 & 15 == 10 => {
            // The clock's top bits travel in the flag bits of the hours, for no payload byte may have its own.
            Message::ClockAck([b1 | b3 << 3 & 0x80, b2 | b3 << 2 & 0x80, b4 | b0 << 3 & 0x80, b5 | b0 << 2 & 0x80])
        }
        (id::TIME, &[b0, b1, b2, b3, b4, b5, state]) => Message::Time(reading([b3, b4, b5], [b0, b1, b2], state)?),
        (id::SERIAL_NUMBER, _) => Message::SerialNumber(text()),
        (id::LONG_SERIAL, _) => Message::LongSerial(text()),
        (id::VERSION, &[major, minor]) => Message::Version(major, minor),
        (id::TRADEMARK, _) => Message::Trademark(text()),
        (id::BATTERY, state) => Message::Battery(state.to_vec()),
        (id::BUS_ADDRESS, &[high, low]) => Message::BusAddress(u16::from(high) << 7 | u16::from(low)),
        (id::EE_MOVES, moves) => Message::EeMoves(moves.to_vec()),
        (id::FIELD_UPDATE | id::VERSION | id::BUS_ADDRESS | id::TIME, _) => return None,
        (unknown, _) => Message::Unknown(unknown),
    })
}

/// The outer `None` is a number that no man has; 13 to 15 are the special men.
fn man(piece: u8) -> Option<Option<Man>> {
    const KINDS: [Kind; 6] = [Kind::Pawn, Kind::Knight, Kind::Bishop, Kind::Rook, Kind::Queen, Kind::King];
    let (colour, number) = match piece {
        0 | 13..=15 => return Some(None),
        1..=6 => (Colour::White, piece),
        7..=12 => (Colour::Black, piece - 6),
        _ => return None,
    };
    let kind = KINDS.into_iter().find(|&kind| PIECES[kind as usize] == number)?;
    Some(Some(Man { colour, kind }))
}

fn reading(left: [u8; 3], right: [u8; 3], state: u8) -> Option<Reading> {
    let is = |bit| state & bit != 0;
    let not_connected = is(status::NOT_CONNECTED);
    // Without a clock the digits are left over from whatever was there before: they are not even looked at.
    let times = if not_connected { [None; 2] } else { [Some(time(left)?), Some(time(right)?)] };
    Some(Reading {
        times,
        fallen: [left, right].map(|side| !not_connected && side[0] >> 4 & 0b101 != 0),
        running: is(status::RUNNING),
        right_lever_high: is(status::RIGHT_LEVER_HIGH),
        left_to_move: is(status::LEFT_TO_MOVE),
        right_to_move: is(status::RIGHT_TO_MOVE),
        low_battery: is(status::LOW_BATTERY),
        not_connected,
    })
}

/// Flags and hours, minutes, seconds; the last two in two decimal digits of four bits.
fn time([hours, minutes, seconds]: [u8; 3]) -> Option<Millis> {
    let sixty = |bcd: u8| (bcd >> 4 < 6 && bcd & 15 < 10).then(|| Millis::from(bcd >> 4) * 10 + Millis::from(bcd & 15));
    let hours = Some(Millis::from(hours & 15)).filter(|&h| h < 10)?;
    Some(hours * 60 * MINUTE + sixty(minutes)? * MINUTE + sixty(seconds)? * SECOND)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::hw::dgt::reply;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    fn white(kind: Kind) -> Option<Man> {
        Some(Man { colour: Colour::White, kind })
    }

    const PLAIN: Reading = Reading {
        times: [Some(182_000), Some(182_000)],
        fallen: [false; 2],
        running: false,
        right_lever_high: false,
        left_to_move: true,
        right_to_move: false,
        low_battery: false,
        not_connected: false,
    };

    #[test]
    fn every_message_by_its_bytes() {
        let black_queen = Some(Man { colour: Colour::Black, kind: Kind::Queen });
        let table: Vec<(&[u8], Message)> = vec![
            (&[0x8e, 0, 5, 0, 12], Message::FieldUpdate(56, black_queen)),
            (&[0x8e, 0, 5, 7, 2], Message::FieldUpdate(63, white(Kind::Rook))),
            (&[0x8e, 0, 5, 63, 3], Message::FieldUpdate(7, white(Kind::Knight))),
            (&[0x8e, 0, 5, 56, 4], Message::FieldUpdate(0, white(Kind::Bishop))),
            (&[0x8e, 0, 5, 52, 0], Message::FieldUpdate(12, None)),
            (&[0x8e, 0, 5, 52, 14], Message::FieldUpdate(12, None)),
            (&[0x8e, 0, 5, 64, 1], Message::Garbled(5)),
            (&[0x8e, 0, 5, 1, 16], Message::Garbled(5)),
            (&[0x8e, 0, 6, 1, 1], Message::Garbled(5)),
            (&[0x8d, 0, 10, 0x20, 3, 2, 0x20, 3, 2, 8], Message::Time(PLAIN)),
            (&[0x8d, 0, 10, 0, 0, 0, 0, 0, 0, 0], Message::NoTime),
            (&[0x8d, 0, 10, 0, 0x60, 0, 0, 0, 0, 1], Message::Garbled(10)),
            (&[0x8d, 0, 10, 0, 0, 0x0a, 0, 0, 0, 1], Message::Garbled(10)),
            (&[0x8d, 0, 10, 0, 0, 0, 0x0b, 0, 0, 1], Message::Garbled(10)),
            (&[0x8d, 0, 10, 0x0a, 0x10, 0x0a, 0x0a, 0, 0, 0], Message::ClockAck([0x10, 0x0a, 0, 0])),
            (&[0x8d, 0, 10, 0x3a, 0x10, 0x08, 0x2a, 5, 6, 0], Message::ClockAck([0x10, 0x88, 0x85, 0x86])),
            (&[0x8d, 0, 10, 0, 0x10, 0x01, 0x1a, 0, 0, 0], Message::ClockAck([0x90, 0x01, 0, 0])),
            (&[0x90, 0, 5, 1, 2], Message::BusAddress(130)),
            (b"\x91\x00\x0812345", Message::SerialNumber("12345".into())),
            (b"\xa2\x00\x0d3000012345", Message::LongSerial("3000012345".into())),
            (&[0x93, 0, 5, 1, 8], Message::Version(1, 8)),
            (b"\x92\x00\x06DGT", Message::Trademark("DGT".into())),
            (&[0xa0, 0, 7, 1, 2, 3, 4], Message::Battery(vec![1, 2, 3, 4])),
            (&[0xa0, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9], Message::Battery(vec![1, 2, 3, 4, 5, 6, 7, 8, 9])),
            (&[0xa0, 0, 8, 1, 2, 3, 4, 5], Message::Garbled(8)),
            (&[0x8f, 0, 5, 0x6a, 0x7f], Message::EeMoves(vec![0x6a, 0x7f])),
            (&[0xb5, 0, 4, 9], Message::Unknown(0xb5)),
            (&[0xb5, 0, 3], Message::Unknown(0xb5)),
            (&[0xb5, 0, 2], Message::Garbled(3)),
            (&[0x11, 0x22], Message::Garbled(2)),
        ];
        for (bytes, message) in table {
            assert_eq!(decode_all(bytes), vec![message], "{bytes:02x?}");
        }
    }

    #[test]
    fn sides_flags_and_status_bits_of_a_clock_frame() {
        let decode = |bytes: [u8; 7]| match decode_all(&[&[0x8d, 0, 10], bytes.as_slice()].concat()).as_slice() {
            [Message::Time(reading)] => *reading,
            other => panic!("{other:?}"),
        };
        // The right side comes first on the line.
        let reading = decode([0x12, 0x34, 0x56, 0x49, 0x59, 0x59, 0x07]);
        assert_eq!(reading.times, [Some(35_999_000), Some(9_296_000)]);
        assert_eq!(reading.fallen, [true, true], "the flag on the left, the final flag on the right");
        assert!(reading.running && reading.right_lever_high && reading.low_battery);
        assert_eq!(decode([0x20, 0, 1, 0x20, 0, 0, 0x10]).fallen, [false; 2], "a time per move is no flag");
        let gone = decode([0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x20]);
        assert_eq!((gone.times, gone.fallen, gone.not_connected), ([None; 2], [false; 2], true));
    }

    #[test]
    fn a_dump_is_read_from_a8_and_special_men_are_no_men() {
        let start = Scan::from_fen(START).expect("the initial position");
        let mut bytes = reply::dump(&start);
        assert_eq!(&bytes[..11], &[0x86, 0, 67, 8, 9, 10, 12, 11, 10, 9, 8]);
        bytes[3 + 32] = 15;
        assert_eq!(decode_all(&bytes), vec![Message::BoardDump(start)]);
        bytes[3 + 32] = 16;
        assert_eq!(decode_all(&bytes), vec![Message::Garbled(67)]);
    }

    #[test]
    fn damage_costs_only_the_damaged_message() {
        let update = [0x8e, 0, 5, 52, 0];
        let expected = vec![Message::Garbled(4), Message::FieldUpdate(12, None)];
        assert_eq!(decode_all(&[&update[..4], &update].concat()), expected, "the end of the first was lost");
        assert_eq!(decode_all(&[&update[1..], &update].concat()), expected, "the start of the first was lost");
        let endless = decode_all(&[0x11; 600]);
        assert_eq!(endless, vec![Message::Garbled(256), Message::Garbled(256), Message::Garbled(88)]);
    }

    fn message() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            (0..64u8, 0..13u8).prop_map(|(square, code)| reply::field(square, Man::from_code(code))),
            any::<[u8; 32]>().prop_map(|noise| {
                let mut scan = Scan::EMPTY;
                (0..64u8).for_each(|s| scan.put(s, Man::from_code(noise[usize::from(s / 2)] % 13)));
                reply::dump(&scan)
            }),
            any::<[u8; 4]>().prop_map(reply::ack),
            (0..36_000i64, 0..36_000i64, any::<[bool; 7]>()).prop_map(|(l, r, b)| {
                let not_connected = b[6];
                let times = [l, r].map(|s| (!not_connected).then_some(s * 1_000));
                let fallen = [b[0] && !not_connected, b[1] && !not_connected];
                reply::time(&Reading {
                    times,
                    fallen,
                    running: b[2],
                    left_to_move: b[3],
                    right_to_move: !b[3],
                    ..PLAIN
                })
            }),
        ]
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in vec(any::<u8>(), 0..600)) {
            prop_assert!(decode_all(&bytes).len() <= bytes.len());
        }

        #[test]
        fn a_message_after_garbage_is_found(garbage in vec(any::<u8>(), 0..300), message in message()) {
            let alone = decode_all(&message);
            prop_assert!(!matches!(alone[..], [Message::Garbled(_)]));
            let found = decode_all(&[garbage, message].concat());
            prop_assert_eq!(found.last(), alone.first());
        }

        #[test]
        fn where_the_stream_is_cut_does_not_matter(
            pieces in vec(prop_oneof![message(), vec(any::<u8>(), 0..20)], 0..30),
            cuts in vec(1..40usize, 1..60),
        ) {
            let stream = pieces.concat();
            let mut decoder = Decoder::default();
            let (mut rest, mut messages) = (stream.as_slice(), Vec::new());
            for cut in cuts.into_iter().cycle() {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                messages.extend(decoder.push(now));
                rest = later;
                if rest.is_empty() { break; }
            }
            messages.extend(decoder.finish());
            prop_assert_eq!(messages, decode_all(&stream));
        }

        #[test]
        fn every_byte_is_accounted_for(garbage in vec(0..0x80u8, 1..700), message in message()) {
            let total: u32 = decode_all(&[garbage.clone(), message].concat())
                .iter()
                .map(|m| if let Message::Garbled(n) = m { *n } else { 0 })
                .sum();
            prop_assert_eq!(total as usize, garbage.len());
        }
    }
}
