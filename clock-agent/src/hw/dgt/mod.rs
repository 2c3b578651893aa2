//! The DGT board and the clock that hangs on it: a serial line at 9600 8N1, by USB or Bluetooth as well.
//!
//! ```text
//!            bytes              messages            senses
//!  port ──▶ decode::Decoder ──▶ board::Board ──▶ core
//!  port ◀── encode ◀─────────── board::Board ◀── asks
//!       driver: the only part that touches the machine
//! ```
//!
//! - The board sends frames `[id | 0x80][length >> 7][length & 0x7f][payload]`; the length counts the three header bytes,
//!   and no byte but the first has its top bit set. So a frame's start is found again after any damage.
//! - The host sends single bytes, and clock commands `0x2b, length, 0x03, command, data…, 0x00`.

pub mod board;
pub mod decode;
pub mod driver;
pub mod encode;
pub mod pty;
pub mod reply;
#[cfg(test)]
mod tests;
mod watch;

/// First bytes of the board's messages.
pub(crate) mod id {
    pub(crate) const BOARD_DUMP: u8 = 0x86;
    pub(crate) const TIME: u8 = 0x8d;
    pub(crate) const FIELD_UPDATE: u8 = 0x8e;
    pub(crate) const EE_MOVES: u8 = 0x8f;
    pub(crate) const BUS_ADDRESS: u8 = 0x90;
    pub(crate) const SERIAL_NUMBER: u8 = 0x91;
    pub(crate) const TRADEMARK: u8 = 0x92;
    pub(crate) const VERSION: u8 = 0x93;
    pub(crate) const BATTERY: u8 = 0xa0;
    pub(crate) const LONG_SERIAL: u8 = 0xa2;
}

/// Bits of the last byte of a clock frame.
pub(crate) mod status {
    pub(crate) const RUNNING: u8 = 0x01;
    pub(crate) const RIGHT_LEVER_HIGH: u8 = 0x02;
    pub(crate) const LOW_BATTERY: u8 = 0x04;
    pub(crate) const LEFT_TO_MOVE: u8 = 0x08;
    pub(crate) const RIGHT_TO_MOVE: u8 = 0x10;
    pub(crate) const NOT_CONNECTED: u8 = 0x20;
}

/// The board's numbers of men by kind, pawn to king as [`flagfall_rules::board::Kind`] has them; black is 6 higher.
pub(crate) const PIECES: [u8; 6] = [1, 3, 4, 2, 6, 5];

/// A field of the board (0 = a8, 63 = h1) as a square of a scan (0 = a1, 63 = h8), and back: both count files alike.
pub(crate) const fn flip(field: u8) -> u8 {
    field ^ 56
}
