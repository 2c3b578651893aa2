//! The lines of a log as bytes and messages.

use flagfall_clock::hw::dgt::decode::{Decoder, Message};

use crate::app::replay::lexer::Fault;

/// What is on one line.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) bytes: Vec<u8>,
    /// The messages that end with it.
    pub(super) messages: Vec<Message>,
}

impl From<Vec<u8>> for Said {
    fn from(bytes: Vec<u8>) -> Said {
        Said { messages: Decoder::default().push(&bytes), bytes }
    }
}

/// Whether a text is such a log: most of its first lines are whole messages.
#[must_use]
pub fn is_log(text: &str) -> bool {
    let lines: Vec<&str> = content(text).map(|(_, line)| line).take(20).collect();
    let framed = lines.iter().filter(|line| bytes(line).is_some_and(|bytes| is_framed(&bytes))).count();
    framed > 0 && framed * 2 >= lines.len()
}

/// Everything in a log, and the lines that are no message.
pub(super) fn read(text: &str) -> (Vec<Said>, Vec<Fault>) {
    let (mut said, mut faults) = (Vec::new(), Vec::new());
    let mut decoder = Decoder::default();
    for (number, line) in content(text) {
        let Some(bytes) = bytes(line) else {
            let shown: String = line.chars().take(40).collect();
            faults.push(Fault { ply: 0, what: format!("line {number}: {shown:?} is neither base64 nor hex") });
            continue;
        };
        if !is_framed(&bytes) {
            faults.push(Fault { ply: 0, what: format!("line {number}: {} bytes that are no message", bytes.len()) });
        }
        said.push(Said { messages: decoder.push(&bytes), bytes });
    }
    (said, faults)
}

/// Lines with something on them, numbered from 1.
fn content(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The bytes of a line: hex where that makes whole messages, else base64, else hex after all.
fn bytes(line: &str) -> Option<Vec<u8>> {
    let as_hex = hex(line);
    match as_hex {
        Some(bytes) if is_framed(&bytes) => Some(bytes),
        as_hex => base64(line).or(as_hex),
    }
}

fn hex(line: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = line.bytes().filter(|b| !matches!(b, b' ' | b'\t' | b':' | b',')).collect();
    let digits = digits.strip_prefix(b"0x").unwrap_or(&digits);
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    let value = |b: u8| char::from(b).to_digit(16);
    digits.chunks(2).map(|pair| u8::try_from(value(pair[0])? << 4 | value(pair[1])?).ok()).collect()
}

fn base64(line: &str) -> Option<Vec<u8>> {
    let (mut out, mut pool, mut bits) = (Vec::new(), 0u32, 0);
    let digits = line.trim_end_matches('=');
    if digits.is_empty() || line.len() - digits.len() > 2 || digits.len() % 4 == 1 {
        return None;
    }
    for b in digits.bytes() {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        (pool, bits) = (pool << 6 | u32::from(value), bits + 6);
        if bits >= 8 {
            bits -= 8;
            out.push((pool >> bits) as u8);
            pool &= (1 << bits) - 1;
        }
    }
    Some(out)
}

/// One or more whole messages and nothing else.
fn is_framed(mut bytes: &[u8]) -> bool {
    let any = !bytes.is_empty();
    while let [first, high, low, ..] = *bytes {
        let length = usize::from(high) << 7 | usize::from(low);
        let payload = first >= 0x80 && length >= 3 && length <= bytes.len();
        if !payload || bytes[1..length].iter().any(|&b| b >= 0x80) {
            return false;
        }
        bytes = &bytes[length..];
    }
    any && bytes.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "hgBDCAkKDAsKCQgHBwcHBwcHBwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQEBAQEBAQECAwQGBQQDAg==";

    #[test]
    fn lines_are_bytes_in_either_writing() {
        assert_eq!(base64("jgAFNAA="), Some(vec![0x8e, 0, 5, 0x34, 0]));
        assert_eq!(hex("8e 00 05 34 00"), base64("jgAFNAA="));
        assert_eq!(bytes("0x8E00053400"), base64("jgAFNAA="));
        for odd in ["", "=", "====", "A", "é", "8e0", "zz", "jgAFNAA===", "#"] {
            assert!(base64(odd).is_none() || hex(odd).is_none(), "{odd}");
        }
        assert!(is_log(&format!("# a comment\n\n{START}\njQAKIAMCIAMCCA==\n")));
        for not in ["", "1. e4 e5 *", "[Event \"A\"]", "8e", "hello", "deadbeef"] {
            assert!(!is_log(not), "{not}");
        }
    }
}
