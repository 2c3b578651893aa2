//! Decoder, state machine and driver together: recordings of real games, and a fake board on a pseudo-terminal.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use flagfall_rules::{
    board::{Kind, Man, Scan},
    clock::{Colour, Face, Going, Hand, Place},
};
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};

use super::{
    board::{Board, Purpose},
    decode::{Decoder, Message, decode_all},
    driver::{Driver, spawn},
    encode,
    pty::FakeBoard,
    reply,
};
use crate::{
    hw::HardwareError,
    sense::{Ask, Dial, FaultKind, NotDone, Sense, Sensed},
};

/// A recording, a message each; `None` where the shared data is not at hand.
fn recording(name: &str) -> Option<Vec<Vec<u8>>> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let shared = std::env::var_os("TEST_DATA").map_or(beside, PathBuf::from);
    let path = shared.join("eboard").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("not run: {} is not there", path.display());
        return None;
    };
    Some(text.lines().map(base64).collect())
}

fn base64(line: &str) -> Vec<u8> {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0u32, 0);
    for digit in line.chars().map_while(|c| alphabet.find(c)) {
        (bits, held) = (bits << 6 | digit as u32, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

fn start() -> Scan {
    Scan::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR").expect("the initial position")
}

/// Dumps, clock frames, field updates and anything else in a recording.
fn census(messages: &[Message]) -> [usize; 4] {
    let mut counts = [0; 4];
    for message in messages {
        counts[match message {
            Message::BoardDump(_) => 0,
            Message::Time(_) => 1,
            Message::FieldUpdate(..) => 2,
            _ => 3,
        }] += 1;
    }
    counts
}

#[test]
fn a_real_blitz_game_is_read_without_a_fault() {
    let Some(log) = recording("blitz-3-2.dgt.b64") else { return };
    let messages = decode_all(&log.concat());
    assert_eq!(census(&messages), [1, 323, 131, 0]);
    assert_eq!(messages[0], Message::BoardDump(start()));
    let mut board = Board::default();
    let senses: Vec<Sense> = messages.into_iter().flat_map(|message| board.take(message, 0).senses).collect();
    assert!(!senses.iter().any(|sense| matches!(sense, Sense::Fault(..))));
    let first = Dial { left: [Some(182_000); 2], flags: [false; 2], running: false, turn: Some(Place::Left) };
    assert_eq!(senses[1], Sense::Dial(first), "3+2 with the first increment in it");
}

#[test]
fn a_real_flag_fall_is_seen_and_the_kings_end_in_the_centre() {
    let Some(log) = recording("flagfall-5-5.dgt.b64") else { return };
    let messages = decode_all(&log.concat());
    assert_eq!(census(&messages), [1, 854, 101, 0]);
    let mut board = Board::default();
    let senses: Vec<Sense> = messages.into_iter().flat_map(|message| board.take(message, 0).senses).collect();
    let flagged = |sense: &&Sense| matches!(sense, Sense::Dial(dial) if dial.flags.contains(&true));
    let Some(Sense::Dial(dial)) = senses.iter().find(flagged) else { panic!("no flag") };
    assert_eq!(dial.left.iter().zip(dial.flags).filter(|(left, flag)| *flag && **left == Some(0)).count(), 1);
    let Some(Sense::Board(last)) = senses.iter().rfind(|s| matches!(s, Sense::Board(_))) else { panic!("no board") };
    let kings = [last.king(Colour::White), last.king(Colour::Black)];
    assert!(kings.contains(&Some(35)) && kings.contains(&Some(28)), "d5 and e4: {last}");
}

proptest::proptest! {
    #[test]
    fn whatever_a_line_says_a_command_ends(
        noise in proptest::collection::vec((proptest::prelude::any::<Vec<u8>>(), 0..2_000u64), 0..20),
    ) {
        let (mut board, mut now) = (Board::default(), 0);
        let mut senses = board.ask(Ask::Dial(face()), now).senses;
        for (bytes, pause) in noise {
            now += pause;
            senses.extend(board.tick(now).senses);
            senses.extend(decode_all(&bytes).into_iter().flat_map(|message| board.take(message, now).senses));
        }
        while let Some(due) = board.due() {
            senses.extend(board.tick(due).senses);
        }
        assert_eq!(senses.iter().filter(|sense| matches!(sense, Sense::DialDone(_))).count(), 1);
    }
}

/// A driver on a fake board, with a device time that the test moves.
struct Bench {
    now: Arc<AtomicU64>,
    senses: mpsc::Receiver<Sensed>,
    asks: mpsc::Sender<Ask>,
    driver: Driver,
}

impl Bench {
    fn new(port: &Path) -> Bench {
        Bench::reading(port, Purpose::SquaresAndClock)
    }

    fn reading(port: &Path, purpose: Purpose) -> Bench {
        let now = Arc::new(AtomicU64::new(5_000));
        let (to_core, senses) = mpsc::channel(4_096);
        let (asks, from_core) = mpsc::channel(8);
        let stamp = Arc::clone(&now);
        let stamp = Arc::new(move || stamp.load(Ordering::SeqCst));
        let driver = spawn(port, purpose, stamp, to_core, from_core).expect("a port");
        Bench { now, senses, asks, driver }
    }

    fn pass(&self, ms: u64) {
        self.now.fetch_add(ms, Ordering::SeqCst);
    }

    async fn sense(&mut self) -> Sense {
        timeout(Duration::from_secs(20), self.senses.recv()).await.expect("in time").expect("a sense").sense
    }

    async fn caught_up(&self, fake: &FakeBoard) {
        let written = fake.written();
        until(self.driver.bytes(), |bytes| *bytes >= written).await;
    }
}

async fn until<T: Clone>(mut watched: watch::Receiver<T>, reached: impl FnMut(&T) -> bool) {
    timeout(Duration::from_secs(20), watched.wait_for(reached)).await.expect("in time").expect("a live sender");
}

fn face() -> Face {
    let hands = [Hand::fresh(Some(300_000)), Hand::fresh(Some(240_500))];
    Face { hands, going: Going::Paused, ..Face::unknown(Place::Left) }
}

#[tokio::test]
async fn what_the_board_said_before_it_was_opened_is_not_lost() {
    let fake = FakeBoard::open().expect("a pseudo-terminal");
    // Bytes that a line not yet raw would take for end of file, interrupt, return and flow control.
    let pawn = Some(Man { colour: Colour::White, kind: Kind::Pawn });
    let mut scan = start();
    fake.write(&reply::dump(&scan)).expect("room");
    for square in [59, 60, 53, 51, 46, 43, 39] {
        scan.put(square, pawn);
        fake.write(&reply::field(square, pawn)).expect("room");
    }
    let mut bench = Bench::new(fake.path());
    bench.caught_up(&fake).await;
    assert_eq!(*bench.driver.decoded().borrow(), 8);
    let mut last = None;
    for _ in 0..8 {
        last = Some(bench.sense().await);
    }
    assert_eq!(last, Some(Sense::Board(scan)));
    until(fake.heard(), |heard| *heard == 4).await;
    assert_eq!(fake.commands().concat(), vec![0x40, 0x4b, 0x42, 0x41]);
}

#[tokio::test]
async fn a_recording_played_through_a_port_gives_the_same_senses() {
    let Some(log) = recording("blitz-3-2.dgt.b64") else { return };
    let (mut decoder, mut board, mut expected) = (Decoder::default(), Board::default(), Vec::new());
    let fake = FakeBoard::open().expect("a pseudo-terminal");
    let mut bench = Bench::new(fake.path());
    for message in &log {
        fake.write(message).expect("room");
        bench.caught_up(&fake).await;
        expected.extend(decoder.push(message).into_iter().flat_map(|m| board.take(m, 0).senses));
    }
    assert_eq!(*bench.driver.decoded().borrow(), log.len() as u64);
    for sense in expected {
        assert_eq!(bench.sense().await, sense);
    }
    assert!(bench.senses.try_recv().is_err());
}

#[tokio::test]
async fn a_clock_that_acknowledges_is_set() {
    let fake = FakeBoard::open().expect("a pseudo-terminal");
    fake.set_acks(true);
    fake.set_dump(Some(start()));
    let mut bench = Bench::new(fake.path());
    assert_eq!(bench.sense().await, Sense::Board(start()), "the greeting asks for the board");
    bench.asks.send(Ask::Dial(face())).await.expect("a driver");
    assert_eq!(bench.sense().await, Sense::DialDone(Ok(())));
    bench.asks.send(Ask::Beep).await.expect("a driver");
    until(fake.heard(), |heard| *heard == 6).await;
    let commands = fake.commands();
    assert_eq!(commands[4], vec![0x2b, 10, 3, encode::SET_AND_RUN, 0, 5, 0, 0, 4, 1, 1 | 4 | 8, 0]);
    assert_eq!(commands[5][3], encode::BEEP);
    // A lost byte: the fake knows what it has said since, and says it again when asked.
    let mut moved = start();
    moved.put(12, None);
    fake.write(&reply::field(12, None)).expect("room");
    fake.write(&[0x8e, 0, 5, 28]).expect("room");
    fake.write(&reply::field(12, None)).expect("room");
    assert_eq!(bench.sense().await, Sense::Board(moved));
    assert!(matches!(bench.sense().await, Sense::Fault(FaultKind::Garbled, _)));
    until(fake.heard(), |heard| *heard == 8).await;
    bench.caught_up(&fake).await;
    assert_eq!(bench.sense().await, Sense::Board(moved), "read whole, though it agrees with what was known");
    assert!(bench.senses.try_recv().is_err());
}

#[tokio::test]
async fn a_clock_that_is_silent_fails_after_three_tries() {
    let fake = FakeBoard::open().expect("a pseudo-terminal");
    let mut bench = Bench::new(fake.path());
    bench.asks.send(Ask::Dial(face())).await.expect("a driver");
    for tries in 1..=3 {
        until(fake.heard(), |heard| *heard == 4 + tries).await;
        assert!(bench.senses.try_recv().is_err());
        bench.pass(1_000);
    }
    assert_eq!(bench.sense().await, Sense::DialDone(Err(NotDone::Unanswered("the clock does not answer".into()))));
    until(fake.heard(), |heard| *heard == 8).await;
    assert_eq!(fake.commands()[7], vec![encode::SEND_CLOCK], "it is read again");
}

#[tokio::test]
async fn a_lost_port_is_a_fault_and_is_opened_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let port = folder.path().join("board");
    let plug = |fake: &FakeBoard| {
        let link = folder.path().join("next");
        std::os::unix::fs::symlink(fake.path(), &link).and_then(|()| std::fs::rename(&link, &port)).expect("a link");
    };
    let fake = FakeBoard::open().expect("a pseudo-terminal");
    plug(&fake);
    let mut bench = Bench::new(&port);
    fake.write(&reply::dump(&start())).expect("room");
    assert_eq!(bench.sense().await, Sense::Board(start()));
    drop(fake);
    assert!(matches!(bench.sense().await, Sense::Fault(FaultKind::BoardLost, _)));
    bench.asks.send(Ask::Dial(face())).await.expect("a driver");
    assert_eq!(bench.sense().await, Sense::DialDone(Err(NotDone::Refused("the board is not connected".into()))));
    let fake = FakeBoard::open().expect("a pseudo-terminal");
    fake.set_dump(Some(start()));
    plug(&fake);
    bench.pass(1_000);
    assert!(matches!(bench.sense().await, Sense::Fault(FaultKind::BoardBack, _)));
    assert_eq!(bench.sense().await, Sense::Board(start()), "though it did not change");
}

#[tokio::test]
async fn a_dropped_driver_ends_and_a_wrong_port_is_named() {
    let fake = FakeBoard::open().expect("a pseudo-terminal");
    let Bench { mut senses, driver, .. } = Bench::new(fake.path());
    drop(driver);
    assert_eq!(timeout(Duration::from_secs(20), senses.recv()).await.expect("in time"), None);
    let open = |path: &str, purpose| {
        spawn(Path::new(path), purpose, Arc::new(|| 0), mpsc::channel(1).0, mpsc::channel(1).1).map(drop)
    };
    assert!(matches!(open("/nowhere/at/all", Purpose::SquaresAndClock), Err(HardwareError::Open { .. })));
    for purpose in [Purpose::Squares, Purpose::SquaresAndClock] {
        assert!(matches!(open("/dev/null", purpose), Err(HardwareError::NotATerminal { .. })));
    }
}

#[tokio::test]
async fn a_device_that_keeps_the_time_begins_without_its_board() {
    let folder = tempfile::tempdir().expect("a folder");
    let port = folder.path().join("board");
    let mut bench = Bench::reading(&port, Purpose::Squares);
    let Sense::Fault(FaultKind::BoardLost, why) = bench.sense().await else { panic!("no fault") };
    assert!(why.contains("board") && why.contains("No such file"), "{why}");
    let fake = FakeBoard::open().expect("a pseudo-terminal");
    fake.set_dump(Some(start()));
    std::os::unix::fs::symlink(fake.path(), &port).expect("a link");
    bench.pass(1_000);
    assert!(matches!(bench.sense().await, Sense::Fault(FaultKind::BoardBack, _)));
    assert_eq!(bench.sense().await, Sense::Board(start()));
    until(fake.heard(), |heard| *heard == 3).await;
    assert_eq!(fake.commands().concat(), vec![0x40, 0x4b, 0x42], "no clock is asked for");
}

#[tokio::test]
async fn a_board_that_falls_silent_with_its_port_open_is_noticed() {
    let fake = FakeBoard::open().expect("a pseudo-terminal");
    fake.set_dump(Some(start()));
    let mut bench = Bench::reading(fake.path(), Purpose::Squares);
    assert_eq!(bench.sense().await, Sense::Board(start()));
    fake.set_dump(None);
    // Asked for the first, then for the second time without an answer.
    for heard in [5, 7] {
        bench.pass(5_000);
        until(fake.heard(), |now| *now == heard).await;
        assert!(bench.senses.try_recv().is_err());
    }
    bench.pass(5_000);
    assert!(matches!(bench.sense().await, Sense::Fault(FaultKind::BoardLost, _)));
    until(fake.heard(), |heard| *heard == 10).await;
    fake.set_dump(Some(start()));
    bench.pass(5_000);
    assert!(matches!(bench.sense().await, Sense::Fault(FaultKind::BoardBack, _)));
    assert_eq!(bench.sense().await, Sense::Board(start()));
}
