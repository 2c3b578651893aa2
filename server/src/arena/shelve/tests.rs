//! From the last act to the shelf and back, over a real journal on disk.

use std::sync::Arc;

use flagfall_rules::{
    clock::Place as Half,
    game::{Act, DeskAct, DeskInput, Outcome, Overlay, Setup},
    laws::Play,
};

use super::*;
use crate::{
    arena::{Device, Limits},
    journal::{SledJournal, StreamId, sled::Options},
    trail::Trails,
    wire::Refused,
};

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

/// Nobody waits: games rest at once, directives are given up at once, and what rests may be laid down.
fn at_once() -> Limits {
    Limits { idle_s: 0, shelve_s: 0, directive_ms: 1, ..Limits::default() }
}

async fn start(dir: &tempfile::TempDir) -> Arena {
    let journal = SledJournal::open(&Options::new(dir.path())).expect("open");
    let devices = ["a", "b"].map(|name| Device { device: name.into(), board: name.into() });
    Arena::start(Arc::new(journal), devices.into(), at_once(), Trails::default()).await.expect("a journal")
}

async fn open(arena: &Arena, game: &str, device: &str) -> Result<(), Refused> {
    arena.open(game, setup(game, device), |act| input(game, act)).await.map(drop)
}

async fn end(arena: &Arena, game: &str) {
    let draw = DeskAct::Direct(Act::Conclude(Outcome::Draw), Default::default(), Default::default());
    arena.act(game, input(&format!("end {game}"), draw)).await.expect("over");
}

/// Lays down what may be, as soon as its actor has gone to rest.
async fn shelve(arena: &Arena, game: &str) {
    let laid = async {
        loop {
            let gone = lock(&arena.games).by_name.get(game).and_then(|entry| entry.handle.clone());
            if let Some(handle) = gone {
                handle.gone().await;
            }
            // A directive may still wait for its word; then the game is looked at again after it was woken.
            if arena.shelve().await.expect("a shelf") > 0 {
                return;
            }
            arena.game(game).expect("it is there");
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), laid).await.expect("laid down in time");
}

fn at_hand(arena: &Arena) -> Vec<String> {
    lock(&arena.games).order.values().map(ToString::to_string).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_game_goes_to_the_shelf_and_is_listed_watched_and_woken_there() {
    let dir = tempfile::tempdir().expect("directory");
    let arena = start(&dir).await;
    open(&arena, "g", "a").await.expect("open");
    open(&arena, "h", "b").await.expect("open");
    end(&arena, "g").await;
    let before = arena.snapshot("g").await.expect("readable");
    shelve(&arena, "g").await;
    assert_eq!(at_hand(&arena), ["h"], "it has left memory, and one that is not over stays");
    assert!(dir.path().join("games/g.ffg").exists());
    let names = async |arena: &Arena, finished| -> Vec<String> {
        let page = arena.list(finished, 0, "").await.expect("a page");
        page.games.into_iter().filter_map(|game| Some(game.setup?.game)).collect()
    };
    assert_eq!(
        (names(&arena, false).await, names(&arena, true).await),
        (vec!["h".into()], vec!["h".into(), "g".into()])
    );
    let laid = arena.snapshot("g").await.expect("readable");
    assert_eq!((laid.setup.clone(), laid.ended.clone()), (before.setup, before.ended));
    assert_eq!(at_hand(&arena), ["h"], "looking wakes nobody");
    assert!(matches!(open(&arena, "g", "a").await, Err(Refused::GameExists { .. })), "its name stays taken");

    // What comes after the end is kept behind it, and all of it is laid down anew.
    let late = input("late", DeskAct::Direct(Act::Stop, Default::default(), Default::default()));
    arena.act("g", late.clone()).await.expect("kept");
    assert_eq!(at_hand(&arena), ["h", "g"]);
    shelve(&arena, "g").await;
    assert_eq!(at_hand(&arena), ["h"]);
    let more = arena.snapshot("g").await.expect("readable");
    assert!(more.entry > laid.entry && more.directives.len() == laid.directives.len() + 1);
    assert_eq!(arena.act("g", late).await.expect("the same request acts once").rev, Some(3));
    let laid = more;
    shelve(&arena, "g").await;
    arena.stop(std::time::Duration::from_secs(20)).await;
    drop(arena);

    let arena = start(&dir).await;
    assert_eq!(at_hand(&arena), ["h"], "a start does not read it");
    let slot = arena.roster().listed("a").expect("listed");
    assert_eq!(slot.game().as_deref(), Some("g"), "its clock still shows it");
    assert!(arena.is_on("g", &slot));
    assert_eq!(arena.snapshot("g").await.expect("readable"), laid);
    open(&arena, "next", "a").await.expect("its clock is free");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_of_an_open_round_stays_at_hand() {
    let dir = tempfile::tempdir().expect("directory");
    let arena = start(&dir).await;
    open(&arena, "g", "a").await.expect("open");
    open(&arena, "h", "b").await.expect("open");
    arena.keep_at_hand(|| ["g".to_owned()].into());
    end(&arena, "g").await;
    end(&arena, "h").await;
    shelve(&arena, "h").await;
    assert_eq!(at_hand(&arena), ["g"]);
    arena.keep_at_hand(HashSet::new);
    shelve(&arena, "g").await;
    assert!(at_hand(&arena).is_empty());
}

#[tokio::test]
async fn pages_follow_each_other_without_a_gap() {
    let dir = tempfile::tempdir().expect("directory");
    let journal = SledJournal::open(&Options::new(dir.path())).expect("open");
    let device = |n: u32| Device { device: format!("c{n}"), board: format!("b{n}") };
    let arena = Arena::start(Arc::new(journal), (0..7).map(device).collect(), Limits::default(), Trails::default())
        .await
        .expect("started");
    for n in 0..7 {
        // Names sort otherwise than the games were opened.
        open(&arena, &format!("g{}", 9 - n), &format!("c{n}")).await.expect("open");
    }
    let (mut after, mut pages) = (String::new(), Vec::new());
    loop {
        let page = arena.list(true, 3, &after).await.expect("a page");
        pages.push(page.games.iter().map(|game| game.setup.clone().unwrap_or_default().game).collect::<Vec<_>>());
        after = page.next;
        if after.is_empty() {
            break;
        }
    }
    assert_eq!(pages, [vec!["g9", "g8", "g7"], vec!["g6", "g5", "g4"], vec!["g3"]]);
    assert!(matches!(arena.list(false, 3, "page 2").await, Err(Refused::BadRequest { field: "after", .. })));
}

/// One game damaged in the middle: its desk hears why, its clock is free, and the other game goes on.
#[tokio::test(flavor = "multi_thread")]
async fn row_09_a_damaged_game_is_in_quarantine_and_the_others_go_on() {
    let memory = Arc::new(crate::journal::MemoryJournal::new());
    let devices = || ["a", "b"].map(|name| Device { device: name.into(), board: name.into() }).into();
    let arena =
        Arena::start(Arc::clone(&memory) as _, devices(), Limits::default(), Trails::default()).await.expect("started");
    for (game, device) in [("g", "a"), ("h", "b")] {
        open(&arena, game, device).await.expect("open");
        let stop = DeskAct::Direct(Act::Stop, Default::default(), Default::default());
        arena.act(game, input(&format!("stop {game}"), stop)).await.expect("an act");
    }
    arena.stop(std::time::Duration::from_secs(20)).await;
    assert!(memory.damage(&StreamId::Game("g".into()), 2));

    let arena = Arena::start(Arc::clone(&memory) as _, devices(), Limits::default(), Trails::default())
        .await
        .expect("started all the same");
    let stop = || DeskAct::Direct(Act::Stop, Default::default(), Default::default());
    let refused = arena.act("g", input("again", stop())).await.expect_err("set apart");
    assert!(matches!(refused, Refused::Quarantined { .. }), "{refused}");
    assert!(refused.to_string().starts_with("QUARANTINED: g: game/g entry 2 is damaged"), "{refused}");
    let listed = arena.list(false, 0, "").await.expect("a page").games;
    assert_eq!((listed.len(), listed[0].entry), (2, 1), "what is before the damage can be read");
    assert!(listed[0].quarantine.starts_with("game/g entry 2 is damaged") && listed[1].quarantine.is_empty());
    arena.act("h", input("go on", stop())).await.expect("the other game goes on");
    open(&arena, "g2", "a").await.expect("its clock is free for another game");
    let greeted = crate::arena::Greeted { spool: [1; 16], game: "g".into(), applied_rev: 0 };
    assert!(arena.wanted("g", greeted).await.is_err());
}
