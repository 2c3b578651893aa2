//! Who gets in, who may do what, and what cannot be smuggled in: the pages without a browser.

use flagfall_browser::{
    PATIENCE,
    hall::{Games, Hall, people},
    plain::Visitor,
};
use flagfall_clock::sense::{FaultKind, Sense};
use flagfall_proto::desk::v1::{
    Act, GetGameRequest, HeedRequest, ListGamesRequest, MoveGameRequest, WatchGamesRequest,
};
use flagfall_rules::clock::Colour;
use flagfall_server::desk::auth::{Role, Users};
use tokio::{io::AsyncReadExt, time::timeout};
use tonic::{Code, Request};

#[tokio::test(flavor = "multi_thread")]
async fn each_role_may_what_is_its_own() -> anyhow::Result<()> {
    let (users, token) = people()?;
    let hall = Hall::start(5, users).await?;
    let mut tables = Vec::new();
    // Sascha's boards are 1 to 4.
    for number in [1, 5] {
        let mut table = hall.table(number, &Games::default(), Some(&token)).await?;
        table.wait("has its game", |shown| shown.online && !shown.game.is_empty()).await?;
        table.call(Colour::White).await?;
        table.wait("is heard", |shown| shown.acked > 0 && shown.acked == shown.spooled).await?;
        tables.push(table);
    }
    // Looks, rules on board 1, rules on board 5, runs a round that is not there.
    let rights = [
        ("Vera", [200, 403, 403, 403]),
        ("Sascha", [200, 303, 403, 403]),
        ("Chris", [200, 303, 303, 404]),
        ("Olga", [200, 403, 403, 404]),
    ];
    for (name, expected) in rights {
        let mut visitor = Visitor::at(&hall.page("/"));
        visitor.sign_in(name).await?;
        let word = visitor.word("/calls").await?;
        let mut found = vec![visitor.get("/calls").await?.status];
        for game in ["r1.b01", "r1.b05"] {
            let request = format!("{name}-{game}");
            let fields = [("word", word.as_str()), ("request", &request), ("through", "1")];
            found.push(visitor.post(&format!("/game/{game}/heed"), &fields).await?.status);
        }
        found.push(visitor.post("/round/none/1/prepare", &[("word", &word), ("request", name)]).await?.status);
        assert_eq!(found, expected, "{name}");
    }

    // The same on the wire.
    let mut desk = hall.desk().await?;
    let refused = desk.list_games(ListGamesRequest::default()).await.expect_err("nobody");
    assert_eq!(refused.code(), Code::Unauthenticated, "{refused}");
    let with = |message| {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("a header"));
        request
    };
    let act = Some(Act { request: "x".into(), actor: "Chris".into(), ..Act::default() });
    let heed = HeedRequest { act, game: "r1.b01".into(), heed: None };
    let refused = desk.heed(with(heed)).await.expect_err("an organiser");
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(refused.message().starts_with("NOT_ALLOWED: Olga may not rule"), "{refused}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sector_arbiters_boards_stay_his_when_their_games_change_clocks() -> anyhow::Result<()> {
    let hall = Hall::start(3, Users::default()).await?;
    hall.event(2, |number| format!("Player {number}")).await?;
    let mut desk = hall.desk().await?;
    // Board 1 goes on on the spare, board 2 on the clock that board 1 had.
    for (game, device) in [("open.r1.b01", "clock-3"), ("open.r1.b02", "clock-1")] {
        let act = Some(Act { request: format!("move-{game}"), actor: "organiser".into(), ..Act::default() });
        let (game, device) = (game.into(), device.into());
        desk.move_game(MoveGameRequest { act, game, device, note: "the battery".into() }).await?;
    }
    let mut users = Users::default();
    users.add("Sascha", Role::SectorArbiter, vec!["1".into()], Some("correct horse"))?;
    hall.know(&users);
    let mut sascha = Visitor::at(&hall.page("/"));
    sascha.sign_in("Sascha").await?;
    let mut rules = async |game: &str| {
        let page = sascha.get(&format!("/game/{game}")).await?.body.contains("value=\"stop\"");
        let add = [("do", "add"), ("side", "white"), ("amount", "1:00")];
        anyhow::Ok((page, sascha.look_and_do(game, &add, "noise in the hall").await?))
    };
    let (page, own) = rules("open.r1.b01").await?;
    assert!(page && own.status == 303, "{} {}", own.status, own.body);
    let (page, other) = rules("open.r1.b02").await?;
    assert!(!page && other.status == 403, "{} {}", other.status, other.body);
    assert!(other.body.contains("Sascha may not rule on board 2 of open, round 1"), "{}", other.body);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_read_in_the_readers_language() -> anyhow::Result<()> {
    let hall = Hall::start(1, Users::default()).await?;
    let mut table = hall.table(1, &Games::default(), None).await?;
    table.wait("has its game", |shown| shown.game == "r1.b01" && shown.applied_rev == 1).await?;
    let mut arbiter = Visitor::at(&hall.page("/"));
    arbiter.get("/lang/ru").await?;
    // 1:30:00 and 9:59:59 make more than ten hours; the second amount is no time at all; of the others there is no page.
    for (path, status, name, words, said) in [
        (
            "/game/r1.b01/act?do=add&side=white&amount=9:59:59",
            409,
            "BAD_AMOUNT",
            "недопустимая величина",
            "11:30:29 is not between 1 ms and 10:00:00",
        ),
        (
            "/game/r1.b01/act?do=add&side=white&amount=soon",
            400,
            "BAD_REQUEST",
            "время пишут как Ч:ММ:СС, М:СС или в секундах; оно меньше десяти часов",
            "expected H:MM:SS",
        ),
        ("/nothing", 404, "NOT_FOUND", "такой страницы нет", "there is no such page"),
        ("/game/nobody", 404, "NO_SUCH_GAME", "партии с таким именем нет", "there is no game"),
    ] {
        let answer = arbiter.get(path).await?;
        assert_eq!(answer.status, status, "{path}: {}", answer.body);
        for part in [format!("<code>{name}</code> {words}"), said.to_owned(), "lang=\"en\"".to_owned()] {
            assert!(answer.body.contains(&part), "{path}: {part} in {}", answer.body);
        }
    }
    let answer = arbiter.post("/round/open/one/start", &[]).await?;
    assert!(answer.status == 404 && answer.body.contains("такой страницы нет"), "{}", answer.body);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_unknown_gets_further_than_the_door() -> anyhow::Result<()> {
    let (users, _) = people()?;
    let hall = Hall::start(1, users).await?;
    let mut nobody = Visitor::at(&hall.page("/"));
    for path in ["/", "/calls", "/sheet", "/round", "/game/r1.b01", "/game/r1.b01/act?do=stop"] {
        let answer = nobody.get(path).await?;
        assert_eq!((answer.status, answer.headers["location"].as_str()), (303, "/login"), "{path}");
    }
    assert_eq!(nobody.get("/live").await?.status, 401);
    let word = nobody.word("/login").await?;
    let fields = [("word", word.as_str()), ("request", "x"), ("do", "stop")];
    let late = nobody.post("/game/r1.b01/act", &fields).await?;
    assert_eq!(late.status, 401);
    assert!(
        late.body.contains("<code>UNAUTHENTICATED</code>") && late.body.contains("href=\"/login\""),
        "{}",
        late.body
    );
    let wrong = nobody.post("/login", &[("word", &word), ("name", "Chris"), ("password", "correct hors")]).await?;
    assert_eq!(wrong.status, 403);
    assert!(wrong.body.contains("Nobody has this name and password."), "{}", wrong.body);

    let answer = Visitor::at(&hall.page("/")).get("/login").await?;
    let cookie = &answer.headers["set-cookie"];
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    let policy = &answer.headers["content-security-policy"];
    assert!(policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"), "{policy}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_of_another_site_and_a_name_of_another_host_do_nothing() -> anyhow::Result<()> {
    let hall = Hall::start(1, Users::default()).await?;
    let mut table = hall.table(1, &Games::default(), None).await?;
    table.wait("has its game", |shown| shown.game == "r1.b01" && shown.applied_rev == 1).await?;
    let mut arbiter = Visitor::at(&hall.page("/"));
    let word = arbiter.word("/game/r1.b01/act?do=stop").await?;
    let fields = |word: &'static str| {
        [("word", word), ("request", "r"), ("do", "add"), ("side", "white"), ("amount", "60"), ("reason", "x")]
    };
    for stolen in ["", "0123456789abcdef0123456789abcdef"] {
        let answer = arbiter.post("/game/r1.b01/act", &fields(stolen)).await?;
        assert_eq!(answer.status, 403);
        assert!(answer.body.contains("<code>STALE_FORM</code>"), "{}", answer.body);
    }
    // A stranger has a word of his own, and it is not the arbiter's.
    assert_ne!(Visitor::at(&hall.page("/")).word("/game/r1.b01/act?do=stop").await?, word);
    assert_eq!(arbiter.get_as("desk.example", "/").await?.status, 403);

    // What is sent twice acts once, and what leaves no reason is not done.
    let word: &'static str = word.leak();
    for _ in 0..2 {
        assert_eq!(arbiter.post("/game/r1.b01/act", &fields(word)).await?.status, 303);
    }
    let silent = arbiter.post("/game/r1.b01/act", &[("word", word), ("request", "q"), ("do", "annul")]).await?;
    assert_eq!(silent.status, 400);
    let shown = table.wait("has more time", |shown| shown.applied_rev >= 2).await?;
    assert_eq!((shown.applied_rev, shown.face.hand(Colour::White).left), (2, Some(5_490_000)));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_and_words_stay_text() -> anyhow::Result<()> {
    const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";
    let hall = Hall::start(2, Users::default()).await?;
    let mut tables = hall.event(2, |_| HOSTILE.to_owned()).await?;
    let table = &mut tables[0];
    table.set_up().await?;
    table.sense(Sense::Fault(FaultKind::Garbled, HOSTILE.to_owned())).await?;
    table.call(Colour::Black).await?;
    table.wait("is heard", |shown| shown.acked > 1 && shown.acked == shown.spooled).await?;
    let mut arbiter = Visitor::at(&hall.page("/"));
    for path in ["/calls", "/round", "/game/open.r1.b01", "/game/%3Cscript%3Ealert(1)%3C%2Fscript%3E"] {
        let page = arbiter.get(path).await?.body;
        assert!(page.contains("&#60;script&#62;") || page.contains("&lt;script"), "{path} shows it as text: {page}");
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "{path}: {page}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_taken_out_of_the_file_is_out_of_the_hall() -> anyhow::Result<()> {
    let (mut users, token) = people()?;
    let hall = Hall::start(1, users.clone()).await?;
    let (mut vera, mut chris) = (Visitor::at(&hall.page("/")), Visitor::at(&hall.page("/")));
    vera.sign_in("Vera").await?;
    chris.sign_in("Chris").await?;
    assert_eq!(vera.get("/").await?.status, 200);
    let mut request = Request::new(WatchGamesRequest::default());
    request.metadata_mut().insert("authorization", format!("Bearer {token}").parse()?);
    let mut watched = hall.desk().await?.watch_games(request).await?.into_inner();

    users.remove("Vera")?;
    users.remove("Olga")?;
    users.add("Nora", Role::Viewer, Vec::new(), Some("correct horse"))?;
    hall.know(&users);
    // Nothing is said on either stream but its end.
    let ended = watched.message().await.expect_err("nobody any more");
    assert_eq!(ended.code(), Code::Unauthenticated, "{ended}");
    let answer = vera.get("/").await?;
    assert_eq!((answer.status, answer.headers["location"].as_str()), (303, "/login"));
    assert!(Visitor::at(&hall.page("/")).sign_in("Vera").await.is_err());
    assert_eq!(chris.get("/").await?.status, 200, "the others' sessions go on");
    Visitor::at(&hall.page("/")).sign_in("Nora").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hall_that_somebody_looks_at_ends_with_his_session() -> anyhow::Result<()> {
    let (mut users, _) = people()?;
    let hall = Hall::start(1, users.clone()).await?;
    let mut vera = Visitor::at(&hall.page("/"));
    vera.sign_in("Vera").await?;
    let mut looking = vera.look_on().await?;
    users.remove("Vera")?;
    hall.know(&users);
    // Only the service ends this stream.
    timeout(PATIENCE, looking.read_to_end(&mut Vec::new())).await??;
    assert_eq!(vera.get("/live").await?.status, 401);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_broadcast_is_for_everybody_and_says_what_a_browser_may_do_with_it() -> anyhow::Result<()> {
    let (users, _) = people()?;
    let with = async |broadcast: bool| {
        let hall = Hall::with(2, |settings| settings.broadcast = broadcast).await?;
        drop(hall.event(2, |number| format!("Player {number:03}")).await?);
        hall.know(&users);
        let answer = Visitor::at(&hall.page("/")).get("/broadcast/open/round-1.pgn").await?;
        anyhow::Ok(answer)
    };
    let answer = with(true).await?;
    assert_eq!(answer.status, 200);
    assert!(answer.body.contains("[White \"Player 001\"]"), "{}", answer.body);
    let header = |name: &str| answer.headers.get(name).map_or("", String::as_str);
    assert!(header("content-security-policy").starts_with("default-src 'none'"));
    assert_eq!((header("x-content-type-options"), header("x-frame-options")), ("nosniff", "DENY"));
    assert_eq!((header("referrer-policy"), header("cache-control")), ("same-origin", "no-cache"));
    // Switched off it is an address like any other that is none.
    let off = with(false).await?;
    assert_eq!((off.status, off.headers["location"].as_str()), (303, "/login"));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_desk_refuses_is_counted_by_its_name() -> anyhow::Result<()> {
    let hall = Hall::start(1, Users::default()).await?;
    let mut desk = hall.desk().await?;
    let no_game = GetGameRequest { game: "none".into() };
    desk.get_game(no_game).await.expect_err("there is none");
    let mut arbiter = Visitor::at(&hall.page("/"));
    assert_eq!(arbiter.get("/game/none").await?.status, 404);
    assert_eq!(arbiter.post("/game/none/act", &[("word", "stolen")]).await?.status, 403);
    let page = Visitor::at(&hall.ops("/")).get("/metrics").await?.body;
    for line in [
        "flagfall_refusals_total{reason=\"NO_SUCH_GAME\",at=\"desk\"} 2",
        "flagfall_refusals_total{reason=\"STALE_FORM\",at=\"desk\"} 1",
        "flagfall_refusals_total{reason=\"NOT_ALLOWED\",at=\"desk\"} 0",
        "flagfall_refusals_total{reason=\"FORKED_SPOOL\",at=\"clock\"} 0",
    ] {
        assert!(page.lines().any(|found| found == line), "{line}\n{page}");
    }
    Ok(())
}
