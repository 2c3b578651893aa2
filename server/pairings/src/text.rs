//! Bytes of a file as lines, and lines as columns, so that every character knows its bytes.

use std::borrow::Cow;

/// A line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// From 1.
    pub number: usize,
    /// Where it begins in the file.
    pub at: usize,
    /// Without its end.
    pub bytes: &'a [u8],
}

/// The mark that some programs put in front of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a file, whichever way each of them ends: CR, LF, or CR and LF. A mark in front is no part of the first.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut at = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
    let mut number = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
        let end = match &rest[length..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        number += 1;
        let line = Line { number, at, bytes: &rest[..length] };
        at += length + end;
        Some(line)
    })
}

/// A file's bytes, in UTF-8 where they are UTF-16 by the mark in front, as office programs save text; of that nothing else is read.
#[must_use]
pub fn utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let (unit, units): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xff, 0xfe, units @ ..] => (u16::from_le_bytes, units),
        [0xfe, 0xff, units @ ..] => (u16::from_be_bytes, units),
        _ => return Cow::Borrowed(bytes),
    };
    let units = units.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Cow::Owned(text.into_bytes())
}

/// A file as text whose lines end in LF: UTF-8 with or without a mark, UTF-16 with one, else Latin-1, which every byte is.
#[must_use]
pub fn plain(bytes: &[u8]) -> String {
    let bytes = &*utf8(bytes);
    let encoding = Encoding::of(bytes);
    let mut text = String::with_capacity(bytes.len());
    for line in lines(bytes) {
        text.push_str(&encoding.text(line.bytes));
        text.push('\n');
    }
    text
}

/// How the characters of a file are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, or plain ASCII.
    Utf8,
    /// Latin-1: every byte is a character.
    Latin1,
}

impl Encoding {
    /// UTF-8 when all of it is, else Latin-1.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Encoding {
        if std::str::from_utf8(bytes).is_ok() { Encoding::Utf8 } else { Encoding::Latin1 }
    }

    /// Bytes as text.
    #[must_use]
    pub fn text(self, bytes: &[u8]) -> String {
        match self {
            Encoding::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Encoding::Latin1 => bytes.iter().copied().map(char::from).collect(),
        }
    }
}

/// A line by its columns.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    /// Where each column begins; `None`: a column is a byte.
    starts: Option<Vec<usize>>,
}

impl<'a> Columns<'a> {
    /// A column a character.
    #[must_use]
    pub fn characters(bytes: &'a [u8], encoding: Encoding) -> Columns<'a> {
        let starts = match encoding {
            Encoding::Utf8 if !bytes.is_ascii() => {
                Some((0..bytes.len()).filter(|&at| !matches!(bytes[at], 0x80..=0xbf)).collect())
            }
            _ => None,
        };
        Columns { bytes, encoding, starts }
    }

    /// A column a byte, as programs count that know nothing of UTF-8.
    #[must_use]
    pub fn bytes(bytes: &'a [u8], encoding: Encoding) -> Columns<'a> {
        Columns { bytes, encoding, starts: None }
    }

    /// The two ways of counting differ.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.starts.is_some()
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.as_ref().map_or(self.bytes.len(), Vec::len)
    }

    /// The byte of the line at which a column begins, from 1; behind the end it is the end.
    #[must_use]
    pub fn offset(&self, column: usize) -> usize {
        let index = column.saturating_sub(1);
        match &self.starts {
            Some(starts) => starts.get(index).copied().unwrap_or(self.bytes.len()),
            None => index.min(self.bytes.len()),
        }
    }

    /// What stands from one column to another, both included; less when the line is shorter.
    #[must_use]
    pub fn text(&self, first: usize, last: usize) -> String {
        self.encoding.text(&self.bytes[self.offset(first)..self.offset(last + 1)])
    }

    /// The character of a column; a blank behind the end.
    #[must_use]
    pub fn character(&self, column: usize) -> char {
        self.text(column, column).chars().next().unwrap_or(' ')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways() {
        let found: Vec<_> = lines(b"\xef\xbb\xbfa\rb\r\n\nc").map(|line| (line.number, line.at, line.bytes)).collect();
        assert_eq!(found, [(1, 3, &b"a"[..]), (2, 5, b"b"), (3, 8, b""), (4, 9, b"c")]);
        assert_eq!(lines(b"a\n").count(), 1);
    }

    #[test]
    fn utf_16_is_told_by_its_mark() {
        assert_eq!(plain(b"\xff\xfeA\0\x16\x04\r\0\n\0"), "AЖ\n");
        assert_eq!(plain(b"\xfe\xff\0A\x04\x16\xd8"), "AЖ\n", "half a character at the end is none");
        assert_eq!(utf8(b"A\0"), Cow::Borrowed(b"A\0"));
    }

    #[test]
    fn columns_are_characters_or_bytes() {
        let text = "aжb".as_bytes();
        let wide = Columns::characters(text, Encoding::of(text));
        assert_eq!((wide.count(), wide.text(2, 3), wide.offset(3), wide.offset(9)), (3, "жb".into(), 3, 4));
        let narrow = Columns::bytes(text, Encoding::Utf8);
        assert_eq!((narrow.count(), narrow.character(4), narrow.character(5)), (4, 'b', ' '));
        let latin = Columns::characters(b"a\xe9b", Encoding::of(b"a\xe9b"));
        assert_eq!((latin.count(), latin.text(2, 2)), (3, "é".into()));
    }
}
