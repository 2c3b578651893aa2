//! Bytes of a DGT board, as far as the clock's mind.

use flagfall_clock::{
    Settings,
    core::{ClockKind, Core, Effect},
    hw::dgt::{
        board::{Board, Output},
        decode::{Decoder, Message, decode_all},
    },
    sense::Ask,
};
use flagfall_rules::clock::Place;

/// The bytes come in chunks of one to sixteen, as long as the byte before them says.
pub(super) fn run(bytes: &[u8]) {
    let settings = Settings {
        device: "clock-1".to_owned(),
        clock: ClockKind::External,
        default_control: None,
        white_place: Place::Left,
        boot: 1,
        settle_ms: 1_000,
    };
    let (mut core, mut board, mut decoder) = (Core::new(settings, None), Board::default(), Decoder::default());
    let (mut now, mut read, mut rest, mut last) = (1_000, Vec::new(), bytes, 15u8);
    while !rest.is_empty() {
        let (chunk, more) = rest.split_at(rest.len().min(1 + usize::from(last & 15)));
        (rest, last) = (more, chunk.last().copied().unwrap_or(15));
        now += 1 + u64::from(last) * 7;
        let messages = decoder.push(chunk);
        read.extend(messages.iter().cloned());
        for message in messages {
            let out = board.take(message, now);
            follow(&mut core, &mut board, out, now);
        }
        if last == 0 {
            // Somebody wants the clock set, now and again.
            let out = board.ask(Ask::Dial(core.face()), now);
            follow(&mut core, &mut board, out, now);
        }
        let out = board.tick(now);
        follow(&mut core, &mut board, out, now);
    }
    read.extend(decoder.finish());
    assert_eq!(read, decode_all(bytes), "where the bytes are cut makes no difference");
    let garbled: u32 = read.iter().map(|message| if let Message::Garbled(n) = message { *n } else { 0 }).sum();
    assert!(garbled as usize <= bytes.len(), "no byte is lost twice");
}

/// What the board senses goes to the mind, and what that asks goes back.
fn follow(core: &mut Core, board: &mut Board, out: Output, now: u64) {
    let mut senses = out.senses;
    // An errand may lead to another; more than these is a loop.
    for _ in 0..8 {
        let mut next = Vec::new();
        for sense in senses {
            for effect in core.handle(now, sense) {
                if let Effect::Ask(ask) = effect {
                    next.extend(board.ask(ask, now).senses);
                }
            }
        }
        if next.is_empty() {
            return;
        }
        senses = next;
    }
    panic!("board and mind go on answering each other");
}
