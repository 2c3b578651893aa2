//! A journal that lost its end is filled again from the clock's spool: real agent, real service, a journal cut short.

use std::{collections::BTreeMap, sync::Arc};

use flagfall_clock::{
    AgentHandle, ClockKind, Hardware, MemorySpool, Server, Settings, Setup, Timeline, agent,
    sense::{Sense, Sensed, Shown},
};
use flagfall_proto::{
    clock::v1::{Hello, Past},
    desk::v1::GameSnapshot,
    journal::v1::{Alarm, Alarmed},
};
use flagfall_rules::clock::{Colour, Place};
use flagfall_server::{
    app::serve::{Running, Service},
    journal::{Journal, MemoryJournal},
};
use tokio::{sync::mpsc, time::timeout};
use tonic::{Code, transport::Channel};

use crate::{
    clock::{Clock, PATIENCE, Spool, hello},
    house::{Desk, in_memory, settings, start},
};

/// An agent whose buttons the test presses. It outlives services: where it finds one is told to it each time.
struct Pi {
    senses: mpsc::Sender<Sensed>,
    handle: AgentHandle,
    uri: tokio::sync::watch::Sender<String>,
    pressed: u64,
}

impl Pi {
    fn new(uri: String) -> Pi {
        let (senses, sensed) = mpsc::channel(64);
        let (asks, _nobody) = mpsc::channel(4);
        let (tell, uri) = tokio::sync::watch::channel(uri);
        let server = Server::dialled("the service of the moment", move || {
            let uri = uri.borrow().clone();
            Box::pin(async move { Channel::from_shared(uri).expect("an address").connect().await })
        });
        let settings = Settings {
            device: "clock-1".into(),
            clock: ClockKind::Own,
            default_control: "300".parse().ok(),
            white_place: Place::Left,
            boot: 7,
            settle_ms: 1_000,
        };
        let spool = Box::new(MemorySpool::new([1; 16]));
        let setup = Setup { settings, server, spool, timeline: Timeline::Scripted };
        let (handle, actor) = agent(setup, Hardware { senses: sensed, asks });
        tokio::spawn(actor.run());
        Pi { senses, handle, uri: tell, pressed: 0 }
    }

    /// The players press in turn, a second each; the first press starts the clock.
    async fn press(&mut self, times: u64) {
        for _ in 0..times {
            let place = if self.pressed.is_multiple_of(2) { Place::Right } else { Place::Left };
            self.pressed += 1;
            let sensed = Sensed { at: self.pressed * 1_000, sense: Sense::Button(place) };
            self.senses.send(sensed).await.expect("an agent");
        }
    }

    async fn until(&self, what: &str, is: impl FnMut(&Shown) -> bool) -> Shown {
        let mut shown = self.handle.shown.clone();
        let shown = timeout(PATIENCE, shown.wait_for(is)).await;
        shown.unwrap_or_else(|_| panic!("{what} does not come")).expect("an agent").clone()
    }

    /// Everything is at the service, and nothing is on its way.
    async fn settled(&self) -> Shown {
        let taken = self.pressed;
        self.until("an end", |shown| {
            let told = shown.taken == taken && shown.acked == shown.spooled && shown.spooled > 0;
            shown.online && told && shown.applied_rev == shown.desired_rev
        })
        .await
    }
}

/// The first entries of each stream, as many as `keep` says.
fn cut(journal: &MemoryJournal, keep: impl Fn(&str, usize) -> usize) -> Arc<MemoryJournal> {
    let shorter = MemoryJournal::new();
    for stream in journal.streams().expect("readable") {
        let entries = journal.read(&stream, 1, 10_000).expect("readable");
        let kept = keep(&stream.to_string(), entries.len());
        for (after, entry) in (0..).zip(entries.into_iter().take(kept)) {
            drop(shorter.append(&stream, after, entry.bytes));
        }
    }
    Arc::new(shorter)
}

/// How the games stand, without how many entries it took and what the desk was alarmed of.
fn stand(games: Vec<GameSnapshot>) -> BTreeMap<String, GameSnapshot> {
    let bare = |game: GameSnapshot| GameSnapshot { entry: 0, alarms: Vec::new(), ..game };
    games.into_iter().map(|game| (game.setup.clone().expect("a setup").game, bare(game))).collect()
}

async fn again(journal: Arc<MemoryJournal>, pi: &Pi) -> (Running, Desk) {
    let running = Service::start(settings(), journal).await.expect("started");
    pi.uri.send_replace(format!("http://{}", running.clocks));
    let desk = Desk::of(&running).await;
    (running, desk)
}

#[tokio::test]
async fn row_09_a_journal_that_lost_its_end_is_filled_again_from_the_spool() {
    let journal = Arc::new(MemoryJournal::new());
    let running = start(Arc::clone(&journal) as _).await;
    let mut desk = Desk::of(&running).await;
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let mut pi = Pi::new(format!("http://{}", running.clocks));
    pi.until("the game", |shown| shown.game == "g1").await;
    pi.press(21).await;
    pi.settled().await;
    // The flag of the side to move falls, which ends the game: a directive that the rules derive.
    pi.senses.send(Sensed { at: 21_000 + 300_000, sense: Sense::Tick }).await.expect("an agent");
    pi.pressed += 1;
    pi.until("the end", |shown| shown.face.hands.iter().any(|hand| hand.flagged)).await;
    pi.settled().await;
    let before = stand(desk.games().await);
    running.shutdown().await;

    // Of the game the opening and a few moves are left, of the clock's own stream all.
    let shorter = cut(&journal, |stream, entries| if stream.contains("g1") { 6 } else { entries });
    let (running, mut desk) = again(shorter, &pi).await;
    let shown = pi.settled().await;
    let games = desk.games().await;
    assert_eq!(games[0].alarms.iter().filter(|alarm| alarm.detail.contains("had lost events")).count(), 1);
    assert_eq!(stand(games), before);
    assert_eq!(before["g1"].heard_seq, shown.spooled, "nothing was said twice");
    running.shutdown().await;
}

#[tokio::test]
async fn row_09_events_of_two_games_go_back_to_the_game_each_belongs_to() {
    let journal = Arc::new(MemoryJournal::new());
    let running = start(Arc::clone(&journal) as _).await;
    let mut desk = Desk::of(&running).await;
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let mut pi = Pi::new(format!("http://{}", running.clocks));
    pi.until("the game", |shown| shown.game == "g1").await;
    pi.press(5).await;
    pi.settled().await;
    let end = flagfall_proto::clock::v1::directive::Act::Conclude(flagfall_proto::clock::v1::Conclude {
        outcome: 3,
        words: None,
    });
    desk.0.issue_directive(crate::durable::by_hand("r2", "g1", end)).await.expect("issued");
    pi.until("the result", |shown| shown.result.is_some()).await;
    pi.settled().await;
    desk.open("r3", "g2", "clock-1").await.expect("open");
    pi.until("the next game", |shown| shown.game == "g2").await;
    pi.press(4).await;
    pi.settled().await;
    let before = stand(desk.games().await);
    running.shutdown().await;

    // Both openings are there, a little of what the clock said in the first game, and nothing of the second.
    let shorter = cut(&journal, |stream, entries| match stream {
        stream if stream.contains("g1") => 3,
        stream if stream.contains("g2") => 1,
        _ => entries,
    });
    let (running, mut desk) = again(shorter, &pi).await;
    pi.settled().await;
    let games = desk.games().await;
    // Whoever acted at the desk in what was lost has to act again, and is told so.
    assert!(games[0].alarms.iter().any(|alarm| alarm.detail.contains("unknown revision 2")), "{:?}", games[0].alarms);
    let after = stand(games);
    assert_eq!(after["g2"], before["g2"]);
    assert_eq!((after["g1"].heard_seq, &after["g1"].face), (before["g1"].heard_seq, &before["g1"].face));
    assert!(before["g1"].ended.is_some() && after["g1"].ended.is_none());
    running.shutdown().await;
}

#[tokio::test]
async fn row_09_what_nobody_has_any_more_freezes_the_board_by_name() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let mut spool = Spool::new("clock-1", 1);
    spool.start();
    spool.press(Colour::White);
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    clock.events(&spool, 1..=2).await;
    clock.acked(2).await;
    desk.open("r1", "g1", "clock-1").await.expect("open");
    // It began its spool anew when it had five events acknowledged; the journal has two of them.
    let next = Spool::new("clock-1", 2);
    let past = |last_seq| Some(Past { spool_id: vec![1; 16], last_seq });
    let lost =
        Clock::connect_with(running.clocks, Hello { past: past(5), ..hello(&next) }).await.err().expect("frozen");
    assert_eq!(lost.code(), Code::DataLoss, "{lost}");
    assert!(
        lost.message().starts_with("EVENTS_LOST: clock-1: the journal has 2 events of its earlier spool and 5"),
        "{lost}"
    );
    let clock = Clock::connect_with(running.clocks, Hello { past: past(2), ..hello(&next) }).await.expect("all there");
    assert_eq!(clock.welcome.durable_through, 0);
    let alarms = desk.games().await.remove(0).alarms;
    let frozen = |alarm: &&Alarmed| alarm.alarm() == Alarm::Frozen && alarm.detail.starts_with("EVENTS_LOST: ");
    assert_eq!(alarms.iter().filter(frozen).count(), 1);
    running.shutdown().await;
}

#[tokio::test]
async fn row_04_an_epoch_that_only_the_clock_remembers_is_not_given_again() {
    let running = in_memory().await;
    let spool = Spool::new("clock-1", 1);
    let clock = Clock::connect_with(running.clocks, Hello { last_epoch: 41, ..hello(&spool) }).await.expect("taken in");
    assert_eq!(clock.welcome.session_epoch, 42);
    running.shutdown().await;
}

#[tokio::test]
async fn a_round_is_closed_for_a_clock_when_its_next_game_has_begun() {
    let running = in_memory().await;
    let mut desk = Desk::of(&running).await;
    let mut spool = Spool::new("clock-1", 1);
    desk.open("r1", "g1", "clock-1").await.expect("open");
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    let prepare = clock.directive().await;
    spool.report(&prepare, flagfall_proto::clock::v1::Stage::Applied);
    spool.start();
    clock.events(&spool, 1..=2).await;
    clock.acked(2).await;
    let end = flagfall_proto::clock::v1::directive::Act::Conclude(flagfall_proto::clock::v1::Conclude {
        outcome: 1,
        words: None,
    });
    desk.0.issue_directive(crate::durable::by_hand("r2", "g1", end)).await.expect("issued");
    let conclude = clock.directive().await;
    spool.report(&conclude, flagfall_proto::clock::v1::Stage::Applied);
    clock.events(&spool, 3..=3).await;
    clock.acked(3).await;
    let clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    assert_eq!(clock.welcome.released_through, 0, "its round goes on");
    desk.open("r3", "g2", "clock-1").await.expect("open");
    let mut clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    assert_eq!(clock.welcome.released_through, 0, "nothing was heard of the next one");
    let prepare = clock.directive().await;
    spool.report(&prepare, flagfall_proto::clock::v1::Stage::Applied);
    clock.events(&spool, 4..=4).await;
    clock.acked(4).await;
    let clock = Clock::connect(running.clocks, &spool).await.expect("taken in");
    assert_eq!(clock.welcome.released_through, 3);
    running.shutdown().await;
}
