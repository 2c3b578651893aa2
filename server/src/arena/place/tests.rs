//! Moves that fail, clocks that speak too late, and the way back of an adjourned game.

use std::{sync::Arc, time::Duration};

use flagfall_rules::{
    adjourn::Deed,
    board::Scan,
    clock::{Face, Hand, Place as Half},
    game::{DeskAct, DeskInput, DeviceAct, DeviceInput, Overlay, Setup},
    laws::Play,
    time::Moment,
};
use tokio::{sync::mpsc, time::timeout};

use crate::{
    arena::{Arena, Device, Heard, Limits, Message, Origin, ToSession},
    journal::MemoryJournal,
    trail::{Trail, Trails},
    wire::Refused,
};

const PATIENCE: Duration = Duration::from_secs(20);

fn input(request: &str, act: DeskAct) -> DeskInput {
    DeskInput { request: request.into(), actor: "arbiter".into(), wall_ms: 1_000, reason: String::new(), act }
}

fn setup(game: &str, device: &str) -> Setup {
    Setup {
        game: game.into(),
        device: device.into(),
        edition: "fide-2018".into(),
        play: Play::Standard,
        control: None,
        white_place: Half::Left,
        position: None,
        overlay: Overlay::default(),
    }
}

async fn does(arena: &Arena, deed: Deed) -> Result<crate::arena::Answer, Refused> {
    let act = DeskAct::Adjourn { deed: Box::new(deed), nonce: Vec::new() };
    arena.act("g", input(&uuid::Uuid::now_v7().to_string(), act)).await
}

fn to(device: &str) -> DeskAct {
    DeskAct::Move { device: device.into(), note: String::new() }
}

/// Two clocks, and a game on the first.
async fn house(journal: &Arc<MemoryJournal>) -> Arena {
    let device = |device: &str| Device { device: device.into(), board: device.into() };
    let devices = vec![device("a"), device("b")];
    let arena = Arena::start(Arc::clone(journal) as _, devices, Limits::default(), Trails::default())
        .await
        .expect("an empty journal");
    arena.open("r1", setup("g", "a"), |act| input("r1", act)).await.expect("open");
    arena
}

fn games(arena: &Arena) -> [Option<String>; 2] {
    ["a", "b"].map(|device| arena.roster().listed(device).expect("listed").game().map(|game| game.to_string()))
}

#[tokio::test]
async fn a_move_that_is_not_on_disk_did_not_happen() {
    let journal = Arc::new(MemoryJournal::new());
    let arena = house(&journal).await;
    journal.fail("input/output error");
    let refused = arena.act("g", input("r2", to("b"))).await.expect_err("nothing is written");
    assert!(matches!(refused, Refused::JournalDown), "{refused}");
    assert_eq!(games(&arena), [Some("g".into()), None]);
}

#[tokio::test]
async fn a_move_that_the_rules_refuse_takes_no_clock() {
    let arena = house(&Arc::new(MemoryJournal::new())).await;
    let over = flagfall_rules::game::Act::Conclude(flagfall_rules::game::Outcome::Draw);
    arena.act("g", input("r2", DeskAct::Direct(over, Default::default(), Default::default()))).await.expect("over");
    let refused = arena.act("g", input("r3", to("b"))).await.expect_err("it is over");
    assert!(refused.to_string().starts_with("GAME_OVER: g"), "{refused}");
    assert_eq!(games(&arena), [Some("g".into()), None]);
}

#[tokio::test]
async fn what_a_former_clock_still_says_is_not_the_games() {
    let arena = house(&Arc::new(MemoryJournal::new())).await;
    arena.act("g", input("r2", to("b"))).await.expect("moved");
    assert_eq!(games(&arena), [None, Some("g".into())]);
    let (session, mut inbox) = mpsc::channel(8);
    let (at, face) = (Moment { boot: 1, ms: 5 }, Face::unknown(Half::Left));
    let heard = |device: &str| {
        let input = DeviceInput { seq: 1, at, face, act: DeviceAct::Scan(Scan::EMPTY) };
        let slot = arena.roster().listed(device).expect("listed");
        let (bytes, trail, origin) = (vec![1], Box::new(Trail::unseen(&input)), Origin::default());
        let session = session.clone();
        Message::Heard(vec![Heard { input, bytes, slot, origin, session, trail }])
    };
    // It was on its way when the game went: the clock is to send it again, then it goes to its own stream.
    arena.game("g").expect("a game").room().await.expect("room").send(heard("a"));
    let told = timeout(PATIENCE, inbox.recv()).await.expect("in time").expect("an answer");
    let ToSession::Lost(moved) = &told else { panic!("{told:?}") };
    assert!(matches!(&**moved, Refused::GameMoved { device, .. } if device == "a"), "{told:?}");
    arena.game("g").expect("a game").room().await.expect("room").send(heard("b"));
    arena.game("g").expect("a game").room().await.expect("room").send(Message::Flush);
    let told = timeout(PATIENCE, inbox.recv()).await.expect("in time").expect("an answer");
    assert!(matches!(told, ToSession::Durable { seq: 1, .. }), "{told:?}");
}

#[tokio::test]
async fn an_adjourned_game_leaves_its_clock_and_takes_it_again_if_it_can() {
    let arena = house(&Arc::new(MemoryJournal::new())).await;
    for deed in sealing() {
        let said = format!("{deed:?}");
        does(&arena, deed).await.unwrap_or_else(|refused| panic!("{said}: {refused}"));
    }
    // Nobody needs the clock while the game is adjourned; set up, the game has it again.
    does(&arena, Deed::SetUp { times: None }).await.expect("set up");
    let busy = arena.open("r2", setup("h", "a"), |act| input("r2", act)).await.expect_err("set up again");
    assert!(busy.to_string().starts_with("DEVICE_BUSY: a has the game \"g\""), "{busy}");

    let arena = house(&Arc::new(MemoryJournal::new())).await;
    for deed in sealing() {
        does(&arena, deed).await.expect("as before");
    }
    arena.open("r2", setup("h", "a"), |act| input("r2", act)).await.expect("the clock is free");
    let taken = does(&arena, Deed::SetUp { times: None }).await.expect_err("another game has the clock");
    assert!(matches!(&taken, Refused::NotOnClock { device, .. } if device == "a"), "{taken}");
    arena.act("g", input("r3", to("b"))).await.expect("moved");
    does(&arena, Deed::SetUp { times: None }).await.expect("set up on the other clock");
    assert_eq!(games(&arena), [Some("h".into()), Some("g".into())]);
}

/// Everything from the end of the session to a checked envelope.
fn sealing() -> Vec<Deed> {
    use flagfall_rules::{
        adjourn::{Resumption, Seal, Session, Situation},
        clock::Colour,
    };
    let hands = [Hand::fresh(Some(60_000)); 2];
    let session = Session { start: 0, end: Some(1_000) };
    let later = Session { start: 2_000, end: Some(3_000) };
    let situation = Situation {
        names: [Some("Player-One".into()), Some("Player-Two".into())],
        position: String::new(),
        hands,
        allotted: [Some(100_000); 2],
        draw_offer: None,
    };
    vec![
        Deed::Announce(session),
        Deed::EndSession(Box::new(situation)),
        Deed::Write(Seal { commitment: [1; 32], ciphertext: vec![2] }),
        Deed::SheetIn { of: Colour::White, paper: true },
        Deed::SheetIn { of: Colour::Black, paper: true },
        Deed::CloseEnvelope,
        Deed::StopClock { hands, opponent_runs: false },
        Deed::Appoint(Resumption {
            date: "2 May".into(),
            time: "10:00".into(),
            venue: "the club".into(),
            session: later,
        }),
        Deed::Check(None),
    ]
}
