//! Events and players: what is taken, what is refused and how.

use flagfall_proto::{
    clock::v1::Control,
    desk::v1::{
        CreateEventRequest, EventPlan, GetEventRequest, ListEventsRequest, PutPlayersRequest, ReviseEventRequest,
    },
    journal::v1::{Overlay, Play, Player, Sector},
};
use tonic::{Code, Status};

use crate::hall::{Hall, act, pairing, plan};

fn refused(status: &Status, code: Code, reason: &str) {
    assert_eq!(status.code(), code, "{status}");
    assert!(status.message().starts_with(reason), "{status}\nnot {reason}");
}

#[tokio::test]
async fn an_event_says_what_its_preset_means() {
    let mut hall = Hall::new(2).await;
    let sectors =
        vec![Sector { name: "B".into(), first: 2, last: 9 }, Sector { name: "Сцена".into(), first: 1, last: 1 }];
    let plan = EventPlan { preset: "rf-2017  rapid 15+10".into(), sectors, delay_plies: 3, ..plan("open") };
    let settings = hall.create(plan.clone()).await.expect("created");
    assert_eq!(
        (settings.edition.as_str(), settings.play(), settings.preset.as_str()),
        ("rf-2017", Play::Rapid, "rf-2017 rapid 15+10")
    );
    let control: Control = settings.control.expect("a control");
    assert_eq!((control.periods.len(), control.periods[0].base_ms), (1, 900_000));
    assert_eq!((settings.title.as_str(), settings.clocks.as_str()), ("open", "clock-{}"));
    assert_eq!(settings.sectors.iter().map(|s| s.first).collect::<Vec<_>>(), [1, 2], "in the order of the boards");
    let event = hall.event().await;
    assert_eq!((event.default_time_ms, event.default_time_article.as_str()), (0, "6.7.1?"), "as the edition says");

    refused(&hall.create(plan.clone()).await.expect_err("taken"), Code::AlreadyExists, "EVENT_EXISTS: ");
    let again = CreateEventRequest { act: act("r1"), plan: Some(plan.clone()) };
    hall.events.create_event(again).await.expect("the same request is answered as before");

    let revised = EventPlan { title: "Open".into(), default_time_ms: Some(1_800_000), ..plan };
    let request = ReviseEventRequest { act: act("x"), plan: Some(revised) };
    hall.events.revise_event(request).await.expect("revised");
    let event = hall.event().await;
    assert_eq!((event.default_time_ms, event.settings.expect("settings").title.as_str()), (1_800_000, "Open"));
    let events = hall.events.list_events(ListEventsRequest {}).await.expect("a list").into_inner().events;
    assert_eq!(events.len(), 1);
    hall.running.shutdown().await;
}

#[tokio::test]
async fn the_default_time_of_the_older_text_is_an_hour() {
    let mut hall = Hall::new(1).await;
    hall.create(EventPlan { preset: "rf-2011 90+30".into(), ..plan("open") }).await.expect("created");
    let event = hall.event().await;
    assert_eq!((event.default_time_ms, event.default_time_article.as_str()), (3_600_000, "6.7?"));
    hall.running.shutdown().await;
}

#[tokio::test]
async fn plans_that_do_not_fit_are_refused_by_field() {
    let mut hall = Hall::new(1).await;
    let sector = |name: &str, first, last| Sector { name: name.into(), first, last };
    let overlapping = vec![sector("A", 1, 5), sector("B", 5, 9)];
    let table = [
        (EventPlan { name: "../etc".into(), ..plan("open") }, "BAD_REQUEST: event: "),
        (EventPlan { name: "x".repeat(33), ..plan("open") }, "BAD_REQUEST: event: "),
        (EventPlan { title: "a\nb".into(), ..plan("open") }, "BAD_REQUEST: title: "),
        (
            EventPlan { preset: "blitz 90+30".into(), ..plan("open") },
            "BAD_REQUEST: preset: 90+30 is standard by fide-2023",
        ),
        (EventPlan { preset: String::new(), ..plan("open") }, "BAD_REQUEST: preset: expected [edition] [play] control"),
        (EventPlan { sectors: overlapping, ..plan("open") }, "BAD_REQUEST: sectors: B: boards 5 to 9"),
        (EventPlan { sectors: vec![sector("A", 3, 2)], ..plan("open") }, "BAD_REQUEST: sectors: A: boards 3 to 2"),
        (EventPlan { clocks: "clock".into(), ..plan("open") }, "BAD_REQUEST: clocks: "),
        (EventPlan { clocks: "{}/{}".into(), ..plan("open") }, "BAD_REQUEST: clocks: "),
        (EventPlan { rounds: 100, ..plan("open") }, "BAD_REQUEST: rounds: "),
        (EventPlan { delay_ms: -1, ..plan("open") }, "BAD_REQUEST: delay: "),
        (EventPlan { default_time_ms: Some(36_000_001), ..plan("open") }, "BAD_REQUEST: overlay: "),
        (
            EventPlan { overlay: Some(Overlay { loses_at: Some(0), ..Overlay::default() }), ..plan("open") },
            "BAD_REQUEST: overlay: ",
        ),
        (EventPlan { side_binding: 7, ..plan("open") }, "BAD_REQUEST: side_binding: "),
    ];
    for (plan, reason) in table {
        refused(&hall.create(plan).await.expect_err(reason), Code::InvalidArgument, reason);
    }
    let request = CreateEventRequest { act: None, plan: Some(plan("open")) };
    refused(&hall.events.create_event(request).await.expect_err("nobody"), Code::InvalidArgument, "BAD_REQUEST: act");
    let request = GetEventRequest { event: "open".into() };
    refused(&hall.events.get_event(request).await.expect_err("none"), Code::NotFound, "NO_SUCH_EVENT: ");
    hall.running.shutdown().await;
}

#[tokio::test]
async fn players_are_bounded_and_known_before_they_are_paired() {
    let mut hall = Hall::new(2).await;
    hall.open_event(4).await;
    let good = Player { number: 5, name: "Ж. \"Zero\" O'Neil; ../x".into(), ..Player::default() };
    let table = [
        (Player { number: 0, ..good.clone() }, "BAD_REQUEST: players.number: 0: "),
        (Player { number: 10_000, ..good.clone() }, "BAD_REQUEST: players.number: 10000: "),
        (Player { name: String::new(), ..good.clone() }, "BAD_REQUEST: players.name: of 5: "),
        (Player { name: "a\u{1b}[2J".into(), ..good.clone() }, "BAD_REQUEST: players.name: of 5: "),
        (Player { name: "x".repeat(101), ..good.clone() }, "BAD_REQUEST: players.name: of 5: "),
        (Player { title: "GRAND".into(), ..good.clone() }, "BAD_REQUEST: players.title: "),
        (Player { fide_id: "12x".into(), ..good.clone() }, "BAD_REQUEST: players: 5: "),
    ];
    for (player, reason) in table {
        let request = PutPlayersRequest { act: hall.act(), event: "open".into(), players: vec![player] };
        refused(&hall.events.put_players(request).await.expect_err(reason), Code::InvalidArgument, reason);
    }
    let request = PutPlayersRequest { act: hall.act(), event: "open".into(), players: vec![good.clone()] };
    assert_eq!(hall.events.put_players(request).await.expect("entered").into_inner().players, 5);
    assert_eq!(hall.event().await.players[4], good);

    let twice = vec![pairing(1, 1, 2, ""), pairing(2, 2, 3, "")];
    refused(
        &hall.pair_as(1, twice, vec![]).await.expect_err("twice"),
        Code::InvalidArgument,
        "BAD_REQUEST: boards: player 2 ",
    );
    let stranger = vec![pairing(1, 1, 9, "")];
    refused(
        &hall.pair_as(1, stranger, vec![]).await.expect_err("who"),
        Code::NotFound,
        "NO_SUCH_PLAYER: open has no player 9",
    );
    let board = vec![pairing(1, 1, 2, ""), pairing(1, 3, 4, "-")];
    refused(
        &hall.pair_as(1, board, vec![]).await.expect_err("board"),
        Code::InvalidArgument,
        "BAD_REQUEST: boards.board: 1: ",
    );
    let clock = vec![pairing(1, 1, 2, "clock-02"), pairing(2, 3, 4, "")];
    refused(
        &hall.pair_as(1, clock, vec![]).await.expect_err("clock"),
        Code::InvalidArgument,
        "BAD_REQUEST: boards.device: clock-02",
    );
    let unlisted = vec![pairing(1, 1, 2, "clock-77")];
    refused(&hall.pair_as(1, unlisted, vec![]).await.expect_err("device"), Code::NotFound, "NO_SUCH_DEVICE: ");
    refused(&hall.pair(0, 1).await.expect_err("round"), Code::InvalidArgument, "BAD_REQUEST: round: ");
    refused(&hall.round(1).await.expect_err("not paired"), Code::NotFound, "NO_SUCH_ROUND: ");
    hall.running.shutdown().await;
}
