//! The high-water mark: how far the journal once reached, kept outside sled because sled cannot know what it has lost.
//!
//! ```text
//!   flagfall high-water 2 position=123456 lost=12 streams=2⏎
//!   "game/r1.b07" 241⏎
//!   "game/r1.b08" 229 of 241⏎
//!   crc=8f1c02aa⏎
//! ```
//!
//! Text in `<dir>/high-water`: the version of this layout; the highest position ever durable, at most a second old while entries
//! keep coming and 50 ms when they do not (twice that beyond 4,096 streams, and so on); how many entries up to there are known to
//! be gone; then the streams of the tree, each as a JSON string with the index of its last entry, and behind `of` the index it
//! once had, when the rest is gone and nobody has released the stream yet. Last, CRC-32C in hexadecimal of all before `crc=`.
//! Version 1 was the first line alone, without `streams=`.
//! Written to `high-water.new`, synced and renamed, so that it is always whole. It lags behind the database and is never ahead of
//! it. Lifetime: that of the directory.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::OpenError;
use crate::journal::{Short, StreamId};

/// Where a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::journal) struct End {
    /// Its last entry.
    pub(in crate::journal) has: u64,
    /// The last it once had, not smaller.
    pub(in crate::journal) had: u64,
}

/// How far a journal reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// The highest position ever durable.
    pub(super) position: u64,
    /// How many entries up to it are known to be gone.
    pub(super) lost: u64,
    /// The streams of the tree.
    pub(super) ends: BTreeMap<StreamId, End>,
}

impl Mark {
    /// The mark, raised to a position that is known to be durable.
    pub(super) fn raised(self, position: u64) -> Mark {
        Mark { position: self.position.max(position), ..self }
    }

    /// The mark after a look at where its streams end now: what one had more stays on record.
    pub(super) fn compared(self, now: impl Fn(&StreamId) -> u64) -> Mark {
        let compare = |(stream, End { has, had }): (StreamId, End)| {
            let (now, had) = (now(&stream), had.max(has));
            (stream, End { has: now, had: had.max(now) })
        };
        Mark { ends: self.ends.into_iter().map(compare).collect(), ..self }
    }

    /// The mark of a journal that is believed as it is.
    pub(super) fn settled(self, ends: &BTreeMap<StreamId, u64>) -> Mark {
        let ends = ends.iter().map(|(stream, &has)| (stream.clone(), End { has, had: has })).collect();
        Mark { ends, ..self }
    }

    /// How many entries its streams have fewer than in the mark before.
    pub(super) fn newly_missing(&self, before: &Mark) -> u64 {
        let missing =
            |(stream, end): (&StreamId, &End)| end.has.saturating_sub(self.ends.get(stream).map_or(0, |now| now.has));
        before.ends.iter().map(missing).sum()
    }

    /// The streams that once had more.
    pub(super) fn short(&self) -> Vec<Short> {
        let short = self.ends.iter().filter(|(_, end)| end.had > end.has);
        short.map(|(stream, &End { has, had })| Short { stream: stream.clone(), had, has }).collect()
    }

    fn text(&self) -> String {
        let Mark { position, lost, ends } = self;
        let mut text = format!("flagfall high-water 2 position={position} lost={lost} streams={}\n", ends.len());
        for (stream, End { has, had }) in ends {
            let name = serde_json::Value::String(stream.to_string());
            // Writing to a String does not fail.
            let _ = match had > has {
                true => writeln!(text, "{name} {has} of {had}"),
                false => writeln!(text, "{name} {has}"),
            };
        }
        let crc = crc32c::crc32c(text.as_bytes());
        let _ = writeln!(text, "crc={crc:08x}");
        text
    }

    fn parse(text: &str) -> Option<Mark> {
        if let Some(first) = text.strip_prefix("flagfall high-water 1 ") {
            return Mark::parse_first(text, first);
        }
        let mut lines = text.lines();
        let head = lines.next()?.strip_prefix("flagfall high-water 2 position=")?;
        let (position, rest) = head.split_once(" lost=")?;
        let (lost, _streams) = rest.split_once(" streams=")?;
        let (mut ends, mut line) = (BTreeMap::new(), lines.next()?);
        while !line.starts_with("crc=") {
            let (name, numbers) = line.rsplit_once("\" ")?;
            let name: String = serde_json::from_str(&format!("{name}\"")).ok()?;
            let (has, had) = numbers.split_once(" of ").unwrap_or((numbers, numbers));
            ends.insert(name.parse().ok()?, End { has: has.parse().ok()?, had: had.parse().ok()? });
            line = lines.next()?;
        }
        let mark = Mark { position: position.parse().ok()?, lost: lost.parse().ok()?, ends };
        // Comparing the whole text checks the checksum, and that there is one way only to write a mark.
        (mark.text() == text).then_some(mark)
    }

    /// The layout before streams stood in it.
    fn parse_first(line: &str, rest: &str) -> Option<Mark> {
        let (text, crc) = line.strip_suffix('\n')?.split_once(" crc=")?;
        let (position, lost) = rest.strip_prefix("position=")?.split_once(" crc=")?.0.split_once(" lost=")?;
        let whole = format!("{:08x}", crc32c::crc32c(text.as_bytes())) == crc;
        let (position, lost) = (position.parse().ok()?, lost.parse().ok()?);
        whole.then(|| Mark { position, lost, ends: BTreeMap::new() })
    }
}

/// The file of a mark.
pub(super) struct MarkFile {
    path: PathBuf,
    draft: PathBuf,
}

impl MarkFile {
    pub(super) fn new(dir: &Path) -> MarkFile {
        MarkFile { path: dir.join("high-water"), draft: dir.join("high-water.new") }
    }

    /// The mark; `None` when there is no file.
    pub(super) fn read(&self) -> Result<Option<Mark>, String> {
        match fs::read(&self.path) {
            Ok(bytes) => match std::str::from_utf8(&bytes).ok().and_then(Mark::parse) {
                Some(mark) => Ok(Some(mark)),
                None => Err("is damaged".to_owned()),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("cannot be read ({error})")),
        }
    }

    /// Replaces the mark.
    pub(super) fn write(&self, mark: &Mark) -> Result<(), OpenError> {
        self.replace(mark).map_err(|source| OpenError::Io { path: self.path.clone(), source })
    }

    fn replace(&self, mark: &Mark) -> io::Result<()> {
        let mut draft = File::create(&self.draft)?;
        draft.write_all(mark.text().as_bytes())?;
        draft.sync_all()?;
        fs::rename(&self.draft, &self.path)
    }

    pub(super) fn unusable(&self, reason: &str) -> OpenError {
        OpenError::NoMark { path: self.path.clone(), reason: reason.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn marks() -> impl Strategy<Value = Mark> {
        let stream = prop_oneof![
            ".{0,6}".prop_map(StreamId::Game),
            "[a-c\"\\\\\n ]{0,4}".prop_map(StreamId::Device),
            Just(StreamId::Desk)
        ];
        let end = (0..1_000u64, 0..9u64).prop_map(|(has, gone)| End { has, had: has + gone });
        let ends = prop::collection::btree_map(stream, end, 0..5);
        (any::<u64>(), any::<u64>(), ends).prop_map(|(position, lost, ends)| Mark { position, lost, ends })
    }

    proptest! {
        #[test]
        fn a_mark_comes_back(mark in marks()) {
            prop_assert_eq!(Mark::parse(&mark.text()), Some(mark));
        }

        #[test]
        fn a_changed_mark_is_none(mark in marks(), at: prop::sample::Index, to in 0..128u8) {
            let mut text = mark.text().into_bytes();
            let at = at.index(text.len());
            prop_assume!(text[at] != to);
            text[at] = to;
            prop_assert_eq!(std::str::from_utf8(&text).ok().and_then(Mark::parse), None);
        }

        #[test]
        fn a_mark_of_the_first_layout_is_read(position: u64, lost: u64) {
            let text = format!("flagfall high-water 1 position={position} lost={lost}");
            let line = format!("{text} crc={:08x}\n", crc32c::crc32c(text.as_bytes()));
            prop_assert_eq!(Mark::parse(&line), Some(Mark { position, lost, ..Mark::default() }));
        }
    }

    #[test]
    fn it_is_missing_damaged_or_whole() {
        let dir = tempfile::tempdir().expect("directory");
        let file = MarkFile::new(dir.path());
        assert_eq!(file.read(), Ok(None));
        let mark = Mark { position: 7, lost: 1, ..Mark::default() };
        file.write(&mark).expect("written");
        assert_eq!(file.read(), Ok(Some(mark)));
        fs::write(dir.path().join("high-water"), "flagfall high-water 2 position=9 lost=1 streams=0\ncrc=00000000\n")
            .expect("write");
        assert_eq!(file.read(), Err("is damaged".to_owned()));
    }

    #[test]
    fn what_a_stream_had_stays_on_record_until_it_has_it_again() {
        let game = |name: &str| StreamId::Game(name.into());
        let end = |has, had| End { has, had };
        let before = Mark { ends: [(game("a"), end(10, 10)), (game("b"), end(5, 5))].into(), ..Mark::default() };
        let after = before.clone().compared(|stream| if *stream == game("a") { 7 } else { 6 });
        assert_eq!(after.short(), [Short { stream: game("a"), had: 10, has: 7 }]);
        assert_eq!(after.newly_missing(&before), 3);
        // The next start finds nothing new, and the stream is still short.
        let again = after.clone().compared(|stream| if *stream == game("a") { 7 } else { 9 });
        assert_eq!((again.newly_missing(&after), again.short().len()), (0, 1));
        // The clocks sent it again.
        assert_eq!(again.compared(|_| 12).short(), []);
    }
}
