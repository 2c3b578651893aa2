//! Entries of a game's stream, as far as what an arbiter reads.

use flagfall_rules::{
    game::{self, DeskAct, Game, Input, ServiceAct},
    laws,
};
use flagfall_server::{
    journal::{
        Journal, MemoryJournal, StreamId,
        codec::{self, Kept},
        dump::dump,
        frame, verify,
    },
    wire::snapshot,
};

use super::link::device_event;

/// The game whose stream it is.
const GAME: &str = "r1.b07";

/// Replays what can be read, and plays what came in as well: a game that the rules follow, and one that only remembers.
pub(super) fn run(bytes: &[u8]) {
    // Most bytes are no value of the journal; those that are come back.
    if let Ok((position, entry)) = frame::unframe(bytes) {
        assert_eq!(frame::frame(position, entry), bytes);
    }
    let (mut kept, mut played) = (Game::new(GAME), Game::new(GAME));
    let (journal, stream) = (MemoryJournal::new(), StreamId::Game(GAME.to_owned()));
    for (entry, after) in entries(bytes).zip(0..) {
        drop(journal.append(&stream, after, entry.to_vec()));
        let Ok(read) = codec::decode_entry(entry) else { continue };
        // Once read it is in the form that we write: it comes back the same, whatever it was before.
        let again = codec::entry(GAME, &read.traceparent, &read.meta, &read.inputs, &read.events);
        let again = codec::decode_entry(&again).expect("what was read can be kept");
        assert_eq!((&again.inputs, &again.events), (&read.inputs, &read.events));
        for event in &read.events {
            game::evolve(&mut kept, event);
        }
        read.inputs.into_iter().for_each(|input| play(&mut played, input));
    }
    for game in [&kept, &played] {
        drop(snapshot::of(game, 1));
    }
    let mut words = Vec::new();
    // There may be no entry at all.
    let _ = dump(&journal, &stream, &mut words);
    drop(verify(&journal));
}

/// Entries one after the other, two bytes of length before each; the last may be cut short.
fn entries(mut bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = bytes.split_first_chunk::<2>()?;
        let (entry, rest) = rest.split_at(rest.len().min(usize::from(u16::from_be_bytes(*length))));
        bytes = rest;
        Some(entry)
    })
}

fn play(game: &mut Game, input: Kept) {
    let id = match &input {
        Kept::Desk(desk) => match &desk.act {
            DeskAct::Open(setup) if !game.opened => &setup.edition,
            _ => &game.setup.edition,
        },
        _ => &game.setup.edition,
    };
    let edition = laws::edition(id).unwrap_or(laws::EDITIONS[0]);
    let input = match input {
        Kept::Device(bytes) if game.opened => return device_event(game, edition, &bytes),
        Kept::Device(_) | Kept::Session(_) | Kept::Organiser(_) | Kept::Restored(_) => return,
        Kept::Desk(input) => Input::Desk(*input),
        Kept::Overdue(rev) => Input::Service(ServiceAct::Overdue(rev)),
        Kept::Noticed(notice) => Input::Service(ServiceAct::Noticed(notice)),
        Kept::Answered(number, can_mate) => Input::Service(ServiceAct::Answered(number, can_mate)),
    };
    let before = game.clone();
    if let Err(refusal) = game::decide(edition, game, &input) {
        assert_eq!(*game, before, "a game that refuses is as it was: {refusal}");
    }
}
