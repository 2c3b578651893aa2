//! Valid bytes of every kind, written by our own encoders: what the kept corpus begins with.

mod table;

use flagfall_clock::{
    core::ClockKind,
    hw::dgt::{decode::Reading, reply},
    sense::{ClaimKind, Dial, FaultKind, Sense},
};
use flagfall_proto::clock::v1::{
    Ack, ClockHeartbeat, Events, Goodbye, Hello, Instant, LinkRequest, LinkResponse, Past, Rewind, ServerHeartbeat,
    Welcome, link_request, link_response,
};
use flagfall_rules::{
    adjourn::{Deed, Resumption, Seal, Session, Situation},
    board::Scan,
    clock::{Colour, Face, Hand, Place},
    game::{Act, Claim, DeskAct, Facts, Irregularity, Words},
};
use prost::Message;

pub(crate) use table::opened;
use table::{SPOOL, Table};

use crate::targets::LONGEST;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
const E5: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR";
/// The knight to e3, which it cannot reach.
const NE3: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/4N3/PPPP1PPP/RNBQKB1R";
const NF3: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";
const NC6: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R";
/// The kings in the centre: drawn.
const KINGS: &str = "r1bq1bnr/pppp1ppp/2n5/3kp3/3KP3/5N2/PPPP1PPP/RNBQ1B1R";

const HOUR: i64 = 3_600_000;

/// Every sample, as `target/name`.
///
/// # Errors
/// There is no room for the spools that are written for them.
pub fn all() -> anyhow::Result<Vec<(String, Vec<u8>)>> {
    let mut samples = Vec::new();
    for (name, mut table) in [
        ("rulings", rulings()?),
        ("claims", claims()?),
        ("adjourned", adjourned()?),
        ("by-hand", by_hand()?),
        ("read-off", read_off()?),
    ] {
        samples.push((format!("requests/valid-{name}"), requests(&table)));
        samples.push((format!("responses/valid-{name}"), responses(&table)));
        samples.push((format!("journal/valid-{name}"), stream(&table.entries)));
        samples.push((format!("spool/valid-{name}"), [&[1], table.spool()?.as_slice()].concat()));
        if name == "by-hand" {
            table.forget()?;
            table.sense(5_000, Sense::Call(None));
            samples.push(("spool/valid-begun-anew".into(), [&[1], table.spool()?.as_slice()].concat()));
        }
    }
    samples.extend([
        ("board/valid-game".to_owned(), board(false).concat()),
        ("board/valid-trouble".to_owned(), board(true).concat()),
        ("board-log/valid-hex".to_owned(), log(&board(false), hex)),
        ("board-log/valid-trouble".to_owned(), log(&board(true), hex)),
        ("pgn/valid-with-clocks".to_owned(), WITH_CLOCKS.into()),
        ("pgn/valid-with-everything".to_owned(), WITH_EVERYTHING.into()),
        ("case/valid-shared".to_owned(), SHARED.into()),
        ("pairings/valid-report".to_owned(), REPORT.into()),
        ("pairings/valid-table".to_owned(), TABLE.into()),
        ("pairings/valid-headers".to_owned(), HEADERS.into()),
    ]);
    Ok(samples)
}

/// Presses, an illegal move, a press without a move, a flag.
fn rulings() -> anyhow::Result<Table> {
    let mut table = Table::open("fide-2018", ClockKind::Own)?;
    table.play(START, None);
    table.sense(100, Sense::Button(Place::Right));
    table.play(E4, Some(Place::Left));
    table.play(E5, Some(Place::Right));
    table.play(NE3, Some(Place::Left));
    table.play(E5, None);
    table.sense(4_000, Sense::StartStop);
    table.play(NF3, Some(Place::Left));
    table.sense(9_000, Sense::Button(Place::Right));
    table.sense(2_000, Sense::Tick);
    table.sense(4_000, Sense::StartStop);
    table.play(NC6, Some(Place::Right));
    table.sense(400_000, Sense::Tick);
    Ok(table)
}

/// Claims and calls at the clock, cases from the desk, kings in the centre.
fn claims() -> anyhow::Result<Table> {
    let mut table = Table::open("fide-2023", ClockKind::Own)?;
    table.play(START, None);
    table.sense(100, Sense::StartStop);
    table.play(E4, Some(Place::Left));
    table.sense(3_000, Sense::Call(Some(Place::Right)));
    table.sense(100, Sense::Claim(Place::Right, ClaimKind::Draw));
    table.play(E5, Some(Place::Right));
    table.sense(100, Sense::Fault(FaultKind::BatteryLow, "2.9 V".into()));
    table.sense(100, Sense::StartStop);
    for kind in [Irregularity::TwoHands, Irregularity::Conduct] {
        let (note, facts) = ("seen by the arbiter".to_owned(), Facts { claimed: true, ..Facts::default() });
        table.desk(DeskAct::Irregularity { kind, by: Colour::White, ply: Some(1), note, facts });
    }
    for case in 1..=2 {
        for choice in ["penalty", "warning", "none"] {
            table.desk(DeskAct::Decide { case, choice: choice.into(), note: "heard both".into() });
        }
    }
    table.overdue(2);
    table.sense(100, Sense::StartStop);
    table.play(NF3, Some(Place::Left));
    table.play(NC6, Some(Place::Right));
    table.play(KINGS, None);
    table.sense(3_000, Sense::Tick);
    let (note, facts) = (String::new(), Facts::default());
    table.desk(DeskAct::Claim { by: Colour::Black, claim: Claim::Agreement, note, facts });
    Ok(table)
}

/// Directives by hand, and the game goes to another clock.
fn by_hand() -> anyhow::Result<Table> {
    let mut table = Table::open("rf-2017", ClockKind::Own)?;
    let words = || Words { en: "wait".into(), ru: "ждите".into() };
    table.play(START, None);
    table.sense(100, Sense::StartStop);
    table.play(E4, Some(Place::Left));
    let hands = [Hand { moves: 1, ..Hand::fresh(Some(200_000)) }, Hand::fresh(Some(250_000))];
    let (turn, white_place, position) = (Colour::Black, Place::Left, Some(format!("{E4} b KQkq - 0 1")));
    for act in [
        Act::Stop,
        Act::Add(Colour::White, 120_000),
        Act::Set { hands, turn, run: false, white_place, position },
        Act::Show,
        Act::Run,
    ] {
        table.desk(DeskAct::Direct(act, words(), Default::default()));
        table.sense(1_500, Sense::Tick);
    }
    table.play(E5, Some(Place::Right));
    table.desk(DeskAct::Move { device: "clock-2".into(), note: "the display is broken".into() });
    Ok(table)
}

/// An adjournment from the announcement to the sealed move.
fn adjourned() -> anyhow::Result<Table> {
    let mut table = Table::open("rf-2011", ClockKind::Own)?;
    table.play(START, None);
    table.sense(100, Sense::StartStop);
    table.play(E4, Some(Place::Left));
    table.play(E5, Some(Place::Right));
    let names = [Some("Player-One".into()), Some("Player-Two".into())];
    let hands = [Hand::fresh(None); 2];
    let situation = Situation { names, position: String::new(), hands, allotted: [None; 2], draw_offer: None };
    let session = |day: i64| Session { start: (24 * day + 10) * HOUR, end: Some((24 * day + 16) * HOUR) };
    let deed = |table: &mut Table, deed| table.desk(DeskAct::Adjourn { deed: Box::new(deed), nonce: Vec::new() });
    deed(&mut table, Deed::Announce(session(0)));
    deed(&mut table, Deed::EndSession(Box::new(situation)));
    deed(&mut table, Deed::Write(Seal { commitment: [1; 32], ciphertext: vec![2; 9] }));
    Colour::BOTH.into_iter().for_each(|of| deed(&mut table, Deed::SheetIn { of, paper: true }));
    deed(&mut table, Deed::CloseEnvelope);
    table.sense(2_000, Sense::StartStop);
    deed(&mut table, Deed::StopClock { hands, opponent_runs: false });
    let (date, time, venue) = ("2 May".into(), "10:00".into(), "the club".into());
    for next in [
        Deed::HandOver("the chief arbiter".into()),
        Deed::OfferDraw(Colour::White),
        Deed::DeclineDraw(Colour::Black),
        Deed::Appoint(Resumption { date, time, venue, session: session(1) }),
        Deed::Check(None),
        Deed::SetUp { times: None },
        Deed::Presence { player: Colour::White, here: true },
        Deed::Presence { player: Colour::Black, here: true },
        Deed::Begin,
        Deed::Opened("Nf3".into()),
        Deed::FirstMove(Colour::Black),
    ] {
        deed(&mut table, next);
        table.sense(1_000, Sense::Tick);
    }
    Ok(table)
}

/// An external clock that is only read, and set when the service wants it.
fn read_off() -> anyhow::Result<Table> {
    let mut table = Table::open("fide-2014", ClockKind::External)?;
    let dial = |left, running, turn| Sense::Dial(Dial { left, flags: [false; 2], running, turn: Some(turn) });
    table.play(START, None);
    table.sense(100, dial([Some(300_000), Some(300_000)], true, Place::Left));
    table.play(E4, None);
    table.sense(100, dial([Some(295_000), Some(300_000)], true, Place::Right));
    table.play(E5, None);
    table.sense(100, dial([Some(295_000), Some(290_000)], true, Place::Left));
    table.play(NE3, None);
    table.sense(100, dial([Some(290_000), Some(290_000)], true, Place::Right));
    table.sense(4_000, dial([Some(290_000), Some(286_000)], false, Place::Right));
    table.play(E5, None);
    table.sense(100, Sense::Fault(FaultKind::ClockLost, "no clock is connected".into()));
    Ok(table)
}

/// A session of the clock: greeting, events in frames of a few, heartbeat, goodbye.
fn requests(table: &Table) -> Vec<u8> {
    let (session_epoch, last_seq, game) = (1, table.events.len() as u64, "r1.b07".to_owned());
    let face = Some(Face::unknown(Place::Left).into());
    let hello = Hello {
        protocol_min: 1,
        protocol_max: 1,
        device: "clock-1".into(),
        spool_id: SPOOL.into(),
        boot_id: vec![1; 16],
        last_seq,
        game: game.clone(),
        applied_rev: 3,
        face,
        state_digest: vec![7; 32],
        software: "samples".into(),
        last_epoch: 2,
        past: Some(Past { spool_id: vec![2; 16], last_seq: 9 }),
        acked_through: 3,
    };
    let mut frames = vec![link_request::Frame::Hello(hello)];
    let events = table.events.chunks(5);
    frames.extend(
        events.map(|some| link_request::Frame::Events(Events { session_epoch, events: some.to_vec(), sent_ms: 7 })),
    );
    let at = Some(Instant { boot_id: vec![1; 16], monotonic_ms: 90_000 });
    let heartbeat = ClockHeartbeat { session_epoch, last_seq, game, applied_rev: 3, face, at };
    frames.push(link_request::Frame::Heartbeat(heartbeat));
    frames.push(link_request::Frame::Goodbye(Goodbye { resume_after_ms: 0, reason: "over".into() }));
    delimited(frames.into_iter().map(|frame| LinkRequest { frame: Some(frame) }))
}

/// The service's side of it.
fn responses(table: &Table) -> Vec<u8> {
    let frame = |frame| LinkResponse { frame: Some(frame) };
    let welcome = Welcome {
        session_epoch: 1,
        durable_through: 4,
        chain_hash: vec![9; 32],
        window: 512,
        game: "r1.b07".into(),
        desired_rev: 1,
        protocol: 1,
        released_through: 2,
        moved_to: "clock-2".into(),
    };
    let mut frames = vec![frame(link_response::Frame::Welcome(welcome))];
    for (directive, number) in table.told.iter().zip(1..) {
        frames.push(directive.clone());
        frames.push(frame(link_response::Frame::Ack(Ack { durable_through: number, desired_rev: number })));
        frames.push(frame(link_response::Frame::Heartbeat(ServerHeartbeat {
            desired_rev: number,
            released_through: number,
        })));
    }
    frames.push(frame(link_response::Frame::Rewind(Rewind { from_seq: 2 })));
    frames.push(frame(link_response::Frame::Goodbye(Goodbye {
        resume_after_ms: 500,
        reason: "the service drains".into(),
    })));
    delimited(frames)
}

fn delimited<M: Message>(messages: impl IntoIterator<Item = M>) -> Vec<u8> {
    messages.into_iter().flat_map(|message| message.encode_length_delimited_to_vec()).collect()
}

/// Entries with their lengths before them, as many as a target is given.
fn stream(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        let Ok(length) = u16::try_from(entry.len()) else { break };
        if bytes.len() + entry.len() + 2 > LONGEST {
            break;
        }
        bytes.extend(length.to_be_bytes());
        bytes.extend(entry);
    }
    bytes
}

/// Messages of a board, in order.
fn board(trouble: bool) -> Vec<Vec<u8>> {
    let scan = |text| Scan::from_fen(text).expect("a board");
    let start = scan(START);
    let reading = |left: i64, right: i64, left_to_move| Reading {
        times: [Some(left * 1_000), Some(right * 1_000)],
        fallen: [left == 0, right == 0],
        running: true,
        right_lever_high: left_to_move,
        left_to_move,
        right_to_move: !left_to_move,
        low_battery: trouble,
        not_connected: false,
    };
    let mut messages = vec![reply::dump(&start), reply::time(&reading(300, 300, true))];
    let mut left = 300;
    for (before, after) in [(START, E4), (E4, E5), (E5, NF3), (NF3, NC6)] {
        let (before, after) = (scan(before), scan(after));
        messages.extend(before.differences(&after).map(|square| reply::field(square, after.at(square))));
        left -= 5;
        messages.push(reply::time(&reading(left, 290, before.at(12).is_some())));
    }
    if trouble {
        messages.push(vec![0x8e, 0, 5, 64, 1, 0x11, 0x22]);
        messages.push(reply::ack([0x10, 0x0a, 0, 0]));
        messages.push(reply::ack([0x81, 0x90, 0, 0]));
        messages.push(reply::time(&Reading { not_connected: true, times: [None; 2], ..reading(1, 1, true) }));
        messages.push(b"\x92\x00\x06DGT\x91\x00\x0812345\x93\x00\x05\x01\x08".to_vec());
        messages.push(reply::time(&reading(0, 100, true)));
        messages.push(reply::dump(&scan(KINGS)));
    }
    messages
}

fn log(messages: &[Vec<u8>], line: fn(&[u8]) -> String) -> Vec<u8> {
    let lines: Vec<String> = messages.iter().map(|message| line(message)).collect();
    format!("# a log\n\n{}\n", lines.join("\n")).into_bytes()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

const WITH_CLOCKS: &str = "\
[Event \"A\"]
[White \"Player 001\"]
[Black \"Player 002\"]
[Result \"1-0\"]
[TimeControl \"40/5400+30:1800+30\"]

1. e4 {[%clk 1:30:00]} e5 {[%clk 1:29:58]} 2. Qh5 {[%clk 1:29:40][%emt 0:00:20]} Nc6 {[%clk 1:29:00]}
3. Bc4 {[%clk 1:29:30]} Nf6 4. Qxf7# {[%clk 1:29:01]} 1-0
";

const WITH_EVERYTHING: &str = "\
% escaped
[Event \"the \"old\" hall\"]
[FEN \"r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 2\"]
[SetUp \"1\"]
[TimeControl \"G/60;+30\"]

2. exd6 $1 (2. O-O {a (nested} brace) O-O-O) 2... 0-0-0 ; to the end of the line
3. bxa8=Q+?! Rxa8 4. Rxa8+ 1/2-1/2

[Event \"broken\"]

1. e4 {never closed
[Event \"the next\"]

1. d4 Zf3 2. Nf3 *
";

const SHARED: &str = "\
edition = \"fide-2018\"
control = \"40/90+30, 30+30\"
play = \"rapid\"

[[case]]
title = \"an illegal move\"
position = \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 9\"
happened = \"illegal_move\"
by = \"white\"
clocks = { white = \"10:00\", black = \"12:00\" }
expect = { kind = \"fixed\" }

[[case]]
title = \"a flag\"
position = \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 9\"
happened = \"flag\"
by = \"black\"
";

const REPORT: &str = "\
012 Made Up Open
XXR 5
001    1 m GM Alpha, Anton                      2500 FID     1000001 1990/01/01  1.0    1     3 w 1     2 b  
001    2 w    Beta, Berta                       2400                             1.0    2     4 b 1     1 w  
001    3      Gamma, Georg                                                       0.0    4     1 b 0     5 w  
001    4  wg  Delta, Dora                       2100                             0.0    5     2 w 0  0000 - H
001    5      Epsilon, Emil                     2000                             1.0    3  0000 - U     3 b  
";

const TABLE: &str = "\
round;board;white_no;white;black_no;black;clock;result
3;1;1;\"Alpha, Anton\";2;Beta;clock-1;1/2-1/2
3;2;3;Gamma;4;Delta;;+-
3;;5;Epsilon;;;;U
";

const HEADERS: &str = "\
[Event \"Made Up Open\"]
[Round \"3.1\"]
[White \"Alpha, Anton\"]
[Black \"Beta\"]
[WhiteElo \"2500\"]
[Result \"*\"]

*

[Event \"Made Up Open\"]
[Round \"3.2\"]
[White \"Gamma\"]
[Black \"Delta\"]
[Result \"1-0\"]

1-0
";
