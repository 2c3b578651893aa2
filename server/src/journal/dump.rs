//! A stream in plain words, for an operator or an arbiter who wants to know what happened.
//!
//! ```text
//! entry 12 · 2026-05-01T10:00:03.250Z · session 4
//!   ◀ event 57 at 81250 ms of boot 0a1b2c3d: white pressed; 1:29:31 – 1:30:00, black to move, running
//!   ▶ the clock was heard: event 57
//!   ▶ white played e2e4, completed; 1:29:31 – 1:30:00
//! ```

mod adjourned;
pub(crate) mod organiser;
pub mod plain;

use std::io::{self, Write};

use flagfall_proto::clock::v1;

use super::{
    Journal, ReadError, Stored, StreamId,
    codec::{self, Kept},
    keys::hex,
    verify::walk,
};

/// Why a stream was not dumped to its end.
#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    /// There is nothing under that name.
    #[error("there is no {0} in this journal: `flagfall journal dump` without a name lists what is there")]
    Nothing(StreamId),
    /// The output was closed, or its disk is full.
    #[error("writing the dump: {0}")]
    Output(#[from] io::Error),
}

/// Writes every entry of a stream: when it was admitted, what came in, and a line for each thing that followed. What cannot be
/// read is said in its place, and the rest goes on.
///
/// # Errors
/// The stream is not there, or the output takes no more.
pub fn dump(journal: &dyn Journal, stream: &StreamId, out: &mut dyn Write) -> Result<(), DumpError> {
    let (mut steps, mut written) = (0, Ok(()));
    walk(journal, stream, |step| {
        steps += 1;
        if written.is_ok() {
            written = match step {
                Ok(entry) => print(&entry, out),
                Err(error) => unreadable(&error, out),
            };
        }
    });
    written?;
    if steps == 0 { Err(DumpError::Nothing(stream.clone())) } else { Ok(()) }
}

fn unreadable(error: &ReadError, out: &mut dyn Write) -> io::Result<()> {
    match error {
        ReadError::Damaged { index, reason, .. } => writeln!(out, "entry {index} · damaged: {reason}"),
        ReadError::Missing { index, .. } => writeln!(out, "entry {index} · missing"),
        error @ ReadError::OnShelf { .. } => writeln!(out, "{error}"),
        ReadError::Failed { reason, .. } => writeln!(out, "the database failed: {reason}"),
    }
}

fn print(stored: &Stored, out: &mut dyn Write) -> io::Result<()> {
    let entry = match codec::decode_entry(&stored.bytes) {
        Ok(entry) => entry,
        Err(error) => return writeln!(out, "entry {} · cannot be understood: {error}", stored.index),
    };
    let wall = jiff::Timestamp::from_millisecond(entry.meta.wall_ms)
        .map_or_else(|_| format!("{} ms", entry.meta.wall_ms), |at| format!("{at:.3}"));
    write!(out, "entry {} · {wall}", stored.index)?;
    if entry.meta.session_epoch > 0 {
        write!(out, " · session {}", entry.meta.session_epoch)?;
    }
    writeln!(out)?;
    for input in &entry.inputs {
        writeln!(out, "  ◀ {}", given(input))?;
    }
    for event in &entry.events {
        writeln!(out, "  ▶ {}", plain::event(event))?;
    }
    Ok(())
}

fn given(input: &Kept) -> String {
    match input {
        Kept::Device(bytes) => {
            let read = codec::message::<v1::DeviceEvent>(bytes).and_then(|event| Ok(codec::device_input(event)?));
            read.map_or_else(
                |error| format!("an event that cannot be understood: {error}"),
                |event| plain::device(&event),
            )
        }
        Kept::Desk(input) => plain::desk(input),
        Kept::Answered(number, can_mate) => plain::answered(*number, *can_mate),
        Kept::Noticed(notice) => plain::noticed(notice),
        Kept::Overdue(rev) => format!("no word of directive {rev} in time"),
        Kept::Restored(export) => format!("the journal was restored from the export {}", hex(&export[..4])),
        Kept::Organiser(bytes) => organiser::given(bytes),
        Kept::Session(session) => {
            let (spool, boot) = (hex(&session.spool_id[..4]), plain::boot(session.boot));
            format!("{} was taken in as session {}, spool {spool}, boot {boot}", session.device, session.session_epoch)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::journal::{
        MemoryJournal,
        codec::{Meta, Session, samples},
    };

    fn game() -> StreamId {
        StreamId::Game(samples::GAME.to_owned())
    }

    fn dumped(journal: &MemoryJournal) -> String {
        let mut out = Vec::new();
        dump(journal, &game(), &mut out).expect("dumped");
        String::from_utf8(out).expect("text")
    }

    proptest! {
        #[test]
        fn every_event_has_one_line(event in samples::events()) {
            prop_assert_eq!(plain::event(&event).lines().count(), 1);
        }

        #[test]
        fn every_act_has_one_line(input in samples::desk_inputs()) {
            prop_assert_eq!(plain::desk(&input).lines().count(), 1);
        }
    }

    #[test]
    fn a_stream_is_told_in_order_with_its_gaps() {
        let journal = MemoryJournal::new();
        let session = Session { device: "clock-7".into(), session_epoch: 3, spool_id: [0xab; 16], boot: 1 << 124 };
        let meta = Meta { wall_ms: 1_767_225_600_250, session_epoch: 3, ..Meta::default() };
        let entries = [
            codec::entry(samples::GAME, "", &meta, &[Kept::Session(session)], &[]),
            codec::entry(samples::GAME, "", &Meta::default(), &[Kept::Overdue(2)], &[]),
            codec::entry(samples::GAME, "", &Meta::default(), &[Kept::Device(vec![1])], &[]),
            b"\xff".to_vec(),
        ];
        for (after, bytes) in entries.into_iter().enumerate() {
            assert!(journal.append(&game(), after as u64, bytes).wait().is_ok());
        }
        journal.damage(&game(), 2);
        let text = dumped(&journal);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "entry 1 · 2026-01-01T00:00:00.250Z · session 3");
        assert_eq!(lines[1], "  ◀ clock-7 was taken in as session 3, spool abababab, boot 10000000");
        assert!(lines[2].starts_with("entry 2 · damaged: "), "{text}");
        assert_eq!(lines[3], "entry 3 · 1970-01-01T00:00:00.000Z");
        assert!(lines[4].starts_with("  ◀ an event that cannot be understood: "), "{text}");
        assert!(lines[5].starts_with("entry 4 · cannot be understood: "), "{text}");
    }

    #[test]
    fn a_name_that_is_not_there_is_said() {
        let error = dump(&MemoryJournal::new(), &game(), &mut Vec::new()).expect_err("nothing");
        assert!(error.to_string().starts_with("there is no game/r1.b07 in this journal"), "{error}");
    }
}
